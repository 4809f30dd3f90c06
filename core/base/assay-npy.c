/* assay-npy.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Arrays in the format of NumPy (numpy.lib.format, versions 1.0 to 3.0).
 */
#include "base/assay-npy.h"

#include <string.h>

#include "base/assay-error.h"
#include "base/assay-file-read.h"
#include "base/assay-file-write.h"
#include "base/assay-sentence.h"
#include "base/assay-tensor-read.h"

/* What is read, converted and written at a time. */
#define CHUNK_ELEMENTS ((gsize) 1 << 18)

static const char magic[] = "\x93NUMPY";

static const struct
{
  const char *code; /* kind and bytes, without the byte order */
  AssayDType dtype;
  guint word; /* bytes that the order is about */
} codes[] = {
  { "f4", ASSAY_DTYPE_F32, 4 }, { "f8", ASSAY_DTYPE_F64, 8 },   { "f2", ASSAY_DTYPE_F16, 2 },
  { "i1", ASSAY_DTYPE_I8, 1 },  { "i2", ASSAY_DTYPE_I16, 2 },   { "i4", ASSAY_DTYPE_I32, 4 },
  { "i8", ASSAY_DTYPE_I64, 8 }, { "u1", ASSAY_DTYPE_U8, 1 },    { "u2", ASSAY_DTYPE_U16, 2 },
  { "u4", ASSAY_DTYPE_U32, 4 }, { "u8", ASSAY_DTYPE_U64, 8 },   { "b1", ASSAY_DTYPE_BOOL, 1 },
  { "c8", ASSAY_DTYPE_C64, 4 }, { "c16", ASSAY_DTYPE_C128, 8 },
};

/* Texts of a file, each of which is on its own in memory. */
#define MOST_TEXTS ((gsize) 4000000)

/* Bytes of a letter of text of fixed length. */
#define LETTER sizeof (gunichar)

typedef struct
{
  AssayDType dtype;
  gsize item_size;
  gsize word;
  gboolean big_endian;
  gboolean columns_first;
  guint rank;
  gint64 dims[ASSAY_MAX_RANK];
} Header;

static gboolean
refuse (GError **error, const char *what)
{
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "Not a usable .npy file: %s", what);
  return FALSE;
}

static gpointer
refuse_size (GError **error, gsize n_bytes)
{
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_MEMORY,
               "no memory for %" G_GSIZE_FORMAT " byte%s of an array", n_bytes,
               assay_plural (n_bytes));
  return NULL;
}

/* The value of a member of the dictionary literal that the header is. */
static const char *
find_member (const char *text, const char *name)
{
  g_autofree char *quoted = g_strdup_printf ("'%s':", name);
  const char *at = strstr (text, quoted);

  if (at == NULL)
    return NULL;
  at += strlen (quoted);
  while (*at == ' ')
    at++;

  return at;
}

/* Text of a fixed length: `U` of so many letters, `S` of so many bytes. */
static gboolean
parse_text_descr (const char *code, Header *header)
{
  char *end;
  guint64 length = g_ascii_strtoull (code + 1, &end, 10);

  if ((code[0] != 'U' && code[0] != 'S') || !g_ascii_isdigit (code[1]) || *end != '\'' ||
      length > G_MAXUINT32)
    return FALSE;

  header->dtype = ASSAY_DTYPE_STRING;
  header->word = code[0] == 'U' ? LETTER : 1;
  header->item_size = (gsize) length * header->word;

  return TRUE;
}

static gboolean
parse_descr (const char *at, Header *header, GError **error)
{
  if (at == NULL || at[0] != '\'' || at[1] == '\0' || strchr ("<>|=", at[1]) == NULL)
    return refuse (error, "its element type is not a plain number or text");

  header->big_endian = at[1] == '>';
  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      gsize length = strlen (codes[i].code);

      if (strncmp (at + 2, codes[i].code, length) != 0 || at[2 + length] != '\'')
        continue;
      header->dtype = codes[i].dtype;
      header->item_size = (gsize) g_ascii_strtoull (codes[i].code + 1, NULL, 10);
      header->word = codes[i].word;
      return TRUE;
    }
  if (parse_text_descr (at + 2, header))
    return TRUE;

  return refuse (error, "its element type is not one of f2, f4, f8, i1 to i8, u1 to u8, b1, c8, "
                        "c16, U and S");
}

