/* assay-check-account.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "target/assay-check-private.h"

typedef struct
{
  const char *rule;
  const AssayCall *failed;
  const char *what;
  AssayVerdictKind kind;
} CauseKey;

static guint
cause_hash (gconstpointer data)
{
  const CauseKey *key = data;

  return g_str_hash (key->rule) ^ g_direct_hash (key->failed) ^ g_direct_hash (key->what) ^
         (guint) key->kind;
}

static gboolean
cause_equal (gconstpointer a, gconstpointer b)
{
  const CauseKey *p = a, *q = b;

  return p->failed == q->failed && p->what == q->what && p->kind == q->kind &&
         g_str_equal (p->rule, q->rule);
}

GHashTable *
assay_check_causes_new (void)
{
  return g_hash_table_new_full (cause_hash, cause_equal, g_free, NULL);
}

static void
add_actual (AssayCauseDraft *draft, const char *actual)
{
  if (actual == NULL)
    return;

  for (guint i = 0; i < draft->n_actuals; i++)
    if (g_str_equal (draft->actuals[i], actual))
      return;

  if (draft->n_actuals == G_N_ELEMENTS (draft->actuals))
    draft->more = TRUE;
  else
    draft->actuals[draft->n_actuals++] = actual;
}

/* Adds a verdict to those that have the same cause: rule, verdict and the condition that failed.
 * Sentences that name the operator make one cause per operator, and predicates can divide further.
 */
void
assay_check_add_cause (AssayCheck *self, AssayVerdict *verdict, const AssayCall *failed,
                       const char *sentence)
{
  const AssayNode *node = assay_graph_node (self->graph, verdict->node);
  const char *what = strstr (sentence, "{op}") != NULL
                         ? assay_arena_intern (self->arena, node->op_type)
                     : failed != NULL ? self->context.cause
                                      : NULL;
  CauseKey key = { verdict->rule, failed, what, verdict->kind };
  guint index = GPOINTER_TO_UINT (g_hash_table_lookup (self->causes, &key));

  if (verdict->kind > ASSAY_VERDICT_UNDECIDED)
    return;

  if (index == 0)
    {
      AssayCause cause = { verdict->rule, verdict->kind, NULL, node->op_type,
                           g_array_new (FALSE, FALSE, sizeof (AssayNodeId)) };
      AssayCauseDraft draft = { .sentence = sentence,
                                .attribute = verdict->attribute,
                                .allowed = verdict->allowed };

      g_array_append_val (self->result->causes, cause);
      g_array_append_val (self->drafts, draft);
      index = self->result->causes->len;
      g_hash_table_insert (self->causes, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (index));
    }

  verdict->cause = (int) index - 1;
  g_array_append_val (g_array_index (self->result->causes, AssayCause, index - 1).nodes,
                      verdict->node);
  add_actual (&g_array_index (self->drafts, AssayCauseDraft, index - 1), verdict->actual);
}

/**
 * assay_check_add_note:
 * @self: the check
 * @verdict: the verdict
 * @stage: who says it
 * @text: the note
 *
 * Adds a note to a verdict behind those it has.
 */
void
assay_check_add_note (AssayCheck *self, AssayVerdict *verdict, AssayStage stage, const char *text)
{
  guint n = verdict->notes != NULL ? g_strv_length ((char **) verdict->notes) : 0;
  const char **list = assay_arena_alloc_n (self->arena, n + 2, sizeof (char *));
  g_autofree char *note = g_strdup_printf ("%s: %s", assay_stage_name (stage), text);

  for (guint i = 0; i < n; i++)
    list[i] = verdict->notes[i];
  list[n] = assay_arena_intern (self->arena, note);
  list[n + 1] = NULL;
  verdict->notes = list;
}

/* Adds a fact to those that a verdict rests on. */
void
assay_check_rest_on (AssayCheck *self, AssayVerdict *verdict, AssayNodeId node, const char *text)
{
  AssayVerdictDetail *details = assay_arena_alloc_n (self->arena, verdict->n_details + 1,
                                                     sizeof (AssayVerdictDetail));

  for (guint i = 0; i < verdict->n_details; i++)
    details[i] = verdict->details[i];
  details[verdict->n_details++] = (AssayVerdictDetail){ node,
                                                        assay_arena_intern (self->arena, text) };
  verdict->details = details;
}

static int
compare_causes (gconstpointer a, gconstpointer b, gpointer data)
{
  const GArray *causes = data;
  const AssayCause *p = &g_array_index (causes, AssayCause, *(const guint *) a);
  const AssayCause *q = &g_array_index (causes, AssayCause, *(const guint *) b);

  if (p->kind != q->kind)
    return p->kind < q->kind ? -1 : 1;
  if (p->nodes->len != q->nodes->len)
    return p->nodes->len > q->nodes->len ? -1 : 1;

  return *(const guint *) a < *(const guint *) b ? -1 : 1;
}

