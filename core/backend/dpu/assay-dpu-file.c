/* assay-dpu-file.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * A program file is a line that tells it apart, a value of GVariant with what the verdicts and the
 * target said, and the graph as text. Loading makes the operations again.
 */
#include <string.h>

#include "base/assay-error.h"
#include "backend/assay-program-graph.h"
#include "backend/dpu/assay-dpu-program.h"
#include "nnir/text/assay-text.h"

/* The head: target, model, quantizer, whether ReLU6 and biases are exact, the numbers of the size,
 * and per node that an engine or another node has: its name, the engine, and that node or "".
 * Names are bytes: GVariant does not look at their letters. */
#define HEAD_TYPE "(ayayaybb(uuuuu)a(ayuay))"

/* No number of a size is larger. */
#define LARGEST_NUMBER ((guint32) 1 << 20)

/**
 * assay_dpu_program_to_bytes:
 * @program: a program
 * @error: return location for a #GError
 *
 * Writes a program as a file has it.
 *
 * Returns: (transfer full) (nullable): the bytes
 */
GBytes *
assay_dpu_program_to_bytes (AssayProgram *program, GError **error)
{
  AssayDpuProgram *self = ASSAY_DPU_PROGRAM (program);
  const AssayDpuCode *code = assay_dpu_program_get_code (self);
  const AssayDpuOrigin *origin = assay_dpu_program_get_origin (self);
  const AssayDpuSize *size = &origin->size;
  g_autofree char *graph = assay_graph_to_text (code->graph, ASSAY_TEXT_ALL_DATA | ASSAY_TEXT_WHOLE,
                                                error);
  g_autoptr (GVariant) head = NULL;
  g_autofree char *line = NULL;
  GVariantBuilder nodes;
  char *text;

  if (graph == NULL)
    return NULL;

  g_variant_builder_init (&nodes, G_VARIANT_TYPE ("a(ayuay)"));
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (code->graph); id++)
    {
      AssayNodeId into = origin->placement.into[id];

      if (origin->placement.engines[id] == 0 && into == ASSAY_NO_NODE)
        continue;
      g_variant_builder_add (&nodes, "(^ayu^ay)", assay_graph_node (code->graph, id)->name,
                             (guint32) origin->placement.engines[id],
                             into != ASSAY_NO_NODE ? assay_graph_node (code->graph, into)->name
                                                   : "");
    }
  head = g_variant_ref_sink (g_variant_new (
      "(^ay^ay^aybb(uuuuu)a(ayuay))", origin->target_id, assay_program_model_name (program, 0),
      code->options.quantizer->name, code->options.exact_relu6, code->options.exact_bias,
      size->pixels, size->inputs, size->outputs, size->clock_mhz, size->bytes, &nodes));
  line = g_variant_print (head, FALSE);
  text = g_strconcat (ASSAY_DPU_PROGRAM_MARK, line, "\n", graph, NULL);

  return g_bytes_new_take (text, strlen (text));
}

static gpointer
refuse (GError **error, const char *why)
{
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_LOAD, "the program is damaged: %s", why);
  return NULL;
}

static gboolean
read_size (GVariant *head, AssayDpuSize *size)
{
  guint *numbers[] = { &size->pixels, &size->inputs, &size->outputs, &size->clock_mhz,
                       &size->bytes };
  g_autoptr (GVariant) values = g_variant_get_child_value (head, 5);

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      g_variant_get_child (values, i, "u", numbers[i]);
      if (*numbers[i] < 1 || *numbers[i] > LARGEST_NUMBER)
        return FALSE;
    }

  return TRUE;
}

static gboolean
read_nodes (GVariant *head, const AssayGraph *graph, AssayDpuPlacement *placement)
{
  g_autoptr (GHashTable) ids = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GVariant) nodes = g_variant_get_child_value (head, 6);
  GVariantIter iter;
  const char *name, *into;
  guint32 engine;

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    g_hash_table_insert (ids, (gpointer) assay_graph_node (graph, id)->name, GUINT_TO_POINTER (id));
  g_variant_iter_init (&iter, nodes);
  while (g_variant_iter_next (&iter, "(^&ayu^&ay)", &name, &engine, &into))
    {
      AssayNodeId id = GPOINTER_TO_UINT (g_hash_table_lookup (ids, name));

      if (engine > ASSAY_DPU_N_UNITS)
        return FALSE;
      if (id == ASSAY_NO_NODE)
        continue;
      placement->engines[id] = (guint8) engine;
      placement->into[id] = GPOINTER_TO_UINT (g_hash_table_lookup (ids, into));
    }

  return TRUE;
}

/**
 * assay_dpu_program_load:
 * @bytes: what a program file holds
 * @error: return location for a #GError
 *
 * Loads a program.
 *
 * Returns: (transfer full) (nullable): the program
 */
AssayProgram *
assay_dpu_program_load (GBytes *bytes, GError **error)
{
  gsize size;
  const char *text = g_bytes_get_data (bytes, &size);
  const char *head = text + strlen (ASSAY_DPU_PROGRAM_MARK);
  const char *end = size > strlen (ASSAY_DPU_PROGRAM_MARK)
                        ? memchr (head, '\n', size - strlen (ASSAY_DPU_PROGRAM_MARK))
                        : NULL;
  g_autoptr (GVariant) values = NULL;
  g_autoptr (AssayGraph) graph = NULL;
  g_autofree guint8 *engines = NULL;
  g_autofree AssayNodeId *into = NULL;
  AssayDpuOptions options = { 0 };
  AssayDpuSize device;
  const char *target, *model, *quantizer;
  AssayProgram *program;
  g_autoptr (GError) why = NULL;

  if (end == NULL)
    return refuse (error, "it has no head");
  values = g_variant_parse (G_VARIANT_TYPE (HEAD_TYPE), head, end, NULL, &why);
  if (values == NULL)
    {
      g_autofree char *message = g_strconcat ("its head: ", why->message, NULL);

      return refuse (error, message);
    }
  graph = assay_program_graph_read (end + 1, size - (gsize) (end + 1 - text), &why);
  if (graph == NULL)
    return refuse (error, why->message);

  engines = g_new0 (guint8, assay_graph_n_nodes (graph));
  into = g_new0 (AssayNodeId, assay_graph_n_nodes (graph));
  g_variant_get_child (values, 0, "^&ay", &target);
  g_variant_get_child (values, 1, "^&ay", &model);
  g_variant_get_child (values, 2, "^&ay", &quantizer);
  g_variant_get_child (values, 3, "b", &options.exact_relu6);
  g_variant_get_child (values, 4, "b", &options.exact_bias);
  options.quantizer = assay_quantizer_find (quantizer, NULL);
  if (options.quantizer == NULL || !g_utf8_validate (target, -1, NULL) ||
      !g_utf8_validate (model, -1, NULL) || !read_size (values, &device) ||
      !read_nodes (values, graph, &(AssayDpuPlacement){ engines, into }))
    return refuse (error, "its head has an invalid value");
  program = assay_dpu_program_new (graph, &(AssayDpuPlacement){ engines, into }, &options, &device,
                                   target, model, NULL, &why);

  return program != NULL ? program : refuse (error, why->message);
}
