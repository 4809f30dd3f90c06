/* assay-torch-lower.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/torch/assay-torch-lower-private.h"

#include <string.h>

#include "base/assay-error.h"
#include "base/assay-sentence.h"
#include "source/assay-bind-shapes.h"
#include "source/torch/assay-torch-elements.h"
#include "source/torch/assay-torch-op.h"
#include "source/torch/pass/assay-torch-edit-private.h"

#define MAX_DEPTH 64
#define MAX_NODES 2000000

/* What the name of a form has that gives new elements where the other gives a view. */
#define COPY "_copy"

static const AssayTorchRule rules[] = {
#define RULE(name, function, op, argument) { name, assay_torch_make_##function, op, argument },
#include "source/torch/torch-rules.def"
#undef RULE
};

static GHashTable *
new_rules (void)
{
  GHashTable *table = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < G_N_ELEMENTS (rules); i++)
    g_hash_table_insert (table, (gpointer) rules[i].name, (gpointer) &rules[i]);

  return table;
}

/**
 * assay_torch_rule_find:
 * @name: name of an operation
 *
 * Looks for how an operation is made.
 *
 * Returns: (nullable): its row
 */
const AssayTorchRule *
assay_torch_rule_find (const char *name)
{
  static gsize table;

  if (g_once_init_enter (&table))
    g_once_init_leave (&table, (gsize) new_rules ());

  return g_hash_table_lookup ((GHashTable *) table, name);
}

/* The type of a tensor; what else there is has none. An extent that is open has the name of the
 * input, if there is one. */
const AssayType *
assay_torch_type_to_nnir (AssayArena *arena, const AssayTorchType *type, const char *name)
{
  AssayDim dims[ASSAY_MAX_RANK];
  AssayDType dtype = ASSAY_DTYPE_UNDEFINED;

  if ((type->kind != ASSAY_TORCH_TYPE_TENSOR && type->kind != ASSAY_TORCH_TYPE_VTENSOR) ||
      type->rank > ASSAY_MAX_RANK)
    return NULL;

  assay_torch_dtype_from_name (type->element, &dtype);
  for (int i = 0; i < type->rank; i++)
    {
      g_autofree char *symbol = type->dims[i] < 0 && name != NULL
                                    ? g_strdup_printf ("%s:%d", name, i)
                                    : NULL;

      dims[i] = (AssayDim){ type->dims[i],
                            symbol != NULL ? assay_arena_intern (arena, symbol) : NULL };
    }

  return assay_type_new_tensor (arena, dtype, type->rank, dims);
}

/* The type of a tensor, and of a number where it is an input. */
const AssayType *
assay_torch_type_of (AssayTorchLower *self, const AssayTorchType *type, const char *name,
                     gboolean is_input)
{
  AssayDType dtype = ASSAY_DTYPE_UNDEFINED;

  if (type->kind == ASSAY_TORCH_TYPE_WORD && is_input)
    {
      if (g_str_equal (type->text, "!torch.int"))
        dtype = ASSAY_DTYPE_I64;
      else if (g_str_equal (type->text, "!torch.float"))
        dtype = ASSAY_DTYPE_F64;
      else if (g_str_equal (type->text, "!torch.bool"))
        dtype = ASSAY_DTYPE_BOOL;
      return dtype != ASSAY_DTYPE_UNDEFINED
                 ? assay_type_new_tensor (self->graph->arena, dtype, 0, NULL)
                 : NULL;
    }

  return assay_torch_type_to_nnir (self->graph->arena, type, is_input ? name : NULL);
}

/* The place of an operation in the source of the user, or else in this file. */
static void
begin_op (AssayTorchLower *self, const AssayTorchOp *op, AssayTorchItem **results)
{
  g_autofree char *file = NULL;
  g_autofree char *path = NULL;
  g_autofree char *own = NULL;
  g_autofree char *base = NULL;
  const char *name = op->name;
  guint line = op->line;

  if (g_str_equal (op->name, "torch.operator"))
    {
      own = assay_torch_op_get_string (op, "name");
      name = own != NULL ? own : name;
    }
  else if (g_str_has_prefix (name, "torch."))
    name += strlen ("torch.");
  assay_torch_module_find_location (self->module, op->loc, &file, &line);
  path = file != NULL ? g_strdup_printf ("%s:%u", file, line) : g_strdup_printf ("line %u", line);
  base = op->n_results == 0 || op->results[0]->name == NULL ||
                 g_ascii_isdigit (op->results[0]->name[0])
             ? g_strdup_printf (
                   "%s_%s", name,
                   op->n_results == 0 || op->results[0]->name == NULL ? "" : op->results[0]->name)
             : g_strdup (op->results[0]->name);

  self->op = op;
  self->results = results;
  self->base = assay_arena_intern (self->graph->arena, base);
  self->n_made = 0;
  self->n_constants = 0;
  self->path = assay_arena_intern (self->graph->arena, path);
  self->op_type = assay_arena_intern (self->graph->arena, name);
  self->origin = G_MAXUINT32;
  g_clear_pointer (&self->reason, g_free);
}

