/* test-session-script.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Sessions as text: tests/data/session/NAME.txt has models and commands, and below each command the
 * properties that the session tells of, in order, and all that it says then. ASSAY_REGENERATE=1
 * writes the files anew.
 */
#include <string.h>

#include "draw/assay-memory-scene.h"
#include "session-fixture.h"
#include "session/analysis/assay-input-preview.h"
#include "session/analysis/assay-node-facts.h"
#include "session/list/assay-instruction-list.h"
#include "settings/assay-settings-options.h"
#include "golden.h"
#include "test-program.h"

typedef struct
{
  SessionFixture fixture;
  GString *text;
  GString *told; /* properties since the last command */
} Script;

typedef void (*ScriptFunc) (Script *self, char **words);

static void say (Script *self, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* One line, in which the folder of the test has no name. */
static void
say (Script *self, const char *format, ...)
{
  g_autoptr (GString) line = g_string_new (NULL);
  va_list args;

  va_start (args, format);
  g_string_vprintf (line, format, args);
  va_end (args);
  g_string_replace (line, self->fixture.folder, "FOLDER", 0);
  g_string_replace (line, "\r", "", 0);
  while (line->len > 0 && line->str[line->len - 1] == '\n')
    g_string_truncate (line, line->len - 1);
  g_string_replace (line, "\n", "\n    ", 0);
  g_string_append_printf (self->text, "  %s\n", line->str);
}

static const char *
enum_nick (GType type, int value)
{
  g_autoptr (GEnumClass) klass = g_type_class_ref (type);

  return g_enum_get_value (klass, value)->value_nick;
}

static const char *
name_of (Script *self, AssayNodeId node)
{
  AssayVerdicts *verdicts = assay_session_get_verdicts (self->fixture.session);

  return node != ASSAY_NO_NODE ? assay_graph_node (verdicts->graph, node)->name : "none";
}

/* Asking for a property is asking for what it is of. */
static void
say_problem (Script *self, const char *property)
{
  AssayProblem *problem = NULL;

  g_object_get (self->fixture.session, property, &problem, NULL);
  if (problem == NULL)
    return;
  say (self, "%s %s%s%s%s", property, assay_error_code_name (problem->code),
       problem->is_target ? " of the target" : "",
       problem->is_target_file ? " in a file of the user" : "",
       problem->can_locate ? " that can be located" : "");
  say (self, "what: %s", problem->what);
  say (self, "where: %s", problem->where);
  say (self, "advice: %s", problem->advice);
  say (self, "details: %s", problem->details);
  assay_problem_free (problem);
}

static void
do_problem (Script *self, char **words)
{
  say_problem (self, "problem");
  say_problem (self, "check-problem");
}

static void
say_state (Script *self)
{
  AssaySession *session = self->fixture.session;
  AssayHistory *history = assay_document_get_history (assay_session_get_document (session));
  g_auto (GStrv) settings = assay_settings_to_arguments (assay_session_get_setup (session),
                                                         ASSAY_PIPELINE_ALL);
  g_auto (GStrv) pins = assay_session_list_pins (session);
  g_autoptr (GByteArray) marks = assay_session_dup_marks (session);
  g_autofree char *setup = g_strjoinv (" ", settings);
  AssayVerdicts *verdicts = assay_session_get_verdicts (session);
  AssayNodeId selection, hover;
  AssayProblem *problem = NULL, *check_problem = NULL;

  g_object_get (session, "selection", &selection, "hover", &hover, "problem", &problem,
                "check-problem", &check_problem, NULL);
  say (self, "%s on %s, setup [%s]",
       enum_nick (ASSAY_TYPE_SESSION_STATE, (int) assay_session_get_state (session)),
       assay_session_get_target_id (session), setup);
  if (verdicts != NULL)
    {
      g_autoptr (GString) counts = g_string_new (NULL);

      for (guint kind = 0; kind < ASSAY_N_VERDICTS; kind++)
        if (assay_verdicts_count (verdicts, kind) > 0)
          g_string_append_printf (counts, ", %u %s", assay_verdicts_count (verdicts, kind),
                                  assay_verdict_name (kind));
      say (self, "nodes%s", counts->str);
    }
  if (selection != ASSAY_NO_NODE || hover != ASSAY_NO_NODE ||
      assay_session_get_finding (session) >= 0 || assay_session_get_filter (session) != 0)
    say (self, "selection %s, hover %s, finding %d, filter %x", name_of (self, selection),
         name_of (self, hover), assay_session_get_finding (session),
         assay_session_get_filter (session));
  for (guint i = 0; pins != NULL && pins[i] != NULL; i++)
    say (self, "pin %s: %s", pins[i], assay_session_get_note (session, pins[i]));
  for (guint i = 0; marks != NULL && i < marks->len; i++)
    if (marks->data[i] != 0)
      say (self, "mark %x on %s", marks->data[i], name_of (self, i));
  if (assay_history_get_undo_label (history) != NULL ||
      assay_history_get_redo_label (history) != NULL)
    say (self, "undo [%s], redo [%s]%s",
         assay_history_get_undo_label (history) != NULL ? assay_history_get_undo_label (history)
                                                        : "",
         assay_history_get_redo_label (history) != NULL ? assay_history_get_redo_label (history)
                                                        : "",
         assay_history_get_modified (history) ? ", modified" : "");
  if (problem != NULL)
    say (self, "problem: %s", problem->what);
  if (check_problem != NULL)
    say (self, "check problem: %s", check_problem->what);
  g_clear_pointer (&problem, assay_problem_free);
  g_clear_pointer (&check_problem, assay_problem_free);
}

static void
do_state (Script *self, char **words)
{
  session_fixture_wait_idle (&self->fixture);
}

static void
do_open (Script *self, char **words)
{
  g_autofree char *path = session_fixture_path (&self->fixture, words[1]);

  session_fixture_open_whole (&self->fixture, path);
  say (self, "opened: %s", self->fixture.ok ? "yes" : self->fixture.error->message);
}

static void
do_close (Script *self, char **words)
{
  assay_session_close (self->fixture.session);
}

static void
do_reload (Script *self, char **words)
{
  assay_session_reload (self->fixture.session);
}

/* Another text for a file of the script. */
static void
do_replace (Script *self, char **words)
{
  g_autofree char *path = session_fixture_path (&self->fixture, words[1]);
  g_autofree char *text = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  {
    g_autoptr (GString) changed = g_string_new (text);

    g_assert_cmpuint (g_string_replace (changed, words[2], words[3], 0), >, 0);
    g_assert_true (g_file_set_contents (path, changed->str, -1, NULL));
  }
}

static void
do_target (Script *self, char **words)
{
  g_autofree char *path = session_fixture_path (&self->fixture, words[1]);

  assay_session_set_target_id (self->fixture.session,
                               g_str_has_suffix (words[1], ".json") ? path : words[1]);
}

static void
do_bind (Script *self, char **words)
{
  g_autoptr (AssaySettings)
      setup = assay_settings_ref (assay_session_get_setup (self->fixture.session));

  assay_settings_set_number (&setup, ASSAY_SETTING_BIND, words[1],
                             g_ascii_strtoll (words[2], NULL, 10));
  assay_session_set_setup (self->fixture.session, setup);
}

static void
do_shape (Script *self, char **words)
{
  g_autoptr (AssaySettings)
      setup = assay_settings_ref (assay_session_get_setup (self->fixture.session));

  g_assert_true (assay_settings_set_shape (&setup, (guint) g_ascii_strtoull (words[1], NULL, 10),
                                           words[2], NULL));
  assay_session_set_setup (self->fixture.session, setup);
}

static void
do_axis (Script *self, char **words)
{
  g_autoptr (AssaySettings)
      setup = assay_settings_ref (assay_session_get_setup (self->fixture.session));

  assay_settings_set_axis (&setup, (guint) g_ascii_strtoull (words[1], NULL, 10),
                           (int) g_ascii_strtoll (words[2], NULL, 10));
  assay_session_set_setup (self->fixture.session, setup);
}

static void
do_option (Script *self, char **words)
{
  g_autoptr (AssaySettings)
      setup = assay_settings_ref (assay_session_get_setup (self->fixture.session));

  assay_settings_set_entry (&setup, ASSAY_SETTING_TARGET_OPTION, words[1], words[2]);
  assay_session_set_setup (self->fixture.session, setup);
}

static void
do_batch (Script *self, char **words)
{
  g_autofree char *text = assay_session_dup_batch (self->fixture.session);

  say (self, "%s", text != NULL ? text : "nothing to give a size to");
}

static void
do_bind_batch (Script *self, char **words)
{
  assay_session_bind_batch (self->fixture.session);
}

static void
do_inputs (Script *self, char **words)
{
  GPtrArray *dimensions = assay_session_get_dimensions (self->fixture.session);
  GPtrArray *inputs = assay_session_get_inputs (self->fixture.session);

  for (guint i = 0; i < dimensions->len; i++)
    {
      const AssayDimension *dimension = g_ptr_array_index (dimensions, i);

      say (self, "dimension %s, %s, %s%s", dimension->key, dimension->title, dimension->where,
           dimension->batch ? ", batch" : "");
    }
  for (guint i = 0; i < inputs->len; i++)
    {
      const AssayInput *input = g_ptr_array_index (inputs, i);

      say (self, "input %s, %s, rank %d", input->name, input->shape, input->rank);
    }
}

static void
do_select (Script *self, char **words)
{
  say (self, "selected: %s",
       assay_session_select_name (self->fixture.session, words[1]) ? "yes" : "no");
}

static void
do_is_selected (Script *self, char **words)
{
  say (self, "%s",
       assay_session_is_selected (self->fixture.session, words[1]) ? "selected" : "not selected");
}

static void
do_deselect (Script *self, char **words)
{
  assay_session_set_selection (self->fixture.session, G_MAXUINT32);
}

static void
do_hover (Script *self, char **words)
{
  assay_session_set_hover (self->fixture.session,
                           assay_session_find_name (self->fixture.session, words[1]));
}

static void
do_filter (Script *self, char **words)
{
  assay_session_set_filter (self->fixture.session, (guint) g_ascii_strtoull (words[1], NULL, 16));
}

static void
do_finding (Script *self, char **words)
{
  assay_session_set_finding (self->fixture.session, (int) g_ascii_strtoll (words[1], NULL, 10));
}

static void
do_step_finding (Script *self, char **words)
{
  if (!assay_session_step_finding (self->fixture.session,
                                   (int) g_ascii_strtoll (words[1], NULL, 10)))
    say (self, "no findings");
}

static void
do_step_node (Script *self, char **words)
{
  if (!assay_session_step_node (self->fixture.session, (int) g_ascii_strtoll (words[1], NULL, 10)))
    say (self, "no nodes");
}

static void
do_note (Script *self, char **words)
{
  assay_session_set_note (self->fixture.session, words[1], words[2]);
}

static void
do_marks (Script *self, char **words)
{
  char *lists[3][2] = { { NULL } };

  for (guint i = 0; i < 3 && words[i + 1] != NULL; i++)
    lists[i][0] = words[i + 1];
  assay_session_mark_names (self->fixture.session, lists[0], lists[1], lists[2]);
}

static void
do_undo (Script *self, char **words)
{
  assay_session_undo (self->fixture.session);
}

static void
do_redo (Script *self, char **words)
{
  assay_session_redo (self->fixture.session);
}

static void
say_nodes (Script *self, const char *before, GArray *nodes)
{
  g_autoptr (GString) names = g_string_new (before);

  for (guint i = 0; i < nodes->len; i++)
    g_string_append_printf (names, " %s", name_of (self, g_array_index (nodes, AssayNodeId, i)));
  say (self, "%s", names->str);
}

static void
do_findings (Script *self, char **words)
{
  GListModel *items = assay_session_get_finding_items (self->fixture.session);

  for (guint i = 0; i < g_list_model_get_n_items (items); i++)
    {
      g_autoptr (AssayFindingItem) item = g_list_model_get_item (items, i);
      const char *folded = assay_finding_item_get_folded (item);

      say (self, "%u %s: %s", i, assay_finding_group_title (assay_finding_item_get_group (item)),
           assay_finding_item_get_title (item));
      if (!g_str_equal (folded, assay_finding_item_get_title (item)))
        say (self, "  folded: %s", folded);
      say (self, "  rule %s, %s", assay_finding_item_get_rule (item),
           assay_finding_item_get_subtitle (item));
      say_nodes (self, "  nodes", assay_finding_item_get_nodes (item));
    }
}

/* Looks at a finding until all is known of it; others have their fixes counted meanwhile. */
static void
do_fixes (Script *self, char **words)
{
  AssayFixSearch *search = assay_session_get_fix_search (self->fixture.session);
  GListModel *items = assay_session_get_finding_items (self->fixture.session);
  int finding = (int) g_ascii_strtoll (words[1], NULL, 10);
  const AssayFixSuggestions *suggestions;

  assay_session_set_finding (self->fixture.session, finding);
  wait_until (!assay_fix_search_is_busy (search, finding));
  for (guint i = 0; i < g_list_model_get_n_items (items); i++)
    {
      g_autoptr (AssayFindingItem) item = g_list_model_get_item (items, i);

      if (assay_finding_item_get_group (item) != ASSAY_FINDING_GROUP_ADVICE)
        wait_until (assay_finding_item_get_n_fixes (item) >= 0);
      say (self, "%u: %s", i, assay_finding_item_get_subtitle (item));
    }
  suggestions = assay_fix_search_get (search, finding);
  for (guint i = 0; i < suggestions->offers->len; i++)
    {
      const AssayFixOffer *offer = g_ptr_array_index (suggestions->offers, i);

      say (self, "offer: %s", offer->title);
    }
}

static void
list_scope (Script *self, AssayOutline *outline, guint scope, const char *indent)
{
  g_autoptr (GListModel) rows = assay_outline_list (outline, scope);
  g_autofree char *deeper = g_strconcat (indent, "  ", NULL);

  for (guint i = 0; i < g_list_model_get_n_items (rows); i++)
    {
      g_autoptr (AssayOutlineItem) item = g_list_model_get_item (rows, i);

      say (self, "%s%s [%s] %u, %s%s", indent, assay_outline_item_get_title (item),
           assay_outline_item_get_subtitle (item), assay_outline_item_get_count (item),
           assay_verdict_name (assay_outline_item_get_verdict (item)),
           assay_outline_item_is_made (item) ? ", made" : "");
      if (assay_outline_item_is_scope (item))
        list_scope (self, outline, assay_outline_item_get_scope (item), deeper);
    }
}

static void
do_outline (Script *self, char **words)
{
  list_scope (self, assay_session_get_outline (self->fixture.session), 0, "");
}

/* All columns of all nodes but those that are predicted, which are other tests' business. */
static void
do_nodes (Script *self, char **words)
{
  g_autoptr (AssayNodeFacts)
      facts = assay_node_facts_new (assay_session_get_verdicts (self->fixture.session), NULL, NULL);
  g_autofree guint32 *nodes = g_new (guint32, facts->n_nodes);
  g_autoptr (GBytes) bytes = NULL;
  g_auto (GStrv) lines = NULL;
  g_autofree char *text = NULL;

  for (guint32 i = 1; i < facts->n_nodes; i++)
    nodes[i - 1] = i;
  bytes = words[0][0] == 't' ? assay_node_facts_to_tsv (facts, nodes, facts->n_nodes - 1, NULL)
                             : assay_node_facts_to_csv (facts, nodes, facts->n_nodes - 1, NULL);
  text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  g_assert_cmpint (strstr (text, "\r\n") != NULL, ==, words[0][0] != 't');
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL && *lines[i] != '\0'; i++)
    {
      g_autoptr (GString) line = g_string_new (lines[i]);

      g_string_replace (line, "\t", " | ", 0);
      say (self, "%s", line->str);
    }
}

