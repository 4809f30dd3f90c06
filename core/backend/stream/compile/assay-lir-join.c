/* assay-lir-join.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Several lowered models as one: their operations one behind the other in the one global order of
 * steps, equal matrices once. State lives over all steps, so that the plan keeps it apart; all else
 * of one model may take the room of another, since one of them runs at a time.
 */
#include "backend/stream/compile/assay-lir.h"

#include <string.h>

typedef struct
{
  AssayLir *to;
  const AssayLir *from;
  guint32 *matrices;
  guint32 *constants;
  guint32 vectors; /* of the models before, as the rest */
  guint32 nodes;
  guint32 layers;
  guint32 rings;
} Join;

static void
move_operand (const Join *self, AssayLirOperand *operand)
{
  if (operand->kind == ASSAY_LIR_VECTOR)
    operand->id += self->vectors;
  else if (operand->kind == ASSAY_LIR_CONSTANT)
    operand->id = self->constants[operand->id];
}

static void
join_vectors (const Join *self)
{
  for (guint i = 1; i < self->from->vectors->len; i++)
    {
      AssayLirVector vector = g_array_index (self->from->vectors, AssayLirVector, i);

      vector.name = assay_arena_intern (self->to->arena, vector.name);
      vector.node += self->nodes;
      vector.ring += vector.ring != 0 ? self->rings : 0;
      vector.layer += vector.layer != 0 ? self->layers : 0;
      vector.alias_of += vector.alias_of != 0 ? self->vectors : 0;
      g_array_append_val (self->to->vectors, vector);
    }
}

static void
join_ops (const Join *self)
{
  for (guint i = 0; i < self->from->ops->len; i++)
    {
      AssayLirOp op = g_array_index (self->from->ops, AssayLirOp, i);

      op.node += self->nodes;
      op.layer += op.layer != 0 ? self->layers : 0;
      op.d += op.d != 0 ? self->vectors : 0;
      if (op.opcode == ASSAY_OPCODE_MATRIX)
        op.matrix = self->matrices[op.matrix];
      for (guint j = 0; j < ASSAY_LIR_N_SOURCES; j++)
        move_operand (self, &op.sources[j]);
      g_array_append_val (self->to->ops, op);
    }
}

static void
join_weights (const Join *self)
{
  for (guint i = 0; i < self->from->matrices->len; i++)
    {
      AssayMatrix matrix = g_array_index (self->from->matrices, AssayMatrix, i);

      assay_tensor_ref (matrix.tensor);
      self->matrices[i] = assay_lir_take_matrix (self->to, &matrix);
    }

  for (guint i = 0; i < self->from->constants->len; i++)
    {
      AssayTensor *tensor = g_ptr_array_index (self->from->constants, i);

      self->constants[i] = assay_lir_add_constant (self->to,
                                                   (guint32) assay_tensor_get_n_elements (tensor),
                                                   assay_tensor_get_data (tensor, NULL, NULL));
    }
}

static void
join_ports (const Join *self, const GArray *from, GArray *to)
{
  guint first = to->len;

  g_array_set_size (to, first + from->len);
  assay_ports_copy (&g_array_index (to, AssayPort, first), (const AssayPort *) from->data,
                    from->len, self->to->arena);
}

static void
join_model (AssayLir *to, const AssayLir *from)
{
  AssayLirModel model = g_array_index (from->models, AssayLirModel, 0);
  g_autofree guint32 *matrices = g_new (guint32, from->matrices->len + 1);
  g_autofree guint32 *constants = g_new (guint32, from->constants->len + 1);
  const Join self = {
    .to = to,
    .from = from,
    .matrices = matrices,
    .constants = constants,
    .vectors = to->vectors->len - 1,
    .nodes = to->node_names->len,
    .layers = to->layers->len,
    .rings = to->rings->len,
  };

  model.name = assay_arena_intern (to->arena, model.name);
  model.first_op = to->ops->len;

  to->reads_windows = to->reads_windows || from->reads_windows;
  join_weights (&self);
  join_vectors (&self);
  join_ops (&self);
  join_ports (&self, from->inputs, to->inputs);
  join_ports (&self, from->outputs, to->outputs);

  for (guint i = 0; i < from->layers->len; i++)
    {
      AssayLirLayer layer = g_array_index (from->layers, AssayLirLayer, i);

      layer.node += self.nodes;
      layer.twin += self.layers;
      layer.model = to->models->len;
      g_array_append_val (to->layers, layer);
    }
  for (guint i = 0; i < from->rings->len; i++)
    {
      AssayRing ring = g_array_index (from->rings, AssayRing, i);

      ring.model = to->models->len;
      g_array_append_val (to->rings, ring);
    }
  for (guint i = 0; i < from->node_names->len; i++)
    g_ptr_array_add (to->node_names, (gpointer) assay_arena_intern (
                                         to->arena, g_ptr_array_index (from->node_names, i)));
  g_array_append_val (to->models, model);
}

