/* test-layout-stable.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What stays where it is when a scope is folded or opened: rows of what is outside of it stay rows in the same order,
 * boxes keep their x but for one shift of all of them, what is above keeps its y, and what is below moves by one amount.
 */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "layout/assay-view.h"
#include "tests/scene/assay-layout-checks.h"
#include "tests/scene/assay-layout-crossings.h"
#include "tests/scene/assay-layout-families.h"
#include "tests/scene/assay-scene-models.h"

/* What is open at first. */
typedef enum
{
  LOOK_OPEN,
  LOOK_FIRST,
  LOOK_FOLDED,
  N_LOOKS,
} Look;

typedef struct
{
  guint n_folds;
  guint n_openings;
} Counts;

typedef struct
{
  guint32 first;
  guint32 last;
} Range;

/* The box of a node, or of an input or output, in another picture of the same graph. */
static const AssayViewBox *
find_same (const AssayView    *view,
           const AssayViewBox *box)
{
  for (guint32 i = 0; i < view->boxes->len; i++)
    {
      const AssayViewBox *other = assay_view_box (view, i);

      if (other->kind == box->kind && other->node == box->node && other->scope == box->scope
          && other->value == box->value)
        return other;
    }

  return NULL;
}

/* The ranks of what the other view does not have. */
static Range
find_changed (const AssayView *view,
              const AssayView *other)
{
  Range range = { G_MAXUINT32, 0 };

  for (guint32 i = 0; i < view->boxes->len; i++)
    if (find_same (other, assay_view_box (view, i)) == NULL)
      {
        range.first = MIN (range.first, assay_view_box (view, i)->rank);
        range.last = MAX (range.last, assay_view_box (view, i)->rank);
      }

  return range;
}

static void
check_one_amount (double *amount,
                  double  by)
{
  if (isnan (*amount))
    *amount = by;
  g_assert_cmpfloat (by, ==, *amount);
}

static void
check_stable (const AssayView *before,
              const AssayView *after)
{
  Range gone = find_changed (before, after);
  Range added = find_changed (after, before);
  g_autofree guint32 *row = g_new0 (guint32, before->ranks->len + 1);
  double aside = NAN;
  double above = 0;
  double below = NAN;
  guint32 last = 0;

  for (guint32 i = 0; i < before->boxes->len; i++)
    {
      const AssayViewBox *old = assay_view_box (before, i);
      const AssayViewBox *new = find_same (after, old);

      if (new == NULL)
        continue;
      check_one_amount (&aside, new->x - old->x);
      if (old->rank < gone.first && new->rank < added.first)
        check_one_amount (&above, new->y - old->y);
      if (old->rank > gone.last && new->rank > added.last)
        check_one_amount (&below, new->y - old->y);
      if (row[old->rank] != 0)
        g_assert_cmpuint (new->rank + 1, ==, row[old->rank]);
      row[old->rank] = new->rank + 1;
    }
  for (guint32 r = 0; r < before->ranks->len; r++)
    if (row[r] != 0)
      {
        g_assert_cmpuint (row[r], >, last);
        last = row[r];
      }
}

static void
check_equal (const AssayView *view,
             const AssayView *other)
{
  g_assert_cmpuint (view->boxes->len, ==, other->boxes->len);
  for (guint32 i = 0; i < view->boxes->len; i++)
    {
      g_assert_cmpfloat (assay_view_box (view, i)->x, ==, assay_view_box (other, i)->x);
      g_assert_cmpfloat (assay_view_box (view, i)->y, ==, assay_view_box (other, i)->y);
    }
  g_assert_cmpuint (view->segments->len, ==, other->segments->len);
  g_assert_cmpmem (view->segments->data, view->segments->len * sizeof (AssayViewSegment), other->segments->data,
                   other->segments->len * sizeof (AssayViewSegment));
}

/* Folds a scope that is open, or opens it, and takes that back. */
static void
check_scope (const AssayVerdicts  *verdicts,
             const AssayScopeTree *tree,
             guint8               *open,
             guint32               scope,
             Counts               *counts)
{
  g_autoptr (AssayView) before = assay_view_new (verdicts, tree, &(AssayViewOptions) { .open = open });
  g_autoptr (AssayView) after = NULL;
  g_autoptr (AssayView) again = NULL;

  open[scope] = !open[scope];
  after = assay_view_new (verdicts, tree, &(AssayViewOptions) { .open = open, .before = before });
  open[scope] = !open[scope];
  /* It may be inside of a folded one. */
  if (after->boxes->len == before->boxes->len)
    return;

  if (open[scope])
    counts->n_folds++;
  else
    counts->n_openings++;
  g_assert_true (after->is_kept);
  check_stable (before, after);
  assay_layout_check (after);
  g_assert_cmpuint (assay_count_overlaps (after), ==, 0);

  again = assay_view_new (verdicts, tree, &(AssayViewOptions) { .open = open, .before = after });
  check_equal (before, again);
}

/* Takes the verdicts. */
static void
check_all_scopes (AssayVerdicts *taken,
                  Counts        *counts)
{
  g_autoptr (AssayVerdicts) verdicts = taken;
  g_autoptr (AssayScopeTree) tree = assay_scope_tree_new (verdicts->graph);

  for (Look look = 0; look < N_LOOKS; look++)
    {
      g_autofree guint8 *open = assay_scope_tree_choose (tree, verdicts->graph, ASSAY_MAIN_REGION, ASSAY_FIRST_BOXES);

      if (look != LOOK_FIRST)
        memset (open, look == LOOK_OPEN, tree->scopes->len);
      open[0] = TRUE;
      for (guint32 s = 1; s < tree->scopes->len; s++)
        check_scope (verdicts, tree, open, s, counts);
    }
}

static void
test_families (gconstpointer data)
{
  AssayFamily family = GPOINTER_TO_UINT (data);
  Counts counts = { 0 };

  for (guint32 seed = 1; seed <= 3; seed++)
    check_all_scopes (assay_family_new (family, 120 * seed, seed), &counts);
  g_test_message ("%s: %u folds, %u openings", assay_family_name (family), counts.n_folds, counts.n_openings);
  g_assert_cmpuint (counts.n_folds, >, 5);
  g_assert_cmpuint (counts.n_openings, >, 5);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  for (AssayFamily family = 0; family < ASSAY_N_FAMILIES; family++)
    {
      g_autofree char *path = g_strdup_printf ("/layout/stable/family/%u", family);

      g_test_add_data_func (path, GUINT_TO_POINTER (family), test_families);
    }

  return g_test_run ();
}
