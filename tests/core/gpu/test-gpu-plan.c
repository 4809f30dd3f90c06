/* test-gpu-plan.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Programs of delegates without a device: who runs what, what lies where, and what a helper that
 * is handed a plan believes of it.
 */
#include "gpu-families.h"
#include "test-program.h"

#include <glib/gstdio.h>

#include "backend/assay-program-class.h"
#include "backend/assay-program-metrics.h"
#include "backend/delegate/assay-delegate-device.h"
#include "base/assay-error.h"
#include "session/analysis/assay-remedy.h"

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

/* Weights that are known are packed, and what is around an image taken as zeros, which only finite
 * weights make nothing of; all else is done element by element. */
static void
test_vec4 (void)
{
  static const struct
  {
    const char *text;
    guint n_vec4;
  } models[] = {
    { "main (%x : f32[1,1,4,4]) {\n  const %w : f32[1,1,1,3] = [1, 2, 3]\n"
      "  %y = Conv(%x, %w) {pads = [0, 1, 0, 1]}\n  return %y\n}\n",
      1 },
    { "main (%x : f32[1,1,4,4]) {\n  const %w : f32[1,1,1,3] = [1, inf, 3]\n"
      "  %y = Conv(%x, %w) {pads = [0, 1, 0, 1]}\n  return %y\n}\n",
      0 },
    { "main (%x : f32[1,1,4,4], %w : f32[1,1,1,3]) {\n"
      "  %y = Conv(%x, %w) {pads = [0, 1, 0, 1]}\n  return %y\n}\n",
      0 },
    { "main (%x : f32[1,1,4,30]) {\n  const %w : f32[1,1,1,3] = [1, 2, 3]\n"
      "  %y = Conv(%x, %w) {dilations = [1, 8]}\n  return %y\n}\n",
      0 },
    { "main (%x : f32[1,1,4,30]) {\n  %y = MaxPool(%x) {kernel_shape = [1, 12]}\n"
      "  %z = MaxPool(%x) {kernel_shape = [1, 20]}\n  return %y, %z\n}\n",
      1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (models); i++)
    {
      g_autoptr (AssayWork) work = gpu_fixture_work (models[i].text);
      AssayDelegateProgram *program = ASSAY_DELEGATE_PROGRAM (
          assay_work_get_program (work, NULL, NULL));
      const GArray *dispatches = assay_delegate_program_get_plan (program, FALSE)->gpu->dispatches;
      guint n = 0;

      for (guint j = 0; j < dispatches->len; j++)
        n += assay_gpu_shader_reads_vec4 (g_array_index (dispatches, AssayGpuDispatch, j).shader,
                                          0);
      g_assert_cmpuint (n, ==, models[i].n_vec4);
    }
}

/* A file says the same as the program that it was written from. */
static void
test_file (void)
{
  g_autoptr (AssayWork) work = gpu_fixture_work (model);
  AssayProgram *program = assay_work_get_program (work, NULL, NULL);
  g_autoptr (GBytes) bytes = assay_program_save_bytes (program, NULL);
  g_autoptr (GBytes) again = NULL;
  g_autoptr (GString) a = g_string_new (NULL);
  g_autoptr (GString) b = g_string_new (NULL);
  g_autoptr (AssayProgram) loaded = NULL;
  g_autoptr (GError) error = NULL;
  gsize size;
  const char *data = g_bytes_get_data (bytes, &size);

  loaded = assay_program_load_bytes (bytes, &error);
  g_assert_no_error (error);
  again = assay_program_save_bytes (loaded, NULL);
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
FAULT (reach, DISPATCH (plan)->shader = ASSAY_GPU_SHADER_POOL_VEC4_F32;
       DISPATCH (plan)->n_tensors = 2; DISPATCH (plan)->op = ASSAY_GPU_LINE (15, 7, 7))
FAULT (tapless, DISPATCH (plan)->shader = ASSAY_GPU_SHADER_POOL_VEC4_F32;
       DISPATCH (plan)->n_tensors = 2; DISPATCH (plan)->op = ASSAY_GPU_LINE (0, 1, 1))
FAULT (texture, DISPATCH (plan)->textures = 1)
FAULT (flat, TENSOR (plan)->space = ASSAY_GPU_TEXTURES;
       plan->space_bytes[ASSAY_GPU_TEXTURES] = 4096)
FAULT (weights, plan->space_bytes[ASSAY_GPU_WEIGHTS] = plan->shared_bytes + 1)

FAULT (far, g_array_index (plan->words, gint32, DISPATCH (plan)->first_word) = G_MININT32;
       DISPATCH (plan)->count = 1u << 31)
FAULT (wordless, DISPATCH (plan)->n_words = 0)
FAULT (uneven, TENSOR (plan)->size -= 2)
FAULT (aside, COPY (plan)->shared += 2)
FAULT (constant, COPY (plan)->tensor = DISPATCH (plan)->tensors[1];
       g_array_index (plan->tensors, AssayGpuTensor, COPY (plan)->tensor).space = ASSAY_GPU_WEIGHTS)
FAULT (written, g_array_index (plan->tensors, AssayGpuTensor,
                               DISPATCH (plan)->tensors[DISPATCH (plan)->n_tensors - 1])
                    .space = ASSAY_GPU_WEIGHTS)
FAULT (begin, PART (plan)->first_in = G_MAXUINT32)
FAULT (dispatched, PART (plan)->n_dispatches = G_MAXUINT32)
FAULT (beyond, plan->shared_bytes = G_MAXUINT64)

/* The first texture of a plan, and the first dispatch that is given one. */
static AssayGpuTensor *
texture_of (AssayGpuPlan *plan)
{
  for (guint i = 0; i < plan->tensors->len; i++)
    if (g_array_index (plan->tensors, AssayGpuTensor, i).space == ASSAY_GPU_TEXTURES)
      return &g_array_index (plan->tensors, AssayGpuTensor, i);

  g_assert_not_reached ();
}

static AssayGpuDispatch *
given_texture (AssayGpuPlan *plan)
{
  for (guint i = 0; i < plan->dispatches->len; i++)
    if (g_array_index (plan->dispatches, AssayGpuDispatch, i).textures != 0)
      return &g_array_index (plan->dispatches, AssayGpuDispatch, i);

  g_assert_not_reached ();
}

FAULT (thin, texture_of (plan)->extents[1] = 0)
FAULT (wide, texture_of (plan)->extents[0] = ASSAY_GPU_MOST_TEXELS + 1)
FAULT (more, texture_of (plan)->extents[2]++)
FAULT (halved, texture_of (plan)->is_half = !texture_of (plan)->is_half)
FAULT (untold, given_texture (plan)->textures = 0)
FAULT (shapeless, given_texture (plan)->first_shape = plan->words->len - 1)
FAULT (shaped, g_array_index (plan->words, gint32, given_texture (plan)->first_shape) = 0)
FAULT (buffers, given_texture (plan)->shader--)

/* Bytes with the digest that they have. */
static GBytes *
seal (const guint8 *data, gsize size)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  GByteArray *bytes = g_byte_array_new ();
  guint8 digest[32];
  gsize length = sizeof digest;

  g_checksum_update (sum, data, (gssize) size);
  g_checksum_get_digest (sum, digest, &length);
  g_byte_array_append (bytes, data, (guint) size);
  g_byte_array_append (bytes, digest, sizeof digest);

  return g_byte_array_free_to_bytes (bytes);
}

static void
assert_refused (GBytes *bytes, const char *what)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayGpuPlan) read = assay_gpu_plan_from_bytes (bytes, &error);

  g_test_message ("%s", what);
  g_assert_null (read);
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_LOAD);
}