/* The order of the nodes by a column, both ways. */
static void
do_sort (Script *self, char **words)
{
  g_autoptr (AssayNodeFacts)
      facts = assay_node_facts_new (assay_session_get_verdicts (self->fixture.session), NULL, NULL);

  for (guint column = 0; column < ASSAY_N_NODE_COLUMNS; column++)
    for (guint descending = 0; descending < 2; descending++)
      {
        g_autoptr (GArray) nodes = g_array_new (FALSE, FALSE, sizeof (AssayNodeId));
        g_autofree char *title = g_strdup_printf ("%s %s:", assay_node_column_name (column),
                                                  descending ? "down" : "up");

        for (guint32 i = 1; i < facts->n_nodes; i++)
          g_array_append_val (nodes, i);
        assay_node_facts_sort (facts, (guint32 *) (gpointer) nodes->data, nodes->len, column,
                               descending);
        say_nodes (self, title, nodes);
      }
}

static void
do_commands (Script *self, char **words)
{
  static const char *const kinds[] = { "window",  "check",   "compile",  "cycles", "run",
                                       "compare", "qualify", "quantize", "deploy", "other" };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *command = assay_session_dup_command (self->fixture.session, kinds[i]);

      say (self, "%s: %s", kinds[i], command);
    }
}

static void
do_tensor_command (Script *self, char **words)
{
  g_autofree char *command = assay_session_dup_tensor_command (self->fixture.session, words[1]);

  say (self, "%s", command);
}

