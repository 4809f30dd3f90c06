/* test-decisions.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The decisions of a user: edits and their history, and the inputs of runs.
 */
#include <glib/gstdio.h>
#include <string.h>

#include "document/assay-history.h"
#include "document/assay-input-choice.h"
#include "nnir/text/assay-text.h"
#include "source/onnx/assay-tensor-file.h"

#include "folder.h"
#include "test-program.h"

/* One decision: a letter says what is changed, the rest is the value. */
static void
decide (AssayEdits *edits, const char *decision)
{
  const char *value = decision + 1;
  g_autoptr (AssaySettings) setup = NULL;
  g_autoptr (GPtrArray) fixes = NULL;

  switch (decision[0])
    {
    case 't':
      assay_edits_set_target_id (edits, value);
      break;
    case 'l':
      assay_edits_set_tolerance (edits, *value != '\0' ? value : NULL);
      break;
    case 'n':
      assay_edits_set_note (edits, "conv1", value);
      break;
    case 'u':
      assay_edits_set_note (edits, "conv1", NULL);
      break;
    case 's':
      setup = assay_settings_ref (assay_edits_get_setup (edits));
      assay_settings_set_flag (&setup, ASSAY_SETTING_PUBLISHED_ONLY, value[0] == '1');
      assay_edits_set_setup (edits, setup);
      break;
    case 'f':
      fixes = assay_fixes_new ();
      for (guint i = 0; value[i] != '\0'; i++)
        g_ptr_array_add (fixes, assay_fix_new ("fold", NULL, NULL));
      assay_edits_set_fixes (edits, fixes);
      break;
    default:
      g_assert_not_reached ();
    }
}

static void
test_edits (void)
{
  static const struct
  {
    const char *decision;
    const char *label;
  } rows[] = {
    { "t/a/b/own.json", "Target own.json" },
    { "tia_420f_c6b32", "Target ia_420f_c6b32" },
    { "llimits.json", "Tolerances" },
    { "l", "Tolerances" },
    { "n", "Pin conv1" },
    { "nlook", "Note on conv1" },
    { "n", "Note on conv1" },
    { "u", "Unpin conv1" },
    { "nlook", "Note on conv1" },
    { "u", "Unpin conv1" },
    { "f1", "Fix: Fold what is constant" },
    { "f12", "Fix: Fold what is constant" },
    { "f1", "Removing a Fix" },
    { "f", "Removing a Fix" },
  };
  g_autoptr (AssayEdits) edits = assay_edits_new ("first");

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (AssayEdits) before = assay_edits_copy (edits);
      g_autofree char *label = NULL;

      g_assert_true (assay_edits_equal (before, edits));
      decide (edits, rows[i].decision);
      g_assert_false (assay_edits_equal (before, edits));
      g_assert_false (assay_edits_equal (edits, before));
      label = assay_edits_describe_change (before, edits);
      g_assert_cmpstr (label, ==, rows[i].label);
      g_assert_cmpint (assay_edits_same_fixes (before, edits), ==, rows[i].decision[0] != 'f');
      g_assert_cmpint (assay_edits_same_notes (before, edits), ==,
                       strchr ("nu", rows[i].decision[0]) == NULL);
    }
  g_assert_cmpuint (assay_edits_n_notes (edits), ==, 0);
  g_assert_null (assay_edits_get_tolerance (edits));
}

#define SECOND G_TIME_SPAN_SECOND

static void
record (AssayHistory *history, const char *decision, gint64 time)
{
  g_autoptr (AssayEdits) edits = assay_edits_copy (assay_history_get_edits (history));

  decide (edits, decision);
  assay_history_record (history, edits, time);
}

static void
check_history (AssayHistory *history, const char *undo, const char *redo, gboolean modified)
{
  g_assert_cmpstr (assay_history_get_undo_label (history), ==, undo);
  g_assert_cmpstr (assay_history_get_redo_label (history), ==, redo);
  g_assert_cmpint (assay_history_get_modified (history), ==, modified);
}

