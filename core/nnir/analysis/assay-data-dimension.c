/* assay-data-dimension.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/analysis/assay-data-dimension.h"

#include <string.h>

#include "base/assay-error.h"
#include "nnir/assay-axes.h"
#include "nnir/analysis/assay-data-dimension-private.h"

#define BIT(axis) (G_GUINT64_CONSTANT (1) << (axis))

static gboolean
takes_part (const AssayType *type)
{
  return type->kind == ASSAY_TYPE_KIND_TENSOR && type->rank > 0 && type->rank <= ASSAY_MAX_RANK &&
         (assay_dtype_is_float (type->dtype) || type->dtype == ASSAY_DTYPE_BOOL ||
          type->dtype == ASSAY_DTYPE_UNDEFINED);
}

/* Constants, and what is computed from nothing else. */
static void
find_constants (DimensionProblem *problem, const AssayDimensionOptions *options)
{
  const AssayGraph *graph = problem->graph;
  const GArray *inputs = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs;

  for (AssayValueId i = 1; i < assay_graph_n_values (graph); i++)
    problem->constant[i] = assay_graph_is_constant (graph, i) ||
                           assay_graph_value (graph, i)->is_parameter;

  if (options->inputs_are_parameters)
    for (guint i = 1; i < inputs->len; i++)
      problem->constant[g_array_index (inputs, AssayValueId, i)] = TRUE;

  for (guint r = 0; r < graph->regions->len; r++)
    {
      const GArray *nodes = assay_graph_region (graph, r)->nodes;

      for (guint i = 0; i < nodes->len; i++)
        {
          const AssayNode *node = assay_graph_node (graph, g_array_index (nodes, AssayNodeId, i));
          AssayOpTraits traits = assay_op_get_info (node->op)->traits;
          gboolean constant = node->n_inputs > 0 &&
                              (traits & (ASSAY_OP_TRAIT_RANDOM | ASSAY_OP_TRAIT_REGIONS)) == 0;

          for (guint j = 0; constant && j < node->n_inputs; j++)
            constant = node->inputs[j] == ASSAY_NO_VALUE || problem->constant[node->inputs[j]];
          for (guint j = 0; constant && j < node->n_outputs; j++)
            problem->constant[node->outputs[j]] = TRUE;
        }
    }
  problem->constant[ASSAY_NO_VALUE] = FALSE;

  for (AssayValueId i = 1; i < assay_graph_n_values (graph); i++)
    if (!problem->constant[i] && takes_part (assay_graph_value (graph, i)->type))
      problem->ranks[i] = (gint8) assay_graph_value (graph, i)->type->rank;
}

static gboolean
add_fixed (DimensionProblem *problem, const char *text, GError **error)
{
  const GArray *inputs = assay_graph_region (problem->graph, ASSAY_MAIN_REGION)->inputs;
  const char *equals = strrchr (text, '=');
  gint64 number;
  int axis;

  if (equals == NULL ||
      !g_ascii_string_to_signed (equals + 1, 10, -ASSAY_MAX_RANK, ASSAY_MAX_RANK, &number, NULL))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "data dimension `%s`: expected INPUT=AXIS, AXIS a number", text);
      return FALSE;
    }

  for (guint i = 0; i < inputs->len; i++)
    {
      AssayValueId id = g_array_index (inputs, AssayValueId, i);
      const AssayValue *value = assay_graph_value (problem->graph, id);

      if (strlen (value->name) != (gsize) (equals - text) ||
          strncmp (value->name, text, (gsize) (equals - text)) != 0)
        continue;
      if (!assay_axes_normalize (number, problem->ranks[id], &axis))
        {
          g_autofree char *type = assay_type_to_string (value->type);

          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                       "data dimension `%s`: input `%s` is %s and has no axis %" G_GINT64_FORMAT
                       " that could be it",
                       text, value->name, type, number);
          return FALSE;
        }
      dimension_problem_require (problem, DIMENSION_RULE_FIXED, ASSAY_NO_NODE, id, BIT (axis));
      return TRUE;
    }

  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
               "data dimension `%s`: the graph has no input `%.*s`", text, (int) (equals - text),
               text);
  return FALSE;
}

