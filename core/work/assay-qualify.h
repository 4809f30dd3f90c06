/* assay-qualify.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "work/assay-conformance.h"

G_BEGIN_DECLS

/**
 * AssayShard:
 * @index: which part, from 0
 * @n: number of parts, at least 1
 *
 * A part of a suite, which one of several machines runs.
 */
typedef struct
{
  guint index;
  guint n;
} AssayShard;

/**
 * AssayQualifyHead:
 * @suite: the folder
 * @on: the runner
 * @target: the target, "" for none
 * @shard: which part
 * @n_cases: number of cases in it
 *
 * What a log of results is about: its first line.
 */
typedef struct
{
  char *suite;
  char *on;
  char *target;
  AssayShard shard;
  guint n_cases;
} AssayQualifyHead;

/**
 * AssayQualifyLog:
 * @head: what it is about
 * @results: (element-type AssayConformanceResult): what is done
 *
 * A log that was read.
 */
typedef struct
{
  AssayQualifyHead head;
  GPtrArray *results;
} AssayQualifyLog;

gboolean assay_shard_parse (const char *text, char **environment, AssayShard *shard,
                            GError **error);
gboolean assay_shard_has (const AssayShard *self, const char *name);
char *assay_qualify_head_to_line (const AssayQualifyHead *self) G_GNUC_WARN_UNUSED_RESULT;
char *assay_qualify_result_to_line (const AssayConformanceResult *result) G_GNUC_WARN_UNUSED_RESULT;
AssayQualifyLog *assay_qualify_log_parse (const char *text, gsize length, const char *name,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_qualify_log_free (AssayQualifyLog *self);
AssayConformance *assay_qualify_merge (GPtrArray *logs, GError **error) G_GNUC_WARN_UNUSED_RESULT;
char *assay_qualify_expected (const AssayConformance *conformance) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayQualifyLog, assay_qualify_log_free)

G_END_DECLS
