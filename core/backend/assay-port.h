/* assay-port.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/assay-graph.h"

G_BEGIN_DECLS

/**
 * AssayPort:
 * @name: of the input or output
 * @rank: number of dimensions, the streaming one left out
 * @dims: the dimensions
 * @streaming_dim: the axis that became time, or -1
 * @data_dim: the contiguous dimension
 * @lanes: extent of the data dimension
 * @n_vectors: how many vectors are transferred
 * @fp32: whether its values are transferred as fp32 rather than bf16
 * @dtype: their element type; %ASSAY_DTYPE_UNDEFINED where they go in and out as floats
 */
typedef struct
{
  const char *name;
  guint rank;
  const gint64 *dims;
  int streaming_dim;
  int data_dim;
  guint32 lanes;
  guint32 n_vectors;
  gboolean fp32;
  AssayDType dtype;
} AssayPort;

const AssayPort *assay_port_list_plain (AssayGraph *graph, const GArray *values);
gboolean assay_port_is_known (const AssayPort *port);
gsize assay_port_count (const AssayPort *port);
guint assay_port_dims (const AssayPort *port, int axis, gint64 n_steps, gint64 *dims);
void assay_port_pack (const AssayPort *port, int axis, gint64 n_steps, gint64 step,
                      const float *tensor, float *vectors);
void assay_port_unpack (const AssayPort *port, int axis, gint64 n_steps, gint64 step,
                        const float *vectors, float *tensor);

G_END_DECLS
