/* assay-text-parser.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/text/assay-text-lexer.h"
#include "nnir/text/assay-text.h"

G_BEGIN_DECLS

/**
 * AssayTextParser:
 * @lexer: the text
 * @graph: what has been read
 * @findings: (nullable): what is wrong
 * @labels: name and number of a value -> the value
 * @declared: set of values that the text declares missing, or whose definition was broken off
 * @label: room to build a label
 * @depth: how deep regions nest here
 * @failed: whether there was an error since the last line that was understood
 * @has_main: whether the main graph has been read
 *
 * The state of reading NNIR text. Everything that reads a piece of it returns whether it could, and
 * has said why not.
 */
typedef struct
{
  AssayLexer lexer;
  AssayGraph *graph;
  AssayFindings *findings;
  GHashTable *labels;
  GHashTable *declared;
  GString *label;
  guint depth;
  gboolean failed;
  gboolean has_main;
} AssayTextParser;

const char *assay_text_parser_intern (AssayTextParser *self, const char *string);
gboolean assay_text_parser_fail (AssayTextParser *self, const char *format, ...)
    G_GNUC_PRINTF (2, 3);
gboolean assay_text_parser_fail_expected (AssayTextParser *self, const char *what);
gboolean assay_text_parser_accept (AssayTextParser *self, char punctuation);
gboolean assay_text_parser_accept_word (AssayTextParser *self, const char *word);
gboolean assay_text_parser_expect (AssayTextParser *self, char punctuation);
gboolean assay_text_parser_int (AssayTextParser *self, gint64 min, gint64 max, gint64 *value);
gboolean assay_text_parser_string (AssayTextParser *self, const char **string);
gboolean assay_text_parser_word (AssayTextParser *self, const char *what, const char **word);
gboolean assay_text_parser_qualified (AssayTextParser *self, const char **domain,
                                      const char **type);
const AssayType *assay_text_parser_type (AssayTextParser *self, guint depth);
AssayTensor *assay_text_parser_tensor (AssayTextParser *self, const AssayType *type);
gboolean assay_text_parser_value (AssayTextParser *self, AssayRegionId region, AssayValueId *id);
gboolean assay_text_parser_definition (AssayTextParser *self, AssayRegionId region,
                                       AssayValueKind kind, AssayValueId *id);
void assay_text_parser_give_up (AssayTextParser *self, AssayValueId id);
gboolean assay_text_parser_typed (AssayTextParser *self, AssayValueId id);
void assay_text_parser_skip_line (AssayTextParser *self);
gboolean assay_text_parser_attrs (AssayTextParser *self, AssayNodeId node);
gboolean assay_text_parser_body (AssayTextParser *self, AssayRegionId region);
AssayRegionId assay_text_parser_nested_region (AssayTextParser *self, AssayNodeId parent,
                                               const char *attribute);

G_END_DECLS
