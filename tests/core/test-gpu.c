/* test-gpu.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every family of shaders on lavapipe against the reference: shapes around what a group takes,
 * extents of 0 and 1, numbers that are none. The validation layers watch, and anything that they
 * say fails a run.
 */
#include "gpu-fixture.h"

#include "base/assay-error.h"
#include "evaluate/compare/assay-error-span.h"
#include "run/assay-comparison.h"

/* What elements are tried: plain ones alone, or those that are special as well. */
typedef enum
{
  PLAIN,
  SPECIAL,
  POSITIVE,
  N_KINDS
} Kind;

/* A graph with many results, written node by node. */
typedef struct
{
  GString *inputs;
  GString *body;
  GString *outputs;
  GArray *limits; /* per output, in units of the last place */
  double units;   /* of those that come */
  Kind kind;      /* of the inputs */
  guint n;
} Model;

static void
model_init (Model *self, double units, Kind kind)
{
  self->inputs = g_string_new (NULL);
  self->body = g_string_new (NULL);
  self->outputs = g_string_new (NULL);
  self->limits = g_array_new (FALSE, FALSE, sizeof (double));
  self->units = units;
  self->kind = kind;
  self->n = 0;
}

static guint
model_input (Model *self, const char *dtype, const char *dims)
{
  g_string_append_printf (self->inputs, "%s%%x%u : %s[%s]", self->inputs->len > 0 ? ", " : "",
                          self->n, dtype, dims);

  return self->n++;
}

/* A node whose operands stand as $a, $b and $c in its text; its result goes out. */
static guint
model_apply (Model *self, const char *node, guint a, guint b, guint c)
{
  const guint operands[] = { a, b, c };

  g_string_append_printf (self->body, "  %%x%u = ", self->n);
  for (const char *at = node; *at != '\0'; at++)
    if (*at == '$')
      g_string_append_printf (self->body, "%%x%u", operands[*++at - 'a']);
    else
      g_string_append_c (self->body, *at);
  g_array_append_val (self->limits, self->units);
  g_string_append_printf (self->body, " @ \"n%u\"\n", self->n);
  g_string_append_printf (self->outputs, "%s%%x%u", self->outputs->len > 0 ? ", " : "", self->n);

  return self->n++;
}

/* A constant with numbers that follow from their place. */
static guint
model_constant (Model *self, const char *dtype, const char *dims)
{
  g_auto (GStrv) parts = g_strsplit (dims, ",", -1);
  guint n = 1;

  for (guint i = 0; parts[i] != NULL && *parts[i] != '\0'; i++)
    n *= (guint) atoi (parts[i]);
  g_string_append_printf (self->body, "  const %%x%u : %s[%s] = [", self->n, dtype, dims);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (self->body, "%s%g", i > 0 ? ", " : "",
                            (double) ((i * 37 + 11) % 32) / 16.0 - 1.0);
  g_string_append (self->body, "]\n");

  return self->n++;
}

static guint
model_integers (Model *self, const char *values, guint n)
{
  g_string_append_printf (self->body, "  const %%x%u : i64[%u] = [%s]\n", self->n, n, values);

  return self->n++;
}

static guint
model_scalar (Model *self, const char *dtype, const char *value)
{
  g_string_append_printf (self->body, "  const %%x%u : %s[] = [%s]\n", self->n, dtype, value);

  return self->n++;
}

static char *
model_finish (Model *self)
{
  char *text = g_strdup_printf ("main (%s) {\n%s  return %s\n}\n", self->inputs->str,
                                self->body->str, self->outputs->str);

  g_string_free (self->inputs, TRUE);
  g_string_free (self->body, TRUE);
  g_string_free (self->outputs, TRUE);

  return text;
}

static double
pick (guint i, Kind kind, gboolean whole)
{
  static const double special[] = { NAN,  INFINITY, -INFINITY, 0.0,    -0.0,   1e-41, -1e-41,
                                    1e30, -1e30,    0.5,       -0.5,   1.5,    2.5,   -2.5,
                                    88.0, -88.0,    1e-20,     3.1416, 6.0001, -3.0,  15.5 };
  double plain = (double) ((i * 2654435761u >> 8) % 4096) / 512.0 - 4.0;

  if (whole)
    return floor (plain * 5.0);
  if (kind == SPECIAL && i % 2 == 0)
    return special[i / 2 % G_N_ELEMENTS (special)];

  return kind == POSITIVE ? fabs (plain) + 0.125 : plain;
}

static AssayTensor *
make_tensor (const AssayRunPort *port, Kind kind)
{
  g_autoptr (GBytes) bytes = NULL;
  gsize n, size;
  guint8 *data;

  g_assert_true (assay_dims_count ((guint) port->rank, port->dims, &n));
  g_assert_true (assay_dtype_byte_size (port->dtype, n, &size));
  data = g_malloc0 (size + 8);
  for (guint i = 0; i < n; i++)
    {
      double value = pick (i + 3 * (guint) port->name[1], kind,
                           !assay_dtype_is_float (port->dtype));

      switch (port->dtype)
        {
        case ASSAY_DTYPE_F32:
          ((float *) (gpointer) data)[i] = (float) value;
          break;
        case ASSAY_DTYPE_F16:
          ((guint16 *) (gpointer) data)[i] = assay_f16_from_f32 ((float) value);
          break;
        case ASSAY_DTYPE_I32:
          ((gint32 *) (gpointer) data)[i] = (gint32) value;
          break;
        case ASSAY_DTYPE_I64:
          ((gint64 *) (gpointer) data)[i] = (gint64) value;
          break;
        case ASSAY_DTYPE_BOOL:
          data[i] = value > 0.0;
          break;
        default:
          g_assert_not_reached ();
        }
    }
  bytes = g_bytes_new_take (data, size);

  return assay_tensor_new (port->dtype, (guint) port->rank, port->dims, bytes, NULL);
}

