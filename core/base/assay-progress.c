/* assay-progress.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/assay-progress.h"

#include "base/assay-error.h"

/**
 * assay_progress_report:
 * @self: (nullable): a sink
 * @fraction: how much of this part is done, 0 to 1
 * @message: (nullable): what is being done
 *
 * Reports progress within the part of the work that the sink stands for.
 */
void
assay_progress_report (const AssayProgress *self, double fraction, const char *message)
{
  if (self == NULL || self->func == NULL)
    return;

  self->func (self->begin + (self->end - self->begin) * CLAMP (fraction, 0.0, 1.0), message,
              self->user_data);
}

/**
 * assay_progress_check:
 * @self: (nullable): a sink
 * @error: return location for a #GError
 *
 * Fails with %ASSAY_ERROR_CANCELLED if the user has asked to stop; cheap enough for every few
 * thousand items.
 *
 * Returns: whether to go on
 */
gboolean
assay_progress_check (const AssayProgress *self, GError **error)
{
  if (!assay_progress_is_cancelled (self))
    return TRUE;

  g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED, "Cancelled");
  return FALSE;
}

/**
 * assay_progress_is_cancelled:
 * @self: (nullable): a sink
 *
 * Tells whether the user has asked to stop.
 *
 * Returns: whether to stop
 */
gboolean
assay_progress_is_cancelled (const AssayProgress *self)
{
  return self != NULL && g_cancellable_is_cancelled (self->cancellable);
}

/**
 * assay_progress_part:
 * @self: (nullable): a sink
 * @begin: where the part begins, 0 to 1
 * @end: where it ends
 *
 * Makes the sink for a part of the work, so that each stage reports 0 to 1.
 *
 * Returns: the sink for the part
 */
AssayProgress
assay_progress_part (const AssayProgress *self, double begin, double end)
{
  AssayProgress part = { 0 };

  if (self == NULL)
    return part;

  part = *self;
  part.begin = self->begin + (self->end - self->begin) * begin;
  part.end = self->begin + (self->end - self->begin) * end;

  return part;
}
