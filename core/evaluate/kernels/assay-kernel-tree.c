/* assay-kernel-tree.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/kernels/assay-kernel-scores.h"

#include <math.h>
#include <string.h>

#include "base/assay-sentence.h"

/* Decision trees of ai.onnx.ml, in the old form (classifier and regressor) and the new one
 * (TreeEnsemble), which are both brought into one. */

typedef enum
{
  BRANCH_LEQ,
  BRANCH_LT,
  BRANCH_GTE,
  BRANCH_GT,
  BRANCH_EQ,
  BRANCH_NEQ,
  BRANCH_MEMBER,
  LEAF,
} Mode;

/* A node that is no leaf leads on to two others; a leaf, and a set of members, is a range of the
 * arrays below. */
typedef struct
{
  Mode mode;
  gboolean missing_is_true;
  guint feature;
  double value;
  guint next[2];
  guint begin;
  guint end;
} Node;

typedef struct
{
  guint target;
  double weight;
} Entry;

typedef struct
{
  GArray *nodes;   /* Node */
  GArray *entries; /* Entry, of leaves */
  GArray *members; /* double, of sets */
  GArray *roots;   /* guint */
  guint n_features;
  guint n_targets;
} Forest;

static Forest *
forest_new (void)
{
  Forest *self = g_new0 (Forest, 1);

  self->nodes = g_array_new (FALSE, TRUE, sizeof (Node));
  self->entries = g_array_new (FALSE, TRUE, sizeof (Entry));
  self->members = g_array_new (FALSE, TRUE, sizeof (double));
  self->roots = g_array_new (FALSE, TRUE, sizeof (guint));

  return self;
}

static void
forest_free (gpointer data)
{
  Forest *self = data;

  if (self == NULL)
    return;

  g_array_unref (self->nodes);
  g_array_unref (self->entries);
  g_array_unref (self->members);
  g_array_unref (self->roots);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Forest, forest_free)

/* A list of numbers that may be an attribute of floats or a tensor under another name; empty if it
 * is neither. */
static gboolean
read_numbers (AssayKernel *self, const char *name, const char *tensor_name, double **numbers,
              guint *n, GError **error)
{
  const AssayAttr *attr = assay_node_find_attr (self->node, tensor_name);
  const double *floats = assay_node_get_floats (self->node, name, n);

  if (attr == NULL || attr->kind != ASSAY_ATTR_TENSOR)
    {
      *numbers = g_memdup2 (floats, *n * sizeof *floats);
      return TRUE;
    }
  if (assay_tensor_get_dtype (attr->u.tensor) == ASSAY_DTYPE_STRING)
    return assay_kernel_fail (self, error, "%s is a tensor of strings", tensor_name);

  *n = (guint) MIN (assay_tensor_get_n_elements (attr->u.tensor), G_MAXINT);
  *numbers = assay_kernel_room (self, double, (gsize) *n + 1, error);
  if (*numbers == NULL)
    return FALSE;
  for (guint i = 0; i < *n; i++)
    if (!assay_tensor_get_element (attr->u.tensor, i, &(*numbers)[i], error))
      return FALSE;

  return TRUE;
}

/* A list of integers of an expected length. */
static const gint64 *
expect_ints (AssayKernel *self, const char *name, guint n, GError **error)
{
  guint n_given;
  const gint64 *list = assay_node_get_ints (self->node, name, &n_given);

  if (n_given == n && list != NULL)
    return list;

  assay_kernel_fail (self, error, "%s has %u %s, %u were expected", name, n_given,
                     assay_noun (n_given, "entry", "entries"), n);

  return NULL;
}

static gint64
node_key (gint64 tree, gint64 node)
{
  return (gint64) ((guint64) tree << 32 ^ (guint64) node);
}

