/* assay-adder-backend.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The example of a backend: an adder of whole numbers with one store and a made-up clock.
 * docs/adding-a-backend.md goes through it.
 */
#include "backend/assay-backend.h"

const AssayBackendClass assay_backend_adder = {
  .check = {
    .family = "adder",
    .untaken = ASSAY_VERDICT_REJECTED,
    .settles_defaults = TRUE,
  },
  .title = "Example",
};
