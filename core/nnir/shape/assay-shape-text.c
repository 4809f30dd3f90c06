/* assay-shape-text.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/shape/assay-shape-rules.h"

/* Stop words drop out, so the length depends on the data if there are any. */
void
assay_shape_rule_string_normalizer (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 1, 2);
  const AssayAttr *words = assay_node_find_attr (self->node, "stopwords");
  AssayDim dims[2];

  if (x == NULL)
    {
      assay_shape_set_tensor (self, 0, ASSAY_DTYPE_STRING, -1, NULL);
      return;
    }

  for (int i = 0; i < x->rank; i++)
    dims[i] = x->dims[i];
  if (words != NULL && words->n > 0)
    dims[x->rank - 1] = assay_dim_unknown ();

  assay_shape_set_tensor (self, 0, ASSAY_DTYPE_STRING, x->rank, dims);
}

/* The largest number of pieces is the extent of a new last axis. */
void
assay_shape_rule_string_split (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 0, -1);
  AssayDim dims[ASSAY_MAX_RANK + 1];

  if (x == NULL)
    {
      assay_shape_set_tensor (self, 0, ASSAY_DTYPE_STRING, -1, NULL);
      assay_shape_set_tensor (self, 1, ASSAY_DTYPE_I64, -1, NULL);
      return;
    }

  for (int i = 0; i < x->rank; i++)
    dims[i] = x->dims[i];
  dims[x->rank] = assay_dim_unknown ();

  assay_shape_set_tensor (self, 0, ASSAY_DTYPE_STRING, x->rank + 1, dims);
  assay_shape_set_tensor (self, 1, ASSAY_DTYPE_I64, x->rank, dims);
}

void
assay_shape_rule_tf_idf_vectorizer (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 1, 2);
  gint64 largest = -1;
  AssayDim dims[2];
  guint n;
  const gint64 *indexes = assay_node_get_ints (self->node, "ngram_indexes", &n);

  for (guint i = 0; i < n; i++)
    largest = MAX (largest, indexes[i]);

  if (x == NULL || largest < 0 || largest == G_MAXINT64)
    {
      if (largest < 0)
        assay_shape_report (self, "infer.attribute", "ngram_indexes", "no index");
      assay_shape_set_tensor (self, 0, ASSAY_DTYPE_F32, x == NULL ? -1 : x->rank, NULL);
      return;
    }

  dims[0] = x->dims[0];
  dims[x->rank - 1] = assay_dim (largest + 1);

  assay_shape_set_tensor (self, 0, ASSAY_DTYPE_F32, x->rank, dims);
}