static gboolean
parse_shape (const char *at, Header *header, GError **error)
{
  if (at == NULL || *at++ != '(')
    return refuse (error, "it has no shape");

  for (;;)
    {
      char *end;
      guint64 size;

      while (*at == ' ' || *at == ',')
        at++;
      if (*at == ')')
        return TRUE;
      if (!g_ascii_isdigit (*at) || header->rank == ASSAY_MAX_RANK)
        return refuse (error, "its shape is not a list of sizes");
      size = g_ascii_strtoull (at, &end, 10);
      if (size > G_MAXINT64)
        return refuse (error, "its shape is not a list of sizes");
      header->dims[header->rank++] = (gint64) size;
      at = end;
    }
}

/* Puts elements into row-major order and little endian. */
static GBytes *
reorder (const Header *header, const guint8 *data, gsize n_elements, GError **error)
{
  gsize size = header->item_size;
  guint8 *result = g_try_malloc (MAX (1, n_elements * size));
  gsize index[ASSAY_MAX_RANK] = { 0 };

  if (result == NULL)
    return refuse_size (error, n_elements * size);

  for (gsize i = 0; i < n_elements; i++)
    {
      gsize from = i;

      if (header->columns_first)
        {
          from = 0;
          for (guint axis = header->rank; axis-- > 0;)
            from = from * (gsize) header->dims[axis] + index[axis];
          for (guint axis = header->rank; axis-- > 0;)
            {
              if (++index[axis] < (gsize) header->dims[axis])
                break;
              index[axis] = 0;
            }
        }

      for (gsize byte = 0; byte < size; byte++)
        {
          gsize other = byte % header->word;

          other = header->big_endian ? byte - other + header->word - 1 - other : byte;
          result[i * size + byte] = data[from * size + other];
        }
    }

  return g_bytes_new_take (result, n_elements * size);
}

/* Text without the zeros behind it that make it as long as the longest; NULL if it is none. */
static GBytes *
read_text (const Header *header, const guint8 *data)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gsize n = header->item_size;

  while (n > 0 && data[n - 1] == 0)
    n--;
  if (header->word == 1)
    return g_bytes_new (data, n);

  for (gsize at = 0; at < n; at += LETTER)
    {
      guint32 letter;

      memcpy (&letter, data + at, LETTER);
      letter = GUINT32_FROM_LE (letter);
      if (letter > 0 && !g_unichar_validate (letter))
        return NULL;
      if (letter > 0)
        g_string_append_unichar (text, letter);
      else
        g_string_append_c (text, '\0');
    }

  return g_string_free_to_bytes (g_steal_pointer (&text));
}

static AssayTensor *
read_texts (const Header *header, GBytes *elements, gsize n, GError **error)
{
  g_autoptr (GPtrArray) texts = NULL;
  const guint8 *data = g_bytes_get_data (elements, NULL);

  texts = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  for (gsize i = 0; i < n; i++)
    {
      GBytes *text = read_text (header, data + i * header->item_size);

      if (text == NULL)
        {
          refuse (error, "its text has letters that do not exist");
          return NULL;
        }
      g_ptr_array_add (texts, text);
    }

  return assay_tensor_new_strings (header->rank, header->dims, texts, error);
}

/**
 * assay_npy_from_bytes:
 * @bytes: a .npy file
 * @error: return location for a #GError
 *
 * Reads an array of numbers or text; either byte order and either order of elements.
 *
 * Returns: (transfer full) (nullable): the tensor
 */
