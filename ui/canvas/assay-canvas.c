/* assay-canvas.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/canvas/assay-canvas-private.h"

#include <math.h>

/* Ranks that a picture of a small graph shows at least. */
#define RANKS_IN_SIGHT 10

/* Least zooms of the first picture: with every line of text, and with titles alone, readable down
 * to 0.4375. */
#define DETAILS_ZOOM 0.65
#define TITLES_ZOOM 0.44

/* Room beside a first picture that just fits, in pixels. */
#define CLOSE_SIDE 8.0

enum
{
  PROP_0,
  PROP_SELECTION,
  PROP_HOVER,
  PROP_ZOOM,
  PROP_FILTER,
  PROP_HAS_VIEW,
  PROP_LAYOUT_NOTE,
  N_PROPS,
  PROP_HADJUSTMENT = N_PROPS,
  PROP_VADJUSTMENT,
  PROP_HSCROLL_POLICY,
  PROP_VSCROLL_POLICY
};

enum
{
  NODE_ACTIVATED,
  VIEWPORT_CHANGED,
  N_SIGNALS
};

G_DEFINE_FINAL_TYPE_WITH_CODE (AssayCanvas, assay_canvas, GTK_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (GTK_TYPE_SCROLLABLE, NULL))

static GParamSpec *properties[N_PROPS];
static guint signals[N_SIGNALS];

/* Pixels per unit: the zoom, and the size of the font. */
double
assay_canvas_get_scale (AssayCanvas *self)
{
  return self->zoom * self->palette.unit;
}

static double
content_px (AssayCanvas *self, GtkOrientation orientation)
{
  if (self->view == NULL)
    return 0;

  return (orientation == GTK_ORIENTATION_HORIZONTAL ? self->view->width : self->view->height) *
         assay_canvas_get_scale (self);
}

/* What lies on the canvas at the bottom: buttons, or more than them. */
double
assay_canvas_get_bottom (AssayCanvas *self)
{
  return MAX (ASSAY_INSET_BOTTOM, self->covered + ASSAY_INSET_SIDE);
}

static double
find_origin (AssayCanvas *self, GtkOrientation orientation, double page)
{
  gboolean horizontal = orientation == GTK_ORIENTATION_HORIZONTAL;
  double before = horizontal ? ASSAY_INSET_SIDE : ASSAY_INSET_TOP;
  double after = horizontal ? ASSAY_INSET_SIDE : ASSAY_INSET_BOTTOM;
  double content = content_px (self, orientation);

  if (content + before + (horizontal ? after : assay_canvas_get_bottom (self)) <= page)
    before = floor (before + (page - before - after - content) / 2);

  return before - (horizontal ? self->hvalue : self->vvalue);
}

static double
get_axis_origin (AssayCanvas *self, GtkOrientation orientation)
{
  return find_origin (self, orientation, gtk_widget_get_size (GTK_WIDGET (self), orientation));
}

/* Where unit 0 stands, in whole pixels so that lines are sharp at 100 %. */
void
assay_canvas_get_origin (AssayCanvas *self, double *x, double *y)
{
  *x = floor (get_axis_origin (self, GTK_ORIENTATION_HORIZONTAL) + 0.5);
  *y = floor (get_axis_origin (self, GTK_ORIENTATION_VERTICAL) + 0.5);
}

void
assay_canvas_to_units (AssayCanvas *self, double x, double y, double *unit_x, double *unit_y)
{
  double origin_x, origin_y;

  assay_canvas_get_origin (self, &origin_x, &origin_y);
  *unit_x = (x - origin_x) / assay_canvas_get_scale (self);
  *unit_y = (y - origin_y) / assay_canvas_get_scale (self);
}

static void
configure_axis (AssayCanvas *self, GtkAdjustment *adjustment, GtkOrientation orientation,
                double *value)
{
  gboolean horizontal = orientation == GTK_ORIENTATION_HORIZONTAL;
  double page = gtk_widget_get_size (GTK_WIDGET (self), orientation);
  double insets = horizontal ? 2 * ASSAY_INSET_SIDE
                             : ASSAY_INSET_TOP + assay_canvas_get_bottom (self);
  double content = content_px (self, orientation) + insets;
  double lower = MIN (0, self->loose[orientation]);
  double upper = MAX (MAX (page, content), page + self->loose[orientation]);

  *value = CLAMP (*value, lower, upper - page);
  if (adjustment != NULL)
    gtk_adjustment_configure (adjustment, *value, lower, upper, page * 0.1, page * 0.9, page);
}

/* Tells the adjustments what there is; after every change of size, zoom or content. */
void
assay_canvas_configure (AssayCanvas *self)
{
  double hvalue = self->hvalue;
  double vvalue = self->vvalue;

  configure_axis (self, self->hadjustment, GTK_ORIENTATION_HORIZONTAL, &hvalue);
  self->hvalue = hvalue;
  configure_axis (self, self->vadjustment, GTK_ORIENTATION_VERTICAL, &vvalue);
  self->vvalue = vvalue;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_signal_emit (self, signals[VIEWPORT_CHANGED], 0);
}

