/* test-gpu-torch.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The rows of the tables of the Vulkan delegate, one by one as a program in the torch dialect comes
 * to them: what a target says of it is what is dispatched, and what is dispatched computes what the
 * reference does.
 */
#include "gpu-families.h"
#include "test-program.h"
#include "torch-calls.h"

#include "run/assay-comparison.h"
#include "run/assay-run-inputs.h"
#include "source/assay-source.h"

/* Rows that a program in the torch dialect has no function of: a pass of the delegate makes them,
 * or they are about numbers of the program that are no tensors. */
static const char *const without[] = { "_weight_int8pack_mm", "_assert_scalar",
                                       "sym_constrain_range_for_size", "sym_size" };

static AssayWork *
make_work_with (const char *text, const char *target_id, gboolean textures)
{
  g_autoptr (AssaySettings) settings = NULL;
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayGraph)
      graph = assay_model_read_bytes (bytes, "call.mlir", NULL, findings, NULL, &error);
  AssayWork *work;

  g_assert_no_error (error);
  for (guint i = 0; i < assay_findings_get_count (findings); i++)
    g_test_message ("%s", assay_findings_get (findings, i)->message);
  if (textures)
    assay_settings_set_entry (&settings, ASSAY_SETTING_TARGET_OPTION, "storage_type_override",
                              "texture");
  work = assay_work_new_for_graph (NULL, graph, gpu_fixture_target (target_id), settings);
  g_assert_nonnull (assay_work_get_program (work, NULL, &error));
  g_assert_no_error (error);

  return work;
}

static AssayWork *
make_work (const char *text, const char *target_id)
{
  return make_work_with (text, target_id, FALSE);
}

/* What a target says of a call: that which is taken is dispatched, and something has the name of
 * the row; or it is refused by the rule that the row has. */
static guint
check_call (const TorchCall *call, const char *element, AssayWork *work)
{
  guint n_faults = 0;
  g_autoptr (GError) error = NULL;
  AssayVerdicts *verdicts = assay_work_get_verdicts (work, NULL, &error);
  const AssayDelegatePlan *plan;
  g_autofree char *row = g_strconcat ("aten.", call->row, NULL);
  const char *mapping = call->mapping != NULL ? call->mapping : row;
  gboolean found = *mapping == '\0';

  g_assert_no_error (error);
  plan = assay_delegate_program_get_plan (
      ASSAY_DELEGATE_PROGRAM (assay_work_get_program (work, NULL, NULL)), FALSE);
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (verdicts->graph); id++)
    {
      const AssayVerdict *verdict = assay_verdicts_get (verdicts, id);
      const AssayNode *node = assay_graph_node (verdicts->graph, id);
      gboolean takes = verdict->kind >= ASSAY_VERDICT_FUSED;

      if (call->rule != NULL)
        found |= g_strcmp0 (verdict->rule, call->rule) == 0 && !takes;
      else if (!takes)
        {
          g_test_message ("%s of %s: %s is refused: %s", call->function, element, node->op_type,
                          verdict->reason);
          n_faults++;
        }
      else
        found |= verdict->mapping != NULL && strstr (verdict->mapping, mapping) != NULL;
      if (verdict->kind != ASSAY_VERDICT_REMOVED &&
          takes != (plan->places[id] == ASSAY_DELEGATE_DEVICE))
        {
          g_test_message ("%s of %s: %s is %s, and runs on the %s: %s", call->function, element,
                          node->op_type, assay_verdict_name (verdict->kind),
                          takes ? "host" : "device",
                          plan->reasons[id] != NULL ? plan->reasons[id] : "");
          n_faults++;
        }
    }
  if (!found)
    g_test_message ("%s of %s: nothing is called %s", call->function, element,
                    call->rule != NULL ? call->rule : mapping);

  return n_faults + !found;
}

