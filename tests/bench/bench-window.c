/* bench-window.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Search and the table of nodes in the real window: bench-window MODEL. Each line is the processor
 * time from its start, the end of the delay of the entry or the click, until the next frame is
 * drawn with the result. Needs a display.
 */
#include "tests/bench/thread-clock.h"
#include "tests/ui/ui-fixture.h"
#include "ui/table/assay-node-header.h"
#include "ui/table/assay-node-panel.h"
#include "ui/sidebar/assay-sidebar.h"
#include "ui/window/assay-watchdog.h"

#define REPEATS 7
#define PATIENCE_US (120 * G_TIME_SPAN_SECOND)

typedef struct
{
  AssayWindow *window;
  gint64 begin;
  gint64 handled;
  gint64 painted;
} Bench;

static gboolean
search_hook (GSignalInvocationHint *hint, guint n_values, const GValue *values, gpointer data)
{
  ((Bench *) data)->begin = thread_clock_now ();
  return TRUE;
}

static void
searched_cb (Bench *bench)
{
  bench->handled = thread_clock_now ();
}

static void
painted_cb (Bench *bench)
{
  if (bench->begin != 0 && bench->handled != 0 && bench->painted == 0)
    bench->painted = thread_clock_now ();
}

static gboolean
is_painted (gpointer data)
{
  return ((Bench *) data)->painted != 0;
}

static void
wait_frame (Bench *bench)
{
  wait_until (is_painted (bench));
}

/* Opening is not what is measured, and may take its time on a busy machine. */
static void
wait_open (AssaySession *session)
{
  gint64 deadline = g_get_monotonic_time () + PATIENCE_US;

  while (assay_session_get_state (session) == ASSAY_SESSION_LOADING ||
         assay_session_get_busy (session))
    wait_turn (deadline, "the model", G_STRLOC);
}

static void
start (Bench *bench)
{
  bench->begin = bench->handled = bench->painted = 0;
}

static int
compare (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a;
  double y = *(const double *) b;

  return x < y ? -1 : x > y;
}

static void
print_line (const char *what, double *handled, double *painted, guint found)
{
  qsort (handled, REPEATS, sizeof *handled, compare);
  qsort (painted, REPEATS, sizeof *painted, compare);
  g_print ("%-34s %8u  %7.1f  %7.1f  %7.1f\n", what, found, handled[REPEATS / 2],
           painted[REPEATS / 2], painted[REPEATS - 1]);
}

/* The text is set as if typed: the entry waits its 60 ms, then the sidebar searches. */
static void
bench_search (Bench *bench, GtkWidget *entry, const char *text)
{
  double handled[REPEATS], painted[REPEATS];
  guint found = 0;

  for (guint i = 0; i < REPEATS; i++)
    {
      const GArray *hits;

      start (bench);
      gtk_editable_set_text (GTK_EDITABLE (entry), text);
      wait_frame (bench);
      handled[i] = (double) (bench->handled - bench->begin) / 1000;
      painted[i] = (double) (bench->painted - bench->begin) / 1000;
      hits = assay_session_get_hits (assay_window_get_session (bench->window));
      found = hits != NULL ? hits->len : 0;
      start (bench);
      gtk_editable_set_text (GTK_EDITABLE (entry), "");
      wait_frame (bench);
      ui_settle ();
    }
  print_line (text, handled, painted, found);
}

typedef void (*Act) (Bench *bench, guint turn);

static void
bench_act (Bench *bench, const char *what, Act act, Act back)
{
  AssayNodeTable *table = assay_session_get_node_table (assay_window_get_session (bench->window));
  double handled[REPEATS], painted[REPEATS];
  guint n = 0;

  for (guint i = 0; i < REPEATS; i++)
    {
      start (bench);
      bench->begin = thread_clock_now ();
      act (bench, i);
      bench->handled = thread_clock_now ();
      wait_frame (bench);
      handled[i] = (double) (bench->handled - bench->begin) / 1000;
      painted[i] = (double) (bench->painted - bench->begin) / 1000;
      n = g_list_model_get_n_items (G_LIST_MODEL (table));
      if (back != NULL)
        back (bench, i);
      ui_settle ();
    }
  print_line (what, handled, painted, n);
}

static void
toggle_table (Bench *bench, guint turn)
{
  gtk_widget_activate_action (GTK_WIDGET (bench->window), "win.node-table", NULL);
}

