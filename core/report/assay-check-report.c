/* assay-check-report.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/assay-check-report.h"

static void
add_row (AssayCheckReport *self, AssayCheckRow row)
{
  g_array_append_val (self->rows, row);
}

static void
add_node (AssayCheckReport *self, AssayNodeId id)
{
  AssayGraph *graph = self->verdicts->graph;
  const AssayNode *node = assay_graph_node (graph, id);
  const AssayVerdict *verdict = assay_verdicts_get (self->verdicts, id);

  add_row (self, (AssayCheckRow){
                     .name = node->name,
                     .op_type = node->op_type,
                     .kind = verdict->kind,
                     .node = id,
                     .verdict = verdict,
                     .into = verdict->into != ASSAY_NO_NODE
                                 ? assay_graph_node (graph, verdict->into)->name
                                 : NULL,
                     .rule = verdict->rule,
                 });
}

static void
add_absorbed (AssayCheckReport *self, const AssayAbsorbed *absorbed)
{
  AssayGraph *graph = self->verdicts->graph;
  const AssayOrigin *origin = &g_array_index (graph->origins, AssayOrigin, absorbed->origin);
  const char *name = origin->name;

  if (name == NULL || name[0] == 0)
    {
      g_autofree char *path = g_strdup_printf ("%s/node[%u]:%s", origin->path, origin->index,
                                               origin->op_type);

      name = g_string_chunk_insert (self->strings, path);
    }

  add_row (self, (AssayCheckRow){
                     .name = name,
                     .op_type = origin->op_type,
                     .kind = absorbed->kind,
                     .into = absorbed->into != ASSAY_NO_NODE
                                 ? assay_graph_node (graph, absorbed->into)->name
                                 : NULL,
                     .rule = absorbed->rule,
                 });
}

/**
 * assay_check_report_new:
 * @model: path of the model as the user gave it
 * @target: what it was checked against
 * @verdicts: the result of the check
 * @findings: (nullable): what the importer found
 *
 * Gathers what a check found, so that every format tells the same.
 *
 * Returns: (transfer full): the report
 */
AssayCheckReport *
assay_check_report_new (const char *model, AssayTarget *target, AssayVerdicts *verdicts,
                        AssayFindings *findings)
{
  AssayCheckReport *self = g_new0 (AssayCheckReport, 1);

  self->model = g_strdup (model);
  self->target = assay_target_ref (target);
  self->verdicts = assay_verdicts_ref (verdicts);
  self->findings = findings != NULL ? assay_findings_ref (findings) : assay_findings_new ();
  self->rows = g_array_sized_new (FALSE, FALSE, sizeof (AssayCheckRow),
                                  assay_graph_n_nodes (verdicts->graph) + verdicts->absorbed->len);
  self->strings = g_string_chunk_new (1024);

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (verdicts->graph); id++)
    add_node (self, id);
  for (guint i = 0; i < verdicts->absorbed->len; i++)
    add_absorbed (self, &g_array_index (verdicts->absorbed, AssayAbsorbed, i));
  for (guint i = 0; i < ASSAY_N_VERDICTS; i++)
    self->counts[i] = assay_verdicts_count (verdicts, i);

  return self;
}

/**
 * assay_check_report_free:
 * @self: (nullable): a report
 *
 * Frees a report.
 */
void
assay_check_report_free (AssayCheckReport *self)
{
  if (self == NULL)
    return;

  g_clear_pointer (&self->policy, assay_policy_unref);
  g_clear_pointer (&self->accepted_findings, g_ptr_array_unref);
  g_free (self->n_used);
  g_string_chunk_free (self->strings);
  g_array_unref (self->rows);
  assay_findings_unref (self->findings);
  assay_verdicts_unref (self->verdicts);
  assay_target_unref (self->target);
  g_free (self->model);
  g_free (self);
}

/* What a policy can accept: verdicts that somebody has to look at. */
static gboolean
needs_someone (const AssayCheckRow *row)
{
  return row->verdict != NULL && row->kind <= ASSAY_VERDICT_UNDECIDED;
}

/* Finds the entry that accepts something, and notes for all that speak of it that they do. */
static const AssayPolicyEntry *
find_entry (AssayCheckReport *self, const AssayPolicySubject *subject, GDateTime *today)
{
  const AssayPolicyEntry *found = NULL;

  for (guint i = 0; i < assay_policy_get_n_entries (self->policy); i++)
    {
      const AssayPolicyEntry *entry = assay_policy_get_entry (self->policy, i);

      if (!assay_policy_entry_matches (entry, subject))
        continue;
      self->n_used[i]++;
      if (found == NULL && !assay_policy_entry_is_expired (entry, today))
        found = entry;
    }

  return found;
}

