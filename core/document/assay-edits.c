/* assay-edits.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "document/assay-edits.h"

#include "base/assay-keys.h"

struct _AssayEdits
{
  AssaySettings *setup;
  char *target_id;
  char *tolerance;
  GPtrArray *fixes;  /* AssayFix that change nodes, in order; shared, so never changed */
  GHashTable *notes; /* name of a pinned node to its note */
};

G_DEFINE_BOXED_TYPE (AssayEdits, assay_edits, assay_edits_copy, assay_edits_free)

/**
 * assay_edits_new:
 * @target_id: id of a target, or path of a target file
 *
 * Makes edits that change nothing.
 *
 * Returns: (transfer full): the edits
 */
AssayEdits *
assay_edits_new (const char *target_id)
{
  AssayEdits *self = g_new0 (AssayEdits, 1);

  self->setup = assay_settings_new ();
  self->target_id = g_strdup (target_id);
  self->fixes = assay_fixes_new ();
  self->notes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);

  return self;
}

/**
 * assay_edits_copy:
 * @self: edits
 *
 * Copies edits.
 *
 * Returns: (transfer full): the copy
 */
AssayEdits *
assay_edits_copy (const AssayEdits *self)
{
  AssayEdits *copy = assay_edits_new (self->target_id);
  GHashTableIter iter;
  gpointer node, note;

  assay_edits_set_setup (copy, self->setup);
  assay_edits_set_tolerance (copy, self->tolerance);
  assay_edits_set_fixes (copy, self->fixes);
  g_hash_table_iter_init (&iter, self->notes);
  while (g_hash_table_iter_next (&iter, &node, &note))
    assay_edits_set_note (copy, node, note);

  return copy;
}

/**
 * assay_edits_free:
 * @self: (nullable): edits
 *
 * Frees edits.
 */
void
assay_edits_free (AssayEdits *self)
{
  if (self == NULL)
    return;

  assay_settings_unref (self->setup);
  g_free (self->target_id);
  g_free (self->tolerance);
  g_ptr_array_unref (self->fixes);
  g_hash_table_unref (self->notes);
  g_free (self);
}

/* The first pinned node of one that is not the same in the other. */
static const char *
find_difference (const AssayEdits *a, const AssayEdits *b)
{
  GHashTableIter iter;
  gpointer node, note;

  g_hash_table_iter_init (&iter, a->notes);
  while (g_hash_table_iter_next (&iter, &node, &note))
    if (g_strcmp0 (assay_edits_get_note (b, node), note) != 0)
      return node;

  return NULL;
}

/**
 * assay_edits_equal:
 * @a: edits
 * @b: others
 *
 * Compares edits.
 *
 * Returns: whether they say the same
 */
gboolean
assay_edits_equal (const AssayEdits *a, const AssayEdits *b)
{
  return assay_settings_equal (a->setup, b->setup) && g_strcmp0 (a->target_id, b->target_id) == 0 &&
         g_strcmp0 (a->tolerance, b->tolerance) == 0 && assay_edits_same_fixes (a, b) &&
         assay_edits_same_notes (a, b);
}

/**
 * assay_edits_same_notes:
 * @a: edits
 * @b: others
 *
 * Compares pins and notes alone.
 *
 * Returns: whether they are the same
 */
gboolean
assay_edits_same_notes (const AssayEdits *a, const AssayEdits *b)
{
  return g_hash_table_size (a->notes) == g_hash_table_size (b->notes) &&
         find_difference (a, b) == NULL;
}

static char *
describe_notes (const AssayEdits *before, const AssayEdits *after)
{
  const char *node = find_difference (after, before);
  const char *was, *is;

  if (node == NULL)
    node = find_difference (before, after);
  if (node == NULL)
    return g_strdup ("Notes");

  was = assay_edits_get_note (before, node);
  is = assay_edits_get_note (after, node);
  if (is == NULL)
    return g_strdup_printf ("Unpin %s", node);
  return g_strdup_printf ("%s %s", was == NULL && *is == '\0' ? "Pin" : "Note on", node);
}

static char *
describe_fixes (const AssayEdits *before, const AssayEdits *after)
{
  g_autofree char *title = NULL;

  if (after->fixes->len <= before->fixes->len)
    return g_strdup ("Removing a Fix");

  title = assay_fix_get_title (g_ptr_array_index (after->fixes, after->fixes->len - 1));
  return g_strdup_printf ("Fix: %s", title);
}

/**
 * assay_edits_describe_change:
 * @before: edits
 * @after: others
 *
 * Names what is different, as it can stand behind `Undo`.
 *
 * Returns: (transfer full): words in header capitals
 */
char *
assay_edits_describe_change (const AssayEdits *before, const AssayEdits *after)
{
  if (!assay_edits_same_fixes (before, after))
    return describe_fixes (before, after);

  if (!assay_settings_equal (before->setup, after->setup))
    return assay_settings_describe_change (before->setup, after->setup);

  if (g_strcmp0 (before->target_id, after->target_id) != 0)
    {
      g_autofree char *name = g_filename_display_basename (after->target_id);
      return g_strdup_printf ("Target %s", name);
    }

  if (g_strcmp0 (before->tolerance, after->tolerance) != 0)
    return g_strdup ("Tolerances");

  return describe_notes (before, after);
}

