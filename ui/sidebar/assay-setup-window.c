/* assay-setup-window.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/sidebar/assay-setup-window.h"

#include "backend/assay-backend.h"
#include "base/assay-error.h"
#include "base/assay-sentence.h"
#include "ui/sidebar/assay-setting-row.h"
#include "ui/window/assay-file-choice.h"
#include "ui/window/assay-ui.h"
#include "ui/window/assay-ui-markup.h"
#include "ui/window/assay-template.h"

/* Typing settles before the model is read again. */
#define APPLY_DELAY_MS 250

struct _AssaySetupWindow
{
  AdwWindow parent_instance;

  AssaySession *session;
  GPtrArray *rows;
  AssayFileChoice *choice;
  GtkWidget *device_row; /* (nullable): where a chosen profile goes */
  guint timeout;
  gboolean syncing;
  char *trouble; /* with what was typed, or NULL */

  GtkLabel *status_label;
  AdwPreferencesGroup *dimension_group;
  AdwPreferencesGroup *shape_group;
  AdwPreferencesGroup *streaming_group;
  AdwPreferencesGroup *option_group;
  GtkWidget *reset_button;
};

G_DEFINE_FINAL_TYPE (AssaySetupWindow, assay_setup_window, ADW_TYPE_WINDOW)

/* What a row changes, attached to the row. */
typedef enum
{
  ROW_DIMENSION,
  ROW_SHAPE,
  ROW_STREAMING,
  ROW_TARGET_OPTION,
  ROW_SETTING,
  ROW_DEPTH,
  ROW_PRECISION,
} RowKind;

typedef struct
{
  RowKind kind;
  char *key;
  guint input;
} RowData;

static void
row_data_free (gpointer data)
{
  RowData *row = data;

  g_free (row->key);
  g_free (row);
}

static RowData *
get_data (gpointer row)
{
  return g_object_get_data (G_OBJECT (row), "row-data");
}

/* What cannot be taken is marked, with what is expected; the first such is said above. */
static void
mark_row (AssaySetupWindow *self, GtkWidget *row, const char *trouble)
{
  const char *title = adw_preferences_row_get_title (ADW_PREFERENCES_ROW (row));

  if (trouble != NULL)
    gtk_widget_add_css_class (row, "error");
  else
    gtk_widget_remove_css_class (row, "error");
  assay_ui_set_tooltip (row, trouble);
  gtk_accessible_update_state (
      GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_STATE_INVALID,
      trouble == NULL ? GTK_ACCESSIBLE_INVALID_FALSE : GTK_ACCESSIBLE_INVALID_TRUE, -1);
  if (trouble != NULL && self->trouble == NULL)
    self->trouble = g_strdup_printf ("%s: %s", title, trouble);
}

static void
read_entry (AssaySetupWindow *self, GtkWidget *row, RowData *data, AssaySettings **setup)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (row));
  g_autoptr (GError) error = NULL;
  gint64 size = -1;

  if (data->kind == ROW_SHAPE)
    assay_settings_set_shape (setup, data->input, text, &error);
  else if (*text != '\0' && !g_ascii_string_to_signed (text, 10, 0, G_MAXINT32, &size, NULL))
    g_set_error (&error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                 "“%s” is not a size: a whole number is expected", text);
  else
    assay_settings_set_number (setup, ASSAY_SETTING_BIND, data->key, size);
  mark_row (self, row, error != NULL ? error->message : NULL);
}

/* An empty depth is that of the target. */
static void
read_depth (AssaySetupWindow *self, GtkWidget *row, RowData *data, AssaySettings **setup)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (row));
  g_autofree char *trouble = NULL;
  guint64 depth;

  if (*text == '\0')
    assay_settings_set_number (setup, ASSAY_SETTING_DEPTH, data->key, -1);
  else if (g_ascii_string_to_unsigned (text, 10, 1, G_MAXINT32, &depth, NULL))
    assay_settings_set_number (setup, ASSAY_SETTING_DEPTH, data->key, (gint64) depth);
  else
    trouble = g_strdup_printf ("“%s” is not a depth: a number of blocks is expected", text);
  mark_row (self, row, trouble);
}

