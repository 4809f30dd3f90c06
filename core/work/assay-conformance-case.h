/* assay-conformance-case.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-progress.h"

#include "settings/assay-settings.h"
#include "text/assay-json-writer.h"

G_BEGIN_DECLS

/**
 * AssayConformanceStatus:
 * @ASSAY_CONFORMANCE_PASS: gives what the files say
 * @ASSAY_CONFORMANCE_FAIL: does not
 * @ASSAY_CONFORMANCE_XFAIL: does not, as was expected
 * @ASSAY_CONFORMANCE_XPASS: does, though it was expected not to
 * @ASSAY_CONFORMANCE_SKIP: is refused, and the rule says why
 * @ASSAY_CONFORMANCE_PASS_ON_HOST: gives what the files say, but the target leaves work to the host
 * @ASSAY_CONFORMANCE_TIMEOUT: took longer than it may
 * @ASSAY_CONFORMANCE_CRASH: its process died
 *
 * What became of a case.
 */
typedef enum
{
  ASSAY_CONFORMANCE_PASS,
  ASSAY_CONFORMANCE_FAIL,
  ASSAY_CONFORMANCE_XFAIL,
  ASSAY_CONFORMANCE_XPASS,
  ASSAY_CONFORMANCE_SKIP,
  ASSAY_CONFORMANCE_PASS_ON_HOST,
  ASSAY_CONFORMANCE_TIMEOUT,
  ASSAY_CONFORMANCE_CRASH,
  ASSAY_N_CONFORMANCE_STATUSES
} AssayConformanceStatus;

/**
 * AssayConformanceResult:
 * @name: of the case: its folder below the one that was asked for
 * @status: what became of it
 * @stage: how far it came: import, verdict, capacity, compile, run or compare
 * @rule: (nullable): of a refusal: the rule
 * @message: (nullable): what is wrong
 * @predicted: (nullable): what the target said before anything ran: takes, host or refuses
 * @operators: (nullable): the operators of the model, once each, separated by blanks
 * @categories: (nullable): the categories of its operations, once each, separated by commas
 * @dtypes: (nullable): the element types that go in and come out, once each, separated by commas
 * @seconds: how long it took
 *
 * One case of a conformance run.
 */
typedef struct
{
  char *name;
  AssayConformanceStatus status;
  char *stage;
  char *rule;
  char *message;
  char *predicted;
  char *operators;
  char *categories;
  char *dtypes;
  double seconds;
} AssayConformanceResult;

/**
 * AssayConformanceOptions:
 * @runner: as for assay_runner_open()
 * @target: (nullable): id or path of the target, for runners that run programs
 * @settings: (nullable): how models are checked and compiled
 * @rtol: relative tolerance
 * @atol: absolute tolerance
 *
 * How cases are run.
 */
typedef struct
{
  const char *runner;
  const char *target;
  AssaySettings *settings;
  double rtol;
  double atol;
} AssayConformanceOptions;

/* The tolerance of the ONNX backend tests. */
#define ASSAY_CONFORMANCE_RTOL 1e-3
#define ASSAY_CONFORMANCE_ATOL 1e-7

const char *assay_conformance_status_name (AssayConformanceStatus status);
gboolean assay_conformance_status_from_name (const char *name, AssayConformanceStatus *status);
gboolean assay_conformance_status_is_bad (AssayConformanceStatus status);
gboolean assay_conformance_result_passed (const AssayConformanceResult *self);
gboolean assay_conformance_result_is_surprise (const AssayConformanceResult *self);
AssayConformanceResult *assay_conformance_result_new (const char *name) G_GNUC_WARN_UNUSED_RESULT;
AssayConformanceResult *
assay_conformance_result_copy (const AssayConformanceResult *self) G_GNUC_WARN_UNUSED_RESULT;
void assay_conformance_result_free (AssayConformanceResult *self);
void assay_conformance_result_write (const AssayConformanceResult *self, AssayJsonWriter *json);
AssayConformanceResult *
assay_conformance_run_case (const char *folder, const AssayConformanceOptions *options,
                            const AssayProgress *progress) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayConformanceResult, assay_conformance_result_free)

G_END_DECLS
