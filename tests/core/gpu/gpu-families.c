/* gpu-families.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "gpu-families.h"

static void
model_init (GpuModel *self, double units, GpuKind kind, gboolean textures)
{
  self->inputs = g_string_new (NULL);
  self->body = g_string_new (NULL);
  self->outputs = g_string_new (NULL);
  self->limits = g_array_new (FALSE, FALSE, sizeof (double));
  self->units = units;
  self->kind = kind;
  self->n = 0;
  self->textures = textures;
}

/* What comes as a buffer is made a texture where it is turned round twice. */
static guint
model_input (GpuModel *self, const char *dtype, const char *dims)
{
  gboolean turns = self->textures && dtype[0] == 'f';

  g_string_append_printf (self->inputs, "%s%%%s%u : %s[%s]", self->inputs->len > 0 ? ", " : "",
                          turns ? "given" : "x", self->n, dtype, dims);
  if (turns)
    g_string_append_printf (self->body,
                            "  %%turned%u = Neg(%%given%u)\n  %%x%u = Neg(%%turned%u)\n", self->n,
                            self->n, self->n, self->n);

  return self->n++;
}

/* A node whose operands stand as $a, $b and $c in its text; its result goes out. */
static guint
model_apply (GpuModel *self, const char *node, guint a, guint b, guint c)
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
model_constant (GpuModel *self, const char *dtype, const char *dims)
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
model_integers (GpuModel *self, const char *values, guint n)
{
  g_string_append_printf (self->body, "  const %%x%u : i64[%u] = [%s]\n", self->n, n, values);

  return self->n++;
}

static guint
model_scalar (GpuModel *self, const char *dtype, const char *value)
{
  g_string_append_printf (self->body, "  const %%x%u : %s[] = [%s]\n", self->n, dtype, value);

  return self->n++;
}

char *
gpu_model_finish (GpuModel *self)
{
  char *text = g_strdup_printf ("main (%s) {\n%s  return %s\n}\n", self->inputs->str,
                                self->body->str, self->outputs->str);

  g_string_free (self->inputs, TRUE);
  g_string_free (self->body, TRUE);
  g_string_free (self->outputs, TRUE);

  return text;
}

static double
pick (guint i, GpuKind kind, gboolean whole)
{
  static const double special[] = { NAN,  INFINITY, -INFINITY, 0.0,    -0.0,   1e-41, -1e-41,
                                    1e30, -1e30,    0.5,       -0.5,   1.5,    2.5,   -2.5,
                                    88.0, -88.0,    1e-20,     3.1416, 6.0001, -3.0,  15.5 };
  double plain = (double) ((i * 2654435761u >> 8) % 4096) / 512.0 - 4.0;

  if (whole)
    return floor (plain * 5.0);
  if (kind == GPU_HOLES && i % 17 == 0)
    return special[i / 17 % 3];
  if (kind == GPU_SPECIAL && i % 2 == 0)
    return special[i / 2 % G_N_ELEMENTS (special)];

  return kind == GPU_POSITIVE ? fabs (plain) + 0.125 : plain;
}

AssayTensor *
gpu_make_tensor (const AssayRunPort *port, GpuKind kind)
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
        case ASSAY_DTYPE_I8:
          data[i] = (guint8) (gint8) value;
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
/* A node with the inputs that it is tried on, and what f32 is held to. */
typedef struct
{
  const char *node;
  GpuKind kind;
  double units;
} Row;

/* Whether a row is one of this model; the nodes that come are held to it. */
static gboolean
model_take (GpuModel *self, const char *type, const Row *row)
{
  self->units = g_str_equal (type, "f16") ? MIN (row->units, 2) : row->units;

  return row->kind == self->kind;
}

static const char *const extents[] = { "0", "1", "3", "4,5", "63", "64", "65", "2,3,129" };

/* Functions, each of every extent; exp, sin and their like carry the error of what they are made
 * of. What is exact is held to that. */
