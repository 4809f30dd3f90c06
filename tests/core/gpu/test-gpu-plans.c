/* test-gpu-plans.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Plans of models that have every family of shaders: which shader, how often, what it is told, what
 * it reads and writes, and what is left to the host, as a table.
 */
#include "gpu-families.h"
#include "golden.h"
#include "test-program.h"

/* Dispatches of the same operation of a shader, of the same operator, that are listed. */
#define MAX_LINES 2

static void
append_tensor (GString *text, const AssayGpuPlan *plan, guint32 tensor)
{
  static const char *const spaces[] = { "weights", "work", "texture" };
  const AssayGpuTensor *self = &g_array_index (plan->tensors, AssayGpuTensor, tensor);

  g_string_append_printf (text, " %s:%" G_GUINT64_FORMAT, spaces[self->space], self->size);
  if (self->space == ASSAY_GPU_TEXTURES)
    g_string_append_printf (text, ":%ux%ux%u%s", self->extents[0], self->extents[1],
                            self->extents[2], self->is_half ? ":half" : "");
}

static void
append_dispatch (GString *text, const AssayDelegatePlan *plan, const AssayGpuDispatch *self,
                 GHashTable *counts)
{
  const char *op_type = assay_graph_node (plan->graph, self->node)->op_type;
  char *key = g_strdup_printf ("%s %u %u %u", op_type, self->shader, self->op, self->textures);
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (counts, key));

  g_hash_table_replace (counts, key, GUINT_TO_POINTER (n + 1));
  if (n >= MAX_LINES)
    return;
  g_string_append_printf (
      text, "  %s: %s %u, %u times:", assay_graph_node (plan->graph, self->node)->op_type,
      assay_gpu_shader_name ((AssayGpuShader) self->shader), self->op, self->count);
  for (guint i = 0; i < self->n_words; i++)
    g_string_append_printf (text, " %d",
                            g_array_index (plan->gpu->words, gint32, self->first_word + i));
  g_string_append (text, ";");
  for (guint i = 0; i < self->n_tensors; i++)
    append_tensor (text, plan->gpu, self->tensors[i]);
  for (guint i = 0; self->textures != 0 && i < 2 * self->n_tensors; i++)
    g_string_append_printf (text, "%s%d", i == 0 ? "; " : " ",
                            g_array_index (plan->gpu->words, gint32, self->first_shape + i));
  g_string_append_c (text, '\n');
}

static void
append_plan (GString *text, const AssayDelegatePlan *plan, GHashTable *counts)
{
  const AssayGpuPlan *gpu = plan->gpu;

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (plan->graph); id++)
    if (plan->reasons[id] != NULL)
      g_string_append_printf (text, "  %s: host, %s\n", assay_graph_node (plan->graph, id)->op_type,
                              plan->reasons[id]);
  for (guint i = 0; i < gpu->submissions->len; i++)
    {
      const AssayGpuSubmission *part = &g_array_index (gpu->submissions, AssayGpuSubmission, i);

      g_string_append_printf (text, "  %u in, %u dispatches, %u out\n", part->n_in,
                              part->n_dispatches, part->n_out);
      for (guint j = 0; j < part->n_dispatches; j++)
        append_dispatch (
            text, plan,
            &g_array_index (gpu->dispatches, AssayGpuDispatch, part->first_dispatch + j), counts);
    }
  g_string_append_printf (text,
                          "  bytes: %" G_GUINT64_FORMAT " weights, %" G_GUINT64_FORMAT
                          " work, %" G_GUINT64_FORMAT " textures, %" G_GUINT64_FORMAT " shared\n",
                          gpu->space_bytes[ASSAY_GPU_WEIGHTS], gpu->space_bytes[ASSAY_GPU_WORK],
                          gpu->space_bytes[ASSAY_GPU_TEXTURES], gpu->shared_bytes);
}

