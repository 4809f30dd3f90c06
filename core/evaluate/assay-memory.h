/* assay-memory.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AssayMemory:
 *
 * Memory that large tensors leave behind for the next ones, so that the kernel of the system need
 * not hand out zeroed pages for every node. What lies idle and what is in use together stay below
 * what was once in use at the same time, plus a little.
 */
typedef struct _AssayMemory AssayMemory;

AssayMemory *assay_memory_new (void) G_GNUC_WARN_UNUSED_RESULT;
AssayMemory *assay_memory_ref (AssayMemory *self);
void assay_memory_unref (AssayMemory *self);
gpointer assay_memory_take (AssayMemory *self, gsize n_bytes) G_GNUC_WARN_UNUSED_RESULT;
void assay_memory_give (gpointer block);
void assay_memory_set_limit (AssayMemory *self, gsize n_bytes);
gboolean assay_memory_is_short (AssayMemory *self);
gsize assay_memory_get_top (AssayMemory *self);

G_END_DECLS
