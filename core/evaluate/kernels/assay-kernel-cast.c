/* assay-kernel-cast.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/kernels/assay-kernel-copy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/assay-bf16.h"
#include "base/assay-small-float.h"

#define GRAIN 8192

typedef struct
{
  const AssayDatum *x;
  AssayDatum *y;
  gboolean saturate;
  AssayRounding rounding;
} Cast;

#define LOOP(type, expression)                                                                     \
  {                                                                                                \
    type *to = cast->y->data;                                                                      \
    for (gsize i = begin; i < end; i++)                                                            \
      to[i] = (type) (expression);                                                                 \
    break;                                                                                         \
  }

/* The cases of one source type: to every storage type, and to booleans. */
#define TO_INTEGER(storage, type)                                                                  \
  case ASSAY_DTYPE_##storage:                                                                      \
    LOOP (type, INTEGER (from[i]))

#define CAST_BODY(source)                                                                          \
  const Cast *cast = data;                                                                         \
  const source *from = cast->x->data;                                                              \
  switch (cast->y->storage)                                                                        \
    {                                                                                              \
      TO_INTEGER (I8, gint8)                                                                       \
      TO_INTEGER (I16, gint16)                                                                     \
      TO_INTEGER (I32, gint32)                                                                     \
      TO_INTEGER (I64, gint64)                                                                     \
      TO_INTEGER (U8, guint8)                                                                      \
      TO_INTEGER (U16, guint16)                                                                    \
      TO_INTEGER (U32, guint32)                                                                    \
      TO_INTEGER (U64, guint64)                                                                    \
    case ASSAY_DTYPE_F32:                                                                          \
      LOOP (float, from[i])                                                                        \
    case ASSAY_DTYPE_F64:                                                                          \
      LOOP (double, from[i])                                                                       \
    case ASSAY_DTYPE_BOOL:                                                                         \
      LOOP (guint8, from[i] != 0)                                                                  \
    default:                                                                                       \
      g_assert_not_reached ();                                                                     \
    }

#define CAST_FUNCTION(storage, type)                                                               \
  static void cast_##storage (gpointer data, gsize begin, gsize end)                               \
  {                                                                                                \
    CAST_BODY (type)                                                                               \
  }

#define INTEGER(value) assay_kernel_integer (value)
ASSAY_KERNEL_FLOAT_TYPES (CAST_FUNCTION)
#undef INTEGER
#define INTEGER(value) (value)
ASSAY_KERNEL_INTEGER_TYPES (CAST_FUNCTION)
CAST_FUNCTION (BOOL, guint8)
#undef INTEGER

static const AssayWorkFunc casts[ASSAY_N_DTYPES] = {
#define ROW(storage, type) [ASSAY_DTYPE_##storage] = cast_##storage,
  ASSAY_KERNEL_NUMBER_TYPES (ROW)
#undef ROW
      [ASSAY_DTYPE_BOOL] = cast_BOOL,
};

/* To a type of 16 bits or fewer, rounded once. */
static void
cast_small (gpointer data, gsize begin, gsize end)
{
  const Cast *cast = data;
  AssayDType dtype = cast->y->dtype;
  gboolean single = cast->x->storage == ASSAY_DTYPE_F32 && cast->y->storage == ASSAY_DTYPE_F32;
  const float *from = cast->x->data;
  float *to = cast->y->data;

  for (gsize i = begin; i < end; i++)
    {
      if (single && dtype == ASSAY_DTYPE_F16)
        to[i] = assay_f16_to_f32 (assay_f16_from_f32 (from[i]));
      else if (single && dtype == ASSAY_DTYPE_BF16)
        to[i] = assay_bf16_to_f32 (assay_bf16_from_f32 (from[i]));
      else
        assay_datum_set_number (cast->y, i,
                                assay_small_float_round (dtype, assay_datum_get_number (cast->x, i),
                                                         cast->saturate, cast->rounding));
    }
}

/* Integers of 4 and 2 bits keep the lowest bits. */
static void
wrap_small (AssayDatum *y)
{
  gint8 *elements = y->data;
  gint mask = (1 << assay_dtype_bits (y->dtype)) - 1;
  gint sign = y->storage == ASSAY_DTYPE_I8 ? (mask + 1) / 2 : 0;

  for (gsize i = 0; i < y->n; i++)
    elements[i] = (gint8) (((elements[i] & mask) ^ sign) - sign);
}

