/* assay-ui.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/window/assay-ui.h"

#include <adwaita.h>
#include <math.h>

#include "base/assay-sentence.h"
#include "process/assay-installation.h"
#include "resources/assay-resources.h"
#include "ui/memory/assay-allocation-page.h"
#include "ui/canvas/assay-canvas.h"
#include "ui/compare/assay-compare-page.h"
#include "ui/window/assay-context-bar.h"
#include "ui/compare/assay-deploy-panel.h"
#include "ui/window/assay-failed-page.h"
#include "ui/inspector/assay-fix-list.h"
#include "ui/window/assay-flap-handle.h"
#include "ui/graph/assay-graph-page.h"
#include "ui/inspector/assay-inspector.h"
#include "ui/window/assay-job-bar.h"
#include "ui/window/assay-loading-page.h"
#include "ui/memory/assay-memory-chart.h"
#include "ui/memory/assay-memory-page.h"
#include "ui/table/assay-node-panel.h"
#include "ui/inspector/assay-note-editor.h"
#include "ui/window/assay-notice-bar.h"
#include "ui/window/assay-preview-bar.h"
#include "ui/canvas/assay-overview.h"
#include "ui/canvas/assay-picture.h"
#include "ui/memory/assay-program-page.h"
#include "ui/inspector/assay-property-list.h"
#include "ui/graph/assay-pass-panel.h"
#include "ui/graph/assay-selection-card.h"
#include "ui/sidebar/assay-sidebar.h"
#include "ui/window/assay-relayout.h"
#include "ui/window/assay-start-page.h"
#include "ui/sidebar/assay-target-chooser.h"
#include "ui/tensor/assay-tensor-table.h"
#include "ui/timeline/assay-timeline-chart.h"
#include "ui/timeline/assay-timeline-page.h"
#include "ui/memory/assay-trial-bar.h"
#include "ui/canvas/assay-verdict-glyph.h"
#include "ui/inspector/assay-verdict-panel.h"

/* Height in pixels of the font for which lengths are meant: Cantarell 11 at 96 dpi. */
#define USUAL_FONT_PX 14.67
/* Text of so many times the usual size leaves little room. */
#define TIGHT 1.7

/* Recent models where no settings are installed. */
#define DEFAULT_RECENT 12

/**
 * assay_ui_init:
 *
 * Makes style, icons, templates and types known. Call it once after GTK has a display; again it
 * does nothing.
 */
