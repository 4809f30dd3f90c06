/* assay-model-save.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fix/assay-model-save.h"

#include <glib/gstdio.h>
#include <string.h>

#include "base/assay-error.h"
#include "fix/assay-fix-same.h"
#include "source/assay-source.h"
#include "source/onnx/assay-onnx-write.h"

/* Random inputs that must give the same bits, and what they may take. */
#define N_RUNS 2
#define SECONDS 10.0

/* More weights than this are not run, which would need them all in memory. */
#define MAX_RUN_BYTES ((gsize) 512 << 20)

/* Sizes that open dimensions are given, in turn, until the model takes one. */
static const gint64 open_sizes[] = { 2, 1, 16, 32, 64, 512 };

typedef struct
{
  AssayGraph *graph;
  AssayModelSave *result;
  const AssayProgress *progress;
  AssayProgress part;
  gboolean renamed; /* whether a text that differs may come from names */
} Saving;

static gsize
count_constant_bytes (AssayGraph *graph)
{
  gsize total = 0;

  for (AssayValueId id = 1; id < assay_graph_n_values (graph); id++)
    {
      const AssayValue *value = assay_graph_value (graph, id);

      if (value->constant != NULL && value->kind != ASSAY_VALUE_RESULT)
        total += assay_tensor_get_n_bytes (value->constant);
    }

  return total;
}

static gboolean
refuse (GError **error, const char *why)
{
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_SAVE,
               "the written model is not the one in memory: %s; nothing was saved", why);
  return FALSE;
}

/* Runs both; leaves proof and reason. */
static gboolean
compare_runs (Saving *self, AssayGraph *read, GError **error)
{
  const AssayFixOptions options = { .n_runs = N_RUNS, .seconds = SECONDS };
  AssayModelSave *result = self->result;

  if (count_constant_bytes (self->graph) > MAX_RUN_BYTES)
    {
      result->reason = g_strdup ("its weights are too large to be run here");
      return TRUE;
    }

  for (guint i = 0; i < G_N_ELEMENTS (open_sizes) && result->proof == ASSAY_SAVE_NONE; i++)
    {
      g_autoptr (AssayFixRuns) runs = assay_fix_runs_new (self->graph, &options);
      AssayFixOffer offer = { 0 };
      gboolean whole;

      assay_fix_runs_set_open_size (runs, open_sizes[i]);
      whole = assay_fix_runs_compare (runs, read, &offer, &self->part, error);
      if (offer.sameness == ASSAY_FIX_IDENTICAL)
        {
          result->proof = ASSAY_SAVE_OUTPUTS;
          result->n_runs = offer.n_runs;
          g_clear_pointer (&result->reason, g_free);
        }
      else if (offer.sameness == ASSAY_FIX_NOT_RUN && result->reason == NULL)
        result->reason = g_steal_pointer (&offer.sameness_reason);
      g_free (offer.sameness_reason);
      if (!whole)
        return FALSE;
      if (offer.sameness == ASSAY_FIX_DIFFERENT || offer.sameness == ASSAY_FIX_ROUNDED)
        return refuse (error, "its outputs differ");
    }

  return TRUE;
}

static gboolean
compare_texts (Saving *self, AssayGraph *read, GError **error)
{
  g_autofree char *before = assay_onnx_comparable_text (self->graph, error);
  g_autofree char *after = before == NULL ? NULL : assay_onnx_comparable_text (read, error);

  if (after == NULL)
    return FALSE;
  if (strcmp (before, after) != 0)
    {
      self->renamed = TRUE;
      return refuse (error, "its nodes or constants differ");
    }
  self->result->proof = ASSAY_SAVE_TEXT;

  return TRUE;
}

static gint64
find_opset (AssayGraph *graph)
{
  for (guint i = 0; i < graph->opsets->len; i++)
    {
      const AssayOpset *opset = &g_array_index (graph->opsets, AssayOpset, i);

      if (opset->domain[0] == '\0')
        return opset->version;
    }

  return 0;
}

