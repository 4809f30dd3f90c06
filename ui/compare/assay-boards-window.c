/* assay-boards-window.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/compare/assay-boards-window.h"

#include "base/assay-error.h"
#include "base/assay-sentence.h"
#include "run/board/assay-board-install.h"
#include "run/board/assay-board-list.h"
#include "ui/window/assay-ui-markup.h"
#include "ui/window/assay-template.h"

#define CHECK_SECONDS 5

struct _AssayBoardsWindow
{
  AdwWindow parent_instance;

  AssaySession *session;
  AssayJob *job;         /* the check that runs, or what is done to the agent */
  GPtrArray *rows;       /* of the check */
  GPtrArray *places;     /* rows of what can be chosen */
  GtkCheckButton *group; /* never shown: a single button would be a check box */

  AdwPreferencesGroup *boards;
  AdwEntryRow *host;
  AdwPreferencesGroup *health;
  GtkSpinner *spinner;
};

G_DEFINE_FINAL_TYPE (AssayBoardsWindow, assay_boards_window, ADW_TYPE_WINDOW)

static AssayDeployActivity *
get_deploy_activity (AssayBoardsWindow *self)
{
  return assay_session_get_deploy_activity (self->session);
}

static void
copy_cb (GtkWidget *button)
{
  gdk_clipboard_set_text (gtk_widget_get_clipboard (button),
                          g_object_get_data (G_OBJECT (button), "command"));
}

static GtkWidget *
add_button (GtkWidget *row, const char *label)
{
  GtkWidget *button = gtk_button_new_with_label (label);

  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), button);

  return button;
}

static GtkWidget *
add_check (AssayBoardsWindow *self, const char *icon, const char *title, const char *subtitle,
           const char *command)
{
  GtkWidget *row = adw_action_row_new ();
  GtkWidget *image = gtk_image_new_from_icon_name (icon);
  g_autofree char *name = g_strdup_printf ("%s, %s", title, subtitle);

  assay_ui_name_row (row, title, subtitle);
  adw_action_row_add_prefix (ADW_ACTION_ROW (row), image);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  if (command != NULL)
    {
      GtkWidget *button = add_button (row, "Copy Command");

      gtk_widget_set_tooltip_text (button, command);
      g_object_set_data_full (G_OBJECT (button), "command", g_strdup (command), g_free);
      g_signal_connect (button, "clicked", G_CALLBACK (copy_cb), NULL);
    }
  adw_preferences_group_add (self->health, row);
  g_ptr_array_add (self->rows, row);

  return row;
}

static void
clear_checks (AssayBoardsWindow *self)
{
  for (guint i = 0; i < self->rows->len; i++)
    adw_preferences_group_remove (self->health, g_ptr_array_index (self->rows, i));
  g_ptr_array_set_size (self->rows, 0);
}

/* What is done to the agent of a board. */
typedef struct
{
  const char *button;
  const char *title;
  const char *failed;
  gboolean (*act) (const char *board, const AssayProgress *progress, GError **error);
} Act;

static gboolean
install_agent (const char *board, const AssayProgress *progress, GError **error)
{
  g_autoptr (AssayBoardInstallation) done = assay_board_install (board, progress, error);

  return done != NULL;
}

static gboolean
remove_agent (const char *board, const AssayProgress *progress, GError **error)
{
  gboolean removed;

  if (!assay_board_remove (board, &removed, progress, error))
    return FALSE;
  if (!removed)
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "There is no %s; another agent answers.",
                 ASSAY_BOARD_INSTALLED);

  return removed;
}

static const Act installing = { "Install Agent", "Installing the agent", "Not installed",
                                install_agent };
static const Act removing = { "Remove Agent", "Removing the agent", "Not removed", remove_agent };

/* One request to check a board. */
typedef struct
{
  char *board;
  const Act *act; /* (nullable): what is done before */
  GArray *checks; /* out */
} Check;

static void
check_free (gpointer data)
{
  Check *check = data;

  g_free (check->board);
  g_clear_pointer (&check->checks, g_array_unref);
  g_free (check);
}

