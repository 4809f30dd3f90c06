/* assay-fold-branch.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/pass/assay-fold-branch.h"

#include "base/assay-error.h"
#include "nnir/assay-graph-builder.h"
#include "nnir/assay-node-product.h"

/* What no input changes is computed before the model runs, within bounds: bytes of the results of a
 * node and of all, growth of large ones over what they are made of, and steps of arithmetic. What
 * takes few steps is computed at once, so that a node that cannot be computed stays one; the rest
 * when somebody asks for its elements, so that a check does not wait for it. */
#define MAX_BYTES ((gsize) 64 * 1024 * 1024)
#define MAX_GROWTH 4
#define FREE_BYTES ((gsize) 16 * 1024 * 1024)
#define MAX_BYTES_OF_ALL ((gsize) 512 * 1024 * 1024)
#define MAX_STEPS ((guint64) 1 << 32)
#define STEPS_AT_ONCE ((guint64) 1 << 20)
#define STEPS_AT_ONCE_OF_ALL ((guint64) 1 << 26)

/* A node on constants, as a graph of its own. Its results are made together when the first is asked
 * for. */
typedef struct
{
  GMutex lock;
  AssayGraph *graph;
  GPtrArray *results;
} Branch;

typedef struct
{
  Branch *branch;
  guint output;
} Part;

static void
branch_clear (gpointer data)
{
  Branch *self = data;

  g_clear_pointer (&self->results, g_ptr_array_unref);
  g_clear_pointer (&self->graph, assay_graph_unref);
  g_mutex_clear (&self->lock);
}

static void
part_free (gpointer data)
{
  Part *self = data;

  g_atomic_rc_box_release_full (self->branch, branch_clear);
  g_free (self);
}

static gboolean
branch_run (Branch *self, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  if (self->results == NULL)
    self->results = assay_evaluate_constant (self->graph, error);

  return self->results != NULL;
}

static GBytes *
part_load (AssayTensor *tensor, gpointer data, GError **error)
{
  Part *self = data;
  AssayTensor *result;

  if (!branch_run (self->branch, error))
    return NULL;

  result = g_ptr_array_index (self->branch->results, self->output);
  if (assay_tensor_get_dtype (result) != assay_tensor_get_dtype (tensor) ||
      assay_tensor_get_n_elements (result) != assay_tensor_get_n_elements (tensor))
    {
      g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                           "a constant has another type or size than was inferred");
      return NULL;
    }

  return assay_tensor_dup_bytes (result, error);
}

static gboolean
has_regions (const AssayNode *node)
{
  return (assay_op_get_info (node->op)->traits & ASSAY_OP_TRAIT_REGIONS) != 0;
}

/* Quantized weights stay beside what scales them: targets take both as one. */
static gboolean
is_wanted (const AssayNode *node)
{
  const AssayOpInfo *info = assay_op_get_info (node->op);

  return node->op != ASSAY_OP_OPAQUE && node->n_inputs > 0 && node->n_outputs > 0 &&
         (info->traits & (ASSAY_OP_TRAIT_RANDOM | ASSAY_OP_TRAIT_TRAINING)) == 0 &&
         !has_regions (node) && info->category != ASSAY_CATEGORY_QUANTIZATION;
}

/* Whether a node reads constants alone, and how many bytes they have. */
static gboolean
reads_constants (AssayRewriter *self, AssayNodeId id, gsize *n_bytes)
{
  const AssayNode *node = assay_graph_node (self->graph, id);

  for (guint i = 0; i < node->n_inputs; i++)
    {
      AssayValueId input = assay_rewriter_input (self, id, i);
      AssayTensor *tensor = assay_graph_constant (self->graph, input);

      if (input != ASSAY_NO_VALUE && (tensor == NULL || assay_tensor_is_absent (tensor)))
        return FALSE;
      *n_bytes += tensor != NULL ? assay_tensor_get_n_bytes (tensor) : 0;
    }

  return TRUE;
}

