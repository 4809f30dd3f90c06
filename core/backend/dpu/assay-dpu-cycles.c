/* assay-dpu-cycles.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * How long operations take: what the parallelism of the architecture allows at most, and what
 * memory does. The first follows from published numbers, the second is an estimate.
 */
#include "backend/dpu/assay-dpu-program.h"

static guint64
parts (guint64 n, guint64 parallel)
{
  return (n + parallel - 1) / MAX (parallel, 1);
}

static guint64
count_computing (const AssayDpuCode *code, const AssayDpuOp *op, const AssayDpuSize *size)
{
  const AssayDpuWindow *w = &op->window;
  guint64 pixels = parts ((guint64) w->n * w->oh * w->ow, size->pixels);
  guint64 taps = (guint64) w->kh * w->kw;

  switch (op->kind)
    {
    case ASSAY_DPU_CONV:
      return pixels * taps * parts (w->c, size->inputs) * parts (w->oc, size->outputs);
    case ASSAY_DPU_DEPTHWISE:
    case ASSAY_DPU_MAX_POOL:
    case ASSAY_DPU_AVERAGE_POOL:
      return pixels * taps * parts (w->oc, size->inputs);
    case ASSAY_DPU_ARG_MAX:
      return pixels * parts (w->c, size->inputs);
    case ASSAY_DPU_RESIZE:
      return pixels * 4 * parts (w->oc, size->inputs);
    default:
      return parts (assay_dpu_code_map (code, op->output)->n,
                    (guint64) size->pixels * size->inputs);
    }
}

/**
 * assay_dpu_count_cycles:
 * @code: a program
 * @op: one of its operations
 * @size: of the device
 * @computing: (out) (optional): cycles of the engine
 * @moving: (out) (optional): cycles of memory, where everything comes from there and goes there
 *
 * Counts the cycles of an operation, whichever is longer.
 *
 * Returns: the cycles; what the host does takes none
 */
guint64
assay_dpu_count_cycles (const AssayDpuCode *code, const AssayDpuOp *op, const AssayDpuSize *size,
                        guint64 *computing, guint64 *moving)
{
  guint64 bytes = op->n_weights;
  gboolean counts_time = op->kind != ASSAY_DPU_HOST && !op->fused;
  guint64 counts[2] = { counts_time ? count_computing (code, op, size) : 0, 0 };

  for (guint i = 0; i < op->n_inputs; i++)
    bytes += assay_dpu_code_map (code, op->inputs[i])->n;
  if (op->output != ASSAY_DPU_NO_MAP)
    bytes += assay_dpu_code_map (code, op->output)->n;
  counts[1] = counts_time ? parts (bytes, size->bytes) : 0;
  if (computing != NULL)
    *computing = counts[0];
  if (moving != NULL)
    *moving = counts[1];

  return MAX (counts[0], counts[1]);
}
