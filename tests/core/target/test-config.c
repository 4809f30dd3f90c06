/* test-config.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "base/assay-error.h"
#include "backend/assay-config.h"
#include "settings/assay-settings.h"

#include "test-program.h"

static void
test_preset (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayConfig) agilex = assay_config_new_preset ("ia_840f_c3b64", &error);
  g_autoptr (AssayConfig) versal = assay_config_new_preset ("v80_c6b32", &error);
  g_autofree char *fabric = NULL;
  int cores;

  g_assert_no_error (error);
  g_assert_cmpint (assay_config_get_values (agilex)->num_cores, ==, 3);
  g_assert_cmpint (assay_config_get_values (agilex)->block_size, ==, 64);
  g_assert_cmpint (assay_config_get_values (agilex)->timing.matrix_latency, ==, 25);
  g_assert_cmpint (assay_config_get_values (agilex)->tensor_ram_depth, ==, 4096);
  g_assert_cmpstr (assay_config_get_fabric (agilex), ==, "agilex");
  g_assert_cmpint (assay_config_get_values (versal)->timing.matrix_latency, ==, 17);
  g_assert_cmpint (assay_config_get_values (versal)->timing.network_hop, ==, 14);
  g_assert_cmpint (assay_config_get_values (versal)->cell_state_depth, ==, 2048);
  g_assert_cmpint (assay_config_get_values (versal)->tensor_ram_depth, ==, 8192);
  g_assert_true (assay_config_is_estimated (versal, "tensor_ram_depth"));
  g_assert_false (assay_config_is_estimated (versal, "cell_state_depth"));
  g_assert_true (assay_config_is_estimated (agilex, "cell_state_depth"));

  g_object_get (agilex, "num-cores", &cores, "fabric", &fabric, NULL);
  g_assert_cmpint (cores, ==, 3);
  g_assert_cmpstr (fabric, ==, "agilex");
}

static void
test_other_family (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (assay_config_new_preset ("dpu_zdx8g_b512", &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
  g_clear_error (&error);
  g_assert_null (assay_config_new_preset ("ia_0f", &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
}

/* What users may say of depths. */
static void
test_depths (void)
{
  static const struct
  {
    const char *entry;
    const char *message; /* NULL if it is good */
  } cases[] = {
    { "tensor_ram_depth=4000", NULL },
    { "tensor_ram_depth=0", "--depth tensor_ram_depth=0: tensor_ram_depth=0: allowed is *" },
    { "colour_depth=5", "--depth colour_depth=5: a configuration has no number colour_depth" },
    { "num_cores=0", "--depth num_cores=0: num_cores=0: allowed is 1 to 64" },
    { "tensor_ram_depth", "--depth tensor_ram_depth: expected a depth of the target and blocks*" },
    { "tensor_ram_depth=many",
      "--depth tensor_ram_depth=many: expected a depth of the target and blocks*" },
  };
  g_autoptr (AssayTarget) target = assay_target_load ("ia_420f_c6b32", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const char *const entries[] = { cases[i].entry, NULL };
      AssaySettings *settings = assay_settings_new ();
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayConfig) config = NULL;

      assay_settings_set_list (&settings, ASSAY_SETTING_DEPTH, entries);
      config = assay_config_new_for_settings (target, settings, &error);
      assay_settings_unref (settings);
      g_assert_cmpint (config != NULL, ==, cases[i].message == NULL);
      if (cases[i].message != NULL)
        g_assert_true (g_pattern_match_simple (cases[i].message, error->message));
      else
        g_assert_cmpint (assay_config_get_values (config)->tensor_ram_depth, ==, 4000);
    }
}

/* Blocks of 16, 32, 64 and 128 values, 1 to 64 cores. */
static void
test_sizes (void)
{
  for (int block = -1; block <= 257; block++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayConfig) config = assay_config_new (6, block, &error);
      gboolean valid = block == 16 || block == 32 || block == 64 || block == 128;

      g_assert_cmpint (config != NULL, ==, valid);
      g_assert_cmpint (error == NULL, ==, valid);
    }

  for (int cores = -1; cores <= 66; cores++)
    {
      g_autoptr (AssayConfig) config = assay_config_new (cores, 32, NULL);

      g_assert_cmpint (config != NULL, ==, cores >= 1 && cores <= 64);
    }
}

static AssayConfig *
parse (const char *text, GError **error)
{
  g_autoptr (JsonNode) node = json_from_string (text, NULL);

  g_assert_nonnull (node);
  return assay_config_new_from_json (json_node_get_object (node), "test", error);
}