static void
assert_faults_refused (const Fault *faults, guint n_faults, GBytes *bytes)
{
  for (guint i = 0; i < n_faults; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayGpuPlan) plan = assay_gpu_plan_from_bytes (bytes, &error);
      g_autoptr (GBytes) broken = NULL;

      g_assert_no_error (error);
      faults[i].break_it (plan);
      broken = assay_gpu_plan_to_bytes (plan);
      assert_refused (broken, faults[i].what);
    }
}

/* Lists that are longer or shorter than they say. */
static void
assert_lists_refused (GBytes *bytes)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  const gsize counts = 24 + 3 * 8 + 8;
  static const guint32 numbers[] = { 0, G_MAXUINT32, 1u << 26, (1u << 26) + 1 };

  size -= 32;
  for (gsize list = 0; list < 5; list++)
    for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
      {
        g_autofree guint8 *changed = g_memdup2 (data, size);
        g_autoptr (GBytes) broken = NULL;

        memcpy (changed + counts + 4 * list, &numbers[i], sizeof numbers[i]);
        broken = seal (changed, size);
        assert_refused (broken, "a list");
      }
}

/* The process that owns a device believes nothing. */
static void
test_hostile (void)
{
  static const Fault faults[] = {
    { "shader", shader },     { "n_tensors", n_tensors },
    { "tensor", tensor },     { "words", words },
    { "n_words", n_words },   { "count", count },
    { "none", none },         { "space", space },
    { "base", base },         { "crooked", crooked },
    { "size", size },         { "empty", empty },
    { "shared", shared },     { "copied", copied },
    { "first", first },       { "last", last },
    { "much", much },         { "weights", weights },
    { "texture", texture },   { "flat", flat },
    { "far", far },           { "wordless", wordless },
    { "uneven", uneven },     { "aside", aside },
    { "constant", constant }, { "written", written },
    { "begin", begin },       { "dispatched", dispatched },
    { "beyond", beyond },     { "reach", reach },
    { "tapless", tapless },
  };
  static const Fault of_textures[] = {
    { "thin", thin },     { "wide", wide },           { "more", more },     { "halved", halved },
    { "untold", untold }, { "shapeless", shapeless }, { "shaped", shaped }, { "buffers", buffers },
  };
  g_autoptr (AssayWork) work = gpu_fixture_work (model);
  g_autoptr (AssayWork) textured = gpu_fixture_work_with (model, TRUE);
  AssayDelegateProgram *program = ASSAY_DELEGATE_PROGRAM (
      assay_work_get_program (work, NULL, NULL));
  AssayDelegateProgram *other = ASSAY_DELEGATE_PROGRAM (
      assay_work_get_program (textured, NULL, NULL));
  g_autoptr (GBytes)
      bytes = assay_gpu_plan_to_bytes (assay_delegate_program_get_plan (program, FALSE)->gpu);
  g_autoptr (GBytes)
      texels = assay_gpu_plan_to_bytes (assay_delegate_program_get_plan (other, FALSE)->gpu);
  gsize n;
  const guint8 *data = g_bytes_get_data (bytes, &n);

  assert_faults_refused (faults, G_N_ELEMENTS (faults), bytes);
  assert_faults_refused (of_textures, G_N_ELEMENTS (of_textures), texels);
  assert_lists_refused (bytes);

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

/* Numbers of shaders and what they are told are those of a build: a plan of another one is whole,
 * and refused with the reason. */
static void
test_other_build (void)
{
  g_autoptr (AssayWork) work = gpu_fixture_work (model);
  AssayDelegateProgram *program = ASSAY_DELEGATE_PROGRAM (
      assay_work_get_program (work, NULL, NULL));
  g_autoptr (GBytes)
      bytes = assay_gpu_plan_to_bytes (assay_delegate_program_get_plan (program, FALSE)->gpu);
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  gsize n, length = 32;
  g_autofree char *changed = g_memdup2 (g_bytes_get_data (bytes, &n), g_bytes_get_size (bytes));
  char *shaders = NULL;
  g_autoptr (GBytes) other = NULL;
  g_autoptr (AssayGpuPlan) read = NULL;
  g_autoptr (GError) error = NULL;

  n = g_bytes_get_size (bytes);
  /* The only 64 digits on end. */
  for (gsize i = 0; i + 64 < n && shaders == NULL; i++)
    {
      gsize digits = 0;

      while (digits < 64 && g_ascii_isxdigit (changed[i + digits]))
        digits++;
      shaders = digits == 64 ? changed + i : NULL;
    }
  g_assert_nonnull (shaders);
  shaders[0] = shaders[0] == 'a' ? 'b' : 'a';
  g_checksum_update (sum, (const guchar *) changed, (gssize) (n - length));
  g_checksum_get_digest (sum, (guint8 *) changed + n - length, &length);
  other = g_bytes_new (changed, n);
  read = assay_gpu_plan_from_bytes (other, &error);
  g_assert_null (read);
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_LOAD);
  g_assert_nonnull (strstr (error->message, "assay and assay-gpu come from different builds"));
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

/* What every program tells, of one whose backend has little of its own to say. */
static void
test_told (void)
{
  g_autoptr (AssayWork) work = gpu_fixture_work (model);
  AssayProgram *program = assay_work_get_program (work, NULL, NULL);
  AssayGraph *graph = assay_delegate_program_get_graph (ASSAY_DELEGATE_PROGRAM (program));
  g_autoptr (AssayProgramMetrics) metrics = assay_program_metrics_new (program);
  g_autoptr (GArray) events = g_array_new (FALSE, FALSE, sizeof (AssayEvent));
  g_autoptr (GArray) path = NULL;
  g_autoptr (GArray) sensitivity = assay_program_find_sensitivity (program, 0);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *count = assay_program_dup_count (program, 448);
  g_autofree char *folder = g_dir_make_tmp ("assay-gpu-plan-XXXXXX", NULL);
  g_autofree char *file = g_build_filename (folder, "p", NULL);
  g_autoptr (AssayProgram) loaded = NULL;
  g_autoptr (GError) error = NULL;
  AssayTarget *target = gpu_fixture_target ("vulkan-main");
  g_autoptr (AssayProgram) built = NULL;
  AssayCompileModel two[2] = { { NULL } };
  AssayCycles cycles;
  guint n_found = 0;

  for (AssayValueId id = 1; id < assay_graph_n_values (graph); id++)
    {
      int axis = 0;
      gboolean found = assay_program_find_value (program, id, &axis);

      g_assert_cmpint (axis, ==, -1);
      g_assert_cmpint (found, ==, assay_program_find_value (program, id, NULL));
      if (found)
        g_assert_cmpint (assay_graph_value (graph, id)->kind, ==, ASSAY_VALUE_RESULT);
      n_found += found;
    }
  /* All results but that of the convolution whose bound is no dispatch of its own. */
  g_assert_cmpuint (n_found, ==, 7);

  g_assert_cmpuint (metrics->input_bytes[0], ==, 4 * 6 * 6 * sizeof (float));
  g_assert_cmpuint (metrics->output_bytes[0], ==, 4 * 6 * 6 * sizeof (gint32));
  assay_program_count_cycles (program, 0, NULL, &cycles, events);
  g_assert_cmpuint (events->len, >, 5);
  path = assay_program_link_events (program, events);
  g_assert_cmpuint (path->len, ==, 0);
  g_assert_cmpuint (sensitivity->len, ==, 0);
  g_assert_null (assay_program_find_ranges (program, 1));
  two[0].graph = two[1].graph = graph;
  g_assert_null (assay_delegate_program_build (target, two, 2, NULL, NULL, NULL, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED);
  g_clear_error (&error);
  built = assay_delegate_program_build (target, two, 1, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (assay_program_num_models (built), ==, 1);
  assay_program_append_memory (program, 0, text);
  assay_program_append_search (program, 0, text);
  g_assert_cmpstr (count, ==, "448");
  g_assert_cmpstr (assay_program_get_node_name (program, G_MAXUINT32), ==, "");
  g_assert_null (assay_program_new_io_only (program, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED);
  g_clear_error (&error);

  g_assert_true (assay_program_save (program, file, &error));
  loaded = assay_program_load (file, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (assay_program_model_name (loaded, 0), ==, assay_program_model_name (program, 0));
  g_assert_true (g_file_set_contents (file, "nothing", -1, NULL));
  g_assert_null (assay_program_load (file, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_LOAD);
  g_assert_true (g_str_has_prefix (error->message, file));
  g_clear_error (&error);
  g_assert_cmpint (g_unlink (file), ==, 0);
  g_assert_null (assay_program_load (file, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IO);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* Halves in textures: a file of it says so, and so does what is told of it. */
static void
test_halves (void)
{
  g_autoptr (AssayWork) plain = gpu_fixture_work_with (model, TRUE);
  AssayDelegateProgram *other = ASSAY_DELEGATE_PROGRAM (assay_work_get_program (plain, NULL, NULL));
  AssayGraph *graph = assay_delegate_program_get_graph (other);
  AssayTarget *target = gpu_fixture_target ("vulkan-main");
  g_autoptr (AssaySettings) settings = NULL;
  g_autoptr (AssayProgram) program = NULL;
  g_autoptr (AssayProgram) loaded = NULL;
  g_autoptr (AssayProgramMetrics) metrics = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GBytes) again = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GString) of_loaded = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  AssayCompileOptions options = { .model_name = "named" };
  const AssayCompileModel one = { .graph = graph };
  const AssayCycles *cycles;

  assay_settings_set_entry (&settings, ASSAY_SETTING_TARGET_OPTION, "storage_type_override",
                            "texture");
  assay_settings_set_entry (&settings, ASSAY_SETTING_TARGET_OPTION, "force_fp16", "true");
  options.settings = settings;
  program = assay_delegate_program_build (target, &one, 1, NULL, &options, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (assay_program_get_numbers (program), ==, ASSAY_DTYPE_F16);
  g_assert_cmpstr (assay_program_model_name (program, 0), ==, "named");

  bytes = assay_program_save_bytes (program, &error);
  loaded = assay_program_load_bytes (bytes, &error);
  g_assert_no_error (error);
  g_assert_cmpint (assay_program_get_numbers (loaded), ==, ASSAY_DTYPE_F16);
  again = assay_program_save_bytes (loaded, &error);
  g_assert_true (g_bytes_equal (bytes, again));

  assay_program_append_listing (program, 0, 0, text);
  assay_program_append_memory (program, 0, text);
  assay_program_append_listing (loaded, 0, 0, of_loaded);
  assay_program_append_memory (loaded, 0, of_loaded);
  g_assert_cmpstr (text->str, ==, of_loaded->str);
  g_assert_nonnull (strstr (text->str, "textures-f16"));
  metrics = assay_program_metrics_new (program);
  g_assert_cmpuint (metrics->input_bytes[0], ==, 4 * 6 * 6 * sizeof (float));
  cycles = assay_program_get_cycles (program, 0);
  g_assert_true (assay_program_get_cycles (program, 0) == cycles);
}

#define HEAD "assay delegate program 1\n"
#define GRAPH "\nmain (%x : f32[2]) {\n  %a = Relu(%x) @ \"a\"\n  return %a\n}\n"

static void
test_lines (void)
{
  static const struct
  {
    const char *text;
    const char *message; /* NULL if it is good */
  } cases[] = {
    { HEAD "vulkan-main\nd 0 aten.relu\n" GRAPH, NULL },
    { HEAD "vulkan-main\nh 0 \n" GRAPH, NULL },
    { HEAD "vulkan-main\nt 0 aten.relu\n" GRAPH, NULL },
    { HEAD "vulkan-main\nhalf\nd 0 aten.relu\n" GRAPH, NULL },
    { HEAD "vulkan-main\nhalf\n" GRAPH, "it does not say of each node where it runs" },
    { HEAD "vulkan-main\nlimits 3 4 5 6 7 halves\nd 0 aten.relu\n" GRAPH, NULL },
    { HEAD "vulkan-main\nhalf\nlimits 3 4 5 6 7 words\nd 0 aten.relu\n" GRAPH, NULL },
    { HEAD "vulkan-main\nlimits 3 4 5 6 7 bytes\nd 0 aten.relu\n" GRAPH,
      "it does not say what its device has" },
    { HEAD "vulkan-main\nlimits 3 4 5 6 halves\nd 0 aten.relu\n" GRAPH,
      "it does not say what its device has" },
    { HEAD "vulkan-main\nlimits 3 4 0 6 7 halves\nd 0 aten.relu\n" GRAPH,
      "it does not say what its device has" },
    { HEAD "vulkan-main\nlimits 3 4 -5 6 7 halves\nd 0 aten.relu\n" GRAPH,
      "it does not say what its device has" },
    { HEAD "vulkan-main\nlimits \nd 0 aten.relu\n" GRAPH, "it does not say what its device has" },
    { HEAD "vulkan-main\nd 0 aten.relu\nhalf\n" GRAPH,
      "it does not say of each node where it runs" },
    { HEAD "vulkan-main\nd 0 aten.relu", "cut short" },
    { HEAD, "of another kind" },
    { HEAD "vulkan-main", "cut short" },
    { HEAD "vulkan-main\nd 0 aten.relu\n\nnothing", "*" },
    { HEAD "vulkan-main\n" GRAPH, "it does not say of each node where it runs" },
    { HEAD "vulkan-main\nd 0 a\nd 0 b\n" GRAPH, "it does not say of each node where it runs" },
    { HEAD "vulkan-main\nx 0 a\n" GRAPH, "it does not say of a node where it runs" },
    { HEAD "vulkan-main\nd0 a\n" GRAPH, "it does not say of a node where it runs" },
    { HEAD "vulkan-main\nd -1 a\n" GRAPH, "it does not say of a node where it runs" },
    { HEAD "vulkan-main\nd 0a\n" GRAPH, "it does not say of a node where it runs" },
    { HEAD "vulkan-main\nd 2 a\n" GRAPH, "it does not say of a node where it runs" },
  };
  g_autoptr (GBytes) other = g_bytes_new_static ("assay", 5);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new_static (cases[i].text, strlen (cases[i].text));
      g_autoptr (AssayProgram) program = assay_delegate_program_load (bytes, &error);
      g_autofree char *expected = g_strdup_printf (
          "program of a delegate: %s", cases[i].message != NULL ? cases[i].message : "");

      if ((program != NULL) != (cases[i].message == NULL))
        g_error ("%s: %s", cases[i].text, program != NULL ? "taken" : error->message);
      if (program == NULL && !g_pattern_match_simple (expected, error->message))
        g_error ("%s: %s, expected %s", cases[i].text, error->message, expected);
      g_clear_error (&error);
    }
  g_assert_null (assay_delegate_program_load (other, &error));
  g_assert_cmpstr (error->message, ==, "program of a delegate: of another kind");
}

#define PROPERTIES "\"VkPhysicalDeviceProperties\": "
#define LIMITS "\"limits\": { \"maxImageDimension3D\": 512, \"maxStorageBufferRange\": 1024 }"
#define FEATURES(half)                                                                             \
  "{ " PROPERTIES "{ " LIMITS " }, \"a\": 3, \"b\": { \"storageBuffer16BitAccess\": " half " } }"

#define WITH_LIMIT(limit)                                                                          \
  "{ " PROPERTIES                                                                                  \
  "{ \"limits\": { \"maxImageDimension3D\": 512, \"maxStorageBufferRange\": 1024, " limit " } } }"
#define WITH_MEMORY(memory)                                                                        \
  "{ " PROPERTIES "{ " LIMITS " }, \"VkPhysicalDeviceMemoryProperties\": " memory " }"

/* Profiles of devices: what is taken of them, and what they may not be. */
static void
test_devices (void)
{
  static const struct
  {
    const char *json;
    const char *name; /* of the device; NULL if it is refused */
    gboolean has_half;
    const char *message;
  } cases[] = {
    { "{ " PROPERTIES "{ \"deviceName\": \"gpu\", " LIMITS " } }", "gpu", FALSE, NULL },
    { FEATURES ("true"), "p.json", TRUE, NULL },
    { FEATURES ("1"), "p.json", TRUE, NULL },
    { FEATURES ("0"), "p.json", FALSE, NULL },
    { FEATURES ("\"yes\""), "p.json", FALSE, NULL },
    { FEATURES ("[true]"), "p.json", FALSE, NULL },
    { "{ \"capabilities\": { \"a\": {}, \"b\": { \"properties\": { " PROPERTIES "{ " LIMITS
      " } } }, \"c\": { \"properties\": { " PROPERTIES "{ \"deviceName\": \"second\" } } } } }",
      "p.json", FALSE, NULL },
    { "{}", NULL, FALSE, "*: there is no “VkPhysicalDeviceProperties”: a file of*" },
    { "[]", NULL, FALSE, "*" },
    { "{ " PROPERTIES "3 }", NULL, FALSE, "*" },
    { "{ " PROPERTIES "{} }", NULL, FALSE, "*there are no “limits”*" },
    { "{ " PROPERTIES "{ \"limits\": {} } }", NULL, FALSE, "*there is no “maxImageDimension3D”*" },
    { "{ " PROPERTIES "{ \"limits\": { \"maxImageDimension3D\": 0, \"maxStorageBufferRange\": 1 "
      "} } }",
      NULL, FALSE, "*maxImageDimension3D*" },
    { "{ \"capabilities\": { \"a\": { \"properties\": 3 } } }", NULL, FALSE, "*" },
    { WITH_LIMIT ("\"maxComputeWorkGroupCount\": 3"), NULL, FALSE, "*maxComputeWorkGroupCount*" },
    { WITH_LIMIT ("\"maxComputeWorkGroupCount\": [3]"), NULL, FALSE, "*numbers from 1 on*" },
    { WITH_LIMIT ("\"maxComputeWorkGroupCount\": [3, 0]"), NULL, FALSE, "*numbers from 1 on*" },
    { WITH_LIMIT ("\"maxComputeWorkGroupCount\": [3, \"2\"]"), NULL, FALSE, "*numbers from 1 on*" },
    { WITH_LIMIT ("\"maxPerStageDescriptorStorageBuffers\": 0"), NULL, FALSE,
      "*maxPerStageDescriptorStorageBuffers*" },
    { WITH_MEMORY ("3"), NULL, FALSE, "*VkPhysicalDeviceMemoryProperties*" },
    { WITH_MEMORY ("{ \"memoryHeaps\": 3 }"), NULL, FALSE, "*memoryHeaps*" },
    { WITH_MEMORY ("{ \"memoryHeaps\": [ 3 ] }"), NULL, FALSE, "*memoryHeaps*" },
    { WITH_MEMORY ("{ \"memoryHeaps\": [ { \"size\": 0 } ] }"), NULL, FALSE, "*size*" },
  };
  static const char *const names[] = { "lavapipe", "mobile" };
  static const struct
  {
    const char *name;
    const char *message;
  } none[] = {
    { "nonesuch", "device profile nonesuch: expected one of *lavapipe*" },
    { "/nonexistent/p.json", "/nonexistent/p.json: No such file or directory" },
    { "nonesuch.json", "nonesuch.json: No such file or directory" },
    { "vulkan:no such device", "*" },
  };
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new_static (cases[i].json, strlen (cases[i].json));
      g_autoptr (AssayDelegateDevice) device = assay_delegate_device_new (bytes, "p.json", &error);

      if ((device != NULL) != (cases[i].name != NULL))
        g_error ("%s: %s", cases[i].json, device != NULL ? "taken" : error->message);
      if (device == NULL)
        {
          g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
          if (!g_pattern_match_simple (cases[i].message, error->message))
            g_error ("%s: %s, expected %s", cases[i].json, error->message, cases[i].message);
          g_clear_error (&error);
          continue;
        }
      g_assert_cmpstr (device->name, ==, cases[i].name);
      g_assert_cmpint (device->limits.texture, ==, 512);
      g_assert_cmpint (device->limits.has_half, ==, cases[i].has_half);
    }
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (AssayDelegateDevice) device = assay_delegate_device_load (names[i], &error);

      g_assert_no_error (error);
      g_assert_cmpint (device->limits.texture, >, 1);
    }
  for (guint i = 0; i < G_N_ELEMENTS (none); i++)
    {
      g_assert_null (assay_delegate_device_load (none[i].name, &error));
      g_assert_true (g_pattern_match_simple (none[i].message, error->message));
      g_clear_error (&error);
    }
  assay_delegate_device_free (NULL);
}

#define LISTED(label)                                                                              \
  "{ \"name\": \"vulkan:0\", \"label\": " label ", \"type\": \"cpu\", \"api\": \"1.3.0\", "        \
  "\"driver\": \"d\", \"driver_version\": \"1\", \"heaps\": [ { \"bytes\": 1, \"local\": true } "  \
  "], "                                                                                            \
  "\"limits\": { \"storage_buffer_bytes\": 1024, \"texture_3d\": 512, \"groups\": 3, "             \
  "\"group_rows\": 2, \"buffers\": 5, "                                                            \
  "\"invocations\": 1, \"shared_bytes\": 1, \"f16\": true, \"i8\": false, \"timestamps\": true } " \
  "}"
#define BOTH "{ \"devices\": [ " LISTED ("\"Big card\"") ", " LISTED ("\"Small card\"") " ] }"

/* A device of this computer, which a helper lists that has loaded drivers: by its number, by a part
 * of its name, or the first; and what the list may not be. */
static void
test_listed_devices (void)
{
  static const struct
  {
    const char *list;
    const char *asked;
    const char *name; /* of the device, or NULL */
    const char *message;
  } cases[] = {
    { BOTH, "vulkan", "Big card", NULL },
    { BOTH, "vulkan:", "Big card", NULL },
    { BOTH, "vulkan:0", "Big card", NULL },
    { BOTH, "vulkan:1", "Small card", NULL },
    { BOTH, "vulkan:Small", "Small card", NULL },
    { BOTH, "vulkan:card", "Big card", NULL },
    { BOTH, "vulkan:2", NULL, "there is no Vulkan device 2; assay boards lists them" },
    { "{ \"devices\": [] }", "vulkan", NULL, "there is no Vulkan device*" },
    { "error no driver", "vulkan:0", NULL, "no driver" },
    { "", "vulkan:0", NULL, "assay-gpu did not list its devices: *" },
    { "[]", "vulkan:0", NULL, "assay-gpu did not list its devices: *" },
    { "{}", "vulkan:0", NULL, "assay-gpu did not list its devices: *no “devices”*" },
    { "{ \"devices\": 3 }", "vulkan:a", NULL, "assay-gpu did not list its devices: *list*" },
    { "{ \"devices\": [ 3 ] }", "vulkan:a", NULL, "assay-gpu did not list its devices: *object*" },
    { "{ \"devices\": [ {} ] }", "vulkan:a", NULL, "*member \"name\" is missing*" },
    { "{ \"devices\": [ " LISTED ("7") " ] }", "vulkan:a", NULL, "*label*string*" },
    { "{ \"devices\": [ { \"limits\": 3 } ] }", "vulkan:a", NULL, "*limits*object*" },
    { "{ \"devices\": [ { \"heaps\": 3 } ] }", "vulkan:a", NULL, "*heaps*list*" },
  };
  g_autofree char *folder = g_dir_make_tmp ("assay-list-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "assay-gpu", NULL);
  g_autofree char *before = g_strdup (g_getenv ("ASSAY_HELPERS"));

  g_setenv ("ASSAY_HELPERS", folder, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *script = g_strdup_printf ("#!/bin/sh\ncat <<'END'\n%s\nEND\n",
                                                 cases[i].list);
      g_autofree char *expected = NULL;
      g_autoptr (AssayDelegateDevice) device = NULL;
      g_autoptr (GError) error = NULL;

      g_assert_true (g_file_set_contents (path, script, -1, NULL));
      g_chmod (path, 0700);
      device = assay_delegate_device_load (cases[i].asked, &error);
      if (cases[i].name != NULL)
        {
          g_assert_no_error (error);
          g_assert_cmpstr (device->name, ==, cases[i].name);
          g_assert_cmpint (device->limits.texture, ==, 512);
          g_assert_cmpint (device->limits.buffer_bytes, ==, 1024);
          g_assert_cmpint (device->limits.groups, ==, 6);
          g_assert_cmpint (device->limits.buffers, ==, 5);
          g_assert_cmpint (device->limits.memory_bytes, ==, 1);
          g_assert_true (device->limits.has_half && !device->limits.has_byte);
          g_assert_true (device->limits.computes_half);
          continue;
        }
      g_assert_null (device);
      expected = g_strdup_printf ("device profile %s: %s", cases[i].asked, cases[i].message);
      if (!g_pattern_match_simple (expected, error->message))
        g_error ("%s: “%s”, expected “%s”", cases[i].list, error->message, expected);
    }

  if (before != NULL)
    g_setenv ("ASSAY_HELPERS", before, TRUE);
  else
    g_unsetenv ("ASSAY_HELPERS");
  g_remove (path);
  g_rmdir (folder);
}

/* What the delegate itself does with memory is told, where the program does otherwise: a
 * convolution takes textures packed along the channels alone, what comes from others is moved. */
static void
test_layouts (void)
{
  g_autoptr (AssayWork) work = gpu_fixture_work (
      "main (%x : f32[1,4,6,6]) {\n  const %w : f32[4,4,1,1] = [1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, "
      "4.0, 1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0]\n  %a = Sigmoid(%x)\n  %b = Conv(%a, %w)\n"
      "  %c = Relu(%b)\n  %d = Softmax(%c)\n  return %d\n}\n");
  AssayProgram *program = assay_work_get_program (work, NULL, NULL);
  AssayVerdicts *verdicts = assay_work_get_verdicts (work, NULL, NULL);
  g_autoptr (AssayProgramMetrics) metrics = assay_program_metrics_new (program);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GBytes) bytes = assay_program_save_bytes (program, NULL);
  g_autoptr (AssayProgram) loaded = assay_program_load_bytes (bytes, NULL);
  g_autoptr (GString) again = g_string_new (NULL);
  const GArray *tensors = assay_program_get_facts (program)->tensors;
  guint n_noted = 0;

  g_assert_cmpstr (assay_verdicts_get (verdicts, 1)->layout, ==,
                   "a texture packed along the width");
  g_assert_cmpstr (assay_verdicts_get (verdicts, 2)->layout, ==,
                   "a texture packed along the channels; a moves from a texture packed along the "
                   "width to a texture packed along the channels, 576 bytes");
  g_assert_cmpuint (assay_verdicts_get (verdicts, 2)->moved, ==, 576);
  g_assert_cmpstr (assay_verdicts_get (verdicts, 4)->layout, ==,
                   "a texture packed along the channels");
  g_assert_cmpuint (assay_program_metrics_find (metrics, "delegate_moved_bytes")->used[0], ==, 576);
  assay_program_append_listing (program, 0, 0, text);
  assay_program_append_listing (loaded, 0, 0, again);
  g_assert_nonnull (strstr (text->str, "(delegate: a texture packed along the channels; a moves"));
  g_assert_cmpstr (text->str, ==, again->str);
  g_string_truncate (text, 0);
  assay_program_append_memory (program, 0, text);
  g_assert_nonnull (strstr (text->str, "packed for node_2\n"));
  for (guint i = 0; i < tensors->len; i++)
    n_noted += g_array_index (tensors, AssayPlanned, i).note != NULL;
  g_assert_cmpuint (n_noted, >, 0);
}

/* A view is another name of what it shows, also through others, and what lies one after the other
 * in an object says so. */
static void
test_aliases (void)
{
  g_autoptr (AssayWork) work = gpu_fixture_work (
      "main (%x : f32[2,3,5]) {\n  const %s : i64[2] = [10, 3]\n  const %t : i64[1] = [30]\n"
      "  %a = Abs(%x)\n  %b = Reshape(%a, %s)\n  %c = Reshape(%b, %t)\n  %d = Neg(%c)\n"
      "  %e = Exp(%b)\n  return %d, %e\n}\n");
  AssayProgram *program = assay_work_get_program (work, NULL, NULL);
  const GArray *tensors = assay_program_get_facts (program)->tensors;
  g_autoptr (GString) text = g_string_new (NULL);

  assay_program_append_memory (program, 0, text);
  g_assert_true (g_regex_match_simple (
      "(?m)^  memory +1..1 +object 1 +activation +1..\\d +a, also b, c$", text->str, 0, 0));
  g_assert_true (
      g_regex_match_simple ("(?m)^  memory +0..0 +object 0 +input +0..1 +x$", text->str, 0, 0));
  for (guint i = 0; i < tensors->len; i++)
    {
      const AssayPlanned *planned = &g_array_index (tensors, AssayPlanned, i);

      if (g_str_equal (planned->name, "a"))
        g_assert_cmpstr (planned->note, ==,
                         "also b, c; the delegate: a texture packed along the width");
    }
}

/* A profile of a device of which one limit is told, the others are large. */
static char *
write_profile (const char *folder, const char *limit, gint64 value)
{
  static const char *const names[] = {
    "maxImageDimension3D",      "maxStorageBufferRange", "maxPerStageDescriptorStorageBuffers",
    "maxComputeWorkGroupCount", "memoryHeaps",           "shaderFloat16"
  };
  gint64 values[] = { 16384, 1 << 30, 1000, 65535, G_GINT64_CONSTANT (1) << 34, 1 };
  g_autofree char *text = NULL;
  char *path = g_build_filename (folder, "device.json", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (names[i], limit))
      values[i] = value;
  text = g_strdup_printf (
      "{ \"VkPhysicalDeviceProperties\": { \"limits\": { \"%s\": %" G_GINT64_FORMAT
      ", \"%s\": %" G_GINT64_FORMAT ", \"%s\": %" G_GINT64_FORMAT ", \"%s\": [ %" G_GINT64_FORMAT
      ", 1, 1 ] } }, \"VkPhysicalDeviceMemoryProperties\": { \"%s\": [ { \"size\": "
      "%" G_GINT64_FORMAT " } ] }, \"a\": { \"%s\": %" G_GINT64_FORMAT
      ", \"storageBuffer16BitAccess\": 1, \"storageBuffer8BitAccess\": 1 } }",
      names[0], values[0], names[1], values[1], names[2], values[2], names[3], values[3], names[4],
      values[4], names[5], values[5]);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));

  return path;
}

/* Whether nothing that a plan hands to its device is more than it has. */
static void
assert_within (const AssayDelegatePlan *plan)
{
  const AssayDelegateLimits *limits = &plan->limits;
  const AssayGpuPlan *gpu = plan->gpu;

  g_assert_cmpuint (gpu->words->len * sizeof (gint32), <=, limits->buffer_bytes);
  g_assert_cmpuint (assay_delegate_plan_count_memory (plan), <=, limits->memory_bytes);
  for (guint i = 0; i < gpu->tensors->len; i++)
    {
      const AssayGpuTensor *tensor = &g_array_index (gpu->tensors, AssayGpuTensor, i);

      if (tensor->space != ASSAY_GPU_TEXTURES)
        g_assert_cmpuint (tensor->size, <=, limits->buffer_bytes);
      for (guint j = 0; j < 3 && tensor->space == ASSAY_GPU_TEXTURES; j++)
        g_assert_cmpuint (tensor->extents[j], <=, limits->texture);
    }
  for (guint i = 0; i < gpu->dispatches->len; i++)
    {
      const AssayGpuDispatch *made = &g_array_index (gpu->dispatches, AssayGpuDispatch, i);

      g_assert_cmpuint ((made->count + ASSAY_GPU_GROUP - 1) / ASSAY_GPU_GROUP, <=, limits->groups);
      g_assert_cmpuint (made->n_tensors + 1, <=, limits->buffers);
      g_assert_true (limits->computes_half || !assay_gpu_shader_names_halves (made->shader));
    }
}

#define SIGMOID(n) "main (%x : f32[" n "]) {\n  %y = Sigmoid(%x)\n  return %y\n}\n"
#define CUBE "main (%x : f32[1,9,2,8]) {\n  %y = Sigmoid(%x)\n  return %y\n}\n"
#define SUM "main (%x : f32[8], %y : f32[8]) {\n  %z = Add(%x, %y)\n  return %z\n}\n"

/* Every limit that the process of the device looks at, one below what a model needs, at it and
 * above: what the device has no room for has another place, or is said before anything runs. */
static void
test_limits (void)
{
  static const struct
  {
    const char *limit;
    gint64 needed;
    const char *model;
    const char *option;
    const char *value;
    const char *reason; /* of the host; NULL if it is a buffer in the place of a texture */
    const char *error;
  } rows[] = {
    { "maxImageDimension3D", 9, CUBE, "texture_limits", "8,8,8", NULL, NULL },
    { "maxStorageBufferRange", 400, SIGMOID ("100"), "downcast_64_bit", "true",
      "a tensor takes 400 bytes, and a buffer of the device 399", NULL },
    { "maxStorageBufferRange", 104, SIGMOID ("8"), "downcast_64_bit", "true",
      "what shaders are told is more than a buffer of the device holds", NULL },
    { "maxPerStageDescriptorStorageBuffers", 4, SUM, "downcast_64_bit", "true",
      "the device gives a shader 3 buffers of the 4 that it takes", NULL },
    { "maxComputeWorkGroupCount", 16, SIGMOID ("1000"), "downcast_64_bit", "true",
      "the device takes 15 groups of invocations of the 16 that it is", NULL },
    { "shaderFloat16", 1, SIGMOID ("8"), "force_fp16", "true",
      "the device has no halves in buffers", NULL },
    { "memoryHeaps", 1036, SIGMOID ("100"), "downcast_64_bit", "true", NULL,
      "the memory of *device.json is too small: the program takes 1036 bytes of it, 0 for weights, "
      "1024 for what is computed and 0 for textures, it has 1035" },
  };
  g_autofree char *folder = assay_temporary_folder ("limits", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    for (int off = -1; off <= 1; off++)
      {
        g_autofree char *path = write_profile (folder, rows[i].limit, rows[i].needed + off);
        g_autoptr (AssaySettings) settings = NULL;
        g_autoptr (AssayWork) work = NULL;
        g_autoptr (AssayProgram) loaded = NULL;
        g_autoptr (GBytes) bytes = NULL;
        g_autoptr (GError) error = NULL;
        const AssayDelegatePlan *plan;
        AssayProgram *program;

        g_test_message ("%s %" G_GINT64_FORMAT, rows[i].limit, rows[i].needed + off);
        assay_settings_set_text (&settings, ASSAY_SETTING_DEVICE_PROFILE, path);
        assay_settings_set_entry (&settings, ASSAY_SETTING_TARGET_OPTION, rows[i].option,
                                  rows[i].value);
        if (rows[i].reason == NULL && rows[i].error == NULL)
          assay_settings_set_entry (&settings, ASSAY_SETTING_TARGET_OPTION, "storage_type_override",
                                    "texture");
        work = gpu_fixture_work_set (rows[i].model, settings);
        program = assay_work_get_program (work, NULL, &error);
        if (off < 0 && rows[i].error != NULL)
          {
            g_assert_null (program);
            g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_ALLOCATION);
            if (!g_pattern_match_simple (rows[i].error, error->message))
              g_error ("“%s”, expected “%s”", error->message, rows[i].error);
            continue;
          }
        g_assert_no_error (error);

        /* A file keeps what it was made for. */
        bytes = assay_program_save_bytes (program, NULL);
        loaded = assay_program_load_bytes (bytes, &error);
        g_assert_no_error (error);
        for (guint turn = 0; turn < 2; turn++)
          {
            plan = assay_delegate_program_get_plan (
                ASSAY_DELEGATE_PROGRAM (turn == 0 ? program : loaded), FALSE);
            assert_within (plan);
            g_assert_cmpint (plan->places[1], ==,
                             off < 0 && rows[i].reason != NULL ? ASSAY_DELEGATE_HOST
                                                               : ASSAY_DELEGATE_DEVICE);
            g_assert_cmpstr (plan->reasons[1], ==, off < 0 ? rows[i].reason : NULL);
            if (rows[i].reason == NULL && rows[i].error == NULL)
              g_assert_cmpint (plan->gpu->space_bytes[ASSAY_GPU_TEXTURES] > 0, ==, off >= 0);
          }
      }
  assay_temporary_delete (folder);
}

/* What helps is another device, not another operator. */
static void
test_remedies (void)
{
  static const char *const expected[] = {
    "Choose another device in Setup, or make input 0 smaller: this one has textures up to 8 a "
    "side.",
    "Choose another device in Setup: this one has no room for what it is a part of.",
  };
  g_autofree char *folder = assay_temporary_folder ("remedies", NULL);
  g_autofree char *path = write_profile (folder, "maxImageDimension3D", 8);
  g_autoptr (AssaySettings) settings = NULL;
  g_autoptr (AssayWork) work = NULL;
  g_autoptr (GError) error = NULL;
  AssayVerdicts *verdicts;

  assay_settings_set_text (&settings, ASSAY_SETTING_DEVICE_PROFILE, path);
  work = gpu_fixture_work_set (
      "main (%x : f32[1,9,2,8]) {\n  const %s : f32[] = [2.0]\n  %e = Equal(%x, %s)\n"
      "  %y = Not(%e)\n  return %y\n}\n",
      settings);
  verdicts = assay_work_get_verdicts (work, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    {
      AssayRemedyPlace place;
      g_autofree char *remedy = assay_remedy_describe (
          verdicts, assay_verdicts_get (verdicts, i + 1), &place);

      g_assert_cmpstr (remedy, ==, expected[i]);
      g_assert_cmpint (place, ==, ASSAY_REMEDY_SETUP);
    }
  assay_temporary_delete (folder);
}

/* The same of every family of shaders, each limit so small that some of it does not fit: what is
 * planned keeps within it, with every value kept as well, and both ways are taken. */
static void
test_families_within (void)
{
  static const struct
  {
    const char *limit;
    gint64 value;
  } rows[] = {
    { "maxImageDimension3D", 3 },
    { "maxStorageBufferRange", 2048 },
    { "maxPerStageDescriptorStorageBuffers", 4 },
    { "maxComputeWorkGroupCount", 1 },
    { "shaderFloat16", 0 },
  };
  g_autofree char *folder = assay_temporary_folder ("limits", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = write_profile (folder, rows[i].limit, rows[i].value);
      guint n_host = 0, n_device = 0, n_textures = 0;

      for (guint j = 0; j < gpu_n_families; j++)
        for (guint k = 0; gpu_families[j].types[k] != NULL; k++)
          {
            g_autoptr (AssaySettings) settings = NULL;
            g_autoptr (AssayWork) work = NULL;
            g_autoptr (GError) error = NULL;
            g_autofree char *text = NULL;
            AssayProgram *program;
            GpuModel family;

            gpu_family_fill (&gpu_families[j], gpu_families[j].types[k], TRUE, &family);
            g_array_unref (family.limits);
            text = gpu_model_finish (&family);
            assay_settings_set_text (&settings, ASSAY_SETTING_DEVICE_PROFILE, path);
            assay_settings_set_entry (&settings, ASSAY_SETTING_TARGET_OPTION,
                                      "storage_type_override", "texture");
            work = gpu_fixture_work_set (text, settings);
            program = assay_work_get_program (work, NULL, &error);
            g_assert_no_error (error);
            for (guint keep = 0; keep < 2; keep++)
              {
                const AssayDelegatePlan *plan = assay_delegate_program_get_plan (
                    ASSAY_DELEGATE_PROGRAM (program), keep > 0);

                assert_within (plan);
                n_textures += plan->gpu->space_bytes[ASSAY_GPU_TEXTURES] > 0;
                for (AssayNodeId id = 1; id < assay_graph_n_nodes (plan->graph); id++)
                  {
                    n_host += plan->reasons[id] != NULL;
                    n_device += plan->places[id] == ASSAY_DELEGATE_DEVICE;
                  }
              }
          }
      g_test_message ("%s: %u on the device, %u left to the host, %u with textures", rows[i].limit,
                      n_device, n_host, n_textures);
      g_assert_cmpuint (n_device, >, 0);
    }
  assay_temporary_delete (folder);
}

TEST_PROGRAM (gpu_plan)
{
  char *folder = gpu_fixture_init ();

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/gpu-plan/plan", test_plan);
  g_test_add_func ("/gpu-plan/file", test_file);
  g_test_add_func ("/gpu-plan/vec4", test_vec4);
  g_test_add_func ("/gpu-plan/layouts", test_layouts);
  g_test_add_func ("/gpu-plan/limits", test_limits);
  g_test_add_func ("/gpu-plan/families-within", test_families_within);
  g_test_add_func ("/gpu-plan/aliases", test_aliases);
  g_test_add_func ("/gpu-plan/remedies", test_remedies);
  g_test_add_func ("/gpu-plan/hostile", test_hostile);
  g_test_add_func ("/gpu-plan/other-build", test_other_build);
  g_test_add_func ("/gpu-plan/bad-helpers", test_bad_helpers);
  g_test_add_func ("/gpu-plan/told", test_told);
  g_test_add_func ("/gpu-plan/halves", test_halves);
  g_test_add_func ("/gpu-plan/lines", test_lines);
  g_test_add_func ("/gpu-plan/devices", test_devices);
  g_test_add_func ("/gpu-plan/devices-listed", test_listed_devices);

  return gpu_fixture_finish (folder, g_test_run ());
}
