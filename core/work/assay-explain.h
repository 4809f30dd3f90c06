/* assay-explain.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "run/assay-comparison.h"
#include "work/assay-work.h"

G_BEGIN_DECLS

/**
 * AssayErrorShare:
 * @node: a node
 * @own_error: its own scaled error, in units of bf16
 * @output_error: the largest scaled error of an output when the result of this node is kept in fp32
 * @output_sqnr_db: the smallest SQNR of an output then
 * @gain_db: how much better that is than without
 * @cycles: how many cycles more an inference takes then
 * @blocks: how many blocks more of weight store and tensor RAM, of all cores together
 * @refusal: (nullable): why it cannot be kept in fp32; the numbers above are those without then
 *
 * What one node has to do with the error of the outputs.
 */
typedef struct
{
  char *node;
  double own_error;
  double output_error;
  double output_sqnr_db;
  double gain_db;
  gint64 cycles;
  gint64 blocks;
  char *refusal;
} AssayErrorShare;

gint64 assay_explain_count_blocks (AssayProgram *program);
gint64 assay_explain_count_cycles (const AssayRunSubject *subject);
GArray *assay_explain_error (const AssayComparison *comparison, AssayWork *work,
                             const char *reference, GPtrArray *inputs, guint n_nodes,
                             const AssayProgress *progress,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
