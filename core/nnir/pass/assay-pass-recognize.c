/* assay-pass-recognize.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "nnir/assay-axes.h"
#include "nnir/assay-graph-builder.h"
#include "nnir/function/assay-op-function.h"
#include "nnir/pass/assay-match.h"

/* One spelling of the body of a function. */
typedef struct _Recipe Recipe;

typedef gboolean (*RecipeFunc) (const Recipe *self, const AssayMatch *match);

struct _Recipe
{
  const AssayOpFunction *function;
  const AssayTerm *term;
  RecipeFunc finish;
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
keeps_type (const Recipe *self, const AssayMatch *match)
{
  const AssayOpFunctionInput *first = g_ptr_array_index (self->function->inputs, 0);
  const AssayType *from = type_of (match, assay_match_value (match, first->name));
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
  guint n = self->function->inputs->len;

  g_assert (n <= G_N_ELEMENTS (inputs));
  for (guint i = 0; i < n; i++)
    {
      const AssayOpFunctionInput *input = g_ptr_array_index (self->function->inputs, i);

      inputs[i] = assay_match_value (match, input->name);
    }

  assay_rewriter_set_inputs (match->rewriter, match->root, n, inputs);
  assay_rewriter_set_op (match->rewriter, match->root, self->function->op);
}

static gboolean
is_default (AssayOp op, const AssayTerm *setting)
{
  const AssayAttrSpec *spec = assay_op_find_attr (op, setting->name);

  if (!spec->has_default)
    return FALSE;

  return setting->kind == ASSAY_TERM_STRING ? g_str_equal (spec->s, setting->string)
         : spec->kind == ASSAY_ATTR_FLOAT   ? spec->f == setting->number
                                            : (double) spec->i == setting->number;
}

/* Gives the node the attributes of the function: those that it asks for, and the numbers that were
 * found. */
static gboolean
finish_plain (const Recipe *self, const AssayMatch *match)
{
  AssayGraph *graph = match->rewriter->graph;
  const GPtrArray *settings = self->function->settings;
  double numbers[4] = { 0 };

  if (!keeps_type (self, match))
    return FALSE;

  g_assert (settings->len <= G_N_ELEMENTS (numbers));
  for (guint i = 0; i < settings->len; i++)
    {
      const AssayTerm *setting = g_ptr_array_index (settings, i);

      if (setting->kind == ASSAY_TERM_BOUND &&
          !assay_match_number (match, setting->from, &numbers[i]))
        return FALSE;
    }

  become (self, match);
  for (guint i = 0; i < settings->len; i++)
    {
      const AssayTerm *setting = g_ptr_array_index (settings, i);

      if (setting->kind == ASSAY_TERM_BOUND)
        assay_graph_set_float (graph, match->root, setting->name, (float) numbers[i]);
      else if (is_default (self->function->op, setting))
        continue;
      else if (setting->kind == ASSAY_TERM_STRING)
        assay_graph_set_string (graph, match->root, setting->name, setting->string);
      else if (setting->whole)
        assay_graph_set_int (graph, match->root, setting->name, (gint64) setting->number);
      else
        assay_graph_set_float (graph, match->root, setting->name, setting->number);
    }

  return TRUE;
}

/* Operands broadcast to the result in the same way. */
static gboolean
finish_comparison (const Recipe *self, const AssayMatch *match)
{
  become (self, match);
  return TRUE;
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
  int rank = type_of (match, assay_match_value (match, "x"))->rank;
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
  AssayValueId x = assay_match_value (match, "x");
  AssayValueId inputs[2] = { x, ASSAY_NO_VALUE };
  const AssayType *type = type_of (match, x);
  double epsilon;
  int axis = 0;

  if (!keeps_type (self, match) || !common_axis (match, &axis) ||
      !assay_match_number (match, "epsilon", &epsilon))
    return FALSE;

  inputs[1] = add_ones (match, type, axis);
  if (inputs[1] == ASSAY_NO_VALUE)
    return FALSE;

  assay_rewriter_set_inputs (match->rewriter, match->root, 2, inputs);
  assay_rewriter_set_op (match->rewriter, match->root, self->function->op);
  assay_graph_set_int (graph, match->root, "axis", axis == type->rank - 1 ? -1 : axis);
  assay_graph_set_float (graph, match->root, "epsilon", (float) epsilon);
  return TRUE;
}

static gboolean
is_all (const AssayMatch *match, AssayValueId value, double number)
{
  AssayTensor *tensor = assay_graph_constant (match->rewriter->graph, value);
  gsize n = assay_tensor_get_n_elements (tensor);
  double element;

  if (n > 65536 || !assay_dtype_is_float (assay_tensor_get_dtype (tensor)))
    return FALSE;

  for (gsize i = 0; i < n; i++)
    {
      if (!assay_tensor_get_element (tensor, i, &element, NULL) || element != number)
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
  AssayValueId s = assay_match_value (match, "s");
  AssayValueId w = assay_match_value (match, "w");

  if (!keeps_type (self, match) || assay_graph_node (graph, norm)->n_inputs != 2 ||
      assay_graph_node (graph, norm)->n_outputs != 1 || n > G_N_ELEMENTS (attrs) ||
      !covers_normalized (match, s, w != ASSAY_NO_VALUE ? w : assay_match_value (match, "b")))
    return FALSE;
  if (w != ASSAY_NO_VALUE && !is_all (match, s, 1))
    return FALSE;

  memcpy (attrs, assay_graph_node (graph, norm)->attrs, n * sizeof *attrs);
  become (self, match);
  assay_graph_set_attrs (graph, match->root, n, attrs);
  return TRUE;
}

/* A constant with one element per channel of an image that it broadcasts over, as a list. */
static AssayValueId
flatten_channels (const AssayMatch *match, const AssayType *image, AssayValueId value,
                  const char *suffix)
{
  AssayGraph *graph = match->rewriter->graph;
  AssayTensor *tensor = assay_graph_constant (graph, value);
  const AssayType *type = type_of (match, value);
  const AssayNode *root = assay_graph_node (graph, match->root);
  g_autofree char *name = g_strconcat (root->name, "/", suffix, NULL);
  g_autoptr (AssayTensor) list = NULL;
  g_autoptr (GBytes) bytes = NULL;
  gconstpointer data;
  gsize n_bytes;
  int place = type->rank - (image->rank - 1);

  if (tensor == NULL || place < 0 || image->dims[1].size < 1 ||
      assay_tensor_get_n_elements (tensor) != (gsize) image->dims[1].size ||
      type->dims[place].size != image->dims[1].size)
    return ASSAY_NO_VALUE;
  data = assay_tensor_get_data (tensor, &n_bytes, NULL);
  if (data == NULL)
    return ASSAY_NO_VALUE;

  bytes = g_bytes_new (data, n_bytes);
  list = assay_tensor_new (type->dtype, 1, &image->dims[1].size, bytes, NULL);

  return assay_graph_add_constant (graph, root->region, name, list);
}

/* A normalization of groups that was written as one of instances. */
static gboolean
finish_groups (const Recipe *self, const AssayMatch *match)
{
  AssayGraph *graph = match->rewriter->graph;
  AssayValueId inputs[3] = { assay_match_value (match, "x") };
  const AssayType *type = type_of (match, inputs[0]);
  AssayValueId ones = assay_match_value (match, "ones");
  g_autofree gint64 *shape = NULL;
  double epsilon = 0;
  gsize n;

  shape = assay_value_dup_ints (graph, assay_match_value (match, "groups"), &n);
  if (!keeps_type (self, match) || type->rank < 3 || n != 3 || shape[1] < 1 ||
      assay_tensor_get_n_elements (assay_graph_constant (graph, ones)) != (gsize) shape[1] ||
      type->dims[1].size % shape[1] != 0 || !is_all (match, ones, 1) ||
      !is_all (match, assay_match_value (match, "zeros"), 0))
    return FALSE;
  inputs[1] = flatten_channels (match, type, assay_match_value (match, "w"), "scale");
  inputs[2] = flatten_channels (match, type, assay_match_value (match, "b"), "bias");
  if (inputs[1] == ASSAY_NO_VALUE || inputs[2] == ASSAY_NO_VALUE)
    return FALSE;

  for (guint i = 0; i < match->n_nodes; i++)
    {
      const AssayNode *node = assay_graph_node (graph, match->nodes[i]);

      if (node->op == ASSAY_OP_InstanceNormalization)
        epsilon = assay_node_get_float (node, "epsilon");
    }
  assay_rewriter_set_inputs (match->rewriter, match->root, 3, inputs);
  assay_rewriter_set_op (match->rewriter, match->root, self->function->op);
  assay_graph_set_int (graph, match->root, "num_groups", shape[1]);
  assay_graph_set_float (graph, match->root, "epsilon", (float) epsilon);
  return TRUE;
}

/* The axis that every reduction of the pattern takes alone and keeps. */
static gboolean
finish_one_axis (const Recipe *self, const AssayMatch *match)
{
  AssayGraph *graph = match->rewriter->graph;
  int rank = type_of (match, assay_match_value (match, "x"))->rank;
  guint64 mask = 0;

  if (!keeps_type (self, match))
    return FALSE;
  for (guint i = 0; i < match->n_nodes; i++)
    {
      const AssayNode *node = assay_graph_node (graph, match->nodes[i]);
      AssayAxes axes;

      if (assay_op_get_info (node->op)->category != ASSAY_CATEGORY_REDUCTION)
        continue;
      axes = assay_node_axes (graph, node, rank);
      if (!axes.known || __builtin_popcountll (axes.mask) != 1 ||
          assay_node_get_int (node, "keepdims") != 1 || (mask != 0 && mask != axes.mask))
        return FALSE;
      mask = axes.mask;
    }

  become (self, match);
  assay_graph_set_int (graph, match->root, "axis", __builtin_ctzll (mask));
  return TRUE;
}

static const struct
{
  const char *name;
  RecipeFunc finish;
} finishes[] = {
  { "affine", finish_affine },   { "comparison", finish_comparison }, { "groups", finish_groups },
  { "normalized", finish_norm }, { "one_axis", finish_one_axis },
};

static RecipeFunc
find_finish (const AssayOpFunction *function)
{
  for (guint i = 0; function->guard_name != NULL && i < G_N_ELEMENTS (finishes); i++)
    if (g_str_equal (finishes[i].name, function->guard_name))
      return finishes[i].finish;
  g_assert (function->guard_name == NULL);

  return finish_plain;
}

/* What is put together for whoever names nothing. */
static const AssayOp composites[] = {
  ASSAY_OP_Gelu,
  ASSAY_OP_HardSwish,
  ASSAY_OP_LayerNormalization,
  ASSAY_OP_Mish,
  ASSAY_OP_RMSNormalization,
  ASSAY_OP_Rsqrt,
  ASSAY_OP_Softplus,
  ASSAY_OP_Swish,
};

static gboolean
is_kept (AssayRewriter *self, AssayOp op)
{
  if (self->options->keep != NULL)
    return g_strv_contains (self->options->keep, assay_op_name (op));
  for (guint i = 0; i < G_N_ELEMENTS (composites); i++)
    if (composites[i] == op)
      return TRUE;

  return FALSE;
}

static gboolean
stays_apart (AssayRewriter *self, AssayNodeId node)
{
  return self->options->apart != NULL &&
         g_strv_contains (self->options->apart, assay_graph_node (self->graph, node)->name);
}

/* The recipes of one pass, chained by the operation of the root. Made once for all graphs. */
typedef struct
{
  GArray *recipes; /* Recipe */
  gint16 *first;   /* per operation 1 + index of the first recipe with this root */
  gint16 *next;
} Book;

/* A book, and the graph that is looked through. */
typedef struct
{
  const Book *book;
  gboolean *kept; /* per recipe */
} Search;

/* The passes, one after the other. */
typedef enum
{
  STAGE_NORMALIZATIONS,
  STAGE_ACTIVATIONS,
  STAGE_ROOTS, /* after the others, which have a square root inside */
  N_STAGES,
} Stage;

static Stage
stage_of (const AssayOpFunction *function)
{
  if (function->op == ASSAY_OP_Rsqrt)
    return STAGE_ROOTS;

  return assay_op_get_info (function->op)->category == ASSAY_CATEGORY_NORMALIZATION
             ? STAGE_NORMALIZATIONS
             : STAGE_ACTIVATIONS;
}

static void
add_recipes (Book *self, const AssayOpFunction *function, const AssayTerm *term)
{
  Recipe recipe = { function, term, find_finish (function) };

  if (term->kind == ASSAY_TERM_OP)
    g_array_append_val (self->recipes, recipe);
  for (guint i = 0; term->kind == ASSAY_TERM_CHOICE && i < term->terms->len; i++)
    add_recipes (self, function, g_ptr_array_index (term->terms, i));
}

static Book *
book_new (Stage stage)
{
  Book *self = g_new0 (Book, 1);
  const AssayOpFunction *function;

  self->recipes = g_array_new (FALSE, FALSE, sizeof (Recipe));
  for (guint i = 0; (function = assay_op_function_list (i)) != NULL; i++)
    if (function->reads && stage_of (function) == stage)
      add_recipes (self, function, function->body->result);

  self->first = g_new0 (gint16, ASSAY_N_OPS);
  self->next = g_new0 (gint16, self->recipes->len + 1);
  for (guint i = self->recipes->len; i-- > 0;)
    {
      AssayOp root = g_array_index (self->recipes, Recipe, i).term->op;

      self->next[i] = self->first[root];
      self->first[root] = (gint16) (i + 1);
    }

  return self;
}

static const Book *
get_book (Stage stage)
{
  static Book *books[N_STAGES];

  if (g_once_init_enter (&books[stage]))
    g_once_init_leave (&books[stage], book_new (stage));

  return books[stage];
}

static void
visit (AssayRewriter *self, AssayNodeId id, gpointer user_data)
{
  const Search *search = user_data;
  const Book *book = search->book;
  const AssayNode *node = assay_graph_node (self->graph, id);

  if (node->n_outputs != 1 || node->outputs[0] == ASSAY_NO_VALUE || book->first[node->op] == 0 ||
      stays_apart (self, id))
    return;

  for (guint i = (guint) book->first[node->op]; i != 0; i = (guint) book->next[i - 1])
    {
      const Recipe *recipe = &g_array_index (book->recipes, Recipe, i - 1);
      AssayMatch match;

      if (!search->kept[i - 1] || !assay_match (&match, recipe->term, self, id) ||
          !recipe->finish (recipe, &match))
        continue;

      assay_rewriter_absorb (self, id, match.n_nodes - 1, match.nodes + 1, recipe->function->id);
      return;
    }
}

static gboolean
recognize (AssayRewriter *rewriter, Stage stage, const AssayProgress *progress, GError **error)
{
  const Book *book = get_book (stage);
  g_autofree gboolean *kept = g_new (gboolean, book->recipes->len + 1);
  Search search = { book, kept };

  for (guint i = 0; i < book->recipes->len; i++)
    kept[i] = is_kept (rewriter, g_array_index (book->recipes, Recipe, i).function->op);

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
  return recognize (rewriter, STAGE_NORMALIZATIONS, progress, error);
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
  return recognize (rewriter, STAGE_ACTIVATIONS, progress, error);
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
  return recognize (rewriter, STAGE_ROOTS, progress, error);
}
