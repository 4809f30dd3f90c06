/* assay-port.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Row-major tensors to and from what a port transfers: vectors along the data dimension, the other
 * axes row major, and the axis that became time left out.
 */
#include "backend/assay-port.h"

#include "base/assay-tensor.h"
#include "nnir/assay-axes.h"

typedef struct
{
  gsize strides[ASSAY_MAX_RANK + 1]; /* per axis of the port, in elements of the tensor */
  gsize offset;                      /* of the timestep */
} Layout;

/**
 * assay_port_list_plain:
 * @graph: a graph
 * @values: (element-type guint32): values of it; what a branch makes may be of any shape
 *
 * Makes the ports of a program that takes tensors as they are.
 *
 * Returns: (transfer none) (array): a port per value, which live as long as the graph
 */
const AssayPort *
assay_port_list_plain (AssayGraph *graph, const GArray *values)
{
  AssayPort *ports = assay_arena_alloc_n (graph->arena, values->len + 1, sizeof *ports);

  for (guint i = 0; i < values->len; i++)
    {
      const AssayValue *value = assay_graph_value (graph, g_array_index (values, AssayValueId, i));
      guint rank = (guint) MAX (assay_type_rank (value->type), 0);
      gint64 *dims = assay_arena_alloc_n (graph->arena, rank + 1, sizeof *dims);
      gsize n = 0;

      assay_type_count (value->type, &n);
      for (guint axis = 0; axis < rank; axis++)
        dims[axis] = value->type->dims[axis].size;
      ports[i] = (AssayPort){ value->name, rank, dims, -1, -1, 1, (guint32) n, TRUE };
    }

  return ports;
}

/**
 * assay_port_is_known:
 * @port: a port
 *
 * Tells whether it is known how many values it transfers; what a branch makes may be of any shape.
 *
 * Returns: whether it is
 */
gboolean
assay_port_is_known (const AssayPort *port)
{
  for (guint axis = 0; axis < port->rank; axis++)
    if (port->dims[axis] < 0)
      return FALSE;

  return port->rank > 0 || assay_port_count (port) > 0;
}

/**
 * assay_port_count:
 * @port: a port
 *
 * Counts the values that it transfers in one inference.
 *
 * Returns: the number
 */
gsize
assay_port_count (const AssayPort *port)
{
  return (gsize) port->lanes * port->n_vectors;
}

/**
 * assay_port_dims:
 * @port: a port
 * @axis: where the timesteps lie in the tensor, -1 if it has none
 * @n_steps: number of timesteps
 * @dims: (out caller-allocates): room for one more than the rank of the port
 *
 * Tells the shape of the tensor of a sequence: that of the port, with the axis of time put back.
 *
 * Returns: the rank
 */
guint
assay_port_dims (const AssayPort *port, int axis, gint64 n_steps, gint64 *dims)
{
  guint rank = 0;

  for (guint i = 0; i <= port->rank; i++)
    {
      if (axis == (int) i)
        dims[rank++] = n_steps;
      if (i < port->rank)
        dims[rank++] = port->dims[i];
    }

  return rank;
}

static Layout
find_layout (const AssayPort *port, int axis, gint64 n_steps, gint64 step)
{
  Layout layout = { { 0 }, 0 };
  gsize stride = 1;

  for (int i = (int) port->rank; i >= 0; i--)
    {
      if (i < (int) port->rank)
        {
          layout.strides[i] = stride;
          stride *= (gsize) port->dims[i];
        }
      if (i == axis)
        {
          layout.offset = stride * (gsize) step;
          stride *= (gsize) n_steps;
        }
    }

  return layout;
}

/* Where the first lane of a vector lies in the tensor. */
static gsize
find_vector (const AssayPort *port, const Layout *layout, gsize vector)
{
  gsize at = layout->offset;

  for (int i = (int) port->rank - 1; i >= 0; i--)
    {
      if (i == port->data_dim)
        continue;
      at += vector % (gsize) port->dims[i] * layout->strides[i];
      vector /= (gsize) port->dims[i];
    }

  return at;
}

/**
 * assay_port_pack:
 * @port: an input
 * @axis: where the timesteps lie in the tensor, -1 if every timestep gets the whole tensor
 * @n_steps: number of timesteps in the tensor
 * @step: which of them
 * @tensor: the elements, row major
 * @vectors: (out caller-allocates): the values in the order in which the port takes them
 *
 * Takes the values of one timestep out of a tensor.
 */
void
assay_port_pack (const AssayPort *port, int axis, gint64 n_steps, gint64 step, const float *tensor,
                 float *vectors)
{
  Layout layout = find_layout (port, axis, n_steps, step);
  gsize stride = port->data_dim < 0 ? 0 : layout.strides[port->data_dim];

  for (gsize v = 0; v < port->n_vectors; v++)
    {
      const float *from = tensor + find_vector (port, &layout, v);

      for (gsize lane = 0; lane < port->lanes; lane++)
        *vectors++ = from[lane * stride];
    }
}

/**
 * assay_port_unpack:
 * @port: an output
 * @axis: where the timesteps lie in the tensor, -1 if it has none
 * @n_steps: number of timesteps in the tensor
 * @step: which of them
 * @vectors: the values in the order in which the port gives them
 * @tensor: (inout): the elements, row major; those of the timestep are set
 *
 * Puts the values of one timestep into a tensor.
 */
void
assay_port_unpack (const AssayPort *port, int axis, gint64 n_steps, gint64 step,
                   const float *vectors, float *tensor)
{
  Layout layout = find_layout (port, axis, n_steps, step);
  gsize stride = port->data_dim < 0 ? 0 : layout.strides[port->data_dim];

  for (gsize v = 0; v < port->n_vectors; v++)
    {
      float *to = tensor + find_vector (port, &layout, v);

      for (gsize lane = 0; lane < port->lanes; lane++)
        to[lane * stride] = *vectors++;
    }
}
