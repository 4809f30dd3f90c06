/* assay-selection-card.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/graph/assay-selection-card.h"

#include "session/analysis/assay-remedy.h"
#include "ui/canvas/assay-verdict-glyph.h"
#include "ui/inspector/assay-verdict-text.h"
#include "ui/window/assay-template.h"

struct _AssaySelectionCard
{
  GtkBox parent_instance;

  AssaySession *session;

  AssayVerdictGlyph *glyph;
  GtkLabel *op;
  GtkLabel *name;
  GtkLabel *reason;
  GtkLabel *remedy;
  GtkButton *next_button;
  GtkWidget *setup_button;
  GtkWidget *fix_button;
};

G_DEFINE_FINAL_TYPE (AssaySelectionCard, assay_selection_card, GTK_TYPE_BOX)

/* The best fix that was tried for the cause of a node. */
static char *
dup_fix (AssaySelectionCard *self, AssayNodeId id)
{
  GListModel *items = assay_session_get_finding_items (self->session);
  int finding = assay_session_get_finding (self->session);
  g_autoptr (AssayFindingItem) item = NULL;
  const AssayFixSuggestions *suggestions;
  GArray *nodes;

  if (finding < 0)
    return NULL;
  item = g_list_model_get_item (items, (guint) finding);
  suggestions = assay_fix_search_get (assay_session_get_fix_search (self->session), finding);
  if (item == NULL || suggestions == NULL || suggestions->offers->len == 0)
    return NULL;

  nodes = assay_finding_item_get_nodes (item);
  for (guint i = 0; i < nodes->len; i++)
    if (g_array_index (nodes, AssayNodeId, i) == id)
      return g_strdup_printf (
          "Fix: %s", ((const AssayFixOffer *) g_ptr_array_index (suggestions->offers, 0))->title);

  return NULL;
}

static void
update (AssaySelectionCard *self)
{
  AssayVerdicts *verdicts = assay_session_get_verdicts (self->session);
  AssayNodeId id = assay_session_get_selection (self->session);
  const AssayVerdict *verdict;
  const AssayNode *node;
  AssayVerdictKind kind;
  g_autofree char *sentence = NULL;
  g_autofree char *text = NULL;
  g_autofree char *label = NULL;
  g_autofree char *remedy = NULL;
  g_autofree char *batch = NULL;
  AssayRemedyPlace place;
  guint shared;

  if (verdicts == NULL || id == ASSAY_NO_NODE)
    return;

  node = assay_graph_node (verdicts->graph, id);
  verdict = assay_verdicts_get (verdicts, id);
  kind = verdict != NULL ? verdict->kind : ASSAY_VERDICT_UNDECIDED;
  sentence = assay_verdict_dup_shown (verdicts, verdict);
  text = g_strdup_printf ("%s: %s", assay_verdict_word (kind), sentence);
  label = g_strdup_printf ("%s %s, %s", node->op_type, node->name, text);
  shared = verdict != NULL ? assay_verdict_shared (verdicts, verdict) : 1;

  assay_verdict_glyph_set_verdict (self->glyph, kind);
  gtk_label_set_label (self->op, node->op_type);
  gtk_label_set_label (self->name, node->name);
  gtk_label_set_label (self->reason, text);
  remedy = dup_fix (self, id);
  if (remedy == NULL && verdict != NULL)
    remedy = assay_remedy_describe (verdicts, verdict, &place);
  gtk_label_set_label (self->remedy, remedy != NULL ? remedy : "");
  gtk_widget_set_visible (GTK_WIDGET (self->remedy), remedy != NULL);
  /* What is undecided waits for sizes that only the user knows. */
  gtk_widget_set_visible (self->setup_button, kind == ASSAY_VERDICT_UNDECIDED);
  batch = assay_session_dup_batch (self->session);
  gtk_button_set_label (GTK_BUTTON (self->setup_button), batch != NULL ? batch : "Bind Shapes");
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->setup_button),
                                  batch != NULL ? "win.bind-batch" : "win.setup");
  gtk_widget_set_visible (self->fix_button,
                          kind == ASSAY_VERDICT_REJECTED || kind == ASSAY_VERDICT_HOST);
  gtk_widget_set_visible (GTK_WIDGET (self->next_button), shared > 1);
  if (shared > 1)
    {
      g_autofree char *next = g_strdup_printf ("Next of %u", shared);
      gtk_button_set_label (self->next_button, next);
    }
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
}

static void
assay_selection_card_dispose (GObject *object)
{
  AssaySelectionCard *self = ASSAY_SELECTION_CARD (object);

  g_clear_object (&self->session);
  gtk_widget_dispose_template (GTK_WIDGET (self), ASSAY_TYPE_SELECTION_CARD);

  G_OBJECT_CLASS (assay_selection_card_parent_class)->dispose (object);
}

static void
assay_selection_card_class_init (AssaySelectionCardClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = assay_selection_card_dispose;

  ASSAY_BIND_TEMPLATE (klass, AssaySelectionCard, "assay-selection-card", glyph, op, name, reason,
                       remedy, next_button, setup_button, fix_button);
}

static void
assay_selection_card_init (AssaySelectionCard *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
assay_selection_card_set_session (AssaySelectionCard *self, AssaySession *session)
{
  g_set_object (&self->session, session);
  g_signal_connect_object (session, "notify::verdicts", G_CALLBACK (update), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::selection", G_CALLBACK (update), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::finding", G_CALLBACK (update), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (assay_session_get_fix_search (session), "changed", G_CALLBACK (update),
                           self, G_CONNECT_SWAPPED);
  update (self);
}
