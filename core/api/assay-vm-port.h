/* assay-vm-port.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/assay-program.h"

G_BEGIN_DECLS

float *assay_vm_port_read (const AssayPort *port, AssayTensor *tensor, int axis,
                           gint64 *n_timesteps, GError **error);

G_END_DECLS
