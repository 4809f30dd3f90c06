/* test-display.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Pictures item by item: each is drawn of data made by hand and compared with a text,
 * tests/data/golden/scene/display-NAME.txt. ASSAY_REGENERATE=1 writes them anew.
 */
#include <math.h>
#include <string.h>

#include "backend/assay-time-map.h"
#include "backend/stream/assay-stream-program.h"
#include "backend/stream/compile/assay-compile.h"
#include "draw/assay-comparison-scene.h"
#include "draw/assay-core-heat.h"
#include "draw/assay-graph-scene.h"
#include "draw/assay-mark.h"
#include "draw/assay-memory-failure.h"
#include "draw/assay-memory-scene.h"
#include "draw/assay-overlay.h"
#include "draw/assay-store-needs.h"
#include "draw/assay-tensor-scene.h"
#include "draw/assay-timeline-scene.h"
#include "draw/assay-times-scene.h"
#include "nnir/assay-graph-builder.h"
#include "nnir/text/assay-text.h"
#include "run/assay-runner-private.h"
#include "tests/scene/assay-scene-models.h"

#include "golden.h"
#include "test-program.h"

static const char *const role_names[] = {
#define THEME(id, ...) [ASSAY_ROLE_##id] = #id,
#define MIX(id, ...) [ASSAY_ROLE_##id] = #id,
#define MIX_EACH(id, ...) [ASSAY_ROLE_##id] = #id,
#include "draw/roles.def"
#undef THEME
#undef MIX
#undef MIX_EACH
};

/* One line per item; numbers have two places, so that no library of functions shows in them. */
static void
dump (GString *text, const char *title, AssayDisplayList *list)
{
  static const char *const kinds[] = { "rectangle", "box",  "polyline", "text", "glyph",
                                       "hatch",     "clip", "group",    "end" };
  guint depth = 1;

  g_string_append_printf (text, "%s\n", title);
  for (guint i = 0; i < list->items->len; i++)
    {
      const AssayDrawItem *item = &g_array_index (list->items, AssayDrawItem, i);

      depth -= item->kind == ASSAY_DRAW_END;
      g_string_append_printf (text, "%*s%s", (int) depth * 2, "", kinds[item->kind]);
      depth += item->kind == ASSAY_DRAW_GROUP || item->kind == ASSAY_DRAW_CLIP;
      if (item->kind == ASSAY_DRAW_GROUP)
        g_string_append_printf (text, " %u", item->data);
      if (item->kind == ASSAY_DRAW_GROUP || item->kind == ASSAY_DRAW_END)
        {
          g_string_append_c (text, '\n');
          continue;
        }
      if (item->kind != ASSAY_DRAW_CLIP)
        g_string_append_printf (text, " %s", role_names[item->role]);
      if (item->kind == ASSAY_DRAW_BOX)
        g_string_append_printf (text, "/%s", item->flags != 0 ? "filled" : "open");
      if (item->border_role != 0)
        g_string_append_printf (text, " border %s", role_names[item->border_role]);
      if (item->style != 0)
        g_string_append_printf (text, " style %u", item->style);
      if (item->flags != 0 && item->kind != ASSAY_DRAW_BOX)
        g_string_append_printf (text, " flags %x", item->flags);
      if (item->weight != 0)
        g_string_append_printf (text, " weight %.2f", item->weight);
      if (item->radius != 0)
        g_string_append_printf (text, " radius %.2f", item->radius);
      if (item->kind == ASSAY_DRAW_POLYLINE)
        for (guint k = 0; k < item->n; k++)
          {
            const AssayPoint *point = &g_array_index (list->points, AssayPoint, item->data + k);

            g_string_append_printf (text, " %.2f,%.2f", point->x, point->y);
          }
      else
        g_string_append_printf (text, " %.2f,%.2f %.2fx%.2f", item->x, item->y, item->width,
                                item->height);
      if (item->kind == ASSAY_DRAW_TEXT)
        g_string_append_printf (text, " “%s”", list->text->str + item->data);
      else if (item->kind != ASSAY_DRAW_POLYLINE && item->data != 0)
        g_string_append_printf (text, " data %u", item->data);
      g_string_append_c (text, '\n');
    }
  assay_display_list_clear (list);
}

