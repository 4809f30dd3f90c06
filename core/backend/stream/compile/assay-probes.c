/* assay-probes.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/stream/compile/assay-probes.h"

#include "base/assay-arena.h"

static void
copy_vectors (AssayProbes *self, const AssayLir *lir)
{
  g_array_set_size (self->vectors, lir->vectors->len);
  for (AssayLirId id = 1; id < lir->vectors->len; id++)
    {
      const AssayLirVector *vector = assay_lir_vector (lir, id);

      g_array_index (self->vectors, AssayProbeVector, id) = (AssayProbeVector){
        .root = vector->alias_of != 0 ? vector->alias_of : id,
        .first_block = vector->alias_block,
        .lanes = vector->lanes,
      };
    }

  g_array_set_size (self->written, lir->ops->len);
  for (guint i = 0; i < lir->ops->len; i++)
    g_array_index (self->written, guint32, i) = g_array_index (lir->ops, AssayLirOp, i).d;
}

/* Whether something writes into the blocks of every vector, or into those of the vector they are
 * part of. */
static gboolean
is_written (const AssayProbes *self, const gboolean *written_roots, const AssayLirValue *value)
{
  for (guint32 i = 0; i < value->n_vectors; i++)
    {
      if (value->vectors[i] == 0 ||
          !written_roots[g_array_index (self->vectors, AssayProbeVector, value->vectors[i]).root])
        return FALSE;
    }

  return value->n_vectors > 0;
}

static void
add_value (AssayProbes *self, const AssayLirValue *value, const AssayGraph *graph)
{
  AssayProbe probe = {
    .value = value->id,
    .node = assay_graph_value (graph, value->id)->producer,
    .rank = value->rank,
    .dims = assay_arena_memdup (self->arena, value->dims, value->rank * sizeof *value->dims),
    .time_axis = value->time_axis,
    .data_dim = value->data_dim,
    .n_vectors = value->n_vectors,
    .lanes = value->lanes,
    .vectors = assay_arena_memdup (self->arena, value->vectors,
                                   value->n_vectors * sizeof *value->vectors),
  };

  g_array_append_val (self->values, probe);
  g_array_index (self->of_value, guint32, value->id) = self->values->len;
}

/**
 * assay_probes_new:
 * @lir: the lowered model, as it will be emitted
 * @graph: the graph it was made of
 *
 * Notes where every value is to be found that a node makes and that survives fusion.
 *
 * Returns: (transfer full): the probes
 */
AssayProbes *
assay_probes_new (const AssayLir *lir, const AssayGraph *graph)
{
  AssayProbes *self = g_new0 (AssayProbes, 1);
  g_autofree gboolean *written_roots = g_new0 (gboolean, lir->vectors->len);

  self->arena = assay_arena_new ();
  self->values = g_array_new (FALSE, FALSE, sizeof (AssayProbe));
  self->vectors = g_array_new (FALSE, TRUE, sizeof (AssayProbeVector));
  self->written = g_array_new (FALSE, TRUE, sizeof (guint32));
  self->of_value = g_array_new (FALSE, TRUE, sizeof (guint32));
  g_array_set_size (self->of_value, assay_graph_n_values (graph));
  copy_vectors (self, lir);

  for (guint i = 0; i < self->written->len; i++)
    {
      guint32 vector = g_array_index (self->written, guint32, i);

      written_roots[g_array_index (self->vectors, AssayProbeVector, vector).root] = TRUE;
    }
  written_roots[0] = FALSE;

  for (guint i = 0; i < lir->values->len; i++)
    {
      const AssayLirValue *value = &g_array_index (lir->values, AssayLirValue, i);

      if (assay_graph_value (graph, value->id)->kind == ASSAY_VALUE_RESULT &&
          is_written (self, written_roots, value))
        add_value (self, value, graph);
    }

  return self;
}

/**
 * assay_probes_find:
 * @self: probes
 * @value: a value of the canonical graph
 *
 * Looks up where a value is to be found.
 *
 * Returns: (transfer none) (nullable): the probe, or %NULL if the program does not hold the value
 * as such
 */
const AssayProbe *
assay_probes_find (const AssayProbes *self, AssayValueId value)
{
  guint32 index = value < self->of_value->len ? g_array_index (self->of_value, guint32, value) : 0;

  return index > 0 ? &g_array_index (self->values, AssayProbe, index - 1) : NULL;
}

void
assay_probes_free (AssayProbes *self)
{
  if (self == NULL)
    return;

  g_array_unref (self->values);
  g_array_unref (self->vectors);
  g_array_unref (self->written);
  g_array_unref (self->of_value);
  assay_arena_free (self->arena);
  g_free (self);
}
