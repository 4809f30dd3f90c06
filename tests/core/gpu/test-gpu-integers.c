/* test-gpu-integers.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Convolutions, products and sums of small integers on lavapipe: one dispatch for what dequantises,
 * computes and quantises, with the bits of the reference where scales are powers of two, and at
 * most a step beside it, seldom, where they are not.
 */
#include "gpu-fixture.h"
#include "test-program.h"

typedef struct
{
  const char *path;
  const char *dims;    /* of the input */
  const char *weights; /* their type, and extents; "" for none */
  const char *axis;    /* of the scales of the weights, "" for one scale */
  guint n_scales;
  const char *node; /* reads %a, %b, and %bias */
  guint n_bias;     /* its last extent */
  gboolean relu;
  const char *shader; /* (nullable): that runs it, %NULL where there is none on purpose */
  guint rows;         /* of the bias, 0 if it has one axis */
} Row;

static const Row rows[] = {
  { "conv", "1,8,9,10", "i8[4,8,3,3]", "", 1, "Conv(%a, %b) {pads = [1,1,1,1]}", 0, FALSE,
    "integer-product" },
  { "conv bias relu", "1,8,9,10", "i8[12,8,3,3]", "", 1,
    "Conv(%a, %b, %bias) {pads = [1,1,1,1], strides = [2,2]}", 12, TRUE, "integer-product" },
  { "conv channels", "1,3,7,7", "i8[8,3,3,3]", "0", 8,
    "Conv(%a, %b, %bias) {dilations = [2,2], pads = [2,2,2,2]}", 8, FALSE, "integer-product" },
  { "conv pointwise", "1,16,5,5", "i8[4,16,1,1]", "0", 4, "Conv(%a, %b)", 0, TRUE,
    "integer-product" },
  { "conv depthwise", "1,8,9,9", "i8[8,1,3,3]", "0", 8,
    "Conv(%a, %b, %bias) {group = 8, pads = [1,1,1,1]}", 8, TRUE, "integer-product" },
  { "conv groups", "1,8,5,5", "i8[8,4,3,3]", "", 1, "Conv(%a, %b) {group = 2}", 0, FALSE,
    "integer-product" },
  { "conv unsigned weights", "1,4,6,6", "u8[4,4,2,2]", "", 1, "Conv(%a, %b)", 0, FALSE,
    "integer-product" },
  { "conv transposed", "1,6,4,5", "i8[6,3,3,3]", "", 1,
    "ConvTranspose(%a, %b, %bias) {strides = [2,2], pads = [1,1,1,1], output_padding = [1,1]}", 3,
    FALSE, "integer-product" },
  { "conv transposed channels", "1,4,3,3", "i8[4,5,2,2]", "1", 5, "ConvTranspose(%a, %b)", 0, FALSE,
    "integer-product" },
  { "linear", "3,16", "i8[16,8]", "", 1, "MatMul(%a, %b)", 0, FALSE, "integer-product" },
  { "linear rank 3", "2,5,64", "i8[64,4]", "1", 4, "MatMul(%a, %b)", 0, FALSE, "integer-product" },
  { "linear gemm", "7,32", "i8[12,32]", "0", 12, "Gemm(%a, %b, %bias) {transB = 1}", 12, FALSE,
    "integer-product" },
  { "linear one bias", "7,32", "i8[12,32]", "", 1, "Gemm(%a, %b, %bias) {transB = 1}", 1, FALSE,
    "integer-product" },
  { "linear bias of a row", "7,32", "i8[12,32]", "", 1, "Gemm(%a, %b, %bias) {transB = 1}", 12,
    FALSE, "integer-product", 1 },
  { "linear row", "1,256", "i8[256,4]", "", 1, "MatMul(%a, %b)", 0, FALSE, "integer-product" },
  { "add", "2,3,5", "", "", 1, "Add(%a, %a2)", 0, FALSE, "integer-sum" },
  { "add relu", "1,4,3,3", "", "", 1, "Add(%a, %a2)", 0, TRUE, "integer-sum" },
  { "gemm alpha", "7,32", "i8[32,12]", "", 1, "Gemm(%a, %b) {alpha = 0.5}", 0, FALSE, NULL },
  { "bias per row", "12,32", "i8[12,32]", "", 1, "Gemm(%a, %b, %bias) {transB = 1}", 1, FALSE, NULL,
    12 },
  { "bias per element", "3,32", "i8[12,32]", "", 1, "Gemm(%a, %b, %bias) {transB = 1}", 12, FALSE,
    NULL, 3 },
  { "scales along another axis", "3,8", "i8[8,8]", "0", 8, "MatMul(%a, %b)", 0, FALSE, NULL },
};