static void
fill_unary (GpuModel *model, const char *type)
{
  static const Row rows[] = {
    { "Abs($a)", GPU_SPECIAL, 0 },
    { "Neg($a)", GPU_SPECIAL, 0 },
    { "Relu($a)", GPU_SPECIAL, 0 },
    { "Round($a)", GPU_SPECIAL, 0 },
    { "Clip($a, $b, $c)", GPU_SPECIAL, 0 },
    { "LeakyRelu($a) {alpha = 0.1}", GPU_SPECIAL, 1 },
    { "HardSwish($a)", GPU_PLAIN, 4 },
    { "Sqrt($a)", GPU_POSITIVE, 3 },
    { "Exp($a)", GPU_PLAIN, 16 },
    { "Tanh($a)", GPU_SPECIAL, 64 },
    { "Sigmoid($a)", GPU_SPECIAL, 32 },
    { "Sin($a)", GPU_PLAIN, 64 },
    { "Shrink($a) {lambd = 0.75}", GPU_SPECIAL, 0 },
    { "assay::Rsqrt($a)", GPU_POSITIVE, 8 },
    { "Cos($a)", GPU_PLAIN, 64 },
    { "Gelu($a) {approximate = \"tanh\"}", GPU_PLAIN, 64 },
  };
  guint low = model_scalar (model, type, "-0.5");
  guint high = model_scalar (model, type, "1.25");

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    for (guint j = 0; j < G_N_ELEMENTS (extents) && model_take (model, type, &rows[i]); j++)
      model_apply (model, rows[i].node, model_input (model, type, extents[j]), low, high);
}

/* Either side broadcasts: nothing, one, and along the first axes, those between, the last, and
 * some of each. */
static const char *const pairs[][2] = {
  { "0", "0" },
  { "1", "1" },
  { "65", "65" },
  { "4,5", "5" },
  { "4,5", "4,1" },
  { "1,7", "6,1" },
  { "2,3,4", "3,1" },
  { "3", "2,1,3" },
  { "1", "64" },
  { "2,1,3,1", "5,1,4" },
  { "", "3,5" },
  { "2,3,4,5", "1,3,4,5" },
  { "2,3,4,5", "2,1,1,5" },
  { "1,3,1,8", "2,1,4,1" },
  { "2,0,3", "2,1,3" },
  { "2,1,3,2,5", "4,1,2,1" },
  { "2049,1", "1,3" },
};

static void
apply_pairs (GpuModel *model, const char *node, const char *dtype)
{
  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++)
    {
      guint a = model_input (model, dtype, pairs[i][0]);
      guint b = model_input (model, dtype, pairs[i][1]);

      model_apply (model, node, a, b, 0);
      if (!g_str_equal (pairs[i][0], pairs[i][1]))
        model_apply (model, node, b, a, 0);
    }
}

