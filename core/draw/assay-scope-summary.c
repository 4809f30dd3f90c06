/* assay-scope-summary.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "draw/assay-scope-summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Characters of the small font in the room beside a box. */
#define MAX_CHARACTERS 36

/* An operator type in a folded scope. */
typedef struct
{
  guint32 box;
  guint32 count;
  AssayNodeId first;
} Operators;

static int
compare_operators (const void *a,
                   const void *b)
{
  const Operators *oa = a;
  const Operators *ob = b;

  if (oa->box != ob->box)
    return oa->box < ob->box ? -1 : 1;
  if (oa->count != ob->count)
    return oa->count > ob->count ? -1 : 1;

  return oa->first < ob->first ? -1 : oa->first > ob->first;
}

/* The box of a folded scope that a node is in. */
static guint32
folded_box (const AssayView *view,
            AssayNodeId      node)
{
  guint32 box = view->node_box[node];

  return box != 0 && !view->tree->is_chip[node] && assay_view_box (view, box - 1)->kind == ASSAY_BOX_SCOPE
           ? box - 1 : ASSAY_NO_BOX;
}

static GArray *
count_operators (const AssayView *view)
{
  const AssayGraph *graph = view->verdicts->graph;
  GArray *all = g_array_new (FALSE, FALSE, sizeof (Operators));
  g_autoptr (GHashTable) numbers = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      const char *type = assay_graph_node (graph, id)->op_type;
      guint32 box = folded_box (view, id);
      guint number, index;
      gint64 key;

      if (box == ASSAY_NO_BOX)
        continue;
      number = GPOINTER_TO_UINT (g_hash_table_lookup (numbers, type));
      if (number == 0)
        {
          number = g_hash_table_size (numbers) + 1;
          g_hash_table_insert (numbers, (gpointer) type, GUINT_TO_POINTER (number));
        }
      key = (gint64) box << 32 | number;
      index = GPOINTER_TO_UINT (g_hash_table_lookup (known, &key));
      if (index == 0)
        {
          Operators fresh = { .box = box, .first = id };

          g_array_append_val (all, fresh);
          index = all->len;
          g_hash_table_insert (known, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (index));
        }
      g_array_index (all, Operators, index - 1).count++;
    }
  qsort (all->data, all->len, sizeof (Operators), compare_operators);

  return all;
}

/* As many operators as two lines have room for; the rest is told by its number. */
static void
write_operators (const AssayGraph *graph,
                 const Operators  *operators,
                 guint             n,
                 char            **lines)
{
  GString *text[2] = { g_string_new (NULL), g_string_new (NULL) };
  guint line = 0;

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *more = i + 1 < n ? g_strdup_printf (", %u more types", n - i) : g_strdup ("");
      g_autofree char *entry = g_strdup_printf ("%u %s", operators[i].count,
                                                assay_graph_node (graph, operators[i].first)->op_type);
      gsize room = line == 0 ? MAX_CHARACTERS : MAX_CHARACTERS - strlen (more);

      if (text[line]->len > 0 && text[line]->len + 2 + strlen (entry) > room)
        {
          if (line == 1)
            {
              g_string_append_printf (text[line], ", %u more %s", n - i, n - i == 1 ? "type" : "types");
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

/* How large the constants are that each folded scope reads; what it reads twice counts once. */
static void
add_weights (const AssayView *view,
             double          *sums)
{
  const AssayGraph *graph = view->verdicts->graph;
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      const AssayNode *node = assay_graph_node (graph, id);
      guint32 box = folded_box (view, id);

      for (guint k = 0; box != ASSAY_NO_BOX && k < node->n_inputs; k++)
        {
          gint64 key = (gint64) box << 32 | node->inputs[k];
          const AssayType *type;
          gsize n;

          if (node->inputs[k] == ASSAY_NO_VALUE || !assay_graph_is_constant (graph, node->inputs[k]))
            continue;
          type = assay_graph_value (graph, node->inputs[k])->type;
          if (assay_type_count (type, &n) && g_hash_table_add (seen, g_memdup2 (&key, sizeof key)))
            sums[box] += (double) n * assay_dtype_bits (type->dtype) / 8;
        }
    }
}

static void
add_values (const AssayView    *view,
            const AssayOverlay *overlay,
            double             *sums)
{
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (view->verdicts->graph); id++)
    {
      guint32 box = folded_box (view, id);

      if (box != ASSAY_NO_BOX && isfinite (overlay->value_of_node[id]))
        sums[box] += overlay->value_of_node[id];
    }
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
assay_scope_summary_new (const AssayView    *view,
                         const AssayOverlay *overlay)
{
  AssayScopeSummary *self = g_new0 (AssayScopeSummary, 1);
  g_autoptr (GArray) operators = count_operators (view);
  const Operators *all = (const Operators *) (const void *) operators->data;
  g_autofree double *sums = g_new0 (double, view->boxes->len + 1);
  gboolean is_sum = overlay != NULL && assay_overlay_has_sums (overlay);

  self->n_boxes = view->boxes->len;
  self->lines = g_new0 (char *, (gsize) self->n_boxes * ASSAY_SUMMARY_LINES + 1);
  if (is_sum)
    add_values (view, overlay, sums);
  else
    add_weights (view, sums);

  for (guint i = 0, end; i < operators->len; i = end)
    {
      char **lines = self->lines + (gsize) all[i].box * ASSAY_SUMMARY_LINES;
      guint last;

      for (end = i + 1; end < operators->len && all[end].box == all[i].box; end++)
        ;
      write_operators (view->verdicts->graph, all + i, end - i, lines);
      last = lines[1] != NULL ? 2 : 1;
      if (is_sum)
        lines[last] = assay_overlay_format_sum (overlay, sums[all[i].box]);
      else if (sums[all[i].box] > 0)
        {
          g_autofree char *size = g_format_size_full ((guint64) sums[all[i].box], G_FORMAT_SIZE_IEC_UNITS);

          lines[last] = g_strdup_printf ("%s of weights", size);
        }
    }

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
assay_scope_summary_get (const AssayScopeSummary *self,
                         guint32                  box,
                         guint                    line)
{
  return box < self->n_boxes && line < ASSAY_SUMMARY_LINES ? self->lines[box * ASSAY_SUMMARY_LINES + line] : NULL;
}
