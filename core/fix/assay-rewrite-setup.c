/* assay-rewrite-setup.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Fixes that leave the nodes alone.
 */
#include <string.h>

#include "backend/assay-backend.h"
#include "fix/assay-rewrite-private.h"
#include "target/assay-target-private.h"

void
assay_rewrite_propose_dynamic_weights (AssayProposals *proposals)
{
  if (!assay_backend_has (proposals->target, ASSAY_CAPABILITY_STREAMS) ||
      assay_fix_settings_get_check (proposals->settings)->allow_dynamic_weights)
    return;

  for (guint i = 0; i < proposals->nodes->len; i++)
    if (assay_op_get_info (assay_proposals_node (proposals, i)->op)->category ==
        ASSAY_CATEGORY_MATMUL)
      assay_proposals_add (proposals, "dynamic-weights", NULL, NULL);
}

gboolean
assay_rewrite_apply_dynamic_weights (AssayEdit *edit, const AssayFix *fix)
{
  if (edit->settings != NULL)
    assay_fix_settings_allow_dynamic_weights (edit->settings);

  return TRUE;
}

char *
assay_rewrite_title_target_option (const AssayFix *fix)
{
  return fix->arguments[0] != NULL ? g_strdup_printf ("Set the option %s", fix->arguments[0])
                                   : g_strdup ("Set an option of the target");
}

/* Every switch the other way, and every other choice. */
void
assay_rewrite_propose_target_option (AssayProposals *proposals)
{
  for (guint i = 0; i < proposals->target->options->len; i++)
    {
      const AssayOption *option = &g_array_index (proposals->target->options, AssayOption, i);
      guint n = option->kind == ASSAY_OPTION_BOOL     ? 2
                : option->kind == ASSAY_OPTION_STRING ? option->n_choices
                                                      : 0;

      for (guint j = 0; j < n; j++)
        {
          const char *value = option->kind == ASSAY_OPTION_BOOL ? (j == 0 ? "true" : "false")
                                                                : option->choices[j];
          g_autofree char *argument = g_strdup_printf ("%s=%s", option->name, value);
          const char *arguments[] = { argument, NULL };
          const char *const *given =
              assay_fix_settings_get_check (proposals->settings)->target_options;
          gboolean plain = option->kind == ASSAY_OPTION_BOOL ? (j == 0) == option->b
                                                             : g_strcmp0 (value, option->s) == 0;

          /* A default is worth proposing only where something else was set. */
          if (given != NULL ? !g_strv_contains (given, argument) : !plain)
            assay_proposals_add (proposals, "target-option", NULL, arguments);
        }
    }
}

gboolean
assay_rewrite_apply_target_option (AssayEdit *edit, const AssayFix *fix)
{
  for (guint i = 0; edit->settings != NULL && fix->arguments[i] != NULL; i++)
    {
      g_auto (GStrv) parts = g_strsplit (fix->arguments[i], "=", 2);

      assay_fix_settings_set_option (edit->settings, parts[0], parts[1]);
    }

  return fix->arguments[0] != NULL;
}

/* Proposes INPUT=AXIS for every axis of every main input, -1 included if asked for. */
static void
propose_axes (AssayProposals *proposals, const char *rewrite, int first)
{
  const GArray *inputs = assay_graph_region (proposals->graph, ASSAY_MAIN_REGION)->inputs;

  for (guint i = 0; i < inputs->len; i++)
    {
      const AssayValue *input = assay_graph_value (proposals->graph,
                                                   g_array_index (inputs, AssayValueId, i));

      for (int axis = first;
           !input->is_parameter && input->type->rank <= 8 && axis < input->type->rank; axis++)
        {
          g_autofree char *argument = g_strdup_printf ("%s=%d", input->name, axis);
          const char *arguments[] = { argument, NULL };

          assay_proposals_add (proposals, rewrite, NULL, arguments);
        }
    }
}

static char *
title_axis (const AssayFix *fix, const char *words, const char *none)
{
  const char *equals = fix->arguments[0] != NULL ? strrchr (fix->arguments[0], '=') : NULL;
  int length = equals != NULL ? (int) (equals - fix->arguments[0]) : 0;

  if (equals == NULL)
    return g_strdup (words);
  if (none != NULL && g_str_equal (equals + 1, "-1"))
    return g_strdup_printf ("%s %.*s", none, length, fix->arguments[0]);

  return g_strdup_printf ("%s of %.*s: axis %s", words, length, fix->arguments[0], equals + 1);
}

/* Without a choice of the user the check has tried all axes already. */
void
assay_rewrite_propose_data_dimension (AssayProposals *proposals)
{
  if (assay_backend_has (proposals->target, ASSAY_CAPABILITY_STREAMS) &&
      assay_fix_settings_get_check (proposals->settings)->data_dims != NULL)
    propose_axes (proposals, "data-dimension", 0);
}

char *
assay_rewrite_title_data_dimension (const AssayFix *fix)
{
  return title_axis (fix, "Data dimension", NULL);
}

gboolean
assay_rewrite_apply_data_dimension (AssayEdit *edit, const AssayFix *fix)
{
  for (guint i = 0; edit->settings != NULL && fix->arguments[i] != NULL; i++)
    {
      const char *equals = strrchr (fix->arguments[i], '=');
      g_autofree char *input = g_strndup (fix->arguments[i], (gsize) (equals - fix->arguments[i]));

      assay_fix_settings_set_data_dim (edit->settings, input, equals + 1);
    }

  return fix->arguments[0] != NULL;
}

void
assay_rewrite_propose_streaming_axis (AssayProposals *proposals)
{
  if (assay_backend_has (proposals->target, ASSAY_CAPABILITY_STREAMS) &&
      assay_fix_settings_get_check (proposals->settings)->n_streaming_axes > 0)
    propose_axes (proposals, "streaming-axis", -1);
}

char *
assay_rewrite_title_streaming_axis (const AssayFix *fix)
{
  return title_axis (fix, "Streaming axis", "Do not stream");
}

/* Counts main inputs as the options of a check do. */
static gboolean
set_streaming_axis (AssayEdit *edit, const char *name, int axis)
{
  const GArray *inputs = assay_graph_region (edit->graph, ASSAY_MAIN_REGION)->inputs;
  guint index = 0;

  for (guint i = 0; i < inputs->len; i++)
    {
      const AssayValue *input = assay_graph_value (edit->graph,
                                                   g_array_index (inputs, AssayValueId, i));

      if (input->is_parameter)
        continue;
      if (g_str_equal (input->name, name))
        {
          if (edit->settings != NULL)
            assay_fix_settings_set_stream (edit->settings, index, axis);
          return TRUE;
        }
      index++;
    }

  return assay_edit_refuse (edit, "the model has no input \"%s\"", name);
}

gboolean
assay_rewrite_apply_streaming_axis (AssayEdit *edit, const AssayFix *fix)
{
  gboolean applied = FALSE;

  for (guint i = 0; fix->arguments[i] != NULL; i++)
    {
      const char *equals = strrchr (fix->arguments[i], '=');
      g_autofree char *input = g_strndup (fix->arguments[i], (gsize) (equals - fix->arguments[i]));
      gint64 axis;

      if (!g_ascii_string_to_signed (equals + 1, 10, -1, ASSAY_MAX_RANK, &axis, NULL))
        assay_edit_refuse (edit, "\"%s\": expected INPUT=AXIS", fix->arguments[i]);
      else
        applied |= set_streaming_axis (edit, input, (int) axis);
    }

  return applied;
}
