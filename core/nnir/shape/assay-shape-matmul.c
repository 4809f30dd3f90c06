/* assay-shape-matmul.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/shape/assay-shape-rules.h"
#include "base/assay-sentence.h"
#include "nnir/assay-node-product.h"

#include <string.h>

/* The axis of a factor that is summed over, and the one that stays if it is no vector. */
static AssayDim
factor_dim (const AssayNodeProduct *product, guint side, const AssayType *type, gboolean stays)
{
  int contracted = assay_node_product_contracted (product, side, type->rank);

  return type->dims[stays ? 2 * type->rank - 3 - contracted : contracted];
}

static void
set_product (AssayShapeContext *self, const AssayType *a, const AssayType *b, AssayDType dtype)
{
  AssayNodeProduct product = assay_node_get_product (self->node);
  AssayDim dims[ASSAY_MAX_RANK];
  AssayDim inner;
  int rank = 0;

  if (a == NULL || b == NULL)
    {
      assay_shape_set_tensor (self, 0, dtype, -1, NULL);
      return;
    }

  inner = factor_dim (&product, 0, a, FALSE);
  assay_shape_unify (self, &inner, factor_dim (&product, 1, b, FALSE),
                     "the extent that is summed over");

  /* A vector counts as a row on the left and as a column on the right, and that axis is dropped
   * again. */
  if (!assay_shape_broadcast (self, dims, &rank, a->dims, MAX (a->rank - 2, 0)) ||
      !assay_shape_broadcast (self, dims, &rank, b->dims, MAX (b->rank - 2, 0)) ||
      rank > ASSAY_MAX_RANK - 2)
    {
      assay_shape_set_tensor (self, 0, dtype, -1, NULL);
      return;
    }

  if (a->rank > 1)
    dims[rank++] = factor_dim (&product, 0, a, TRUE);
  if (b->rank > 1)
    dims[rank++] = factor_dim (&product, 1, b, TRUE);

  assay_shape_set_tensor (self, 0, dtype, rank, dims);
}

void
assay_shape_rule_matmul (AssayShapeContext *self)
{
  gboolean quantized = self->node->op == ASSAY_OP_QLinearMatMul;
  AssayDType dtype = assay_shape_dtype (self, 0);

  if (quantized)
    dtype = assay_shape_dtype (self, 7);
  else if (self->node->op == ASSAY_OP_MatMulInteger)
    dtype = ASSAY_DTYPE_I32;
  else if (dtype == ASSAY_DTYPE_UNDEFINED)
    dtype = assay_shape_dtype (self, 1);

  set_product (self, assay_shape_tensor (self, 0, 1, -1),
               assay_shape_tensor (self, quantized ? 3 : 1, 1, -1), dtype);
}

/* Of a Gemm the rank is known before its factors are. */
void
assay_shape_rule_gemm (AssayShapeContext *self)
{
  const AssayType *a = assay_shape_tensor (self, 0, 2, 2);
  const AssayType *b = assay_shape_tensor (self, 1, 2, 2);
  AssayNodeProduct product = assay_node_get_product (self->node);
  AssayDim dims[2] = { assay_dim_unknown (), assay_dim_unknown () };

  if (a != NULL && b != NULL)
    {
      set_product (self, a, b, assay_shape_dtype (self, 0));
      return;
    }

  if (a != NULL)
    dims[0] = factor_dim (&product, 0, a, TRUE);
  if (b != NULL)
    dims[1] = factor_dim (&product, 1, b, TRUE);
  assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 0), 2, dims);
}

/* A matrix on one side of what may have more leading axes, as in a MatMul. */
void
assay_shape_rule_linear (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 1, -1);
  const AssayType *weight = assay_shape_tensor (self, 1, 2, 2);
  gboolean left = assay_node_get_product (self->node).inputs[0] == 1;

  set_product (self, left ? weight : x, left ? x : weight, assay_shape_dtype (self, 0));
}

