/* import-fixture.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "source/assay-source.h"

#include "onnx-writer.h"

G_BEGIN_DECLS

/* What a test of the importer looks at after opening a model it wrote. */
typedef struct
{
  AssayGraph *graph;
  AssayFindings *findings;
} Imported;

Imported imported_new (GByteArray *model, const AssayImportOptions *options);
void imported_clear (Imported *self);
const AssayFinding *imported_finding (const Imported *self, const char *rule);
const AssayNode *imported_node (const Imported *self, const char *name);
const AssayValue *imported_value (const Imported *self, const char *name);
char *imported_type (const Imported *self, const char *name);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Imported, imported_clear)

G_END_DECLS
