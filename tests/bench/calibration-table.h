/* calibration-table.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * CalibrationRow:
 * @cells: the row as it stands
 * @model: the family
 * @size: the rest of what the model is
 * @config: the configuration
 * @figures: spaced and contiguous cycles, or the mean latency and %NULL
 * @file: name of the ONNX file that holds the model, the same for all configurations
 *
 * One row of a table of cycle counts or of latencies.
 */
typedef struct
{
  char **cells;
  const char *model;
  const char *size;
  const char *config;
  const char *figures[2];
  char *file;
} CalibrationRow;

/**
 * CalibrationTable:
 * @latencies: whether its figures are microseconds of cards rather than cycles
 * @rows: (element-type CalibrationRow): its rows
 *
 * A table of published figures.
 */
typedef struct
{
  gboolean latencies;
  GArray *rows;
} CalibrationTable;

CalibrationTable *calibration_table_read (const char *path, GError **error);
void calibration_table_free (CalibrationTable *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CalibrationTable, calibration_table_free)

G_END_DECLS
