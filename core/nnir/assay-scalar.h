/* assay-scalar.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/assay-type.h"

G_BEGIN_DECLS

/**
 * AssayScalarKind:
 * @ASSAY_SCALAR_UNKNOWN: nothing is known
 * @ASSAY_SCALAR_INT: a known integer or boolean
 * @ASSAY_SCALAR_FLOAT: a known floating point number
 * @ASSAY_SCALAR_SYMBOL: an integer that is known as an expression over symbols
 */
typedef enum
{
  ASSAY_SCALAR_UNKNOWN,
  ASSAY_SCALAR_INT,
  ASSAY_SCALAR_FLOAT,
  ASSAY_SCALAR_SYMBOL,
} AssayScalarKind;

/**
 * AssayScalar:
 * @kind: which member of the union holds
 *
 * One number of which something may be known before the model runs: an extent, or an element of a
 * small tensor that extents are computed from.
 */
typedef struct
{
  AssayScalarKind kind;
  union
  {
    gint64 i;
    double f;
    const char *symbol;
  } u;
} AssayScalar;

static inline AssayScalar
assay_scalar_unknown (void)
{
  return (AssayScalar){ ASSAY_SCALAR_UNKNOWN, { 0 } };
}

static inline AssayScalar
assay_scalar_int (gint64 value)
{
  return (AssayScalar){ ASSAY_SCALAR_INT, { .i = value } };
}

static inline AssayScalar
assay_scalar_float (double value)
{
  return (AssayScalar){ ASSAY_SCALAR_FLOAT, { .f = value } };
}

static inline AssayScalar
assay_scalar_from_dim (AssayDim dim)
{
  if (dim.size >= 0)
    return assay_scalar_int (dim.size);
  if (dim.symbol != NULL)
    return (AssayScalar){ ASSAY_SCALAR_SYMBOL, { .symbol = dim.symbol } };

  return assay_scalar_unknown ();
}

static inline AssayDim
assay_scalar_to_dim (AssayScalar scalar)
{
  if (scalar.kind == ASSAY_SCALAR_INT && scalar.u.i >= 0)
    return (AssayDim){ scalar.u.i, NULL };
  if (scalar.kind == ASSAY_SCALAR_SYMBOL)
    return (AssayDim){ -1, scalar.u.symbol };

  return (AssayDim){ -1, NULL };
}

const char *assay_symbol_normalize (AssayArena *arena, const char *symbol);
AssayScalar assay_scalar_add (AssayArena *arena, AssayScalar a, AssayScalar b);
AssayScalar assay_scalar_sub (AssayArena *arena, AssayScalar a, AssayScalar b);
AssayScalar assay_scalar_mul (AssayArena *arena, AssayScalar a, AssayScalar b);
AssayScalar assay_scalar_floor_div (AssayArena *arena, AssayScalar a, AssayScalar b);
AssayScalar assay_scalar_ceil_div (AssayArena *arena, AssayScalar a, AssayScalar b);
AssayScalar assay_scalar_mod (AssayArena *arena, AssayScalar a, AssayScalar b);
AssayScalar assay_scalar_min (AssayArena *arena, AssayScalar a, AssayScalar b);
AssayScalar assay_scalar_max (AssayArena *arena, AssayScalar a, AssayScalar b);
gboolean assay_scalar_compare (AssayArena *arena, AssayScalar a, AssayScalar b, int *sign);
gboolean assay_scalar_differ (AssayArena *arena, AssayScalar a, AssayScalar b);
gboolean assay_scalar_is_non_negative (AssayArena *arena, AssayScalar a);

G_END_DECLS