/* What crosses the border of the program in fp32 is in the list of what is kept in fp32. */
static void
read_precision (GtkWidget *row, RowData *data, AssaySettings **setup)
{
  const char *const *names = assay_settings_get_list (*setup, ASSAY_SETTING_KEEP_FP32);
  g_autoptr (GPtrArray) others = g_ptr_array_new ();

  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    if (!g_str_equal (names[i], data->key))
      g_ptr_array_add (others, (gpointer) names[i]);
  if (adw_combo_row_get_selected (ADW_COMBO_ROW (row)) == 1)
    g_ptr_array_add (others, data->key);
  g_ptr_array_add (others, NULL);
  assay_settings_set_list (setup, ASSAY_SETTING_KEEP_FP32, (const char *const *) others->pdata);
}

static void
read_row (AssaySetupWindow *self, GtkWidget *row, AssaySettings **setup)
{
  RowData *data = get_data (row);

  switch (data->kind)
    {
    case ROW_DIMENSION:
    case ROW_SHAPE:
      read_entry (self, row, data, setup);
      break;
    case ROW_STREAMING:
      assay_settings_set_axis (setup, data->input,
                               (int) adw_combo_row_get_selected (ADW_COMBO_ROW (row)) - 1);
      break;
    case ROW_TARGET_OPTION:
      assay_settings_set_entry (setup, ASSAY_SETTING_TARGET_OPTION, data->key,
                                assay_setting_row_get_active (row) ? "true" : NULL);
      break;
    case ROW_SETTING:
      assay_setting_row_read (row, setup);
      break;
    case ROW_DEPTH:
      read_depth (self, row, data, setup);
      break;
    case ROW_PRECISION:
      read_precision (row, data, setup);
      break;
    }
}

/* A setting that a check takes may be none that the compiler can do. */
static const char *
find_compile_trouble (AssaySetupWindow *self)
{
  const GError *error = assay_activity_get_error (
      ASSAY_ACTIVITY (assay_session_get_compilation (self->session)));

  return g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_INVALID) ? error->message : NULL;
}

/* What is wrong, else what is missing. */
static void
update_status (AssaySetupWindow *self)
{
  AssayVerdicts *verdicts = assay_session_get_verdicts (self->session);
  const AssayProblem *problem = assay_session_get_check_problem (self->session);
  const char *trouble = self->trouble != NULL                    ? self->trouble
                        : problem != NULL && !problem->is_target ? problem->where
                                                                 : find_compile_trouble (self);
  guint undecided = verdicts != NULL ? assay_verdicts_count (verdicts, ASSAY_VERDICT_UNDECIDED) : 0;
  g_autofree char *nodes = assay_ui_format_nodes (undecided);
  g_autofree char *text = trouble != NULL ? assay_sentence_new (trouble)
                          : undecided > 0
                              ? g_strdup_printf (
                                    "%s undecided until the open dimensions have a size.", nodes)
                              : g_strdup ("No node is undecided.");
  const char *classes[] = { trouble != NULL ? "error" : "secondary", NULL };

  gtk_label_set_label (self->status_label, text);
  gtk_widget_set_css_classes (GTK_WIDGET (self->status_label), classes);
}

static gboolean
apply_cb (gpointer user_data)
{
  AssaySetupWindow *self = user_data;
  g_autoptr (AssaySettings) setup = assay_settings_ref (assay_session_get_setup (self->session));

  self->timeout = 0;
  g_clear_pointer (&self->trouble, g_free);
  for (guint i = 0; i < self->rows->len; i++)
    read_row (self, g_ptr_array_index (self->rows, i), &setup);

  self->syncing = TRUE;
  assay_session_set_setup (self->session, setup);
  self->syncing = FALSE;
  update_status (self);
  return G_SOURCE_REMOVE;
}

static void
queue_apply (AssaySetupWindow *self)
{
  if (self->syncing)
    return;

  g_clear_handle_id (&self->timeout, g_source_remove);
  self->timeout = g_timeout_add (APPLY_DELAY_MS, apply_cb, self);
}

