/* assay-config.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "target/assay-target.h"

G_BEGIN_DECLS

/**
 * AssayTiming:
 * @input_latency: cycles from the first word at the port to the first block that a core can read
 * @output_latency: cycles from a finished block to the port
 * @matrix_latency: from the last product of a row to its accumulator
 * @drain_latency: from an accumulator to the rounded result, a bound included
 * @vector_latency: a pass of two operands through the pointwise unit
 * @network_hop: cycles for a block from one core to another
 * @lane_reduction: from the last block of a vector to the sum of its lanes, scaled, in every lane
 * of a block
 * @function_use: a pass through the function unit
 * @recurrent_cell: from four gates to hidden and cell state
 * @accumulate_interval: from one sum into an accumulator to the next into the same one
 *
 * How long the units of a fabric take, in cycles.
 */
typedef struct
{
  guint input_latency;
  guint output_latency;
  guint matrix_latency;
  guint drain_latency;
  guint vector_latency;
  guint network_hop;
  guint lane_reduction;
  guint function_use;
  guint recurrent_cell;
  guint accumulate_interval;
} AssayTiming;

/**
 * AssayFabric:
 * @ASSAY_FABRIC_AGILEX: Agilex
 * @ASSAY_FABRIC_VERSAL_SG2: Versal, speed grade 2
 * @ASSAY_FABRIC_VERSAL_SG3: Versal, speed grade 3
 *
 * What the multipliers are made of; those of Versal take fp8 weights.
 */
typedef enum
{
  ASSAY_FABRIC_AGILEX,
  ASSAY_FABRIC_VERSAL_SG2,
  ASSAY_FABRIC_VERSAL_SG3,
} AssayFabric;

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
 * @fabric: an #AssayFabric
 * @timing: how long its units take
 *
 * A hardware configuration, for those who compute with it.
 */
typedef struct
{
  guint num_cores;
  guint block_size;
  guint tensor_ram_depth;
  guint tensor_descriptor_count;
  guint weight_store_depth;
  guint accum_store_depth;
  guint cell_state_depth;
  guint clamp_store_depth;
  guint max_read_size;
  guint io_size;
  guint clock_mhz;
  guint fabric;
  AssayTiming timing;
} AssayConfigValues;

#define ASSAY_TYPE_CONFIG (assay_config_get_type ())

G_DECLARE_FINAL_TYPE (AssayConfig, assay_config, ASSAY, CONFIG, GObject)

/* The member of target files that is their number. */
#define ASSAY_CONFIG_CORES "num_cores"

AssayConfig *assay_config_new (int num_cores, int block_size,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayConfig *assay_config_new_for_target (AssayTarget *target,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayConfig *assay_config_new_for_settings (AssayTarget *target, const AssaySettings *settings,
                                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayConfig *assay_config_new_preset (const char *id, GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayConfig *assay_config_new_from_json (JsonObject *json, const char *name,
                                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayConfig *
assay_config_new_for_values (const AssayConfigValues *values) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_config_set_member (AssayConfig *self, const char *member, gint64 value,
                                  GError **error);
AssayConfig *assay_config_load (const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_config_save (AssayConfig *self, const char *path, GError **error);
JsonObject *assay_config_to_json (AssayConfig *self) G_GNUC_WARN_UNUSED_RESULT;
const AssayConfigValues *assay_config_get_values (AssayConfig *self);
gboolean assay_config_is_whole (AssayConfig *self, GError **error);
const char *assay_config_get_fabric (AssayConfig *self);
gboolean assay_config_is_estimated (AssayConfig *self, const char *field);

const char *assay_timing_parameter_name (guint index);
guint *assay_timing_parameter (AssayTiming *timing, guint index);

G_END_DECLS
