/* assay-document.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "document/assay-document.h"

#include "base/assay-job.h"
#include "document/assay-file-watch.h"
#include "source/onnx/assay-external-data.h"

#include <string.h>

struct _AssayDocument
{
  GObject parent_instance;

  char *path;
  char *file_path;
  char *located;          /* the model of the session file, where the user found it */
  AssaySessionFile *file; /* as last opened or saved */
  AssayViewState *view;
  gboolean recovering; /* the file being opened was left behind */

  AssayEdits *edits;
  AssayHistory *history;
  AssayRecovery *recovery;

  AssayFileWatch *model_watch;
  AssayFileWatch *target_watch;
  GPtrArray *data_watches; /* AssayFileWatch, of the external data of the model; NULL until that is
                              known */
  AssayJob *listing;       /* while that is found out */
  guint changed;
};

enum
{
  PROP_0,
  PROP_PATH,
  PROP_FILE_PATH,
  PROP_VIEW,
  PROP_CHANGED_FILES,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AssayDocument, assay_document, G_TYPE_OBJECT)

static void
notify (AssayDocument *self, guint prop)
{
  g_object_notify_by_pspec (G_OBJECT (self), properties[prop]);
}

static void
assay_document_dispose (GObject *object)
{
  AssayDocument *self = ASSAY_DOCUMENT (object);

  assay_jobs_cancel (&self->listing);
  g_clear_pointer (&self->data_watches, g_ptr_array_unref);
  g_clear_pointer (&self->model_watch, assay_file_watch_free);
  g_clear_pointer (&self->target_watch, assay_file_watch_free);
  if (self->recovery != NULL)
    {
      g_signal_handlers_disconnect_by_data (self->history, self->recovery);
      assay_recovery_stop (self->recovery);
    }

  G_OBJECT_CLASS (assay_document_parent_class)->dispose (object);
}

static void
assay_document_finalize (GObject *object)
{
  AssayDocument *self = ASSAY_DOCUMENT (object);

  assay_recovery_free (self->recovery);
  g_object_unref (self->history);
  assay_edits_free (self->edits);
  assay_session_file_unref (self->file);
  assay_view_state_free (self->view);
  g_free (self->located);
  g_free (self->file_path);
  g_free (self->path);

  G_OBJECT_CLASS (assay_document_parent_class)->finalize (object);
}

