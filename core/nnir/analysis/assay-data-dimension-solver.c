/* assay-data-dimension-solver.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/analysis/assay-data-dimension-private.h"

/* Each value has a set of axes that may be its data dimension. Constraints are added one after the
 * other in the order of the nodes, and what they exclude is propagated at once; one that leaves a
 * value without an axis is taken back and becomes a conflict, so that a graph shows all of its
 * conflicts. Then each connected part that is still open is searched for the assignment in which
 * the fewest Transposes move data, rightmost axes first. */

#define BIT(axis) (G_GUINT64_CONSTANT (1) << (axis))
#define NO_COST G_MAXUINT
#define MAX_DEPTH 256
#define MAX_SENTENCE 90
#define DECISION 0 /* the exclusion comes from a choice of the search, not from a constraint */

typedef DimensionSolver Solver;

typedef struct
{
  AssayValueId value;
  int axis;
} Exclusion;

static void
exclude (Solver *self, AssayValueId value, guint64 axes, guint32 direct, guint32 root)
{
  while (axes != 0)
    {
      int axis = __builtin_ctzll (axes);
      Exclusion entry = { value, axis };

      self->domains[value] &= ~BIT (axis);
      self->direct[self->offsets[value] + (guint) axis] = direct;
      self->root[self->offsets[value] + (guint) axis] = root;
      g_array_append_val (self->trail, entry);
      axes &= axes - 1;
    }
}

static void
undo (Solver *self, guint mark)
{
  while (self->trail->len > mark)
    {
      Exclusion *entry = &g_array_index (self->trail, Exclusion, self->trail->len - 1);

      self->domains[entry->value] |= BIT (entry->axis);
      g_array_set_size (self->trail, self->trail->len - 1);
    }
}

static guint32
root_of (const Solver *self, AssayValueId value, int axis)
{
  return self->root[self->offsets[value] + (guint) axis];
}

static void
enqueue (Solver *self, guint32 index)
{
  if (!self->active[index] || self->queued[index])
    return;

  self->queued[index] = TRUE;
  g_array_append_val (self->queue, index);
}

static void
enqueue_uses (Solver *self, AssayValueId value, guint32 except)
{
  for (guint32 i = self->first_use[value]; i < self->first_use[value + 1]; i++)
    if (self->uses[i] != except)
      enqueue (self, self->uses[i]);
}

static void
revise_map (Solver *self, guint32 index, const Constraint *map)
{
  int rank = self->problem.ranks[map->x];
  guint64 reached = 0;
  guint64 gone_y;
  gboolean changed_x = FALSE;

  for (int i = 0; i < rank; i++)
    {
      int target = constraint_target (&self->problem, map, i);

      if ((self->domains[map->x] >> i & 1) == 0)
        continue;
      if (target >= 0 && (self->domains[map->y] >> target & 1) != 0)
        {
          reached |= BIT (target);
          continue;
        }
      exclude (self, map->x, BIT (i), index + 1,
               target < 0 ? index + 1 : root_of (self, map->y, target));
      changed_x = TRUE;
    }

  gone_y = self->domains[map->y] & ~reached;
  for (guint64 rest = gone_y; rest != 0; rest &= rest - 1)
    {
      int axis = __builtin_ctzll (rest);
      guint32 root = index + 1;

      for (int i = 0; i < rank; i++)
        if (constraint_target (&self->problem, map, i) == axis)
          {
            root = root_of (self, map->x, i);
            break;
          }
      exclude (self, map->y, BIT (axis), index + 1, root);
    }

  if (changed_x)
    enqueue_uses (self, map->x, index);
  if (gone_y != 0)
    enqueue_uses (self, map->y, index);
}

static void
revise_choose (Solver *self, guint32 index, const Constraint *choose)
{
  const AssayValueId values[3] = { choose->x, choose->y, choose->z };
  const guint8 *triples = self->problem.pool->data + choose->at;
  guint64 reached[3] = { 0, 0, 0 };

  for (guint i = 0; i < choose->n; i++)
    {
      const guint8 *triple = triples + 3 * i;
      gboolean possible = TRUE;

      for (guint j = 0; j < 3; j++)
        possible = possible && (self->domains[values[j]] >> triple[j] & 1) != 0;
      for (guint j = 0; possible && j < 3; j++)
        reached[j] |= BIT (triple[j]);
    }

  for (guint j = 0; j < 3; j++)
    {
      guint64 gone = self->domains[values[j]] & ~reached[j];

      for (guint64 rest = gone; rest != 0; rest &= rest - 1)
        {
          int axis = __builtin_ctzll (rest);
          guint32 root = index + 1;

          /* It goes back to what excluded another member of a triple that would have allowed it. */
          for (guint i = 0; i < choose->n && root == index + 1; i++)
            for (guint k = 0; triples[3 * i + j] == axis && k < 3; k++)
              if (k != j && (self->domains[values[k]] >> triples[3 * i + k] & 1) == 0)
                {
                  root = root_of (self, values[k], triples[3 * i + k]);
                  break;
                }
          exclude (self, values[j], BIT (axis), index + 1, root);
        }
      if (gone != 0)
        enqueue_uses (self, values[j], index);
    }
}

