/* assay-timeline-chart.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/timeline/assay-timeline-chart.h"

#include "base/assay-sentence.h"
#include "draw/assay-memory-scene.h"
#include "ui/window/assay-action.h"
#include "ui/canvas/assay-picture.h"
#include "ui/window/assay-export-menu.h"
#include "ui/window/assay-ui.h"

#define ZOOM_STEP 1.25
#define PAN_STEP 0.1

struct _AssayTimelineChart
{
  GtkWidget parent_instance;

  AssaySession *session;
  AssayTimeMap *map;
  AssayTimelineLook look;
  GArray *selected; /* nodes of the program */
  double pointer_x;
  gboolean fresh; /* a program whose cores are not opened yet */
  gboolean measuring;
  guint32 measured[2]; /* from, to; equal for nothing */

  GtkWidget *overlay;
  AssayPicture *lanes;
  AssayPicture *marks;
};

G_DEFINE_FINAL_TYPE (AssayTimelineChart, assay_timeline_chart, GTK_TYPE_WIDGET)

static AssayCompilation *
get_compilation (AssayTimelineChart *self)
{
  return assay_session_get_compilation (self->session);
}

/* The first cycle of the step at the playhead. */
static guint32
get_cycle (AssayTimelineChart *self)
{
  const AssayMemoryMap *memory = assay_compilation_get_memory (get_compilation (self));
  guint32 step = assay_compilation_get_playhead (get_compilation (self));

  return memory != NULL && memory->n_steps > 0 ? memory->cycles[MIN (step, memory->n_steps - 1)]
                                               : 0;
}

static void
draw_lanes (AssayDisplayList *list, double width, double height, gpointer data)
{
  AssayTimelineChart *self = data;

  self->look.width = width;
  self->look.height = height;
  /* More cores are open where there is room for them, and nothing moves by it. */
  if (self->map != NULL && self->fresh)
    {
      assay_timeline_look_open_all (&self->look, self->map);
      self->fresh = FALSE;
    }
  if (self->map != NULL)
    assay_timeline_scene_draw (self->map, &self->look, list);
}

static void
draw_marks (AssayDisplayList *list, double width, double height, gpointer data)
{
  AssayTimelineChart *self = data;

  self->look.width = width;
  self->look.height = height;
  if (self->map != NULL)
    assay_timeline_scene_draw_marks (self->map, &self->look, get_cycle (self), self->selected,
                                     list);
  if (self->map != NULL && self->measured[0] != self->measured[1])
    assay_timeline_scene_draw_range (self->map, &self->look,
                                     MIN (self->measured[0], self->measured[1]),
                                     MAX (self->measured[0], self->measured[1]), list);
}

static const char *
get_node_name (AssayTimelineChart *self, guint32 event)
{
  guint32 instruction = assay_time_map_get_event (self->map, event)->instruction;

  return assay_compilation_get_node_name (
      get_compilation (self), assay_program_get_row (self->map->program, instruction).node);
}

/* Where there is one core, none is named; what cores share belongs to none. */
static char *
dup_core (AssayTimelineChart *self, guint core)
{
  return self->map->n_cores > 1 && core < self->map->n_cores ? g_strdup_printf (" of core %u", core)
                                                             : g_strdup ("");
}

static char *
dup_place (AssayTimelineChart *self, const AssayEvent *event)
{
  g_autofree char *number = assay_ui_format_count (event->instruction);
  g_autofree char *core = dup_core (self, event->core);

  return g_strdup_printf ("instruction %s%s", number, core);
}

static void
append_wait (AssayTimelineChart *self, const AssayEvent *event, GString *text)
{
  guint32 source = event->waited_for >= 0 ? self->map->event_of[event->waited_for] : 0;
  const AssayEvent *made = source != 0 ? assay_time_map_get_event (self->map, source - 1) : NULL;
  gboolean unit = event->wait == ASSAY_WAIT_UNIT;
  guint32 waited = event->start - (unit ? event->issued : event->vacant);
  g_autofree char *cycles = assay_ui_format_count (waited);
  g_autofree char *place = made != NULL ? dup_place (self, made) : NULL;

  if (event->wait != ASSAY_WAIT_NONE)
    g_string_append_printf (text, "\nwaited %s cycle%s for %s", cycles, assay_plural (waited),
                            assay_wait_get_words ((AssayWait) event->wait));
  if (made != NULL)
    g_string_append_printf (text, "\nlast to be ready: %s, %s", place,
                            get_node_name (self, source - 1));
}

