/* assay-delegate-program.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/delegate/assay-delegate-program.h"

#include <string.h>

#include "backend/assay-program-class.h"
#include "backend/assay-program-graph.h"
#include "base/assay-error.h"
#include "base/assay-sentence.h"
#include "nnir/text/assay-text.h"

/* The line of a file that says that floats are halves; it is no line of a node. */
#define HALF "half"
/* The beginning of another, that says what the device has. */
#define LIMITS "limits "
#define N_LIMITS 5
/* As many as a graph is checked with. */
#define MOST_NODES 2000000

/* What a store counts in. */
#define BLOCK ASSAY_GPU_ALIGNMENT

#define STORE_MEMORY 0
#define STORE_WEIGHTS 1
#define STORE_TEXTURES 2

#define UNIT_DEVICE 0
#define UNIT_HOST 1
#define UNIT_COPIES 2

struct _AssayDelegateProgram
{
  AssayProgram parent_instance;
  AssayGraph *graph;
  AssayDelegateNode *nodes;
  AssayDelegateLimits limits; /* of the device that it is made for */
  gboolean half; /* whether floats are halves on the device, and floats again where they leave it */
  AssayDelegatePlan *plan;
  AssayDelegatePlan *watched; /* with every value kept, made when somebody wants to see values */
  AssayConfigValues config;
  const char **aliases; /* per value: the names of others that are the same elements */
  AssayProgramStore stores[3];
  guint n_left;
};

G_DEFINE_FINAL_TYPE (AssayDelegateProgram, assay_delegate_program, ASSAY_TYPE_PROGRAM)

static const char *
name_of (AssayDelegateProgram *self, AssayNodeId id)
{
  AssayNodeId clamp = self->plan->clamps[id];

  if (clamp != ASSAY_NO_NODE && self->nodes[clamp].mapping != NULL)
    return self->nodes[clamp].mapping;
  return self->nodes[id].mapping != NULL ? self->nodes[id].mapping
                                         : assay_graph_node (self->graph, id)->op_type;
}

static const char *
tensor_name (AssayDelegateProgram *self, guint32 tensor)
{
  AssayValueId value = g_array_index (self->plan->owners, guint32, tensor);

  return value != ASSAY_NO_VALUE ? assay_graph_value (self->graph, value)->name : "scratch";
}

static void
get_row (AssayProgram *program, guint32 row, AssayProgramRow *filled)
{
  static const char *const names[] = { "host", "upload", "dispatch", "download", "transition" };
  AssayDelegateProgram *self = ASSAY_DELEGATE_PROGRAM (program);
  const AssayDelegateRow *made = &g_array_index (self->plan->rows, AssayDelegateRow, row);

  *filled = (AssayProgramRow){
    .name = made->kind == ASSAY_DELEGATE_ROW_DISPATCH ? name_of (self, made->node)
                                                      : names[made->kind],
    .node = made->node - 1,
    .step = row,
  };
}

static void
append_row (AssayProgram *program, guint32 row, GString *text)
{
  AssayDelegateProgram *self = ASSAY_DELEGATE_PROGRAM (program);
  const AssayDelegatePlan *plan = self->plan;
  const AssayDelegateRow *made = &g_array_index (plan->rows, AssayDelegateRow, row);
  const AssayNode *node = assay_graph_node (self->graph, made->node);

  g_string_append_printf (text, "  %5u  ", row);
  if (made->kind == ASSAY_DELEGATE_ROW_HOST)
    {
      g_string_append_printf (text, "host      %-26s %s", node->op_type, node->name);
      if (plan->reasons[made->node] != NULL)
        g_string_append_printf (text, "  (%s)", plan->reasons[made->node]);
    }
  else if (made->kind == ASSAY_DELEGATE_ROW_DISPATCH)
    {
      const AssayGpuDispatch *dispatch = &g_array_index (plan->gpu->dispatches, AssayGpuDispatch,
                                                         made->index);

      g_string_append_printf (text, "dispatch  %-26s %s  %s, %u invocation%s",
                              name_of (self, made->node), node->name,
                              assay_gpu_shader_name (dispatch->shader), dispatch->count,
                              assay_plural (dispatch->count));
      if (self->nodes[made->node].layout != NULL)
        g_string_append_printf (text, "  (delegate: %s)", self->nodes[made->node].layout);
    }
  else if (made->kind == ASSAY_DELEGATE_ROW_TRANSITION)
    {
      const AssayGpuDispatch *dispatch = &g_array_index (plan->gpu->dispatches, AssayGpuDispatch,
                                                         made->index);

      g_string_append_printf (text,
                              "transition                            %s  texture to buffer, %s, "
                              "%u invocation%s",
                              tensor_name (self, dispatch->tensors[0]),
                              assay_gpu_shader_name (dispatch->shader), dispatch->count,
                              assay_plural (dispatch->count));
    }
  else
    {
      const AssayGpuCopy *copy = &g_array_index (plan->gpu->copies, AssayGpuCopy, made->index);

      g_string_append_printf (
          text, "%-9s %-26s %s, %" G_GUINT64_FORMAT " byte%s",
          made->kind == ASSAY_DELEGATE_ROW_UPLOAD ? "upload" : "download", "",
          assay_graph_value (self->graph, copy->value)->name,
          g_array_index (plan->gpu->tensors, AssayGpuTensor, copy->tensor).size,
          assay_plural (g_array_index (plan->gpu->tensors, AssayGpuTensor, copy->tensor).size));
    }
}

