/* assay-result-window.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/compare/assay-result-window.h"

#include <math.h>

#include "base/assay-sentence.h"
#include "ui/table/assay-columns.h"
#include "ui/window/assay-file-choice.h"
#include "ui/window/assay-file-save.h"
#include "ui/tensor/assay-tensor-window.h"
#include "ui/window/assay-ui.h"
#include "ui/window/assay-ui-markup.h"
#include "ui/window/assay-template.h"

#define VALUES_PER_LINE 8
#define LINES_PER_PAGE 16
#define PER_PAGE (VALUES_PER_LINE * LINES_PER_PAGE)

struct _AssayResultWindow
{
  AdwWindow parent_instance;

  AssaySession *session;
  AssayFileChoice *choice;
  GtkSingleSelection *selection;
  gsize page;

  AdwToastOverlay *toasts;
  GtkStack *stack;
  AdwStatusPage *status;
  GtkLabel *summary;
  GtkLabel *cycles;
  GtkColumnView *table;
  GtkLabel *values_title;
  GtkTextView *values;
  GtkWidget *previous;
  GtkWidget *next;
};

G_DEFINE_FINAL_TYPE (AssayResultWindow, assay_result_window, ADW_TYPE_WINDOW)

typedef enum
{
  COLUMN_NAME,
  COLUMN_SHAPE,
  COLUMN_MIN,
  COLUMN_MAX,
  COLUMN_MEAN,
  COLUMN_DEVIATION,
  COLUMN_NAN,
  COLUMN_INF,
  N_COLUMNS
} Column;

static const AssayColumn columns[N_COLUMNS] = {
  [COLUMN_NAME] = { "Output", FALSE, TRUE },
  [COLUMN_SHAPE] = { "Shape", FALSE, FALSE, NULL, 1 },
  [COLUMN_MIN] = { "Min", TRUE, FALSE },
  [COLUMN_MAX] = { "Max", TRUE, FALSE },
  [COLUMN_MEAN] = { "Mean", TRUE, FALSE, NULL, 1 },
  [COLUMN_DEVIATION] = { "Std", TRUE, FALSE, NULL, 2 },
  [COLUMN_NAN] = { "NaN", TRUE, FALSE, NULL, 3 },
  [COLUMN_INF] = { "Inf", TRUE, FALSE, NULL, 4 },
};

static AssayRun *
get_run (AssayResultWindow *self)
{
  return assay_session_get_run (self->session);
}

static char *
format_number (double value)
{
  if (!isfinite (value))
    return g_strdup ("–");

  return g_strdup_printf ("%.5g", value);
}

static char *
dup_cell (gpointer item, guint column)
{
  const AssayStatistics *statistics = assay_result_item_get_statistics (item);

  switch (column)
    {
    case COLUMN_NAME:
      return g_strdup (assay_result_item_get_name (item));
    case COLUMN_SHAPE:
      return assay_result_item_dup_shape (item);
    case COLUMN_MIN:
      return format_number (statistics->min);
    case COLUMN_MAX:
      return format_number (statistics->max);
    case COLUMN_MEAN:
      return format_number (statistics->mean);
    case COLUMN_DEVIATION:
      return format_number (statistics->deviation);
    case COLUMN_NAN:
      return assay_ui_format_count (statistics->n_nan);
    default:
      return assay_ui_format_count (statistics->n_inf);
    }
}

static void
append_values (GString *text, AssayTensor *tensor, gsize first, gsize end)
{
  for (gsize i = first; i < end; i++)
    {
      double value = 0;

      if ((i - first) % VALUES_PER_LINE == 0)
        g_string_append_printf (text, "%s%7" G_GSIZE_FORMAT, i > first ? "\n" : "", i);
      if (assay_tensor_get_element (tensor, i, &value, NULL))
        g_string_append_printf (text, " %9.4g", value);
    }
}

static void
update_values (AssayResultWindow *self)
{
  AssayResultItem *item = gtk_single_selection_get_selected_item (self->selection);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *title = NULL;
  gsize n = 0, first = 0, end = 0;

  if (item != NULL)
    {
      AssayTensor *tensor = assay_result_item_get_tensor (item);

      n = assay_tensor_get_n_elements (tensor);
      first = MIN (self->page * PER_PAGE, n);
      end = MIN (first + PER_PAGE, n);
      append_values (text, tensor, first, end);
    }

  if (n > 0)
    title = g_strdup_printf ("%s, values %" G_GSIZE_FORMAT " to %" G_GSIZE_FORMAT
                             " of %" G_GSIZE_FORMAT,
                             assay_result_item_get_name (item), first, end - 1, n);
  gtk_label_set_label (self->values_title, title != NULL ? title : "No values");
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (self->values), text->str, -1);
  gtk_widget_set_sensitive (self->previous, first > 0);
  gtk_widget_set_sensitive (self->next, end < n);
}

static void
selected_cb (AssayResultWindow *self)
{
  if (assay_columns_selects_other (self->selection))
    self->page = 0;
  update_values (self);
}

static void
previous_cb (AssayResultWindow *self)
{
  self->page -= self->page > 0;
  update_values (self);
}

static void
next_cb (AssayResultWindow *self)
{
  self->page++;
  update_values (self);
}

/* All tensors of the output that @item is a part of. */
static AssayRunParts *
list_parts (AssayResultWindow *self, AssayResultItem *item)
{
  GListModel *results = assay_run_get_results (get_run (self));
  AssayRunParts *parts = assay_run_parts_new ();

  for (guint i = 0; i < g_list_model_get_n_items (results); i++)
    {
      g_autoptr (AssayResultItem) other = g_list_model_get_item (results, i);

      if (g_strcmp0 (assay_result_item_get_whole (other), assay_result_item_get_whole (item)) == 0)
        assay_run_parts_add (parts, assay_result_item_get_part (other),
                             assay_result_item_get_tensor (other));
    }

  return parts;
}

