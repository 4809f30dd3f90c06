/* test-constraints.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "base/assay-error.h"
#include "corpus.h"
#include "fix/assay-fix-suggest.h"
#include "complain.h"
#include "plain-helpers.h"
#include "golden.h"
#include "test-program.h"
#include "nnir/assay-constraint.h"
#include "nnir/assay-graph-builder.h"
#include "nnir/shape/assay-infer.h"
#include "nnir/text/assay-text.h"
#include "run/assay-run-inputs.h"
#include "run/assay-runner.h"
#include "source/assay-source.h"
#include "source/onnx/assay-onnx-write.h"
#include "work/assay-work.h"

/* Every operator, made wrong in every way that its rows in the tables name and in some that they do
 * not: arity, omitted inputs, attributes, ranks, extents, elements. Whatever it is then, all that
 * receives it stays within its memory, a violation is refused everywhere, what the machine runs the
 * reference runs too, and what ONNX Runtime runs is no violation. What it overlooks is a warning,
 * and it, the reference, the machine, and a file that was written and read again give the same
 * results.
 *
 * The nodes come from tests/data and from the models of libonnx-testdata, the first of each
 * operator.
 *
 * ASSAY_CONSTRAINTS names operators, with commas, or `all`: every case of them goes through ONNX
 * Runtime then. */

/* One violation in so many goes through ONNX Runtime, one case that nothing is wrong with, and one
 * through the fixes; what is overlooked always does. */
#define ORT_STRIDE 11
#define RUN_STRIDE 23
#define FIX_STRIDE 29

static const char *const target_ids[] = { "ia_420f_c6b32", "dpu_zdx8g_b512", "vulkan-main" };

/* Where ONNX Runtime takes what is a violation here. It cuts these numbers down to 32 bits, which
 * makes 0 of the smallest integer, as it makes 1 of 2^32 + 1: how the operator begins, a part of
 * the violation. */
static const struct
{
  const char *op;
  const char *violation;
} differences[] = {
  { "BatchNormalization", "more than 2 were expected" },
  { "DequantizeLinear", "-9223372036854775808 is no element type" },
  { "Hardmax", "axis -9223372036854775808" },
  { "LogSoftmax", "axis -9223372036854775808" },
  { "QuantizeLinear", "-9223372036854775808 differs from the type of the zero point" },
  { "Scan", "a place among 2" },
  { "Softmax", "axis -9223372036854775808" },
};

/* Where ONNX Runtime refuses what the specification allows: how the operator begins, a part of the
 * message, and why that is no reason to refuse it here. */
static const struct
{
  const char *op;
  const char *message;
  const char *reason;
} refusals[] = {
  { "", "ValidateOpsetForDomain", "an opset newer than this ONNX Runtime" },
  { "", "is not a registered function/op", "an operator newer than this ONNX Runtime" },
  { "", "Could not find an implementation", "not written for this element type" },
  { "", "Op registered for Upsample is deprecated", "the opset of the case is newer" },
  { "", "Only N can be zero", "an empty tensor has an empty result" },
  { "", "invalid channel count", "an empty tensor has an empty result" },
  { "", "must be greater than 0 ", "an empty tensor has an empty result" },
  { "", "killed by signal", "ONNX Runtime crashes" },
  { "", "does not match expected type",
    "the file declares an output that its attribute contradicts" },
  { "", "type inference failed", "the file declares an output that its attribute contradicts" },
  { "", "SequenceAt", "the writer takes a map out of a sequence, which no file has to" },
  { "Attention", "inconsistent total_sequence_length", "the specification pads short masks" },
  { "AffineGrid", "must be positive", "an empty tensor has an empty result" },
  { "ArrayFeatureExtractor", "num_indices = 0", "an empty tensor has an empty result" },
  { "Bernoulli", "Unsupported data type: 0", "dtype 0 is none, as if it was not there" },
  { "Cast", "saturate is only used", "the specification has no such rule" },
  { "Col2Im", "must be a positive multiple", "an empty tensor has an empty result" },
  { "DeformConv", "must be positive", "an empty tensor has an empty result" },
  { "FeatureVectorizer", "inputdimensions", "the specification has it optional" },
  { "GRU", "narrowing_error", "a clip of an integer that fits no float is none" },
  { "", "hidden_size", "the specification has it optional: the weights say it" },
  { "GroupNormalization", "Reshape", "an empty tensor has an empty result" },
  { "LRN", "size_ % 2 == 1", "the specification has even sizes: floor and ceil of its half" },
  { "LinearClassifier", "class_count_ > 0", "the specification has intercepts optional" },
  { "MatMulInteger", "must be a scalar or 1D tensor of size 1",
    "zero points per row are not written" },
  { "MeanVarianceNormalization", "No valid axes", "not written for these axes" },
  { "Multinomial", "batch_size is < 1", "an empty tensor has an empty result" },
  { "OptionalHasElement", "either an input or the type", "the cases leave the type out" },
  { "Pow", "uint64", "PyTorch has powers of it" },
  { "QLinearMatMul", "must be a scalar", "factors per row or column are not written there" },
  { "Reshape", "Target shape product of 0", "an empty tensor has an empty result" },
  { "Resize", "exclude_outside can be set", "the specification has no such rule" },
  { "Resize", "when anti-aliasing is set", "the specification has it without effect on nearest" },
  { "STFT", "CalculateTensorStorageSize", "the window says the length of a frame" },
  { "SVM", "No attribute with this name", "the specification has it optional" },
  { "Scan", "number of inferred and declared", "the body declares another shape" },
  { "Scan", "ort_value_tensor_slicer", "an empty tensor has an empty result" },
  { "Scan", "Graph attribute inferencing failed", "the body declares another shape" },
  { "Split", "Invalid num_outputs value", "the last part is smaller, so it may be empty" },
  { "StringNormalizer", "locale", "the machine of the test has no such locale" },
  { "TfIdfVectorizer", "dimensions with B > 0", "an empty tensor has an empty result" },
  { "TreeEnsemble", "Unable to find node", "an extreme id" },
  { "ZipMap", "was not written", "the runner writes no maps" },
};