/* What the file says of a result and inference could not find out. */
static void
adopt_types (AssayTorchLower *self)
{
  for (guint i = 0; i < self->op->n_results; i++)
    {
      const AssayTorchItem *item = self->results[i];
      const AssayTorchType *stated = self->op->results[i]->type;
      const AssayType *known;
      const AssayType *type;

      if (item == NULL || item->kind != ASSAY_TORCH_ITEM_TENSOR || item->value == ASSAY_NO_VALUE ||
          (type = assay_torch_type_of (self, stated, "", FALSE)) == NULL)
        continue;
      known = assay_torch_type (self, item->value);
      if (known->kind == ASSAY_TYPE_KIND_UNKNOWN ||
          (known->kind == ASSAY_TYPE_KIND_TENSOR && known->rank < 0 &&
           (known->dtype == type->dtype || known->dtype == ASSAY_DTYPE_UNDEFINED)))
        assay_graph_edit_value (self->graph, item->value)->type = type;
      else if (known->kind == ASSAY_TYPE_KIND_TENSOR && type->dtype != ASSAY_DTYPE_UNDEFINED &&
               known->dtype != ASSAY_DTYPE_UNDEFINED && known->dtype != type->dtype)
        assay_findings_add (self->findings, ASSAY_SEVERITY_WARNING, "torch.mismatch", NULL,
                            assay_graph_value (self->graph, item->value)->name, NULL, -1,
                            "line %u: the file says that %%%s has elements of type %s, but they "
                            "are %s",
                            self->op->line,
                            self->op->results[i]->name != NULL ? self->op->results[i]->name : "",
                            stated->element, assay_dtype_name (known->dtype));
    }
}

/* Some operations differ only in whether they write what they make to their first operand. */
static const AssayTorchRule *
find_rule (const char *name, gboolean *is_in_place)
{
  const AssayTorchRule *rule = assay_torch_rule_find (name);
  const char *end;
  g_autofree char *other = NULL;

  *is_in_place = FALSE;
  if (rule != NULL || !g_str_has_prefix (name, "torch.aten."))
    return rule;
  end = strchr (name + strlen ("torch.aten."), '.');
  if (end == NULL)
    end = name + strlen (name);
  if (end[-1] != '_' || end[-2] == '_')
    return NULL;
  other = g_strdup_printf ("%.*s%s", (int) (end - name - 1), name, end);
  *is_in_place = TRUE;

  return assay_torch_rule_find (other);
}

/* A function of another name space may compute the same as one that has a row. */
static const AssayTorchRule *
rule_of_op (const AssayTorchOp *op, gboolean *is_in_place)
{
  const AssayTorchRule *rule;
  const char *same;
  g_autofree char *own = NULL;
  g_autofree char *name = NULL;

  if (!g_str_equal (op->name, "torch.operator"))
    return find_rule (op->name, is_in_place);
  own = assay_torch_op_get_string (op, "name");
  name = own != NULL && g_str_has_prefix (own, "torch.")
             ? g_strdup (own)
             : g_strdup_printf ("torch.%s", own != NULL ? own : "");
  if (g_str_has_suffix (name, ".default"))
    name[strlen (name) - strlen (".default")] = '\0';
  rule = find_rule (name, is_in_place);
  if (rule != NULL)
    return rule;
  same = assay_torch_call_find_same (name + strlen ("torch."));
  if (same == NULL)
    return NULL;
  g_free (name);
  name = g_strdup_printf ("torch.%s", same);

  return find_rule (name, is_in_place);
}

/* The name of the function that an operation calls; one that writes in place is called as the one
 * that does not. */
static const char *
name_of_function (AssayTorchLower *self, const AssayTorchRule *rule, gboolean is_in_place)
{
  const char *name = is_in_place ? rule->name : self->op_type;

  return g_str_has_prefix (name, "torch.") ? name + strlen ("torch.") : name;
}

