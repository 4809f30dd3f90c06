/* assay-lower-ports.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What goes into a program and comes out of it.
 */
#include "backend/stream/compile/assay-lower-ports.h"

#include "base/assay-error.h"

/**
 * assay_lower_is_unread:
 * @graph: a canonical graph
 * @uses: who reads what in it
 * @id: a value
 *
 * Tells whether a value is an input that nothing depends on, whose elements may be anything.
 *
 * Returns: whether it is
 */
gboolean
assay_lower_is_unread (const AssayGraph *graph, const AssayUses *uses, AssayValueId id)
{
  return assay_graph_value (graph, id)->kind == ASSAY_VALUE_INPUT &&
         assay_uses_count (uses, id) == 0 && !assay_uses_is_output (uses, id);
}

/* Whether the nodes that read inputs know what they work on. */
static gboolean
is_settled (const AssayGraph *graph, const AssayUses *uses)
{
  const GArray *inputs = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs;

  for (guint i = 0; i < inputs->len; i++)
    {
      AssayValueId id = g_array_index (inputs, AssayValueId, i);

      if (!assay_lower_is_unread (graph, uses, id) &&
          !assay_type_is_static (assay_graph_value (graph, id)->type))
        return FALSE;
    }

  return TRUE;
}

/* A constant goes out as it is, and what nobody reads comes in, whatever its type: as numbers, even
 * if there are none. */
static AssayVerdictKind
judge_plain (const AssayValue *value)
{
  const AssayType *type = value->type;
  gsize n;

  if (type->kind == ASSAY_TYPE_KIND_UNKNOWN ||
      (type->kind == ASSAY_TYPE_KIND_TENSOR && type->dtype == ASSAY_DTYPE_UNDEFINED))
    return ASSAY_VERDICT_UNDECIDED;
  if (type->kind != ASSAY_TYPE_KIND_TENSOR || type->dtype == ASSAY_DTYPE_STRING ||
      assay_dtype_kind (type->dtype) == 'C')
    return ASSAY_VERDICT_REJECTED;
  if (!assay_type_is_static (type))
    return ASSAY_VERDICT_UNDECIDED;

  return assay_type_count (type, &n) && n <= G_MAXINT32 ? ASSAY_VERDICT_SUPPORTED
                                                        : ASSAY_VERDICT_REJECTED;
}

/* What goes out as it came in is stored in between; one axis may become time. */
static AssayVerdictKind
judge_passing (const AssayType *type, gboolean streams)
{
  int n_open = 0;

  if (type->kind == ASSAY_TYPE_KIND_UNKNOWN)
    return ASSAY_VERDICT_UNDECIDED;
  if (type->kind != ASSAY_TYPE_KIND_TENSOR || !assay_lower_is_run_time (type->dtype))
    return ASSAY_VERDICT_REJECTED;

  for (int i = 0; i < type->rank; i++)
    n_open += type->dims[i].size < 0;

  return type->rank < 0 || n_open > streams ? ASSAY_VERDICT_UNDECIDED : ASSAY_VERDICT_SUPPORTED;
}

/**
 * assay_lower_judge_port:
 * @graph: a canonical graph
 * @uses: who reads what in it
 * @id: an input or output of the main graph
 * @is_output: which of both
 * @streams: whether an axis becomes time
 * @verdict: (out): rejected, undecided, or supported where nodes have their say
 *
 * Tells whether an input that no node reads, or an output that no node makes, can be transferred.
 * Check and compiler both ask this.
 *
 * Returns: (transfer full) (nullable): the reason, unless it can
 */
