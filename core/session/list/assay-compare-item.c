/* assay-compare-item.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session/list/assay-compare-item.h"

struct _AssayCompareItem
{
  GObject parent_instance;

  guint index;
  char *name;
  char *node_name;
  char *place;
  char *op_type;
  char *shape;
  char *note;
  gboolean has_own;
  double error;
  double inherited;
  double limit;
  gint64 step;
  AssayDivergence divergence;
  double share;
  double factor;
  double bias;
  double total;
  AssayCompareStats stats;
  AssayQuantizeLoss *cost;
};

G_DEFINE_FINAL_TYPE (AssayCompareItem, assay_compare_item, G_TYPE_OBJECT)

static void
assay_compare_item_finalize (GObject *object)
{
  AssayCompareItem *self = ASSAY_COMPARE_ITEM (object);

  g_free (self->name);
  g_free (self->node_name);
  g_free (self->place);
  g_free (self->op_type);
  g_free (self->shape);
  g_free (self->note);
  g_free (self->cost);

  G_OBJECT_CLASS (assay_compare_item_parent_class)->finalize (object);
}

static void
assay_compare_item_class_init (AssayCompareItemClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = assay_compare_item_finalize;
}

static void
assay_compare_item_init (AssayCompareItem *self)
{
}

/**
 * assay_compare_item_new:
 * @row: a row
 * @index: its place in program order
 *
 * Copies a row.
 *
 * Returns: (transfer full): the copy
 */
AssayCompareItem *
assay_compare_item_new (const AssayComparisonRow *row, guint index)
{
  AssayCompareItem *self = g_object_new (ASSAY_TYPE_COMPARE_ITEM, NULL);
  g_autoptr (GString) shape = g_string_new (NULL);

  for (guint i = 0; i < row->rank; i++)
    g_string_append_printf (shape, "%s%" G_GINT64_FORMAT, i > 0 ? "×" : "", row->dims[i]);

  self->index = index;
  self->name = g_strdup (row->name != NULL ? row->name : "");
  self->node_name = g_strdup (row->node_name != NULL ? row->node_name : "");
  self->place = assay_comparison_row_dup_place (row);
  self->op_type = g_strdup (row->op_type != NULL ? row->op_type : "");
  self->shape = g_strdup (shape->str);
  self->note = g_strdup (row->note);
  self->has_own = row->has_own;
  self->error = assay_comparison_row_error (row);
  self->inherited = row->inherited;
  self->limit = row->limit;
  self->step = row->worst_step;
  self->divergence = assay_comparison_row_divergence (row);
  self->share = assay_comparison_row_share (row);
  self->factor = assay_comparison_row_factor (row);
  self->bias = assay_comparison_row_bias (row);
  self->total = row->total.error;
  self->stats = row->has_own ? row->own : row->total;
  self->cost = g_memdup2 (row->cost, sizeof *row->cost);
  return self;
}

/**
 * assay_compare_item_get_index:
 * @self: a row
 *
 * Gets its place in program order.
 *
 * Returns: the place
 */
guint
assay_compare_item_get_index (AssayCompareItem *self)
{
  return self->index;
}

/**
 * assay_compare_item_get_name:
 * @self: a row
 *
 * Gets what was compared.
 *
 * Returns: (transfer none): name of the value
 */
const char *
assay_compare_item_get_name (AssayCompareItem *self)
{
  return self->name;
}

/**
 * assay_compare_item_get_node_name:
 * @self: a row
 *
 * Gets what made it.
 *
 * Returns: (transfer none): name of the node, "" if there is none
 */
const char *
assay_compare_item_get_node_name (AssayCompareItem *self)
{
  return self->node_name;
}

/**
 * assay_compare_item_get_place:
 * @self: a row
 *
 * Gets what the row is about: its node, and of a node with several rows the output.
 *
 * Returns: (transfer none): as assay_comparison_row_dup_place() has it
 */
const char *
assay_compare_item_get_place (AssayCompareItem *self)
{
  return self->place;
}

/**
 * assay_compare_item_get_op_type:
 * @self: a row
 *
 * Gets what kind of node made it.
 *
 * Returns: (transfer none): the operator
 */