/* Glyphs, dashes, hatches, fonts: the tables that painters read. */
static void
draw_parts (GString *text)
{
  static const char *const stroke_names[] = { "line", "loop", "fill", "ring" };
  g_autoptr (AssayDisplayList) list = assay_display_list_new ();

  for (AssayGlyph glyph = 0; glyph < ASSAY_N_GLYPHS; glyph++)
    {
      guint n;
      const AssayStroke *strokes = assay_glyph_get_strokes (glyph, &n);

      g_string_append_printf (text, "glyph %s\n", assay_glyph_get_name (glyph));
      for (guint i = 0; i < n; i++)
        {
          g_string_append_printf (text, "  %s %g:", stroke_names[strokes[i].kind],
                                  strokes[i].width);
          for (guint k = 0; k < strokes[i].n; k++)
            g_string_append_printf (text, " %g", strokes[i].v[k]);
          g_string_append_c (text, '\n');
        }
    }
  for (guint style = 0; style < ASSAY_N_LINE_STYLES; style++)
    {
      guint n;
      const double *dashes = assay_line_style_dashes (style, &n);

      g_string_append_printf (text, "line style %u:", style);
      for (guint i = 0; i < n; i++)
        g_string_append_printf (text, " %g", dashes[i]);
      g_string_append_c (text, '\n');
    }
  for (guint hatch = 0; hatch < ASSAY_N_HATCHES; hatch++)
    {
      guint n;
      double weight;
      const AssayHatchLine *lines = assay_hatch_get_lines (hatch, &n, &weight);

      g_string_append_printf (text, "hatch %u, weight %g:", hatch, weight);
      for (guint i = 0; i < n; i++)
        g_string_append_printf (text, " %g,%g-%g,%g", lines[i].x1, lines[i].y1, lines[i].x2,
                                lines[i].y2);
      g_string_append_c (text, '\n');
    }
  for (guint font = 0; font < ASSAY_N_FONTS; font++)
    g_string_append_printf (text, "font %u: %g, weight %d\n", font, assay_font_get_size (font),
                            assay_font_get_weight (font));
  for (guint8 marks = 0; marks < 16; marks++)
    {
      g_autofree char *title = g_strdup_printf ("marks %x", marks);

      assay_mark_draw (marks, 100, 50, 12, list);
      dump (text, title, list);
    }
}

static void
draw_colors (GString *text)
{
  for (guint dark = 0; dark < 2; dark++)
    for (guint contrast = 0; contrast < 2; contrast++)
      {
        AssayColors colors;

        assay_colors_init (&colors, dark, contrast);
        g_string_append_printf (text, "%s%s\n", dark ? "dark" : "light",
                                contrast ? ", high contrast" : "");
        for (guint role = 0; role < G_N_ELEMENTS (role_names); role++)
          {
            char buffer[32];
            const char *theme = role < ASSAY_N_THEME_ROLES
                                    ? assay_role_theme_name (role, dark, buffer)
                                    : NULL;
            const AssayColor *color = &colors.color[role];

            g_string_append_printf (text, "  %s %.3f %.3f %.3f %.3f %s\n", role_names[role],
                                    color->red, color->green, color->blue, color->alpha,
                                    theme != NULL ? theme : "");
          }
      }
}

static void
draw_comparison (GString *text)
{
  static const AssayErrorPoint points[] = {
    { 0, 0, 8, 24, ASSAY_DIVERGENCE_EXACT },
    { 1, 0, 8, 24, ASSAY_DIVERGENCE_ROUNDING },
    { 2, 1, 8, 24, ASSAY_DIVERGENCE_BIASED },
    { 0, 2, 1, INFINITY, ASSAY_DIVERGENCE_ROUNDING },
    { 4, 2, 8, 24, ASSAY_DIVERGENCE_ROUNDING },
    { 64, 4, 8, 24, ASSAY_DIVERGENCE_BEYOND },
    { 1, 64, 8, 24, ASSAY_DIVERGENCE_AMPLIFIED },
    { 16, 64, 8, 24, ASSAY_DIVERGENCE_BEYOND },
    { 2, 0, 8, 24, ASSAY_DIVERGENCE_NOT_COMPARED },
  };
  static const double small[][2] = { { 460, 218 }, { 300, 120 } };
  g_autoptr (AssayDisplayList) list = assay_display_list_new ();
  double span_rms[] = { 0.25, 0.5, 0.25, 1 };
  double flattening[] = { 1, 1.2, 1.3, 1.35, 1.4, 1.4, 1.4, 1.4 };
  AssayComparisonRow row = { .n_spans = 4, .span_rms = span_rms, .total = { .step = 0.25 } };
  AssayCompareStats stats = { .precision = ASSAY_COMPARE_BF16 };

  for (guint i = 0; i < G_N_ELEMENTS (small); i++)
    {
      assay_comparison_scene_draw_errors (points, G_N_ELEMENTS (points), i == 0 ? 4 : G_MAXUINT,
                                          small[i][0], small[i][1], list);
      dump (text, "errors", list);
      g_string_append (text, "points at");
      for (double x = 0; x < small[i][0]; x += 13)
        g_string_append_printf (
            text, " %d",
            (int) assay_comparison_scene_find_point (G_N_ELEMENTS (points), small[i][0], x));
      g_string_append_c (text, '\n');
    }
  assay_comparison_scene_draw_errors (NULL, 0, G_MAXUINT, 460, 218, list);
  dump (text, "no errors", list);
  assay_comparison_scene_draw_steps (&row, 4, 220, 84, list);
  dump (text, "steps", list);
  for (guint i = 0; i < 4; i++)
    span_rms[i] = 0.25 * (i + 1);
  assay_comparison_scene_draw_steps (&row, 960, 400, 120, list);
  dump (text, "growing steps", list);
  /* The line through them would end above all bars, but they do not grow by twice. */
  row.span_rms = flattening;
  row.n_spans = G_N_ELEMENTS (flattening);
  assay_comparison_scene_draw_steps (&row, 8, 220, 84, list);
  dump (text, "flattening steps", list);
  for (guint i = 0; i < ASSAY_COMPARE_N_BUCKETS; i++)
    {
      g_autofree char *name = assay_comparison_bucket_name (i);

      g_string_append_printf (text, "bucket %s\n", name);
      stats.histogram[i] = stats.histogram_bf16[i] = i < 4 || i == 9 ? 1000 >> (2 * i) : 0;
      stats.n += stats.histogram[i];
    }
  assay_comparison_scene_draw_histogram (&stats, 260, 110, list);
  dump (text, "histogram", list);
  assay_comparison_scene_draw_histogram (&stats, 700, 110, list);
  dump (text, "wide histogram", list);
}

