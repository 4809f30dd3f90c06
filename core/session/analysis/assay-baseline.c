/* assay-baseline.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session/analysis/assay-baseline.h"

#include "session/assay-session-private.h"

struct _AssayBaseline
{
  GObject parent_instance;

  AssaySession *session; /* owns it */
  gboolean pinned;
  gint64 peak;
  gint64 cycles;
  double error;
  gint64 refused;
};

enum
{
  PROP_0,
  PROP_PINNED,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AssayBaseline, assay_baseline, G_TYPE_OBJECT)

static void
assay_baseline_get_property (GObject *object, guint prop_id, GValue *value, GParamSpec *pspec)
{
  AssayBaseline *self = ASSAY_BASELINE (object);

  switch (prop_id)
    {
    case PROP_PINNED:
      g_value_set_boolean (value, self->pinned);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
assay_baseline_class_init (AssayBaselineClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->get_property = assay_baseline_get_property;
  properties[PROP_PINNED] = g_param_spec_boolean ("pinned", NULL, NULL, FALSE,
                                                  G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
assay_baseline_init (AssayBaseline *self)
{
  self->peak = self->cycles = self->refused = -1;
  self->error = -1;
}

/**
 * assay_baseline_new:
 * @session: the session
 *
 * Makes an empty baseline of the results of a session.
 *
 * Returns: (transfer full): the baseline
 */
AssayBaseline *
assay_baseline_new (AssaySession *session)
{
  AssayBaseline *self = g_object_new (ASSAY_TYPE_BASELINE, NULL);

  self->session = session;
  return self;
}

/**
 * assay_baseline_pin:
 * @self: a baseline
 *
 * Keeps what is known now: rejected nodes, blocks at the peak, cycles, the largest error of the
 * last comparison.
 */
void
assay_baseline_pin (AssayBaseline *self)
{
  AssayMemoryMap *memory;
  const AssayCycles *cycles;
  const AssayComparison *comparison;

  g_return_if_fail (ASSAY_IS_BASELINE (self));

  assay_baseline_init (self);
  memory = assay_compilation_get_memory (self->session->compilation);
  cycles = assay_compilation_get_cycles (self->session->compilation);
  comparison = assay_compare_activity_get_comparison (self->session->comparing);
  if (self->session->verdicts != NULL)
    self->refused = assay_verdicts_count (self->session->verdicts, ASSAY_VERDICT_REJECTED);
  if (memory != NULL)
    self->peak = assay_memory_map_get_use (memory, memory->peak_core, memory->main_store)->peak;
  if (cycles != NULL)
    self->cycles = cycles->spaced;
  if (comparison != NULL && comparison->worst >= 0)
    self->error = assay_comparison_row_error (
        assay_comparison_row (comparison, (guint) comparison->worst));
  self->pinned = TRUE;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PINNED]);
}

/**
 * assay_baseline_clear:
 * @self: a baseline
 *
 * Forgets what was kept.
 */
void
assay_baseline_clear (AssayBaseline *self)
{
  g_return_if_fail (ASSAY_IS_BASELINE (self));

  if (!self->pinned)
    return;

  self->pinned = FALSE;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PINNED]);
}

/**
 * assay_baseline_is_pinned:
 * @self: a baseline
 *
 * Tells whether results are kept.
 *
 * Returns: whether there are any
 */
gboolean
assay_baseline_is_pinned (AssayBaseline *self)
{
  return self->pinned;
}

/**
 * assay_baseline_get_peak:
 * @self: a baseline
 *
 * Gets how many blocks of tensor RAM were in use at the peak.
 *
 * Returns: blocks, -1 if that is not known
 */
gint64
assay_baseline_get_peak (AssayBaseline *self)
{
  return self->pinned ? self->peak : -1;
}

/**
 * assay_baseline_get_cycles:
 * @self: a baseline
 *
 * Gets how long an inference took.
 *
 * Returns: cycles, -1 if that is not known
 */
gint64
assay_baseline_get_cycles (AssayBaseline *self)
{
  return self->pinned ? self->cycles : -1;
}

/**
 * assay_baseline_get_error:
 * @self: a baseline
 *
 * Gets the largest own error of the comparison.
 *
 * Returns: units in the last place, negative if that is not known
 */
double
assay_baseline_get_error (AssayBaseline *self)
{
  return self->pinned ? self->error : -1;
}

/**
 * assay_baseline_get_refused:
 * @self: a baseline
 *
 * Gets how many nodes were rejected.
 *
 * Returns: the number, -1 if that is not known
 */
gint64
assay_baseline_get_refused (AssayBaseline *self)
{
  return self->pinned ? self->refused : -1;
}
