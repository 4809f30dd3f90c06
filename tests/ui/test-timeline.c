/* test-timeline.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The Timeline page: headline, lanes, the table of units, what leaves it as a file; and where the
 * focus goes when pages change.
 */
#include <glib/gstdio.h>

#include "report/assay-trace-report.h"
#include "test-program.h"
#include "ui-fixture.h"
#include "ui/table/assay-columns.h"
#include "ui/timeline/assay-lane-item.h"
#include "ui/memory/assay-instruction-pane.h"
#include "ui/memory/assay-program-page.h"
#include "ui/timeline/assay-timeline-chart.h"
#include "ui/timeline/assay-timeline-page.h"
#include "ui/window/assay-ui.h"

/* A program on several cores, at the timeline. */
static AssayWindow *
open_timeline (int width, int height)
{
  AssayWindow *window = ui_window_new (UI_TARGET, width, height);

  ui_open_example (window, "streaming-cnn.onnx");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "timeline");
  ui_settle ();
  return window;
}

static AssayTimeMap *
get_map (AssayWindow *window)
{
  AssayTimeMap *map = assay_compilation_get_time (
      assay_session_get_compilation (assay_window_get_session (window)));

  g_assert_nonnull (map);
  return map;
}

static GtkColumnView *
get_table (AssayWindow *window)
{
  return GTK_COLUMN_VIEW (ui_find_type (
      ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_TIMELINE_PAGE), GTK_TYPE_COLUMN_VIEW));
}

static void
show_instructions (AssayWindow *window)
{
  GtkWidget *page = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_TIMELINE_PAGE);
  GtkWidget *switcher = ui_find_type (page, GTK_TYPE_STACK_SWITCHER);

  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (gtk_widget_get_last_child (switcher)), TRUE);
  ui_settle ();
}

/* Every instruction stands on the page with its cycles, leaves it as a file, and moves the playhead
 * and the selection to where it works. */
static void
test_instructions (void)
{
  AssayWindow *window = open_timeline (1280, 800);
  AssaySession *session = assay_window_get_session (window);
  AssayCompilation *compilation = assay_session_get_compilation (session);
  AssayTimeMap *map = get_map (window);
  GtkWidget *pane = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_INSTRUCTION_PANE);
  GtkColumnView *table = GTK_COLUMN_VIEW (ui_find_type (pane, GTK_TYPE_COLUMN_VIEW));
  GtkSelectionModel *rows;
  guint n = assay_program_get_facts (map->program)->n_rows;
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  guint timed = 0;

  /* Its rows are made when it is looked at. */
  g_assert_false (gtk_widget_get_mapped (pane));
  g_assert_null (gtk_column_view_get_model (table));
  show_instructions (window);
  g_assert_true (gtk_widget_get_mapped (pane));

  rows = gtk_column_view_get_model (table);
  text = assay_columns_to_text (table, TRUE);
  lines = g_strsplit (text, "\r\n", -1);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (rows)), ==, n);
  g_assert_cmpstr (lines[0], ==, "No.,Core,Unit,Start,End,Waited,For,Node,Instruction");
  g_assert_cmpuint (g_strv_length (lines), ==, n + 2);
  for (guint32 i = 0; i < n; i++)
    {
      g_auto (GStrv) fields = g_strsplit (lines[i + 1], ",", 6);
      guint32 event = map->event_of[i];

      g_assert_cmpuint (g_ascii_strtoull (fields[0], NULL, 10), ==, i);
      if (event == 0)
        continue;
      timed++;
      g_assert_cmpuint (g_ascii_strtoull (fields[3], NULL, 10), ==,
                        assay_time_map_get_event (map, event - 1)->start);
      g_assert_cmpuint (g_ascii_strtoull (fields[4], NULL, 10), ==,
                        assay_time_map_get_event (map, event - 1)->end);
    }
  g_assert_cmpuint (timed, >, n / 2);

  gtk_selection_model_select_item (rows, n - 1, TRUE);
  g_assert_cmpuint (assay_compilation_get_playhead (compilation), ==,
                    assay_program_get_row (map->program, n - 1).step);
  ui_window_close (window);
}

