/* test-refine.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Layouts refined by dot: what they have to keep, and what happens when the helper misbehaves.
 */
#include <errno.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>

#include "base/assay-error.h"
#include "layout/assay-refine.h"
#include "layout/assay-view-tween.h"
#include "nnir/assay-graph-builder.h"
#include "process/assay-helper.h"
#include "tests/core/fixture/wait.h"
#include "tests/scene/assay-layout-checks.h"
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

static void
picture_make (Picture *self, AssayVerdicts *verdicts, gboolean flat)
{
  for (AssayNodeId i = 1; flat && i < assay_graph_n_nodes (verdicts->graph); i++)
    assay_graph_edit_node (verdicts->graph, i)->scope = 0;
  self->verdicts = verdicts;
  self->tree = assay_scope_tree_new (verdicts->graph);
  if (flat)
    g_clear_pointer (&self->tree->of_node, g_free);
  self->view = assay_view_new (verdicts, self->tree, &(AssayViewOptions){ 0 });
}

/* The same boxes and lines in the same ranks, and everything that any layout keeps. */
static void
check_refined (const AssayView *view, const AssayView *refined)
{
  g_assert_cmpuint (refined->boxes->len, ==, view->boxes->len);
  g_assert_cmpuint (refined->edges->len, ==, view->edges->len);
  g_assert_cmpuint (refined->crossings, <=, view->crossings);
  for (guint32 i = 0; i < view->boxes->len; i++)
    {
      g_assert_cmpuint (assay_view_box (refined, i)->node, ==, assay_view_box (view, i)->node);
      g_assert_cmpuint (assay_view_box (refined, i)->rank, ==, assay_view_box (view, i)->rank);
    }
  assay_layout_check (refined);
}

static void
test_families (gconstpointer data)
{
  g_autoptr (AssayRefiner) refiner = assay_refiner_new (NULL);
  guint n_taken = 0;

  for (guint family = 0; family < ASSAY_N_FAMILIES; family++)
    {
      g_auto (Picture) picture = { NULL };
      g_auto (AssayRefineReport) report = { 0 };
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayView) refined = NULL;

      picture_make (&picture, assay_family_new (family, 400, 1), GPOINTER_TO_INT (data));
      refined = assay_refiner_refine (refiner, picture.view, NULL, &report, &error);
      g_assert_no_error (error);
      g_assert_null (report.trouble);
      g_assert_cmpuint (report.n_failed, ==, 0);
      /* A block that dot would make worse is laid out in the order that it has. */
      g_assert_cmpuint (report.n_crossed, ==, 0);
      g_test_message ("%s: %u blocks, %u taken, %u crossed, %" G_GUINT64_FORMAT
                      " crossings -> %" G_GUINT64_FORMAT,
                      assay_family_name (family), report.n_blocks, report.n_taken, report.n_crossed,
                      picture.view->crossings, refined != NULL ? refined->crossings : 0);
      n_taken += report.n_taken;
      if (refined != NULL)
        check_refined (picture.view, refined);
    }
  g_assert_cmpuint (n_taken, >, 50);
}

/* What a scope that was opened has beside it, above and below, stays where it is when what is
 * inside of it is refined; of a fold there is nothing to refine. */
static guint
check_opened (AssayRefiner *refiner, const Picture *picture, AssayView *before, guint8 *open,
              guint32 scope)
{
  g_auto (AssayRefineReport) report = { 0 };
  g_auto (AssayRefineReport) none = { 0 };
  g_autoptr (AssayView) view = NULL;
  g_autoptr (AssayView) refined = NULL;
  g_autoptr (AssayView) folded = NULL;
  double by = NAN;

  open[scope] = TRUE;
  view = assay_view_new (picture->verdicts, picture->tree,
                         &(AssayViewOptions){ .open = open, .before = before });
  open[scope] = FALSE;
  /* It may be inside of a folded one, or have one node only. */
  if (view == before)
    return 0;
  g_assert_true (view->is_kept);
  refined = assay_refiner_refine (refiner, view, NULL, &report, NULL);
  for (guint32 i = 0; refined != NULL && i < view->boxes->len; i++)
    {
      const AssayViewBox *was = assay_view_box (view, i);
      const AssayViewBox *is = assay_view_box (refined, i);

      g_assert_cmpuint (is->rank, ==, was->rank);
      if (assay_layout_find_same (before, was) == NULL)
        continue;
      by = isnan (by) ? is->x - was->x : by;
      g_assert_cmpfloat (is->x - was->x, ==, by);
    }
  if (refined != NULL)
    check_refined (view, refined);

  folded = assay_view_new (
      picture->verdicts, picture->tree,
      &(AssayViewOptions){ .open = open, .before = refined != NULL ? refined : view });
  g_assert_true (folded == before);

  return refined != NULL ? 1 : 0;
}

