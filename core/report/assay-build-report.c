/* assay-build-report.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a compiled program takes and how long it runs, as JSON members and as text.
 */
#include "report/assay-build-report.h"

#include "base/assay-error.h"
#include "backend/stream/compile/assay-range-warnings.h"
#include "backend/stream/machine/assay-sensitivity.h"
#include "report/assay-report-text.h"
#include "text/assay-text-table.h"

/* Magnitude that inputs are taken to have. */
#define LARGEST_INPUT 1.0

static const struct
{
  const char *title;
  const char *depth_name; /* NULL for what has no limit */
  const char *used_name;
  gsize depth;
  gsize used;
} stores[] = {
#define STORE(title, name, used_name, depth, used)                                                 \
  {                                                                                                \
    title, name, used_name, G_STRUCT_OFFSET (AssayConfigValues, depth),                            \
        G_STRUCT_OFFSET (AssayCoreMetrics, used)                                                   \
  }
  STORE ("Weight store", "weight_store_depth", "weight_store_used", weight_store_depth,
         weight_store),
  STORE ("Tensor RAM", "tensor_ram_depth", "tensor_ram_used", tensor_ram_depth, tensor_ram),
  STORE ("Accumulators", "accum_store_depth", "accum_store_used", accum_store_depth, accum_store),
  STORE ("Cell state", "cell_state_depth", "cell_state_used", cell_state_depth, cell_state),
  STORE ("Clamps", "clamp_store_depth", "clamp_store_used", clamp_store_depth, clamp_store),
  STORE ("Descriptors", "tensor_descriptor_count", "tensor_descriptor_used",
         tensor_descriptor_count, tensor_descriptors),
#undef STORE
  { "Instructions", NULL, "num_instrs", 0, G_STRUCT_OFFSET (AssayCoreMetrics, instrs) },
};

/* What has no store of its own, or no limit. */
static const struct
{
  const char *name;
  gsize offset;
} facts[] = {
  { "bias_store_used", G_STRUCT_OFFSET (AssayCoreMetrics, bias_store) },
  { "tensor_ram_live", G_STRUCT_OFFSET (AssayCoreMetrics, tensor_ram_live) },
  { "longest_read", G_STRUCT_OFFSET (AssayCoreMetrics, longest_read) },
};

static guint64
use_of (const AssayCodeMetrics *metrics, guint store, guint core)
{
  return G_STRUCT_MEMBER (guint32, &metrics->cores[core], stores[store].used);
}

static guint
depth_of (const AssayCodeMetrics *metrics, guint store)
{
  return G_STRUCT_MEMBER (guint, &metrics->config, stores[store].depth);
}

static void
write_per_model (AssayJsonWriter *json, const AssayCodeMetrics *metrics, const char *name,
                 const guint64 *values)
{
  assay_json_writer_key (json, name);
  assay_json_writer_begin_array (json);
  for (guint i = 0; i < metrics->n_models; i++)
    assay_json_writer_uint (json, values[i]);
  assay_json_writer_end_array (json);
}

/**
 * assay_build_report_write_metrics:
 * @json: an open object
 * @metrics: the metrics of a program
 *
 * Writes the members of metrics: depths and uses in blocks, each use a list with an entry per core.
 */
