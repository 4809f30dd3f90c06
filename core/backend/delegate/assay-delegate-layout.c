/* assay-delegate-layout.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Where the delegate itself keeps each tensor, and what it has to move for that: from the first
 * node on, what a node makes lies as its operand does where the row allows it, in a texture where
 * the row has one, else in a buffer. An operand that lies otherwise than the row allows is moved
 * first. It knows no device: a texture that is larger than those of the device fails when it runs.
 */
#include "backend/delegate/assay-delegate-layout.h"

#include <string.h>

#include "backend/delegate/assay-delegate-predicate.h"
#include "base/assay-sentence.h"

/* What is taken where a tensor may lie in several ways, the first before all others. */
static const struct
{
  guint32 storage;
  const char *words;
} layouts[] = {
  { ASSAY_STORAGE_TEXTURE_W, "a texture packed along the width" },
  { ASSAY_STORAGE_TEXTURE_C, "a texture packed along the channels" },
  { ASSAY_STORAGE_TEXTURE_H, "a texture packed along the height" },
  { ASSAY_STORAGE_BUFFER, "a buffer" },
  { ASSAY_STORAGE_BUFFER_PACKED, "a buffer of another order" },
  { ASSAY_STORAGE_PACKED_INT8, "a buffer of packed bytes" },
};

typedef struct
{
  AssayCheck *check;
  guint32 *lies; /* per value: its one layout, 0 while nothing asks for one */
} Layouts;

static guint32
prefer (guint32 set)
{
  for (guint i = 0; i < G_N_ELEMENTS (layouts); i++)
    if ((set & layouts[i].storage) != 0)
      return layouts[i].storage;

  return 0;
}

static const char *
words_of (guint32 storage)
{
  for (guint i = 0; i < G_N_ELEMENTS (layouts); i++)
    if (storage == layouts[i].storage)
      return layouts[i].words;

  return "";
}

/* The layouts that a row has for an operand or a result and that fit it. */
static guint32
left_for (const Layouts *self, const AssayFeatures *features, gboolean is_output, guint index,
          AssayValueId value)
{
  gboolean own = is_output && features->n_out_storage > 0;
  guint n = own ? features->n_out_storage : features->n_storage;
  const guint32 *sets = own ? features->out_storage : features->storage;

  /* Results follow the first operand unless the registry says otherwise. */
  return assay_delegate_storage_left (self->check, value,
                                      sets[is_output && !own ? 0 : MIN (index, n - 1)]);
}

/* Whether the device has room for all that a node reads and makes; else it is rejected, and what it
 * makes comes from the host. */
static gboolean
fits_device (Layouts *self, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (self->check->graph, id);
  gboolean fits = TRUE;

  for (guint i = 0; i < node->n_inputs; i++)
    fits = fits &&
           (node->inputs[i] == ASSAY_NO_VALUE ||
            assay_graph_is_constant (self->check->graph, node->inputs[i]) ||
            assay_delegate_storage_fits (self->check, id, FALSE, i, self->lies[node->inputs[i]]));
  for (guint i = 0; i < node->n_outputs; i++)
    fits = fits &&
           (node->outputs[i] == ASSAY_NO_VALUE ||
            assay_delegate_storage_fits (self->check, id, TRUE, i, self->lies[node->outputs[i]]));
  for (guint i = 0; i < node->n_outputs && !fits; i++)
    if (node->outputs[i] != ASSAY_NO_VALUE)
      self->lies[node->outputs[i]] = 0;

  return fits;
}