AssayTensor *
assay_npy_from_bytes (GBytes *bytes, GError **error)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  g_autofree char *text = NULL;
  g_autoptr (GBytes) elements = NULL;
  Header header = { 0 };
  gsize start, length, n_elements, n_bytes;
  const char *order;

  if (size < 12 || memcmp (data, magic, sizeof magic - 1) != 0)
    {
      refuse (error, "it does not begin like one");
      return NULL;
    }

  /* Version 1 has two bytes of header length, later ones four. */
  start = data[6] == 1 ? 10 : 12;
  length = data[8] | (gsize) data[9] << 8;
  if (data[6] != 1)
    length |= (gsize) data[10] << 16 | (gsize) data[11] << 24;
  if (data[6] < 1 || data[6] > 3 || length > size - start)
    {
      refuse (error, "its header is cut off or of an unknown version");
      return NULL;
    }

  text = g_strndup ((const char *) data + start, length);
  order = find_member (text, "fortran_order");
  header.columns_first = order != NULL && g_str_has_prefix (order, "True");
  if (!parse_descr (find_member (text, "descr"), &header, error) ||
      !parse_shape (find_member (text, "shape"), &header, error))
    return NULL;

  if (!assay_dims_count (header.rank, header.dims, &n_elements) ||
      !g_size_checked_mul (&n_bytes, n_elements, header.item_size) ||
      n_bytes != size - start - length)
    {
      refuse (error, "its size does not fit its shape");
      return NULL;
    }

  /* A file of some bytes could stand for any number of empty texts, and short ones take a hundred
   * times their size. */
  if (header.dtype == ASSAY_DTYPE_STRING && n_elements > 0 &&
      (header.item_size == 0 || n_elements > MOST_TEXTS))
    {
      refuse (error, header.item_size == 0 ? "its text has no letters"
                                           : "it has more than four million texts");
      return NULL;
    }

  elements = header.columns_first || header.big_endian
                 ? reorder (&header, data + start + length, n_elements, error)
                 : g_bytes_new_from_bytes (bytes, start + length, n_bytes);
  if (elements == NULL)
    return NULL;
  if (header.dtype == ASSAY_DTYPE_STRING)
    return read_texts (&header, elements, n_elements, error);

  return assay_tensor_new (header.dtype, header.rank, header.dims, elements, error);
}

static const char *
find_code (AssayDType dtype)
{
  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    if (codes[i].dtype == dtype)
      return codes[i].code;

  return NULL;
}

/* As much as text takes when all of it is made as long as the longest. */
#define MOST_TEXT ((gsize) 1 << 30)

/* Text as NumPy holds it: all as long as the longest, in letters, or in bytes if one has bytes that
 * are no letters. */
static GBytes *
write_texts (AssayTensor *tensor, char **code, GError **error)
{
  GPtrArray *texts = assay_tensor_get_strings (tensor);
  gboolean letters = TRUE;
  gsize longest, most_bytes = 1, most_letters = 1, size;
  guint8 *all;

  for (guint i = 0; i < texts->len; i++)
    {
      gsize n;
      const char *text = g_bytes_get_data (g_ptr_array_index (texts, i), &n);

      letters = letters && g_utf8_validate_len (text, n, NULL);
      most_bytes = MAX (most_bytes, n);
      if (letters)
        most_letters = MAX (most_letters, (gsize) g_utf8_strlen (text, (gssize) n));
    }
  longest = letters ? most_letters : most_bytes;

  if (!g_size_checked_mul (&size, longest, letters ? LETTER : 1) ||
      !g_size_checked_mul (&size, size, texts->len) || size > MOST_TEXT)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "%u strings of up to %" G_GSIZE_FORMAT " letters are too much text for one file",
                   texts->len, longest);
      return NULL;
    }

  all = g_try_malloc0 (MAX (size, 1));
  if (all == NULL)
    return refuse_size (error, size);
  for (guint i = 0; i < texts->len; i++)
    {
      gsize n;
      const char *text = g_bytes_get_data (g_ptr_array_index (texts, i), &n);
      guint8 *to = all + i * longest * (letters ? LETTER : 1);

      if (!letters && n > 0)
        memcpy (to, text, n);
      for (const char *at = text; letters && n > 0 && at < text + n;
           at = g_utf8_next_char (at), to += LETTER)
        {
          guint32 letter = GUINT32_TO_LE (g_utf8_get_char (at));

          memcpy (to, &letter, LETTER);
        }
    }
  *code = g_strdup_printf ("%c%" G_GSIZE_FORMAT, letters ? 'U' : 'S', longest);

  return g_bytes_new_take (all, size);
}

