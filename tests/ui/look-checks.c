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
#include "ui/memory/assay-memory-chart.h"
#include "ui/table/assay-node-panel.h"
#include "ui/tensor/assay-tensor-row.h"

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
  return g_str_has_suffix (text, ".onnx") || strchr (text, '/') != NULL ||
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
      g_regex_match_simple ("(?<![.\\dx])\\d{4,}", text, 0, 0))
    g_ptr_array_add (look->complaints, g_strdup_printf ("not in groups: “%s”", text));
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
      check_number (widget, look);
    }
  else if (GTK_IS_SCROLLED_WINDOW (widget))
    check_scrolled (widget, look);
  else if (GTK_IS_COLUMN_VIEW (widget))
    check_table (widget, look);
  else if (ADW_IS_VIEW_STACK (widget))
    check_pages (widget, look);
  else if (ASSAY_IS_PICTURE (widget) || ASSAY_IS_MEMORY_CHART (widget) ||
           ASSAY_IS_VERDICT_GLYPH (widget))
    check_drawn (widget, look);
}

static void
check_minimum (GtkWidget *window, Look *look)
{
  static const int limits[] = {
    [GTK_ORIENTATION_HORIZONTAL] = 720, [GTK_ORIENTATION_VERTICAL] = 480
  };

  for (guint orientation = 0; orientation < G_N_ELEMENTS (limits) && !look->large; orientation++)
    {
      int minimum;

      gtk_widget_measure (window, orientation, -1, &minimum, NULL, NULL, NULL);
      if (minimum > limits[orientation])
        g_ptr_array_add (
            look->complaints,
            g_strdup_printf ("the window asks for %d pixels of %s, %d are there", minimum,
                             orientation == GTK_ORIENTATION_HORIZONTAL ? "width" : "height",
                             limits[orientation]));
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
