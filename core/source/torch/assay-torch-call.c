/* assay-torch-call.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * PyTorch writes what it cannot express in ONNX as nodes that call its own functions. What such a
 * node is made of is what the same call of a program in the torch dialect is made of.
 */
#include "source/torch/assay-torch-call.h"

#include <math.h>
#include <string.h>

#include "base/assay-error.h"
#include "base/assay-sentence.h"
#include "source/torch/assay-torch-lower-private.h"
#include "source/torch/assay-torch-op.h"

#define MAX_OPERANDS 32
#define MAX_LIST 64

static const struct
{
  const char *key;
  const char *function;
} same[] = {
#define SAME(key, function) { key, function },
#define SIGNATURE(function, operands, n_results)
#define OVERLOAD(name)
#define DEFAULT(function, operand, kind, number, text)
#include "source/torch/torch-calls.def"
};

static const struct
{
  const char *function;
  const char *operands;
  guint n_results;
} signatures[] = {
#define SAME(key, function)
#define SIGNATURE(function, operands, n_results) { function, operands, n_results },
#define OVERLOAD(name)
#define DEFAULT(function, operand, kind, number, text)
#include "source/torch/torch-calls.def"
};

static const char *const overloads[] = {
#define SAME(key, function)
#define SIGNATURE(function, operands, n_results)
#define OVERLOAD(name) name,
#define DEFAULT(function, operand, kind, number, text)
#include "source/torch/torch-calls.def"
};

static const struct
{
  const char *function;
  const char *operand;
  char kind;
  double number;
  const char *text;
} defaults[] = {
#define SAME(key, function)
#define SIGNATURE(function, operands, n_results)
#define OVERLOAD(name)
#define DEFAULT(function, operand, kind, number, text) { function, operand, kind, number, text },
#include "source/torch/torch-calls.def"
};

/* What a signature says of an operand. */
typedef struct
{
  char *name;
  char kind;
  gboolean is_list;
  gboolean is_optional;
} Operand;

/* One way to read a node: a function, and what stands in each of its places. */
typedef struct
{
  AssayGraph *graph; /* that of the call */
  const AssayNode *node;
  AssayTorchLower *lower;
  const AssayTorchRule *rule;
  GArray *operands;    /* Operand; empty if nothing is known of them */
  AssayValueId *known; /* per value of @graph: what it is in the body */
  AssayTorchItem *items[MAX_OPERANDS];
  guint n_items;
} Reading;

/**
 * assay_torch_call_dup_key:
 * @node: a node that the op table does not know
 *
 * The name of the function that a node calls: `aten.NAME` or `aten.NAME.OVERLOAD` for those of
 * PyTorch itself, `NAMESPACE:NAME` otherwise. PyTorch writes them as nodes of the domain
 * org.pytorch.NAMESPACE, or as ATen nodes that carry the name of the function.
 *
 * Returns: (transfer full): the name
 */
char *
assay_torch_call_dup_key (const AssayNode *node)
{
  const char *name = node->op_type;
  const char *space = node->domain;
  g_autofree char *full = NULL;
  const char *colons;
  AssayAttr attr;

  if (g_str_has_prefix (space, "org.pytorch."))
    space += strlen ("org.pytorch.");
  if (g_str_equal (node->op_type, "ATen"))
    space = "aten";
  if (g_str_equal (space, "aten") && assay_node_resolve_attr (node, "operator", &attr) &&
      attr.kind == ASSAY_ATTR_STRING)
    name = attr.u.s;
  if (name != node->op_type && strchr (name, '.') == NULL &&
      assay_node_resolve_attr (node, "overload_name", &attr) && attr.kind == ASSAY_ATTR_STRING &&
      *attr.u.s != '\0')
    name = full = g_strconcat (name, ".", attr.u.s, NULL);
  colons = strstr (name, "::");
  if (colons != NULL)
    name = colons + 2;

  return g_strconcat (space, g_str_equal (space, "aten") ? "." : ":", name, NULL);
}

/* The function as the dialect names it, or NULL where nobody knows what it computes. */
static char *
dup_function (const AssayNode *node)
{
  char *key = assay_torch_call_dup_key (node);
  char *colon = strchr (key, ':');

  if (g_str_has_suffix (key, ".default"))
    key[strlen (key) - strlen (".default")] = '\0';

  for (guint i = 0; i < G_N_ELEMENTS (same); i++)
    if (g_str_equal (same[i].key, key))
      {
        g_free (key);
        return g_strdup (same[i].function);
      }
  if (colon != NULL)
    *colon = '.';
  if (!g_str_has_prefix (key, "aten."))
    {
      g_autofree char *name = g_strconcat ("torch.", key, NULL);

      if (assay_torch_rule_find (name) == NULL)
        g_clear_pointer (&key, g_free);
    }

  return key;
}

