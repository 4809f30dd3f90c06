/* assay-config.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "target/assay-target.h"

G_BEGIN_DECLS

/**
 * AssayTiming:
 * @input_latency: cycles from the first word at the card to the first block a core can read
 * @output_latency: cycles from the last block in the output buffer to the last word at the card
 * @matrix_latency: depth of the matrix pipeline, to a drained accumulator
 * @vector_latency: depth of the vector pipeline
 * @network_hop: cycles for a block from one core to another
 * @lane_reduction: sum over lanes, mean, reciprocal root and broadcast of the result
 * @function_use: what each further use of the function unit adds
 * @recurrent_cell: from four gates to hidden and cell state
 *
 * How long the units of a fabric take, in cycles.
 */
typedef struct
{
  int input_latency;
  int output_latency;
  int matrix_latency;
  int vector_latency;
  int network_hop;
  int lane_reduction;
  int function_use;
  int recurrent_cell;
} AssayTiming;

/**
 * AssayConfigValues:
 * @num_cores: cores
 * @block_size: values in a block
 * @tensor_ram_depth: blocks of activations per core
 * @tensor_descriptor_count: tensors that a core can address
 * @weight_store_depth: weight blocks per core, block size squared values each
 * @accum_store_depth: fp32 partial sums per core, in blocks
 * @cell_state_depth: LSTM cell state per core, in blocks
 * @clamp_store_depth: distinct clamps per core
 * @max_read_size: blocks that one instruction can read
 * @io_size: values that every input and output is padded to a multiple of
 * @clock_mhz: clock
 * @timing: how long its units take
 *
 * A hardware configuration, for those who compute with it.
 */
typedef struct
{
  int num_cores;
  int block_size;
  int tensor_ram_depth;
  int tensor_descriptor_count;
  int weight_store_depth;
  int accum_store_depth;
  int cell_state_depth;
  int clamp_store_depth;
  int max_read_size;
  int io_size;
  int clock_mhz;
  AssayTiming timing;
} AssayConfigValues;

#define ASSAY_TYPE_CONFIG (assay_config_get_type ())

G_DECLARE_FINAL_TYPE (AssayConfig, assay_config, ASSAY, CONFIG, GObject)

AssayConfig             *assay_config_new            (int            num_cores,
                                                      int            block_size,
                                                      GError       **error) G_GNUC_WARN_UNUSED_RESULT;
AssayConfig             *assay_config_new_for_target (AssayTarget   *target,
                                                      GError       **error) G_GNUC_WARN_UNUSED_RESULT;
AssayConfig             *assay_config_new_preset     (const char    *id,
                                                      GError       **error) G_GNUC_WARN_UNUSED_RESULT;
AssayConfig             *assay_config_new_from_json  (JsonObject    *json,
                                                      const char    *name,
                                                      GError       **error) G_GNUC_WARN_UNUSED_RESULT;
AssayConfig             *assay_config_load           (const char    *path,
                                                      GError       **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean                 assay_config_save           (AssayConfig   *self,
                                                      const char    *path,
                                                      GError       **error);
JsonObject              *assay_config_to_json        (AssayConfig   *self) G_GNUC_WARN_UNUSED_RESULT;
const AssayConfigValues *assay_config_get_values     (AssayConfig   *self);
const char              *assay_config_get_fabric     (AssayConfig   *self);
gboolean                 assay_config_is_estimated   (AssayConfig   *self,
                                                      const char    *field);

G_END_DECLS
