/* assay-stream-program.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/stream/assay-stream-program.h"

#include <math.h>
#include <string.h>

#include "backend/stream/compile/assay-compile.h"
#include "backend/stream/compile/assay-io-only.h"
#include "backend/stream/compile/assay-metrics.h"
#include "backend/stream/compile/assay-range-warnings.h"
#include "backend/stream/machine/assay-cycle-mix.h"
#include "backend/stream/machine/assay-disassemble.h"
#include "backend/stream/machine/assay-sensitivity.h"
#include "backend/stream/machine/assay-stream-code-file.h"
#include "backend/stream/machine/assay-timeline.h"
#include "backend/stream/machine/assay-timing.h"
#include "base/assay-sentence.h"
#include "text/assay-terminal.h"

/* Weights have no steps, and stand where a planned tensor has no store. */
#define WEIGHT_STORE ASSAY_STORE_NONE

struct _AssayStreamProgram
{
  AssayProgram parent_instance;

  AssayStreamCode *code;
  AssayProbes *probes; /* NULL if it cannot be looked into */
  GArray *residents;   /* AssayResident */
  AssayProgramStore stores[ASSAY_STORE_CELL + 1];
  gsize error; /* 1 + millionths that a count may be off, 0 before somebody asks */
};

G_DEFINE_FINAL_TYPE (AssayStreamProgram, assay_stream_program, ASSAY_TYPE_PROGRAM)

static const AssayProgramStore stores[ASSAY_STORE_CELL + 1] = {
  [WEIGHT_STORE] = { "weights", "Weights", "the weight store", "weight_store_depth" },
  [ASSAY_STORE_TENSOR] = { "tensor", "Tensor RAM", "tensor RAM", "tensor_ram_depth",
                           .timed = TRUE },
  [ASSAY_STORE_ACCUMULATOR] = { "accumulators", "Accumulators", "the accumulator store",
                                "accum_store_depth", .timed = TRUE },
  [ASSAY_STORE_CELL] = { "cell", "Cell State", "the cell state store", "cell_state_depth",
                         .timed = TRUE },
};

static const AssayProgramUnit units[ASSAY_N_UNITS] = {
  [ASSAY_UNIT_MATRIX] = { "matrix", "Matrix" },
  [ASSAY_UNIT_DRAIN] = { "drain", "Drain" },
  [ASSAY_UNIT_POINTWISE] = { "pointwise", "Pointwise" },
  [ASSAY_UNIT_FUNCTION] = { "function", "Function" },
  [ASSAY_UNIT_LANE] = { "lane", "Lane" },
  [ASSAY_UNIT_RECURRENT] = { "recurrent", "Recurrent" },
  [ASSAY_UNIT_NETWORK] = { "network", "Network" },
  [ASSAY_UNIT_INPUT] = { "input", "Input", TRUE },
  [ASSAY_UNIT_OUTPUT] = { "output", "Output", TRUE },
};

G_STATIC_ASSERT (ASSAY_N_UNITS <= ASSAY_MAX_UNITS);

/* What is counted, in the order of documents; what there is but a limit of is not used. */
static const struct
{
  AssayProgramFigure figure;
  gsize limit;
  gsize used;
} figures[] = {
#define LIMIT(member) G_STRUCT_OFFSET (AssayConfigValues, member)
#define USED(member) G_STRUCT_OFFSET (AssayCoreMetrics, member)
  { { "Weight store", "Weight store, blocks", "weight_store_depth", "weight_store_used" },
    LIMIT (weight_store_depth),
    USED (weight_store) },
  { { "Tensor RAM", "Tensor RAM, blocks", "tensor_ram_depth", "tensor_ram_used" },
    LIMIT (tensor_ram_depth),
    USED (tensor_ram) },
  { { "Accumulators", "Accumulators, blocks", "accum_store_depth", "accum_store_used" },
    LIMIT (accum_store_depth),
    USED (accum_store) },
  { { "Cell state", "Cell state, blocks", "cell_state_depth", "cell_state_used" },
    LIMIT (cell_state_depth),
    USED (cell_state) },
  { { "Clamps", "Clamps", "clamp_store_depth", "clamp_store_used" },
    LIMIT (clamp_store_depth),
    USED (clamp_store) },
  { { "Descriptors", "Tensor descriptors", "tensor_descriptor_count", "tensor_descriptor_used" },
    LIMIT (tensor_descriptor_count),
    USED (tensor_descriptors) },
  { { "Instructions", "Instructions", NULL, "num_instrs" }, 0, USED (instrs) },
  { { NULL, NULL, NULL, "num_micro_instrs" }, 0, USED (micro_instrs) },
  { { NULL, NULL, "max_read_size", NULL }, LIMIT (max_read_size), 0 },
  { { NULL, NULL, NULL, "bias_store_used" }, 0, USED (bias_store) },
  { { NULL, NULL, NULL, "tensor_ram_live" }, 0, USED (tensor_ram_live) },
  { { NULL, NULL, NULL, "longest_read" }, 0, USED (longest_read) },
#undef LIMIT
#undef USED
};

