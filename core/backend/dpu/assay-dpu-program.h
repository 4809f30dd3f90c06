/* assay-dpu-program.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/assay-build.h"
#include "backend/assay-program-class.h"
#include "backend/dpu/assay-dpu-code.h"
#include "target/assay-verdict.h"

G_BEGIN_DECLS

/**
 * AssayDpuSize:
 * @pixels: that are computed in parallel
 * @inputs: channels that go in in parallel
 * @outputs: channels that come out in parallel
 * @clock_mhz: clock
 * @bytes: that memory moves per cycle
 *
 * A size of the device.
 */
typedef struct
{
  guint pixels;
  guint inputs;
  guint outputs;
  guint clock_mhz;
  guint bytes;
} AssayDpuSize;

/* How its files begin. */
#define ASSAY_DPU_PROGRAM_MARK "assay dpu program 2\n"

/* The runner that runs them here. */
#define ASSAY_DPU_MACHINE "dpu"

#define ASSAY_TYPE_DPU_PROGRAM (assay_dpu_program_get_type ())
G_DECLARE_FINAL_TYPE (AssayDpuProgram, assay_dpu_program, ASSAY, DPU_PROGRAM, AssayProgram)

AssayProgram *assay_dpu_program_new (AssayGraph *graph, const AssayDpuPlacement *placement,
                                     const AssayDpuOptions *options, const AssayDpuSize *size,
                                     const char *target_id, const char *model_name,
                                     AssayFindings *findings,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayProgram *assay_dpu_program_build (AssayTarget *target, const AssayCompileModel *models,
                                       guint n_models, const AssayConfigValues *config,
                                       const AssayCompileOptions *options,
                                       const AssayProgress *progress,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
const AssayDpuCode *assay_dpu_program_get_code (AssayDpuProgram *self);
GBytes *assay_dpu_program_to_bytes (AssayProgram *program, GError **error);
AssayProgram *assay_dpu_program_load (GBytes *bytes, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* What the file needs besides the graph. */
typedef struct
{
  AssayDpuPlacement placement;
  AssayDpuSize size;
  char *target_id;
} AssayDpuOrigin;

const AssayDpuOrigin *assay_dpu_program_get_origin (AssayDpuProgram *self);
guint64 assay_dpu_count_cycles (const AssayDpuCode *code, const AssayDpuOp *op,
                                const AssayDpuSize *size, guint64 *computing, guint64 *moving);

G_END_DECLS
