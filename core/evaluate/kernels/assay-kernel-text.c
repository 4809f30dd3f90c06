/* assay-kernel-text.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/kernels/assay-kernel-copy.h"

#include <string.h>

#include "base/assay-sentence.h"

/* Operators on strings, which are UTF-8 by convention only. */

static gboolean
expect_strings (AssayKernel *self, GError **error)
{
  return assay_kernel_input (self, 0)->dtype == ASSAY_DTYPE_STRING ||
         assay_kernel_fail_type (self, 0, error);
}

static GBytes *
get_string (const AssayDatum *x, gsize index)
{
  return ((GBytes *const *) x->data)[index];
}

static void
set_string (AssayDatum *y, gsize index, const char *data, gsize length)
{
  ((GBytes **) y->data)[index] = g_bytes_new (data, length);
}

/* A copy with a zero behind it; what is not UTF-8 is mended. */
static char *
dup_utf8 (GBytes *string)
{
  gsize length;
  const char *data = g_bytes_get_data (string, &length);

  return g_utf8_make_valid (length > 0 ? data : "", (gssize) length);
}

gboolean
assay_kernel_op_regex_full_match (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  const char *pattern = assay_node_get_string (self->node, "pattern");
  g_autofree char *whole = g_strdup_printf ("\\A(?:%s)\\z", pattern);
  g_autoptr (GRegex) regex = NULL;
  g_autoptr (GError) problem = NULL;
  AssayDatum *y;

  if (!expect_strings (self, error))
    return FALSE;

  regex = g_regex_new (whole, G_REGEX_OPTIMIZE, 0, &problem);
  if (regex == NULL)
    return assay_kernel_fail (self, error, "pattern “%s” is no regular expression: %s", pattern,
                              problem->message);
  y = assay_kernel_output (self, 0, ASSAY_DTYPE_BOOL, x->rank, x->dims, error);
  if (y == NULL)
    return FALSE;

  for (gsize i = 0; i < x->n; i++)
    {
      g_autofree char *text = dup_utf8 (get_string (x, i));

      ((guint8 *) y->data)[i] = (guint8) g_regex_match_full (regex, text, -1, 0, 0, NULL, &problem);
      if (problem != NULL)
        return assay_kernel_fail (
            self, error, "pattern “%s” could not be tried on element %" G_GSIZE_FORMAT ": %s",
            pattern, i, problem->message);
    }

  return TRUE;
}

/* At white space, of which none begins a piece. */
static void
split_at_space (const char *text, gint64 max, GPtrArray *pieces)
{
  const char *at = text;

  for (;;)
    {
      const char *begin;

      while (*at != '\0' && g_unichar_isspace (g_utf8_get_char (at)))
        at = g_utf8_next_char (at);
      if (*at == '\0')
        return;
      if (max >= 0 && pieces->len >= max)
        {
          g_ptr_array_add (pieces, g_strdup (at));
          return;
        }
      begin = at;
      while (*at != '\0' && !g_unichar_isspace (g_utf8_get_char (at)))
        at = g_utf8_next_char (at);
      g_ptr_array_add (pieces, g_strndup (begin, (gsize) (at - begin)));
    }
}

static void
split_at (const char *text, const char *delimiter, gint64 max, GPtrArray *pieces)
{
  const char *end;

  while ((max < 0 || pieces->len < max) && (end = strstr (text, delimiter)) != NULL)
    {
      g_ptr_array_add (pieces, g_strndup (text, (gsize) (end - text)));
      text = end + strlen (delimiter);
    }
  g_ptr_array_add (pieces, g_strdup (text));
}

gboolean
assay_kernel_op_string_split (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  const char *delimiter = assay_node_get_string (self->node, "delimiter");
  gint64 max = -1;
  g_autoptr (GPtrArray) lists = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  gint64 dims[ASSAY_MAX_RANK + 1];
  guint longest = 0;
  AssayDatum *y;
  AssayDatum *counts;

  assay_node_find_int (self->node, "maxsplit", &max);
  if (!expect_strings (self, error))
    return FALSE;

  for (gsize i = 0; i < x->n; i++)
    {
      GPtrArray *pieces = g_ptr_array_new_with_free_func (g_free);
      g_autofree char *text = dup_utf8 (get_string (x, i));

      if (delimiter[0] == '\0')
        split_at_space (text, max, pieces);
      else
        split_at (text, delimiter, max, pieces);
      longest = MAX (longest, pieces->len);
      g_ptr_array_add (lists, pieces);
    }

  memcpy (dims, x->dims, x->rank * sizeof *dims);
  dims[x->rank] = longest;
  y = assay_kernel_output (self, 0, ASSAY_DTYPE_STRING, x->rank + 1, dims, error);
  counts = assay_kernel_output (self, 1, ASSAY_DTYPE_I64, x->rank, x->dims, error);
  if (y == NULL || counts == NULL)
    return FALSE;

  for (guint i = 0; i < lists->len; i++)
    {
      GPtrArray *pieces = g_ptr_array_index (lists, i);

      ((gint64 *) counts->data)[i] = pieces->len;
      for (guint j = 0; j < longest; j++)
        {
          const char *piece = j < pieces->len ? g_ptr_array_index (pieces, j) : "";

          set_string (y, (gsize) i * longest + j, piece, strlen (piece));
        }
    }

  return TRUE;
}

