/* machine-run.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Graphs as text, and their run on the machine with whole tensors in row-major order on both sides,
 * streamed or not.
 */
#include "machine-run.h"

#include <string.h>

#include "backend/stream/machine/assay-stream-code-file.h"
#include "evaluate/assay-datum.h"
#include "nnir/assay-graph-builder.h"
#include "nnir/shape/assay-infer.h"
#include "nnir/text/assay-text.h"

gsize
machine_count (const AssayGraph *graph, AssayValueId id)
{
  gsize n = 0;

  g_assert_true (assay_type_count (assay_graph_value (graph, id)->type, &n));

  return n;
}

void
machine_free (float **tensors)
{
  for (guint i = 0; tensors != NULL && tensors[i] != NULL; i++)
    g_free (tensors[i]);
  g_free (tensors);
}

/* Values that bf16 does not have, of a size that keeps sums small; they depend on the name alone,
 * so that a part of a graph has the same ones. */
static void
fill_parameter (AssayGraph *graph, AssayValueId id)
{
  const AssayType *type = assay_graph_value (graph, id)->type;
  g_autoptr (GRand) rand = g_rand_new_with_seed (g_str_hash (assay_graph_value (graph, id)->name));
  g_autoptr (AssayDatum) datum = NULL;
  g_autoptr (AssayTensor) tensor = NULL;
  gint64 dims[8];

  for (int i = 0; i < type->rank; i++)
    dims[i] = type->dims[i].size;
  datum = assay_datum_new (type->dtype, assay_datum_storage (type->dtype, FALSE),
                           (guint) type->rank, dims, NULL);
  for (gsize i = 0; i < datum->n; i++)
    assay_datum_set_number (
        datum, i, g_rand_double_range (rand, 0.1, 0.6) * (g_rand_boolean (rand) ? 1 : -1));
  assay_datum_round (datum);
  tensor = assay_datum_to_tensor (datum, FALSE, NULL);
  assay_graph_set_constant (graph, id, tensor);
}

/* Reads a graph, gives values to its parameters, and infers types. */
static AssayGraph *
read_text (const char *body, AssayFindings *findings, GError **error)
{
  g_autofree char *text = g_strdup_printf ("nnir 1\ngraph \"case\" {ir_version = 3}\nmain %s\n",
                                           body);
  AssayGraph *graph = assay_graph_from_text (text, -1, findings, error);
  const GArray *inputs;

  if (graph == NULL)
    return NULL;

  inputs = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs;
  for (guint i = 0; i < inputs->len; i++)
    {
      AssayValueId id = g_array_index (inputs, AssayValueId, i);
      const AssayValue *value = assay_graph_value (graph, id);

      if (value->is_parameter && value->constant == NULL)
        fill_parameter (graph, id);
    }
  if (!assay_graph_infer (graph, findings, NULL, error))
    g_clear_pointer (&graph, assay_graph_unref);

  return graph;
}

/**
 * machine_graph_from_text:
 * @body: the main region of a graph as text
 *
 * Reads a graph, gives values to its parameters, and infers types.
 *
 * Returns: (transfer full): the graph
 */
AssayGraph *
machine_graph_from_text (const char *body)
{
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) error = NULL;
  AssayGraph *graph = read_text (body, findings, &error);

  g_assert_no_error (error);
  for (guint i = 0; i < assay_findings_get_count (findings); i++)
    g_error ("%s: %s", body, assay_findings_get (findings, i)->message);

  return graph;
}

/**
 * machine_graph_try_text:
 * @body: the main region of a graph as text
 *
 * Does what machine_graph_from_text() does with a graph that may be wrong.
 *
 * Returns: (transfer full) (nullable): the graph, %NULL if there is any finding
 */
AssayGraph *
machine_graph_try_text (const char *body)
{
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  AssayGraph *graph = read_text (body, findings, NULL);

  if (assay_findings_get_count (findings) > 0)
    g_clear_pointer (&graph, assay_graph_unref);

  return graph;
}

/**
 * machine_inputs:
 * @graph: a graph
 * @rand: what the numbers come from
 * @low: the least of them
 * @high: the greatest of them
 *
 * Makes random inputs.
 *
 * Returns: (transfer full): an array per input that is not a parameter, then %NULL
 */
float **
machine_inputs (AssayGraph *graph, GRand *rand, double low, double high)
{
  const GArray *ids = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs;
  float **inputs = g_new0 (float *, ids->len + 1);
  guint n_inputs = 0;

  for (guint i = 0; i < ids->len; i++)
    {
      AssayValueId id = g_array_index (ids, AssayValueId, i);
      gsize n = machine_count (graph, id);
      float *values;

      if (assay_graph_value (graph, id)->constant != NULL)
        continue;
      inputs[n_inputs++] = values = g_new (float, n + 1);
      for (gsize j = 0; j < n; j++)
        values[j] = (float) g_rand_double_range (rand, low, high);
    }

  return inputs;
}

