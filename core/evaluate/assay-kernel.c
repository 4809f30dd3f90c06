/* assay-kernel.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/assay-kernel.h"

#include <string.h>

#include "base/assay-sentence.h"
#include "evaluate/assay-evaluate-private.h"

/* Elements of the innermost loop that one thread takes at a time: long enough to pay for handing
 * them out, short enough to stop soon. */
#define WALK_GRAIN 32768

static void
set_error (AssayKernel *self, GError **error, const char *message)
{
  g_autofree char *path = assay_graph_node_path (self->graph, self->id);

  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s (%s): %s", path, self->node->op_type,
               message);
}

/**
 * assay_kernel_fail:
 * @self: a node
 * @error: return location for a #GError
 * @format: what is wrong, naming the input or attribute, its value, and what was expected
 * @...: arguments of @format
 *
 * Fails with %ASSAY_ERROR_INVALID in the name of the node.
 *
 * Returns: %FALSE
 */
gboolean
assay_kernel_fail (AssayKernel *self, GError **error, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  set_error (self, error, message);

  return FALSE;
}

/**
 * assay_kernel_fail_type:
 * @self: a node
 * @input: an input that is a tensor
 * @error: return location for a #GError
 *
 * Fails because the operation does not take elements of the type that an input has.
 *
 * Returns: %FALSE
 */
gboolean
assay_kernel_fail_type (AssayKernel *self, guint input, GError **error)
{
  return assay_kernel_fail (self, error,
                            "input %u has elements of type %s, which the operation does not take",
                            input, assay_dtype_name (self->inputs[input]->dtype));
}

/* A failure of a function that does not know the node. */
static void
prefix_error (AssayKernel *self, GError **error)
{
  g_autofree char *path = assay_graph_node_path (self->graph, self->id);

  g_prefix_error (error, "%s (%s): ", path, self->node->op_type);
}

static void
set_lacking (AssayKernel *self, GError **error)
{
  g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_MEMORY,
                       "not enough memory for what is computed on the way");
  prefix_error (self, error);
}

/**
 * assay_kernel_check:
 * @self: a node
 * @error: return location for a #GError
 *
 * Fails with %ASSAY_ERROR_CANCELLED if the user has asked to stop, and with %ASSAY_ERROR_MEMORY if
 * a thread had no room to compute in; for loops that last.
 *
 * Returns: whether to go on
 */
gboolean
assay_kernel_check (AssayKernel *self, GError **error)
{
  if (g_atomic_int_get (&self->lacks_memory))
    {
      set_lacking (self, error);
      return FALSE;
    }

  AssayProgress progress = ASSAY_PROGRESS_INIT (NULL, NULL, self->cancellable);

  if (self->evaluator->budget != NULL)
    assay_budget_look (self->evaluator->budget);

  return assay_progress_check (&progress, error);
}

/**
 * assay_kernel_max_turns:
 * @self: a node
 *
 * Tells how many turns a loop may take whose turns the model does not count.
 *
 * Returns: the number
 */
gint64
assay_kernel_max_turns (AssayKernel *self)
{
  gint64 most = self->evaluator->options.max_turns;

  return most > 0 ? most : ASSAY_EVALUATE_MAX_TURNS;
}

/**
 * assay_kernel_input:
 * @self: a node
 * @input: index of an input
 *
 * Gets an input that may be omitted.
 *
 * Returns: (transfer none) (nullable): the input
 */
AssayDatum *
assay_kernel_input (AssayKernel *self, guint input)
{
  return input < self->n_inputs ? self->inputs[input] : NULL;
}

/**
 * assay_kernel_expect:
 * @self: a node
 * @input: an input that is there
 * @storage: type in memory, or %ASSAY_DTYPE_UNDEFINED for floating point numbers of any width
 * @min_rank: lowest rank
 * @max_rank: highest rank, -1 for any
 * @error: return location for a #GError
 *
 * Checks the type and rank of an input.
 *
 * Returns: whether they are as expected
 */
