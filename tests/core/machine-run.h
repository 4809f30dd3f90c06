/* machine-run.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/stream/compile/assay-compile.h"
#include "backend/stream/machine/assay-machine.h"

G_BEGIN_DECLS

/**
 * MachineWay:
 * @config: the hardware
 * @options: how it is compiled; with streaming axes the model runs one timestep after another
 * @flags: how it runs
 * @n_threads: in how many threads an inference runs, 0 for one
 *
 * One way to compile and run a graph.
 */
typedef struct
{
  AssayConfigValues config;
  AssayCompileOptions options;
  AssayMachineFlags flags;
  guint n_threads;
} MachineWay;

/* A configuration whose stores are large enough for any test. */
#define MACHINE_CONFIG(cores, block)                                                               \
  {                                                                                                \
    .num_cores = (cores), .block_size = (block), .tensor_ram_depth = 8192,                         \
    .tensor_descriptor_count = 65536, .weight_store_depth = 8192, .accum_store_depth = 8192,       \
    .cell_state_depth = 1024, .clamp_store_depth = 64, .max_read_size = 512, .io_size = 32,        \
    .clock_mhz = 300, .timing = {                                                                  \
      10,                                                                                          \
      36,                                                                                          \
      25,                                                                                          \
      4,                                                                                           \
      14,                                                                                          \
      21,                                                                                          \
      16,                                                                                          \
      14,                                                                                          \
      15,                                                                                          \
      2                                                                                            \
    }                                                                                              \
  }

AssayGraph *machine_graph_try_text (const char *body) G_GNUC_WARN_UNUSED_RESULT;
AssayGraph *machine_graph_from_text (const char *body);
float **machine_inputs (AssayGraph *graph, GRand *rand, double low, double high);
float **machine_run_graph (AssayGraph *graph, const MachineWay *way, float **inputs,
                           GError **error);
float **machine_run_code (AssayStreamCode *code, AssayGraph *graph, const MachineWay *way,
                          float **inputs, GError **error);
gsize machine_count (const AssayGraph *graph, AssayValueId id);
void machine_free (float **tensors);

G_END_DECLS
