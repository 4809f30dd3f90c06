/* assay-memory-chart.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/memory/assay-memory-chart.h"

#include "base/assay-sentence.h"
#include "draw/assay-memory-scene.h"
#include "ui/window/assay-action.h"
#include "ui/canvas/assay-painter.h"
#include "ui/tensor/assay-tensor-item.h"
#include "ui/window/assay-export-menu.h"
#include "ui/window/assay-ui.h"
#include "ui/window/assay-watchdog.h"

#define ZOOM_STEP 1.25

struct _AssayMemoryChart
{
  GtkWidget parent_instance;

  AssaySession *session;
  AssayMemoryMap *map;
  AssayMemoryLook look;
  AssayPainter *painter;
  AssayPalette palette;
  GskRenderNode *node;  /* all but the marks */
  GskRenderNode *names; /* lies over the marks */
  guint builds;
  gboolean moving;
  double pointer_x;
  double pointer_y;
};

G_DEFINE_FINAL_TYPE (AssayMemoryChart, assay_memory_chart, GTK_TYPE_WIDGET)

static AssayCompilation *
get_compilation (AssayMemoryChart *self)
{
  return self->session != NULL ? assay_session_get_compilation (self->session) : NULL;
}

static void
forget (AssayMemoryChart *self)
{
  g_clear_pointer (&self->node, gsk_render_node_unref);
  g_clear_pointer (&self->names, gsk_render_node_unref);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static gboolean
is_map (AssayMemoryChart *self)
{
  return self->map != NULL && assay_memory_map_has_steps (self->map, self->look.store);
}

/* Readers speak the label of what has the focus, so the label says where the playhead is. */
static void
update_label (AssayMemoryChart *self)
{
  AssayCompilation *compilation = get_compilation (self);
  g_autofree char *shown = NULL;

  if (is_map (self))
    {
      g_autofree char *label = NULL;
      g_autofree char *core = self->map->n_cores > 1
                                  ? g_strdup_printf (" of core %u", self->look.core)
                                  : g_strdup ("");
      const AssayMemoryUse *use = assay_memory_map_get_use (self->map, self->look.core,
                                                            self->look.store);
      guint32 step = MIN (assay_compilation_get_playhead (compilation), self->map->n_steps - 1);

      label = g_strdup_printf ("Memory%s, step %u, %u of %u block%s in use", core, step,
                               use->used != NULL ? use->used[step] : 0, use->depth,
                               assay_plural (use->depth));
      shown = assay_sentence_dup_shown (label);
    }

  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  shown != NULL ? shown : "Weight stores", -1);
}

