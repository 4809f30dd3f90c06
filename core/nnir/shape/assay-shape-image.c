/* assay-shape-image.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/shape/assay-shape-rules.h"

#include <math.h>
#include <string.h>

#include "base/assay-sentence.h"

static AssayDim
scale_dim (AssayShapeContext *self, AssayDim dim, AssayScalar scale)
{
  double inverse;

  if (scale.kind != ASSAY_SCALAR_FLOAT || !(scale.u.f > 0))
    return assay_dim_unknown ();

  if (dim.size >= 0)
    {
      /* The specification floors a product of single precision. */
      float product = (float) dim.size * (float) scale.u.f;

      return product < 1e15f ? assay_dim ((gint64) floorf (product)) : assay_dim_unknown ();
    }

  inverse = 1 / scale.u.f;
  if (scale.u.f == floor (scale.u.f) && scale.u.f < 1e9)
    return assay_shape_dim_mul (self, dim, assay_dim ((gint64) scale.u.f));
  if (inverse == floor (inverse) && inverse < 1e9)
    return assay_scalar_to_dim (assay_scalar_floor_div (self->arena, assay_scalar_from_dim (dim),
                                                        assay_scalar_int ((gint64) inverse)));

  return assay_dim_unknown ();
}

/* The axes that sizes and scales are given for, all by default. */
static gboolean
resize_axes (AssayShapeContext *self, int rank, guint *n, int *axes)
{
  guint n_axes;
  const gint64 *list = assay_node_get_ints (self->node, "axes", &n_axes);
  guint64 mask;

  *n = list == NULL ? (guint) rank : n_axes;
  if (list != NULL && !assay_shape_axes (self, "axes", n_axes, list, rank, &mask))
    return FALSE;

  for (guint i = 0; i < *n; i++)
    axes[i] = list == NULL ? (int) i : (int) (list[i] < 0 ? list[i] + rank : list[i]);

  return TRUE;
}

static void
resize_to_sizes (AssayShapeContext *self, const AssayType *x, guint n, const int *axes,
                 const AssayScalar *sizes, AssayDim *dims)
{
  const char *policy = assay_node_get_string (self->node, "keep_aspect_ratio_policy");
  gboolean larger = strcmp (policy, "not_smaller") == 0;
  gboolean known = TRUE;
  double best = 0;

  for (guint i = 0; i < n; i++)
    {
      dims[axes[i]] = assay_scalar_to_dim (sizes[i]);
      known &= sizes[i].kind == ASSAY_SCALAR_INT && x->dims[axes[i]].size > 0;
    }

  if (!larger && strcmp (policy, "not_larger") != 0)
    {
      if (strcmp (policy, "stretch") != 0)
        assay_shape_report (self, "infer.attribute", "keep_aspect_ratio_policy",
                            "“%s”, one of stretch, not_larger and not_smaller was expected",
                            policy);
      return;
    }

  /* One scale for all axes, the extents rounded to the nearest. */
  for (guint i = 0; known && i < n; i++)
    {
      double scale = (double) sizes[i].u.i / (double) x->dims[axes[i]].size;

      if (i == 0 || (larger ? scale > best : scale < best))
        best = scale;
    }
  for (guint i = 0; i < n; i++)
    {
      double extent = floor (best * (double) x->dims[axes[i]].size + 0.5);

      dims[axes[i]] = known && extent >= 0 && extent < 1e15 ? assay_dim ((gint64) extent)
                                                            : assay_dim_unknown ();
    }
}

/* How a place between two elements is rounded counts for the nearest one alone. */
static void
check_nearest (AssayShapeContext *self)
{
  static const char *const words[] = { "round_prefer_floor", "round_prefer_ceil", "floor", "ceil",
                                       NULL };
  const char *word = assay_node_get_string (self->node, "nearest_mode");

  if (g_strv_contains (words, word))
    return;
  if (g_str_equal (assay_node_get_string (self->node, "mode"), "nearest"))
    assay_shape_report (self, "infer.attribute", "nearest_mode",
                        "“%.32s”, which is none of its values", word);
  else
    assay_shape_warn (self, "infer.attribute", "nearest_mode",
                      "“%.32s”, which is none of its values", word);
}