void
assay_ui_init (void)
{
  static gsize initialized = 0;
  g_autoptr (GtkCssProvider) style = NULL;
  GdkDisplay *display = gdk_display_get_default ();

  if (!g_once_init_enter (&initialized))
    return;

  adw_init ();
  assay_relayout_init ();
  g_resources_register (assay_get_resource ());

  g_type_ensure (ASSAY_TYPE_ALLOCATION_PAGE);
  g_type_ensure (ASSAY_TYPE_CANVAS);
  g_type_ensure (ASSAY_TYPE_COMPARE_PAGE);
  g_type_ensure (ASSAY_TYPE_CONTEXT_BAR);
  g_type_ensure (ASSAY_TYPE_DEPLOY_PANEL);
  g_type_ensure (ASSAY_TYPE_FAILED_PAGE);
  g_type_ensure (ASSAY_TYPE_FLAP_HANDLE);
  g_type_ensure (ASSAY_TYPE_GRAPH_PAGE);
  g_type_ensure (ASSAY_TYPE_INSPECTOR);
  g_type_ensure (ASSAY_TYPE_JOB_BAR);
  g_type_ensure (ASSAY_TYPE_LOADING_PAGE);
  g_type_ensure (ASSAY_TYPE_MEMORY_CHART);
  g_type_ensure (ASSAY_TYPE_MEMORY_PAGE);
  g_type_ensure (ASSAY_TYPE_NODE_PANEL);
  g_type_ensure (ASSAY_TYPE_NOTE_EDITOR);
  g_type_ensure (ASSAY_TYPE_NOTICE_BAR);
  g_type_ensure (ASSAY_TYPE_PREVIEW_BAR);
  g_type_ensure (ASSAY_TYPE_OVERVIEW);
  g_type_ensure (ASSAY_TYPE_PICTURE);
  g_type_ensure (ASSAY_TYPE_PROGRAM_PAGE);
  g_type_ensure (ASSAY_TYPE_PROPERTY_LIST);
  g_type_ensure (ASSAY_TYPE_PASS_PANEL);
  g_type_ensure (ASSAY_TYPE_SELECTION_CARD);
  g_type_ensure (ASSAY_TYPE_SIDEBAR);
  g_type_ensure (ASSAY_TYPE_START_PAGE);
  g_type_ensure (ASSAY_TYPE_TARGET_CHOOSER);
  g_type_ensure (ASSAY_TYPE_TENSOR_TABLE);
  g_type_ensure (ASSAY_TYPE_TIMELINE_CHART);
  g_type_ensure (ASSAY_TYPE_TIMELINE_PAGE);
  g_type_ensure (ASSAY_TYPE_TRIAL_BAR);
  g_type_ensure (ASSAY_TYPE_VERDICT_GLYPH);
  g_type_ensure (ASSAY_TYPE_FIX_LIST);
  g_type_ensure (ASSAY_TYPE_VERDICT_PANEL);

  if (display != NULL)
    {
      style = gtk_css_provider_new ();
      gtk_css_provider_load_from_resource (style, ASSAY_RESOURCE_PATH "/style.css");
      gtk_style_context_add_provider_for_display (display, GTK_STYLE_PROVIDER (style),
                                                  GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
      gtk_icon_theme_add_resource_path (gtk_icon_theme_get_for_display (display),
                                        ASSAY_RESOURCE_PATH "/icons");
    }

  g_once_init_leave (&initialized, 1);
}

/**
 * assay_ui_format_count:
 * @count: a number
 *
 * Writes a number for people, groups of three apart by a narrow space that does not break.
 *
 * Returns: (transfer full): the text
 */
char *
assay_ui_format_count (guint64 count)
{
  return assay_sentence_dup_count (count);
}

/**
 * assay_ui_format_nodes:
 * @count: a number
 *
 * Writes a number of nodes with the word.
 *
 * Returns: (transfer full): such as `1 node`
 */
char *
assay_ui_format_nodes (guint count)
{
  g_autofree char *number = assay_ui_format_count (count);

  return g_strdup_printf (count == 1 ? "%s node" : "%s nodes", number);
}

/**
 * assay_ui_format_share:
 * @part: a number
 * @whole: what it is a part of
 *
 * Writes a share in per cent; what is there but less than one is not called nothing.
 *
 * Returns: (transfer full): such as `93 %`
 */
char *
assay_ui_format_share (guint64 part, guint64 whole)
{
  if (part > 0 && whole > 0 && part * 100 < whole)
    return g_strdup ("<1\u202f%");

  return g_strdup_printf ("%" G_GUINT64_FORMAT "\u202f%%", whole > 0 ? part * 100 / whole : 0);
}

/**
 * assay_ui_format_seconds:
 * @seconds: a time
 *
 * Writes a measured time with a unit that leaves three figures.
 *
 * Returns: (transfer full): such as `4.01 µs`
 */
char *
assay_ui_format_seconds (double seconds)
{
  static const struct
  {
    double least;
    double factor;
    const char *unit;
  } units[] = { { 1, 1, "s" }, { 1e-3, 1e3, "ms" }, { 0, 1e6, "µs" } };

  for (guint i = 0; i < G_N_ELEMENTS (units); i++)
    if (seconds >= units[i].least)
      return g_strdup_printf ("%.3g\u202f%s", seconds * units[i].factor, units[i].unit);

  return g_strdup ("");
}

/**
 * assay_ui_dup_menu_label:
 * @text: a name, such as that of a file
 *
 * Writes a name as an item of a menu, where a single underscore marks a key and is not shown.
 *
 * Returns: (transfer full): the label
 */
char *
assay_ui_dup_menu_label (const char *text)
{
  GString *label = g_string_new (text);

  g_string_replace (label, "_", "__", 0);
  return g_string_free (label, FALSE);
}

/**
 * assay_ui_format_ulp:
 * @error: an error in units in the last place
 *
 * Writes an error as sentences about it do.
 *
 * Returns: (transfer full): such as `0.512`
 */
char *
assay_ui_format_ulp (double error)
{
  g_autofree char *text = NULL;

  if (!isfinite (error))
    return g_strdup ("∞");

  text = assay_sentence_dup_measure (error);
  return assay_sentence_dup_shown (text);
}

/**
 * assay_ui_find_examples:
 *
 * Finds the folder of example models.
 *
 * Returns: (transfer full) (nullable): the folder
 */
char *
assay_ui_find_examples (void)
{
  return assay_installation_find (ASSAY_PART_EXAMPLES, "");
}

/**
 * assay_ui_find_help:
 *
 * Finds the page that tells how to use the program.
 *
 * Returns: (transfer full) (nullable): its path
 */
char *
assay_ui_find_help (void)
{
  return assay_installation_find (ASSAY_PART_HELP, "index.html");
}

static gboolean
query_tooltip_cb (GtkLabel *label, int x, int y, gboolean keyboard_mode, GtkTooltip *tooltip)
{
  if (!pango_layout_is_ellipsized (gtk_label_get_layout (label)))
    return FALSE;

  gtk_tooltip_set_text (tooltip, gtk_label_get_text (label));
  return TRUE;
}

static gboolean
is_figures (const char *text)
{
  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p))
    if (g_unichar_isalpha (g_utf8_get_char (p)))
      return FALSE;

  return TRUE;
}

