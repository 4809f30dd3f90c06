/* assay-suite-cut.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * A suite of the operators of a model: each node a case of its own, with the values that the
 * reference has there when the whole model runs.
 */
#include "reduce/assay-suite-cut.h"

#include "base/assay-error.h"
#include "base/assay-file-write.h"
#include "evaluate/assay-evaluate.h"
#include "nnir/text/assay-text.h"
#include "process/assay-temporary.h"
#include "reduce/assay-extract.h"
#include "reduce/assay-reduce-folder.h"
#include "run/assay-run-inputs.h"
#include "run/assay-run-subject.h"
#include "source/onnx/assay-onnx-write.h"
#include "source/onnx/assay-tensor-file.h"

/* Of all values of a model together. */
#define MAX_BYTES (G_GUINT64_CONSTANT (2) << 30)

typedef struct
{
  AssayGraph *graph;
  const char *folder;
  GHashTable *values; /* AssayValueId to AssayTensor */
  GHashTable *names;  /* of those: name to AssayTensor */
  gsize n_bytes;
  const AssayProgress *progress;
} Cut;

static gboolean
keep (Cut *self, AssayValueId id, AssayTensor *tensor, GError **error)
{
  self->n_bytes += assay_tensor_get_n_bytes (tensor);
  g_hash_table_insert (self->names, g_strdup (assay_graph_value (self->graph, id)->name), tensor);
  g_hash_table_insert (self->values, GUINT_TO_POINTER (id), tensor);
  if (self->n_bytes <= MAX_BYTES)
    return TRUE;
  g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED,
                       "the values between its operators are more than 2 GiB; cut a smaller model, "
                       "or one of a smaller batch");

  return FALSE;
}

static gboolean
record (AssayEvaluator *evaluator, AssayNodeId node, guint output, AssayDatum **datum,
        gpointer user_data, GError **error)
{
  Cut *self = user_data;
  const AssayNode *from = assay_graph_node (assay_evaluator_get_graph (evaluator), node);
  AssayTensor *tensor;

  if ((*datum)->kind != ASSAY_DATUM_TENSOR || from->region != ASSAY_MAIN_REGION)
    return TRUE;
  tensor = assay_datum_to_tensor (*datum, FALSE, error);

  return tensor != NULL && keep (self, assay_node_output (from, output), tensor, error);
}

/* Runs the whole model once. */
static gboolean
run_model (Cut *self, guint64 seed, GError **error)
{
  g_autoptr (AssayRunInputs) inputs = assay_run_inputs_new ();
  g_autoptr (GArray) ports = assay_run_ports_for_graph (self->graph);
  AssayEvaluateOptions options = ASSAY_EVALUATE_OPTIONS_DEFAULT;
  g_autofree const char **names = g_new0 (const char *, ports->len + 1);
  g_autoptr (GPtrArray) tensors = NULL;
  g_autoptr (GPtrArray) outputs = NULL;

  assay_run_inputs_set_seed (inputs, seed, TRUE);
  tensors = assay_run_inputs_make (inputs, (const AssayRunPort *) (gpointer) ports->data,
                                   ports->len, 0, error);
  if (tensors == NULL)
    return FALSE;
  for (guint i = 0; i < ports->len; i++)
    {
      AssayTensor *tensor = tensors->pdata[i];

      names[i] = g_array_index (ports, AssayRunPort, i).name;
      g_hash_table_insert (self->names, g_strdup (names[i]), tensor);
      /* Only kept: inputs of the model are inputs of its parts by themselves. */
      g_hash_table_insert (self->values, GUINT_TO_POINTER (G_MAXUINT - i),
                           assay_tensor_ref (tensor));
    }

  options.seed = seed;
  options.observer = record;
  options.observer_data = self;
  outputs = assay_evaluate_graph (self->graph, &options, ports->len, names,
                                  (AssayTensor *const *) tensors->pdata, self->progress, error);

  return outputs != NULL;
}

/* The tensors of one side of a part; %FALSE without an error if one is not known. */
static gboolean
list_tensors (Cut *self, AssayGraph *part, gboolean inputs, GPtrArray *tensors, GPtrArray *names)
{
  const AssayRegion *region = assay_graph_region (part, ASSAY_MAIN_REGION);
  const GArray *ids = inputs ? region->inputs : region->outputs;

  for (guint i = 0; i < ids->len; i++)
    {
      const AssayValue *value = assay_graph_value (part, g_array_index (ids, AssayValueId, i));
      AssayTensor *tensor = g_hash_table_lookup (self->names, value->name);

      if (value->is_parameter)
        continue;
      if (tensor == NULL || assay_tensor_get_dtype (tensor) == ASSAY_DTYPE_STRING ||
          assay_dtype_bits (assay_tensor_get_dtype (tensor)) < 8)
        return FALSE;
      g_ptr_array_add (tensors, tensor);
      g_ptr_array_add (names, (gpointer) value->name);
    }

  return TRUE;
}