gboolean
assay_kernel_expect (AssayKernel *self, guint input, AssayDType storage, int min_rank, int max_rank,
                     GError **error)
{
  AssayDatum *datum = self->inputs[input];
  gboolean is_float = datum->storage == ASSAY_DTYPE_F32 || datum->storage == ASSAY_DTYPE_F64;

  if (storage == ASSAY_DTYPE_UNDEFINED ? !is_float : datum->storage != storage)
    return assay_kernel_fail_type (self, input, error);

  if ((int) datum->rank < min_rank || (max_rank >= 0 && (int) datum->rank > max_rank))
    return assay_kernel_fail (self, error, "input %u has rank %u, expected %d%s", input,
                              datum->rank, datum->rank < (guint) min_rank ? min_rank : max_rank,
                              datum->rank < (guint) min_rank ? " or more" : " or less");

  return TRUE;
}

/**
 * assay_kernel_expect_same:
 * @self: a node
 * @error: return location for a #GError
 *
 * Checks that all inputs have elements of the type of the first.
 *
 * Returns: whether they have
 */
gboolean
assay_kernel_expect_same (AssayKernel *self, GError **error)
{
  for (guint i = 1; i < self->n_inputs; i++)
    {
      AssayDatum *datum = self->inputs[i];

      if (datum != NULL &&
          (datum->storage != self->inputs[0]->storage || datum->dtype != self->inputs[0]->dtype))
        return assay_kernel_fail (
            self, error, "input %u has elements of type %s and input 0 of type %s", i,
            assay_dtype_name (datum->dtype), assay_dtype_name (self->inputs[0]->dtype));
    }

  return TRUE;
}

/**
 * assay_kernel_ints:
 * @self: a node
 * @input: an input that is there
 * @n: (out): number of integers
 * @error: return location for a #GError
 *
 * Gets the elements of a tensor of 64-bit integers, such as axes or a shape. How many dimensions it
 * may have stands in `constraints.def`.
 *
 * Returns: (transfer none) (nullable) (array length=n): the integers, not %NULL without an error
 */
const gint64 *
assay_kernel_ints (AssayKernel *self, guint input, guint *n, GError **error)
{
  static const gint64 nothing = 0;

  if (!assay_kernel_expect (self, input, ASSAY_DTYPE_I64, 0, -1, error))
    return NULL;

  *n = (guint) MIN (self->inputs[input]->n, G_MAXUINT);

  return self->inputs[input]->n > 0 ? self->inputs[input]->data : &nothing;
}

/**
 * assay_kernel_axis:
 * @self: a node
 * @axis: an axis, which counts from the end if it is negative
 * @rank: number of dimensions
 * @result: (out): the axis, counted from the beginning
 * @error: return location for a #GError
 *
 * Checks an axis.
 *
 * Returns: whether there is such an axis
 */
gboolean
assay_kernel_axis (AssayKernel *self, gint64 axis, guint rank, guint *result, GError **error)
{
  if (axis < -(gint64) rank || axis >= (gint64) rank)
    return assay_kernel_fail (self, error, "axis %" G_GINT64_FORMAT " of a tensor of rank %u", axis,
                              rank);

  *result = (guint) (axis < 0 ? axis + rank : axis);

  return TRUE;
}

/**
 * assay_kernel_node_axis:
 * @self: a node
 * @rank: number of dimensions
 * @result: (out): the axis, counted from the front
 * @error: return location for a #GError
 *
 * Reads the attribute `axis`.
 *
 * Returns: whether it is in range
 */
gboolean
assay_kernel_node_axis (AssayKernel *self, guint rank, guint *result, GError **error)
{
  return assay_kernel_axis (self, assay_node_get_int (self->node, "axis"), rank, result, error);
}

/**
 * assay_kernel_wants:
 * @self: a node
 * @output: index of an output
 *
 * Tells whether an output is wanted.
 *
 * Returns: whether it has to be set
 */
gboolean
assay_kernel_wants (AssayKernel *self, guint output)
{
  return output < self->n_outputs && self->node->outputs[output] != ASSAY_NO_VALUE;
}