/* Everything before the elements, which begin at a multiple of 64. */
static GByteArray *
write_header (AssayTensor *tensor, const char *code)
{
  g_autoptr (GString) header = g_string_new (NULL);
  guint rank = assay_tensor_get_rank (tensor);
  const gint64 *dims = assay_tensor_get_dims (tensor);
  GByteArray *file = g_byte_array_new ();
  guint8 length[2];

  g_string_printf (header, "{'descr': '%c%s', 'fortran_order': False, 'shape': (",
                   code[0] == 'S' || g_str_equal (code + 1, "1") ? '|' : '<', code);
  for (guint i = 0; i < rank; i++)
    g_string_append_printf (header, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", dims[i]);
  g_string_append (header, rank == 1 ? ",), }" : "), }");
  while ((header->len + 11) % 64 != 0)
    g_string_append_c (header, ' ');
  g_string_append_c (header, '\n');
  length[0] = (guint8) (header->len & 0xff);
  length[1] = (guint8) (header->len >> 8);

  g_byte_array_append (file, (const guint8 *) magic, sizeof magic - 1);
  g_byte_array_append (file, (const guint8 *) "\x01\x00", 2);
  g_byte_array_append (file, length, 2);
  g_byte_array_append (file, (const guint8 *) header->str, (guint) header->len);

  return file;
}

/* What stands for a type that NumPy does not have: fp32 holds each value of a small float, a byte
 * those of a small integer. */
static const char *
find_wider_code (AssayDType dtype)
{
  if (assay_dtype_is_float (dtype))
    return "f4";

  return assay_dtype_kind (dtype) == 'U' ? "u1" : "i1";
}

static void
put_wider (const double *values, gsize n, gboolean as_float, float *floats)
{
  gint8 *bytes = (gint8 *) floats;

  for (gsize i = 0; i < n; i++)
    if (as_float)
      floats[i] = (float) values[i];
    else
      bytes[i] = (gint8) values[i];
}

static GBytes *
wider_elements (AssayTensor *tensor, GError **error)
{
  gsize n = assay_tensor_get_n_elements (tensor);
  gboolean as_float = assay_dtype_is_float (assay_tensor_get_dtype (tensor));
  g_autofree double *values = g_try_new (double, n + 1);
  g_autofree float *floats = g_try_new (float, n + 1);

  if (values == NULL || floats == NULL)
    return refuse_size (error, n * sizeof *values);
  if (!assay_tensor_read_doubles (tensor, 0, n, values, error))
    return NULL;
  put_wider (values, n, as_float, floats);

  return g_bytes_new_take (g_steal_pointer (&floats), n * (as_float ? sizeof (float) : 1));
}

/**
 * assay_npy_to_bytes:
 * @tensor: a tensor
 * @error: return location for a #GError
 *
 * Writes an array as version 1.0, row major, little endian, as assay_npy_write() does.
 *
 * Returns: (transfer full) (nullable): the file
 */
GBytes *
assay_npy_to_bytes (AssayTensor *tensor, GError **error)
{
  AssayDType dtype = assay_tensor_get_dtype (tensor);
  const char *code = find_code (dtype);
  g_autofree char *text_code = NULL;
  g_autoptr (GBytes) elements = NULL;
  gconstpointer data;
  gsize n_bytes;
  GByteArray *file;

  if (dtype == ASSAY_DTYPE_STRING)
    elements = write_texts (tensor, &text_code, error);
  else if (code != NULL)
    elements = assay_tensor_dup_bytes (tensor, error);
  else
    elements = wider_elements (tensor, error);
  if (elements == NULL)
    return NULL;

  data = g_bytes_get_data (elements, &n_bytes);
  if (n_bytes > G_MAXUINT - 65536)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "%" G_GSIZE_FORMAT " bytes are too many for one file", n_bytes);
      return NULL;
    }

  file = write_header (tensor, text_code != NULL ? text_code
                               : code != NULL    ? code
                                                 : find_wider_code (dtype));
  if (n_bytes > 0)
    g_byte_array_append (file, data, (guint) n_bytes);

  return g_byte_array_free_to_bytes (file);
}

