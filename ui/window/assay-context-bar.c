/* assay-context-bar.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/window/assay-context-bar.h"

#include "base/assay-error.h"
#include "base/assay-sentence.h"
#include "ui/window/assay-action.h"
#include "ui/sidebar/assay-target-chooser.h"
#include "ui/window/assay-ui.h"
#include "ui/canvas/assay-verdict-glyph.h"
#include "ui/inspector/assay-verdict-text.h"
#include "ui/window/assay-watchdog.h"
#include "ui/window/assay-template.h"

/* Every node of the file is in one of these, with the numbers of the command line. */
#define N_SUMMARY ASSAY_N_VERDICTS

/* Longer bindings leave no room for what else the bar says. */
#define MAX_BATCH 24

#define MODEL_CHARS 4
#define TARGET_CHARS 10

/* All verdicts have their words, or none. */
enum
{
  FORM_WORDED,
  FORM_BARE,
  N_FORMS
};

struct _AssayContextBar
{
  GtkBox parent_instance;

  AssaySession *session;
  gboolean syncing;
  GtkWidget *toggle[N_FORMS][N_SUMMARY];
  GtkWidget *number[N_FORMS][N_SUMMARY];

  GtkMenuButton *model_button;
  GtkLabel *model_label;
  GtkMenuButton *target_button;
  GtkLabel *target_label;
  GtkWidget *setup_button;
  GtkWidget *setup_label;
  GtkButton *batch_button;
  gboolean compact;
  GtkWidget *misfit;
  GtkBox *worded;
  GtkBox *bare;
  GtkButton *fact_first;
  GtkButton *fact_second;
  GtkButton *fact_third;
  GtkButton *fact_alone;
  AssayTargetChooser *target_chooser;
  GMenu *model_section;
  GMenu *close_section;
};

G_DEFINE_FINAL_TYPE (AssayContextBar, assay_context_bar, GTK_TYPE_BOX)

/* However little room there is, so much of a name is left. */
static void
set_name (GtkLabel *label, const char *name, int chars)
{
  gtk_label_set_label (label, name);
  gtk_label_set_width_chars (label, (int) MIN (g_utf8_strlen (name, -1), chars));
}

static void
update_model (AssayContextBar *self)
{
  g_autofree char *name = assay_document_dup_name (assay_session_get_document (self->session));
  g_autofree char *label = g_strdup_printf ("Model %s", name);

  set_name (self->model_label, name, MODEL_CHARS);
  assay_ui_set_tooltip (GTK_WIDGET (self->model_button),
                        assay_document_get_path (assay_session_get_document (self->session)));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->model_button),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
}

static void
update_target (AssayContextBar *self)
{
  const char *id = assay_session_get_target_id (self->session);
  AssayTarget *target = assay_session_get_target (self->session);
  g_autofree char *base = g_path_get_basename (id);
  g_autofree char *label = g_strdup_printf ("Target %s", base);
  g_autofree char *summary = assay_sentence_dup_shown (
      target != NULL ? assay_target_get_summary (target) : "Target");

  set_name (self->target_label, base, TARGET_CHARS);
  assay_ui_set_tooltip (GTK_WIDGET (self->target_button), summary);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->target_button),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
}

static void
set_fact (GtkButton *button, const char *text, const char *tooltip, const char *action)
{
  g_autofree char *name = NULL;
  g_autofree char *shown = tooltip != NULL ? assay_sentence_dup_shown (tooltip) : NULL;
  g_autoptr (GVariant) target = NULL;

  gtk_button_set_label (button, text != NULL ? text : "");
  gtk_widget_set_visible (GTK_WIDGET (button), text != NULL);
  if (g_strcmp0 (gtk_widget_get_tooltip_text (GTK_WIDGET (button)), shown) != 0)
    assay_ui_set_tooltip (GTK_WIDGET (button), shown);
  /* Between two actions the button has none: GTK warns of one with the target of the other. */
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), NULL);
  gtk_actionable_set_action_target_value (GTK_ACTIONABLE (button), NULL);
  if (action != NULL && g_action_parse_detailed_name (action, &name, &target, NULL))
    {
      gtk_actionable_set_action_target_value (GTK_ACTIONABLE (button), target);
      gtk_actionable_set_action_name (GTK_ACTIONABLE (button), name);
    }
  gtk_widget_set_can_target (GTK_WIDGET (button), action != NULL);
  gtk_widget_set_focusable (GTK_WIDGET (button), action != NULL);
}

