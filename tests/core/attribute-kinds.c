/* attribute-kinds.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "attribute-kinds.h"

#include <math.h>
#include <string.h>

#include "nnir/assay-graph-builder.h"

#define MAX_ENTRIES 64

/* Every operator that has no row of its own. */
#define ASSAY_OP_any ((AssayOp) 0)

static const struct
{
  AssayOp op;
  const char *name;
  const char *kinds;
} rows[] = {
#define KINDS(op, name, kinds) { ASSAY_OP_##op, name, kinds },
#include "attribute-kinds.def"
#undef KINDS
};

static const char *
find_kinds (AssayOp op, const char *name)
{
  const char *kinds = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      if (!g_str_equal (rows[i].name, name))
        continue;
      if (rows[i].op == op)
        return rows[i].kinds;
      if (rows[i].op == ASSAY_OP_any)
        kinds = rows[i].kinds;
    }

  return kinds;
}

static void
note (GHashTable *given, const char *name, const char *kind)
{
  g_hash_table_add (given, g_strdup_printf ("%s %s", name, kind));
}

static void
note_number (GHashTable *given, const char *name, double value)
{
  note (given, name,
        value < 0    ? "negative"
        : value == 0 ? "zero"
        : value < 1  ? "part"
        : value == 1 ? "one"
                     : "more");
  if (fabs (value) >= 100)
    note (given, name, "large");
}

/* A float of 1 is no kind of its own. */
static void
note_numbers (GHashTable *given, const char *name, guint n, const double *values)
{
  gboolean even = TRUE;

  for (guint i = 0; i < n; i++)
    {
      note_number (given, name, values[i]);
      even = even && values[i] == values[0];
    }
  if (n > 1)
    note (given, name, even ? "even" : "uneven");
}

static void
note_attribute (GHashTable *given, const char *name, const AssayAttr *attr)
{
  double values[MAX_ENTRIES] = { 0 };
  guint n = MIN (attr->n, MAX_ENTRIES);
  gboolean kept = TRUE;

  switch (attr->kind)
    {
    case ASSAY_ATTR_INT:
      note_number (given, name, (double) attr->u.i);
      break;
    case ASSAY_ATTR_FLOAT:
      note_number (given, name, attr->u.f == 1 ? 2 : attr->u.f);
      break;
    case ASSAY_ATTR_STRING:
      note (given, name, attr->u.s);
      break;
    case ASSAY_ATTR_STRINGS:
      for (guint i = 0; i < n; i++)
        note (given, name, attr->u.strings[i]);
      break;
    case ASSAY_ATTR_FLOATS:
      note_numbers (given, name, n, attr->u.floats);
      break;
    case ASSAY_ATTR_INTS:
      for (guint i = 0; i < n; i++)
        {
          values[i] = (double) attr->u.ints[i];
          kept = kept && attr->u.ints[i] == (gint64) i;
        }
      note_numbers (given, name, n, values);
      note (given, name, kept ? "kept" : "moved");
      break;
    default:
      note (given, name, "given");
    }
}

static void
note_elements (GHashTable *given, const char *name, AssayTensor *tensor)
{
  gsize n = MIN (assay_tensor_get_n_elements (tensor), MAX_ENTRIES);
  double values[MAX_ENTRIES] = { 0 };

  for (gsize i = 0; i < n; i++)
    if (!assay_tensor_get_element (tensor, i, &values[i], NULL))
      return;
  note_numbers (given, name, (guint) n, values);
}

static void
note_extent (GHashTable *given, const char *name, const AssayType *first, const AssayType *type)
{
  gsize n, n_first;

  if (!assay_type_count (type, &n) || !assay_type_count (first, &n_first))
    return;
  note (given, name,
        n == 1         ? "of one element"
        : n < n_first  ? "of fewer elements"
        : n == n_first ? "of as many elements"
                       : "of more elements");
}

static void
note_input (GHashTable *given, AssayGraph *graph, const AssayNode *node, guint input)
{
  g_autofree char *name = g_strdup_printf ("input %u", input);
  AssayValueId id = assay_node_input (node, input);
  const AssayValue *value;

  if (id == ASSAY_NO_VALUE)
    {
      note (given, name, "absent");
      return;
    }
  value = assay_graph_value (graph, id);
  note (given, name, value->constant != NULL ? "constant" : "computed");
  if (value->constant != NULL)
    note_elements (given, name, value->constant);
  if (input > 0)
    note_extent (given, name, assay_graph_value (graph, node->inputs[0])->type, value->type);
}

