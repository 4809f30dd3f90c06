/* test-gpu-torch.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The rows of the tables of the Vulkan delegate, one by one as a program in the torch dialect comes
 * to them: what a target says of it is what is dispatched, and what is dispatched computes what the
 * reference does.
 */
#include "gpu-families.h"

#include "run/assay-comparison.h"
#include "run/assay-run-inputs.h"
#include "source/assay-source.h"

/* A call of a function of PyTorch. Operands stand between bars: a tensor as its element type and
 * extents ($t is f32 or f16), a constant behind `=` (then it is no input), or what a constant of
 * the dialect is: an integer, a number, true, none, a "string", a [list of integers] or {tensors}.
 */
typedef struct
{
  const char *row; /* of the registry, without its name space */
  const char *function;
  const char *operands;
  const char *mapping; /* of a node, where that is not the row; "" if none is left for a device */
  const char *rule;    /* by which it is refused, where the row says so */
  guint n_results;     /* where there are several */
} Call;

#define X "$t 2,3,4,8"
#define NO_DTYPE "none|none|none|none"

static const Call calls[] = {
  { "abs", "abs", X },
  { "cos", "cos", X },
  { "exp", "exp", X },
  { "gelu", "gelu", X "|\"tanh\"" },
  { "leaky_relu", "leaky_relu", X "|0.25" },
  { "neg", "neg", X },
  { "relu", "relu", X },
  { "round", "round", X },
  { "rsqrt", "rsqrt", X },
  { "sigmoid", "sigmoid", X },
  { "sin", "sin", X },
  { "sqrt", "sqrt", X },
  { "tanh", "tanh", X },
  { "hardswish", "hardswish", X },
  { "hardshrink", "hardshrink", X "|0.5" },
  { "hardtanh", "hardtanh", X "|-1.0|1.0", "aten.clamp" },
  { "log10", "log10", X },
  { "clamp", "clamp", X "|-1.0|1.0" },
  { "add", "add.Tensor", X "|" X "|1" },
  { "add", "add.Tensor", "si32 4,8|si32 8|1" },
  { "sub", "sub.Tensor", X "|" X "|1" },
  { "mul", "mul.Tensor", X "|$t 8" },
  { "div", "div.Tensor", X "|" X },
  { "div.Tensor_mode", "div.Tensor_mode", X "|" X "|\"floor\"" },
  { "pow", "pow.Tensor_Scalar", X "|2.0" },
  { "minimum", "minimum", X "|" X },
  { "eq", "eq.Tensor", X "|" X },
  { "eq", "eq.Scalar", X "|0.5" },
  { "ne", "ne.Scalar", X "|0.5" },
  { "ne", "ne.Scalar", "si64 4,8|1" },
  { "lt", "lt.Tensor", X "|" X },
  { "lt", "lt.Scalar", X "|0.5" },
  { "le", "le.Tensor", X "|" X },
  { "gt", "gt.Tensor", X "|" X },
  { "ge", "ge.Tensor", X "|" X },
  { "logical_and", "logical_and", "i1 4,8|i1 4,8" },
  { "logical_or", "logical_or", "i1 4,8|i1 4,8" },
  { "logical_not", "logical_not", "i1 4,8", NULL, "missing-operator" },
  { "bitwise_and", "bitwise_and.Tensor", "i1 4,8|i1 4,8" },
  { "bitwise_or", "bitwise_or.Tensor", "i1 4,8|i1 4,8" },
  { "bitwise_not", "bitwise_not", "i1 4,8" },
  { "where", "where.self", "i1 4,8|$t 4,8|$t 4,8" },
  { "_to_copy", "to.dtype", "f32 4,8|5|false|false|none" },
  { "_softmax", "_softmax", X "|-1|false" },
  { "_log_softmax", "_log_softmax", X "|-1|false" },
  { "mm", "mm", "$t 4,8|$t 8,4" },
  { "bmm", "bmm", "$t 2,4,8|$t 2,8,4" },
  { "linear", "linear", "$t 4,8|=$t 4,8|=$t 4" },
  { "addmm", "addmm", "=$t 4|$t 4,8|=$t 8,4|1|1", "aten.linear" },
  { "convolution", "convolution", "$t 1,4,8,8|=$t 4,4,3,3|=$t 4|[1,1]|[1,1]|[1,1]|false|[0,0]|1" },
  { "convolution", "convolution", "$t 1,4,8,8|=$t 4,4,3,3|=$t 4|[2,2]|[1,1]|[1,1]|true|[0,0]|1" },
  { "cat", "cat", "{" X ";" X "}|1" },
  { "split_with_sizes_copy", "split_with_sizes", X "|[1,2]|1", "aten.slice_copy", NULL, 2 },
  { "slice_copy", "slice.Tensor", X "|3|1|7|2" },
  { "embedding", "embedding", "=$t 9,4|si64 3|-1|false|false" },
  { "select_copy", "select.int", X "|1|2" },
  { "index_select", "index_select", X "|1|si64 2" },
  { "index", "index.Tensor", "$t 4,8|{si64 3}" },
  { "gather", "gather", "$t 4,8|1|si64 4,3|false" },
  { "permute_copy", "permute_copy", X "|[0,2,3,1]" },
  { "permute", "permute", X "|[0,2,3,1]", "aten.permute_copy" },
  { "t_copy", "t_copy", "$t 4,8", "aten.permute_copy" },
  { "view_copy", "view_copy", X "|[6,32]" },
  { "squeeze_copy", "squeeze_copy.dim", "$t 2,1,4|1" },
  { "unsqueeze_copy", "unsqueeze_copy", "$t 2,4|1" },
  { "clone", "clone", X "|none", "" },
  { "alias_copy", "alias_copy", X, "" },
  { "copy", "copy", X "|" X "|false", "" },
  { "expand_copy", "expand_copy", "$t 3,1|[3,4]|false" },
  { "repeat", "repeat", "$t 3,2|[2,2]" },
  { "constant_pad_nd", "constant_pad_nd", X "|[1,2]|0.5" },
  { "upsample_nearest2d", "upsample_nearest2d.vec", "$t 1,3,4,5|none|{2.0;2.0}" },
  { "upsample_bilinear2d", "upsample_bilinear2d.vec", "$t 1,3,4,5|none|false|{2.0;2.0}" },
  { "max_pool2d", "max_pool2d", "$t 1,3,8,8|[2,2]|[2,2]|[0,0]|[1,1]|false" },
  { "max_pool2d_with_indices", "max_pool2d_with_indices",
    "$t 1,3,8,8|[2,2]|[2,2]|[0,0]|[1,1]|false", NULL, NULL, 2 },
  { "avg_pool2d", "avg_pool2d", "$t 1,3,8,8|[2,2]|[2,2]|[0,0]|false|true|none" },
  { "mean", "mean.dim", X "|[-1]|true|none" },
  { "sum", "sum.dim_IntList", X "|[-1]|true|none" },
  { "amax", "amax", X "|[-1]|true" },
  { "amin", "amin", X "|[-1]|true" },
  { "argmax", "argmax", X "|-1|true" },
  { "argmin", "argmin", X "|-1|true" },
  { "_native_batch_norm_legit_no_training", "batch_norm",
    "$t 1,4,3,5|=$t 4|=$t 4|=$t 4|=$t 4|false|0.1|2.0|false" },
  { "native_layer_norm", "layer_norm", X "|[8]|=$t 8|=$t 8|1.0e-05|false" },
  { "native_group_norm", "group_norm", "$t 1,4,3,5|2|=$t 4|=$t 4|1.0e-05|false" },
  { "grid_sampler_2d", "grid_sampler", "$t 1,3,4,5|$t 1,2,3,2|0|1|true" },
  { "pixel_shuffle", "pixel_shuffle", "$t 1,8,3,5|2", "aten.view_copy" },
  { "unfold_copy", "unfold_copy", X "|3|4|2" },
  { "flip", "flip", X "|[2,3]" },
  { "full", "full", "[2,3]|2.0|" NO_DTYPE, "" },
  { "full_like", "full_like", X "|2.0|" NO_DTYPE "|none", "" },
  { "ones", "ones", "[2,3]|" NO_DTYPE, "" },
  { "ones_like", "ones_like", X "|" NO_DTYPE "|none", "" },
  { "zeros", "zeros", "[2,3]|" NO_DTYPE, "" },
  { "zeros_like", "zeros_like", X "|" NO_DTYPE "|none", "" },
  { "arange", "arange.start_step", "0|8|2|" NO_DTYPE, "" },
  { "scalar_tensor", "scalar_tensor", "2.0|" NO_DTYPE, "" },
};

