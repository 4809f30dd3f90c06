/* overload-calls.h
 * SPDX-License-Identifier: Apache-2.0
 *
 * Overloads of the functions that reach the rows of the tables of the Vulkan delegate, with other
 * operands than those of torch-calls.c and delegate-calls.c.
 */
#pragma once

#include "torch-calls.h"

/* A call of a function of a name space. */
typedef struct
{
  const char *space;
  TorchCall call;
  const char *differs; /* why a device computes something else, if it does */
} OverloadCall;

extern const OverloadCall overload_calls[];
extern const guint overload_n_calls;