static void
test_opened (void)
{
  g_autoptr (AssayRefiner) refiner = assay_refiner_new (NULL);
  guint n_refined = 0;

  for (guint family = 0; family < ASSAY_N_FAMILIES; family++)
    {
      g_auto (Picture) picture = { NULL };
      g_auto (AssayRefineReport) report = { 0 };
      g_autoptr (AssayView) first = NULL;
      g_autofree guint8 *open = NULL;

      picture_make (&picture, assay_family_new (family, 200, 2), FALSE);
      open = g_new0 (guint8, picture.tree->scopes->len);
      g_clear_pointer (&picture.view, assay_view_free);
      picture.view = assay_view_new (picture.verdicts, picture.tree,
                                     &(AssayViewOptions){ .open = open });
      first = assay_refiner_refine (refiner, picture.view, NULL, &report, NULL);
      for (guint32 s = 1; s < picture.tree->scopes->len; s += 2)
        n_refined += check_opened (refiner, &picture, first != NULL ? first : picture.view, open,
                                   s);
    }
  g_test_message ("%u pictures got better", n_refined);
  g_assert_cmpuint (n_refined, >, 0);
}

/* On the way from one layout to another everything begins where it was, ends where it comes to
 * stand, and every line holds together all the time. */
static void
test_tween (void)
{
  g_autoptr (AssayRefiner) refiner = assay_refiner_new (NULL);
  g_auto (Picture) picture = { NULL };
  g_auto (AssayRefineReport) report = { 0 };
  g_autoptr (AssayView) refined = NULL;
  g_autoptr (AssayViewTween) tween = NULL;
  static const double times[] = { 0, 0.3, 1 };

  picture_make (&picture, assay_family_new (ASSAY_FAMILY_SHARED, 300, 1), FALSE);
  refined = assay_refiner_refine (refiner, picture.view, NULL, &report, NULL);
  g_assert_nonnull (refined);
  tween = assay_view_tween_new (picture.view, refined, 100, 8);
  g_assert_nonnull (tween);
  for (guint i = 0; i < G_N_ELEMENTS (times); i++)
    {
      AssayView *now = assay_view_tween_get (tween, times[i]);

      for (guint32 b = 0; b < now->boxes->len; b++)
        {
          const AssayViewBox *from = assay_view_box (picture.view, b);
          const AssayViewBox *to = assay_view_box (refined, b);

          g_assert_cmpfloat_with_epsilon (assay_view_box (now, b)->x,
                                          (from->x + 100) * (1 - times[i]) + to->x * times[i],
                                          0.001);
          g_assert_cmpfloat_with_epsilon (assay_view_box (now, b)->y,
                                          (from->y + 8) * (1 - times[i]) + to->y * times[i], 0.001);
        }
      assay_layout_check_paths (now);
    }
}

/* After opening a scope everything begins where it was before, the anchor stands still, and what is
 * new is in place. */