/* What the operands of a function are, or "". */
static const char *
find_signature (const char *name)
{
  const AssayTorchOpInfo *info = assay_torch_op_info_find (name);

  for (guint i = 0; i < G_N_ELEMENTS (signatures); i++)
    if (g_str_equal (signatures[i].function, name + strlen ("torch.")))
      return signatures[i].operands;

  return info != NULL ? info->signature : "";
}

/* How many results a function has: as many as the node has outputs where nobody says. */
static guint
count_results (const char *name, const AssayNode *node)
{
  const AssayTorchOpInfo *info = assay_torch_op_info_find (name);

  for (guint i = 0; i < G_N_ELEMENTS (signatures); i++)
    if (g_str_equal (signatures[i].function, name + strlen ("torch.")))
      return signatures[i].n_results;

  return info != NULL && info->n_results > 0 ? (guint) info->n_results : MAX (node->n_outputs, 1);
}

/**
 * assay_torch_call_is_known:
 * @node: a node
 *
 * Whether a node calls a function of PyTorch that assay_torch_call_expand() may know. Whether it
 * takes these operands turns out there.
 *
 * Returns: whether it may be worth a try
 */
gboolean
assay_torch_call_is_known (const AssayNode *node)
{
  g_autofree char *function = node->op == ASSAY_OP_OPAQUE ? dup_function (node) : NULL;

  return function != NULL;
}

static void
operand_clear (gpointer data)
{
  g_free (((Operand *) data)->name);
}

static GArray *
parse_signature (const char *signature)
{
  GArray *operands = g_array_new (FALSE, TRUE, sizeof (Operand));
  g_auto (GStrv) words = g_strsplit (signature, " ", -1);

  g_array_set_clear_func (operands, operand_clear);
  for (guint i = 0; words[i] != NULL && *words[i] != '\0' && i < MAX_OPERANDS; i++)
    {
      const char *kind = strchr (words[i], ':') + 1;
      Operand operand = { .name = g_strndup (words[i], (gsize) (kind - words[i]) - 1),
                          .is_list = *kind == 'L',
                          .is_optional = g_str_has_suffix (kind, "?") };

      operand.kind = kind[operand.is_list];
      g_array_append_val (operands, operand);
    }

  return operands;
}

/* Tensors that a node puts into a sequence. */
static const AssayNode *
sequence_of (const Reading *self, AssayValueId value)
{
  AssayNodeId producer = assay_graph_value (self->graph, value)->producer;
  const AssayNode *node = assay_graph_node (self->graph, producer);

  return producer != ASSAY_NO_NODE &&
                 (node->op == ASSAY_OP_SequenceConstruct || node->op == ASSAY_OP_SequenceEmpty)
             ? node
             : NULL;
}

static gboolean
is_text (AssayTensor *tensor)
{
  return tensor != NULL && assay_tensor_get_dtype (tensor) == ASSAY_DTYPE_STRING;
}

/* How well a value of the file fits an operand: not at all, with good will, or for certain. */
static guint
fit_value (const Reading *self, const Operand *operand, AssayValueId value)
{
  AssayTensor *tensor;
  const AssayType *type;
  int rank;

  if (value == ASSAY_NO_VALUE)
    return operand->is_optional ? 2 : 1;
  if (sequence_of (self, value) != NULL)
    return operand->is_list && operand->kind == 'T' ? 2 : 0;
  tensor = assay_graph_constant (self->graph, value);
  type = assay_graph_value (self->graph, value)->type;
  rank = tensor != NULL                         ? (int) assay_tensor_get_rank (tensor)
         : type->kind == ASSAY_TYPE_KIND_TENSOR ? type->rank
                                                : -1;
  if (is_text (tensor))
    return operand->kind == 's' ? 2 : 0;
  if (operand->kind == 'T')
    return tensor != NULL && rank == 0 ? 1 : 2;
  if (operand->is_list)
    return tensor == NULL || rank > 1 ? 0 : rank == 1 ? 2 : 1;
  if (operand->kind == 's')
    return 0;
  if (tensor == NULL)
    return rank == 0 ? 1 : 0;

  return assay_tensor_get_n_elements (tensor) != 1 ? 0
         : rank == 0 &&
                 (operand->kind != 'i' || assay_dtype_is_integer (assay_tensor_get_dtype (tensor)))
             ? 2
             : 1;
}

static AssayTorchItem *
number_item (AssayTorchLower *lower, char kind, gint64 i, double f, gboolean is_float)
{
  if (kind == 'b')
    return assay_torch_bool (lower, i != 0);
  if (kind == 'f' || (kind != 'i' && is_float))
    return assay_torch_float (lower, is_float ? f : (double) i);

  return assay_torch_int (lower, is_float ? (gint64) CLAMP (f, -0x1p62, 0x1p62) : i);
}

