/* assay-notice-bar.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/window/assay-notice-bar.h"

#include "base/assay-error.h"
#include "base/assay-sentence.h"
#include "process/assay-sandbox.h"
#include "ui/window/assay-action.h"
#include "ui/window/assay-ui.h"
#include "ui/window/assay-template.h"

#include <string.h>

/* Of each of its sentences; the rest is in the tooltip. */
#define LINES 4
#define TIGHT_LINES 2

/* What was asked for, and what is said when it did not end or is from before a change. */
static const struct
{
  const char *action;
  const char *failed;
  const char *since;
  const char *again;
  const char *choice;
} works[] = {
  { "win.run", "The run did not end", "this run", "_Run Again", "What it runs on" },
  { "win.compare", "The comparison did not end", "this comparison", "_Compare Again",
    "What is compared" },
  { "win.deploy", "The program was not deployed", "the program was deployed", "_Deploy Again",
    "The board" },
};

#define N_WORKS G_N_ELEMENTS (works)

typedef struct
{
  AssayActivity *activity;
  char *target_id; /* what it was asked with */
  AssaySettings *setup;
  char *choice;    /* on what, and how */
  gboolean closed; /* the user knows */
} Watch;

struct _AssayNoticeBar
{
  GtkWidget parent_instance;

  AssaySession *session;
  Watch watches[N_WORKS];
  char *failure; /* of work that the session does not know */
  char *failure_action;
  char *case_path; /* of the model that the next two are about; NULL once they are closed */
  char *case_text;
  char *case_label;
  char *alone_path;          /* of the model whose missing weights the user knows of */
  const AssayAction *action; /* of the button */

  GtkRevealer *revealer;
  GtkInfoBar *bar;
  GtkLabel *label;
  GtkButton *button;
};

G_DEFINE_FINAL_TYPE (AssayNoticeBar, assay_notice_bar, GTK_TYPE_WIDGET)

/* What is shown; without a text nothing is. */
typedef struct
{
  char *text;
  GtkMessageType type;
  const char *label;
  const char *action; /* NULL for no button */
} Notice;

static void
describe_problem (AssayNoticeBar *self, Notice *notice)
{
  const AssayProblem *problem = assay_session_get_check_problem (self->session);
  const char *path = assay_document_get_path (assay_session_get_document (self->session));
  const char *where = problem != NULL ? problem->where : NULL;

  if (problem == NULL)
    return;

  /* The model is the one that is open. */
  if (path != NULL && g_str_has_prefix (where, path) &&
      g_str_has_prefix (where + strlen (path), ": "))
    where += strlen (path) + 2;
  notice->text = g_strdup_printf ("%s: %s\n%s", problem->what, where, problem->advice);
  notice->type = GTK_MESSAGE_WARNING;
  notice->label = problem->is_target_file ? "_Reload" : "Choose _Target…";
  notice->action = !problem->is_target       ? NULL
                   : problem->is_target_file ? "win.reload"
                                             : "win.choose-target";
}

/* Files that are newer than what is shown, and whether there is something to reload. */
static void
describe_changes (AssayNoticeBar *self, Notice *notice)
{
  guint changed = assay_document_get_changed_files (assay_session_get_document (self->session));
  gboolean reloadable = (changed &
                         (ASSAY_DOCUMENT_MODEL_CHANGED | ASSAY_DOCUMENT_TARGET_CHANGED)) != 0;
  g_autofree char *model = assay_document_dup_name (assay_session_get_document (self->session));
  g_autofree char *target = g_filename_display_basename (
      assay_session_get_target_id (self->session));
  g_autoptr (GString) text = g_string_new (NULL);

  if (changed == 0)
    return;

  if ((changed & ASSAY_DOCUMENT_MODEL_CHANGED) != 0)
    g_string_append_printf (text, "%s changed on disk. ", model);
  if ((changed & ASSAY_DOCUMENT_MODEL_GONE) != 0)
    g_string_append_printf (text, "%s is no longer on disk; what was read stays open. ", model);
  if ((changed & ASSAY_DOCUMENT_TARGET_CHANGED) != 0)
    g_string_append_printf (text, "The target file %s changed on disk. ", target);
  if ((changed & ASSAY_DOCUMENT_TARGET_GONE) != 0)
    g_string_append_printf (text, "The target file %s is no longer on disk; its verdicts stay. ",
                            target);
  if ((changed & ASSAY_DOCUMENT_MODEL_OTHER) != 0)
    g_string_append_printf (text, "%s is not the model that this session was saved with. ", model);
  if (reloadable)
    g_string_append (text, "\nReload keeps target, setup, selection, and fixes that still apply.");

  notice->text = g_strdup (g_strchomp (text->str));
  notice->type = GTK_MESSAGE_INFO;
  notice->label = reloadable ? "_Reload" : "_Locate…";
  notice->action = reloadable                                    ? "win.reload"
                   : (changed & ASSAY_DOCUMENT_MODEL_OTHER) != 0 ? "win.locate"
                                                                 : NULL;
}

