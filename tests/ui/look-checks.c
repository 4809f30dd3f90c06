/* look-checks.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a program can say of a picture: words that are cut, bars that scroll sideways, a window that
 * asks for too much.
 */
#include "look-checks.h"

#include "ui/canvas/assay-canvas.h"
#include "ui/canvas/assay-picture.h"
#include "ui/canvas/assay-verdict-glyph.h"
#include "ui/inspector/assay-property-list.h"
#include "ui/memory/assay-memory-chart.h"
#include "ui/table/assay-node-panel.h"
#include "ui/tensor/assay-tensor-row.h"
#include "ui/window/assay-context-bar.h"

/* More than that is no heading. */
#define HEADING_CHARS 90

typedef struct
{
  GPtrArray *complaints;
  gboolean large; /* text: the least size is meant for the usual one */
} Look;

static gboolean
is_heading (GtkWidget *label)
{
  static const char *const classes[] = { "heading", "caption-heading", "title",  "title-1",
                                         "title-2", "title-3",         "title-4" };

  for (guint i = 0; i < G_N_ELEMENTS (classes); i++)
    if (gtk_widget_has_css_class (label, classes[i]))
      return TRUE;

  return FALSE;
}

/* Names that people gave to files and nodes may be cut; what the program says may not. */
static gboolean
is_name (GtkWidget *label, const char *text)
{
  return g_str_has_suffix (text, ".onnx") || g_str_has_suffix (text, ".nnir") ||
         g_str_has_suffix (text, ".mlir") || strchr (text, '/') != NULL ||
         (gtk_label_get_ellipsize (GTK_LABEL (label)) == PANGO_ELLIPSIZE_MIDDLE &&
          gtk_widget_get_ancestor (label, ASSAY_TYPE_CONTEXT_BAR) != NULL) ||
         gtk_label_get_ellipsize (GTK_LABEL (label)) == PANGO_ELLIPSIZE_START;
}

static void
check_label (GtkWidget *label, Look *look)
{
  const char *text = gtk_label_get_text (GTK_LABEL (label));
  gboolean control = gtk_widget_get_ancestor (label, GTK_TYPE_BUTTON) != NULL ||
                     gtk_widget_get_ancestor (label, GTK_TYPE_MENU_BUTTON) != NULL;

  if ((control || is_heading (label)) && !is_name (label, text) &&
      pango_layout_is_ellipsized (gtk_label_get_layout (GTK_LABEL (label))))
    g_ptr_array_add (look->complaints, g_strdup_printf ("cut: “%s”", text));
  if (is_heading (label) && g_utf8_strlen (text, -1) > HEADING_CHARS)
    g_ptr_array_add (look->complaints, g_strdup_printf ("a long heading: “%s”", text));
}

/* Values of tensors, maps and texts are wider than a window; nothing else is, tables neither. */
static gboolean
may_scroll_sideways (GtkWidget *scrolled)
{
  return ui_find_type (scrolled, ASSAY_TYPE_TENSOR_ROW) != NULL ||
         ui_find_type (scrolled, ASSAY_TYPE_CANVAS) != NULL ||
         ui_find_type (scrolled, GTK_TYPE_TEXT_VIEW) != NULL;
}