static char *
describe (double x, double y, double width, double height, gpointer data)
{
  AssayTimelineChart *self = data;
  g_autoptr (GString) text = g_string_new (NULL);
  AssayTimelinePlace place;
  const AssayEvent *event;
  const char *name;
  g_autofree char *core = NULL;
  g_autofree char *instruction = NULL;
  g_autofree char *start = NULL;
  g_autofree char *end = NULL;
  g_autofree char *ready = NULL;

  if (self->map == NULL || !assay_timeline_look_locate (&self->look, self->map, x, y, &place) ||
      place.event == ASSAY_NO_EVENT)
    return NULL;

  event = assay_time_map_get_event (self->map, place.event);
  name = get_node_name (self, place.event);
  g_string_append (text,
                   *name != '\0' ? name : assay_time_map_get_unit_name (self->map, event->unit));
  core = dup_core (self, event->core);
  instruction = assay_ui_format_count (event->instruction);
  start = assay_ui_format_count (event->start);
  end = assay_ui_format_count (event->end);
  ready = assay_ui_format_count (event->ready);
  g_string_append_printf (text, "\n%s%s, instruction %s\ncycles %s to %s, result ready at %s",
                          assay_time_map_get_unit_name (self->map, event->unit), core, instruction,
                          start, end, ready);
  append_wait (self, event, text);
  if (self->map->critical[place.event])
    g_string_append (text, "\non the critical path");

  return g_strdup (text->str);
}

/* Readers speak the label of what has the focus, so the label says where the playhead is. */
static void
update_label (AssayTimelineChart *self)
{
  guint n_cores = self->map != NULL ? self->map->n_cores : 0;
  g_autofree char *cycle = assay_ui_format_count (get_cycle (self));
  g_autofree char *cores = n_cores > 1 ? g_strdup_printf (" of %u cores, core %u chosen", n_cores,
                                                          self->look.core)
                                       : g_strdup ("");
  g_autofree char *label = g_strdup_printf ("Timeline%s, playhead at cycle %s", cores, cycle);

  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
}

static void
redraw (AssayTimelineChart *self)
{
  if (self->map != NULL)
    assay_picture_set_least_height (self->lanes,
                                    assay_timeline_look_get_height (&self->look, self->map));
  assay_picture_redraw (self->lanes);
  assay_picture_redraw (self->marks);
  update_label (self);
}

static void
playhead_changed_cb (AssayTimelineChart *self)
{
  assay_picture_redraw (self->marks);
  update_label (self);
}

static void
selection_changed_cb (AssayTimelineChart *self)
{
  g_array_set_size (self->selected, 0);
  for (guint32 i = 0;
       self->map != NULL && i < assay_program_get_facts (self->map->program)->node_names->len; i++)
    if (assay_session_is_selected (self->session,
                                   assay_compilation_get_node_name (get_compilation (self), i)))
      g_array_append_val (self->selected, i);
  assay_picture_redraw (self->marks);
}

/* What is chosen elsewhere is opened here, and nothing is closed by it. */
static void
core_changed_cb (AssayTimelineChart *self)
{
  if (self->map == NULL)
    return;

  self->look.core = MIN (assay_compilation_get_core (get_compilation (self)),
                         self->map->n_cores - 1);
  self->look.opened |= G_GUINT64_CONSTANT (1) << self->look.core;
  redraw (self);
}

static void
program_changed_cb (AssayTimelineChart *self)
{
  AssayTimeMap *map = assay_compilation_get_time (get_compilation (self));

  if (map == self->map)
    return;

  g_clear_pointer (&self->map, assay_time_map_unref);
  if (map == NULL)
    return;

  self->map = assay_time_map_ref (map);
  assay_timeline_look_fit (&self->look, map);
  self->look.opened = G_GUINT64_CONSTANT (1) << map->path_core;
  self->fresh = TRUE;
  self->measured[0] = self->measured[1] = 0;
  selection_changed_cb (self);
  core_changed_cb (self);
}

/**
 * assay_timeline_chart_press:
 * @self: a chart
 * @x: a place, in pixels
 * @y: a place, in pixels
 *
 * Does what a click does: the line of a core chooses the core and opens or closes its units, a bar
 * selects its node and moves the playhead to its step.
 */
