/* test-node-table.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The table of nodes: facts, sorting, filter, the set of selected nodes, sums, CSV and TSV.
 */
#include <string.h>

#include "base/assay-error.h"
#include "folder.h"
#include "model-writer.h"
#include "session/analysis/assay-query.h"
#include "session-fixture.h"
#include "test-program.h"

#define PROGRAM_TARGET "ia_420f_c6b32"

static AssaySession *
open_example (const char *name, int streaming_axis)
{
  g_autofree char *path = g_build_filename (g_getenv ("G_TEST_BUILDDIR"), "../data/examples", name,
                                            NULL);
  AssaySession *session = assay_session_new (PROGRAM_TARGET);
  g_autoptr (AssaySettings) setup = assay_settings_new ();

  assay_session_open_async (session, path, NULL, NULL, NULL);
  session_wait_idle (session);
  g_assert_cmpint (assay_session_get_state (session), ==, ASSAY_SESSION_READY);
  if (streaming_axis >= 0)
    {
      assay_settings_set_axis (&setup, 0, streaming_axis);
      assay_session_set_setup (session, setup);
      session_wait_idle (session);
    }
  return session;
}

/* Without a program cycles are not known, and say so: never 0. */
static void
test_unknown (void)
{
  g_autoptr (AssaySession) session = open_example ("many-refusals.onnx", -1);
  AssayNodeFacts *facts = assay_node_table_get_facts (assay_session_get_node_table (session));
  guint n_unknown = 0;

  for (AssayNodeId id = 1; id < facts->n_nodes; id++)
    {
      g_autofree char *cycles = assay_node_facts_dup_text (facts, id, ASSAY_NODE_COLUMN_CYCLES);
      g_autofree char *error = assay_node_facts_dup_text (facts, id, ASSAY_NODE_COLUMN_ERROR);
      g_autofree char *cores = assay_node_facts_dup_text (facts, id, ASSAY_NODE_COLUMN_CORES);
      g_autofree char *bytes = assay_node_facts_dup_text (facts, id, ASSAY_NODE_COLUMN_ACTIVATIONS);

      g_assert_cmpstr (cycles, ==, "");
      g_assert_cmpstr (error, ==, "");
      g_assert_cmpstr (cores, ==, "");
      n_unknown += *bytes == '\0';
    }
  g_assert_cmpuint (n_unknown, >, 0);
  g_assert_cmpuint (n_unknown, <, facts->n_nodes - 1);
}

/* With one, every instruction is counted once, at its node. */
static void
test_program (void)
{
  g_autoptr (AssaySession) session = open_example ("streaming-cnn.onnx", 2);
  AssayCompilation *compilation = assay_session_get_compilation (session);
  const AssayNodeWork *work = assay_compilation_get_work (compilation);
  AssayNodeFacts *facts = assay_node_table_get_facts (assay_session_get_node_table (session));
  g_autoptr (GArray) events = g_array_new (FALSE, FALSE, sizeof (AssayEvent));
  AssayCycles cycles;
  guint64 busy = 0, sum = 0;
  double told = 0;

  g_assert_nonnull (work);
  assay_program_count_cycles (assay_compilation_get_program (compilation), 0, NULL, &cycles,
                              events);
  for (guint i = 0; i < events->len; i++)
    busy += g_array_index (events, AssayEvent, i).end - g_array_index (events, AssayEvent, i).start;
  for (guint i = 0; i < work->n_nodes; i++)
    {
      guint64 units = 0;

      for (guint unit = 0; unit < ASSAY_MAX_UNITS; unit++)
        units += work->nodes[i].by_unit[unit];
      g_assert_cmpuint (units, ==, work->nodes[i].cycles);
      g_assert_cmpuint (work->nodes[i].end, >=, work->nodes[i].start);
      sum += work->nodes[i].cycles;
    }
  g_assert_cmpuint (sum, ==, busy);

  for (AssayNodeId id = 1; id < facts->n_nodes; id++)
    {
      const AssayNode *node = assay_graph_node (facts->verdicts->graph, id);
      const AssayNodeEffort *effort = assay_node_work_find (work, node->name);

      g_assert_true ((effort != NULL && effort->cores != 0) == (facts->cycles[id] >= 0));
      g_assert_true ((facts->cores[id] != 0) == (facts->cycles[id] >= 0));
      told += MAX (facts->cycles[id], 0);
    }
  /* What the table knows can be asked for. */
  {
    g_autoptr (AssayQuery) query = assay_query_new ("cycles>0", NULL);
    g_autoptr (GArray) found = assay_query_run_facts (query, facts, 0);
    g_autoptr (GArray) blind = assay_query_run (query, facts->verdicts, 0);
    guint expected = 0;

    for (AssayNodeId id = 1; id < facts->n_nodes; id++)
      expected += facts->cycles[id] > 0;
    g_assert_cmpuint (found->len, ==, expected);
    g_assert_cmpuint (blind->len, ==, 0);
  }
  /* A node may be on several cores: it is found on each of them. */
  for (guint core = 0; core < 6; core++)
    {
      g_autofree char *on = g_strdup_printf ("core=%u", core);
      g_autofree char *off = g_strdup_printf ("core!=%u", core);
      g_autoptr (AssayQuery) query = assay_query_new (on, NULL);
      g_autoptr (AssayQuery) other = assay_query_new (off, NULL);
      g_autoptr (GArray) found = assay_query_run_facts (query, facts, 0);
      g_autoptr (GArray) rest = assay_query_run_facts (other, facts, 0);
      guint expected = 0, placed = 0;

      for (AssayNodeId id = 1; id < facts->n_nodes; id++)
        {
          expected += (facts->cores[id] >> core & 1) != 0;
          placed += facts->cores[id] != 0;
        }
      g_assert_cmpuint (found->len, ==, expected);
      g_assert_cmpuint (found->len + rest->len, ==, placed);
    }
  g_assert_cmpfloat (told, >, 0);
  g_assert_cmpfloat (told, <=, (double) busy);
}

