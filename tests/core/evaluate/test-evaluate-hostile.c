/* test-evaluate-hostile.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>
#include <math.h>
#include <string.h>
#include <sys/resource.h>

#include "base/assay-error.h"
#include "evaluate/assay-evaluate.h"
#include "source/assay-source.h"
#include "source/onnx/assay-tensor-file.h"
#include "test-program.h"
#include "wait.h"

/* Every kernel on inputs that it was not made for: of another type, rank, size or value, or
 * missing. It may compute something or say what is wrong, and must not do anything else. */

#define ONNX_DATA "/usr/share/libonnx-testdata/data/node"

typedef enum
{
  CHANGE_NONE,
  CHANGE_MISSING,
  CHANGE_SCALAR,
  CHANGE_EMPTY,
  CHANGE_RANK_UP,
  CHANGE_RANK_DOWN,
  CHANGE_SHORTER,
  CHANGE_LONGER,
  CHANGE_TO_STRING,
  CHANGE_TO_I64,
  CHANGE_TO_F32,
  CHANGE_TO_BOOL,
  CHANGE_NEGATIVE,
  CHANGE_LARGE,
  CHANGE_NAN,
  CHANGE_SEQUENCE,
  N_CHANGES
} Change;

static void
fill (AssayDatum *datum, const AssayDatum *like)
{
  for (gsize i = 0; i < datum->n; i++)
    {
      gsize from = like->n > 0 ? i % like->n : 0;

      if (datum->storage == ASSAY_DTYPE_STRING)
        ((GBytes **) datum->data)[i] = like->storage == ASSAY_DTYPE_STRING && like->n > 0
                                           ? g_bytes_ref (((GBytes **) like->data)[from])
                                           : g_bytes_new ("a", 1);
      else if (like->storage == ASSAY_DTYPE_STRING || like->n == 0)
        assay_datum_set_number (datum, i, 1.0);
      else
        assay_datum_set_number (datum, i, CLAMP (assay_datum_get_number (like, from), 0.0, 20.0));
    }
}

static AssayDatum *
remake (const AssayDatum *like, AssayDType dtype, guint rank, const gint64 *dims)
{
  AssayDatum *datum = assay_datum_new (dtype, assay_datum_storage (dtype, FALSE), rank, dims, NULL);

  if (datum != NULL && datum->storage != ASSAY_DTYPE_C64 && datum->storage != ASSAY_DTYPE_C128)
    fill (datum, like);

  return datum;
}

static AssayDatum *
with_values (const AssayDatum *like, double value)
{
  AssayDatum *datum = remake (like, like->dtype, like->rank, like->dims);

  for (gsize i = 0; datum != NULL && i < datum->n && datum->storage != ASSAY_DTYPE_STRING; i++)
    {
      if (assay_dtype_is_float (datum->storage) ||
          (!isnan (value) && datum->storage != ASSAY_DTYPE_BOOL))
        assay_datum_set_number (datum, i, value);
    }

  return datum;
}

static AssayDatum *
change_input (AssayDatum *like, Change change)
{
  gint64 dims[ASSAY_MAX_RANK + 1];

  if (like == NULL || like->kind != ASSAY_DATUM_TENSOR)
    return change == CHANGE_MISSING || like == NULL ? NULL : assay_datum_ref (like);

  memcpy (dims, like->dims, like->rank * sizeof *dims);
  dims[like->rank] = 1;
  switch (change)
    {
    case CHANGE_MISSING:
      return NULL;
    case CHANGE_SCALAR:
      return remake (like, like->dtype, 0, NULL);
    case CHANGE_EMPTY:
      dims[like->rank / 2] = 0;
      return remake (like, like->dtype, MAX (like->rank, 1), dims);
    case CHANGE_RANK_UP:
      return remake (like, like->dtype, like->rank + 1, dims);
    case CHANGE_RANK_DOWN:
      return remake (like, like->dtype, like->rank - MIN (like->rank, 1), dims);
    case CHANGE_SHORTER:
      for (guint i = 0; i < like->rank; i++)
        dims[i] = MAX (dims[i] - 1, 1);
      return remake (like, like->dtype, like->rank, dims);
    case CHANGE_LONGER:
      for (guint i = 0; i < like->rank; i++)
        dims[i]++;
      return remake (like, like->dtype, like->rank, dims);
    case CHANGE_TO_STRING:
      return remake (like, ASSAY_DTYPE_STRING, like->rank, dims);
    case CHANGE_TO_I64:
      return remake (like, ASSAY_DTYPE_I64, like->rank, dims);
    case CHANGE_TO_F32:
      return remake (like, ASSAY_DTYPE_F32, like->rank, dims);
    case CHANGE_TO_BOOL:
      return remake (like, ASSAY_DTYPE_BOOL, like->rank, dims);
    case CHANGE_NEGATIVE:
      return with_values (like, assay_dtype_kind (like->storage) == 'U' ? 0.0 : -100.0);
    case CHANGE_LARGE:
      return with_values (like, 20.0);
    case CHANGE_NAN:
      return with_values (like, NAN);
    case CHANGE_SEQUENCE:
      {
        g_autoptr (GPtrArray)
            items = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_datum_unref);

        g_ptr_array_add (items, assay_datum_ref (like));
        return assay_datum_new_items (ASSAY_DATUM_SEQUENCE, items);
      }
    default:
      return assay_datum_ref (like);
    }
}