static void
check_scrolled (GtkWidget *scrolled, Look *look)
{
  GtkAdjustment *adjustment = gtk_scrolled_window_get_hadjustment (GTK_SCROLLED_WINDOW (scrolled));
  GtkPolicyType policy;

  /* GTK 4.8 takes what is left beside a table for a place that was scrolled beyond. */
  if (GTK_IS_COLUMN_VIEW (gtk_scrolled_window_get_child (GTK_SCROLLED_WINDOW (scrolled))) &&
      gtk_adjustment_get_upper (adjustment) < gtk_adjustment_get_page_size (adjustment) - 1)
    g_ptr_array_add (look->complaints,
                     g_strdup_printf ("%s in %s does not fill its room",
                                      G_OBJECT_TYPE_NAME (scrolled),
                                      G_OBJECT_TYPE_NAME (gtk_widget_get_parent (scrolled))));

  gtk_scrolled_window_get_policy (GTK_SCROLLED_WINDOW (scrolled), &policy, NULL);
  if (policy == GTK_POLICY_NEVER || policy == GTK_POLICY_EXTERNAL || may_scroll_sideways (scrolled))
    return;

  if (gtk_adjustment_get_upper (adjustment) - gtk_adjustment_get_lower (adjustment) >
      gtk_adjustment_get_page_size (adjustment) + 1)
    g_ptr_array_add (look->complaints,
                     g_strdup_printf ("%s in %s scrolls sideways", G_OBJECT_TYPE_NAME (scrolled),
                                      G_OBJECT_TYPE_NAME (gtk_widget_get_parent (scrolled))));
}

/* A number is on one line. */
static void
check_figure (GtkWidget *label, Look *look)
{
  const char *text = gtk_label_get_text (GTK_LABEL (label));

  if (ui_matches ("^[-−]?[\\d.\u202f]+( ?[\\w%µ]+)?$", 0, text) &&
      pango_layout_get_line_count (gtk_label_get_layout (GTK_LABEL (label))) > 1)
    g_ptr_array_add (look->complaints, g_strdup_printf ("in several lines: “%s”", text));
}

/* A table stands where it is scrolled to: its head begins where the first column does. */
static void
check_table (GtkWidget *view, Look *look)
{
  GtkAdjustment *adjustment = gtk_scrollable_get_hadjustment (GTK_SCROLLABLE (view));
  GtkWidget *head = gtk_widget_get_first_child (view);
  graphene_rect_t bounds;

  if (adjustment != NULL && gtk_widget_compute_bounds (head, view, &bounds) &&
      ABS (bounds.origin.x + gtk_adjustment_get_value (adjustment)) > 1)
    g_ptr_array_add (look->complaints,
                     g_strdup_printf ("a table is drawn %.0f pixels from its place",
                                      bounds.origin.x + gtk_adjustment_get_value (adjustment)));
}

/* Digits of one number stand in groups, as in every other place. */
static void
check_number (GtkWidget *label, Look *look)
{
  const char *text = gtk_label_get_text (GTK_LABEL (label));

  if (gtk_widget_has_css_class (label, "numeric") &&
      gtk_widget_get_ancestor (label, GTK_TYPE_COLUMN_VIEW) != NULL &&
      ui_matches ("(?<![.\\dx])\\d{4,}", 0, text))
    g_ptr_array_add (look->complaints, g_strdup_printf ("not in groups: “%s”", text));
}

/* A name stands once before several values of one kind. */
static void
check_names (GtkWidget *grid, Look *look)
{
  const char *before = "";

  for (int row = 0;; row += 2)
    {
      GtkWidget *name = gtk_grid_get_child_at (GTK_GRID (grid), 0, row);
      const char *text = GTK_IS_LABEL (name) ? gtk_label_get_text (GTK_LABEL (name)) : "";
      int width = 1;

      if (name == NULL)
        return;
      /* Over both columns stand names of tensors, of which there may be two. */
      gtk_grid_query_child (GTK_GRID (grid), name, NULL, NULL, &width, NULL);
      if (width == 1 && *text != '\0' && g_str_equal (text, before))
        g_ptr_array_add (look->complaints, g_strdup_printf ("named again: “%s”", text));
      before = text;
    }
}

/* What holds all pages is as wide as its room: GTK cuts at both ends what asks for more. */
static void
check_pages (GtkWidget *stack, Look *look)
{
  GtkWidget *parent = gtk_widget_get_parent (stack);
  graphene_rect_t bounds;

  if (gtk_widget_compute_bounds (stack, parent, &bounds) &&
      (bounds.origin.x < 0 ||
       bounds.origin.x + bounds.size.width > (float) gtk_widget_get_width (parent) + 1))
    g_ptr_array_add (look->complaints,
                     g_strdup_printf ("the page is cut: %.0f pixels from %.0f in %d",
                                      (double) bounds.size.width, (double) bounds.origin.x,
                                      gtk_widget_get_width (parent)));
}

