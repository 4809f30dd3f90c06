/* assay-canvas-input.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Pointer, keys, actions, and what a screen reader is told.
 */
#include "ui/canvas/assay-canvas-private.h"

#include <math.h>

#include "base/assay-sentence.h"
#include "nnir/text/assay-text.h"
#include "ui/window/assay-action.h"

#define ZOOM_STEP 1.2
#define DRAG_FROM 4.0

/* The blocks that are equal to the one around the selection. */
void
assay_canvas_find_equal (AssayCanvas *self, AssayEqualBlocks *blocks)
{
  *blocks = (AssayEqualBlocks){ 0 };
  if (self->view != NULL && self->selection != 0)
    assay_scope_tree_find_equal (self->tree, self->verdicts->graph, self->selection, 1, blocks);
}

/* What the selected box is, and where it stands among equal blocks. */
static char *
describe_selected (AssayCanvas *self, guint32 index)
{
  g_autofree char *words = assay_scene_describe_box (self->view, index);
  AssayEqualBlocks blocks;

  assay_canvas_find_equal (self, &blocks);

  return blocks.n > 1
             ? g_strdup_printf ("%s, block %u of %u equal", words, blocks.index + 1, blocks.n)
             : g_steal_pointer (&words);
}

/* What is said of the canvas: its selected box, or how much there is. */
char *
assay_canvas_dup_label (AssayCanvas *self)
{
  guint32 index = self->view == NULL ? ASSAY_NO_BOX
                                     : assay_view_find_node (self->view, self->selection);

  if (index != ASSAY_NO_BOX)
    return describe_selected (self, index);
  if (self->view != NULL)
    return g_strdup_printf (assay_graph_n_nodes (self->verdicts->graph) == 2
                                ? "Graph, %u node, nothing selected"
                                : "Graph, %u node%s, nothing selected",
                            assay_graph_n_nodes (self->verdicts->graph) - 1,
                            assay_plural (assay_graph_n_nodes (self->verdicts->graph) - 1));

  return g_strdup ("Graph");
}

/* Drawn nodes are no accessible objects in 4.8; the label of the canvas says the selected one, and
 * readers speak the change. */
void
assay_canvas_update_label (AssayCanvas *self)
{
  g_autofree char *text = assay_canvas_dup_label (self);

  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
}

/* The frame whose header is at a pixel; headers lie over boxes. */
static guint32
header_at (AssayCanvas *self, double x, double y)
{
  double unit_x, unit_y, left, top;

  if (self->view == NULL || self->look.detail > ASSAY_DETAIL_TITLE)
    return ASSAY_NO_BOX;

  assay_canvas_to_units (self, x, y, &unit_x, &unit_y);
  assay_canvas_to_units (self, 0, 0, &left, &top);

  return assay_view_hit_frame (self->view, unit_x, unit_y, top);
}

/* What is said of the header at a pixel: the whole path, and what is inside. */
char *
assay_canvas_describe_header (AssayCanvas *self, double x, double y)
{
  guint32 index = header_at (self, x, y);
  g_autofree char *words = NULL;

  if (index == ASSAY_NO_BOX)
    return NULL;

  words = assay_scene_describe_frame (self->view, index);

  return g_strconcat (words, ". Click to fold", NULL);
}

/* What a box is, and below it what colours it, for which a narrow one may have no room. */
char *
assay_canvas_describe_box (AssayCanvas *self, guint32 index)
{
  const AssayViewBox *box = assay_view_box (self->view, index);
  g_autofree char *words = assay_scene_describe_box (self->view, index);
  g_autofree char *overlay = NULL;
  g_autofree char *shown = NULL;

  if (self->overlay != NULL && box->kind == ASSAY_BOX_NODE)
    overlay = assay_overlay_describe (self->overlay, box->node);
  if (overlay == NULL)
    return g_steal_pointer (&words);

  shown = assay_sentence_dup_shown (overlay);
  return g_strconcat (words, "\n", shown, NULL);
}

static guint32
box_at (AssayCanvas *self, double x, double y)
{
  double unit_x, unit_y;

  if (self->view == NULL || header_at (self, x, y) != ASSAY_NO_BOX)
    return ASSAY_NO_BOX;

  assay_canvas_to_units (self, x, y, &unit_x, &unit_y);

  return assay_view_hit (self->view, unit_x, unit_y);
}

static guint
node_at (AssayCanvas *self, double x, double y)
{
  guint32 index = box_at (self, x, y);

  return index == ASSAY_NO_BOX ? 0 : assay_view_box (self->view, index)->node;
}

