/* assay-place.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Chooses for every layer how many cores share its rows and which comes first, by asking the timing
 * model.
 */
#include "backend/stream/compile/assay-place.h"

#include <string.h>

#include "base/assay-error.h"
#include "backend/stream/compile/assay-bound.h"
#include "backend/stream/compile/assay-schedule.h"
#include "backend/stream/machine/assay-timing.h"

/* Candidates this close are equal, and more cores are preferred: they leave less work for each. */
#define TIE 2

typedef struct
{
  guint32 spaced;
  guint32 contiguous;
} Cost;

/* A placement that was tried for a layer. */
typedef struct
{
  guint layer;
  guint64 cores;
  Cost cost;
} Candidate;

typedef struct
{
  AssayLir *lir;
  AssayPlacement *placements;
  guint n_cores;
  GArray *candidates;        /* Candidate */
  AssayAllocation **explain; /* why the closest placement does not fit, while none is found */
  GHashTable *tried;         /* GBytes of the placements of all layers: Cost, or NULL: no room */
} Search;

static void
search_clear (Search *self)
{
  g_hash_table_unref (self->tried);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Search, search_clear)

static Search
search_init (AssayLir *lir, AssayPlacement *placements, GArray *candidates)
{
  return (Search){
    .lir = lir,
    .placements = placements,
    .n_cores = lir->config->num_cores,
    .candidates = candidates,
    .tried = g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref,
                                    g_free),
  };
}

/* Searches that go over the layers again come back to what they tried; without an error if that had
 * no room, unless somebody wants to know why. */
static gboolean
evaluate (Search *self, Cost *cost, GError **error)
{
  g_autoptr (GBytes)
      key = g_bytes_new (self->placements, self->lir->layers->len * sizeof *self->placements);
  g_autoptr (AssayStreamCode) code = NULL;
  gpointer known;

  if (g_hash_table_lookup_extended (self->tried, key, NULL, &known) &&
      (known != NULL || self->explain == NULL))
    {
      if (known != NULL)
        *cost = *(const Cost *) known;
      return known != NULL;
    }

  code = assay_emit (self->lir, self->placements, ASSAY_EMIT_TRIAL, self->explain, error);
  *cost = (Cost){ 0 };
  for (guint i = 0; code != NULL && i < code->models->len; i++)
    {
      AssayCycles cycles;

      assay_timing_run (code, i, &cycles, NULL);
      cost->spaced += cycles.spaced;
      cost->contiguous += cycles.contiguous;
    }
  g_hash_table_insert (self->tried, g_steal_pointer (&key),
                       code != NULL ? g_memdup2 (cost, sizeof *cost) : NULL);

  return code != NULL;
}

/* Rows that do not divide evenly begin where those of the layer before ended; layers of few rows go
 * to the last cores, which have the most room then. */
static void
rotate (Search *self)
{
  guint at = 0;

  for (guint i = 0; i < self->lir->layers->len; i++)
    {
      const AssayLirLayer *layer = &g_array_index (self->lir->layers, AssayLirLayer, i);

      guint cores = self->placements[i].cores;

      if (layer->twin != i)
        continue;
      if (cores != self->n_cores)
        {
          self->placements[i].first = (guint16) (assay_lir_n_allowed (layer) - cores);
          continue;
        }
      self->placements[i].remainder = (guint16) at;
      at = (at + layer->n_units) % self->n_cores;
    }
}

static gboolean
is_better (const Cost *cost, const AssayPlacement *placement, const Cost *best,
           const AssayPlacement *best_placement)
{
  if (cost->spaced + TIE < best->spaced)
    return TRUE;
  if (cost->spaced > best->spaced + TIE)
    return FALSE;
  if (placement->cores != best_placement->cores)
    return placement->cores > best_placement->cores;

  return cost->spaced != best->spaced ? cost->spaced < best->spaced
                                      : cost->contiguous < best->contiguous;
}

static guint64
cores_of (const AssayLirLayer *layer, const AssayPlacement *placement)
{
  guint64 cores = 0;

  for (guint i = 0; i < placement->cores; i++)
    cores |= (guint64) 1 << assay_lir_allowed_core (layer, placement->first + i);

  return cores;
}

/* What was tried in an earlier pass was tried beside other placements. */
static void
forget_candidates (Search *self, guint layer)
{
  guint kept = 0;

  for (guint i = 0; i < self->candidates->len; i++)
    {
      const Candidate *candidate = &g_array_index (self->candidates, Candidate, i);

      if (candidate->layer != layer)
        g_array_index (self->candidates, Candidate, kept++) = *candidate;
    }
  g_array_set_size (self->candidates, kept);
}