static void
do_runners (Script *self, char **words)
{
  const AssayRunnerKind *kind;
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint n = 0; (kind = assay_session_get_runner_choice (self->fixture.session, n)) != NULL;
       n++)
    g_string_append_printf (names, "%s%s", n > 0 ? ", " : "", kind->name);
  say (self, "%s", names->str);
}

static void
say_activity (Script *self, const char *title, gpointer activity)
{
  const GError *error = assay_activity_get_error (activity);

  say (self, "%s %s%s%s", title,
       enum_nick (ASSAY_TYPE_ACTIVITY_STATE, (int) assay_activity_get_state (activity)),
       error != NULL ? ": " : "", error != NULL ? error->message : "");
}

static void
do_program (Script *self, char **words)
{
  AssayCompilation *compilation = assay_session_get_compilation (self->fixture.session);
  AssayProgram *program = assay_compilation_get_program (compilation);

  say_activity (self, "compilation", compilation);
  say (self, "%s, %s", assay_compilation_can_start (compilation) ? "can start" : "cannot start",
       assay_compilation_get_reason (compilation) != NULL
           ? assay_compilation_get_reason (compilation)
           : "no reason not to");
  if (program != NULL)
    say (self, "core %u, playhead %u at %s, tensor %s, pin %s",
         assay_compilation_get_core (compilation), assay_compilation_get_playhead (compilation),
         assay_compilation_get_playhead_node (compilation),
         assay_compilation_get_tensor (compilation) == ASSAY_NO_TENSOR ? "none" : "one",
         assay_compilation_get_pinned (compilation) == ASSAY_NO_STEP ? "none" : "one");
}

