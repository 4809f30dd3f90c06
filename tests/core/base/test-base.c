/* test-base.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>
#include <math.h>

#include "base/assay-arena.h"
#include "base/assay-bf16.h"
#include "base/assay-error.h"
#include "base/assay-pointer-map.h"
#include "base/assay-sentence.h"
#include "base/assay-tensor.h"

#include "test-program.h"

static void
test_dtype_names (void)
{
  for (guint i = 1; i < ASSAY_N_DTYPES; i++)
    {
      AssayDType dtype;

      g_assert_true (assay_dtype_is_known ((int) i));
      g_assert_true (assay_dtype_from_name (assay_dtype_name (i), &dtype));
      g_assert_cmpuint (dtype, ==, i);
    }
}

/* Every bf16 survives the way to float and back, NaN becoming the canonical one. */
static void
test_bf16_round_trip (void)
{
  for (guint i = 0; i < 65536; i++)
    {
      float wide = assay_bf16_to_f32 ((guint16) i);
      guint16 back = assay_bf16_from_f32 (wide);

      g_assert_cmpuint (back, ==, isnan (wide) ? ASSAY_BF16_NAN : i);
    }
}

/* Halfway goes to even; one bit above or below halfway goes to the nearer one. */
static void
test_bf16_rounding (void)
{
  for (guint32 i = 0; i < 0x7f80; i++)
    {
      guint32 base = i << 16;
      guint even = (i & 1) != 0 ? i + 1 : i;

      g_assert_cmpuint (assay_bf16_from_f32 (assay_f32_from_bits (base | 0x8000)), ==, even);
      g_assert_cmpuint (assay_bf16_from_f32 (assay_f32_from_bits (base | 0x7fff)), ==, i);
      g_assert_cmpuint (assay_bf16_from_f32 (assay_f32_from_bits (base | 0x8001)), ==, i + 1);
    }
}

static void
test_f16_round_trip (void)
{
  for (guint i = 0; i < 65536; i++)
    {
      float wide = assay_f16_to_f32 ((guint16) i);

      if (!isnan (wide))
        g_assert_cmpuint (assay_f16_from_f32 (wide), ==, i);
    }

  g_assert_cmpuint (assay_f16_from_f32 (65520.0f), ==, 0x7c00);
  g_assert_cmpuint (assay_f16_from_f32 (65519.9f), ==, 0x7bff);
  g_assert_cmpuint (assay_f16_from_f32 (0x1p-25f), ==, 0);
  g_assert_cmpuint (assay_f16_from_f32 (0x1.8p-25f), ==, 1);
}

static void
test_arena (void)
{
  g_autoptr (AssayArena) arena = assay_arena_new ();
  const char *first = assay_arena_intern (arena, "conv1");
  guint8 *large = assay_arena_alloc (arena, 1000000);

  g_assert_true (first == assay_arena_intern_n (arena, "conv1/relu", 5));
  g_assert_true (first != assay_arena_intern (arena, "conv2"));
  g_assert_true (first == assay_arena_intern (arena, first));

  /* Of every length, and other than each that differs in one character; a text that changes at its
   * place is another one. */
  for (gsize length = 0; length <= 24; length++)
    {
      char text[25] = { 0 };
      const char *plain;

      memset (text, 'a', length);
      plain = assay_arena_intern (arena, text);
      g_assert_cmpstr (plain, ==, text);
      for (gsize at = 0; at < length; at++)
        {
          const char *other;

          text[at] = 'b';
          other = assay_arena_intern (arena, text);
          g_assert_cmpstr (other, ==, text);
          g_assert_true (other != plain);
          g_assert_true (other == assay_arena_intern (arena, other));
          text[at] = 'a';
        }
      g_assert_true (plain == assay_arena_intern (arena, text));
    }
  for (guint i = 0; i < 1000000; i++)
    g_assert_cmpuint (large[i], ==, 0);
  for (guint i = 1; i < 1000; i++)
    g_assert_cmpuint ((guintptr) assay_arena_alloc (arena, i) % 16, ==, 0);
}