/* Against what was pinned; the same number needs no words. */
static char *
dup_change (gint64 now, gint64 before, const char *unit)
{
  g_autofree char *new = assay_ui_format_count ((guint64) now);
  g_autofree char *old = NULL;

  if (before < 0)
    return g_strdup ("");

  old = assay_ui_format_count ((guint64) before);
  return now == before ? g_strdup (", as pinned")
                       : g_strdup_printf (", %s from %s%s", new, old, unit);
}

static char *
dup_time (const AssayCycles *cycles, guint clock, const char *before, gint64 pinned)
{
  g_autofree char *old = NULL;

  if (clock == 0)
    return g_strdup_printf ("%s%u cycle%s", before, cycles->spaced, assay_plural (cycles->spaced));
  if (pinned >= 0 && pinned != cycles->spaced)
    old = g_strdup_printf (" from %.2f\u202fµs", (double) pinned / clock);

  return g_strdup_printf ("%s%.2f\u202fµs%s", before, (double) cycles->spaced / clock,
                          old != NULL ? old : "");
}

/* A store that is made to measure is never more or less than full: its size counts. */
static void
set_measured_facts (AssayContextBar *self, AssayMemoryMap *memory, const AssayMemoryUse *use,
                    const char *before)
{
  const AssayProgramStore *store = assay_program_get_store (memory->program, memory->main_store);
  g_autofree char *size = g_format_size_full ((guint64) use->peak * store->measured,
                                              G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *text = g_strdup_printf ("%s%s %s", before, store->title, size);
  g_autofree char *tooltip = g_strdup_printf ("%s of %s at step %u; go there", size, store->noun,
                                              use->peak_step);

  set_fact (self->fact_first, text, tooltip, "memory.to-peak");
  set_fact (self->fact_alone, text, tooltip, "memory.to-peak");
}

static void
set_time_fact (AssayContextBar *self, AssayProgram *program, const AssayCycles *cycles,
               const char *before)
{
  AssayBaseline *baseline = assay_session_get_baseline (self->session);
  guint clock = assay_program_get_clock_mhz (program);
  g_autofree char *time = dup_time (cycles, clock, before, assay_baseline_get_cycles (baseline));
  g_autofree char *spaced = assay_program_dup_count (program, cycles->spaced);
  g_autofree char *contiguous = assay_program_dup_count (program, cycles->contiguous);
  g_autofree char *tooltip = g_strdup_printf ("%s cycles spaced, %s contiguous, at %u MHz, %s",
                                              spaced, contiguous, clock,
                                              assay_program_get_cycles_word (program));

  set_fact (self->fact_second, time, tooltip, "win.to-timeline");
}

/* What is known of the program: fullness at its peak and time, or that there is none. A hollow
 * dot and the word was say that it is that of an earlier model, target or setup. */
static void
update_program_facts (AssayContextBar *self)
{
  AssayCompilation *compilation = assay_session_get_compilation (self->session);
  AssayBaseline *baseline = assay_session_get_baseline (self->session);
  AssayMemoryMap *memory = assay_compilation_get_memory (compilation);
  const GError *error = assay_activity_get_error (ASSAY_ACTIVITY (compilation));
  const AssayCycles *cycles = assay_compilation_get_cycles (compilation);
  const char *before = assay_activity_get_state (ASSAY_ACTIVITY (compilation)) ==
                               ASSAY_ACTIVITY_READY
                           ? ""
                           : "○ was ";
  const AssayMemoryUse *use;
  g_autofree char *share = NULL;
  g_autofree char *used = NULL;
  g_autofree char *core = NULL;
  g_autofree char *step = NULL;
  g_autofree char *change = NULL;
  g_autofree char *fill = NULL;
  g_autofree char *short_fill = NULL;
  g_autofree char *fill_tooltip = NULL;

  if (error != NULL)
    {
      gboolean misfit = g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_ALLOCATION);
      const char *text = misfit ? NULL : "Not compiled";

      set_fact (self->fact_first, text, error->message, "win.page::memory");
      set_fact (self->fact_alone, text, error->message, "win.page::memory");
      set_fact (self->fact_second, NULL, NULL, NULL);
      return;
    }

  use = assay_memory_map_get_use (memory, memory->peak_core, memory->main_store);
  if (assay_program_counts_cycles (memory->program))
    set_time_fact (self, memory->program, cycles, before);
  else
    set_fact (self->fact_second, NULL, NULL, NULL);
  if (assay_program_get_store (memory->program, memory->main_store)->measured > 0)
    {
      set_measured_facts (self, memory, use, before);
      return;
    }
  share = assay_ui_format_share (use->peak, use->depth);
  used = assay_ui_format_use (use->peak, use->depth,
                              assay_program_get_block_bytes (memory->program));
  change = dup_change (use->peak, assay_baseline_get_peak (baseline), "");
  core = memory->n_cores > 1 ? g_strdup_printf (" core %u", memory->peak_core) : g_strdup ("");
  step = assay_ui_format_count (use->peak_step);
  short_fill = g_strdup_printf ("%sTRAM %s%s", before, share, core);
  fill = g_strconcat (short_fill, change, NULL);
  fill_tooltip = g_strdup_printf ("%s of tensor RAM%s%s at step %s%s%s; go there", used,
                                  *core != '\0' ? " in" : "", core, step, change,
                                  *change != '\0' ? " blocks" : "");
  set_fact (self->fact_first, fill, fill_tooltip, "memory.to-peak");
  set_fact (self->fact_alone, short_fill, fill_tooltip, "memory.to-peak");
}

