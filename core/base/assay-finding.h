/* assay-finding.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

/**
 * AssaySeverity:
 * @ASSAY_SEVERITY_NOTE: worth knowing
 * @ASSAY_SEVERITY_WARNING: probably a mistake; the rest is still right
 * @ASSAY_SEVERITY_ERROR: wrong; what it names could not be used
 */
typedef enum
{
  ASSAY_SEVERITY_NOTE,
  ASSAY_SEVERITY_WARNING,
  ASSAY_SEVERITY_ERROR,
} AssaySeverity;

/**
 * AssayFinding:
 * @severity: how bad it is
 * @rule: stable id, such as `import.duplicate-name`
 * @message: what is wrong, with the value and what was expected
 * @graph_path: (nullable): where, such as `graph/node[7]:If/then_branch`
 * @node: (nullable): name of the node
 * @attribute: (nullable): name of the attribute
 * @offset: byte in the file, or -1
 *
 * One thing found in an input; there can be many, and the rest of the input still opens.
 */
typedef struct
{
  AssaySeverity severity;
  char *rule;
  char *message;
  char *graph_path;
  char *node;
  char *attribute;
  gint64 offset;
} AssayFinding;

/**
 * AssayFindings:
 *
 * A list of findings, in the order they were found, bounded so that a hostile file cannot fill the
 * memory.
 */
typedef struct _AssayFindings AssayFindings;

#define ASSAY_TYPE_FINDINGS (assay_findings_get_type ())

GType assay_findings_get_type (void) G_GNUC_CONST;
AssayFindings *assay_findings_new (void) G_GNUC_WARN_UNUSED_RESULT;
AssayFindings *assay_findings_ref (AssayFindings *self);
void assay_findings_unref (AssayFindings *self);
void assay_findings_add (AssayFindings *self, AssaySeverity severity, const char *rule,
                         const char *graph_path, const char *node, const char *attribute,
                         gint64 offset, const char *format, ...) G_GNUC_PRINTF (8, 9);
void assay_findings_append (AssayFindings *self, AssayFindings *more);
guint assay_findings_get_count (AssayFindings *self);
const AssayFinding *assay_findings_get (AssayFindings *self, guint index);
guint assay_findings_get_dropped (AssayFindings *self);
guint assay_findings_count_at (AssayFindings *self, AssaySeverity severity);
const char *assay_severity_name (AssaySeverity severity);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayFindings, assay_findings_unref)

G_END_DECLS
