/* assay-hypothesis-node.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What is written in a node and may have been read otherwise: attributes, operands, the operation
 * itself.
 */
#include <math.h>
#include <string.h>

#include "cause/assay-trials.h"
#include "nnir/assay-graph-builder.h"

/* Words that attributes have; of each the others are tried. */
static const struct
{
  const char *attribute;
  const char *words[6];
} vocabulary[] = {
  { "approximate", { "none", "tanh" } },
  { "auto_pad", { "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID" } },
  { "coordinate_transformation_mode",
    { "half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel", "half_pixel_symmetric" } },
  { "direction", { "forward", "reverse", "LEFT", "RIGHT" } },
  { "mode", { "nearest", "linear", "cubic", "constant", "edge", "reflect" } },
  { "mode", { "DCR", "CRD" } },
  { "nearest_mode", { "round_prefer_floor", "round_prefer_ceil", "floor", "ceil" } },
  { "padding_mode", { "zeros", "border", "reflection" } },
  { "reduction", { "none", "add", "mul", "max", "min" } },
};

/* Operations that are taken for one another, each for all others of a row; they have the same
 * operands. */
static const AssayOp confused[][8] = {
  { ASSAY_OP_ReduceMean, ASSAY_OP_ReduceSum, ASSAY_OP_ReduceMax, ASSAY_OP_ReduceMin,
    ASSAY_OP_ReduceL1, ASSAY_OP_ReduceL2, ASSAY_OP_ReduceSumSquare, ASSAY_OP_ReduceProd },
  { ASSAY_OP_ReduceLogSum, ASSAY_OP_ReduceLogSumExp, ASSAY_OP_ReduceSum },
  { ASSAY_OP_MaxPool, ASSAY_OP_AveragePool },
  { ASSAY_OP_GlobalMaxPool, ASSAY_OP_GlobalAveragePool },
  { ASSAY_OP_Add, ASSAY_OP_Sub, ASSAY_OP_Mul, ASSAY_OP_Div },
  { ASSAY_OP_Max, ASSAY_OP_Min, ASSAY_OP_Sum, ASSAY_OP_Mean },
  { ASSAY_OP_Softmax, ASSAY_OP_LogSoftmax },
  { ASSAY_OP_Greater, ASSAY_OP_GreaterOrEqual, ASSAY_OP_Less, ASSAY_OP_LessOrEqual },
  { ASSAY_OP_And, ASSAY_OP_Or, ASSAY_OP_Xor },
  { ASSAY_OP_ArgMax, ASSAY_OP_ArgMin },
  { ASSAY_OP_Floor, ASSAY_OP_Ceil, ASSAY_OP_Round },
  { ASSAY_OP_Sin, ASSAY_OP_Cos },
  { ASSAY_OP_Sqrt, ASSAY_OP_Reciprocal },
  { ASSAY_OP_Relu, ASSAY_OP_LeakyRelu, ASSAY_OP_Elu, ASSAY_OP_Gelu, ASSAY_OP_Softplus, ASSAY_OP_Abs,
    ASSAY_OP_Selu, ASSAY_OP_Celu },
  { ASSAY_OP_HardSwish, ASSAY_OP_Relu, ASSAY_OP_Gelu, ASSAY_OP_Mish },
  { ASSAY_OP_Sigmoid, ASSAY_OP_HardSigmoid, ASSAY_OP_Tanh, ASSAY_OP_Softsign },
  { ASSAY_OP_Exp, ASSAY_OP_Softplus },
};

static void
try_graph (AssayTrials *self, AssayNodeId node, AssayGraph *changed, const char *sentence)
{
  assay_trials_judge (self, assay_trials_run (self, changed, NULL, NULL), node, "attribute", "%s",
                      sentence);
  assay_graph_unref (changed);
}

static void
try_int (AssayTrials *self, AssayNodeId node, const char *name, gint64 now, gint64 value)
{
  AssayGraph *changed;
  g_autofree char *sentence = NULL;

  if (value == now)
    return;
  changed = assay_graph_copy (self->subgraph->graph);
  assay_graph_set_int (changed, node, name, value);
  sentence = g_strdup_printf ("%s is %" G_GINT64_FORMAT " where the model has %" G_GINT64_FORMAT,
                              name, value, now);
  try_graph (self, node, changed, sentence);
}