void
assay_build_report_write_metrics (AssayJsonWriter *json, const AssayCodeMetrics *metrics)
{
  assay_json_writer_member_int (json, "num_cores", metrics->n_cores);
  assay_json_writer_member_int (json, "block_size", metrics->config.block_size);

  for (guint store = 0; store < G_N_ELEMENTS (stores); store++)
    {
      if (stores[store].depth_name != NULL)
        assay_json_writer_member_int (json, stores[store].depth_name, depth_of (metrics, store));
      assay_json_writer_key (json, stores[store].used_name);
      assay_json_writer_begin_array (json);
      for (guint core = 0; core < metrics->n_cores; core++)
        assay_json_writer_uint (json, use_of (metrics, store, core));
      assay_json_writer_end_array (json);
    }

  assay_json_writer_key (json, "num_micro_instrs");
  assay_json_writer_begin_array (json);
  for (guint core = 0; core < metrics->n_cores; core++)
    assay_json_writer_uint (json, metrics->cores[core].micro_instrs);
  assay_json_writer_end_array (json);

  assay_json_writer_member_int (json, "max_read_size", metrics->config.max_read_size);
  for (guint i = 0; i < G_N_ELEMENTS (facts); i++)
    {
      assay_json_writer_key (json, facts[i].name);
      assay_json_writer_begin_array (json);
      for (guint core = 0; core < metrics->n_cores; core++)
        assay_json_writer_uint (json,
                                G_STRUCT_MEMBER (guint32, &metrics->cores[core], facts[i].offset));
      assay_json_writer_end_array (json);
    }

  write_per_model (json, metrics, "input_bytes", metrics->input_bytes);
  write_per_model (json, metrics, "output_bytes", metrics->output_bytes);
  assay_json_writer_key (json, "model_names");
  assay_json_writer_begin_array (json);
  for (guint i = 0; i < metrics->n_models; i++)
    assay_json_writer_string (json, metrics->model_names[i]);
  assay_json_writer_end_array (json);
}

static void
write_sensitivity (AssayJsonWriter *json, const AssayStreamCode *code, guint model)
{
  g_autoptr (GArray) parameters = assay_timing_sensitivity (code, model);

  assay_json_writer_key (json, "sensitivity");
  assay_json_writer_begin_array (json);
  for (guint i = 0; i < parameters->len; i++)
    {
      const AssaySensitivity *parameter = &g_array_index (parameters, AssaySensitivity, i);

      assay_json_writer_begin_object (json);
      assay_json_writer_member (json, "name", parameter->name);
      assay_json_writer_member_int (json, "value", parameter->value);
      assay_json_writer_member_int (json, "spaced", parameter->spaced);
      assay_json_writer_member_int (json, "contiguous", parameter->contiguous);
      assay_json_writer_end_object (json);
    }
  assay_json_writer_end_array (json);
}

/**
 * assay_build_report_write_cycles:
 * @json: an open object
 * @code: a program
 * @sensitivity: whether to tell how they depend on each timing parameter
 *
 * Writes the member `models`: the cycles of each model and what they take at the clock of the
 * program.
 */
void
assay_build_report_write_cycles (AssayJsonWriter *json, const AssayStreamCode *code,
                                 gboolean sensitivity)
{
  assay_json_writer_key (json, "models");
  assay_json_writer_begin_array (json);
  for (guint i = 0; i < code->models->len; i++)
    {
      AssayCycles cycles;

      assay_timing_run (code, i, &cycles, NULL);
      assay_json_writer_begin_object (json);
      assay_json_writer_member (json, "name",
                                g_array_index (code->models, AssayModelEntry, i).name);
      assay_json_writer_member_int (json, "spaced", cycles.spaced);
      assay_json_writer_member_int (json, "contiguous", cycles.contiguous);
      assay_json_writer_member_int (json, "clock_mhz", code->config.clock_mhz);
      assay_json_writer_key (json, "compute_us");
      assay_json_writer_double (json, (double) cycles.spaced / code->config.clock_mhz);
      assay_json_writer_member_int (json, "last_input", cycles.last_input);
      assay_json_writer_member_int (json, "first_output", cycles.first_output);
      assay_json_writer_member_int (json, "last_output", cycles.last_output);
      if (sensitivity)
        write_sensitivity (json, code, i);
      assay_json_writer_end_object (json);
    }
  assay_json_writer_end_array (json);
}

