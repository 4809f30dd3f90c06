/* fuzz-torch-text.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>

#include "nnir/assay-verify.h"
#include "source/assay-source.h"
#include "source/torch/assay-torch-module.h"
#include "source/torch/pass/assay-torch-pass.h"
#include "source/torch/pass/assay-torch-steps.h"

#include "../core/fixture/torch-same.h"
#include "fuzz.h"

/* A program is text that reads as the same behind each pass. */
static void
run_passes (AssayTorchModule *module)
{
  const AssayTorchPass *pass;

  for (guint i = 0; (pass = assay_torch_pass_get (i)) != NULL; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GArray) changes = assay_torch_pass_run (pass, module, NULL, &error);
      g_autoptr (GBytes) bytes = NULL;
      g_autoptr (AssayTorchModule) again = NULL;
      char *text;

      g_assert ((changes == NULL) == (error != NULL));
      if (changes == NULL)
        return;
      text = assay_torch_module_print (module);
      bytes = g_bytes_new_take (text, strlen (text));
      again = assay_torch_module_parse (bytes, NULL, &error);
      if (error != NULL)
        fuzz_fail ("%s: %s\n%s", pass->name, error->message, text);
      if (torch_same (module, again) != NULL)
        fuzz_fail ("%s: %s differs\n%s", pass->name, torch_same (module, again), text);
    }
}

/* What a window shows of each pass is sound, too. */
static void
look_at_steps (GBytes *bytes)
{
  g_autoptr (AssayTorchSteps) steps = assay_torch_steps_new (bytes, NULL, NULL);

  for (guint i = 0; steps != NULL && i < steps->steps->len; i++)
    {
      const AssayTorchStep *step = steps->steps->pdata[i];
      g_autoptr (AssayFindings) wrong = assay_findings_new ();

      if (!assay_graph_verify (step->graph, wrong))
        fuzz_fail ("step %u: %s", i, assay_findings_get (wrong, 0)->message);
    }
}

/* What reads prints as something that reads as the same and prints the same, and what opens as a
 * model is sound. */
FUZZ_TARGET (torch_text)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (data, size);
  g_autoptr (GBytes) second = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayTorchModule) module = assay_torch_module_parse (bytes, NULL, &error);
  g_autoptr (AssayTorchModule) again = NULL;
  g_autoptr (AssayGraph) graph = NULL;
  char *text;
  g_autofree char *printed = NULL;

  g_assert ((module == NULL) == (error != NULL));
  if (module == NULL)
    return 0;
  fuzz_n_taken++;

  graph = assay_model_read_bytes (bytes, "fuzz.mlir", NULL, NULL, NULL, NULL);
  g_assert (graph == NULL || assay_graph_verify (graph, NULL));

  text = assay_torch_module_print (module);
  second = g_bytes_new_take (text, strlen (text));
  again = assay_torch_module_parse (second, NULL, &error);
  g_assert_no_error (error);
  if (torch_same (module, again) != NULL)
    fuzz_fail ("%s differs\n%s", torch_same (module, again), text);
  printed = assay_torch_module_print (again);
  g_assert_cmpstr (text, ==, printed);
  run_passes (again);
  look_at_steps (bytes);

  return 0;
}
