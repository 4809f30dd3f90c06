/* assay-run-subject.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "run/assay-run-subject.h"

#include "backend/assay-port.h"

static AssayRunSubject *
subject_new (const char *path)
{
  AssayRunSubject *self = g_new0 (AssayRunSubject, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->path = g_strdup (path);

  return self;
}

/**
 * assay_run_subject_new_for_graph:
 * @path: (nullable): file of the model, which runners in other processes read
 * @imported: the model as imported
 * @canonical: its canonical form
 *
 * Makes a subject of a model.
 *
 * Returns: (transfer full): the subject
 */
AssayRunSubject *
assay_run_subject_new_for_graph (const char *path, AssayGraph *imported, AssayGraph *canonical)
{
  AssayRunSubject *self = subject_new (path);

  self->imported = assay_graph_ref (imported);
  self->graph = assay_graph_ref (canonical);

  return self;
}

/**
 * assay_run_subject_new_for_program:
 * @path: (nullable): file of the program
 * @program: the program
 * @model: which of its models
 *
 * Makes a subject of a program whose model is not at hand.
 *
 * Returns: (transfer full): the subject
 */
AssayRunSubject *
assay_run_subject_new_for_program (const char *path, AssayProgram *program, guint model)
{
  AssayRunSubject *self = subject_new (path);

  assay_run_subject_set_program (self, program, model, NULL, 0);

  return self;
}

