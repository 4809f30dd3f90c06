/* assay-cycle-mix.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/stream/machine/assay-stream-code.h"

G_BEGIN_DECLS

#define ASSAY_N_TIMING (sizeof (AssayTiming) / sizeof (guint))

/**
 * AssayCycleMix:
 * @cycles: spaced cycles of an inference
 * @cores: cores of the hardware
 * @block: values in a block
 * @parts: thousandths of @cycles that each timing parameter makes, in the order of the `timing`
 * object; what is left is work that comes block by block
 *
 * What the cycles of a model are made of, by which models are told to be alike.
 */
typedef struct
{
  guint32 cycles;
  guint32 cores;
  guint32 block;
  guint32 parts[ASSAY_N_TIMING];
} AssayCycleMix;

void assay_cycle_mix_measure (const AssayStreamCode *code, guint model, AssayCycleMix *mix);
double assay_cycle_mix_distance (const AssayCycleMix *a, const AssayCycleMix *b);
double assay_cycle_mix_error (const AssayCycleMix *mix);

G_END_DECLS
