/* assay-fit-handles.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/memory/assay-fit-handles.h"

#include <math.h>

#include "backend/assay-config.h"
#include "ui/inspector/assay-wrap-layout.h"

/* More of them would be a form. */
#define MAX_HANDLES 6
#define MAX_EXTENT 1e6
#define MAX_DEPTH (1u << 20)
#define MAX_CORES 64
/* How far beyond what there is a handle drags, and how wide it is. */
#define DRAG_FACTOR 4
#define LEAST_DRAG 16
#define SCALE_WIDTH 80
#define LEAST_DIGITS 4
/* While a handle moves a copy is compiled as often. */
#define REST_MS 200

/* One number that can be turned. */
typedef struct
{
  AssayWayKind kind;
  char *name;     /* of the way */
  char *title;    /* for people */
  guint32 was;    /* as the program that does not fit has it */
  guint32 before; /* anything was tried */
  guint32 sent;   /* what was compiled last */
  GtkWidget *box;
  GtkRange *scale; /* powers of two from one end to the other */
  GtkSpinButton *spin;
} Handle;

struct _AssayFitHandles
{
  GtkWidget parent_instance;

  AssaySession *session;
  GPtrArray *handles;
  Handle *turned;
  guint timeout;
  gboolean syncing;
};

G_DEFINE_FINAL_TYPE (AssayFitHandles, assay_fit_handles, GTK_TYPE_WIDGET)

static void
handle_free (gpointer data)
{
  Handle *handle = data;

  if (handle->box != NULL)
    gtk_widget_unparent (handle->box);
  g_free (handle->name);
  g_free (handle->title);
  g_free (handle);
}

static Handle *
handle_new (AssayWayKind kind, const char *name, const char *title, guint32 was)
{
  Handle *handle = g_new0 (Handle, 1);

  handle->kind = kind;
  handle->name = g_strdup (name);
  handle->title = g_strdup (title);
  handle->was = handle->before = was;
  return handle;
}

/* What the model and the store have now. */
static GPtrArray *
list_handles (AssaySession *session)
{
  const AssayAllocation *allocation = assay_compilation_get_allocation (
      assay_session_get_compilation (session));
  AssayGraph *graph = assay_session_get_graph (session);
  const AssayRegion *main = graph != NULL ? assay_graph_region (graph, ASSAY_MAIN_REGION) : NULL;
  GPtrArray *handles = g_ptr_array_new_with_free_func (handle_free);
  g_autoptr (AssayConfig) config = NULL;

  for (guint i = 0; main != NULL && i < main->inputs->len; i++)
    {
      const AssayValue *value = assay_graph_value (graph,
                                                   g_array_index (main->inputs, AssayValueId, i));

      for (int axis = 0; !value->is_parameter && axis < value->type->rank; axis++)
        {
          gint64 extent = value->type->dims[axis].size;
          g_autofree char *name = g_strdup_printf ("%s:%d", value->name, axis);
          g_autofree char *title = g_strdup_printf ("%s axis %d", value->name, axis);

          if (extent > 1 && extent <= MAX_EXTENT && handles->len + 2 < MAX_HANDLES)
            g_ptr_array_add (handles, handle_new (ASSAY_WAY_SIZE, name, title, (guint32) extent));
        }
    }
  if (allocation != NULL)
    config = assay_config_new_for_settings (assay_session_get_target (session),
                                            assay_session_get_setup (session), NULL);
  if (config != NULL)
    g_ptr_array_add (handles, handle_new (ASSAY_WAY_DEPTH, ASSAY_CONFIG_CORES, "cores",
                                          assay_config_get_values (config)->num_cores));
  if (allocation != NULL && allocation->member != NULL)
    {
      g_autofree char *title = g_strdup_printf ("%s, %s", allocation->store,
                                                assay_allocation_get_unit (allocation, 2));

      g_ptr_array_add (handles,
                       handle_new (ASSAY_WAY_DEPTH, allocation->member, title, allocation->depth));
    }
  return handles;
}

