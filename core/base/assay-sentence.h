/* assay-sentence.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What stands behind a noun that is counted: `%u node%s`. */
static inline const char *
assay_plural (guint64 count)
{
  return count == 1 ? "" : "s";
}

/* The same where an s is not all: `%u %s`. */
static inline const char *
assay_noun (guint64 count, const char *one, const char *many)
{
  return count == 1 ? one : many;
}

/* A measure as it is written: 1.04 in two digits is one. */
static inline const char *
assay_plural_of (const char *number)
{
  return g_str_equal (number, "1") ? "" : "s";
}

char *assay_sentence_new (const char *text) G_GNUC_WARN_UNUSED_RESULT;
char *assay_sentence_dup_closed (const char *text) G_GNUC_WARN_UNUSED_RESULT;
char *assay_sentence_dup_shown (const char *message) G_GNUC_WARN_UNUSED_RESULT;
char *assay_sentence_dup_count (guint64 count) G_GNUC_WARN_UNUSED_RESULT;
char *assay_sentence_dup_measure (double measure) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
