/* test-conformance-cases.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Cases as text: tests/data/work/cases.txt has models, tensors that go in and have to come out, how
 * each runs, and all that its result says. ASSAY_REGENERATE=1 writes it anew.
 */
#include <glib/gstdio.h>
#include <string.h>

#include "work/assay-conformance-case.h"

#include "folder.h"
#include "golden.h"
#include "test-program.h"

static void
add_number (GByteArray *to, guint field, guint64 value)
{
  guint8 byte = (guint8) (field << 3);

  g_byte_array_append (to, &byte, 1);
  do
    {
      byte = (guint8) ((value & 127) | (value > 127 ? 128 : 0));
      g_byte_array_append (to, &byte, 1);
      value >>= 7;
    }
  while (value != 0);
}

static void
add_bytes (GByteArray *to, guint field, gconstpointer data, gsize length)
{
  guint8 head[] = { (guint8) (field << 3 | 2), (guint8) length };

  g_assert_cmpuint (length, <, 128);
  g_byte_array_append (to, head, 2);
  g_byte_array_append (to, data, (guint) length);
}

/* `f32[2] 1 2`, as a message of ONNX. */
static GByteArray *
make_tensor (const char *text)
{
  static const struct
  {
    const char *name;
    guint id;
  } dtypes[] = { { "f32", 1 }, { "u16", 4 }, { "i64", 7 }, { "string", 8 } };
  g_auto (GStrv) words = g_strsplit (text, " ", -1);
  const char *open = strchr (words[0], '[');
  g_auto (GStrv) dims = g_strsplit_set (open + 1, ",]", -1);
  GByteArray *tensor = g_byte_array_new ();
  g_autoptr (GByteArray) raw = g_byte_array_new ();
  guint dtype = 0;

  for (guint i = 0; i < G_N_ELEMENTS (dtypes); i++)
    if (strncmp (words[0], dtypes[i].name, (gsize) (open - words[0])) == 0)
      dtype = dtypes[i].id;
  for (guint i = 0; dims[i] != NULL; i++)
    if (*dims[i] != '\0')
      add_number (tensor, 1, g_ascii_strtoull (dims[i], NULL, 10));
  add_number (tensor, 2, dtype);
  for (guint i = 1; words[i] != NULL; i++)
    {
      const float f = (float) g_ascii_strtod (words[i], NULL);
      const gint64 n = g_ascii_strtoll (words[i], NULL, 0);
      const guint16 h = (guint16) n;

      if (dtype == 8)
        add_bytes (tensor, 6, words[i], strlen (words[i]));
      else if (dtype == 1)
        g_byte_array_append (raw, (const guint8 *) &f, sizeof f);
      else if (dtype == 4)
        g_byte_array_append (raw, (const guint8 *) &h, sizeof h);
      else
        g_byte_array_append (raw, (const guint8 *) &n, sizeof n);
    }
  if (dtype != 8)
    add_bytes (tensor, 9, raw->data, raw->len);

  return tensor;
}

/* `input 0 TENSOR`, `output 1 seq TENSOR | TENSOR`, `input 2 opt TENSOR`, `input 3 junk`. */
static void
write_tensor (const char *set, const char *line)
{
  g_auto (GStrv) words = g_strsplit (line, " ", 3);
  g_autofree char *name = g_strdup_printf ("%s_%s.pb", words[0], words[1]);
  g_autofree char *path = g_build_filename (set, name, NULL);
  g_autoptr (GByteArray) file = NULL;

  if (g_str_has_prefix (words[2], "seq") || g_str_has_prefix (words[2], "opt"))
    {
      g_auto (GStrv) items = g_strsplit (words[2] + 3, "|", -1);

      file = g_byte_array_new ();
      add_number (file, 2, 1);
      for (guint i = 0; items[i] != NULL; i++)
        {
          g_autoptr (GByteArray) tensor = NULL;

          if (*g_strstrip (items[i]) == '\0')
            continue;
          tensor = make_tensor (items[i]);
          add_bytes (file, 3, tensor->data, tensor->len);
        }
    }
  else if (g_str_equal (words[2], "junk"))
    file = g_byte_array_new_take ((guint8 *) g_strdup ("\377\377\377"), 3);
  else
    file = make_tensor (words[2]);
  g_assert_true (g_file_set_contents (path, (const char *) file->data, (gssize) file->len, NULL));
}

static void
set_option (AssayConformanceOptions *options, char *word)
{
  char *equals = strchr (word, '=');

  if (equals == NULL)
    {
      g_assert_cmpstr (word, ==, "parameters");
      assay_settings_set_flag (&options->settings, ASSAY_SETTING_INPUTS_ARE_PARAMETERS, TRUE);
      return;
    }
  *equals = '\0';
  if (g_str_equal (word, "on"))
    options->runner = equals + 1;
  else if (g_str_equal (word, "target"))
    options->target = equals + 1;
  else if (g_str_equal (word, "rtol"))
    options->rtol = g_ascii_strtod (equals + 1, NULL);
  else if (g_str_equal (word, "atol"))
    options->atol = g_ascii_strtod (equals + 1, NULL);
  else
    assay_settings_set_number (&options->settings, ASSAY_SETTING_DEPTH, word,
                               g_ascii_strtoll (equals + 1, NULL, 10));
}

