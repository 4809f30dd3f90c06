/* assay-cause-search.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session/activity/assay-cause-search.h"

#include "document/assay-comparison-json.h"
#include "session/activity/assay-activity-private.h"
#include "session/activity/assay-compare-request.h"
#include "session/assay-session-private.h"
#include "work/assay-remedy.h"

/* One request to a worker; it belongs to the worker while that runs. */
typedef struct
{
  AssayCompareRequest *asked;
  AssayComparison *comparison; /* a copy, which gets the causes */
  guint row;
} Work;

/* How long a row is looked at before its causes are tried. */
#define ASKING_MS 200

struct _AssayCauseSearch
{
  AssayActivity parent_instance;

  guint row;
  guint asked; /* the row that @asking is about */
  guint asking;
};

G_DEFINE_FINAL_TYPE (AssayCauseSearch, assay_cause_search, ASSAY_TYPE_ACTIVITY)

static void
work_free (gpointer data)
{
  Work *work = data;

  assay_compare_request_free (work->asked);
  assay_comparison_free (work->comparison);
  g_free (work);
}

/* Only what is behind the row runs again; a comparison keeps numbers and no tensors. */
static gboolean
assay_cause_search_work (gpointer request, const AssayProgress *progress, GError **error)
{
  Work *work = request;
  AssayProgress preparing = assay_progress_part (progress, 0.0, 0.2);
  AssayProgress trying = assay_progress_part (progress, 0.2, 1.0);
  AssayComparisonSide sides[ASSAY_COMPARE_N_SIDES];
  g_autoptr (GArray) ports = NULL;
  g_autoptr (GPtrArray) tensors = NULL;
  g_autoptr (AssayRunSubject) subject = assay_compare_request_prepare (
      work->asked, &preparing, sides, &ports, &tensors, error);

  return subject != NULL &&
         assay_explain_causes_of (work->comparison, work->row, work->asked->model, &sides[0],
                                  &sides[1], tensors, &trying, error);
}

/* Whatever ends the comparison drops the search, so that it is still the one that was copied. */
static void
assay_cause_search_take (AssayActivity *activity, gpointer request, const GError *error)
{
  Work *work = request;

  if (error == NULL)
    assay_compare_activity_take_causes (assay_activity_get_session (activity)->comparing, work->row,
                                        g_ptr_array_index (work->comparison->rows, work->row));
}

/* They are those of the comparison. */
static gboolean
assay_cause_search_has_results (AssayActivity *activity)
{
  return FALSE;
}

static void
assay_cause_search_clear (AssayActivity *activity)
{
  AssayCauseSearch *self = ASSAY_CAUSE_SEARCH (activity);

  self->row = G_MAXUINT;
  g_clear_handle_id (&self->asking, g_source_remove);
}

static void
assay_cause_search_finalize (GObject *object)
{
  g_clear_handle_id (&ASSAY_CAUSE_SEARCH (object)->asking, g_source_remove);

  G_OBJECT_CLASS (assay_cause_search_parent_class)->finalize (object);
}

static void
assay_cause_search_class_init (AssayCauseSearchClass *klass)
{
  AssayActivityClass *activity_class = ASSAY_ACTIVITY_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = assay_cause_search_finalize;
  activity_class->work = assay_cause_search_work;
  activity_class->request_free = work_free;
  activity_class->take = assay_cause_search_take;
  activity_class->has_results = assay_cause_search_has_results;
  activity_class->clear = assay_cause_search_clear;
}

static void
assay_cause_search_init (AssayCauseSearch *self)
{
  self->row = G_MAXUINT;
}

/**
 * assay_cause_search_can_start:
 * @self: a search
 * @row: index of a row of the comparison
 *
 * Tells whether there is a comparison of what the session has now, and a row in it that differs and
 * was not tried.
 *
 * Returns: whether assay_cause_search_start() would do something
 */
