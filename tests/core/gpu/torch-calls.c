/* torch-calls.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "torch-calls.h"

#define X "$t 2,3,4,8"
#define NO_DTYPE "none|none|none|none"

const TorchCall torch_calls[] = {
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
  { "hardtanh", "hardtanh", X "|-1.0|1.0" },
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
  { "addmm", "addmm", "=$t 4|$t 4,8|=$t 8,4|1|1" },
  { "convolution", "convolution", "$t 1,4,8,8|=$t 4,4,3,3|=$t 4|[1,1]|[1,1]|[1,1]|false|[0,0]|1" },
  { "convolution", "convolution", "$t 1,4,8,8|=$t 4,4,3,3|=$t 4|[2,2]|[1,1]|[1,1]|true|[0,0]|1" },
  { "cat", "cat", "{" X ";" X "}|1" },
  { "split_with_sizes_copy", "split_with_sizes", X "|[1,2]|1", NULL, NULL, 2 },
  { "slice_copy", "slice.Tensor", X "|3|1|7|2" },
  { "split", "split.Tensor", X "|2|1", "aten.slice_copy", NULL, 2 },
  { "embedding", "embedding", "=$t 9,4|si64 3|-1|false|false" },
  { "select_copy", "select.int", X "|1|2" },
  { "index_select", "index_select", X "|1|si64 2" },
  { "index", "index.Tensor", "$t 4,8|{si64 3}" },
  { "gather", "gather", "$t 4,8|1|si64 4,3|false" },
  { "permute_copy", "permute_copy", X "|[0,2,3,1]" },
  { "permute", "permute", X "|[0,2,3,1]" },
  { "t_copy", "t_copy", "$t 4,8" },
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
  { "pixel_shuffle", "pixel_shuffle", "$t 1,8,3,5|2" },
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

const guint torch_n_calls = G_N_ELEMENTS (torch_calls);

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

/* The call as a program in the torch dialect. */
char *
torch_call_program (const TorchCall *call, const char *element)
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

/* Numbers that every function takes; whole ones are indices of all tensors that are indexed. */
AssayTensor *
torch_call_input (const AssayRunPort *port)
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

/* Whether one of the rules of a target is about a row of the registry. */
gboolean
torch_call_has_row (JsonArray *rules, const char *row)
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
