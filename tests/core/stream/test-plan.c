/* test-plan.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The planner as a pure function: cases with the addresses that it must find, and what must hold
 * for any intervals.
 */
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "backend/stream/compile/assay-plan.h"

#include "test-program.h"

#define STEPS 60
#define CORES 4

/* Lines of a case: `NAME BORN DIED SIZE CORES`, then `= ADDRESS` where it fits. */
typedef struct
{
  GPtrArray *names;
  GArray *intervals;
  guint32 depth;
} Case;

static guint64
parse_cores (const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);
  guint64 cores = 0;

  for (guint i = 0; parts[i] != NULL; i++)
    cores |= (guint64) 1 << g_ascii_strtoull (parts[i], NULL, 10);

  return cores;
}

static guint32
parse_number (const char *text)
{
  guint64 value = 0;

  g_assert_true (g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT32, &value, NULL));

  return (guint32) value;
}

static gboolean
parse_line (Case *test, const char *line)
{
  g_auto (GStrv) words = g_strsplit (line, " ", -1);
  AssayInterval interval = { 0 };

  if (g_str_has_prefix (line, "depth "))
    {
      test->depth = parse_number (words[1]);
      return FALSE;
    }
  if (line[0] == '#' || line[0] == 0 || g_str_has_prefix (line, "fails "))
    return FALSE;

  g_assert_cmpuint (g_strv_length (words), >=, 5);
  interval.born = parse_number (words[1]);
  interval.died = g_str_equal (words[2], "forever") ? G_MAXUINT32 : parse_number (words[2]);
  interval.size = parse_number (words[3]);
  interval.cores = parse_cores (words[4]);
  g_array_append_val (test->intervals, interval);
  g_ptr_array_add (test->names, g_strdup (words[0]));

  return TRUE;
}

/* The case again, with what the planner says. Of a plan that fails, the addresses up to the failure
 * are part of it. */
static char *
plan_text (const char *text)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) intervals = g_array_new (FALSE, FALSE, sizeof (AssayInterval));
  g_autoptr (GString) result = g_string_new (NULL);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_autofree gboolean *is_interval = g_new0 (gboolean, g_strv_length (lines) + 1);
  Case test = { names, intervals, 0 };
  AssayPlanFailure failure = { 0 };
  gboolean fits;
  guint next = 0;

  for (guint i = 0; lines[i] != NULL; i++)
    is_interval[i] = parse_line (&test, lines[i]);

  fits = assay_plan_intervals ((AssayInterval *) intervals->data, intervals->len, test.depth,
                               &failure);
  g_free (failure.living);
  g_free (failure.past);

  for (guint i = 0; lines[i] != NULL; i++)
    {
      if (is_interval[i])
        {
          char *equals = strstr (lines[i], " =");

          if (equals != NULL)
            *equals = 0;
          g_string_append (result, lines[i]);
          if (fits || next < failure.interval)
            g_string_append_printf (result, " = %u",
                                    g_array_index (intervals, AssayInterval, next).address);
          g_string_append_c (result, '\n');
          next++;
        }
      else if (lines[i][0] != 0 && !g_str_has_prefix (lines[i], "fails "))
        {
          g_string_append_printf (result, "%s\n", lines[i]);
        }
    }

  if (!fits)
    g_string_append_printf (result, "fails %s core %u, available %u, largest %u\n",
                            (const char *) g_ptr_array_index (names, failure.interval),
                            failure.core, failure.available, failure.largest_hole);

  return g_string_free (g_steal_pointer (&result), FALSE);
}

static void
test_case (gconstpointer data)
{
  const char *path = data;
  g_autofree char *expected = NULL;
  g_autofree char *actual = NULL;
  g_autoptr (GError) error = NULL;

  g_file_get_contents (path, &expected, NULL, &error);
  g_assert_no_error (error);
  actual = plan_text (expected);

  if (g_getenv ("ASSAY_REGENERATE") != NULL)
    {
      g_file_set_contents (path, actual, -1, &error);
      g_assert_no_error (error);
      return;
    }

  g_assert_cmpstr (actual, ==, expected);
}

