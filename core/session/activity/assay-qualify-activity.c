/* assay-qualify-activity.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session/activity/assay-qualify-activity.h"

#include <glib/gstdio.h>
#include <string.h>

#include "base/assay-file-read.h"
#include "base/assay-file-write.h"
#include "process/assay-helper.h"
#include "process/assay-temporary.h"
#include "reduce/assay-suite-cut.h"
#include "report/assay-conformance-report.h"
#include "session/activity/assay-activity-private.h"
#include "session/assay-session-private.h"
#include "session/list/assay-qualify-item.h"
#include "settings/assay-settings-options.h"
#include "source/assay-importer.h"
#include "work/assay-qualify.h"

#define SECONDS 60
#define MAX_LOG (64u * 1024 * 1024)

/* Nobody sees a row sooner. */
#define ARRIVAL_MS 100

/* One request to a worker; it belongs to the worker while that runs. */
typedef struct
{
  AssayWork *model; /* that is cut; NULL if @suite is a folder of the user */
  char *suite;
  char *on;
  char *target;
  char *log;
  char *expected;  /* a file; NULL for none */
  GError *trouble; /* why there is no folder for the cases of @model */
  AssaySettings *settings;
  GAsyncQueue *arrived; /* AssayConformanceResult, from the worker */
  gint *n_cases;        /* atomic */

  AssayConformance *conformance;
  char *trend;
  AssaySuiteCut cut;
} Work;

struct _AssayQualifyActivity
{
  AssayActivity parent_instance;

  char *suite;             /* that the user has chosen; NULL for the open model */
  char *expected;          /* a file with expected failures, if there is one */
  char *folder;            /* of the cases of the last run */
  char *made;              /* a folder that a model was cut into */
  GPtrArray *kept;         /* such folders of before, with a case in them that is open */
  AssayWork *model;        /* that was cut; NULL if the last run was of a folder of the user */
  char *path;              /* of it */
  char *target;            /* of the last run, as are those that follow */
  AssaySettings *setup;    /* of the model */
  AssaySettings *settings; /* of it, what cases have */
  guint n_left;
  char *runner;
  GListStore *rows;
  AssayConformance *conformance;
  char *trend;
  GAsyncQueue *arrived;
  gint *n_cases;
  guint timeout;
};

G_DEFINE_FINAL_TYPE (AssayQualifyActivity, assay_qualify_activity, ASSAY_TYPE_ACTIVITY)

static void
work_free (gpointer data)
{
  Work *work = data;

  g_clear_pointer (&work->model, assay_work_free);
  g_clear_pointer (&work->settings, assay_settings_unref);
  g_clear_pointer (&work->conformance, assay_conformance_free);
  g_async_queue_unref (work->arrived);
  g_atomic_rc_box_release (work->n_cases);
  g_free (work->suite);
  g_free (work->on);
  g_free (work->target);
  g_free (work->log);
  g_free (work->expected);
  g_free (work->trend);
  g_clear_error (&work->trouble);
  g_free (work);
}

static void
arrived_cb (const AssayConformanceResult *result, gpointer user_data)
{
  g_async_queue_push (user_data, assay_conformance_result_copy (result));
}

/* Tells what fares otherwise than the last time, and keeps what is now for the next. */
static gboolean
keep (Work *self, GError **error)
{
  AssayQualifyHead head = {
    self->suite, self->on, self->target, { 0, 1 }, self->conformance->results->len
  };
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *first = assay_qualify_head_to_line (&head);
  g_autofree char *folder = g_path_get_dirname (self->log);
  g_autofree char *before = NULL;
  gsize length;

  /* A log that is none any more is as good as none. */
  if (assay_file_read (self->log, MAX_LOG, &before, &length, NULL))
    {
      g_autoptr (AssayQualifyLog) log = assay_qualify_log_parse (before, length, self->log, NULL);

      if (log != NULL)
        self->trend = assay_qualify_trend_to_text (self->conformance, log->results, "the last time",
                                                   FALSE);
    }
  g_string_append (text, first);
  for (guint i = 0; i < self->conformance->results->len; i++)
    {
      g_autofree char *line = assay_qualify_result_to_line (
          g_ptr_array_index (self->conformance->results, i));

      g_string_append (text, line);
    }
  g_mkdir_with_parents (folder, 0700);

  return assay_file_write (self->log, text->str, text->len, error);
}

