/* torch-same.h
 * SPDX-License-Identifier: Apache-2.0
 *
 * Whether two texts of torch say the same: what the names of values are, and in what order
 * attributes stand, says nothing.
 */
#pragma once

#include <string.h>

#include "source/torch/assay-torch-module.h"

/* What differs, NULL for nothing. */
static const char *torch_same_attrs (guint n, const AssayTorchAttr *a, guint m,
                                     const AssayTorchAttr *b);
static const char *torch_same_block_lists (GHashTable *values, const AssayTorchBlock *a,
                                           const AssayTorchBlock *b, gboolean is_function);

static inline const char *
torch_same_attr (const AssayTorchAttr *a, const AssayTorchAttr *b)
{
  const char *different = NULL;

  if (a->kind != b->kind || a->i != b->i || (a->type == NULL) != (b->type == NULL) ||
      (a->type != NULL && !g_str_equal (a->type->text, b->type->text)))
    return "an attribute's kind, number or type";
  if (memcmp (&a->f, &b->f, sizeof a->f) != 0 && a->f == a->f)
    return "an attribute's number with a point";
  if (a->length != b->length || (a->length > 0 && memcmp (a->s, b->s, a->length) != 0))
    return "an attribute's text";
  if (a->kind != ASSAY_TORCH_ATTR_ARRAY)
    return torch_same_attrs (a->n, a->items, b->n, b->items);
  if (a->n != b->n)
    return "the items of an attribute";
  for (guint i = 0; different == NULL && i < a->n; i++)
    different = torch_same_attr (&a->items[i], &b->items[i]);

  return different;
}

static inline const char *
torch_same_attrs (guint n, const AssayTorchAttr *a, guint m, const AssayTorchAttr *b)
{
  const char *different = n == m ? NULL : "the number of attributes";

  for (guint i = 0; different == NULL && i < n; i++)
    {
      guint j = 0;

      while (j < n && !g_str_equal (a[i].name, b[j].name))
        j++;
      different = j < n ? torch_same_attr (&a[i], &b[j]) : "the name of an attribute";
    }

  return different;
}

/* A value of which only its readers tell the type may have none that tells it. */
static inline const char *
torch_same_definition (GHashTable *values, AssayTorchValue *a, AssayTorchValue *b)
{
  gboolean may_lose = a->op != NULL && a->op->raw != NULL &&
                      b->type->kind == ASSAY_TORCH_TYPE_UNKNOWN;

  g_hash_table_insert (values, a, b);
  if (!may_lose && !g_str_equal (a->type->text, b->type->text))
    return "the type of a value";

  return a->index == b->index && a->part == b->part && (a->name == NULL) == (b->name == NULL) &&
                 g_strcmp0 (a->loc, b->loc) == 0
             ? NULL
             : "a value";
}

static inline const char *
torch_same_op (GHashTable *values, const AssayTorchOp *a, const AssayTorchOp *b)
{
  const char *different;

  if (!g_str_equal (a->name, b->name) || a->n_operands != b->n_operands ||
      a->n_results != b->n_results || a->n_regions != b->n_regions ||
      g_strcmp0 (a->raw, b->raw) != 0 || g_strcmp0 (a->loc, b->loc) != 0)
    return "an operation";
  for (guint i = 0; i < a->n_operands; i++)
    if (g_hash_table_lookup (values, a->operands[i]) != b->operands[i])
      return "an operand";
  different = torch_same_attrs (a->n_attrs, a->attrs, b->n_attrs, b->attrs);
  for (guint i = 0; different == NULL && i < a->n_regions; i++)
    different = torch_same_block_lists (values, a->regions[i].first, b->regions[i].first,
                                        g_str_equal (a->name, "func.func"));
  for (guint i = 0; different == NULL && i < a->n_results; i++)
    different = torch_same_definition (values, a->results[i], b->results[i]);

  return different;
}

static inline const char *
torch_same_block (GHashTable *values, const AssayTorchBlock *a, const AssayTorchBlock *b)
{
  const char *different = a->n_arguments == b->n_arguments ? NULL : "the arguments of a block";
  const AssayTorchOp *p, *q;

  for (guint i = 0; different == NULL && i < a->n_arguments; i++)
    different = torch_same_definition (values, a->arguments[i], b->arguments[i]);
  for (p = a->first, q = b->first; different == NULL && p != NULL && q != NULL;
       p = p->next, q = q->next)
    different = torch_same_op (values, p, q);

  return different != NULL || (p == NULL && q == NULL) ? different : "the number of operations";
}

/* Nobody goes to the first block of a function, so its label says nothing. */
static inline const char *
torch_same_block_lists (GHashTable *values, const AssayTorchBlock *a, const AssayTorchBlock *b,
                        gboolean is_function)
{
  for (gboolean is_first = TRUE; a != NULL && b != NULL; a = a->next, b = b->next, is_first = FALSE)
    {
      const char *different = torch_same_block (values, a, b);

      if (different != NULL)
        return different;
      if (!(is_first && is_function) && g_strcmp0 (a->name, b->name) != 0)
        return "a label";
    }

  return a == NULL && b == NULL ? NULL : "the number of blocks";
}

/* Resources of other kinds than a dialect's are of the tool that has written them. */
static inline const char *
torch_same_resources (const GPtrArray *a, const GPtrArray *b)
{
  guint j = 0;

  for (guint i = 0; i < a->len; i++)
    {
      const AssayTorchResource *p = a->pdata[i];
      const AssayTorchResource *q = j < b->len ? b->pdata[j] : NULL;

      if (p->dialect == NULL)
        continue;
      if (q == NULL || !g_str_equal (p->dialect, q->dialect) || !g_str_equal (p->name, q->name) ||
          p->length != q->length || (p->length > 0 && memcmp (p->text, q->text, p->length) != 0))
        return "a resource";
      j++;
    }

  return j == b->len ? NULL : "the number of resources";
}

static inline const char *
torch_same (const AssayTorchModule *a, const AssayTorchModule *b)
{
  g_autoptr (GHashTable) values = g_hash_table_new (NULL, NULL);
  const char *different = torch_same_resources (a->resource_list, b->resource_list);

  if (different == NULL && a->alias_names->len != b->alias_names->len)
    different = "the number of short names";
  for (guint i = 0; different == NULL && i < a->alias_names->len; i++)
    if (!g_str_equal (a->alias_names->pdata[i], b->alias_names->pdata[i]) ||
        g_strcmp0 (g_hash_table_lookup (a->aliases, a->alias_names->pdata[i]),
                   g_hash_table_lookup (b->aliases, b->alias_names->pdata[i])) != 0)
      different = "a short name";

  return different != NULL ? different : torch_same_block (values, &a->body, &b->body);
}
