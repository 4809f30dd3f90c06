/* assay-split.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * A model as several that run one after the other, and where to split one that does not fit.
 * Nothing is reckoned: each part is built before it is named.
 */
#include "reduce/assay-split.h"

#include <string.h>

#include "backend/assay-program-metrics.h"
#include "base/assay-error.h"
#include "base/assay-file-write.h"
#include "base/assay-sentence.h"
#include "fix/assay-model-save.h"
#include "nnir/analysis/assay-analysis.h"
#include "nnir/assay-op.h"
#include "reduce/assay-extract.h"
#include "text/assay-shell.h"

/* Of more parts nobody wants to take care. */
#define MOST_PARTS 6

/* The nodes of the main graph in their order, from which parts take runs. */
typedef struct
{
  AssayGraph *graph;
  GArray *nodes;  /* AssayNodeId; of the graph */
  guint *place;   /* per node of the main graph its place in the order */
  guint8 *known;  /* per value whether it is made of constants only; every part makes its own */
  guint *last;    /* per value the place of its last reader, 0 for none */
  GArray *places; /* guint: behind which the rest reads one tensor of what was before */
} Line;

static void
line_clear (Line *self)
{
  g_free (self->place);
  g_free (self->known);
  g_free (self->last);
  g_clear_pointer (&self->places, g_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Line, line_clear)

static void
find_known (Line *self)
{
  const AssayGraph *graph = self->graph;

  for (AssayValueId id = 1; id < assay_graph_n_values (graph); id++)
    self->known[id] = assay_graph_is_constant (graph, id) ? 1 : 0;
  for (guint i = 0; i < self->nodes->len; i++)
    {
      const AssayNode *node = assay_graph_node (graph, g_array_index (self->nodes, AssayNodeId, i));
      gboolean known = node->n_inputs > 0 &&
                       (assay_op_get_info (node->op)->traits &
                        (ASSAY_OP_TRAIT_RANDOM | ASSAY_OP_TRAIT_REGIONS)) == 0;

      for (guint j = 0; known && j < node->n_inputs; j++)
        known = node->inputs[j] == ASSAY_NO_VALUE || self->known[node->inputs[j]];
      for (guint j = 0; known && j < node->n_outputs; j++)
        self->known[node->outputs[j]] = 1;
    }
}

/* A result of the main graph that one part can hand to another. */
static gboolean
is_handed (const Line *self, AssayValueId id)
{
  const AssayValue *value = assay_graph_value (self->graph, id);

  return value->kind == ASSAY_VALUE_RESULT && value->region == ASSAY_MAIN_REGION &&
         !self->known[id];
}

static void
find_last_readers (Line *self)
{
  g_autoptr (AssayUses) uses = assay_uses_new (self->graph);

  for (AssayValueId id = 1; id < assay_graph_n_values (self->graph); id++)
    {
      guint n;
      const AssayNodeId *readers = assay_uses_get (uses, id, &n);

      for (guint i = 0; i < n; i++)
        self->last[id] = MAX (self->last[id],
                              self->place[assay_graph_main_node (self->graph, readers[i])]);
    }
}

static void
find_places (Line *self)
{
  g_autofree int *change = g_new0 (int, self->nodes->len + 1);
  int n = 0;

  for (AssayValueId id = 1; id < assay_graph_n_values (self->graph); id++)
    {
      guint made;

      if (!is_handed (self, id))
        continue;
      made = self->place[assay_graph_value (self->graph, id)->producer];
      if (self->last[id] > made)
        {
          change[made]++;
          change[self->last[id]]--;
        }
    }
  for (guint i = 0; i + 1 < self->nodes->len; i++)
    {
      guint behind = i + 1;

      n += change[i];
      if (n == 1)
        g_array_append_val (self->places, behind);
    }
}

static void
line_init (Line *self, AssayGraph *graph)
{
  self->graph = graph;
  self->nodes = assay_graph_region (graph, ASSAY_MAIN_REGION)->nodes;
  self->place = g_new0 (guint, assay_graph_n_nodes (graph));
  self->known = g_new0 (guint8, assay_graph_n_values (graph));
  self->last = g_new0 (guint, assay_graph_n_values (graph));
  self->places = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < self->nodes->len; i++)
    self->place[g_array_index (self->nodes, AssayNodeId, i)] = i;
  find_known (self);
  find_last_readers (self);
}