static void
marks_changed_cb (AssayMemoryChart *self)
{
  update_label (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
fit (AssayMemoryChart *self)
{
  if (is_map (self))
    {
      self->look.core = MIN (assay_compilation_get_core (get_compilation (self)),
                             self->map->n_cores - 1);
      assay_memory_look_fit (&self->look, self->map);
    }
  update_label (self);
  forget (self);
}

static void
program_changed_cb (AssayMemoryChart *self)
{
  AssayMemoryMap *map = assay_compilation_get_memory (get_compilation (self));

  if (map == self->map)
    return;

  g_clear_pointer (&self->map, assay_memory_map_unref);
  if (map != NULL)
    self->map = assay_memory_map_ref (map);
  fit (self);
}

/**
 * assay_memory_chart_list_selected:
 * @self: a chart
 *
 * Lists the tensors that are selected: all vectors of the one that was clicked, and all that
 * the selected node makes.
 *
 * Returns: (transfer full) (element-type guint32): rows of the plan
 */
GArray *
assay_memory_chart_list_selected (AssayMemoryChart *self)
{
  AssayCompilation *compilation = get_compilation (self);
  guint32 chosen = assay_compilation_get_tensor (compilation);
  GArray *selected = g_array_new (FALSE, FALSE, sizeof (guint32));

  if (self->map == NULL)
    return selected;

  for (guint32 i = 0; i < assay_program_get_facts (self->map->program)->tensors->len; i++)
    {
      const AssayPlanned *planned = assay_memory_map_get_tensor (self->map, i);

      if ((chosen != ASSAY_NO_TENSOR && assay_memory_map_is_one_tensor (self->map, i, chosen)) ||
          assay_session_is_selected (self->session,
                                     assay_compilation_get_node_name (compilation, planned->node)))
        g_array_append_val (selected, i);
    }

  return selected;
}

static void
assay_memory_chart_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  ASSAY_WATCH ("memory chart");
  AssayMemoryChart *self = ASSAY_MEMORY_CHART (widget);
  double unit = self->palette.unit;
  double width = gtk_widget_get_width (widget) / unit;
  double height = gtk_widget_get_height (widget) / unit;
  g_autoptr (AssayDisplayList) list = assay_display_list_new ();

  if (self->map == NULL || width < 1 || height < 1)
    return;

  if (self->node == NULL || width != self->look.width || height != self->look.height)
    {
      self->look.width = width;
      self->look.height = height;
      if (is_map (self))
        assay_memory_scene_draw (self->map, &self->look, list);
      else
        assay_memory_scene_draw_weights (self->map, width, height, list);
      g_clear_pointer (&self->node, gsk_render_node_unref);
      self->node = assay_painter_paint (self->painter, list, 0, 0);
      assay_display_list_clear (list);
      g_clear_pointer (&self->names, gsk_render_node_unref);
      if (is_map (self))
        assay_memory_scene_draw_names (self->map, &self->look, list);
      self->names = assay_painter_paint (self->painter, list, 0, 0);
      assay_display_list_clear (list);
      self->builds++;
    }

  gtk_snapshot_save (snapshot);
  gtk_snapshot_scale (snapshot, (float) unit, (float) unit);
  if (self->node != NULL)
    gtk_snapshot_append_node (snapshot, self->node);
  if (is_map (self))
    {
      g_autoptr (GArray) selected = assay_memory_chart_list_selected (self);
      g_autoptr (GskRenderNode) marks = NULL;

      assay_memory_scene_draw_marks (
          self->map, &self->look, assay_compilation_get_playhead (get_compilation (self)),
          assay_compilation_get_pinned (get_compilation (self)), selected, list);
      marks = assay_painter_paint (self->painter, list, 0, 0);
      if (marks != NULL)
        gtk_snapshot_append_node (snapshot, marks);
    }
  if (self->names != NULL)
    gtk_snapshot_append_node (snapshot, self->names);
  gtk_snapshot_restore (snapshot);
}

static void
assay_memory_chart_measure (GtkWidget *widget, GtkOrientation orientation, int for_size,
                            int *minimum, int *natural, int *minimum_baseline,
                            int *natural_baseline)
{
  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL
                 ? 320
                 : (int) ceil (160 * ASSAY_MEMORY_CHART (widget)->palette.unit);
  *natural = MAX (*minimum, orientation == GTK_ORIENTATION_HORIZONTAL ? 640 : 380);
}

static void
assay_memory_chart_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  AssayMemoryChart *self = ASSAY_MEMORY_CHART (widget);
  const PangoFontDescription *font;

  GTK_WIDGET_CLASS (assay_memory_chart_parent_class)->css_changed (widget, change);

  if (!assay_palette_load (&self->palette, widget))
    return;

  font = pango_context_get_font_description (gtk_widget_get_pango_context (widget));
  assay_painter_set_palette (self->painter, &self->palette);
  assay_painter_set_family (self->painter, pango_font_description_get_family (font));
  forget (self);
  gtk_widget_queue_resize (widget);
}

static AssayMemoryPart
locate (AssayMemoryChart *self, double x, double y, guint32 *step, guint32 *tensor)
{
  guint32 block;
  AssayMemoryPart part = assay_memory_look_locate (&self->look, self->map, x / self->palette.unit,
                                                   y / self->palette.unit, step, &block);

  if (part == ASSAY_MEMORY_PART_SECTION)
    *step = assay_compilation_get_playhead (get_compilation (self));
  *tensor = part == ASSAY_MEMORY_PART_MAP || part == ASSAY_MEMORY_PART_SECTION
                ? assay_memory_scene_find (self->map, &self->look, *step, block)
                : ASSAY_NO_TENSOR;

  return part;
}

/* The node follows the tensor, so that graph and inspector show who makes it. */
static void
select_tensor (AssayMemoryChart *self, guint32 tensor)
{
  AssayCompilation *compilation = get_compilation (self);
  const char *name = tensor == ASSAY_NO_TENSOR
                         ? ""
                         : assay_compilation_get_node_name (
                               compilation, assay_memory_map_get_tensor (self->map, tensor)->node);

  if (*name == '\0' || !assay_session_select_name (self->session, name))
    assay_session_set_selection (self->session, ASSAY_NO_NODE);
  assay_compilation_set_tensor (compilation, tensor);
}

static void
pressed_cb (GtkGestureClick *gesture, int n_press, double x, double y, AssayMemoryChart *self)
{
  guint32 step, tensor;

  if (n_press == 2 && is_map (self) &&
      locate (self, x, y, &step, &tensor) != ASSAY_MEMORY_PART_NONE && tensor != ASSAY_NO_TENSOR)
    gtk_widget_activate_action (GTK_WIDGET (self), "win.page", "s", "graph");
}

static void
move_playhead (AssayMemoryChart *self, guint32 step)
{
  gtk_widget_activate_action (GTK_WIDGET (self), "memory.playhead", "i",
                              (gint32) MIN (step, G_MAXINT32));
}

