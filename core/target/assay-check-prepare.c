/* assay-check-prepare.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "target/assay-check-prepare.h"

#include "target/assay-check-private.h"

/* Whether a rule refuses an operation because of the setting alone. */
static gboolean
is_unpublished (const AssayTarget *self, const char *op)
{
  const GPtrArray *rules = self->op_rules[assay_op_lookup ("", op)];

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
list_composites (const AssayTarget *self, gboolean published_only)
{
  GPtrArray *names = g_ptr_array_new ();

  for (guint i = 0; i < self->composites->len; i++)
    {
      const char *name = g_ptr_array_index (self->composites, i);

      if (name != NULL && !(published_only && is_unpublished (self, name)))
        g_ptr_array_add (names, (gpointer) name);
    }
  g_ptr_array_add (names, NULL);

  return names;
}

typedef enum
{
  LISTED_NOT,
  LISTED_REJECTED, /* by name, whatever the node is */
  LISTED_TAKEN,
} Listed;

static Listed
find_listed (const AssayTarget *self, AssayOp op)
{
  const GPtrArray *rules = self->op_rules[op];
  Listed listed = LISTED_NOT;

  for (guint i = 0; rules != NULL && i < rules->len; i++)
    {
      const AssayRule *rule = g_ptr_array_index (rules, i);

      if (!rule->any_op)
        listed = MAX (listed,
                      rule->verdict == ASSAY_VERDICT_REJECTED ? LISTED_REJECTED : LISTED_TAKEN);
    }

  return listed;
}

/* Operations that the target lists in one way. What the setting alone refuses is rejected by name.
 */
static GPtrArray *
list_operations (const AssayTarget *self, gboolean published_only, Listed wanted,
                 const GPtrArray *composites)
{
  GPtrArray *names = g_ptr_array_new ();

  for (guint op = 1; op < ASSAY_N_OPS; op++)
    {
      const char *name = assay_op_name ((AssayOp) op);
      Listed listed = find_listed (self, (AssayOp) op);

      if (listed == LISTED_TAKEN && published_only && is_unpublished (self, name))
        listed = LISTED_REJECTED;
      if (listed == wanted)
        g_ptr_array_add (names, (gpointer) name);
    }
  for (guint i = 0; composites != NULL && i + 1 < composites->len; i++)
    g_ptr_array_add (names, g_ptr_array_index (composites, i));
  g_ptr_array_add (names, NULL);

  return names;
}

/**
 * assay_target_prepare:
 * @self: a target
 * @model: a model
 * @settings: (nullable): how to check
 * @apart: (nullable) (array zero-terminated=1): nodes by name that end no composite operation
 * @compile: whether inputs with a default are constants in any case, as in what is compiled
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Gets the model in the form that the target is asked about: what it lists is whole, everything
 * else is written with that where it can be.
 *
 * Returns: (transfer none) (nullable): the graph, or %NULL with %ASSAY_ERROR_CANCELLED
 */
AssayGraph *
assay_target_prepare (AssayTarget *self, AssayForms *model, const AssaySettings *settings,
                      const char *const *apart, gboolean compile, const AssayProgress *progress,
                      GError **error)
{
  AssayCanonicalOptions options = ASSAY_CANONICAL_OPTIONS_DEFAULT;
  gboolean published_only = assay_settings_get_flag (settings, ASSAY_SETTING_PUBLISHED_ONLY);
  g_autoptr (GPtrArray) composites = list_composites (self, published_only);
  g_autoptr (GPtrArray) taken = list_operations (self, published_only, LISTED_TAKEN, composites);
  g_autoptr (GPtrArray) rejected = list_operations (self, published_only, LISTED_REJECTED, NULL);

  options.keep = options.listed = (const char *const *) taken->pdata;
  options.apart = apart;
  options.rejected = (const char *const *) rejected->pdata;
  options.all_inputs_parameters = !compile && assay_settings_get_flag (
                                                  settings, ASSAY_SETTING_INPUTS_ARE_PARAMETERS);
  options.settle_defaults = compile || self->check_class->settles_defaults;

  return assay_forms_get (model, &options, progress, error);
}