static void
draw_tensor (GString *text)
{
  const gint64 dims[] = { 40 };
  float values[40];
  g_autoptr (AssayTensor) tensor = NULL;
  g_autoptr (AssayDisplayList) list = assay_display_list_new ();
  AssayTensorSummary summary;

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    values[i] = (float) (i % 7) * (float) (i % 3) - 2;
  tensor = assay_tensor_new_f32 (1, dims, values);
  g_assert_true (assay_tensor_summarize (tensor, NULL, &summary, NULL));
  assay_tensor_scene_draw_histogram (&summary, 300, 120, list);
  dump (text, "histogram", list);
  assay_tensor_scene_draw_heat (&summary, 300, 24, list);
  dump (text, "heat", list);
  g_string_append (text, "buckets at");
  for (double x = -10; x < 320; x += 10)
    g_string_append_printf (text, " %d", assay_tensor_scene_find_bucket (300, x));
  g_string_append (text, "\nstretches at");
  for (double x = -10; x < 320; x += 10)
    g_string_append_printf (text, " %d", assay_tensor_scene_find_stretch (&summary, 300, x));
  g_string_append_c (text, '\n');
}

static void
draw_times (GString *text)
{
  static const AssayRunnerStep steps[] = {
    { "x", "upload", 0, 4000 },          { "conv", "device", 4000, 20000 },
    { "softmax", "device", 30000, 500 }, { "cast", "host", 31000, 9000 },
    { "y", "download", 40500, 2500 },
  };
  g_autoptr (GArray) kept = g_array_new (FALSE, FALSE, sizeof (AssayRunnerStep));
  AssayRunner runner = { .kind = assay_runner_kind_get (0),
                         .label = (char *) "device",
                         .steps = kept };
  g_autoptr (AssayRunTimes) times = NULL;
  g_autoptr (AssayDisplayList) list = assay_display_list_new ();
  AssayTimesLook look = { .width = 500, .height = 160 };

  g_array_append_vals (kept, steps, G_N_ELEMENTS (steps));
  times = assay_run_times_new (&runner);
  for (guint turn = 0; turn < 4; turn++)
    {
      g_autofree char *title = NULL;

      if (turn == 0)
        assay_times_look_fit (&look, times);
      else if (turn == 1)
        assay_times_look_zoom (&look, times, 200, 0.25);
      else if (turn == 2)
        assay_times_look_pan (&look, times, 0.5);
      else
        assay_times_look_zoom (&look, times, 400, 100);
      title = g_strdup_printf ("from %.2f to %.2f", look.first, look.end);
      assay_times_scene_draw (times, &look, turn == 1 ? 1 : G_MAXUINT, list);
      dump (text, title, list);
      for (double y = 0; y < look.height; y += 16)
        {
          g_string_append_printf (text, "at %g:", y);
          for (double x = 0; x < look.width; x += 25)
            {
              guint found = assay_times_look_find (&look, times, x, y);

              g_string_append_printf (text, found == G_MAXUINT ? " ." : " %u", found);
            }
          g_string_append_c (text, '\n');
        }
    }
}