static void
test_tween_fold (void)
{
  g_autoptr (AssayVerdicts) verdicts = assay_scene_transformer (6, FALSE);
  g_autoptr (AssayScopeTree) tree = assay_scope_tree_new (verdicts->graph);
  g_autofree guint8 *open = g_new0 (guint8, tree->scopes->len);
  AssayViewOptions options = { .open = open };
  g_autoptr (AssayView) before = NULL;
  g_autoptr (AssayView) to = NULL;
  g_autoptr (AssayViewTween) tween = NULL;
  guint32 anchor = ASSAY_NO_BOX;
  guint moved = 0;

  /* The second one of several, so that something stands on either side of it. */
  for (guint32 s = 1; s < tree->scopes->len; s++)
    open[s] = assay_scope_tree_get (tree, s)->depth == 1;
  before = assay_view_new (verdicts, tree, &options);
  for (guint32 i = 0; i < before->boxes->len; i++)
    {
      if (assay_view_box (before, i)->kind == ASSAY_BOX_SCOPE && anchor != ASSAY_NO_BOX)
        {
          open[assay_view_box (before, i)->scope] = TRUE;
          break;
        }
      if (assay_view_box (before, i)->kind < ASSAY_BOX_INPUT)
        anchor = assay_view_box (before, i)->node;
    }
  options.before = before;
  to = assay_view_new (verdicts, tree, &options);
  g_assert_cmpuint (to->boxes->len, >, before->boxes->len);
  tween = assay_view_tween_new_fold (before, to, anchor);
  g_assert_nonnull (tween);

  for (guint i = 0; i <= 2; i++)
    {
      double progress = i / 2.0;
      AssayView *now = assay_view_tween_get (tween, progress);
      guint32 held = assay_view_find_node (to, anchor);
      double dy = assay_view_box (to, held)->y -
                  assay_view_box (before, assay_view_find_node (before, anchor))->y;

      g_assert_cmpfloat_with_epsilon (assay_view_box (now, held)->x, assay_view_box (to, held)->x,
                                      0.001);
      g_assert_cmpfloat_with_epsilon (assay_view_box (now, held)->y, assay_view_box (to, held)->y,
                                      0.001);
      for (guint32 b = 0; b < to->boxes->len; b++)
        {
          const AssayViewBox *box = assay_view_box (to, b);
          guint32 k = box->kind >= ASSAY_BOX_INPUT ? ASSAY_NO_BOX
                                                   : assay_view_find_node (before, box->node);
          double from;

          if (k == ASSAY_NO_BOX || assay_view_box (before, k)->kind != box->kind ||
              assay_view_box (before, k)->scope != box->scope)
            continue;
          from = assay_view_box (before, k)->y + dy;
          g_assert_cmpfloat_with_epsilon (assay_view_box (now, b)->y,
                                          from + (box->y - from) * progress, 0.001);
          moved += fabs (box->y - from) > 1;
        }
    }
  g_assert_cmpuint (moved, >, 0);

  /* Of two at once nothing is told. */
  options.before = NULL;
  g_clear_pointer (&tween, assay_view_tween_free);
  for (guint32 s = 1; s < tree->scopes->len; s++)
    open[s] = TRUE;
  assay_view_free (g_steal_pointer (&to));
  to = assay_view_new (verdicts, tree, &options);
  g_assert_null (assay_view_tween_new_fold (before, to, anchor));
}

/* From one form of a model to another, what both have goes from place to place. */
static void
test_tween_change (void)
{
  g_autoptr (AssayVerdicts) first = assay_scene_transformer (4, FALSE);
  g_autoptr (AssayVerdicts) second = assay_scene_transformer (4, FALSE);
  g_autoptr (AssayScopeTree) first_tree = assay_scope_tree_new (first->graph);
  g_autoptr (AssayScopeTree) second_tree = assay_scope_tree_new (second->graph);
  g_autofree guint8 *open = g_new0 (guint8, second_tree->scopes->len);
  const AssayViewOptions all = { 0 }, some = { .open = open };
  g_autoptr (AssayView) before = assay_view_new (first, first_tree, &all);
  g_autoptr (AssayView) to = NULL;
  g_autoptr (AssayViewTween) tween = NULL;
  g_auto (GStrv) names = assay_view_list_names (before);
  g_auto (GStrv) own = NULL;
  g_autofree guint32 *same = NULL;
  g_autofree guint32 *equal = NULL;
  guint32 anchor = ASSAY_NO_BOX;
  guint n_layers = 0, n_same = 0, moved = 0;

  /* The other form has its second layer as one box. */
  for (guint32 s = 1; s < second_tree->scopes->len; s++)
    open[s] = assay_scope_tree_get (second_tree, s)->depth != 2 || ++n_layers != 2;
  to = assay_view_new (second, second_tree, &some);
  own = assay_view_list_names (to);
  same = assay_view_match_names (to, (const char *const *) names);
  equal = assay_view_match_names (to, (const char *const *) own);
  for (guint32 i = 0; i < to->boxes->len; i++)
    {
      if (same[i] == ASSAY_NO_BOX)
        continue;
      n_same++;
      if (anchor == ASSAY_NO_BOX)
        anchor = i;
    }
  g_assert_cmpuint (n_same, >, before->boxes->len / 2);
  g_assert_cmpuint (n_same, <, to->boxes->len);
  tween = assay_view_tween_new_change (before, to, same, anchor);
  g_assert_nonnull (tween);
  for (guint step = 0; step <= 2; step++)
    {
      double progress = step / 2.0;
      AssayView *now = assay_view_tween_get (tween, progress);
      double dx = assay_view_box (to, anchor)->x - assay_view_box (before, same[anchor])->x;
      double dy = assay_view_box (to, anchor)->y - assay_view_box (before, same[anchor])->y;

      for (guint32 i = 0; i < to->boxes->len; i++)
        {
          const AssayViewBox *end = assay_view_box (to, i);
          double x = same[i] != ASSAY_NO_BOX ? assay_view_box (before, same[i])->x + dx : end->x;
          double y = same[i] != ASSAY_NO_BOX ? assay_view_box (before, same[i])->y + dy : end->y;

          g_assert_cmpfloat_with_epsilon (assay_view_box (now, i)->x, x + (end->x - x) * progress,
                                          0.001);
          g_assert_cmpfloat_with_epsilon (assay_view_box (now, i)->y, y + (end->y - y) * progress,
                                          0.001);
          moved += fabs (end->y - y) > 1;
        }
    }
  g_assert_cmpuint (moved, >, 0);

  /* Where nothing moves there is no way. */
  g_assert_null (assay_view_tween_new_change (to, to, equal, 0));
}

