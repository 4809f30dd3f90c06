/* assay-result-item.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session/list/assay-result-item.h"

struct _AssayResultItem
{
  GObject parent_instance;

  char *name;
  char *whole; /* or NULL */
  char *part;
  AssayTensor *tensor;
  AssayStatistics statistics;
};

G_DEFINE_FINAL_TYPE (AssayResultItem, assay_result_item, G_TYPE_OBJECT)

static void
assay_result_item_finalize (GObject *object)
{
  AssayResultItem *self = ASSAY_RESULT_ITEM (object);

  g_free (self->name);
  g_free (self->whole);
  g_free (self->part);
  assay_tensor_unref (self->tensor);

  G_OBJECT_CLASS (assay_result_item_parent_class)->finalize (object);
}

static void
assay_result_item_class_init (AssayResultItemClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = assay_result_item_finalize;
}

static void
assay_result_item_init (AssayResultItem *self)
{
}

/**
 * assay_result_item_new:
 * @port: the output, or a part of one
 * @tensor: what came out
 *
 * Makes a row for a tensor and works out its statistics; to be called off the main context if the
 * tensor is large.
 *
 * Returns: (transfer full): the row
 */
AssayResultItem *
assay_result_item_new (const AssayRunPort *port, AssayTensor *tensor)
{
  AssayResultItem *self = g_object_new (ASSAY_TYPE_RESULT_ITEM, NULL);
  gsize n = assay_tensor_get_n_elements (tensor);
  g_autofree double *values = g_new0 (double, MAX (n, 1));

  self->name = g_strdup (port->name);
  self->whole = g_strdup (port->whole);
  self->part = g_strdup (port->part);
  self->tensor = assay_tensor_ref (tensor);
  for (gsize i = 0; i < n; i++)
    if (!assay_tensor_get_element (tensor, i, &values[i], NULL))
      n = i; /* text, or elements that cannot be read: no numbers */
  self->statistics = assay_statistics_of (values, n);
  return self;
}

/**
 * assay_result_item_get_name:
 * @self: a row
 *
 * Gets which output it is.
 *
 * Returns: (transfer none): its name
 */
const char *
assay_result_item_get_name (AssayResultItem *self)
{
  return self->name;
}

/**
 * assay_result_item_get_whole:
 * @self: a row
 *
 * Gets the sequence, the map or the optional that it is a part of.
 *
 * Returns: (transfer none) (nullable): name of the output, %NULL if it is one itself
 */
const char *
assay_result_item_get_whole (AssayResultItem *self)
{
  return self->whole;
}

/**
 * assay_result_item_get_part:
 * @self: a row
 *
 * Gets which part it is.
 *
 * Returns: (transfer none) (nullable): the part, see #AssayRunParts
 */
const char *
assay_result_item_get_part (AssayResultItem *self)
{
  return self->part;
}

/**
 * assay_result_item_get_tensor:
 * @self: a row
 *
 * Gets what came out.
 *
 * Returns: (transfer none): the tensor
 */
AssayTensor *
assay_result_item_get_tensor (AssayResultItem *self)
{
  return self->tensor;
}

/**
 * assay_result_item_get_statistics:
 * @self: a row
 *
 * Gets what the tensor is like as a whole.
 *
 * Returns: (transfer none): the statistics
 */
const AssayStatistics *
assay_result_item_get_statistics (AssayResultItem *self)
{
  return &self->statistics;
}

/**
 * assay_result_item_dup_shape:
 * @self: a row
 *
 * Writes the shape of the tensor.
 *
 * Returns: (transfer full): such as `1 × 8 × 64`
 */
char *
assay_result_item_dup_shape (AssayResultItem *self)
{
  const gint64 *dims = assay_tensor_get_dims (self->tensor);
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < assay_tensor_get_rank (self->tensor); i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? " × " : "", dims[i]);
  if (text->len == 0)
    g_string_append (text, "scalar");

  return g_string_free (text, FALSE);
}
