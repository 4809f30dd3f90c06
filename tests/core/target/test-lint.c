/* test-lint.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What may go wrong with numbers is said before anything runs, and only where it may.
 */
#include <string.h>

#include "graphs.h"
#include "test-program.h"
#include "nnir/text/assay-text.h"
#include "target/assay-lint.h"

#define STREAM "ia_420f_c6b32"
#define DPU "dpu_zdx8g_b512"
#define NARROW "vulkan-main"

typedef struct
{
  const char *lint; /* of the table, or a note of a target */
  const char *target;
  const char *option;
  const char *fires;  /* a model that it is said of */
  const char *silent; /* the same model without its fault */
} Case;

#define EXPONENTIALS(operand, before)                                                              \
  "main (%x : f32[4,16]) {\n  const %a : i64[1] = [1]\n" before "  %e = Exp(" operand              \
  ") : f32[4,16]\n  %s = ReduceSum(%e, %a) : f32[4,1]\n  %l = Log(%s) : f32[4,1]\n"                \
  "  return %l\n}\n"
#define VARIANCE(root)                                                                             \
  "main (%x : f32[4,16]) {\n  const %a : i64[1] = [1]\n"                                           \
  "  %m = ReduceMean(%x, %a) : f32[4,1]\n  %q = Mul(%x, %x) : f32[4,16]\n"                         \
  "  %e = ReduceMean(%q, %a) : f32[4,1]\n  %p = Mul(%m, %m) : f32[4,1]\n"                          \
  "  %y = Sub(%e, " root ") : f32[4,1]\n  return %y, %p\n}\n"
#define DIVIDED(by)                                                                                \
  "main (%x : f32[4,16]) {\n  const %c : f32[] = [" by "]\n  %y = Div(%x, %c) : f32[4,16]\n"       \
  "  return %y\n}\n"
#define GREATER(than)                                                                              \
  "main (%x : f32[4,16]) {\n  const %c : f32[] = [" than "]\n  const %o : f32[] = [1.5]\n"         \
  "  %g = Greater(%x, %c) : bool[4,16]\n  %y = Where(%g, %x, %o) : f32[4,16]\n  return %y\n}\n"
#define COUNTED(by)                                                                                \
  "main (%x : f32[4,16]) {\n  const %c : f32[] = [" by "]\n  %m = Mul(%x, %c) : f32[4,16]\n"       \
  "  %y = Floor(%m) : f32[4,16]\n  return %y\n}\n"
#define BOUNDED(high)                                                                              \
  "main (%x : f32[4,16]) {\n  const %l : f32[] = [0.0]\n  const %h : f32[] = [" high "]\n"         \
  "  %c = Clip(%x, %l, %h) : f32[4,16]\n  %y = Exp(%c) : f32[4,16]\n  return %y\n}\n"
#define PRODUCT(length)                                                                            \
  "main (%x : f32[1," length "], %w : f32[" length ",4]) {\n"                                      \
  "  %y = MatMul(%x, %w) : f32[1,4]\n  return %y\n}\n"
#define POSITIONS(other)                                                                           \
  "main (%x : f32[1,4,8,8], %z : f32[1,4,8,8]) {\n"                                                \
  "  const %s : f32[] = [0.5]\n  const %t : f32[] = [" other "]\n  const %o : i8[] = [0]\n"        \
  "  %p = QuantizeLinear(%x, %s, %o) : i8[1,4,8,8]\n"                                              \
  "  %q = DequantizeLinear(%p, %s, %o) : f32[1,4,8,8]\n"                                           \
  "  %u = QuantizeLinear(%z, %t, %o) : i8[1,4,8,8]\n"                                              \
  "  %v = DequantizeLinear(%u, %t, %o) : f32[1,4,8,8]\n"                                           \
  "  %y = Add(%q, %v) : f32[1,4,8,8]\n  return %y\n}\n"
#define SQUARES(by)                                                                                \
  "main (%x : f32[4,16], %z : f32[4,16]) {\n  const %a : i64[1] = [1]\n"                           \
  "  %q = Mul(%x, " by ") : f32[4,16]\n  %y = ReduceSum(%q, %a) : f32[4,1]\n  return %y\n}\n"
#define ROOT(epsilon)                                                                              \
  "main (%x : f32[4,16]) {\n  const %c : f32[] = [" epsilon "]\n  %s = Add(%x, %c) : f32[4,16]\n"  \
  "  %y = Sqrt(%s) : f32[4,16]\n  return %y\n}\n"
#define INDEX(n)                                                                                   \
  "main (%x : f32[4], %w : f32[" n ",8]) {\n  %i = Cast(%x) {to = 7} : i64[4]\n"                   \
  "  %y = Gather(%w, %i) {axis = 0} : f32[4,8]\n  return %y\n}\n"
#define GELU(form)                                                                                 \
  "main (%x : f32[4,16]) {\n  %y = Gelu(%x) {approximate = \"" form "\"} : f32[4,16]\n"            \
  "  return %y\n}\n"
#define CAST(to, type)                                                                             \
  "main (%x : f32[4,16]) {\n  %h = Cast(%x) {to = " to "} : " type "[4,16]\n"                      \
  "  %y = Cast(%h) {to = 1} : f32[4,16]\n  return %y\n}\n"

