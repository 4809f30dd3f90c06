/* assay-target-survey.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "backend/assay-backend.h"
#include "base/assay-error.h"
#include "session/assay-session-private.h"

/* Models of more nodes are not compiled for every target, nor for longer than that in all. */
#define MAX_FIT_NODES 5000
#define MAX_FIT_SECONDS 10

/* The thread owns a reference and so does every result on its way; only the main context touches
 * the store. */
struct _AssayTargetSurvey
{
  gatomicrefcount ref_count;
  GMainContext *context;
  GCancellable *cancellable;
  GListStore *targets; /* main context only; NULL once stopped */
  AssayWork *model;
  AssaySettings *setup;
  char *known_id;
  AssayOutcome known;
  char *own_path;
};

typedef struct
{
  AssayTargetSurvey *survey;
  AssayTargetItem *item;
  char *id;
  AssayOutcome outcome;
} Result;

static void
target_survey_unref (AssayTargetSurvey *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_main_context_unref (self->context);
  g_object_unref (self->cancellable);
  g_clear_object (&self->targets);
  g_clear_pointer (&self->model, assay_work_free);
  g_clear_pointer (&self->setup, assay_settings_unref);
  g_free (self->known_id);
  g_free (self->own_path);
  g_free (self);
}

static void
result_free (gpointer data)
{
  Result *result = data;

  g_clear_object (&result->item);
  g_free (result->id);
  target_survey_unref (result->survey);
  g_free (result);
}

static AssayTargetItem *
find_item (GListStore *store, const char *id)
{
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (store)); i++)
    {
      g_autoptr (AssayTargetItem) item = g_list_model_get_item (G_LIST_MODEL (store), i);

      if (g_str_equal (assay_target_item_get_id (item), id))
        return item;
    }

  return NULL;
}

static int
compare_items (gconstpointer a, gconstpointer b, gpointer data)
{
  AssayTargetItem *first = (AssayTargetItem *) a;
  AssayTargetItem *second = (AssayTargetItem *) b;
  int by_group = (int) assay_target_item_get_order (first) -
                 (int) assay_target_item_get_order (second);

  return by_group != 0
             ? by_group
             : strcmp (assay_target_item_get_title (first), assay_target_item_get_title (second));
}

static gboolean
publish_cb (gpointer data)
{
  Result *result = data;
  AssayTargetSurvey *self = result->survey;
  AssayTargetItem *item;

  if (self->targets == NULL)
    return G_SOURCE_REMOVE;

  item = find_item (self->targets, result->id);
  if (item == NULL && result->item != NULL)
    {
      g_list_store_insert_sorted (self->targets, result->item, compare_items, NULL);
      item = result->item;
    }
  if (item != NULL)
    assay_target_item_set_outcome (item, &result->outcome);

  return G_SOURCE_REMOVE;
}

static void
publish (AssayTargetSurvey *self, const char *id, AssayTargetItem *item,
         const AssayOutcome *outcome)
{
  g_autoptr (GSource) source = g_idle_source_new ();
  Result *result = g_new0 (Result, 1);

  g_atomic_ref_count_inc (&self->ref_count);
  result->survey = self;
  result->id = g_strdup (id);
  result->item = item != NULL ? g_object_ref (item) : NULL;
  result->outcome = *outcome;

  g_source_set_static_name (source, "[assay] target survey");
  g_source_set_callback (source, publish_cb, result, result_free);
  g_source_attach (source, self->context);
}

static void
count (AssayTargetSurvey *self, AssayTarget *target, const char *id, AssayOutcome *outcome)
{
  AssayProgress progress = ASSAY_PROGRESS_INIT (NULL, NULL, self->cancellable);
  g_autoptr (AssayWork) work = NULL;
  AssayVerdicts *verdicts;

  *outcome = ASSAY_OUTCOME_INIT;
  if (self->model == NULL)
    return;

  if (g_strcmp0 (id, self->known_id) == 0)
    *outcome = self->known;
  else
    {
      work = assay_work_for_document (self->model, target, self->setup);
      verdicts = assay_work_get_verdicts (work, &progress, NULL);
      if (verdicts != NULL)
        assay_outcome_count (outcome, verdicts);
    }
  if (!assay_backend_has (target, ASSAY_CAPABILITY_MAKES_PROGRAMS))
    outcome->fit = ASSAY_FIT_NONE;
  if (outcome->rejected >= 0)
    publish (self, id, NULL, outcome);
}

/* A program is only made where nothing else stands in its way, and while it costs little: nobody
 * has asked for it. */
static void
fit (AssayTargetSurvey *self, AssayTarget *target, const char *id, AssayOutcome *outcome)
{
  AssayProgress progress = ASSAY_PROGRESS_INIT (NULL, NULL, self->cancellable);
  g_autoptr (AssayWork) work = NULL;
  g_autoptr (GError) error = NULL;

  if (outcome->rejected != 0 || outcome->undecided > 0 || outcome->fit == ASSAY_FIT_NONE)
    return;

  work = assay_work_for_document (self->model, target, self->setup);
  if (assay_work_get_program (work, &progress, &error) != NULL)
    outcome->fit = ASSAY_FIT_YES;
  else if (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_ALLOCATION))
    outcome->fit = ASSAY_FIT_NO;
  if (outcome->fit != ASSAY_FIT_UNKNOWN)
    publish (self, id, NULL, outcome);
}