/* The nodes of the old form, by the key of tree and node; leaves have no entries yet. */
static GHashTable *
read_old_nodes (AssayKernel *self, Forest *forest, GError **error)
{
  static const char *const names[] = { "BRANCH_LEQ", "BRANCH_LT",  "BRANCH_GTE",    "BRANCH_GT",
                                       "BRANCH_EQ",  "BRANCH_NEQ", "BRANCH_MEMBER", "LEAF" };
  g_autoptr (GHashTable) places = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  const AssayAttr *modes = assay_node_find_attr (self->node, "nodes_modes");
  g_autofree double *values = NULL;
  guint n, n_values, n_missing;
  const gint64 *trees = assay_node_get_ints (self->node, "nodes_treeids", &n);
  const gint64 *missing = assay_node_get_ints (self->node, "nodes_missing_value_tracks_true",
                                               &n_missing);
  const gint64 *ids = expect_ints (self, "nodes_nodeids", n, error);
  const gint64 *features = ids == NULL ? NULL : expect_ints (self, "nodes_featureids", n, error);
  const gint64 *on_true = features == NULL ? NULL
                                           : expect_ints (self, "nodes_truenodeids", n, error);
  const gint64 *on_false = on_true == NULL ? NULL
                                           : expect_ints (self, "nodes_falsenodeids", n, error);

  if (on_false == NULL ||
      !read_numbers (self, "nodes_values", "nodes_values_as_tensor", &values, &n_values, error))
    return NULL;
  if (modes == NULL || modes->kind != ASSAY_ATTR_STRINGS || modes->n != n || n_values != n)
    {
      assay_kernel_fail (self, error, "nodes_modes or nodes_values does not have %u %s", n,
                         assay_noun (n, "entry", "entries"));
      return NULL;
    }

  for (guint i = 0; i < n; i++)
    {
      Node node = { .value = values[i], .feature = (guint) CLAMP (features[i], 0, G_MAXINT) };
      gint64 key = node_key (trees[i], ids[i]);
      guint mode = 0;

      while (mode < G_N_ELEMENTS (names) && !g_str_equal (modes->u.strings[i], names[mode]))
        mode++;
      if (mode == G_N_ELEMENTS (names) || mode == BRANCH_MEMBER || features[i] < 0)
        {
          assay_kernel_fail (self, error,
                             "nodes_modes[%u] is “%s”, or its feature %" G_GINT64_FORMAT, i,
                             modes->u.strings[i], features[i]);
          return NULL;
        }
      node.mode = (Mode) mode;
      node.missing_is_true = i < n_missing && missing[i] != 0;
      forest->n_features = MAX (forest->n_features, node.mode == LEAF ? 0 : node.feature + 1);
      g_array_append_val (forest->nodes, node);
      g_hash_table_insert (places, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (i + 1));
      if (i == 0 || trees[i] != trees[i - 1])
        g_array_append_val (forest->roots, i);
    }

  for (guint i = 0; i < n; i++)
    {
      Node *node = &g_array_index (forest->nodes, Node, i);

      for (guint j = 0; j < 2 && node->mode != LEAF; j++)
        {
          gint64 key = node_key (trees[i], j == 0 ? on_true[i] : on_false[i]);
          guint place = GPOINTER_TO_UINT (g_hash_table_lookup (places, &key));

          if (place == 0)
            {
              assay_kernel_fail (
                  self, error, "node %u leads on to %" G_GINT64_FORMAT ", which is not in its tree",
                  i, j == 0 ? on_true[i] : on_false[i]);
              return NULL;
            }
          node->next[j] = place - 1;
        }
    }

  return g_steal_pointer (&places);
}

/* What a leaf of the old form adds, before it is sorted to the leaves. */
typedef struct
{
  guint node;
  Entry entry;
} LooseEntry;

static int
compare_loose (gconstpointer a, gconstpointer b)
{
  guint left = ((const LooseEntry *) a)->node;
  guint right = ((const LooseEntry *) b)->node;

  return (left > right) - (left < right);
}

