/* assay-program-builder.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "api/assay-program-builder.h"

#include "api/assay-nnir-private.h"
#include "api/assay-options-private.h"
#include "base/assay-error.h"
#include "work/assay-work.h"

typedef struct
{
  AssayNnir *nnir;
  char *name;
  AssayOptions *options;
} Model;

struct _AssayProgramBuilder
{
  GObject parent_instance;

  AssayConfig *config;
  GMutex lock;    /* guards the array */
  GArray *models; /* Model */
};

G_DEFINE_FINAL_TYPE (AssayProgramBuilder, assay_program_builder, G_TYPE_OBJECT)

static void
model_clear (gpointer data)
{
  Model *model = data;

  g_clear_object (&model->nnir);
  g_clear_object (&model->options);
  g_free (model->name);
}

static void
assay_program_builder_finalize (GObject *object)
{
  AssayProgramBuilder *self = ASSAY_PROGRAM_BUILDER (object);

  g_clear_object (&self->config);
  g_array_unref (self->models);
  g_mutex_clear (&self->lock);

  G_OBJECT_CLASS (assay_program_builder_parent_class)->finalize (object);
}

static void
assay_program_builder_class_init (AssayProgramBuilderClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = assay_program_builder_finalize;
}

static void
assay_program_builder_init (AssayProgramBuilder *self)
{
  g_mutex_init (&self->lock);
  self->models = g_array_new (FALSE, TRUE, sizeof (Model));
  g_array_set_clear_func (self->models, model_clear);
}

/**
 * assay_program_builder_new:
 * @config: the hardware
 *
 * Makes a builder without models.
 *
 * Returns: (transfer full): the builder
 */
AssayProgramBuilder *
assay_program_builder_new (AssayConfig *config)
{
  AssayProgramBuilder *self;

  g_return_val_if_fail (ASSAY_IS_CONFIG (config), NULL);

  self = g_object_new (ASSAY_TYPE_PROGRAM_BUILDER, NULL);
  self->config = g_object_ref (config);

  return self;
}

/**
 * assay_program_builder_add_nnir:
 * @self: a builder
 * @nnir: a model, streaming or not, every extent known
 * @name: (nullable): name of the model in the program; %NULL takes that of the graph
 * @options: (nullable): how it is compiled, not to be changed before the program is made; %NULL for
 * the defaults
 *
 * Adds a model. Whether it fits beside the others shows when the program is made.
 */
void
assay_program_builder_add_nnir (AssayProgramBuilder *self, AssayNnir *nnir, const char *name,
                                AssayOptions *options)
{
  Model model;

  g_return_if_fail (ASSAY_IS_PROGRAM_BUILDER (self));
  g_return_if_fail (ASSAY_IS_NNIR (nnir) && assay_nnir_is_whole (nnir));
  g_return_if_fail (options == NULL || ASSAY_IS_OPTIONS (options));

  model = (Model){ g_object_ref (nnir), g_strdup (name),
                   options != NULL ? g_object_ref (options) : NULL };
  g_mutex_lock (&self->lock);
  g_array_append_val (self->models, model);
  g_mutex_unlock (&self->lock);
}

/* Adds to @plain what concerns the whole program. */
static AssayWork *
make_work (const Model *model, AssaySettings **plain)
{
  g_autoptr (AssaySettings) own = NULL;
  AssayWork *work;
  guint n_axes;
  const int *axes = assay_nnir_get_streaming_axes (model->nnir, &n_axes);

  if (model->options != NULL)
    own = assay_options_ref_settings (model->options);
  assay_settings_set_axes (&own, axes, n_axes);
  if (assay_settings_get_flag (own, ASSAY_SETTING_DISABLE_OPTIMIZATIONS))
    assay_settings_set_flag (plain, ASSAY_SETTING_DISABLE_OPTIMIZATIONS, TRUE);
  work = assay_nnir_get_work (model->nnir, own);
  assay_work_set_name (work, model->name);

  return work;
}

/**
 * assay_program_builder_to_program:
 * @self: a builder with at least one model
 * @cancellable: (nullable): cancels the compilation
 * @error: return location for a #GError
 *
 * Compiles the models into one program. Equal weights are stored once; placements are searched
 * unless one of the models says otherwise.
 *
 * Returns: (transfer full): the program, or %NULL with %ASSAY_ERROR_ALLOCATION if a store of the
 * hardware is too small for all of them, with %ASSAY_ERROR_UNSUPPORTED, %ASSAY_ERROR_INVALID or
 * %ASSAY_ERROR_CANCELLED
 */
AssayProgram *
assay_program_builder_to_program (AssayProgramBuilder *self, GCancellable *cancellable,
                                  GError **error)
{
  const AssayProgress progress = ASSAY_PROGRESS_INIT (NULL, NULL, cancellable);
  g_autoptr (AssaySettings) plain = NULL;
  g_autoptr (GPtrArray) works = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_work_free);

  g_return_val_if_fail (ASSAY_IS_PROGRAM_BUILDER (self), NULL);
  g_return_val_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable), NULL);

  if (self->config == NULL)
    {
      g_set_error_literal (
          error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
          "The builder has no configuration; assay_program_builder_new() takes it");
      return NULL;
    }
  if (!assay_config_is_whole (self->config, error) || !assay_progress_check (&progress, error))
    return NULL;

  g_mutex_lock (&self->lock);
  for (guint i = 0; i < self->models->len; i++)
    g_ptr_array_add (works, make_work (&g_array_index (self->models, Model, i), &plain));
  g_mutex_unlock (&self->lock);
  if (works->len == 0)
    {
      g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                           "A program has at least one model; none is added");
      return NULL;
    }

  return assay_work_build ((AssayWork *const *) works->pdata, works->len, self->config, plain,
                           &progress, error)
             ? g_object_ref (assay_work_get_program (g_ptr_array_index (works, 0), NULL, NULL))
             : NULL;
}
