/* assay-view-build.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * From a graph with verdicts to boxes, nets and stubs.
 */
#include "layout/assay-view-private.h"

#include <stdlib.h>
#include <string.h>

#define MAX_READERS 8
#define MAX_SPAN 300
#define MAX_SPAN_SMALL 1000
#define SMALL 600

/* In pictures with more boxes, groups that we made of neighbours have no frames and no ranks of
 * their own: there they are nothing to look at, and lines across their borders would have long
 * ways. */
#define MAX_BOXES_IN_GROUPS 2000

/* One box reading a value of another one. */
typedef struct
{
  guint32 source;
  guint32 flags;
  AssayValueId value;
  guint32 target;
} Read;

typedef struct
{
  AssayView *view;
  const AssayGraph *graph;
  const guint8 *open;
  const guint8 *drawn;     /* per value */
  guint32 *shown;          /* per scope: the folded scope that hides it, or 0 */
  guint32 *scope_box;      /* per scope: its box plus one */
  guint32 *value_box;      /* per value: the box of a region input plus one */
  guint32 *digest;         /* per scope: what its nodes are */
  AssayNodeId *anchor;     /* per region: the node of the shown region it is inside of, or 0 */
  const AssayView *before; /* what was shown, if a scope of it was folded or opened, or NULL */
  guint32 *same;           /* per box the one in there, or ASSAY_NO_BOX */
  GHashTable *were_stubs;  /* in there: reader and value */
  GArray *reads;
} Builder;

static double
width_of (const char *text)
{
  glong length = g_utf8_strlen (text, -1);

  return length <= 8 ? 112 : length <= 14 ? 152 : 208;
}

static AssayVerdictKind
verdict_of (const AssayVerdicts *verdicts, AssayNodeId node)
{
  if (verdicts->verdicts == NULL || node >= verdicts->verdicts->len)
    return ASSAY_VERDICT_UNDECIDED;

  return MIN (g_array_index (verdicts->verdicts, AssayVerdict, node).kind, ASSAY_VERDICT_SUPPORTED);
}

/* A scope with one node in it is drawn as that node: a fold that hides nothing only adds a click.
 */
static void
find_shown (Builder *self)
{
  const AssayScopeTree *tree = self->view->tree;
  const GArray *nodes = assay_graph_region (self->graph, self->view->region)->nodes;
  g_autofree guint32 *total = g_new0 (guint32, tree->scopes->len);

  self->shown = g_new0 (guint32, tree->scopes->len);
  self->scope_box = g_new0 (guint32, tree->scopes->len);
  self->digest = g_new0 (guint32, tree->scopes->len);
  if (self->open == NULL)
    return;

  for (guint i = 0; i < nodes->len; i++)
    if (!tree->is_chip[g_array_index (nodes, AssayNodeId, i)])
      total[assay_scope_tree_of_node (tree, self->graph, g_array_index (nodes, AssayNodeId, i))]++;
  for (guint32 s = tree->scopes->len; s-- > 1;)
    total[assay_scope_tree_get (tree, s)->parent] += total[s];

  for (guint32 s = 1; s < tree->scopes->len; s++)
    {
      guint32 around = self->shown[assay_scope_tree_get (tree, s)->parent];

      self->shown[s] = around != 0 ? around : !self->open[s] && total[s] > 1 ? s : 0;
    }
}

static AssayViewBox *
add_box (Builder *self, AssayBoxKind kind, const char *title, double width, double height)
{
  AssayViewBox box = {
    .kind = kind, .verdict = ASSAY_N_VERDICTS, .title = title, .width = width, .height = height
  };

  g_array_append_val (self->view->boxes, box);

  return assay_view_box (self->view, self->view->boxes->len - 1);
}

/* Scopes are equal when they have the same operators with the same results in the same order. */
static void
add_digest (Builder *self, guint32 scope, const AssayNode *node)
{
  guint32 digest = self->digest[scope] * 31 + g_str_hash (node->op_type) * 17 + node->n_inputs;

  if (node->n_outputs > 0 && node->outputs[0] != ASSAY_NO_VALUE)
    {
      const AssayType *type = assay_graph_value (self->graph, node->outputs[0])->type;

      for (int i = 0; i < type->rank; i++)
        digest = digest * 31 + (guint32) type->dims[i].size;
    }
  self->digest[scope] = digest;
}