/* Rows that a program in the torch dialect has no function of: a pass of the delegate makes them,
 * or they are about numbers of the program that are no tensors. */
static const char *const without[] = { "_weight_int8pack_mm", "_assert_scalar",
                                       "sym_constrain_range_for_size", "sym_size", "split" };

typedef struct
{
  GString *arguments;
  GString *body;
  const char *element;
  guint n;
} Writer;

/* Writes what gives an operand, and appends its name and type. */
static void write_operand (Writer *self, const char *operand, GString *names, GString *types);

static void
write_list (Writer *self, const char *inner, char separator, const char *of, GString *names,
            GString *types)
{
  const char separators[] = { separator, '\0' };
  g_auto (GStrv) items = g_strsplit (inner, separators, -1);
  g_autoptr (GString) parts = g_string_new (NULL);
  g_autoptr (GString) kinds = g_string_new (NULL);
  const char *element = of;

  for (guint i = 0; items[i] != NULL; i++)
    write_operand (self, items[i], parts, kinds);
  if (element == NULL)
    element = strstr (kinds->str, "tensor") != NULL ? "vtensor" : "float";
  g_string_append_printf (self->body,
                          "  %%l%u = torch.prim.ListConstruct %s : (%s) -> !torch.list<%s>\n",
                          self->n, parts->str, kinds->str, element);
  g_string_append_printf (names, "%%l%u", self->n);
  g_string_append_printf (types, "!torch.list<%s>", element);
  self->n++;
}

