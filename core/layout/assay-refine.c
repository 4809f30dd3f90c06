/* assay-refine.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "layout/assay-refine.h"

#include "base/assay-error.h"
#include "base/assay-job.h"
#include "base/assay-sentence.h"
#include "layout/assay-dot-child.h"
#include "layout/assay-join.h"
#include "layout/assay-layers-private.h"
#include "layout/assay-view-private.h"

#include <string.h>

#define MEMORY_MIB 512
#define BLOCK_SECONDS 5
#define TOTAL_SECONDS 30

/* What is sent at once: the answers have to fit into a pipe, or both sides would wait for each
 * other. */
#define BATCH_BLOCKS 64
#define BATCH_VERTICES 8000
/* Wider than this nobody reads an order of boxes, and dot takes long to find one. */
#define MAX_VERTICES 2000
/* A helper that fails so often is not asked any more. */
#define MAX_RESTARTS 3
#define CACHE_BYTES (64u << 20)
/* How much wider than it was a picture may become, unless it is narrow, and how much further aside
 * lines may go. */
#define WIDER 1.5
#define MIN_WIDTH 2000
#define FURTHER 1.25

struct _AssayRefiner
{
  GObject parent_instance;

  GMutex lock; /* held while a view is laid out */
  AssayDotChild *child;
  GHashTable *cache; /* bytes of a block to its places; none if it failed */
  gsize cache_bytes;
  guint total_seconds;
  GCancellable *current; /* of the newest request */
};

G_DEFINE_FINAL_TYPE (AssayRefiner, assay_refiner, G_TYPE_OBJECT)

/* One view on its way. */
typedef struct
{
  AssayLayers *layers;
  GArray *blocks;
  AssayBlockPart *parts;
  guint32 *vertices; /* of all blocks */
  GBytes **bytes;    /* per block what dot is told, NULL if it is not asked */
  AssayRefineReport *report;
} Work;

static void
assay_refiner_finalize (GObject *object)
{
  AssayRefiner *self = ASSAY_REFINER (object);

  assay_dot_child_free (self->child);
  g_hash_table_unref (self->cache);
  g_clear_object (&self->current);
  g_mutex_clear (&self->lock);

  G_OBJECT_CLASS (assay_refiner_parent_class)->finalize (object);
}

static void
assay_refiner_class_init (AssayRefinerClass *class)
{
  G_OBJECT_CLASS (class)->finalize = assay_refiner_finalize;
}

static void
assay_refiner_init (AssayRefiner *self)
{
  g_mutex_init (&self->lock);
  self->cache = g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref,
                                       (GDestroyNotify) g_array_unref);
}

/**
 * assay_refiner_new:
 * @options: (nullable): limits, %NULL or 0 for the usual ones
 *
 * Makes something that refines views. The helper is started with the first one.
 *
 * Returns: (transfer full): the refiner
 */
AssayRefiner *
assay_refiner_new (const AssayRefinerOptions *options)
{
  static const AssayRefinerOptions none;
  AssayRefiner *self = g_object_new (ASSAY_TYPE_REFINER, NULL);

  if (options == NULL)
    options = &none;
  self->total_seconds = options->total_seconds != 0 ? options->total_seconds : TOTAL_SECONDS;
  self->child = assay_dot_child_new (
      options->helper, options->memory_mib != 0 ? options->memory_mib : MEMORY_MIB,
      options->block_seconds != 0 ? options->block_seconds : BLOCK_SECONDS);

  return self;
}

static void
work_clear (Work *work)
{
  for (guint k = 0; work->bytes != NULL && k < work->blocks->len; k++)
    g_clear_pointer (&work->bytes[k], g_bytes_unref);
  g_clear_pointer (&work->blocks, g_array_unref);
  g_free (work->parts);
  g_free (work->vertices);
  g_free (work->bytes);
}

/* Per vertex the frame it is in plus one, and per frame plus one the frame around it plus one. */
static guint32 *
list_frames (AssayLayers *layers, const AssayView *view, guint32 **parents)
{
  guint32 n = view->frames->len;
  g_autofree AssayLayersFrame *frames = g_new0 (AssayLayersFrame, n);
  guint32 *frame_of = g_new0 (guint32, layers->n_vertices + 1);

  *parents = g_new0 (guint32, n + 1);
  for (guint32 f = 0; f < n; f++)
    frames[f].parent = (*parents)[f + 1] = assay_view_frame (view, f)->parent;
  memcpy (frame_of, view->box_frame->data, view->boxes->len * sizeof *frame_of);
  assay_layers_find_frames (layers, n, frames, frame_of);

  return frame_of;
}