/**
 * assay_edits_get_setup:
 * @self: edits
 *
 * Gets how the model is set up.
 *
 * Returns: (transfer none): the setup
 */
AssaySettings *
assay_edits_get_setup (const AssayEdits *self)
{
  return self->setup;
}

/**
 * assay_edits_set_setup:
 * @self: edits
 * @setup: a setup
 *
 * Changes how the model is set up.
 */
void
assay_edits_set_setup (AssayEdits *self, AssaySettings *setup)
{
  AssaySettings *copy = assay_settings_ref (setup);

  assay_settings_unref (self->setup);
  self->setup = copy;
}

/**
 * assay_edits_get_target_id:
 * @self: edits
 *
 * Gets the target.
 *
 * Returns: (transfer none): its id, or the path of its file
 */
const char *
assay_edits_get_target_id (const AssayEdits *self)
{
  return self->target_id;
}

/**
 * assay_edits_set_target_id:
 * @self: edits
 * @target_id: id of a target, or path of a target file
 *
 * Changes the target.
 */
void
assay_edits_set_target_id (AssayEdits *self, const char *target_id)
{
  char *copy = g_strdup (target_id);

  g_free (self->target_id);
  self->target_id = copy;
}

/**
 * assay_edits_get_tolerance:
 * @self: edits
 *
 * Gets the file with the tolerances.
 *
 * Returns: (transfer none) (nullable): its path, %NULL for those that ship
 */
const char *
assay_edits_get_tolerance (const AssayEdits *self)
{
  return self->tolerance;
}

/**
 * assay_edits_set_tolerance:
 * @self: edits
 * @path: (nullable): path of a file with tolerances, %NULL for those that ship
 *
 * Changes how far values may be apart.
 */
void
assay_edits_set_tolerance (AssayEdits *self, const char *path)
{
  char *copy = g_strdup (path);

  g_free (self->tolerance);
  self->tolerance = copy;
}

/**
 * assay_edits_get_fixes:
 * @self: edits
 *
 * Gets the fixes that change nodes, in the order in which they were applied; other fixes are in the
 * setup.
 *
 * Returns: (transfer none) (element-type AssayFix): the fixes, not to be changed
 */
GPtrArray *
assay_edits_get_fixes (const AssayEdits *self)
{
  return self->fixes;
}

/**
 * assay_edits_set_fixes:
 * @self: edits
 * @fixes: (element-type AssayFix): fixes that change nodes, not to be changed any more
 *
 * Replaces the fixes.
 */
void
assay_edits_set_fixes (AssayEdits *self, GPtrArray *fixes)
{
  g_ptr_array_ref (fixes);
  g_ptr_array_unref (self->fixes);
  self->fixes = fixes;
}

/**
 * assay_edits_same_fixes:
 * @a: edits
 * @b: others
 *
 * Compares the fixes alone.
 *
 * Returns: whether they are the same, in the same order
 */
gboolean
assay_edits_same_fixes (const AssayEdits *a, const AssayEdits *b)
{
  if (a->fixes == b->fixes)
    return TRUE;
  if (a->fixes->len != b->fixes->len)
    return FALSE;

  for (guint i = 0; i < a->fixes->len; i++)
    if (!assay_fix_equal (g_ptr_array_index (a->fixes, i), g_ptr_array_index (b->fixes, i)))
      return FALSE;

  return TRUE;
}

/**
 * assay_edits_n_notes:
 * @self: edits
 *
 * Counts the pinned nodes.
 *
 * Returns: their number
 */
guint
assay_edits_n_notes (const AssayEdits *self)
{
  return g_hash_table_size (self->notes);
}

/**
 * assay_edits_list_notes:
 * @self: edits
 *
 * Lists the pinned nodes.
 *
 * Returns: (transfer full) (array zero-terminated=1): their names, sorted
 */
char **
assay_edits_list_notes (const AssayEdits *self)
{
  return assay_list_keys (self->notes);
}

/**
 * assay_edits_get_note:
 * @self: edits
 * @node: name of a node
 *
 * Gets what was noted on a node.
 *
 * Returns: (transfer none) (nullable): the note, "" for a pin without one, %NULL if the node is not
 * pinned
 */
const char *
assay_edits_get_note (const AssayEdits *self, const char *node)
{
  return g_hash_table_lookup (self->notes, node);
}

/**
 * assay_edits_set_note:
 * @self: edits
 * @node: name of a node
 * @note: (nullable): "" or a note, which pin the node; %NULL unpins it
 *
 * Pins a node, changes its note, or unpins it.
 */
void
assay_edits_set_note (AssayEdits *self, const char *node, const char *note)
{
  if (note != NULL)
    g_hash_table_replace (self->notes, g_strdup (node), g_strdup (note));
  else
    g_hash_table_remove (self->notes, node);
}