static void
conflict_clear (gpointer data)
{
  AssayDimensionConflict *self = data;

  g_free (self->text_a);
  g_free (self->text_b);
  g_free (self->message);
}

/* Reads the solution: what is decided, what is not, and which Transposes move data. */
static void
read_solution (DimensionSolver *self, AssayDimensions *result)
{
  for (AssayValueId i = 1; i < result->n_values; i++)
    result->dims[i] = self->domains[i] == 0 || dimension_solver_is_open (self, i)
                          ? -1
                          : __builtin_ctzll (self->domains[i]);

  for (guint i = 0; i < self->problem.constraints->len; i++)
    {
      const Constraint *constraint = dimension_solver_constraint (self, i);

      if (constraint->node != ASSAY_NO_NODE &&
          (dimension_solver_is_open (self, constraint->x) || !self->active[i]))
        result->undecided[constraint->node] = TRUE;
      if (!self->active[i] || constraint->rule != DIMENSION_RULE_TRANSPOSE ||
          result->dims[constraint->x] < 0)
        continue;
      result->moves[constraint->node] =
          self->problem.pool->data[constraint->at + (guint) self->problem.ranks[constraint->x] +
                                   (guint) result->dims[constraint->x]];
      result->n_transposes += result->moves[constraint->node];
    }

  for (guint32 i = result->conflicts->len; i > 0; i--)
    result->first_conflict[g_array_index (result->conflicts, AssayDimensionConflict, i - 1).node] =
        i;
}

/* A timestep that is one number has no axis left. To blame is the node that makes it so, or the
 * first one that reads an input that is. */
static AssayNodeId
blamed_for (const AssayGraph *graph, AssayValueId value)
{
  AssayNodeId producer = assay_graph_value (graph, value)->producer;

  for (AssayNodeId id = 1; producer == ASSAY_NO_NODE && id < assay_graph_n_nodes (graph); id++)
    {
      const AssayNode *node = assay_graph_node (graph, id);

      for (guint i = 0; i < node->n_inputs; i++)
        if (node->inputs[i] == value)
          return id;
    }

  return producer;
}

/* Whether a value is made of such numbers: one node is to blame, not all that follow it. */
static gboolean
is_behind_numbers (const DimensionProblem *problem, const int *vanishing, AssayValueId value)
{
  AssayNodeId producer = assay_graph_value (problem->graph, value)->producer;
  const AssayNode *node;

  if (producer == ASSAY_NO_NODE)
    return FALSE;

  node = assay_graph_node (problem->graph, producer);
  for (guint i = 0; i < node->n_inputs; i++)
    if (vanishing[node->inputs[i]] >= 0 && problem->ranks[node->inputs[i]] == 1)
      return TRUE;

  return FALSE;
}

static void
solve (DimensionSolver *self, const AssayDimensionOptions *options)
{
  const AssayGraph *graph = self->problem.graph;

  for (AssayValueId i = 1; options->vanishing != NULL && i < assay_graph_n_values (graph); i++)
    if (options->vanishing[i] >= 0 && options->vanishing[i] < self->problem.ranks[i] &&
        !is_behind_numbers (&self->problem, options->vanishing, i))
      dimension_problem_require (&self->problem, DIMENSION_RULE_STREAMED,
                                 self->problem.ranks[i] == 1 ? blamed_for (graph, i)
                                                             : ASSAY_NO_NODE,
                                 i, ~BIT (options->vanishing[i]));
  for (guint r = 0; r < graph->regions->len; r++)
    {
      const GArray *nodes = assay_graph_region (graph, r)->nodes;

      for (guint i = 0; i < nodes->len; i++)
        dimension_problem_add_node (&self->problem, g_array_index (nodes, AssayNodeId, i));
    }

  dimension_solver_run (self);
}

