/* assay-kernel-einsum.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "evaluate/assay-elements.h"
#include "base/assay-sentence.h"
#include "evaluate/assay-gemm.h"

/* Einsum as a chain of batched matrix products: the operands are folded together from the left.
 * Axes have labels: the letters of the equation, and one label for each axis that an ellipsis may
 * stand for. */

#define N_LETTERS 52
#define N_LABELS (N_LETTERS + ASSAY_MAX_RANK)

typedef struct
{
  guint n;
  guint8 labels[ASSAY_MAX_RANK];
} Term;

/* A tensor whose axes have labels, each at most once. */
typedef struct
{
  AssayDatum *datum;
  Term term;
} Operand;

typedef struct
{
  AssayKernel *kernel;
  AssayDType storage;
  gint64 dims[N_LABELS];
  guint counts[N_LABELS];
  guint n_ellipsis;
} Einsum;

static int
letter_label (char c)
{
  if (g_ascii_islower (c))
    return c - 'a' + 26;
  if (g_ascii_isupper (c))
    return c - 'A';

  return -1;
}

/* Reads the term of an operand of some rank; ellipsis axes count from the last one, as they
 * broadcast. */
static gboolean
read_term (Einsum *self, const char *text, gsize length, guint n_ellipsis, Term *term,
           GError **error)
{
  gboolean dots = FALSE;

  term->n = 0;
  for (gsize i = 0; i < length; i++)
    {
      int label = letter_label (text[i]);

      if (text[i] == ' ')
        continue;
      if (label < 0 && !(length - i >= 3 && strncmp (text + i, "...", 3) == 0))
        return assay_kernel_fail (self->kernel, error, "attribute equation: “%c” is no letter",
                                  text[i]);
      if (term->n + (label >= 0 ? 1 : n_ellipsis) > ASSAY_MAX_RANK)
        return assay_kernel_fail (
            self->kernel, error, "attribute equation: a term of more than %d axes", ASSAY_MAX_RANK);

      if (label >= 0)
        {
          term->labels[term->n++] = (guint8) label;
          continue;
        }
      if (dots)
        return assay_kernel_fail (self->kernel, error,
                                  "attribute equation: a term has two ellipses");
      dots = TRUE;
      for (guint j = n_ellipsis; j > 0; j--)
        term->labels[term->n++] = (guint8) (N_LETTERS + j - 1);
      i += 2;
    }

  return TRUE;
}

static guint
count_letters (const char *text, gsize length)
{
  guint n = 0;

  for (gsize i = 0; i < length; i++)
    n += letter_label (text[i]) >= 0;

  return n;
}

static gboolean
has_label (const Term *term, guint label)
{
  return memchr (term->labels, (int) label, term->n) != NULL;
}

/* The term of an input, and what it says of the extents of its labels. */
static gboolean
read_input (Einsum *self, guint input, const char *text, gsize length, Term *term, GError **error)
{
  AssayDatum *datum = self->kernel->inputs[input];
  guint n = count_letters (text, length);
  gboolean dots = g_strstr_len (text, (gssize) length, "...") != NULL;

  if (datum->rank < n || (datum->rank > n && !dots))
    return assay_kernel_fail (self->kernel, error, "input %u has rank %u, its term names %u %s",
                              input, datum->rank, n, assay_noun (n, "axis", "axes"));
  if (!read_term (self, text, length, datum->rank - n, term, error))
    return FALSE;

  self->n_ellipsis = MAX (self->n_ellipsis, datum->rank - n);
  for (guint i = 0; i < term->n; i++)
    {
      guint label = term->labels[i];
      gint64 dim = datum->dims[i];

      if (self->counts[label]++ == 0 || self->dims[label] == 1)
        self->dims[label] = dim;
      else if (dim != 1 && dim != self->dims[label])
        return assay_kernel_fail (self->kernel, error,
                                  "dimension %u of input %u is %" G_GINT64_FORMAT
                                  ", expected %" G_GINT64_FORMAT,
                                  i, input, dim, self->dims[label]);
    }

  return TRUE;
}

