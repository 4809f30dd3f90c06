/* test-json-writer.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <json-glib/json-glib.h>
#include <math.h>

#include "base/assay-error.h"
#include "text/assay-json-reader.h"
#include "text/assay-json-writer.h"

#include "test-program.h"

static void
test_layout (void)
{
  g_autofree char *text = NULL;
  AssayJsonWriter json;
  gsize length;

  assay_json_writer_init (&json, 2);
  assay_json_writer_begin_object (&json);
  assay_json_writer_member (&json, "schema", "assay.test/1");
  assay_json_writer_key (&json, "empty");
  assay_json_writer_begin_array (&json);
  assay_json_writer_end_array (&json);
  assay_json_writer_key (&json, "nodes");
  assay_json_writer_begin_array (&json);
  for (int i = 0; i < 2; i++)
    {
      assay_json_writer_begin_object (&json);
      assay_json_writer_member_int (&json, "i", i);
      assay_json_writer_member (&json, "none", NULL);
      assay_json_writer_end_object (&json);
    }
  assay_json_writer_end_array (&json);
  assay_json_writer_end_object (&json);
  text = assay_json_writer_finish (&json, &length);

  g_assert_cmpstr (text, ==,
                   "{\n"
                   "  \"schema\": \"assay.test/1\",\n"
                   "  \"empty\": [],\n"
                   "  \"nodes\": [\n"
                   "    {\"i\": 0, \"none\": null},\n"
                   "    {\"i\": 1, \"none\": null}\n"
                   "  ]\n"
                   "}\n");
  g_assert_cmpuint (length, ==, strlen (text));
}

/* Members that are said again are those that were written, with their commas and line breaks. */
static void
test_repeat (void)
{
  g_autofree char *text = NULL;
  AssayJsonWriter json;
  gsize start = 0, end = 0;

  assay_json_writer_init (&json, 3);
  assay_json_writer_begin_array (&json);
  for (int i = 0; i < 3; i++)
    {
      assay_json_writer_begin_object (&json);
      assay_json_writer_member_int (&json, "i", i);
      if (i > 0)
        {
          assay_json_writer_repeat (&json, start, end);
        }
      else
        {
          start = assay_json_writer_tell (&json);
          assay_json_writer_member (&json, "a", "\"b\"");
          assay_json_writer_member (&json, "c", NULL);
          end = assay_json_writer_tell (&json);
        }
      assay_json_writer_member_bool (&json, "last", i == 2);
      assay_json_writer_end_object (&json);
    }
  assay_json_writer_end_array (&json);
  text = assay_json_writer_finish (&json, NULL);

  g_assert_cmpstr (
      text, ==,
      "[\n"
      "  {\n    \"i\": 0,\n    \"a\": \"\\\"b\\\"\",\n    \"c\": null,\n    \"last\": false\n  },\n"
      "  {\n    \"i\": 1,\n    \"a\": \"\\\"b\\\"\",\n    \"c\": null,\n    \"last\": false\n  },\n"
      "  {\n    \"i\": 2,\n    \"a\": \"\\\"b\\\"\",\n    \"c\": null,\n    \"last\": true\n  }\n"
      "]\n");
}

static void
assert_string (const char *given, const char *expected)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  AssayJsonWriter json;

  assay_json_writer_init (&json, 0);
  assay_json_writer_begin_array (&json);
  assay_json_writer_string (&json, given);
  assay_json_writer_end_array (&json);
  text = assay_json_writer_finish (&json, NULL);

  g_assert_true (g_utf8_validate (text, -1, NULL));
  json_parser_load_from_data (parser, text, -1, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (
      json_array_get_string_element (json_node_get_array (json_parser_get_root (parser)), 0), ==,
      expected);
}

