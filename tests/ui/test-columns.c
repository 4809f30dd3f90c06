/* test-columns.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Tables that are wider than their room, read from left to right and from right to left.
 */
#include "test-program.h"
#include "ui-fixture.h"
#include "ui/table/assay-columns.h"

static const AssayColumn columns[] = {
  { "First column", FALSE, FALSE }, { "Second column", FALSE, FALSE },
  { "Third column", FALSE, FALSE }, { "Fourth column", FALSE, FALSE },
  { "Fifth column", FALSE, FALSE },
};

static char *
dup_text (gpointer item, guint column)
{
  return g_strdup_printf ("what stands in column %u", column);
}

static gboolean
in_sight (GtkWidget *scrolled, const char *title)
{
  graphene_rect_t bounds;

  g_assert_true (gtk_widget_compute_bounds (ui_find_label (scrolled, title), scrolled, &bounds));
  return bounds.origin.x >= 0 &&
         bounds.origin.x + bounds.size.width <= (float) gtk_widget_get_width (scrolled);
}

/* The table of these tests in a window that is narrower than it. */
static GtkWidget *
show_table (GtkTextDirection direction, int height)
{
  const char *const rows[] = { "row", NULL };
  GtkWidget *view;
  GtkWidget *scrolled;
  GtkWidget *window;

  gtk_widget_set_default_direction (direction);
  view = gtk_column_view_new (
      GTK_SELECTION_MODEL (gtk_no_selection_new (G_LIST_MODEL (gtk_string_list_new (rows)))));
  scrolled = gtk_scrolled_window_new ();
  window = gtk_window_new ();
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    assay_columns_add (GTK_COLUMN_VIEW (view), &columns[i], i, dup_text, NULL);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), view);
  gtk_widget_set_size_request (scrolled, 300, height);
  gtk_window_set_child (GTK_WINDOW (window), scrolled);
  gtk_window_present (GTK_WINDOW (window));
  ui_settle ();

  return scrolled;
}

static void
end_table (GtkWidget *scrolled)
{
  gtk_window_destroy (GTK_WINDOW (gtk_widget_get_root (scrolled)));
  gtk_widget_set_default_direction (GTK_TEXT_DIR_LTR);
}

static void
test_start (gconstpointer data)
{
  GtkTextDirection direction = GPOINTER_TO_UINT (data);
  GtkWidget *scrolled = show_table (direction, 200);
  GtkAdjustment *adjustment;
  double step = direction == GTK_TEXT_DIR_RTL ? -50 : 50;
  double value;

  adjustment = gtk_scrolled_window_get_hadjustment (GTK_SCROLLED_WINDOW (scrolled));
  g_assert_cmpfloat (gtk_adjustment_get_upper (adjustment), >,
                     gtk_adjustment_get_page_size (adjustment) + 100);
  g_assert_true (in_sight (scrolled, "First column"));
  g_assert_false (in_sight (scrolled, "Fifth column"));

  /* Whoever scrolls stays there, counted from where reading starts, when the table gets more room.
   */
  gtk_adjustment_set_value (adjustment, gtk_adjustment_get_value (adjustment) + step);
  value = gtk_adjustment_get_value (adjustment);
  gtk_widget_set_size_request (scrolled, 360, 200);
  ui_settle ();
  g_assert_cmpfloat_with_epsilon (gtk_adjustment_get_value (adjustment),
                                  direction == GTK_TEXT_DIR_RTL ? value - 60 : value, 1);
  g_assert_false (in_sight (scrolled, "Fifth column"));

  end_table (scrolled);
}