static RowData *
add_named_row (AssaySetupWindow *self, AdwPreferencesGroup *group, GtkWidget *row, RowKind kind)
{
  RowData *data = g_new0 (RowData, 1);

  data->kind = kind;
  g_object_set_data_full (G_OBJECT (row), "row-data", data, row_data_free);
  g_object_set_data (G_OBJECT (row), "group", group);
  adw_preferences_group_add (group, row);
  g_ptr_array_add (self->rows, row);
  gtk_widget_set_visible (GTK_WIDGET (group), TRUE);

  return data;
}

static RowData *
add_row (AssaySetupWindow *self, AdwPreferencesGroup *group, GtkWidget *row, RowKind kind,
         const char *title)
{
  assay_ui_name_row (row, title, NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, title, -1);

  return add_named_row (self, group, row, kind);
}

static void
add_dimensions (AssaySetupWindow *self, AssaySettings *setup)
{
  GPtrArray *dimensions = assay_session_get_dimensions (self->session);

  for (guint i = 0; i < dimensions->len; i++)
    {
      const AssayDimension *dimension = g_ptr_array_index (dimensions, i);
      GtkWidget *row = adw_entry_row_new ();
      gint64 size = assay_settings_get_number (setup, ASSAY_SETTING_BIND, dimension->key);
      g_autofree char *title = g_str_equal (dimension->title, dimension->where)
                                   ? g_strdup (dimension->title)
                                   : g_strdup_printf ("%s (%s)", dimension->title,
                                                      dimension->where);
      RowData *data = add_row (self, self->dimension_group, row, ROW_DIMENSION, title);

      data->key = g_strdup (dimension->key);
      gtk_editable_set_text (GTK_EDITABLE (row), "");
      if (size >= 0)
        {
          g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, size);
          gtk_editable_set_text (GTK_EDITABLE (row), text);
        }
      g_object_set (row, "input-purpose", GTK_INPUT_PURPOSE_DIGITS, NULL);
      g_signal_connect_swapped (row, "changed", G_CALLBACK (queue_apply), self);
    }
}

static void
add_inputs (AssaySetupWindow *self, AssaySettings *setup)
{
  GPtrArray *inputs = assay_session_get_inputs (self->session);
  AssayTarget *target = assay_session_get_target (self->session);
  gboolean streams = assay_backend_has (target, ASSAY_CAPABILITY_STREAMS);

  for (guint i = 0; i < inputs->len; i++)
    {
      const AssayInput *input = g_ptr_array_index (inputs, i);
      GtkWidget *row = adw_entry_row_new ();
      g_autofree char *title = g_strdup_printf ("%s (%s)", input->name, input->shape);

      add_row (self, self->shape_group, row, ROW_SHAPE, title)->input = i;
      gtk_editable_set_text (GTK_EDITABLE (row), assay_settings_get_shape (setup, i));
      g_signal_connect_swapped (row, "changed", G_CALLBACK (queue_apply), self);

      if (streams && input->rank > 0)
        {
          GtkWidget *combo = adw_combo_row_new ();
          g_autoptr (GtkStringList) choices = gtk_string_list_new (NULL);
          g_auto (GStrv) dims = g_strsplit (input->shape, ",", -1);

          gtk_string_list_append (choices, "Arrives whole");
          for (guint axis = 0; dims[axis] != NULL; axis++)
            {
              g_autofree char *text = g_strdup_printf (
                  g_str_equal (dims[axis], "1") ? "Axis %u = %s step" : "Axis %u = %s steps", axis,
                  dims[axis]);
              gtk_string_list_append (choices, text);
            }
          add_row (self, self->streaming_group, combo, ROW_STREAMING, input->name)->input = i;
          adw_combo_row_set_model (ADW_COMBO_ROW (combo), G_LIST_MODEL (choices));
          adw_combo_row_set_selected (ADW_COMBO_ROW (combo),
                                      (guint) (assay_settings_get_axis (setup, i) + 1));
          g_signal_connect_swapped (combo, "notify::selected", G_CALLBACK (queue_apply), self);
        }
    }
}