/**
 * assay_ui_keep_figures:
 * @label: a label whose text is set
 *
 * Keeps shapes and numbers in their order where text is read from right to left: without a letter
 * in it, text goes the way of the window. Where it stands stays the same.
 */
void
assay_ui_keep_figures (GtkWidget *label)
{
  const char *text = gtk_label_get_text (GTK_LABEL (label));
  gboolean figures = gtk_widget_get_default_direction () == GTK_TEXT_DIR_RTL && is_figures (text);

  if (figures == (gtk_widget_get_direction (label) != gtk_widget_get_default_direction ()))
    return;

  gtk_widget_set_direction (label, figures ? GTK_TEXT_DIR_LTR : GTK_TEXT_DIR_NONE);
  gtk_label_set_xalign (GTK_LABEL (label), 1 - gtk_label_get_xalign (GTK_LABEL (label)));
}

/**
 * assay_ui_get_number_xalign:
 *
 * Gets where numbers of a column stand: at the right whatever direction is read in, so that their
 * digits stand below each other.
 *
 * Returns: the alignment of a label
 */
float
assay_ui_get_number_xalign (void)
{
  return gtk_widget_get_default_direction () == GTK_TEXT_DIR_RTL ? 0 : 1;
}

/**
 * assay_ui_get_text_scale:
 * @widget: a widget that has a style
 *
 * Gets how large the text of the desktop is, for which lengths in pixels were chosen at Cantarell
 * 11.
 *
 * Returns: 1 for the usual size
 */
double
assay_ui_get_text_scale (GtkWidget *widget)
{
  PangoContext *context = gtk_widget_get_pango_context (widget);
  const PangoFontDescription *font = pango_context_get_font_description (context);
  double size = (double) pango_font_description_get_size (font) / PANGO_SCALE;

  if (!pango_font_description_get_size_is_absolute (font))
    size *= pango_cairo_context_get_resolution (context) > 0
                ? pango_cairo_context_get_resolution (context) / 72.0
                : 96.0 / 72.0;

  return size > 0 ? size / USUAL_FONT_PX : 1.0;
}