static void
write_tensor (Writer *self, const char *operand, GString *names, GString *types)
{
  gboolean is_constant = *operand == '=';
  g_auto (GStrv) words = g_strsplit (operand + is_constant, " ", 2);
  const char *element = g_str_equal (words[0], "$t") ? self->element : words[0];
  g_autofree char *type = g_strdup_printf ("!torch.vtensor<[%s],%s>", words[1], element);

  if (is_constant)
    {
      g_auto (GStrv) extents = g_strsplit (words[1], ",", -1);
      GString *shape = g_string_new (NULL);
      GString *numbers = g_string_new (NULL);
      guint n = 1;

      for (guint i = 0; extents[i] != NULL; i++)
        {
          n *= (guint) atoi (extents[i]);
          g_string_append_printf (shape, "%sx", extents[i]);
        }
      for (guint i = 0; i < n; i++)
        g_string_append_printf (numbers, element[0] == 'f' ? "%s%u.5" : "%s%u", i > 0 ? ", " : "",
                                i % 3);
      g_string_append_printf (self->body, "  %%c%u = torch.vtensor.literal(dense<", self->n);
      /* Numbers of several axes stand in brackets of their own, and one for all needs none. */
      if (extents[1] == NULL)
        g_string_append_printf (self->body, "[%s]", numbers->str);
      else
        g_string_append (self->body, element[0] == 'f' ? "0.25" : "1");
      g_string_append_printf (self->body, "> : tensor<%s%s>) : %s\n", shape->str, element, type);
      g_string_append_printf (names, "%%c%u", self->n);
      g_string_free (shape, TRUE);
      g_string_free (numbers, TRUE);
    }
  else
    {
      g_string_append_printf (self->arguments, "%s%%x%u: %s", self->arguments->len > 0 ? ", " : "",
                              self->n, type);
      g_string_append_printf (names, "%%x%u", self->n);
    }
  g_string_append (types, type);
  self->n++;
}

