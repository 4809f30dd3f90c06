/* gpu-check.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * A model of a family against the reference, and against the Vulkan specification.
 */
#include "gpu-families.h"

#include "evaluate/compare/assay-error-span.h"

/* The distance in units of the last place of the type, where numbers near zero count in units of
 * the size of the tensor, and what is smaller than a normal number may be zero (Vulkan
 * specification, "Precision and Operation of SPIR-V Instructions"). */
static void
check_output (const char *what, guint index, AssayTensor *a, AssayTensor *b, double units)
{
  gboolean half = assay_tensor_get_dtype (a) == ASSAY_DTYPE_F16;
  gsize n = assay_tensor_get_n_elements (a);
  double unit = half ? 0x1p-10 : 0x1p-23;
  double energy = 0.0;
  double scale;
  gsize finite = 0;

  g_assert_cmpint (assay_tensor_get_dtype (a), ==, assay_tensor_get_dtype (b));
  g_assert_cmpuint (n, ==, assay_tensor_get_n_elements (b));
  for (gsize i = 0; i < n; i++)
    {
      double x;

      g_assert_true (assay_tensor_get_element (a, i, &x, NULL));
      if (isfinite (x) && fabs (x) < 1e15)
        {
          energy += x * x;
          finite++;
        }
    }
  scale = finite > 0 ? sqrt (energy / (double) finite) : 0.0;
  for (gsize i = 0; i < n; i++)
    {
      double x, y;

      g_assert_true (assay_tensor_get_element (a, i, &x, NULL));
      g_assert_true (assay_tensor_get_element (b, i, &y, NULL));
      if ((isnan (x) && isnan (y)) || x == y ||
          fabs (x - y) <= units * unit * MAX (fabs (x), scale) + (half ? 0x1p-14 : 0x1p-126))
        continue;
      g_error ("%s: output %u, element %" G_GSIZE_FORMAT ": %.9g, the reference has %.9g", what,
               index, i, y, x);
    }
}

/* How large a tensor is, or one element of it. */
static AssayMagnitude
measure (AssayTensor *tensor, gssize element)
{
  AssayMagnitude self = { 0 };
  double x;

  if (element < 0)
    g_assert_true (assay_magnitude_add (&self, tensor, NULL));
  else if (assay_tensor_get_element (tensor, (gsize) element, &x, NULL) && isfinite (x))
    self = (AssayMagnitude){ 1, x, x * x, fabs (x), fabs (x) };

  return self;
}

/* Which element of an operand broadcasts to an element of a result; -1 if it does not. */
static gssize
broadcast_element (AssayTensor *operand, AssayTensor *result, gsize element)
{
  const gint64 *dims = assay_tensor_get_dims (operand);
  const gint64 *whole = assay_tensor_get_dims (result);
  guint rank = assay_tensor_get_rank (operand), n = assay_tensor_get_rank (result);
  gsize found = 0, stride = 1;

  if (rank > n)
    return -1;
  for (guint i = 0; i < rank; i++)
    {
      gint64 dim = dims[rank - 1 - i];
      gsize extent = (gsize) whole[n - 1 - i];

      if (dim != 1 && dim != whole[n - 1 - i])
        return -1;
      found += dim == 1 ? 0 : element % extent * stride;
      stride *= (gsize) dim;
      element /= extent;
    }

  return (gssize) found;
}

/* How far a shader may be from what is exact and stored as the reference stores it: by what the
 * Vulkan specification allows. Of one element, where those of the operands make it alone. */
static double
bound_of (AssayGraph *graph, const AssayNode *node, AssayTensor **operands, AssayTensor *result,
          gssize element)
{
  const AssayErrorRounding rounding = assay_error_rounding_of_shaders (ASSAY_COMPARE_FP32);
  double unit = assay_tensor_get_dtype (result) == ASSAY_DTYPE_F16 ? 0x1p-11 : 0x1p-24;
  AssayMagnitude seen = measure (result, element);
  AssayErrorSpan spans[16] = { 0 };

  for (guint i = 0; i < node->n_inputs; i++)
    if (operands[i] != NULL)
      {
        AssayMagnitude magnitude = measure (
            operands[i],
            element < 0 ? -1 : broadcast_element (operands[i], result, (gsize) element));

        spans[i] = assay_error_span_of_magnitude (&magnitude);
      }

  return assay_error_span_of_node (graph, node, 0, spans, &seen, &rounding, 1).worst +
         unit * seen.peak;
}

/* What is computed of each element alone, with operands that broadcast. */
static gboolean
is_pointwise (const AssayNode *node, AssayTensor **operands, AssayTensor *result)
{
  const AssayOpInfo *info = assay_op_get_info (node->op);
  gboolean same = info->category == ASSAY_CATEGORY_ELEMENTWISE ||
                  (info->traits & ASSAY_OP_TRAIT_UNARY_MAP) != 0;

  for (guint i = 0; i < node->n_inputs && same; i++)
    same = operands[i] == NULL || assay_tensor_get_n_elements (result) == 0 ||
           broadcast_element (operands[i], result, 0) == 0;

  return same;
}

/* A result against the precision of the Vulkan specification; returns whether there is a bound. */
static gboolean
check_node (const char *what, AssayGraph *graph, const AssayNode *node, AssayTensor **operands,
            AssayTensor *a, AssayTensor *b)
{
  gboolean each = is_pointwise (node, operands, a), bounded = TRUE;
  double bound = each ? 0 : bound_of (graph, node, operands, a, -1);

  for (gsize i = 0; i < assay_tensor_get_n_elements (a); i++)
    {
      double x, y;

      g_assert_true (assay_tensor_get_element (a, i, &x, NULL));
      g_assert_true (assay_tensor_get_element (b, i, &y, NULL));
      if (!isfinite (x) || !isfinite (y))
        continue;
      if (each)
        bound = bound_of (graph, node, operands, a, (gssize) i);
      if (!(fabs (x - y) <= bound))
        g_error ("%s: %s, element %" G_GSIZE_FORMAT ": %.9g, the reference has %.9g, and the "
                 "specification allows %.3g",
                 what, node->op_type, i, y, x, bound);
      bounded = bounded && isfinite (bound);
    }

  return bounded;
}