static AssayTorchItem *
text_item (AssayTorchLower *lower, const char *text)
{
  AssayTorchItem *item = assay_torch_item_new (lower, ASSAY_TORCH_ITEM_STRING);

  item->s = assay_arena_intern (lower->arena, text);

  return item;
}

/* What a constant of the file is as a number, a list or a text. */
static AssayTorchItem *
constant_item (AssayTorchLower *lower, AssayTensor *tensor, char kind, gboolean is_list)
{
  gsize n = assay_tensor_get_n_elements (tensor);
  AssayDType dtype = assay_tensor_get_dtype (tensor);
  gboolean is_float = assay_dtype_is_float (dtype);
  AssayTorchItem *items[MAX_LIST];

  if (is_text (tensor))
    {
      GPtrArray *texts = assay_tensor_get_strings (tensor);
      gsize size = 0;
      const char *data = texts != NULL && texts->len == 1
                             ? g_bytes_get_data (texts->pdata[0], &size)
                             : NULL;
      g_autofree char *text = g_strndup (data != NULL ? data : "", size);

      return texts != NULL && texts->len == 1 ? text_item (lower, text) : NULL;
    }
  if (n > MAX_LIST || (n != 1 && !is_list))
    return NULL;
  for (gsize i = 0; i < n; i++)
    {
      double f = 0.0;
      gint64 integer = 0;

      if (is_float ? !assay_tensor_get_element (tensor, i, &f, NULL)
                   : !assay_tensor_get_integer (tensor, i, &integer, NULL))
        return NULL;
      items[i] = number_item (lower,
                              kind != 'x'                 ? kind
                              : dtype == ASSAY_DTYPE_BOOL ? 'b'
                                                          : 'n',
                              integer, f, is_float);
    }

  return is_list ? assay_torch_list (lower, (guint) n, items) : items[0];
}

/* A value of the file, in the body. */
static AssayTorchItem *
tensor_item (Reading *self, AssayValueId id)
{
  const AssayValue *value = assay_graph_value (self->graph, id);

  if (self->known[id] == ASSAY_NO_VALUE && value->constant != NULL)
    self->known[id] = assay_graph_add_constant (self->lower->graph, ASSAY_MAIN_REGION, value->name,
                                                value->constant);

  return self->known[id] != ASSAY_NO_VALUE ? assay_torch_tensor (self->lower, self->known[id])
                                           : NULL;
}

static AssayTorchItem *
sequence_item (Reading *self, const AssayNode *sequence)
{
  AssayTorchItem *items[MAX_LIST];

  if (sequence->n_inputs > MAX_LIST)
    return NULL;
  for (guint i = 0; i < sequence->n_inputs; i++)
    if ((items[i] = tensor_item (self, sequence->inputs[i])) == NULL)
      return NULL;

  return assay_torch_list (self->lower, sequence->n_inputs, items);
}

static AssayTorchItem *
value_item (Reading *self, const Operand *operand, AssayValueId id)
{
  AssayTensor *tensor;
  AssayTorchItem *item;

  if (id == ASSAY_NO_VALUE)
    return assay_torch_item_new (self->lower, ASSAY_TORCH_ITEM_NONE);
  if (sequence_of (self, id) != NULL)
    return sequence_item (self, sequence_of (self, id));
  tensor = assay_graph_constant (self->graph, id);
  if (operand->kind == 'T')
    return tensor_item (self, id);
  if (tensor != NULL)
    return constant_item (self->lower, tensor, operand->kind, operand->is_list);

  item = tensor_item (self, id);
  if (item != NULL)
    item->kind = operand->kind == 'b'   ? ASSAY_TORCH_ITEM_BOOL
                 : operand->kind == 'i' ? ASSAY_TORCH_ITEM_INT
                                        : ASSAY_TORCH_ITEM_FLOAT;

  return item;
}

/* Where nothing is known of the operands of a function, what a constant is says what it is for. */
static AssayTorchItem *
guess_item (Reading *self, AssayValueId id)
{
  AssayTensor *tensor = id != ASSAY_NO_VALUE ? assay_graph_constant (self->graph, id) : NULL;
  guint rank = tensor != NULL ? assay_tensor_get_rank (tensor) : 2;
  AssayDType dtype = tensor != NULL ? assay_tensor_get_dtype (tensor) : ASSAY_DTYPE_UNDEFINED;
  Operand operand = { .kind = 'T' };

  if (rank == 0)
    operand.kind = 'x';
  else if (rank == 1 && dtype == ASSAY_DTYPE_I64)
    operand = (Operand){ .kind = 'i', .is_list = TRUE };

  return value_item (self, &operand, id);
}