static void
name_scopes (Builder *self)
{
  g_autoptr (GHashTable) equal = g_hash_table_new (NULL, NULL);

  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; i < self->view->boxes->len; i++)
      {
        AssayViewBox *box = assay_view_box (self->view, i);
        gpointer key = GUINT_TO_POINTER (self->digest[box->scope] * 31 + box->n_nodes);
        guint n = GPOINTER_TO_UINT (g_hash_table_lookup (equal, key));
        g_autofree char *text = NULL;

        if (box->kind != ASSAY_BOX_SCOPE)
          continue;
        if (pass == 0)
          {
            g_hash_table_insert (equal, key, GUINT_TO_POINTER (n + 1));
            continue;
          }
        text = n > 1 ? g_strdup_printf ("%u nodes, ×%u equal", box->n_nodes, n)
                     : g_strdup_printf ("%u node%s", box->n_nodes, box->n_nodes == 1 ? "" : "s");
        box->name = assay_arena_intern (self->view->arena, text);
      }
}

static void
add_node (Builder *self, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (self->graph, id);
  guint32 scope = assay_scope_tree_of_node (self->view->tree, self->graph, id);
  guint32 hidden_by = self->shown[scope];
  AssayVerdictKind verdict = verdict_of (self->view->verdicts, id);
  AssayViewBox *box;

  if (hidden_by == 0)
    {
      box = add_box (self, ASSAY_BOX_NODE, node->op_type, width_of (node->op_type),
                     ASSAY_BOX_HEIGHT);
      box->node = id;
      box->scope = scope;
      box->name = node->name;
      box->verdict = (guint8) verdict;
      self->view->node_box[id] = self->view->boxes->len;
    }
  else if (self->scope_box[hidden_by] == 0)
    {
      box = add_box (self, ASSAY_BOX_SCOPE,
                     assay_scope_tree_get (self->view->tree, hidden_by)->name, ASSAY_SCOPE_WIDTH,
                     ASSAY_SCOPE_HEIGHT);
      box->node = id;
      box->scope = hidden_by;
      box->verdict = (guint8) verdict;
      box->counts = assay_arena_alloc_n (self->view->arena, ASSAY_N_VERDICTS, sizeof *box->counts);
      memset (box->counts, 0, ASSAY_N_VERDICTS * sizeof *box->counts);
      self->scope_box[hidden_by] = self->view->boxes->len;
    }

  if (hidden_by != 0)
    {
      box = assay_view_box (self->view, self->scope_box[hidden_by] - 1);
      box->verdict = (guint8) MIN (box->verdict, (guint8) verdict);
      box->counts[verdict]++;
      add_digest (self, hidden_by, node);
      self->view->node_box[id] = self->scope_box[hidden_by];
    }
  else
    box = assay_view_box (self->view, self->view->boxes->len - 1);

  box->n_nodes++;
}

static void
add_boxes (Builder *self)
{
  const AssayRegion *region = assay_graph_region (self->graph, self->view->region);

  self->value_box = g_new0 (guint32, assay_graph_n_values (self->graph));
  for (guint i = 0; i < region->inputs->len; i++)
    {
      AssayValueId id = g_array_index (region->inputs, AssayValueId, i);
      const AssayValue *value = assay_graph_value (self->graph, id);
      AssayViewBox *box;

      if (value->is_parameter)
        continue;
      box = add_box (self, ASSAY_BOX_INPUT, value->name, width_of (value->name), ASSAY_PORT_HEIGHT);
      box->value = id;
      self->value_box[id] = self->view->boxes->len;
    }

  for (guint i = 0; i < region->nodes->len; i++)
    if (!self->view->tree->is_chip[g_array_index (region->nodes, AssayNodeId, i)])
      add_node (self, g_array_index (region->nodes, AssayNodeId, i));

  name_scopes (self);
}

static void
find_anchors (Builder *self)
{
  guint n = self->graph->regions->len;

  self->anchor = g_new0 (AssayNodeId, n);
  for (AssayRegionId r = 0; r < n; r++)
    {
      AssayRegionId at = r;

      for (guint steps = 0; steps < n && at != self->view->region; steps++)
        {
          AssayNodeId parent = assay_graph_region (self->graph, at)->parent;

          if (parent == ASSAY_NO_NODE)
            break;
          at = assay_graph_node (self->graph, parent)->region;
          if (at == self->view->region)
            self->anchor[r] = parent;
        }

      if (self->anchor[r] != 0 && self->view->node_box[self->anchor[r]] != 0)
        assay_view_box (self->view, self->view->node_box[self->anchor[r]] - 1)->has_regions = TRUE;
    }
}