/* What the last comparison found. */
static void
update_comparison_fact (AssayContextBar *self)
{
  AssayCompareActivity *comparing = assay_session_get_compare_activity (self->session);
  const AssayComparison *comparison = assay_compare_activity_get_comparison (comparing);
  const char *before = assay_activity_get_state (ASSAY_ACTIVITY (comparing)) == ASSAY_ACTIVITY_READY
                           ? ""
                           : "○ was ";
  double pinned = assay_baseline_get_error (assay_session_get_baseline (self->session));
  double error = comparison != NULL && comparison->worst >= 0
                     ? assay_comparison_row_error (
                           assay_comparison_row (comparison, (guint) comparison->worst))
                     : -1;
  g_autofree char *units = assay_ui_format_ulp (MAX (error, 0));
  g_autofree char *from = assay_ui_format_ulp (MAX (pinned, 0));
  g_autofree char *old = pinned >= 0 && pinned != error ? g_strdup_printf (" from %s", from)
                                                        : g_strdup ("");
  g_autofree char *text = NULL;

  if (comparison != NULL && comparison->verdict == ASSAY_COMPARISON_EXACT)
    text = g_strdup_printf ("%sbit-exact", before);
  else if (error >= 0)
    text = g_strdup_printf ("%s%s%s\u202funit%s", before, units, old,
                            assay_plural_of (*old != '\0' ? from : units));

  set_fact (self->fact_third, text, "Largest own error of the last comparison; go there",
            "win.to-compare");
}

