/* assay-session-python.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Models that only PyTorch opens are programs: they are run only after the user has allowed it, and
 * only as what the user was asked about.
 */
#include "base/assay-error.h"
#include "document/assay-trust.h"
#include "process/assay-temporary.h"
#include "session/assay-session-private.h"
#include "source/assay-importer.h"
#include "source/torch/assay-torch-export.h"

/* What the program needs to be told besides its file, of the file that was allowed last. */
struct _AssaySessionPython
{
  char *path;
  char *key;
  char *name;
};

void
assay_session_clear_python (AssaySession *self)
{
  if (self->python != NULL)
    {
      g_free (self->python->path);
      g_free (self->python->key);
      g_free (self->python->name);
    }
  g_clear_pointer (&self->python, g_free);
}

/**
 * assay_session_open_python:
 * @self: a session
 * @path: a file that only PyTorch opens
 * @key: of assay_trust_dup_file_key(): what the user was asked about
 * @name: (nullable): of a file of Python: the class or instance in it
 * @shapes: (nullable) (array zero-terminated=1): shapes of example inputs, such as `1,3,224,224`
 *
 * Opens a file of PyTorch after the user has allowed it, which runs the code in it. As long as it
 * stays what and where it is, it opens like any other from then on.
 */
void
assay_session_open_python (AssaySession *self, const char *path, const char *key, const char *name,
                           const char *const *shapes)
{
  g_return_if_fail (ASSAY_IS_SESSION (self));

  assay_session_clear_python (self);
  self->python = g_new0 (AssaySessionPython, 1);
  self->python->path = g_strdup (path);
  self->python->key = g_strdup (key);
  self->python->name = name != NULL && *name != '\0' ? g_strdup (name) : NULL;
  /* If it cannot be kept, the question comes again. */
  (void) !assay_trust_add (key, path, NULL);
  assay_session_open_with_shapes (self, path, shapes);
}

/**
 * assay_session_dup_source:
 * @self: a session
 *
 * Gets how commands call the model: of a file of PyTorch they are told that it may run.
 *
 * Returns: (transfer full): an argument
 */
char *
assay_session_dup_source (AssaySession *self)
{
  const char *path = assay_document_get_path (self->document);
  gboolean named = self->python != NULL && self->python->name != NULL &&
                   g_strcmp0 (path, self->python->path) == 0;

  if (path == NULL || !assay_torch_is_python_file (path))
    return g_strdup (path != NULL ? path : "");

  return g_strdup_printf (ASSAY_TORCH_PREFIX "%s%s%s", path, named ? ":" : "",
                          named ? self->python->name : "");
}

void
assay_session_give_python (AssaySession *self, AssaySessionWork *work)
{
  if (self->python == NULL || g_strcmp0 (self->python->path, work->path) != 0)
    return;

  work->python_key = g_strdup (self->python->key);
  work->python_name = g_strdup (self->python->name);
}

void
assay_session_take_python (AssaySession *self, AssaySessionWork *work)
{
  if (work->python_folder == NULL)
    return;

  assay_session_clear_python_folder (self);
  self->python_folder = g_steal_pointer (&work->python_folder);
  self->text_path = g_steal_pointer (&work->python_text);
}

void
assay_session_clear_python_folder (AssaySession *self)
{
  if (self->python_folder != NULL)
    assay_temporary_delete (self->python_folder);
  g_clear_pointer (&self->python_folder, g_free);
  g_clear_pointer (&self->text_path, g_free);
}

/* In a worker: what the file is now is what was allowed, or it does not run. */
gboolean
assay_session_work_export (AssaySessionWork *self, const AssayProgress *progress, GError **error)
{
  g_autofree char *key = assay_trust_dup_file_key (self->path, progress, error);
  g_autofree char *source = self->python_name != NULL
                                ? g_strdup_printf ("%s:%s", self->path, self->python_name)
                                : g_strdup (self->path);

  if (key == NULL)
    return FALSE;
  if (g_strcmp0 (key, self->python_key) != 0 && !assay_trust_has (key))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT,
                   "%s: only PyTorch opens this, and runs the code in it, which nobody has allowed "
                   "for the file as it is; open the file itself to be asked",
                   self->path);
      return FALSE;
    }

  assay_progress_report (progress, 0, "Running Python");
  self->python_folder = assay_temporary_folder ("python", error);
  if (self->python_folder == NULL)
    return FALSE;
  self->python_text = assay_torch_export (
      source, assay_settings_get_list (self->setup, ASSAY_SETTING_SHAPES), self->python_folder, 0,
      progress, error);
  if (self->python_text == NULL)
    {
      g_prefix_error (error, "%s: ", self->path);
      return FALSE;
    }

  return TRUE;
}
