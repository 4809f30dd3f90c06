/* assay-scope-summary.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "draw/assay-scope-summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/assay-sentence.h"

/* Characters of the small font in the room beside a box. */
#define MAX_CHARACTERS 36

/* An operator type in a folded scope. */
typedef struct
{
  guint32 count;
  AssayNodeId first;
} Operators;

/* The nodes of folded scopes, box by box in the order of the program, and where those of each box
 * begin. */
typedef struct
{
  const AssayView *view;
  const AssayGraph *graph;
  guint32 *start;
  AssayNodeId *nodes;
  guint32 *number; /* per node: that of its operator type */
  guint32 n_numbers;
} Contents;

static int
compare_operators (const void *a, const void *b)
{
  const Operators *oa = a;
  const Operators *ob = b;

  if (oa->count != ob->count)
    return oa->count > ob->count ? -1 : 1;

  return oa->first < ob->first ? -1 : oa->first > ob->first;
}

/* The box of a folded scope that a node is in. */
static guint32
folded_box (const AssayView *view, AssayNodeId node)
{
  guint32 box = view->node_box[node];

  return box != 0 && !view->tree->is_chip[node] &&
                 assay_view_box (view, box - 1)->kind == ASSAY_BOX_SCOPE
             ? box - 1
             : ASSAY_NO_BOX;
}

static void
contents_clear (Contents *self)
{
  g_free (self->start);
  g_free (self->nodes);
  g_free (self->number);
}

static void
list_contents (Contents *self)
{
  guint32 n_nodes = assay_graph_n_nodes (self->graph);
  guint32 n_boxes = self->view->boxes->len;
  g_autofree guint32 *filled = g_new0 (guint32, n_boxes + 1);

  self->start = g_new0 (guint32, n_boxes + 2);
  self->nodes = g_new (AssayNodeId, n_nodes + 1);
  for (AssayNodeId id = 1; id < n_nodes; id++)
    {
      guint32 box = folded_box (self->view, id);

      if (box != ASSAY_NO_BOX)
        self->start[box + 1]++;
    }
  for (guint32 b = 0; b < n_boxes; b++)
    self->start[b + 1] += self->start[b];
  for (AssayNodeId id = 1; id < n_nodes; id++)
    {
      guint32 box = folded_box (self->view, id);

      if (box != ASSAY_NO_BOX)
        self->nodes[self->start[box] + filled[box]++] = id;
    }
}

/* The same text mostly is the same pointer, which is found faster. */
static void
number_types (Contents *self)
{
  g_autoptr (GHashTable) pointers = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) texts = g_hash_table_new (g_str_hash, g_str_equal);
  guint32 n_nodes = assay_graph_n_nodes (self->graph);

  self->number = g_new0 (guint32, n_nodes + 1);
  for (AssayNodeId id = 1; id < n_nodes; id++)
    {
      const char *type = assay_graph_node (self->graph, id)->op_type;
      guint number = GPOINTER_TO_UINT (g_hash_table_lookup (pointers, type));

      if (number == 0)
        {
          number = GPOINTER_TO_UINT (g_hash_table_lookup (texts, type));
          if (number == 0)
            {
              number = ++self->n_numbers;
              g_hash_table_insert (texts, (gpointer) type, GUINT_TO_POINTER (number));
            }
          g_hash_table_insert (pointers, (gpointer) type, GUINT_TO_POINTER (number));
        }
      self->number[id] = number - 1;
    }
}

/* The operator types of a box; @places has one number per type, all 0, and gets them back like
 * that. */
static void
count_operators (const Contents *self, guint32 box, guint32 *places, GArray *operators)
{
  g_array_set_size (operators, 0);
  for (guint32 i = self->start[box]; i < self->start[box + 1]; i++)
    {
      guint32 *place = &places[self->number[self->nodes[i]]];

      if (*place == 0)
        {
          Operators fresh = { .first = self->nodes[i] };

          g_array_append_val (operators, fresh);
          *place = operators->len;
        }
      g_array_index (operators, Operators, *place - 1).count++;
    }
  for (guint i = 0; i < operators->len; i++)
    places[self->number[g_array_index (operators, Operators, i).first]] = 0;
  qsort (operators->data, operators->len, sizeof (Operators), compare_operators);
}

/* As many operators as two lines have room for; the rest is told by its number. */
static void
write_operators (const AssayGraph *graph, const Operators *operators, guint n, char **lines)
{
  GString *text[2] = { g_string_new (NULL), g_string_new (NULL) };
  guint line = 0;

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *more = i + 1 < n ? g_strdup_printf (", %u more type%s", n - i,
                                                           assay_plural (n - i))
                                        : g_strdup ("");
      g_autofree char *entry = g_strdup_printf (
          "%u %s", operators[i].count, assay_graph_node (graph, operators[i].first)->op_type);
      gsize room = line == 0 ? MAX_CHARACTERS : MAX_CHARACTERS - strlen (more);

      if (text[line]->len > 0 && text[line]->len + 2 + strlen (entry) > room)
        {
          if (line == 1)
            {
              g_string_append_printf (text[line], ", %u more %s", n - i,
                                      n - i == 1 ? "type" : "types");
              break;
            }
          g_string_append_c (text[line++], ',');
        }
      if (text[line]->len > 0)
        g_string_append (text[line], ", ");
      g_string_append (text[line], entry);
    }
  for (guint i = 0; i < 2; i++)
    lines[i] = g_string_free (text[i], text[i]->len == 0);
}

