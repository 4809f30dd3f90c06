/* assay-graph-scene-frames.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Frames around open scopes. They are drawn anew for every frame of the screen, since their headers
 * stand where the view begins; there are few of them in sight.
 */
#include "draw/assay-graph-scene-private.h"

#include <string.h>

#define RADIUS 12.0

/* Smaller ones are no frames but noise. */
#define LEAST_PX 16.0
#define MAX_FRAMES 400

/* From where to where something may float at the top. */
#define FLOATING_FROM_PX 12.0
#define FLOATING_PX 60.0

/* Where the text of a header ends. */
#define TEXT_BOTTOM 20.0

/* What a header needs for its sign and the beginning of its name. */
#define SIGN_WIDTH 26.0
#define LEAST_NAME 40.0

/* How far beyond the view a frame is drawn, so that its ends there are not seen. */
#define BEYOND 40.0

static gboolean
is_in_sight (const AssayViewFrame *frame, const AssaySceneLook *look, double x1, double y1,
             double x2, double y2)
{
  return frame->x < x2 && frame->x + frame->width > x1 && frame->y < y2 &&
         frame->y + frame->height > y1 && frame->width * look->scale >= LEAST_PX &&
         frame->height * look->scale >= LEAST_PX;
}

/* Draws the number of refusals at the right of a header: clear of what floats, as long as the frame
 * has room for it beside a name, else where the frame ends, but never half below what floats.
 * Returns where it begins. */
static double
draw_count (const Scene *scene, guint count, double x, double y, double own, double clear)
{
  double width = assay_scene_badge_width (scene, count);
  gboolean halved = own > clear && own - width < clear + 8;
  double beside = SIGN_WIDTH + (halved ? 0 : LEAST_NAME);
  double end = clear - width >= x + beside ? clear : own;

  if (end - width < x + SIGN_WIDTH || (halved && end == own))
    return clear;

  return end - assay_scene_draw_badge (scene, end, y, count);
}

/* An opaque band, so that lines go below it, round at the upper end of its frame; its name, and
 * what it holds as far as there is room for that, dimmed if the file has no such scope; both stay
 * in sight of a frame that is wider. */
static void
draw_header (const Scene *scene, const AssayViewFrame *frame, double y, double sight)
{
  const AssayScope *scope = assay_scope_tree_get (scene->view->tree, frame->scope);
  double x = MAX (frame->x, scene->x1);
  double own = MIN (frame->x + frame->width, scene->x2) - 8;
  double end = MIN (own, sight - 8);
  guint rejected = frame->counts[ASSAY_VERDICT_REJECTED];
  g_autofree char *nodes = g_strdup_printf (frame->n_nodes == 1 ? "%u node" : "%u nodes",
                                            frame->n_nodes);
  double width = 6.5 * (double) strlen (nodes) + 8;
  double left = MAX (frame->x, scene->x1 - BEYOND);
  double right = MIN (frame->x + frame->width, scene->x2 + BEYOND);
  double round = scene->look->detail == ASSAY_DETAIL_FULL && y == frame->y ? RADIUS : 0;

  assay_display_list_box (scene->list, ASSAY_ROLE_FRAME_HEADER, ASSAY_ROLE_FRAME_BORDER,
                          ASSAY_LINE_SOLID, scene->hair, round, left, y, right - left,
                          ASSAY_FRAME_HEADER);
  assay_display_list_rectangle (scene->list, ASSAY_ROLE_FRAME_HEADER, left + scene->hair,
                                y + RADIUS, right - left - 2 * scene->hair,
                                ASSAY_FRAME_HEADER - RADIUS - scene->hair);
  assay_display_list_rectangle (scene->list, ASSAY_ROLE_FRAME_BORDER, left + scene->hair,
                                y + ASSAY_FRAME_HEADER - scene->hair,
                                right - left - 2 * scene->hair, scene->hair);
  assay_display_list_glyph (scene->list, ASSAY_ROLE_TEXT_DIM, ASSAY_GLYPH_OPENED, x + 6, y + 6, 16);
  if (rejected > 0)
    end = MIN (end, draw_count (scene, rejected, x, y + 5, own, end) - 6);
  if (scene->look->detail == ASSAY_DETAIL_FULL && end - x > SIGN_WIDTH + 60 + width)
    {
      assay_display_list_text (scene->list, ASSAY_ROLE_TEXT_DIM, ASSAY_FONT_SMALL,
                               ASSAY_LABEL_RIGHT, end - width, y + 6, width, 16, nodes);
      end -= width + 6;
    }
  if (end - x > SIGN_WIDTH + 12)
    assay_display_list_text (scene->list, scope->is_made ? ASSAY_ROLE_TEXT_DIM : ASSAY_ROLE_TEXT,
                             assay_scene_title_font (scene), ASSAY_LABEL_PLAIN, x + SIGN_WIDTH,
                             y + 4, end - x - SIGN_WIDTH, 20, scope->name);
}

