/* assay-rewrite-hold-input.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "evaluate/assay-datum.h"
#include "fix/assay-rewrite-private.h"
#include "nnir/assay-graph-builder.h"

/* Switches have few positions; a model that compares with more than this does something else. */
#define MAX_POSITIONS 8

static gboolean
is_switch (const AssayValue *value)
{
  gsize n;

  return value->type->kind == ASSAY_TYPE_KIND_TENSOR && assay_type_is_static (value->type) &&
         assay_type_count (value->type, &n) && n == 1 &&
         (assay_dtype_is_integer (value->type->dtype) || value->type->dtype == ASSAY_DTYPE_BOOL);
}

static void
add_position (GArray *positions, gint64 position)
{
  for (guint i = 0; i < positions->len; i++)
    if (g_array_index (positions, gint64, i) == position)
      return;
  g_array_append_val (positions, position);
}

/* Yes and no. */
static void
add_truths (GArray *positions)
{
  add_position (positions, 1);
  add_position (positions, 0);
}

/* The constants that a value is compared with, also in nested graphs and behind conversions; what
 * becomes a condition is held against zero. */
static void
collect_positions (const AssayProposals *proposals, AssayValueId value, GArray *positions,
                   guint depth)
{
  const AssayGraph *graph = proposals->graph;
  guint n;
  const AssayNodeId *readers = assay_uses_get (proposals->uses, value, &n);

  for (guint i = 0; i < n && depth < 8; i++)
    {
      const AssayNode *node = assay_graph_node (graph, readers[i]);
      AssayOpCategory category = assay_op_get_info (node->op)->category;

      if (category == ASSAY_CATEGORY_LOGIC && node->n_inputs == 2)
        {
          AssayValueId other = node->inputs[node->inputs[0] == value];
          AssayTensor *tensor = assay_graph_constant (graph, other);
          gint64 position;

          if (tensor != NULL && assay_tensor_get_n_elements (tensor) == 1 &&
              assay_tensor_get_integer (tensor, 0, &position, NULL))
            add_position (positions, position);
        }
      else if (node->op == ASSAY_OP_Cast || node->op == ASSAY_OP_Identity ||
               category == ASSAY_CATEGORY_SHAPE)
        {
          const AssayType *type = assay_graph_value (graph, node->outputs[0])->type;

          if (node->op == ASSAY_OP_Cast && type->dtype == ASSAY_DTYPE_BOOL)
            add_truths (positions);
          collect_positions (proposals, node->outputs[0], positions, depth + 1);
        }
    }
}

void
assay_rewrite_propose_hold_input (AssayProposals *proposals)
{
  const GArray *inputs = assay_graph_region (proposals->graph, ASSAY_MAIN_REGION)->inputs;

  for (guint i = 0; i < inputs->len; i++)
    {
      AssayValueId id = g_array_index (inputs, AssayValueId, i);
      const AssayValue *value = assay_graph_value (proposals->graph, id);
      g_autoptr (GArray) positions = g_array_new (FALSE, FALSE, sizeof (gint64));

      if (value->is_parameter || !is_switch (value))
        continue;
      if (value->type->dtype == ASSAY_DTYPE_BOOL)
        add_truths (positions);
      collect_positions (proposals, id, positions, 0);
      for (guint j = 0; j < MIN (positions->len, MAX_POSITIONS); j++)
        {
          g_autofree char *argument = g_strdup_printf ("%s=%" G_GINT64_FORMAT, value->name,
                                                       g_array_index (positions, gint64, j));
          const char *arguments[] = { argument, NULL };

          assay_proposals_add (proposals, "hold-input", NULL, arguments);
        }
    }
}

char *
assay_rewrite_title_hold_input (const AssayFix *fix)
{
  const char *equals = fix->arguments[0] != NULL ? strrchr (fix->arguments[0], '=') : NULL;

  return equals == NULL
             ? g_strdup ("Hold an input at a constant")
             : g_strdup_printf ("Hold input %.*s at %s", (int) (equals - fix->arguments[0]),
                                fix->arguments[0], equals + 1);
}

static AssayTensor *
make_constant (const AssayType *type, gint64 position)
{
  gint64 dims[ASSAY_MAX_RANK];
  g_autoptr (AssayDatum) datum = NULL;

  for (int i = 0; i < type->rank; i++)
    dims[i] = type->dims[i].size;
  datum = assay_datum_new (type->dtype, assay_datum_storage (type->dtype, FALSE),
                           (guint) type->rank, dims, NULL);
  if (datum == NULL)
    return NULL;
  assay_datum_set_number (datum, 0, (double) position);
  assay_datum_round (datum);

  return assay_datum_to_tensor (datum, FALSE, NULL);
}

static gboolean
hold (AssayEdit *edit, const char *name, gint64 position)
{
  GArray *inputs = assay_graph_region (edit->graph, ASSAY_MAIN_REGION)->inputs;

  for (guint i = 0; i < inputs->len; i++)
    {
      AssayValueId id = g_array_index (inputs, AssayValueId, i);
      AssayValue *value = assay_graph_edit_value (edit->graph, id);
      g_autoptr (AssayTensor) tensor = NULL;

      if (!g_str_equal (value->name, name))
        continue;
      if (!is_switch (value))
        return assay_edit_refuse (edit, "input \"%s\" is no single integer", name);
      tensor = make_constant (value->type, position);
      if (tensor == NULL)
        return assay_edit_refuse (edit, "input \"%s\" cannot be %" G_GINT64_FORMAT, name, position);

      assay_graph_set_constant (edit->graph, id, tensor);
      value->kind = ASSAY_VALUE_CONSTANT;
      value->output = 0;
      g_array_remove_index (inputs, i);
      for (guint j = i; j < inputs->len; j++)
        assay_graph_edit_value (edit->graph, g_array_index (inputs, AssayValueId, j))->output = j;
      assay_edit_mark_changed (edit);
      return TRUE;
    }

  return assay_edit_refuse (edit, "the model has no input \"%s\"", name);
}

gboolean
assay_rewrite_apply_hold_input (AssayEdit *edit, const AssayFix *fix)
{
  gboolean applied = FALSE;

  for (guint i = 0; fix->arguments[i] != NULL; i++)
    {
      const char *equals = strrchr (fix->arguments[i], '=');
      g_autofree char *name = NULL;
      gint64 position;

      if (equals == NULL ||
          !g_ascii_string_to_signed (equals + 1, 10, G_MININT64, G_MAXINT64, &position, NULL))
        {
          assay_edit_refuse (edit, "\"%s\": expected INPUT=NUMBER", fix->arguments[i]);
          continue;
        }
      name = g_strndup (fix->arguments[i], (gsize) (equals - fix->arguments[i]));
      applied |= hold (edit, name, position);
    }
  edit->fold = TRUE;

  return applied;
}
