/* assay-verdict-panel.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/inspector/assay-verdict-panel.h"

#include <string.h>

#include "base/assay-sentence.h"
#include "session/analysis/assay-remedy.h"
#include "ui/inspector/assay-property-list.h"
#include "ui/window/assay-ui.h"
#include "ui/canvas/assay-verdict-glyph.h"
#include "ui/inspector/assay-verdict-text.h"
#include "ui/inspector/assay-wrap-layout.h"
#include "ui/window/assay-template.h"

struct _AssayVerdictPanel
{
  GtkBox parent_instance;

  AssaySession *session;

  AssayVerdictGlyph *glyph;
  GtkLabel *kind;
  GtkLabel *reason;
  AssayPropertyList *rests; /* both in what the inspector shows below the fixes */
  AssayPropertyList *rows;
  GtkWidget *remedy_box;
  GtkLabel *remedy;
  GtkButton *remedy_button;
  GtkButton *shared_button;
  GtkWidget *rule_button;
};

G_DEFINE_FINAL_TYPE (AssayVerdictPanel, assay_verdict_panel, GTK_TYPE_BOX)

static void
add_to (AssayPropertyList *list, const char *name, const char *value)
{
  g_autofree char *shown = value != NULL ? assay_sentence_dup_shown (value) : NULL;

  if (shown != NULL && *shown != '\0')
    assay_property_list_add (list, name, shown);
}

static void
add_row (AssayVerdictPanel *self, const char *name, const char *value)
{
  add_to (self->rows, name, value);
}

/* The page of a rule as a link: its last part says which page, the tooltip of the link says the
 * rest. */
static void
add_source (AssayVerdictPanel *self, const char *source)
{
  const char *end = source != NULL ? source + strcspn (source, " ;,") : NULL;
  g_autofree char *uri = NULL;
  g_autofree char *name = NULL;
  g_autofree char *markup = NULL;

  if (source == NULL || !g_str_has_prefix (source, "http"))
    {
      add_row (self, "Source", source);
      return;
    }

  uri = g_strndup (source, (gsize) (end - source));
  name = g_path_get_basename (uri);
  markup = g_markup_printf_escaped ("<a href=\"%s\">%s</a>%s", uri, name, end);
  assay_property_list_add_markup (self->rows, "Source", markup, source);
}

static void
select_cb (AssaySession *session, GtkButton *button)
{
  AssayNodeId node = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (button), "node"));

  assay_session_set_selection (session, node);
}

/* What the verdict rests on, each fact with the way to its node. */
static void
add_details (AssayVerdictPanel *self, AssayVerdicts *verdicts, const AssayVerdict *verdict)
{
  for (guint i = 0; i < verdict->n_details; i++)
    {
      const AssayVerdictDetail *detail = &verdict->details[i];
      const AssayNode *node;
      g_autofree char *shown = assay_sentence_dup_shown (detail->text);
      g_autofree char *name = NULL;
      GtkWidget *button;

      if (detail->node == ASSAY_NO_NODE || detail->node == verdict->node)
        {
          add_to (self->rests, "This node", detail->text);
          continue;
        }

      node = assay_graph_node (verdicts->graph, detail->node);
      name = g_strdup_printf ("%s %s", node->op_type, node->name);
      button = assay_property_list_add_jump (self->rests, name, shown, "Select the node");
      g_object_set_data (G_OBJECT (button), "node", GUINT_TO_POINTER (detail->node));
      g_signal_connect_object (button, "clicked", G_CALLBACK (select_cb), self->session,
                               G_CONNECT_SWAPPED);
    }
  gtk_widget_set_visible (GTK_WIDGET (self->rests), verdict->n_details > 0);
}

static void
add_notes (AssayVerdictPanel *self, const AssayVerdict *verdict)
{
  for (guint i = 0; verdict->notes != NULL && verdict->notes[i] != NULL; i++)
    {
      const char *stage = strstr (verdict->notes[i], ": ");

      add_row (self, i == 0 ? "Note" : "", stage != NULL ? stage + 2 : verdict->notes[i]);
    }

  for (const AssayVerdict *earlier = verdict->earlier; earlier != NULL; earlier = earlier->earlier)
    {
      g_autofree char *text = g_strdup_printf ("%s (%s)", assay_verdict_word (earlier->kind),
                                               assay_stage_name (earlier->stage));
      add_row (self, "Before", text);
    }
}

