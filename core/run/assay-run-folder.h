/* assay-run-folder.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "run/assay-run-parts.h"

G_BEGIN_DECLS

/**
 * AssayRunFolder:
 * @path: the folder
 * @inputs: (element-type utf8): names of the inputs
 * @tensors: (element-type AssayTensor): their values
 * @outputs: (element-type utf8): names of the outputs that are wanted
 * @values: (element-type utf8): names of values between them that are wanted too
 *
 * One run in the protocol between a runner and another program: what goes in lies in a folder, what
 * comes out is put there. The protocol is described in `docs/runner-command.md`.
 */
typedef struct
{
  char *path;
  GPtrArray *inputs;
  GPtrArray *tensors;
  GPtrArray *outputs;
  GPtrArray *values;
} AssayRunFolder;

AssayRunFolder *assay_run_folder_new (const char *parent, GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayRunFolder *assay_run_folder_open (const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_run_folder_free (AssayRunFolder *self);
void assay_run_folder_delete (AssayRunFolder *self);
void assay_run_folder_add_input (AssayRunFolder *self, const char *name, AssayTensor *tensor);
gboolean assay_run_folder_write (AssayRunFolder *self, GError **error);
gboolean assay_run_folder_save_output (AssayRunFolder *self, gboolean is_value, guint index,
                                       AssayTensor *tensor, GError **error);
AssayTensor *assay_run_folder_load_output (AssayRunFolder *self, gboolean is_value, guint index,
                                           AssayDType dtype,
                                           GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_run_folder_save_parts (AssayRunFolder *self, guint index, const AssayRunParts *parts,
                                      GError **error);
AssayRunParts *assay_run_folder_load_parts (AssayRunFolder *self, guint index,
                                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_run_folder_save_result (AssayRunFolder *self, const gint64 *latencies, guint n,
                                       GError **error);
void assay_run_folder_load_result (AssayRunFolder *self, GArray *latencies);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayRunFolder, assay_run_folder_free)

G_END_DECLS