void
assay_timeline_chart_press (AssayTimelineChart *self, double x, double y)
{
  double unit = assay_picture_get_unit (self->lanes);
  const AssayEvent *event;
  AssayTimelinePlace place;
  const char *name;

  if (self->map == NULL ||
      !assay_timeline_look_locate (&self->look, self->map, x / unit, y / unit, &place))
    return;

  if (place.is_header)
    {
      gboolean was_open = (self->look.opened >> place.core & 1) != 0;

      assay_compilation_set_core (get_compilation (self), place.core);
      if (was_open)
        self->look.opened &= ~(G_GUINT64_CONSTANT (1) << place.core);
      else
        self->look.opened |= G_GUINT64_CONSTANT (1) << place.core;
      redraw (self);
      return;
    }
  if (place.event == ASSAY_NO_EVENT)
    return;

  event = assay_time_map_get_event (self->map, place.event);
  name = get_node_name (self, place.event);
  if (*name == '\0' || !assay_session_select_name (self->session, name))
    assay_session_set_selection (self->session, ASSAY_NO_NODE);
  /* Of a node that works at several steps this is the one. */
  if (place.core < self->map->n_cores)
    assay_compilation_set_core (get_compilation (self), place.core);
  assay_compilation_set_playhead (
      get_compilation (self), assay_program_get_row (self->map->program, event->instruction).step);
}

/**
 * assay_timeline_chart_zoom:
 * @self: a chart
 * @x: the place that stays where it is, in pixels
 * @factor: what the visible range is multiplied by
 *
 * Shows fewer or more cycles.
 */
void
assay_timeline_chart_zoom (AssayTimelineChart *self, double x, double factor)
{
  AssayTimelinePlace place;

  if (self->map == NULL)
    return;

  assay_timeline_look_locate (&self->look, self->map, x / assay_picture_get_unit (self->lanes), 0,
                              &place);
  assay_timeline_look_zoom (&self->look, self->map, place.cycle, factor);
  redraw (self);
}

static guint32
find_cycle (AssayTimelineChart *self, double x)
{
  AssayTimelinePlace place;

  assay_timeline_look_locate (&self->look, self->map, x / assay_picture_get_unit (self->lanes), 0,
                              &place);
  return place.cycle;
}

/**
 * assay_timeline_chart_measure:
 * @self: a chart
 * @x1: a place, in pixels
 * @x2: another one
 *
 * Measures the cycles between two places, as a drag along the ruler does.
 */
void
assay_timeline_chart_measure (AssayTimelineChart *self, double x1, double x2)
{
  guint32 from, to;
  g_autofree char *text = NULL;

  if (self->map == NULL)
    return;

  self->measured[0] = find_cycle (self, x1);
  self->measured[1] = find_cycle (self, x2);
  assay_picture_redraw (self->marks);
  from = MIN (self->measured[0], self->measured[1]);
  to = MAX (self->measured[0], self->measured[1]);
  text = from == to ? NULL : assay_timeline_describe_range (self->map, self->look.core, from, to);
  if (text != NULL)
    gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
  else
    update_label (self);
}

static void
drag_begin_cb (GtkGestureDrag *gesture, double x, double y, AssayTimelineChart *self)
{
  double unit = assay_picture_get_unit (self->lanes);

  self->measuring = self->map != NULL &&
                    assay_timeline_look_is_ruler (&self->look, x / unit, y / unit);
  if (!self->measuring)
    {
      gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_DENIED);
      return;
    }
  assay_timeline_chart_measure (self, x, x);
}

static void
drag_update_cb (GtkGestureDrag *gesture, double dx, double dy, AssayTimelineChart *self)
{
  double x, y;

  if (self->measuring && gtk_gesture_drag_get_start_point (gesture, &x, &y))
    assay_timeline_chart_measure (self, x, x + dx);
}

static void
pressed_cb (GtkGestureClick *gesture, int n_press, double x, double y, AssayTimelineChart *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (n_press == 1)
    assay_timeline_chart_press (self, x, y);
  else if (n_press == 2 && assay_session_get_selection (self->session) != ASSAY_NO_NODE)
    gtk_widget_activate_action (GTK_WIDGET (self), "win.page", "s", "graph");
}

static void
motion_cb (GtkEventControllerMotion *controller, double x, double y, AssayTimelineChart *self)
{
  self->pointer_x = x;
}