static gboolean
assay_qualify_activity_work (gpointer request, const AssayProgress *progress, GError **error)
{
  Work *self = request;
  AssayProgress cutting = assay_progress_part (progress, 0.0, 0.2);
  AssayProgress running = assay_progress_part (progress, self->model != NULL ? 0.2 : 0.0, 1.0);
  const AssayConformanceOptions options = { self->on, self->target, self->settings,
                                            ASSAY_CONFORMANCE_RTOL, ASSAY_CONFORMANCE_ATOL };
  g_autofree char *helper = NULL;
  g_auto (GStrv) program = NULL;
  g_autoptr (GPtrArray) names = NULL;
  AssayConformancePlan plan = { .timeout = SECONDS,
                                .done = arrived_cb,
                                .user_data = self->arrived };
  g_autofree char *expected = NULL;

  if (self->trouble != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&self->trouble));
      return FALSE;
    }
  helper = assay_helper_find ("assay", error);
  if (helper == NULL ||
      (self->expected != NULL &&
       !assay_file_read (self->expected, ASSAY_FILE_READ_TEXT, &expected, NULL, error)))
    return FALSE;
  if (self->model != NULL &&
      !assay_suite_cut (self->model, 1, self->suite, &self->cut, &cutting, error))
    return FALSE;
  names = assay_conformance_find (self->suite, NULL, error);
  if (names == NULL)
    return FALSE;
  g_atomic_int_set (self->n_cases, (gint) names->len);
  program = assay_conformance_dup_command (helper, &options,
                                           ASSAY_PIPELINE_CHECK | ASSAY_PIPELINE_BUILD);
  plan.program = (const char *const *) program;
  plan.names = names;
  plan.expected = expected;
  plan.expected_name = self->expected;
  self->conformance = assay_conformance_run (self->suite, &plan, &running, error);

  return self->conformance != NULL && keep (self, error);
}

static void
take_arrived (AssayQualifyActivity *self)
{
  AssayConformanceResult *result;

  while (self->arrived != NULL && (result = g_async_queue_try_pop (self->arrived)) != NULL)
    {
      g_autoptr (AssayQualifyItem) item = assay_qualify_item_new (result);

      g_list_store_append (self->rows, item);
    }
}

static gboolean
arrival_cb (gpointer data)
{
  take_arrived (data);
  return G_SOURCE_CONTINUE;
}

static void
assay_qualify_activity_ended (AssayActivity *activity)
{
  AssayQualifyActivity *self = ASSAY_QUALIFY_ACTIVITY (activity);

  g_clear_handle_id (&self->timeout, g_source_remove);
  take_arrived (self);
  g_clear_pointer (&self->arrived, g_async_queue_unref);
}

static void
assay_qualify_activity_take (AssayActivity *activity, gpointer request, const GError *error)
{
  AssayQualifyActivity *self = ASSAY_QUALIFY_ACTIVITY (activity);
  Work *work = request;

  g_clear_pointer (&self->conformance, assay_conformance_free);
  g_clear_pointer (&self->trend, g_free);
  self->conformance = g_steal_pointer (&work->conformance);
  self->trend = g_steal_pointer (&work->trend);
  self->n_left = work->cut.n_left;
}

static gboolean
assay_qualify_activity_has_results (AssayActivity *activity)
{
  return ASSAY_QUALIFY_ACTIVITY (activity)->conformance != NULL;
}