static AssayTorchItem *
attribute_item (Reading *self, const Operand *operand, const AssayAttr *attr)
{
  AssayTorchLower *lower = self->lower;
  AssayTorchItem *items[MAX_LIST];

  switch (attr->kind)
    {
    case ASSAY_ATTR_INT:
    case ASSAY_ATTR_FLOAT:
      items[0] = number_item (lower, operand->kind, attr->kind == ASSAY_ATTR_INT ? attr->u.i : 0,
                              attr->kind == ASSAY_ATTR_INT ? 0.0 : attr->u.f,
                              attr->kind == ASSAY_ATTR_FLOAT);
      return operand->is_list ? assay_torch_list (lower, 1, items) : items[0];
    case ASSAY_ATTR_STRING:
      return operand->kind == 's' ? text_item (lower, attr->u.s) : NULL;
    case ASSAY_ATTR_INTS:
    case ASSAY_ATTR_FLOATS:
      if (!operand->is_list || operand->kind == 'T' || attr->n > MAX_LIST)
        return NULL;
      for (guint i = 0; i < attr->n; i++)
        items[i] = attr->kind == ASSAY_ATTR_INTS
                       ? number_item (lower, operand->kind, attr->u.ints[i], 0.0, FALSE)
                       : number_item (lower, operand->kind, 0, attr->u.floats[i], TRUE);
      return assay_torch_list (lower, attr->n, items);
    case ASSAY_ATTR_TENSOR:
      if (operand->kind == 'T' && !operand->is_list)
        {
          g_autofree char *name = g_strdup_printf ("%s.%s", self->node->name, operand->name);

          return assay_torch_tensor (
              lower,
              assay_graph_add_constant (lower->graph, ASSAY_MAIN_REGION, name, attr->u.tensor));
        }
      return constant_item (lower, attr->u.tensor, operand->kind, operand->is_list);
    case ASSAY_ATTR_NONE:
    case ASSAY_ATTR_GRAPH:
    case ASSAY_ATTR_TYPE:
    case ASSAY_ATTR_STRINGS:
    case ASSAY_ATTR_TENSORS:
    case ASSAY_ATTR_GRAPHS:
    case ASSAY_ATTR_TYPES:
    default:
      return NULL;
    }
}

/* How many axes a window has: the name says so, or else the input. */
static guint
count_window (const Reading *self)
{
  const char *name = self->rule->name;
  const AssayTorchItem *input = self->n_items > 0 ? self->items[0] : NULL;
  const AssayType *type = input != NULL && input->value != ASSAY_NO_VALUE
                              ? assay_torch_type (self->lower, input->value)
                              : NULL;

  for (guint n = 1; n <= 3; n++)
    {
      char words[] = { (char) ('0' + n), 'd', '\0' };

      if (strstr (name, words) != NULL)
        return n;
    }

  return type != NULL && type->rank > 2 ? (guint) type->rank - 2 : 1;
}

static AssayTorchItem *
default_item (Reading *self, const Operand *operand)
{
  const char *function = self->rule->name + strlen ("torch.");
  AssayTorchItem *items[3];
  guint n;

  if (operand->is_optional)
    return assay_torch_item_new (self->lower, ASSAY_TORCH_ITEM_NONE);
  for (guint i = 0; i < G_N_ELEMENTS (defaults); i++)
    {
      if (!g_str_equal (defaults[i].operand, operand->name) ||
          (defaults[i].function != NULL && !g_str_equal (defaults[i].function, function)))
        continue;
      if (defaults[i].text != NULL)
        return text_item (self->lower, defaults[i].text);
      if (defaults[i].kind != 'L')
        return number_item (self->lower, defaults[i].kind, (gint64) defaults[i].number,
                            defaults[i].number,
                            fabs (defaults[i].number - rint (defaults[i].number)) > 0.0);
      n = defaults[i].number < 0.0 ? 0 : count_window (self);
      for (guint j = 0; j < n; j++)
        items[j] = assay_torch_int (self->lower, (gint64) defaults[i].number);
      return assay_torch_list (self->lower, n, items);
    }
  assay_torch_cannot (self->lower, "its operand “%s” is not given", operand->name);

  return NULL;
}

static const AssayAttr *
find_attribute (const AssayNode *node, const Operand *operand)
{
  return assay_node_find_attr (node, operand->name);
}

static gboolean
is_operand (const Reading *self, const char *name)
{
  for (guint i = 0; i < self->operands->len; i++)
    if (g_str_equal (g_array_index (self->operands, Operand, i).name, name))
      return TRUE;

  return FALSE;
}

/* Inputs that a list of tensors takes, where the file has no sequence for it: what is no number.
 */
static guint
count_listed (const Reading *self, guint first)
{
  guint n = 0;

  for (guint i = first; i < self->node->n_inputs; i++, n++)
    {
      AssayValueId value = self->node->inputs[i];
      AssayTensor *tensor = value != ASSAY_NO_VALUE ? assay_graph_constant (self->graph, value)
                                                    : NULL;

      if (value == ASSAY_NO_VALUE || sequence_of (self, value) != NULL ||
          (tensor != NULL && assay_tensor_get_rank (tensor) == 0))
        break;
    }

  return n;
}