/* Upper and lower case depend on the language in these; the C library knows one language at a time.
 */
static gboolean
check_locale (AssayKernel *self, GError **error)
{
  static const char *const left_out[] = { "az", "lt", "tr" };
  const char *locale = assay_node_get_string (self->node, "locale");

  for (guint i = 0; i < G_N_ELEMENTS (left_out); i++)
    if (g_str_has_prefix (locale, left_out[i]) && !g_ascii_isalpha (locale[2]))
      {
        g_autofree char *path = assay_graph_node_path (self->graph, self->id);

        g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED,
                     "%s (StringNormalizer): locale “%s” has rules of its own for upper and lower "
                     "case, which the "
                     "reference leaves out",
                     path, locale);
        return FALSE;
      }

  return TRUE;
}

static char *
change_case (const char *text, const char *action)
{
  if (strcmp (action, "LOWER") == 0)
    return g_utf8_strdown (text, -1);
  if (strcmp (action, "UPPER") == 0)
    return g_utf8_strup (text, -1);

  return g_strdup (text);
}

static gboolean
is_stop_word (const char *text, const AssayAttr *stop_words, gboolean with_case)
{
  g_autofree char *folded = with_case ? g_strdup (text) : g_utf8_casefold (text, -1);

  for (guint i = 0; stop_words != NULL && i < stop_words->n; i++)
    {
      g_autofree char *word = with_case ? g_strdup (stop_words->u.strings[i])
                                        : g_utf8_casefold (stop_words->u.strings[i], -1);

      if (strcmp (folded, word) == 0)
        return TRUE;
    }

  return FALSE;
}

gboolean
assay_kernel_op_string_normalizer (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  const AssayAttr *stop_words = assay_node_find_attr (self->node, "stopwords");
  const char *action = assay_node_get_string (self->node, "case_change_action");
  gboolean with_case = assay_node_get_int (self->node, "is_case_sensitive") != 0;
  g_autoptr (GPtrArray) kept = g_ptr_array_new_with_free_func (g_free);
  gint64 dims[2] = { 1, 1 };
  AssayDatum *y;

  if (!expect_strings (self, error) || !assay_kernel_expect_rank (self, 0, 1, 2, error) ||
      !check_locale (self, error))
    return FALSE;
  if (x->rank == 2 && x->dims[0] != 1)
    return assay_kernel_fail (self, error, "%" G_GINT64_FORMAT " rows, 1 was expected", x->dims[0]);

  for (gsize i = 0; i < x->n; i++)
    {
      g_autofree char *text = dup_utf8 (get_string (x, i));

      if (!is_stop_word (text, stop_words, with_case))
        g_ptr_array_add (kept, change_case (text, action));
    }

  if (kept->len == 0)
    g_ptr_array_add (kept, g_strdup (""));
  dims[x->rank - 1] = kept->len;
  y = assay_kernel_output (self, 0, ASSAY_DTYPE_STRING, x->rank, dims, error);
  if (y == NULL)
    return FALSE;

  for (guint i = 0; i < kept->len; i++)
    {
      const char *text = g_ptr_array_index (kept, i);

      set_string (y, i, text, strlen (text));
    }

  return TRUE;
}

/* Integers and strings as keys of a table: the length and the bytes of each. */
static void
append_key (GByteArray *key, const char *string, gint64 integer)
{
  guint32 length = string != NULL ? (guint32) strlen (string) : sizeof integer;

  g_byte_array_append (key, (const guint8 *) &length, sizeof length);
  g_byte_array_append (key, string != NULL ? (const guint8 *) string : (const guint8 *) &integer,
                       length);
}

/* From the key of an n-gram to its number in the pool, plus one. */
static GHashTable *
read_pool (AssayKernel *self, const AssayAttr *strings, GError **error)
{
  g_autoptr (GHashTable) pool = g_hash_table_new_full (g_bytes_hash, g_bytes_equal,
                                                       (GDestroyNotify) g_bytes_unref, NULL);
  guint n_integers, n_counts, n_indexes;
  const gint64 *integers = assay_node_get_ints (self->node, "pool_int64s", &n_integers);
  const gint64 *counts = assay_node_get_ints (self->node, "ngram_counts", &n_counts);
  guint length = strings != NULL ? strings->n : n_integers;
  guint number = 0;

  assay_node_get_ints (self->node, "ngram_indexes", &n_indexes);
  for (guint n = 1; n <= n_counts; n++)
    {
      gint64 begin = counts[n - 1];
      gint64 end = n < n_counts ? counts[n] : length;

      if (begin < 0 || end < begin || end > length || (end - begin) % n != 0)
        {
          assay_kernel_fail (self, error,
                             "ngram_counts does not cut the pool of %u %s into %u-grams", length,
                             assay_noun (length, "entry", "entries"), n);
          return NULL;
        }
      for (gint64 i = begin; i < end; i += n)
        {
          GByteArray *key = g_byte_array_new ();

          for (gint64 j = i; j < i + n; j++)
            append_key (key, strings != NULL ? strings->u.strings[j] : NULL,
                        strings != NULL ? 0 : integers[j]);
          g_hash_table_insert (pool, g_byte_array_free_to_bytes (key), GUINT_TO_POINTER (++number));
        }
    }
  if (number != n_indexes)
    {
      assay_kernel_fail (self, error, "ngram_indexes has %u %s for %u n-grams", n_indexes,
                         assay_noun (n_indexes, "entry", "entries"), number);
      return NULL;
    }

  return g_steal_pointer (&pool);
}