static void
try_float (AssayTrials *self, AssayNodeId node, const char *name, double now, double value)
{
  AssayGraph *changed;
  g_autofree char *sentence = NULL, *is = NULL, *was = NULL;

  if ((float) value == (float) now)
    return;
  changed = assay_graph_copy (self->subgraph->graph);
  assay_graph_set_float (changed, node, name, value);
  is = assay_trials_dup_apart (value, now);
  was = assay_trials_dup_apart (now, value);
  sentence = g_strdup_printf ("%s is %s where the model has %s", name, is, was);
  try_graph (self, node, changed, sentence);
}

static void
try_string (AssayTrials *self, AssayNodeId node, const char *name, const char *now,
            const char *value)
{
  AssayGraph *changed;
  g_autofree char *sentence = NULL;

  if (g_str_equal (now, value))
    return;
  changed = assay_graph_copy (self->subgraph->graph);
  assay_graph_set_string (changed, node, name, value);
  sentence = g_strdup_printf ("%s is “%s” where the model has “%s”", name, value, now);
  try_graph (self, node, changed, sentence);
}

static char *
ints_text (const gint64 *values, guint n)
{
  GString *text = g_string_new ("[");

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", values[i]);
  g_string_append_c (text, ']');

  return g_string_free (text, FALSE);
}

static void
try_ints (AssayTrials *self, AssayNodeId node, const char *name, guint n, const gint64 *now,
          const gint64 *values)
{
  AssayGraph *changed;
  g_autofree char *old = NULL, *new = NULL, *sentence = NULL;

  if (memcmp (now, values, n * sizeof *now) == 0)
    return;
  for (guint i = 0; i < n; i++)
    if (values[i] < 0 && now[i] >= 0)
      return;
  changed = assay_graph_copy (self->subgraph->graph);
  assay_graph_set_ints (changed, node, name, n, values);
  old = ints_text (now, n);
  new = ints_text (values, n);
  sentence = g_strdup_printf ("%s are %s where the model has %s", name, new, old);
  try_graph (self, node, changed, sentence);
}

/* What is padded in front may lie behind, one place at a time or all of it. */
static void
try_pads (AssayTrials *self, AssayNodeId node, const char *name, guint n, const gint64 *now)
{
  g_autofree gint64 *values = g_memdup2 (now, MAX (n, 1) * sizeof *now);
  guint half = n / 2;

  for (guint i = 0; i < half; i++)
    {
      values[i] = now[half + i];
      values[half + i] = now[i];
    }
  try_ints (self, node, name, n, now, values);
  for (int by = -1; by <= 1; by += 2)
    for (guint i = half > 1 ? 0 : half; i <= half; i++)
      {
        memcpy (values, now, n * sizeof *now);
        for (guint j = 0; j < half; j++)
          if (i == j || i == half)
            {
              values[j] += by;
              values[half + j] -= by;
            }
        try_ints (self, node, name, n, now, values);
      }
}

/* Taps closer together, with padding so that as many places come out. */
static void
try_dilations (AssayTrials *self, AssayNodeId id, guint n, const gint64 *now)
{
  const AssayNode *node = assay_graph_node (self->subgraph->graph, id);
  AssayDatum *weight = node->n_inputs > 1 && node->inputs[1] != ASSAY_NO_VALUE
                           ? assay_trials_input (self, node->inputs[1], NULL)
                           : NULL;
  guint n_pads;
  const gint64 *pads = assay_node_get_ints (node, "pads", &n_pads);
  g_autofree gint64 *values = g_new0 (gint64, n + 1), *padded = NULL;
  AssayGraph *changed;

  if (weight == NULL || n_pads != 2 * n || weight->rank != n + 2)
    return;
  padded = g_memdup2 (pads, n_pads * sizeof *pads);
  for (guint i = 0; i < n; i++)
    {
      gint64 less = (now[i] - 1) * (weight->dims[i + 2] - 1);
      gint64 front = pads[i + n] == 0 ? less : pads[i] == 0 ? 0 : less / 2;

      values[i] = 1;
      padded[i] = pads[i] - front;
      padded[i + n] = pads[i + n] - (less - front);
    }
  if (memcmp (values, now, n * sizeof *now) == 0)
    return;
  changed = assay_graph_copy (self->subgraph->graph);
  assay_graph_set_ints (changed, id, "dilations", n, values);
  assay_graph_set_ints (changed, id, "pads", n_pads, padded);
  try_graph (self, id, changed, "dilations are left out");
}