void
assay_shape_rule_resize (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 1, -1);
  const char *mode = assay_node_get_string (self->node, "coordinate_transformation_mode");
  AssayDType dtype = assay_shape_dtype (self, 0);
  AssayDim dims[ASSAY_MAX_RANK];
  int axes[ASSAY_MAX_RANK];
  const AssayScalar *scales = NULL;
  const AssayScalar *sizes = NULL;
  guint n_scales = 0;
  guint n_sizes = 0;
  guint n;

  check_nearest (self);
  if (x == NULL || !resize_axes (self, x->rank, &n, axes))
    {
      assay_shape_set_tensor (self, 0, dtype, x == NULL ? -1 : x->rank, NULL);
      return;
    }

  for (int i = 0; i < x->rank; i++)
    dims[i] = x->dims[i];
  for (guint i = 0; i < n; i++)
    dims[axes[i]] = assay_dim_unknown ();

  if (assay_shape_has_input (self, 3))
    sizes = assay_shape_vector (self, 3, &n_sizes);
  if (assay_shape_has_input (self, 2))
    scales = assay_shape_vector (self, 2, &n_scales);

  if (sizes != NULL && n_sizes == n)
    {
      resize_to_sizes (self, x, n, axes, sizes, dims);
    }
  else if (n_scales == n && scales != NULL)
    {
      const AssayElements *roi = strcmp (mode, "tf_crop_and_resize") == 0
                                     ? assay_shape_elements (self, 1)
                                     : NULL;

      for (guint i = 0; i < n; i++)
        {
          AssayScalar scale = scales[i];

          if (strcmp (mode, "tf_crop_and_resize") == 0)
            {
              if (roi == NULL || roi->n != n * 2 || roi->items[i].kind != ASSAY_SCALAR_FLOAT ||
                  roi->items[i + n].kind != ASSAY_SCALAR_FLOAT || scale.kind != ASSAY_SCALAR_FLOAT)
                continue;
              scale.u.f *= roi->items[i + n].u.f - roi->items[i].u.f;
            }
          dims[axes[i]] = scale_dim (self, x->dims[axes[i]], scale);
        }
    }
  else if ((sizes != NULL && n_sizes > 0) || (scales != NULL && n_scales > 0))
    {
      assay_shape_report (self, "infer.shape", "axes", "%u size%s or scales for %u %s",
                          sizes != NULL ? n_sizes : n_scales,
                          assay_plural (sizes != NULL ? n_sizes : n_scales), n,
                          assay_noun (n, "axis", "axes"));
    }

  assay_shape_set_tensor (self, 0, dtype, x->rank, dims);
}

void
assay_shape_rule_upsample (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 1, -1);
  AssayDim dims[ASSAY_MAX_RANK];
  guint n;
  const AssayScalar *scales = assay_shape_vector (self, 1, &n);

  for (int i = 0; x != NULL && i < x->rank; i++)
    dims[i] = scales != NULL && n == (guint) x->rank ? scale_dim (self, x->dims[i], scales[i])
                                                     : assay_dim_unknown ();

  assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 0), x == NULL ? -1 : x->rank, dims);
}

void
assay_shape_rule_grid_sample (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 3, -1);
  const AssayType *grid = assay_shape_tensor (self, 1, 3, -1);
  AssayDType dtype = assay_shape_dtype (self, 0);
  AssayDim dims[ASSAY_MAX_RANK];
  int rank = x != NULL ? x->rank : grid != NULL ? grid->rank : -1;

  if (x != NULL && grid != NULL && x->rank != grid->rank)
    {
      assay_shape_report (self, "infer.rank", NULL, "the input has rank %d, the grid has rank %d",
                          x->rank, grid->rank);
      rank = -1;
    }

  for (int i = 0; i < rank; i++)
    dims[i] = i < 2 ? (x != NULL ? x->dims[i] : assay_dim_unknown ())
                    : (grid != NULL ? grid->dims[i - 1] : assay_dim_unknown ());
  if (rank > 0 && grid != NULL)
    assay_shape_unify (self, &dims[0], grid->dims[0], "the batch");

  assay_shape_set_tensor (self, 0, dtype, rank, dims);
}

/* For images [N, C, d...] a grid of as many coordinates as there are spatial axes: [N, d...,
 * coordinates]. */
void
assay_shape_rule_affine_grid (AssayShapeContext *self)
{
  AssayDim dims[5];
  guint n;
  const AssayScalar *size = assay_shape_vector (self, 1, &n);

  if (size == NULL || (n != 4 && n != 5))
    {
      if (size != NULL)
        assay_shape_report (self, "infer.shape", NULL, "%u extent%s, 4 or 5 were expected", n,
                            assay_plural (n));
      assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 0), -1, NULL);
      return;
    }

  dims[0] = assay_scalar_to_dim (size[0]);
  for (guint i = 2; i < n; i++)
    dims[i - 1] = assay_scalar_to_dim (size[i]);
  dims[n - 1] = assay_dim (n - 2);

  assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 0), (int) n, dims);
}

/* Height and width are in the data. */
void
assay_shape_rule_image_decoder (AssayShapeContext *self)
{
  gboolean gray = strcmp (assay_node_get_string (self->node, "pixel_format"), "Grayscale") == 0;
  AssayDim dims[3] = { assay_dim_unknown (), assay_dim_unknown (), assay_dim (gray ? 1 : 3) };

  assay_shape_set_tensor (self, 0, ASSAY_DTYPE_U8, 3, dims);
}
