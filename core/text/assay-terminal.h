/* assay-terminal.h
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a terminal may be shown: text from files never steers it.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AssayTextStyle:
 *
 * How a piece of text looks on a terminal.
 */
typedef enum
{
  ASSAY_TEXT_STYLE_PLAIN,
  ASSAY_TEXT_STYLE_BOLD,
  ASSAY_TEXT_STYLE_DIM,
  ASSAY_TEXT_STYLE_GOOD,
  ASSAY_TEXT_STYLE_CAUTION,
  ASSAY_TEXT_STYLE_BAD,
  ASSAY_TEXT_STYLE_INFO,
} AssayTextStyle;

gboolean assay_terminal_steers (gunichar c);
guint assay_terminal_append_escape (GString *text, gunichar c);
guint assay_terminal_append (GString *text, const char *string);
void assay_terminal_append_styled (GString *text, const char *string, AssayTextStyle style,
                                   gboolean colours);
void assay_terminal_append_format (GString *text, const char *format, ...) G_GNUC_PRINTF (2, 3);
void assay_terminal_append_vformat (GString *text, const char *format, va_list args)
    G_GNUC_PRINTF (2, 0);
guint assay_terminal_width (const char *string);
gboolean assay_terminal_has_colours (int descriptor);

G_END_DECLS