static const char *
aliases_of (AssayDelegateProgram *self, guint32 tensor)
{
  AssayValueId value = g_array_index (self->plan->owners, guint32, tensor);

  return value != ASSAY_NO_VALUE ? self->aliases[value] : NULL;
}

/* What shares an object lies at the same place, one after the other. */
static void
append_memory (AssayProgram *program, guint core, GString *text)
{
  AssayDelegateProgram *self = ASSAY_DELEGATE_PROGRAM (program);

  for (guint i = 0; i < self->plan->lives->len; i++)
    {
      const AssayPlanned *planned = assay_program_get_tensor (program, i);
      guint32 tensor = g_array_index (self->plan->lives, AssayGpuLife, i).tensor;
      const char *aliases = aliases_of (self, tensor);

      g_string_append_printf (
          text, "  %-8s %6u..%-6u object %-4u %-10s %6u..%-5u %s%s%s\n",
          assay_program_get_store (program, planned->store)->name, planned->base,
          planned->base + planned->blocks - 1,
          g_array_index (self->plan->gpu->tensors, AssayGpuTensor, tensor).object,
          assay_tensor_kind_name (planned->kind), planned->born, planned->died, planned->name,
          aliases != NULL ? ", also " : "", aliases != NULL ? aliases : "");
    }
  for (guint i = 0; i < self->plan->weights->len; i++)
    {
      const AssayDelegateWeight *weight = &g_array_index (self->plan->weights, AssayDelegateWeight,
                                                          i);
      const AssayResident *resident = assay_program_get_resident (program, i);
      gboolean is_packed = weight->value == ASSAY_NO_VALUE;

      g_string_append_printf (text, "  %-8s %6u..%-6u %s%s\n", "weights", resident->base,
                              resident->base + resident->blocks - 1, is_packed ? "packed for " : "",
                              is_packed ? resident->name
                                        : assay_graph_value (self->graph, weight->value)->name);
    }
}

/* How long anything takes is not known before it runs: a step counts one. */
static void
count_cycles (AssayProgram *program, guint model, const AssayQueues *queues, AssayCycles *cycles,
              GArray *events)
{
  static const guint8 units[] = { UNIT_HOST, UNIT_COPIES, UNIT_DEVICE, UNIT_COPIES, UNIT_DEVICE };
  AssayDelegateProgram *self = ASSAY_DELEGATE_PROGRAM (program);
  guint32 n = self->plan->rows->len;

  for (guint32 row = 0; row < n && events != NULL; row++)
    {
      AssayEvent event = { row, row, row + 1, row + 1, (gint32) row - 1, row, row };

      event.unit = units[g_array_index (self->plan->rows, AssayDelegateRow, row).kind];
      g_array_append_val (events, event);
    }
  *cycles = (AssayCycles){ n, n, 0, n, n };
}

/* Values that the device has, and those of the host; but not what was bounded on the way. */
static gboolean
find_value (AssayProgram *program, AssayValueId id, int *time_axis)
{
  AssayDelegateProgram *self = ASSAY_DELEGATE_PROGRAM (program);
  const AssayDelegatePlan *plan = assay_delegate_program_get_plan (self, TRUE);
  const AssayValue *value = assay_graph_value (self->graph, id);

  if (time_axis != NULL)
    *time_axis = -1;
  if (value->kind != ASSAY_VALUE_RESULT || value->region != ASSAY_MAIN_REGION ||
      value->producer == ASSAY_NO_NODE || value->type->kind != ASSAY_TYPE_KIND_TENSOR)
    return FALSE;
  if (plan->places[value->producer] == ASSAY_DELEGATE_HOST)
    return TRUE;
  for (guint i = 0; i < plan->gpu->copies->len; i++)
    if (g_array_index (plan->gpu->copies, AssayGpuCopy, i).value == id)
      return TRUE;

  return FALSE;
}

