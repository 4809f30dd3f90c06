/* assay-reduce.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Delta debugging over the nodes of a model (Zeller and Hildebrandt, Simplifying and Isolating
 * Failure-Inducing Input, 2002), and over the extents and values of its inputs.
 */
#include "reduce/assay-reduce.h"

#include <string.h>

#include "base/assay-error.h"
#include "evaluate/assay-evaluate.h"
#include "nnir/analysis/assay-streaming.h"
#include "reduce/assay-extract.h"
#include "reduce/assay-shrink.h"
#include "run/assay-gpu.h"

/* How much of what the model computes on the way is kept to be tried again. */
#define KEPT_BYTES ((gsize) 512 << 20)

typedef struct
{
  AssayWork *work; /* the model */
  AssayGraph *graph;
  AssayWork *opened; /* (nullable): holds both where a branch has taken the place of an If */
  const AssaySymptom *symptom;
  GHashTable *inputs;
  const AssayProgress *progress;
  guint max_tries;
  int *axes;         /* (nullable) per value that over which it streams, or -1 */
  GHashTable *known; /* AssayValueId to AssayTensor */
  gsize known_bytes;
  GArray *nodes; /* those that can be left out */
  AssayReduction *best;
  guint8 *kept; /* per node, of @best */
  GError *error;
} Search;

void
assay_reduction_free (AssayReduction *self)
{
  g_clear_pointer (&self->work, assay_work_free);
  g_clear_pointer (&self->inputs, g_hash_table_unref);
  g_free (self->seen);
  g_free (self);
}

static void
search_clear (Search *self)
{
  g_clear_pointer (&self->inputs, g_hash_table_unref);
  g_clear_pointer (&self->known, g_hash_table_unref);
  g_clear_pointer (&self->nodes, g_array_unref);
  g_clear_pointer (&self->best, assay_reduction_free);
  g_clear_pointer (&self->opened, assay_work_free);
  g_clear_error (&self->error);
  g_free (self->axes);
  g_free (self->kept);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Search, search_clear)

/* What streams in the model streams in a part of it. A model that cannot be traced as it was
 * imported is looked at without; the symptom then says whether that is the same. */
static int *
trace_axes (AssayGraph *graph, AssaySettings *settings)
{
  g_autoptr (AssayStreaming) streaming = NULL;
  const int *axes;
  guint n;

  axes = assay_settings_get_axes (settings, &n);
  if (n == 0)
    return NULL;
  streaming = assay_graph_trace_streaming (graph, axes, n, NULL);

  return streaming != NULL ? g_steal_pointer (&streaming->axes) : NULL;
}

/* Names of nodes and inputs that are gone cannot be named any more, sizes are those of the graph,
 * and the axes go by the place of an input. */
static AssaySettings *
adapt_settings (Search *self, AssayGraph *graph)
{
  static const AssaySetting dropped[] = { ASSAY_SETTING_BIND, ASSAY_SETTING_SHAPES };
  static const AssaySetting named[] = { ASSAY_SETTING_KEEP_FP32, ASSAY_SETTING_PIN,
                                        ASSAY_SETTING_DATA_DIM };
  AssaySettings *settings = assay_settings_ref (assay_work_get_settings (self->work));
  const GArray *inputs = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs;
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) axes = g_hash_table_new (g_str_hash, g_str_equal);
  g_autofree int *list = NULL;
  guint n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (dropped); i++)
    assay_settings_set_list (&settings, dropped[i], NULL);
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    g_hash_table_add (names, (gpointer) assay_graph_node (graph, id)->name);
  for (guint i = 0; i < inputs->len; i++)
    g_hash_table_add (
        names, (gpointer) assay_graph_value (graph, g_array_index (inputs, AssayValueId, i))->name);
  for (guint i = 0; i < G_N_ELEMENTS (named); i++)
    {
      const char *const *old = assay_settings_get_list (settings, named[i]);
      g_autoptr (GStrvBuilder) left = g_strv_builder_new ();
      g_auto (GStrv) values = NULL;

      for (guint j = 0; old != NULL && old[j] != NULL; j++)
        {
          g_auto (GStrv) parts = g_strsplit (old[j], "=", 2);

          if (g_hash_table_contains (names, parts[0]))
            g_strv_builder_add (left, old[j]);
        }
      values = g_strv_builder_end (left);
      assay_settings_set_list (&settings, named[i], (const char *const *) values);
    }

  if (self->axes == NULL)
    return settings;
  for (AssayValueId id = 1; id < assay_graph_n_values (self->graph); id++)
    g_hash_table_insert (axes, (gpointer) assay_graph_value (self->graph, id)->name,
                         GINT_TO_POINTER (self->axes[id]));
  list = g_new (int, inputs->len);
  for (guint i = 0; i < inputs->len; i++)
    {
      const AssayValue *value = assay_graph_value (graph, g_array_index (inputs, AssayValueId, i));

      if (!value->is_parameter)
        list[n++] = GPOINTER_TO_INT (g_hash_table_lookup (axes, value->name));
    }
  assay_settings_set_axes (&settings, list, n);

  return settings;
}

