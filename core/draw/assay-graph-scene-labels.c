/* assay-graph-scene-labels.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What is written beside lines and into boxes about tensors.
 */
#include "draw/assay-graph-scene-private.h"

#include <string.h>

/* Lines from this length on have room for a text beside them. */
#define MIN_LENGTH 14.0
#define LABEL_HEIGHT 14.0
#define LABEL_GAP 6.0

/* How far up its line a label gives way. */
#define LIFT 8.0

/* How wide a sign is at most; nothing is measured where pictures are made. */
#define SMALL_SIGN 6.7
#define TINY_SIGN 4.5

#define MAX_SYMBOL 8
#define CHIP_HEIGHT 11.0

typedef struct
{
  double x;
  double y;
  double width;
  double top; /* where the upright piece begins */
  guint32 net;
} Label;

/* Names like "batch" tell something beside a line; formulas are for the inspector. */
static const char *
symbol_of (const AssayDim *dim)
{
  return dim->symbol != NULL && dim->symbol[0] != 0 && strlen (dim->symbol) <= MAX_SYMBOL
             ? dim->symbol
             : "?";
}

/* The type as people write it: "f32 8×64×128"; the marked dimension is told by its bytes. */
static char *
format_type (const AssayType *type, int marked, gboolean with_dtype, guint *first, guint *end)
{
  GString *text = g_string_new (NULL);

  *first = *end = 0;
  if (with_dtype && type->dtype != ASSAY_DTYPE_UNDEFINED)
    g_string_append_printf (text, "%s ", assay_dtype_name (type->dtype));
  for (int i = 0; i < type->rank; i++)
    {
      const AssayDim *dim = &type->dims[i];

      if (i > 0)
        g_string_append (text, "×");
      if (i == marked)
        *first = (guint) text->len;
      if (dim->size >= 0)
        g_string_append_printf (text, "%" G_GINT64_FORMAT, dim->size);
      else
        g_string_append (text, symbol_of (dim));
      if (i == marked)
        *end = (guint) text->len;
    }
  if (type->rank == 0)
    g_string_append (text, "scalar");

  return g_string_free (text, FALSE);
}

static const AssayType *
type_of_net (const AssayScene *scene, const AssayViewNet *net)
{
  const AssayType *type = assay_graph_value (scene->view->verdicts->graph, net->value)->type;

  if ((net->flags & (ASSAY_NET_MERGED | ASSAY_NET_REVERSED)) != 0 || type == NULL ||
      type->kind != ASSAY_TYPE_KIND_TENSOR || type->rank < 0)
    return NULL;

  return type;
}

static int
data_dim_of (const AssayScene *scene, const AssayViewNet *net)
{
  const AssayVerdicts *verdicts = scene->view->verdicts;

  return verdicts->data_dims != NULL ? verdicts->data_dims[net->value] : -1;
}

/* Beside the longest upright piece of a net in the channel under its source. */
static gboolean
find_place (const AssayScene *scene, const AssayViewRank *rank, guint32 index, double bottom,
            Label *label)
{
  double longest = 0;

  for (guint32 i = index; i < rank->first_segment + rank->n_segments; i++)
    {
      const AssayViewSegment *segment = &g_array_index (scene->view->segments, AssayViewSegment, i);
      double top = MAX (segment->y1, rank->y + rank->height);
      double length = MIN (segment->y2, bottom) - top;

      if (segment->net != label->net)
        break;
      if (segment->x1 != segment->x2 || length < MIN_LENGTH || length <= longest)
        continue;
      longest = length;
      label->top = top;
      label->x = segment->x1 + LABEL_GAP;
      label->y = MIN (segment->y2, bottom) - LABEL_HEIGHT - MIN (2, (length - LABEL_HEIGHT) / 2);
    }

  return longest > 0;
}

/* Whether lines of the channel run through a place. Boxes do not stand in channels. */
static gboolean
is_free (const GArray *near, const Label *label)
{
  for (guint i = 0; i < near->len; i++)
    {
      const AssayViewSegment *segment = &g_array_index (near, AssayViewSegment, i);

      if (segment->x2 >= label->x - 1 && segment->x1 <= label->x + label->width &&
          segment->y2 >= label->y && segment->y1 <= label->y + LABEL_HEIGHT)
        return FALSE;
    }

  return label->x >= 0;
}

static void
add_obstacle (GArray *near, double x1, double y1, double x2, double y2)
{
  AssayViewSegment segment = { x1, y1, x2, y2, G_MAXUINT32 };

  g_array_append_val (near, segment);
}

