/* assay-fix-chain.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fix/assay-fix-chain.h"

#include "fix/assay-rewrite-private.h"

/* Nodes of all graphs together that are tried here for one cause, where a search may do more. */
#define MAX_WORK 250000
/* Each keeps a graph with its verdicts. */
#define MAX_BASES 16

/* What was tried alone. */
typedef struct
{
  AssayFix *fix;
  gboolean failed; /* it did not apply */
} Single;

struct _AssayFixChain
{
  GArray *singles;  /* Single */
  GPtrArray *sizes; /* AssayFixTrial: guesses of open dimensions, the best first */
  GPtrArray *bases; /* AssayFixTrial: what else applied, and may have made something possible */
};

/* What is tried behind what, in the order of promise; the first round that finds something is the
 * last. */
typedef enum
{
  BESIDE,        /* what is proposed for nodes beside those in question, alone: some rules are about
                    neighbours */
  MADE_POSSIBLE, /* what did not apply before */
  IN_VAIN,       /* what applied before, and did not help */
  OTHER_SIZES,   /* what did not apply before, with sizes that are not the best guess */
  N_ROUNDS
} Round;

/* One search. */
typedef struct
{
  AssayWork *model;
  const char *const *nodes;
  GPtrArray *trials;
  AssayFixSuggestions *found;
  gsize work; /* that is left */
} Search;

static void
single_clear (gpointer data)
{
  assay_fix_free (((Single *) data)->fix);
}

/**
 * assay_fix_chain_new:
 *
 * Makes a search that knows of no fixes yet.
 *
 * Returns: (transfer full): the search
 */
AssayFixChain *
assay_fix_chain_new (void)
{
  AssayFixChain *self = g_new0 (AssayFixChain, 1);

  self->singles = g_array_new (FALSE, FALSE, sizeof (Single));
  g_array_set_clear_func (self->singles, single_clear);
  self->sizes = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_fix_trial_free);
  self->bases = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_fix_trial_free);

  return self;
}

void
assay_fix_chain_free (AssayFixChain *self)
{
  g_array_unref (self->singles);
  g_ptr_array_unref (self->sizes);
  g_ptr_array_unref (self->bases);
  g_free (self);
}

static gboolean
is_size (const AssayFix *fix)
{
  return g_str_equal (fix->rewrite, "bind-shape");
}

/* Whether something is different afterwards, which another fix may need. */
static gboolean
can_be_base (const AssayFixTrial *trial)
{
  const AssayFixOffer *offer = trial->offer;

  if (trial->problem != NULL || assay_fix_trial_is_cut (trial))
    return FALSE;

  return assay_fix_get_kind (offer->fix) != ASSAY_FIX_GRAPH || *offer->added != NULL ||
         *offer->removed != NULL || *offer->changed != NULL;
}

/**
 * assay_fix_chain_take:
 * @self: a search
 * @trial: (transfer full): a fix that was tried alone and does not help
 *
 * Adds a fix that may help together with another one.
 */
void
assay_fix_chain_take (AssayFixChain *self, AssayFixTrial *trial)
{
  const Single single = { assay_fix_copy (trial->offer->fix), trial->problem != NULL };
  GPtrArray *bases = is_size (single.fix) ? self->sizes : self->bases;
  guint place = bases->len;

  g_array_append_val (self->singles, single);
  if (!can_be_base (trial) || bases->len == MAX_BASES)
    {
      assay_fix_trial_free (trial);
      return;
    }

  while (bases == self->sizes && place > 0 &&
         assay_fix_trial_compare (trial, g_ptr_array_index (bases, place - 1)) < 0)
    place--;
  g_ptr_array_insert (bases, (int) place, trial);
}

static const Single *
find_single (AssayFixChain *self, const AssayFix *fix)
{
  for (guint i = 0; i < self->singles->len; i++)
    {
      const Single *single = &g_array_index (self->singles, Single, i);

      if (assay_fix_equal (single->fix, fix))
        return single;
    }

  return NULL;
}

/* Takes what an attempt costs from the work that is left. */
static gboolean
take_work (Search *self, gsize n)
{
  gboolean enough = n <= self->work;

  self->work = enough ? self->work - n : 0;

  return enough;
}

