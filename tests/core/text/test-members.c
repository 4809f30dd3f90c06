/* test-members.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Members of JSON objects, as each reading function takes them: the value, or what is said of
 * another.
 */
#include <glib/gstdio.h>

#include "base/assay-error.h"
#include "text/assay-json-reader.h"

#include "folder.h"
#include "test-program.h"

static AssayJsonReader *
read_text (const char *text, AssayFindings *findings)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autoptr (GError) error = NULL;
  AssayJsonReader *reader = assay_json_reader_new (bytes, "x.json", NULL, findings, &error);

  g_assert_no_error (error);

  return reader;
}

static char *
read_string (AssayJsonReader *reader)
{
  const char *value = assay_json_reader_string (reader, assay_json_reader_root (reader), "a");

  return g_strdup (value != NULL ? value : "none");
}

static char *
read_bool (AssayJsonReader *reader)
{
  JsonObject *root = assay_json_reader_root (reader);
  gboolean or_false = assay_json_reader_bool (reader, root, "a", FALSE);

  return g_strdup_printf ("%d %d", or_false, assay_json_reader_bool (reader, root, "b", TRUE));
}

static char *
read_choice (AssayJsonReader *reader)
{
  static const char *const names[] = { "left", "right", "middle", NULL };

  return g_strdup_printf (
      "%d", assay_json_reader_choice (reader, assay_json_reader_root (reader), "a", names, -7));
}

static char *
read_object (AssayJsonReader *reader)
{
  JsonObject *object = assay_json_reader_object (reader, assay_json_reader_root (reader), "a");

  return object != NULL ? g_strdup_printf ("%u members", json_object_get_size (object))
                        : g_strdup ("none");
}

static char *
read_array (AssayJsonReader *reader)
{
  JsonArray *array = assay_json_reader_array (reader, assay_json_reader_root (reader), "a");

  return array != NULL ? g_strdup_printf ("%u elements", json_array_get_length (array))
                       : g_strdup ("none");
}

static char *
read_strings (AssayJsonReader *reader)
{
  g_autoptr (GPtrArray) strings = assay_json_reader_strings_at (
      reader, assay_json_reader_root (reader), "a", "word or words");

  g_ptr_array_add (strings, NULL);

  return g_strjoinv (",", (char **) strings->pdata);
}

static char *
read_int (AssayJsonReader *reader)
{
  return g_strdup_printf (
      "%d", (int) assay_json_reader_int (reader, assay_json_reader_root (reader), "a", 3, 5, -7));
}

static char *
read_least (AssayJsonReader *reader)
{
  return g_strdup_printf ("%d",
                          (int) assay_json_reader_int (reader, assay_json_reader_root (reader), "a",
                                                       3, G_MAXINT64, -7));
}

static char *
read_any_int (AssayJsonReader *reader)
{
  return g_strdup_printf ("%d",
                          (int) assay_json_reader_int (reader, assay_json_reader_root (reader), "a",
                                                       G_MININT64, G_MAXINT64, -7));
}

static char *
read_double (AssayJsonReader *reader)
{
  return g_strdup_printf (
      "%g", assay_json_reader_double (reader, assay_json_reader_root (reader), "a", 100));
}

static char *
read_schema (AssayJsonReader *reader)
{
  return g_strdup_printf (
      "%d", assay_json_reader_schema (reader, assay_json_reader_root (reader), "assay.test/1"));
}

static char *
read_members (AssayJsonReader *reader)
{
  static const char *const allowed[] = { "name", "rules", "values", NULL };
  static const char *const required[] = { "name", "rules", NULL };

  return g_strdup_printf (
      "%d", assay_json_reader_members (reader, assay_json_reader_root (reader), allowed, required));
}