static void
adjustment_changed_cb (GtkAdjustment *adjustment, AssayCanvas *self)
{
  double value = gtk_adjustment_get_value (adjustment);
  double *place = adjustment == self->hadjustment ? &self->hvalue : &self->vvalue;

  if (*place == value)
    return;

  *place = value;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_signal_emit (self, signals[VIEWPORT_CHANGED], 0);
}

static void
set_adjustment (AssayCanvas *self, GtkAdjustment **place, GtkAdjustment *adjustment)
{
  if (*place == adjustment && adjustment != NULL)
    return;

  if (*place != NULL)
    g_signal_handlers_disconnect_by_func (*place, adjustment_changed_cb, self);
  g_clear_object (place);

  *place = g_object_ref_sink (adjustment != NULL ? adjustment
                                                 : gtk_adjustment_new (0, 0, 0, 0, 0, 0));
  g_signal_connect_object (*place, "value-changed", G_CALLBACK (adjustment_changed_cb), self, 0);
  assay_canvas_configure (self);
}

static void
apply_scroll (AssayCanvas *self, double hvalue, double vvalue)
{
  self->hvalue = hvalue;
  self->vvalue = vvalue;
  assay_canvas_configure (self);
}

static void
motion_cb (double value, AssayCanvas *self)
{
  apply_scroll (self, self->motion_from[0] + (self->motion_to[0] - self->motion_from[0]) * value,
                self->motion_from[1] + (self->motion_to[1] - self->motion_from[1]) * value);
}

void
assay_canvas_scroll_to (AssayCanvas *self, double hvalue, double vvalue, gboolean animate)
{
  if (self->motion != NULL)
    adw_animation_pause (self->motion);

  if (!animate || self->still || !gtk_widget_get_mapped (GTK_WIDGET (self)) ||
      !adw_get_enable_animations (GTK_WIDGET (self)))
    {
      apply_scroll (self, hvalue, vvalue);
      return;
    }

  if (self->motion == NULL)
    self->motion = adw_timed_animation_new (
        GTK_WIDGET (self), 0, 1, ASSAY_MOTION_MS,
        adw_callback_animation_target_new ((AdwAnimationTargetFunc) motion_cb, self, NULL));
  self->motion_from[0] = self->hvalue;
  self->motion_from[1] = self->vvalue;
  self->motion_to[0] = hvalue;
  self->motion_to[1] = vvalue;
  adw_animation_reset (self->motion);
  adw_animation_play (self->motion);
}

/* Scrolls so that a point of the graph comes to stand at a pixel, as far as the ends allow. */
void
assay_canvas_put_unit_at (AssayCanvas *self, double unit_x, double unit_y, double x, double y,
                          gboolean animate)
{
  double scale = assay_canvas_get_scale (self);
  /* A graph that is smaller than the canvas begins in its midst. */
  double left = get_axis_origin (self, GTK_ORIENTATION_HORIZONTAL) + self->hvalue;
  double top = get_axis_origin (self, GTK_ORIENTATION_VERTICAL) + self->vvalue;

  assay_canvas_scroll_to (self, left + unit_x * scale - x, top + unit_y * scale - y, animate);
}

/* Puts a point of the graph at a pixel, past the ends if it has to be; a movement that is under way
 * goes on. */
void
assay_canvas_hold_unit_at (AssayCanvas *self, double unit_x, double unit_y, double x, double y)
{
  const double wanted[2] = { x - unit_x * assay_canvas_get_scale (self),
                             y - unit_y * assay_canvas_get_scale (self) };
  double *values[2] = { &self->hvalue, &self->vvalue };

  for (guint axis = 0; axis < 2; axis++)
    {
      double before = get_axis_origin (self, (GtkOrientation) axis) - wanted[axis];

      *values[axis] += before;
      self->motion_from[axis] += before;
      self->motion_to[axis] += before;
      self->loose[axis] = *values[axis];
    }
  assay_canvas_configure (self);
}

void
assay_canvas_zoom_at (AssayCanvas *self, double zoom, double x, double y)
{
  double unit_x, unit_y;

  zoom = CLAMP (zoom, ASSAY_ZOOM_MIN, ASSAY_ZOOM_MAX);
  if (zoom == self->zoom)
    return;

  assay_canvas_to_units (self, x, y, &unit_x, &unit_y);
  self->zoom = zoom;
  self->loose[0] = self->loose[1] = 0;
  assay_canvas_put_unit_at (self, unit_x, unit_y, x, y, FALSE);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ZOOM]);
}

