/* assay-machine-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/stream/machine/assay-task-scheduler.h"
#include "backend/stream/machine/assay-machine.h"
#include "backend/stream/machine/assay-weights.h"

G_BEGIN_DECLS

#define ASSAY_N_SCRATCH 5

/**
 * AssayTransfer:
 * @port: index of a port
 * @lane: the first of its values
 *
 * Where a transfer comes from or goes to.
 */
typedef struct
{
  guint32 port;
  guint32 lane;
} AssayTransfer;

/**
 * AssayHand:
 * @machine: whose instructions it runs
 * @scratch: vectors of its own, as long as the longest of the program
 * @inputs: what the inference is given
 * @outputs: what it fills
 *
 * One thread at work on a machine.
 */
typedef struct
{
  AssayMachine *machine;
  float *scratch[ASSAY_N_SCRATCH];
  const float *const *inputs;
  float *const *outputs;
} AssayHand;

struct _AssayMachine
{
  AssayStreamCode *code;
  AssayMachineFlags flags;
  const AssayKernels *kernels;
  AssayWeights *weights;
  float **constants; /* per constant, padded to blocks */
  float **rounded;   /* the same in bf16 */
  float *stores[ASSAY_MAX_CORES][ASSAY_N_STORES];
  guint64 *pushes;               /* per ring */
  AssayTransfer *transfers;      /* per instruction; of inputs and outputs */
  GArray *hands;                 /* AssayHand, at least one */
  AssayTaskScheduler *scheduler; /* nullable: the threads of the hands */
  AssayTasks **tasks;            /* per model: nullable, of one thread */
  guint model;                   /* that is running */
  gsize block;
  AssayMachineTap tap;
  gpointer tap_data;
};

float *assay_machine_address (AssayMachine *self, guint core, const AssayOperand *operand);
void assay_hand_execute (const AssayHand *hand, const AssayInstruction *instruction);
void assay_hand_multiply (const AssayHand *hand, const AssayTask *tasks, guint n);
guint32 assay_hand_execute_some (const AssayHand *hand, const AssayInstruction *first, guint32 n);

/* So many lanes in whole blocks. */
static inline gsize
assay_machine_padded (const AssayMachine *self, gsize lanes)
{
  return (lanes + self->block - 1) / self->block * self->block;
}

static inline AssayRound
assay_machine_rounding (const AssayMachine *self, const AssayInstruction *instruction)
{
  return (self->flags & ASSAY_MACHINE_FP32) != 0 ? ASSAY_ROUND_F32
                                                 : (AssayRound) instruction->round;
}

G_END_DECLS