/* The nodes that make the outputs, and the inputs: what can be fp32 at the border. */
static GPtrArray *
list_borders (AssaySetupWindow *self, GPtrArray *titles)
{
  AssayGraph *graph = assay_session_get_graph (self->session);
  const AssayRegion *main;
  GPtrArray *inputs = assay_session_get_inputs (self->session);
  GPtrArray *keys = g_ptr_array_new_with_free_func (g_free);

  /* The model is being closed. */
  if (graph == NULL || inputs == NULL)
    return keys;

  main = assay_graph_region (graph, ASSAY_MAIN_REGION);
  for (guint i = 0; i < inputs->len; i++)
    {
      const AssayInput *input = g_ptr_array_index (inputs, i);

      g_ptr_array_add (keys, g_strdup (input->name));
      g_ptr_array_add (titles, g_strdup_printf ("Precision of %s", input->name));
    }
  for (guint i = 0; i < main->outputs->len; i++)
    {
      const AssayValue *value = assay_graph_value (graph,
                                                   g_array_index (main->outputs, AssayValueId, i));

      if (value->producer == 0)
        continue;
      g_ptr_array_add (keys, g_strdup (assay_graph_node (graph, value->producer)->name));
      g_ptr_array_add (titles, g_strdup_printf ("Precision of %s", value->name));
    }

  return keys;
}

static gboolean
is_kept (AssaySettings *setup, const char *name)
{
  const char *const *names = assay_settings_get_list (setup, ASSAY_SETTING_KEEP_FP32);

  return names != NULL && g_strv_contains (names, name);
}

static void
add_precisions (AssaySetupWindow *self, AssaySettings *setup)
{
  static const char *const precisions[] = { "bf16", "fp32", NULL };
  g_autoptr (GPtrArray) titles = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) keys = list_borders (self, titles);

  for (guint i = 0; i < keys->len; i++)
    {
      GtkWidget *row = adw_combo_row_new ();
      g_autoptr (GtkStringList) model = gtk_string_list_new (precisions);

      add_row (self, self->option_group, row, ROW_PRECISION, g_ptr_array_index (titles, i))->key =
          g_strdup (g_ptr_array_index (keys, i));
      adw_combo_row_set_model (ADW_COMBO_ROW (row), G_LIST_MODEL (model));
      adw_combo_row_set_selected (ADW_COMBO_ROW (row),
                                  is_kept (setup, g_ptr_array_index (keys, i)) ? 1 : 0);
      g_signal_connect_swapped (row, "notify::selected", G_CALLBACK (queue_apply), self);
    }
}

/* Names that have a row of their own are not listed again. */
static char *
dup_other_kept (AssaySetupWindow *self, AssaySettings *setup)
{
  g_autoptr (GPtrArray) titles = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) keys = list_borders (self, titles);
  const char *const *names = assay_settings_get_list (setup, ASSAY_SETTING_KEEP_FP32);
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    if (!g_ptr_array_find_with_equal_func (keys, names[i], g_str_equal, NULL))
      g_string_append_printf (text, "%s%s", text->len > 0 ? " " : "", names[i]);

  return g_strdup (text->str);
}

static void
profile_chosen_cb (const char *path, gpointer data)
{
  AssaySetupWindow *self = data;

  if (self->device_row != NULL)
    gtk_editable_set_text (GTK_EDITABLE (self->device_row), path);
}

static void
choose_profile_cb (AssaySetupWindow *self)
{
  static const AssayFileKind kind = { "Choose a Device Profile", "_Open", "*.json",
                                      "Files of vulkaninfo --json" };

  assay_file_choice_open (self->choice, GTK_WINDOW (self), &kind, profile_chosen_cb, self);
}

/* A device is named, or its file chosen. */
static void
add_profile_button (AssaySetupWindow *self, GtkWidget *row)
{
  static const char label[] = "Choose a file of vulkaninfo --json";
  GtkWidget *button = gtk_button_new_from_icon_name ("document-open-symbolic");

  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_tooltip_text (button, label);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                  -1);
  g_signal_connect_swapped (button, "clicked", G_CALLBACK (choose_profile_cb), self);
  adw_entry_row_add_suffix (ADW_ENTRY_ROW (row), button);
  self->device_row = row;
}

