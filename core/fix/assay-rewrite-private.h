/* assay-rewrite-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "fix/assay-edit.h"
#include "fix/assay-fix.h"
#include "fix/assay-proposals.h"

G_BEGIN_DECLS

/**
 * AssayRewriteRow:
 * @id: stable id, which records keep
 * @kind: what it changes
 * @keeps: what it keeps of the outputs
 * @title: what it does, in words
 * @doc: one sentence for people
 * @title_of: (nullable): words for one record, if they depend on its arguments
 * @propose: proposes fixes that may help
 * @apply: applies a fix
 *
 * One row of the table of rewrites.
 */
typedef struct
{
  const char *id;
  AssayFixKind kind;
  AssayFixKeeps keeps;
  const char *title;
  const char *doc;
  char *(*title_of) (const AssayFix *fix);
  void (*propose) (AssayProposals *proposals);
  gboolean (*apply) (AssayEdit *edit, const AssayFix *fix);
} AssayRewriteRow;

const AssayRewriteRow *assay_rewrite_find (const char *id);
const AssayRewriteRow *assay_rewrite_list (guint index);
AssayFixKeeps assay_replace_op_keeps (const AssayFix *fix);
char *assay_fix_dup_sizes (const AssayFix *fix) G_GNUC_WARN_UNUSED_RESULT;

/* The functions of every row. */
#define REWRITE(id, function, kind, keeps, title, doc)                                             \
  void assay_rewrite_propose_##function (AssayProposals *proposals);                               \
  gboolean assay_rewrite_apply_##function (AssayEdit *edit, const AssayFix *fix);
#define REWRITE_TITLED(id, function, kind, keeps, title, doc)                                      \
  REWRITE (id, function, kind, keeps, title, doc)                                                  \
  char *assay_rewrite_title_##function (const AssayFix *fix) G_GNUC_WARN_UNUSED_RESULT;
#include "fix/rewrites.def"
#undef REWRITE
#undef REWRITE_TITLED

G_END_DECLS
