/* assay-quantize-activity.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session/activity/assay-quantize-activity.h"

#include "backend/assay-backend.h"
#include "base/assay-error.h"
#include "session/activity/assay-activity-private.h"
#include "session/assay-session-private.h"
#include "source/assay-importer.h"

/* One request to a worker; it belongs to the worker while that runs. */
typedef struct
{
  AssayWork *model;
  GStrv paths;
  AssayQuantizeSamples samples; /* of @paths */
  guint n_gains;
  char *source; /* the file of the model */
  char *path;

  AssayQuantizedModel *result;
} Work;

struct _AssayQuantizeActivity
{
  AssayActivity parent_instance;

  GPtrArray *paths; /* ends with NULL, as @samples has it */
  AssayQuantizeSamples samples;
  guint n_gains;
  AssayQuantizedModel *result;
};

enum
{
  PROP_0,
  PROP_SAMPLES,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AssayQuantizeActivity, assay_quantize_activity, ASSAY_TYPE_ACTIVITY)

static void
work_free (gpointer data)
{
  Work *work = data;

  assay_work_free (work->model);
  g_strfreev (work->paths);
  g_free (work->source);
  g_free (work->path);
  g_clear_pointer (&work->result, assay_quantized_model_free);
  g_free (work);
}

static gboolean
is_same_file (const char *a, const char *b)
{
  g_autoptr (GFile) first = g_file_new_for_path (a);
  g_autoptr (GFile) second = g_file_new_for_path (b);

  return g_file_equal (first, second);
}

static gboolean
assay_quantize_activity_work (gpointer request, const AssayProgress *progress, GError **error)
{
  Work *work = request;

  /* There is no way back from 8 bits. */
  if (is_same_file (work->source, work->path))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "%s is the model that is open: choose another name for the quantised one",
                   work->path);
      return FALSE;
    }
  work->result = assay_quantized_model_new (work->model, &work->samples, work->n_gains, work->path,
                                            progress, error);

  return work->result != NULL;
}

static void
assay_quantize_activity_clear (AssayActivity *activity)
{
  g_clear_pointer (&ASSAY_QUANTIZE_ACTIVITY (activity)->result, assay_quantized_model_free);
}

static void
assay_quantize_activity_take (AssayActivity *activity, gpointer request, const GError *error)
{
  Work *work = request;

  assay_quantize_activity_clear (activity);
  ASSAY_QUANTIZE_ACTIVITY (activity)->result = g_steal_pointer (&work->result);
}

static gboolean
assay_quantize_activity_has_results (AssayActivity *activity)
{
  return ASSAY_QUANTIZE_ACTIVITY (activity)->result != NULL;
}

static void
assay_quantize_activity_finalize (GObject *object)
{
  AssayQuantizeActivity *self = ASSAY_QUANTIZE_ACTIVITY (object);

  g_ptr_array_unref (self->paths);
  g_clear_pointer (&self->result, assay_quantized_model_free);

  G_OBJECT_CLASS (assay_quantize_activity_parent_class)->finalize (object);
}

