/* assay-sensitivity.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AssaySensitivity:
 * @name: a member of the target's `timing`
 * @value: what it is, in cycles
 * @spaced: spaced cycles more if it were one more
 * @contiguous: the same for contiguous ones
 *
 * How much the cycles of a model depend on a timing parameter.
 */
typedef struct
{
  const char *name;
  guint value;
  gint32 spaced;
  gint32 contiguous;
} AssaySensitivity;

G_END_DECLS
