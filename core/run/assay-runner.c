/* assay-runner.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "run/assay-runner-private.h"

#include <string.h>
#include <time.h>

#include "backend/assay-backend.h"
#include "base/assay-error.h"
#include "base/assay-sentence.h"

/* Gets the text after the colon, without the word of the variant if it begins with that. */
static const char *
argument_of (const AssayRunnerKind *kind, const char *spec, gboolean *is_variant)
{
  const char *argument = strchr (spec, ':');
  gsize length = kind->variant != NULL ? strlen (kind->variant) : 0;

  *is_variant = argument != NULL && length > 0 &&
                strncmp (argument + 1, kind->variant, length) == 0 &&
                (argument[1 + length] == ':' || argument[1 + length] == '\0');
  if (*is_variant)
    argument += 1 + length;

  return argument != NULL && *argument == ':' ? argument + 1 : NULL;
}

static const AssayRunnerKind kinds[] = {
  { "vm", "Machine bf16", NULL, FALSE,
    "The virtual machine: bit for bit what the accelerator computes", TRUE, FALSE, TRUE,
    ASSAY_COMPARE_BF16, FALSE, FALSE, ASSAY_OBSERVING_HARMLESS, NULL, NULL,
    &assay_runner_machine_class },
  { "vm-fp32", "Machine fp32", NULL, FALSE, "The same program with fp32 storage", TRUE, FALSE, TRUE,
    ASSAY_COMPARE_FP32, FALSE, FALSE, ASSAY_OBSERVING_HARMLESS, NULL, NULL,
    &assay_runner_machine_fp32_class },
  { "dpu", "DPU", NULL, FALSE, "The integer machine: bit for bit what the DPU's reference computes",
    TRUE, FALSE, TRUE, ASSAY_COMPARE_INT8, FALSE, FALSE, ASSAY_OBSERVING_HARMLESS, NULL, NULL,
    &assay_runner_dpu_class },
  { "dpu-quantiser", "DPU quantiser", NULL, FALSE,
    "The same program as the tool that quantised simulates it", TRUE, FALSE, TRUE,
    ASSAY_COMPARE_INT8, FALSE, FALSE, ASSAY_OBSERVING_HARMLESS, NULL, NULL,
    &assay_runner_dpu_quantiser_class },
  { "reference", "Reference fp32", NULL, FALSE, "The evaluator, in fp32", FALSE, TRUE, TRUE,
    ASSAY_COMPARE_FP32, FALSE, FALSE, ASSAY_OBSERVING_HARMLESS, NULL, NULL,
    &assay_runner_reference_class },
  { "reference-fp64", "Reference fp64", NULL, FALSE, "The evaluator, in double", FALSE, TRUE, TRUE,
    ASSAY_COMPARE_FP32, FALSE, FALSE, ASSAY_OBSERVING_HARMLESS, NULL, NULL,
    &assay_runner_reference_wide_class },
  { "ort", "ONNX Runtime", "LIBRARY", TRUE,
    "ONNX Runtime, in a process of its own; ort:plain or ort:plain:LIBRARY without its "
    "optimisations",
    FALSE, TRUE, FALSE, ASSAY_COMPARE_FP32, TRUE, FALSE, ASSAY_OBSERVING_PART, "plain",
    "ONNX Runtime without optimisations", &assay_runner_ort_class },
  { "command", "Command", "PATH", FALSE,
    "A program of yours, which writes to a folder of its own and reaches no network", FALSE, TRUE,
    FALSE, ASSAY_COMPARE_FP32, TRUE, FALSE, ASSAY_OBSERVING_PART, NULL, NULL,
    &assay_runner_command_class },
  { "unconfined", "Command", "PATH", FALSE, "A program of yours, with all of your rights", FALSE,
    TRUE, FALSE, ASSAY_COMPARE_FP32, TRUE, TRUE, ASSAY_OBSERVING_PART, NULL, NULL,
    &assay_runner_unconfined_class },
  { "vulkan", "Vulkan", "DEVICE", TRUE,
    "The program of a delegate on a graphics processor: vulkan, vulkan:NUMBER, vulkan:NAME", TRUE,
    FALSE, FALSE, ASSAY_COMPARE_FP32, FALSE, TRUE, ASSAY_OBSERVING_WHOLE, NULL, NULL,
    &assay_runner_vulkan_class },
  { "board", "Board", "NAME", FALSE, "The program on a board: board:local, board:ssh:HOST", TRUE,
    FALSE, FALSE, ASSAY_COMPARE_BF16, FALSE, TRUE, ASSAY_OBSERVING_HARMLESS, NULL, NULL,
    &assay_runner_board_class },
  { "files", "Files", "FOLDER", FALSE, "Outputs that were recorded before", FALSE, FALSE, FALSE,
    ASSAY_COMPARE_FP32, FALSE, FALSE, ASSAY_OBSERVING_HARMLESS, NULL, NULL,
    &assay_runner_files_class },
};