static gboolean
is_below (const char *path, const char *folder)
{
  gsize length = folder != NULL ? strlen (folder) : 0;

  return path != NULL && length > 0 && strncmp (path, folder, length) == 0 &&
         path[length] == G_DIR_SEPARATOR;
}

static void
delete_folder (gpointer data)
{
  assay_temporary_delete (data);
  g_free (data);
}

/* The model that is open would be gone from under it. */
static void
forget_folder (AssayQualifyActivity *self)
{
  gboolean is_read = self->made != NULL &&
                     assay_qualify_activity_has_case (
                         self, assay_document_get_path (
                                   assay_activity_get_session (ASSAY_ACTIVITY (self))->document));

  if (is_read)
    g_ptr_array_add (self->kept, g_steal_pointer (&self->made));
  g_clear_pointer (&self->made, delete_folder);
  g_clear_pointer (&self->folder, g_free);
}

static void
forget (AssayQualifyActivity *self)
{
  g_clear_pointer (&self->conformance, assay_conformance_free);
  g_clear_pointer (&self->trend, g_free);
  g_clear_pointer (&self->n_cases, g_atomic_rc_box_release);
  g_clear_pointer (&self->model, assay_work_free);
  g_clear_pointer (&self->path, g_free);
  g_clear_pointer (&self->target, g_free);
  g_clear_pointer (&self->setup, assay_settings_unref);
  g_clear_pointer (&self->settings, assay_settings_unref);
  self->n_left = 0;
}

static void
assay_qualify_activity_clear (AssayActivity *activity)
{
  AssayQualifyActivity *self = ASSAY_QUALIFY_ACTIVITY (activity);

  forget_folder (self);
  forget (self);
  g_list_store_remove_all (self->rows);
}

static void
assay_qualify_activity_finalize (GObject *object)
{
  AssayQualifyActivity *self = ASSAY_QUALIFY_ACTIVITY (object);

  g_clear_handle_id (&self->timeout, g_source_remove);
  g_clear_pointer (&self->arrived, g_async_queue_unref);
  forget (self);
  /* The session is being taken apart, and nothing is open any more. */
  g_clear_pointer (&self->made, delete_folder);
  g_clear_pointer (&self->folder, g_free);
  g_ptr_array_unref (self->kept);
  g_object_unref (self->rows);
  g_free (self->suite);
  g_free (self->expected);
  g_free (self->runner);

  G_OBJECT_CLASS (assay_qualify_activity_parent_class)->finalize (object);
}

static void
assay_qualify_activity_class_init (AssayQualifyActivityClass *klass)
{
  AssayActivityClass *activity_class = ASSAY_ACTIVITY_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = assay_qualify_activity_finalize;
  activity_class->work = assay_qualify_activity_work;
  activity_class->request_free = work_free;
  activity_class->take = assay_qualify_activity_take;
  activity_class->ended = assay_qualify_activity_ended;
  activity_class->has_results = assay_qualify_activity_has_results;
  activity_class->clear = assay_qualify_activity_clear;
}

static void
assay_qualify_activity_init (AssayQualifyActivity *self)
{
  self->rows = g_list_store_new (ASSAY_TYPE_QUALIFY_ITEM);
  self->kept = g_ptr_array_new_with_free_func (delete_folder);
}

/**
 * assay_qualify_activity_get_suite:
 * @self: an activity
 *
 * Gets the suite that is run.
 *
 * Returns: (transfer none) (nullable): a folder, %NULL for the operators of the open model
 */
const char *
assay_qualify_activity_get_suite (AssayQualifyActivity *self)
{
  return self->suite;
}

/**
 * assay_qualify_activity_set_suite:
 * @self: an activity
 * @folder: (nullable): a folder of cases, %NULL for the operators of the open model
 *
 * Chooses what is run the next time.
 */
void
assay_qualify_activity_set_suite (AssayQualifyActivity *self, const char *folder)
{
  g_return_if_fail (ASSAY_IS_QUALIFY_ACTIVITY (self));

  g_free (self->suite);
  self->suite = g_strdup (folder);
  assay_activity_reset (ASSAY_ACTIVITY (self));
}

