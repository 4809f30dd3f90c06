/* assay-policy.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-finding.h"

G_BEGIN_DECLS

/**
 * AssayPolicyEntry:
 * @rule: id of the rule that is accepted, of a target or of the importer
 * @op_type: (nullable): operator type of the nodes, %NULL for all
 * @node: (nullable): name of the nodes, with `*` for any text and `?` for any character; %NULL for
 * all
 * @target: (nullable): id of the target, %NULL for all
 * @reason: why it is accepted, never empty
 * @expires: (nullable): last day on which it is, `YYYY-MM-DD`
 * @by: (nullable): who accepted it
 * @line: where it stands in the file, 0 for one that was added
 *
 * What somebody has looked at and accepts.
 */
typedef struct
{
  char *rule;
  char *op_type;
  char *node;
  char *target;
  char *reason;
  char *expires;
  char *by;
  guint line;
} AssayPolicyEntry;

/**
 * AssayPolicySubject:
 * @rule: id of the rule that spoke
 * @op_type: (nullable): operator type, %NULL for what is no node
 * @node: (nullable): name of the node
 * @target: id of the target
 *
 * What an entry may accept.
 */
typedef struct
{
  const char *rule;
  const char *op_type;
  const char *node;
  const char *target;
} AssayPolicySubject;

/**
 * AssayPolicy:
 *
 * Findings that are accepted, each with a reason: a JSON file of the schema `assay.policy/1`
 * (docs/policy.md).
 */
typedef struct _AssayPolicy AssayPolicy;

#define ASSAY_TYPE_POLICY (assay_policy_get_type ())

GType assay_policy_get_type (void) G_GNUC_CONST;
AssayPolicy *assay_policy_new (void) G_GNUC_WARN_UNUSED_RESULT;
AssayPolicy *assay_policy_load (const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayPolicy *assay_policy_load_bytes (GBytes *bytes, const char *name, AssayFindings *findings,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayPolicy *assay_policy_ref (AssayPolicy *self);
void assay_policy_unref (AssayPolicy *self);
const char *assay_policy_get_name (AssayPolicy *self);
guint assay_policy_get_n_entries (AssayPolicy *self);
const AssayPolicyEntry *assay_policy_get_entry (AssayPolicy *self, guint index);
gboolean assay_policy_add (AssayPolicy *self, const AssayPolicyEntry *entry, GError **error);
void assay_policy_remove (AssayPolicy *self, const AssayPolicyEntry *entry);
char *assay_policy_to_json (AssayPolicy *self, gsize *length) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_policy_save (AssayPolicy *self, const char *path, GError **error);
gboolean assay_policy_entry_matches (const AssayPolicyEntry *entry,
                                     const AssayPolicySubject *subject);
gboolean assay_policy_entry_is_expired (const AssayPolicyEntry *entry, GDateTime *today);
const AssayPolicyEntry *assay_policy_match (AssayPolicy *self, const AssayPolicySubject *subject,
                                            GDateTime *today);
char *assay_policy_entry_describe (const AssayPolicyEntry *entry) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayPolicy, assay_policy_unref)

G_END_DECLS