static void
note_candidate (Search *self, guint layer, const AssayPlacement *placement, const Cost *cost)
{
  const Candidate candidate = {
    layer,
    cores_of (&g_array_index (self->lir->layers, AssayLirLayer, layer), placement),
    *cost,
  };

  g_array_append_val (self->candidates, candidate);
}

static gboolean
improve_layer (Search *self, guint layer, Cost *best)
{
  AssayPlacement chosen = self->placements[layer];
  AssayPlacement start = chosen;
  Cost start_cost = *best;
  const AssayLirLayer *rows = &g_array_index (self->lir->layers, AssayLirLayer, layer);
  guint n_allowed = assay_lir_n_allowed (rows);

  forget_candidates (self, layer);
  for (guint cores = rows->pinned ? n_allowed : 1; cores <= MIN (n_allowed, rows->n_units); cores++)
    {
      for (guint first = 0; first + cores <= n_allowed; first++)
        {
          AssayPlacement candidate = { (guint16) first, (guint16) cores, 0 };
          Cost cost;
          gboolean fits;

          if (memcmp (&candidate, &start, sizeof candidate) == 0)
            {
              cost = start_cost;
              fits = TRUE;
            }
          else
            {
              self->placements[layer] = candidate;
              fits = evaluate (self, &cost, NULL);
            }

          if (fits)
            note_candidate (self, layer, &candidate, &cost);
          if (fits && (is_better (&cost, &candidate, best, &chosen)))
            {
              *best = cost;
              chosen = candidate;
            }
          /* Other cores are tried only where the first ones have no room. */
          if (fits)
            break;
        }
    }

  self->placements[layer] = chosen;

  return memcmp (&chosen, &start, sizeof chosen) != 0;
}

/* Every layer on the same number of cores, if a layer has so many rows. Few cores keep a small
 * model together; many share the work of a large one; a search layer by layer would not find from
 * one to the other. */
static void
place_evenly (Search *self, guint cores)
{
  for (guint i = 0; i < self->lir->layers->len; i++)
    {
      const AssayLirLayer *layer = &g_array_index (self->lir->layers, AssayLirLayer, i);
      guint n_allowed = assay_lir_n_allowed (layer);
      guint most = layer->pinned ? n_allowed : MIN (cores, n_allowed);

      self->placements[i] = (AssayPlacement){ 0, (guint16) CLAMP (layer->n_units, 1, most), 0 };
    }
}

/* Small layers are dealt out in turn where the first cores have no room for all. */
static void
deal_out (Search *self)
{
  for (guint i = 0; i < self->lir->layers->len; i++)
    {
      guint cores = self->placements[i].cores;
      guint n_allowed = assay_lir_n_allowed (&g_array_index (self->lir->layers, AssayLirLayer, i));

      if (cores < n_allowed)
        self->placements[i].first = (guint16) (i * cores % (n_allowed - cores + 1u));
    }
}

/* What a row of each layer takes of the weight store; a matrix that several products use counts
 * once. */
static guint32 *
count_weights (const AssayLir *lir)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  guint32 *weights = g_new0 (guint32, lir->layers->len + 1);

  for (guint i = 0; i < lir->ops->len; i++)
    {
      const AssayLirOp *op = &g_array_index (lir->ops, AssayLirOp, i);
      const AssayMatrix *matrix;

      if (op->opcode != ASSAY_OPCODE_MATRIX || op->layer == 0 ||
          !g_hash_table_add (seen, GUINT_TO_POINTER (op->matrix + 1)))
        continue;
      matrix = &g_array_index (lir->matrices, AssayMatrix, op->matrix);
      weights[op->layer - 1] +=
          g_array_index (lir->layers, AssayLirLayer, op->layer - 1).unit_blocks *
          assay_lir_blocks (lir, matrix->n_inputs);
    }

  return weights;
}

/* Layer after layer onto the same cores for as long as their weights have room, then onto the next
 * ones: what follows one another seldom has to cross the network. */