static gboolean
read_old_leaves (AssayKernel *self, Forest *forest, GHashTable *places, const char *prefix,
                 GError **error)
{
  g_autofree char *trees_name = g_strconcat (prefix, "_treeids", NULL);
  g_autofree char *nodes_name = g_strconcat (prefix, "_nodeids", NULL);
  g_autofree char *ids_name = g_strconcat (prefix, "_ids", NULL);
  g_autofree char *weights_name = g_strconcat (prefix, "_weights", NULL);
  g_autofree char *tensor_name = g_strconcat (weights_name, "_as_tensor", NULL);
  g_autoptr (GArray) loose = g_array_new (FALSE, TRUE, sizeof (LooseEntry));
  g_autofree double *weights = NULL;
  guint n, n_weights;
  const gint64 *trees = assay_node_get_ints (self->node, trees_name, &n);
  const gint64 *nodes = expect_ints (self, nodes_name, n, error);
  const gint64 *ids = nodes == NULL ? NULL : expect_ints (self, ids_name, n, error);

  if (ids == NULL || !read_numbers (self, weights_name, tensor_name, &weights, &n_weights, error))
    return FALSE;
  if (n_weights != n)
    return assay_kernel_fail (self, error, "%s has %u %s, %u were expected", weights_name,
                              n_weights, assay_noun (n_weights, "entry", "entries"), n);

  for (guint i = 0; i < n; i++)
    {
      gint64 key = node_key (trees[i], nodes[i]);
      LooseEntry entry = { GPOINTER_TO_UINT (g_hash_table_lookup (places, &key)),
                           { 0, weights[i] } };

      if (entry.node == 0 || ids[i] < 0 || ids[i] >= forest->n_targets)
        return assay_kernel_fail (
            self, error, "%s[%u] is %" G_GINT64_FORMAT " of %u, or its node does not exist",
            ids_name, i, ids[i], forest->n_targets);
      entry.node--;
      entry.entry.target = (guint) ids[i];
      g_array_append_val (loose, entry);
    }

  g_array_sort (loose, compare_loose);
  for (guint i = 0; i < loose->len; i++)
    {
      const LooseEntry *entry = &g_array_index (loose, LooseEntry, i);
      Node *node = &g_array_index (forest->nodes, Node, entry->node);

      if (node->end == 0)
        node->begin = forest->entries->len;
      g_array_append_val (forest->entries, entry->entry);
      node->end = forest->entries->len;
    }

  return TRUE;
}

