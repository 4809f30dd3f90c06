/* test-export.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every picture and every table of every page leaves the window: copied, and as a file.
 */
#include <glib/gstdio.h>
#include <string.h>

#include "test-program.h"
#include "ui-fixture.h"
#include "ui/canvas/assay-picture-file.h"
#include "ui/canvas/assay-picture.h"
#include "ui/memory/assay-memory-chart.h"
#include "ui/table/assay-columns.h"
#include "ui/window/assay-export-menu.h"
#include "ui/window/assay-page.h"

typedef struct
{
  const char *folder;
  guint n_pictures;
  guint n_tables;
} Seen;

static void
check_file (const char *folder, const char *name, const char *start)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *data = NULL;
  gsize length;

  wait_until (g_file_get_contents (path, &data, &length, NULL));
  g_assert_cmpuint (length, >, strlen (start));
  g_assert_cmpmem (data, strlen (start), start, strlen (start));
  g_remove (path);
}

static guchar *
render (GtkWidget *widget, gsize *size)
{
  g_autoptr (GdkTexture) texture = assay_picture_file_render (widget, 1);
  gsize stride = 4 * (gsize) gdk_texture_get_width (texture);
  guchar *pixels;

  *size = stride * (gsize) gdk_texture_get_height (texture);
  pixels = g_malloc (*size);
  gdk_texture_download (texture, pixels, stride);
  return pixels;
}

/* Something is in it, also while its widget waits for its place, as below a menu that closes. */
static void
check_pixels (GtkWidget *widget)
{
  gsize size;
  g_autofree guchar *drawn = render (widget, &size);
  g_autofree guchar *waiting = NULL;
  gsize other = 4;

  while (other < size && memcmp (drawn, drawn + other, 4) == 0)
    other += 4;
  /* A bar may be of one colour. */
  if (gtk_widget_get_height (widget) > 16)
    g_assert_cmpuint (other, <, size);

  gtk_widget_queue_resize (widget);
  waiting = render (widget, &size);
  g_assert_cmpmem (drawn, size, waiting, size);
}

/* What shows a picture has a menu for it, and both forms of a file are what they say. */
static void
check_widget (GtkWidget *widget, gpointer data)
{
  static const struct
  {
    const char *name;
    const char *start;
  } forms[] = { { "picture.svg", "<?xml" }, { "picture.png", "\x89PNG" } };
  Seen *seen = data;

  if (!gtk_widget_get_mapped (widget) || gtk_widget_get_width (widget) == 0)
    return;

  if (ASSAY_IS_PICTURE (widget) || ASSAY_IS_MEMORY_CHART (widget))
    {
      check_pixels (widget);
      for (guint i = 0; i < G_N_ELEMENTS (forms); i++)
        {
          g_autofree char *path = g_build_filename (seen->folder, forms[i].name, NULL);

          assay_export_menu_save_picture (widget, path);
          check_file (seen->folder, forms[i].name, forms[i].start);
        }
      g_assert_true (gtk_widget_activate_action (widget, "export.copy", NULL));
      g_assert_true (gdk_content_formats_contain_gtype (
          gdk_clipboard_get_formats (gtk_widget_get_clipboard (widget)), GDK_TYPE_TEXTURE));
      seen->n_pictures++;
    }
  else if (GTK_IS_COLUMN_VIEW (widget))
    {
      g_autofree char *path = g_build_filename (seen->folder, "rows.csv", NULL);

      g_assert_true (gtk_widget_activate_action (widget, "export.copy", NULL));
      g_assert_true (gdk_content_formats_contain_gtype (
          gdk_clipboard_get_formats (gtk_widget_get_clipboard (widget)), G_TYPE_STRING));
      assay_columns_save (GTK_COLUMN_VIEW (widget), path);
      check_file (seen->folder, "rows.csv", "");
      seen->n_tables++;
    }
}

static gboolean
is_compared (gpointer data)
{
  return assay_compare_activity_get_comparison (assay_session_get_compare_activity (data)) != NULL;
}

/* The pages of the table, each with what it shows of a program that was compared. */
static void
test_pages (void)
{
  static const struct
  {
    const char *page;
    guint pictures;
    guint tables;
  } least[] = { { "graph", 0, 0 }, { "memory", 2, 1 },  { "timeline", 1, 1 },
                { "times", 0, 1 }, { "compare", 2, 1 }, { "qualify", 0, 0 } };
  AssayWindow *window = ui_window_new (UI_TARGET, 1920, 1080);
  AssaySession *session = assay_window_get_session (window);
  g_autofree char *folder = g_dir_make_tmp ("assay-export-XXXXXX", NULL);
  const AssayPageRow *rows;
  guint n;

  ui_open_example (window, "streaming-cnn.onnx");
  ui_wait_ready (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.compare", NULL);
  wait_until (is_compared (session));
  ui_wait_ready (window);
  rows = assay_page_list (&n);
  g_assert_cmpuint (n, ==, G_N_ELEMENTS (least));
  for (guint i = 0; i < n; i++)
    {
      Seen seen = { folder, 0, 0 };
      GdkClipboard *clipboard = gtk_widget_get_clipboard (GTK_WIDGET (window));

      g_test_message ("%s", rows[i].name);
      g_assert_cmpstr (rows[i].name, ==, least[i].page);
      /* Times of parts are those of other targets. */
      if (!assay_backend_has (assay_session_get_target (session), rows[i].needs))
        continue;
      gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", rows[i].name);
      ui_settle ();
      ui_for_each (GTK_WIDGET (window), check_widget, &seen);
      g_assert_cmpuint (seen.n_pictures, >=, least[i].pictures);
      g_assert_cmpuint (seen.n_tables, >=, least[i].tables);

      /* By a key, without any of the menus. */
      gdk_clipboard_set_text (clipboard, "nothing");
      gtk_widget_activate_action (GTK_WIDGET (window), "win.copy-picture", NULL);
      g_assert_true (gdk_content_formats_contain_gtype (gdk_clipboard_get_formats (clipboard),
                                                        GDK_TYPE_TEXTURE));
    }
  g_rmdir (folder);
  ui_window_close (window);
}

static void
see_refusal (GtkWidget *widget, gpointer told)
{
  if (GTK_IS_LABEL (widget) && gtk_widget_get_mapped (widget) &&
      g_str_has_prefix (gtk_label_get_text (GTK_LABEL (widget)), "Not saved: "))
    *(gboolean *) told = TRUE;
}

/* A file that cannot be written is said, and nothing else happens. */
static void
test_refused (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  gboolean told = FALSE;
  GtkWidget *picture;

  ui_open_example (window, "streaming-cnn.onnx");
  ui_wait_ready (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "timeline");
  ui_settle ();
  picture = assay_export_menu_find_picture (GTK_WIDGET (window));
  g_assert_nonnull (picture);
  assay_export_menu_save_picture (picture, "/nowhere/picture.svg");
  wait_until ((ui_for_each (GTK_WIDGET (window), see_refusal, &told), told));
  ui_window_close (window);
}

static const UiTest tests[] = {
  { "/ui/export/pages", test_pages },
  { "/ui/export/refused", test_refused },
};

TEST_PROGRAM (export)
{
  return ui_run (argc, argv, tests, G_N_ELEMENTS (tests));
}