gboolean
assay_cause_search_can_start (AssayCauseSearch *self, guint row)
{
  AssayCompareActivity *comparing;
  const AssayComparison *comparison;

  g_return_val_if_fail (ASSAY_IS_CAUSE_SEARCH (self), FALSE);

  comparing = assay_activity_get_session (ASSAY_ACTIVITY (self))->comparing;
  comparison = assay_compare_activity_get_comparison (comparing);
  return comparison != NULL && row < comparison->rows->len &&
         assay_activity_get_state (ASSAY_ACTIVITY (comparing)) == ASSAY_ACTIVITY_READY &&
         assay_compare_activity_can_start (comparing) &&
         assay_comparison_row (comparison, row)->causes == NULL &&
         assay_comparison_row_differs (assay_comparison_row (comparison, row));
}

/**
 * assay_cause_search_start:
 * @self: a search
 * @row: index of a row of the comparison
 *
 * Tries what makes a row differ, in a thread; another search that is under way is stopped, and one
 * for the same row goes on.
 */
void
assay_cause_search_start (AssayCauseSearch *self, guint row)
{
  AssayCompareActivity *comparing;
  const AssayComparison *comparison;
  g_autofree char *title = NULL;
  Work *work;

  g_return_if_fail (ASSAY_IS_CAUSE_SEARCH (self));

  g_clear_handle_id (&self->asking, g_source_remove);
  if (!assay_cause_search_can_start (self, row) ||
      (row == self->row &&
       assay_activity_get_state (ASSAY_ACTIVITY (self)) == ASSAY_ACTIVITY_RUNNING))
    return;

  comparing = assay_activity_get_session (ASSAY_ACTIVITY (self))->comparing;
  comparison = assay_compare_activity_get_comparison (comparing);
  title = g_strdup_printf ("Trying causes of %s", assay_comparison_row (comparison, row)->name);
  work = g_new0 (Work, 1);
  work->asked = assay_compare_request_new (comparing);
  work->comparison = assay_comparison_copy (comparison);
  work->row = self->row = row;
  assay_activity_start (ASSAY_ACTIVITY (self), title, work);
}

static gboolean
asking_cb (gpointer data)
{
  AssayCauseSearch *self = data;

  self->asking = 0;
  if (self->asked != self->row || assay_activity_get_error (ASSAY_ACTIVITY (self)) == NULL)
    assay_cause_search_start (self, self->asked);

  return G_SOURCE_REMOVE;
}

/**
 * assay_cause_search_ask:
 * @self: a search
 * @row: index of a row of the comparison, %G_MAXUINT for none
 *
 * Starts as soon as a row has been looked at for a moment: somebody who walks over many is not
 * there yet. What has failed says so, and is not tried again by this.
 */
void
assay_cause_search_ask (AssayCauseSearch *self, guint row)
{
  g_return_if_fail (ASSAY_IS_CAUSE_SEARCH (self));

  g_clear_handle_id (&self->asking, g_source_remove);
  self->asked = row;
  if (assay_cause_search_can_start (self, row))
    self->asking = g_timeout_add (ASKING_MS, asking_cb, self);
}

/**
 * assay_cause_search_find_row:
 * @self: a search
 * @node: name of a node
 *
 * Finds what there is to say of a node: the first of its tensors that differs, or else the first.
 *
 * Returns: index of a row of the comparison, %G_MAXUINT if none is of that node
 */
guint
assay_cause_search_find_row (AssayCauseSearch *self, const char *node)
{
  const AssayComparison *comparison;
  guint found = G_MAXUINT;

  g_return_val_if_fail (ASSAY_IS_CAUSE_SEARCH (self), G_MAXUINT);

  comparison = assay_compare_activity_get_comparison (
      assay_activity_get_session (ASSAY_ACTIVITY (self))->comparing);
  for (guint i = 0; comparison != NULL && i < comparison->rows->len; i++)
    {
      const AssayComparisonRow *row = assay_comparison_row (comparison, i);

      if (g_strcmp0 (row->node_name, node) != 0)
        continue;
      if (assay_comparison_row_differs (row))
        return i;
      found = MIN (found, i);
    }

  return found;
}

/**
 * assay_cause_search_get_row:
 * @self: a search
 *
 * Gets what the state and the error of the search are about.
 *
 * Returns: index of a row of the comparison, %G_MAXUINT before the first search
 */
guint
assay_cause_search_get_row (AssayCauseSearch *self)
{
  return self->row;
}
