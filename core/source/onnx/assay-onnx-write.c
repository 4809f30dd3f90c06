/* assay-onnx-write.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/assay-onnx-write.h"

#include "base/assay-error.h"
#include "base/assay-file-write.h"
#include "nnir/assay-verify.h"
#include "source/onnx/assay-onnx-fields.h"
#include "source/onnx/assay-onnx-write-private.h"

/* Protobuf counts the bytes of a message in 31 bits. */
#define MAX_BYTES ((gsize) G_MAXINT32)

/* Which IR version came with an opset (ONNX, "Versioning"); each is the lowest that may import it.
 */
static const struct
{
  gint64 opset;
  gint64 ir_version;
} ir_versions[] = {
  { 13, 7 }, { 15, 8 }, { 19, 9 }, { 21, 10 }, { 23, 11 }, { 24, 12 }, { 25, 13 },
};

static gboolean
check_sound (AssayGraph *graph, GError **error)
{
  g_autoptr (AssayFindings) findings = assay_findings_new ();

  if (assay_graph_verify (graph, findings))
    return TRUE;

  for (guint i = 0; i < assay_findings_get_count (findings); i++)
    {
      const AssayFinding *finding = assay_findings_get (findings, i);

      if (finding->severity != ASSAY_SEVERITY_ERROR)
        continue;
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED,
                   "the graph is not sound and cannot be written: %s%s%s",
                   finding->node != NULL ? finding->node : "", finding->node != NULL ? ": " : "",
                   finding->message);
      break;
    }

  return FALSE;
}

static void
write_text (AssayWireMessage *message, guint field, const char *text)
{
  if (text != NULL && text[0] != '\0')
    assay_wire_message_add_string (message, field, text);
}

static AssayWireMessage *
write_model (OnnxWriter *self, GError **error)
{
  g_autoptr (AssayWireMessage) graph = assay_onnx_write_graph (self, ASSAY_MAIN_REGION, error);
  gint64 ir_version = MAX (self->ir_version, 7);
  AssayWireMessage *message;

  if (graph == NULL)
    return NULL;

  for (guint i = 0; i < G_N_ELEMENTS (ir_versions); i++)
    {
      if (g_array_index (self->opsets, AssayOpset, 0).version >= ir_versions[i].opset)
        ir_version = MAX (ir_version, ir_versions[i].ir_version);
    }

  message = assay_wire_message_new ();
  assay_wire_message_add_int (message, MODEL_IR_VERSION, ir_version);
  write_text (message, MODEL_PRODUCER_NAME, self->graph->producer_name);
  write_text (message, MODEL_PRODUCER_VERSION, self->graph->producer_version);
  write_text (message, MODEL_DOC_STRING, self->graph->doc);
  for (guint i = 0; i < self->opsets->len; i++)
    {
      const AssayOpset *opset = &g_array_index (self->opsets, AssayOpset, i);
      AssayWireMessage *entry = assay_wire_message_new ();

      assay_wire_message_add_string (entry, OPSET_DOMAIN, opset->domain);
      assay_wire_message_add_int (entry, OPSET_VERSION, opset->version);
      assay_wire_message_add_message (message, MODEL_OPSET_IMPORT, entry);
    }
  assay_wire_message_add_message (message, MODEL_GRAPH, g_steal_pointer (&graph));

  return message;
}

/* Makes the message of a graph, with @location with large weights left to a file beside it. */
static AssayWireMessage *
make_message (AssayGraph *graph, const char *location, gboolean keep_names, GArray *beside,
              GError **error)
{
  g_autofree const char **names = g_new0 (const char *, assay_graph_n_values (graph));
  g_autofree guint8 *left_out = g_new0 (guint8, assay_graph_n_values (graph));
  g_autofree guint8 *is_output = g_new0 (guint8, assay_graph_n_values (graph));
  g_autoptr (GPtrArray) values = assay_onnx_write_lists (graph);
  g_autoptr (GHashTable) opset_places = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GArray) opsets = g_array_new (FALSE, FALSE, sizeof (AssayOpset));
  GStringChunk *chunk = g_string_chunk_new (1024);
  OnnxWriter writer = { .graph = graph,
                        .names = names,
                        .opsets = opsets,
                        .opset_places = opset_places,
                        .values = values,
                        .is_output = is_output,
                        .left_out = left_out,
                        .location = location,
                        .beside = beside };
  AssayWireMessage *message;

  assay_onnx_write_names (&writer, chunk);
  assay_onnx_write_opsets (&writer, keep_names);
  message = write_model (&writer, error);
  g_string_chunk_free (chunk);

  return message;
}