typedef struct
{
  AssayTarget *targets[G_N_ELEMENTS (target_ids)];
  GHashTable *words; /* of constraints.def that a case has broken */
  GString *messages; /* what is said of the first case of each */
  guint8 seeds[ASSAY_N_OPS];
  char *path;
  gboolean has_ort;
  const char *only;    /* (nullable): the operators to look at, `all` or names */
  guint stride;        /* of violations through ONNX Runtime */
  guint run_stride;    /* of what runs */
  gboolean overlooked; /* inference warns of the node */
  guint n_cases;
  guint n_violations;
  guint n_built;
  guint n_ort;
  guint n_runs;   /* without a violation, in both */
  guint n_lapses; /* that ONNX Runtime runs, too */
  guint n_bits;   /* of which the results are the same bits */
} Walk;

/* How a case is made of a graph: counted down, the one that reaches zero is done. */
typedef struct
{
  AssayGraph *graph;
  AssayNodeId id;
  guint left;
  gboolean done;
} Change;

static gboolean
now (Change *self)
{
  if (self->done || self->left-- > 0)
    return FALSE;
  self->done = TRUE;

  return TRUE;
}

static AssayNode *
node_of (Change *self)
{
  return assay_graph_edit_node (self->graph, self->id);
}

static void
set_inputs (Change *self, guint n, const AssayValueId *inputs)
{
  AssayNode *node = node_of (self);

  node->inputs = assay_arena_memdup (self->graph->arena, inputs, n * sizeof *inputs);
  node->n_inputs = n;
  while (node->n_inputs > 0 && node->inputs[node->n_inputs - 1] == ASSAY_NO_VALUE)
    node->n_inputs--;
}

static void
change_arity (Change *self)
{
  const AssayNode *node = node_of (self);
  guint n = node->n_inputs;
  g_autofree AssayValueId *inputs = g_new0 (AssayValueId, n + 1);

  memcpy (inputs, node->inputs, n * sizeof *inputs);
  inputs[n] = n > 0 ? inputs[0] : ASSAY_NO_VALUE;
  if (now (self))
    set_inputs (self, n + 1, inputs);
  if (n > 0 && now (self))
    set_inputs (self, n - 1, inputs);
  /* A loop may go without a count, and then it may go on for ever. */
  for (guint i = 0; i < n && node->op != ASSAY_OP_Loop; i++)
    if (now (self))
      {
        inputs[i] = ASSAY_NO_VALUE;
        set_inputs (self, n, inputs);
      }
  if (now (self))
    node_of (self)->n_outputs = 0;
  if (now (self))
    {
      AssayValueId outputs[9] = { 0 };

      for (guint i = 0; i < MIN (node->n_outputs, 8); i++)
        outputs[i] = node->outputs[i];
      n = MIN (node->n_outputs, 8);
      outputs[n] = assay_graph_add_value (self->graph, node->region, ASSAY_VALUE_RESULT, "more",
                                          NULL);
      assay_graph_edit_value (self->graph, outputs[n])->producer = self->id;
      assay_graph_edit_value (self->graph, outputs[n])->output = n;
      node_of (self)->outputs = assay_arena_memdup (self->graph->arena, outputs, sizeof outputs);
      node_of (self)->n_outputs = n + 1;
    }
}

static void
change_integer (Change *self, AssayAttr attr)
{
  static const gint64 values[] = { 0, 1, 2, 3, 7, -1, -5, 1000, G_MININT64 };

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    if (now (self))
      assay_graph_set_int (self->graph, self->id, attr.name, values[i]);
}

static void
change_float (Change *self, AssayAttr attr)
{
  static const double values[] = { 0.0, -1.5, 1e30 };

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    if (now (self))
      assay_graph_set_float (self->graph, self->id, attr.name, values[i]);
}

static void
change_integers (Change *self, AssayAttr attr)
{
  static const gint64 values[] = { 0, -1, -5, 9, G_MININT64 };
  g_autofree gint64 *ints = g_new0 (gint64, attr.n + 1);

  memcpy (ints, attr.u.ints, attr.n * sizeof *ints);
  ints[attr.n] = attr.n > 0 ? ints[0] : 1;
  if (now (self))
    assay_graph_set_ints (self->graph, self->id, attr.name, attr.n + 1, ints);
  if (attr.n > 0 && now (self))
    assay_graph_set_ints (self->graph, self->id, attr.name, attr.n - 1, ints);
  if (now (self))
    assay_graph_set_ints (self->graph, self->id, attr.name, 0, ints);
  for (guint i = 0; attr.n > 0 && i < G_N_ELEMENTS (values); i++)
    if (now (self))
      {
        ints[0] = values[i];
        assay_graph_set_ints (self->graph, self->id, attr.name, attr.n, ints);
      }
}