/* What a model computes on the way. */
typedef struct
{
  Search *search;
  GHashTable *wanted; /* AssayValueId */
} Recording;

static gboolean
record (AssayEvaluator *evaluator, AssayNodeId node, guint output, AssayDatum **datum,
        gpointer user_data, GError **error)
{
  Recording *self = user_data;
  AssayValueId id = assay_node_output (
      assay_graph_node (assay_evaluator_get_graph (evaluator), node), output);
  AssayTensor *tensor;

  if ((*datum)->kind != ASSAY_DATUM_TENSOR ||
      !g_hash_table_contains (self->wanted, GUINT_TO_POINTER (id)))
    return TRUE;
  tensor = assay_datum_to_tensor (*datum, FALSE, error);
  if (tensor == NULL)
    return FALSE;
  self->search->known_bytes += assay_tensor_get_n_bytes (tensor);
  g_hash_table_insert (self->search->known, GUINT_TO_POINTER (id), tensor);

  return TRUE;
}

/* Runs the model for those of the values that are not known. */
static gboolean
record_values (Search *self, const GArray *values, GError **error)
{
  g_autoptr (GHashTable) wanted = g_hash_table_new (NULL, NULL);
  Recording recording = { self, wanted };
  AssayEvaluateOptions options = ASSAY_EVALUATE_OPTIONS_DEFAULT;
  g_autofree gpointer *names = NULL;
  g_autoptr (GPtrArray) tensors = g_ptr_array_new ();
  g_autoptr (GPtrArray) outputs = NULL;
  guint n;

  if (self->known_bytes > KEPT_BYTES)
    {
      g_hash_table_remove_all (self->known);
      self->known_bytes = 0;
    }
  for (guint i = 0; i < values->len; i++)
    {
      gpointer id = GUINT_TO_POINTER (g_array_index (values, AssayValueId, i));

      if (!g_hash_table_contains (self->known, id))
        g_hash_table_add (wanted, id);
    }
  if (g_hash_table_size (wanted) == 0)
    return TRUE;

  names = g_hash_table_get_keys_as_array (self->inputs, &n);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (tensors, g_hash_table_lookup (self->inputs, names[i]));
  options.observer = record;
  options.observer_data = &recording;
  outputs = assay_evaluate_graph (self->graph, &options, n, (const char *const *) names,
                                  (AssayTensor *const *) tensors->pdata, self->progress, error);

  return outputs != NULL;
}

/* Values of the inputs of a part of the model. */
static GHashTable *
list_inputs (Search *self, AssayGraph *part, const GArray *border)
{
  GHashTable *inputs = assay_reduce_inputs_new ();
  const GArray *ids = assay_graph_region (part, ASSAY_MAIN_REGION)->inputs;

  for (guint i = 0; i < ids->len; i++)
    {
      const char *name = assay_graph_value (part, g_array_index (ids, AssayValueId, i))->name;
      AssayTensor *tensor = g_hash_table_lookup (self->inputs, name);

      for (guint j = 0; j < border->len && tensor == NULL; j++)
        {
          AssayValueId id = g_array_index (border, AssayValueId, j);

          if (g_str_equal (assay_graph_value (self->graph, id)->name, name))
            tensor = g_hash_table_lookup (self->known, GUINT_TO_POINTER (id));
        }
      if (tensor != NULL)
        g_hash_table_insert (inputs, g_strdup (name), assay_tensor_ref (tensor));
    }

  return inputs;
}