/* Every cycle before the last instruction of a core begins is a wait of one of its instructions,
 * for one cause. */
static void
test_waits (void)
{
  AssayWindow *window = open_timeline (1280, 800);
  AssayTimeMap *map = get_map (window);
  guint32 waited[ASSAY_MAX_CORES] = { 0 }, last[ASSAY_MAX_CORES] = { 0 };

  for (guint i = 0; i < map->lanes->len; i++)
    {
      const AssayTimeLane *lane = assay_time_map_get_lane (map, i);

      g_assert_cmpuint (lane->busy, <=, map->cycles.spaced);
      g_assert_cmpuint (lane->critical, <=, lane->busy);
      g_assert_cmpuint (lane->waits[ASSAY_WAIT_NONE], ==, 0);
      if (lane->core < map->n_cores)
        waited[lane->core] += assay_time_map_get_waits (lane);
      for (guint32 n = 1; n < lane->n_events; n++)
        g_assert_cmpuint (assay_time_map_get_event (map, map->order[lane->first + n])->start, >=,
                          assay_time_map_get_event (map, map->order[lane->first + n - 1])->end);
    }
  for (guint32 i = 0; i < map->events->len; i++)
    {
      const AssayEvent *event = assay_time_map_get_event (map, i);
      gboolean ordered = !g_str_equal (assay_time_map_get_unit_name (map, event->unit), "drain") &&
                         !assay_program_get_unit (map->program, event->unit)->shared;

      g_assert_cmpuint (event->wait == ASSAY_WAIT_NONE, ==, event->start == event->issued);
      if (ordered && !assay_program_get_row (map->program, event->instruction).ahead)
        last[event->core] = event->start;
    }
  for (guint core = 0; core < map->n_cores; core++)
    g_assert_cmpuint (waited[core], ==, last[core]);
  g_assert_cmpuint (map->path->len, >, 1);

  ui_window_close (window);
}

static void
test_headline (void)
{
  AssayWindow *window = open_timeline (1024, 640);
  AssayTimeMap *map = get_map (window);
  GtkWidget *page = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_TIMELINE_PAGE);
  g_autofree char *cycles = assay_ui_format_count (map->cycles.spaced);
  g_autofree char *low = NULL;
  g_autofree char *high = NULL;
  AssayCycleRange range;
  g_autofree char *text = NULL;

  g_assert_true (assay_program_get_cycle_range (map->program, map->cycles.spaced, &range));
  low = assay_ui_format_count (range.low);
  high = assay_ui_format_count (range.high);
  text = g_strdup_printf (
      "%s cycles predicted, %.2f\u202fµs at %u\u202fMHz, %s to %s for nine models of ten", cycles,
      (double) map->cycles.spaced / assay_program_get_clock_mhz (map->program),
      assay_program_get_clock_mhz (map->program), low, high);
  g_assert_nonnull (ui_find_label (page, text));
  g_assert_cmpuint (
      g_list_model_get_n_items (G_LIST_MODEL (gtk_column_view_get_model (get_table (window)))), ==,
      map->lanes->len);
  ui_window_close (window);
}

static void
test_empty (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1024, 640);
  GtkWidget *page = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_TIMELINE_PAGE);

  ui_open_example (window, "many-refusals.onnx");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "timeline");
  ui_settle ();
  g_assert_true (gtk_widget_get_mapped (ui_find_type (page, ASSAY_TYPE_PROGRAM_PAGE)));
  g_assert_true (gtk_widget_get_mapped (ui_find_label (page, "No Program to Time")));
  g_assert_true (gtk_widget_get_mapped (ui_find_label (page, "Show Findings")));
  ui_window_close (window);
}

/* The row of a core. */
static guint
find_row (GtkColumnView *table, guint core)
{
  GListModel *rows = G_LIST_MODEL (gtk_column_view_get_model (table));

  for (guint i = 0; i < g_list_model_get_n_items (rows); i++)
    {
      g_autoptr (AssayLaneItem) item = g_list_model_get_item (rows, i);

      if (assay_lane_item_get_core (item) == core)
        return i;
    }

  return GTK_INVALID_LIST_POSITION;
}

