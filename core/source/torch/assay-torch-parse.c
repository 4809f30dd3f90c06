/* assay-torch-parse.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/assay-error.h"
#include "base/assay-sentence.h"
#include "source/torch/assay-torch-parse-private.h"

#define MAX_OPERANDS 65536
#define MAX_RESULTS 4096

typedef struct
{
  const char *name;
  AssayTorchValue *before;
} Shadowed;

/* The names of results, as they stand before the sign. */
typedef struct
{
  const char *name;
  guint n;
} Result;

void
assay_torch_open_scope (AssayTorchParser *self, guint32 *outer, guint *mark)
{
  *outer = self->scope;
  *mark = self->shadowed->len;
  self->scope = ++self->n_scopes;
}

void
assay_torch_close_scope (AssayTorchParser *self, guint32 outer, guint mark)
{
  while (self->shadowed->len > mark)
    {
      const Shadowed *last = &g_array_index (self->shadowed, Shadowed, self->shadowed->len - 1);

      const AssayTorchValue *value = assay_pointer_map_lookup (&self->names, last->name);

      if (!value->is_defined)
        assay_torch_fail (&self->scan, "%%%s is used and nowhere defined", last->name);
      assay_pointer_map_insert (&self->names, last->name, last->before);
      g_array_set_size (self->shadowed, self->shadowed->len - 1);
    }
  self->scope = outer;
}

static AssayTorchValue *
new_name (AssayTorchParser *self, const char *name, AssayTorchValue *before)
{
  AssayTorchValue *value = assay_arena_alloc (self->module->arena, sizeof *value);
  const Shadowed entry = { name, before };

  *value = (AssayTorchValue){ .name = name, .scope = self->scope };
  g_array_append_val (self->shadowed, entry);
  assay_pointer_map_insert (&self->names, name, value);

  return value;
}

/* MLIR lets values stand in any order beside functions; nobody writes them so, and passes that go
 * from the first to the last operation would lose them. */
gboolean
assay_torch_define (AssayTorchParser *self, const char *name, const AssayTorchType *type,
                    AssayTorchValue **value)
{
  AssayTorchValue *known = assay_pointer_map_lookup (&self->names, name);

  if (known != NULL && known->scope == self->scope)
    return assay_torch_fail (
        &self->scan,
        known->is_defined ? "%%%s is defined twice" : "%%%s is used before it is defined", name);
  *value = new_name (self, name, known);
  (*value)->is_defined = TRUE;
  (*value)->type = type;

  return TRUE;
}

/* The name of one of several results. */
static const char *
part_name (AssayTorchParser *self, const char *name, gint64 part)
{
  GString *text = self->module->scratch;
  char number[24];

  g_snprintf (number, sizeof number, "#%" G_GINT64_FORMAT, part);
  g_string_assign (text, name);
  g_string_append (text, number);

  return assay_arena_intern_n (self->module->arena, text->str, text->len);
}

AssayTorchValue *
assay_torch_read_operand (AssayTorchParser *self)
{
  AssayTorchScan *scan = &self->scan;
  AssayTorchValue *value;
  const char *name;

  if (!assay_torch_expect (scan, "%"))
    return NULL;
  name = assay_torch_read_id (scan);
  if (name != NULL && scan->p < scan->end && *scan->p == '#')
    {
      gint64 part;

      scan->p++;
      if (!assay_torch_read_integer (scan, &part))
        return NULL;
      if (part != 0)
        name = part_name (self, name, part);
    }
  if (name == NULL)
    return NULL;

  value = assay_pointer_map_lookup (&self->names, name);
  if (value == NULL || value->scope < self->isolated)
    {
      value = new_name (self, name, value);
      value->type = assay_torch_type_unknown (self->module);
    }

  return value;
}

gboolean
assay_torch_read_operands (AssayTorchParser *self, AssayTorchDraft *draft)
{
  guint first = draft->operands->len;

  while (assay_torch_at (&self->scan, "%") ||
         (draft->operands->len > first && assay_torch_at (&self->scan, ",")))
    {
      AssayTorchValue *value;

      if (draft->operands->len > first && !assay_torch_expect (&self->scan, ","))
        return FALSE;
      value = assay_torch_read_operand (self);
      if (value == NULL)
        return FALSE;
      if (draft->operands->len >= MAX_OPERANDS)
        return assay_torch_fail (&self->scan, "more than %d operands", MAX_OPERANDS);
      g_ptr_array_add (draft->operands, value);
    }

  return TRUE;
}

