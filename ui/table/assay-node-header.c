/* assay-node-header.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/table/assay-node-header.h"

#include "ui/window/assay-ui.h"

/* Pixels on both sides of an edge in which it is taken hold of. */
#define GRIP 5
#define MIN_WIDTH 40
/* Pixels that a cell has beside its text. */
#define PADDING 18

/* From that rank on a column gives way to names that would be cut: the part of the model is how
 * they begin, and what executes a node is the same for most. */
#define NAME_RANK 8
/* A name that is longer than so many signs may be cut. */
#define LONGEST_NAME 60

/* Added to the rank of a column that no node has something in. */
#define EMPTY_RANK 1000

/* Widths are in digits of the font, of what takes a share of the room that is left the least one.
 * Where there is no room, the greatest rank goes first; 0 stays. */
static const struct
{
  const char *title;
  const char *tooltip;
  int chars;
  int share;
  guint rank;
} columns[ASSAY_N_NODE_COLUMNS] = {
  [ASSAY_NODE_COLUMN_NUMBER] = { "No.", "Place in program order", 7, 0, 7 },
  [ASSAY_NODE_COLUMN_VERDICT] = { "Verdict", "What the target does with the node", 12, 0, 0 },
  [ASSAY_NODE_COLUMN_OP] = { "Operator", "Operator type", 12, 0, 0 },
  [ASSAY_NODE_COLUMN_REASON] = { "Reason", "Why it has its verdict", 16, 2, 0 },
  [ASSAY_NODE_COLUMN_NAME] = { "Name", "Name of the node", 14, 1, 2 },
  [ASSAY_NODE_COLUMN_SCOPE] = { "Scope", "The part of the model it is in", 18, 0, 10 },
  [ASSAY_NODE_COLUMN_ENGINE] = { "Engine", "What executes it", 12, 0, 9 },
  [ASSAY_NODE_COLUMN_CORES] = { "Cores", "The cores that work for it", 8, 0, 8 },
  [ASSAY_NODE_COLUMN_POSITIONS] = { "Positions",
                                    "Where the numbers of a quantised model are, and the shifts "
                                    "that asks for",
                                    20, 1, 1 },
  [ASSAY_NODE_COLUMN_PARAMETERS] = { "Parameters", "Size of the constants that it reads", 11, 0,
                                     5 },
  [ASSAY_NODE_COLUMN_ACTIVATIONS] = { "Activations", "Size of what it makes", 11, 0, 6 },
  [ASSAY_NODE_COLUMN_CYCLES] = { "Cycles", "Predicted cycles in which units work for it", 9, 0, 3 },
  [ASSAY_NODE_COLUMN_ERROR] = { "Own Error",
                                "Own error in the last comparison, in units of its type at the "
                                "size of the tensor",
                                9, 0, 4 },
  [ASSAY_NODE_COLUMN_SHAPE] = { "Shape", "Type and shape of its first output", 20, 0, 5 },
};

/* Which columns that stay are narrower where all the others gave way and there is still no room,
 * and the digits that are left of each: what is read first, last. */
static const struct
{
  AssayNodeColumn column;
  int least;
} squeezes[] = { { ASSAY_NODE_COLUMN_REASON, 6 }, { ASSAY_NODE_COLUMN_OP, 8 } };

/* What the user said of a column. */
typedef enum
{
  CHOICE_NONE,
  CHOICE_SHOW,
  CHOICE_HIDE,
} Choice;

struct _AssayNodeHeader
{
  GtkWidget parent_instance;

  GtkWidget *buttons[ASSAY_N_NODE_COLUMNS];
  GtkWidget *arrows[ASSAY_N_NODE_COLUMNS];
  int widths[ASSAY_N_NODE_COLUMNS]; /* 0: from the font */
  Choice choices[ASSAY_N_NODE_COLUMNS];
  gboolean missing[ASSAY_N_NODE_COLUMNS]; /* of this model there is nothing to show */
  gboolean empty[ASSAY_N_NODE_COLUMNS];   /* no node has something in it yet */
  gboolean dropped[ASSAY_N_NODE_COLUMNS]; /* for want of room */
  int squeezed;                           /* pixels that are missing in spite of that */
  char *longest_name;
  int name_width; /* of that in pixels */
  AssayNodeColumn sort;
  guint idle;
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
  return !self->missing[column] && !self->dropped[column] && self->choices[column] != CHOICE_HIDE;
}

