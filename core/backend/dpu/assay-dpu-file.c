/* assay-dpu-file.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * A program file is a line that tells it apart, one of JSON with what the verdicts and the target
 * said, and the graph as text. Loading makes the operations again.
 */
#include <string.h>

#include "base/assay-error.h"
#include "backend/assay-program-graph.h"
#include "backend/dpu/assay-dpu-program.h"
#include "nnir/text/assay-text.h"
#include "text/assay-json-reader.h"
#include "text/assay-json-writer.h"

/* Numbers of the size, in the order of the file. */
#define N_SIZES 5

static void
write_numbers (AssayJsonWriter *json, const char *name, const guint *numbers, guint n)
{
  assay_json_writer_begin_member_array (json, name);
  for (guint i = 0; i < n; i++)
    assay_json_writer_uint (json, numbers[i]);
  assay_json_writer_end_array (json);
}

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
  const guint sizes[N_SIZES] = { size->pixels, size->inputs, size->outputs, size->clock_mhz,
                                 size->bytes };
  g_autofree char *graph = assay_graph_to_text (code->graph, ASSAY_TEXT_ALL_DATA | ASSAY_TEXT_WHOLE,
                                                error);
  g_autofree char *head = NULL;
  AssayJsonWriter json;
  char *text;

  if (graph == NULL)
    return NULL;

  assay_json_writer_init (&json, 0);
  assay_json_writer_begin_object (&json);
  assay_json_writer_member (&json, "target", origin->target_id);
  assay_json_writer_member (&json, "model", assay_program_model_name (program, 0));
  assay_json_writer_member (&json, "quantizer", code->options.quantizer->name);
  assay_json_writer_member_bool (&json, "exact_relu6", code->options.exact_relu6);
  assay_json_writer_member_bool (&json, "exact_bias", code->options.exact_bias);
  write_numbers (&json, "size", sizes, N_SIZES);
  assay_json_writer_begin_member_object (&json, "nodes");
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (code->graph); id++)
    {
      AssayNodeId into = origin->placement.into[id];

      if (origin->placement.engines[id] == 0 && into == ASSAY_NO_NODE)
        continue;
      assay_json_writer_begin_member_array (&json, assay_graph_node (code->graph, id)->name);
      assay_json_writer_uint (&json, origin->placement.engines[id]);
      if (into != ASSAY_NO_NODE)
        assay_json_writer_string (&json, assay_graph_node (code->graph, into)->name);
      assay_json_writer_end_array (&json);
    }
  assay_json_writer_end_object (&json);
  assay_json_writer_end_object (&json);
  head = assay_json_writer_finish (&json, NULL);
  g_strdelimit (head, "\n", ' ');

  text = g_strconcat (ASSAY_DPU_PROGRAM_MARK, head, "\n", graph, NULL);

  return g_bytes_new_take (text, strlen (text));
}

static gpointer
refuse (GError **error, const char *why)
{
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_LOAD, "the program is damaged: %s", why);
  return NULL;
}

static gint64
member_int (JsonArray *array, guint index)
{
  JsonNode *node = index < json_array_get_length (array) ? json_array_get_element (array, index)
                                                         : NULL;

  return assay_json_node_is_integer (node) ? json_node_get_int (node) : -1;
}

static gboolean
read_size (JsonObject *head, AssayDpuSize *size)
{
  JsonNode *node = json_object_get_member (head, "size");
  guint *numbers[N_SIZES] = { &size->pixels, &size->inputs, &size->outputs, &size->clock_mhz,
                              &size->bytes };

  if (node == NULL || !JSON_NODE_HOLDS_ARRAY (node))
    return FALSE;
  for (guint i = 0; i < N_SIZES; i++)
    {
      gint64 value = member_int (json_node_get_array (node), i);

      if (value < 1 || value > 1 << 20)
        return FALSE;
      *numbers[i] = (guint) value;
    }

  return TRUE;
}