/**
 * assay_runner_kind_get:
 * @index: which row
 *
 * Lists the kinds of runners.
 *
 * Returns: (nullable): the row, %NULL behind the last
 */
const AssayRunnerKind *
assay_runner_kind_get (guint index)
{
  return index < G_N_ELEMENTS (kinds) ? &kinds[index] : NULL;
}

/**
 * assay_runner_kind_find:
 * @spec: what the user typed, such as `vm` or `board:local`
 * @error: return location for a #GError
 *
 * Finds the kind of a runner, and checks that an argument is there if and only if it takes one.
 *
 * Returns: (nullable): the row
 */
const AssayRunnerKind *
assay_runner_kind_find (const char *spec, GError **error)
{
  gsize length = strcspn (spec, ":");
  gboolean has_argument = spec[length] == ':' && spec[length + 1] != '\0';
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      const AssayRunnerKind *kind = &kinds[i];

      g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", kind->name);
      if (kind->argument != NULL)
        g_string_append_printf (names, kind->argument_optional ? "[:%s]" : ":%s", kind->argument);

      if (strlen (kind->name) != length || strncmp (kind->name, spec, length) != 0)
        continue;
      if (kind->argument == NULL ? spec[length] == '\0'
                                 : has_argument || (kind->argument_optional && !spec[length]))
        return kind;

      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "runner %s: %s takes %s%s", spec,
                   kind->name, kind->argument != NULL ? "an argument, such as " : "no argument",
                   kind->argument != NULL ? kind->argument : "");
      return NULL;
    }

  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "runner %s: expected one of %s", spec,
               names->str);
  return NULL;
}

/**
 * assay_runner_for_target:
 * @spec: a runner
 * @target: (nullable): a target
 *
 * Finds what a choice comes to for a target: instead of a machine that runs programs of others, the
 * one that runs its own.
 *
 * Returns: the runner, which may be @spec
 */
const char *
assay_runner_for_target (const char *spec, AssayTarget *target)
{
  const AssayRunnerKind *kind = assay_runner_kind_find (spec, NULL);
  const char *machine;

  if (kind == NULL || kind->klass->machine == NULL || target == NULL ||
      !assay_backend_has (target, ASSAY_CAPABILITY_RUNS_HERE))
    return spec;
  machine = assay_backend_for_target (target)->machine;
  machine = machine != NULL ? machine : "vm";

  return g_str_equal (kind->klass->machine, machine) ? spec : machine;
}

/**
 * assay_runner_names_program:
 * @spec: a runner, such as `command:PATH`
 *
 * Tells whether a runner says what program or library is loaded. Where it comes from a file, users
 * are asked first.
 *
 * Returns: whether it does
 */
gboolean
assay_runner_names_program (const char *spec)
{
  const AssayRunnerKind *kind = assay_runner_kind_find (spec, NULL);
  gboolean is_variant;

  return kind != NULL && kind->names_program && argument_of (kind, spec, &is_variant) != NULL;
}

/**
 * assay_runner_kind_check:
 * @self: a row
 * @spec: what the user typed, for the message
 * @subject: what is to be run
 * @error: return location for a #GError
 *
 * Checks that a kind of runner can run a kind of subject, as opening does.
 *
 * Returns: whether it can
 */
gboolean
assay_runner_kind_check (const AssayRunnerKind *self, const char *spec,
                         const AssayRunSubject *subject, GError **error)
{
  const char *path = subject->path != NULL ? subject->path : "the subject";

  if (self->needs_program && subject->program == NULL)
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                 "%s: runner %s runs programs: name a target", path, spec);
  else if (self->needs_graph && subject->imported == NULL)
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                 "%s: runner %s runs models, this is a program", path, spec);
  else if (self->klass->machine != NULL && subject->program != NULL &&
           !g_str_equal (self->klass->machine, assay_program_get_machine (subject->program)))
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                 "%s: runner %s is not the machine of %s: that is %s", path, spec,
                 assay_program_get_facts (subject->program)->target_id,
                 assay_program_get_machine (subject->program));
  else
    return TRUE;

  return FALSE;
}

