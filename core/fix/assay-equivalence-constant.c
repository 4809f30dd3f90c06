/* assay-equivalence-constant.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Guards of forms whose constants have the shape that a target wants, and of those that leave out
 * inputs that hold what is taken without them.
 */
#include "fix/assay-equivalence-private.h"

#include "nnir/assay-graph-builder.h"

/* The elements of a constant, spread over a shape as in NumPy. */
static double *
spread (AssayEdit *edit, AssayValueId value, const AssayGuardShape *shape, double factor)
{
  const AssayType *type = assay_edit_type (edit, value);
  g_autofree double *numbers = NULL;
  double *full;
  gsize n, total = 1;

  numbers = assay_guard_read (edit, value, &n);
  if (numbers == NULL || !assay_type_is_static (type) || (guint) type->rank > shape->rank ||
      !assay_dims_count (shape->rank, shape->dims, &total) || total > ((gsize) 1 << 24))
    return NULL;

  full = g_new (double, MAX (total, 1));
  for (gsize i = 0; i < total; i++)
    {
      gsize rest = i, at = 0, stride = 1;

      for (guint j = 0; j < shape->rank; j++)
        {
          guint axis = shape->rank - 1 - j;
          gsize index = rest % (gsize) shape->dims[axis];

          rest /= (gsize) shape->dims[axis];
          if (j < (guint) type->rank)
            {
              gsize size = (gsize) type->dims[type->rank - 1 - (int) j].size;

              at += size > 1 ? index * stride : 0;
              stride *= size;
            }
        }
      full[i] = factor * numbers[at];
    }

  return full;
}

/* Binds `data` to the other input and `full` to a constant as large as the result. */
static gboolean
bind_full (AssayEdit *edit, guint input)
{
  const AssayType *type = assay_guard_result (edit);
  AssayValueId constant = assay_edit_input (edit, input), data = assay_edit_input (edit, 1 - input);
  AssayGuardShape shape;
  g_autofree double *full = NULL;
  g_autofree double *minus = NULL;

  if (!assay_guard_sizes (edit, type, &shape))
    return FALSE;
  if (assay_edit_constant (edit, constant) == NULL || assay_edit_constant (edit, data) != NULL)
    return assay_edit_refuse (edit, "input %u is no constant beside a computed input", input);
  if (assay_type_equal (assay_edit_type (edit, constant), type) &&
      assay_edit_node (edit)->op != ASSAY_OP_Sub && assay_edit_node (edit)->op != ASSAY_OP_Max)
    return assay_edit_refuse (edit, "the constant has all elements already");

  full = spread (edit, constant, &shape, 1);
  minus = spread (edit, constant, &shape, -1);
  if (full == NULL || !assay_dtype_is_float (type->dtype))
    return assay_edit_refuse (edit, "the constant is too large, or no floats");
  assay_bindings_set_value (edit->bindings, "data", data);
  assay_bindings_set_value (edit->bindings, "full",
                            assay_guard_floats (edit, type->dtype, shape.rank, shape.dims, full));
  assay_bindings_set_value (edit->bindings, "minus",
                            assay_guard_floats (edit, type->dtype, shape.rank, shape.dims, minus));

  return TRUE;
}

gboolean
assay_guard_full_second (AssayEdit *edit)
{
  if (assay_edit_node (edit)->n_inputs != 2)
    return assay_edit_refuse (edit, "it does not have two inputs");

  return bind_full (edit, 1);
}

gboolean
assay_guard_full_either (AssayEdit *edit)
{
  return bind_full (edit, assay_edit_constant (edit, assay_edit_input (edit, 1)) != NULL ? 1 : 0);
}

static gboolean
bind_filled (AssayEdit *edit, double number)
{
  const AssayType *type = assay_guard_result (edit);
  AssayGuardShape shape;
  AssayValueId full;

  if (!assay_guard_sizes (edit, type, &shape))
    return FALSE;
  full = assay_guard_filled (edit, type->dtype, shape.rank, shape.dims, number);
  if (full == ASSAY_NO_VALUE)
    return assay_edit_refuse (edit, "its result is too large, or no floats");
  assay_bindings_set_value (edit->bindings, "full", full);

  return TRUE;
}

gboolean
assay_guard_full_zero (AssayEdit *edit)
{
  return bind_filled (edit, 0);
}

gboolean
assay_guard_full_minus_one (AssayEdit *edit)
{
  return bind_filled (edit, -1);
}