/* A message names the file, the field, the value and what is allowed. */
static void
test_messages (void)
{
  static const struct
  {
    const char *json;
    const char *message;
  } cases[] = {
    { "{ \"block_size\": 32 }", "test: num_cores is missing; allowed: 1 to 64" },
    { "{ \"num_cores\": 6, \"block_size\": 48 }",
      "test: block_size is 48; allowed: 16, 32, 64 or 128" },
    { "{ \"num_cores\": 6, \"block_size\": 32, \"clock_mhz\": 0 }",
      "test: clock_mhz is 0; allowed: 1 to 10000" },
    { "{ \"num_cores\": 6, \"block_size\": 32, \"clock_mhz\": 99999999999 }",
      "test: clock_mhz is 99999999999; allowed: 1 to 10000" },
    { "{ \"num_cores\": \"6\", \"block_size\": 32 }",
      "test: num_cores is not a whole number; allowed: 1 to 64" },
    { "{ \"num_cores\": 6.5, \"block_size\": 32 }",
      "test: num_cores is not a whole number; allowed: 1 to 64" },
    { "{ \"num_cores\": 6, \"block_size\": 32, \"cores\": 1 }",
      "test: a configuration has no field \"cores\"" },
    { "{ \"num_cores\": 6, \"block_size\": 32, \"fabric\": \"wool\" }",
      "test: fabric is wool; allowed: agilex, versal-sg2 or versal-sg3" },
    { "{ \"num_cores\": 6, \"block_size\": 32, \"fabric\": 3 }",
      "test: fabric is no string; allowed: agilex, versal-sg2 or versal-sg3" },
    { "{ \"num_cores\": 6, \"block_size\": 32, \"fabric\": [ \"agilex\" ] }",
      "test: fabric is no string; allowed: agilex, versal-sg2 or versal-sg3" },
    { "{ \"num_cores\": 6, \"block_size\": 32, \"estimated\": \"timing\" }",
      "test: estimated is no list of field names" },
    { "{ \"num_cores\": 6, \"block_size\": 32, \"estimated\": [ [] ] }",
      "test: entry 0 of estimated is no field of a configuration" },
    { "{ \"num_cores\": 6, \"block_size\": 32, \"estimated\": [ \"timing\", 3 ] }",
      "test: entry 1 of estimated is no field of a configuration" },
    { "{ \"num_cores\": 6, \"block_size\": 32, \"timing\": 3 }", "test: timing is no object" },
    { "{ \"num_cores\": 6, \"block_size\": 32, \"timing\": { \"hops\": 1 } }",
      "test: timing has no field \"hops\"" },
    { "{ \"num_cores\": 6, \"block_size\": 32, \"timing\": { \"network_hop\": -1 } }",
      "test: network_hop is -1; allowed: 0 to 100000" },
    { "{ \"num_cores\": 6, \"block_size\": 32, \"estimated\": [ \"colour\" ] }",
      "test: entry 0 of estimated is no field of a configuration" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (parse (cases[i].json, &error));
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
      g_assert_cmpstr (error->message, ==, cases[i].message);
    }
}

/* Cores and blocks are enough; the rest is as it is where nobody says otherwise. */
static void
test_least (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayConfig) config = parse ("{ \"num_cores\": 6, \"block_size\": 32 }", &error);
  g_autoptr (AssayTarget) delegate = assay_target_load ("vulkan-main", NULL);
  g_autoptr (AssayConfig) nothing = g_object_new (ASSAY_TYPE_CONFIG, NULL);
  guint n_names;

  g_assert_no_error (error);
  g_assert_cmpint (assay_config_get_values (config)->clock_mhz, ==, 320);
  g_assert_cmpint (assay_config_get_values (config)->timing.matrix_latency, ==, 25);
  g_assert_false (assay_config_is_estimated (config, "timing"));
  g_assert_null (assay_config_new_for_settings (delegate, NULL, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
  g_clear_error (&error);
  g_assert_true (assay_config_is_whole (config, &error));
  g_assert_false (assay_config_is_whole (nothing, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
  for (n_names = 0; assay_timing_parameter_name (n_names) != NULL; n_names++)
    g_assert_cmpuint (n_names, <, 100);
  g_assert_cmpuint (n_names, ==, 10);
}

static void
test_round_trip (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("assay-config-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "config.json", NULL);
  g_autofree char *missing = g_build_filename (folder, "none", "config.json", NULL);
  g_autoptr (AssayConfig) before = assay_config_new_preset ("v80ll_c6b32", &error);
  g_autoptr (AssayConfig) after = NULL;

  g_assert_true (assay_config_save (before, path, &error));
  after = assay_config_load (path, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (assay_config_get_values (before), sizeof (AssayConfigValues),
                   assay_config_get_values (after), sizeof (AssayConfigValues));
  g_assert_cmpstr (assay_config_get_fabric (after), ==, "versal-sg3");
  g_assert_true (assay_config_is_estimated (after, "timing"));

  g_assert_false (assay_config_save (before, missing, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_SAVE);
  g_clear_error (&error);
  g_assert_null (assay_config_load (missing, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IO);
  g_clear_error (&error);

  g_assert_true (g_file_set_contents (path, "[1]", -1, NULL));
  g_assert_null (assay_config_load (path, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);

  g_unlink (path);
  g_rmdir (folder);
}

TEST_PROGRAM (config)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/target/config/preset", test_preset);
  g_test_add_func ("/target/config/other-family", test_other_family);
  g_test_add_func ("/target/config/depths", test_depths);
  g_test_add_func ("/target/config/least", test_least);
  g_test_add_func ("/target/config/sizes", test_sizes);
  g_test_add_func ("/target/config/messages", test_messages);
  g_test_add_func ("/target/config/round-trip", test_round_trip);

  return g_test_run ();
}
