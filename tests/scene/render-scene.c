/* render-scene.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Draws a test graph into a PNG without a display:
 * render-scene GRAPH ZOOM WIDTH HEIGHT X Y light|dark FILE [fold [SCOPE...]]
 * For looking at pictures while working on them. Scopes are folded or opened one after the other,
 * "all" all at once.
 */
#include <gtk/gtk.h>
#include <stdlib.h>
#include <string.h>

#include "draw/assay-graph-scene.h"
#include "tests/scene/assay-layout-families.h"
#include "tests/scene/assay-scene-models.h"
#include "ui/canvas/assay-painter.h"
#include "work/assay-work.h"

static AssayVerdicts *
make_model (const char *name)
{
  if (g_str_equal (name, "residual"))
    return assay_scene_residual (120);
  if (g_str_equal (name, "residual50k"))
    return assay_scene_residual (50000);
  if (g_str_equal (name, "transformer"))
    return assay_scene_transformer (12, TRUE);
  if (g_str_equal (name, "random"))
    return assay_scene_random (200, 320, 1);
  if (g_str_equal (name, "random10k"))
    return assay_scene_random (10000, 16000, 1);
  if (g_str_equal (name, "random50k"))
    return assay_scene_random (50000, 80000, 1);
  if (g_str_equal (name, "unet"))
    return assay_scene_unet (6);
  if (g_str_has_suffix (name, ".onnx"))
    {
      g_auto (GStrv) parts = g_strsplit (name, ":", 2);
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayTarget) target = assay_target_load (parts[0], &error);
      g_autoptr (AssayWork) work = assay_work_new (parts[1], target, NULL);
      AssayVerdicts *verdicts = target != NULL ? assay_work_get_verdicts (work, NULL, &error)
                                               : NULL;

      if (verdicts == NULL)
        g_error ("%s", error->message);
      return assay_verdicts_ref (verdicts);
    }

  if (g_str_has_prefix (name, "family"))
    return assay_family_new ((AssayFamily) (atoi (name + strlen ("family")) % ASSAY_N_FAMILIES),
                             120, 1);

  return assay_scene_verdict_row ();
}

/* Folds or opens a scope; what is outside of it keeps its place. */
static void
change_scope (AssayView **view, guint8 *open, const char *path)
{
  const AssayScopeTree *tree = (*view)->tree;
  AssayView *next;

  for (guint32 s = 1; s < tree->scopes->len; s++)
    if (g_str_equal (path, "all"))
      open[s] = TRUE;
    else if (g_str_equal (assay_scope_tree_get (tree, s)->path, path))
      open[s] = !open[s];
  next = assay_view_new ((*view)->verdicts, tree,
                         &(AssayViewOptions){ .open = open, .before = *view });
  assay_view_free (*view);
  *view = next;
}

int
main (int argc, char **argv)
{
  g_autoptr (AssayVerdicts) verdicts = NULL;
  g_autoptr (AssayScopeTree) tree = NULL;
  g_autoptr (AssayView) view = NULL;
  g_autoptr (AssayPainter) painter = NULL;
  g_autoptr (AssayDisplayList) list = assay_display_list_new ();
  g_autoptr (GskRenderNode) node = NULL;
  g_autofree guint8 *open = NULL;
  AssaySceneLook look = { 0 };
  AssayPalette palette;
  cairo_surface_t *surface;
  cairo_t *cr;
  double zoom, x, y;
  int width, height;
  gint64 begin;

  if (argc < 9)
    return 2;

  g_unsetenv ("DISPLAY");
  g_unsetenv ("WAYLAND_DISPLAY");
  gtk_init_check ();

  zoom = atof (argv[2]);
  width = atoi (argv[3]);
  height = atoi (argv[4]);
  x = atof (argv[5]);
  y = atof (argv[6]);

  verdicts = make_model (argv[1]);
  tree = assay_scope_tree_new (verdicts->graph);
  if (argc > 9)
    open = assay_scope_tree_choose (tree, verdicts->graph, 0, 60);
  begin = g_get_monotonic_time ();
  view = assay_view_new (verdicts, tree, &(AssayViewOptions){ .open = open });
  for (int i = 10; i < argc; i++)
    change_scope (&view, open, argv[i]);
  g_print ("%u boxes %u edges %u stubs %u lanes %" G_GUINT64_FORMAT
           " crossings, %.0f x %.0f, %.1f ms\n",
           view->boxes->len, view->edges->len, view->stubs->len, view->lane_x->len, view->crossings,
           view->width, view->height, (double) (g_get_monotonic_time () - begin) / 1000);

  look.scale = zoom;
  look.labels = zoom >= ASSAY_LABELS_FROM;
  look.chips = zoom >= ASSAY_CHIPS_FROM;
  look.detail = assay_scene_choose_detail (view, x, y, x + width / zoom, y + height / zoom, zoom);
  assay_scene_draw_frames (view, &look, x, y, x + width / zoom, y + height / zoom, list);
  assay_scene_draw (view, &look, x - ASSAY_SCENE_REACH_X, y - ASSAY_SCENE_REACH_Y, x + width / zoom,
                    y + height / zoom, list);
  assay_scene_draw_headers (view, &look, x, y, x + width / zoom, y + height / zoom, list);

  assay_palette_init_default (&palette, g_str_equal (argv[7], "dark"), FALSE);
  painter = assay_painter_new ();
  assay_painter_set_family (painter, "Cantarell");
  assay_painter_set_palette (painter, &palette);
  begin = g_get_monotonic_time ();
  node = assay_painter_paint (painter, list, x, y);
  g_print ("detail %d, %u items, paint %.1f ms\n", look.detail, list->items->len,
           (double) (g_get_monotonic_time () - begin) / 1000);

  surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, width, height);
  cr = cairo_create (surface);
  gdk_cairo_set_source_rgba (cr, &palette.color[ASSAY_ROLE_VIEW_BG]);
  cairo_paint (cr);
  cairo_scale (cr, zoom, zoom);
  begin = g_get_monotonic_time ();
  if (node != NULL)
    gsk_render_node_draw (node, cr);
  g_print ("draw %.1f ms\n", (double) (g_get_monotonic_time () - begin) / 1000);
  cairo_surface_write_to_png (surface, argv[8]);
  cairo_destroy (cr);
  cairo_surface_destroy (surface);

  return 0;
}
