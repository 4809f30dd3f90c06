/* assay-timeline-page.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/timeline/assay-timeline-page.h"

#include "base/assay-file-write.h"
#include "report/assay-trace-report.h"
#include "ui/table/assay-column-fit.h"
#include "ui/table/assay-columns.h"
#include "ui/window/assay-file-choice.h"
#include "ui/window/assay-file-save.h"
#include "ui/timeline/assay-lane-item.h"
#include "ui/memory/assay-instruction-pane.h"
#include "ui/memory/assay-program-page.h"
#include "ui/timeline/assay-timeline-chart.h"
#include "ui/window/assay-ui.h"
#include "ui/window/assay-ui-markup.h"
#include "ui/window/assay-template.h"
#include "ui/inspector/assay-wrap-layout.h"

struct _AssayTimelinePage
{
  GtkWidget parent_instance;

  AssaySession *session;
  AssayTimeMap *map;
  AssayFileChoice *choice;
  GListStore *rows;
  GtkSingleSelection *selection;
  gboolean syncing;

  GtkStack *stack;
  AssayProgramPage *empty_page;
  GtkLabel *headline;
  GtkLabel *subline;
  AssayTimelineChart *chart;
  GtkStack *tables;
  GtkWidget *copy_button;
  GtkWidget *save_button;
  GtkColumnView *table;
  GtkColumnViewColumn *core_columns[2]; /* of the table, shown where there are several cores */
  AssayInstructionPane *instructions;
};