/* Sides, lower ends and headers of frames around a channel. */
static void
add_frames (const AssayScene *scene, guint32 rank, GArray *near)
{
  for (guint32 f = 0; f < scene->view->frames->len; f++)
    {
      const AssayViewFrame *frame = assay_view_frame (scene->view, f);
      double right = frame->x + frame->width;
      double bottom = frame->y + frame->height;

      if (frame->first_rank > rank + 1 || frame->last_rank < rank)
        continue;
      add_obstacle (near, frame->x, frame->y, frame->x, bottom);
      add_obstacle (near, right, frame->y, right, bottom);
      if (frame->last_rank == rank)
        add_obstacle (near, frame->x, bottom, right, bottom);
      if (frame->first_rank == rank + 1)
        add_obstacle (near, frame->x, frame->y, right, frame->y + ASSAY_FRAME_HEADER);
    }
}

/* Outlines of what is fused that reach into a channel, from above it or from below. */
static void
add_outlines (const AssayScene *scene, guint32 rank, GArray *near)
{
  guint32 first = rank > ASSAY_SCENE_OUTLINE_RANKS ? rank - ASSAY_SCENE_OUTLINE_RANKS : 0;

  if (scene->view->verdicts->counts[ASSAY_VERDICT_FUSED] == 0)
    return;

  for (guint32 r = first; r <= rank + 1 && r < scene->view->ranks->len; r++)
    {
      const AssayViewRank *from = assay_view_rank (scene->view, r);

      for (guint32 i = 0; i < from->n; i++)
        {
          guint32 index = g_array_index (scene->view->rank_order, guint32, from->first + i);
          const AssayViewBox *box = assay_view_box (scene->view, index);
          AssaySceneOutline line;

          if (box->x < scene->x1 - 2 * ASSAY_SCENE_REACH_X ||
              box->x > scene->x2 + 2 * ASSAY_SCENE_REACH_X ||
              !assay_scene_find_fused_group (scene, box, &line))
            continue;
          add_obstacle (near, line.x1, line.y1, line.x1, line.y2);
          add_obstacle (near, line.x2, line.y1, line.x2, line.y2);
          add_obstacle (near, line.x1, line.y1, line.x2, line.y1);
          add_obstacle (near, line.x1, line.y2, line.x2, line.y2);
        }
    }
}

/* The segments of a channel that labels of a tile or of its neighbours can meet. */
static GArray *
list_near (const AssayScene *scene, const AssayViewRank *rank)
{
  GArray *near = g_array_new (FALSE, FALSE, sizeof (AssayViewSegment));

  for (guint32 i = rank->first_segment; i < rank->first_segment + rank->n_segments; i++)
    {
      const AssayViewSegment *segment = &g_array_index (scene->view->segments, AssayViewSegment, i);

      if (segment->x2 >= scene->x1 - 2 * ASSAY_SCENE_REACH_X &&
          segment->x1 <= scene->x2 + 2 * ASSAY_SCENE_REACH_X)
        g_array_append_vals (near, segment, 1);
    }

  return near;
}

static gboolean
overlap (const Label *a, const Label *b)
{
  return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + LABEL_HEIGHT &&
         b->y < a->y + LABEL_HEIGHT;
}

/* Puts a label where nothing is in the way: at the right or at the left of its line, at its lower
 * end or above that. */
static gboolean
place (const GArray *near, Label *label)
{
  double right = label->x;
  double left = right - 2 * LABEL_GAP - label->width;

  for (guint lift = 0; lift < 2; lift++, label->y -= LIFT)
    {
      if (label->y < label->top && lift > 0)
        return FALSE;
      label->x = right;
      if (is_free (near, label))
        return TRUE;
      label->x = left;
      if (is_free (near, label))
        return TRUE;
    }

  return FALSE;
}

static GArray *
list_labels (const AssayScene *scene, guint32 index, const AssayViewRank *rank, double bottom)
{
  GArray *labels = g_array_new (FALSE, FALSE, sizeof (Label));
  g_autoptr (GArray) near = list_near (scene, rank);
  guint32 last = G_MAXUINT32;

  add_frames (scene, index, near);
  add_outlines (scene, index, near);

  for (guint32 i = rank->first_segment; i < rank->first_segment + rank->n_segments; i++)
    {
      Label label = { .net = g_array_index (scene->view->segments, AssayViewSegment, i).net };
      const AssayViewNet *net = assay_view_net (scene->view, label.net);
      const AssayViewBox *source = assay_view_box (scene->view, net->source);
      const AssayType *type;
      g_autofree char *text = NULL;
      guint first, end;

      /* The segments of a net in a channel stand together. */
      if (label.net == last)
        continue;
      last = label.net;
      if (assay_view_rank (scene->view, source->rank) != rank ||
          net->port_x < scene->x1 - ASSAY_SCENE_REACH_X ||
          net->port_x > scene->x2 + ASSAY_SCENE_REACH_X)
        continue;
      type = type_of_net (scene, net);
      if (type == NULL || !find_place (scene, rank, i, bottom, &label))
        continue;

      text = format_type (type, -1, TRUE, &first, &end);
      label.width = SMALL_SIGN * (double) g_utf8_strlen (text, -1) + 4;
      if (place (near, &label))
        g_array_append_val (labels, label);
    }

  return labels;
}