/* A part is saved by itself if the name says so, else the whole of it. */
static void
save_chosen_cb (const char *path, gpointer data)
{
  AssayResultWindow *self = data;
  AssayResultItem *item = gtk_single_selection_get_selected_item (self->selection);

  if (item == NULL)
    return;

  if (assay_result_item_get_whole (item) != NULL && !g_str_has_suffix (path, ".npy"))
    assay_file_save_parts (GTK_WIDGET (self->toasts), list_parts (self, item), path);
  else
    assay_file_save_values (GTK_WIDGET (self->toasts), assay_result_item_get_tensor (item), path);
}

static void
save_cb (AssayResultWindow *self)
{
  static const AssayFileKind tensor = { "Save Values", "_Save", "*.npy", "NumPy Arrays" };
  static const AssayFileKind parts = { "Save All Parts", "_Save", "*.np[yz]",
                                       "NumPy Archives, or Arrays of One Part" };
  AssayResultItem *item = gtk_single_selection_get_selected_item (self->selection);
  const char *whole = item != NULL ? assay_result_item_get_whole (item) : NULL;
  g_autofree char *ending = NULL;

  if (item == NULL)
    return;

  ending = g_strdup_printf ("-%s.%s", whole != NULL ? whole : assay_result_item_get_name (item),
                            whole != NULL ? "npz" : "npy");
  g_strdelimit (ending, G_DIR_SEPARATOR_S, '_');
  assay_file_choice_save (self->choice, GTK_WINDOW (self), whole != NULL ? &parts : &tensor, ending,
                          save_chosen_cb, self);
}

/* Every value on its own, beside that of the run before if it has as many. */
static void
view_cb (AssayResultWindow *self)
{
  AssayResultItem *item = gtk_single_selection_get_selected_item (self->selection);
  const char *title = NULL;
  AssayTensor *previous;
  GtkWidget *window;

  if (item == NULL)
    return;

  window = assay_tensor_window_new (GTK_WINDOW (self), assay_result_item_get_name (item),
                                    assay_result_item_get_tensor (item));
  previous = assay_run_find_previous (get_run (self), assay_result_item_get_name (item), &title);
  if (previous != NULL && assay_tensor_get_n_elements (previous) ==
                              assay_tensor_get_n_elements (assay_result_item_get_tensor (item)))
    assay_tensor_window_set_other (ASSAY_TENSOR_WINDOW (window), previous, 0,
                                   assay_run_get_title (get_run (self)),
                                   title != NULL ? title : "the run before");
  gtk_window_present (GTK_WINDOW (window));
}

static void
run_again_cb (AssayResultWindow *self)
{
  assay_run_start (get_run (self));
}

static char *
describe_cycles (AssayResultWindow *self)
{
  AssayCompilation *compilation = assay_session_get_compilation (self->session);
  const AssayCycles *cycles = assay_compilation_get_cycles (compilation);
  AssayProgram *program = cycles != NULL ? assay_compilation_get_program (compilation) : NULL;
  guint clock = program != NULL ? assay_program_get_clock_mhz (program) : 0;
  g_autofree char *spaced = NULL;
  g_autofree char *contiguous = NULL;

  if (clock == 0)
    return g_strdup ("");

  spaced = assay_program_dup_count (program, cycles->spaced);
  contiguous = assay_program_dup_count (program, cycles->contiguous);
  return g_strdup_printf (
      "Predicted per inference at %u\u202fMHz: %s cycles spaced (%.2f\u202fµs), "
      "%s contiguous (%.2f\u202fµs).",
      clock, spaced, (double) cycles->spaced / clock, contiguous,
      (double) cycles->contiguous / clock);
}