/* How large the constants are that a folded scope reads; what it reads twice counts once. */
static double
sum_weights (const Contents *self, guint32 box, guint32 *reader)
{
  double sum = 0;

  for (guint32 i = self->start[box]; i < self->start[box + 1]; i++)
    {
      const AssayNode *node = assay_graph_node (self->graph, self->nodes[i]);

      for (guint k = 0; k < node->n_inputs; k++)
        {
          AssayValueId value = node->inputs[k];
          gsize n;

          if (value == ASSAY_NO_VALUE || reader[value] == box + 1 ||
              !assay_graph_is_constant (self->graph, value))
            continue;
          reader[value] = box + 1;
          if (assay_type_count (assay_graph_value (self->graph, value)->type, &n))
            sum += (double) n *
                   assay_dtype_bits (assay_graph_value (self->graph, value)->type->dtype) / 8;
        }
    }

  return sum;
}

static double
sum_values (const Contents *self, guint32 box, const AssayOverlay *overlay)
{
  double sum = 0;

  for (guint32 i = self->start[box]; i < self->start[box + 1]; i++)
    if (isfinite (overlay->value_of_node[self->nodes[i]]))
      sum += overlay->value_of_node[self->nodes[i]];

  return sum;
}

/**
 * assay_scope_summary_new:
 * @view: a view
 * @overlay: (nullable): what nodes are coloured by
 *
 * Says of each folded scope of a view what it holds.
 *
 * Returns: (transfer full): the summary
 */
AssayScopeSummary *
assay_scope_summary_new (const AssayView *view, const AssayOverlay *overlay)
{
  AssayScopeSummary *self = g_new0 (AssayScopeSummary, 1);
  Contents contents = { .view = view, .graph = view->verdicts->graph };
  g_autoptr (GArray) operators = g_array_new (FALSE, FALSE, sizeof (Operators));
  g_autofree guint32 *reader = g_new0 (guint32, assay_graph_n_values (contents.graph) + 1);
  g_autofree guint32 *places = NULL;
  gboolean is_sum = overlay != NULL && assay_overlay_has_sums (overlay);

  self->n_boxes = view->boxes->len;
  self->lines = g_new0 (char *, (gsize) self->n_boxes *ASSAY_SUMMARY_LINES + 1);
  list_contents (&contents);
  number_types (&contents);
  places = g_new0 (guint32, contents.n_numbers + 1);

  for (guint32 box = 0; box < self->n_boxes; box++)
    {
      char **lines = self->lines + (gsize) box * ASSAY_SUMMARY_LINES;
      double sum;
      guint last;

      if (contents.start[box + 1] == contents.start[box])
        continue;
      count_operators (&contents, box, places, operators);
      write_operators (contents.graph, (const Operators *) (const void *) operators->data,
                       operators->len, lines);
      last = lines[1] != NULL ? 2 : 1;
      sum = is_sum ? sum_values (&contents, box, overlay) : sum_weights (&contents, box, reader);
      if (is_sum)
        lines[last] = assay_overlay_format_sum (overlay, sum);
      else if (sum > 0)
        {
          g_autofree char *size = g_format_size_full ((guint64) sum, G_FORMAT_SIZE_IEC_UNITS);

          lines[last] = g_strdup_printf ("%s of weights", size);
        }
    }
  contents_clear (&contents);

  return self;
}

/**
 * assay_scope_summary_free:
 * @self: (nullable): a summary
 *
 * Frees a summary.
 */
void
assay_scope_summary_free (AssayScopeSummary *self)
{
  if (self == NULL)
    return;

  for (gsize i = 0; i < (gsize) self->n_boxes * ASSAY_SUMMARY_LINES; i++)
    g_free (self->lines[i]);
  g_free (self->lines);
  g_free (self);
}

/**
 * assay_scope_summary_get:
 * @self: a summary
 * @box: a box of its view
 * @line: a line, less than %ASSAY_SUMMARY_LINES
 *
 * Gets what a line beside a box says.
 *
 * Returns: (transfer none) (nullable): the text
 */
const char *
assay_scope_summary_get (const AssayScopeSummary *self, guint32 box, guint line)
{
  return box < self->n_boxes && line < ASSAY_SUMMARY_LINES
             ? self->lines[box * ASSAY_SUMMARY_LINES + line]
             : NULL;
}