static void
sort (Bench *bench, guint turn)
{
  static const AssayNodeColumn columns[] = {
    ASSAY_NODE_COLUMN_NAME,  ASSAY_NODE_COLUMN_ACTIVATIONS, ASSAY_NODE_COLUMN_VERDICT,
    ASSAY_NODE_COLUMN_OP,    ASSAY_NODE_COLUMN_PARAMETERS,  ASSAY_NODE_COLUMN_SHAPE,
    ASSAY_NODE_COLUMN_REASON
  };

  assay_node_table_sort (assay_session_get_node_table (assay_window_get_session (bench->window)),
                         columns[turn % G_N_ELEMENTS (columns)], turn % 2 == 0);
}

static void
select_far (Bench *bench, guint turn)
{
  AssayNodeTable *table = assay_session_get_node_table (assay_window_get_session (bench->window));
  guint n = g_list_model_get_n_items (G_LIST_MODEL (table));

  assay_session_set_selection (assay_window_get_session (bench->window),
                               assay_node_table_get_node (table, (turn * 7919 + n / 2) % n));
}

static void
mark_all (Bench *bench, guint turn)
{
  AssayNodeTable *table = assay_session_get_node_table (assay_window_get_session (bench->window));

  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (table)); i++)
    assay_node_table_mark (table, i, turn % 2 == 0);
  assay_node_table_commit (table, G_MAXUINT);
}

static void
filter (Bench *bench, guint turn)
{
  g_autoptr (GError) error = NULL;

  if (!assay_node_table_set_query (
          assay_session_get_node_table (assay_window_get_session (bench->window)),
          turn % 2 == 0 ? "bytes>64" : NULL, &error))
    g_error ("%s", error->message);
}

int
main (int argc, char **argv)
{
  static const char *const queries[] = { "matmul",
                                         "1",
                                         "op=Relu",
                                         "bytes>64",
                                         "MatMul -> * -> Relu",
                                         "MatMul -> ** -> Relu",
                                         "verdict=rejected rank>1",
                                         "nothing like this" };
  Bench bench = { 0 };
  GtkWidget *entry;
  guint n_nodes;

  if (argc != 2 || !ui_init (NULL, NULL))
    {
      g_printerr (argc != 2 ? "usage: bench-window MODEL\n"
                            : "bench-window: there is no display\n");
      return 2;
    }

  bench.window = ui_window_new (UI_TARGET, 1280, 800);
  assay_window_open (bench.window, argv[1], NULL);
  wait_open (assay_window_get_session (bench.window));
  ui_settle ();
  if (assay_session_get_verdicts (assay_window_get_session (bench.window)) == NULL)
    {
      g_printerr ("bench-window: %s cannot be opened\n", argv[1]);
      return 2;
    }
  n_nodes = assay_graph_n_nodes (
                assay_session_get_verdicts (assay_window_get_session (bench.window))->graph) -
            1;
  g_print ("%u nodes, window of 1280 x 800, cairo; milliseconds of processor time, median of %d "
           "and longest\n",
           n_nodes, REPEATS);
  g_print ("%-34s %8s  %7s  %7s  %7s\n", "", "rows", "done", "drawn", "longest");

  entry = ui_find_type (ui_find_type (GTK_WIDGET (bench.window), ASSAY_TYPE_SIDEBAR),
                        GTK_TYPE_SEARCH_ENTRY);
  g_signal_add_emission_hook (g_signal_lookup ("search-changed", GTK_TYPE_SEARCH_ENTRY), 0,
                              search_hook, &bench, NULL);
  g_signal_connect_swapped (entry, "search-changed", G_CALLBACK (searched_cb), &bench);
  g_signal_connect_swapped (gtk_widget_get_frame_clock (GTK_WIDGET (bench.window)), "after-paint",
                            G_CALLBACK (painted_cb), &bench);
  for (guint i = 0; i < G_N_ELEMENTS (queries); i++)
    bench_search (&bench, entry, queries[i]);

  bench_act (&bench, "table shown", toggle_table, toggle_table);
  toggle_table (&bench, 0);
  ui_settle ();
  bench_act (&bench, "table sorted", sort, NULL);
  bench_act (&bench, "table, row far away selected", select_far, NULL);
  bench_act (&bench, "table, all selected or none", mark_all, NULL);
  bench_act (&bench, "table filtered", filter, NULL);
  g_print ("longest stretch of our code in the main loop: %.1f ms\n",
           (double) assay_watchdog_get_worst () / 1000);
  ui_window_close (bench.window);
  return 0;
}
