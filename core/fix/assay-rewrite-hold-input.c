/* assay-rewrite-hold-input.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "evaluate/assay-datum.h"
#include "fix/assay-fix-switch.h"
#include "fix/assay-rewrite-private.h"
#include "nnir/assay-graph-builder.h"

/* Switches have few positions; a model that compares with more than this does something else. */
#define MAX_POSITIONS 8

void
assay_rewrite_propose_hold_input (AssayProposals *proposals)
{
  const GArray *inputs = assay_graph_region (proposals->graph, ASSAY_MAIN_REGION)->inputs;

  for (guint i = 0; i < inputs->len; i++)
    {
      AssayValueId id = g_array_index (inputs, AssayValueId, i);
      const AssayValue *value = assay_graph_value (proposals->graph, id);
      g_autoptr (GArray) positions = NULL;

      if (value->is_parameter || !assay_fix_is_switch (value))
        continue;
      positions = assay_fix_list_positions (proposals->graph, proposals->uses, id);
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
      if (!assay_fix_is_switch (value))
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
