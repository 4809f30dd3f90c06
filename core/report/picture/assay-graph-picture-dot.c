/* assay-graph-picture-dot.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a view shows in the DOT language: its boxes, folded scopes among them, and the values
 * between them.
 */
#include "report/picture/assay-graph-picture-private.h"
#include "report/assay-report-dot.h"

static gboolean
is_inside (const AssayGraphPicture *self, guint32 index)
{
  const AssayViewBox *box = assay_view_box (self->view, index);

  return box->x < self->x + self->width && box->x + box->width > self->x &&
         box->y < self->y + self->height && box->y + box->height > self->y;
}

static void
append_box (const AssayGraphPicture *self, guint32 index, GString *text)
{
  static const char *const shapes[] = {
    [ASSAY_BOX_NODE] = "box",
    [ASSAY_BOX_SCOPE] = "box3d",
    [ASSAY_BOX_INPUT] = "ellipse",
    [ASSAY_BOX_OUTPUT] = "ellipse",
  };
  const AssayViewBox *box = assay_view_box (self->view, index);
  g_autofree char *words = assay_scene_describe_box (self->view, index);

  g_string_append_printf (text, "  b%u [shape=%s, label=\"", index, shapes[box->kind]);
  assay_dot_append (text, box->title);
  if (box->name != NULL)
    {
      g_string_append (text, "\\n");
      assay_dot_append (text, box->name);
    }
  if (box->verdict < ASSAY_N_VERDICTS && box->verdict != ASSAY_VERDICT_SUPPORTED)
    g_string_append_printf (text, "\\n%s", assay_verdict_name (box->verdict));
  g_string_append (text, "\", tooltip=\"");
  assay_dot_append (text, words);
  g_string_append (text, "\"];\n");
}

static void
append_net (const AssayGraphPicture *self, guint32 index, GString *text)
{
  const AssayViewNet *net = assay_view_net (self->view, index);
  const AssayValue *value = assay_graph_value (self->view->verdicts->graph, net->value);
  gboolean reversed = (net->flags & ASSAY_NET_REVERSED) != 0;

  for (guint32 k = net->first_edge; k < net->first_edge + net->n_edges; k++)
    {
      guint32 target = assay_view_edge (self->view, k)->target;

      if (!is_inside (self, net->source) || !is_inside (self, target))
        continue;
      g_string_append_printf (text, "  b%u -> b%u [", reversed ? target : net->source,
                              reversed ? net->source : target);
      if ((net->flags & ASSAY_NET_CAPTURE) != 0)
        g_string_append (text, "style=dotted, ");
      g_string_append (text, "label=\"");
      if ((net->flags & ASSAY_NET_MERGED) == 0)
        {
          g_autofree char *type = assay_type_to_string (value->type);
          assay_dot_append (text, type);
        }
      g_string_append (text, "\"];\n");
    }
}

/* Edges that are drawn as stubs are edges all the same. */
static void
append_stub (const AssayGraphPicture *self, guint32 index, GString *text)
{
  const AssayViewStub *stub = &g_array_index (self->view->stubs, AssayViewStub, index);

  if (stub->other == ASSAY_NO_BOX || stub->count > 0 || !is_inside (self, stub->box) ||
      !is_inside (self, stub->other))
    return;
  g_string_append_printf (text, "  b%u -> b%u [label=\"", stub->other, stub->box);
  assay_dot_append (text, assay_graph_value (self->view->verdicts->graph, stub->value)->name);
  g_string_append (text, "\"];\n");
}

/* Writes a picture for Graphviz. */
GBytes *
assay_graph_picture_to_dot (const AssayGraphPicture *self)
{
  GString *text = g_string_new ("digraph \"");
  gsize length;

  assay_dot_append (text, self->title);
  g_string_append (text, "\" {\n  rankdir=TB;\n");
  for (guint32 i = 0; i < self->view->boxes->len; i++)
    if (is_inside (self, i))
      append_box (self, i, text);
  for (guint32 i = 0; i < self->view->nets->len; i++)
    append_net (self, i, text);
  for (guint32 i = 0; i < self->view->stubs->len; i++)
    append_stub (self, i, text);
  g_string_append (text, "}\n");
  length = text->len;

  return g_bytes_new_take (g_string_free (text, FALSE), length);
}
