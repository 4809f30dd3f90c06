/* assay-choices.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-finding.h"
#include "nnir/assay-graph.h"
#include "settings/assay-settings.h"
#include "backend/assay-config.h"

G_BEGIN_DECLS

/**
 * AssayChoice:
 * @fp32: whether its result is kept in fp32
 * @cores: the cores that its rows are divided over, a bit each; 0 if that is not chosen
 *
 * What the user wants of one node.
 */
typedef struct
{
  gboolean fp32;
  guint64 cores;
} AssayChoice;

/**
 * AssayChoices:
 *
 * What the user wants of single nodes and inputs of a graph.
 */
typedef struct _AssayChoices AssayChoices;

AssayChoices *assay_choices_new (const AssayGraph *graph, const AssayConfigValues *config,
                                 const AssaySettings *settings, AssayFindings *findings,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_choices_free (AssayChoices *self);
const AssayChoice *assay_choices_get (const AssayChoices *self, AssayNodeId node);
gboolean assay_choices_keeps_input (const AssayChoices *self, AssayValueId input);
gboolean assay_choices_knows (const AssayGraph *graph, const char *name);
gboolean assay_choices_parse_cores (const char *text, guint num_cores, guint64 *cores,
                                    GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayChoices, assay_choices_free)

G_END_DECLS