/* A core is chosen in table, drawing and memory at once. */
static void
test_core (void)
{
  AssayWindow *window = open_timeline (1280, 900);
  AssayCompilation *compilation = assay_session_get_compilation (assay_window_get_session (window));
  AssayTimelineChart *chart = ASSAY_TIMELINE_CHART (
      ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_TIMELINE_CHART));
  GtkSingleSelection *selection = GTK_SINGLE_SELECTION (
      gtk_column_view_get_model (get_table (window)));
  guint other = (assay_compilation_get_core (compilation) + 1) % get_map (window)->n_cores;

  g_assert_cmpuint (gtk_single_selection_get_selected (selection), ==,
                    find_row (get_table (window), assay_compilation_get_core (compilation)));
  g_assert_cmpuint (find_row (get_table (window), other), !=, GTK_INVALID_LIST_POSITION);
  gtk_single_selection_set_selected (selection, find_row (get_table (window), other));
  g_assert_cmpuint (assay_compilation_get_core (compilation), ==, other);
  g_assert_cmpuint (assay_timeline_chart_get_look (chart)->core, ==, other);
  g_assert_true ((assay_timeline_chart_get_look (chart)->opened >> other & 1) != 0);

  assay_compilation_set_core (compilation, 0);
  g_assert_cmpuint (gtk_single_selection_get_selected (selection), ==,
                    find_row (get_table (window), 0));
  ui_window_close (window);
}

/* What is sorted anew has the same row selected, which nobody chose again: core and playhead stay
 * where they were brought since. */
static void
test_sorted (void)
{
  AssayWindow *window = open_timeline (1280, 900);
  AssayCompilation *compilation = assay_session_get_compilation (assay_window_get_session (window));
  GtkColumnView *tables[2];

  show_instructions (window);
  tables[0] = get_table (window);
  tables[1] = GTK_COLUMN_VIEW (ui_find_type (
      ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_INSTRUCTION_PANE), GTK_TYPE_COLUMN_VIEW));
  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    {
      GtkSingleSelection *selection = GTK_SINGLE_SELECTION (gtk_column_view_get_model (tables[i]));
      guint n = g_list_model_get_n_items (G_LIST_MODEL (selection));

      gtk_single_selection_set_selected (selection, n - 1);
      ui_settle ();
      assay_compilation_set_core (compilation, 0);
      assay_compilation_set_playhead (compilation, 1);
      for (guint column = 1; column < 4; column++)
        {
          g_autoptr (GtkColumnViewColumn)
              by = g_list_model_get_item (gtk_column_view_get_columns (tables[i]), column);

          gtk_column_view_sort_by_column (tables[i], by, GTK_SORT_DESCENDING);
          ui_settle ();
          g_assert_cmpuint (assay_compilation_get_core (compilation), ==, 0);
          g_assert_cmpuint (assay_compilation_get_playhead (compilation), ==, 1);
        }
    }
  ui_window_close (window);
}

