/* assay-application.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assay-application.h"

#include "backend/assay-build.h"
#include "ui/window/assay-action.h"
#include "ui/window/assay-preferences-window.h"
#include "ui/window/assay-ui.h"
#include "ui/window/assay-window.h"

#define FIRST_TARGET "ia_420f_c6b32"

struct _AssayApplication
{
  AdwApplication parent_instance;
  GSettings *settings;
};

G_DEFINE_FINAL_TYPE (AssayApplication, assay_application, ADW_TYPE_APPLICATION)

static const GOptionEntry options[] = {
  { "node", 'n', 0, G_OPTION_ARG_STRING, NULL, "Select the node NAME of the first model", "NAME" },
  { "overlay", 0, 0, G_OPTION_ARG_FILENAME, NULL,
    "Colour the first model by a CSV or JSON FILE of names and values", "FILE" },
  { "target", 't', 0, G_OPTION_ARG_STRING, NULL, "Check against the target TARGET", "TARGET" },
  { "version", 0, 0, G_OPTION_ARG_NONE, NULL, "Print the version and exit", NULL },
  { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, NULL, NULL, "[MODEL OR SESSION…]" },
  { NULL }
};

static AssayWindow *
add_window (AssayApplication *self, const char *target)
{
  g_autofree char *chosen = NULL;
  GtkWidget *window;

  if (target == NULL && self->settings != NULL)
    chosen = g_settings_get_string (self->settings, "default-target");
  if (target == NULL)
    target = chosen != NULL && *chosen != '\0' ? chosen : FIRST_TARGET;

  window = assay_window_new (GTK_APPLICATION (self), target);
  if (g_str_has_suffix (ASSAY_APP_ID, ".Devel"))
    gtk_widget_add_css_class (window, "devel");

  return ASSAY_WINDOW (window);
}

static void
show_window (AssayApplication *self, const char *target)
{
  gtk_window_present (GTK_WINDOW (add_window (self, target)));
}

static void
new_window_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  show_window (user_data, NULL);
}

static void
preferences_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  gtk_window_present (
      GTK_WINDOW (assay_preferences_window_new (gtk_application_get_active_window (user_data))));
}

/* What somebody who looks into a report wants to know first. */
static char *
dup_debug_info (void)
{
  g_autofree char *os = g_get_os_info (G_OS_INFO_KEY_PRETTY_NAME);
  g_autofree char *help = assay_ui_find_help ();
  g_autofree char *examples = assay_ui_find_examples ();

  return g_strdup_printf (
      "Assay %s (%s)\nGLib %u.%u.%u\nGTK %u.%u.%u\nlibadwaita %u.%u.%u\nSystem %s\nDisplay %s\n"
      "Kernels of the machine %s\nProcessors %u\nExamples %s\nHelp %s\n",
      ASSAY_VERSION, ASSAY_APP_ID, glib_major_version, glib_minor_version, glib_micro_version,
      gtk_get_major_version (), gtk_get_minor_version (), gtk_get_micro_version (),
      adw_get_major_version (), adw_get_minor_version (), adw_get_micro_version (),
      os != NULL ? os : "unknown", G_OBJECT_TYPE_NAME (gdk_display_get_default ()),
      assay_build_get_versions ().kernels, g_get_num_processors (),
      examples != NULL ? examples : "none", help != NULL ? help : "none");
}

static void
about_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  static const char *const developers[] = { "The Assay developers", NULL };
  g_autofree char *debug_info = dup_debug_info ();

  adw_show_about_window (gtk_application_get_active_window (user_data), "application-name", "Assay",
                         "application-icon", ASSAY_APP_ID, "version", ASSAY_VERSION,
                         "developer-name", "The Assay developers", "developers", developers,
                         "copyright", "© The Assay developers", "license-type",
                         GTK_LICENSE_APACHE_2_0, "debug-info", debug_info, "debug-info-filename",
                         "assay-debug-info.txt", "comments",
                         "A workbench for people who put neural networks on accelerators.", NULL);
}

static void
help_shown_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GtkWindow) window = user_data;
  g_autofree char *path = assay_ui_find_help ();
  g_autoptr (GError) error = NULL;
  GtkWidget *dialog;

  if (gtk_show_uri_full_finish (window, result, &error))
    return;

  dialog = adw_message_dialog_new (window, "No Program Shows the Help", NULL);
  adw_message_dialog_format_body (ADW_MESSAGE_DIALOG (dialog), "It is the page %s. %s",
                                  path != NULL ? path : "", error->message);
  adw_message_dialog_add_response (ADW_MESSAGE_DIALOG (dialog), "close", "_Close");
  gtk_window_present (GTK_WINDOW (dialog));
}