static gboolean
are_equal (const GPtrArray *a, const GPtrArray *b)
{
  if (a->len != b->len)
    return FALSE;

  for (guint i = 0; i < a->len; i++)
    if (!g_str_equal (((const Handle *) g_ptr_array_index (a, i))->name,
                      ((const Handle *) g_ptr_array_index (b, i))->name))
      return FALSE;

  return TRUE;
}

static gboolean
rest_cb (gpointer data)
{
  AssayFitHandles *self = data;
  guint32 value = (guint32) gtk_spin_button_get_value_as_int (self->turned->spin);
  g_autofree char *action = g_strdup_printf ("%s: %u instead of %u", self->turned->title, value,
                                             self->turned->before);
  const AssayWayOut way = { self->turned->kind, value, self->turned->name, action, NULL, 0 };

  self->timeout = 0;
  self->turned->sent = value;
  if (value != self->turned->was)
    assay_trial_start (assay_session_get_trial (self->session), &way);
  return G_SOURCE_REMOVE;
}

/* The other of the two goes along. */
static void
follow (AssayFitHandles *self, Handle *handle, gboolean dragged)
{
  gboolean syncing = self->syncing;

  self->syncing = TRUE;
  if (dragged)
    gtk_spin_button_set_value (handle->spin, round (exp2 (gtk_range_get_value (handle->scale))));
  else
    gtk_range_set_value (handle->scale, log2 (gtk_spin_button_get_value (handle->spin)));
  self->syncing = syncing;
}

/* What is still being turned or dragged is compiled again and again, not at its end only. */
static void
turned_cb (GtkWidget *widget, AssayFitHandles *self)
{
  Handle *handle = g_object_get_data (G_OBJECT (widget), "assay-handle");

  if (self->syncing)
    return;

  follow (self, handle, GTK_IS_RANGE (widget));
  if (handle != self->turned)
    g_clear_handle_id (&self->timeout, g_source_remove);
  self->turned = handle;
  if (self->timeout == 0)
    self->timeout = g_timeout_add (REST_MS, rest_cb, self);
}

static guint
get_most (const Handle *handle)
{
  return handle->kind != ASSAY_WAY_DEPTH                  ? (guint) MAX_EXTENT
         : g_str_equal (handle->name, ASSAY_CONFIG_CORES) ? MAX_CORES
                                                          : MAX_DEPTH;
}

/* One end is 1, the other well beyond what there is, and seen whole. */
static void
set_range (Handle *handle)
{
  double most = MIN (MAX ((double) handle->was * DRAG_FACTOR, LEAST_DRAG), get_most (handle));
  int n_digits = MAX ((int) log10 (most) + 1, LEAST_DIGITS);

  gtk_range_set_range (handle->scale, 0, log2 (most));
  gtk_editable_set_width_chars (GTK_EDITABLE (handle->spin), n_digits);
  gtk_editable_set_max_width_chars (GTK_EDITABLE (handle->spin), n_digits);
}

