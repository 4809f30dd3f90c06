/* assay-adder-backend.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The example of a backend: an adder of whole numbers with one store and a made-up clock, on which
 * each element takes a cycle. docs/adding-a-backend.md goes through it.
 */
#include <string.h>

#include "backend/assay-backend.h"
#include "backend/assay-program-class.h"
#include "backend/assay-program-graph.h"
#include "base/assay-error.h"
#include "nnir/pass/assay-canonical.h"
#include "nnir/text/assay-text.h"

/* A file is this, lines with target and depth of the store, and the graph as text. */
#define MARK "adder program 1\n"

#define ASSAY_TYPE_ADDER (assay_adder_get_type ())
G_DECLARE_FINAL_TYPE (AssayAdder, assay_adder, ASSAY, ADDER, AssayProgram)

struct _AssayAdder
{
  AssayProgram parent_instance;
  AssayGraph *graph; /* its nodes are the instructions, the first of them has id 1 */
  AssayConfigValues config;
  AssayProgramStore store;
};

G_DEFINE_FINAL_TYPE (AssayAdder, assay_adder, ASSAY_TYPE_PROGRAM)

/* Every value of the graph has a place in the store. */
static const AssayPlanned *
tensor_of (AssayProgram *program, AssayValueId value)
{
  return assay_program_get_tensor (program, value - 1);
}

static void
get_row (AssayProgram *program, guint32 row, AssayProgramRow *filled)
{
  *filled = (AssayProgramRow){ .name = "add", .node = row, .step = row };
}

static void
count_cycles (AssayProgram *program, guint model, const AssayQueues *queues, AssayCycles *cycles,
              GArray *events)
{
  guint32 now = 0;

  for (guint32 row = 0; row < assay_program_get_facts (program)->n_rows; row++)
    {
      const AssayNode *node = assay_graph_node (ASSAY_ADDER (program)->graph, row + 1);
      guint32 end = now + tensor_of (program, node->outputs[0])->blocks;
      AssayEvent event = { row, now, end, end, (gint32) row - 1, now, now };

      if (events != NULL)
        g_array_append_val (events, event);
      now = end;
    }
  *cycles = (AssayCycles){ now, now, 0, now, now };
}

static GBytes *
to_bytes (AssayProgram *program, GError **error)
{
  AssayAdder *self = ASSAY_ADDER (program);
  g_autofree char *graph = assay_graph_to_text (self->graph, ASSAY_TEXT_DEFAULT, error);
  char *text;

  if (graph == NULL)
    return NULL;

  text = g_strdup_printf (MARK "%s\n%u\n%s", assay_program_get_facts (program)->target_id,
                          self->store.depth, graph);
  return g_bytes_new_take (text, strlen (text));
}

static gboolean
run (AssayProgram *program, guint model, const float *const *inputs, float *const *outputs,
     const AssayProgress *progress, GError **error)
{
  AssayAdder *self = ASSAY_ADDER (program);
  const AssayRegion *ends = assay_graph_region (self->graph, ASSAY_MAIN_REGION);
  g_autofree gint32 *store = g_new (gint32, self->store.depth);

  for (guint i = 0; i < ends->inputs->len; i++)
    {
      const AssayPlanned *in = tensor_of (program, g_array_index (ends->inputs, AssayValueId, i));

      for (guint j = 0; j < in->blocks; j++)
        store[in->base + j] = (gint32) inputs[i][j];
    }
  for (guint32 row = 0; row < assay_program_get_facts (program)->n_rows; row++)
    {
      const AssayNode *node = assay_graph_node (self->graph, row + 1);
      const AssayPlanned *sum = tensor_of (program, node->outputs[0]);
      guint32 a = tensor_of (program, node->inputs[0])->base;
      guint32 b = tensor_of (program, node->inputs[1])->base;

      for (guint j = 0; j < sum->blocks; j++)
        store[sum->base + j] = (gint32) ((guint32) store[a + j] + (guint32) store[b + j]);
    }
  for (guint i = 0; i < ends->outputs->len; i++)
    {
      const AssayPlanned *out = tensor_of (program, g_array_index (ends->outputs, AssayValueId, i));

      for (guint j = 0; j < out->blocks; j++)
        outputs[i][j] = (float) store[out->base + j];
    }

  return TRUE;
}

static void
finalize (GObject *object)
{
  assay_graph_unref (ASSAY_ADDER (object)->graph);
  G_OBJECT_CLASS (assay_adder_parent_class)->finalize (object);
}

static void
assay_adder_class_init (AssayAdderClass *klass)
{
  AssayProgramClass *program = ASSAY_PROGRAM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  program->get_row = get_row;
  program->count_cycles = count_cycles;
  program->to_bytes = to_bytes;
  program->run = run;
}

static void
assay_adder_init (AssayAdder *self)
{
}

static gpointer
refuse (gint64 depth, GError **error)
{
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED,
               "an adder takes sums alone, of one model and up to %d elements", (int) depth);
  return NULL;
}

