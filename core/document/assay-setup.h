/* assay-setup.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/assay-build.h"
#include "fix/assay-fix.h"
#include "target/assay-target.h"

G_BEGIN_DECLS

/**
 * AssayDimension:
 * @key: how a binding names it: a symbol, or `INPUT:AXIS` for a dimension without one
 * @title: for people: the symbol, or `INPUT axis N`
 * @where: the inputs that have it, such as `tokens axis 1`
 *
 * A dimension of a model input that the file leaves open.
 */
typedef struct
{
  char *key;
  char *title;
  char *where;
} AssayDimension;

/**
 * AssayInput:
 * @name: name of the input
 * @shape: its shape as the file has it, dimensions separated by commas
 * @rank: number of dimensions, or -1
 *
 * A main input of a model.
 */
typedef struct
{
  char *name;
  char *shape;
  int rank;
} AssayInput;

/**
 * AssaySetupPart:
 * @ASSAY_SETUP_BINDINGS: sizes of open dimensions
 * @ASSAY_SETUP_TARGET_OPTIONS: options of the target
 * @ASSAY_SETUP_COMPILE_OPTIONS: options of the compiler
 * @ASSAY_SETUP_CONFIG_VALUES: depths of stores that are not those of the target
 * @ASSAY_SETUP_DATA_DIMENSIONS: axes along which features lie, per input
 *
 * The parts of a setup that are names with values.
 */
typedef enum
{
  ASSAY_SETUP_BINDINGS,
  ASSAY_SETUP_TARGET_OPTIONS,
  ASSAY_SETUP_COMPILE_OPTIONS,
  ASSAY_SETUP_CONFIG_VALUES,
  ASSAY_SETUP_DATA_DIMENSIONS,
  ASSAY_N_SETUP_PARTS
} AssaySetupPart;

/**
 * AssaySetup:
 *
 * What the user fixed about a model before it is checked: sizes of open dimensions, other shapes,
 * streaming axes, options of the target and of the compiler, other depths of the stores of the
 * target.
 */
typedef struct _AssaySetup AssaySetup;

#define ASSAY_TYPE_SETUP (assay_setup_get_type ())

GType assay_setup_get_type (void) G_GNUC_CONST;
AssaySetup *assay_setup_new (void) G_GNUC_WARN_UNUSED_RESULT;
AssaySetup *assay_setup_copy (const AssaySetup *self) G_GNUC_WARN_UNUSED_RESULT;
void assay_setup_free (AssaySetup *self);
gboolean assay_setup_equal (const AssaySetup *a, const AssaySetup *b);
gboolean assay_setup_same_import (const AssaySetup *a, const AssaySetup *b);
gboolean assay_setup_is_empty (const AssaySetup *self);
char *assay_setup_describe_change (const AssaySetup *before,
                                   const AssaySetup *after) G_GNUC_WARN_UNUSED_RESULT;
guint assay_setup_n_entries (const AssaySetup *self, AssaySetupPart part);
char *assay_setup_dup_entry (const AssaySetup *self, AssaySetupPart part, guint index,
                             const char **value) G_GNUC_WARN_UNUSED_RESULT;
guint assay_setup_n_inputs (const AssaySetup *self);
void assay_setup_keep_known (AssaySetup *self, GPtrArray *dimensions, GPtrArray *inputs);
gint64 assay_setup_get_binding (const AssaySetup *self, const char *key);
void assay_setup_set_binding (AssaySetup *self, const char *key, gint64 size);
const char *assay_setup_get_shape (const AssaySetup *self, guint input);
gboolean assay_setup_set_shape (AssaySetup *self, guint input, const char *shape, GError **error);
int assay_setup_get_streaming_axis (const AssaySetup *self, guint input);
void assay_setup_set_streaming_axis (AssaySetup *self, guint input, int axis);
gboolean assay_setup_is_streaming (const AssaySetup *self);
gboolean assay_setup_get_optimize (const AssaySetup *self);
void assay_setup_set_optimize (AssaySetup *self, gboolean optimize);
gboolean assay_setup_get_dynamic_weights (const AssaySetup *self);
void assay_setup_set_dynamic_weights (AssaySetup *self, gboolean allow);
const char *assay_setup_get_target_option (const AssaySetup *self, const char *name);
void assay_setup_set_target_option (AssaySetup *self, const char *name, const char *value);
const char *assay_setup_get_compile_option (const AssaySetup *self, const char *name);
void assay_setup_set_compile_option (AssaySetup *self, const char *name, const char *value);
gint64 assay_setup_get_config_value (const AssaySetup *self, const char *member);
void assay_setup_set_config_value (AssaySetup *self, const char *member, gint64 value);
void assay_setup_clear_config_values (AssaySetup *self);
char **assay_setup_list_target_options (const AssaySetup *self,
                                        AssayTarget *target) G_GNUC_WARN_UNUSED_RESULT;
char **assay_setup_list_entries (const AssaySetup *self,
                                 AssaySetupPart part) G_GNUC_WARN_UNUSED_RESULT;
char **assay_setup_list_names (const AssaySetup *self,
                               const char *option) G_GNUC_WARN_UNUSED_RESULT;
void assay_setup_set_data_dimension (AssaySetup *self, const char *input, const char *axis);
gboolean assay_setup_take_fix (AssaySetup *self, const AssayFix *fix, GPtrArray *inputs);
AssayFixSettings *assay_setup_new_fix_settings (const AssaySetup *self, AssayTarget *target,
                                                AssayGraph *graph) G_GNUC_WARN_UNUSED_RESULT;
AssayGraph *assay_setup_import (const AssaySetup *self, const char *path, AssayFindings *findings,
                                const AssayProgress *progress,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayVerdicts *assay_setup_check (const AssaySetup *self, AssayTarget *target, AssayGraph *graph,
                                  const AssayProgress *progress,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
GArray *assay_setup_list_axes (const AssaySetup *self, AssayGraph *graph) G_GNUC_WARN_UNUSED_RESULT;
AssayProgram *assay_setup_compile (const AssaySetup *self, AssayTarget *target, AssayGraph *graph,
                                   const char *name, AssayAllocation **allocation,
                                   gboolean observable, const AssayProgress *progress,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

GPtrArray *assay_graph_list_dimensions (const AssayGraph *graph) G_GNUC_WARN_UNUSED_RESULT;
GPtrArray *assay_graph_list_inputs (const AssayGraph *graph) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssaySetup, assay_setup_free)

G_END_DECLS
