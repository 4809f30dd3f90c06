/* assay-specimen.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "evaluate/assay-evaluate.h"

G_BEGIN_DECLS

/**
 * AssaySpecimen:
 * @graph: the nodes, in the main graph; everything they read is an input of it, constants too
 * @target: the value that is looked at
 * @inputs: (element-type AssayDatum): what the inputs of @graph are
 * @sources: (element-type guint8): per input of @graph an #AssaySpecimenSource
 * @work: multiplications of a run, about
 * @evaluator: runs @graph, in double if all is
 * @wide: whether all is computed in double
 *
 * A part of a model in the hand: the nodes between values that are known and one that differs.
 */
typedef struct
{
  AssayGraph *graph;
  AssayValueId target;
  GPtrArray *inputs;
  GArray *sources;
  guint64 work;
  AssayEvaluator *evaluator;
  gboolean wide;
} AssaySpecimen;

/**
 * AssaySpecimenSource:
 * @ASSAY_SPECIMEN_SEEN: a value that was seen on the way
 * @ASSAY_SPECIMEN_MODEL: an input of the model
 * @ASSAY_SPECIMEN_CONSTANT: a constant of the model
 *
 * Where an input of a specimen comes from.
 */
typedef enum
{
  ASSAY_SPECIMEN_SEEN,
  ASSAY_SPECIMEN_MODEL,
  ASSAY_SPECIMEN_CONSTANT,
} AssaySpecimenSource;

/**
 * AssaySpecimenFunc:
 * @values: what is known so far, by value of the graph; the function may put another one in the
 * place of @value
 * @value: the value that was just made, or an input
 * @user_data: the data given with the function
 *
 * Changes values on the way.
 */
typedef void (*AssaySpecimenFunc) (AssayDatum **values, AssayValueId value, gpointer user_data);

AssaySpecimen *assay_specimen_new (const AssayGraph *graph, AssayValueId target, GHashTable *seen,
                                   gboolean wide, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_specimen_free (AssaySpecimen *self);
GArray *assay_specimen_list_border (const AssayGraph *graph, AssayValueId target,
                                    GHashTable *visible) G_GNUC_WARN_UNUSED_RESULT;
AssayDatum *assay_specimen_run (AssaySpecimen *self, AssayGraph *changed, gboolean wide,
                                AssaySpecimenFunc func, gpointer user_data,
                                const AssayProgress *progress) G_GNUC_WARN_UNUSED_RESULT;

static inline AssaySpecimenSource
assay_specimen_source (const AssaySpecimen *self, guint input)
{
  return (AssaySpecimenSource) g_array_index (self->sources, guint8, input);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssaySpecimen, assay_specimen_free)

G_END_DECLS