/* Lists of floats and of words: one entry more, one less, none at all; and a word that is none. */
static void
change_list (Change *self, AssayAttr attr)
{
  gboolean words = attr.kind == ASSAY_ATTR_STRINGS;
  g_autofree const char **strings = g_new0 (const char *, attr.n + 2);
  g_autofree double *floats = g_new0 (double, attr.n + 2);

  for (guint i = 0; i < attr.n; i++)
    {
      strings[i] = words ? attr.u.strings[i] : NULL;
      floats[i] = words ? 0.0 : attr.u.floats[i];
    }
  strings[attr.n] = attr.n > 0 ? strings[0] : "word";
  for (guint i = 0; i < 4; i++)
    {
      AssayAttr changed = attr;

      if ((i == 1 || i == 3) && (attr.n == 0 || (i == 3 && !words)))
        continue;
      if (!now (self))
        continue;
      changed.n = i == 0 ? attr.n + 1 : i == 1 ? attr.n - 1 : i == 2 ? 0 : attr.n;
      if (i == 3)
        strings[0] = "nonsense";
      if (words)
        changed.u.strings = assay_arena_memdup (self->graph->arena, strings,
                                                (changed.n + 1) * sizeof *strings);
      else
        changed.u.floats = assay_arena_memdup (self->graph->arena, floats,
                                               (changed.n + 1) * sizeof *floats);
      assay_graph_set_attr (self->graph, self->id, changed);
      return;
    }
}

/* A tensor of one element more, and with another first element. */
static void
change_tensor (Change *self, AssayAttr attr)
{
  AssayTensor *was = attr.u.tensor;
  AssayDType dtype = assay_tensor_get_dtype (was);
  gsize n, size = assay_dtype_bits (dtype) / 8;
  gint64 dim = (gint64) assay_tensor_get_n_elements (was) + 1;
  const guint8 *from;

  if (dtype == ASSAY_DTYPE_STRING || size == 0)
    return;
  from = assay_tensor_get_data (was, &n, NULL);
  g_assert_nonnull (from);
  for (guint i = 0; i < 2; i++)
    {
      g_autofree guint8 *bytes = g_malloc0 (n + size);
      g_autoptr (GBytes) data = NULL;
      g_autoptr (AssayTensor) tensor = NULL;

      if (!now (self))
        continue;
      memcpy (bytes, from, n);
      if (i == 1)
        memset (bytes, 0x41, size);
      data = g_bytes_new (bytes, i == 0 ? n + size : n);
      dim -= i;
      tensor = assay_tensor_new (dtype, 1, &dim, data, NULL);
      g_assert_nonnull (tensor);
      attr.u.tensor = assay_graph_keep_tensor (self->graph, g_steal_pointer (&tensor));
      assay_graph_set_attr (self->graph, self->id, attr);
      return;
    }
}

static void
change_attribute (Change *self, const AssayAttrSpec *spec)
{
  AssayAttr attr = { 0 };
  gboolean has = assay_node_resolve_attr (node_of (self), spec->name, &attr);
  gint64 one = 1;

  attr.name = assay_arena_intern (self->graph->arena, spec->name);
  if (assay_node_find_attr (node_of (self), spec->name) != NULL && now (self))
    assay_graph_remove_attr (self->graph, self->id, spec->name);
  if (spec->kind != ASSAY_ATTR_FLOAT && now (self))
    assay_graph_set_float (self->graph, self->id, spec->name, 1.5);
  if (spec->kind == ASSAY_ATTR_FLOAT && now (self))
    assay_graph_set_int (self->graph, self->id, spec->name, 1);
  if (spec->kind == ASSAY_ATTR_FLOAT)
    change_float (self, attr);
  if (spec->kind == ASSAY_ATTR_STRING && now (self))
    assay_graph_set_string (self->graph, self->id, spec->name, "nonsense");
  if (spec->kind == ASSAY_ATTR_INT)
    change_integer (self, attr);
  if (spec->kind == ASSAY_ATTR_INTS && has && attr.kind == ASSAY_ATTR_INTS)
    change_integers (self, attr);
  if (has && (attr.kind == ASSAY_ATTR_FLOATS || attr.kind == ASSAY_ATTR_STRINGS) && !self->done)
    change_list (self, attr);
  if (has && attr.kind == ASSAY_ATTR_TENSOR && !self->done)
    change_tensor (self, attr);
  if (spec->kind == ASSAY_ATTR_INTS && !has && now (self))
    assay_graph_set_ints (self->graph, self->id, spec->name, 1, &one);
}

/* The same elements over and over, for another shape. */
static void
set_shape (Change *self, AssayValueId id, guint rank, const gint64 *dims)
{
  const AssayValue *value = assay_graph_value (self->graph, id);
  AssayDType dtype = value->type->dtype;
  g_autoptr (AssayTensor) tensor = NULL;
  g_autofree char *name = g_strdup_printf ("%s/changed", value->name);
  g_autofree guint8 *bytes = NULL;
  g_autoptr (GBytes) data = NULL;
  const guint8 *from;
  gsize n = 1, size, n_from;

  if (value->constant == NULL)
    {
      assay_graph_edit_value (self->graph, id)->type = assay_type_new_fixed (self->graph->arena,
                                                                             dtype, rank, dims);
      return;
    }

  for (guint i = 0; i < rank; i++)
    n *= (gsize) dims[i];
  size = (n * assay_dtype_bits (dtype) + 7) / 8;
  from = assay_tensor_get_data (value->constant, &n_from, NULL);
  bytes = g_malloc0 (size + 1);
  for (gsize i = 0; i < size && n_from > 0; i++)
    bytes[i] = from[i % n_from];
  data = g_bytes_new (bytes, size);
  tensor = assay_tensor_new (dtype, rank, dims, data, NULL);
  g_assert_nonnull (tensor);
  assay_graph_add_constant (self->graph, ASSAY_MAIN_REGION, name, tensor);
}

