/* assay-verdict.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "target/assay-verdict-private.h"

G_DEFINE_BOXED_TYPE (AssayVerdicts, assay_verdicts, assay_verdicts_ref, assay_verdicts_unref)

const char *const assay_verdict_names[] = { "rejected",    "host",    "undecided", "fused",
                                            "transformed", "removed", "supported", NULL };
const char *const assay_stage_names[] = { "schema",  "partitioner", "capacity",
                                          "compile", "runtime",     NULL };

G_STATIC_ASSERT (G_N_ELEMENTS (assay_verdict_names) == ASSAY_N_VERDICTS + 1);
G_STATIC_ASSERT (G_N_ELEMENTS (assay_stage_names) == ASSAY_N_STAGES + 1);

static void
cause_clear (gpointer data)
{
  AssayCause *self = data;

  g_clear_pointer (&self->nodes, g_array_unref);
}

/* An empty result for a graph; takes references. */
AssayVerdicts *
assay_verdicts_new (AssayGraph *graph, AssayTarget *target)
{
  AssayVerdicts *self = g_new0 (AssayVerdicts, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->arena = assay_arena_new ();
  self->graph = assay_graph_ref (graph);
  self->target = assay_target_ref (target);
  self->target_id = assay_target_get_id (target);
  self->verdicts = g_array_new (FALSE, TRUE, sizeof (AssayVerdict));
  self->causes = g_array_new (FALSE, TRUE, sizeof (AssayCause));
  self->absorbed = g_array_new (FALSE, TRUE, sizeof (AssayAbsorbed));
  g_array_set_clear_func (self->causes, cause_clear);
  g_array_set_size (self->verdicts, assay_graph_n_nodes (graph));

  return self;
}

AssayVerdicts *
assay_verdicts_ref (AssayVerdicts *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
assay_verdicts_unref (AssayVerdicts *self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_array_unref (self->verdicts);
  g_array_unref (self->causes);
  g_array_unref (self->absorbed);
  g_clear_pointer (&self->parts, g_ptr_array_unref);
  g_free (self->data_dims);
  assay_graph_unref (self->graph);
  assay_target_unref (self->target);
  assay_verdicts_unref (self->source);
  assay_arena_free (self->arena);
  g_free (self);
}

/**
 * assay_verdicts_get:
 * @self: the verdicts of a graph
 * @node: a node of that graph
 *
 * Gets the verdict of a node.
 *
 * Returns: (transfer none): the verdict
 */
const AssayVerdict *
assay_verdicts_get (AssayVerdicts *self, AssayNodeId node)
{
  g_return_val_if_fail (node != ASSAY_NO_NODE && node < self->verdicts->len, NULL);

  return &g_array_index (self->verdicts, AssayVerdict, node);
}

/**
 * assay_verdicts_count:
 * @self: the verdicts of a graph
 * @kind: a verdict
 *
 * Counts the nodes with a verdict, those included that were fused or removed before the graph was
 * checked, so that all counts together have every node of the ONNX file. Whatever shows numbers to
 * people uses this.
 *
 * Returns: the number
 */
guint
assay_verdicts_count (const AssayVerdicts *self, AssayVerdictKind kind)
{
  guint count = self->counts[kind];

  for (guint i = 0; i < self->absorbed->len; i++)
    count += g_array_index (self->absorbed, AssayAbsorbed, i).kind == kind;

  return count;
}

/**
 * assay_verdicts_has_positions:
 * @self: verdicts
 *
 * Tells whether the model is quantised and the target says where its numbers are.
 *
 * Returns: whether any verdict has positions
 */
gboolean
assay_verdicts_has_positions (AssayVerdicts *self)
{
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (self->graph); id++)
    if (assay_verdicts_get (self, id)->positions != NULL)
      return TRUE;

  return FALSE;
}

/**
 * assay_verdict_sentence:
 * @verdicts: a checked graph
 * @verdict: (nullable): a verdict of it
 *
 * Says why a node has its verdict.
 *
 * Returns: (transfer full): the sentence
 */
char *
assay_verdict_sentence (const AssayVerdicts *verdicts, const AssayVerdict *verdict)
{
  if (verdict == NULL)
    return g_strdup ("The target says nothing about this node");

  if (verdict->kind == ASSAY_VERDICT_FUSED && verdict->into != ASSAY_NO_NODE)
    {
      const AssayNode *into = assay_graph_node (verdicts->graph, verdict->into);

      return g_strdup_printf ("Done as a part of %s", into->op_type);
    }

  if (verdict->reason != NULL && *verdict->reason != '\0')
    return g_strdup (verdict->reason);

  if (verdict->engine != NULL)
    return g_strdup_printf ("Runs on %s", verdict->engine);

  return g_strdup ("The target does it as it is");
}

/**
 * assay_verdict_name:
 * @kind: a verdict
 *
 * Gets the word for a verdict, as target files and reports have it.
 *
 * Returns: (transfer none): the word
 */
const char *
assay_verdict_name (AssayVerdictKind kind)
{
  g_return_val_if_fail (kind < ASSAY_N_VERDICTS, NULL);

  return assay_verdict_names[kind];
}

/**
 * assay_stage_name:
 * @stage: a stage
 *
 * Gets the word for a stage, as target files and reports have it.
 *
 * Returns: (transfer none): the word
 */
const char *
assay_stage_name (AssayStage stage)
{
  g_return_val_if_fail (stage < ASSAY_N_STAGES, NULL);

  return assay_stage_names[stage];
}