/* The suggestions that make room for a program. */
static void
do_ways (Script *self, char **words)
{
  const AssayAllocation *allocation = assay_compilation_get_allocation (
      assay_session_get_compilation (self->fixture.session));

  say_activity (self, "search", assay_session_get_ways_search (self->fixture.session));
  for (guint i = 0; allocation != NULL && i < allocation->ways_out->len; i++)
    {
      const AssayWayOut *way = &g_array_index (allocation->ways_out, AssayWayOut, i);

      say (self, "%s, %s", way->action, way->option);
    }
}

/* Steps of the program, until there are no more. */
static void
do_playhead (Script *self, char **words)
{
  AssayCompilation *compilation = assay_session_get_compilation (self->fixture.session);

  for (guint32 step = 0;; step++)
    {
      assay_compilation_set_playhead (compilation, step);
      if (assay_compilation_get_playhead (compilation) != step)
        break;
      say (self, "%u: %s", step, assay_compilation_get_playhead_node (compilation));
    }
}

/* Rows of the program that a node and a text select. */
static void
do_instructions (Script *self, char **words)
{
  AssayCompilation *compilation = assay_session_get_compilation (self->fixture.session);
  g_autoptr (AssayInstructionList) list = assay_instruction_list_new (
      assay_compilation_get_program (compilation), assay_compilation_get_time (compilation));
  guint total = assay_instruction_list_get_total (list);

  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (list)), ==, total);
  assay_instruction_list_set_filter (list, *words[1] != '*' ? words[1] : NULL,
                                     words[1] != NULL ? words[2] : NULL);
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (list)); i++)
    {
      g_autoptr (AssayInstructionItem) item = g_list_model_get_item (G_LIST_MODEL (list), i);
      g_autofree char *text = assay_instruction_item_dup_text (item);

      say (self, "%u %s: %s%s", assay_instruction_item_get_index (item),
           assay_instruction_item_get_node (item), text,
           assay_instruction_item_get_event (item) != NULL ? "" : " (no time)");
    }
}

