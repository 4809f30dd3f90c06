/* test-refine.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Layouts refined by dot: what they have to keep, and what happens when the helper misbehaves.
 */
#include <glib.h>

#include "base/assay-error.h"
#include "layout/assay-refine.h"
#include "tests/scene/assay-layout-checks.h"
#include "tests/scene/assay-layout-families.h"
#include "tests/scene/assay-scene-models.h"

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
picture_make (Picture       *self,
              AssayVerdicts *verdicts,
              gboolean       flat)
{
  for (AssayNodeId i = 1; flat && i < assay_graph_n_nodes (verdicts->graph); i++)
    assay_graph_node (verdicts->graph, i)->scope = 0;
  self->verdicts = verdicts;
  self->tree = assay_scope_tree_new (verdicts->graph);
  if (flat)
    g_clear_pointer (&self->tree->of_node, g_free);
  self->view = assay_view_new (verdicts, self->tree, &(AssayViewOptions) { 0 });
}

/* The same boxes and lines in the same ranks, and everything that any layout keeps. */
static void
check_refined (const AssayView *view,
               const AssayView *refined)
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
      g_test_message ("%s: %u blocks, %u taken, %u crossed, %" G_GUINT64_FORMAT " crossings -> %" G_GUINT64_FORMAT,
                      assay_family_name (family), report.n_blocks, report.n_taken, report.n_crossed,
                      picture.view->crossings, refined != NULL ? refined->crossings : 0);
      g_assert_cmpuint (report.n_failed, ==, 0);
      if (refined != NULL)
        check_refined (picture.view, refined);
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
  text = assay_refine_report_dup_text (&report);
  g_assert_nonnull (g_strrstr (text, "/no/such/helper"));
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_data_func ("/scene/refine/families", GINT_TO_POINTER (TRUE), test_families);
  g_test_add_data_func ("/scene/refine/frames", GINT_TO_POINTER (FALSE), test_families);
  g_test_add_func ("/scene/refine/missing", test_missing);

  return g_test_run ();
}
