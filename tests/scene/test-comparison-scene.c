/* test-comparison-scene.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The pictures of a comparison: what is drawn how high, what is found where, and that all of it
 * stays inside.
 */
#include <math.h>
#include <string.h>

#include "draw/assay-comparison-scene.h"
#include "draw/assay-overlay.h"

#include "test-program.h"

#define WIDTH 460.0
#define HEIGHT 218.0

/* Eight operations; the third leans to one side, the sixth is outside, and what comes behind it
 * inherits; the seventh magnifies that. */
static const AssayErrorPoint points[] = {
  { 0, 0, 8, 24, ASSAY_DIVERGENCE_EXACT },      { 1, 0, 8, 24, ASSAY_DIVERGENCE_ROUNDING },
  { 2, 1, 8, 24, ASSAY_DIVERGENCE_BIASED },     { 0, 2, 1, INFINITY, ASSAY_DIVERGENCE_ROUNDING },
  { 4, 2, 8, 24, ASSAY_DIVERGENCE_ROUNDING },   { 64, 4, 8, 24, ASSAY_DIVERGENCE_BEYOND },
  { 1, 64, 8, 24, ASSAY_DIVERGENCE_AMPLIFIED }, { 16, 64, 8, 24, ASSAY_DIVERGENCE_BEYOND },
};

static void
check_inside (const AssayDisplayList *list, double width, double height)
{
  for (guint i = 0; i < list->items->len; i++)
    {
      const AssayDrawItem *item = &g_array_index (list->items, AssayDrawItem, i);

      if (item->kind == ASSAY_DRAW_TEXT)
        continue;
      g_assert_cmpfloat (item->x, >=, 0);
      g_assert_cmpfloat (item->y, >=, 0);
      g_assert_cmpfloat (item->x + item->width, <=, width + 1);
      g_assert_cmpfloat (item->y + item->height, <=, height + 1);
    }
}

static const AssayDrawItem *
find_text (const AssayDisplayList *list, const char *text)
{
  for (guint i = 0; i < list->items->len; i++)
    {
      const AssayDrawItem *item = &g_array_index (list->items, AssayDrawItem, i);

      if (item->kind == ASSAY_DRAW_TEXT && g_str_equal (list->text->str + item->data, text))
        return item;
    }

  return NULL;
}

static void
test_errors (void)
{
  g_autoptr (AssayDisplayList) list = assay_display_list_new ();
  const AssayDrawItem *flag;
  double heights[2] = { 0 };
  guint outside = 0, selected = 0, biased = 0, amplified = 0, bands = 0, dots = 0;

  assay_comparison_scene_draw_errors (points, G_N_ELEMENTS (points), 4, WIDTH, HEIGHT, list);
  check_inside (list, WIDTH, HEIGHT);
  for (guint i = 0; i < list->items->len; i++)
    {
      const AssayDrawItem *item = &g_array_index (list->items, AssayDrawItem, i);

      if (item->kind == ASSAY_DRAW_RECTANGLE && item->role == ASSAY_ROLE_ERROR)
        heights[outside++] = item->height;
      dots += item->kind == ASSAY_DRAW_POLYLINE && item->style == ASSAY_LINE_DOTTED;
      if (item->kind != ASSAY_DRAW_RECTANGLE)
        continue;
      selected += item->role == ASSAY_ROLE_ACCENT;
      biased += item->role == ASSAY_ROLE_PURPLE;
      amplified += item->role == ASSAY_ROLE_ORANGE_LINE;
      bands += item->role == ASSAY_ROLE_BAND_LIMIT;
    }
  g_assert_cmpuint (outside, ==, 2);
  g_assert_cmpuint (selected, ==, 1);
  g_assert_cmpuint (biased, ==, 1);
  g_assert_cmpuint (amplified, ==, 1);
  /* Limits of 8, of 1 and of 8 again. */
  g_assert_cmpuint (bands, ==, 3);
  /* The worst that rounding can make on both sides of what has no bound. */
  g_assert_cmpuint (dots, ==, 2);
  /* 64 is two doublings above 16. */
  g_assert_cmpfloat (heights[0], >, heights[1]);

  flag = find_text (list, "first divergence");
  g_assert_nonnull (flag);
  g_assert_cmpuint (
      assay_comparison_scene_find_point (G_N_ELEMENTS (points), WIDTH, flag->x + flag->width / 2),
      ==, 5);
  g_assert_cmpuint (assay_comparison_scene_find_point (G_N_ELEMENTS (points), WIDTH, 3), ==,
                    G_MAXUINT);
  g_assert_cmpuint (assay_comparison_scene_find_point (0, WIDTH, 200), ==, G_MAXUINT);
}

/* A limit far above what was found is above the picture, where no line may claim to be it. */
static void
test_limit_above (void)
{
  static const double limits[] = { 8, 1024 };

  for (guint i = 0; i < G_N_ELEMENTS (limits); i++)
    {
      const AssayErrorPoint point = { 9, 0, limits[i], INFINITY, ASSAY_DIVERGENCE_ROUNDING };
      g_autoptr (AssayDisplayList) list = assay_display_list_new ();
      guint bands = 0, lines = 0;

      assay_comparison_scene_draw_errors (&point, 1, G_MAXUINT, WIDTH, HEIGHT, list);
      for (guint k = 0; k < list->items->len; k++)
        {
          const AssayDrawItem *item = &g_array_index (list->items, AssayDrawItem, k);

          bands += item->role == ASSAY_ROLE_BAND_LIMIT;
          lines += item->kind == ASSAY_DRAW_POLYLINE && item->style == ASSAY_LINE_SHORT_DASHED;
        }
      g_assert_cmpuint (bands, ==, 1);
      g_assert_cmpuint (lines, ==, limits[i] < 9 ? 1 : 0);
    }
}