static void
do_start (Script *self, char **words)
{
  AssayRun *run = assay_session_get_run (self->fixture.session);
  g_autoptr (GArray) inputs = NULL;

  assay_run_set_runner (run, words[1]);
  say (self, "%s", assay_run_can_start (run) ? "can start" : "cannot start");
  assay_run_start (run);
  session_fixture_wait_idle (&self->fixture);
  say_activity (self, "run", run);
  inputs = assay_run_list_inputs (run);
  for (guint i = 0; i < inputs->len; i++)
    say (self, "takes %s", g_array_index (inputs, AssayRunPort, i).name);
  if (g_list_model_get_n_items (assay_run_get_results (run)) > 0)
    say (self, "%s, %u steps", assay_run_get_title (run), assay_run_get_n_steps (run));
  for (guint i = 0; i < g_list_model_get_n_items (assay_run_get_results (run)); i++)
    {
      g_autoptr (AssayResultItem) item = g_list_model_get_item (assay_run_get_results (run), i);
      g_autofree char *shape = assay_result_item_dup_shape (item);
      const AssayStatistics *statistics = assay_result_item_get_statistics (item);
      const char *title = NULL;
      AssayTensor *previous = assay_run_find_previous (run, assay_result_item_get_name (item),
                                                       &title);

      say (self, "gives %s, %s, %" G_GSIZE_FORMAT " from %g to %g%s%s",
           assay_result_item_get_name (item), shape, statistics->n, statistics->min,
           statistics->max, previous != NULL ? ", before on " : "", previous != NULL ? title : "");
    }
}

static void
do_previewed (GObject *object, GAsyncResult *result, gpointer user_data)
{
  Script *self = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) previews = assay_run_preview_finish (ASSAY_RUN (object), result, &error);

  if (previews == NULL)
    say (self, "no preview: %s", error->message);
  for (guint i = 0; previews != NULL && i < previews->len; i++)
    {
      const AssayInputPreview *preview = g_ptr_array_index (previews, i);

      say (self, "%s: %s", preview->name, preview->mismatch != NULL ? preview->mismatch : "fits");
      if (preview->has_summary)
        say (self, "  %" G_GSIZE_FORMAT " from %g to %g", preview->summary.statistics.n,
             preview->summary.statistics.min, preview->summary.statistics.max);
    }
  self->fixture.done = TRUE;
}

static void
do_preview (Script *self, char **words)
{
  AssayRun *run = assay_session_get_run (self->fixture.session);

  assay_run_set_runner (run, "reference");
  self->fixture.done = FALSE;
  assay_run_preview_async (run, NULL, do_previewed, self);
  session_fixture_wait_done (&self->fixture);
}

