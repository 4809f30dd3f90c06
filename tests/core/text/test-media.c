/* test-media.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What names of models look like in each medium that they leave the program through.
 */
#include <string.h>

#include "text/assay-fields.h"
#include "text/assay-json-writer.h"
#include "text/assay-shell.h"
#include "text/assay-terminal.h"
#include "text/assay-xml-writer.h"

#include "test-program.h"

static const char evil[] = "=a\x1b[2J\n,\"'<b>&\xc2\x9b\xe2\x80\xae\xff";

typedef struct
{
  const char *text;
  const char *expected;
} Case;

static void
terminal (GString *text, const char *string)
{
  assay_terminal_append (text, string);
}

static void
check (void (*append) (GString *, const char *), const Case *cases, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GString) text = g_string_new (NULL);

      append (text, cases[i].text);
      g_assert_cmpstr (text->str, ==, cases[i].expected);
    }
}

static void
test_terminal (void)
{
  static const Case cases[] = {
    { "", "" },
    { "conv 1 \xc3\xa4 \xe6\xbc\xa2", "conv 1 \xc3\xa4 \xe6\xbc\xa2" },
    { evil, "=a\\x1b[2J\\x0a,\"'<b>&\\x9b\\u202e\\xff" },
  };

  check (terminal, cases, G_N_ELEMENTS (cases));
  g_assert_cmpuint (assay_terminal_width ("\xe6\xbc\xa2\x1b"), ==, 6);
}

static void
test_format (void)
{
  g_autoptr (GString) text = g_string_new (NULL);

  assay_terminal_append_format (text, "\033[1m%s\n%-4s|%4s|%.1s|%c%%\n", "\n", "\xe6\xbc\xa2", "ab",
                                "xyz", 'c');
  assay_terminal_append_format (text, "%d %5u %-5d| %05d %+d %x %" G_GSIZE_FORMAT " %ld", -1, 2u, 3,
                                4, 5, 255u, (gsize) G_MAXSIZE, 6L);
  assay_terminal_append_format (text, " %" G_GINT64_FORMAT " %.2f %8.3g %g %*d %.17g", G_MININT64,
                                1.5, 2.0, 0.1, 3, 7, 0.1);
  g_assert_cmpstr (text->str, ==,
                   "\033[1m\\x0a\n\xe6\xbc\xa2  |  ab|x|c%\n"
                   "-1     2 3    | 00004 +5 ff 18446744073709551615 6"
                   " -9223372036854775808 1.50        2 0.1   7 0.10000000000000001");
}

static void
test_csv (void)
{
  static const Case csv[] = {
    { "conv", "conv" },
    { "-1.5", "-1.5" },
    { "+3", "+3" },
    { "=cmd|'/c'!A0", "'=cmd|'/c'!A0" },
    { "+a", "'+a" },
    { "-a,b", "\"'-a,b\"" },
    { "@a", "'@a" },
    { "\ta", "'\ta" },
    { "a\x1b\x7f", "a\\x1b\\x7f" },
    { "a\n\"b\"", "\"a\n\"\"b\"\"\"" },
  };
  static const Case tsv[] = {
    { "a\tb\r\nc", "a b  c" },
    { "=a\x1b", "'=a\\x1b" },
    { "-1", "-1" },
  };

  check (assay_fields_append_csv, csv, G_N_ELEMENTS (csv));
  check (assay_fields_append_tsv, tsv, G_N_ELEMENTS (tsv));
}

static void
test_shell (void)
{
  static const Case cases[] = {
    { "a/b.onnx", "a/b.onnx" }, { "", "''" },
    { "a b", "'a b'" },         { "it's", "'it'\\''s'" },
    { "$(id)`", "'$(id)`'" },   { "a\x1b[\n'\\", "$'a\\033[\\012\\'\\\\'" },
  };

  check (assay_shell_append, cases, G_N_ELEMENTS (cases));
}

/* A shell takes out what was put in. */
static void
test_shell_runs (void)
{
  g_autoptr (GString) line = g_string_new ("printf %s ");
  g_autofree char *out = NULL;
  g_autofree char *bash = g_find_program_in_path ("bash");
  const char *argv[] = { bash, "-c", NULL, NULL };

  if (bash == NULL)
    {
      g_test_skip ("no bash");
      return;
    }
  assay_shell_append (line, evil);
  argv[2] = line->str;
  g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, 0, NULL, NULL, &out, NULL, NULL, NULL));
  g_assert_cmpstr (out, ==, evil);
}

static void
test_xml (void)
{
  static const Case cases[] = {
    { "a<b>&\"", "a&lt;b&gt;&amp;&quot;" },
    { evil, "=a\\x1b[2J&#10;,&quot;'&lt;b&gt;&amp;\\x9b\\u202e\\xff" },
  };

  check (assay_xml_append, cases, G_N_ELEMENTS (cases));
}

static void
test_json (void)
{
  g_autofree char *text = NULL;
  AssayJsonWriter json;

  assay_json_writer_init (&json, 0);
  assay_json_writer_begin_object (&json);
  assay_json_writer_begin_member_object (&json, "gone");
  assay_json_writer_end_section (&json);
  assay_json_writer_member (&json, "name", evil);
  assay_json_writer_begin_member_object (&json, "empty");
  assay_json_writer_end_section (&json);
  assay_json_writer_begin_member_object (&json, "section");
  assay_json_writer_member_bool (&json, "there", TRUE);
  assay_json_writer_end_section (&json);
  assay_json_writer_end_object (&json);
  text = assay_json_writer_finish (&json, NULL);

  g_assert_cmpstr (text, ==,
                   "{\"name\": \"=a\\u001b[2J\\n,\\\"'<b>&\\u009b\\u202e\\\\xff\", "
                   "\"section\": {\"there\": true}}\n");
}

TEST_PROGRAM (media)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/text/media/terminal", test_terminal);
  g_test_add_func ("/text/media/format", test_format);
  g_test_add_func ("/text/media/csv", test_csv);
  g_test_add_func ("/text/media/shell", test_shell);
  g_test_add_func ("/text/media/shell-runs", test_shell_runs);
  g_test_add_func ("/text/media/xml", test_xml);
  g_test_add_func ("/text/media/json", test_json);
  return g_test_run ();
}
