/* assay-import-layers.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The example of a source: a made-up text, one layer on each line.
 *
 *   layers 1
 *   input batch 8
 *   dense 16 relu
 *   dense 4
 *
 * Weights are made up as well, always the same ones. docs/adding-a-source.md goes through it.
 */
#include <string.h>

#include "base/assay-error.h"
#include "nnir/assay-graph-builder.h"
#include "source/assay-importer.h"

#define HEAD "layers 1"
#define MAX_WIDTH 4096

typedef struct
{
  AssayGraph *graph;
  AssayValueId last;
  gint64 width;
  guint line;
  guint32 origin; /* of the layer that is being read */
} Reader;

static const struct
{
  const char *word;
  AssayOp op;
} activations[] = {
  { "relu", ASSAY_OP_Relu },
  { "tanh", ASSAY_OP_Tanh },
  { "sigmoid", ASSAY_OP_Sigmoid },
};

static gboolean
sniff_layers (const guint8 *data, gsize size)
{
  return size > strlen (HEAD) && memcmp (data, HEAD "\n", strlen (HEAD) + 1) == 0;
}

static gboolean
fail (Reader *self, GError **error, const char *what, const char *seen)
{
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT, "line %u: %s, not \"%s\"", self->line, what,
               seen);
  return FALSE;
}

static gboolean
read_size (Reader *self, const char *word, gint64 *size, GError **error)
{
  return g_ascii_string_to_signed (word, 10, 1, MAX_WIDTH, size, NULL) ||
         fail (self, error, "a size was expected", word);
}

/* Each dimension is a size or a name. */
static gboolean
read_input (Reader *self, char **words, GError **error)
{
  guint rank = g_strv_length (words);
  AssayDim dims[2];

  if (self->last != ASSAY_NO_VALUE || rank != G_N_ELEMENTS (dims))
    return fail (self, error, "one input of two dimensions was expected", words[0]);
  if (g_ascii_isdigit (words[0][0]) && !read_size (self, words[0], &dims[0].size, error))
    return FALSE;
  if (!read_size (self, words[1], &self->width, error))
    return FALSE;

  if (!g_ascii_isdigit (words[0][0]))
    dims[0] = (AssayDim){ -1, assay_arena_intern (self->graph->arena, words[0]) };
  else
    dims[0].symbol = NULL;
  dims[1] = (AssayDim){ self->width, NULL };
  self->last = assay_graph_add_input (
      self->graph, ASSAY_MAIN_REGION, "input",
      assay_type_new_tensor (self->graph->arena, ASSAY_DTYPE_F32, 2, dims));

  return TRUE;
}

/* A node on what was last, and a constant if it takes one; it comes from this line. */
static void
add_node (Reader *self, AssayOp op, AssayValueId constant)
{
  AssayValueId inputs[] = { self->last, constant };
  g_autofree char *name = g_strdup_printf ("%s_%u", assay_op_name (op), self->line);
  AssayValueId output = assay_graph_add_value (self->graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT,
                                               name, NULL);
  AssayNodeId node = assay_graph_add_node (self->graph, ASSAY_MAIN_REGION, op, name,
                                           constant == ASSAY_NO_VALUE ? 1 : 2, inputs, 1, &output);

  assay_graph_set_origins (self->graph, node, 1, &self->origin);
  self->last = output;
}

static AssayValueId
add_weights (Reader *self, const char *what, guint rank, const gint64 *dims)
{
  g_autofree char *name = g_strdup_printf ("%s_%u", what, self->line);
  gsize n = (gsize) (rank == 2 ? dims[0] * dims[1] : dims[0]);
  float *elements = g_new (float, n);
  g_autoptr (GBytes) bytes = g_bytes_new_take (elements, n * sizeof *elements);
  g_autoptr (AssayTensor) tensor = assay_tensor_new (ASSAY_DTYPE_F32, rank, dims, bytes, NULL);

  for (gsize i = 0; i < n; i++)
    elements[i] = (float) ((int) ((i * 7 + self->line) % 11) - 5) / 16.0f;

  return assay_graph_add_constant (self->graph, ASSAY_MAIN_REGION, name, tensor);
}

static gboolean
read_dense (Reader *self, char **words, GError **error)
{
  gint64 dims[] = { self->width, 0 };
  guint i = 0;

  if (words[0] == NULL || self->last == ASSAY_NO_VALUE)
    return fail (self, error, "an input, then the width of a layer was expected", "");
  if (!read_size (self, words[0], &dims[1], error))
    return FALSE;
  while (words[1] != NULL && i < G_N_ELEMENTS (activations) &&
         !g_str_equal (activations[i].word, words[1]))
    i++;
  if (i == G_N_ELEMENTS (activations))
    return fail (self, error, "relu, tanh or sigmoid was expected", words[1]);

  self->origin = assay_graph_add_origin (self->graph, "layers", "", "dense", "example", self->line);
  add_node (self, ASSAY_OP_MatMul, add_weights (self, "weights", 2, dims));
  add_node (self, ASSAY_OP_Add, add_weights (self, "bias", 1, dims + 1));
  if (words[1] != NULL)
    add_node (self, activations[i].op, ASSAY_NO_VALUE);
  self->width = dims[1];

  return TRUE;
}

static const struct
{
  const char *word;
  gboolean (*read) (Reader *self, char **words, GError **error);
} lines[] = {
  { "input", read_input },
  { "dense", read_dense },
};

static gboolean
read_line (Reader *self, char *line, GError **error)
{
  g_auto (GStrv) words = g_strsplit (g_strstrip (line), " ", -1);

  if (words[0] == NULL)
    return TRUE;

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    if (g_str_equal (lines[i].word, words[0]))
      return lines[i].read (self, words + 1, error);

  return fail (self, error, "input or dense was expected", words[0]);
}

static AssayGraph *
read_layers (GBytes *bytes, const char *folder, const AssayImportOptions *options,
             AssayFindings *findings, const AssayProgress *progress, GError **error)
{
  gsize size;
  const char *data = g_bytes_get_data (bytes, &size);
  g_autofree char *text = g_strndup (data, size);
  g_auto (GStrv) rows = g_strsplit (text, "\n", -1);
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  Reader self = { .graph = graph, .line = 1 };

  if (rows[0] == NULL || !g_str_equal (rows[0], HEAD))
    {
      fail (&self, error, HEAD " was expected", rows[0] != NULL ? rows[0] : "");
      return NULL;
    }
  for (char **row = rows + 1; *row != NULL; row++)
    {
      self.line++;
      if (!read_line (&self, *row, error))
        return NULL;
    }
  if (self.last == ASSAY_NO_VALUE)
    {
      fail (&self, error, "an input was expected", "the end");
      return NULL;
    }

  assay_graph_add_output (graph, ASSAY_MAIN_REGION, self.last);
  return g_steal_pointer (&graph);
}

const AssayImporter assay_importer_layers = {
  .id = "layers",
  .title = "Layers",
  .models = "Layer Lists",
  .mime_type = "text/x-layers",
  .suffixes = { ".layers" },
  .sniff = sniff_layers,
  .read = read_layers,
};
