/* assay-torch-steps.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/torch/pass/assay-torch-steps.h"

#include <string.h>

#include "base/assay-error.h"
#include "source/torch/assay-torch-contract.h"
#include "source/torch/assay-torch-op.h"
#include "source/torch/pass/assay-torch-graph.h"

/* There is a graph for each pass, and nobody looks at more. */
#define MAX_OPS 50000

/* Of each cause; all of them are counted. */
#define MAX_FAULTS 200

static void
fault_free (gpointer data)
{
  AssayTorchFault *self = data;

  g_free (self->text);
  g_free (self->node);
  g_free (self);
}

static void
group_free (gpointer data)
{
  AssayTorchFaultGroup *self = data;

  g_ptr_array_unref (self->faults);
  g_free (self);
}

static void
step_free (gpointer data)
{
  AssayTorchStep *self = data;

  g_clear_pointer (&self->graph, assay_graph_unref);
  g_clear_pointer (&self->fates, g_byte_array_unref);
  g_clear_pointer (&self->changes, g_array_unref);
  g_clear_pointer (&self->faults, g_ptr_array_unref);
  g_free (self);
}

/* How far two nodes at one line are the same, closest first. */
typedef enum
{
  SAME_OP,
  SAME_FORM, /* in place or not */
  SAME_LINE,
  N_KINSHIPS,
} Kinship;

/* The line, and what it takes to be that close. Functions change theirs. */
static char *
make_place (const AssayGraph *graph, const AssayNode *node, Kinship kinship)
{
  const AssayOrigin *origin = &g_array_index (graph->origins, AssayOrigin, node->origins[0]);
  g_autofree char *name = g_strconcat ("torch.", node->op_type, NULL);
  const AssayTorchOpInfo *form = kinship == SAME_FORM ? assay_torch_op_info_find_value_form (name)
                                                      : NULL;

  return g_strdup_printf ("%u %s", origin->index,
                          kinship == SAME_LINE ? ""
                          : form != NULL       ? form->name
                                               : name);
}

/* What a node is apart from its place: its types and what is fixed of its operands. */
static gboolean
is_like (const AssayNode *a, const AssayNode *b)
{
  if (a->n_inputs != b->n_inputs || a->n_attrs != b->n_attrs)
    return FALSE;
  for (guint i = 0; i < a->n_attrs; i++)
    if (!g_str_equal (a->attrs[i].name, b->attrs[i].name) ||
        /* Names of values are told anew in each text. */
        (strchr (a->attrs[i].u.s, '%') == NULL && !g_str_equal (a->attrs[i].u.s, b->attrs[i].u.s)))
      return FALSE;

  return TRUE;
}

static GHashTable *
new_places (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_queue_free);
}

static void
put_place (GHashTable *places, char *place, AssayNodeId node)
{
  GQueue *queue = g_hash_table_lookup (places, place);

  if (queue == NULL)
    {
      queue = g_queue_new ();
      g_hash_table_insert (places, place, queue);
    }
  else
    g_free (place);
  g_queue_push_tail (queue, GUINT_TO_POINTER (node));
}

static AssayNodeId
take_place (GHashTable *places, const char *place)
{
  GQueue *queue = g_hash_table_lookup (places, place);

  return queue != NULL ? GPOINTER_TO_UINT (g_queue_pop_head (queue)) : ASSAY_NO_NODE;
}

/* Operations keep the line that they come from, so what stands at it before and behind a pass is
 * the same one, or what became of it: the closest ones first. */
static GByteArray *
find_fates (const AssayGraph *before, const AssayGraph *after)
{
  GByteArray *fates = g_byte_array_new ();
  g_autofree gboolean *is_taken = g_new0 (gboolean, assay_graph_n_nodes (before));

  g_byte_array_set_size (fates, assay_graph_n_nodes (after));
  memset (fates->data, ASSAY_TORCH_FATE_NEW, fates->len);
  for (Kinship kinship = SAME_OP; kinship < N_KINSHIPS; kinship++)
    {
      g_autoptr (GHashTable) places = new_places ();

      for (AssayNodeId i = 1; i < assay_graph_n_nodes (before); i++)
        if (!is_taken[i])
          put_place (places, make_place (before, assay_graph_node (before, i), kinship), i);
      for (AssayNodeId i = 1; i < assay_graph_n_nodes (after); i++)
        {
          const AssayNode *node = assay_graph_node (after, i);
          g_autofree char *place = NULL;
          AssayNodeId was;

          if (fates->data[i] != ASSAY_TORCH_FATE_NEW)
            continue;
          place = make_place (after, node, kinship);
          was = take_place (places, place);
          if (was == ASSAY_NO_NODE)
            continue;
          is_taken[was] = TRUE;
          fates->data[i] = kinship == SAME_OP && is_like (assay_graph_node (before, was), node)
                               ? ASSAY_TORCH_FATE_SAME
                               : ASSAY_TORCH_FATE_CHANGED;
        }
    }

  return fates;
}