/* Number of channels of an image or sequence. */
static gboolean
get_channels (AssayEdit *edit, const AssayType *type, gint64 *channels)
{
  if (type->kind != ASSAY_TYPE_KIND_TENSOR || (type->rank != 3 && type->rank != 4) ||
      type->dims[1].size < 1 || !assay_dtype_is_float (type->dtype))
    return assay_edit_refuse (edit,
                              "it works on no image or sequence with a known number of channels");
  *channels = type->dims[1].size;

  return TRUE;
}

static void
bind_kernel (AssayEdit *edit, const char *name, const AssayType *type, gint64 channels,
             const double *numbers)
{
  const gint64 dims[] = { channels, 1, 1, 1 };

  assay_bindings_set_value (
      edit->bindings, name,
      assay_guard_floats (edit, type->dtype, (guint) type->rank, dims, numbers));
}

gboolean
assay_guard_identity_conv (AssayEdit *edit)
{
  const AssayType *type = assay_guard_result (edit);
  g_autofree double *ones = NULL;
  gint64 channels;

  if (!get_channels (edit, type, &channels))
    return FALSE;
  ones = g_new (double, channels);
  for (gint64 i = 0; i < channels; i++)
    ones[i] = 1;
  assay_bindings_set_int (edit->bindings, "channels", channels);
  bind_kernel (edit, "ones", type, channels, ones);

  return TRUE;
}

/* One number per channel, or one in all. */
gboolean
assay_guard_channel_constant (AssayEdit *edit)
{
  const AssayType *type = assay_guard_result (edit);
  guint input = assay_edit_constant (edit, assay_edit_input (edit, 1)) != NULL ? 1 : 0;
  AssayValueId constant = assay_edit_input (edit, input);
  const AssayType *shape = assay_edit_type (edit, constant);
  g_autofree double *numbers = NULL;
  g_autofree double *all = NULL;
  gint64 channels, dims[1];
  gsize n = 0;

  if (!get_channels (edit, type, &channels))
    return FALSE;
  numbers = assay_guard_read (edit, constant, &n);
  if (numbers == NULL || (n != 1 && (n != (gsize) channels || shape->rank < type->rank - 1 ||
                                     shape->dims[shape->rank - type->rank + 1].size != channels)))
    return assay_edit_refuse (edit, "it has no constant of one element, or one per channel");
  if (!assay_type_equal (assay_edit_type (edit, assay_edit_input (edit, 1 - input)), type))
    return assay_edit_refuse (edit, "the constant makes the result larger than its other input");

  all = g_new (double, channels);
  for (gint64 i = 0; i < channels; i++)
    all[i] = numbers[n == 1 ? 0 : i];
  dims[0] = channels;
  assay_bindings_set_int (edit->bindings, "channels", channels);
  assay_bindings_set_value (edit->bindings, "data", assay_edit_input (edit, 1 - input));
  assay_bindings_set_value (edit->bindings, "constant",
                            assay_guard_floats (edit, type->dtype, 1, dims, all));
  bind_kernel (edit, "kernel", type, channels, all);
  for (gint64 i = 0; i < channels; i++)
    all[i] = 1;
  bind_kernel (edit, "ones", type, channels, all);

  return TRUE;
}

/* An operand of one element per channel is repeated by a Resize to the nearest. */
gboolean
assay_guard_small_operand (AssayEdit *edit)
{
  const AssayType *type = assay_guard_result (edit);
  AssayGuardShape shape;

  if (!assay_guard_sizes (edit, type, &shape))
    return FALSE;
  for (guint input = 0; input < 2 && shape.rank == 4; input++)
    {
      AssayValueId small = assay_edit_input (edit, input);
      const AssayType *other = assay_edit_type (edit, small);

      if (other->rank == 4 && other->dims[0].size == shape.dims[0] &&
          other->dims[1].size == shape.dims[1] && other->dims[2].size == 1 &&
          other->dims[3].size == 1 && shape.dims[2] * shape.dims[3] > 1 &&
          assay_type_equal (assay_edit_type (edit, assay_edit_input (edit, 1 - input)), type))
        {
          const AssayValueId inputs[] = { small, ASSAY_NO_VALUE, ASSAY_NO_VALUE,
                                          assay_builder_ints (&edit->builder, "constant", 4,
                                                              shape.dims) };
          AssayValueId resized = assay_builder_add (&edit->builder, ASSAY_OP_Resize, NULL, 4,
                                                    inputs);
          AssayNodeId node = assay_builder_last (&edit->builder);

          assay_graph_set_string (edit->graph, node, "mode", "nearest");
          assay_graph_set_string (edit->graph, node, "coordinate_transformation_mode",
                                  "asymmetric");
          assay_graph_set_string (edit->graph, node, "nearest_mode", "floor");
          assay_bindings_set_value (edit->bindings, "small", resized);
          assay_bindings_set_value (edit->bindings, "data", assay_edit_input (edit, 1 - input));
          return TRUE;
        }
    }

  return assay_edit_refuse (edit,
                            "no input has one element per channel beside an image of known size");
}

