/* test-families.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What pages say of targets that do not stream: they have no cores, and stores as large as needed.
 */
#include "draw/assay-timeline-scene.h"
#include "int8-model.h"
#include "test-program.h"
#include "ui-fixture.h"
#include "ui/canvas/assay-canvas-private.h"
#include "ui/canvas/assay-overview.h"
#include "ui/compare/assay-compare-page.h"
#include "ui/memory/assay-gauge.h"
#include "ui/memory/assay-memory-page.h"
#include "ui/timeline/assay-timeline-chart.h"
#include "ui/timeline/assay-timeline-page.h"

#include <string.h>

static void
take_label (GtkWidget *widget, gpointer data)
{
  if (GTK_IS_LABEL (widget) && gtk_widget_get_mapped (widget))
    g_ptr_array_add (data, g_strdup (gtk_label_get_text (GTK_LABEL (widget))));
}

static void
count_gauge (GtkWidget *widget, gpointer data)
{
  if (ASSAY_IS_GAUGE (widget))
    (*(guint *) data)++;
}

static void
wait_compiled (AssayWindow *window)
{
  ui_wait_ready (window);
  ui_wait_ended (assay_session_get_compilation (assay_window_get_session (window)));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "memory");
  ui_settle ();
}

/* What fills exactly what there is of it is not called full, what has one of something does not
 * count them, and nothing of the program before is left. */
static void
check_memory (AssayWindow *window, const char *store, const char *noun)
{
  const char *const stores[] = { store, "weights", "metrics" };
  static const char *const foreign[] = { "core",  "c0",     "100\u202f%",
                                         "100 %", "Clamps", "Tensor descriptors" };
  GtkWidget *page = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_MEMORY_PAGE);
  gboolean named = FALSE;
  guint n = 0;

  for (guint s = 0; s < G_N_ELEMENTS (stores); s++)
    {
      g_autoptr (GPtrArray) labels = g_ptr_array_new_with_free_func (g_free);

      gtk_widget_activate_action (page, "memory.store", "s", stores[s]);
      ui_settle ();
      ui_for_each (page, take_label, labels);
      g_assert_cmpuint (labels->len, >, 3);
      for (guint i = 0; i < labels->len; i++)
        {
          const char *text = g_ptr_array_index (labels, i);

          named = named || strstr (text, noun) != NULL;
          for (guint f = 0; f < G_N_ELEMENTS (foreign); f++)
            if (strstr (text, foreign[f]) != NULL)
              g_error ("“%s” is said of %s", text, noun);
        }
    }
  g_assert_true (named);
  ui_for_each (page, count_gauge, &n);
  g_assert_cmpuint (n, ==, 0);
}

/* Pixels of the ruler beside the graph that say how full the store is. */
static guint
count_fill (AssayWindow *window)
{
  GtkWidget *ruler = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_OVERVIEW);
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  g_autoptr (GskRenderNode) node = NULL;
  cairo_surface_t *surface;
  cairo_t *cairo;
  guint n = 0;

  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "graph");
  ui_settle ();
  GTK_WIDGET_GET_CLASS (ruler)->snapshot (ruler, snapshot);
  node = gtk_snapshot_free_to_node (snapshot);
  surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, gtk_widget_get_width (ruler),
                                        gtk_widget_get_height (ruler));
  cairo = cairo_create (surface);
  gsk_render_node_draw (node, cairo);
  cairo_destroy (cairo);
  cairo_surface_flush (surface);
  for (int y = 0; y < cairo_image_surface_get_height (surface); y++)
    {
      const guchar *row = cairo_image_surface_get_data (surface) +
                          y * cairo_image_surface_get_stride (surface);
      const guchar *last = row + 4 * (cairo_image_surface_get_width (surface) - 1);

      n += ABS (last[0] - last[2]) > 60;
    }
  cairo_surface_destroy (surface);

  return n;
}

/* Where all are equal, nothing stands below a head of columns. */
static void
check_equal (AssayWindow *window)
{
  GtkTextIter start, end;
  GtkTextBuffer *buffer;
  g_autofree char *text = NULL;

  gtk_widget_activate_action (GTK_WIDGET (window), "win.compare", NULL);
  ui_wait_ended (assay_session_get_compare_activity (assay_window_get_session (window)));
  ui_settle ();
  buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (ui_find_type (
      ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_COMPARE_PAGE), GTK_TYPE_TEXT_VIEW)));
  gtk_text_buffer_get_bounds (buffer, &start, &end);
  text = gtk_text_buffer_get_text (buffer, &start, &end, FALSE);
  g_assert_cmpstr (text, ==, "No element differs.");
}

