/* assay-sandbox.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "process/assay-sandbox.h"

#include <string.h>

#include "base/assay-error.h"
#include "base/assay-file-read.h"

/* The name on the session bus that starts programs outside of sandboxes. */
#define HOST_NAME "org.freedesktop.Flatpak"

#define MOST_INFO ((gsize) 1 << 20)

static gboolean
lists (GKeyFile *info, const char *group, const char *key, const char *value)
{
  g_auto (GStrv) values = g_key_file_get_string_list (info, group, key, NULL, NULL);

  return values != NULL && g_strv_contains ((const char *const *) values, value);
}

static gboolean
may_start_on_host (GKeyFile *info)
{
  g_autofree char *policy = g_key_file_get_string (info, "Session Bus Policy", HOST_NAME, NULL);

  return g_strcmp0 (policy, "talk") == 0 || g_strcmp0 (policy, "own") == 0 ||
         lists (info, "Context", "sockets", "session-bus");
}

/**
 * assay_sandbox_shares_file_alone:
 * @path: (nullable): a file
 *
 * Tells whether the document portal shares that file without those beside it: its folder there has
 * a number for a name. A file in a folder that was shared lies deeper.
 *
 * Returns: whether files beside it are out of reach
 */
gboolean
assay_sandbox_shares_file_alone (const char *path)
{
  g_autofree char *portal = g_strconcat (g_get_user_runtime_dir (), "/doc/", NULL);
  const char *rest = path != NULL && g_str_has_prefix (path, portal) ? path + strlen (portal) : "";
  const char *name = strchr (rest, G_DIR_SEPARATOR);

  return name != NULL && name > rest && name[1] != '\0' &&
         strchr (name + 1, G_DIR_SEPARATOR) == NULL;
}

/**
 * assay_sandbox_dup_host_command:
 * @info: the file with the permissions, %ASSAY_SANDBOX_INFO
 * @command: a program and its arguments
 * @error: return location for a #GError
 *
 * Tells how to start a program of the computer, such as ssh with the keys of the user. Without a
 * sandbox that is the command itself.
 *
 * Returns: (transfer full) (nullable): the command, or %NULL with %ASSAY_ERROR_DEVICE and what to
 * do if the sandbox does not allow it
 */
GStrv
assay_sandbox_dup_host_command (const char *info, const char *const *command, GError **error)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_autoptr (GKeyFile) permissions = g_key_file_new ();
  g_autofree char *text = NULL;
  gsize length;

  if (!g_file_test (info, G_FILE_TEST_EXISTS))
    return g_strdupv ((GStrv) command);
  if (!assay_file_read (info, MOST_INFO, &text, &length, error))
    return NULL;

  /* One that is no key file allows nothing. */
  g_key_file_load_from_data (permissions, text, length, G_KEY_FILE_NONE, NULL);
  if (!may_start_on_host (permissions))
    {
      g_autofree char *id = g_key_file_get_string (permissions, "Application", "name", NULL);

      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE,
                   "%s is started outside of the Flatpak sandbox, which does not allow that. Run "
                   "\"flatpak override --user --talk-name=" HOST_NAME
                   " %s\", then start Assay again.",
                   command[0], id != NULL ? id : "org.assay.Workbench");
      return NULL;
    }

  g_strv_builder_add_many (builder, "flatpak-spawn", "--host", "--watch-bus", NULL);
  g_strv_builder_addv (builder, (const char **) command);

  return g_strv_builder_end (builder);
}
