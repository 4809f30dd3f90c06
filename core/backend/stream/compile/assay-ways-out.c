/* assay-ways-out.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What helps when a program does not fit. Nothing is guessed: every way is compiled before it is
 * named.
 */
#include <string.h>

#include "backend/stream/compile/assay-bound.h"
#include "backend/stream/compile/assay-compile-private.h"
#include "backend/stream/compile/assay-lir.h"
#include "backend/stream/compile/assay-metrics.h"
#include "base/assay-sentence.h"

typedef struct
{
  const AssayCompileModel *models;
  guint n_models;
  const AssayConfigValues *config;
  const AssayCompileOptions *options;
  GPtrArray *lirs; /* the models lowered for that hardware */
  const AssayProgress *progress;
  AssayAllocation *allocation;
  AssayConfigValues other; /* what they were lowered for last besides it */
  GPtrArray *other_lirs;   /* and what that gave, NULL before */
} Search;

/* A change to what does not fit. */
typedef struct
{
  const AssayConfigValues *config;
  const int *axes;
  guint n_axes;
  gboolean search;
} Change;

static const struct
{
  const char *store;
  const char *field;
  gsize depth;
  gsize used;
} stores[] = {
  { "tensor RAM", "tensor_ram_depth", G_STRUCT_OFFSET (AssayConfigValues, tensor_ram_depth),
    G_STRUCT_OFFSET (AssayCoreMetrics, tensor_ram) },
  { "accumulator store", "accum_store_depth",
    G_STRUCT_OFFSET (AssayConfigValues, accum_store_depth),
    G_STRUCT_OFFSET (AssayCoreMetrics, accum_store) },
  { "cell state store", "cell_state_depth", G_STRUCT_OFFSET (AssayConfigValues, cell_state_depth),
    G_STRUCT_OFFSET (AssayCoreMetrics, cell_state) },
  { "clamp store", "clamp_store_depth", G_STRUCT_OFFSET (AssayConfigValues, clamp_store_depth),
    G_STRUCT_OFFSET (AssayCoreMetrics, clamp_store) },
  { "tensor descriptors", "tensor_descriptor_count",
    G_STRUCT_OFFSET (AssayConfigValues, tensor_descriptor_count),
    G_STRUCT_OFFSET (AssayCoreMetrics, tensor_descriptors) },
  { "operand of an instruction", "max_read_size",
    G_STRUCT_OFFSET (AssayConfigValues, max_read_size),
    G_STRUCT_OFFSET (AssayCoreMetrics, longest_read) },
  { "weight store", "weight_store_depth", G_STRUCT_OFFSET (AssayConfigValues, weight_store_depth),
    G_STRUCT_OFFSET (AssayCoreMetrics, weight_store) },
};

static guint
find_store (const AssayAllocation *allocation)
{
  guint store = 0;

  while (store + 1 < G_N_ELEMENTS (stores) && !g_str_equal (stores[store].store, allocation->store))
    store++;

  return store;
}

/* Depths of stores and what else placing looks at have no part in lowering; of the fabric only
 * whether it takes weights of 8 bits has. */
static gboolean
lowers_alike (const AssayConfigValues *a, const AssayConfigValues *b)
{
  return a->num_cores == b->num_cores && a->block_size == b->block_size &&
         a->max_read_size == b->max_read_size &&
         (a->fabric == ASSAY_FABRIC_AGILEX) == (b->fabric == ASSAY_FABRIC_AGILEX);
}

static GPtrArray *
lower_streamed (const Search *self, const Change *change)
{
  AssayCompileOptions streamed = *self->models[0].options;
  const AssayCompileModel model = { self->models[0].graph, &streamed };
  g_autoptr (AssaySettings) axed = NULL;

  if (streamed.settings != NULL)
    axed = assay_settings_ref (streamed.settings);
  assay_settings_set_axes (&axed, change->axes, change->n_axes);
  streamed.settings = axed;

  return assay_compile_lower (&model, 1, change->config, self->progress, NULL);
}

static GPtrArray *
lower_changed (Search *self, const Change *change)
{
  if (change->axes != NULL)
    return lower_streamed (self, change);
  if (lowers_alike (change->config, self->config))
    return g_ptr_array_ref (self->lirs);

  if (self->other_lirs == NULL || !lowers_alike (change->config, &self->other))
    {
      g_clear_pointer (&self->other_lirs, g_ptr_array_unref);
      self->other = *change->config;
      self->other_lirs = assay_compile_lower (self->models, self->n_models, &self->other,
                                              self->progress, NULL);
    }

  return self->other_lirs != NULL ? g_ptr_array_ref (self->other_lirs) : NULL;
}

