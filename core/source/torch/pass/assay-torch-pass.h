/* assay-torch-pass.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "source/torch/assay-torch-module.h"

G_BEGIN_DECLS

/**
 * AssayTorchPass:
 * @name: what it is called, such as `reduce-op-variants`
 * @summary: what it does, in a sentence
 * @run: does it; %FALSE with an error leaves a program that is none any more
 *
 * A step of a program on its way to values: a row of `torch-passes.def`.
 */
typedef struct
{
  const char *name;
  const char *summary;
  gboolean (*run) (AssayTorchModule *module, const AssayProgress *progress, GError **error);
} AssayTorchPass;

/**
 * AssayTorchChange:
 * @name: an operation
 * @gone: how many there were and are no more
 * @made: how many there are now that were not there
 *
 * What a pass did to the operations of one name.
 */
typedef struct
{
  const char *name;
  guint gone;
  guint made;
} AssayTorchChange;

const AssayTorchPass *assay_torch_pass_get (guint index);
const AssayTorchPass *assay_torch_pass_find (const char *name);
gboolean assay_torch_module_run_passes (AssayTorchModule *self, const AssayTorchPass *last,
                                        const AssayProgress *progress, GError **error);
GArray *assay_torch_pass_run (const AssayTorchPass *self, AssayTorchModule *module,
                              const AssayProgress *progress,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
const char *assay_torch_pass_note (const GArray *changes, gboolean is_changed);
char *assay_torch_module_describe_passes (AssayTorchModule *self, const AssayProgress *progress,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
