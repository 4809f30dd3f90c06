/* test-dpu-tables.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the host does to each element between two maps is looked up: the same bits as in floats, for
 * every operation of the evaluator that works so, and for all numbers of 8 bits.
 */
#include <math.h>
#include <string.h>

#include "backend/assay-executor.h"
#include "backend/dpu/assay-dpu-program.h"
#include "backend/dpu/assay-dpu-tables.h"

#include "graphs.h"
#include "test-graph.h"
#include "test-models.h"
#include "test-program.h"

#define SHAPE "1,3,16,16"
#define N_CHANNELS 3
#define N_PLANE 256
#define N (N_CHANNELS * N_PLANE)
#define SCALE 0.03125f

/* Operands beside the one that is computed. */
typedef enum
{
  NONE,
  RIGHT,
  LEFT,
  PER_CHANNEL,
  PER_COLUMN,
  TWICE,
  TWO_BOUNDS,
  UPPER_BOUND,
  N_FORMS
} Form;

static AssayValueId
numbers (AssayGraph *graph, guint rank, const gint64 *dims, const float *values)
{
  g_autoptr (AssayTensor) tensor = assay_tensor_new_f32 (rank, dims, values);

  return assay_graph_add_constant (graph, ASSAY_MAIN_REGION, "numbers", tensor);
}

/* Eight bits of @scale and back. */
static AssayValueId
positioned (AssayGraph *graph, AssayValueId value, float scale)
{
  const guint8 none = 0;
  g_autoptr (GBytes) bytes = g_bytes_new (&none, 1);
  g_autoptr (AssayTensor) tensor = assay_tensor_new (ASSAY_DTYPE_I8, 0, NULL, bytes, NULL);
  AssayValueId zero = assay_graph_add_constant (graph, ASSAY_MAIN_REGION, "zero", tensor);
  AssayValueId by = numbers (graph, 0, NULL, &scale);
  AssayValueId q = op (graph, ASSAY_OP_QuantizeLinear, SHAPE, value, by, zero);

  assay_graph_edit_value (graph, q)->type = assay_type_new_fixed (
      graph->arena, ASSAY_DTYPE_I8, 4, (const gint64[]){ 1, N_CHANNELS, 16, 16 });

  return op (graph, ASSAY_OP_DequantizeLinear, SHAPE, q, by, zero);
}

static AssayValueId
apply (AssayGraph *graph, AssayOp what, Form form, AssayValueId x)
{
  static const float bounds[] = { -0.7f, 1.3f };
  static const float values[16] = { 0.3f, -1.7f, 2.1f };
  AssayValueId one = form == RIGHT || form == LEFT ? numbers (graph, 0, NULL, values) : 0;

  switch (form)
    {
    case RIGHT:
      return op (graph, what, SHAPE, x, one, 0);
    case LEFT:
      return op (graph, what, SHAPE, one, x, 0);
    case PER_CHANNEL:
      return op (graph, what, SHAPE, x,
                 numbers (graph, 3, (const gint64[]){ N_CHANNELS, 1, 1 }, values), 0);
    case PER_COLUMN:
      return op (graph, what, SHAPE, x, numbers (graph, 1, (const gint64[]){ 16 }, values), 0);
    case TWICE:
      return op (graph, what, SHAPE, x, x, 0);
    case TWO_BOUNDS:
      return op (graph, what, SHAPE, x, numbers (graph, 0, NULL, &bounds[0]),
                 numbers (graph, 0, NULL, &bounds[1]));
    case UPPER_BOUND:
      return op (graph, what, SHAPE, x, ASSAY_NO_VALUE, numbers (graph, 0, NULL, &bounds[1]));
    default:
      return op (graph, what, SHAPE, x, 0, 0);
    }
}

/* A sum, the node with one of the host behind it, and a sum: the sums are of the device. */
static AssayProgram *
build (AssayTarget *target, AssayOp what, Form form)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  AssayValueId x = positioned (graph, input (graph, "x", SHAPE), SCALE);
  AssayValueId y = positioned (graph, op (graph, ASSAY_OP_Add, SHAPE, x, x, 0), 2 * SCALE);
  g_autoptr (AssayWork) work = NULL;
  AssayProgram *program;

  y = apply (graph, what, form, y);
  y = positioned (graph, op (graph, ASSAY_OP_Neg, SHAPE, y, 0, 0), SCALE);
  y = positioned (graph, op (graph, ASSAY_OP_Add, SHAPE, y, y, 0), 2 * SCALE);
  assay_graph_add_output (graph, ASSAY_MAIN_REGION, y);
  work = assay_work_new_for_graph (NULL, graph, target, NULL);
  program = assay_work_get_program (work, NULL, NULL);

  return program != NULL ? g_object_ref (program) : NULL;
}

