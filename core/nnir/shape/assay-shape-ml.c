/* assay-shape-ml.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/shape/assay-shape-rules.h"

#include "base/assay-sentence.h"

static guint
attr_length (AssayShapeContext *self, const char *name)
{
  const AssayAttr *attr = assay_node_find_attr (self->node, name);

  return attr == NULL || attr->kind < ASSAY_ATTR_INTS ? 0 : attr->n;
}

/* A vector counts as one row. */
static AssayDim
n_rows (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 1, 2);

  return x == NULL ? assay_dim_unknown () : x->rank == 1 ? assay_dim (1) : x->dims[0];
}

static void
set_shape_of_input (AssayShapeContext *self, AssayDType dtype)
{
  const AssayType *x = assay_shape_tensor (self, 0, 0, -1);

  assay_shape_set_tensor (self, 0, dtype, x == NULL ? -1 : x->rank, x == NULL ? NULL : x->dims);
}

void
assay_shape_rule_array_feature_extractor (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 1, -1);
  const AssayType *y = assay_shape_tensor (self, 1, 0, -1);
  AssayDim dims[ASSAY_MAX_RANK];

  if (x == NULL || y == NULL)
    {
      assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 0), -1, NULL);
      return;
    }

  for (int i = 0; i < x->rank; i++)
    dims[i] = x->dims[i];
  dims[x->rank - 1] = assay_shape_product (self, y->dims, y->rank);

  if (x->rank == 1)
    {
      dims[1] = dims[0];
      dims[0] = assay_dim (1);
    }

  assay_shape_set_tensor (self, 0, x->dtype, MAX (x->rank, 2), dims);
}

void
assay_shape_rule_cast_map (AssayShapeContext *self)
{
  const char *to = assay_node_get_string (self->node, "cast_to");
  AssayDType dtype = ASSAY_DTYPE_F32;
  AssayDim dims[2] = { assay_dim (1), assay_dim_unknown () };

  if (g_str_equal (to, "TO_STRING"))
    dtype = ASSAY_DTYPE_STRING;
  else if (g_str_equal (to, "TO_INT64"))
    dtype = ASSAY_DTYPE_I64;

  if (g_str_equal (assay_node_get_string (self->node, "map_form"), "SPARSE"))
    dims[1] = assay_dim (MAX (assay_node_get_int (self->node, "max_map"), -1));

  assay_shape_set_tensor (self, 0, dtype, 2, dims);
}

void
assay_shape_rule_category_mapper (AssayShapeContext *self)
{
  AssayDType from = assay_shape_dtype (self, 0);
  AssayDType dtype = ASSAY_DTYPE_UNDEFINED;

  if (from == ASSAY_DTYPE_STRING)
    dtype = ASSAY_DTYPE_I64;
  else if (from == ASSAY_DTYPE_I64)
    dtype = ASSAY_DTYPE_STRING;

  set_shape_of_input (self, dtype);
}

void
assay_shape_rule_dict_vectorizer (AssayShapeContext *self)
{
  const AssayType *map = assay_shape_input (self, 0);
  AssayDType dtype = ASSAY_DTYPE_UNDEFINED;
  guint n = attr_length (self, "string_vocabulary") + attr_length (self, "int64_vocabulary");
  AssayDim dims[2] = { assay_dim (1), assay_dim (n) };

  if (map->kind == ASSAY_TYPE_KIND_MAP && map->element != NULL &&
      map->element->kind == ASSAY_TYPE_KIND_TENSOR)
    dtype = map->element->dtype;

  assay_shape_set_tensor (self, 0, dtype, 2, dims);
}

void
assay_shape_rule_feature_vectorizer (AssayShapeContext *self)
{
  guint n;
  const gint64 *sizes = assay_node_get_ints (self->node, "inputdimensions", &n);
  AssayScalar sum = sizes == NULL ? assay_scalar_unknown () : assay_scalar_int (0);
  const AssayType *x = assay_shape_tensor (self, 0, 1, -1);
  AssayDim dims[2] = { assay_dim_unknown (), assay_dim_unknown () };

  if (x != NULL)
    dims[0] = x->rank == 1 ? assay_dim (1) : x->dims[0];

  for (guint i = 0; i < n; i++)
    sum = assay_scalar_add (self->arena, sum, assay_scalar_int (sizes[i]));
  dims[1] = assay_scalar_to_dim (sum);

  assay_shape_set_tensor (self, 0, ASSAY_DTYPE_F32, 2, dims);
}

void
assay_shape_rule_label_encoder (AssayShapeContext *self)
{
  static const struct
  {
    const char *name;
    AssayDType dtype;
  } values[] = {
    { "values_strings", ASSAY_DTYPE_STRING },
    { "values_int64s", ASSAY_DTYPE_I64 },
    { "values_floats", ASSAY_DTYPE_F32 },
  };
  const AssayAttr *tensor = assay_node_find_attr (self->node, "values_tensor");
  AssayDType dtype = ASSAY_DTYPE_UNDEFINED;

  if (tensor != NULL && tensor->kind == ASSAY_ATTR_TENSOR)
    dtype = assay_tensor_get_dtype (tensor->u.tensor);
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    {
      if (attr_length (self, values[i].name) > 0)
        dtype = values[i].dtype;
    }

  set_shape_of_input (self, dtype);
}

