/* assay-upgrade-attributes.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/assay-upgrade-private.h"

#include <string.h>

/* An attribute that lists integers becomes an input. */
static gboolean
ints_to_input (UpgradeContext *self, const char *attribute, guint input)
{
  const AssayAttr *attr = upgrade_attr (self, attribute);

  if (attr == NULL || attr->kind != ASSAY_ATTR_INTS)
    return FALSE;

  /* What is an input already is in the newer form. */
  if (upgrade_input (self, input) == ASSAY_NO_VALUE)
    upgrade_set_input (self, input,
                       assay_builder_ints (&self->builder, attribute, attr->n, attr->u.ints));
  assay_graph_remove_attr (self->graph, self->id, attribute);

  return TRUE;
}

void
upgrade_axes (UpgradeContext *self)
{
  ints_to_input (self, "axes", 1);
}

void
upgrade_reshape (UpgradeContext *self)
{
  ints_to_input (self, "shape", 1);
}

void
upgrade_slice (UpgradeContext *self)
{
  ints_to_input (self, "starts", 1);
  ints_to_input (self, "ends", 2);
  ints_to_input (self, "axes", 3);
}

void
upgrade_split (UpgradeContext *self)
{
  ints_to_input (self, "split", 1);
  if (upgrade_input (self, 1) == ASSAY_NO_VALUE && upgrade_attr (self, "num_outputs") == NULL)
    assay_graph_set_int (self->graph, self->id, "num_outputs", upgrade_node (self)->n_outputs);
}

void
upgrade_top_k (UpgradeContext *self)
{
  const AssayAttr *k = upgrade_attr (self, "k");

  if (k == NULL || k->kind != ASSAY_ATTR_INT || upgrade_input (self, 1) != ASSAY_NO_VALUE)
    return;

  upgrade_set_input (self, 1, assay_builder_ints (&self->builder, "k", 1, &k->u.i));
  assay_graph_remove_attr (self->graph, self->id, "k");
}

/* The element type was a word before opset 6. */
void
upgrade_cast (UpgradeContext *self)
{
  static const struct
  {
    const char *word;
    AssayDType dtype;
  } words[] = {
    { "FLOAT", ASSAY_DTYPE_F32 },       { "UINT8", ASSAY_DTYPE_U8 },
    { "INT8", ASSAY_DTYPE_I8 },         { "UINT16", ASSAY_DTYPE_U16 },
    { "INT16", ASSAY_DTYPE_I16 },       { "INT32", ASSAY_DTYPE_I32 },
    { "INT64", ASSAY_DTYPE_I64 },       { "STRING", ASSAY_DTYPE_STRING },
    { "BOOL", ASSAY_DTYPE_BOOL },       { "FLOAT16", ASSAY_DTYPE_F16 },
    { "DOUBLE", ASSAY_DTYPE_F64 },      { "UINT32", ASSAY_DTYPE_U32 },
    { "UINT64", ASSAY_DTYPE_U64 },      { "COMPLEX64", ASSAY_DTYPE_C64 },
    { "COMPLEX128", ASSAY_DTYPE_C128 },
  };
  const AssayAttr *to = upgrade_attr (self, "to");

  if (to == NULL || to->kind != ASSAY_ATTR_STRING)
    return;

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    {
      if (g_ascii_strcasecmp (words[i].word, to->u.s) == 0)
        {
          assay_graph_set_int (self->graph, self->id, "to", words[i].dtype);
          return;
        }
    }

  upgrade_refuse (self, "to", "this is no element type");
}

/* An attribute that is a number becomes an input of the element type of the first one, once that is
 * known. */
static void
float_to_input (UpgradeContext *self, const char *attribute, guint input)
{
  const AssayAttr *attr = upgrade_attr (self, attribute);
  AssayDType dtype;
  double value;

  if (attr == NULL || attr->kind != ASSAY_ATTR_FLOAT || upgrade_input (self, 0) == ASSAY_NO_VALUE)
    return;

  dtype = upgrade_dtype (self, 0);
  if (dtype == ASSAY_DTYPE_UNDEFINED && self->probe == NULL)
    return;

  value = attr->u.f;
  assay_graph_remove_attr (self->graph, self->id, attribute);
  if (upgrade_input (self, input) == ASSAY_NO_VALUE)
    upgrade_set_input (
        self, input,
        assay_builder_number_like (&self->builder, attribute, value, upgrade_input (self, 0)));
}

void
upgrade_clip (UpgradeContext *self)
{
  float_to_input (self, "min", 1);
  float_to_input (self, "max", 2);
}

/* The axis was 1 unless given. */
void
upgrade_concat (UpgradeContext *self)
{
  if (upgrade_attr (self, "axis") == NULL)
    assay_graph_set_int (self->graph, self->id, "axis", 1);
}