static void
fill_up (Search *self)
{
  g_autofree guint32 *weights = count_weights (self->lir);
  guint32 used = 0;
  guint first = 0;

  for (guint i = 0; i < self->lir->layers->len; i++)
    {
      const AssayLirLayer *layer = &g_array_index (self->lir->layers, AssayLirLayer, i);
      guint cores = self->placements[i].cores;
      guint n_allowed = assay_lir_n_allowed (layer);
      guint32 needed = (layer->n_units + cores - 1) / cores * weights[i];

      if (layer->twin != i)
        continue;
      if (used + needed > self->lir->config->weight_store_depth && first + 2 * cores <= n_allowed)
        {
          first += cores;
          used = 0;
        }
      used += needed;
      self->placements[i].first = (guint16) MIN (first, n_allowed - cores);
    }
}

static gboolean
start_search (Search *self, gboolean optimize, Cost *best, AssayAllocation **failure,
              GError **error)
{
  gsize size = (self->lir->layers->len + 1) * sizeof *self->placements;
  g_autofree AssayPlacement *chosen = g_malloc0 (size);
  g_autoptr (GError) first_error = NULL;
  gboolean found = FALSE;
  guint n_ways = 4;

  if (assay_bound_exceeds (self->lir))
    {
      if (failure == NULL)
        {
          g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_ALLOCATION,
                               "no placement has room for the program");
          return FALSE;
        }
      /* One placement tells why none fits. */
      optimize = FALSE;
      n_ways = 1;
    }
  self->explain = failure;
  for (guint cores = self->n_cores; cores > 0 && (optimize || cores == self->n_cores); cores--)
    {
      for (guint way = 0; way < n_ways; way++)
        {
          Cost cost;

          place_evenly (self, cores);
          if (way == 1)
            rotate (self);
          else if (way == 2)
            fill_up (self);
          else if (way == 3)
            deal_out (self);

          if (!evaluate (self, &cost, first_error == NULL ? &first_error : NULL))
            continue;
          self->explain = NULL;
          if (!found || cost.spaced < best->spaced)
            {
              *best = cost;
              memcpy (chosen, self->placements, size);
            }
          found = TRUE;
          break;
        }
    }

  memcpy (self->placements, chosen, size);
  self->explain = NULL;
  if (!found && failure != NULL && *failure != NULL)
    assay_allocation_set_error (*failure, error);
  else if (!found)
    g_propagate_error (error, g_steal_pointer (&first_error));

  return found;
}

static void
prepare (AssayLir *lir)
{
  assay_lir_find_twins (lir);
  assay_lir_find_lives (lir);
}

/* Chooses the placements of a program of its own; what does not fit on the way takes the place of
 * what did not fit before. */
static gboolean
search (AssayLir *lir, AssayPlacement *placements, GArray *candidates, gboolean optimize,
        const AssayProgress *progress, AssayAllocation **failure, GError **error)
{
  g_auto (Search) self = search_init (lir, placements, candidates);
  AssayAllocation *own = NULL;
  gboolean found;
  gboolean changed = optimize;
  Cost cost = { 0 };

  prepare (lir);
  found = start_search (&self, optimize, &cost, failure != NULL ? &own : NULL, error);
  if (own != NULL)
    {
      assay_allocation_free (*failure);
      *failure = own;
    }
  if (!found)
    return FALSE;

  for (guint pass = 0; pass < 3 && changed; pass++)
    {
      changed = FALSE;
      for (guint i = 0; i < lir->layers->len; i++)
        {
          if (!assay_progress_check (progress, error))
            return FALSE;
          if (g_array_index (lir->layers, AssayLirLayer, i).twin == i)
            changed = improve_layer (&self, i, &cost) || changed;
        }
    }

  return TRUE;
}

/* What is best for each model alone is best for all of them, if it fits. */
static gboolean
search_apart (GPtrArray *models, AssayPlacement *placements, GArray *candidates, gboolean optimize,
              const AssayProgress *progress, AssayAllocation **failure, GError **error)
{
  guint n_layers = 0;

  for (guint i = 0; i < models->len; i++)
    {
      AssayLir *lir = g_ptr_array_index (models, i);
      g_autoptr (GArray) own = g_array_new (FALSE, FALSE, sizeof (Candidate));

      if (!search (lir, placements + n_layers, own, optimize, progress, failure, error))
        return FALSE;
      for (guint j = 0; j < own->len; j++)
        g_array_index (own, Candidate, j).layer += n_layers;
      g_array_append_vals (candidates, own->data, own->len);
      n_layers += lir->layers->len;
    }

  return TRUE;
}

