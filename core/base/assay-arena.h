/* assay-arena.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AssayArena:
 *
 * A bump allocator with interned strings: everything in it lives until the arena is freed.
 */
typedef struct _AssayArena AssayArena;

AssayArena *assay_arena_new (void) G_GNUC_WARN_UNUSED_RESULT;
void assay_arena_free (AssayArena *self);
gpointer assay_arena_alloc (AssayArena *self, gsize size);
gpointer assay_arena_alloc_n (AssayArena *self, gsize n, gsize size);
gpointer assay_arena_memdup (AssayArena *self, gconstpointer data, gsize size);
const char *assay_arena_intern (AssayArena *self, const char *string);
const char *assay_arena_intern_n (AssayArena *self, const char *string, gsize length);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayArena, assay_arena_free)

G_END_DECLS