static void
change_shape (Change *self, guint input)
{
  static const gint64 extents[] = { 0, 1 };
  AssayValueId id = node_of (self)->inputs[input];
  const AssayType *type = assay_graph_value (self->graph, id)->type;
  guint rank = (guint) type->rank;
  gint64 dims[ASSAY_MAX_RANK + 1] = { 1 };

  for (guint i = 0; i < rank; i++)
    dims[i + 1] = type->dims[i].size;
  if (rank < ASSAY_MAX_RANK && now (self))
    set_shape (self, id, rank + 1, dims);
  dims[0] = 2;
  if (rank < ASSAY_MAX_RANK && now (self))
    set_shape (self, id, rank + 1, dims);
  if (rank > 0 && now (self))
    set_shape (self, id, rank - 1, dims + 2);
  if (rank > 1 && now (self))
    set_shape (self, id, 0, dims + 1);
  for (guint i = 1; i <= rank; i++)
    {
      gint64 was = dims[i];

      dims[i] = was + 1;
      if (now (self))
        set_shape (self, id, rank, dims + 1);
      for (guint j = 0; j < G_N_ELEMENTS (extents); j++)
        {
          dims[i] = extents[j];
          if (was != extents[j] && now (self))
            set_shape (self, id, rank, dims + 1);
        }
      dims[i] = was;
    }

  /* What is constant became another value. */
  if (self->done && assay_graph_value (self->graph, id)->constant != NULL)
    node_of (self)->inputs[input] = assay_graph_n_values (self->graph) - 1;
}

/* Integers that tell places and lengths. */
static void
change_elements (Change *self, guint input)
{
  static const gint64 values[] = { -1, 0, 3, 1000, -1000 };
  AssayTensor *tensor = assay_graph_constant (self->graph, node_of (self)->inputs[input]);
  gsize n = assay_tensor_get_n_elements (tensor);
  g_autofree gint64 *elements = g_new0 (gint64, n + 1);
  gint64 dims[ASSAY_MAX_RANK];

  for (gsize i = 0; i < n; i++)
    if (!assay_tensor_get_integer (tensor, i, &elements[i], NULL))
      return;
  for (guint i = 0; i < assay_tensor_get_rank (tensor); i++)
    dims[i] = assay_tensor_get_dims (tensor)[i];
  for (guint i = 0; i < G_N_ELEMENTS (values) && n > 0; i++)
    if (now (self))
      {
        g_autoptr (AssayTensor) changed = NULL;

        elements[n - 1] = values[i];
        changed = assay_tensor_new_i64 (assay_tensor_get_rank (tensor), dims, elements);
        node_of (self)->inputs[input] = assay_graph_add_constant (self->graph, ASSAY_MAIN_REGION,
                                                                  "elements", changed);
        return;
      }
}

/* Floats that a row wants larger than zero. */
static void
change_amounts (Change *self, guint input)
{
  static const float values[] = { 0.0f, -1.5f };
  AssayTensor *tensor = assay_graph_constant (self->graph, node_of (self)->inputs[input]);
  const char *row = assay_op_get_constraints (node_of (self)->op);
  g_autofree char *word = g_strdup_printf ("positive(%u)", input);
  gint64 n = (gint64) assay_tensor_get_n_elements (tensor);

  for (guint i = 0; i < G_N_ELEMENTS (values) && n > 0; i++)
    if (row != NULL && strstr (row, word) != NULL && now (self))
      {
        g_autofree float *elements = g_new0 (float, n);
        g_autoptr (AssayTensor) changed = NULL;

        for (gint64 j = 0; j < n; j++)
          elements[j] = j + 1 < n ? 1.0f : values[i];
        changed = assay_tensor_new_f32 (1, &n, elements);
        node_of (self)->inputs[input] = assay_graph_add_constant (self->graph, ASSAY_MAIN_REGION,
                                                                  "amounts", changed);
        return;
      }
}

/* Makes one case of a graph; %FALSE when there are no more. */
static gboolean
change_node (AssayGraph *graph, AssayNodeId id, guint which)
{
  Change self = { graph, id, which, FALSE };
  const AssayOpInfo *info = assay_op_get_info (assay_graph_node (graph, id)->op);

  /* The node as it is. */
  if (now (&self))
    return TRUE;
  if (now (&self))
    assay_graph_set_int (graph, id, "no_such_attribute", 1);
  change_arity (&self);
  for (const AssayAttrSpec *spec = info->attrs; spec->name != NULL && !self.done; spec++)
    change_attribute (&self, spec);

  for (guint i = 0; i < node_of (&self)->n_inputs && !self.done; i++)
    {
      AssayValueId input = node_of (&self)->inputs[i];
      const AssayValue *value = assay_graph_value (graph, input);

      if (input == ASSAY_NO_VALUE || !assay_type_is_static (value->type) ||
          value->type->dtype == ASSAY_DTYPE_STRING ||
          (value->kind != ASSAY_VALUE_INPUT && value->constant == NULL))
        continue;
      change_shape (&self, i);
      if (!self.done && value->constant != NULL && value->type->dtype == ASSAY_DTYPE_I64)
        change_elements (&self, i);
      if (!self.done && value->constant != NULL && value->type->dtype == ASSAY_DTYPE_F32)
        change_amounts (&self, i);
    }

  return self.done;
}