static void
draw_memory (GString *text)
{
  static const struct
  {
    guint core;
    AssayStore store;
    double width, height;
    gboolean hexadecimal;
  } looks[] = { { 0, ASSAY_STORE_TENSOR, 640, 400, FALSE },
                { 1, ASSAY_STORE_TENSOR, 320, 240, TRUE },
                { 1, ASSAY_STORE_ACCUMULATOR, 320, 200, FALSE } };
  g_autoptr (AssayStreamCode) code = assay_scene_code ();
  g_autoptr (AssayProgram) program = assay_stream_program_new (code);
  g_autoptr (AssayMemoryMap) map = assay_memory_map_new (program);
  g_autoptr (AssayDisplayList) list = assay_display_list_new ();
  g_autoptr (GArray) selected = g_array_new (FALSE, FALSE, sizeof (guint32));
  const guint32 two = 2;

  g_array_append_val (selected, two);
  for (guint i = 0; i < G_N_ELEMENTS (looks); i++)
    {
      AssayMemoryLook look = { .width = looks[i].width,
                               .height = looks[i].height,
                               .core = looks[i].core,
                               .store = looks[i].store,
                               .hexadecimal = looks[i].hexadecimal };

      assay_memory_look_fit (&look, map);
      assay_memory_scene_draw (map, &look, list);
      dump (text, "map", list);
      assay_memory_scene_draw_names (map, &look, list);
      dump (text, "names", list);
      assay_memory_scene_draw_marks (map, &look, 4, i == 0 ? 2 : ASSAY_NO_STEP,
                                     i == 0 ? selected : NULL, list);
      dump (text, "marks", list);
      assay_memory_scene_draw_strip (map, look.core, look.store, 3, 300, 40, list);
      dump (text, "strip", list);
      for (double y = 4; y < look.height; y += 24)
        {
          g_string_append_printf (text, "at %g:", y);
          for (double x = 4; x < look.width; x += 40)
            {
              guint32 step = 0, block = 0;
              AssayMemoryPart part = assay_memory_look_locate (&look, map, x, y, &step, &block);
              guint32 tensor = part != ASSAY_MEMORY_PART_NONE
                                   ? assay_memory_scene_find (map, &look, step, block)
                                   : ASSAY_NO_TENSOR;

              if (part == ASSAY_MEMORY_PART_NONE)
                g_string_append (text, " .");
              else
                g_string_append_printf (text, " %u/%u/%u=%d", part, step, block, (int) tensor);
            }
          g_string_append_c (text, '\n');
        }
    }
  assay_memory_scene_draw_weights (map, 300, 100, list);
  dump (text, "weights", list);
  assay_core_heat_draw (map, ASSAY_STORE_TENSOR, 1, 3, 300, 80, list);
  dump (text, "heat", list);
  for (double y = 2; y < 80; y += 12)
    {
      g_string_append_printf (text, "at %g:", y);
      for (double x = 0; x < 300; x += 25)
        {
          guint core = 0;
          guint32 step = 0;

          if (assay_core_heat_find (map, 300, 80, x, y, &core, &step))
            g_string_append_printf (text, " %u/%u", core, step);
          else
            g_string_append (text, " .");
        }
      g_string_append_c (text, '\n');
    }
}

static void
draw_failure (GString *text)
{
  static const AssayLiveTensor living[] = {
    { (char *) "state", (char *) "lstm", (char *) "lstm", 0, 4, 0, G_MAXUINT32,
      ASSAY_TENSOR_STATE },
    { (char *) "a", (char *) "conv", (char *) "mul", 7, 6, 2, 5, ASSAY_TENSOR_ACTIVATION },
  };
  static const AssayLiveTensor gone = { (char *) "in",     (char *) "", (char *) "conv", 4, 3, 0, 3,
                                        ASSAY_TENSOR_INPUT };
  static const double sizes[][2] = { { 800, 400 }, { 480, 160 } };
  AssayAllocation *allocation = assay_allocation_new ("tensor RAM", 1, 16);
  g_autoptr (AssayDisplayList) list = assay_display_list_new ();
  static const AssayStoreNeed needs[] = { { "tensor RAM", 30, 32 },
                                          { "weight store", 5000, 4096 },
                                          { "clamp store", 0, 64 } };

  allocation->step = 4;
  allocation->tensor = g_strdup ("b");
  allocation->node = g_strdup ("mul");
  allocation->needed = 8;
  allocation->available = 6;
  allocation->largest_hole = 3;
  for (guint i = 0; i < G_N_ELEMENTS (living); i++)
    assay_allocation_add_live (allocation, &living[i]);
  assay_allocation_add_past (allocation, &gone);
  g_array_append_vals (allocation->needs, needs, G_N_ELEMENTS (needs));
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      assay_memory_failure_draw (allocation, sizes[i][0], sizes[i][1], list);
      dump (text, "failure", list);
      for (double y = 10; y < sizes[i][1]; y += 20)
        {
          g_string_append_printf (text, "at %g:", y);
          for (double x = 10; x < sizes[i][0]; x += 60)
            {
              const AssayLiveTensor *found = assay_memory_failure_find (allocation, sizes[i][0],
                                                                        sizes[i][1], x, y);

              g_string_append_printf (text, " %s", found != NULL ? found->name : ".");
            }
          g_string_append_c (text, '\n');
        }
    }
  g_string_append_printf (text, "needs, height %.2f\n", assay_store_needs_get_height (allocation));
  assay_store_needs_draw (allocation, 500, list);
  dump (text, "needs", list);
  for (double y = 4; y < assay_store_needs_get_height (allocation); y += 10)
    {
      g_autofree char *found = assay_store_needs_find (allocation, 500, 300, y);

      g_string_append_printf (text, "at %g: %s\n", y, found != NULL ? found : ".");
    }
  assay_allocation_free (allocation);
}