/**
 * assay_npy_load:
 * @path: a .npy file
 * @error: return location for a #GError
 *
 * Reads an array from a file.
 *
 * Returns: (transfer full) (nullable): the tensor
 */
AssayTensor *
assay_npy_load (const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = NULL;
  AssayTensor *tensor;
  char *contents;
  gsize length;

  if (!assay_file_read (path, ASSAY_FILE_READ_DATA, &contents, &length, error))
    return NULL;

  bytes = g_bytes_new_take (contents, length);
  tensor = assay_npy_from_bytes (bytes, error);
  if (tensor == NULL)
    g_prefix_error (error, "%s: ", path);

  return tensor;
}

static gboolean
write_elements (AssayTensor *tensor, gboolean as_float, gboolean as_is, AssayFileWriter *file,
                const AssayProgress *progress, GError **error)
{
  gsize n = assay_tensor_get_n_elements (tensor);
  guint bits = assay_dtype_bits (assay_tensor_get_dtype (tensor));
  const guint8 *data = assay_tensor_get_data (tensor, NULL, error);
  g_autofree double *values = as_is ? NULL : g_new (double, CHUNK_ELEMENTS);
  g_autofree float *floats = as_is ? NULL : g_new (float, CHUNK_ELEMENTS);

  if (data == NULL && n > 0)
    return FALSE;

  for (gsize first = 0; first < n; first += CHUNK_ELEMENTS)
    {
      gsize count = MIN (n - first, CHUNK_ELEMENTS);

      if (!assay_progress_check (progress, error))
        return FALSE;
      assay_progress_report (progress, (double) first / (double) n, "Saving");
      if (as_is)
        {
          if (!assay_file_writer_write (file, data + first * (bits / 8), count * (bits / 8), error))
            return FALSE;
          continue;
        }

      if (!assay_tensor_read_doubles (tensor, first, count, values, error))
        return FALSE;
      put_wider (values, count, as_float, floats);
      if (!assay_file_writer_write (file, floats, count * (as_float ? sizeof *floats : 1), error))
        return FALSE;
    }

  return TRUE;
}

/**
 * assay_npy_write:
 * @tensor: a tensor
 * @path: where to
 * @progress: (nullable): told how far it is; can cancel
 * @error: return location for a #GError
 *
 * Writes an array to a file piece by piece, whole or not at all: it is never in memory as a whole
 * unless it is already. Floating point types that NumPy does not have, such as bf16, become fp32,
 * and 4-bit integers become 8-bit ones. Text becomes as long as the longest.
 *
 * Returns: whether it is written
 */
gboolean
assay_npy_write (AssayTensor *tensor, const char *path, const AssayProgress *progress,
                 GError **error)
{
  AssayDType dtype = assay_tensor_get_dtype (tensor);
  const char *code = find_code (dtype);
  gboolean as_is = code != NULL;
  g_autoptr (AssayFileWriter) file = NULL;
  g_autoptr (GByteArray) header = NULL;
  g_autoptr (GBytes) text = NULL;

  if (dtype == ASSAY_DTYPE_STRING)
    {
      text = assay_npy_to_bytes (tensor, error);
      return text != NULL &&
             assay_file_write (path, g_bytes_get_data (text, NULL), g_bytes_get_size (text), error);
    }
  if (code == NULL)
    code = find_wider_code (dtype);

  file = assay_file_writer_new (path, NULL, error);
  if (file == NULL)
    return FALSE;

  header = write_header (tensor, code);

  return assay_file_writer_write (file, header->data, header->len, error) &&
         write_elements (tensor, assay_dtype_is_float (dtype), as_is, file, progress, error) &&
         assay_tensor_check (tensor, error) && assay_file_writer_finish (file, error) &&
         assay_file_writer_commit (&file, 1, error);
}

/**
 * assay_npy_save:
 * @tensor: a tensor
 * @path: where to
 * @error: return location for a #GError
 *
 * Writes an array to a file as assay_npy_write() does, without a way to stop it.
 *
 * Returns: whether it is written
 */
gboolean
assay_npy_save (AssayTensor *tensor, const char *path, GError **error)
{
  return assay_npy_write (tensor, path, NULL, error);
}