/* The words that the node breaks by what is known before inference. */
static void
note_word (Walk *walk, const AssayGraph *graph, AssayNodeId id)
{
  AssayViolation violation = { 0 };
  gboolean breaks = !assay_node_check_form (assay_graph_node (graph, id), &violation) ||
                    !assay_graph_check_operands (graph, id, &violation);

  if ((breaks || assay_graph_find_lapse (graph, id, &violation)) && violation.word != NULL &&
      g_hash_table_add (walk->words, (gpointer) violation.word))
    g_string_append_printf (walk->messages, "%s %.*s: %s%s%s: %s\n",
                            assay_op_name (assay_graph_node (graph, id)->op),
                            (int) strcspn (violation.word, " ;"), violation.word, violation.rule,
                            violation.attribute != NULL ? " " : "",
                            violation.attribute != NULL ? violation.attribute : "", violation.text);
}

/* Whether a number of a node is the smallest integer. */
static gboolean
is_cut (const AssayNode *node)
{
  for (guint i = 0; i < node->n_attrs; i++)
    {
      const AssayAttr *attr = &node->attrs[i];

      if (attr->kind == ASSAY_ATTR_INT && attr->u.i == G_MININT64)
        return TRUE;
      for (guint j = 0; attr->kind == ASSAY_ATTR_INTS && j < attr->n; j++)
        if (attr->u.ints[j] == G_MININT64)
          return TRUE;
    }

  return FALSE;
}

static gboolean
is_known (const AssayNode *node)
{
  if (!is_cut (node))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (differences); i++)
    if (g_str_has_prefix (assay_op_name (node->meant), differences[i].op) &&
        strstr (node->violation, differences[i].violation) != NULL)
      return TRUE;

  return FALSE;
}

/* Whether it is known why ONNX Runtime refuses what others run. */
static gboolean
is_refused_alone (AssayOp op, const char *message)
{
  for (guint i = 0; i < G_N_ELEMENTS (refusals); i++)
    if (g_str_has_prefix (assay_op_name (op), refusals[i].op) &&
        strstr (message, refusals[i].message) != NULL)
      return TRUE;

  return FALSE;
}

/* Random inputs through a runner; %NULL if it does not open or run. Where there is nothing to
 * divide, further threads would only spin. */
static GPtrArray *
run (AssayRunSubject *subject, const char *spec, GError **error)
{
  const AssayRunnerOptions options = { .n_threads = g_str_equal (spec, "ort") };
  g_autoptr (AssayRunner) runner = assay_runner_open (spec, subject, &options, NULL, error);
  g_autoptr (AssayRunInputs) source = assay_run_inputs_new ();
  g_autoptr (GPtrArray) inputs = NULL;
  const AssayRunPort *ports;
  guint n;

  if (runner == NULL)
    return NULL;
  ports = assay_runner_get_inputs (runner, &n);
  assay_run_inputs_set_seed (source, 1, TRUE);
  inputs = assay_run_inputs_make (source, ports, n, 0, error);

  return inputs == NULL ? NULL : assay_runner_run (runner, inputs, NULL, NULL, error);
}

static gboolean
runs (AssayRunSubject *subject, const char *spec, GError **error)
{
  g_autoptr (GPtrArray) outputs = run (subject, spec, error);

  return outputs != NULL;
}

/* Whether two tensors are of one type and shape and nowhere further apart than so much of the
 * larger number, or of one. */
static gboolean
are_close (AssayTensor *a, AssayTensor *b, double limit, gboolean *bits)
{
  gsize n = assay_tensor_get_n_elements (a), size = assay_tensor_get_n_bytes (a);
  guint rank = assay_tensor_get_rank (a);

  if (assay_tensor_get_dtype (a) != assay_tensor_get_dtype (b) ||
      rank != assay_tensor_get_rank (b) ||
      (rank > 0 &&
       memcmp (assay_tensor_get_dims (a), assay_tensor_get_dims (b), rank * sizeof (gint64)) != 0))
    return FALSE;
  if (n == 0 || assay_tensor_get_dtype (a) == ASSAY_DTYPE_STRING ||
      memcmp (assay_tensor_get_data (a, NULL, NULL), assay_tensor_get_data (b, NULL, NULL), size) ==
          0)
    return TRUE;

  *bits = FALSE;
  for (gsize i = 0; i < n; i++)
    {
      double x = 0.0, y = 0.0;

      g_assert_true (assay_tensor_get_element (a, i, &x, NULL));
      g_assert_true (assay_tensor_get_element (b, i, &y, NULL));
      if (x != y && !(isnan (x) && isnan (y)) &&
          !(fabs (x - y) <= limit * fmax (1.0, fmax (fabs (x), fabs (y)))))
        return FALSE;
    }

  return TRUE;
}

/* Results of two runners, which have to be close. */
static gboolean
expect_close (const char *name, const char *what, GPtrArray *a, GPtrArray *b, double limit)
{
  gboolean bits = TRUE;

  for (guint i = 0; i < MIN (a->len, b->len); i++)
    {
      AssayTensor *x = g_ptr_array_index (a, i), *y = g_ptr_array_index (b, i);

      if (x != NULL && y != NULL && !are_close (x, y, limit, &bits))
        complain ("%s: output %u differs from that of %s", name, i, what);
    }

  return bits;
}

