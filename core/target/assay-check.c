/* assay-check.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/assay-error.h"
#include "nnir/function/assay-op-function.h"
#include "target/assay-check-prepare.h"
#include "target/assay-check-private.h"
#include "target/assay-verdict-private.h"

const AssayOptionValue *
assay_check_option (AssayCheck *self, const char *name, AssayOptionKind *kind)
{
  for (guint i = 0; i < self->target->options->len; i++)
    {
      const AssayOption *option = &g_array_index (self->target->options, AssayOption, i);

      if (g_str_equal (option->name, name))
        {
          if (kind != NULL)
            *kind = option->kind;
          return &self->values[i];
        }
    }

  return NULL;
}

static gboolean
fail_unknown (const AssayTarget *target, const char *name, GError **error)
{
  g_autoptr (GString) known = g_string_new (NULL);

  for (guint i = 0; i < target->options->len; i++)
    {
      g_string_append (known, i > 0 ? ", " : "");
      g_string_append (known, g_array_index (target->options, AssayOption, i).name);
    }
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "target %s has no option \"%s\"; it has %s",
               target->id, name, known->len > 0 ? known->str : "none");

  return FALSE;
}

static gboolean
set_option (AssayCheck *self, const char *setting, GError **error)
{
  const char *equals = strchr (setting, '=');
  g_autofree char *name = equals != NULL ? g_strndup (setting, (gsize) (equals - setting))
                                         : g_strdup (setting);
  const char *text = equals != NULL ? equals + 1 : "true";

  for (guint i = 0; i < self->target->options->len; i++)
    {
      const AssayOption *option = &g_array_index (self->target->options, AssayOption, i);
      AssayOptionValue *value = &self->values[i];

      if (!g_str_equal (option->name, name))
        continue;

      switch (option->kind)
        {
        case ASSAY_OPTION_BOOL:
          if (!g_str_equal (text, "true") && !g_str_equal (text, "false"))
            {
              g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                           "option %s of target %s: true or false expected, got \"%s\"", name,
                           self->target->id, text);
              return FALSE;
            }
          value->b = g_str_equal (text, "true");
          return TRUE;
        case ASSAY_OPTION_INT:
          if (!g_ascii_string_to_signed (text, 10, G_MININT64, G_MAXINT64, &value->i, NULL))
            {
              g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                           "option %s of target %s: integer expected, got \"%s\"", name,
                           self->target->id, text);
              return FALSE;
            }
          return TRUE;
        case ASSAY_OPTION_STRING:
        default:
          for (guint j = 0; j < option->n_choices; j++)
            if (g_str_equal (option->choices[j], text))
              {
                value->s = option->choices[j];
                return TRUE;
              }
          if (option->n_choices == 0)
            {
              value->s = assay_arena_intern (self->arena, text);
              return TRUE;
            }
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                       "option %s of target %s: \"%s\" is not one of its values (%s)", name,
                       self->target->id, text, option->doc);
          return FALSE;
        }
    }

  return fail_unknown (self->target, name, error);
}

static gboolean
set_options (AssayCheck *self, GError **error)
{
  const char *const *settings = assay_settings_get_list (self->settings,
                                                         ASSAY_SETTING_TARGET_OPTION);

  self->values = g_new0 (AssayOptionValue, self->target->options->len + 1);
  for (guint i = 0; i < self->target->options->len; i++)
    {
      const AssayOption *option = &g_array_index (self->target->options, AssayOption, i);

      self->values[i] = (AssayOptionValue){ option->b, option->i, option->s };
    }

  for (guint i = 0; settings != NULL && settings[i] != NULL; i++)
    if (!set_option (self, settings[i], error))
      return FALSE;

  return TRUE;
}

static void
mark_value (AssayCheck *self, GArray *work, AssayValueId id)
{
  const AssayValue *value;

  if (id == ASSAY_NO_VALUE)
    return;

  value = assay_graph_value (self->graph, id);
  if (value->constant != NULL || value->producer == ASSAY_NO_NODE || self->live[value->producer])
    return;

  self->live[value->producer] = 1;
  g_array_append_val (work, value->producer);
}

static void
mark_region (AssayCheck *self, GArray *work, AssayRegionId id)
{
  const AssayRegion *region = assay_graph_region (self->graph, id);

  for (guint i = 0; i < region->outputs->len; i++)
    mark_value (self, work, g_array_index (region->outputs, AssayValueId, i));
}

/* What nobody needs at run time (folded, shape arithmetic, unused) costs a target nothing. */
static void
find_live (AssayCheck *self)
{
  g_autoptr (GArray) work = g_array_new (FALSE, FALSE, sizeof (AssayNodeId));

  mark_region (self, work, ASSAY_MAIN_REGION);

  for (guint at = 0; at < work->len; at++)
    {
      const AssayNode *node = assay_graph_node (self->graph, g_array_index (work, AssayNodeId, at));

      for (guint i = 0; i < node->n_inputs; i++)
        mark_value (self, work, node->inputs[i]);

      for (guint i = 0; i < node->n_attrs; i++)
        if (node->attrs[i].kind == ASSAY_ATTR_GRAPH)
          mark_region (self, work, node->attrs[i].u.region);
        else if (node->attrs[i].kind == ASSAY_ATTR_GRAPHS)
          for (guint j = 0; j < node->attrs[i].n; j++)
            mark_region (self, work, node->attrs[i].u.regions[j]);
    }
}

