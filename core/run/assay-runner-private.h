/* assay-runner-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "run/assay-run-parts.h"
#include "run/assay-runner.h"

G_BEGIN_DECLS

typedef struct _AssayRunnerClass AssayRunnerClass;

/**
 * AssayRunnerClass:
 * @machine: (nullable): of the machines that run programs here, the one that it is
 * @open: makes ready what runs, into @data; inputs and outputs are those of the subject unless it
 * sets others
 * @close: (nullable): frees @data, which may be %NULL
 * @can_observe: (nullable): whether it can show a value; %NULL if it can show none
 * @run: runs the inputs, which have been checked against the ports, and appends the latencies
 * @runs_shader: (nullable): whether a shader of a graphics processor runs a node
 *
 * What a kind of runner does.
 */
struct _AssayRunnerClass
{
  const char *machine;
  gboolean (*open) (AssayRunner *self, const AssayRunnerOptions *options,
                    const AssayProgress *progress, GError **error);
  void (*close) (AssayRunner *self);
  gboolean (*can_observe) (AssayRunner *self, AssayValueId value);
  GPtrArray *(*run) (AssayRunner *self, GPtrArray *inputs, const AssayRunObserver *observer,
                     const AssayProgress *progress, GError **error);
  gboolean (*runs_shader) (AssayRunner *self, AssayNodeId node);
};

struct _AssayRunner
{
  const AssayRunnerKind *kind;
  char *spec;
  char *argument; /* (nullable): without the word of the variant */
  gboolean is_variant;
  char *label; /* (nullable): instead of that of the kind */
  AssayRunSubject *subject;
  GArray *inputs;    /* AssayRunPort */
  GArray *outputs;   /* AssayRunPort */
  GArray *parts;     /* (nullable): AssayRunPort, what the last run gave in the place of @outputs */
  GArray *latencies; /* gint64, nanoseconds per inference of the last run */
  GArray *steps;     /* AssayRunnerStep, of the last run; empty where parts are not timed */
  gpointer data;
};

extern const AssayRunnerClass assay_runner_machine_class;
extern const AssayRunnerClass assay_runner_machine_fp32_class;
extern const AssayRunnerClass assay_runner_dpu_class;
extern const AssayRunnerClass assay_runner_dpu_quantiser_class;
extern const AssayRunnerClass assay_runner_reference_class;
extern const AssayRunnerClass assay_runner_reference_wide_class;
extern const AssayRunnerClass assay_runner_vulkan_class;
extern const AssayRunnerClass assay_runner_ort_class;
extern const AssayRunnerClass assay_runner_command_class;
extern const AssayRunnerClass assay_runner_unconfined_class;
extern const AssayRunnerClass assay_runner_board_class;
extern const AssayRunnerClass assay_runner_files_class;

gint64 assay_runner_now (void);
void assay_runner_add_latency (AssayRunner *self, gint64 begin);
void assay_runner_take_parts (AssayRunner *self, guint output, const AssayRunParts *parts,
                              GPtrArray *outputs);
gboolean assay_runner_check_inputs (AssayRunner *self, GPtrArray *inputs, GError **error);
gboolean assay_runner_check_output (AssayRunner *self, const AssayRunPort *port,
                                    AssayTensor *tensor, GError **error);

G_END_DECLS
