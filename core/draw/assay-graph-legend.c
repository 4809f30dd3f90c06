/* assay-graph-legend.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What is written about a graph: legends for files, and words for boxes.
 */
#include "draw/assay-graph-scene.h"

#include "base/assay-sentence.h"

/* How wide a sign of the small font is at most; nothing is measured where pictures are made. */
#define SIGN 7.2
#define ROW 24.0
#define MARK 16.0
#define GAP 18.0

static void
append_counts (GString *text, const guint32 *counts)
{
  for (guint i = 0; i < ASSAY_N_VERDICTS; i++)
    if (counts[i] > 0)
      {
        g_autofree char *count = assay_sentence_dup_count (counts[i]);

        g_string_append_printf (text, ", %s %s", count, assay_verdict_name (i));
      }
}

static char *
describe_scope (const AssayScope *scope, guint32 n_nodes, const guint32 *counts)
{
  GString *text = g_string_new (scope->path);
  g_autofree char *count = assay_sentence_dup_count (n_nodes);

  if (scope->is_made)
    g_string_append (text, ", group made by Assay");
  g_string_append_printf (text, ", %s node%s", count, assay_plural (n_nodes));
  append_counts (text, counts);

  return g_string_free (text, FALSE);
}

/**
 * assay_scene_describe_box:
 * @view: a view
 * @index: a box of it
 *
 * Says what a box is, for tooltips, screen readers and titles in files: `Conv, conv1, rejected,
 * group is 3`.
 *
 * Returns: (transfer full): the words
 */
char *
assay_scene_describe_box (const AssayView *view, guint32 index)
{
  const AssayViewBox *box = assay_view_box (view, index);
  const AssayVerdict *verdict;
  const AssayValue *value;
  g_autofree char *type = NULL;
  g_autofree char *shown = NULL;
  gboolean reason;

  if (box->kind == ASSAY_BOX_SCOPE)
    return describe_scope (assay_scope_tree_get (view->tree, box->scope), box->n_nodes,
                           box->counts);
  if (box->kind == ASSAY_BOX_NODE)
    {
      verdict = &g_array_index (view->verdicts->verdicts, AssayVerdict, box->node);
      reason = verdict->reason != NULL && verdict->kind != ASSAY_VERDICT_SUPPORTED;
      shown = reason ? assay_sentence_dup_shown (verdict->reason) : NULL;
      return g_strdup_printf ("%s, %s, %s%s%s", box->title, box->name,
                              assay_verdict_name (verdict->kind), reason ? ", " : "",
                              reason ? shown : "");
    }

  value = assay_graph_value (view->verdicts->graph, box->value);
  type = assay_type_to_string (value->type);

  return g_strdup_printf ("%s, %s, %s", box->kind == ASSAY_BOX_INPUT ? "Input" : "Output",
                          value->name, type);
}

/**
 * assay_scene_describe_frame:
 * @view: a view
 * @index: a frame of it
 *
 * Says what an open scope holds.
 *
 * Returns: (transfer full): the words
 */
char *
assay_scene_describe_frame (const AssayView *view, guint32 index)
{
  const AssayViewFrame *frame = assay_view_frame (view, index);

  return describe_scope (assay_scope_tree_get (view->tree, frame->scope), frame->n_nodes,
                         frame->counts);
}

typedef struct
{
  AssayDisplayList *list;
  double left;
  double right;
  double x;
  double y;
} Legend;

/* Room for a mark and its text in the present row, or at the beginning of the next one. */
static void
begin_entry (Legend *self, double mark, const char *text)
{
  double width = mark + SIGN * (double) g_utf8_strlen (text, -1);

  if (self->x > self->left && self->x + width > self->right)
    {
      self->x = self->left;
      self->y += ROW;
    }
}

static void
add_text (Legend *self, AssayFont font, const char *text)
{
  double width = SIGN * (double) g_utf8_strlen (text, -1);

  assay_display_list_text (self->list, ASSAY_ROLE_TEXT_REMOVED, font, ASSAY_LABEL_WHOLE, self->x,
                           self->y, width, ROW, text);
  self->x += width + GAP;
}

static void
add_verdict (Legend *self, AssayVerdictKind kind, guint count)
{
  const AssayVerdictLook *look = assay_verdict_get_look (kind);
  g_autofree char *text = g_strdup_printf ("%s %u", assay_verdict_name (kind), count);

  begin_entry (self, MARK + 10, text);
  if (look->tab_role != ASSAY_ROLE_VIEW_BG)
    assay_display_list_rectangle (self->list, look->tab_role, self->x, self->y + 2, MARK + 4,
                                  MARK + 4);
  assay_display_list_glyph (self->list, look->glyph_role, look->glyph, self->x + 2, self->y + 4,
                            MARK);
  self->x += MARK + 10;
  add_text (self, ASSAY_FONT_SMALL, text);
}

/**
 * assay_scene_draw_legend:
 * @view: a view
 * @overlay: (nullable): what bodies of nodes are coloured by
 * @x: left
 * @y: top
 * @width: width
 * @list: (nullable): picture that is added to, %NULL to ask for the height
 *
 * Draws what the marks of a graph mean: the verdicts that occur with their numbers, and the steps
 * of an overlay.
 *
 * Returns: the height that it takes
 */
double
assay_scene_draw_legend (const AssayView *view, const AssayOverlay *overlay, double x, double y,
                         double width, AssayDisplayList *list)
{
  g_autoptr (AssayDisplayList) unused = list == NULL ? assay_display_list_new () : NULL;
  Legend self = {
    .list = list != NULL ? list : unused, .left = x, .right = x + width, .x = x, .y = y
  };

  for (guint kind = 0; kind < ASSAY_N_VERDICTS; kind++)
    if (view->verdicts->counts[kind] > 0)
      add_verdict (&self, kind, view->verdicts->counts[kind]);

  if (overlay != NULL)
    {
      self.x = x;
      self.y += ROW;
      add_text (&self, ASSAY_FONT_SMALL_BOLD, overlay->title);
      for (guint step = 0; step < overlay->labels->len; step++)
        {
          const char *label = g_ptr_array_index (overlay->labels, step);

          begin_entry (&self, MARK + 6, label);
          assay_display_list_box (self.list, (int) assay_overlay_get_role (overlay, step),
                                  ASSAY_ROLE_BOX_BORDER, ASSAY_LINE_SOLID, 1, 3, self.x, self.y + 4,
                                  MARK, MARK);
          self.x += MARK + 6;
          add_text (&self, ASSAY_FONT_SMALL, label);
        }
    }

  return self.y + ROW - y;
}