/* How well the node fits the function: 0 if an operand is of another kind or there are too many. */
static guint
fit_node (const Reading *self)
{
  guint at = 0;
  guint fit = 2;

  if (self->operands->len == 0)
    return self->node->n_inputs <= MAX_OPERANDS ? 1 : 0;
  for (guint i = 0; i < self->operands->len && fit > 0; i++)
    {
      const Operand *operand = &g_array_index (self->operands, Operand, i);
      guint own;

      if (find_attribute (self->node, operand) != NULL || at >= self->node->n_inputs)
        continue;
      if (operand->kind == 'T' && operand->is_list && count_listed (self, at) > 0)
        {
          at += count_listed (self, at);
          continue;
        }
      own = fit_value (self, operand, self->node->inputs[at++]);
      fit = MIN (fit, own);
    }
  for (guint i = 0; i < self->node->n_attrs; i++)
    if (!g_str_equal (self->node->attrs[i].name, "operator") &&
        !g_str_equal (self->node->attrs[i].name, "overload_name") &&
        !is_operand (self, self->node->attrs[i].name))
      return 0;

  return at < self->node->n_inputs ? 0 : fit;
}

/* Looks for the overload that takes these operands. */
static gboolean
find_overload (Reading *self, const char *function)
{
  gboolean is_sure = strchr (strchr (function, '.') + 1, '.') != NULL;
  gboolean any = FALSE;

  for (guint wanted = 2; wanted > 0; wanted--)
    for (guint i = 0; i < (is_sure ? 1 : G_N_ELEMENTS (overloads)); i++)
      {
        g_autofree char *name = g_strconcat ("torch.", function, overloads[i], NULL);

        self->rule = assay_torch_rule_find (name);
        if (self->rule == NULL)
          continue;
        any = TRUE;
        g_clear_pointer (&self->operands, g_array_unref);
        self->operands = parse_signature (find_signature (name));
        if (fit_node (self) >= wanted)
          return TRUE;
      }

  return assay_torch_cannot (self->lower, any ? "it has other operands than the function"
                                              : "nobody said yet how it is made of operations");
}

static gboolean
take_operands (Reading *self)
{
  const AssayNode *node = self->node;
  guint at = 0;

  if (self->operands->len == 0)
    {
      for (guint i = 0; i < node->n_inputs; i++)
        if ((self->items[self->n_items++] = guess_item (self, node->inputs[i])) == NULL)
          return assay_torch_cannot (self->lower, "its input %u is of another kind", i);
      return TRUE;
    }
  for (guint i = 0; i < self->operands->len; i++)
    {
      const Operand *operand = &g_array_index (self->operands, Operand, i);
      const AssayAttr *attr = find_attribute (node, operand);
      AssayTorchItem *listed[MAX_LIST];
      AssayTorchItem *item;
      guint n = 0;

      if (attr != NULL)
        item = attribute_item (self, operand, attr);
      else if (at >= node->n_inputs)
        item = default_item (self, operand);
      else if (operand->kind == 'T' && operand->is_list && count_listed (self, at) > 0)
        {
          for (guint left = count_listed (self, at); left > 0 && n < MAX_LIST; left--, n++)
            if ((listed[n] = tensor_item (self, node->inputs[at++])) == NULL)
              return assay_torch_cannot (self->lower, "its input %u is not known", at - 1);
          item = assay_torch_list (self->lower, n, listed);
        }
      else
        item = value_item (self, operand, node->inputs[at++]);
      if (item == NULL)
        return assay_torch_cannot (self->lower, "its operand “%s” is of another kind",
                                   operand->name);
      self->items[self->n_items++] = item;
    }

  return TRUE;
}

/* Carries out the operation. */
static gboolean
make (Reading *self, guint n_results, AssayTorchItem **results)
{
  AssayTorchType type = { .kind = ASSAY_TORCH_TYPE_UNKNOWN, .text = "" };
  AssayTorchValue operands[MAX_OPERANDS];
  AssayTorchValue *operand_list[MAX_OPERANDS];
  AssayTorchValue result = { .type = &type };
  g_autofree AssayTorchValue **result_list = g_new (AssayTorchValue *, n_results);
  AssayTorchOp op = { .name = self->rule->name,
                      .n_operands = self->n_items,
                      .n_results = n_results,
                      .operands = operand_list,
                      .results = result_list };
  gboolean done;

  for (guint i = 0; i < self->n_items; i++)
    {
      operands[i] = (AssayTorchValue){ .type = &type, .data = self->items[i] };
      operand_list[i] = &operands[i];
    }
  for (guint i = 0; i < n_results; i++)
    result_list[i] = &result;
  self->lower->op = &op;
  self->lower->results = results;
  done = self->rule->make (self->lower, self->rule);
  self->lower->op = NULL;

  return done;
}