/* Whether an input of the anchor, a constant, says what is taken where there is none. */
typedef gboolean (*IsDefault) (AssayEdit *edit, const double *numbers, gsize n);

/* Zeros of the other sign count as well: only the sign of a zero can tell them apart. */
static gboolean
are_zeros (G_GNUC_UNUSED AssayEdit *edit, const double *numbers, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (numbers[i] != 0.0)
      return FALSE;

  return TRUE;
}

/* Sequences that are all as long as the input is. */
static gboolean
are_whole (AssayEdit *edit, const double *numbers, gsize n)
{
  const AssayType *type = assay_edit_type (edit, assay_edit_input (edit, 0));
  int axis = assay_node_get_int (assay_edit_node (edit), "layout") != 0 ? 1 : 0;

  if (!assay_type_is_static (type) || type->rank <= axis)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    if (numbers[i] != (double) type->dims[axis].size)
      return FALSE;

  return TRUE;
}

/* A mask that hides nothing: zeros are added, truths let pass. */
static gboolean
hides_nothing (AssayEdit *edit, const double *numbers, gsize n)
{
  if (assay_edit_type (edit, assay_edit_input (edit, 3))->dtype != ASSAY_DTYPE_BOOL)
    return are_zeros (edit, numbers, n);
  for (gsize i = 0; i < n; i++)
    if (numbers[i] == 0.0)
      return FALSE;

  return TRUE;
}

static const struct
{
  AssayOp op;
  guint input;
  IsDefault is_default;
} defaults[] = {
  { ASSAY_OP_Attention, 3, hides_nothing }, { ASSAY_OP_GRU, 4, are_whole },
  { ASSAY_OP_GRU, 5, are_zeros },           { ASSAY_OP_LSTM, 4, are_whole },
  { ASSAY_OP_LSTM, 5, are_zeros },          { ASSAY_OP_LSTM, 6, are_zeros },
  { ASSAY_OP_LSTM, 7, are_zeros },          { ASSAY_OP_RNN, 4, are_whole },
  { ASSAY_OP_RNN, 5, are_zeros },
};

static gboolean
holds_default (AssayEdit *edit, guint input)
{
  g_autofree double *numbers = NULL;
  gsize n;

  for (guint i = 0; i < G_N_ELEMENTS (defaults); i++)
    {
      if (defaults[i].op != assay_edit_node (edit)->op || defaults[i].input != input)
        continue;
      numbers = assay_guard_read (edit, assay_edit_input (edit, input), &n);

      return numbers != NULL && defaults[i].is_default (edit, numbers, n);
    }

  return FALSE;
}

/* The operation again, without the inputs that hold what is taken without them. */
gboolean
assay_guard_defaults (AssayEdit *edit)
{
  guint n = assay_edit_node (edit)->n_inputs, n_outputs = assay_edit_node (edit)->n_outputs;
  g_autofree AssayValueId *inputs = g_new0 (AssayValueId, n);
  g_autofree AssayValueId *outputs = g_new0 (AssayValueId, n_outputs);
  gboolean found = FALSE;

  for (guint i = 0; i < n; i++)
    {
      gboolean is_default = holds_default (edit, i);

      inputs[i] = is_default ? ASSAY_NO_VALUE : assay_edit_input (edit, i);
      found = found || is_default;
    }
  if (!found)
    return assay_edit_refuse (edit, "no input of it is a constant that holds the default");

  while (inputs[n - 1] == ASSAY_NO_VALUE)
    n--;
  assay_edit_repeat (edit, n, inputs, outputs);
  for (guint i = 1; i < n_outputs; i++)
    if (outputs[i] != ASSAY_NO_VALUE)
      assay_edit_replace (edit, i, outputs[i]);
  assay_bindings_set_value (edit->bindings, "result", outputs[0]);
  edit->tidy = TRUE;

  return TRUE;
}
