/* assay-instruction-list.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/assay-time-map.h"
#include "session/list/assay-row-list.h"

G_BEGIN_DECLS

/**
 * AssayInstructionItem:
 *
 * A row of a list of instructions; made when a view asks for it.
 */
#define ASSAY_TYPE_INSTRUCTION_ITEM (assay_instruction_item_get_type ())

G_DECLARE_FINAL_TYPE (AssayInstructionItem, assay_instruction_item, ASSAY, INSTRUCTION_ITEM,
                      GObject)

guint32 assay_instruction_item_get_index (AssayInstructionItem *self);
AssayProgram *assay_instruction_item_get_program (AssayInstructionItem *self);
const AssayTimeMap *assay_instruction_item_get_time (AssayInstructionItem *self);
const AssayEvent *assay_instruction_item_get_event (AssayInstructionItem *self);
const char *assay_instruction_item_get_node (AssayInstructionItem *self);
char *assay_instruction_item_dup_text (AssayInstructionItem *self) G_GNUC_WARN_UNUSED_RESULT;

/**
 * AssayInstructionList:
 *
 * The instructions of a program in the order of its steps, those of one node only, or those that
 * have a text.
 */
#define ASSAY_TYPE_INSTRUCTION_LIST (assay_instruction_list_get_type ())

G_DECLARE_FINAL_TYPE (AssayInstructionList, assay_instruction_list, ASSAY, INSTRUCTION_LIST,
                      AssayRowList)

AssayInstructionList *assay_instruction_list_new (AssayProgram *program,
                                                  AssayTimeMap *map) G_GNUC_WARN_UNUSED_RESULT;
void assay_instruction_list_set_filter (AssayInstructionList *self, const char *node,
                                        const char *text);
guint assay_instruction_list_get_total (AssayInstructionList *self);

G_END_DECLS
