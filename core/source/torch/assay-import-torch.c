/* assay-import-torch.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/assay-error.h"
#include "source/assay-importer.h"
#include "source/torch/assay-torch-lower-private.h"

/* How far into a file one looks for what it is. */
#define SNIFFED 4096

/* MLIR text has no mark of its own; a function or a module at the front can be nothing else. */
static gboolean
sniff_text (const guint8 *data, gsize size)
{
  static const char *const words[] = { "module ",    "module{",           "builtin.module",
                                       "func.func ", "torch.class_type ", "#loc",
                                       "#map" };
  const guint8 *end = data + MIN (size, SNIFFED);

  while (data < end)
    {
      if (g_ascii_isspace (*data))
        data++;
      else if (end - data >= 2 && data[0] == '/' && data[1] == '/')
        {
          data = memchr (data, '\n', (gsize) (end - data));
          if (data == NULL)
            return FALSE;
        }
      else
        {
          for (guint i = 0; i < G_N_ELEMENTS (words); i++)
            if ((gsize) (end - data) > strlen (words[i]) &&
                memcmp (data, words[i], strlen (words[i])) == 0)
              return TRUE;
          return FALSE;
        }
    }

  return FALSE;
}

static AssayGraph *
read_text (GBytes *bytes, const char *folder, const AssayImportOptions *options,
           AssayFindings *findings, const AssayProgress *progress, GError **error)
{
  g_autoptr (AssayTorchModule) module = NULL;
  AssayGraph *graph;

  if (g_bytes_get_size (bytes) == 0)
    {
      g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT, "not MLIR text: it is empty");
      return NULL;
    }
  module = assay_torch_module_parse (bytes, progress, error);
  if (module == NULL)
    return NULL;

  graph = assay_torch_lower (
      module, assay_settings_get_list (options->settings, ASSAY_SETTING_SHAPES),
      assay_settings_get_list (options->settings, ASSAY_SETTING_BIND), findings, progress, error);
  if (graph != NULL)
    graph->producer_name = assay_arena_intern (graph->arena, "torch dialect");

  return graph;
}

const AssayImporter assay_importer_torch = {
  .id = "torch",
  .title = "Torch",
  .models = "Torch Dialect Texts",
  .mime_type = "text/x-mlir",
  .suffixes = { ".mlir" },
  .binds = TRUE, /* what becomes of operations depends on ranks and sizes */
  .sniff = sniff_text,
  .read = read_text,
};