/**
 * assay_qualify_activity_get_expected:
 * @self: an activity
 *
 * Gets the file with the failures that are expected.
 *
 * Returns: (transfer none) (nullable): its path
 */
const char *
assay_qualify_activity_get_expected (AssayQualifyActivity *self)
{
  return self->expected;
}

/**
 * assay_qualify_activity_set_expected:
 * @self: an activity
 * @path: (nullable): a file with a pattern per line, and behind it the reason
 *
 * Chooses which failures are expected the next time.
 */
void
assay_qualify_activity_set_expected (AssayQualifyActivity *self, const char *path)
{
  g_return_if_fail (ASSAY_IS_QUALIFY_ACTIVITY (self));

  g_free (self->expected);
  self->expected = g_strdup (path);
  assay_activity_reset (ASSAY_ACTIVITY (self));
}

static char *
make_csv (const AssayConformance *conformance, const char *suite, const char *runner, gsize *length)
{
  return assay_conformance_report_to_csv (conformance, length);
}

static char *
make_expected (const AssayConformance *conformance, const char *suite, const char *runner,
               gsize *length)
{
  char *text = assay_qualify_expected (conformance);

  *length = strlen (text);

  return text;
}

static const struct
{
  const char *name;
  char *(*make) (const AssayConformance *conformance, const char *suite, const char *runner,
                 gsize *length);
} forms[] = {
  { "junit", assay_conformance_report_to_junit },
  { "csv", make_csv },
  { "json", assay_conformance_report_to_json },
  { "xfail", make_expected },
};

/**
 * assay_qualify_activity_save:
 * @self: an activity with results
 * @form: `junit`, `csv`, `json`, or `xfail` for the failures as a list of expected ones
 * @path: a file
 * @error: return location for a #GError
 *
 * Writes the results of the last run.
 *
 * Returns: whether they were written
 */
gboolean
assay_qualify_activity_save (AssayQualifyActivity *self, const char *form, const char *path,
                             GError **error)
{
  g_autofree char *text = NULL;
  gsize length = 0;

  g_return_val_if_fail (self->conformance != NULL, FALSE);

  for (guint i = 0; i < G_N_ELEMENTS (forms); i++)
    if (g_str_equal (forms[i].name, form))
      text = forms[i].make (self->conformance, self->folder, self->runner, &length);
  g_return_val_if_fail (text != NULL, FALSE);

  return assay_file_write (path, text, length, error);
}

/* Earlier results of the same suite, runner and target. */
static char *
dup_log (const char *suite, const char *on, const char *target)
{
  g_autofree char *what = g_strjoin ("\n", suite, on, target, NULL);
  g_autofree char *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, what, -1);
  g_autofree char *name = g_strconcat (sum, ".jsonl", NULL);

  return g_build_filename (g_get_user_state_dir (), "assay", "qualify", name, NULL);
}

/* Whose operators are run: while one of its cases is open, the model that was cut before. */
static AssayWork *
dup_model (AssayQualifyActivity *self, char **path)
{
  AssaySession *session = assay_activity_get_session (ASSAY_ACTIVITY (self));
  const char *open = assay_document_get_path (session->document);
  gboolean again = self->model != NULL && assay_qualify_activity_has_case (self, open);

  *path = g_strdup (again ? self->path : open);
  return assay_work_copy (again ? self->model : session->source);
}

/**
 * assay_qualify_activity_start:
 * @self: an activity
 *
 * Runs the suite on the runner that the session compares with. What the setup says of nodes and
 * inputs of the open model is nothing for its cases.
 */
