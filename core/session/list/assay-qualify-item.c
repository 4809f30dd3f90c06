/* assay-qualify-item.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session/list/assay-qualify-item.h"

struct _AssayQualifyItem
{
  GObject parent_instance;

  AssayConformanceResult *result;
};

G_DEFINE_FINAL_TYPE (AssayQualifyItem, assay_qualify_item, G_TYPE_OBJECT)

static void
assay_qualify_item_finalize (GObject *object)
{
  g_clear_pointer (&ASSAY_QUALIFY_ITEM (object)->result, assay_conformance_result_free);

  G_OBJECT_CLASS (assay_qualify_item_parent_class)->finalize (object);
}

static void
assay_qualify_item_class_init (AssayQualifyItemClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = assay_qualify_item_finalize;
}

static void
assay_qualify_item_init (AssayQualifyItem *self)
{
}

/**
 * assay_qualify_item_new:
 * @result: (transfer full): what became of a case
 *
 * Makes a row of it.
 *
 * Returns: (transfer full): the row
 */
AssayQualifyItem *
assay_qualify_item_new (AssayConformanceResult *result)
{
  AssayQualifyItem *self = g_object_new (ASSAY_TYPE_QUALIFY_ITEM, NULL);

  self->result = result;

  return self;
}

/**
 * assay_qualify_item_get_result:
 * @self: a row
 *
 * Gets what became of the case.
 *
 * Returns: (transfer none): the result
 */
const AssayConformanceResult *
assay_qualify_item_get_result (AssayQualifyItem *self)
{
  return self->result;
}

static int
get_rank (const AssayConformanceResult *result)
{
  return assay_conformance_result_is_surprise (result)      ? 0
         : assay_conformance_status_is_bad (result->status) ? 1
         : !assay_conformance_result_passed (result)        ? 2
         : result->status == ASSAY_CONFORMANCE_PASS_ON_HOST ? 3
                                                            : 4;
}

/**
 * assay_qualify_item_compare:
 * @a: a row
 * @b: another one
 *
 * Tells which of two rows is looked for first: verdicts that a run contradicts, then what is wrong.
 *
 * Returns: as qsort() wants it
 */
int
assay_qualify_item_compare (AssayQualifyItem *a, AssayQualifyItem *b)
{
  int by_rank = get_rank (a->result) - get_rank (b->result);

  return by_rank != 0 ? by_rank : g_strcmp0 (a->result->name, b->result->name);
}
