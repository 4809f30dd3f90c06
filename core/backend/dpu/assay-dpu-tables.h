/* assay-dpu-tables.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/dpu/assay-dpu-code.h"
#include "evaluate/assay-evaluate.h"

G_BEGIN_DECLS

/**
 * AssayDpuTables:
 *
 * What the host computes between two maps, element by element, worked out for each of the 256
 * numbers that an element can be: one that is looked up has the bits that floats would give.
 */
typedef struct _AssayDpuTables AssayDpuTables;

AssayDpuTables *assay_dpu_tables_new (const AssayDpuCode *code, AssayEvaluator *evaluator,
                                      AssayRounding rounding) G_GNUC_WARN_UNUSED_RESULT;
void assay_dpu_tables_free (AssayDpuTables *self);
gboolean assay_dpu_tables_skip (const AssayDpuTables *self, guint index);
int assay_dpu_tables_source (const AssayDpuTables *self, guint index);
void assay_dpu_tables_look_up (const AssayDpuTables *self, guint index, const gint8 *in,
                               gint8 *out);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayDpuTables, assay_dpu_tables_free)

G_END_DECLS