static guint32
stub_at (AssayCanvas *self, double x, double y)
{
  double unit_x, unit_y;

  if (self->view == NULL)
    return ASSAY_NO_BOX;

  assay_canvas_to_units (self, x, y, &unit_x, &unit_y);

  return assay_view_hit_stub (self->view, unit_x, unit_y);
}

static void
select_box (AssayCanvas *self, guint32 index)
{
  assay_canvas_set_selection (self, assay_view_box (self->view, index)->node);
  assay_canvas_show_box (self, index);
}

/* Goes to the other end of a stub. */
static gboolean
jump (AssayCanvas *self, guint32 stub)
{
  guint32 end = stub == ASSAY_NO_BOX ? ASSAY_NO_BOX : assay_view_stub_end (self->view, stub);

  if (end == ASSAY_NO_BOX)
    return FALSE;

  assay_canvas_set_hover_stub (self, 0);
  if (assay_view_box (self->view, end)->node != 0)
    assay_canvas_set_selection (self, assay_view_box (self->view, end)->node);
  assay_canvas_show_box (self, end);

  return TRUE;
}

static guint32
selected_box (AssayCanvas *self)
{
  return self->view == NULL ? ASSAY_NO_BOX : assay_view_find_node (self->view, self->selection);
}

/* With nothing selected a move begins at what is nearest to the middle. */
static gboolean
begin_move (AssayCanvas *self)
{
  double x, y;
  guint32 index;

  if (self->view == NULL || selected_box (self) != ASSAY_NO_BOX)
    return self->view == NULL;

  assay_canvas_to_units (self, gtk_widget_get_width (GTK_WIDGET (self)) / 2.0,
                         gtk_widget_get_height (GTK_WIDGET (self)) / 2.0, &x, &y);
  index = assay_view_nearest (self->view, x, y);
  if (index != ASSAY_NO_BOX && assay_view_box (self->view, index)->node != 0)
    select_box (self, index);

  return TRUE;
}

static void
first_reader_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  AssayCanvas *self = user_data;
  guint32 best = ASSAY_NO_BOX;
  const AssayViewBox *box;

  if (begin_move (self))
    return;

  box = assay_view_box (self->view, selected_box (self));
  for (guint32 n = box->first_net; n < box->first_net + box->n_nets; n++)
    {
      const AssayViewNet *net = assay_view_net (self->view, n);

      for (guint32 k = net->first_edge; k < net->first_edge + net->n_edges; k++)
        if (assay_view_box (self->view, assay_view_edge (self->view, k)->target)->node != 0)
          best = MIN (best, assay_view_edge (self->view, k)->target);
    }
  if (best != ASSAY_NO_BOX)
    select_box (self, best);
}

static void
first_producer_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  AssayCanvas *self = user_data;
  guint32 best = ASSAY_NO_BOX;
  const AssayViewBox *box;

  if (begin_move (self))
    return;

  /* The first operand, which is the leftmost line less often than the nearest box above. */
  box = assay_view_box (self->view, selected_box (self));
  for (guint32 k = box->first_in; k < box->first_in + box->n_in; k++)
    {
      const AssayViewEdge *edge = assay_view_edge (
          self->view, g_array_index (self->view->in_edges, guint32, k));
      guint32 source = assay_view_net (self->view, edge->net)->source;

      if (assay_view_box (self->view, source)->node != 0 && (best == ASSAY_NO_BOX || source > best))
        best = source;
    }
  if (best != ASSAY_NO_BOX)
    select_box (self, best);
}

static void
move_in_rank (AssayCanvas *self, int step)
{
  const AssayViewRank *rank;
  const AssayViewBox *box;
  guint32 selected;
  gint64 at = -1;

  if (begin_move (self))
    return;

  selected = selected_box (self);
  box = assay_view_box (self->view, selected);
  rank = assay_view_rank (self->view, box->rank);
  for (guint32 i = 0; i < rank->n; i++)
    if (g_array_index (self->view->rank_order, guint32, rank->first + i) == selected)
      at = i;

  for (at += step; at >= 0 && at < rank->n; at += step)
    {
      guint32 index = g_array_index (self->view->rank_order, guint32, rank->first + (guint32) at);

      if (assay_view_box (self->view, index)->node != 0)
        {
          select_box (self, index);
          return;
        }
    }
}

static void
left_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  move_in_rank (user_data, -1);
}

