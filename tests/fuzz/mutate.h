/* mutate.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>
#include <stdint.h>

gsize mutate_bytes (uint8_t *data, gsize size, gsize max_size, GPtrArray *corpus, GRand *random);
