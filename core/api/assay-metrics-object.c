/* assay-metrics-object.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "api/assay-metrics-object.h"

#include "backend/assay-program-metrics.h"

struct _AssayMetrics
{
  GObject parent_instance;

  AssayProgramMetrics *values;
};

G_DEFINE_FINAL_TYPE (AssayMetrics, assay_metrics, G_TYPE_OBJECT)

static void
assay_metrics_finalize (GObject *object)
{
  AssayMetrics *self = ASSAY_METRICS (object);

  g_clear_pointer (&self->values, assay_program_metrics_free);

  G_OBJECT_CLASS (assay_metrics_parent_class)->finalize (object);
}

static void
assay_metrics_class_init (AssayMetricsClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = assay_metrics_finalize;
}

static void
assay_metrics_init (AssayMetrics *self)
{
}

/**
 * assay_program_metrics:
 * @self: a program
 *
 * Counts what a program uses of its hardware.
 *
 * Returns: (transfer full): the metrics
 */
AssayMetrics *
assay_program_metrics (AssayProgram *self)
{
  AssayMetrics *metrics;

  g_return_val_if_fail (ASSAY_IS_PROGRAM (self) && assay_program_num_models (self) > 0, NULL);

  metrics = g_object_new (ASSAY_TYPE_METRICS, NULL);
  metrics->values = assay_program_metrics_new (self);

  return metrics;
}

static guint
limit_of (AssayMetrics *self, const char *name)
{
  const AssayProgramFigure *figure = assay_program_metrics_find (self->values, name);

  return figure == NULL ? 0 : (guint) figure->limit;
}

static guint *
dup_uses (AssayMetrics *self, const char *name, gsize *n_cores)
{
  const AssayProgramFigure *figure = assay_program_metrics_find (self->values, name);
  guint *uses = g_new0 (guint, self->values->n_cores);

  for (guint i = 0; figure != NULL && i < self->values->n_cores; i++)
    uses[i] = (guint) figure->used[i];
  *n_cores = self->values->n_cores;

  return uses;
}

/**
 * assay_metrics_get_clamp_store_depth:
 * @self: metrics
 *
 * Gets the number of pairs of bounds that a core can hold.
 *
 * Returns: the number
 */
guint
assay_metrics_get_clamp_store_depth (AssayMetrics *self)
{
  g_return_val_if_fail (ASSAY_IS_METRICS (self) && self->values != NULL, 0);

  return limit_of (self, "clamp_store_depth");
}

/**
 * assay_metrics_get_clamp_store_used:
 * @self: metrics
 * @n_cores: (out): number of cores
 *
 * Gets the distinct pairs of bounds, core by core.
 *
 * Returns: (transfer full) (array length=n_cores): one number for each core
 */
guint *
assay_metrics_get_clamp_store_used (AssayMetrics *self, gsize *n_cores)
{
  *n_cores = 0;
  g_return_val_if_fail (ASSAY_IS_METRICS (self) && self->values != NULL, NULL);

  return dup_uses (self, "clamp_store_used", n_cores);
}

/**
 * assay_metrics_get_tensor_ram_depth:
 * @self: metrics
 *
 * Gets the number of blocks of tensor RAM of a core.
 *
 * Returns: the number
 */
guint
assay_metrics_get_tensor_ram_depth (AssayMetrics *self)
{
  g_return_val_if_fail (ASSAY_IS_METRICS (self) && self->values != NULL, 0);

  return limit_of (self, "tensor_ram_depth");
}

/**
 * assay_metrics_get_tensor_ram_used:
 * @self: metrics
 * @n_cores: (out): number of cores
 *
 * Gets the blocks of tensor RAM in use, core by core.
 *
 * Returns: (transfer full) (array length=n_cores): one number for each core
 */
guint *
assay_metrics_get_tensor_ram_used (AssayMetrics *self, gsize *n_cores)
{
  *n_cores = 0;
  g_return_val_if_fail (ASSAY_IS_METRICS (self) && self->values != NULL, NULL);

  return dup_uses (self, "tensor_ram_used", n_cores);
}

/**
 * assay_metrics_get_weight_store_depth:
 * @self: metrics
 *
 * Gets the number of weight blocks that a core can hold.
 *
 * Returns: the number
 */
guint
assay_metrics_get_weight_store_depth (AssayMetrics *self)
{
  g_return_val_if_fail (ASSAY_IS_METRICS (self) && self->values != NULL, 0);

  return limit_of (self, "weight_store_depth");
}

/**
 * assay_metrics_get_weight_store_used:
 * @self: metrics
 * @n_cores: (out): number of cores
 *
 * Gets the weight blocks in use, core by core.
 *
 * Returns: (transfer full) (array length=n_cores): one number for each core
 */
guint *
assay_metrics_get_weight_store_used (AssayMetrics *self, gsize *n_cores)
{
  *n_cores = 0;
  g_return_val_if_fail (ASSAY_IS_METRICS (self) && self->values != NULL, NULL);

  return dup_uses (self, "weight_store_used", n_cores);
}

/**
 * assay_metrics_get_accum_store_depth:
 * @self: metrics
 *
 * Gets the number of blocks of partial sums that a core can hold.
 *
 * Returns: the number
 */
guint
assay_metrics_get_accum_store_depth (AssayMetrics *self)
{
  g_return_val_if_fail (ASSAY_IS_METRICS (self) && self->values != NULL, 0);

  return limit_of (self, "accum_store_depth");
}

/**
 * assay_metrics_get_accum_store_used:
 * @self: metrics
 * @n_cores: (out): number of cores
 *
 * Gets the blocks of partial sums in use, core by core.
 *
 * Returns: (transfer full) (array length=n_cores): one number for each core
 */
