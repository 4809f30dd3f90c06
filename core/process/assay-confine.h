/* assay-confine.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "process/assay-call-filter.h"

G_BEGIN_DECLS

/**
 * AssayConfinement:
 * @writable: (nullable): the one folder that may be written below
 * @devices: whether graphics and neural processors may be opened for writing, as their drivers do;
 * beside them null, zero, full, random and urandom always are
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

/**
 * AssayConfinePart:
 * @name: what is confined
 * @found: whether this kernel does it
 * @text: by what, or what follows where it does not
 *
 * A part of what confinement consists of.
 */
typedef struct
{
  const char *name;
  gboolean found;
  char *text;
} AssayConfinePart;

AssayCallFilter *assay_confine_filter_new (const AssayConfinement *self,
                                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_confine_now (const AssayConfinement *self, const AssayCallFilter *filter);
gboolean assay_confine (const AssayConfinement *self, GError **error);
GArray *assay_confine_list (void) G_GNUC_WARN_UNUSED_RESULT;
char *assay_confine_dup_missing (void) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
