/* assay-divergence-cause.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AssayDivergenceCause:
 * @kind: what it is, one word of a list
 * @node: name of the node that computes otherwise
 * @sentence: what it does, without subject or full stop
 * @before: the scaled error as it is
 * @after: the same where the reference does as the cause says
 * @rms_before: root mean square of the differences as it is
 * @rms_after: the same where the reference does as the cause says
 * @rank: of its kind: the plainer comes first
 * @remedy: (nullable): what of the target does without it, such as `with weights in bf16`
 * @refusal: (nullable): why nothing does, where @remedy is %NULL
 * @unremedied: the scaled error that its tensor is judged by, as it was measured
 * @remedied: the same with @remedy
 * @is_counted: whether @cycles are known
 * @cycles: how many cycles more an inference takes with it
 * @blocks: how many blocks more of weight store and tensor RAM, of all cores together
 *
 * What was tried, and removed a difference.
 */
typedef struct
{
  char *kind;
  char *node;
  char *sentence;
  double before;
  double after;
  double rms_before;
  double rms_after;
  guint rank;
  char *remedy;
  char *refusal;
  double unremedied;
  double remedied;
  gboolean is_counted;
  gint64 cycles;
  gint64 blocks;
} AssayDivergenceCause;

void assay_divergence_cause_free (AssayDivergenceCause *self);
char *
assay_divergence_cause_dup_remedy (const AssayDivergenceCause *self) G_GNUC_WARN_UNUSED_RESULT;
GPtrArray *assay_divergence_causes_copy (GPtrArray *causes) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
