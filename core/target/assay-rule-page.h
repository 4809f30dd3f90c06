/* assay-rule-page.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "target/assay-target.h"

G_BEGIN_DECLS

/**
 * AssayRulePage:
 * @id: id of the rule
 * @member: where it stands in the target file, such as `rules[12]`
 * @json: its text
 * @source: (nullable): where it was published: its own, else that of the target
 * @conditions: (element-type AssayRuleCondition): the predicates it asks, each with what it means
 *
 * One rule of a target file for people who want to know why.
 */
typedef struct
{
  char *id;
  char *member;
  char *json;
  char *source;
  GPtrArray *conditions;
} AssayRulePage;

/**
 * AssayRuleCondition:
 * @name: name of the predicate with its arguments
 * @doc: what it says
 *
 * One condition of a rule.
 */
typedef struct
{
  char *name;
  char *doc;
} AssayRuleCondition;

AssayRulePage *assay_rule_page_new (AssayTarget *target, const char *id) G_GNUC_WARN_UNUSED_RESULT;
void assay_rule_page_free (AssayRulePage *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayRulePage, assay_rule_page_free)

G_END_DECLS