static gboolean
add_result (Reading *self, AssayTorchItem *item)
{
  AssayTorchLower *lower = self->lower;
  AssayValueId value = ASSAY_NO_VALUE;

  if (item != NULL && item->kind == ASSAY_TORCH_ITEM_TENSOR)
    value = assay_torch_read (lower, item);
  else if (item != NULL)
    value = assay_torch_as_value (lower, item,
                                  item->kind == ASSAY_TORCH_ITEM_FLOAT  ? ASSAY_DTYPE_F64
                                  : item->kind == ASSAY_TORCH_ITEM_BOOL ? ASSAY_DTYPE_BOOL
                                                                        : ASSAY_DTYPE_I64);
  if (value == ASSAY_NO_VALUE)
    return assay_torch_cannot (lower, "a result of it is not known");
  assay_graph_add_output (lower->graph, ASSAY_MAIN_REGION, value);

  return TRUE;
}

/* The outputs of the node; one that is a list gives its entries to them. */
static gboolean
add_results (Reading *self, guint n_results, AssayTorchItem **results)
{
  const AssayTorchItem *list = results[0];
  gboolean is_list = n_results == 1 && list != NULL && list->kind == ASSAY_TORCH_ITEM_LIST;

  if (self->node->n_outputs > (is_list ? list->n : n_results) || self->node->n_outputs == 0)
    return assay_torch_cannot (self->lower, "it has %u output%s, and the function gives %u",
                               self->node->n_outputs, assay_plural (self->node->n_outputs),
                               is_list ? list->n : n_results);
  for (guint i = 0; i < self->node->n_outputs; i++)
    if (!add_result (self, is_list ? list->items[i] : results[i]))
      return FALSE;

  return TRUE;
}

/* Puts a number into the place that a function has for it. */
static AssayValueId
plain_constant (AssayGraph *plain, const char *name, const AssayTorchItem *item)
{
  gint64 n = item->kind == ASSAY_TORCH_ITEM_LIST ? item->n : 1;
  gboolean is_float = FALSE;
  gboolean is_bool = item->kind == ASSAY_TORCH_ITEM_BOOL;
  g_autofree gint64 *integers = g_new0 (gint64, MAX (n, 1));
  g_autofree float *floats = g_new0 (float, MAX (n, 1));
  g_autoptr (AssayTensor) tensor = NULL;

  for (gint64 i = 0; i < n; i++)
    {
      const AssayTorchItem *entry = item->kind == ASSAY_TORCH_ITEM_LIST ? item->items[i] : item;

      integers[i] = entry->i;
      floats[i] = (float) entry->f;
      is_float |= entry->kind == ASSAY_TORCH_ITEM_FLOAT;
    }
  if (is_bool)
    {
      guint8 truth = integers[0] != 0;
      g_autoptr (GBytes) bytes = g_bytes_new (&truth, 1);

      tensor = assay_tensor_new (ASSAY_DTYPE_BOOL, 0, NULL, bytes, NULL);
    }
  else if (is_float)
    tensor = assay_tensor_new_f32 (item->kind == ASSAY_TORCH_ITEM_LIST, &n, floats);
  else
    tensor = assay_tensor_new_i64 (item->kind == ASSAY_TORCH_ITEM_LIST, &n, integers);

  return assay_graph_add_constant (plain, ASSAY_MAIN_REGION, name, tensor);
}

/* A tensor of the body, of which only what it is counts. */
static AssayValueId
plain_tensor (AssayGraph *plain, const AssayGraph *body, AssayValueId id)
{
  const AssayValue *value = assay_graph_value (body, id);

  if (value->constant != NULL)
    return assay_graph_add_constant (plain, ASSAY_MAIN_REGION, value->name, value->constant);

  return assay_graph_add_input (plain, ASSAY_MAIN_REGION, value->name,
                                assay_type_copy (plain->arena, value->type));
}

static gboolean
is_list_of_tensors (const AssayTorchItem *item)
{
  for (guint i = 0; item->kind == ASSAY_TORCH_ITEM_LIST && i < item->n; i++)
    if (item->items[i]->kind == ASSAY_TORCH_ITEM_TENSOR)
      return TRUE;

  return FALSE;
}

/* Appends an operand: a tensor or a number as it is known, the entries of a list of tensors, some
 * of which may be missing. */
static void
append_operand (AssayGraph *plain, const AssayGraph *body, const char *name,
                const AssayTorchItem *item, GArray *inputs)
{
  gboolean is_list = is_list_of_tensors (item);

  for (guint i = 0; i < (is_list ? item->n : 1); i++)
    {
      const AssayTorchItem *part = is_list ? item->items[i] : item;
      AssayValueId value = ASSAY_NO_VALUE;

      if (part->value != ASSAY_NO_VALUE)
        value = plain_tensor (plain, body, part->value);
      else if (part->kind == ASSAY_TORCH_ITEM_INT || part->kind == ASSAY_TORCH_ITEM_FLOAT ||
               part->kind == ASSAY_TORCH_ITEM_BOOL || part->kind == ASSAY_TORCH_ITEM_LIST)
        value = plain_constant (plain, name, part);
      g_array_append_val (inputs, value);
    }
}

