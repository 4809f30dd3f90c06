/* assay-program-report.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a program takes, as reports and pictures.
 */
#include "api/assay-report-private.h"

#include "draw/assay-memory-scene.h"
#include "report/assay-build-report.h"
#include "report/picture/assay-svg.h"

/* Larger than any page that shows it. */
#define MAX_SIDE 20000.0

/**
 * assay_program_describe:
 * @self: a program
 *
 * Tells what a program uses of the stores of every core, and the cycles of its models.
 *
 * Returns: (transfer full): a document of the schema `assay.metrics/1`
 */
AssayReport *
assay_program_describe (AssayProgram *self)
{
  g_autoptr (AssayProgramMetrics) metrics = NULL;
  GString *text;
  AssayJsonWriter json;
  gsize length;

  g_return_val_if_fail (ASSAY_IS_PROGRAM (self) && assay_program_num_models (self) > 0, NULL);

  text = g_string_new (NULL);
  metrics = assay_program_metrics_new (self);
  assay_json_writer_begin_document (&json, 1, "assay.metrics/1");
  assay_json_writer_member (&json, "target", assay_program_get_facts (self)->target_id);
  assay_build_report_write_metrics (&json, metrics);
  assay_build_report_write_cycles (&json, self, FALSE);
  assay_build_report_append_metrics (text, metrics, FALSE);
  assay_build_report_append_cycles (text, self, FALSE);

  return assay_report_new (assay_json_writer_end_document (&json, &length),
                           g_string_free (text, FALSE), TRUE);
}

/**
 * assay_program_draw_memory:
 * @self: a program
 * @core: a core, -1 for the one whose memory is fullest
 * @width: width of the picture
 * @height: height of the picture
 *
 * Draws who occupies which blocks of the main store of a core when.
 *
 * Returns: (transfer full): an SVG document
 */
char *
assay_program_draw_memory (AssayProgram *self, int core, double width, double height)
{
  g_autoptr (AssayMemoryMap) map = NULL;
  g_autoptr (AssayDisplayList) list = NULL;
  AssayMemoryLook look = { .width = width, .height = height };
  AssaySvgOptions options = { .family = "sans-serif", .width = width, .height = height };
  AssayColors colors;
  gsize length;

  g_return_val_if_fail (ASSAY_IS_PROGRAM (self) && assay_program_num_models (self) > 0, NULL);
  g_return_val_if_fail (width >= 1 && width <= MAX_SIDE && height >= 1 && height <= MAX_SIDE, NULL);

  map = assay_memory_map_new (self);
  g_return_val_if_fail (core >= -1 && core < (int) map->n_cores, NULL);

  look.core = core < 0 ? map->peak_core : (guint) core;
  look.store = map->main_store;
  list = assay_display_list_new ();
  if (look.store == ASSAY_NO_STORE)
    assay_memory_scene_draw_weights (map, width, height, list);
  else
    {
      assay_memory_look_fit (&look, map);
      assay_memory_scene_draw (map, &look, list);
      assay_memory_scene_draw_names (map, &look, list);
    }
  assay_colors_init (&colors, FALSE, FALSE);
  options.colors = &colors;

  return assay_svg_from_list (list, &options, &length);
}