static void
draw_timeline (GString *text)
{
  static const char graph_text[] =
      "nnir 1\n"
      "main (%x : f32[40], %w : f32[40,40] param, %v : f32[40] param) {\n"
      "  %m = MatMul(%x, %w) : f32[40] @ \"fc\"\n"
      "  %r = Relu(%m) : f32[40] @ \"relu\"\n"
      "  %s = Add(%r, %v) : f32[40] @ \"add\"\n"
      "  %t = Tanh(%s) : f32[40] @ \"tanh\"\n"
      "  return %t\n"
      "}\n";
  const AssayConfigValues config = { .num_cores = 2,
                                     .block_size = 32,
                                     .tensor_ram_depth = 64,
                                     .tensor_descriptor_count = 64,
                                     .weight_store_depth = 64,
                                     .accum_store_depth = 64,
                                     .cell_state_depth = 64,
                                     .clamp_store_depth = 64,
                                     .max_read_size = 512,
                                     .io_size = 32,
                                     .clock_mhz = 100,
                                     .timing = { 10, 36, 25, 4, 14, 21, 16, 14, 15, 2 } };
  g_autofree float *zeros = g_new0 (float, 40 * 40);
  const gint64 dims[] = { 40, 40 };
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (AssayGraph) graph = assay_graph_from_text (graph_text, -1, findings, NULL);
  g_autoptr (AssayStreamCode) code = NULL;
  g_autoptr (AssayProgram) program = NULL;
  g_autoptr (AssayTimeMap) map = NULL;
  g_autoptr (AssayDisplayList) list = assay_display_list_new ();
  g_autoptr (GArray) nodes = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GError) error = NULL;
  const AssayCompileOptions options = { .model_name = "m" };
  const guint32 node = 2;

  for (guint i = 1; i < 3; i++)
    {
      g_autoptr (AssayTensor) tensor = assay_tensor_new_f32 (i == 1 ? 2 : 1, dims, zeros);

      assay_graph_set_constant (
          graph, g_array_index (assay_graph_region (graph, 0)->inputs, AssayValueId, i), tensor);
    }
  code = assay_compile (graph, &config, &options, NULL, &error);
  g_assert_no_error (error);
  program = assay_stream_program_new (code);
  map = assay_time_map_new (program);
  g_array_append_val (nodes, node);

  for (guint turn = 0; turn < 4; turn++)
    {
      AssayTimelineLook look = { .width = 600, .height = 300 };
      g_autofree char *title = NULL;

      assay_timeline_look_fit (&look, map);
      if (turn > 0)
        assay_timeline_look_open_all (&look, map);
      if (turn == 2)
        assay_timeline_look_zoom (&look, map, 40, 0.4);
      if (turn == 3)
        {
          assay_timeline_look_zoom (&look, map, 40, 0.4);
          assay_timeline_look_pan (&look, map, 0.5);
          look.core = 1;
        }
      title = g_strdup_printf ("from %.2f to %.2f, height %.2f", look.first_cycle, look.end_cycle,
                               assay_timeline_look_get_height (&look, map));
      assay_timeline_scene_draw (map, &look, list);
      dump (text, title, list);
      assay_timeline_scene_draw_range (map, &look, 20, 60, list);
      dump (text, "range", list);
      assay_timeline_scene_draw_marks (map, &look, 30, turn == 0 ? NULL : nodes, list);
      dump (text, "marks", list);
      for (double y = 4; y < look.height; y += 16)
        {
          g_string_append_printf (text, "at %g%s:", y,
                                  assay_timeline_look_is_ruler (&look, 300, y) ? ", ruler" : "");
          for (double x = 4; x < look.width; x += 60)
            {
              AssayTimelinePlace place = { 0 };

              if (assay_timeline_look_locate (&look, map, x, y, &place))
                g_string_append_printf (text, " %s%u/%d/%u/%d", place.is_header ? "h" : "",
                                        place.core, (int) place.lane, place.cycle,
                                        (int) place.event);
              else
                g_string_append (text, " .");
            }
          g_string_append_c (text, '\n');
        }
    }
  for (guint core = 0; core < 2; core++)
    {
      g_autofree char *range = assay_timeline_describe_range (map, core, 10, 90);

      g_string_append_printf (text, "%s\n", range);
    }
}