/* What was tried for each layer, and what the program has: its cycles are those of the program. */
static void
keep_candidates (const AssayLir *lir, const AssayPlacement *placements, const GArray *candidates,
                 AssayStreamCode *code)
{
  g_autofree AssayCycles *cycles = g_new0 (AssayCycles, code->models->len);

  for (guint i = 0; i < code->models->len; i++)
    assay_timing_run (code, i, &cycles[i], NULL);

  for (guint i = 0; i < lir->layers->len; i++)
    {
      const AssayLirLayer *layer = &g_array_index (lir->layers, AssayLirLayer, i);
      AssayCandidate chosen = {
        .model = layer->model,
        .node = layer->node,
        .cores = cores_of (layer, &placements[layer->twin]),
        .spaced = cycles[layer->model].spaced,
        .contiguous = cycles[layer->model].contiguous,
        .chosen = TRUE,
        .pinned = layer->pinned,
      };

      g_array_append_val (code->candidates, chosen);
      for (guint j = 0; j < candidates->len; j++)
        {
          const Candidate *tried = &g_array_index (candidates, Candidate, j);
          AssayCandidate other = {
            .model = layer->model,
            .node = layer->node,
            .cores = tried->cores,
            .spaced = tried->cost.spaced,
            .contiguous = tried->cost.contiguous,
          };

          if (tried->layer == i && tried->cores != chosen.cores)
            g_array_append_val (code->candidates, other);
        }
    }
}

/* The order in which the layers stand, or the one that keeps units busy if that is faster with all
 * layers on all cores; it has to fit there. */
static void
choose_order (AssayLir *lir)
{
  g_autofree AssayPlacement *placements = g_new0 (AssayPlacement, lir->layers->len + 1);
  g_auto (Search) self = search_init (lir, placements, NULL);
  GArray *ops = lir->ops;
  Cost before, after;

  prepare (lir);
  place_evenly (&self, self.n_cores);
  if (assay_bound_exceeds (lir) || !evaluate (&self, &before, NULL))
    return;
  lir->ops = assay_lir_schedule (lir);
  g_hash_table_remove_all (self.tried);
  prepare (lir);
  if (evaluate (&self, &after, NULL) && after.spaced < before.spaced)
    {
      g_array_unref (ops);
    }
  else
    {
      g_array_unref (lir->ops);
      lir->ops = ops;
    }
}

/**
 * assay_place:
 * @models: (element-type AssayLir): lowered models, one or more
 * @optimize: whether to search; else every layer takes all cores
 * @progress: (nullable): progress and cancel
 * @failure: (inout) (optional) (nullable): %NULL; if the program does not fit: why, which takes
 * longer to find than that it does not
 * @error: return location for a #GError
 *
 * Places models in one program: spaced latency first, ties within a few cycles to more cores, then
 * contiguous latency. Every placement gives the same bits. Models that do not fit as each would lie
 * alone are placed all over again.
 *
 * Returns: (transfer full) (nullable): the program
 */
AssayStreamCode *
assay_place (GPtrArray *models, gboolean optimize, const AssayProgress *progress,
             AssayAllocation **failure, GError **error)
{
  g_autoptr (AssayLir) joined = NULL;
  g_autofree AssayPlacement *placements = NULL;
  g_autoptr (GArray) candidates = g_array_new (FALSE, FALSE, sizeof (Candidate));
  AssayStreamCode *code = NULL;
  AssayLir *lir;

  for (guint i = 0; optimize && i < models->len; i++)
    choose_order (g_ptr_array_index (models, i));
  joined = models->len > 1 ? assay_lir_join (models) : NULL;
  lir = joined != NULL ? joined : g_ptr_array_index (models, 0);
  placements = g_new0 (AssayPlacement, lir->layers->len + 1);
  if (search_apart (models, placements, candidates, optimize, progress, failure, error))
    {
      prepare (lir);
      code = assay_emit (lir, placements, ASSAY_EMIT_PROGRAM, NULL, joined == NULL ? error : NULL);
      if (code == NULL && joined != NULL)
        {
          g_array_set_size (candidates, 0);
          if (search (lir, placements, candidates, optimize, progress, failure, error))
            code = assay_emit (lir, placements, ASSAY_EMIT_PROGRAM, NULL, error);
        }
    }
  if (code != NULL)
    {
      keep_candidates (lir, placements, candidates, code);
      if (failure != NULL)
        g_clear_pointer (failure, assay_allocation_free);
    }
  else if (failure != NULL && *failure != NULL)
    {
      prepare (lir);
      assay_bound_add_needs (lir, *failure);
    }

  return code;
}