static void
try_order (AssayTrials *self, AssayNodeId node, const char *name, guint n, const gint64 *now)
{
  g_autofree gint64 *values = g_new0 (gint64, n + 1);

  for (guint i = 0; i < n; i++)
    values[i] = now[n - 1 - i];
  try_ints (self, node, name, n, now, values);
  if (g_str_equal (name, "perm"))
    {
      for (guint i = 0; i < n; i++)
        if (now[i] >= 0 && now[i] < (gint64) n)
          values[now[i]] = i;
      try_ints (self, node, name, n, now, values);
      for (guint i = 0; i < n; i++)
        values[i] = i;
      try_ints (self, node, name, n, now, values);
    }
  for (guint i = 0; i + 1 < n; i++)
    {
      memcpy (values, now, n * sizeof *now);
      values[i] = now[i + 1];
      values[i + 1] = now[i];
      try_ints (self, node, name, n, now, values);
    }
}

static gboolean
is_axis (const char *name)
{
  return g_str_equal (name, "axis") || g_str_has_suffix (name, "_axis");
}

static void
try_attribute (AssayTrials *self, AssayNodeId id, const AssayAttrSpec *spec, const AssayAttr *attr,
               int rank)
{
  if (attr->kind == ASSAY_ATTR_INT && is_axis (spec->name))
    {
      for (gint64 axis = 0; axis < rank; axis++)
        if (axis != attr->u.i && axis - rank != attr->u.i)
          try_int (self, id, spec->name, attr->u.i, axis);
    }
  else if (attr->kind == ASSAY_ATTR_INT && (attr->u.i == 0 || attr->u.i == 1))
    try_int (self, id, spec->name, attr->u.i, 1 - attr->u.i);
  else if (attr->kind == ASSAY_ATTR_INT)
    {
      try_int (self, id, spec->name, attr->u.i, attr->u.i - 1);
      try_int (self, id, spec->name, attr->u.i, attr->u.i + 1);
      if (spec->has_default)
        try_int (self, id, spec->name, attr->u.i, spec->i);
    }
  else if (attr->kind == ASSAY_ATTR_FLOAT)
    {
      if (spec->has_default)
        try_float (self, id, spec->name, attr->u.f, spec->f);
      try_float (self, id, spec->name, attr->u.f, 0);
      try_float (self, id, spec->name, attr->u.f, 1);
      try_float (self, id, spec->name, attr->u.f, -attr->u.f);
      try_float (self, id, spec->name, attr->u.f, 1e-5);
      try_float (self, id, spec->name, attr->u.f, 1e-3);
    }
  else if (attr->kind == ASSAY_ATTR_STRING)
    {
      for (guint i = 0; i < G_N_ELEMENTS (vocabulary); i++)
        for (guint j = 0; g_str_equal (vocabulary[i].attribute, spec->name) &&
                          j < G_N_ELEMENTS (vocabulary[i].words) && vocabulary[i].words[j] != NULL;
             j++)
          try_string (self, id, spec->name, attr->u.s, vocabulary[i].words[j]);
    }
  else if (attr->kind == ASSAY_ATTR_INTS && g_str_equal (spec->name, "pads"))
    try_pads (self, id, spec->name, attr->n, attr->u.ints);
  else if (attr->kind == ASSAY_ATTR_INTS && g_str_equal (spec->name, "dilations"))
    try_dilations (self, id, attr->n, attr->u.ints);
  else if (attr->kind == ASSAY_ATTR_INTS && attr->n > 1)
    try_order (self, id, spec->name, attr->n, attr->u.ints);
}

/**
 * assay_hypothesis_attributes:
 * @self: the trials
 * @node: a node
 *
 * Tries other values of every attribute.
 */
void
assay_hypothesis_attributes (AssayTrials *self, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (self->subgraph->graph, id);
  const AssayAttrSpec *specs = assay_op_get_info (node->op)->attrs;
  const AssayDatum *first = node->n_inputs > 0 && node->inputs[0] != ASSAY_NO_VALUE
                                ? assay_trials_input (self, node->inputs[0], NULL)
                                : NULL;
  int rank = first != NULL ? (int) first->rank : 4;

  /* Words mean what numbers say too: numbers are the plainer explanation. */
  for (guint words = 0; words < 2; words++)
    for (const AssayAttrSpec *spec = specs; spec != NULL && spec->name != NULL; spec++)
      {
        AssayAttr attr;

        if (assay_node_resolve_attr (node, spec->name, &attr) &&
            (attr.kind == ASSAY_ATTR_STRING) == (words != 0))
          try_attribute (self, id, spec, &attr, rank);
      }
}