static char *
use_text (const AssayCodeMetrics *metrics, guint store, guint core, AssayTextStyle *style)
{
  guint64 use = use_of (metrics, store, core);
  guint depth = stores[store].depth_name == NULL ? 0 : depth_of (metrics, store);

  *style = depth > 0 && use * 10 > (guint64) depth * 9 ? ASSAY_TEXT_STYLE_CAUTION
                                                       : ASSAY_TEXT_STYLE_PLAIN;

  return g_strdup_printf ("%" G_GUINT64_FORMAT, use);
}

/**
 * assay_build_report_append_metrics:
 * @text: gets the lines
 * @metrics: the metrics of a program
 * @colours: whether to write terminal sequences
 *
 * Writes a table with a row per core and a column per store, the depth of each in the last row.
 */
void
assay_build_report_append_metrics (GString *text, const AssayCodeMetrics *metrics, gboolean colours)
{
  g_auto (AssayTextTable) table = { 0 };

  G_STATIC_ASSERT (G_N_ELEMENTS (stores) + 1 <= ASSAY_TEXT_TABLE_MAX_COLUMNS);

  assay_report_append_heading (text, "Blocks and entries in use per core", colours);
  assay_text_table_init (&table, G_N_ELEMENTS (stores) + 1, 40);
  assay_text_table_add (&table, "", ASSAY_TEXT_STYLE_PLAIN);
  for (guint store = 0; store < G_N_ELEMENTS (stores); store++)
    {
      assay_text_table_set_right (&table, store + 1);
      assay_text_table_add (&table, stores[store].title, ASSAY_TEXT_STYLE_DIM);
    }

  for (guint core = 0; core < metrics->n_cores; core++)
    {
      assay_text_table_take (&table, g_strdup_printf ("core %u", core), ASSAY_TEXT_STYLE_PLAIN);
      for (guint store = 0; store < G_N_ELEMENTS (stores); store++)
        {
          AssayTextStyle style;
          char *use = use_text (metrics, store, core, &style);

          assay_text_table_take (&table, use, style);
        }
    }

  assay_text_table_add (&table, "depth", ASSAY_TEXT_STYLE_DIM);
  for (guint store = 0; store < G_N_ELEMENTS (stores); store++)
    assay_text_table_take (&table,
                           stores[store].depth_name == NULL
                               ? g_strdup ("-")
                               : g_strdup_printf ("%u", depth_of (metrics, store)),
                           ASSAY_TEXT_STYLE_DIM);
  assay_text_table_print (&table, text, colours);

  for (guint i = 0; i < metrics->n_models; i++)
    g_string_append_printf (
        text,
        "  %s: %" G_GUINT64_FORMAT " bytes in, %" G_GUINT64_FORMAT " bytes out per inference\n",
        metrics->model_names[i], metrics->input_bytes[i], metrics->output_bytes[i]);
}

/**
 * assay_build_report_append_cycles:
 * @text: gets the lines
 * @code: a program
 * @colours: whether to write terminal sequences
 *
 * Writes the cycles of every model.
 */
void
assay_build_report_append_cycles (GString *text, const AssayStreamCode *code, gboolean colours)
{
  static const char *const titles[] = { "",           "Spaced",       "Contiguous", "Compute",
                                        "Last input", "First output", "Last output" };
  g_auto (AssayTextTable) table = { 0 };
  g_autofree char *heading = g_strdup_printf ("Cycles of one inference at %u MHz",
                                              code->config.clock_mhz);

  assay_report_append_heading (text, heading, colours);
  assay_text_table_init (&table, G_N_ELEMENTS (titles), 40);
  for (guint i = 0; i < G_N_ELEMENTS (titles); i++)
    {
      assay_text_table_add (&table, titles[i], ASSAY_TEXT_STYLE_DIM);
      if (i > 0)
        assay_text_table_set_right (&table, i);
    }

  for (guint i = 0; i < code->models->len; i++)
    {
      AssayCycles cycles;
      char *cells[6];

      assay_timing_run (code, i, &cycles, NULL);
      cells[0] = g_strdup_printf ("%u", cycles.spaced);
      cells[1] = g_strdup_printf ("%u", cycles.contiguous);
      cells[2] = g_strdup_printf ("%.3f us", (double) cycles.spaced / code->config.clock_mhz);
      cells[3] = g_strdup_printf ("%u", cycles.last_input);
      cells[4] = g_strdup_printf ("%u", cycles.first_output);
      cells[5] = g_strdup_printf ("%u", cycles.last_output);
      assay_text_table_add (&table, g_array_index (code->models, AssayModelEntry, i).name,
                            ASSAY_TEXT_STYLE_PLAIN);
      for (guint j = 0; j < G_N_ELEMENTS (cells); j++)
        assay_text_table_take (&table, cells[j], ASSAY_TEXT_STYLE_PLAIN);
    }
  assay_text_table_print (&table, text, colours);
}

