/* assay-context-bar.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/assay-context-bar.h"

#include "ui/assay-setup-popover.h"
#include "ui/assay-target-chooser.h"
#include "ui/assay-ui.h"
#include "ui/assay-verdict-glyph.h"
#include "ui/assay-verdict-text.h"
#include "ui/assay-watchdog.h"

/* Summaries count what is turned into something else, or into nothing, as supported. */
static const struct
{
  AssayVerdictKind kind;
  guint mask;
} summary[] = {
  { ASSAY_VERDICT_REJECTED, 1u << ASSAY_VERDICT_REJECTED },
  { ASSAY_VERDICT_HOST, 1u << ASSAY_VERDICT_HOST },
  { ASSAY_VERDICT_UNDECIDED, 1u << ASSAY_VERDICT_UNDECIDED },
  { ASSAY_VERDICT_FUSED, 1u << ASSAY_VERDICT_FUSED },
  { ASSAY_VERDICT_SUPPORTED,
    1u << ASSAY_VERDICT_SUPPORTED | 1u << ASSAY_VERDICT_TRANSFORMED | 1u << ASSAY_VERDICT_REMOVED },
};

#define N_SUMMARY G_N_ELEMENTS (summary)

struct _AssayContextBar
{
  GtkBox parent_instance;

  AssaySession *session;
  gboolean syncing;
  GtkWidget *toggle[N_SUMMARY];
  GtkWidget *number[N_SUMMARY];
  GtkWidget *word[N_SUMMARY];

  GtkMenuButton *model_button;
  GtkLabel *model_label;
  GtkMenuButton *target_button;
  GtkLabel *target_label;
  GtkMenuButton *setup_button;
  GtkWidget *setup_label;
  GtkBox *toggles;
  GtkLabel *fact_first;
  GtkLabel *fact_second;
  GtkLabel *fact_alone;
  AssayTargetChooser *target_chooser;
  AssaySetupPopover *setup_popover;
};

G_DEFINE_FINAL_TYPE (AssayContextBar, assay_context_bar, GTK_TYPE_BOX)

static guint
count_of (AssayVerdicts *verdicts,
          guint          mask)
{
  guint count = 0;

  for (guint kind = 0; verdicts != NULL && kind < ASSAY_N_VERDICTS; kind++)
    if (mask & (1u << kind))
      count += verdicts->counts[kind];

  return count;
}

static void
update_model (AssayContextBar *self)
{
  g_autofree char *name = assay_session_dup_name (self->session);
  g_autofree char *label = g_strdup_printf ("Model %s", name);

  gtk_label_set_label (self->model_label, name);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->model_button), assay_session_get_path (self->session));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->model_button), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
}

static void
update_target (AssayContextBar *self)
{
  const char *id = assay_session_get_target_id (self->session);
  AssayTarget *target = assay_session_get_target (self->session);
  g_autofree char *base = g_path_get_basename (id);
  g_autofree char *label = g_strdup_printf ("Target %s", base);

  gtk_label_set_label (self->target_label, base);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->target_button),
                               target != NULL ? assay_target_get_summary (target) : "Target");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->target_button), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
}

static void
update_facts (AssayContextBar *self)
{
  AssayVerdicts *verdicts = assay_session_get_verdicts (self->session);
  g_autofree char *first = NULL;
  g_autofree char *second = NULL;

  if (verdicts != NULL && verdicts->n_partitions > 0)
    {
      first = g_strdup_printf (verdicts->n_partitions == 1 ? "%u partition" : "%u partitions", verdicts->n_partitions);
      second = g_strdup_printf (verdicts->n_transitions == 1 ? "%u transition" : "%u transitions",
                                verdicts->n_transitions);
    }

  gtk_label_set_label (self->fact_first, first != NULL ? first : "");
  gtk_label_set_label (self->fact_second, second != NULL ? second : "");
  gtk_label_set_label (self->fact_alone, first != NULL ? first : "");
}

static void
update_counts (AssayContextBar *self)
{
  ASSAY_WATCH ("context bar");
  AssayVerdicts *verdicts = assay_session_get_verdicts (self->session);

  for (guint i = 0; i < N_SUMMARY; i++)
    {
      guint count = count_of (verdicts, summary[i].mask);
      g_autofree char *number = assay_ui_format_count (count);
      g_autofree char *nodes = assay_ui_format_nodes (count);
      g_autofree char *label = g_strdup_printf ("%s: %s", assay_verdict_word (summary[i].kind), nodes);
      g_autofree char *tooltip = g_strdup_printf ("Show only the %s %s", nodes,
                                                  assay_verdict_name (summary[i].kind));

      gtk_label_set_label (GTK_LABEL (self->number[i]), number);
      gtk_widget_set_visible (self->toggle[i], count > 0);
      gtk_widget_set_tooltip_text (self->toggle[i], tooltip);
      gtk_accessible_update_property (GTK_ACCESSIBLE (self->toggle[i]), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
    }

  update_target (self);
  update_facts (self);
}

static void
update_filter (AssayContextBar *self)
{
  guint filter = assay_session_get_filter (self->session);

  self->syncing = TRUE;
  for (guint i = 0; i < N_SUMMARY; i++)
    gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->toggle[i]), (filter & summary[i].mask) != 0);
  self->syncing = FALSE;
}

