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
  GHashTable *used;  /* values that something takes */
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

/* What `@` in a row stands for: integers that types or operands say. @x and @other are the operands
 * that it names. */
typedef gboolean (*FindInts) (const AssayTorchValue *x, const AssayTorchValue *other,
                              const AssayTorchType *result, GArray *values);

static void
append_ints (GArray *values, gint64 from, gint64 to)
{
  for (gint64 i = from; i < to; i++)
    g_array_append_val (values, i);
}

static gboolean
has_rank (const AssayTorchValue *x, int least)
{
  return x != NULL && x->type->kind == ASSAY_TORCH_TYPE_VTENSOR && x->type->rank >= least;
}

/* As many of the last axes as a list has entries. */
static gboolean
find_last (const AssayTorchValue *x, const AssayTorchValue *other, const AssayTorchType *result,
           GArray *values)
{
  if (x == NULL || assay_torch_edit_find_list (x) == NULL)
    return FALSE;
  append_ints (values, -(gint64) x->op->n_operands, 0);

  return TRUE;
}

/* A shape that has its elements along the channels. */
static gboolean
find_channel (const AssayTorchValue *x, const AssayTorchValue *other, const AssayTorchType *result,
              GArray *values)
{
  for (int i = 0; has_rank (x, 2) && i < x->type->rank; i++)
    g_array_append_val (values, (const gint64){ i == 1 ? -1 : 1 });

  return values->len > 0;
}

static gboolean
find_spatial (const AssayTorchValue *x, const AssayTorchValue *other, const AssayTorchType *result,
              GArray *values)
{
  if (has_rank (x, 3))
    append_ints (values, 2, x->type->rank);

  return values->len > 0;
}

static gboolean
find_reversed (const AssayTorchValue *x, const AssayTorchValue *other, const AssayTorchType *result,
               GArray *values)
{
  for (gint64 i = has_rank (x, 0) ? x->type->rank : 0; i-- > 0;)
    g_array_append_val (values, i);

  return has_rank (x, 0);
}

static gboolean
append_shape (const AssayTorchType *type, GArray *values)
{
  guint n_open = 0;

  for (int i = 0; i < type->rank; i++)
    {
      n_open += type->dims[i] < 0;
      g_array_append_val (values, (const gint64){ MAX (type->dims[i], -1) });
    }

  return type->rank >= 0 && n_open < 2;
}

static gboolean
find_shape (const AssayTorchValue *x, const AssayTorchValue *other, const AssayTorchType *result,
            GArray *values)
{
  return has_rank (x, 0) && append_shape (x->type, values);
}

static gboolean
find_result (const AssayTorchValue *x, const AssayTorchValue *other, const AssayTorchType *result,
             GArray *values)
{
  return append_shape (result, values);
}

/* Where an extent is open, -1 would be that of what is made larger. */
static gboolean
find_sizes (const AssayTorchValue *x, const AssayTorchValue *other, const AssayTorchType *result,
            GArray *values)
{
  for (int i = 0; i < result->rank; i++)
    if (result->dims[i] < 0)
      return FALSE;

  return append_shape (result, values);
}

static gboolean
read_int (const AssayTorchValue *value, gint64 *i)
{
  const AssayTorchAttr *attr = value != NULL && is_known_int (value)
                                   ? assay_torch_op_find_attr (value->op, "value")
                                   : NULL;

  if (attr != NULL)
    *i = attr->i;

  return attr != NULL;
}

/* Batch, groups, and what a group has. */
static gboolean
find_groups (const AssayTorchValue *x, const AssayTorchValue *other, const AssayTorchType *result,
             GArray *values)
{
  gint64 shape[] = { 0, 0, -1 };

  if (!has_rank (x, 2) || x->type->dims[0] < 0 || !read_int (other, &shape[1]))
    return FALSE;
  shape[0] = x->type->dims[0];
  g_array_append_vals (values, shape, 3);

  return TRUE;
}

/* How many elements are made one by a reduction over axes, or over all if there are none. */
static gboolean
find_count (const AssayTorchValue *x, const AssayTorchValue *other, const AssayTorchType *result,
            GArray *values)
{
  gint64 n = 1;
  gboolean is_all = other != NULL && g_str_equal (other->type->text, "!torch.none");
  const AssayTorchOp *list = other != NULL ? assay_torch_edit_find_list (other) : NULL;

  if (!has_rank (x, 0) || (!is_all && list == NULL))
    return FALSE;
  for (guint i = 0; i < (is_all ? (guint) x->type->rank : list->n_operands); i++)
    {
      gint64 axis = i;

      if (!is_all && !read_int (list->operands[i], &axis))
        return FALSE;
      axis += axis < 0 ? x->type->rank : 0;
      if (axis < 0 || axis >= x->type->rank || x->type->dims[axis] < 0 ||
          !g_size_checked_mul ((gsize *) &n, (gsize) n, (gsize) x->type->dims[axis]))
        return FALSE;
    }
  /* An empty list is all axes. */
  if (!is_all && list->n_operands == 0)
    return FALSE;
  g_array_append_val (values, n);

  return TRUE;
}

