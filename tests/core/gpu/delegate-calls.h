/* delegate-calls.h
 * SPDX-License-Identifier: Apache-2.0
 *
 * Functions of other name spaces than that of PyTorch that reach the rows of the tables of the
 * Vulkan delegate.
 */
#pragma once

#include "torch-calls.h"

/* A function, and what it is: a graph with the same inputs. */
typedef struct
{
  const char *space;
  TorchCall call;
  const char *is;
} DelegateCall;

extern const DelegateCall delegate_calls[];
extern const guint delegate_n_calls;