/* The label of each row, and a score for each class. */
static void
set_labels_and_scores (AssayShapeContext *self, const char *strings, const char *ints,
                       AssayDim n_classes)
{
  AssayDim dims[2] = { n_rows (self), n_classes };

  assay_shape_set_tensor (
      self, 0, attr_length (self, strings) > 0 ? ASSAY_DTYPE_STRING : ASSAY_DTYPE_I64, 1, dims);
  assay_shape_set_tensor (self, 1, ASSAY_DTYPE_F32, 2, dims);

  if (attr_length (self, strings) > 0 && attr_length (self, ints) > 0)
    assay_shape_warn (self, "infer.attribute", ints,
                      "labels are given as strings and as integers, the strings count");
}

static AssayDim
class_count (AssayShapeContext *self, const char *strings, const char *ints)
{
  guint n = MAX (attr_length (self, strings), attr_length (self, ints));

  if (n == 0)
    return assay_dim_unknown ();

  /* One label alone is that of the second of two classes. */
  return assay_dim (n == 1 ? 2 : n);
}

void
assay_shape_rule_linear_classifier (AssayShapeContext *self)
{
  set_labels_and_scores (self, "classlabels_strings", "classlabels_ints",
                         class_count (self, "classlabels_strings", "classlabels_ints"));
}

void
assay_shape_rule_svm_classifier (AssayShapeContext *self)
{
  /* Without probabilities the scores are those of pairs of classes, and implementations differ in
   * how many. */
  gboolean probabilities = attr_length (self, "prob_a") > 0;

  set_labels_and_scores (self, "classlabels_strings", "classlabels_ints",
                         probabilities
                             ? class_count (self, "classlabels_strings", "classlabels_ints")
                             : assay_dim_unknown ());
}

void
assay_shape_rule_tree_classifier (AssayShapeContext *self)
{
  AssayDim classes = class_count (self, "classlabels_strings", "classlabels_int64s");
  guint n;
  const gint64 *ids = assay_node_get_ints (self->node, "class_ids", &n);

  set_labels_and_scores (self, "classlabels_strings", "classlabels_int64s", classes);
  for (guint i = 0; i < n && classes.size >= 0; i++)
    {
      if (ids[i] < classes.size)
        continue;
      assay_shape_report (self, "infer.attribute", "class_ids",
                          "entry %u is %" G_GINT64_FORMAT ", there are %" G_GINT64_FORMAT " %s", i,
                          ids[i], classes.size, assay_noun (classes.size, "class", "classes"));
      return;
    }
}

static gint64
find_targets (AssayShapeContext *self)
{
  gint64 targets = -1;

  assay_node_find_int (self->node, "n_targets", &targets);

  return targets;
}

void
assay_shape_rule_regressor (AssayShapeContext *self)
{
  gint64 targets = 1;
  AssayDim dims[2];

  if (self->node->op == ASSAY_OP_LinearRegressor)
    targets = assay_node_get_int (self->node, "targets");
  else if (self->node->op == ASSAY_OP_TreeEnsembleRegressor)
    targets = find_targets (self);

  dims[0] = n_rows (self);
  dims[1] = assay_dim (MAX (targets, -1));
  assay_shape_set_tensor (self, 0, ASSAY_DTYPE_F32, 2, dims);
}

void
assay_shape_rule_tree_ensemble (AssayShapeContext *self)
{
  AssayDim dims[2] = { n_rows (self), assay_dim (MAX (find_targets (self), -1)) };

  assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 0), 2, dims);
}

/* Normalizer and Scaler give floats whatever they take. */
void
assay_shape_rule_normalizer (AssayShapeContext *self)
{
  set_shape_of_input (self, ASSAY_DTYPE_F32);
}

void
assay_shape_rule_one_hot_encoder (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 0, -1);
  guint n = MAX (attr_length (self, "cats_int64s"), attr_length (self, "cats_strings"));
  AssayDim dims[ASSAY_MAX_RANK + 1];

  for (int i = 0; x != NULL && i < x->rank; i++)
    dims[i] = x->dims[i];
  if (x != NULL)
    dims[x->rank] = assay_dim (n);

  assay_shape_set_tensor (self, 0, ASSAY_DTYPE_F32, x == NULL ? -1 : x->rank + 1, dims);
}

void
assay_shape_rule_zip_map (AssayShapeContext *self)
{
  AssayDType key = attr_length (self, "classlabels_strings") > 0 ? ASSAY_DTYPE_STRING
                                                                 : ASSAY_DTYPE_I64;
  const AssayType *score = assay_type_new_tensor (self->arena, ASSAY_DTYPE_F32, 0, NULL);

  assay_shape_set_sequence (self, 0,
                            assay_type_new_wrapped (self->arena, ASSAY_TYPE_KIND_MAP, key, score));
}
