/* test-gpu-plan.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Programs of delegates without a device: who runs what, what lies where, and what a helper that
 * is handed a plan believes of it.
 */
#include "gpu-fixture.h"

#include <glib/gstdio.h>

#include "backend/assay-program-class.h"
#include "base/assay-error.h"

/* A bound that takes effect in a convolution, a node that the delegate does not take, and one that
 * it takes and that has no shader. */
static const char model[] =
    "main (%x : f32[1,4,6,6]) {\n"
    "  const %w : f32[4,4,1,1] = [0.5, -1.0, 0.25, 1.5, 0.75, -0.5, 0.5, -1.0, 0.25, 1.5, 0.75, "
    "-0.5, 1.0, 2.0, 3.0, 4.0]\n"
    "  %a = Conv(%x, %w) @ \"conv\"\n"
    "  %b = Relu(%a) @ \"relu\"\n"
    "  %c = Erf(%b) @ \"erf\"\n"
    "  %d = Add(%c, %b) @ \"add\"\n"
    "  %e = Sigmoid(%d) @ \"sigmoid\"\n"
    "  %f = Exp(%e) @ \"exp\"\n"
    "  %g = Cast(%f) {to = 6} @ \"cast\"\n"
    "  %h = Pow(%g, %g) @ \"power\"\n"
    "  return %h\n"
    "}\n";

static AssayDelegatePlace
place_of (AssayProgram *program, const char *name)
{
  AssayDelegateProgram *self = ASSAY_DELEGATE_PROGRAM (program);
  AssayGraph *graph = assay_delegate_program_get_graph (self);

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    if (g_str_equal (assay_graph_node (graph, id)->name, name))
      return assay_delegate_program_get_plan (self, FALSE)->places[id];

  g_assert_not_reached ();
}

/* Two tensors that are there in one step do not overlap, and each lies within its memory. */
static void
check_memory (const AssayDelegatePlan *plan)
{
  for (guint i = 0; i < plan->lives->len; i++)
    {
      const AssayGpuLife *a = &g_array_index (plan->lives, AssayGpuLife, i);
      const AssayGpuTensor *x = &g_array_index (plan->gpu->tensors, AssayGpuTensor, a->tensor);

      g_assert_cmpuint (x->base + x->size, <=, plan->gpu->space_bytes[ASSAY_GPU_WORK]);
      for (guint j = 0; j < i; j++)
        {
          const AssayGpuLife *b = &g_array_index (plan->lives, AssayGpuLife, j);
          const AssayGpuTensor *y = &g_array_index (plan->gpu->tensors, AssayGpuTensor, b->tensor);

          g_assert_true (a->died < b->born || b->died < a->born || x->base + x->size <= y->base ||
                         y->base + y->size <= x->base);
        }
    }
}

static void
test_plan (void)
{
  g_autoptr (AssayWork) work = gpu_fixture_work (model);
  AssayProgram *program = assay_work_get_program (work, NULL, NULL);
  AssayDelegateProgram *self = ASSAY_DELEGATE_PROGRAM (program);
  const AssayDelegatePlan *plan = assay_delegate_program_get_plan (self, FALSE);
  const AssayDelegatePlan *watched = assay_delegate_program_get_plan (self, TRUE);
  g_autoptr (GString) listing = g_string_new (NULL);
  g_autoptr (GError) error = NULL;

  g_assert_cmpstr (assay_program_get_machine (program), ==, "vulkan");
  g_assert_false (assay_program_counts_cycles (program));
  g_assert_cmpint (place_of (program, "conv"), ==, ASSAY_DELEGATE_DEVICE);
  g_assert_cmpint (place_of (program, "relu"), ==, ASSAY_DELEGATE_DEVICE);
  g_assert_cmpint (place_of (program, "erf"), ==, ASSAY_DELEGATE_HOST);
  g_assert_cmpint (place_of (program, "sigmoid"), ==, ASSAY_DELEGATE_DEVICE);
  g_assert_cmpint (place_of (program, "power"), ==, ASSAY_DELEGATE_HOST);
  g_assert_cmpuint (assay_delegate_program_count_left (self), ==, 1);

  /* Two submissions; the bound is no dispatch of its own. */
  g_assert_cmpuint (plan->gpu->submissions->len, ==, 2);
  g_assert_cmpuint (plan->gpu->dispatches->len, ==, 5);
  g_assert_cmpuint (watched->gpu->dispatches->len, ==, 5);
  g_assert_true (assay_gpu_plan_verify (plan->gpu, &error));
  g_assert_true (assay_gpu_plan_verify (watched->gpu, &error));
  check_memory (plan);
  check_memory (watched);
  g_assert_cmpuint (plan->gpu->space_bytes[ASSAY_GPU_WORK], <,
                    watched->gpu->space_bytes[ASSAY_GPU_WORK]);

  assay_program_append_listing (program, 0, 0, listing);
  g_assert_nonnull (strstr (listing->str, "et_vk.conv_with_clamp"));
  g_assert_nonnull (strstr (listing->str, "host      Erf"));
  g_assert_nonnull (strstr (listing->str, "there is no shader for powers of integers"));
}

