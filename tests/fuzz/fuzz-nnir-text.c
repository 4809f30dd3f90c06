/* fuzz-nnir-text.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>

#include "nnir/pass/assay-canonical.h"
#include "nnir/text/assay-text.h"
#include "nnir/assay-verify.h"
#include "source/assay-source.h"

#include "fuzz.h"

/* What opens as a model is sound, and its canonical form too. */
static void
open_model (const uint8_t *data, size_t size)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayGraph)
      graph = assay_model_read_bytes (bytes, "fuzz.nnir", NULL, NULL, NULL, &error);
  g_autoptr (AssayGraph) canonical = NULL;

  g_assert ((graph == NULL) == (error != NULL));
  if (graph == NULL)
    return;

  g_assert (assay_graph_verify (graph, NULL));
  canonical = assay_graph_canonicalize (graph, NULL, NULL, NULL);
  g_assert (canonical != NULL && assay_graph_verify (canonical, NULL));
}

/* What reads without a finding is written, read and written again the same; a sound graph stays
 * sound in all passes. */
FUZZ_TARGET (nnir_text)
{
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (AssayFindings) violations = assay_findings_new ();
  g_autoptr (AssayGraph)
      graph = assay_graph_from_text ((const char *) data, (gssize) size, findings, NULL);
  g_autoptr (AssayGraph) again = NULL;
  g_autoptr (AssayGraph) canonical = NULL;
  g_autofree char *text = NULL;
  g_autofree char *second = NULL;

  open_model (data, size);
  if (graph == NULL)
    return 0;
  fuzz_n_taken++;

  if (assay_graph_verify (graph, violations))
    {
      canonical = assay_graph_canonicalize (graph, NULL, NULL, NULL);
      g_assert (canonical != NULL);
      if (!assay_graph_verify (canonical, violations))
        fuzz_fail ("in canonical form: %s", assay_findings_get (violations, 0)->message);
    }

  if (assay_findings_get_count (findings) > 0)
    return 0;

  text = assay_graph_to_text (graph, ASSAY_TEXT_DEFAULT, NULL);
  g_assert (text != NULL);
  again = assay_graph_from_text (text, -1, findings, NULL);
  g_assert (again != NULL && assay_findings_get_count (findings) == 0);
  second = assay_graph_to_text (again, ASSAY_TEXT_DEFAULT, NULL);
  g_assert_cmpstr (text, ==, second);

  return 0;
}
