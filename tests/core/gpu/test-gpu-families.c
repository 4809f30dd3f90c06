/* test-gpu-families.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every family of shaders on lavapipe against the reference: shapes around what a group takes,
 * extents of 0 and 1, numbers that are none. The validation layers watch, and anything that they
 * say fails a run.
 */
#include "gpu-families.h"
#include "test-program.h"

static void
test_family (gconstpointer data)
{
  const GpuFamily *family = data;

  if (!gpu_fixture_has_device ())
    return;
  for (guint i = 0; family->types[i] != NULL; i++)
    {
      GpuModel model;

      gpu_family_fill (family, family->types[i], FALSE, &model);
      gpu_check (family->types[i], &model);
    }
}

/* Rules whose operation never comes to a device: it is folded or removed, loading would fail, or
 * ONNX has it for other types than the delegate. */
static const char *const unreachable[] = { "Shape",     "Size",       "ConstantOfShape",
                                           "Range",     "Identity",   "Dropout",
                                           "Not",       "BitwiseAnd", "BitwiseOr",
                                           "BitwiseNot" };

/* What has no shader here, on purpose, which the program says; and what ONNX does not have. */
static const char *const left[] = { "Sum i32",
                                    "Sum i64",
                                    "Pow i32",
                                    "Pow i64",
                                    "DynamicQuantizeLinear f16",
                                    "DynamicQuantizeLinear f32" };

static gboolean
is_listed (const char *const *list, guint n, const char *name)
{
  for (guint i = 0; i < n; i++)
    if (g_str_equal (list[i], name))
      return TRUE;

  return FALSE;
}

/* What the families above have on the device: operation and type of the first input. */
static GHashTable *
list_covered (void)
{
  GHashTable *covered = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < gpu_n_families; i++)
    for (guint j = 0; gpu_families[i].types[j] != NULL; j++)
      {
        g_autoptr (AssayWork)
            work = gpu_family_work (&gpu_families[i], gpu_families[i].types[j], FALSE);
        const AssayDelegatePlan *plan = assay_delegate_program_get_plan (
            ASSAY_DELEGATE_PROGRAM (assay_work_get_program (work, NULL, NULL)), FALSE);

        for (AssayNodeId id = 1; id < assay_graph_n_nodes (plan->graph); id++)
          {
            const AssayNode *node = assay_graph_node (plan->graph, id);

            const char *dtype;

            if (plan->places[id] != ASSAY_DELEGATE_DEVICE)
              continue;
            dtype = assay_dtype_name (
                assay_graph_value (plan->graph, node->inputs[0])->type->dtype);
            g_hash_table_add (covered, g_strdup_printf ("%s %s", node->op_type, dtype));
            g_hash_table_add (covered, g_strdup_printf ("%s any", node->op_type));
          }
      }

  return covered;
}

/* The element types that a rule takes for its first input, with spaces; all if it does not say. */
static char *
first_dtypes (JsonObject *target, JsonObject *rule)
{
  JsonNode *node = json_object_get_member (rule, "dtypes");
  JsonObject *sets = json_object_get_object_member (target, "sets");
  GString *names = g_string_new (NULL);
  JsonArray *list = NULL;

  if (node != NULL && JSON_NODE_HOLDS_ARRAY (node))
    node = json_array_get_element (json_node_get_array (node), 0);
  if (node != NULL && JSON_NODE_HOLDS_ARRAY (node))
    list = json_node_get_array (node);
  else if (node != NULL && json_object_has_member (sets, json_node_get_string (node)))
    list = json_object_get_array_member (sets, json_node_get_string (node));
  for (guint i = 0; list != NULL && i < json_array_get_length (list); i++)
    g_string_append_printf (names, "%s ", json_array_get_string_element (list, i));
  if (node != NULL && list == NULL)
    g_string_append (names, json_node_get_string (node));

  return g_strchomp (g_string_free (names, FALSE));
}

/* Every rule of a target that takes an operation of ONNX, with every element type of its first
 * input: one of the families has it on the device. */
static void
check_rules (GHashTable *covered, const char *name)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "..", "data", "targets", name, NULL);
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonObject *target;
  JsonArray *rules;
  guint n_found = 0, n_missing = 0;

  g_assert_true (json_parser_load_from_file (parser, path, NULL));
  target = json_node_get_object (json_parser_get_root (parser));
  rules = json_object_get_array_member (target, "rules");
  for (guint i = 0; i < json_array_get_length (rules); i++)
    {
      JsonObject *rule = json_array_get_object_element (rules, i);
      JsonNode *op = json_object_get_member (rule, "op");
      const char *op_type = op != NULL && JSON_NODE_HOLDS_VALUE (op) ? json_node_get_string (op)
                                                                     : "";
      g_autofree char *names = first_dtypes (target, rule);
      g_auto (GStrv) dtypes = NULL;

      if (*op_type == '\0' || strpbrk (op_type, ".:") != NULL ||
          g_strcmp0 (json_object_get_string_member_with_default (rule, "verdict", ""),
                     "rejected") == 0 ||
          is_listed (unreachable, G_N_ELEMENTS (unreachable), op_type))
        continue;
      dtypes = g_strsplit (*names != '\0' ? names : "any", " ", -1);
      for (char **dtype = dtypes; *dtype != NULL; dtype++)
        {
          g_autofree char *key = g_strdup_printf ("%s %s", op_type, *dtype);

          if (g_hash_table_contains (covered, key))
            n_found++;
          else if (!is_listed (left, G_N_ELEMENTS (left), key))
            {
              g_test_message ("%s: no family has %s", json_object_get_string_member (rule, "id"),
                              key);
              n_missing++;
            }
        }
    }
  g_assert_cmpuint (n_found, >, 100);
  g_assert_cmpuint (n_missing, ==, 0);
}

static void
test_rules (void)
{
  g_autoptr (GHashTable) covered = list_covered ();

  check_rules (covered, "vulkan-main.json");
  check_rules (covered, "vulkan-seed.json");
}

TEST_PROGRAM (gpu_families)
{
  char *folder = gpu_fixture_init ();
  AssayGpuLease *lease = assay_gpu_lease_new ();
  int status;

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < gpu_n_families; i++)
    {
      g_autofree char *path = g_strdup_printf ("/gpu-families%s", gpu_families[i].path + 4);

      g_test_add_data_func (path, &gpu_families[i], test_family);
    }
  g_test_add_func ("/gpu-families/rules", test_rules);

  status = g_test_run ();
  assay_gpu_lease_free (lease);

  return gpu_fixture_finish (folder, status);
}