void
assay_shape_rule_det (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 2, -1);

  if (x != NULL)
    {
      AssayDim side = x->dims[x->rank - 1];

      assay_shape_unify (self, &side, x->dims[x->rank - 2], "the side of the matrices");
    }

  assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 0), x == NULL ? -1 : x->rank - 2,
                          x == NULL ? NULL : x->dims);
}

#define N_LETTERS 52

typedef struct
{
  AssayDim letters[N_LETTERS];
  guint counts[N_LETTERS];
  AssayDim ellipsis[ASSAY_MAX_RANK];
  int n_ellipsis; /* -1 while no operand has one */
} Einsum;

static int
letter_index (char c)
{
  if (g_ascii_islower (c))
    return c - 'a';
  if (g_ascii_isupper (c))
    return c - 'A' + 26;

  return -1;
}

static int
count_letters (const char *term, const char *end)
{
  int n = 0;

  for (const char *c = term; c < end; c++)
    n += letter_index (*c) >= 0;

  return n;
}

/* Takes the extents of one operand; %FALSE if it does not fit its term. */
static gboolean
einsum_operand (AssayShapeContext *self, Einsum *einsum, guint input, const char *term,
                const char *end)
{
  const AssayType *type = assay_shape_tensor (self, input, 0, -1);
  int n = count_letters (term, end);
  int axis = 0;

  if (type == NULL)
    return FALSE;

  if (type->rank < n || (type->rank > n && g_strstr_len (term, end - term, "...") == NULL))
    {
      assay_shape_report (self, "infer.rank", "equation",
                          "input %u has rank %d, its term names %d %s", input, type->rank, n,
                          assay_noun (n, "axis", "axes"));
      return FALSE;
    }

  for (const char *c = term; c < end; c++)
    {
      int index = letter_index (*c);

      if (index >= 0)
        {
          if (einsum->counts[index]++ == 0 || einsum->letters[index].size == 1)
            einsum->letters[index] = type->dims[axis];
          else if (type->dims[axis].size != 1)
            assay_shape_unify (self, &einsum->letters[index], type->dims[axis],
                               "an extent of one letter");
          axis++;
        }
      else if (end - c >= 3 && strncmp (c, "...", 3) == 0)
        {
          int covered = type->rank - n;

          if (g_strstr_len (c + 3, end - c - 3, "...") != NULL)
            {
              assay_shape_report (self, "infer.attribute", "equation",
                                  "the term of input %u has two ellipses", input);
              return FALSE;
            }

          einsum->n_ellipsis = MAX (einsum->n_ellipsis, 0);
          if (!assay_shape_broadcast (self, einsum->ellipsis, &einsum->n_ellipsis,
                                      type->dims + axis, covered))
            return FALSE;
          axis += covered;
          c += 2;
        }
      else if (*c != ' ')
        {
          assay_shape_report (self, "infer.attribute", "equation", "“%c” is no letter", *c);
          return FALSE;
        }
    }

  return TRUE;
}

static int
einsum_output (AssayShapeContext *self, const Einsum *einsum, const char *term, AssayDim *dims)
{
  gboolean seen[N_LETTERS] = { FALSE };
  int rank = 0;

  /* Without an output term: the broadcast axes, then the letters that occur once, in alphabetical
   * order, capitals first. */
  if (term == NULL)
    {
      for (int i = 0; i < einsum->n_ellipsis; i++)
        dims[rank++] = einsum->ellipsis[i];
      for (int i = 0; i < N_LETTERS; i++)
        {
          int index = (i + 26) % N_LETTERS;

          if (einsum->counts[index] == 1 && rank < ASSAY_MAX_RANK)
            dims[rank++] = einsum->letters[index];
        }
      return rank;
    }

  for (const char *c = term; *c != '\0'; c++)
    {
      int index = letter_index (*c);

      if (index >= 0 && einsum->counts[index] == 0)
        {
          assay_shape_report (self, "infer.attribute", "equation", "“%c” is in no input", *c);
          return -1;
        }
      if (index >= 0 && seen[index])
        {
          assay_shape_report (self, "infer.attribute", "equation",
                              "“%c” is twice in the output, once was expected", *c);
          return -1;
        }
      if (index >= 0)
        seen[index] = TRUE;

      if (index >= 0 && rank < ASSAY_MAX_RANK)
        {
          dims[rank++] = einsum->letters[index];
        }
      else if (strncmp (c, "...", 3) == 0)
        {
          for (int i = 0; i < einsum->n_ellipsis && rank < ASSAY_MAX_RANK; i++)
            dims[rank++] = einsum->ellipsis[i];
          c += 2;
        }
    }

  return rank;
}

