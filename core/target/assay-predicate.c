/* assay-predicate.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "target/assay-check-private.h"

#include <string.h>

/* Every table of predicates that all families share; a new file of them gets a row here. */
static const AssayPredicate *const tables[] = {
  assay_predicates_logic,     assay_predicates_attribute, assay_predicates_value,
  assay_predicates_axes,      assay_predicates_window,    assay_predicates_listed,
  assay_predicates_neighbour,
};

static void
add_table (GPtrArray *list, const AssayPredicate *table)
{
  for (const AssayPredicate *row = table; row != NULL && row->name != NULL; row++)
    g_ptr_array_add (list, (gpointer) row);
}

/**
 * assay_predicate_list:
 *
 * Lists every predicate that a target file can name: those of all families, then those of each.
 *
 * Returns: (transfer container) (element-type AssayPredicate): the predicates
 */
GPtrArray *
assay_predicate_list (void)
{
  GPtrArray *list = g_ptr_array_new ();

  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    add_table (list, tables[i]);
  for (guint i = 0; assay_check_classes[i] != NULL; i++)
    add_table (list, assay_check_classes[i]->predicates);

  return list;
}

static const AssayPredicate *
find_row (const AssayPredicate *table, const char *name)
{
  for (const AssayPredicate *row = table; row != NULL && row->name != NULL; row++)
    if (g_str_equal (row->name, name))
      return row;

  return NULL;
}

/**
 * assay_predicate_lookup:
 * @name: a name
 *
 * Finds a predicate.
 *
 * Returns: (transfer none) (nullable): the predicate
 */
const AssayPredicate *
assay_predicate_lookup (const char *name)
{
  const AssayPredicate *found = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (tables) && found == NULL; i++)
    found = find_row (tables[i], name);
  for (guint i = 0; assay_check_classes[i] != NULL && found == NULL; i++)
    found = find_row (assay_check_classes[i]->predicates, name);

  return found;
}

/**
 * assay_arg_kind_name:
 * @kind: a kind of argument
 *
 * Gets what such an argument has to be, in words.
 *
 * Returns: (transfer none): the words
 */
const char *
assay_arg_kind_name (AssayArgKind kind)
{
  static const char *const names[] = {
    "integer",
    "number",
    "true or false",
    "string",
    "integer or list of integers",
    "string or list of strings",
    "operator or list of operators",
    "element type or list of element types",
    "list of predicate calls",
  };

  return names[kind];
}

const AssayArg *
assay_call_arg (const AssayCall *call, const char *name)
{
  for (guint i = 0; i < ASSAY_MAX_ARGS && call->predicate->args[i].name != NULL; i++)
    if (g_str_equal (call->predicate->args[i].name, name))
      return call->args[i].present ? &call->args[i] : NULL;

  return NULL;
}

gboolean
assay_call_get_int (const AssayCall *call, const char *name, gint64 *value)
{
  const AssayArg *arg = assay_call_arg (call, name);

  if (arg != NULL)
    *value = arg->u.i;

  return arg != NULL;
}

gint64
assay_call_int (const AssayCall *call, const char *name, gint64 fallback)
{
  const AssayArg *arg = assay_call_arg (call, name);

  return arg != NULL ? arg->u.i : fallback;
}

const char *
assay_call_string (const AssayCall *call, const char *name)
{
  const AssayArg *arg = assay_call_arg (call, name);

  return arg != NULL ? arg->u.s : NULL;
}

gboolean
assay_call_bool (const AssayCall *call, const char *name, gboolean fallback)
{
  const AssayArg *arg = assay_call_arg (call, name);

  return arg != NULL ? arg->u.b : fallback;
}

/* Notes why, and hands the answer back, so that a predicate can end with it. */
AssayTruth
assay_context_say (AssayContext *context, AssayTruth truth, const char *attribute,
                   const char *actual, ...)
{
  va_list args;

  if (truth == ASSAY_TRUE || context->quiet)
    return truth;

  context->attribute = attribute;
  va_start (args, actual);
  g_string_vprintf (context->actual, actual, args);
  va_end (args);

  return truth;
}