/* Reads the lists of the new form; inner nodes come first, then the leaves. */
static gboolean
read_new (AssayKernel *self, Forest *forest, GError **error)
{
  g_autofree double *values = NULL;
  g_autofree double *modes = NULL;
  g_autofree double *weights = NULL;
  g_autofree double *members = NULL;
  guint n, n_leaves, n_weights, n_modes, n_values, n_members, n_missing, n_roots;
  guint member = 0;
  const gint64 *features = assay_node_get_ints (self->node, "nodes_featureids", &n);
  const gint64 *targets = assay_node_get_ints (self->node, "leaf_targetids", &n_leaves);
  const gint64 *roots = assay_node_get_ints (self->node, "tree_roots", &n_roots);
  const gint64 *missing = assay_node_get_ints (self->node, "nodes_missing_value_tracks_true",
                                               &n_missing);
  const gint64 *next[2] = { expect_ints (self, "nodes_truenodeids", n, error), NULL };
  const gint64 *leafs[2] = { next[0] == NULL ? NULL
                                             : expect_ints (self, "nodes_trueleafs", n, error),
                             NULL };

  next[1] = leafs[0] == NULL ? NULL : expect_ints (self, "nodes_falsenodeids", n, error);
  leafs[1] = next[1] == NULL ? NULL : expect_ints (self, "nodes_falseleafs", n, error);
  if (leafs[1] == NULL)
    return FALSE;

  if (!read_numbers (self, "", "nodes_splits", &values, &n_values, error) ||
      !read_numbers (self, "", "nodes_modes", &modes, &n_modes, error) ||
      !read_numbers (self, "", "leaf_weights", &weights, &n_weights, error) ||
      !read_numbers (self, "", "membership_values", &members, &n_members, error))
    return FALSE;
  if (n_values != n || n_modes != n || n_weights != n_leaves)
    return assay_kernel_fail (
        self, error, "%u split%s and %u mode%s for %u node%s, %u weight%s for %u %s", n_values,
        assay_plural (n_values), n_modes, assay_plural (n_modes), n, assay_plural (n), n_weights,
        assay_plural (n_weights), n_leaves, assay_noun (n_leaves, "leaf", "leaves"));

  for (guint i = 0; i < n; i++)
    {
      Node node = { .mode = (Mode) modes[i],
                    .value = values[i],
                    .feature = (guint) CLAMP (features[i], 0, G_MAXINT) };

      if (!(modes[i] >= BRANCH_LEQ && modes[i] <= BRANCH_MEMBER) || features[i] < 0)
        return assay_kernel_fail (self, error,
                                  "node %u has the mode %g and feature %" G_GINT64_FORMAT, i,
                                  modes[i], features[i]);
      node.missing_is_true = i < n_missing && missing[i] != 0;
      forest->n_features = MAX (forest->n_features, node.feature + 1);

      /* The sets stand in the order of the nodes that use them, each ended by a NaN. */
      if (node.mode == BRANCH_MEMBER)
        {
          node.begin = forest->members->len;
          for (; member < n_members && !isnan (members[member]); member++)
            g_array_append_val (forest->members, members[member]);
          node.end = forest->members->len;
          if (member++ >= n_members)
            return assay_kernel_fail (self, error, "membership_values has no set for node %u", i);
        }

      for (guint j = 0; j < 2; j++)
        {
          gint64 limit = leafs[j][i] != 0 ? n_leaves : n;

          if (next[j][i] < 0 || next[j][i] >= limit)
            return assay_kernel_fail (
                self, error, "node %u leads on to %" G_GINT64_FORMAT ", of %" G_GINT64_FORMAT, i,
                next[j][i], limit);
          node.next[j] = (guint) next[j][i] + (leafs[j][i] != 0 ? n : 0);
        }
      g_array_append_val (forest->nodes, node);
    }

  for (guint i = 0; i < n_leaves; i++)
    {
      Node leaf = { .mode = LEAF, .begin = i, .end = i + 1 };
      Entry entry = { (guint) CLAMP (targets[i], 0, G_MAXINT), weights[i] };

      if (targets[i] < 0 || targets[i] >= forest->n_targets)
        return assay_kernel_fail (self, error, "leaf_targetids[%u] is %" G_GINT64_FORMAT " of %u",
                                  i, targets[i], forest->n_targets);
      g_array_append_val (forest->nodes, leaf);
      g_array_append_val (forest->entries, entry);
    }
  for (guint i = 0; i < n_roots; i++)
    {
      guint root = (guint) CLAMP (roots[i], 0, G_MAXINT);

      if (roots[i] < 0 || roots[i] >= n)
        return assay_kernel_fail (self, error, "tree_roots[%u] is %" G_GINT64_FORMAT " of %u", i,
                                  roots[i], n);
      g_array_append_val (forest->roots, root);
    }

  return TRUE;
}

/* Whether nodes lead back to themselves: whatever the data, such a forest is none. */
static gboolean
has_circle (const Forest *forest)
{
  enum
  {
    NEW,
    OPEN,
    DONE
  };
  g_autofree guint8 *marks = g_new0 (guint8, MAX (forest->nodes->len, 1));
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (guint));

  g_array_append_vals (stack, forest->roots->data, forest->roots->len);
  while (stack->len > 0)
    {
      guint at = g_array_index (stack, guint, stack->len - 1);
      const Node *node = &g_array_index (forest->nodes, Node, at);

      if (marks[at] != NEW || node->mode == LEAF)
        {
          marks[at] = DONE;
          g_array_set_size (stack, stack->len - 1);
          continue;
        }
      marks[at] = OPEN;
      for (guint i = 0; i < 2; i++)
        {
          if (marks[node->next[i]] == OPEN)
            return TRUE;
          if (marks[node->next[i]] == NEW)
            g_array_append_val (stack, node->next[i]);
        }
    }

  return FALSE;
}