static void
do_feed (Script *self, char **words)
{
  AssayRun *run = assay_session_get_run (self->fixture.session);
  g_autoptr (AssayInputChoice) inputs = assay_input_choice_copy (assay_run_get_inputs (run));
  g_autofree char *path = session_fixture_path (&self->fixture, words[2]);

  assay_input_choice_set_file (inputs, words[1], path);
  assay_run_set_inputs (run, inputs);
}

/* Two runs of the model by the reference, which agree to the bit. */
static void
do_compare (Script *self, char **words)
{
  AssayCompareActivity *comparing = assay_session_get_compare_activity (self->fixture.session);
  GListModel *rows = assay_compare_activity_get_rows (comparing);

  assay_compare_activity_set_runner (comparing, 0, words[1]);
  assay_compare_activity_set_runner (comparing, 1, words[2]);
  assay_compare_activity_start (comparing);
  session_fixture_wait_idle (&self->fixture);
  say_activity (self, "compare", comparing);
  for (guint i = 0; i < g_list_model_get_n_items (rows); i++)
    {
      g_autoptr (AssayCompareItem) item = g_list_model_get_item (rows, i);

      say (self, "%u %s of %s, %s %s%s, error %g", assay_compare_item_get_index (item),
           assay_compare_item_get_name (item), assay_compare_item_get_place (item),
           assay_compare_item_get_op_type (item), assay_compare_item_get_shape (item),
           assay_compare_item_has_own (item) ? ", own" : "", assay_compare_item_get_error (item));
    }
}

static void
do_quantize (Script *self, char **words)
{
  AssayQuantizeActivity *quantizing = assay_session_get_quantize (self->fixture.session);
  const char *refusal = assay_quantize_activity_get_refusal (quantizing);
  g_autofree char *ending = assay_quantize_activity_dup_ending ();
  g_autofree char *path = g_strconcat (self->fixture.folder, "/out", ending, NULL);

  say (self, "%s", refusal != NULL ? refusal : "can be quantised");
  if (words[1] != NULL)
    assay_quantize_activity_set_random (quantizing, (guint) g_ascii_strtoull (words[1], NULL, 10),
                                        7);
  assay_quantize_activity_start (quantizing, path);
  session_fixture_wait_idle (&self->fixture);
  say_activity (self, "quantize", quantizing);
  say (self, "%s, a file %s",
       assay_quantize_activity_get_result (quantizing) != NULL ? "a result" : "no result",
       g_file_test (path, G_FILE_TEST_EXISTS) ? "is written" : "is not written");
}

static void
do_samples (Script *self, char **words)
{
  AssayQuantizeActivity *quantizing = assay_session_get_quantize (self->fixture.session);
  const AssayQuantizeSamples *samples;

  if (*words[1] == '+')
    assay_quantize_activity_add_path (quantizing, words[1] + 1);
  else if (*words[1] == '-')
    assay_quantize_activity_remove_path (quantizing, words[1] + 1);
  else
    assay_quantize_activity_set_gains (quantizing, (guint) g_ascii_strtoull (words[1], NULL, 10));
  samples = assay_quantize_activity_get_samples (quantizing);
  {
    g_autofree char *paths = samples->paths != NULL ? g_strjoinv (" ", (char **) samples->paths)
                                                    : g_strdup ("none");

    say (self, "paths %s, %u gains", paths, assay_quantize_activity_get_gains (quantizing));
  }
}

/* The targets that know programs or not, and what the model would be there. */
static void
do_targets (Script *self, char **words)
{
  GListModel *targets = assay_session_get_targets (self->fixture.session);

  for (guint i = 1; words[i] != NULL; i++)
    {
      const AssayOutcome *outcome = NULL;
      const char *group = NULL;

      for (guint k = 0; k < g_list_model_get_n_items (targets) || outcome == NULL; k++)
        {
          g_autoptr (AssayTargetItem) item = g_list_model_get_item (targets, k);

          if (item == NULL)
            {
              g_main_context_iteration (NULL, FALSE);
              k = G_MAXUINT;
              continue;
            }
          if (!g_str_equal (assay_target_item_get_id (item), words[i]))
            continue;
          outcome = assay_target_item_get_outcome (item);
          group = assay_target_item_get_group (item);
          wait_until (outcome->rejected >= 0 && (outcome->fit != ASSAY_FIT_UNKNOWN ||
                                                 outcome->rejected > 0 || outcome->undecided > 0));
        }
      {
        g_autofree char *text = assay_outcome_to_string (outcome);

        say (self, "%s: %s, %s", group, words[i], text);
      }
    }
}