static void
drag_begin_cb (GtkGestureDrag *gesture, double x, double y, AssayMemoryChart *self)
{
  guint32 step, tensor;

  self->moving = FALSE;
  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (!is_map (self))
    return;

  switch (locate (self, x, y, &step, &tensor))
    {
    case ASSAY_MEMORY_PART_TOTAL:
      self->moving = TRUE;
      move_playhead (self, step);
      break;
    case ASSAY_MEMORY_PART_MAP:
    case ASSAY_MEMORY_PART_SECTION:
      select_tensor (self, tensor);
      break;
    case ASSAY_MEMORY_PART_NONE:
      break;
    }
}

static void
drag_update_cb (GtkGestureDrag *gesture, double dx, double dy, AssayMemoryChart *self)
{
  double x, y;
  guint32 step, tensor;

  if (!self->moving || !is_map (self) || !gtk_gesture_drag_get_start_point (gesture, &x, &y))
    return;

  locate (self, x + dx, y, &step, &tensor);
  move_playhead (self, step);
}

static void
motion_cb (GtkEventControllerMotion *controller, double x, double y, AssayMemoryChart *self)
{
  self->pointer_x = x;
  self->pointer_y = y;
}

/* Keeps what is under the pointer where it is. */
static void
zoom (double *first, double *end, double least, double most, double at, double factor)
{
  double range = CLAMP ((*end - *first) * factor, least, most);
  double share = (at - *first) / MAX (*end - *first, 1e-6);

  *first = CLAMP (at - share * range, 0, most - range);
  *end = *first + range;
}

static gboolean
scroll_cb (GtkEventControllerScroll *controller, double dx, double dy, AssayMemoryChart *self)
{
  GdkModifierType state = gtk_event_controller_get_current_event_state (
      GTK_EVENT_CONTROLLER (controller));
  double factor = dx + dy > 0 ? ZOOM_STEP : 1 / ZOOM_STEP;
  guint32 step, block;

  if (!is_map (self))
    return FALSE;

  assay_memory_look_locate (&self->look, self->map, self->pointer_x / self->palette.unit,
                            self->pointer_y / self->palette.unit, &step, &block);
  if ((state & GDK_CONTROL_MASK) == 0)
    return FALSE;

  if ((state & GDK_SHIFT_MASK) != 0)
    assay_memory_chart_zoom (self, TRUE, block, factor);
  else
    assay_memory_chart_zoom (self, FALSE, step, factor);
  return TRUE;
}

static gboolean
key_cb (GtkEventControllerKey *controller, guint keyval, guint keycode, GdkModifierType state,
        AssayMemoryChart *self)
{
  return assay_action_press_key (GTK_WIDGET (self), "memory.", keyval, state);
}

static gboolean
query_tooltip_cb (AssayMemoryChart *self, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  AssayCompilation *compilation = get_compilation (self);
  const AssayPlanned *planned;
  const char *reader, *maker;
  guint32 step, tensor;
  g_autofree char *text = NULL;
  g_autofree char *copies = NULL;
  g_autofree char *life = NULL;
  g_autofree char *size = NULL;
  g_autofree char *base = NULL;
  g_autofree char *born = NULL;
  g_autofree char *died = NULL;

  if (!is_map (self) || keyboard || locate (self, x, y, &step, &tensor) == ASSAY_MEMORY_PART_NONE ||
      tensor == ASSAY_NO_TENSOR)
    return FALSE;

  planned = assay_memory_map_get_tensor (self->map, tensor);
  reader = assay_compilation_get_node_name (compilation, planned->reader);
  born = assay_ui_format_count (planned->born);
  died = assay_ui_format_count (planned->died);
  life = planned->died == G_MAXUINT32 ? g_strdup ("lives between inferences")
                                      : g_strdup_printf ("steps %s to %s", born, died);
  maker = assay_compilation_get_node_name (compilation, planned->node);
  copies = assay_tensor_describe_copies (self->map, &tensor, 1);
  size = assay_ui_format_blocks (planned->blocks,
                                 assay_program_get_block_bytes (self->map->program));
  base = assay_ui_format_count (planned->base);
  text = g_strdup_printf (
      "%s\n%s, %s\naddress %s (0x%x), %s%s%s%s%s%s%s%s%s", planned->name,
      assay_memory_kind_name (planned->kind), size, base, planned->base, life,
      *maker != '\0' ? "\nmade by " : "", maker, *reader != '\0' ? "\nlast read by " : "", reader,
      *copies != '\0' ? "\ncopies on " : "", copies, planned->note != NULL ? "\n" : "",
      planned->note != NULL ? planned->note : "");
  gtk_tooltip_set_text (tooltip, text);
  return TRUE;
}

