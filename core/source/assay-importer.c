/* assay-importer.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/assay-importer.h"

#include <string.h>

static const AssayImporter *const importers[] = {
#define ASSAY_SOURCE(name) &assay_importer_##name,
#include "source/sources.def"
#undef ASSAY_SOURCE
};

/**
 * assay_importer_get:
 * @index: position in the table
 *
 * Walks through the sources.
 *
 * Returns: (nullable): the source, or %NULL behind the last one
 */
const AssayImporter *
assay_importer_get (guint index)
{
  return index < G_N_ELEMENTS (importers) ? importers[index] : NULL;
}

/**
 * assay_importer_get_exchange:
 *
 * Gets the source whose files other programs take, which models are saved as.
 *
 * Returns: the source
 */
const AssayImporter *
assay_importer_get_exchange (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (importers); i++)
    if (importers[i]->exchange)
      return importers[i];

  g_assert_not_reached ();
}

/**
 * assay_importer_of_graph:
 * @graph: (nullable): a graph
 *
 * Finds what a graph was read by.
 *
 * Returns: the source; the first one for a graph that no file was read for
 */
const AssayImporter *
assay_importer_of_graph (const AssayGraph *graph)
{
  for (guint i = 0; i < G_N_ELEMENTS (importers); i++)
    if (graph != NULL && g_strcmp0 (importers[i]->id, graph->source) == 0)
      return importers[i];

  return importers[0];
}

static const char *
find_suffix (const AssayImporter *self, const char *path)
{
  for (guint i = 0; self->suffixes[i] != NULL; i++)
    if (g_str_has_suffix (path, self->suffixes[i]))
      return self->suffixes[i];

  return NULL;
}

/**
 * assay_importer_of_name:
 * @path: a path, or a name of a file
 *
 * Finds the source whose files have such names.
 *
 * Returns: (nullable): the source
 */
const AssayImporter *
assay_importer_of_name (const char *path)
{
  for (guint i = 0; i < G_N_ELEMENTS (importers); i++)
    if (find_suffix (importers[i], path) != NULL)
      return importers[i];

  return NULL;
}

/**
 * assay_importer_of_data:
 * @data: (array length=size): a file
 * @size: its size
 * @name: (nullable): its name
 *
 * Finds the source that a file is of: by its content, otherwise by its name.
 *
 * Returns: the source; the first one for a file that none knows
 */
const AssayImporter *
assay_importer_of_data (const guint8 *data, gsize size, const char *name)
{
  const AssayImporter *named = name != NULL ? assay_importer_of_name (name) : NULL;

  for (guint i = 0; i < G_N_ELEMENTS (importers); i++)
    if (importers[i]->sniff != NULL && importers[i]->sniff (data, size))
      return importers[i];

  return named != NULL ? named : importers[0];
}

/**
 * assay_importer_dup_patterns:
 * @self: (nullable): a source, or %NULL for all
 *
 * Lists what its files are called, for a file dialog.
 *
 * Returns: (transfer full): patterns, separated by `;`
 */
char *
assay_importer_dup_patterns (const AssayImporter *self)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (importers); i++)
    for (guint j = 0; importers[i]->suffixes[j] != NULL; j++)
      if (self == NULL || self == importers[i])
        g_string_append_printf (text, "%s*%s", text->len > 0 ? ";" : "", importers[i]->suffixes[j]);

  return g_string_free (text, FALSE);
}

/**
 * assay_importer_dup_stem:
 * @path: path of a model
 *
 * Takes folder and suffix off a path, so that files beside the model can be named after it.
 *
 * Returns: (transfer full): the name
 */
char *
assay_importer_dup_stem (const char *path)
{
  const AssayImporter *self = assay_importer_of_name (path);
  char *name = g_path_get_basename (path);

  if (self != NULL)
    name[strlen (name) - strlen (find_suffix (self, path))] = '\0';

  return name;
}

/**
 * assay_importer_find_file:
 * @folder: a folder
 * @stem: name of a model without its suffix
 *
 * Looks for a model of any source.
 *
 * Returns: (transfer full) (nullable): its path
 */
char *
assay_importer_find_file (const char *folder, const char *stem)
{
  for (guint i = 0; i < G_N_ELEMENTS (importers); i++)
    for (guint j = 0; importers[i]->suffixes[j] != NULL; j++)
      {
        g_autofree char *name = g_strconcat (stem, importers[i]->suffixes[j], NULL);
        g_autofree char *path = g_build_filename (folder, name, NULL);

        if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
          return g_steal_pointer (&path);
      }

  return NULL;
}