static void
report_entries (AssayCheckReport *self, GDateTime *today)
{
  const char *name = assay_policy_get_name (self->policy);
  const char *target = assay_target_get_id (self->target);

  for (guint i = 0; i < assay_policy_get_n_entries (self->policy); i++)
    {
      const AssayPolicyEntry *entry = assay_policy_get_entry (self->policy, i);
      g_autofree char *what = assay_policy_entry_describe (entry);
      g_autofree char *place = g_strdup_printf ("%s:%u", name != NULL ? name : "policy",
                                                entry->line);

      if (entry->target != NULL && g_strcmp0 (entry->target, target) != 0)
        continue;
      if (self->n_used[i] == 0)
        assay_findings_add (self->findings, ASSAY_SEVERITY_WARNING, "policy.stale", place, NULL,
                            NULL, -1, "%s: the entry for %s matches nothing; remove it", place,
                            what);
      else if (assay_policy_entry_is_expired (entry, today))
        assay_findings_add (self->findings, ASSAY_SEVERITY_WARNING, "policy.expired", place, NULL,
                            NULL, -1, "%s: the entry for %s expired on %s; look at it again", place,
                            what, entry->expires);
    }
}

/**
 * assay_check_report_accept:
 * @self: a report without a policy
 * @policy: what is accepted
 * @today: a time of the day that counts
 *
 * Lets a report tell what is accepted, and no longer fail for it. Entries that match nothing and
 * entries that have expired become findings.
 */
void
assay_check_report_accept (AssayCheckReport *self, AssayPolicy *policy, GDateTime *today)
{
  const char *target = assay_target_get_id (self->target);
  guint n_findings = assay_findings_get_count (self->findings);

  g_return_if_fail (self->policy == NULL);

  self->policy = assay_policy_ref (policy);
  self->n_used = g_new0 (guint, assay_policy_get_n_entries (policy) + 1);
  self->accepted_findings = g_ptr_array_new ();

  for (guint i = 0; i < self->rows->len; i++)
    {
      AssayCheckRow *row = &g_array_index (self->rows, AssayCheckRow, i);
      const AssayPolicySubject subject = { row->rule, row->op_type, row->name, target };

      if (!needs_someone (row))
        continue;
      row->accepted = find_entry (self, &subject, today);
      self->accepted[row->kind] += row->accepted != NULL;
    }

  for (guint i = 0; i < n_findings; i++)
    {
      const AssayFinding *finding = assay_findings_get (self->findings, i);
      const AssayPolicySubject subject = { finding->rule, NULL, finding->node, target };
      const AssayPolicyEntry *entry = find_entry (self, &subject, today);

      g_ptr_array_add (self->accepted_findings, (gpointer) entry);
      self->n_accepted_errors += entry != NULL && finding->severity == ASSAY_SEVERITY_ERROR;
    }
  report_entries (self, today);
}

/**
 * assay_check_report_accepted:
 * @self: a report
 *
 * Counts the nodes that are accepted.
 *
 * Returns: the number
 */
guint
assay_check_report_accepted (const AssayCheckReport *self)
{
  guint n = 0;

  for (guint i = 0; i < ASSAY_N_VERDICTS; i++)
    n += self->accepted[i];

  return n;
}

/**
 * assay_check_report_accepts:
 * @self: a report
 * @finding: index of a finding
 *
 * Finds the entry of the policy that accepts a finding.
 *
 * Returns: (transfer none) (nullable): the entry
 */
const AssayPolicyEntry *
assay_check_report_accepts (const AssayCheckReport *self, guint finding)
{
  if (self->accepted_findings == NULL || finding >= self->accepted_findings->len)
    return NULL;

  return g_ptr_array_index (self->accepted_findings, finding);
}

/**
 * assay_check_report_is_clean:
 * @self: a report
 *
 * Tells whether nothing needs the user: no node is rejected or undecided, and no finding is an
 * error, or a policy accepts them. Work that is left to the host is reported, and is no reason to
 * fail.
 *
 * Returns: whether the model is clean
 */
gboolean
assay_check_report_is_clean (const AssayCheckReport *self)
{
  return self->counts[ASSAY_VERDICT_REJECTED] == self->accepted[ASSAY_VERDICT_REJECTED] &&
         self->counts[ASSAY_VERDICT_UNDECIDED] == self->accepted[ASSAY_VERDICT_UNDECIDED] &&
         assay_findings_count_at (self->findings, ASSAY_SEVERITY_ERROR) == self->n_accepted_errors;
}