/* A number in the fewest digits that lead back to it, without an exponent where that stays short.
 */
static char *
number_to_string (double value, AssayDType dtype)
{
  char text[40];
  char *mantissa;
  int exponent;
  GString *plain;
  gsize digits;

  if (isnan (value))
    return g_strdup ("NaN");
  if (isinf (value))
    return g_strdup (value > 0 ? "INF" : "-INF");

  for (int precision = 0; precision < 17; precision++)
    {
      double back;

      g_snprintf (text, sizeof text, "%.*e", precision, value);
      back = g_ascii_strtod (text, NULL);
      if (dtype == ASSAY_DTYPE_F32 && (double) (float) value == value)
        back = (float) back;
      else if (assay_small_float_is (dtype))
        back = assay_small_float_round (dtype, back, FALSE, ASSAY_ROUNDING_NEAREST);
      if (back == value)
        break;
    }

  mantissa = strchr (text, 'e');
  exponent = atoi (mantissa + 1);
  *mantissa = '\0';
  if (exponent < -4 || exponent >= 16)
    return g_strdup_printf ("%se%c%02d", text, exponent < 0 ? '-' : '+', ABS (exponent));

  plain = g_string_new (NULL);
  for (const char *c = text; *c != '\0'; c++)
    if (g_ascii_isdigit (*c))
      g_string_append_c (plain, *c);
  for (; exponent < 0; exponent++)
    g_string_prepend_c (plain, '0');
  digits = (gsize) exponent + 1;
  while (plain->len < digits + 1)
    g_string_append_c (plain, '0');
  g_string_insert_c (plain, (gssize) digits, '.');
  if (signbit (value))
    g_string_prepend_c (plain, '-');

  return g_string_free (plain, FALSE);
}

static void
cast_to_strings (Cast *cast)
{
  GBytes **strings = cast->y->data;
  AssayDType storage = cast->x->storage;

  for (gsize i = 0; i < cast->y->n; i++)
    {
      char *text;

      if (storage == ASSAY_DTYPE_BOOL)
        text = g_strdup (((const guint8 *) cast->x->data)[i] != 0 ? "True" : "False");
      else if (storage == ASSAY_DTYPE_U64)
        text = g_strdup_printf ("%" G_GUINT64_FORMAT, ((const guint64 *) cast->x->data)[i]);
      else if (assay_dtype_is_integer (storage))
        text = g_strdup_printf ("%" G_GINT64_FORMAT, assay_datum_get_integer (cast->x, i));
      else
        text = number_to_string (assay_datum_get_number (cast->x, i), cast->x->dtype);
      strings[i] = g_bytes_new_take (text, strlen (text));
    }
}

/* Reads NaN, INF, +INF and -INF in any case, as the C library does; integers are read exactly. */
static gboolean
cast_from_strings (AssayKernel *self, Cast *cast, GError **error)
{
  GBytes *const *strings = cast->x->data;

  for (gsize i = 0; i < cast->x->n; i++)
    {
      gsize length;
      const char *data = g_bytes_get_data (strings[i], &length);
      g_autofree char *text = g_strstrip (g_strndup (length > 0 ? data : "", length));
      char *end;
      double value = g_ascii_strtod (text, &end);
      gint64 integer = assay_kernel_integer (value);

      if (end == text || *end != '\0')
        return assay_kernel_fail (
            self, error, "element %" G_GSIZE_FORMAT " is “%s”, which is no number", i, text);

      if (text[strspn (text, "+-0123456789")] == '\0')
        integer = text[0] == '-' ? g_ascii_strtoll (text, NULL, 10)
                                 : (gint64) g_ascii_strtoull (text, NULL, 10);
      switch (cast->y->storage)
        {
#define ROW(storage, type)                                                                         \
  case ASSAY_DTYPE_##storage:                                                                      \
    ((type *) cast->y->data)[i] = (type) integer;                                                  \
    break;
          ASSAY_KERNEL_INTEGER_TYPES (ROW)
#undef ROW
        default:
          if (assay_small_float_is (cast->y->dtype))
            value = assay_small_float_round (cast->y->dtype, value, cast->saturate, cast->rounding);
          assay_datum_set_number (cast->y, i,
                                  cast->y->dtype == ASSAY_DTYPE_BOOL ? value != 0 : value);
          break;
        }
    }

  return TRUE;
}