/* What is first and last in a window stands in it: where text that wraps is too tall, GTK cuts
 * both.
 */
static void
check_edge (GtkWidget *bar, Look *look)
{
  GtkWidget *root = GTK_WIDGET (gtk_widget_get_root (bar));
  graphene_rect_t bounds;

  if (gtk_widget_compute_bounds (bar, root, &bounds) &&
      (bounds.origin.y < -1 ||
       bounds.origin.y + bounds.size.height > (float) gtk_widget_get_height (root) + 1))
    g_ptr_array_add (look->complaints,
                     g_strdup_printf ("%s is cut: %.0f pixels from %.0f in %d",
                                      G_OBJECT_TYPE_NAME (bar), (double) bounds.size.height,
                                      (double) bounds.origin.y, gtk_widget_get_height (root)));
}

/* What draws its text itself is asked anew when the font changes, and has the height it needs. */
static void
check_drawn (GtkWidget *widget, Look *look)
{
  int needed, known;

  GTK_WIDGET_GET_CLASS (widget)->measure (widget, GTK_ORIENTATION_VERTICAL, -1, &needed,
                                          &(int){ 0 }, &(int){ 0 }, &(int){ 0 });
  gtk_widget_measure (widget, GTK_ORIENTATION_VERTICAL, -1, &known, NULL, NULL, NULL);
  if (known < needed || gtk_widget_get_height (widget) < needed)
    g_ptr_array_add (look->complaints,
                     g_strdup_printf ("%s needs %d pixels of height, asked for %d and has %d",
                                      G_OBJECT_TYPE_NAME (widget), needed, known,
                                      gtk_widget_get_height (widget)));
}

/* GTK 4.8 counts baselines in a row for a given width alone, and lays out anew again and again what
 * then asks for more than it asked for. */
static void
check_row (GtkWidget *row, Look *look)
{
  int usual, wide;

  gtk_widget_measure (row, GTK_ORIENTATION_VERTICAL, -1, &usual, NULL, NULL, NULL);
  gtk_widget_measure (row, GTK_ORIENTATION_VERTICAL, 1 << 20, &wide, NULL, NULL, NULL);
  if (usual < wide)
    g_ptr_array_add (
        look->complaints,
        g_strdup_printf ("a row in %s asks for %d pixels of height, and for %d when it "
                         "is wide",
                         G_OBJECT_TYPE_NAME (gtk_widget_get_parent (row)), usual, wide));
}

/* A button with words is as tall as they are, whatever stands beside it. */
static void
check_button (GtkWidget *button, Look *look)
{
  const char *label = gtk_button_get_label (GTK_BUTTON (button));
  int natural;

  gtk_widget_measure (button, GTK_ORIENTATION_VERTICAL, gtk_widget_get_width (button), NULL,
                      &natural, NULL, NULL);
  if (label != NULL && gtk_widget_get_height (button) > natural + 3)
    g_ptr_array_add (look->complaints,
                     g_strdup_printf ("the button “%s” is %d pixels tall for %d", label,
                                      gtk_widget_get_height (button), natural));
}

/* All that is left of its words are dots. */
static void
check_dots (GtkWidget *label, Look *look)
{
  PangoLayout *layout = gtk_label_get_layout (GTK_LABEL (label));
  int width, height;

  pango_layout_get_pixel_size (layout, &width, &height);
  if (pango_layout_is_ellipsized (layout) && pango_layout_get_line_count (layout) == 1 &&
      width < 2 * height)
    g_ptr_array_add (look->complaints, g_strdup_printf ("nothing is left of “%s”",
                                                        gtk_label_get_text (GTK_LABEL (label))));
}