static AssayDatum *
load_input (const char *folder, guint index, const AssayType *type)
{
  g_autofree char *path = g_strdup_printf ("%s/test_data_set_0/input_%u.pb", folder, index);
  g_autoptr (GPtrArray) tensors = NULL;

  if (type->kind != ASSAY_TYPE_KIND_TENSOR || !g_file_test (path, G_FILE_TEST_EXISTS))
    return NULL;
  tensors = assay_tensor_file_load (path, type->kind, NULL, NULL);

  return tensors != NULL ? assay_datum_new_tensor (g_ptr_array_index (tensors, 0), FALSE, NULL)
                         : NULL;
}

/* A loop without an end has to be ended. */
static gpointer
cancel_later (gpointer data)
{
  GAsyncQueue *queue = data;
  GCancellable *cancellable;

  while ((cancellable = g_async_queue_pop (queue)) != (gpointer) queue)
    {
      cancel_amid (cancellable);
      g_object_unref (cancellable);
    }

  return NULL;
}

static void
run_changed (AssayEvaluator *evaluator, AssayNodeId id, const GPtrArray *inputs, guint which,
             Change change, GAsyncQueue *queue)
{
  const AssayNode *node = assay_graph_node (assay_evaluator_get_graph (evaluator), id);
  g_autoptr (GPtrArray)
      changed = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_datum_unref);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  AssayProgress progress = ASSAY_PROGRESS_INIT (NULL, NULL, cancellable);
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) outputs = NULL;

  for (guint i = 0; i < inputs->len; i++)
    g_ptr_array_add (
        changed, change_input (g_ptr_array_index (inputs, i), i == which ? change : CHANGE_NONE));

  if (node->op == ASSAY_OP_Loop)
    g_async_queue_push (queue, g_object_ref (cancellable));
  outputs = assay_evaluator_run_node (evaluator, id, changed->len,
                                      (AssayDatum *const *) changed->pdata, &progress, &error);
  g_assert_true ((outputs == NULL) == (error != NULL));
  if (error != NULL && !g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED))
    g_assert_cmpuint (strlen (error->message), >, 0);
}

static void
run_model (const char *name, GAsyncQueue *queue)
{
  g_autofree char *folder = g_build_filename (ONNX_DATA, name, NULL);
  g_autofree char *path = g_build_filename (folder, "model.onnx", NULL);
  AssayEvaluateOptions options = { .n_threads = 1 };
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (AssayGraph) graph = assay_model_read (path, NULL, findings, NULL, NULL);
  g_autoptr (AssayEvaluator) evaluator = NULL;
  g_autoptr (GPtrArray)
      inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_datum_unref);
  const AssayRegion *region;
  const AssayNode *node;
  AssayNodeId id;

  g_assert_nonnull (graph);
  region = assay_graph_region (graph, ASSAY_MAIN_REGION);
  evaluator = assay_evaluator_new (graph, &options, NULL);
  if (evaluator == NULL || region->nodes->len != 1)
    return;

  id = g_array_index (region->nodes, AssayNodeId, 0);
  node = assay_graph_node (graph, id);
  for (guint i = 0; i < node->n_inputs; i++)
    {
      AssayDatum *datum = NULL;

      for (guint j = 0; j < region->inputs->len; j++)
        {
          AssayValueId value = g_array_index (region->inputs, AssayValueId, j);

          if (value == node->inputs[i])
            datum = load_input (folder, j, assay_graph_value (graph, value)->type);
        }
      g_ptr_array_add (inputs, datum);
    }

  for (guint i = 0; i < inputs->len; i++)
    {
      for (Change change = CHANGE_MISSING; change < N_CHANGES; change++)
        run_changed (evaluator, id, inputs, i, change, queue);
    }
}

static void
test_inputs (void)
{
  struct rlimit limit = { (rlim_t) 4 << 30, (rlim_t) 4 << 30 };
  g_autoptr (GAsyncQueue) queue = g_async_queue_new ();
  g_autoptr (GDir) folder = g_dir_open (ONNX_DATA, 0, NULL);
  const char *only = g_getenv ("ASSAY_TEST_CASE");
  GThread *thread;
  const char *name;

  if (folder == NULL)
    {
      g_test_skip ("libonnx-testdata is not installed");
      return;
    }

    /* A tensor that nobody could want has to be refused, not had. The address sanitizer needs all
     * addresses itself. */
#ifdef __SANITIZE_ADDRESS__
  (void) limit;
#else
  setrlimit (RLIMIT_AS, &limit);
#endif
  thread = g_thread_new ("cancel", cancel_later, queue);
  while ((name = g_dir_read_name (folder)) != NULL)
    {
      if (only != NULL && strstr (name, only) == NULL)
        continue;
      if (g_test_verbose ())
        g_test_message ("%s", name);
      run_model (name, queue);
    }
  g_async_queue_push (queue, queue);
  g_thread_join (thread);
}

TEST_PROGRAM (evaluate_hostile)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/evaluate/hostile/inputs", test_inputs);

  return g_test_run ();
}
