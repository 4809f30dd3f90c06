/* ort-api.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * OrtModel:
 *
 * A model in ONNX Runtime, fp32.
 */
typedef struct _OrtModel OrtModel;

/**
 * OrtInput:
 * @element: element type in the numbers of ONNX
 * @rank: number of dimensions
 * @dims: (array length=rank): the dimensions
 * @data: the elements, which have to stay
 * @n_bytes: their size
 *
 * What an input of a model is given, whatever shape the model leaves open.
 */
typedef struct
{
  int element;
  gsize rank;
  const gint64 *dims;
  gconstpointer data;
  gsize n_bytes;
} OrtInput;

OrtModel *ort_model_open (const char *library, const char *path, guint n_threads);
OrtModel *ort_model_open_given (const char *library, const char *path, gsize n_inputs,
                                const OrtInput *inputs);
void ort_model_run (OrtModel *self);
void ort_model_keep_state (OrtModel *self);
float *ort_model_get (OrtModel *self, const char *name, gsize *n);
const float *ort_model_get_output (OrtModel *self, gsize index);

G_END_DECLS
