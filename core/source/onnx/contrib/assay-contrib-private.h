/* assay-contrib-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "source/onnx/assay-upgrade-private.h"

G_BEGIN_DECLS

/* Puts what the node of the context is made of in its place. A rule decides first and changes
 * nothing before; %FALSE leaves the node as it is, to come again if it asked for a type. */
typedef gboolean (*ContribFunc) (UpgradeContext *self);

ContribFunc contrib_find (const AssayNode *node);
gboolean contrib_try (UpgradeContext *self);

/* assay-contrib-aten.c */
gboolean contrib_aten (UpgradeContext *self);
AssayGraph *contrib_extract (UpgradeContext *self) G_GNUC_WARN_UNUSED_RESULT;
void contrib_keep_call (UpgradeContext *self, AssayGraph *call);

/* assay-contrib-node.c: what rules ask and make */
gint64 contrib_int (UpgradeContext *self, const char *name, gint64 fallback);
double contrib_float (UpgradeContext *self, const char *name, double fallback);
const char *contrib_string (UpgradeContext *self, const char *name, const char *fallback);
gboolean contrib_refuse (UpgradeContext *self, const char *attribute, const char *why);
const AssayType *contrib_type (UpgradeContext *self, AssayValueId value);
gboolean contrib_needs (UpgradeContext *self, gboolean known);
gint64 contrib_extent (const AssayType *type, int axis);
AssayValueId contrib_output (UpgradeContext *self, guint output);
void contrib_copy_attrs (UpgradeContext *self, AssayNodeId to, guint n, const AssayAttr *attrs,
                         const char *const *names);

#define CONTRIB(domain, type, function) gboolean contrib_##function (UpgradeContext *self);
#include "source/onnx/contrib/contrib.def"
#undef CONTRIB

G_END_DECLS
