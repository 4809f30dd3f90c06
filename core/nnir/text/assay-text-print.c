/* assay-text-print.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/text/assay-text.h"

#include <string.h>

#include "nnir/text/assay-text-lexer.h"
#include "nnir/text/assay-text-tensor.h"

typedef struct
{
  AssayGraph *graph;
  AssayTextFlags flags;
  GString *text;
  guint32 *serials;  /* per value: 1 + number behind its name, 0 while it has not been named; NULL
                        for one node */
  GHashTable *names; /* interned name -> number of values of that name so far */
  GPtrArray *loose;  /* per region: GArray of constants and missing values, or NULL */
  GError *error;
} Printer;

static void print_region (Printer *self, AssayRegionId id, guint depth);

static void
print_string (Printer *self, const char *string)
{
  assay_text_append_quoted (self->text, string != NULL ? string : "",
                            string != NULL ? strlen (string) : 0);
}

static void
print_value (Printer *self, AssayValueId id)
{
  const char *name = assay_graph_value (self->graph, id)->name;

  if (id == ASSAY_NO_VALUE)
    {
      g_string_append_c (self->text, '_');
      return;
    }

  assay_text_append_name (self->text, name);
  if (self->serials == NULL)
    return;

  /* Values of one name are numbered in the order of the text, so that reading and writing again
   * gives the same. */
  if (self->serials[id] == 0)
    {
      guint seen = GPOINTER_TO_UINT (g_hash_table_lookup (self->names, name));

      self->serials[id] = seen + 1;
      g_hash_table_insert (self->names, (gpointer) name, GUINT_TO_POINTER (seen + 1));
    }

  if (self->serials[id] > 1)
    g_string_append_printf (self->text, "#%u", self->serials[id] - 1);
}

static gboolean
is_type_of (const AssayType *type, AssayTensor *tensor)
{
  if (!assay_type_is_static (type) || type->dtype != assay_tensor_get_dtype (tensor) ||
      type->rank != (int) assay_tensor_get_rank (tensor))
    return FALSE;

  for (int i = 0; i < type->rank; i++)
    {
      if (type->dims[i].size != assay_tensor_get_dims (tensor)[i])
        return FALSE;
    }

  return TRUE;
}

static void
print_tensor (Printer *self, AssayTensor *tensor, const AssayType *type)
{
  if (type == NULL || !is_type_of (type, tensor))
    {
      g_string_append_printf (self->text, "%s[",
                              assay_dtype_name (assay_tensor_get_dtype (tensor)));
      for (guint i = 0; i < assay_tensor_get_rank (tensor); i++)
        g_string_append_printf (self->text, "%s%" G_GINT64_FORMAT, i > 0 ? "," : "",
                                assay_tensor_get_dims (tensor)[i]);
      g_string_append (self->text, "] ");
    }

  if (self->error == NULL)
    assay_text_append_tensor (self->text, tensor, self->flags, &self->error);
}

static void
print_typed (Printer *self, AssayValueId id)
{
  const AssayValue *value = assay_graph_value (self->graph, id);

  if (id == ASSAY_NO_VALUE)
    {
      g_string_append_c (self->text, '_');
      return;
    }

  assay_type_append (value->type, self->text);
  if (value->is_parameter)
    g_string_append (self->text, " param");
  if (value->constant != NULL)
    {
      g_string_append (self->text, " = ");
      print_tensor (self, value->constant, value->type);
    }
}

/* Attributes of ONNX are floats; the few that need a double carry a d. */
static void
print_float (Printer *self, double value)
{
  gboolean wide = (double) (float) value != value && value == value;

  assay_text_append_float (self->text, value, wide);
  if (wide)
    g_string_append_c (self->text, 'd');
}

static void
print_entry (Printer *self, const AssayAttr *attr, guint i, guint depth)
{
  switch (attr->kind)
    {
    case ASSAY_ATTR_INTS:
      g_string_append_printf (self->text, "%" G_GINT64_FORMAT, attr->u.ints[i]);
      break;
    case ASSAY_ATTR_FLOATS:
      print_float (self, attr->u.floats[i]);
      break;
    case ASSAY_ATTR_STRINGS:
      print_string (self, attr->u.strings[i]);
      break;
    case ASSAY_ATTR_TENSORS:
      print_tensor (self, attr->u.tensors[i], NULL);
      break;
    case ASSAY_ATTR_TYPES:
      assay_type_append (attr->u.types[i], self->text);
      break;
    case ASSAY_ATTR_GRAPHS:
      print_region (self, attr->u.regions[i], depth);
      break;
    default:
      break;
    }
}

