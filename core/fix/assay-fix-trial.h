/* assay-fix-trial.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "fix/assay-fix-suggest.h"

G_BEGIN_DECLS

/**
 * AssayFixTrial:
 * @offer: what came of it, as far as it is known
 * @work: the fixed model
 * @reference: the graph that has to have the same outputs: the model's, with the sizes that the
 * fix gives it
 * @problem: (nullable): why the fix cannot be offered
 * @open_before: how many of the nodes in question the target does not take
 * @open_after: how many of them, and of what stands for them, it does not take afterwards
 * @rejected_before: how many of them it rejects
 * @rejected_after: how many of these it rejects afterwards
 *
 * One fix, tried on a copy.
 */
typedef struct
{
  AssayFixOffer *offer;
  AssayWork *work;
  AssayGraph *reference;
  char *problem;
  guint open_before;
  guint open_after;
  guint rejected_before;
  guint rejected_after;
} AssayFixTrial;

AssayFixTrial *assay_fix_trial_new (AssayWork *model, const AssayFixTrial *base,
                                    const AssayFix *fix, const char *const *nodes,
                                    const AssayProgress *progress,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_fix_trial_free (AssayFixTrial *self);
gboolean assay_fix_trial_helps (const AssayFixTrial *self);
gboolean assay_fix_trial_is_cut (const AssayFixTrial *self);
int assay_fix_trial_count_compare (const AssayFixTrial *a, const AssayFixTrial *b);
int assay_fix_trial_compare (const AssayFixTrial *a, const AssayFixTrial *b);
void assay_fix_trial_add_cycles (AssayFixTrial *self, AssayWork *model,
                                 const AssayProgress *progress);

void assay_fix_list_changes (AssayFixOffer *offer, AssayGraph *before, AssayGraph *after);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayFixTrial, assay_fix_trial_free)

G_END_DECLS