AssayRunSubject *
assay_run_subject_ref (AssayRunSubject *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
assay_run_subject_unref (AssayRunSubject *self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_clear_pointer (&self->imported, assay_graph_unref);
  g_clear_pointer (&self->graph, assay_graph_unref);
  g_clear_object (&self->program);
  g_free (self->path);
  g_free (self->streaming_axes);
  g_free (self);
}

/**
 * assay_run_subject_set_program:
 * @self: a subject that no runner has been opened on yet
 * @program: the program that was made of its model
 * @model: which of the program's models it is
 * @streaming_axes: (nullable) (array length=n_streaming_axes): axis per main input that became
 * time, -1 for none
 * @n_streaming_axes: number of entries
 *
 * Adds the program that the machine and boards run.
 */
void
assay_run_subject_set_program (AssayRunSubject *self, AssayProgram *program, guint model,
                               const int *streaming_axes, guint n_streaming_axes)
{
  g_object_ref (program);
  g_clear_object (&self->program);
  self->program = program;
  self->model = model;
  g_free (self->streaming_axes);
  self->streaming_axes = g_memdup2 (streaming_axes, n_streaming_axes * sizeof *streaming_axes);
  self->n_streaming_axes = n_streaming_axes;
}

static void
port_clear (gpointer data)
{
  AssayRunPort *port = data;

  g_free (port->name);
  g_free (port->other);
  g_free (port->whole);
  g_free (port->part);
  g_free (port->dims);
}

/**
 * assay_run_ports_new:
 *
 * Makes an empty list of ports, which owns what its entries point to.
 *
 * Returns: (transfer full) (element-type AssayRunPort): the list
 */
GArray *
assay_run_ports_new (void)
{
  GArray *ports = g_array_new (FALSE, TRUE, sizeof (AssayRunPort));

  g_array_set_clear_func (ports, port_clear);

  return ports;
}

static void
add_program_port (GArray *ports, const AssayPort *port)
{
  AssayRunPort entry = {
    .name = g_strdup (port->name),
    .dtype = port->dtype != ASSAY_DTYPE_UNDEFINED ? port->dtype : ASSAY_DTYPE_F32,
    .dims = g_new (gint64, port->rank + 1),
    .time_axis = port->streaming_dim,
    .output = ports->len,
  };

  entry.rank = (int) assay_port_dims (port, port->streaming_dim, -1, entry.dims);
  g_array_append_val (ports, entry);
}

static void
add_graph_port (GArray *ports, const AssayGraph *graph, AssayValueId id)
{
  const AssayType *type = id == ASSAY_NO_VALUE ? &assay_type_unknown
                                               : assay_graph_value (graph, id)->type;
  gboolean tensor = type->kind == ASSAY_TYPE_KIND_TENSOR;
  AssayRunPort entry = {
    .name = g_strdup (id == ASSAY_NO_VALUE ? "" : assay_graph_value (graph, id)->name),
    .dtype = tensor ? type->dtype : ASSAY_DTYPE_UNDEFINED,
    .rank = tensor ? type->rank : -1,
    .dims = g_new (gint64, MAX (type->rank, 0) + 1),
    .time_axis = -1,
    .other = !tensor && type->kind != ASSAY_TYPE_KIND_UNKNOWN ? assay_type_to_string (type) : NULL,
    .output = ports->len,
  };

  for (int i = 0; i < entry.rank; i++)
    entry.dims[i] = type->dims[i].size;
  g_array_append_val (ports, entry);
}

/**
 * assay_run_ports_for_program:
 * @program: a program
 * @model: which of its models
 * @inputs: whether its inputs are wanted rather than its outputs
 *
 * Describes the ports of a program: floats, any number of timesteps.
 *
 * Returns: (transfer full) (element-type AssayRunPort): the ports
 */
GArray *
assay_run_ports_for_program (AssayProgram *program, guint model, gboolean inputs)
{
  const AssayModelEntry *entry = assay_program_get_model (program, model);
  GArray *ports = assay_run_ports_new ();

  for (guint i = 0; i < (inputs ? entry->n_inputs : entry->n_outputs); i++)
    add_program_port (ports, inputs ? &entry->inputs[i] : &entry->outputs[i]);

  return ports;
}

/**
 * assay_run_ports_for_graph:
 * @graph: a model
 *
 * Describes what goes into a model. Inputs that have a default are parameters, and not listed.
 *
 * Returns: (transfer full) (element-type AssayRunPort): the inputs
 */
GArray *
assay_run_ports_for_graph (const AssayGraph *graph)
{
  const AssayRegion *region = assay_graph_region (graph, ASSAY_MAIN_REGION);
  GArray *ports = assay_run_ports_new ();

  for (guint i = 0; i < region->inputs->len; i++)
    {
      AssayValueId id = g_array_index (region->inputs, AssayValueId, i);

      if (!assay_graph_value (graph, id)->is_parameter)
        add_graph_port (ports, graph, id);
    }

  return ports;
}

/**
 * assay_run_subject_get_inputs:
 * @self: a subject
 *
 * Describes what goes in: of the model if there is one, else of the program. Inputs that have a
 * default are parameters, and not listed.
 *
 * Returns: (transfer full) (element-type AssayRunPort): the inputs
 */
GArray *
assay_run_subject_get_inputs (AssayRunSubject *self)
{
  GArray *ports;

  if (self->imported == NULL)
    return assay_run_ports_for_program (self->program, self->model, TRUE);

  ports = assay_run_ports_for_graph (self->imported);
  for (guint i = 0; i < ports->len && i < self->n_streaming_axes; i++)
    g_array_index (ports, AssayRunPort, i).time_axis = self->streaming_axes[i];

  return ports;
}

/**
 * assay_run_subject_get_outputs:
 * @self: a subject
 *
 * Describes what comes out: of the model if there is one, else of the program.
 *
 * Returns: (transfer full) (element-type AssayRunPort): the outputs
 */
GArray *
assay_run_subject_get_outputs (AssayRunSubject *self)
{
  GArray *ports;
  const AssayRegion *region;

  if (self->imported == NULL)
    return assay_run_ports_for_program (self->program, self->model, FALSE);

  ports = assay_run_ports_new ();
  region = assay_graph_region (self->imported, ASSAY_MAIN_REGION);
  for (guint i = 0; i < region->outputs->len; i++)
    add_graph_port (ports, self->imported, g_array_index (region->outputs, AssayValueId, i));

  return ports;
}

/**
 * assay_run_shape_to_string:
 * @rank: number of dimensions
 * @dims: (array length=rank): the extents, below 0 where any will do
 * @time_axis: the axis that holds timesteps, or -1
 *
 * Writes a shape for a message.
 *
 * Returns: (transfer full): such as `[1, timesteps, 40]`
 */
char *
assay_run_shape_to_string (guint rank, const gint64 *dims, int time_axis)
{
  GString *text = g_string_new ("[");

  for (guint i = 0; i < rank; i++)
    {
      g_string_append (text, i > 0 ? ", " : "");
      if ((int) i == time_axis)
        g_string_append (text, "timesteps");
      else if (dims[i] < 0)
        g_string_append_c (text, '?');
      else
        g_string_append_printf (text, "%" G_GINT64_FORMAT, dims[i]);
    }
  g_string_append_c (text, ']');

  return g_string_free (text, FALSE);
}

/**
 * assay_run_port_mismatch:
 * @port: an input or output
 * @tensor: what is meant for it
 *
 * Finds why a tensor does not fit a port; an extent or type that nobody knows fits everything.
 *
 * Returns: (transfer full) (nullable): the reason, beginning with the name of the port, or %NULL if
 * it fits
 */
char *
assay_run_port_mismatch (const AssayRunPort *port, AssayTensor *tensor)
{
  const gint64 *dims = assay_tensor_get_dims (tensor);
  guint rank = assay_tensor_get_rank (tensor);
  gboolean fits = port->rank < 0 || (guint) port->rank == rank;
  g_autofree char *is = NULL;
  g_autofree char *expected = NULL;

  if (port->dtype != ASSAY_DTYPE_UNDEFINED && port->dtype != assay_tensor_get_dtype (tensor))
    return g_strdup_printf ("%s: type %s, expected %s", port->name,
                            assay_dtype_name (assay_tensor_get_dtype (tensor)),
                            assay_dtype_name (port->dtype));

  for (guint i = 0; fits && port->rank >= 0 && i < rank; i++)
    fits = port->dims[i] < 0 || port->dims[i] == dims[i];
  if (fits)
    return NULL;

  is = assay_run_shape_to_string (rank, dims, -1);
  expected = assay_run_shape_to_string ((guint) port->rank, port->dims, -1);

  return g_strdup_printf ("%s: shape %s, expected %s", port->name, is, expected);
}