static void
update_summary (AssayResultWindow *self)
{
  AssayRun *run = get_run (self);
  g_autofree char *inputs = assay_input_choice_describe (assay_run_get_inputs (run));
  g_autofree char *steps = assay_ui_format_count (assay_run_get_n_steps (run));
  g_autofree char *cycles = describe_cycles (self);
  g_autofree char *time = assay_ui_format_seconds (assay_run_get_seconds (run));
  const GError *error = assay_activity_get_error (ASSAY_ACTIVITY (run));
  g_autofree char *why = error != NULL ? assay_sentence_dup_closed (error->message) : NULL;
  g_autofree char *text = NULL;

  if (error != NULL)
    text = g_strdup_printf ("○ The last run did not end: %s This is the one before, on %s.", why,
                            assay_run_get_title (run));
  else if (assay_activity_get_state (ASSAY_ACTIVITY (run)) == ASSAY_ACTIVITY_STALE)
    text = g_strdup_printf ("○ Not of what is chosen now: run on %s.", assay_run_get_title (run));
  else
    text = g_strdup_printf ("%s on %s: %s %s, %s on this computer.", assay_run_get_title (run),
                            inputs, steps,
                            assay_run_get_n_steps (run) == 1 ? "inference" : "timesteps", time);
  gtk_label_set_label (self->summary, text);
  gtk_label_set_label (self->cycles, cycles);
}

static void
state_changed_cb (AssayResultWindow *self)
{
  AssayRun *run = get_run (self);
  gboolean any = g_list_model_get_n_items (assay_run_get_results (run)) > 0;
  const GError *error = assay_activity_get_error (ASSAY_ACTIVITY (run));

  if (error != NULL)
    {
      adw_status_page_set_title (self->status, "The Run Did Not End");
      assay_ui_describe (self->status, error->message);
    }
  else if (assay_activity_get_state (ASSAY_ACTIVITY (run)) == ASSAY_ACTIVITY_RUNNING)
    {
      adw_status_page_set_title (self->status, "Running");
      assay_ui_describe (self->status, NULL);
    }
  else
    {
      adw_status_page_set_title (self->status, "Nothing Ran Yet");
      assay_ui_describe (self->status, "Run shows what comes out of the program.");
    }

  gtk_stack_set_visible_child_name (self->stack, any ? "result" : "status");
  if (any)
    {
      update_summary (self);
      update_values (self);
    }
}

static void
assay_result_window_dispose (GObject *object)
{
  AssayResultWindow *self = ASSAY_RESULT_WINDOW (object);

  g_clear_pointer (&self->choice, assay_file_choice_free);
  if (self->selection != NULL)
    g_signal_handlers_disconnect_by_data (self->selection, self);
  g_clear_object (&self->selection);
  g_clear_object (&self->session);

  G_OBJECT_CLASS (assay_result_window_parent_class)->dispose (object);
}

static void
assay_result_window_class_init (AssayResultWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_result_window_dispose;

  ASSAY_BIND_TEMPLATE (klass, AssayResultWindow, "assay-result-window", toasts, stack, status,
                       summary, cycles, table, values_title, values, previous, next);
  gtk_widget_class_bind_template_callback (widget_class, previous_cb);
  gtk_widget_class_bind_template_callback (widget_class, next_cb);
  gtk_widget_class_bind_template_callback (widget_class, save_cb);
  gtk_widget_class_bind_template_callback (widget_class, run_again_cb);
  gtk_widget_class_bind_template_callback (widget_class, view_cb);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
assay_result_window_init (AssayResultWindow *self)
{
  self->choice = assay_file_choice_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
}

/**
 * assay_result_window_new:
 * @parent: the window it belongs to
 * @session: a session
 *
 * Makes the window; it follows the runs of the session.
 *
 * Returns: (transfer none): the window
 */
GtkWidget *
assay_result_window_new (GtkWindow *parent, AssaySession *session)
{
  AssayResultWindow *self = g_object_new (ASSAY_TYPE_RESULT_WINDOW, "transient-for", parent,
                                          "destroy-with-parent", TRUE, NULL);
  AssayRun *run = assay_session_get_run (session);

  self->session = g_object_ref (session);
  self->selection = gtk_single_selection_new (g_object_ref (assay_run_get_results (run)));
  gtk_column_view_set_model (self->table, GTK_SELECTION_MODEL (self->selection));
  for (guint i = 0; i < N_COLUMNS; i++)
    assay_columns_add (self->table, &columns[i], i, dup_cell, NULL);
  g_signal_connect_swapped (self->selection, "notify::selected-item", G_CALLBACK (selected_cb),
                            self);
  g_signal_connect_object (run, "notify::state", G_CALLBACK (state_changed_cb), self,
                           G_CONNECT_SWAPPED);
  state_changed_cb (self);
  return GTK_WIDGET (self);
}
