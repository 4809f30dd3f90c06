/* assay-type.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-arena.h"
#include "base/assay-dtype.h"

G_BEGIN_DECLS

/**
 * AssayDim:
 * @size: the extent, or -1 while it is unknown
 * @symbol: (nullable): interned name of an unknown extent, such as `batch` or `2*seq+1`; two
 * dimensions of one graph with the same symbol are equal at run time
 *
 * One dimension of a tensor type.
 */
typedef struct
{
  gint64 size;
  const char *symbol;
} AssayDim;

/**
 * AssayTypeKind:
 * @ASSAY_TYPE_KIND_UNKNOWN: nothing is known
 * @ASSAY_TYPE_KIND_TENSOR: a dense tensor
 * @ASSAY_TYPE_KIND_SPARSE_TENSOR: a sparse tensor
 * @ASSAY_TYPE_KIND_SEQUENCE: a sequence of the element type
 * @ASSAY_TYPE_KIND_OPTIONAL: the element type or nothing
 * @ASSAY_TYPE_KIND_MAP: keys of @dtype to values of the element type
 * @ASSAY_TYPE_KIND_OPAQUE: a type that only its own domain understands
 */
typedef enum
{
  ASSAY_TYPE_KIND_UNKNOWN,
  ASSAY_TYPE_KIND_TENSOR,
  ASSAY_TYPE_KIND_SPARSE_TENSOR,
  ASSAY_TYPE_KIND_SEQUENCE,
  ASSAY_TYPE_KIND_OPTIONAL,
  ASSAY_TYPE_KIND_MAP,
  ASSAY_TYPE_KIND_OPAQUE,
} AssayTypeKind;

typedef struct _AssayType AssayType;

/**
 * AssayType:
 * @kind: what sort of type
 * @dtype: element type of a tensor, key type of a map; %ASSAY_DTYPE_UNDEFINED while unknown
 * @rank: number of dimensions of a tensor, or -1 while unknown
 * @dims: (array length=rank): the dimensions
 * @element: (nullable): element type of a sequence, optional or map
 *
 * An immutable type that lives in the arena of its graph.
 */
struct _AssayType
{
  AssayTypeKind kind;
  AssayDType dtype;
  int rank;
  const AssayDim *dims;
  const AssayType *element;
};

extern const AssayType assay_type_unknown;

const AssayType *assay_type_new_tensor (AssayArena *arena, AssayDType dtype, int rank,
                                        const AssayDim *dims);
const AssayType *assay_type_new_fixed (AssayArena *arena, AssayDType dtype, guint rank,
                                       const gint64 *dims);
const AssayType *assay_type_new_wrapped (AssayArena *arena, AssayTypeKind kind, AssayDType key,
                                         const AssayType *element);
const AssayType *assay_type_copy (AssayArena *arena, const AssayType *type);
gboolean assay_type_equal (const AssayType *a, const AssayType *b);
gboolean assay_type_is_static (const AssayType *type);
gboolean assay_type_count (const AssayType *type, gsize *n_elements);
char *assay_type_to_string (const AssayType *type) G_GNUC_WARN_UNUSED_RESULT;
void assay_type_append (const AssayType *type, GString *text);

G_END_DECLS