static gboolean
is_over (Search *self)
{
  return self->error != NULL || self->best->n_tries >= self->max_tries;
}

/* Whether a model shows the same; the better one is kept. */
static gboolean
try_model (Search *self, AssayGraph *graph, AssaySettings *settings, GHashTable *inputs)
{
  g_autoptr (AssayWork) work = assay_work_with_graph (self->work, graph, settings);
  g_autofree char *seen = NULL;

  self->best->n_tries++;
  seen = assay_symptom_observe (self->symptom, work, inputs, self->best->seen, self->progress,
                                &self->error);
  if (seen == NULL)
    return FALSE;

  /* The inputs may be those that the best has now. */
  g_hash_table_ref (inputs);
  g_hash_table_unref (self->best->inputs);
  self->best->inputs = inputs;
  assay_work_free (self->best->work);
  self->best->work = g_steal_pointer (&work);

  return TRUE;
}

static guint
count_kept (const Search *self, const guint8 *kept)
{
  guint n = 0;

  for (guint i = 0; i < self->nodes->len; i++)
    n += kept[g_array_index (self->nodes, AssayNodeId, i)];

  return n;
}

/* What cannot be made a model of, or cannot be run, does not show it. */
static gboolean
try_nodes (Search *self, const guint8 *kept)
{
  g_autoptr (GArray) border = NULL;
  g_autoptr (AssayGraph) part = NULL;
  g_autoptr (AssaySettings) settings = NULL;
  g_autoptr (GHashTable) inputs = NULL;
  g_autoptr (GError) cause = NULL;
  guint n = count_kept (self, kept);

  if (is_over (self) || n == 0)
    return FALSE;
  border = assay_graph_list_border (self->graph, kept);
  if (!self->symptom->kind->runs || record_values (self, border, &cause))
    part = assay_graph_extract (self->graph, kept, self->known, self->progress, &cause);
  if (part == NULL)
    {
      if (g_error_matches (cause, ASSAY_ERROR, ASSAY_ERROR_CANCELLED))
        self->error = g_steal_pointer (&cause);
      return FALSE;
    }
  settings = adapt_settings (self, part);
  inputs = list_inputs (self, part, border);
  if (!try_model (self, part, settings, inputs))
    return FALSE;

  memcpy (self->kept, kept, assay_graph_n_nodes (self->graph));
  self->best->n_nodes = n;
  assay_progress_report (self->progress, 1.0 - (double) n / (double) self->best->n_nodes_before,
                         "Leaving out nodes");

  return TRUE;
}

/* Tries with the nodes that are kept now but for those from @begin to @end among them. */
static gboolean
try_without (Search *self, guint begin, guint end)
{
  g_autofree guint8 *kept = g_memdup2 (self->kept, assay_graph_n_nodes (self->graph));
  guint n = 0;

  for (guint i = 0; i < self->nodes->len; i++)
    {
      AssayNodeId id = g_array_index (self->nodes, AssayNodeId, i);

      if (!self->kept[id])
        continue;
      kept[id] = n < begin || n >= end;
      n++;
    }

  return try_nodes (self, kept);
}

/* Most of a model has nothing to do with what it shows: first all that comes behind, then all that
 * comes before, by halves. */
static void
cut_ends (Search *self)
{
  guint low = 1, high = self->best->n_nodes, gone = 0;

  while (low < high && !is_over (self))
    {
      guint middle = low + (high - low) / 2;

      if (try_without (self, middle, self->best->n_nodes))
        high = middle;
      else
        low = middle + 1;
    }

  low = 0;
  high = self->best->n_nodes - 1;
  while (low < high && !is_over (self))
    {
      guint middle = high - (high - low) / 2;

      if (try_without (self, 0, middle - gone))
        low = gone = middle;
      else
        high = middle - 1;
    }
}

/* Then ever smaller pieces, until no single node can be left out. */
static void
cut_pieces (Search *self)
{
  guint size = MAX (self->best->n_nodes / 2, 1);
  gboolean changed;

  do
    {
      changed = FALSE;
      for (guint begin = 0; begin < self->best->n_nodes && !is_over (self);)
        if (self->best->n_nodes > 1 && try_without (self, begin, begin + size))
          changed = TRUE;
        else
          begin += size;
      if (size > 1)
        size /= 2, changed = TRUE;
    }
  while (changed && !is_over (self));
}