/* Built or loaded, a program begins here. */
static AssayProgram *
take_graph (AssayGraph *graph, const char *target_id, gint64 depth, GError **error)
{
  static const AssayProgramUnit unit = { "adder", "Adder", FALSE };
  g_autoptr (AssayAdder) self = g_object_new (ASSAY_TYPE_ADDER, NULL);
  const AssayRegion *ends = assay_graph_region (graph, ASSAY_MAIN_REGION);
  g_autoptr (GArray) models = g_array_new (FALSE, FALSE, sizeof (AssayModelEntry));
  g_autoptr (GArray) tensors = g_array_new (FALSE, TRUE, sizeof (AssayPlanned));
  g_autoptr (GPtrArray) nodes = g_ptr_array_new ();
  guint n = assay_graph_n_nodes (graph) - 1;
  AssayModelEntry model = { graph->name, 0, n, ends->inputs->len, ends->outputs->len, NULL, NULL };
  gint64 used = 0;
  gsize size;

  depth = CLAMP (depth, 0, 1 << 20);
  self->graph = graph;
  self->config = (AssayConfigValues){ .num_cores = 1, .block_size = 1, .clock_mhz = 100 };
  self->store = (AssayProgramStore){ "store", "Store", "the store", "depth", (guint) depth, TRUE };
  for (AssayValueId id = 1; id < assay_graph_n_values (graph); id++)
    {
      const AssayValue *value = assay_graph_value (graph, id);
      AssayPlanned tensor = { value->name, .base = (guint32) used,
                              .kind = ASSAY_TENSOR_ACTIVATION };

      if (value->constant == NULL && assay_type_count (value->type, &size))
        used += tensor.blocks = (guint32) MIN (size, G_MAXINT32);
      g_array_append_val (tensors, tensor);
    }
  for (AssayNodeId id = 1; id <= n && used <= depth; id++)
    {
      const AssayNode *node = assay_graph_node (graph, id);
      AssayPlanned *sum;

      if (node->op != ASSAY_OP_Add || node->n_inputs != 2 || node->n_outputs != 1 ||
          node->outputs[0] == ASSAY_NO_VALUE)
        return refuse (depth, error);
      sum = &g_array_index (tensors, AssayPlanned, node->outputs[0] - 1);
      /* A sum reads what was there before it. */
      for (guint i = 0; i < 2; i++)
        {
          AssayValueId in = node->inputs[i];

          if (in == ASSAY_NO_VALUE || assay_graph_value (graph, in)->producer >= id ||
              g_array_index (tensors, AssayPlanned, in - 1).blocks != sum->blocks)
            return refuse (depth, error);
          g_array_index (tensors, AssayPlanned, in - 1).died = id - 1;
        }
      sum->node = sum->born = id - 1;
      sum->died = n;
      g_ptr_array_add (nodes, (gpointer) node->name);
    }
  if (used > depth)
    return refuse (depth, error);

  model.inputs = assay_port_list_plain (graph, ends->inputs);
  model.outputs = assay_port_list_plain (graph, ends->outputs);
  g_array_append_val (models, model);
  assay_program_set_facts (ASSAY_PROGRAM (self),
                           &(AssayProgramFacts){ assay_arena_intern (graph->arena, target_id),
                                                 &self->config, models, tensors, NULL, nodes, n,
                                                 &self->store, 1, 0, &unit, 1 });
  return ASSAY_PROGRAM (g_steal_pointer (&self));
}

static AssayProgram *
build (AssayTarget *target, const AssayCompileModel *models, guint n_models,
       const AssayConfigValues *config, const AssayCompileOptions *options,
       const AssayProgress *progress, GError **error)
{
  const AssayCanonicalOptions form = ASSAY_CANONICAL_OPTIONS_COMPILE;
  AssayGraph *graph = n_models > 1
                          ? refuse (0, error)
                          : assay_graph_canonicalize (models[0].graph, &form, progress, error);
  gint64 depth = 0;

  assay_target_get_config_int (target, "depth", &depth);
  return graph == NULL ? NULL : take_graph (graph, assay_target_get_id (target), depth, error);
}

static AssayProgram *
load (GBytes *bytes, GError **error)
{
  g_autofree char *text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  g_auto (GStrv) lines = g_strsplit (text, "\n", 4);
  AssayGraph *graph = g_strv_length (lines) < 4
                          ? refuse (0, error)
                          : assay_program_graph_read (lines[3], strlen (lines[3]), error);

  return graph == NULL ? NULL : take_graph (graph, lines[1], atoi (lines[2]), error);
}

const AssayBackendClass assay_backend_adder = {
  .check = { .family = "adder", .untaken = ASSAY_VERDICT_REJECTED, .settles_defaults = TRUE },
  .title = "Example",
  .capabilities = ASSAY_CAN (MAKES_PROGRAMS) | ASSAY_CAN (HAS_STORES) | ASSAY_CAN (COUNTS_CYCLES) |
                  ASSAY_CAN (RUNS_HERE),
  .build = build,
  .mark = MARK,
  .load = load,
};