void
assay_context_allow (AssayContext *context, const char *format, ...)
{
  va_list args;

  if (context->quiet)
    return;

  va_start (args, format);
  g_string_vprintf (context->allowed, format, args);
  va_end (args);
}

void
assay_context_rest_on (AssayContext *context, AssayNodeId node, const char *format, ...)
{
  AssayVerdictDetail detail = { node, NULL };
  g_autofree char *text = NULL;
  va_list args;

  if (context->quiet)
    return;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  detail.text = assay_arena_intern (context->check->arena, text);
  g_array_append_val (context->details, detail);
}

/* Whether a value is in the `min`, `max`, `in` and `multiple_of` of a call, as far as they are
 * given. */
gboolean
assay_call_in_range (const AssayCall *call, gint64 value)
{
  const AssayArg *in = assay_call_arg (call, "in");
  gint64 bound;

  if (assay_call_get_int (call, "min", &bound) && value < bound)
    return FALSE;
  if (assay_call_get_int (call, "max", &bound) && value > bound)
    return FALSE;
  if (assay_call_get_int (call, "multiple_of", &bound) && bound != 0 && value % bound != 0)
    return FALSE;
  if (in == NULL)
    return TRUE;

  for (guint i = 0; i < in->n; i++)
    if (in->u.ints[i] == value)
      return TRUE;

  return FALSE;
}

/* Writes a set of element types in words. */
void
assay_context_allow_dtypes (AssayContext *context, AssayDTypeSet set)
{
  guint left = 0;

  if (context->quiet)
    return;

  g_string_truncate (context->allowed, 0);
  for (guint i = 1; i < ASSAY_N_DTYPES; i++)
    left += set >> i & 1;
  for (guint i = 1; i < ASSAY_N_DTYPES; i++)
    if ((set >> i & 1) != 0)
      g_string_append_printf (context->allowed, "%s%s",
                              context->allowed->len == 0 ? ""
                              : left > 0 && --left > 1   ? ", "
                                                         : " or ",
                              assay_dtype_name (i));
}

AssayTruth
assay_context_say_type (AssayContext *context, const char *label, const AssayType *type)
{
  static const char *const kinds[] = { "unknown",     "a tensor", "a sparse tensor", "a sequence",
                                       "an optional", "a map",    "opaque" };

  if (type->kind == ASSAY_TYPE_KIND_TENSOR)
    return assay_context_say (context, ASSAY_FALSE, label, "%s", assay_dtype_name (type->dtype));

  if (!context->quiet)
    g_string_assign (context->allowed, "a dense tensor");
  return assay_context_say (context, ASSAY_FALSE, label, "%s", kinds[type->kind]);
}

/* Writes `min`, `max`, `in` and `multiple_of` in words. */
void
assay_context_allow_range (AssayContext *context, const AssayCall *call)
{
  GString *text = context->allowed;
  const AssayArg *in = assay_call_arg (call, "in");
  gint64 min, max;
  gboolean has_min = assay_call_get_int (call, "min", &min);
  gboolean has_max = assay_call_get_int (call, "max", &max);
  gint64 multiple;

  if (context->quiet)
    return;

  g_string_truncate (text, 0);

  if (in != NULL)
    for (guint i = 0; i < in->n; i++)
      g_string_append_printf (text, "%s%" G_GINT64_FORMAT,
                              i == 0          ? ""
                              : i + 1 < in->n ? ", "
                                              : " or ",
                              in->u.ints[i]);

  if (has_min && has_max && min == max)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, text->len > 0 ? ", " : "", min);
  else if (has_min && has_max)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT " to %" G_GINT64_FORMAT,
                            text->len > 0 ? ", " : "", min, max);
  else if (has_min)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT " or more", text->len > 0 ? ", " : "", min);
  else if (has_max)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT " or less", text->len > 0 ? ", " : "", max);

  if (assay_call_get_int (call, "multiple_of", &multiple))
    g_string_append_printf (text, "%sa multiple of %" G_GINT64_FORMAT, text->len > 0 ? ", " : "",
                            multiple);
}

