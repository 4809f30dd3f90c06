/* assay-node-header.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/table/assay-node-header.h"

/* Pixels on both sides of an edge in which it is taken hold of. */
#define GRIP 5
#define MIN_WIDTH 40
/* Pixels that a cell has beside its text. */
#define PADDING 18

/* Widths are in digits of the font; what takes a share has the room that is left. */
static const struct
{
  const char *title;
  const char *tooltip;
  int chars;
  int share;
} columns[ASSAY_N_NODE_COLUMNS] = {
  [ASSAY_NODE_COLUMN_NUMBER] = { "No.", "Place in program order", 8, 0 },
  [ASSAY_NODE_COLUMN_VERDICT] = { "Verdict", "What the target does with the node", 13, 0 },
  [ASSAY_NODE_COLUMN_OP] = { "Operator", "Operator type", 14, 0 },
  [ASSAY_NODE_COLUMN_REASON] = { "Reason", "Why it has its verdict", 32, 2 },
  [ASSAY_NODE_COLUMN_NAME] = { "Name", "Name of the node", 24, 1 },
  [ASSAY_NODE_COLUMN_SCOPE] = { "Scope", "The part of the model it is in", 18, 0 },
  [ASSAY_NODE_COLUMN_ENGINE] = { "Engine", "What executes it", 12, 0 },
  [ASSAY_NODE_COLUMN_CORES] = { "Cores", "The cores that work for it", 8, 0 },
  [ASSAY_NODE_COLUMN_POSITIONS] = { "Positions",
                                    "Where the numbers of a quantised model are, and the shifts "
                                    "that asks for",
                                    28, 1 },
  [ASSAY_NODE_COLUMN_PARAMETERS] = { "Parameters", "Size of the constants that it reads", 11, 0 },
  [ASSAY_NODE_COLUMN_ACTIVATIONS] = { "Activations", "Size of what it makes", 11, 0 },
  [ASSAY_NODE_COLUMN_CYCLES] = { "Cycles", "Predicted cycles in which units work for it", 9, 0 },
  [ASSAY_NODE_COLUMN_ERROR] = { "Own Error",
                                "Own error in the last comparison, in units of its type at the "
                                "size of the tensor",
                                9, 0 },
  [ASSAY_NODE_COLUMN_SHAPE] = { "Shape", "Type and shape of its first output", 20, 0 },
};

struct _AssayNodeHeader
{
  GtkWidget parent_instance;

  GtkWidget *buttons[ASSAY_N_NODE_COLUMNS];
  GtkWidget *arrows[ASSAY_N_NODE_COLUMNS];
  int widths[ASSAY_N_NODE_COLUMNS]; /* 0: from the font */
  gboolean shown[ASSAY_N_NODE_COLUMNS];
  int char_width;
  GtkAdjustment *adjustment;
  int dragged; /* column, or -1 */
  int dragged_width;
};

enum
{
  CHANGED,
  SORT,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AssayNodeHeader, assay_node_header, GTK_TYPE_WIDGET)

const char *
assay_node_header_get_title (AssayNodeColumn column)
{
  return columns[column].title;
}

static int
get_width (AssayNodeHeader *self, guint column)
{
  if (!self->shown[column])
    return 0;

  return self->widths[column] > 0 ? self->widths[column]
                                  : columns[column].chars * self->char_width + PADDING;
}

/**
 * assay_node_header_get_total:
 * @self: a header
 *
 * Gets how wide all columns are that are shown.
 *
 * Returns: pixels
 */
int
assay_node_header_get_total (AssayNodeHeader *self)
{
  int total = 0;

  for (guint i = 0; i < ASSAY_N_NODE_COLUMNS; i++)
    total += get_width (self, i);

  return total;
}

/**
 * assay_node_header_locate:
 * @self: a header
 * @column: a column
 * @total: width of a row; what is more than the columns want is shared
 * @x: (out): left edge of the column
 * @width: (out): its width
 *
 * Finds out where a column is, from the left in every direction of text.
 *
 * Returns: whether it is shown
 */
gboolean
assay_node_header_locate (AssayNodeHeader *self, AssayNodeColumn column, int total, int *x,
                          int *width)
{
  int rest = MAX (total - assay_node_header_get_total (self), 0);
  int shares = 0;

  for (guint i = 0; i < ASSAY_N_NODE_COLUMNS; i++)
    shares += self->shown[i] && self->widths[i] == 0 ? columns[i].share : 0;

  *x = 0;
  *width = 0;
  for (guint i = 0; i <= column; i++)
    {
      *x += *width;
      *width = get_width (self, i);
      if (self->shown[i] && self->widths[i] == 0 && columns[i].share > 0)
        *width += rest * columns[i].share / shares;
    }
  if (gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL)
    *x = total - *x - *width;

  return self->shown[column];
}

static void
tell_changed (AssayNodeHeader *self)
{
  gtk_widget_queue_allocate (GTK_WIDGET (self));
  g_signal_emit (self, signals[CHANGED], 0);
}

/* Row width as the list below has it. */
static int
get_row_width (AssayNodeHeader *self)
{
  return MAX (gtk_widget_get_width (GTK_WIDGET (self)), assay_node_header_get_total (self));
}

