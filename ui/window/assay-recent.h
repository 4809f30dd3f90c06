/* assay-recent.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gtk/gtk.h>

#include "session/analysis/assay-outcome.h"

G_BEGIN_DECLS

/**
 * AssayRecent:
 * @path: the file
 * @name: its name, for people
 * @folder: its folder, for people
 * @target: (nullable): what it was checked against last
 * @outcome: what came of it there
 *
 * A file that was open before.
 */
typedef struct
{
  char *path;
  char *name;
  char *folder;
  char *target;
  AssayOutcome outcome;
} AssayRecent;

GPtrArray *assay_recent_list (guint limit) G_GNUC_WARN_UNUSED_RESULT;
void assay_recent_remember (const char *path, const char *target, const AssayOutcome *outcome);

G_END_DECLS