/* Adds up what the results hold; a type that is not known, or has no bytes, cannot be folded. */
static gboolean
measure_results (AssayRewriter *self, const AssayNode *node, gsize *n_elements, gsize *n_bytes)
{
  for (guint i = 0; i < node->n_outputs; i++)
    {
      const AssayType *type = node->outputs[i] == ASSAY_NO_VALUE
                                  ? NULL
                                  : assay_graph_value (self->graph, node->outputs[i])->type;
      gsize n, bytes;

      if (type == NULL)
        continue;
      if (!assay_type_count (type, &n) || assay_dtype_bits (type->dtype) < 8 ||
          !assay_dtype_byte_size (type->dtype, n, &bytes) || n > MAX_BYTES || bytes > MAX_BYTES)
        return FALSE;
      *n_elements += n;
      *n_bytes += bytes;
    }

  return TRUE;
}

static gsize
count_input (AssayRewriter *self, AssayNodeId id, guint index)
{
  AssayTensor *tensor = assay_graph_constant (self->graph, assay_rewriter_input (self, id, index));

  return tensor != NULL ? assay_tensor_get_n_elements (tensor) : 0;
}

static gint64
input_extent (AssayRewriter *self, AssayNodeId id, guint index, int axis)
{
  AssayTensor *tensor = assay_graph_constant (self->graph, assay_rewriter_input (self, id, index));
  int rank = tensor != NULL ? (int) assay_tensor_get_rank (tensor) : 0;

  axis += axis < 0 ? rank : 0;

  return axis >= 0 && axis < rank ? MAX (assay_tensor_get_dims (tensor)[axis], 1) : 1;
}

/* How many terms an element of the result is the sum of, at most; how often weights are used. */
static guint64
count_terms (AssayRewriter *self, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (self->graph, id);
  guint64 most = 1;

  switch (assay_op_get_info (node->op)->category)
    {
    case ASSAY_CATEGORY_ELEMENTWISE:
    case ASSAY_CATEGORY_ACTIVATION:
    case ASSAY_CATEGORY_NORMALIZATION:
    case ASSAY_CATEGORY_REDUCTION:
    case ASSAY_CATEGORY_SHAPE:
    case ASSAY_CATEGORY_INDEXING:
    case ASSAY_CATEGORY_LOGIC:
      return 1;
    case ASSAY_CATEGORY_CONVOLUTION:
      return count_input (self, id, 1);
    case ASSAY_CATEGORY_RECURRENT:
      return count_input (self, id, 1) + count_input (self, id, 2);
    default:
      break;
    }
  if (node->op == ASSAY_OP_MatMul || node->op == ASSAY_OP_Gemm || node->op == ASSAY_OP_Linear)
    {
      AssayNodeProduct product = assay_node_get_product (node);
      AssayTensor *left = assay_graph_constant (self->graph,
                                                assay_rewriter_input (self, id, product.inputs[0]));
      int rank = left != NULL ? (int) assay_tensor_get_rank (left) : 0;

      return (guint64) input_extent (self, id, product.inputs[0],
                                     assay_node_product_contracted (&product, 0, rank));
    }

  for (guint i = 0; i < node->n_inputs; i++)
    most = MAX (most, count_input (self, id, i));

  return most;
}

/* Steps of arithmetic, G_MAXUINT64 for more than can be counted. */
static guint64
count_steps (AssayRewriter *self, AssayNodeId id, gsize n_results)
{
  const AssayNode *node = assay_graph_node (self->graph, id);
  guint64 terms = count_terms (self, id);
  guint64 steps;

  for (guint i = 0; i < node->n_inputs; i++)
    n_results += count_input (self, id, i);

  return __builtin_mul_overflow ((guint64) n_results, MAX (terms, 1), &steps) ? G_MAXUINT64 : steps;
}