/* Propagates until nothing changes. Returns a value without a possible axis, or 0. */
static AssayValueId
propagate (Solver *self)
{
  AssayValueId empty = ASSAY_NO_VALUE;

  for (guint head = 0; head < self->queue->len; head++)
    {
      guint32 index = g_array_index (self->queue, guint32, head);
      const Constraint *constraint = dimension_solver_constraint (self, index);
      const AssayValueId values[3] = { constraint->x, constraint->y, constraint->z };
      guint64 gone;

      self->queued[index] = FALSE;
      if (empty != ASSAY_NO_VALUE)
        continue;

      self->budget--;
      switch ((ConstraintKind) constraint->kind)
        {
        case CONSTRAINT_REQUIRE:
          gone = self->domains[constraint->x] & ~constraint->mask;
          exclude (self, constraint->x, gone, index + 1, index + 1);
          if (gone != 0)
            enqueue_uses (self, constraint->x, index);
          break;
        case CONSTRAINT_MAP:
          revise_map (self, index, constraint);
          break;
        case CONSTRAINT_CHOOSE:
          revise_choose (self, index, constraint);
          break;
        default:
          g_assert_not_reached ();
        }

      for (guint i = 0; i < 3 && empty == ASSAY_NO_VALUE; i++)
        if (values[i] != ASSAY_NO_VALUE && self->domains[values[i]] == 0)
          empty = values[i];
    }
  g_array_set_size (self->queue, 0);

  return empty;
}

static void
append_axes (GString *text, guint64 axes)
{
  g_string_append (text, (axes & (axes - 1)) == 0 ? "axis " : "axes ");
  for (guint n = 0; axes != 0; axes &= axes - 1)
    g_string_append_printf (text, "%s%d", n++ == 0 ? "" : ", ", __builtin_ctzll (axes));
}

/* The two sides of a conflict in one sentence of one line. A product of which the contracted axis
 * is all that suits names the option that lets others do. */
