/* assay-import-type.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/assay-import-private.h"

#include "base/assay-sentence.h"

/* Types nest, but the wire scan has bounded how deep. */

static AssayDType
element_type (Importer *self, int number, const char *path, const char *name)
{
  if (number == 0 || assay_dtype_is_known (number))
    return (AssayDType) number;

  assay_findings_add (self->findings, ASSAY_SEVERITY_ERROR, "import.element-type", path, NULL, NULL,
                      -1, "%s: element type %d, expected 1 to %d", name, number,
                      ASSAY_N_DTYPES - 1);
  return ASSAY_DTYPE_UNDEFINED;
}

static const AssayType *
tensor_type (Importer *self, int number, const Assay__Onnx__TensorShapeProto *shape,
             const char *path, const char *name)
{
  AssayDType dtype = element_type (self, number, path, name);
  AssayDim dims[ASSAY_MAX_RANK];

  if (shape == NULL)
    return assay_type_new_tensor (self->graph->arena, dtype, -1, NULL);

  if (shape->n_dim > ASSAY_MAX_RANK)
    {
      assay_findings_add (self->findings, ASSAY_SEVERITY_ERROR, "import.rank", path, NULL, NULL, -1,
                          "%s: %" G_GSIZE_FORMAT
                          " dimension%s, at most %d are possible; its shape is taken as unknown",
                          name, shape->n_dim, assay_plural (shape->n_dim), ASSAY_MAX_RANK);
      return assay_type_new_tensor (self->graph->arena, dtype, -1, NULL);
    }

  for (gsize i = 0; i < shape->n_dim; i++)
    {
      const Assay__Onnx__TensorShapeProto__Dimension *dim = shape->dim[i];

      dims[i] = (AssayDim){ -1, NULL };
      if (dim->value_case == ASSAY__ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE &&
          dim->dim_value >= 0)
        dims[i].size = dim->dim_value;
      else if (dim->value_case == ASSAY__ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM &&
               dim->dim_param[0] != '\0')
        dims[i].symbol = assay_import_text (self, dim->dim_param);
    }

  return assay_type_new_tensor (self->graph->arena, dtype, (int) shape->n_dim, dims);
}

static const AssayType *
wrapped_type (Importer *self, AssayTypeKind kind, AssayDType key,
              const Assay__Onnx__TypeProto *element, const char *path, const char *name)
{
  return assay_type_new_wrapped (self->graph->arena, kind, key,
                                 assay_import_type (self, element, path, name));
}

/**
 * assay_import_type:
 * @self: an importer
 * @proto: (nullable): a type
 * @path: graph path for findings
 * @name: whose type it is, for findings
 *
 * Makes the type that a TypeProto states (ONNX IR specification, "Types").
 *
 * Returns: (transfer none): the type, unknown if there is none
 */
const AssayType *
assay_import_type (Importer *self, const Assay__Onnx__TypeProto *proto, const char *path,
                   const char *name)
{
  AssayArena *arena = self->graph->arena;

  switch (proto == NULL ? ASSAY__ONNX__TYPE_PROTO__VALUE__NOT_SET : proto->value_case)
    {
    case ASSAY__ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE:
      return tensor_type (self, proto->tensor_type->elem_type, proto->tensor_type->shape, path,
                          name);

    case ASSAY__ONNX__TYPE_PROTO__VALUE_SPARSE_TENSOR_TYPE:
      {
        AssayType *type = (AssayType *) tensor_type (self, proto->sparse_tensor_type->elem_type,
                                                     proto->sparse_tensor_type->shape, path, name);

        type->kind = ASSAY_TYPE_KIND_SPARSE_TENSOR;
        return type;
      }

    case ASSAY__ONNX__TYPE_PROTO__VALUE_SEQUENCE_TYPE:
      return wrapped_type (self, ASSAY_TYPE_KIND_SEQUENCE, ASSAY_DTYPE_UNDEFINED,
                           proto->sequence_type->elem_type, path, name);

    case ASSAY__ONNX__TYPE_PROTO__VALUE_OPTIONAL_TYPE:
      return wrapped_type (self, ASSAY_TYPE_KIND_OPTIONAL, ASSAY_DTYPE_UNDEFINED,
                           proto->optional_type->elem_type, path, name);

    case ASSAY__ONNX__TYPE_PROTO__VALUE_MAP_TYPE:
      return wrapped_type (self, ASSAY_TYPE_KIND_MAP,
                           element_type (self, proto->map_type->key_type, path, name),
                           proto->map_type->value_type, path, name);

    case ASSAY__ONNX__TYPE_PROTO__VALUE_OPAQUE_TYPE:
      return assay_type_new_wrapped (arena, ASSAY_TYPE_KIND_OPAQUE, ASSAY_DTYPE_UNDEFINED, NULL);

    default:
      return &assay_type_unknown;
    }
}
