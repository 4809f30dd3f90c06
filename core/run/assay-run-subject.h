/* assay-run-subject.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-progress.h"
#include "backend/assay-program.h"
#include "nnir/assay-graph.h"

G_BEGIN_DECLS

/**
 * AssayRunPort:
 * @name: of the input or output
 * @dtype: element type; %ASSAY_DTYPE_UNDEFINED if unknown
 * @rank: number of dimensions, -1 if unknown
 * @dims: (array length=rank): the extents, the axis of time included; -1 where any extent will do
 * or nobody knows
 * @time_axis: the axis that holds the timesteps of a model that streams, or -1
 * @other: (nullable): the type of a sequence, an optional or a map, such as `map<string,f32[]>`: no
 * input that runners take, and as an output replaced by its parts when they are known
 * @output: its place among those of the model or program
 * @whole: (nullable): name of the output that it is a part of
 * @part: (nullable): which part, see #AssayRunParts
 *
 * An input or output of what runs.
 */
typedef struct
{
  char *name;
  AssayDType dtype;
  int rank;
  gint64 *dims;
  int time_axis;
  char *other;
  guint output;
  char *whole;
  char *part;
} AssayRunPort;

/**
 * AssayRunSubject:
 * @path: (nullable): the file of the model or program
 * @imported: (nullable): the model as imported
 * @graph: (nullable): the same in canonical form; ids of values and nodes in observers are those of
 * this graph
 * @program: (nullable): the program
 * @model: which model of the program it is
 * @streaming_axes: (nullable) (array length=n_streaming_axes): axis per main input that became
 * time, -1 for none
 * @n_streaming_axes: number of entries
 *
 * What runners run: a model, a program, or a model together with the program that was made of it.
 * Everything a runner needs and does not find here makes it fail to open, with an error that says
 * what is missing.
 */
typedef struct
{
  /*< private >*/
  gatomicrefcount ref_count;

  /*< public >*/
  char *path;
  AssayGraph *imported;
  AssayGraph *graph;
  AssayProgram *program;
  guint model;
  int *streaming_axes;
  guint n_streaming_axes;
} AssayRunSubject;

AssayRunSubject *assay_run_subject_new_for_graph (const char *path, AssayGraph *imported,
                                                  AssayGraph *canonical) G_GNUC_WARN_UNUSED_RESULT;
AssayRunSubject *assay_run_subject_new_for_program (const char *path, AssayProgram *program,
                                                    guint model) G_GNUC_WARN_UNUSED_RESULT;
AssayRunSubject *assay_run_subject_ref (AssayRunSubject *self);
void assay_run_subject_unref (AssayRunSubject *self);
void assay_run_subject_set_program (AssayRunSubject *self, AssayProgram *program, guint model,
                                    const int *streaming_axes, guint n_streaming_axes);
GArray *assay_run_subject_get_inputs (AssayRunSubject *self) G_GNUC_WARN_UNUSED_RESULT;
GArray *assay_run_subject_get_outputs (AssayRunSubject *self) G_GNUC_WARN_UNUSED_RESULT;
GArray *assay_run_ports_new (void) G_GNUC_WARN_UNUSED_RESULT;
GArray *assay_run_ports_for_graph (const AssayGraph *graph) G_GNUC_WARN_UNUSED_RESULT;
GArray *assay_run_ports_for_program (AssayProgram *program, guint model,
                                     gboolean inputs) G_GNUC_WARN_UNUSED_RESULT;
char *assay_run_port_mismatch (const AssayRunPort *port,
                               AssayTensor *tensor) G_GNUC_WARN_UNUSED_RESULT;
char *assay_run_shape_to_string (guint rank, const gint64 *dims,
                                 int time_axis) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayRunSubject, assay_run_subject_unref)

G_END_DECLS