static void
toggled_cb (AssayContextBar *self)
{
  guint filter = 0;

  if (self->syncing)
    return;

  for (guint i = 0; i < N_SUMMARY; i++)
    if (gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (self->toggle[i])))
      filter |= summary[i].mask;
  assay_session_set_filter (self->session, filter);
}

static void
add_toggle (AssayContextBar *self,
            guint            i)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);

  self->toggle[i] = gtk_toggle_button_new ();
  self->number[i] = gtk_label_new (NULL);
  self->word[i] = gtk_label_new (assay_verdict_name (summary[i].kind));
  gtk_box_append (GTK_BOX (box), assay_verdict_glyph_new (summary[i].kind));
  gtk_box_append (GTK_BOX (box), self->number[i]);
  gtk_box_append (GTK_BOX (box), self->word[i]);
  gtk_widget_add_css_class (self->number[i], "numeric");
  gtk_widget_add_css_class (self->toggle[i], "flat");
  gtk_widget_add_css_class (self->toggle[i], "verdict-toggle");
  gtk_button_set_child (GTK_BUTTON (self->toggle[i]), box);
  gtk_box_append (self->toggles, self->toggle[i]);
  g_signal_connect_swapped (self->toggle[i], "toggled", G_CALLBACK (toggled_cb), self);
}

static void
assay_context_bar_dispose (GObject *object)
{
  AssayContextBar *self = ASSAY_CONTEXT_BAR (object);

  g_clear_object (&self->session);
  gtk_widget_dispose_template (GTK_WIDGET (self), ASSAY_TYPE_CONTEXT_BAR);

  G_OBJECT_CLASS (assay_context_bar_parent_class)->dispose (object);
}

static void
assay_context_bar_class_init (AssayContextBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_context_bar_dispose;

  gtk_widget_class_set_template_from_resource (widget_class, "/org/assay/Workbench/ui/assay-context-bar.ui");
  gtk_widget_class_bind_template_child (widget_class, AssayContextBar, model_button);
  gtk_widget_class_bind_template_child (widget_class, AssayContextBar, model_label);
  gtk_widget_class_bind_template_child (widget_class, AssayContextBar, target_button);
  gtk_widget_class_bind_template_child (widget_class, AssayContextBar, target_label);
  gtk_widget_class_bind_template_child (widget_class, AssayContextBar, setup_button);
  gtk_widget_class_bind_template_child (widget_class, AssayContextBar, setup_label);
  gtk_widget_class_bind_template_child (widget_class, AssayContextBar, toggles);
  gtk_widget_class_bind_template_child (widget_class, AssayContextBar, fact_first);
  gtk_widget_class_bind_template_child (widget_class, AssayContextBar, fact_second);
  gtk_widget_class_bind_template_child (widget_class, AssayContextBar, fact_alone);
  gtk_widget_class_bind_template_child (widget_class, AssayContextBar, target_chooser);
  gtk_widget_class_bind_template_child (widget_class, AssayContextBar, setup_popover);
}

static void
assay_context_bar_init (AssayContextBar *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));

  gtk_accessible_update_property (GTK_ACCESSIBLE (self->setup_button), GTK_ACCESSIBLE_PROPERTY_LABEL, "Setup", -1);
  for (guint i = 0; i < N_SUMMARY; i++)
    add_toggle (self, i);
}

void
assay_context_bar_set_session (AssayContextBar *self,
                               AssaySession    *session)
{
  g_set_object (&self->session, session);
  assay_target_chooser_set_session (self->target_chooser, session);
  assay_setup_popover_set_session (self->setup_popover, session);
  g_signal_connect_object (session, "notify::path", G_CALLBACK (update_model), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::target-id", G_CALLBACK (update_target), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::verdicts", G_CALLBACK (update_counts), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::filter", G_CALLBACK (update_filter), self, G_CONNECT_SWAPPED);
  update_model (self);
  update_counts (self);
}

/**
 * assay_context_bar_set_roomy:
 * @self: a context bar
 * @compact: whether there is only room for icons where a word can be missed
 * @words: whether there is room for words after numbers
 *
 * Fits the bar to the width of the window.
 */
void
assay_context_bar_set_roomy (AssayContextBar *self,
                             gboolean         compact,
                             gboolean         words)
{
  gtk_widget_set_visible (self->setup_label, !compact);
  gtk_label_set_max_width_chars (self->model_label, words ? 24 : 16);
  for (guint i = 0; i < N_SUMMARY; i++)
    gtk_widget_set_visible (self->word[i], words);
}

void
assay_context_bar_open_setup (AssayContextBar *self)
{
  gtk_menu_button_popup (self->setup_button);
}

void
assay_context_bar_open_targets (AssayContextBar *self)
{
  gtk_menu_button_popup (self->target_button);
}