static void
write_operand (Writer *self, const char *operand, GString *names, GString *types)
{
  const char *kind;
  const char *type;

  if (names->len > 0)
    {
      g_string_append (names, ", ");
      g_string_append (types, ", ");
    }
  if (*operand == '[' || *operand == '{')
    {
      g_autofree char *inner = g_strndup (operand + 1, strlen (operand) - 2);

      write_list (self, inner, *operand == '[' ? ',' : ';', *operand == '[' ? "int" : NULL, names,
                  types);
      return;
    }
  if (strchr (operand, ' ') != NULL)
    {
      write_tensor (self, operand, names, types);
      return;
    }
  if (g_str_equal (operand, "none"))
    {
      kind = "none";
      type = "none";
      operand = "";
    }
  else if (*operand == '"')
    kind = type = "str";
  else if (g_str_equal (operand, "true") || g_str_equal (operand, "false"))
    kind = type = "bool";
  else
    kind = type = strchr (operand, '.') != NULL ? "float" : "int";
  g_string_append_printf (self->body, "  %%k%u = torch.constant.%s %s\n", self->n, kind, operand);
  g_string_append_printf (names, "%%k%u", self->n);
  g_string_append_printf (types, "!torch.%s", type);
  self->n++;
}

static char *
write_program (const Call *call, const char *element)
{
  Writer writer = { g_string_new (NULL), g_string_new (NULL), element, 0 };
  g_auto (GStrv) operands = g_strsplit (call->operands, "|", -1);
  g_autoptr (GString) names = g_string_new (NULL);
  g_autoptr (GString) types = g_string_new (NULL);
  gboolean two = call->n_results == 2;
  gboolean listed = g_str_has_prefix (call->function, "split");
  const char *result = listed ? "!torch.list<vtensor>" : "!torch.vtensor";
  char *text;

  for (guint i = 0; operands[i] != NULL; i++)
    write_operand (&writer, operands[i], names, types);
  text = g_strdup_printf (
      "func.func @main(%s) -> %s {\n%s  %%y%s = torch.aten.%s %s : %s -> %s%s\n%s  return %s : "
      "%s\n}\n",
      writer.arguments->str, two ? "(!torch.vtensor, !torch.vtensor)" : result, writer.body->str,
      two && !listed ? ":2" : "", call->function, names->str, types->str, result,
      two && !listed ? ", !torch.vtensor" : "",
      listed ? "  %z:2 = torch.prim.ListUnpack %y : !torch.list<vtensor> -> !torch.vtensor, "
               "!torch.vtensor\n"
             : "",
      listed ? "%z#0, %z#1"
      : two  ? "%y#0, %y#1"
             : "%y",
      two ? "!torch.vtensor, !torch.vtensor" : "!torch.vtensor");
  g_string_free (writer.arguments, TRUE);
  g_string_free (writer.body, TRUE);

  return text;
}

static AssayWork *
make_work (const char *text, const char *target_id)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayGraph)
      graph = assay_model_read_bytes (bytes, "call.mlir", NULL, findings, NULL, &error);
  g_autoptr (AssayTarget) target = NULL;
  AssayWork *work;

  g_assert_no_error (error);
  for (guint i = 0; i < assay_findings_get_count (findings); i++)
    g_test_message ("%s", assay_findings_get (findings, i)->message);
  target = assay_target_load (target_id, &error);
  g_assert_no_error (error);
  work = assay_work_new_for_graph (NULL, graph, target, NULL);
  g_assert_nonnull (assay_work_get_program (work, NULL, &error));
  g_assert_no_error (error);

  return work;
}