static void assay_timeline_page_page_init (AssayPageInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (AssayTimelinePage, assay_timeline_page, GTK_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (ASSAY_TYPE_PAGE,
                                                      assay_timeline_page_page_init))

static const AssayColumn columns[ASSAY_N_LANE_COLUMNS] = {
  [ASSAY_LANE_COLUMN_CORE] = { "Core", FALSE, FALSE },
  [ASSAY_LANE_COLUMN_UNIT] = { "Unit", FALSE, FALSE },
  [ASSAY_LANE_COLUMN_BUSY] = { "Busy, cycles", TRUE, FALSE },
  [ASSAY_LANE_COLUMN_SHARE] = { "Share", TRUE, FALSE, NULL, 1 },
  [ASSAY_LANE_COLUMN_CRITICAL] = { "On Path", TRUE, FALSE, NULL, 2 },
  [ASSAY_LANE_COLUMN_INSTRUCTIONS] = { "Instructions", TRUE, FALSE, NULL, 9 },
  [ASSAY_LANE_COLUMN_WAITS] = { "Waits, cycles", TRUE, FALSE, NULL, 1 },
  [ASSAY_LANE_COLUMN_CORE_WAIT] = { "Other Core", TRUE, FALSE, NULL, 3 },
  [ASSAY_LANE_COLUMN_OPERAND_WAIT] = { "Own Result", TRUE, FALSE, NULL, 4 },
  [ASSAY_LANE_COLUMN_UNIT_WAIT] = { "Unit Busy", TRUE, FALSE, NULL, 6 },
  [ASSAY_LANE_COLUMN_INPUT_WAIT] = { "Input", TRUE, FALSE, NULL, 5 },
  [ASSAY_LANE_COLUMN_SUM_WAIT] = { "Sum", TRUE, FALSE, NULL, 7 },
  [ASSAY_LANE_COLUMN_DRAIN_WAIT] = { "Drain", TRUE, FALSE, NULL, 8 },
};

static const guint core_columns[] = { ASSAY_LANE_COLUMN_CORE, ASSAY_LANE_COLUMN_CORE_WAIT };

static AssayCompilation *
get_compilation (AssayTimelinePage *self)
{
  return assay_session_get_compilation (self->session);
}

static char *
dup_text (gpointer item, guint column)
{
  return assay_lane_item_dup_text (item, column);
}

static int
compare (gpointer a, gpointer b, guint column)
{
  return assay_lane_item_compare (a, b, column);
}

static void
append_cycles (GString *text, guint32 cycles, guint clock, const char *before, const char *after)
{
  g_autofree char *count = assay_ui_format_count (cycles);

  g_string_append_printf (text, "%s%s cycles%s, %.2f\u202fµs", before, count, after,
                          (double) cycles / MAX (clock, 1));
}

/* What keeps cores waiting longest, in words. */
static void
append_worst_wait (AssayTimelinePage *self, GString *text)
{
  const AssayTimeLane *worst = NULL;
  AssayWait cause = ASSAY_WAIT_NONE;
  const char *unit;
  g_autofree char *cycles = NULL;

  for (guint i = 0; i < self->map->lanes->len; i++)
    {
      const AssayTimeLane *lane = assay_time_map_get_lane (self->map, i);

      /* A unit at work is no loss. */
      for (guint wait = ASSAY_WAIT_UNIT + 1; wait < ASSAY_N_WAITS; wait++)
        if (lane->waits[wait] > (worst != NULL ? worst->waits[cause] : 0))
          {
            worst = lane;
            cause = wait;
          }
    }
  if (worst == NULL)
    return;

  cycles = assay_ui_format_count (worst->waits[cause]);
  unit = assay_time_map_get_unit_name (self->map, worst->unit);
  if (self->map->n_cores > 1)
    g_string_append_printf (text, " Core %u waits longest, %s cycles in its %s unit for %s.",
                            worst->core, cycles, unit, assay_wait_get_words (cause));
  else
    g_string_append_printf (text, " The %s unit waits longest, %s cycles for %s.", unit, cycles,
                            assay_wait_get_words (cause));
}

static void
append_busiest (AssayTimelinePage *self, GString *text)
{
  const AssayTimeLane *busiest = NULL;
  g_autofree char *share = NULL;

  for (guint i = 0; i < self->map->lanes->len; i++)
    {
      const AssayTimeLane *lane = assay_time_map_get_lane (self->map, i);

      if (lane->core < self->map->n_cores && (busiest == NULL || lane->busy > busiest->busy))
        busiest = lane;
    }
  if (busiest == NULL)
    return;

  share = assay_ui_format_share (busiest->busy, self->map->cycles.spaced);
  g_string_append_printf (text, " The %s unit",
                          assay_time_map_get_unit_name (self->map, busiest->unit));
  if (self->map->n_cores > 1)
    g_string_append_printf (text, " of core %u", busiest->core);
  g_string_append_printf (text, " is busiest, %s of the time.", share);
}

static void
update_texts (AssayTimelinePage *self)
{
  guint clock = assay_program_get_clock_mhz (self->map->program);
  const char *estimate = assay_program_get_estimate (self->map->program);
  g_autofree char *origin = g_strconcat (" ", assay_program_get_cycles_word (self->map->program),
                                         NULL);
  AssayCycleRange range;
  g_autoptr (GString) headline = g_string_new (NULL);
  g_autoptr (GString) text = g_string_new (NULL);

  append_cycles (headline, self->map->cycles.spaced, clock, "", origin);
  g_string_append_printf (headline, " at %u\u202fMHz", clock);
  if (assay_program_get_cycle_range (self->map->program, self->map->cycles.spaced, &range))
    {
      g_autofree char *low = assay_ui_format_count (range.low);
      g_autofree char *high = assay_ui_format_count (range.high);

      g_string_append_printf (headline, ", %s to %s for nine models of ten", low, high);
    }
  append_cycles (text, self->map->cycles.contiguous, clock,
                 "Where one inference follows another at once: ", "");
  g_string_append_c (text, '.');
  append_busiest (self, text);
  append_worst_wait (self, text);
  if (estimate != NULL)
    g_string_append_printf (text, " Cycles are %s.", estimate);
  gtk_label_set_label (self->headline, headline->str);
  gtk_label_set_label (self->subline, text->str);
}

/* A row of the core that is chosen, the first one if it was not among them. */
static void
follow_core (AssayTimelinePage *self)
{
  GListModel *model = G_LIST_MODEL (self->selection);
  AssayLaneItem *selected = gtk_single_selection_get_selected_item (self->selection);
  guint core = assay_compilation_get_core (get_compilation (self));
  guint found = GTK_INVALID_LIST_POSITION;

  if (self->syncing || (selected != NULL && assay_lane_item_get_core (selected) == core))
    return;

  for (guint i = 0; i < g_list_model_get_n_items (model) && found == GTK_INVALID_LIST_POSITION; i++)
    {
      g_autoptr (AssayLaneItem) item = g_list_model_get_item (model, i);

      if (assay_lane_item_get_core (item) == core)
        found = i;
    }

  self->syncing = TRUE;
  gtk_single_selection_set_selected (self->selection, found);
  self->syncing = FALSE;
}

static void
selected_cb (AssayTimelinePage *self)
{
  AssayLaneItem *item = gtk_single_selection_get_selected_item (self->selection);
  gboolean other = assay_columns_selects_other (self->selection);

  if (self->syncing || !other || assay_lane_item_get_core (item) >= self->map->n_cores)
    return;

  self->syncing = TRUE;
  assay_compilation_set_core (get_compilation (self), assay_lane_item_get_core (item));
  self->syncing = FALSE;
}

static void
fill_rows (AssayTimelinePage *self)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < self->map->lanes->len; i++)
    g_ptr_array_add (items, assay_lane_item_new (self->map, i));

  self->syncing = TRUE;
  g_list_store_splice (self->rows, 0, g_list_model_get_n_items (G_LIST_MODEL (self->rows)),
                       items->pdata, items->len);
  self->syncing = FALSE;
}