static const AssayStreamCode *
code_of (AssayProgram *program)
{
  return ASSAY_STREAM_PROGRAM (program)->code;
}

static const AssayInstruction *
instruction_of (AssayProgram *program, guint32 row)
{
  return &g_array_index (code_of (program)->instructions, AssayInstruction, row);
}

static void
stream_get_row (AssayProgram *program, guint32 row, AssayProgramRow *filled)
{
  const AssayInstruction *instruction = instruction_of (program, row);

  *filled = (AssayProgramRow){ assay_opcode_get_info ((AssayOpcode) instruction->opcode)->name,
                               instruction->node, instruction->step, instruction->core,
                               instruction->deferred };
}

static void
stream_append_row (AssayProgram *program, guint32 row, GString *text)
{
  assay_disassemble_instruction (code_of (program), row, text);
}

static void
stream_append_listing (AssayProgram *program, guint model, guint core, GString *text)
{
  assay_disassemble_core (code_of (program), model, core, text);
}

static int
compare_planned (gconstpointer a, gconstpointer b)
{
  const AssayPlanned *left = *(const AssayPlanned *const *) a;
  const AssayPlanned *right = *(const AssayPlanned *const *) b;

  if (left->store != right->store)
    return left->store < right->store ? -1 : 1;
  if (left->base != right->base)
    return left->base < right->base ? -1 : 1;

  return left->born < right->born ? -1 : left->born > right->born;
}

/* What lies where on a core, and when. */
static void
append_tensors (const AssayStreamCode *code, guint core, GString *text)
{
  g_autoptr (GPtrArray) tensors = g_ptr_array_new ();

  for (guint i = 0; i < code->plan->len; i++)
    {
      AssayPlanned *planned = &g_array_index (code->plan, AssayPlanned, i);

      if (planned->core == core)
        g_ptr_array_add (tensors, planned);
    }
  g_ptr_array_sort (tensors, compare_planned);

  for (guint i = 0; i < tensors->len; i++)
    {
      const AssayPlanned *planned = g_ptr_array_index (tensors, i);

      assay_terminal_append_format (
          text, "  %-6s %6u..%-6u %-10s", assay_store_name (planned->store), planned->base,
          planned->base + planned->blocks - 1, assay_tensor_kind_name (planned->kind));
      if (planned->died == G_MAXUINT32)
        g_string_append (text, " always       ");
      else
        g_string_append_printf (text, " %6u..%-5u", planned->born, planned->died);
      assay_terminal_append_format (text, " %s\n", planned->name);
    }
}

/* Which rows of which matrix lie where. */
static void
append_weights (AssayProgram *program, const AssayStreamCode *code, guint core, GString *text)
{
  for (guint i = 0; i < code->placed->len; i++)
    {
      const AssayPlacedMatrix *placed = &g_array_index (code->placed, AssayPlacedMatrix, i);
      const AssayMatrix *matrix = &g_array_index (code->matrices, AssayMatrix, placed->matrix);

      if (placed->core != core)
        continue;
      assay_terminal_append_format (
          text, "  weight %6u..%-6u rows %u..%u of %u, %u input%s, %s\n", placed->base,
          placed->base + assay_stream_code_placed_blocks (code, i) - 1, placed->first_row,
          placed->first_row + placed->n_rows - 1, matrix->n_outputs, matrix->n_inputs,
          assay_plural (matrix->n_inputs), assay_program_get_resident (program, i)->name);
    }
}

static void
stream_append_memory (AssayProgram *program, guint core, GString *text)
{
  append_weights (program, code_of (program), core, text);
  append_tensors (code_of (program), core, text);
}