/* Headers of the frames around a box stand at the top while the box is in sight. */
static double
headers_above (AssayCanvas *self, const AssayViewBox *box)
{
  guint32 depth = 0;

  for (guint32 f = 0; f < self->view->frames->len; f++)
    {
      const AssayViewFrame *frame = assay_view_frame (self->view, f);

      if (box->x >= frame->x && box->x < frame->x + frame->width && box->y >= frame->y &&
          box->y < frame->y + frame->height)
        depth = MAX (depth, frame->depth + 1);
    }

  return depth * ASSAY_FRAME_HEADER + ASSAY_FRAME_PAD;
}

/* Scrolls just enough to see a box whole and clear of what floats over the canvas. */
void
assay_canvas_show_box (AssayCanvas *self, guint32 index)
{
  const AssayViewBox *box = assay_view_box (assay_canvas_get_settled (self), index);
  double scale = assay_canvas_get_scale (self);
  double width = gtk_widget_get_width (GTK_WIDGET (self));
  double height = gtk_widget_get_height (GTK_WIDGET (self));
  double origin_x, origin_y, x1, y1, x2, y2;
  double dx = 0, dy = 0;

  assay_canvas_get_origin (self, &origin_x, &origin_y);
  x1 = origin_x + box->x * scale - ASSAY_INSET_SIDE;
  x2 = origin_x + (box->x + box->width) * scale + ASSAY_INSET_SIDE;
  y1 = origin_y + box->y * scale - MAX (ASSAY_INSET_TOP, headers_above (self, box) * scale);
  y2 = origin_y + (box->y + box->height) * scale + assay_canvas_get_bottom (self);

  if (self->sides[0] + self->sides[1] > 0 && (x1 < self->sides[0] || x2 > width - self->sides[1]))
    {
      if (y1 < 0 || y2 > height)
        assay_canvas_reveal (self, self->selection);
      else
        assay_canvas_put_between (self, box);
      return;
    }
  if (x1 < 0)
    dx = x1;
  else if (x2 > width)
    dx = MIN (x2 - width, x1);
  if (y1 < 0)
    dy = y1;
  else if (y2 > height)
    dy = MIN (y2 - height, y1);

  if (dx != 0 || dy != 0)
    assay_canvas_scroll_to (self, self->hvalue + dx, self->vvalue + dy, TRUE);
}

void
assay_canvas_view_changed (AssayCanvas *self)
{
  assay_canvas_drop_tiles (self);
  assay_canvas_configure (self);
  assay_canvas_update_label (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_HAS_VIEW]);
}

/* Tells that the layout is what it will be, and what was wrong. */
void
assay_canvas_tell_layout (AssayCanvas *self)
{
  assay_canvas_update_label (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_LAYOUT_NOTE]);
}

void
assay_canvas_set_hover (AssayCanvas *self, guint node)
{
  if (self->hover == node)
    return;

  self->hover = node;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_HOVER]);
}

void
assay_canvas_set_hover_stub (AssayCanvas *self, guint32 stub)
{
  if (self->hover_stub == stub)
    return;

  self->hover_stub = stub;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* Tells that a node was chosen for good. */
void
assay_canvas_activate (AssayCanvas *self, guint node)
{
  g_signal_emit (self, signals[NODE_ACTIVATED], 0, node);
}

static void
assay_canvas_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                      int *natural, int *minimum_baseline, int *natural_baseline)
{
  AssayCanvas *self = ASSAY_CANVAS (widget);

  *minimum = 1;
  *natural = (int) CLAMP (content_px (self, orientation), 1, 32767);
}

/* Small graphs are drawn larger where there is room, but not so that few ranks are left in sight.
 */
static double
largest_fit (AssayCanvas *self, double height)
{
  return CLAMP (height / self->palette.unit / (RANKS_IN_SIGHT * 66), 1, 1.5);
}

/* The first picture: all of it if that can be read, else as wide as the canvas, from the top. What
 * is wider than that is shown whole down to the zoom at which titles can be read, close to both
 * sides; a wider one keeps its details. */
void
assay_canvas_first_zoom (AssayCanvas *self)
{
  double width = gtk_widget_get_width (GTK_WIDGET (self)) - 2 * ASSAY_INSET_SIDE;
  double height = gtk_widget_get_height (GTK_WIDGET (self)) - ASSAY_INSET_TOP - ASSAY_INSET_BOTTOM;
  double wide = width / MAX (self->view->width, 1) / self->palette.unit;
  double high = height / MAX (self->view->height, 1) / self->palette.unit;
  double close = (width + 2 * (ASSAY_INSET_SIDE - CLOSE_SIDE)) / MAX (self->view->width, 1) /
                 self->palette.unit;
  double least = close >= TITLES_ZOOM ? MIN (close, DETAILS_ZOOM) : DETAILS_ZOOM;

  self->fit_pending = FALSE;
  self->loose[0] = self->loose[1] = 0;
  self->zoom = CLAMP (high >= 0.75 ? MIN (wide, high) : wide, least, largest_fit (self, height));
  self->hvalue = MAX (0, (self->view->width * assay_canvas_get_scale (self) - width) / 2);
  self->vvalue = 0;
  self->first[0] = self->zoom;
  self->first[1] = self->hvalue;
  self->first[2] = self->vvalue;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ZOOM]);
}