static AssayRunner *
open_runner (AssayRunSubject *subject, const char *spec)
{
  g_autoptr (GError) error = NULL;
  AssayRunner *runner = assay_runner_open (spec, subject, NULL, NULL, &error);

  g_assert_no_error (error);

  return runner;
}

static GPtrArray *
run (AssayRunner *runner, GPtrArray *inputs)
{
  g_autoptr (GError) error = NULL;
  GPtrArray *outputs;

  outputs = assay_runner_run (runner, inputs, NULL, NULL, &error);
  g_assert_no_error (error);

  return outputs;
}

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
  else if (assay_tensor_get_element (
               tensor, assay_tensor_get_n_elements (tensor) == 1 ? 0 : (gsize) element, &x, NULL) &&
           isfinite (x))
    self = (AssayMagnitude){ 1, x, x * x, fabs (x), fabs (x) };

  return self;
}

/* How far a shader may be from what is exact and stored as the reference stores it: by what the
 * Vulkan specification allows. Of one element, where those of the operands make it alone. */
static double
bound_of (AssayGraph *graph, const AssayNode *node, AssayTensor **operands, AssayTensor *result,
          gssize element)
{
  const AssayErrorRounding rounding = assay_error_rounding_of_shaders ();
  double unit = assay_tensor_get_dtype (result) == ASSAY_DTYPE_F16 ? 0x1p-11 : 0x1p-24;
  AssayMagnitude seen = measure (result, element);
  AssayErrorSpan spans[16] = { 0 };

  for (guint i = 0; i < node->n_inputs; i++)
    if (operands[i] != NULL)
      {
        AssayMagnitude magnitude = measure (operands[i], element);

        spans[i] = assay_error_span_of_magnitude (&magnitude);
      }

  return assay_error_span_of_node (graph, node, 0, spans, &seen, &rounding, 1).worst +
         unit * seen.peak;
}