static void
append_mask (guint64 cores, GString *text)
{
  const char *separator = "";

  for (guint core = 0; core < ASSAY_MAX_CORES; core++)
    {
      guint last = core;

      if ((cores >> core & 1) == 0)
        continue;
      while (last + 1 < ASSAY_MAX_CORES && (cores >> (last + 1) & 1) != 0)
        last++;
      g_string_append_printf (text, last > core ? "%s%u-%u" : "%s%u", separator, core, last);
      separator = ",";
      core = last;
    }
}

/* The placements that were tried for every layer of a model; what the program has is marked. */
static void
stream_append_search (AssayProgram *program, guint model, GString *text)
{
  const AssayStreamCode *code = code_of (program);

  for (guint i = 0; i < code->candidates->len; i++)
    {
      const AssayCandidate *candidate = &g_array_index (code->candidates, AssayCandidate, i);
      g_autoptr (GString) cores = g_string_new (NULL);
      g_autofree char *spaced = NULL, *contiguous = NULL;

      if (candidate->model != model)
        continue;
      spaced = assay_program_dup_count (program, candidate->spaced);
      contiguous = assay_program_dup_count (program, candidate->contiguous);
      append_mask (candidate->cores, cores);
      if (candidate->chosen)
        assay_terminal_append_format (text, "  %s\n",
                                      assay_program_get_node_name (program, candidate->node));
      assay_terminal_append_format (text, "  %c cores %-8s %24s spaced %24s contiguous%s\n",
                                    candidate->chosen ? '*' : ' ', cores->str, spaced, contiguous,
                                    candidate->pinned ? ", pinned" : "");
    }
}

static void
stream_count_cycles (AssayProgram *program, guint model, const AssayQueues *queues,
                     AssayCycles *cycles, GArray *events)
{
  if (queues != NULL)
    assay_timing_run_with_queues (code_of (program), model, queues, cycles, events);
  else
    assay_timing_run (code_of (program), model, cycles, events);
}

/* Of several models that of the one least like the published ones. */
static double
find_error (const AssayStreamCode *code)
{
  double error = 0;

  for (guint i = 0; i < code->models->len; i++)
    {
      AssayCycleMix mix;

      assay_cycle_mix_measure (code, i, &mix);
      error = MAX (error, assay_cycle_mix_error (&mix));
    }

  return error;
}

/* By how far off models were predicted that the timing was not fitted to; wider for models unlike
 * the published ones. */
static AssayCycleRange
stream_get_cycle_range (AssayProgram *program, guint32 predicted)
{
  AssayStreamProgram *self = ASSAY_STREAM_PROGRAM (program);
  double error;

  if (g_once_init_enter (&self->error))
    g_once_init_leave (&self->error, 1 + (gsize) (1e6 * find_error (self->code)));
  error = (double) (self->error - 1) / 1e6;

  return (AssayCycleRange){
    .low = (guint32) (predicted * exp (-error)),
    .high = (guint32) MIN (ceil (predicted * exp (error)), G_MAXUINT32),
  };
}

static GArray *
stream_link_events (AssayProgram *program, GArray *events)
{
  assay_timeline_link (code_of (program), events);

  return assay_timeline_critical_path (code_of (program), events);
}

static GArray *
stream_find_sensitivity (AssayProgram *program, guint model)
{
  return assay_timing_sensitivity (code_of (program), model);
}

static GArray *
stream_find_ranges (AssayProgram *program, double largest_input)
{
  return assay_stream_code_find_ranges (code_of (program), largest_input);
}

static gboolean
stream_find_value (AssayProgram *program, AssayValueId value, int *time_axis)
{
  const AssayProbes *probes = ASSAY_STREAM_PROGRAM (program)->probes;
  const AssayProbe *probe = probes != NULL ? assay_probes_find (probes, value) : NULL;

  if (probe != NULL)
    *time_axis = probe->time_axis;

  return probe != NULL;
}

static guint64
used_of (const AssayCoreMetrics *core, gsize offset)
{
  return offset == G_STRUCT_OFFSET (AssayCoreMetrics, micro_instrs)
             ? core->micro_instrs
             : G_STRUCT_MEMBER (guint32, core, offset);
}

