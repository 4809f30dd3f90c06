/* assay-watch.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Messages to assay-watch: a letter and a text, each with a zero after it. */
#define ASSAY_WATCH_GROUP 'g'
#define ASSAY_WATCH_FOLDER 'f'
#define ASSAY_WATCH_GROUP_ENDED 'G'
#define ASSAY_WATCH_FOLDER_REMOVED 'F'

void assay_watch_say (char what, const char *text);
void assay_watch_sweep (void);
int assay_watch_lock (const char *folder);

G_END_DECLS
