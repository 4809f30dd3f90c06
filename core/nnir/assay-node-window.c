/* assay-node-window.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/assay-node-window.h"

#include <string.h>

#include "base/assay-sentence.h"
#include "nnir/assay-axes.h"

G_GNUC_PRINTF (3, 4)
static gboolean
blame (AssayAttrFault *fault, const char *attribute, const char *format, ...)
{
  va_list args;

  fault->attribute = attribute;
  va_start (args, format);
  g_vsnprintf (fault->text, sizeof fault->text, format, args);
  va_end (args);

  return FALSE;
}

/**
 * assay_node_read_ints:
 * @node: a node
 * @name: name of a list of integers
 * @n: how many there have to be
 * @least: least value
 * @fallback: each value where the node does not carry the list
 * @values: (out caller-allocates) (array length=n): gets the values, those that are wrong too
 * @fault: (out caller-allocates): gets what is wrong
 *
 * Reads a list that has one entry for each of something.
 *
 * Returns: whether it is as it should be
 */
gboolean
assay_node_read_ints (const AssayNode *node, const char *name, guint n, gint64 least,
                      gint64 fallback, gint64 *values, AssayAttrFault *fault)
{
  guint given;
  const gint64 *ints = assay_node_get_ints (node, name, &given);

  for (guint i = 0; i < n; i++)
    values[i] = ints != NULL && i < given ? ints[i] : fallback;
  if (ints != NULL && given != n)
    return blame (fault, name, "%u %s, %u were expected", given,
                  assay_noun (given, "entry", "entries"), n);

  for (guint i = 0; ints != NULL && i < n; i++)
    if (values[i] < least || values[i] > G_MAXINT32)
      return blame (fault, name, "%" G_GINT64_FORMAT " at index %u", values[i], i);

  return TRUE;
}

static gboolean
read_auto_pad (const AssayNode *node, AssayNodeWindow *window, gboolean *valid,
               AssayAttrFault *fault)
{
  AssayAttr attr;
  const char *name = assay_node_resolve_attr (node, "auto_pad", &attr) &&
                             attr.kind == ASSAY_ATTR_STRING
                         ? attr.u.s
                         : "";

  *valid = g_str_equal (name, "VALID");
  window->lower = g_str_equal (name, "SAME_LOWER");
  window->same = window->lower || g_str_equal (name, "SAME_UPPER");

  return *valid || window->same || name[0] == '\0' || g_str_equal (name, "NOTSET") ||
         blame (fault, "auto_pad",
                "“%.32s”, one of NOTSET, SAME_UPPER, SAME_LOWER and VALID was expected", name);
}

/* Some files list the leading two extents of the output too. */
static gboolean
read_output (const AssayNode *node, AssayNodeWindow *window, AssayAttrFault *fault)
{
  guint given;
  const gint64 *shape = assay_node_get_ints (node, "output_shape", &given);
  guint skip = shape != NULL && given == window->n + 2 ? 2 : 0;

  if (!assay_node_read_ints (node, "output_padding", window->n, 0, 0, window->extra, fault))
    return FALSE;
  if (shape == NULL)
    return TRUE;
  if (given != window->n + skip)
    return blame (fault, "output_shape", "%u %s, %u were expected", given,
                  assay_noun (given, "entry", "entries"), window->n);

  memcpy (window->fixed, shape + skip, window->n * sizeof *shape);
  return TRUE;
}

/**
 * assay_node_read_window:
 * @node: a convolution or pooling
 * @n: number of spatial axes
 * @window: (out caller-allocates): gets what the attributes say; extents are unknown
 * @fault: (out caller-allocates): gets what is wrong
 *
 * Reads the attributes of a window. Where something is wrong, the rest is filled in nevertheless.
 *
 * Returns: whether they are as they should be
 */
