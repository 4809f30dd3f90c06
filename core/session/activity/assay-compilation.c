/* assay-compilation.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session/activity/assay-compilation.h"

#include "backend/assay-backend.h"
#include "base/assay-error.h"
#include "draw/assay-memory-scene.h"
#include "session/activity/assay-activity-private.h"
#include "session/activity/assay-ways-search.h"
#include "session/assay-session-private.h"

/* A compile that took longer than this waits to be asked for. */
#define AUTOMATIC_US (2 * G_TIME_SPAN_SECOND)

/* One request to a worker; it belongs to the worker while that runs. */
typedef struct
{
  AssayWork *model;

  AssayProgram *program;
  AssayAllocation *allocation;
  AssayMemoryMap *memory;
  AssayNodeWork *node_work;
  AssayTimeMap *time;
  gint64 duration;
} Work;

struct _AssayCompilation
{
  AssayActivity parent_instance;

  AssayWork *model; /* what is to be compiled, if there is anything that could be */
  char *name;
  char *reason;

  AssayProgram *program;
  AssayMemoryMap *memory;
  AssayNodeWork *node_work;
  AssayTimeMap *time;
  gint64 duration;
  gboolean automatic;
  gboolean is_expected;        /* somebody has asked for the next program */
  AssayAllocation *allocation; /* with an error of that code */

  guint core;
  guint32 playhead;
  guint32 pinned;
  guint32 tensor;
};

enum
{
  PROP_0,
  PROP_CORE,
  PROP_PLAYHEAD,
  PROP_PINNED,
  PROP_TENSOR,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AssayCompilation, assay_compilation, ASSAY_TYPE_ACTIVITY)

static void
work_free (gpointer data)
{
  Work *work = data;

  assay_work_free (work->model);
  g_clear_pointer (&work->memory, assay_memory_map_unref);
  assay_node_work_unref (work->node_work);
  g_clear_pointer (&work->time, assay_time_map_unref);
  g_clear_object (&work->program);
  assay_allocation_free (work->allocation);
  g_free (work);
}

static void
set_pinned (AssayCompilation *self, guint32 step)
{
  if (self->pinned == step)
    return;

  self->pinned = step;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PINNED]);
}

static void
set_reason (AssayCompilation *self, const char *reason)
{
  if (reason == self->reason)
    return;

  g_free (self->reason);
  self->reason = g_strdup (reason);
}

static void
forget_program (AssayCompilation *self)
{
  g_clear_pointer (&self->memory, assay_memory_map_unref);
  g_clear_pointer (&self->node_work, assay_node_work_unref);
  g_clear_pointer (&self->time, assay_time_map_unref);
  g_clear_object (&self->program);
  g_clear_pointer (&self->allocation, assay_allocation_free);
}

static gboolean
assay_compilation_work (gpointer request, const AssayProgress *progress, GError **error)
{
  Work *work = request;
  AssayProgress compiling = assay_progress_part (progress, 0.0, 0.9);
  gint64 begin = g_get_monotonic_time ();
  AssayProgram *program;

  assay_progress_report (&compiling, 0, "Placing");
  program = assay_work_get_program (work->model, &compiling, error);
  work->allocation = assay_work_take_allocation (work->model);
  if (program != NULL)
    {
      work->program = g_object_ref (program);
      assay_progress_report (progress, 0.9, "Timing");
      work->time = assay_time_map_new (work->program);
      work->memory = assay_memory_map_new (work->program);
      work->node_work = assay_node_work_new (work->program);
    }
  work->duration = g_get_monotonic_time () - begin;

  return program != NULL;
}

static void
assay_compilation_take (AssayActivity *activity, gpointer request, const GError *error)
{
  AssayCompilation *self = ASSAY_COMPILATION (activity);
  Work *work = request;

  forget_program (self);
  self->is_expected = FALSE;
  self->duration = work->duration;
  self->allocation = g_steal_pointer (&work->allocation);
  self->program = g_steal_pointer (&work->program);
  self->memory = g_steal_pointer (&work->memory);
  self->node_work = g_steal_pointer (&work->node_work);
  self->time = g_steal_pointer (&work->time);
  if (self->allocation != NULL)
    assay_ways_search_start (assay_activity_get_session (activity)->ways, work->model);
  if (self->program == NULL)
    return;

  assay_compilation_set_tensor (self, ASSAY_NO_TENSOR);
  set_pinned (self, ASSAY_NO_STEP);
  assay_compilation_go_to_peak (self);
}

