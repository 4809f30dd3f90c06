/* assay-program-metrics.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/assay-program.h"

G_BEGIN_DECLS

/**
 * ASSAY_BYTES_UNKNOWN:
 *
 * In place of a number of bytes that nobody knows before it is computed.
 */
#define ASSAY_BYTES_UNKNOWN G_MAXUINT64

/**
 * AssayProgramFigure:
 * @title: (nullable): at the head of a column; %NULL for what has no place in tables
 * @label: (nullable): at the beginning of a row
 * @limit_name: (nullable): member of a document with the limit; %NULL for what has none
 * @name: (nullable): member of a document with a number per core; %NULL if there is but a limit
 * @limit: how many of them a core has
 * @used: (array): per core how many it uses
 *
 * Something that a program uses of every core.
 */
typedef struct
{
  const char *title;
  const char *label;
  const char *limit_name;
  const char *name;
  guint64 limit;
  guint64 *used;
} AssayProgramFigure;

/**
 * AssayProgramMetrics:
 * @program: the program
 * @n_cores: number of cores
 * @figures: (element-type AssayProgramFigure): what is used, in the order of documents
 * @input_bytes: (array): per model bytes that go in per inference, every input padded
 * @output_bytes: (array): per model bytes that come out per inference, every output padded;
 * %ASSAY_BYTES_UNKNOWN if that depends on what is computed
 *
 * What a program uses of its hardware.
 */
typedef struct
{
  AssayProgram *program;
  guint n_cores;
  GArray *figures;
  guint64 *input_bytes;
  guint64 *output_bytes;
} AssayProgramMetrics;

AssayProgramMetrics *assay_program_metrics_new (AssayProgram *program) G_GNUC_WARN_UNUSED_RESULT;
void assay_program_metrics_free (AssayProgramMetrics *self);
AssayProgramFigure *assay_program_metrics_add (AssayProgramMetrics *self,
                                               const AssayProgramFigure *figure);
const AssayProgramFigure *assay_program_metrics_find (const AssayProgramMetrics *self,
                                                      const char *name);
guint32 assay_program_metrics_count_free (const AssayProgramMetrics *self, const char *limit_name);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayProgramMetrics, assay_program_metrics_free)

G_END_DECLS
