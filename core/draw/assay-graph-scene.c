/* assay-graph-scene.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "draw/assay-graph-scene-private.h"

#include <math.h>
#include <string.h>

#define RADIUS 6.0
#define TAB 26.0
#define TITLE_X 34.0
/* What a sign of a title and of a line in the small font takes, and the least that is worth a name.
 */
#define TITLE_SIGN 8.0
#define SMALL_SIGN 6.5
#define LEAST_NAME 24.0
/* A name may end in digits, so a number behind it stands clear of it. */
#define NAME_GAP 8.0

/* Smallest text in pixels, and the sizes of the two fonts in units. */
#define LEGIBLE 7.0
#define LARGE_SIZE 16.0
#define SMALL_SIZE 11.333

#define ARROWS_FROM 0.6
#define GLYPH_PX 7.0
#define MARK_PX 4.0
#define BAND_GAP_PX 2.0

/* Boxes in sight that each detail can afford. */
static const guint budgets[ASSAY_N_DETAILS] = { 200, 800, 4000, G_MAXUINT };
static const double legible[ASSAY_N_DETAILS] = { LEGIBLE / SMALL_SIZE, LEGIBLE / LARGE_SIZE, 0, 0 };

/* Lines in sight that a picture with edges can afford. */
#define MAX_SEGMENTS 9000

static guint32
count_segments (const AssayView *view, double y1, double y2)
{
  guint32 first, end;
  const AssayViewRank *last;

  assay_view_ranks_in (view, y1, y2, &first, &end);
  if (first >= end)
    return 0;
  last = assay_view_rank (view, end - 1);

  return last->first_segment + last->n_segments - assay_view_rank (view, first)->first_segment;
}

/**
 * assay_scene_choose_detail:
 * @view: a view
 * @x1: left of what is in sight
 * @y1: top
 * @x2: right
 * @y2: bottom
 * @scale: pixels per unit
 *
 * Chooses the most detail whose text can be read and whose number of things can be drawn in a
 * frame.
 *
 * Returns: the detail
 */
AssayDetail
assay_scene_choose_detail (const AssayView *view, double x1, double y1, double x2, double y2,
                           double scale)
{
  guint boxes = assay_view_count (view, x1, y1, x2, y2);

  for (guint detail = 0; detail < ASSAY_DETAIL_BANDS; detail++)
    if (scale >= legible[detail] && boxes <= budgets[detail] &&
        (detail < ASSAY_DETAIL_GLYPH || count_segments (view, y1, y2) <= MAX_SEGMENTS))
      return detail;

  return ASSAY_DETAIL_BANDS;
}

static gboolean
is_faded (const Scene *scene, const AssayViewBox *box)
{
  guint filter = scene->look->filter;

  if (filter == 0)
    return FALSE;
  if (box->kind != ASSAY_BOX_SCOPE)
    return box->verdict >= ASSAY_N_VERDICTS || (filter & (1u << box->verdict)) == 0;

  for (guint i = 0; i < ASSAY_N_VERDICTS; i++)
    if (box->counts[i] > 0 && (filter & (1u << i)) != 0)
      return FALSE;

  return TRUE;
}

/* Where titles are the only text they are larger: they can be read in pictures of half the size. */
AssayFont
assay_scene_title_font (const AssayScene *scene)
{
  return scene->look->detail == ASSAY_DETAIL_FULL ? ASSAY_FONT_TITLE : ASSAY_FONT_LARGE;
}

static void
draw_faded (const Scene *scene, const AssayViewBox *box)
{
  gboolean full = scene->look->detail == ASSAY_DETAIL_FULL;
  double radius = !full ? 0 : box->kind >= ASSAY_BOX_INPUT ? box->height / 2 : RADIUS;

  assay_display_list_box (scene->list, -1, ASSAY_ROLE_BORDER_REMOVED, ASSAY_LINE_SOLID, scene->hair,
                          radius, box->x, box->y, box->width, box->height);
  if (scene->look->detail <= ASSAY_DETAIL_TITLE)
    assay_display_list_text (scene->list, ASSAY_ROLE_TEXT_REMOVED, assay_scene_title_font (scene),
                             ASSAY_LABEL_PLAIN, box->x + TITLE_X, box->y + 4,
                             box->width - TITLE_X - 8, 20, box->title);
}

