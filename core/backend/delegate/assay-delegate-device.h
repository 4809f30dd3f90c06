/* assay-delegate-device.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * AssayDelegateDevice:
 * @name: what the device calls itself
 * @texture: the most texels on a side of a three-dimensional texture
 * @buffer_bytes: the most bytes of a buffer
 * @has_half: whether buffers hold elements of 16 bits
 * @has_byte: whether buffers hold elements of 8 bits
 *
 * What a device can, as far as verdicts are about it.
 */
typedef struct
{
  char *name;
  gint64 texture;
  gint64 buffer_bytes;
  gboolean has_half;
  gboolean has_byte;
} AssayDelegateDevice;

AssayDelegateDevice *assay_delegate_device_new (GBytes *bytes, const char *name,
                                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayDelegateDevice *assay_delegate_device_load (const char *name,
                                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_delegate_device_free (AssayDelegateDevice *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayDelegateDevice, assay_delegate_device_free)

G_END_DECLS