static void
count (AssayProgram *program, AssayProgramMetrics *metrics)
{
  AssayDelegateProgram *self = ASSAY_DELEGATE_PROGRAM (program);
  const AssayModelEntry *model = assay_program_get_model (program, 0);
  AssayProgramFigure *moved;

  for (guint i = 0; i < assay_program_get_facts (program)->n_stores; i++)
    {
      const AssayProgramStore *store = &self->stores[i];
      const AssayProgramFigure figure = { store->title, store->title, store->member, store->name };
      AssayProgramFigure *added = assay_program_metrics_add (metrics, &figure);

      /* The plan is made to measure. */
      added->limit = added->used[0] = store->depth;
    }
  moved = assay_program_metrics_add (metrics,
                                     &(AssayProgramFigure){ .name = "delegate_moved_bytes" });
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (self->graph); id++)
    moved->used[0] += self->nodes[id].moved;
  for (guint i = 0; i < model->n_inputs; i++)
    metrics->input_bytes[0] += assay_port_count (&model->inputs[i]) *
                               assay_gpu_form_size (assay_gpu_form (model->inputs[i].dtype, FALSE));
  for (guint i = 0; i < model->n_outputs; i++)
    metrics->output_bytes[0] += assay_port_count (&model->outputs[i]) *
                                assay_gpu_form_size (
                                    assay_gpu_form (model->outputs[i].dtype, FALSE));
  for (guint i = 0; i < model->n_outputs; i++)
    if (!assay_port_is_known (&model->outputs[i]))
      metrics->output_bytes[0] = ASSAY_BYTES_UNKNOWN;
}

/* The numbers of limits, in the order in which a file has them. */
static void
list_limits (AssayDelegateLimits *limits, gint64 *numbers[N_LIMITS])
{
  numbers[0] = &limits->texture;
  numbers[1] = &limits->buffer_bytes;
  numbers[2] = &limits->buffers;
  numbers[3] = &limits->groups;
  numbers[4] = &limits->memory_bytes;
}

/* A program that is made for no device in particular says nothing of one. */
static void
append_limits (const AssayDelegateLimits *limits, GString *text)
{
  AssayDelegateLimits copy = *limits;
  AssayDelegateLimits assumed = assay_delegate_limits_assumed;
  gint64 *numbers[N_LIMITS], *usual[N_LIMITS];
  gboolean halves = limits->has_half && limits->computes_half;
  gboolean differs = !halves;

  list_limits (&copy, numbers);
  list_limits (&assumed, usual);
  for (guint i = 0; i < N_LIMITS; i++)
    differs = differs || *numbers[i] != *usual[i];
  if (!differs)
    return;
  g_string_append (text, LIMITS);
  for (guint i = 0; i < N_LIMITS; i++)
    g_string_append_printf (text, "%" G_GINT64_FORMAT " ", *numbers[i]);
  g_string_append (text, halves ? "halves\n" : "words\n");
}

/* The line that append_limits() has written. */
static gboolean
read_limits (const char *line, AssayDelegateLimits *limits)
{
  gint64 *numbers[N_LIMITS];
  char *rest = (char *) line + strlen (LIMITS);

  list_limits (limits, numbers);
  for (guint i = 0; i < N_LIMITS; i++)
    {
      const char *at = rest;

      if (!g_ascii_isdigit (*at))
        return FALSE;
      *numbers[i] = g_ascii_strtoll (at, &rest, 10);
      if (*rest++ != ' ' || *numbers[i] < 1)
        return FALSE;
    }
  limits->has_half = limits->computes_half = g_str_equal (rest, "halves");

  return limits->has_half || g_str_equal (rest, "words");
}