/* Models that differ and settings that do not fit are answers; the views show them. */
static gboolean
is_failure (const GError *error)
{
  return error != NULL && !g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_INVALID) &&
         !g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED) &&
         !g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED) &&
         !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* Compare says why in its place for that; once is enough. */
static gboolean
has_page (AssayActivity *activity)
{
  return ASSAY_IS_DEPLOY_ACTIVITY (activity) || ASSAY_IS_COMPARE_ACTIVITY (activity);
}

static char *
write_failure (const char *what, const char *why, const GError *error)
{
  g_autoptr (AssayProblem) problem = assay_problem_new (error, NULL, NULL);
  g_autofree char *closed = assay_sentence_dup_closed (why);
  gboolean helps = g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_MEMORY) ||
                   g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_SAVE);

  /* Of most failures trying again is what helps, and the button says so. */
  return g_strdup_printf ("%s: %s\nNothing was lost: what is shown is as it was before.%s%s", what,
                          closed, helps ? " " : "", helps ? problem->advice : "");
}

static void
describe_failure (AssayNoticeBar *self, Notice *notice)
{
  notice->type = GTK_MESSAGE_WARNING;
  notice->label = "_Try Again";
  if (self->failure != NULL)
    {
      notice->text = g_strdup (self->failure);
      notice->action = self->failure_action;
      return;
    }

  for (guint i = 0; i < N_WORKS; i++)
    {
      const GError *error = assay_activity_get_error (self->watches[i].activity);

      if (self->watches[i].closed || !is_failure (error))
        continue;
      notice->text = write_failure (
          works[i].failed,
          has_page (self->watches[i].activity) ? "Compare says why" : error->message, error);
      notice->action = works[i].action;
      return;
    }
}

/* What the user chose beside target, setup and inputs: runners, board, tolerance. */
static char *
dup_choice (AssayActivity *activity)
{
  g_autofree char *choice = NULL;

  if (ASSAY_IS_RUN (activity))
    return g_strdup (assay_run_get_runner (ASSAY_RUN (activity)));
  if (ASSAY_IS_DEPLOY_ACTIVITY (activity))
    return g_strdup (assay_deploy_activity_get_board (ASSAY_DEPLOY_ACTIVITY (activity)));

  g_object_get (activity, "setting", &choice, NULL);
  return g_steal_pointer (&choice);
}

static void
describe_stale (AssayNoticeBar *self, Notice *notice)
{
  for (guint i = 0; i < N_WORKS; i++)
    {
      const Watch *watch = &self->watches[i];
      const char *changed = "Inputs";
      g_autofree char *choice = dup_choice (watch->activity);

      if (watch->closed || watch->setup == NULL ||
          assay_activity_get_state (watch->activity) != ASSAY_ACTIVITY_STALE)
        continue;
      if (g_strcmp0 (watch->target_id, assay_session_get_target_id (self->session)) != 0)
        changed = "Target";
      else if (!assay_settings_equal (watch->setup, assay_session_get_setup (self->session)))
        changed = "Setup";
      else if (g_strcmp0 (watch->choice, choice) != 0)
        changed = works[i].choice;
      notice->text = g_strdup_printf ("%s changed since %s", changed, works[i].since);
      notice->type = GTK_MESSAGE_INFO;
      notice->label = works[i].again;
      notice->action = works[i].action;
      return;
    }
}

/* What is open is a part of something else. */
static void
describe_case (AssayNoticeBar *self, Notice *notice)
{
  const char *path = assay_document_get_path (assay_session_get_document (self->session));

  if (self->case_path == NULL || g_strcmp0 (path, self->case_path) != 0)
    return;

  notice->text = g_strdup (self->case_text);
  notice->type = GTK_MESSAGE_INFO;
  notice->label = self->case_label;
  notice->action = "win.leave-case";
}

