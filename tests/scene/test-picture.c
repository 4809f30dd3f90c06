/* test-picture.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Graphs as files: SVG in one piece, PDF pages, PNG tiles, DOT.
 */
#include <cairo.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "base/assay-error.h"
#include "draw/assay-mark.h"
#include "report/picture/assay-graph-picture.h"
#include "report/picture/assay-svg.h"
#include "tests/scene/assay-scene-models.h"

#include "test-program.h"

typedef struct
{
  AssayVerdicts *verdicts;
  AssayScopeTree *tree;
  AssayView *view;
  AssayColors colors;
  AssayGraphPicture picture;
} Fixture;

static void
fixture_init (Fixture *fixture, AssayVerdicts *verdicts)
{
  fixture->verdicts = verdicts;
  fixture->tree = assay_scope_tree_new (verdicts->graph);
  fixture->view = assay_view_new (verdicts, fixture->tree, &(AssayViewOptions){ 0 });
  assay_colors_init (&fixture->colors, FALSE, FALSE);
  fixture->picture = (AssayGraphPicture){
    .view = fixture->view,
    .colors = &fixture->colors,
    .family = "Cantarell",
    .title = "net <1>, target",
    .scale = 1,
  };
}

static void
fixture_clear (Fixture *fixture)
{
  assay_view_free (fixture->view);
  assay_scope_tree_free (fixture->tree);
  assay_verdicts_unref (fixture->verdicts);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Fixture, fixture_clear)

static char *
render_text (Fixture *fixture, AssayPictureForm form)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) files = assay_graph_picture_render (&fixture->picture, form, NULL, &error);
  gsize length;
  const char *data;

  g_assert_no_error (error);
  g_assert_cmpuint (files->len, ==, 1);
  data = g_bytes_get_data (g_ptr_array_index (files, 0), &length);

  return g_strndup (data, length);
}

static guint
count (const char *text, const char *part)
{
  guint n = 0;

  for (const char *p = strstr (text, part); p != NULL; p = strstr (p + 1, part))
    n++;

  return n;
}

static void
element_cb (GMarkupParseContext *context, const char *name, const char **names, const char **values,
            gpointer user_data, GError **error)
{
  (*(guint *) user_data)++;
}

/* How many elements a well-formed document has. */
static guint
parse (const char *text)
{
  static const GMarkupParser parser = { element_cb, NULL, NULL, NULL, NULL };
  guint n = 0;
  GMarkupParseContext *context = g_markup_parse_context_new (&parser, 0, &n, NULL);
  g_autoptr (GError) error = NULL;
  gboolean ok = g_markup_parse_context_parse (context, text, -1, &error) &&
                g_markup_parse_context_end_parse (context, &error);

  g_assert_no_error (error);
  g_assert_true (ok);
  g_markup_parse_context_free (context);

  return n;
}

/* All seven verdicts with their glyphs, names as text, a group with words for each box, and what is
 * no XML escaped. */
