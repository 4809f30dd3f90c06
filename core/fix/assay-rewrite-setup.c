/* assay-rewrite-setup.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Fixes that leave the nodes alone.
 */
#include <string.h>

#include "fix/assay-rewrite-private.h"
#include "target/assay-target-private.h"

void
assay_rewrite_propose_dynamic_weights (AssayProposals *proposals)
{
  if (assay_target_get_family (proposals->target) != ASSAY_TARGET_BLOCK_STREAMING ||
      assay_fix_settings_get_check (proposals->settings)->allow_dynamic_weights)
    return;

  for (guint i = 0; i < proposals->nodes->len; i++)
    if (assay_op_get_info (assay_proposals_node (proposals, i)->op)->category == ASSAY_CATEGORY_MATMUL)
      assay_proposals_add (proposals, "dynamic-weights", NULL, NULL);
}

gboolean
assay_rewrite_apply_dynamic_weights (AssayEdit      *edit,
                                     const AssayFix *fix)
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
      guint n = option->kind == ASSAY_OPTION_BOOL ? 2 : option->kind == ASSAY_OPTION_STRING ? option->n_choices : 0;

      for (guint j = 0; j < n; j++)
        {
          const char *value = option->kind == ASSAY_OPTION_BOOL ? (j == 0 ? "true" : "false") : option->choices[j];
          g_autofree char *argument = g_strdup_printf ("%s=%s", option->name, value);
          const char *arguments[] = { argument, NULL };
          const char *const *given = assay_fix_settings_get_check (proposals->settings)->target_options;
          gboolean plain = option->kind == ASSAY_OPTION_BOOL ? (j == 0) == option->b
                                                             : g_strcmp0 (value, option->s) == 0;

          /* A default is worth proposing only where something else was set. */
          if (given != NULL ? !g_strv_contains (given, argument) : !plain)
            assay_proposals_add (proposals, "target-option", NULL, arguments);
        }
    }
}

gboolean
assay_rewrite_apply_target_option (AssayEdit      *edit,
                                   const AssayFix *fix)
{
  for (guint i = 0; edit->settings != NULL && fix->arguments[i] != NULL; i++)
    {
      g_auto (GStrv) parts = g_strsplit (fix->arguments[i], "=", 2);

      assay_fix_settings_set_option (edit->settings, parts[0], parts[1]);
    }

  return fix->arguments[0] != NULL;
}