/* What stands beside the title of a box is at most five signs wide. */
static void
test_share (void)
{
  static const struct
  {
    double share;
    const char *text;
  } cases[] = { { 0, "0" },        { 0.0001, "<0.01" }, { 0.0088, "0.01" }, { 0.0949, "0.09" },
                { 0.174, "0.17" }, { 1.66, "1.7" },     { INFINITY, "∞" } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = assay_overlay_dup_share (cases[i].share);

      g_assert_cmpstr (text, ==, cases[i].text);
    }
}

static void
test_many (void)
{
  g_autofree AssayErrorPoint *many = g_new0 (AssayErrorPoint, 5000);
  static const double sizes[][2] = { { 320, 140 }, { 720, 140 }, { 1800, 300 } };

  for (guint i = 0; i < 5000; i++)
    many[i] = (AssayErrorPoint){ i % 7, i % 3, 8, 24,
                                 i % 1000 == 999 ? ASSAY_DIVERGENCE_BEYOND
                                                 : ASSAY_DIVERGENCE_ROUNDING };
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autoptr (AssayDisplayList) list = assay_display_list_new ();

      assay_comparison_scene_draw_errors (many, 5000, G_MAXUINT, sizes[i][0], sizes[i][1], list);
      check_inside (list, sizes[i][0], sizes[i][1]);
      assay_display_list_clear (list);
      assay_comparison_scene_draw_errors (NULL, 0, G_MAXUINT, sizes[i][0], sizes[i][1], list);
      check_inside (list, sizes[i][0], sizes[i][1]);
    }
}

/* The buckets have the names of the numbers that fall into them. */
static void
test_buckets (void)
{
  for (guint distance = 0; distance < 5000; distance++)
    {
      g_autofree char *name = assay_comparison_bucket_name (assay_compare_bucket (distance));
      char *end;
      guint64 low = g_ascii_strtoull (name, &end, 10);
      guint64 high = *end == '-' ? g_ascii_strtoull (end + 1, NULL, 10) : low;

      g_assert_cmpuint (distance, >=, low);
      g_assert_cmpuint (distance, <=, high);
    }
}

static void
test_histogram (void)
{
  static const double a[] = { 1, 1, 1, 1, 1, 1, 1, 1 };
  static const double b[] = { 1, 1, 1, 1, 1, 1.0078125, 1.015625, 700 };
  g_autoptr (AssayDisplayList) list = assay_display_list_new ();
  AssayCompareStats stats;
  static const double widths[] = { 260, 700 };

  assay_compare_begin (&stats, ASSAY_COMPARE_BF16, 1);
  assay_compare_add (&stats, a, b, G_N_ELEMENTS (a));
  for (guint i = 0; i < 250; i++)
    assay_compare_add (&stats, a, a, G_N_ELEMENTS (a));
  assay_compare_end (&stats);
  for (guint i = 0; i < G_N_ELEMENTS (widths); i++)
    {
      assay_display_list_clear (list);
      assay_comparison_scene_draw_histogram (&stats, widths[i], 110, list);
      check_inside (list, widths[i], 110);
      g_assert_nonnull (find_text (list, "2\u202f005"));
      g_assert_nonnull (find_text (list, "0 ULP"));
      /* The element that is far away is not lost, however few buckets there is room for. */
      g_assert_cmpfloat (find_text (list, i == 0 ? ">4" : ">256")->x, >, 0);
    }
}

/* Bars over the timesteps stay in the picture, and the line through them is there for growth only.
 */
static void
test_steps (void)
{
  static const double sizes[][2] = { { 220, 84 }, { 700, 120 } };
  double span_rms[ASSAY_COMPARISON_MAX_SPANS];
  g_autoptr (AssayDisplayList) list = assay_display_list_new ();
  AssayComparisonRow row = { .n_spans = G_N_ELEMENTS (span_rms), .span_rms = span_rms };

  row.total.step = 0.25;
  for (guint grows = 0; grows < 2; grows++)
    for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
      {
        for (guint j = 0; j < G_N_ELEMENTS (span_rms); j++)
          span_rms[j] = grows ? 0.01 * (j + 1) : j % 2 == 0 ? 0.25 : 0.5;
        assay_display_list_clear (list);
        assay_comparison_scene_draw_steps (&row, 960, sizes[i][0], sizes[i][1], list);
        check_inside (list, sizes[i][0], sizes[i][1]);
        g_assert_nonnull (find_text (list, "959"));
        g_assert_nonnull (find_text (list, grows ? "1.3 units" : "2 units"));
        g_assert_true ((find_text (list, "timestep 0: root mean square grows") != NULL) == grows);
      }
  /* Nothing was measured: an empty picture, and no division by nothing. */
  for (guint j = 0; j < G_N_ELEMENTS (span_rms); j++)
    span_rms[j] = 0;
  assay_display_list_clear (list);
  assay_comparison_scene_draw_steps (&row, 960, 220, 84, list);
  check_inside (list, 220, 84);
  g_assert_nonnull (find_text (list, "0 units"));
}

TEST_PROGRAM (comparison_scene)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/comparison/scene/errors", test_errors);
  g_test_add_func ("/comparison/scene/limit-above", test_limit_above);
  g_test_add_func ("/comparison/scene/share", test_share);
  g_test_add_func ("/comparison/scene/many", test_many);
  g_test_add_func ("/comparison/scene/buckets", test_buckets);
  g_test_add_func ("/comparison/scene/histogram", test_histogram);
  g_test_add_func ("/comparison/scene/steps", test_steps);

  return g_test_run ();
}