static double
get_offset (AssayNodeHeader *self)
{
  return self->adjustment != NULL ? gtk_adjustment_get_value (self->adjustment) : 0;
}

static void
assay_node_header_measure (GtkWidget *widget, GtkOrientation orientation, int for_size,
                           int *minimum, int *natural, int *minimum_baseline, int *natural_baseline)
{
  AssayNodeHeader *self = ASSAY_NODE_HEADER (widget);

  *minimum = *natural = 0;
  for (guint i = 0; i < ASSAY_N_NODE_COLUMNS && orientation == GTK_ORIENTATION_VERTICAL; i++)
    {
      int least, usual;

      gtk_widget_measure (self->buttons[i], orientation, -1, &least, &usual, NULL, NULL);
      *minimum = MAX (*minimum, least);
      *natural = MAX (*natural, usual);
    }
}

static void
place_buttons (AssayNodeHeader *self, int width, int height)
{
  int total = MAX (width, assay_node_header_get_total (self));

  for (guint i = 0; i < ASSAY_N_NODE_COLUMNS; i++)
    {
      int x, w, least;

      if (!assay_node_header_locate (self, i, total, &x, &w))
        continue;
      gtk_widget_measure (self->buttons[i], GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL,
                          NULL);
      gtk_widget_size_allocate (
          self->buttons[i],
          &(GtkAllocation){ x - (int) get_offset (self), 0, MAX (w, least), height }, -1);
    }
}

static void
assay_node_header_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  place_buttons (ASSAY_NODE_HEADER (widget), width, height);
}

/* The list may be scrolled while widgets are given their places, when it is too late to ask for
 * another one. */
static void
scrolled_cb (AssayNodeHeader *self)
{
  int width = gtk_widget_get_width (GTK_WIDGET (self));

  if (width > 0)
    place_buttons (self, width, gtk_widget_get_height (GTK_WIDGET (self)));
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
update_font (AssayNodeHeader *self)
{
  PangoContext *context = gtk_widget_get_pango_context (GTK_WIDGET (self));
  PangoFontMetrics *metrics = pango_context_get_metrics (context, NULL, NULL);
  int width = PANGO_PIXELS_CEIL (pango_font_metrics_get_approximate_digit_width (metrics));

  pango_font_metrics_unref (metrics);
  if (width == self->char_width)
    return;

  self->char_width = width;
  tell_changed (self);
}

static void
assay_node_header_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (assay_node_header_parent_class)->css_changed (widget, change);
  update_font (ASSAY_NODE_HEADER (widget));
}

/* The column whose trailing edge is at a place, or -1. */
static int
find_edge (AssayNodeHeader *self, double at)
{
  gboolean rtl = gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL;

  for (guint i = 0; i < ASSAY_N_NODE_COLUMNS; i++)
    {
      int x, width;

      if (assay_node_header_locate (self, i, get_row_width (self), &x, &width) &&
          ABS (at + get_offset (self) - (rtl ? x : x + width)) <= GRIP)
        return (int) i;
    }

  return -1;
}

static void
drag_begin_cb (AssayNodeHeader *self, double x, double y, GtkGesture *gesture)
{
  int left;

  self->dragged = find_edge (self, x);
  if (self->dragged < 0)
    {
      gtk_gesture_set_state (gesture, GTK_EVENT_SEQUENCE_DENIED);
      return;
    }

  assay_node_header_locate (self, (AssayNodeColumn) self->dragged, get_row_width (self), &left,
                            &self->dragged_width);
  gtk_gesture_set_state (gesture, GTK_EVENT_SEQUENCE_CLAIMED);
}

static void
drag_update_cb (AssayNodeHeader *self, double dx, double dy)
{
  gboolean rtl = gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL;

  if (self->dragged < 0)
    return;

  self->widths[self->dragged] = MAX (self->dragged_width + (int) (rtl ? -dx : dx), MIN_WIDTH);
  tell_changed (self);
}

static void
motion_cb (AssayNodeHeader *self, double x, double y)
{
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self),
                                   find_edge (self, x) >= 0 ? "col-resize" : NULL);
}

static void
clicked_cb (GtkButton *button, gpointer data)
{
  AssayNodeHeader *self = ASSAY_NODE_HEADER (gtk_widget_get_parent (GTK_WIDGET (button)));

  g_signal_emit (self, signals[SORT], 0, GPOINTER_TO_UINT (data));
}

static void
assay_node_header_dispose (GObject *object)
{
  AssayNodeHeader *self = ASSAY_NODE_HEADER (object);

  assay_node_header_set_adjustment (self, NULL);
  for (guint i = 0; i < ASSAY_N_NODE_COLUMNS; i++)
    g_clear_pointer (&self->buttons[i], gtk_widget_unparent);

  G_OBJECT_CLASS (assay_node_header_parent_class)->dispose (object);
}