/* What a target says of a call: that which is taken is dispatched, and something has the name of
 * the row; or it is refused by the rule that the row has. */
static guint
check_call (const Call *call, const char *element, AssayWork *work)
{
  guint n_faults = 0;
  g_autoptr (GError) error = NULL;
  AssayVerdicts *verdicts = assay_work_get_verdicts (work, NULL, &error);
  const AssayDelegatePlan *plan;
  g_autofree char *row = g_strconcat ("aten.", call->row, NULL);
  const char *mapping = call->mapping != NULL ? call->mapping : row;
  gboolean found = *mapping == '\0';

  g_assert_no_error (error);
  plan = assay_delegate_program_get_plan (
      ASSAY_DELEGATE_PROGRAM (assay_work_get_program (work, NULL, NULL)), FALSE);
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (verdicts->graph); id++)
    {
      const AssayVerdict *verdict = assay_verdicts_get (verdicts, id);
      const AssayNode *node = assay_graph_node (verdicts->graph, id);
      gboolean takes = verdict->kind >= ASSAY_VERDICT_FUSED;

      if (call->rule != NULL)
        found |= g_strcmp0 (verdict->rule, call->rule) == 0 && !takes;
      else if (!takes)
        {
          g_test_message ("%s of %s: %s is refused: %s", call->function, element, node->op_type,
                          verdict->reason);
          n_faults++;
        }
      else
        found |= verdict->mapping != NULL && strstr (verdict->mapping, mapping) != NULL;
      if (verdict->kind != ASSAY_VERDICT_REMOVED &&
          takes != (plan->places[id] == ASSAY_DELEGATE_DEVICE))
        {
          g_test_message ("%s of %s: %s is %s, and runs on the %s: %s", call->function, element,
                          node->op_type, assay_verdict_name (verdict->kind),
                          takes ? "host" : "device",
                          plan->reasons[id] != NULL ? plan->reasons[id] : "");
          n_faults++;
        }
    }
  if (!found)
    g_test_message ("%s of %s: nothing is called %s", call->function, element,
                    call->rule != NULL ? call->rule : mapping);

  return n_faults + !found;
}

/* Numbers that every function takes; whole ones are indices of all tensors that are indexed. */
static AssayTensor *
make_input (const AssayRunPort *port)
{
  gsize n = 1;
  g_autofree gint64 *indices = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;
  AssayTensor *tensor;

  if (port->dtype != ASSAY_DTYPE_I64)
    return gpu_make_tensor (port, GPU_POSITIVE);
  for (int i = 0; i < port->rank; i++)
    n *= (gsize) port->dims[i];
  indices = g_new (gint64, n);
  for (gsize i = 0; i < n; i++)
    indices[i] = (gint64) (2 - i % 3);
  bytes = g_bytes_new (indices, n * sizeof *indices);
  tensor = assay_tensor_new (ASSAY_DTYPE_I64, (guint) port->rank, port->dims, bytes, &error);
  g_assert_no_error (error);

  return tensor;
}

/* What comes out is within what the specification allows. */
static guint
compare_call (const Call *call, const char *element, AssayWork *work)
{
  AssayRunSubject *subject = assay_work_get_subject (work, TRUE, NULL, NULL);
  AssayComparisonSide sides[2] = { { "reference" }, { "vulkan" } };
  g_autoptr (GArray) ports = assay_run_subject_get_inputs (subject);
  g_autoptr (GPtrArray)
      inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
  g_autoptr (AssayComparison) comparison = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < ports->len; i++)
    g_ptr_array_add (inputs, make_input (&g_array_index (ports, AssayRunPort, i)));
  sides[0].subject = sides[1].subject = subject;
  comparison = assay_compare_runs (&sides[0], &sides[1], inputs, NULL, NULL, &error);
  g_assert_no_error (error);
  if (comparison->verdict == ASSAY_COMPARISON_OUTSIDE)
    g_test_message ("%s of %s: outside the tolerance", call->function, element);

  return comparison->verdict == ASSAY_COMPARISON_OUTSIDE;
}

