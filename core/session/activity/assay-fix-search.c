/* assay-fix-search.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Not an AssayActivity: that has one result and one state, is begun by the user and shown in the
 * bar of jobs. This has a result for each finding, begins by itself, chooses what to look for next,
 * and is seen only where a finding is.
 */
#include "session/activity/assay-fix-search.h"

#include "base/assay-error.h"
#include "session/assay-session-private.h"

/* The first picture and the program come first. */
#define START_MS 400
/* So that going quickly through findings does not begin a search at each of them. */
#define LOOK_MS 120
/* What counting the fixes of all findings may take together. */
#define COUNT_BUDGET_US (10 * G_TIME_SPAN_SECOND)

/* What is known of one finding. */
typedef struct
{
  AssayFixSuggestions *suggestions; /* measured; NULL if not yet */
  GError *error;
  gboolean counted;
} Known;

/* One request to a worker; it belongs to the worker while that runs. */
typedef struct
{
  int finding;
  gboolean measure;
  AssayWork *model;
  char **nodes;
  gint64 start;

  AssayFixSuggestions *suggestions;
} Work;

struct _AssayFixSearch
{
  GObject parent_instance;

  AssaySession *session; /* owns it */
  GPtrArray *known;      /* Known, per finding */
  guint timeout;
  gint64 counted_us;
  int wanted; /* -1 for none */

  AssayJob *job; /* of the request that runs */
  int running;
  gboolean measuring;
};

enum
{
  CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AssayFixSearch, assay_fix_search, G_TYPE_OBJECT)

static void start_next (AssayFixSearch *self);
static void start_after (AssayFixSearch *self, guint delay_ms);

static void
known_free (gpointer data)
{
  Known *known = data;

  g_clear_pointer (&known->suggestions, assay_fix_suggestions_free);
  g_clear_error (&known->error);
  g_free (known);
}

static void
work_free (gpointer data)
{
  Work *work = data;

  assay_work_free (work->model);
  g_strfreev (work->nodes);
  g_clear_pointer (&work->suggestions, assay_fix_suggestions_free);
  g_free (work);
}

static Known *
get_known (AssayFixSearch *self, int finding)
{
  return finding >= 0 && (guint) finding < self->known->len
             ? g_ptr_array_index (self->known, finding)
             : NULL;
}

static void
changed (AssayFixSearch *self, int finding)
{
  g_signal_emit (self, signals[CHANGED], 0, finding);
}

static void
stop (AssayFixSearch *self)
{
  g_clear_handle_id (&self->timeout, g_source_remove);
  if (self->job != NULL)
    assay_job_abandon (self->job);
  g_clear_object (&self->job);
  self->running = -1;
}

static void
assay_fix_search_dispose (GObject *object)
{
  stop (ASSAY_FIX_SEARCH (object));

  G_OBJECT_CLASS (assay_fix_search_parent_class)->dispose (object);
}

static void
assay_fix_search_finalize (GObject *object)
{
  g_ptr_array_unref (ASSAY_FIX_SEARCH (object)->known);

  G_OBJECT_CLASS (assay_fix_search_parent_class)->finalize (object);
}

static void
assay_fix_search_class_init (AssayFixSearchClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->dispose = assay_fix_search_dispose;
  object_class->finalize = assay_fix_search_finalize;

  signals[CHANGED] = g_signal_new ("changed", ASSAY_TYPE_FIX_SEARCH, G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 1, G_TYPE_INT);
}

static void
assay_fix_search_init (AssayFixSearch *self)
{
  self->known = g_ptr_array_new_with_free_func (known_free);
  self->wanted = -1;
  self->running = -1;
}

static gboolean
search (gpointer request, const AssayProgress *progress, GError **error)
{
  Work *work = request;
  AssayFixOptions options = ASSAY_FIX_OPTIONS_DEFAULT;

  if (!work->measure)
    {
      options.n_runs = 0;
      options.no_cycles = TRUE;
    }
  work->suggestions = assay_fix_suggest (work->model, (const char *const *) work->nodes, &options,
                                         progress, error);

  return work->suggestions != NULL;
}

static void
search_ended (gpointer owner, gpointer request, const GError *error)
{
  AssayFixSearch *self = owner;
  Work *work = request;
  Known *known = get_known (self, work->finding);

  g_clear_object (&self->job);
  self->running = -1;
  known->counted = TRUE;
  if (!work->measure)
    self->counted_us += g_get_monotonic_time () - work->start;
  if (error == NULL)
    {
      g_autoptr (AssayFindingItem) item = g_list_model_get_item (
          assay_session_get_finding_items (self->session), (guint) work->finding);

      assay_finding_item_set_n_fixes (item, (int) work->suggestions->offers->len);
    }
  if (work->measure)
    {
      known->suggestions = g_steal_pointer (&work->suggestions);
      known->error = error != NULL ? g_error_copy (error) : NULL;
    }

  changed (self, work->finding);
  start_next (self);
}

/* Names, as fixes go by them: also those of nodes that other fixes have made. */
static char **
list_nodes (AssayFixSearch *self, AssayFindingItem *item)
{
  GArray *nodes = assay_finding_item_get_nodes (item);
  const AssayGraph *graph = self->session->verdicts->graph;
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  for (guint i = 0; i < nodes->len; i++)
    g_strv_builder_add (builder,
                        assay_graph_node (graph, g_array_index (nodes, AssayNodeId, i))->name);

  return g_strv_builder_end (builder);
}