static void
add_list (GString *text, const char *name, const char *type, guint n, double (*at) (guint i))
{
  g_string_append_printf (text, "  const %%%s : %s = [", name, type);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%.9g", i > 0 ? ", " : "", at (i));
  g_string_append (text, "]\n");
}

static double
weight_at (guint i)
{
  return (double) (i * 2654435761u >> 20 & 0x7f) - (i % 3 == 0 ? 0 : 64);
}

static double
unsigned_weight_at (guint i)
{
  return (double) (i * 2654435761u >> 20 & 0xff);
}

static double
power_at (guint i)
{
  return i % 2 == 0 ? 0.015625 : 0.0078125;
}

static double
scale_at (guint i)
{
  return 0.0123 + 0.0011 * (double) i;
}

static double
bias_at (guint i)
{
  return (double) (i % 5) * 0.25 - 0.5;
}

static guint
count_of (const char *dims)
{
  g_auto (GStrv) parts = g_strsplit (dims, ",", -1);
  guint n = 1;

  for (guint i = 0; parts[i] != NULL; i++)
    n *= (guint) atoi (parts[i]);

  return n;
}

static char *
model_of (const Row *row, gboolean exact, const char *dtype)
{
  GString *text = g_string_new (NULL);
  g_autofree char *scales = row->n_scales > 1 ? g_strdup_printf ("f32[%u]", row->n_scales)
                                              : g_strdup ("f32[]");
  g_autofree char *bias = row->rows > 0 ? g_strdup_printf ("f32[%u,%u]", row->rows, row->n_bias)
                                        : g_strdup_printf ("f32[%u]", row->n_bias);
  gboolean is_unsigned = g_str_has_prefix (row->weights, "u8");

  g_string_append_printf (text,
                          "main (%%x : f32[%s]) {\n  const %%s : f32[] = [%g]\n"
                          "  const %%so : f32[] = [%g]\n  const %%z : %s[] = [%d]\n",
                          row->dims, exact ? 0.03125 : 0.0313, exact ? 0.125 : 0.0977, dtype,
                          g_str_equal (dtype, "i8") ? -3 : 117);
  if (*row->weights != '\0')
    {
      g_autofree char *dims = g_strndup (row->weights + 3, strlen (row->weights) - 4);

      add_list (text, "w", row->weights, count_of (dims),
                is_unsigned ? unsigned_weight_at : weight_at);
      add_list (text, "sw", scales, row->n_scales, exact ? power_at : scale_at);
      g_string_append_printf (text, "  const %%zw : %s[] = [%d]\n", is_unsigned ? "u8" : "i8",
                              is_unsigned ? 128 : 0);
      if (row->n_bias > 0)
        add_list (text, "bias", bias, row->n_bias * MAX (row->rows, 1), bias_at);
    }
  g_string_append (text, "  %q = QuantizeLinear(%x, %s, %z)\n"
                         "  %a = DequantizeLinear(%q, %s, %z)\n");
  if (*row->weights == '\0')
    g_string_append (text, "  %a2 = DequantizeLinear(%q, %so, %z)\n");
  else if (*row->axis != '\0')
    g_string_append_printf (text, "  %%b = DequantizeLinear(%%w, %%sw) {axis = %s}\n", row->axis);
  else
    g_string_append (text, "  %b = DequantizeLinear(%w, %sw, %zw)\n");
  g_string_append_printf (text, "  %%c = %s\n%s  %%y = QuantizeLinear(%s, %%so, %%z)\n", row->node,
                          row->relu ? "  %d = Relu(%c)\n" : "", row->relu ? "%d" : "%c");
  g_string_append (text, "  return %q, %y\n}\n");

  return g_string_free (text, FALSE);
}