char *
assay_lower_judge_port (const AssayGraph *graph, const AssayUses *uses, AssayValueId id,
                        gboolean is_output, gboolean streams, AssayVerdictKind *verdict)
{
  const AssayValue *value = assay_graph_value (graph, id);
  gboolean constant = is_output ? assay_graph_is_constant (graph, id) : value->constant != NULL;
  gboolean passes = is_output && !constant && value->kind == ASSAY_VALUE_INPUT &&
                    assay_uses_count (uses, id) == 0;
  gboolean unread = !is_output && !constant && assay_lower_is_unread (graph, uses, id);
  g_autofree char *text = NULL;

  *verdict = ASSAY_VERDICT_SUPPORTED;
  if (passes)
    *verdict = judge_passing (value->type, streams);
  else if (unread || (is_output && constant))
    *verdict = judge_plain (value);
  if (unread && *verdict == ASSAY_VERDICT_UNDECIDED && !is_settled (graph, uses))
    *verdict = ASSAY_VERDICT_SUPPORTED;
  if (*verdict == ASSAY_VERDICT_SUPPORTED)
    return NULL;

  text = assay_type_to_string (value->type);

  return g_strdup_printf ("%s %s has type %s; %s", is_output ? "Output" : "Input", value->name,
                          text,
                          passes ? "what goes through is f32, f16, bf16 or bool of known extents"
                                 : "only numbers of known extents are transferred");
}

/**
 * assay_lower_check_ports:
 * @graph: a canonical graph
 * @uses: who reads what in it
 * @streams: whether an axis becomes time
 * @error: return location for a #GError
 *
 * Makes sure that inputs which no node reads and outputs which no node makes can be transferred.
 *
 * Returns: %FALSE with %ASSAY_ERROR_UNSUPPORTED if one cannot
 */
gboolean
assay_lower_check_ports (const AssayGraph *graph, const AssayUses *uses, gboolean streams,
                         GError **error)
{
  const AssayRegion *main = assay_graph_region (graph, ASSAY_MAIN_REGION);

  for (guint i = 0; i < main->inputs->len + main->outputs->len; i++)
    {
      gboolean is_output = i >= main->inputs->len;
      AssayValueId id = is_output
                            ? g_array_index (main->outputs, AssayValueId, i - main->inputs->len)
                            : g_array_index (main->inputs, AssayValueId, i);
      AssayVerdictKind verdict;
      g_autofree char *reason = id == ASSAY_NO_VALUE
                                    ? NULL
                                    : assay_lower_judge_port (graph, uses, id, is_output, streams,
                                                              &verdict);

      if (reason != NULL)
        {
          g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED, reason);
          return FALSE;
        }
    }

  return TRUE;
}

static void
add_port (AssayLower *self, AssayValueId id, gboolean fp32, GArray *ports)
{
  const AssayLowTensor *tensor = &self->tensors[id];
  int vanishing = self->vanishing == NULL ? -1 : self->vanishing[id];
  AssayPort port = {
    .name = assay_arena_intern (self->lir->arena, assay_graph_value (self->graph, id)->name),
    .streaming_dim = vanishing,
    .data_dim = tensor->data_dim,
    .lanes = tensor->lanes,
    .n_vectors = tensor->n_vectors,
    .fp32 = fp32,
  };
  gint64 *dims = assay_arena_alloc_n (self->lir->arena, tensor->rank + 1, sizeof *dims);

  for (guint i = 0; i < tensor->rank; i++)
    {
      if ((int) i != vanishing)
        dims[port.rank++] = tensor->dims[i];
    }
  if (vanishing >= 0 && port.data_dim > vanishing)
    port.data_dim--;
  port.dims = dims;
  g_array_append_val (ports, port);
}

/**
 * assay_lower_add_input:
 * @self: the lowering
 * @id: an input of the model that is described
 *
 * Makes a port of an input, and the vectors that it is received into.
 */