static gboolean
save_tensors (const char *set, const char *kind, const GPtrArray *tensors, const GPtrArray *names,
              GError **error)
{
  for (guint i = 0; i < tensors->len; i++)
    {
      g_autofree char *path = g_strdup_printf ("%s/%s_%u.pb", set, kind, i);

      if (!assay_tensor_file_save (path, tensors->pdata[i], names->pdata[i], error))
        return FALSE;
    }

  return TRUE;
}

/* As ONNX, which everybody reads, or what ONNX cannot say as text of the graph. */
static gboolean
save_model (Cut *self, AssayGraph *part, const char *folder, GError **error)
{
  static const AssayOnnxWriteOptions options = { .keep_names = TRUE };
  g_autofree char *onnx = g_build_filename (folder, "model.onnx", NULL);
  g_autofree char *path = g_build_filename (folder, "model.nnir", NULL);
  g_autoptr (GError) reason = NULL;
  g_autofree char *text = NULL;

  if (assay_onnx_write_file (part, onnx, &options, self->progress, &reason))
    return TRUE;
  if (g_error_matches (reason, ASSAY_ERROR, ASSAY_ERROR_IO) ||
      g_error_matches (reason, ASSAY_ERROR, ASSAY_ERROR_CANCELLED))
    {
      g_propagate_error (error, g_steal_pointer (&reason));
      return FALSE;
    }
  text = assay_graph_to_text (part, ASSAY_TEXT_ALL_DATA, error);

  return text != NULL && assay_file_write (path, text, strlen (text), error);
}

/* Whether a node became a case; an error if it should have. */
static gboolean
cut_node (Cut *self, AssayNodeId id, guint8 *kept, gboolean *is_case, GError **error)
{
  const AssayNode *node = assay_graph_node (self->graph, id);
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
  g_autoptr (GPtrArray) outputs = g_ptr_array_new ();
  g_autoptr (GPtrArray) input_names = g_ptr_array_new ();
  g_autoptr (GPtrArray) output_names = g_ptr_array_new ();
  g_autofree char *name = g_strdup_printf ("%05u-%s", id, assay_op_get_info (node->op)->name);
  g_autofree char *folder = g_build_filename (self->folder, name, NULL);
  g_autofree char *set = g_build_filename (folder, "test_data_set_0", NULL);
  g_autoptr (AssayGraph) part = NULL;
  g_autoptr (GError) reason = NULL;

  kept[id] = 1;
  part = assay_graph_extract (self->graph, kept, self->values, self->progress, &reason);
  kept[id] = 0;
  if (part == NULL && g_error_matches (reason, ASSAY_ERROR, ASSAY_ERROR_CANCELLED))
    {
      g_propagate_error (error, g_steal_pointer (&reason));
      return FALSE;
    }
  *is_case = part != NULL && list_tensors (self, part, TRUE, inputs, input_names) &&
             list_tensors (self, part, FALSE, outputs, output_names);

  return !*is_case ||
         (assay_reduce_folder_make (set, error) && save_model (self, part, folder, error) &&
          save_tensors (set, "input", inputs, input_names, error) &&
          save_tensors (set, "output", outputs, output_names, error));
}

/**
 * assay_suite_cut:
 * @work: a model
 * @seed: of the values that go into it
 * @folder: where the suite goes; made if it is not there, refused if something is in it
 * @cut: (out): what became of its nodes
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Runs a model once by the reference, and makes a suite of it: a case for each node, with what goes
 * in and comes out there. The folder goes again if that fails.
 *
 * Returns: whether there is a suite
 */
gboolean
assay_suite_cut (AssayWork *work, guint64 seed, const char *folder, AssaySuiteCut *cut,
                 const AssayProgress *progress, GError **error)
{
  AssayGraph *graph = assay_work_get_graph (work, progress, error);
  g_autoptr (GHashTable)
      values = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) assay_tensor_unref);
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree guint8 *kept = NULL;
  Cut self = { graph, folder, values, names, 0, progress };
  gboolean done = TRUE;

  *cut = (AssaySuiteCut){ 0, 0 };
  if (graph == NULL || !assay_reduce_folder_make (folder, error))
    return FALSE;

  done = run_model (&self, seed, error);
  kept = g_new0 (guint8, assay_graph_n_nodes (graph) + 1);
  for (AssayNodeId id = 1; done && id < assay_graph_n_nodes (graph); id++)
    {
      gboolean is_case = FALSE;

      if (assay_graph_node (graph, id)->region != ASSAY_MAIN_REGION)
        continue;
      done = cut_node (&self, id, kept, &is_case, error);
      cut->n_cases += is_case;
      cut->n_left += !is_case;
    }
  if (!done)
    assay_temporary_delete (folder);

  return done;
}
