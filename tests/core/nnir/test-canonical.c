/* test-canonical.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>
#include <string.h>
#include <time.h>

#include "nnir/pass/assay-canonical.h"
#include "nnir/assay-graph-builder.h"
#include "nnir/text/assay-text.h"
#include "nnir/assay-verify.h"

#include "test-program.h"

/* Files tests/data/ir/canonical-*.nnir hold graphs, each after a line `// ---- name`, and between
 * their lines what the canonical graph must look like:
 *   // CHECK: text      a line has this text, behind the line of the CHECK before
 *   // CHECK-NOT: text  no line has it
 *   // KEEP: Op,Op      the option keep
 *   // SET: name        options all-inputs-parameters, no-linear, no-fold, no-batch-norm,
 * no-identity
 */

static void
verify (AssayGraph *graph, const char *when)
{
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  gboolean sound = assay_graph_verify (graph, findings);

  for (guint i = 0; !sound && i < assay_findings_get_count (findings); i++)
    g_test_message ("after %s: %s: %s", when, assay_findings_get (findings, i)->rule,
                    assay_findings_get (findings, i)->message);
  g_assert_true (sound);
}

static void
verify_after (const AssayPass *pass, AssayGraph *graph, gpointer user_data)
{
  verify (graph, pass->name);
}

static char *
canonical_text (const char *text, const AssayCanonicalOptions *options)
{
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (AssayGraph) graph = NULL;
  g_autoptr (AssayGraph) canonical = NULL;
  g_autoptr (GError) error = NULL;

  graph = assay_graph_from_text (text, -1, findings, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < assay_findings_get_count (findings); i++)
    g_test_message ("%s", assay_findings_get (findings, i)->message);
  g_assert_cmpuint (assay_findings_get_count (findings), ==, 0);
  verify (graph, "reading");

  canonical = assay_graph_canonicalize_traced (graph, options, verify_after, NULL, NULL, &error);
  g_assert_no_error (error);
  text = assay_graph_to_text (canonical, ASSAY_TEXT_ALL_DATA, &error);
  g_assert_no_error (error);

  return (char *) text;
}

static void
set_option (AssayCanonicalOptions *options, const char *name)
{
  if (strcmp (name, "all-inputs-parameters") == 0)
    options->all_inputs_parameters = TRUE;
  else if (strcmp (name, "no-linear") == 0)
    options->linear = FALSE;
  else if (strcmp (name, "no-fold") == 0)
    options->fold_constants = FALSE;
  else if (strcmp (name, "no-batch-norm") == 0)
    options->fold_batch_norm = FALSE;
  else if (strcmp (name, "no-identity") == 0)
    options->remove_identity = FALSE;
  else
    g_error ("no option “%s”", name);
}

static void
check_section (const char *section)
{
  AssayCanonicalOptions options = ASSAY_CANONICAL_OPTIONS_DEFAULT;
  g_auto (GStrv) lines = g_strsplit (section, "\n", -1);
  g_auto (GStrv) keep = NULL;
  g_autofree char *result = NULL;
  const char *position;
  guint n_checks = 0;

  for (guint i = 0; lines[i] != NULL; i++)
    {
      const char *keep_list = strstr (lines[i], "// KEEP: ");
      const char *option = strstr (lines[i], "// SET: ");

      if (keep_list != NULL)
        keep = g_strsplit (keep_list + strlen ("// KEEP: "), ",", -1);
      if (option != NULL)
        set_option (&options, option + strlen ("// SET: "));
    }

  options.keep = (const char *const *) keep;
  result = canonical_text (section, &options);
  position = result;

  for (guint i = 0; lines[i] != NULL; i++)
    {
      const char *check = strstr (lines[i], "// CHECK: ");
      const char *check_not = strstr (lines[i], "// CHECK-NOT: ");
      const char *found;

      if (check != NULL)
        {
          check += strlen ("// CHECK: ");
          found = strstr (position, check);
          if (found == NULL)
            {
              g_test_message ("in “%s”:\nexpected, in this order: %s\nin:\n%s", lines[0], check,
                              result);
              g_test_fail ();
              return;
            }
          position = found + strlen (check);
          n_checks++;
        }
      if (check_not != NULL)
        {
          check_not += strlen ("// CHECK-NOT: ");
          if (strstr (result, check_not) != NULL)
            {
              g_test_message ("in “%s”:\nnot expected: %s\nin:\n%s", lines[0], check_not, result);
              g_test_fail ();
              return;
            }
          n_checks++;
        }
    }

  g_assert_cmpuint (n_checks, >, 0);
}

