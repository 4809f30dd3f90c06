/* assay-fix-chain.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "fix/assay-fix-trial.h"

G_BEGIN_DECLS

/**
 * AssayFixChain:
 *
 * The search where no fix of the nodes in question helps alone: for one of the nodes beside them,
 * or for two that help one after the other.
 */
typedef struct _AssayFixChain AssayFixChain;

AssayFixChain *assay_fix_chain_new (void) G_GNUC_WARN_UNUSED_RESULT;
void assay_fix_chain_free (AssayFixChain *self);
void assay_fix_chain_take (AssayFixChain *self, AssayFixTrial *trial);
gboolean assay_fix_chain_try (AssayFixChain *self, AssayWork *model, const char *const *nodes,
                              GPtrArray *trials, gsize *work, AssayFixSuggestions *found,
                              const AssayProgress *progress, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayFixChain, assay_fix_chain_free)

G_END_DECLS