static GPtrArray *
run (AssayRunSubject *subject, const char *spec, AssayTensor *input)
{
  g_autoptr (AssayRunner) runner = gpu_fixture_open (subject, spec);
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();

  g_ptr_array_add (inputs, input);

  return gpu_fixture_run (runner, inputs);
}

static AssayTensor *
make_input (const AssayRunPort *port)
{
  gsize n;
  g_autofree float *values = NULL;

  g_assert_true (assay_dims_count ((guint) port->rank, port->dims, &n));
  values = g_new (float, n);
  for (gsize i = 0; i < n; i++)
    values[i] = (float) ((double) ((guint) i * 2246822519u >> 8 & 0xffff) / 8192.0 - 4.0);
  values[0] = INFINITY;

  return assay_tensor_new_f32 ((guint) port->rank, port->dims, values);
}

/* Whether a shader runs at all. */
static gboolean
has_shader (const AssayDelegatePlan *plan, const char *name)
{
  for (guint i = 0; i < plan->gpu->dispatches->len; i++)
    if (g_str_equal (assay_gpu_shader_name (
                         g_array_index (plan->gpu->dispatches, AssayGpuDispatch, i).shader),
                     name))
      return TRUE;

  return FALSE;
}

static void
check_row (const Row *row, gboolean exact, const char *dtype)
{
  g_autofree char *text = model_of (row, exact, dtype);
  g_autoptr (AssayWork) work = gpu_fixture_work (text);
  AssayRunSubject *subject = assay_work_get_subject (work, TRUE, NULL, NULL);
  const AssayDelegatePlan *plan = assay_delegate_program_get_plan (
      ASSAY_DELEGATE_PROGRAM (subject->program), FALSE);
  g_autoptr (GArray) ports = assay_run_subject_get_inputs (subject);
  g_autoptr (AssayTensor) input = make_input (&g_array_index (ports, AssayRunPort, 0));
  g_autoptr (GPtrArray) expected = run (subject, "reference", input);
  g_autoptr (GPtrArray) made = run (subject, "vulkan", input);
  gsize n_off = 0, n = assay_tensor_get_n_elements (g_ptr_array_index (made, 1));

  g_test_message ("%s, %s scales, %s", row->path, exact ? "exact" : "other", dtype);
  if (row->shader != NULL)
    {
      /* Quantise the input, and the rest at once. */
      g_assert_true (has_shader (plan, row->shader));
      g_assert_cmpuint (plan->gpu->dispatches->len, ==, 2);
    }
  else
    g_assert_false (has_shader (plan, "integer-product"));
  for (gsize i = 0; i < n; i++)
    {
      gint64 x, y;

      g_assert_true (assay_tensor_get_integer (g_ptr_array_index (expected, 1), i, &x, NULL));
      g_assert_true (assay_tensor_get_integer (g_ptr_array_index (made, 1), i, &y, NULL));
      if (exact)
        g_assert_cmpint (x, ==, y);
      g_assert_cmpint (ABS (x - y), <=, 1);
      n_off += x != y;
    }
  g_assert_cmpuint (n_off * 50, <=, n);
}

static void
test_row (gconstpointer data)
{
  static const char *const dtypes[] = { "i8", "u8" };

  g_autoptr (AssayGpuLease) lease = assay_gpu_lease_new ();

  if (!gpu_fixture_has_device ())
    return;
  for (guint i = 0; i < 4; i++)
    check_row (data, i < 2, dtypes[i % 2]);
}