/* Outputs of the model that are made here, then what the parts behind read. What nobody makes, such
 * as a constant, is an output of the last part. */
static GArray *
list_ends (const Line *self, guint begin, guint end)
{
  const GArray *outputs = assay_graph_region (self->graph, ASSAY_MAIN_REGION)->outputs;
  g_autofree guint8 *listed = g_new0 (guint8, assay_graph_n_values (self->graph));
  GArray *ends = g_array_new (FALSE, FALSE, sizeof (AssayValueId));

  for (guint i = 0; i < outputs->len; i++)
    {
      AssayValueId id = g_array_index (outputs, AssayValueId, i);
      guint made = is_handed (self, id) ? self->place[assay_graph_value (self->graph, id)->producer]
                                        : self->nodes->len - 1;

      if (made < begin || made >= end)
        continue;
      g_array_append_val (ends, id);
      listed[id] = 1;
    }
  for (AssayValueId id = 1; id < assay_graph_n_values (self->graph); id++)
    {
      guint made;

      if (!is_handed (self, id) || listed[id])
        continue;
      made = self->place[assay_graph_value (self->graph, id)->producer];
      if (made >= begin && made < end && self->last[id] >= end)
        g_array_append_val (ends, id);
    }

  return ends;
}

/* The nodes from a place to another as a model. */
static AssayGraph *
take_part (const Line *self, guint begin, guint end, const AssayProgress *progress, GError **error)
{
  g_autofree guint8 *kept = g_new0 (guint8, assay_graph_n_nodes (self->graph));
  g_autoptr (GArray) ends = list_ends (self, begin, end);

  for (guint i = 0; i < self->nodes->len; i++)
    {
      AssayNodeId id = g_array_index (self->nodes, AssayNodeId, i);
      AssayValueId output = assay_node_output (assay_graph_node (self->graph, id), 0);

      kept[id] = (i >= begin && i < end) || (output != ASSAY_NO_VALUE && self->known[output]);
    }

  return assay_graph_extract_between (self->graph, kept, ends, NULL, progress, error);
}

/* The place behind a node. */
static gboolean
find_behind (const Line *self, const char *name, guint begin, guint *behind, GError **error)
{
  for (guint i = 0; i < self->nodes->len; i++)
    {
      const AssayNode *node = assay_graph_node (self->graph,
                                                g_array_index (self->nodes, AssayNodeId, i));

      if (g_strcmp0 (node->name, name) != 0)
        continue;
      *behind = i + 1;
      if (*behind > begin && *behind < self->nodes->len)
        return TRUE;
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "node \"%s\": %s", name,
                   *behind > begin ? "it is the last one, nothing would follow"
                                   : "the model is split behind it or a later one already");
      return FALSE;
    }

  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "the main graph has no node \"%s\"", name);
  return FALSE;
}

/**
 * assay_graph_split: (skip)
 * @graph: a graph
 * @nodes: (array zero-terminated=1): names of nodes of the main graph, in its order
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Makes several models of one, each of which ends behind one of @nodes in the order of the graph,
 * and the last with it. What a part reads of those before it is an output there and an input here,
 * of the same name; run one after the other they compute what the model does.
 *
 * Returns: (transfer full) (nullable) (element-type AssayGraph): the models, or %NULL with
 * %ASSAY_ERROR_INVALID or %ASSAY_ERROR_CANCELLED
 */
GPtrArray *
assay_graph_split (AssayGraph *graph, const char *const *nodes, const AssayProgress *progress,
                   GError **error)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_graph_unref);
  g_auto (Line) line = { 0 };
  guint begin = 0;

  line_init (&line, graph);
  for (guint i = 0; begin < line.nodes->len; i++)
    {
      guint end = line.nodes->len;
      AssayGraph *part;

      if (nodes[i] != NULL && !find_behind (&line, nodes[i], begin, &end, error))
        return NULL;
      part = take_part (&line, begin, end, progress, error);
      if (part == NULL)
        return NULL;
      g_ptr_array_add (parts, part);
      begin = end;
    }

  return g_steal_pointer (&parts);
}

