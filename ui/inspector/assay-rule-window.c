/* assay-rule-window.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/inspector/assay-rule-window.h"

#include "target/assay-rule-page.h"
#include "ui/inspector/assay-property-list.h"
#include "ui/canvas/assay-verdict-glyph.h"
#include "ui/inspector/assay-verdict-text.h"
#include "ui/window/assay-template.h"
#include "text/assay-xml-writer.h"

/* A node with more inputs or attributes than this has its values in the inspector. */
#define MAX_ROWS 12

struct _AssayRuleWindow
{
  AdwWindow parent_instance;

  AdwWindowTitle *title;
  AssayVerdictGlyph *glyph;
  GtkLabel *node;
  GtkLabel *reason;
  GtkBox *groups;
  GtkLabel *source;
  GtkWidget *file_box;
  GtkLabel *json;
};

G_DEFINE_FINAL_TYPE (AssayRuleWindow, assay_rule_window, ADW_TYPE_WINDOW)

static AssayPropertyList *
add_group (AssayRuleWindow *self, const char *title)
{
  GtkWidget *list = assay_property_list_new (title);

  gtk_box_append (self->groups, list);
  return ASSAY_PROPERTY_LIST (list);
}

static void
add_row (AssayPropertyList *list, const char *name, const char *value)
{
  if (value != NULL && *value != '\0')
    assay_property_list_add (list, name, value);
}

/* What the conditions look at: what the verdict is about first, then everything else the node has.
 */
static void
add_values (AssayRuleWindow *self, AssayVerdicts *verdicts, const AssayVerdict *verdict)
{
  const AssayNode *node = assay_graph_node (verdicts->graph, verdict->node);
  AssayPropertyList *list = add_group (self, "This Node");

  add_row (list, "About", verdict->attribute);
  add_row (list, "Actual", verdict->actual);
  add_row (list, "Allowed", verdict->allowed);
  for (guint i = 0; i < MIN (node->n_inputs, MAX_ROWS); i++)
    if (node->inputs[i] != ASSAY_NO_VALUE)
      {
        g_autofree char *spoken = NULL;
        g_autofree char *markup = assay_value_type_markup (verdicts, node->inputs[i], &spoken);
        g_autofree char *constant = g_strdup_printf ("%s, constant", markup);
        g_autofree char *name = g_strdup_printf ("input %u", i);

        assay_property_list_add_markup (
            list, name,
            assay_graph_is_constant (verdicts->graph, node->inputs[i]) ? constant : markup, spoken);
      }
  for (guint i = 0; i < MIN (node->n_attrs, MAX_ROWS); i++)
    {
      g_autofree char *text = assay_attr_to_string (verdicts->graph, &node->attrs[i]);

      add_row (list, node->attrs[i].name, text);
    }
}

static void
add_conditions (AssayRuleWindow *self, const AssayRulePage *page)
{
  AssayPropertyList *list;

  if (page->conditions->len == 0)
    return;

  list = add_group (self, "Conditions");
  for (guint i = 0; i < page->conditions->len; i++)
    {
      const AssayRuleCondition *condition = g_ptr_array_index (page->conditions, i);
      g_autofree char *markup = assay_xml_escape (condition->doc);

      assay_property_list_add_stacked (list, condition->name, markup, condition->doc);
    }
}

static void
show_source (AssayRuleWindow *self, const char *source)
{
  gsize n = source != NULL ? strcspn (source, " ;,") : 0;
  g_autofree char *uri = g_strndup (source != NULL ? source : "", n);
  g_autofree char *markup = NULL;

  if (source != NULL && g_str_has_prefix (source, "http"))
    markup = g_markup_printf_escaped ("Published at <a href=\"%s\">%s</a>%s", uri, uri, source + n);
  else if (source != NULL)
    markup = g_markup_printf_escaped ("Source: %s", source);

  gtk_label_set_markup (self->source, markup != NULL ? markup : "");
  gtk_widget_set_visible (GTK_WIDGET (self->source), markup != NULL);
}

static void
copy_cb (AssayRuleWindow *self)
{
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)),
                          gtk_label_get_label (self->json));
}

static void
show_rule (AssayRuleWindow *self, AssaySession *session)
{
  AssayVerdicts *verdicts = assay_session_get_verdicts (session);
  AssayNodeId id = assay_session_get_selection (session);
  const AssayVerdict *verdict = assay_verdicts_get (verdicts, id);
  const AssayNode *node = assay_graph_node (verdicts->graph, id);
  g_autoptr (AssayRulePage)
      page = assay_rule_page_new (assay_session_get_target (session), verdict->rule);
  g_autofree char *title = g_strdup_printf ("Rule %s", verdict->rule);
  g_autofree char *sentence = assay_verdict_dup_shown (verdicts, verdict);
  g_autofree char *name = g_strdup_printf ("%s %s", node->op_type, node->name);
  g_autofree char *place = page != NULL
                               ? g_strdup_printf ("%s, %s", verdicts->target_id, page->member)
                               : g_strdup ("A pass of NNIR, the same for every target");

  gtk_window_set_title (GTK_WINDOW (self), title);
  adw_window_title_set_title (self->title, title);
  adw_window_title_set_subtitle (self->title, place);
  assay_verdict_glyph_set_verdict (self->glyph, verdict->kind);
  gtk_label_set_label (self->node, name);
  gtk_label_set_label (self->reason, sentence);
  add_values (self, verdicts, verdict);
  if (page != NULL)
    add_conditions (self, page);
  show_source (self, page != NULL ? page->source : verdict->source);
  gtk_widget_set_visible (self->file_box, page != NULL);
  gtk_label_set_label (self->json, page != NULL ? page->json : "");
}

static void
assay_rule_window_class_init (AssayRuleWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  ASSAY_BIND_TEMPLATE (klass, AssayRuleWindow, "assay-rule-window", title, glyph, node, reason,
                       groups, source, file_box, json);
  gtk_widget_class_bind_template_callback (widget_class, copy_cb);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
assay_rule_window_init (AssayRuleWindow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

/**
 * assay_rule_window_new:
 * @parent: the window it belongs to
 * @session: a session with a selected node that has a verdict
 *
 * Shows the rule behind the verdict of the selected node.
 *
 * Returns: (transfer none): the window
 */
GtkWidget *
assay_rule_window_new (GtkWindow *parent, AssaySession *session)
{
  AssayRuleWindow *self = g_object_new (ASSAY_TYPE_RULE_WINDOW, "transient-for", parent,
                                        "destroy-with-parent", TRUE, NULL);

  show_rule (self, session);
  return GTK_WIDGET (self);
}
