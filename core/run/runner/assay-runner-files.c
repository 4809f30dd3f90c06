/* assay-runner-files.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Outputs that somebody recorded before: as `assay run` writes them, or the `output_N.pb` of an
 * ONNX test data set. What goes in is not looked at.
 */
#include "base/assay-error.h"
#include "base/assay-npy.h"
#include "nnir/analysis/assay-analysis.h"
#include "source/onnx/assay-tensor-file.h"
#include "run/assay-run-files.h"
#include "run/assay-runner-private.h"

/* The file of a value between inputs and outputs, under the name that its output would have. */
static char *
value_path (AssayRunner *self, AssayValueId id)
{
  g_autofree char *stem = assay_run_file_name (assay_graph_value (self->subject->graph, id)->name);
  g_autofree char *file = g_strconcat (stem, ".npy", NULL);

  return g_build_filename (self->argument, file, NULL);
}

static char *
proto_path (AssayRunner *self, guint output)
{
  g_autofree char *file = g_strdup_printf ("output_%u.pb", output);

  return g_build_filename (self->argument, file, NULL);
}

static gboolean
files_open (AssayRunner *self, const AssayRunnerOptions *options, const AssayProgress *progress,
            GError **error)
{
  g_autoptr (GPtrArray) paths = assay_run_files_name (
      self->argument, (AssayRunPort *) (gpointer) self->outputs->data, self->outputs->len);

  for (guint i = 0; i < paths->len; i++)
    {
      const char *path = g_ptr_array_index (paths, i);
      g_autofree char *proto = proto_path (self, i);

      if (g_file_test (path, G_FILE_TEST_IS_REGULAR) || g_file_test (proto, G_FILE_TEST_IS_REGULAR))
        continue;
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "runner %s: output %s: expected %s or output_%u.pb there", self->spec,
                   g_array_index (self->outputs, AssayRunPort, i).name, path, i);
      return FALSE;
    }
  self->data = g_steal_pointer (&paths);

  return TRUE;
}

static void
files_close (AssayRunner *self)
{
  g_clear_pointer ((GPtrArray **) &self->data, g_ptr_array_unref);
}

static gboolean
files_can_observe (AssayRunner *self, AssayValueId id)
{
  g_autofree char *path = value_path (self, id);

  return assay_graph_value (self->subject->graph, id)->kind == ASSAY_VALUE_RESULT &&
         g_file_test (path, G_FILE_TEST_IS_REGULAR);
}

static gboolean
show_values (AssayRunner *self, const AssayRunObserver *observer, GError **error)
{
  const AssayGraph *graph = self->subject->graph;
  g_autoptr (GArray) order = assay_graph_sort_region (graph, ASSAY_MAIN_REGION, NULL);

  for (guint i = 0; i < order->len; i++)
    {
      const AssayNode *node = assay_graph_node (graph, g_array_index (order, AssayNodeId, i));

      for (guint j = 0; j < node->n_outputs; j++)
        {
          AssayValueId id = node->outputs[j];
          g_autofree char *path = NULL;
          g_autoptr (AssayTensor) tensor = NULL;

          if (id == ASSAY_NO_VALUE || !assay_run_observer_wants (observer, id) ||
              !files_can_observe (self, id))
            continue;
          path = value_path (self, id);
          tensor = assay_npy_load (path, error);
          if (tensor == NULL || !observer->func (id, 0, tensor, observer->user_data, error))
            return FALSE;
        }
    }

  return TRUE;
}

static AssayTensor *
load_output (AssayRunner *self, guint index, GError **error)
{
  const char *path = g_ptr_array_index ((GPtrArray *) self->data, index);
  g_autofree char *proto = proto_path (self, index);
  g_autoptr (GPtrArray) tensors = NULL;

  if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return assay_npy_load (path, error);

  tensors = assay_tensor_file_load (proto, ASSAY_TYPE_KIND_TENSOR, NULL, error);

  return tensors == NULL ? NULL : assay_tensor_ref (g_ptr_array_index (tensors, 0));
}

/* An output that is no tensor. */
static AssayRunParts *
load_parts (AssayRunner *self, guint index, GError **error)
{
  const char *path = g_ptr_array_index ((GPtrArray *) self->data, index);
  g_autofree char *proto = proto_path (self, index);
  const AssayGraph *graph = self->subject->imported;
  AssayValueId id = g_array_index (assay_graph_region (graph, ASSAY_MAIN_REGION)->outputs,
                                   AssayValueId, index);
  AssayTypeKind kind = assay_graph_value (graph, id)->type->kind;
  g_autoptr (GPtrArray) tensors = NULL;

  if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return assay_run_parts_load (path, error);

  tensors = assay_tensor_file_load (proto, kind, NULL, error);

  return tensors == NULL ? NULL : assay_run_parts_for_tensors (kind, tensors);
}

static GPtrArray *
files_run (AssayRunner *self, GPtrArray *inputs, const AssayRunObserver *observer,
           const AssayProgress *progress, GError **error)
{
  g_autoptr (GPtrArray)
      outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);

  if (observer != NULL && !show_values (self, observer, error))
    return NULL;

  for (guint i = 0; i < self->outputs->len; i++)
    {
      const AssayRunPort *port = &g_array_index (self->outputs, AssayRunPort, i);
      AssayRunPort any_type = *port;
      AssayTensor *tensor;

      if (port->other != NULL)
        {
          g_autoptr (AssayRunParts) parts = load_parts (self, i, error);

          if (parts == NULL)
            return NULL;
          assay_runner_take_parts (self, i, parts, outputs);
          continue;
        }
      tensor = load_output (self, i, error);
      if (tensor == NULL)
        return NULL;
      g_ptr_array_add (outputs, tensor);

      /* What was recorded elsewhere may be wider or narrower than the model's own type. */
      any_type.dtype = ASSAY_DTYPE_UNDEFINED;
      if (!assay_runner_check_output (self, &any_type, tensor, error))
        return NULL;
    }

  return g_steal_pointer (&outputs);
}

const AssayRunnerClass assay_runner_files_class = { NULL, files_open, files_close,
                                                    files_can_observe, files_run };
