/* test-summary.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What is written beside folded scopes: it is true, and hides nothing.
 */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "draw/assay-graph-scene.h"
#include "nnir/assay-graph-builder.h"
#include "tests/scene/assay-layout-families.h"
#include "tests/scene/assay-scene-models.h"

#include "test-program.h"

typedef struct
{
  AssayVerdicts *verdicts;
  AssayScopeTree *tree;
  AssayView *view;
} Picture;

static void
picture_clear (Picture *self)
{
  assay_view_free (self->view);
  assay_scope_tree_free (self->tree);
  assay_verdicts_unref (self->verdicts);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Picture, picture_clear)

/* With every scope folded but every STEPth one. */
static void
picture_make (Picture *self, AssayVerdicts *verdicts, guint step)
{
  g_autofree guint8 *open = NULL;

  self->verdicts = verdicts;
  self->tree = assay_scope_tree_new (verdicts->graph);
  open = assay_scope_tree_choose (self->tree, verdicts->graph, ASSAY_MAIN_REGION,
                                  ASSAY_FIRST_BOXES);
  for (guint32 s = 1; step > 0 && s < self->tree->scopes->len; s++)
    open[s] = s % step == 0;
  self->view = assay_view_new (verdicts, self->tree, &(AssayViewOptions){ .open = open });
}

static AssayDisplayList *
draw (const Picture *self, const AssayScopeSummary *summary)
{
  AssayDisplayList *list = assay_display_list_new ();
  AssaySceneLook look = {
    .detail = ASSAY_DETAIL_FULL, .scale = 1, .labels = TRUE, .summary = summary
  };

  assay_scene_draw (self->view, &look, -1000, -1000, self->view->width + 1000,
                    self->view->height + 1000, list);

  return list;
}

static gboolean
meet (const AssayDrawItem *item, double x1, double y1, double x2, double y2)
{
  return item->x < x2 && x1 < item->x + item->width && item->y < y2 && y1 < item->y + item->height;
}

static void
check_clear (const AssayView *view, const AssayDrawItem *item)
{
  for (guint32 i = 0; i < view->boxes->len; i++)
    {
      const AssayViewBox *box = assay_view_box (view, i);

      g_assert_false (meet (item, box->x, box->y, box->x + box->width, box->y + box->height));
    }
  for (guint32 i = 0; i < view->stubs->len; i++)
    {
      const AssayViewStub *stub = &g_array_index (view->stubs, AssayViewStub, i);

      g_assert_false (
          meet (item, stub->x, stub->y, stub->x + ASSAY_STUB_WIDTH, stub->y + ASSAY_STUB_HEIGHT));
    }
  for (guint32 i = 0; i < view->segments->len; i++)
    {
      const AssayViewSegment *segment = &g_array_index (view->segments, AssayViewSegment, i);

      g_assert_false (meet (item, segment->x1, segment->y1, segment->x2 + 1, segment->y2 + 1));
    }
  for (guint32 f = 0; f < view->frames->len; f++)
    {
      const AssayViewFrame *frame = assay_view_frame (view, f);
      gboolean inside = item->x >= frame->x && item->x + item->width <= frame->x + frame->width &&
                        item->y >= frame->y && item->y + item->height <= frame->y + frame->height;

      g_assert_true (inside || !meet (item, frame->x, frame->y, frame->x + frame->width,
                                      frame->y + frame->height));
    }
}

/* The lines of a summary come in addition to what is drawn without it, and none of them touches
 * anything. */
static void
test_clear (void)
{
  guint n_drawn = 0;
  guint n_left_out = 0;

  for (AssayFamily family = 0; family < ASSAY_N_FAMILIES; family++)
    for (guint step = 0; step < 7; step++)
      {
        g_auto (Picture) picture = { NULL };
        g_autoptr (AssayScopeSummary) summary = NULL;
        g_autoptr (AssayDisplayList) plain = NULL;
        g_autoptr (AssayDisplayList) list = NULL;
        guint at = 0;

        picture_make (&picture, assay_family_new (family, 400, 3), step);
        summary = assay_scope_summary_new (picture.view, NULL);
        plain = draw (&picture, NULL);
        list = draw (&picture, summary);
        for (guint i = 0; i < list->items->len; i++)
          {
            const AssayDrawItem *item = &g_array_index (list->items, AssayDrawItem, i);
            const AssayDrawItem *same = at < plain->items->len
                                            ? &g_array_index (plain->items, AssayDrawItem, at)
                                            : NULL;

            if (same != NULL && same->kind == item->kind && same->x == item->x &&
                same->y == item->y && same->width == item->width)
              {
                at++;
                continue;
              }
            g_assert_cmpuint (item->kind, ==, ASSAY_DRAW_TEXT);
            check_clear (picture.view, item);
            n_drawn++;
          }
        g_assert_cmpuint (at, ==, plain->items->len);
        for (guint32 b = 0; b < picture.view->boxes->len; b++)
          for (guint line = 0; line < ASSAY_SUMMARY_LINES; line++)
            n_left_out += assay_scope_summary_get (summary, b, line) != NULL;
      }
  n_left_out -= n_drawn;
  g_test_message ("%u lines drawn, %u without room", n_drawn, n_left_out);
  g_assert_cmpuint (n_drawn, >, 100);
  g_assert_cmpuint (n_left_out, >, 20);
}

