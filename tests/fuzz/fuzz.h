/* fuzz.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The entry point of every target, as libFuzzer calls it; returns 0. */
int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);