static void
right_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  move_in_rank (user_data, 1);
}

static void
fit_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  assay_canvas_fit (user_data);
}

static void
fit_selection_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  assay_canvas_fit_selection (user_data);
}

static void
zoom_in_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  assay_canvas_set_zoom (user_data, assay_canvas_get_zoom (user_data) * ZOOM_STEP);
}

static void
zoom_out_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  assay_canvas_set_zoom (user_data, assay_canvas_get_zoom (user_data) / ZOOM_STEP);
}

static void
zoom_normal_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  assay_canvas_set_zoom (user_data, 1);
}

static void
unfold_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  AssayCanvas *self = user_data;

  if (self->hover_stub != 0 && jump (self, self->hover_stub - 1))
    return;
  if (!assay_canvas_open_selection (self) && self->selection != 0)
    assay_canvas_activate (self, self->selection);
}

static void
fold_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  assay_canvas_close_selection (user_data);
}

static void
fold_all_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  assay_canvas_fold_all (user_data);
}

/* The first stub of the selected node: those of its operands come before the one of its result. */
static void
jump_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  AssayCanvas *self = user_data;
  guint32 index = selected_box (self);
  const AssayViewBox *box;

  if (index == ASSAY_NO_BOX)
    return;

  box = assay_view_box (self->view, index);
  if (box->n_stubs > 0)
    jump (self, box->first_stub);
}

/* The stub under the pointer, else the first one of the selected node; of a node without stubs
 * whose edges were drawn before, those become stubs again. */
static void
show_edge_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  AssayCanvas *self = user_data;
  guint32 index = selected_box (self);
  const AssayViewBox *box = index != ASSAY_NO_BOX ? assay_view_box (self->view, index) : NULL;
  guint32 stub = self->hover_stub != 0             ? self->hover_stub - 1
                 : box != NULL && box->n_stubs > 0 ? box->first_stub
                                                   : ASSAY_NO_BOX;

  if (stub != ASSAY_NO_BOX)
    {
      assay_canvas_show_edge (self, g_array_index (self->view->stubs, AssayViewStub, stub).value);
      return;
    }

  for (guint32 k = 0; self->drawn != NULL && box != NULL && k < box->n_in + box->n_nets; k++)
    {
      guint32 net = k < box->n_nets
                        ? box->first_net + k
                        : assay_view_edge (self->view,
                                           g_array_index (self->view->in_edges, guint32,
                                                          box->first_in + k - box->n_nets))
                              ->net;

      if (self->drawn[assay_view_net (self->view, net)->value])
        {
          assay_canvas_show_edge (self, assay_view_net (self->view, net)->value);
          return;
        }
    }
}

/* Goes to the same place of another block that is equal, and says which one it is. */
static void
go_to_equal (AssayCanvas *self, int direction)
{
  AssayEqualBlocks blocks;

  if (self->view == NULL || self->selection == 0)
    return;

  assay_scope_tree_find_equal (self->tree, self->verdicts->graph, self->selection, direction,
                               &blocks);
  if (blocks.node == ASSAY_NO_NODE)
    return;

  assay_canvas_set_selection (self, blocks.node);
  assay_canvas_show_box (self, selected_box (self));
}

static void
next_equal_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  go_to_equal (user_data, 1);
}

static void
previous_equal_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  go_to_equal (user_data, -1);
}

static void
unfold_all_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  assay_canvas_unfold_all (user_data);
}

static void
toggle (AssayCanvas *self, gboolean *shown)
{
  *shown = !*shown;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
fan_in_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  toggle (user_data, &ASSAY_CANVAS (user_data)->show_fan_in);
}

static void
fan_out_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  toggle (user_data, &ASSAY_CANVAS (user_data)->show_fan_out);
}

static void
copy_name_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  AssayCanvas *self = user_data;

  if (self->selection != 0)
    gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)),
                            assay_graph_node (self->verdicts->graph, self->selection)->name);
}

static void
copy_nnir_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  AssayCanvas *self = user_data;
  g_autoptr (GString) text = g_string_new (NULL);

  if (self->selection == 0)
    return;

  assay_graph_node_to_text (self->verdicts->graph, self->selection, text);
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), text->str);
}

