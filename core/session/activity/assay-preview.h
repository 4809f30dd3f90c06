/* assay-preview.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib-object.h>

#include "fix/assay-fix-suggest.h"

G_BEGIN_DECLS

/**
 * AssayPreviewSide:
 * @rejected: nodes that the target rejects, or -1 if that is not known yet
 * @undecided: nodes that lack a shape or value
 * @peak: blocks of the main store in use at its fullest, or -1 if there is no program
 * @depth: blocks that the store has
 * @cycles: cycles of one inference, or -1
 *
 * What a model comes to on one side of a fix.
 */
typedef struct
{
  gint64 rejected;
  gint64 undecided;
  gint64 peak;
  gint64 depth;
  gint64 cycles;
} AssayPreviewSide;

/**
 * AssayPreview:
 *
 * A fix that is looked at before it is applied: the session shows the model after it or before it,
 * as often as is wanted, and no change is recorded until it is applied. What is changed meanwhile
 * is changed on what is seen, which ends the preview.
 *
 * Properties: `active`. Signals: `changed`, when another side is shown or more is known of one.
 */
#define ASSAY_TYPE_PREVIEW (assay_preview_get_type ())

G_DECLARE_FINAL_TYPE (AssayPreview, assay_preview, ASSAY, PREVIEW, GObject)

void assay_preview_start (AssayPreview *self, const AssayFixOffer *offer, GPtrArray *fixes);
void assay_preview_show (AssayPreview *self, gboolean after);
void assay_preview_apply (AssayPreview *self);
void assay_preview_back (AssayPreview *self);
gboolean assay_preview_get_active (AssayPreview *self);
gboolean assay_preview_get_after (AssayPreview *self);
const char *assay_preview_get_title (AssayPreview *self);
const AssayPreviewSide *assay_preview_get_side (AssayPreview *self, gboolean after);
char *assay_preview_dup_text (AssayPreview *self) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