static void
print_attr (Printer *self, const AssayAttr *attr, guint depth)
{
  /* A word in front where the entries alone would not tell the kind. */
  static const char *const lists[] = {
    [ASSAY_ATTR_INTS] = "ints ",       [ASSAY_ATTR_FLOATS] = "floats ",
    [ASSAY_ATTR_STRINGS] = "strings ", [ASSAY_ATTR_TENSORS] = "tensors ",
    [ASSAY_ATTR_GRAPHS] = "regions ",  [ASSAY_ATTR_TYPES] = "types ",
  };

  assay_text_append_word (self->text, attr->name);
  g_string_append (self->text, " = ");

  switch (attr->kind)
    {
    case ASSAY_ATTR_NONE:
      g_string_append (self->text, "none");
      break;
    case ASSAY_ATTR_INT:
      g_string_append_printf (self->text, "%" G_GINT64_FORMAT, attr->u.i);
      break;
    case ASSAY_ATTR_FLOAT:
      print_float (self, attr->u.f);
      break;
    case ASSAY_ATTR_STRING:
      assay_text_append_quoted (self->text, attr->u.s, attr->n);
      break;
    case ASSAY_ATTR_TENSOR:
      g_string_append (self->text, "tensor ");
      print_tensor (self, attr->u.tensor, NULL);
      break;
    case ASSAY_ATTR_TYPE:
      g_string_append (self->text, "type ");
      assay_type_append (attr->u.type, self->text);
      break;
    case ASSAY_ATTR_GRAPH:
      print_region (self, attr->u.region, depth);
      break;
    default:
      if (attr->n == 0 || attr->kind == ASSAY_ATTR_TENSORS || attr->kind >= ASSAY_ATTR_GRAPHS)
        g_string_append (self->text, lists[attr->kind]);
      g_string_append_c (self->text, '[');
      for (guint i = 0; i < attr->n; i++)
        {
          if (i > 0)
            g_string_append (self->text, ", ");
          print_entry (self, attr, i, depth);
        }
      g_string_append_c (self->text, ']');
      break;
    }
}

static void
print_qualified (Printer *self, const char *domain, const char *type)
{
  if (domain[0] != '\0')
    {
      assay_text_append_word (self->text, domain);
      g_string_append (self->text, "::");
    }
  assay_text_append_word (self->text, type);
}

static void
print_op (Printer *self, const AssayNode *node)
{
  AssayOp op = node->violation != NULL ? node->meant : node->op;

  if (assay_op_lookup (node->domain, node->op_type) == op)
    {
      print_qualified (self, node->domain, node->op_type);
      return;
    }

  print_qualified (self, assay_op_get_info (op)->domain, assay_op_name (op));
  g_string_append_c (self->text, '<');
  print_qualified (self, node->domain, node->op_type);
  g_string_append_c (self->text, '>');
}

static void
print_node (Printer *self, AssayNodeId id, guint depth)
{
  const AssayNode *node = assay_graph_node (self->graph, id);

  for (guint i = 0; i < node->n_outputs; i++)
    {
      if (i > 0)
        g_string_append (self->text, ", ");
      print_value (self, node->outputs[i]);
    }
  if (node->n_outputs > 0)
    g_string_append (self->text, " = ");

  print_op (self, node);
  g_string_append_c (self->text, '(');
  for (guint i = 0; i < node->n_inputs; i++)
    {
      if (i > 0)
        g_string_append (self->text, ", ");
      print_value (self, node->inputs[i]);
    }
  g_string_append_c (self->text, ')');

  if (node->n_attrs > 0)
    {
      g_string_append (self->text, " {");
      for (guint i = 0; i < node->n_attrs; i++)
        {
          if (i > 0)
            g_string_append (self->text, ", ");
          print_attr (self, &node->attrs[i], depth);
        }
      g_string_append_c (self->text, '}');
    }

  for (guint i = 0; i < node->n_outputs; i++)
    {
      g_string_append (self->text, i > 0 ? ", " : " : ");
      print_typed (self, node->outputs[i]);
    }

  g_string_append (self->text, " @ ");
  print_string (self, node->name);

  if (node->n_origins > 0)
    {
      g_string_append (self->text, " from [");
      for (guint i = 0; i < node->n_origins; i++)
        g_string_append_printf (self->text, "%s%u", i > 0 ? ", " : "", node->origins[i]);
      g_string_append_c (self->text, ']');
    }
  if (node->scope != 0)
    g_string_append_printf (self->text, " in %u", node->scope);
}

static void
indent (Printer *self, guint depth)
{
  for (guint i = 0; i < depth; i++)
    g_string_append (self->text, "  ");
}

/* A constant or a missing value. A constant whose elements cannot be read is missing: the importer
 * has told why. */
