/* assay-node-row.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/table/assay-node-row.h"

#include "ui/window/assay-ui.h"
#include "ui/canvas/assay-verdict-glyph.h"
#include "ui/inspector/assay-verdict-text.h"

#define MARGIN_X 9
#define MARGIN_Y 5

struct _AssayNodeRow
{
  GtkWidget parent_instance;

  AssayNodeHeader *header;
  AssayNodeItem *item;
  GtkWidget *glyph;
};

G_DEFINE_FINAL_TYPE (AssayNodeRow, assay_node_row, GTK_TYPE_WIDGET)

static char *
format_size (double bytes)
{
  return g_format_size_full ((guint64) bytes, G_FORMAT_SIZE_IEC_UNITS);
}

/**
 * assay_node_row_dup_cell:
 * @self: a row
 * @column: a column
 *
 * Writes a cell as the table shows it.
 *
 * Returns: (transfer full): the text, "" if it is not known
 */
char *
assay_node_row_dup_cell (AssayNodeRow *self, AssayNodeColumn column)
{
  AssayNodeFacts *facts = assay_node_item_get_facts (self->item);
  AssayNodeId node = assay_node_item_get_node (self->item);
  double number = assay_node_facts_get_number (facts, node, column);

  switch ((guint) column)
    {
    case ASSAY_NODE_COLUMN_VERDICT:
      return g_strdup (assay_verdict_word (assay_verdicts_get (facts->verdicts, node)->kind));
    case ASSAY_NODE_COLUMN_PARAMETERS:
    case ASSAY_NODE_COLUMN_ACTIVATIONS:
      return number < 0 ? g_strdup ("") : format_size (number);
    case ASSAY_NODE_COLUMN_NUMBER:
    case ASSAY_NODE_COLUMN_CYCLES:
      return number < 0 ? g_strdup ("") : assay_ui_format_count ((guint64) number);
    case ASSAY_NODE_COLUMN_ERROR:
      return number < 0 ? g_strdup ("") : assay_ui_format_ulp (number);
    case ASSAY_NODE_COLUMN_REASON:
      return assay_verdict_dup_shown (facts->verdicts, assay_verdicts_get (facts->verdicts, node));
    default:
      return assay_node_facts_dup_text (facts, node, column);
    }
}

/* Of a path the end tells most; of a sentence the beginning. */
static PangoLayout *
make_layout (AssayNodeRow *self, AssayNodeColumn column, int width)
{
  g_autofree char *text = assay_node_row_dup_cell (self, column);
  gboolean is_path = column == ASSAY_NODE_COLUMN_NAME || column == ASSAY_NODE_COLUMN_SCOPE;
  g_autoptr (PangoAttrList) attributes = NULL;
  PangoLayout *layout;

  if (*text == '\0')
    return NULL;

  layout = assay_ui_new_layout (GTK_WIDGET (self), text, assay_node_column_is_number (column));
  pango_layout_set_ellipsize (layout, is_path ? PANGO_ELLIPSIZE_START : PANGO_ELLIPSIZE_END);
  pango_layout_set_width (layout, MAX (width, 0) * PANGO_SCALE);
  pango_layout_set_single_paragraph_mode (layout, TRUE);
  if (assay_node_column_is_number (column))
    {
      attributes = pango_attr_list_new ();
      pango_attr_list_insert (attributes, pango_attr_font_features_new ("tnum=1"));
      pango_layout_set_attributes (layout, attributes);
      pango_layout_set_alignment (layout, PANGO_ALIGN_RIGHT);
    }

  return layout;
}

/* Where the text of a column is: beside the glyph in that of the verdict. */
static gboolean
locate_text (AssayNodeRow *self, AssayNodeColumn column, int *x, int *width)
{
  gboolean rtl = gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL;

  if (!assay_node_header_locate (self->header, column, gtk_widget_get_width (GTK_WIDGET (self)), x,
                                 width))
    return FALSE;

  *x += MARGIN_X;
  *width -= 2 * MARGIN_X;
  if (column == ASSAY_NODE_COLUMN_VERDICT)
    {
      int glyph;

      gtk_widget_measure (self->glyph, GTK_ORIENTATION_HORIZONTAL, -1, &glyph, NULL, NULL, NULL);
      glyph += MARGIN_X;
      *x += rtl ? 0 : glyph;
      *width -= glyph;
    }

  return TRUE;
}

static void
assay_node_row_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                        int *natural, int *minimum_baseline, int *natural_baseline)
{
  AssayNodeRow *self = ASSAY_NODE_ROW (widget);

  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    *minimum = *natural = assay_node_header_get_total (self->header);
  else
    {
      PangoFontMetrics *metrics = pango_context_get_metrics (gtk_widget_get_pango_context (widget),
                                                             NULL, NULL);

      *minimum = PANGO_PIXELS_CEIL (pango_font_metrics_get_height (metrics)) + 2 * MARGIN_Y;
      *natural = *minimum;
      pango_font_metrics_unref (metrics);
    }
}