/* All scopes are folded but the first @n_open. */
static void
draw_view (GString *text, AssayVerdicts *verdicts, guint n_open)
{
  g_autoptr (AssayScopeTree) tree = assay_scope_tree_new (verdicts->graph);
  g_autofree guint8 *open = g_new0 (guint8, tree->scopes->len + 1);
  g_autoptr (AssayView) view = NULL;
  g_autoptr (AssayDisplayList) list = assay_display_list_new ();
  g_autoptr (AssayScopeSummary) summary = NULL;
  g_autoptr (AssayOverlay) overlay = NULL;
  g_autoptr (GByteArray) marks = g_byte_array_new ();
  guint n_nodes = assay_graph_n_nodes (verdicts->graph);
  g_autofree double *values = g_new0 (double, n_nodes);
  static const struct
  {
    const char *title;
    AssaySceneLook look;
    gboolean has_overlay, has_summary;
  } looks[] = {
    { "full", { .detail = ASSAY_DETAIL_FULL, .scale = 1, .labels = TRUE }, FALSE, TRUE },
    { "chips",
      { .detail = ASSAY_DETAIL_FULL, .scale = 2, .labels = TRUE, .chips = TRUE },
      FALSE,
      FALSE },
    { "groups and all frames",
      { .detail = ASSAY_DETAIL_FULL, .scale = 1, .groups = TRUE, .all_frames = TRUE },
      FALSE,
      FALSE },
    { "titles", { .detail = ASSAY_DETAIL_TITLE, .scale = 0.6 }, TRUE, FALSE },
    { "glyphs", { .detail = ASSAY_DETAIL_GLYPH, .scale = 0.3 }, TRUE, FALSE },
    { "bands", { .detail = ASSAY_DETAIL_BANDS, .scale = 0.05 }, FALSE, FALSE },
    { "filter",
      { .detail = ASSAY_DETAIL_FULL, .scale = 1, .filter = 1u << ASSAY_VERDICT_REJECTED },
      FALSE,
      FALSE },
  };

  for (guint i = 0; i < tree->scopes->len; i++)
    open[i] = i <= n_open;
  view = assay_view_new (verdicts, tree, &(AssayViewOptions){ .open = open });
  for (guint i = 0; i < n_nodes; i++)
    values[i] = i % 4 == 3 ? NAN : i * 100;
  overlay = assay_overlay_new_values ("Size", "bytes", values, n_nodes);
  summary = assay_scope_summary_new (view, overlay);
  g_byte_array_set_size (marks, n_nodes);
  for (guint i = 0; i < n_nodes; i++)
    marks->data[i] = (guint8) (i & 15);

  for (guint i = 0; i < G_N_ELEMENTS (looks); i++)
    {
      AssaySceneLook look = looks[i].look;

      look.overlay = looks[i].has_overlay ? overlay : NULL;
      look.summary = looks[i].has_summary ? summary : NULL;
      assay_scene_draw_frames (view, &look, -10, -10, view->width + 10, view->height + 10, list);
      assay_scene_draw (view, &look, -10, -10, view->width + 10, view->height + 10, list);
      assay_scene_draw_headers (view, &look, -10, view->height / 3, view->width + 10,
                                view->height + 10, list);
      dump (text, looks[i].title, list);
    }
  assay_scene_draw_marks (view, marks, 1, -10, -10, view->width + 10, view->height + 10, list);
  dump (text, "marks", list);
  g_string_append_printf (text, "legend ends at %.2f\n",
                          assay_scene_draw_legend (view, overlay, 10, 20, 300, list));
  dump (text, "legend", list);
  for (guint32 i = 0; i < view->boxes->len; i++)
    {
      g_autofree char *words = assay_scene_describe_box (view, i);

      g_string_append_printf (text, "box %u: %s\n", i, words);
      for (guint line = 0; line < ASSAY_SUMMARY_LINES; line++)
        if (assay_scope_summary_get (summary, i, line) != NULL)
          g_string_append_printf (text, "  %s\n", assay_scope_summary_get (summary, i, line));
    }
  for (guint32 i = 0; i < view->frames->len; i++)
    {
      g_autofree char *words = assay_scene_describe_frame (view, i);

      g_string_append_printf (text, "frame %u: %s\n", i, words);
    }
  for (double scale = 0.02; scale < 2; scale *= 1.5)
    g_string_append_printf (
        text, "detail at %.2f: %u\n", scale,
        assay_scene_choose_detail (view, 0, 0, 400 / scale, 300 / scale, scale));
}