gboolean
assay_node_read_window (const AssayNode *node, guint n, AssayNodeWindow *window,
                        AssayAttrFault *fault)
{
  gint64 pads[2 * ASSAY_MAX_RANK];
  AssayAttrFault later;
  gint64 ceil = 0;
  gboolean valid, fine;

  window->n = n;
  window->transposed = node->op == ASSAY_OP_ConvTranspose;
  window->pools = node->op == ASSAY_OP_AveragePool || node->op == ASSAY_OP_LpPool ||
                  node->op == ASSAY_OP_MaxPool;
  window->ceil = assay_node_find_int (node, "ceil_mode", &ceil) && ceil != 0;
  for (guint i = 0; i < n; i++)
    {
      window->in[i] = window->out[i] = window->fixed[i] = -1;
      window->extra[i] = 0;
    }

  fine = read_auto_pad (node, window, &valid, fault);
  fine &= assay_node_read_ints (node, "kernel_shape", n, 1, -1, window->kernel,
                                fine ? fault : &later);
  fine &= assay_node_read_ints (node, "strides", n, 1, 1, window->stride, fine ? fault : &later);
  fine &= assay_node_read_ints (node, "dilations", n, 1, 1, window->dilation,
                                fine ? fault : &later);
  if (!assay_node_read_ints (node, "pads", 2 * n, G_MININT32, 0, pads, fine ? fault : &later))
    {
      fine = FALSE;
      memset (pads, 0, 2 * n * sizeof *pads);
    }
  if (window->transposed)
    fine &= read_output (node, window, fine ? fault : &later);

  for (guint i = 0; i < n; i++)
    {
      window->before[i] = valid ? 0 : window->same ? -1 : pads[i];
      window->after[i] = valid ? 0 : window->same ? -1 : pads[n + i];
    }

  return fine;
}

/* (kernel - 1) * dilation + 1 */
static AssayScalar
reach (AssayArena *arena, AssayScalar kernel, gint64 dilation)
{
  AssayScalar extent = assay_scalar_sub (arena, kernel, assay_scalar_int (1));

  extent = assay_scalar_mul (arena, extent, assay_scalar_int (dilation));

  return assay_scalar_add (arena, extent, assay_scalar_int (1));
}

/* What a transposed window makes of an extent before anything is cut off. */
static AssayScalar
spread (const AssayNodeWindow *self, AssayArena *arena, guint axis, AssayScalar kernel,
        AssayScalar in)
{
  AssayScalar out = assay_scalar_mul (arena, assay_scalar_sub (arena, in, assay_scalar_int (1)),
                                      assay_scalar_int (self->stride[axis]));

  out = assay_scalar_add (arena, out, reach (arena, kernel, self->dilation[axis]));

  return assay_scalar_add (arena, out, assay_scalar_int (self->extra[axis]));
}

/* What ONNX Runtime makes of a pooling window that lacks so much: room / stride, rounded towards
 * zero, and one. */
static gint64
overhang (const AssayNodeWindow *self, guint axis, gint64 room)
{
  gint64 places = room / self->stride[axis] + 1;

  return self->pools && places >= 0 ? places : -1;
}

/**
 * assay_node_window_slide:
 * @self: a window
 * @arena: (nullable): where symbols live, if an extent may be one
 * @axis: a spatial axis
 * @kernel: the extent of the window
 * @in: the extent of the input
 *
 * Works out the extent of the output.
 *
 * Returns: the extent; negative if the window does not fit
 */
AssayScalar
assay_node_window_slide (const AssayNodeWindow *self, AssayArena *arena, guint axis,
                         AssayScalar kernel, AssayScalar in)
{
  AssayScalar stride = assay_scalar_int (self->stride[axis]);
  gint64 before = self->same ? 0 : self->before[axis];
  gint64 after = self->same ? 0 : self->after[axis];
  AssayScalar extent, room, out;

  if (self->transposed && self->fixed[axis] >= 0)
    return assay_scalar_int (self->fixed[axis]);
  if (self->transposed && self->same)
    return assay_scalar_mul (arena, in, stride);
  if (self->transposed)
    return assay_scalar_sub (arena, spread (self, arena, axis, kernel, in),
                             assay_scalar_int (before + after));

  /* The most frequent window leaves the extent as it is. */
  extent = reach (arena, kernel, self->dilation[axis]);
  if (extent.kind == ASSAY_SCALAR_INT && self->stride[axis] == 1 && !self->ceil &&
      (self->same || before + after + 1 == extent.u.i))
    return in;
  if (self->same)
    return assay_scalar_ceil_div (arena, in, stride);

  room = assay_scalar_add (arena, in, assay_scalar_int (before + after));
  room = assay_scalar_sub (arena, room, extent);
  if (room.kind == ASSAY_SCALAR_INT && room.u.i < 0)
    return assay_scalar_int (overhang (self, axis, room.u.i));

  out = self->ceil ? assay_scalar_ceil_div (arena, room, stride)
                   : assay_scalar_floor_div (arena, room, stride);
  out = assay_scalar_add (arena, out, assay_scalar_int (1));
  if (!self->ceil)
    return out;

  /* Rounding up may give a window that would start in the padding behind the input; it does not
   * count. */
  if (out.kind == ASSAY_SCALAR_INT && in.kind == ASSAY_SCALAR_INT)
    out.u.i -= (out.u.i - 1) * self->stride[axis] >= in.u.i + before;
  else if (extent.kind != ASSAY_SCALAR_INT || after + self->stride[axis] > extent.u.i)
    out = assay_scalar_unknown ();

  return out;
}