/* What can be done, and a button where that is in this window. */
static void
show_remedy (AssayVerdictPanel *self, AssayVerdicts *verdicts, const AssayVerdict *verdict)
{
  static const struct
  {
    const char *label;
    const char *action;
  } buttons[] = {
    [ASSAY_REMEDY_MODEL] = { NULL, NULL },
    [ASSAY_REMEDY_SETUP] = { "Setup…", "win.setup" },
    [ASSAY_REMEDY_TARGET] = { "Targets…", "win.choose-target" },
  };
  AssayRemedyPlace place;
  g_autofree char *text = assay_remedy_describe (verdicts, verdict, &place);

  gtk_label_set_label (self->remedy, text != NULL ? text : "");
  gtk_widget_set_visible (self->remedy_box, text != NULL);
  if (buttons[place].label != NULL)
    {
      gtk_button_set_label (self->remedy_button, buttons[place].label);
      gtk_actionable_set_action_name (GTK_ACTIONABLE (self->remedy_button), buttons[place].action);
    }
  gtk_widget_set_visible (GTK_WIDGET (self->remedy_button),
                          text != NULL && buttons[place].label != NULL);
}

static void
update (AssayVerdictPanel *self)
{
  AssayVerdicts *verdicts = assay_session_get_verdicts (self->session);
  AssayNodeId node = assay_session_get_selection (self->session);
  const AssayVerdict *verdict = NULL;
  g_autofree char *sentence = NULL;
  g_autofree char *label = NULL;
  guint shared;

  if (verdicts != NULL && node != ASSAY_NO_NODE)
    verdict = assay_verdicts_get (verdicts, node);

  gtk_widget_set_visible (GTK_WIDGET (self), verdict != NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->rows), verdict != NULL);
  assay_property_list_clear (self->rests);
  assay_property_list_clear (self->rows);
  if (verdict == NULL)
    {
      gtk_widget_set_visible (GTK_WIDGET (self->rests), FALSE);
      return;
    }

  sentence = assay_verdict_dup_shown (verdicts, verdict);
  label = g_strdup_printf ("%s: %s", assay_verdict_word (verdict->kind), sentence);
  shared = assay_verdict_shared (verdicts, verdict);

  assay_verdict_glyph_set_verdict (self->glyph, verdict->kind);
  gtk_label_set_label (self->kind, assay_verdict_word (verdict->kind));
  gtk_label_set_label (self->reason, sentence);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);

  add_details (self, verdicts, verdict);
  add_row (self, "Actual", verdict->actual);
  add_row (self, "Allowed", verdict->allowed);
  add_row (self, "About", verdict->attribute);
  add_row (self, "Engine", verdict->engine);
  add_row (self, "Written as", verdict->mapping);
  add_row (self, "Lies in", verdict->layout);
  add_row (self, "Positions", verdict->positions);
  add_row (self, "Rule", verdict->rule);
  if (shared > 1)
    {
      g_autofree char *nodes = assay_ui_format_nodes (shared);
      add_row (self, "Shared by", nodes);
    }
  add_row (self, "Stage", assay_stage_name (verdict->stage));
  add_source (self, verdict->source);
  add_notes (self, verdict);

  if (shared > 1)
    {
      g_autofree char *text = g_strdup_printf ("Next of %u", shared);
      gtk_button_set_label (self->shared_button, text);
    }
  gtk_widget_set_visible (GTK_WIDGET (self->shared_button), shared > 1);
  gtk_widget_set_visible (self->rule_button, verdict->rule != NULL);
  show_remedy (self, verdicts, verdict);
}

static void
assay_verdict_panel_dispose (GObject *object)
{
  AssayVerdictPanel *self = ASSAY_VERDICT_PANEL (object);

  g_clear_object (&self->session);
  gtk_widget_dispose_template (GTK_WIDGET (self), ASSAY_TYPE_VERDICT_PANEL);

  G_OBJECT_CLASS (assay_verdict_panel_parent_class)->dispose (object);
}

static void
assay_verdict_panel_class_init (AssayVerdictPanelClass *klass)
{
  g_type_ensure (ASSAY_TYPE_WRAP_LAYOUT);
  G_OBJECT_CLASS (klass)->dispose = assay_verdict_panel_dispose;

  ASSAY_BIND_TEMPLATE (klass, AssayVerdictPanel, "assay-verdict-panel", glyph, kind, reason,
                       remedy_box, remedy, remedy_button, shared_button, rule_button);
}

static void
assay_verdict_panel_init (AssayVerdictPanel *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

/**
 * assay_verdict_panel_set_session:
 * @self: a panel
 * @session: whose selection it shows
 * @facts: where it puts what the verdict rests on, below what can be done
 *
 * Sets what the panel shows.
 */
void
assay_verdict_panel_set_session (AssayVerdictPanel *self, AssaySession *session, GtkBox *facts)
{
  self->rests = ASSAY_PROPERTY_LIST (assay_property_list_new ("Rests On"));
  self->rows = ASSAY_PROPERTY_LIST (assay_property_list_new ("Facts"));
  gtk_box_append (facts, GTK_WIDGET (self->rests));
  gtk_box_append (facts, GTK_WIDGET (self->rows));
  g_set_object (&self->session, session);
  g_signal_connect_object (session, "notify::verdicts", G_CALLBACK (update), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::selection", G_CALLBACK (update), self,
                           G_CONNECT_SWAPPED);
  update (self);
}