/* Whether a pair is worth trying behind something, in this round. */
static gboolean
is_worth_trying (AssayFixChain *self, const AssayFixTrial *base, const AssayFix *fix, Round round)
{
  const Single *single = find_single (self, fix);

  /* Sizes come first in a pair, and a cut is left to the user. */
  if (is_size (fix) || g_str_equal (fix->rewrite, "cut"))
    return FALSE;
  if (single == NULL || single->failed)
    return round != IN_VAIN;
  if (round != IN_VAIN || base == NULL)
    return FALSE;

  /* Of two that apply alone, one order is enough. */
  for (guint i = 0; !is_size (base->offer->fix) && g_ptr_array_index (self->bases, i) != base; i++)
    if (assay_fix_equal (((const AssayFixTrial *) g_ptr_array_index (self->bases, i))->offer->fix,
                         fix))
      return FALSE;

  return TRUE;
}

static void
mark_values (const AssayNode *node, guint8 *marks)
{
  for (guint i = 0; i < node->n_inputs; i++)
    marks[node->inputs[i]] = 1;
  for (guint i = 0; i < node->n_outputs; i++)
    marks[node->outputs[i]] = 1;
}

static gboolean
touches (const AssayNode *node, const guint8 *marks)
{
  for (guint i = 0; i < node->n_inputs; i++)
    if (node->inputs[i] != ASSAY_NO_VALUE && marks[node->inputs[i]])
      return TRUE;
  for (guint i = 0; i < node->n_outputs; i++)
    if (marks[node->outputs[i]])
      return TRUE;

  return FALSE;
}

/* Nodes that the target does not take either, and that share a value with those in question. */
static GPtrArray *
list_neighbours (const Search *search)
{
  AssayVerdicts *verdicts = assay_work_get_verdicts (search->model, NULL, NULL);
  g_autofree guint8 *marks = g_new0 (guint8, assay_graph_n_values (verdicts->graph));
  g_autoptr (GHashTable) set = g_hash_table_new (g_str_hash, g_str_equal);
  GPtrArray *list = g_ptr_array_new ();

  for (guint i = 0; search->nodes[i] != NULL; i++)
    g_hash_table_add (set, (gpointer) search->nodes[i]);
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (verdicts->graph); id++)
    if (g_hash_table_contains (set, assay_graph_node (verdicts->graph, id)->name))
      mark_values (assay_graph_node (verdicts->graph, id), marks);

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (verdicts->graph); id++)
    {
      const AssayNode *node = assay_graph_node (verdicts->graph, id);

      if (assay_verdicts_get (verdicts, id)->kind <= ASSAY_VERDICT_UNDECIDED &&
          !g_hash_table_contains (set, node->name) && touches (node, marks))
        g_ptr_array_add (list, (gpointer) node->name);
    }
  g_ptr_array_add (list, NULL);

  return list;
}

/* Tries what was proposed behind @base, or alone. */
static gboolean
try_all (AssayFixChain *self, const AssayFixTrial *base, Round round,
         const AssayProposals *proposals, Search *search, const AssayProgress *progress,
         GError **error)
{
  for (guint i = 0; i < proposals->fixes->len; i++)
    {
      const AssayFix *fix = g_ptr_array_index (proposals->fixes, i);
      g_autoptr (AssayFixTrial) trial = NULL;

      if (!is_worth_trying (self, base, fix, round))
        continue;
      if (!take_work (search, assay_graph_n_nodes (proposals->graph)))
        {
          search->found->n_left++;
          continue;
        }
      if (!assay_progress_check (progress, error))
        return FALSE;

      search->found->n_more++;
      trial = assay_fix_trial_new (search->model, base, fix, search->nodes, progress, error);
      if (trial == NULL)
        return FALSE;
      if (!assay_fix_trial_helps (trial) ||
          (base != NULL && assay_fix_trial_count_compare (trial, base) >= 0))
        continue;

      /* Where it is done has to be said, as it is not where one looks. */
      if (round == BESIDE)
        {
          g_free (trial->offer->title);
          trial->offer->title = assay_fix_describe (fix);
        }
      g_ptr_array_add (search->trials, g_steal_pointer (&trial));
    }

  return TRUE;
}

