/* assay-tensor-row.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/tensor/assay-tensor-row.h"

#include "ui/canvas/assay-palette.h"
#include "ui/window/assay-ui.h"

#define MARGIN_X 6
#define MARGIN_Y 4
#define PLACE_CHARS 11
/* Cells that a screen reader is told of a row. */
#define SPOKEN 8

struct _AssayTensorRow
{
  GtkWidget parent_instance;

  AssayTensorRow *head; /* of a row; the head has what all share */
  AssayTensorLine *line;

  AssayTensorSheet *sheet;
  GtkAdjustment *adjustment;
  AssayPalette palette;
  int char_width;
};

G_DEFINE_FINAL_TYPE (AssayTensorRow, assay_tensor_row, GTK_TYPE_WIDGET)

static AssayTensorRow *
get_head (AssayTensorRow *self)
{
  return self->head != NULL ? self->head : self;
}

static int
place_width (AssayTensorRow *head)
{
  return PLACE_CHARS * head->char_width + 2 * MARGIN_X;
}

static int
cell_width (AssayTensorRow *head)
{
  return (int) assay_tensor_sheet_get_chars (head->sheet) * head->char_width + 2 * MARGIN_X;
}

static void
assay_tensor_row_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                          int *natural, int *minimum_baseline, int *natural_baseline)
{
  AssayTensorRow *self = ASSAY_TENSOR_ROW (widget);
  AssayTensorRow *head = get_head (self);

  *minimum = *natural = 0;
  if (orientation == GTK_ORIENTATION_VERTICAL)
    {
      PangoFontMetrics *metrics = pango_context_get_metrics (gtk_widget_get_pango_context (widget),
                                                             NULL, NULL);

      *minimum = *natural = PANGO_PIXELS_CEIL (pango_font_metrics_get_height (metrics)) +
                            2 * MARGIN_Y;
      pango_font_metrics_unref (metrics);
    }
  else if (self->head != NULL && head->sheet != NULL)
    *minimum = *natural = place_width (head) +
                          (int) assay_tensor_sheet_count (head->sheet) * cell_width (head);
}

static void
draw_cell (AssayTensorRow *self, GtkSnapshot *snapshot, const char *text, int x, int width,
           gboolean is_place)
{
  AssayTensorRow *head = get_head (self);
  g_autoptr (PangoLayout) layout = assay_ui_new_layout (GTK_WIDGET (self), text, FALSE);
  g_autoptr (PangoAttrList) attributes = pango_attr_list_new ();
  GdkRGBA color;
  int height;

  gtk_style_context_get_color (gtk_widget_get_style_context (GTK_WIDGET (self)), &color);
  if (is_place || self->head == NULL)
    color = head->palette.color[ASSAY_ROLE_TEXT_DIM];
  pango_attr_list_insert (attributes, pango_attr_font_features_new ("tnum=1"));
  pango_layout_set_attributes (layout, attributes);
  pango_layout_set_width (layout, (width - 2 * MARGIN_X) * PANGO_SCALE);
  pango_layout_set_alignment (layout, PANGO_ALIGN_RIGHT);
  pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_START);
  pango_layout_get_pixel_size (layout, NULL, &height);
  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (
      snapshot,
      &GRAPHENE_POINT_INIT ((float) (x + MARGIN_X),
                            (float) (gtk_widget_get_height (GTK_WIDGET (self)) - height) / 2));
  gtk_snapshot_append_layout (snapshot, layout, &color);
  gtk_snapshot_restore (snapshot);
}

static void
draw_heat (AssayTensorRow *self, GtkSnapshot *snapshot, guint column, int x, int width)
{
  AssayTensorRow *head = get_head (self);
  guint heat = assay_tensor_sheet_get_heat (head->sheet, assay_tensor_line_get_row (self->line),
                                            column);

  if (heat > 0)
    gtk_snapshot_append_color (
        snapshot, &head->palette.color[ASSAY_ROLE_SCALE_1 + heat - 1],
        &GRAPHENE_RECT_INIT ((float) x, 0, (float) width,
                             (float) gtk_widget_get_height (GTK_WIDGET (self))));
}

