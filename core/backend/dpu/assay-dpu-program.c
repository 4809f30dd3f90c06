/* assay-dpu-program.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/dpu/assay-dpu-program.h"

#include <string.h>

#include "base/assay-error.h"
#include "backend/dpu/assay-dpu-executor.h"
#include "base/assay-sentence.h"
#include "target/assay-target.h"
#include "text/assay-terminal.h"

/* Published of all sizes: rows of a bank, each as wide as inputs in parallel, and groups of banks
 * for maps. */
#define BANK_DEPTH 2048
#define N_MAP_BANKS 2

struct _AssayDpuProgram
{
  AssayProgram parent_instance;

  AssayDpuCode *code;
  AssayDpuOrigin origin;
  AssayConfigValues config;
  AssayProgramStore stores[2];
  char *model_name;
};

G_DEFINE_FINAL_TYPE (AssayDpuProgram, assay_dpu_program, ASSAY_TYPE_PROGRAM)

static const AssayProgramUnit units[ASSAY_DPU_N_UNITS] = {
#define UNIT(ID, name, title) { name, title, FALSE },
#include "backend/dpu/assay-dpu-units.def"
#undef UNIT
};

/* The operation that a row stands for: the last of its own, behind those that bring its operands
 * into order, unless one more brings its result into order. */
static const AssayDpuOp *
op_of_row (AssayDpuProgram *self, guint32 row)
{
  guint first = g_array_index (self->code->rows, guint32, row);
  const AssayDpuOp *op = assay_dpu_code_op (self->code, first);

  for (guint i = first; i < self->code->ops->len && assay_dpu_code_op (self->code, i)->row == row;
       i++)
    if (assay_dpu_code_op (self->code, i)->kind != ASSAY_DPU_MOVE)
      op = assay_dpu_code_op (self->code, i);

  return op;
}

static guint64
cycles_of_row (AssayDpuProgram *self, guint32 row)
{
  guint64 total = 0;

  for (guint i = g_array_index (self->code->rows, guint32, row);
       i < self->code->ops->len && assay_dpu_code_op (self->code, i)->row == row; i++)
    total += assay_dpu_count_cycles (self->code, assay_dpu_code_op (self->code, i),
                                     &self->origin.size, NULL, NULL);

  return total;
}

static void
get_row (AssayProgram *program, guint32 row, AssayProgramRow *filled)
{
  AssayDpuProgram *self = ASSAY_DPU_PROGRAM (program);
  const AssayDpuOp *op = op_of_row (self, row);

  *filled = (AssayProgramRow){ .name = assay_dpu_kind_name (op->kind),
                               .node = op->node - 1,
                               .step = row };
  for (guint i = g_array_index (self->code->rows, guint32, row);
       i < self->code->ops->len && assay_dpu_code_op (self->code, i)->row == row; i++)
    {
      guint64 computing, moving;

      assay_dpu_count_cycles (self->code, assay_dpu_code_op (self->code, i), &self->origin.size,
                              &computing, &moving);
      filled->computing += computing;
      filled->moving += moving;
    }
}

static void
append_map (GString *text, const AssayDpuCode *code, int index)
{
  const AssayDpuMap *map = assay_dpu_code_map (code, index);

  for (guint i = 0; i < map->rank; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? "x" : " ", map->dims[i]);
  g_string_append_printf (text, "@%d", map->position);
}

static void
append_row (AssayProgram *program, guint32 row, GString *text)
{
  AssayDpuProgram *self = ASSAY_DPU_PROGRAM (program);
  const AssayDpuOp *op = op_of_row (self, row);
  guint64 computing, moving;

  g_string_append_printf (text, "  %u  %-11s %s  ", row, units[op->unit].name,
                          assay_dpu_kind_name (op->kind));
  assay_terminal_append (text, assay_graph_node (self->code->graph, op->node)->name);
  for (guint i = 0; i < op->n_inputs; i++)
    append_map (text, self->code, op->inputs[i]);
  if (op->output == ASSAY_DPU_NO_MAP)
    return;
  g_string_append (text, " ->");
  append_map (text, self->code, op->output);
  assay_dpu_count_cycles (self->code, op, &self->origin.size, &computing, &moving);
  if (op->kind == ASSAY_DPU_CONV || op->kind == ASSAY_DPU_DEPTHWISE)
    g_string_append_printf (text, "  weights @%d, bias @%d, shift %d, kernel %ux%u, stride %ux%u",
                            op->positions[0], op->positions[1],
                            op->finish.shift - op->finish.up - 1, op->window.kh, op->window.kw,
                            op->window.sh, op->window.sw);
  g_string_append_printf (text, "  %" G_GUINT64_FORMAT " cycle%s, memory %" G_GUINT64_FORMAT,
                          computing, assay_plural (computing), moving);
}