static void
drop_request (AssayCompilation *self)
{
  g_clear_pointer (&self->model, assay_work_free);
  g_clear_pointer (&self->name, g_free);
}

static void
assay_compilation_outdated (AssayActivity *activity)
{
  drop_request (ASSAY_COMPILATION (activity));
}

static void
assay_compilation_cancelled (AssayActivity *activity)
{
  ASSAY_COMPILATION (activity)->is_expected = FALSE;
  set_reason (ASSAY_COMPILATION (activity), "Compiling was cancelled.");
}

static gboolean
assay_compilation_has_results (AssayActivity *activity)
{
  return ASSAY_COMPILATION (activity)->program != NULL;
}

/* The model is gone, and its program with it. */
static void
assay_compilation_clear (AssayActivity *activity)
{
  AssayCompilation *self = ASSAY_COMPILATION (activity);

  forget_program (self);
  drop_request (self);
  set_reason (self, NULL);
  self->is_expected = FALSE;
  self->duration = 0;
  self->core = 0;
  self->playhead = 0;
}

static void
assay_compilation_finalize (GObject *object)
{
  AssayCompilation *self = ASSAY_COMPILATION (object);

  forget_program (self);
  drop_request (self);
  g_free (self->reason);

  G_OBJECT_CLASS (assay_compilation_parent_class)->finalize (object);
}

