/* assay-canvas-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "ui/assay-canvas.h"
#include "ui/assay-painter.h"
#include "ui/assay-palette.h"

G_BEGIN_DECLS

struct _AssayCanvas
{
  GtkWidget parent_instance;

  AssayVerdicts *verdicts;
  guint selection;
  guint hover;
  guint filter;
  double zoom;
  GArray *hits; /* AssayNodeId */

  GtkAdjustment *hadjustment;
  GtkAdjustment *vadjustment;
  guint hscroll_policy : 1;
  guint vscroll_policy : 1;

  GSimpleActionGroup *actions;
};

G_END_DECLS