/* A product of small integers that is a number: the bits of the reference with exact scales. */
static void
test_numbers (void)
{
  g_autoptr (GString) text = g_string_new (
      "main (%x : f32[3,16]) {\n  const %s : f32[] = [0.03125]\n  const %z : i8[] = [-3]\n");
  const float bias[] = { 0.5f, -1, 2, 0.25f };
  g_autoptr (AssayWork) work = NULL;
  g_autoptr (GArray) ports = NULL;
  g_autoptr (AssayTensor) input = NULL;
  g_autoptr (GPtrArray) expected = NULL;
  g_autoptr (GPtrArray) made = NULL;
  const AssayDelegatePlan *plan;
  AssayRunSubject *subject;
  gsize sizes[2];

  if (!gpu_fixture_has_device ())
    return;
  add_list (text, "w", "i8[16,4]", 64, weight_at);
  add_list (text, "sw", "f32[4]", 4, power_at);
  g_string_append_printf (text, "  const %%bias : f32[4] = [%g, %g, %g, %g]\n", (double) bias[0],
                          (double) bias[1], (double) bias[2], (double) bias[3]);
  g_string_append (text, "  %q = QuantizeLinear(%x, %s, %z)\n  %a = DequantizeLinear(%q, %s, %z)\n"
                         "  %b = DequantizeLinear(%w, %sw) {axis = 1}\n"
                         "  %y = Gemm(%a, %b, %bias)\n  return %y\n}\n");
  work = gpu_fixture_work (text->str);
  subject = assay_work_get_subject (work, TRUE, NULL, NULL);
  plan = assay_delegate_program_get_plan (ASSAY_DELEGATE_PROGRAM (subject->program), FALSE);
  ports = assay_run_subject_get_inputs (subject);
  input = make_input (&g_array_index (ports, AssayRunPort, 0));
  g_assert_true (has_shader (plan, "integer-product-f32"));
  g_assert_cmpuint (plan->gpu->dispatches->len, ==, 2);
  expected = run (subject, "reference", input);
  made = run (subject, "vulkan", input);
  g_assert_cmpmem (assay_tensor_get_data (g_ptr_array_index (expected, 0), &sizes[0], NULL),
                   sizes[0], assay_tensor_get_data (g_ptr_array_index (made, 0), &sizes[1], NULL),
                   sizes[1]);
}

/* A result that somebody else reads as well, and small integers that come from the host: each value
 * is there, and is right. */
static void
test_shared (void)
{
  static const char text[] =
      "main (%x : i8[1,4,5,5]) {\n  const %s : f32[] = [0.25]\n  const %z : i8[] = [1]\n"
      "  const %w : i8[4,4,1,1] = [1,2,3,4, 5,6,7,8, -1,-2,-3,-4, 9,9,9,9]\n"
      "  const %sw : f32[] = [0.5]\n  const %zw : i8[] = [0]\n"
      "  %a = DequantizeLinear(%x, %s, %z)\n  %b = DequantizeLinear(%w, %sw, %zw)\n"
      "  %c = Conv(%a, %b)\n  %y = QuantizeLinear(%c, %s, %z)\n"
      "  %d = DequantizeLinear(%y, %s, %z)\n  %e = Conv(%d, %b)\n"
      "  %f = QuantizeLinear(%e, %s, %z)\n  %g = Add(%d, %a)\n  return %c, %f, %g\n}\n";
  g_autoptr (AssayWork) work = NULL;
  g_autoptr (GPtrArray) expected = NULL;
  g_autoptr (GPtrArray) made = NULL;
  g_autoptr (AssayTensor) input = NULL;
  g_autoptr (GBytes) bytes = NULL;
  const gint64 dims[] = { 1, 4, 5, 5 };
  guint8 values[100];
  AssayRunSubject *subject;

  if (!gpu_fixture_has_device ())
    return;
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    values[i] = (guint8) (i * 37 + 5);
  bytes = g_bytes_new (values, sizeof values);
  input = assay_tensor_new (ASSAY_DTYPE_I8, 4, dims, bytes, NULL);
  work = gpu_fixture_work (text);
  subject = assay_work_get_subject (work, TRUE, NULL, NULL);
  expected = run (subject, "reference", input);
  made = run (subject, "vulkan", input);
  for (guint i = 0; i < expected->len; i++)
    {
      gsize sizes[2];
      gconstpointer data[] = {
        assay_tensor_get_data (g_ptr_array_index (expected, i), &sizes[0], NULL),
        assay_tensor_get_data (g_ptr_array_index (made, i), &sizes[1], NULL),
      };

      g_assert_cmpmem (data[0], sizes[0], data[1], sizes[1]);
    }
}

TEST_PROGRAM (gpu_integers)
{
  char *folder = gpu_fixture_init ();

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_strdup_printf ("/gpu-integers/%s", rows[i].path);

      g_test_add_data_func (path, &rows[i], test_row);
    }
  g_test_add_func ("/gpu-integers/numbers", test_numbers);
  g_test_add_func ("/gpu-integers/shared", test_shared);

  return gpu_fixture_finish (folder, g_test_run ());
}