/* Prepared once for all runs. */
static Forest *
get_forest (AssayKernel *self, guint n_targets, const char *prefix, GError **error)
{
  Forest *kept = assay_kernel_state (self);
  g_autoptr (Forest) forest = NULL;
  g_autoptr (GHashTable) places = NULL;

  if (kept != NULL)
    return kept;

  forest = forest_new ();
  forest->n_targets = n_targets;
  if (prefix == NULL)
    {
      if (!read_new (self, forest, error))
        return NULL;
    }
  else
    {
      places = read_old_nodes (self, forest, error);
      if (places == NULL || !read_old_leaves (self, forest, places, prefix, error))
        return NULL;
    }

  if (has_circle (forest))
    {
      assay_kernel_fail (self, error, "the nodes of a tree go in a circle");
      return NULL;
    }

  kept = forest;
  assay_kernel_set_state (self, g_steal_pointer (&forest), forest_free);

  return kept;
}

static gboolean
is_true (const Forest *forest, const Node *node, double x)
{
  if (isnan (x) && node->missing_is_true)
    return TRUE;

  switch (node->mode)
    {
    case BRANCH_LEQ:
      return x <= node->value;
    case BRANCH_LT:
      return x < node->value;
    case BRANCH_GTE:
      return x >= node->value;
    case BRANCH_GT:
      return x > node->value;
    case BRANCH_EQ:
      return x == node->value;
    case BRANCH_NEQ:
      return x != node->value;
    default:
      for (guint i = node->begin; i < node->end; i++)
        if (g_array_index (forest->members, double, i) == x)
          return TRUE;
      return FALSE;
    }
}

typedef enum
{
  AGGREGATE_AVERAGE,
  AGGREGATE_SUM,
  AGGREGATE_MIN,
  AGGREGATE_MAX,
} Aggregate;

/* The scores of one row, and which targets have any; fails at a circle. */
static gboolean
run_forest (const Forest *forest, const AssayDatum *x, gsize begin, Aggregate aggregate,
            double *scores, gboolean *scored)
{
  for (guint i = 0; i < forest->n_targets; i++)
    {
      scores[i] = 0;
      scored[i] = FALSE;
    }

  for (guint i = 0; i < forest->roots->len; i++)
    {
      const Node *node = &g_array_index (forest->nodes, Node,
                                         g_array_index (forest->roots, guint, i));

      for (guint steps = 0; node->mode != LEAF; steps++)
        {
          double feature = assay_datum_get_number (x, begin + node->feature);

          if (steps > forest->nodes->len)
            return FALSE;
          node = &g_array_index (forest->nodes, Node,
                                 node->next[is_true (forest, node, feature) ? 0 : 1]);
        }

      for (guint j = node->begin; j < node->end; j++)
        {
          const Entry *entry = &g_array_index (forest->entries, Entry, j);
          double *score = &scores[entry->target];

          if (aggregate == AGGREGATE_MIN || aggregate == AGGREGATE_MAX)
            *score = !scored[entry->target]       ? entry->weight
                     : aggregate == AGGREGATE_MIN ? MIN (*score, entry->weight)
                                                  : MAX (*score, entry->weight);
          else
            *score += entry->weight;
          scored[entry->target] = TRUE;
        }
    }

  for (guint i = 0; i < forest->n_targets && aggregate == AGGREGATE_AVERAGE; i++)
    scores[i] /= MAX (forest->roots->len, 1);

  return TRUE;
}

typedef struct
{
  AssayKernel *kernel;
  const Forest *forest;
  const AssayDatum *x;
  AssayDatum *y;
  gsize n_columns;
  Aggregate aggregate;
  AssayPostTransform transform;
  const double *base;
  gboolean broken;
} Regression;