static gboolean
write_back (AssayTorchLower *self)
{
  AssayTorchItem *target = assay_torch_arg (self, 0);

  if (self->op->n_results < 1 || self->results[0] == NULL || target == NULL ||
      target->kind != ASSAY_TORCH_ITEM_TENSOR)
    return assay_torch_cannot (self, "there is nothing to write to");
  /* What gives a view of its operand changes the shape of that, not its elements. */
  if (target->storage != NULL && self->results[0]->storage == target->storage)
    {
      *target = *self->results[0];
      self->results[0] = target;
      return TRUE;
    }
  if (!assay_torch_write (self, target, assay_torch_read (self, self->results[0])))
    return FALSE;
  self->results[0] = target;

  return TRUE;
}

/* A form with `_copy` in its name is made as the view is; nothing else has its elements. */
static void
detach_copies (AssayTorchLower *self)
{
  const char *form = strstr (self->op_type, COPY);

  if (form == NULL || (form[strlen (COPY)] != '\0' && form[strlen (COPY)] != '.'))
    return;
  for (guint i = 0; i < self->op->n_results; i++)
    if (self->results[i]->kind == ASSAY_TORCH_ITEM_TENSOR && self->results[i]->storage != NULL &&
        assay_torch_read (self, self->results[i]) != ASSAY_NO_VALUE)
      self->results[i] = assay_torch_tensor (self, self->results[i]->value);
}

/* Whether there are no more operands than the dialect says; older programs have fewer. */
static gboolean
has_operands (AssayTorchLower *self)
{
  const AssayTorchOpInfo *info = assay_torch_op_info_find (self->op->name);

  return info == NULL || info->n_operands < 0 || (guint) info->n_operands >= self->op->n_operands ||
         assay_torch_cannot (self, "it has %u operand%s, and the dialect says %d",
                             self->op->n_operands, assay_plural (self->op->n_operands),
                             info->n_operands);
}

gboolean
assay_torch_run_op (AssayTorchLower *self, const AssayTorchOp *op)
{
  g_autofree AssayTorchItem **results = NULL;
  gboolean is_in_place;
  const AssayTorchRule *rule;
  gboolean done;

  if (!assay_torch_run_structure (self, op, &done))
    return FALSE;
  if (done)
    return TRUE;

  rule = rule_of_op (op, &is_in_place);
  results = g_new0 (AssayTorchItem *, op->n_results + 1);
  begin_op (self, op, results);
  done = rule != NULL && has_operands (self) && rule->make (self, rule);
  for (guint i = 0; done && i < op->n_results; i++)
    done = results[i] != NULL;
  if (done)
    assay_torch_call_keep (self, name_of_function (self, rule, is_in_place));
  done = done && (!is_in_place || write_back (self));
  if (self->error != NULL)
    return FALSE;
  if (!done)
    assay_torch_make_opaque (self, is_in_place);
  else
    {
      detach_copies (self);
      adopt_types (self);
    }
  for (guint i = 0; i < op->n_results; i++)
    op->results[i]->data = results[i];
  if (assay_graph_n_nodes (self->graph) > MAX_NODES)
    return assay_torch_fail_at (self, op, "the graph becomes too large");

  return assay_progress_check (self->progress, &self->error);
}

static void
find_functions (AssayTorchLower *self, const AssayTorchBlock *block, guint depth,
                const AssayTorchOp **entry, gboolean *is_sure)
{
  for (const AssayTorchOp *op = block->first; op != NULL; op = op->next)
    {
      g_autofree char *name = NULL;
      g_autofree char *visibility = NULL;

      if (g_str_equal (op->name, "builtin.module") && op->n_regions > 0 && depth < MAX_DEPTH &&
          op->regions[0].first != NULL)
        find_functions (self, op->regions[0].first, depth + 1, entry, is_sure);
      if (!g_str_equal (op->name, "func.func") || op->n_regions == 0)
        continue;
      name = assay_torch_op_get_string (op, "sym_name");
      visibility = assay_torch_op_get_string (op, "sym_visibility");
      if (name == NULL)
        continue;
      g_hash_table_insert (self->functions, (gpointer) assay_arena_intern (self->arena, name),
                           (gpointer) op);
      if (g_strcmp0 (visibility, "private") == 0 || *is_sure)
        continue;
      *is_sure = g_str_equal (name, "forward") || g_str_equal (name, "main");
      if (*entry == NULL || *is_sure)
        *entry = op;
    }
}

