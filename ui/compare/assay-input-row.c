/* assay-input-row.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/compare/assay-input-row.h"

#include <math.h>

#include "base/assay-sentence.h"
#include "draw/assay-tensor-scene.h"
#include "ui/canvas/assay-picture.h"
#include "ui/window/assay-ui.h"

#define HEAT_HEIGHT 12

struct _AssayInputRow
{
  AdwPreferencesRow parent_instance;

  char *name;
  AssayTensor *tensor;
  AssayTensorSummary summary;

  GtkBox *head;
  GtkLabel *figures;
  GtkWidget *heat;
  GtkWidget *values_button;
};

enum
{
  CHOOSE,
  CLEAR,
  SHOW_VALUES,
  N_SIGNALS
};

static const char *const signal_names[N_SIGNALS] = {
  [CHOOSE] = "choose",
  [CLEAR] = "clear",
  [SHOW_VALUES] = "show-values",
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AssayInputRow, assay_input_row, ADW_TYPE_PREFERENCES_ROW)

static void
draw_cb (AssayDisplayList *list, double width, double height, gpointer data)
{
  assay_tensor_scene_draw_heat (&ASSAY_INPUT_ROW (data)->summary, width, height, list);
}

static char *
describe_cb (double x, double y, double width, double height, gpointer data)
{
  AssayInputRow *self = data;
  int stretch = assay_tensor_scene_find_stretch (&self->summary, width, x);
  g_autofree char *first = NULL;
  g_autofree char *last = NULL;

  if (stretch < 0)
    return NULL;

  first = assay_ui_format_count (
      assay_tensor_summary_begin_stretch (&self->summary, (guint) stretch));
  last = assay_ui_format_count (
      assay_tensor_summary_begin_stretch (&self->summary, (guint) stretch + 1) - 1);
  return g_strdup_printf ("elements %s to %s: mean magnitude %.5g", first, last,
                          self->summary.strengths[stretch]);
}

static void
button_cb (GtkWidget *button, gpointer signal)
{
  g_signal_emit (gtk_widget_get_ancestor (button, ASSAY_TYPE_INPUT_ROW),
                 signals[GPOINTER_TO_UINT (signal)], 0);
}

static GtkWidget *
add_button (AssayInputRow *self, const char *icon, const char *words, guint signal)
{
  GtkWidget *button = gtk_button_new_from_icon_name (icon);
  g_autofree char *label = g_strdup_printf ("%s %s", words, self->name);

  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text (button, words);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                  -1);
  g_signal_connect (button, "clicked", G_CALLBACK (button_cb), GUINT_TO_POINTER (signal));
  gtk_box_append (self->head, button);
  return button;
}

static GtkLabel *
make_label (const char *css_class)
{
  GtkWidget *label = gtk_label_new (NULL);

  g_object_set (label, "xalign", 0.0f, "wrap", TRUE, "wrap-mode", PANGO_WRAP_WORD_CHAR, NULL);
  if (css_class != NULL)
    gtk_widget_add_css_class (label, css_class);
  return GTK_LABEL (label);
}

static void
assay_input_row_finalize (GObject *object)
{
  AssayInputRow *self = ASSAY_INPUT_ROW (object);

  g_free (self->name);
  g_clear_pointer (&self->tensor, assay_tensor_unref);

  G_OBJECT_CLASS (assay_input_row_parent_class)->finalize (object);
}

static void
assay_input_row_class_init (AssayInputRowClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = assay_input_row_finalize;

  for (guint i = 0; i < N_SIGNALS; i++)
    signals[i] = g_signal_new (signal_names[i], G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0,
                               NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
assay_input_row_init (AssayInputRow *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);

  self->head = GTK_BOX (gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6));
  self->figures = make_label ("numeric");
  gtk_label_set_selectable (self->figures, TRUE);
  g_object_set (self->figures, "can-focus", FALSE, NULL);
  self->heat = g_object_new (ASSAY_TYPE_PICTURE, "visible", FALSE, NULL);
  assay_picture_set_minimum (ASSAY_PICTURE (self->heat), 160, HEAT_HEIGHT);
  assay_picture_set_functions (ASSAY_PICTURE (self->heat), draw_cb, describe_cb, self);

  g_object_set (box, "margin-top", 9, "margin-bottom", 12, "margin-start", 12, "margin-end", 12,
                NULL);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->head));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->figures));
  gtk_box_append (GTK_BOX (box), self->heat);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (self), box);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (self), FALSE);
}

/**
 * assay_input_row_new:
 * @port: an input
 * @file: (nullable): path of the file with its values, or %NULL for random ones
 *
 * Makes the row of an input; what its values are like is shown when it is known.
 *
 * Returns: (transfer full): the row
 */