static void
make_random (AssayInterval *intervals, guint n, guint max_size)
{
  for (guint i = 0; i < n; i++)
    {
      guint32 born = (guint32) g_test_rand_int_range (0, STEPS);

      intervals[i] = (AssayInterval){
        .born = born,
        .died = g_test_rand_int_range (0, 20) == 0
                    ? G_MAXUINT32
                    : (guint32) g_test_rand_int_range ((gint32) born, STEPS),
        .size = (guint32) g_test_rand_int_range (0, (gint32) max_size),
        .cores = (guint64) g_test_rand_int_range (1, 1 << CORES),
      };
    }
}

static gboolean
is_live (const AssayInterval *interval, guint32 step, guint core)
{
  return interval->born <= step && step <= interval->died && (interval->cores >> core & 1) != 0;
}

/* Blocks that live at once on a core: no plan can do with less. */
static guint32
live_blocks (const AssayInterval *intervals, guint n, guint32 step, guint core)
{
  guint32 sum = 0;

  for (guint i = 0; i < n; i++)
    sum += is_live (&intervals[i], step, core) ? intervals[i].size : 0;

  return sum;
}

/* Paints a store with what the first `n` of a plan occupy at a step; nothing may be painted twice.
 */
static void
paint (const AssayInterval *intervals, guint n, guint32 step, guint core, guint32 depth,
       guint8 *blocks)
{
  memset (blocks, 0, depth);
  for (guint i = 0; i < n; i++)
    {
      if (!is_live (&intervals[i], step, core))
        continue;
      g_assert_cmpuint (intervals[i].address + intervals[i].size, <=, depth);
      for (guint32 b = 0; b < intervals[i].size; b++)
        {
          g_assert_cmpuint (blocks[intervals[i].address + b], ==, 0);
          blocks[intervals[i].address + b] = 1;
        }
    }
}

static guint32
peak_of (const AssayInterval *intervals, guint n)
{
  guint32 peak = 0;

  for (guint i = 0; i < n; i++)
    peak = MAX (peak, intervals[i].address + intervals[i].size);

  return peak;
}

static void
test_random (void)
{
  double worst = 1;
  double sum = 0;
  guint rounds = g_test_slow () ? 2000 : 200;

  for (guint round = 0; round < rounds; round++)
    {
      guint n = (guint) g_test_rand_int_range (1, 120);
      guint32 depth = 4096;
      g_autofree AssayInterval *intervals = g_new (AssayInterval, n);
      g_autofree guint8 *blocks = g_malloc (depth);
      guint32 bound = 0;
      guint32 peak;

      make_random (intervals, n, 24);
      g_assert_true (assay_plan_intervals (intervals, n, depth, NULL));

      for (guint core = 0; core < CORES; core++)
        {
          for (guint32 step = 0; step < STEPS; step++)
            {
              bound = MAX (bound, live_blocks (intervals, n, step, core));
              paint (intervals, n, step, core, depth, blocks);
            }
        }

      peak = peak_of (intervals, n);
      g_assert_cmpuint (peak, >=, bound);
      /* A store that has exactly the peak is enough for the same plan. */
      g_assert_true (assay_plan_intervals (intervals, n, peak, NULL));
      g_assert_cmpuint (peak_of (intervals, n), ==, peak);

      if (bound > 0)
        {
          worst = MAX (worst, (double) peak / bound);
          sum += (double) peak / bound;
        }
    }

  g_test_message ("peak over the bound of live blocks: mean %.3f, worst %.3f", sum / rounds, worst);
  g_assert_cmpfloat (sum / rounds, <, 1.35);
}

/* On one core, as the vectors of a chain: what is lost to fragmentation. */
static void
test_fragmentation (void)
{
  double sum = 0;
  guint rounds = 200;

  for (guint round = 0; round < rounds; round++)
    {
      AssayInterval intervals[60];
      guint32 bound = 0;

      for (guint32 i = 0; i < G_N_ELEMENTS (intervals); i++)
        {
          intervals[i] = (AssayInterval){
            .born = i,
            .died = i + (guint32) g_test_rand_int_range (1, 4),
            .size = (guint32) g_test_rand_int_range (1, 32),
            .cores = 1,
          };
        }
      g_assert_true (assay_plan_intervals (intervals, G_N_ELEMENTS (intervals), 4096, NULL));
      for (guint32 step = 0; step < STEPS; step++)
        bound = MAX (bound, live_blocks (intervals, G_N_ELEMENTS (intervals), step, 0));
      sum += (double) peak_of (intervals, G_N_ELEMENTS (intervals)) / bound;
    }

  g_test_message ("chains: mean peak over the bound %.3f", sum / rounds);
  g_assert_cmpfloat (sum / rounds, <, 1.25);
}

