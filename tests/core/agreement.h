/* agreement.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/assay-config.h"
#include "target/assay-target.h"

/* The law between verdicts and compiler: what a check of a block-streaming target takes compiles,
 * or fails for want of room; what it rejects does not compile. */
typedef struct
{
  const int *axes; /* nullable */
  guint n_axes;
  gboolean dynamic;        /* dynamic weights are allowed */
  gboolean published_only; /* only what the vendor lists */
  gboolean accepted;       /* out: whether the check took the model */
} AgreementCase;

void agreement_fill_parameters (AssayGraph *graph);
gboolean agreement_has_products (const AssayGraph *graph);
char *agreement_judge (AssayTarget *target, const AssayConfigValues *config, AssayGraph *graph,
                       AgreementCase *how) G_GNUC_WARN_UNUSED_RESULT;
