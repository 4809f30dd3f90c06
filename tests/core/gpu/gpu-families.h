/* gpu-families.h
 * SPDX-License-Identifier: Apache-2.0
 *
 * Models that have every family of shaders in them, and what they are held to.
 */
#pragma once

#include "gpu-fixture.h"

/* What elements are tried: plain ones alone, those that are special as well, or plain ones with a
 * few that are no number or infinite. */
typedef enum
{
  GPU_PLAIN,
  GPU_SPECIAL,
  GPU_POSITIVE,
  GPU_HOLES,
  GPU_N_KINDS
} GpuKind;

/* A graph with many results, written node by node. */
typedef struct
{
  GString *inputs;
  GString *body;
  GString *outputs;
  GArray *limits; /* per output, in units of the last place */
  double units;   /* of those that come */
  GpuKind kind;   /* of the inputs */
  guint n;
  gboolean textures; /* whether inputs of numbers lie in textures */
} GpuModel;

/* Models of a kind, one for each type of elements. */
typedef struct
{
  const char *path;
  void (*fill) (GpuModel *model, const char *type);
  const char *types[6];
  GpuKind kind;
  double units;
  double half_units; /* what f16 is held to */
} GpuFamily;

extern const GpuFamily gpu_families[];
extern const guint gpu_n_families;

void gpu_family_fill (const GpuFamily *family, const char *type, gboolean textures,
                      GpuModel *model);
AssayWork *gpu_family_work (const GpuFamily *family, const char *type, gboolean textures);
char *gpu_model_finish (GpuModel *self);
AssayTensor *gpu_make_tensor (const AssayRunPort *port, GpuKind kind);
void gpu_check (const char *what, GpuModel *model);
