/* assay-memory-page.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "ui/window/assay-page.h"

G_BEGIN_DECLS

/**
 * AssayMemoryPage:
 *
 * Where every block of the compiled program lies, step by step; why there is no program, if there
 * is none.
 */
#define ASSAY_TYPE_MEMORY_PAGE (assay_memory_page_get_type ())

G_DECLARE_FINAL_TYPE (AssayMemoryPage, assay_memory_page, ASSAY, MEMORY_PAGE, GtkWidget)

gboolean assay_memory_page_has_way (AssayMemoryPage *self);

G_END_DECLS
