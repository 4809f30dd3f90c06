/* assay-op.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/assay-op.h"

#include <string.h>

#define MANY G_MAXUINT16

#define A_INT(name, value)                                                                         \
  {                                                                                                \
    name, ASSAY_ATTR_INT, FALSE, TRUE, value, 0, NULL                                              \
  }
#define A_FLOAT(name, value)                                                                       \
  {                                                                                                \
    name, ASSAY_ATTR_FLOAT, FALSE, TRUE, 0, value, NULL                                            \
  }
#define A_STRING(name, value)                                                                      \
  {                                                                                                \
    name, ASSAY_ATTR_STRING, FALSE, TRUE, 0, 0, value                                              \
  }
#define A_OPTIONAL(name, kind)                                                                     \
  {                                                                                                \
    name, ASSAY_ATTR_##kind, FALSE, FALSE, 0, 0, NULL                                              \
  }
#define A_REQUIRED(name, kind)                                                                     \
  {                                                                                                \
    name, ASSAY_ATTR_##kind, TRUE, FALSE, 0, 0, NULL                                               \
  }
#define A_END                                                                                      \
  {                                                                                                \
    NULL, ASSAY_ATTR_NONE, FALSE, FALSE, 0, 0, NULL                                                \
  }

#define OP(id, domain, since, category, min_in, max_in, min_out, max_out, traits, shape, doc, ...) \
  static const AssayAttrSpec attrs_##id[] = { __VA_ARGS__ };
#include "nnir/ops.def"
#undef OP

static const AssayAttrSpec no_attrs[] = { A_END };

#define T_NONE ASSAY_OP_TRAIT_NONE
#define T_RANDOM ASSAY_OP_TRAIT_RANDOM
#define T_COMMUTATIVE ASSAY_OP_TRAIT_COMMUTATIVE
#define T_BROADCAST ASSAY_OP_TRAIT_BROADCAST
#define T_UNARY_MAP ASSAY_OP_TRAIT_UNARY_MAP
#define T_VIEW ASSAY_OP_TRAIT_VIEW
#define T_REGIONS ASSAY_OP_TRAIT_REGIONS
#define T_VARIADIC_IN ASSAY_OP_TRAIT_VARIADIC_IN
#define T_VARIADIC_OUT ASSAY_OP_TRAIT_VARIADIC_OUT
#define T_FUNCTION ASSAY_OP_TRAIT_FUNCTION
#define T_DEPRECATED ASSAY_OP_TRAIT_DEPRECATED
#define T_TRAINING ASSAY_OP_TRAIT_TRAINING

/* clang-format off */
static const AssayOpInfo infos[] = {
  [ASSAY_OP_OPAQUE] = {
    "Opaque", "", 0, 0, MANY, 0, MANY, ASSAY_CATEGORY_OPAQUE, T_VARIADIC_IN | T_VARIADIC_OUT,
    no_attrs, "An operator that no row names; it keeps its ONNX type, domain and attributes",
  },
#define OP(id, domain, since, category, min_in, max_in, min_out, max_out, traits, shape, doc, ...) \
  [ASSAY_OP_##id] = { \
    #id, domain, since, min_in, max_in, min_out, max_out, ASSAY_CATEGORY_##category, \
    (AssayOpTraits) (traits), attrs_##id, doc \
  },
#include "nnir/ops.def"
#undef OP
};
/* clang-format on */

G_STATIC_ASSERT (G_N_ELEMENTS (infos) == ASSAY_N_OPS);