static void
check_widget (GtkWidget *widget, gpointer data)
{
  Look *look = data;

  if (!gtk_widget_get_mapped (widget))
    return;

  ui_check_words (widget, look->complaints);
  if (GTK_IS_LABEL (widget))
    {
      check_label (widget, look);
      check_figure (widget, look);
      check_number (widget, look);
      check_dots (widget, look);
    }
  else if (GTK_IS_BUTTON (widget))
    check_button (widget, look);
  else if (GTK_IS_BOX (widget) && GTK_IS_BOX_LAYOUT (gtk_widget_get_layout_manager (widget)) &&
           gtk_orientable_get_orientation (GTK_ORIENTABLE (widget)) == GTK_ORIENTATION_HORIZONTAL)
    check_row (widget, look);
  else if (GTK_IS_SCROLLED_WINDOW (widget))
    check_scrolled (widget, look);
  else if (GTK_IS_COLUMN_VIEW (widget))
    check_table (widget, look);
  else if (GTK_IS_GRID (widget) && ASSAY_IS_PROPERTY_LIST (gtk_widget_get_parent (widget)))
    check_names (widget, look);
  else if (ADW_IS_VIEW_STACK (widget))
    check_pages (widget, look);
  else if (ADW_IS_HEADER_BAR (widget) || ADW_IS_VIEW_SWITCHER_BAR (widget))
    check_edge (widget, look);
  else if (ASSAY_IS_PICTURE (widget) || ASSAY_IS_MEMORY_CHART (widget) ||
           ASSAY_IS_VERDICT_GLYPH (widget))
    check_drawn (widget, look);
}

/* What asks for that much and has no part that does, for the complaint. */
static GtkWidget *
find_asking (GtkWidget *widget, GtkOrientation orientation, int limit)
{
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      int minimum;

      if (!gtk_widget_get_visible (child) || GTK_IS_NATIVE (child))
        continue;
      gtk_widget_measure (child, orientation, -1, &minimum, NULL, NULL, NULL);
      if (minimum > limit)
        return find_asking (child, orientation, limit);
    }

  return widget;
}

static void
check_minimum (GtkWidget *window, Look *look)
{
  static const int limits[] = {
    [GTK_ORIENTATION_HORIZONTAL] = 720, [GTK_ORIENTATION_VERTICAL] = 480
  };

  for (guint orientation = 0; orientation < G_N_ELEMENTS (limits); orientation++)
    {
      int minimum;

      gtk_widget_measure (window, orientation, -1, &minimum, NULL, NULL, NULL);
      if (minimum > limits[orientation])
        g_ptr_array_add (
            look->complaints,
            g_strdup_printf (
                "the window asks for %d pixels of %s, %d are there; %s does", minimum,
                orientation == GTK_ORIENTATION_HORIZONTAL ? "width" : "height", limits[orientation],
                G_OBJECT_TYPE_NAME (find_asking (window, orientation, limits[orientation] - 40))));
    }
}

static void
count_suggested (GtkWidget *widget, gpointer data)
{
  if (gtk_widget_get_mapped (widget) && gtk_widget_has_css_class (widget, "suggested-action") &&
      gtk_widget_is_sensitive (widget) && GTK_IS_WIDGET (gtk_widget_get_parent (widget)) &&
      !gtk_widget_has_css_class (gtk_widget_get_parent (widget), "suggested-action"))
    (*(guint *) data)++;
}