static void
set_config (GPtrArray *lirs, const AssayConfigValues *config)
{
  for (guint i = 0; i < lirs->len; i++)
    {
      AssayLir *lir = g_ptr_array_index (lirs, i);

      lir->config = config;
    }
}

/* Whether the models are too large for other hardware already as they were lowered for this one.
 * With blocks that are a multiple of these no vector takes less room: fewer of them can lie in
 * others. */
static gboolean
is_hopeless (Search *self, const AssayConfigValues *config)
{
  gboolean hopeless = FALSE;

  if (config->block_size % self->config->block_size != 0)
    return FALSE;

  set_config (self->lirs, config);
  for (guint i = 0; i < self->lirs->len && !hopeless; i++)
    hopeless = assay_bound_exceeds (g_ptr_array_index (self->lirs, i));
  set_config (self->lirs, self->config);

  return hopeless;
}

/* Compiles with something changed; what is used on the fullest core says how much is free then. */
static gboolean
fits (Search *self, const Change *change, guint32 *used)
{
  AssayCompileOptions options = *self->options;
  g_autoptr (AssaySettings) searched = NULL;
  g_autoptr (GPtrArray) lirs = NULL;
  g_autoptr (AssayStreamCode) code = NULL;
  g_autoptr (AssayCodeMetrics) metrics = NULL;

  if (change->axes == NULL && is_hopeless (self, change->config))
    return FALSE;
  lirs = lower_changed (self, change);
  if (lirs == NULL)
    return FALSE;

  /* What fits on all cores fits whatever the search finds better. */
  assay_settings_set_flag (&searched, ASSAY_SETTING_DISABLE_OPTIMIZATIONS, !change->search);
  options.settings = searched;
  set_config (lirs, change->config);
  code = assay_compile_lowered (lirs, &options, self->progress, NULL, NULL);
  set_config (lirs, lirs == self->other_lirs ? &self->other : self->config);
  if (code == NULL)
    return FALSE;

  metrics = assay_stream_code_metrics_new (code);
  *used = 0;
  for (guint core = 0; core < metrics->n_cores; core++)
    *used = MAX (*used, G_STRUCT_MEMBER (guint32, &metrics->cores[core],
                                         stores[find_store (self->allocation)].used));

  return TRUE;
}

static guint32
freed (const Search *self, const AssayConfigValues *config, guint32 used)
{
  guint32 depth = G_STRUCT_MEMBER (guint, config, stores[find_store (self->allocation)].depth);

  return assay_allocation_shortage (self->allocation) + (depth > used ? depth - used : 0);
}

static void
add_way (const Search *self, AssayWayKind kind, guint32 value, const char *name, char *action,
         char *option, guint32 blocks_freed)
{
  const AssayWayOut *way = assay_allocation_add_way_out (self->allocation, kind, value, name,
                                                         action, option, blocks_freed);

  if (self->options->found != NULL)
    self->options->found (way, self->options->refused_data);
}

static void
try_search (Search *self)
{
  const Change change = { .config = self->config, .search = TRUE };
  guint32 used;

  if (assay_settings_get_flag (self->options->settings, ASSAY_SETTING_DISABLE_OPTIMIZATIONS) &&
      fits (self, &change, &used))
    add_way (self, ASSAY_WAY_SEARCH, 0, NULL, g_strdup ("search for a placement"), NULL,
             freed (self, self->config, used));
}

static void
try_streaming (Search *self)
{
  const AssayGraph *graph = self->models[0].graph;
  const AssayRegion *main = assay_graph_region (graph, ASSAY_MAIN_REGION);
  const AssayType *first = NULL;
  guint n_inputs = 0;

  if (self->n_models > 1 ||
      assay_settings_get_list (self->models[0].options->settings, ASSAY_SETTING_AXES) != NULL)
    return;

  for (guint i = 0; i < main->inputs->len; i++)
    {
      const AssayValue *value = assay_graph_value (graph,
                                                   g_array_index (main->inputs, AssayValueId, i));

      if (value->is_parameter)
        continue;
      if (n_inputs++ == 0)
        first = value->type;
    }
  if (n_inputs != 1 || first == NULL || first->rank > ASSAY_MAX_RANK)
    return;

  for (int axis = 0; axis < (int) first->rank; axis++)
    {
      const Change change = { .config = self->config, .axes = &axis, .n_axes = 1 };
      guint32 used;

      if (first->dims[axis].size > 1 && fits (self, &change, &used))
        add_way (self, ASSAY_WAY_STREAM, (guint32) axis, NULL,
                 g_strdup_printf ("stream over axis %d of the input, one timestep at a time", axis),
                 g_strdup_printf ("--streaming-transform %d", axis),
                 freed (self, self->config, used));
    }
}

/* The depth of the store in hardware that there is: cards of another make have cores as many and as
 * large, and other stores. */