static const AssayOp ops[] = { ASSAY_OP_MatMul,   ASSAY_OP_Relu,    ASSAY_OP_MatMul,
                               ASSAY_OP_Tanh,     ASSAY_OP_Sigmoid, ASSAY_OP_HardSwish,
                               ASSAY_OP_LeakyRelu };

/* Two blocks of seven operators, with one weight of 1 KiB that both products of a block read. */
static AssayVerdicts *
make_blocks (void)
{
  AssayGraph *graph = assay_graph_new ();
  const gint64 dims[] = { 16, 16 };
  g_autoptr (GBytes) bytes = g_bytes_new_take (g_malloc0 (1024), 1024);
  g_autoptr (AssayTensor)
      tensor = assay_tensor_new (ASSAY_DTYPE_F32, G_N_ELEMENTS (dims), dims, bytes, NULL);
  AssayValueId x = assay_graph_add_input (graph, ASSAY_MAIN_REGION, "x", NULL);

  for (guint block = 0; block < 2; block++)
    {
      g_autofree char *scope = g_strdup_printf ("block.%u", block);
      g_autofree char *weight_name = g_strdup_printf ("w%u", block);
      AssayValueId weight = assay_graph_add_constant (graph, ASSAY_MAIN_REGION, weight_name,
                                                      tensor);

      for (guint i = 0; i < G_N_ELEMENTS (ops); i++)
        {
          g_autofree char *name = g_strdup_printf ("%s/n%u", scope, i);
          const AssayValueId inputs[] = { x, weight };
          AssayNodeId node;

          x = assay_graph_add_value (graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT, name, NULL);
          node = assay_graph_add_node (graph, ASSAY_MAIN_REGION, ops[i], name,
                                       ops[i] == ASSAY_OP_MatMul ? 2 : 1, inputs, 1, &x);
          assay_graph_edit_node (graph, node)->scope = assay_graph_add_scope (graph, scope);
        }
    }
  assay_graph_add_output (graph, ASSAY_MAIN_REGION, x);

  return assay_scene_verdicts (graph);
}

static void
check_lines (const AssayScopeSummary *summary, guint32 box, const char *const *expected)
{
  for (guint i = 0; i < ASSAY_SUMMARY_LINES; i++)
    g_assert_cmpstr (assay_scope_summary_get (summary, box, i), ==, expected[i]);
}

/* Operators by number, then in the order of the program; what two lines have no room for is
 * counted. */
static void
test_words (void)
{
  g_auto (Picture) picture = { NULL };
  g_autoptr (AssayScopeSummary) summary = NULL;
  g_autoptr (AssayScopeSummary) sums = NULL;
  g_autoptr (AssayOverlay) overlay = NULL;
  static const char *const weights[] = { "2 MatMul, 1 Relu, 1 Tanh, 1 Sigmoid,",
                                         "1 HardSwish, 1 LeakyRelu", "1.0\302\240KiB of weights" };
  static const char *const results[] = { "2 MatMul, 1 Relu, 1 Tanh, 1 Sigmoid,",
                                         "1 HardSwish, 1 LeakyRelu", "700 bytes of results" };
  static const char *const nothing[] = { NULL, NULL, NULL };
  const double values[] = { NAN, 700, 0, NAN, 0, 0, 0, 0, 100, 100, 100, 100, 100, 100, 100 };

  picture_make (&picture, make_blocks (), 100);
  g_assert_cmpuint (picture.view->boxes->len, ==, 4);
  summary = assay_scope_summary_new (picture.view, NULL);
  check_lines (summary, 0, nothing);
  check_lines (summary, 1, weights);
  check_lines (summary, 2, weights);
  check_lines (summary, 3, nothing);
  check_lines (summary, 4, nothing);

  overlay = assay_overlay_new_values ("Bytes", "", values, G_N_ELEMENTS (values));
  g_assert_false (assay_overlay_has_sums (overlay));
  overlay->kind = ASSAY_OVERLAY_BYTES;
  g_assert_true (assay_overlay_has_sums (overlay));
  sums = assay_scope_summary_new (picture.view, overlay);
  check_lines (sums, 1, results);
  check_lines (sums, 2, results);
}

TEST_PROGRAM (summary)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/scene/summary/words", test_words);
  g_test_add_func ("/scene/summary/clear", test_clear);

  return g_test_run ();
}
