/* assay-inspector-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "ui/inspector/assay-property-list.h"
#include "ui/inspector/assay-inspector.h"

G_BEGIN_DECLS

/* Rows of one group; a Concat of a thousand inputs must not make a thousand widgets. */
#define ASSAY_INSPECTOR_ROWS 24

/* How the names of buttons begin that are pressed again and again while the rows change. */
#define ASSAY_INSPECTOR_STEP "step-"

AssayPropertyList *assay_inspector_begin (GtkBox *groups, const char *title);
void assay_inspector_end (GtkBox *groups, AssayPropertyList *list);
void assay_inspector_add_more (AssayPropertyList *list, guint n);
void assay_inspector_add_count (AssayPropertyList *list, const char *name, guint64 count);
void assay_inspector_add_origins (GtkBox *groups, AssaySession *session, AssayNodeId node);
void assay_inspector_add_program (GtkBox *groups, AssaySession *session, AssayNodeId node);
void assay_inspector_add_error (GtkBox *groups, AssaySession *session, AssayNodeId node);
void assay_inspector_add_weights (GtkBox *groups, AssaySession *session, AssayNodeId node);
void assay_inspector_add_blocks (GtkBox *groups, AssaySession *session, AssayNodeId node);
void assay_inspector_add_notes (GtkBox *groups, AssaySession *session);
void assay_inspector_add_sums (GtkBox *groups, AssaySession *session);

G_END_DECLS