static void
assay_quantize_activity_get_property (GObject *object, guint prop_id, GValue *value,
                                      GParamSpec *pspec)
{
  switch (prop_id)
    {
    case PROP_SAMPLES:
      g_value_set_pointer (value, &ASSAY_QUANTIZE_ACTIVITY (object)->samples);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
assay_quantize_activity_class_init (AssayQuantizeActivityClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  AssayActivityClass *activity_class = ASSAY_ACTIVITY_CLASS (klass);

  object_class->finalize = assay_quantize_activity_finalize;
  object_class->get_property = assay_quantize_activity_get_property;
  activity_class->work = assay_quantize_activity_work;
  activity_class->request_free = work_free;
  activity_class->take = assay_quantize_activity_take;
  activity_class->has_results = assay_quantize_activity_has_results;
  activity_class->clear = assay_quantize_activity_clear;

  properties[PROP_SAMPLES] = g_param_spec_pointer ("samples", NULL, NULL,
                                                   G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
assay_quantize_activity_init (AssayQuantizeActivity *self)
{
  self->paths = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (self->paths, NULL);
  self->n_gains = ASSAY_QUANTIZE_GAINS;
}

/* The samples are others; what they are read from may be elsewhere in memory now. */
static void
notify_samples (AssayQuantizeActivity *self)
{
  self->samples.paths = self->paths->len > 1 ? (const char *const *) self->paths->pdata : NULL;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SAMPLES]);
}

/**
 * assay_quantize_activity_get_samples:
 * @self: an activity
 *
 * Gets what the model is calibrated with the next time. They stay from one model to the next.
 *
 * Returns: (transfer none): the samples, until they change
 */
const AssayQuantizeSamples *
assay_quantize_activity_get_samples (AssayQuantizeActivity *self)
{
  return &self->samples;
}

/**
 * assay_quantize_activity_add_path:
 * @self: an activity
 * @path: (type filename): a file of samples, or a folder of them
 *
 * Calibrates with it the next time, beside what was added before.
 */
void
assay_quantize_activity_add_path (AssayQuantizeActivity *self, const char *path)
{
  g_return_if_fail (ASSAY_IS_QUANTIZE_ACTIVITY (self));

  if (self->samples.paths != NULL && g_strv_contains (self->samples.paths, path))
    return;

  g_ptr_array_insert (self->paths, (int) self->paths->len - 1, g_strdup (path));
  notify_samples (self);
}

/**
 * assay_quantize_activity_remove_path:
 * @self: an activity
 * @path: (type filename): a file or folder that was added
 *
 * Calibrates without it the next time.
 */
void
assay_quantize_activity_remove_path (AssayQuantizeActivity *self, const char *path)
{
  g_return_if_fail (ASSAY_IS_QUANTIZE_ACTIVITY (self));

  for (guint i = 0; i + 1 < self->paths->len; i++)
    if (g_str_equal (g_ptr_array_index (self->paths, i), path))
      {
        g_ptr_array_remove_index (self->paths, i);
        notify_samples (self);
        return;
      }
}

/**
 * assay_quantize_activity_set_random:
 * @self: an activity
 * @n: how many random samples
 * @seed: what they follow from
 *
 * Calibrates with random samples the next time, beside files.
 */
void
assay_quantize_activity_set_random (AssayQuantizeActivity *self, guint n, guint64 seed)
{
  g_return_if_fail (ASSAY_IS_QUANTIZE_ACTIVITY (self));

  self->samples.n_random = n;
  self->samples.seed = seed;
  notify_samples (self);
}

/**
 * assay_quantize_activity_get_gains:
 * @self: an activity
 *
 * Gets of how many operations that cost most it is measured what they would gain.
 *
 * Returns: their number; 0 measures nothing
 */
guint
assay_quantize_activity_get_gains (AssayQuantizeActivity *self)
{
  return self->n_gains;
}

/**
 * assay_quantize_activity_set_gains:
 * @self: an activity
 * @n_gains: of how many operations that cost most it is measured what they would gain
 *
 * Chooses what is measured the next time.
 */
void
assay_quantize_activity_set_gains (AssayQuantizeActivity *self, guint n_gains)
{
  g_return_if_fail (ASSAY_IS_QUANTIZE_ACTIVITY (self));

  self->n_gains = n_gains;
}

/**
 * assay_quantize_activity_get_refusal:
 * @self: an activity
 *
 * Tells why the model of the session is not to be quantised.
 *
 * Returns: (transfer none) (nullable): a sentence without its stop; %NULL if it can be
 */
const char *
assay_quantize_activity_get_refusal (AssayQuantizeActivity *self)
{
  AssaySession *session;

  g_return_val_if_fail (ASSAY_IS_QUANTIZE_ACTIVITY (self), NULL);

  session = assay_activity_get_session (ASSAY_ACTIVITY (self));
  if (session->state != ASSAY_SESSION_READY || session->verdicts == NULL)
    return "No model is open";
  if (!assay_backend_has (session->target, ASSAY_CAPABILITY_QUANTIZES))
    return assay_backend_get_lack (ASSAY_CAPABILITY_QUANTIZES);

  return assay_verdicts_has_positions (session->verdicts) ? "The model is quantised already" : NULL;
}

/**
 * assay_quantize_activity_dup_ending:
 *
 * Says what the name of a quantised model has behind that of the model that it was made of.
 *
 * Returns: (transfer full): the end of a file name
 */
char *
assay_quantize_activity_dup_ending (void)
{
  return g_strconcat ("-int8", assay_importer_get_exchange ()->suffixes[0], NULL);
}

/**
 * assay_quantize_activity_start:
 * @self: an activity
 * @path: (type filename): where the quantised model is written
 *
 * Quantises the model of the session as its setup says, unless it cannot be.
 */
void
assay_quantize_activity_start (AssayQuantizeActivity *self, const char *path)
{
  AssaySession *session;
  Work *work;

  g_return_if_fail (ASSAY_IS_QUANTIZE_ACTIVITY (self));

  session = assay_activity_get_session (ASSAY_ACTIVITY (self));
  if (assay_quantize_activity_get_refusal (self) != NULL)
    return;

  work = g_new0 (Work, 1);
  /* A change of the setup may still be on its way into the model. */
  work->model = assay_work_with_settings (session->model, assay_session_get_setup (session));
  work->paths = g_strdupv ((char **) self->paths->pdata);
  work->samples = self->samples;
  work->samples.paths = (const char *const *) work->paths;
  work->n_gains = self->n_gains;
  work->source = g_strdup (assay_document_get_path (session->document));
  work->path = g_strdup (path);
  assay_activity_start (ASSAY_ACTIVITY (self), "Quantising", work);
}

/**
 * assay_quantize_activity_get_result:
 * @self: an activity
 *
 * Gets what became of quantising the model.
 *
 * Returns: (transfer none) (nullable): the quantised model, %NULL before it is written
 */
const AssayQuantizedModel *
assay_quantize_activity_get_result (AssayQuantizeActivity *self)
{
  g_return_val_if_fail (ASSAY_IS_QUANTIZE_ACTIVITY (self), NULL);

  return self->result;
}
