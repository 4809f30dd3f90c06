/* assay-capability.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AssayCapability:
 * @ASSAY_CAPABILITY_NOTHING: what every backend is able to
 * @ASSAY_CAPABILITY_MAKES_PROGRAMS: models are compiled for it
 * @ASSAY_CAPABILITY_STREAMS: takes streaming axes, data dimensions and run-time weights
 * @ASSAY_CAPABILITY_HAS_STORES: its programs keep tensors in stores of a known depth
 * @ASSAY_CAPABILITY_COUNTS_CYCLES: says when what happens, in cycles, before anything runs
 * @ASSAY_CAPABILITY_MEASURES_TIME: a run says how long its parts took
 * @ASSAY_CAPABILITY_RUNS_HERE: its programs run on this computer
 * @ASSAY_CAPABILITY_DEPLOYS: its programs can be put on a board
 * @ASSAY_CAPABILITY_HAS_CONFIG: its programs are built for an #AssayConfig
 * @ASSAY_CAPABILITY_QUANTIZES: computes in 8 bits with powers of two as scales
 *
 * What a backend may be able to do; capabilities.def has them and their words.
 */
typedef enum
{
  ASSAY_CAPABILITY_NOTHING,
/* clang-format off */
#define ASSAY_CAPABILITY(name, lacking) ASSAY_CAPABILITY_##name,
#include "settings/capabilities.def"
#undef ASSAY_CAPABILITY
  /* clang-format on */
  ASSAY_N_CAPABILITIES
} AssayCapability;

/* The bit of a capability, for @capabilities of a class. */
#define ASSAY_CAN(name) (1u << ASSAY_CAPABILITY_##name)

G_END_DECLS