static void
program_changed_cb (AssayTimelinePage *self)
{
  AssayTimeMap *map = assay_compilation_get_time (get_compilation (self));

  if (map != self->map)
    {
      g_clear_pointer (&self->map, assay_time_map_unref);
      if (map != NULL)
        {
          self->map = assay_time_map_ref (map);
          for (guint i = 0; i < G_N_ELEMENTS (core_columns); i++)
            assay_column_fit_set_wanted (self->table, self->core_columns[i], map->n_cores > 1);
          fill_rows (self);
          update_texts (self);
          follow_core (self);
        }
    }
  gtk_stack_set_visible_child_name (self->stack, map != NULL ? "time" : "empty");
}

/* Trace. */

static gboolean
write_trace (gpointer what, const char *path, const AssayProgress *progress, GError **error)
{
  gsize length;
  g_autofree char *text = assay_trace_report_to_json (what, 0, &length, progress);

  return assay_progress_check (progress, error) && assay_file_write (path, text, length, error);
}

/**
 * assay_timeline_page_save_trace:
 * @self: a page
 * @path: a file
 *
 * Writes the timeline for Perfetto, the same file as `assay cycles --trace`, in a thread.
 */
void
assay_timeline_page_save_trace (AssayTimelinePage *self, const char *path)
{
  if (self->map != NULL)
    assay_file_save (GTK_WIDGET (self), assay_session_add_job (self->session, "Saving the trace"),
                     path, "the trace", write_trace, g_object_ref (self->map->program),
                     g_object_unref);
}

static void
trace_chosen_cb (const char *path, gpointer data)
{
  assay_timeline_page_save_trace (data, path);
}

static void
rows_chosen_cb (const char *path, gpointer data)
{
  assay_columns_save (ASSAY_TIMELINE_PAGE (data)->table, path);
}

static void
choose (AssayTimelinePage *self, const AssayFileKind *kind, const char *ending,
        AssayFileChosen chosen)
{
  assay_file_choice_save (self->choice, GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (self))), kind,
                          ending, chosen, self);
}

static void
trace_cb (AssayTimelinePage *self)
{
  static const AssayFileKind kind = { "Save Trace", "_Save", "*.json", "Traces for Perfetto" };

  choose (self, &kind, ".trace.json", trace_chosen_cb);
}

static void
save_cb (AssayTimelinePage *self)
{
  static const AssayFileKind kind = { "Save Units", "_Save", "*.csv", "Comma-Separated Values" };

  choose (self, &kind, "-units.csv", rows_chosen_cb);
}

static void
copy_cb (AssayTimelinePage *self)
{
  assay_columns_copy (self->table);
}

