/* test-written.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Tables, styles and XML as they are written.
 */
#include <string.h>

#include "text/assay-text-table.h"
#include "text/assay-xml-writer.h"

#include "test-program.h"

/* Control characters of Unicode, and what turns the direction of text or ends lines. */
static void
test_steers (void)
{
  static const gunichar ranges[][2] = {
    { 0, 0x1f }, { 0x7f, 0x9f }, { 0x2028, 0x202e }, { 0x2066, 0x2069 }
  };

  for (gunichar c = 0; c < 0x3000; c++)
    {
      gboolean expected = FALSE;

      for (guint i = 0; i < G_N_ELEMENTS (ranges); i++)
        expected = expected || (c >= ranges[i][0] && c <= ranges[i][1]);
      g_assert_cmpint (assay_terminal_steers (c), ==, expected);
    }
}

static void
test_widths (void)
{
  static const struct
  {
    const char *text;
    guint width;
  } cases[] = {
    { "", 0 },
    { "abc ~", 5 },
    { "\303\244", 1 },
    { "a\314\210", 1 }, /* a combining mark */
    { "\346\274\242\345\255\227", 4 },
    { "a\n", 5 },
    { "\342\200\256", 6 },
    { "\177", 4 },
    { "\377b", 5 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GString) text = g_string_new (NULL);

      g_assert_cmpuint (assay_terminal_width (cases[i].text), ==, cases[i].width);
      g_assert_cmpuint (assay_terminal_append (text, cases[i].text), ==, cases[i].width);
    }
}

/* Formats against those of the C library, where it has one. */
static void
test_formats (void)
{
  static const char *const integers[] = { "%d", "%5d|", "%-5d|",   "%05d", "%+d", "% d", "%.3d",
                                          "%x", "%#x",  "%-7.4d|", "%o",   "%c",  "%u" };
  static const char *const doubles[] = { "%f", "%.0f", "%8.3f|", "%-9.2e|",
                                         "%g", "%.3g", "%+G",    "%010.1f" };

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
  for (guint i = 0; i < G_N_ELEMENTS (integers); i++)
    {
      g_autofree char *expected = g_strdup_printf (integers[i], 65);
      g_autoptr (GString) text = g_string_new (NULL);

      assay_terminal_append_format (text, integers[i], 65);
      g_assert_cmpstr (text->str, ==, expected);
    }
  for (guint i = 0; i < G_N_ELEMENTS (doubles); i++)
    {
      g_autofree char *expected = g_strdup_printf (doubles[i], 12.34567);
      g_autoptr (GString) text = g_string_new (NULL);

      assay_terminal_append_format (text, doubles[i], 12.34567);
      g_assert_cmpstr (text->str, ==, expected);
    }
#pragma GCC diagnostic pop
}

static void
test_format_lengths (void)
{
  g_autoptr (GString) text = g_string_new (NULL);

  assay_terminal_append_format (text, "%ld %lld %zu %*d|%-*d|%.*f %5s|%-5s|%.2s|%*s|%%%s", -1L,
                                -2LL, (gsize) 3, 4, 5, 4, 6, 1, 7.25, "ab", "cd", "efgh", 3, "i",
                                "");
  g_assert_cmpstr (text->str, ==, "-1 -2 3    5|6   |7.2    ab|cd   |ef|  i|%");
}

static void
test_styles (void)
{
  static const char *const expected[] = {
    "x",
    "\033[1mx\033[0m",
    "\033[2mx\033[0m",
    "\033[32mx\033[0m",
    "\033[33mx\033[0m",
    "\033[1;31mx\033[0m",
    "\033[36mx\033[0m",
  };

  for (guint style = ASSAY_TEXT_STYLE_PLAIN; style <= ASSAY_TEXT_STYLE_INFO; style++)
    {
      g_autoptr (GString) plain = g_string_new (NULL);
      g_autoptr (GString) coloured = g_string_new (NULL);

      assay_terminal_append_styled (plain, "x", style, FALSE);
      assay_terminal_append_styled (coloured, "x", style, TRUE);
      g_assert_cmpstr (plain->str, ==, "x");
      g_assert_cmpstr (coloured->str, ==, expected[style]);
    }
}

/* A column is as wide as its widest cell that is not too wide; the last one ends without blanks. */
static void
test_table (void)
{
  static const char *const cells[] = { "a", "12", "first",        "a longer name",
                                       "3", NULL, "\346\274\242", "4567",
                                       "b" };
  g_auto (AssayTextTable) table = { 0 };
  g_autoptr (GString) text = g_string_new ("begin\n");

  assay_text_table_init (&table, 3, 5);
  assay_text_table_set_right (&table, 1);
  for (guint i = 0; i < G_N_ELEMENTS (cells); i++)
    assay_text_table_add (&table, cells[i],
                          i == 3 ? ASSAY_TEXT_STYLE_BOLD : ASSAY_TEXT_STYLE_PLAIN);
  assay_text_table_print (&table, text, FALSE);
  g_assert_cmpstr (text->str, ==,
                   "begin\n"
                   "  a     12  first\n"
                   "  a longer name     3\n"
                   "  \346\274\242  4567  b\n");

  g_string_truncate (text, 0);
  assay_text_table_print (&table, text, TRUE);
  g_assert_nonnull (strstr (text->str, "  \033[1ma longer name\033[0m     3\n"));
}

