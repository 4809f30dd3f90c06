/* assay-vm-port.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "machine/assay-program.h"

G_BEGIN_DECLS

gsize        assay_vm_port_count        (const AssayPort  *port);
void         assay_vm_port_to_vectors   (const AssayPort  *port,
                                         const float      *values,
                                         float            *vectors);
void         assay_vm_port_from_vectors (const AssayPort  *port,
                                         const float      *vectors,
                                         float            *values);
float       *assay_vm_port_read         (const AssayPort  *port,
                                         AssayTensor      *tensor,
                                         int               axis,
                                         gint64           *n_timesteps,
                                         GError          **error);
AssayTensor *assay_vm_port_write        (const AssayPort  *port,
                                         const float      *values,
                                         int               axis,
                                         gint64            n_timesteps,
                                         GError          **error);

G_END_DECLS