/* Between a row-major tensor and the order of a port, in which the data dimension is innermost, at
 * one timestep. */
static void
move_port (const AssayPort *port, gint64 n_steps, gint64 step, float *machine, float *tensor,
           gboolean in)
{
  gsize n = (gsize) port->lanes * port->n_vectors;

  for (gsize i = 0; i < n; i++)
    {
      gint64 index[ASSAY_MAX_RANK + 1];
      gsize rest = i, at = 0, flat = 0;

      for (guint axis = port->rank; axis-- > 0;)
        {
          index[axis] = (gint64) (rest % (gsize) port->dims[axis]);
          rest /= (gsize) port->dims[axis];
        }
      for (guint axis = 0; axis <= port->rank; axis++)
        {
          if ((int) axis == port->streaming_dim)
            flat = flat * (gsize) n_steps + (gsize) step;
          if (axis == port->rank)
            break;
          flat = flat * (gsize) port->dims[axis] + (gsize) index[axis];
          if ((int) axis != port->data_dim)
            at = at * (gsize) port->dims[axis] + (gsize) index[axis];
        }
      if (port->data_dim >= 0)
        at = at * port->lanes + (gsize) index[port->data_dim];
      if (in)
        machine[at] = tensor[flat];
      else
        tensor[flat] = machine[at];
    }
}

static float **
new_ports (guint n, const AssayPort *ports)
{
  float **arrays = g_new0 (float *, n + 1);

  for (guint i = 0; i < n; i++)
    arrays[i] = g_new0 (float, (gsize) ports[i].lanes *ports[i].n_vectors + 1);

  return arrays;
}

static gint64
count_steps (AssayGraph *graph, const AssaySettings *settings)
{
  const GArray *ids = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs;
  guint n_axes;
  const int *axes = assay_settings_get_axes (settings, &n_axes);

  for (guint i = 0, input = 0; i < ids->len && input < n_axes; i++)
    {
      const AssayValue *value = assay_graph_value (graph, g_array_index (ids, AssayValueId, i));

      if (value->constant != NULL)
        continue;
      if (axes[input] >= 0)
        return value->type->dims[axes[input]].size;
      input++;
    }

  return 1;
}

/**
 * machine_run_code:
 * @code: a program
 * @graph: the graph it was compiled from
 * @way: how
 * @inputs: whole tensors, row major
 * @error: return location for a #GError
 *
 * Runs a program over all timesteps.
 *
 * Returns: (transfer full) (nullable): an array per output, row major, then %NULL
 */
float **
machine_run_code (AssayStreamCode *code, AssayGraph *graph, const MachineWay *way, float **inputs,
                  GError **error)
{
  const AssayModelEntry *entry = &g_array_index (code->models, AssayModelEntry, 0);
  const GArray *ids = assay_graph_region (graph, ASSAY_MAIN_REGION)->outputs;
  gint64 n_steps = count_steps (graph, way->options.settings);
  g_autoptr (AssayMachine) machine = assay_machine_new (code, way->flags, error);
  float **outputs, **ins, **outs;

  if (machine == NULL)
    return NULL;

  assay_machine_set_threads (machine, MAX (way->n_threads, 1));
  g_assert_cmpuint (entry->n_outputs, ==, ids->len);
  outputs = g_new0 (float *, ids->len + 1);
  for (guint i = 0; i < ids->len; i++)
    outputs[i] = g_new0 (float, machine_count (graph, g_array_index (ids, AssayValueId, i)) + 1);

  ins = new_ports (entry->n_inputs, entry->inputs);
  outs = new_ports (entry->n_outputs, entry->outputs);
  for (gint64 step = 0; step < n_steps; step++)
    {
      for (guint i = 0; i < entry->n_inputs; i++)
        move_port (&entry->inputs[i], n_steps, step, ins[i], inputs[i], TRUE);
      g_assert_true (assay_machine_run (machine, 0, (const float *const *) ins, outs, NULL, error));
      for (guint i = 0; i < entry->n_outputs; i++)
        move_port (&entry->outputs[i], n_steps, step, outs[i], outputs[i], FALSE);
    }
  machine_free (ins);
  machine_free (outs);

  return outputs;
}

/**
 * machine_run_graph:
 * @graph: a graph
 * @way: how
 * @inputs: whole tensors, row major
 * @error: return location for a #GError
 *
 * Compiles a graph, verifies the program and runs it over all timesteps.
 *
 * Returns: (transfer full) (nullable): an array per output, row major, then %NULL
 */
float **
machine_run_graph (AssayGraph *graph, const MachineWay *way, float **inputs, GError **error)
{
  g_autoptr (AssayStreamCode)
      code = assay_compile (graph, &way->config, &way->options, NULL, error);

  if (code == NULL || !assay_stream_code_verify (code, error))
    return NULL;

  return machine_run_code (code, graph, way, inputs, error);
}