/**
 * assay_build_report_append_sensitivity:
 * @text: gets the lines
 * @code: a program
 * @colours: whether to write terminal sequences
 *
 * Writes for every model how many cycles more it takes if a timing parameter is one more. What no
 * cycle depends on is left out.
 */
void
assay_build_report_append_sensitivity (GString *text, const AssayStreamCode *code, gboolean colours)
{
  static const char *const titles[] = { "", "Cycles", "Spaced", "Contiguous" };

  for (guint model = 0; model < code->models->len; model++)
    {
      g_autoptr (GArray) parameters = assay_timing_sensitivity (code, model);
      g_auto (AssayTextTable) table = { 0 };
      g_autofree char *heading = g_strdup_printf (
          "Cycles more in %s if a timing parameter is one more",
          g_array_index (code->models, AssayModelEntry, model).name);

      assay_report_append_heading (text, heading, colours);
      assay_text_table_init (&table, G_N_ELEMENTS (titles), 40);
      for (guint i = 0; i < G_N_ELEMENTS (titles); i++)
        {
          assay_text_table_add (&table, titles[i], ASSAY_TEXT_STYLE_DIM);
          if (i > 0)
            assay_text_table_set_right (&table, i);
        }
      for (guint i = 0; i < parameters->len; i++)
        {
          const AssaySensitivity *parameter = &g_array_index (parameters, AssaySensitivity, i);
          const gint64 cells[] = { parameter->value, parameter->spaced, parameter->contiguous };

          if (parameter->spaced == 0 && parameter->contiguous == 0)
            continue;
          assay_text_table_add (&table, parameter->name, ASSAY_TEXT_STYLE_PLAIN);
          for (guint j = 0; j < G_N_ELEMENTS (cells); j++)
            assay_text_table_take (&table, g_strdup_printf ("%" G_GINT64_FORMAT, cells[j]),
                                   ASSAY_TEXT_STYLE_PLAIN);
        }
      assay_text_table_print (&table, text, colours);
    }
}

/**
 * assay_build_report_write_ranges:
 * @json: an open object
 * @code: a program
 *
 * Writes the member `ranges`: weights and results that bf16 cannot hold or that become zero.
 */
void
assay_build_report_write_ranges (AssayJsonWriter *json, const AssayStreamCode *code)
{
  g_autoptr (GArray) warnings = assay_stream_code_find_ranges (code, LARGEST_INPUT);

  assay_json_writer_key (json, "ranges");
  assay_json_writer_begin_object (json);
  assay_json_writer_member (json, "weights", "exact");
  assay_json_writer_member (json, "results", "interval analysis");
  assay_json_writer_key (json, "largest_input");
  assay_json_writer_double (json, LARGEST_INPUT);
  assay_json_writer_key (json, "warnings");
  assay_json_writer_begin_array (json);
  for (guint i = 0; i < warnings->len; i++)
    {
      const AssayRangeWarning *warning = &g_array_index (warnings, AssayRangeWarning, i);

      assay_json_writer_begin_object (json);
      assay_json_writer_member (json, "model",
                                g_array_index (code->models, AssayModelEntry, warning->model).name);
      assay_json_writer_member (json, "node", g_ptr_array_index (code->node_names, warning->node));
      assay_json_writer_member (json, "what", assay_range_kind_name (warning->kind));
      assay_json_writer_member_int (json, "count", warning->count);
      assay_json_writer_key (json, "largest");
      assay_json_writer_double (json, warning->largest);
      assay_json_writer_end_object (json);
    }
  assay_json_writer_end_array (json);
  assay_json_writer_end_object (json);
}

