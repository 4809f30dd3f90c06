/* assay-text-lexer.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AssayTokenKind:
 * @ASSAY_TOKEN_END: the text is over
 * @ASSAY_TOKEN_BAD: a character or string that no rule allows
 * @ASSAY_TOKEN_WORD: letters, digits, `_` and `.`, not starting with a digit
 * @ASSAY_TOKEN_NUMBER: an integer or a float
 * @ASSAY_TOKEN_STRING: a quoted string
 * @ASSAY_TOKEN_VALUE: `%` with a plain or quoted name and maybe `#` with a number
 * @ASSAY_TOKEN_PUNCTUATION: one character
 */
typedef enum
{
  ASSAY_TOKEN_END,
  ASSAY_TOKEN_BAD,
  ASSAY_TOKEN_WORD,
  ASSAY_TOKEN_NUMBER,
  ASSAY_TOKEN_STRING,
  ASSAY_TOKEN_VALUE,
  ASSAY_TOKEN_PUNCTUATION,
} AssayTokenKind;

/**
 * AssayLexer:
 * @kind: kind of the current token
 * @text: the current token: a word, number or character as written, a string or name with its
 * escapes resolved
 * @serial: number behind the name of a value, 0 if there is none
 * @line: line of the current token, from 1
 * @column: column of the current token in bytes, from 1
 * @offset: offset of the current token in bytes
 * @first: whether the current token is the first of its line
 *
 * Cuts NNIR text into tokens. It reads no byte past the end and needs none to be zero.
 */
typedef struct
{
  AssayTokenKind kind;
  GString *text;
  guint serial;
  guint line;
  guint column;
  gsize offset;
  gboolean first;

  /*< private >*/
  const char *cursor;
  const char *begin;
  const char *end;
  const char *line_begin;
  guint next_line;
} AssayLexer;

void assay_lexer_init (AssayLexer *self, const char *text, gsize length);
void assay_lexer_clear (AssayLexer *self);
void assay_lexer_next (AssayLexer *self);
gboolean assay_lexer_is (AssayLexer *self, char punctuation);
gboolean assay_lexer_is_word (AssayLexer *self, const char *word);
void assay_text_append_quoted (GString *text, const char *string, gsize length);
void assay_text_append_word (GString *text, const char *string);
void assay_text_append_name (GString *text, const char *name);
void assay_text_append_float (GString *text, double value, gboolean wide);

G_END_DECLS
