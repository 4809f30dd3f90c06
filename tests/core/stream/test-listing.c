/* test-listing.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Programs as text: the files of tests/data/stream have graphs, how they are compiled, and all that
 * the program says of itself: instructions, memory, search, cycles. ASSAY_REGENERATE=1 writes them
 * anew.
 */
#include <string.h>

#include "backend/assay-time-map.h"
#include "backend/stream/assay-stream-program.h"
#include "backend/stream/compile/assay-compile.h"
#include "base/assay-error.h"
#include "machine-run.h"
#include "golden.h"
#include "test-program.h"

/* Each line behind a bar, runs of blanks as one. */
static void
quote (GString *anew, const char *title, const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  if (*text == '\0')
    return;
  g_string_append_printf (anew, "| %s\n", title);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_auto (GStrv) words = g_strsplit (g_strstrip (lines[i]), " ", -1);

      if (*lines[i] == '\0')
        continue;
      g_string_append (anew, "|  ");
      for (guint k = 0; words[k] != NULL; k++)
        if (*words[k] != '\0')
          g_string_append_printf (anew, " %s", words[k]);
      g_string_append_c (anew, '\n');
    }
}

static void
set_option (const char *word, MachineWay *way, AssaySettings **settings)
{
  static const struct
  {
    const char *name;
    AssaySetting setting;
  } names[] = { { "keep", ASSAY_SETTING_KEEP_FP32 }, { "pin", ASSAY_SETTING_PIN } };
  static const struct
  {
    const char *name;
    AssaySetting setting;
  } flags[] = { { "fp8", ASSAY_SETTING_FP8_WEIGHTS },
                { "reset", ASSAY_SETTING_STATE_RESET },
                { "dynamic", ASSAY_SETTING_DYNAMIC_WEIGHTS },
                { "no-search", ASSAY_SETTING_DISABLE_OPTIMIZATIONS } };
  const struct
  {
    const char *name;
    guint *number;
  } numbers[] = { { "cores", &way->config.num_cores },
                  { "block", &way->config.block_size },
                  { "tensor-ram", &way->config.tensor_ram_depth },
                  { "weight-store", &way->config.weight_store_depth },
                  { "accum-store", &way->config.accum_store_depth },
                  { "cell-state", &way->config.cell_state_depth },
                  { "clamp-store", &way->config.clamp_store_depth },
                  { "descriptors", &way->config.tensor_descriptor_count },
                  { "read", &way->config.max_read_size },
                  { "fabric", (guint *) &way->config.fabric } };
  const char *equals = strchr (word, '=');
  g_autofree char *name = equals != NULL ? g_strndup (word, (gsize) (equals - word))
                                         : g_strdup (word);

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (g_str_equal (name, numbers[i].name))
      {
        *numbers[i].number = (guint) g_ascii_strtoull (equals + 1, NULL, 10);
        return;
      }
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (name, names[i].name))
      {
        assay_settings_add_name (settings, names[i].setting, equals + 1);
        return;
      }
  for (guint i = 0; i < G_N_ELEMENTS (flags); i++)
    if (g_str_equal (name, flags[i].name))
      {
        assay_settings_set_flag (settings, flags[i].setting, TRUE);
        return;
      }
  if (g_str_equal (name, "times"))
    return;
  if (g_str_equal (name, "on"))
    assay_settings_set_text (settings, ASSAY_SETTING_CORES, equals + 1);
  else if (g_str_equal (name, "axes"))
    {
      g_auto (GStrv) axes = g_strsplit (equals + 1, ",", -1);

      for (guint i = 0; axes[i] != NULL; i++)
        assay_settings_set_axis (settings, i, (int) g_ascii_strtoll (axes[i], NULL, 10));
    }
  else
    g_error ("%s: no such option", word);
}

static void
describe_ports (GString *text, const char *title, const AssayPort *ports, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      g_string_append_printf (text, "%s %s [", title, ports[i].name);
      for (guint k = 0; k < ports[i].rank; k++)
        g_string_append_printf (text, "%s%d", k > 0 ? "," : "", (int) ports[i].dims[k]);
      g_string_append_printf (text, "] streams %d, data %d, %u of %u%s\n", ports[i].streaming_dim,
                              ports[i].data_dim, ports[i].n_vectors, ports[i].lanes,
                              ports[i].fp32 ? ", fp32" : "");
    }
}

/* The numbers that the program brings along, as far as they are few. */
static void
describe_constants (GString *text, const AssayStreamCode *code)
{
  for (guint i = 0; i < code->constants->len; i++)
    {
      AssayTensor *tensor = g_ptr_array_index (code->constants, i);
      gsize n = MIN (assay_tensor_get_n_elements (tensor), 4);

      g_string_append_printf (text, "const[%u] of %d:", i,
                              (int) assay_tensor_get_n_elements (tensor));
      for (gsize k = 0; k < n; k++)
        {
          double value;

          g_assert_true (assay_tensor_get_element (tensor, k, &value, NULL));
          g_string_append_printf (text, " %.6g", value);
        }
      g_string_append_c (text, '\n');
    }
}

