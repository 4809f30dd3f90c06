/* assay-session-policy.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What was found and is accepted, each with a reason: a policy file beside the model, which `assay
 * check` can obey.
 */
#include "report/assay-policy.h"
#include "session/assay-session-private.h"

#define FILE_NAME "assay-policy.json"

char *
assay_session_find_policy (const char *model)
{
  g_autofree char *folder = g_path_get_dirname (model);

  return g_build_filename (folder, FILE_NAME, NULL);
}

static const AssayPolicyEntry *
match_node (AssayPolicy *policy, AssayFindingItem *item, AssayVerdicts *verdicts, guint index,
            GDateTime *today)
{
  AssayNodeId id = g_array_index (assay_finding_item_get_nodes (item), AssayNodeId, index);
  const AssayNode *node = assay_graph_node (verdicts->graph, id);
  AssayPolicySubject subject = { assay_finding_item_get_rule (item), node->op_type, node->name,
                                 verdicts->target_id };

  return assay_policy_match (policy, &subject, today);
}

/* Why the policy accepts all nodes of a finding, or NULL if it does not. */
static const char *
find_reason (AssayPolicy *policy, AssayFindingItem *item, AssayVerdicts *verdicts, GDateTime *today)
{
  GArray *nodes = assay_finding_item_get_nodes (item);
  const char *reason = NULL;

  for (guint i = 0; i < nodes->len; i++)
    {
      const AssayPolicyEntry *entry = match_node (policy, item, verdicts, i, today);

      if (entry == NULL)
        return NULL;
      if (reason == NULL)
        reason = entry->reason;
    }

  return reason;
}

/* Marks what is accepted; runs in a worker. */
gboolean
assay_session_accept_items (GPtrArray *items, AssayVerdicts *verdicts, const char *path,
                            GError **error)
{
  g_autoptr (AssayPolicy) policy = NULL;
  g_autoptr (GDateTime) today = g_date_time_new_now_local ();

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return TRUE;

  policy = assay_policy_load (path, error);
  if (policy == NULL)
    return FALSE;

  for (guint i = 0; i < items->len; i++)
    {
      AssayFindingItem *item = g_ptr_array_index (items, i);

      if (assay_finding_item_get_rule (item) != NULL)
        assay_finding_item_set_accepted (item, find_reason (policy, item, verdicts, today));
    }

  return TRUE;
}

/**
 * assay_session_accept_finding:
 * @self: a session with a model
 * @finding: position of a finding
 * @reason: why it is accepted, not empty
 * @error: return location for a #GError
 *
 * Writes into the policy file beside the model that a finding is accepted, and checks the model
 * again.
 *
 * Returns: whether it is written
 */
gboolean
assay_session_accept_finding (AssaySession *self, int finding, const char *reason, GError **error)
{
  g_autofree char *path = assay_session_find_policy (assay_document_get_path (self->document));
  g_autoptr (AssayFindingItem) item = NULL;
  g_autoptr (AssayPolicy) policy = NULL;
  AssayPolicyEntry entry = { NULL };
  const AssayNode *node;
  GArray *nodes;

  g_return_val_if_fail (ASSAY_IS_SESSION (self), FALSE);

  item = g_list_model_get_item (G_LIST_MODEL (self->items), (guint) finding);
  g_return_val_if_fail (item != NULL && assay_finding_item_get_rule (item) != NULL, FALSE);

  policy = g_file_test (path, G_FILE_TEST_EXISTS) ? assay_policy_load (path, error)
                                                  : assay_policy_new ();
  if (policy == NULL)
    return FALSE;

  /* Of a single node its name, so that nothing else is accepted with it. */
  nodes = assay_finding_item_get_nodes (item);
  node = nodes->len > 0
             ? assay_graph_node (self->verdicts->graph, g_array_index (nodes, AssayNodeId, 0))
             : NULL;
  entry.rule = (char *) assay_finding_item_get_rule (item);
  entry.node = nodes->len == 1 && *node->name != '\0' ? (char *) node->name : NULL;
  entry.target = self->verdicts->target_id != NULL ? (char *) self->verdicts->target_id : NULL;
  entry.reason = (char *) reason;
  if (!assay_policy_add (policy, &entry, error) || !assay_policy_save (policy, path, error))
    return FALSE;

  assay_session_start_work (self, ASSAY_WORK_CHECK);
  return TRUE;
}

/**
 * assay_session_withdraw_finding:
 * @self: a session with a model
 * @finding: position of a finding that is accepted
 * @error: return location for a #GError
 *
 * Takes out of the policy file beside the model whatever accepts a node of a finding, and checks
 * the model again.
 *
 * Returns: whether it is written
 */
gboolean
assay_session_withdraw_finding (AssaySession *self, int finding, GError **error)
{
  g_autofree char *path = assay_session_find_policy (assay_document_get_path (self->document));
  g_autoptr (AssayFindingItem) item = NULL;
  g_autoptr (AssayPolicy) policy = NULL;
  g_autoptr (GDateTime) today = g_date_time_new_now_local ();

  g_return_val_if_fail (ASSAY_IS_SESSION (self), FALSE);

  item = g_list_model_get_item (G_LIST_MODEL (self->items), (guint) finding);
  g_return_val_if_fail (item != NULL && assay_finding_item_get_accepted (item) != NULL, FALSE);

  policy = assay_policy_load (path, error);
  if (policy == NULL)
    return FALSE;

  for (guint i = 0; i < assay_finding_item_get_nodes (item)->len; i++)
    {
      const AssayPolicyEntry *entry;

      while ((entry = match_node (policy, item, self->verdicts, i, today)) != NULL)
        assay_policy_remove (policy, entry);
    }
  if (!assay_policy_save (policy, path, error))
    return FALSE;

  assay_session_start_work (self, ASSAY_WORK_CHECK);
  return TRUE;
}
