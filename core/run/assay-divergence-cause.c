/* assay-divergence-cause.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "run/assay-divergence-cause.h"

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
  g_free (self);
}

static gpointer
copy_cause (gconstpointer cause, gpointer user_data)
{
  AssayDivergenceCause *copy = g_memdup2 (cause, sizeof *copy);

  copy->kind = g_strdup (copy->kind);
  copy->node = g_strdup (copy->node);
  copy->sentence = g_strdup (copy->sentence);
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