/* The box of the node that a fused one went into, if it is in sight of the view. */
static const AssayViewBox *
fused_into (const Scene *scene, const AssayViewBox *box)
{
  const AssayVerdicts *verdicts = scene->view->verdicts;
  guint32 other;

  if (box->verdict != ASSAY_VERDICT_FUSED || verdicts->verdicts == NULL ||
      box->node >= verdicts->verdicts->len)
    return NULL;

  other = assay_view_find_node (scene->view,
                                g_array_index (verdicts->verdicts, AssayVerdict, box->node).into);

  return other == ASSAY_NO_BOX ? NULL : assay_view_box (scene->view, other);
}

static void
draw_weld (const Scene *scene, const AssayViewBox *box)
{
  const AssayViewBox *other = fused_into (scene, box);
  gboolean above = other != NULL && other->y < box->y;

  if (other == NULL)
    return;

  assay_display_list_rectangle (scene->list, ASSAY_ROLE_GLYPH_FUSED, box->x + RADIUS,
                                above ? box->y : box->y + box->height - 4, box->width - 2 * RADIUS,
                                4);
}

static void
draw_tab (const Scene *scene, const AssayViewBox *box, const AssayVerdictLook *look,
          gboolean rounded)
{
  if (look->tab_role == ASSAY_ROLE_VIEW_BG)
    return;

  if (rounded)
    assay_display_list_box (scene->list, (int) look->tab_role, look->tab_role, ASSAY_LINE_SOLID, 0,
                            RADIUS, box->x, box->y, TAB, box->height);
  assay_display_list_rectangle (scene->list, look->tab_role, rounded ? box->x + RADIUS : box->x,
                                box->y, rounded ? TAB - RADIUS : TAB, box->height);
}

/* The step of an overlay that a node has, plus one; 0 for none. */
static guint
overlay_step (const Scene *scene, const AssayViewBox *box)
{
  return scene->look->overlay != NULL && box->kind == ASSAY_BOX_NODE
             ? scene->look->overlay->step_of_node[box->node]
             : 0;
}

static AssayRole
body_role (const Scene *scene, const AssayViewBox *box)
{
  guint step = overlay_step (scene, box);

  return step > 0 ? assay_overlay_get_role (scene->look->overlay, step - 1) : ASSAY_ROLE_BOX;
}

/* The number or letter of an overlay, where there is one and it can be read. */
static const char *
overlay_text (const Scene *scene, const AssayViewBox *box)
{
  return scene->look->overlay != NULL && box->kind == ASSAY_BOX_NODE &&
                 scene->look->detail == ASSAY_DETAIL_FULL
             ? g_ptr_array_index (scene->look->overlay->text_of_node, box->node)
             : NULL;
}

static double
overlay_width (const char *text)
{
  return text != NULL ? SMALL_SIGN * (double) g_utf8_strlen (text, -1) + 4 : 0;
}

/* What a first line has beside its title: the sign of what is nested, or nothing. */
static double
title_margin (const AssayViewBox *box)
{
  return box->has_regions ? 26 : 8;
}

/* The operator is what a node is looked at for: what has no room beside it stands below. */
static gboolean
overlay_beside_title (const AssayViewBox *box, const char *text)
{
  return TITLE_SIGN * (double) g_utf8_strlen (box->title, -1) + overlay_width (text) <=
         box->width - TITLE_X - title_margin (box);
}

