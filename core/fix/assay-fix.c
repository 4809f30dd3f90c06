/* assay-fix.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fix/assay-fix.h"

#include <string.h>

#include "base/assay-sentence.h"
#include "fix/assay-rewrite-private.h"

G_DEFINE_BOXED_TYPE (AssayFix, assay_fix, assay_fix_copy, assay_fix_free)

/**
 * assay_fix_new:
 * @rewrite: id of a rewrite
 * @nodes: (nullable) (array zero-terminated=1): names of the nodes that it is applied to
 * @arguments: (nullable) (array zero-terminated=1): `NAME=VALUE`
 *
 * Makes a record; whether it applies to a model shows when it is applied.
 *
 * Returns: (transfer full): the record
 */
AssayFix *
assay_fix_new (const char *rewrite, const char *const *nodes, const char *const *arguments)
{
  static const char *const none[] = { NULL };
  AssayFix *self = g_new0 (AssayFix, 1);

  self->rewrite = g_strdup (rewrite);
  self->nodes = g_strdupv ((char **) (nodes != NULL ? nodes : none));
  self->arguments = g_strdupv ((char **) (arguments != NULL ? arguments : none));

  return self;
}

/**
 * assay_fix_copy:
 * @self: a record
 *
 * Copies a record.
 *
 * Returns: (transfer full): the copy
 */
AssayFix *
assay_fix_copy (const AssayFix *self)
{
  return assay_fix_new (self->rewrite, (const char *const *) self->nodes,
                        (const char *const *) self->arguments);
}

void
assay_fix_free (AssayFix *self)
{
  g_free (self->rewrite);
  g_strfreev (self->nodes);
  g_strfreev (self->arguments);
  g_free (self);
}

/**
 * assay_fix_equal:
 * @a: a record
 * @b: another record
 *
 * Compares two records.
 *
 * Returns: whether they say the same
 */
gboolean
assay_fix_equal (const AssayFix *a, const AssayFix *b)
{
  return g_str_equal (a->rewrite, b->rewrite) &&
         g_strv_equal ((const char *const *) a->nodes, (const char *const *) b->nodes) &&
         g_strv_equal ((const char *const *) a->arguments, (const char *const *) b->arguments);
}

/**
 * assay_fix_get_argument:
 * @self: a record
 * @name: name of an argument
 *
 * Gets an argument by its name.
 *
 * Returns: (transfer none) (nullable): its value
 */
const char *
assay_fix_get_argument (const AssayFix *self, const char *name)
{
  gsize length = strlen (name);

  for (guint i = 0; self->arguments[i] != NULL; i++)
    {
      if (strncmp (self->arguments[i], name, length) == 0 && self->arguments[i][length] == '=')
        return self->arguments[i] + length + 1;
    }

  return NULL;
}

/**
 * assay_fix_get_kind:
 * @self: a record
 *
 * Tells what a fix changes; of a rewrite that is unknown: nodes.
 *
 * Returns: the kind
 */
AssayFixKind
assay_fix_get_kind (const AssayFix *self)
{
  const AssayRewriteRow *row = assay_rewrite_find (self->rewrite);

  return row != NULL ? row->kind : ASSAY_FIX_GRAPH;
}

/**
 * assay_fix_get_keeps:
 * @self: a record
 *
 * Tells what a fix keeps of the outputs; of a rewrite that is unknown nothing is promised.
 *
 * Returns: what it keeps
 */
AssayFixKeeps
assay_fix_get_keeps (const AssayFix *self)
{
  const AssayRewriteRow *row = assay_rewrite_find (self->rewrite);

  if (row == NULL)
    return ASSAY_FIX_KEEPS_APPROXIMATION;

  return g_str_equal (row->id, "replace-op") ? assay_replace_op_keeps (self) : row->keeps;
}

/**
 * assay_fix_get_title:
 * @self: a record
 *
 * Says in a few words what a fix does, such as `Replace HardSwish by Mul and HardSigmoid`.
 *
 * Returns: (transfer full): the words
 */
char *
assay_fix_get_title (const AssayFix *self)
{
  const AssayRewriteRow *row = assay_rewrite_find (self->rewrite);

  if (row == NULL)
    return g_strdup (self->rewrite);

  return row->title_of != NULL ? row->title_of (self) : g_strdup (row->title);
}

/**
 * assay_fix_describe:
 * @self: a record
 *
 * Says what a fix does and to how many nodes, or to which.
 *
 * Returns: (transfer full): the words
 */
char *
assay_fix_describe (const AssayFix *self)
{
  g_autofree char *title = assay_fix_get_title (self);
  guint n = g_strv_length (self->nodes);

  if (n == 0)
    return g_steal_pointer (&title);
  if (n == 1)
    return g_strdup_printf ("%s at %s", title, self->nodes[0]);

  return g_strdup_printf ("%s at %u node%s", title, n, assay_plural (n));
}

/**
 * assay_fixes_new:
 *
 * Makes an empty list of fixes that owns what is added.
 *
 * Returns: (transfer full) (element-type AssayFix): the list
 */
GPtrArray *
assay_fixes_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) assay_fix_free);
}
