/* assay-node-facts.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gio/gio.h>

#include "backend/assay-node-work.h"
#include "base/assay-progress.h"
#include "target/assay-verdict.h"

G_BEGIN_DECLS

/**
 * AssayNodeColumn:
 *
 * What a table of nodes tells of each.
 */
typedef enum
{
  ASSAY_NODE_COLUMN_NUMBER,
  ASSAY_NODE_COLUMN_VERDICT,
  ASSAY_NODE_COLUMN_OP,
  ASSAY_NODE_COLUMN_REASON,
  ASSAY_NODE_COLUMN_NAME,
  ASSAY_NODE_COLUMN_POSITIONS,
  ASSAY_NODE_COLUMN_CYCLES,
  ASSAY_NODE_COLUMN_PARAMETERS,
  ASSAY_NODE_COLUMN_ACTIVATIONS,
  ASSAY_NODE_COLUMN_ERROR,
  ASSAY_NODE_COLUMN_SHAPE,
  ASSAY_NODE_COLUMN_ENGINE,
  ASSAY_NODE_COLUMN_CORES,
  ASSAY_NODE_COLUMN_SCOPE,
  ASSAY_N_NODE_COLUMNS
} AssayNodeColumn;

/**
 * AssayNodeFacts:
 * @verdicts: a checked graph
 * @n_nodes: nodes of the graph, the unused one with id 0 included
 * @parameters: (array length=n_nodes): bytes of the constants that a node reads
 * @activations: (array length=n_nodes): bytes of what it makes; negative where a shape is not known
 * @cycles: (array length=n_nodes): predicted cycles of the units that work for it; negative if
 * there is no program, or nothing in it that is named after the node
 * @cores: (array length=n_nodes): the cores that do, a bit each
 * @errors: (array length=n_nodes): own error of the last comparison in units in the last place;
 * negative if not known
 *
 * What is known of every node, as plain numbers side by side: made once, never changed, and used
 * from any thread.
 */
typedef struct
{
  /*< private >*/
  gatomicrefcount ref_count;
  /*< public >*/
  AssayVerdicts *verdicts;
  guint32 n_nodes;
  double *parameters;
  double *activations;
  double *cycles;
  guint64 *cores;
  double *errors;
} AssayNodeFacts;

AssayNodeFacts *assay_node_facts_new (AssayVerdicts *verdicts, const AssayNodeWork *work,
                                      GListModel *compared) G_GNUC_WARN_UNUSED_RESULT;
AssayNodeFacts *assay_node_facts_ref (AssayNodeFacts *self);
void assay_node_facts_unref (AssayNodeFacts *self);
double assay_node_facts_get_number (const AssayNodeFacts *self, AssayNodeId node,
                                    AssayNodeColumn column);
char *assay_node_facts_dup_text (const AssayNodeFacts *self, AssayNodeId node,
                                 AssayNodeColumn column) G_GNUC_WARN_UNUSED_RESULT;
char *assay_node_facts_dup_cores (const AssayNodeFacts *self,
                                  AssayNodeId node) G_GNUC_WARN_UNUSED_RESULT;
void assay_node_facts_sort (const AssayNodeFacts *self, guint32 *nodes, guint n,
                            AssayNodeColumn column, gboolean descending);
GBytes *assay_node_facts_to_csv (const AssayNodeFacts *self, const guint32 *nodes, guint n,
                                 const AssayProgress *progress) G_GNUC_WARN_UNUSED_RESULT;
GBytes *assay_node_facts_to_tsv (const AssayNodeFacts *self, const guint32 *nodes, guint n,
                                 const AssayProgress *progress) G_GNUC_WARN_UNUSED_RESULT;
const char *assay_node_column_name (AssayNodeColumn column);
gboolean assay_node_column_is_number (AssayNodeColumn column);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayNodeFacts, assay_node_facts_unref)

G_END_DECLS