static void
assay_compilation_get_property (GObject *object, guint prop_id, GValue *value, GParamSpec *pspec)
{
  AssayCompilation *self = ASSAY_COMPILATION (object);

  switch (prop_id)
    {
    case PROP_CORE:
      g_value_set_uint (value, self->core);
      break;
    case PROP_PLAYHEAD:
      g_value_set_uint (value, self->playhead);
      break;
    case PROP_PINNED:
      g_value_set_uint (value, self->pinned);
      break;
    case PROP_TENSOR:
      g_value_set_uint (value, self->tensor);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
assay_compilation_class_init (AssayCompilationClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  AssayActivityClass *activity_class = ASSAY_ACTIVITY_CLASS (klass);
  GParamFlags readable = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  activity_class->work = assay_compilation_work;
  activity_class->request_free = work_free;
  activity_class->outdated = assay_compilation_outdated;
  activity_class->cancelled = assay_compilation_cancelled;
  activity_class->take = assay_compilation_take;
  activity_class->has_results = assay_compilation_has_results;
  activity_class->clear = assay_compilation_clear;
  object_class->finalize = assay_compilation_finalize;
  object_class->get_property = assay_compilation_get_property;

  properties[PROP_CORE] = g_param_spec_uint ("core", NULL, NULL, 0, ASSAY_MAX_CORES - 1, 0,
                                             readable);
  properties[PROP_PLAYHEAD] = g_param_spec_uint ("playhead", NULL, NULL, 0, G_MAXUINT, 0, readable);
  properties[PROP_PINNED] = g_param_spec_uint ("pinned", NULL, NULL, 0, G_MAXUINT, ASSAY_NO_STEP,
                                               readable);
  properties[PROP_TENSOR] = g_param_spec_uint ("tensor", NULL, NULL, 0, G_MAXUINT, ASSAY_NO_TENSOR,
                                               readable);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
assay_compilation_init (AssayCompilation *self)
{
  self->automatic = TRUE;
  self->tensor = ASSAY_NO_TENSOR;
  self->pinned = ASSAY_NO_STEP;
}

static char *
find_obstacle (AssayWork *model)
{
  AssayVerdicts *verdicts = model != NULL ? assay_work_get_verdicts (model, NULL, NULL) : NULL;
  guint rejected = verdicts != NULL ? verdicts->counts[ASSAY_VERDICT_REJECTED] : 0;
  guint undecided = verdicts != NULL ? verdicts->counts[ASSAY_VERDICT_UNDECIDED] : 0;

  if (verdicts == NULL)
    return g_strdup ("The model could not be checked.");
  if (!assay_backend_has (assay_work_get_target (model), ASSAY_CAPABILITY_MAKES_PROGRAMS))
    return g_strconcat (assay_backend_get_lack (ASSAY_CAPABILITY_MAKES_PROGRAMS), ".", NULL);
  if (rejected > 0 && !assay_backend_builds_checked (assay_work_get_target (model)))
    return g_strdup_printf (rejected == 1 ? "%u node is rejected by this target."
                                          : "%u nodes are rejected by this target.",
                            rejected);
  if (undecided > 0)
    return g_strdup_printf (
        undecided == 1 ? "%u node is undecided: give the open dimensions a size in Setup."
                       : "%u nodes are undecided: give the open dimensions a size in Setup.",
        undecided);

  return NULL;
}

/* One of those that are sought while the user looks at why the program does not fit. */
void
assay_compilation_add_way_out (AssayCompilation *self, const AssayWayOut *way)
{
  if (self->allocation != NULL)
    assay_allocation_add_way_out (self->allocation, way->kind, way->value, way->name,
                                  g_strdup (way->action), g_strdup (way->option),
                                  way->blocks_freed);
}

/* What is about to change is changed to see its program, however long that takes. */
void
assay_compilation_expect (AssayCompilation *self)
{
  self->is_expected = TRUE;
}

/* A checked model, or none: compiles it at once if that went fast the last time or somebody waits
 * for it, or notes why it cannot be compiled. */
void
assay_compilation_offer (AssayCompilation *self, AssayWork *model, const char *name)
{
  g_autofree char *obstacle = find_obstacle (model);

  drop_request (self);
  set_reason (self, obstacle);
  if (obstacle != NULL)
    {
      /* A program of another target or of other sizes would be looked at as if it were of this one.
       */
      forget_program (self);
      assay_activity_settle (ASSAY_ACTIVITY (self));
      return;
    }

  self->model = assay_work_copy (model);
  assay_work_set_name (self->model, name);
  assay_work_explain (self->model);
  self->name = g_strdup (name);
  if (self->is_expected || (self->automatic && self->duration < AUTOMATIC_US))
    assay_compilation_start (self);
  else
    assay_activity_settle (ASSAY_ACTIVITY (self));
}

/**
 * assay_compilation_can_start:
 * @self: a compilation
 *
 * Tells whether the model can be compiled: it is checked and no node is rejected or undecided.
 *
 * Returns: whether assay_compilation_start() would do something
 */
gboolean
assay_compilation_can_start (AssayCompilation *self)
{
  return self->model != NULL;
}

/**
 * assay_compilation_start:
 * @self: a compilation
 *
 * Compiles the model as it is now; one that is being compiled is begun again.
 */
void
assay_compilation_start (AssayCompilation *self)
{
  g_autofree char *title = g_strdup_printf ("Compiling %s", self->name);
  Work *work;

  g_return_if_fail (ASSAY_IS_COMPILATION (self));

  if (self->model == NULL)
    return;

  set_reason (self, NULL);
  assay_activity_outdate (
      ASSAY_ACTIVITY (assay_activity_get_session (ASSAY_ACTIVITY (self))->ways));
  work = g_new0 (Work, 1);
  work->model = assay_work_copy (self->model);
  assay_activity_start (ASSAY_ACTIVITY (self), title, work);
}

/**
 * assay_compilation_get_program:
 * @self: a compilation
 *
 * Gets the newest program; it is that of the model as it is only when it is ready.
 *
 * Returns: (transfer none) (nullable): the program
 */
AssayProgram *
assay_compilation_get_program (AssayCompilation *self)
{
  return self->program;
}

/**
 * assay_compilation_get_memory:
 * @self: a compilation
 *
 * Gets the memory map of the newest program.
 *
 * Returns: (transfer none) (nullable): the map
 */
AssayMemoryMap *
assay_compilation_get_memory (AssayCompilation *self)
{
  return self->memory;
}

/**
 * assay_compilation_get_work:
 * @self: a program
 *
 * Gets what the program does for each of its nodes.
 *
 * Returns: (transfer none) (nullable): the sums, %NULL without a program
 */
const AssayNodeWork *
assay_compilation_get_work (AssayCompilation *self)
{
  return self->node_work;
}

/**
 * assay_compilation_get_time:
 * @self: a program
 *
 * Gets what every unit of the newest program does when.
 *
 * Returns: (transfer none) (nullable): the map, %NULL without a program
 */
AssayTimeMap *
assay_compilation_get_time (AssayCompilation *self)
{
  return self->time;
}

/**
 * assay_compilation_get_allocation:
 * @self: a compilation
 *
 * Gets what found no room, what lay in its way, and what helps.
 *
 * Returns: (transfer none) (nullable): the report, in state failed with an error of allocation
 */
const AssayAllocation *
assay_compilation_get_allocation (AssayCompilation *self)
{
  return self->allocation;
}

/**
 * assay_compilation_get_cycles:
 * @self: a compilation
 *
 * Gets the cycles of one inference of the newest program.
 *
 * Returns: (transfer none) (nullable): the cycles, %NULL without a program
 */
const AssayCycles *
assay_compilation_get_cycles (AssayCompilation *self)
{
  return self->time != NULL ? &self->time->cycles : NULL;
}

/**
 * assay_compilation_get_duration:
 * @self: a compilation
 *
 * Gets how long the last compile took.
 *
 * Returns: microseconds, 0 if there was none since the model was opened
 */
gint64
assay_compilation_get_duration (AssayCompilation *self)
{
  return self->duration;
}

/**
 * assay_compilation_set_automatic:
 * @self: a compilation
 * @automatic: whether to compile after each change while that takes less than two seconds
 *
 * Chooses whether programs are made by themselves, which is so at first. What waits is made at
 * once.
 */
void
assay_compilation_set_automatic (AssayCompilation *self, gboolean automatic)
{
  AssayActivityState state;

  g_return_if_fail (ASSAY_IS_COMPILATION (self));

  state = assay_activity_get_state (ASSAY_ACTIVITY (self));
  self->automatic = automatic;
  if (automatic && self->model != NULL && self->duration < AUTOMATIC_US &&
      (state == ASSAY_ACTIVITY_NONE || state == ASSAY_ACTIVITY_STALE))
    assay_compilation_start (self);
}

/**
 * assay_compilation_get_reason:
 * @self: a compilation
 *
 * Gets why there is no program of the model as it is.
 *
 * Returns: (transfer none) (nullable): a sentence
 */
const char *
assay_compilation_get_reason (AssayCompilation *self)
{
  return self->reason;
}

/**
 * assay_compilation_get_core:
 * @self: a compilation
 *
 * Gets the core that is looked at.
 *
 * Returns: its number
 */
guint
assay_compilation_get_core (AssayCompilation *self)
{
  return self->core;
}

/**
 * assay_compilation_set_core:
 * @self: a compilation
 * @core: number of a core
 *
 * Looks at another core; numbers past the last one become the last one.
 */
void
assay_compilation_set_core (AssayCompilation *self, guint core)
{
  g_return_if_fail (ASSAY_IS_COMPILATION (self));

  if (self->memory == NULL)
    return;

  core = MIN (core, self->memory->n_cores - 1);
  if (self->core == core)
    return;

  self->core = core;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CORE]);
}

/**
 * assay_compilation_get_playhead:
 * @self: a compilation
 *
 * Gets the step that is looked at.
 *
 * Returns: the step
 */
guint32
assay_compilation_get_playhead (AssayCompilation *self)
{
  return self->playhead;
}

/**
 * assay_compilation_set_playhead:
 * @self: a compilation
 * @step: a step
 *
 * Looks at another step in all views; steps past the last one become the last one.
 */
void
assay_compilation_set_playhead (AssayCompilation *self, guint32 step)
{
  g_return_if_fail (ASSAY_IS_COMPILATION (self));

  if (self->memory == NULL)
    return;

  step = MIN (step, self->memory->n_steps - 1);
  if (self->playhead == step)
    return;

  self->playhead = step;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PLAYHEAD]);
}

