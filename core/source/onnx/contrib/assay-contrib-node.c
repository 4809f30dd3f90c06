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

/* A constant number of the element type of a value. */
AssayValueId
contrib_number (UpgradeContext *self, const char *suffix, double value, AssayValueId like)
{
  AssayDType dtype = contrib_type (self, like)->dtype;
  AssayValueId number = upgrade_float (self, suffix, value,
                                       dtype == ASSAY_DTYPE_UNDEFINED ? ASSAY_DTYPE_F32 : dtype);

  return dtype == ASSAY_DTYPE_UNDEFINED ? CONTRIB_ADD (self, CastLike, suffix, number, like)
                                        : number;
}

/* A list of one integer. */
AssayValueId
contrib_i64 (UpgradeContext *self, const char *suffix, gint64 value)
{
  return upgrade_ints (self, suffix, FALSE, 1, &value);
}

AssayValueId
contrib_cast (UpgradeContext *self, const char *suffix, AssayValueId value, AssayDType dtype)
{
  AssayValueId cast = CONTRIB_ADD (self, Cast, suffix, value);

  contrib_set_int (self, cast, "to", dtype);

  return cast;
}

/* The extents of a value from one axis to another, as a list. */
AssayValueId
contrib_extents (UpgradeContext *self, const char *suffix, AssayValueId value, gint64 start,
                 gint64 end)
{
  AssayValueId extents = CONTRIB_ADD (self, Shape, suffix, value);

  contrib_set_int (self, extents, "start", start);
  if (end != 0)
    contrib_set_int (self, extents, "end", end);

  return extents;
}

AssayValueId
contrib_reshape (UpgradeContext *self, const char *suffix, AssayValueId value, guint n,
                 const gint64 *dims)
{
  g_autofree char *name = g_strconcat (suffix, "_shape", NULL);
  AssayValueId shape = upgrade_ints (self, name, FALSE, n, dims);

  return CONTRIB_ADD (self, Reshape, suffix, value, shape);
}

AssayValueId
contrib_transpose (UpgradeContext *self, const char *suffix, AssayValueId value, guint rank,
                   const gint64 *perm)
{
  AssayValueId turned = CONTRIB_ADD (self, Transpose, suffix, value);

  assay_graph_set_ints (self->graph, assay_graph_value (self->graph, turned)->producer, "perm",
                        rank, perm);

  return turned;
}

AssayValueId
contrib_unsqueeze (UpgradeContext *self, const char *suffix, AssayValueId value, guint n,
                   const gint64 *axes)
{
  g_autofree char *name = g_strconcat (suffix, "_axes", NULL);
  AssayValueId list = upgrade_ints (self, name, FALSE, n, axes);

  return CONTRIB_ADD (self, Unsqueeze, suffix, value, list);
}

/* Cuts a value along an axis, in equal parts if @sizes is NULL. */
void
contrib_split (UpgradeContext *self, const char *suffix, AssayValueId value, gint64 axis,
               const gint64 *sizes, guint n, AssayValueId *parts)
{
  AssayGraph *graph = self->graph;
  AssayRegionId region = upgrade_node (self)->region;
  g_autofree char *name = g_strdup_printf ("%s/%s_Split", upgrade_node (self)->name, suffix);
  AssayValueId inputs[2] = { value, ASSAY_NO_VALUE };
  AssayNodeId id;

  if (sizes != NULL)
    inputs[1] = upgrade_ints (self, suffix, FALSE, n, sizes);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *part = g_strdup_printf ("%s_%u", name, i);

      parts[i] = assay_graph_add_value (graph, region, ASSAY_VALUE_RESULT, part, NULL);
    }
  id = assay_graph_add_node (graph, region, ASSAY_OP_Split, name, 2, inputs, n, parts);
  assay_graph_set_int (graph, id, "axis", axis);
  if (sizes == NULL)
    assay_graph_set_int (graph, id, "num_outputs", n);
  assay_graph_set_origins (graph, id, upgrade_node (self)->n_origins, upgrade_node (self)->origins);
}

/* An attribute of the node that makes a value. */
void
contrib_set_int (UpgradeContext *self, AssayValueId made, const char *name, gint64 value)
{
  assay_graph_set_int (self->graph, assay_graph_value (self->graph, made)->producer, name, value);
}

void
contrib_set_float (UpgradeContext *self, AssayValueId made, const char *name, double value)
{
  assay_graph_set_float (self->graph, assay_graph_value (self->graph, made)->producer, name, value);
}

void
contrib_set_string (UpgradeContext *self, AssayValueId made, const char *name, const char *value)
{
  assay_graph_set_string (self->graph, assay_graph_value (self->graph, made)->producer, name,
                          value);
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

/* The node gets other inputs and another operator; it keeps its name and its first output. */
void
contrib_become (UpgradeContext *self, AssayOp op, guint n_inputs, const AssayValueId *inputs)
{
  AssayNode *node = assay_graph_edit_node (self->graph, self->id);

  while (n_inputs > 0 && inputs[n_inputs - 1] == ASSAY_NO_VALUE)
    n_inputs--;
  node->inputs = assay_arena_memdup (self->graph->arena, inputs, n_inputs * sizeof *inputs);
  node->n_inputs = n_inputs;
  node->n_outputs = MIN (node->n_outputs, 1);
  assay_graph_set_attrs (self->graph, self->id, 0, NULL);
  upgrade_set_op (self, op);
}

/* A node that makes one of the outputs that the node of the context had, if anybody wants it. */
void
contrib_write (UpgradeContext *self, AssayOp op, const char *suffix, guint n_inputs,
               const AssayValueId *inputs, AssayValueId output)
{
  if (output != ASSAY_NO_VALUE)
    upgrade_finish (self, op, suffix, n_inputs, inputs, output);
}