/* At the right end of a line. */
static void
draw_overlay_text (const Scene *scene, const char *text, double end, double y)
{
  double width = overlay_width (text);

  if (text != NULL)
    assay_display_list_text (scene->list, ASSAY_ROLE_TEXT, ASSAY_FONT_SMALL, ASSAY_LABEL_RIGHT,
                             end - width, y, width, 16, text);
}

static void
draw_title (const Scene *scene, const AssayViewBox *box, double y, double height)
{
  gboolean rejected = box->verdict == ASSAY_VERDICT_REJECTED;
  gboolean removed = box->verdict == ASSAY_VERDICT_REMOVED;
  const char *text = overlay_text (scene, box);
  double right = title_margin (box);

  if (text != NULL && overlay_beside_title (box, text))
    {
      draw_overlay_text (scene, text, box->x + box->width - right, y + 2);
      right += overlay_width (text);
    }
  assay_display_list_text (
      scene->list, removed ? ASSAY_ROLE_TEXT_REMOVED : ASSAY_ROLE_TEXT,
      rejected ? assay_scene_title_font (scene) + 1 : assay_scene_title_font (scene),
      ASSAY_LABEL_PLAIN, box->x + TITLE_X, y, box->width - TITLE_X - right, height, box->title);
  if (box->has_regions)
    assay_display_list_glyph (scene->list, ASSAY_ROLE_TEXT_DIM, ASSAY_GLYPH_NESTED,
                              box->x + box->width - 22, y + 3, 14);
}

/* Of the name its end tells, and where that has no room beside the overlay, the tooltip says the
 * latter. */
static void
draw_name (const Scene *scene, const AssayViewBox *box, AssayRole role, double y)
{
  const char *text = overlay_text (scene, box);
  double room = box->width - TITLE_X - 8;

  if (text != NULL && !overlay_beside_title (box, text) &&
      room - overlay_width (text) - NAME_GAP >= LEAST_NAME)
    {
      draw_overlay_text (scene, text, box->x + box->width - 8, y);
      room -= overlay_width (text) + NAME_GAP;
    }
  assay_display_list_text (scene->list, role, ASSAY_FONT_SMALL, ASSAY_LABEL_ELLIPSIZE_START,
                           box->x + TITLE_X, y, room, 16, box->name);
}

static void
draw_node_full (const Scene *scene, const AssayViewBox *box)
{
  const AssayVerdictLook *look = assay_verdict_get_look (box->verdict);
  gboolean removed = box->verdict == ASSAY_VERDICT_REMOVED;
  gboolean chips = assay_scene_has_chips (scene, box);
  AssayRole body = body_role (scene, box);

  if (!removed)
    assay_display_list_box (scene->list, (int) body, body, ASSAY_LINE_SOLID, 0, RADIUS, box->x,
                            box->y, box->width, box->height);
  draw_tab (scene, box, look, TRUE);
  assay_display_list_box (scene->list, -1, look->border_role, look->style, look->weight, RADIUS,
                          box->x, box->y, box->width, box->height);
  draw_weld (scene, box);
  assay_display_list_glyph (scene->list, look->glyph_role, look->glyph, box->x + 6,
                            box->y + box->height / 2 - 8, 16);
  draw_title (scene, box, box->y + (chips ? 0 : 4), 20);
  draw_name (scene, box,
             removed                  ? ASSAY_ROLE_TEXT_REMOVED
             : body != ASSAY_ROLE_BOX ? ASSAY_ROLE_TEXT
                                      : ASSAY_ROLE_TEXT_DIM,
             box->y + (chips ? 16 : 23));
  if (chips)
    assay_scene_draw_chips (scene, box, box->x + TITLE_X, box->y + 31);
}