static void
find_parameters (AssayCheck *self)
{
  const GArray *inputs = assay_graph_region (self->graph, ASSAY_MAIN_REGION)->inputs;

  self->parameters = g_new0 (guint8, assay_graph_n_values (self->graph));
  self->constants = g_new0 (guint8, assay_graph_n_values (self->graph));
  if (!assay_settings_get_flag (self->settings, ASSAY_SETTING_INPUTS_ARE_PARAMETERS))
    return;

  for (guint i = 1; i < inputs->len; i++)
    if (g_array_index (inputs, AssayValueId, i) != ASSAY_NO_VALUE)
      self->parameters[g_array_index (inputs, AssayValueId, i)] = 1;

  /* What is computed from parameters alone is one. */
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (self->graph); id++)
    {
      const AssayNode *node = assay_graph_node (self->graph, id);
      AssayOpTraits traits = assay_op_get_info (node->op)->traits;
      gboolean parameter = node->n_inputs > 0 &&
                           (traits & (ASSAY_OP_TRAIT_RANDOM | ASSAY_OP_TRAIT_REGIONS)) == 0;

      for (guint i = 0; parameter && i < node->n_inputs; i++)
        parameter = node->inputs[i] == ASSAY_NO_VALUE || self->parameters[node->inputs[i]] ||
                    assay_graph_is_constant (self->graph, node->inputs[i]);
      for (guint i = 0; parameter && i < node->n_outputs; i++)
        self->parameters[node->outputs[i]] = node->outputs[i] != ASSAY_NO_VALUE;
    }
}

static gboolean
decide_all (AssayCheck *self, const AssayProgress *progress, GError **error)
{
  guint n = assay_graph_n_nodes (self->graph);

  assay_check_fuse (self);

  for (AssayNodeId id = 1; id < n; id++)
    {
      if (id % 4096 == 0)
        {
          assay_progress_report (progress, (double) id / n, NULL);
          if (!assay_progress_check (progress, error))
            return FALSE;
        }
      assay_check_decide (self, id);
    }

  if (self->target->check_class->settle != NULL)
    self->target->check_class->settle (self);
  assay_check_lint (self);

  for (AssayNodeId id = 1; id < n; id++)
    self->result->counts[g_array_index (self->result->verdicts, AssayVerdict, id).kind]++;

  return TRUE;
}

static void
check_clear (AssayCheck *self)
{
  if (self->analysis_free != NULL)
    self->analysis_free (self->analysis);
  g_clear_pointer (&self->uses, assay_uses_free);
  g_clear_pointer (&self->calls, g_hash_table_unref);
  g_clear_pointer (&self->names, g_hash_table_unref);
  g_clear_pointer (&self->causes, g_hash_table_unref);
  g_clear_pointer (&self->runs_on, g_hash_table_unref);
  g_clear_pointer (&self->own_graph, assay_graph_unref);
  g_clear_pointer (&self->ports, g_array_unref);
  g_clear_pointer (&self->result, assay_verdicts_unref);
  g_string_free (self->context.actual, TRUE);
  g_string_free (self->context.allowed, TRUE);
  g_array_unref (self->context.details);
  g_clear_pointer (&self->drafts, g_array_unref);
  g_free (self->values);
  g_free (self->live);
  g_free (self->state);
  g_free (self->fusion);
  g_free (self->fused_into);
  g_free (self->parameters);
  g_free (self->constants);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AssayCheck, check_clear)

