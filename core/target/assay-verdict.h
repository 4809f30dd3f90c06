/* assay-verdict.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/assay-graph.h"

G_BEGIN_DECLS

/* Where it stands what becomes of nodes before a target sees them. */
#define ASSAY_SOURCE_CANONICAL "canonical form of NNIR, docs/nnir.md"

/* Characters that a sentence for people has at most. */
#define ASSAY_REASON_LENGTH 90

/**
 * AssayVerdictKind:
 * @ASSAY_VERDICT_REJECTED: the target cannot do it
 * @ASSAY_VERDICT_HOST: a processor beside the target does it
 * @ASSAY_VERDICT_UNDECIDED: a needed shape or value is unknown; never counted as supported
 * @ASSAY_VERDICT_FUSED: done as a part of another node
 * @ASSAY_VERDICT_TRANSFORMED: done by other operations that it is turned into
 * @ASSAY_VERDICT_REMOVED: nothing is left to do
 * @ASSAY_VERDICT_SUPPORTED: the target does it
 *
 * What a target does with a node; the order is that of summaries, worst first.
 */
typedef enum
{
  ASSAY_VERDICT_REJECTED,
  ASSAY_VERDICT_HOST,
  ASSAY_VERDICT_UNDECIDED,
  ASSAY_VERDICT_FUSED,
  ASSAY_VERDICT_TRANSFORMED,
  ASSAY_VERDICT_REMOVED,
  ASSAY_VERDICT_SUPPORTED,
  ASSAY_N_VERDICTS
} AssayVerdictKind;

/**
 * AssayStage:
 *
 * Which stage decided; the latest one wins and earlier ones are kept.
 */
typedef enum
{
  ASSAY_STAGE_SCHEMA,
  ASSAY_STAGE_PARTITIONER,
  ASSAY_STAGE_CAPACITY,
  ASSAY_STAGE_COMPILE,
  ASSAY_STAGE_RUNTIME,
  ASSAY_N_STAGES
} AssayStage;

/**
 * AssayVerdictDetail:
 * @node: the node of the checked graph that it is about, or 0
 * @text: the fact, in a few words
 *
 * One of the facts that a verdict rests on.
 */
typedef struct
{
  AssayNodeId node;
  const char *text;
} AssayVerdictDetail;

/**
 * AssayVerdict:
 * @node: the node of the checked graph
 * @kind: the verdict
 * @stage: who decided
 * @rule: id of the rule in the target file, such as `reduce.axis`
 * @reason: one sentence for people, of at most 90 characters and without names of nodes
 * @actual: (nullable): the offending value
 * @allowed: (nullable): the allowed range
 * @attribute: (nullable): attribute or input the reason is about
 * @engine: (nullable): what executes it, such as `convolution` or `cpu`
 * @into: the node it was fused into, or 0
 * @mapping: (nullable): how the target writes it, such as an XIR operator with attributes
 * @positions: (nullable): of a quantised model: where its numbers are, and what that asks for
 * @layout: (nullable): of a delegate: where it keeps what the node makes, and what it moves before
 * @moved: how many bytes that is
 * @granted: (nullable): the rule that took it
 * @source: (nullable): where the rule was published
 * @partition: number of the partition, or -1
 * @cause: index of the cause it belongs to, or -1
 * @notes: (nullable) (array zero-terminated=1): warnings that do not change the verdict, each
 * `stage: text`
 * @details: (nullable) (array length=n_details): what it rests on
 * @n_details: how many facts that are
 * @earlier: (nullable): the verdict of the stage before, if a later stage overruled it
 */
typedef struct _AssayVerdict AssayVerdict;

struct _AssayVerdict
{
  AssayNodeId node;
  AssayVerdictKind kind;
  AssayStage stage;
  const char *rule;
  const char *reason;
  const char *actual;
  const char *allowed;
  const char *attribute;
  const char *engine;
  AssayNodeId into;
  const char *mapping;
  const char *positions;
  const char *layout;
  guint64 moved;
  const struct _AssayRule *granted;
  const char *source;
  int partition;
  int cause;
  const char *const *notes;
  const AssayVerdictDetail *details;
  guint n_details;
  const AssayVerdict *earlier;
};

/**
 * AssayCause:
 * @rule: the rule
 * @kind: the verdict its nodes have
 * @reason: what they have in common, in words
 * @op_type: operator type of the first node
 * @nodes: (element-type guint32): the nodes
 *
 * Nodes that have their verdict for the same reason.
 */
typedef struct
{
  const char *rule;
  AssayVerdictKind kind;
  const char *reason;
  const char *op_type;
  GArray *nodes;
} AssayCause;

/**
 * AssayVerdicts:
 * @graph: the graph that was checked: the compiler's graph for this target
 * @verdicts: (element-type AssayVerdict): one per node id, [0] unused
 * @causes: (element-type AssayCause): rejected before host before undecided, then by node count
 * @counts: number of nodes of @graph per verdict; assay_verdicts_count() has those of the file
 * @absorbed: (element-type AssayAbsorbed): ONNX nodes that no node of @graph is named after
 * @n_partitions: partitions of delegate and DPU targets, else 0
 * @n_transitions: edges between device and host
 *
 * The result of checking a graph against a target. Every node of the ONNX file is found once: as a
 * node of @graph, or in @absorbed.
 */
typedef struct _AssayVerdicts AssayVerdicts;

/**
 * AssayAbsorbed:
 * @origin: index of the ONNX node in the origins of the graph
 * @kind: fused into the node that stands for it, or removed (folded, unused)
 * @into: that node, or 0
 * @rule: id of the pass or rule that did it
 */
typedef struct
{
  guint32 origin;
  AssayVerdictKind kind;
  AssayNodeId into;
  const char *rule;
} AssayAbsorbed;

struct _AssayVerdicts
{
  /*< private >*/
  gatomicrefcount ref_count;
  AssayArena *arena;
  struct _AssayTarget *target; /* what the strings of rules belong to */
  struct _AssayVerdicts
      *source;      /* (nullable) what these were made of, and their strings belong to */
  GPtrArray *parts; /* (nullable) AssayVerdicts of calls, whose strings the verdicts share */

  /*< public >*/
  AssayGraph *graph;
  const char *target_id;
  GArray *verdicts;
  GArray *causes;
  GArray *absorbed;
  guint counts[ASSAY_N_VERDICTS];
  guint n_partitions;
  guint n_transitions;
  int *data_dims; /* per value id: the data dimension, or -1; %NULL for targets without one */
};

#define ASSAY_TYPE_VERDICTS (assay_verdicts_get_type ())

GType assay_verdicts_get_type (void) G_GNUC_CONST;
AssayVerdicts *assay_verdicts_ref (AssayVerdicts *self);
void assay_verdicts_unref (AssayVerdicts *self);
const AssayVerdict *assay_verdicts_get (AssayVerdicts *self, AssayNodeId node);
guint assay_verdicts_count (const AssayVerdicts *self, AssayVerdictKind kind);
gboolean assay_verdicts_has_positions (AssayVerdicts *self);
char *assay_verdict_sentence (const AssayVerdicts *verdicts,
                              const AssayVerdict *verdict) G_GNUC_WARN_UNUSED_RESULT;
const char *assay_verdict_name (AssayVerdictKind kind);
const char *assay_stage_name (AssayStage stage);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayVerdicts, assay_verdicts_unref)

G_END_DECLS
