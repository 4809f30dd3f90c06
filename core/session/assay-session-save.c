/* assay-session-save.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The session file of a session: taking over what one says, and writing it.
 */
#include "base/assay-error.h"
#include "draw/assay-memory-scene.h"
#include "session/activity/assay-activity-private.h"
#include "document/assay-comparison-json.h"
#include "session/assay-session-private.h"

/* One request to save; it belongs to the worker while that runs. */
typedef struct
{
  AssaySessionFile *file;
  char *path;
  AssayJob *job;
} Saving;

/* Asks whether a model is the one that a session was saved with. */
typedef struct
{
  AssaySessionFile *file;
  char *path;
  guint generation;
  gboolean same;
} Looking;

static void
saving_free (gpointer data)
{
  Saving *saving = data;

  assay_session_file_unref (saving->file);
  g_free (saving->path);
  g_clear_object (&saving->job);
  g_free (saving);
}

static void
looking_free (gpointer data)
{
  Looking *looking = data;

  assay_session_file_unref (looking->file);
  g_free (looking->path);
  g_free (looking);
}

static void
looked (gpointer owner, gpointer request, const GError *error)
{
  AssaySession *self = owner;
  const Looking *looking = request;

  g_clear_object (&self->looking);
  if (looking->file == assay_document_get_file (self->document) &&
      g_strcmp0 (looking->path, assay_document_get_path (self->document)) == 0 && !looking->same)
    {
      assay_document_note_change (self->document, ASSAY_DOCUMENT_MODEL_OTHER, 0);
      assay_activity_outdate (ASSAY_ACTIVITY (self->comparing));
    }
}

static gboolean
look (gpointer request, const AssayProgress *progress, GError **error)
{
  Looking *looking = request;

  /* A file that cannot be read any more is noticed by those who watch it. */
  if (!assay_session_file_same_model (looking->file, looking->path, progress, &looking->same, NULL))
    looking->same = TRUE;

  return TRUE;
}

/* In a thread of its own: a digest of a large model takes seconds, and the model can be seen
 * meanwhile. */
static void
look_at_model (AssaySession *self)
{
  Looking *looking = g_new0 (Looking, 1);

  assay_jobs_cancel (&self->looking);
  self->looking = assay_job_new ("Looking at the model");
  looking->file = assay_session_file_ref (assay_document_get_file (self->document));
  looking->path = g_strdup (assay_document_get_path (self->document));
  assay_job_start (self->looking, look, looking, looking_free, looked, self);
}

/* Before the verdicts are taken: what they were found with. */
void
assay_session_take_file (AssaySession *self, AssaySessionWork *work)
{
  AssaySessionFile *file = work->file;

  assay_session_clear_withheld (self);
  if (file == NULL)
    return;

  assay_document_take_file (self->document, file, work->path);
  assay_session_take_edits (self, file->edits);
  assay_document_start_history (self->document);

  if (file->inputs != NULL)
    assay_run_set_inputs (self->run, file->inputs);
  if (file->board != NULL)
    assay_deploy_activity_set_board (self->deploying, file->board);
  assay_session_take_runners (self);

  if (file->comparison != NULL)
    assay_compare_activity_restore (self->comparing, file->comparison);

  /* The worker read a file whose name only it knew. */
  assay_document_watch (self->document, TRUE, TRUE);
}

static void
show_program (AssaySession *self)
{
  AssayMemoryMap *memory = assay_compilation_get_memory (self->compilation);
  const AssayViewState *view = assay_document_get_view (self->document);

  if (!self->view_waits || memory == NULL ||
      assay_activity_get_state (ASSAY_ACTIVITY (self->compilation)) != ASSAY_ACTIVITY_READY)
    return;

  self->view_waits = FALSE;
  assay_compilation_set_core (self->compilation, view->core);
  if (view->pinned >= 0)
    {
      assay_compilation_set_playhead (self->compilation, (guint32) view->pinned);
      assay_compilation_toggle_pin (self->compilation);
    }
  assay_compilation_set_playhead (self->compilation, (guint32) view->playhead);
}

/* What one looked at, as far as the session knows of it; windows follow the document. */
void
assay_session_show_file (AssaySession *self, AssaySessionWork *work)
{
  const AssayViewState *view = assay_document_get_view (self->document);

  if (work->file == NULL)
    return;

  assay_session_set_filter (self, view->filter);
  if (view->selection != NULL)
    assay_session_select_name (self, view->selection);

  self->view_waits = view->playhead >= 0;
  if (self->view_waits)
    g_signal_connect_object (self->compilation, "notify::state", G_CALLBACK (show_program), self,
                             G_CONNECT_SWAPPED);
  g_object_notify (G_OBJECT (self->document), "view");
  look_at_model (self);
}

/**
 * assay_session_capture:
 * @self: a session with a model
 * @view: (nullable): what a window adds to it: page, place in the graph, open scopes
 *
 * Makes a session file of what there is. Members of the last file that this version does not know
 * are in it again.
 *
 * Returns: (transfer full): the file
 */
AssaySessionFile *
assay_session_capture (AssaySession *self, const AssayViewState *view)
{
  return assay_session_capture_state (self, view, G_MAXUINT);
}

