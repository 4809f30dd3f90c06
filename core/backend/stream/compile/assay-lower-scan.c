/* assay-lower-scan.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Scan whose scanned axis became time: its body once, its states in windows of one vector.
 */
#include <string.h>

#include "backend/stream/compile/assay-lower-private.h"

#include "base/assay-sentence.h"

typedef struct
{
  const AssayRegion *body;
  guint n_states;
  AssayLirId **windows; /* per state and vector */
} Scan;

static AssayValueId
body_input (const Scan *scan, guint index)
{
  return g_array_index (scan->body->inputs, AssayValueId, index);
}

static AssayValueId
body_output (const Scan *scan, guint index)
{
  return g_array_index (scan->body->outputs, AssayValueId, index);
}

/* What a vector of a state starts from; nothing if all of it is zero. */
static AssayLirOperand
initial_vector (AssayLower *self, AssayLowTensor *initial, AssayLowTensor *state, guint32 vector)
{
  AssayLirOperand operand = assay_lower_operand (self, initial, state, vector);

  if (operand.kind == ASSAY_LIR_IMMEDIATE && operand.value == 0)
    operand.kind = ASSAY_LIR_NONE;

  return operand;
}

/* Gives the body the states that the inference before has left. */
static gboolean
read_state (AssayLower *self, Scan *scan, guint index, GError **error)
{
  AssayValueId id = body_input (scan, index);
  AssayLowTensor *initial = assay_lower_input (self, index);
  AssayLowTensor *state = &self->tensors[id];

  if (initial == NULL || initial->vectors != NULL)
    return assay_lower_refuse (self, error, "initial state %u must be constant", index);
  if (!assay_lower_describe (self, id, error))
    return FALSE;
  if (initial->rank != state->rank)
    return assay_lower_refuse (self, error, "initial state %u has rank %u, in the body it has %u",
                               index, initial->rank, state->rank);

  state->vectors = assay_arena_alloc_n (self->lir->arena, state->n_vectors, sizeof (AssayLirId));
  scan->windows[index] = g_new (AssayLirId, state->n_vectors);
  for (guint32 v = 0; v < state->n_vectors; v++)
    {
      AssayLirId window = assay_lower_new_window (self, 1, state->lanes,
                                                  initial_vector (self, initial, state, v));

      scan->windows[index][v] = window;
      state->vectors[v] = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, state->lanes);
      assay_lower_emit (self, ASSAY_OPCODE_MOVE, state->vectors[v], ASSAY_ROUND_BF16,
                        assay_lir_use_old (window, 1), (AssayLirOperand){ 0 });
    }

  return TRUE;
}

/* A timestep of a scanned input is the input without the axis that became time, which has one
 * entry. */
static gboolean
read_scanned (AssayLower *self, Scan *scan, guint index, GError **error)
{
  AssayValueId id = body_input (scan, index);
  AssayLowTensor *whole = assay_lower_input (self, index);
  AssayLowTensor *part = &self->tensors[id];

  if (whole == NULL || !assay_lower_describe (self, id, error))
    return FALSE;
  if (whole->vectors == NULL || part->n_vectors != whole->n_vectors || part->lanes != whole->lanes)
    return assay_lower_refuse (
        self, error, "scanned input %u is constant or does not lie as its body needs it", index);
  part->vectors = whole->vectors;

  return TRUE;
}

/* The vectors of a result of the body; a constant is computed, so that it lies as what reads it. */
static AssayLirId *
result_vectors (AssayLower *self, AssayLowTensor *result, AssayLowTensor *as)
{
  AssayLirId *vectors;

  if (result->vectors != NULL)
    return result->vectors;

  vectors = assay_arena_alloc_n (self->lir->arena, as->n_vectors, sizeof (AssayLirId));
  for (guint32 v = 0; v < as->n_vectors; v++)
    {
      vectors[v] = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, as->lanes);
      assay_lower_emit (self, ASSAY_OPCODE_MOVE, vectors[v], ASSAY_ROUND_BF16,
                        assay_lower_operand (self, result, as, v), (AssayLirOperand){ 0 });
    }

  return vectors;
}