/* A program without room is the first thing to know, however good the nodes are. */
static void
update_misfit (AssayContextBar *self)
{
  const GError *error = assay_activity_get_error (
      ASSAY_ACTIVITY (assay_session_get_compilation (self->session)));
  gboolean misfit = g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_ALLOCATION);

  gtk_widget_set_visible (self->misfit, misfit);
  if (misfit)
    assay_ui_set_tooltip (self->misfit, error->message);
}

static void
update_facts (AssayContextBar *self)
{
  AssayVerdicts *verdicts = assay_session_get_verdicts (self->session);
  AssayCompilation *compilation = assay_session_get_compilation (self->session);
  g_autofree char *first = NULL;
  g_autofree char *second = NULL;

  update_misfit (self);
  if (assay_compilation_get_memory (compilation) != NULL ||
      assay_activity_get_error (ASSAY_ACTIVITY (compilation)) != NULL)
    {
      update_program_facts (self);
      return;
    }

  if (verdicts != NULL && verdicts->n_partitions > 0)
    {
      first = g_strdup_printf (verdicts->n_partitions == 1 ? "%u partition" : "%u partitions",
                               verdicts->n_partitions);
      second = g_strdup_printf (verdicts->n_transitions == 1 ? "%u transition" : "%u transitions",
                                verdicts->n_transitions);
    }

  set_fact (self->fact_first, first, NULL, NULL);
  set_fact (self->fact_second, second, NULL, NULL);
  set_fact (self->fact_alone, first, NULL, NULL);
}

static void
update_counts (AssayContextBar *self)
{
  ASSAY_WATCH ("context bar");
  AssayVerdicts *verdicts = assay_session_get_verdicts (self->session);
  gint64 refused = assay_baseline_get_refused (assay_session_get_baseline (self->session));

  for (guint i = 0; i < N_SUMMARY; i++)
    {
      guint count = verdicts != NULL ? assay_verdicts_count (verdicts, i) : 0;
      g_autofree char *number = assay_ui_format_count (count);
      g_autofree char *nodes = assay_ui_format_nodes (count);
      g_autofree char *label = g_strdup_printf ("%s: %s", assay_verdict_word (i), nodes);
      g_autofree char *change = dup_change (count, i == ASSAY_VERDICT_REJECTED ? refused : -1, "");
      g_autofree char *tooltip = g_strdup_printf ("Show only the %s %s%s", nodes,
                                                  assay_verdict_name (i), change);

      for (guint form = 0; form < N_FORMS; form++)
        {
          gtk_label_set_label (GTK_LABEL (self->number[form][i]), number);
          gtk_widget_set_visible (self->toggle[form][i], count > 0);
          assay_ui_set_tooltip (self->toggle[form][i], tooltip);
          gtk_accessible_update_property (GTK_ACCESSIBLE (self->toggle[form][i]),
                                          GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
        }
    }

  update_target (self);
  update_facts (self);
}

static void
baseline_changed_cb (AssayContextBar *self)
{
  update_counts (self);
  update_comparison_fact (self);
}

/* What is undecided for want of a batch is one press away; where there is no room, the card has it.
 */
static void
update_batch (AssayContextBar *self)
{
  g_autofree char *batch = self->session != NULL ? assay_session_dup_batch (self->session) : NULL;

  if (batch != NULL)
    gtk_button_set_label (self->batch_button, batch);
  gtk_widget_set_visible (GTK_WIDGET (self->batch_button),
                          batch != NULL && !self->compact &&
                              g_utf8_strlen (batch, -1) <= MAX_BATCH);
}

static void
update_filter (AssayContextBar *self)
{
  guint filter = assay_session_get_filter (self->session);

  self->syncing = TRUE;
  for (guint form = 0; form < N_FORMS; form++)
    for (guint i = 0; i < N_SUMMARY; i++)
      gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->toggle[form][i]),
                                    (filter & (1u << i)) != 0);
  self->syncing = FALSE;
}

