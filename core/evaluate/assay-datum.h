/* assay-datum.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-tensor.h"
#include "evaluate/assay-memory.h"

G_BEGIN_DECLS

/**
 * AssayDatumKind:
 * @ASSAY_DATUM_TENSOR: elements of one type
 * @ASSAY_DATUM_SEQUENCE: any number of data
 * @ASSAY_DATUM_OPTIONAL: one datum or none
 * @ASSAY_DATUM_MAP: a tensor of keys, and as many values: a tensor, or a sequence
 *
 * What a value is while a graph runs.
 */
typedef enum
{
  ASSAY_DATUM_TENSOR,
  ASSAY_DATUM_SEQUENCE,
  ASSAY_DATUM_OPTIONAL,
  ASSAY_DATUM_MAP,
} AssayDatumKind;

/**
 * AssayDatum:
 * @kind: what it is; the members up to @data are those of tensors
 * @dtype: element type in the sense of ONNX
 * @storage: the type that the elements have in memory: that of @dtype, or a wider one that computes
 * without packing. Floating point types up to 32 bits are carried as f32 (as f64 where everything
 * is computed in double), 4-bit integers as 8-bit ones
 * @rank: number of dimensions
 * @dims: (array length=rank): the dimensions
 * @n: number of elements
 * @data: the elements in row-major order, aligned for @storage; `GBytes *` for strings
 * @items: (nullable) (element-type AssayDatum): what a sequence, an optional or a map holds; a map
 * its keys and values
 *
 * A value of a running graph. Data are shared and not changed once they were handed on.
 */
typedef struct
{
  /*< private >*/
  gatomicrefcount ref_count;
  gpointer owner;
  GDestroyNotify release;

  /*< public >*/
  AssayDatumKind kind;
  AssayDType dtype;
  AssayDType storage;
  guint rank;
  gint64 *dims;
  gsize n;
  gpointer data;
  GPtrArray *items;
} AssayDatum;

AssayDType assay_datum_storage (AssayDType dtype, gboolean wide);
gsize assay_storage_size (AssayDType storage);

AssayDatum *assay_datum_new (AssayDType dtype, AssayDType storage, guint rank, const gint64 *dims,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayDatum *assay_datum_new_in (AssayMemory *memory, AssayDType dtype, AssayDType storage,
                                guint rank, const gint64 *dims,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayDatum *assay_datum_new_view (AssayDatum *source, guint rank, const gint64 *dims,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayDatum *assay_datum_new_tensor (AssayTensor *tensor, gboolean wide,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayDatum *assay_datum_new_items (AssayDatumKind kind, GPtrArray *items) G_GNUC_WARN_UNUSED_RESULT;
AssayDatum *assay_datum_new_stored (AssayDatum *source, gboolean wide,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayDatum *assay_datum_ref (AssayDatum *self);
void assay_datum_unref (AssayDatum *self);

AssayTensor *assay_datum_to_tensor (AssayDatum *self, gboolean keep_wide,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_datum_is_exclusive (const AssayDatum *self);
double assay_datum_get_number (const AssayDatum *self, gsize index);
gint64 assay_datum_get_integer (const AssayDatum *self, gsize index);
void assay_datum_set_number (AssayDatum *self, gsize index, double value);
void assay_datum_round (AssayDatum *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayDatum, assay_datum_unref)

G_END_DECLS