static void
find_faults (AssayTorchStep *self, const AssayTorchModule *module, GHashTable *nodes)
{
  g_autoptr (GArray) causes = assay_torch_module_list_violations (module, MAX_FAULTS);

  self->faults = g_ptr_array_new_with_free_func (group_free);
  for (guint i = 0; i < causes->len; i++)
    {
      const AssayTorchCause *cause = &g_array_index (causes, AssayTorchCause, i);
      AssayTorchFaultGroup *group = g_new0 (AssayTorchFaultGroup, 1);

      group->what = cause->what;
      group->pass = cause->pass;
      group->n = cause->n;
      group->faults = g_ptr_array_new_with_free_func (fault_free);
      for (guint k = 0; k < cause->violations->len; k++)
        {
          const AssayTorchViolation *violation = &g_array_index (cause->violations,
                                                                 AssayTorchViolation, k);
          AssayNodeId node = GPOINTER_TO_UINT (g_hash_table_lookup (nodes, violation->op));
          AssayTorchFault *fault = g_new0 (AssayTorchFault, 1);

          fault->text = g_strdup (violation->text);
          if (node != ASSAY_NO_NODE)
            fault->node = g_strdup (assay_graph_node (self->graph, node)->name);
          g_ptr_array_add (group->faults, fault);
        }
      g_ptr_array_add (self->faults, group);
      self->n_faults += cause->n;
    }
}

/* @text is that of the step before, and becomes that of this one. */
static void
add_step (AssayTorchSteps *self, const AssayTorchModule *module, const AssayTorchPass *pass,
          GArray *changes, char **text)
{
  const AssayTorchStep *before = self->steps->len > 0 ? self->steps->pdata[self->steps->len - 1]
                                                      : NULL;
  AssayTorchStep *step = g_new0 (AssayTorchStep, 1);
  g_autoptr (GHashTable) names = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) nodes = g_hash_table_new (NULL, NULL);
  char *now = assay_torch_module_print_named (module, names);

  step->pass = pass;
  step->graph = assay_torch_module_to_graph (module, names, nodes);
  step->fates = find_fates (before != NULL ? before->graph : step->graph, step->graph);
  step->changes = changes;
  /* The program goes, and the names of its operations with it. */
  for (guint i = 0; changes != NULL && i < changes->len; i++)
    {
      AssayTorchChange *change = &g_array_index (changes, AssayTorchChange, i);

      change->name = assay_arena_intern (step->graph->arena, change->name);
    }
  step->is_changed = before != NULL && !g_str_equal (*text, now);
  find_faults (step, module, nodes);
  g_ptr_array_add (self->steps, step);
  g_free (*text);
  *text = now;
}

/**
 * assay_torch_steps_new:
 * @bytes: text of the torch dialect
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Takes a program through all passes and keeps what it is behind each of them. A pass that cannot
 * be carried out is the end of it, with the steps before it.
 *
 * Returns: (transfer full) (nullable): the steps
 */
AssayTorchSteps *
assay_torch_steps_new (GBytes *bytes, const AssayProgress *progress, GError **error)
{
  g_autoptr (AssayTorchModule) module = assay_torch_module_parse (bytes, progress, error);
  g_autoptr (AssayTorchSteps) self = NULL;
  g_autofree char *text = NULL;
  const AssayTorchPass *pass;

  if (module == NULL)
    return NULL;
  if (module->n_ops > MAX_OPS)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "the program has %u operations, and passes are kept for up to %u; "
                   "`assay show --level PASS` writes what it is behind one of them",
                   module->n_ops, MAX_OPS);
      return NULL;
    }

  self = g_new0 (AssayTorchSteps, 1);
  self->steps = g_ptr_array_new_with_free_func (step_free);
  add_step (self, module, NULL, NULL, &text);
  for (guint i = 0; (pass = assay_torch_pass_get (i)) != NULL; i++)
    {
      GArray *changes;

      if (!assay_progress_check (progress, error))
        return NULL;
      assay_progress_report (progress, 0.1 * i, pass->name);
      changes = assay_torch_pass_run (pass, module, progress, &self->error);
      if (changes == NULL)
        {
          if (!assay_progress_is_cancelled (progress))
            break;
          g_propagate_error (error, g_steal_pointer (&self->error));
          return NULL;
        }
      add_step (self, module, pass, changes, &text);
    }

  return g_steal_pointer (&self);
}

/**
 * assay_torch_steps_free:
 * @self: (nullable): steps
 *
 * Frees them.
 */
void
assay_torch_steps_free (AssayTorchSteps *self)
{
  if (self == NULL)
    return;

  g_ptr_array_unref (self->steps);
  g_clear_error (&self->error);
  g_free (self);
}
