/* assay-fix.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "work/assay-work.h"

G_BEGIN_DECLS

/* The rule of findings that say which input of the model a fix drops. */
#define ASSAY_FIX_DROPS_INPUT "drops.input"

/**
 * AssayFixKind:
 * @ASSAY_FIX_GRAPH: changes nodes of the model
 * @ASSAY_FIX_SETUP: gives the model sizes, or says how it is compiled; the nodes stay as they are
 * @ASSAY_FIX_TARGET_OPTION: sets an option of the target
 *
 * What a fix changes.
 */
typedef enum
{
  ASSAY_FIX_GRAPH,
  ASSAY_FIX_SETUP,
  ASSAY_FIX_TARGET_OPTION,
} AssayFixKind;

/**
 * AssayFixKeeps:
 * @ASSAY_FIX_KEEPS_BITS: every number bit by bit, as long as it is finite
 * @ASSAY_FIX_KEEPS_NUMBERS: all numbers up to rounding and the signs of zeros
 * @ASSAY_FIX_KEEPS_APPROXIMATION: numbers that are near
 * @ASSAY_FIX_KEEPS_DECISION: what somebody decided: the model is another one afterwards
 *
 * What a fix keeps of the outputs of a model.
 */
typedef enum
{
  ASSAY_FIX_KEEPS_BITS,
  ASSAY_FIX_KEEPS_NUMBERS,
  ASSAY_FIX_KEEPS_APPROXIMATION,
  ASSAY_FIX_KEEPS_DECISION,
} AssayFixKeeps;

/**
 * AssayFix:
 * @rewrite: id of the rewrite, a row of `rewrites.def`
 * @nodes: (array zero-terminated=1): names of the nodes that it is applied to, possibly none
 * @arguments: (array zero-terminated=1): `NAME=VALUE`, in a stable order; what they mean is up to
 * the rewrite
 *
 * One fix, as a plain record: it says how to do it again on a freshly imported model. Session
 * files, undo, recovery and the command line keep fixes in this form, and in no other.
 *
 * Arguments of the fixes that a setup takes over: `bind-shape` has `DIMENSION=SIZE`, as `--bind`
 * spells it; `data-dimension` and `streaming-axis` have `INPUT=AXIS`; `target-option` has
 * `NAME=VALUE`; `dynamic-weights` has none.
 */
typedef struct
{
  char *rewrite;
  char **nodes;
  char **arguments;
} AssayFix;

#define ASSAY_TYPE_FIX (assay_fix_get_type ())

GType assay_fix_get_type (void) G_GNUC_CONST;
AssayFix *assay_fix_new (const char *rewrite, const char *const *nodes,
                         const char *const *arguments) G_GNUC_WARN_UNUSED_RESULT;
AssayFix *assay_fix_copy (const AssayFix *self) G_GNUC_WARN_UNUSED_RESULT;
void assay_fix_free (AssayFix *self);
gboolean assay_fix_equal (const AssayFix *a, const AssayFix *b);
const char *assay_fix_get_argument (const AssayFix *self, const char *name);
AssayFixKind assay_fix_get_kind (const AssayFix *self);
AssayFixKeeps assay_fix_get_keeps (const AssayFix *self);
char *assay_fix_get_title (const AssayFix *self) G_GNUC_WARN_UNUSED_RESULT;
char *assay_fix_describe (const AssayFix *self) G_GNUC_WARN_UNUSED_RESULT;

GPtrArray *assay_fixes_new (void) G_GNUC_WARN_UNUSED_RESULT;
char *assay_fixes_to_json (GPtrArray *fixes, gsize *length) G_GNUC_WARN_UNUSED_RESULT;
char *assay_fixes_to_argument (GPtrArray *fixes) G_GNUC_WARN_UNUSED_RESULT;
GPtrArray *assay_fixes_from_json (const char *text, gssize length, const char *name,
                                  AssayFindings *findings,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_fix_change_settings (const AssayFix *fix, const AssayGraph *graph,
                                    AssaySettings **settings);
AssayWork *assay_work_with_fixes (AssayWork *self, GPtrArray *fixes, AssayFindings *findings,
                                  const AssayProgress *progress,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayGraph *assay_fixes_apply (AssayGraph *graph, GPtrArray *fixes, AssaySettings **settings,
                               AssayFindings *findings, const AssayProgress *progress,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayFix, assay_fix_free)

G_END_DECLS
