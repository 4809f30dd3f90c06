/* assay-conformance.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Many cases, each in a process of its own with a time limit: one that crashes or hangs is one
 * failed case.
 */
#include "work/assay-conformance.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "base/assay-error.h"
#include "process/assay-child.h"
#include "settings/assay-settings-options.h"
#include "process/assay-temporary.h"
#include "source/assay-importer.h"

/* The longest line that a case writes. */
#define LONGEST_LINE (64 * 1024)

/* The exit status of a case that was cancelled. */
#define CANCELLED (128 + SIGINT)

/* Test data is not nested deeper. */
#define MAX_DEPTH 8
/* Each is held against each case. */
#define MOST_EXPECTED 100000

typedef struct
{
  GPatternSpec *pattern;
} Expected;

typedef struct
{
  const AssayConformancePlan *plan;
  const AssayProgress *progress;
  AssayConformance *result;
  GPtrArray *folders; /* const char * */
  GArray *expected;   /* Expected */
  GMutex lock;        /* guards what follows */
  guint n_done;
} Run;

/* Of the line that tells a result. */
#define N_FIELDS 8

/**
 * assay_conformance_result_to_line:
 * @result: the result of a case
 *
 * Writes a result as one line, for the process that started this one.
 *
 * Returns: (transfer full): the line, with its end
 */
char *
assay_conformance_result_to_line (const AssayConformanceResult *result)
{
  g_autofree char *rule = g_strescape (result->rule != NULL ? result->rule : "", NULL);
  g_autofree char *message = g_strescape (result->message != NULL ? result->message : "", NULL);
  g_autofree char *operators = g_strescape (result->operators != NULL ? result->operators : "",
                                            NULL);

  return g_strdup_printf ("%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n",
                          assay_conformance_status_name (result->status), result->stage, rule,
                          message, result->predicted != NULL ? result->predicted : "", operators,
                          result->categories != NULL ? result->categories : "",
                          result->dtypes != NULL ? result->dtypes : "");
}

/* GLib warns of an escape that is cut off. */
static gboolean
is_whole (const char *escaped)
{
  gsize n = strlen (escaped), i = n;

  while (i > 0 && escaped[i - 1] == '\\')
    i--;

  return (n - i) % 2 == 0;
}

/**
 * assay_conformance_result_from_line:
 * @name: name of the case
 * @line: what its process wrote
 *
 * Reads a result back.
 *
 * Returns: (transfer full) (nullable): the result, or %NULL if the line is not one
 */
AssayConformanceResult *
assay_conformance_result_from_line (const char *name, const char *line)
{
  g_auto (GStrv) fields = g_strsplit (line, "\t", N_FIELDS);
  AssayConformanceResult *result;
  AssayConformanceStatus status;

  if (g_strv_length (fields) != N_FIELDS || !is_whole (fields[2]) || !is_whole (fields[3]) ||
      !is_whole (fields[5]) || !assay_conformance_status_from_name (fields[0], &status))
    return NULL;

  result = assay_conformance_result_new (name);
  result->status = status;
  g_free (result->stage);
  result->stage = g_strdup (fields[1]);
  result->rule = fields[2][0] != '\0' ? g_strcompress (fields[2]) : NULL;
  result->message = fields[3][0] != '\0' ? g_strcompress (fields[3]) : NULL;
  result->predicted = fields[4][0] != '\0' ? g_strdup (fields[4]) : NULL;
  result->operators = fields[5][0] != '\0' ? g_strcompress (fields[5]) : NULL;
  result->categories = fields[6][0] != '\0' ? g_strdup (fields[6]) : NULL;
  result->dtypes = fields[7][0] != '\0' ? g_strdup (fields[7]) : NULL;

  return result;
}

/* GLib matches text; the name of a folder may be any bytes. */
static gboolean
matches (const GPatternSpec *pattern, const char *name)
{
  g_autofree char *text = g_utf8_make_valid (name, -1);

  return g_pattern_spec_match_string ((GPatternSpec *) pattern, text);
}

/* A folder and those around it, so that a link to one of them is not followed. */
typedef struct _Around Around;

struct _Around
{
  const Around *outer;
  dev_t device;
  ino_t inode;
};

static gboolean
is_inside (const Around *around, const GStatBuf *about)
{
  for (; around != NULL; around = around->outer)
    {
      if (around->device == about->st_dev && around->inode == about->st_ino)
        return TRUE;
    }

  return FALSE;
}

