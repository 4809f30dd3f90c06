/* assay-tensor-item.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "session/activity/assay-compilation.h"

G_BEGIN_DECLS

/**
 * AssayTensorColumn:
 *
 * The columns of the table of tensors.
 */
typedef enum
{
  ASSAY_TENSOR_COLUMN_CHANGE,
  ASSAY_TENSOR_COLUMN_NAME,
  ASSAY_TENSOR_COLUMN_KIND,
  ASSAY_TENSOR_COLUMN_BLOCKS,
  ASSAY_TENSOR_COLUMN_ADDRESS,
  ASSAY_TENSOR_COLUMN_BORN,
  ASSAY_TENSOR_COLUMN_LAST_READ,
  ASSAY_TENSOR_COLUMN_KEPT_BY,
  ASSAY_TENSOR_COLUMN_COPIES,
  ASSAY_TENSOR_COLUMN_COST,
  ASSAY_N_TENSOR_COLUMNS
} AssayTensorColumn;

/**
 * AssayTensorChange:
 * @ASSAY_TENSOR_STAYS: lies at both moments, or there is no other one
 * @ASSAY_TENSOR_NEW: lies at the playhead only
 * @ASSAY_TENSOR_GONE: lay at the pinned moment only
 *
 * What became of a tensor since the moment that is pinned.
 */
typedef enum
{
  ASSAY_TENSOR_STAYS,
  ASSAY_TENSOR_NEW,
  ASSAY_TENSOR_GONE,
} AssayTensorChange;

/**
 * AssayTensorItem:
 *
 * A tensor, all its vectors together, as a row of a table.
 */
#define ASSAY_TYPE_TENSOR_ITEM (assay_tensor_item_get_type ())

G_DECLARE_FINAL_TYPE (AssayTensorItem, assay_tensor_item, ASSAY, TENSOR_ITEM, GObject)

AssayTensorItem *assay_tensor_item_new (AssayMemoryMap *map, AssayMemoryGroup *group,
                                        AssayTensorChange change) G_GNUC_WARN_UNUSED_RESULT;
AssayTensorChange assay_tensor_item_get_change (AssayTensorItem *self);
guint32 assay_tensor_item_get_tensor (AssayTensorItem *self);
guint32 assay_tensor_item_get_blocks (AssayTensorItem *self);
char *assay_tensor_item_dup_text (AssayTensorItem *self,
                                  AssayTensorColumn column) G_GNUC_WARN_UNUSED_RESULT;
char *assay_tensor_describe_copies (AssayMemoryMap *map, const guint32 *tensors,
                                    guint n) G_GNUC_WARN_UNUSED_RESULT;
int assay_tensor_item_compare (AssayTensorItem *a, AssayTensorItem *b, AssayTensorColumn column);

G_END_DECLS
