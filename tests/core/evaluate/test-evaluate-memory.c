/* test-evaluate-memory.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "base/assay-error.h"
#include "evaluate/assay-evaluate.h"
#include "nnir/text/assay-text.h"

/* Each large allocation of each kernel fails, one after the other: the run ends with an error that
 * says so, and none of them may be one that ends the program instead. */

/* As in fault-shim.c: smaller ones do not depend on the extents of tensors. */
#define LARGE ((gsize) 64 << 10)

static struct
{
  gboolean armed;
  gint count;    /* of large allocations since then */
  gint failing;  /* which of them fails, from 1 */
  gint aborting; /* large ones that cannot fail */
} faults;

static gboolean
is_large (gsize n, gsize size)
{
  return faults.armed && size > 0 && n >= LARGE / size;
}

static gboolean
fails (gsize n, gsize size)
{
  return is_large (n, size) && g_atomic_int_add (&faults.count, 1) + 1 == faults.failing;
}

/* The linker puts these in front of the functions that the evaluator calls. */
#define TRY(function, parameters, arguments, n, size)                                              \
  gpointer __real_##function parameters;                                                           \
  gpointer __wrap_##function parameters;                                                           \
  gpointer __wrap_##function parameters                                                            \
  {                                                                                                \
    return fails (n, size) ? NULL : __real_##function arguments;                                   \
  }
#define ABORT(function, parameters, arguments, n, size)                                            \
  gpointer __real_##function parameters;                                                           \
  gpointer __wrap_##function parameters;                                                           \
  gpointer __wrap_##function parameters                                                            \
  {                                                                                                \
    if (is_large (n, size))                                                                        \
      g_atomic_int_inc (&faults.aborting);                                                         \
    return __real_##function arguments;                                                            \
  }

TRY (aligned_alloc, (size_t alignment, size_t n), (alignment, n), n, 1)
TRY (g_try_malloc, (gsize n), (n), n, 1)
TRY (g_try_malloc0, (gsize n), (n), n, 1)
TRY (g_try_malloc_n, (gsize n, gsize size), (n, size), n, size)
TRY (g_try_malloc0_n, (gsize n, gsize size), (n, size), n, size)
ABORT (g_malloc, (gsize n), (n), n, 1)
ABORT (g_malloc0, (gsize n), (n), n, 1)
ABORT (g_malloc_n, (gsize n, gsize size), (n, size), n, size)
ABORT (g_malloc0_n, (gsize n, gsize size), (n, size), n, size)
ABORT (g_memdup2, (gconstpointer data, gsize n), (data, n), n, 1)

/* Graphs whose kernels need large memory beside their outputs. */
static const struct
{
  const char *name;
  const char *body;
} graphs[] = {
#define GRAPH(name, inputs, nodes) { name, "main (" inputs ") {\n" nodes "\n  return %y\n}\n" },
#include "memory-graphs.def"
#include "test-program.h"
#undef GRAPH
};

static AssayGraph *
parse (const char *body)
{
  g_autofree char *text = g_strconcat (
      "nnir 1\ngraph \"t\" {level = onnx, ir_version = 10}\nopset \"\" 24\n", body, NULL);
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) error = NULL;
  AssayGraph *graph = assay_graph_from_text (text, -1, findings, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (assay_findings_get_count (findings), ==, 0);

  return graph;
}

static GPtrArray *
make_inputs (AssayGraph *graph)
{
  const AssayRegion *region = assay_graph_region (graph, ASSAY_MAIN_REGION);
  GPtrArray *inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_datum_unref);

  for (guint i = 0; i < region->inputs->len; i++)
    {
      const AssayType *type =
          assay_graph_value (graph, g_array_index (region->inputs, AssayValueId, i))->type;
      gint64 dims[ASSAY_MAX_RANK];
      AssayDatum *datum;

      for (int j = 0; j < type->rank; j++)
        dims[j] = type->dims[j].size;
      datum = assay_datum_new (type->dtype, assay_datum_storage (type->dtype, FALSE),
                               (guint) type->rank, dims, NULL);
      g_assert_nonnull (datum);
      for (gsize j = 0; j < datum->n; j++)
        assay_datum_set_number (datum, j,
                                assay_dtype_is_float (type->dtype)
                                    ? (double) (j * 7919 % 199) / 50.0 - 2.0
                                    : (double) (j % 3));
      g_ptr_array_add (inputs, datum);
    }

  return inputs;
}

/* The output of a run in which one large allocation fails, or none. */
static AssayDatum *
run (AssayGraph *graph, const GPtrArray *inputs, gint failing, GError **error)
{
  AssayEvaluateOptions options = { .n_threads = 2 };
  g_autoptr (AssayEvaluator) evaluator = assay_evaluator_new (graph, &options, NULL);
  g_autoptr (GPtrArray) outputs = NULL;

  g_assert_nonnull (evaluator);
  faults.count = 0;
  faults.failing = failing;
  faults.armed = TRUE;
  outputs = assay_evaluator_run (evaluator, inputs->len, (AssayDatum *const *) inputs->pdata, NULL,
                                 error);
  faults.armed = FALSE;

  return outputs != NULL ? assay_datum_ref (g_ptr_array_index (outputs, 0)) : NULL;
}

static void
test_graph (gconstpointer data)
{
  g_autoptr (AssayGraph) graph = parse (data);
  g_autoptr (GPtrArray) inputs = make_inputs (graph);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayDatum) whole = run (graph, inputs, 0, &error);
  gint n = faults.count;

  g_assert_no_error (error);
  g_assert_cmpint (n, >, 0);
  g_assert_cmpint (faults.aborting, ==, 0);

  for (gint failing = 1; failing <= n; failing++)
    {
      g_autoptr (GError) refused = NULL;
      g_autoptr (AssayDatum) output = run (graph, inputs, failing, &refused);

      /* A block that a thread has just given back may stand in for one that another run took. */
      if (faults.count < failing)
        {
          g_assert_no_error (refused);
          g_assert_cmpmem (output->data, output->n * assay_storage_size (output->storage),
                           whole->data, whole->n * assay_storage_size (whole->storage));
          continue;
        }
      g_assert_null (output);
      g_assert_error (refused, ASSAY_ERROR, ASSAY_ERROR_MEMORY);
      g_assert_nonnull (strstr (refused->message, "memory for"));
    }
}

TEST_PROGRAM (evaluate_memory)
{
  g_test_init (&argc, &argv, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (graphs); i++)
    {
      g_autofree char *path = g_strconcat ("/evaluate/memory/", graphs[i].name, NULL);

      g_test_add_data_func (path, graphs[i].body, test_graph);
    }

  return g_test_run ();
}