/* Whether the first picture is where it was put, and nobody has asked for a node. */
gboolean
assay_canvas_is_at_first (AssayCanvas *self)
{
  return (self->at_rest || self->selection == 0) && self->zoom == self->first[0] &&
         self->hvalue == self->first[1] && self->vvalue == self->first[2];
}

/* A panel that opens beside the canvas must not cut what stood in its middle, where nothing is
 * selected that keeps its place. */
static void
keep_middle (AssayCanvas *self, double left, int width)
{
  double scale = assay_canvas_get_scale (self);
  double unit = ((self->shown_width + self->sides[0] - self->sides[1]) / 2 - left) / scale;
  double top;

  if (self->view == NULL || self->at_rest || self->fit_pending || self->pending_reveal != 0 ||
      self->shown_width <= 0 || width >= self->shown_width)
    return;

  assay_canvas_get_origin (self, &left, &top);
  assay_canvas_hold_unit_at (self, unit, -top / scale,
                             (width + self->sides[0] - self->sides[1]) / 2, 0);
}

static void
assay_canvas_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  AssayCanvas *self = ASSAY_CANVAS (widget);
  gboolean shown = !self->at_rest && assay_canvas_shows_selection (self, FALSE);
  /* The widget has its new width already. */
  double left = self->view != NULL
                    ? find_origin (self, GTK_ORIENTATION_HORIZONTAL, self->shown_width)
                    : 0;

  if (self->fit_pending && self->view != NULL)
    assay_canvas_first_zoom (self);
  assay_canvas_configure (self);
  if (!shown)
    keep_middle (self, left, width);
  /* A bar that opens above the canvas must not push what is selected out of it. */
  if (shown && (height < self->shown_height || width < self->shown_width))
    {
      if (self->motion != NULL)
        adw_animation_pause (self->motion);
      assay_canvas_show_box (self, assay_view_find_node (self->view, self->selection));
    }
  self->shown_width = width;
  self->shown_height = height;
  if (self->view != NULL)
    assay_canvas_reveal (self, self->pending_reveal);
  assay_canvas_try_place (self);

  if (self->menu != NULL)
    gtk_popover_present (GTK_POPOVER (self->menu));
}

/* A layout that still runs keeps the canvas longer than its window; a menu that lives without a
 * surface is asked by GTK 4.8 for the pointer's place, as the window's popovers are. */
static void
assay_canvas_unrealize (GtkWidget *widget)
{
  g_clear_pointer (&ASSAY_CANVAS (widget)->menu, gtk_widget_unparent);

  GTK_WIDGET_CLASS (assay_canvas_parent_class)->unrealize (widget);
}

static void
assay_canvas_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  AssayCanvas *self = ASSAY_CANVAS (widget);
  const PangoFontDescription *font;
  const char *family;

  GTK_WIDGET_CLASS (assay_canvas_parent_class)->css_changed (widget, change);

  /* Comes for every change of state too; only other colours or another font cost the caches. */
  font = pango_context_get_font_description (gtk_widget_get_pango_context (widget));
  family = pango_font_description_get_family (font);
  if (!assay_palette_load (&self->palette, widget) && g_strcmp0 (family, self->family) == 0)
    return;

  g_free (self->family);
  self->family = g_strdup (family);
  assay_painter_set_palette (self->painter, &self->palette);
  assay_painter_set_family (self->painter, family);
  assay_canvas_drop_tiles (self);
  assay_canvas_configure (self);
}

static gboolean
assay_canvas_query_tooltip (GtkWidget *widget, int x, int y, gboolean keyboard_tooltip,
                            GtkTooltip *tooltip)
{
  AssayCanvas *self = ASSAY_CANVAS (widget);
  g_autofree char *text = NULL;
  double unit_x, unit_y;
  guint32 box;

  if (self->view == NULL)
    return FALSE;

  text = keyboard_tooltip ? NULL : assay_canvas_describe_header (self, x, y);
  if (text != NULL)
    {
      gtk_tooltip_set_text (tooltip, text);
      return TRUE;
    }

  assay_canvas_to_units (self, x, y, &unit_x, &unit_y);
  box = keyboard_tooltip ? assay_view_find_node (self->view, self->selection)
                         : assay_view_hit (self->view, unit_x, unit_y);
  if (box == ASSAY_NO_BOX)
    return FALSE;

  text = assay_canvas_describe_box (self, box);
  gtk_tooltip_set_text (tooltip, text);

  return TRUE;
}