/* What pointers mean, as a table of GLib has it, while keys are added, changed and given up. */
static void
test_pointer_map (void)
{
  g_auto (AssayPointerMap) map = { NULL };
  g_autoptr (GHashTable) table = g_hash_table_new (NULL, NULL);
  static const char keys[16 * 200];

  for (guint i = 0; i < 4000; i++)
    {
      gconstpointer key = &keys[16 * g_test_rand_int_range (0, i < 20 ? 7 : 200)];
      gpointer value = GUINT_TO_POINTER (g_test_rand_int_range (0, 4));

      assay_pointer_map_insert (&map, key, value);
      g_hash_table_insert (table, (gpointer) key, value);
      g_assert_cmpuint (map.n, ==, g_hash_table_size (table));
      g_assert_true ((map.many == NULL) == (map.n <= ASSAY_POINTER_MAP_FEW / 2));
      for (guint j = 0; j < 200; j++)
        g_assert_true (assay_pointer_map_lookup (&map, &keys[16 * j]) ==
                       g_hash_table_lookup (table, &keys[16 * j]));
    }
  g_assert_cmpuint (map.n, ==, 200);

  assay_pointer_map_clear (&map);
  g_assert_null (assay_pointer_map_lookup (&map, &keys[0]));
  g_assert_cmpuint (map.n, ==, 0);
}