static GBytes *
to_bytes (AssayProgram *program, GError **error)
{
  AssayDelegateProgram *self = ASSAY_DELEGATE_PROGRAM (program);
  g_autofree char *graph = assay_graph_to_text (self->graph, ASSAY_TEXT_ALL_DATA | ASSAY_TEXT_WHOLE,
                                                error);
  GString *text;

  if (graph == NULL)
    return NULL;

  text = g_string_new (ASSAY_DELEGATE_PROGRAM_MARK);
  g_string_append_printf (text, "%s\n%s", assay_program_get_facts (program)->target_id,
                          self->half ? HALF "\n" : "");
  append_limits (&self->limits, text);
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (self->graph); id++)
    {
      const AssayDelegateNode *node = &self->nodes[id];

      g_string_append_printf (text, "%c %u %s",
                              node->textures ? 't'
                              : node->takes  ? 'd'
                                             : 'h',
                              node->into, node->mapping != NULL ? node->mapping : "");
      if (node->layout != NULL)
        g_string_append_printf (text, "\t%" G_GUINT64_FORMAT "\t%s", node->moved, node->layout);
      g_string_append_c (text, '\n');
    }
  g_string_append_printf (text, "\n%s", graph);

  return g_string_free_to_bytes (text);
}

static void
finalize (GObject *object)
{
  AssayDelegateProgram *self = ASSAY_DELEGATE_PROGRAM (object);

  g_clear_pointer (&self->plan, assay_delegate_plan_free);
  g_clear_pointer (&self->watched, assay_delegate_plan_free);
  g_clear_pointer (&self->graph, assay_graph_unref);
  g_free (self->nodes);
  g_free (self->aliases);
  G_OBJECT_CLASS (assay_delegate_program_parent_class)->finalize (object);
}

static void
assay_delegate_program_class_init (AssayDelegateProgramClass *klass)
{
  AssayProgramClass *program = ASSAY_PROGRAM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  program->machine = "vulkan";
  program->steps_only = TRUE;
  program->get_row = get_row;
  program->append_row = append_row;
  program->append_memory = append_memory;
  program->count_cycles = count_cycles;
  program->find_value = find_value;
  program->count = count;
  program->to_bytes = to_bytes;
}

static void
assay_delegate_program_init (AssayDelegateProgram *self)
{
}

/**
 * assay_delegate_program_get_graph:
 * @self: a program
 *
 * Gets the graph that it runs, the one that was checked.
 *
 * Returns: (transfer none): the graph
 */
AssayGraph *
assay_delegate_program_get_graph (AssayDelegateProgram *self)
{
  return self->graph;
}

/**
 * assay_delegate_program_get_plan:
 * @self: a program
 * @keep_all: whether every value of the device comes back to be looked at, for which each has a
 * place of its own
 *
 * Gets what host and device do. Its dispatches are the same, but for transitions of what comes
 * back.
 *
 * Returns: (transfer none): the plan
 */
const AssayDelegatePlan *
assay_delegate_program_get_plan (AssayDelegateProgram *self, gboolean keep_all)
{
  if (keep_all && g_once_init_enter (&self->watched))
    g_once_init_leave (&self->watched, assay_delegate_plan_new (self->graph, self->nodes,
                                                                self->half, TRUE, &self->limits));

  return keep_all ? self->watched : self->plan;
}

/**
 * assay_delegate_program_count_left:
 * @self: a program
 *
 * Counts the nodes that the delegate takes and that run on the host here, for want of a shader.
 *
 * Returns: the number
 */
guint
assay_delegate_program_count_left (AssayDelegateProgram *self)
{
  return self->n_left;
}

static guint32
blocks_of (guint64 bytes)
{
  return (guint32) MIN ((bytes + BLOCK - 1) / BLOCK, G_MAXINT32);
}

static AssayTensorKind
kind_of (AssayDelegateProgram *self, guint32 tensor)
{
  AssayValueId value = g_array_index (self->plan->owners, guint32, tensor);
  const AssayRegion *ends = assay_graph_region (self->graph, ASSAY_MAIN_REGION);

  if (value == ASSAY_NO_VALUE)
    return ASSAY_TENSOR_SCRATCH;
  if (assay_graph_value (self->graph, value)->kind == ASSAY_VALUE_INPUT)
    return ASSAY_TENSOR_INPUT;
  for (guint i = 0; i < ends->outputs->len; i++)
    if (g_array_index (ends->outputs, AssayValueId, i) == value)
      return ASSAY_TENSOR_OUTPUT;

  return ASSAY_TENSOR_ACTIVATION;
}

static AssayNodeId
node_of_row (AssayDelegateProgram *self, guint32 row)
{
  row = MIN (row, self->plan->rows->len - 1);

  return g_array_index (self->plan->rows, AssayDelegateRow, row).node - 1;
}