static gboolean
check_board (gpointer request, const AssayProgress *progress, GError **error)
{
  Check *check = request;

  if (check->act != NULL && !check->act->act (check->board, progress, error))
    return FALSE;

  check->checks = assay_board_check (check->board, CHECK_SECONDS, progress, error);
  return check->checks != NULL;
}

static void check (AssayBoardsWindow *self, const Act *act);

static void
act_cb (GtkWidget *button, AssayBoardsWindow *self)
{
  check (self, g_object_get_data (G_OBJECT (button), "act"));
}

static void
add_act (AssayBoardsWindow *self, GtkWidget *row, const Act *act)
{
  GtkWidget *button = add_button (row, act->button);

  g_object_set_data (G_OBJECT (button), "act", (gpointer) act);
  g_signal_connect (button, "clicked", G_CALLBACK (act_cb), self);
}

static void
checked (gpointer owner, gpointer request, const GError *error)
{
  AssayBoardsWindow *self = owner;
  const Check *asked = request;
  const GArray *checks = asked->checks;

  gtk_spinner_stop (self->spinner);
  clear_checks (self);
  if (error != NULL)
    {
      add_check (self, "dialog-error-symbolic",
                 asked->act != NULL ? asked->act->failed : "Not checked", error->message, NULL);
      return;
    }

  for (guint i = 0; i < checks->len; i++)
    {
      const AssayBoardCheck *check = &g_array_index (checks, AssayBoardCheck, i);
      g_autofree char *title = assay_sentence_new (assay_board_step_name (check->step));
      g_autofree char *text = check->remedy != NULL
                                  ? g_strdup_printf ("%s %s", check->sentence, check->remedy)
                                  : g_strdup (check->sentence);
      GtkWidget *row;

      row = add_check (self, check->passed ? "emblem-ok-symbolic" : "dialog-error-symbolic", title,
                       text, check->command);
      if (check->installs)
        add_act (self, row, &installing);
      else if (check->passed && check->step == ASSAY_BOARD_STEP_AGENT &&
               !assay_board_is_local (asked->board))
        add_act (self, row, &removing);
    }
}

/* Another board was chosen meanwhile, or the window closed. */
static void
stop_checking (AssayBoardsWindow *self)
{
  if (self->job != NULL)
    assay_job_abandon (self->job);
  g_clear_object (&self->job);
}

static void
check (AssayBoardsWindow *self, const Act *act)
{
  const char *board = assay_deploy_activity_get_board (get_deploy_activity (self));
  g_autofree char *label = assay_board_dup_label (board);
  Check *request = g_new0 (Check, 1);

  stop_checking (self);
  self->job = assay_session_add_job (self->session,
                                     act != NULL ? act->title : "Checking the board");
  request->board = g_strdup (board);
  request->act = act;
  clear_checks (self);
  adw_preferences_group_set_title (self->health, label);
  gtk_spinner_start (self->spinner);
  assay_job_start (self->job, check_board, request, check_free, checked, self);
}

static void
chosen_cb (GtkCheckButton *button, AssayBoardsWindow *self)
{
  if (!gtk_check_button_get_active (button))
    return;

  assay_deploy_activity_set_board (get_deploy_activity (self),
                                   g_object_get_data (G_OBJECT (button), "board"));
  check (self, NULL);
}