static AssayVerdicts *
run_once (AssayTarget *self, AssayForms *model, const AssaySettings *settings, gboolean is_call,
          const char *const *apart, const AssayProgress *progress, GError **error)
{
  g_auto (AssayCheck) check = { .target = self, .settings = settings, .is_call = is_call };
  guint n_nodes;

  check.context.check = &check;
  check.context.actual = g_string_new (NULL);
  check.context.allowed = g_string_new (NULL);
  check.context.details = g_array_new (FALSE, FALSE, sizeof (AssayVerdictDetail));
  /* A function alone has no other form. */
  check.graph = is_call
                    ? assay_forms_get_imported (model)
                    : assay_target_prepare (self, model, settings, apart, FALSE, progress, error);
  if (check.graph == NULL)
    return NULL;
  assay_check_add_ports (&check);

  n_nodes = assay_graph_n_nodes (check.graph);
  check.result = assay_verdicts_new (check.graph, self);
  check.arena = check.result->arena;
  check.uses = assay_uses_new (check.graph);
  check.live = g_new0 (guint8, n_nodes);
  check.state = g_new0 (guint8, n_nodes);
  check.fusion = g_new0 (const AssayFusion *, n_nodes);
  check.fused_into = g_new0 (guint32, n_nodes);
  check.calls = g_hash_table_new (NULL, NULL);
  check.causes = assay_check_causes_new ();
  check.runs_on = g_hash_table_new (g_str_hash, g_str_equal);
  check.drafts = g_array_new (FALSE, TRUE, sizeof (AssayCauseDraft));

  if (!set_options (&check, error))
    return NULL;
  find_live (&check);
  find_parameters (&check);
  if (self->check_class->analyse != NULL && !self->check_class->analyse (&check, error))
    return NULL;
  if (!decide_all (&check, progress, error))
    return NULL;

  assay_check_tell_decomposed (&check);
  assay_check_sort_causes (&check);
  assay_check_account (&check);
  if (self->check_class->divides)
    assay_check_divide (&check);

  return g_steal_pointer (&check.result);
}

/* The rejected composite operations that the model has in pieces, and the nodes that they were put
 * together from; NULL if there are none. */
static GPtrArray *
list_rejected_pieces (AssayVerdicts *verdicts)
{
  AssayGraph *graph = verdicts->graph;
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) pieces = g_ptr_array_new ();

  if (verdicts->counts[ASSAY_VERDICT_REJECTED] == 0)
    return NULL;
  /* Graphs that the API builds have nodes without a name, which no rewrite made. */
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    if (assay_verdicts_get (verdicts, id)->kind == ASSAY_VERDICT_REJECTED &&
        assay_graph_node (graph, id)->name != NULL)
      g_hash_table_add (names, (gpointer) assay_graph_node (graph, id)->name);

  for (guint i = graph->rewrites->len; i-- > 0;)
    {
      const AssayRewrite *rewrite = &g_array_index (graph->rewrites, AssayRewrite, i);
      const AssayOpFunction *function = rewrite->n_after == 1 && rewrite->n_before > 1
                                            ? assay_op_function_find (rewrite->rule)
                                            : NULL;

      if (function == NULL || !function->reads || !g_hash_table_contains (names, rewrite->after[0]))
        continue;
      for (guint j = 0; j < rewrite->n_before; j++)
        {
          g_hash_table_add (names, (gpointer) rewrite->before[j]);
          g_ptr_array_add (pieces, (gpointer) rewrite->before[j]);
        }
    }
  if (pieces->len == 0)
    return NULL;
  g_ptr_array_add (pieces, NULL);

  return g_steal_pointer (&pieces);
}

/* As assay_target_check(); @is_call says that the model is a function on its own, whose body is
 * elsewhere. A composite operation that the model has in pieces stays in pieces if the target takes
 * them and not the whole. */
AssayVerdicts *
assay_check_run (AssayTarget *self, AssayForms *model, const AssaySettings *settings,
                 gboolean is_call, const AssayProgress *progress, GError **error)
{
  g_autoptr (AssayVerdicts)
      whole = run_once (self, model, settings, is_call, NULL, progress, error);
  g_autoptr (AssayVerdicts) apart = NULL;
  g_autoptr (GPtrArray) pieces = whole != NULL ? list_rejected_pieces (whole) : NULL;

  if (pieces == NULL)
    return g_steal_pointer (&whole);

  apart = run_once (self, model, settings, is_call, (const char *const *) pieces->pdata, progress,
                    error);
  if (apart == NULL)
    return NULL;

  return apart->counts[ASSAY_VERDICT_REJECTED] < whole->counts[ASSAY_VERDICT_REJECTED]
             ? g_steal_pointer (&apart)
             : g_steal_pointer (&whole);
}

/**
 * assay_target_check:
 * @self: a target
 * @model: a model
 * @settings: (nullable): how to check
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Gives every node of a model its verdict: of the form of it that the target takes.
 *
 * Returns: (transfer full) (nullable): the verdicts, or %NULL with %ASSAY_ERROR_INVALID for a wrong
 * option or %ASSAY_ERROR_CANCELLED
 */
AssayVerdicts *
assay_target_check (AssayTarget *self, AssayForms *model, const AssaySettings *settings,
                    const AssayProgress *progress, GError **error)
{
  g_return_val_if_fail (self != NULL, NULL);
  g_return_val_if_fail (model != NULL, NULL);

  return assay_check_run (self, model, settings, FALSE, progress, error);
}