static void
draw_verdicts (GString *text)
{
  g_autoptr (AssayVerdicts) verdicts = assay_scene_verdict_row ();

  draw_view (text, verdicts, G_MAXUINT);
}

static void
draw_scopes (GString *text)
{
  g_autoptr (AssayVerdicts) verdicts = assay_scene_unet (1);

  draw_view (text, verdicts, G_MAXUINT);
}

static void
draw_folded (GString *text)
{
  g_autoptr (AssayVerdicts) verdicts = assay_scene_residual (16);

  draw_view (text, verdicts, 0);
}

/* Folded scopes and frames with nodes that are rejected, on the host, undecided and fused. */
static void
draw_badges (GString *text)
{
  g_autoptr (AssayVerdicts) verdicts = assay_scene_transformer (3, TRUE);

  draw_view (text, verdicts, 1);
}

static void
draw_layer (GString *text)
{
  g_autoptr (AssayVerdicts) verdicts = assay_scene_transformer (1, FALSE);

  draw_view (text, verdicts, 3);
}

/* Shapes beside lines, where lines are many; values that a body takes from around it; and the same
 * in tiles. */
static void
draw_labels (GString *text)
{
  static const char graph_text[] =
      "nnir 1\n"
      "scope 1 \"one\"\n"
      "main (%x : f32[1,64,56,56], %c : bool[], %t : string[n]) {\n"
      "  const %w : f32[64,64] = elided\n"
      "  const %k : i64[2] = [1, 0]\n"
      "  %a = Relu(%x) : f32[1,64,56,56] @ \"a\" in 1\n"
      "  %b = Neg(%x) : f32[1,64,56,56] @ \"b\" in 1\n"
      "  %d = Add(%a, %b) : f32[1,64,56,56] @ \"d\" in 1\n"
      "  %e, %f = Split(%d) {axis = 1} : f32[1,32,56,56], f32[1,32,56,56] @ \"e\"\n"
      "  %g = Concat(%e, %f, %a, %b) {axis = 1} : f32[1,?,56,56] @ \"g\"\n"
      "  %h = Transpose(%g) {perm = [0, 2, 3, 1]} : f32[1,56,56,batch] @ \"h\"\n"
      "  %i = MatMul(%h, %w) : f32[1,56,56,64] @ \"i\"\n"
      "  %j = Identity(%t) : string[n] @ \"j\"\n"
      "  %l = ReduceSum(%i) : f32[] @ \"l\"\n"
      "  %r = If(%c) {then_branch = region \"then\" () {\n"
      "    %y = Add(%i, %l) : f32[1,56,56,64] @ \"inner\"\n"
      "    return %y\n"
      "  }, else_branch = region \"else\" () {\n"
      "    return %i\n"
      "  }} : ? @ \"if\"\n"
      "  return %r, %j, %k\n"
      "}\n";
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  AssayGraph *graph = assay_graph_from_text (graph_text, -1, findings, NULL);
  g_autoptr (AssayVerdicts) verdicts = NULL;
  g_autoptr (AssayScopeTree) tree = NULL;
  g_autofree guint8 *open = NULL;
  g_autoptr (AssayView) view = NULL;
  g_autoptr (AssayDisplayList) list = assay_display_list_new ();

  g_assert_nonnull (graph);
  verdicts = assay_scene_verdicts (graph);
  assay_scene_set_verdict (verdicts, 1, ASSAY_VERDICT_FUSED, "done by its reader");
  g_array_index (verdicts->verdicts, AssayVerdict, 1).into = 3;
  assay_scene_set_verdict (verdicts, 5, ASSAY_VERDICT_HOST, "on the host");
  tree = assay_scope_tree_new (graph);
  open = g_new0 (guint8, tree->scopes->len + 1);
  memset (open, 1, tree->scopes->len);
  view = assay_view_new (verdicts, tree, &(AssayViewOptions){ .open = open });
  for (guint chips = 0; chips < 2; chips++)
    {
      const AssaySceneLook look = {
        .detail = ASSAY_DETAIL_FULL, .scale = chips ? 2 : 1, .labels = TRUE, .chips = chips
      };

      assay_scene_draw (view, &look, -10, -10, view->width + 10, view->height + 10, list);
      dump (text, chips ? "with chips" : "labels", list);
    }
  for (double y = -100; y < view->height + 100; y += 300)
    for (double x = -100; x < view->width + 100; x += 200)
      {
        const AssaySceneLook look = { .detail = ASSAY_DETAIL_FULL, .scale = 1, .labels = TRUE };
        g_autofree char *title = g_strdup_printf ("tile at %g, %g", x, y);

        assay_scene_draw_frames (view, &look, x, y, x + 200, y + 300, list);
        assay_scene_draw (view, &look, x, y, x + 200, y + 300, list);
        dump (text, title, list);
      }
}