/* The document portal shares what the user chose, and a model may have its weights beside it. */
static void
describe_alone (AssayNoticeBar *self, Notice *notice)
{
  const char *path = assay_document_get_path (assay_session_get_document (self->session));
  GListModel *items = assay_session_get_finding_items (self->session);

  if (!assay_sandbox_shares_file_alone (path) || g_strcmp0 (path, self->alone_path) == 0)
    return;

  for (guint i = 0; i < g_list_model_get_n_items (items); i++)
    {
      g_autoptr (AssayFindingItem) item = g_list_model_get_item (items, i);

      if (g_strcmp0 (assay_finding_item_get_rule (item), "import.external-data") != 0)
        continue;
      notice->text = g_strdup ("The weights are in files beside the model, and this application "
                               "may read the model alone.\nOpen the folder that has them all.");
      notice->type = GTK_MESSAGE_WARNING;
      notice->label = "Open _Folder…";
      notice->action = "win.open-folder";
      return;
    }
}

/* One button for several actions, so it is not tied to one of them. */
static void
update_button (AssayNoticeBar *self)
{
  GtkWidget *window = gtk_widget_get_ancestor (GTK_WIDGET (self), ASSAY_TYPE_WINDOW);
  g_autofree char *reason = NULL;
  g_autofree char *tooltip = NULL;

  if (self->action == NULL || window == NULL)
    return;

  reason = assay_window_explain_action (ASSAY_WINDOW (window), self->action->name);
  tooltip = assay_action_dup_tooltip (self->action, reason);
  gtk_widget_set_sensitive (GTK_WIDGET (self->button), reason == NULL);
  assay_ui_set_tooltip (GTK_WIDGET (self->button), tooltip);
}

static void
update (AssayNoticeBar *self)
{
  static void (*const describe[]) (AssayNoticeBar * self, Notice * notice) = {
    describe_problem, describe_changes, describe_failure,
    describe_alone,   describe_stale,   describe_case,
  };
  Notice notice = { NULL, GTK_MESSAGE_INFO, NULL, NULL };
  g_autofree char *text = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (describe) && notice.text == NULL; i++)
    describe[i](self, &notice);
  text = notice.text;

  gtk_revealer_set_reveal_child (self->revealer, text != NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->button), text != NULL && notice.action != NULL);
  if (text == NULL)
    return;

  gtk_label_set_label (self->label, text);
  gtk_label_set_lines (self->label, assay_ui_is_tight (GTK_WIDGET (self)) ? TIGHT_LINES : LINES);
  gtk_info_bar_set_message_type (self->bar, notice.type);
  if (notice.action != NULL)
    {
      gtk_button_set_label (self->button, notice.label);
      self->action = assay_action_find (notice.action);
      update_button (self);
    }
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->bar), GTK_ACCESSIBLE_PROPERTY_LABEL, text,
                                  -1);
}

/* What it starts with is what a later change is told from. */
static void
activity_changed_cb (AssayNoticeBar *self, GParamSpec *pspec, AssayActivity *activity)
{
  for (guint i = 0; i < N_WORKS; i++)
    {
      Watch *watch = &self->watches[i];

      if (watch->activity != activity ||
          assay_activity_get_state (activity) != ASSAY_ACTIVITY_RUNNING)
        continue;
      watch->closed = FALSE;
      g_free (watch->target_id);
      watch->target_id = g_strdup (assay_session_get_target_id (self->session));
      g_clear_pointer (&watch->setup, assay_settings_unref);
      watch->setup = assay_settings_ref (assay_session_get_setup (self->session));
      g_free (watch->choice);
      watch->choice = dup_choice (activity);
    }
  update (self);
}

static void
response_cb (AssayNoticeBar *self, int response)
{
  if (response != GTK_RESPONSE_CLOSE)
    return;

  if (assay_session_get_check_problem (self->session) != NULL ||
      assay_document_get_changed_files (assay_session_get_document (self->session)) != 0)
    {
      assay_session_clear_check_problem (self->session);
      assay_document_ignore_changed_files (assay_session_get_document (self->session));
      return;
    }

  if (self->failure != NULL)
    g_clear_pointer (&self->failure, g_free);
  else if (self->action != NULL && g_str_equal (self->action->name, "win.open-folder"))
    {
      g_free (self->alone_path);
      self->alone_path = g_strdup (
          assay_document_get_path (assay_session_get_document (self->session)));
    }
  else if (self->action != NULL && g_str_equal (self->action->name, "win.leave-case"))
    g_clear_pointer (&self->case_path, g_free);
  else
    for (guint i = 0; i < N_WORKS; i++)
      self->watches[i].closed = TRUE;
  update (self);
}

