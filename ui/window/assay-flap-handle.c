/* assay-flap-handle.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/window/assay-flap-handle.h"

#include <math.h>

/* Everything that has to be changed when flaps go: AdwFlap is deprecated from libadwaita 1.4 on. */
#define HANDLE_WIDTH 7
#define MIN_WIDTH 220
#define MAX_WIDTH 520

struct _AssayFlapHandle
{
  GtkWidget parent_instance;
  int usual;    /* width of the pane with text of the usual size */
  int own;      /* what the user set instead, 0 for nothing */
  double scale; /* of the text */
  int most;     /* what the pane may take at all */
  int start_width;
  guint changed_idle;
};

enum
{
  SIGNAL_CHANGED,
  N_SIGNALS,
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AssayFlapHandle, assay_flap_handle, GTK_TYPE_WIDGET)

/* None while the handle is made, and after it was taken out. A flap lies in another, so an ancestor
 * would be wrong. */
static AdwFlap *
get_flap (AssayFlapHandle *self)
{
  GtkWidget *parent = gtk_widget_get_parent (GTK_WIDGET (self));

  return ADW_IS_FLAP (parent) ? ADW_FLAP (parent) : NULL;
}

static void
apply_width (AssayFlapHandle *self)
{
  AdwFlap *flap = get_flap (self);
  int width = CLAMP (self->own > 0 ? self->own : self->usual, MIN_WIDTH, MAX_WIDTH);

  if (flap != NULL)
    gtk_widget_set_size_request (adw_flap_get_flap (flap),
                                 MAX (MIN ((int) lround (width * self->scale), self->most),
                                      (int) lround (MIN_WIDTH * self->scale)),
                                 -1);
}

static void
set_width (AssayFlapHandle *self, int width)
{
  self->own = MAX ((int) lround (width / self->scale), 1);
  apply_width (self);
}

static int
get_width (AssayFlapHandle *self)
{
  AdwFlap *flap = get_flap (self);
  int width = MIN_WIDTH;

  if (flap != NULL)
    gtk_widget_get_size_request (adw_flap_get_flap (flap), &width, NULL);

  return width;
}

/* 1 if moving right makes the flap wider. */
static int
get_direction (AssayFlapHandle *self)
{
  AdwFlap *flap = get_flap (self);
  gboolean at_end = flap != NULL && adw_flap_get_flap_position (flap) == GTK_PACK_END;
  gboolean rtl = gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL;

  return at_end != rtl ? -1 : 1;
}

static void
drag_begin_cb (AssayFlapHandle *self, double x, double y, GtkGesture *gesture)
{
  self->start_width = get_width (self);
  gtk_gesture_set_state (gesture, GTK_EVENT_SEQUENCE_CLAIMED);
}

/* The handle moves along with the drag, so the offset is measured against the flap. */
static void
drag_update_cb (AssayFlapHandle *self, double offset_x, double offset_y, GtkGestureDrag *gesture)
{
  int moved = get_direction (self) * (get_width (self) - self->start_width);

  set_width (self, self->start_width + get_direction (self) * ((int) offset_x + moved));
}

static gboolean
changed_idle_cb (gpointer data)
{
  AssayFlapHandle *self = data;

  self->changed_idle = 0;
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
  return G_SOURCE_REMOVE;
}

/* A flap folds, unfolds and reveals itself inside of its allocation. Who shows or hides a widget
 * then leaves others without one, and the window stays blank until something else moves. */
static void
changed_cb (AssayFlapHandle *self)
{
  if (self->changed_idle == 0)
    self->changed_idle = g_idle_add_full (G_PRIORITY_HIGH_IDLE, changed_idle_cb, self, NULL);
}