/**
 * assay_runner_open:
 * @spec: the kind, with its argument behind a colon
 * @subject: what is to be run
 * @options: (nullable): how
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Makes a runner ready for a subject.
 *
 * Returns: (transfer full) (nullable): the runner
 */
AssayRunner *
assay_runner_open (const char *spec, AssayRunSubject *subject, const AssayRunnerOptions *options,
                   const AssayProgress *progress, GError **error)
{
  const AssayRunnerOptions plain = { 0 };
  const AssayRunnerKind *kind = assay_runner_kind_find (spec, error);
  g_autoptr (AssayRunner) self = NULL;

  if (kind == NULL || !assay_runner_kind_check (kind, spec, subject, error))
    return NULL;

  self = g_new0 (AssayRunner, 1);
  self->kind = kind;
  self->spec = g_strdup (spec);
  self->argument = g_strdup (argument_of (kind, spec, &self->is_variant));
  if (self->is_variant)
    self->label = g_strdup (kind->variant_label);
  self->subject = assay_run_subject_ref (subject);
  self->inputs = kind->needs_program
                     ? assay_run_ports_for_program (subject->program, subject->model, TRUE)
                     : assay_run_subject_get_inputs (subject);
  self->outputs = kind->needs_program
                      ? assay_run_ports_for_program (subject->program, subject->model, FALSE)
                      : assay_run_subject_get_outputs (subject);
  self->latencies = g_array_new (FALSE, FALSE, sizeof (gint64));
  self->steps = g_array_new (FALSE, FALSE, sizeof (AssayRunnerStep));

  if (!kind->klass->open (self, options != NULL ? options : &plain, progress, error))
    return NULL;

  return g_steal_pointer (&self);
}

void
assay_runner_free (AssayRunner *self)
{
  if (self == NULL)
    return;

  if (self->data != NULL && self->kind->klass->close != NULL)
    self->kind->klass->close (self);
  g_array_unref (self->inputs);
  g_array_unref (self->outputs);
  g_clear_pointer (&self->parts, g_array_unref);
  g_array_unref (self->latencies);
  g_array_unref (self->steps);
  assay_run_subject_unref (self->subject);
  g_free (self->spec);
  g_free (self->argument);
  g_free (self->label);
  g_free (self);
}

/**
 * assay_runner_get_spec:
 * @self: a runner
 *
 * Tells what it was opened as.
 *
 * Returns: the kind, with its argument behind a colon
 */
const char *
assay_runner_get_spec (const AssayRunner *self)
{
  return self->spec;
}

/**
 * assay_runner_get_label:
 * @self: a runner
 *
 * Tells what a person calls it.
 *
 * Returns: such as `Machine bf16`; of the board `local` that it is this computer
 */
const char *
assay_runner_get_label (const AssayRunner *self)
{
  return self->label != NULL ? self->label : self->kind->label;
}

/**
 * assay_runner_get_precision:
 * @self: a runner
 *
 * Tells what its results can be held to: the machine and boards run programs of every backend, and
 * compute in what the program does.
 *
 * Returns: the precision
 */
AssayComparePrecision
assay_runner_get_precision (const AssayRunner *self)
{
  AssayDType numbers;

  if (!self->kind->needs_program)
    return self->kind->precision;

  numbers = assay_program_get_numbers (self->subject->program);
  /* A device that is asked for halves has no more than those. */
  if (self->kind->precision != ASSAY_COMPARE_BF16)
    return numbers == ASSAY_DTYPE_F16 ? ASSAY_COMPARE_FP16 : self->kind->precision;

  return numbers == ASSAY_DTYPE_I8 ? ASSAY_COMPARE_INT8
                                   : assay_compare_precision_of (ASSAY_COMPARE_FP32, numbers);
}

/**
 * assay_runner_get_kind:
 * @self: a runner
 *
 * Tells its kind.
 *
 * Returns: the row of the table
 */