/* Views take no place: they are other names of what they show. */
static void
name_aliases (AssayDelegateProgram *self)
{
  self->aliases = g_new0 (const char *, assay_graph_n_values (self->graph));
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (self->graph); id++)
    {
      const AssayNode *node = assay_graph_node (self->graph, id);
      AssayValueId root = self->plan->places[id] == ASSAY_DELEGATE_DEVICE && node->n_outputs > 0
                              ? node->outputs[0]
                              : ASSAY_NO_VALUE;
      const char *name = root != ASSAY_NO_VALUE ? assay_graph_value (self->graph, root)->name
                                                : NULL;
      g_autofree char *names = NULL;

      if (root == ASSAY_NO_VALUE || self->plan->lower->aliases[root] == ASSAY_NO_VALUE)
        continue;
      while (self->plan->lower->aliases[root] != ASSAY_NO_VALUE)
        root = self->plan->lower->aliases[root];
      if (self->aliases[root] != NULL)
        names = g_strdup_printf ("%s, %s", self->aliases[root], name);
      self->aliases[root] = names != NULL ? assay_arena_intern (self->graph->arena, names) : name;
    }
}

/* The other names of a tensor, and where the delegate itself would keep it. */
static const char *
note_of (AssayDelegateProgram *self, guint32 tensor)
{
  AssayValueId value = g_array_index (self->plan->owners, guint32, tensor);
  AssayNodeId node = value != ASSAY_NO_VALUE ? assay_graph_value (self->graph, value)->producer
                                             : ASSAY_NO_NODE;
  const char *layout = node != ASSAY_NO_NODE ? self->nodes[node].layout : NULL;
  const char *aliases = aliases_of (self, tensor);
  g_autofree char *text = g_strconcat (aliases != NULL ? "also " : "",
                                       aliases != NULL ? aliases : "",
                                       aliases != NULL && layout != NULL ? "; " : "",
                                       layout != NULL ? "the delegate: " : "", layout, NULL);

  return *text != '\0' ? assay_arena_intern (self->graph->arena, text) : NULL;
}

static GArray *
list_tensors (AssayDelegateProgram *self)
{
  GArray *tensors = g_array_new (FALSE, TRUE, sizeof (AssayPlanned));

  for (guint i = 0; i < self->plan->lives->len; i++)
    {
      const AssayGpuLife *life = &g_array_index (self->plan->lives, AssayGpuLife, i);
      const AssayGpuTensor *place = &g_array_index (self->plan->gpu->tensors, AssayGpuTensor,
                                                    life->tensor);
      const AssayPlanned tensor = {
        .name = tensor_name (self, life->tensor),
        .node = node_of_row (self, life->born),
        .store = place->space == ASSAY_GPU_TEXTURES ? STORE_TEXTURES : STORE_MEMORY,
        .kind = (guint8) kind_of (self, life->tensor),
        .base = blocks_of (place->base),
        .blocks = blocks_of (place->size),
        .born = life->born,
        .died = life->died,
        .note = note_of (self, life->tensor),
        .reader = node_of_row (self, life->died),
      };

      g_array_append_val (tensors, tensor);
    }

  return tensors;
}

static GArray *
list_residents (AssayDelegateProgram *self)
{
  GArray *residents = g_array_new (FALSE, TRUE, sizeof (AssayResident));

  for (guint i = 0; i < self->plan->weights->len; i++)
    {
      const AssayDelegateWeight *weight = &g_array_index (self->plan->weights, AssayDelegateWeight,
                                                          i);
      const AssayGpuTensor *place = &g_array_index (self->plan->gpu->tensors, AssayGpuTensor,
                                                    weight->tensor);
      AssayResident resident = {
        .name = assay_graph_node (self->graph, weight->node)->name,
        .base = blocks_of (place->base),
        .blocks = blocks_of (place->size),
      };

      resident.padding = 1.0 - (double) place->size / ((double) resident.blocks * BLOCK);
      g_array_append_val (residents, resident);
    }

  return residents;
}

static const AssayPort *
list_ports (AssayGraph *graph, const GArray *values)
{
  AssayPort *ports = (AssayPort *) assay_port_list_plain (graph, values);

  for (guint i = 0; i < values->len; i++)
    ports[i].dtype =
        assay_graph_value (graph, g_array_index (values, AssayValueId, i))->type->dtype;

  return ports;
}

