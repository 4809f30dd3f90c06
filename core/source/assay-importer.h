/* assay-importer.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-finding.h"
#include "base/assay-progress.h"
#include "nnir/assay-graph.h"
#include "settings/assay-settings.h"

G_BEGIN_DECLS

/**
 * AssayImportOptions:
 * @settings: (nullable): shapes and sizes
 * @ignore_value_info: forgets output and intermediate shapes of the file, so that inference stands
 * alone
 * @skip_inference: leaves types as the file has them
 *
 * What the user wants of a model that is read, whatever its source.
 */
typedef struct
{
  AssaySettings *settings;
  gboolean ignore_value_info;
  gboolean skip_inference;
} AssayImportOptions;

/**
 * AssayImporter:
 * @id: stable id, such as `onnx`; the graph has it as its source
 * @title: what the source calls itself, such as `ONNX`; the window shows it over the model as it is
 * in the file
 * @models: what its files are in a file dialog, such as `ONNX Models`
 * @mime_type: their type
 * @suffixes: (array zero-terminated=1): how their names end
 * @exchange: whether other programs take these files, and models are saved as such; one row is
 * @binds: whether @read applies the shapes and sizes of the options, because more depends on them
 * @sniff: (nullable): whether the first bytes of a file can be nothing else
 * @read: makes a graph with all nodes and the types that the file states; @folder is %NULL for
 * bytes that are no file. What is wrong but does not keep the model from opening goes to the
 * findings. Types are inferred by the caller
 * @check: (nullable): looks at what only they tell
 *
 * A source of models: a row of `sources.def`.
 */
typedef struct
{
  const char *id;
  const char *title;
  const char *models;
  const char *mime_type;
  const char *suffixes[4];
  gboolean exchange;
  gboolean binds;
  gboolean (*sniff) (const guint8 *data, gsize size);
  AssayGraph *(*read) (GBytes *bytes, const char *folder, const AssayImportOptions *options,
                       AssayFindings *findings, const AssayProgress *progress, GError **error);
  void (*check) (AssayGraph *graph, AssayFindings *findings);
} AssayImporter;

#define ASSAY_SOURCE(name) extern const AssayImporter assay_importer_##name;
#include "source/sources.def"
#undef ASSAY_SOURCE

const AssayImporter *assay_importer_get (guint index);
const AssayImporter *assay_importer_get_exchange (void);
const AssayImporter *assay_importer_of_graph (const AssayGraph *graph);
const AssayImporter *assay_importer_of_name (const char *path);
const AssayImporter *assay_importer_of_data (const guint8 *data, gsize size, const char *name);
char *assay_importer_dup_patterns (const AssayImporter *self);
char *assay_importer_dup_stem (const char *path);
char *assay_importer_find_file (const char *folder, const char *stem);

G_END_DECLS