/**
 * assay_split_name_part:
 * @path: a file
 * @part: index of a part
 *
 * Names the file of a part: `model.onnx` has `model-1.onnx` first.
 *
 * Returns: (transfer full): its path
 */
char *
assay_split_name_part (const char *path, guint part)
{
  const char *name = strrchr (path, G_DIR_SEPARATOR), *dot;

  name = name != NULL ? name + 1 : path;
  dot = strrchr (name, '.');
  if (dot == NULL || dot == name)
    return g_strdup_printf ("%s-%u", path, part + 1);

  return g_strdup_printf ("%.*s-%u%s", (int) (dot - path), path, part + 1, dot);
}

/**
 * assay_split_save:
 * @graph: a graph
 * @nodes: (array zero-terminated=1): as for assay_graph_split()
 * @path: what the files of the parts are named after, see assay_split_name_part()
 * @told: (nullable): gets a line for each file
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Saves each part of a model as assay_model_save() does, all of them or none.
 *
 * Returns: whether they are saved
 */
gboolean
assay_split_save (AssayGraph *graph, const char *const *nodes, const char *path, GString *told,
                  const AssayProgress *progress, GError **error)
{
  g_autoptr (GPtrArray) parts = assay_graph_split (graph, nodes, progress, error);
  g_autoptr (AssayFileGroup) files = assay_file_group_new ();
  gboolean saved = parts != NULL;

  assay_file_group_enter (files);
  for (guint i = 0; saved && i < parts->len; i++)
    {
      AssayProgress part = assay_progress_part (progress, (double) i / parts->len,
                                                (i + 1.0) / parts->len);
      g_autofree char *name = assay_split_name_part (path, i);
      g_auto (AssayModelSave) result = { 0 };
      g_autofree char *proof = NULL;

      saved = assay_model_save (g_ptr_array_index (parts, i), name, &part, &result, error);
      proof = saved ? assay_model_save_describe (&result) : NULL;
      if (saved && told != NULL)
        g_string_append_printf (told, "%s: opset %" G_GINT64_FORMAT ". %s\n", name, result.opset,
                                proof);
    }
  assay_file_group_leave (files);

  return saved && assay_file_group_commit (files, error);
}

/* What is looked for with what. */
typedef struct
{
  AssayWork *work;
  AssayConfig *config;     /* (nullable) */
  AssaySettings *settings; /* of the program */
  const AssayAllocation *allocation;
  const AssayProgress *progress;
  Line line;
  guint32 n_free; /* of the fullest part */
} Search;

static gboolean
fits (const Search *self, guint begin, guint end, guint32 *n_free)
{
  g_autoptr (AssayGraph) part = take_part (&self->line, begin, end, self->progress, NULL);
  g_autoptr (AssayWork) work = NULL;
  g_autoptr (AssayProgramMetrics) metrics = NULL;

  if (part == NULL)
    return FALSE;
  work = assay_work_new_for_graph (NULL, part, assay_work_get_target (self->work),
                                   assay_work_get_settings (self->work));
  if (!assay_work_build (&work, 1, self->config, self->settings, self->progress, NULL))
    return FALSE;

  metrics = assay_program_metrics_new (assay_work_get_program (work, self->progress, NULL));
  *n_free = assay_program_metrics_count_free (metrics, self->allocation->member);
  return TRUE;
}

/* Up to which place the longest part goes that fits, as halving finds it; 0 for none. The whole
 * rest is looked at first, but where that is the model. */