/* A file says the same as the program that it was written from. */
static void
test_file (void)
{
  g_autoptr (AssayWork) work = gpu_fixture_work (model);
  AssayProgram *program = assay_work_get_program (work, NULL, NULL);
  g_autoptr (GBytes) bytes = assay_program_save_bytes (program);
  g_autoptr (GBytes) again = NULL;
  g_autoptr (GString) a = g_string_new (NULL);
  g_autoptr (GString) b = g_string_new (NULL);
  g_autoptr (AssayProgram) loaded = NULL;
  g_autoptr (GError) error = NULL;
  gsize size;
  const char *data = g_bytes_get_data (bytes, &size);

  loaded = assay_program_load_bytes (bytes, &error);
  g_assert_no_error (error);
  again = assay_program_save_bytes (loaded);
  g_assert_true (g_bytes_equal (bytes, again));
  assay_program_append_listing (program, 0, 0, a);
  assay_program_append_listing (loaded, 0, 0, b);
  g_assert_cmpstr (a->str, ==, b->str);

  /* Cut short anywhere in what stands before the graph, it is refused. */
  for (gsize n = 30; n < size && strncmp (data + n - 4, "main", 4) != 0; n++)
    {
      g_autoptr (GBytes) cut = g_bytes_new (data, n);
      g_autoptr (AssayProgram) none = assay_program_load_bytes (cut, NULL);

      g_assert_null (none);
    }
}

typedef struct
{
  const char *what;
  void (*break_it) (AssayGpuPlan *plan);
} Fault;

#define DISPATCH(plan) (&g_array_index ((plan)->dispatches, AssayGpuDispatch, 1))
#define TENSOR(plan) (&g_array_index ((plan)->tensors, AssayGpuTensor, 0))
#define COPY(plan) (&g_array_index ((plan)->copies, AssayGpuCopy, 0))
#define PART(plan) (&g_array_index ((plan)->submissions, AssayGpuSubmission, 1))
#define FAULT(name, statement)                                                                     \
  static void name (AssayGpuPlan *plan)                                                            \
  {                                                                                                \
    statement;                                                                                     \
  }

FAULT (shader, DISPATCH (plan)->shader = ASSAY_GPU_N_SHADERS)
FAULT (n_tensors, DISPATCH (plan)->n_tensors++)
FAULT (tensor, DISPATCH (plan)->tensors[0] = plan->tensors->len)
FAULT (words, DISPATCH (plan)->first_word = plan->words->len)
FAULT (n_words, DISPATCH (plan)->n_words = G_MAXUINT32)
FAULT (count, DISPATCH (plan)->count++)
FAULT (none, DISPATCH (plan)->count = 0)
FAULT (space, TENSOR (plan)->space = ASSAY_GPU_N_SPACES)
FAULT (base, TENSOR (plan)->base += ASSAY_GPU_ALIGNMENT * 1024)
FAULT (crooked, TENSOR (plan)->base += 4)
FAULT (size, TENSOR (plan)->size = G_MAXUINT64 - 3)
FAULT (empty, TENSOR (plan)->size = 0)
FAULT (shared, COPY (plan)->shared = plan->shared_bytes)
FAULT (copied, COPY (plan)->tensor = G_MAXUINT32)
FAULT (first, PART (plan)->first_dispatch = plan->dispatches->len + 1)
FAULT (last, PART (plan)->n_out = G_MAXUINT32)
FAULT (much, plan->space_bytes[ASSAY_GPU_WORK] = G_MAXUINT64)
FAULT (weights, plan->space_bytes[ASSAY_GPU_WEIGHTS] = plan->shared_bytes + 1)

