/* assay-run-parts.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "evaluate/assay-datum.h"
#include "run/assay-run-subject.h"

G_BEGIN_DECLS

/**
 * AssayRunParts:
 * @names: (element-type utf8): which parts they are: `0` of a sequence, `keys` and `values` of a
 * map, `value` of an optional, joined with dots; `empty` of what holds nothing
 * @tensors: (element-type AssayTensor): their values
 *
 * The tensors that an output is made of which is no tensor itself.
 */
typedef struct
{
  GPtrArray *names;
  GPtrArray *tensors;
} AssayRunParts;

AssayRunParts *assay_run_parts_new (void) G_GNUC_WARN_UNUSED_RESULT;
void assay_run_parts_free (AssayRunParts *self);
void assay_run_parts_add (AssayRunParts *self, const char *name, AssayTensor *tensor);
void assay_run_parts_add_empty (AssayRunParts *self, const char *name);
char *assay_run_parts_join (const char *name, const char *part) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_run_parts_add_datum (AssayRunParts *self, const char *name, AssayDatum *datum,
                                    gboolean wide, GError **error);
AssayRunParts *assay_run_parts_for_tensors (AssayTypeKind kind,
                                            GPtrArray *tensors) G_GNUC_WARN_UNUSED_RESULT;
AssayRunParts *assay_run_parts_new_optional (const AssayRunParts *value) G_GNUC_WARN_UNUSED_RESULT;
AssayRunParts *assay_run_parts_load (const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_run_parts_save (const AssayRunParts *self, const char *path, GError **error);
void assay_run_parts_spread (const AssayRunParts *self, const AssayRunPort *whole, GArray *ports,
                             GPtrArray *tensors);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayRunParts, assay_run_parts_free)

G_END_DECLS
