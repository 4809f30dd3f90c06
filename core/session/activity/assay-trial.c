/* assay-trial.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session/activity/assay-trial.h"

#include "session/assay-session-private.h"

struct _AssayTrial
{
  GObject parent_instance;

  AssaySession *session; /* owns the trial */
  char *action;
  char *before;
  char *target_id;
  AssaySettings *setup; /* before the trial; NULL while there is none */
  GPtrArray *fixes;     /* before it; sizes that are tried may not take all of them */
};

enum
{
  PROP_0,
  PROP_ACTIVE,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AssayTrial, assay_trial, G_TYPE_OBJECT)

static void
assay_trial_finalize (GObject *object)
{
  AssayTrial *self = ASSAY_TRIAL (object);

  g_free (self->action);
  g_free (self->before);
  g_free (self->target_id);
  assay_settings_unref (self->setup);
  g_clear_pointer (&self->fixes, g_ptr_array_unref);

  G_OBJECT_CLASS (assay_trial_parent_class)->finalize (object);
}

static void
assay_trial_get_property (GObject *object, guint prop_id, GValue *value, GParamSpec *pspec)
{
  switch (prop_id)
    {
    case PROP_ACTIVE:
      g_value_set_boolean (value, assay_trial_get_active (ASSAY_TRIAL (object)));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
assay_trial_class_init (AssayTrialClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = assay_trial_finalize;
  object_class->get_property = assay_trial_get_property;

  properties[PROP_ACTIVE] = g_param_spec_boolean ("active", NULL, NULL, FALSE,
                                                  G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
assay_trial_init (AssayTrial *self)
{
}

AssayTrial *
assay_trial_new (AssaySession *session)
{
  AssayTrial *self = g_object_new (ASSAY_TYPE_TRIAL, NULL);

  self->session = session;
  return self;
}

/* What the program was like before, as the beginning of a sentence. */
static char *
describe_program (AssaySession *session)
{
  AssayCompilation *compilation = assay_session_get_compilation (session);
  AssayMemoryMap *memory = assay_compilation_get_memory (compilation);
  guint peak;

  if (assay_activity_get_state (ASSAY_ACTIVITY (compilation)) != ASSAY_ACTIVITY_READY ||
      memory == NULL)
    return g_strdup ("Did not fit");

  peak = assay_memory_map_get_use (memory, memory->peak_core, memory->main_store)->peak;
  return g_strdup_printf (peak == 1 ? "Tensor RAM %u block" : "Tensor RAM %u blocks", peak);
}

/**
 * assay_trial_start:
 * @self: a trial
 * @way: a way out
 *
 * Takes a way out on a copy of target and setup, and compiles.
 */
void
assay_trial_start (AssayTrial *self, const AssayWayOut *way)
{
  g_autoptr (AssaySettings) setup = NULL;
  g_autofree char *name = NULL;
  AssayWayKind kind;
  guint32 value;

  g_return_if_fail (ASSAY_IS_TRIAL (self));

  /* The way belongs to a compilation that ends with the change. */
  kind = way->kind;
  value = way->value;
  name = g_strdup (way->name);
  setup = assay_settings_ref (assay_session_get_setup (self->session));
  if (self->setup == NULL)
    {
      self->setup = assay_settings_ref (setup);
      self->target_id = g_strdup (assay_session_get_target_id (self->session));
      self->before = describe_program (self->session);
      self->fixes = g_ptr_array_ref (
          assay_edits_get_fixes (assay_session_get_edits (self->session)));
    }
  assay_compilation_expect (assay_session_get_compilation (self->session));
  /* Another value that is tried takes those fixes that the last one did not. */
  assay_edits_set_fixes (assay_session_get_edits (self->session), self->fixes);
  g_free (self->action);
  self->action = g_strdup (way->action);

  if (kind == ASSAY_WAY_SEARCH)
    assay_settings_set_flag (&setup, ASSAY_SETTING_DISABLE_OPTIMIZATIONS, FALSE);
  else if (kind == ASSAY_WAY_STREAM)
    assay_settings_set_axis (&setup, 0, (int) value);
  else if (kind == ASSAY_WAY_DEPTH)
    assay_settings_set_number (&setup, ASSAY_SETTING_DEPTH, name, value);
  else if (kind == ASSAY_WAY_SIZE)
    assay_settings_set_number (&setup, ASSAY_SETTING_BIND, name, value);
  else
    assay_settings_set_list (&setup, ASSAY_SETTING_DEPTH, NULL);

  assay_session_set_setup (self->session, setup);
  if (kind == ASSAY_WAY_TARGET)
    assay_session_set_target_id (self->session, name);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ACTIVE]);
}

static void
forget (AssayTrial *self)
{
  g_clear_pointer (&self->action, g_free);
  g_clear_pointer (&self->before, g_free);
  g_clear_pointer (&self->target_id, g_free);
  g_clear_pointer (&self->setup, assay_settings_unref);
  g_clear_pointer (&self->fixes, g_ptr_array_unref);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ACTIVE]);
}

/**
 * assay_trial_keep:
 * @self: a trial
 *
 * Goes on with what was tried.
 */
void
assay_trial_keep (AssayTrial *self)
{
  g_return_if_fail (ASSAY_IS_TRIAL (self));

  if (self->setup != NULL)
    forget (self);
}

/**
 * assay_trial_undo:
 * @self: a trial
 *
 * Goes back to target, setup and fixes as they were before the trial, and compiles them.
 */
void
assay_trial_undo (AssayTrial *self)
{
  g_autoptr (AssaySettings) setup = NULL;
  g_autofree char *target_id = NULL;

  g_return_if_fail (ASSAY_IS_TRIAL (self));

  if (self->setup == NULL)
    return;

  setup = g_steal_pointer (&self->setup);
  target_id = g_steal_pointer (&self->target_id);
  assay_compilation_expect (assay_session_get_compilation (self->session));
  assay_edits_set_fixes (assay_session_get_edits (self->session), self->fixes);
  forget (self);
  assay_session_set_setup (self->session, setup);
  assay_session_set_target_id (self->session, target_id);
}

/**
 * assay_trial_get_active:
 * @self: a trial
 *
 * Tells whether something is being tried.
 *
 * Returns: whether keep and undo would do something
 */
gboolean
assay_trial_get_active (AssayTrial *self)
{
  return self->setup != NULL;
}

/**
 * assay_trial_get_action:
 * @self: a trial
 *
 * Gets what is being tried.
 *
 * Returns: (transfer none) (nullable): words
 */
const char *
assay_trial_get_action (AssayTrial *self)
{
  return self->action;
}

/**
 * assay_trial_get_before:
 * @self: a trial
 *
 * Gets what the program was like before the trial.
 *
 * Returns: (transfer none) (nullable): `Did not fit`, or the blocks at its peak
 */
const char *
assay_trial_get_before (AssayTrial *self)
{
  return self->before;
}