static void
find_cases (GPtrArray *folders, const GPatternSpec *filter, const char *root, const char *below,
            const Around *outer, guint depth)
{
  g_autofree char *path = below[0] != '\0' ? g_build_filename (root, below, NULL) : g_strdup (root);
  GStatBuf about;
  Around around = { .outer = outer };
  g_autofree char *model = assay_importer_find_file (path, "model");
  g_autoptr (GDir) folder = NULL;
  const char *name;

  if (g_stat (path, &about) != 0 || is_inside (outer, &about))
    return;
  around.device = about.st_dev;
  around.inode = about.st_ino;

  if (model != NULL)
    {
      if (filter == NULL || matches (filter, below))
        g_ptr_array_add (folders, g_strdup (below));
      return;
    }

  folder = depth < MAX_DEPTH ? g_dir_open (path, 0, NULL) : NULL;
  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *inner = below[0] != '\0' ? g_build_filename (below, name, NULL)
                                                : g_strdup (name);
      g_autofree char *full = g_build_filename (path, name, NULL);

      if (g_file_test (full, G_FILE_TEST_IS_DIR))
        find_cases (folders, filter, root, inner, &around, depth + 1);
    }
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/**
 * assay_conformance_find:
 * @folder: a folder with cases in it, at any depth
 * @filter: (nullable): pattern of the names that are wanted
 * @error: return location for a #GError
 *
 * Looks for cases.
 *
 * Returns: (transfer full) (nullable) (element-type utf8): their names, in order; %NULL if there
 * are none
 */
GPtrArray *
assay_conformance_find (const char *folder, const char *filter, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPatternSpec) pattern = NULL;

  if (filter != NULL)
    {
      g_autofree char *text = g_utf8_make_valid (filter, -1);

      pattern = g_pattern_spec_new (text);
    }
  find_cases (names, pattern, folder, "", NULL, 0);
  if (names->len == 0)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "%s: no case%s%s: expected folders with a model.onnx", folder,
                   filter != NULL ? " that matches " : "", filter != NULL ? filter : "");
      return NULL;
    }
  g_ptr_array_sort (names, compare_names);

  return g_steal_pointer (&names);
}

static int
compare_results (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(AssayConformanceResult *const *) a)->name,
                 (*(AssayConformanceResult *const *) b)->name);
}

static void
expected_clear (gpointer data)
{
  g_pattern_spec_free (((Expected *) data)->pattern);
}

/* Pattern, blank, reason: a failure that nobody can give a reason for is not expected. */
static gboolean
read_expected (Run *self, GError **error)
{
  const char *at = self->plan->expected != NULL ? self->plan->expected : "";

  for (guint number = 1; *at != '\0'; number++)
    {
      gsize whole = strcspn (at, "\n");
      g_autofree char *copy = g_strndup (at, whole);
      const char *line = g_strstrip (copy);
      gsize length = strcspn (line, " \t");
      Expected expected = { NULL };
      g_autofree char *pattern = NULL;

      at += whole + (at[whole] == '\n');
      if (line[0] == '\0' || line[0] == '#')
        continue;
      if (line[length] == '\0')
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                       "%s: line %u: %s has no reason behind it", self->plan->expected_name, number,
                       line);
          return FALSE;
        }
      if (!g_utf8_validate (line, -1, NULL))
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s: line %u: is not UTF-8",
                       self->plan->expected_name, number);
          return FALSE;
        }
      if (self->expected->len == MOST_EXPECTED)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                       "%s: line %u: more than %d patterns are too many", self->plan->expected_name,
                       number, MOST_EXPECTED);
          return FALSE;
        }
      pattern = g_strndup (line, length);
      expected.pattern = g_pattern_spec_new (pattern);
      g_array_append_val (self->expected, expected);
    }

  return TRUE;
}

/* A case is known by its whole name and by its last part. */
static gboolean
is_expected (Run *self, const char *name)
{
  g_autofree char *base = g_path_get_basename (name);

  for (guint i = 0; i < self->expected->len; i++)
    {
      const GPatternSpec *pattern = g_array_index (self->expected, Expected, i).pattern;

      if (matches (pattern, name) || matches (pattern, base))
        return TRUE;
    }

  return FALSE;
}

/* Whether a process was ended from outside: those that run many machines kill one process of a job
 * after the other, and the memory may have gone to somebody else. */
static gboolean
is_ended_from_outside (int wait_status)
{
  static const int numbers[] = { SIGKILL, SIGTERM, SIGINT, SIGHUP };

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (WIFSIGNALED (wait_status) && WTERMSIG (wait_status) == numbers[i])
      return TRUE;

  return WIFEXITED (wait_status) && WEXITSTATUS (wait_status) == CANCELLED;
}