static void
fill_boards (AssayBoardsWindow *self)
{
  const char *chosen = assay_deploy_activity_get_board (get_deploy_activity (self));
  g_autoptr (GPtrArray) boards = assay_session_list_boards (self->session);

  for (guint i = 0; i < self->places->len; i++)
    adw_preferences_group_remove (self->boards, g_ptr_array_index (self->places, i));
  g_ptr_array_set_size (self->places, 0);
  for (guint i = 0; i < boards->len; i++)
    {
      const char *board = g_ptr_array_index (boards, i);
      g_autofree char *label = assay_board_dup_label (board);
      GtkWidget *row = adw_action_row_new ();
      GtkWidget *radio = gtk_check_button_new ();

      assay_ui_name_row (row, label, NULL);
      gtk_check_button_set_group (GTK_CHECK_BUTTON (radio), self->group);
      gtk_widget_set_valign (radio, GTK_ALIGN_CENTER);
      gtk_accessible_update_property (GTK_ACCESSIBLE (radio), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                      -1);
      gtk_check_button_set_active (GTK_CHECK_BUTTON (radio), g_str_equal (board, chosen));
      g_object_set_data_full (G_OBJECT (radio), "board", g_strdup (board), g_free);
      g_signal_connect (radio, "toggled", G_CALLBACK (chosen_cb), self);
      adw_action_row_add_prefix (ADW_ACTION_ROW (row), radio);
      adw_action_row_set_activatable_widget (ADW_ACTION_ROW (row), radio);
      adw_preferences_group_add (self->boards, row);
      g_ptr_array_add (self->places, row);
    }
}

static void
host_cb (AssayBoardsWindow *self)
{
  g_autofree char *name = g_strdup_printf ("ssh:%s",
                                           gtk_editable_get_text (GTK_EDITABLE (self->host)));
  gboolean valid = assay_board_name_check (name, NULL);

  if (valid)
    gtk_widget_remove_css_class (GTK_WIDGET (self->host), "error");
  else
    gtk_widget_add_css_class (GTK_WIDGET (self->host), "error");
  gtk_accessible_update_state (GTK_ACCESSIBLE (self->host), GTK_ACCESSIBLE_STATE_INVALID,
                               valid ? GTK_ACCESSIBLE_INVALID_FALSE : GTK_ACCESSIBLE_INVALID_TRUE,
                               -1);
  if (!valid)
    {
      stop_checking (self);
      gtk_spinner_stop (self->spinner);
      clear_checks (self);
      adw_preferences_group_set_title (self->health, NULL);
      add_check (self, "dialog-error-symbolic", "Not a host",
                 "A host is a name or an address; its port stands in ~/.ssh/config.", NULL);
      return;
    }

  assay_deploy_activity_set_board (get_deploy_activity (self), name);
  fill_boards (self);
  check (self, NULL);
}

static void
assay_boards_window_dispose (GObject *object)
{
  AssayBoardsWindow *self = ASSAY_BOARDS_WINDOW (object);

  stop_checking (self);
  g_clear_pointer (&self->rows, g_ptr_array_unref);
  g_clear_pointer (&self->places, g_ptr_array_unref);
  g_clear_object (&self->group);
  g_clear_object (&self->session);

  G_OBJECT_CLASS (assay_boards_window_parent_class)->dispose (object);
}

static void
assay_boards_window_class_init (AssayBoardsWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_boards_window_dispose;

  ASSAY_BIND_TEMPLATE (klass, AssayBoardsWindow, "assay-boards-window", boards, host, health,
                       spinner);
  gtk_widget_class_bind_template_callback (widget_class, host_cb);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
assay_boards_window_init (AssayBoardsWindow *self)
{
  self->rows = g_ptr_array_new ();
  self->places = g_ptr_array_new ();
  self->group = g_object_ref_sink (GTK_CHECK_BUTTON (gtk_check_button_new ()));
  gtk_widget_init_template (GTK_WIDGET (self));
}

/**
 * assay_boards_window_new:
 * @parent: the window it belongs to
 * @session: a session
 *
 * Makes the window, and checks the chosen board.
 *
 * Returns: (transfer none): the window
 */
GtkWidget *
assay_boards_window_new (GtkWindow *parent, AssaySession *session)
{
  AssayBoardsWindow *self = g_object_new (ASSAY_TYPE_BOARDS_WINDOW, "transient-for", parent,
                                          "modal", TRUE, "destroy-with-parent", TRUE, NULL);

  self->session = g_object_ref (session);
  fill_boards (self);
  check (self, NULL);
  return GTK_WIDGET (self);
}
