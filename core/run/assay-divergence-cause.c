/* assay-divergence-cause.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "run/assay-divergence-cause.h"

#include "base/assay-sentence.h"

/**
 * assay_divergence_cause_free:
 * @self: (nullable): a cause
 *
 * Frees a cause.
 */
void
assay_divergence_cause_free (AssayDivergenceCause *self)
{
  if (self == NULL)
    return;

  g_free (self->kind);
  g_free (self->node);
  g_free (self->sentence);
  g_free (self->remedy);
  g_free (self->refusal);
  g_free (self);
}

/**
 * assay_divergence_cause_dup_remedy:
 * @self: a cause
 *
 * Says what of the target does without it, what is left then, and what that costs.
 *
 * Returns: (transfer full): such as `with weights in bf16 0.2 units in the place of 1.2, +14
 * cycles, +28 blocks`, or why nothing does; "" where that was not asked
 */
char *
assay_divergence_cause_dup_remedy (const AssayDivergenceCause *self)
{
  g_autofree char *left = g_strdup_printf ("%.3g", self->remedied);

  if (self->remedy == NULL)
    return g_strdup (self->refusal != NULL ? self->refusal : "");
  if (!self->is_counted)
    return g_strdup_printf ("%s %s unit%s in the place of %.3g; cycles are not counted",
                            self->remedy, left, assay_plural_of (left), self->unremedied);

  return g_strdup_printf ("%s %s unit%s in the place of %.3g, %+" G_GINT64_FORMAT
                          " cycle%s, %+" G_GINT64_FORMAT " block%s",
                          self->remedy, left, assay_plural_of (left), self->unremedied,
                          self->cycles, assay_plural (self->cycles), self->blocks,
                          assay_plural (self->blocks));
}

static gpointer
copy_cause (gconstpointer cause, gpointer user_data)
{
  AssayDivergenceCause *copy = g_memdup2 (cause, sizeof *copy);

  copy->kind = g_strdup (copy->kind);
  copy->node = g_strdup (copy->node);
  copy->sentence = g_strdup (copy->sentence);
  copy->remedy = g_strdup (copy->remedy);
  copy->refusal = g_strdup (copy->refusal);
  return copy;
}

/**
 * assay_divergence_causes_copy: (skip)
 * @causes: (nullable) (element-type AssayDivergenceCause): causes of a row
 *
 * Copies the causes of a row.
 *
 * Returns: (transfer full) (nullable) (element-type AssayDivergenceCause): the copy
 */
GPtrArray *
assay_divergence_causes_copy (GPtrArray *causes)
{
  GPtrArray *copy;

  if (causes == NULL)
    return NULL;
  copy = g_ptr_array_copy (causes, copy_cause, NULL);
  g_ptr_array_set_free_func (copy, (GDestroyNotify) assay_divergence_cause_free);
  return copy;
}