/* A bar leads to its node and step, the line of a core opens and closes its units. */
static void
test_press (void)
{
  AssayWindow *window = open_timeline (1280, 900);
  AssaySession *session = assay_window_get_session (window);
  AssayCompilation *compilation = assay_session_get_compilation (session);
  AssayTimeMap *map = get_map (window);
  AssayTimelineChart *chart = ASSAY_TIMELINE_CHART (
      ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_TIMELINE_CHART));
  const AssayTimelineLook *look = assay_timeline_chart_get_look (chart);
  guint64 opened = look->opened;
  gboolean pressed_bar = FALSE, pressed_header = FALSE;

  /* Bars that are wider than a pixel is off. */
  assay_timeline_chart_zoom (chart, look->width / 3, 0.01);
  for (double y = 0; y < assay_timeline_look_get_height (look, map); y += 6)
    for (double x = 0; x < look->width; x += 3)
      {
        AssayTimelinePlace place;
        AssayProgramRow instruction;
        const AssayEvent *event;
        double middle;

        if (!assay_timeline_look_locate (look, map, x, y, &place))
          continue;
        if (place.is_header && !pressed_header && pressed_bar)
          {
            assay_timeline_chart_press (chart, x, y);
            g_assert_cmpuint (look->opened, !=, opened);
            assay_timeline_chart_press (chart, x, y);
            pressed_header = TRUE;
            continue;
          }
        if (place.event == ASSAY_NO_EVENT || place.core == map->n_cores || pressed_bar)
          continue;

        event = assay_time_map_get_event (map, place.event);
        instruction = assay_program_get_row (map->program, event->instruction);
        middle = assay_timeline_look_get_x (look, (event->start + event->end) / 2.0);
        if (event->end < event->start + 2 || event->start < look->first_cycle ||
            event->end > look->end_cycle)
          continue;
        assay_timeline_chart_press (chart, middle, y + 1);
        g_assert_cmpuint (assay_compilation_get_core (compilation), ==, instruction.core);
        g_assert_cmpuint (assay_compilation_get_playhead (compilation), ==, instruction.step);
        g_assert_true (assay_session_is_selected (
            session, assay_compilation_get_node_name (compilation, instruction.node)));
        pressed_bar = TRUE;
      }
  g_assert_true (pressed_bar);
  g_assert_true (pressed_header);

  assay_timeline_chart_zoom (chart, look->width / 2, 100);
  assay_timeline_chart_zoom (chart, look->width / 2, 0.25);
  g_assert_cmpfloat (look->end_cycle - look->first_cycle, <, map->end / 3.0);
  assay_timeline_chart_zoom (chart, look->width / 2, 100);
  g_assert_cmpfloat (look->end_cycle - look->first_cycle, ==, map->end);
  ui_window_close (window);
}

static gboolean
exists (gpointer data)
{
  return g_file_test (data, G_FILE_TEST_EXISTS);
}

/* Files that leave the page: numbers without the spaces that are for people, and the trace of the
 * command line. */
static void
test_files (void)
{
  AssayWindow *window = open_timeline (1280, 800);
  AssayTimeMap *map = get_map (window);
  const AssayTimeLane *first = assay_time_map_get_lane (map, 1);
  g_autofree char *folder = g_dir_make_tmp ("assay-timeline-XXXXXX", NULL);
  g_autofree char *csv = g_build_filename (folder, "units.csv", NULL);
  g_autofree char *trace = g_build_filename (folder, "x.trace.json", NULL);
  g_autofree char *row = g_strdup_printf (
      "\r\n%u,%s,%u,", first->core, assay_time_map_get_unit_name (map, first->unit), first->busy);
  g_autofree char *tsv = assay_columns_to_text (get_table (window), FALSE);
  g_autofree char *command = assay_session_dup_command (assay_window_get_session (window),
                                                        "cycles");
  g_autofree char *text = NULL;
  g_autofree char *written = NULL;
  g_autofree char *expected = NULL;
  g_auto (GStrv) lines = g_strsplit (tsv, "\n", -1);
  gsize length;

  g_assert_cmpuint (g_strv_length (lines), ==, map->lanes->len + 2);
  g_assert_true (g_str_has_prefix (lines[0], "Core\tUnit\t"));
  assay_columns_save (get_table (window), csv);
  wait_until (g_file_get_contents (csv, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, row));

  assay_timeline_page_save_trace (
      ASSAY_TIMELINE_PAGE (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_TIMELINE_PAGE)), trace);
  wait_until (exists (trace));
  ui_settle ();
  g_assert_true (g_file_get_contents (trace, &written, NULL, NULL));
  expected = assay_trace_report_to_json (map->program, 0, &length, NULL);
  g_assert_cmpstr (written, ==, expected);
  g_assert_nonnull (
      strstr (command, "&& assay cycles streaming-cnn.assayprog --trace streaming-cnn.trace.json"));

  ui_window_close (window);
  g_remove (csv);
  g_remove (trace);
  g_rmdir (folder);
}