static void
assay_document_get_property (GObject *object, guint prop_id, GValue *value, GParamSpec *pspec)
{
  AssayDocument *self = ASSAY_DOCUMENT (object);

  switch (prop_id)
    {
    case PROP_PATH:
      g_value_set_string (value, self->path);
      break;
    case PROP_FILE_PATH:
      g_value_set_string (value, self->file_path);
      break;
    case PROP_VIEW:
      g_value_set_boxed (value, self->view);
      break;
    case PROP_CHANGED_FILES:
      g_value_set_uint (value, self->changed);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
assay_document_class_init (AssayDocumentClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GParamFlags readable = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  object_class->dispose = assay_document_dispose;
  object_class->finalize = assay_document_finalize;
  object_class->get_property = assay_document_get_property;

  properties[PROP_PATH] = g_param_spec_string ("path", NULL, NULL, NULL, readable);
  properties[PROP_FILE_PATH] = g_param_spec_string ("file-path", NULL, NULL, NULL, readable);
  properties[PROP_VIEW] = g_param_spec_boxed ("view", NULL, NULL, ASSAY_TYPE_VIEW_STATE, readable);
  properties[PROP_CHANGED_FILES] = g_param_spec_uint ("changed-files", NULL, NULL, 0, G_MAXUINT, 0,
                                                      readable);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
assay_document_init (AssayDocument *self)
{
  self->edits = assay_edits_new (NULL);
  self->history = assay_history_new (self->edits);
}

/**
 * assay_document_new:
 *
 * Makes a document in which nothing is open and nothing is decided.
 *
 * Returns: (transfer full): the document
 */
AssayDocument *
assay_document_new (void)
{
  return g_object_new (ASSAY_TYPE_DOCUMENT, NULL);
}

static void
set_file_path (AssayDocument *self, const char *path)
{
  if (g_strcmp0 (self->file_path, path) == 0)
    return;

  g_free (self->file_path);
  self->file_path = g_strdup (path);
  notify (self, PROP_FILE_PATH);
}

/**
 * assay_document_open:
 * @self: a document
 * @path: (nullable): path of a model or of a session file, %NULL for none
 *
 * Begins another document. Until it is read, nobody knows what model a session file is about. What
 * was decided stays until assay_document_reset().
 */
void
assay_document_open (AssayDocument *self, const char *path)
{
  gboolean is_file = path != NULL && assay_session_file_has_suffix (path);

  if (!is_file || g_strcmp0 (path, self->file_path) != 0)
    g_clear_pointer (&self->located, g_free);
  g_free (self->path);
  self->path = g_strdup (path);
  set_file_path (self, is_file ? path : NULL);
  g_clear_pointer (&self->file, assay_session_file_unref);
  g_clear_pointer (&self->view, assay_view_state_free);
  self->recovering = FALSE;
  notify (self, PROP_PATH);
}

/**
 * assay_document_adopt:
 * @self: a document with a recovery
 * @path: a file that was left behind, of assay_recovery_list()
 *
 * Makes a file that was left behind the one in which this document is kept, if that can be done.
 *
 * Returns: (transfer full): the path to open
 */
char *
assay_document_adopt (AssayDocument *self, const char *path)
{
  if (self->recovery != NULL && assay_recovery_adopt (self->recovery, path))
    path = assay_recovery_get_path (self->recovery);

  return g_strdup (path);
}

/**
 * assay_document_set_left:
 * @self: a document whose file is being opened
 *
 * Says that the file was left behind by a program that ended suddenly: it is not saved yet.
 */
void
assay_document_set_left (AssayDocument *self)
{
  self->recovering = TRUE;
}

/**
 * assay_document_take_file:
 * @self: a document
 * @file: the session file that was read
 * @path: path of its model
 *
 * Takes over what model a session file is about and where one looked. Its edits are taken by
 * whoever follows them; then comes assay_document_start_history().
 */
void
assay_document_take_file (AssayDocument *self, AssaySessionFile *file, const char *path)
{
  g_free (self->path);
  self->path = g_strdup (path);
  self->file = assay_session_file_ref (file);
  self->view = assay_view_state_copy (file->view);
  notify (self, PROP_PATH);
}

/* What is on disk of a file that was left behind: nothing, where it was never saved. */
static AssayEdits *
load_saved (AssayDocument *self)
{
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (AssaySessionFile) saved = NULL;

  if (self->file->session != NULL)
    saved = assay_session_file_load (self->file->session, findings, NULL);

  return saved != NULL ? assay_edits_copy (saved->edits)
                       : assay_edits_new (assay_edits_get_target_id (self->edits));
}

/**
 * assay_document_start_history:
 * @self: a document
 *
 * Begins the history with what is decided now. That counts as saved, unless it was left behind:
 * then it can be taken back to what was.
 */
void
assay_document_start_history (AssayDocument *self)
{
  if (self->recovering)
    {
      g_autoptr (AssayEdits) saved = load_saved (self);

      self->recovering = FALSE;
      assay_history_restore (self->history, saved, self->edits);
      set_file_path (self, self->file->session);
    }
  else
    assay_history_reset (self->history, self->edits);
}

/**
 * assay_document_take_saved:
 * @self: a document
 * @file: what was written
 * @path: where it was written to
 *
 * Makes a session file that was written the one of the document, unless another model was opened
 * meanwhile.
 */
void
assay_document_take_saved (AssayDocument *self, AssaySessionFile *file, const char *path)
{
  g_autofree char *model = self->path != NULL ? g_canonicalize_filename (self->path, NULL) : NULL;

  if (g_strcmp0 (model, file->model) != 0)
    return;

  assay_session_file_ref (file);
  assay_session_file_unref (self->file);
  self->file = file;
  set_file_path (self, path);
  assay_history_mark_saved (self->history, file->edits);
}

/**
 * assay_document_get_path:
 * @self: a document
 *
 * Gets the path of the model.
 *
 * Returns: (transfer none) (nullable): the path
 */
const char *
assay_document_get_path (AssayDocument *self)
{
  return self->path;
}

/**
 * assay_document_dup_name:
 * @self: a document
 *
 * Gets the name of the model file as it can be shown.
 *
 * Returns: (transfer full): the name, "" if nothing is open
 */
char *
assay_document_dup_name (AssayDocument *self)
{
  return self->path != NULL ? g_filename_display_basename (self->path) : g_strdup ("");
}

/**
 * assay_document_get_file_path:
 * @self: a document
 *
 * Gets the session file that was opened or saved last.
 *
 * Returns: (transfer none) (nullable): its path
 */
const char *
assay_document_get_file_path (AssayDocument *self)
{
  return self->file_path;
}

/**
 * assay_document_get_opened_path:
 * @self: a document
 *
 * Gets what opens the document again as it is: its session file, or the model where there is none.
 *
 * Returns: (transfer none) (nullable): the path
 */
const char *
assay_document_get_opened_path (AssayDocument *self)
{
  return self->file_path != NULL ? self->file_path : self->path;
}

/**
 * assay_document_get_file:
 * @self: a document
 *
 * Gets what the session file says that was opened or saved last.
 *
 * Returns: (transfer none) (nullable): the file
 */
AssaySessionFile *
assay_document_get_file (AssayDocument *self)
{
  return self->file;
}

/**
 * assay_document_get_view:
 * @self: a document
 *
 * Gets where one looked when the session file was saved.
 *
 * Returns: (transfer none) (nullable): the state, %NULL if a model was opened without a session
 * file
 */
const AssayViewState *
assay_document_get_view (AssayDocument *self)
{
  return self->view;
}

/**
 * assay_document_get_located:
 * @self: a document
 *
 * Gets where the user found the model of the session file.
 *
 * Returns: (transfer none) (nullable): its path, %NULL if it is where the file says
 */
const char *
assay_document_get_located (AssayDocument *self)
{
  return self->located;
}

/**
 * assay_document_set_located:
 * @self: a document with a session file
 * @path: path of its model
 *
 * Says where the model of the session file is, for when that is opened again.
 */
void
assay_document_set_located (AssayDocument *self, const char *path)
{
  g_free (self->located);
  self->located = g_canonicalize_filename (path, NULL);
}

/**
 * assay_document_get_edits:
 * @self: a document
 *
 * Gets what the user decided. Whoever changes them says so with assay_document_record(), or it
 * cannot be taken back.
 *
 * Returns: (transfer none): the edits, until assay_document_take_edits()
 */
AssayEdits *
assay_document_get_edits (AssayDocument *self)
{
  return self->edits;
}

/**
 * assay_document_take_edits:
 * @self: a document
 * @edits: (transfer full): other edits
 *
 * Puts edits in place of those there are.
 *
 * Returns: (transfer full): those that there were
 */
AssayEdits *
assay_document_take_edits (AssayDocument *self, AssayEdits *edits)
{
  AssayEdits *before = g_steal_pointer (&self->edits);

  self->edits = edits;
  return before;
}

/**
 * assay_document_record:
 * @self: a document
 *
 * Makes what is decided now a change that can be taken back, if it is another than before.
 */
void
assay_document_record (AssayDocument *self)
{
  assay_history_record (self->history, self->edits, g_get_monotonic_time ());
}

/**
 * assay_document_get_fixes:
 * @self: a document
 *
 * Gets the fixes that change nodes of the model.
 *
 * Returns: (transfer none) (element-type AssayFix): the fixes, in the order in which they were
 * applied
 */
GPtrArray *
assay_document_get_fixes (AssayDocument *self)
{
  return assay_edits_get_fixes (self->edits);
}

/**
 * assay_document_get_history:
 * @self: a document
 *
 * Gets what can be undone and redone.
 *
 * Returns: (transfer none): the history
 */
AssayHistory *
assay_document_get_history (AssayDocument *self)
{
  return self->history;
}

/**
 * assay_document_set_recovery:
 * @self: a document
 * @folder: (nullable): where to keep it; %NULL for the state folder of the user
 * @capture: tells what there is to keep
 * @data: data for @capture
 *
 * Keeps on disk from now on what is not saved, a moment after each change, until it is saved or the
 * document ends.
 */
void
assay_document_set_recovery (AssayDocument *self, const char *folder, AssayRecoveryFunc capture,
                             gpointer data)
{
  if (self->recovery != NULL)
    return;

  self->recovery = assay_recovery_new (folder, capture, data);
  if (self->recovery != NULL)
    g_signal_connect_swapped (self->history, "notify::modified", G_CALLBACK (assay_recovery_queue),
                              self->recovery);
}

/**
 * assay_document_note_change:
 * @self: a document
 * @changed: bits of #AssayDocumentChange that hold from now on
 * @cleared: bits that do not hold any more
 *
 * Says what became of the files behind a document.
 */
void
assay_document_note_change (AssayDocument *self, guint changed, guint cleared)
{
  guint now = (self->changed & ~cleared) | changed;

  if (self->changed == now)
    return;

  self->changed = now;
  notify (self, PROP_CHANGED_FILES);
}

static void
model_changed_cb (gboolean gone, gpointer data)
{
  assay_document_note_change (data, gone ? ASSAY_DOCUMENT_MODEL_GONE : ASSAY_DOCUMENT_MODEL_CHANGED,
                              gone ? ASSAY_DOCUMENT_MODEL_CHANGED : ASSAY_DOCUMENT_MODEL_GONE);
}

static void
target_changed_cb (gboolean gone, gpointer data)
{
  assay_document_note_change (data,
                              gone ? ASSAY_DOCUMENT_TARGET_GONE : ASSAY_DOCUMENT_TARGET_CHANGED,
                              gone ? ASSAY_DOCUMENT_TARGET_CHANGED : ASSAY_DOCUMENT_TARGET_GONE);
}

/* Targets that ship are a part of the program and have no file. */
static gboolean
is_file (const char *target_id)
{
  return strchr (target_id, G_DIR_SEPARATOR) != NULL ||
         g_file_test (target_id, G_FILE_TEST_IS_REGULAR);
}

/**
 * assay_document_watch:
 * @self: a document with a model
 * @model: whether the model is about to be read
 * @target: whether the target is
 *
 * Watches files before a worker reads them: one that changes while it is being read has changed.
 */
void
assay_document_watch (AssayDocument *self, gboolean model, gboolean target)
{
  const char *target_id = assay_edits_get_target_id (self->edits);
  guint cleared = 0;

  if (model)
    {
      assay_jobs_cancel (&self->listing);
      g_clear_pointer (&self->data_watches, g_ptr_array_unref);
      g_clear_pointer (&self->model_watch, assay_file_watch_free);
      self->model_watch = assay_file_watch_new (self->path, model_changed_cb, self);
      cleared |= ASSAY_DOCUMENT_MODEL_CHANGED | ASSAY_DOCUMENT_MODEL_GONE;
    }
  if (target)
    {
      g_clear_pointer (&self->target_watch, assay_file_watch_free);
      if (is_file (target_id))
        self->target_watch = assay_file_watch_new (target_id, target_changed_cb, self);
      cleared |= ASSAY_DOCUMENT_TARGET_CHANGED | ASSAY_DOCUMENT_TARGET_GONE;
    }

  assay_document_note_change (self, 0, cleared);
}

static void
data_changed_cb (gboolean gone, gpointer data)
{
  assay_document_note_change (data, ASSAY_DOCUMENT_MODEL_CHANGED, 0);
}

/* A search for external data. */
typedef struct
{
  char *path;
  GPtrArray *files;
} Listing;

static void
listing_free (gpointer data)
{
  Listing *listing = data;

  g_free (listing->path);
  g_ptr_array_unref (listing->files);
  g_free (listing);
}

static gboolean
list_files (gpointer request, const AssayProgress *progress, GError **error)
{
  Listing *listing = request;
  g_autofree char *folder = g_path_get_dirname (listing->path);
  g_auto (GStrv) locations = assay_external_data_list (listing->path, NULL);

  for (guint i = 0; locations != NULL && locations[i] != NULL; i++)
    {
      char *file = assay_external_data_resolve (folder, locations[i], NULL);

      if (file != NULL)
        g_ptr_array_add (listing->files, file);
    }

  return TRUE;
}

static void
listed (gpointer owner, gpointer request, const GError *error)
{
  AssayDocument *self = owner;
  const Listing *listing = request;

  g_clear_object (&self->listing);
  if (g_strcmp0 (listing->path, self->path) != 0 || self->data_watches != NULL)
    return;

  self->data_watches = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_file_watch_free);
  for (guint i = 0; i < listing->files->len; i++)
    g_ptr_array_add (
        self->data_watches,
        assay_file_watch_new (g_ptr_array_index (listing->files, i), data_changed_cb, self));
}

/**
 * assay_document_watch_data:
 * @self: a document with a model that was read
 *
 * Watches the weights that lie outside of the model. Finding them again, in a thread, takes no time
 * of opening.
 */
void
assay_document_watch_data (AssayDocument *self)
{
  Listing *listing = g_new0 (Listing, 1);

  assay_jobs_cancel (&self->listing);
  self->listing = assay_job_new ("Looking for weights");
  listing->path = g_strdup (self->path);
  listing->files = g_ptr_array_new_with_free_func (g_free);
  assay_job_start (self->listing, list_files, listing, listing_free, listed, self);
}

/**
 * assay_document_unwatch:
 * @self: a document
 *
 * Watches nothing any more; nothing has changed.
 */
void
assay_document_unwatch (AssayDocument *self)
{
  assay_jobs_cancel (&self->listing);
  g_clear_pointer (&self->data_watches, g_ptr_array_unref);
  g_clear_pointer (&self->model_watch, assay_file_watch_free);
  g_clear_pointer (&self->target_watch, assay_file_watch_free);
  assay_document_ignore_changed_files (self);
}

/**
 * assay_document_get_changed_files:
 * @self: a document
 *
 * Gets which files are not those any more that were read.
 *
 * Returns: bits of #AssayDocumentChange
 */
guint
assay_document_get_changed_files (AssayDocument *self)
{
  return self->changed;
}

/**
 * assay_document_ignore_changed_files:
 * @self: a document
 *
 * Forgets what changed so far; the user wants to go on with what was read.
 */
void
assay_document_ignore_changed_files (AssayDocument *self)
{
  assay_document_note_change (self, 0, G_MAXUINT);
}