static void
show_handle (AssayFitHandles *self, Handle *handle, GtkSizeGroup *group)
{
  GtkWidget *label = gtk_label_new (handle->title);
  GtkWidget *scale = gtk_scale_new_with_range (GTK_ORIENTATION_HORIZONTAL, 0, 1, 0.05);
  GtkWidget *spin = gtk_spin_button_new_with_range (1, get_most (handle), 1);
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);

  handle->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  /* Farther from the next number than its own parts are from each other. */
  gtk_widget_set_margin_end (handle->box, 12);
  gtk_widget_set_hexpand (handle->box, FALSE);
  handle->spin = GTK_SPIN_BUTTON (spin);
  handle->scale = GTK_RANGE (scale);
  set_range (handle);
  gtk_widget_set_size_request (scale, SCALE_WIDTH, -1);
  gtk_widget_add_css_class (label, "numeric");
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_START);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 24);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_set_tooltip_text (spin, "Compile a copy with this number; Undo comes back here");
  gtk_accessible_update_property (GTK_ACCESSIBLE (spin), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  handle->title, -1);
  gtk_widget_set_tooltip_text (scale, "Drag: copies are compiled on the way; Undo comes back here");
  gtk_accessible_update_property (GTK_ACCESSIBLE (scale), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  handle->title, -1);
  gtk_widget_set_hexpand (scale, TRUE);
  gtk_box_append (GTK_BOX (row), scale);
  gtk_box_append (GTK_BOX (row), spin);
  gtk_box_append (GTK_BOX (handle->box), label);
  gtk_box_append (GTK_BOX (handle->box), row);
  gtk_widget_set_parent (handle->box, GTK_WIDGET (self));
  gtk_size_group_add_widget (group, handle->box);
  g_object_set_data (G_OBJECT (spin), "assay-handle", handle);
  g_object_set_data (G_OBJECT (scale), "assay-handle", handle);
  g_signal_connect (spin, "value-changed", G_CALLBACK (turned_cb), self);
  g_signal_connect (scale, "value-changed", G_CALLBACK (turned_cb), self);
}

/**
 * assay_fit_handles_update:
 * @self: handles
 * @session: a session with a program that does not fit
 *
 * Shows the numbers of the model and of the store. Those that are there stay, so that one that is
 * being turned keeps the focus.
 */
void
assay_fit_handles_update (AssayFitHandles *self, AssaySession *session)
{
  g_autoptr (GPtrArray) fresh = list_handles (session);
  g_autoptr (GtkSizeGroup) group = NULL;

  g_set_object (&self->session, session);
  self->syncing = TRUE;
  if (!are_equal (fresh, self->handles))
    {
      g_clear_handle_id (&self->timeout, g_source_remove);
      self->turned = NULL;
      g_clear_pointer (&self->handles, g_ptr_array_unref);
      self->handles = g_ptr_array_ref (fresh);
      /* Below each other where they wrap. */
      group = gtk_size_group_new (GTK_SIZE_GROUP_HORIZONTAL);
      for (guint i = 0; i < fresh->len; i++)
        show_handle (self, g_ptr_array_index (fresh, i), group);
    }
  for (guint i = 0; i < fresh->len; i++)
    {
      Handle *handle = g_ptr_array_index (self->handles, i);

      guint32 shown = (guint32) gtk_spin_button_get_value_as_int (handle->spin);

      handle->was = ((const Handle *) g_ptr_array_index (fresh, i))->was;
      if (!assay_trial_get_active (assay_session_get_trial (session)))
        handle->before = handle->was;
      /* What is being turned is ahead of what was compiled. */
      if (handle == self->turned && (self->timeout != 0 || shown != handle->sent))
        continue;
      /* Under a hand that drags it the range stays. */
      if (handle != self->turned)
        set_range (handle);
      gtk_spin_button_set_value (handle->spin, handle->was);
      follow (self, handle, FALSE);
    }
  self->syncing = FALSE;
}

static void
assay_fit_handles_dispose (GObject *object)
{
  AssayFitHandles *self = ASSAY_FIT_HANDLES (object);

  g_clear_handle_id (&self->timeout, g_source_remove);
  g_clear_pointer (&self->handles, g_ptr_array_unref);
  g_clear_object (&self->session);

  G_OBJECT_CLASS (assay_fit_handles_parent_class)->dispose (object);
}

static void
assay_fit_handles_class_init (AssayFitHandlesClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = assay_fit_handles_dispose;

  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), ASSAY_TYPE_WRAP_LAYOUT);
  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (klass), GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
assay_fit_handles_init (AssayFitHandles *self)
{
  self->handles = g_ptr_array_new_with_free_func (handle_free);
}