/**
 * assay_kernel_output:
 * @self: a node
 * @output: index of an output that the node has
 * @dtype: element type in the sense of ONNX
 * @rank: number of dimensions
 * @dims: (array length=rank): the dimensions
 * @error: return location for a #GError
 *
 * Makes an output, to be filled.
 *
 * Returns: (transfer none) (nullable): the output, in the storage type of @dtype
 */
AssayDatum *
assay_kernel_output (AssayKernel *self, guint output, AssayDType dtype, guint rank,
                     const gint64 *dims, GError **error)
{
  AssayDatum *datum = assay_datum_new_in (
      self->evaluator->memory, dtype, assay_datum_storage (dtype, self->wide), rank, dims, error);

  if (datum == NULL)
    prefix_error (self, error);
  else
    assay_kernel_take (self, output, datum);

  return datum;
}

/**
 * assay_kernel_output_like:
 * @self: a node
 * @output: index of an output that the node has
 * @input: index of an input of the same type and shape
 * @error: return location for a #GError
 *
 * Makes an output of the type and shape of an input, to be filled; it may be the input itself, if
 * nobody else reads that any more, so an element must be read before the same one is written.
 *
 * Returns: (transfer none) (nullable): the output
 */
AssayDatum *
assay_kernel_output_like (AssayKernel *self, guint output, guint input, GError **error)
{
  AssayDatum *like = self->inputs[input];

  for (guint i = 0; i < self->n_dying; i++)
    {
      if (self->dying[i] == self->node->inputs[input] && assay_datum_is_exclusive (like) &&
          like->storage != ASSAY_DTYPE_STRING && output < 64)
        {
          self->in_place |= G_GUINT64_CONSTANT (1) << output;
          assay_kernel_take (self, output, assay_datum_ref (like));
          return like;
        }
    }

  return assay_kernel_output (self, output, like->dtype, like->rank, like->dims, error);
}

/**
 * assay_kernel_output_view:
 * @self: a node
 * @output: index of an output that the node has
 * @input: index of an input
 * @rank: number of dimensions
 * @dims: (array length=rank): the dimensions, of as many elements
 * @error: return location for a #GError
 *
 * Makes an output of the elements of an input in another shape, without copying.
 *
 * Returns: whether the shape has as many elements
 */
gboolean
assay_kernel_output_view (AssayKernel *self, guint output, guint input, guint rank,
                          const gint64 *dims, GError **error)
{
  AssayDatum *datum = assay_datum_new_view (self->inputs[input], rank, dims, error);

  if (datum == NULL)
    {
      prefix_error (self, error);
      return FALSE;
    }

  assay_kernel_take (self, output, datum);

  return TRUE;
}

/**
 * assay_kernel_take:
 * @self: a node
 * @output: index of an output that the node has
 * @datum: (transfer full): its value
 *
 * Sets an output.
 */
void
assay_kernel_take (AssayKernel *self, guint output, AssayDatum *datum)
{
  g_assert (output < self->n_outputs);

  g_clear_pointer (&self->outputs[output], assay_datum_unref);
  self->outputs[output] = datum;
}

/**
 * assay_kernel_tensor:
 * @self: a node
 * @dtype: element type in the sense of ONNX
 * @storage: type in memory
 * @rank: number of dimensions
 * @dims: (array length=rank): the dimensions
 * @error: return location for a #GError
 *
 * Makes a tensor to compute with, to be filled; it counts among what the run may take.
 *
 * Returns: (transfer full) (nullable): the tensor
 */
AssayDatum *
assay_kernel_tensor (AssayKernel *self, AssayDType dtype, AssayDType storage, guint rank,
                     const gint64 *dims, GError **error)
{
  return assay_datum_new_in (self->evaluator->memory, dtype, storage, rank, dims, error);
}