static void
regress_rows (gpointer data, gsize begin, gsize end)
{
  Regression *self = data;
  guint n = self->forest->n_targets;
  g_autofree double *scores = assay_kernel_room (self->kernel, double, (gsize) n + 1, NULL);
  g_autofree gboolean *scored = assay_kernel_room (self->kernel, gboolean, (gsize) n + 1, NULL);

  if (scores == NULL || scored == NULL)
    return;

  for (gsize row = begin; row < end; row++)
    {
      if (!run_forest (self->forest, self->x, row * self->n_columns, self->aggregate, scores,
                       scored))
        {
          self->broken = TRUE;
          return;
        }
      for (guint i = 0; i < n && self->base != NULL; i++)
        scores[i] += self->base[i];
      assay_scores_transform (self->transform, scores, n);
      for (guint i = 0; i < n; i++)
        assay_datum_set_number (self->y, row * n + i, scores[i]);
    }
}

/* TreeEnsembleRegressor and TreeEnsemble. */
static gboolean
run_regression (AssayKernel *self, const char *prefix, Aggregate aggregate, AssayDType dtype,
                const double *base, GError **error)
{
  gint64 n_targets = assay_node_find_attr (self->node, "n_targets") != NULL
                         ? assay_node_get_int (self->node, "n_targets")
                         : 1;
  Regression regression = {
    .kernel = self, .x = assay_kernel_input (self, 0), .aggregate = aggregate, .base = base
  };
  gsize n_rows;

  if (n_targets < 1 || n_targets > 1 << 24)
    return assay_kernel_fail (self, error, "n_targets is %" G_GINT64_FORMAT, n_targets);
  if (!assay_scores_get_transform (self, &regression.transform, error) ||
      !assay_scores_matrix (self, &n_rows, &regression.n_columns, error))
    return FALSE;
  regression.forest = get_forest (self, (guint) n_targets, prefix, error);
  if (regression.forest == NULL)
    return FALSE;
  if (regression.forest->n_features > regression.n_columns)
    return assay_kernel_fail (self, error,
                              "the trees ask for %u feature%s, the input has %" G_GSIZE_FORMAT,
                              regression.forest->n_features,
                              assay_plural (regression.forest->n_features), regression.n_columns);

  regression.y = assay_scores_output (self, 0, dtype, n_rows, (gsize) n_targets, error);
  if (regression.y == NULL)
    return FALSE;

  assay_kernel_parallel (self, n_rows, 32, regress_rows, &regression);

  return !regression.broken || assay_kernel_fail (self, error, "a tree leads in a circle");
}

gboolean
assay_kernel_op_tree_ensemble (AssayKernel *self, GError **error)
{
  gint64 aggregate = assay_node_get_int (self->node, "aggregate_function");

  if (aggregate < AGGREGATE_AVERAGE || aggregate > AGGREGATE_MAX)
    return assay_kernel_fail (
        self, error, "aggregate_function is %" G_GINT64_FORMAT ", 0 to 3 was expected", aggregate);

  return run_regression (self, NULL, (Aggregate) aggregate, assay_kernel_input (self, 0)->dtype,
                         NULL, error);
}

gboolean
assay_kernel_op_tree_ensemble_regressor (AssayKernel *self, GError **error)
{
  static const char *const names[] = { "AVERAGE", "SUM", "MIN", "MAX" };
  const char *name = assay_node_get_string (self->node, "aggregate_function");
  g_autofree double *base = NULL;
  guint aggregate = 0;
  guint n_base;

  while (aggregate < G_N_ELEMENTS (names) && !g_str_equal (name, names[aggregate]))
    aggregate++;
  if (aggregate == G_N_ELEMENTS (names))
    return assay_kernel_fail (
        self, error, "aggregate_function is “%s”, one of AVERAGE, SUM, MIN and MAX was expected",
        name);

  if (!read_numbers (self, "base_values", "base_values_as_tensor", &base, &n_base, error))
    return FALSE;
  if (n_base > 0 && n_base != assay_node_get_int (self->node, "n_targets"))
    return assay_kernel_fail (self, error, "%u base values for %" G_GINT64_FORMAT " target%s",
                              n_base, assay_node_get_int (self->node, "n_targets"),
                              assay_plural (assay_node_get_int (self->node, "n_targets")));

  return run_regression (self, "target", (Aggregate) aggregate, ASSAY_DTYPE_F32,
                         n_base > 0 ? base : NULL, error);
}

