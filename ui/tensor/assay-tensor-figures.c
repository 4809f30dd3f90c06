/* assay-tensor-figures.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/tensor/assay-tensor-figures.h"

#include <math.h>

#include "base/assay-job.h"
#include "draw/assay-tensor-scene.h"
#include "ui/canvas/assay-picture.h"
#include "ui/inspector/assay-property-list.h"
#include "ui/window/assay-ui.h"

#define HISTOGRAM_HEIGHT 96

struct _AssayTensorFigures
{
  GtkWidget parent_instance;

  AssayTensor *tensor;
  AssayJob *job; /* while it is read */
  AssayTensorSummary summary;
  gboolean ready;

  GtkWidget *box;
  GtkWidget *button;
  GtkWidget *working;
  GtkWidget *bar;
  GtkWidget *trouble;
};

enum
{
  READY,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AssayTensorFigures, assay_tensor_figures, GTK_TYPE_WIDGET)

typedef struct
{
  AssayTensor *tensor;
  AssayTensorSummary summary;
} Reading;

static void
reading_free (gpointer data)
{
  Reading *reading = data;

  assay_tensor_unref (reading->tensor);
  g_free (reading);
}

static gboolean
read_all (gpointer request, const AssayProgress *progress, GError **error)
{
  Reading *reading = request;

  return assay_tensor_summarize (reading->tensor, progress, &reading->summary, error);
}

static void
draw_cb (AssayDisplayList *list, double width, double height, gpointer data)
{
  assay_tensor_scene_draw_histogram (&ASSAY_TENSOR_FIGURES (data)->summary, width, height, list);
}

static char *
describe_cb (double x, double y, double width, double height, gpointer data)
{
  AssayTensorFigures *self = data;
  int bucket = assay_tensor_scene_find_bucket (width, x);
  g_autofree char *count = NULL;
  double low, high;

  if (bucket < 0)
    return NULL;

  assay_tensor_summary_bucket (&self->summary, (guint) bucket, &low, &high);
  count = assay_ui_format_count (self->summary.histogram[bucket]);
  return g_strdup_printf ("%s from %.5g to %.5g", count, low, high);
}

static void
add_number (AssayPropertyList *list, const char *name, double value)
{
  g_autofree char *text = isfinite (value) ? g_strdup_printf ("%.6g", value) : g_strdup ("none");

  assay_property_list_add (list, name, text);
}

static void
add_count (AssayTensorFigures *self, AssayPropertyList *list, const char *name, gsize count)
{
  g_autofree char *number = assay_ui_format_count (count);
  g_autofree char *share = assay_ui_format_share (count, MAX (self->summary.statistics.n, 1));
  g_autofree char *text = count > 0 ? g_strdup_printf ("%s, %s", number, share) : g_strdup (number);

  assay_property_list_add (list, name, text);
}