/* Changes of one thing within two seconds are one, but for what was saved between them. */
static void
test_history (void)
{
  g_autoptr (AssayEdits) edits = assay_edits_new ("a");
  g_autoptr (AssayHistory) history = assay_history_new (edits);

  check_history (history, NULL, NULL, FALSE);
  g_assert_null (assay_history_undo (history));
  g_assert_null (assay_history_redo (history));
  record (history, "ta", 10 * SECOND);
  check_history (history, NULL, NULL, FALSE);

  record (history, "nfirst", 10 * SECOND);
  record (history, "nsecond", 11 * SECOND);
  check_history (history, "Note on conv1", NULL, TRUE);
  record (history, "nthird", 13 * SECOND);
  record (history, "tb", 13 * SECOND);
  check_history (history, "Target b", NULL, TRUE);

  g_assert_cmpstr (assay_edits_get_target_id (assay_history_undo (history)), ==, "a");
  check_history (history, "Note on conv1", "Target b", TRUE);
  g_assert_cmpstr (assay_edits_get_note (assay_history_undo (history), "conv1"), ==, "second");
  g_assert_null (assay_edits_get_note (assay_history_undo (history), "conv1"));
  check_history (history, NULL, "Note on conv1", FALSE);
  g_assert_null (assay_history_undo (history));
  assay_history_redo (history);
  assay_history_redo (history);
  g_assert_cmpstr (assay_edits_get_note (assay_history_get_edits (history), "conv1"), ==, "third");
  check_history (history, "Note on conv1", "Target b", TRUE);

  /* A change after Undo takes what could be done again with it; one right after it stands alone. */
  record (history, "nfourth", 13 * SECOND + 1);
  check_history (history, "Note on conv1", NULL, TRUE);
  g_assert_cmpstr (assay_edits_get_note (assay_history_undo (history), "conv1"), ==, "third");
  assay_history_redo (history);

  record (history, "tc", 20 * SECOND);
  assay_history_mark_saved (history, assay_history_get_edits (history));
  check_history (history, "Target c", NULL, FALSE);
  record (history, "td", 20 * SECOND);
  g_assert_cmpstr (assay_edits_get_target_id (assay_history_undo (history)), ==, "c");
  check_history (history, "Target c", "Target d", FALSE);
}

static void
test_depth (void)
{
  g_autoptr (AssayEdits) edits = assay_edits_new ("0");
  g_autoptr (AssayHistory) history = assay_history_new (edits);
  guint n = 0;

  for (guint i = 1; i <= ASSAY_HISTORY_DEPTH + 5; i++)
    {
      g_autofree char *decision = g_strdup_printf ("t%u", i);

      record (history, decision, i * 10 * SECOND);
    }
  while (assay_history_undo (history) != NULL)
    n++;
  g_assert_cmpuint (n, ==, ASSAY_HISTORY_DEPTH);
  g_assert_cmpstr (assay_edits_get_target_id (assay_history_get_edits (history)), ==, "5");
}

/* What a file of recovery has beyond the saved one is a change per fix. */
static void
test_restore (void)
{
  g_autoptr (AssayEdits) saved = assay_edits_new ("a");
  g_autoptr (AssayEdits) edits = assay_edits_new ("b");
  g_autoptr (AssayHistory) history = assay_history_new (edits);
  guint n = 0;

  decide (saved, "f1");
  decide (edits, "f123");
  assay_history_restore (history, saved, edits);
  g_assert_true (assay_edits_equal (assay_history_get_edits (history), edits));
  g_assert_true (assay_history_get_modified (history));
  while (assay_history_undo (history) != NULL)
    n++;
  g_assert_cmpuint (n, ==, 3);
  g_assert_true (assay_edits_equal (assay_history_get_edits (history), saved));
  g_assert_false (assay_history_get_modified (history));

  assay_history_replace (history, edits);
  g_assert_true (assay_edits_equal (assay_history_get_edits (history), edits));
}

static void
write_tensor (const char *folder, const char *file, gint64 n)
{
  static const float numbers[] = { 1, 2, 3, 4 };
  g_autofree char *path = g_build_filename (folder, file, NULL);
  g_autoptr (AssayTensor) tensor = assay_tensor_new_f32 (1, &n, numbers);
  g_autoptr (GError) error = NULL;

  assay_tensor_file_save (path, tensor, NULL, &error);
  g_assert_no_error (error);
}

