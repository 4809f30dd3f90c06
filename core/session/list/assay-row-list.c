/* assay-row-list.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session/list/assay-row-list.h"

typedef struct
{
  guint n_rows; /* as views know it */
} AssayRowListPrivate;

static void list_model_init (GListModelInterface *iface);

G_DEFINE_ABSTRACT_TYPE_WITH_CODE (AssayRowList, assay_row_list, G_TYPE_OBJECT,
                                  G_ADD_PRIVATE (AssayRowList)
                                      G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init))

static AssayRowListPrivate *
get_private (gpointer self)
{
  return assay_row_list_get_instance_private (ASSAY_ROW_LIST (self));
}

static GType
get_item_type (GListModel *model)
{
  return ASSAY_ROW_LIST_GET_CLASS (model)->row_type;
}

static guint
get_n_items (GListModel *model)
{
  return get_private (model)->n_rows;
}

static gpointer
get_item (GListModel *model, guint position)
{
  if (position >= get_private (model)->n_rows)
    return NULL;

  return ASSAY_ROW_LIST_GET_CLASS (model)->make_row (ASSAY_ROW_LIST (model), position);
}

static void
list_model_init (GListModelInterface *iface)
{
  iface->get_item_type = get_item_type;
  iface->get_n_items = get_n_items;
  iface->get_item = get_item;
}

static void
assay_row_list_class_init (AssayRowListClass *klass)
{
}

static void
assay_row_list_init (AssayRowList *self)
{
}

/**
 * assay_row_list_replace:
 * @self: a list
 * @n_rows: how many rows there are now
 *
 * Tells views that other rows stand in the list.
 */
void
assay_row_list_replace (AssayRowList *self, guint n_rows)
{
  guint before = get_private (self)->n_rows;

  get_private (self)->n_rows = n_rows;
  g_list_model_items_changed (G_LIST_MODEL (self), 0, before, n_rows);
}