/* Columns of an array go from left to right in every direction of text. */
static void
assay_tensor_row_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  AssayTensorRow *self = ASSAY_TENSOR_ROW (widget);
  AssayTensorRow *head = get_head (self);
  gboolean is_head = self->head == NULL;
  gsize row = self->line != NULL ? assay_tensor_line_get_row (self->line) : 0;
  double offset = is_head && self->adjustment != NULL ? gtk_adjustment_get_value (self->adjustment)
                                                      : 0;
  int x;

  if (head->sheet == NULL || (!is_head && self->line == NULL))
    return;

  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT ((float) -offset, 0));
  x = place_width (head);
  if (!is_head)
    {
      g_autofree char *place = assay_tensor_sheet_dup_place (head->sheet, row);

      draw_cell (self, snapshot, place, 0, x, TRUE);
    }
  for (guint column = 0; column < assay_tensor_sheet_count (head->sheet); column++)
    {
      g_autofree char *text = is_head
                                  ? assay_tensor_sheet_dup_title (head->sheet, column)
                                  : assay_tensor_sheet_dup_cell (head->sheet, row, column, FALSE);

      if (!is_head)
        draw_heat (self, snapshot, column, x, cell_width (head));
      draw_cell (self, snapshot, text, x, cell_width (head), FALSE);
      x += cell_width (head);
    }
  gtk_snapshot_restore (snapshot);
}

static void
assay_tensor_row_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  AssayTensorRow *self = ASSAY_TENSOR_ROW (widget);
  PangoFontMetrics *metrics;

  GTK_WIDGET_CLASS (assay_tensor_row_parent_class)->css_changed (widget, change);
  if (self->head != NULL)
    return;

  assay_palette_load (&self->palette, widget);
  metrics = pango_context_get_metrics (gtk_widget_get_pango_context (widget), NULL, NULL);
  self->char_width = PANGO_PIXELS_CEIL (pango_font_metrics_get_approximate_digit_width (metrics));
  pango_font_metrics_unref (metrics);
}

static void
assay_tensor_row_dispose (GObject *object)
{
  AssayTensorRow *self = ASSAY_TENSOR_ROW (object);

  if (self->adjustment != NULL)
    g_signal_handlers_disconnect_by_data (self->adjustment, self);
  g_clear_object (&self->adjustment);
  g_clear_object (&self->head);
  g_clear_object (&self->line);
  g_clear_object (&self->sheet);

  G_OBJECT_CLASS (assay_tensor_row_parent_class)->dispose (object);
}

static void
assay_tensor_row_class_init (AssayTensorRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_tensor_row_dispose;
  widget_class->measure = assay_tensor_row_measure;
  widget_class->snapshot = assay_tensor_row_snapshot;
  widget_class->css_changed = assay_tensor_row_css_changed;

  gtk_widget_class_set_css_name (widget_class, "tensorrow");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_LABEL);
}

static void
assay_tensor_row_init (AssayTensorRow *self)
{
  self->char_width = 8;
  assay_palette_init_default (&self->palette, FALSE, FALSE);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
}

/**
 * assay_tensor_row_new:
 * @head: the heads of the columns over it
 *
 * Makes an empty row.
 *
 * Returns: (transfer full): the row
 */
GtkWidget *
assay_tensor_row_new (AssayTensorRow *head)
{
  AssayTensorRow *self = g_object_new (ASSAY_TYPE_TENSOR_ROW, NULL);

  self->head = g_object_ref (head);
  return GTK_WIDGET (self);
}

/**
 * assay_tensor_row_set_sheet:
 * @self: the heads of columns
 * @sheet: what is shown
 * @adjustment: how far the rows are scrolled sideways
 *
 * Shows the heads of a page, for all rows below.
 */
void
assay_tensor_row_set_sheet (AssayTensorRow *self, AssayTensorSheet *sheet,
                            GtkAdjustment *adjustment)
{
  g_set_object (&self->sheet, sheet);
  g_set_object (&self->adjustment, adjustment);
  g_signal_connect_swapped (adjustment, "value-changed", G_CALLBACK (gtk_widget_queue_draw), self);
  g_signal_connect_object (sheet, "items-changed", G_CALLBACK (gtk_widget_queue_draw), self,
                           G_CONNECT_SWAPPED);
}

/**
 * assay_tensor_row_bind:
 * @self: a row
 * @line: (nullable): what it shows
 *
 * Shows a row, and names it for screen readers.
 */
void
assay_tensor_row_bind (AssayTensorRow *self, AssayTensorLine *line)
{
  AssayTensorSheet *sheet = self->head->sheet;
  g_autoptr (GString) name = g_string_new (NULL);
  g_autofree char *place = NULL;

  g_set_object (&self->line, line);
  gtk_widget_queue_resize (GTK_WIDGET (self));
  if (line == NULL)
    return;

  place = assay_tensor_sheet_dup_place (sheet, assay_tensor_line_get_row (line));
  g_string_append (name, place);
  for (guint column = 0; column < MIN (assay_tensor_sheet_count (sheet), SPOKEN); column++)
    {
      g_autofree char *cell = assay_tensor_sheet_dup_cell (sheet, assay_tensor_line_get_row (line),
                                                           column, FALSE);

      g_string_append_printf (name, ", %s", cell);
    }
  assay_ui_set_row_name (GTK_WIDGET (self), name->str);
}