/* What comes out is within what the specification allows. */
static guint
compare_call (const TorchCall *call, const char *element, AssayWork *work, GpuKind kind)
{
  AssayRunSubject *subject = assay_work_get_subject (work, TRUE, NULL, NULL);
  AssayComparisonSide sides[2] = { { "reference" }, { "vulkan" } };
  g_autoptr (GArray) ports = assay_run_subject_get_inputs (subject);
  g_autoptr (GPtrArray)
      inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
  g_autoptr (AssayComparison) comparison = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < ports->len; i++)
    {
      const AssayRunPort *port = &g_array_index (ports, AssayRunPort, i);

      g_ptr_array_add (inputs, kind == GPU_POSITIVE || port->dtype == ASSAY_DTYPE_I64
                                   ? torch_call_input (port)
                                   : gpu_make_tensor (port, kind));
    }
  sides[0].subject = sides[1].subject = subject;
  comparison = assay_compare_runs (&sides[0], &sides[1], inputs, NULL, NULL, &error);
  g_assert_no_error (error);
  if (comparison->verdict == ASSAY_COMPARISON_OUTSIDE)
    g_test_message ("%s of %s: outside the tolerance", call->function, element);

  return comparison->verdict == ASSAY_COMPARISON_OUTSIDE;
}

static void
test_calls (gconstpointer data)
{
  const char *target_id = data;
  AssayTarget *target = gpu_fixture_target (target_id);
  JsonArray *rules = json_object_get_array_member (assay_target_get_json (target), "rules");
  guint n = 0, n_faults = 0;

  for (guint i = 0; i < torch_n_calls; i++)
    {
      static const char *const elements[] = { "f32", "f16" };

      for (guint j = 0; j < (strstr (torch_calls[i].operands, "$t") != NULL ? 2 : 1); j++)
        {
          g_autofree char *text = torch_call_program (&torch_calls[i], elements[j]);
          g_autoptr (AssayWork) work = NULL;

          if (!torch_call_has_row (rules, torch_calls[i].row))
            continue;
          work = make_work (text, target_id);
          n_faults += check_call (&torch_calls[i], elements[j], work);
          n++;
        }
    }
  g_assert_cmpuint (n, >, 100);
  g_assert_cmpuint (n_faults, ==, 0);
}

/* One target has the rows of both, but for two that differ in nothing that runs. */
static void
test_numbers (void)
{
  g_autoptr (AssayGpuLease) lease = assay_gpu_lease_new ();
  guint n_faults = 0;

  if (!gpu_fixture_has_device ())
    return;
  for (guint i = 0; i < torch_n_calls; i++)
    {
      g_autofree char *text = torch_call_program (&torch_calls[i], i % 2 == 0 ? "f32" : "f16");
      g_autoptr (AssayWork) work = make_work (text, "vulkan-main");

      n_faults += compare_call (&torch_calls[i], i % 2 == 0 ? "f32" : "f16", work, GPU_POSITIVE);
    }
  g_assert_cmpuint (n_faults, ==, 0);
}

/* What comes in: numbers that are none, infinite or smaller than normal, and extents of nothing, of
 * one, and around what a texel holds and a texture may have on a side. */
static const struct
{
  const char *element;
  gboolean textures;
  const char *extents; /* instead of those of calls that take any */
} forms[] = {
  { "f32", FALSE, NULL },      { "f16", FALSE, NULL },     { "f32", TRUE, NULL },
  { "f16", TRUE, NULL },       { "f32", FALSE, "1" },      { "f16", FALSE, "2,0,3" },
  { "f32", FALSE, "1,3,1,5" }, { "f32", TRUE, "1,3,1,1" }, { "f16", TRUE, "2,3,0,4" },
  { "f16", TRUE, "3" },        { "f32", TRUE, "2,1,4" },   { "f32", TRUE, "1,1,1,5" },
  { "f32", TRUE, "2048,1" },   { "f32", TRUE, "2049,1" },  { "f32", TRUE, "8193" },
};

#define ANY_EXTENTS "$t 2,3,4,8"