/* Columns that are left out in the midst of an allocation leave the others in sight. */
static void
test_narrower (gconstpointer data)
{
  GtkTextDirection direction = GPOINTER_TO_UINT (data);
  GtkWidget *scrolled = show_table (direction, 200);
  GtkWidget *view = gtk_scrolled_window_get_child (GTK_SCROLLED_WINDOW (scrolled));
  GListModel *list = gtk_column_view_get_columns (GTK_COLUMN_VIEW (view));
  GtkAdjustment *adjustment = gtk_scrolled_window_get_hadjustment (GTK_SCROLLED_WINDOW (scrolled));

  /* To the right, where reading ends or starts. */
  gtk_adjustment_set_value (adjustment, 1e6);
  ui_settle ();
  g_assert_true (
      in_sight (scrolled, direction == GTK_TEXT_DIR_RTL ? "First column" : "Fifth column"));
  for (guint i = 1; i < G_N_ELEMENTS (columns); i++)
    {
      g_autoptr (GtkColumnViewColumn) column = g_list_model_get_item (list, i);

      gtk_column_view_column_set_visible (column, FALSE);
    }
  ui_settle ();
  g_assert_true (in_sight (scrolled, "First column"));

  end_table (scrolled);
}

static char *
dup_shape (gpointer item, guint column)
{
  return g_strdup ("1 × 3 × 224");
}

/* A column keeps its text whole until it is made narrow, and then shows that there is more; figures
 * are read from left to right everywhere. */
static void
test_figures (gconstpointer data)
{
  static const AssayColumn shape = { "Shape", TRUE, FALSE };
  GtkTextDirection direction = GPOINTER_TO_UINT (data);
  const char *const rows[] = { "row", NULL };
  GtkWidget *view, *window, *scrolled, *label;
  GtkColumnViewColumn *column;
  PangoLayout *layout;

  gtk_widget_set_default_direction (direction);
  view = gtk_column_view_new (
      GTK_SELECTION_MODEL (gtk_no_selection_new (G_LIST_MODEL (gtk_string_list_new (rows)))));
  scrolled = gtk_scrolled_window_new ();
  window = gtk_window_new ();
  column = assay_columns_add (GTK_COLUMN_VIEW (view), &shape, 0, dup_shape, NULL);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), view);
  gtk_widget_set_size_request (scrolled, 40, 100);
  gtk_window_set_child (GTK_WINDOW (window), scrolled);
  gtk_window_present (GTK_WINDOW (window));
  ui_settle ();

  label = ui_find_label (view, "1 × 3 × 224");
  layout = gtk_label_get_layout (GTK_LABEL (label));
  g_assert_false (pango_layout_is_ellipsized (layout));
  g_assert_cmpint (pango_layout_get_direction (layout, 0), ==, PANGO_DIRECTION_LTR);
  /* At the right in both, so that digits stand below each other. */
  g_assert_cmpfloat (gtk_label_get_xalign (GTK_LABEL (label)), ==, 1);

  gtk_column_view_column_set_fixed_width (column, 50);
  ui_settle ();
  g_assert_true (pango_layout_is_ellipsized (gtk_label_get_layout (GTK_LABEL (label))));
  gtk_window_destroy (GTK_WINDOW (window));
  gtk_widget_set_default_direction (GTK_TEXT_DIR_LTR);
}

/* Grey levels of a strip of a widget, the darkest: what is to be read there. */
static guint
darkest (GtkWidget *widget, double x, double width)
{
  g_autoptr (GdkPaintable) paintable = gtk_widget_paintable_new (widget);
  g_autoptr (GtkSnapshot) snapshot = gtk_snapshot_new ();
  graphene_rect_t area = GRAPHENE_RECT_INIT ((float) x, 30, (float) width, 60);
  g_autoptr (GskRenderNode) node = NULL;
  g_autoptr (GdkTexture) texture = NULL;
  g_autofree guchar *pixels = NULL;
  gsize stride;
  guint least = 255;

  gdk_paintable_snapshot (paintable, snapshot, gdk_paintable_get_intrinsic_width (paintable),
                          gdk_paintable_get_intrinsic_height (paintable));
  node = gtk_snapshot_free_to_node (g_steal_pointer (&snapshot));
  texture = gsk_renderer_render_texture (gtk_native_get_renderer (gtk_widget_get_native (widget)),
                                         node, &area);
  stride = (gsize) gdk_texture_get_width (texture) * 4;
  pixels = g_malloc (stride * (gsize) gdk_texture_get_height (texture));
  gdk_texture_download (texture, pixels, stride);
  for (gsize i = 0; i < stride * (gsize) gdk_texture_get_height (texture); i += 4)
    if (pixels[i + 3] > 0)
      least = MIN (least, pixels[i + 1]);

  return least;
}