static gboolean
cast_to (AssayKernel *self, AssayDType dtype, GError **error)
{
  static const char *const modes[] = { "nearest", "up", "down" };
  AssayDatum *x = assay_kernel_input (self, 0);
  const char *mode = assay_node_get_string (self->node, "round_mode");
  Cast cast = { .x = x, .saturate = assay_node_get_int (self->node, "saturate") != 0 };
  guint rounding = 0;

  if (dtype == x->dtype)
    {
      assay_kernel_take (self, 0, assay_datum_ref (x));
      return TRUE;
    }
  if (x->dtype != ASSAY_DTYPE_STRING && casts[x->storage] == NULL)
    return assay_kernel_fail_type (self, 0, error);

  /* Only powers of two are rounded as the attribute says; others do not read it. A CastLike takes
   * another word for the usual one. */
  while (dtype == ASSAY_DTYPE_F8E8M0 && rounding < G_N_ELEMENTS (modes) &&
         !g_str_equal (mode, modes[rounding]))
    rounding++;
  cast.rounding = (AssayRounding) (rounding < G_N_ELEMENTS (modes) ? rounding : 1);

  cast.y = assay_kernel_output (self, 0, dtype, x->rank, x->dims, error);
  if (cast.y == NULL)
    return FALSE;

  if (dtype == ASSAY_DTYPE_STRING)
    {
      cast_to_strings (&cast);
      return TRUE;
    }
  if (casts[cast.y->storage] == NULL)
    return assay_kernel_fail (self, error, "nothing can be cast to the type %s",
                              assay_dtype_name (dtype));

  if (x->dtype == ASSAY_DTYPE_STRING)
    {
      if (!cast_from_strings (self, &cast, error))
        return FALSE;
    }
  else
    {
      assay_kernel_parallel (self, x->n, GRAIN,
                             assay_small_float_is (dtype) ? cast_small : casts[x->storage], &cast);
    }

  if (assay_dtype_is_integer (dtype) && assay_dtype_bits (dtype) < 8)
    wrap_small (cast.y);

  return TRUE;
}

G_STATIC_ASSERT (ASSAY_ROUNDING_NEAREST == 0 && ASSAY_ROUNDING_UP == 1 && ASSAY_ROUNDING_DOWN == 2);

gboolean
assay_kernel_op_cast (AssayKernel *self, GError **error)
{
  AssayDType dtype;

  return assay_kernel_dtype_attr (self, "to", ASSAY_DTYPE_UNDEFINED, &dtype, error) &&
         cast_to (self, dtype, error);
}

/* The same bits as another type of the same width; numbers that are carried wider are packed first.
 */
gboolean
assay_kernel_op_bit_cast (AssayKernel *self, GError **error)
{
  AssayDatum *x = self->inputs[0];
  gboolean wide = x->dtype != x->storage && assay_dtype_bits (x->storage) == 64;
  g_autoptr (AssayTensor) packed = NULL;
  g_autoptr (AssayTensor) other = NULL;
  g_autoptr (GBytes) bytes = NULL;
  AssayDatum *y;
  AssayDType dtype;

  if (!assay_kernel_dtype_attr (self, "to", ASSAY_DTYPE_UNDEFINED, &dtype, error))
    return FALSE;
  if (assay_dtype_bits (dtype) != assay_dtype_bits (x->dtype) || assay_dtype_bits (dtype) == 0)
    return assay_kernel_fail (self, error, "%s has other bits than %s", assay_dtype_name (dtype),
                              assay_dtype_name (x->dtype));

  packed = assay_datum_to_tensor (x, FALSE, error);
  bytes = packed == NULL ? NULL : assay_tensor_dup_bytes (packed, error);
  other = bytes == NULL ? NULL : assay_tensor_new (dtype, x->rank, x->dims, bytes, error);
  y = other == NULL ? NULL : assay_datum_new_tensor (other, wide, error);
  if (y == NULL)
    return FALSE;

  assay_kernel_take (self, 0, y);

  return TRUE;
}

gboolean
assay_kernel_op_cast_like (AssayKernel *self, GError **error)
{
  return cast_to (self, assay_kernel_input (self, 1)->dtype, error);
}
