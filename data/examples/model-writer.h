/* model-writer.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

#include "onnx.pb-c.h"

G_BEGIN_DECLS

/**
 * ModelWriter:
 *
 * Puts an ONNX model together, node by node, and writes it. Weights come from a generator with a
 * fixed seed, so that the same calls give the same bytes everywhere.
 */
typedef struct
{
  /*< private >*/
  Assay__Onnx__GraphProto graph;
  GPtrArray *memory;
  GPtrArray *nodes;
  GPtrArray *inputs;
  GPtrArray *outputs;
  GPtrArray *initializers;
  GPtrArray *attributes;
  GPtrArray *domains;
  guint64 state;
} ModelWriter;

void model_writer_init (ModelWriter *self, const char *name);
void model_writer_input (ModelWriter *self, const char *name, int data_type, const char *shape);
void model_writer_output (ModelWriter *self, const char *name, int data_type, const char *shape);
const char *model_writer_weight (ModelWriter *self, const char *name, guint rank,
                                 const gint64 *dims);
const char *model_writer_filled (ModelWriter *self, const char *name, guint rank,
                                 const gint64 *dims, float value);
const char *model_writer_floats (ModelWriter *self, const char *name, guint rank,
                                 const gint64 *dims, const float *values);
const char *model_writer_integers (ModelWriter *self, const char *name, guint rank,
                                   const gint64 *dims, const gint64 *values);
void model_writer_set_int (ModelWriter *self, const char *name, gint64 value);
void model_writer_set_float (ModelWriter *self, const char *name, float value);
void model_writer_set_string (ModelWriter *self, const char *name, const char *value);
void model_writer_set_ints (ModelWriter *self, const char *name, guint n, const gint64 *values);
void model_writer_set_graph (ModelWriter *self, const char *name, ModelWriter *body);
void model_writer_node (ModelWriter *self, const char *op_type, const char *name,
                        const char *inputs, const char *outputs);
void model_writer_domain (ModelWriter *self, const char *domain, gint64 version);
gboolean model_writer_save (ModelWriter *self, const char *path, gint64 opset, GError **error);
void model_writer_clear (ModelWriter *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ModelWriter, model_writer_clear)

G_END_DECLS