static gboolean
scroll_cb (GtkEventControllerScroll *controller, double dx, double dy, AssayTimelineChart *self)
{
  GdkModifierType state = gtk_event_controller_get_current_event_state (
      GTK_EVENT_CONTROLLER (controller));

  if (self->map == NULL)
    return FALSE;
  if ((state & GDK_CONTROL_MASK) != 0)
    {
      assay_timeline_chart_zoom (self, self->pointer_x, dx + dy > 0 ? ZOOM_STEP : 1 / ZOOM_STEP);
      return TRUE;
    }
  if (dx == 0 && (state & GDK_SHIFT_MASK) == 0)
    return FALSE;

  assay_timeline_look_pan (&self->look, self->map, (dx + dy) * PAN_STEP);
  redraw (self);
  return TRUE;
}

static gboolean
key_cb (GtkEventControllerKey *controller, guint keyval, guint keycode, GdkModifierType state,
        AssayTimelineChart *self)
{
  return assay_action_press_key (GTK_WIDGET (self), "memory.", keyval, state);
}

static void
assay_timeline_chart_dispose (GObject *object)
{
  AssayTimelineChart *self = ASSAY_TIMELINE_CHART (object);

  g_clear_pointer (&self->overlay, gtk_widget_unparent);
  g_clear_pointer (&self->map, assay_time_map_unref);
  g_clear_pointer (&self->selected, g_array_unref);
  g_clear_object (&self->session);

  G_OBJECT_CLASS (assay_timeline_chart_parent_class)->dispose (object);
}

static void
assay_timeline_chart_class_init (AssayTimelineChartClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_timeline_chart_dispose;

  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name (widget_class, "timelinechart");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
assay_timeline_chart_init (AssayTimelineChart *self)
{
  GtkGesture *click = gtk_gesture_click_new ();
  GtkGesture *drag = gtk_gesture_drag_new ();
  GtkEventController *scroll = gtk_event_controller_scroll_new (
      GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkEventController *key = gtk_event_controller_key_new ();

  self->selected = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->overlay = gtk_overlay_new ();
  gtk_widget_set_parent (self->overlay, GTK_WIDGET (self));
  self->lanes = g_object_new (ASSAY_TYPE_PICTURE, "accessible-role",
                              GTK_ACCESSIBLE_ROLE_PRESENTATION, NULL);
  self->marks = g_object_new (ASSAY_TYPE_PICTURE, "accessible-role",
                              GTK_ACCESSIBLE_ROLE_PRESENTATION, "can-target", FALSE, NULL);
  assay_picture_set_minimum (self->lanes, 320, 120);
  assay_picture_set_functions (self->lanes, draw_lanes, describe, self);
  assay_picture_set_functions (self->marks, draw_marks, NULL, self);
  gtk_overlay_set_child (GTK_OVERLAY (self->overlay), GTK_WIDGET (self->lanes));
  gtk_overlay_add_overlay (GTK_OVERLAY (self->overlay), GTK_WIDGET (self->marks));
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  assay_export_menu_add_picture (GTK_WIDGET (self));

  g_signal_connect (click, "pressed", G_CALLBACK (pressed_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
  g_signal_connect (drag, "drag-begin", G_CALLBACK (drag_begin_cb), self);
  g_signal_connect (drag, "drag-update", G_CALLBACK (drag_update_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drag));
  g_signal_connect (scroll, "scroll", G_CALLBACK (scroll_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), scroll);
  g_signal_connect (motion, "motion", G_CALLBACK (motion_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), motion);
  g_signal_connect (key, "key-pressed", G_CALLBACK (key_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), key);
}

void
assay_timeline_chart_set_session (AssayTimelineChart *self, AssaySession *session)
{
  AssayCompilation *compilation = assay_session_get_compilation (session);

  g_set_object (&self->session, session);
  g_signal_connect_object (compilation, "notify::state", G_CALLBACK (program_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (compilation, "notify::core", G_CALLBACK (core_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (compilation, "notify::playhead", G_CALLBACK (playhead_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::selection", G_CALLBACK (selection_changed_cb), self,
                           G_CONNECT_SWAPPED);
  program_changed_cb (self);
}

/**
 * assay_timeline_chart_get_look:
 * @self: a chart
 *
 * Gets which part of the timeline is shown.
 *
 * Returns: (transfer none): the part
 */
const AssayTimelineLook *
assay_timeline_chart_get_look (AssayTimelineChart *self)
{
  return &self->look;
}