guint *
assay_metrics_get_accum_store_used (AssayMetrics *self, gsize *n_cores)
{
  *n_cores = 0;
  g_return_val_if_fail (ASSAY_IS_METRICS (self) && self->values != NULL, NULL);

  return dup_uses (self, "accum_store_used", n_cores);
}

/**
 * assay_metrics_get_cell_state_depth:
 * @self: metrics
 *
 * Gets the number of blocks of LSTM cell state that a core can hold.
 *
 * Returns: the number
 */
guint
assay_metrics_get_cell_state_depth (AssayMetrics *self)
{
  g_return_val_if_fail (ASSAY_IS_METRICS (self) && self->values != NULL, 0);

  return limit_of (self, "cell_state_depth");
}

/**
 * assay_metrics_get_cell_state_used:
 * @self: metrics
 * @n_cores: (out): number of cores
 *
 * Gets the blocks of LSTM cell state in use, core by core.
 *
 * Returns: (transfer full) (array length=n_cores): one number for each core
 */
guint *
assay_metrics_get_cell_state_used (AssayMetrics *self, gsize *n_cores)
{
  *n_cores = 0;
  g_return_val_if_fail (ASSAY_IS_METRICS (self) && self->values != NULL, NULL);

  return dup_uses (self, "cell_state_used", n_cores);
}

/**
 * assay_metrics_get_tensor_descriptor_count:
 * @self: metrics
 *
 * Gets the number of tensors that a core can address.
 *
 * Returns: the number
 */
guint
assay_metrics_get_tensor_descriptor_count (AssayMetrics *self)
{
  g_return_val_if_fail (ASSAY_IS_METRICS (self) && self->values != NULL, 0);

  return limit_of (self, "tensor_descriptor_count");
}

/**
 * assay_metrics_get_tensor_descriptor_used:
 * @self: metrics
 * @n_cores: (out): number of cores
 *
 * Gets the tensors that are addressed, core by core.
 *
 * Returns: (transfer full) (array length=n_cores): one number for each core
 */
guint *
assay_metrics_get_tensor_descriptor_used (AssayMetrics *self, gsize *n_cores)
{
  *n_cores = 0;
  g_return_val_if_fail (ASSAY_IS_METRICS (self) && self->values != NULL, NULL);

  return dup_uses (self, "tensor_descriptor_used", n_cores);
}

/**
 * assay_metrics_get_num_instrs:
 * @self: metrics
 * @n_cores: (out): number of cores
 *
 * Gets the instructions, core by core.
 *
 * Returns: (transfer full) (array length=n_cores): one number for each core
 */
guint *
assay_metrics_get_num_instrs (AssayMetrics *self, gsize *n_cores)
{
  *n_cores = 0;
  g_return_val_if_fail (ASSAY_IS_METRICS (self) && self->values != NULL, NULL);

  return dup_uses (self, "num_instrs", n_cores);
}

/**
 * assay_metrics_get_num_micro_instrs:
 * @self: metrics
 * @n_cores: (out): number of cores
 *
 * Gets the unit-cycles of work that the instructions stand for, core by core.
 *
 * Returns: (transfer full) (array length=n_cores): one number for each core
 */
guint64 *
assay_metrics_get_num_micro_instrs (AssayMetrics *self, gsize *n_cores)
{
  const AssayProgramFigure *figure;

  *n_cores = 0;
  g_return_val_if_fail (ASSAY_IS_METRICS (self) && self->values != NULL, NULL);

  figure = assay_program_metrics_find (self->values, "num_micro_instrs");
  if (figure == NULL)
    return NULL;
  *n_cores = self->values->n_cores;

  return g_memdup2 (figure->used, self->values->n_cores * sizeof (guint64));
}

/**
 * assay_metrics_get_input_bytes:
 * @self: metrics
 * @n_models: (out): number of models
 *
 * Gets the bytes that go in for one inference, padded as they are transferred, model by model.
 *
 * Returns: (transfer full) (array length=n_models): one number for each model
 */
guint64 *
assay_metrics_get_input_bytes (AssayMetrics *self, gsize *n_models)
{
  *n_models = 0;
  g_return_val_if_fail (ASSAY_IS_METRICS (self) && self->values != NULL, NULL);

  *n_models = assay_program_num_models (self->values->program);

  return g_memdup2 (self->values->input_bytes, *n_models * sizeof (guint64));
}

/**
 * assay_metrics_get_output_bytes:
 * @self: metrics
 * @n_models: (out): number of models
 *
 * Gets the bytes that come out for one inference, padded as they are transferred, model by model.
 *
 * %G_MAXUINT64 stands for a number that depends on what is computed.
 *
 * Returns: (transfer full) (array length=n_models): one number for each model
 */
guint64 *
assay_metrics_get_output_bytes (AssayMetrics *self, gsize *n_models)
{
  *n_models = 0;
  g_return_val_if_fail (ASSAY_IS_METRICS (self) && self->values != NULL, NULL);

  *n_models = assay_program_num_models (self->values->program);

  return g_memdup2 (self->values->output_bytes, *n_models * sizeof (guint64));
}

/**
 * assay_metrics_get_model_names:
 * @self: metrics
 *
 * Gets the names of the models.
 *
 * Returns: (transfer full) (array zero-terminated=1): the names
 */
char **
assay_metrics_get_model_names (AssayMetrics *self)
{
  char **names;

  g_return_val_if_fail (ASSAY_IS_METRICS (self) && self->values != NULL, NULL);

  names = g_new0 (char *, assay_program_num_models (self->values->program) + 1);
  for (guint i = 0; i < assay_program_num_models (self->values->program); i++)
    names[i] = g_strdup (assay_program_model_name (self->values->program, i));

  return names;
}
