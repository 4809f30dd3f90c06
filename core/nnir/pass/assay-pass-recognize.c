/* assay-pass-recognize.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "nnir/assay-graph-builder.h"
#include "nnir/pass/assay-pattern.h"

typedef struct _Recipe Recipe;

/* One spelling of a composite operation. The letters of @inputs become the inputs of @op, in this
 * order. */
struct _Recipe
{
  const char *rule;
  AssayOp op;
  const char *pattern;
  const char *inputs;
  gboolean (*finish) (const Recipe *self, const AssayMatch *match);
};

static const AssayType *
type_of (const AssayMatch *match, AssayValueId value)
{
  return assay_graph_value (match->rewriter->graph, value)->type;
}

static AssayValueId
output_of (const AssayMatch *match)
{
  return assay_node_output (assay_graph_node (match->rewriter->graph, match->root), 0);
}

/* The constants of a pattern may have dimensions of their own, which must not have made the result
 * larger. */
static gboolean
keeps_type (const AssayMatch *match)
{
  const AssayType *from = type_of (match, assay_match_value (match, 'x'));
  const AssayType *to = type_of (match, output_of (match));

  if (from->kind != ASSAY_TYPE_KIND_TENSOR || from->rank < 0 || from->rank != to->rank ||
      from->dtype != to->dtype || !assay_dtype_is_float (from->dtype))
    return FALSE;

  for (int i = 0; i < from->rank; i++)
    {
      if (from->dims[i].size >= 0 && to->dims[i].size >= 0 &&
          from->dims[i].size != to->dims[i].size)
        return FALSE;
    }

  return TRUE;
}

static void
become (const Recipe *self, const AssayMatch *match)
{
  AssayValueId inputs[3];
  guint n = 0;

  for (const char *letter = self->inputs; *letter != '\0'; letter++)
    inputs[n++] = assay_match_value (match, *letter);

  assay_rewriter_set_inputs (match->rewriter, match->root, n, inputs);
  assay_rewriter_set_op (match->rewriter, match->root, self->op);
}

static gboolean
finish_plain (const Recipe *self, const AssayMatch *match)
{
  become (self, match);
  return TRUE;
}

static gboolean
finish_gelu_tanh (const Recipe *self, const AssayMatch *match)
{
  become (self, match);
  assay_graph_set_string (match->rewriter->graph, match->root, "approximate", "tanh");
  return TRUE;
}

static gboolean
finish_swish_alpha (const Recipe *self, const AssayMatch *match)
{
  double alpha;

  if (!assay_match_number (match, 'a', &alpha))
    return FALSE;

  become (self, match);
  assay_graph_set_float (match->rewriter->graph, match->root, "alpha", (float) alpha);
  return TRUE;
}

static gboolean
finish_hard_sigmoid (const Recipe *self, const AssayMatch *match)
{
  for (guint i = 0; i < match->n_nodes; i++)
    {
      const AssayNode *node = assay_graph_node (match->rewriter->graph, match->nodes[i]);

      if (node->op == ASSAY_OP_HardSigmoid &&
          (fabs (assay_node_get_float (node, "alpha") - 1.0 / 6) > 1e-5 ||
           fabs (assay_node_get_float (node, "beta") - 0.5) > 1e-5))
        return FALSE;
    }

  return finish_plain (self, match);
}

/* Normalizations */

/* The axes of a reduction are an input, or an attribute as in older files. Gives the first axis if
 * they are the last ones of @rank, without a gap, and the reduced dimensions stay as ones. */
static gboolean
trailing_axes (const AssayMatch *match, const AssayNode *node, int rank, int *first)
{
  AssayTensor *tensor = assay_graph_constant (
      match->rewriter->graph, assay_rewriter_resolve (match->rewriter, assay_node_input (node, 1)));
  guint n = 0;
  const gint64 *axes = assay_node_get_ints (node, "axes", &n);
  guint64 mask = 0;

  if (assay_node_get_int (node, "keepdims") != 1 || rank <= 0 || rank > 63)
    return FALSE;
  if (tensor != NULL)
    n = (guint) MIN (assay_tensor_get_n_elements (tensor), 64);
  if (n == 0 || n > 63)
    return FALSE;

  for (guint i = 0; i < n; i++)
    {
      gint64 axis = axes != NULL ? axes[i] : 0;

      if (tensor != NULL && !assay_tensor_get_integer (tensor, i, &axis, NULL))
        return FALSE;
      if (axis < 0)
        axis += rank;
      if (axis < 0 || axis >= rank)
        return FALSE;
      mask |= (guint64) 1 << axis;
    }

  *first = rank - __builtin_popcountll (mask);

  return mask == (((guint64) 1 << rank) - 1) - (((guint64) 1 << *first) - 1);
}

