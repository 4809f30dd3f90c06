/* assay-canvas.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/assay-canvas-private.h"

enum
{
  PROP_0,
  PROP_SELECTION,
  PROP_HOVER,
  PROP_ZOOM,
  PROP_FILTER,
  PROP_HAS_VIEW,
  N_PROPS,
  PROP_HADJUSTMENT = N_PROPS,
  PROP_VADJUSTMENT,
  PROP_HSCROLL_POLICY,
  PROP_VSCROLL_POLICY
};

G_DEFINE_FINAL_TYPE_WITH_CODE (AssayCanvas, assay_canvas, GTK_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (GTK_TYPE_SCROLLABLE, NULL))

static GParamSpec *properties[N_PROPS];

static void
assay_canvas_get_property (GObject *object, guint prop_id, GValue *value, GParamSpec *pspec)
{
  AssayCanvas *self = ASSAY_CANVAS (object);
  switch (prop_id)
    {
    case PROP_SELECTION: g_value_set_uint (value, self->selection); break;
    case PROP_HOVER: g_value_set_uint (value, self->hover); break;
    case PROP_ZOOM: g_value_set_double (value, self->zoom); break;
    case PROP_FILTER: g_value_set_uint (value, self->filter); break;
    case PROP_HAS_VIEW: g_value_set_boolean (value, self->verdicts != NULL); break;
    case PROP_HADJUSTMENT: g_value_set_object (value, self->hadjustment); break;
    case PROP_VADJUSTMENT: g_value_set_object (value, self->vadjustment); break;
    case PROP_HSCROLL_POLICY: g_value_set_enum (value, self->hscroll_policy); break;
    case PROP_VSCROLL_POLICY: g_value_set_enum (value, self->vscroll_policy); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
assay_canvas_set_property (GObject *object, guint prop_id, const GValue *value, GParamSpec *pspec)
{
  AssayCanvas *self = ASSAY_CANVAS (object);
  switch (prop_id)
    {
    case PROP_SELECTION: assay_canvas_set_selection (self, g_value_get_uint (value)); break;
    case PROP_ZOOM: assay_canvas_set_zoom (self, g_value_get_double (value)); break;
    case PROP_FILTER: assay_canvas_set_filter (self, g_value_get_uint (value)); break;
    case PROP_HADJUSTMENT: g_set_object (&self->hadjustment, g_value_get_object (value)); break;
    case PROP_VADJUSTMENT: g_set_object (&self->vadjustment, g_value_get_object (value)); break;
    case PROP_HSCROLL_POLICY: self->hscroll_policy = g_value_get_enum (value); break;
    case PROP_VSCROLL_POLICY: self->vscroll_policy = g_value_get_enum (value); break;
    default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
assay_canvas_dispose (GObject *object)
{
  AssayCanvas *self = ASSAY_CANVAS (object);

  g_clear_object (&self->hadjustment);
  g_clear_object (&self->vadjustment);
  g_clear_object (&self->actions);
  g_clear_pointer (&self->hits, g_array_unref);
  g_clear_pointer (&self->verdicts, assay_verdicts_unref);

  G_OBJECT_CLASS (assay_canvas_parent_class)->dispose (object);
}

static void
assay_canvas_class_init (AssayCanvasClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->dispose = assay_canvas_dispose;
  object_class->get_property = assay_canvas_get_property;
  object_class->set_property = assay_canvas_set_property;

  properties[PROP_SELECTION] = g_param_spec_uint ("selection", NULL, NULL, 0, G_MAXUINT, 0,
                       G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  properties[PROP_HOVER] = g_param_spec_uint ("hover", NULL, NULL, 0, G_MAXUINT, 0, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  properties[PROP_ZOOM] = g_param_spec_double ("zoom", NULL, NULL, 0.02, 4, 1,
                       G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  properties[PROP_FILTER] = g_param_spec_uint ("filter", NULL, NULL, 0, G_MAXUINT, 0,
                       G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  properties[PROP_HAS_VIEW] = g_param_spec_boolean ("has-view", NULL, NULL, FALSE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  g_object_class_override_property (object_class, PROP_HADJUSTMENT, "hadjustment");
  g_object_class_override_property (object_class, PROP_VADJUSTMENT, "vadjustment");
  g_object_class_override_property (object_class, PROP_HSCROLL_POLICY, "hscroll-policy");
  g_object_class_override_property (object_class, PROP_VSCROLL_POLICY, "vscroll-policy");
}

static void
assay_canvas_init (AssayCanvas *self)
{
  self->zoom = 1;
  self->hits = g_array_new (FALSE, FALSE, sizeof (AssayNodeId));
  self->actions = g_simple_action_group_new ();
}

GtkWidget *
assay_canvas_new (void)
{
  return g_object_new (ASSAY_TYPE_CANVAS, NULL);
}

AssayVerdicts *
assay_canvas_get_verdicts (AssayCanvas *self)
{
  return self->verdicts;
}

void
assay_canvas_set_verdicts (AssayCanvas *self, AssayVerdicts *verdicts)
{
  if (verdicts != NULL)
    assay_verdicts_ref (verdicts);
  g_clear_pointer (&self->verdicts, assay_verdicts_unref);
  self->verdicts = verdicts;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_HAS_VIEW]);
}

guint
assay_canvas_get_selection (AssayCanvas *self)
{
  return self->selection;
}

void
assay_canvas_set_selection (AssayCanvas *self, guint node)
{
  if (self->selection == node)
    return;
  self->selection = node;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SELECTION]);
}

guint
assay_canvas_get_hover (AssayCanvas *self)
{
  return self->hover;
}

double
assay_canvas_get_zoom (AssayCanvas *self)
{
  return self->zoom;
}

void
assay_canvas_set_zoom (AssayCanvas *self, double zoom)
{
  self->zoom = CLAMP (zoom, 0.02, 4);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ZOOM]);
}

guint
assay_canvas_get_filter (AssayCanvas *self)
{
  return self->filter;
}

void
assay_canvas_set_filter (AssayCanvas *self, guint filter)
{
  self->filter = filter;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_FILTER]);
}

void
assay_canvas_set_hits (AssayCanvas *self, const AssayNodeId *nodes, guint n_nodes)
{
  g_array_set_size (self->hits, 0);
  g_array_append_vals (self->hits, nodes, n_nodes);
}

void
assay_canvas_reveal (AssayCanvas *self, guint node)
{
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
assay_canvas_fit (AssayCanvas *self)
{
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
assay_canvas_fit_selection (AssayCanvas *self)
{
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

GActionGroup *
assay_canvas_get_actions (AssayCanvas *self)
{
  return G_ACTION_GROUP (self->actions);
}

guint
assay_canvas_get_builds (AssayCanvas *self)
{
  return 0;
}
