/* assay-torch-pass-decompose.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Composites become the operations that they are made of, as torch-decompositions.def has it.
 */
#include "source/torch/pass/assay-torch-decompose-private.h"

#include <string.h>

#include "source/torch/pass/assay-torch-edit-private.h"

/* A composite of composites is one of more, but not of many. */
#define MAX_ROUNDS 8

static const AssayTorchDecomposition rows[] = {
#define DECOMPOSE(name, operands, steps) { name, operands, steps },
#include "source/torch/pass/torch-decompositions.def"
#undef DECOMPOSE
};

/**
 * assay_torch_decomposition_get:
 * @index: a number
 *
 * Goes through the rows of torch-decompositions.def.
 *
 * Returns: (nullable): the row, %NULL behind the last one
 */
const AssayTorchDecomposition *
assay_torch_decomposition_get (guint index)
{
  return index < G_N_ELEMENTS (rows) ? &rows[index] : NULL;
}

typedef struct
{
  AssayTorchModule *module;
  AssayTorchOp *op;
  GHashTable *names; /* of a row: values */
} Decompose;

/* Whether a word is a constant, and which. */
static const char *
read_constant (const char *word, AssayTorchAttr *attr)
{
  gboolean is_number = g_ascii_isdigit (word[0]) || word[0] == '-';

  *attr = (AssayTorchAttr){ .name = "value" };
  if (g_str_equal (word, "none"))
    return "none";
  if (g_str_equal (word, "true") || g_str_equal (word, "false"))
    {
      attr->kind = ASSAY_TORCH_ATTR_BOOL;
      attr->i = word[0] == 't';
      return "bool";
    }
  if (is_number && strchr (word, '.') != NULL)
    {
      attr->kind = ASSAY_TORCH_ATTR_FLOAT;
      attr->f = g_ascii_strtod (word, NULL);
      return "float";
    }
  if (is_number)
    {
      attr->kind = ASSAY_TORCH_ATTR_INT;
      attr->i = g_ascii_strtoll (word, NULL, 10);
      return "int";
    }

  return NULL;
}

static gboolean
is_constant (const AssayTorchValue *value, const char *type, const AssayTorchAttr *attr)
{
  g_autofree char *name = g_strdup_printf ("torch.constant.%s", type);
  const AssayTorchAttr *own = value->op != NULL && g_str_equal (value->op->name, name)
                                  ? assay_torch_op_find_attr (value->op, "value")
                                  : NULL;

  if (g_str_equal (type, "none"))
    return g_str_equal (value->type->text, "!torch.none");

  return own != NULL && own->kind == attr->kind && own->i == attr->i && own->f == attr->f;
}

static gboolean
is_known_int (const AssayTorchValue *value)
{
  return value->op != NULL && g_str_equal (value->op->name, "torch.constant.int");
}

/* Gives the operands of a row their names. */
static gboolean
bind_operands (Decompose *self, const AssayTorchDecomposition *row)
{
  g_auto (GStrv) words = g_strsplit (row->operands, " ", -1);

  g_hash_table_remove_all (self->names);
  if (g_strv_length (words) != self->op->n_operands)
    return FALSE;
  for (guint i = 0; words[i] != NULL; i++)
    {
      AssayTorchAttr attr;
      const char *type = read_constant (words[i], &attr);

      if (type != NULL && !is_constant (self->op->operands[i], type, &attr))
        return FALSE;
      if (words[i][0] == '#' && !is_known_int (self->op->operands[i]))
        return FALSE;
      if (type == NULL)
        g_hash_table_insert (self->names, g_strdup (words[i] + (words[i][0] == '#')),
                             self->op->operands[i]);
    }

  return TRUE;
}

static AssayTorchValue *
read_operand (Decompose *self, const char *word)
{
  AssayTorchAttr attr;
  const char *type = read_constant (word, &attr);

  return type != NULL ? assay_torch_edit_constant (self->module, self->op, type, attr)
                      : g_hash_table_lookup (self->names, word);
}

