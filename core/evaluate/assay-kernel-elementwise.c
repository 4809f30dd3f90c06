/* assay-kernel-elementwise.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/assay-kernel.h"

/* One loop per storage type; the compiler makes vectors of the case in which every operand is packed. */
#define UNARY_LOOP(name, type, expression) \
  static void \
  name##_##type (gpointer      data, \
                 gsize         n, \
                 const gssize *offsets, \
                 const gssize *strides) \
  { \
    AssayDatum **operands = data; \
    type *to = (type *) operands[0]->data + offsets[0]; \
    const type *from = (const type *) operands[1]->data + offsets[1]; \
    for (gsize i = 0; i < n; i++) \
      { \
        type a = from[i]; \
        to[i] = (type) (expression); \
      } \
  }

#define BINARY_LOOP(name, type, expression) \
  static void \
  name##_##type (gpointer      data, \
                 gsize         n, \
                 const gssize *offsets, \
                 const gssize *strides) \
  { \
    AssayDatum **operands = data; \
    type *to = (type *) operands[0]->data + offsets[0]; \
    const type *left = (const type *) operands[1]->data + offsets[1]; \
    const type *right = (const type *) operands[2]->data + offsets[2]; \
    gssize step_left = strides[1], step_right = strides[2]; \
    if (step_left == 1 && step_right == 1) \
      for (gsize i = 0; i < n; i++) \
        { \
          type a = left[i], b = right[i]; \
          to[i] = (type) (expression); \
        } \
    else \
      for (gsize i = 0; i < n; i++) \
        { \
          type a = left[(gssize) i * step_left], b = right[(gssize) i * step_right]; \
          to[i] = (type) (expression); \
        } \
  }

/* A function for each storage type that an operation takes. */
typedef struct
{
  AssayDType storage;
  AssayWalkFunc func;
} LoopRow;

static AssayWalkFunc
find_loop (const LoopRow *rows,
           gsize          n,
           AssayDType     storage)
{
  for (gsize i = 0; i < n; i++)
    {
      if (rows[i].storage == storage)
        return rows[i].func;
    }

  return NULL;
}

static gboolean
run_binary (AssayKernel    *self,
            AssayWalkFunc   func,
            GError        **error)
{
  gint64 dims[ASSAY_MAX_RANK];
  AssayDatum *operands[3] = { NULL, self->inputs[0], self->inputs[1] };
  AssayWalk walk;
  guint rank;

  if (func == NULL)
    return assay_kernel_fail_type (self, 0, error);
  if (!assay_kernel_expect_same (self, error) || !assay_walk_broadcast_dims (2, self->inputs, &rank, dims, error))
    return FALSE;

  operands[0] = assay_kernel_output (self, 0, self->inputs[0]->dtype, rank, dims, error);
  if (operands[0] == NULL)
    return FALSE;

  assay_walk_init (&walk, rank, dims);
  for (guint i = 0; i < 3; i++)
    assay_walk_add_broadcast (&walk, operands[i]);
  assay_walk_merge (&walk);
  assay_kernel_walk (self, &walk, func, operands);

  return TRUE;
}

#define ADD_LOOP(storage, type) BINARY_LOOP (add, type, a + b)
#define ADD_ROW(storage, type) { ASSAY_DTYPE_##storage, add_##type },
ASSAY_KERNEL_NUMBER_TYPES (ADD_LOOP)
static const LoopRow add_rows[] = { ASSAY_KERNEL_NUMBER_TYPES (ADD_ROW) };

gboolean
assay_kernel_op_add (AssayKernel *self,
                     GError     **error)
{
  return run_binary (self, find_loop (add_rows, G_N_ELEMENTS (add_rows), self->inputs[0]->storage), error);
}

#define RELU_LOOP(storage, type) UNARY_LOOP (relu, type, a < 0 ? 0 : a)
#define RELU_ROW(storage, type) { ASSAY_DTYPE_##storage, relu_##type },
ASSAY_KERNEL_FLOAT_TYPES (RELU_LOOP)
ASSAY_KERNEL_SIGNED_TYPES (RELU_LOOP)
static const LoopRow relu_rows[] = { ASSAY_KERNEL_FLOAT_TYPES (RELU_ROW) ASSAY_KERNEL_SIGNED_TYPES (RELU_ROW) };

gboolean
assay_kernel_op_relu (AssayKernel *self,
                      GError     **error)
{
  AssayWalkFunc func = find_loop (relu_rows, G_N_ELEMENTS (relu_rows), self->inputs[0]->storage);
  AssayDatum *operands[2] = { NULL, self->inputs[0] };
  gint64 n = (gint64) self->inputs[0]->n;
  gssize packed = 1;
  AssayWalk walk;

  if (func == NULL)
    return assay_kernel_fail_type (self, 0, error);

  operands[0] = assay_kernel_output_like (self, 0, 0, error);
  if (operands[0] == NULL)
    return FALSE;

  assay_walk_init (&walk, 1, &n);
  assay_walk_add (&walk, 0, &packed);
  assay_walk_add (&walk, 0, &packed);
  assay_kernel_walk (self, &walk, func, operands);

  return TRUE;
}