static void
print_loose (Printer *self, AssayValueId id)
{
  const AssayValue *value = assay_graph_value (self->graph, id);
  gsize start = self->text->len;

  g_string_append (self->text, value->kind == ASSAY_VALUE_CONSTANT ? "const " : "missing ");
  print_value (self, id);
  g_string_append (self->text, " : ");
  print_typed (self, id);
  if (self->error == NULL || (self->flags & ASSAY_TEXT_WHOLE) != 0)
    return;

  g_clear_error (&self->error);
  g_string_truncate (self->text, start);
  g_string_append (self->text, "missing ");
  print_value (self, id);
  g_string_append (self->text, " : ");
  assay_type_append (value->type, self->text);
}

static void
print_body (Printer *self, AssayRegionId id, guint depth)
{
  const AssayRegion *region = assay_graph_region (self->graph, id);
  const GArray *loose = self->loose != NULL ? g_ptr_array_index (self->loose, id) : NULL;

  g_string_append_c (self->text, '(');
  for (guint i = 0; i < region->inputs->len; i++)
    {
      AssayValueId input = g_array_index (region->inputs, AssayValueId, i);

      if (i > 0)
        g_string_append (self->text, ", ");
      print_value (self, input);
      g_string_append (self->text, " : ");
      print_typed (self, input);
    }
  g_string_append (self->text, ") {\n");

  for (guint i = 0; loose != NULL && i < loose->len; i++)
    {
      indent (self, depth + 1);
      print_loose (self, g_array_index (loose, AssayValueId, i));
      g_string_append_c (self->text, '\n');
    }

  for (guint i = 0; i < region->nodes->len && self->error == NULL; i++)
    {
      indent (self, depth + 1);
      print_node (self, g_array_index (region->nodes, AssayNodeId, i), depth + 1);
      g_string_append_c (self->text, '\n');
    }

  indent (self, depth + 1);
  g_string_append (self->text, "return");
  for (guint i = 0; i < region->outputs->len; i++)
    {
      g_string_append (self->text, i > 0 ? ", " : " ");
      print_value (self, g_array_index (region->outputs, AssayValueId, i));
    }
  g_string_append_c (self->text, '\n');
  indent (self, depth);
  g_string_append_c (self->text, '}');
}

static void
print_region (Printer *self, AssayRegionId id, guint depth)
{
  const AssayRegion *region = assay_graph_region (self->graph, id);

  g_string_append (self->text, "region ");
  print_string (self, region->name);

  /* One line of one node does not show what is inside. */
  if (self->serials == NULL)
    return;

  g_string_append_c (self->text, ' ');
  print_body (self, id, depth);
}

static void
print_names (Printer *self, guint n, const char *const *names)
{
  g_string_append (self->text, " (");
  for (guint i = 0; i < n; i++)
    {
      if (i > 0)
        g_string_append (self->text, ", ");
      print_string (self, names[i]);
    }
  g_string_append_c (self->text, ')');
}

static void
free_list (gpointer list)
{
  g_clear_pointer ((GArray **) &list, g_array_unref);
}

/* Constants and missing values stand at the top of their region. */
static GPtrArray *
collect_loose (AssayGraph *graph)
{
  GPtrArray *loose = g_ptr_array_new_with_free_func (free_list);

  g_ptr_array_set_size (loose, (int) graph->regions->len);
  for (AssayValueId i = 1; i < graph->values->len; i++)
    {
      const AssayValue *value = assay_graph_value (graph, i);

      if ((value->kind != ASSAY_VALUE_CONSTANT && value->kind != ASSAY_VALUE_MISSING) ||
          value->region >= graph->regions->len)
        continue;
      if (g_ptr_array_index (loose, value->region) == NULL)
        g_ptr_array_index (loose, value->region) = g_array_new (FALSE, FALSE,
                                                                sizeof (AssayValueId));
      g_array_append_val ((GArray *) g_ptr_array_index (loose, value->region), i);
    }

  return loose;
}

/* Starts a graph on the same text. */
static void
printer_enter (Printer *self, AssayGraph *graph)
{
  self->graph = graph;
  self->serials = g_new0 (guint32, graph->values->len);
  self->names = g_hash_table_new (NULL, NULL);
  self->loose = collect_loose (graph);
}

static void
printer_leave (Printer *self)
{
  g_clear_pointer (&self->serials, g_free);
  g_clear_pointer (&self->names, g_hash_table_unref);
  g_clear_pointer (&self->loose, g_ptr_array_unref);
}

/* The function that an origin called. Its large constants are those of the graph, or became some of
 * them, and nothing is computed with these. */