/* What the reference makes of the file that the graph is written to and read from again. */
static GPtrArray *
run_again (Walk *walk, const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayGraph) graph = assay_model_read (walk->path, NULL, NULL, NULL, &error);
  g_autoptr (AssayRunSubject) subject = NULL;
  GPtrArray *outputs;

  g_assert_no_error (error);
  subject = assay_run_subject_new_for_graph (walk->path, graph, graph);
  outputs = run (subject, "reference", &error);
  if (outputs == NULL)
    complain ("%s: what was written does not run: %s", name, error->message);

  return outputs;
}

/* What ONNX Runtime takes though the specification does not, the reference takes to the same
 * results. */
static void
hold_lapse (Walk *walk, const char *name, AssayRunSubject *subject, AssayGraph *graph)
{
  g_autoptr (AssayRunSubject) own = assay_run_subject_new_for_graph (NULL, graph, graph);
  g_autoptr (GPtrArray) expected = run (subject, "ort", NULL);
  g_autoptr (GPtrArray) outputs = NULL;
  g_autoptr (GPtrArray) again = NULL;
  g_autoptr (GError) error = NULL;

  if (expected == NULL)
    return;

  walk->n_lapses++;
  outputs = run (own, "reference", &error);
  if (outputs == NULL)
    complain ("%s: ONNX Runtime runs it, the reference does not: %s", name, error->message);
  again = outputs != NULL ? run_again (walk, name) : NULL;
  if (again != NULL && !expect_close (name, "what was written", again, outputs, 0.0))
    complain ("%s: what was written gives other bits", name);
  if (outputs != NULL)
    walk->n_bits += expect_close (name, "ONNX Runtime", outputs, expected, 2e-6);
}

static void
hold_against_ort (Walk *walk, const char *name, AssayGraph *raw, AssayGraph *graph, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (graph, id);
  g_autoptr (AssayRunSubject) subject = NULL;
  g_autoptr (GError) error = NULL;

  if ((node->violation != NULL && is_known (node)) ||
      !assay_onnx_write_file (raw, walk->path, NULL, NULL, NULL))
    return;

  subject = assay_run_subject_new_for_graph (walk->path, raw, raw);
  walk->n_ort++;
  if (node->violation == NULL)
    hold_lapse (walk, name, subject, graph);
  else if (runs (subject, "ort", &error))
    complain ("%s: ONNX Runtime takes it: %s", name, node->violation);
  else if (error != NULL && strstr (error->message, "was not found") != NULL)
    walk->has_ort = FALSE;
}

/* What the reference runs, ONNX Runtime runs too. */
static void
hold_run (Walk *walk, const char *name, AssayGraph *raw, AssayGraph *graph, AssayNodeId id)
{
  g_autoptr (AssayRunSubject) own = assay_run_subject_new_for_graph (NULL, graph, graph);
  g_autoptr (AssayRunSubject) subject = NULL;
  g_autoptr (GError) error = NULL;
  AssayOp op = assay_graph_node (graph, id)->op;

  if (!runs (own, "reference", NULL) || !assay_onnx_write_file (raw, walk->path, NULL, NULL, NULL))
    return;
  subject = assay_run_subject_new_for_graph (walk->path, raw, raw);
  walk->n_runs++;
  if (!runs (subject, "ort", &error) && !is_refused_alone (op, error->message))
    complain ("%s: ONNX Runtime refuses what the reference runs: %s", name, error->message);
}

static void
try_fixes (AssayWork *work, const AssayVerdicts *verdicts)
{
  const AssayFixOptions options = { .n_runs = 1, .seconds = 1, .no_cycles = TRUE };

  for (guint i = 0; i < MIN (verdicts->causes->len, 2); i++)
    {
      g_autoptr (GError) error = NULL;
      AssayFixSuggestions *suggestions = assay_fix_suggest_for_cause (work, i, &options, NULL,
                                                                      &error);

      if (suggestions != NULL)
        assay_fix_suggestions_free (suggestions);
    }
}

/* What is folded to nothing is nothing, whatever a kernel would have asked for. */
static gboolean
has_op (const AssayGraph *graph, AssayOp op)
{
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      if (assay_graph_node (graph, id)->op == op)
        return TRUE;
    }

  return FALSE;
}

static void
check_target (Walk *walk, const char *name, AssayGraph *graph, const AssayNode *node,
              AssayTarget *target)
{
  g_autoptr (AssaySettings) settings = assay_settings_new ();
  g_autoptr (AssayWork) work = assay_work_new_for_graph (NULL, graph, target, settings);
  g_autoptr (GPtrArray) made = NULL;
  g_autoptr (GPtrArray) expected = NULL;
  g_autoptr (GError) error = NULL;
  AssayVerdicts *verdicts = assay_work_get_verdicts (work, NULL, &error);
  AssayRunSubject *subject;

  /* A constant of strings goes out of no program, whatever the nodes are. */
  if (verdicts == NULL)
    {
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED);
      return;
    }
  if (node->violation != NULL && assay_verdicts_count (verdicts, ASSAY_VERDICT_REJECTED) == 0)
    complain ("%s: %s takes a violation: %s", name, assay_target_get_id (target), node->violation);
  if (walk->n_cases % FIX_STRIDE == 0)
    try_fixes (work, verdicts);

  if (target != walk->targets[0])
    return;

  subject = assay_work_get_subject (work, TRUE, NULL, &error);
  if (subject == NULL)
    {
      g_clear_error (&error);
      subject = assay_work_get_subject (work, FALSE, NULL, &error);
      g_assert_no_error (error);
      if (runs (subject, "reference", &error) && node->violation != NULL)
        complain ("%s: the reference runs a violation: %s", name, node->violation);
      return;
    }

  walk->n_built++;
  if (node->violation != NULL)
    complain ("%s: a violation is built: %s", name, node->violation);
  if (!has_op (verdicts->graph, node->op))
    return;
  made = run (subject, "vm", &error);
  expected = made != NULL ? run (subject, "reference", &error) : NULL;
  if (made != NULL && expected == NULL)
    complain ("%s: the machine runs what the reference does not: %s", name, error->message);
  else if (made != NULL && walk->overlooked)
    expect_close (name, "the machine", expected, made, 0.02);
}

