/* assay-target-survey.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/assay-backend.h"
#include "base/assay-error.h"
#include "session/assay-session-private.h"

/* Models of more nodes are not compiled for every target, nor for longer than that in all. */
#define MAX_FIT_NODES 5000
#define MAX_FIT_SECONDS 10

/* What is asked for. Only the main context touches the store. */
typedef struct
{
  GMainContext *context;
  GCancellable *cancellable;
  GListStore *targets;
  AssayWork *model;
  AssaySettings *setup;
  char *known_id;
  AssayOutcome known;
  char *own_path;
} Survey;

/* One row on its way to the store. */
typedef struct
{
  GCancellable *cancellable;
  GListStore *targets;
  AssayTargetItem *item;
  char *id;
  AssayOutcome outcome;
} Result;

static void
survey_free (gpointer data)
{
  Survey *self = data;

  g_main_context_unref (self->context);
  g_object_unref (self->cancellable);
  g_object_unref (self->targets);
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

  g_object_unref (result->cancellable);
  g_object_unref (result->targets);
  g_clear_object (&result->item);
  g_free (result->id);
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
  AssayTargetItem *item;

  if (g_cancellable_is_cancelled (result->cancellable))
    return G_SOURCE_REMOVE;

  item = find_item (result->targets, result->id);
  if (item == NULL && result->item != NULL)
    {
      g_list_store_insert_sorted (result->targets, result->item, compare_items, NULL);
      item = result->item;
    }
  if (item != NULL)
    assay_target_item_set_outcome (item, &result->outcome);

  return G_SOURCE_REMOVE;
}

static void
publish (Survey *self, const char *id, AssayTargetItem *item, const AssayOutcome *outcome)
{
  g_autoptr (GSource) source = g_idle_source_new ();
  Result *result = g_new0 (Result, 1);

  result->cancellable = g_object_ref (self->cancellable);
  result->targets = g_object_ref (self->targets);
  result->id = g_strdup (id);
  result->item = item != NULL ? g_object_ref (item) : NULL;
  result->outcome = *outcome;

  g_source_set_static_name (source, "[assay] target survey");
  g_source_set_callback (source, publish_cb, result, result_free);
  g_source_attach (source, self->context);
}

static void
count (Survey *self, AssayTarget *target, const char *id, AssayOutcome *outcome)
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
fit (Survey *self, AssayTarget *target, const char *id, AssayOutcome *outcome)
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
is_small (Survey *self)
{
  AssayGraph *graph = self->model != NULL ? assay_work_get_graph (self->model, NULL, NULL) : NULL;

  return graph != NULL && assay_graph_n_nodes (graph) <= MAX_FIT_NODES;
}

static gboolean
survey (gpointer request, const AssayProgress *progress, GError **error)
{
  Survey *self = request;
  g_autoptr (GPtrArray)
      loaded = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_target_unref);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) ids = assay_target_list ();
  g_autofree AssayOutcome *outcomes = NULL;
  gint64 begin;

  (void) progress;
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

  return !g_cancellable_set_error_if_cancelled (self->cancellable, error);
}

/* Each row was told as it came; without a thread the list stays as it is. */
static void
survey_ended (gpointer owner, gpointer request, const GError *error)
{
  (void) owner;
  (void) request;
  (void) error;
}

/**
 * assay_session_survey_targets:
 * @self: whose targets are listed
 * @setup: how its model is set up
 * @known_id: (nullable): a target whose counts are known already
 * @known: what is known of it
 *
 * Lists all targets, counts what each would reject and tries whether a program has room there, in a
 * thread of low priority.
 *
 * Returns: (transfer full): the job; nothing of it arrives once it is cancelled
 */
AssayJob *
assay_session_survey_targets (AssaySession *self, AssaySettings *setup, const char *known_id,
                              const AssayOutcome *known)
{
  AssayJob *job = assay_job_new ("Looking at targets");
  Survey *request = g_new0 (Survey, 1);

  request->context = g_main_context_ref_thread_default ();
  request->cancellable = g_object_ref (assay_job_get_progress (job).cancellable);
  request->targets = g_object_ref (self->targets);
  request->model = self->model != NULL ? assay_work_copy (self->model) : NULL;
  request->setup = assay_settings_ref (setup);
  request->known_id = g_strdup (known_id);
  request->known = *known;
  request->own_path = g_strdup (self->own_target);
  assay_job_start_aside (job, survey, request, survey_free, survey_ended, self);

  return job;
}