/* The best model with every axis of its inputs that has one size cut to another; a batch is that of
 * several inputs. With an input only the axis of that one. */
static gboolean
try_size (Search *self, AssayValueId only, guint axis, gint64 size, gint64 wanted)
{
  AssayGraph *graph = assay_work_get_graph (self->best->work, NULL, NULL);
  g_autoptr (GHashTable) inputs = assay_reduce_inputs_new ();
  g_autoptr (AssayGraph) smaller = assay_graph_shrink (graph, self->best->inputs, only, axis, size,
                                                       wanted, inputs, self->progress);

  return smaller != NULL && !is_over (self) &&
         try_model (self, smaller, assay_work_get_settings (self->best->work), inputs);
}

static void
shrink_size (Search *self, AssayValueId only, guint axis, gint64 size)
{
  if (try_size (self, only, axis, size, 1))
    return;
  while (size > 3 && try_size (self, only, axis, size, size / 2))
    size /= 2;
}

/* The type of an input of the best model, which is another one after each that was better. */
static const AssayType *
get_input (Search *self, guint index, AssayValueId *id)
{
  AssayGraph *graph = assay_work_get_graph (self->best->work, NULL, NULL);
  const GArray *inputs = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs;

  *id = index < inputs->len ? g_array_index (inputs, AssayValueId, index) : ASSAY_NO_VALUE;

  return *id != ASSAY_NO_VALUE ? assay_graph_value (graph, *id)->type : NULL;
}

/* Sizes that several inputs share first, then every axis by itself. */
static void
shrink_inputs (Search *self)
{
  for (guint alone = 0; alone < 2; alone++)
    {
      const AssayType *type;
      AssayValueId id;

      for (guint i = 0; (type = get_input (self, i, &id)) != NULL; i++)
        for (int axis = 0; axis < (type = get_input (self, i, &id))->rank; axis++)
          if (type->dims[axis].size > 1)
            shrink_size (self, alone != 0 ? id : ASSAY_NO_VALUE, (guint) axis,
                         type->dims[axis].size);
    }
}

/* Zeros where they do as well. */
static void
plain_inputs (Search *self)
{
  g_autoptr (GHashTable) before = g_hash_table_ref (self->best->inputs);
  GHashTableIter iter;
  gpointer name, tensor;

  g_hash_table_iter_init (&iter, before);
  while (g_hash_table_iter_next (&iter, &name, &tensor) && !is_over (self))
    {
      g_autoptr (AssayTensor) zeros = assay_tensor_dup_zeros (tensor);
      g_autoptr (GHashTable) inputs = NULL;

      if (zeros == NULL)
        continue;
      inputs = assay_reduce_inputs_copy (self->best->inputs);
      g_hash_table_replace (inputs, g_strdup (name), g_steal_pointer (&zeros));
      try_model (self, assay_work_get_graph (self->best->work, NULL, NULL),
                 assay_work_get_settings (self->best->work), inputs);
    }
}

/* Begins with what is left. */
static void
begin_search (Search *self)
{
  const GArray *nodes = assay_graph_region (self->graph, ASSAY_MAIN_REGION)->nodes;

  g_clear_pointer (&self->known, g_hash_table_unref);
  g_clear_pointer (&self->nodes, g_array_unref);
  g_clear_pointer (&self->axes, g_free);
  g_clear_pointer (&self->kept, g_free);
  self->axes = trace_axes (self->graph, assay_work_get_settings (self->work));
  self->known = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) assay_tensor_unref);
  self->known_bytes = 0;
  self->nodes = g_array_new (FALSE, FALSE, sizeof (AssayNodeId));
  self->kept = g_new0 (guint8, assay_graph_n_nodes (self->graph));
  for (guint i = 0; i < nodes->len; i++)
    {
      AssayNodeId id = g_array_index (nodes, AssayNodeId, i);

      self->kept[id] = TRUE;
      /* Constants go with what reads them. */
      if (assay_graph_node (self->graph, id)->op != ASSAY_OP_Constant)
        g_array_append_val (self->nodes, id);
    }
  self->best->n_nodes = self->nodes->len;
}