/**
 * assay_compilation_get_pinned:
 * @self: a compilation
 *
 * Gets the step with which the one that is looked at is compared.
 *
 * Returns: the step, or %ASSAY_NO_STEP
 */
guint32
assay_compilation_get_pinned (AssayCompilation *self)
{
  return self->pinned;
}

/**
 * assay_compilation_toggle_pin:
 * @self: a compilation
 *
 * Pins the step that is looked at, so that others are compared with it; unpins it if it is the
 * pinned one.
 */
void
assay_compilation_toggle_pin (AssayCompilation *self)
{
  g_return_if_fail (ASSAY_IS_COMPILATION (self));

  if (self->memory != NULL)
    set_pinned (self, self->pinned == self->playhead ? ASSAY_NO_STEP : self->playhead);
}

/**
 * assay_compilation_get_tensor:
 * @self: a compilation
 *
 * Gets the planned tensor that is looked at.
 *
 * Returns: row of the plan, or %ASSAY_NO_TENSOR
 */
guint32
assay_compilation_get_tensor (AssayCompilation *self)
{
  return self->tensor;
}

/**
 * assay_compilation_set_tensor:
 * @self: a compilation
 * @tensor: row of the plan, or %ASSAY_NO_TENSOR
 *
 * Looks at a planned tensor in all views.
 */