/* A page on this computer: help has to work without network too. */
static void
help_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  GtkWindow *window = gtk_application_get_active_window (user_data);
  g_autofree char *path = assay_ui_find_help ();
  g_autofree char *uri = path != NULL ? g_filename_to_uri (path, NULL, NULL) : NULL;

  if (window == NULL)
    return;

  if (uri != NULL)
    gtk_show_uri_full (window, uri, GDK_CURRENT_TIME, NULL, help_shown_cb, g_object_ref (window));
  else
    gtk_widget_activate_action (GTK_WIDGET (window), "win.show-help-overlay", NULL);
}

/* Every window is asked to close, so that each can end its work; one with unsaved fixes asks back
 * and stays. */
static void
quit_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  g_autoptr (GList) windows = g_list_copy (gtk_application_get_windows (user_data));

  for (GList *l = windows; l != NULL; l = l->next)
    gtk_window_close (l->data);
  if (gtk_application_get_windows (user_data) == NULL)
    g_application_quit (user_data);
}

static const GActionEntry actions[] = {
  { "new-window", new_window_action },
  { "preferences", preferences_action },
  { "about", about_action },
  { "help", help_action },
  { "quit", quit_action },
};

static void
assay_application_startup (GApplication *application)
{
  AssayApplication *self = ASSAY_APPLICATION (application);

  G_APPLICATION_CLASS (assay_application_parent_class)->startup (application);

  assay_ui_init ();
  self->settings = assay_ui_get_settings ();
  g_action_map_add_action_entries (G_ACTION_MAP (self), actions, G_N_ELEMENTS (actions), self);
  assay_action_set_accels (GTK_APPLICATION (self));
}

static void
assay_application_activate (GApplication *application)
{
  GtkWindow *window = gtk_application_get_active_window (GTK_APPLICATION (application));

  if (window != NULL)
    gtk_window_present (window);
  else
    show_window (ASSAY_APPLICATION (application), NULL);
}

static int
assay_application_command_line (GApplication *application, GApplicationCommandLine *command_line)
{
  AssayApplication *self = ASSAY_APPLICATION (application);
  GVariantDict *dict = g_application_command_line_get_options_dict (command_line);
  g_autofree const char **files = NULL;
  const char *node = NULL;
  const char *target = NULL;
  const char *overlay = NULL;

  g_variant_dict_lookup (dict, "overlay", "^&ay", &overlay);
  g_variant_dict_lookup (dict, "node", "&s", &node);
  g_variant_dict_lookup (dict, "target", "&s", &target);
  g_variant_dict_lookup (dict, G_OPTION_REMAINING, "^a&ay", &files);

  if (files == NULL || files[0] == NULL)
    {
      if (target != NULL)
        show_window (self, target);
      else
        g_application_activate (application);
      return 0;
    }

  for (guint i = 0; files[i] != NULL; i++)
    {
      g_autoptr (GFile)
          file = g_application_command_line_create_file_for_arg (command_line, files[i]);
      g_autofree char *path = g_file_get_path (file);

      AssayWindow *window = add_window (self, target);

      assay_window_open (window, path != NULL ? path : files[i], i == 0 ? node : NULL);
      if (i == 0 && overlay != NULL)
        {
          g_autoptr (GFile)
              values = g_application_command_line_create_file_for_arg (command_line, overlay);
          g_autofree char *values_path = g_file_get_path (values);

          assay_window_open_overlay (window, values_path != NULL ? values_path : overlay);
        }
      /* With its file on the way it does not show the start page first. */
      gtk_window_present (GTK_WINDOW (window));
    }

  return 0;
}

static int
assay_application_handle_local_options (GApplication *application, GVariantDict *dict)
{
  if (g_variant_dict_contains (dict, "version"))
    {
      g_print ("assay-workbench %s\n", ASSAY_VERSION);
      return 0;
    }

  return G_APPLICATION_CLASS (assay_application_parent_class)
      ->handle_local_options (application, dict);
}

static void
assay_application_finalize (GObject *object)
{
  g_clear_object (&ASSAY_APPLICATION (object)->settings);

  G_OBJECT_CLASS (assay_application_parent_class)->finalize (object);
}

static void
assay_application_class_init (AssayApplicationClass *klass)
{
  GApplicationClass *application_class = G_APPLICATION_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = assay_application_finalize;
  application_class->startup = assay_application_startup;
  application_class->activate = assay_application_activate;
  application_class->command_line = assay_application_command_line;
  application_class->handle_local_options = assay_application_handle_local_options;
}

static void
assay_application_init (AssayApplication *self)
{
  g_application_add_main_option_entries (G_APPLICATION (self), options);
}

AssayApplication *
assay_application_new (void)
{
  return g_object_new (ASSAY_TYPE_APPLICATION, "application-id", ASSAY_APP_ID, "resource-base-path",
                       ASSAY_RESOURCE_PATH "/app", "flags", G_APPLICATION_HANDLES_COMMAND_LINE,
                       NULL);
}
