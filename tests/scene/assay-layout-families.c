/* assay-layout-families.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Graphs of any size in which no two blocks are alike: every block draws its own lengths, operators
 * and branches.
 */
#include "tests/scene/assay-layout-families.h"

#include "nnir/assay-graph-builder.h"
#include "tests/scene/assay-scene-models.h"

typedef struct
{
  AssayGraph *graph;
  GRand *random;
  guint32 scope;
} Maker;

static const char *const family_names[ASSAY_N_FAMILIES] = {
  [ASSAY_FAMILY_RESIDUAL] = "residual",
  [ASSAY_FAMILY_TRANSFORMER] = "transformer",
  [ASSAY_FAMILY_SHARED] = "transformer, 3 shared inputs",
  [ASSAY_FAMILY_LSTM] = "unrolled LSTM",
  [ASSAY_FAMILY_UNET] = "U-Net",
};

const char *
assay_family_name (AssayFamily family)
{
  return family_names[family];
}

static gboolean
chance (Maker *self, guint percent)
{
  return (guint) g_rand_int_range (self->random, 0, 100) < percent;
}

static AssayValueId
add_input (Maker *self, const char *name)
{
  return assay_graph_add_input (self->graph, ASSAY_MAIN_REGION, name, NULL);
}

static void
add_outputs (Maker *self, AssayOp op, guint n_inputs, const AssayValueId *inputs, guint n_outputs,
             AssayValueId *outputs)
{
  g_autofree char *name = g_strdup_printf (
      "%s/n%u", g_array_index (self->graph->scopes, const char *, self->scope),
      assay_graph_n_nodes (self->graph));
  AssayNodeId node;

  for (guint i = 0; i < n_outputs; i++)
    {
      g_autofree char *value = g_strdup_printf ("%s_%u", name, i);

      outputs[i] = assay_graph_add_value (self->graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT, value,
                                          NULL);
    }
  node = assay_graph_add_node (self->graph, ASSAY_MAIN_REGION, op, name, n_inputs, inputs,
                               n_outputs, outputs);
  assay_graph_edit_node (self->graph, node)->scope = self->scope;
}

static AssayValueId
unary (Maker *self, AssayOp op, AssayValueId a)
{
  AssayValueId result;

  add_outputs (self, op, 1, &a, 1, &result);

  return result;
}

static AssayValueId
binary (Maker *self, AssayOp op, AssayValueId a, AssayValueId b)
{
  const AssayValueId inputs[] = { a, b };
  AssayValueId result;

  add_outputs (self, op, 2, inputs, 1, &result);

  return result;
}

/* A few nodes in a row, of any kind: this is what makes blocks differ. */
static AssayValueId
some (Maker *self, AssayValueId x, guint at_least, guint at_most)
{
  static const AssayOp ops[] = {
    ASSAY_OP_Conv,      ASSAY_OP_Relu,      ASSAY_OP_Cast,
    ASSAY_OP_Clip,      ASSAY_OP_Abs,       ASSAY_OP_BatchNormalization,
    ASSAY_OP_LeakyRelu, ASSAY_OP_HardSwish, ASSAY_OP_Neg,
    ASSAY_OP_Sqrt,      ASSAY_OP_Identity,  ASSAY_OP_Tanh,
  };
  guint n = (guint) g_rand_int_range (self->random, (gint32) at_least, (gint32) at_most + 1);

  for (guint i = 0; i < n; i++)
    x = unary (self, ops[g_rand_int_range (self->random, 0, G_N_ELEMENTS (ops))], x);

  return x;
}

static void
enter (Maker *self, const char *format, guint index)
{
  g_autofree char *scope = g_strdup_printf ("%s%u", format, index);

  self->scope = assay_graph_add_scope (self->graph, scope);
}

static AssayValueId
residual_block (Maker *self, AssayValueId x)
{
  AssayValueId skip = chance (self, 30) ? some (self, x, 1, 2) : x;

  x = some (self, x, 2, 6);
  if (chance (self, 25))
    {
      AssayValueId gate = unary (self, ASSAY_OP_GlobalAveragePool, x);

      gate = unary (self, ASSAY_OP_Sigmoid, some (self, gate, 1, 3));
      x = binary (self, ASSAY_OP_Mul, x, gate);
    }

  return binary (self, ASSAY_OP_Add, x, skip);
}

/* A layer normalisation in the operators it is made of. */
static AssayValueId
normalise (Maker *self, AssayValueId x)
{
  AssayValueId mean = unary (self, ASSAY_OP_ReduceMean, x);
  AssayValueId diff = binary (self, ASSAY_OP_Sub, x, mean);
  AssayValueId spread = unary (self, ASSAY_OP_Pow, diff);

  spread = unary (self, ASSAY_OP_ReduceMean, spread);
  spread = unary (self, ASSAY_OP_Sqrt, unary (self, ASSAY_OP_Add, spread));
  x = binary (self, ASSAY_OP_Div, diff, spread);

  return unary (self, ASSAY_OP_Add, unary (self, ASSAY_OP_Mul, x));
}

static AssayValueId
turn (Maker *self, AssayValueId x, const AssayValueId *shared)
{
  AssayValueId a = binary (self, ASSAY_OP_Mul, x, shared[1]);
  AssayValueId b = binary (self, ASSAY_OP_Mul, some (self, x, 1, 2), shared[2]);

  return binary (self, ASSAY_OP_Add, a, b);
}