AssayTorchOp *
assay_torch_op_new (AssayTorchModule *module, const char *name, const AssayTorchDraft *draft)
{
  AssayTorchOp *op = assay_arena_alloc (module->arena, sizeof *op);

  *op = (AssayTorchOp){
    .name = name,
    .n_operands = draft->operands->len,
    .n_attrs = draft->attrs->len,
    .n_regions = draft->regions->len,
    .operands = assay_arena_memdup (module->arena, draft->operands->pdata,
                                    draft->operands->len * sizeof (gpointer)),
    .attrs = assay_arena_memdup (module->arena, draft->attrs->data,
                                 draft->attrs->len * sizeof (AssayTorchAttr)),
    .regions = assay_arena_memdup (module->arena, draft->regions->data,
                                   draft->regions->len * sizeof (AssayTorchRegion)),
  };
  module->n_ops++;

  return op;
}

static gboolean
define_results (AssayTorchParser *self, AssayTorchOp *op, const GArray *names,
                const GPtrArray *types)
{
  guint k = 0;

  op->n_results = types->len;
  op->results = assay_arena_alloc_n (self->module->arena, MAX (types->len, 1), sizeof *op->results);
  for (guint i = 0; i < names->len; i++)
    k += g_array_index (names, Result, i).n;
  if (names->len > 0 && k != types->len)
    return assay_torch_fail (&self->scan, "%s has %u result%s, but %u name%s for them", op->name,
                             types->len, types->len == 1 ? "" : "s", k, k == 1 ? "" : "s");

  k = 0;
  for (guint i = 0; i < names->len; i++)
    {
      const Result *result = &g_array_index (names, Result, i);

      for (guint j = 0; j < result->n; j++, k++)
        {
          const char *name = j > 0 ? part_name (self, result->name, j) : result->name;

          if (!assay_torch_define (self, name, g_ptr_array_index (types, k), &op->results[k]))
            return FALSE;
          op->results[k]->name = result->name;
          op->results[k]->op = op;
          op->results[k]->index = k;
          op->results[k]->part = j;
        }
    }
  /* Results that nobody named are there all the same. */
  for (; k < types->len; k++)
    {
      AssayTorchValue *value = assay_arena_alloc (self->module->arena, sizeof *value);

      *value = (AssayTorchValue){
        .type = g_ptr_array_index (types, k), .op = op, .index = k, .is_defined = TRUE
      };
      op->results[k] = value;
    }

  return TRUE;
}

static gboolean
read_result_names (AssayTorchParser *self, GArray *names)
{
  if (!assay_torch_at (&self->scan, "%"))
    return TRUE;

  do
    {
      Result result = { .n = 1 };
      gint64 n = 1;

      if (!assay_torch_expect (&self->scan, "%") ||
          (result.name = assay_torch_read_id (&self->scan)) == NULL)
        return FALSE;
      if (assay_torch_accept (&self->scan, ":") && !assay_torch_read_integer (&self->scan, &n))
        return FALSE;
      if (n < 1 || n > MAX_RESULTS)
        return assay_torch_fail (&self->scan, "that many results");
      result.n = (guint) n;
      g_array_append_val (names, result);
    }
  while (assay_torch_accept (&self->scan, ","));

  return assay_torch_expect (&self->scan, "=");
}

/* `"name"(operands) ({region}, …) {attributes} : type of a function`. */
static gboolean
read_generic (AssayTorchParser *self, AssayTorchDraft *draft)
{
  if (!assay_torch_read_form (self, "'(' O ')'", draft))
    return FALSE;
  if (assay_torch_accept (&self->scan, "["))
    return assay_torch_fail (&self->scan, "branches between blocks are not read in this form");
  if (assay_torch_accept (&self->scan, "<"))
    {
      if (!assay_torch_read_dict (&self->scan, draft->attrs) ||
          !assay_torch_expect (&self->scan, ">"))
        return FALSE;
    }
  if (assay_torch_accept (&self->scan, "("))
    do
      if (!assay_torch_read_form (self, "G", draft))
        return FALSE;
    while (assay_torch_accept (&self->scan, ","));
  else
    return assay_torch_read_form (self, "D ':' F", draft);

  return assay_torch_read_form (self, "')' D ':' F", draft);
}

