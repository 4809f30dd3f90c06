/* assay-times-item.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/timeline/assay-times-item.h"

#include "ui/window/assay-ui.h"

struct _AssayTimesItem
{
  GObject parent_instance;

  AssayRunTimes *times;
  guint index;
};

G_DEFINE_FINAL_TYPE (AssayTimesItem, assay_times_item, G_TYPE_OBJECT)

static void
assay_times_item_finalize (GObject *object)
{
  assay_run_times_unref (ASSAY_TIMES_ITEM (object)->times);

  G_OBJECT_CLASS (assay_times_item_parent_class)->finalize (object);
}

static void
assay_times_item_class_init (AssayTimesItemClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = assay_times_item_finalize;
}

static void
assay_times_item_init (AssayTimesItem *self)
{
}

/**
 * assay_times_item_new:
 * @times: what was measured
 * @index: number of a part
 *
 * Makes a row for a part.
 *
 * Returns: (transfer full): the row
 */
AssayTimesItem *
assay_times_item_new (AssayRunTimes *times, guint index)
{
  AssayTimesItem *self = g_object_new (ASSAY_TYPE_TIMES_ITEM, NULL);

  self->times = assay_run_times_ref (times);
  self->index = index;
  return self;
}

/**
 * assay_times_item_get_index:
 * @self: a row
 *
 * Gets which part it is.
 *
 * Returns: its number
 */
guint
assay_times_item_get_index (AssayTimesItem *self)
{
  return self->index;
}

static const AssayRunnerStep *
get_step (AssayTimesItem *self)
{
  return assay_run_times_get (self->times, self->index);
}

static char *
dup_microseconds (guint64 ns)
{
  guint64 tenths = (ns + 50) / 100;
  g_autofree char *whole = assay_ui_format_count (tenths / 10);

  return g_strdup_printf ("%s.%u", whole, (guint) (tenths % 10));
}

/**
 * assay_times_item_dup_text:
 * @self: a row
 * @column: a column
 *
 * Writes a cell; times are in microseconds.
 *
 * Returns: (transfer full): its text
 */
char *
assay_times_item_dup_text (AssayTimesItem *self, AssayTimesColumn column)
{
  const AssayRunnerStep *step = get_step (self);

  switch (column)
    {
    case ASSAY_TIMES_COLUMN_NAME:
      return g_strdup (step->name);
    case ASSAY_TIMES_COLUMN_WHERE:
      return g_strdup (step->where);
    case ASSAY_TIMES_COLUMN_BEGIN:
      return dup_microseconds (step->begin);
    case ASSAY_TIMES_COLUMN_TIME:
      return dup_microseconds (step->ns);
    default:
      return assay_ui_format_share ((guint64) step->ns,
                                    (guint64) assay_run_times_get_end (self->times));
    }
}

/**
 * assay_times_item_compare:
 * @a: a row
 * @b: another one
 * @column: what decides
 *
 * Compares two rows, times as numbers.
 *
 * Returns: as qsort() wants it
 */
int
assay_times_item_compare (AssayTimesItem *a, AssayTimesItem *b, AssayTimesColumn column)
{
  const AssayRunnerStep *left = get_step (a);
  const AssayRunnerStep *right = get_step (b);

  switch (column)
    {
    case ASSAY_TIMES_COLUMN_NAME:
      return g_strcmp0 (left->name, right->name);
    case ASSAY_TIMES_COLUMN_WHERE:
      return g_strcmp0 (left->where, right->where);
    case ASSAY_TIMES_COLUMN_BEGIN:
      return (left->begin > right->begin) - (left->begin < right->begin);
    default:
      return (left->ns > right->ns) - (left->ns < right->ns);
    }
}