void
upgrade_dft (UpgradeContext *self)
{
  const AssayAttr *attr = upgrade_attr (self, "axis");
  gint64 axis = attr != NULL && attr->kind == ASSAY_ATTR_INT ? attr->u.i : 1;

  if (upgrade_input (self, 2) == ASSAY_NO_VALUE)
    upgrade_set_input (self, 2, assay_builder_int (&self->builder, "axis", axis));
  assay_graph_remove_attr (self->graph, self->id, "axis");
}

/* Before opset 7 an attribute told training from inference, training being the default; from 7 to
 * 11 there was inference only; since 12 an input tells, which is not set for inference. */
void
upgrade_dropout (UpgradeContext *self)
{
  gboolean training = self->version < 7;
  const AssayAttr *is_test = upgrade_attr (self, "is_test");
  const AssayAttr *ratio;

  if (is_test != NULL && is_test->kind == ASSAY_ATTR_INT && is_test->u.i != 0)
    training = FALSE;
  assay_graph_remove_attr (self->graph, self->id, "is_test");

  ratio = upgrade_attr (self, "ratio");
  if (ratio != NULL && ratio->kind == ASSAY_ATTR_FLOAT && upgrade_input (self, 1) == ASSAY_NO_VALUE)
    {
      g_autofree char *name = g_strdup_printf ("%s/ratio", upgrade_node (self)->name);
      float value = (float) ratio->u.f;
      g_autoptr (AssayTensor) tensor = assay_tensor_new_f32 (0, NULL, &value);

      /* The ratio has a type of its own, so it need not be that of the input. */
      upgrade_set_input (
          self, 1,
          assay_graph_add_constant (self->graph, upgrade_node (self)->region, name, tensor));
    }
  assay_graph_remove_attr (self->graph, self->id, "ratio");

  if (training)
    {
      g_autofree char *name = g_strdup_printf ("%s/training_mode", upgrade_node (self)->name);
      guint8 yes = 1;
      g_autoptr (GBytes) bytes = g_bytes_new (&yes, 1);
      g_autoptr (AssayTensor) tensor = assay_tensor_new (ASSAY_DTYPE_BOOL, 0, NULL, bytes, NULL);

      upgrade_set_input (
          self, 2,
          assay_graph_add_constant (self->graph, upgrade_node (self)->region, name, tensor));
    }
}

/* Two modes were renamed in opset 20. */
void
upgrade_grid_sample (UpgradeContext *self)
{
  const AssayAttr *mode = upgrade_attr (self, "mode");
  const char *name = mode != NULL && mode->kind == ASSAY_ATTR_STRING ? mode->u.s : "bilinear";

  if (strcmp (name, "bilinear") == 0)
    assay_graph_set_string (self->graph, self->id, "mode", "linear");
  else if (strcmp (name, "bicubic") == 0)
    assay_graph_set_string (self->graph, self->id, "mode", "cubic");
}

/* The order of the norm was a float, whole or not. */
void
upgrade_integer_p (UpgradeContext *self)
{
  const AssayAttr *p = upgrade_attr (self, "p");
  double value;

  if (p == NULL || p->kind != ASSAY_ATTR_FLOAT)
    return;

  value = p->u.f;
  if (value >= 1 && value <= G_MAXINT32 && value == (double) (gint64) value)
    assay_graph_set_int (self->graph, self->id, "p", (gint64) value);
  else
    upgrade_refuse (self, "p", "the order of the norm is not a whole number");
}

void
upgrade_pad (UpgradeContext *self)
{
  const AssayAttr *value = upgrade_attr (self, "value");

  /* Opset 1 had another name for it. */
  if (!ints_to_input (self, "pads", 1))
    ints_to_input (self, "paddings", 1);

  /* Zero is what is added unless told. */
  if (value != NULL && value->kind == ASSAY_ATTR_FLOAT && value->u.f == 0)
    assay_graph_remove_attr (self->graph, self->id, "value");
  else
    float_to_input (self, "value", 2);
}

/* Half a pixel was not taken off before opset 16. */
void
upgrade_roi_align (UpgradeContext *self)
{
  if (upgrade_attr (self, "coordinate_transformation_mode") == NULL)
    assay_graph_set_string (self->graph, self->id, "coordinate_transformation_mode",
                            "output_half_pixel");
}

/* The defaults had fewer digits. */
void
upgrade_selu (UpgradeContext *self)
{
  if (upgrade_attr (self, "alpha") == NULL)
    assay_graph_set_float (self->graph, self->id, "alpha", (double) 1.6732f);
  if (upgrade_attr (self, "gamma") == NULL)
    assay_graph_set_float (self->graph, self->id, "gamma", (double) 1.0507f);
}

/* Whether there is a sequence at the output is told by the output alone now. */
void
upgrade_recurrent (UpgradeContext *self)
{
  assay_graph_remove_attr (self->graph, self->id, "output_sequence");
}