static void
count_cycles (AssayProgram *program, guint model, const AssayQueues *queues, AssayCycles *cycles,
              GArray *events)
{
  AssayDpuProgram *self = ASSAY_DPU_PROGRAM (program);
  guint64 now = 0;

  for (guint32 row = 0; row < self->code->rows->len; row++)
    {
      guint64 end = MIN (now + cycles_of_row (self, row), G_MAXUINT32 / 2);
      AssayEvent event = { .instruction = row,
                           .start = (guint32) now,
                           .end = (guint32) end,
                           .ready = (guint32) end,
                           .waited_for = (gint32) row - 1,
                           .issued = (guint32) now,
                           .vacant = (guint32) now,
                           .unit = (guint8) op_of_row (self, row)->unit };

      if (events != NULL)
        g_array_append_val (events, event);
      now = end;
    }
  *cycles = (AssayCycles){ (guint32) now, (guint32) now, 0, (guint32) now, (guint32) now };
}

static gboolean
find_value (AssayProgram *program, AssayValueId value, int *time_axis)
{
  const AssayDpuCode *code = ASSAY_DPU_PROGRAM (program)->code;

  if (time_axis != NULL)
    *time_axis = -1;

  return value != ASSAY_NO_VALUE && value < code->places->len && assay_dpu_code_shows (code, value);
}

/* The plain figures know what has steps alone. */
static void
count (AssayProgram *program, AssayProgramMetrics *metrics)
{
  AssayProgramFigure *figure;

  ASSAY_PROGRAM_CLASS (assay_dpu_program_parent_class)->count (program, metrics);
  for (guint i = 0; i < metrics->figures->len; i++)
    {
      figure = &g_array_index (metrics->figures, AssayProgramFigure, i);
      if (g_strcmp0 (figure->name, ASSAY_DPU_PROGRAM (program)->stores[1].name) == 0)
        figure->used[0] = figure->limit;
    }
}

static AssayExecutor *
open_program (AssayProgram *program, const AssayExecutorOptions *options, GError **error)
{
  const AssayDpuCode *code = ASSAY_DPU_PROGRAM (program)->code;

  return assay_dpu_executor_new (code, options->quantiser ? code->options.quantizer : NULL, NULL,
                                 options->n_threads, error);
}

static void
finalize (GObject *object)
{
  AssayDpuProgram *self = ASSAY_DPU_PROGRAM (object);

  g_clear_pointer (&self->code, assay_dpu_code_free);
  g_free (self->origin.placement.engines);
  g_free (self->origin.placement.into);
  g_free (self->origin.target_id);
  g_free (self->model_name);
  G_OBJECT_CLASS (assay_dpu_program_parent_class)->finalize (object);
}

static void
assay_dpu_program_class_init (AssayDpuProgramClass *klass)
{
  AssayProgramClass *program = ASSAY_PROGRAM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  program->machine = ASSAY_DPU_MACHINE;
  program->numbers = ASSAY_DTYPE_I8;
  program->estimate =
      "estimated from the parallelism of the engines and the bytes that memory moves "
      "per cycle, without the host";
  program->places = "Places are estimated: it is not published where the device puts its maps. "
                    "The sizes of its banks are published.";
  program->get_row = get_row;
  program->append_row = append_row;
  program->count_cycles = count_cycles;
  program->find_value = find_value;
  program->count = count;
  program->to_bytes = assay_dpu_program_to_bytes;
  program->open = open_program;
}

static void
assay_dpu_program_init (AssayDpuProgram *self)
{
}

static guint32
row_of (const AssayDpuCode *code, guint32 op)
{
  return op < code->ops->len ? assay_dpu_code_op (code, op)->row : 0;
}

