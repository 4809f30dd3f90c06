/* assay-symptom.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "evaluate/compare/assay-tolerance.h"
#include "run/assay-runner.h"
#include "work/assay-work.h"

G_BEGIN_DECLS

typedef struct _AssaySymptom AssaySymptom;

/**
 * AssaySymptomKind:
 * @name: what users call it
 * @argument: (nullable): what may stand behind it and a colon
 * @summary: one line
 * @needs_target: whether a target has to be chosen
 * @runs: whether the model runs on inputs
 * @command: (nullable): the command of Assay that shows it
 *
 * What a model can show.
 */
typedef struct
{
  const char *name;
  const char *argument;
  const char *summary;
  gboolean needs_target;
  gboolean runs;
  const char *command;

  /*< private >*/
  char *(*observe) (const AssaySymptom *self, AssayWork *work, GHashTable *inputs,
                    const char *expected, const AssayProgress *progress, GError **error);
} AssaySymptomKind;

/**
 * AssaySymptom:
 * @kind: the kind
 * @argument: (nullable): what stood behind the name
 * @a: the runner that is the reference; for kinds that run
 * @b: the runner that is held against it
 * @tolerance: (nullable): limits; those that ship if there are none
 * @seconds: how long a runner or command may take, 0 for as long as usual
 *
 * What is to be seen, and how it is looked for.
 */
struct _AssaySymptom
{
  const AssaySymptomKind *kind;
  char *argument;
  char *a;
  char *b;
  AssayTolerance *tolerance;
  guint seconds;
};

const AssaySymptomKind *assay_symptom_kind_get (guint index);
AssaySymptom *assay_symptom_new (const char *spec, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_symptom_set_runners (AssaySymptom *self, const char *a, const char *b);
void assay_symptom_free (AssaySymptom *self);
char *assay_symptom_to_string (const AssaySymptom *self) G_GNUC_WARN_UNUSED_RESULT;
char *assay_symptom_observe (const AssaySymptom *self, AssayWork *work, GHashTable *inputs,
                             const char *expected, const AssayProgress *progress,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssaySymptom, assay_symptom_free)

G_END_DECLS