static void
assay_canvas_get_property (GObject *object, guint prop_id, GValue *value, GParamSpec *pspec)
{
  AssayCanvas *self = ASSAY_CANVAS (object);

  switch (prop_id)
    {
    case PROP_SELECTION:
      g_value_set_uint (value, self->selection);
      break;

    case PROP_HOVER:
      g_value_set_uint (value, self->hover);
      break;

    case PROP_ZOOM:
      g_value_set_double (value, self->zoom);
      break;

    case PROP_FILTER:
      g_value_set_uint (value, self->filter);
      break;

    case PROP_LAYOUT_NOTE:
      g_value_set_string (value, self->layout_note);
      break;

    case PROP_HAS_VIEW:
      g_value_set_boolean (value, self->view != NULL);
      break;

    case PROP_HADJUSTMENT:
      g_value_set_object (value, self->hadjustment);
      break;

    case PROP_VADJUSTMENT:
      g_value_set_object (value, self->vadjustment);
      break;

    case PROP_HSCROLL_POLICY:
      g_value_set_enum (value, self->hscroll_policy);
      break;

    case PROP_VSCROLL_POLICY:
      g_value_set_enum (value, self->vscroll_policy);
      break;

    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
assay_canvas_set_property (GObject *object, guint prop_id, const GValue *value, GParamSpec *pspec)
{
  AssayCanvas *self = ASSAY_CANVAS (object);

  switch (prop_id)
    {
    case PROP_SELECTION:
      assay_canvas_set_selection (self, g_value_get_uint (value));
      break;

    case PROP_ZOOM:
      assay_canvas_set_zoom (self, g_value_get_double (value));
      break;

    case PROP_FILTER:
      assay_canvas_set_filter (self, g_value_get_uint (value));
      break;

    case PROP_HADJUSTMENT:
      set_adjustment (self, &self->hadjustment, g_value_get_object (value));
      break;

    case PROP_VADJUSTMENT:
      set_adjustment (self, &self->vadjustment, g_value_get_object (value));
      break;

    case PROP_HSCROLL_POLICY:
      self->hscroll_policy = g_value_get_enum (value);
      break;

    case PROP_VSCROLL_POLICY:
      self->vscroll_policy = g_value_get_enum (value);
      break;

    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
assay_canvas_dispose (GObject *object)
{
  AssayCanvas *self = ASSAY_CANVAS (object);

  self->generation++;
  g_clear_object (&self->motion);
  g_clear_object (&self->moving);
  assay_canvas_finish_input (self);
  if (self->hadjustment != NULL)
    g_signal_handlers_disconnect_by_func (self->hadjustment, adjustment_changed_cb, self);
  if (self->vadjustment != NULL)
    g_signal_handlers_disconnect_by_func (self->vadjustment, adjustment_changed_cb, self);
  g_clear_object (&self->hadjustment);
  g_clear_object (&self->vadjustment);
  g_clear_pointer (&self->family, g_free);
  g_clear_pointer (&self->hits, g_free);
  g_clear_pointer (&self->marks, g_byte_array_unref);
  g_clear_pointer (&self->live, g_array_unref);
  g_clear_pointer (&self->states, g_free);
  g_clear_pointer (&self->drawn, g_free);
  g_clear_pointer (&self->summary, assay_scope_summary_free);
  g_clear_pointer (&self->overlay, assay_overlay_free);
  g_clear_pointer (&self->tiles, g_hash_table_unref);
  g_clear_pointer (&self->list, assay_display_list_free);
  g_clear_pointer (&self->painter, assay_painter_free);
  assay_canvas_clear_view (self);
  g_clear_object (&self->refiner);
  g_clear_weak_pointer (&self->session);

  G_OBJECT_CLASS (assay_canvas_parent_class)->dispose (object);
}

static void
install_properties (GObjectClass *object_class)
{
  const GParamFlags read_write = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS |
                                 G_PARAM_EXPLICIT_NOTIFY;
  const GParamFlags read = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  properties[PROP_SELECTION] = g_param_spec_uint ("selection", NULL, NULL, 0, G_MAXUINT, 0,
                                                  read_write);
  properties[PROP_HOVER] = g_param_spec_uint ("hover", NULL, NULL, 0, G_MAXUINT, 0, read);
  properties[PROP_ZOOM] = g_param_spec_double ("zoom", NULL, NULL, ASSAY_ZOOM_MIN, ASSAY_ZOOM_MAX,
                                               1, read_write);
  properties[PROP_FILTER] = g_param_spec_uint ("filter", NULL, NULL, 0, G_MAXUINT, 0, read_write);
  properties[PROP_LAYOUT_NOTE] = g_param_spec_string ("layout-note", NULL, NULL, NULL, read);
  properties[PROP_HAS_VIEW] = g_param_spec_boolean ("has-view", NULL, NULL, FALSE, read);

  g_object_class_install_properties (object_class, N_PROPS, properties);
  g_object_class_override_property (object_class, PROP_HADJUSTMENT, "hadjustment");
  g_object_class_override_property (object_class, PROP_VADJUSTMENT, "vadjustment");
  g_object_class_override_property (object_class, PROP_HSCROLL_POLICY, "hscroll-policy");
  g_object_class_override_property (object_class, PROP_VSCROLL_POLICY, "vscroll-policy");
}

static void
assay_canvas_class_init (AssayCanvasClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = assay_canvas_dispose;
  object_class->get_property = assay_canvas_get_property;
  object_class->set_property = assay_canvas_set_property;

  widget_class->measure = assay_canvas_measure;
  widget_class->size_allocate = assay_canvas_size_allocate;
  widget_class->snapshot = assay_canvas_snapshot;
  widget_class->unrealize = assay_canvas_unrealize;
  widget_class->css_changed = assay_canvas_css_changed;
  widget_class->query_tooltip = assay_canvas_query_tooltip;

  install_properties (object_class);

  signals[NODE_ACTIVATED] = g_signal_new ("node-activated", G_TYPE_FROM_CLASS (klass),
                                          G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                                          G_TYPE_UINT);

  signals[VIEWPORT_CHANGED] = g_signal_new ("viewport-changed", G_TYPE_FROM_CLASS (klass),
                                            G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);

  gtk_widget_class_set_css_name (widget_class, "graphcanvas");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
assay_canvas_init (AssayCanvas *self)
{
  GtkWidget *widget = GTK_WIDGET (self);

  self->zoom = 1;
  self->painter = assay_painter_new ();
  self->list = assay_display_list_new ();
  self->tiles = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free,
                                       (GDestroyNotify) gsk_render_node_unref);
  assay_palette_init_default (&self->palette, FALSE, FALSE);
  set_adjustment (self, &self->hadjustment, NULL);
  set_adjustment (self, &self->vadjustment, NULL);

  gtk_widget_set_focusable (widget, TRUE);
  gtk_widget_set_has_tooltip (widget, TRUE);
  gtk_widget_set_overflow (widget, GTK_OVERFLOW_HIDDEN);
  assay_canvas_init_input (self);
  assay_canvas_update_label (self);
}

/**
 * assay_canvas_new:
 *
 * Makes an empty canvas.
 *
 * Returns: (transfer floating): the canvas
 */
GtkWidget *
assay_canvas_new (void)
{
  return g_object_new (ASSAY_TYPE_CANVAS, NULL);
}

/**
 * assay_canvas_get_verdicts:
 * @self: a canvas
 *
 * Gets what is shown.
 *
 * Returns: (transfer none) (nullable): the verdicts and their graph
 */
AssayVerdicts *
assay_canvas_get_verdicts (AssayCanvas *self)
{
  g_return_val_if_fail (ASSAY_IS_CANVAS (self), NULL);

  return self->verdicts;
}

/**
 * assay_canvas_set_session:
 * @self: a canvas
 * @session: who shows that a large graph is being laid out, and may cancel it
 *
 * Sets whose graph is shown.
 */
void
assay_canvas_set_session (AssayCanvas *self, AssaySession *session)
{
  g_set_weak_pointer (&self->session, session);
}

/**
 * assay_canvas_set_verdicts:
 * @self: a canvas
 * @verdicts: (nullable): what to show, kept with a reference
 *
 * Shows a graph with its verdicts. The picture of a small graph is there at once, that of a big one
 * comes from a thread; `has-view` tells. A selected node stays selected if the new graph has one of
 * the same name.
 */
void
assay_canvas_set_verdicts (AssayCanvas *self, AssayVerdicts *verdicts)
{
  guint selection;

  g_return_if_fail (ASSAY_IS_CANVAS (self));

  if (self->verdicts == verdicts)
    return;

  selection = self->selection;
  assay_canvas_take_verdicts (self, verdicts);
  if (self->selection != selection)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SELECTION]);
}

/**
 * assay_canvas_get_selection:
 * @self: a canvas
 *
 * Gets the selected node.
 *
 * Returns: its id, 0 if none is selected
 */
guint
assay_canvas_get_selection (AssayCanvas *self)
{
  g_return_val_if_fail (ASSAY_IS_CANVAS (self), 0);

  return self->selection;
}

/**
 * assay_canvas_set_selection:
 * @self: a canvas
 * @node: id of a node of the graph, 0 for none
 *
 * Selects a node without scrolling; assay_canvas_reveal() brings it into sight.
 */
void
assay_canvas_set_selection (AssayCanvas *self, guint node)
{
  g_return_if_fail (ASSAY_IS_CANVAS (self));

  if (self->verdicts == NULL || node >= assay_graph_n_nodes (self->verdicts->graph))
    node = 0;
  if (self->selection == node)
    return;

  self->selection = node;
  self->at_rest = FALSE;
  assay_canvas_update_label (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SELECTION]);
}

/**
 * assay_canvas_rest:
 * @self: a canvas
 *
 * Leaves the picture where it is, whatever opens beside or over it, until another node is selected
 * or one is revealed.
 */
void
assay_canvas_rest (AssayCanvas *self)
{
  g_return_if_fail (ASSAY_IS_CANVAS (self));

  self->at_rest = TRUE;
}

/**
 * assay_canvas_set_covered:
 * @self: a canvas
 * @height: pixels at the bottom that something floating covers
 *
 * Lets the graph be scrolled clear of what floats over it, and brings the selected node out from
 * below; one that is not in sight stays where it is.
 */
void
assay_canvas_set_covered (AssayCanvas *self, double height)
{
  gboolean shown;

  g_return_if_fail (ASSAY_IS_CANVAS (self));

  if (self->covered == height)
    return;

  shown = !self->at_rest && assay_canvas_shows_selection (self, FALSE);
  self->covered = height;
  assay_canvas_configure (self);
  if (shown && self->motion != NULL &&
      adw_animation_get_state (self->motion) == ADW_ANIMATION_PLAYING)
    assay_canvas_reveal (self, self->selection);
  else if (shown)
    assay_canvas_show_box (self, assay_view_find_node (self->view, self->selection));
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/**
 * assay_canvas_set_covered_right:
 * @self: a canvas
 * @width: pixels at the upper right corner that something floating covers
 *
 * Keeps the headers of frames clear of what floats there.
 */
void
assay_canvas_set_covered_right (AssayCanvas *self, double width)
{
  g_return_if_fail (ASSAY_IS_CANVAS (self));

  self->covered_right = width;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/**
 * assay_canvas_get_hover:
 * @self: a canvas
 *
 * Gets the node under the pointer.
 *
 * Returns: its id, 0 if there is none
 */
guint
assay_canvas_get_hover (AssayCanvas *self)
{
  g_return_val_if_fail (ASSAY_IS_CANVAS (self), 0);

  return self->hover;
}

/**
 * assay_canvas_get_zoom:
 * @self: a canvas
 *
 * Gets the zoom, without the size of the font.
 *
 * Returns: the zoom, 1 for 100 %
 */
double
assay_canvas_get_zoom (AssayCanvas *self)
{
  g_return_val_if_fail (ASSAY_IS_CANVAS (self), 1);

  return self->zoom;
}

/**
 * assay_canvas_set_zoom:
 * @self: a canvas
 * @zoom: 1 for 100 %, clamped to what is allowed
 *
 * Zooms around the middle.
 */
void
assay_canvas_set_zoom (AssayCanvas *self, double zoom)
{
  g_return_if_fail (ASSAY_IS_CANVAS (self));

  assay_canvas_zoom_at (self, zoom, gtk_widget_get_width (GTK_WIDGET (self)) / 2.0,
                        gtk_widget_get_height (GTK_WIDGET (self)) / 2.0);
}

/**
 * assay_canvas_set_filter:
 * @self: a canvas
 * @filter: a bit per verdict, 0 for all
 *
 * Fades nodes with other verdicts to outlines.
 */
void
assay_canvas_set_filter (AssayCanvas *self, guint filter)
{
  g_return_if_fail (ASSAY_IS_CANVAS (self));

  if (self->filter == filter)
    return;

  self->filter = filter;
  assay_canvas_drop_tiles (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_FILTER]);
}

const AssayOverlay *
assay_canvas_get_overlay (AssayCanvas *self)
{
  return self->overlay;
}

/**
 * assay_canvas_set_overlay:
 * @self: a canvas
 * @overlay: (nullable) (transfer full): what bodies of nodes are coloured by, made for the graph
 * that is shown
 *
 * Colours nodes by more than their verdicts.
 */
void
assay_canvas_set_overlay (AssayCanvas *self, AssayOverlay *overlay)
{
  g_return_if_fail (ASSAY_IS_CANVAS (self));

  if (self->overlay == NULL && overlay == NULL)
    return;

  g_clear_pointer (&self->overlay, assay_overlay_free);
  g_clear_pointer (&self->summary, assay_scope_summary_free);
  self->overlay = overlay;
  assay_canvas_drop_tiles (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/**
 * assay_canvas_set_hits:
 * @self: a canvas
 * @nodes: (array length=n_nodes): ids of nodes
 * @n_nodes: number of nodes
 *
 * Marks what a search found; nothing is rebuilt.
 */
void
assay_canvas_set_hits (AssayCanvas *self, const AssayNodeId *nodes, guint n_nodes)
{
  guint n;

  g_return_if_fail (ASSAY_IS_CANVAS (self));

  g_clear_pointer (&self->hits, g_free);
  self->n_hits = self->verdicts == NULL ? 0 : n_nodes;
  if (self->n_hits > 0)
    {
      n = assay_graph_n_nodes (self->verdicts->graph);
      self->hits = g_new0 (guint8, n);
      for (guint i = 0; i < n_nodes; i++)
        if (nodes[i] < n)
          self->hits[nodes[i]] = TRUE;
    }
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/**
 * assay_canvas_set_marks:
 * @self: a canvas
 * @marks: (nullable): #AssayMark bits per node of the graph that is shown, kept with a reference
 *
 * Shows pins and what a rewrite would do; nothing is rebuilt.
 */
void
assay_canvas_set_marks (AssayCanvas *self, GByteArray *marks)
{
  g_return_if_fail (ASSAY_IS_CANVAS (self));

  g_clear_pointer (&self->marks, g_byte_array_unref);
  self->marks = marks != NULL ? g_byte_array_ref (marks) : NULL;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/**
 * assay_canvas_set_playhead:
 * @self: a canvas
 * @node: id of a node of the graph, 0 for none
 * @live: (nullable) (element-type guint): nodes whose results lie in memory, kept with a reference
 *
 * Shows what the program works on and what it holds at the step that all views look at; nothing is
 * rebuilt.
 */
void
assay_canvas_set_playhead (AssayCanvas *self, guint node, GArray *live)
{
  g_return_if_fail (ASSAY_IS_CANVAS (self));

  if (self->playhead == node && self->live == NULL && live == NULL)
    return;

  self->playhead = node;
  g_clear_pointer (&self->live, g_array_unref);
  self->live = live != NULL ? g_array_ref (live) : NULL;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/**
 * assay_canvas_fit:
 * @self: a canvas
 *
 * Zooms so that everything can be seen, as far as the zoom goes.
 */
void
assay_canvas_fit (AssayCanvas *self)
{
  double width, height;

  g_return_if_fail (ASSAY_IS_CANVAS (self));

  if (self->view == NULL)
    return;

  width = gtk_widget_get_width (GTK_WIDGET (self)) - 2 * ASSAY_INSET_SIDE;
  height = gtk_widget_get_height (GTK_WIDGET (self)) - ASSAY_INSET_TOP - ASSAY_INSET_BOTTOM;
  self->zoom = CLAMP (
      MIN (width / MAX (self->view->width, 1), height / MAX (self->view->height, 1)) /
          self->palette.unit,
      ASSAY_ZOOM_MIN, largest_fit (self, height));
  self->loose[0] = self->loose[1] = 0;
  assay_canvas_scroll_to (self, (self->view->width * assay_canvas_get_scale (self) - width) / 2, 0,
                          FALSE);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ZOOM]);
}

/**
 * assay_canvas_fit_selection:
 * @self: a canvas
 *
 * Puts the selected node into the middle, at 100 % if it was smaller.
 */
void
assay_canvas_fit_selection (AssayCanvas *self)
{
  const AssayViewBox *box;
  guint32 index;

  g_return_if_fail (ASSAY_IS_CANVAS (self));

  index = self->view == NULL ? ASSAY_NO_BOX : assay_view_find_node (self->view, self->selection);
  if (index == ASSAY_NO_BOX)
    return;

  if (self->zoom < 1)
    {
      self->zoom = 1;
      self->loose[0] = self->loose[1] = 0;
      g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ZOOM]);
    }
  box = assay_view_box (assay_canvas_get_settled (self), index);
  assay_canvas_put_unit_at (self, box->x + box->width / 2, box->y + box->height / 2,
                            gtk_widget_get_width (GTK_WIDGET (self)) / 2.0,
                            gtk_widget_get_height (GTK_WIDGET (self)) / 2.0, FALSE);
}

/**
 * assay_canvas_get_actions:
 * @self: a canvas
 *
 * Gets the actions of the graph, for a parent that inserts them as `graph`.
 *
 * Returns: (transfer none): the actions
 */
GActionGroup *
assay_canvas_get_actions (AssayCanvas *self)
{
  g_return_val_if_fail (ASSAY_IS_CANVAS (self), NULL);

  return G_ACTION_GROUP (self->actions);
}

/**
 * assay_canvas_get_builds:
 * @self: a canvas
 *
 * Gets how many cached nodes were built so far; pointer, selection and search must not add to it.
 *
 * Returns: the number
 */
guint
assay_canvas_get_builds (AssayCanvas *self)
{
  g_return_val_if_fail (ASSAY_IS_CANVAS (self), 0);

  return self->builds;
}

/**
 * assay_canvas_set_animated:
 * @self: a canvas
 * @animated: whether the graph moves smoothly, where the desktop has animations at all
 *
 * Chooses how the graph comes to another place.
 */
void
assay_canvas_set_animated (AssayCanvas *self, gboolean animated)
{
  g_return_if_fail (ASSAY_IS_CANVAS (self));

  self->still = !animated;
}

/**
 * assay_canvas_get_animated:
 * @self: a canvas
 *
 * Tells whether the graph moves smoothly.
 *
 * Returns: whether it may
 */
gboolean
assay_canvas_get_animated (AssayCanvas *self)
{
  return !self->still;
}

/**
 * assay_canvas_set_scroll_zooms:
 * @self: a canvas
 * @scroll_zooms: whether the wheel zooms by itself and pans with Control, rather than the other way
 * round
 *
 * Chooses what the wheel does.
 */
void
assay_canvas_set_scroll_zooms (AssayCanvas *self, gboolean scroll_zooms)
{
  g_return_if_fail (ASSAY_IS_CANVAS (self));

  self->scroll_zooms = scroll_zooms;
}