static void
stream_count (AssayProgram *program, AssayProgramMetrics *metrics)
{
  g_autoptr (AssayCodeMetrics) counted = assay_stream_code_metrics_new (code_of (program));

  for (guint i = 0; i < G_N_ELEMENTS (figures); i++)
    {
      AssayProgramFigure *figure = assay_program_metrics_add (metrics, &figures[i].figure);

      if (figure->limit_name != NULL)
        figure->limit = G_STRUCT_MEMBER (guint, &counted->config, figures[i].limit);
      for (guint core = 0; figure->used != NULL && core < metrics->n_cores; core++)
        figure->used[core] = used_of (&counted->cores[core], figures[i].used);
    }
  for (guint i = 0; i < counted->n_models; i++)
    {
      metrics->input_bytes[i] = counted->input_bytes[i];
      metrics->output_bytes[i] = counted->output_bytes[i];
    }
}

static AssayProgram *
take_code (AssayStreamCode *code, AssayProbes *probes)
{
  AssayProgram *program = code == NULL ? NULL : assay_stream_program_new (code);

  if (program != NULL)
    ASSAY_STREAM_PROGRAM (program)->probes = probes;
  assay_stream_code_unref (code);

  return program;
}

static AssayProgram *
stream_new_io_only (AssayProgram *program)
{
  return take_code (assay_compile_io_only_like (code_of (program)), NULL);
}

static GBytes *
stream_to_bytes (AssayProgram *program, GError **error)
{
  return assay_stream_code_to_bytes (ASSAY_STREAM_PROGRAM (program)->code);
}

static void
assay_stream_program_finalize (GObject *object)
{
  AssayStreamProgram *self = ASSAY_STREAM_PROGRAM (object);

  g_clear_pointer (&self->residents, g_array_unref);
  assay_probes_free (self->probes);
  g_clear_pointer (&self->code, assay_stream_code_unref);

  G_OBJECT_CLASS (assay_stream_program_parent_class)->finalize (object);
}

static void
assay_stream_program_class_init (AssayStreamProgramClass *klass)
{
  AssayProgramClass *program = ASSAY_PROGRAM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = assay_stream_program_finalize;
  program->numbers = ASSAY_DTYPE_BF16;
  program->has_cores = TRUE;
  program->get_row = stream_get_row;
  program->append_row = stream_append_row;
  program->append_listing = stream_append_listing;
  program->append_memory = stream_append_memory;
  program->append_search = stream_append_search;
  program->count_cycles = stream_count_cycles;
  program->get_cycle_range = stream_get_cycle_range;
  program->link_events = stream_link_events;
  program->find_sensitivity = stream_find_sensitivity;
  program->find_ranges = stream_find_ranges;
  program->find_value = stream_find_value;
  program->count = stream_count;
  program->new_io_only = stream_new_io_only;
  program->to_bytes = stream_to_bytes;
  program->open = assay_stream_executor_new;
}

static void
assay_stream_program_init (AssayStreamProgram *self)
{
}

/* Which rows of which matrix lie where; the node is that of the first product with it. */
static GArray *
list_residents (const AssayStreamCode *code)
{
  GArray *residents = g_array_new (FALSE, FALSE, sizeof (AssayResident));
  double block = code->config.block_size;

  for (guint i = 0; i < code->placed->len; i++)
    {
      const AssayPlacedMatrix *placed = &g_array_index (code->placed, AssayPlacedMatrix, i);
      const AssayMatrix *matrix = &g_array_index (code->matrices, AssayMatrix, placed->matrix);
      double rows = ceil (placed->n_rows / block) * block;
      double columns = ceil (matrix->n_inputs / block) * block;
      AssayResident resident = { "", placed->core, placed->base,
                                 assay_stream_code_placed_blocks (code, i), 0 };

      resident.padding = 1.0 - (double) placed->n_rows * matrix->n_inputs / MAX (rows * columns, 1);
      g_array_append_val (residents, resident);
    }
  for (guint i = code->instructions->len; i-- > 0;)
    {
      const AssayInstruction *instruction = &g_array_index (code->instructions, AssayInstruction,
                                                            i);

      if (instruction->opcode == ASSAY_OPCODE_MATRIX && instruction->weights < residents->len &&
          instruction->node < code->node_names->len)
        g_array_index (residents, AssayResident, instruction->weights).name = g_ptr_array_index (
            code->node_names, instruction->node);
    }

  return residents;
}

/**
 * assay_stream_program_new:
 * @code: (transfer none): a verified program with at least one model, which does not change any
 * more
 *
 * Makes a program of its plain data.
 *
 * Returns: (transfer full): the program
 */
