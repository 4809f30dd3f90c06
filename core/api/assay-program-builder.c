/* assay-program-builder.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "api/assay-program-builder.h"

#include "api/assay-nnir-private.h"
#include "api/assay-options-private.h"
#include "api/assay-report-private.h"
#include "base/assay-error.h"
#include "reduce/assay-split.h"
#include "report/assay-build-report.h"

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
  g_return_if_fail (ASSAY_IS_NNIR (nnir) && assay_nnir_is_whole (nnir, NULL));
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
  work = assay_nnir_get_work (model->nnir, NULL, own);
  assay_work_set_name (work, model->name);

  return work;
}

static GPtrArray *
make_works (AssayProgramBuilder *self, AssaySettings **plain, const AssayProgress *progress,
            GError **error)
{
  g_autoptr (GPtrArray) works = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_work_free);

  if (self->config == NULL)
    {
      g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                           "The builder has no configuration; assay_program_builder_new() takes "
                           "it");
      return NULL;
    }
  if (!assay_config_is_whole (self->config, error) || !assay_progress_check (progress, error))
    return NULL;

  g_mutex_lock (&self->lock);
  for (guint i = 0; i < self->models->len; i++)
    g_ptr_array_add (works, make_work (&g_array_index (self->models, Model, i), plain));
  g_mutex_unlock (&self->lock);
  if (works->len == 0)
    {
      g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                           "A program has at least one model; none is added");
      return NULL;
    }

  return g_steal_pointer (&works);
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
  g_autoptr (GPtrArray) works = NULL;

  g_return_val_if_fail (ASSAY_IS_PROGRAM_BUILDER (self), NULL);
  g_return_val_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable), NULL);

  works = make_works (self, &plain, &progress, error);

  return works != NULL && assay_work_build ((AssayWork *const *) works->pdata, works->len,
                                            self->config, plain, &progress, error)
             ? g_object_ref (assay_work_get_program (g_ptr_array_index (works, 0), NULL, NULL))
             : NULL;
}

/**
 * assay_program_builder_explain:
 * @self: a builder whose models do not fit
 * @cancellable: (nullable): cancels the search
 * @error: return location for a #GError
 *
 * Compiles once more and tells which store has no room for what, what lies there, and which
 * changes help; that takes as long as several compilations.
 *
 * Returns: (transfer full): a document of the schema `assay.compile/1` with the member `error`, or
 * that of the program if it fits; or %NULL with any other error of
 * assay_program_builder_to_program()
 */
AssayReport *
assay_program_builder_explain (AssayProgramBuilder *self, GCancellable *cancellable, GError **error)
{
  const AssayProgress progress = ASSAY_PROGRESS_INIT (NULL, NULL, cancellable);
  g_autoptr (AssaySettings) plain = NULL;
  g_autoptr (GPtrArray) works = NULL;
  g_autoptr (AssayAllocation) allocation = NULL;
  g_autoptr (GError) failure = NULL;
  GString *text;
  gsize length;

  g_return_val_if_fail (ASSAY_IS_PROGRAM_BUILDER (self), NULL);
  g_return_val_if_fail (cancellable == NULL || G_IS_CANCELLABLE (cancellable), NULL);

  works = make_works (self, &plain, &progress, error);
  if (works == NULL)
    return NULL;
  assay_work_seek_ways_out (g_ptr_array_index (works, 0), NULL, NULL, NULL);
  if (assay_work_build ((AssayWork *const *) works->pdata, works->len, self->config, plain,
                        &progress, &failure))
    return assay_program_describe (
        assay_work_get_program (g_ptr_array_index (works, 0), NULL, NULL));

  allocation = assay_work_take_allocation (g_ptr_array_index (works, 0));
  if (allocation == NULL)
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return NULL;
    }
  if (works->len == 1)
    assay_work_find_split (g_ptr_array_index (works, 0), self->config, plain, allocation, NULL,
                           NULL, &progress);
  text = g_string_new (failure->message);
  g_string_append_c (text, '\n');
  assay_allocation_report_append_live (text, allocation, FALSE);
  assay_allocation_report_append_ways_out (text, allocation, FALSE);

  return assay_report_new (
      assay_allocation_report_to_json (allocation, failure->message, "compile", &length),
      g_string_free (text, FALSE), FALSE);
}