static void
assay_node_header_class_init (AssayNodeHeaderClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_node_header_dispose;
  widget_class->measure = assay_node_header_measure;
  widget_class->size_allocate = assay_node_header_size_allocate;
  widget_class->css_changed = assay_node_header_css_changed;

  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
  signals[SORT] = g_signal_new ("sort", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
  gtk_widget_class_set_css_name (widget_class, "nodeheader");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_ROW);
}

static GtkWidget *
make_button (AssayNodeHeader *self, guint column)
{
  GtkWidget *button = gtk_button_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 3);
  GtkWidget *label = gtk_label_new (columns[column].title);

  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  if (assay_node_column_is_number (column))
    gtk_widget_set_halign (box, GTK_ALIGN_END);
  gtk_box_append (GTK_BOX (box), label);
  self->arrows[column] = gtk_image_new_from_icon_name ("pan-down-symbolic");
  gtk_widget_set_visible (self->arrows[column], FALSE);
  gtk_box_append (GTK_BOX (box), self->arrows[column]);
  gtk_button_set_child (GTK_BUTTON (button), box);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_tooltip_text (button, columns[column].tooltip);
  g_signal_connect (button, "clicked", G_CALLBACK (clicked_cb), GUINT_TO_POINTER (column));
  return button;
}

static void
assay_node_header_init (AssayNodeHeader *self)
{
  GtkGesture *drag = gtk_gesture_drag_new ();
  GtkEventController *motion = gtk_event_controller_motion_new ();

  self->dragged = -1;
  self->char_width = 8;
  for (guint i = 0; i < ASSAY_N_NODE_COLUMNS; i++)
    {
      self->shown[i] = TRUE;
      self->buttons[i] = make_button (self, i);
      gtk_widget_set_parent (self->buttons[i], GTK_WIDGET (self));
    }
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  assay_node_header_set_sort (self, ASSAY_NODE_COLUMN_NUMBER, FALSE);

  /* Before the buttons, whose edges these are. */
  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (drag), GTK_PHASE_CAPTURE);
  g_signal_connect_object (drag, "drag-begin", G_CALLBACK (drag_begin_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (drag, "drag-update", G_CALLBACK (drag_update_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drag));
  g_signal_connect_object (motion, "motion", G_CALLBACK (motion_cb), self, G_CONNECT_SWAPPED);
  gtk_widget_add_controller (GTK_WIDGET (self), motion);
}

/**
 * assay_node_header_set_adjustment:
 * @self: a header
 * @adjustment: (nullable): how far the list below is scrolled sideways
 *
 * Keeps the header over its columns.
 */
void
assay_node_header_set_adjustment (AssayNodeHeader *self, GtkAdjustment *adjustment)
{
  if (self->adjustment != NULL)
    g_signal_handlers_disconnect_by_data (self->adjustment, self);
  g_set_object (&self->adjustment, adjustment);
  if (adjustment != NULL)
    g_signal_connect_swapped (adjustment, "value-changed", G_CALLBACK (scrolled_cb), self);
}

/**
 * assay_node_header_get_shown:
 * @self: a header
 * @column: a column
 *
 * Tells whether a column is shown.
 *
 * Returns: whether it is
 */
gboolean
assay_node_header_get_shown (AssayNodeHeader *self, AssayNodeColumn column)
{
  return self->shown[column];
}

/**
 * assay_node_header_set_shown:
 * @self: a header
 * @column: a column
 * @shown: whether it is shown
 *
 * Shows or hides a column.
 */
void
assay_node_header_set_shown (AssayNodeHeader *self, AssayNodeColumn column, gboolean shown)
{
  self->shown[column] = shown;
  gtk_widget_set_visible (self->buttons[column], shown);
  tell_changed (self);
}

/**
 * assay_node_header_set_sort:
 * @self: a header
 * @column: what the list is sorted by
 * @descending: whether the largest comes first
 *
 * Shows what the list is sorted by.
 */
void
assay_node_header_set_sort (AssayNodeHeader *self, AssayNodeColumn column, gboolean descending)
{
  for (guint i = 0; i < ASSAY_N_NODE_COLUMNS; i++)
    {
      g_autofree char *name = i == column
                                  ? g_strdup_printf ("%s, sorted %s", columns[i].title,
                                                     descending ? "descending" : "ascending")
                                  : g_strdup_printf ("Sort by %s", columns[i].title);

      gtk_widget_set_visible (self->arrows[i], i == column);
      gtk_image_set_from_icon_name (GTK_IMAGE (self->arrows[i]),
                                    descending ? "pan-down-symbolic" : "pan-up-symbolic");
      gtk_accessible_update_property (GTK_ACCESSIBLE (self->buttons[i]),
                                      GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
    }
}

/**
 * assay_node_header_set_unknown:
 * @self: a header
 * @column: a column
 * @reason: (nullable): why some of its cells are empty
 *
 * Says in the tooltip of a column why numbers are missing.
 */
void
assay_node_header_set_unknown (AssayNodeHeader *self, AssayNodeColumn column, const char *reason)
{
  g_autofree char *text = reason != NULL
                              ? g_strdup_printf ("%s.\n%s", columns[column].tooltip, reason)
                              : g_strdup (columns[column].tooltip);

  gtk_widget_set_tooltip_text (self->buttons[column], text);
}