static gboolean
is_confused (guint row, AssayOp op)
{
  for (guint i = 0; i < G_N_ELEMENTS (confused[row]); i++)
    if (confused[row][i] == op)
      return op != ASSAY_OP_OPAQUE;

  return FALSE;
}

/**
 * assay_hypothesis_operation:
 * @self: the trials
 * @node: a node
 *
 * Tries an operation that is taken for this one.
 */
void
assay_hypothesis_operation (AssayTrials *self, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (self->subgraph->graph, id);

  for (guint i = 0; i < G_N_ELEMENTS (confused); i++)
    for (guint j = 0; is_confused (i, node->op) && j < G_N_ELEMENTS (confused[i]) &&
                      confused[i][j] != ASSAY_OP_OPAQUE;
         j++)
      {
        g_autoptr (AssayGraph) changed = NULL;

        if (confused[i][j] == node->op)
          continue;
        changed = assay_graph_copy (self->subgraph->graph);
        assay_graph_edit_node (changed, id)->op = confused[i][j];
        assay_trials_judge (self, assay_trials_run (self, changed, NULL, NULL), id, "operation",
                            "%s is computed in its place", assay_op_name (confused[i][j]));
      }
}

typedef struct
{
  AssayValueId from;
  AssayValueId to;
} PassOn;

static void
pass_on (AssayDatum **values, AssayValueId value, gpointer user_data)
{
  const PassOn *pass = user_data;

  if (value != pass->to || values[pass->from] == NULL ||
      values[pass->from]->kind != ASSAY_DATUM_TENSOR || values[pass->from]->n != values[value]->n)
    return;
  assay_datum_unref (values[value]);
  values[value] = assay_datum_ref (values[pass->from]);
}

static void
try_operands (AssayTrials *self, AssayNodeId id, guint i, guint j)
{
  g_autoptr (AssayGraph) changed = assay_graph_copy (self->subgraph->graph);
  AssayValueId *inputs = assay_graph_edit_node (changed, id)->inputs;
  AssayValueId kept = inputs[i];

  inputs[i] = inputs[j];
  inputs[j] = kept;
  assay_trials_judge (self, assay_trials_run (self, changed, NULL, NULL), id, "operands",
                      "operands %u and %u are exchanged", i, j);
}

/**
 * assay_hypothesis_operands:
 * @self: the trials
 * @node: a node
 *
 * Tries operands exchanged or left out, and the node itself left out.
 */
void
assay_hypothesis_operands (AssayTrials *self, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (self->subgraph->graph, id);
  const AssayOpInfo *info = assay_op_get_info (node->op);

  if (node->n_outputs > 0)
    for (guint i = 0; i < node->n_inputs; i++)
      {
        PassOn pass = { node->inputs[i], node->outputs[0] };

        if (pass.from != ASSAY_NO_VALUE && pass.to != ASSAY_NO_VALUE)
          assay_trials_judge (self, assay_trials_run (self, NULL, pass_on, &pass), id, "left-out",
                              i == 0 ? "the node is left out: its operand goes through"
                                     : "its operand %u goes through",
                              i);
      }
  for (guint i = info->min_inputs; i < node->n_inputs; i++)
    if (node->inputs[i] != ASSAY_NO_VALUE)
      {
        g_autoptr (AssayGraph) changed = assay_graph_copy (self->subgraph->graph);
        const char *name = assay_graph_value (changed, node->inputs[i])->name;

        assay_graph_edit_node (changed, id)->inputs[i] = ASSAY_NO_VALUE;
        assay_trials_judge (self, assay_trials_run (self, changed, NULL, NULL), id, "operand",
                            "operand %u (%s) is left out", i, name);
      }
  for (guint i = 0; i < node->n_inputs; i++)
    for (guint j = i + 1; j < MIN (node->n_inputs, 8); j++)
      if (node->inputs[i] != node->inputs[j] && node->inputs[i] != ASSAY_NO_VALUE &&
          node->inputs[j] != ASSAY_NO_VALUE && (info->traits & ASSAY_OP_TRAIT_COMMUTATIVE) == 0)
        try_operands (self, id, i, j);
}

static void
put_state (AssayDatum **values, AssayValueId value, gpointer user_data)
{
  const PassOn *pass = user_data;
  AssayDatum *copy;

  if (value != pass->to)
    return;
  copy = assay_datum_new (values[value]->dtype, values[value]->storage, values[value]->rank,
                          values[value]->dims, NULL);
  if (copy == NULL)
    return;
  for (gsize i = 0; i < copy->n; i++)
    assay_datum_set_number (copy, i, 0);
  assay_datum_unref (values[value]);
  values[value] = copy;
}