/**
 * assay_scene_draw_frames:
 * @view: a view
 * @look: how to draw it
 * @x1: left of what is in sight
 * @y1: top
 * @x2: right
 * @y2: bottom
 * @list: picture that is added to
 *
 * Draws the frames of open scopes as they lie below everything else.
 */
void
assay_scene_draw_frames (const AssayView *view, const AssaySceneLook *look, double x1, double y1,
                         double x2, double y2, AssayDisplayList *list)
{
  Scene scene = {
    .view = view, .look = look, .list = list, .hair = MAX (1, 1 / look->scale), .x1 = x1, .x2 = x2
  };
  double beyond = MAX (BEYOND, BEYOND / look->scale);
  guint drawn = 0;

  for (guint32 f = 0; f < view->frames->len && (drawn < MAX_FRAMES || look->all_frames); f++)
    {
      const AssayViewFrame *frame = assay_view_frame (view, f);
      double left = MAX (frame->x, x1 - beyond);
      double top = MAX (frame->y, y1 - beyond);
      double right = MIN (frame->x + frame->width, x2 + beyond);
      double bottom = MIN (frame->y + frame->height, y2 + beyond);

      if (!is_in_sight (frame, look, x1, y1, x2, y2))
        continue;

      assay_display_list_box (list, ASSAY_ROLE_FRAME, ASSAY_ROLE_FRAME_BORDER, ASSAY_LINE_SOLID,
                              scene.hair, look->detail == ASSAY_DETAIL_FULL ? RADIUS : 0, left, top,
                              right - left, bottom - top);
      drawn++;
    }
}

/**
 * assay_scene_draw_headers:
 * @view: a view
 * @look: how to draw it
 * @x1: left of what is in sight
 * @y1: top
 * @x2: right
 * @y2: bottom
 * @list: picture that is added to
 *
 * Draws the headers of frames over everything else: at their upper ends, or at the top of what is
 * in sight for those that begin above it.
 */
void
assay_scene_draw_headers (const AssayView *view, const AssaySceneLook *look, double x1, double y1,
                          double x2, double y2, AssayDisplayList *list)
{
  Scene scene = {
    .view = view, .look = look, .list = list, .hair = MAX (1, 1 / look->scale), .x1 = x1, .x2 = x2
  };
  guint drawn = 0;

  if (look->detail > ASSAY_DETAIL_TITLE)
    return;

  /* The inner ones first, so that one that is pushed out goes below the one around it. */
  for (guint32 f = view->frames->len; f-- > 0 && (drawn < MAX_FRAMES || look->all_frames);)
    {
      const AssayViewFrame *frame = assay_view_frame (view, f);
      gboolean below;
      double y;

      if (!is_in_sight (frame, look, x1, y1, x2, y2))
        continue;

      y = assay_view_frame_header (view, f, y1);
      below = y + TEXT_BOTTOM > y1 + FLOATING_FROM_PX / look->scale &&
              y < y1 + FLOATING_PX / look->scale;
      draw_header (&scene, frame, y, below ? x2 - look->covered : x2);
      drawn++;
    }
}
