/* assay-backend.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/assay-build.h"
#include "settings/assay-capability.h"
#include "target/assay-check-class.h"
#include "target/assay-target.h"

G_BEGIN_DECLS

/**
 * AssayBackendClass:
 * @check: how its targets are checked; first, so that a target leads to its backend
 * @title: its targets as the heading of a list
 * @capabilities: what it can do, ASSAY_CAN() of each
 * @machine: (nullable): the runner that runs its programs here; %NULL for `vm`
 * @builds_checked: whether a program is made of the graph that was checked, with its verdicts: what
 * the device rejects, the host runs
 * @build: (nullable): builds a program of models for a target; with %ASSAY_CAPABILITY_HAS_CONFIG a
 * configuration is always given, that of the target with what the user changed of it, and there may
 * be no target
 * @build_io_only: (nullable): builds a program that receives and sends without computing
 * @mark: (nullable): the bytes that its program files begin with
 * @load: (nullable): loads a program that was saved; is given what begins with @mark
 *
 * What checks the targets of one family, builds their programs and runs them. Backends are rows of
 * backends.def and nothing else knows them by name.
 */
typedef struct
{
  AssayCheckClass check;
  const char *title;
  guint capabilities;
  const char *machine;
  gboolean builds_checked;
  AssayProgram *(*build) (AssayTarget *target, const AssayCompileModel *models, guint n_models,
                          const AssayConfigValues *config, const AssayCompileOptions *options,
                          const AssayProgress *progress, GError **error);
  AssayProgram *(*build_io_only) (const AssayConfigValues *config, gsize in_values,
                                  gsize out_values, GError **error);
  const char *mark;
  AssayProgram *(*load) (GBytes *bytes, GError **error);
} AssayBackendClass;

#define ASSAY_BACKEND(name) extern const AssayBackendClass assay_backend_##name;
#include "backend/backends.def"
#undef ASSAY_BACKEND

const AssayBackendClass *assay_backend_get (guint index);
const AssayBackendClass *assay_backend_for_target (AssayTarget *target);
guint assay_backend_get_place (const AssayBackendClass *self);
char *assay_backend_list_families (AssayCapability capability) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_backend_builds_checked (AssayTarget *target);
gboolean assay_backend_has (AssayTarget *target, AssayCapability capability);
const char *assay_backend_get_lack (AssayCapability capability);
AssaySettings *assay_backend_pick_settings (AssayTarget *target,
                                            AssaySettings *settings) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_backend_require (AssayTarget *target, AssayCapability capability, GError **error);

G_END_DECLS