/**
 * assay_kernel_scratch:
 * @self: a node
 * @storage: type in memory
 * @n: number of elements
 * @error: (nullable): return location for a #GError
 *
 * Makes memory to compute in, undefined at first; in a thread as assay_kernel_allocate() does.
 *
 * Returns: (transfer full) (nullable): a tensor of one dimension
 */
AssayDatum *
assay_kernel_scratch (AssayKernel *self, AssayDType storage, gsize n, GError **error)
{
  gint64 dim = (gint64) MIN (n, G_MAXSSIZE);
  AssayDatum *datum = assay_datum_new_in (self->evaluator->memory, storage, storage, 1, &dim,
                                          error);

  if (datum == NULL)
    {
      g_atomic_int_set (&self->lacks_memory, TRUE);
      prefix_error (self, error);
    }

  return datum;
}

/**
 * assay_kernel_allocate:
 * @self: a node
 * @n: number of elements
 * @size: bytes of one
 * @clear: whether they are zero at first
 * @error: (nullable): return location for a #GError
 *
 * Takes memory that depends on the extents of tensors. A thread that has nobody to tell gives no
 * @error and leaves its range out: the node fails afterwards.
 *
 * Returns: (transfer full) (nullable): the memory, for g_free(); never %NULL for no elements
 */
gpointer
assay_kernel_allocate (AssayKernel *self, gsize n, gsize size, gboolean clear, GError **error)
{
  gsize some = MAX (n, 1);
  gpointer block = clear ? g_try_malloc0_n (some, size) : g_try_malloc_n (some, size);

  if (block == NULL)
    {
      g_atomic_int_set (&self->lacks_memory, TRUE);
      set_lacking (self, error);
    }

  return block;
}

/* A range of a run that is watched. */
typedef struct
{
  AssayWorkFunc func;
  gpointer data;
  AssayBudget *budget;
} WatchedWork;

static void
run_watched (gpointer data, gsize begin, gsize end)
{
  WatchedWork *work = data;

  assay_budget_look (work->budget);
  work->func (work->data, begin, end);
}

/**
 * assay_kernel_parallel:
 * @self: a node
 * @n: number of items
 * @grain: items in one range, chosen by the shape alone so that results do not depend on the number
 * of threads
 * @func: (scope call): works on one range
 * @data: for @func
 *
 * Runs a loop over ranges of items in all threads. If the user has asked to stop, ranges are left
 * out; the evaluator then drops the results.
 */
void
assay_kernel_parallel (AssayKernel *self, gsize n, gsize grain, AssayWorkFunc func, gpointer data)
{
  WatchedWork watched = { func, data, self->evaluator->budget };
  gboolean is_watched = watched.budget != NULL;

  assay_workers_run (self->workers, n, MAX (grain, 1), is_watched ? run_watched : func,
                     is_watched ? &watched : data, self->cancellable);
}

typedef struct
{
  const AssayWalk *walk;
  AssayWalkFunc func;
  gpointer data;
} WalkWork;

static void
walk_rows (gpointer data, gsize begin, gsize end)
{
  WalkWork *work = data;

  assay_walk_run (work->walk, begin, end, work->func, work->data);
}

static void
walk_elements (gpointer data, gsize begin, gsize end)
{
  WalkWork *work = data;
  gssize offsets[ASSAY_WALK_OPERANDS] = { 0 };
  gssize strides[ASSAY_WALK_OPERANDS] = { 0 };

  for (guint i = 0; i < work->walk->n_operands; i++)
    {
      strides[i] = work->walk->strides[i][0];
      offsets[i] = work->walk->offsets[i] + (gssize) begin * strides[i];
    }

  work->func (work->data, end - begin, offsets, strides);
}

/**
 * assay_kernel_walk:
 * @self: a node
 * @walk: a walk, merged
 * @func: (scope call): runs a part of the innermost loop
 * @data: for @func
 *
 * Runs a walk in all threads.
 */
