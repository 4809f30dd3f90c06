/* assay-pass-activity.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session/activity/assay-pass-activity.h"

#include "base/assay-file-map.h"
#include "session/activity/assay-activity-private.h"
#include "session/assay-session-private.h"
#include "source/assay-importer.h"

/* One request to a worker; it belongs to the worker while that runs. */
typedef struct
{
  char *path;
  AssayTorchSteps *steps;
} Work;

struct _AssayPassActivity
{
  AssayActivity parent_instance;

  AssayTorchSteps *steps;
};

G_DEFINE_FINAL_TYPE (AssayPassActivity, assay_pass_activity, ASSAY_TYPE_ACTIVITY)

static void
work_free (gpointer data)
{
  Work *work = data;

  assay_torch_steps_free (work->steps);
  g_free (work->path);
  g_free (work);
}

static gboolean
assay_pass_activity_work (gpointer request, const AssayProgress *progress, GError **error)
{
  Work *work = request;
  g_autoptr (GBytes) bytes = assay_file_map_new (work->path, error);

  if (bytes != NULL)
    work->steps = assay_torch_steps_new (bytes, progress, error);

  return work->steps != NULL;
}

static void
assay_pass_activity_take (AssayActivity *activity, gpointer request, const GError *error)
{
  AssayPassActivity *self = ASSAY_PASS_ACTIVITY (activity);
  Work *work = request;

  g_clear_pointer (&self->steps, assay_torch_steps_free);
  self->steps = g_steal_pointer (&work->steps);
}

static gboolean
assay_pass_activity_has_results (AssayActivity *activity)
{
  return ASSAY_PASS_ACTIVITY (activity)->steps != NULL;
}

static void
assay_pass_activity_clear (AssayActivity *activity)
{
  g_clear_pointer (&ASSAY_PASS_ACTIVITY (activity)->steps, assay_torch_steps_free);
}

static void
assay_pass_activity_finalize (GObject *object)
{
  g_clear_pointer (&ASSAY_PASS_ACTIVITY (object)->steps, assay_torch_steps_free);

  G_OBJECT_CLASS (assay_pass_activity_parent_class)->finalize (object);
}

static void
assay_pass_activity_class_init (AssayPassActivityClass *klass)
{
  AssayActivityClass *activity_class = ASSAY_ACTIVITY_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = assay_pass_activity_finalize;
  activity_class->work = assay_pass_activity_work;
  activity_class->request_free = work_free;
  activity_class->take = assay_pass_activity_take;
  activity_class->has_results = assay_pass_activity_has_results;
  activity_class->clear = assay_pass_activity_clear;
}

static void
assay_pass_activity_init (AssayPassActivity *self)
{
}

/**
 * assay_pass_activity_can_start:
 * @self: an activity
 *
 * Tells whether the model of the session comes from a source that has passes.
 *
 * Returns: whether it does
 */
gboolean
assay_pass_activity_can_start (AssayPassActivity *self)
{
  AssayGraph *graph;

  g_return_val_if_fail (ASSAY_IS_PASS_ACTIVITY (self), FALSE);

  graph = assay_session_get_graph (assay_activity_get_session (ASSAY_ACTIVITY (self)));
  return graph != NULL && g_strcmp0 (graph->source, assay_importer_torch.id) == 0;
}

/**
 * assay_pass_activity_start:
 * @self: an activity that can start
 *
 * Takes the program of the file through its passes, unless that is known or under way.
 */
void
assay_pass_activity_start (AssayPassActivity *self)
{
  AssayActivityState state;
  Work *work;

  g_return_if_fail (ASSAY_IS_PASS_ACTIVITY (self));

  state = assay_activity_get_state (ASSAY_ACTIVITY (self));
  if (state == ASSAY_ACTIVITY_RUNNING || state == ASSAY_ACTIVITY_READY)
    return;

  work = g_new0 (Work, 1);
  work->path = g_strdup (
      assay_session_get_text_path (assay_activity_get_session (ASSAY_ACTIVITY (self))));
  assay_activity_start (ASSAY_ACTIVITY (self), "Taking the program through its passes", work);
}

/**
 * assay_pass_activity_get_steps:
 * @self: an activity
 *
 * Gets the program behind each pass.
 *
 * Returns: (transfer none) (nullable): the steps, if they are known
 */
const AssayTorchSteps *
assay_pass_activity_get_steps (AssayPassActivity *self)
{
  g_return_val_if_fail (ASSAY_IS_PASS_ACTIVITY (self), NULL);

  return self->steps;
}
