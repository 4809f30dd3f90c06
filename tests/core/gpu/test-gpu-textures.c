/* test-gpu-textures.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * With storage_type_override=texture what shaders make lies in textures, and is a buffer again only
 * for who reads no textures: the bits are those of buffers, whatever the extents are, and every
 * family is as exact as with buffers.
 */
#include "gpu-families.h"
#include "test-program.h"

typedef struct
{
  const char *name;
  const char *text; /* T stands for the type of the elements */
  guint n_textures; /* results in textures */
  guint n_transitions;
} Row;

static const Row rows[] = {
  { "rank 0", "main (%x : T[]) {\n  %a = Neg(%x)\n  %b = Add(%a, %x)\n  return %b\n}\n", 2, 1 },
  { "one", "main (%x : T[1]) {\n  %a = Sigmoid(%x)\n  return %a\n}\n", 1, 1 },
  { "three", "main (%x : T[3]) {\n  %a = Abs(%x)\n  %b = Mul(%a, %x)\n  return %a, %b\n}\n", 2, 2 },
  { "four", "main (%x : T[2,4]) {\n  %a = Tanh(%x)\n  %b = Sub(%a, %x)\n  return %b\n}\n", 2, 1 },
  { "five", "main (%x : T[3,2,5]) {\n  %a = Relu(%x)\n  %b = Sin(%a)\n  return %b\n}\n", 2, 1 },
  { "four axes", "main (%x : T[2,3,7,9]) {\n  %a = Exp(%x)\n  %b = Div(%x, %a)\n  return %b\n}\n",
    2, 1 },
  { "broadcast",
    "main (%x : T[2,3,4,6], %y : T[3,1,6], %z : T[1]) {\n  %a = Neg(%y)\n  %b = Add(%x, %a)\n"
    "  %c = Neg(%z)\n  %d = Mul(%b, %c)\n  return %d\n}\n",
    4, 1 },
  { "view",
    "main (%x : T[2,3,5]) {\n  const %s : i64[2] = [10, 3]\n  %a = Abs(%x)\n"
    "  %b = Reshape(%a, %s)\n  %c = Neg(%b)\n  return %c\n}\n",
    2, 1 },
  { "others read it",
    "main (%x : T[3,6]) {\n  %a = Abs(%x)\n  %b = Softmax(%a) {axis = 1}\n"
    "  %c = Transpose(%a) {perm = [1, 0]}\n  %d = Add(%b, %a)\n  return %c, %d\n}\n",
    4, 2 },
  /* Whoever reads no textures is given a buffer, made once; and what is made in parts is one. */
  { "a bias",
    "main (%x : T[3,6], %w : T[6,6]) {\n  %a = Abs(%x)\n  %b = Gemm(%a, %w, %a)\n"
    "  %c = Gemm(%b, %w, %a)\n  return %c\n}\n",
    3, 2 },
  { "parts",
    "main (%x : T[2,3,6]) {\n  %a = Abs(%x)\n  %b = Neg(%x)\n"
    "  %c = Concat(%a, %b) {axis = 1}\n  %d = Transpose(%c) {perm = [2, 0, 1]}\n"
    "  %e = Softmax(%d) {axis = 0}\n  %f = Abs(%e)\n  return %f\n}\n",
    4, 1 },
  { "greater", "main (%x : T[9]) {\n  %a = Abs(%x)\n  %b = Greater(%a, %x)\n  return %b\n}\n", 1,
    0 },
  /* Textures that take more than all buffers do: no view of a buffer reaches as far. */
  { "large between small",
    "main (%x : T[1,1,4,4]) {\n  const %w : T[4,1,1,1] = [1, -2, 0.5, 3]\n"
    "  %a = Conv(%x, %w) {pads = [60, 60, 60, 60]}\n"
    "  %b = MaxPool(%a) {kernel_shape = [4, 4], strides = [6, 6]}\n"
    "  const %v : T[1,4,1,1] = [1, 2, 3, 4]\n  %c = Conv(%a, %v) {strides = [6, 6]}\n"
    "  return %b, %c\n}\n",
    3, 2 },
  /* What no texture holds is a buffer. */
  { "empty", "main (%x : T[3,0]) {\n  %a = Abs(%x)\n  return %a\n}\n", 0, 0 },
  { "long", "main (%x : T[2049,1,3]) {\n  %a = Abs(%x)\n  %b = Neg(%a)\n  return %b\n}\n", 0, 0 },
};

static GPtrArray *
run (AssayRunSubject *subject)
{
  g_autoptr (GArray) ports = assay_run_subject_get_inputs (subject);
  g_autoptr (GPtrArray)
      inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
  g_autoptr (AssayRunner) runner = gpu_fixture_open (subject, "vulkan");
  g_autoptr (GPtrArray) first = NULL;

  for (guint i = 0; i < ports->len; i++)
    g_ptr_array_add (inputs,
                     gpu_make_tensor (&g_array_index (ports, AssayRunPort, i), GPU_SPECIAL));
  first = gpu_fixture_run (runner, inputs);

  /* Textures that share memory are written anew. */
  return gpu_fixture_run (runner, inputs);
}