void
assay_kernel_walk (AssayKernel *self, const AssayWalk *walk, AssayWalkFunc func, gpointer data)
{
  WalkWork work = { walk, func, data };
  gsize inner = walk->dims[walk->rank - 1];

  if (walk->rank == 1)
    assay_kernel_parallel (self, inner, WALK_GRAIN, walk_elements, &work);
  else if (inner > 0)
    assay_kernel_parallel (self, assay_walk_rows (walk), MAX (WALK_GRAIN / inner, 1), walk_rows,
                           &work);
}

/**
 * assay_kernel_state:
 * @self: a node
 *
 * Gets what the kernel has kept at the node in an earlier run, such as packed weights.
 *
 * Returns: (transfer none) (nullable): the state
 */
gpointer
assay_kernel_state (AssayKernel *self)
{
  return self->evaluator->states[self->id].data;
}

/**
 * assay_kernel_set_state:
 * @self: a node
 * @state: (transfer full): what to keep at the node
 * @destroy: frees it
 *
 * Keeps something at the node for later runs, which may depend on attributes and on inputs that are
 * constant only.
 */
void
assay_kernel_set_state (AssayKernel *self, gpointer state, GDestroyNotify destroy)
{
  NodeState *slot = &self->evaluator->states[self->id];

  if (slot->destroy != NULL)
    slot->destroy (slot->data);
  slot->data = state;
  slot->destroy = destroy;
}

/**
 * assay_kernel_find_region:
 * @self: a node
 * @attribute: name of an attribute that holds a graph
 * @n_inputs: number of inputs that the graph is given
 * @n_outputs: number of outputs that it must have
 * @region: (out): the nested graph
 * @error: return location for a #GError
 *
 * Finds a nested graph of a node and checks that it takes and makes what the node means to.
 *
 * Returns: whether it does
 */
gboolean
assay_kernel_find_region (AssayKernel *self, const char *attribute, guint n_inputs, guint n_outputs,
                          AssayRegionId *region, GError **error)
{
  const AssayAttr *attr = assay_node_find_attr (self->node, attribute);
  const AssayRegion *graph;

  if (attr == NULL || attr->kind != ASSAY_ATTR_GRAPH)
    return assay_kernel_fail (self, error, "attribute %s: a graph was expected", attribute);

  *region = attr->u.region;
  graph = assay_graph_region (self->graph, *region);
  if (graph->inputs->len == n_inputs && graph->outputs->len == n_outputs)
    return TRUE;

  return assay_kernel_fail (self, error,
                            "attribute %s: the graph has %u input%s and %u output%s, expected %u "
                            "and %u",
                            attribute, graph->inputs->len, assay_plural (graph->inputs->len),
                            graph->outputs->len, assay_plural (graph->outputs->len), n_inputs,
                            n_outputs);
}

/**
 * assay_kernel_run_region:
 * @self: a node
 * @region: one of its nested graphs
 * @n_inputs: number of inputs
 * @inputs: (array length=n_inputs) (nullable): the inputs of the nested graph
 * @n_outputs: number of outputs
 * @outputs: (array length=n_outputs) (transfer full): where to put the first outputs of the nested
 * graph
 * @error: return location for a #GError
 *
 * Runs a nested graph. What it reads from outside is as it was when the node began.
 *
 * Returns: whether it could
 */
gboolean
assay_kernel_run_region (AssayKernel *self, AssayRegionId region, guint n_inputs,
                         AssayDatum *const *inputs, guint n_outputs, AssayDatum **outputs,
                         GError **error)
{
  return assay_kernel_check (self, error) &&
         assay_evaluator_run_region (self->evaluator, region, n_inputs, inputs, n_outputs, outputs,
                                     error);
}

/**
 * assay_kernel_seed:
 * @self: a node
 *
 * Gets the seed of a random operator: its attribute, or one of the run and the node.
 *
 * Returns: the seed
 */
guint64
assay_kernel_seed (AssayKernel *self)
{
  double seed;
  guint64 bits;

  if (!assay_node_find_float (self->node, "seed", &seed))
    return self->evaluator->options.seed * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15) + self->id;

  memcpy (&bits, &seed, sizeof bits);

  return bits;
}
