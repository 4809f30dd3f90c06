/* assay-disassemble.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/stream/machine/assay-stream-code.h"

G_BEGIN_DECLS

void assay_disassemble_instruction (const AssayStreamCode *code, guint32 index, GString *text);
void assay_disassemble_core (const AssayStreamCode *code, guint model, guint core, GString *text);
const char *assay_store_name (AssayStore store);

G_END_DECLS