/* Test sets lie beside a model, numbered; the first with outputs is taken if all its inputs fit. */
static void
test_test_sets (void)
{
  const gint64 two = 2, three = 3, any = -1;
  const AssayRunPort fitting[] = {
    { .name = (char *) "x", .dtype = ASSAY_DTYPE_F32, .rank = 1, .dims = (gint64 *) &two },
    { .name = (char *) "y", .dtype = ASSAY_DTYPE_UNDEFINED, .rank = 1, .dims = (gint64 *) &any },
  };
  const AssayRunPort others[] = {
    { .name = (char *) "x", .dtype = ASSAY_DTYPE_I64, .rank = 1, .dims = (gint64 *) &two },
    { .name = (char *) "x", .dtype = ASSAY_DTYPE_F32, .rank = 2, .dims = (gint64 *) &two },
    { .name = (char *) "x", .dtype = ASSAY_DTYPE_F32, .rank = 1, .dims = (gint64 *) &three },
  };
  g_autofree char *folder = g_dir_make_tmp ("assay-decisions-XXXXXX", NULL);
  g_autofree char *model = g_build_filename (folder, "m.onnx", NULL);
  static const char *const sets[] = { "test_data_set_10", "test_data_set_9", "test_data_set_2",
                                      "other_0" };
  g_auto (GStrv) listed = NULL;
  g_autofree char *found = NULL;
  g_autofree char *said = NULL;
  g_autoptr (AssayInputChoice) choice = NULL;
  g_autoptr (AssayInputChoice) copy = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (sets); i++)
    {
      g_autofree char *set = g_build_filename (folder, sets[i], NULL);

      g_mkdir (set, 0700);
      write_tensor (set, "input_0.pb", 2);
      write_tensor (set, "input_1.pb", 3);
      if (i != 2)
        write_tensor (set, "output_0.pb", 2);
    }
  listed = assay_input_choice_list_test_sets (model);
  g_assert_cmpuint (g_strv_length (listed), ==, 3);
  for (guint i = 0; i < 3; i++)
    g_assert_true (g_str_has_suffix (listed[i], sets[2 - i]));

  choice = assay_input_choice_new_beside (model, fitting, 2);
  g_assert_nonnull (choice);
  g_assert_true (
      g_str_has_suffix (assay_input_choice_get_file (choice, "y"), "test_data_set_9/input_1.pb"));
  said = assay_input_choice_describe (choice);
  g_assert_cmpstr (said, ==, "test_data_set_9");
  found = assay_input_choice_find_test_set (choice, model);
  g_assert_null (found);
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    {
      const AssayRunPort ports[] = { others[i], fitting[1] };

      g_assert_null (assay_input_choice_new_beside (model, ports, 2));
    }

  /* With an input of its own that is not fed, or one of another folder, it is no test set. */
  copy = assay_input_choice_copy (choice);
  g_assert_true (assay_input_choice_equal (copy, choice));
  assay_input_choice_set_file (copy, "y", NULL);
  g_assert_false (assay_input_choice_equal (copy, choice));
  g_assert_null (assay_input_choice_dup_expected (copy));
  assay_input_choice_set_file (copy, "y", "/elsewhere/input_1.pb");
  g_assert_false (assay_input_choice_equal (copy, choice));
  g_assert_null (assay_input_choice_dup_expected (copy));
  folder_remove (folder);
}

static void
test_choice (void)
{
  g_autoptr (AssayInputChoice) a = assay_input_choice_new ();
  g_autoptr (AssayInputChoice) b = assay_input_choice_new ();
  g_autofree char *random = assay_input_choice_describe (a);
  g_autofree char *one = NULL;
  g_autofree char *two = NULL;
  g_auto (GStrv) inputs = NULL;

  g_assert_cmpstr (random, ==, "random, seed 1");
  g_assert_true (assay_input_choice_equal (a, b));
  assay_input_choice_set_seed (b, 7);
  g_assert_false (assay_input_choice_equal (a, b));
  assay_input_choice_set_seed (a, 7);
  assay_input_choice_set_steps (a, 3);
  g_assert_false (assay_input_choice_equal (a, b));
  g_assert_cmpuint (assay_input_choice_get_steps (a), ==, 3);
  assay_input_choice_set_file (a, "y", "/f/y.npy");
  one = assay_input_choice_describe (a);
  g_assert_cmpstr (one, ==, "1 file, else random, seed 7");
  assay_input_choice_set_file (a, "x", "/f/x.npy");
  two = assay_input_choice_describe (a);
  g_assert_cmpstr (two, ==, "2 files, else random, seed 7");
  inputs = assay_input_choice_list_inputs (a);
  g_assert_cmpstr (inputs[0], ==, "x");
  g_assert_cmpstr (inputs[1], ==, "y");
  g_assert_null (inputs[2]);
}