/* The ring of a separator stands around its whole height: the focus goes into the page instead. */
static void
test_focus (void)
{
  static const char *const pages[] = { "timeline", "memory",   "compare", "graph",
                                       "compare",  "timeline", "graph" };
  static const int widths[] = { 1024, 1280, 1920 };

  for (guint i = 0; i < G_N_ELEMENTS (widths); i++)
    {
      AssayWindow *window = ui_window_new (UI_TARGET, widths[i], 900);

      ui_open_example (window, "streaming-cnn.onnx");
      for (guint page = 0; page < G_N_ELEMENTS (pages); page++)
        {
          GtkWidget *focus;

          gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", pages[page]);
          ui_settle ();
          focus = gtk_window_get_focus (GTK_WINDOW (window));
          g_test_message ("%d, %s: %s", widths[i], pages[page],
                          focus != NULL ? G_OBJECT_TYPE_NAME (focus) : "none");
          g_assert_false (GTK_IS_PANED (focus));
        }
      ui_window_close (window);
    }
}

static guint
count_text (const AssayDisplayList *list, const char *text)
{
  guint n = 0;

  for (guint i = 0; i < list->items->len; i++)
    {
      const AssayDrawItem *item = &g_array_index (list->items, AssayDrawItem, i);

      n += item->kind == ASSAY_DRAW_TEXT && g_str_equal (list->text->str + item->data, text);
    }

  return n;
}

/* Where there is room all cores that work are open, lines take the height, and bars that are too
 * thin for it have the name of their node together. */
static void
test_room (void)
{
  AssayWindow *window = open_timeline (1920, 1080);
  AssayTimeMap *map = get_map (window);
  AssayTimelineChart *chart = ASSAY_TIMELINE_CHART (
      ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_TIMELINE_CHART));
  AssayTimelineLook look = *assay_timeline_chart_get_look (chart);
  g_autoptr (AssayDisplayList) list = assay_display_list_new ();
  AssayTimelinePlace place;
  guint64 working = 0;

  for (guint i = 0; i < map->lanes->len; i++)
    if (assay_time_map_get_lane (map, i)->core < map->n_cores)
      working |= G_GUINT64_CONSTANT (1) << assay_time_map_get_lane (map, i)->core;
  g_assert_cmpuint (working & (working - 1), !=, 0);
  g_assert_cmpuint (look.opened, ==, working);

  look.height = assay_timeline_look_get_height (&look, map);
  g_assert_false (
      assay_timeline_look_locate (&look, map, look.width / 2, look.height + 10, &place));
  look.height *= 1.5;
  /* The last two lines are whole inferences, where there is nothing to choose. */
  g_assert_true (assay_timeline_look_locate (&look, map, look.width / 2, look.height - 80, &place));
  g_assert_false (
      assay_timeline_look_locate (&look, map, look.width / 2, look.height - 30, &place));
  assay_timeline_scene_draw (map, &look, list);
  g_assert_cmpuint (count_text (list, "spaced"), ==, 1);
  g_assert_cmpuint (count_text (list, "contiguous"), ==, 1);
  for (guint i = 0; i < 2; i++)
    {
      guint32 n = i == 0 ? map->cycles.spaced : map->cycles.contiguous;
      g_autofree char *count = assay_ui_format_count (n);
      g_autofree char *cycles = g_strdup_printf ("%s cycles, %.2f\u202fµs", count,
                                                 (double) n /
                                                     assay_program_get_clock_mhz (map->program));

      g_assert_cmpuint (count_text (list, cycles), ==, 1);
    }
  g_assert_cmpuint (count_text (list, "/blocks.1/act/Relu"), >, 0);
  ui_window_close (window);
}

/* What was measured is read whole at each width: its lines together say all of it. */
static void
check_range (GtkWidget *widget, const AssayTimeMap *map, AssayTimelineLook look, double width)
{
  g_autoptr (AssayDisplayList) list = assay_display_list_new ();
  g_autofree char *whole = assay_timeline_describe_range (map, look.core, 100, 200);
  g_autoptr (PangoFontDescription) small = pango_font_description_copy (
      pango_context_get_font_description (gtk_widget_get_pango_context (widget)));
  g_autoptr (GString) said = g_string_new (NULL);
  guint n = 0;

  look.width = width;
  pango_font_description_set_size (small, (int) (8.5 * PANGO_SCALE));
  assay_timeline_scene_draw_range (map, &look, 100, 200, list);
  for (guint i = 0; i < list->items->len; i++)
    {
      const AssayDrawItem *item = &g_array_index (list->items, AssayDrawItem, i);
      const char *text = list->text->str + item->data;
      g_autoptr (PangoLayout) layout = NULL;
      int taken;

      if (item->kind != ASSAY_DRAW_TEXT)
        continue;
      layout = gtk_widget_create_pango_layout (widget, text);
      pango_layout_set_font_description (layout, small);
      pango_layout_get_pixel_size (layout, &taken, NULL);
      g_test_message ("%g: %d of %g: %s", width, taken, item->width, text);
      g_assert_cmpfloat (taken, <=, item->width);
      g_string_append_printf (said, "%s%s", n == 0 ? "" : n == 1 ? "; " : " ", text);
      n++;
    }
  g_assert_cmpstr (said->str, ==, whole);
}