static void
check_plan (const Row *row, const AssayDelegatePlan *plan)
{
  guint n_textures = 0, n_transitions = 0;

  for (guint i = 0; i < plan->rows->len; i++)
    n_transitions += g_array_index (plan->rows, AssayDelegateRow, i).kind ==
                     ASSAY_DELEGATE_ROW_TRANSITION;
  for (guint i = 0; i < plan->gpu->tensors->len; i++)
    n_textures += g_array_index (plan->gpu->tensors, AssayGpuTensor, i).space == ASSAY_GPU_TEXTURES;
  g_assert_cmpuint (n_textures, ==, row->n_textures);
  g_assert_cmpuint (n_transitions, ==, row->n_transitions);
}

/* The same plan read from a file, and one whose values are all to be seen. */
static void
check_program (const Row *row, AssayProgram *program)
{
  g_autoptr (GBytes) bytes = assay_program_save_bytes (program, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayProgram) read = assay_program_load_bytes (bytes, &error);

  g_assert_no_error (error);
  check_plan (row, assay_delegate_program_get_plan (ASSAY_DELEGATE_PROGRAM (program), FALSE));
  check_plan (row, assay_delegate_program_get_plan (ASSAY_DELEGATE_PROGRAM (read), FALSE));
}

/* The same numbers, the sign of zeros included; what is no number may have any bits. */
static void
assert_same (AssayTensor *a, AssayTensor *b)
{
  gsize n = assay_tensor_get_n_elements (a);

  g_assert_cmpuint (n, ==, assay_tensor_get_n_elements (b));
  for (gsize i = 0; i < n; i++)
    {
      double x, y;

      g_assert_true (assay_tensor_get_element (a, i, &x, NULL));
      g_assert_true (assay_tensor_get_element (b, i, &y, NULL));
      if (isnan (x) && isnan (y))
        continue;
      g_assert_cmpfloat (x, ==, y);
      g_assert_cmpint (signbit (x) != 0, ==, signbit (y) != 0);
    }
}

static void
test_row (gconstpointer data)
{
  const Row *row = data;
  static const char *const types[] = { "f32", "f16" };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      g_auto (GStrv) parts = g_strsplit (row->text, "T[", -1);
      g_autofree char *type = g_strdup_printf ("%s[", types[i]);
      g_autofree char *text = g_strjoinv (type, parts);
      g_autoptr (AssayWork) work = gpu_fixture_work (text);
      g_autoptr (AssayWork) other = gpu_fixture_work_with (text, TRUE);
      AssayRunSubject *buffers = assay_work_get_subject (work, TRUE, NULL, NULL);
      AssayRunSubject *textures = assay_work_get_subject (other, TRUE, NULL, NULL);
      g_autoptr (GPtrArray) expected = NULL;
      g_autoptr (GPtrArray) made = NULL;

      check_program (row, textures->program);
      if (!gpu_fixture_has_device ())
        return;
      expected = run (buffers);
      made = run (textures);
      for (guint j = 0; j < expected->len; j++)
        assert_same (g_ptr_array_index (expected, j), g_ptr_array_index (made, j));
    }
}

/* Every family with what it reads in textures: as exact as with buffers. */
static void
test_family (gconstpointer data)
{
  const GpuFamily *family = data;

  if (!gpu_fixture_has_device ())
    return;
  for (guint i = 0; family->types[i] != NULL; i++)
    if (family->types[i][0] == 'f')
      {
        GpuModel model;

        gpu_family_fill (family, family->types[i], TRUE, &model);
        gpu_check (family->types[i], &model);
      }
}

/* Whatever may be a texture for a shader is one in a family. */
static void
test_all (void)
{
  guint32 seen[ASSAY_GPU_N_SHADERS] = { 0 };

  for (guint i = 0; i < gpu_n_families; i++)
    for (guint j = 0; gpu_families[i].types[j] != NULL; j++)
      {
        g_autoptr (AssayWork)
            work = gpu_family_work (&gpu_families[i], gpu_families[i].types[j], TRUE);
        const AssayDelegatePlan *plan = assay_delegate_program_get_plan (
            ASSAY_DELEGATE_PROGRAM (assay_work_get_program (work, NULL, NULL)), FALSE);

        for (guint k = 0; k < plan->gpu->dispatches->len; k++)
          {
            const AssayGpuDispatch *dispatch = &g_array_index (plan->gpu->dispatches,
                                                               AssayGpuDispatch, k);

            seen[dispatch->shader] |= dispatch->textures;
          }
      }
  for (guint i = 0; i < ASSAY_GPU_N_SHADERS; i++)
    for (guint j = 0; j < assay_gpu_shader_n_tensors (i); j++)
      if (assay_gpu_shader_takes_texture (i, j) != ((seen[i] >> j & 1) != 0))
        {
          g_test_message ("%s: tensor %u is no texture in any family", assay_gpu_shader_name (i),
                          j);
          g_test_fail ();
        }
}

TEST_PROGRAM (gpu_textures)
{
  char *folder = gpu_fixture_init ();
  AssayGpuLease *lease = assay_gpu_lease_new ();
  int status;

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_strdup_printf ("/gpu-textures/%s", rows[i].name);

      g_test_add_data_func (path, &rows[i], test_row);
    }
  for (guint i = 0; i < gpu_n_families; i++)
    {
      g_autofree char *path = g_strdup_printf ("/gpu-textures%s", gpu_families[i].path + 4);

      if (gpu_families[i].types[0][0] == 'f')
        g_test_add_data_func (path, &gpu_families[i], test_family);
    }
  g_test_add_func ("/gpu-textures/all", test_all);

  status = g_test_run ();
  assay_gpu_lease_free (lease);

  return gpu_fixture_finish (folder, status);
}