static void
check_file (gconstpointer data)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) sections = NULL;
  g_autoptr (GError) error = NULL;

  g_file_get_contents (data, &text, NULL, &error);
  g_assert_no_error (error);
  sections = g_strsplit (text, "// ---- ", -1);
  g_assert_nonnull (sections[0]);
  for (guint i = 1; sections[i] != NULL; i++)
    {
      g_autofree char *section = g_strconcat ("// ", sections[i], NULL);

      check_section (section);
    }
}

/* The rewrites say what became of each ONNX node. */
static void
test_absorbed (void)
{
  static const char text[] = "nnir 1\n"
                             "origin 0 \"graph\" 0 Identity \"id\"\n"
                             "origin 1 \"graph\" 1 MatMul \"mm\"\n"
                             "origin 2 \"graph\" 2 Add \"add\"\n"
                             "origin 3 \"graph\" 3 Relu \"relu\"\n"
                             "main (%x : f32[2,2]) {\n"
                             "  const %w : f32[2,2] = [1.0, 2.0, 3.0, 4.0]\n"
                             "  const %b : f32[2] = [1.0, 2.0]\n"
                             "  %i = Identity(%x) : f32[2,2] @ \"id\" from [0]\n"
                             "  %m = MatMul(%i, %w) : f32[2,2] @ \"mm\" from [1]\n"
                             "  %a = Add(%m, %b) : f32[2,2] @ \"add\" from [2]\n"
                             "  %y = Relu(%a) : f32[2,2] @ \"relu\" from [3]\n"
                             "  return %y\n"
                             "}\n";
  static const struct
  {
    guint32 origin;
    const char *into;
    const char *rule;
  } expected[] = {
    { 0, "", "remove-identity" },
    { 1, "add", "linear-matmul" },
    { 2, "add", "linear-bias" },
  };
  g_autoptr (AssayGraph) graph = assay_graph_from_text (text, -1, NULL, NULL);
  g_autoptr (AssayGraph) canonical = assay_graph_canonicalize (graph, NULL, NULL, NULL);
  g_autoptr (GArray) absorbed = assay_graph_absorbed (canonical);

  g_assert_cmpuint (canonical->level, ==, ASSAY_GRAPH_NNIR);
  g_assert_cmpuint (assay_graph_n_nodes (graph), ==, 5);
  g_assert_cmpuint (assay_graph_n_nodes (canonical), ==, 3);
  g_assert_cmpuint (absorbed->len, ==, G_N_ELEMENTS (expected));
  for (guint i = 0; i < absorbed->len; i++)
    {
      const AssayAbsorbedOrigin *entry = &g_array_index (absorbed, AssayAbsorbedOrigin, i);

      g_assert_cmpuint (entry->origin, ==, expected[i].origin);
      g_assert_cmpstr (assay_graph_node (canonical, entry->into)->name, ==, expected[i].into);
      g_assert_cmpstr (entry->rule, ==, expected[i].rule);
    }
}

/* The manual lists the passes as they are. */
static void
test_manual (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "..", "docs", "nnir.md", NULL);
  g_autofree char *manual = NULL;
  g_autoptr (GString) table = g_string_new ("| pass | what it does | keeps |\n|---|---|---|\n");
  g_autoptr (GError) error = NULL;

  g_file_get_contents (path, &manual, NULL, &error);
  g_assert_no_error (error);

  for (guint i = 0; assay_pass_list (i) != NULL; i++)
    g_string_append_printf (table, "| `%s` | %s | %s |\n", assay_pass_list (i)->name,
                            assay_pass_list (i)->summary, assay_pass_list (i)->preserves);
  g_string_append_c (table, '\n');

  if (strstr (manual, table->str) == NULL)
    g_error ("docs/nnir.md should have this table:\n%s", table->str);
}

/* Wrong models have cycles, and still get their verdicts. */
static void
test_cycle (void)
{
  static const char text[] = "main (%x : f32[2,2]) {\n"
                             "  const %w : f32[2,2] = [1.0, 2.0, 3.0, 4.0]\n"
                             "  %a = Identity(%b) : f32[2,2] @ \"a\"\n"
                             "  %b = Identity(%a) : f32[2,2] @ \"b\"\n"
                             "  %c = Mul(%d, %a) : f32[2,2] @ \"c\"\n"
                             "  %d = Sigmoid(%c) : f32[2,2] @ \"d\"\n"
                             "  %e = Add(%f, %w) : f32[2,2] @ \"e\"\n"
                             "  %f = MatMul(%e, %w) : f32[2,2] @ \"f\"\n"
                             "  %y = Relu(%x) : f32[2,2] @ \"y\"\n"
                             "  return %c, %e, %y\n"
                             "}\n";
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (AssayGraph) graph = assay_graph_from_text (text, -1, findings, NULL);
  g_autoptr (AssayGraph) canonical = assay_graph_canonicalize (graph, NULL, NULL, NULL);
  g_autofree char *canonical_form = NULL;

  g_assert_cmpuint (assay_findings_get_count (findings), ==, 0);
  g_assert_false (assay_graph_verify (graph, findings));
  g_assert_nonnull (canonical);
  canonical_form = assay_graph_to_text (canonical, ASSAY_TEXT_DEFAULT, NULL);
  g_assert_nonnull (strstr (canonical_form, "%y = Relu(%x)"));
}

