/* assay-onnx-write-name.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/assay-onnx-write-private.h"

/* In a file a name stands for one value in a graph and all graphs inside of it. In NNIR values of
 * one name can live side by side, so that some of them get a number. Inputs and outputs of the
 * model keep theirs. */

typedef struct
{
  OnnxWriter *writer;
  GStringChunk *chunk;
  GPtrArray *regions;  /* per region: GArray of those inside of it */
  GHashTable *visible; /* names in use here and around here */
  GHashTable *numbers; /* interned name -> the last number behind it */
} Naming;

static gboolean
is_taken (Naming *self, const char *name)
{
  return name[0] == '\0' || g_hash_table_contains (self->visible, name);
}

static void
name_value (Naming *self, AssayValueId id)
{
  const char *stem = assay_graph_value (self->writer->graph, id)->name;
  const char *name = stem;

  if (self->writer->names[id] != NULL)
    return;

  while (is_taken (self, name))
    {
      guint n = GPOINTER_TO_UINT (g_hash_table_lookup (self->numbers, stem)) + 1;
      g_autofree char *numbered = g_strdup_printf ("%s_%u", stem, n + 1);

      g_hash_table_insert (self->numbers, (gpointer) stem, GUINT_TO_POINTER (n));
      if (!is_taken (self, numbered))
        name = g_string_chunk_insert (self->chunk, numbered);
    }

  self->writer->names[id] = name;
  g_hash_table_add (self->visible, (gpointer) name);
}

static void
append_to (GPtrArray *lists, guint32 region, guint32 id)
{
  if (g_ptr_array_index (lists, region) == NULL)
    g_ptr_array_index (lists, region) = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_array_append_val ((GArray *) g_ptr_array_index (lists, region), id);
}

static void
name_region (Naming *self, AssayRegionId id)
{
  const AssayRegion *region = assay_graph_region (self->writer->graph, id);
  const GArray *values = g_ptr_array_index (self->writer->values, id);
  const GArray *inside = g_ptr_array_index (self->regions, id);

  for (guint i = 0; i < region->inputs->len; i++)
    name_value (self, g_array_index (region->inputs, AssayValueId, i));
  for (guint i = 0; i < region->outputs->len; i++)
    {
      AssayValueId output = g_array_index (region->outputs, AssayValueId, i);

      if (output != ASSAY_NO_VALUE && assay_graph_value (self->writer->graph, output)->region == id)
        name_value (self, output);
    }
  for (guint i = 0; values != NULL && i < values->len; i++)
    name_value (self, g_array_index (values, AssayValueId, i));

  for (guint i = 0; inside != NULL && i < inside->len; i++)
    name_region (self, g_array_index (inside, AssayRegionId, i));

  /* Graphs side by side may use the same names. */
  for (guint i = 0; values != NULL && i < values->len; i++)
    g_hash_table_remove (self->visible,
                         self->writer->names[g_array_index (values, AssayValueId, i)]);
}

static void
free_list (gpointer list)
{
  if (list != NULL)
    g_array_unref (list);
}

static GPtrArray *
new_lists (guint n)
{
  GPtrArray *lists = g_ptr_array_new_with_free_func (free_list);

  g_ptr_array_set_size (lists, (int) n);

  return lists;
}

/**
 * assay_onnx_write_lists:
 * @graph: a sound graph
 *
 * Sorts the values of a graph into its regions.
 *
 * Returns: (transfer full) (element-type GArray): the values of each region, %NULL where there are
 * none
 */
GPtrArray *
assay_onnx_write_lists (AssayGraph *graph)
{
  GPtrArray *values = new_lists (graph->regions->len);

  for (AssayValueId id = 1; id < assay_graph_n_values (graph); id++)
    append_to (values, assay_graph_value (graph, id)->region, id);

  return values;
}

/**
 * assay_onnx_write_names:
 * @self: a writer of a sound graph that has its lists of values
 * @chunk: keeps new names
 *
 * Gives every value the name that it has in the file.
 */
void
assay_onnx_write_names (OnnxWriter *self, GStringChunk *chunk)
{
  AssayGraph *graph = self->graph;
  g_autoptr (GPtrArray) regions = new_lists (graph->regions->len);
  g_autoptr (GHashTable) visible = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) numbers = g_hash_table_new (NULL, NULL);
  Naming naming = { self, chunk, regions, visible, numbers };

  for (AssayRegionId id = 1; id < graph->regions->len; id++)
    append_to (regions, assay_graph_node (graph, assay_graph_region (graph, id)->parent)->region,
               id);

  name_region (&naming, ASSAY_MAIN_REGION);
}
