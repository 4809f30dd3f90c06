/* assay-installation.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AssayPart:
 * @ASSAY_PART_PROGRAMS: programs that others start
 * @ASSAY_PART_EXAMPLES: example models
 * @ASSAY_PART_HELP: pages that the window's Help opens
 * @ASSAY_PART_SCHEMAS: the compiled schema of the settings
 *
 * Files of Assay that a running program looks for.
 */
typedef enum
{
  ASSAY_PART_PROGRAMS,
  ASSAY_PART_EXAMPLES,
  ASSAY_PART_HELP,
  ASSAY_PART_SCHEMAS,
} AssayPart;

GPtrArray *assay_installation_list_folders (AssayPart part) G_GNUC_WARN_UNUSED_RESULT;
char *assay_installation_find (AssayPart part, const char *name) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
