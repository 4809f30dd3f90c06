/* fuzz-config.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/assay-config.h"
#include "text/assay-json-reader.h"

#include "fuzz.h"

static AssayConfig *
read_config (GBytes *bytes, GError **error)
{
  g_autoptr (AssayJsonReader)
      reader = assay_json_reader_new (bytes, "config.json", NULL, NULL, error);

  return reader == NULL
             ? NULL
             : assay_config_new_from_json (assay_json_reader_root (reader), "config.json", error);
}

static GBytes *
print (AssayConfig *config)
{
  g_autoptr (JsonNode) root = json_node_new (JSON_NODE_OBJECT);
  char *text;

  json_node_take_object (root, assay_config_to_json (config));
  text = json_to_string (root, FALSE);

  return g_bytes_new_take (text, strlen (text));
}

/* A hardware configuration that can be read is written and read again as the same. */
FUZZ_TARGET (config)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayConfig) config = read_config (bytes, &error);
  g_autoptr (AssayConfig) again = NULL;
  g_autoptr (GBytes) written = NULL;
  g_autoptr (GBytes) second = NULL;

  g_assert ((config == NULL) == (error != NULL));
  if (config == NULL)
    return 0;
  fuzz_n_taken++;

  written = print (config);
  again = read_config (written, &error);
  g_assert_no_error (error);
  second = print (again);
  g_assert (g_bytes_equal (written, second));

  return 0;
}
