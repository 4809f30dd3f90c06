/* assay-suite-options.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "assay-command.h"
#include "work/assay-conformance.h"

G_BEGIN_DECLS

/**
 * AssaySuiteOptions:
 *
 * What commands that run folders of cases have in common.
 */
typedef struct
{
  char *on;
  char *xfail;
  char *filter;
  double rtol;
  double atol;
  int timeout;
  int n_jobs;
  gboolean all;
} AssaySuiteOptions;

void assay_suite_options_init (AssaySuiteOptions *self);
void assay_suite_options_clear (AssaySuiteOptions *self);
GOptionEntry *assay_suite_options_entries (AssaySuiteOptions *self, AssayCli *cli,
                                           const GOptionEntry *own) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_suite_options_check (AssaySuiteOptions *self, AssayCli *cli, AssayExit *status);
gboolean assay_suite_options_plan (const AssaySuiteOptions *self, AssayCli *cli,
                                   AssayConformancePlan *plan, char ***program, char **expected,
                                   GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AssaySuiteOptions, assay_suite_options_clear)

G_END_DECLS