/* Built or loaded, a program begins here. */
static AssayProgram *
take_graph (AssayGraph *graph, AssayDelegateNode *nodes, gboolean half,
            const AssayDelegateLimits *limits, const char *target_id, const char *model_name)
{
  static const AssayProgramUnit units[] = { { "device", "Device", TRUE },
                                            { "host", "Host", TRUE },
                                            { "copies", "Copies", TRUE } };
  AssayDelegateProgram *self = g_object_new (ASSAY_TYPE_DELEGATE_PROGRAM, NULL);
  const AssayRegion *ends = assay_graph_region (graph, ASSAY_MAIN_REGION);
  g_autoptr (GArray) models = g_array_new (FALSE, FALSE, sizeof (AssayModelEntry));
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autoptr (GArray) tensors = NULL;
  g_autoptr (GArray) residents = NULL;
  g_autoptr (GArray) inputs = g_array_new (FALSE, FALSE, sizeof (AssayValueId));
  guint n_stores = 2;
  AssayModelEntry model = {
    assay_arena_intern (graph->arena, model_name), 0, 0, 0, ends->outputs->len, NULL, NULL
  };

  self->graph = graph;
  self->nodes = nodes;
  self->half = half;
  self->limits = *limits;
  self->plan = assay_delegate_plan_new (graph, nodes, half, FALSE, limits);
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      g_ptr_array_add (names, (gpointer) assay_graph_node (graph, id)->name);
      self->n_left += self->plan->places[id] == ASSAY_DELEGATE_HOST &&
                      self->plan->reasons[id] != NULL;
    }
  self->config = (AssayConfigValues){ .num_cores = 1, .block_size = BLOCK / 4 };
  self->stores[STORE_MEMORY] =
      (AssayProgramStore){ "memory",
                           "Device Memory",
                           "the device memory",
                           "memory_depth",
                           blocks_of (self->plan->gpu->space_bytes[ASSAY_GPU_WORK]),
                           TRUE,
                           BLOCK };
  self->stores[STORE_TEXTURES] =
      (AssayProgramStore){ "textures",
                           "Textures",
                           "the memory of textures",
                           "textures_depth",
                           blocks_of (self->plan->gpu->space_bytes[ASSAY_GPU_TEXTURES]),
                           TRUE,
                           BLOCK };
  self->stores[STORE_WEIGHTS] =
      (AssayProgramStore){ "weights",
                           "Weights",
                           "the memory of weights",
                           "weights_depth",
                           blocks_of (self->plan->gpu->space_bytes[ASSAY_GPU_WEIGHTS]),
                           FALSE,
                           BLOCK };

  /* Most programs have none. */
  n_stores += self->plan->gpu->space_bytes[ASSAY_GPU_TEXTURES] > 0;
  model.n_instructions = self->plan->rows->len;
  /* What has a default is a parameter. */
  for (guint i = 0; i < ends->inputs->len; i++)
    if (!assay_graph_value (graph, g_array_index (ends->inputs, AssayValueId, i))->is_parameter)
      g_array_append_val (inputs, g_array_index (ends->inputs, AssayValueId, i));
  model.n_inputs = inputs->len;
  model.inputs = list_ports (graph, inputs);
  model.outputs = list_ports (graph, ends->outputs);
  g_array_append_val (models, model);
  name_aliases (self);
  tensors = list_tensors (self);
  residents = list_residents (self);
  assay_program_set_facts (ASSAY_PROGRAM (self),
                           &(AssayProgramFacts){ assay_arena_intern (graph->arena, target_id),
                                                 &self->config, models, tensors, residents, names,
                                                 self->plan->rows->len, self->stores, n_stores,
                                                 STORE_MEMORY, units, G_N_ELEMENTS (units), FALSE,
                                                 half ? ASSAY_DTYPE_F16 : ASSAY_DTYPE_UNDEFINED });

  return ASSAY_PROGRAM (self);
}

/* What the verdict says is what happens: done by the device, as a part of another node or turned
 * into other operations; or by the host. */
static AssayDelegateNode *
take_verdicts (AssayVerdicts *verdicts, gboolean textures)
{
  AssayGraph *graph = verdicts->graph;
  AssayDelegateNode *nodes = g_new0 (AssayDelegateNode, assay_graph_n_nodes (graph));

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      const AssayVerdict *verdict = assay_verdicts_get (verdicts, id);

      nodes[id].takes = verdict->kind >= ASSAY_VERDICT_FUSED;
      nodes[id].textures = textures && nodes[id].takes;
      nodes[id].into = verdict->into;
      nodes[id].moved = verdict->moved;
      nodes[id].layout = verdict->layout != NULL
                             ? assay_arena_intern (graph->arena, verdict->layout)
                             : NULL;
      nodes[id].mapping = verdict->mapping != NULL
                              ? assay_arena_intern (graph->arena, verdict->mapping)
                              : NULL;
    }

  return nodes;
}

