/* assay-torch-graph.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * A program as it is written, as a graph to look at: one node for each operation. What it computes
 * is what assay_torch_lower() makes of it.
 */
#include "source/torch/pass/assay-torch-graph.h"

#include <string.h>

#include "base/assay-sentence.h"
#include "nnir/assay-graph-builder.h"
#include "source/torch/assay-torch-lower-private.h"

#define MAX_DEPTH 256

/* A list of more is told by its length. */
#define MAX_LISTED 16

/* The names of printed values are those of the text. */
typedef struct
{
  const AssayTorchModule *module;
  AssayGraph *graph;
  GHashTable *names;  /* AssayTorchValue to its name in the text */
  GHashTable *nodes;  /* AssayTorchOp to its node */
  GHashTable *values; /* AssayTorchValue to the value of the graph */
  GHashTable *taken;  /* names to how many of them there are */
  guint32 scope;
  guint n_functions;
} Draw;

static void draw_block (Draw *self, const AssayTorchBlock *block, guint depth);

static gboolean
is_any (const char *name, const char *const *names)
{
  for (; *names != NULL; names++)
    if (g_str_equal (name, *names))
      return TRUE;

  return FALSE;
}

static const char *
get_name (Draw *self, const AssayTorchValue *value)
{
  const AssayTorchValue *first = value->part > 0 ? value->op->results[value->index - value->part]
                                                 : value;
  const char *name = g_hash_table_lookup (self->names, first);

  return name != NULL ? name : first->name != NULL ? first->name : "";
}

/* Elements are no picture: they are constants of what reads them, as in other models. */
static gboolean
is_literal (const AssayTorchOp *op)
{
  static const char *const literals[] = { "torch.vtensor.literal", "torch.tensor.literal", NULL };

  return g_str_has_prefix (op->name, "torch.constant.") || is_any (op->name, literals);
}

static gboolean
is_fixed (const AssayTorchValue *value, guint depth)
{
  const AssayTorchOp *op = value->op;

  if (op == NULL || depth > MAX_DEPTH)
    return FALSE;
  if (is_literal (op))
    return TRUE;
  if (!g_str_equal (op->name, "torch.prim.ListConstruct"))
    return FALSE;
  for (guint i = 0; i < op->n_operands; i++)
    if (!is_fixed (op->operands[i], depth + 1))
      return FALSE;

  return TRUE;
}

static void
append_value (Draw *self, const AssayTorchValue *value, GString *text, guint depth)
{
  const AssayTorchOp *op = value->op;
  const AssayTorchAttr *attr = op != NULL ? assay_torch_op_find_attr (op, "value") : NULL;

  if (!is_fixed (value, depth))
    g_string_append_printf (text, "%%%s", get_name (self, value));
  else if (g_str_equal (op->name, "torch.prim.ListConstruct") && op->n_operands > MAX_LISTED)
    g_string_append_printf (text, "[%u %s]", op->n_operands,
                            assay_noun (op->n_operands, "entry", "entries"));
  else if (g_str_equal (op->name, "torch.prim.ListConstruct"))
    {
      g_string_append_c (text, '[');
      for (guint i = 0; i < op->n_operands; i++)
        {
          g_string_append (text, i > 0 ? ", " : "");
          append_value (self, op->operands[i], text, depth + 1);
        }
      g_string_append_c (text, ']');
    }
  else if (g_str_equal (op->name, "torch.constant.bool") && attr != NULL)
    g_string_append (text, attr->i != 0 ? "True" : "False");
  else if (attr != NULL && attr->kind == ASSAY_TORCH_ATTR_INT)
    g_string_append_printf (text, "%" G_GINT64_FORMAT, attr->i);
  else if (attr != NULL && attr->kind == ASSAY_TORCH_ATTR_FLOAT)
    {
      char digits[G_ASCII_DTOSTR_BUF_SIZE];

      g_string_append (text, g_ascii_dtostr (digits, sizeof digits, attr->f));
    }
  else if (attr != NULL && attr->kind == ASSAY_TORCH_ATTR_STRING)
    g_string_append_len (text, attr->s, (gssize) attr->length);
  else
    g_string_append (text,
                     g_str_equal (op->name, "torch.constant.none") ? "None" : value->type->text);
}

