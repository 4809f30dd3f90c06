/* assay-torch-pass.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/torch/pass/assay-torch-pass.h"

#include "source/torch/pass/assay-torch-edit-private.h"

static const AssayTorchPass passes[] = {
#define ASSAY_TORCH_PASS(function, name, summary) { name, summary, assay_torch_pass_##function },
#include "source/torch/pass/torch-passes.def"
#undef ASSAY_TORCH_PASS
};

/**
 * assay_torch_pass_get:
 * @index: a number
 *
 * Goes through the passes, in the order in which they run.
 *
 * Returns: (nullable): the pass, %NULL behind the last one
 */
const AssayTorchPass *
assay_torch_pass_get (guint index)
{
  return index < G_N_ELEMENTS (passes) ? &passes[index] : NULL;
}

/**
 * assay_torch_pass_find:
 * @name: name of a pass
 *
 * Looks for a pass.
 *
 * Returns: (nullable): the pass
 */
const AssayTorchPass *
assay_torch_pass_find (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (passes); i++)
    if (g_str_equal (passes[i].name, name))
      return &passes[i];

  return NULL;
}

static void
count_op (AssayTorchOp *op, gpointer user_data)
{
  GHashTable *counts = user_data;

  g_hash_table_insert (
      counts, (gpointer) op->name,
      GUINT_TO_POINTER (GPOINTER_TO_UINT (g_hash_table_lookup (counts, op->name)) + 1));
}

static GHashTable *
count_ops (AssayTorchModule *module)
{
  GHashTable *counts = g_hash_table_new (g_str_hash, g_str_equal);

  assay_torch_edit_walk (&module->body, count_op, counts);

  return counts;
}

static gint
compare_changes (gconstpointer a, gconstpointer b)
{
  return g_strcmp0 (((const AssayTorchChange *) a)->name, ((const AssayTorchChange *) b)->name);
}

static void
add_changes (GArray *changes, GHashTable *before, GHashTable *after, gboolean is_gone)
{
  GHashTableIter iter;
  gpointer name, n;

  g_hash_table_iter_init (&iter, is_gone ? before : after);
  while (g_hash_table_iter_next (&iter, &name, &n))
    {
      guint other = GPOINTER_TO_UINT (g_hash_table_lookup (is_gone ? after : before, name));
      AssayTorchChange change = { name, 0, 0 };

      if (GPOINTER_TO_UINT (n) <= other)
        continue;
      *(is_gone ? &change.gone : &change.made) = GPOINTER_TO_UINT (n) - other;
      g_array_append_val (changes, change);
    }
}

/**
 * assay_torch_pass_run:
 * @self: a pass
 * @module: a program that all passes before it went through
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Takes a program one step further.
 *
 * Returns: (transfer full) (element-type AssayTorchChange) (nullable): what it changed, by name of
 * the operation
 */
GArray *
assay_torch_pass_run (const AssayTorchPass *self, AssayTorchModule *module,
                      const AssayProgress *progress, GError **error)
{
  g_autoptr (GHashTable) before = count_ops (module);
  g_autoptr (GHashTable) after = NULL;
  GArray *changes;

  assay_torch_edit_clear (module);
  if (!self->run (module, progress, error))
    {
      g_prefix_error (error, "%s: ", self->name);
      return NULL;
    }
  assay_torch_edit_clear (module);

  after = count_ops (module);
  changes = g_array_new (FALSE, FALSE, sizeof (AssayTorchChange));
  add_changes (changes, before, after, TRUE);
  add_changes (changes, before, after, FALSE);
  g_array_sort (changes, compare_changes);

  return changes;
}

/**
 * assay_torch_pass_note:
 * @changes: (element-type AssayTorchChange): what a pass changed
 * @is_changed: whether the text is another one
 *
 * Says how much a pass did where its changes cannot tell.
 *
 * Returns: (nullable): a few words, %NULL if operations came or went
 */
const char *
assay_torch_pass_note (const GArray *changes, gboolean is_changed)
{
  return !is_changed ? "nothing here" : changes->len == 0 ? "types only" : NULL;
}

/**
 * assay_torch_module_run_passes:
 * @self: a program as it was read
 * @last: the pass to end with
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Takes a program through all passes to one of them.
 *
 * Returns: whether all of them could be carried out
 */
gboolean
assay_torch_module_run_passes (AssayTorchModule *self, const AssayTorchPass *last,
                               const AssayProgress *progress, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (passes); i++)
    {
      g_autoptr (GArray) changes = assay_torch_pass_run (&passes[i], self, progress, error);

      if (changes == NULL)
        return FALSE;
      if (&passes[i] == last)
        break;
    }

  return TRUE;
}

/**
 * assay_torch_module_describe_passes:
 * @self: a program as it was read, afterwards as it is behind the last pass
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Takes a program through all passes, and tells what each of them changed.
 *
 * Returns: (transfer full) (nullable): a text for people
 */
char *
assay_torch_module_describe_passes (AssayTorchModule *self, const AssayProgress *progress,
                                    GError **error)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (passes); i++)
    {
      g_autofree char *before = assay_torch_module_print (self);
      g_autofree char *after = NULL;
      g_autoptr (GArray) changes = assay_torch_pass_run (&passes[i], self, progress, error);
      const char *note;

      if (changes == NULL)
        {
          g_string_free (text, TRUE);
          return NULL;
        }
      after = assay_torch_module_print (self);
      note = assay_torch_pass_note (changes, !g_str_equal (before, after));
      g_string_append_printf (text, "%s: %s%s%s%s\n", passes[i].name, passes[i].summary,
                              note != NULL ? " (" : "", note != NULL ? note : "",
                              note != NULL ? ")" : "");
      for (guint k = 0; k < changes->len; k++)
        {
          const AssayTorchChange *change = &g_array_index (changes, AssayTorchChange, k);

          g_string_append_printf (text, "  %c%u %s\n", change->gone > 0 ? '-' : '+',
                                  MAX (change->gone, change->made), change->name);
        }
    }

  return g_string_free (text, FALSE);
}