/* Whatever is not done by the device is done by the host, which has to know what it is. */
static gboolean
can_run (AssayVerdicts *verdicts, GError **error)
{
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (verdicts->graph); id++)
    {
      const AssayNode *node = assay_graph_node (verdicts->graph, id);

      if (node->op != ASSAY_OP_OPAQUE || node->region != ASSAY_MAIN_REGION ||
          assay_verdicts_get (verdicts, id)->kind == ASSAY_VERDICT_REMOVED)
        continue;
      g_set_error (
          error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED,
          "%s: nothing here knows what %s%s%s computes, so that neither the device nor the "
          "host runs it",
          node->name, node->domain, *node->domain != '\0' ? "." : "", node->op_type);
      return FALSE;
    }

  return TRUE;
}

/* All that a program has on the device at once has to fit its memory. */
static gboolean
fits_memory (AssayDelegateProgram *self, const AssayDelegateDevice *device, GError **error)
{
  const guint64 *bytes = self->plan->gpu->space_bytes;
  guint64 needed = assay_delegate_plan_count_memory (self->plan);

  if (needed <= (guint64) self->limits.memory_bytes)
    return TRUE;
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_ALLOCATION,
               "the memory of %s is too small: the program takes %" G_GUINT64_FORMAT
               " byte%s of it, %" G_GUINT64_FORMAT " for weights, %" G_GUINT64_FORMAT
               " for what is computed and %" G_GUINT64_FORMAT " for textures, it has "
               "%" G_GINT64_FORMAT,
               device->name, needed, assay_plural (needed), bytes[ASSAY_GPU_WEIGHTS],
               bytes[ASSAY_GPU_WORK], bytes[ASSAY_GPU_TEXTURES], self->limits.memory_bytes);

  return FALSE;
}

/* Whether an option of the delegate is given with this value: textures where there are shaders for
 * them, halves in the place of floats. */
static gboolean
wants (const AssayCompileOptions *options, const char *pair)
{
  const char *const *pairs = options != NULL ? assay_settings_get_list (options->settings,
                                                                        ASSAY_SETTING_TARGET_OPTION)
                                             : NULL;

  return pairs != NULL && g_strv_contains (pairs, pair);
}

/**
 * assay_delegate_program_build:
 * @target: what it is built for
 * @models: (array length=n_models): the model
 * @n_models: how many, one
 * @config: (nullable): unused
 * @options: (nullable): what is wanted of the program
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Builds a program of what the check said of a model.
 *
 * Returns: (transfer full) (nullable): the program
 */
AssayProgram *
assay_delegate_program_build (AssayTarget *target, const AssayCompileModel *models, guint n_models,
                              const AssayConfigValues *config, const AssayCompileOptions *options,
                              const AssayProgress *progress, GError **error)
{
  const AssayCompileOptions *own = models[0].options != NULL ? models[0].options : options;
  g_autoptr (AssayVerdicts) verdicts = NULL;
  g_autoptr (AssayForms) forms = NULL;
  g_autoptr (AssayDelegateDevice) device = NULL;
  AssayProgram *program;

  if (n_models != 1)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED,
                   "a program for a delegate is made of one model, not of %u", n_models);
      return NULL;
    }
  if (models[0].verdicts != NULL)
    verdicts = assay_verdicts_ref (models[0].verdicts);
  else
    {
      forms = assay_forms_new (models[0].graph);
      verdicts = assay_target_check (target, forms, own != NULL ? own->settings : NULL, progress,
                                     error);
    }
  if (verdicts == NULL || !can_run (verdicts, error))
    return NULL;

  if (!assay_delegate_device_load_set (own != NULL ? own->settings : NULL, &device, error))
    return NULL;

  program = take_graph (assay_graph_ref (verdicts->graph),
                        take_verdicts (verdicts, wants (own, "storage_type_override=texture")),
                        wants (own, "force_fp16=true"),
                        device != NULL ? &device->limits : &assay_delegate_limits_assumed,
                        assay_target_get_id (target),
                        own != NULL && own->model_name != NULL ? own->model_name
                                                               : verdicts->graph->name);
  if (device != NULL && !fits_memory (ASSAY_DELEGATE_PROGRAM (program), device, error))
    g_clear_object (&program);

  return program;
}