static GArray *
list_tensors (const AssayDpuCode *code)
{
  GArray *tensors = g_array_new (FALSE, TRUE, sizeof (AssayPlanned));

  for (guint i = 0; i < code->maps->len; i++)
    {
      const AssayDpuMap *map = assay_dpu_code_map (code, (int) i);
      AssayPlanned tensor = { .name = map->name, .kind = ASSAY_TENSOR_ACTIVATION };

      if (map->alias != ASSAY_DPU_NO_MAP || map->constant != NULL || map->born == G_MAXUINT32)
        continue;
      tensor.base = (guint32) (map->base / ASSAY_DPU_BLOCK);
      tensor.blocks = (guint32) ((map->n + ASSAY_DPU_BLOCK - 1) / ASSAY_DPU_BLOCK);
      tensor.born = row_of (code, map->born);
      tensor.died = row_of (code, map->died);
      tensor.node = assay_dpu_code_op (code, map->born)->node - 1;
      tensor.reader = assay_dpu_code_op (code, map->died)->node - 1;
      if (map->value == ASSAY_NO_VALUE)
        tensor.kind = ASSAY_TENSOR_SCRATCH;
      else if (assay_dpu_code_op (code, map->born)->kind == ASSAY_DPU_FIX)
        tensor.kind = ASSAY_TENSOR_INPUT;
      g_array_append_val (tensors, tensor);
    }

  return tensors;
}

static GArray *
list_weights (const AssayDpuCode *code, guint *n_blocks)
{
  GArray *residents = g_array_new (FALSE, TRUE, sizeof (AssayResident));

  *n_blocks = 0;
  for (guint i = 0; i < code->ops->len; i++)
    {
      const AssayDpuOp *op = assay_dpu_code_op (code, i);
      gsize size = op->n_weights + (op->bias_bits != NULL ? op->window.oc : 0);
      AssayResident resident = { assay_graph_node (code->graph, op->node)->name };

      if (op->weights == NULL)
        continue;
      resident.base = *n_blocks;
      resident.blocks = (guint32) ((size + ASSAY_DPU_BLOCK - 1) / ASSAY_DPU_BLOCK);
      resident.padding = 1.0 - (double) size / ((double) resident.blocks * ASSAY_DPU_BLOCK);
      *n_blocks += resident.blocks;
      g_array_append_val (residents, resident);
    }

  return residents;
}

/* Every size has as many banks of each kind as it computes pixels, or outputs, at once. */
static guint
blocks_of_banks (const AssayDpuSize *size, guint n)
{
  return n * size->inputs * BANK_DEPTH / ASSAY_DPU_BLOCK;
}

static void
set_facts (AssayDpuProgram *self)
{
  AssayGraph *graph = self->code->graph;
  const AssayRegion *ends = assay_graph_region (graph, ASSAY_MAIN_REGION);
  g_autoptr (GArray) models = g_array_new (FALSE, FALSE, sizeof (AssayModelEntry));
  g_autoptr (GArray) tensors = list_tensors (self->code);
  g_autoptr (GArray) residents = NULL;
  g_autoptr (GPtrArray) nodes = g_ptr_array_new ();
  AssayModelEntry model = { self->model_name, 0, self->code->rows->len };
  guint n_weights;

  model.inputs = assay_port_list_plain (graph, ends->inputs);
  model.outputs = assay_port_list_plain (graph, ends->outputs);
  model.n_inputs = ends->inputs->len;
  model.n_outputs = ends->outputs->len;
  g_array_append_val (models, model);
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    g_ptr_array_add (nodes, (gpointer) assay_graph_node (graph, id)->name);

  residents = list_weights (self->code, &n_weights);
  self->config = (AssayConfigValues){ .num_cores = 1,
                                      .block_size = self->origin.size.inputs,
                                      .clock_mhz = self->origin.size.clock_mhz };
  self->stores[0] = (AssayProgramStore){ "maps",
                                         "Feature Maps",
                                         "the memory of feature maps",
                                         "feature_maps_kib",
                                         (guint) (self->code->n_bytes / ASSAY_DPU_BLOCK),
                                         TRUE,
                                         ASSAY_DPU_BLOCK,
                                         N_MAP_BANKS,
                                         blocks_of_banks (&self->origin.size,
                                                          self->origin.size.pixels) };
  self->stores[1] = (AssayProgramStore){
    "weights",       "Weights", "the memory of weights",
    "weights_kib",   n_weights, FALSE,
    ASSAY_DPU_BLOCK, 1,         blocks_of_banks (&self->origin.size, self->origin.size.outputs)
  };
  assay_program_set_facts (ASSAY_PROGRAM (self),
                           &(AssayProgramFacts){ .target_id = self->origin.target_id,
                                                 .config = &self->config,
                                                 .models = models,
                                                 .tensors = tensors,
                                                 .residents = residents,
                                                 .node_names = nodes,
                                                 .n_rows = self->code->rows->len,
                                                 .stores = self->stores,
                                                 .n_stores = G_N_ELEMENTS (self->stores),
                                                 .main_store = 0,
                                                 .units = units,
                                                 .n_units = ASSAY_DPU_N_UNITS });
}