/* Operands and attributes, a colon, and types: those of the operands before an arrow. A name on
 * another line is one that is given. */
static gboolean
read_standard (AssayTorchParser *self, AssayTorchDraft *draft, gboolean has_results)
{
  g_autoptr (GPtrArray) types = g_ptr_array_new ();
  gboolean has_arrow;

  if (!assay_torch_read_form (self, assay_torch_at_new_line (&self->scan) ? "D" : "O D", draft))
    return FALSE;
  if (!assay_torch_accept (&self->scan, ":"))
    return TRUE;
  if (assay_torch_at (&self->scan, "("))
    return assay_torch_read_form (self, "F", draft);

  do
    {
      const AssayTorchType *type = assay_torch_read_type (&self->scan);

      if (type == NULL)
        return FALSE;
      g_ptr_array_add (types, (gpointer) type);
    }
  while (assay_torch_accept (&self->scan, ","));
  has_arrow = assay_torch_accept (&self->scan, "->");
  if (draft->operands->len > 0 && types->len != draft->operands->len)
    return assay_torch_fail (&self->scan, "%u %s %u type%s", draft->operands->len,
                             assay_noun (draft->operands->len, "operand has", "operands have"),
                             types->len, assay_plural (types->len));
  for (guint i = 0; i < draft->operands->len; i++)
    if (!assay_torch_learn_type (self, draft, i, g_ptr_array_index (types, i)))
      return FALSE;
  if (has_arrow)
    return assay_torch_read_form (self, assay_torch_at (&self->scan, "(") ? "'(' R ')'" : "R",
                                  draft);
  if (draft->operands->len == 0)
    g_ptr_array_extend (draft->types, types, NULL, NULL);
  else if (has_results)
    return assay_torch_expected (&self->scan, "“->” and the type of a result");

  return TRUE;
}

static gboolean
read_loc (AssayTorchParser *self, const char **loc)
{
  const char *text;
  gsize length;

  if (!assay_torch_accept (&self->scan, "loc"))
    return TRUE;
  if (!assay_torch_expect (&self->scan, "(") ||
      !assay_torch_read_balanced (&self->scan, ")", &text, &length) ||
      !assay_torch_expect (&self->scan, ")"))
    return FALSE;
  *loc = assay_arena_intern_n (self->module->arena, text, length);

  return TRUE;
}

static const struct
{
  const char *name;
  const char *written;
  gboolean (*read) (AssayTorchParser *self, AssayTorchDraft *draft);
} structures[] = {
  { "func.func", "func.func", assay_torch_read_function },
  { "func.func", "func", assay_torch_read_function },
  { "builtin.module", "module", assay_torch_read_module },
  { "builtin.module", "builtin.module", assay_torch_read_module },
};

/* What is no decimal number is the bits of one. */
static gboolean
read_float (AssayTorchParser *self, const char *format, AssayTorchDraft *draft)
{
  AssayTorchAttr *attr;
  gboolean is_bits;

  assay_torch_skip (&self->scan);
  is_bits = self->scan.end - self->scan.p > 2 && memcmp (self->scan.p, "0x", 2) == 0;
  if (!assay_torch_read_form (self, format, draft))
    return FALSE;
  attr = &g_array_index (draft->attrs, AssayTorchAttr, 0);
  if (attr->kind != ASSAY_TORCH_ATTR_INT)
    return TRUE;
  if (!is_bits || attr->type != NULL)
    return assay_torch_fail (&self->scan, "a number with a point was expected");
  attr->kind = ASSAY_TORCH_ATTR_FLOAT;
  memcpy (&attr->f, &attr->i, sizeof attr->f);
  attr->i = 0;

  return TRUE;
}

static gboolean
read_payload (AssayTorchParser *self, const char **name, AssayTorchDraft *draft,
              gboolean has_results, const char **raw)
{
  const AssayTorchForm *form = assay_torch_form_find (*name);

  for (guint i = 0; i < G_N_ELEMENTS (structures); i++)
    if (g_str_equal (structures[i].written, *name))
      {
        *name = structures[i].name;
        return structures[i].read (self, draft);
      }
  if (form != NULL)
    {
      if (g_str_equal (*name, "torch.constant.float")
              ? !read_float (self, form->format, draft)
              : !assay_torch_read_form (self, form->format, draft))
        return FALSE;
      if (form->result != NULL)
        g_ptr_array_add (draft->types,
                         (gpointer) assay_torch_type_intern (
                             self->module, (AssayTorchType){ .kind = form->result[0] == '!'
                                                                         ? ASSAY_TORCH_TYPE_WORD
                                                                         : ASSAY_TORCH_TYPE_FOREIGN,
                                                             .text = form->result,
                                                             .rank = -1 }));
      return TRUE;
    }
  if (g_str_has_prefix (*name, "torch"))
    return read_standard (self, draft, has_results);

  return assay_torch_read_raw (self, draft, raw);
}