/* A line of a file, without its end. */
static char *
take_line (const char **at, const char *end)
{
  const char *stop = *at < end ? memchr (*at, '\n', (gsize) (end - *at)) : NULL;
  char *line;

  if (stop == NULL)
    return NULL;
  line = g_strndup (*at, (gsize) (stop - *at));
  *at = stop + 1;

  return line;
}

static gboolean
read_node (char *line, guint n_nodes, AssayDelegateNode *node)
{
  char *moved = strchr (line, '\t');
  char *rest;
  guint64 into;

  if (moved != NULL)
    {
      *moved++ = '\0';
      node->moved = g_ascii_strtoull (moved, &rest, 10);
      if (rest == moved || *rest != '\t')
        return FALSE;
      node->layout = rest + 1;
    }

  if (strchr ("dht", line[0]) == NULL || line[0] == '\0' || line[1] != ' ' ||
      !g_ascii_isdigit (line[2]))
    return FALSE;
  into = g_ascii_strtoull (line + 2, &rest, 10);
  if (*rest != ' ' || into >= n_nodes)
    return FALSE;
  node->takes = line[0] != 'h';
  node->textures = line[0] == 't';
  node->into = (AssayNodeId) into;
  node->mapping = rest[1] != '\0' ? rest + 1 : NULL;

  return TRUE;
}

static AssayProgram *
refuse (GError **error, const char *what)
{
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_LOAD, "program of a delegate: %s", what);
  return NULL;
}

/**
 * assay_delegate_program_load:
 * @bytes: what a program file holds
 * @error: return location for a #GError
 *
 * Loads a program; what runs where is worked out anew from what the check said.
 *
 * Returns: (transfer full) (nullable): the program, or %NULL with %ASSAY_ERROR_LOAD
 */
AssayProgram *
assay_delegate_program_load (GBytes *bytes, GError **error)
{
  gsize size;
  const char *at = g_bytes_get_data (bytes, &size);
  const char *end;
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) why = NULL;
  g_autofree AssayDelegateNode *nodes = NULL;
  g_autofree char *target_id = NULL;
  g_autoptr (AssayGraph) graph = NULL;
  AssayDelegateLimits limits = assay_delegate_limits_assumed;
  gboolean is_whole, half;
  char *line;

  if (size <= strlen (ASSAY_DELEGATE_PROGRAM_MARK) ||
      memcmp (at, ASSAY_DELEGATE_PROGRAM_MARK, strlen (ASSAY_DELEGATE_PROGRAM_MARK)) != 0)
    return refuse (error, "of another kind");
  /* Of an empty file there are no bytes to count from. */
  end = at + size;
  at += strlen (ASSAY_DELEGATE_PROGRAM_MARK);
  target_id = take_line (&at, end);
  while ((line = take_line (&at, end)) != NULL && *line != '\0' && lines->len < MOST_NODES)
    g_ptr_array_add (lines, line);
  if (line == NULL)
    return refuse (error, "cut short");
  is_whole = *line == '\0';
  g_free (line);
  half = lines->len > 0 && g_str_equal (g_ptr_array_index (lines, 0), HALF);
  if (half)
    g_ptr_array_remove_index (lines, 0);
  if (lines->len > 0 && g_str_has_prefix (g_ptr_array_index (lines, 0), LIMITS))
    {
      if (!read_limits (g_ptr_array_index (lines, 0), &limits))
        return refuse (error, "it does not say what its device has");
      g_ptr_array_remove_index (lines, 0);
    }
  if (!is_whole)
    return refuse (error, "it has too many nodes");

  graph = assay_program_graph_read (at, (gsize) (end - at), &why);
  if (graph == NULL)
    return refuse (error, why->message);
  if (lines->len + 1 != assay_graph_n_nodes (graph))
    return refuse (error, "it does not say of each node where it runs");
  nodes = g_new0 (AssayDelegateNode, lines->len + 1);
  for (guint i = 0; i < lines->len; i++)
    {
      if (!read_node (g_ptr_array_index (lines, i), lines->len + 1, &nodes[i + 1]))
        return refuse (error, "it does not say of a node where it runs");
      if (nodes[i + 1].mapping != NULL)
        nodes[i + 1].mapping = assay_arena_intern (graph->arena, nodes[i + 1].mapping);
      if (nodes[i + 1].layout != NULL)
        nodes[i + 1].layout = assay_arena_intern (graph->arena, nodes[i + 1].layout);
    }

  return take_graph (assay_graph_ref (graph), g_steal_pointer (&nodes), half, &limits, target_id,
                     graph->name);
}