const AssayRunnerKind *
assay_runner_get_kind (const AssayRunner *self)
{
  return self->kind;
}

/**
 * assay_runner_get_subject:
 * @self: a runner
 *
 * Tells what it runs.
 *
 * Returns: (transfer none): the subject
 */
AssayRunSubject *
assay_runner_get_subject (const AssayRunner *self)
{
  return self->subject;
}

/**
 * assay_runner_get_inputs:
 * @self: a runner
 * @n: (out): number of inputs
 *
 * Describes what goes in; runners of one subject may list other inputs, so they are matched by
 * name.
 *
 * Returns: (transfer none) (array length=n): the inputs
 */
const AssayRunPort *
assay_runner_get_inputs (const AssayRunner *self, guint *n)
{
  *n = self->inputs->len;

  return (const AssayRunPort *) (gpointer) self->inputs->data;
}

/**
 * assay_runner_get_outputs:
 * @self: a runner
 * @n: (out): number of outputs
 *
 * Describes what comes out. After a run, an output that is no tensor has its parts in its place, as
 * many as that run gave.
 *
 * Returns: (transfer none) (array length=n): the outputs
 */
const AssayRunPort *
assay_runner_get_outputs (const AssayRunner *self, guint *n)
{
  GArray *ports = self->parts != NULL ? self->parts : self->outputs;

  *n = ports->len;

  return (const AssayRunPort *) (gpointer) ports->data;
}

/**
 * assay_runner_can_observe:
 * @self: a runner
 * @value: a value of the subject's graph
 *
 * Tells whether an observer can be shown a value.
 *
 * Returns: whether it can
 */
gboolean
assay_runner_can_observe (AssayRunner *self, AssayValueId value)
{
  return self->kind->klass->can_observe != NULL && self->subject->graph != NULL &&
         value != ASSAY_NO_VALUE && value < assay_graph_n_values (self->subject->graph) &&
         self->kind->klass->can_observe (self, value);
}

/**
 * assay_runner_runs_shader:
 * @self: a runner
 * @node: a node of the subject's graph
 *
 * Tells whether a shader of a graphics processor runs a node, which is as exact as the Vulkan
 * specification asks.
 *
 * Returns: whether one does
 */
gboolean
assay_runner_runs_shader (AssayRunner *self, AssayNodeId node)
{
  return self->kind->klass->runs_shader != NULL && self->kind->klass->runs_shader (self, node);
}

static gboolean
check_observer (AssayRunner *self, const AssayRunObserver *observer, GError **error)
{
  if (observer == NULL)
    return TRUE;

  if (self->kind->klass->can_observe == NULL || self->subject->graph == NULL)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED,
                   "runner %s: shows inputs and outputs only, no values between them", self->spec);
      return FALSE;
    }
  for (guint i = 0; observer->values != NULL && i < observer->n_values; i++)
    {
      const AssayGraph *graph = self->subject->graph;
      AssayValueId value = observer->values[i];

      if (assay_runner_can_observe (self, value))
        continue;
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED, "runner %s: cannot show value %s",
                   self->spec,
                   value < assay_graph_n_values (graph) && value != ASSAY_NO_VALUE
                       ? assay_graph_value (graph, value)->name
                       : "that does not exist");
      return FALSE;
    }

  return TRUE;
}

/**
 * assay_runner_can_force:
 * @self: a runner
 *
 * Tells whether an observer may put values in the place of those that the runner computes.
 *
 * Returns: whether it goes on with them
 */
gboolean
assay_runner_can_force (const AssayRunner *self)
{
  return self->kind->can_force;
}

/**
 * assay_runner_run:
 * @self: a runner
 * @inputs: (element-type AssayTensor): one tensor per input, in their order
 * @observer: (nullable): is shown values between inputs and outputs
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Runs once; a sequence whose axis is time runs as so many inferences that keep their state, which
 * begins anew with every call.
 *
 * Returns: (transfer full) (nullable) (element-type AssayTensor): one tensor per output, as
 * assay_runner_get_outputs() lists them then
 */
