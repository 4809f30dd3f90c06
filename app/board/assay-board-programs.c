/* assay-board-programs.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The table of backends of an agent that is one file: it loads and runs programs, and builds none.
 */
#include "backend/assay-backend.h"
#include "backend/dpu/assay-dpu-program.h"
#include "backend/stream/assay-stream-program.h"

/* The first one says what is wrong with a file that none of them wrote. */
static const AssayBackendClass stream = { .mark = ASSAY_STREAM_PROGRAM_MARK,
                                          .load = assay_stream_program_load };
static const AssayBackendClass dpu = { .mark = ASSAY_DPU_PROGRAM_MARK,
                                       .load = assay_dpu_program_load };

const AssayCheckClass *const assay_check_classes[] = { &stream.check, &dpu.check, NULL };