/* The first type of elements of each family. */
static void
test_plans (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "plans", "families.txt",
                                                 NULL);
  g_autoptr (GString) text = g_string_new (
      "# Plans of the families of shaders: shader and operation, invocations, words; tensors;\n"
      "# shapes of textures; no more than two dispatches that do the same. ASSAY_REGENERATE=1 "
      "writes it anew.\n"
      "# Checked by: gpu-families and gpu-textures, which run these plans on a device and compare\n"
      "# what comes out with the built-in reference.\n");
  g_autoptr (GHashTable) counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < gpu_n_families; i++)
    for (guint textures = 0; textures < 2; textures++)
      {
        const GpuFamily *family = &gpu_families[i];
        g_autoptr (AssayWork) work = gpu_family_work (family, family->types[0], textures != 0);
        AssayProgram *program = assay_work_get_program (work, NULL, NULL);

        g_assert_nonnull (program);
        g_string_append_printf (text, "%s, %s%s\n", family->path, family->types[0],
                                textures != 0 ? ", textures" : "");
        append_plan (text,
                     assay_delegate_program_get_plan (ASSAY_DELEGATE_PROGRAM (program), FALSE),
                     counts);
      }
  golden_check (path, text->str);
}

/* A node that no shader computes is on the host with the reason; the rest is on the device. */
static void
test_reasons (void)
{
  static const struct
  {
    const char *inputs;
    const char *constants;
    const char *node;
    const char *reason;
  } rows[] = {
    { "%q : i8[8], %s : f32[]", "", "DequantizeLinear(%q, %s)",
      "there is no shader for scales that are computed" },
    { "%q : i8[8], %t : i8[]", "  const %s : f32[] = [0.5]\n", "DequantizeLinear(%q, %s, %t)",
      "there is no shader for scales that are computed" },
    { "%q : i8[8]", "  const %s : f32[] = [0.5]\n", "DequantizeLinear(%q, %s)", NULL },
    { "%q : i32[8], %p : i32[8]", "", "Pow(%q, %p)", "there is no shader for powers of integers" },
    { "%q : f32[2,8]", "", "Relu(%q)", NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = g_strdup_printf (
          "main (%%x : f32[8], %s) {\n%s  %%y = %s @ \"y\"\n  %%z = Sigmoid(%%x) @ \"z\"\n"
          "  return %%y, %%z\n}\n",
          rows[i].inputs, rows[i].constants, rows[i].node);
      g_autoptr (AssayWork) work = gpu_fixture_work (text);
      AssayProgram *program = assay_work_get_program (work, NULL, NULL);
      const AssayDelegatePlan *plan = assay_delegate_program_get_plan (
          ASSAY_DELEGATE_PROGRAM (program), FALSE);

      g_test_message ("%s: %s", rows[i].node, plan->reasons[1]);
      g_assert_cmpstr (plan->reasons[1], ==, rows[i].reason);
    }
}

/* The registry has it, and nothing here can run it. */
static void
test_unknown (void)
{
  g_autoptr (AssayWork) work = gpu_fixture_work_set (
      "main (%x : f32[8]) {\n  %y = org.pytorch.aten::flip(%x) : f32[8] @ \"y\"\n"
      "  return %y\n}\n",
      NULL);
  g_autoptr (GError) error = NULL;
  AssayVerdicts *verdicts = assay_work_get_verdicts (work, NULL, &error);
  const AssayVerdict *verdict;

  g_assert_no_error (error);
  verdict = assay_verdicts_get (verdicts, 1);
  g_assert_cmpint (verdict->earlier->kind, ==, ASSAY_VERDICT_SUPPORTED);
  g_assert_cmpint (verdict->kind, ==, ASSAY_VERDICT_REJECTED);
  g_assert_cmpint (verdict->stage, ==, ASSAY_STAGE_COMPILE);
  g_assert_cmpstr (verdict->rule, ==, "builtin.unknown-function");
  g_assert_cmpstr (verdict->reason, ==,
                   "The delegate takes it, and nothing here knows what it computes");
}

TEST_PROGRAM (gpu_plans)
{
  char *folder = gpu_fixture_init ();

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/gpu-plans/families", test_plans);
  g_test_add_func ("/gpu-plans/reasons", test_reasons);
  g_test_add_func ("/gpu-plans/unknown", test_unknown);

  return gpu_fixture_finish (folder, g_test_run ());
}