static void
say_overlay (GString *text, const AssayOverlay *overlay, guint32 n_nodes)
{
  static const double sums[] = { 0, 1, 999, 1234, 5e6, 2.5e9 };

  g_string_append_printf (text, "%s “%s” “%s” %s%s\n", assay_overlay_kind_name (overlay->kind),
                          overlay->title, overlay->unit, overlay->is_scale ? "scale" : "groups",
                          assay_overlay_has_sums (overlay) ? ", has sums" : "");
  for (guint i = 0; i < overlay->labels->len; i++)
    g_string_append_printf (text, "  step %u: %s, %s\n", i,
                            (const char *) g_ptr_array_index (overlay->labels, i),
                            role_names[assay_overlay_get_role (overlay, i)]);
  for (guint32 node = 1; node < n_nodes; node++)
    {
      g_autofree char *words = assay_overlay_describe (overlay, node);
      const char *written = g_ptr_array_index (overlay->text_of_node, node);

      g_string_append_printf (text, "  node %u: step %u, “%s”, %s\n", node,
                              overlay->step_of_node[node], written != NULL ? written : "",
                              words != NULL ? words : "nothing");
    }
  for (guint i = 0; i < G_N_ELEMENTS (sums) && overlay->is_scale; i++)
    {
      g_autofree char *sum = assay_overlay_format_sum (overlay, sums[i]);

      g_string_append_printf (text, "  sum %g: %s\n", sums[i], sum);
    }
}

static void
draw_overlays (GString *text)
{
  static const char *const names[] = { "",      "left",   "right", NULL,    "left",
                                       "third", "fourth", "fifth", "sixth", "seventh" };
  static const double values[][8] = { { 0, 1, 2, 4, 8, 16, NAN, 32 },
                                      { 0, 5, 5, 5, NAN, 5, 5, 5 },
                                      { 0, 0, 0, 0.001, 12.5, 1e6, 3e9, INFINITY },
                                      { 0, NAN, NAN, NAN, NAN, NAN, NAN, NAN } };
  g_autoptr (AssayVerdicts) verdicts = assay_scene_transformer (1, FALSE);
  const AssayOverlaySource source = { .verdicts = verdicts };
  g_autoptr (AssayOverlay) groups = assay_overlay_new_groups ("Side", names, G_N_ELEMENTS (names));

  say_overlay (text, groups, G_N_ELEMENTS (names));
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    {
      g_autoptr (AssayOverlay)
          overlay = assay_overlay_new_values ("Numbers", i == 0 ? "" : "ms", values[i], 8);

      say_overlay (text, overlay, 8);
    }
  for (AssayOverlayKind kind = 0; kind < ASSAY_N_OVERLAYS; kind++)
    {
      const char *missing = assay_overlay_get_missing (kind, &source);

      g_string_append_printf (text, "%s, %s, %s: %s\n", assay_overlay_kind_name (kind),
                              assay_overlay_kind_word (kind), assay_overlay_kind_title (kind),
                              missing != NULL ? missing : "nothing is missing");
      if (missing == NULL && kind != ASSAY_OVERLAY_VERDICT && kind != ASSAY_OVERLAY_FILE)
        {
          g_autoptr (AssayOverlay) overlay = assay_overlay_new (kind, &source);

          say_overlay (text, overlay, assay_graph_n_nodes (verdicts->graph));
        }
    }
}

static const struct
{
  const char *name;
  void (*draw) (GString *text);
} pictures[] = {
  { "parts", draw_parts },     { "colors", draw_colors },     { "comparison", draw_comparison },
  { "tensor", draw_tensor },   { "times", draw_times },       { "memory", draw_memory },
  { "failure", draw_failure }, { "timeline", draw_timeline }, { "verdicts", draw_verdicts },
  { "scopes", draw_scopes },   { "folded", draw_folded },     { "overlays", draw_overlays },
  { "labels", draw_labels },   { "badges", draw_badges },     { "layer", draw_layer },
};

static void
test_picture (gconstpointer data)
{
  guint index = GPOINTER_TO_UINT (data);
  g_autofree char *file = g_strdup_printf ("display-%s.txt", pictures[index].name);
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "golden", "scene", file,
                                                 NULL);
  g_autoptr (GString) text = g_string_new (NULL);

  pictures[index].draw (text);
  golden_check (path, text->str);
}

TEST_PROGRAM (display)
{
  g_test_init (&argc, &argv, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (pictures); i++)
    {
      g_autofree char *path = g_strconcat ("/display/", pictures[i].name, NULL);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_picture);
    }

  return g_test_run ();
}