static void
draw_node_square (const Scene *scene, const AssayViewBox *box)
{
  const AssayVerdictLook *look = assay_verdict_get_look (box->verdict);
  double weight = MAX (look->weight, scene->hair * look->weight);
  gboolean glyph = ASSAY_GLYPH_SIZE * scene->look->scale >= GLYPH_PX;

  /* A solid frame is a rectangle behind the box: plain rectangles are what the renderer draws
   * fastest. */
  if (look->style == ASSAY_LINE_SOLID)
    {
      assay_display_list_rectangle (scene->list, look->border_role, box->x, box->y, box->width,
                                    box->height);
      assay_display_list_rectangle (scene->list, body_role (scene, box), box->x + weight,
                                    box->y + weight, box->width - 2 * weight,
                                    box->height - 2 * weight);
      if (look->tab_role != ASSAY_ROLE_VIEW_BG)
        assay_display_list_rectangle (scene->list, look->tab_role, box->x + weight, box->y + weight,
                                      TAB - weight, box->height - 2 * weight);
    }
  else
    {
      if (box->verdict != ASSAY_VERDICT_REMOVED)
        assay_display_list_rectangle (scene->list, body_role (scene, box), box->x, box->y,
                                      box->width, box->height);
      draw_tab (scene, box, look, FALSE);
      assay_display_list_box (scene->list, -1, look->border_role, look->style, weight, 0, box->x,
                              box->y, box->width, box->height);
    }

  draw_weld (scene, box);
  if (glyph)
    assay_display_list_glyph (scene->list, look->glyph_role, look->glyph, box->x + 6,
                              box->y + box->height / 2 - 8, 16);
  if (scene->look->detail == ASSAY_DETAIL_TITLE)
    draw_title (scene, box, box->y + 12, 20);
}

/* Roles of the shares in the bar of a folded scope. */
static AssayRole
share_role (AssayVerdictKind verdict)
{
  static const AssayRole roles[ASSAY_N_VERDICTS] = {
    [ASSAY_VERDICT_REJECTED] = ASSAY_ROLE_ERROR_BG,
    [ASSAY_VERDICT_HOST] = ASSAY_ROLE_GLYPH_HOST,
    [ASSAY_VERDICT_UNDECIDED] = ASSAY_ROLE_GLYPH_UNDECIDED,
    [ASSAY_VERDICT_FUSED] = ASSAY_ROLE_GLYPH_FUSED,
    [ASSAY_VERDICT_TRANSFORMED] = ASSAY_ROLE_SHARE_QUIET,
    [ASSAY_VERDICT_REMOVED] = ASSAY_ROLE_BAND_QUIET,
    [ASSAY_VERDICT_SUPPORTED] = ASSAY_ROLE_SHARE_QUIET,
  };

  return roles[verdict];
}

static void
draw_shares (const Scene *scene, const AssayViewBox *box)
{
  double x = box->x + 8;
  double width = box->width - 16;

  for (guint i = 0; i < ASSAY_N_VERDICTS; i++)
    {
      double share = width * box->counts[i] / box->n_nodes;

      if (box->counts[i] == 0)
        continue;
      assay_display_list_rectangle (scene->list, share_role (i), x, box->y + box->height - 9, share,
                                    5);
      x += share;
    }
}

/* How wide the number of refusals is. */
double
assay_scene_badge_width (const AssayScene *scene, guint count)
{
  double digit = scene->look->detail == ASSAY_DETAIL_FULL ? 7.0 : 10.0;
  double width = 20 + digit;

  for (; count >= 10; count /= 10)
    width += digit;

  return width;
}

/* The number of refusals, at the right end of something; returns how wide it is. */
double
assay_scene_draw_badge (const AssayScene *scene, double end, double y, guint count)
{
  const AssayVerdictLook *look = assay_verdict_get_look (ASSAY_VERDICT_REJECTED);
  g_autofree char *text = g_strdup_printf ("%u", count);
  gboolean full = scene->look->detail == ASSAY_DETAIL_FULL;
  double width = assay_scene_badge_width (scene, count);

  assay_display_list_box (scene->list, (int) look->tab_role, look->tab_role, ASSAY_LINE_SOLID, 0,
                          full ? RADIUS / 1.5 : 0, end - width, y, width, 18);
  assay_display_list_glyph (scene->list, look->glyph_role, look->glyph, end - width + 3, y + 3, 12);
  assay_display_list_text (scene->list, look->glyph_role,
                           full ? ASSAY_FONT_SMALL_BOLD : ASSAY_FONT_LARGE_BOLD, ASSAY_LABEL_RIGHT,
                           end - width + 12, y, width - 16, 18, text);

  return width;
}

