/* assay-kernel-recurrent.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "evaluate/assay-elements.h"
#include "evaluate/assay-gemm.h"
#include "evaluate/assay-recurrent.h"

typedef struct
{
  AssayKernel *kernel;
  AssayDatum *x;
  AssayDatum *w;
  AssayDatum *r;
  AssayDatum *lengths;
  AssayDatum *y;  /* (nullable) */
  AssayDatum *yh; /* (nullable) */
  AssayDatum *yc; /* (nullable) */
  gboolean batch_first;
  guint n_directions;
  gsize steps;
  gsize batch;
  gsize inputs;
  gsize hidden;
  guint n_gates;
} Run;

static const struct
{
  AssayOp op;
  guint n_gates;
  guint initial_cell;
  guint peephole;
} kinds[] = {
  { ASSAY_OP_RNN, 1, G_MAXUINT, G_MAXUINT },
  { ASSAY_OP_GRU, 3, G_MAXUINT, G_MAXUINT },
  { ASSAY_OP_LSTM, 4, 6, 7 },
};

/* Element of a state of the shape [directions, batch, hidden], or [batch, directions, hidden]. */
static gsize
state_offset (const Run *run, guint direction, gsize sample)
{
  return (run->batch_first ? sample * run->n_directions + direction
                           : direction * run->batch + sample) *
         run->hidden;
}

static gsize
output_offset (const Run *run, gsize step, guint direction, gsize sample)
{
  if (run->batch_first)
    return ((sample * run->steps + step) * run->n_directions + direction) * run->hidden;

  return ((step * run->n_directions + direction) * run->batch + sample) * run->hidden;
}

static gboolean
read_bias (const Run *run, const AssayDatum *bias, guint direction, AssayRecurrent *cell,
           GError **error)
{
  gsize n = run->n_gates * run->hidden;

  cell->bias = assay_kernel_room0 (run->kernel, double, n + 1, error);
  cell->reset_bias = cell->bias == NULL
                         ? NULL
                         : assay_kernel_room0 (run->kernel, double, run->hidden + 1, error);
  if (cell->reset_bias == NULL)
    return FALSE;
  if (bias == NULL)
    return TRUE;

  for (gsize i = 0; i < n; i++)
    {
      double of_input = assay_datum_get_number (bias, direction * 2 * n + i);
      double of_state = assay_datum_get_number (bias, direction * 2 * n + n + i);

      if (cell->op == ASSAY_OP_GRU && i >= 2 * run->hidden)
        {
          cell->reset_bias[i - 2 * run->hidden] = of_state;
          cell->bias[i] = of_input;
        }
      else
        cell->bias[i] = of_input + of_state;
    }

  return TRUE;
}

static void
read_state (const Run *run, const AssayDatum *initial, guint direction, double *state)
{
  memset (state, 0, run->batch * run->hidden * sizeof *state);
  for (gsize i = 0; initial != NULL && i < run->batch; i++)
    assay_elements_read (initial, state_offset (run, direction, i), 1, run->hidden,
                         state + i * run->hidden);
}

/* The product of states with some of the gates' weights, as doubles. */
static void
multiply_state (const Run *run, guint direction, guint first_gate, guint n_gates,
                AssayDatum *packed, AssayDatum *product, const double *state, double *to)
{
  gsize n = n_gates * run->hidden, stride = run->n_gates * run->hidden;
  AssayGemm gemm = {
    .storage = run->x->storage,
    .m = run->batch,
    .n = n,
    .k = run->hidden,
    .transpose_b = TRUE,
    .lda = run->hidden,
    .ldb = run->hidden,
    .ldc = n,
    .alpha = 1.0,
  };
  AssayGemmItem item = {
    packed->data,
    (const char *) run->r->data + (direction * stride + first_gate * run->hidden) * run->hidden *
                                      assay_storage_size (run->x->storage),
    product->data,
  };

  assay_elements_write (packed, 0, 1, run->batch * run->hidden, state);
  assay_gemm_batch (&gemm, run->kernel, 1, &item);
  for (gsize i = 0; i < run->batch; i++)
    assay_elements_read (product, i * n, 1, n, to + i * stride + first_gate * run->hidden);
}