/* Blocks that are equal are laid out once, and never again. */
static void
test_equal (void)
{
  g_autoptr (AssayRefiner) refiner = assay_refiner_new (NULL);

  for (guint i = 0; i < 2; i++)
    {
      g_auto (Picture) picture = { NULL };
      g_auto (AssayRefineReport) report = { 0 };
      g_autoptr (AssayView) refined = NULL;

      picture_make (&picture, assay_scene_residual (1000), TRUE);
      refined = assay_refiner_refine (refiner, picture.view, NULL, &report, NULL);
      g_assert_nonnull (refined);
      g_assert_cmpuint (report.n_blocks, >, 100);
      /* Residual blocks of three lengths, and the ends of the chain. */
      g_assert_cmpuint (report.n_sent, <=, i == 0 ? 5 : 0);
      g_assert_cmpuint (report.n_sent + report.n_equal + report.n_chains, ==, report.n_blocks);
      g_assert_cmpuint (report.n_taken, ==, report.n_sent + report.n_equal);
    }
}

/* Without its helper the picture stays, and the report says why. */
static void
test_missing (void)
{
  const AssayRefinerOptions options = { .helper = "/no/such/helper" };
  g_autoptr (AssayRefiner) refiner = assay_refiner_new (&options);
  g_auto (Picture) picture = { NULL };
  g_auto (AssayRefineReport) report = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayView) refined = NULL;
  g_autofree char *text = NULL;

  picture_make (&picture, assay_family_new (ASSAY_FAMILY_RESIDUAL, 100, 1), TRUE);
  refined = assay_refiner_refine (refiner, picture.view, NULL, &report, &error);
  g_assert_no_error (error);
  g_assert_null (refined);
  g_assert_cmpuint (report.n_failed, >, 0);
  g_assert_cmpuint (report.n_restarts, ==, 0);
  text = assay_refine_report_dup_text (&report);
  g_assert_nonnull (g_strrstr (text, "/no/such/helper"));
}

typedef struct
{
  char *folder;
  char *state;
  AssayRefiner *refiner;
  Picture picture;
} Fixture;

/* A helper that misbehaves; its mode is what the test is for. */
static void
set_up (Fixture *fixture, gconstpointer mode)
{
  g_autofree char *helper = g_test_build_filename (G_TEST_DIST, "scene", "helper-double.py", NULL);
  g_autofree char *real = assay_helper_find ("assay-layout-helper", NULL);
  const AssayRefinerOptions options = { .helper = helper, .block_seconds = 1 };
  const AssayRefinerOptions patient = { .helper = helper, .block_seconds = 1000 };

  fixture->folder = g_dir_make_tmp ("assay-refine-XXXXXX", NULL);
  fixture->state = g_build_filename (fixture->folder, "state", NULL);
  g_setenv ("ASSAY_TEST_HELPER", mode, TRUE);
  g_setenv ("ASSAY_TEST_STATE", fixture->state, TRUE);
  g_setenv ("ASSAY_TEST_REAL", real, TRUE);
  fixture->refiner = assay_refiner_new (g_str_equal (mode, "hang-once") ? &patient : &options);
  picture_make (&fixture->picture, assay_family_new (ASSAY_FAMILY_RESIDUAL, 60, 1), TRUE);
}