/* Counts the n-grams of one row. */
static void
count_grams (AssayKernel *self, const AssayDatum *x, gsize row, gsize length, GHashTable *pool,
             double *found)
{
  gint64 smallest = MAX (assay_node_get_int (self->node, "min_gram_length"), 1);
  gint64 largest = MIN (assay_node_get_int (self->node, "max_gram_length"), (gint64) length);
  gint64 skips = MIN (assay_node_get_int (self->node, "max_skip_count"), (gint64) length);

  for (gint64 n = smallest; n <= largest; n++)
    for (gint64 step = 1; step <= skips + 1 && (n - 1) * step < (gint64) length; step++)
      {
        /* Single tokens skip nothing, so they count once. */
        if (n == 1 && step > 1)
          break;
        for (gsize i = 0; i + (gsize) ((n - 1) * step) < length; i++)
          {
            GByteArray *key = g_byte_array_new ();
            g_autoptr (GBytes) bytes = NULL;

            for (gint64 j = 0; j < n; j++)
              {
                gsize at = row * length + i + (gsize) (j * step);
                g_autofree char *token = x->dtype == ASSAY_DTYPE_STRING
                                             ? dup_utf8 (get_string (x, at))
                                             : NULL;

                append_key (key, token, token != NULL ? 0 : assay_datum_get_integer (x, at));
              }
            bytes = g_byte_array_free_to_bytes (key);
            found[GPOINTER_TO_UINT (g_hash_table_lookup (pool, bytes))]++;
          }
      }
}

gboolean
assay_kernel_op_tf_idf_vectorizer (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  const AssayAttr *strings = assay_node_find_attr (self->node, "pool_strings");
  const char *mode = assay_node_get_string (self->node, "mode");
  gboolean once = strcmp (mode, "IDF") == 0;
  gboolean weighted = once || strcmp (mode, "TFIDF") == 0;
  g_autoptr (GHashTable) pool = NULL;
  g_autofree double *found = NULL;
  gint64 dims[2] = { 1, 0 };
  guint n_indexes, n_weights;
  const gint64 *indexes = assay_node_get_ints (self->node, "ngram_indexes", &n_indexes);
  const double *weights = assay_node_get_floats (self->node, "weights", &n_weights);
  gsize length;
  AssayDatum *y;

  if (!assay_kernel_expect_rank (self, 0, 0, 2, error))
    return FALSE;
  if (strings != NULL ? x->dtype != ASSAY_DTYPE_STRING : !assay_dtype_is_integer (x->dtype))
    return assay_kernel_fail_type (self, 0, error);
  if (weighted && weights != NULL && n_weights != n_indexes)
    return assay_kernel_fail (self, error, "weights has %u %s for %u n-grams", n_weights,
                              assay_noun (n_weights, "entry", "entries"), n_indexes);
  pool = read_pool (self, strings, error);
  if (pool == NULL)
    return FALSE;

  for (guint i = 0; i < n_indexes; i++)
    {
      if (indexes[i] < 0 || indexes[i] > G_MAXINT32)
        return assay_kernel_fail (self, error, "ngram_indexes[%u] is %" G_GINT64_FORMAT, i,
                                  indexes[i]);
      dims[1] = MAX (dims[1], indexes[i] + 1);
    }
  dims[0] = x->rank == 2 ? x->dims[0] : 1;
  y = assay_kernel_output (self, 0, ASSAY_DTYPE_F32, x->rank == 2 ? 2 : 1,
                           x->rank == 2 ? dims : dims + 1, error);
  if (y == NULL)
    return FALSE;

  assay_elements_fill (y, NULL);
  length = dims[0] > 0 ? x->n / (gsize) dims[0] : 0;
  found = assay_kernel_room (self, double, (gsize) n_indexes + 1, error);
  if (found == NULL)
    return FALSE;
  for (gint64 row = 0; row < dims[0]; row++)
    {
      memset (found, 0, ((gsize) n_indexes + 1) * sizeof *found);
      count_grams (self, x, (gsize) row, length, pool, found);
      for (guint i = 0; i < n_indexes; i++)
        {
          double value = once ? MIN (found[i + 1], 1) : found[i + 1];
          gsize to = (gsize) (row * dims[1] + indexes[i]);

          value *= weighted && weights != NULL ? weights[i] : 1;
          assay_datum_set_number (y, to, assay_datum_get_number (y, to) + value);
        }
    }

  return TRUE;
}