/* What lies behind a group that we made has dashed lines: the file has no such scope. */
static void
draw_scope (const Scene *scene, const AssayViewBox *box)
{
  gboolean full = scene->look->detail == ASSAY_DETAIL_FULL;
  gboolean made = assay_scope_tree_get (scene->view->tree, box->scope)->is_made;
  double radius = full ? RADIUS : 0;
  double right = 8;

  if (scene->look->detail <= ASSAY_DETAIL_TITLE)
    for (guint i = 2; i > 0; i--)
      assay_display_list_box (scene->list, ASSAY_ROLE_BOX, ASSAY_ROLE_SCOPE_BEHIND,
                              made ? ASSAY_LINE_SHORT_DASHED : ASSAY_LINE_SOLID, scene->hair,
                              radius, box->x + 3 * i, box->y + 3 * i, box->width, box->height);
  assay_display_list_box (
      scene->list, ASSAY_ROLE_SCOPE,
      box->counts[ASSAY_VERDICT_REJECTED] > 0 ? ASSAY_ROLE_BORDER_REJECTED : ASSAY_ROLE_BOX_BORDER,
      ASSAY_LINE_SOLID, scene->hair, radius, box->x, box->y, box->width, box->height);
  draw_shares (scene, box);
  if (scene->look->detail > ASSAY_DETAIL_TITLE)
    return;

  if (box->counts[ASSAY_VERDICT_REJECTED] > 0)
    right += assay_scene_draw_badge (scene, box->x + box->width - 6, box->y + 5,
                                     box->counts[ASSAY_VERDICT_REJECTED]);

  assay_display_list_glyph (scene->list, ASSAY_ROLE_TEXT_DIM, ASSAY_GLYPH_CLOSED, box->x + 5,
                            box->y + 6, 16);
  assay_display_list_text (scene->list, ASSAY_ROLE_TEXT, assay_scene_title_font (scene),
                           ASSAY_LABEL_PLAIN, box->x + 24, box->y + 4, box->width - 24 - right, 20,
                           box->title);
  if (full)
    assay_display_list_text (scene->list, ASSAY_ROLE_TEXT_DIM, ASSAY_FONT_SMALL, ASSAY_LABEL_PLAIN,
                             box->x + 24, box->y + 24, box->width - 32, 16, box->name);
  if (full && scene->look->summary != NULL)
    assay_scene_draw_summary (scene, box);
}

static void
draw_port (const Scene *scene, const AssayViewBox *box)
{
  gboolean full = scene->look->detail == ASSAY_DETAIL_FULL;
  double pad = full ? 12 : 4;

  assay_display_list_box (scene->list, ASSAY_ROLE_PILL, ASSAY_ROLE_BOX_BORDER, ASSAY_LINE_SOLID,
                          scene->hair, full ? box->height / 2 : 0, box->x, box->y, box->width,
                          box->height);
  if (scene->look->detail <= ASSAY_DETAIL_TITLE)
    assay_display_list_text (scene->list, ASSAY_ROLE_TEXT, assay_scene_title_font (scene),
                             ASSAY_LABEL_CENTER | ASSAY_LABEL_ELLIPSIZE_START, box->x + pad, box->y,
                             box->width - 2 * pad, box->height, box->title);
}