void
assay_compilation_set_tensor (AssayCompilation *self, guint32 tensor)
{
  g_return_if_fail (ASSAY_IS_COMPILATION (self));

  if (self->program == NULL || tensor >= assay_program_get_facts (self->program)->tensors->len)
    tensor = ASSAY_NO_TENSOR;
  if (self->tensor == tensor)
    return;

  self->tensor = tensor;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_TENSOR]);
}

/**
 * assay_compilation_get_node_name:
 * @self: a compilation
 * @node: node of a row of the plan or of an instruction
 *
 * Gets the name of a node of the program, by which the graph knows it too.
 *
 * Returns: (transfer none): its name, "" if it has none
 */
const char *
assay_compilation_get_node_name (AssayCompilation *self, guint32 node)
{
  return self->program != NULL ? assay_program_get_node_name (self->program, node) : "";
}

/**
 * assay_compilation_get_playhead_node:
 * @self: a compilation
 *
 * Gets the name of the node that the step belongs to which is looked at; of a step without one,
 * that of the last before it.
 *
 * Returns: (transfer none): its name, "" if there is no program
 */
const char *
assay_compilation_get_playhead_node (AssayCompilation *self)
{
  const char *found = "";
  guint32 at = 0;

  g_return_val_if_fail (ASSAY_IS_COMPILATION (self), "");

  for (guint i = 0; self->program != NULL && i < assay_program_get_facts (self->program)->n_rows;
       i++)
    {
      const AssayProgramRow instruction = assay_program_get_row (self->program, i);
      const char *name;

      if (instruction.step > self->playhead || (*found != '\0' && instruction.step <= at))
        continue;
      name = assay_compilation_get_node_name (self, instruction.node);
      if (*name != '\0')
        {
          found = name;
          at = instruction.step;
        }
    }

  return found;
}

/**
 * assay_compilation_go_to_peak:
 * @self: a compilation
 *
 * Looks at the core whose tensor RAM is fullest, at the step at which it is.
 */
void
assay_compilation_go_to_peak (AssayCompilation *self)
{
  g_return_if_fail (ASSAY_IS_COMPILATION (self));

  if (self->memory == NULL)
    return;

  assay_compilation_set_core (self, self->memory->peak_core);
  assay_compilation_set_playhead (
      self,
      assay_memory_map_get_use (self->memory, self->memory->peak_core, self->memory->main_store)
          ->peak_step);
}