/* A node with each operand in its place. Those of @results that have a name are outputs, of the
 * types of @made. */
static AssayNodeId
make_plain (AssayGraph *plain, const AssayGraph *body, const char *name, guint n_items,
            AssayTorchItem *const *items, guint n_results, const AssayValueId *made,
            const char *const *names)
{
  g_autoptr (GArray) inputs = g_array_new (FALSE, FALSE, sizeof (AssayValueId));
  g_autofree AssayValueId *results = g_new0 (AssayValueId, MAX (n_results, 1));
  AssayNodeId id;

  for (guint i = 0; i < n_items; i++)
    {
      g_autofree char *operand = g_strdup_printf ("%s.operand%u", name, i);

      append_operand (plain, body, operand, items[i], inputs);
    }
  while (inputs->len > 0 && g_array_index (inputs, AssayValueId, inputs->len - 1) == ASSAY_NO_VALUE)
    g_array_set_size (inputs, inputs->len - 1);
  for (guint i = 0; i < n_results; i++)
    if (names[i] != NULL)
      results[i] = assay_graph_add_value (
          plain, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT, names[i],
          assay_type_copy (plain->arena, assay_graph_value (body, made[i])->type));
  id = assay_graph_add_node (plain, ASSAY_MAIN_REGION, ASSAY_OP_OPAQUE, name, inputs->len,
                             (const AssayValueId *) (gconstpointer) inputs->data, n_results,
                             results);
  for (guint i = 0; i < n_results; i++)
    if (results[i] != ASSAY_NO_VALUE)
      assay_graph_add_output (plain, ASSAY_MAIN_REGION, results[i]);

  return id;
}

/* The node as the file would have it with each operand in its place. A text stays an attribute. */
static AssayGraph *
make_plain_node (Reading *self, AssayTorchItem *const *items)
{
  AssayGraph *plain = assay_graph_new ();
  const AssayGraph *body = self->lower->graph;
  const GArray *outputs = assay_graph_region (body, ASSAY_MAIN_REGION)->outputs;
  const AssayNode *node = self->node;
  g_autofree const char **names = g_new0 (const char *, outputs->len + 1);
  AssayNodeId id;

  for (guint i = 0; i < MIN (outputs->len, node->n_outputs); i++)
    if (node->outputs[i] != ASSAY_NO_VALUE)
      names[i] = assay_graph_value (self->graph, node->outputs[i])->name;
  id = make_plain (plain, body, node->name, self->n_items, items, outputs->len,
                   (const AssayValueId *) (gconstpointer) outputs->data, names);
  assay_graph_edit_node (plain, id)->op_type = assay_arena_intern (plain->arena, node->op_type);
  assay_graph_edit_node (plain, id)->domain = assay_arena_intern (plain->arena, node->domain);
  for (guint i = 0; i < node->n_attrs; i++)
    if (node->attrs[i].kind == ASSAY_ATTR_STRING)
      assay_graph_set_string (plain, id, node->attrs[i].name, node->attrs[i].u.s);

  return plain;
}

static void
collect_results (const AssayTorchLower *lower, const AssayTorchItem *item, GArray *made,
                 GPtrArray *names)
{
  if (item->kind == ASSAY_TORCH_ITEM_LIST)
    for (guint i = 0; i < item->n; i++)
      collect_results (lower, item->items[i], made, names);
  else if (item->value != ASSAY_NO_VALUE)
    {
      g_array_append_val (made, item->value);
      g_ptr_array_add (names, (gpointer) assay_graph_value (lower->graph, item->value)->name);
    }
}

/**
 * assay_torch_call_keep:
 * @lower: a function on its way to a graph, at an operation that is made
 * @name: name of the operation, without `torch.`
 *
 * Keeps an operation of a program with the nodes that it is made of: as a node that calls the
 * function, which a target may have a row for.
 */
void
assay_torch_call_keep (AssayTorchLower *lower, const char *name)
{
  const char *dot = strchr (name, '.');
  g_autoptr (AssayGraph) plain = NULL;
  g_autoptr (GArray) made = g_array_new (FALSE, FALSE, sizeof (AssayValueId));
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree char *space = NULL;
  AssayTorchItem *items[MAX_OPERANDS];
  AssayNodeId id;

  if (lower->origin == G_MAXUINT32 || dot == NULL || lower->op->n_operands > MAX_OPERANDS)
    return;
  for (guint i = 0; i < lower->op->n_operands; i++)
    items[i] = assay_torch_arg (lower, i);
  for (guint i = 0; i < lower->op->n_results; i++)
    collect_results (lower, lower->results[i], made, names);

  plain = assay_graph_new ();
  id = make_plain (plain, lower->graph, lower->base, lower->op->n_operands, items, made->len,
                   (const AssayValueId *) (gconstpointer) made->data,
                   (const char *const *) names->pdata);
  space = g_strndup (name, (gsize) (dot - name));
  assay_graph_edit_node (plain, id)->op_type = assay_arena_intern (plain->arena, dot + 1);
  assay_graph_edit_node (plain, id)->domain = assay_arena_intern (plain->arena, space);
  g_array_index (lower->graph->origins, AssayOrigin, lower->origin).call = plain;
  g_ptr_array_add (lower->graph->calls, g_steal_pointer (&plain));
}