static void
add_read (Builder *self, AssayValueId id, guint32 target, guint32 flags)
{
  const AssayValue *value;
  guint32 source;
  Read read;

  if (id == ASSAY_NO_VALUE)
    return;

  value = assay_graph_value (self->graph, id);
  if (value->kind == ASSAY_VALUE_CONSTANT || value->kind == ASSAY_VALUE_MISSING ||
      value->constant != NULL)
    return;

  source = value->kind == ASSAY_VALUE_RESULT ? self->view->node_box[value->producer]
                                             : self->value_box[id];
  if (source == 0)
    {
      /* From a region around the shown one: the name says where it comes from. */
      if (value->region != self->view->region && flags == 0 && !value->is_parameter)
        {
          AssayViewStub stub = { .box = target, .value = id, .other = ASSAY_NO_BOX };

          g_array_append_val (self->view->stubs, stub);
        }
      return;
    }

  read = (Read){ .source = source - 1, .flags = flags, .value = id, .target = target };
  if (read.source == target)
    return;
  if (read.source > target)
    {
      read.target = read.source;
      read.source = target;
      read.flags |= ASSAY_NET_REVERSED;
    }
  g_array_append_val (self->reads, read);
}

/* A constant without a box is found in that of its first reader. */
static void
show_chip (Builder *self, AssayValueId value, guint32 box)
{
  AssayNodeId producer = value == ASSAY_NO_VALUE ? ASSAY_NO_NODE
                                                 : assay_graph_value (self->graph, value)->producer;

  if (producer != ASSAY_NO_NODE && self->view->tree->is_chip[producer] &&
      self->view->node_box[producer] == 0 &&
      assay_graph_node (self->graph, producer)->region == self->view->region)
    self->view->node_box[producer] = box;
}

static void
add_reads (Builder *self)
{
  const AssayRegion *region = assay_graph_region (self->graph, self->view->region);

  self->reads = g_array_new (FALSE, FALSE, sizeof (Read));
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (self->graph); id++)
    {
      const AssayNode *node = assay_graph_node (self->graph, id);
      gboolean nested = node->region != self->view->region;
      AssayNodeId reader = nested ? self->anchor[node->region] : id;

      if (reader == ASSAY_NO_NODE || self->view->node_box[reader] == 0)
        continue;
      for (guint k = 0; k < node->n_inputs; k++)
        {
          AssayValueId value = node->inputs[k];

          show_chip (self, value, self->view->node_box[reader]);
          if (nested && (value == ASSAY_NO_VALUE ||
                         assay_graph_value (self->graph, value)->region != self->view->region))
            continue;
          add_read (self, value, self->view->node_box[reader] - 1, nested ? ASSAY_NET_CAPTURE : 0);
        }
    }

  for (guint i = 0; i < region->outputs->len; i++)
    {
      AssayValueId id = g_array_index (region->outputs, AssayValueId, i);
      const AssayValue *value;
      AssayViewBox *box;

      if (id == ASSAY_NO_VALUE)
        continue;
      value = assay_graph_value (self->graph, id);
      box = add_box (self, ASSAY_BOX_OUTPUT, value->name, width_of (value->name),
                     ASSAY_PORT_HEIGHT);
      box->value = id;
      add_read (self, id, self->view->boxes->len - 1, 0);
    }
}

static int
compare_reads (gconstpointer a, gconstpointer b)
{
  const Read *ra = a;
  const Read *rb = b;

  if (ra->source != rb->source)
    return ra->source < rb->source ? -1 : 1;
  if (ra->flags != rb->flags)
    return ra->flags < rb->flags ? -1 : 1;
  if (ra->value != rb->value)
    return ra->value < rb->value ? -1 : 1;

  return ra->target < rb->target ? -1 : ra->target > rb->target;
}

/* Where a box stands in the program; an input stands just before its first reader. */
static guint32 *
find_places (const Builder *self)
{
  guint32 n = self->view->boxes->len;
  guint32 *place = g_new (guint32, n + 1);
  g_autofree guint32 *first = g_new (guint32, n + 1);

  for (guint32 i = 0; i < n; i++)
    {
      place[i] = i;
      first[i] = G_MAXUINT32;
    }
  for (guint i = 0; i < self->reads->len; i++)
    {
      const Read *read = &g_array_index (self->reads, Read, i);

      first[read->source] = MIN (first[read->source], read->target);
    }
  for (guint32 i = 0; i < n && assay_view_box (self->view, i)->kind == ASSAY_BOX_INPUT; i++)
    if (first[i] != G_MAXUINT32)
      place[i] = first[i];

  return place;
}

