/* assay-session-file-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "document/assay-session-file.h"
#include "text/assay-json-reader.h"

G_BEGIN_DECLS

/**
 * AssayUnknownMember:
 * @section: the object it stands in, "" for the outermost
 * @name: its name
 * @value: its value
 *
 * A member that this version does not know: written again as it was.
 */
typedef struct
{
  char *section;
  char *name;
  JsonNode *value;
} AssayUnknownMember;

/* The names of the members of each section, and of what setups have: one table for reading and for
 * writing. */
extern const char *const assay_session_parts[ASSAY_N_SETUP_PARTS];

void assay_session_file_read (AssaySessionFile *self, AssayJsonReader *reader, const char *folder);

G_END_DECLS