/* Names are told apart in a function; what stands beside functions has names of its own. */
static const char *
take_name (Draw *self, const char *name)
{
  const char *first = assay_arena_intern (self->graph->arena, name);
  const char *own = first;
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (self->taken, first));

  while (g_hash_table_contains (self->taken, own))
    {
      g_autofree char *other = g_strdup_printf ("%s (%u)", name, ++n);

      own = assay_arena_intern (self->graph->arena, other);
    }
  g_hash_table_insert (self->taken, (gpointer) own, GUINT_TO_POINTER (1));
  g_hash_table_insert (self->taken, (gpointer) first, GUINT_TO_POINTER (MAX (n, 1)));

  return own;
}

static AssayValueId
add_value (Draw *self, const AssayTorchValue *value, AssayValueKind kind)
{
  g_autofree char *name = g_strdup_printf (
      "%s%%%s",
      self->scope > 0 ? g_array_index (self->graph->scopes, const char *, self->scope) : "",
      get_name (self, value));
  const AssayType *type = assay_torch_type_to_nnir (self->graph->arena, value->type, NULL);
  const char *own = take_name (self, name);
  AssayValueId id = kind == ASSAY_VALUE_INPUT
                        ? assay_graph_add_input (self->graph, ASSAY_MAIN_REGION, own, type)
                        : assay_graph_add_value (self->graph, ASSAY_MAIN_REGION, kind, own, type);

  g_hash_table_insert (self->values, (gpointer) value, GUINT_TO_POINTER (id));

  return id;
}

/* What an operation reads: edges where it comes from another one, words where it is fixed. */
static void
add_operands (Draw *self, const AssayTorchOp *op, GArray *inputs, GArray *attrs)
{
  for (guint i = 0; i < op->n_operands; i++)
    {
      AssayValueId value = GPOINTER_TO_UINT (g_hash_table_lookup (self->values, op->operands[i]));
      g_autoptr (GString) text = NULL;
      g_autofree char *name = NULL;

      if (value != ASSAY_NO_VALUE)
        {
          g_array_append_val (inputs, value);
          continue;
        }
      text = g_string_new (NULL);
      append_value (self, op->operands[i], text, 0);
      name = g_strdup_printf ("operand %u", i + 1);
      g_array_append_val (
          attrs, ((AssayAttr){ .name = assay_arena_intern (self->graph->arena, name),
                               .kind = ASSAY_ATTR_STRING,
                               .n = (guint32) text->len,
                               .u.s = assay_arena_intern (self->graph->arena, text->str) }));
    }
}

static void
add_types (Draw *self, const AssayTorchOp *op, GArray *attrs)
{
  for (guint i = 0; i < op->n_results; i++)
    {
      const char *text = op->results[i]->type->text;
      g_autofree char *name = op->n_results > 1 ? g_strdup_printf ("result %u", i + 1)
                                                : g_strdup ("result");

      g_array_append_val (attrs,
                          ((AssayAttr){ .name = assay_arena_intern (self->graph->arena, name),
                                        .kind = ASSAY_ATTR_STRING,
                                        .n = (guint32) strlen (text),
                                        .u.s = assay_arena_intern (self->graph->arena, text) }));
    }
}

static void
set_origin (Draw *self, AssayNodeId node, const AssayTorchOp *op, const char *op_type)
{
  g_autofree char *file = NULL;
  g_autofree char *path = NULL;
  guint line = op->line;
  guint32 origin;

  assay_torch_module_find_location (self->module, op->loc, &file, &line);
  path = file != NULL ? g_strdup_printf ("%s:%u", file, line) : g_strdup_printf ("line %u", line);
  origin = assay_graph_add_origin (self->graph, path,
                                   op->n_results > 0 ? get_name (self, op->results[0]) : "",
                                   op_type, "torch", op->line);
  assay_graph_set_origins (self->graph, node, 1, &origin);
}