static gboolean
write_results (AssayLower *self, Scan *scan, GError **error)
{
  for (guint i = 0; i < scan->body->outputs->len; i++)
    {
      AssayValueId id = body_output (scan, i);
      AssayLowTensor *result = &self->tensors[id];
      AssayLowTensor *out = assay_lower_output (self, i);
      AssayLowTensor *as = i < scan->n_states ? &self->tensors[body_input (scan, i)] : out;
      AssayLirId *vectors;

      if (i >= scan->n_states && out == NULL)
        continue;
      if (!assay_lower_describe_result (self, id, error))
        return FALSE;

      if (result->vectors != NULL &&
          (as->n_vectors != result->n_vectors || as->lanes != result->lanes))
        return assay_lower_refuse (self, error, "result %u of its body does not lie as it has to",
                                   i);
      vectors = result_vectors (self, result, as);
      if (i >= scan->n_states)
        {
          memcpy (out->vectors, vectors, out->n_vectors * sizeof *vectors);
          continue;
        }
      for (guint32 v = 0; v < as->n_vectors; v++)
        assay_lower_emit (self, ASSAY_OPCODE_MOVE, scan->windows[i][v], ASSAY_ROUND_BF16,
                          assay_lir_use (vectors[v]), (AssayLirOperand){ 0 });
    }

  return TRUE;
}

static gboolean
lower_body (AssayLower *self, Scan *scan, GError **error)
{
  AssayNodeId id = self->id;

  for (guint i = 0; i < scan->body->inputs->len; i++)
    {
      if (!(i < scan->n_states ? read_state : read_scanned) (self, scan, i, error))
        return FALSE;
    }

  for (guint i = 0; i < scan->body->nodes->len; i++)
    {
      if (!assay_lower_node (self, g_array_index (scan->body->nodes, AssayNodeId, i), error))
        return FALSE;
    }

  self->id = id;
  self->node = assay_graph_node (self->graph, id);

  return write_results (self, scan, error);
}

static gboolean
has_backward (const AssayNode *node, const char *name)
{
  guint n;
  const gint64 *directions = assay_node_get_ints (node, name, &n);

  for (guint i = 0; i < n; i++)
    {
      if (directions[i] != 0)
        return TRUE;
    }

  return FALSE;
}

gboolean
assay_lower_scan (AssayLower *self, GError **error)
{
  const AssayAttr *attr = assay_node_find_attr (self->node, "body");
  gint64 n_scanned = assay_node_get_int (self->node, "num_scan_inputs");
  gint64 n_states = (gint64) self->node->n_inputs - n_scanned;
  g_autofree AssayLirId **windows = NULL;
  Scan scan = { 0 };
  gboolean done;

  if (attr == NULL || attr->kind != ASSAY_ATTR_GRAPH || n_scanned < 1 || n_states < 0)
    return assay_lower_refuse (self, error, "it has no body, or scans nothing");
  if (has_backward (self->node, "scan_input_directions") ||
      has_backward (self->node, "scan_output_directions"))
    return assay_lower_refuse (self, error, "it scans backwards; a stream goes forward");
  if (self->vanishing == NULL || self->vanishing[self->node->inputs[n_states]] < 0)
    return assay_lower_refuse (self, error,
                               "it needs the streaming transform along the axis that it scans");

  scan.body = assay_graph_region (self->graph, attr->u.region);
  scan.n_states = (guint) n_states;
  if (scan.body->inputs->len != self->node->n_inputs || scan.body->outputs->len < scan.n_states)
    return assay_lower_refuse (self, error, "its body takes %u input%s, it has %u",
                               scan.body->inputs->len, assay_plural (scan.body->inputs->len),
                               self->node->n_inputs);

  self->lir->reads_windows = TRUE;
  scan.windows = windows = g_new0 (AssayLirId *, scan.n_states + 1);
  done = lower_body (self, &scan, error);
  for (guint i = 0; i < scan.n_states; i++)
    g_free (windows[i]);

  return done;
}