static gboolean
has_row (JsonArray *rules, const char *row)
{
  g_autofree char *name = g_strconcat ("aten.", row, NULL);

  for (guint i = 0; i < json_array_get_length (rules); i++)
    {
      JsonObject *rule = json_array_get_object_element (rules, i);

      if (g_str_equal (json_object_get_string_member_with_default (rule, "key", ""), name))
        return TRUE;
    }

  return FALSE;
}

static void
test_calls (gconstpointer data)
{
  const char *target_id = data;
  g_autoptr (AssayTarget) target = assay_target_load (target_id, NULL);
  JsonArray *rules = json_object_get_array_member (assay_target_get_json (target), "rules");
  guint n = 0, n_faults = 0;

  for (guint i = 0; i < G_N_ELEMENTS (calls); i++)
    {
      static const char *const elements[] = { "f32", "f16" };

      for (guint j = 0; j < (strstr (calls[i].operands, "$t") != NULL ? 2 : 1); j++)
        {
          g_autofree char *text = write_program (&calls[i], elements[j]);
          g_autoptr (AssayWork) work = NULL;

          if (!has_row (rules, calls[i].row))
            continue;
          work = make_work (text, target_id);
          n_faults += check_call (&calls[i], elements[j], work);
          n++;
        }
    }
  g_assert_cmpuint (n, >, 100);
  g_assert_cmpuint (n_faults, ==, 0);
}

/* One target has the rows of both, but for two that differ in nothing that runs. */
static void
test_numbers (void)
{
  g_autoptr (AssayGpuLease) lease = assay_gpu_lease_new ();
  guint n_faults = 0;

  if (!gpu_fixture_has_device ())
    return;
  for (guint i = 0; i < G_N_ELEMENTS (calls); i++)
    {
      g_autofree char *text = write_program (&calls[i], i % 2 == 0 ? "f32" : "f16");
      g_autoptr (AssayWork) work = make_work (text, "vulkan-main");

      n_faults += compare_call (&calls[i], i % 2 == 0 ? "f32" : "f16", work);
    }
  g_assert_cmpuint (n_faults, ==, 0);
}

/* Every row of both tables is called above, or said not to be a function. */
static void
test_rows (gconstpointer data)
{
  g_autoptr (AssayTarget) target = assay_target_load (data, NULL);
  JsonArray *rules = json_object_get_array_member (assay_target_get_json (target), "rules");
  guint n_missing = 0;

  for (guint i = 0; i < json_array_get_length (rules); i++)
    {
      JsonObject *rule = json_array_get_object_element (rules, i);
      const char *key = json_object_get_string_member_with_default (rule, "key", "");
      gboolean found = !g_str_has_prefix (key, "aten.");

      for (guint j = 0; j < G_N_ELEMENTS (calls) && !found; j++)
        found = g_str_equal (key + strlen ("aten."), calls[j].row);
      for (guint j = 0; j < G_N_ELEMENTS (without) && !found; j++)
        found = g_str_equal (key + strlen ("aten."), without[j]);
      if (!found)
        g_test_message ("nothing calls %s", key);
      n_missing += !found;
    }
  g_assert_cmpuint (n_missing, ==, 0);
}

int
main (int argc, char **argv)
{
  char *folder = gpu_fixture_init ();

  /* The shaders are those of test-gpu, which has the layers. */
  g_unsetenv ("ASSAY_GPU_VALIDATE");
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/gpu-torch/rows/main", "vulkan-main", test_rows);
  g_test_add_data_func ("/gpu-torch/rows/seed", "vulkan-seed", test_rows);
  g_test_add_data_func ("/gpu-torch/calls/main", "vulkan-main", test_calls);
  g_test_add_data_func ("/gpu-torch/calls/seed", "vulkan-seed", test_calls);
  g_test_add_func ("/gpu-torch/numbers", test_numbers);

  return gpu_fixture_finish (folder, g_test_run ());
}