/* Three sides, each of the extents in turn. */
static void
fill_where (GpuModel *model, const char *type)
{
  static const char *const triples[][3] = {
    { "2,3,4,5", "5", "3,1,1" },     { "3,1,8", "2,3,4,1", "4,1" },
    { "1", "2,3,5,7", "3,5,1" },     { "", "3,1", "1,4" },
    { "2,0,3", "1,1,3", "" },        { "2,1,3,1", "5,1,2", "3,2" },
    { "1,3,1,8", "2,1,4,1", "4,8" }, { "1,3", "2049,1", "1" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (triples); i++)
    for (guint turn = 0; turn < 3; turn++)
      {
        guint condition = model_input (model, "bool", triples[i][turn]);
        guint a = model_input (model, type, triples[i][(turn + 1) % 3]);

        model_apply (model, "Where($a, $b, $c)", condition, a,
                     model_input (model, type, triples[i][(turn + 2) % 3]));
      }
}

static void
fill_binary (GpuModel *model, const char *type)
{
  static const Row rows[] = {
    { "Add($a, $b)", GPU_SPECIAL, 1 },
    { "Sub($a, $b)", GPU_SPECIAL, 1 },
    { "Mul($a, $b)", GPU_SPECIAL, 1 },
    { "Div($a, $b)", GPU_PLAIN, 3 },
    { "Min($a, $b)", GPU_PLAIN, 0 },
    { "Pow($a, $b)", GPU_POSITIVE, 128 },
    { "Equal($a, $b)", GPU_SPECIAL, 0 },
    { "Less($a, $b)", GPU_SPECIAL, 0 },
    { "Greater($a, $b)", GPU_SPECIAL, 0 },
    { "LessOrEqual($a, $b)", GPU_SPECIAL, 0 },
    { "GreaterOrEqual($a, $b)", GPU_SPECIAL, 0 },
    { "Sum($a, $b)", GPU_SPECIAL, 1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (model_take (model, type, &rows[i]))
      apply_pairs (model, rows[i].node, type);
}

/* Integers are exact. */
static void
fill_integers (GpuModel *model, const char *type)
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
fill_logic (GpuModel *model, const char *type)
{
  apply_pairs (model, "And($a, $b)", type);
  apply_pairs (model, "Or($a, $b)", type);
  for (guint i = 0; i < G_N_ELEMENTS (extents); i++)
    {
      guint condition = model_input (model, type, extents[i]);
      guint a = model_input (model, "f32", extents[i]);
      guint half = model_input (model, "f16", extents[i]);

      model_apply (model, "Where($a, $b, $c)", condition, a, model_input (model, "f32", "1"));
      model_apply (model, "Where($a, $b, $c)", condition, half, model_input (model, "f16", "1"));
    }
}

static void
fill_casts (GpuModel *model, const char *type)
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
fill_moves (GpuModel *model, const char *type)
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
fill_slices (GpuModel *model, const char *type)
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
fill_products (GpuModel *model, const char *type)
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
fill_convolutions (GpuModel *model, const char *type)
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
    { "1,3,8,8", "9,3,3,3", "9", "Conv($a, $b, $c) {pads = [1, 1, 1, 1]}" },
    { "1,4,6,6", "8,4,1,1", "8", "Conv($a, $b, $c)" },
    { "1,4,6,7", "8,4,1,1", "8", "Conv($a, $b, $c) {strides = [2, 2]}" },
    { "1,4,7,12", "4,1,3,3", "4", "Conv($a, $b, $c) {group = 4, pads = [1, 1, 1, 1]}" },
    { "1,2,9,16", "8,2,7,7", "8", "Conv($a, $b) {strides = [2, 2], pads = [3, 3, 3, 3]}" },
    { "1,4,5,9", "16,2,5,5", "16", "Conv($a, $b, $c) {group = 2, pads = [2, 2, 2, 2]}" },
    /* Windows that reach too far to be read in vec4, and what is around them. */
    { "1,3,5,30", "6,3,2,3", "6", "Conv($a, $b, $c) {dilations = [1, 9], pads = [1, 9, 0, 9]}" },
    { "1,4,5,30", "4,1,2,3", "4", "Conv($a, $b, $c) {group = 4, dilations = [1, 9]}" },
    { "1,3,5,20", "6,3,2,3", "6", "Conv($a, $b) {dilations = [2, 9]}" },
    { "1,4,5,20", "4,1,2,3", "4", "Conv($a, $b, $c) {group = 4, dilations = [1, 9]}" },
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
fill_windows (GpuModel *model, const char *type)
{
  static const char *const nodes[] = {
    "MaxPool($a) {kernel_shape = [2, 2], strides = [2, 2]}",
    "MaxPool($a) {kernel_shape = [3, 3], pads = [1, 1, 1, 1]}",
    "MaxPool($a) {kernel_shape = [2, 2], strides = [2, 2], ceil_mode = 1}",
    "AveragePool($a) {kernel_shape = [2, 2], strides = [2, 2]}",
    "AveragePool($a) {kernel_shape = [3, 3], pads = [1, 1, 1, 1], count_include_pad = 1}",
    "AveragePool($a) {kernel_shape = [3, 3], pads = [1, 1, 1, 1]}",
    "MaxPool($a) {kernel_shape = [2, 3], strides = [1, 2], pads = [0, 1, 0, 0]}",
    "MaxPool($a) {kernel_shape = [3, 2], dilations = [2, 3]}",
    "AveragePool($a) {kernel_shape = [1, 6], strides = [3, 1]}",
    "MaxPool($a) {kernel_shape = [2, 2], dilations = [1, 8]}",
    "AveragePool($a) {kernel_shape = [2, 2], strides = [1, 8], pads = [0, 1, 0, 1]}",
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
fill_rows (GpuModel *model, const char *type)
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
fill_norms (GpuModel *model, const char *type)
{
  guint x = model_input (model, type, "2,4,5,7");
  guint c = model_constant (model, type, "4");

  model_apply (model, "InstanceNormalization($a, $b, $b)", x, c, 0);
  model_apply (model, "GroupNormalization($a, $b, $b) {num_groups = 2}", x, c, 0);
}

static void
fill_lookups (GpuModel *model, const char *type)
{
  g_string_append (model->body, "  const %i : i64[2,3] = [0, 5, 2, 3, 1, 4]\n");
  g_string_append (model->body, "  const %o : i64[] = [1]\n  const %p : i64[3] = [4, 0, -1]\n");
  model_apply (model, "Gather($a, %o) {axis = 1}", model_input (model, type, "6,5"), 0, 0);
  model_apply (model, "Gather($a, %p) {axis = 0}", model_input (model, type, "6,5"), 0, 0);
  model_apply (model, "GatherElements($a, %i) {axis = 0}", model_input (model, type, "6,3"), 0, 0);
  model_apply (model, "GatherElements($a, %i) {axis = 1}", model_input (model, type, "2,6"), 0, 0);
}

static void
fill_resize (GpuModel *model, const char *type)
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
fill_bytes (GpuModel *model, const char *type)
{
  guint q;

  g_string_append_printf (model->body,
                          "  const %%s : f32[] = [0.03125]\n  const %%z : %s[] = [7]\n"
                          "  const %%h : f16[] = [0.03125]\n",
                          type);
  for (guint j = 0; j < G_N_ELEMENTS (extents); j++)
    {
      q = model_apply (model, "QuantizeLinear($a, %s, %z)", model_input (model, "f32", extents[j]),
                       0, 0);
      model_apply (model, "DequantizeLinear($a, %s, %z)", q, 0, 0);
      q = model_apply (model, "QuantizeLinear($a, %h, %z)", model_input (model, "f16", extents[j]),
                       0, 0);
      model_apply (model, "DequantizeLinear($a, %h, %z)", q, 0, 0);
    }
}

static void
fill_samples (GpuModel *model, const char *type)
{
  guint x = model_input (model, type, "2,3,5,6");

  model_apply (model,
               "GridSample($a, $b) {mode = \"linear\", padding_mode = \"border\", "
               "align_corners = 1}",
               x, model_input (model, type, "2,4,7,2"), 0);
}

/* Heads in an axis of their own and side by side, as many of queries as of keys and more. */
static void
fill_attention (GpuModel *model, const char *type)
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
const GpuFamily gpu_families[] = {
  { "/gpu/unary/plain", fill_unary, { "f32", "f16" }, GPU_PLAIN, 0, 0 },
  { "/gpu/unary/special", fill_unary, { "f32", "f16" }, GPU_SPECIAL, 0, 0 },
  { "/gpu/unary/positive", fill_unary, { "f32", "f16" }, GPU_POSITIVE, 0, 0 },
  { "/gpu/binary/plain", fill_binary, { "f32", "f16" }, GPU_PLAIN, 0, 0 },
  { "/gpu/binary/special", fill_binary, { "f32", "f16" }, GPU_SPECIAL, 0, 0 },
  { "/gpu/binary/positive", fill_binary, { "f32", "f16" }, GPU_POSITIVE, 0, 0 },
  { "/gpu/integers", fill_integers, { "i32", "i64" }, GPU_PLAIN, 0, 0 },
  { "/gpu/where", fill_where, { "f32", "f16" }, GPU_SPECIAL, 0, 0 },
  { "/gpu/logic", fill_logic, { "bool" }, GPU_SPECIAL, 0, 0 },
  { "/gpu/casts", fill_casts, { "f32" }, GPU_PLAIN, 1, 1 },
  { "/gpu/moves", fill_moves, { "f32", "f16", "i32", "i64", "bool" }, GPU_SPECIAL, 0, 0 },
  { "/gpu/slices", fill_slices, { "f32", "f16", "i32", "i64", "bool" }, GPU_SPECIAL, 0, 0 },
  { "/gpu/products", fill_products, { "f32", "f16" }, GPU_PLAIN, 16, 2 },
  { "/gpu/convolutions", fill_convolutions, { "f32", "f16" }, GPU_PLAIN, 32, 2 },
  { "/gpu/convolutions/holes", fill_convolutions, { "f32", "f16" }, GPU_HOLES, 32, 2 },
  { "/gpu/windows/holes", fill_windows, { "f32", "f16" }, GPU_HOLES, 16, 2 },
  { "/gpu/windows", fill_windows, { "f32", "f16" }, GPU_PLAIN, 16, 2 },
  { "/gpu/rows", fill_rows, { "f32", "f16" }, GPU_PLAIN, 64, 3 },
  { "/gpu/attention", fill_attention, { "f32", "f16" }, GPU_PLAIN, 64, 4 },
  { "/gpu/norms", fill_norms, { "f32", "f16" }, GPU_PLAIN, 64, 3 },
  { "/gpu/lookups", fill_lookups, { "f32", "f16", "i32", "i64", "bool" }, GPU_PLAIN, 0, 0 },
  { "/gpu/resize", fill_resize, { "f32", "f16" }, GPU_PLAIN, 8, 2 },
  { "/gpu/bytes", fill_bytes, { "i8", "u8" }, GPU_PLAIN, 0, 0 },
  { "/gpu/samples", fill_samples, { "f32", "f16" }, GPU_PLAIN, 64, 16 },
};

const guint gpu_n_families = G_N_ELEMENTS (gpu_families);

/* The model of a family for a type of elements. */
void
gpu_family_fill (const GpuFamily *family, const char *type, gboolean textures, GpuModel *model)
{
  model_init (model, g_str_equal (type, "f16") ? family->half_units : family->units, family->kind,
              textures);
  family->fill (model, type);
}

/* The same as what is compiled, for tests that look at its program and do not run it. */
AssayWork *
gpu_family_work (const GpuFamily *family, const char *type, gboolean textures)
{
  g_autofree char *text = NULL;
  GpuModel model;

  gpu_family_fill (family, type, textures, &model);
  g_array_unref (model.limits);
  text = gpu_model_finish (&model);

  return gpu_fixture_work_with (text, textures);
}