/* Settings that have a row of their own: switches first. What only quantising reads is chosen where
 * that is started. */
static void
add_settings (AssaySetupWindow *self, AssaySettings *setup, AssayTarget *target)
{
  for (guint lists = 0; lists < 2; lists++)
    for (AssaySetting i = 0; i < ASSAY_N_SETTINGS; i++)
      {
        const AssaySettingInfo *info = assay_setting_get_info (i);
        g_autofree char *text = NULL;
        GtkWidget *row;

        if (info->title == NULL || info->stages == ASSAY_PIPELINE_QUANTIZE ||
            !assay_backend_has (target, info->needs) || (info->subtitle == NULL) != (lists == 1))
          continue;
        row = assay_setting_row_new (i, setup, G_CALLBACK (queue_apply), self);
        add_named_row (self, self->option_group, row, ROW_SETTING);
        if (i == ASSAY_SETTING_DEVICE_PROFILE)
          add_profile_button (self, row);
        if (i != ASSAY_SETTING_KEEP_FP32)
          continue;
        text = dup_other_kept (self, setup);
        gtk_editable_set_text (GTK_EDITABLE (row), text);
      }
}

/* A depth that was tried and kept is seen, and can be taken back. */
static void
add_depths (AssaySetupWindow *self, AssaySettings *setup)
{
  static const char *const members[] = { "tensor_ram_depth", "weight_store_depth",
                                         "accum_store_depth", "cell_state_depth" };

  for (guint i = 0; i < G_N_ELEMENTS (members); i++)
    {
      gint64 depth = assay_settings_get_number (setup, ASSAY_SETTING_DEPTH, members[i]);
      g_autofree char *title = g_strdup_printf ("%s, instead of the target's", members[i]);
      g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, depth);
      GtkWidget *row;

      if (depth < 0)
        continue;
      row = adw_entry_row_new ();
      add_row (self, self->option_group, row, ROW_DEPTH, title)->key = g_strdup (members[i]);
      gtk_editable_set_text (GTK_EDITABLE (row), text);
      g_signal_connect_swapped (row, "changed", G_CALLBACK (queue_apply), self);
    }
}

static void
add_options (AssaySetupWindow *self, AssaySettings *setup)
{
  AssayTarget *target = assay_session_get_target (self->session);

  if (target == NULL)
    return;

  add_settings (self, setup, target);
  if (assay_backend_has (target, ASSAY_CAPABILITY_HAS_CONFIG))
    {
      add_precisions (self, setup);
      add_depths (self, setup);
    }
  if (assay_target_has_option (target, "require_dynamic_shapes"))
    add_named_row (self, self->option_group,
                   assay_setting_row_new_switch (
                       "Dynamic shapes", "Only operators that take a new size at run time",
                       assay_settings_get_entry (setup, ASSAY_SETTING_TARGET_OPTION,
                                                 "require_dynamic_shapes") != NULL,
                       G_CALLBACK (queue_apply), self),
                   ROW_TARGET_OPTION)
        ->key = g_strdup ("require_dynamic_shapes");
}

static void
rebuild (AssaySetupWindow *self)
{
  AssaySettings *setup = assay_session_get_setup (self->session);

  self->syncing = TRUE;
  self->device_row = NULL;
  g_clear_handle_id (&self->timeout, g_source_remove);
  g_clear_pointer (&self->trouble, g_free);
  for (guint i = 0; i < self->rows->len; i++)
    {
      GtkWidget *row = g_ptr_array_index (self->rows, i);
      adw_preferences_group_remove (g_object_get_data (G_OBJECT (row), "group"), row);
    }
  g_ptr_array_set_size (self->rows, 0);
  gtk_widget_set_visible (GTK_WIDGET (self->dimension_group), FALSE);
  gtk_widget_set_visible (GTK_WIDGET (self->shape_group), FALSE);
  gtk_widget_set_visible (GTK_WIDGET (self->streaming_group), FALSE);
  gtk_widget_set_visible (GTK_WIDGET (self->option_group), FALSE);

  if (assay_session_get_state (self->session) == ASSAY_SESSION_READY)
    {
      add_dimensions (self, setup);
      add_inputs (self, setup);
      add_options (self, setup);
    }
  self->syncing = FALSE;
}