/**
 * assay_node_window_resolve:
 * @self: a window whose attributes are read
 * @axis: a spatial axis
 * @in: the extent of the input, -1 if it is unknown
 *
 * Works out the extent of the output and automatic padding. SAME keeps extent / stride, rounded up;
 * an odd rest goes to the end or the start. Of a transposed convolution it is what is cut off.
 */
void
assay_node_window_resolve (AssayNodeWindow *self, guint axis, gint64 in)
{
  AssayScalar kernel = assay_scalar_from_dim ((AssayDim){ self->kernel[axis], NULL });
  AssayScalar out, total;

  self->in[axis] = in;
  if (in < 0 || self->stride[axis] < 1 || self->dilation[axis] < 1)
    return;

  out = assay_node_window_slide (self, NULL, axis, kernel, assay_scalar_int (in));
  if (out.kind != ASSAY_SCALAR_INT)
    return;
  self->out[axis] = out.u.i;
  if (!self->same && self->fixed[axis] < 0)
    return;

  if (self->transposed)
    total = assay_scalar_sub (NULL, spread (self, NULL, axis, kernel, assay_scalar_int (in)), out);
  else
    {
      total = assay_scalar_mul (NULL, assay_scalar_sub (NULL, out, assay_scalar_int (1)),
                                assay_scalar_int (self->stride[axis]));
      total = assay_scalar_add (NULL, total, reach (NULL, kernel, self->dilation[axis]));
      total = assay_scalar_sub (NULL, total, assay_scalar_int (in));
    }
  if (total.kind != ASSAY_SCALAR_INT)
    return;

  total.u.i = MAX (total.u.i, 0);
  self->before[axis] = self->same && !self->lower ? total.u.i / 2 : total.u.i - total.u.i / 2;
  self->after[axis] = total.u.i - self->before[axis];
}

/**
 * assay_node_get_window:
 * @graph: the graph of the node
 * @node: a convolution or pooling
 * @window: (out caller-allocates): its window
 *
 * Works out the window of a node from its attributes and from what is known of its input and
 * weights, as the ONNX specification of convolutions and the pooling operators defines it.
 *
 * Returns: whether the number of spatial dimensions is known
 */
gboolean
assay_node_get_window (const AssayGraph *graph, const AssayNode *node, AssayNodeWindow *window)
{
  guint place = node->op == ASSAY_OP_QLinearConv ? 3 : 1;
  gboolean has_weight = place == 3 || node->op == ASSAY_OP_Conv ||
                        node->op == ASSAY_OP_ConvTranspose || node->op == ASSAY_OP_ConvInteger ||
                        node->op == ASSAY_OP_DeformConv;
  AssayValueId weight = has_weight ? assay_node_input (node, place) : ASSAY_NO_VALUE;
  const AssayType *type = assay_graph_value (graph, assay_node_input (node, 0))->type;
  const AssayType *weights = assay_graph_value (graph, weight)->type;
  AssayAttrFault fault;
  guint n = 0;
  const gint64 *kernel = assay_node_get_ints (node, "kernel_shape", &n);
  int rank = kernel != NULL                ? (int) MIN (n, ASSAY_MAX_RANK) + 2
             : assay_type_rank (type) >= 0 ? assay_type_rank (type)
                                           : assay_type_rank (weights);

  if (rank < 2 || rank > ASSAY_MAX_RANK)
    return FALSE;

  assay_node_read_window (node, (guint) rank - 2, window, &fault);
  for (guint i = 0; i < window->n; i++)
    {
      if (kernel == NULL)
        window->kernel[i] = assay_type_dim (weights, (int) i + 2);
      assay_node_window_resolve (window, i, assay_type_dim (type, (int) i + 2));
    }

  return TRUE;
}