static void
start_work (AssayFixSearch *self, int finding, gboolean measure)
{
  g_autoptr (AssayFindingItem) item = g_list_model_get_item (
      assay_session_get_finding_items (self->session), (guint) finding);
  Work *work = g_new0 (Work, 1);

  work->finding = finding;
  work->measure = measure;
  work->model = assay_work_copy (self->session->model);
  work->nodes = list_nodes (self, item);
  work->start = g_get_monotonic_time ();

  self->job = assay_job_new ("Looking for fixes");
  self->running = finding;
  self->measuring = measure;
  assay_job_start (self->job, search, work, work_free, search_ended, self);
  changed (self, finding);
}

/* Only what keeps a node from running on the device has fixes. */
static gboolean
can_be_fixed (AssayFixSearch *self, int finding)
{
  g_autoptr (AssayFindingItem) item = NULL;

  if (finding < 0 || self->session->verdicts == NULL || self->session->target == NULL ||
      self->session->graph == NULL)
    return FALSE;

  item = g_list_model_get_item (assay_session_get_finding_items (self->session), (guint) finding);
  return item != NULL && assay_finding_item_get_group (item) != ASSAY_FINDING_GROUP_ADVICE &&
         assay_finding_item_get_nodes (item)->len > 0;
}

static void
start_next (AssayFixSearch *self)
{
  Known *known = get_known (self, self->wanted);

  if (self->job != NULL)
    return;
  /* Verdicts that are on their way begin a search of their own; work that ends without any does
   * not. */
  if (self->session->job != NULL)
    {
      if (self->known->len > 0)
        start_after (self, START_MS);
      return;
    }

  if (known != NULL && known->suggestions == NULL && known->error == NULL &&
      can_be_fixed (self, self->wanted))
    {
      start_work (self, self->wanted, TRUE);
      return;
    }

  for (guint i = 0; i < self->known->len && self->counted_us < COUNT_BUDGET_US; i++)
    {
      known = get_known (self, (int) i);
      if (known->counted || !can_be_fixed (self, (int) i))
        continue;
      start_work (self, (int) i, FALSE);
      break;
    }
}

static gboolean
start_cb (gpointer data)
{
  AssayFixSearch *self = data;

  self->timeout = 0;
  start_next (self);
  return G_SOURCE_REMOVE;
}

static void
start_after (AssayFixSearch *self, guint delay_ms)
{
  g_clear_handle_id (&self->timeout, g_source_remove);
  self->timeout = g_timeout_add (delay_ms, start_cb, self);
}

static void
verdicts_changed_cb (AssayFixSearch *self)
{
  guint n = g_list_model_get_n_items (assay_session_get_finding_items (self->session));

  assay_fix_search_reset (self);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (self->known, g_new0 (Known, 1));
  if (self->session->verdicts != NULL)
    start_after (self, START_MS);
}

static void
finding_changed_cb (AssayFixSearch *self)
{
  /* No finding is walked through where a node was chosen in another way, whose fixes a view may be
   * waiting for. */
  if (self->session->finding >= 0)
    assay_fix_search_look (self, self->session->finding);
}

AssayFixSearch *
assay_fix_search_new (AssaySession *session)
{
  AssayFixSearch *self = g_object_new (ASSAY_TYPE_FIX_SEARCH, NULL);

  self->session = session;
  g_signal_connect_object (session, "notify::verdicts", G_CALLBACK (verdicts_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::finding", G_CALLBACK (finding_changed_cb), self,
                           G_CONNECT_SWAPPED);
  return self;
}

/* What was found is about verdicts that are going away. */
void
assay_fix_search_reset (AssayFixSearch *self)
{
  stop (self);
  g_ptr_array_set_size (self->known, 0);
  self->counted_us = 0;
  self->wanted = -1;
}

/**
 * assay_fix_search_look:
 * @self: a search
 * @finding: position of a finding, or -1
 *
 * Looks for fixes of a finding before all others, and measures them.
 */
void
assay_fix_search_look (AssayFixSearch *self, int finding)
{
  g_return_if_fail (ASSAY_IS_FIX_SEARCH (self));

  if (self->wanted == finding)
    return;

  self->wanted = finding;
  /* One that only counts is short; one that measures something else holds this up. */
  if (self->job != NULL && self->measuring && self->running != finding)
    stop (self);
  if (finding >= 0)
    start_after (self, LOOK_MS);
}

/**
 * assay_fix_search_is_busy:
 * @self: a search
 * @finding: position of a finding
 *
 * Tells whether fixes of a finding are still being looked for.
 *
 * Returns: whether more will be known of it
 */
gboolean
assay_fix_search_is_busy (AssayFixSearch *self, int finding)
{
  Known *known = get_known (self, finding);

  return known != NULL && known->suggestions == NULL && known->error == NULL &&
         can_be_fixed (self, finding);
}

/**
 * assay_fix_search_get:
 * @self: a search
 * @finding: position of a finding
 *
 * Gets what was found about a finding.
 *
 * Returns: (transfer none) (nullable): the suggestions, valid until `changed` or other verdicts;
 * %NULL if they are not known yet
 */
const AssayFixSuggestions *
assay_fix_search_get (AssayFixSearch *self, int finding)
{
  Known *known = get_known (self, finding);

  return known != NULL ? known->suggestions : NULL;
}

/**
 * assay_fix_search_get_error:
 * @self: a search
 * @finding: position of a finding
 *
 * Gets why no fixes could be looked for.
 *
 * Returns: (transfer none) (nullable): the error
 */
const GError *
assay_fix_search_get_error (AssayFixSearch *self, int finding)
{
  Known *known = get_known (self, finding);

  return known != NULL ? known->error : NULL;
}