AssayProgram *
assay_stream_program_new (AssayStreamCode *code)
{
  AssayStreamProgram *self = g_object_new (ASSAY_TYPE_STREAM_PROGRAM, NULL);
  AssayProgramFacts facts = {
    .target_id = code->target_id,
    .config = &code->config,
    .models = code->models,
    .tensors = code->plan,
    .node_names = code->node_names,
    .n_rows = code->instructions->len,
    .stores = self->stores,
    .n_stores = G_N_ELEMENTS (self->stores),
    .main_store = ASSAY_STORE_TENSOR,
    .units = units,
    .n_units = G_N_ELEMENTS (units),
  };

  self->code = assay_stream_code_ref (code);
  for (guint i = 0; i < code->matrices->len; i++)
    facts.narrow_weights |= g_array_index (code->matrices, AssayMatrix, i).fp8;
  facts.residents = self->residents = list_residents (code);
  memcpy (self->stores, stores, sizeof stores);
  self->stores[WEIGHT_STORE].depth = code->config.weight_store_depth;
  self->stores[ASSAY_STORE_TENSOR].depth = code->config.tensor_ram_depth;
  self->stores[ASSAY_STORE_ACCUMULATOR].depth = code->config.accum_store_depth;
  self->stores[ASSAY_STORE_CELL].depth = code->config.cell_state_depth;
  assay_program_set_facts (ASSAY_PROGRAM (self), &facts);

  return ASSAY_PROGRAM (self);
}

/**
 * assay_stream_program_build:
 * @target: (nullable): what it is built for, which the configuration has everything of
 * @models: (array length=n_models): the models
 * @n_models: how many, at least one
 * @config: the hardware
 * @options: (nullable): what is wanted of the program
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Compiles models into one program.
 *
 * Returns: (transfer full) (nullable): the program
 */
AssayProgram *
assay_stream_program_build (AssayTarget *target, const AssayCompileModel *models, guint n_models,
                            const AssayConfigValues *config, const AssayCompileOptions *options,
                            const AssayProgress *progress, GError **error)
{
  AssayProbes *probes = NULL;
  AssayStreamCode *code = assay_compile_observed (
      models, n_models, config, options, options != NULL && options->observable ? &probes : NULL,
      progress, error);

  return take_code (code, probes);
}

/**
 * assay_stream_program_build_io_only:
 * @config: the hardware
 * @in_values: size of the only input
 * @out_values: size of the only output
 * @error: return location for a #GError
 *
 * Makes a program that receives an input and sends an output without computing.
 *
 * Returns: (transfer full) (nullable): the program
 */
AssayProgram *
assay_stream_program_build_io_only (const AssayConfigValues *config, gsize in_values,
                                    gsize out_values, GError **error)
{
  return take_code (assay_compile_io_only (config, in_values, out_values, error), NULL);
}

/**
 * assay_stream_program_load:
 * @bytes: what a program file holds
 * @error: return location for a #GError
 *
 * Loads a program, and verifies all of it.
 *
 * Returns: (transfer full) (nullable): the program
 */
AssayProgram *
assay_stream_program_load (GBytes *bytes, GError **error)
{
  return take_code (assay_stream_code_from_bytes (bytes, error), NULL);
}

/**
 * assay_stream_program_get_versions:
 *
 * Gets what has to be the same where programs are made and where they run.
 *
 * Returns: the versions
 */
AssayBuildVersions
assay_stream_program_get_versions (void)
{
  return (AssayBuildVersions){ ASSAY_PROGRAM_FORMAT, ASSAY_MACHINE_VERSION,
                               assay_kernels_get_default ()->name };
}

/**
 * assay_stream_program_get_code:
 * @program: a program of this backend
 *
 * Gets the program as plain data.
 *
 * Returns: (transfer none): the data
 */
AssayStreamCode *
assay_stream_program_get_code (AssayProgram *program)
{
  return ASSAY_STREAM_PROGRAM (program)->code;
}

/**
 * assay_stream_program_get_probes:
 * @program: a program of this backend
 *
 * Gets where the values of its graph are while it runs.
 *
 * Returns: (transfer none) (nullable): the places, %NULL if it cannot be looked into
 */
const AssayProbes *
assay_stream_program_get_probes (AssayProgram *program)
{
  return ASSAY_STREAM_PROGRAM (program)->probes;
}