/* The products of all inputs, for all steps at once. */
static AssayDatum *
multiply_inputs (const Run *run, guint direction, GError **error)
{
  gsize n = run->n_gates * run->hidden;
  AssayDatum *products = assay_kernel_scratch (run->kernel, run->x->storage,
                                               run->steps * run->batch * n, error);
  AssayGemm gemm = {
    .storage = run->x->storage,
    .m = run->steps * run->batch,
    .n = n,
    .k = run->inputs,
    .transpose_b = TRUE,
    .lda = run->inputs,
    .ldb = run->inputs,
    .ldc = n,
    .alpha = 1.0,
  };
  AssayGemmItem item;

  if (products == NULL)
    return NULL;

  item = (AssayGemmItem){
    run->x->data,
    (const char *) run->w->data +
        direction * n * run->inputs * assay_storage_size (run->x->storage),
    products->data,
  };
  assay_gemm_batch (&gemm, run->kernel, 1, &item);

  return products;
}

static void
write_state (const Run *run, guint direction, const double *state, AssayDatum *to)
{
  for (gsize i = 0; to != NULL && i < run->batch; i++)
    assay_elements_write (to, state_offset (run, direction, i), 1, run->hidden,
                          state + i * run->hidden);
}

static gsize
length_of (const Run *run, gsize sample)
{
  if (run->lengths == NULL)
    return run->steps;

  return (gsize) CLAMP (assay_datum_get_integer (run->lengths, sample), 0, (gint64) run->steps);
}

static gboolean
run_direction (const Run *run, const AssayRecurrent *cell, guint direction, gboolean reverse,
               double *state, double *cells, GError **error)
{
  gsize n = run->n_gates * run->hidden;
  g_autoptr (AssayDatum) inputs = multiply_inputs (run, direction, error);
  g_autoptr (AssayDatum) packed = NULL;
  g_autoptr (AssayDatum) product = NULL;
  g_autofree double *products = NULL, *row = NULL, *reset = NULL;
  gboolean apart = cell->op == ASSAY_OP_GRU && !cell->linear_before_reset;

  if (inputs == NULL ||
      !(products = assay_kernel_room (run->kernel, double, run->batch *n + 1, error)) ||
      !(row = assay_kernel_room (run->kernel, double, n + 1, error)) ||
      !(reset = assay_kernel_room0 (run->kernel, double, run->batch * run->hidden + 1, error)))
    return FALSE;
  packed = assay_kernel_scratch (run->kernel, run->x->storage, run->batch * run->hidden, error);
  product = packed == NULL
                ? NULL
                : assay_kernel_scratch (run->kernel, run->x->storage, run->batch * n, error);
  if (product == NULL)
    return FALSE;

  for (gsize step = 0; step < run->steps; step++)
    {
      if (!assay_kernel_check (run->kernel, error))
        return FALSE;

      multiply_state (run, direction, 0, apart ? 2 : run->n_gates, packed, product, state,
                      products);
      for (guint pass = apart ? 0 : 1; pass < 2; pass++)
        {
          for (gsize i = 0; i < run->batch; i++)
            {
              gsize length = length_of (run, i);
              gsize time = reverse ? length - 1 - step : step;

              if (step >= length)
                continue;
              assay_elements_read (
                  inputs, (run->batch_first ? i * run->steps + time : time * run->batch + i) * n, 1,
                  n, row);
              if (pass == 0)
                {
                  assay_recurrent_reset (cell, row, products + i * n, state + i * run->hidden,
                                         reset + i * run->hidden);
                  continue;
                }
              assay_recurrent_step (cell, row, products + i * n, state + i * run->hidden,
                                    cells != NULL ? cells + i * run->hidden : NULL);
              if (run->y != NULL)
                assay_elements_write (run->y, output_offset (run, time, direction, i), 1,
                                      run->hidden, state + i * run->hidden);
            }
          if (pass == 0)
            multiply_state (run, direction, 2, 1, packed, product, reset, products);
        }
    }

  return TRUE;
}

