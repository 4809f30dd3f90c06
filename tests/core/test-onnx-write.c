/* test-onnx-write.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>
#include <string.h>

#include "nnir/assay-text.h"
#include "onnx/assay-import.h"
#include "onnx/assay-onnx-write.h"

#define ONNX_DATA "/usr/share/libonnx-testdata/data"

/* Up to IR version 3 initializers are listed as inputs too, which a written file does not do. */
static void
append_main (GString    *text,
             const char *line,
             gboolean    old)
{
  g_auto (GStrv) inputs = NULL;
  const char *start = strchr (line, '(') + 1;
  const char *end = strrchr (line, ')');
  g_autofree char *list = g_strndup (start, (gsize) (end - start));
  GString *constants = g_string_new (NULL);
  gboolean first = TRUE;

  g_string_append (text, "main (");
  inputs = g_strsplit (list, ", %", -1);
  for (guint i = 0; inputs[i] != NULL; i++)
    {
      const char *value = inputs[i] + (i == 0 && inputs[i][0] == '%');
      const char *parameter = old ? strstr (value, " param = ") : NULL;

      if (parameter != NULL)
        {
          g_string_append_printf (constants, "  const %%%.*s%s\n", (int) (parameter - value), value,
                                  parameter + strlen (" param"));
          continue;
        }
      g_string_append_printf (text, "%s%s%s", first ? "" : ", ", value[0] != '\0' ? "%" : "", value);
      first = FALSE;
    }
  g_string_append_printf (text, "%s\n%s", end, constants->str);
  g_string_free (constants, TRUE);
}

static void
append_without (GString    *text,
                const char *line,
                const char *start,
                const char *end)
{
  const char *from = strstr (line, start);

  if (from == NULL)
    g_string_append_printf (text, "%s\n", line);
  else
    g_string_append_printf (text, "%.*s%s\n", (int) (from - line), line, strstr (from, end) + strlen (end));
}

/* Text of a graph without what a written file may change: versions, and where in the file a node came from. */
static char *
comparable_text (AssayGraph *graph)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = assay_graph_to_text (graph, ASSAY_TEXT_DEFAULT, &error);
  g_auto (GStrv) lines = NULL;
  GString *kept = g_string_new (NULL);

  g_assert_no_error (error);
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      if (g_str_has_prefix (lines[i], "opset ") || g_str_has_prefix (lines[i], "origin "))
        continue;
      if (g_str_has_prefix (lines[i], "main ("))
        append_main (kept, lines[i], graph->ir_version < 4);
      else if (i == 1)
        append_without (kept, lines[i], "ir_version = ", ",");
      else
        append_without (kept, lines[i], " from [", "]");
    }

  return g_string_free (kept, FALSE);
}

static void
show_difference (const char *left,
                 const char *right)
{
  g_auto (GStrv) a = g_strsplit (left, "\n", -1);
  g_auto (GStrv) b = g_strsplit (right, "\n", -1);

  for (guint i = 0; a[i] != NULL || b[i] != NULL; i++)
    {
      if (g_strcmp0 (a[i], b[i]) == 0)
        continue;
      g_printerr ("- %.300s\n+ %.300s\n", a[i] != NULL ? a[i] : "(end)", b[i] != NULL ? b[i] : "(end)");
      return;
    }
}

static gboolean
check_model (const char *path)
{
  g_autoptr (AssayGraph) graph = assay_import_file (path, NULL, NULL, NULL, NULL);
  g_autoptr (AssayGraph) again = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = assay_onnx_write_bytes (graph, &error);
  g_autofree char *text = NULL;
  g_autofree char *text_again = NULL;

  if (bytes == NULL)
    {
      g_printerr ("%s: %s\n", path, error->message);
      return FALSE;
    }
  again = assay_import_bytes (bytes, NULL, NULL, NULL, NULL, &error);
  g_assert_no_error (error);

  text = comparable_text (graph);
  text_again = comparable_text (again);
  if (strcmp (text, text_again) == 0)
    return TRUE;

  g_printerr ("%s\n", path);
  show_difference (text, text_again);
  return FALSE;
}

static void
walk (const char *folder,
      guint       depth,
      guint      *n,
      guint      *n_same)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  if (dir == NULL || depth > 8)
    return;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (g_file_test (path, G_FILE_TEST_IS_DIR))
        walk (path, depth + 1, n, n_same);
      else if (g_str_has_suffix (name, ".onnx"))
        {
          *n += 1;
          *n_same += check_model (path);
        }
    }
}

static void
test_corpus (void)
{
  guint n = 0;
  guint n_same = 0;

  if (!g_file_test (ONNX_DATA, G_FILE_TEST_IS_DIR))
    {
      g_test_skip ("libonnx-testdata is not installed");
      return;
    }

  walk (ONNX_DATA, 0, &n, &n_same);
  g_assert_cmpuint (n, ==, 1072);
  g_assert_cmpuint (n_same, ==, n);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/onnx-write/corpus", test_corpus);

  return g_test_run ();
}
