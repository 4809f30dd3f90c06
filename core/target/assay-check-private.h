/* assay-check-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/function/assay-op-function.h"
#include "target/assay-predicate-private.h"

G_BEGIN_DECLS

/* What a cause needs for its words until all its nodes are known. */
typedef struct
{
  const char *sentence;
  const char *attribute;
  const char *allowed;
  const char *op;
  guint n_actuals;
  gboolean more;
  const char *actuals[4];
} AssayCauseDraft;

/* A port that no node stands for, and what is wrong with it. */
typedef struct
{
  AssayNodeId node; /* that was added for it */
  AssayVerdictKind verdict;
  const char *reason;
} AssayCheckPort;

/* One check under way. */
struct _AssayCheck
{
  AssayTarget *target;
  const AssaySettings *settings;
  gboolean is_call;         /* whether the model is one function, whose body stands elsewhere */
  AssayOptionValue *values; /* per option of the target */
  AssayGraph *graph;        /* of the model that is checked, which holds it, or @own_graph */
  AssayGraph *own_graph;    /* (nullable): with nodes for @ports */
  GArray *ports;            /* AssayCheckPort, by node */
  AssayUses *uses;
  AssayVerdicts *result;
  AssayArena *arena; /* of the result */
  guint8 *live;      /* per node: whether it computes anything that is needed at run time */
  guint8 *state;     /* per node: whether it is decided */
  const AssayFusion **fusion; /* per node: the pattern that claims it */
  AssayNodeId *fused_into;    /* per node: the node of the pattern that stands for it */
  guint8 *parameters;         /* per value: counts as constant */
  guint8 *constants;          /* per value: 1 + whether it is constant, 0 if nobody has asked */
  GHashTable *calls;          /* AssayGraph of an origin -> AssayVerdicts */
  GHashTable *names;          /* name of a value -> AssayValueId; NULL until one is looked for */
  GHashTable *causes;         /* key -> index + 1 */
  GArray *drafts;             /* AssayCauseDraft, per cause */
  GHashTable *runs_on;        /* engine -> the sentence that names it */
  AssayContext context;
  gpointer analysis; /* of the class, such as data dimensions */
  GDestroyNotify analysis_free;
};

const AssayOptionValue *assay_check_option (AssayCheck *self, const char *name,
                                            AssayOptionKind *kind);
AssayVerdicts *assay_check_run (AssayTarget *target, AssayForms *model,
                                const AssaySettings *settings, gboolean is_call,
                                const AssayProgress *progress, GError **error);
void assay_check_add_ports (AssayCheck *self);
void assay_check_fuse (AssayCheck *self);
void assay_check_decide (AssayCheck *self, AssayNodeId node);
gboolean assay_check_has_row (const AssayTarget *target, const AssayNode *node);
char *assay_check_dup_call_key (const AssayGraph *call) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_check_decide_call (AssayCheck *self, AssayVerdict *verdict, AssayNodeId id);
void assay_check_add_cause (AssayCheck *self, AssayVerdict *verdict, const AssayCall *failed,
                            const char *sentence);
GHashTable *assay_check_causes_new (void) G_GNUC_WARN_UNUSED_RESULT;
const char *assay_check_sentence (AssayCheck *self, const char *sentence, const AssayNode *node,
                                  const char *actual, const char *allowed, const char *attribute);
void assay_check_append_attr (AssayCheck *self, const AssayNode *node, const char *name,
                              gsize length, GString *text);
void assay_check_add_note (AssayCheck *self, AssayVerdict *verdict, AssayStage stage,
                           const char *text);
void assay_check_rest_on (AssayCheck *self, AssayVerdict *verdict, AssayNodeId node,
                          const char *text);
const AssayOpFunction *assay_check_find_decomposition (const AssayRewrite *rewrite);
void assay_check_tell_decomposed (AssayCheck *self);
void assay_check_sort_causes (AssayCheck *self);
void assay_check_account (AssayCheck *self);
void assay_check_divide (AssayCheck *self);
void assay_check_lint (AssayCheck *self);

/* Predicates reach the node through the context alone; the engine sets it up. */
void assay_context_begin (AssayContext *self, AssayNodeId node, const AssayRule *rule);

G_END_DECLS