static gboolean
run_all (const Run *run, AssayRecurrent *cell, guint initial_cell, guint peephole, GError **error)
{
  AssayKernel *self = run->kernel;
  gboolean reverse = g_str_equal (assay_node_get_string (self->node, "direction"), "reverse");
  gsize n_state = run->batch * run->hidden;
  g_autofree double *state = assay_kernel_room (self, double, n_state + 1, error);
  g_autofree double *cells = state == NULL ? NULL
                                           : assay_kernel_room0 (self, double, n_state + 1, error);
  AssayDatum *weights = assay_kernel_input (self, peephole);
  gboolean ok = cells != NULL;

  for (guint direction = 0; ok && direction < run->n_directions; direction++)
    {
      g_autofree double *bias = NULL, *reset_bias = NULL, *peepholes = NULL;

      ok = read_bias (run, assay_kernel_input (self, 3), direction, cell, error);
      bias = cell->bias;
      reset_bias = cell->reset_bias;
      if (!ok)
        return FALSE;
      if (weights != NULL)
        {
          cell->peephole = peepholes = assay_kernel_room (self, double, 3 * run->hidden + 1, error);
          if (peepholes == NULL)
            return FALSE;
          assay_elements_read (weights, direction * 3 * run->hidden, 1, 3 * run->hidden, peepholes);
        }
      read_state (run, assay_kernel_input (self, 5), direction, state);
      read_state (run, assay_kernel_input (self, initial_cell), direction, cells);

      ok = assay_recurrent_activations (self, direction, run->n_directions, cell, error) &&
           run_direction (run, cell, direction, reverse || direction == 1, state, cells, error);
      if (ok)
        {
          write_state (run, direction, state, run->yh);
          write_state (run, direction, cells, run->yc);
        }
    }

  return ok;
}

static gboolean
expect_shape (AssayKernel *self, guint input, guint rank, const gint64 *dims, GError **error)
{
  AssayDatum *datum = assay_kernel_input (self, input);

  if (datum == NULL)
    return TRUE;
  if (input != 4 && datum->storage != self->inputs[0]->storage)
    return assay_kernel_fail_type (self, input, error);
  if (datum->rank != rank)
    return assay_kernel_fail (self, error, "input %u has rank %u, expected %u", input, datum->rank,
                              rank);

  for (guint i = 0; i < rank; i++)
    {
      if (datum->dims[i] != dims[i])
        return assay_kernel_fail (self, error,
                                  "dimension %u of input %u is %" G_GINT64_FORMAT
                                  ", expected %" G_GINT64_FORMAT,
                                  i, input, datum->dims[i], dims[i]);
    }

  return TRUE;
}

static gboolean
check_shapes (const Run *run, guint initial_cell, guint peephole, GError **error)
{
  AssayKernel *self = run->kernel;
  gint64 directions = run->n_directions, batch = (gint64) run->batch, hidden = (gint64) run->hidden;
  gint64 gates = (gint64) run->n_gates * hidden;
  const gint64 state[3] = { run->batch_first ? batch : directions,
                            run->batch_first ? directions : batch, hidden };

  if (self->n_inputs > 4 && self->inputs[4] != NULL && self->inputs[4]->storage != ASSAY_DTYPE_I32)
    return assay_kernel_fail_type (self, 4, error);

  return expect_shape (self, 1, 3, (gint64[]){ directions, gates, (gint64) run->inputs }, error) &&
         expect_shape (self, 2, 3, (gint64[]){ directions, gates, hidden }, error) &&
         expect_shape (self, 3, 2, (gint64[]){ directions, 2 * gates }, error) &&
         expect_shape (self, 4, 1, &batch, error) && expect_shape (self, 5, 3, state, error) &&
         expect_shape (self, initial_cell, 3, state, error) &&
         expect_shape (self, peephole, 2, (gint64[]){ directions, 3 * hidden }, error);
}