/* Without an arrow: the broadcast axes, then the letters that occur once, in alphabetical order. */
static void
implied_output (const Einsum *self, Term *term)
{
  term->n = 0;
  for (guint i = self->n_ellipsis; i > 0; i--)
    term->labels[term->n++] = (guint8) (N_LETTERS + i - 1);
  for (guint label = 0; label < N_LETTERS; label++)
    {
      if (self->counts[label] == 1 && term->n < ASSAY_MAX_RANK)
        term->labels[term->n++] = (guint8) label;
    }
}

typedef struct
{
  AssayDatum *to;
  AssayDatum *from;
} Gather;

#define GATHER_CASE(storage_, type)                                                                \
  case ASSAY_DTYPE_##storage_:                                                                     \
    for (gsize i = 0; i < n; i++)                                                                  \
      ((type *) work->to->data)[offsets[0] + (gssize) i * strides[0]] +=                           \
          ((const type *) work->from->data)[offsets[1] + (gssize) i * strides[1]];                 \
    break;

static void
gather_row (gpointer data, gsize n, const gssize *offsets, const gssize *strides)
{
  Gather *work = data;

  switch (work->to->storage)
    {
      ASSAY_KERNEL_FLOAT_TYPES (GATHER_CASE)
    default:
      g_assert_not_reached ();
    }
}

/* Brings the axes of a tensor into an order. An axis that occurs several times is a diagonal, one
 * that the order does not have is summed up, one that the tensor lacks has one element. */
static AssayDatum *
arrange (Einsum *self, AssayDatum *from, const Term *term, const Term *order, GError **error)
{
  gint64 dims[ASSAY_MAX_RANK], loops[ASSAY_MAX_RANK];
  gssize from_strides[ASSAY_MAX_RANK] = { 0 }, to_strides[ASSAY_MAX_RANK] = { 0 };
  Term all = *order;
  g_autoptr (AssayDatum) to = NULL;
  gssize stride = 1;
  Gather work;
  AssayWalk walk;

  for (guint i = 0; i < term->n; i++)
    {
      if (has_label (&all, term->labels[i]))
        continue;
      if (all.n == ASSAY_MAX_RANK)
        {
          assay_kernel_fail (self->kernel, error, "attribute equation: more than %d axes",
                             ASSAY_MAX_RANK);
          return NULL;
        }
      all.labels[all.n++] = term->labels[i];
    }

  for (guint i = 0; i < all.n; i++)
    {
      gssize step = 1;

      loops[i] = 1;
      for (guint j = term->n; j > 0; j--)
        {
          gint64 dim = from->dims[j - 1];

          if (term->labels[j - 1] == all.labels[i] && dim != 1)
            {
              loops[i] = dim;
              from_strides[i] += step;
            }
          step *= dim;
        }
      if (i < order->n)
        dims[i] = loops[i];
    }
  for (guint i = order->n; i > 0; i--)
    {
      to_strides[i - 1] = dims[i - 1] == 1 ? 0 : stride;
      stride *= dims[i - 1];
    }

  to = assay_kernel_tensor (self->kernel, self->storage, self->storage, order->n, dims, error);
  if (to == NULL)
    return NULL;

  memset (to->data, 0, to->n * assay_storage_size (self->storage));
  if (from->n == 0)
    return g_steal_pointer (&to);

  work = (Gather){ to, from };
  assay_walk_init (&walk, all.n, loops);
  assay_walk_add (&walk, 0, to_strides);
  assay_walk_add (&walk, 0, from_strides);
  assay_walk_merge (&walk);
  assay_walk_run (&walk, 0, walk.rank > 1 || walk.dims[0] > 0 ? assay_walk_rows (&walk) : 0,
                  gather_row, &work);

  return g_steal_pointer (&to);
}

/* One of the groups of labels of a product, and its extents in both operands. */
static void
add_label (Term *term, guint label)
{
  term->labels[term->n++] = (guint8) label;
}

static void
append_term (Term *to, const Term *from)
{
  memcpy (to->labels + to->n, from->labels, from->n);
  to->n += from->n;
}