static void
draw_stub (const Scene *scene, const AssayViewBox *box, const AssayViewStub *stub)
{
  const char *value = assay_graph_value (scene->view->verdicts->graph, stub->value)->name;
  gboolean leaving = stub->count > 0;
  double middle = stub->y + ASSAY_STUB_HEIGHT / 2;
  g_autofree char *text = NULL;
  g_autofree char *more = stub->more == 0 ? g_strdup ("") : g_strdup_printf (" +%u", stub->more);

  if (leaving)
    text = g_strdup_printf ("%s ▸ %u%s", value, stub->count, more);
  else
    text = g_strdup_printf ("◂ %s%s", value, more);

  assay_display_list_rectangle (scene->list, ASSAY_ROLE_EDGE,
                                leaving ? box->x + box->width : stub->x + ASSAY_STUB_WIDTH,
                                floor (middle), 12, scene->hair);
  if (!leaving && scene->look->scale >= ARROWS_FROM)
    assay_display_list_glyph (scene->list, ASSAY_ROLE_EDGE, ASSAY_GLYPH_ARROW_RIGHT, box->x - 16,
                              middle - 8, 16);
  /* A pill that cannot say what it stands for is only a mark at the end of its line. */
  if (scene->look->detail != ASSAY_DETAIL_FULL)
    {
      assay_display_list_rectangle (scene->list, ASSAY_ROLE_EDGE,
                                    leaving ? stub->x : stub->x + ASSAY_STUB_WIDTH - 8, middle - 4,
                                    8, 8);
      return;
    }

  assay_display_list_box (scene->list, ASSAY_ROLE_PILL, ASSAY_ROLE_BOX_BORDER, ASSAY_LINE_SOLID,
                          scene->hair, ASSAY_STUB_HEIGHT / 2, stub->x, stub->y, ASSAY_STUB_WIDTH,
                          ASSAY_STUB_HEIGHT);
  assay_display_list_text (scene->list, ASSAY_ROLE_TEXT_DIM, ASSAY_FONT_SMALL,
                           ASSAY_LABEL_CENTER | (leaving ? ASSAY_LABEL_ELLIPSIZE_START : 0),
                           stub->x + 6, stub->y, ASSAY_STUB_WIDTH - 12, ASSAY_STUB_HEIGHT, text);
}

static void
draw_arrows (const Scene *scene, const AssayViewBox *box)
{
  for (guint32 k = box->first_in; k < box->first_in + box->n_in; k++)
    {
      const AssayViewEdge *edge = assay_view_edge (
          scene->view, g_array_index (scene->view->in_edges, guint32, k));
      const AssayViewNet *net = assay_view_net (scene->view, edge->net);

      if ((net->flags & ASSAY_NET_REVERSED) == 0)
        assay_display_list_glyph (scene->list, ASSAY_ROLE_EDGE, ASSAY_GLYPH_ARROW_DOWN,
                                  edge->port_x - 7.5, box->y - 16, 16);
    }
  for (guint32 k = box->first_net; k < box->first_net + box->n_nets; k++)
    {
      const AssayViewNet *net = assay_view_net (scene->view, k);

      if ((net->flags & ASSAY_NET_REVERSED) != 0 && net->n_edges > 0)
        assay_display_list_glyph (scene->list, ASSAY_ROLE_EDGE, ASSAY_GLYPH_ARROW_UP,
                                  net->port_x - 7.5, box->y + box->height, 16);
    }
}

/* What a node keeps for later timesteps: a dashed line from its lower end back to its upper end,
 * with the sign of a delay. */