/* What a column gives up of its width, where it stays and there is no room. */
static int
get_squeezed (AssayNodeHeader *self, guint column)
{
  int left = self->squeezed;

  for (guint i = 0; i < G_N_ELEMENTS (squeezes); i++)
    {
      guint other = squeezes[i].column;
      int given = assay_node_header_get_shown (self, other)
                      ? MIN (left, (columns[other].chars - squeezes[i].least) * self->char_width)
                      : 0;

      if (other == column)
        return given;
      left -= given;
    }

  return 0;
}

/* Pixels that the column of names is short of for the longest one. */
static int
get_name_wish (AssayNodeHeader *self)
{
  return self->widths[ASSAY_NODE_COLUMN_NAME] == 0 &&
                 assay_node_header_get_shown (self, ASSAY_NODE_COLUMN_NAME)
             ? MAX (self->name_width - columns[ASSAY_NODE_COLUMN_NAME].chars * self->char_width, 0)
             : 0;
}

static int
get_width (AssayNodeHeader *self, guint column)
{
  if (!assay_node_header_get_shown (self, column))
    return 0;

  return self->widths[column] > 0
             ? self->widths[column]
             : columns[column].chars * self->char_width + PADDING - get_squeezed (self, column);
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
  int wish = get_name_wish (self) <= rest ? get_name_wish (self) : 0;
  int shares = 0;

  for (guint i = 0; i < ASSAY_N_NODE_COLUMNS; i++)
    shares += assay_node_header_get_shown (self, i) && self->widths[i] == 0 ? columns[i].share : 0;

  *x = 0;
  *width = 0;
  for (guint i = 0; i <= column; i++)
    {
      *x += *width;
      *width = get_width (self, i);
      if (assay_node_header_get_shown (self, i) && self->widths[i] == 0 && columns[i].share > 0)
        *width += (rest - wish) * columns[i].share / shares;
      *width += i == ASSAY_NODE_COLUMN_NAME ? wish : 0;
    }
  if (gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL)
    *x = total - *x - *width;

  return assay_node_header_get_shown (self, column);
}

static void
tell_changed (AssayNodeHeader *self)
{
  gtk_widget_queue_allocate (GTK_WIDGET (self));
  g_signal_emit (self, signals[CHANGED], 0);
}

static void
show_buttons (AssayNodeHeader *self)
{
  for (guint i = 0; i < ASSAY_N_NODE_COLUMNS; i++)
    gtk_widget_set_visible (self->buttons[i], assay_node_header_get_shown (self, i));
  tell_changed (self);
}

/* The larger, the sooner it gives way; 0: never, as what the rows are sorted by is looked for, and
 * what the user chose stays. */
static guint
get_key (AssayNodeHeader *self, guint column)
{
  if (!assay_node_header_get_shown (self, column) || self->choices[column] != CHOICE_NONE ||
      (column == self->sort && column != ASSAY_NODE_COLUMN_NUMBER))
    return 0;

  return columns[column].rank + (self->empty[column] ? EMPTY_RANK : 0);
}

static int
find_least (AssayNodeHeader *self)
{
  int found = -1;

  for (guint i = 0; i < ASSAY_N_NODE_COLUMNS; i++)
    if (get_key (self, i) > (found < 0 ? 0 : get_key (self, (guint) found)))
      found = (int) i;

  return found;
}

/* What says little beside a whole name goes, if that is enough for it. */
static void
make_fit_names (AssayNodeHeader *self, int width)
{
  gboolean before[ASSAY_N_NODE_COLUMNS];
  int wish = get_name_wish (self);

  memcpy (before, self->dropped, sizeof before);
  for (int least = find_least (self);
       least >= 0 && assay_node_header_get_total (self) + wish > width &&
       get_key (self, (guint) least) >= NAME_RANK;
       least = find_least (self))
    self->dropped[least] = TRUE;
  if (assay_node_header_get_total (self) + wish > width)
    memcpy (self->dropped, before, sizeof before);
}