/* Inputs that are looked at: of those that repeat the first three stand for all. */
static guint
count_inputs (AssayOp op)
{
  const AssayOpInfo *info = assay_op_get_info (op);

  return info->max_inputs > 8 ? 3 : info->max_inputs;
}

void
attribute_kinds_note (GHashTable *given, AssayGraph *graph, AssayOp op)
{
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      const AssayNode *node = assay_graph_node (graph, id);

      if (node->op != op)
        continue;
      for (const AssayAttrSpec *spec = assay_op_get_info (op)->attrs; spec->name != NULL; spec++)
        {
          const AssayAttr *attr = assay_node_find_attr (node, spec->name);

          if (attr == NULL)
            note (given, spec->name, "absent");
          else
            note_attribute (given, spec->name, attr);
        }
      for (guint i = 0; i < count_inputs (op); i++)
        note_input (given, graph, node, i);
    }
}

static guint
look (GHashTable *given, AssayOp op, const char *name, const char *kind, gboolean say)
{
  g_autofree char *key = g_strdup_printf ("%s %s", name, kind);

  if (g_hash_table_contains (given, key))
    return 0;
  if (say)
    g_test_message ("%s was never given %s", assay_op_name (op), key);

  return 1;
}

static guint
look_all (GHashTable *given, AssayOp op, const char *name, const char *kinds, gboolean say)
{
  g_auto (GStrv) words = g_strsplit (kinds, " ", -1);
  guint n = 0;

  for (guint i = 0; words[i] != NULL; i++)
    n += look (given, op, name, words[i], say);

  return n;
}

/* The letter of an input in the row of types.def. */
char
attribute_kinds_letter (AssayOp op, guint input)
{
  static const char *const types[ASSAY_N_OPS] = {
#define TYPES(id, letters) [ASSAY_OP_##id] = letters,
#include "nnir/types.def"
#undef TYPES
  };
  const char *letters = types[op];

  return letters == NULL || input >= strlen (letters) ? '.' : letters[input];
}

static guint
look_input (GHashTable *given, AssayOp op, guint input, gboolean say)
{
  const AssayOpInfo *info = assay_op_get_info (op);
  g_autofree char *name = g_strdup_printf ("input %u", input);
  const char *kinds = find_kinds (op, name);
  /* Numbers that lay out a shape leave none if they are computed. */
  gboolean counts = strchr ("lnbi", attribute_kinds_letter (op, input)) != NULL;
  guint n = 0;

  /* A first input that is constant is folded whatever the operation is. */
  if (input > 0)
    n += look (given, op, name, "constant", say);
  if (!counts)
    n += look (given, op, name, "computed", say);
  if (input >= MAX (info->min_inputs, 1))
    n += look (given, op, name, "absent", say);
  if (input > 0 && (info->traits & ASSAY_OP_TRAIT_BROADCAST) != 0)
    {
      n += look (given, op, name, "of one element", say);
      n += look (given, op, name, "of fewer elements", say);
      n += look (given, op, name, "of as many elements", say);
      n += look (given, op, name, "of more elements", say);
    }

  return n + (kinds != NULL ? look_all (given, op, name, kinds, say) : 0);
}

/* How many kinds were never given; an attribute without a row is as bad. */
guint
attribute_kinds_missing (GHashTable *given, AssayOp op, gboolean say)
{
  const AssayOpInfo *info = assay_op_get_info (op);
  guint n = 0;

  for (const AssayAttrSpec *spec = info->attrs; spec->name != NULL; spec++)
    {
      const char *kinds = find_kinds (op, spec->name);

      if (kinds == NULL)
        g_error ("%s: no row of attribute-kinds.def has %s", info->name, spec->name);
      n += look_all (given, op, spec->name, kinds, say);
    }
  for (guint i = 0; i < count_inputs (op); i++)
    n += look_input (given, op, i, say);

  return n;
}