static gboolean
is_small (AssayTargetSurvey *self)
{
  AssayGraph *graph = self->model != NULL ? assay_work_get_graph (self->model, NULL, NULL) : NULL;

  return graph != NULL && assay_graph_n_nodes (graph) <= MAX_FIT_NODES;
}

static gpointer
survey_thread (gpointer data)
{
  AssayTargetSurvey *self = data;
  g_autoptr (GPtrArray)
      loaded = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_target_unref);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) ids = assay_target_list ();
  g_autofree AssayOutcome *outcomes = NULL;
  gint64 begin;

  /* On Linux this is the thread's own priority, and the thread ends with its work. */
  setpriority (PRIO_PROCESS, (id_t) syscall (SYS_gettid), 10);

  for (guint i = 0; ids != NULL && ids[i] != NULL; i++)
    g_ptr_array_add (names, g_strdup (ids[i]));
  if (self->own_path != NULL)
    g_ptr_array_add (names, g_strdup (self->own_path));

  /* First all rows, so that the chooser is complete at once; then the slow part. */
  for (guint i = 0; i < names->len && !g_cancellable_is_cancelled (self->cancellable); i++)
    {
      const char *id = g_ptr_array_index (names, i);
      g_autoptr (AssayTarget) target = assay_target_load (id, NULL);
      g_autoptr (AssayTargetItem) item = NULL;

      if (target != NULL)
        {
          AssayOutcome nothing = ASSAY_OUTCOME_INIT;

          item = assay_target_item_new (target, id,
                                        self->own_path != NULL && g_str_equal (id, self->own_path));
          publish (self, id, item, g_strcmp0 (id, self->known_id) == 0 ? &self->known : &nothing);
        }
      g_ptr_array_add (loaded, g_steal_pointer (&target));
    }

  /* Then the counts, and last whether a program has room, which takes longest. */
  outcomes = g_new0 (AssayOutcome, loaded->len + 1);
  for (guint i = 0; i < loaded->len && !g_cancellable_is_cancelled (self->cancellable); i++)
    if (g_ptr_array_index (loaded, i) != NULL)
      count (self, g_ptr_array_index (loaded, i), g_ptr_array_index (names, i), &outcomes[i]);
  begin = g_get_monotonic_time ();
  for (guint i = 0; i < loaded->len && is_small (self) &&
                    g_get_monotonic_time () - begin < MAX_FIT_SECONDS * G_USEC_PER_SEC &&
                    !g_cancellable_is_cancelled (self->cancellable);
       i++)
    if (g_ptr_array_index (loaded, i) != NULL)
      fit (self, g_ptr_array_index (loaded, i), g_ptr_array_index (names, i), &outcomes[i]);

  target_survey_unref (self);
  return NULL;
}

/**
 * assay_target_survey_start:
 * @targets: gets the rows and their counts
 * @model: (nullable): the open model
 * @setup: how it is set up
 * @known_id: (nullable): a target whose counts are known already
 * @known: what is known of it
 * @own_path: (nullable): a target file of the user
 *
 * Lists all targets, counts what each would reject and tries whether a program has room there, in a
 * thread of low priority.
 *
 * Returns: (transfer full): the survey, to be stopped
 */
AssayTargetSurvey *
assay_target_survey_start (GListStore *targets, AssayWork *model, AssaySettings *setup,
                           const char *known_id, const AssayOutcome *known, const char *own_path)
{
  AssayTargetSurvey *self = g_new0 (AssayTargetSurvey, 1);
  GThread *thread;

  g_atomic_ref_count_init (&self->ref_count);
  g_atomic_ref_count_inc (&self->ref_count);
  self->context = g_main_context_ref_thread_default ();
  self->cancellable = g_cancellable_new ();
  self->targets = g_object_ref (targets);
  self->model = model != NULL ? assay_work_copy (model) : NULL;
  self->setup = assay_settings_ref (setup);
  self->known_id = g_strdup (known_id);
  self->known = *known;
  self->own_path = g_strdup (own_path);

  /* Where there is no thread to be had the list of targets stays as it is. */
  thread = g_thread_try_new ("assay-survey", survey_thread, self, NULL);
  if (thread != NULL)
    g_thread_unref (thread);
  else
    target_survey_unref (self);

  return self;
}

/**
 * assay_target_survey_stop:
 * @self: (transfer full) (nullable): a survey
 *
 * Ends a survey; nothing of it arrives any more.
 */
void
assay_target_survey_stop (AssayTargetSurvey *self)
{
  if (self == NULL)
    return;

  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->targets);
  target_survey_unref (self);
}