/* The instructions have their own. */
static void
table_changed_cb (AssayTimelinePage *self)
{
  gboolean units = g_strcmp0 (gtk_stack_get_visible_child_name (self->tables), "units") == 0;

  gtk_widget_set_visible (self->copy_button, units);
  gtk_widget_set_visible (self->save_button, units);
}

static void
copy_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  copy_cb (ASSAY_TIMELINE_PAGE (widget));
}

static gboolean
assay_timeline_page_grab_focus (GtkWidget *widget)
{
  AssayTimelinePage *self = ASSAY_TIMELINE_PAGE (widget);

  return assay_ui_focus_part (widget, self->stack, "time", GTK_WIDGET (self->chart));
}

static void
assay_timeline_page_dispose (GObject *object)
{
  AssayTimelinePage *self = ASSAY_TIMELINE_PAGE (object);

  g_clear_pointer (&self->choice, assay_file_choice_free);
  gtk_widget_dispose_template (GTK_WIDGET (self), ASSAY_TYPE_TIMELINE_PAGE);
  g_clear_object (&self->rows);
  g_clear_object (&self->selection);
  g_clear_pointer (&self->map, assay_time_map_unref);
  g_clear_object (&self->session);

  G_OBJECT_CLASS (assay_timeline_page_parent_class)->dispose (object);
}

static void
assay_timeline_page_class_init (AssayTimelinePageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_timeline_page_dispose;
  widget_class->grab_focus = assay_timeline_page_grab_focus;

  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  g_type_ensure (ASSAY_TYPE_INSTRUCTION_PANE);
  g_type_ensure (ASSAY_TYPE_WRAP_LAYOUT);
  ASSAY_BIND_TEMPLATE (klass, AssayTimelinePage, "assay-timeline-page", stack, empty_page, headline,
                       subline, chart, tables, copy_button, save_button, table, instructions);
  gtk_widget_class_bind_template_callback (widget_class, table_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, trace_cb);
  gtk_widget_class_bind_template_callback (widget_class, copy_cb);
  gtk_widget_class_bind_template_callback (widget_class, save_cb);
  gtk_widget_class_install_action (widget_class, "units.copy", NULL, copy_action);
}

static void
assay_timeline_page_init (AssayTimelinePage *self)
{
  self->choice = assay_file_choice_new ();
  self->rows = g_list_store_new (ASSAY_TYPE_LANE_ITEM);
  gtk_widget_init_template (GTK_WIDGET (self));

  self->selection = assay_columns_set_rows (self->table, G_LIST_MODEL (self->rows));
  gtk_single_selection_set_can_unselect (self->selection, TRUE);
  /* None of them is a name that takes what is left, so figures share it. */
  for (guint i = 0; i < ASSAY_N_LANE_COLUMNS; i++)
    {
      GtkColumnViewColumn *column = assay_columns_add (self->table, &columns[i], i, dup_text,
                                                       compare);

      gtk_column_view_column_set_expand (column, columns[i].number);
      for (guint k = 0; k < G_N_ELEMENTS (core_columns); k++)
        if (core_columns[k] == i)
          self->core_columns[k] = column;
    }
  g_signal_connect_swapped (self->selection, "notify::selected", G_CALLBACK (selected_cb), self);
}

static void
assay_timeline_page_set_session (AssayPage *page, AssaySession *session)
{
  AssayTimelinePage *self = ASSAY_TIMELINE_PAGE (page);
  AssayCompilation *compilation = assay_session_get_compilation (session);

  g_set_object (&self->session, session);
  assay_program_page_set_session (self->empty_page, session);
  assay_timeline_chart_set_session (self->chart, session);
  assay_instruction_pane_set_session (self->instructions, session);
  g_signal_connect_object (compilation, "notify::state", G_CALLBACK (program_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (compilation, "notify::core", G_CALLBACK (follow_core), self,
                           G_CONNECT_SWAPPED);
  program_changed_cb (self);
}

static void
assay_timeline_page_page_init (AssayPageInterface *iface)
{
  iface->set_session = assay_timeline_page_set_session;
}