static gboolean
try_beside (AssayFixChain *self, Search *search, const AssayProgress *progress, GError **error)
{
  g_autoptr (GPtrArray) nodes = list_neighbours (search);
  g_auto (AssayProposals) proposals = { 0 };

  assay_proposals_collect (&proposals, search->model, (const char *const *) nodes->pdata);

  return try_all (self, NULL, BESIDE, &proposals, search, progress, error);
}

/* The nodes in question, and what stands for them after the first fix. */
static GPtrArray *
list_nodes (const char *const *nodes, const AssayFixTrial *base)
{
  GPtrArray *list = g_ptr_array_new ();

  for (guint i = 0; nodes[i] != NULL; i++)
    g_ptr_array_add (list, (gpointer) nodes[i]);
  for (guint i = 0; base->offer->added[i] != NULL; i++)
    g_ptr_array_add (list, base->offer->added[i]);
  g_ptr_array_add (list, NULL);

  return list;
}

static gboolean
try_base (AssayFixChain *self, const AssayFixTrial *base, Round round, Search *search,
          const AssayProgress *progress, GError **error)
{
  g_autoptr (GPtrArray) nodes = list_nodes (search->nodes, base);
  g_auto (AssayProposals) proposals = { 0 };

  /* Looking for proposals reads the graph once. */
  if (!take_work (search, assay_graph_n_nodes (assay_work_get_graph (base->work, NULL, NULL))))
    return TRUE;
  assay_proposals_collect (&proposals, base->work, (const char *const *) nodes->pdata);

  return try_all (self, base, round, &proposals, search, progress, error);
}

/* Of the sizes the best guess, unless nothing could be done with that. */
static GPtrArray *
list_bases (AssayFixChain *self, Round round)
{
  GPtrArray *list = g_ptr_array_new ();

  for (guint i = round == OTHER_SIZES; i < self->sizes->len && (i == 0 || round == OTHER_SIZES);
       i++)
    g_ptr_array_add (list, g_ptr_array_index (self->sizes, i));
  for (guint i = 0; i < self->bases->len && round != OTHER_SIZES; i++)
    g_ptr_array_add (list, g_ptr_array_index (self->bases, i));

  return list;
}

/**
 * assay_fix_chain_try:
 * @self: a search that has all that was tried alone
 * @model: the model, checked
 * @nodes: (array zero-terminated=1): names of the nodes in question
 * @trials: (element-type AssayFixTrial): gets what helps
 * @work: (inout): nodes of graphs that may be tried
 * @found: gets how many fixes and pairs were tried, and how many were left out
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Tries fixes of nodes beside those in question, and then fixes behind others that apply but do not
 * help. The work is bounded by a number of nodes.
 *
 * Returns: %FALSE with %ASSAY_ERROR_CANCELLED
 */
gboolean
assay_fix_chain_try (AssayFixChain *self, AssayWork *model, const char *const *nodes,
                     GPtrArray *trials, gsize *work, AssayFixSuggestions *found,
                     const AssayProgress *progress, GError **error)
{
  const gsize most = MIN (*work, MAX_WORK);
  Search search = {
    .model = model, .nodes = nodes, .trials = trials, .found = found, .work = most
  };

  if (!try_beside (self, &search, progress, error))
    return FALSE;
  for (Round round = MADE_POSSIBLE; round < N_ROUNDS && trials->len == 0; round++)
    {
      g_autoptr (GPtrArray) bases = list_bases (self, round);

      for (guint i = 0; i < bases->len && search.work > 0; i++)
        {
          assay_progress_report (progress, (round + (double) i / bases->len) / N_ROUNDS,
                                 "Trying pairs of fixes");
          if (!try_base (self, g_ptr_array_index (bases, i), round, &search, progress, error))
            return FALSE;
          if (round == OTHER_SIZES && trials->len > 0)
            break;
        }
    }
  *work -= most - search.work;

  return TRUE;
}
