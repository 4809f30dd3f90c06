/* test-op-table.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "nnir/assay-op.h"

#include "test-program.h"

static void
test_rows (void)
{
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint op = 0; op < ASSAY_N_OPS; op++)
    {
      const AssayOpInfo *info = assay_op_get_info ((AssayOp) op);
      char *key = g_strdup_printf ("%s::%s", info->domain, info->name);

      g_test_message ("%s", key);
      g_assert_true (g_hash_table_add (names, key));
      g_assert_cmpuint (strlen (info->doc), >=, 10);
      g_assert_cmpuint (strlen (info->doc), <=, 100);
      g_assert_true (g_ascii_isupper (info->doc[0]));
      g_assert_false (g_str_has_suffix (info->doc, "."));
      g_assert_cmpuint (info->min_inputs, <=, info->max_inputs);
      g_assert_cmpuint (info->min_outputs, <=, info->max_outputs);
      g_assert_cmpuint (info->since, <=, 27);
      g_assert_cmpuint (info->category, <, ASSAY_N_CATEGORIES);
      g_assert_nonnull (assay_op_category_name (info->category));
      if (op != ASSAY_OP_OPAQUE)
        g_assert_cmpuint (assay_op_lookup (info->domain, info->name), ==, op);
    }
}

static void
test_attributes (void)
{
  for (guint op = 0; op < ASSAY_N_OPS; op++)
    {
      for (const AssayAttrSpec *spec = assay_op_get_info ((AssayOp) op)->attrs; spec->name != NULL;
           spec++)
        {
          g_test_message ("%s %s", assay_op_name ((AssayOp) op), spec->name);
          g_assert_true (assay_op_find_attr ((AssayOp) op, spec->name) == spec);
          g_assert_cmpint (spec->kind, !=, ASSAY_ATTR_NONE);
          g_assert_false (spec->required && spec->has_default);
          if (spec->has_default)
            g_assert_true (spec->kind == ASSAY_ATTR_INT || spec->kind == ASSAY_ATTR_FLOAT ||
                           spec->kind == ASSAY_ATTR_STRING);
          if (spec->has_default && spec->kind == ASSAY_ATTR_STRING)
            g_assert_nonnull (spec->s);
        }
    }
}

/* Rows whose form changed late in the changelog of ONNX, as it states them. */
static void
test_newest_forms (void)
{
  static const struct
  {
    AssayOp op;
    guint since;
    guint min_inputs;
    guint max_inputs;
    const char *attribute; /* that the newest form has */
    const char *gone;      /* that it no longer has */
  } forms[] = {
    { ASSAY_OP_AveragePool, 22, 1, 1, "dilations", NULL },
    { ASSAY_OP_Cast, 25, 1, 1, "round_mode", NULL },
    { ASSAY_OP_CastLike, 25, 2, 2, "saturate", NULL },
    { ASSAY_OP_DFT, 20, 1, 3, "onesided", "axis" },
    { ASSAY_OP_DequantizeLinear, 25, 2, 3, "output_dtype", NULL },
    { ASSAY_OP_GroupNormalization, 21, 3, 3, "stash_type", NULL },
    { ASSAY_OP_LSTM, 22, 3, 8, "layout", NULL },
    { ASSAY_OP_OptionalHasElement, 18, 0, 1, NULL, NULL },
    { ASSAY_OP_Pad, 25, 2, 4, "mode", "value" },
    { ASSAY_OP_QuantizeLinear, 25, 2, 3, "block_size", NULL },
    { ASSAY_OP_Range, 27, 3, 3, "stash_type", NULL },
    { ASSAY_OP_ReduceMax, 20, 1, 2, "noop_with_empty_axes", "axes" },
    { ASSAY_OP_Reshape, 25, 2, 2, "allowzero", "shape" },
    { ASSAY_OP_Resize, 19, 1, 4, "antialias", NULL },
    { ASSAY_OP_Shape, 25, 1, 1, "start", NULL },
    { ASSAY_OP_Split, 18, 1, 2, "num_outputs", "split" },
    { ASSAY_OP_TensorScatter, 24, 2, 3, "mode", NULL },
    { ASSAY_OP_LabelEncoder, 4, 1, 1, "values_tensor", "classes_strings" },
    { ASSAY_OP_TreeEnsemble, 5, 1, 1, "leaf_weights", NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (forms); i++)
    {
      const AssayOpInfo *info = assay_op_get_info (forms[i].op);

      g_test_message ("%s", info->name);
      g_assert_cmpuint (info->since, ==, forms[i].since);
      g_assert_cmpuint (info->min_inputs, ==, forms[i].min_inputs);
      g_assert_cmpuint (info->max_inputs, ==, forms[i].max_inputs);
      if (forms[i].attribute != NULL)
        g_assert_nonnull (assay_op_find_attr (forms[i].op, forms[i].attribute));
      if (forms[i].gone != NULL)
        g_assert_null (assay_op_find_attr (forms[i].op, forms[i].gone));
    }
}

static void
test_lookup (void)
{
  g_assert_cmpint (assay_op_lookup ("ai.onnx", "Conv"), ==, ASSAY_OP_Conv);
  g_assert_cmpint (assay_op_lookup (NULL, "Conv"), ==, ASSAY_OP_Conv);
  g_assert_cmpint (assay_op_lookup ("com.example", "Conv"), ==, ASSAY_OP_OPAQUE);
  g_assert_cmpint (assay_op_lookup ("", "Scaler"), ==, ASSAY_OP_OPAQUE);
  g_assert_cmpint (assay_op_lookup ("", ""), ==, ASSAY_OP_OPAQUE);
}

TEST_PROGRAM (op_table)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/op-table/rows/complete", test_rows);
  g_test_add_func ("/op-table/attributes/consistent", test_attributes);
  g_test_add_func ("/op-table/rows/newest-forms", test_newest_forms);
  g_test_add_func ("/op-table/lookup/domains", test_lookup);

  return g_test_run ();
}