/* A branch in the place of an If, which then can be cut like the rest. */
static gboolean
open_branch (Search *self)
{
  AssayGraph *graph = assay_work_get_graph (self->best->work, NULL, NULL);

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    for (guint branch = 0; branch < 2; branch++)
      {
        const AssayNode *node = assay_graph_node (graph, id);
        g_autoptr (AssayGraph) opened = NULL;
        g_autoptr (AssayWork) work = NULL;

        if (is_over (self) || node->op != ASSAY_OP_If || node->region != ASSAY_MAIN_REGION)
          break;
        opened = assay_graph_open_if (graph, id, branch == 0, self->progress, &self->error);
        if (opened == NULL || !try_model (self, opened, assay_work_get_settings (self->best->work),
                                          self->best->inputs))
          continue;
        work = g_steal_pointer (&self->opened);
        self->opened = assay_work_copy (self->best->work);
        self->work = self->opened;
        self->graph = assay_work_get_graph (self->work, NULL, NULL);
        g_hash_table_unref (self->inputs);
        self->inputs = g_hash_table_ref (self->best->inputs);
        begin_search (self);
        return TRUE;
      }

  return FALSE;
}

/* Nodes of nested graphs, the last ones first: what reads them is gone then. */
static void
cut_bodies (Search *self)
{
  AssayGraph *graph = assay_work_get_graph (self->best->work, NULL, NULL);
  AssayNodeId id = assay_graph_n_nodes (graph);

  while (id > 1 && !is_over (self))
    {
      g_autoptr (AssayGraph) smaller = NULL;
      const AssayNode *node = assay_graph_node (graph, --id);

      if (node->region == ASSAY_MAIN_REGION || node->op == ASSAY_OP_Constant)
        continue;
      smaller = assay_graph_bypass (graph, id, self->progress, &self->error);
      if (smaller == NULL || assay_graph_n_nodes (smaller) >= assay_graph_n_nodes (graph) ||
          !try_model (self, smaller, assay_work_get_settings (self->best->work),
                      self->best->inputs))
        continue;
      graph = assay_work_get_graph (self->best->work, NULL, NULL);
      id = MIN (id + 1, assay_graph_n_nodes (graph));
    }
}

/**
 * assay_reduce: (skip)
 * @work: a model, on its way to a target if the symptom needs one
 * @symptom: what it shows
 * @inputs: (element-type utf8 AssayTensor): values of its inputs, for symptoms that run it
 * @max_tries: how many models are looked at
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Looks for the smallest part of a model that still shows the same. Nodes that are left out give
 * way to inputs, which get the values that the reference computes there. A branch takes the place
 * of an If where that shows it too, and nodes of other nested graphs hand on what they read.
 *
 * Returns: (transfer full) (nullable): what is left; %NULL with %ASSAY_ERROR_INVALID if the model
 * does not show it
 */
AssayReduction *
assay_reduce (AssayWork *work, const AssaySymptom *symptom, GHashTable *inputs, guint max_tries,
              const AssayProgress *progress, GError **error)
{
  g_autoptr (AssayGpuLease) lease = assay_gpu_lease_new ();
  g_auto (Search) self = {
    .work = work,
    .symptom = symptom,
    .inputs = g_hash_table_ref (inputs),
    .progress = progress,
    .max_tries = max_tries,
  };

  self.graph = assay_work_get_graph (work, progress, error);
  if (self.graph == NULL)
    return NULL;

  self.best = g_new0 (AssayReduction, 1);
  self.best->work = assay_work_copy (work);
  self.best->inputs = g_hash_table_ref (inputs);
  self.best->seen = assay_symptom_observe (symptom, work, inputs, NULL, progress, &self.error);
  if (self.error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&self.error));
      return NULL;
    }
  if (self.best->seen == NULL)
    {
      g_autofree char *wanted = assay_symptom_to_string (symptom);

      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "the model does not show \"%s\"",
                   wanted);
      return NULL;
    }

  begin_search (&self);
  self.best->n_nodes_before = self.best->n_nodes;
  do
    {
      cut_ends (&self);
      cut_pieces (&self);
    }
  while (open_branch (&self));
  cut_bodies (&self);
  self.best->is_least = !is_over (&self);
  shrink_inputs (&self);
  plain_inputs (&self);
  if (self.error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&self.error));
      return NULL;
    }

  return g_steal_pointer (&self.best);
}
