/* assay-run-observer.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/assay-run-observer.h"

/**
 * assay_run_observer_wants:
 * @self: (nullable): an observer
 * @value: a value
 *
 * Tells whether an observer asks for a value.
 *
 * Returns: whether it does
 */
gboolean
assay_run_observer_wants (const AssayRunObserver *self, AssayValueId value)
{
  if (self == NULL)
    return FALSE;

  for (guint i = 0; self->values != NULL && i < self->n_values; i++)
    {
      if (self->values[i] == value)
        return TRUE;
    }

  return self->values == NULL;
}