/* Every way of going through something, with where each element is. */
static char *
join_each (AssayJsonReader *reader, AssayJsonEach each, gboolean objects)
{
  GString *text = g_string_new (NULL);

  while (objects ? assay_json_each_next_object (&each) : assay_json_each_next (&each))
    g_string_append_printf (text, "%s%u %s %s%s", text->len > 0 ? ", " : "", each.index,
                            reader->path->str, each.name != NULL ? each.name : "-",
                            each.object != NULL ? " object" : "");
  g_string_append_printf (text, "; back at '%s'", reader->path->str);

  return g_string_free (text, FALSE);
}

static char *
each_list (AssayJsonReader *reader)
{
  return join_each (
      reader, assay_json_each_in_list (reader, assay_json_reader_root (reader), "a", 2), FALSE);
}

static char *
each_object (AssayJsonReader *reader)
{
  return join_each (
      reader, assay_json_each_in_object (reader, assay_json_reader_root (reader), "a"), FALSE);
}

static char *
each_root (AssayJsonReader *reader)
{
  return join_each (
      reader, assay_json_each_in_object (reader, assay_json_reader_root (reader), NULL), FALSE);
}

static char *
each_next_object (AssayJsonReader *reader)
{
  return join_each (
      reader, assay_json_each_in_list (reader, assay_json_reader_root (reader), "a", G_MAXUINT),
      TRUE);
}