static void
append_op (AssayTorchBlock *block, AssayTorchOp *op)
{
  op->parent = block;
  op->previous = block->last;
  if (block->last != NULL)
    block->last->next = op;
  else
    block->first = op;
  block->last = op;
}

static const char *
read_op_name (AssayTorchParser *self, gboolean *is_generic)
{
  const char *name;
  const char *start = self->scan.p;

  *is_generic = assay_torch_at (&self->scan, "\"");
  if (*is_generic)
    {
      name = assay_torch_read_quoted_name (&self->scan);
    }
  else
    name = assay_torch_read_word (&self->scan);
  /* Two words belong to what stands before them, on whatever line. */
  if (name == NULL || name[0] == '\0' ||
      (!*is_generic && (g_str_equal (name, "loc") || g_str_equal (name, "attributes"))))
    {
      self->scan.p = start;
      assay_torch_expected (&self->scan, "an operation");
      return NULL;
    }

  return name;
}

/* The short names that operations have within a function. */
static const char *
whole_name (const char *name)
{
  if (g_str_equal (name, "return"))
    return "func.return";
  if (g_str_equal (name, "call"))
    return "func.call";

  return name;
}

/* Drafts are used again: there are as many as operations stand within each other. */
static AssayTorchDraft *
take_draft (AssayTorchParser *self)
{
  AssayTorchDraft *draft = self->spare;

  if (draft != NULL)
    {
      self->spare = draft->next;
      return draft;
    }
  draft = g_new (AssayTorchDraft, 1);
  *draft = (AssayTorchDraft){
    .operands = g_ptr_array_new (),
    .types = g_ptr_array_new (),
    .attrs = g_array_new (FALSE, FALSE, sizeof (AssayTorchAttr)),
    .regions = g_array_new (FALSE, FALSE, sizeof (AssayTorchRegion)),
    .names = g_array_new (FALSE, FALSE, sizeof (Result)),
  };

  return draft;
}

static void
give_back (AssayTorchParser *self, AssayTorchDraft *draft)
{
  g_ptr_array_set_size (draft->operands, 0);
  g_ptr_array_set_size (draft->types, 0);
  g_array_set_size (draft->attrs, 0);
  g_array_set_size (draft->regions, 0);
  g_array_set_size (draft->names, 0);
  draft->n_typed = 0;
  draft->next = self->spare;
  self->spare = draft;
}

static void
draft_free (AssayTorchDraft *draft)
{
  g_ptr_array_unref (draft->operands);
  g_ptr_array_unref (draft->types);
  g_array_unref (draft->attrs);
  g_array_unref (draft->regions);
  g_array_unref (draft->names);
  g_free (draft);
}

static gboolean
read_parts (AssayTorchParser *self, AssayTorchBlock *block, AssayTorchDraft *draft)
{
  GArray *names = draft->names;
  AssayTorchOp *op;
  guint32 line;
  gboolean is_generic;
  const char *raw = NULL;
  const char *begin, *behind;
  const char *name;
  guint32 isolated = self->isolated;

  assay_torch_skip (&self->scan);
  begin = self->scan.p;
  line = assay_torch_line (&self->scan, begin);
  if (!read_result_names (self, names) || (name = read_op_name (self, &is_generic)) == NULL)
    return FALSE;
  if (g_str_equal (name, "func.func") || (!is_generic && g_str_equal (name, "func")))
    self->isolated = self->n_scopes + 1;
  if (is_generic ? !read_generic (self, draft)
                 : !read_payload (self, &name, draft, names->len > 0, &raw))
    return FALSE;
  self->isolated = isolated;
  if (!assay_torch_check_names (&self->scan, draft->attrs))
    return FALSE;

  /* A text of nothing known says nothing about its results. */
  for (guint i = 0; raw != NULL && i < names->len; i++)
    for (guint j = 0; j < g_array_index (names, Result, i).n; j++)
      g_ptr_array_add (draft->types, (gpointer) assay_torch_type_unknown (self->module));

  op = assay_torch_op_new (self->module, whole_name (name), draft);
  op->line = line;
  op->raw = raw;
  /* What is wrong with results is told of the line that gives them. */
  behind = self->scan.p;
  self->scan.p = begin;
  if (!define_results (self, op, names, draft->types))
    return FALSE;
  self->scan.p = behind;
  /* That of a text of nothing known is part of it. */
  if (raw == NULL && !read_loc (self, &op->loc))
    return FALSE;
  append_op (block, op);

  return self->module->n_ops % 4096 != 0 ||
         assay_progress_check (self->progress, &self->scan.error);
}