/* Whether nothing but numbers stands beside tensors of all the same extents. */
static gboolean
takes_any_extents (const TorchCall *call)
{
  g_auto (GStrv) operands = g_strsplit (call->operands, "|", -1);
  guint n = 0;

  for (guint i = 0; operands[i] != NULL; i++)
    if (g_str_equal (operands[i], ANY_EXTENTS))
      n++;
    else if (strpbrk (operands[i], " [{\"") != NULL ||
             (strchr (operands[i], '.') == NULL && strlen (operands[i]) < 4 && i != 2))
      return FALSE;

  return n > 0;
}

static char *
make_text (const TorchCall *call, guint form)
{
  TorchCall changed = *call;
  g_auto (GStrv) parts = g_strsplit (call->operands, ANY_EXTENTS, -1);
  g_autofree char *own = g_strdup_printf ("$t %s", forms[form].extents);
  g_autofree char *operands = g_strjoinv (own, parts);

  if (forms[form].extents != NULL)
    changed.operands = operands;

  return torch_call_program (&changed, forms[form].element);
}

static void
test_special (void)
{
  g_autoptr (AssayGpuLease) lease = assay_gpu_lease_new ();
  guint n = 0, n_faults = 0;

  if (!gpu_fixture_has_device ())
    return;
  for (guint i = 0; i < torch_n_calls; i++)
    for (guint j = 0; j < G_N_ELEMENTS (forms); j++)
      if (forms[j].extents == NULL ? j == 0 || strstr (torch_calls[i].operands, "$t") != NULL
                                   : takes_any_extents (&torch_calls[i]))
        {
          g_autofree char *text = make_text (&torch_calls[i], j);
          g_autofree char *what = g_strdup_printf (
              "%s%s%s%s", forms[j].element, forms[j].textures ? " in textures" : "",
              forms[j].extents != NULL ? " of " : "",
              forms[j].extents != NULL ? forms[j].extents : "");
          g_autoptr (AssayWork) work = make_work_with (text, "vulkan-main", forms[j].textures);

          n_faults += compare_call (&torch_calls[i], what, work, GPU_SPECIAL);
          n++;
        }
  g_assert_cmpuint (n, >, 600);
  g_assert_cmpuint (n_faults, ==, 0);
}

/* What two or three operands of the same function may be. */
static const char *const sides[][3] = {
  { "2,3,4,5", "1,3,4,5", "5" }, { "2,3,4,5", "2,1,1,5", "4,1" },
  { "3,4,5", "3,4,1", "1" },     { "2,3,4,8", "8", "3,1,1" },
  { "1", "3,5", "5" },           { "1,3,1,8", "2,1,4,1", "4,8" },
  { "2,0,3", "2,1,3", "1,1,1" }, { "5,1,4", "2,1,3,1", "1,4" },
  { "1,1,1,1", "2,3", "3" },     { "2049,1", "1,3", "1" },
  { "2,3,1,7", "7", "2,1,1,7" },
};

/* The call with its tensors of these extents, each side a turn further; NULL if it has not two or
 * three operands that may be of any, each of the elements that it is to have. */
static char *
make_sides (const TorchCall *call, const char *element, guint row, guint turn)
{
  g_auto (GStrv) operands = g_strsplit (call->operands, "|", -1);
  g_autoptr (GString) text = g_string_new (NULL);
  guint n = 0;

  for (guint i = 0; operands[i] != NULL; i++)
    n += strpbrk (operands[i], "=[{\"") == NULL && strchr (operands[i], ' ') != NULL;
  if (n < 2)
    return NULL;
  for (guint i = 0, side = 0; operands[i] != NULL; i++)
    {
      const char *space = strchr (operands[i], ' ');

      if (i > 0)
        g_string_append_c (text, '|');
      if (space == NULL)
        g_string_append (text, operands[i]);
      else
        g_string_append_printf (text, "%.*s %s", (int) (space - operands[i]), operands[i],
                                sides[row][(side++ + turn) % n]);
    }

  {
    TorchCall changed = *call;

    changed.operands = text->str;

    return torch_call_program (&changed, element);
  }
}

