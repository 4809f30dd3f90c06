/* assay-times-page.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/timeline/assay-times-page.h"

#include "report/assay-run-report.h"
#include "ui/canvas/assay-picture.h"
#include "ui/memory/assay-program-page.h"
#include "ui/table/assay-columns.h"
#include "ui/timeline/assay-times-item.h"
#include "ui/window/assay-file-choice.h"
#include "ui/window/assay-file-save.h"
#include "ui/window/assay-template.h"
#include "ui/window/assay-ui-markup.h"
#include "ui/window/assay-ui.h"
#include "ui/inspector/assay-wrap-layout.h"

#define ZOOM_STEP 1.25
#define PAN_STEP 0.1

struct _AssayTimesPage
{
  GtkWidget parent_instance;

  AssaySession *session;
  AssayRunTimes *times;
  AssayTimesLook look;
  AssayFileChoice *choice;
  GListStore *rows;
  GtkSingleSelection *selection;
  double pointer_x;
  gboolean syncing;

  GtkStack *stack;
  AssayProgramPage *empty_page;
  GtkLabel *headline;
  GtkLabel *subline;
  AssayPicture *chart;
  GtkColumnView *table;
};

static void assay_times_page_page_init (AssayPageInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (AssayTimesPage, assay_times_page, GTK_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (ASSAY_TYPE_PAGE, assay_times_page_page_init))

static const AssayColumn columns[ASSAY_N_TIMES_COLUMNS] = {
  [ASSAY_TIMES_COLUMN_NAME] = { "Node or Tensor", FALSE, TRUE },
  [ASSAY_TIMES_COLUMN_WHERE] = { "Where", FALSE, FALSE, NULL, 3 },
  [ASSAY_TIMES_COLUMN_BEGIN] = { "Start, µs", TRUE, FALSE, NULL, 2 },
  [ASSAY_TIMES_COLUMN_TIME] = { "Time, µs", TRUE, FALSE },
  [ASSAY_TIMES_COLUMN_SHARE] = { "Share", TRUE, FALSE, NULL, 1 },
};

static char *
dup_text (gpointer item, guint column)
{
  return assay_times_item_dup_text (item, column);
}

static int
compare (gpointer a, gpointer b, guint column)
{
  return assay_times_item_compare (a, b, column);
}

static AssayRun *
get_run (AssayTimesPage *self)
{
  return assay_session_get_run (self->session);
}

static guint
get_chosen (AssayTimesPage *self)
{
  AssayTimesItem *item = gtk_single_selection_get_selected_item (self->selection);

  return item != NULL ? assay_times_item_get_index (item) : G_MAXUINT;
}

static void
draw (AssayDisplayList *list, double width, double height, gpointer data)
{
  AssayTimesPage *self = data;

  self->look.width = width;
  self->look.height = height;
  if (self->times != NULL)
    assay_times_scene_draw (self->times, &self->look, get_chosen (self), list);
}

static char *
describe (double x, double y, double width, double height, gpointer data)
{
  AssayTimesPage *self = data;
  guint found = self->times != NULL ? assay_times_look_find (&self->look, self->times, x, y)
                                    : G_MAXUINT;
  const AssayRunnerStep *step;

  if (found == G_MAXUINT)
    return NULL;

  step = assay_run_times_get (self->times, found);
  return g_strdup_printf ("%s\n%s, %.1f\u202fµs from %.1f\u202fµs on", step->name, step->where,
                          (double) step->ns / 1000, (double) step->begin / 1000);
}

static void
update_texts (AssayTimesPage *self)
{
  gint64 end = assay_run_times_get_end (self->times);
  gint64 between = MAX (end - assay_run_times_get_total (self->times), 0);
  g_autofree char *rest = assay_ui_format_share ((guint64) between, (guint64) end);
  g_autofree char *title = g_strdup_printf ("%.3f\u202fms measured on %s", (double) end / 1e6,
                                            assay_run_times_get_label (self->times));
  g_autoptr (GString) text = g_string_new (NULL);

  if (assay_activity_get_state (ASSAY_ACTIVITY (get_run (self))) == ASSAY_ACTIVITY_STALE)
    g_string_append (text, "Measured before the last change: run it again. ");
  for (guint lane = 0; lane < ASSAY_N_RUN_LANES; lane++)
    {
      gint64 sum = assay_run_times_get_sum (self->times, lane);
      g_autofree char *share = assay_ui_format_share ((guint64) sum, (guint64) end);

      g_string_append_printf (text, "%s %.3f\u202fms (%s), ", assay_run_lane_get_title (lane),
                              (double) sum / 1e6, share);
    }
  g_string_append_printf (text, "%.3f\u202fms (%s) between the parts.", (double) between / 1e6,
                          rest);
  gtk_label_set_label (self->headline, title);
  gtk_label_set_label (self->subline, text->str);
  g_string_prepend (text, ". ");
  g_string_prepend (text, title);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->chart), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  text->str, -1);
}

static void
fill_rows (AssayTimesPage *self)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < assay_run_times_get_n (self->times); i++)
    g_ptr_array_add (items, assay_times_item_new (self->times, i));

  self->syncing = TRUE;
  g_list_store_splice (self->rows, 0, g_list_model_get_n_items (G_LIST_MODEL (self->rows)),
                       items->pdata, items->len);
  self->syncing = FALSE;
}

/* What is to be seen: why there is no program, that it did not run, or what was measured. */
static void
run_changed_cb (AssayTimesPage *self)
{
  AssayRunTimes *times = assay_run_get_times (get_run (self));
  AssayActivityState compiled = assay_activity_get_state (
      ASSAY_ACTIVITY (assay_session_get_compilation (self->session)));

  if (times != self->times)
    {
      g_clear_pointer (&self->times, assay_run_times_unref);
      if (times != NULL)
        {
          self->times = assay_run_times_ref (times);
          assay_times_look_fit (&self->look, times);
          fill_rows (self);
        }
    }
  if (self->times != NULL)
    {
      update_texts (self);
      assay_picture_redraw (self->chart);
    }
  gtk_stack_set_visible_child_name (self->stack, times != NULL                      ? "times"
                                                 : compiled == ASSAY_ACTIVITY_READY ? "run"
                                                                                    : "empty");
}