static void
assay_memory_chart_dispose (GObject *object)
{
  AssayMemoryChart *self = ASSAY_MEMORY_CHART (object);

  g_clear_pointer (&self->node, gsk_render_node_unref);
  g_clear_pointer (&self->names, gsk_render_node_unref);
  g_clear_pointer (&self->map, assay_memory_map_unref);
  g_clear_pointer (&self->painter, assay_painter_free);
  g_clear_object (&self->session);

  G_OBJECT_CLASS (assay_memory_chart_parent_class)->dispose (object);
}

static void
assay_memory_chart_class_init (AssayMemoryChartClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_memory_chart_dispose;
  widget_class->snapshot = assay_memory_chart_snapshot;
  widget_class->measure = assay_memory_chart_measure;
  widget_class->css_changed = assay_memory_chart_css_changed;

  gtk_widget_class_set_css_name (widget_class, "memorychart");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
assay_memory_chart_init (AssayMemoryChart *self)
{
  GtkGesture *drag = gtk_gesture_drag_new ();
  GtkGesture *click = gtk_gesture_click_new ();
  GtkEventController *scroll = gtk_event_controller_scroll_new (
      GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkEventController *key = gtk_event_controller_key_new ();

  self->painter = assay_painter_new ();
  self->look.store = ASSAY_NO_STORE;
  self->look.hexadecimal = assay_ui_counts_in_hexadecimal ();
  assay_palette_init_default (&self->palette, FALSE, FALSE);
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  assay_export_menu_add_picture (GTK_WIDGET (self));
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), TRUE);
  g_signal_connect (self, "query-tooltip", G_CALLBACK (query_tooltip_cb), NULL);

  g_signal_connect (drag, "drag-begin", G_CALLBACK (drag_begin_cb), self);
  g_signal_connect (drag, "drag-update", G_CALLBACK (drag_update_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drag));
  g_signal_connect (click, "pressed", G_CALLBACK (pressed_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
  g_signal_connect (scroll, "scroll", G_CALLBACK (scroll_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), scroll);
  g_signal_connect (motion, "motion", G_CALLBACK (motion_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), motion);
  g_signal_connect (key, "key-pressed", G_CALLBACK (key_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), key);
  update_label (self);
}

void
assay_memory_chart_set_session (AssayMemoryChart *self, AssaySession *session)
{
  AssayCompilation *compilation = assay_session_get_compilation (session);

  g_set_object (&self->session, session);
  g_signal_connect_object (compilation, "notify::state", G_CALLBACK (program_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (compilation, "notify::core", G_CALLBACK (fit), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (compilation, "notify::playhead", G_CALLBACK (marks_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (compilation, "notify::pinned", G_CALLBACK (marks_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (compilation, "notify::tensor", G_CALLBACK (marks_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::selection", G_CALLBACK (marks_changed_cb), self,
                           G_CONNECT_SWAPPED);
  program_changed_cb (self);
}

/**
 * assay_memory_chart_set_store:
 * @self: a chart
 * @store: a store; one without steps shows what lies in it on all cores
 *
 * Shows another store.
 */
void
assay_memory_chart_set_store (AssayMemoryChart *self, guint store)
{
  self->look.store = store;
  fit (self);
}

/**
 * assay_memory_chart_zoom:
 * @self: a chart
 * @blocks: whether to zoom addresses rather than steps
 * @at: the step or address that stays where it is
 * @factor: what the visible range is multiplied by
 *
 * Shows less or more of a map.
 */
void
assay_memory_chart_zoom (AssayMemoryChart *self, gboolean blocks, guint32 at, double factor)
{
  AssayMemoryLook *look = &self->look;

  if (!is_map (self))
    return;

  if (blocks)
    zoom (&look->first_block, &look->end_block, 4,
          MAX (assay_memory_map_get_use (self->map, look->core, look->store)->depth, 4), at,
          factor);
  else
    zoom (&look->first_step, &look->end_step, MIN (4, self->map->n_steps), self->map->n_steps, at,
          factor);
  forget (self);
}

/**
 * assay_memory_chart_get_look:
 * @self: a chart
 *
 * Gets which part of the map is shown.
 *
 * Returns: (transfer none): the part
 */
const AssayMemoryLook *
assay_memory_chart_get_look (AssayMemoryChart *self)
{
  return &self->look;
}

/**
 * assay_memory_chart_get_builds:
 * @self: a chart
 *
 * Counts how often everything but the marks was drawn.
 *
 * Returns: the number
 */
guint
assay_memory_chart_get_builds (AssayMemoryChart *self)
{
  return self->builds;
}

/**
 * assay_memory_chart_update_format:
 * @self: a chart
 *
 * Writes addresses anew, after the user chose another base.
 */
void
assay_memory_chart_update_format (AssayMemoryChart *self)
{
  self->look.hexadecimal = assay_ui_counts_in_hexadecimal ();
  forget (self);
}
