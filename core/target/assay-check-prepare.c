/* assay-check-prepare.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "target/assay-check-private.h"

/* Whether a rule refuses an operation because of the setting alone. */
static gboolean
is_unpublished (AssayCheck *self, const char *op)
{
  const GPtrArray *rules = self->target->op_rules[assay_op_lookup ("", op)];

  for (guint i = 0; rules != NULL && i < rules->len; i++)
    {
      const AssayRule *rule = g_ptr_array_index (rules, i);

      for (guint j = 0; j < rule->applies.n && rule->verdict == ASSAY_VERDICT_REJECTED; j++)
        if (g_str_equal (rule->applies.calls[j]->predicate->name, "published_only"))
          return TRUE;
    }

  return FALSE;
}

/* Composite operations that the target takes whole; one that it would refuse stays what it is made
 * of. */
static GPtrArray *
list_composites (AssayCheck *self)
{
  gboolean published_only = assay_settings_get_flag (self->settings, ASSAY_SETTING_PUBLISHED_ONLY);
  GPtrArray *names = g_ptr_array_new ();

  for (guint i = 0; i < self->target->composites->len; i++)
    {
      const char *name = g_ptr_array_index (self->target->composites, i);

      if (name != NULL && !(published_only && is_unpublished (self, name)))
        g_ptr_array_add (names, (gpointer) name);
    }
  g_ptr_array_add (names, NULL);

  return names;
}

/* The compiler's graph for the target: with the composite operations that it takes whole. */
AssayGraph *
assay_check_prepare (AssayCheck *self, AssayForms *model, const AssayProgress *progress,
                     GError **error)
{
  AssayCanonicalOptions options = ASSAY_CANONICAL_OPTIONS_DEFAULT;
  g_autoptr (GPtrArray) composites = list_composites (self);

  options.keep = (const char *const *) composites->pdata;
  options.all_inputs_parameters = assay_settings_get_flag (self->settings,
                                                           ASSAY_SETTING_INPUTS_ARE_PARAMETERS);
  options.settle_defaults = self->target->check_class->settles_defaults;

  return assay_forms_get (model, &options, progress, error);
}