const char *
assay_compare_item_get_op_type (AssayCompareItem *self)
{
  return self->op_type;
}

/**
 * assay_compare_item_get_shape:
 * @self: a row
 *
 * Gets the extents.
 *
 * Returns: (transfer none): such as `1×64×64`
 */
const char *
assay_compare_item_get_shape (AssayCompareItem *self)
{
  return self->shape;
}

/**
 * assay_compare_item_get_note:
 * @self: a row
 *
 * Gets why the two could not be compared.
 *
 * Returns: (nullable): a sentence
 */
const char *
assay_compare_item_get_note (AssayCompareItem *self)
{
  return self->note;
}

/**
 * assay_compare_item_has_own:
 * @self: a row
 *
 * Tells whether the error is the node's own; otherwise it holds what came in as well.
 *
 * Returns: whether it is
 */
gboolean
assay_compare_item_has_own (AssayCompareItem *self)
{
  return self->has_own;
}

/**
 * assay_compare_item_get_error:
 * @self: a row
 *
 * Gets the largest scaled error.
 *
 * Returns: units in the last place
 */
double
assay_compare_item_get_error (AssayCompareItem *self)
{
  return self->error;
}

/**
 * assay_compare_item_get_inherited:
 * @self: a row
 *
 * Gets the largest scaled error of what the node reads.
 *
 * Returns: units in the last place
 */
double
assay_compare_item_get_inherited (AssayCompareItem *self)
{
  return self->inherited;
}

/**
 * assay_compare_item_get_limit:
 * @self: a row
 *
 * Gets the largest scaled error that is within the tolerance.
 *
 * Returns: units in the last place
 */
double
assay_compare_item_get_limit (AssayCompareItem *self)
{
  return self->limit;
}

/**
 * assay_compare_item_get_step:
 * @self: a row
 *
 * Gets the timestep with the largest error.
 *
 * Returns: the step, -1 if there are none
 */
gint64
assay_compare_item_get_step (AssayCompareItem *self)
{
  return self->step;
}

/**
 * assay_compare_item_get_divergence:
 * @self: a row
 *
 * Gets what the difference of the two is.
 *
 * Returns: the divergence
 */
AssayDivergence
assay_compare_item_get_divergence (AssayCompareItem *self)
{
  return self->divergence;
}

/**
 * assay_compare_item_get_share:
 * @self: a row
 *
 * Gets how much of its limit the error takes.
 *
 * Returns: the error over the limit
 */
double
assay_compare_item_get_share (AssayCompareItem *self)
{
  return self->share;
}

/**
 * assay_compare_item_get_factor:
 * @self: a row
 *
 * Gets how many times what comes in is larger behind the op.
 *
 * Returns: the factor, 0 where it is not known
 */
double
assay_compare_item_get_factor (AssayCompareItem *self)
{
  return self->factor;
}

/**
 * assay_compare_item_get_bias:
 * @self: a row
 *
 * Gets how far the differences lean to one side.
 *
 * Returns: 1 or -1 of a constant, 0 where it may be chance
 */
double
assay_compare_item_get_bias (AssayCompareItem *self)
{
  return self->bias;
}

/**
 * assay_compare_item_get_total:
 * @self: a row
 *
 * Gets the largest scaled error with everything that came in.
 *
 * Returns: units in the last place
 */
double
assay_compare_item_get_total (AssayCompareItem *self)
{
  return self->total;
}

/**
 * assay_compare_item_get_stats:
 * @self: a row
 *
 * Gets all metrics: of the own error where it is known, else of the total.
 *
 * Returns: (transfer none): the metrics
 */
const AssayCompareStats *
assay_compare_item_get_stats (AssayCompareItem *self)
{
  return &self->stats;
}

/**
 * assay_compare_item_get_cost:
 * @self: a row
 *
 * Gets what 8 bits cost against float.
 *
 * Returns: (transfer none) (nullable): the cost, %NULL where there are none
 */
const AssayQuantizeLoss *
assay_compare_item_get_cost (AssayCompareItem *self)
{
  return self->cost;
}