/**
 * assay_onnx_write_bytes:
 * @graph: a sound graph
 * @error: return location for a #GError
 *
 * Writes a graph as an ONNX model into memory, weights and all.
 *
 * Returns: (transfer full) (nullable): the model, or %NULL if ONNX cannot say it
 */
GBytes *
assay_onnx_write_bytes (AssayGraph *graph, GError **error)
{
  g_autoptr (GArray) beside = g_array_new (FALSE, FALSE, sizeof (AssayWireHole));
  g_autoptr (AssayGraph) expanded = NULL;
  g_autoptr (AssayWireMessage) message = NULL;
  g_autoptr (GByteArray) bytes = NULL;
  gsize at = 0;

  expanded = check_sound (graph, error) ? assay_onnx_expand (graph, error) : NULL;
  if (expanded == NULL)
    return NULL;

  message = make_message (expanded, NULL, FALSE, beside, error);
  if (message == NULL)
    return NULL;
  if (assay_wire_message_get_size (message) > MAX_BYTES)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED,
                   "the model has %" G_GSIZE_FORMAT " bytes, more than the 2 GiB of one message",
                   assay_wire_message_get_size (message));
      return NULL;
    }

  bytes = g_byte_array_sized_new ((guint) assay_wire_message_get_size (message));
  for (guint i = 0; i < message->holes->len; i++)
    {
      const AssayWireHole *hole = &g_array_index (message->holes, AssayWireHole, i);
      gconstpointer data = assay_tensor_get_data (hole->tensor, NULL, error);

      if (data == NULL)
        return NULL;
      g_byte_array_append (bytes, message->bytes->data + at, (guint) (hole->at - at));
      g_byte_array_append (bytes, data, (guint) hole->n_bytes);
      at = hole->at;
    }
  g_byte_array_append (bytes, message->bytes->data + at, (guint) (message->bytes->len - at));

  return g_byte_array_free_to_bytes (g_steal_pointer (&bytes));
}

/**
 * assay_onnx_write_file:
 * @graph: a sound graph
 * @path: where the model goes
 * @options: (nullable): how
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Writes a graph as an ONNX model that other tools load; docs/onnx-export.md says what becomes of
 * what. The weights are copied from the file they are mapped from. What is too large for one file
 * is written with its weights in `NAME.data` beside it.
 *
 * Returns: whether the model is there, whole; otherwise everything is as before
 */
gboolean
assay_onnx_write_file (AssayGraph *graph, const char *path, const AssayOnnxWriteOptions *options,
                       const AssayProgress *progress, GError **error)
{
  static const AssayOnnxWriteOptions no_options = { 0 };
  /* A link stays what it is, and the file it leads to is replaced. */
  g_autofree char *place = assay_file_follow_links (path);
  gsize max_bytes = options != NULL && options->max_bytes > 0 ? options->max_bytes : MAX_BYTES;
  g_autoptr (GArray) beside = g_array_new (FALSE, FALSE, sizeof (AssayWireHole));
  g_autofree char *name = g_path_get_basename (place);
  g_autofree char *location = g_strconcat (name, ".data", NULL);
  g_autoptr (AssayGraph) expanded = NULL;
  g_autoptr (AssayWireMessage) message = NULL;
  gboolean whole;

  if (options == NULL)
    options = &no_options;
  assay_progress_report (progress, 0.0, "Writing");
  expanded = check_sound (graph, error) ? assay_onnx_expand (graph, error) : NULL;
  if (expanded == NULL)
    return FALSE;

  message = make_message (expanded, NULL, options->keep_names, beside, error);
  whole = message != NULL && assay_wire_message_get_size (message) <= max_bytes;
  if (message != NULL && !whole)
    {
      assay_wire_message_free (message);
      message = make_message (expanded, location, options->keep_names, beside, error);
    }
  if (message == NULL)
    {
      g_prefix_error (error, "%s: ", path);
      return FALSE;
    }
  if (assay_wire_message_get_size (message) > MAX_BYTES)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED,
                   "%s: %" G_GSIZE_FORMAT
                   " bytes without its weights, more than the 2 GiB of one message",
                   path, assay_wire_message_get_size (message));
      return FALSE;
    }

  return assay_onnx_save (message, beside, beside->len > 0 ? location : NULL, place, options,
                          progress, error);
}