static gboolean
read_op (AssayTorchParser *self, AssayTorchBlock *block)
{
  AssayTorchDraft *draft = take_draft (self);
  gboolean done = read_parts (self, block, draft);

  give_back (self, draft);

  return done;
}

gboolean
assay_torch_read_ops (AssayTorchParser *self, AssayTorchBlock *block)
{
  while (!assay_torch_at (&self->scan, "}") && !assay_torch_at (&self->scan, "^"))
    if (self->scan.p == self->scan.end ? !assay_torch_expected (&self->scan, "“}”")
                                       : !read_op (self, block))
      return FALSE;

  return TRUE;
}

/* `^name(%argument: type, …):`. */
static gboolean
read_label (AssayTorchParser *self, AssayTorchBlock *block)
{
  g_autoptr (GPtrArray) arguments = g_ptr_array_new ();

  if (!assay_torch_expect (&self->scan, "^") ||
      (block->name = assay_torch_read_id (&self->scan)) == NULL)
    return FALSE;
  if (assay_torch_accept (&self->scan, "("))
    while (!assay_torch_accept (&self->scan, ")"))
      {
        const AssayTorchType *type;
        AssayTorchValue *value;
        const char *name;

        if ((arguments->len > 0 && !assay_torch_expect (&self->scan, ",")) ||
            !assay_torch_expect (&self->scan, "%") ||
            (name = assay_torch_read_id (&self->scan)) == NULL ||
            !assay_torch_expect (&self->scan, ":") ||
            (type = assay_torch_read_type (&self->scan)) == NULL ||
            !assay_torch_define (self, name, type, &value) || !read_loc (self, &value->loc))
          return FALSE;
        value->index = arguments->len;
        g_ptr_array_add (arguments, value);
      }
  block->n_arguments = arguments->len;
  block->arguments = assay_arena_memdup (self->module->arena, arguments->pdata,
                                         arguments->len * sizeof (gpointer));

  return assay_torch_expect (&self->scan, ":");
}

static gboolean
read_blocks (AssayTorchParser *self, AssayTorchRegion *region, GPtrArray *arguments)
{
  AssayTorchBlock **link = &region->first;

  if (!assay_torch_expect (&self->scan, "{"))
    return FALSE;
  do
    {
      AssayTorchBlock *block = assay_arena_alloc (self->module->arena, sizeof *block);

      *block = (AssayTorchBlock){ NULL };
      if (arguments != NULL && link == &region->first)
        {
          if (arguments->len > 0 && assay_torch_at (&self->scan, "^"))
            return assay_torch_fail (&self->scan, "the block whose arguments are those of a "
                                                  "function has no label");
          block->n_arguments = arguments->len;
          block->arguments = assay_arena_memdup (self->module->arena, arguments->pdata,
                                                 arguments->len * sizeof (gpointer));
        }
      *link = block;
      link = &block->next;
      if ((assay_torch_at (&self->scan, "^") && !read_label (self, block)) ||
          !assay_torch_read_ops (self, block))
        return FALSE;
    }
  while (!assay_torch_accept (&self->scan, "}"));

  return TRUE;
}

/* The arguments, if there are any, are defined in a scope that is open already. */
gboolean
assay_torch_read_region (AssayTorchParser *self, AssayTorchRegion *region, GPtrArray *arguments)
{
  guint32 outer;
  guint mark;
  gboolean done;

  if (!assay_torch_deeper (&self->scan, ASSAY_TORCH_DEPTH_REGION))
    return FALSE;
  if (arguments == NULL)
    assay_torch_open_scope (self, &outer, &mark);
  done = read_blocks (self, region, arguments);
  if (arguments == NULL)
    assay_torch_close_scope (self, outer, mark);
  self->scan.depth[ASSAY_TORCH_DEPTH_REGION]--;

  return done && self->scan.error == NULL;
}

