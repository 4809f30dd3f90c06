/* fuzz-inputs.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "run/assay-run-inputs.h"

#include "fuzz.h"

/* What somebody says about inputs, a line each: of small inputs tensors come of it, or a reason. No
 * line names a file that is there. */
FUZZ_TARGET (inputs)
{
  static gint64 dims[] = { 2, 3 };
  static const AssayRunPort ports[] = {
    { .name = (char *) "x", .dtype = ASSAY_DTYPE_F32, .rank = 2, .dims = dims, .time_axis = -1 },
    { .name = (char *) "n", .dtype = ASSAY_DTYPE_I64, .rank = 1, .dims = dims, .time_axis = -1 },
  };
  g_autoptr (AssayRunInputs) inputs = assay_run_inputs_new ();
  g_autofree char *text = g_strndup ((const char *) data, size);
  g_auto (GStrv) lines = g_strsplit (g_strdelimit (text, "/.", '_'), "\n", 8);
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) tensors = NULL;

  assay_run_inputs_set_seed (inputs, 1, TRUE);
  for (guint i = 0; lines[i] != NULL; i++)
    if (!assay_run_inputs_add (inputs, lines[i], &error))
      return 0;

  tensors = assay_run_inputs_make (inputs, ports, G_N_ELEMENTS (ports), 0, &error);
  g_assert ((tensors == NULL) == (error != NULL));
  g_assert (tensors == NULL || tensors->len == G_N_ELEMENTS (ports));
  fuzz_n_taken += tensors != NULL;

  return 0;
}
