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
  guint32 tensor;
  AssayTensorChange change;
};

G_DEFINE_FINAL_TYPE (AssayTensorItem, assay_tensor_item, G_TYPE_OBJECT)

static void
assay_tensor_item_finalize (GObject *object)
{
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
 * @tensor: row of the plan
 * @change: what became of it since the pinned moment
 *
 * Makes a row for a tensor.
 *
 * Returns: (transfer full): the row
 */
AssayTensorItem *
assay_tensor_item_new (AssayMemoryMap *map, guint32 tensor, AssayTensorChange change)
{
  AssayTensorItem *self = g_object_new (ASSAY_TYPE_TENSOR_ITEM, NULL);

  self->map = assay_memory_map_ref (map);
  self->tensor = tensor;
  self->change = change;
  return self;
}

AssayTensorChange
assay_tensor_item_get_change (AssayTensorItem *self)
{
  return self->change;
}

guint32
assay_tensor_item_get_tensor (AssayTensorItem *self)
{
  return self->tensor;
}

static const char *
get_reader (AssayTensorItem *self)
{
  const AssayPlanned *planned = assay_memory_map_get_tensor (self->map, self->tensor);
  const char *name = planned->reader != 0
                         ? assay_program_get_node_name (self->map->program, planned->reader)
                         : "";

  return *name != '\0' ? name : "output";
}

/* Blocks times steps: what lingers is at the top when this is sorted. */
static guint64
get_cost (AssayTensorItem *self)
{
  const AssayPlanned *planned = assay_memory_map_get_tensor (self->map, self->tensor);

  return (guint64) planned->blocks *
         (assay_memory_map_get_last_step (self->map, planned) - planned->born + 1);
}

/**
 * assay_tensor_describe_copies:
 * @map: a map
 * @tensor: row of the plan
 *
 * Lists the cores that hold a copy of a tensor.
 *
 * Returns: (transfer full): such as `c1, c3`; "" if there is none
 */
char *
assay_tensor_describe_copies (AssayMemoryMap *map, guint32 tensor)
{
  guint64 copies = assay_memory_map_find_copies (map, tensor, NULL);
  GString *text = g_string_new (NULL);

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
  const AssayPlanned *planned = assay_memory_map_get_tensor (self->map, self->tensor);

  switch (column)
    {
    case ASSAY_TENSOR_COLUMN_CHANGE:
      return g_strdup (self->change == ASSAY_TENSOR_NEW    ? "new"
                       : self->change == ASSAY_TENSOR_GONE ? "gone"
                                                           : "");
    case ASSAY_TENSOR_COLUMN_NAME:
      return g_strdup (planned->name);
    case ASSAY_TENSOR_COLUMN_KIND:
      return g_strdup (assay_memory_kind_name (planned->kind));
    case ASSAY_TENSOR_COLUMN_BLOCKS:
      return assay_ui_counts_bytes ()
                 ? assay_ui_format_kib (planned->blocks,
                                        assay_program_get_block_bytes (self->map->program))
                 : assay_ui_format_count (planned->blocks);
    case ASSAY_TENSOR_COLUMN_ADDRESS:
      return assay_ui_format_address (planned->base);
    case ASSAY_TENSOR_COLUMN_BORN:
      return planned->died == G_MAXUINT32 ? g_strdup ("always")
                                          : g_strdup_printf ("%u", planned->born);
    case ASSAY_TENSOR_COLUMN_LAST_READ:
      return planned->died == G_MAXUINT32 ? g_strdup ("stays")
                                          : g_strdup_printf ("%u", planned->died);
    case ASSAY_TENSOR_COLUMN_KEPT_BY:
      return g_strdup (get_reader (self));
    case ASSAY_TENSOR_COLUMN_COPIES:
      return assay_tensor_describe_copies (self->map, self->tensor);
    case ASSAY_TENSOR_COLUMN_COST:
      return assay_ui_format_count (get_cost (self));
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
  const AssayPlanned *l = assay_memory_map_get_tensor (a->map, a->tensor);
  const AssayPlanned *r = assay_memory_map_get_tensor (b->map, b->tensor);
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
      return (get_cost (a) > get_cost (b)) - (get_cost (a) < get_cost (b));
    case ASSAY_TENSOR_COLUMN_LAST_READ:
      return (l->died > r->died) - (l->died < r->died);
    default:
      left = assay_tensor_item_dup_text (a, column);
      right = assay_tensor_item_dup_text (b, column);
      return g_strcmp0 (left, right);
    }
}
