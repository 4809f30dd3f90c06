/* assay-tensor-item.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/tensor/assay-tensor-item.h"

#include "draw/assay-memory-scene.h"
#include "ui/window/assay-ui.h"

struct _AssayTensorItem
{
  GObject parent_instance;

  AssayMemoryMap *map;
  AssayMemoryGroup *group;
  AssayTensorChange change;
};

G_DEFINE_FINAL_TYPE (AssayTensorItem, assay_tensor_item, G_TYPE_OBJECT)

static void
assay_tensor_item_finalize (GObject *object)
{
  assay_memory_group_free (ASSAY_TENSOR_ITEM (object)->group);
  assay_memory_map_unref (ASSAY_TENSOR_ITEM (object)->map);

  G_OBJECT_CLASS (assay_tensor_item_parent_class)->finalize (object);
}

static void
assay_tensor_item_class_init (AssayTensorItemClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = assay_tensor_item_finalize;
}

static void
assay_tensor_item_init (AssayTensorItem *self)
{
}

/**
 * assay_tensor_item_new:
 * @map: a map
 * @group: (transfer full): its vectors
 * @change: what became of it since the pinned moment
 *
 * Makes a row for a tensor.
 *
 * Returns: (transfer full): the row
 */
AssayTensorItem *
assay_tensor_item_new (AssayMemoryMap *map, AssayMemoryGroup *group, AssayTensorChange change)
{
  AssayTensorItem *self = g_object_new (ASSAY_TYPE_TENSOR_ITEM, NULL);

  self->map = assay_memory_map_ref (map);
  self->group = group;
  self->change = change;
  return self;
}

AssayTensorChange
assay_tensor_item_get_change (AssayTensorItem *self)
{
  return self->change;
}

/**
 * assay_tensor_item_get_tensor:
 * @self: a row
 *
 * Gets the vector that stands for the tensor.
 *
 * Returns: row of the plan
 */
guint32
assay_tensor_item_get_tensor (AssayTensorItem *self)
{
  return g_array_index (self->group->tensors, guint32, 0);
}

/**
 * assay_tensor_item_get_blocks:
 * @self: a row
 *
 * Gets how much room the tensor takes.
 *
 * Returns: blocks of all its vectors
 */
guint32
assay_tensor_item_get_blocks (AssayTensorItem *self)
{
  return self->group->blocks;
}

static const char *
get_reader (AssayTensorItem *self)
{
  guint32 reader = self->group->last->reader;
  const char *name = reader != 0 ? assay_program_get_node_name (self->map->program, reader) : "";

  return *name != '\0' ? name : "output";
}

static char *
describe_kind (AssayTensorItem *self)
{
  const char *kind = assay_memory_kind_name (self->group->last->kind);
  guint n = self->group->tensors->len;
  g_autofree char *vectors = assay_ui_format_count (n);

  return n > 1 ? g_strdup_printf ("%s, %s vectors", kind, vectors) : g_strdup (kind);
}

/**
 * assay_tensor_describe_copies:
 * @map: a map
 * @tensors: (array length=n): rows of the plan
 * @n: how many
 *
 * Lists the cores that hold a copy of a tensor or of some of its vectors.
 *
 * Returns: (transfer full): such as `c1, c3`; "" if there is none
 */
char *
assay_tensor_describe_copies (AssayMemoryMap *map, const guint32 *tensors, guint n)
{
  GString *text = g_string_new (NULL);
  guint64 copies = 0;

  for (guint i = 0; i < n; i++)
    copies |= assay_memory_map_find_copies (map, tensors[i], NULL);

  for (guint core = 0; core < map->n_cores; core++)
    if ((copies >> core & 1) != 0)
      g_string_append_printf (text, "%sc%u", text->len > 0 ? ", " : "", core);

  return g_string_free (text, FALSE);
}

/**
 * assay_tensor_item_dup_text:
 * @self: a row
 * @column: a column
 *
 * Writes a cell.
 *
 * Returns: (transfer full): its text
 */
char *
assay_tensor_item_dup_text (AssayTensorItem *self, AssayTensorColumn column)
{
  const AssayMemoryGroup *group = self->group;

  switch (column)
    {
    case ASSAY_TENSOR_COLUMN_CHANGE:
      return g_strdup (self->change == ASSAY_TENSOR_NEW    ? "new"
                       : self->change == ASSAY_TENSOR_GONE ? "gone"
                                                           : "");
    case ASSAY_TENSOR_COLUMN_NAME:
      return g_strdup (group->last->name);
    case ASSAY_TENSOR_COLUMN_KIND:
      return describe_kind (self);
    case ASSAY_TENSOR_COLUMN_BLOCKS:
      return assay_ui_counts_bytes ()
                 ? assay_ui_format_kib (group->blocks,
                                        assay_program_get_block_bytes (self->map->program))
                 : assay_ui_format_count (group->blocks);
    case ASSAY_TENSOR_COLUMN_ADDRESS:
      return assay_ui_format_address (group->base);
    case ASSAY_TENSOR_COLUMN_BORN:
      return group->last->died == G_MAXUINT32 ? g_strdup ("always")
                                              : g_strdup_printf ("%u", group->born);
    case ASSAY_TENSOR_COLUMN_LAST_READ:
      return group->last->died == G_MAXUINT32 ? g_strdup ("stays")
                                              : g_strdup_printf ("%u", group->last->died);
    case ASSAY_TENSOR_COLUMN_KEPT_BY:
      return g_strdup (get_reader (self));
    case ASSAY_TENSOR_COLUMN_COPIES:
      return assay_tensor_describe_copies (
          self->map, (const guint32 *) (gpointer) group->tensors->data, group->tensors->len);
    case ASSAY_TENSOR_COLUMN_COST:
      return assay_ui_format_count (group->cost);
    default:
      return g_strdup ("");
    }
}

/**
 * assay_tensor_item_compare:
 * @a: a row
 * @b: another one
 * @column: what decides
 *
 * Compares two rows, numbers as numbers.
 *
 * Returns: as qsort() wants it
 */
int
assay_tensor_item_compare (AssayTensorItem *a, AssayTensorItem *b, AssayTensorColumn column)
{
  const AssayMemoryGroup *l = a->group;
  const AssayMemoryGroup *r = b->group;
  g_autofree char *left = NULL;
  g_autofree char *right = NULL;

  switch (column)
    {
    case ASSAY_TENSOR_COLUMN_BLOCKS:
      return (l->blocks > r->blocks) - (l->blocks < r->blocks);
    case ASSAY_TENSOR_COLUMN_ADDRESS:
      return (l->base > r->base) - (l->base < r->base);
    case ASSAY_TENSOR_COLUMN_BORN:
      return (l->born > r->born) - (l->born < r->born);
    case ASSAY_TENSOR_COLUMN_COST:
      return (l->cost > r->cost) - (l->cost < r->cost);
    case ASSAY_TENSOR_COLUMN_LAST_READ:
      return (l->last->died > r->last->died) - (l->last->died < r->last->died);
    default:
      left = assay_tensor_item_dup_text (a, column);
      right = assay_tensor_item_dup_text (b, column);
      return g_strcmp0 (left, right);
    }
}
