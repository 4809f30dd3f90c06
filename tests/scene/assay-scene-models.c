/* assay-scene-models.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/scene/assay-scene-models.h"

#include <string.h>

#include "nnir/assay-graph-builder.h"

static AssayValueId
add_input (AssayGraph *graph, const char *name)
{
  return assay_graph_add_input (graph, ASSAY_MAIN_REGION, name, NULL);
}

static AssayValueId
add_node (AssayGraph *graph, AssayOp op, const char *name, guint n_inputs,
          const AssayValueId *inputs)
{
  AssayValueId result = assay_graph_add_value (graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT, name,
                                               NULL);
  AssayNodeId node = assay_graph_add_node (graph, ASSAY_MAIN_REGION, op, name, n_inputs, inputs, 1,
                                           &result);
  const char *slash = strrchr (name, '/');

  if (slash != NULL)
    {
      g_autofree char *scope = g_strndup (name, (gsize) (slash - name));

      assay_graph_edit_node (graph, node)->scope = assay_graph_add_scope (graph, scope);
    }

  return result;
}

static AssayValueId
unary (AssayGraph *graph, AssayOp op, const char *name, AssayValueId a)
{
  return add_node (graph, op, name, 1, &a);
}

static AssayValueId
binary (AssayGraph *graph, AssayOp op, const char *name, AssayValueId a, AssayValueId b)
{
  const AssayValueId inputs[] = { a, b };

  return add_node (graph, op, name, 2, inputs);
}

/* Takes the graph; every node is supported at first. */
AssayVerdicts *
assay_scene_verdicts (AssayGraph *graph)
{
  AssayVerdicts *self = g_new0 (AssayVerdicts, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->arena = assay_arena_new ();
  self->graph = graph;
  self->target_id = "test";
  self->verdicts = g_array_new (FALSE, TRUE, sizeof (AssayVerdict));
  self->causes = g_array_new (FALSE, TRUE, sizeof (AssayCause));
  self->absorbed = g_array_new (FALSE, TRUE, sizeof (AssayAbsorbed));
  g_array_set_size (self->verdicts, assay_graph_n_nodes (graph));
  for (AssayNodeId i = 1; i < self->verdicts->len; i++)
    {
      AssayVerdict *verdict = &g_array_index (self->verdicts, AssayVerdict, i);

      verdict->node = i;
      verdict->kind = ASSAY_VERDICT_SUPPORTED;
      verdict->rule = "any";
      verdict->reason = "nothing speaks against it";
      self->counts[ASSAY_VERDICT_SUPPORTED]++;
    }

  return self;
}

void
assay_scene_set_verdict (AssayVerdicts *verdicts, AssayNodeId node, AssayVerdictKind kind,
                         const char *reason)
{
  AssayVerdict *verdict = &g_array_index (verdicts->verdicts, AssayVerdict, node);

  verdicts->counts[verdict->kind]--;
  verdict->kind = kind;
  verdict->reason = reason;
  verdicts->counts[kind]++;
}

AssayVerdicts *
assay_scene_residual (guint n_nodes)
{
  AssayGraph *graph = assay_graph_new ();
  AssayValueId x = add_input (graph, "audio");
  AssayVerdicts *verdicts;

  for (guint i = 0; assay_graph_n_nodes (graph) + 7 < n_nodes; i++)
    {
      AssayValueId skip = x;
      char name[64];

      for (guint k = 0; k < 2 + i % 3; k++)
        {
          g_snprintf (name, sizeof name, "block%u/conv%u", i, k);
          x = unary (graph, ASSAY_OP_Conv, name, x);
          g_snprintf (name, sizeof name, "block%u/relu%u", i, k);
          x = unary (graph, ASSAY_OP_Relu, name, x);
        }
      g_snprintf (name, sizeof name, "block%u/add", i);
      x = binary (graph, ASSAY_OP_Add, name, x, skip);
    }
  assay_graph_add_output (graph, ASSAY_MAIN_REGION, x);

  verdicts = assay_scene_verdicts (graph);
  for (AssayNodeId i = 1; i < verdicts->verdicts->len; i++)
    {
      if (assay_graph_node (graph, i)->op == ASSAY_OP_Relu)
        {
          assay_scene_set_verdict (verdicts, i, ASSAY_VERDICT_FUSED,
                                   "done by the convolution before it");
          g_array_index (verdicts->verdicts, AssayVerdict, i).into = i - 1;
        }
      else if (i % 97 == 0)
        assay_scene_set_verdict (verdicts, i, ASSAY_VERDICT_REJECTED, "group is 3, allowed is 1");
      else if (i % 61 == 0)
        assay_scene_set_verdict (verdicts, i, ASSAY_VERDICT_HOST, "runs on the processor");
    }

  return verdicts;
}

AssayVerdicts *
assay_scene_transformer (guint n_layers, gboolean mask)
{
  AssayGraph *graph = assay_graph_new ();
  AssayValueId x = add_input (graph, "tokens");
  AssayValueId mask_id = mask ? add_input (graph, "attention_mask") : ASSAY_NO_VALUE;
  AssayVerdicts *verdicts;

  for (guint i = 0; i < n_layers; i++)
    {
      AssayValueId parts[3];
      AssayValueId h, scores;
      char name[64];

#define NAME(tail) (g_snprintf (name, sizeof name, "encoder/layer.%u/%s", i, tail), name)
      h = unary (graph, ASSAY_OP_LayerNormalization, NAME ("norm1/LayerNormalization"), x);
      for (guint k = 0; k < 3; k++)
        {
          static const char *const letters[] = { "q", "k", "v" };
          g_autofree char *tail = g_strdup_printf ("attn/%s/MatMul", letters[k]);

          parts[k] = unary (graph, ASSAY_OP_MatMul, NAME (tail), h);
          g_free (tail);
          tail = g_strdup_printf ("attn/%s/Reshape", letters[k]);
          parts[k] = unary (graph, ASSAY_OP_Reshape, NAME (tail), parts[k]);
          g_free (tail);
          tail = g_strdup_printf ("attn/%s/Transpose", letters[k]);
          parts[k] = unary (graph, ASSAY_OP_Transpose, NAME (tail), parts[k]);
        }
      scores = binary (graph, ASSAY_OP_MatMul, NAME ("attn/scores"), parts[0], parts[1]);
      if (mask)
        scores = binary (graph, ASSAY_OP_Add, NAME ("attn/mask"), scores, mask_id);
      scores = unary (graph, ASSAY_OP_Softmax, NAME ("attn/Softmax"), scores);
      h = binary (graph, ASSAY_OP_MatMul, NAME ("attn/context"), scores, parts[2]);
      h = unary (graph, ASSAY_OP_Transpose, NAME ("attn/Transpose"), h);
      h = unary (graph, ASSAY_OP_MatMul, NAME ("attn/out/MatMul"), h);
      x = binary (graph, ASSAY_OP_Add, NAME ("Add_0"), x, h);
      h = unary (graph, ASSAY_OP_LayerNormalization, NAME ("norm2/LayerNormalization"), x);
      h = unary (graph, ASSAY_OP_MatMul, NAME ("mlp/up/MatMul"), h);
      h = unary (graph, ASSAY_OP_Gelu, NAME ("mlp/Gelu"), h);
      h = unary (graph, ASSAY_OP_MatMul, NAME ("mlp/down/MatMul"), h);
      x = binary (graph, ASSAY_OP_Add, NAME ("Add_1"), x, h);
#undef NAME
    }
  assay_graph_add_output (graph, ASSAY_MAIN_REGION, x);

  verdicts = assay_scene_verdicts (graph);
  for (AssayNodeId i = 1; i < verdicts->verdicts->len; i++)
    switch ((guint) assay_graph_node (graph, i)->op)
      {
      case ASSAY_OP_Softmax:
        assay_scene_set_verdict (verdicts, i, ASSAY_VERDICT_REJECTED,
                                 "reduces axis 3, the data dimension is 2");
        break;

      case ASSAY_OP_Transpose:
        assay_scene_set_verdict (verdicts, i, ASSAY_VERDICT_HOST, "moves the data dimension");
        break;

      case ASSAY_OP_Reshape:
        assay_scene_set_verdict (verdicts, i, ASSAY_VERDICT_UNDECIDED,
                                 "the length of axis 1 is unknown");
        break;

      case ASSAY_OP_Gelu:
        assay_scene_set_verdict (verdicts, i, ASSAY_VERDICT_FUSED, "done by the product before it");
        g_array_index (verdicts->verdicts, AssayVerdict, i).into = i - 1;
        break;

      default:
        break;
      }

  return verdicts;
}

AssayVerdicts *
assay_scene_random (guint n_nodes, guint n_edges, guint32 seed)
{
  AssayGraph *graph = assay_graph_new ();
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  g_autofree AssayValueId *values = g_new (AssayValueId, n_nodes + 1);
  guint per_node = MAX (1, n_edges / MAX (n_nodes, 1));
  AssayVerdicts *verdicts;

  values[0] = add_input (graph, "x");
  for (guint i = 1; i <= n_nodes; i++)
    {
      AssayValueId inputs[8];
      guint n = MIN (8, per_node + (g_rand_int_range (random, 0, (gint32) n_nodes) <
                                            (gint32) (n_edges - per_node * n_nodes)
                                        ? 1
                                        : 0));
      char name[32];

      for (guint k = 0; k < n; k++)
        inputs[k] = values[g_rand_int_range (random, (gint32) (i > 200 ? i - 200 : 0), (gint32) i)];
      g_snprintf (name, sizeof name, "node%u", i);
      values[i] = add_node (graph, i % 5 == 0 ? ASSAY_OP_LayerNormalization : ASSAY_OP_Add, name, n,
                            inputs);
    }
  assay_graph_add_output (graph, ASSAY_MAIN_REGION, values[n_nodes]);

  verdicts = assay_scene_verdicts (graph);
  for (AssayNodeId i = 1; i < verdicts->verdicts->len; i++)
    if (g_rand_int_range (random, 0, 200) == 0)
      assay_scene_set_verdict (verdicts, i, g_rand_int_range (random, 0, 3), "chance");

  return verdicts;
}

AssayVerdicts *
assay_scene_unet (guint n_levels)
{
  AssayGraph *graph = assay_graph_new ();
  g_autofree AssayValueId *skips = g_new (AssayValueId, n_levels);
  AssayValueId x = add_input (graph, "image");
  char name[64];

  for (guint i = 0; i < n_levels; i++)
    {
      g_snprintf (name, sizeof name, "down%u/conv", i);
      skips[i] = unary (graph, ASSAY_OP_Conv, name, x);
      g_snprintf (name, sizeof name, "down%u/pool", i);
      x = unary (graph, ASSAY_OP_MaxPool, name, skips[i]);
    }
  for (guint i = n_levels; i-- > 0;)
    {
      g_snprintf (name, sizeof name, "up%u/resize", i);
      x = unary (graph, ASSAY_OP_Resize, name, x);
      g_snprintf (name, sizeof name, "up%u/concat", i);
      x = binary (graph, ASSAY_OP_Concat, name, x, skips[i]);
      g_snprintf (name, sizeof name, "up%u/conv", i);
      x = unary (graph, ASSAY_OP_Conv, name, x);
    }
  assay_graph_add_output (graph, ASSAY_MAIN_REGION, x);

  return assay_scene_verdicts (graph);
}

/* One node per verdict in a chain, for pictures of all of them. */
AssayVerdicts *
assay_scene_verdict_row (void)
{
  AssayGraph *graph = assay_graph_new ();
  AssayValueId x = add_input (graph, "x");
  AssayVerdicts *verdicts;

  for (guint i = 0; i < ASSAY_N_VERDICTS; i++)
    x = unary (graph, ASSAY_OP_Conv, assay_verdict_name (i), x);

  verdicts = assay_scene_verdicts (graph);
  for (guint i = 0; i < ASSAY_N_VERDICTS; i++)
    assay_scene_set_verdict (verdicts, i + 1, i, assay_verdict_name (i));
  g_array_index (verdicts->verdicts, AssayVerdict, ASSAY_VERDICT_FUSED + 1).into =
      ASSAY_VERDICT_FUSED;

  return verdicts;
}

AssayStreamCode *
assay_scene_code (void)
{
  const AssayConfigValues config = {
    .num_cores = 2,
    .block_size = 32,
    .tensor_ram_depth = 16,
    .weight_store_depth = 8,
    .accum_store_depth = 4,
    .cell_state_depth = 4,
  };
  const AssayPlanned rows[] = {
    { "state", 1, 0, ASSAY_STORE_TENSOR, ASSAY_TENSOR_STATE, 0, 4, 0, G_MAXUINT32, 1 },
    { "in", 0, 0, ASSAY_STORE_TENSOR, ASSAY_TENSOR_INPUT, 4, 2, 0, 3, 1 },
    { "a", 1, 0, ASSAY_STORE_TENSOR, ASSAY_TENSOR_ACTIVATION, 6, 6, 2, 5, 2 },
    { "b", 2, 0, ASSAY_STORE_TENSOR, ASSAY_TENSOR_SCRATCH, 4, 2, 4, 7, 3 },
    { "a", 1, 1, ASSAY_STORE_TENSOR, ASSAY_TENSOR_COPY, 0, 6, 2, 5, 2 },
    { "sums", 2, 1, ASSAY_STORE_ACCUMULATOR, ASSAY_TENSOR_SCRATCH, 0, 3, 4, 4, 2 },
  };
  AssayStreamCode *code = assay_stream_code_new (&config);

  g_array_append_vals (code->plan, rows, G_N_ELEMENTS (rows));
  return code;
}