/* Where only one of two classes has weights they speak for the second one: as its probability if
 * none is negative, as a number above or below zero otherwise. */
typedef struct
{
  gboolean two_by_one;
  guint only;
  gboolean all_positive;
} TwoClasses;

static TwoClasses
look_at_classes (const Forest *forest, guint n_labels)
{
  TwoClasses two = { n_labels <= 2, 0, TRUE };

  for (guint i = 0; i < forest->entries->len; i++)
    {
      const Entry *entry = &g_array_index (forest->entries, Entry, i);

      if (i == 0)
        two.only = entry->target;
      two.two_by_one &= entry->target == two.only;
      two.all_positive &= entry->weight >= 0;
    }

  return two;
}

/* Turns one score into two and tells the class. */
static guint
split_score (const TwoClasses *two, AssayPostTransform transform, double score, double *scores)
{
  gboolean second = score > (two->all_positive ? 0.5 : 0);

  scores[0] = two->all_positive ? 1 - score : -score;
  scores[1] = score;
  if (!two->all_positive || transform == ASSAY_POST_PROBIT)
    assay_scores_transform (transform, scores, 2);

  return second ? 1 : 0;
}

gboolean
assay_kernel_op_tree_ensemble_classifier (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  guint n_labels = assay_labels_count (self, "classlabels_strings", "classlabels_int64s");
  guint n = MAX (n_labels, 2);
  g_autofree double *base = NULL;
  g_autofree double *scores = NULL;
  g_autofree gboolean *scored = NULL;
  AssayPostTransform transform;
  AssayDatum *labels, *y;
  TwoClasses two;
  const Forest *forest;
  gsize n_rows, n_columns;
  guint n_base;

  if (!assay_scores_get_transform (self, &transform, error) ||
      !assay_scores_matrix (self, &n_rows, &n_columns, error))
    return FALSE;
  if (n_labels == 0)
    return assay_kernel_fail (self, error, "there are no class labels");
  forest = get_forest (self, n, "class", error);
  if (forest == NULL)
    return FALSE;
  if (forest->n_features > n_columns)
    return assay_kernel_fail (self, error,
                              "the trees ask for %u feature%s, the input has %" G_GSIZE_FORMAT,
                              forest->n_features, assay_plural (forest->n_features), n_columns);
  if (!read_numbers (self, "base_values", "base_values_as_tensor", &base, &n_base, error))
    return FALSE;
  if (n_base > n)
    return assay_kernel_fail (self, error, "%u base values for %u %s", n_base, n_labels,
                              assay_noun (n_labels, "class", "classes"));

  labels = assay_labels_output (self, "classlabels_strings", n_rows, error);
  y = assay_scores_output (self, 1, ASSAY_DTYPE_F32, n_rows, n, error);
  if (labels == NULL || y == NULL)
    return FALSE;

  scores = assay_kernel_room (self, double, n, error);
  scored = scores == NULL ? NULL : assay_kernel_room (self, gboolean, n, error);
  if (scored == NULL)
    return FALSE;

  two = look_at_classes (forest, n_labels);
  for (gsize row = 0; row < n_rows; row++)
    {
      gint64 best;

      if (!run_forest (forest, x, row * n_columns, AGGREGATE_SUM, scores, scored))
        return assay_kernel_fail (self, error, "a tree leads in a circle");

      if (two.two_by_one)
        {
          double score = scores[two.only] + (n_base > 0 ? base[n_base - 1] : 0);

          best = split_score (&two, transform, score, scores);
          if (n_labels == 1)
            best--;
        }
      else
        {
          for (guint i = 0; i < n_base; i++)
            scores[i] += base[i];
          best = assay_scores_best (scores, n);
          assay_scores_transform (transform, scores, n);
        }
      assay_labels_set (self, labels, row, "classlabels_strings", "classlabels_int64s", best);
      for (guint i = 0; i < n; i++)
        assay_datum_set_number (y, row * n + i, scores[i]);
    }

  return TRUE;
}