static void
draw_op (Draw *self, const AssayTorchOp *op, GArray *inputs, GArray *attrs)
{
  const char *name = g_str_has_prefix (op->name, "torch.") ? op->name + strlen ("torch.")
                                                           : op->name;
  g_autofree char *own = g_str_equal (op->name, "torch.operator")
                             ? assay_torch_op_get_string (op, "name")
                             : NULL;
  const char *op_type = assay_arena_intern (self->graph->arena, own != NULL ? own : name);
  g_autofree AssayValueId *outputs = g_new (AssayValueId, op->n_results + 1);
  g_autofree char *made = NULL;
  AssayNodeId node;

  for (guint i = 0; i < op->n_results; i++)
    outputs[i] = add_value (self, op->results[i], ASSAY_VALUE_RESULT);
  made = op->n_results > 0 ? g_strdup (assay_graph_value (self->graph, outputs[0])->name)
                           : g_strdup_printf ("%s, line %u, %u", op_type, op->line,
                                              assay_graph_n_nodes (self->graph));
  node = assay_graph_add_node (self->graph, ASSAY_MAIN_REGION, ASSAY_OP_OPAQUE, made, inputs->len,
                               (const AssayValueId *) (gconstpointer) inputs->data, op->n_results,
                               outputs);
  assay_graph_edit_node (self->graph, node)->op_type = op_type;
  assay_graph_edit_node (self->graph, node)->domain = assay_arena_intern (self->graph->arena,
                                                                          "torch");
  assay_graph_edit_node (self->graph, node)->scope = self->scope;
  assay_graph_set_attrs (self->graph, node, attrs->len,
                         (const AssayAttr *) (gconstpointer) attrs->data);
  set_origin (self, node, op, op_type);
  g_hash_table_insert (self->nodes, (gpointer) op, GUINT_TO_POINTER (node));
}

/* What stands in a region of an operation stands before it, and what its blocks end with goes into
 * it. Their arguments are what goes into the operation. */
static void
draw_regions (Draw *self, const AssayTorchOp *op, GArray *inputs, guint depth)
{
  static const char *const ends[] = {
    "torch.prim.If.yield",           "torch.prim.Loop.condition", "torch.slot",
    "torch.initialize.global_slots", "torch.global_slot.init",    NULL
  };

  for (guint i = 0; i < op->n_regions && depth < MAX_DEPTH; i++)
    for (const AssayTorchBlock *block = op->regions[i].first; block != NULL; block = block->next)
      {
        for (guint k = 1; k < block->n_arguments && k + 1 < op->n_operands; k++)
          {
            gpointer value = g_hash_table_lookup (self->values, op->operands[k + 1]);

            if (value != NULL)
              g_hash_table_insert (self->values, block->arguments[k], value);
          }
        draw_block (self, block, depth + 1);
        for (const AssayTorchOp *end = block->first; end != NULL; end = end->next)
          for (guint k = 0; is_any (end->name, ends) && k < end->n_operands; k++)
            {
              AssayValueId value = GPOINTER_TO_UINT (
                  g_hash_table_lookup (self->values, end->operands[k]));

              if (value != ASSAY_NO_VALUE)
                g_array_append_val (inputs, value);
            }
      }
}

static void
draw_function (Draw *self, const AssayTorchOp *op, guint depth)
{
  const AssayTorchBlock *block = op->n_regions > 0 ? op->regions[0].first : NULL;
  g_autofree char *name = assay_torch_op_get_string (op, "sym_name");
  g_autofree char *scope = g_strdup_printf ("%s/", name != NULL ? name : "");
  guint32 outer = self->scope;

  if (block == NULL)
    return;
  if (self->n_functions > 1)
    self->scope = assay_graph_add_scope (self->graph, scope);
  for (guint i = 0; i < block->n_arguments; i++)
    if (block->arguments[i]->type->kind != ASSAY_TORCH_TYPE_CLASS)
      add_value (self, block->arguments[i], ASSAY_VALUE_INPUT);
  draw_block (self, block, depth + 1);
  self->scope = outer;
}