/* A number that the edge of its table cuts would be read as another one; it fades there. */
static void
test_edge (gconstpointer data)
{
  GtkTextDirection direction = GPOINTER_TO_UINT (data);
  GtkWidget *scrolled = show_table (direction, 100);
  GtkAdjustment *adjustment;

  adjustment = gtk_scrolled_window_get_hadjustment (GTK_SCROLLED_WINDOW (scrolled));
  gtk_adjustment_set_value (adjustment, (gtk_adjustment_get_upper (adjustment) - 300) / 2);
  ui_settle ();
  g_assert_cmpuint (darkest (scrolled, 60, 180), <, 120);
  g_assert_cmpuint (darkest (scrolled, 0, 6), >, 200);
  g_assert_cmpuint (darkest (scrolled, 294, 6), >, 200);

  end_table (scrolled);
}

/* Of columns that have no room some give way, what says nothing first; those that are left are
 * whole. They come back with the room, and when the user asks for them. */

static const AssayColumn ranked[] = {
  { "Name", FALSE, TRUE },
  { "Sum", TRUE, FALSE, NULL, 3 },
  { "Nothing", TRUE, FALSE, NULL, 1 },
  { "Share", TRUE, FALSE, NULL, 2 },
  { "Size", TRUE, FALSE },
};

static char *
dup_ranked (gpointer item, guint column)
{
  static const char *const cells[] = { "a name", "1 234 567", "0", "12 345 %", "123 456" };

  return g_strdup (cells[column]);
}

static guint
list_shown (GtkColumnView *view)
{
  GListModel *list = gtk_column_view_get_columns (view);
  guint shown = 0;

  for (guint i = 0; i < g_list_model_get_n_items (list); i++)
    {
      g_autoptr (GtkColumnViewColumn) column = g_list_model_get_item (list, i);

      shown |= gtk_column_view_column_get_visible (column) ? 1u << i : 0;
    }

  return shown;
}

/* Rows are there after the first frame, and what they ask for after the second. */
static void
resize_table (GtkWidget *scrolled, int width)
{
  gtk_window_set_default_size (GTK_WINDOW (gtk_widget_get_root (scrolled)), width, 200);
  for (guint i = 0; i < 3; i++)
    ui_settle ();
}

static void
test_fit (gconstpointer data)
{
  GtkTextDirection direction = GPOINTER_TO_UINT (data);
  const char *const rows[] = { "row", NULL };
  GtkWidget *scrolled = gtk_scrolled_window_new ();
  GtkWidget *window = gtk_window_new ();
  GtkAdjustment *adjustment;
  GtkColumnView *view;
  guint shown = 0x1f;

  gtk_widget_set_default_direction (direction);
  view = GTK_COLUMN_VIEW (gtk_column_view_new (
      GTK_SELECTION_MODEL (gtk_no_selection_new (G_LIST_MODEL (gtk_string_list_new (rows))))));
  for (guint i = 0; i < G_N_ELEMENTS (ranked); i++)
    assay_columns_add (view, &ranked[i], i, dup_ranked, NULL);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), GTK_WIDGET (view));
  gtk_window_set_child (GTK_WINDOW (window), scrolled);
  gtk_window_set_default_size (GTK_WINDOW (window), 800, 200);
  gtk_window_present (GTK_WINDOW (window));
  resize_table (scrolled, 800);
  adjustment = gtk_scrolled_window_get_hadjustment (GTK_SCROLLED_WINDOW (scrolled));
  g_assert_cmpuint (list_shown (view), ==, shown);
  g_assert_null (ui_find_type (scrolled, GTK_TYPE_MENU_BUTTON));

  for (int width = 700; width >= 300; width -= 25)
    {
      guint fewer;

      resize_table (scrolled, width);
      fewer = list_shown (view);
      g_test_message ("%d: %x", width, fewer);
      g_assert_cmpfloat (gtk_adjustment_get_upper (adjustment), <=,
                         gtk_adjustment_get_page_size (adjustment) + 1);
      g_assert_true (in_sight (scrolled, "Size"));
      /* In their order: nothing, sum, share. */
      g_assert_true (fewer == shown || fewer == (shown == 0x1f   ? 0x1b
                                                 : shown == 0x1b ? 0x19
                                                                 : 0x11));
      g_assert_cmpint (ui_find_type (scrolled, GTK_TYPE_MENU_BUTTON) != NULL, ==, fewer != 0x1f);
      shown = fewer;
    }
  g_assert_cmpuint (shown, ==, 0x11);

  gtk_widget_activate_action (GTK_WIDGET (view), "columns.c1", NULL);
  resize_table (scrolled, 300);
  g_assert_cmpuint (list_shown (view), ==, 0x13);
  gtk_widget_activate_action (GTK_WIDGET (view), "columns.c1", NULL);
  resize_table (scrolled, 800);
  g_assert_cmpuint (list_shown (view), ==, 0x1d);
  gtk_widget_activate_action (GTK_WIDGET (view), "columns.c1", NULL);
  resize_table (scrolled, 800);
  g_assert_cmpuint (list_shown (view), ==, 0x1f);
  g_assert_null (ui_find_type (scrolled, GTK_TYPE_MENU_BUTTON));

  end_table (scrolled);
}