/**
 * assay_graph_solve_dimensions:
 * @self: a graph, types inferred
 * @options: (nullable): what is fixed and allowed
 * @error: return location for a #GError
 *
 * Chooses the data dimension of every run-time tensor so that all rules hold and the fewest
 * Transposes move data; ties go to the rightmost axis, graph inputs first. The rules are in
 * docs/data-dimension.md.
 *
 * Returns: (transfer full) (nullable): the choice with all conflicts, or %NULL if @options name an
 * input or axis that does not exist
 */
AssayDimensions *
assay_graph_solve_dimensions (const AssayGraph *self, const AssayDimensionOptions *options,
                              GError **error)
{
  static const AssayDimensionOptions none = { 0 };
  g_autoptr (AssayDimensions) result = g_new0 (AssayDimensions, 1);
  DimensionSolver solver = { 0 };
  gboolean valid = TRUE;

  options = options == NULL ? &none : options;
  result->n_values = assay_graph_n_values (self);
  result->n_nodes = assay_graph_n_nodes (self);
  result->dims = g_new (int, result->n_values);
  result->dims[0] = -1;
  result->undecided = g_new0 (guint8, result->n_nodes);
  result->first_conflict = g_new0 (guint32, result->n_nodes);
  result->moves = g_new0 (guint8, result->n_nodes);
  result->conflicts = g_array_new (FALSE, TRUE, sizeof (AssayDimensionConflict));
  g_array_set_clear_func (result->conflicts, conflict_clear);

  solver.problem.graph = self;
  solver.problem.allow_dynamic_weights = options->allow_dynamic_weights;
  solver.problem.ranks = g_new0 (gint8, result->n_values);
  solver.problem.constant = g_new0 (guint8, result->n_values);
  solver.problem.undecided = result->undecided;
  solver.problem.constraints = g_array_new (FALSE, TRUE, sizeof (Constraint));
  solver.problem.pool = g_byte_array_new ();
  solver.conflicts = result->conflicts;

  find_constants (&solver.problem, options);
  for (guint i = 0; valid && options->fixed != NULL && options->fixed[i] != NULL; i++)
    valid = add_fixed (&solver.problem, options->fixed[i], error);
  if (valid)
    {
      solve (&solver, options);
      read_solution (&solver, result);
    }
  dimension_solver_clear (&solver);

  return valid ? g_steal_pointer (&result) : NULL;
}

/**
 * assay_dimensions_free:
 * @self: (transfer full) (nullable): a choice of data dimensions
 *
 * Frees it.
 */
void
assay_dimensions_free (AssayDimensions *self)
{
  if (self == NULL)
    return;

  g_free (self->dims);
  g_free (self->first_conflict);
  g_free (self->undecided);
  g_free (self->moves);
  g_array_unref (self->conflicts);
  g_free (self);
}

/**
 * assay_dimensions_is_undecided:
 * @self: a choice of data dimensions
 * @node: a node
 *
 * Tells whether the rules of a node could not be checked because a shape is unknown.
 *
 * Returns: whether they could not
 */
gboolean
assay_dimensions_is_undecided (const AssayDimensions *self, AssayNodeId node)
{
  return self->undecided[node];
}

/**
 * assay_dimensions_find_conflict:
 * @self: a choice of data dimensions
 * @node: a node, or 0 for conflicts of the user's choices
 *
 * Finds the first conflict of a node.
 *
 * Returns: (transfer none) (nullable): the conflict
 */
const AssayDimensionConflict *
assay_dimensions_find_conflict (const AssayDimensions *self, AssayNodeId node)
{
  guint32 index = self->first_conflict[node];

  return index == 0 ? NULL : &g_array_index (self->conflicts, AssayDimensionConflict, index - 1);
}