/* What the program says of an argument besides its type. */
static const AssayTorchType *
bound_type (const AssayTorchOp *function, guint index, const AssayTorchType *type)
{
  const AssayTorchAttr *list = assay_torch_op_find_attr (function, "arg_attrs");

  for (guint i = 0; list != NULL && index < list->n && i < list->items[index].n; i++)
    {
      const AssayTorchAttr *attr = &list->items[index].items[i];

      if (g_str_equal (attr->name, "torch.type_bound") && attr->type != NULL)
        return attr->type;
    }

  return type;
}

static gboolean
add_inputs (AssayTorchLower *self, const AssayTorchOp *function)
{
  const AssayTorchBlock *block = function->regions[0].first;

  for (guint i = 0; i < block->n_arguments; i++)
    {
      AssayTorchValue *argument = block->arguments[i];
      const AssayType *type = assay_torch_type_of (self, bound_type (function, i, argument->type),
                                                   argument->name, TRUE);
      AssayTorchItem *item;
      AssayValueId value;

      if (i == 0 && argument->type->kind == ASSAY_TORCH_TYPE_CLASS && self->root != NULL)
        {
          argument->data = self->root;
          continue;
        }

      if (type == NULL)
        {
          self->error = g_error_new (ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED,
                                     "line %u: argument %%%s is a %s, and models take tensors",
                                     function->line, argument->name, argument->type->text);
          return FALSE;
        }
      value = assay_graph_add_input (self->graph, ASSAY_MAIN_REGION, argument->name, type);
      g_hash_table_insert (self->names, (gpointer) assay_graph_value (self->graph, value)->name,
                           NULL);
      item = assay_torch_tensor (self, value);
      if (argument->type->kind == ASSAY_TORCH_TYPE_WORD)
        item->kind = type->dtype == ASSAY_DTYPE_I64    ? ASSAY_TORCH_ITEM_INT
                     : type->dtype == ASSAY_DTYPE_BOOL ? ASSAY_TORCH_ITEM_BOOL
                                                       : ASSAY_TORCH_ITEM_FLOAT;
      argument->data = item;
    }

  return TRUE;
}

/* A value is an output once; a number becomes a tensor. */
static void
add_output (AssayTorchLower *self, AssayTorchItem *item, GHashTable *taken, guint depth)
{
  AssayValueId value = ASSAY_NO_VALUE;
  AssayDType dtype = ASSAY_DTYPE_I64;

  if (item == NULL || item->kind == ASSAY_TORCH_ITEM_NONE ||
      item->kind == ASSAY_TORCH_ITEM_STRING || depth > MAX_DEPTH ||
      ++self->n_listed > ASSAY_TORCH_MAX_LISTED)
    return;
  if (item->kind == ASSAY_TORCH_ITEM_LIST || item->kind == ASSAY_TORCH_ITEM_DICT)
    {
      for (guint i = 0; i < item->n; i++)
        if (item->kind == ASSAY_TORCH_ITEM_LIST || i % 2 == 1)
          add_output (self, item->items[i], taken, depth + 1);
      return;
    }
  if (item->kind == ASSAY_TORCH_ITEM_TENSOR)
    {
      value = assay_torch_read (self, item);
      if (value == ASSAY_NO_VALUE)
        assay_torch_fail_at (self, self->op, self->reason);
    }
  else
    {
      if (item->kind == ASSAY_TORCH_ITEM_FLOAT)
        dtype = ASSAY_DTYPE_F64;
      else if (item->kind == ASSAY_TORCH_ITEM_BOOL)
        dtype = ASSAY_DTYPE_BOOL;
      value = assay_torch_as_value (self, item, dtype);
    }
  if (value == ASSAY_NO_VALUE)
    return;
  if (g_hash_table_contains (taken, GUINT_TO_POINTER (value)) ||
      assay_graph_value (self->graph, value)->kind != ASSAY_VALUE_RESULT)
    value = assay_torch_one (self, ASSAY_OP_Identity, value);
  g_hash_table_add (taken, GUINT_TO_POINTER (value));
  assay_graph_add_output (self->graph, ASSAY_MAIN_REGION, value);
}

