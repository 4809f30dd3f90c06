/* assay-report-object.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "api/assay-report-private.h"

#include "report/assay-target-report.h"

struct _AssayReport
{
  GObject parent_instance;

  char *json;
  char *text;
  gboolean clean;
};

G_DEFINE_FINAL_TYPE (AssayReport, assay_report, G_TYPE_OBJECT)

static void
assay_report_finalize (GObject *object)
{
  AssayReport *self = ASSAY_REPORT (object);

  g_free (self->json);
  g_free (self->text);

  G_OBJECT_CLASS (assay_report_parent_class)->finalize (object);
}

static void
assay_report_class_init (AssayReportClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = assay_report_finalize;
}

static void
assay_report_init (AssayReport *self)
{
}

/**
 * assay_report_new: (skip)
 * @json: (transfer full): the document
 * @text: (transfer full): the same for people
 * @clean: whether it says that all is well
 *
 * Makes a report.
 *
 * Returns: (transfer full): the report
 */
AssayReport *
assay_report_new (char *json, char *text, gboolean clean)
{
  AssayReport *self = g_object_new (ASSAY_TYPE_REPORT, NULL);

  self->json = json;
  self->text = text;
  self->clean = clean;

  return self;
}

/**
 * assay_report_get_json:
 * @self: a report
 *
 * Gets the document that the command writes with `--json`.
 *
 * Returns: (transfer none): one JSON object
 */
const char *
assay_report_get_json (AssayReport *self)
{
  g_return_val_if_fail (ASSAY_IS_REPORT (self), NULL);

  return self->json != NULL ? self->json : "{}";
}

/**
 * assay_report_get_text:
 * @self: a report
 *
 * Gets the lines that the command prints.
 *
 * Returns: (transfer none): the text
 */
const char *
assay_report_get_text (AssayReport *self)
{
  g_return_val_if_fail (ASSAY_IS_REPORT (self), NULL);

  return self->text != NULL ? self->text : "";
}

/**
 * assay_report_is_clean:
 * @self: a report
 *
 * Tells whether the command would end with status 0.
 *
 * Returns: whether all is well
 */
gboolean
assay_report_is_clean (AssayReport *self)
{
  g_return_val_if_fail (ASSAY_IS_REPORT (self), FALSE);

  return self->clean;
}

/**
 * assay_list_targets:
 * @error: return location for a #GError
 *
 * Lists the targets that ship.
 *
 * Returns: (transfer full): a document of the schema `assay.targets/1`
 */
AssayReport *
assay_list_targets (GError **error)
{
  g_autoptr (GPtrArray) targets = assay_target_report_load (error);
  char *json;
  gsize length;

  if (targets == NULL)
    return NULL;
  json = assay_target_report_to_json (targets, &length);

  return assay_report_new (json, assay_target_report_to_text (targets, FALSE, &length), TRUE);
}
