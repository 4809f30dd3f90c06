/* assay-contrib-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "source/onnx/assay-upgrade-private.h"

G_BEGIN_DECLS

/* Puts what the node of the context is made of in its place. A rule decides first and changes
 * nothing before; %FALSE leaves the node as it is, to come again if it asked for a type. */
typedef gboolean (*ContribFunc) (UpgradeContext *self);

/* A node with one output in front of (or behind) that of the context: operator, name behind that of
 * the node, inputs. */
#define CONTRIB_ADD(self, op, suffix, ...)                                                         \
  upgrade_add (self, ASSAY_OP_##op, suffix,                                                        \
               G_N_ELEMENTS (((const AssayValueId[]){ __VA_ARGS__ })),                             \
               (const AssayValueId[]){ __VA_ARGS__ })

/* The node itself, with these inputs, its first output and no attributes. */
#define CONTRIB_BECOME(self, op, ...)                                                              \
  contrib_become (self, ASSAY_OP_##op, G_N_ELEMENTS (((const AssayValueId[]){ __VA_ARGS__ })),     \
                  (const AssayValueId[]){ __VA_ARGS__ })

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
AssayValueId contrib_number (UpgradeContext *self, const char *suffix, double value,
                             AssayValueId like);
AssayValueId contrib_i64 (UpgradeContext *self, const char *suffix, gint64 value);
AssayValueId contrib_cast (UpgradeContext *self, const char *suffix, AssayValueId value,
                           AssayDType dtype);
AssayValueId contrib_extents (UpgradeContext *self, const char *suffix, AssayValueId value,
                              gint64 start, gint64 end);
AssayValueId contrib_reshape (UpgradeContext *self, const char *suffix, AssayValueId value, guint n,
                              const gint64 *dims);
AssayValueId contrib_transpose (UpgradeContext *self, const char *suffix, AssayValueId value,
                                guint rank, const gint64 *perm);
AssayValueId contrib_unsqueeze (UpgradeContext *self, const char *suffix, AssayValueId value,
                                guint n, const gint64 *axes);
void contrib_split (UpgradeContext *self, const char *suffix, AssayValueId value, gint64 axis,
                    const gint64 *sizes, guint n, AssayValueId *parts);
void contrib_set_int (UpgradeContext *self, AssayValueId made, const char *name, gint64 value);
void contrib_set_float (UpgradeContext *self, AssayValueId made, const char *name, double value);
void contrib_set_string (UpgradeContext *self, AssayValueId made, const char *name,
                         const char *value);
void contrib_copy_attrs (UpgradeContext *self, AssayNodeId to, guint n, const AssayAttr *attrs,
                         const char *const *names);
void contrib_become (UpgradeContext *self, AssayOp op, guint n_inputs, const AssayValueId *inputs);
void contrib_write (UpgradeContext *self, AssayOp op, const char *suffix, guint n_inputs,
                    const AssayValueId *inputs, AssayValueId output);

#define CONTRIB(domain, type, function) gboolean contrib_##function (UpgradeContext *self);
#include "source/onnx/contrib/contrib.def"
#undef CONTRIB

G_END_DECLS