/* Cuts the view and writes down every block that there is something to lay out in. */
static void
list_blocks (Work *work, const AssayView *view)
{
  AssayLayers *layers = work->layers;
  g_autofree guint32 *local = g_new (guint32, layers->n_vertices + 1);
  g_autofree guint32 *parents = NULL;
  g_autofree guint32 *frame_of = view->frames->len > 0 ? list_frames (layers, view, &parents)
                                                       : NULL;
  guint32 used = 0;

  work->blocks = assay_blocks_cut (layers, ASSAY_BLOCK_MAX_BOXES, ASSAY_BLOCK_MAX_VERTICES);
  work->parts = g_new0 (AssayBlockPart, work->blocks->len + 1);
  /* What stands at a cut is in two blocks. */
  work->vertices = g_new (guint32, (gsize) layers->n_vertices * 2 + 1);
  work->bytes = g_new0 (GBytes *, work->blocks->len + 1);
  work->report->n_blocks = work->blocks->len;

  for (guint k = 0; k < work->blocks->len; k++)
    {
      const AssayBlock *block = &g_array_index (work->blocks, AssayBlock, k);
      AssayBlockPart *part = &work->parts[k];

      part->vertices = work->vertices + used;
      part->n_vertices = assay_block_list (block, layers, work->vertices + used);
      used += part->n_vertices;
      work->report->n_forced += block->pinned_bottom;
      if (assay_block_is_chain (block, layers))
        work->report->n_chains++;
      else if (part->n_vertices > MAX_VERTICES)
        work->report->n_failed++;
      else
        work->bytes[k] = assay_dot_block_write (block, layers, part->vertices, part->n_vertices,
                                                frame_of, parents, local);
    }
}

static void
remember (AssayRefiner *self, GBytes *bytes, GArray *places)
{
  if (places == NULL)
    places = g_array_new (FALSE, FALSE, sizeof (gint32));
  self->cache_bytes += g_bytes_get_size (bytes) + places->len * sizeof (gint32);
  g_hash_table_insert (self->cache, g_bytes_ref (bytes), places);
}

static void
take_trouble (AssayRefineReport *report, const GError *error)
{
  if (report->trouble == NULL)
    report->trouble = g_strdup (error->message);
}

/* Blocks that nobody knows yet, each once. */
static GPtrArray *
list_unknown (AssayRefiner *self, Work *work)
{
  GPtrArray *unknown = g_ptr_array_new ();
  g_autoptr (GHashTable) seen = g_hash_table_new (g_bytes_hash, g_bytes_equal);

  for (guint k = 0; k < work->blocks->len; k++)
    {
      if (work->bytes[k] == NULL)
        continue;
      if (g_hash_table_contains (self->cache, work->bytes[k]) ||
          !g_hash_table_add (seen, work->bytes[k]))
        work->report->n_equal++;
      else
        g_ptr_array_add (unknown, work->bytes[k]);
    }
  work->report->n_sent = unknown->len;

  return unknown;
}

static guint
batch_size (const GPtrArray *unknown, guint first)
{
  gsize words = 0;
  guint n = 0;

  while (first + n < unknown->len && n < BATCH_BLOCKS)
    {
      /* Three words or more per vertex. */
      words += g_bytes_get_size (g_ptr_array_index (unknown, first + n)) / sizeof (guint32);
      if (n > 0 && words > 3 * BATCH_VERTICES)
        break;
      n++;
    }

  return n;
}

/* Has dot lay out what is unknown; what it fails at is remembered too. Fails only if it was
 * cancelled. */
static gboolean
ask (AssayRefiner *self, Work *work, GCancellable *cancellable, GError **error)
{
  g_autoptr (GPtrArray) unknown = list_unknown (self, work);
  gint64 until = g_get_monotonic_time () + self->total_seconds * G_USEC_PER_SEC;
  guint done = 0;

  while (done < unknown->len)
    {
      GArray *places[BATCH_BLOCKS] = { NULL };
      g_autoptr (GError) trouble = NULL;
      guint n = batch_size (unknown, done);
      guint answered;

      if (g_get_monotonic_time () > until)
        {
          if (work->report->trouble == NULL)
            work->report->trouble = g_strdup_printf ("it took more than %u s", self->total_seconds);
          break;
        }

      answered = assay_dot_child_layout (self->child, (GBytes **) unknown->pdata + done, n, places,
                                         cancellable, &trouble);
      for (guint i = 0; i < answered; i++)
        remember (self, g_ptr_array_index (unknown, done + i), places[i]);
      done += answered;
      if (trouble == NULL)
        continue;
      if (g_error_matches (trouble, ASSAY_ERROR, ASSAY_ERROR_CANCELLED))
        {
          g_propagate_error (error, g_steal_pointer (&trouble));
          return FALSE;
        }

      take_trouble (work->report, trouble);
      if (!assay_dot_child_can_start (self->child) || ++work->report->n_restarts > MAX_RESTARTS)
        break;
      remember (self, g_ptr_array_index (unknown, done++), NULL);
    }

  return TRUE;
}