/* Nodes that are done with one that the device has no room for are not done either. */
static void
reject_parts (AssayCheck *check)
{
  static const char *const reason = "Done with a node that the device has no room for";

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (check->graph); id++)
    {
      AssayVerdict *verdict = &g_array_index (check->result->verdicts, AssayVerdict, id);

      if (verdict->kind != ASSAY_VERDICT_FUSED || verdict->into == ASSAY_NO_NODE ||
          g_array_index (check->result->verdicts, AssayVerdict, verdict->into).kind !=
              ASSAY_VERDICT_REJECTED)
        continue;
      verdict->earlier = assay_arena_memdup (check->arena, verdict, sizeof *verdict);
      verdict->kind = ASSAY_VERDICT_REJECTED;
      verdict->stage = ASSAY_STAGE_RUNTIME;
      verdict->rule = "device";
      verdict->reason = reason;
      verdict->into = ASSAY_NO_NODE;
      assay_check_add_cause (check, verdict, NULL, reason);
    }
}

static gboolean
place_node (Layouts *self, AssayNodeId id)
{
  AssayVerdict *verdict = &g_array_index (self->check->result->verdicts, AssayVerdict, id);
  const AssayNode *node = assay_graph_node (self->check->graph, id);
  const AssayFeatures *features = verdict->granted != NULL ? &verdict->granted->features : NULL;
  AssayValueId first = assay_node_input (node, 0);
  AssayValueId made = assay_node_output (node, 0);
  g_autoptr (GString) text = g_string_new (NULL);

  verdict->layout = NULL;
  verdict->moved = 0;
  if (verdict->kind < ASSAY_VERDICT_FUSED || verdict->kind == ASSAY_VERDICT_REMOVED ||
      made == ASSAY_NO_VALUE)
    return TRUE;
  /* What is a part of another node lies as what that makes. */
  if (features == NULL || features->n_storage == 0)
    {
      self->lies[made] = first != ASSAY_NO_VALUE ? self->lies[first] : 0;
      return TRUE;
    }
  for (guint i = 0; i < node->n_inputs; i++)
    {
      AssayValueId input = node->inputs[i];
      guint32 set = input != ASSAY_NO_VALUE && !assay_graph_is_constant (self->check->graph, input)
                        ? left_for (self, features, FALSE, i, input)
                        : 0;

      if (set == 0 || (self->lies[input] & set) != 0)
        continue;
      if (self->lies[input] != 0)
        {
          guint64 bytes = assay_delegate_value_bytes (self->check, input);

          verdict->moved += bytes;
          g_string_append_printf (text, "; %s moves from %s to %s, %" G_GUINT64_FORMAT " byte%s",
                                  assay_graph_value (self->check->graph, input)->name,
                                  words_of (self->lies[input]), words_of (prefer (set)), bytes,
                                  assay_plural (bytes));
        }
      self->lies[input] = prefer (set);
    }
  for (guint i = 0; i < node->n_outputs; i++)
    if (node->outputs[i] != ASSAY_NO_VALUE)
      {
        guint32 set = left_for (self, features, TRUE, i, node->outputs[i]);
        guint32 same = first != ASSAY_NO_VALUE ? self->lies[first] & set : 0;

        self->lies[node->outputs[i]] = same != 0 ? same : prefer (set);
      }
  g_string_prepend (text, words_of (self->lies[made]));
  if (text->len > 0)
    verdict->layout = assay_arena_intern (self->check->arena, text->str);

  return fits_device (self, id);
}

/**
 * assay_delegate_layouts_find:
 * @check: a check whose nodes have their verdicts
 *
 * Finds where the delegate keeps what each node makes, and what it moves for that. Nodes for which
 * the device has no room are rejected, and leave what lies behind them to begin anew.
 */
void
assay_delegate_layouts_find (AssayCheck *check)
{
  const GArray *order = assay_graph_region (check->graph, ASSAY_MAIN_REGION)->nodes;
  g_autofree guint32 *lies = g_new0 (guint32, assay_graph_n_values (check->graph));
  Layouts self = { check, lies };
  gboolean fits;

  do
    {
      fits = TRUE;
      memset (lies, 0, assay_graph_n_values (check->graph) * sizeof *lies);
      for (guint i = 0; i < order->len; i++)
        fits = place_node (&self, g_array_index (order, AssayNodeId, i)) && fits;
      if (!fits)
        reject_parts (check);
    }
  while (!fits);
}