static gboolean
is_folded (const Builder *self, guint32 box)
{
  return assay_view_box (self->view, box)->kind == ASSAY_BOX_SCOPE;
}

/* The line that stands for more than its own value has no one shape to tell. */
static void
mark_merged (AssayView *view, guint32 source, guint32 target)
{
  for (guint32 i = view->nets->len; i-- > 0 && assay_view_net (view, i)->source == source;)
    {
      AssayViewNet *net = assay_view_net (view, i);

      for (guint32 k = net->first_edge; k < net->first_edge + net->n_edges; k++)
        if (assay_view_edge (view, k)->target == target)
          net->flags |= ASSAY_NET_MERGED;
    }
}

static gpointer
stub_key (guint32 box, AssayValueId value)
{
  return GSIZE_TO_POINTER ((gsize) box << 32 | value);
}

static void
list_stubs_before (Builder *self)
{
  self->were_stubs = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < self->before->stubs->len; i++)
    {
      const AssayViewStub *stub = &g_array_index (self->before->stubs, AssayViewStub, i);

      if (stub->count == 0)
        g_hash_table_add (self->were_stubs, stub_key (stub->box, stub->value));
    }
}

/* How an edge was drawn before, if both of its ends were there. */
typedef enum
{
  DRAWN_NOT,
  DRAWN_AS_LINE,
  DRAWN_AS_STUB,
} Drawn;

static Drawn
drawn_before (const Builder *self, const Read *read)
{
  guint32 reader = (read->flags & ASSAY_NET_REVERSED) != 0 ? read->source : read->target;

  if (self->before == NULL || self->same[read->source] == ASSAY_NO_BOX ||
      self->same[read->target] == ASSAY_NO_BOX)
    return DRAWN_NOT;

  return g_hash_table_contains (self->were_stubs, stub_key (self->same[reader], read->value))
             ? DRAWN_AS_STUB
             : DRAWN_AS_LINE;
}

/* How most of what a value had before was drawn. */
static Drawn
value_before (const Builder *self, const Read *reads, guint n)
{
  Drawn drawn = DRAWN_NOT;

  for (guint i = 0; i < n && drawn != DRAWN_AS_STUB; i++)
    drawn = MAX (drawn, drawn_before (self, &reads[i]));

  return drawn;
}

static void
add_net (Builder *self, const Read *reads, guint n, const guint32 *place, guint32 *seen_from)
{
  AssayView *view = self->view;
  AssayViewNet net = {
    .source = reads[0].source,
    .value = reads[0].value,
    .flags = reads[0].flags,
    .first_edge = view->edges->len,
  };
  guint32 max_span = view->boxes->len < SMALL ? MAX_SPAN_SMALL : MAX_SPAN;
  guint32 n_far = 0;
  Drawn all = value_before (self, reads, n);
  guint32 mark = (net.source + 1) << 1 | ((net.flags & ASSAY_NET_REVERSED) != 0 ? 1 : 0);

  for (guint i = 0; i < n; i++)
    {
      guint32 target = reads[i].target;
      guint32 span;
      Drawn drawn;

      /* Between folded scopes one line each way stands for all values. */
      if ((is_folded (self, net.source) || is_folded (self, target)) && seen_from[target] == mark)
        {
          mark_merged (view, net.source, target);
          continue;
        }
      seen_from[target] = mark;

      /* What is as it was stays a line or a stub, and what is new follows it. */
      drawn = drawn_before (self, &reads[i]);
      drawn = drawn == DRAWN_NOT ? all : drawn;
      span = MAX (place[target], place[net.source]) - MIN (place[target], place[net.source]);
      if ((drawn == DRAWN_AS_STUB ||
           (drawn == DRAWN_NOT && (n > MAX_READERS || span > max_span))) &&
          (self->drawn == NULL || !self->drawn[net.value]))
        {
          AssayViewStub stub = { .box = target, .value = net.value, .other = net.source };

          g_array_append_val (view->stubs, stub);
          n_far++;
        }
      else
        {
          AssayViewEdge edge = { .net = view->nets->len, .target = target };

          g_array_append_val (view->edges, edge);
        }
    }

  net.n_edges = view->edges->len - net.first_edge;
  if (n_far > 0)
    {
      AssayViewStub stub = {
        .box = net.source, .value = net.value, .other = ASSAY_NO_BOX, .count = n_far
      };

      g_array_append_val (view->stubs, stub);
    }
  if (net.n_edges > 0)
    g_array_append_val (view->nets, net);
}