static void
test_svg (void)
{
  g_auto (Fixture) fixture = { 0 };
  g_autofree char *text = NULL;

  fixture_init (&fixture, assay_scene_verdict_row ());
  text = render_text (&fixture, ASSAY_PICTURE_SVG);

  g_assert_cmpuint (parse (text), >, 50);
  g_assert_true (
      g_str_has_prefix (text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns="));
  g_assert_nonnull (strstr (text, "<title>net &lt;1&gt;, target</title>"));
  for (guint kind = 0; kind < ASSAY_N_VERDICTS; kind++)
    {
      const char *name = assay_glyph_get_name (assay_verdict_get_look (kind)->glyph);
      g_autofree char *definition = g_strdup_printf ("<g id=\"glyph-%s\"", name);
      g_autofree char *use = g_strdup_printf ("xlink:href=\"#glyph-%s\"", name);

      g_test_message ("%s", name);
      g_assert_cmpuint (count (text, definition), ==, 1);
      /* In its box and in the legend. */
      g_assert_cmpuint (count (text, use), >=, 2);
    }
  g_assert_cmpuint (count (text, "<g id=\"item-"), ==, fixture.view->boxes->len);
  for (guint32 i = 0; i < fixture.view->boxes->len; i++)
    {
      const AssayViewBox *box = assay_view_box (fixture.view, i);
      g_autofree char *title = g_strdup_printf (">%s</text>", box->title);

      g_assert_nonnull (strstr (text, title));
    }

  /* The rejected frame, three units wide inside its box. */
  g_assert_nonnull (strstr (text, "fill=\"none\" stroke=\"#c01c28\" stroke-width=\"3\"/>"));
  g_assert_nonnull (strstr (text, "stroke-dasharray=\"8 4\""));
  g_assert_nonnull (strstr (text, "stroke-dasharray=\"1.5 3\""));
}

/* What does not depend on a font is the same line by line. */
static void
test_golden (void)
{
  g_auto (Fixture) fixture = { 0 };
  g_autoptr (GString) kept = g_string_new (NULL);
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "golden", "scene",
                                                 "verdict-row.svg", NULL);
  g_autofree char *text = NULL;
  g_autofree char *expected = NULL;
  g_auto (GStrv) lines = NULL;

  fixture_init (&fixture, assay_scene_verdict_row ());
  text = render_text (&fixture, ASSAY_PICTURE_SVG);
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    if (!g_str_has_prefix (lines[i], "<text"))
      g_string_append_printf (kept, "%s\n", lines[i]);

  if (g_getenv ("ASSAY_REGENERATE") != NULL)
    g_assert_true (g_file_set_contents (path, kept->str, (gssize) kept->len, NULL));
  g_assert_true (g_file_get_contents (path, &expected, NULL, NULL));
  g_assert_cmpstr (kept->str, ==, expected);
}

/* Only what lies in the part that was asked for is in the list of boxes; texts are shortened to
 * their places. */
static void
test_area (void)
{
  g_auto (Fixture) fixture = { 0 };
  g_autofree char *all = NULL;
  g_autofree char *part = NULL;
  g_autofree char *dot = NULL;
  const AssayViewBox *box;

  fixture_init (&fixture, assay_scene_residual (400));
  all = render_text (&fixture, ASSAY_PICTURE_SVG);
  box = assay_view_box (fixture.view, 200);
  fixture.picture.x = box->x - 100;
  fixture.picture.y = box->y - 100;
  fixture.picture.width = 400;
  fixture.picture.height = 300;
  part = render_text (&fixture, ASSAY_PICTURE_SVG);
  parse (part);
  g_assert_nonnull (strstr (part, "<g id=\"item-200\">"));
  g_assert_null (strstr (part, "<g id=\"item-2\">"));
  g_assert_cmpuint (strlen (part), <, strlen (all) / 5);

  dot = render_text (&fixture, ASSAY_PICTURE_DOT);
  g_assert_nonnull (strstr (dot, "  b200 [shape=box, label=\""));
  g_assert_null (strstr (dot, "  b2 ["));
}

static void
test_marks_and_overlay (void)
{
  g_auto (Fixture) fixture = { 0 };
  g_autoptr (GByteArray) marks = g_byte_array_new ();
  g_autoptr (AssayOverlay) overlay = NULL;
  g_autofree char *plain = NULL;
  g_autofree char *text = NULL;

  fixture_init (&fixture, assay_scene_residual (20));
  plain = render_text (&fixture, ASSAY_PICTURE_SVG);
  g_assert_null (strstr (plain, "#glyph-pin\""));
  g_byte_array_set_size (marks, assay_graph_n_nodes (fixture.verdicts->graph));
  memset (marks->data, 0, marks->len);
  marks->data[3] = ASSAY_MARK_PINNED;
  overlay = assay_overlay_new (ASSAY_OVERLAY_SCOPE,
                               &(AssayOverlaySource){ .verdicts = fixture.verdicts });
  fixture.picture.marks = marks;
  fixture.picture.overlay = overlay;
  text = render_text (&fixture, ASSAY_PICTURE_SVG);
  parse (text);
  g_assert_cmpuint (count (text, "xlink:href=\"#glyph-pin\""), ==, 1);
  g_assert_nonnull (strstr (text, ">Scope</text>"));
  g_assert_nonnull (strstr (text, g_ptr_array_index (overlay->labels, 0)));
}

/* A small graph is one sheet; a long one has a map first, and as many sheets as its length needs.
 */
static void
test_pdf (void)
{
  static const guint sizes[] = { 10, 300 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_auto (Fixture) fixture = { 0 };
      g_autoptr (GError) error = NULL;
      g_autoptr (GPtrArray) files = NULL;
      g_autoptr (GString) text = NULL;
      const char *data;
      gsize length;
      guint pages, expected;

      fixture_init (&fixture, assay_scene_residual (sizes[i]));
      files = assay_graph_picture_render (&fixture.picture, ASSAY_PICTURE_PDF, NULL, &error);
      g_assert_no_error (error);
      data = g_bytes_get_data (g_ptr_array_index (files, 0), &length);
      g_assert_cmpmem (data, 5, "%PDF-", 5);

      text = g_string_new_len (data, (gssize) length);
      for (gsize k = 0; k < text->len; k++)
        if (text->str[k] == '\0')
          text->str[k] = ' ';
      pages = count (text->str, "/Type /Page\n") + count (text->str, "/Type /Page ");
      /* A sheet has room for (1190.55 - 84 - 40) / 0.75 units, of which 45 are in common with the
       * next one. */
      expected = i == 0 ? 1 : 1 + (guint) ceil ((fixture.view->height + 48 - 45) / (1422.07 - 45));
      g_test_message ("%g units: %u pages", fixture.view->height, pages);
      g_assert_cmpuint (pages, ==, expected);
      g_assert_cmpuint (count (text->str, "/MediaBox [ 0 0 841.89"), >=, 1);
    }
}

/* Sheets without anything of the graph are left out, and paper lies across where that needs fewer
 * of them. A sheet has 1010.52 by 1422.07 units, across 1475.4 by 957.19, and 45 in common with the
 * next one. */
static void
test_pdf_area (void)
{
  static const struct
  {
    double x, y, width, height;
    guint n_pages; /* with the map, if there are several */
    const char *paper;
  } cases[] = {
    { 0, 0, 900, 1400, 1, "/MediaBox [ 0 0 841.89" },
    { 0, 0, 900, 5000, 1, "/MediaBox [ 0 0 841.89" },
    { 0, -2600, 900, 5000, 1, "/MediaBox [ 0 0 841.89" },
    { 0, -2700, 900, 5000, 3, "/MediaBox [ 0 0 841.89" },
    { -2600, 0, 5000, 900, 1, "/MediaBox [ 0 0 1190.55" },
    { -2800, 0, 5000, 900, 3, "/MediaBox [ 0 0 1190.55" },
    { -2600, -2600, 5000, 5000, 1, "/MediaBox [ 0 0 841.89" },
    { 0, -1400, 900, 2700, 3, "/MediaBox [ 0 0 841.89" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_auto (Fixture) fixture = { 0 };
      g_autoptr (GError) error = NULL;
      g_autoptr (GPtrArray) files = NULL;
      g_autofree char *text = NULL;
      const char *data;
      gsize length;

      fixture_init (&fixture, assay_scene_residual (4));
      fixture.picture.x = cases[i].x;
      fixture.picture.y = cases[i].y;
      fixture.picture.width = cases[i].width;
      fixture.picture.height = cases[i].height;
      files = assay_graph_picture_render (&fixture.picture, ASSAY_PICTURE_PDF, NULL, &error);
      g_assert_no_error (error);
      data = g_bytes_get_data (g_ptr_array_index (files, 0), &length);
      text = g_strndup (data, length);
      for (gsize k = 0; k < length; k++)
        text[k] = data[k] != '\0' ? data[k] : ' ';
      g_test_message ("%g by %g at %g, %g", cases[i].width, cases[i].height, cases[i].x,
                      cases[i].y);
      g_assert_cmpuint (count (text, "/Type /Page\n") + count (text, "/Type /Page "), ==,
                        cases[i].n_pages);
      g_assert_nonnull (strstr (text, cases[i].paper));
    }
}

/* A text stands in the middle of the height of its place, and at one of three places of the width.
 */
static void
test_text_place (void)
{
  static const struct
  {
    AssayLabelFlags flags;
    double x;
    const char *anchor;
  } cases[] = { { ASSAY_LABEL_PLAIN, 10, NULL },
                { ASSAY_LABEL_CENTER, 60, "middle" },
                { ASSAY_LABEL_RIGHT, 110, "end" } };

  AssayColors colors;
  AssaySvgOptions options = {
    .colors = &colors, .family = "Cantarell", .width = 200, .height = 200
  };

  assay_colors_init (&colors, FALSE, FALSE);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      double y[2];

      for (guint j = 0; j < 2; j++)
        {
          g_autoptr (AssayDisplayList) list = assay_display_list_new ();
          g_autofree char *svg = NULL;
          g_autofree char *anchor = g_strdup_printf ("text-anchor=\"%s\"", cases[i].anchor);
          const char *text;

          assay_display_list_text (list, ASSAY_ROLE_TEXT, ASSAY_FONT_SMALL, cases[i].flags, 10, 100,
                                   100, j == 0 ? 20 : 60, "word");
          svg = assay_svg_from_list (list, &options, NULL);
          text = strstr (svg, "<text");
          g_assert_nonnull (text);
          g_assert_cmpfloat (g_ascii_strtod (strstr (text, " x=\"") + 4, NULL), ==, cases[i].x);
          y[j] = g_ascii_strtod (strstr (text, " y=\"") + 4, NULL);
          g_assert_cmpint (strstr (text, anchor) != NULL, ==, cases[i].anchor != NULL);
        }
      g_assert_cmpfloat (y[0], >, 100);
      g_assert_cmpfloat (y[0], <, 120);
      g_assert_cmpfloat_with_epsilon (y[1] - y[0], (60 - 20) / 2, 0.01);
    }
}

typedef struct
{
  const guint8 *data;
  gsize length;
} Stream;

static cairo_status_t
read_cb (void *user_data, unsigned char *data, unsigned int length)
{
  Stream *stream = user_data;

  if (length > stream->length)
    return CAIRO_STATUS_READ_ERROR;
  memcpy (data, stream->data, length);
  stream->data += length;
  stream->length -= length;

  return CAIRO_STATUS_SUCCESS;
}

/* No tile is larger than programs can open, and together they are the picture. */
static void
test_png (void)
{
  g_auto (Fixture) fixture = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) files = NULL;
  int total = 0;

  fixture_init (&fixture, assay_scene_residual (200));
  fixture.picture.scale = 1;
  files = assay_graph_picture_render (&fixture.picture, ASSAY_PICTURE_PNG, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (files->len, >, 1);
  for (guint i = 0; i < files->len; i++)
    {
      Stream stream;
      cairo_surface_t *surface;
      int dark = 0;

      stream.data = g_bytes_get_data (g_ptr_array_index (files, i), &stream.length);
      surface = cairo_image_surface_create_from_png_stream (read_cb, &stream);
      g_assert_cmpint (cairo_surface_status (surface), ==, CAIRO_STATUS_SUCCESS);
      g_assert_cmpint (cairo_image_surface_get_width (surface), <=, ASSAY_PICTURE_TILE);
      g_assert_cmpint (cairo_image_surface_get_height (surface), <=, ASSAY_PICTURE_TILE);
      total += cairo_image_surface_get_height (surface);
      for (int y = 0; y < cairo_image_surface_get_height (surface); y++)
        for (int x = 0; x < cairo_image_surface_get_width (surface); x++)
          dark += cairo_image_surface_get_data (
                      surface)[y * cairo_image_surface_get_stride (surface) + x * 4] < 128;
      g_assert_cmpint (dark, >, 1000);
      cairo_surface_destroy (surface);
    }
  g_assert_cmpint (total, ==, (int) ceil (fixture.view->height + 48));
}

static void
test_dot (void)
{
  g_auto (Fixture) fixture = { 0 };
  g_autofree char *text = NULL;

  fixture_init (&fixture, assay_scene_verdict_row ());
  text = render_text (&fixture, ASSAY_PICTURE_DOT);
  g_assert_true (g_str_has_prefix (text, "digraph \"net <1>, target\" {"));
  g_assert_cmpuint (count (text, "[shape="), ==, fixture.view->boxes->len);
  g_assert_cmpuint (count (text, " -> "), ==, fixture.view->edges->len);
  g_assert_nonnull (strstr (text, "\\nrejected\""));
}

/* Tiles get numbers before the ending, whatever the path looks like. */
static void
test_names (void)
{
  static const struct
  {
    const char *path;
    guint index;
    guint n;
    const char *expected;
  } rows[] = {
    { "a/net.png", 0, 1, "a/net.png" },      { "a/net.png", 2, 12, "a/net-03.png" },
    { "a.b/net", 2, 12, "a.b/net-03" },      { "net.v2.png", 99, 400, "net.v2-100.png" },
    { "net.png", 0, 5000, "net-00001.png" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *name = assay_graph_picture_dup_name (rows[i].path, rows[i].index, rows[i].n);
      g_assert_cmpstr (name, ==, rows[i].expected);
    }
}

/* What cannot be written leaves what is there, and what was cancelled writes nothing. */
static void
test_save (void)
{
  g_auto (Fixture) fixture = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  AssayProgress progress = ASSAY_PROGRESS_INIT (NULL, NULL, cancellable);
  g_autofree char *folder = g_dir_make_tmp ("assay-picture-XXXXXX", &error);
  g_autofree char *path = g_build_filename (folder, "net.svg", NULL);
  g_autofree char *nowhere = g_build_filename (folder, "none", "net.svg", NULL);
  g_autofree char *tiles = g_build_filename (folder, "net.png", NULL);
  g_autofree char *first = NULL;
  g_autofree char *text = NULL;
  guint n_files = 0;

  g_assert_no_error (error);
  fixture_init (&fixture, assay_scene_residual (200));
  g_assert_true (
      assay_graph_picture_save (&fixture.picture, ASSAY_PICTURE_SVG, path, &n_files, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (n_files, ==, 1);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  parse (text);

  g_assert_false (assay_graph_picture_save (&fixture.picture, ASSAY_PICTURE_SVG, nowhere, &n_files,
                                            NULL, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_SAVE);
  g_assert_nonnull (strstr (error->message, "none"));
  g_clear_error (&error);

  g_cancellable_cancel (cancellable);
  g_assert_false (assay_graph_picture_save (&fixture.picture, ASSAY_PICTURE_PNG, tiles, &n_files,
                                            &progress, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED);
  first = assay_graph_picture_dup_name (tiles, 0, 2);
  g_assert_false (g_file_test (first, G_FILE_TEST_EXISTS));
  g_assert_false (g_file_test (tiles, G_FILE_TEST_EXISTS));

  g_remove (path);
  g_rmdir (folder);
}

TEST_PROGRAM (picture)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/scene/picture/svg", test_svg);
  g_test_add_func ("/scene/picture/golden", test_golden);
  g_test_add_func ("/scene/picture/area", test_area);
  g_test_add_func ("/scene/picture/marks-and-overlay", test_marks_and_overlay);
  g_test_add_func ("/scene/picture/pdf", test_pdf);
  g_test_add_func ("/scene/picture/pdf-area", test_pdf_area);
  g_test_add_func ("/scene/picture/text-place", test_text_place);
  g_test_add_func ("/scene/picture/png", test_png);
  g_test_add_func ("/scene/picture/dot", test_dot);
  g_test_add_func ("/scene/picture/names", test_names);
  g_test_add_func ("/scene/picture/save", test_save);

  return g_test_run ();
}