static const Case cases[] = {
  { "constant-decides", STREAM, NULL, GREATER ("0.3"), GREATER ("0.25") },
  { "constant-counts", NARROW, "force_fp16=true", COUNTED ("0.1"), COUNTED ("0.125") },
  { "index", NARROW, "force_fp16=true", INDEX ("4096"), INDEX ("1024") },
  { "long-sum", NARROW, "force_fp16=true", PRODUCT ("4096"), PRODUCT ("1024") },
  { "maximum", STREAM, NULL, EXPONENTIALS ("%x", ""),
    EXPONENTIALS ("%d", "  %m = ReduceMax(%x, %a) : f32[4,1]\n  %d = Sub(%x, %m) : f32[4,16]\n") },
  { "squares", NARROW, "force_fp16=true", SQUARES ("%x"), SQUARES ("%z") },
  { "variance", STREAM, NULL, VARIANCE ("%p"), VARIANCE ("%m") },
  { "epsilon", NARROW, "force_fp16=true", ROOT ("1e-8"), ROOT ("1e-5") },
  { "division", STREAM, NULL, DIVIDED ("0.0"), DIVIDED ("0.5") },
  { "exp-range", STREAM, NULL, BOUNDED ("100.0"), BOUNDED ("20.0") },
  { "positions", DPU, NULL, POSITIONS ("0.00390625"), POSITIONS ("0.25") },
  { "form with tanh", NARROW, NULL, GELU ("none"), GELU ("tanh") },
  { "stay finite", STREAM, NULL, CAST ("10", "f16"), CAST ("16", "bf16") },
};

/* What a note of a lint begins with, up to what is filled in. */
static char *
find_sentence (const char *lint)
{
  const AssayLintRow *row;

  for (guint i = 0; (row = assay_lint_row (i)) != NULL; i++)
    if (g_str_equal (row->name, lint))
      {
        g_auto (GStrv) parts = g_strsplit (row->sentence, "{", 2);

        return g_strdup (parts[0][0] != '\0' ? parts[0] : strchr (row->sentence, '}') + 1);
      }

  return g_strdup (lint);
}

static gboolean
says (const Case *lint, const char *text)
{
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayGraph) graph = assay_graph_from_text (text, -1, findings, &error);
  g_autoptr (AssayTarget) target = NULL;
  g_autoptr (AssaySettings) settings = NULL;
  g_autoptr (AssayVerdicts) verdicts = NULL;
  g_autofree char *sentence = find_sentence (lint->lint);
  gboolean found = FALSE;

  if (error != NULL)
    {
      g_test_fail_printf ("%s", error->message);
      return FALSE;
    }
  target = assay_target_load (lint->target, &error);
  g_assert_no_error (error);
  if (lint->option != NULL)
    assay_settings_add_name (&settings, ASSAY_SETTING_TARGET_OPTION, lint->option);
  verdicts = graph_verdicts (target, graph, settings, &error);
  g_assert_no_error (error);
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (verdicts->graph); id++)
    {
      const AssayVerdict *verdict = assay_verdicts_get (verdicts, id);

      for (guint i = 0; verdict->notes != NULL && verdict->notes[i] != NULL; i++)
        found = found || strstr (verdict->notes[i], sentence) != NULL;
      g_test_message ("%s: %s %s", assay_graph_node (verdicts->graph, id)->op_type,
                      assay_verdict_name (verdict->kind), verdict->reason);
    }

  return found;
}

static void
test_lint (gconstpointer data)
{
  const Case *lint = data;

  if (!says (lint, lint->fires))
    g_test_fail_printf ("nothing is said");
  if (says (lint, lint->silent))
    g_test_fail_printf ("it is said without a reason");
}

/* Every lint has its case, and fits a line. */
static void
test_table (void)
{
  const AssayLintRow *row;

  for (guint i = 0; (row = assay_lint_row (i)) != NULL; i++)
    {
      gboolean tested = FALSE;

      for (guint j = 0; j < G_N_ELEMENTS (cases); j++)
        tested = tested || g_str_equal (cases[j].lint, row->name);
      if (!tested)
        g_test_fail_printf ("%s has no case", row->name);
      g_assert_cmpint (g_utf8_strlen (row->sentence, -1), <=, 90);
    }
}

/* Numbers of a node that the host computes are not those of the device. */
static void
test_host (void)
{
  const Case host = { "division", DPU, NULL, NULL, NULL };
  const Case rejected = { "division", "vulkan-main", "operator_blocklist=Div", NULL, NULL };

  if (says (&host, DIVIDED ("0.0")))
    g_test_fail_printf ("it is said of a node on the host");
  if (says (&rejected, DIVIDED ("0.0")))
    g_test_fail_printf ("it is said of a node that is rejected");
}

TEST_PROGRAM (lint)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/lint/table", test_table);
  g_test_add_func ("/lint/host", test_host);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/lint/case/", cases[i].lint, NULL);

      g_test_add_data_func (path, &cases[i], test_lint);
    }

  return g_test_run ();
}