static void
toggled_cb (AssayContextBar *self, GtkToggleButton *toggle)
{
  guint filter = assay_session_get_filter (self->session);

  if (self->syncing)
    return;

  for (guint form = 0; form < N_FORMS; form++)
    for (guint i = 0; i < N_SUMMARY; i++)
      if (self->toggle[form][i] == GTK_WIDGET (toggle))
        filter = gtk_toggle_button_get_active (toggle) ? filter | 1u << i : filter & ~(1u << i);
  assay_session_set_filter (self->session, filter);
}

static void
add_toggle (AssayContextBar *self, GtkBox *into, guint form, guint i)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *toggle = gtk_toggle_button_new ();
  GtkWidget *number = gtk_label_new (NULL);

  self->toggle[form][i] = toggle;
  self->number[form][i] = number;
  gtk_box_append (GTK_BOX (box), assay_verdict_glyph_new (i));
  gtk_box_append (GTK_BOX (box), number);
  if (form == FORM_WORDED)
    gtk_box_append (GTK_BOX (box), gtk_label_new (assay_verdict_name (i)));
  gtk_widget_add_css_class (number, "numeric");
  gtk_widget_add_css_class (toggle, "flat");
  gtk_widget_add_css_class (toggle, "verdict-toggle");
  gtk_button_set_child (GTK_BUTTON (toggle), box);
  gtk_box_append (into, toggle);
  g_signal_connect_swapped (toggle, "toggled", G_CALLBACK (toggled_cb), self);
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
  G_OBJECT_CLASS (klass)->dispose = assay_context_bar_dispose;

  ASSAY_BIND_TEMPLATE (klass, AssayContextBar, "assay-context-bar", model_button, model_label,
                       target_button, target_label, setup_button, setup_label, batch_button, misfit,
                       worded, bare, fact_first, fact_second, fact_third, fact_alone,
                       target_chooser, model_section, close_section);
}

static void
assay_context_bar_init (AssayContextBar *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));

  assay_action_fill_section (self->model_section, ASSAY_MENU_MODEL);
  assay_action_fill_section (self->close_section, ASSAY_MENU_CLOSE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->setup_button),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, "Setup", -1);
  for (guint i = 0; i < N_SUMMARY; i++)
    {
      add_toggle (self, self->worded, FORM_WORDED, i);
      add_toggle (self, self->bare, FORM_BARE, i);
    }
}

void
assay_context_bar_set_session (AssayContextBar *self, AssaySession *session)
{
  g_set_object (&self->session, session);
  assay_target_chooser_set_session (self->target_chooser, session);
  g_signal_connect_object (assay_session_get_document (session), "notify::path",
                           G_CALLBACK (update_model), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::target-id", G_CALLBACK (update_target), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::verdicts", G_CALLBACK (update_counts), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::verdicts", G_CALLBACK (update_batch), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::filter", G_CALLBACK (update_filter), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (assay_session_get_compilation (session), "notify::state",
                           G_CALLBACK (update_facts), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (assay_session_get_compare_activity (session), "notify::state",
                           G_CALLBACK (update_comparison_fact), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (assay_session_get_baseline (session), "notify::pinned",
                           G_CALLBACK (baseline_changed_cb), self, G_CONNECT_SWAPPED);
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
assay_context_bar_set_roomy (AssayContextBar *self, gboolean compact, gboolean words)
{
  gtk_widget_set_visible (self->setup_label, !compact);
  self->compact = compact;
  update_batch (self);
  gtk_label_set_max_width_chars (self->model_label, compact ? 16 : words ? 40 : 28);
  gtk_widget_set_visible (GTK_WIDGET (self->worded), words);
}

void
assay_context_bar_open_targets (AssayContextBar *self)
{
  gtk_menu_button_popup (self->target_button);
}

/**
 * assay_context_bar_update_facts:
 * @self: a context bar
 *
 * Writes the facts anew, after the user chose another unit.
 */
void
assay_context_bar_update_facts (AssayContextBar *self)
{
  update_facts (self);
}