static void
show_summary (AssayTensorFigures *self)
{
  const AssayStatistics *statistics = &self->summary.statistics;
  GtkWidget *group = assay_property_list_new ("Statistics");
  AssayPropertyList *list = ASSAY_PROPERTY_LIST (group);
  GtkWidget *picture = g_object_new (ASSAY_TYPE_PICTURE, NULL);

  add_number (list, "Least", statistics->min);
  add_number (list, "Greatest", statistics->max);
  add_number (list, "Mean", statistics->mean);
  add_number (list, "Deviation", statistics->deviation);
  add_count (self, list, "Zeros", statistics->n_zero);
  add_count (self, list, "NaN", statistics->n_nan);
  add_count (self, list, "Infinite", statistics->n_inf);
  gtk_box_append (GTK_BOX (self->box), group);

  assay_picture_set_minimum (ASSAY_PICTURE (picture), 160, HISTOGRAM_HEIGHT);
  assay_picture_set_functions (ASSAY_PICTURE (picture), draw_cb, describe_cb, self);
  gtk_accessible_update_property (GTK_ACCESSIBLE (picture), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Histogram of values", -1);
  gtk_box_append (GTK_BOX (self->box), picture);
}

static void
stop_progress (AssayTensorFigures *self)
{
  g_clear_object (&self->job);
  gtk_widget_set_visible (self->working, FALSE);
}

static void
read_ended (gpointer owner, gpointer request, const GError *error)
{
  AssayTensorFigures *self = owner;

  stop_progress (self);
  if (error == NULL)
    {
      self->summary = ((const Reading *) request)->summary;
      self->ready = TRUE;
      show_summary (self);
      g_signal_emit (self, signals[READY], 0);
      return;
    }

  gtk_label_set_label (GTK_LABEL (self->trouble), error->message);
  gtk_widget_set_visible (self->trouble, TRUE);
}

/* The widget is free at once; the thread ends within a millisecond, and what it has is not taken.
 */
static void
cancel_cb (AssayTensorFigures *self)
{
  if (self->job == NULL)
    return;

  assay_job_abandon (self->job);
  stop_progress (self);
  gtk_widget_set_visible (self->button, TRUE);
}

static void
assay_tensor_figures_dispose (GObject *object)
{
  AssayTensorFigures *self = ASSAY_TENSOR_FIGURES (object);

  if (self->job != NULL)
    assay_job_abandon (self->job);
  g_clear_object (&self->job);
  g_clear_pointer (&self->box, gtk_widget_unparent);
  g_clear_pointer (&self->tensor, assay_tensor_unref);

  G_OBJECT_CLASS (assay_tensor_figures_parent_class)->dispose (object);
}

static void
assay_tensor_figures_class_init (AssayTensorFiguresClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_tensor_figures_dispose;

  signals[READY] = g_signal_new ("ready", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
assay_tensor_figures_init (AssayTensorFigures *self)
{
  GtkWidget *cancel = gtk_button_new_with_label ("Cancel");

  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));

  self->button = gtk_button_new_with_label ("Read Statistics");
  gtk_widget_set_halign (self->button, GTK_ALIGN_START);
  gtk_widget_set_tooltip_text (self->button,
                               "Read all values for least, greatest, mean and histogram");
  g_signal_connect_swapped (self->button, "clicked", G_CALLBACK (assay_tensor_figures_start), self);
  gtk_box_append (GTK_BOX (self->box), self->button);

  self->working = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  self->bar = gtk_progress_bar_new ();
  gtk_widget_set_hexpand (self->bar, TRUE);
  gtk_widget_set_valign (self->bar, GTK_ALIGN_CENTER);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->bar), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Reading values", -1);
  gtk_box_append (GTK_BOX (self->working), self->bar);
  g_signal_connect_swapped (cancel, "clicked", G_CALLBACK (cancel_cb), self);
  gtk_box_append (GTK_BOX (self->working), cancel);
  gtk_widget_set_visible (self->working, FALSE);
  gtk_box_append (GTK_BOX (self->box), self->working);

  self->trouble = gtk_label_new (NULL);
  g_object_set (self->trouble, "wrap", TRUE, "xalign", 0.0f, "selectable", TRUE, "visible", FALSE,
                NULL);
  gtk_box_append (GTK_BOX (self->box), self->trouble);
}

/**
 * assay_tensor_figures_new:
 * @tensor: a tensor
 *
 * Makes the figures of a tensor; nothing is read yet.
 *
 * Returns: (transfer full): the widget
 */
GtkWidget *
assay_tensor_figures_new (AssayTensor *tensor)
{
  AssayTensorFigures *self = g_object_new (ASSAY_TYPE_TENSOR_FIGURES, NULL);

  self->tensor = assay_tensor_ref (tensor);
  gtk_widget_set_visible (self->button, assay_dtype_bits (assay_tensor_get_dtype (tensor)) > 0 &&
                                            assay_tensor_get_n_elements (tensor) > 0);
  return GTK_WIDGET (self);
}

/**
 * assay_tensor_figures_start:
 * @self: figures
 *
 * Reads all values, in a thread.
 */
void
assay_tensor_figures_start (AssayTensorFigures *self)
{
  Reading *reading;

  if (self->job != NULL || self->ready || !gtk_widget_get_visible (self->button))
    return;

  self->job = assay_job_new ("Reading values");
  g_object_bind_property (self->job, "fraction", self->bar, "fraction", G_BINDING_SYNC_CREATE);
  reading = g_new0 (Reading, 1);
  reading->tensor = assay_tensor_ref (self->tensor);
  gtk_widget_set_visible (self->button, FALSE);
  gtk_widget_set_visible (self->working, TRUE);
  assay_job_start (self->job, read_all, reading, reading_free, read_ended, self);
}

/**
 * assay_tensor_figures_get_summary:
 * @self: figures
 *
 * Gets what was read.
 *
 * Returns: (transfer none) (nullable): the summary, %NULL before all was read
 */
const AssayTensorSummary *
assay_tensor_figures_get_summary (AssayTensorFigures *self)
{
  return self->ready ? &self->summary : NULL;
}