static AssayDatum *
make_output (const Run *run, guint output, guint rank, const gint64 *dims, gboolean *ok,
             GError **error)
{
  AssayDatum *datum;

  if (!*ok || !assay_kernel_wants (run->kernel, output))
    return NULL;

  datum = assay_kernel_output (run->kernel, output, run->x->dtype, rank, dims, error);
  *ok = datum != NULL;
  if (*ok)
    memset (datum->data, 0, datum->n * assay_storage_size (datum->storage));

  return datum;
}

gboolean
assay_kernel_op_recurrent (AssayKernel *self, GError **error)
{
  Run run = { .kernel = self, .x = self->inputs[0], .w = self->inputs[1], .r = self->inputs[2] };
  AssayRecurrent cell = { .op = self->node->op };
  guint initial_cell = G_MAXUINT, peephole = G_MAXUINT;
  gint64 directions, batch, steps, hidden;
  gboolean ok = TRUE;

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      if (kinds[i].op != self->node->op)
        continue;
      run.n_gates = cell.n_gates = kinds[i].n_gates;
      initial_cell = kinds[i].initial_cell;
      peephole = kinds[i].peephole;
    }

  if (!assay_kernel_expect (self, 0, ASSAY_DTYPE_UNDEFINED, 3, 3, error) ||
      !assay_kernel_expect (self, 1, run.x->storage, 3, 3, error) ||
      !assay_kernel_expect (self, 2, run.x->storage, 3, 3, error))
    return FALSE;

  run.batch_first = assay_node_get_int (self->node, "layout") != 0;
  run.n_directions = g_str_equal (assay_node_get_string (self->node, "direction"), "bidirectional")
                         ? 2
                         : 1;
  run.steps = (gsize) run.x->dims[run.batch_first ? 1 : 0];
  run.batch = (gsize) run.x->dims[run.batch_first ? 0 : 1];
  run.inputs = (gsize) run.x->dims[2];
  run.hidden = cell.hidden = (gsize) run.r->dims[2];
  run.lengths = assay_kernel_input (self, 4);
  if (!check_shapes (&run, initial_cell, peephole, error))
    return FALSE;

  directions = run.n_directions;
  batch = (gint64) run.batch;
  steps = (gint64) run.steps;
  hidden = (gint64) run.hidden;
  if (run.batch_first)
    {
      run.y = make_output (&run, 0, 4, (gint64[]){ batch, steps, directions, hidden }, &ok, error);
      run.yh = make_output (&run, 1, 3, (gint64[]){ batch, directions, hidden }, &ok, error);
      run.yc = make_output (&run, 2, 3, (gint64[]){ batch, directions, hidden }, &ok, error);
    }
  else
    {
      run.y = make_output (&run, 0, 4, (gint64[]){ steps, directions, batch, hidden }, &ok, error);
      run.yh = make_output (&run, 1, 3, (gint64[]){ directions, batch, hidden }, &ok, error);
      run.yc = make_output (&run, 2, 3, (gint64[]){ directions, batch, hidden }, &ok, error);
    }
  if (!ok)
    return FALSE;

  cell.clip = INFINITY;
  assay_node_find_float (self->node, "clip", &cell.clip);
  /* As ONNX Runtime; of the others none is negative. */
  if (cell.clip < 0)
    cell.clip = INFINITY;
  cell.input_forget = cell.op == ASSAY_OP_LSTM &&
                      assay_node_get_int (self->node, "input_forget") != 0;
  cell.linear_before_reset = cell.op == ASSAY_OP_GRU &&
                             assay_node_get_int (self->node, "linear_before_reset") != 0;

  return run_all (&run, &cell, initial_cell, peephole, error);
}