static void
draw_state (const Scene *scene, const AssayViewBox *box)
{
  guint32 steps = scene->look->states != NULL && box->kind == ASSAY_BOX_NODE
                      ? scene->look->states[box->node]
                      : 0;
  double right = box->x + box->width;
  double bottom = box->y + box->height;
  const AssayPoint points[] = { { right - 18, bottom },     { right - 18, bottom + 5 },
                                { right + 7, bottom + 5 },  { right + 7, box->y - 5 },
                                { right - 18, box->y - 5 }, { right - 18, box->y } };
  g_autofree char *text = NULL;

  if (steps == 0 || scene->look->detail > ASSAY_DETAIL_TITLE)
    return;

  assay_display_list_polyline (scene->list, ASSAY_ROLE_EDGE, ASSAY_LINE_SHORT_DASHED, scene->hair,
                               G_N_ELEMENTS (points), points);
  text = steps == 1 ? g_strdup ("z-1") : g_strdup_printf ("z-1…-%u", steps);
  if (scene->look->detail == ASSAY_DETAIL_FULL)
    {
      double width = 8 + 5.0 * (double) g_utf8_strlen (text, -1);

      assay_display_list_box (scene->list, ASSAY_ROLE_PILL, ASSAY_ROLE_BOX_BORDER, ASSAY_LINE_SOLID,
                              0.5, 6, right + 10 - width, bottom - 6, width, 12);
      assay_display_list_text (scene->list, ASSAY_ROLE_TEXT_DIM, ASSAY_FONT_TINY,
                               ASSAY_LABEL_CENTER | ASSAY_LABEL_WHOLE, right + 10 - width,
                               bottom - 6, width, 12, text);
    }
}

static void
draw_box (const Scene *scene, const AssayViewBox *box)
{
  if (scene->look->groups)
    assay_display_list_group (scene->list, (guint32) (box - assay_view_box (scene->view, 0)));
  if (is_faded (scene, box))
    draw_faded (scene, box);
  else if (box->kind == ASSAY_BOX_SCOPE)
    draw_scope (scene, box);
  else if (box->kind >= ASSAY_BOX_INPUT)
    draw_port (scene, box);
  else if (scene->look->detail == ASSAY_DETAIL_FULL)
    draw_node_full (scene, box);
  else
    draw_node_square (scene, box);

  draw_state (scene, box);
  assay_scene_draw_fused_group (scene, box);
  if (scene->look->scale >= ARROWS_FROM && scene->look->detail <= ASSAY_DETAIL_TITLE)
    draw_arrows (scene, box);
  for (guint32 k = box->first_stub; k < box->first_stub + box->n_stubs; k++)
    draw_stub (scene, box, &g_array_index (scene->view->stubs, AssayViewStub, k));
  if (scene->look->groups)
    assay_display_list_end (scene->list);
}

static void
draw_segments (const Scene *scene, const AssayViewRank *rank)
{
  for (guint32 i = rank->first_segment; i < rank->first_segment + rank->n_segments; i++)
    {
      const AssayViewSegment *segment = &g_array_index (scene->view->segments, AssayViewSegment, i);
      const AssayViewNet *net = assay_view_net (scene->view, segment->net);
      double x1 = MAX (segment->x1, scene->x1);
      double x2 = MIN (segment->x2, scene->x2);

      if (segment->x1 == segment->x2)
        {
          if (segment->x1 < scene->x1 || segment->x1 >= scene->x2)
            continue;
        }
      else if (x1 >= x2)
        continue;

      if ((net->flags & ASSAY_NET_CAPTURE) != 0 && scene->look->detail <= ASSAY_DETAIL_TITLE)
        assay_display_list_line (scene->list, ASSAY_ROLE_EDGE, ASSAY_LINE_DOTTED, scene->hair,
                                 x1 + 0.5, segment->y1 + 0.5, x2 + 0.5, segment->y2 + 0.5);
      else if (segment->x1 == segment->x2)
        assay_display_list_rectangle (scene->list, ASSAY_ROLE_EDGE, x1, segment->y1, scene->hair,
                                      segment->y2 - segment->y1);
      else
        assay_display_list_rectangle (scene->list, ASSAY_ROLE_EDGE, x1, segment->y1,
                                      x2 - x1 + (segment->x2 <= scene->x2 ? scene->hair : 0),
                                      scene->hair);
    }
}

/* The colour that a box has where boxes are not drawn any more: verdicts that need no look are one
 * quiet colour. */