static void
setup_changed_cb (AssaySetupWindow *self)
{
  gtk_widget_set_sensitive (self->reset_button,
                            !assay_settings_is_default (assay_session_get_setup (self->session)));
  if (!self->syncing)
    rebuild (self);
}

static void
reset_cb (AssaySetupWindow *self)
{
  g_autoptr (AssaySettings) setup = assay_settings_new ();

  assay_session_set_setup (self->session, setup);
}

/* Whoever comes from an undecided node finds the first size that is missing under the cursor. */
static void
assay_setup_window_map (GtkWidget *widget)
{
  AssaySetupWindow *self = ASSAY_SETUP_WINDOW (widget);

  GTK_WIDGET_CLASS (assay_setup_window_parent_class)->map (widget);
  for (guint i = 0; i < self->rows->len; i++)
    {
      GtkWidget *row = g_ptr_array_index (self->rows, i);

      if (get_data (row)->kind == ROW_DIMENSION &&
          *gtk_editable_get_text (GTK_EDITABLE (row)) == '\0')
        {
          gtk_widget_grab_focus (row);
          return;
        }
    }
}

/* Whoever types and closes has said it. */
static void
assay_setup_window_unmap (GtkWidget *widget)
{
  AssaySetupWindow *self = ASSAY_SETUP_WINDOW (widget);

  if (self->timeout != 0)
    {
      g_source_remove (self->timeout);
      apply_cb (self);
    }
  GTK_WIDGET_CLASS (assay_setup_window_parent_class)->unmap (widget);
}

static void
assay_setup_window_dispose (GObject *object)
{
  AssaySetupWindow *self = ASSAY_SETUP_WINDOW (object);

  g_clear_handle_id (&self->timeout, g_source_remove);
  self->device_row = NULL;
  g_clear_pointer (&self->choice, assay_file_choice_free);
  g_clear_pointer (&self->rows, g_ptr_array_unref);
  g_clear_pointer (&self->trouble, g_free);
  gtk_widget_dispose_template (GTK_WIDGET (self), ASSAY_TYPE_SETUP_WINDOW);
  g_clear_object (&self->session);

  G_OBJECT_CLASS (assay_setup_window_parent_class)->dispose (object);
}

static void
assay_setup_window_class_init (AssaySetupWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_setup_window_dispose;
  widget_class->map = assay_setup_window_map;
  widget_class->unmap = assay_setup_window_unmap;

  ASSAY_BIND_TEMPLATE (klass, AssaySetupWindow, "assay-setup-window", status_label, dimension_group,
                       shape_group, streaming_group, option_group, reset_button);
  gtk_widget_class_bind_template_callback (widget_class, reset_cb);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
assay_setup_window_init (AssaySetupWindow *self)
{
  self->rows = g_ptr_array_new ();
  self->choice = assay_file_choice_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
}

static void
family_changed_cb (AssaySetupWindow *self)
{
  update_status (self);
  if (self->timeout == 0 && !gtk_widget_get_mapped (GTK_WIDGET (self)))
    rebuild (self);
}

/**
 * assay_setup_window_new:
 * @parent: the window it belongs to
 * @session: a session
 *
 * Shows what can be set for the model of a session.
 *
 * Returns: (transfer none): the window
 */
GtkWidget *
assay_setup_window_new (GtkWindow *parent, AssaySession *session)
{
  AssaySetupWindow *self = g_object_new (ASSAY_TYPE_SETUP_WINDOW, "transient-for", parent,
                                         "destroy-with-parent", TRUE, NULL);

  g_set_object (&self->session, session);
  g_signal_connect_object (session, "notify::verdicts", G_CALLBACK (family_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::check-problem", G_CALLBACK (update_status), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (assay_session_get_compilation (session), "notify::state",
                           G_CALLBACK (update_status), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::state", G_CALLBACK (rebuild), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::setup", G_CALLBACK (setup_changed_cb), self,
                           G_CONNECT_SWAPPED);
  setup_changed_cb (self);
  update_status (self);
  return GTK_WIDGET (self);
}