static void
test_strings (void)
{
  assert_string ("", "");
  assert_string ("a \"b\" \\ /c", "a \"b\" \\ /c");
  assert_string ("line\nand\ttab\x01\x7f", "line\nand\ttab\x01\x7f");
  assert_string ("gr\303\274n \342\202\254 \360\237\216\250",
                 "gr\303\274n \342\202\254 \360\237\216\250");
  assert_string ("bad \377 byte", "bad \\xff byte");
  assert_string ("\300\200", "\\xc0\\x80");
  assert_string ("cut \342\202", "cut \\xe2\\x82");
  assert_string ("surrogate \355\240\200", "surrogate \\xed\\xa0\\x80");

  /* Short strings get room for all that they could become, long ones do not. */
  for (gsize length = 4094; length < 4099; length++)
    {
      g_autofree char *quotes = g_strnfill (length, '"');
      g_autofree char *plain = g_strnfill (length, 'a');

      assert_string (quotes, quotes);
      assert_string (plain, plain);
    }
}

/* What is written of one string, without the line end behind it. */
static char *
dup_written (const char *value)
{
  AssayJsonWriter json;
  char *text;

  assay_json_writer_init (&json, 0);
  assay_json_writer_string (&json, value);
  text = assay_json_writer_finish (&json, NULL);
  text[strlen (text) - 1] = '\0';

  return text;
}

/* Every byte at every place of strings that are longer than a machine word and end within one. */
static void
test_places (void)
{
  for (gsize length = 1; length <= 19; length++)
    for (gsize place = 0; place < length; place++)
      for (guint c = 1; c < 0x100; c++)
        {
          char value[20] = { 0 };
          char single[2] = { (char) c };
          g_autofree char *before = g_strnfill (place, 'a');
          g_autofree char *after = g_strnfill (length - place - 1, 'a');
          g_autofree char *alone = NULL;
          g_autofree char *written = NULL;
          g_autofree char *expected = NULL;

          memset (value, 'a', length);
          value[place] = (char) c;
          written = dup_written (value);
          alone = c >= 0x80                  ? g_strdup_printf ("\\\\x%02x", c)
                  : c == '\n'                ? g_strdup ("\\n")
                  : c == '\t'                ? g_strdup ("\\t")
                  : c < 0x20 || c == 0x7f    ? g_strdup_printf ("\\u%04x", c)
                  : strchr ("\"\\", (int) c) ? g_strdup_printf ("\\%c", c)
                                             : g_strdup (single);
          expected = g_strdup_printf ("\"%s%s%s\"", before, alone, after);
          g_assert_cmpstr (written, ==, expected);
        }
}

static void
test_numbers (void)
{
  const double values[] = { 0, -0.0, 0.1, 1.0 / 3, 1e300, 5e-324, 123456789012345680.0, -2.5 };
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  AssayJsonWriter json;
  JsonArray *array;

  assay_json_writer_init (&json, 0);
  assay_json_writer_begin_array (&json);
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    assay_json_writer_double (&json, values[i]);
  assay_json_writer_double (&json, INFINITY);
  assay_json_writer_double (&json, (double) NAN);
  assay_json_writer_int (&json, G_MININT64);
  assay_json_writer_int (&json, G_MAXINT64);
  assay_json_writer_bool (&json, TRUE);
  assay_json_writer_bool (&json, FALSE);
  assay_json_writer_uint (&json, G_MAXUINT64);
  assay_json_writer_end_array (&json);
  text = assay_json_writer_finish (&json, NULL);

  g_assert_nonnull (strstr (text, "18446744073709551615"));
  g_assert_nonnull (strstr (text, " 0.1,"));
  json_parser_load_from_data (parser, text, -1, &error);
  g_assert_no_error (error);
  array = json_node_get_array (json_parser_get_root (parser));
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    {
      double element = json_array_get_double_element (array, i);

      g_assert_cmpmem (&element, sizeof element, &values[i], sizeof values[i]);
    }
  g_assert_true (json_array_get_null_element (array, G_N_ELEMENTS (values)));
  g_assert_true (json_array_get_null_element (array, G_N_ELEMENTS (values) + 1));
  g_assert_cmpint (json_array_get_int_element (array, G_N_ELEMENTS (values) + 2), ==, G_MININT64);
  g_assert_cmpint (json_array_get_int_element (array, G_N_ELEMENTS (values) + 3), ==, G_MAXINT64);
}