/* Where a menu of the canvas points to: the selected node, or the middle. */
static void
popup_menu (AssayCanvas *self, double x, double y)
{
  GdkRectangle at = { (int) x, (int) y, 1, 1 };

  if (self->menu == NULL)
    {
      g_autoptr (GMenuModel) menu = assay_action_new_node_menu ();

      self->menu = gtk_popover_menu_new_from_model (menu);
      gtk_popover_set_has_arrow (GTK_POPOVER (self->menu), FALSE);
      gtk_widget_set_halign (self->menu, GTK_ALIGN_START);
      gtk_widget_set_parent (self->menu, GTK_WIDGET (self));
    }

  gtk_popover_set_pointing_to (GTK_POPOVER (self->menu), &at);
  gtk_popover_popup (GTK_POPOVER (self->menu));
}

static void
menu_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  AssayCanvas *self = user_data;
  guint32 index = selected_box (self);
  double x = gtk_widget_get_width (GTK_WIDGET (self)) / 2.0;
  double y = gtk_widget_get_height (GTK_WIDGET (self)) / 2.0;

  if (index != ASSAY_NO_BOX)
    {
      const AssayViewBox *box = assay_view_box (self->view, index);
      double scale = assay_canvas_get_scale (self);

      assay_canvas_get_origin (self, &x, &y);
      x += (box->x + box->width / 2) * scale;
      y += (box->y + box->height) * scale;
    }
  popup_menu (self, x, y);
}

static const GActionEntry action_entries[] = {
  { "fit", fit_action },
  { "fit-selection", fit_selection_action },
  { "zoom-in", zoom_in_action },
  { "zoom-out", zoom_out_action },
  { "zoom-normal", zoom_normal_action },
  { "unfold", unfold_action },
  { "fold", fold_action },
  { "fold-all", fold_all_action },
  { "unfold-all", unfold_all_action },
  { "jump", jump_action },
  { "show-edge", show_edge_action },
  { "next-equal", next_equal_action },
  { "previous-equal", previous_equal_action },
  { "first-reader", first_reader_action },
  { "first-producer", first_producer_action },
  { "left", left_action },
  { "right", right_action },
  { "fan-in", fan_in_action },
  { "fan-out", fan_out_action },
  { "copy-name", copy_name_action },
  { "copy-nnir", copy_nnir_action },
  { "menu", menu_action },
};

/* Single letters count only while the canvas has the focus. */
static gboolean
key_pressed_cb (GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state,
                AssayCanvas *self)
{
  return assay_action_press_key (GTK_WIDGET (self), "graph.", key, state);
}

static gboolean
scroll_cb (GtkEventControllerScroll *controller, double dx, double dy, AssayCanvas *self)
{
  GdkModifierType state = gtk_event_controller_get_current_event_state (
      GTK_EVENT_CONTROLLER (controller));
  gboolean smooth = gtk_event_controller_scroll_get_unit (controller) == GDK_SCROLL_UNIT_SURFACE;

  if (((state & GDK_CONTROL_MASK) != 0) == self->scroll_zooms)
    return GDK_EVENT_PROPAGATE;

  assay_canvas_zoom_at (self, self->zoom * pow (ZOOM_STEP, smooth ? -dy / 40 : -dy),
                        self->pointer_x, self->pointer_y);

  return GDK_EVENT_STOP;
}

static void
motion_cb (GtkEventControllerMotion *controller, double x, double y, AssayCanvas *self)
{
  self->pointer_x = x;
  self->pointer_y = y;
  if (!self->dragging)
    {
      gtk_widget_set_cursor_from_name (GTK_WIDGET (self),
                                       header_at (self, x, y) != ASSAY_NO_BOX ? "pointer" : NULL);
      assay_canvas_set_hover (self, node_at (self, x, y));
      assay_canvas_set_hover_stub (self, stub_at (self, x, y) + 1);
    }
}

static void
leave_cb (GtkEventControllerMotion *controller, AssayCanvas *self)
{
  assay_canvas_set_hover (self, 0);
  assay_canvas_set_hover_stub (self, 0);
}

static void
pinch_begin_cb (GtkGesture *gesture, GdkEventSequence *sequence, AssayCanvas *self)
{
  self->pinch_zoom = self->zoom;
}

static void
pinch_cb (GtkGestureZoom *gesture, double scale, AssayCanvas *self)
{
  double x = self->pointer_x;
  double y = self->pointer_y;

  gtk_gesture_get_bounding_box_center (GTK_GESTURE (gesture), &x, &y);
  assay_canvas_zoom_at (self, self->pinch_zoom * scale, x, y);
}

static void
drag_begin_cb (GtkGestureDrag *gesture, double x, double y, AssayCanvas *self)
{
  self->drag_x = self->hvalue;
  self->drag_y = self->vvalue;
}

