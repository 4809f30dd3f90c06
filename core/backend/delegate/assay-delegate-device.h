/* assay-delegate-device.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "settings/assay-settings.h"

G_BEGIN_DECLS

/**
 * AssayDelegateLimits:
 * @texture: the most texels on a side of a three-dimensional texture
 * @buffer_bytes: the most bytes of a buffer that a shader is given
 * @buffers: the most buffers that a shader is given
 * @groups: the most groups of invocations of a dispatch
 * @memory_bytes: the most bytes of memory
 * @has_half: whether buffers hold elements of 16 bits
 * @has_byte: whether buffers hold elements of 8 bits
 * @computes_half: whether shaders may name such elements
 *
 * What a device can, as far as verdicts and programs are about it; what it does not say has no end.
 */
typedef struct
{
  gint64 texture;
  gint64 buffer_bytes;
  gint64 buffers;
  gint64 groups;
  gint64 memory_bytes;
  gboolean has_half;
  gboolean has_byte;
  gboolean computes_half;
} AssayDelegateLimits;

/**
 * AssayDelegateDevice:
 * @name: what the device calls itself
 * @limits: what it can
 *
 * A device, or a profile of one.
 */
typedef struct
{
  char *name;
  AssayDelegateLimits limits;
} AssayDelegateDevice;

extern const AssayDelegateLimits assay_delegate_limits_assumed;

AssayDelegateDevice *assay_delegate_device_new (GBytes *bytes, const char *name,
                                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayDelegateDevice *assay_delegate_device_load (const char *name,
                                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_delegate_device_load_set (const AssaySettings *settings,
                                         AssayDelegateDevice **device, GError **error);
void assay_delegate_device_free (AssayDelegateDevice *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayDelegateDevice, assay_delegate_device_free)

G_END_DECLS