static void
test_tensor_sizes (void)
{
  const gint64 huge[] = { G_MAXINT64, 16 };
  const gint64 empty[] = { G_MAXINT64, 0 };
  const gint64 dims[] = { 2, 3 };
  g_autoptr (GBytes) bytes = g_bytes_new_static ("\1\0\0\0\0\0\0\0", 8);
  g_autoptr (GBytes) nothing = g_bytes_new_static ("", 0);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayTensor) tensor = NULL;

  g_assert_null (assay_tensor_new (ASSAY_DTYPE_F32, 2, huge, bytes, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
  g_clear_error (&error);

  g_assert_null (assay_tensor_new (ASSAY_DTYPE_F32, 2, dims, bytes, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
  g_clear_error (&error);

  tensor = assay_tensor_new (ASSAY_DTYPE_F32, 2, empty, nothing, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (assay_tensor_get_n_elements (tensor), ==, 0);
}

static void
check_element (AssayDType dtype, const char *data, gsize size, gsize index, double expected)
{
  gint64 n = (gint64) (size * 8 / assay_dtype_bits (dtype));
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayTensor) tensor = assay_tensor_new (dtype, 1, &n, bytes, &error);
  double value = 0;

  g_assert_no_error (error);
  g_assert_true (assay_tensor_get_element (tensor, index, &value, &error));
  if (isnan (expected))
    g_assert_true (isnan (value));
  else
    g_assert_cmpfloat (value, ==, expected);
}

/* Values from the tables of "FP8 Formats for Deep Learning" and the OCP MX specification. */
static void
test_tensor_elements (void)
{
  check_element (ASSAY_DTYPE_F8E4M3FN, "\x7e", 1, 0, 448);
  check_element (ASSAY_DTYPE_F8E4M3FN, "\x7f", 1, 0, NAN);
  check_element (ASSAY_DTYPE_F8E4M3FN, "\x01", 1, 0, 0x1p-9);
  check_element (ASSAY_DTYPE_F8E4M3FNUZ, "\x80", 1, 0, NAN);
  check_element (ASSAY_DTYPE_F8E4M3FNUZ, "\x7f", 1, 0, 240);
  check_element (ASSAY_DTYPE_F8E5M2, "\x7b", 1, 0, 57344);
  check_element (ASSAY_DTYPE_F8E5M2, "\xfc", 1, 0, -INFINITY);
  check_element (ASSAY_DTYPE_F8E5M2FNUZ, "\x7f", 1, 0, 57344);
  check_element (ASSAY_DTYPE_F8E8M0, "\x7f", 1, 0, 1);
  check_element (ASSAY_DTYPE_F4E2M1, "\x79", 1, 0, -0.5);
  check_element (ASSAY_DTYPE_F4E2M1, "\x79", 1, 1, 6);
  check_element (ASSAY_DTYPE_I4, "\x8f", 1, 0, -1);
  check_element (ASSAY_DTYPE_I4, "\x8f", 1, 1, -8);
  check_element (ASSAY_DTYPE_U4, "\x8f", 1, 1, 8);
  check_element (ASSAY_DTYPE_I64, "\xfe\xff\xff\xff\xff\xff\xff\xff", 8, 0, -2);
  check_element (ASSAY_DTYPE_BF16, "\x80\x3f", 2, 0, 1);
}

/* What stands alone begins with a capital, unless with a name, which stays as it is. */
static void
test_sentence (void)
{
  g_autofree char *quoted = NULL;
  static const char *const shown[][2] = {
    { "it needs 3502 entries, it has 1024", "it needs 3\u202f502 entries, it has 1\u202f024" },
    { "(4096 of 12345678).", "(4\u202f096 of 12\u202f345\u202f678)." },
    { "4096", "4\u202f096" },
    { "no `node 1024`: 1024 of 4096: none",
      "no \u201cnode 1024\u201d: 1\u202f024 of 4\u202f096: none" },
    { "x:8080, v1024, 0x1000, 1024.5, 1024x4, 2026-11-28 and 99999999999999999999",
      "x:8080, v1024, 0x1000, 1024.5, 1024x4, 2026-11-28 and 99999999999999999999" },
  };
  static const char *const cases[][2] = {
    { "the file says that x is f32", "The file says that x is f32" },
    { "nothing reads it", "Nothing reads it" },
    { "Resize has no form", "Resize has no form" },
    { "conv1 is not read", "conv1 is not read" },
    { "model/relu: twice", "model/relu: twice" },
    { "\u201cx\u201d is f32", "\u201cx\u201d is f32" },
    { "", "" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *line = assay_sentence_new (cases[i][0]);

      g_assert_cmpstr (line, ==, cases[i][1]);
    }
  g_assert_cmpstr (assay_plural (1), ==, "");
  g_assert_cmpstr (assay_plural (0), ==, "s");
  g_assert_cmpstr (assay_plural_of ("1"), ==, "");
  g_assert_cmpstr (assay_plural_of ("1.5"), ==, "s");
  quoted = assay_sentence_dup_shown ("x; `assay check` and `--bind` help");
  g_assert_cmpstr (quoted, ==, "x; \u201cassay check\u201d and \u201c--bind\u201d help");
  for (gsize i = 0; i < G_N_ELEMENTS (shown); i++)
    {
      g_autofree char *text = assay_sentence_dup_shown (shown[i][0]);

      g_assert_cmpstr (text, ==, shown[i][1]);
    }
}

static void
test_count (void)
{
  static const struct
  {
    guint64 count;
    const char *text;
  } cases[] = {
    { 0, "0" }, { 999, "999" }, { 4000, "4\u202f000" }, { 1234567, "1\u202f234\u202f567" }
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = assay_sentence_dup_count (cases[i].count);

      g_assert_cmpstr (text, ==, cases[i].text);
    }
}

TEST_PROGRAM (base)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/base/dtype/names", test_dtype_names);
  g_test_add_func ("/base/bf16/round-trip", test_bf16_round_trip);
  g_test_add_func ("/base/bf16/rounding", test_bf16_rounding);
  g_test_add_func ("/base/f16/round-trip", test_f16_round_trip);
  g_test_add_func ("/base/arena", test_arena);
  g_test_add_func ("/base/pointer-map", test_pointer_map);
  g_test_add_func ("/base/tensor/sizes", test_tensor_sizes);
  g_test_add_func ("/base/tensor/elements", test_tensor_elements);
  g_test_add_func ("/base/sentence", test_sentence);
  g_test_add_func ("/base/count", test_count);

  return g_test_run ();
}
