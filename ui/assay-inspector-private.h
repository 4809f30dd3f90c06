/* assay-inspector-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "ui/assay-property-list.h"
#include "ui/assay-inspector.h"

G_BEGIN_DECLS

/* Rows of one group; a Concat of a thousand inputs must not make a thousand widgets. */
#define ASSAY_INSPECTOR_ROWS 24

/* How the names of buttons begin that are pressed again and again while the rows change. */
#define ASSAY_INSPECTOR_STEP "step-"

AssayPropertyList *_assay_inspector_begin (GtkBox *groups, const char *title);
void _assay_inspector_end (GtkBox *groups, AssayPropertyList *list);
void _assay_inspector_add_more (AssayPropertyList *list, guint n);
void _assay_inspector_add_count (AssayPropertyList *list, const char *name, guint64 count);
void _assay_inspector_add_origins (GtkBox *groups, AssaySession *session, AssayNodeId node);
void _assay_inspector_add_program (GtkBox *groups, AssaySession *session, AssayNodeId node);
void _assay_inspector_add_error (GtkBox *groups, AssaySession *session, AssayNodeId node);
void _assay_inspector_add_weights (GtkBox *groups, AssaySession *session, AssayNodeId node);
void _assay_inspector_add_blocks (GtkBox *groups, AssaySession *session, AssayNodeId node);
void _assay_inspector_add_notes (GtkBox *groups, AssaySession *session);
void _assay_inspector_add_sums (GtkBox *groups, AssaySession *session);

G_END_DECLS