static const char *const category_names[] = {
  [ASSAY_CATEGORY_OPAQUE] = "opaque",
  [ASSAY_CATEGORY_ELEMENTWISE] = "elementwise",
  [ASSAY_CATEGORY_ACTIVATION] = "activation",
  [ASSAY_CATEGORY_MATMUL] = "matrix product",
  [ASSAY_CATEGORY_CONVOLUTION] = "convolution",
  [ASSAY_CATEGORY_POOLING] = "pooling",
  [ASSAY_CATEGORY_NORMALIZATION] = "normalization",
  [ASSAY_CATEGORY_RECURRENT] = "recurrent",
  [ASSAY_CATEGORY_REDUCTION] = "reduction",
  [ASSAY_CATEGORY_SHAPE] = "shape",
  [ASSAY_CATEGORY_INDEXING] = "indexing",
  [ASSAY_CATEGORY_LOGIC] = "logic",
  [ASSAY_CATEGORY_CONTROL_FLOW] = "control flow",
  [ASSAY_CATEGORY_SEQUENCE] = "sequence",
  [ASSAY_CATEGORY_QUANTIZATION] = "quantization",
  [ASSAY_CATEGORY_SIGNAL] = "signal",
  [ASSAY_CATEGORY_IMAGE] = "image",
  [ASSAY_CATEGORY_TEXT] = "text",
  [ASSAY_CATEGORY_RANDOM] = "random",
  [ASSAY_CATEGORY_LOSS] = "loss",
  [ASSAY_CATEGORY_TRAINING] = "training",
  [ASSAY_CATEGORY_ML] = "classical ML",
  [ASSAY_CATEGORY_CONSTANT] = "constant",
};

G_STATIC_ASSERT (G_N_ELEMENTS (category_names) == ASSAY_N_CATEGORIES);

/**
 * assay_op_get_info:
 * @op: an operation
 *
 * Gets the row of an operation in the op table.
 *
 * Returns: (transfer none): the row
 */
const AssayOpInfo *
assay_op_get_info (AssayOp op)
{
  g_return_val_if_fail ((guint) op < ASSAY_N_OPS, &infos[ASSAY_OP_OPAQUE]);

  return &infos[op];
}

static guint
name_hash (const char *name)
{
  guint hash = 2166136261u;

  for (const char *c = name; *c != '\0'; c++)
    hash = (hash ^ (guchar) *c) * 16777619u;

  return hash;
}

/**
 * assay_op_lookup:
 * @domain: the domain; "ai.onnx" means the default one
 * @name: the ONNX operator type
 *
 * Finds the operation that an ONNX operator is, if the table has it.
 *
 * Returns: the operation, or %ASSAY_OP_OPAQUE
 */
AssayOp
assay_op_lookup (const char *domain, const char *name)
{
  static guint16 slots[1024];
  static gsize initialized = 0;

  G_STATIC_ASSERT (ASSAY_N_OPS < G_N_ELEMENTS (slots) / 2);

  /* An index over constant data, built once: not state. */
  if (g_once_init_enter (&initialized))
    {
      for (guint i = 1; i < ASSAY_N_OPS; i++)
        {
          guint slot = name_hash (infos[i].name) % G_N_ELEMENTS (slots);

          while (slots[slot] != 0)
            slot = (slot + 1) % G_N_ELEMENTS (slots);
          slots[slot] = (guint16) i;
        }
      g_once_init_leave (&initialized, 1);
    }

  if (g_strcmp0 (domain, "ai.onnx") == 0 || domain == NULL)
    domain = "";

  for (guint slot = name_hash (name) % G_N_ELEMENTS (slots); slots[slot] != 0;
       slot = (slot + 1) % G_N_ELEMENTS (slots))
    {
      const AssayOpInfo *info = &infos[slots[slot]];

      if (strcmp (info->name, name) == 0 && strcmp (info->domain, domain) == 0)
        return (AssayOp) slots[slot];
    }

  return ASSAY_OP_OPAQUE;
}

/**
 * assay_op_find_attr:
 * @op: an operation
 * @name: name of an attribute
 *
 * Finds the specification of an attribute.
 *
 * Returns: (transfer none) (nullable): the specification
 */
const AssayAttrSpec *
assay_op_find_attr (AssayOp op, const char *name)
{
  for (const AssayAttrSpec *spec = assay_op_get_info (op)->attrs; spec->name != NULL; spec++)
    {
      if (strcmp (spec->name, name) == 0)
        return spec;
    }

  return NULL;
}

/**
 * assay_op_category_name:
 * @category: a category
 *
 * Gets the name of a category as people read it.
 *
 * Returns: (transfer none): the name
 */
const char *
assay_op_category_name (AssayOpCategory category)
{
  return category_names[category];
}