static void
assay_node_row_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  AssayNodeRow *self = ASSAY_NODE_ROW (widget);
  gboolean rtl = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  int x, room, size;

  if (!assay_node_header_locate (self->header, ASSAY_NODE_COLUMN_VERDICT, width, &x, &room))
    return;

  gtk_widget_measure (self->glyph, GTK_ORIENTATION_HORIZONTAL, -1, &size, NULL, NULL, NULL);
  gtk_widget_size_allocate (
      self->glyph,
      &(GtkAllocation){ rtl ? x + room - MARGIN_X - size : x + MARGIN_X, 0, size, height }, -1);
}

static void
assay_node_row_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  AssayNodeRow *self = ASSAY_NODE_ROW (widget);
  GdkRGBA color;

  if (self->item == NULL)
    return;

  gtk_style_context_get_color (gtk_widget_get_style_context (widget), &color);
  for (guint column = 0; column < ASSAY_N_NODE_COLUMNS; column++)
    {
      g_autoptr (PangoLayout) layout = NULL;
      int x, width, height;

      if (!locate_text (self, column, &x, &width))
        continue;
      layout = make_layout (self, column, width);
      if (layout == NULL)
        continue;
      pango_layout_get_pixel_size (layout, NULL, &height);
      gtk_snapshot_save (snapshot);
      gtk_snapshot_translate (
          snapshot,
          &GRAPHENE_POINT_INIT ((float) x, (float) (gtk_widget_get_height (widget) - height) / 2));
      gtk_snapshot_append_layout (snapshot, layout, &color);
      gtk_snapshot_restore (snapshot);
    }
  if (assay_node_header_get_shown (self->header, ASSAY_NODE_COLUMN_VERDICT))
    gtk_widget_snapshot_child (widget, self->glyph, snapshot);
}

/* What does not fit is told whole. */
static gboolean
assay_node_row_query_tooltip (GtkWidget *widget, int x, int y, gboolean keyboard_mode,
                              GtkTooltip *tooltip)
{
  AssayNodeRow *self = ASSAY_NODE_ROW (widget);

  for (guint column = 0; column < ASSAY_N_NODE_COLUMNS && self->item != NULL; column++)
    {
      g_autoptr (PangoLayout) layout = NULL;
      int left, width;

      if (!locate_text (self, column, &left, &width) || x < left || x >= left + width)
        continue;
      layout = make_layout (self, column, width);
      if (layout == NULL || !pango_layout_is_ellipsized (layout))
        return FALSE;
      gtk_tooltip_set_text (tooltip, pango_layout_get_text (layout));
      return TRUE;
    }

  return FALSE;
}

static void
assay_node_row_dispose (GObject *object)
{
  AssayNodeRow *self = ASSAY_NODE_ROW (object);

  g_clear_pointer (&self->glyph, gtk_widget_unparent);
  g_clear_object (&self->header);
  g_clear_object (&self->item);

  G_OBJECT_CLASS (assay_node_row_parent_class)->dispose (object);
}

static void
assay_node_row_class_init (AssayNodeRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_node_row_dispose;
  widget_class->measure = assay_node_row_measure;
  widget_class->size_allocate = assay_node_row_size_allocate;
  widget_class->snapshot = assay_node_row_snapshot;
  widget_class->query_tooltip = assay_node_row_query_tooltip;

  gtk_widget_class_set_css_name (widget_class, "noderow");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_LABEL);
}

static void
assay_node_row_init (AssayNodeRow *self)
{
  self->glyph = assay_verdict_glyph_new (ASSAY_N_VERDICTS);
  gtk_widget_set_parent (self->glyph, GTK_WIDGET (self));
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
}

/**
 * assay_node_row_new:
 * @header: the header over it, which knows how wide columns are
 *
 * Makes an empty row.
 *
 * Returns: (transfer full): the row
 */
GtkWidget *
assay_node_row_new (AssayNodeHeader *header)
{
  AssayNodeRow *self = g_object_new (ASSAY_TYPE_NODE_ROW, NULL);

  self->header = g_object_ref (header);
  g_signal_connect_object (header, "changed", G_CALLBACK (gtk_widget_queue_resize), self,
                           G_CONNECT_SWAPPED);
  return GTK_WIDGET (self);
}

/**
 * assay_node_row_bind:
 * @self: a row
 * @item: (nullable): what it shows
 *
 * Shows a node, and names the row for screen readers.
 */
void
assay_node_row_bind (AssayNodeRow *self, AssayNodeItem *item)
{
  g_autofree char *name = NULL;
  g_autofree char *sentence = NULL;
  const AssayVerdict *verdict;
  const AssayNode *node;
  AssayVerdicts *verdicts;

  g_set_object (&self->item, item);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  if (item == NULL)
    return;

  verdicts = assay_node_item_get_facts (item)->verdicts;
  node = assay_graph_node (verdicts->graph, assay_node_item_get_node (item));
  verdict = assay_verdicts_get (verdicts, assay_node_item_get_node (item));
  assay_verdict_glyph_set_verdict (ASSAY_VERDICT_GLYPH (self->glyph), verdict->kind);
  sentence = assay_verdict_dup_shown (verdicts, verdict);
  name = g_strdup_printf ("%s, %s, %s, %s", node->op_type, node->name,
                          assay_verdict_word (verdict->kind), sentence);
  assay_ui_set_row_name (GTK_WIDGET (self), name);
}