/**
 * assay_lir_join:
 * @models: (element-type AssayLir): lowered models for the same hardware, one or more
 *
 * Makes one lowered program of models.
 *
 * Returns: (transfer full): the program
 */
AssayLir *
assay_lir_join (GPtrArray *models)
{
  const AssayLir *first = g_ptr_array_index (models, 0);
  AssayLir *self = assay_lir_new (first->config);

  for (guint i = 0; i < models->len; i++)
    join_model (self, g_ptr_array_index (models, i));

  return self;
}

/* The matrices that a layer multiplies with, in the order of its products. */
static GPtrArray *
find_matrices (const AssayLir *self)
{
  GPtrArray *result = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);

  for (guint i = 0; i < self->layers->len; i++)
    g_ptr_array_add (result, g_array_new (FALSE, FALSE, sizeof (guint32)));

  for (guint i = 0; i < self->ops->len; i++)
    {
      const AssayLirOp *op = &g_array_index (self->ops, AssayLirOp, i);
      GArray *own;
      gboolean known = FALSE;

      if (op->opcode != ASSAY_OPCODE_MATRIX || op->layer == 0)
        continue;
      own = g_ptr_array_index (result, op->layer - 1);
      for (guint j = 0; j < own->len && !known; j++)
        known = g_array_index (own, guint32, j) == op->matrix;
      if (!known)
        g_array_append_val (own, op->matrix);
    }

  return result;
}

/**
 * assay_lir_find_twins:
 * @self: a lowered program
 *
 * Finds layers with the same matrices, which share the room of their weights if they lie on the
 * same cores.
 */
void
assay_lir_find_twins (AssayLir *self)
{
  g_autoptr (GPtrArray) matrices = find_matrices (self);

  for (guint i = 0; i < self->layers->len; i++)
    {
      AssayLirLayer *layer = &g_array_index (self->layers, AssayLirLayer, i);
      const GArray *own = g_ptr_array_index (matrices, i);

      layer->twin = i;
      for (guint j = 0; j < i && own->len > 0 && layer->twin == i; j++)
        {
          const AssayLirLayer *other = &g_array_index (self->layers, AssayLirLayer, j);
          const GArray *others = g_ptr_array_index (matrices, j);

          if (other->n_units == layer->n_units && other->unit_blocks == layer->unit_blocks &&
              other->allowed == layer->allowed && other->pinned == layer->pinned &&
              others->len == own->len &&
              memcmp (others->data, own->data, own->len * sizeof (guint32)) == 0)
            layer->twin = other->twin;
        }
    }
}

/**
 * assay_lir_find_lives:
 * @self: a lowered program
 *
 * Finds from where to where every vector is needed.
 */
void
assay_lir_find_lives (AssayLir *self)
{
  g_free (self->lives);
  self->lives = g_new0 (AssayLirLife, self->vectors->len);
  for (guint i = 0; i < self->vectors->len; i++)
    self->lives[i].first = G_MAXUINT32;

  for (guint i = 0; i < self->ops->len; i++)
    {
      const AssayLirOp *op = &g_array_index (self->ops, AssayLirOp, i);

      if (op->d != 0)
        {
          AssayLirLife *life = &self->lives[op->d];

          life->first = MIN (life->first, i);
          life->last = i;
        }
      for (guint j = 0; j < ASSAY_LIR_N_SOURCES; j++)
        {
          const AssayLirOperand *s = &op->sources[j];
          const AssayLirVector *vector;
          AssayLirLife *life;

          if (s->kind != ASSAY_LIR_VECTOR)
            continue;
          vector = assay_lir_vector (self, s->id);
          life = &self->lives[vector->alias_of != 0 ? vector->alias_of : s->id];
          life->last = i;
          life->reader = op->node;
          if (vector->persistent)
            life->first = 0;
        }
    }
}
