/* assay-finding.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/assay-finding.h"

/* Enough for any report a person reads; a hostile file can produce millions. */
#define MAX_FINDINGS 10000

struct _AssayFindings
{
  gatomicrefcount ref_count;
  GPtrArray *items;
  guint dropped;
};

G_DEFINE_BOXED_TYPE (AssayFindings, assay_findings, assay_findings_ref, assay_findings_unref)

static void
finding_free (gpointer data)
{
  AssayFinding *self = data;

  g_free (self->rule);
  g_free (self->message);
  g_free (self->graph_path);
  g_free (self->node);
  g_free (self->attribute);
  g_free (self);
}

/**
 * assay_findings_new:
 *
 * Makes an empty list.
 *
 * Returns: (transfer full): the list
 */
AssayFindings *
assay_findings_new (void)
{
  AssayFindings *self = g_new0 (AssayFindings, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->items = g_ptr_array_new_with_free_func (finding_free);

  return self;
}

AssayFindings *
assay_findings_ref (AssayFindings *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
assay_findings_unref (AssayFindings *self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_ptr_array_unref (self->items);
  g_free (self);
}

/**
 * assay_findings_add:
 * @self: (nullable): a list; with %NULL nothing happens
 * @severity: how bad it is
 * @rule: stable id of the kind of finding
 * @graph_path: (nullable): where in the model
 * @node: (nullable): name of the node
 * @attribute: (nullable): name of the attribute
 * @offset: byte in the file, or -1
 * @format: what is wrong, with the value and what was expected
 * @...: arguments of @format
 *
 * Adds a finding; past ten thousand they are only counted.
 */
void
assay_findings_add (AssayFindings *self, AssaySeverity severity, const char *rule,
                    const char *graph_path, const char *node, const char *attribute, gint64 offset,
                    const char *format, ...)
{
  AssayFinding *finding;
  va_list args;

  if (self == NULL)
    return;

  if (self->items->len >= MAX_FINDINGS)
    {
      self->dropped++;
      return;
    }

  finding = g_new0 (AssayFinding, 1);
  finding->severity = severity;
  finding->rule = g_strdup (rule);
  finding->graph_path = g_strdup (graph_path);
  finding->node = g_strdup (node);
  finding->attribute = g_strdup (attribute);
  finding->offset = offset;

  va_start (args, format);
  finding->message = g_strdup_vprintf (format, args);
  va_end (args);

  g_ptr_array_add (self->items, finding);
}

/**
 * assay_findings_append:
 * @self: a list
 * @more: another list
 *
 * Adds what another list has.
 */
void
assay_findings_append (AssayFindings *self, AssayFindings *more)
{
  for (guint i = 0; i < more->items->len; i++)
    {
      const AssayFinding *finding = assay_findings_get (more, i);

      assay_findings_add (self, finding->severity, finding->rule, finding->graph_path,
                          finding->node, finding->attribute, finding->offset, "%s",
                          finding->message);
    }
  self->dropped += more->dropped;
}

/**
 * assay_findings_get_count:
 * @self: a list
 *
 * Gets how many findings are kept.
 *
 * Returns: the number
 */
guint
assay_findings_get_count (AssayFindings *self)
{
  return self->items->len;
}

/**
 * assay_findings_get:
 * @self: a list
 * @index: less than the count
 *
 * Gets one finding.
 *
 * Returns: (transfer none): the finding
 */
const AssayFinding *
assay_findings_get (AssayFindings *self, guint index)
{
  g_return_val_if_fail (index < self->items->len, NULL);

  return g_ptr_array_index (self->items, index);
}

/**
 * assay_findings_get_dropped:
 * @self: a list
 *
 * Gets how many findings were counted but not kept.
 *
 * Returns: the number
 */
guint
assay_findings_get_dropped (AssayFindings *self)
{
  return self->dropped;
}

/**
 * assay_findings_count_at:
 * @self: a list
 * @severity: a severity
 *
 * Counts the kept findings of one severity.
 *
 * Returns: the number
 */
guint
assay_findings_count_at (AssayFindings *self, AssaySeverity severity)
{
  guint n = 0;

  for (guint i = 0; i < self->items->len; i++)
    n += assay_findings_get (self, i)->severity == severity;

  return n;
}

/**
 * assay_severity_name:
 * @severity: a severity
 *
 * Gets the lower-case name: `note`, `warning` or `error`.
 *
 * Returns: (transfer none): the name
 */
const char *
assay_severity_name (AssaySeverity severity)
{
  static const char *const names[] = { "note", "warning", "error" };

  return names[severity];
}
