/* assay-port-io.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/stream/machine/assay-stream-code.h"

G_BEGIN_DECLS

gsize assay_port_count (const AssayPort *port);
guint assay_port_dims (const AssayPort *port, int axis, gint64 n_steps, gint64 *dims);
void assay_port_pack (const AssayPort *port, int axis, gint64 n_steps, gint64 step,
                      const float *tensor, float *vectors);
void assay_port_unpack (const AssayPort *port, int axis, gint64 n_steps, gint64 step,
                        const float *vectors, float *tensor);

G_END_DECLS