static void
test_facts (void)
{
  g_auto (AssayTextTable) table = { 0 };
  g_autoptr (GString) text = g_string_new (NULL);

  assay_text_table_init (&table, 2, 40);
  assay_text_table_take_fact (&table, "cores", g_strdup ("8"));
  assay_text_table_take_fact (&table, "clock", g_strdup ("450 MHz"));
  assay_text_table_take (&table, g_strdup ("n"), ASSAY_TEXT_STYLE_GOOD);
  assay_text_table_take (&table, g_strdup (""), ASSAY_TEXT_STYLE_PLAIN);
  assay_text_table_print (&table, text, TRUE);
  g_assert_cmpstr (text->str, ==,
                   "  \033[2mcores\033[0m  8\n  \033[2mclock\033[0m  450 MHz\n"
                   "  \033[32mn\033[0m\n");
}

static void
test_xml_text (void)
{
  static const struct
  {
    const char *text;
    const char *expected;
  } cases[] = {
    { "a\tb\nc", "a&#9;b&#10;c" },
    { "\r\001\177\302\205", "\\x0d\\x01\\x7f\\x85" },
    { "\342\200\250\342\201\246", "\\u2028\\u2066" },
    { "\357\277\276\357\277\277\357\277\275", "\\ufffe\\uffff\357\277\275" },
    { "\377\303", "\\xff\\xc3" },
    { "\360\237\216\250 '", "\360\237\216\250 '" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = assay_xml_escape (cases[i].text);

      g_assert_cmpstr (text, ==, cases[i].expected);
    }
}

static void
test_xml_numbers (void)
{
  static const struct
  {
    double number;
    const char *expected;
  } cases[] = {
    { 0, "0" },       { -0.001, "0" },   { 1, "1" },        { 100, "100" },   { 1.5, "1.5" },
    { 1.25, "1.25" }, { 1.254, "1.25" }, { 1.256, "1.26" }, { -2.5, "-2.5" }, { 1e6, "1000000" },
  };
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpstr (assay_xml_format_number (buffer, cases[i].number), ==, cases[i].expected);
}

static void
test_xml (void)
{
  const double points[] = { 0, 1, 2, 3.5, 4 };
  AssayXmlWriter xml;
  gsize length;
  g_autofree char *text = NULL;
  g_autofree char *flat = NULL;

  assay_xml_writer_init (&xml, 2);
  assay_xml_writer_begin (&xml, "a");
  assay_xml_writer_attribute (&xml, "b", "<\"");
  assay_xml_writer_attribute (&xml, "c", NULL);
  assay_xml_writer_attribute_format (&xml, "d", "%d&%s", 7, "e");
  assay_xml_writer_attribute_numbers (&xml, "points", points, G_N_ELEMENTS (points), ',');
  assay_xml_writer_begin (&xml, "f");
  assay_xml_writer_end (&xml);
  assay_xml_writer_text_element (&xml, "g", "x<y");
  assay_xml_writer_begin (&xml, "h");
  assay_xml_writer_begin (&xml, "i");
  assay_xml_writer_end (&xml);
  assay_xml_writer_end (&xml);
  /* Beside text nothing is put onto a line of its own: blanks would belong to the text. */
  assay_xml_writer_begin (&xml, "j");
  assay_xml_writer_text (&xml, "before");
  assay_xml_writer_begin (&xml, "k");
  assay_xml_writer_end (&xml);
  assay_xml_writer_text (&xml, "behind");
  assay_xml_writer_end (&xml);
  assay_xml_writer_end (&xml);
  text = assay_xml_writer_finish (&xml, &length);
  g_assert_cmpuint (length, ==, strlen (text));
  g_assert_cmpstr (text, ==,
                   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                   "<a b=\"&lt;&quot;\" c=\"\" d=\"7&amp;e\" points=\"0,1 2,3.5 4\">\n"
                   "  <f/>\n"
                   "  <g>x&lt;y</g>\n"
                   "  <h>\n"
                   "    <i/>\n"
                   "  </h>\n"
                   "  <j>before<k/>behind</j>\n"
                   "</a>\n");

  assay_xml_writer_init (&xml, 0);
  assay_xml_writer_begin (&xml, "a");
  assay_xml_writer_begin (&xml, "b");
  assay_xml_writer_end (&xml);
  assay_xml_writer_end (&xml);
  flat = assay_xml_writer_finish (&xml, NULL);
  g_assert_cmpstr (flat, ==, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<a>\n<b/>\n</a>\n");
}

TEST_PROGRAM (written)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/text/written/steers", test_steers);
  g_test_add_func ("/text/written/widths", test_widths);
  g_test_add_func ("/text/written/formats", test_formats);
  g_test_add_func ("/text/written/format-lengths", test_format_lengths);
  g_test_add_func ("/text/written/styles", test_styles);
  g_test_add_func ("/text/written/table", test_table);
  g_test_add_func ("/text/written/facts", test_facts);
  g_test_add_func ("/text/written/xml-text", test_xml_text);
  g_test_add_func ("/text/written/xml-numbers", test_xml_numbers);
  g_test_add_func ("/text/written/xml", test_xml);

  return g_test_run ();
}
