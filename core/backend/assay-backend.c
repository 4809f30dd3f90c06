/* assay-backend.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/assay-backend.h"

#include "base/assay-error.h"
#include "settings/assay-settings-options.h"
#include "target/assay-target-private.h"

G_STATIC_ASSERT (G_STRUCT_OFFSET (AssayBackendClass, check) == 0);

static gboolean
is_able (const AssayBackendClass *klass, AssayCapability capability)
{
  return capability == ASSAY_CAPABILITY_NOTHING || (klass->capabilities & 1u << capability) != 0;
}

/**
 * assay_backend_get:
 * @index: a place in the table of backends
 *
 * Gets a backend.
 *
 * Returns: (transfer none) (nullable): the class, or %NULL behind the last one
 */
const AssayBackendClass *
assay_backend_get (guint index)
{
  return (const AssayBackendClass *) assay_check_classes[index];
}

/**
 * assay_backend_for_target:
 * @target: a target
 *
 * Gets what checks a target, builds its programs and runs them.
 *
 * Returns: (transfer none): the class
 */
const AssayBackendClass *
assay_backend_for_target (AssayTarget *target)
{
  return (const AssayBackendClass *) target->check_class;
}

/**
 * assay_backend_get_place:
 * @self: a backend
 *
 * Gets its place in lists.
 *
 * Returns: 0 for the first
 */
guint
assay_backend_get_place (const AssayBackendClass *self)
{
  guint place = 0;

  while (assay_check_classes[place] != &self->check)
    place++;

  return place;
}

/**
 * assay_backend_list_families:
 * @capability: a capability
 *
 * Lists the families whose backend has a capability.
 *
 * Returns: (transfer full): their names, with commas
 */
char *
assay_backend_list_families (AssayCapability capability)
{
  GString *names = g_string_new (NULL);

  for (guint i = 0; assay_check_classes[i] != NULL; i++)
    if (is_able (assay_backend_get (i), capability))
      g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "",
                              assay_check_classes[i]->family);

  return g_string_free (names, FALSE);
}

/**
 * assay_backend_builds_checked:
 * @target: (nullable): a target
 *
 * Tells whether programs for a target are made of what the check says: what it rejects is left to
 * the host, and is no reason to make none.
 *
 * Returns: whether they are
 */
gboolean
assay_backend_builds_checked (AssayTarget *target)
{
  const AssayBackendClass *backend = target != NULL ? assay_backend_for_target (target) : NULL;

  return backend != NULL && backend->builds_checked;
}

/**
 * assay_backend_has:
 * @target: (nullable): a target
 * @capability: a capability, or %ASSAY_CAPABILITY_NOTHING
 *
 * Tells whether the backend of a target can do something.
 *
 * Returns: whether there is a target, and it can
 */
gboolean
assay_backend_has (AssayTarget *target, AssayCapability capability)
{
  return target != NULL && is_able (assay_backend_for_target (target), capability);
}

/**
 * assay_backend_get_lack:
 * @capability: a capability
 *
 * Gets what is said where a backend lacks it, without a full stop.
 *
 * Returns: (transfer none): the sentence
 */
const char *
assay_backend_get_lack (AssayCapability capability)
{
  static const char *const lacks[] = {
    NULL,
#define ASSAY_CAPABILITY(name, lacking) lacking,
#include "settings/capabilities.def"
#undef ASSAY_CAPABILITY
  };

  return lacks[capability];
}

/**
 * assay_backend_pick_settings:
 * @target: a target
 * @settings: settings that were made for any target
 *
 * Picks what is for this target: it would refuse the rest, or pass it over.
 *
 * Returns: (transfer full): the settings
 */
AssaySettings *
assay_backend_pick_settings (AssayTarget *target, AssaySettings *settings)
{
  AssaySettings *picked = assay_settings_ref (settings);
  const char *const *options = assay_settings_get_list (settings, ASSAY_SETTING_TARGET_OPTION);

  assay_settings_keep_capable (&picked, assay_backend_for_target (target)->capabilities);
  for (guint i = 0; options != NULL && options[i] != NULL; i++)
    {
      g_autofree char *name = g_strndup (options[i], strcspn (options[i], "="));

      if (!assay_target_has_option (target, name))
        assay_settings_set_entry (&picked, ASSAY_SETTING_TARGET_OPTION, name, NULL);
    }

  return picked;
}

/**
 * assay_backend_require:
 * @target: a target
 * @capability: a capability
 * @error: return location for a #GError
 *
 * Asks for a capability that something cannot do without.
 *
 * Returns: whether the backend of the target has it; %ASSAY_ERROR_INVALID says what is missing
 */
gboolean
assay_backend_require (AssayTarget *target, AssayCapability capability, GError **error)
{
  if (assay_backend_has (target, capability))
    return TRUE;

  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "target %s: %s",
               assay_target_get_id (target), assay_backend_get_lack (capability));
  return FALSE;
}