static void
tear_down (Fixture *fixture, gconstpointer mode)
{
  g_autofree char *left_over = g_strconcat (fixture->state, ".new", NULL);

  g_object_unref (fixture->refiner);
  picture_clear (&fixture->picture);
  g_remove (fixture->state);
  g_remove (left_over);
  g_rmdir (fixture->folder);
  g_free (fixture->state);
  g_free (fixture->folder);
}

static AssayView *
refine (Fixture *fixture, AssayRefineReport *report)
{
  g_autoptr (GError) error = NULL;
  AssayView *refined = assay_refiner_refine (fixture->refiner, fixture->picture.view, NULL, report,
                                             &error);

  g_assert_no_error (error);

  return refined;
}

/* Every process that has left its number is gone. */
static void
check_killed (Fixture *fixture)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;

  g_assert_true (g_file_get_contents (fixture->state, &text, NULL, NULL));
  lines = g_strsplit (g_strchomp (text), "\n", -1);
  g_assert_nonnull (lines[0]);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      g_assert_cmpint (kill (atoi (lines[i]), 0), ==, -1);
      g_assert_cmpint (errno, ==, ESRCH);
    }
}

static void
test_deadline (Fixture *fixture, gconstpointer mode)
{
  g_auto (AssayRefineReport) report = { 0 };
  g_autoptr (AssayView) refined = NULL;

  /* One block, so that there is one deadline to wait for. */
  picture_clear (&fixture->picture);
  picture_make (&fixture->picture, assay_scene_residual (12), TRUE);
  refined = refine (fixture, &report);
  g_assert_null (refined);
  g_assert_cmpuint (report.n_sent, ==, 1);
  g_assert_cmpuint (report.n_failed, ==, 1);
  g_assert_nonnull (g_strrstr (report.trouble, "no answer in 1 s"));
  check_killed (fixture);

  /* What it has failed at it is not asked for again. */
  assay_refine_report_clear (&report);
  refined = refine (fixture, &report);
  g_assert_null (refined);
  g_assert_cmpuint (report.n_sent, ==, 0);
  g_assert_cmpuint (report.n_failed, ==, 1);
}

/* Blocks that were answered before the crash are taken, and a new helper gets what comes after the
 * one that failed. */
static void
test_crash (Fixture *fixture, gconstpointer mode)
{
  g_auto (AssayRefineReport) report = { 0 };
  g_autoptr (AssayView) refined = refine (fixture, &report);

  g_assert_cmpuint (report.n_sent, >, 4);
  g_assert_cmpuint (report.n_failed, >, 0);
  g_assert_cmpuint (report.n_failed, <, report.n_sent);
  g_assert_cmpuint (report.n_restarts, >, 0);
  g_assert_nonnull (g_strrstr (report.trouble, "killed by signal 11"));
  g_assert_nonnull (refined);
  g_assert_cmpuint (report.n_taken, >, 0);
  check_refined (fixture->picture.view, refined);
}

/* An answer that is none: the picture stays, and the report says why. */
static void
test_nonsense (Fixture *fixture, gconstpointer mode)
{
  g_auto (AssayRefineReport) report = { 0 };
  g_autoptr (AssayView) refined = refine (fixture, &report);

  g_assert_null (refined);
  g_assert_cmpuint (report.n_taken, ==, 0);
  g_assert_cmpuint (report.n_failed, ==, report.n_sent);
  g_assert_nonnull (report.trouble);
}

/* Dot may say that it cannot: no trouble, and nothing changes. */
static void
test_no (Fixture *fixture, gconstpointer mode)
{
  g_auto (AssayRefineReport) report = { 0 };
  g_autoptr (AssayView) refined = refine (fixture, &report);

  g_assert_null (refined);
  g_assert_null (report.trouble);
  g_assert_cmpuint (report.n_failed, ==, report.n_sent);
}

/* Whatever the places are, what is made of them is a picture like any other. */
static void
test_bad_places (Fixture *fixture, gconstpointer mode)
{
  g_auto (AssayRefineReport) report = { 0 };
  g_autoptr (AssayView) refined = refine (fixture, &report);

  g_assert_cmpuint (report.n_failed, ==, 0);
  g_assert_null (report.trouble);
  if (refined != NULL)
    check_refined (fixture->picture.view, refined);

  picture_clear (&fixture->picture);
  picture_make (&fixture->picture, assay_family_new (ASSAY_FAMILY_UNET, 150, 1), FALSE);
  assay_refine_report_clear (&report);
  g_clear_pointer (&refined, assay_view_free);
  refined = refine (fixture, &report);
  if (refined != NULL)
    check_refined (fixture->picture.view, refined);
}