/* What is wrong with what the window and its dialogs show, in words. */
GPtrArray *
look_check (AssayWindow *window)
{
  PangoContext *context = gtk_widget_get_pango_context (GTK_WIDGET (window));
  const PangoFontDescription *font = pango_context_get_font_description (context);
  double pixels = pango_font_description_get_size (font) *
                  (pango_font_description_get_size_is_absolute (font) ? 1 : 96.0 / 72.0);
  /* Usually 11 points, which are 14.7 pixels. */
  Look look = { g_ptr_array_new_with_free_func (g_free), pixels > 18 * PANGO_SCALE };
  GListModel *toplevels = gtk_window_get_toplevels ();

  check_minimum (GTK_WIDGET (window), &look);
  for (guint i = 0; i < g_list_model_get_n_items (toplevels); i++)
    {
      g_autoptr (GtkWidget) toplevel = g_list_model_get_item (toplevels, i);
      guint suggested = 0;

      ui_for_each (toplevel, check_widget, &look);
      ui_for_each (toplevel, count_suggested, &suggested);
      if (suggested > 1)
        g_ptr_array_add (look.complaints, g_strdup_printf ("%u suggested buttons in %s", suggested,
                                                           G_OBJECT_TYPE_NAME (toplevel)));
    }

  return look.complaints;
}

/* Every table there is. Each has to have been seen at each of these widths, where look_check() says
 * whether its last column is whole. */
static const char *const tables[LOOK_N_TABLES] = {
  "AssayComparePage",  "AssayInstructionPane", "AssayNodePanel",    "AssayQualifyPage",
  "AssayResultWindow", "AssayTensorTable",     "AssayTimelinePage", "AssayTimesPage",
};
static const int table_widths[] = { 720, 1280, 1920, 2560 };

typedef struct
{
  guint *seen; /* a bit for each width */
  guint bit;
} Noted;

static void
note_table (GtkWidget *widget, gpointer data)
{
  const Noted *noted = data;
  GtkWidget *owner = widget;

  if (!gtk_widget_get_mapped (widget) ||
      (!GTK_IS_COLUMN_VIEW (widget) && !ASSAY_IS_NODE_PANEL (widget)))
    return;

  while (!g_str_has_prefix (G_OBJECT_TYPE_NAME (owner), "Assay"))
    owner = gtk_widget_get_parent (owner);
  for (guint i = 0; i < LOOK_N_TABLES; i++)
    if (g_str_equal (tables[i], G_OBJECT_TYPE_NAME (owner)))
      noted->seen[i] |= noted->bit;
}

/* Remembers which tables are in sight in a window of that width. */
void
look_note_tables (guint *seen, int width)
{
  GListModel *toplevels = gtk_window_get_toplevels ();

  for (guint w = 0; w < G_N_ELEMENTS (table_widths); w++)
    for (guint i = 0; i < g_list_model_get_n_items (toplevels) && width == table_widths[w]; i++)
      {
        g_autoptr (GtkWidget) toplevel = g_list_model_get_item (toplevels, i);
        Noted noted = { seen, 1u << w };

        ui_for_each (toplevel, note_table, &noted);
      }
}

/* Which tables were not in sight, in words. */
GPtrArray *
look_check_tables (const guint *seen)
{
  GPtrArray *complaints = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < LOOK_N_TABLES; i++)
    for (guint w = 0; w < G_N_ELEMENTS (table_widths); w++)
      if ((seen[i] >> w & 1) == 0)
        g_ptr_array_add (complaints, g_strdup_printf ("%s is not seen at %d pixels", tables[i],
                                                      table_widths[w]));

  return complaints;
}

static void
count_popover (GtkWidget *widget, gpointer data)
{
  if (GTK_IS_POPOVER (widget) && gtk_widget_get_mapped (widget))
    (*(guint *) data)++;
}

/* Windows and popovers that are seen. */
guint
look_count_surfaces (void)
{
  GListModel *toplevels = gtk_window_get_toplevels ();
  guint n = 0;

  for (guint i = 0; i < g_list_model_get_n_items (toplevels); i++)
    {
      g_autoptr (GtkWidget) toplevel = g_list_model_get_item (toplevels, i);

      if (gtk_widget_get_mapped (toplevel))
        n++;
      ui_for_each (toplevel, count_popover, &n);
    }

  return n;
}
