/* assay-stream-program.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/assay-build.h"
#include "backend/assay-program-class.h"
#include "backend/stream/compile/assay-probes.h"
#include "backend/stream/machine/assay-stream-code.h"

G_BEGIN_DECLS

/* How its files begin: field 1 of the message, its length, and what it says. */
#define ASSAY_STREAM_PROGRAM_MARK                                                                  \
  "\x0a\x0d"                                                                                       \
  "assay-program"

#define ASSAY_TYPE_STREAM_PROGRAM (assay_stream_program_get_type ())

/**
 * AssayStreamProgram:
 *
 * A program of the block-streaming backend.
 */
G_DECLARE_FINAL_TYPE (AssayStreamProgram, assay_stream_program, ASSAY, STREAM_PROGRAM, AssayProgram)

AssayProgram *assay_stream_program_new (AssayStreamCode *code) G_GNUC_WARN_UNUSED_RESULT;
AssayProgram *assay_stream_program_build (AssayTarget *target, const AssayCompileModel *models,
                                          guint n_models, const AssayConfigValues *config,
                                          const AssayCompileOptions *options,
                                          const AssayProgress *progress,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayProgram *assay_stream_program_build_io_only (const AssayConfigValues *config, gsize in_values,
                                                  gsize out_values,
                                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayProgram *assay_stream_program_load (GBytes *bytes, GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayBuildVersions assay_stream_program_get_versions (void);
AssayStreamCode *assay_stream_program_get_code (AssayProgram *program);
const AssayProbes *assay_stream_program_get_probes (AssayProgram *program);
AssayExecutor *assay_stream_executor_new (AssayProgram *program,
                                          const AssayExecutorOptions *options,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
