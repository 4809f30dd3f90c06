/* assay-confine.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AssayConfinement:
 * @writable: (nullable): the one folder that may be written below
 * @devices: whether devices may be opened for writing, as graphics processors have to be
 * @programs: whether it may start programs, which are left with the same; none of them leaves the
 * group of processes that it began in
 * @memory_mib: most memory of its own, 0 for what the machine has
 *
 * What a process is left with.
 */
typedef struct
{
  const char *writable;
  gboolean devices;
  gboolean programs;
  guint memory_mib;
} AssayConfinement;

gboolean assay_confine_now (const AssayConfinement *self);
gboolean assay_confine (const AssayConfinement *self, GError **error);
char *assay_confine_dup_missing (void) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