static void
do_pin_baseline (Script *self, char **words)
{
  AssayBaseline *baseline = assay_session_get_baseline (self->fixture.session);
  AssayCompilation *compilation = assay_session_get_compilation (self->fixture.session);
  AssayMemoryMap *memory = assay_compilation_get_memory (compilation);

  if (*words[1] == 'p')
    assay_baseline_pin (baseline);
  else
    assay_baseline_clear (baseline);
  if (assay_baseline_is_pinned (baseline) && memory != NULL)
    {
      g_assert_cmpint (
          assay_baseline_get_peak (baseline), ==,
          assay_memory_map_get_use (memory, memory->peak_core, memory->main_store)->peak);
      g_assert_cmpint (assay_baseline_get_cycles (baseline), ==,
                       assay_compilation_get_cycles (compilation)->spaced);
    }
  say (self, "%s, %s rejected, peak %s, cycles %s, error %g",
       assay_baseline_is_pinned (baseline) ? "pinned" : "not pinned",
       assay_baseline_get_refused (baseline) < 0    ? "unknown"
       : assay_baseline_get_refused (baseline) == 0 ? "none"
                                                    : "some",
       assay_baseline_get_peak (baseline) < 0 ? "unknown" : "known",
       assay_baseline_get_cycles (baseline) < 0 ? "unknown" : "known",
       assay_baseline_get_error (baseline));
}

/* Every property of every part of the session, and what it is. */
static void
do_properties (Script *self, char **words)
{
  AssaySession *session = self->fixture.session;
  gpointer parts[] = { session,
                       assay_session_get_compilation (session),
                       assay_session_get_run (session),
                       assay_session_get_deploy_activity (session),
                       assay_session_get_passes (session),
                       assay_session_get_qualify (session),
                       assay_session_get_quantize (session),
                       assay_session_get_ways_search (session),
                       assay_session_get_compare_activity (session),
                       assay_session_get_cause_search (session),
                       assay_session_get_trial (session),
                       assay_session_get_preview (session),
                       assay_session_get_node_table (session),
                       assay_session_get_baseline (session) };

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      guint n;
      g_autofree GParamSpec **specs = g_object_class_list_properties (G_OBJECT_GET_CLASS (parts[i]),
                                                                      &n);

      for (guint k = 0; k < n; k++)
        {
          g_auto (GValue) value = G_VALUE_INIT;
          g_autofree char *text = NULL;

          if ((specs[k]->flags & G_PARAM_READABLE) == 0)
            continue;
          g_object_get_property (parts[i], specs[k]->name, &value);
          if (g_value_fits_pointer (&value) && !G_VALUE_HOLDS_STRING (&value))
            text = g_strdup (g_value_peek_pointer (&value) != NULL ? "set" : "unset");
          else
            text = g_strdup_value_contents (&value);
          say (self, "%s %s: %s", G_OBJECT_TYPE_NAME (parts[i]), specs[k]->name, text);
        }
    }
}

static void
do_accept (Script *self, char **words)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = session_fixture_path (&self->fixture, "assay-policy.json");
  g_autofree char *text = NULL;
  int finding = (int) g_ascii_strtoll (words[1], NULL, 10);

  if (!(words[2] != NULL
            ? assay_session_accept_finding (self->fixture.session, finding, words[2], &error)
            : assay_session_withdraw_finding (self->fixture.session, finding, &error)))
    say (self, "%s", error->message);
  session_fixture_wait_idle (&self->fixture);
  if (g_file_get_contents (path, &text, NULL, NULL))
    say (self, "%s", text);
}

static const struct
{
  const char *name;
  guint n_words;
  gboolean changes; /* the state is told of afterwards */
  ScriptFunc run;
} commands[] = {
  { "accept", 1, FALSE, do_accept },
  { "axis", 2, TRUE, do_axis },
  { "baseline", 1, FALSE, do_pin_baseline },
  { "batch", 0, FALSE, do_batch },
  { "bind", 2, TRUE, do_bind },
  { "bind-batch", 0, TRUE, do_bind_batch },
  { "close", 0, TRUE, do_close },
  { "commands", 0, FALSE, do_commands },
  { "compare", 2, FALSE, do_compare },
  { "csv", 0, FALSE, do_nodes },
  { "deselect", 0, TRUE, do_deselect },
  { "feed", 2, FALSE, do_feed },
  { "filter", 1, TRUE, do_filter },
  { "finding", 1, TRUE, do_finding },
  { "findings", 0, FALSE, do_findings },
  { "fixes", 1, FALSE, do_fixes },
  { "hover", 1, TRUE, do_hover },
  { "inputs", 0, FALSE, do_inputs },
  { "instructions", 1, FALSE, do_instructions },
  { "is-selected", 1, FALSE, do_is_selected },
  { "marks", 0, TRUE, do_marks },
  { "note", 1, TRUE, do_note },
  { "open", 1, TRUE, do_open },
  { "option", 1, TRUE, do_option },
  { "outline", 0, FALSE, do_outline },
  { "properties", 0, FALSE, do_properties },
  { "playhead", 0, FALSE, do_playhead },
  { "preview", 0, FALSE, do_preview },
  { "problem", 0, FALSE, do_problem },
  { "program", 0, FALSE, do_program },
  { "quantize", 0, FALSE, do_quantize },
  { "redo", 0, TRUE, do_redo },
  { "reload", 0, TRUE, do_reload },
  { "replace", 3, FALSE, do_replace },
  { "run", 1, FALSE, do_start },
  { "runners", 0, FALSE, do_runners },
  { "samples", 1, FALSE, do_samples },
  { "select", 1, TRUE, do_select },
  { "shape", 2, TRUE, do_shape },
  { "sort", 0, FALSE, do_sort },
  { "state", 0, TRUE, do_state },
  { "step-finding", 1, TRUE, do_step_finding },
  { "step-node", 1, TRUE, do_step_node },
  { "target", 1, TRUE, do_target },
  { "targets", 1, FALSE, do_targets },
  { "tensor-command", 1, FALSE, do_tensor_command },
  { "tsv", 0, FALSE, do_nodes },
  { "ways", 0, FALSE, do_ways },
  { "undo", 0, TRUE, do_undo },
};