/**
 * assay_build_report_append_ranges:
 * @text: gets the lines
 * @code: a program
 * @colours: whether to write terminal sequences
 *
 * Writes what may overflow or vanish, and how that was found out.
 */
void
assay_build_report_append_ranges (GString *text, const AssayStreamCode *code, gboolean colours)
{
  g_autoptr (GArray) warnings = assay_stream_code_find_ranges (code, LARGEST_INPUT);

  assay_report_append_heading (text, "Ranges", colours);
  for (guint i = 0; i < warnings->len; i++)
    {
      const AssayRangeWarning *warning = &g_array_index (warnings, AssayRangeWarning, i);

      g_string_append_printf (text, "  %s: %s",
                              (const char *) g_ptr_array_index (code->node_names, warning->node),
                              assay_range_kind_name (warning->kind));
      if (warning->count > 0)
        g_string_append_printf (text, ", %u of them", warning->count);
      g_string_append_printf (text, ", up to %.3g\n", warning->largest);
    }
  if (warnings->len == 0)
    g_string_append (text, "  nothing overflows or vanishes\n");
  g_string_append_printf (
      text, "  weights looked at one by one; results by interval analysis for inputs of up to %g\n",
      LARGEST_INPUT);
}

/**
 * assay_build_report_refusal_to_json:
 * @report: a check that is not clean
 * @command: name of the command
 * @length: (out): bytes of the result
 *
 * Writes why a model is not compiled: an error with the causes that a check has.
 *
 * Returns: (transfer full): the document
 */
char *
assay_build_report_refusal_to_json (const AssayCheckReport *report, const char *command,
                                    gsize *length)
{
  g_autofree char *schema = g_strdup_printf ("assay.%s/1", command);
  GArray *causes = report->verdicts->causes;
  AssayJsonWriter json;

  assay_json_writer_init (&json, 3);
  assay_json_writer_begin_object (&json);
  assay_json_writer_member (&json, "schema", schema);
  assay_json_writer_member (&json, "model", report->model);
  assay_json_writer_member (&json, "target", assay_target_get_id (report->target));
  assay_json_writer_key (&json, "error");
  assay_json_writer_begin_object (&json);
  assay_json_writer_member (&json, "code", assay_error_code_name (ASSAY_ERROR_UNSUPPORTED));
  assay_json_writer_member (&json, "message",
                            "the target does not take the model; `assay check` tells every node");
  assay_json_writer_key (&json, "causes");
  assay_json_writer_begin_array (&json);
  for (guint i = 0; i < causes->len; i++)
    {
      const AssayCause *cause = &g_array_index (causes, AssayCause, i);

      assay_json_writer_begin_object (&json);
      assay_json_writer_member (&json, "rule", cause->rule);
      assay_json_writer_member (&json, "verdict", assay_verdict_name (cause->kind));
      assay_json_writer_member (&json, "op_type", cause->op_type);
      assay_json_writer_member (&json, "reason", cause->reason);
      assay_json_writer_member_int (&json, "count", cause->nodes->len);
      assay_json_writer_end_object (&json);
    }
  assay_json_writer_end_array (&json);
  assay_json_writer_end_object (&json);
  assay_json_writer_end_object (&json);

  return assay_json_writer_finish (&json, length);
}