void
assay_qualify_activity_start (AssayQualifyActivity *self)
{
  AssaySession *session;
  GAsyncQueue *arrived;
  g_autoptr (AssayWork) model = NULL;
  g_autoptr (AssaySettings) setup = NULL;
  g_autofree char *path = NULL;
  g_autoptr (GError) trouble = NULL;
  Work *work;
  const char *on;

  g_return_if_fail (ASSAY_IS_QUALIFY_ACTIVITY (self));

  session = assay_activity_get_session (ASSAY_ACTIVITY (self));
  if (self->suite == NULL && session->source == NULL)
    return;

  if (self->suite == NULL)
    model = dup_model (self, &path);
  setup = assay_settings_ref (
      model != NULL && g_strcmp0 (path, self->path) == 0 &&
              assay_qualify_activity_has_case (self, assay_document_get_path (session->document))
          ? self->setup
          : assay_session_get_setup (session));
  assay_activity_stop (ASSAY_ACTIVITY (self));
  assay_qualify_activity_clear (ASSAY_ACTIVITY (self));
  on = assay_compare_activity_get_runner (session->comparing, 1);
  if (self->suite == NULL)
    {
      /* The last part is made by who cuts. */
      self->made = assay_temporary_folder ("qualify", &trouble);
      self->folder = self->made != NULL ? g_build_filename (self->made, "cases", NULL) : NULL;
      self->model = assay_work_copy (model);
      self->path = g_strdup (path);
    }
  else
    self->folder = g_strdup (self->suite);
  g_free (self->runner);
  self->runner = g_strdup (on);
  self->target = g_strdup (assay_session_get_target_id (session));
  self->setup = g_steal_pointer (&setup);
  self->settings = assay_settings_ref (assay_session_get_setup (session));
  assay_settings_drop_parts (&self->settings);

  work = g_new0 (Work, 1);
  work->model = g_steal_pointer (&model);
  work->suite = g_strdup (self->folder);
  work->on = g_strdup (on);
  work->target = g_strdup (self->target);
  work->log = dup_log (self->suite != NULL ? self->suite : path, on, self->target);
  work->expected = g_strdup (self->expected);
  work->trouble = g_steal_pointer (&trouble);
  work->settings = assay_settings_ref (self->settings);
  work->arrived = g_async_queue_new_full ((GDestroyNotify) assay_conformance_result_free);
  work->n_cases = g_atomic_rc_box_new0 (gint);
  self->n_cases = g_atomic_rc_box_acquire (work->n_cases);
  arrived = g_async_queue_ref (work->arrived);
  assay_activity_start (ASSAY_ACTIVITY (self), "Running the suite", work);
  self->arrived = arrived;
  self->timeout = g_timeout_add (ARRIVAL_MS, arrival_cb, self);
}

/**
 * assay_qualify_activity_get_rows:
 * @self: an activity
 *
 * Gets the cases that have ended.
 *
 * Returns: (transfer none): a list of #AssayQualifyItem
 */
GListModel *
assay_qualify_activity_get_rows (AssayQualifyActivity *self)
{
  return G_LIST_MODEL (self->rows);
}

/**
 * assay_qualify_activity_get_n_cases:
 * @self: an activity
 *
 * Gets how many cases the suite has.
 *
 * Returns: their number, 0 while it is not known
 */
guint
assay_qualify_activity_get_n_cases (AssayQualifyActivity *self)
{
  return self->n_cases != NULL ? (guint) g_atomic_int_get (self->n_cases) : 0;
}

/**
 * assay_qualify_activity_get_conformance:
 * @self: an activity
 *
 * Gets the results of the whole suite.
 *
 * Returns: (transfer none) (nullable): the results, once all cases have ended
 */
const AssayConformance *
assay_qualify_activity_get_conformance (AssayQualifyActivity *self)
{
  return self->conformance;
}

/**
 * assay_qualify_activity_get_trend:
 * @self: an activity
 *
 * Gets what fares otherwise than the last time that this suite ran so.
 *
 * Returns: (transfer none) (nullable): a text for people, %NULL the first time
 */