static guint
find_built_depth (const Search *self, guint store)
{
  g_auto (GStrv) ids = assay_target_list ();
  guint depth = 0;

  for (guint i = 0; ids[i] != NULL; i++)
    {
      g_autoptr (AssayTarget) target = assay_target_load (ids[i], NULL);
      g_autoptr (AssayConfig) config = target != NULL ? assay_config_new_for_target (target, NULL)
                                                      : NULL;
      const AssayConfigValues *values = config != NULL ? assay_config_get_values (config) : NULL;

      if (values != NULL && values->num_cores == self->config->num_cores &&
          values->block_size == self->config->block_size &&
          values->clock_mhz == self->config->clock_mhz && values->fabric == self->config->fabric)
        depth = MAX (depth, G_STRUCT_MEMBER (guint, values, stores[store].depth));
    }

  return depth;
}

/* Of a store that was made smaller, the least depth with which the program fits, found by giving it
 * room and looking what it takes; where the most room does not help, less does not either. */
static void
try_depth (Search *self)
{
  guint store = find_store (self->allocation);
  AssayConfigValues config = *self->config;
  const Change change = { .config = &config };
  guint *depth = &G_STRUCT_MEMBER (guint, &config, stores[store].depth);
  guint most = find_built_depth (self, store);
  guint32 used, again;

  *depth = most;
  if (most <= self->allocation->depth || !fits (self, &change, &used))
    return;

  *depth = self->allocation->depth;
  while (*depth < most)
    {
      *depth = CLAMP (*depth * 2, 1, most);
      if (!fits (self, &change, &used))
        continue;

      *depth = used;
      if (used > self->allocation->depth && fits (self, &change, &again))
        add_way (self, ASSAY_WAY_DEPTH, used, stores[store].field,
                 g_strdup_printf (
                     "%s: %u %s instead of %u, as the hardware has it", stores[store].store, used,
                     assay_allocation_get_unit (self->allocation, used), self->allocation->depth),
                 g_strdup_printf ("--depth %s=%u", stores[store].field, used),
                 used - self->allocation->depth);
      return;
    }
}

static void
try_presets (Search *self)
{
  g_auto (GStrv) ids = assay_target_list ();

  for (guint i = 0; ids[i] != NULL && !assay_progress_is_cancelled (self->progress); i++)
    {
      g_autoptr (AssayTarget) target = assay_target_load (ids[i], NULL);
      g_autoptr (AssayConfig) config = NULL;
      Change change = { 0 };
      guint32 used;

      config = target != NULL ? assay_config_new_for_target (target, NULL) : NULL;
      if (config == NULL)
        continue;
      change.config = assay_config_get_values (config);
      if (!fits (self, &change, &used))
        continue;

      add_way (self, ASSAY_WAY_TARGET, 0, ids[i],
               g_strdup_printf ("target %s, with %u core%s of block size %u", ids[i],
                                change.config->num_cores, assay_plural (change.config->num_cores),
                                change.config->block_size),
               g_strdup_printf ("--target %s", ids[i]), freed (self, change.config, used));
    }
}

/**
 * assay_name_store:
 * @allocation: why a program does not fit
 *
 * Notes how a configuration calls the depth of the store.
 */
void
assay_name_store (AssayAllocation *allocation)
{
  allocation->member = stores[find_store (allocation)].field;
}

/**
 * assay_find_ways_out:
 * @models: (array length=n_models): the canonical graphs that do not fit
 * @n_models: how many
 * @config: the hardware
 * @options: what was wanted
 * @lirs: (element-type AssayLir): the models lowered for @config
 * @progress: (nullable): cancel
 * @allocation: why it does not fit; gets the ways out
 *
 * Tries what a user can change, and notes what makes the model fit: another placement, streaming, a
 * store that was made smaller, another target that ships.
 */
void
assay_find_ways_out (const AssayCompileModel *models, guint n_models,
                     const AssayConfigValues *config, const AssayCompileOptions *options,
                     GPtrArray *lirs, const AssayProgress *progress, AssayAllocation *allocation)
{
  Search self = { models, n_models, config, options, lirs, progress, allocation, { 0 }, NULL };

  assay_progress_report (progress, -1, "looking for ways out");
  for (guint i = 0; i < lirs->len; i++)
    assay_lir_find_lives (g_ptr_array_index (lirs, i));
  try_search (&self);
  if (!assay_progress_is_cancelled (progress))
    try_streaming (&self);
  if (!assay_progress_is_cancelled (progress))
    try_depth (&self);
  if (!assay_progress_is_cancelled (progress))
    try_presets (&self);
  g_clear_pointer (&self.other_lirs, g_ptr_array_unref);
}