/* The final state of a run. */
typedef struct
{
  AssayValueId first;
  AssayDatum *kept[2];
  AssayValueId from[2];
} LastState;

static void
keep_state (AssayDatum **values, AssayValueId value, gpointer user_data)
{
  LastState *last = user_data;

  for (guint i = 0; i < G_N_ELEMENTS (last->kept); i++)
    if (value == last->from[i])
      {
        g_clear_pointer (&last->kept[i], assay_datum_unref);
        last->kept[i] = assay_datum_ref (values[value]);
      }
}

/* What the run before left is what the next begins with: inputs that are given take its place, and
 * those that are left out are added. */
static void
try_stale (AssayTrials *self, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (self->subgraph->graph, id);
  g_autoptr (AssayGraph) asked = assay_graph_copy (self->subgraph->graph);
  g_autoptr (AssayGraph) changed = NULL;
  g_autoptr (AssayDatum) ignored = NULL;
  g_autoptr (GPtrArray) kept = NULL;
  AssaySubgraph *subgraph = self->subgraph;
  guint n_states = node->op == ASSAY_OP_LSTM ? 2 : 1;
  AssayNode *edited = assay_graph_edit_node (asked, id);
  AssayValueId *outputs = g_newa (AssayValueId, 3), *inputs = g_newa (AssayValueId, 8);
  LastState last = { 0 };
  gboolean fits = TRUE;

  for (guint i = 0; i < 3; i++)
    outputs[i] = i < node->n_outputs ? node->outputs[i] : ASSAY_NO_VALUE;
  for (guint i = 0; i < n_states; i++)
    {
      if (outputs[i + 1] == ASSAY_NO_VALUE)
        outputs[i + 1] = assay_graph_add_value (asked, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT,
                                                "state",
                                                assay_graph_value (asked, node->inputs[0])->type);
      last.from[i] = outputs[i + 1];
    }
  edited->outputs = assay_arena_memdup (asked->arena, outputs, 3 * sizeof *outputs);
  edited->n_outputs = n_states + 1;
  ignored = assay_trials_run (self, asked, keep_state, &last);

  changed = assay_graph_copy (subgraph->graph);
  kept = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_datum_unref);
  for (guint i = 0; i < subgraph->inputs->len; i++)
    g_ptr_array_add (kept, assay_datum_ref (g_ptr_array_index (subgraph->inputs, i)));
  for (guint i = 0; i < 8; i++)
    inputs[i] = i < node->n_inputs ? node->inputs[i] : ASSAY_NO_VALUE;
  for (guint i = 0; i < n_states; i++)
    {
      fits = fits && last.kept[i] != NULL;
      if (!fits)
        break;
      inputs[5 + i] = assay_graph_add_input (changed, ASSAY_MAIN_REGION, "stale",
                                             assay_graph_value (changed, node->inputs[0])->type);
      g_ptr_array_add (kept, g_steal_pointer (&last.kept[i]));
    }
  for (guint i = 0; i < G_N_ELEMENTS (last.kept); i++)
    g_clear_pointer (&last.kept[i], assay_datum_unref);
  if (!fits)
    return;

  edited = assay_graph_edit_node (changed, id);
  edited->inputs = assay_arena_memdup (changed->arena, inputs, 8 * sizeof *inputs);
  edited->n_inputs = MAX (node->n_inputs, 5 + n_states);
  {
    GPtrArray *own = subgraph->inputs;

    subgraph->inputs = kept;
    assay_trials_judge (self, assay_trials_run (self, changed, NULL, NULL), id, "state",
                        "it begins with the state that the run before left");
    subgraph->inputs = own;
  }
}

/**
 * assay_hypothesis_state:
 * @self: the trials
 * @node: a node
 *
 * Tries a recurrent layer that forgets the state it is given, or keeps that of another run.
 */
void
assay_hypothesis_state (AssayTrials *self, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (self->subgraph->graph, id);

  if (node->op != ASSAY_OP_LSTM && node->op != ASSAY_OP_GRU && node->op != ASSAY_OP_RNN)
    return;
  for (guint i = 5; i < MIN (node->n_inputs, 7); i++)
    {
      PassOn zero = { 0, node->inputs[i] };

      if (zero.to != ASSAY_NO_VALUE)
        assay_trials_judge (self, assay_trials_run (self, NULL, put_state, &zero), id, "state",
                            "it begins with a state of zero where the model gives one");
    }
  try_stale (self, id);
}