/* Of a node that is selected elsewhere the first part; nothing if it has none. */
static void
follow_selection (AssayTimesPage *self)
{
  GListModel *model = G_LIST_MODEL (self->selection);
  guint chosen = get_chosen (self);
  guint found = GTK_INVALID_LIST_POSITION;

  if (self->syncing || self->times == NULL ||
      (chosen != G_MAXUINT &&
       assay_session_is_selected (self->session, assay_run_times_get (self->times, chosen)->name)))
    return;

  for (guint i = 0; i < g_list_model_get_n_items (model) && found == GTK_INVALID_LIST_POSITION; i++)
    {
      g_autoptr (AssayTimesItem) item = g_list_model_get_item (model, i);
      guint index = assay_times_item_get_index (item);

      if (assay_session_is_selected (self->session, assay_run_times_get (self->times, index)->name))
        found = i;
    }
  self->syncing = TRUE;
  gtk_single_selection_set_selected (self->selection, found);
  self->syncing = FALSE;
  assay_picture_redraw (self->chart);
}

static void
selected_cb (AssayTimesPage *self)
{
  guint chosen = get_chosen (self);
  gboolean other = assay_columns_selects_other (self->selection);

  if (self->syncing)
    return;

  self->syncing = TRUE;
  if (other && chosen != G_MAXUINT && self->times != NULL)
    assay_session_select_name (self->session, assay_run_times_get (self->times, chosen)->name);
  self->syncing = FALSE;
  assay_picture_redraw (self->chart);
}

/**
 * assay_times_page_press:
 * @self: a page
 * @x: a place in the chart, in pixels
 * @y: a place in the chart, in pixels
 *
 * Does what a click does: selects the part under the pointer and its node.
 */
void
assay_times_page_press (AssayTimesPage *self, double x, double y)
{
  GListModel *model = G_LIST_MODEL (self->selection);
  double unit = assay_picture_get_unit (self->chart);
  guint part = self->times != NULL
                   ? assay_times_look_find (&self->look, self->times, x / unit, y / unit)
                   : G_MAXUINT;

  for (guint i = 0; part != G_MAXUINT && i < g_list_model_get_n_items (model); i++)
    {
      g_autoptr (AssayTimesItem) item = g_list_model_get_item (model, i);

      if (assay_times_item_get_index (item) == part)
        gtk_single_selection_set_selected (self->selection, i);
    }
}

static void
pressed_cb (GtkGestureClick *gesture, int n_press, double x, double y, AssayTimesPage *self)
{
  if (n_press == 1)
    assay_times_page_press (self, x, y);
  else if (n_press == 2 && assay_session_get_selection (self->session) != ASSAY_NO_NODE)
    gtk_widget_activate_action (GTK_WIDGET (self), "win.page", "s", "graph");
}

static void
motion_cb (GtkEventControllerMotion *controller, double x, double y, AssayTimesPage *self)
{
  self->pointer_x = x;
}

static gboolean
scroll_cb (GtkEventControllerScroll *controller, double dx, double dy, AssayTimesPage *self)
{
  GdkModifierType state = gtk_event_controller_get_current_event_state (
      GTK_EVENT_CONTROLLER (controller));
  gboolean zooms = (state & GDK_CONTROL_MASK) != 0;

  if (self->times == NULL || (!zooms && dx == 0 && (state & GDK_SHIFT_MASK) == 0))
    return FALSE;

  if (zooms)
    assay_times_look_zoom (&self->look, self->times,
                           self->pointer_x / assay_picture_get_unit (self->chart),
                           dx + dy > 0 ? ZOOM_STEP : 1 / ZOOM_STEP);
  else
    assay_times_look_pan (&self->look, self->times, (dx + dy) * PAN_STEP);
  assay_picture_redraw (self->chart);
  return TRUE;
}

/**
 * assay_times_page_get_look:
 * @self: a page
 *
 * Gets which part of the inference is shown.
 *
 * Returns: (transfer none): the part
 */