/* What the nodes of a cause have in common, with as many of the values found as fit. Clauses are
 * too much for one line, so that the first one stands for all. */
static const char *
cause_words (AssayCheck *self, const AssayCause *cause, const AssayCauseDraft *draft)
{
  const AssayNode *node = assay_graph_node (self->graph,
                                            g_array_index (cause->nodes, AssayNodeId, 0));
  const char *words;
  guint n = draft->n_actuals;

  for (guint i = 0; i < n; i++)
    if (strchr (draft->actuals[i], ' ') != NULL)
      n = 1;

  do
    {
      gboolean more = draft->more || n < draft->n_actuals;
      g_autoptr (GString) actual = g_string_new (n > 0 ? draft->actuals[0] : NULL);

      for (guint i = 1; i < n; i++)
        g_string_append_printf (actual, "%s%s", i + 1 < n || more ? ", " : " or ",
                                draft->actuals[i]);
      if (more && n > 1)
        g_string_append (actual, " or another");
      words = assay_check_sentence (self, draft->sentence, node,
                                    actual->len > 0 ? actual->str : NULL, draft->allowed,
                                    draft->attribute);
    }
  while (g_str_has_suffix (words, "…") && n-- > 1);

  return words;
}

/* Puts the causes in order: rejected, host, undecided, and the ones with most nodes first. */
void
assay_check_sort_causes (AssayCheck *self)
{
  GArray *old = self->result->causes;
  g_autofree guint *order = g_new (guint, old->len + 1);
  g_autofree int *place = g_new (int, old->len + 1);
  GArray *sorted = g_array_sized_new (FALSE, TRUE, sizeof (AssayCause), old->len);

  for (guint i = 0; i < old->len; i++)
    order[i] = i;
  g_qsort_with_data (order, (int) old->len, sizeof (guint), compare_causes, old);

  for (guint i = 0; i < old->len; i++)
    {
      AssayCause cause = g_array_index (old, AssayCause, order[i]);

      cause.reason = cause_words (self, &cause,
                                  &g_array_index (self->drafts, AssayCauseDraft, order[i]));
      place[order[i]] = (int) i;
      g_array_append_val (sorted, cause);
    }

  for (guint i = 1; i < self->result->verdicts->len; i++)
    {
      AssayVerdict *verdict = &g_array_index (self->result->verdicts, AssayVerdict, i);

      if (verdict->cause >= 0)
        verdict->cause = place[verdict->cause];
    }

  /* The nodes moved over. */
  if (old->len > 0)
    memcpy (old->data, sorted->data, (gsize) old->len * sizeof (AssayCause));
  g_array_unref (sorted);
}

/* The ONNX node that a node is named after: it makes its first output. */
static guint32
own_origin (const AssayGraph *graph, const AssayNode *node)
{
  for (guint i = 0; i < node->n_origins; i++)
    {
      guint32 origin = node->origins[i];

      if (origin < graph->origins->len &&
          g_str_equal (g_array_index (graph->origins, AssayOrigin, origin).name, node->name))
        return origin;
    }

  return node->n_origins > 0 ? node->origins[node->n_origins - 1] : G_MAXUINT32;
}

/* Finds every ONNX node once: as a node of the graph, or among the absorbed ones. */
void
assay_check_account (AssayCheck *self)
{
  const AssayGraph *graph = self->graph;
  guint n = graph->origins->len;
  g_autofree guint8 *own = g_new0 (guint8, n + 1);
  g_autofree AssayNodeId *member = g_new0 (AssayNodeId, n + 1);

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      const AssayNode *node = assay_graph_node (graph, id);
      guint32 origin = own_origin (graph, node);

      if (origin < n)
        own[origin] = 1;
      for (guint i = 0; i < node->n_origins; i++)
        if (node->origins[i] < n)
          member[node->origins[i]] = id;
    }

  for (guint32 origin = 0; origin < n; origin++)
    if (!own[origin])
      {
        const char *rule = g_array_index (graph->origins, AssayOrigin, origin).rule;
        AssayAbsorbed absorbed = {
          .origin = origin,
          .kind = member[origin] != ASSAY_NO_NODE ? ASSAY_VERDICT_FUSED : ASSAY_VERDICT_REMOVED,
          .into = member[origin],
          .rule = rule != NULL ? rule : "builtin.unused",
        };

        g_array_append_val (self->result->absorbed, absorbed);
      }
}