static AssayNodeTable *
activate (AssaySession *session)
{
  AssayNodeTable *table = assay_session_get_node_table (session);

  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (table)), ==, 0);
  assay_node_table_set_active (table, TRUE);
  return table;
}

static void
check_order (AssayNodeTable *table, AssayNodeColumn column, gboolean descending)
{
  AssayNodeFacts *facts = assay_node_table_get_facts (table);
  gboolean unknown = FALSE;
  double last = 0;

  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (table)); i++)
    {
      double number = assay_node_facts_get_number (facts, assay_node_table_get_node (table, i),
                                                   column);

      if (number < 0)
        {
          unknown = TRUE;
          continue;
        }
      g_assert_false (unknown);
      if (i > 0)
        g_assert_true (descending ? number <= last : number >= last);
      last = number;
    }
}

/* Either way, what is not known is at the end; the row of every node is found again. */
static void
test_sort (void)
{
  g_autoptr (AssaySession) session = open_example ("many-refusals.onnx", -1);
  AssayNodeTable *table = activate (session);
  guint n = g_list_model_get_n_items (G_LIST_MODEL (table));
  AssayNodeId first;

  for (guint column = 0; column < ASSAY_N_NODE_COLUMNS; column++)
    for (guint descending = 0; descending < 2; descending++)
      {
        g_autofree guint8 *seen = g_new0 (guint8, n + 1);

        assay_node_table_sort (table, column, descending != 0);
        if (assay_node_column_is_number (column))
          check_order (table, column, descending != 0);
        for (guint i = 0; i < n; i++)
          {
            AssayNodeId node = assay_node_table_get_node (table, i);

            g_assert_false (seen[node]);
            seen[node] = TRUE;
            g_assert_cmpuint (assay_node_table_find (table, node), ==, i);
          }
      }

  /* Reasons of the worst verdict first, and equal ones beside each other. */
  assay_node_table_sort (table, ASSAY_NODE_COLUMN_REASON, FALSE);
  for (guint i = 1; i < n; i++)
    {
      AssayVerdicts *verdicts = assay_session_get_verdicts (session);
      AssayVerdictKind before =
          assay_verdicts_get (verdicts, assay_node_table_get_node (table, i - 1))->kind;

      g_assert_cmpint (assay_verdicts_get (verdicts, assay_node_table_get_node (table, i))->kind,
                       >=, before);
    }

  /* The worst verdict first. */
  assay_node_table_sort (table, ASSAY_NODE_COLUMN_VERDICT, FALSE);
  first = assay_node_table_get_node (table, 0);
  g_assert_cmpint (assay_verdicts_get (assay_session_get_verdicts (session), first)->kind, ==,
                   ASSAY_VERDICT_REJECTED);
}

