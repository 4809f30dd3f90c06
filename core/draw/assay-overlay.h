/* assay-overlay.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "draw/assay-colors.h"
#include "backend/assay-program.h"
#include "run/assay-divergence.h"
#include "target/assay-verdict.h"

G_BEGIN_DECLS

/**
 * AssayOverlayKind:
 * @ASSAY_OVERLAY_VERDICT: nothing more than the verdicts
 * @ASSAY_OVERLAY_ENGINE: what executes a node
 * @ASSAY_OVERLAY_CORE: the core of a program that computes most of a node
 * @ASSAY_OVERLAY_CYCLES: how long the units of a program are busy with a node
 * @ASSAY_OVERLAY_BYTES: the size of what a node makes
 * @ASSAY_OVERLAY_ERROR: what the difference of a node is in a comparison, and its own error over
 * its limit
 * @ASSAY_OVERLAY_SCOPE: the part of the model that a node is in
 * @ASSAY_OVERLAY_FILE: what a file from outside says of nodes
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
  ASSAY_OVERLAY_ERROR,
  ASSAY_OVERLAY_SCOPE,
  ASSAY_OVERLAY_FILE,
  ASSAY_N_OVERLAYS
} AssayOverlayKind;

/* Steps of a scale, and groups that have a colour of their own; further ones share the last. */
#define ASSAY_OVERLAY_STEPS 5
#define ASSAY_OVERLAY_GROUPS 6

/**
 * AssayOverlay:
 * @kind: what it shows
 * @title: what stands over its legend
 * @unit: what its numbers count, "" for nothing
 * @is_scale: whether its steps are sizes and not groups
 * @step_of_node: per node its step plus one, 0 for none
 * @text_of_node: (element-type utf8): per node what is written into it, or %NULL
 * @value_of_node: (nullable): per node its size on a scale, NAN for none
 * @labels: (element-type utf8): per step what it stands for, for the legend
 *
 * Colours for the bodies of nodes, with numbers or letters so that no colour has to be told apart.
 */
typedef struct
{
  AssayOverlayKind kind;
  char *title;
  char *unit;
  gboolean is_scale;
  guint8 *step_of_node;
  GPtrArray *text_of_node;
  double *value_of_node;
  GPtrArray *labels;
} AssayOverlay;

/**
 * AssayOverlaySource:
 * @verdicts: a checked graph
 * @program: (nullable): its program, which cores and cycles come from
 * @comparison: (nullable): two runs of it, which errors come from
 *
 * What is known of a graph.
 */
typedef struct
{
  const AssayVerdicts *verdicts;
  AssayProgram *program;
  const AssayComparison *comparison;
} AssayOverlaySource;

AssayOverlay *assay_overlay_new (AssayOverlayKind kind,
                                 const AssayOverlaySource *source) G_GNUC_WARN_UNUSED_RESULT;
AssayOverlay *assay_overlay_new_values (const char *title, const char *unit, const double *values,
                                        guint32 n) G_GNUC_WARN_UNUSED_RESULT;
AssayOverlay *assay_overlay_new_groups (const char *title, const char *const *names,
                                        guint32 n) G_GNUC_WARN_UNUSED_RESULT;
void assay_overlay_free (AssayOverlay *self);
gboolean assay_overlay_has_sums (const AssayOverlay *self);
char *assay_overlay_describe (const AssayOverlay *self, guint32 node) G_GNUC_WARN_UNUSED_RESULT;
char *assay_overlay_format_sum (const AssayOverlay *self, double sum) G_GNUC_WARN_UNUSED_RESULT;
const char *assay_overlay_get_missing (AssayOverlayKind kind, const AssayOverlaySource *source);
char *assay_overlay_dup_share (double share) G_GNUC_WARN_UNUSED_RESULT;
AssayRole assay_overlay_get_role (const AssayOverlay *self, guint step);
guint32 *assay_overlay_find_nodes (const AssayVerdicts *verdicts,
                                   AssayProgram *program) G_GNUC_WARN_UNUSED_RESULT;
const char *assay_overlay_kind_name (AssayOverlayKind kind);
const char *assay_overlay_kind_word (AssayOverlayKind kind);
const char *assay_overlay_kind_title (AssayOverlayKind kind);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayOverlay, assay_overlay_free)

G_END_DECLS