static void
drag_update_cb (GtkGestureDrag *gesture, double dx, double dy, AssayCanvas *self)
{
  if (!self->dragging)
    {
      if (hypot (dx, dy) < DRAG_FROM)
        return;
      self->dragging = TRUE;
      assay_canvas_set_hover (self, 0);
      gtk_widget_set_cursor_from_name (GTK_WIDGET (self), "grabbing");
      gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
    }
  assay_canvas_scroll_to (self, self->drag_x - dx, self->drag_y - dy, FALSE);
}

static void
drag_end_cb (GtkGestureDrag *gesture, double dx, double dy, AssayCanvas *self)
{
  self->dragging = FALSE;
  gtk_widget_set_cursor (GTK_WIDGET (self), NULL);
}

static void
pressed_cb (GtkGestureClick *gesture, int n_press, double x, double y, AssayCanvas *self)
{
  guint button = gtk_gesture_single_get_current_button (GTK_GESTURE_SINGLE (gesture));
  guint node = node_at (self, x, y);

  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (button == GDK_BUTTON_SECONDARY)
    {
      if (node != 0)
        assay_canvas_set_selection (self, node);
      popup_menu (self, x, y);
    }
  else if (button == GDK_BUTTON_PRIMARY && n_press == 2 && node != 0)
    gtk_widget_activate_action (GTK_WIDGET (self), "graph.unfold", NULL);
}

static void
released_cb (GtkGestureClick *gesture, int n_press, double x, double y, AssayCanvas *self)
{
  guint32 header = header_at (self, x, y);

  if (gtk_gesture_single_get_current_button (GTK_GESTURE_SINGLE (gesture)) != GDK_BUTTON_PRIMARY ||
      n_press != 1 || self->dragging)
    return;

  if (header != ASSAY_NO_BOX)
    assay_canvas_fold_frame (self, header);
  else if (!jump (self, stub_at (self, x, y)))
    assay_canvas_set_selection (self, node_at (self, x, y));
}

/* The window may hold the group longer than the canvas lives. */
void
assay_canvas_finish_input (AssayCanvas *self)
{
  for (guint i = 0; self->actions != NULL && i < G_N_ELEMENTS (action_entries); i++)
    g_action_map_remove_action (G_ACTION_MAP (self->actions), action_entries[i].name);
  g_clear_object (&self->actions);
}

void
assay_canvas_init_input (AssayCanvas *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  GtkEventController *controller;
  GtkGesture *gesture;

  self->actions = g_simple_action_group_new ();
  g_action_map_add_action_entries (G_ACTION_MAP (self->actions), action_entries,
                                   G_N_ELEMENTS (action_entries), self);
  gtk_widget_insert_action_group (widget, "graph", G_ACTION_GROUP (self->actions));

  controller = gtk_event_controller_key_new ();
  g_signal_connect (controller, "key-pressed", G_CALLBACK (key_pressed_cb), self);
  gtk_widget_add_controller (widget, controller);

  controller = gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
  g_signal_connect (controller, "scroll", G_CALLBACK (scroll_cb), self);
  gtk_widget_add_controller (widget, controller);

  controller = gtk_event_controller_motion_new ();
  g_signal_connect (controller, "motion", G_CALLBACK (motion_cb), self);
  g_signal_connect (controller, "leave", G_CALLBACK (leave_cb), self);
  gtk_widget_add_controller (widget, controller);

  gesture = gtk_gesture_zoom_new ();
  g_signal_connect (gesture, "begin", G_CALLBACK (pinch_begin_cb), self);
  g_signal_connect (gesture, "scale-changed", G_CALLBACK (pinch_cb), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (gesture));

  for (guint button = GDK_BUTTON_PRIMARY; button <= GDK_BUTTON_MIDDLE; button++)
    {
      gesture = gtk_gesture_drag_new ();
      gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (gesture), button);
      g_signal_connect (gesture, "drag-begin", G_CALLBACK (drag_begin_cb), self);
      g_signal_connect (gesture, "drag-update", G_CALLBACK (drag_update_cb), self);
      g_signal_connect (gesture, "drag-end", G_CALLBACK (drag_end_cb), self);
      gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (gesture));
    }

  gesture = gtk_gesture_click_new ();
  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (gesture), 0);
  g_signal_connect (gesture, "pressed", G_CALLBACK (pressed_cb), self);
  g_signal_connect (gesture, "released", G_CALLBACK (released_cb), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (gesture));
}
