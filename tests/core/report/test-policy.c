/* test-policy.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "base/assay-error.h"
#include "report/assay-policy.h"

#include "test-program.h"

static AssayPolicy *
load (const char *text, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));

  return assay_policy_load_bytes (bytes, "p.json", NULL, error);
}

static GDateTime *
day (int year, int month, int date)
{
  return g_date_time_new_utc (year, month, date, 12, 0, 0);
}

static void
test_read (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayPolicy)
      policy = load ("{\n"
                     "  \"schema\": \"assay.policy/1\",\n"
                     "  \"entries\": [\n"
                     "    {\"rule\": \"reduce.axis\", \"reason\": \"on the host\"},\n"
                     "    {\"rule\": \"pad\", \"op_type\": \"Pad\", \"node\": \"a/*\",\n"
                     "     \"target\": \"t\",\n"
                     "     \"reason\": \"small\", \"expires\": \"2027-02-28\", \"by\": \"kim\"}\n"
                     "  ]\n"
                     "}\n",
                     &error);
  const AssayPolicyEntry *entry;

  g_assert_no_error (error);
  g_assert_cmpuint (assay_policy_get_n_entries (policy), ==, 2);
  g_assert_cmpstr (assay_policy_get_name (policy), ==, "p.json");
  entry = assay_policy_get_entry (policy, 0);
  g_assert_cmpstr (entry->rule, ==, "reduce.axis");
  g_assert_null (entry->op_type);
  g_assert_cmpuint (entry->line, ==, 4);
  entry = assay_policy_get_entry (policy, 1);
  g_assert_cmpstr (entry->node, ==, "a/*");
  g_assert_cmpstr (entry->by, ==, "kim");
  g_assert_cmpuint (entry->line, ==, 5);
}

/* Whatever is wrong is told with line and member. */
static void
test_refused (void)
{
  static const struct
  {
    const char *text;
    const char *expected;
  } cases[] = {
    { "", "p.json: not a JSON text" },
    { "[]", "p.json: line 1, column 1: an object expected" },
    { "{\"schema\": \"\\ud800\\ud800\"}", "p.json: " },
    { "{\"schema\": \"\\udc00\"}", "p.json: " },
    { "{\"schema\": \"\\ud800x\"}", "p.json: " },
    { "{\"schema\": \"\\u12\"}", "p.json: " },
    { "{\"schema\": \"\\x\"}", "p.json: " },
    { "{\"schema\": \"\\u0000\"}", "p.json: " },
    { "{} {}", "nothing expected after the end" },
    { "{\v}", "p.json: " },
    { "{\"a\": 1, \"a\": 2}", "p.json: " },
    { "nul", "p.json: " },
    { "{\"a\": }", "p.json: " },
    { "{\"a\": 01}", "p.json: " },
    { "{\"schema\": \"\\ud83d\\ude00\"}", "entries" },
    { "{\"schema\": \"assay.policy/1\",\n \"entries\": [\n{\"rule\": \"a\", \"reason\": \"b\",\n"
      "\"expires\": \"2027-02-28x\"}]}",
      "line 4, column 12: entries[0].expires: must be a date" },
    { "{\"schema\": \"assay.policy/1\",\n \"entries\": [\n{\"rule\": \"a\", \"reason\": \"b\",\n"
      "\"expires\": \"0000-01-01\"}]}",
      "line 4, column 12: entries[0].expires: must be a date" },
    { "{\"schema\": \"assay.policy/1\",\n \"entries\": [\n{\"rule\": \"a\", \"reason\": \"b\",\n"
      "\"expires\": \"2027-13-01\"}]}",
      "line 4, column 12: entries[0].expires: must be a date" },
    { "{\"schema\": \"assay.policy/1\",\n \"entries\": [\n{\"rule\": \"a\", \"reason\": \"b\",\n"
      "\"expires\": \"2027-01-32\"}]}",
      "line 4, column 12: entries[0].expires: must be a date" },
    { "{\"schema\": \"assay.policy/1\",\n \"entries\": [\n{\"rule\": \"a\", \"reason\": \"b\",\n"
      "\"expires\": \"2027/01/01\"}]}",
      "line 4, column 12: entries[0].expires: must be a date" },
    { "{\"schema\": \"assay.policy/1\",\n \"entries\": [\n{\"rule\": \"a\", \"reason\": \"b\",\n"
      "\"expires\": \"27-01-01\"}]}",
      "line 4, column 12: entries[0].expires: must be a date" },
    { "{\"schema\": \"assay.policy/1\"", "p.json: " },
    { "{\"entries\": []}", "schema" },
    { "{\"schema\": \"assay.policy/2\", \"entries\": []}",
      "p.json: line 1, column 12: schema: \"assay.policy/2\", expected" },
    { "{\"schema\": \"assay.policy/1\",\n \"entries\": {}}", "line 2, column 13: entries" },
    { "{\"schema\": \"assay.policy/1\",\n \"entries\": [\n3]}",
      "line 3, column 1: entries[0]: object expected" },
    { "{\"schema\": \"assay.policy/1\",\n \"entries\": [\n{\"rule\": \"a\"}]}",
      "line 3, column 1: entries[0]" },
    { "{\"schema\": \"assay.policy/1\",\n \"entries\": [\n{\"rule\": \"a\",\n\"reason\": 3}]}",
      "line 4, column 11: entries[0].reason" },
    { "{\"schema\": \"assay.policy/1\",\n \"entries\": [\n{\"rule\": \"a\",\n\"reason\": \" \"}]}",
      "line 4, column 11: entries[0].reason: must not be empty" },
    { "{\"schema\": \"assay.policy/1\",\n \"entries\": [\n{\"rule\": \"a\", \"reason\": \"b\",\n"
      "\"expires\": \"2027-02-29\"}]}",
      "line 4, column 12: entries[0].expires: must be a date" },
    { "{\"schema\": \"assay.policy/1\",\n \"entries\": [\n{\"rule\": \"a\", \"reason\": \"b\", "
      "\"nod\": \"c\"}]}",
      "did you mean \"node\"" },
    { "{\"schema\": \"assay.policy/1\",\n \"entries\": [\n{\"rule\": \"a\", \"reason\": \"b\"},\n"
      "{\"rule\": \"a\", \"reason\": \"c\"}]}",
      "line 4, column 1: entries[1]: line 3 accepts the same" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (load (cases[i].text, &error));
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
      if (strstr (error->message, cases[i].expected) == NULL)
        g_error ("“%s” does not say “%s”", error->message, cases[i].expected);
    }
}

static void
test_too_many (void)
{
  GString *text = g_string_new ("{\"schema\": \"assay.policy/1\", \"entries\": [");
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < 10001; i++)
    g_string_append_printf (text, "%s{\"rule\": \"r%u\", \"reason\": \"x\"}", i > 0 ? "," : "", i);
  g_string_append (text, "]}");
  g_assert_null (load (text->str, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
  g_assert_nonnull (strstr (error->message, "10001 entries are more than"));
  g_string_free (text, TRUE);
}

static void
test_patterns (void)
{
  static const struct
  {
    const char *pattern;
    const char *name;
    gboolean expected;
  } cases[] = {
    { "conv1", "conv1", TRUE },
    { "conv1", "conv12", FALSE },
    { "*", "", TRUE },
    { "*", "anything", TRUE },
    { "a/*", "a/b/c", TRUE },
    { "a/*", "b/a/c", FALSE },
    { "*/mean", "a/b/mean", TRUE },
    { "*/mean", "a/mean2", FALSE },
    { "a*b*c", "a1b2b3c", TRUE },
    { "a*b*c", "a1c2b", FALSE },
    { "layer.?", "layer.3", TRUE },
    { "layer.?", "layer.12", FALSE },
    { "?", "é", TRUE },
    { "??", "é", FALSE },
    { "**x**", "axb", TRUE },
    { "[ab]", "a", FALSE },
    { "", "a", FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const AssayPolicyEntry entry = { .rule = (char *) "r", .node = (char *) cases[i].pattern };
      const AssayPolicySubject subject = { "r", "Op", cases[i].name, "t" };

      if (assay_policy_entry_matches (&entry, &subject) != cases[i].expected)
        g_error ("“%s” and “%s”", cases[i].pattern, cases[i].name);
    }
}

/* A pattern that makes a matcher that tries everything run for ages. */
static void
test_hostile_pattern (void)
{
  GString *pattern = g_string_new (NULL);
  g_autofree char *name = g_strnfill (5000, 'a');
  const AssayPolicySubject subject = { "r", "Op", name, "t" };
  AssayPolicyEntry entry = { .rule = (char *) "r" };

  for (guint i = 0; i < 100; i++)
    g_string_append (pattern, "*a");
  g_string_append_c (pattern, 'b');
  entry.node = pattern->str;
  g_assert_false (assay_policy_entry_matches (&entry, &subject));
  g_string_free (pattern, TRUE);
}

static void
test_match (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayPolicy)
      policy = load ("{\"schema\": \"assay.policy/1\", \"entries\": ["
                     "{\"rule\": \"r\", \"op_type\": \"Pad\", \"reason\": \"one\"},"
                     "{\"rule\": \"r\", \"target\": \"t\", \"reason\": \"two\","
                     " \"expires\": \"2026-11-21\"},"
                     "{\"rule\": \"r\", \"node\": \"n*\", \"reason\": \"three\"},"
                     "{\"rule\": \"import.order\", \"reason\": \"four\"}]}",
                     &error);
  static const struct
  {
    AssayPolicySubject subject;
    const char *on_the_day;
    const char *the_day_after;
  } cases[] = {
    { { "r", "Pad", "n1", "t" }, "one", "one" },
    { { "r", "Add", "n1", "t" }, "two", "three" },
    { { "r", "Add", "m1", "t" }, "two", NULL },
    { { "r", "Add", "m1", "u" }, NULL, NULL },
    { { "s", "Pad", "n1", "t" }, NULL, NULL },
    { { "import.order", NULL, NULL, "t" }, "four", "four" },
  };
  g_autoptr (GDateTime) on = day (2026, 11, 21);
  g_autoptr (GDateTime) after = day (2026, 11, 22);

  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const AssayPolicyEntry *entry = assay_policy_match (policy, &cases[i].subject, on);

      g_assert_cmpstr (entry != NULL ? entry->reason : NULL, ==, cases[i].on_the_day);
      entry = assay_policy_match (policy, &cases[i].subject, after);
      g_assert_cmpstr (entry != NULL ? entry->reason : NULL, ==, cases[i].the_day_after);
    }
}

/* Added, replaced, refused, removed, saved and read again. */
static void
test_change (void)
{
  g_autofree char *folder = g_dir_make_tmp ("assay-test-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "policy.json", NULL);
  g_autofree char *nowhere = g_build_filename (folder, "no", "policy.json", NULL);
  g_autoptr (AssayPolicy) policy = assay_policy_new ();
  g_autoptr (AssayPolicy) read = NULL;
  g_autoptr (GError) error = NULL;
  AssayPolicyEntry entry = { .rule = (char *) "r",
                             .node = (char *) "n",
                             .reason = (char *) "first \"word\"" };

  g_assert_true (assay_policy_add (policy, &entry, &error));
  entry.reason = (char *) "second";
  g_assert_true (assay_policy_add (policy, &entry, &error));
  g_assert_cmpuint (assay_policy_get_n_entries (policy), ==, 1);
  entry.node = (char *) "m";
  entry.expires = (char *) "2030-01-01";
  g_assert_true (assay_policy_add (policy, &entry, &error));

  entry.expires = (char *) "soon";
  g_assert_false (assay_policy_add (policy, &entry, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
  g_assert_cmpstr (error->message, ==, "the expires must be a date such as 2027-03-31");
  g_clear_error (&error);
  entry.expires = NULL;
  entry.reason = NULL;
  g_assert_false (assay_policy_add (policy, &entry, &error));
  g_assert_cmpstr (error->message, ==, "the reason is missing");
  g_clear_error (&error);

  g_assert_true (assay_policy_save (policy, path, &error));
  g_assert_cmpstr (assay_policy_get_name (policy), ==, path);
  read = assay_policy_load (path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (assay_policy_get_n_entries (read), ==, 2);
  g_assert_cmpstr (assay_policy_get_entry (read, 0)->reason, ==, "second");
  g_assert_cmpstr (assay_policy_get_entry (read, 1)->expires, ==, "2030-01-01");
  g_assert_cmpuint (assay_policy_get_entry (read, 1)->line, >, 1);
  assay_policy_remove (read, assay_policy_get_entry (read, 0));
  g_assert_cmpstr (assay_policy_get_entry (read, 0)->node, ==, "m");

  g_assert_false (assay_policy_save (policy, nowhere, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_SAVE);
  g_clear_error (&error);
  g_assert_null (assay_policy_load (nowhere, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IO);
  g_unlink (path);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

TEST_PROGRAM (policy)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/policy/read", test_read);
  g_test_add_func ("/policy/refused", test_refused);
  g_test_add_func ("/policy/too-many", test_too_many);
  g_test_add_func ("/policy/patterns", test_patterns);
  g_test_add_func ("/policy/hostile-pattern", test_hostile_pattern);
  g_test_add_func ("/policy/match", test_match);
  g_test_add_func ("/policy/change", test_change);

  return g_test_run ();
}