GtkWidget *
assay_input_row_new (const AssayRunPort *port, const char *file)
{
  AssayInputRow *self = g_object_new (ASSAY_TYPE_INPUT_ROW, NULL);
  const char *random = assay_dtype_is_float (port->dtype) || port->dtype == ASSAY_DTYPE_UNDEFINED
                           ? "random values in −1 to 1"
                           : "random zeros and ones";
  g_autofree char *from = file != NULL ? g_filename_display_basename (file) : g_strdup (random);
  g_autofree char *shape = assay_run_shape_to_string ((guint) MAX (port->rank, 0), port->dims,
                                                      port->time_axis);
  g_autofree char *what = port->other != NULL
                              ? g_strdup_printf ("%s, no tensor", port->other)
                              : g_strdup_printf ("%s %s", assay_dtype_name (port->dtype), shape);
  g_autofree char *kind = g_strdup_printf ("%s, %s", what, from);
  GtkWidget *words = gtk_box_new (GTK_ORIENTATION_VERTICAL, 3);
  GtkLabel *name = make_label (NULL);
  GtkLabel *about = make_label ("secondary");

  self->name = g_strdup (port->name);
  gtk_label_set_label (name, port->name);
  gtk_label_set_label (about, kind);
  gtk_widget_set_hexpand (words, TRUE);
  gtk_box_append (GTK_BOX (words), GTK_WIDGET (name));
  gtk_box_append (GTK_BOX (words), GTK_WIDGET (about));
  gtk_box_append (self->head, words);
  self->values_button = add_button (self, "view-grid-symbolic", "Show the values of", SHOW_VALUES);
  gtk_widget_set_sensitive (self->values_button, FALSE);
  gtk_widget_set_visible (add_button (self, "edit-clear-symbolic", "Use random values for", CLEAR),
                          file != NULL);
  add_button (self, "document-open-symbolic", "Choose a file for", CHOOSE);

  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, port->name,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, kind, -1);
  return GTK_WIDGET (self);
}

/**
 * assay_input_row_get_name:
 * @self: a row
 *
 * Gets which input it is.
 *
 * Returns: the name
 */
const char *
assay_input_row_get_name (AssayInputRow *self)
{
  return self->name;
}

/**
 * assay_input_row_get_tensor:
 * @self: a row
 *
 * Gets what will be fed.
 *
 * Returns: (transfer none) (nullable): the values, %NULL while they are not known
 */
AssayTensor *
assay_input_row_get_tensor (AssayInputRow *self)
{
  return self->tensor;
}

/* Of an input that is no tensor, one of those that it is made of, whose name is said. */
static char *
describe (const AssayInputPreview *preview, const char *name)
{
  const AssayStatistics *statistics = &preview->summary.statistics;
  g_autofree char *count = assay_ui_format_count (assay_tensor_get_n_elements (preview->tensor));
  g_autofree char *odd = assay_ui_format_count (statistics->n_nan + statistics->n_inf);
  g_autoptr (GString) text = g_string_new (NULL);

  if (!g_str_equal (preview->name, name))
    g_string_append_printf (text, "%s: ", preview->name);
  if (preview->mismatch != NULL)
    g_string_append_printf (text, "Will be refused: %s\n", preview->mismatch);
  if (preview->has_summary && statistics->n > 0 && isfinite (statistics->min))
    g_string_append_printf (text, "least %.5g, greatest %.5g, mean %.5g, ", statistics->min,
                            statistics->max, statistics->mean);
  g_string_append_printf (text, "%s element%s", count, assay_plural (statistics->n));
  if (statistics->n_nan + statistics->n_inf > 0)
    g_string_append_printf (text, ", of which %s NaN or infinite", odd);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/**
 * assay_input_row_show:
 * @self: a row
 * @preview: (nullable): what will be fed; %NULL while that is not known
 *
 * Shows what the values are like: shape and type as they are fed, figures, a row of colours.
 */
void
assay_input_row_show (AssayInputRow *self, const AssayInputPreview *preview)
{
  g_autofree char *text = preview != NULL ? describe (preview, self->name) : g_strdup ("");

  g_clear_pointer (&self->tensor, assay_tensor_unref);
  if (preview != NULL)
    {
      self->tensor = assay_tensor_ref (preview->tensor);
      self->summary = preview->summary;
      gtk_accessible_update_property (GTK_ACCESSIBLE (self->heat), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                      "Magnitudes of the values in their order", -1);
    }
  gtk_label_set_label (self->figures, text);
  gtk_widget_set_visible (GTK_WIDGET (self->figures), *text != '\0');
  gtk_widget_set_visible (self->heat, preview != NULL && preview->has_summary &&
                                          preview->summary.statistics.n > 0);
  gtk_widget_set_sensitive (self->values_button, preview != NULL);
  assay_picture_redraw (ASSAY_PICTURE (self->heat));
}