static gint64
extent_of (const Operand *operand, guint label)
{
  for (guint i = 0; i < operand->term.n; i++)
    {
      if (operand->term.labels[i] == label)
        return operand->datum->dims[i];
    }

  return 1;
}

static gsize
size_of (const Einsum *self, const Term *term)
{
  gsize size = 1;

  for (guint i = 0; i < term->n; i++)
    size *= (gsize) self->dims[term->labels[i]];

  return size;
}

/* Folds two operands into one: labels of both are a batch if somebody still needs them and sums if
 * not, labels of one are its rows or columns, or are summed up beforehand. */
static gboolean
fold (Einsum *self, Operand *left, Operand *right, const gboolean *needed, Operand *result,
      GError **error)
{
  Term batch = { 0 }, rows = { 0 }, columns = { 0 }, sums = { 0 }, order = { 0 };
  g_autoptr (AssayDatum) a = NULL;
  g_autoptr (AssayDatum) b = NULL;
  g_autofree AssayGemmItem *items = NULL;
  gint64 dims[ASSAY_MAX_RANK];
  gsize n_batch, size = assay_storage_size (self->storage);
  AssayGemm gemm = { .storage = self->storage, .alpha = 1.0 };

  for (guint label = 0; label < N_LABELS; label++)
    {
      gboolean in_left = has_label (&left->term, label) &&
                         extent_of (left, label) == self->dims[label];
      gboolean in_right = has_label (&right->term, label) &&
                          extent_of (right, label) == self->dims[label];

      if (in_left && in_right)
        add_label (needed[label] ? &batch : &sums, label);
      else if (in_left && needed[label])
        add_label (&rows, label);
      else if (in_right && needed[label])
        add_label (&columns, label);
    }
  if (batch.n + rows.n + columns.n > ASSAY_MAX_RANK || batch.n + rows.n + sums.n > ASSAY_MAX_RANK ||
      batch.n + columns.n + sums.n > ASSAY_MAX_RANK)
    return assay_kernel_fail (self->kernel, error, "attribute equation: more than %d axes",
                              ASSAY_MAX_RANK);

  append_term (&order, &batch);
  append_term (&order, &rows);
  append_term (&order, &sums);
  a = arrange (self, left->datum, &left->term, &order, error);
  order = batch;
  append_term (&order, &sums);
  append_term (&order, &columns);
  b = a == NULL ? NULL : arrange (self, right->datum, &right->term, &order, error);
  if (b == NULL)
    return FALSE;

  gemm.m = size_of (self, &rows);
  gemm.n = gemm.ldb = gemm.ldc = size_of (self, &columns);
  gemm.k = gemm.lda = size_of (self, &sums);
  n_batch = size_of (self, &batch);

  result->term = batch;
  append_term (&result->term, &rows);
  append_term (&result->term, &columns);
  for (guint i = 0; i < result->term.n; i++)
    dims[i] = self->dims[result->term.labels[i]];
  result->datum = assay_kernel_tensor (self->kernel, self->storage, self->storage, result->term.n,
                                       dims, error);
  if (result->datum == NULL)
    return FALSE;
  if (result->datum->n == 0)
    return TRUE;

  items = assay_kernel_room (self->kernel, AssayGemmItem, n_batch, error);
  if (items == NULL)
    return FALSE;
  for (gsize i = 0; i < n_batch; i++)
    {
      items[i].a = (const char *) a->data + i * gemm.m * gemm.k * size;
      items[i].b = (const char *) b->data + i * gemm.k * gemm.n * size;
      items[i].c = (char *) result->datum->data + i * gemm.m * gemm.n * size;
    }
  assay_gemm_batch (&gemm, self->kernel, n_batch, items);

  return TRUE;
}

/* An input in the storage type of the products: integers are exact in double up to 2^53. */
static AssayDatum *
widen (const Einsum *self, AssayDatum *datum, GError **error)
{
  AssayDatum *wide;

  if (datum->storage == self->storage)
    return assay_datum_ref (datum);

  wide = assay_kernel_tensor (self->kernel, self->storage, self->storage, datum->rank, datum->dims,
                              error);
  if (wide != NULL)
    assay_elements_read (datum, 0, 1, datum->n, wide->data);

  return wide;
}

