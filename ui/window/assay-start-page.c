/* assay-start-page.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/window/assay-start-page.h"

#include <math.h>

#include "source/assay-importer.h"
#include "ui/window/assay-action.h"
#include "ui/window/assay-recent.h"
#include "ui/window/assay-ui.h"
#include "ui/canvas/assay-verdict-glyph.h"
#include "ui/window/assay-ui-markup.h"
#include "ui/window/assay-template.h"

#define MAX_EXAMPLES 8

#define COLUMN_WIDTH 560

struct _AssayStartPage
{
  GtkWidget parent_instance;

  GPtrArray *rows;

  GtkWidget *box;
  AdwClamp *clamp;
  GtkBox *groups;
  AdwPreferencesGroup *recent_group;
  AdwPreferencesGroup *example_group;
  GMenu *file_section;
  GMenu *help_section;
};

G_DEFINE_FINAL_TYPE (AssayStartPage, assay_start_page, GTK_TYPE_WIDGET)

static void
activated_cb (AssayStartPage *self, AdwActionRow *row)
{
  gtk_widget_activate_action (GTK_WIDGET (self), "win.open-path", "s",
                              g_object_get_data (G_OBJECT (row), "path"));
}

static GtkWidget *
add_row (AssayStartPage *self, AdwPreferencesGroup *group, const char *path, const char *subtitle)
{
  GtkWidget *row = adw_action_row_new ();
  g_autofree char *name = g_filename_display_basename (path);

  assay_ui_name_row (row, name, subtitle);
  adw_action_row_set_subtitle_lines (ADW_ACTION_ROW (row), 1);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), TRUE);
  g_object_set_data_full (G_OBJECT (row), "path", g_strdup (path), g_free);
  g_signal_connect_swapped (row, "activated", G_CALLBACK (activated_cb), self);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);

  adw_preferences_group_add (group, row);
  g_object_set_data (G_OBJECT (row), "group", group);
  g_ptr_array_add (self->rows, row);

  return row;
}

/* What came of the last look, the worst of it; a tick only where nothing is open. */
static void
add_outcome (GtkWidget *row, const AssayRecent *recent, const char *target)
{
  AssayVerdictKind verdict = assay_outcome_get_verdict (&recent->outcome);
  g_autofree char *outcome = assay_outcome_describe (&recent->outcome);
  g_autofree char *name = g_strdup_printf ("%s, %s, %s: %s", recent->name, recent->folder, target,
                                           outcome);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *label = gtk_label_new (outcome);

  gtk_widget_add_css_class (label, "numeric");
  gtk_box_append (GTK_BOX (box), assay_verdict_glyph_new (verdict));
  if (verdict != ASSAY_VERDICT_SUPPORTED)
    gtk_box_append (GTK_BOX (box), label);
  gtk_widget_set_valign (box, GTK_ALIGN_CENTER);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), box);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

static guint
add_recent (AssayStartPage *self)
{
  g_autoptr (GPtrArray) files = assay_recent_list (assay_ui_recent_limit ());

  for (guint i = 0; i < files->len; i++)
    {
      const AssayRecent *recent = g_ptr_array_index (files, i);
      g_autofree char *target = recent->target != NULL ? g_path_get_basename (recent->target)
                                                       : NULL;
      g_autofree char *subtitle = target != NULL
                                      ? g_strdup_printf ("%s · %s", recent->folder, target)
                                      : g_strdup (recent->folder);
      GtkWidget *row = add_row (self, self->recent_group, recent->path, subtitle);

      if (recent->outcome.rejected >= 0)
        add_outcome (row, recent, target);
    }

  return files->len;
}

/* What the generator of the examples makes of each. */
static const struct
{
  const char *name;
  const char *text;
} examples[] = {
  { "mlp.onnx", "Dense layers, fits everywhere" },
  { "lstm.onnx", "A recurrent layer" },
  { "streaming-cnn.onnx", "Convolutions over time, one step after the other" },
  { "transformer.onnx", "One attention block" },
  { "transformer-block.onnx", "One attention block" },
  { "many-refusals.onnx", "A model that most targets cannot do, to see why" },
};

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static guint
add_examples (AssayStartPage *self)
{
  g_autofree char *folder = assay_ui_find_examples ();
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = folder != NULL ? g_dir_open (folder, 0, NULL) : NULL;
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (assay_importer_of_name (name) != NULL)
      g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);

  for (guint i = 0; i < MIN (names->len, MAX_EXAMPLES); i++)
    {
      g_autofree char *path = g_build_filename (folder, g_ptr_array_index (names, i), NULL);
      const char *text = "Example";

      for (guint e = 0; e < G_N_ELEMENTS (examples); e++)
        if (g_str_equal (examples[e].name, g_ptr_array_index (names, i)))
          text = examples[e].text;
      add_row (self, self->example_group, path, text);
    }

  return names->len;
}

/**
 * assay_start_page_refresh:
 * @self: a start page
 *
 * Reads recent files and examples again.
 */
void
assay_start_page_refresh (AssayStartPage *self)
{
  for (guint i = 0; i < self->rows->len; i++)
    {
      GtkWidget *row = g_ptr_array_index (self->rows, i);
      adw_preferences_group_remove (g_object_get_data (G_OBJECT (row), "group"), row);
    }
  g_ptr_array_set_size (self->rows, 0);

  gtk_widget_set_visible (GTK_WIDGET (self->recent_group), add_recent (self) > 0);
  gtk_widget_set_visible (GTK_WIDGET (self->example_group), add_examples (self) > 0);
}

/**
 * assay_start_page_set_roomy:
 * @self: a start page
 * @roomy: whether two columns have room
 *
 * Puts recent files and examples beside each other, or below, as wide as the text is large.
 */
void
assay_start_page_set_roomy (AssayStartPage *self, gboolean roomy)
{
  int column = (int) round (COLUMN_WIDTH * assay_ui_get_text_scale (GTK_WIDGET (self)));

  adw_clamp_set_maximum_size (self->clamp, roomy ? 2 * column : column);
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self->groups),
                                  roomy ? GTK_ORIENTATION_HORIZONTAL : GTK_ORIENTATION_VERTICAL);
  gtk_box_set_homogeneous (self->groups, roomy);
}

static void
assay_start_page_dispose (GObject *object)
{
  AssayStartPage *self = ASSAY_START_PAGE (object);

  g_clear_pointer (&self->rows, g_ptr_array_unref);
  gtk_widget_dispose_template (GTK_WIDGET (self), ASSAY_TYPE_START_PAGE);

  G_OBJECT_CLASS (assay_start_page_parent_class)->dispose (object);
}

static void
assay_start_page_class_init (AssayStartPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_start_page_dispose;

  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  ASSAY_BIND_TEMPLATE (klass, AssayStartPage, "assay-start-page", box, clamp, groups, recent_group,
                       example_group, file_section, help_section);
}

static void
assay_start_page_init (AssayStartPage *self)
{
  self->rows = g_ptr_array_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  assay_action_fill_section (self->file_section, ASSAY_MENU_START);
  assay_action_fill_section (self->help_section, ASSAY_MENU_HELP);
}
