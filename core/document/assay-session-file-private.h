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

const char *assay_session_find_member (const AssaySettingInfo *info, const char *section,
                                       char **group);

void assay_session_file_read (AssaySessionFile *self, AssayJsonReader *reader, const char *folder);

G_END_DECLS