static AssayConformanceResult *
failed_process (const char *name, AssayChild *child, gboolean is_late, const char *reason,
                gboolean *is_ended)
{
  AssayConformanceResult *result = assay_conformance_result_new (name);
  g_autofree char *ending = NULL;
  int wait_status = 0;

  result->status = is_late ? ASSAY_CONFORMANCE_TIMEOUT : ASSAY_CONFORMANCE_FAIL;
  /* What was still running is killed, which is no news. */
  if (child != NULL && assay_child_end (child, &wait_status))
    {
      ending = assay_child_dup_ending (child);
      if (WIFSIGNALED (wait_status))
        result->status = ASSAY_CONFORMANCE_CRASH;
      *is_ended = !is_late && is_ended_from_outside (wait_status);
    }

  g_free (result->stage);
  result->stage = g_strdup ("process");
  result->message = g_strconcat (reason, ending != NULL ? ": " : NULL, ending, NULL);

  return result;
}

static AssayConformanceResult *
run_process (Run *self, const char *own, const char *folder, const char *name, gboolean *is_ended)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) argv = NULL;
  g_autofree char *line = NULL;
  g_autoptr (AssayChild) child = NULL;
  g_autoptr (GError) error = NULL;
  AssayConformanceResult *result;

  g_strv_builder_addv (builder, (const char **) self->plan->program);
  g_strv_builder_add_many (builder, own, folder, NULL);
  argv = g_strv_builder_end (builder);
  child = assay_child_new ((const char *const *) argv, &error);
  if (child == NULL)
    return failed_process (name, NULL, FALSE, error->message, is_ended);

  assay_child_set_deadline (child, self->plan->timeout);
  line = assay_child_read_line (child, LONGEST_LINE, self->progress, &error);
  if (line == NULL)
    return failed_process (name, child, assay_child_was_late (child), error->message, is_ended);

  result = assay_conformance_result_from_line (name, line);

  return result != NULL
             ? result
             : failed_process (name, child, FALSE, "wrote something else than a result", is_ended);
}

/* A case has a folder of its own, which is gone however its process ends. */
static AssayConformanceResult *
run_in_folder (Run *self, const char *root, const char *name)
{
  g_autofree char *folder = g_build_filename (root, name, NULL);
  g_autoptr (GError) error = NULL;
  g_autofree char *own = assay_temporary_folder ("case", &error);
  gboolean is_ended = FALSE;
  AssayConformanceResult *result = own != NULL ? run_process (self, own, folder, name, &is_ended)
                                               : failed_process (name, NULL, FALSE, error->message,
                                                                 &is_ended);

  /* That says nothing about the case: it is tried once more, by when this process may be gone. */
  if (is_ended && !assay_progress_is_cancelled (self->progress))
    {
      assay_conformance_result_free (result);
      result = run_process (self, own, folder, name, &is_ended);
    }
  if (own != NULL)
    assay_temporary_delete (own);

  return result;
}

typedef struct
{
  Run *run;
  const char *root;
} Worker;

static void
run_one (gpointer data, gpointer user_data)
{
  const Worker *worker = user_data;
  Run *self = worker->run;
  const char *name = data;
  AssayConformanceResult *result;
  gint64 begin = g_get_monotonic_time ();

  if (assay_progress_is_cancelled (self->progress))
    return;

  result = run_in_folder (self, worker->root, name);
  /* What was cut off is no result: it runs again when the run goes on. */
  if (assay_progress_is_cancelled (self->progress))
    {
      assay_conformance_result_free (result);
      return;
    }
  result->seconds = (double) (g_get_monotonic_time () - begin) / G_TIME_SPAN_SECOND;
  if (result->status != ASSAY_CONFORMANCE_SKIP && is_expected (self, name))
    result->status = assay_conformance_status_is_bad (result->status) ? ASSAY_CONFORMANCE_XFAIL
                                                                      : ASSAY_CONFORMANCE_XPASS;

  g_mutex_lock (&self->lock);
  g_ptr_array_add (self->result->results, result);
  self->result->counts[result->status]++;
  if (self->plan->done != NULL)
    self->plan->done (result, self->plan->user_data);
  self->n_done++;
  assay_progress_report (self->progress, (double) self->n_done / (double) self->folders->len, name);
  g_mutex_unlock (&self->lock);
}