void
assay_shape_rule_einsum (AssayShapeContext *self)
{
  const char *equation = assay_node_get_string (self->node, "equation");
  const char *arrow = strstr (equation, "->");
  const char *end = arrow == NULL ? equation + strlen (equation) : arrow;
  const char *term = equation;
  AssayDType dtype = assay_shape_dtype (self, 0);
  AssayDim dims[ASSAY_MAX_RANK];
  Einsum einsum = { .n_ellipsis = -1 };

  for (guint i = 0; i < self->node->n_inputs; i++)
    {
      const char *comma = term > end ? NULL : memchr (term, ',', (gsize) (end - term));
      const char *stop = comma == NULL ? end : comma;

      if (term > end || !einsum_operand (self, &einsum, i, term, stop))
        {
          if (term > end)
            assay_shape_report (self, "infer.attribute", "equation",
                                "“%s” has fewer terms than the node has inputs", equation);
          assay_shape_set_tensor (self, 0, dtype, -1, NULL);
          return;
        }

      term = stop + 1;
    }

  assay_shape_set_tensor (
      self, 0, dtype, einsum_output (self, &einsum, arrow == NULL ? NULL : arrow + 2, dims), dims);
}

/* Where heads are folded into the last axis, an attribute says how many there are. */
static AssayDim
head_size (AssayShapeContext *self, const AssayType *x, gint64 heads)
{
  if (x == NULL)
    return assay_dim_unknown ();
  if (x->rank == 4)
    return x->dims[3];
  if (heads <= 0)
    return assay_dim_unknown ();

  return assay_scalar_to_dim (assay_scalar_floor_div (
      self->arena, assay_scalar_from_dim (x->dims[2]), assay_scalar_int (heads)));
}