/* Whether inference warns of a node. */
static gboolean
has_lapse (AssayFindings *findings, const AssayNode *node)
{
  for (guint i = 0; i < assay_findings_get_count (findings); i++)
    {
      const AssayFinding *finding = assay_findings_get (findings, i);

      if (finding->severity == ASSAY_SEVERITY_WARNING &&
          strcmp (finding->rule, "infer.mismatch") != 0 &&
          g_strcmp0 (finding->node, node->name) == 0)
        return TRUE;
    }

  return FALSE;
}

static void
check_case (Walk *walk, const char *name, AssayGraph *raw, AssayNodeId id)
{
  g_autoptr (AssayGraph) graph = assay_graph_copy (raw);
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GBytes) written = NULL;
  g_autoptr (GError) error = NULL;
  const AssayNode *node;

  g_assert_true (assay_graph_infer (graph, findings, NULL, NULL));
  node = assay_graph_node (graph, id);
  walk->n_cases++;
  walk->n_violations += node->violation != NULL;
  walk->overlooked = has_lapse (findings, node);
  if (node->violation != NULL && assay_findings_count_at (findings, ASSAY_SEVERITY_ERROR) == 0)
    complain ("%s: no finding says “%s”", name, node->violation);

  written = assay_onnx_write_bytes (graph, &error);
  g_clear_error (&error);
  for (guint i = 0; i < G_N_ELEMENTS (target_ids); i++)
    check_target (walk, name, graph, node, walk->targets[i]);
  if (walk->has_ort &&
      (node->violation != NULL ? walk->n_cases % walk->stride == 0 : walk->overlooked))
    hold_against_ort (walk, name, raw, graph, id);
  else if (walk->has_ort && node->violation == NULL && walk->n_cases % walk->run_stride == 0)
    hold_run (walk, name, raw, graph, id);
}

/* One input that the constants of a section hold comes from outside, so that something is left to
 * run; and the node alone says what comes out. */
static AssayNodeId
open_seed (AssayGraph *graph)
{
  AssayRegion *region = assay_graph_edit_region (graph, ASSAY_MAIN_REGION);
  AssayValueId output = region->outputs->len > 0 ? g_array_index (region->outputs, AssayValueId, 0)
                                                 : ASSAY_NO_VALUE;
  AssayNodeId id = output != ASSAY_NO_VALUE ? assay_graph_value (graph, output)->producer
                                            : ASSAY_NO_NODE;
  AssayNode *node;

  if (id == ASSAY_NO_NODE)
    return id;

  node = assay_graph_edit_node (graph, id);
  g_array_set_size (region->outputs, 0);
  for (guint i = 0; i < node->n_outputs; i++)
    if (node->outputs[i] != ASSAY_NO_VALUE)
      assay_graph_add_output (graph, ASSAY_MAIN_REGION, node->outputs[i]);
  for (guint i = 0; i < node->n_inputs; i++)
    {
      const AssayValue *value = assay_graph_value (graph, node->inputs[i]);

      if (node->inputs[i] == ASSAY_NO_VALUE || value->constant == NULL ||
          !assay_dtype_is_float (value->type->dtype))
        continue;
      node->inputs[i] = assay_graph_add_input (graph, ASSAY_MAIN_REGION, "opened", value->type);
      break;
    }

  return id;
}

static gboolean
is_wanted (const Walk *walk, AssayOp op)
{
  g_auto (GStrv) names = walk->only != NULL ? g_strsplit (walk->only, ",", -1) : NULL;

  return names == NULL || g_str_equal (walk->only, "all") ||
         g_strv_contains ((const char *const *) names, assay_op_name (op));
}

/* All cases of one node; all of them run for the first nodes of an operator. */
static void
check_seed (Walk *walk, AssayGraph *seed, const char *title)
{
  AssayNodeId id = open_seed (seed);
  AssayOp op = assay_graph_node (seed, id)->op;
  gboolean more = TRUE, whole;

  if (op == ASSAY_OP_OPAQUE || !is_wanted (walk, op))
    return;

  whole = walk->seeds[op] == 0;
  walk->seeds[op] += whole;
  for (guint i = 0; more; i++)
    {
      g_autoptr (AssayGraph) raw = assay_graph_copy (seed);
      g_autofree char *name = g_strdup_printf ("%s, %s, case %u", assay_op_name (op), title, i);

      more = change_node (raw, id, i);
      if (more)
        note_word (walk, raw, id);
      if (more && whole)
        check_case (walk, name, raw, id);
    }
}

static AssayValueId
add_weights (AssayGraph *graph, const AssayType *type)
{
  g_autofree char *name = g_strdup_printf ("weights_%u", assay_graph_n_values (graph));
  gint64 dims[ASSAY_MAX_RANK];
  g_autofree float *values = NULL;
  g_autoptr (AssayTensor) tensor = NULL;
  gsize n;

  g_assert_true (assay_type_count (type, &n));
  for (int i = 0; i < type->rank; i++)
    dims[i] = type->dims[i].size;
  values = g_new (float, n + 1);
  for (gsize i = 0; i < n; i++)
    values[i] = 0.5f;
  tensor = assay_tensor_new_f32 ((guint) type->rank, dims, values);

  return assay_graph_add_constant (graph, ASSAY_MAIN_REGION, name, tensor);
}