static char *
write_layers (const char *folder)
{
  char *path = g_build_filename (folder, "layers.onnx", NULL);
  g_auto (ModelWriter) writer;
  g_autoptr (GError) error = NULL;

  model_writer_init (&writer, "layers");
  model_writer_input (&writer, "v0", 1, "1,4");
  model_writer_output (&writer, "v12", 1, "1,4");
  for (guint i = 0; i < 12; i++)
    {
      g_autofree char *from = g_strdup_printf ("v%u", i);
      g_autofree char *to = g_strdup_printf ("v%u", i + 1);
      g_autofree char *name = g_strdup_printf (i == 5 ? "layer.%u, \"odd\"\tna\r\nme" : "layer.%u",
                                               i);

      model_writer_node (&writer, "Relu", name, from, to);
    }
  g_assert_true (model_writer_save (&writer, path, 17, &error));
  g_assert_no_error (error);
  return path;
}

static AssaySession *
open_layers (void)
{
  g_autofree char *folder = g_dir_make_tmp ("assay-node-table-XXXXXX", NULL);
  g_autofree char *path = write_layers (folder);
  AssaySession *session = assay_session_new ("vulkan-seed");

  assay_session_open_async (session, path, NULL, NULL, NULL);
  session_wait_idle (session);
  folder_remove (folder);
  return session;
}

/* layer.9 comes before layer.10. */
static void
test_natural (void)
{
  g_autoptr (AssaySession) session = open_layers ();
  AssayNodeTable *table;

  table = activate (session);
  assay_node_table_sort (table, ASSAY_NODE_COLUMN_NAME, TRUE);
  for (guint i = 0; i < 12; i++)
    g_assert_cmpuint (assay_node_table_get_node (table, i), ==, 12 - i);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (table)), ==, 12);
  g_assert_null (g_list_model_get_item (G_LIST_MODEL (table), 12));
}

/* A filter chooses, hides what was selected of the rest, and a wrong one changes nothing. */
static void
test_filter (void)
{
  g_autoptr (AssaySession) session = open_example ("many-refusals.onnx", -1);
  AssayNodeTable *table = activate (session);
  guint n = g_list_model_get_n_items (G_LIST_MODEL (table));
  guint rejected = assay_session_get_verdicts (session)->counts[ASSAY_VERDICT_REJECTED];
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < n; i++)
    assay_node_table_mark (table, i, TRUE);
  assay_node_table_commit (table, 0);
  g_assert_cmpuint (assay_node_table_get_n_selected (table), ==, n);

  assay_session_set_filter (session, 1u << ASSAY_VERDICT_REJECTED);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (table)), ==, rejected);
  g_assert_cmpuint (assay_node_table_get_n_selected (table), ==, rejected);
  assay_session_set_filter (session, 0);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (table)), ==, n);

  g_assert_true (assay_node_table_set_query (table, "verdict=rejected", &error));
  g_assert_no_error (error);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (table)), ==, rejected);
  g_assert_false (assay_node_table_set_query (table, "bytes>much", &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (table)), ==, rejected);
  g_assert_true (assay_node_table_set_query (table, NULL, NULL));

  /* Another target has other nodes: nothing of the old ones is left. */
  assay_session_set_target_id (session, "vulkan-seed");
  session_wait_idle (session);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (table)), ==,
                    assay_graph_n_nodes (assay_session_get_verdicts (session)->graph) - 1);
}

/* Sums are those of the rows. */
static void
test_sums (void)
{
  g_autoptr (AssaySession) session = open_example ("streaming-cnn.onnx", 2);
  AssayNodeTable *table = activate (session);
  AssayNodeFacts *facts = assay_node_table_get_facts (table);
  AssayNodeId a = assay_node_table_get_node (table, 0), b = assay_node_table_get_node (table, 3);
  AssayNodeSums sums;

  assay_node_table_mark (table, 0, TRUE);
  assay_node_table_mark (table, 3, TRUE);
  assay_node_table_commit (table, 3);
  g_assert_cmpuint (assay_session_get_selection (session), ==, b);
  sums = assay_node_table_sum_selected (table);
  g_assert_cmpuint (sums.n, ==, 2);
  g_assert_cmpfloat (sums.parameters, ==, facts->parameters[a] + facts->parameters[b]);
  g_assert_cmpfloat (sums.activations, ==, facts->activations[a] + facts->activations[b]);
  g_assert_cmpfloat (sums.cycles, ==, MAX (facts->cycles[a], 0) + MAX (facts->cycles[b], 0));

  /* A node that is chosen elsewhere is alone, unless it is one of those. */
  assay_session_set_selection (session, a);
  g_assert_cmpuint (assay_node_table_get_n_selected (table), ==, 2);
  assay_session_set_selection (session, assay_node_table_get_node (table, 1));
  g_assert_cmpuint (assay_node_table_get_n_selected (table), ==, 1);
  g_assert_true (assay_node_table_is_selected (table, 1));
}

