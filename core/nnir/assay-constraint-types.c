/* assay-constraint-types.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/assay-constraint-private.h"

#include <string.h>

static const char *const types[ASSAY_N_OPS] = {
#define TYPES(id, letters) [ASSAY_OP_##id] = letters,
#include "nnir/types.def"
#undef TYPES
};

/* Whether types.def has a row. */
gboolean
assay_op_has_types (AssayOp op)
{
  return types[op] != NULL;
}

/* The types that a small letter stands for. */
static gboolean
is_letter_type (char letter, AssayDType dtype)
{
  static const struct
  {
    char letter;
    AssayDType dtype;
  } rows[] = {
    { 'l', ASSAY_DTYPE_I64 },    { 'i', ASSAY_DTYPE_I32 }, { 'n', ASSAY_DTYPE_I64 },
    { 'n', ASSAY_DTYPE_I32 },    { 'f', ASSAY_DTYPE_F32 }, { 'b', ASSAY_DTYPE_BOOL },
    { 's', ASSAY_DTYPE_STRING }, { 'm', ASSAY_DTYPE_F32 }, { 'm', ASSAY_DTYPE_F64 },
    { 'm', ASSAY_DTYPE_I64 },    { 'm', ASSAY_DTYPE_I32 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (rows[i].letter == letter && rows[i].dtype == dtype)
      return TRUE;

  return letter == 'r' && assay_dtype_is_float (dtype) && assay_dtype_bits (dtype) >= 16;
}

static const char *
letter_name (char letter)
{
  return letter == 'l'   ? "i64"
         : letter == 'r' ? "a floating point type"
         : letter == 'm' ? "f32, f64, i64 or i32"
         : letter == 'i' ? "i32"
         : letter == 'n' ? "i64 or i32"
         : letter == 'f' ? "f32"
         : letter == 'b' ? "bool"
                         : "string";
}

/* The element types of the inputs, as `types.def` has them. */
gboolean
assay_node_check_types (const AssayNode *node, const AssayNodeInput *operands, guint n,
                        AssayViolation *violation)
{
  const char *letters = types[node->op];
  guint first[26] = { 0 };
  gsize n_letters = letters != NULL ? strlen (letters) : 0;

  for (guint i = 0; i < n && letters != NULL; i++)
    {
      char letter = letters[MIN (i, n_letters - 1)];
      AssayDType dtype = operands[i].dtype;
      guint *other;

      if (dtype == ASSAY_DTYPE_UNDEFINED || letter == '.' ||
          (i >= n_letters &&
           (assay_op_get_info (node->op)->traits & ASSAY_OP_TRAIT_VARIADIC_IN) == 0))
        continue;
      if (g_ascii_islower (letter) && !is_letter_type (letter, dtype))
        return assay_violation_set (violation, "infer.type", NULL,
                                    "input %u is of type %s, expected %s", i,
                                    assay_dtype_name (dtype), letter_name (letter));
      if (g_ascii_islower (letter))
        continue;

      other = &first[letter - 'A'];
      if (*other == 0)
        *other = i + 1;
      else if (operands[*other - 1].dtype != dtype)
        return assay_violation_set (
            violation, "infer.type", NULL, "input %u is of type %s, expected %s as input %u is", i,
            assay_dtype_name (dtype), assay_dtype_name (operands[*other - 1].dtype), *other - 1);
    }

  return TRUE;
}