static gboolean
run_cases (Run *self, const char *root, GError **error)
{
  const Worker worker = { self, root };
  guint n_jobs = self->plan->n_jobs > 0 ? self->plan->n_jobs : g_get_num_processors ();
  g_autoptr (GError) trouble = NULL;
  GThreadPool *pool;

  if (self->folders->len == 0)
    return assay_progress_check (self->progress, error);

  /* Threads of its own are there or not; those that are shared may never come. */
  pool = g_thread_pool_new (run_one, (gpointer) &worker, (int) MIN (n_jobs, self->folders->len),
                            TRUE, &trouble);
  if (g_thread_pool_get_num_threads (pool) == 0)
    {
      g_thread_pool_free (pool, TRUE, FALSE);
      g_propagate_error (error, g_steal_pointer (&trouble));
      return FALSE;
    }
  for (guint i = 0; i < self->folders->len; i++)
    g_thread_pool_push (pool, g_ptr_array_index (self->folders, i), NULL);
  g_thread_pool_free (pool, FALSE, TRUE);
  g_ptr_array_sort (self->result->results, compare_results);

  return assay_progress_check (self->progress, error);
}

/**
 * assay_conformance_run:
 * @folder: a folder with cases in it, at any depth
 * @plan: what is run, and how
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Runs every case below a folder.
 *
 * Returns: (transfer full) (nullable): the results
 */
AssayConformance *
assay_conformance_run (const char *folder, const AssayConformancePlan *plan,
                       const AssayProgress *progress, GError **error)
{
  g_autoptr (AssayConformance) result = g_new0 (AssayConformance, 1);
  g_autoptr (GPtrArray) folders = plan->names != NULL
                                      ? g_ptr_array_ref (plan->names)
                                      : assay_conformance_find (folder, plan->filter, error);
  g_autoptr (GArray) expected = g_array_new (FALSE, FALSE, sizeof (Expected));
  Run self = {
    .plan = plan, .progress = progress, .result = result, .folders = folders, .expected = expected
  };
  gboolean done;

  if (folders == NULL)
    return NULL;
  g_array_set_clear_func (expected, expected_clear);
  result->results = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_conformance_result_free);

  g_mutex_init (&self.lock);
  done = read_expected (&self, error) && run_cases (&self, folder, error);
  g_mutex_clear (&self.lock);

  return done ? g_steal_pointer (&result) : NULL;
}

/**
 * assay_conformance_dup_command:
 * @program: path of `assay`
 * @options: how cases are run
 * @stages: which settings count
 *
 * Makes the command that runs one case.
 *
 * Returns: (transfer full) (array zero-terminated=1): for a plan
 */
char **
assay_conformance_dup_command (const char *program, const AssayConformanceOptions *options,
                               AssayPipelineStages stages)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_autofree char *rtol = g_strdup_printf ("--rtol=%.17g", options->rtol);
  g_autofree char *atol = g_strdup_printf ("--atol=%.17g", options->atol);
  g_auto (GStrv) settings = assay_settings_to_arguments (options->settings, stages);

  g_strv_builder_add_many (builder, program, "conformance", "--one-case", "--on", options->runner,
                           rtol, atol, NULL);
  if (options->target != NULL)
    g_strv_builder_add_many (builder, "--target", options->target, NULL);
  g_strv_builder_addv (builder, (const char **) settings);
  g_strv_builder_add (builder, "--");

  return g_strv_builder_end (builder);
}

/**
 * assay_conformance_take:
 * @self: a run
 * @result: (transfer full): the result of another case
 *
 * Adds a result that is known from elsewhere, in its place.
 */
void
assay_conformance_take (AssayConformance *self, AssayConformanceResult *result)
{
  guint at = 0;

  while (at < self->results->len &&
         strcmp (((AssayConformanceResult *) self->results->pdata[at])->name, result->name) < 0)
    at++;
  g_ptr_array_insert (self->results, (int) at, result);
  self->counts[result->status]++;
}

/**
 * assay_conformance_n_bad:
 * @self: a run
 *
 * Counts the cases that have to be looked at.
 *
 * Returns: their number
 */
guint
assay_conformance_n_bad (const AssayConformance *self)
{
  guint n = 0;

  for (guint i = 0; i < ASSAY_N_CONFORMANCE_STATUSES; i++)
    if (assay_conformance_status_is_bad ((AssayConformanceStatus) i))
      n += self->counts[i];

  return n;
}

void
assay_conformance_free (AssayConformance *self)
{
  if (self == NULL)
    return;

  g_clear_pointer (&self->results, g_ptr_array_unref);
  g_free (self);
}