/* What is run as floats come and go; nothing here has nested graphs or inputs that are optional. */
static gboolean
check_graph (const AssayGraph *graph, GError **error)
{
  const AssayRegion *main = assay_graph_region (graph, ASSAY_MAIN_REGION);

  for (guint end = 0; end < 2; end++)
    {
      const GArray *values = end == 0 ? main->inputs : main->outputs;

      for (guint i = 0; i < values->len; i++)
        {
          AssayValueId id = g_array_index (values, AssayValueId, i);
          const AssayType *type = id != ASSAY_NO_VALUE ? assay_graph_value (graph, id)->type : NULL;
          gsize n;

          if (type == NULL || type->kind != ASSAY_TYPE_KIND_TENSOR ||
              !assay_type_count (type, &n) || type->dtype == ASSAY_DTYPE_STRING)
            {
              g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED,
                           "%s: a program needs inputs and outputs that are tensors of a known "
                           "shape; `--bind` gives sizes",
                           id != ASSAY_NO_VALUE ? assay_graph_value (graph, id)->name
                                                : "an output");
              return FALSE;
            }
        }
    }
  if (graph->regions->len == 1)
    return TRUE;
  g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED,
                       "a program for a DPU has no nested graphs");

  return FALSE;
}

/**
 * assay_dpu_program_new:
 * @graph: a quantised model in canonical form
 * @placement: what the verdicts say of its nodes, which is copied
 * @options: what the sources disagree about
 * @size: of the device
 * @target_id: what it is made for
 * @model_name: name of the model
 * @findings: (nullable): gets what is left to the host, and why
 * @error: return location for a #GError
 *
 * Makes a program, whether built or loaded.
 *
 * Returns: (transfer full) (nullable): the program
 */
AssayProgram *
assay_dpu_program_new (AssayGraph *graph, const AssayDpuPlacement *placement,
                       const AssayDpuOptions *options, const AssayDpuSize *size,
                       const char *target_id, const char *model_name, AssayFindings *findings,
                       GError **error)
{
  g_autoptr (AssayDpuCode) code = NULL;
  guint n = assay_graph_n_nodes (graph);
  AssayDpuProgram *self;

  if (!check_graph (graph, error))
    return NULL;
  code = assay_dpu_lower (graph, placement, options, findings, error);
  if (code == NULL)
    return NULL;

  self = g_object_new (ASSAY_TYPE_DPU_PROGRAM, NULL);
  self->code = g_steal_pointer (&code);
  self->origin.placement.engines = g_memdup2 (placement->engines, n);
  self->origin.placement.into = g_memdup2 (placement->into, n * sizeof *placement->into);
  self->origin.size = *size;
  self->origin.target_id = g_strdup (target_id);
  self->model_name = g_strdup (model_name);
  set_facts (self);

  return ASSAY_PROGRAM (self);
}

/**
 * assay_dpu_program_get_code:
 * @self: a program
 *
 * Gets its operations.
 *
 * Returns: (transfer none): the operations
 */
const AssayDpuCode *
assay_dpu_program_get_code (AssayDpuProgram *self)
{
  return self->code;
}

/**
 * assay_dpu_program_get_origin:
 * @self: a program
 *
 * Gets what it was made of beside the graph.
 *
 * Returns: (transfer none): the rest
 */
const AssayDpuOrigin *
assay_dpu_program_get_origin (AssayDpuProgram *self)
{
  return &self->origin;
}
