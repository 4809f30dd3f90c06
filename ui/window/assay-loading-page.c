/* assay-loading-page.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/window/assay-loading-page.h"
#include "ui/window/assay-template.h"

#include <glib/gstdio.h>

struct _AssayLoadingPage
{
  GtkWidget parent_instance;

  AssaySession *session;
  GSignalGroup *job_signals;

  GtkWidget *box;
  GtkWidget *content;
  GtkLabel *name;
  GtkLabel *size;
  GtkProgressBar *bar;
  GtkLabel *stage;
};

G_DEFINE_FINAL_TYPE (AssayLoadingPage, assay_loading_page, GTK_TYPE_WIDGET)

static void
job_changed_cb (AssayLoadingPage *self)
{
  g_autoptr (AssayJob) job = g_signal_group_dup_target (self->job_signals);

  if (job == NULL)
    return;

  gtk_label_set_label (
      self->stage, assay_job_get_message (job) != NULL ? assay_job_get_message (job) : "Reading");
  gtk_progress_bar_set_fraction (self->bar, CLAMP (assay_job_get_fraction (job), 0.0, 1.0));
}

static void
jobs_changed_cb (AssayLoadingPage *self)
{
  g_autoptr (AssayJob) job = g_list_model_get_item (assay_session_get_jobs (self->session), 0);

  g_signal_group_set_target (self->job_signals, job);
  job_changed_cb (self);
}

static void
path_changed_cb (AssayLoadingPage *self)
{
  g_autofree char *name = assay_document_dup_name (assay_session_get_document (self->session));
  g_autofree char *size = NULL;
  GStatBuf st;

  /* One stat of a file that the user just named; the page appears while the reader maps the same
   * file. */
  if (assay_document_get_path (assay_session_get_document (self->session)) != NULL &&
      g_stat (assay_document_get_path (assay_session_get_document (self->session)), &st) == 0 &&
      S_ISREG (st.st_mode))
    size = g_format_size_full ((guint64) st.st_size, G_FORMAT_SIZE_IEC_UNITS);

  gtk_label_set_label (self->name, name);
  {
    g_autofree char *target = g_path_get_basename (assay_session_get_target_id (self->session));
    g_autofree char *text = g_strdup_printf ("%s%sfor %s", size != NULL ? size : "",
                                             size != NULL ? ", " : "", target);

    gtk_label_set_label (self->size, text);
  }
}

static void
assay_loading_page_dispose (GObject *object)
{
  AssayLoadingPage *self = ASSAY_LOADING_PAGE (object);

  g_clear_object (&self->job_signals);
  g_clear_object (&self->session);
  gtk_widget_dispose_template (GTK_WIDGET (self), ASSAY_TYPE_LOADING_PAGE);

  G_OBJECT_CLASS (assay_loading_page_parent_class)->dispose (object);
}

static void
assay_loading_page_class_init (AssayLoadingPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_loading_page_dispose;

  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  ASSAY_BIND_TEMPLATE (klass, AssayLoadingPage, "assay-loading-page", box, content, name, size, bar,
                       stage);
}

static void
assay_loading_page_init (AssayLoadingPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));

  self->job_signals = g_signal_group_new (ASSAY_TYPE_JOB);
  g_signal_group_connect_swapped (self->job_signals, "notify", G_CALLBACK (job_changed_cb), self);
}

void
assay_loading_page_set_session (AssayLoadingPage *self, AssaySession *session)
{
  g_set_object (&self->session, session);
  g_signal_connect_object (assay_session_get_document (session), "notify::path",
                           G_CALLBACK (path_changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::target-id", G_CALLBACK (path_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (assay_session_get_jobs (session), "items-changed",
                           G_CALLBACK (jobs_changed_cb), self, G_CONNECT_SWAPPED);
}

/**
 * assay_loading_page_set_quiet:
 * @self: a loading page
 * @quiet: whether it says nothing yet
 *
 * Leaves the page empty, so that a file that is read at once does not flicker.
 */
void
assay_loading_page_set_quiet (AssayLoadingPage *self, gboolean quiet)
{
  gtk_widget_set_visible (self->content, !quiet);
}
