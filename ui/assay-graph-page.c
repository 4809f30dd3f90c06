/* assay-graph-page.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/assay-graph-page.h"

#include "ui/assay-selection-card.h"
#include "ui/assay-verdict-glyph.h"
#include "ui/assay-verdict-text.h"
#include "ui/assay-watchdog.h"

struct _AssayGraphPage
{
  GtkWidget parent_instance;

  AssaySession *session;
  gboolean roomy;
  gboolean card_shown;
  gboolean syncing;

  GtkWidget *box;
  AssayCanvas *canvas;
  AssaySelectionCard *card;
  GtkWidget *legend;
  GtkButton *zoom_button;
};

G_DEFINE_FINAL_TYPE (AssayGraphPage, assay_graph_page, GTK_TYPE_WIDGET)

/* The card may lie over a graph, but not over the node that it is about. */
static void
update_covered (AssayGraphPage *self)
{
  int height = 0;

  if (gtk_widget_get_visible (GTK_WIDGET (self->card)))
    gtk_widget_measure (GTK_WIDGET (self->card), GTK_ORIENTATION_VERTICAL, -1, NULL, &height, NULL, NULL);

  assay_canvas_set_covered (self->canvas, height);
}

static void
update_floating (AssayGraphPage *self)
{
  gboolean selected = self->session != NULL && assay_session_get_selection (self->session) != ASSAY_NO_NODE;

  gtk_widget_set_visible (GTK_WIDGET (self->card), self->card_shown && selected);
  update_covered (self);
  gtk_widget_set_visible (self->legend, self->roomy && self->session != NULL
                                          && assay_session_get_verdicts (self->session) != NULL);
}

static void
update_legend (AssayGraphPage *self)
{
  AssayVerdicts *verdicts = assay_session_get_verdicts (self->session);
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (self->legend)) != NULL)
    gtk_box_remove (GTK_BOX (self->legend), child);

  for (guint kind = 0; verdicts != NULL && kind < ASSAY_N_VERDICTS; kind++)
    if (assay_verdicts_count (verdicts, kind) > 0)
      {
        GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);

        gtk_box_append (GTK_BOX (row), assay_verdict_glyph_new ((AssayVerdictKind) kind));
        gtk_box_append (GTK_BOX (row), gtk_label_new (assay_verdict_word ((AssayVerdictKind) kind)));
        gtk_box_append (GTK_BOX (self->legend), row);
      }
}

static void
verdicts_changed_cb (AssayGraphPage *self)
{
  ASSAY_WATCH ("graph page");
  self->syncing = TRUE;
  assay_canvas_set_verdicts (self->canvas, assay_session_get_verdicts (self->session));
  assay_canvas_set_selection (self->canvas, assay_session_get_selection (self->session));
  self->syncing = FALSE;
  update_legend (self);
  update_floating (self);
}

static void
selection_changed_cb (AssayGraphPage *self)
{
  ASSAY_WATCH ("graph selection");
  AssayNodeId node = assay_session_get_selection (self->session);

  self->syncing = TRUE;
  if (assay_canvas_get_selection (self->canvas) != node)
    {
      assay_canvas_set_selection (self->canvas, node);
      if (node != ASSAY_NO_NODE)
        assay_canvas_reveal (self->canvas, node);
    }
  self->syncing = FALSE;
  update_floating (self);
}

static void
canvas_selection_cb (AssayGraphPage *self)
{
  if (!self->syncing)
    assay_session_set_selection (self->session, assay_canvas_get_selection (self->canvas));
}

static void
canvas_hover_cb (AssayGraphPage *self)
{
  assay_session_set_hover (self->session, assay_canvas_get_hover (self->canvas));
}

static void
filter_changed_cb (AssayGraphPage *self)
{
  assay_canvas_set_filter (self->canvas, assay_session_get_filter (self->session));
}

static void
zoom_changed_cb (AssayGraphPage *self)
{
  /* The mark keeps number and unit from left to right everywhere. */
  g_autofree char *text = g_strdup_printf ("\u200e%.0f %%", assay_canvas_get_zoom (self->canvas) * 100);

  gtk_button_set_label (self->zoom_button, text);
}

static void
node_activated_cb (AssayGraphPage *self)
{
  gtk_widget_activate_action (GTK_WIDGET (self), "win.inspect", NULL);
}

static void
assay_graph_page_dispose (GObject *object)
{
  AssayGraphPage *self = ASSAY_GRAPH_PAGE (object);

  gtk_widget_dispose_template (GTK_WIDGET (self), ASSAY_TYPE_GRAPH_PAGE);
  g_clear_object (&self->session);

  G_OBJECT_CLASS (assay_graph_page_parent_class)->dispose (object);
}

static void
assay_graph_page_class_init (AssayGraphPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_graph_page_dispose;

  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/assay/Workbench/ui/assay-graph-page.ui");
  gtk_widget_class_bind_template_child (widget_class, AssayGraphPage, box);
  gtk_widget_class_bind_template_child (widget_class, AssayGraphPage, canvas);
  gtk_widget_class_bind_template_child (widget_class, AssayGraphPage, card);
  gtk_widget_class_bind_template_child (widget_class, AssayGraphPage, legend);
  gtk_widget_class_bind_template_child (widget_class, AssayGraphPage, zoom_button);
}

static void
assay_graph_page_init (AssayGraphPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));

  g_signal_connect_swapped (self->canvas, "notify::selection", G_CALLBACK (canvas_selection_cb), self);
  g_signal_connect_swapped (self->canvas, "notify::hover", G_CALLBACK (canvas_hover_cb), self);
  g_signal_connect_swapped (self->canvas, "notify::zoom", G_CALLBACK (zoom_changed_cb), self);
  g_signal_connect_swapped (self->canvas, "node-activated", G_CALLBACK (node_activated_cb), self);
  zoom_changed_cb (self);
}

void
assay_graph_page_set_session (AssayGraphPage *self,
                              AssaySession   *session)
{
  g_set_object (&self->session, session);
  assay_selection_card_set_session (self->card, session);
  g_signal_connect_object (session, "notify::verdicts", G_CALLBACK (verdicts_changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::selection", G_CALLBACK (selection_changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::filter", G_CALLBACK (filter_changed_cb), self, G_CONNECT_SWAPPED);
  verdicts_changed_cb (self);
}

/**
 * assay_graph_page_set_roomy:
 * @self: a graph page
 * @roomy: whether the window is wide
 *
 * Shows the legend where there is room for it.
 */
void
assay_graph_page_set_roomy (AssayGraphPage *self,
                            gboolean        roomy)
{
  self->roomy = roomy;
  update_floating (self);
}

/**
 * assay_graph_page_set_card_shown:
 * @self: a graph page
 * @shown: whether nothing else says what is selected
 *
 * Shows the selection card while a node is selected.
 */
void
assay_graph_page_set_card_shown (AssayGraphPage *self,
                                 gboolean        shown)
{
  self->card_shown = shown;
  update_floating (self);
}

AssayCanvas *
assay_graph_page_get_canvas (AssayGraphPage *self)
{
  return self->canvas;
}