/* `#name = attribute` and `!name = type`. */
static gboolean
read_alias (AssayTorchParser *self)
{
  AssayTorchScan *scan = &self->scan;
  gboolean is_type = *scan->p == '!';
  const char *from = scan->p++;
  const char *name = assay_torch_read_id (scan);
  const char *text;
  gsize length;

  if (name == NULL || !assay_torch_expect (scan, "="))
    return FALSE;
  if (is_type)
    {
      const AssayTorchType *type = assay_torch_read_type (scan);

      if (type == NULL)
        return FALSE;
      assay_pointer_map_insert (&scan->type_aliases, name, (gpointer) type);
      return TRUE;
    }

  /* An alias ends with its line, where no bracket is open. */
  if (!assay_torch_read_balanced (scan, "\n", &text, &length) || length == 0)
    return assay_torch_expected (scan, "an attribute");
  name = assay_arena_intern_n (self->module->arena, from, strlen (name) + 1);
  if (assay_pointer_map_lookup (&self->module->aliases, name) == NULL)
    g_ptr_array_add (self->module->alias_names, (gpointer) name);
  assay_pointer_map_insert (&self->module->aliases, name,
                            (gpointer) assay_arena_intern_n (self->module->arena, text, length));

  return TRUE;
}

static gboolean
read_file (AssayTorchParser *self)
{
  AssayTorchScan *scan = &self->scan;
  guint32 outer;
  guint mark;

  assay_torch_open_scope (self, &outer, &mark);
  while (assay_torch_skip (scan), scan->p < scan->end)
    {
      if (scan->is_split)
        {
          assay_torch_close_scope (self, outer, mark);
          assay_torch_open_scope (self, &outer, &mark);
          scan->is_split = FALSE;
        }
      if (*scan->p == '#' || *scan->p == '!' ? !read_alias (self)
          : *scan->p == '{'                  ? !assay_torch_read_resources (self)
                                             : !read_op (self, &self->module->body))
        return FALSE;
    }
  assay_torch_close_scope (self, outer, mark);

  return scan->error == NULL;
}

/**
 * assay_torch_module_parse:
 * @bytes: a text
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Reads MLIR text of the torch dialect. The grammar is that of the MLIR language reference.
 *
 * Returns: (transfer full) (nullable): what it says
 */
AssayTorchModule *
assay_torch_module_parse (GBytes *bytes, const AssayProgress *progress, GError **error)
{
  g_autoptr (AssayTorchModule) module = g_new0 (AssayTorchModule, 1);
  g_autoptr (GPtrArray) types = g_ptr_array_new ();
  g_autoptr (GArray) shadowed = g_array_sized_new (FALSE, FALSE, sizeof (Shadowed), 16);
  gsize size;
  const char *text = g_bytes_get_data (bytes, &size);
  const char *zero;
  gboolean done;
  AssayTorchParser self = { .module = module, .shadowed = shadowed, .progress = progress };

  module->arena = assay_arena_new ();
  module->bytes = g_bytes_ref (bytes);
  module->scratch = g_string_sized_new (64);
  module->alias_names = g_ptr_array_new ();
  module->resource_list = g_ptr_array_new ();
  self.scan = (AssayTorchScan){ .module = module,
                                .begin = text,
                                .p = text,
                                .end = size > 0 ? text + size : text,
                                .counted = text,
                                .line = 1,
                                .types = types };

  /* It stands nowhere in MLIR text, and would end the pieces that are kept, and what is printed. */
  zero = size > 0 ? memchr (text, '\0', size) : NULL;
  if (zero != NULL)
    {
      self.scan.p = zero;
      assay_torch_fail (&self.scan, "a byte of zero is no text");
    }
  done = self.scan.error == NULL && read_file (&self);
  while (self.spare != NULL)
    {
      AssayTorchDraft *draft = self.spare;

      self.spare = draft->next;
      draft_free (draft);
    }
  assay_pointer_map_clear (&self.names);
  assay_pointer_map_clear (&self.scan.type_aliases);
  if (!done)
    {
      g_propagate_error (error, self.scan.error);
      return NULL;
    }

  return g_steal_pointer (&module);
}
