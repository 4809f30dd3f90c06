/* test-manual.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The manual of the machine against the tables that it is about: each row is there, once, and says
 * the same.
 */
#include <glib.h>
#include <json-glib/json-glib.h>
#include <string.h>

#include "backend/stream/machine/assay-instruction.h"
#include "nnir/assay-op.h"
#include "backend/assay-config.h"

static char *
read_page (const char *name)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "..", "docs", name, NULL);
  g_autoptr (GError) error = NULL;
  char *text;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);

  return text;
}

/* The part of a page from one heading to the next of its level. */
static char *
section (const char *page, const char *heading)
{
  g_autofree char *line = g_strdup_printf ("\n## %s\n", heading);
  const char *start = strstr (page, line);
  const char *end;

  g_assert_nonnull (start);
  start += strlen (line);
  end = strstr (start, "\n## ");

  return end == NULL ? g_strdup (start) : g_strndup (start, (gsize) (end - start) + 1);
}

static guint
count (const char *text, const char *what)
{
  guint n = 0;

  for (const char *at = text; (at = strstr (at, what)) != NULL; at += strlen (what))
    n++;

  return n;
}

static void
expect_row (const char *text, guint n, const char *row)
{
  if (count (text, row) != n)
    g_test_message ("%u times, expected %u: %s", count (text, row), n, row);
  g_assert_cmpuint (count (text, row), ==, n);
}

static void
test_instructions (void)
{
  g_autofree char *page = read_page ("machine.md");
  g_autofree char *text = section (page, "Instructions");

  for (guint i = 0; i < ASSAY_N_OPCODES; i++)
    {
      const AssayOpcodeInfo *info = assay_opcode_get_info ((AssayOpcode) i);
      g_autofree char *row = g_strdup_printf ("\n| `%s` | %s | `%s` | %s |\n", info->name,
                                              assay_unit_name (info->unit), info->operands,
                                              info->doc);
      g_autofree char *numbers = g_strdup_printf ("| `%s` |", info->name);

      expect_row (text, 1, row + 1);
      /* Once in the table of operands, once in that of results and cycles. */
      expect_row (text, 2, numbers);
    }
  g_assert_cmpuint (count (text, "\n| `"), ==, 2 * ASSAY_N_OPCODES);
}

static void
test_functions (void)
{
  static const char *const rows[] = {
#define FUNCTION(id, name, doc) "| `" name "` | " doc " |\n",
#include "backend/stream/machine/kernels/assay-functions.def"
#undef FUNCTION
  };
  g_autofree char *page = read_page ("machine.md");
  g_autofree char *text = section (page, "Functions");

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    expect_row (text, 1, rows[i]);
  g_assert_cmpuint (count (text, "\n| `"), ==, ASSAY_N_FUNCTIONS);
}

static guint
expect_members (const char *text, JsonObject *object)
{
  g_autoptr (GList) names = json_object_get_members (object);

  for (GList *name = names; name != NULL; name = name->next)
    {
      g_autofree char *row = g_strdup_printf ("\n| `%s` | ", (const char *) name->data);

      expect_row (text, 1, row);
    }

  return g_list_length (names);
}

static void
test_configuration (void)
{
  g_autofree char *page = read_page ("machine.md");
  g_autofree char *configuration = section (page, "Configuration");
  g_autofree char *timing = section (page, "Timing");
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayConfig) config = assay_config_new (2, 32, &error);
  g_autoptr (JsonObject) json = NULL;
  guint n;

  g_assert_no_error (error);
  json = assay_config_to_json (config);
  n = expect_members (timing, json_object_get_object_member (json, "timing"));
  g_assert_cmpuint (count (timing, "\n| `"), ==, n);
  json_object_remove_member (json, "estimated");
  n = expect_members (configuration, json);
  g_assert_cmpuint (count (configuration, "\n| `"), ==, n);
}

/* Every operation that can be compiled has a row in the manual of the numbers. */
static void
test_operations (void)
{
  static const char *const names[] = {
#define LOWER(op, function) #op,
#include "backend/stream/compile/assay-lower-ops.def"

#include "test-program.h"
#undef LOWER
  };
  g_autofree char *page = read_page ("numerics.md");
  g_autofree char *text = section (page, "Operations");

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *pattern = g_strdup_printf ("(?m)^\\| (\\w+, )*%s(, \\w+)* \\|", names[i]);

      if (!g_regex_match_simple (pattern, text, 0, 0))
        g_error ("docs/numerics.md: no row has the operation %s", names[i]);
    }
}

TEST_PROGRAM (manual)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/manual/instructions", test_instructions);
  g_test_add_func ("/manual/functions", test_functions);
  g_test_add_func ("/manual/configuration", test_configuration);
  g_test_add_func ("/manual/operations", test_operations);

  return g_test_run ();
}