static AssayValueId
transformer_block (Maker *self, AssayValueId x, const AssayValueId *shared)
{
  AssayValueId h = normalise (self, x);
  AssayValueId part[3];
  AssayValueId scores, inner;

  for (guint k = 0; k < G_N_ELEMENTS (part); k++)
    {
      part[k] = unary (self, ASSAY_OP_Add, unary (self, ASSAY_OP_MatMul, h));
      part[k] = some (self, part[k], 0, 2);
      part[k] = unary (self, ASSAY_OP_Transpose, unary (self, ASSAY_OP_Reshape, part[k]));
      if (shared != NULL && k < 2)
        part[k] = turn (self, part[k], shared);
    }

  scores = unary (self, ASSAY_OP_Mul, binary (self, ASSAY_OP_MatMul, part[0], part[1]));
  if (shared != NULL)
    scores = binary (self, ASSAY_OP_Add, scores, shared[0]);
  scores = some (self, unary (self, ASSAY_OP_Softmax, scores), 0, 2);
  h = binary (self, ASSAY_OP_MatMul, scores, part[2]);
  h = unary (self, ASSAY_OP_MatMul,
             unary (self, ASSAY_OP_Reshape, unary (self, ASSAY_OP_Transpose, h)));
  x = binary (self, ASSAY_OP_Add, x, some (self, h, 0, 3));

  h = unary (self, ASSAY_OP_Add, unary (self, ASSAY_OP_MatMul, normalise (self, x)));
  inner = unary (self, ASSAY_OP_Add, unary (self, ASSAY_OP_Erf, some (self, h, 1, 3)));
  h = unary (self, ASSAY_OP_Mul, binary (self, ASSAY_OP_Mul, h, inner));

  return binary (self, ASSAY_OP_Add, x, some (self, unary (self, ASSAY_OP_MatMul, h), 0, 3));
}

static void
lstm_step (Maker *self, AssayValueId input, AssayValueId *h, AssayValueId *c)
{
  AssayValueId x = some (self, unary (self, ASSAY_OP_Gather, input), 0, 2);
  AssayValueId gates[4];
  AssayValueId mixed = unary (self, ASSAY_OP_Add,
                              unary (self, ASSAY_OP_MatMul, binary (self, ASSAY_OP_Concat, x, *h)));
  AssayValueId written;

  add_outputs (self, ASSAY_OP_Split, 1, &mixed, 4, gates);
  for (guint k = 0; k < G_N_ELEMENTS (gates); k++)
    gates[k] = unary (self, k == 2 ? ASSAY_OP_Tanh : ASSAY_OP_Sigmoid, some (self, gates[k], 0, 1));

  written = binary (self, ASSAY_OP_Mul, gates[0], gates[2]);
  *c = binary (self, ASSAY_OP_Add, binary (self, ASSAY_OP_Mul, gates[1], *c), written);
  *h = binary (self, ASSAY_OP_Mul, gates[3], unary (self, ASSAY_OP_Tanh, some (self, *c, 0, 1)));
}

static AssayValueId
unet (Maker *self, AssayValueId x, guint n_nodes)
{
  guint n_levels = MAX (2, n_nodes / 14);
  g_autofree AssayValueId *skips = g_new (AssayValueId, n_levels);

  for (guint i = 0; i < n_levels; i++)
    {
      enter (self, "down", i);
      x = chance (self, 30) ? residual_block (self, x) : some (self, x, 3, 5);
      skips[i] = x;
      x = unary (self, ASSAY_OP_MaxPool, x);
    }
  for (guint i = n_levels; i-- > 0;)
    {
      enter (self, "up", i);
      x = unary (self, ASSAY_OP_Resize, x);
      x = binary (self, ASSAY_OP_Concat, x, skips[i]);
      x = chance (self, 30) ? residual_block (self, x) : some (self, x, 3, 6);
    }

  return x;
}

static AssayValueId
blocks (Maker *self, AssayFamily family, AssayValueId x, guint n_nodes)
{
  AssayValueId shared[3] = { 0 };

  if (family == ASSAY_FAMILY_SHARED)
    {
      shared[0] = add_input (self, "mask");
      shared[1] = add_input (self, "cosines");
      shared[2] = add_input (self, "sines");
    }
  for (guint i = 0; assay_graph_n_nodes (self->graph) < n_nodes; i++)
    {
      enter (self, "block", i);
      x = family == ASSAY_FAMILY_RESIDUAL
              ? residual_block (self, x)
              : transformer_block (self, x, family == ASSAY_FAMILY_SHARED ? shared : NULL);
    }

  return x;
}

static AssayValueId
unroll (Maker *self, AssayValueId x, guint n_nodes)
{
  AssayValueId h = add_input (self, "h0");
  AssayValueId c = add_input (self, "c0");

  for (guint i = 0; assay_graph_n_nodes (self->graph) < n_nodes; i++)
    {
      enter (self, "step", i);
      lstm_step (self, x, &h, &c);
    }

  return h;
}

/* Makes a graph of about so many nodes; another seed makes other blocks. */
AssayVerdicts *
assay_family_new (AssayFamily family, guint n_nodes, guint32 seed)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  Maker maker = { .graph = assay_graph_new (), .random = random };
  AssayValueId x = add_input (&maker, "x");

  x = family == ASSAY_FAMILY_UNET   ? unet (&maker, x, n_nodes)
      : family == ASSAY_FAMILY_LSTM ? unroll (&maker, x, n_nodes)
                                    : blocks (&maker, family, x, n_nodes);
  assay_graph_add_output (maker.graph, ASSAY_MAIN_REGION, x);

  return assay_scene_verdicts (maker.graph);
}
