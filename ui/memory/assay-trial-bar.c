/* assay-trial-bar.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/memory/assay-trial-bar.h"

#include "base/assay-sentence.h"
#include "ui/window/assay-ui.h"
#include "ui/window/assay-template.h"

struct _AssayTrialBar
{
  GtkWidget parent_instance;

  AssaySession *session;

  GtkRevealer *revealer;
  GtkLabel *label;
};

G_DEFINE_FINAL_TYPE (AssayTrialBar, assay_trial_bar, GTK_TYPE_WIDGET)

/* What became of it, behind what was before. */
static char *
describe_now (AssayCompilation *compilation)
{
  AssayActivityState state = assay_activity_get_state (ASSAY_ACTIVITY (compilation));
  AssayMemoryMap *memory = assay_compilation_get_memory (compilation);
  const AssayMemoryUse *use;
  g_autofree char *peak = NULL;
  g_autofree char *depth = NULL;
  gboolean several;

  if (state == ASSAY_ACTIVITY_RUNNING || (state == ASSAY_ACTIVITY_READY && memory == NULL))
    return g_strdup ("now compiling.");
  if (state != ASSAY_ACTIVITY_READY)
    return NULL;

  use = assay_memory_map_get_use (memory, memory->peak_core, memory->main_store);
  peak = assay_ui_format_count (use->peak);
  depth = assay_ui_format_count (use->depth);
  several = memory->n_cores > 1;

  return several
             ? g_strdup_printf ("now %s of %s blocks in core %u.", peak, depth, memory->peak_core)
             : g_strdup_printf ("now %s of %s blocks.", peak, depth);
}

static void
update (AssayTrialBar *self)
{
  AssayTrial *trial = assay_session_get_trial (self->session);
  gboolean active = assay_trial_get_active (trial);

  gtk_revealer_set_reveal_child (self->revealer, active);
  if (active)
    {
      AssayCompilation *compilation = assay_session_get_compilation (self->session);
      g_autofree char *now = describe_now (compilation);
      /* Without a program the page below says why in full. */
      const char *why = assay_activity_get_state (ASSAY_ACTIVITY (compilation)) ==
                                ASSAY_ACTIVITY_FAILED
                            ? "This does not fit."
                            : assay_compilation_get_reason (compilation);
      g_autofree char *text =
          now != NULL ? g_strdup_printf ("Trying: %s. %s; %s", assay_trial_get_action (trial),
                                         assay_trial_get_before (trial), now)
                      : g_strdup_printf ("Trying: %s. %s", assay_trial_get_action (trial),
                                         why != NULL ? why : "Waiting to be compiled.");
      g_autofree char *shown = assay_sentence_dup_shown (text);

      gtk_label_set_label (self->label, shown);
    }
}

static void
keep_cb (AssayTrialBar *self)
{
  assay_trial_keep (assay_session_get_trial (self->session));
}

static void
undo_cb (AssayTrialBar *self)
{
  assay_trial_undo (assay_session_get_trial (self->session));
}

static void
assay_trial_bar_dispose (GObject *object)
{
  AssayTrialBar *self = ASSAY_TRIAL_BAR (object);

  gtk_widget_dispose_template (GTK_WIDGET (self), ASSAY_TYPE_TRIAL_BAR);
  g_clear_object (&self->session);

  G_OBJECT_CLASS (assay_trial_bar_parent_class)->dispose (object);
}

static void
assay_trial_bar_class_init (AssayTrialBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_trial_bar_dispose;

  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  ASSAY_BIND_TEMPLATE (klass, AssayTrialBar, "assay-trial-bar", revealer, label);
  gtk_widget_class_bind_template_callback (widget_class, keep_cb);
  gtk_widget_class_bind_template_callback (widget_class, undo_cb);
}

static void
assay_trial_bar_init (AssayTrialBar *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
assay_trial_bar_set_session (AssayTrialBar *self, AssaySession *session)
{
  g_set_object (&self->session, session);
  g_signal_connect_object (assay_session_get_trial (session), "notify::active", G_CALLBACK (update),
                           self, G_CONNECT_SWAPPED);
  g_signal_connect_object (assay_session_get_compilation (session), "notify::state",
                           G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  /* What keeps a model from being compiled is known when it was checked. */
  g_signal_connect_object (session, "notify::busy", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  update (self);
}