/* Operations that end a block, say what there is, or hold something fixed, are no nodes. */
static gboolean
is_drawn (const AssayTorchOp *op)
{
  static const char *const quiet[] = { "torch.class_type",
                                       "torch.attr",
                                       "torch.method",
                                       "torch.slot",
                                       "torch.prim.If.yield",
                                       "torch.prim.Loop.condition",
                                       "torch.global_slot.init",
                                       "torch.initialize.global_slots",
                                       "func.return",
                                       NULL };

  return !is_any (op->name, quiet) && !is_literal (op) &&
         !(op->n_results == 1 && is_fixed (op->results[0], 0));
}

static void
draw_block (Draw *self, const AssayTorchBlock *block, guint depth)
{
  if (depth > MAX_DEPTH)
    return;

  for (const AssayTorchOp *op = block->first; op != NULL; op = op->next)
    {
      g_autoptr (GArray) inputs = NULL;
      g_autoptr (GArray) attrs = NULL;

      if (g_str_equal (op->name, "builtin.module"))
        {
          for (guint i = 0; i < op->n_regions; i++)
            for (const AssayTorchBlock *b = op->regions[i].first; b != NULL; b = b->next)
              draw_block (self, b, depth + 1);
          continue;
        }
      if (g_str_equal (op->name, "func.func"))
        {
          draw_function (self, op, depth);
          continue;
        }
      for (guint i = 0; g_str_equal (op->name, "func.return") && i < op->n_operands; i++)
        {
          AssayValueId value = GPOINTER_TO_UINT (
              g_hash_table_lookup (self->values, op->operands[i]));

          if (value != ASSAY_NO_VALUE)
            assay_graph_add_output (self->graph, ASSAY_MAIN_REGION, value);
        }
      if (!is_drawn (op))
        continue;

      inputs = g_array_new (FALSE, FALSE, sizeof (AssayValueId));
      attrs = g_array_new (FALSE, FALSE, sizeof (AssayAttr));
      add_operands (self, op, inputs, attrs);
      draw_regions (self, op, inputs, depth);
      add_types (self, op, attrs);
      draw_op (self, op, inputs, attrs);
    }
}

static guint
count_functions (const AssayTorchBlock *block, guint depth)
{
  guint n = 0;

  for (const AssayTorchOp *op = block->first; op != NULL; op = op->next)
    if (g_str_equal (op->name, "func.func"))
      n += op->n_regions > 0 && op->regions[0].first != NULL;
    else if (g_str_equal (op->name, "builtin.module") && op->n_regions > 0 &&
             op->regions[0].first != NULL && depth < MAX_DEPTH)
      n += count_functions (op->regions[0].first, depth + 1);

  return n;
}

/**
 * assay_torch_module_to_graph:
 * @self: a program
 * @names: (element-type AssayTorchValue utf8): what its values are called in its text
 * @nodes: (element-type AssayTorchOp guint): gets the node of each operation
 *
 * Makes a graph to look at, with one opaque node for each operation as it is written. What is fixed
 * stands in attributes; of several functions each is a scope.
 *
 * Returns: (transfer full): the graph
 */
AssayGraph *
assay_torch_module_to_graph (const AssayTorchModule *self, GHashTable *names, GHashTable *nodes)
{
  g_autoptr (GHashTable) values = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) taken = g_hash_table_new (NULL, NULL);
  AssayGraph *graph = assay_graph_new ();
  Draw draw = { self, graph, names, nodes, values, taken, 0, count_functions (&self->body, 0) };

  draw_block (&draw, &self->body, 0);
  graph->name = assay_arena_intern (graph->arena, "");

  return graph;
}