static char *
conflict_sentence (Solver *self, const Constraint *blamed, const guint32 causes[2],
                   const guint64 axes[2])
{
  const char *option = blamed->rule == DIMENSION_RULE_PRODUCT &&
                               !self->problem.allow_dynamic_weights
                           ? " without allow-dynamic-weights"
                           : "";
  const Constraint *sides[2] = { NULL, NULL };
  g_autoptr (GString) text = g_string_new (NULL);
  guint other;

  for (guint i = 0; i < 2; i++)
    if (causes[i] != 0)
      sides[i] = dimension_solver_constraint (self, causes[i] - 1);

  other = sides[0]->rule == DIMENSION_RULE_STREAMED ? 1 : 0;
  if (sides[1 - other] != NULL && sides[1 - other]->rule == DIMENSION_RULE_STREAMED)
    {
      const Constraint *side = sides[other];
      g_autofree char *claim = NULL;

      g_string_append (text, "Streams over ");
      append_axes (text,
                   axes[1 - other] |
                       (side != NULL && side->rule == DIMENSION_RULE_STREAMED ? axes[other] : 0));
      if (side == NULL || side->rule == DIMENSION_RULE_STREAMED)
        {
          g_string_append (text, ", which leaves no data dimension");
          return g_string_free (g_steal_pointer (&text), FALSE);
        }
      claim = dimension_problem_claim (&self->problem, side, TRUE);
      g_string_append_printf (text, ", the only data dimension that %s leaves", claim);
      return g_string_free (g_steal_pointer (&text), FALSE);
    }

  for (guint brief = 0; brief < 2; brief++)
    {
      gboolean reduces = sides[0]->rule == DIMENSION_RULE_REDUCE && sides[1] == NULL;
      g_autofree char *a = dimension_problem_claim (&self->problem, sides[0], brief > 0 || reduces);

      g_string_truncate (text, 0);
      if (sides[1] == NULL)
        g_string_append_printf (text,
                                reduces ? "No axis can be the data dimension, as %s takes all away"
                                        : "No axis can be the data dimension of %s",
                                a);
      else
        {
          g_autofree char *b = dimension_problem_claim (&self->problem, sides[1], brief > 0);

          g_string_append_printf (text, "%s and %s share no data dimension%s", a, b, option);
        }
      if (text->len <= MAX_SENTENCE)
        break;
    }

  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Writes down why no axis of a value is left; failed is the constraint that was being added, or
 * %DECISION. */
static void
add_conflict (Solver *self, AssayValueId value, guint32 failed)
{
  AssayDimensionConflict conflict = { 0 };
  guint32 causes[2] = { 0, 0 };
  guint64 axes[2] = { 0, 0 };
  char **texts[2] = { &conflict.text_a, &conflict.text_b };
  AssayNodeId *nodes[2] = { &conflict.node_a, &conflict.node_b };
  const Constraint *blamed;

  for (int i = 0; i < self->problem.ranks[value]; i++)
    {
      guint32 cause = root_of (self, value, i);

      if (cause == DECISION)
        cause = self->direct[self->offsets[value] + (guint) i];
      if (cause == DECISION)
        continue;
      if (causes[0] == 0 || causes[0] == cause)
        causes[0] = cause, axes[0] |= BIT (i);
      else
        causes[1] = cause, axes[1] |= BIT (i);
    }
  if (causes[0] == 0)
    causes[0] = failed;
  if (causes[1] != 0 && causes[1] < causes[0])
    {
      guint32 cause = causes[0];
      guint64 mask = axes[0];

      causes[0] = causes[1], axes[0] = axes[1];
      causes[1] = cause, axes[1] = mask;
    }
  if (failed == DECISION)
    failed = MAX (causes[0], causes[1]);
  if (failed == DECISION)
    return;
  if (causes[1] == 0 && failed != causes[0])
    causes[1] = failed;

  blamed = dimension_solver_constraint (self, failed - 1);
  conflict.node = blamed->node;
  conflict.value = value;
  conflict.rule = dimension_rule_id (blamed->rule);
  for (guint i = 0; i < 2; i++)
    if (causes[i] != 0)
      {
        const Constraint *side = dimension_solver_constraint (self, causes[i] - 1);
        g_autofree char *says = dimension_problem_describe (&self->problem, side);
        g_autoptr (GString) text = g_string_new (NULL);

        if (axes[i] != 0)
          {
            g_string_append (text, "excludes ");
            append_axes (text, axes[i]);
            g_string_append (text, ": ");
          }
        g_string_append (text, says);
        *texts[i] = g_string_free (g_steal_pointer (&text), FALSE);
        *nodes[i] = side->node;
      }
  conflict.message = conflict_sentence (self, blamed, causes, axes);
  g_array_append_val (self->conflicts, conflict);
}

/* Activates the constraints one by one and takes those back that cannot be kept. */
static void
add_constraints (Solver *self)
{
  for (guint32 i = 0; i < self->problem.constraints->len && self->budget > 0; i++)
    {
      guint mark = self->trail->len;
      AssayValueId empty;

      self->active[i] = TRUE;
      enqueue (self, i);
      empty = propagate (self);
      if (empty == ASSAY_NO_VALUE)
        continue;

      add_conflict (self, empty, i + 1);
      undo (self, mark);
      self->active[i] = FALSE;
    }
}

/* The cost of the Transposes whose operand was decided since a mark of the trail. */
static guint
cost_since (Solver *self, guint mark)
{
  guint cost = 0;

  for (guint i = mark; i < self->trail->len; i++)
    {
      AssayValueId value = g_array_index (self->trail, Exclusion, i).value;

      if (dimension_solver_is_open (self, value) || self->stamps[value] == G_MAXUINT32)
        continue;

      for (guint32 j = self->first_use[value]; j < self->first_use[value + 1]; j++)
        {
          const Constraint *map = dimension_solver_constraint (self, self->uses[j]);
          int axis = __builtin_ctzll (self->domains[value]);

          if (self->active[self->uses[j]] && map->rule == DIMENSION_RULE_TRANSPOSE &&
              map->x == value)
            cost += self->problem.pool
                        ->data[map->at + (guint) self->problem.ranks[value] + (guint) axis];
        }
      self->stamps[value] = G_MAXUINT32;
    }

  for (guint i = mark; i < self->trail->len; i++)
    {
      guint32 *stamp = &self->stamps[g_array_index (self->trail, Exclusion, i).value];

      if (*stamp == G_MAXUINT32)
        *stamp = 0;
    }

  return cost;
}

/* Collects the open values that hang together with one of them. */
static GArray *
find_part (Solver *self, AssayValueId start)
{
  GArray *part = g_array_new (FALSE, FALSE, sizeof (AssayValueId));

  self->stamp++;
  self->stamps[start] = self->stamp;
  g_array_append_val (part, start);

  for (guint i = 0; i < part->len; i++)
    {
      AssayValueId value = g_array_index (part, AssayValueId, i);

      for (guint32 j = self->first_use[value]; j < self->first_use[value + 1]; j++)
        {
          const Constraint *constraint = dimension_solver_constraint (self, self->uses[j]);
          const AssayValueId values[3] = { constraint->x, constraint->y, constraint->z };

          for (guint k = 0; self->active[self->uses[j]] && k < 3; k++)
            if (values[k] != ASSAY_NO_VALUE && self->stamps[values[k]] != self->stamp &&
                dimension_solver_is_open (self, values[k]))
              {
                self->stamps[values[k]] = self->stamp;
                g_array_append_val (part, values[k]);
              }
        }
    }
  self->budget -= part->len;

  return part;
}

static AssayValueId
assign (Solver *self, AssayValueId value, int axis)
{
  exclude (self, value, self->domains[value] & ~BIT (axis), DECISION, DECISION);
  enqueue_uses (self, value, G_MAXUINT32);

  return propagate (self);
}

/* Takes the first choice that fits for each value in turn. */
static guint
settle (Solver *self, GArray *part, AssayValueId *failed)
{
  guint mark = self->trail->len;

  for (guint i = 0; i < part->len; i++)
    {
      AssayValueId value = g_array_index (part, AssayValueId, i);
      guint64 choices = self->domains[value];

      while (dimension_solver_is_open (self, value))
        {
          int axis = 63 - __builtin_clzll (choices);
          guint before = self->trail->len;
          AssayValueId empty = assign (self, value, axis);

          choices &= ~BIT (axis);
          if (empty == ASSAY_NO_VALUE)
            break;
          *failed = empty;
          if (choices == 0)
            return NO_COST;
          undo (self, before);
        }
      *failed = ASSAY_NO_VALUE;
    }

  return cost_since (self, mark);
}

/* Finds the cheapest assignment of a connected part and leaves it applied. On failure the state is
 * that of the last attempt, failed the value without an axis. */
static guint
search (Solver *self, GArray *part, guint depth, AssayValueId *failed)
{
  AssayValueId first = g_array_index (part, AssayValueId, 0);
  guint64 choices = self->domains[first];
  guint mark = self->trail->len;
  guint best = NO_COST;
  g_autofree guint64 *kept = NULL;

  if (depth > MAX_DEPTH)
    return settle (self, part, failed);

  while (choices != 0)
    {
      int axis = 63 - __builtin_clzll (choices);
      guint cost = NO_COST;
      AssayValueId empty;

      choices &= ~BIT (axis);
      undo (self, mark);
      empty = assign (self, first, axis);
      if (empty == ASSAY_NO_VALUE)
        cost = cost_since (self, mark);

      for (guint i = 1; empty == ASSAY_NO_VALUE && i < part->len && cost < best; i++)
        {
          AssayValueId value = g_array_index (part, AssayValueId, i);
          g_autoptr (GArray) rest = NULL;
          guint more;

          if (!dimension_solver_is_open (self, value))
            continue;
          rest = find_part (self, value);
          more = search (self, rest, depth + 1, &empty);
          cost = more == NO_COST ? NO_COST : cost + more;
        }

      if (empty != ASSAY_NO_VALUE)
        {
          *failed = empty;
          continue;
        }
      if (cost >= best)
        continue;

      best = cost;
      if (best == 0 || choices == 0 || self->budget <= 0)
        return best;

      if (kept == NULL)
        kept = g_new (guint64, part->len);
      for (guint i = 0; i < part->len; i++)
        kept[i] = self->domains[g_array_index (part, AssayValueId, i)];
    }

  if (best == NO_COST)
    return best;

  *failed = ASSAY_NO_VALUE;
  undo (self, mark);
  for (guint i = 0; i < part->len; i++)
    {
      AssayValueId value = g_array_index (part, AssayValueId, i);

      exclude (self, value, self->domains[value] & ~kept[i], DECISION, DECISION);
    }

  return best;
}

static void
search_from (Solver *self, AssayValueId value)
{
  while (dimension_solver_is_open (self, value))
    {
      g_autoptr (GArray) part = find_part (self, value);
      AssayValueId failed = ASSAY_NO_VALUE;
      guint mark = self->trail->len;
      guint before = self->conflicts->len;
      guint32 blamed = 0;

      if (self->budget <= 0)
        return;
      if (search (self, part, 0, &failed) != NO_COST)
        return;

      /* Not every cycle of constraints shows by propagation alone. */
      add_conflict (self, failed, DECISION);
      undo (self, mark);
      if (self->conflicts->len == before)
        return;

      for (guint i = 0; i < self->problem.constraints->len; i++)
        if (dimension_solver_constraint (self, i)->node ==
            g_array_index (self->conflicts, AssayDimensionConflict, before).node)
          {
            blamed |= self->active[i];
            self->active[i] = FALSE;
          }
      if (blamed == 0)
        return;
    }
}

static void
index_uses (Solver *self)
{
  guint n_values = assay_graph_n_values (self->problem.graph);
  guint32 *next;

  self->first_use = g_new0 (guint32, n_values + 2);
  for (guint pass = 0; pass < 2; pass++)
    {
      if (pass == 1)
        {
          for (guint i = 0; i < n_values; i++)
            self->first_use[i + 1] += self->first_use[i];
          self->uses = g_new (guint32, self->first_use[n_values] + 1);
        }
      next = pass == 0 ? NULL : g_memdup2 (self->first_use, (n_values + 1) * sizeof *next);
      for (guint i = 0; i < self->problem.constraints->len; i++)
        {
          const Constraint *constraint = dimension_solver_constraint (self, i);
          const AssayValueId values[3] = { constraint->x, constraint->y, constraint->z };

          for (guint j = 0; j < 3; j++)
            if (values[j] == ASSAY_NO_VALUE)
              continue;
            else if (pass == 0)
              self->first_use[values[j] + 1]++;
            else
              self->uses[next[values[j]]++] = i;
        }
      g_free (next);
    }
}

static void
prepare (Solver *self)
{
  guint n_values = assay_graph_n_values (self->problem.graph);
  guint32 total = 0;

  self->domains = g_new0 (guint64, n_values);
  self->offsets = g_new0 (guint32, n_values);
  self->stamps = g_new0 (guint32, n_values);
  for (AssayValueId i = 1; i < n_values; i++)
    {
      guint rank = (guint) self->problem.ranks[i];

      self->domains[i] = rank == 64 ? G_MAXUINT64 : BIT (rank) - 1;
      self->offsets[i] = total;
      total += rank;
    }
  self->direct = g_new0 (guint32, total + 1);
  self->root = g_new0 (guint32, total + 1);
  self->active = g_new0 (guint8, self->problem.constraints->len + 1);
  self->queued = g_new0 (guint8, self->problem.constraints->len + 1);
  self->queue = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->trail = g_array_new (FALSE, FALSE, sizeof (Exclusion));
  self->budget = 1000000 + 100 * (gint64) self->problem.constraints->len;
  index_uses (self);
}

/* Adds all constraints and searches what they leave open, graph inputs first. */
void
dimension_solver_run (DimensionSolver *self)
{
  const GArray *inputs = assay_graph_region (self->problem.graph, ASSAY_MAIN_REGION)->inputs;

  prepare (self);
  add_constraints (self);
  for (guint i = 0; i < inputs->len; i++)
    search_from (self, g_array_index (inputs, AssayValueId, i));
  for (AssayValueId i = 1; i < assay_graph_n_values (self->problem.graph); i++)
    search_from (self, i);
}

void
dimension_solver_clear (DimensionSolver *self)
{
  g_free (self->problem.ranks);
  g_free (self->problem.constant);
  g_array_unref (self->problem.constraints);
  g_byte_array_unref (self->problem.pool);
  g_free (self->domains);
  g_free (self->offsets);
  g_free (self->direct);
  g_free (self->root);
  g_free (self->first_use);
  g_free (self->uses);
  g_free (self->active);
  g_free (self->queued);
  g_free (self->stamps);
  g_clear_pointer (&self->queue, g_array_unref);
  g_clear_pointer (&self->trail, g_array_unref);
}
