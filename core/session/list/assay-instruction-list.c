/* assay-instruction-list.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session/list/assay-instruction-list.h"

#include <string.h>

struct _AssayInstructionItem
{
  GObject parent_instance;

  AssayProgram *program;
  AssayTimeMap *map;
  guint32 index;
};

G_DEFINE_FINAL_TYPE (AssayInstructionItem, assay_instruction_item, G_TYPE_OBJECT)

struct _AssayInstructionList
{
  AssayRowList parent_instance;

  AssayProgram *program;
  AssayTimeMap *map; /* NULL where no time is predicted */
  GArray *rows;      /* guint32 */
};

G_DEFINE_FINAL_TYPE (AssayInstructionList, assay_instruction_list, ASSAY_TYPE_ROW_LIST)

static const char *
node_of (AssayProgram *program, guint32 index)
{
  return assay_program_get_node_name (program, assay_program_get_row (program, index).node);
}

static void
assay_instruction_item_finalize (GObject *object)
{
  AssayInstructionItem *self = ASSAY_INSTRUCTION_ITEM (object);

  g_clear_object (&self->program);
  g_clear_pointer (&self->map, assay_time_map_unref);

  G_OBJECT_CLASS (assay_instruction_item_parent_class)->finalize (object);
}

static void
assay_instruction_item_class_init (AssayInstructionItemClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = assay_instruction_item_finalize;
}

static void
assay_instruction_item_init (AssayInstructionItem *self)
{
}

/**
 * assay_instruction_item_get_index:
 * @self: a row
 *
 * Gets which instruction it is.
 *
 * Returns: its place in the program
 */
guint32
assay_instruction_item_get_index (AssayInstructionItem *self)
{
  return self->index;
}

/**
 * assay_instruction_item_get_program:
 * @self: a row
 *
 * Gets what the instruction belongs to.
 *
 * Returns: (transfer none): the program
 */
AssayProgram *
assay_instruction_item_get_program (AssayInstructionItem *self)
{
  return self->program;
}

/**
 * assay_instruction_item_get_time:
 * @self: a row
 *
 * Gets when every instruction of the program works.
 *
 * Returns: (transfer none) (nullable): the map, or %NULL where no time is predicted
 */
const AssayTimeMap *
assay_instruction_item_get_time (AssayInstructionItem *self)
{
  return self->map;
}

/**
 * assay_instruction_item_get_event:
 * @self: a row
 *
 * Gets when the instruction works.
 *
 * Returns: (transfer none) (nullable): what it is on the timeline, or %NULL if it is not there
 */
const AssayEvent *
assay_instruction_item_get_event (AssayInstructionItem *self)
{
  guint32 event = self->map != NULL ? self->map->event_of[self->index] : 0;

  return event > 0 ? assay_time_map_get_event (self->map, event - 1) : NULL;
}

/**
 * assay_instruction_item_get_node:
 * @self: a row
 *
 * Gets where the instruction comes from.
 *
 * Returns: (transfer none): name of the node, "" if it comes from none
 */
const char *
assay_instruction_item_get_node (AssayInstructionItem *self)
{
  return node_of (self->program, self->index);
}

/**
 * assay_instruction_item_dup_text:
 * @self: a row
 *
 * Writes the instruction as the disassembler does.
 *
 * Returns: (transfer full): the text
 */
char *
assay_instruction_item_dup_text (AssayInstructionItem *self)
{
  GString *text = g_string_new (NULL);
  char *note;

  assay_program_append_row (self->program, self->index, text);
  /* In a list of their own, notes need not stand below each other. */
  note = strchr (text->str, ';');
  while (note != NULL && note > text->str + 2 && note[-1] == ' ' && note[-2] == ' ' &&
         note[-3] == ' ')
    {
      g_string_erase (text, note - text->str - 1, 1);
      note = strchr (text->str, ';');
    }

  return g_string_free (text, FALSE);
}

static gpointer
make_row (AssayRowList *list, guint position)
{
  AssayInstructionList *self = ASSAY_INSTRUCTION_LIST (list);
  AssayInstructionItem *item = g_object_new (ASSAY_TYPE_INSTRUCTION_ITEM, NULL);

  item->program = g_object_ref (self->program);
  item->map = self->map != NULL ? assay_time_map_ref (self->map) : NULL;
  item->index = g_array_index (self->rows, guint32, position);
  return item;
}

static void
assay_instruction_list_finalize (GObject *object)
{
  AssayInstructionList *self = ASSAY_INSTRUCTION_LIST (object);

  g_clear_object (&self->program);
  g_clear_pointer (&self->map, assay_time_map_unref);
  g_array_unref (self->rows);

  G_OBJECT_CLASS (assay_instruction_list_parent_class)->finalize (object);
}

static void
assay_instruction_list_class_init (AssayInstructionListClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = assay_instruction_list_finalize;
  ASSAY_ROW_LIST_CLASS (klass)->row_type = ASSAY_TYPE_INSTRUCTION_ITEM;
  ASSAY_ROW_LIST_CLASS (klass)->make_row = make_row;
}

static void
assay_instruction_list_init (AssayInstructionList *self)
{
  self->rows = g_array_new (FALSE, FALSE, sizeof (guint32));
}

/**
 * assay_instruction_list_new:
 * @program: a program
 * @map: (nullable): when they work
 *
 * Lists all instructions of a program.
 *
 * Returns: (transfer full): the list
 */
AssayInstructionList *
assay_instruction_list_new (AssayProgram *program, AssayTimeMap *map)
{
  AssayInstructionList *self = g_object_new (ASSAY_TYPE_INSTRUCTION_LIST, NULL);

  self->program = g_object_ref (program);
  self->map = map != NULL ? assay_time_map_ref (map) : NULL;
  assay_instruction_list_set_filter (self, NULL, NULL);
  return self;
}

/**
 * assay_instruction_list_get_total:
 * @self: a list
 *
 * Counts the instructions of the program.
 *
 * Returns: the number
 */
guint
assay_instruction_list_get_total (AssayInstructionList *self)
{
  return assay_program_get_facts (self->program)->n_rows;
}

/**
 * assay_instruction_list_set_filter:
 * @self: a list
 * @node: (nullable): name of the node whose instructions are listed; %NULL for all
 * @text: (nullable): part of an instruction or of the name of its node, in any case
 *
 * Chooses what is listed.
 */
void
assay_instruction_list_set_filter (AssayInstructionList *self, const char *node, const char *text)
{
  g_autofree char *lower = text != NULL ? g_ascii_strdown (text, -1) : g_strdup ("");
  g_autoptr (GString) line = g_string_new (NULL);

  g_array_set_size (self->rows, 0);
  for (guint32 i = 0; i < assay_program_get_facts (self->program)->n_rows; i++)
    {
      if (node != NULL && !g_str_equal (node_of (self->program, i), node))
        continue;
      if (*lower != '\0')
        {
          g_string_truncate (line, 0);
          assay_program_append_row (self->program, i, line);
          g_string_append_printf (line, " %s", node_of (self->program, i));
          g_string_ascii_down (line);
          if (strstr (line->str, lower) == NULL)
            continue;
        }
      g_array_append_val (self->rows, i);
    }

  assay_row_list_replace (ASSAY_ROW_LIST (self), self->rows->len);
}