/* Writes the shapes of values beside the lines that leave a rank, where nothing is in the way. */
void
assay_scene_draw_labels (const AssayScene *scene, guint32 index)
{
  const AssayViewRank *rank = assay_view_rank (scene->view, index);
  g_autoptr (GArray) labels = NULL;
  double bottom;

  if (index + 1 >= scene->view->ranks->len)
    return;

  bottom = assay_view_rank (scene->view, index + 1)->y;
  labels = list_labels (scene, index, rank, bottom);
  for (guint i = 0; i < labels->len; i++)
    {
      const Label *label = &g_array_index (labels, Label, i);
      const AssayViewNet *net = assay_view_net (scene->view, label->net);
      g_autofree char *text = NULL;
      gboolean hidden = FALSE;
      guint first, end;

      if (label->x < scene->x1 || label->x >= scene->x2)
        continue;
      /* Decided by neighbours alone, so that tiles on both sides of a line agree. */
      for (guint k = 0; k < i && !hidden; k++)
        hidden = overlap (label, &g_array_index (labels, Label, k));
      if (hidden)
        continue;

      text = format_type (type_of_net (scene, net), data_dim_of (scene, net), TRUE, &first, &end);
      assay_display_list_text (scene->list, ASSAY_ROLE_TEXT_REMOVED, ASSAY_FONT_SMALL,
                               ASSAY_LABEL_WHOLE, label->x, label->y, label->width, LABEL_HEIGHT,
                               text);
      if (end > first)
        assay_display_list_mark (scene->list, first, end);
    }
}

static const AssayValue *
constant_operand (const AssayScene *scene, const AssayNode *node, guint index)
{
  const AssayValue *value;

  if (node->inputs[index] == ASSAY_NO_VALUE)
    return NULL;
  value = assay_graph_value (scene->view->verdicts->graph, node->inputs[index]);

  return value->constant != NULL || value->kind == ASSAY_VALUE_CONSTANT || value->is_parameter
             ? value
             : NULL;
}

/* Whether a box has constants to tell of. */
gboolean
assay_scene_has_chips (const AssayScene *scene, const AssayViewBox *box)
{
  const AssayNode *node;

  if (!scene->look->chips || box->kind != ASSAY_BOX_NODE)
    return FALSE;

  node = assay_graph_node (scene->view->verdicts->graph, box->node);
  for (guint i = 0; i < node->n_inputs; i++)
    if (constant_operand (scene, node, i) != NULL)
      return TRUE;

  return FALSE;
}

/* Draws a chip for each constant of a node, as many as fit; the last one counts the rest. */
void
assay_scene_draw_chips (const AssayScene *scene, const AssayViewBox *box, double x, double y)
{
  const AssayNode *node = assay_graph_node (scene->view->verdicts->graph, box->node);
  double right = box->x + box->width - 6;
  guint left = 0;

  for (guint i = 0; i < node->n_inputs; i++)
    left += constant_operand (scene, node, i) != NULL;

  for (guint i = 0; i < node->n_inputs && left > 0; i++)
    {
      const AssayValue *value = constant_operand (scene, node, i);
      g_autofree char *text = NULL;
      double room = right - x - (left > 1 ? 18 : 0);
      double width;
      guint first, end;

      if (value == NULL)
        continue;
      text = format_type (value->type, -1, FALSE, &first, &end);
      width = TINY_SIGN * (double) g_utf8_strlen (text, -1) + 8;
      if (width > room)
        {
          g_free (text);
          text = g_strdup_printf ("+%u", left);
          width = 16;
          left = 1;
        }
      assay_display_list_box (scene->list, ASSAY_ROLE_PILL, ASSAY_ROLE_BOX_BORDER, ASSAY_LINE_SOLID,
                              0.5, CHIP_HEIGHT / 2, x, y, width, CHIP_HEIGHT);
      assay_display_list_text (scene->list, ASSAY_ROLE_TEXT_DIM, ASSAY_FONT_TINY,
                               ASSAY_LABEL_CENTER, x + 2, y, width - 4, CHIP_HEIGHT, text);
      x += width + 3;
      left--;
    }
}