/* The process that owns a device believes nothing. */
static void
test_hostile (void)
{
  static const Fault faults[] = {
    { "shader", shader },   { "n_tensors", n_tensors }, { "tensor", tensor }, { "words", words },
    { "n_words", n_words }, { "count", count },         { "none", none },     { "space", space },
    { "base", base },       { "crooked", crooked },     { "size", size },     { "empty", empty },
    { "shared", shared },   { "copied", copied },       { "first", first },   { "last", last },
    { "much", much },       { "weights", weights },
  };
  g_autoptr (AssayWork) work = gpu_fixture_work (model);
  AssayDelegateProgram *program = ASSAY_DELEGATE_PROGRAM (
      assay_work_get_program (work, NULL, NULL));
  g_autoptr (GBytes)
      bytes = assay_gpu_plan_to_bytes (assay_delegate_program_get_plan (program, FALSE)->gpu);
  gsize n;
  const guint8 *data = g_bytes_get_data (bytes, &n);

  for (guint i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayGpuPlan) plan = assay_gpu_plan_from_bytes (bytes, &error);
      g_autoptr (GBytes) broken = NULL;
      g_autoptr (AssayGpuPlan) read = NULL;

      g_assert_no_error (error);
      faults[i].break_it (plan);
      broken = assay_gpu_plan_to_bytes (plan);
      read = assay_gpu_plan_from_bytes (broken, &error);
      g_test_message ("%s", faults[i].what);
      g_assert_null (read);
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_LOAD);
    }

  /* Every byte counts: of the digest, or for it. */
  for (gsize i = 0; i < n; i += 7)
    {
      g_autofree guint8 *changed = g_memdup2 (data, n);
      g_autoptr (GBytes) broken = NULL;
      g_autoptr (AssayGpuPlan) read = NULL;

      changed[i] ^= 0x10;
      broken = g_bytes_new (changed, n);
      read = assay_gpu_plan_from_bytes (broken, NULL);
      g_assert_null (read);
    }
}

/* What may become of a helper: it says what is wrong, ends at any time, talks nonsense, or is
 * silent. The error is its own or ours, and never a run that goes on. */
static void
test_bad_helpers (void)
{
  static const struct
  {
    const char *script;
    const char *words;
  } helpers[] = {
    { "exit 1", NULL },
    { "echo 'error the device is made of glass'", "the device is made of glass" },
    { "echo hello; cat > /dev/null", "assay-gpu gave no answer" },
    { "echo 'ready one'; exec < /dev/null; exit 3", NULL },
    { "echo 'ready one'; dd bs=1 count=1 > /dev/null 2>&1; echo 'error device lost'",
      "device lost" },
    { "exec sleep 600", "no answer in 1 s" },
  };
  g_autoptr (AssayWork) work = gpu_fixture_work ("main (%x : f32[4]) {\n  %y = Sigmoid(%x)\n"
                                                 "  return %y\n}\n");
  AssayRunSubject *subject = assay_work_get_subject (work, TRUE, NULL, NULL);
  g_autofree char *folder = g_dir_make_tmp ("assay-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "assay-gpu", NULL);
  g_autofree char *before = g_strdup (g_getenv ("ASSAY_HELPERS"));
  const float values[] = { 1, 2, 3, 4 };
  const gint64 dims[] = { 4 };
  g_autoptr (AssayTensor) tensor = assay_tensor_new_f32 (1, dims, values);
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();

  g_ptr_array_add (inputs, tensor);
  g_setenv ("ASSAY_HELPERS", folder, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (helpers); i++)
    {
      const AssayRunnerOptions options = { .seconds = i + 1 == G_N_ELEMENTS (helpers) ? 1 : 0 };
      g_autofree char *script = g_strdup_printf ("#!/bin/sh\n%s\n", helpers[i].script);
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayRunner) runner = NULL;
      g_autoptr (GPtrArray) outputs = NULL;

      g_assert_true (
          g_file_set_contents_full (path, script, -1, G_FILE_SET_CONTENTS_NONE, 0700, &error));
      runner = assay_runner_open ("vulkan", subject, &options, NULL, &error);
      if (runner != NULL)
        outputs = assay_runner_run (runner, inputs, NULL, NULL, &error);
      g_test_message ("%s: %s", helpers[i].script, error != NULL ? error->message : "no error");
      g_assert_null (outputs);
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE);
      if (helpers[i].words != NULL)
        g_assert_nonnull (strstr (error->message, helpers[i].words));
    }

  /* None at all. */
  g_assert_cmpint (g_unlink (path), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  if (before != NULL)
    g_setenv ("ASSAY_HELPERS", before, TRUE);
  else
    g_unsetenv ("ASSAY_HELPERS");
}

int
main (int argc, char **argv)
{
  char *folder = gpu_fixture_init ();

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/gpu-plan/plan", test_plan);
  g_test_add_func ("/gpu-plan/file", test_file);
  g_test_add_func ("/gpu-plan/hostile", test_hostile);
  g_test_add_func ("/gpu-plan/bad-helpers", test_bad_helpers);

  return gpu_fixture_finish (folder, g_test_run ());
}