static AssayRole
band_role (const Scene *scene, const AssayViewBox *box)
{
  if (box->verdict <= ASSAY_VERDICT_UNDECIDED && !is_faded (scene, box))
    return share_role (box->verdict);

  return ASSAY_ROLE_BAND_QUIET;
}

static void
draw_band (const Scene *scene, const AssayViewRank *rank)
{
  double scale = scene->look->scale;
  double least = MARK_PX / scale;
  double from = 0;
  double to = -INFINITY;

  /* Quiet boxes first, those next to each other as one; then marks that are never too small to be
   * seen. */
  for (guint32 i = 0; i < rank->n; i++)
    {
      const AssayViewBox *box = assay_view_box (
          scene->view, g_array_index (scene->view->rank_order, guint32, rank->first + i));

      if (box->x < scene->x1 || box->x >= scene->x2 ||
          band_role (scene, box) != ASSAY_ROLE_BAND_QUIET)
        continue;
      if (box->x - to > BAND_GAP_PX / scale && box->x - to > ASSAY_STUB_HEIGHT)
        {
          if (to > from)
            assay_display_list_rectangle (scene->list, ASSAY_ROLE_BAND_QUIET, from, rank->y,
                                          to - from, rank->height);
          from = box->x;
        }
      to = box->x + box->width;
    }
  if (to > from)
    assay_display_list_rectangle (scene->list, ASSAY_ROLE_BAND_QUIET, from, rank->y, to - from,
                                  rank->height);

  for (guint kind = ASSAY_N_VERDICTS; kind-- > 0;)
    for (guint32 i = 0; kind <= ASSAY_VERDICT_UNDECIDED && i < rank->n; i++)
      {
        const AssayViewBox *box = assay_view_box (
            scene->view, g_array_index (scene->view->rank_order, guint32, rank->first + i));
        double width = MAX (box->width, least);
        double height = MAX (box->height, least);

        if (box->x < scene->x1 || box->x >= scene->x2 || box->verdict != kind ||
            is_faded (scene, box))
          continue;
        assay_display_list_rectangle (scene->list, share_role (kind),
                                      box->x + (box->width - width) / 2,
                                      box->y + (box->height - height) / 2, width, height);
      }
}

/**
 * assay_scene_draw:
 * @view: a view
 * @look: how to draw it
 * @x1: left of a tile
 * @y1: top of the tile
 * @x2: right of the tile
 * @y2: bottom of the tile
 * @list: picture that is added to
 *
 * Draws what begins in a tile, so that tiles side by side draw everything once. Boxes and channels
 * may reach out of it by %ASSAY_SCENE_REACH_X and %ASSAY_SCENE_REACH_Y.
 */
void
assay_scene_draw (const AssayView *view, const AssaySceneLook *look, double x1, double y1,
                  double x2, double y2, AssayDisplayList *list)
{
  Scene scene = {
    .view = view, .look = look, .list = list, .hair = MAX (1, 1 / look->scale), .x1 = x1, .x2 = x2
  };
  guint32 first, end;

  assay_view_ranks_in (view, y1, y2, &first, &end);
  while (first < end && assay_view_rank (view, first)->y < y1)
    first++;

  if (look->detail == ASSAY_DETAIL_BANDS)
    {
      for (guint32 r = first; r < end; r++)
        draw_band (&scene, assay_view_rank (view, r));
      return;
    }

  for (guint32 r = first; r < end; r++)
    draw_segments (&scene, assay_view_rank (view, r));
  for (guint32 r = first; look->labels && look->detail == ASSAY_DETAIL_FULL && r < end; r++)
    assay_scene_draw_labels (&scene, r);
  for (guint32 r = first; r < end; r++)
    {
      const AssayViewRank *rank = assay_view_rank (view, r);

      for (guint32 i = 0; i < rank->n; i++)
        {
          const AssayViewBox *box = assay_view_box (
              view, g_array_index (view->rank_order, guint32, rank->first + i));

          if (box->x >= x1 && box->x < x2)
            draw_box (&scene, box);
        }
    }
}