/* The failure is that of the interval which has no hole on all of its cores, told by painting the
 * store. */
static void
test_random_failure (void)
{
  guint n_failures = 0, n_past = 0;

  for (guint round = 0; round < 400; round++)
    {
      guint n = 80;
      guint32 depth = (guint32) g_test_rand_int_range (30, 300);
      g_autofree AssayInterval *intervals = g_new (AssayInterval, n);
      g_autofree AssayInterval *before = NULL;
      g_autofree guint8 *blocks = g_malloc (depth);
      g_autofree guint8 *common = g_malloc0 (depth);
      const AssayInterval *wanted;
      AssayPlanFailure failure = { 0 };
      guint32 smallest = G_MAXUINT32;
      guint32 run = 0;
      guint n_before = 0;

      make_random (intervals, n, 24);
      if (assay_plan_intervals (intervals, n, depth, &failure))
        continue;
      n_failures++;
      wanted = &intervals[failure.interval];
      for (guint i = 0; i < failure.n_past; i++)
        g_assert_cmpuint (intervals[failure.past[i]].died, <, wanted->born);
      n_past += failure.n_past;
      g_free (failure.living);
      g_free (failure.past);
      g_assert_true ((wanted->cores >> failure.core & 1) != 0);

      /* Those that were placed before it: born earlier, or in its step and larger, or as large and
       * given earlier. */
      before = g_new (AssayInterval, n);
      for (guint i = 0; i < n; i++)
        {
          const AssayInterval *other = &intervals[i];

          if (other->born < wanted->born ||
              (other->born == wanted->born &&
               (other->size > wanted->size ||
                (other->size == wanted->size && i < failure.interval))))
            before[n_before++] = *other;
        }

      for (guint core = 0; core < CORES; core++)
        {
          guint32 available = 0;
          guint32 largest = 0;

          if ((wanted->cores >> core & 1) == 0)
            continue;
          paint (before, n_before, wanted->born, core, depth, blocks);
          run = 0;
          for (guint32 b = 0; b < depth; b++)
            {
              common[b] |= blocks[b];
              run = blocks[b] != 0 ? 0 : run + 1;
              available += blocks[b] == 0;
              largest = MAX (largest, run);
            }
          smallest = MIN (smallest, largest);
          if (core == failure.core)
            {
              g_assert_cmpuint (failure.available, ==, available);
              g_assert_cmpuint (failure.largest_hole, ==, largest);
            }
        }
      g_assert_cmpuint (failure.largest_hole, ==, smallest);

      run = 0;
      for (guint32 b = 0; b < depth; b++)
        {
          run = common[b] != 0 ? 0 : run + 1;
          g_assert_cmpuint (run, <, wanted->size);
        }
    }

  g_assert_cmpuint (n_failures, >, 100);
  g_assert_cmpuint (n_past, >, 100);
}

TEST_PROGRAM (plan)
{
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *folder = NULL;
  g_autoptr (GDir) dir = NULL;
  const char *name;

  g_test_init (&argc, &argv, NULL);
  folder = g_test_build_filename (G_TEST_DIST, "data", "plan", NULL);
  dir = g_dir_open (folder, 0, NULL);
  g_assert_nonnull (dir);

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      char *path = g_build_filename (folder, name, NULL);
      g_autofree char *test = g_strdup_printf ("/plan/case/%s", name);

      g_ptr_array_add (paths, path);
      g_test_add_data_func (test, path, test_case);
    }
  g_test_add_func ("/plan/random/no-overlap", test_random);
  g_test_add_func ("/plan/random/fragmentation", test_fragmentation);
  g_test_add_func ("/plan/random/failure", test_random_failure);

  return g_test_run ();
}
