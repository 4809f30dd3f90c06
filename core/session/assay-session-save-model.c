/* assay-session-save-model.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Saving the model of a session with its fixes.
 */
#include "base/assay-sentence.h"
#include "fix/assay-model-save.h"
#include "reduce/assay-split.h"
#include "session/assay-session-private.h"

/* One request to save the model; it belongs to the worker while that runs. */
typedef struct
{
  AssayGraph *graph;
  AssayEdits *edits;
  char *path;
  char **splits; /* (nullable): nodes behind which another model begins */
  AssayJob *job;
  AssayModelSave result;
} Export;

static void
export_free (gpointer data)
{
  Export *work = data;

  assay_graph_unref (work->graph);
  assay_edits_free (work->edits);
  g_free (work->path);
  g_strfreev (work->splits);
  g_clear_object (&work->job);
  assay_model_save_clear (&work->result);
  g_free (work);
}

static gboolean
save_model (gpointer request, const AssayProgress *progress, GError **error)
{
  Export *work = request;

  if (work->splits != NULL)
    return assay_split_save (work->graph, (const char *const *) work->splits, work->path, NULL,
                             progress, error);

  return assay_model_save (work->graph, work->path, progress, &work->result, error);
}

static void
start (AssaySession *self, const char *path, char **splits, GAsyncReadyCallback callback,
       gpointer user_data)
{
  g_autoptr (GTask) task = NULL;
  Export *work;

  assay_preview_settle (self->preview);
  work = g_new0 (Export, 1);
  work->graph = assay_graph_ref (self->graph);
  work->edits = assay_edits_copy (assay_session_get_edits (self));
  work->path = g_strdup (path);
  work->splits = splits;
  work->job = assay_session_add_saving (self, path);

  task = g_task_new (self, NULL, callback, user_data);
  g_task_set_source_tag (task, start);
  g_task_set_task_data (task, work, export_free);
  assay_job_run_task (work->job, task, save_model);
}

/**
 * assay_session_save_model_async:
 * @self: a session with a model
 * @path: where to write it
 * @callback: called when the model is written or could not be
 * @user_data: data for @callback
 *
 * Writes the model with its fixes as ONNX, off the main context. It is read back and compared
 * before it takes the place of anything.
 */
void
assay_session_save_model_async (AssaySession *self, const char *path, GAsyncReadyCallback callback,
                                gpointer user_data)
{
  g_return_if_fail (ASSAY_IS_SESSION (self));
  g_return_if_fail (self->state == ASSAY_SESSION_READY);

  start (self, path, NULL, callback, user_data);
}

/**
 * assay_session_save_parts_async:
 * @self: a session with a model
 * @path: what the files of the parts are named after
 * @nodes: a line for each node behind which another model begins
 * @callback: called when the models are written or could not be
 * @user_data: data for @callback
 *
 * Writes the model with its fixes as several that run one after the other, as
 * assay_session_save_model_async() writes one; assay_session_save_model_finish() ends it.
 */
void
assay_session_save_parts_async (AssaySession *self, const char *path, const char *nodes,
                                GAsyncReadyCallback callback, gpointer user_data)
{
  g_return_if_fail (ASSAY_IS_SESSION (self));
  g_return_if_fail (self->state == ASSAY_SESSION_READY);

  start (self, path, g_strsplit (nodes, "\n", -1), callback, user_data);
}

/**
 * assay_session_save_model_finish:
 * @self: a session
 * @result: what the callback got
 * @error: return location for a #GError
 *
 * Tells how saving the model ended. Its fixes are not unsaved any more then.
 *
 * Returns: (transfer full) (nullable): how the saved model was proven to be the same
 */
char *
assay_session_save_model_finish (AssaySession *self, GAsyncResult *result, GError **error)
{
  Export *work;

  g_return_val_if_fail (g_task_is_valid (result, self), NULL);

  work = g_task_get_task_data (G_TASK (result));
  assay_jobs_drop (&work->job);
  if (!g_task_propagate_boolean (G_TASK (result), error))
    return NULL;

  if (work->splits != NULL)
    {
      guint n = g_strv_length (work->splits) + 1;

      return g_strdup_printf ("%u model%s, each read back", n, assay_plural (n));
    }
  if (assay_edits_same_fixes (work->edits, assay_session_get_edits (self)))
    assay_history_mark_saved (assay_document_get_history (self->document), work->edits);
  return assay_model_save_describe (&work->result);
}