GPtrArray *
assay_runner_run (AssayRunner *self, GPtrArray *inputs, const AssayRunObserver *observer,
                  const AssayProgress *progress, GError **error)
{
  if (inputs->len != self->inputs->len)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "runner %s: got %u input%s, takes %u",
                   self->spec, inputs->len, assay_plural (inputs->len), self->inputs->len);
      return NULL;
    }
  if (!check_observer (self, observer, error) || !assay_progress_check (progress, error))
    return NULL;

  g_array_set_size (self->latencies, 0);
  g_clear_pointer (&self->parts, g_array_unref);
  g_array_set_size (self->steps, 0);

  return self->kind->klass->run (self, inputs, observer, progress, error);
}

/**
 * assay_runner_take_parts:
 * @self: a runner
 * @output: which output
 * @parts: what it is made of
 * @outputs: (element-type AssayTensor): the tensors of the outputs before it
 *
 * Puts the parts of an output in its place.
 */
void
assay_runner_take_parts (AssayRunner *self, guint output, const AssayRunParts *parts,
                         GPtrArray *outputs)
{
  g_autoptr (GArray) ports = assay_run_ports_new ();
  const AssayRunPort *whole = &g_array_index (self->outputs, AssayRunPort, output);
  guint n_before = outputs->len;

  assay_run_parts_spread (parts, whole, ports, outputs);
  if (self->parts == NULL)
    self->parts = assay_run_subject_get_outputs (self->subject);
  g_array_remove_index (self->parts, n_before);
  g_array_insert_vals (self->parts, n_before, ports->data, ports->len);
  /* They are owned by the other list now. */
  g_array_set_clear_func (ports, NULL);
}

/**
 * assay_runner_get_latencies:
 * @self: a runner
 * @n: (out): number of inferences of the last run that were timed
 *
 * Tells how long the last run took where it ran, without moving data there and back.
 *
 * Returns: (transfer none) (array length=n): nanoseconds per inference
 */
const gint64 *
assay_runner_get_latencies (const AssayRunner *self, guint *n)
{
  *n = self->latencies->len;

  return (const gint64 *) (gpointer) self->latencies->data;
}

/**
 * assay_runner_get_steps:
 * @self: a runner
 * @n: (out): number of parts of the last run that were timed
 *
 * Tells how long each part of the last run took, where a runner times parts by themselves.
 *
 * Returns: (transfer none) (array length=n): the parts in their order
 */
const AssayRunnerStep *
assay_runner_get_steps (const AssayRunner *self, guint *n)
{
  *n = self->steps->len;

  return (const AssayRunnerStep *) (gpointer) self->steps->data;
}

/**
 * assay_runner_add_latency:
 * @self: a runner
 * @begin: when the inference began, in nanoseconds
 *
 * Notes that an inference has ended now.
 */
void
assay_runner_add_latency (AssayRunner *self, gint64 begin)
{
  gint64 latency = assay_runner_now () - begin;

  g_array_append_val (self->latencies, latency);
}

/**
 * assay_runner_now:
 *
 * Reads the clock that latencies are measured with.
 *
 * Returns: nanoseconds since some moment
 */
gint64
assay_runner_now (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);

  return (gint64) now.tv_sec * 1000000000 + now.tv_nsec;
}

/**
 * assay_runner_check_inputs:
 * @self: a runner
 * @inputs: (element-type AssayTensor): one tensor per input
 * @error: return location for a #GError
 *
 * Checks types and shapes against the inputs, for runners that take them as they are.
 *
 * Returns: whether they fit
 */
gboolean
assay_runner_check_inputs (AssayRunner *self, GPtrArray *inputs, GError **error)
{
  for (guint i = 0; i < inputs->len; i++)
    {
      g_autofree char *reason = assay_run_port_mismatch (
          &g_array_index (self->inputs, AssayRunPort, i), g_ptr_array_index (inputs, i));

      if (reason == NULL)
        continue;
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "input %s", reason);
      return FALSE;
    }

  return TRUE;
}

/**
 * assay_runner_check_output:
 * @self: a runner
 * @port: an output of it
 * @tensor: what came out
 * @error: return location for a #GError
 *
 * Checks what somebody else has computed against what the model says; a mismatch is
 * %ASSAY_ERROR_DEVICE.
 *
 * Returns: whether it fits
 */
gboolean
assay_runner_check_output (AssayRunner *self, const AssayRunPort *port, AssayTensor *tensor,
                           GError **error)
{
  g_autofree char *reason = assay_run_port_mismatch (port, tensor);

  if (reason != NULL)
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "runner %s: output %s", self->spec,
                 reason);

  return reason == NULL;
}
