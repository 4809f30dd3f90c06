/* assay-ways-search.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session/activity/assay-ways-search.h"

#include "base/assay-error.h"
#include "reduce/assay-split.h"
#include "session/activity/assay-activity-private.h"
#include "session/assay-session-private.h"

/* One request to a worker; it belongs to the worker while that runs. */
typedef struct
{
  AssayWork *model;
  GAsyncQueue *found; /* AssayWayOut, from the worker */
} Work;

struct _AssayWaysSearch
{
  AssayActivity parent_instance;

  GAsyncQueue *found;
  guint timeout;
};

enum
{
  FOUND,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

/* Nobody sees a way sooner. */
#define ARRIVAL_MS 100

G_DEFINE_FINAL_TYPE (AssayWaysSearch, assay_ways_search, ASSAY_TYPE_ACTIVITY)

static void
way_free (gpointer data)
{
  AssayWayOut *way = data;

  g_free (way->name);
  g_free (way->action);
  g_free (way->option);
  g_free (way);
}

static void
work_free (gpointer data)
{
  Work *work = data;

  assay_work_free (work->model);
  g_async_queue_unref (work->found);
  g_free (work);
}

static void
found_cb (const AssayWayOut *way, gpointer data)
{
  AssayWayOut *copy = g_memdup2 (way, sizeof *way);

  copy->name = g_strdup (way->name);
  copy->action = g_strdup (way->action);
  copy->option = g_strdup (way->option);
  g_async_queue_push (data, copy);
}

/* The model is refused again, which is what the search begins with; that is no error of it. */
static gboolean
assay_ways_search_work (gpointer request, const AssayProgress *progress, GError **error)
{
  Work *work = request;
  g_autoptr (AssayAllocation) allocation = NULL;
  g_autoptr (GError) refused = NULL;

  assay_work_seek_ways_out (work->model, NULL, found_cb, work->found);
  if (assay_work_get_program (work->model, progress, &refused) == NULL &&
      !g_error_matches (refused, ASSAY_ERROR, ASSAY_ERROR_ALLOCATION))
    {
      g_propagate_error (error, g_steal_pointer (&refused));
      return FALSE;
    }

  allocation = assay_work_take_allocation (work->model);
  if (allocation != NULL)
    assay_work_find_split (work->model, NULL, assay_work_get_settings (work->model), allocation,
                           found_cb, work->found, progress);

  return TRUE;
}

static void
take_found (AssayWaysSearch *self)
{
  AssaySession *session = assay_activity_get_session (ASSAY_ACTIVITY (self));
  AssayWayOut *way;
  gboolean any = FALSE;

  while ((way = g_async_queue_try_pop (self->found)) != NULL)
    {
      assay_compilation_add_way_out (session->compilation, way);
      way_free (way);
      any = TRUE;
    }
  if (any)
    g_signal_emit (self, signals[FOUND], 0);
}

static gboolean
arrival_cb (gpointer data)
{
  take_found (data);
  return G_SOURCE_CONTINUE;
}

static void
assay_ways_search_take (AssayActivity *activity, gpointer request, const GError *error)
{
}

static void
assay_ways_search_ended (AssayActivity *activity)
{
  AssayWaysSearch *self = ASSAY_WAYS_SEARCH (activity);

  g_clear_handle_id (&self->timeout, g_source_remove);
  if (self->found != NULL)
    take_found (self);
  g_clear_pointer (&self->found, g_async_queue_unref);
}

static gboolean
assay_ways_search_has_results (AssayActivity *activity)
{
  return FALSE;
}

static void
assay_ways_search_clear (AssayActivity *activity)
{
}

static void
assay_ways_search_finalize (GObject *object)
{
  AssayWaysSearch *self = ASSAY_WAYS_SEARCH (object);

  g_clear_handle_id (&self->timeout, g_source_remove);
  g_clear_pointer (&self->found, g_async_queue_unref);

  G_OBJECT_CLASS (assay_ways_search_parent_class)->finalize (object);
}

static void
assay_ways_search_class_init (AssayWaysSearchClass *klass)
{
  AssayActivityClass *activity_class = ASSAY_ACTIVITY_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = assay_ways_search_finalize;
  activity_class->work = assay_ways_search_work;
  activity_class->request_free = work_free;
  activity_class->take = assay_ways_search_take;
  activity_class->ended = assay_ways_search_ended;
  activity_class->has_results = assay_ways_search_has_results;
  activity_class->clear = assay_ways_search_clear;

  signals[FOUND] = g_signal_new ("found", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 0);
}

static void
assay_ways_search_init (AssayWaysSearch *self)
{
}

/**
 * assay_ways_search_start:
 * @self: a search
 * @model: work whose program does not fit, which is copied
 *
 * Tries what helps; a search that is under way is stopped.
 */
void
assay_ways_search_start (AssayWaysSearch *self, AssayWork *model)
{
  GAsyncQueue *found;
  Work *work;

  g_return_if_fail (ASSAY_IS_WAYS_SEARCH (self));

  work = g_new0 (Work, 1);
  work->model = assay_work_copy (model);
  found = work->found = g_async_queue_new_full (way_free);
  g_async_queue_ref (found);
  assay_activity_start (ASSAY_ACTIVITY (self), "Looking for ways out", work);
  self->found = found;
  self->timeout = g_timeout_add (ARRIVAL_MS, arrival_cb, self);
}
