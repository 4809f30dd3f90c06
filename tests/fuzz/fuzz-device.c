/* fuzz-device.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Profiles of devices: what can be read has limits that verdicts can count with.
 */
#include "backend/delegate/assay-delegate-device.h"

#include "fuzz.h"

FUZZ_TARGET (device)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayDelegateDevice) device = assay_delegate_device_new (bytes, "fuzz.json", &error);

  g_assert ((device == NULL) == (error != NULL));
  if (device == NULL)
    return 0;
  fuzz_n_taken++;
  g_assert_nonnull (device->name);
  g_assert_cmpint (device->limits.texture, >=, 1);
  g_assert_cmpint (device->limits.buffer_bytes, >=, 1);
  g_assert_cmpint (device->limits.buffers, >=, 1);
  g_assert_cmpint (device->limits.groups, >=, 1);
  g_assert_cmpint (device->limits.memory_bytes, >=, 1);

  return 0;
}