static void
notify_cb (AssaySession *session, GParamSpec *pspec, Script *self)
{
  g_string_append_printf (self->told, " %s", pspec->name);
}

static void
run_command (Script *self, const char *line, GHashTable *seen)
{
  g_auto (GStrv) words = NULL;
  gint n_words;

  g_assert_true (g_shell_parse_argv (line, &n_words, &words, NULL));
  g_string_truncate (self->told, 0);
  g_test_message ("%s", line);
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    if (g_str_equal (words[0], commands[i].name))
      {
        if ((guint) n_words <= commands[i].n_words)
          g_error ("%s: too few words", line);
        commands[i].run (self, words);
        session_fixture_wait_idle (&self->fixture);
        if (self->told->len > 0)
          say (self, "told of%s", self->told->str);
        if (commands[i].changes)
          say_state (self);
        g_hash_table_add (seen, (gpointer) commands[i].name);
        return;
      }
  g_error ("%s: no such command", line);
}

/* `file NAME`, and the lines below it up to an empty one. */
static guint
write_file (Script *self, char **lines, guint at)
{
  g_autofree char *path = session_fixture_path (&self->fixture, lines[at] + strlen ("file "));
  g_autoptr (GString) text = g_string_new (NULL);

  for (at++; lines[at] != NULL && *lines[at] != '\0'; at++)
    g_string_append_printf (text, "%s\n", lines[at]);
  g_assert_true (g_file_set_contents (path, text->str, -1, NULL));

  return at;
}

static void
run_script (const char *folder, const char *name, GHashTable *seen)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *expected = NULL;
  g_auto (GStrv) lines = NULL;
  Script self = { .text = g_string_new (NULL), .told = g_string_new (NULL) };

  g_assert_true (g_file_get_contents (path, &expected, NULL, NULL));
  lines = g_strsplit (expected, "\n", -1);
  session_fixture_init (&self.fixture, "ia_420f_c6b32");
  for (const char *const *property =
           (const char *const[]){ "state", "problem", "check-problem", "verdicts", "target-id",
                                  "setup", "selection", "hover", "filter", "hits", "finding",
                                  "pins", "marks", NULL };
       *property != NULL; property++)
    {
      g_autofree char *signal = g_strconcat ("notify::", *property, NULL);

      g_signal_connect (self.fixture.session, signal, G_CALLBACK (notify_cb), &self);
    }

  for (guint i = 0; lines[i] != NULL; i++)
    {
      guint end = i;

      if (g_str_has_prefix (lines[i], "  "))
        continue;
      if (*lines[i] == '\0' && lines[i + 1] == NULL)
        break;
      if (g_str_has_prefix (lines[i], "file "))
        end = write_file (&self, lines, i);
      for (; i < end; i++)
        g_string_append_printf (self.text, "%s\n", lines[i]);
      g_string_append_printf (self.text, "%s\n", lines[i]);
      if (g_str_has_prefix (lines[i], "> "))
        run_command (&self, lines[i] + strlen ("> "), seen);
    }

  golden_check (path, self.text->str);

  g_signal_handlers_disconnect_by_data (self.fixture.session, &self);
  session_fixture_clear (&self.fixture);
  g_string_free (self.text, TRUE);
  g_string_free (self.told, TRUE);
}

static void
test_scripts (void)
{
  g_autofree char *folder = g_test_build_filename (G_TEST_DIST, "data", "session", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    run_script (folder, name, seen);
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    if (!g_hash_table_contains (seen, commands[i].name))
      g_test_fail_printf ("no script has the command %s", commands[i].name);
}

TEST_PROGRAM (session_script)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/session-script/all", test_scripts);

  return g_test_run ();
}
