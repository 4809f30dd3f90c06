/* assay-contrib-node.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/contrib/assay-contrib-private.h"

#include <string.h>

/* Sizes, axes and flags: what is beyond 32 bits is none of them, and sums and products of what is
 * left do not overflow. */
gint64
contrib_int (UpgradeContext *self, const char *name, gint64 fallback)
{
  const AssayAttr *attr = upgrade_attr (self, name);

  return attr != NULL && attr->kind == ASSAY_ATTR_INT ? CLAMP (attr->u.i, G_MININT32, G_MAXINT32)
                                                      : fallback;
}

double
contrib_float (UpgradeContext *self, const char *name, double fallback)
{
  const AssayAttr *attr = upgrade_attr (self, name);

  return attr != NULL && attr->kind == ASSAY_ATTR_FLOAT ? attr->u.f : fallback;
}

const char *
contrib_string (UpgradeContext *self, const char *name, const char *fallback)
{
  const AssayAttr *attr = upgrade_attr (self, name);

  return attr != NULL && attr->kind == ASSAY_ATTR_STRING ? attr->u.s : fallback;
}

/* Leaves the node as it is, with the reason. */
gboolean
contrib_refuse (UpgradeContext *self, const char *attribute, const char *why)
{
  const AssayNode *node = upgrade_node (self);

  if (self->findings != NULL)
    assay_findings_add (self->findings, ASSAY_SEVERITY_WARNING, "import.contrib",
                        upgrade_path (self), node->name, attribute, -1,
                        "%s stays one node that no target knows: %s", node->op_type, why);

  return FALSE;
}

const AssayType *
contrib_type (UpgradeContext *self, AssayValueId value)
{
  const AssayType *type = upgrade_value_type (self, value);

  return type->rank <= ASSAY_MAX_RANK ? type : &assay_type_unknown;
}

/* Whether a rule has what it needs. If not, the node comes again as long as that may help, and is
 * refused afterwards. */
gboolean
contrib_needs (UpgradeContext *self, gboolean known)
{
  if (known)
    return TRUE;

  self->later = TRUE;

  return self->last && contrib_refuse (self, NULL, "the shapes of its inputs are not known");
}

/* An extent from the front, or with a negative axis from the end; -1 if it is not known. */
gint64
contrib_extent (const AssayType *type, int axis)
{
  if (axis < 0)
    axis += type->rank;

  return axis >= 0 && axis < type->rank && type->dims[axis].size >= 0 ? type->dims[axis].size : -1;
}

AssayValueId
contrib_output (UpgradeContext *self, guint output)
{
  return assay_node_output (upgrade_node (self), output);
}

/* Gives a node those of some attributes whose names are listed. */
void
contrib_copy_attrs (UpgradeContext *self, AssayNodeId to, guint n, const AssayAttr *attrs,
                    const char *const *names)
{
  for (guint i = 0; i < n; i++)
    {
      if (g_strv_contains (names, attrs[i].name))
        assay_graph_set_attr (self->graph, to, attrs[i]);
    }
}