/* What is read of a text, written again; NULL if it is refused. */
static char *
dup_read (const char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autoptr (AssayJsonReader) reader = NULL;
  g_autoptr (GError) error = NULL;

  reader = assay_json_reader_new_any (bytes, "text.json", NULL, NULL, &error);
  if (reader != NULL)
    return assay_json_node_to_text (assay_json_reader_root_node (reader), 0);

  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
  g_assert_true (g_str_has_prefix (error->message, "text.json: line 1, column "));

  return NULL;
}

static void
test_reading (void)
{
  static const char *const texts[][2] = {
    { " [ 1 , -2,0, -0.5, 1e3, 1E-2, 2.5e+1 ]\t", "[1, -2, 0, -0.5, 1000, 0.01, 25]" },
    { "{\"a\": [], \"b\": {}, \"c\": null}", "{\"a\": [], \"b\": {}, \"c\": null}" },
    { "[true,\r\ffalse]", NULL },
    { "[true,\r false]", "[true, false]" },
    { "\"\\ue000\"", "\"\356\200\200\"" },
    { "\"\\ud83cxxxxxx\"", NULL },
    { "\"\\ud83c\\n\\n\\n\"", NULL },
    { "9223372036854775807", "9223372036854775807" },
    { "-9223372036854775808", "-9223372036854775808" },
    { "9223372036854775808", "9.223372036854776e+18" },
    { "[-0.0, -0e5, -1e-400, 0.0, -0]", "[-0.0, -0.0, -0.0, 0, 0]" },
    { "\"\\\" \\\\ \\/ \\n \\t\"", "\"\\\" \\\\ / \\n \\t\"" },
    { "\"\\u00fc \\ud83c\\udfa8\"", "\"\303\274 \360\237\216\250\"" },
    { "{\"a\": 1, \"\\u0061\": 2}", NULL }, /* the same name twice */
    { "{\"a\": 1, \"a\": 2}", NULL },
    { "\"\\ud83c\"", NULL },
    { "\"\\udfa8\"", NULL },
    { "\"\\ud83c\\u0041\"", NULL },
    { "\"\\u0000\"", NULL },
    { "\"\\u12\"", NULL },
    { "\"\\x41\"", NULL },
    { "\"open", NULL },
    { "\"open\\", NULL },
    { "01", NULL },
    { "+1", NULL },
    { "-", NULL },
    { "1.", NULL },
    { ".5", NULL },
    { "1e", NULL },
    { "0x10", NULL },
    { "nul", NULL },
    { "TRUE", NULL },
    { "[1 2]", NULL },
    { "[1,]", NULL },
    { "[1}", NULL },
    { "{\"a\" 1}", NULL },
    { "{a: 1}", NULL },
    { "[", NULL },
    { "1 2", NULL },
    { "\"\\ud83c\\ud83c\"", NULL },
    { "\"\\ud83cx\"", NULL },
    { "\"\\ud83c\\n\"", NULL },
    { "\"\\ud83c\\ue000\"", NULL },
    { "\"\\u00g0\"", NULL },
    { "1e+", NULL },
    { "1e5x", NULL },
    { "1.5.5", NULL },
    { "{\"a\": 1]", NULL },
    { "{\"a\": 1 \"b\": 2}", NULL },
    { "{\"\\x\": 1}", NULL },
    { "{\"a", NULL },
    { "[1", NULL },
    { "\x01", NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autofree char *read = dup_read (texts[i][0]);

      g_test_message ("%s", texts[i][0]);
      g_assert_cmpstr (read, ==, texts[i][1]);
    }
}

/* What is refused of a text for its size, and where the last place stands that is known. */
static void
test_limits (void)
{
  static const struct
  {
    const char *begin;
    const char *repeated;
    guint n;
    const char *end;
    const char *message;
  } cases[] = {
    { "[1", ",1", 1000000, "]", "*: more values than such a text can have" },
    { "", "[", 50, "", "*: nested deeper than 48 levels" },
    { "{\"", "name", 200, "\": {\"a\": 1}}", "*: the names of the members that lead here are*" },
    { "\"", "x", 64 << 20, "\"", "text.json: * bytes are more than such a file can have (*)" },
    { "", "", 0, "", "text.json: not a JSON text in UTF-8" },
    { "\"\xff\"", "", 0, "", "text.json: not a JSON text in UTF-8" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      GString *text = g_string_new (cases[i].begin);
      g_autoptr (GBytes) bytes = NULL;
      g_autoptr (AssayJsonReader) reader = NULL;
      g_autoptr (GError) error = NULL;

      for (guint n = 0; n < cases[i].n; n++)
        g_string_append (text, cases[i].repeated);
      g_string_append (text, cases[i].end);
      bytes = g_string_free_to_bytes (text);
      reader = assay_json_reader_new_any (bytes, "text.json", NULL, NULL, &error);
      g_assert_null (reader);
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
      if (!g_pattern_match_simple (cases[i].message, error->message))
        g_error ("“%s”, expected “%s”", error->message, cases[i].message);
    }
}

/* The place of a member that is missing is that of the nearest one around it; of a text with more
 * values than places are kept of, the last ones stand where their list does. */
static void
test_index (void)
{
  static const char small[] = "{\n  \"a\": { \"b\": [ 1,\n    2 ] }\n}";
  g_autoptr (AssayJsonIndex) index = assay_json_index_new (small, strlen (small));
  g_autoptr (GString) text = g_string_new ("[\n [0");
  g_autoptr (AssayJsonIndex) large = NULL;
  guint line, column;
  gsize offset;

  g_assert_true (assay_json_index_find (index, "a.b[1]", &line, &column, &offset));
  g_assert_cmpuint (line, ==, 3);
  g_assert_cmpuint (column, ==, 5);
  g_assert_cmpuint (small[offset], ==, '2');
  g_assert_false (assay_json_index_find (index, "a.c[3].d", &line, &column, &offset));
  g_assert_cmpuint (line, ==, 2);
  g_assert_cmpuint (small[offset], ==, '{');
  g_assert_false (assay_json_index_find (index, "nothing", &line, &column, &offset));
  g_assert_cmpuint (line, ==, 1);

  for (guint i = 0; i < 250000; i++)
    g_string_append (text, ",1");
  g_string_append (text, "]\n]");
  large = assay_json_index_new (text->str, text->len);
  g_assert_true (assay_json_index_find (large, "[0][1000]", &line, &column, &offset));
  g_assert_cmpuint (offset, ==, 4 + 2 * 1000);
  g_assert_false (assay_json_index_find (large, "[0][249999]", &line, &column, &offset));
  g_assert_cmpuint (line, ==, 2);
  g_assert_cmpuint (column, ==, 2);
}

TEST_PROGRAM (json_writer)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/report/json-writer/layout", test_layout);
  g_test_add_func ("/report/json-writer/repeat", test_repeat);
  g_test_add_func ("/report/json-writer/strings", test_strings);
  g_test_add_func ("/report/json-writer/places", test_places);
  g_test_add_func ("/report/json-writer/numbers", test_numbers);
  g_test_add_func ("/report/json-reader/values", test_reading);
  g_test_add_func ("/report/json-reader/limits", test_limits);
  g_test_add_func ("/report/json-reader/index", test_index);
  return g_test_run ();
}
