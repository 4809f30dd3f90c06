/* assay-feed.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "run/assay-run-subject.h"

G_BEGIN_DECLS

/**
 * AssayFeed:
 *
 * What goes into a run: a file for each input that has one, random values from a seed for the
 * others.
 */
typedef struct _AssayFeed AssayFeed;

#define ASSAY_TYPE_FEED (assay_feed_get_type ())

GType assay_feed_get_type (void) G_GNUC_CONST;
AssayFeed *assay_feed_new (void) G_GNUC_WARN_UNUSED_RESULT;
AssayFeed *assay_feed_copy (const AssayFeed *self) G_GNUC_WARN_UNUSED_RESULT;
void assay_feed_free (AssayFeed *self);
gboolean assay_feed_equal (const AssayFeed *a, const AssayFeed *b);
const char *assay_feed_get_file (const AssayFeed *self, const char *input);
void assay_feed_set_file (AssayFeed *self, const char *input, const char *path);
char **assay_feed_list_inputs (const AssayFeed *self) G_GNUC_WARN_UNUSED_RESULT;
guint64 assay_feed_get_seed (const AssayFeed *self);
void assay_feed_set_seed (AssayFeed *self, guint64 seed);
guint assay_feed_get_steps (const AssayFeed *self);
void assay_feed_set_steps (AssayFeed *self, guint n_steps);
char **assay_feed_list_test_sets (const char *model) G_GNUC_WARN_UNUSED_RESULT;
void assay_feed_take_test_set (AssayFeed *self, const char *folder, const AssayRunPort *ports,
                               guint n_ports);
char *assay_feed_describe (const AssayFeed *self) G_GNUC_WARN_UNUSED_RESULT;
GPtrArray *assay_feed_make (const AssayFeed *self, const AssayRunPort *ports, guint n_ports,
                            guint model_steps, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayFeed, assay_feed_free)

G_END_DECLS
