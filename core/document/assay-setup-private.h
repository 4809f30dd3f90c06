/* assay-setup-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "document/assay-setup.h"

G_BEGIN_DECLS

/* Small ordered maps: a handful of entries, and the order has to be stable for comparing and for
 * commands. */
struct _AssaySetup
{
  GPtrArray *parts[ASSAY_N_SETUP_PARTS]; /* NAME=VALUE each */
  GPtrArray *shapes;                     /* per main input, "" leaves as is */
  GArray *axes;                          /* int per main input, -1 for none */
  gboolean dynamic_weights;
  gboolean plain; /* without the search for a good placement */
};

G_END_DECLS