static void
parent_changed_cb (AssayFlapHandle *self)
{
  AdwFlap *flap = get_flap (self);

  if (flap == NULL)
    return;

  g_signal_connect_object (flap, "notify::reveal-flap", G_CALLBACK (changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (flap, "notify::folded", G_CALLBACK (changed_cb), self,
                           G_CONNECT_SWAPPED);
}

static void
assay_flap_handle_dispose (GObject *object)
{
  GtkWidget *child;

  g_clear_handle_id (&ASSAY_FLAP_HANDLE (object)->changed_idle, g_source_remove);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_widget_unparent (child);

  G_OBJECT_CLASS (assay_flap_handle_parent_class)->dispose (object);
}

static void
assay_flap_handle_class_init (AssayFlapHandleClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_flap_handle_dispose;

  signals[SIGNAL_CHANGED] = g_signal_new ("changed", ASSAY_TYPE_FLAP_HANDLE, G_SIGNAL_RUN_LAST, 0,
                                          NULL, NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_css_name (widget_class, "flaphandle");
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_SEPARATOR);
}

static void
assay_flap_handle_init (AssayFlapHandle *self)
{
  GtkGesture *drag = gtk_gesture_drag_new ();
  GtkWidget *line = gtk_separator_new (GTK_ORIENTATION_VERTICAL);

  self->usual = MIN_WIDTH;
  self->scale = 1;
  self->most = G_MAXINT;
  gtk_widget_set_halign (line, GTK_ALIGN_CENTER);
  gtk_widget_set_parent (line, GTK_WIDGET (self));
  gtk_widget_set_size_request (GTK_WIDGET (self), HANDLE_WIDTH, -1);
  gtk_widget_set_cursor_from_name (GTK_WIDGET (self), "col-resize");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Pane width", -1);

  g_signal_connect_swapped (drag, "drag-begin", G_CALLBACK (drag_begin_cb), self);
  g_signal_connect_swapped (drag, "drag-update", G_CALLBACK (drag_update_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drag));
  g_signal_connect (self, "notify::parent", G_CALLBACK (parent_changed_cb), NULL);
}

/**
 * assay_flap_handle_set_usual:
 * @self: a handle
 * @width: pixels with text of the usual size
 * @scale: how large the text is
 * @most: pixels that the pane may take at all
 *
 * Sets how wide the pane is; one that was dragged to another width keeps it.
 */
void
assay_flap_handle_set_usual (AssayFlapHandle *self, int width, double scale, int most)
{
  self->usual = width;
  self->scale = scale;
  self->most = most;
  apply_width (self);
}

/**
 * assay_flap_handle_set_room:
 * @self: a handle
 * @room: pixels beside the content
 *
 * Lays the pane over the content where it is wider than that; elsewhere the flap decides.
 */
void
assay_flap_handle_set_room (AssayFlapHandle *self, double room)
{
  AdwFlap *flap = get_flap (self);

  if (flap != NULL)
    adw_flap_set_fold_policy (flap, get_width (self) + HANDLE_WIDTH > room
                                        ? ADW_FLAP_FOLD_POLICY_ALWAYS
                                        : ADW_FLAP_FOLD_POLICY_AUTO);
}

/**
 * assay_flap_handle_get_shown:
 * @self: (nullable): a handle
 *
 * Tells whether the pane is seen, beside the content or over it.
 *
 * Returns: whether it is seen
 */
gboolean
assay_flap_handle_get_shown (AssayFlapHandle *self)
{
  AdwFlap *flap = self != NULL ? get_flap (self) : NULL;

  return flap != NULL && adw_flap_get_reveal_flap (flap);
}

/**
 * assay_flap_handle_set_shown:
 * @self: a handle
 * @shown: whether the pane is to be seen
 *
 * Shows or hides the pane because the user asked for it. A pane that was hidden so stays away until
 * it is shown again; one that only had no room comes back with it.
 */
void
assay_flap_handle_set_shown (AssayFlapHandle *self, gboolean shown)
{
  AdwFlap *flap = get_flap (self);

  if (flap == NULL)
    return;

  /* An unlocked flap reveals itself when it unfolds. */
  adw_flap_set_locked (flap, !shown);
  adw_flap_set_reveal_flap (flap, shown);
}

/**
 * assay_flap_handle_uncover:
 * @self: a handle
 *
 * Hides the pane if it lies over the content.
 *
 * Returns: whether it did
 */
gboolean
assay_flap_handle_uncover (AssayFlapHandle *self)
{
  if (assay_flap_handle_get_covered (self) == 0)
    return FALSE;

  assay_flap_handle_set_shown (self, FALSE);
  return TRUE;
}

/**
 * assay_flap_handle_give_way:
 * @self: a handle
 *
 * Hides the pane as one that has no room: it comes back with it.
 */
void
assay_flap_handle_give_way (AssayFlapHandle *self)
{
  AdwFlap *flap = get_flap (self);

  if (flap != NULL)
    adw_flap_set_reveal_flap (flap, FALSE);
}

/* The width of the pane if it is shown in that way. Its own width while it is being moved would say
 * too much or too little. */
static int
measure (AssayFlapHandle *self, gboolean folded)
{
  AdwFlap *flap = get_flap (self);
  int width = 0;

  if (flap != NULL && adw_flap_get_reveal_flap (flap) && adw_flap_get_folded (flap) == folded)
    gtk_widget_measure (adw_flap_get_flap (flap), GTK_ORIENTATION_HORIZONTAL, -1, &width, NULL,
                        NULL, NULL);

  return width;
}

/**
 * assay_flap_handle_get_covered:
 * @self: a handle
 *
 * Gets what a pane without room beside the content hides of it.
 *
 * Returns: the width in pixels, 0 if the pane lies beside the content or is hidden
 */
int
assay_flap_handle_get_covered (AssayFlapHandle *self)
{
  return measure (self, TRUE);
}

/**
 * assay_flap_handle_get_taken:
 * @self: a handle
 *
 * Gets what a pane beside the content takes from it.
 *
 * Returns: the width in pixels, 0 if the pane lies over the content or is hidden
 */
int
assay_flap_handle_get_taken (AssayFlapHandle *self)
{
  return measure (self, FALSE);
}
