/* assay-deploy-panel.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/compare/assay-deploy-panel.h"

#include "base/assay-sentence.h"
#include "ui/window/assay-ui.h"
#include "ui/window/assay-template.h"

struct _AssayDeployPanel
{
  GtkWidget parent_instance;

  AssaySession *session;

  GtkRevealer *revealer;
  GtkImage *glyph;
  GtkLabel *headline;
  GtkLabel *facts;
  GtkWidget *check_button;
  GtkWidget *copy_button;
};

G_DEFINE_FINAL_TYPE (AssayDeployPanel, assay_deploy_panel, GTK_TYPE_WIDGET)

/* A device is a part of this computer: nothing is copied to it, and what computes the same is
 * another process on it. */
static char *
describe_device (const AssayDeployment *deployment)
{
  g_autofree char *runs = assay_ui_format_count (deployment->n_runs);
  g_autofree char *median = assay_ui_format_seconds (
      (double) assay_deployment_get_percentile (deployment, 50) * 1e-9);
  g_autofree char *worst = assay_ui_format_seconds (
      (double) assay_deployment_get_percentile (deployment, 99) * 1e-9);

  return g_strdup_printf ("%s inference%s, p50 %s, p99 %s, on %s.", runs,
                          assay_plural (deployment->n_runs), median, worst,
                          deployment->info.architecture);
}

/* Latencies of this computer stand alone: beside predicted cycles they would look like those of a
 * board. */
static char *
describe_latency (AssayDeployPanel *self, const AssayDeployment *deployment)
{
  const AssayCycles *cycles = assay_compilation_get_cycles (
      assay_session_get_compilation (self->session));
  AssayProgram *program = assay_compilation_get_program (
      assay_session_get_compilation (self->session));
  g_autofree char *median = assay_ui_format_seconds (
      (double) assay_deployment_get_percentile (deployment, 50) * 1e-9);
  g_autofree char *worst = assay_ui_format_seconds (
      (double) assay_deployment_get_percentile (deployment, 99) * 1e-9);

  guint clock = cycles != NULL ? assay_program_get_clock_mhz (program) : 0;
  AssayCycleRange range;

  if (assay_board_is_local (deployment->board) || clock == 0)
    return g_strdup_printf (
        "p50 %s, p99 %s: times of this computer's processor, not of an accelerator", median, worst);

  if (!assay_program_get_cycle_range (program, cycles->contiguous, &range))
    return g_strdup_printf ("measured p50 %s, p99 %s; predicted %.2f\u202fµs", median, worst,
                            (double) cycles->contiguous / clock);

  return g_strdup_printf ("measured p50 %s, p99 %s; predicted %.2f\u202fµs (%.2f to %.2f)", median,
                          worst, (double) cycles->contiguous / clock, (double) range.low / clock,
                          (double) range.high / clock);
}

static char *
describe_board (AssayDeployPanel *self, const AssayDeployment *deployment)
{
  g_autofree char *runs = assay_ui_format_count (deployment->n_runs);
  g_autofree char *latency = describe_latency (self, deployment);
  g_autofree char *size = g_format_size_full (deployment->n_bytes, G_FORMAT_SIZE_IEC_UNITS);

  return g_strdup_printf ("%s inference%s, %s. %s copied; %s, %s kernels.", runs,
                          assay_plural (deployment->n_runs), latency, size,
                          deployment->info.architecture, deployment->info.kernels);
}

static void
show_deployment (AssayDeployPanel *self, const AssayDeployment *deployment, gboolean stale)
{
  gboolean is_device = assay_board_is_device (deployment->board);
  g_autofree char *equal = assay_ui_format_count (deployment->n_values - deployment->n_different);
  g_autofree char *values = assay_ui_format_count (deployment->n_values);
  g_autofree char *facts = is_device ? describe_device (deployment)
                                     : describe_board (self, deployment);
  g_autofree char *headline = g_strdup_printf (
      "%s%s: %s %s, %s of %s values", stale ? "○ Before the last change, " : "", deployment->label,
      deployment->n_different == 0 ? "bit-exact with" : "differs from",
      is_device ? "another process on it" : "the machine", equal, values);

  gtk_image_set_from_icon_name (
      self->glyph, deployment->n_different == 0 ? "emblem-ok-symbolic" : "dialog-error-symbolic");
  gtk_label_set_label (self->headline, headline);
  gtk_label_set_label (self->facts, facts);
}

static void
update (AssayDeployPanel *self)
{
  AssayDeployActivity *rollout = assay_session_get_deploy_activity (self->session);
  const AssayDeployment *deployment = assay_deploy_activity_get_deployment (rollout);
  const GError *error = assay_activity_get_error (ASSAY_ACTIVITY (rollout));
  g_autofree char *label = assay_board_dup_label (assay_deploy_activity_get_board (rollout));

  gtk_widget_set_visible (self->check_button, error != NULL);
  gtk_widget_set_visible (self->copy_button, error == NULL);
  if (error != NULL)
    {
      g_autofree char *headline = g_strdup_printf ("The program does not run on %s", label);
      g_autofree char *why = assay_sentence_dup_closed (error->message);
      gboolean is_board = !assay_board_is_device (assay_deploy_activity_get_board (rollout));
      g_autofree char *facts = g_strconcat (why, is_board ? " The board is as before." : NULL,
                                            NULL);

      gtk_image_set_from_icon_name (self->glyph, "dialog-error-symbolic");
      gtk_label_set_label (self->headline, headline);
      gtk_label_set_label (self->facts, facts);
    }
  else if (deployment != NULL)
    {
      show_deployment (self, deployment,
                       assay_activity_get_state (ASSAY_ACTIVITY (rollout)) != ASSAY_ACTIVITY_READY);
    }
  gtk_revealer_set_reveal_child (self->revealer, error != NULL || deployment != NULL);
}

static void
assay_deploy_panel_dispose (GObject *object)
{
  AssayDeployPanel *self = ASSAY_DEPLOY_PANEL (object);

  gtk_widget_dispose_template (GTK_WIDGET (self), ASSAY_TYPE_DEPLOY_PANEL);
  g_clear_object (&self->session);

  G_OBJECT_CLASS (assay_deploy_panel_parent_class)->dispose (object);
}

static void
assay_deploy_panel_class_init (AssayDeployPanelClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_deploy_panel_dispose;

  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  ASSAY_BIND_TEMPLATE (klass, AssayDeployPanel, "assay-deploy-panel", revealer, glyph, headline,
                       facts, check_button, copy_button);
}

static void
assay_deploy_panel_init (AssayDeployPanel *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
assay_deploy_panel_set_session (AssayDeployPanel *self, AssaySession *session)
{
  g_set_object (&self->session, session);
  g_signal_connect_object (assay_session_get_deploy_activity (session), "notify::state",
                           G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  update (self);
}