static const struct
{
  char *(*read) (AssayJsonReader *reader);
  const char *text;
  const char *value;
  const char *finding; /* of the only one, behind its place; NULL for none */
} cases[] = {
  { read_string, "{\"a\": \"b\"}", "b", NULL },
  { read_string, "{}", "none", NULL },
  { read_string, "{\"a\": 1}", "none", "line 1, column 7: a: string expected, got 1" },
  { read_string, "{\"a\": null}", "none", "line 1, column 7: a: string expected, got null" },
  { read_string, "{\n \"a\": [\"b\"]}", "none",
    "line 2, column 7: a: string expected, got [\"b\"]" },
  { read_bool, "{\"a\": true, \"b\": false}", "1 0", NULL },
  { read_bool, "{}", "0 1", NULL },
  { read_bool, "{\"a\": 1}", "0 1", "line 1, column 7: a: true or false expected, got 1" },
  { read_choice, "{\"a\": \"left\"}", "0", NULL },
  { read_choice, "{\"a\": \"middle\"}", "2", NULL },
  { read_choice, "{}", "-7", NULL },
  { read_choice, "{\"a\": \"rigth\"}", "-7",
    "line 1, column 7: a: unknown a \"rigth\"; did you mean \"right\"?" },
  { read_choice, "{\"a\": \"below\"}", "-7", "line 1, column 7: a: unknown a \"below\"" },
  { read_object, "{\"a\": {\"b\": 1, \"c\": 2}}", "2 members", NULL },
  { read_object, "{\"a\": []}", "none", "line 1, column 7: a: object expected, got []" },
  { read_array, "{\"a\": [1, 2, 3]}", "3 elements", NULL },
  { read_array, "{\"a\": {}}", "none", "line 1, column 7: a: list expected, got {}" },
  { read_strings, "{\"a\": [\"b\", \"c\"]}", "b,c", NULL },
  { read_strings, "{\"a\": \"b\"}", "b", NULL },
  { read_strings, "{}", "", NULL },
  { read_strings, "{\"a\": [\"b\", 2]}", "b", "line 1, column 13: a[1]: string expected, got 2" },
  { read_strings, "{\"a\": 2}", "", "line 1, column 7: a: word or words expected, got 2" },
  { read_int, "{\"a\": 3}", "3", NULL },
  { read_int, "{\"a\": 5}", "5", NULL },
  { read_int, "{}", "-7", NULL },
  { read_int, "{\"a\": 2}", "-7",
    "line 1, column 7: a: a whole number from 3 to 5 expected, got 2" },
  { read_int, "{\"a\": 6}", "-7",
    "line 1, column 7: a: a whole number from 3 to 5 expected, got 6" },
  { read_int, "{\"a\": 4.5}", "-7",
    "line 1, column 7: a: a whole number from 3 to 5 expected, got 4.5" },
  { read_least, "{\"a\": 1000}", "1000", NULL },
  { read_least, "{\"a\": 2}", "-7",
    "line 1, column 7: a: a whole number of at least 3 expected, got 2" },
  { read_any_int, "{\"a\": -1000}", "-1000", NULL },
  { read_any_int, "{\"a\": \"1\"}", "-7",
    "line 1, column 7: a: a whole number expected, got \"1\"" },
  { read_double, "{\"a\": 1.5}", "1.5", NULL },
  { read_double, "{\"a\": -100}", "-100", NULL },
  { read_double, "{}", "0", NULL },
  { read_double, "{\"a\": 100.5}", "0",
    "line 1, column 7: a: a number of sensible size expected, got 100.5" },
  { read_double, "{\"a\": true}", "0",
    "line 1, column 7: a: a number of sensible size expected, got true" },
  { read_schema, "{\"schema\": \"assay.test/1\"}", "1", NULL },
  { read_schema, "{\"schema\": \"assay.test/2\"}", "0",
    "line 1, column 12: schema: \"assay.test/2\", expected \"assay.test/1\"" },
  { read_schema, "{}", "0", "line 1, column 1: schema: \"assay.test/1\" expected, got nothing" },
  { read_members, "{\"name\": 1, \"rules\": 2}", "1", NULL },
  { read_members, "{\"name\": 1, \"rules\": 2, \"values\": 3}", "1", NULL },
  { read_members, "{\"name\": 1}", "0", "line 1, column 1: member \"rules\" is missing" },
  { read_members, "{\"name\": 1, \"rules\": 2, \"vlues\": 3}", "0",
    "line 1, column 34: vlues: unknown member \"vlues\"; did you mean \"values\"?" },
  { each_list, "{\"a\": [1, {}, 3]}", "0 a[0] -, 1 a[1] - object; back at ''", NULL },
  { each_list, "{\"a\": []}", "; back at ''", NULL },
  { each_list, "{}", "; back at ''", NULL },
  { each_list, "{\"a\": 1}", "; back at ''", "line 1, column 7: a: list expected, got 1" },
  { each_object, "{\"a\": {\"b\": 1, \"c\": {}}}", "0 a.b b, 1 a.c c object; back at ''", NULL },
  { each_object, "{}", "; back at ''", NULL },
  { each_root, "{\"a\": 1, \"b\": 2}", "0 a a, 1 b b; back at ''", NULL },
  { each_next_object, "{\"a\": [{}, 1, {}]}", "0 a[0] - object, 2 a[2] - object; back at ''",
    "line 1, column 12: a[1]: object expected, got 1" },
  /* A tree in the wrong place is cut at 58 bytes, between letters. */
  { read_string, "{\"a\": [\"0123456789012345678901234567890123456789012345678901234\", 1]}",
    "none",
    "line 1, column 7: a: string expected, got "
    "[\"0123456789012345678901234567890123456789012345678901234…" },
  { read_string, "{\"a\": [\"01234567890123456789012345678901234567890123456789012\303\244\", 1]}",
    "none",
    "line 1, column 7: a: string expected, got "
    "[\"01234567890123456789012345678901234567890123456789012\303\244…" },
  { read_string, "{\"a\": [\"01234567890123456789012345678901234567890123456789012345\"]}", "none",
    "line 1, column 7: a: string expected, got "
    "[\"01234567890123456789012345678901234567890123456789012345\"]" },
};

static void
test_cases (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AssayFindings) findings = assay_findings_new ();
      g_autoptr (AssayJsonReader) reader = read_text (cases[i].text, findings);
      g_autofree char *value = cases[i].read (reader);
      g_autofree char *expected = g_strdup_printf ("x.json: %s", cases[i].finding);
      g_autoptr (GError) error = NULL;

      g_test_message ("%s", cases[i].text);
      g_assert_cmpstr (value, ==, cases[i].value);
      g_assert_cmpstr (reader->path->str, ==, "");
      g_assert_cmpint (assay_json_reader_finish (reader, &error), ==, cases[i].finding == NULL);
      g_assert_cmpuint (assay_findings_get_count (findings), ==, cases[i].finding != NULL);
      if (cases[i].finding != NULL)
        {
          g_assert_cmpstr (assay_findings_get (findings, 0)->message, ==, cases[i].finding);
          g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
          g_assert_cmpstr (error->message, ==, expected);
        }
    }
}

