/* assay-overlay.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "draw/assay-colors.h"
#include "machine/assay-program.h"
#include "target/assay-verdict.h"

G_BEGIN_DECLS

/**
 * AssayOverlayKind:
 * @ASSAY_OVERLAY_VERDICT: nothing more than the verdicts
 * @ASSAY_OVERLAY_ENGINE: what executes a node
 * @ASSAY_OVERLAY_CORE: the core of a program that computes most of a node
 * @ASSAY_OVERLAY_CYCLES: how long the units of a program are busy with a node
 * @ASSAY_OVERLAY_BYTES: the size of what a node makes
 * @ASSAY_OVERLAY_SCOPE: the part of the model that a node is in
 *
 * What the bodies of nodes are coloured by.
 */
typedef enum
{
  ASSAY_OVERLAY_VERDICT,
  ASSAY_OVERLAY_ENGINE,
  ASSAY_OVERLAY_CORE,
  ASSAY_OVERLAY_CYCLES,
  ASSAY_OVERLAY_BYTES,
  ASSAY_OVERLAY_SCOPE,
  ASSAY_N_OVERLAYS
} AssayOverlayKind;

/* Steps of a scale, and groups that have a colour of their own; further ones share the last. */
#define ASSAY_OVERLAY_STEPS 5
#define ASSAY_OVERLAY_GROUPS 6

/**
 * AssayOverlay:
 * @kind: what it shows
 * @is_scale: whether its steps are sizes and not groups
 * @step_of_node: per node its step plus one, 0 for none
 * @text_of_node: (element-type utf8): per node what is written into it, or %NULL
 * @labels: (element-type utf8): per step what it stands for, for the legend
 *
 * Colours for the bodies of nodes, with numbers or letters so that no colour has to be told apart.
 */
typedef struct
{
  AssayOverlayKind kind;
  gboolean is_scale;
  guint8 *step_of_node;
  GPtrArray *text_of_node;
  GPtrArray *labels;
} AssayOverlay;

AssayOverlay *assay_overlay_new       (AssayOverlayKind     kind,
                                       const AssayVerdicts *verdicts,
                                       const AssayCode     *code) G_GNUC_WARN_UNUSED_RESULT;
void          assay_overlay_free      (AssayOverlay        *self);
AssayRole     assay_overlay_get_role  (const AssayOverlay  *self,
                                       guint                step);
const char   *assay_overlay_kind_name (AssayOverlayKind     kind);
const char   *assay_overlay_kind_word (AssayOverlayKind     kind);
const char   *assay_overlay_get_title (const AssayOverlay  *self);
const char   *assay_overlay_kind_title
                                      (AssayOverlayKind     kind);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayOverlay, assay_overlay_free)

G_END_DECLS
