/* assay-finding-item.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gio/gio.h>

#include "base/assay-finding.h"
#include "target/assay-verdict.h"

G_BEGIN_DECLS

/**
 * AssayFindingGroup:
 * @ASSAY_FINDING_GROUP_REJECTED: nodes that the target cannot do
 * @ASSAY_FINDING_GROUP_HOST: nodes that run beside it
 * @ASSAY_FINDING_GROUP_UNDECIDED: nodes that lack a shape or value
 * @ASSAY_FINDING_GROUP_ADVICE: everything else that was noticed, in the file or by the target
 *
 * The groups of the findings list, in their order.
 */
typedef enum
{
  ASSAY_FINDING_GROUP_REJECTED,
  ASSAY_FINDING_GROUP_HOST,
  ASSAY_FINDING_GROUP_UNDECIDED,
  ASSAY_FINDING_GROUP_ADVICE,
  ASSAY_N_FINDING_GROUPS
} AssayFindingGroup;

/* How many characters a window shows at least of a row that is folded. */
#define ASSAY_FINDING_FOLDED 30

/**
 * AssayFindingItem:
 *
 * One row of the findings list: a cause with all its nodes. Only the number of known fixes changes,
 * and `subtitle`, a property, with it.
 */
#define ASSAY_TYPE_FINDING_ITEM (assay_finding_item_get_type ())

G_DECLARE_FINAL_TYPE (AssayFindingItem, assay_finding_item, ASSAY, FINDING_ITEM, GObject)

AssayFindingGroup assay_finding_item_get_group (AssayFindingItem *self);
const char *assay_finding_item_get_title (AssayFindingItem *self);
const char *assay_finding_item_get_folded (AssayFindingItem *self);
const char *assay_finding_item_get_subtitle (AssayFindingItem *self);
const char *assay_finding_item_get_rule (AssayFindingItem *self);
int assay_finding_item_get_n_fixes (AssayFindingItem *self);
void assay_finding_item_set_n_fixes (AssayFindingItem *self, int n_fixes);
const char *assay_finding_item_get_accepted (AssayFindingItem *self);
void assay_finding_item_set_accepted (AssayFindingItem *self, const char *reason);
GArray *assay_finding_item_get_nodes (AssayFindingItem *self);
const char *assay_finding_group_title (AssayFindingGroup group);
GPtrArray *assay_finding_items_new (AssayVerdicts *verdicts,
                                    AssayFindings *findings) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_finding_item_is_same (AssayFindingItem *self, AssayFindingItem *other);
int assay_finding_item_find (AssayFindingItem *self, GListModel *items);

G_END_DECLS