static void
add_nets (Builder *self)
{
  AssayView *view = self->view;
  g_autofree guint32 *place = find_places (self);
  g_autofree guint32 *seen_from = g_new0 (guint32, view->boxes->len + 1);
  Read *reads = (Read *) (void *) self->reads->data;
  guint n = 0;

  qsort (reads, self->reads->len, sizeof *reads, compare_reads);
  for (guint i = 0; i < self->reads->len; i++)
    if (n == 0 || compare_reads (&reads[n - 1], &reads[i]) != 0)
      reads[n++] = reads[i];

  for (guint i = 0; i < n;)
    {
      guint end = i + 1;

      while (end < n && reads[end].source == reads[i].source &&
             reads[end].value == reads[i].value && reads[end].flags == reads[i].flags)
        end++;
      add_net (self, &reads[i], end - i, place, seen_from);
      i = end;
    }

  for (guint32 i = view->nets->len; i-- > 0;)
    {
      AssayViewBox *box = assay_view_box (view, assay_view_net (view, i)->source);

      box->first_net = i;
      box->n_nets++;
    }
}

static int
compare_levels (gconstpointer a, gconstpointer b, gpointer levels)
{
  guint32 ia = *(const guint32 *) a;
  guint32 ib = *(const guint32 *) b;
  double la = ((const double *) levels)[ia];
  double lb = ((const double *) levels)[ib];

  if (la != lb)
    return la < lb ? -1 : 1;

  return ia < ib ? -1 : 1;
}

/* Puts boxes into another order, and turns round the lines that would lead from a later one to an
 * earlier one. */
static void
sort_boxes (Builder *self, const double *levels)
{
  AssayView *view = self->view;
  guint32 n = view->boxes->len;
  g_autofree guint32 *order = g_new (guint32, n + 1);
  g_autofree guint32 *place = g_new (guint32, n + 1);
  g_autoptr (GArray) boxes = g_steal_pointer (&view->boxes);

  for (guint32 i = 0; i < n; i++)
    order[i] = i;
  g_qsort_with_data (order, (int) n, sizeof *order, compare_levels, (gpointer) levels);
  view->boxes = g_array_sized_new (FALSE, TRUE, sizeof (AssayViewBox), n);
  for (guint32 i = 0; i < n; i++)
    {
      g_array_append_vals (view->boxes, &g_array_index (boxes, AssayViewBox, order[i]), 1);
      place[order[i]] = i;
    }

  for (AssayNodeId id = 0; id < assay_graph_n_nodes (self->graph); id++)
    if (view->node_box[id] != 0)
      view->node_box[id] = place[view->node_box[id] - 1] + 1;
  for (guint i = 0; i < view->stubs->len; i++)
    {
      AssayViewStub *stub = &g_array_index (view->stubs, AssayViewStub, i);

      stub->box = place[stub->box];
    }
  for (guint i = 0; i < self->reads->len; i++)
    {
      Read *read = &g_array_index (self->reads, Read, i);
      guint32 source = place[read->source];
      guint32 target = place[read->target];

      read->source = MIN (source, target);
      read->target = MAX (source, target);
      read->flags ^= source > target ? ASSAY_NET_REVERSED : 0;
    }
}

/**
 * assay_view_build:
 * @self: an empty view
 * @options: which part to show
 * @levels: (nullable): per box, in the order of the program, how far down it is to stand; lines
 * lead downward
 *
 * Makes boxes, nets, edges and stubs, without places.
 */
void
assay_view_build (AssayView *self, const AssayViewOptions *options, const double *levels)
{
  Builder builder = {
    .view = self, .graph = self->verdicts->graph, .open = options->open, .drawn = options->drawn
  };

  find_shown (&builder);
  add_boxes (&builder);
  find_anchors (&builder);
  add_reads (&builder);
  if (levels != NULL)
    sort_boxes (&builder, levels);
  if (options->before != NULL)
    builder.same = assay_view_match (self, options->before);
  self->has_groups = self->boxes->len <= MAX_BOXES_IN_GROUPS;
  if (builder.same != NULL)
    {
      builder.before = options->before;
      self->has_groups = options->before->has_groups;
      list_stubs_before (&builder);
    }
  add_nets (&builder);

  g_array_unref (builder.reads);
  g_clear_pointer (&builder.were_stubs, g_hash_table_unref);
  g_free (builder.same);
  g_free (builder.shown);
  g_free (builder.scope_box);
  g_free (builder.digest);
  g_free (builder.value_box);
  g_free (builder.anchor);
}