/* Behind as many elements as the second says; from the last element there is no number for it. */
static gboolean
find_end (const AssayTorchValue *x, const AssayTorchValue *other, const AssayTorchType *result,
          GArray *values)
{
  gint64 start;
  gint64 n;
  gint64 end;

  if (!read_int (x, &start) || !read_int (other, &n) || n < 0 || start > G_MAXINT64 - n)
    return FALSE;
  end = start < 0 && start + n == 0 ? G_MAXINT64 : start + n;
  g_array_append_val (values, end);

  return TRUE;
}

static const struct
{
  const char *name;
  FindInts find;
  gboolean is_list;
} finders[] = {
  { "last", find_last, TRUE },       { "channel", find_channel, TRUE },
  { "spatial", find_spatial, TRUE }, { "reversed", find_reversed, TRUE },
  { "shape", find_shape, TRUE },     { "result", find_result, TRUE },
  { "groups", find_groups, TRUE },   { "count", find_count, FALSE },
  { "sizes", find_sizes, TRUE },     { "end", find_end, FALSE },
};

/* The integers of a word such as `@count:x:d`. */
static gboolean
find_ints (Decompose *self, const char *word, GArray *values, gboolean *is_list)
{
  g_auto (GStrv) parts = g_strsplit (word + 1, ":", 3);
  guint n = g_strv_length (parts);

  for (guint i = 0; i < G_N_ELEMENTS (finders); i++)
    if (g_str_equal (finders[i].name, parts[0]))
      {
        *is_list = finders[i].is_list;
        return finders[i].find (n > 1 ? g_hash_table_lookup (self->names, parts[1]) : NULL,
                                n > 2 ? g_hash_table_lookup (self->names, parts[2]) : NULL,
                                self->op->results[0]->type, values);
      }

  return FALSE;
}

/* The list that `@unsqueezed:LIST:AXIS` means. */
static const AssayTorchOp *
find_list (Decompose *self, const char *word)
{
  g_auto (GStrv) parts = g_strsplit (word, ":", 3);
  const AssayTorchValue *value = g_strv_length (parts) == 3
                                     ? g_hash_table_lookup (self->names, parts[1])
                                     : NULL;
  const AssayTorchOp *list = value != NULL ? assay_torch_edit_find_list (value) : NULL;

  return list != NULL && list->n_operands > 0 ? list : NULL;
}

/* Whether all that a row has to know is known: of words with `@`, and of results. */
static gboolean
is_known (Decompose *self, const AssayTorchDecomposition *row)
{
  g_auto (GStrv) words = g_strsplit_set (row->steps, " ;[]", -1);
  const char *names = strstr (row->steps, " -> ");
  guint n_named = 1;

  for (guint i = 0; words[i] != NULL; i++)
    {
      g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (gint64));
      gboolean is_list;

      if (words[i][0] == '@' && !(g_str_has_prefix (words[i], "@unsqueezed:")
                                      ? find_list (self, words[i]) != NULL
                                      : find_ints (self, words[i], values, &is_list)))
        return FALSE;
    }
  for (const char *c = names != NULL ? names + 4 : ""; *c != '\0'; c++)
    n_named += *c == ' ';
  for (guint i = n_named; i < self->op->n_results; i++)
    if (g_hash_table_contains (self->used, self->op->results[i]))
      return FALSE;

  return n_named <= self->op->n_results;
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
      if (words[i][0] == '+' && is_constant (self->op->operands[i], "none", &attr))
        return FALSE;
      if (type == NULL)
        g_hash_table_insert (self->names,
                             g_strdup (words[i] + (words[i][0] == '#' || words[i][0] == '+')),
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

static const AssayTorchType *
any_tensor (Decompose *self)
{
  return assay_torch_type_intern (self->module,
                                  (AssayTorchType){ .kind = ASSAY_TORCH_TYPE_VTENSOR, .rank = -1 });
}

static AssayTorchValue *
make_list (Decompose *self, const GPtrArray *items, const AssayTorchType *inner)
{
  const AssayTorchType *type = assay_torch_type_intern (
      self->module, (AssayTorchType){ .kind = ASSAY_TORCH_TYPE_LIST,
                                      .rank = -1,
                                      .n = 1,
                                      .inner = (const AssayTorchType *const[]){ inner } });

  return assay_torch_edit_one (self->module, self->op, "torch.prim.ListConstruct", type, "list",
                               items->len, (AssayTorchValue *const *) items->pdata);
}

/* What a word with `@` stands for. */
static AssayTorchValue *
make_special (Decompose *self, const char *word)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (gint64));
  gboolean is_list = FALSE;

  if (g_str_has_prefix (word, "@unsqueezed:"))
    {
      const AssayTorchOp *list = find_list (self, word);
      AssayTorchValue *axis = g_hash_table_lookup (self->names, strrchr (word, ':') + 1);

      for (guint i = 0; i < list->n_operands; i++)
        g_ptr_array_add (
            items, assay_torch_edit_one (self->module, self->op, "torch.aten.unsqueeze",
                                         any_tensor (self), "part", 2,
                                         (AssayTorchValue *const[]){ list->operands[i], axis }));
      return make_list (self, items, any_tensor (self));
    }
  find_ints (self, word, values, &is_list);
  for (guint i = 0; i < values->len; i++)
    g_ptr_array_add (
        items, assay_torch_edit_int (self->module, self->op, g_array_index (values, gint64, i)));

  return is_list ? make_list (self, items, assay_torch_edit_word (self->module, "!torch.int"))
                 : items->pdata[0];
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
      g_ptr_array_add (is_open ? items : operands,
                       word[0] == '@' ? make_special (self, word) : read_operand (self, word));
      if (closes)
        {
          g_ptr_array_add (
              operands,
              make_list (self, items, assay_torch_edit_word (self->module, "!torch.int")));
          g_ptr_array_set_size (items, 0);
          is_open = FALSE;
        }
    }
}