void
assay_shape_rule_attention (AssayShapeContext *self)
{
  const AssayType *q = assay_shape_tensor (self, 0, 3, 4);
  const AssayType *k = assay_shape_tensor (self, 1, 3, 4);
  const AssayType *v = assay_shape_tensor (self, 2, 3, 4);
  const AssayType *past = assay_shape_has_input (self, 4) ? assay_shape_tensor (self, 4, 4, 4)
                                                          : NULL;
  gint64 q_heads = assay_node_get_int (self->node, "q_num_heads");
  gint64 kv_heads = assay_node_get_int (self->node, "kv_num_heads");
  AssayDType q_dtype = assay_shape_dtype (self, 0);
  AssayDim total = assay_dim_unknown ();
  AssayDim key[4];
  AssayDim value[4];
  AssayDim scores[4];

  if (q == NULL || k == NULL || v == NULL)
    {
      assay_shape_set_tensor (self, 0, q_dtype, q == NULL ? -1 : q->rank, NULL);
      for (guint i = 1; i < 4; i++)
        assay_shape_set_tensor (self, i,
                                i == 1   ? assay_shape_dtype (self, 1)
                                : i == 2 ? assay_shape_dtype (self, 2)
                                         : q_dtype,
                                -1, NULL);
      return;
    }

  if ((q->rank == 3 && q_heads <= 0) || (k->rank == 3 && kv_heads <= 0))
    assay_shape_report (self, "infer.attribute", q_heads <= 0 ? "q_num_heads" : "kv_num_heads",
                        "inputs of rank 3 need the number of heads");

  total = k->dims[k->rank - 2];
  if (past != NULL)
    total = assay_scalar_to_dim (assay_scalar_add (
        self->arena, assay_scalar_from_dim (past->dims[2]), assay_scalar_from_dim (total)));
  else if (assay_shape_has_input (self, 4))
    total = assay_dim_unknown ();

  key[0] = k->dims[0];
  key[1] = k->rank == 4 ? k->dims[1] : assay_dim (MAX (kv_heads, -1));
  key[2] = total;
  key[3] = head_size (self, k, kv_heads);
  value[0] = v->dims[0];
  value[1] = v->rank == 4 ? v->dims[1] : assay_dim (MAX (kv_heads, -1));
  value[2] = total;
  value[3] = head_size (self, v, kv_heads);
  scores[0] = q->dims[0];
  scores[1] = q->rank == 4 ? q->dims[1] : assay_dim (MAX (q_heads, -1));
  scores[2] = q->dims[q->rank - 2];
  scores[3] = total;

  if (q->rank == 4)
    {
      AssayDim dims[4] = { q->dims[0], q->dims[1], q->dims[2], value[3] };

      assay_shape_set_tensor (self, 0, q_dtype, 4, dims);
    }
  else
    {
      AssayDim dims[3] = { q->dims[0], q->dims[1],
                           assay_shape_dim_mul (self, scores[1], value[3]) };

      assay_shape_set_tensor (self, 0, q_dtype, 3, dims);
    }

  assay_shape_set_tensor (self, 1, assay_shape_dtype (self, 1), 4, key);
  assay_shape_set_tensor (self, 2, assay_shape_dtype (self, 2), 4, value);
  assay_shape_set_tensor (self, 3, q_dtype, 4, scores);
}

/* Says which input a rule of the recurrence lacks. */
static void
expect_input (AssayShapeContext *self, guint input, const char *name, const char *rule)
{
  if (!assay_shape_has_input (self, input))
    assay_shape_report (self, "infer.inputs", "update_rule", "update_rule %s needs the input %s",
                        rule, name);
}

void
assay_shape_rule_linear_attention (AssayShapeContext *self)
{
  const AssayType *q = assay_shape_tensor (self, 0, 3, 3);
  const AssayType *k = assay_shape_tensor (self, 1, 3, 3);
  const AssayType *v = assay_shape_tensor (self, 2, 3, 3);
  gint64 q_heads = assay_node_get_int (self->node, "q_num_heads");
  gint64 heads = assay_node_get_int (self->node, "kv_num_heads");
  const char *rule = assay_node_get_string (self->node, "update_rule");
  AssayDType dtype = assay_shape_dtype (self, 0);
  const AssayType *known = q != NULL ? q : k != NULL ? k : v;
  AssayDim value = head_size (self, v, heads);
  AssayDim dims[3] = { assay_dim_unknown (), assay_dim_unknown (), assay_dim_unknown () };
  AssayDim state[4] = { assay_dim_unknown (), assay_dim (MAX (heads, -1)),
                        head_size (self, k, heads), value };

  if (strstr (rule, "gated") != NULL)
    expect_input (self, 4, "decay", rule);
  if (strstr (rule, "delta") != NULL)
    expect_input (self, 5, "beta", rule);

  if (known != NULL)
    {
      dims[0] = state[0] = known->dims[0];
      dims[1] = known->dims[1];
    }
  if (q_heads > 0)
    dims[2] = assay_shape_dim_mul (self, assay_dim (q_heads), value);
  assay_shape_set_tensor (self, 0, dtype, 3, dims);
  assay_shape_set_tensor (
      self, 1, assay_shape_has_input (self, 3) ? assay_shape_dtype (self, 3) : dtype, 4, state);
}