static gboolean
check_written (const char *path, gpointer user_data, GError **error)
{
  Saving *self = user_data;
  AssayModelSave *result = self->result;
  g_autofree char *beside = g_strconcat (path, ".data", NULL);
  g_autoptr (AssayGraph) read = NULL;
  GStatBuf about;

  self->part = assay_progress_part (self->progress, 0.6, 1.0);
  assay_progress_report (&self->part, 0.0, "Comparing");
  read = assay_model_read (path, NULL, NULL, &self->part, error);
  if (read == NULL)
    return FALSE;

  result->opset = find_opset (read);
  result->n_outputs = assay_graph_region (read, ASSAY_MAIN_REGION)->outputs->len;
  result->n_bytes = g_stat (path, &about) == 0 ? (guint64) about.st_size : 0;
  if (g_stat (beside, &about) == 0)
    {
      result->beside = g_path_get_basename (beside);
      result->beside_bytes = (guint64) about.st_size;
    }
  if (result->n_outputs != assay_graph_region (self->graph, ASSAY_MAIN_REGION)->outputs->len)
    return refuse (error, "it has another number of outputs");
  if (!compare_runs (self, read, error))
    return FALSE;

  return result->proof == ASSAY_SAVE_OUTPUTS || compare_texts (self, read, error);
}

/**
 * assay_model_save:
 * @graph: a sound graph, with fixes or without
 * @path: where the model goes
 * @progress: (nullable): progress and cancel
 * @result: (out caller-allocates): what was saved and how it was proven; clear it with
 * assay_model_save_clear()
 * @error: return location for a #GError
 *
 * Saves a graph as an ONNX model that is known to be the same: it is written beside @path, read
 * back, and its outputs for random inputs are compared bit by bit before it replaces what was
 * there. A model that cannot be run must have the same nodes, attributes and constants.
 *
 * Returns: whether it is saved; otherwise everything is as before
 */
gboolean
assay_model_save (AssayGraph *graph, const char *path, const AssayProgress *progress,
                  AssayModelSave *result, GError **error)
{
  g_autoptr (AssayGraph) expanded = assay_onnx_expand (graph, error);
  Saving saving = { .graph = expanded, .result = result, .progress = progress };
  AssayOnnxWriteOptions options = { .check = check_written, .check_data = &saving };
  AssayProgress part = assay_progress_part (progress, 0.0, 0.6);
  g_autoptr (GError) local = NULL;

  *result = (AssayModelSave){ 0 };
  if (expanded == NULL)
    return FALSE;
  if (assay_onnx_write_file (expanded, path, &options, &part, &local))
    return TRUE;

  /* Constants that became attributes come back with other names, which only outputs can excuse. */
  if (saving.renamed)
    {
      saving.renamed = FALSE;
      options.keep_names = TRUE;
      g_clear_error (&local);
      assay_model_save_clear (result);
      if (assay_onnx_write_file (expanded, path, &options, &part, &local))
        return TRUE;
    }

  assay_model_save_clear (result);
  g_propagate_error (error, g_steal_pointer (&local));

  return FALSE;
}

/**
 * assay_model_save_describe:
 * @self: what was saved
 *
 * Says how a saved model was proven, in one sentence.
 *
 * Returns: (transfer full): the sentence
 */
char *
assay_model_save_describe (const AssayModelSave *self)
{
  if (self->proof == ASSAY_SAVE_OUTPUTS)
    return g_strdup_printf ("Read back: %u output%s equal to the bit for %u random input%s",
                            self->n_outputs, self->n_outputs == 1 ? "" : "s", self->n_runs,
                            self->n_runs == 1 ? "" : "s");
  if (self->proof == ASSAY_SAVE_TEXT)
    return g_strdup_printf ("Read back: the same nodes and constants; not run, because %s",
                            self->reason);

  return g_strdup ("Not saved");
}

/**
 * assay_model_save_clear:
 * @self: what was saved
 *
 * Frees what a result holds and empties it.
 */
void
assay_model_save_clear (AssayModelSave *self)
{
  g_free (self->beside);
  g_free (self->reason);
  *self = (AssayModelSave){ 0 };
}