/* The title of numbers ends where they do. */
static void
test_title (void)
{
  static const AssayColumn size = { "Size", TRUE, FALSE };
  const char *const rows[] = { "row", NULL };
  GtkWidget *window = gtk_window_new ();
  GtkWidget *view = gtk_column_view_new (
      GTK_SELECTION_MODEL (gtk_no_selection_new (G_LIST_MODEL (gtk_string_list_new (rows)))));
  graphene_rect_t title, number;

  assay_columns_add (GTK_COLUMN_VIEW (view), &size, 0, dup_shape, NULL);
  gtk_window_set_child (GTK_WINDOW (window), view);
  gtk_window_present (GTK_WINDOW (window));
  ui_settle ();
  g_assert_true (gtk_widget_compute_bounds (ui_find_label (view, "Size"), view, &title));
  g_assert_true (gtk_widget_compute_bounds (ui_find_label (view, "1 × 3 × 224"), view, &number));
  g_assert_cmpfloat_with_epsilon (title.origin.x + title.size.width,
                                  number.origin.x + number.size.width, 1);
  gtk_window_destroy (GTK_WINDOW (window));
}

TEST_PROGRAM (columns)
{
  if (!ui_begin (&argc, &argv))
    return 0;

  g_test_add_data_func ("/columns/start/left-to-right", GUINT_TO_POINTER (GTK_TEXT_DIR_LTR),
                        test_start);
  g_test_add_data_func ("/columns/start/right-to-left", GUINT_TO_POINTER (GTK_TEXT_DIR_RTL),
                        test_start);
  g_test_add_data_func ("/columns/narrower/left-to-right", GUINT_TO_POINTER (GTK_TEXT_DIR_LTR),
                        test_narrower);
  g_test_add_data_func ("/columns/narrower/right-to-left", GUINT_TO_POINTER (GTK_TEXT_DIR_RTL),
                        test_narrower);
  g_test_add_data_func ("/columns/edge/left-to-right", GUINT_TO_POINTER (GTK_TEXT_DIR_LTR),
                        test_edge);
  g_test_add_data_func ("/columns/edge/right-to-left", GUINT_TO_POINTER (GTK_TEXT_DIR_RTL),
                        test_edge);
  g_test_add_data_func ("/columns/figures/left-to-right", GUINT_TO_POINTER (GTK_TEXT_DIR_LTR),
                        test_figures);
  g_test_add_data_func ("/columns/figures/right-to-left", GUINT_TO_POINTER (GTK_TEXT_DIR_RTL),
                        test_figures);

  g_test_add_data_func ("/columns/fit/left-to-right", GUINT_TO_POINTER (GTK_TEXT_DIR_LTR),
                        test_fit);
  g_test_add_data_func ("/columns/fit/right-to-left", GUINT_TO_POINTER (GTK_TEXT_DIR_RTL),
                        test_fit);
  g_test_add_func ("/columns/title", test_title);

  return g_test_run ();
}