/* When each instruction runs, and what it waits for. */
static void
describe_times (GString *text, AssayProgram *program)
{
  g_autoptr (AssayTimeMap) map = assay_time_map_new (program);

  for (guint32 i = 0; i < map->events->len; i++)
    {
      const AssayEvent *event = assay_time_map_get_event (map, i);

      g_string_append_printf (
          text, "%u: core %u, unit %u, issued %u, %u to %u, ready %u, vacant %u, wait %u for %d\n",
          event->instruction, event->core, event->unit, event->issued, event->start, event->end,
          event->ready, event->vacant, event->wait, event->waited_for);
    }
}

/* `NAME OPTIONS` and a graph; what is said of it is added. */
static void
run_block (GString *anew, const char *block)
{
  MachineWay way = { .config = MACHINE_CONFIG (2, 16), .options = { .model_name = "m" } };
  g_auto (GStrv) lines = g_strsplit (block, "\n", -1);
  g_auto (GStrv) words = g_strsplit (lines[0], " ", -1);
  g_autoptr (GString) body = g_string_new (NULL);
  g_autoptr (AssaySettings) settings = assay_settings_new ();
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (AssayGraph) graph = NULL;
  g_autoptr (AssayStreamCode) code = NULL;
  g_autoptr (AssayProgram) program = NULL;
  g_autoptr (GError) error = NULL;
  const AssayModelEntry *entry;

  for (guint i = 0; lines[i] != NULL && !g_str_has_prefix (lines[i], "|"); i++)
    {
      g_string_append_printf (anew, "%s\n", lines[i]);
      if (i > 0)
        g_string_append_printf (body, "%s\n", lines[i]);
    }
  for (guint i = 1; words[i] != NULL; i++)
    set_option (words[i], &way, &settings);
  g_test_message ("%s", lines[0]);
  graph = machine_graph_from_text (body->str);
  way.options.settings = settings;
  way.options.findings = findings;
  code = assay_compile (graph, &way.config, &way.options, NULL, &error);
  for (guint i = 0; i < assay_findings_get_count (findings); i++)
    quote (anew, "warning", assay_findings_get (findings, i)->message);
  if (code == NULL)
    {
      quote (anew, assay_error_code_name ((AssayError) error->code), error->message);
      return;
    }

  program = assay_stream_program_new (code);
  entry = assay_program_get_model (program, 0);
  {
    g_autoptr (GString) text = g_string_new (NULL);
    const AssayCycles *cycles = assay_program_get_cycles (program, 0);

    describe_ports (text, "takes", entry->inputs, entry->n_inputs);
    describe_ports (text, "gives", entry->outputs, entry->n_outputs);
    g_string_append_printf (text, "cycles %d spaced, %d contiguous, in %d, out %d to %d\n",
                            (int) cycles->spaced, (int) cycles->contiguous,
                            (int) cycles->last_input, (int) cycles->first_output,
                            (int) cycles->last_output);
    quote (anew, "model", text->str);
    g_string_truncate (text, 0);
    describe_constants (text, code);
    quote (anew, "constants", text->str);
    g_string_truncate (text, 0);
    if (strstr (lines[0], " times") != NULL)
      describe_times (text, program);
    quote (anew, "times", text->str);
  }
  for (guint core = 0; core < way.config.num_cores; core++)
    {
      g_autofree char *title = g_strdup_printf ("core %u", core);
      g_autofree char *memory_title = g_strdup_printf ("memory of core %u", core);
      g_autoptr (GString) text = g_string_new (NULL);
      g_autoptr (GString) memory = g_string_new (NULL);

      assay_program_append_listing (program, 0, core, text);
      assay_program_append_memory (program, core, memory);
      quote (anew, title, text->str);
      quote (anew, memory_title, memory->str);
    }
  {
    g_autoptr (GString) text = g_string_new (NULL);

    assay_program_append_search (program, 0, text);
    quote (anew, "search", text->str);
  }
}

static void
test_programs (void)
{
  g_autofree char *folder = g_test_build_filename (G_TEST_DIST, "data", "stream", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      g_autofree char *expected = NULL;
      g_autoptr (GString) anew = g_string_new (NULL);
      g_auto (GStrv) blocks = NULL;

      g_assert_true (g_file_get_contents (path, &expected, NULL, NULL));
      blocks = g_strsplit (expected, "\n\n", -1);
      g_string_append_printf (anew, "%s\n", blocks[0]);
      for (guint i = 1; blocks[i] != NULL; i++)
        {
          g_string_append_c (anew, '\n');
          run_block (anew, g_strchomp (blocks[i]));
        }
      golden_check (path, anew->str);
    }
}

TEST_PROGRAM (listing)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/listing/programs", test_programs);

  return g_test_run ();
}