/* What has no cores names none: in lines, ranges, tables and sentences. */
static void
check_timeline (AssayWindow *window)
{
  GtkWidget *page = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_TIMELINE_PAGE);
  GtkWidget *chart = ui_find_type (page, ASSAY_TYPE_TIMELINE_CHART);
  const AssayTimeMap *map = assay_compilation_get_time (
      assay_session_get_compilation (assay_window_get_session (window)));
  g_autoptr (AssayDisplayList) list = assay_display_list_new ();
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  guint n_drawn = 0;

  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "timeline");
  ui_settle ();
  assay_timeline_scene_draw (map, assay_timeline_chart_get_look (ASSAY_TIMELINE_CHART (chart)),
                             list);
  for (guint i = 0; i < list->items->len; i++)
    {
      const AssayDrawItem *item = &g_array_index (list->items, AssayDrawItem, i);

      if (item->kind == ASSAY_DRAW_TEXT)
        g_ptr_array_add (texts, g_strdup (list->text->str + item->data));
    }
  n_drawn = texts->len;
  g_ptr_array_add (texts, assay_timeline_describe_range (map, 0, 0, 100));
  ui_for_each (page, take_label, texts);
  g_assert_cmpuint (n_drawn, >, 3);
  g_assert_cmpuint (texts->len, >, n_drawn + 5);
  for (guint i = 0; i < texts->len; i++)
    if (g_regex_match_simple ("\\bcore", g_ptr_array_index (texts, i), G_REGEX_CASELESS, 0))
      g_error ("“%s” is said where there are none", (const char *) g_ptr_array_index (texts, i));
}

static void
test_memory (void)
{
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "int8.nnir", NULL);
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 1000);
  GtkWidget *page = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_MEMORY_PAGE);
  guint n = 0;

  ui_open_example (window, "streaming-cnn.onnx");
  wait_compiled (window);
  ui_for_each (page, count_gauge, &n);
  g_assert_cmpuint (n, >, 0);
  g_assert_cmpuint (count_fill (window), >, 0);

  gtk_widget_activate_action (GTK_WIDGET (window), "win.target", "s", "vulkan-main");
  wait_compiled (window);
  check_memory (window, "memory", "device memory");
  g_assert_cmpuint (count_fill (window), ==, 0);

  g_assert_true (g_file_set_contents (path, int8_model, -1, NULL));
  assay_window_open (window, path, NULL);
  ui_wait_ready (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.target", "s", "dpu_zdx8g_b4096");
  wait_compiled (window);
  check_memory (window, "maps", "memory of feature maps");
  check_equal (window);
  check_timeline (window);
  ui_window_close (window);
}

/* A model that was just opened is seen as a whole as far as it can be, also after a better layout
 * took the place of the first one: of what a quantised model has, half was out of sight beside an
 * empty half. */
static void
test_first_picture (void)
{
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "mlp-int8.onnx", NULL);
  AssayWindow *window = ui_window_new ("dpu_zdx8g_b4096", 1280, 800);
  AssayQuantizeActivity *activity = assay_session_get_quantize (assay_window_get_session (window));
  AssayCanvas *canvas = ASSAY_CANVAS (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CANVAS));
  double x, y, width;

  ui_open_example (window, "mlp.onnx");
  ui_bind_batch (window);
  assay_quantize_activity_set_random (activity, 2, 1);
  assay_quantize_activity_start (activity, path);
  ui_wait_ended (activity);
  g_assert_no_error (assay_activity_get_error (ASSAY_ACTIVITY (activity)));
  assay_window_open (window, path, NULL);
  ui_wait_ready (window);
  wait_until (canvas->view != NULL && canvas->refining == 0 && canvas->tween == NULL);
  ui_settle ();

  assay_canvas_get_origin (canvas, &x, &y);
  width = canvas->view->width * assay_canvas_get_scale (canvas);
  g_test_message ("%g wide from %g in %d", width, x, gtk_widget_get_width (GTK_WIDGET (canvas)));
  g_assert_cmpfloat (x, >=, 0);
  g_assert_cmpfloat (x + width, <=, gtk_widget_get_width (GTK_WIDGET (canvas)));
  ui_window_close (window);
}

static const UiTest tests[] = {
  { "/ui/families/first-picture", test_first_picture },
  { "/ui/families/memory", test_memory },
};

TEST_PROGRAM (families)
{
  return ui_run (argc, argv, tests, G_N_ELEMENTS (tests));
}