static void
collect (AssayRefiner *self, Work *work)
{
  for (guint k = 0; k < work->blocks->len; k++)
    {
      GArray *places = work->bytes[k] == NULL ? NULL
                                              : g_hash_table_lookup (self->cache, work->bytes[k]);

      if (places != NULL && places->len == work->parts[k].n_vertices)
        work->parts[k].places = (const gint32 *) (const void *) places->data;
      else if (work->bytes[k] != NULL)
        work->report->n_failed++;
    }
}

/* How often pieces of lines cross as they are drawn: fewer crossings between ranks may need ways
 * that cross more. */
static guint64
count_drawn (const AssayView *view)
{
  guint64 crossings = 0;

  for (guint32 r = 0; r < view->ranks->len; r++)
    {
      const AssayViewRank *rank = assay_view_rank (view, r);
      const AssayViewSegment *pieces = &g_array_index (view->segments, AssayViewSegment,
                                                       rank->first_segment);

      for (guint32 i = 0; i < rank->n_segments; i++)
        for (guint32 k = 0; pieces[i].y1 == pieces[i].y2 && k < rank->n_segments; k++)
          crossings += pieces[k].x1 == pieces[k].x2 && pieces[k].net != pieces[i].net &&
                               pieces[k].x1 > pieces[i].x1 && pieces[k].x1 < pieces[i].x2 &&
                               pieces[k].y1 < pieces[i].y1 && pieces[k].y2 > pieces[i].y1
                           ? 1
                           : 0;
    }

  return crossings;
}

/* Makes the view of what was joined. Blocks that all end further right than they begin make stairs;
 * those are placed by our own layout, in the order of dot. */
static AssayView *
settle (AssayView *view, AssayViewDrawing *drawing, AssayRefineReport *report)
{
  g_autoptr (AssayView) refined = assay_view_copy (view);
  g_autoptr (AssayViewDrawing) again = NULL;

  assay_view_settle (refined, drawing, TRUE);
  if (refined->width > WIDER * MAX (view->width, MIN_WIDTH))
    {
      again = assay_view_drawing_new (refined);
      if (refined->frames->len == 0)
        assay_layers_place (again->layers);
      assay_view_free (refined);
      refined = assay_view_copy (view);
      assay_view_settle (refined, again, FALSE);
    }

  /* What was there before the last fold stays where it is: only what was opened takes what dot
   * thought. */
  if (view->is_kept)
    {
      AssayView *kept = assay_view_keep_refined (refined, view);

      if (kept == NULL)
        {
          report->n_taken = 0;
          return NULL;
        }
      assay_view_free (refined);
      refined = kept;
    }
  /* Frames stand in a row in every rank, whatever dot thought. */
  if (refined->crossings <= view->crossings && count_drawn (refined) <= count_drawn (view) &&
      assay_view_sideways (refined) <= FURTHER * assay_view_sideways (view))
    return g_steal_pointer (&refined);

  report->n_crossed += report->n_taken;
  report->n_taken = 0;

  return NULL;
}

static AssayView *
refine (AssayRefiner *self, AssayView *view, GCancellable *cancellable, AssayRefineReport *report,
        GError **error)
{
  g_autoptr (AssayViewDrawing) drawing = assay_view_drawing_new (view);
  g_autoptr (AssayView) refined = NULL;
  Work work = { .layers = drawing->layers, .report = report };
  gboolean asked;

  if (self->cache_bytes > CACHE_BYTES)
    {
      g_hash_table_remove_all (self->cache);
      self->cache_bytes = 0;
    }

  list_blocks (&work, view);
  asked = ask (self, &work, cancellable, error);
  /* It is started in less time than a frame; nothing of it has to wait for the next fold. */
  assay_dot_child_stop (self->child);
  if (asked)
    {
      collect (self, &work);
      assay_blocks_join (work.layers, work.blocks, work.parts);
      for (guint k = 0; k < work.blocks->len; k++)
        {
          report->n_taken += work.parts[k].fate == ASSAY_BLOCK_TAKEN ? 1 : 0;
          report->n_crossed += work.parts[k].fate == ASSAY_BLOCK_CROSSED ? 1 : 0;
        }
    }
  if (asked && report->n_taken > 0)
    refined = settle (view, drawing, report);
  work_clear (&work);

  return g_steal_pointer (&refined);
}

/**
 * assay_refiner_refine:
 * @self: a refiner
 * @view: a view
 * @cancellable: (nullable): cancel
 * @report: (out caller-allocates): what was done
 * @error: return location for a #GError
 *
 * Lays a view out again. The view that comes back has the same boxes and lines in the same ranks,
 * and no more crossings. May be called from any thread.
 *
 * Returns: (transfer full) (nullable): the view, or %NULL without an error if nothing got better,
 * or with %ASSAY_ERROR_CANCELLED. A helper that is missing or fails is no error: @report tells
 * about it
 */
