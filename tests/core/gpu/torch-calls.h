/* torch-calls.h
 * SPDX-License-Identifier: Apache-2.0
 *
 * Calls of functions of PyTorch that reach the rows of the tables of the Vulkan delegate.
 */
#pragma once

#include "gpu-families.h"

/* A call of a function of PyTorch. Operands stand between bars: a tensor as its element type and
 * extents ($t is f32 or f16), a constant behind `=` (then it is no input), or what a constant of
 * the dialect is: an integer, a number, true, none, a "string", a [list of integers] or {tensors}.
 */
typedef struct
{
  const char *row; /* of the registry, without its name space */
  const char *function;
  const char *operands;
  const char *mapping; /* of a node, where that is not the row; "" if none is left for a device */
  const char *rule;    /* by which it is refused, where the row says so */
  guint n_results;     /* where there are several */
} TorchCall;

extern const TorchCall torch_calls[];
extern const guint torch_n_calls;

/* How a program in the torch dialect names a function. */
typedef enum
{
  TORCH_SPELLING_OWN,      /* an operation of the dialect */
  TORCH_SPELLING_OPERATOR, /* torch.operator with its name */
  TORCH_SPELLING_DEFAULT,  /* the same with the overload that has no name */
} TorchSpelling;

char *torch_call_program (const TorchCall *call, const char *element);
char *torch_call_spell (const TorchCall *call, const char *space, const char *element,
                        TorchSpelling spelling);
AssayTensor *torch_call_input (const AssayRunPort *port);
gboolean torch_call_has_row (JsonArray *rules, const char *row);