/* Whether each element of what a call makes is made of one of each operand. */
static gboolean
takes_sides (const TorchCall *call)
{
  g_autofree char *text = torch_call_program (call, "f32");
  g_autoptr (AssayWork) work = make_work (text, "vulkan-main");
  AssayGraph *graph = assay_work_get_graph (work, NULL, NULL);
  gboolean takes = FALSE;

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      const AssayOpInfo *info = assay_op_get_info (assay_graph_node (graph, id)->op);

      if (info->category != ASSAY_CATEGORY_ELEMENTWISE && info->category != ASSAY_CATEGORY_LOGIC &&
          assay_graph_node (graph, id)->op != ASSAY_OP_Where)
        return FALSE;
      takes |= assay_graph_node (graph, id)->n_inputs > 1;
    }

  return takes;
}

/* Operands of different extents: what is taken is dispatched, and nothing else. */
static void
test_sides (void)
{
  static const char *const elements[] = { "f32", "f16" };
  g_autoptr (AssayGpuLease) lease = assay_gpu_lease_new ();
  gboolean has_device = gpu_fixture_has_device ();
  guint n_calls = 0, n_faults = 0;

  for (guint i = 0; i < torch_n_calls; i++)
    {
      if (!takes_sides (&torch_calls[i]))
        continue;
      for (guint j = 0; j < 2 * G_N_ELEMENTS (sides); j++)
        {
          const char *element = elements[(i + j / 2) % 2];
          gboolean textures = (i / 2 + j / 4 + j) % 2;
          g_autofree char *text = make_sides (&torch_calls[i], element, j / 2, j % 2);
          g_autofree char *what = g_strdup_printf ("%s%s, sides %u turned by %u", element,
                                                   textures ? " in textures" : "", j / 2, j % 2);
          g_autoptr (AssayWork) work = NULL;

          if (text == NULL)
            break;
          n_calls += j == 0;
          work = make_work_with (text, "vulkan-main", textures);
          n_faults += check_call (&torch_calls[i], what, work);
          if (has_device)
            n_faults += compare_call (&torch_calls[i], what, work, GPU_SPECIAL);
        }
    }
  g_assert_cmpuint (n_calls, >=, 17);
  g_assert_cmpuint (n_faults, ==, 0);
}

/* Every row of both tables is called above, or said not to be a function. */
static void
test_rows (gconstpointer data)
{
  AssayTarget *target = gpu_fixture_target (data);
  JsonArray *rules = json_object_get_array_member (assay_target_get_json (target), "rules");
  guint n_missing = 0;

  for (guint i = 0; i < json_array_get_length (rules); i++)
    {
      JsonObject *rule = json_array_get_object_element (rules, i);
      const char *key = json_object_get_string_member_with_default (rule, "key", "");
      gboolean found = !g_str_has_prefix (key, "aten.");

      for (guint j = 0; j < torch_n_calls && !found; j++)
        found = g_str_equal (key + strlen ("aten."), torch_calls[j].row);
      for (guint j = 0; j < G_N_ELEMENTS (without) && !found; j++)
        found = g_str_equal (key + strlen ("aten."), without[j]);
      if (!found)
        g_test_message ("nothing calls %s", key);
      n_missing += !found;
    }
  g_assert_cmpuint (n_missing, ==, 0);
}

TEST_PROGRAM (gpu_torch)
{
  char *folder = gpu_fixture_init ();

  /* The shaders are those of test-gpu, which has the layers. */
  g_unsetenv ("ASSAY_GPU_VALIDATE");
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/gpu-torch/rows/main", "vulkan-main", test_rows);
  g_test_add_data_func ("/gpu-torch/rows/seed", "vulkan-seed", test_rows);
  g_test_add_data_func ("/gpu-torch/calls/main", "vulkan-main", test_calls);
  g_test_add_data_func ("/gpu-torch/calls/seed", "vulkan-seed", test_calls);
  g_test_add_func ("/gpu-torch/numbers", test_numbers);
  g_test_add_func ("/gpu-torch/special", test_special);
  g_test_add_func ("/gpu-torch/sides", test_sides);

  return gpu_fixture_finish (folder, g_test_run ());
}
