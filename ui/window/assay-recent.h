/* assay-recent.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * AssayRecent:
 * @path: the file
 * @name: its name, for people
 * @folder: its folder, for people
 * @target: (nullable): what it was checked against last
 * @rejected: how many nodes that rejects, or -1
 *
 * A file that was open before.
 */
typedef struct
{
  char *path;
  char *name;
  char *folder;
  char *target;
  int rejected;
} AssayRecent;

GPtrArray *assay_recent_list (guint limit) G_GNUC_WARN_UNUSED_RESULT;
void assay_recent_remember (const char *path, const char *target, int rejected);

G_END_DECLS