AssayView *
assay_refiner_refine (AssayRefiner *self, AssayView *view, GCancellable *cancellable,
                      AssayRefineReport *report, GError **error)
{
  AssayView *refined = NULL;

  g_return_val_if_fail (ASSAY_IS_REFINER (self), NULL);
  g_return_val_if_fail (view != NULL && report != NULL, NULL);

  *report = (AssayRefineReport){ 0 };
  /* Of a folded scope there is nothing to arrange, and everything else stays. */
  if (view->is_kept && (view->before == NULL || view->before->boxes->len >= view->boxes->len))
    return NULL;
  g_mutex_lock (&self->lock);
  if (g_cancellable_is_cancelled (cancellable))
    g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED, "Cancelled");
  else
    refined = refine (self, view, cancellable, report, error);
  g_mutex_unlock (&self->lock);

  return refined;
}

typedef struct
{
  AssayRefiner *refiner; /* the task keeps it */
  AssayView *view;
  AssayView *refined;
  AssayRefineReport report;
} Request;

static void
request_free (gpointer data)
{
  Request *request = data;

  assay_view_free (request->view);
  assay_view_free (request->refined);
  assay_refine_report_clear (&request->report);
  g_free (request);
}

static gboolean
refine_request (gpointer data, const AssayProgress *progress, GError **error)
{
  Request *request = data;
  g_autoptr (GError) local = NULL;

  request->refined = assay_refiner_refine (request->refiner, request->view, progress->cancellable,
                                           &request->report, &local);
  if (local == NULL)
    return TRUE;

  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}

/**
 * assay_refiner_refine_async:
 * @self: a refiner
 * @view: a view
 * @callback: called when it is done
 * @user_data: data for @callback
 *
 * Lays a view out again in a thread. An earlier request that is not done yet is cancelled.
 */
void
assay_refiner_refine_async (AssayRefiner *self, AssayView *view, GAsyncReadyCallback callback,
                            gpointer user_data)
{
  g_autoptr (AssayJob) job = assay_job_new ("Refining");
  g_autoptr (GTask) task = NULL;
  Request *request;

  g_return_if_fail (ASSAY_IS_REFINER (self));

  assay_refiner_cancel (self);
  self->current = g_cancellable_new ();
  request = g_new0 (Request, 1);
  request->refiner = self;
  request->view = assay_view_ref (view);
  task = g_task_new (self, self->current, callback, user_data);
  g_task_set_source_tag (task, assay_refiner_refine_async);
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, request, request_free);
  assay_job_run_task (job, task, refine_request);
}

/**
 * assay_refiner_refine_finish:
 * @self: a refiner
 * @result: what the callback got
 * @report: (out caller-allocates) (optional): what was done
 * @error: return location for a #GError
 *
 * Ends assay_refiner_refine_async().
 *
 * Returns: (transfer full) (nullable): as assay_refiner_refine()
 */
AssayView *
assay_refiner_refine_finish (AssayRefiner *self, GAsyncResult *result, AssayRefineReport *report,
                             GError **error)
{
  Request *request;

  g_return_val_if_fail (g_task_is_valid (result, self), NULL);

  if (!g_task_propagate_boolean (G_TASK (result), error))
    return NULL;

  request = g_task_get_task_data (G_TASK (result));
  if (report != NULL)
    {
      *report = request->report;
      request->report.trouble = NULL;
    }

  return g_steal_pointer (&request->refined);
}

/**
 * assay_refiner_cancel:
 * @self: a refiner
 *
 * Stops the request that is not done yet, if there is one; the helper is killed.
 */
void
assay_refiner_cancel (AssayRefiner *self)
{
  g_return_if_fail (ASSAY_IS_REFINER (self));

  if (self->current != NULL)
    g_cancellable_cancel (self->current);
  g_clear_object (&self->current);
}

/**
 * assay_refine_report_dup_text:
 * @self: a report
 *
 * Tells in a sentence what keeps its first layout because of trouble with the helper.
 *
 * Returns: (transfer full) (nullable): the sentence, or %NULL if there was none
 */
char *
assay_refine_report_dup_text (const AssayRefineReport *self)
{
  if (self->trouble == NULL)
    return NULL;

  return g_strdup_printf ("%u of %u part%s of the graph keep their first layout: %s",
                          self->n_failed, self->n_blocks, assay_plural (self->n_blocks),
                          self->trouble);
}

void
assay_refine_report_clear (AssayRefineReport *self)
{
  g_clear_pointer (&self->trouble, g_free);
}