/**
 * assay_ui_is_tight:
 * @widget: a widget that has a style
 *
 * Tells whether text is so large that the least window has no room for what it has otherwise.
 *
 * Returns: whether it is
 */
gboolean
assay_ui_is_tight (GtkWidget *widget)
{
  return assay_ui_get_text_scale (widget) >= TIGHT;
}

/**
 * assay_ui_new_layout:
 * @widget: what draws it
 * @text: a text
 * @number: whether it is a number, which may have a unit
 *
 * Makes the layout of a cell that is drawn; shapes and numbers keep their order where text is read
 * from right to left.
 *
 * Returns: (transfer full): the layout
 */
PangoLayout *
assay_ui_new_layout (GtkWidget *widget, const char *text, gboolean number)
{
  PangoContext *context;
  PangoLayout *layout;

  if (gtk_widget_get_direction (widget) != GTK_TEXT_DIR_RTL || !(number || is_figures (text)))
    return gtk_widget_create_pango_layout (widget, text);

  context = gtk_widget_create_pango_context (widget);
  pango_context_set_base_dir (context, PANGO_DIRECTION_LTR);
  layout = pango_layout_new (context);
  pango_layout_set_text (layout, text, -1);
  pango_layout_set_alignment (layout, PANGO_ALIGN_RIGHT);
  g_object_unref (context);
  return layout;
}

/**
 * assay_ui_show_whole:
 * @label: (type GtkLabel): a label that may be cut
 *
 * Gives a label a tooltip with its whole text, asked for only when it is cut and pointed at.
 */
void
assay_ui_show_whole (GtkWidget *label)
{
  gtk_widget_set_has_tooltip (label, TRUE);
  g_signal_connect (label, "query-tooltip", G_CALLBACK (query_tooltip_cb), NULL);
}

/**
 * assay_ui_set_tooltip:
 * @widget: a widget
 * @text: (nullable): what its tooltip says
 *
 * Sets a tooltip unless it is that already: GTK asks the display where the pointer is whenever one
 * is set, and waits for the answer.
 */
void
assay_ui_set_tooltip (GtkWidget *widget, const char *text)
{
  const char *before = gtk_widget_get_tooltip_text (widget);

  if (g_strcmp0 (before != NULL ? before : "", text != NULL ? text : "") != 0)
    gtk_widget_set_tooltip_text (widget, text);
}

/**
 * assay_ui_set_row_name:
 * @child: the child of a list item
 * @name: what a screen reader says for the row
 *
 * Names the row that holds @child: GTK 4.8 leaves the rows of a list without a name.
 */
void
assay_ui_set_row_name (GtkWidget *child, const char *name)
{
  GtkWidget *row = gtk_widget_get_parent (child);

  if (row != NULL)
    gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (child), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

static void
set_name (GtkWidget *widget, const char *name)
{
  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

static void
name_pages (GtkStack *stack)
{
  g_autoptr (GtkSelectionModel) pages = gtk_stack_get_pages (stack);

  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (pages)); i++)
    {
      g_autoptr (GObject) page = g_list_model_get_item (G_LIST_MODEL (pages), i);
      const char *title = gtk_stack_page_get_title (GTK_STACK_PAGE (page));
      const char *name = gtk_stack_page_get_name (GTK_STACK_PAGE (page));

      gtk_accessible_update_property (GTK_ACCESSIBLE (page), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                      title != NULL  ? title
                                      : name != NULL ? name
                                                     : "Page",
                                      -1);
    }
}

/**
 * assay_ui_name_parts:
 * @root: a widget
 *
 * Names what GTK 4.8 and libadwaita 1.2 put into their widgets themselves, which would be read out
 * by its class: arrows of split buttons, close buttons of bars, pages of stacks.
 */