/* A reader of RFC 4180, so that what was written is what is read. */
static GPtrArray *
read_csv (const char *text)
{
  GPtrArray *lines = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  GPtrArray *line = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) field = g_string_new (NULL);
  gboolean quoted = FALSE;

  for (const char *at = text; *at != '\0'; at++)
    if (quoted && at[0] == '"' && at[1] == '"')
      g_string_append_c (field, *at++);
    else if (*at == '"')
      quoted = !quoted;
    else if (!quoted && (*at == ',' || *at == '\r'))
      {
        g_ptr_array_add (line, g_strdup (field->str));
        g_string_truncate (field, 0);
        if (*at == '\r')
          {
            g_assert_cmpint (at[1], ==, '\n');
            g_ptr_array_add (lines, line);
            line = g_ptr_array_new_with_free_func (g_free);
            at++;
          }
      }
    else
      g_string_append_c (field, *at);

  g_assert_false (quoted);
  g_assert_cmpuint (line->len, ==, 0);
  g_ptr_array_unref (line);
  return lines;
}

static void
test_csv (void)
{
  g_autoptr (AssaySession) session = open_layers ();
  g_autoptr (GPtrArray) lines = NULL;
  g_autoptr (GArray) nodes = NULL;
  g_autoptr (GBytes) csv = NULL;
  g_autoptr (GBytes) tsv = NULL;
  g_autofree char *text = NULL;
  g_autofree char *tabs = NULL;
  AssayNodeFacts *facts;
  GPtrArray *line;

  nodes = assay_node_table_list (activate (session));
  facts = assay_node_table_get_facts (assay_session_get_node_table (session));
  csv = assay_node_facts_to_csv (facts, (const guint32 *) (gpointer) nodes->data, nodes->len, NULL);
  text = g_strndup (g_bytes_get_data (csv, NULL), g_bytes_get_size (csv));
  lines = read_csv (text);
  g_assert_cmpuint (lines->len, ==, 13);
  for (guint i = 0; i < lines->len; i++)
    g_assert_cmpuint (((GPtrArray *) g_ptr_array_index (lines, i))->len, ==, ASSAY_N_NODE_COLUMNS);
  line = g_ptr_array_index (lines, 0);
  g_assert_cmpstr (g_ptr_array_index (line, ASSAY_NODE_COLUMN_CYCLES), ==, "predicted_cycles");
  line = g_ptr_array_index (lines, 6);
  g_assert_cmpstr (g_ptr_array_index (line, ASSAY_NODE_COLUMN_NAME), ==,
                   "layer.5, \"odd\"\tna\r\nme");
  g_assert_cmpstr (g_ptr_array_index (line, ASSAY_NODE_COLUMN_SHAPE), ==, "f32[1,4]");
  g_assert_cmpstr (g_ptr_array_index (line, ASSAY_NODE_COLUMN_ACTIVATIONS), ==, "16");
  g_assert_cmpstr (g_ptr_array_index (line, ASSAY_NODE_COLUMN_CYCLES), ==, "");
  g_assert_nonnull (strstr (text, "\"layer.5, \"\"odd\"\"\tna\r\nme\""));

  tsv = assay_node_facts_to_tsv (facts, (const guint32 *) (gpointer) nodes->data, nodes->len, NULL);
  tabs = g_strndup (g_bytes_get_data (tsv, NULL), g_bytes_get_size (tsv));
  g_assert_nonnull (strstr (tabs, "\tlayer.5, \"odd\" na  me\t"));
  g_assert_null (strchr (tabs, '\r'));
}

TEST_PROGRAM (node_table)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/node-table/facts/unknown", test_unknown);
  g_test_add_func ("/node-table/facts/program", test_program);
  g_test_add_func ("/node-table/list/sort", test_sort);
  g_test_add_func ("/node-table/list/natural", test_natural);
  g_test_add_func ("/node-table/list/filter", test_filter);
  g_test_add_func ("/node-table/list/sums", test_sums);
  g_test_add_func ("/node-table/export/csv", test_csv);

  return g_test_run ();
}