/**
 * assay_torch_call_find_same:
 * @name: name of a function, such as `operator.add`
 *
 * Looks for the function of the dialect that computes the same as one of another name space.
 *
 * Returns: (nullable): its name
 */
const char *
assay_torch_call_find_same (const char *name)
{
  const char *dot = strchr (name, '.');

  for (guint i = 0; dot != NULL && i < G_N_ELEMENTS (same); i++)
    {
      gsize n = (gsize) (dot - name);

      if (strncmp (same[i].key, name, n) == 0 && g_str_equal (same[i].key + n + 1, dot + 1) &&
          strchr (":.", same[i].key[n]) != NULL)
        return same[i].function;
    }

  return NULL;
}

static gboolean
expand (Reading *self, AssayTorchCall *call)
{
  g_autofree char *function = dup_function (self->node);
  g_autofree AssayTorchItem **results = NULL;
  AssayTorchItem *items[MAX_OPERANDS];
  guint n_results;

  if (function == NULL || !find_overload (self, function) || !take_operands (self))
    return FALSE;
  for (guint i = 0; i < self->n_items; i++)
    items[i] = assay_arena_memdup (self->lower->arena, self->items[i], sizeof (AssayTorchItem));
  n_results = count_results (self->rule->name, self->node);
  results = g_new0 (AssayTorchItem *, n_results);
  if (!make (self, n_results, results) || !add_results (self, n_results, results) ||
      self->lower->error != NULL)
    return FALSE;
  call->plain = make_plain_node (self, items);
  call->body = assay_graph_ref (self->lower->graph);

  return TRUE;
}

/**
 * assay_torch_call_expand:
 * @graph: a graph with the node, of whose inputs types and constants are known; nodes that make
 * sequences may stand before it
 * @node: a node that calls a function of PyTorch
 * @call: (out): what became of it
 * @error: return location for a #GError
 *
 * Makes what a function of PyTorch is made of. Operands stand in the order of the function, or are
 * attributes with their names; those that are not given are what PyTorch takes then.
 *
 * Returns: whether it could be made; %ASSAY_ERROR_UNSUPPORTED with the reason otherwise
 */
gboolean
assay_torch_call_expand (AssayGraph *graph, AssayNodeId node, AssayTorchCall *call, GError **error)
{
  g_autoptr (AssayGraph) body = assay_graph_new ();
  g_autoptr (AssayArena) arena = assay_arena_new ();
  g_autoptr (AssayInferSteps) steps = assay_infer_steps_new (body);
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GHashTable) names = g_hash_table_new (NULL, NULL);
  g_autofree AssayValueId *known = g_new0 (AssayValueId, assay_graph_n_values (graph));
  const GArray *inputs = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs;
  AssayTorchLower lower = { .graph = body,
                            .arena = arena,
                            .steps = steps,
                            .findings = findings,
                            .names = names,
                            .base = "body",
                            .path = "",
                            .op_type = "",
                            .origin = G_MAXUINT32 };
  Reading reading = {
    .graph = graph, .node = assay_graph_node (graph, node), .lower = &lower, .known = known
  };
  gboolean done;

  for (guint i = 0; i < inputs->len; i++)
    {
      AssayValueId id = g_array_index (inputs, AssayValueId, i);
      const AssayValue *value = assay_graph_value (graph, id);

      known[id] = assay_graph_add_input (body, ASSAY_MAIN_REGION, value->name,
                                         assay_type_copy (body->arena, value->type));
    }
  *call = (AssayTorchCall){ NULL, NULL };
  done = expand (&reading, call);
  if (!done)
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED, "%s",
                 lower.error != NULL    ? lower.error->message
                 : lower.reason != NULL ? lower.reason
                                        : "nobody said yet how it is made of operations");
  g_clear_error (&lower.error);
  g_clear_pointer (&lower.reason, g_free);
  g_clear_pointer (&reading.operands, g_array_unref);

  return done;
}

/**
 * assay_torch_call_clear:
 * @self: what became of a node
 *
 * Gives up both graphs.
 */
void
assay_torch_call_clear (AssayTorchCall *self)
{
  g_clear_pointer (&self->body, assay_graph_unref);
  g_clear_pointer (&self->plain, assay_graph_unref);
}