const char *
assay_qualify_activity_get_trend (AssayQualifyActivity *self)
{
  return self->trend;
}

/**
 * assay_qualify_activity_get_runner:
 * @self: an activity
 *
 * Gets what the cases ran on.
 *
 * Returns: (transfer none) (nullable): the runner
 */
const char *
assay_qualify_activity_get_runner (AssayQualifyActivity *self)
{
  return self->runner;
}

/**
 * assay_qualify_activity_dup_case:
 * @self: an activity
 * @name: a case
 *
 * Finds the model of a case.
 *
 * Returns: (transfer full) (nullable): its path
 */
char *
assay_qualify_activity_dup_case (AssayQualifyActivity *self, const char *name)
{
  g_autofree char *folder = self->folder != NULL ? g_build_filename (self->folder, name, NULL)
                                                 : NULL;

  return folder != NULL ? assay_importer_find_file (folder, "model") : NULL;
}

/**
 * assay_qualify_activity_has_case:
 * @self: an activity
 * @path: (nullable) (type filename): path of a model
 *
 * Tells whether a model is one of the cases of the last run, or of an earlier one.
 *
 * Returns: whether it is
 */
gboolean
assay_qualify_activity_has_case (AssayQualifyActivity *self, const char *path)
{
  for (guint i = 0; i < self->kept->len; i++)
    if (is_below (path, g_ptr_array_index (self->kept, i)))
      return TRUE;

  return is_below (path, self->folder);
}

/**
 * assay_qualify_activity_get_model:
 * @self: an activity
 *
 * Gets the model whose operators the last run was of.
 *
 * Returns: (transfer none) (nullable) (type filename): its path; %NULL without a run, or if that
 * was of a folder
 */
const char *
assay_qualify_activity_get_model (AssayQualifyActivity *self)
{
  return self->path;
}

/**
 * assay_qualify_activity_get_target:
 * @self: an activity
 *
 * Gets the target of the last run.
 *
 * Returns: (transfer none) (nullable): its id
 */
const char *
assay_qualify_activity_get_target (AssayQualifyActivity *self)
{
  return self->target;
}

/**
 * assay_qualify_activity_get_setup:
 * @self: an activity
 *
 * Gets the setup of the model whose operators the last run was of.
 *
 * Returns: (transfer none) (nullable): settings
 */
AssaySettings *
assay_qualify_activity_get_setup (AssayQualifyActivity *self)
{
  return self->setup;
}

/**
 * assay_qualify_activity_get_settings:
 * @self: an activity
 *
 * Gets how the cases of the last run were checked and compiled.
 *
 * Returns: (transfer none) (nullable): settings
 */
AssaySettings *
assay_qualify_activity_get_settings (AssayQualifyActivity *self)
{
  return self->settings;
}

/**
 * assay_qualify_activity_get_n_left:
 * @self: an activity
 *
 * Gets how many nodes of the model could not become cases.
 *
 * Returns: their number
 */
guint
assay_qualify_activity_get_n_left (AssayQualifyActivity *self)
{
  return self->n_left;
}

/**
 * assay_qualify_activity_is_current:
 * @self: an activity
 *
 * Tells whether what was run is what would be run now, but for the model.
 *
 * Returns: whether runner, target and settings are those of the last run
 */
gboolean
assay_qualify_activity_is_current (AssayQualifyActivity *self)
{
  AssaySession *session = assay_activity_get_session (ASSAY_ACTIVITY (self));
  g_autoptr (AssaySettings) settings = assay_settings_ref (assay_session_get_setup (session));

  assay_settings_drop_parts (&settings);
  return self->target != NULL &&
         g_str_equal (self->target, assay_session_get_target_id (session)) &&
         g_strcmp0 (self->runner, assay_compare_activity_get_runner (session->comparing, 1)) == 0 &&
         assay_settings_equal_stage (settings, self->settings,
                                     ASSAY_PIPELINE_CHECK | ASSAY_PIPELINE_BUILD);
}