/* A drag along the ruler tells how long it is and what works in it. */
static void
test_measure (void)
{
  AssayWindow *window = open_timeline (1280, 800);
  AssayTimeMap *map = get_map (window);
  AssayTimelineChart *chart = ASSAY_TIMELINE_CHART (
      ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_TIMELINE_CHART));
  const AssayTimelineLook *look = assay_timeline_chart_get_look (chart);
  double unit = gtk_widget_get_width (GTK_WIDGET (chart)) / look->width;
  g_autofree char *whole = assay_timeline_describe_range (map, 0, 0, map->cycles.spaced);
  g_autofree char *part = assay_timeline_describe_range (map, 0, 100, 101);
  g_autofree char *measured = NULL;
  g_autofree char *cycles = assay_ui_format_count (map->cycles.spaced);
  g_autofree char *start = g_strconcat (cycles, " cycles, ", NULL);
  /* Rounded as the table does. */
  g_autofree char *busy = g_strdup_printf (
      "%s %u %%", assay_time_map_get_unit_name (map, 0),
      (guint) (100 * assay_time_map_get_lane (map, 1)->busy / map->cycles.spaced));

  g_assert_true (g_str_has_prefix (whole, start));
  g_assert_nonnull (strstr (whole, busy));
  g_assert_true (g_str_has_prefix (part, "1 cycle, "));
  g_assert_true (assay_timeline_look_is_ruler (look, look->width / 2, 5));
  g_assert_false (assay_timeline_look_is_ruler (look, look->width / 2, look->height / 2));

  assay_timeline_chart_measure (chart, assay_timeline_look_get_x (look, 200) * unit + 1,
                                assay_timeline_look_get_x (look, 100) * unit + 1);
  ui_settle ();
  measured = assay_timeline_describe_range (map, look->core, 100, 200);
  gtk_test_accessible_assert_property (chart, GTK_ACCESSIBLE_PROPERTY_LABEL, measured);
  for (double width = 400; width <= 1600; width *= 2)
    check_range (GTK_WIDGET (chart), map, *look, width);
  ui_window_close (window);
}

/* What is not shown takes no height from the lines, which are seen whole at the usual size. */
static void
test_whole (void)
{
  AssayWindow *window = open_timeline (1280, 800);
  GtkWidget *chart = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_TIMELINE_CHART);
  GtkAdjustment *adjustment;

  ui_settle ();
  adjustment = gtk_scrolled_window_get_vadjustment (
      GTK_SCROLLED_WINDOW (gtk_widget_get_ancestor (chart, GTK_TYPE_SCROLLED_WINDOW)));
  g_assert_cmpfloat (gtk_adjustment_get_upper (adjustment), <=,
                     gtk_adjustment_get_page_size (adjustment));
  ui_window_close (window);
}

static const UiTest tests[] = {
  { "/timeline/room", test_room },
  { "/timeline/measure", test_measure },
  { "/timeline/waits", test_waits },
  { "/timeline/headline", test_headline },
  { "/timeline/empty", test_empty },
  { "/timeline/core", test_core },
  { "/timeline/sorted", test_sorted },
  { "/timeline/press", test_press },
  { "/timeline/files", test_files },
  { "/timeline/focus", test_focus },
  { "/timeline/instructions", test_instructions },
  { "/timeline/whole", test_whole },
};

TEST_PROGRAM (timeline)
{
  return ui_run (argc, argv, tests, G_N_ELEMENTS (tests));
}
