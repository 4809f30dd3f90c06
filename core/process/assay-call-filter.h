/* assay-call-filter.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AssayCallRights:
 * @ASSAY_CALLS_PROGRAMS: starting programs
 * @ASSAY_CALLS_DEVICES: control of graphics processors
 * @ASSAY_CALLS_SIGNALS: signals to others than the process itself
 * @ASSAY_CALLS_TRUNCATE: changing the size of a file by its path
 *
 * System calls that a confined process is allowed in addition.
 */
typedef enum
{
  ASSAY_CALLS_PROGRAMS = 1 << 0,
  ASSAY_CALLS_DEVICES = 1 << 1,
  ASSAY_CALLS_SIGNALS = 1 << 2,
  ASSAY_CALLS_TRUNCATE = 1 << 3,
} AssayCallRights;

/**
 * AssayCallFilter:
 *
 * The system calls that a confined process has, as a program for the kernel. It is made before the
 * process is, as nothing allocates between fork and exec.
 */
typedef struct _AssayCallFilter AssayCallFilter;

AssayCallFilter *assay_call_filter_new (AssayCallRights rights,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_call_filter_free (AssayCallFilter *self);
gboolean assay_call_filter_load (const AssayCallFilter *self);
gboolean assay_call_filter_is_supported (void);
char *assay_call_filter_dup_library (void) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayCallFilter, assay_call_filter_free)

G_END_DECLS