/* Of columns that have no room the least important ones give way, then those that stay are
 * narrower. Columns as wide as the user made them stay, and the rest is scrolled to. */
static void
make_fit (AssayNodeHeader *self)
{
  int width = gtk_widget_get_width (GTK_WIDGET (self));

  for (guint i = 0; i < ASSAY_N_NODE_COLUMNS; i++)
    if (self->widths[i] > 0 || width <= 0)
      return;

  self->squeezed = 0;
  memset (self->dropped, 0, sizeof self->dropped);
  for (int least = find_least (self); least >= 0 && assay_node_header_get_total (self) > width;
       least = find_least (self))
    self->dropped[least] = TRUE;
  self->squeezed = MAX (assay_node_header_get_total (self) - width, 0);
  make_fit_names (self, width);
}

static gboolean
fit_cb (gpointer data)
{
  AssayNodeHeader *self = data;
  gboolean before[ASSAY_N_NODE_COLUMNS];
  int squeezed = self->squeezed;

  self->idle = 0;
  memcpy (before, self->dropped, sizeof before);
  make_fit (self);
  if (memcmp (before, self->dropped, sizeof before) != 0 || squeezed != self->squeezed)
    show_buttons (self);

  return G_SOURCE_REMOVE;
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
  AssayNodeHeader *self = ASSAY_NODE_HEADER (widget);

  place_buttons (self, width, height);
  /* Nothing may be shown or hidden inside of an allocation. */
  if (self->idle == 0)
    self->idle = g_idle_add_full (G_PRIORITY_HIGH_IDLE, fit_cb, self, NULL);
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
measure_name (AssayNodeHeader *self)
{
  g_autoptr (PangoLayout)
      layout = gtk_widget_create_pango_layout (GTK_WIDGET (self), self->longest_name);

  pango_layout_get_pixel_size (layout, &self->name_width, NULL);
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
  measure_name (self);
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

  g_clear_handle_id (&self->idle, g_source_remove);
  assay_node_header_set_adjustment (self, NULL);
  g_clear_pointer (&self->longest_name, g_free);
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
 * assay_node_header_choose:
 * @self: a header
 * @column: a column
 * @shown: whether it is shown
 *
 * Shows or hides a column for the user, whether there is room for it or not.
 */
void
assay_node_header_choose (AssayNodeHeader *self, AssayNodeColumn column, gboolean shown)
{
  self->choices[column] = shown ? CHOICE_SHOW : CHOICE_HIDE;
  make_fit (self);
  show_buttons (self);
}

/**
 * assay_node_header_set_missing:
 * @self: a header
 * @column: a column
 * @missing: whether of this model there is nothing to show in it
 *
 * Leaves out a column that not every model has.
 */
void
assay_node_header_set_missing (AssayNodeHeader *self, AssayNodeColumn column, gboolean missing)
{
  if (self->missing[column] == missing)
    return;

  self->missing[column] = missing;
  make_fit (self);
  show_buttons (self);
}

/**
 * assay_node_header_set_empty:
 * @self: a header
 * @column: a column
 * @empty: whether no node has something in it yet
 *
 * Lets a column give way before all others where there is no room.
 */
void
assay_node_header_set_empty (AssayNodeHeader *self, AssayNodeColumn column, gboolean empty)
{
  if (self->empty[column] == empty)
    return;

  self->empty[column] = empty;
  make_fit (self);
  show_buttons (self);
}

/**
 * assay_node_header_set_longest_name:
 * @self: a header
 * @name: (nullable): the longest name of a node
 *
 * Tells how wide the column of names would like to be, which it is where there is room.
 */
void
assay_node_header_set_longest_name (AssayNodeHeader *self, const char *name)
{
  if (name != NULL && g_utf8_strlen (name, -1) > LONGEST_NAME)
    name = NULL;
  if (g_strcmp0 (self->longest_name, name) == 0)
    return;

  g_free (self->longest_name);
  self->longest_name = g_strdup (name);
  measure_name (self);
  make_fit (self);
  show_buttons (self);
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
  self->sort = column;
  gtk_widget_queue_allocate (GTK_WIDGET (self));
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

  assay_ui_set_tooltip (self->buttons[column], text);
}