static AssayTorchValue *
make_list (Decompose *self, const GPtrArray *items)
{
  const AssayTorchType *type = assay_torch_type_intern (
      self->module, (AssayTorchType){ .kind = ASSAY_TORCH_TYPE_LIST,
                                      .rank = -1,
                                      .n = 1,
                                      .inner = (const AssayTorchType *const[]){
                                          assay_torch_edit_word (self->module, "!torch.int") } });

  return assay_torch_edit_one (self->module, self->op, "torch.prim.ListConstruct", type, "list",
                               items->len, (AssayTorchValue *const *) items->pdata);
}

/* The operands of a step; a list is in brackets. */
static void
read_operands (Decompose *self, char **words, GPtrArray *operands)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  gboolean is_open = FALSE;

  for (guint i = 0; words[i] != NULL; i++)
    {
      char *word = words[i];
      gsize length;
      gboolean closes;

      is_open |= word[0] == '[';
      word += word[0] == '[';
      length = strlen (word);
      closes = length > 0 && word[length - 1] == ']';
      if (closes)
        word[length - 1] = '\0';
      g_ptr_array_add (is_open ? items : operands, read_operand (self, word));
      if (closes)
        {
          g_ptr_array_add (operands, make_list (self, items));
          g_ptr_array_set_size (items, 0);
          is_open = FALSE;
        }
    }
}

/* What is between has the type that is found out later; a number is one. */
static const AssayTorchType *
type_of_step (Decompose *self, const char *name)
{
  if (g_str_has_suffix (name, ".int") && g_str_has_prefix (name, "torch.aten.add"))
    return assay_torch_edit_word (self->module, "!torch.int");

  return assay_torch_type_intern (self->module,
                                  (AssayTorchType){ .kind = ASSAY_TORCH_TYPE_VTENSOR, .rank = -1 });
}

/* Does a step; its result is that of the composite if it is the last one. */
static void
take_step (Decompose *self, char **words, gboolean is_last)
{
  AssayTorchValue *result = self->op->results[0];
  g_autofree char *name = g_strconcat ("torch.", words[2], NULL);
  g_autoptr (GPtrArray) operands = g_ptr_array_new ();
  char *colon = strchr (words[0], ':');
  const AssayTorchType *type = type_of_step (self, name);
  const AssayTorchType *const types[] = { is_last ? result->type : type, type };
  AssayTorchOp *made;

  read_operands (self, words + 3, operands);
  made = assay_torch_edit_new (self->module, name, self->op, operands->len,
                               (AssayTorchValue *const *) operands->pdata, colon != NULL ? 2 : 1,
                               types, result->name != NULL ? result->name : words[0]);
  assay_torch_edit_before (self->op, made);
  if (colon != NULL)
    *colon = '\0';
  g_hash_table_insert (self->names, g_strdup (words[0]), made->results[0]);
  if (is_last)
    result->data = made->results[0];
}

static void
apply (Decompose *self, const AssayTorchDecomposition *row)
{
  g_auto (GStrv) steps = g_strsplit (row->steps, "; ", -1);

  for (guint i = 0; steps[i] != NULL; i++)
    {
      g_auto (GStrv) words = g_strsplit (steps[i], " ", -1);

      take_step (self, words, steps[i + 1] == NULL);
    }
  assay_torch_edit_unlink (self->op);
}

typedef struct
{
  Decompose decompose;
  gboolean any;
} Round;

/* Only values: what may be written to would look at something else. */
static void
decompose_op (AssayTorchOp *op, gpointer user_data)
{
  Round *round = user_data;

  if (op->n_results != 1 || op->results[0]->type->kind != ASSAY_TORCH_TYPE_VTENSOR)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (g_str_equal (rows[i].name, op->name))
      {
        round->decompose.op = op;
        if (!bind_operands (&round->decompose, &rows[i]))
          continue;
        apply (&round->decompose, &rows[i]);
        round->any = TRUE;
        return;
      }
}

gboolean
assay_torch_pass_decompose (AssayTorchModule *module, const AssayProgress *progress, GError **error)
{
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Round round = { { module, NULL, names }, TRUE };

  for (guint i = 0; i < MAX_ROUNDS && round.any; i++)
    {
      round.any = FALSE;
      assay_torch_edit_walk (&module->body, decompose_op, &round);
      assay_torch_edit_forward (module);
    }

  /* What is between two steps gets its type, and constants that come twice are one. */
  return assay_torch_pass_types (module, progress, error) &&
         assay_torch_pass_canonicalize (module, progress, error);
}
