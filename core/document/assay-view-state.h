/* assay-view-state.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

/**
 * AssayViewState:
 * @page: (nullable): name of the page
 * @selection: (nullable): name of the selected node
 * @filter: verdicts that are shown, as bits `1 << kind`, 0 for all
 * @color_by: (nullable): what bodies of nodes are coloured by
 * @open_scopes: (nullable) (array zero-terminated=1): paths of the scopes that are unfolded; %NULL
 * for those that are at first
 * @zoom: zoom of the graph, 1 for 100 %; 0 for what fits
 * @anchor: (nullable): name of the node whose box is nearest to the middle of the canvas
 * @x: what is in the middle of the canvas, in its units from the middle of that box; from the upper
 * left without one
 * @y: the same, downward
 * @core: core of the memory map
 * @playhead: its step, or -1
 * @pinned: the step that others are held against, or -1
 *
 * Where one looks at a model: what a session file restores and undo leaves alone.
 */
typedef struct
{
  char *page;
  char *selection;
  guint filter;
  char *color_by;
  char **open_scopes;
  double zoom;
  char *anchor;
  double x;
  double y;
  guint core;
  gint64 playhead;
  gint64 pinned;
} AssayViewState;

#define ASSAY_TYPE_VIEW_STATE (assay_view_state_get_type ())

GType assay_view_state_get_type (void) G_GNUC_CONST;
AssayViewState *assay_view_state_new (void) G_GNUC_WARN_UNUSED_RESULT;
AssayViewState *assay_view_state_copy (const AssayViewState *self) G_GNUC_WARN_UNUSED_RESULT;
void assay_view_state_free (AssayViewState *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayViewState, assay_view_state_free)

G_END_DECLS