static gboolean
ignore (AssayValueId value, gint64 step, AssayTensor *tensor, gpointer user_data, GError **error)
{
  return TRUE;
}

static gboolean
run (AssayProgram *program, const AssayExecutorOptions *options, const AssayRunObserver *observer,
     const float *in, float *out)
{
  g_autoptr (AssayExecutor) executor = assay_executor_new (program, options, NULL);

  g_assert_nonnull (executor);
  if (observer != NULL)
    assay_executor_watch (executor, observer);

  return assay_executor_run (executor, 0, 0, &in, &out, NULL, NULL);
}

/* How many of the steps to 8 bits are looked up. */
static guint
count_tables (AssayProgram *program)
{
  const AssayDpuCode *code = assay_dpu_program_get_code (ASSAY_DPU_PROGRAM (program));
  AssayEvaluateOptions options = ASSAY_EVALUATE_OPTIONS_DEFAULT;
  g_autoptr (AssayEvaluator) evaluator = assay_evaluator_new (code->graph, &options, NULL);
  g_autoptr (AssayDpuTables) tables = assay_dpu_tables_new (code, evaluator, ASSAY_ROUNDING_UP);
  guint n = 0;

  for (guint i = 0; i < code->ops->len; i++)
    n += assay_dpu_tables_source (tables, i) != ASSAY_DPU_NO_MAP;

  return n;
}

/* Returns how many tables there were; what is shown is computed in floats. */
static guint
compare (AssayTarget *target, AssayOp what, Form form)
{
  static const AssayRunObserver observer = { .func = ignore };
  g_autoptr (AssayProgram) program = build (target, what, form);
  float in[N], looked_up[N] = { 0 }, computed[N] = { 0 };
  guint n;

  if (program == NULL)
    return 0;
  for (guint i = 0; i < N; i++)
    in[i] = SCALE * (float) ((int) (i * 7 % 256) - 128);
  n = count_tables (program);
  for (int quantiser = 0; n > 0 && quantiser < 2; quantiser++)
    {
      const AssayExecutorOptions options = { .quantiser = quantiser, .n_threads = 1 };

      g_assert_true (run (program, &options, NULL, in, looked_up));
      g_assert_true (run (program, &options, &observer, in, computed));
      if (memcmp (looked_up, computed, sizeof computed) != 0)
        g_error ("%s in form %d: what is looked up differs", assay_op_name (what), (int) form);
    }

  return n;
}

/* Some of these tell what is expected: whether a table takes the place of the node. */
static void
test_every_operation (void)
{
  static const struct
  {
    AssayOp op;
    Form form;
    gboolean looked_up;
  } known[] = { { ASSAY_OP_Add, RIGHT, TRUE },       { ASSAY_OP_Sub, LEFT, TRUE },
                { ASSAY_OP_Max, PER_CHANNEL, TRUE }, { ASSAY_OP_Add, PER_COLUMN, FALSE },
                { ASSAY_OP_Clip, TWO_BOUNDS, TRUE }, { ASSAY_OP_Clip, UPPER_BOUND, TRUE },
                { ASSAY_OP_Sigmoid, NONE, TRUE },    { ASSAY_OP_Log, NONE, TRUE },
                { ASSAY_OP_Div, TWICE, TRUE },       { ASSAY_OP_HardSwish, NONE, TRUE },
                { ASSAY_OP_Softmax, NONE, FALSE },   { ASSAY_OP_PRelu, PER_CHANNEL, TRUE } };
  g_autoptr (AssayTarget) target = load_target ("dpu_zdx8g_b512");
  guint n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if ((compare (target, known[i].op, known[i].form) > 0) != known[i].looked_up)
      g_error ("%s in form %d: %s", assay_op_name (known[i].op), (int) known[i].form,
               known[i].looked_up ? "no table" : "a table");
  for (AssayOp i = 0; i < ASSAY_N_OPS; i++)
    {
      const AssayOpInfo *info = assay_op_get_info (i);

      if ((info->traits & ASSAY_OP_TRAIT_UNARY_MAP) != 0 && info->min_inputs == 1)
        n += compare (target, i, NONE) > 0;
      if ((info->traits & ASSAY_OP_TRAIT_BROADCAST) != 0 && info->max_inputs >= 2)
        for (Form form = RIGHT; form <= TWICE; form++)
          n += compare (target, i, form) > 0;
    }
  g_test_message ("%u forms are looked up", n);
  g_assert_cmpuint (n, >=, 60);
}

TEST_PROGRAM (dpu_tables)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/dpu/tables/every-operation", test_every_operation);

  return g_test_run ();
}
