/* assay-stream-backend.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Block-streaming accelerators: compiled here, and run on the machine or on a board.
 */
#include "backend/assay-backend.h"
#include "backend/stream/assay-config-private.h"
#include "backend/stream/check/assay-stream-check.h"

static gboolean
validate (AssayTarget *target, GError **error)
{
  g_autoptr (AssayConfig) config = NULL;

  /* Rules that others extend have no hardware of their own. */
  if (!json_object_has_member (assay_target_get_json (target), "config"))
    return TRUE;
  config = assay_config_new_for_target (target, error);

  return config != NULL;
}

const AssayBackendClass assay_backend_stream = {
  .check = {
    .family = "block-streaming",
    .untaken = ASSAY_VERDICT_REJECTED,
    .settles_defaults = TRUE,
    .predicates = assay_stream_predicates,
    .check_config = assay_config_check,
    .analyse = assay_stream_check_analyse,
    .settle = assay_stream_check_note_costs,
  },
  .title = "Block-streaming",
  .capabilities = ASSAY_CAN (MAKES_PROGRAMS) | ASSAY_CAN (STREAMS) | ASSAY_CAN (HAS_STORES) |
                  ASSAY_CAN (COUNTS_CYCLES) | ASSAY_CAN (RUNS_HERE) | ASSAY_CAN (DEPLOYS) |
                  ASSAY_CAN (HAS_CONFIG),
  .validate = validate,
};
