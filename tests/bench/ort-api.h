/* ort-api.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * OrtModel:
 *
 * A model in ONNX Runtime, fp32, one thread.
 */
typedef struct _OrtModel OrtModel;

OrtModel *ort_model_open       (const char *library,
                                const char *path);
void      ort_model_run        (OrtModel   *self);
void      ort_model_keep_state (OrtModel   *self);
float    *ort_model_get        (OrtModel   *self,
                                const char *name,
                                gsize      *n);

G_END_DECLS