static void
run_block (GString *anew, const char *block)
{
  g_auto (GStrv) lines = g_strsplit (block, "\n", -1);
  g_auto (GStrv) words = g_strsplit (lines[0], " ", -1);
  g_autofree char *root = g_dir_make_tmp ("assay-case-XXXXXX", NULL);
  g_autofree char *model = g_build_filename (root, "model.nnir", NULL);
  g_autofree char *set = NULL;
  g_autoptr (GString) body = g_string_new (NULL);
  g_autoptr (AssaySettings) settings = assay_settings_new ();
  AssayConformanceOptions options = { .runner = "reference", .rtol = 1e-3, .atol = 1e-7 };
  g_autoptr (AssayConformanceResult) result = NULL;
  guint n_sets = 0;

  for (guint i = 0; lines[i] != NULL && *lines[i] != '|'; i++)
    {
      gboolean is_tensor = g_str_has_prefix (lines[i], "input ") ||
                           g_str_has_prefix (lines[i], "output ");

      g_string_append_printf (anew, "%s\n", lines[i]);
      if (is_tensor && set == NULL)
        {
          set = g_strdup_printf ("%s/test_data_set_%u", root, n_sets++);
          g_assert_cmpint (g_mkdir (set, 0700), ==, 0);
        }
      if (is_tensor)
        write_tensor (set, lines[i]);
      else if (g_str_equal (lines[i], "next set"))
        g_clear_pointer (&set, g_free);
      else if (i > 0)
        g_string_append_printf (body, "%s\n", lines[i]);
    }
  options.settings = assay_settings_ref (settings);
  for (guint i = 1; words[i] != NULL; i++)
    set_option (&options, words[i]);
  g_assert_true (g_file_set_contents (model, body->str, -1, NULL));
  g_test_message ("%s", lines[0]);

  result = assay_conformance_run_case (root, &options, NULL);
  {
    g_autoptr (GString) text = g_string_new (NULL);

    g_string_append_printf (text, "| %s in %s, rule %s, predicted %s, %s; %s; %s%s%s",
                            assay_conformance_status_name (result->status), result->stage,
                            result->rule != NULL ? result->rule : "none",
                            result->predicted != NULL ? result->predicted : "nothing",
                            result->operators != NULL ? result->operators : "no operators",
                            result->categories != NULL ? result->categories : "no categories",
                            result->dtypes != NULL ? result->dtypes : "no types",
                            result->message != NULL ? "\n| " : "",
                            result->message != NULL ? result->message : "");
    g_string_replace (text, root, "FOLDER", 0);
    g_string_append_printf (anew, "%s\n", text->str);
  }
  assay_settings_unref (options.settings);
  folder_remove (root);
}

static void
test_cases (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "work", "cases.txt", NULL);
  g_autofree char *expected = NULL;
  g_autoptr (GString) anew = g_string_new (NULL);
  g_auto (GStrv) blocks = NULL;

  g_assert_true (g_file_get_contents (path, &expected, NULL, NULL));
  blocks = g_strsplit (expected, "\n\n", -1);
  g_string_append_printf (anew, "%s\n", blocks[0]);
  for (guint i = 1; blocks[i] != NULL; i++)
    {
      g_string_append_c (anew, '\n');
      run_block (anew, g_strchomp (blocks[i]));
    }
  golden_check (path, anew->str);
}

/* A status is bad, passed or a surprise by what the target said before. */
static void
test_statuses (void)
{
  static const struct
  {
    const char *name;
    gboolean bad, passed;
  } rows[ASSAY_N_CONFORMANCE_STATUSES] = {
    { "PASS", FALSE, TRUE },    { "FAIL", TRUE, FALSE },  { "XFAIL", FALSE, FALSE },
    { "XPASS", TRUE, TRUE },    { "SKIP", FALSE, FALSE }, { "PASS-ON-HOST", FALSE, TRUE },
    { "TIMEOUT", TRUE, FALSE }, { "CRASH", TRUE, FALSE },
  };
  static const char *const predictions[] = { "takes", "host", "refuses" };

  for (AssayConformanceStatus status = 0; status < ASSAY_N_CONFORMANCE_STATUSES; status++)
    {
      g_autoptr (AssayConformanceResult) result = assay_conformance_result_new ("case");
      AssayConformanceStatus read;

      result->status = status;
      g_assert_cmpstr (assay_conformance_status_name (status), ==, rows[status].name);
      g_assert_true (assay_conformance_status_from_name (rows[status].name, &read));
      g_assert_cmpint (read, ==, status);
      g_assert_cmpint (assay_conformance_status_is_bad (status), ==, rows[status].bad);
      g_assert_cmpint (assay_conformance_result_passed (result), ==, rows[status].passed);
      g_assert_false (assay_conformance_result_is_surprise (result));
      for (guint i = 0; i < G_N_ELEMENTS (predictions); i++)
        {
          g_free (result->predicted);
          result->predicted = g_strdup (predictions[i]);
          g_assert_cmpint (assay_conformance_result_is_surprise (result), ==,
                           status != ASSAY_CONFORMANCE_SKIP && rows[status].passed == (i == 2));
        }
    }
}

TEST_PROGRAM (conformance_cases)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/conformance-cases/all", test_cases);
  g_test_add_func ("/conformance-cases/statuses", test_statuses);

  return g_test_run ();
}