/* Dimensions that a user gives, once for all axes that have one, and what is kept of another model.
 */
static void
test_dimensions (void)
{
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (AssayGraph) graph = assay_graph_from_text (
      "nnir 1\nmain (%x : f32[batch,3,?], %y : f32[4,batch], %z : f32[2]) {\n"
      "  %a = Relu(%z) : f32[2]\n  return %a\n}\n",
      -1, findings, NULL);
  g_autoptr (GPtrArray) dimensions = assay_graph_list_dimensions (graph);
  g_autoptr (GPtrArray) inputs = assay_graph_list_inputs (graph);
  g_autoptr (AssaySettings) settings = assay_settings_new ();
  const AssayDimension *batch = g_ptr_array_index (dimensions, 0);
  const AssayDimension *open = g_ptr_array_index (dimensions, 1);
  static const char *const shapes[] = { "batch,3,?", "4,batch", "2" };
  static const char *const bound[] = { "batch=3", "batches=4", "x:2=5", "y:0=6", NULL };
  g_autoptr (GArray) axes = NULL;
  g_autofree char *sizes = NULL;

  g_assert_cmpuint (dimensions->len, ==, 2);
  g_assert_cmpstr (batch->key, ==, "batch");
  g_assert_cmpstr (batch->title, ==, "batch");
  g_assert_cmpstr (batch->where, ==, "x axis 0, y axis 1");
  g_assert_true (batch->batch);
  g_assert_cmpstr (open->key, ==, "x:2");
  g_assert_cmpstr (open->where, ==, "x axis 2");
  g_assert_false (open->batch);
  g_assert_cmpuint (inputs->len, ==, G_N_ELEMENTS (shapes));
  for (guint i = 0; i < inputs->len; i++)
    g_assert_cmpstr (((const AssayInput *) g_ptr_array_index (inputs, i))->shape, ==, shapes[i]);

  assay_settings_set_list (&settings, ASSAY_SETTING_BIND, bound);
  g_assert_true (assay_settings_set_shape (&settings, 0, "1,3,9", NULL));
  g_assert_true (assay_settings_set_shape (&settings, 1, "1,3,9", NULL));
  assay_settings_set_axis (&settings, 0, 2);
  assay_settings_set_axis (&settings, 1, 2);
  assay_settings_set_axis (&settings, 3, 0);
  assay_settings_keep_known (&settings, dimensions, inputs);
  sizes = g_strjoinv (" ", (char **) assay_settings_get_list (settings, ASSAY_SETTING_BIND));
  g_assert_cmpstr (sizes, ==, "batch=3 x:2=5");
  g_assert_cmpstr (assay_settings_get_shape (settings, 0), ==, "1,3,9");
  g_assert_cmpstr (assay_settings_get_shape (settings, 1), ==, "");
  axes = assay_settings_list_axes (settings, graph);
  g_assert_cmpuint (axes->len, ==, 3);
  g_assert_cmpint (g_array_index (axes, int, 0), ==, 2);
  g_assert_cmpint (g_array_index (axes, int, 1), ==, -1);
  g_assert_cmpint (assay_settings_get_axis (settings, 3), ==, -1);
}

TEST_PROGRAM (decisions)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/document/decisions/edits", test_edits);
  g_test_add_func ("/document/decisions/history", test_history);
  g_test_add_func ("/document/decisions/depth", test_depth);
  g_test_add_func ("/document/decisions/restore", test_restore);
  g_test_add_func ("/document/decisions/test-sets", test_test_sets);
  g_test_add_func ("/document/decisions/choice", test_choice);
  g_test_add_func ("/document/decisions/dimensions", test_dimensions);

  return g_test_run ();
}
