/* assay-view-state.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "document/assay-view-state.h"

G_DEFINE_BOXED_TYPE (AssayViewState, assay_view_state, assay_view_state_copy, assay_view_state_free)

/**
 * assay_view_state_new:
 *
 * Makes the state of a model that was just opened.
 *
 * Returns: (transfer full): the state
 */
AssayViewState *
assay_view_state_new (void)
{
  AssayViewState *self = g_new0 (AssayViewState, 1);

  self->playhead = -1;
  self->pinned = -1;
  return self;
}

/**
 * assay_view_state_copy:
 * @self: a state
 *
 * Copies a state.
 *
 * Returns: (transfer full): the copy
 */
AssayViewState *
assay_view_state_copy (const AssayViewState *self)
{
  AssayViewState *copy = g_memdup2 (self, sizeof *self);

  copy->page = g_strdup (self->page);
  copy->selection = g_strdup (self->selection);
  copy->color_by = g_strdup (self->color_by);
  copy->open_scopes = g_strdupv (self->open_scopes);
  copy->anchor = g_strdup (self->anchor);
  return copy;
}

/**
 * assay_view_state_free:
 * @self: (nullable): a state
 *
 * Frees a state.
 */
void
assay_view_state_free (AssayViewState *self)
{
  if (self == NULL)
    return;

  g_free (self->page);
  g_free (self->selection);
  g_free (self->color_by);
  g_strfreev (self->open_scopes);
  g_free (self->anchor);
  g_free (self);
}