typedef struct
{
  guint done;
  guint cancelled;
  AssayView *refined;
} Answers;

static void
answer_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  Answers *answers = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayView)
      refined = assay_refiner_refine_finish (ASSAY_REFINER (object), result, NULL, &error);

  answers->done++;
  answers->cancelled += g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED) ? 1 : 0;
  if (refined != NULL)
    {
      g_assert_null (answers->refined);
      answers->refined = g_steal_pointer (&refined);
    }
}

/* The newest request wins: the helper that hangs over the first one, for ever as far as this test
 * goes, is killed. */
static void
test_newest (Fixture *fixture, gconstpointer mode)
{
  Answers answers = { 0 };

  assay_refiner_refine_async (fixture->refiner, fixture->picture.view, answer_cb, &answers);
  wait_until (g_file_test (fixture->state, G_FILE_TEST_EXISTS));
  assay_refiner_refine_async (fixture->refiner, fixture->picture.view, answer_cb, &answers);
  assay_refiner_refine_async (fixture->refiner, fixture->picture.view, answer_cb, &answers);
  wait_until (answers.done == 3);

  g_assert_cmpuint (answers.cancelled, ==, 2);
  g_assert_nonnull (answers.refined);
  check_refined (fixture->picture.view, answers.refined);
  check_killed (fixture);
  assay_view_free (answers.refined);
}

/* With too little memory the helper fails, and nothing but the helper. */
static void
test_memory (void)
{
  const AssayRefinerOptions options = { .memory_mib = 1 };
  g_autoptr (AssayRefiner) refiner = assay_refiner_new (&options);
  g_auto (Picture) picture = { NULL };
  g_auto (AssayRefineReport) report = { 0 };
  g_autoptr (AssayView) refined = NULL;

  picture_make (&picture, assay_family_new (ASSAY_FAMILY_RESIDUAL, 60, 1), TRUE);
  refined = assay_refiner_refine (refiner, picture.view, NULL, &report, NULL);
  g_assert_null (refined);
  g_assert_cmpuint (report.n_failed, ==, report.n_sent);
  g_assert_nonnull (report.trouble);
}

TEST_PROGRAM (refine)
{
  static const char *const nonsense[] = { "nonsense", "flood", "other-index", "too-few",
                                          "too-many", "far",   "half" };
  static const char *const places[] = { "same", "spread", "mirror", "extreme" };

  g_test_init (&argc, &argv, NULL);

  g_test_add_data_func ("/scene/refine/families", GINT_TO_POINTER (TRUE), test_families);
  g_test_add_data_func ("/scene/refine/frames", GINT_TO_POINTER (FALSE), test_families);
  g_test_add_func ("/scene/refine/opened", test_opened);
  g_test_add_func ("/scene/refine/tween", test_tween);
  g_test_add_func ("/scene/refine/tween-fold", test_tween_fold);
  g_test_add_func ("/scene/refine/tween-change", test_tween_change);
  g_test_add_func ("/scene/refine/equal", test_equal);
  g_test_add_func ("/scene/refine/missing", test_missing);
  g_test_add_func ("/scene/refine/memory", test_memory);
  g_test_add ("/scene/refine/deadline", Fixture, "hang", set_up, test_deadline, tear_down);
  g_test_add ("/scene/refine/crash", Fixture, "crash", set_up, test_crash, tear_down);
  g_test_add ("/scene/refine/newest", Fixture, "hang-once", set_up, test_newest, tear_down);
  g_test_add ("/scene/refine/no", Fixture, "no", set_up, test_no, tear_down);
  for (guint i = 0; i < G_N_ELEMENTS (nonsense); i++)
    {
      g_autofree char *path = g_strconcat ("/scene/refine/nonsense/", nonsense[i], NULL);

      g_test_add (path, Fixture, nonsense[i], set_up, test_nonsense, tear_down);
    }
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      g_autofree char *path = g_strconcat ("/scene/refine/places/", places[i], NULL);

      g_test_add (path, Fixture, places[i], set_up, test_bad_places, tear_down);
    }

  return g_test_run ();
}
