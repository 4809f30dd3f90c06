/* assay-delegate-backend.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Delegates with a host runtime beside them: verdicts, fusion groups and partitions, and programs
 * that a graphics processor and the host run together.
 */
#include "backend/assay-backend.h"
#include "backend/delegate/assay-delegate-device.h"
#include "backend/delegate/assay-delegate-layout.h"
#include "backend/delegate/assay-delegate-predicate.h"
#include "backend/delegate/assay-delegate-program.h"
#include "target/assay-check-private.h"

/* The device whose limits count, if one was given. */
static gboolean
analyse (AssayCheck *check, GError **error)
{
  AssayDelegateDevice *device;

  if (!assay_delegate_device_load_set (check->settings, &device, error))
    return FALSE;
  check->analysis = device;
  check->analysis_free = (GDestroyNotify) assay_delegate_device_free;

  return TRUE;
}

/* What the delegate takes and nobody here knows the meaning of has no place to run: its program
 * would need the host for it. */
static void
settle (AssayCheck *check)
{
  static const char *const reason =
      "The delegate takes it, and nothing here knows what it computes";

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (check->graph) && !check->is_call; id++)
    {
      AssayVerdict *verdict = &g_array_index (check->result->verdicts, AssayVerdict, id);

      if (assay_graph_node (check->graph, id)->op != ASSAY_OP_OPAQUE ||
          verdict->kind < ASSAY_VERDICT_FUSED || verdict->kind == ASSAY_VERDICT_REMOVED)
        continue;
      verdict->earlier = assay_arena_memdup (check->arena, verdict, sizeof *verdict);
      verdict->kind = ASSAY_VERDICT_REJECTED;
      verdict->stage = ASSAY_STAGE_COMPILE;
      verdict->rule = "builtin.unknown-function";
      verdict->reason = reason;
      assay_check_add_cause (check, verdict, NULL, reason);
    }
  if (!check->is_call)
    assay_delegate_layouts_find (check);
}

const AssayBackendClass assay_backend_delegate = {
  .check = {
    .family = "delegate",
    .untaken = ASSAY_VERDICT_REJECTED,
    .divides = TRUE,
    .numbers = ASSAY_DTYPE_F32,
    .narrow_option = "force_fp16",
    .predicates = assay_delegate_predicates,
    .analyse = analyse,
    .settle = settle,
  },
  .title = "Delegate",
  .capabilities = ASSAY_CAN (MAKES_PROGRAMS) | ASSAY_CAN (HAS_STORES) | ASSAY_CAN (MEASURES_TIME) |
                  ASSAY_CAN (RUNS_HERE) | ASSAY_CAN (DEPLOYS) | ASSAY_CAN (HAS_DEVICES),
  .machine = "vulkan",
  .builds_checked = TRUE,
  .build = assay_delegate_program_build,
  .mark = ASSAY_DELEGATE_PROGRAM_MARK,
  .load = assay_delegate_program_load,
};
