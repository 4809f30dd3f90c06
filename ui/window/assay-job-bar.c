/* assay-job-bar.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/window/assay-job-bar.h"
#include "base/assay-sentence.h"
#include "ui/window/assay-template.h"

/* Shorter work would only flicker. */
#define DELAY_MS 300

struct _AssayJobBar
{
  GtkWidget parent_instance;

  AssaySession *session;
  GSignalGroup *job_signals;
  guint timeout;

  GtkRevealer *revealer;
  GtkSpinner *spinner;
  GtkLabel *label;
  GtkProgressBar *bar;
  GtkMenuButton *more;
  GtkBox *list;
};

G_DEFINE_FINAL_TYPE (AssayJobBar, assay_job_bar, GTK_TYPE_WIDGET)

static void
job_changed_cb (AssayJobBar *self)
{
  g_autoptr (AssayJob) job = g_signal_group_dup_target (self->job_signals);
  g_autofree char *text = NULL;

  if (job == NULL)
    return;

  if (assay_job_get_message (job) != NULL)
    text = g_strdup_printf ("%s: %s", assay_job_get_title (job), assay_job_get_message (job));
  gtk_label_set_label (self->label, text != NULL ? text : assay_job_get_title (job));
  gtk_progress_bar_set_fraction (self->bar, CLAMP (assay_job_get_fraction (job), 0.0, 1.0));
}

static gboolean
reveal_cb (gpointer data)
{
  AssayJobBar *self = data;

  self->timeout = 0;
  gtk_revealer_set_reveal_child (self->revealer, TRUE);
  gtk_spinner_start (self->spinner);
  return G_SOURCE_REMOVE;
}

/* With several jobs the bar follows the first; the others are behind a button. */
static void
update_list (AssayJobBar *self)
{
  GListModel *jobs = assay_session_get_jobs (self->session);
  guint n = g_list_model_get_n_items (jobs);
  g_autofree char *count = g_strdup_printf ("%u job%s", n, assay_plural (n));
  GtkWidget *child;

  gtk_widget_set_visible (GTK_WIDGET (self->more), n > 1);
  gtk_menu_button_set_label (self->more, count);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->list))) != NULL)
    gtk_box_remove (self->list, child);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (AssayJob) job = g_list_model_get_item (jobs, i);
      GtkWidget *label = gtk_label_new (assay_job_get_title (job));
      GtkWidget *bar = gtk_progress_bar_new ();

      gtk_label_set_xalign (GTK_LABEL (label), 0);
      g_object_bind_property (job, "fraction", bar, "fraction", G_BINDING_SYNC_CREATE);
      gtk_accessible_update_property (GTK_ACCESSIBLE (bar), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                      assay_job_get_title (job), -1);
      gtk_box_append (self->list, label);
      gtk_box_append (self->list, bar);
    }
}

static void
jobs_changed_cb (AssayJobBar *self)
{
  g_autoptr (AssayJob) job = g_list_model_get_item (assay_session_get_jobs (self->session), 0);

  g_signal_group_set_target (self->job_signals, job);
  update_list (self);

  if (job == NULL)
    {
      g_clear_handle_id (&self->timeout, g_source_remove);
      gtk_revealer_set_reveal_child (self->revealer, FALSE);
      gtk_spinner_stop (self->spinner);
      return;
    }

  job_changed_cb (self);
  if (self->timeout == 0 && !gtk_revealer_get_reveal_child (self->revealer))
    self->timeout = g_timeout_add (DELAY_MS, reveal_cb, self);
}

static void
assay_job_bar_dispose (GObject *object)
{
  AssayJobBar *self = ASSAY_JOB_BAR (object);

  g_clear_handle_id (&self->timeout, g_source_remove);
  g_clear_object (&self->job_signals);
  g_clear_object (&self->session);
  gtk_widget_dispose_template (GTK_WIDGET (self), ASSAY_TYPE_JOB_BAR);

  G_OBJECT_CLASS (assay_job_bar_parent_class)->dispose (object);
}

static void
assay_job_bar_class_init (AssayJobBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_job_bar_dispose;

  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  ASSAY_BIND_TEMPLATE (klass, AssayJobBar, "assay-job-bar", revealer, spinner, label, bar, more,
                       list);
}

static void
assay_job_bar_init (AssayJobBar *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));

  self->job_signals = g_signal_group_new (ASSAY_TYPE_JOB);
  g_signal_group_connect_swapped (self->job_signals, "notify", G_CALLBACK (job_changed_cb), self);
}

void
assay_job_bar_set_session (AssayJobBar *self, AssaySession *session)
{
  g_set_object (&self->session, session);
  g_signal_connect_object (assay_session_get_jobs (session), "items-changed",
                           G_CALLBACK (jobs_changed_cb), self, G_CONNECT_SWAPPED);
  jobs_changed_cb (self);
}