AssayTruth
assay_context_test_int (AssayContext *context, const AssayCall *call, const char *attribute,
                        gint64 value)
{
  if (assay_call_in_range (call, value))
    return ASSAY_TRUE;

  assay_context_allow_range (context, call);
  return assay_context_say (context, ASSAY_FALSE, attribute, "%" G_GINT64_FORMAT, value);
}

/* Evaluates a call; the innermost one that did not hold is remembered for its sentence. */
AssayTruth
assay_context_evaluate (AssayContext *context, const AssayCall *call)
{
  AssayTruth truth;

  context->failed = NULL;
  truth = call->predicate->func (context, call);

  /* The innermost of nested calls has spoken already, unless this one has words of its own. */
  if (truth != ASSAY_TRUE && (context->failed == NULL || call->reason != NULL))
    context->failed = call;

  return truth;
}

AssayValueId
assay_context_value (AssayContext *context, const AssayCall *call, const char **label)
{
  static const char *const inputs[] = {
    "input 0", "input 1", "input 2", "input 3", "input 4", "input 5", "input 6", "input 7",
  };
  static const char *const outputs[] = { "output 0", "output 1", "output 2", "output 3" };
  gint64 index;

  if (assay_call_get_int (call, "output", &index))
    {
      *label = index >= 0 && index < (gint64) G_N_ELEMENTS (outputs) ? outputs[index] : "output";
      return index >= 0 ? assay_node_output (context->node, (guint) index) : ASSAY_NO_VALUE;
    }

  index = assay_call_int (call, "input", 0);
  *label = index >= 0 && index < (gint64) G_N_ELEMENTS (inputs) ? inputs[index] : "input";
  return index >= 0 ? assay_node_input (context->node, (guint) index) : ASSAY_NO_VALUE;
}

const AssayType *
assay_context_type (AssayContext *context, AssayValueId value)
{
  return value != ASSAY_NO_VALUE ? assay_graph_value (context->check->graph, value)->type
                                 : &assay_type_unknown;
}

/* Also what is computed from constants alone, such as dequantized weights: it is done once, before
 * the model runs. */
static gboolean
is_constant (AssayContext *context, AssayValueId id, guint depth, guint *budget)
{
  const AssayGraph *graph = context->check->graph;
  const AssayNode *node;

  if (id == ASSAY_NO_VALUE || assay_graph_is_constant (graph, id) ||
      (context->check->parameters != NULL && context->check->parameters[id]))
    return id != ASSAY_NO_VALUE || depth > 0;

  if (depth >= 4 || *budget == 0 || assay_graph_value (graph, id)->producer == ASSAY_NO_NODE)
    return FALSE;

  node = assay_graph_node (graph, assay_graph_value (graph, id)->producer);
  if (node->n_inputs == 0 || node->op == ASSAY_OP_OPAQUE ||
      (assay_op_get_info (node->op)->traits & (ASSAY_OP_TRAIT_RANDOM | ASSAY_OP_TRAIT_REGIONS)) !=
          0)
    return FALSE;

  (*budget)--;
  if (node->n_inputs > 16)
    return FALSE;

  for (guint i = 0; i < node->n_inputs; i++)
    if (!is_constant (context, node->inputs[i], depth + 1, budget))
      return FALSE;

  return TRUE;
}

gboolean
assay_context_is_constant (AssayContext *context, AssayValueId value)
{
  guint8 *known = context->check->constants;
  guint budget = 64;

  /* From when it is known which inputs are parameters, the answer stays. */
  if (known == NULL)
    return is_constant (context, value, 0, &budget);
  if (known[value] == 0)
    known[value] = is_constant (context, value, 0, &budget) ? 2 : 1;

  return known[value] == 2;
}

gint64
assay_context_attr_int (AssayContext *context, const char *attribute)
{
  gint64 value = 0;

  assay_node_find_int (context->node, attribute, &value);

  return value;
}

const char *
assay_context_attr_string (AssayContext *context, const char *attribute)
{
  AssayAttr attr;

  return assay_node_resolve_attr (context->node, attribute, &attr) && attr.kind == ASSAY_ATTR_STRING
             ? attr.u.s
             : "";
}