void
assay_lower_add_input (AssayLower *self, AssayValueId id)
{
  AssayLowTensor *tensor = &self->tensors[id];
  const char *name = assay_graph_value (self->graph, id)->name;
  gboolean kept = assay_choices_keeps_input (self->choices, id);

  tensor->vectors = assay_arena_alloc_n (self->lir->arena, tensor->n_vectors, sizeof (AssayLirId));
  for (guint32 v = 0; v < tensor->n_vectors; v++)
    {
      AssayLirVector *vector;

      tensor->vectors[v] = assay_lir_add_vector (self->lir, ASSAY_STORE_TENSOR, ASSAY_TENSOR_INPUT,
                                                 name, 0, tensor->lanes);
      vector = assay_lir_vector (self->lir, tensor->vectors[v]);
      vector->fp32 = vector->kept = kept;
      vector->home = assay_lower_home (self);
      assay_lir_add_op (self->lir, ASSAY_OPCODE_INPUT, 0, tensor->vectors[v], tensor->lanes,
                        kept ? ASSAY_ROUND_F32 : ASSAY_ROUND_BF16);
    }
  add_port (self, id, kept, self->lir->inputs);
}

/* Vectors that are set to the elements of a constant, in fp32, which is what the port transfers. */
static void
load_constant (AssayLower *self, AssayValueId id)
{
  AssayLowTensor *tensor = &self->tensors[id];
  const char *name = assay_graph_value (self->graph, id)->name;
  gsize n = assay_tensor_get_n_elements (tensor->constant);

  tensor->data_dim = tensor->rank > 0 && n > 0 ? (int) tensor->rank - 1 : -1;
  tensor->lanes = tensor->data_dim >= 0 ? (guint32) tensor->dims[tensor->data_dim] : 1;
  tensor->n_vectors = (guint32) (n / tensor->lanes);
  tensor->vectors = assay_arena_alloc_n (self->lir->arena, tensor->n_vectors + 1,
                                         sizeof (AssayLirId));

  for (guint32 v = 0; v < tensor->n_vectors; v++)
    {
      gint64 index[ASSAY_MAX_RANK];
      AssayLirVector *vector;
      AssayLirOp *op;

      assay_lower_index (tensor, v, index);
      tensor->vectors[v] = assay_lir_add_vector (self->lir, ASSAY_STORE_TENSOR,
                                                 ASSAY_TENSOR_ACTIVATION, name, 0, tensor->lanes);
      vector = assay_lir_vector (self->lir, tensor->vectors[v]);
      vector->fp32 = vector->kept = TRUE;
      vector->home = assay_lower_home (self);
      op = assay_lir_add_op (self->lir, ASSAY_OPCODE_MOVE, 0, tensor->vectors[v], tensor->lanes,
                             ASSAY_ROUND_F32);
      op->a = assay_lower_constant (self, tensor, tensor, index);
      op->a.exact = TRUE;
    }
}

/**
 * assay_lower_add_output:
 * @self: the lowering
 * @id: an output of the model
 * @error: return location for a #GError
 *
 * Makes a port of an output, and sends its vectors.
 *
 * Returns: %FALSE with %ASSAY_ERROR_UNSUPPORTED if there is nothing to send
 */
gboolean
assay_lower_add_output (AssayLower *self, AssayValueId id, GError **error)
{
  AssayLowTensor *tensor = &self->tensors[id];
  gboolean fp32 = FALSE;

  if (tensor->vectors == NULL)
    {
      if (!assay_lower_describe (self, id, error))
        return FALSE;
      load_constant (self, id);
    }
  else if (!assay_lower_check_computed (self, id, error))
    return FALSE;

  for (guint32 v = 0; v < tensor->n_vectors; v++)
    {
      AssayLirOp *op = assay_lir_add_op (self->lir, ASSAY_OPCODE_OUTPUT, 0, 0, tensor->lanes,
                                         ASSAY_ROUND_BF16);

      op->a = assay_lir_use (tensor->vectors[v]);
      fp32 = fp32 || assay_lir_vector (self->lir, tensor->vectors[v])->kept;
    }
  add_port (self, id, fp32, self->lir->outputs);

  return TRUE;
}