/* What is between has the type that is found out later; a number is one. */
static const AssayTorchType *
type_of_step (Decompose *self, const char *name)
{
  if (g_str_equal (name, "torch.aten.add.int") || g_str_equal (name, "torch.aten.sub.int"))
    return assay_torch_edit_word (self->module, "!torch.int");

  return any_tensor (self);
}

/* Does a step. */
static void
take_step (Decompose *self, char **words, const AssayTorchType *last)
{
  const AssayTorchValue *result = self->op->results[0];
  g_autofree char *name = g_strconcat ("torch.", words[2], NULL);
  g_autoptr (GPtrArray) operands = g_ptr_array_new ();
  char *colon = strchr (words[0], ':');
  const AssayTorchType *type = type_of_step (self, name);
  const AssayTorchType *const types[] = { last != NULL ? last : type, type, type };
  AssayTorchOp *made;

  read_operands (self, words + 3, operands);
  made = assay_torch_edit_new (self->module, name, self->op, operands->len,
                               (AssayTorchValue *const *) operands->pdata,
                               colon != NULL ? (guint) (colon[1] - '0') : 1, types,
                               result->name != NULL ? result->name : words[0]);
  assay_torch_edit_before (self->op, made);
  if (colon != NULL)
    *colon = '\0';
  g_hash_table_insert (self->names, g_strdup (words[0]), made->results[0]);
}

static void
apply (Decompose *self, const AssayTorchDecomposition *row)
{
  g_auto (GStrv) halves = g_strsplit (row->steps, " -> ", 2);
  g_auto (GStrv) steps = g_strsplit (halves[0], "; ", -1);
  g_auto (GStrv) results = g_strsplit (halves[1] != NULL ? halves[1] : "", " ", -1);

  for (guint i = 0; steps[i] != NULL; i++)
    {
      g_auto (GStrv) words = g_strsplit (steps[i], " ", -1);
      gboolean is_last = steps[i + 1] == NULL && halves[1] == NULL;

      take_step (self, words, is_last ? self->op->results[0]->type : NULL);
      if (is_last)
        self->op->results[0]->data = g_hash_table_lookup (self->names, words[0]);
    }
  for (guint i = 0; results[i] != NULL && i < self->op->n_results; i++)
    self->op->results[i]->data = g_hash_table_lookup (self->names, results[i]);
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

  if (op->n_results < 1 || op->results[0]->type->kind != ASSAY_TORCH_TYPE_VTENSOR)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (g_str_equal (rows[i].name, op->name))
      {
        round->decompose.op = op;
        if (!bind_operands (&round->decompose, &rows[i]) || !is_known (&round->decompose, &rows[i]))
          continue;
        apply (&round->decompose, &rows[i]);
        round->any = TRUE;
        return;
      }
}

static void
note_used (AssayTorchOp *op, gpointer user_data)
{
  for (guint i = 0; i < op->n_operands; i++)
    g_hash_table_add (user_data, op->operands[i]);
}

gboolean
assay_torch_pass_decompose (AssayTorchModule *module, const AssayProgress *progress, GError **error)
{
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) used = g_hash_table_new (NULL, NULL);
  Round round = { { module, NULL, names, used }, TRUE };

  assay_torch_edit_note_changes (module);
  for (guint i = 0; i < MAX_ROUNDS && round.any; i++)
    {
      round.any = FALSE;
      g_hash_table_remove_all (used);
      assay_torch_edit_walk (&module->body, note_used, used);
      assay_torch_edit_walk (&module->body, decompose_op, &round);
      assay_torch_edit_forward (module);
    }

  /* What is between two steps gets its type, and constants that come twice are one. */
  return assay_torch_pass_types (module, progress, error) &&
         assay_torch_pass_canonicalize (module, progress, error);
}