/* The axis of a normalization, if all means of the pattern are taken over the same last axes. */
static gboolean
common_axis (const AssayMatch *match, int *axis)
{
  int rank = type_of (match, assay_match_value (match, 'x'))->rank;
  gboolean found = FALSE;

  for (guint i = 0; i < match->n_nodes; i++)
    {
      const AssayNode *node = assay_graph_node (match->rewriter->graph, match->nodes[i]);
      int first;

      if (node->op != ASSAY_OP_ReduceMean)
        continue;
      if (!trailing_axes (match, node, rank, &first) || (found && first != *axis))
        return FALSE;
      *axis = first;
      found = TRUE;
    }

  return found;
}

static gboolean
get_one (AssayDType dtype, guint64 *bits)
{
  static const struct
  {
    AssayDType dtype;
    guint64 bits;
  } ones[] = {
    { ASSAY_DTYPE_F32, 0x3f800000 },
    { ASSAY_DTYPE_F16, 0x3c00 },
    { ASSAY_DTYPE_BF16, 0x3f80 },
    { ASSAY_DTYPE_F64, 0x3ff0000000000000 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (ones); i++)
    {
      if (ones[i].dtype == dtype)
        {
          *bits = ones[i].bits;
          return TRUE;
        }
    }

  return FALSE;
}

/* Both normalizations need a scale: ones where the model has none yet. */
static AssayValueId
add_ones (const AssayMatch *match, const AssayType *type, int axis)
{
  AssayGraph *graph = match->rewriter->graph;
  const AssayNode *root = assay_graph_node (graph, match->root);
  g_autofree char *name = g_strconcat (root->name, "/ones", NULL);
  g_autofree guint8 *elements = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (AssayTensor) tensor = NULL;
  gint64 dims[ASSAY_MAX_RANK];
  guint rank = (guint) (type->rank - axis);
  guint64 one;
  gsize size = assay_dtype_bits (type->dtype) / 8;
  gsize count;

  for (guint i = 0; i < rank; i++)
    dims[i] = type->dims[axis + (int) i].size;
  if (!get_one (type->dtype, &one) || !assay_dims_count (rank, dims, &count) || count == 0 ||
      count > 65536)
    return ASSAY_NO_VALUE;

  elements = g_malloc (count * size);
  for (gsize i = 0; i < count * size; i++)
    elements[i] = (guint8) (one >> (i % size * 8));
  bytes = g_bytes_new_take (g_steal_pointer (&elements), count * size);
  tensor = assay_tensor_new (type->dtype, rank, dims, bytes, NULL);

  return assay_graph_add_constant (graph, root->region, name, tensor);
}

static gboolean
finish_norm (const Recipe *self, const AssayMatch *match)
{
  AssayGraph *graph = match->rewriter->graph;
  AssayValueId x = assay_match_value (match, 'x');
  AssayValueId inputs[2] = { x, ASSAY_NO_VALUE };
  const AssayType *type = type_of (match, x);
  double epsilon;
  int axis = 0;

  if (!common_axis (match, &axis) || !assay_match_number (match, 'e', &epsilon))
    return FALSE;

  inputs[1] = add_ones (match, type, axis);
  if (inputs[1] == ASSAY_NO_VALUE)
    return FALSE;

  assay_rewriter_set_inputs (match->rewriter, match->root, 2, inputs);
  assay_rewriter_set_op (match->rewriter, match->root, self->op);
  assay_graph_set_int (graph, match->root, "axis", axis == type->rank - 1 ? -1 : axis);
  assay_graph_set_float (graph, match->root, "epsilon", (float) epsilon);
  return TRUE;
}

static gboolean
is_all_ones (const AssayMatch *match, AssayValueId value)
{
  AssayTensor *tensor = assay_graph_constant (match->rewriter->graph, value);
  gsize n = assay_tensor_get_n_elements (tensor);
  double element;

  if (n > 65536 || !assay_dtype_is_float (assay_tensor_get_dtype (tensor)))
    return FALSE;

  for (gsize i = 0; i < n; i++)
    {
      if (!assay_tensor_get_element (tensor, i, &element, NULL) || element != 1.0)
        return FALSE;
    }

  return TRUE;
}

/* A constant behind a normalization has exactly the normalized dimensions. */
static gboolean
covers_normalized (const AssayMatch *match, AssayValueId scale, AssayValueId constant)
{
  const AssayType *a = type_of (match, scale);
  const AssayType *b = type_of (match, constant);

  return assay_type_is_static (a) && assay_type_equal (a, b);
}

/* Takes the scale or bias behind a normalization into it; its attributes stay. */
static gboolean
finish_affine (const Recipe *self, const AssayMatch *match)
{
  AssayGraph *graph = match->rewriter->graph;
  AssayNodeId norm = match->nodes[1];
  AssayAttr attrs[4];
  guint n = assay_graph_node (graph, norm)->n_attrs;
  gboolean scale = strchr (self->inputs, 'w') != NULL;

  if (assay_graph_node (graph, norm)->n_inputs != 2 ||
      assay_graph_node (graph, norm)->n_outputs != 1 || n > G_N_ELEMENTS (attrs) ||
      !covers_normalized (match, assay_match_value (match, 's'),
                          assay_match_value (match, scale ? 'w' : 'b')))
    return FALSE;
  if (scale && !is_all_ones (match, assay_match_value (match, 's')))
    return FALSE;

  memcpy (attrs, assay_graph_node (graph, norm)->attrs, n * sizeof *attrs);
  become (self, match);
  assay_graph_set_attrs (graph, match->root, n, attrs);
  return TRUE;
}

#define SQUARE(v) "(Pow(" v ",2)|Mul(" v "," v "))"
#define CENTERED "Sub(x,ReduceMean(x))"
#define VARIANCE "Add(ReduceMean(" SQUARE (CENTERED) "),#e)"
#define MEAN_SQUARE "Add(ReduceMean(" SQUARE ("x") "),#e)"
#define INVERSE_ROOT(v) "(Reciprocal(Sqrt(" v "))|Div(1,Sqrt(" v "))|Pow(" v ",-0.5)|Rsqrt(" v "))"
#define ROOT(v) "(Sqrt(" v ")|Pow(" v ",0.5))"
#define ERF "Add(Erf((Div(x,1.4142135)|Mul(x,0.70710678))),1)"
#define CUBE "(Pow(x,3)|Mul(x,Mul(x,x))|Mul(Mul(x,x),x))"
#define TANH                                                                                       \
  "Add(Tanh((Mul(Add(x,Mul(" CUBE ",0.044715)),0.79788456)"                                        \
  "|Mul(Mul(x,0.79788456),Add(Mul((Mul(Mul(x,0.044715),x)|Mul(Mul(x,x),0.044715)),1),1))"          \
  "|Mul(Mul(x,0.79788456),Add((Mul(Mul(x,0.044715),x)|Mul(Mul(x,x),0.044715)),1)))),1)"
#define SOFTPLUS "(Softplus(x)|Log(Add(Exp(x),1)))"
#define RELU6 "(Clip(Add(x,3),0,6)|Min(Max(Add(x,3),0),6)|Min(Relu(Add(x,3)),6))"

/* The first row that matches wins: what is more special stands before what is more general. */
static const Recipe norms[] = {
  { "layer-norm", ASSAY_OP_LayerNormalization, "Div(" CENTERED "," ROOT (VARIANCE) ")", "x",
    finish_norm },
  { "layer-norm", ASSAY_OP_LayerNormalization, "Mul(" CENTERED "," INVERSE_ROOT (VARIANCE) ")", "x",
    finish_norm },
  { "layer-norm-scale", ASSAY_OP_LayerNormalization, "Mul(LayerNormalization(x,@s),@w)", "xw",
    finish_affine },
  { "layer-norm-bias", ASSAY_OP_LayerNormalization, "Add(LayerNormalization(x,@s),@b)", "xsb",
    finish_affine },
  { "rms-norm", ASSAY_OP_RMSNormalization, "Div(x," ROOT (MEAN_SQUARE) ")", "x", finish_norm },
  { "rms-norm", ASSAY_OP_RMSNormalization, "Mul(x," INVERSE_ROOT (MEAN_SQUARE) ")", "x",
    finish_norm },
  { "rms-norm-scale", ASSAY_OP_RMSNormalization, "Mul(RMSNormalization(x,@s),@w)", "xw",
    finish_affine },
};

static const Recipe elementwise[] = {
  { "gelu-erf", ASSAY_OP_Gelu, "Mul(Mul(x," ERF "),0.5)", "x", finish_plain },
  { "gelu-erf", ASSAY_OP_Gelu, "Div(Mul(x," ERF "),2)", "x", finish_plain },
  { "gelu-erf", ASSAY_OP_Gelu, "Mul((Mul(x,0.5)|Div(x,2))," ERF ")", "x", finish_plain },
  { "gelu-erf", ASSAY_OP_Gelu, "Mul(x,(Mul(" ERF ",0.5)|Div(" ERF ",2)))", "x", finish_plain },
  { "gelu-tanh", ASSAY_OP_Gelu, "Mul(Mul(x," TANH "),0.5)", "x", finish_gelu_tanh },
  { "gelu-tanh", ASSAY_OP_Gelu, "Div(Mul(x," TANH "),2)", "x", finish_gelu_tanh },
  { "gelu-tanh", ASSAY_OP_Gelu, "Mul((Mul(x,0.5)|Div(x,2))," TANH ")", "x", finish_gelu_tanh },
  { "gelu-tanh", ASSAY_OP_Gelu, "Mul(x,(Mul(" TANH ",0.5)|Div(" TANH ",2)))", "x",
    finish_gelu_tanh },
  { "mish", ASSAY_OP_Mish, "Mul(x,Tanh(" SOFTPLUS "))", "x", finish_plain },
  { "silu", ASSAY_OP_Swish, "Mul(x,Sigmoid(x))", "x", finish_plain },
  { "swish", ASSAY_OP_Swish, "Mul(x,Sigmoid(Mul(x,#a)))", "x", finish_swish_alpha },
  { "softplus", ASSAY_OP_Softplus, "Log(Add(Exp(x),1))", "x", finish_plain },
  { "hard-swish", ASSAY_OP_HardSwish, "Mul(x,HardSigmoid(x))", "x", finish_hard_sigmoid },
  { "hard-swish", ASSAY_OP_HardSwish, "Mul(x,(Div(" RELU6 ",6)|Mul(" RELU6 ",0.16666667)))", "x",
    finish_plain },
  { "hard-swish", ASSAY_OP_HardSwish, "Div(Mul(x," RELU6 "),6)", "x", finish_plain },
  { "hard-swish", ASSAY_OP_HardSwish, "Mul(Mul(x," RELU6 "),0.16666667)", "x", finish_plain },
};

/* After the others, which have a square root inside. */
static const Recipe roots[] = {
  { "rsqrt", ASSAY_OP_Rsqrt, "Reciprocal(Sqrt(x))", "x", finish_plain },
  { "rsqrt", ASSAY_OP_Rsqrt, "Div(1,Sqrt(x))", "x", finish_plain },
  { "rsqrt", ASSAY_OP_Rsqrt, "Pow(x,-0.5)", "x", finish_plain },
  { "rsqrt", ASSAY_OP_Rsqrt, "Sqrt(Reciprocal(x))", "x", finish_plain },
};

static gboolean
is_kept (AssayRewriter *self, AssayOp op)
{
  return self->options->keep == NULL || g_strv_contains (self->options->keep, assay_op_name (op));
}

/* The recipes of one pass, chained by the operation of the root; a pattern is read when a node may
 * be its root. Both are done once for all graphs. */
typedef struct
{
  const Recipe *recipes;
  guint n;
  gint16 *first; /* per operation 1 + index of the first recipe with this root */
  gint16 *next;
  AssayPattern **patterns;
} Book;

/* A book, and the graph that is looked through. */
typedef struct
{
  Book *book;
  gboolean *kept; /* per recipe */
} Search;

static void
book_open (Book *self)
{
  gint16 *first;

  if (!g_once_init_enter (&self->first))
    return;

  first = g_new0 (gint16, ASSAY_N_OPS);
  self->patterns = g_new0 (AssayPattern *, self->n);
  self->next = g_new0 (gint16, self->n);
  for (guint i = self->n; i-- > 0;)
    {
      AssayOp root = assay_pattern_root (self->recipes[i].pattern);

      self->next[i] = first[root];
      first[root] = (gint16) (i + 1);
    }
  g_once_init_leave (&self->first, first);
}

static AssayPattern *
book_get_pattern (Book *self, guint index)
{
  AssayPattern **pattern = &self->patterns[index];

  if (g_once_init_enter (pattern))
    g_once_init_leave (pattern, assay_pattern_parse (self->recipes[index].pattern));

  return *pattern;
}

static void
visit (AssayRewriter *self, AssayNodeId id, gpointer user_data)
{
  const Search *search = user_data;
  Book *book = search->book;
  const AssayNode *node = assay_graph_node (self->graph, id);

  if (node->n_outputs != 1 || node->outputs[0] == ASSAY_NO_VALUE)
    return;

  for (guint i = (guint) book->first[node->op]; i != 0; i = (guint) book->next[i - 1])
    {
      const Recipe *recipe = &book->recipes[i - 1];
      AssayMatch match;

      if (!search->kept[i - 1] ||
          !assay_pattern_match (book_get_pattern (book, i - 1), self, id, &match) ||
          !keeps_type (&match) || !recipe->finish (recipe, &match))
        continue;

      assay_rewriter_absorb (self, id, match.n_nodes - 1, match.nodes + 1, recipe->rule);
      return;
    }
}

static gboolean
recognize (AssayRewriter *rewriter, Book *book, const AssayProgress *progress, GError **error)
{
  g_autofree gboolean *kept = g_new (gboolean, book->n);
  Search search = { book, kept };

  book_open (book);
  for (guint i = 0; i < book->n; i++)
    kept[i] = is_kept (rewriter, book->recipes[i].op);

  return assay_rewriter_each_node (rewriter, visit, &search, progress, error);
}

/**
 * assay_pass_recognize_norm:
 * @rewriter: the graph and its state
 * @progress: (nullable): asked whether to go on
 * @error: return location for a #GError
 *
 * Recognizes LayerNormalization and RMSNormalization that an exporter has taken apart.
 *
 * Returns: %FALSE if cancelled
 */
gboolean
assay_pass_recognize_norm (AssayRewriter *rewriter, const AssayProgress *progress, GError **error)
{
  static Book book = { norms, G_N_ELEMENTS (norms), NULL, NULL, NULL };

  return recognize (rewriter, &book, progress, error);
}

/**
 * assay_pass_recognize_activation:
 * @rewriter: the graph and its state
 * @progress: (nullable): asked whether to go on
 * @error: return location for a #GError
 *
 * Recognizes activations that an exporter has taken apart: Gelu, Swish, Mish, Softplus, HardSwish.
 *
 * Returns: %FALSE if cancelled
 */
gboolean
assay_pass_recognize_activation (AssayRewriter *rewriter, const AssayProgress *progress,
                                 GError **error)
{
  static Book book = { elementwise, G_N_ELEMENTS (elementwise), NULL, NULL, NULL };

  return recognize (rewriter, &book, progress, error);
}

/**
 * assay_pass_recognize_rsqrt:
 * @rewriter: the graph and its state
 * @progress: (nullable): asked whether to go on
 * @error: return location for a #GError
 *
 * Recognizes the reciprocal of a square root in its spellings.
 *
 * Returns: %FALSE if cancelled
 */
gboolean
assay_pass_recognize_rsqrt (AssayRewriter *rewriter, const AssayProgress *progress, GError **error)
{
  static Book book = { roots, G_N_ELEMENTS (roots), NULL, NULL, NULL };

  return recognize (rewriter, &book, progress, error);
}