static void
test_cancel (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  g_autoptr (AssayGraph) canonical = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  AssayProgress progress = ASSAY_PROGRESS_INIT (NULL, NULL, cancellable);

  g_cancellable_cancel (cancellable);
  canonical = assay_graph_canonicalize (graph, NULL, &progress, &error);
  g_assert_null (canonical);
  g_assert_nonnull (error);
}

/* 50,000 nodes of the kinds that rules look at. */
static void
test_speed (void)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  g_autoptr (AssayGraph) canonical = NULL;
  const gint64 dims[] = { 16, 16 };
  g_autofree float *elements = g_new0 (float, 256);
  g_autoptr (AssayTensor) tensor = assay_tensor_new_f32 (2, dims, elements);
  const AssayType *type = assay_type_new_fixed (graph->arena, ASSAY_DTYPE_F32, 2, dims);
  static const AssayOp ops[] = { ASSAY_OP_MatMul, ASSAY_OP_Mul, ASSAY_OP_Add, ASSAY_OP_Relu,
                                 ASSAY_OP_Identity };
  AssayValueId weight = assay_graph_add_constant (graph, ASSAY_MAIN_REGION, "w", tensor);
  AssayValueId value = assay_graph_add_input (graph, ASSAY_MAIN_REGION, "x", type);
  double seconds;
  clock_t begin;

  for (guint i = 0; i < 50000; i++)
    {
      AssayOp op = ops[i % G_N_ELEMENTS (ops)];
      AssayValueId inputs[] = { value, op == ASSAY_OP_MatMul ? weight : value };
      g_autofree char *name = g_strdup_printf ("node_%u", i);
      AssayNodeId node;
      guint32 origin;

      value = assay_graph_add_value (graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT, name, type);
      node = assay_graph_add_node (graph, ASSAY_MAIN_REGION, op, name,
                                   assay_op_get_info (op)->min_inputs, inputs, 1, &value);
      origin = assay_graph_add_origin (graph, "graph", name, assay_op_name (op), "", i);
      assay_graph_set_origins (graph, node, 1, &origin);
    }
  assay_graph_add_output (graph, ASSAY_MAIN_REGION, value);

  /* Time of the processor: other tests run beside this one. */
  begin = clock ();
  canonical = assay_graph_canonicalize (graph, NULL, NULL, NULL);
  seconds = (double) (clock () - begin) / CLOCKS_PER_SEC;
  g_test_message ("50,000 nodes canonical in %.3f s", seconds);
  g_assert_cmpuint (assay_graph_n_nodes (canonical), ==, 40001);
  g_assert_cmpfloat (seconds, <, 1.0);
}

TEST_PROGRAM (canonical)
{
  g_autofree char *folder = NULL;
  g_autoptr (GDir) dir = NULL;
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  g_test_init (&argc, &argv, NULL);
  folder = g_test_build_filename (G_TEST_DIST, "data", "ir", NULL);
  dir = g_dir_open (folder, 0, NULL);
  g_assert_nonnull (dir);

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = NULL;

      if (!g_str_has_prefix (name, "canonical-"))
        continue;
      g_ptr_array_add (paths, g_build_filename (folder, name, NULL));
      path = g_strdup_printf ("/canonical/%.*s", (int) (strlen (name) - strlen ("canonical-.nnir")),
                              name + strlen ("canonical-"));
      g_test_add_data_func (path, g_ptr_array_index (paths, paths->len - 1), check_file);
    }

  g_test_add_func ("/canonical/absorbed", test_absorbed);
  g_test_add_func ("/canonical/manual", test_manual);
  g_test_add_func ("/canonical/cycle", test_cycle);
  g_test_add_func ("/canonical/cancel", test_cancel);
  g_test_add_func ("/canonical/speed", test_speed);

  return g_test_run ();
}