static gboolean
fold_all (Einsum *self, const Term *terms, const Term *output, GError **error)
{
  AssayKernel *kernel = self->kernel;
  Operand result = { NULL, terms[0] };
  g_autoptr (AssayDatum) arranged = NULL;
  gint64 dims[ASSAY_MAX_RANK];
  AssayDatum *to;
  gboolean ok = TRUE;

  result.datum = widen (self, kernel->inputs[0], error);
  for (guint i = 1; ok && i < kernel->n_inputs; i++)
    {
      g_autoptr (AssayDatum) left = result.datum;
      g_autoptr (AssayDatum) right = left == NULL ? NULL : widen (self, kernel->inputs[i], error);
      Operand operands[2] = { { left, result.term }, { right, terms[i] } };
      gboolean needed[N_LABELS];

      for (guint label = 0; label < N_LABELS; label++)
        {
          needed[label] = has_label (output, label);
          for (guint j = i + 1; j < kernel->n_inputs; j++)
            needed[label] = needed[label] || has_label (&terms[j], label);
        }
      result.datum = NULL;
      ok = right != NULL && fold (self, &operands[0], &operands[1], needed, &result, error);
    }

  arranged = ok && result.datum != NULL ? arrange (self, result.datum, &result.term, output, error)
                                        : NULL;
  g_clear_pointer (&result.datum, assay_datum_unref);
  if (arranged == NULL)
    return FALSE;

  for (guint i = 0; i < output->n; i++)
    dims[i] = self->dims[output->labels[i]];
  to = assay_kernel_output (kernel, 0, kernel->inputs[0]->dtype, output->n, dims, error);
  if (to == NULL)
    return FALSE;
  if (to->storage == arranged->storage)
    memcpy (to->data, arranged->data, to->n * assay_storage_size (to->storage));
  else
    assay_elements_write (to, 0, 1, to->n, arranged->data);

  return TRUE;
}

gboolean
assay_kernel_op_einsum (AssayKernel *self, GError **error)
{
  const char *equation = assay_node_get_string (self->node, "equation");
  const char *arrow = strstr (equation, "->"),
             *end = arrow != NULL ? arrow : equation + strlen (equation);
  const char *text = equation;
  g_autofree Term *terms = g_new0 (Term, self->n_inputs);
  Einsum einsum = { .kernel = self, .storage = self->inputs[0]->storage };
  Term output;

  if (!assay_dtype_is_float (einsum.storage))
    {
      if (!assay_dtype_is_integer (einsum.storage))
        return assay_kernel_fail_type (self, 0, error);
      einsum.storage = ASSAY_DTYPE_F64;
    }
  if (!assay_kernel_expect_same (self, error))
    return FALSE;

  for (guint i = 0; i < self->n_inputs; i++)
    {
      const char *comma = text > end ? NULL : memchr (text, ',', (gsize) (end - text));
      const char *stop = comma != NULL ? comma : end;

      if (text > end || self->inputs[i] == NULL)
        return assay_kernel_fail (self, error, "attribute equation: “%s” for %u input%s", equation,
                                  self->n_inputs, assay_plural (self->n_inputs));
      if (!read_input (&einsum, i, text, (gsize) (stop - text), &terms[i], error))
        return FALSE;
      text = stop + 1;
    }
  if (text <= end)
    return assay_kernel_fail (self, error, "attribute equation: “%s” for %u input%s", equation,
                              self->n_inputs, assay_plural (self->n_inputs));

  if (arrow == NULL)
    implied_output (&einsum, &output);
  else if (!read_term (&einsum, arrow + 2, strlen (arrow + 2), einsum.n_ellipsis, &output, error))
    return FALSE;
  for (guint i = 0; i < output.n; i++)
    {
      if (einsum.counts[output.labels[i]] == 0)
        return assay_kernel_fail (self, error,
                                  "attribute equation: an axis of the output is in no input");
    }

  return fold_all (&einsum, terms, &output, error);
}