/* Trying again answers a failure, whatever comes of it. */
static void
clicked_cb (AssayNoticeBar *self)
{
  const AssayAction *action = self->action;

  g_clear_pointer (&self->failure, g_free);
  update (self);
  if (action != NULL)
    gtk_widget_activate_action (GTK_WIDGET (self), action->name, NULL);
}

static void
assay_notice_bar_dispose (GObject *object)
{
  AssayNoticeBar *self = ASSAY_NOTICE_BAR (object);

  for (guint i = 0; i < N_WORKS; i++)
    {
      g_clear_object (&self->watches[i].activity);
      g_clear_pointer (&self->watches[i].target_id, g_free);
      g_clear_pointer (&self->watches[i].choice, g_free);
      g_clear_pointer (&self->watches[i].setup, assay_settings_unref);
    }
  g_clear_pointer (&self->failure, g_free);
  g_clear_pointer (&self->failure_action, g_free);
  g_clear_pointer (&self->alone_path, g_free);
  g_clear_pointer (&self->case_path, g_free);
  g_clear_pointer (&self->case_text, g_free);
  g_clear_pointer (&self->case_label, g_free);
  gtk_widget_dispose_template (GTK_WIDGET (self), ASSAY_TYPE_NOTICE_BAR);
  g_clear_object (&self->session);

  G_OBJECT_CLASS (assay_notice_bar_parent_class)->dispose (object);
}

static void
assay_notice_bar_class_init (AssayNoticeBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_notice_bar_dispose;

  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  ASSAY_BIND_TEMPLATE (klass, AssayNoticeBar, "assay-notice-bar", revealer, bar, label, button);
  gtk_widget_class_bind_template_callback (widget_class, response_cb);
  gtk_widget_class_bind_template_callback (widget_class, clicked_cb);
}

static void
assay_notice_bar_init (AssayNoticeBar *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  assay_ui_show_whole (GTK_WIDGET (self->label));
}

void
assay_notice_bar_set_session (AssayNoticeBar *self, AssaySession *session)
{
  AssayActivity *activities[N_WORKS] = {
    ASSAY_ACTIVITY (assay_session_get_run (session)),
    ASSAY_ACTIVITY (assay_session_get_compare_activity (session)),
    ASSAY_ACTIVITY (assay_session_get_deploy_activity (session))
  };

  g_set_object (&self->session, session);
  for (guint i = 0; i < N_WORKS; i++)
    {
      self->watches[i].activity = g_object_ref (activities[i]);
      g_signal_connect_object (activities[i], "notify::state", G_CALLBACK (activity_changed_cb),
                               self, G_CONNECT_SWAPPED);
    }
  g_signal_connect_object (assay_session_get_compilation (session), "notify::state",
                           G_CALLBACK (update_button), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::state", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::check-problem", G_CALLBACK (update), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (assay_session_get_document (session), "notify::changed-files",
                           G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  update (self);
}

/**
 * assay_notice_bar_add_failure:
 * @self: a bar
 * @what: what did not work, as the beginning of a sentence
 * @error: why
 * @action: (nullable): the action that tries it again
 *
 * Tells of work that failed and that the session does not know, such as writing a file.
 */
void
assay_notice_bar_add_failure (AssayNoticeBar *self, const char *what, const GError *error,
                              const char *action)
{
  g_return_if_fail (ASSAY_IS_NOTICE_BAR (self));

  g_free (self->failure);
  self->failure = write_failure (what, error->message, error);
  g_free (self->failure_action);
  self->failure_action = g_strdup (action);
  update (self);
}

/**
 * assay_notice_bar_set_case:
 * @self: a bar
 * @path: (type filename): the model of a case
 * @text: what it is
 * @label: of the button that leads back, with a mnemonic
 *
 * Says of what a model is a case, as long as it is open.
 */
void
assay_notice_bar_set_case (AssayNoticeBar *self, const char *path, const char *text,
                           const char *label)
{
  g_return_if_fail (ASSAY_IS_NOTICE_BAR (self));

  g_free (self->case_path);
  self->case_path = g_strdup (path);
  g_free (self->case_text);
  self->case_text = g_strdup (text);
  g_free (self->case_label);
  self->case_label = g_strdup (label);
  update (self);
}
