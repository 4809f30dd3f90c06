/* assay-stream-backend.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Block-streaming accelerators: compiled here, and run on the machine or on a board.
 */
#include "backend/assay-backend.h"
#include "backend/assay-config-private.h"
#include "backend/stream/assay-stream-program.h"
#include "backend/stream/check/assay-stream-check.h"
#include "backend/stream/compile/assay-lower-ports.h"

const AssayBackendClass assay_backend_stream = {
  .check = {
    .family = "block-streaming",
    .untaken = ASSAY_VERDICT_REJECTED,
    .settles_defaults = TRUE,
    .numbers = ASSAY_DTYPE_BF16,
    .predicates = assay_stream_predicates,
    .check_config = assay_config_check,
    .analyse = assay_stream_check_analyse,
    .settle = assay_stream_check_note_costs,
    .judge_port = assay_lower_judge_port,
  },
  .title = "Block-streaming",
  .capabilities = ASSAY_CAN (MAKES_PROGRAMS) | ASSAY_CAN (STREAMS) | ASSAY_CAN (HAS_STORES) |
                  ASSAY_CAN (COUNTS_CYCLES) | ASSAY_CAN (RUNS_HERE) | ASSAY_CAN (DEPLOYS) |
                  ASSAY_CAN (HAS_CONFIG),
  .build = assay_stream_program_build,
  .build_io_only = assay_stream_program_build_io_only,
  .mark = ASSAY_STREAM_PROGRAM_MARK,
  .load = assay_stream_program_load,
};