static void
check_section (Walk *walk, const char *section)
{
  const char *body = strchr (section, '\n');
  g_autofree char *title = g_strndup (section, strcspn (section, "\n"));
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (AssayGraph) seed = NULL;

  if (body == NULL || strstr (section, "// FAILS: ") != NULL)
    return;
  seed = assay_graph_from_text (body, -1, findings, NULL);
  g_assert_nonnull (seed);
  check_seed (walk, seed, title);
}

/* Models whose inputs come from outside: all floating point ones but the first become constants, as
 * weights are. */
static void
check_model (const char *path, gpointer user_data)
{
  const AssayImportOptions options = { .skip_inference = TRUE };
  g_autoptr (AssayGraph) seed = assay_model_read (path, &options, NULL, NULL, NULL);
  g_autofree char *title = g_path_get_dirname (path);
  const GArray *inputs = assay_graph_region (seed, ASSAY_MAIN_REGION)->inputs;

  if (assay_graph_n_nodes (seed) != 2)
    return;
  for (guint i = 1; i < inputs->len; i++)
    {
      AssayValueId id = g_array_index (inputs, AssayValueId, i);
      const AssayType *type = assay_graph_value (seed, id)->type;
      AssayValueId constant;

      if (type->dtype != ASSAY_DTYPE_F32 || !assay_type_is_static (type))
        continue;
      constant = add_weights (seed, type);
      for (guint j = 0; j < assay_graph_node (seed, 1)->n_inputs; j++)
        if (assay_graph_node (seed, 1)->inputs[j] == id)
          assay_graph_edit_node (seed, 1)->inputs[j] = constant;
    }
  check_seed (user_data, seed, title);
}

/* Every word that can be broken has been. */
static void
check_words (const Walk *walk)
{
  for (AssayOp op = 1; op < ASSAY_N_OPS; op++)
    {
      const char *word = assay_op_get_constraints (op);

      for (; word != NULL && *word != '\0'; word += strcspn (word, " ;"), word += *word != '\0')
        {
          int n = (int) strcspn (word, " ;");

          if (n == 0 || strchr ("*!?", *word) != NULL || word[1] == '=' ||
              g_hash_table_contains (walk->words, word))
            continue;
          complain ("%s: no case breaks %.*s", assay_op_name (op), n, word);
        }
    }
}

/* The words that the nodes of tests/data break say what is wrong. */
static void
check_messages (const Walk *walk)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "constraints", "messages.txt",
                                                 NULL);

  golden_check (path, walk->messages->str);
}

static void
test_all (void)
{
  static const char *const files[] = {
    "constraints/nodes", "kernels/arithmetic", "kernels/cast",     "kernels/encode",
    "kernels/image",     "kernels/indexing",   "kernels/layout",   "kernels/models",
    "kernels/numeric",   "kernels/quantize",   "kernels/sequence", "kernels/signal",
    "kernels/text",
  };
  g_autofree char *folder = g_dir_make_tmp ("assay-test-XXXXXX", NULL);
  g_autoptr (GHashTable) words = g_hash_table_new (NULL, NULL);
  g_autoptr (GString) messages = g_string_new (
      "# Messages of the first case that breaks each word of constraints.def.\n"
      "# Checked by: read by hand beside the rows.\n");
  Walk walk = { .words = words,
                .messages = messages,
                .has_ort = g_getenv ("ASSAY_ONNXRUNTIME") != NULL };

  walk.only = g_getenv ("ASSAY_CONSTRAINTS");
  walk.stride = walk.only != NULL ? 1 : ORT_STRIDE;
  walk.run_stride = walk.only != NULL ? 1 : RUN_STRIDE;
  walk.path = g_build_filename (folder, "model.onnx", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (target_ids); i++)
    walk.targets[i] = assay_target_load (target_ids[i], NULL);

  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *name = g_strconcat (files[i], ".nnir", NULL);
      g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", name, NULL);
      g_autofree char *text = NULL;
      g_auto (GStrv) sections = NULL;

      g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
      sections = g_strsplit (text, "// ---- ", -1);
      for (guint j = 1; sections[j] != NULL; j++)
        check_section (&walk, sections[j]);
    }

  if (walk.only == NULL)
    check_messages (&walk);
  if (have_models ())
    walk_models (ONNX_DATA "/node", check_model, &walk);

  g_test_message ("%u cases, %u violations, %u built, %u in ONNX Runtime; %u overlooked, %u to the "
                  "same bits; %u that the reference runs",
                  walk.n_cases, walk.n_violations, walk.n_built, walk.n_ort, walk.n_lapses,
                  walk.n_bits, walk.n_runs);
  if (walk.only == NULL || g_str_equal (walk.only, "all"))
    check_words (&walk);
  for (guint i = 0; i < G_N_ELEMENTS (target_ids); i++)
    assay_target_unref (walk.targets[i]);
  g_unlink (walk.path);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  g_free (walk.path);
}

TEST_PROGRAM (constraints)
{
  g_test_init (&argc, &argv, NULL);
  use_plain_helpers ();
  g_test_add_func ("/constraints/all", test_all);

  return g_test_run ();
}
