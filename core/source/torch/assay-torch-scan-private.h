/* assay-torch-scan-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "source/torch/assay-torch-module.h"

G_BEGIN_DECLS

#define ASSAY_TORCH_MAX_DEPTH 200

/**
 * AssayTorchDepth:
 *
 * What can nest. How deep it is does not depend on how what is around it is written.
 */
typedef enum
{
  ASSAY_TORCH_DEPTH_REGION,
  ASSAY_TORCH_DEPTH_ATTR,
  ASSAY_TORCH_DEPTH_TYPE,
  ASSAY_TORCH_N_DEPTHS,
} AssayTorchDepth;

/**
 * AssayTorchScan:
 * @module: what is being read
 * @begin: the text
 * @p: what comes next
 * @end: its end
 * @depth: nesting of what is being read, of each kind: a type is as deep wherever it is written
 * @expanded: bytes of types that short names stood for
 * @type_aliases: (element-type utf8 AssayTorchType): types that have a short name
 * @types: (element-type AssayTorchType): inner types of those that are being read
 * @is_split: whether a line that separates two pieces of a file was passed
 * @error: the first thing wrong
 *
 * A place in a text.
 */
typedef struct
{
  AssayTorchModule *module;
  const char *begin;
  const char *p;
  const char *end;
  const char *counted;
  guint32 line;
  guint depth[ASSAY_TORCH_N_DEPTHS];
  gsize expanded;
  gboolean is_split;
  AssayPointerMap type_aliases;
  GPtrArray *types;
  GError *error;
} AssayTorchScan;

void assay_torch_skip (AssayTorchScan *self);
guint32 assay_torch_line (AssayTorchScan *self, const char *place);
gboolean assay_torch_fail (AssayTorchScan *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
gboolean assay_torch_expected (AssayTorchScan *self, const char *what);
gboolean assay_torch_deeper (AssayTorchScan *self, AssayTorchDepth depth);
gboolean assay_torch_at_new_line (AssayTorchScan *self);
gboolean assay_torch_at (AssayTorchScan *self, const char *word);
gboolean assay_torch_accept (AssayTorchScan *self, const char *word);
gboolean assay_torch_expect (AssayTorchScan *self, const char *word);
const char *assay_torch_intern (AssayTorchScan *self, const char *text, gsize length);
const char *assay_torch_take (AssayTorchScan *self, const char *from);
const char *assay_torch_read_word (AssayTorchScan *self);
const char *assay_torch_read_id (AssayTorchScan *self);
gboolean assay_torch_read_quoted (AssayTorchScan *self, const char **text, gsize *length);
const char *assay_torch_read_quoted_name (AssayTorchScan *self);
gboolean assay_torch_read_balanced (AssayTorchScan *self, const char *stop, const char **text,
                                    gsize *length);
gboolean assay_torch_read_integer (AssayTorchScan *self, gint64 *value);

const AssayTorchType *assay_torch_read_type (AssayTorchScan *self);
const AssayTorchType *assay_torch_type_unknown (AssayTorchModule *module);
const AssayTorchType *assay_torch_read_function_type (AssayTorchScan *self);
gboolean assay_torch_read_attr (AssayTorchScan *self, AssayTorchAttr *attr);
gboolean assay_torch_read_dict (AssayTorchScan *self, GArray *attrs);
gboolean assay_torch_attr_takes_type (const AssayTorchAttr *attr);
gboolean assay_torch_check_names (AssayTorchScan *self, const GArray *attrs);
void assay_torch_append_quoted (GString *text, const char *string, gsize length);
void assay_torch_append_attr (GString *text, const AssayTorchAttr *attr);
void assay_torch_append_dict (GString *text, guint n, const AssayTorchAttr *attrs);
void assay_torch_append_name (GString *text, const char *name);
void assay_torch_append_symbol (GString *text, const char *name);

/* What names of operations, types and attributes are made of; a byte of zero is none of it. */
static inline gboolean
assay_torch_is_word (char c)
{
  return g_ascii_isalnum (c) || c == '_' || c == '.' || c == '$';
}

G_END_DECLS