/* Nothing in it belongs to the graph that it was taken from, which may go before it is needed. */
static AssayGraph *
copy_node (AssayRewriter *self, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (self->graph, id);
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  g_autofree AssayValueId *inputs = g_new0 (AssayValueId, node->n_inputs + 1);
  g_autofree AssayValueId *outputs = g_new0 (AssayValueId, node->n_outputs + 1);
  AssayNodeId copy;

  for (guint i = 0; i < node->n_inputs; i++)
    {
      AssayValueId input = assay_rewriter_input (self, id, i);

      if (input != ASSAY_NO_VALUE)
        inputs[i] = assay_graph_add_constant (graph, ASSAY_MAIN_REGION,
                                              assay_graph_value (self->graph, input)->name,
                                              assay_graph_constant (self->graph, input));
    }
  for (guint i = 0; i < node->n_outputs; i++)
    {
      const AssayValue *value = assay_graph_value (self->graph, node->outputs[i]);

      if (node->outputs[i] == ASSAY_NO_VALUE)
        continue;
      outputs[i] = assay_graph_add_value (graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT, value->name,
                                          value->type);
      assay_graph_add_output (graph, ASSAY_MAIN_REGION, outputs[i]);
    }
  copy = assay_graph_add_node (graph, ASSAY_MAIN_REGION, node->op, node->name, node->n_inputs,
                               inputs, node->n_outputs, outputs);
  assay_graph_set_attrs (graph, copy, node->n_attrs, node->attrs);
  for (guint i = 0; i < node->n_attrs; i++)
    if (node->attrs[i].kind == ASSAY_ATTR_TENSOR)
      assay_graph_keep_tensor (graph, assay_tensor_ref (node->attrs[i].u.tensor));

  return assay_graph_copy (graph);
}

static AssayTensor *
make_part (Branch *branch, guint output, const AssayType *type)
{
  Part *part = g_new (Part, 1);
  gint64 dims[ASSAY_MAX_RANK];

  for (int i = 0; i < type->rank; i++)
    dims[i] = type->dims[i].size;
  part->branch = g_atomic_rc_box_acquire (branch);
  part->output = output;

  return assay_tensor_new_lazy (type->dtype, (guint) type->rank, dims, part_load, part, part_free,
                                NULL);
}

/**
 * assay_fold_branch:
 * @rewriter: the graph and its state
 * @node: a node
 *
 * Makes constants of the results of a node that reads constants alone, whatever it computes, unless
 * that takes too many steps or bytes.
 *
 * Returns: whether its results are constants now
 */
gboolean
assay_fold_branch (AssayRewriter *rewriter, AssayNodeId node)
{
  const AssayNode *from = assay_graph_node (rewriter->graph, node);
  g_autoptr (GPtrArray)
      tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
  gsize n_elements = 0, n_bytes = 0, n_input_bytes = 0;
  guint64 steps;
  gboolean folded = TRUE;
  gboolean at_once;
  Branch *branch;

  if (!is_wanted (from) || !reads_constants (rewriter, node, &n_input_bytes) ||
      !measure_results (rewriter, from, &n_elements, &n_bytes) || n_bytes > MAX_BYTES ||
      (n_bytes > FREE_BYTES && n_bytes / MAX_GROWTH > n_input_bytes) ||
      rewriter->folded_bytes + n_bytes > MAX_BYTES_OF_ALL)
    return FALSE;
  steps = count_steps (rewriter, node, n_elements);
  if (steps > MAX_STEPS)
    return FALSE;
  at_once = steps <= STEPS_AT_ONCE && rewriter->folded_steps + steps <= STEPS_AT_ONCE_OF_ALL;
  rewriter->folded_steps += at_once ? steps : 0;
  rewriter->folded_bytes += n_bytes;

  branch = g_atomic_rc_box_new0 (Branch);
  g_mutex_init (&branch->lock);
  branch->graph = copy_node (rewriter, node);
  for (guint i = 0; i < from->n_outputs && folded; i++)
    if (from->outputs[i] != ASSAY_NO_VALUE)
      {
        g_autoptr (AssayTensor) tensor = make_part (
            branch, tensors->len, assay_graph_value (rewriter->graph, from->outputs[i])->type);
        gsize size;

        folded = tensor != NULL &&
                 (!at_once || assay_tensor_get_data (tensor, &size, NULL) != NULL ||
                  assay_tensor_get_n_elements (tensor) == 0);
        if (folded)
          g_ptr_array_add (tensors, g_steal_pointer (&tensor));
      }
  for (guint i = 0, part = 0; i < from->n_outputs && folded; i++)
    if (from->outputs[i] != ASSAY_NO_VALUE)
      assay_graph_edit_value (rewriter->graph, from->outputs[i])->constant =
          assay_graph_keep_tensor (rewriter->graph,
                                   assay_tensor_ref (g_ptr_array_index (tensors, part++)));
  g_atomic_rc_box_release_full (branch, branch_clear);

  return folded && tensors->len > 0;
}