/* With the comparison only if it has no more rows than that. */
AssaySessionFile *
assay_session_capture_state (AssaySession *self, const AssayViewState *view, guint max_rows)
{
  AssaySessionFile *file = assay_session_file_new ();
  const AssaySessionFile *last = assay_document_get_file (self->document);
  const AssayComparison *comparison;

  file->model = g_canonicalize_filename (assay_document_get_path (self->document), NULL);
  file->session = g_strdup (assay_document_get_file_path (self->document));
  if (last != NULL && g_strcmp0 (last->model, file->model) == 0)
    {
      assay_file_stamp_set (&file->stamp, &last->stamp);
      for (guint i = 0; i < last->data->len; i++)
        {
          const AssayFileStamp *stamp = g_ptr_array_index (last->data, i);

          g_ptr_array_add (file->data, assay_file_stamp_new (stamp->location));
          assay_file_stamp_set (g_ptr_array_index (file->data, i), stamp);
        }
    }
  if (last != NULL)
    {
      g_ptr_array_unref (file->unknown);
      file->unknown = g_ptr_array_ref (last->unknown);
    }

  assay_edits_free (file->edits);
  file->edits = assay_edits_copy (assay_session_get_edits (self));
  file->board = g_strdup (assay_deploy_activity_get_board (self->deploying));
  file->inputs = assay_input_choice_copy (assay_run_get_inputs (self->run));
  assay_session_keep_runners (self, file);

  comparison = assay_compare_activity_get_comparison (self->comparing);
  if (comparison != NULL && comparison->rows->len <= max_rows &&
      assay_activity_get_state (ASSAY_ACTIVITY (self->comparing)) == ASSAY_ACTIVITY_READY)
    file->comparison = assay_comparison_copy (comparison);

  if (view != NULL)
    {
      assay_view_state_free (file->view);
      file->view = assay_view_state_copy (view);
    }
  file->view->filter = self->filter;
  g_free (file->view->selection);
  file->view->selection = self->verdicts != NULL && self->selection != ASSAY_NO_NODE
                              ? g_strdup (
                                    assay_graph_node (self->verdicts->graph, self->selection)->name)
                              : NULL;
  if (assay_compilation_get_memory (self->compilation) != NULL)
    {
      guint32 pinned = assay_compilation_get_pinned (self->compilation);

      file->view->core = assay_compilation_get_core (self->compilation);
      file->view->playhead = assay_compilation_get_playhead (self->compilation);
      file->view->pinned = pinned != ASSAY_NO_STEP ? (gint64) pinned : -1;
    }

  return file;
}

static gboolean
save (gpointer request, const AssayProgress *progress, GError **error)
{
  Saving *saving = request;
  g_autoptr (GError) local = NULL;

  /* A model that is gone keeps the digest it had. */
  if (!assay_session_file_take_stamp (saving->file, progress, &local) &&
      !g_error_matches (local, ASSAY_ERROR, ASSAY_ERROR_IO))
    {
      g_propagate_error (error, g_steal_pointer (&local));
      return FALSE;
    }

  return assay_session_file_save (saving->file, saving->path, error);
}

/* What is shown while a file is being written. */
AssayJob *
assay_session_add_saving (AssaySession *self, const char *path)
{
  g_autofree char *name = g_filename_display_basename (path);
  g_autofree char *title = g_strdup_printf ("Saving %s", name);

  return assay_session_add_job (self, title);
}

/**
 * assay_session_save_async:
 * @self: a session with a model
 * @path: where to write the session file
 * @view: (nullable): what a window adds to it
 * @callback: called when the file is written or could not be
 * @user_data: data for @callback
 *
 * Writes a session file, whole or not at all, off the main context.
 */
void
assay_session_save_async (AssaySession *self, const char *path, const AssayViewState *view,
                          GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = NULL;
  Saving *saving;

  g_return_if_fail (ASSAY_IS_SESSION (self));
  g_return_if_fail (self->state == ASSAY_SESSION_READY);

  assay_preview_settle (self->preview);
  saving = g_new0 (Saving, 1);
  saving->file = assay_session_capture (self, view);
  saving->path = g_canonicalize_filename (path, NULL);
  g_clear_pointer (&saving->file->session, g_free);
  saving->job = assay_session_add_saving (self, path);

  task = g_task_new (self, NULL, callback, user_data);
  g_task_set_source_tag (task, assay_session_save_async);
  g_task_set_task_data (task, saving, saving_free);
  assay_job_run_task (saving->job, task, save);
}

/**
 * assay_session_save_finish:
 * @self: a session
 * @result: what the callback got
 * @error: return location for a #GError
 *
 * Tells how saving ended. From then on the file is that of the session.
 *
 * Returns: whether the file is written
 */
gboolean
assay_session_save_finish (AssaySession *self, GAsyncResult *result, GError **error)
{
  Saving *saving;

  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);

  saving = g_task_get_task_data (G_TASK (result));
  assay_jobs_drop (&saving->job);
  if (!g_task_propagate_boolean (G_TASK (result), error))
    return FALSE;

  assay_document_take_saved (self->document, saving->file, saving->path);
  return TRUE;
}

/**
 * assay_session_locate:
 * @self: a session with a session file
 * @path: path of its model
 *
 * Opens the session file again with its model in another place.
 */
void
assay_session_locate (AssaySession *self, const char *path)
{
  g_autofree char *file_path = NULL;

  g_return_if_fail (ASSAY_IS_SESSION (self));

  file_path = g_strdup (assay_document_get_file_path (self->document));
  if (file_path == NULL)
    return;

  assay_document_set_located (self->document, path);
  assay_session_open_async (self, file_path, NULL, NULL, NULL);
}