/* Every node of a model with one result each against the precision of the Vulkan specification. */
static void
check_precision (const char *what, AssayGraph *graph, GPtrArray *inputs, GPtrArray *expected,
                 GPtrArray *made)
{
  const AssayRegion *ends = assay_graph_region (graph, ASSAY_MAIN_REGION);
  g_autofree AssayTensor **values = g_new0 (AssayTensor *, assay_graph_n_values (graph));
  guint n_open = 0;

  for (AssayValueId id = 1; id < assay_graph_n_values (graph); id++)
    values[id] = assay_graph_constant (graph, id);
  for (guint i = 0; i < inputs->len; i++)
    values[g_array_index (ends->inputs, AssayValueId, i)] = g_ptr_array_index (inputs, i);
  /* What was turned round twice is what it was. */
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      const AssayNode *node = assay_graph_node (graph, id);
      AssayNodeId before = node->op == ASSAY_OP_Neg
                               ? assay_graph_value (graph, node->inputs[0])->producer
                               : ASSAY_NO_NODE;

      if (before != ASSAY_NO_NODE && assay_graph_node (graph, before)->op == ASSAY_OP_Neg)
        values[node->outputs[0]] = values[assay_graph_node (graph, before)->inputs[0]];
    }
  for (guint i = 0; i < expected->len; i++)
    values[g_array_index (ends->outputs, AssayValueId, i)] = g_ptr_array_index (expected, i);
  for (guint i = 0; i < expected->len; i++)
    {
      AssayValueId id = g_array_index (ends->outputs, AssayValueId, i);
      const AssayNode *node = assay_graph_node (graph, assay_graph_value (graph, id)->producer);
      AssayTensor *operands[16] = { NULL };

      g_assert_cmpuint (node->n_inputs, <=, G_N_ELEMENTS (operands));
      for (guint j = 0; j < node->n_inputs; j++)
        if (node->inputs[j] != ASSAY_NO_VALUE)
          operands[j] = values[node->inputs[j]];
      if (!check_node (what, graph, node, operands, values[id], g_ptr_array_index (made, i)))
        {
          /* The specification has none beyond pi. */
          g_assert_true (node->op == ASSAY_OP_Sin || node->op == ASSAY_OP_Cos);
          n_open++;
        }
    }
  g_test_message ("%u results within the specification, %u without a bound", expected->len - n_open,
                  n_open);
}

/* Everything on the device, within so many units of the reference and as exact as the Vulkan
 * specification asks; the same bits twice. */
void
gpu_check (const char *what, GpuModel *model)
{
  g_autoptr (GArray) limits = model->limits;
  g_autofree char *text = gpu_model_finish (model);
  g_autoptr (AssayWork) work = gpu_fixture_work_with (text, model->textures);
  AssayRunSubject *subject = assay_work_get_subject (work, TRUE, NULL, NULL);
  AssayDelegateProgram *program = ASSAY_DELEGATE_PROGRAM (subject->program);
  const AssayDelegatePlan *plan = assay_delegate_program_get_plan (program, FALSE);
  AssayGraph *graph = assay_delegate_program_get_graph (program);
  g_autoptr (GArray) ports = assay_run_subject_get_inputs (subject);
  g_autoptr (GPtrArray)
      inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
  g_autoptr (AssayRunner) reference = NULL;
  g_autoptr (AssayRunner) exact = NULL;
  g_autoptr (AssayRunner) vulkan = NULL;
  g_autoptr (GPtrArray) expected = NULL;
  g_autoptr (GPtrArray) right = NULL;
  g_autoptr (GPtrArray) first = NULL;
  g_autoptr (GPtrArray) second = NULL;

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    if (plan->places[id] == ASSAY_DELEGATE_HOST && !model->textures)
      g_error ("%s: %s %s runs on the host: %s", what, assay_graph_node (graph, id)->name,
               assay_graph_node (graph, id)->op_type,
               plan->reasons[id] != NULL ? plan->reasons[id] : "it is rejected");
  for (guint i = 0; i < ports->len; i++)
    g_ptr_array_add (inputs,
                     gpu_make_tensor (&g_array_index (ports, AssayRunPort, i), model->kind));
  reference = gpu_fixture_open (subject, "reference");
  vulkan = gpu_fixture_open (subject, "vulkan");
  exact = gpu_fixture_open (subject, "reference-fp64");
  expected = gpu_fixture_run (reference, inputs);
  right = gpu_fixture_run (exact, inputs);
  first = gpu_fixture_run (vulkan, inputs);
  second = gpu_fixture_run (vulkan, inputs);
  g_assert_cmpuint (first->len, ==, expected->len);
  for (guint i = 0; i < first->len; i++)
    {
      gsize sizes[2];
      AssayTensor *tensors[2] = { g_ptr_array_index (first, i), g_ptr_array_index (second, i) };
      gconstpointer data[2];

      check_output (what, i, g_ptr_array_index (expected, i), tensors[0],
                    g_array_index (limits, double, i));
      for (guint j = 0; j < 2; j++)
        data[j] = assay_tensor_get_data (tensors[j], &sizes[j], NULL);
      g_assert_cmpmem (data[0], sizes[0], data[1], sizes[1]);
    }
  check_precision (what, graph, inputs, right, first);
}
