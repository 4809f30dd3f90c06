/* assay-wrap-layout.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/inspector/assay-wrap-layout.h"

/* Between lines, and between children of a line unless told otherwise. */
#define SPACING 6

struct _AssayWrapLayout
{
  GtkLayoutManager parent_instance;
  int spacing;
};

enum
{
  PROP_0,
  PROP_SPACING,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AssayWrapLayout, assay_wrap_layout, GTK_TYPE_LAYOUT_MANAGER)

/* A line: from its first child up to the one that begins the next. */
typedef struct
{
  GtkWidget *first;
  GtkWidget *end;
  int width;
  int height;
  int n_expand;
} Line;

static int
get_width (GtkWidget *child, int room)
{
  int least, usual;

  gtk_widget_measure (child, GTK_ORIENTATION_HORIZONTAL, -1, &least, &usual, NULL, NULL);
  return CLAMP (usual, least, MAX (room, least));
}

static Line
find_line (GtkWidget *first, int room, int spacing)
{
  Line line = { .first = first };
  GtkWidget *child;

  for (child = first; child != NULL; child = gtk_widget_get_next_sibling (child))
    {
      int wide, high;

      if (!gtk_widget_should_layout (child))
        continue;
      wide = get_width (child, room);
      if (line.width > 0 && line.width + spacing + wide > room)
        break;
      gtk_widget_measure (child, GTK_ORIENTATION_VERTICAL, wide, NULL, &high, NULL, NULL);
      line.width += wide + (line.width > 0 ? spacing : 0);
      line.height = MAX (line.height, high);
      line.n_expand += gtk_widget_compute_expand (child, GTK_ORIENTATION_HORIZONTAL);
    }
  line.end = child;

  return line;
}

/* Children that expand share what the line has left; those that stand in the middle do so of its
 * height, the others at its top. */
static void
place_line (const Line *line, int room, int spacing, int y, gboolean rtl)
{
  int rest = MAX (room - line->width, 0);
  int n_expand = line->n_expand;
  int x = 0;

  for (GtkWidget *child = line->first; child != line->end;
       child = gtk_widget_get_next_sibling (child))
    {
      int wide, high;

      if (!gtk_widget_should_layout (child))
        continue;
      wide = get_width (child, room);
      if (gtk_widget_compute_expand (child, GTK_ORIENTATION_HORIZONTAL))
        {
          wide += rest / n_expand;
          rest -= rest / n_expand--;
        }
      gtk_widget_measure (child, GTK_ORIENTATION_VERTICAL, wide, NULL, &high, NULL, NULL);
      if (gtk_widget_get_valign (child) == GTK_ALIGN_CENTER)
        high = line->height;
      gtk_widget_size_allocate (child, &(GtkAllocation){ rtl ? room - x - wide : x, y, wide, high },
                                -1);
      x += wide + spacing;
    }
}

/* Goes through the lines that a width has; with @place each child gets its own. */
static int
lay_out (AssayWrapLayout *self, GtkWidget *widget, int width, gboolean place)
{
  gboolean rtl = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  GtkWidget *child = gtk_widget_get_first_child (widget);
  int y = 0;

  while (child != NULL)
    {
      Line line = find_line (child, width, self->spacing);

      if (place)
        place_line (&line, width, self->spacing, y, rtl);
      y += line.height + (line.end != NULL ? SPACING : 0);
      child = line.end;
    }

  return y;
}

static GtkSizeRequestMode
assay_wrap_layout_get_request_mode (GtkLayoutManager *manager, GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
assay_wrap_layout_measure (GtkLayoutManager *manager, GtkWidget *widget, GtkOrientation orientation,
                           int for_size, int *minimum, int *natural, int *minimum_baseline,
                           int *natural_baseline)
{
  AssayWrapLayout *self = ASSAY_WRAP_LAYOUT (manager);
  int widest = 0, total = 0;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      int least, usual;

      if (!gtk_widget_should_layout (child))
        continue;
      gtk_widget_measure (child, GTK_ORIENTATION_HORIZONTAL, -1, &least, &usual, NULL, NULL);
      widest = MAX (widest, least);
      total += usual + (total > 0 ? self->spacing : 0);
    }

  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    {
      *minimum = widest;
      *natural = MAX (widest, total);
    }
  else
    *minimum = *natural = lay_out (self, widget, for_size >= 0 ? for_size : MAX (widest, total),
                                   FALSE);
}

static void
assay_wrap_layout_allocate (GtkLayoutManager *manager, GtkWidget *widget, int width, int height,
                            int baseline)
{
  lay_out (ASSAY_WRAP_LAYOUT (manager), widget, width, TRUE);
}

static void
assay_wrap_layout_get_property (GObject *object, guint prop_id, GValue *value, GParamSpec *pspec)
{
  if (prop_id == PROP_SPACING)
    g_value_set_int (value, ASSAY_WRAP_LAYOUT (object)->spacing);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
}

static void
assay_wrap_layout_set_property (GObject *object, guint prop_id, const GValue *value,
                                GParamSpec *pspec)
{
  if (prop_id == PROP_SPACING)
    ASSAY_WRAP_LAYOUT (object)->spacing = g_value_get_int (value);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
}

static void
assay_wrap_layout_class_init (AssayWrapLayoutClass *klass)
{
  GtkLayoutManagerClass *layout_class = GTK_LAYOUT_MANAGER_CLASS (klass);

  G_OBJECT_CLASS (klass)->get_property = assay_wrap_layout_get_property;
  G_OBJECT_CLASS (klass)->set_property = assay_wrap_layout_set_property;
  layout_class->get_request_mode = assay_wrap_layout_get_request_mode;
  layout_class->measure = assay_wrap_layout_measure;
  layout_class->allocate = assay_wrap_layout_allocate;

  properties[PROP_SPACING] = g_param_spec_int ("spacing", NULL, NULL, 0, G_MAXINT, SPACING,
                                               G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY |
                                                   G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (G_OBJECT_CLASS (klass), N_PROPS, properties);
}

static void
assay_wrap_layout_init (AssayWrapLayout *self)
{
}
