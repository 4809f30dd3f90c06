/* test-sandbox.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * How a program of the computer is started from a Flatpak sandbox, by the permissions that Flatpak
 * notes there.
 */
#include <glib/gstdio.h>

#include "base/assay-error.h"
#include "process/assay-sandbox.h"

#include "test-program.h"

static const char *const ssh[] = { "ssh", "-T", "board", NULL };

/* A file of permissions, NULL for none, and the command or the end of the message. */
static const struct
{
  const char *name;
  const char *info;
  const char *command;
  const char *message;
} rows[] = {
  { "outside", NULL, "ssh -T board", NULL },
  { "usual",
    "[Application]\nname=org.assay.Workbench\n\n[Context]\nsockets=wayland;fallback-x11;\n", NULL,
    "--talk-name=org.freedesktop.Flatpak org.assay.Workbench\", then start Assay again." },
  { "other-id", "[Application]\nname=org.example.Assay\n", NULL,
    "--talk-name=org.freedesktop.Flatpak org.example.Assay\", then start Assay again." },
  { "seen-only", "[Session Bus Policy]\norg.freedesktop.Flatpak=see\n", NULL,
    "org.assay.Workbench\", then start Assay again." },
  { "other-name", "[Session Bus Policy]\norg.freedesktop.Flatpak.Authenticator=talk\n", NULL,
    "org.assay.Workbench\", then start Assay again." },
  { "broken", "no key file", NULL, "org.assay.Workbench\", then start Assay again." },
  { "talk", "[Session Bus Policy]\norg.freedesktop.Flatpak=talk\n",
    "flatpak-spawn --host --watch-bus ssh -T board", NULL },
  { "own", "[Session Bus Policy]\norg.freedesktop.Flatpak=own\n",
    "flatpak-spawn --host --watch-bus ssh -T board", NULL },
  { "whole-bus", "[Context]\nsockets=wayland;session-bus;\n",
    "flatpak-spawn --host --watch-bus ssh -T board", NULL },
};

static void
test_row (gconstpointer data)
{
  const guint row = GPOINTER_TO_UINT (data);
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("assay-test-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "flatpak-info", NULL);
  g_auto (GStrv) command = NULL;

  if (rows[row].info != NULL)
    g_assert_true (g_file_set_contents (path, rows[row].info, -1, NULL));

  command = assay_sandbox_dup_host_command (path, ssh, &error);
  if (rows[row].command != NULL)
    {
      g_autofree char *joined = NULL;

      g_assert_no_error (error);
      joined = g_strjoinv (" ", command);
      g_assert_cmpstr (joined, ==, rows[row].command);
    }
  else
    {
      g_assert_null (command);
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE);
      g_assert_true (g_str_has_prefix (error->message, "ssh is started outside"));
      g_assert_true (g_str_has_suffix (error->message, rows[row].message));
    }

  g_unlink (path);
  g_rmdir (folder);
}

/* Paths below the runtime folder of the user, and whether the file is shared without its folder. */
static const struct
{
  const char *path;
  gboolean alone;
} shared[] = {
  { "doc/1a2b/model.onnx", TRUE },        { "doc/1a2b/models/model.onnx", FALSE },
  { "doc/1a2b/a/b/model.onnx", FALSE },   { "doc/model.onnx", FALSE },
  { "documents/1a2b/model.onnx", FALSE }, { "doc/1a2b/", FALSE },
  { "doc//model.onnx", FALSE },           { "gvfs/1a2b/model.onnx", FALSE },
};

static void
test_shared (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (shared); i++)
    {
      g_autofree char *path = g_strconcat (g_get_user_runtime_dir (), "/", shared[i].path, NULL);

      g_test_message ("%s", shared[i].path);
      g_assert_cmpint (assay_sandbox_shares_file_alone (path), ==, shared[i].alone);
    }
  g_assert_false (assay_sandbox_shares_file_alone (NULL));
  g_assert_false (assay_sandbox_shares_file_alone ("/tmp/doc/1a2b/model.onnx"));
}

TEST_PROGRAM (sandbox)
{
  g_test_init (&argc, &argv, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *name = g_strdup_printf ("/sandbox/%s", rows[i].name);

      g_test_add_data_func (name, GUINT_TO_POINTER (i), test_row);
    }

  g_test_add_func ("/sandbox/shared", test_shared);

  return g_test_run ();
}
