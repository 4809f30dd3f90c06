/* assay-rewrite-setup.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Fixes that leave the nodes alone.
 */
#include <string.h>

#include "backend/assay-backend.h"
#include "fix/assay-rewrite-private.h"
#include "target/assay-target-private.h"

/* One row per rewrite that changes a setting. */
static const struct
{
  const char *rewrite;
  AssaySetting setting;
} rows[] = {
  { "bind-shape", ASSAY_SETTING_BIND },
  { "streaming-axis", ASSAY_SETTING_AXES },
  { "data-dimension", ASSAY_SETTING_DATA_DIM },
  { "target-option", ASSAY_SETTING_TARGET_OPTION },
  { "keep-fp32", ASSAY_SETTING_KEEP_FP32 },
  { "dynamic-weights", ASSAY_SETTING_DYNAMIC_WEIGHTS },
};

static const char *
split (AssaySetting setting, const char *argument, char **name)
{
  const char *value = assay_setting_find_value (setting, argument);

  if (value != NULL)
    *name = g_strndup (argument, (gsize) (value - argument) - 1);

  return value;
}

/* Counts main inputs as settings do; -1 if there is none of this name. */
static int
find_input (const AssayGraph *graph, const char *name)
{
  const GArray *inputs = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs;
  int index = 0;

  for (guint i = 0; i < inputs->len; i++)
    {
      const AssayValue *input = assay_graph_value (graph, g_array_index (inputs, AssayValueId, i));

      if (input->is_parameter)
        continue;
      if (g_str_equal (input->name, name))
        return index;
      index++;
    }

  return -1;
}

static void
take_argument (AssaySettings **settings, AssaySetting setting, const AssayGraph *graph,
               const char *argument)
{
  g_autofree char *name = NULL;
  const char *value = split (setting, argument, &name);
  gint64 number = -1;
  gboolean is_number;
  int input;

  if (value == NULL)
    return;

  is_number = g_ascii_string_to_signed (value, 10, -1, G_MAXINT64, &number, NULL);
  switch (assay_setting_get_info (setting)->kind)
    {
    case ASSAY_SETTING_KIND_AXES:
      input = find_input (graph, name);
      if (is_number && number <= 63 && input >= 0)
        assay_settings_set_axis (settings, (guint) input, (int) number);
      break;
    case ASSAY_SETTING_KIND_NUMBERS:
      if (is_number)
        assay_settings_set_number (settings, setting, name, number);
      break;
    default:
      assay_settings_set_entry (settings, setting, name, value);
    }
}

/**
 * assay_fix_change_settings:
 * @fix: a fix
 * @graph: the model
 * @settings: (inout) (transfer full): settings, changed
 *
 * Takes over a fix that is no change of nodes.
 *
 * Returns: whether it is one
 */
gboolean
assay_fix_change_settings (const AssayFix *fix, const AssayGraph *graph, AssaySettings **settings)
{
  guint row = 0;

  while (row < G_N_ELEMENTS (rows) && !g_str_equal (rows[row].rewrite, fix->rewrite))
    row++;
  if (row == G_N_ELEMENTS (rows))
    return FALSE;

  if (assay_setting_get_info (rows[row].setting)->kind == ASSAY_SETTING_KIND_FLAG)
    assay_settings_set_flag (settings, rows[row].setting, TRUE);
  else if (assay_setting_get_info (rows[row].setting)->kind == ASSAY_SETTING_KIND_NAMES)
    for (guint i = 0; fix->nodes[i] != NULL; i++)
      assay_settings_add_name (settings, rows[row].setting, fix->nodes[i]);
  for (guint i = 0; fix->arguments[i] != NULL; i++)
    take_argument (settings, rows[row].setting, graph, fix->arguments[i]);

  return TRUE;
}

static void
change_settings (AssayEdit *edit, const AssayFix *fix)
{
  if (edit->settings != NULL)
    assay_fix_change_settings (fix, edit->graph, edit->settings);
}

void
assay_rewrite_propose_dynamic_weights (AssayProposals *proposals)
{
  if (!assay_backend_has (proposals->target, ASSAY_CAPABILITY_STREAMS) ||
      assay_settings_get_flag (proposals->settings, ASSAY_SETTING_DYNAMIC_WEIGHTS))
    return;

  for (guint i = 0; i < proposals->nodes->len; i++)
    if (assay_op_get_info (assay_proposals_node (proposals, i)->op)->category ==
        ASSAY_CATEGORY_MATMUL)
      assay_proposals_add (proposals, "dynamic-weights", NULL, NULL);
}

gboolean
assay_rewrite_apply_dynamic_weights (AssayEdit *edit, const AssayFix *fix)
{
  change_settings (edit, fix);

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
          const char *const *given = assay_settings_get_list (proposals->settings,
                                                              ASSAY_SETTING_TARGET_OPTION);
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
  change_settings (edit, fix);

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
      assay_settings_get_list (proposals->settings, ASSAY_SETTING_DATA_DIM) != NULL)
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
  change_settings (edit, fix);

  return fix->arguments[0] != NULL;
}

void
assay_rewrite_propose_streaming_axis (AssayProposals *proposals)
{
  if (assay_backend_has (proposals->target, ASSAY_CAPABILITY_STREAMS) &&
      assay_settings_get_list (proposals->settings, ASSAY_SETTING_AXES) != NULL)
    propose_axes (proposals, "streaming-axis", -1);
}

char *
assay_rewrite_title_streaming_axis (const AssayFix *fix)
{
  return title_axis (fix, "Streaming axis", "Do not stream");
}

gboolean
assay_rewrite_apply_streaming_axis (AssayEdit *edit, const AssayFix *fix)
{
  gboolean applied = FALSE;

  for (guint i = 0; fix->arguments[i] != NULL; i++)
    {
      g_autofree char *input = NULL;
      const char *value = split (ASSAY_SETTING_AXES, fix->arguments[i], &input);
      gint64 axis;

      if (value == NULL || !g_ascii_string_to_signed (value, 10, -1, ASSAY_MAX_RANK, &axis, NULL))
        assay_edit_refuse (edit, "\"%s\": expected INPUT=AXIS", fix->arguments[i]);
      else if (find_input (edit->graph, input) < 0)
        assay_edit_refuse (edit, "the model has no input \"%s\"", input);
      else
        applied = TRUE;
    }
  change_settings (edit, fix);

  return applied;
}