void
assay_ui_name_parts (GtkWidget *root)
{
  GtkWidget *split = GTK_IS_MENU_BUTTON (root)
                         ? gtk_widget_get_ancestor (root, ADW_TYPE_SPLIT_BUTTON)
                         : NULL;

  if (split != NULL)
    {
      const char *label = adw_split_button_get_label (ADW_SPLIT_BUTTON (split));
      g_auto (GStrv) parts = g_strsplit (label != NULL ? label : "", "_", -1);
      g_autofree char *plain = g_strjoinv ("", parts);
      g_autofree char *name = g_strdup_printf ("%s, more", plain);

      set_name (root, name);
      set_name (gtk_widget_get_first_child (root), name);
    }
  else if (GTK_IS_TOGGLE_BUTTON (root) && GTK_IS_DROP_DOWN (gtk_widget_get_parent (root)))
    {
      const char *name = gtk_widget_get_tooltip_text (gtk_widget_get_parent (root));

      set_name (root, name != NULL ? name : "Choose");
    }
  else if (GTK_IS_BUTTON (root) && gtk_widget_has_css_class (root, "close"))
    set_name (root, "Close");
  else if (ADW_IS_VIEW_SWITCHER (root))
    set_name (root, "Pages");
  else if (GTK_IS_STACK (root))
    name_pages (GTK_STACK (root));

  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    assay_ui_name_parts (child);
}

/**
 * assay_ui_get_settings:
 *
 * Gets the settings of the program, by the schema that is shipped with it. A schema that is missing
 * would end a program; without it the defaults hold.
 *
 * Returns: (transfer full) (nullable): the settings, the same object each time
 */
GSettings *
assay_ui_get_settings (void)
{
  static GSettings *shared = NULL;
  static gsize looked_up = 0;

  if (g_once_init_enter (&looked_up))
    {
      g_autofree char *compiled = assay_installation_find (ASSAY_PART_SCHEMAS, "gschemas.compiled");
      g_autofree char *folder = compiled != NULL ? g_path_get_dirname (compiled) : NULL;
      g_autoptr (GSettingsSchemaSource)
          source = folder != NULL
                       ? g_settings_schema_source_new_from_directory (folder, NULL, FALSE, NULL)
                       : NULL;
      g_autoptr (GSettingsSchema)
          schema = source != NULL
                       ? g_settings_schema_source_lookup (source, "org.assay.Workbench", FALSE)
                       : NULL;

      if (schema != NULL)
        shared = g_settings_new_full (schema, NULL, NULL);
      g_once_init_leave (&looked_up, 1);
    }

  return shared != NULL ? g_object_ref (shared) : NULL;
}

/**
 * assay_ui_recent_limit:
 *
 * Gets how many recent models the user wants to be listed.
 *
 * Returns: the number
 */
guint
assay_ui_recent_limit (void)
{
  g_autoptr (GSettings) settings = assay_ui_get_settings ();

  return settings != NULL ? (guint) g_settings_get_int (settings, "recent-limit") : DEFAULT_RECENT;
}

/**
 * assay_ui_counts_bytes:
 *
 * Tells whether the user wants sizes of memory in bytes first, rather than in blocks.
 *
 * Returns: whether bytes come first
 */
gboolean
assay_ui_counts_bytes (void)
{
  g_autoptr (GSettings) settings = assay_ui_get_settings ();

  return settings != NULL && g_settings_get_enum (settings, "unit") == 1;
}

/**
 * assay_ui_counts_in_hexadecimal:
 *
 * Tells whether the user wants addresses in base 16.
 *
 * Returns: whether they are hexadecimal
 */
gboolean
assay_ui_counts_in_hexadecimal (void)
{
  g_autoptr (GSettings) settings = assay_ui_get_settings ();

  return settings != NULL && g_settings_get_enum (settings, "address-base") == 1;
}