static guint
find_end (Search *self, guint begin)
{
  const GArray *places = self->line.places;
  guint low = 0, high, end = 0;
  guint32 n_free, n_least = 0;

  if (begin > 0 && fits (self, begin, self->line.nodes->len, &n_free))
    {
      self->n_free = MIN (self->n_free, n_free);
      return self->line.nodes->len;
    }

  while (low < places->len && g_array_index (places, guint, low) <= begin)
    low++;
  for (high = places->len; low < high && !assay_progress_is_cancelled (self->progress);)
    {
      guint middle = low + (high - low) / 2;
      guint place = g_array_index (places, guint, middle);

      if (fits (self, begin, place, &n_free))
        {
          end = place;
          n_least = n_free;
          low = middle + 1;
        }
      else
        high = middle;
    }
  if (end > 0)
    self->n_free = MIN (self->n_free, n_least);

  return end;
}

static void
add_way (const Search *self, AssayAllocation *allocation, const GArray *ends, AssayWayFunc found,
         gpointer data)
{
  g_autoptr (GString) names = g_string_new (NULL);
  g_autoptr (GString) words = g_string_new (NULL);
  GString *option = g_string_new ("assay show");
  const AssayWayOut *way;

  for (guint i = 0; i < ends->len; i++)
    {
      AssayNodeId id = g_array_index (self->line.nodes, AssayNodeId,
                                      g_array_index (ends, guint, i) - 1);
      const char *name = assay_graph_node (self->line.graph, id)->name;

      g_string_append_printf (names, i == 0 ? "%s" : "\n%s", name);
      g_string_append (words, i == 0 ? "" : i + 1 < ends->len ? ", " : " and ");
      g_string_append (words, name);
      g_string_append (option, " --split ");
      assay_shell_append (option, name);
    }
  g_string_append (option, " -o part.onnx");

  way = assay_allocation_add_way_out (
      allocation, ASSAY_WAY_SPLIT, ends->len + 1, names->str,
      g_strdup_printf ("split into %u model%s, behind %s", ends->len + 1,
                       assay_plural (ends->len + 1), words->str),
      g_string_free (option, FALSE), assay_allocation_shortage (allocation) + self->n_free);
  if (found != NULL)
    found (way, data);
}

/**
 * assay_work_find_split:
 * @self: work of which no program can be made because it does not fit
 * @config: (nullable): the hardware that it was built for, as for assay_work_build()
 * @settings: (nullable): what concerned the whole program
 * @allocation: why; gets the way out
 * @found: (nullable) (scope call): is told of it
 * @data: for @found
 * @progress: (nullable): cancel
 *
 * Looks for a few models that each fit and compute one after the other what this one does. Each is
 * the longest that fits behind the one before, and hands one tensor on. A model that streams is not
 * split: which axis of that tensor is time is not known.
 */
void
assay_work_find_split (AssayWork *self, AssayConfig *config, AssaySettings *settings,
                       AssayAllocation *allocation, AssayWayFunc found, gpointer data,
                       const AssayProgress *progress)
{
  AssayGraph *graph = assay_work_get_graph (self, progress, NULL);
  g_autoptr (AssaySettings) searched = settings != NULL ? assay_settings_ref (settings) : NULL;
  g_autoptr (GArray) ends = g_array_new (FALSE, FALSE, sizeof (guint));
  Search search = { self, config, NULL, allocation, progress, { 0 }, G_MAXUINT32 };
  guint n_axes, end = 0;

  assay_settings_get_axes (assay_work_get_settings (self), &n_axes);
  if (graph == NULL || n_axes > 0)
    return;

  /* What fits on all cores fits whatever the search finds better. */
  assay_settings_set_flag (&searched, ASSAY_SETTING_DISABLE_OPTIMIZATIONS, TRUE);
  search.settings = searched;
  line_init (&search.line, graph);
  find_places (&search.line);
  assay_progress_report (progress, -1, "looking for a split");
  for (guint i = 0; i < MOST_PARTS && end < search.line.nodes->len; i++)
    {
      end = find_end (&search, end);
      if (end == 0 || assay_progress_is_cancelled (progress))
        break;
      if (end < search.line.nodes->len)
        g_array_append_val (ends, end);
    }
  if (end == search.line.nodes->len && !assay_progress_is_cancelled (progress))
    add_way (&search, allocation, ends, found, data);
  line_clear (&search.line);
}