static gboolean
make_function (AssayTorchLower *self, const AssayTorchOp *function, const char *const *shapes,
               const char *const *bindings)
{
  g_autoptr (GHashTable) taken = g_hash_table_new (NULL, NULL);
  const AssayTorchOp *last = NULL;

  if (!add_inputs (self, function) ||
      !assay_graph_bind_shapes (self->graph, shapes, bindings, &self->error) ||
      !assay_torch_run_block (self, function->regions[0].first, &last))
    return FALSE;
  if (last == NULL)
    return assay_torch_fail_at (self, function, "the function returns nothing");

  begin_op (self, last, NULL);
  self->base = assay_arena_intern (self->graph->arena, "output");
  for (guint i = 0; i < last->n_operands; i++)
    add_output (self, last->operands[i]->data, taken, 0);
  if (self->error != NULL)
    return FALSE;

  return assay_graph_region (self->graph, ASSAY_MAIN_REGION)->outputs->len > 0 ||
         assay_torch_fail_at (self, function, "the function returns no tensor");
}

/* Carries out the function that opens. @learn, if there is one, may look at what became of its
 * values, which know it until it returns. */
static AssayGraph *
lower (const AssayTorchModule *module, const char *const *shapes, const char *const *bindings,
       AssayFindings *findings, AssayTorchLearn learn, gpointer user_data,
       const AssayProgress *progress, GError **error)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  g_autoptr (AssayArena) arena = assay_arena_new ();
  g_autoptr (AssayInferSteps) steps = assay_infer_steps_new (graph);
  g_autoptr (GHashTable) names = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) functions = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) classes = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) slots = g_hash_table_new (g_str_hash, g_str_equal);
  AssayTorchLower self = { .module = module,
                           .graph = graph,
                           .arena = arena,
                           .steps = steps,
                           .findings = findings,
                           .progress = progress,
                           .names = names,
                           .functions = functions,
                           .classes = classes,
                           .slots = slots };
  const AssayTorchOp *entry = NULL;
  g_autofree char *name = NULL;
  gboolean is_sure = FALSE;
  gboolean done;

  find_functions (&self, &module->body, 0, &entry, &is_sure);
  if (!assay_torch_run_file (&self, &module->body, 0))
    {
      g_free (self.reason);
      g_propagate_error (error, self.error);
      return NULL;
    }
  g_clear_pointer (&self.reason, g_free);
  if (self.root != NULL && assay_torch_find_method (&self, self.root, "forward") != NULL)
    entry = assay_torch_find_method (&self, self.root, "forward");
  if (entry == NULL)
    {
      g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT,
                           "the file has no function that can be called from outside");
      return NULL;
    }

  done = make_function (&self, entry, shapes, bindings);
  g_free (self.reason);
  if (!done)
    {
      g_propagate_error (error, self.error);
      return NULL;
    }
  if (learn != NULL)
    learn (&self, entry, user_data);
  name = assay_torch_op_get_string (entry, "sym_name");
  graph->name = assay_arena_intern (graph->arena, name);
  assay_graph_edit_region (graph, ASSAY_MAIN_REGION)->name = graph->name;

  return g_steal_pointer (&graph);
}

/**
 * assay_torch_lower:
 * @module: a file
 * @shapes: (nullable) (array zero-terminated=1): shapes of inputs that the user fixes
 * @bindings: (nullable) (array zero-terminated=1): sizes that the user fixes
 * @findings: (nullable): gets what could not be made
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Makes a graph of the function `forward` or `main`, or else of the first that is not private.
 *
 * Returns: (transfer full) (nullable): the graph
 */
AssayGraph *
assay_torch_lower (const AssayTorchModule *module, const char *const *shapes,
                   const char *const *bindings, AssayFindings *findings,
                   const AssayProgress *progress, GError **error)
{
  return lower (module, shapes, bindings, findings, NULL, NULL, progress, error);
}

/**
 * assay_torch_learn:
 * @module: a file
 * @learn: called with the function that opens, while its values know what became of them
 * @user_data: for @learn
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Finds out what is known of the values of a program without running it: types, and numbers. Notes
 * at its values are forgotten, before and behind.
 *
 * Returns: whether the program could be carried out
 */
gboolean
assay_torch_learn (AssayTorchModule *module, AssayTorchLearn learn, gpointer user_data,
                   const AssayProgress *progress, GError **error)
{
  g_autoptr (AssayGraph) graph = NULL;

  /* What is used before it is there would be what was noted last time, which is gone. */
  assay_torch_edit_clear (module);
  graph = lower (module, NULL, NULL, NULL, learn, user_data, progress, error);
  assay_torch_edit_clear (module);

  return graph != NULL;
}
