/* assay-input-choice.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "run/assay-run-inputs.h"

G_BEGIN_DECLS

/**
 * AssayInputChoice:
 *
 * What goes into a run: a file for each input that has one, random values from a seed for the
 * others.
 */
typedef struct _AssayInputChoice AssayInputChoice;

#define ASSAY_TYPE_INPUT_CHOICE (assay_input_choice_get_type ())

GType assay_input_choice_get_type (void) G_GNUC_CONST;
AssayInputChoice *assay_input_choice_new (void) G_GNUC_WARN_UNUSED_RESULT;
AssayInputChoice *assay_input_choice_copy (const AssayInputChoice *self) G_GNUC_WARN_UNUSED_RESULT;
void assay_input_choice_free (AssayInputChoice *self);
gboolean assay_input_choice_equal (const AssayInputChoice *a, const AssayInputChoice *b);
const char *assay_input_choice_get_file (const AssayInputChoice *self, const char *input);
void assay_input_choice_set_file (AssayInputChoice *self, const char *input, const char *path);
char **assay_input_choice_list_inputs (const AssayInputChoice *self) G_GNUC_WARN_UNUSED_RESULT;
guint64 assay_input_choice_get_seed (const AssayInputChoice *self);
void assay_input_choice_set_seed (AssayInputChoice *self, guint64 seed);
guint assay_input_choice_get_steps (const AssayInputChoice *self);
void assay_input_choice_set_steps (AssayInputChoice *self, guint n_steps);
char **assay_input_choice_list_test_sets (const char *model) G_GNUC_WARN_UNUSED_RESULT;
void assay_input_choice_take_test_set (AssayInputChoice *self, const char *folder,
                                       const AssayRunPort *ports, guint n_ports);
AssayInputChoice *assay_input_choice_new_beside (const char *model, const AssayRunPort *ports,
                                                 guint n_ports) G_GNUC_WARN_UNUSED_RESULT;
char *assay_input_choice_find_test_set (const AssayInputChoice *self,
                                        const char *model) G_GNUC_WARN_UNUSED_RESULT;
char *assay_input_choice_dup_expected (const AssayInputChoice *self) G_GNUC_WARN_UNUSED_RESULT;
char *assay_input_choice_describe (const AssayInputChoice *self) G_GNUC_WARN_UNUSED_RESULT;
AssayRunInputs *assay_input_choice_read (const AssayInputChoice *self,
                                         const AssayProgress *progress,
                                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
GPtrArray *assay_input_choice_make (const AssayInputChoice *self, AssayRunInputs *inputs,
                                    const AssayRunPort *ports, guint n_ports, guint model_steps,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayInputChoice, assay_input_choice_free)

G_END_DECLS