static void
print_call (Printer *self, guint origin, AssayGraph *call)
{
  Printer printer = { .flags = self->flags & ~(ASSAY_TEXT_ALL_DATA | ASSAY_TEXT_WHOLE),
                      .text = self->text };

  g_string_append_printf (self->text, "call %u ", origin);
  printer_enter (&printer, call);
  print_body (&printer, ASSAY_MAIN_REGION, 0);
  printer_leave (&printer);
  g_string_append_c (self->text, '\n');
  if (printer.error != NULL && self->error == NULL)
    self->error = g_steal_pointer (&printer.error);
  g_clear_error (&printer.error);
}

static void
print_header (Printer *self)
{
  static const char *const levels[] = {
    [ASSAY_GRAPH_ONNX] = "onnx",
    [ASSAY_GRAPH_NNIR] = "nnir",
    [ASSAY_GRAPH_STREAMED] = "streamed",
  };
  AssayGraph *graph = self->graph;

  g_string_append (self->text, "nnir 1\ngraph ");
  print_string (self, graph->name);
  g_string_append_printf (self->text,
                          " {level = %s, ir_version = %" G_GINT64_FORMAT ", producer = ",
                          levels[MIN (graph->level, ASSAY_GRAPH_STREAMED)], graph->ir_version);
  print_string (self, graph->producer_name);
  g_string_append (self->text, ", producer_version = ");
  print_string (self, graph->producer_version);
  g_string_append (self->text, ", doc = ");
  print_string (self, graph->doc);
  if (assay_graph_region (graph, ASSAY_MAIN_REGION)->name[0] != '\0')
    {
      g_string_append (self->text, ", main = ");
      print_string (self, assay_graph_region (graph, ASSAY_MAIN_REGION)->name);
    }
  g_string_append (self->text, "}\n");

  for (guint i = 0; i < graph->opsets->len; i++)
    {
      const AssayOpset *opset = &g_array_index (graph->opsets, AssayOpset, i);

      g_string_append (self->text, "opset ");
      print_string (self, opset->domain);
      g_string_append_printf (self->text, " %" G_GINT64_FORMAT "\n", opset->version);
    }

  for (guint i = 1; i < graph->scopes->len; i++)
    {
      g_string_append_printf (self->text, "scope %u ", i);
      print_string (self, g_array_index (graph->scopes, const char *, i));
      g_string_append_c (self->text, '\n');
    }

  for (guint i = 0; i < graph->origins->len; i++)
    {
      const AssayOrigin *origin = &g_array_index (graph->origins, AssayOrigin, i);

      g_string_append_printf (self->text, "origin %u ", i);
      print_string (self, origin->path);
      g_string_append_printf (self->text, " %u ", origin->index);
      print_qualified (self, origin->domain, origin->op_type);
      g_string_append_c (self->text, ' ');
      print_string (self, origin->name);
      if (origin->rule != NULL)
        {
          g_string_append (self->text, " by ");
          print_string (self, origin->rule);
        }
      g_string_append_c (self->text, '\n');
      if (origin->call != NULL)
        print_call (self, i, origin->call);
    }

  for (guint i = 0; i < graph->rewrites->len; i++)
    {
      const AssayRewrite *rewrite = &g_array_index (graph->rewrites, AssayRewrite, i);

      g_string_append (self->text, "rewrite ");
      print_string (self, rewrite->rule);
      print_names (self, rewrite->n_before, rewrite->before);
      print_names (self, rewrite->n_after, rewrite->after);
      g_string_append_c (self->text, '\n');
    }
}

/**
 * assay_graph_to_text:
 * @self: a graph
 * @flags: how much of the constants is written out
 * @error: return location for a #GError
 *
 * Gets the NNIR text of a graph, one line for each node; the grammar is in docs/nnir.md. Reading it
 * back and writing it again with the same flags gives the same text.
 *
 * Returns: (transfer full) (nullable): the text; %NULL if constants could not be loaded
 */
char *
assay_graph_to_text (AssayGraph *self, AssayTextFlags flags, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  Printer printer = { .flags = flags, .text = text };

  printer_enter (&printer, self);
  print_header (&printer);
  g_string_append (text, "main ");
  print_body (&printer, ASSAY_MAIN_REGION, 0);
  g_string_append_c (text, '\n');
  printer_leave (&printer);

  if (printer.error != NULL)
    {
      g_propagate_prefixed_error (error, printer.error, "NNIR text of “%s”: ", self->name);
      return NULL;
    }

  return g_string_free (g_steal_pointer (&text), FALSE);
}

/**
 * assay_graph_node_to_text:
 * @self: a graph
 * @node: a node
 * @text: where to append
 *
 * Appends the line of one node for people: large constants elided, nested regions by name only.
 */
void
assay_graph_node_to_text (AssayGraph *self, AssayNodeId node, GString *text)
{
  Printer printer = { self, ASSAY_TEXT_NO_DATA, text, NULL, NULL, NULL, NULL };

  print_node (&printer, node, 0);
  g_clear_error (&printer.error);
}