const AssayTimesLook *
assay_times_page_get_look (AssayTimesPage *self)
{
  return &self->look;
}

/**
 * assay_times_page_save_trace:
 * @self: a page
 * @path: a file
 *
 * Writes what was measured for Perfetto, as `assay run --trace` does.
 */
void
assay_times_page_save_trace (AssayTimesPage *self, const char *path)
{
  g_autofree char *model = assay_document_dup_name (assay_session_get_document (self->session));
  char *document;
  gsize length = 0;

  if (self->times == NULL)
    return;

  document = assay_run_times_to_trace (&self->times, 1, model, &length);
  assay_file_save_bytes (GTK_WIDGET (self),
                         assay_session_add_job (self->session, "Saving the trace"), path,
                         "the trace", g_bytes_new_take (document, length));
}

static void
trace_chosen_cb (const char *path, gpointer data)
{
  assay_times_page_save_trace (data, path);
}

static void
trace_cb (AssayTimesPage *self)
{
  static const AssayFileKind kind = { "Save Trace", "_Save", "*.json", "Traces for Perfetto" };

  assay_file_choice_save (self->choice, GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (self))), &kind,
                          ".run-trace.json", trace_chosen_cb, self);
}

/* The table can do both by itself. */
static void
copy_cb (AssayTimesPage *self)
{
  gtk_widget_activate_action (GTK_WIDGET (self->table), "export.copy", NULL);
}

static void
save_cb (AssayTimesPage *self)
{
  gtk_widget_activate_action (GTK_WIDGET (self->table), "export.save", NULL);
}

static gboolean
assay_times_page_grab_focus (GtkWidget *widget)
{
  AssayTimesPage *self = ASSAY_TIMES_PAGE (widget);

  return assay_ui_focus_part (widget, self->stack, "times", GTK_WIDGET (self->table));
}

static void
assay_times_page_dispose (GObject *object)
{
  AssayTimesPage *self = ASSAY_TIMES_PAGE (object);

  g_clear_pointer (&self->choice, assay_file_choice_free);
  gtk_widget_dispose_template (GTK_WIDGET (self), ASSAY_TYPE_TIMES_PAGE);
  g_clear_object (&self->rows);
  g_clear_object (&self->selection);
  g_clear_pointer (&self->times, assay_run_times_unref);
  g_clear_object (&self->session);

  G_OBJECT_CLASS (assay_times_page_parent_class)->dispose (object);
}

static void
assay_times_page_class_init (AssayTimesPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_times_page_dispose;
  widget_class->grab_focus = assay_times_page_grab_focus;

  g_type_ensure (ASSAY_TYPE_PICTURE);
  g_type_ensure (ASSAY_TYPE_WRAP_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  ASSAY_BIND_TEMPLATE (klass, AssayTimesPage, "assay-times-page", stack, empty_page, headline,
                       subline, chart, table);
  gtk_widget_class_bind_template_callback (widget_class, trace_cb);
  gtk_widget_class_bind_template_callback (widget_class, copy_cb);
  gtk_widget_class_bind_template_callback (widget_class, save_cb);
}

static void
assay_times_page_init (AssayTimesPage *self)
{
  GtkGesture *click = gtk_gesture_click_new ();
  GtkEventController *scroll = gtk_event_controller_scroll_new (
      GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
  GtkEventController *motion = gtk_event_controller_motion_new ();

  self->choice = assay_file_choice_new ();
  self->rows = g_list_store_new (ASSAY_TYPE_TIMES_ITEM);
  gtk_widget_init_template (GTK_WIDGET (self));

  assay_picture_set_minimum (self->chart, 320, 140);
  assay_picture_set_functions (self->chart, draw, describe, self);
  g_signal_connect (click, "pressed", G_CALLBACK (pressed_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self->chart), GTK_EVENT_CONTROLLER (click));
  g_signal_connect (scroll, "scroll", G_CALLBACK (scroll_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self->chart), scroll);
  g_signal_connect (motion, "motion", G_CALLBACK (motion_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self->chart), motion);

  self->selection = assay_columns_set_rows (self->table, G_LIST_MODEL (self->rows));
  gtk_single_selection_set_can_unselect (self->selection, TRUE);
  for (guint i = 0; i < ASSAY_N_TIMES_COLUMNS; i++)
    assay_columns_add (self->table, &columns[i], i, dup_text, compare);
  g_signal_connect_swapped (self->selection, "notify::selected", G_CALLBACK (selected_cb), self);
}

static void
assay_times_page_set_session (AssayPage *page, AssaySession *session)
{
  AssayTimesPage *self = ASSAY_TIMES_PAGE (page);

  g_set_object (&self->session, session);
  assay_program_page_set_session (self->empty_page, session);
  g_signal_connect_object (assay_session_get_run (session), "notify::state",
                           G_CALLBACK (run_changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (assay_session_get_compilation (session), "notify::state",
                           G_CALLBACK (run_changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::selection", G_CALLBACK (follow_selection), self,
                           G_CONNECT_SWAPPED);
  run_changed_cb (self);
}

static void
assay_times_page_page_init (AssayPageInterface *iface)
{
  iface->set_session = assay_times_page_set_session;
}
