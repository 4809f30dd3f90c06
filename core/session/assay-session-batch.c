/* assay-session-batch.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What is undecided for want of a batch, which is one on every machine here.
 */
#include "session/assay-session-private.h"

static gboolean
is_open (AssaySession *self, const AssayDimension *dimension)
{
  return dimension->batch && assay_settings_get_entry (assay_session_get_setup (self),
                                                       ASSAY_SETTING_BIND, dimension->key) == NULL;
}

/**
 * assay_session_dup_batch:
 * @self: a session
 *
 * Says what one step gives a size to: the batches of inputs that are open while nodes are
 * undecided.
 *
 * Returns: (transfer full) (nullable): such as `batch = 1`, or %NULL if there is nothing to do
 */
char *
assay_session_dup_batch (AssaySession *self)
{
  AssayVerdicts *verdicts = assay_session_get_verdicts (self);
  GPtrArray *dimensions = assay_session_get_dimensions (self);
  g_autoptr (GString) text = g_string_new (NULL);

  if (verdicts == NULL || dimensions == NULL ||
      assay_verdicts_count (verdicts, ASSAY_VERDICT_UNDECIDED) == 0)
    return NULL;

  for (guint i = 0; i < dimensions->len; i++)
    {
      const AssayDimension *dimension = g_ptr_array_index (dimensions, i);

      if (is_open (self, dimension))
        g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", dimension->title);
    }
  if (text->len == 0)
    return NULL;
  g_string_append (text, " = 1");

  return g_string_free (g_steal_pointer (&text), FALSE);
}

/**
 * assay_session_bind_batch:
 * @self: a session
 *
 * Gives every open batch the size one.
 */
void
assay_session_bind_batch (AssaySession *self)
{
  GPtrArray *dimensions = assay_session_get_dimensions (self);
  g_autoptr (AssaySettings) setup = assay_settings_ref (assay_session_get_setup (self));

  for (guint i = 0; dimensions != NULL && i < dimensions->len; i++)
    {
      const AssayDimension *dimension = g_ptr_array_index (dimensions, i);

      if (is_open (self, dimension))
        assay_settings_set_entry (&setup, ASSAY_SETTING_BIND, dimension->key, "1");
    }
  assay_session_set_setup (self, setup);
}