/* The error is the first finding of this reader, whatever stood in the list before. */
static void
test_finish (void)
{
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (AssayJsonReader) reader = NULL;
  g_autoptr (GError) error = NULL;

  assay_findings_add (findings, ASSAY_SEVERITY_ERROR, "before", NULL, NULL, NULL, -1, "before");
  reader = read_text ("{\"a\": 1}", findings);
  assay_findings_add (findings, ASSAY_SEVERITY_WARNING, "between", NULL, NULL, NULL, -1, "between");
  assay_json_reader_complain (reader, "no %d", 1);
  assay_json_reader_complain_at (reader, "a", "no %d", 2);
  g_assert_false (assay_json_reader_finish (reader, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
  g_assert_cmpstr (error->message, ==,
                   "x.json: line 1, column 1: no 1; there is more that is wrong");
  g_assert_cmpstr (assay_findings_get (findings, 3)->message, ==, "line 1, column 7: a: no 2");
  g_assert_cmpint (assay_findings_get (findings, 3)->offset, ==, 6);
}

/* At most 1 + n / 3 letters differ, whatever their case. */
static void
test_hints (void)
{
  static const struct
  {
    const char *name;
    const char *hint;
  } names[] = {
    { "c", "b" },
    { "xy", NULL },
    { "B", "b" },
    { "poooling", "pooling" },
    { "convlution", "convolution" },
    { "CONVOLUTION", "convolution" },
    { "convoluxxxx", "convolution" },
    { "convolxxxxx", NULL },
    { "pool", NULL },
  };
  g_autoptr (GPtrArray) candidates = g_ptr_array_new ();

  g_ptr_array_add (candidates, (gpointer) "b");
  g_ptr_array_add (candidates, (gpointer) "pooling");
  g_ptr_array_add (candidates, (gpointer) "convolution");
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (AssayFindings) findings = assay_findings_new ();
      g_autoptr (AssayJsonReader) reader = read_text ("{}", findings);
      g_autofree char *expected = NULL;

      expected = names[i].hint != NULL
                     ? g_strdup_printf ("line 1, column 1: unknown op \"%s\"; did you mean \"%s\"?",
                                        names[i].name, names[i].hint)
                     : g_strdup_printf ("line 1, column 1: unknown op \"%s\"", names[i].name);
      assay_json_reader_unknown (reader, "op", names[i].name, candidates);
      g_assert_cmpstr (assay_findings_get (findings, 0)->message, ==, expected);
    }
}

static void
test_load (void)
{
  g_autofree char *folder = g_dir_make_tmp ("assay-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "a.json", NULL);
  g_autoptr (AssayJsonReader) reader = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *expected = g_strdup_printf ("%s: line 1, column 1: an object expected", path);

  g_assert_null (assay_json_reader_load (path, NULL, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IO);
  g_clear_error (&error);

  g_assert_true (g_file_set_contents (path, "[1]", -1, NULL));
  g_assert_null (assay_json_reader_load (path, NULL, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
  g_assert_cmpstr (error->message, ==, expected);
  g_clear_error (&error);

  g_assert_true (g_file_set_contents (path, "{\"a\": 1}", -1, NULL));
  reader = assay_json_reader_load (path, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (json_object_get_size (assay_json_reader_root (reader)), ==, 1);
  folder_remove (folder);
}

TEST_PROGRAM (members)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/text/members/cases", test_cases);
  g_test_add_func ("/text/members/finish", test_finish);
  g_test_add_func ("/text/members/hints", test_hints);
  g_test_add_func ("/text/members/load", test_load);

  return g_test_run ();
}
