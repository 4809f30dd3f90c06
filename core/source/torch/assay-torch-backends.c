/* assay-torch-backends.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * How far a program comes with each of the backends of torch-mlir: which of its operations have a
 * conversion to linalg, TOSA and StableHLO, before anybody builds a compiler to see.
 */
#include "source/torch/assay-torch-backends.h"

#include "base/assay-sentence.h"
#include "source/torch/assay-torch-op.h"
#include "text/assay-terminal.h"

#define MAX_DEPTH 256
#define N_BACKENDS 3

static const char *const backends[N_BACKENDS] = { "linalg", "TOSA", "StableHLO" };

/* The file of torch-mlir that has the conversion to each, or NULL. */
typedef struct
{
  const char *name;
  const char *sources[N_BACKENDS];
} Lowering;

static const Lowering lowerings[] = {
#define TORCH_LOWERING(name, linalg, tosa, stablehlo) { name, { linalg, tosa, stablehlo } },
#include "source/torch/torch-lowerings.def"
#undef TORCH_LOWERING
};

/* The operations of one name in a program. */
typedef struct
{
  const char *name;
  const Lowering *lowering; /* NULL if no backend has it */
  guint n;
  GString *lines;
} Used;

typedef struct
{
  const AssayTorchModule *module;
  GHashTable *rows; /* by name */
  GPtrArray *used;  /* in the order of the program */
  GHashTable *places;
} Check;

static void
used_free (gpointer data)
{
  Used *self = data;

  g_string_free (self->lines, TRUE);
  g_free (self);
}

static void
note_op (Check *self, const AssayTorchOp *op)
{
  g_autofree char *file = NULL;
  guint line = op->line;
  Used *used = g_hash_table_lookup (self->places, op->name);

  if (used == NULL)
    {
      used = g_new (Used, 1);
      *used = (Used){ op->name, g_hash_table_lookup (self->rows, op->name), 0,
                      g_string_new (NULL) };
      g_ptr_array_add (self->used, used);
      g_hash_table_insert (self->places, (gpointer) op->name, used);
    }
  used->n++;
  assay_torch_module_find_location (self->module, op->loc, &file, &line);
  assay_terminal_append_format (used->lines, "    line %u", op->line);
  if (file != NULL)
    assay_terminal_append_format (used->lines, "  %s:%u", file, line);
  g_string_append_c (used->lines, '\n');
}

static void
note_block (Check *self, const AssayTorchBlock *block, guint depth)
{
  for (const AssayTorchOp *op = block->first; op != NULL; op = op->next)
    {
      /* Constants, lists and functions go everywhere. */
      if (assay_torch_op_info_find (op->name) != NULL || g_str_equal (op->name, "torch.operator"))
        note_op (self, op);
      for (guint i = 0; i < op->n_regions && depth < MAX_DEPTH; i++)
        for (const AssayTorchBlock *inner = op->regions[i].first; inner != NULL;
             inner = inner->next)
          note_block (self, inner, depth + 1);
    }
}

/* What stands in the way of a backend, with its lines, then what does not, with where it says so.
 */
static guint
describe_backend (const Check *self, guint backend, GString *text)
{
  guint n_ops = 0;
  guint n_bad = 0;

  for (guint i = 0; i < self->used->len; i++)
    {
      const Used *used = self->used->pdata[i];

      n_ops += used->n;
      n_bad += used->lowering == NULL || used->lowering->sources[backend] == NULL ? used->n : 0;
    }
  g_string_append_printf (text, "%s: %u of %u operation%s %s in the way\n", backends[backend],
                          n_bad, n_ops, assay_plural (n_ops),
                          assay_noun (n_bad, "stands", "stand"));
  for (guint k = 0; k < 2; k++)
    for (guint i = 0; i < self->used->len; i++)
      {
        const Used *used = self->used->pdata[i];
        const char *source = used->lowering != NULL ? used->lowering->sources[backend] : NULL;

        if ((source == NULL) != (k == 0))
          continue;
        assay_terminal_append_format (text, "  %s %u %s%s%s\n", k == 0 ? "-" : "+", used->n,
                                      used->name, k == 0 ? "" : "  ", k == 0 ? "" : source);
        g_string_append (text, k == 0 ? used->lines->str : "");
      }
  g_string_append_c (text, '\n');

  return n_bad;
}

/**
 * assay_torch_module_check_backends:
 * @self: a module
 * @n: (out): how many operations stand in the way of the backend that takes most
 *
 * Tells which operations of a program the conversions of torch-mlir take to each of its backend
 * dialects, and where the others stand. A conversion may still refuse what it is given.
 *
 * Returns: (transfer full): a text for people
 */
char *
assay_torch_module_check_backends (const AssayTorchModule *self, guint *n)
{
  g_autoptr (GHashTable) rows = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) places = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) used = g_ptr_array_new_with_free_func (used_free);
  Check check = { self, rows, used, places };
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (lowerings); i++)
    g_hash_table_insert (rows, (gpointer) lowerings[i].name, (gpointer) &lowerings[i]);
  note_block (&check, &self->body, 0);

  *n = G_MAXUINT;
  for (guint i = 0; i < N_BACKENDS; i++)
    {
      guint n_bad = describe_backend (&check, i, text);

      *n = MIN (*n, n_bad);
    }

  return g_string_free (text, FALSE);
}