/* What is computed of each element alone, with operands of one extent or of one element. */
static gboolean
is_pointwise (const AssayNode *node, AssayTensor **operands, AssayTensor *result)
{
  gsize n = assay_tensor_get_n_elements (result);
  const AssayOpInfo *info = assay_op_get_info (node->op);
  gboolean same = info->category == ASSAY_CATEGORY_ELEMENTWISE ||
                  (info->traits & ASSAY_OP_TRAIT_UNARY_MAP) != 0;

  for (guint i = 0; i < node->n_inputs && same; i++)
    same = operands[i] == NULL || assay_tensor_get_n_elements (operands[i]) == n ||
           assay_tensor_get_n_elements (operands[i]) == 1;

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
static void
check (const char *what, Model *model)
{
  g_autoptr (GArray) limits = model->limits;
  g_autofree char *text = model_finish (model);
  g_autoptr (AssayWork) work = gpu_fixture_work (text);
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
    if (plan->places[id] == ASSAY_DELEGATE_HOST)
      g_error ("%s: %s %s runs on the host: %s", what, assay_graph_node (graph, id)->name,
               assay_graph_node (graph, id)->op_type,
               plan->reasons[id] != NULL ? plan->reasons[id] : "it is rejected");
  for (guint i = 0; i < ports->len; i++)
    g_ptr_array_add (inputs, make_tensor (&g_array_index (ports, AssayRunPort, i), model->kind));
  reference = open_runner (subject, "reference");
  vulkan = open_runner (subject, "vulkan");
  exact = open_runner (subject, "reference-fp64");
  expected = run (reference, inputs);
  right = run (exact, inputs);
  first = run (vulkan, inputs);
  second = run (vulkan, inputs);
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

/* A node with the inputs that it is tried on, and what f32 is held to. */
typedef struct
{
  const char *node;
  Kind kind;
  double units;
} Row;

/* Whether a row is one of this model; the nodes that come are held to it. */
static gboolean
model_take (Model *self, const char *type, const Row *row)
{
  self->units = g_str_equal (type, "f16") ? MIN (row->units, 2) : row->units;

  return row->kind == self->kind;
}

static const char *const extents[] = { "0", "1", "3", "4,5", "63", "64", "65", "2,3,129" };

/* Functions, each of every extent; exp, sin and their like carry the error of what they are made
 * of. What is exact is held to that. */
static void
fill_unary (Model *model, const char *type)
{
  static const Row rows[] = {
    { "Abs($a)", SPECIAL, 0 },
    { "Neg($a)", SPECIAL, 0 },
    { "Relu($a)", SPECIAL, 0 },
    { "Round($a)", SPECIAL, 0 },
    { "Clip($a, $b, $c)", SPECIAL, 0 },
    { "LeakyRelu($a) {alpha = 0.1}", SPECIAL, 1 },
    { "HardSwish($a)", PLAIN, 4 },
    { "Sqrt($a)", POSITIVE, 3 },
    { "Exp($a)", PLAIN, 16 },
    { "Tanh($a)", SPECIAL, 64 },
    { "Sigmoid($a)", SPECIAL, 32 },
    { "Sin($a)", PLAIN, 64 },
    { "Shrink($a) {lambd = 0.75}", SPECIAL, 0 },
    { "assay::Rsqrt($a)", POSITIVE, 8 },
    { "Cos($a)", PLAIN, 64 },
    { "Gelu($a) {approximate = \"tanh\"}", PLAIN, 64 },
  };
  guint low = model_scalar (model, type, "-0.5");
  guint high = model_scalar (model, type, "1.25");

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    for (guint j = 0; j < G_N_ELEMENTS (extents) && model_take (model, type, &rows[i]); j++)
      model_apply (model, rows[i].node, model_input (model, type, extents[j]), low, high);
}

/* Both sides broadcast. */
static const char *const pairs[][2] = {
  { "0", "0" },     { "1", "1" },       { "65", "65" },   { "4,5", "5" }, { "4,5", "4,1" },
  { "1,7", "6,1" }, { "2,3,4", "3,1" }, { "3", "2,1,3" }, { "1", "64" },  { "2,1,3,1", "5,1,4" },
};

static void
apply_pairs (Model *model, const char *node, const char *dtype)
{
  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++)
    {
      guint a = model_input (model, dtype, pairs[i][0]);

      model_apply (model, node, a, model_input (model, dtype, pairs[i][1]), 0);
    }
}

static void
fill_binary (Model *model, const char *type)
{
  static const Row rows[] = {
    { "Add($a, $b)", SPECIAL, 1 },
    { "Sub($a, $b)", SPECIAL, 1 },
    { "Mul($a, $b)", SPECIAL, 1 },
    { "Div($a, $b)", PLAIN, 3 },
    { "Min($a, $b)", PLAIN, 0 },
    { "Pow($a, $b)", POSITIVE, 128 },
    { "Equal($a, $b)", SPECIAL, 0 },
    { "Less($a, $b)", SPECIAL, 0 },
    { "Greater($a, $b)", SPECIAL, 0 },
    { "LessOrEqual($a, $b)", SPECIAL, 0 },
    { "GreaterOrEqual($a, $b)", SPECIAL, 0 },
    { "Sum($a, $b)", SPECIAL, 1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (model_take (model, type, &rows[i]))
      apply_pairs (model, rows[i].node, type);
}

/* Integers are exact. */
static void
fill_integers (Model *model, const char *type)
{
  static const char *const nodes[] = { "Add($a, $b)",         "Sub($a, $b)",
                                       "Mul($a, $b)",         "Min($a, $b)",
                                       "Equal($a, $b)",       "Less($a, $b)",
                                       "LessOrEqual($a, $b)", "GreaterOrEqual($a, $b)",
                                       "Greater($a, $b)" };
  guint low = model_scalar (model, type, "-3");
  guint high = model_scalar (model, type, "4");

  for (guint i = 0; i < G_N_ELEMENTS (nodes); i++)
    apply_pairs (model, nodes[i], type);
  for (guint i = 0; i < G_N_ELEMENTS (extents); i++)
    {
      guint a = model_input (model, type, extents[i]);

      model_apply (model, "Clip($a, $b, $c)", a, low, high);
      model_apply (model, "Div($a, $b)", a, high, 0);
    }
}

static void
fill_logic (Model *model, const char *type)
{
  apply_pairs (model, "And($a, $b)", type);
  apply_pairs (model, "Or($a, $b)", type);
  for (guint i = 0; i < G_N_ELEMENTS (extents); i++)
    {
      guint condition = model_input (model, type, extents[i]);
      guint a = model_input (model, "f32", extents[i]);

      model_apply (model, "Where($a, $b, $c)", condition, a, model_input (model, "f32", "1"));
    }
}

static void
fill_casts (Model *model, const char *type)
{
  for (guint i = 0; i < G_N_ELEMENTS (extents); i++)
    {
      guint f32 = model_input (model, "f32", extents[i]);
      guint f16 = model_input (model, "f16", extents[i]);
      guint i32 = model_input (model, "i32", extents[i]);
      guint i64 = model_input (model, "i64", extents[i]);
      guint truth = model_input (model, "bool", extents[i]);

      model_apply (model, "Cast($a) {to = 10}", f32, 0, 0);
      model_apply (model, "Cast($a) {to = 6}", f32, 0, 0);
      model_apply (model, "Cast($a) {to = 9}", f32, 0, 0);
      model_apply (model, "Cast($a) {to = 1}", f16, 0, 0);
      model_apply (model, "Cast($a) {to = 7}", f16, 0, 0);
      model_apply (model, "Cast($a) {to = 1}", i32, 0, 0);
      model_apply (model, "Cast($a) {to = 10}", i32, 0, 0);
      model_apply (model, "Cast($a) {to = 9}", i32, 0, 0);
      model_apply (model, "Cast($a) {to = 1}", i64, 0, 0);
      model_apply (model, "Cast($a) {to = 6}", i64, 0, 0);
      model_apply (model, "Cast($a) {to = 1}", truth, 0, 0);
      model_apply (model, "Cast($a) {to = 7}", truth, 0, 0);
    }
}

/* What only moves elements changes none of them. */
static void
fill_moves (Model *model, const char *type)
{
  guint x = model_input (model, type, "2,3,5,4");

  model_apply (model, "Transpose($a) {perm = [0, 2, 3, 1]}", x, 0, 0);
  model_apply (model, "Transpose($a)", x, 0, 0);
  model_apply (model, "Reshape($a, $b)", x, model_integers (model, "6, 20", 2), 0);
  model_apply (model, "Flatten($a) {axis = 2}", x, 0, 0);
  model_apply (model, "Unsqueeze($a, $b)", model_input (model, type, "3,4"),
               model_integers (model, "0", 1), 0);
  model_apply (model, "Squeeze($a, $b)", model_input (model, type, "3,1,4"),
               model_integers (model, "1", 1), 0);
  g_string_append_printf (model->body,
                          "  %%l%u, %%r%u = Split(%%x%u) {axis = 1, num_outputs = 2}\n", model->n,
                          model->n, x);
  g_string_append_printf (model->outputs, "%s%%l%u, %%r%u", model->outputs->len > 0 ? ", " : "",
                          model->n, model->n);
  g_array_append_val (model->limits, model->units);
  g_array_append_val (model->limits, model->units);
  model_apply (model, "Expand($a, $b)", model_input (model, type, "3,1"),
               model_integers (model, "2, 3, 4", 3), 0);
  model_apply (model, "Tile($a, $b)", model_input (model, type, "2,3"),
               model_integers (model, "2, 3", 2), 0);
  if (!g_str_equal (type, "bool"))
    {
      model_apply (model, "Concat($a, $b, $a) {axis = 1}", x, model_input (model, type, "2,1,5,4"),
                   0);
      model_apply (model, "Concat($a, $b) {axis = 0}", model_input (model, type, "0,3"),
                   model_input (model, type, "2,3"), 0);
    }
}

static void
fill_slices (Model *model, const char *type)
{
  guint x = model_input (model, type, "3,7,5");

  g_string_append_printf (model->body,
                          "  const %%s0 : i64[2] = [1, 0]\n  const %%e0 : i64[2] = [3, 5]\n"
                          "  const %%a0 : i64[2] = [0, 2]\n  const %%t0 : i64[2] = [1, 2]\n"
                          "  const %%p0 : i64[6] = [0, 1, 2, 0, 3, 1]\n"
                          "  const %%p1 : i64[6] = [0, -1, 0, 0, 2, -1]\n"
                          "  const %%v0 : %s[] = [%s]\n",
                          type,
                          type[0] == 'f'   ? "0.5"
                          : type[0] == 'b' ? "true"
                                           : "1");
  model_apply (model, "Slice($a, %s0, %e0, %a0, %t0)", x, 0, 0);
  model_apply (model, "Pad($a, %p0, %v0)", x, 0, 0);
  model_apply (model, "Pad($a, %p1)", x, 0, 0);
  if (type[0] == 'f')
    model_apply (model, "DepthToSpace($a) {blocksize = 2, mode = \"CRD\"}",
                 model_input (model, type, "2,8,3,5"), 0, 0);
}

static void
fill_products (Model *model, const char *type)
{
  static const char *const factors[][2] = {
    { "1,1", "1,1" },     { "3,5", "5,7" },       { "4,8", "8,4" }, { "5,64", "64,9" },
    { "2,3,4", "2,4,5" }, { "7,1,33", "7,33,2" }, { "0,4", "4,3" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (factors); i++)
    {
      guint a = model_input (model, type, factors[i][0]);

      model_apply (model, "MatMul($a, $b)", a, model_input (model, type, factors[i][1]), 0);
    }
  for (guint i = 0; i < 4; i++)
    {
      guint a = model_input (model, type, factors[i][0]);
      guint b = model_constant (model, type, factors[i][1]);

      model_apply (model, "MatMul($a, $b)", a, b, 0);
    }
  model_apply (model, "Gemm($a, $b, $c) {transB = 1}", model_input (model, type, "6,5"),
               model_constant (model, type, "7,5"), model_constant (model, type, "7"));
  model_apply (model, "Gemm($a, $b, $c)", model_input (model, type, "6,5"),
               model_input (model, type, "5,7"), model_input (model, type, "6,1"));
  model_apply (model, "Gemm($a, $b, $c) {alpha = 0.5, beta = -2.0}",
               model_input (model, type, "6,5"), model_input (model, type, "5,7"),
               model_input (model, type, "7"));
}

static void
fill_convolutions (Model *model, const char *type)
{
  static const struct
  {
    const char *x;
    const char *w;
    const char *b;
    const char *node;
  } rows[] = {
    { "1,3,7,9", "5,3,3,3", "5", "Conv($a, $b, $c) {pads = [1, 1, 1, 1]}" },
    { "1,8,5,6", "12,8,1,1", "12", "Conv($a, $b, $c)" },
    { "1,4,9,7", "4,1,3,3", "4",
      "Conv($a, $b, $c) {group = 4, strides = [2, 2], pads = [1, 1, 1, 1]}" },
    { "1,4,9,8", "8,2,3,2", "8", "Conv($a, $b) {group = 2, dilations = [2, 1]}" },
    { "1,4,4,4", "6,4,4,4", "6", "Conv($a, $b, $c)" },
    { "1,3,12", "5,3,3", "5", "Conv($a, $b, $c) {pads = [1, 1]}" },
    { "1,6,9,3", "5,6,3,3", "5", "Conv($a, $b, $c) {pads = [1, 1, 1, 1]}" },
    { "1,5,7,2", "5,1,3,1", "5", "Conv($a, $b, $c) {group = 5, pads = [1, 0, 1, 0]}" },
    { "1,4,3,11", "6,4,2,3", "6",
      "Conv($a, $b, $c) {strides = [1, 3], dilations = [1, 2], "
      "pads = [0, 4, 0, 3]}" },
    { "1,7,1,5", "3,7,1,1", "3", "Conv($a, $b)" },
    { "1,4,5,5", "4,3,2,2", "3", "ConvTranspose($a, $b, $c) {strides = [2, 2]}" },
    { "1,4,4,5", "4,6,3,3", "6",
      "ConvTranspose($a, $b, $c) {strides = [2, 2], pads = [1, 1, 1, 1], "
      "output_padding = [1, 1]}" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      guint x = model_input (model, type, rows[i].x);
      guint w = model_constant (model, type, rows[i].w);
      guint y = model_apply (model, rows[i].node, x, w, model_constant (model, type, rows[i].b));

      if (i == 0)
        model_apply (model, "Relu($a)", y, 0, 0);
    }
}

static void
fill_windows (Model *model, const char *type)
{
  static const char *const nodes[] = {
    "MaxPool($a) {kernel_shape = [2, 2], strides = [2, 2]}",
    "MaxPool($a) {kernel_shape = [3, 3], pads = [1, 1, 1, 1]}",
    "MaxPool($a) {kernel_shape = [2, 2], strides = [2, 2], ceil_mode = 1}",
    "AveragePool($a) {kernel_shape = [2, 2], strides = [2, 2]}",
    "AveragePool($a) {kernel_shape = [3, 3], pads = [1, 1, 1, 1], count_include_pad = 1}",
    "AveragePool($a) {kernel_shape = [3, 3], pads = [1, 1, 1, 1]}",
    "GlobalAveragePool($a)",
    "GlobalMaxPool($a)",
    "BatchNormalization($a, $b, $b, $b, $c)",
  };
  const double exact = 0;
  guint x = model_input (model, type, "2,5,7,9");
  guint mean = model_constant (model, type, "5");
  guint variance;

  g_string_append_printf (model->body, "  const %%x%u : %s[5] = [1, 2, 0.5, 0.25, 3]\n", model->n,
                          type);
  variance = model->n++;
  for (guint i = 0; i < G_N_ELEMENTS (nodes); i++)
    model_apply (model, nodes[i], x, mean, variance);
  g_string_append_printf (model->body,
                          "  %%most, %%where = MaxPool(%%x%u) {kernel_shape = [3, 2], strides = "
                          "[2, 1], pads = [1, 1, 1, 1]}\n",
                          x);
  g_string_append (model->outputs, ", %most, %where");
  g_array_append_val (model->limits, exact);
  g_array_append_val (model->limits, exact);
}

static void
fill_rows (Model *model, const char *type)
{
  static const char *const nodes[] = {
    "ReduceSum($a, $b) {keepdims = 1}",
    "ReduceMean($a, $b) {keepdims = 1}",
    "ReduceMax($a, $b) {keepdims = 1}",
    "ReduceMin($a, $b) {keepdims = 1}",
    "Softmax($a) {axis = -1}",
    "Softmax($a) {axis = 1}",
    "LogSoftmax($a) {axis = -1}",
    "LayerNormalization($a, $c, $c) {axis = -1}",
    "RMSNormalization($a, $c) {axis = -1}",
    "ArgMax($a) {axis = -1}",
    "ArgMin($a) {axis = -1, keepdims = 0}",
  };
  guint x = model_input (model, type, "2,3,65");
  guint axes = model_integers (model, "-1", 1);
  guint scale = model_constant (model, type, "65");

  for (guint i = 0; i < G_N_ELEMENTS (nodes); i++)
    model_apply (model, nodes[i], x, axes, scale);
}

static void
fill_norms (Model *model, const char *type)
{
  guint x = model_input (model, type, "2,4,5,7");
  guint c = model_constant (model, type, "4");

  model_apply (model, "InstanceNormalization($a, $b, $b)", x, c, 0);
  model_apply (model, "GroupNormalization($a, $b, $b) {num_groups = 2}", x, c, 0);
}

static void
fill_lookups (Model *model, const char *type)
{
  g_string_append (model->body, "  const %i : i64[2,3] = [0, 5, 2, 3, 1, 4]\n");
  g_string_append (model->body, "  const %o : i64[] = [1]\n  const %p : i64[3] = [4, 0, -1]\n");
  model_apply (model, "Gather($a, %o) {axis = 1}", model_input (model, type, "6,5"), 0, 0);
  model_apply (model, "Gather($a, %p) {axis = 0}", model_input (model, type, "6,5"), 0, 0);
  model_apply (model, "GatherElements($a, %i) {axis = 0}", model_input (model, type, "6,3"), 0, 0);
  model_apply (model, "GatherElements($a, %i) {axis = 1}", model_input (model, type, "2,6"), 0, 0);
}

static void
fill_resize (Model *model, const char *type)
{
  static const char *const nodes[] = {
    "Upsample($a, %s) {mode = \"nearest\"}",
    "Resize($a, _, %s) {mode = \"nearest\", coordinate_transformation_mode = \"asymmetric\", "
    "nearest_mode = \"floor\"}",
    "Resize($a, _, %s) {mode = \"linear\", coordinate_transformation_mode = \"half_pixel\"}",
    "Resize($a, _, %s) {mode = \"linear\", coordinate_transformation_mode = \"align_corners\"}",
  };
  guint x = model_input (model, type, "1,3,4,5");

  g_string_append (model->body, "  const %s : f32[4] = [1.0, 1.0, 2.0, 3.0]\n");
  for (guint i = 0; i < G_N_ELEMENTS (nodes); i++)
    model_apply (model, nodes[i], x, 0, 0);
}

/* Bytes and back: what is rounded lies between two integers only where it has to. */
static void
fill_bytes (Model *model, const char *type)
{
  guint q;

  g_string_append_printf (model->body,
                          "  const %%s : f32[] = [0.03125]\n  const %%z : %s[] = [7]\n", type);
  for (guint j = 0; j < G_N_ELEMENTS (extents); j++)
    {
      q = model_apply (model, "QuantizeLinear($a, %s, %z)", model_input (model, "f32", extents[j]),
                       0, 0);
      model_apply (model, "DequantizeLinear($a, %s, %z)", q, 0, 0);
    }
}

static void
fill_samples (Model *model, const char *type)
{
  guint x = model_input (model, type, "2,3,5,6");

  model_apply (model,
               "GridSample($a, $b) {mode = \"linear\", padding_mode = \"border\", "
               "align_corners = 1}",
               x, model_input (model, type, "2,4,7,2"), 0);
}

/* Heads in an axis of their own and side by side, as many of queries as of keys and more. */
static void
fill_attention (Model *model, const char *type)
{
  static const char *const rows[][4] = {
    { "1,2,5,8", "1,2,5,8", "1,2,5,8", "Attention($a, $b, $c) {is_causal = 1}" },
    { "1,4,3,6", "1,2,7,6", "1,2,7,5", "Attention($a, $b, $c) {is_causal = 1}" },
    { "1,1,1,4", "1,1,1,4", "1,1,1,4", "Attention($a, $b, $c) {is_causal = 1}" },
    { "1,5,16", "1,5,8", "1,5,8",
      "Attention($a, $b, $c) {is_causal = 1, q_num_heads = 4, kv_num_heads = 2}" },
    { "1,2,5,8", "1,5,4", "1,5,4", "RotaryEmbedding($a, $b, $c)" },
    { "2,3,4,6", "2,4,3", "2,4,3", "RotaryEmbedding($a, $b, $c) {interleaved = 1}" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      guint a = model_input (model, type, rows[i][0]);
      guint b = model_input (model, type, rows[i][1]);

      model_apply (model, rows[i][3], a, b, model_input (model, type, rows[i][2]));
    }
}

static GPtrArray *
run_again (AssayRunSubject *subject)
{
  gint64 dims[] = { 64 };
  const AssayRunPort port = { (char *) "x0", ASSAY_DTYPE_F32, 1, dims, -1, FALSE };
  g_autoptr (AssayRunner) runner = open_runner (subject, "vulkan");
  g_autoptr (GPtrArray)
      inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);

  g_ptr_array_add (inputs, make_tensor (&port, PLAIN));

  return run (runner, inputs);
}

/* Pipelines that were kept, and then changed by somebody: made anew, and the same numbers. */
static void
test_cache (void)
{
  g_autoptr (AssayWork) work = NULL;
  g_autoptr (GPtrArray) first = NULL;
  g_autofree char *folder = g_build_filename (g_get_user_cache_dir (), "assay", "gpu", NULL);
  AssayRunSubject *subject;

  if (!gpu_fixture_has_device ())
    return;
  work = gpu_fixture_work ("main (%x : f32[64]) {\n  %y = Sigmoid(%x)\n  return %y\n}\n");
  subject = assay_work_get_subject (work, TRUE, NULL, NULL);
  first = run_again (subject);
  for (guint round = 0; round < 3; round++)
    {
      g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
      g_autoptr (GPtrArray) again = NULL;
      gsize sizes[2];
      gconstpointer data[2];
      guint n = 0;

      for (const char *name; (name = g_dir_read_name (dir)) != NULL;)
        {
          g_autofree char *path = g_build_filename (folder, name, NULL);
          g_autofree char *contents = NULL;
          gsize size;

          if (!g_str_has_prefix (name, "pipelines-"))
            continue;
          g_assert_true (g_file_get_contents (path, &contents, &size, NULL));
          g_assert_cmpuint (size, >, 40);
          contents[size / 2] ^= 1;
          size = round == 0 ? size : round == 1 ? 40 : 0;
          g_assert_true (g_file_set_contents (path, contents, (gssize) size, NULL));
          n++;
        }
      g_assert_cmpuint (n, ==, 1);
      again = run_again (subject);
      data[0] = assay_tensor_get_data (g_ptr_array_index (first, 0), &sizes[0], NULL);
      data[1] = assay_tensor_get_data (g_ptr_array_index (again, 0), &sizes[1], NULL);
      g_assert_cmpmem (data[0], sizes[0], data[1], sizes[1]);
    }
}

/* A device that there is not, and what a device does not take: an error that says so. */
static void
test_faults (void)
{
  g_autoptr (AssayWork) work = NULL;
  AssayRunSubject *subject;
  g_autoptr (AssayRunner) runner = NULL;
  g_autoptr (GError) error = NULL;

  if (!gpu_fixture_has_device ())
    return;
  work = gpu_fixture_work ("main (%x : f32[4]) {\n  %y = Sigmoid(%x)\n  return %y\n}\n");
  subject = assay_work_get_subject (work, TRUE, NULL, NULL);
  runner = assay_runner_open ("vulkan:of glass", subject, NULL, NULL, &error);
  g_assert_null (runner);
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE);
  g_assert_nonnull (strstr (error->message, "there is no Vulkan device of glass; there are: 0 "));
  g_clear_error (&error);

  /* More than a buffer of the device holds: said before anything runs. */
  g_clear_pointer (&work, assay_work_free);
  work = gpu_fixture_work ("main (%x : f32[6000,6000]) {\n  %y = Sigmoid(%x)\n  return %y\n}\n");
  subject = assay_work_get_subject (work, TRUE, NULL, NULL);
  runner = assay_runner_open ("vulkan", subject, NULL, NULL, &error);
  g_assert_null (runner);
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE);
  g_assert_nonnull (strstr (error->message, "a tensor takes 144000000 bytes, a buffer of "));
  g_clear_error (&error);

  runner = assay_runner_open ("vm", subject, NULL, NULL, &error);
  g_assert_null (runner);
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
  g_assert_nonnull (strstr (error->message, "that is vulkan"));
}

/* A comparison judges what shaders make by the specification, and the rest by the tolerance. */
static void
test_limits (void)
{
  g_autoptr (AssayWork) work = NULL;
  g_autoptr (AssayComparison) comparison = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray)
      inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
  AssayComparisonSide sides[2] = { { "reference" }, { "vulkan" } };
  const gint64 dims[] = { 2, 2 };
  const float x[] = { 1, 2, 0.5, -2 };

  if (!gpu_fixture_has_device ())
    return;
  work = gpu_fixture_work ("main (%x : f32[2,2]) {\n"
                           "  %a = Sin(%x)\n  %b = Exp(%x)\n  %c = MatMul(%x, %x)\n"
                           "  %d = Log(%b)\n  return %a, %b, %c, %d\n}\n");
  g_ptr_array_add (inputs, assay_tensor_new_f32 (2, dims, x));
  for (guint i = 0; i < 2; i++)
    sides[i].subject = assay_work_get_subject (work, TRUE, NULL, NULL);
  comparison = assay_compare_runs (&sides[0], &sides[1], inputs, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (comparison->verdict, !=, ASSAY_COMPARISON_OUTSIDE);
  for (guint i = 0; i < comparison->rows->len; i++)
    {
      const AssayComparisonRow *row = assay_comparison_row (comparison, i);
      double unit = assay_compare_unit (&row->own);

      g_test_message ("%s: limit %g%s", row->op_type, row->limit, row->is_specified ? "*" : "");
      if (g_str_equal (row->op_type, "Sin"))
        g_assert_cmpfloat_with_epsilon (row->limit * unit, 0x1p-11, 1e-9);
      else if (g_str_equal (row->op_type, "Exp"))
        g_assert_cmpfloat (row->limit * unit, >=, (3 + 2 * 2) * 0x1p-23 * exp (2));
      g_assert_true (row->limit <= row->certified);
      g_assert_cmpint (row->is_specified, ==,
                       g_str_equal (row->op_type, "Sin") || g_str_equal (row->op_type, "Exp") ||
                           g_str_equal (row->op_type, "MatMul"));
    }
  g_assert_cmpuint (comparison->rows->len, ==, 4);
}

/* Models of a kind, one for each type of elements. */
typedef struct
{
  const char *path;
  void (*fill) (Model *model, const char *type);
  const char *types[6];
  Kind kind;
  double units;
  double half_units; /* what f16 is held to */
} Family;

static const Family families[] = {
  { "/gpu/unary/plain", fill_unary, { "f32", "f16" }, PLAIN, 0, 0 },
  { "/gpu/unary/special", fill_unary, { "f32", "f16" }, SPECIAL, 0, 0 },
  { "/gpu/unary/positive", fill_unary, { "f32", "f16" }, POSITIVE, 0, 0 },
  { "/gpu/binary/plain", fill_binary, { "f32", "f16" }, PLAIN, 0, 0 },
  { "/gpu/binary/special", fill_binary, { "f32", "f16" }, SPECIAL, 0, 0 },
  { "/gpu/binary/positive", fill_binary, { "f32", "f16" }, POSITIVE, 0, 0 },
  { "/gpu/integers", fill_integers, { "i32", "i64" }, PLAIN, 0, 0 },
  { "/gpu/logic", fill_logic, { "bool" }, SPECIAL, 0, 0 },
  { "/gpu/casts", fill_casts, { "f32" }, PLAIN, 1, 1 },
  { "/gpu/moves", fill_moves, { "f32", "f16", "i32", "i64", "bool" }, SPECIAL, 0, 0 },
  { "/gpu/slices", fill_slices, { "f32", "f16", "i32", "i64", "bool" }, SPECIAL, 0, 0 },
  { "/gpu/products", fill_products, { "f32", "f16" }, PLAIN, 16, 2 },
  { "/gpu/convolutions", fill_convolutions, { "f32", "f16" }, PLAIN, 32, 2 },
  { "/gpu/windows", fill_windows, { "f32", "f16" }, PLAIN, 16, 2 },
  { "/gpu/rows", fill_rows, { "f32", "f16" }, PLAIN, 64, 3 },
  { "/gpu/attention", fill_attention, { "f32", "f16" }, PLAIN, 64, 4 },
  { "/gpu/norms", fill_norms, { "f32", "f16" }, PLAIN, 64, 3 },
  { "/gpu/lookups", fill_lookups, { "f32", "f16", "i32", "i64", "bool" }, PLAIN, 0, 0 },
  { "/gpu/resize", fill_resize, { "f32", "f16" }, PLAIN, 8, 2 },
  { "/gpu/bytes", fill_bytes, { "i8", "u8" }, PLAIN, 0, 0 },
  { "/gpu/samples", fill_samples, { "f32", "f16" }, PLAIN, 64, 16 },
};

static void
test_family (gconstpointer data)
{
  const Family *family = data;

  if (!gpu_fixture_has_device ())
    return;
  for (guint i = 0; family->types[i] != NULL; i++)
    {
      Model model;

      model_init (&model,
                  g_str_equal (family->types[i], "f16") ? family->half_units : family->units,
                  family->kind);
      family->fill (&model, family->types[i]);
      check (family->types[i], &model);
    }
}

/* Rules whose operation never comes to a device: it is folded or removed, loading would fail, or
 * ONNX has it for other types than the delegate. */
static const char *const unreachable[] = { "Shape",     "Size",       "ConstantOfShape",
                                           "Range",     "Identity",   "Dropout",
                                           "Not",       "BitwiseAnd", "BitwiseOr",
                                           "BitwiseNot" };

/* What has no shader here, on purpose, which the program says; and what ONNX does not have. */
static const char *const left[] = { "Sum i32",
                                    "Sum i64",
                                    "Pow i32",
                                    "Pow i64",
                                    "DynamicQuantizeLinear f16",
                                    "DynamicQuantizeLinear f32" };

static gboolean
is_listed (const char *const *list, guint n, const char *name)
{
  for (guint i = 0; i < n; i++)
    if (g_str_equal (list[i], name))
      return TRUE;

  return FALSE;
}

/* What the families above have on the device: operation and type of the first input. */
static GHashTable *
list_covered (void)
{
  GHashTable *covered = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (families); i++)
    for (guint j = 0; families[i].types[j] != NULL; j++)
      {
        g_autofree char *text = NULL;
        g_autoptr (AssayWork) work = NULL;
        const AssayDelegatePlan *plan;
        Model model;

        model_init (&model, 0, families[i].kind);
        families[i].fill (&model, families[i].types[j]);
        g_array_unref (model.limits);
        text = model_finish (&model);
        work = gpu_fixture_work (text);
        plan = assay_delegate_program_get_plan (
            ASSAY_DELEGATE_PROGRAM (assay_work_get_program (work, NULL, NULL)), FALSE);
        for (AssayNodeId id = 1; id < assay_graph_n_nodes (plan->graph); id++)
          {
            const AssayNode *node = assay_graph_node (plan->graph, id);

            const char *dtype;

            if (plan->places[id] != ASSAY_DELEGATE_DEVICE)
              continue;
            dtype = assay_dtype_name (
                assay_graph_value (plan->graph, node->inputs[0])->type->dtype);
            g_hash_table_add (covered, g_strdup_printf ("%s %s", node->op_type, dtype));
            g_hash_table_add (covered, g_strdup_printf ("%s any", node->op_type));
          }
      }

  return covered;
}

/* The element types that a rule takes for its first input, with spaces; all if it does not say. */
static char *
first_dtypes (JsonObject *target, JsonObject *rule)
{
  JsonNode *node = json_object_get_member (rule, "dtypes");
  JsonObject *sets = json_object_get_object_member (target, "sets");
  GString *names = g_string_new (NULL);
  JsonArray *list = NULL;

  if (node != NULL && JSON_NODE_HOLDS_ARRAY (node))
    node = json_array_get_element (json_node_get_array (node), 0);
  if (node != NULL && JSON_NODE_HOLDS_ARRAY (node))
    list = json_node_get_array (node);
  else if (node != NULL && json_object_has_member (sets, json_node_get_string (node)))
    list = json_object_get_array_member (sets, json_node_get_string (node));
  for (guint i = 0; list != NULL && i < json_array_get_length (list); i++)
    g_string_append_printf (names, "%s ", json_array_get_string_element (list, i));
  if (node != NULL && list == NULL)
    g_string_append (names, json_node_get_string (node));

  return g_strchomp (g_string_free (names, FALSE));
}

/* Every rule of both targets that takes an operation of ONNX, with every element type of its first
 * input: one of the families has it on the device. */
static void
test_rules (gconstpointer data)
{
  g_autoptr (GHashTable) covered = list_covered ();
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "..", "data", "targets", data, NULL);
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonObject *target;
  JsonArray *rules;
  guint n_found = 0, n_missing = 0;

  g_assert_true (json_parser_load_from_file (parser, path, NULL));
  target = json_node_get_object (json_parser_get_root (parser));
  rules = json_object_get_array_member (target, "rules");
  for (guint i = 0; i < json_array_get_length (rules); i++)
    {
      JsonObject *rule = json_array_get_object_element (rules, i);
      JsonNode *op = json_object_get_member (rule, "op");
      const char *name = op != NULL && JSON_NODE_HOLDS_VALUE (op) ? json_node_get_string (op) : "";
      g_autofree char *names = first_dtypes (target, rule);
      g_auto (GStrv) dtypes = NULL;

      if (*name == '\0' || strpbrk (name, ".:") != NULL ||
          g_strcmp0 (json_object_get_string_member_with_default (rule, "verdict", ""),
                     "rejected") == 0 ||
          is_listed (unreachable, G_N_ELEMENTS (unreachable), name))
        continue;
      dtypes = g_strsplit (*names != '\0' ? names : "any", " ", -1);
      for (char **dtype = dtypes; *dtype != NULL; dtype++)
        {
          g_autofree char *key = g_strdup_printf ("%s %s", name, *dtype);

          if (g_hash_table_contains (covered, key))
            n_found++;
          else if (!is_listed (left, G_N_ELEMENTS (left), key))
            {
              g_test_message ("%s: no family has %s", json_object_get_string_member (rule, "id"),
                              key);
              n_missing++;
            }
        }
    }
  g_assert_cmpuint (n_found, >, 100);
  g_assert_cmpuint (n_missing, ==, 0);
}

int
main (int argc, char **argv)
{
  char *folder = gpu_fixture_init ();

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (families); i++)
    g_test_add_data_func (families[i].path, &families[i], test_family);
  g_test_add_data_func ("/gpu/rules/main", "vulkan-main.json", test_rules);
  g_test_add_data_func ("/gpu/rules/seed", "vulkan-seed.json", test_rules);
  g_test_add_func ("/gpu/cache", test_cache);
  g_test_add_func ("/gpu/faults", test_faults);
  g_test_add_func ("/gpu/limits", test_limits);

  return gpu_fixture_finish (folder, g_test_run ());
}
