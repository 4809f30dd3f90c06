/* assay-torch-export.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Files of PyTorch are programs: whoever opens one runs it. That is done by assay-torch, in a child
 * process that may read files but write to one folder only, and only after the user said so.
 */
#include "source/torch/assay-torch-export.h"

#include <string.h>

#include "base/assay-error.h"
#include "process/assay-child.h"
#include "process/assay-confine.h"
#include "process/assay-helper.h"

/* PyTorch alone takes seconds to load. */
#define USUAL_SECONDS 600

/**
 * assay_torch_list_python_suffixes:
 *
 * Lists how the names of files end that only PyTorch opens.
 *
 * Returns: (array zero-terminated=1): the endings
 */
const char *const *
assay_torch_list_python_suffixes (void)
{
  static const char *const suffixes[] = { ".pt", ".pt2", ".pth", ".py", NULL };

  return suffixes;
}

/**
 * assay_torch_is_python_file:
 * @path: path of a file
 *
 * Tells by its name whether a file is one that only PyTorch opens.
 *
 * Returns: whether it is
 */
gboolean
assay_torch_is_python_file (const char *path)
{
  for (const char *const *suffix = assay_torch_list_python_suffixes (); *suffix != NULL; suffix++)
    if (g_str_has_suffix (path, *suffix))
      return TRUE;

  return FALSE;
}

/* A file of Python has the name of the module behind a colon. */
static char *
dup_absolute (const char *source)
{
  const char *colon = strrchr (source, ':');
  g_autofree char *file = colon != NULL && colon > source + 3 &&
                                  g_str_has_prefix (colon - 3, ".py:")
                              ? g_strndup (source, (gsize) (colon - source))
                              : g_strdup (source);
  g_autofree char *path = g_canonicalize_filename (file, NULL);

  return g_strconcat (path, source + strlen (file), NULL);
}

/**
 * assay_torch_export:
 * @source: a file of TorchScript or torch.export, or `FILE.py:NAME`
 * @shapes: (nullable) (array zero-terminated=1): shapes of example inputs, such as `1,3,224,224`
 * @folder: a folder that it may write to
 * @seconds: how long that may take, 0 for the usual time
 * @progress: (nullable): cancel
 * @error: return location for a #GError
 *
 * Has PyTorch write a model as text of the torch dialect. This runs the code in the file.
 *
 * Returns: (transfer full) (nullable): path of the text
 */
char *
assay_torch_export (const char *source, const char *const *shapes, const char *folder,
                    guint seconds, const AssayProgress *progress, GError **error)
{
  const AssayConfinement confinement = { .writable = folder, .programs = TRUE };
  g_autofree char *program = assay_helper_find ("assay-torch", error);
  g_autofree char *absolute = dup_absolute (source);
  g_autofree char *path = g_build_filename (folder, "model.mlir", NULL);
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  g_autoptr (AssayChild) child = NULL;
  g_autofree char *ending = NULL;
  char rest[256];
  gsize n_read = sizeof rest;
  int status = 0;

  if (program == NULL)
    return NULL;
  g_ptr_array_add (argv, program);
  g_ptr_array_add (argv, absolute);
  g_ptr_array_add (argv, (gpointer) "-o");
  g_ptr_array_add (argv, path);
  for (guint i = 0; shapes != NULL && shapes[i] != NULL; i++)
    {
      g_ptr_array_add (argv, (gpointer) "--input");
      g_ptr_array_add (argv, (gpointer) shapes[i]);
    }
  g_ptr_array_add (argv, NULL);

  child = assay_child_new_confined ((const char *const *) argv->pdata, &confinement, error);
  if (child == NULL)
    {
      /* The file is there, so it is what it begins with that is not. */
      g_prefix_error (error, "there is no Python that could run it; install python3 and "
                             "python3-torch (Debian), or torch (pip): ");
      return NULL;
    }
  assay_child_set_deadline (child, seconds > 0 ? seconds : USUAL_SECONDS);
  /* It says nothing that matters here; what ends is its output. */
  while (n_read == sizeof rest)
    if (!assay_child_read (child, rest, sizeof rest, &n_read, progress, error))
      return NULL;
  assay_child_end (child, &status);
  if (status != 0)
    {
      ending = assay_child_dup_ending (child);
      g_set_error (
          error, ASSAY_ERROR, ASSAY_ERROR_IMPORT, "%s%s", ending,
          strstr (ending, "--input") != NULL ? "; --override-input-shapes gives their shapes" : "");
      return NULL;
    }
  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR) || g_file_test (path, G_FILE_TEST_IS_SYMLINK))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT, "%s: PyTorch has written no model",
                   source);
      return NULL;
    }

  return g_steal_pointer (&path);
}
