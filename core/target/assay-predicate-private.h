/* assay-predicate-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "target/assay-predicate.h"
#include "target/assay-target-private.h"

G_BEGIN_DECLS

/* For the files that hold predicates. Each has a table that ends with a row without name and is
 * listed in assay-predicate.c, or by the class whose targets want it. */
extern const AssayPredicate assay_predicates_logic[];
extern const AssayPredicate assay_predicates_attribute[];
extern const AssayPredicate assay_predicates_value[];
extern const AssayPredicate assay_predicates_axes[];
extern const AssayPredicate assay_predicates_window[];
extern const AssayPredicate assay_predicates_listed[];
extern const AssayPredicate assay_predicates_neighbour[];

/**
 * AssayContext:
 * @check: the check under way
 * @node: the node in question
 * @rule: (nullable): the rule that is being applied
 * @actual: what the predicate found
 * @allowed: what it would have taken
 * @attribute: (nullable): attribute or input it is about; a literal or a string of the graph or
 * target
 * @id: (nullable): rule that the verdict names, if a predicate knows it better
 * @failed: (nullable): the innermost call that did not hold
 * @quiet: whether the answer alone counts, so that no words are needed
 *
 * What a predicate may look at, and where it says why.
 */
struct _AssayContext
{
  AssayCheck *check;
  AssayNodeId node_id;
  const AssayNode *node;
  const AssayRule *rule;
  GString *actual;
  GString *allowed;
  const char *attribute;
  const char *id;
  const char *cause; /* what nodes of one cause have in common beside the call */
  GArray *details;   /* AssayVerdictDetail */
  const AssayCall *failed;
  gboolean quiet;
};

const AssayArg *assay_call_arg (const AssayCall *call, const char *name);
gboolean assay_call_get_int (const AssayCall *call, const char *name, gint64 *value);
gint64 assay_call_int (const AssayCall *call, const char *name, gint64 fallback);
const char *assay_call_string (const AssayCall *call, const char *name);
gboolean assay_call_bool (const AssayCall *call, const char *name, gboolean fallback);
AssayTruth assay_context_say (AssayContext *context, AssayTruth truth, const char *attribute,
                              const char *actual, ...) G_GNUC_PRINTF (4, 5);
void assay_context_allow (AssayContext *context, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* A fact that the answer rests on, about a node if there is one. */
void assay_context_rest_on (AssayContext *context, AssayNodeId node, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
void assay_context_allow_dtypes (AssayContext *context, AssayDTypeSet set);
/* Refuses the element type of @type, or what is no tensor at all. */
AssayTruth assay_context_say_type (AssayContext *context, const char *label, const AssayType *type);
void assay_context_allow_range (AssayContext *context, const AssayCall *call);
gboolean assay_call_in_range (const AssayCall *call, gint64 value);
AssayTruth assay_context_test_int (AssayContext *context, const AssayCall *call,
                                   const char *attribute, gint64 value);
AssayTruth assay_context_evaluate (AssayContext *context, const AssayCall *call);

/* The value that `input` or `output` names; 0 if there is none. */
AssayValueId assay_context_value (AssayContext *context, const AssayCall *call, const char **label);
const AssayType *assay_context_type (AssayContext *context, AssayValueId value);
gboolean assay_context_is_constant (AssayContext *context, AssayValueId value);
gint64 assay_context_attr_int (AssayContext *context, const char *attribute);
const char *assay_context_attr_string (AssayContext *context, const char *attribute);

/* Arguments that many predicates have. */
/* clang-format off */
#define ASSAY_VALUE_ARGS \
  { "input", ASSAY_ARG_INT, FALSE, "which input, 0 unless given" }, \
  { "output", ASSAY_ARG_INT, FALSE, "which output, instead of an input" }
#define ASSAY_RANGE_ARGS \
  { "min", ASSAY_ARG_INT, FALSE, "least value" }, \
  { "max", ASSAY_ARG_INT, FALSE, "greatest value" }, \
  { "in", ASSAY_ARG_INTS, FALSE, "values to choose from" }
/* clang-format on */

G_END_DECLS
