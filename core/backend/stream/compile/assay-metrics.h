/* assay-metrics.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/stream/machine/assay-stream-code.h"

G_BEGIN_DECLS

/**
 * AssayCoreMetrics:
 * @clamp_store: distinct pairs of bounds
 * @tensor_ram: blocks of tensor RAM
 * @weight_store: weight blocks
 * @accum_store: blocks of partial sums
 * @cell_state: blocks of cell state
 * @tensor_descriptors: places in tensor RAM, base and length, that the core addresses
 * @bias_store: blocks of biases and other constant vectors that its instructions read
 * @tensor_ram_live: the most blocks of tensor RAM that live at one step; what is used beyond it is
 * fragmentation
 * @longest_read: blocks of the longest operand of an instruction
 * @instrs: instructions
 * @micro_instrs: unit-cycles of work: what the instructions would take one after another without
 * any latency
 *
 * What a program uses of one core. Use of a store is the number of its blocks from address 0 to the
 * highest one that the program touches: the least depth with which this very program runs.
 */
typedef struct
{
  guint32 clamp_store;
  guint32 tensor_ram;
  guint32 weight_store;
  guint32 accum_store;
  guint32 cell_state;
  guint32 tensor_descriptors;
  guint32 bias_store;
  guint32 tensor_ram_live;
  guint32 longest_read;
  guint32 instrs;
  guint64 micro_instrs;
} AssayCoreMetrics;

/**
 * AssayCodeMetrics:
 * @config: the hardware, with the depth of every store
 * @n_cores: number of cores
 * @cores: (array length=n_cores): what is used of each
 * @n_models: number of models
 * @model_names: (array length=n_models): their names
 * @input_bytes: (array length=n_models): bytes that go in per inference, every input padded
 * @output_bytes: (array length=n_models): bytes that come out per inference, every output padded
 *
 * What a program uses of its hardware.
 */
typedef struct
{
  AssayConfigValues config;
  guint n_cores;
  AssayCoreMetrics *cores;
  guint n_models;
  char **model_names;
  guint64 *input_bytes;
  guint64 *output_bytes;
} AssayCodeMetrics;

AssayCodeMetrics *
assay_stream_code_metrics_new (const AssayStreamCode *code) G_GNUC_WARN_UNUSED_RESULT;
void assay_stream_code_metrics_free (AssayCodeMetrics *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayCodeMetrics, assay_stream_code_metrics_free)

G_END_DECLS