static const char *
read_string (JsonObject *head, const char *name)
{
  JsonNode *node = json_object_get_member (head, name);

  return assay_json_node_is_string (node) ? json_node_get_string (node) : NULL;
}

static gboolean
read_flag (JsonObject *head, const char *name)
{
  JsonNode *node = json_object_get_member (head, name);

  return node != NULL && JSON_NODE_HOLDS_VALUE (node) && json_node_get_boolean (node);
}

static gboolean
read_nodes (JsonObject *head, const AssayGraph *graph, AssayDpuPlacement *placement)
{
  g_autoptr (GHashTable) ids = g_hash_table_new (g_str_hash, g_str_equal);
  JsonNode *node = json_object_get_member (head, "nodes");
  JsonObject *nodes;

  if (node == NULL || !JSON_NODE_HOLDS_OBJECT (node))
    return FALSE;
  nodes = json_node_get_object (node);
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    g_hash_table_insert (ids, (gpointer) assay_graph_node (graph, id)->name, GUINT_TO_POINTER (id));
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      JsonNode *entry = json_object_get_member (nodes, assay_graph_node (graph, id)->name);
      JsonArray *array;
      JsonNode *into;
      gint64 engine;

      if (entry == NULL)
        continue;
      if (!JSON_NODE_HOLDS_ARRAY (entry))
        return FALSE;
      array = json_node_get_array (entry);
      engine = member_int (array, 0);
      into = json_array_get_length (array) > 1 ? json_array_get_element (array, 1) : NULL;
      if (engine < 0 || engine > ASSAY_DPU_N_UNITS ||
          (into != NULL && !assay_json_node_is_string (into)))
        return FALSE;
      placement->engines[id] = (guint8) engine;
      if (into != NULL)
        placement->into[id] = GPOINTER_TO_UINT (
            g_hash_table_lookup (ids, json_node_get_string (into)));
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
  g_autoptr (GBytes) bytes_of_head = NULL;
  g_autoptr (AssayJsonReader) reader = NULL;
  g_autoptr (AssayGraph) graph = NULL;
  g_autofree guint8 *engines = NULL;
  g_autofree AssayNodeId *into = NULL;
  AssayDpuOptions options = { 0 };
  AssayDpuSize device;
  JsonObject *object;
  const char *quantizer;
  AssayProgram *program;
  g_autoptr (GError) why = NULL;

  if (end == NULL)
    return refuse (error, "it has no head");
  bytes_of_head = g_bytes_new_static (head, (gsize) (end - head));
  reader = assay_json_reader_new (bytes_of_head, "its head", NULL, NULL, &why);
  if (reader == NULL)
    return refuse (error, why->message);
  object = assay_json_reader_root (reader);
  graph = assay_program_graph_read (end + 1, size - (gsize) (end + 1 - text), &why);
  if (graph == NULL)
    return refuse (error, why->message);

  engines = g_new0 (guint8, assay_graph_n_nodes (graph));
  into = g_new0 (AssayNodeId, assay_graph_n_nodes (graph));
  options.exact_relu6 = read_flag (object, "exact_relu6");
  options.exact_bias = read_flag (object, "exact_bias");
  quantizer = read_string (object, "quantizer");
  options.quantizer = quantizer != NULL ? assay_quantizer_find (quantizer, NULL) : NULL;
  if (options.quantizer == NULL || read_string (object, "target") == NULL ||
      read_string (object, "model") == NULL || !read_size (object, &device) ||
      !read_nodes (object, graph, &(AssayDpuPlacement){ engines, into }))
    return refuse (error, "its head lacks something");
  program = assay_dpu_program_new (graph, &(AssayDpuPlacement){ engines, into }, &options, &device,
                                   read_string (object, "target"), read_string (object, "model"),
                                   NULL, &why);

  return program != NULL ? program : refuse (error, why->message);
}
