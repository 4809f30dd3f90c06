/* assay-overlay-file.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "draw/assay-overlay.h"

G_BEGIN_DECLS

/**
 * AssayOverlayFile:
 * @title: what it tells
 * @unit: what its numbers count, "" for nothing
 * @names: (element-type utf8): names of nodes, as in the ONNX file or in the compiler's graph
 * @values: (element-type double): a number per name; empty for words
 * @words: (element-type utf8): a word per name; empty for numbers
 *
 * What a file says of the nodes of a graph: a CSV or JSON file of names and values, or the JSON
 * that `assay check` and `assay compare` write.
 */
typedef struct
{
  char *title;
  char *unit;
  GPtrArray *names;
  GArray *values;
  GPtrArray *words;
} AssayOverlayFile;

AssayOverlayFile *assay_overlay_file_load (const char *path,
                                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayOverlayFile *assay_overlay_file_parse (GBytes *bytes, const char *name,
                                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_overlay_file_free (AssayOverlayFile *self);
AssayOverlay *assay_overlay_file_apply (const AssayOverlayFile *self, const AssayVerdicts *verdicts,
                                        guint *n_unknown,
                                        const char **first_unknown) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayOverlayFile, assay_overlay_file_free)

G_END_DECLS
