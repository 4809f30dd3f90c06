/* assay-check-prepare.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "target/assay-check-private.h"

/* The compiler's graph for the target: with the composite operations that it takes whole. */
AssayGraph *
assay_check_prepare (AssayCheck *self, AssayForms *model, const AssayProgress *progress,
                     GError **error)
{
  AssayCanonicalOptions options = ASSAY_CANONICAL_OPTIONS_DEFAULT;

  options.keep = (const char *const *) self->target->composites->pdata;
  options.all_inputs_parameters = assay_settings_get_flag (self->settings,
                                                           ASSAY_SETTING_INPUTS_ARE_PARAMETERS);
  options.settle_defaults = self->target->check_class->settles_defaults;

  return assay_forms_get (model, &options, progress, error);
}