/**
 * assay_ui_format_address:
 * @address: address of a block
 *
 * Writes an address in the base that the user wants.
 *
 * Returns: (transfer full): the text
 */
char *
assay_ui_format_address (guint64 address)
{
  return assay_ui_counts_in_hexadecimal () ? g_strdup_printf ("0x%" G_GINT64_MODIFIER "x", address)
                                           : assay_ui_format_count (address);
}

/**
 * assay_ui_format_kib:
 * @blocks: blocks
 * @block_bytes: bytes in one
 *
 * Writes how much memory blocks take, without the unit.
 *
 * Returns: (transfer full): KiB
 */
char *
assay_ui_format_kib (guint64 blocks, guint block_bytes)
{
  double kib = (double) blocks * block_bytes / 1024.0;

  return g_strdup_printf (kib >= 100 || kib == (double) (guint64) kib ? "%.0f" : "%.1f", kib);
}

/**
 * assay_ui_format_blocks:
 * @blocks: blocks
 * @block_bytes: bytes in one
 *
 * Writes a size of memory in both units, the one first that the user wants.
 *
 * Returns: (transfer full): such as `3 812 blocks (238 KiB)`
 */
char *
assay_ui_format_blocks (guint64 blocks, guint block_bytes)
{
  g_autofree char *count = assay_ui_format_count (blocks);
  g_autofree char *kib = assay_ui_format_kib (blocks, block_bytes);

  if (assay_ui_counts_bytes ())
    return g_strdup_printf ("%s\u202fKiB (%s block%s)", kib, count, blocks == 1 ? "" : "s");

  return g_strdup_printf ("%s block%s (%s\u202fKiB)", count, blocks == 1 ? "" : "s", kib);
}

/**
 * assay_ui_format_use:
 * @used: blocks in use
 * @depth: blocks that there are
 * @block_bytes: bytes in one
 *
 * Writes how full a store is in both units, the one first that the user wants.
 *
 * Returns: (transfer full): such as `3 812 of 4 096 blocks (238 of 256 KiB)`
 */
char *
assay_ui_format_use (guint64 used, guint64 depth, guint block_bytes)
{
  g_autofree char *count = assay_ui_format_count (used);
  g_autofree char *whole = assay_ui_format_count (depth);
  g_autofree char *kib = assay_ui_format_kib (used, block_bytes);
  g_autofree char *whole_kib = assay_ui_format_kib (depth, block_bytes);

  if (assay_ui_counts_bytes ())
    return g_strdup_printf ("%s of %s\u202fKiB (%s of %s blocks)", kib, whole_kib, count, whole);

  return g_strdup_printf ("%s of %s blocks (%s of %s\u202fKiB)", count, whole, kib, whole_kib);
}

/**
 * assay_ui_focus_part:
 * @page: a page
 * @stack: the stack that it is made of
 * @name: name of the child that has @part
 * @part: the main part of the page
 *
 * Gives the focus to the main part of a page if that is seen, else to the first part that takes it.
 *
 * Returns: whether a part took it
 */
gboolean
assay_ui_focus_part (GtkWidget *page, GtkStack *stack, const char *name, GtkWidget *part)
{
  GtkWidget *content = gtk_widget_get_first_child (page);
  GtkWidget *focus;

  if (g_strcmp0 (gtk_stack_get_visible_child_name (stack), name) == 0 &&
      gtk_widget_grab_focus (part))
    return TRUE;

  /* The page itself would ask for the focus again, and a label would select all of its text. */
  while (gtk_widget_child_focus (content, GTK_DIR_TAB_FORWARD))
    {
      focus = gtk_root_get_focus (gtk_widget_get_root (page));
      if (!GTK_IS_LABEL (focus))
        return TRUE;
      gtk_label_select_region (GTK_LABEL (focus), 0, 0);
    }

  return FALSE;
}
