/* assay-constraint.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/assay-constraint-private.h"

#include <string.h>

#include "base/assay-sentence.h"
#include "nnir/assay-axes.h"
#include "nnir/assay-graph-builder.h"

/* More inputs than any row of constraints.def names. */
#define MAX_OPERANDS 16

static const char *const constraints[ASSAY_N_OPS] = {
#define CONSTRAINTS(id, text) [ASSAY_OP_##id] = text,
#include "nnir/constraints.def"
#undef CONSTRAINTS
};

/* What the letters of a row stand for so far, -1 where that is open. */
typedef struct
{
  gint64 extents[26];
  gint64 runs[26];
} Letters;

typedef struct
{
  const AssayNode *node;
  const AssayNodeInput *operands; /* %NULL where only attributes are looked at */
  guint n_operands;
  Letters letters;
  guint next;      /* input */
  gboolean lapses; /* what runtimes overlook is looked for, not what none takes */
  AssayViolation *violation;
} Reader;

/**
 * assay_op_get_constraints:
 * @op: an operation
 *
 * Gets what the nodes of an operation have to keep to beside arity and attributes, in the words of
 * `constraints.def`.
 *
 * Returns: (nullable): the row
 */
const char *
assay_op_get_constraints (AssayOp op)
{
  return (guint) op < ASSAY_N_OPS ? constraints[op] : NULL;
}

gboolean
assay_violation_set (AssayViolation *violation, const char *rule, const char *attribute,
                     const char *format, ...)
{
  va_list args;

  violation->rule = rule;
  violation->attribute = attribute;
  violation->word = NULL;
  va_start (args, format);
  g_vsnprintf (violation->text, sizeof violation->text, format, args);
  va_end (args);

  return FALSE;
}

static gboolean
check_inputs (const AssayNode *node, const AssayOpInfo *info, AssayViolation *violation)
{
  if (node->n_inputs < info->min_inputs || node->n_inputs > info->max_inputs)
    return assay_violation_set (violation, "infer.inputs", NULL,
                                "%u input%s, from %u to %u were expected", node->n_inputs,
                                assay_plural (node->n_inputs), info->min_inputs, info->max_inputs);

  /* Only a loop may go without its first inputs: the number of turns and the condition. */
  for (guint i = 0; i < node->n_inputs && node->op != ASSAY_OP_Loop; i++)
    {
      if (node->inputs[i] == ASSAY_NO_VALUE &&
          (i < info->min_inputs || (info->traits & ASSAY_OP_TRAIT_VARIADIC_IN) != 0))
        return assay_violation_set (violation, "infer.inputs", NULL, "input %u is missing", i);
    }

  return TRUE;
}

static gboolean
check_outputs (const AssayNode *node, const AssayOpInfo *info, AssayViolation *violation)
{
  if (node->n_outputs > info->max_outputs)
    return assay_violation_set (violation, "infer.outputs", NULL,
                                "%u output%s, at most %u were expected", node->n_outputs,
                                assay_plural (node->n_outputs), info->max_outputs);
  if (node->n_outputs < info->min_outputs)
    return assay_violation_set (violation, "infer.outputs", NULL,
                                "%u output%s, at least %u were expected", node->n_outputs,
                                assay_plural (node->n_outputs), info->min_outputs);

  return TRUE;
}

/* The word `~name` of a row. */
static const char *
find_word (AssayOp op, const char *name)
{
  const char *row = constraints[op];
  const char *at = row != NULL ? strstr (row, name) : NULL;

  return at != NULL && (at == row || at[-1] == ' ' || at[-1] == ';') ? at : NULL;
}

/* Attributes that nobody knows, or of another kind, are a violation but where the row says that
 * they are overlooked. */
static gboolean
check_attributes (const AssayNode *node, gboolean lapses, AssayViolation *violation)
{
  static const char *const kinds[] = {
    "nothing",  "an integer", "a float", "a string", "a tensor", "a graph", "a type",
    "integers", "floats",     "strings", "tensors",  "graphs",   "types",
  };
  const char *names_word = find_word (node->op, "~names");
  const char *kinds_word = find_word (node->op, "~kinds");

  G_STATIC_ASSERT (G_N_ELEMENTS (kinds) == ASSAY_ATTR_TYPES + 1);

  for (guint i = 0; i < node->n_attrs; i++)
    {
      const AssayAttr *attr = &node->attrs[i];
      const AssayAttrSpec *spec = assay_op_find_attr (node->op, attr->name);
      const char *word = spec == NULL ? names_word : kinds_word;

      if ((spec != NULL && spec->kind == attr->kind) || lapses != (word != NULL))
        continue;
      if (spec == NULL)
        assay_violation_set (violation, "infer.attribute", attr->name,
                             "the operator of this opset has no attribute “%.32s”", attr->name);
      else
        assay_violation_set (violation, "infer.attribute", spec->name,
                             "the attribute holds %s, expected %s", kinds[attr->kind],
                             kinds[spec->kind]);
      violation->word = word;

      return FALSE;
    }

  for (const AssayAttrSpec *spec = assay_op_get_info (node->op)->attrs;
       !lapses && spec->name != NULL; spec++)
    {
      if (spec->required && assay_node_find_attr (node, spec->name) == NULL)
        return assay_violation_set (violation, "infer.attribute", spec->name,
                                    "the attribute is missing");
    }

  return TRUE;
}

/* Words of a row. */

static const char *
skip_name (const char *at)
{
  while (g_ascii_isalnum (*at) || *at == '_')
    at++;

  return at;
}

/* The attribute that a word begins with, and what stands behind its name. */
static gboolean
read_attribute (const AssayNode *node, const char *word, AssayAttr *attr, const char **behind)
{
  char name[48];
  gsize n;

  *behind = skip_name (word);
  n = (gsize) (*behind - word);
  g_assert (n < sizeof name);
  memcpy (name, word, n);
  name[n] = '\0';

  return assay_node_resolve_attr (node, name, attr);
}

static gboolean
read_int (const AssayNode *node, const char *word, gint64 *value)
{
  const char *behind;
  AssayAttr attr;

  if (!read_attribute (node, word, &attr, &behind) || attr.kind != ASSAY_ATTR_INT)
    return FALSE;
  *value = attr.u.i;

  return TRUE;
}

static gint64
extent_of (const AssayNodeInput *operand, int axis)
{
  return operand->dims != NULL ? operand->dims[axis].size : operand->sizes[axis];
}

/* The extent of the first input along an axis, a number or that which an attribute names; -1 if
 * that is open. */
static gint64
axis_extent (const Reader *self, const char *attribute)
{
  const AssayNodeInput *x = self->operands;
  gint64 value = *attribute == '-' ? g_ascii_strtoll (attribute, NULL, 10) : 0;
  int axis;

  if (self->n_operands == 0 || x->rank < 0 ||
      (*attribute != '-' && !read_int (self->node, attribute, &value)) ||
      !assay_axes_normalize (value, x->rank, &axis))
    return -1;

  return extent_of (x, axis);
}

/* Entries of a list, or elements of a tensor; what is neither is one. */
static gint64
entry_count (const AssayAttr *attr)
{
  if (attr->kind == ASSAY_ATTR_TENSOR)
    return (gint64) assay_tensor_get_n_elements (attr->u.tensor);

  return attr->kind < ASSAY_ATTR_TENSOR ? 1 : attr->n;
}

/* The entries of the first of several lists that the node has, -1 without any. */
static gint64
count_entries (const Reader *self, const char *names)
{
  const char *behind = names;
  AssayAttr attr;

  for (const char *name = names; name != NULL; name = *behind == '|' ? behind + 1 : NULL)
    if (read_attribute (self->node, name, &attr, &behind))
      return entry_count (&attr);

  return -1;
}

static gint64
bound_value (const Reader *self, const char *word)
{
  gint64 value = -1;
  const char *behind;
  AssayAttr attr;

  if (g_str_has_prefix (word, "#outputs"))
    return self->node->n_outputs;
  if (g_str_has_prefix (word, "#inputs"))
    return self->node->n_inputs;
  if (g_str_has_prefix (word, "#scans"))
    return read_int (self->node, "num_scan_inputs", &value)
               ? (gint64) self->node->n_outputs - self->node->n_inputs + value
               : -1;
  if (g_str_has_prefix (word, "#rank"))
    return self->n_operands > 0 ? self->operands[0].rank : -1;
  if (*word == '#')
    return count_entries (self, word + 1);
  if (word[0] == '0' && word[1] == '@')
    return axis_extent (self, word + 2);

  if (read_attribute (self->node, word, &attr, &behind) && attr.kind == ASSAY_ATTR_STRING)
    value = strcmp (attr.u.s, "bidirectional") == 0 ? 2 : 1;
  else if (read_int (self->node, word, &value) && value < 0)
    value = -1;

  return value;
}

/* One extent: a number times letters. With a letter that is open it says what that one is. */
static gboolean
match_extent (Letters *letters, const char *item, const char *end, gint64 extent)
{
  gint64 product = 1;
  char open = '\0';

  if (extent < 0 || *item == '?')
    return TRUE;

  if (g_ascii_isdigit (*item))
    product = g_ascii_strtoll (item, (char **) &item, 10);
  for (; item < end; item++)
    {
      gint64 value = letters->extents[*item - 'a'];

      if (value < 0 && open != '\0')
        return TRUE;
      if (value < 0)
        open = *item;
      else if (__builtin_mul_overflow (product, value, &product))
        return FALSE;
    }

  if (open == '\0')
    return product == extent;
  if (product == 0)
    return extent == 0;
  if (extent % product != 0)
    return FALSE;
  letters->extents[open - 'a'] = extent / product;

  return TRUE;
}

static const char *
item_end (const char *item)
{
  return item + strcspn (item, ",]");
}

static gboolean
is_run (const char *item, const char *end)
{
  return end - item >= 2 && end[-1] == '.' && end[-2] == '.';
}

/* One shape, from its bracket on. */
static gboolean
match_shape (Letters *letters, const char *shape, const AssayNodeInput *operand)
{
  int n_items = 0, run = -1, length, axis = 0;

  for (const char *item = shape + 1; *item != ']';
       item = item_end (item) + (*item_end (item) == ','))
    {
      if (is_run (item, item_end (item)))
        run = n_items;
      n_items++;
    }

  length = operand->rank - n_items + 1;
  if (run < 0 ? operand->rank != n_items : length < 0)
    return FALSE;

  for (const char *item = shape + 1; *item != ']';
       item = item_end (item) + (*item_end (item) == ','))
    {
      if (!is_run (item, item_end (item)))
        {
          if (!match_extent (letters, item, item_end (item), extent_of (operand, axis++)))
            return FALSE;
          continue;
        }

      axis += length;
      if (g_ascii_isupper (*item))
        {
          gint64 *known = &letters->runs[*item - 'A'];

          if (*known >= 0 && *known != length)
            return FALSE;
          *known = length;
        }
    }

  return TRUE;
}

static void
append_shape (GString *text, const Letters *letters, const char *shape)
{
  g_string_append_c (text, '[');
  for (const char *item = shape + 1; *item != ']';
       item = item_end (item) + (*item_end (item) == ','))
    {
      const char *end = item_end (item);
      gint64 product = 1;

      if (item > shape + 1)
        g_string_append (text, ", ");
      if (is_run (item, end))
        {
          g_string_append (text, "…");
          continue;
        }
      if (g_ascii_isdigit (*item))
        product = g_ascii_strtoll (item, (char **) &item, 10);
      for (; item < end && product >= 0; item++)
        {
          gint64 value = *item == '?' ? -1 : letters->extents[*item - 'a'];

          product = value < 0 ? -1 : product * value;
        }
      if (product >= 0)
        g_string_append_printf (text, "%" G_GINT64_FORMAT, product);
      else
        g_string_append_c (text, '?');
    }
  g_string_append_c (text, ']');
}

static void
append_operand (GString *text, const AssayNodeInput *operand)
{
  g_string_append_c (text, '[');
  for (int i = 0; i < operand->rank; i++)
    {
      gint64 extent = extent_of (operand, i);

      g_string_append (text, i > 0 ? ", " : "");
      if (extent >= 0)
        g_string_append_printf (text, "%" G_GINT64_FORMAT, extent);
      else
        g_string_append_c (text, '?');
    }
  g_string_append_c (text, ']');
}

static gboolean
break_shape (Reader *self, const char *word, const Letters *before)
{
  g_autoptr (GString) is = g_string_new (NULL);
  g_autoptr (GString) expected = g_string_new (NULL);
  gsize n = strcspn (word, " ;");
  gboolean computed = self->operands[self->next].constant == NULL;

  append_operand (is, &self->operands[self->next]);
  if (*word == '<')
    g_string_append (expected, "a shape that broadcasts to the first input");
  for (gsize i = 0; i < n && (word[i] != '~' || !self->lapses); i++)
    {
      if (word[i] != '[' || (!computed && i > 0 && word[i - 1] == '@'))
        continue;
      g_string_append (expected, expected->len > 0 ? " or " : "");
      append_shape (expected, before, word + i);
    }

  return assay_violation_set (self->violation, "infer.shape", NULL,
                              "input %u is %s, %s was expected", self->next, is->str,
                              expected->str);
}

/* Whether the next input broadcasts to the first. */
static gboolean
broadcasts (const Reader *self)
{
  const AssayNodeInput *operand = &self->operands[self->next];
  const AssayNodeInput *x = self->operands;

  if (x->rank < 0)
    return TRUE;
  if (operand->rank > x->rank)
    return FALSE;

  for (int i = 1; i <= operand->rank; i++)
    {
      gint64 extent = extent_of (operand, operand->rank - i);
      gint64 room = extent_of (x, x->rank - i);

      if (extent >= 0 && extent != 1 && room >= 0 && extent != room)
        return FALSE;
    }

  return TRUE;
}

static gboolean
is_empty (const AssayNodeInput *operand)
{
  for (int i = 0; i < operand->rank; i++)
    if (extent_of (operand, i) == 0)
      return TRUE;

  return FALSE;
}

/* What stands behind `|`; what stands behind `|~` is no choice where lapses are looked for. */
static const char *
next_choice (const Reader *self, const char *end)
{
  if (*end != '|' || (end[1] == '~' && self->lapses))
    return NULL;

  return end + (end[1] == '~' ? 2 : 1);
}

/* What stands behind `@` is a choice for what is computed only. */
static const char *
next_shape (const Reader *self, const char *end)
{
  const char *shape = next_choice (self, end);

  if (shape == NULL || *shape != '@')
    return shape;

  return self->operands[self->next].constant == NULL ? shape + 1 : NULL;
}

/* The next input against its shapes, or against that of the first. */
static gboolean
check_operand (Reader *self, const char *word)
{
  const AssayNodeInput *operand = &self->operands[self->next];
  const Letters before = self->letters;

  if (self->next >= self->n_operands || operand->rank < 0 || *word == '*')
    return TRUE;

  if (*word == '<')
    return broadcasts (self) || (next_choice (self, word + 1) != NULL && is_empty (operand)) ||
           break_shape (self, word, &before);

  for (const char *shape = word; shape != NULL;)
    {
      const char *end = strchr (shape, ']') + 1;

      if (match_shape (&self->letters, shape, operand))
        return TRUE;
      self->letters = before;
      shape = next_shape (self, end);
    }

  return break_shape (self, word, &before);
}

/* One element of an input, constant or in memory. */
static gboolean
read_element (const AssayNodeInput *operand, gsize i, double *value)
{
  return operand->constant != NULL ? assay_tensor_get_element (operand->constant, i, value, NULL)
                                   : operand->get (operand->data, i, value);
}

/* Elements of an input, constant or in memory, that are lengths up to the extent along an axis, or
 * larger than zero. */
static gboolean
check_amounts (Reader *self, const char *word)
{
  gboolean lengths = *word == 'l';
  const char *at = strchr (word, '(') + 1;
  guint input = (guint) g_ascii_strtoull (at, (char **) &at, 10);
  gint64 extent = lengths ? axis_extent (self, at + 1) : -1;
  const AssayNodeInput *operand = &self->operands[input];
  gsize n = 0;

  if (input >= self->n_operands || (lengths && extent < 0))
    return TRUE;
  if (operand->constant != NULL)
    n = assay_tensor_get_n_elements (operand->constant);
  else if (operand->get != NULL)
    n = operand->n;

  for (gsize i = 0; i < n; i++)
    {
      double value = 1;

      if (!read_element (operand, i, &value))
        return TRUE;
      if (lengths && !(value >= 0 && value <= (double) extent))
        return assay_violation_set (self->violation, "infer.index", NULL,
                                    "element %" G_GSIZE_FORMAT
                                    " of input %u is %g, a length from 0 to %" G_GINT64_FORMAT
                                    " was expected",
                                    i, input, value, extent);
      if (!lengths && !(value > 0))
        return assay_violation_set (self->violation, "infer.index", NULL,
                                    "element %" G_GSIZE_FORMAT
                                    " of input %u is %g, more than 0 was expected",
                                    i, input, value);
    }

  return TRUE;
}

/* Constant elements of an input that are places along an axis, or extents that it is cut into. */
static gboolean
check_elements (Reader *self, const char *word)
{
  gboolean sums = *word == 's';
  const char *at = strchr (word, '(') + 1;
  guint input = (guint) g_ascii_strtoull (at, (char **) &at, 10);
  gint64 extent = axis_extent (self, at + 1);
  AssayTensor *tensor = input < self->n_operands ? self->operands[input].constant : NULL;
  gint64 sum = 0;
  gsize n = tensor != NULL ? assay_tensor_get_n_elements (tensor) : 0;

  if (tensor == NULL || extent < 0)
    return TRUE;

  for (gsize i = 0; i < n; i++)
    {
      gint64 value;

      if (!assay_tensor_get_integer (tensor, i, &value, NULL))
        return TRUE;
      if (sums ? value < 0 : value < (*word == 'p' ? 0 : -extent) || value >= extent)
        return assay_violation_set (self->violation, "infer.index", NULL,
                                    "element %" G_GSIZE_FORMAT " of input %u is %" G_GINT64_FORMAT
                                    ", the extent is %" G_GINT64_FORMAT,
                                    i, input, value, extent);
      if (sums && __builtin_add_overflow (sum, value, &sum))
        return TRUE;
    }

  if (sums && sum != extent)
    return assay_violation_set (self->violation, "infer.shape", NULL,
                                "the elements of input %u add up to %" G_GINT64_FORMAT
                                ", the extent is %" G_GINT64_FORMAT,
                                input, sum, extent);

  return TRUE;
}

static gboolean
check_larger (Reader *self, const AssayAttr *attr, const char *limit_text)
{
  gint64 limit = g_ascii_strtoll (limit_text, NULL, 10);
  guint n = attr->kind == ASSAY_ATTR_INTS ? attr->n : 1;

  if (attr->kind == ASSAY_ATTR_FLOAT)
    return attr->u.f > (double) limit ||
           assay_violation_set (self->violation, "infer.attribute", attr->name,
                                "%g, more than %" G_GINT64_FORMAT " was expected", attr->u.f,
                                limit);

  for (guint i = 0; i < n; i++)
    {
      gint64 value = attr->kind == ASSAY_ATTR_INTS ? attr->u.ints[i] : attr->u.i;

      if (value <= limit)
        return assay_violation_set (
            self->violation, "infer.attribute", attr->name,
            "%" G_GINT64_FORMAT ", more than %" G_GINT64_FORMAT " was expected", value, limit);
    }

  return TRUE;
}

static gboolean
is_choice (const char *word, const char *choices)
{
  for (const char *at = choices + 1;; at++)
    {
      gsize n = strcspn (at, ",}");

      if (strlen (word) == n && strncmp (word, at, n) == 0)
        return TRUE;
      at += n;
      if (*at == '}')
        return FALSE;
    }
}

static gboolean
check_words (Reader *self, const AssayAttr *attr, const char *choices)
{
  guint n = attr->kind == ASSAY_ATTR_STRINGS ? attr->n : 1;

  for (guint i = 0; i < n; i++)
    {
      const char *word = attr->kind == ASSAY_ATTR_STRINGS ? attr->u.strings[i] : attr->u.s;

      if (!is_choice (word, choices))
        return assay_violation_set (self->violation, "infer.attribute", attr->name,
                                    "“%.32s”, one of %.*s was expected", word,
                                    (int) strcspn (choices, "}") - 1, choices + 1);
    }

  return TRUE;
}

static gboolean
check_choice (Reader *self, const AssayAttr *attr, const char *choices)
{
  gsize length = strcspn (choices, "}");
  const char *at = choices + 2;

  if (choices[1] != '{')
    return check_words (self, attr, choices);

  while (at < choices + length)
    {
      if (attr->u.i == g_ascii_strtoll (at, NULL, 10))
        return TRUE;
      at += strcspn (at, ",}") + 1;
    }

  return assay_violation_set (self->violation, "infer.attribute", attr->name,
                              "%" G_GINT64_FORMAT ", one of %.*s was expected", attr->u.i,
                              (int) length - 2, choices + 2);
}

/* One length: a number times letters, -1 where one of them is open. */
static gint64
read_length (const Reader *self, const char *at)
{
  gint64 length = 1;

  if (g_ascii_isdigit (*at))
    length = g_ascii_strtoll (at, (char **) &at, 10);
  for (; g_ascii_isalpha (*at); at++)
    {
      gint64 value = g_ascii_isupper (*at) ? self->letters.runs[*at - 'A']
                                           : self->letters.extents[*at - 'a'];

      if (value < 0 || __builtin_mul_overflow (length, value, &length))
        return -1;
    }

  return length;
}

/* Whether a number is one of several lengths; else @expected says which these are. */
static gboolean
is_length (const Reader *self, gint64 n, const char *lengths, GString *expected)
{
  for (const char *at = lengths; at != NULL;)
    {
      gint64 length = read_length (self, at);
      gsize width = strcspn (at, "| ;");
      gboolean more = at[width - 1] == '+';

      if (length < 0 || (more ? n >= length : n == length))
        return TRUE;
      g_string_append_printf (expected, "%s%" G_GINT64_FORMAT "%s", expected->len > 0 ? " or " : "",
                              length, more ? " or more" : "");
      at = next_choice (self, at + width);
    }

  return FALSE;
}

static gboolean
check_length (Reader *self, const AssayAttr *attr, const char *lengths)
{
  g_autoptr (GString) expected = g_string_new (NULL);
  gint64 n = entry_count (attr);

  if (*lengths == '%')
    {
      gint64 part = read_length (self, lengths + 1);

      return part < 0 || (part == 0 ? n == 0 : n % part == 0) ||
             assay_violation_set (self->violation, "infer.attribute", attr->name,
                                  "%" G_GINT64_FORMAT " %s, a multiple of %" G_GINT64_FORMAT
                                  " was expected",
                                  n, assay_noun (n, "entry", "entries"), part);
    }

  if (is_length (self, n, lengths, expected))
    return TRUE;

  return assay_violation_set (self->violation, "infer.attribute", attr->name,
                              "%" G_GINT64_FORMAT " %s, %s were expected", n,
                              assay_noun (n, "entry", "entries"), expected->str);
}

/* The number of elements of an input. */
static gboolean
check_count (Reader *self, const char *word)
{
  const char *at = strchr (word, '(') + 1;
  guint input = (guint) g_ascii_strtoull (at, (char **) &at, 10);
  const AssayNodeInput *operand = &self->operands[input];
  g_autoptr (GString) expected = g_string_new (NULL);
  gint64 n = 1;

  if (input >= self->n_operands || operand->rank < 0)
    return TRUE;
  for (int i = 0; i < operand->rank; i++)
    if (extent_of (operand, i) < 0 || __builtin_mul_overflow (n, extent_of (operand, i), &n))
      return TRUE;

  return is_length (self, n, at + 1, expected) ||
         assay_violation_set (self->violation, "infer.shape", NULL,
                              "input %u has %" G_GINT64_FORMAT " element%s, %s were expected",
                              input, n, assay_plural (n), expected->str);
}

/* The entry of a list of integers, 1 where the node does not have it. */
static gint64
entry_or_one (const AssayAttr *attr, gboolean given, guint index)
{
  return given && attr->kind == ASSAY_ATTR_INTS && index < attr->n ? attr->u.ints[index] : 1;
}

/* Whether all entries are less than those of another list, or of one of several, which are as many
 * or half as many. */
static gboolean
check_below (Reader *self, const AssayAttr *attr, const char *names)
{
  for (guint i = 0; attr->kind == ASSAY_ATTR_INTS && i < attr->n; i++)
    {
      const char *behind = names;
      gint64 most = 0;

      for (const char *name = names; name != NULL; name = *behind == '|' ? behind + 1 : NULL)
        {
          AssayAttr other;
          gboolean given = read_attribute (self->node, name, &other, &behind);

          most = MAX (most, entry_or_one (&other, given,
                                          given && other.n > 0 && other.kind == ASSAY_ATTR_INTS
                                              ? i % other.n
                                              : 0));
        }
      if (attr->u.ints[i] >= most)
        return assay_violation_set (self->violation, "infer.attribute", attr->name,
                                    "entry %u is %" G_GINT64_FORMAT ", less than %" G_GINT64_FORMAT
                                    " was expected",
                                    i, attr->u.ints[i], most);
    }

  return TRUE;
}

static gboolean
check_at_most (Reader *self, const AssayAttr *attr, const char *limit_text)
{
  gint64 limit = read_length (self, limit_text);

  return attr->kind != ASSAY_ATTR_INT || limit < 0 || attr->u.i <= limit ||
         assay_violation_set (self->violation, "infer.attribute", attr->name,
                              "%" G_GINT64_FORMAT ", at most %" G_GINT64_FORMAT " was expected",
                              attr->u.i, limit);
}

/* Whether all entries are places among so many. */
static gboolean
check_places (Reader *self, const AssayAttr *attr, const char *limit_text)
{
  gint64 limit = read_length (self, limit_text), n = entry_count (attr);

  if (attr->kind == ASSAY_ATTR_INT)
    n = 1;
  for (gint64 i = 0; limit >= 0 && i < n; i++)
    {
      gint64 value = -1;

      if (attr->kind == ASSAY_ATTR_TENSOR &&
          !assay_tensor_get_integer (attr->u.tensor, (gsize) i, &value, NULL))
        return TRUE;
      if (attr->kind != ASSAY_ATTR_TENSOR)
        value = attr->kind == ASSAY_ATTR_INTS ? attr->u.ints[i] : attr->u.i;
      if (value < 0 || value >= limit)
        return assay_violation_set (self->violation, "infer.attribute", attr->name,
                                    "entry %" G_GINT64_FORMAT " is %" G_GINT64_FORMAT
                                    ", a place among %" G_GINT64_FORMAT " was expected",
                                    i, value, limit);
    }

  return TRUE;
}

/* Which of several attributes the node has. */
static gboolean
check_present (Reader *self, const char *word)
{
  const char *names = strchr (word, '(') + 1;
  gsize length = strcspn (names, ")");
  gboolean all = *word == 'a';
  guint n_names = 0, n_given = 0;

  for (const char *at = names; at < names + length; n_names++)
    {
      const char *behind;
      AssayAttr attr;

      n_given += read_attribute (self->node, at, &attr, &behind) && entry_count (&attr) > 0;
      at = behind + 1;
    }
  if (n_given == (all ? n_names : 1))
    return TRUE;

  return assay_violation_set (self->violation, "infer.attribute", NULL,
                              all           ? "one of the attributes %.*s is missing"
                              : n_given > 1 ? "more than one of the attributes %.*s is given"
                                            : "none of the attributes %.*s is given",
                              (int) MIN (length, 110), names);
}

static gboolean
check_attribute (Reader *self, const char *word)
{
  const char *behind;
  AssayAttr attr;

  if (!read_attribute (self->node, word, &attr, &behind))
    return TRUE;
  if (*behind == '>')
    return check_larger (self, &attr, behind + 1);
  if (behind[0] == '<' && behind[1] == '=')
    return check_at_most (self, &attr, behind + 2);
  if (*behind == '<' && skip_name (behind + 1) > behind + 4)
    return check_below (self, &attr, behind + 1);
  if (*behind == '<')
    return check_places (self, &attr, behind + 1);
  if (*behind == '{')
    return check_choice (self, &attr, behind);

  return check_length (self, &attr, behind + 1);
}

static gboolean
check_multiple (Reader *self, const char *word)
{
  gint64 a = self->letters.extents[word[0] - 'a'];
  gint64 b = self->letters.extents[word[2] - 'a'];

  return a < 0 || b <= 0 || a % b == 0 ||
         assay_violation_set (self->violation, "infer.shape", NULL,
                              "%" G_GINT64_FORMAT
                              " channel%s cannot be divided into %" G_GINT64_FORMAT " group%s",
                              a, assay_plural (a), b, assay_plural (b));
}

/* Whether an attribute says something: an integer that is not 0, a word that is not the default, a
 * list with entries. */
static gboolean
is_set (const AssayNode *node, const AssayAttr *attr)
{
  if (attr->kind == ASSAY_ATTR_INT)
    return attr->u.i != 0;
  if (attr->kind == ASSAY_ATTR_STRING)
    return g_strcmp0 (attr->u.s, assay_op_find_attr (node->op, attr->name)->s) != 0;

  return entry_count (attr) > 0;
}

/* Whether the clause that a word begins is for the node. */
static gboolean
applies (const Reader *self, const char *word)
{
  const char *behind;
  AssayAttr attr;
  gboolean set = read_attribute (self->node, word + 1, &attr, &behind) &&
                 is_set (self->node, &attr);

  return set == (*word == '?');
}

static gboolean
check_output_count (Reader *self, const char *word)
{
  guint64 limit = g_ascii_strtoull (strchr (word, '>') + 1, NULL, 10);

  return self->node->n_outputs > limit ||
         assay_violation_set (self->violation, "infer.outputs", NULL,
                              "%u output%s, more than %" G_GUINT64_FORMAT " were expected",
                              self->node->n_outputs, assay_plural (self->node->n_outputs), limit);
}

static gboolean
check_word (Reader *self, const char *word)
{
  if (*word == '[' || *word == '*' || *word == '<')
    {
      gboolean fits = self->operands == NULL || check_operand (self, word);

      self->next++;
      return fits;
    }

  if (g_str_has_prefix (word, "#outputs>"))
    return check_output_count (self, word);
  if (word[1] == '=')
    self->letters.extents[word[0] - 'a'] = bound_value (self, word + 2);
  else if (word[1] == '%')
    return check_multiple (self, word);
  else if (*skip_name (word) == '(' && (*word == 'o' || *word == 'a'))
    return check_present (self, word);
  else if (g_str_has_prefix (word, "count("))
    return self->operands == NULL || check_count (self, word);
  else if (g_str_has_prefix (word, "length(") || g_str_has_prefix (word, "positive("))
    return self->operands == NULL || check_amounts (self, word);
  else if (*skip_name (word) == '(')
    return self->operands == NULL || check_elements (self, word);
  else
    return check_attribute (self, word);

  return TRUE;
}

/* Whether a word is kept to as far as it is looked at: what may be overlooked is no violation. */
static gboolean
keeps_to (Reader *self, const char *word)
{
  gboolean soft = *word == '~';
  gsize n = strcspn (word, " ;");
  gboolean fits;

  if (soft && strchr (" ;", *skip_name (word + 1)) != NULL)
    return TRUE;

  fits = check_word (self, word + soft);
  if (self->lapses)
    return fits || !(soft || g_strstr_len (word, (gssize) n, "|~") != NULL);

  return fits || soft;
}

static gboolean
check_row (Reader *self)
{
  const char *word = constraints[self->node->op];

  memset (&self->letters, -1, sizeof self->letters);
  while (word != NULL && *word != '\0')
    {
      gsize n = strcspn (word, " ;");

      if ((*word == '!' || (*word == '?')) && !applies (self, word))
        n = strcspn (word, ";");
      else if (n > 0 && *word != '!' && *word != '?' && !keeps_to (self, word))
        {
          self->violation->word = word;
          return FALSE;
        }

      word += n;
      if (*word == ';')
        self->next = 0;
      if (*word != '\0')
        word++;
    }

  return TRUE;
}

/**
 * assay_node_check_form:
 * @node: a node
 * @violation: (out caller-allocates): gets what is wrong
 *
 * Checks what does not depend on the inputs: how many there are, which may be omitted, and the
 * attributes, as `ops.def` and `constraints.def` have them.
 *
 * Returns: whether it is well formed
 */
gboolean
assay_node_check_form (const AssayNode *node, AssayViolation *violation)
{
  const AssayOpInfo *info = assay_op_get_info (node->op);
  Reader reader = { .node = node, .violation = violation };

  if (node->op == ASSAY_OP_OPAQUE)
    return TRUE;

  return check_inputs (node, info, violation) && check_outputs (node, info, violation) &&
         check_attributes (node, FALSE, violation) &&
         (constraints[node->op] == NULL || check_row (&reader));
}

/**
 * assay_node_check_operands:
 * @node: a node whose form is right
 * @operands: (array): its inputs
 * @violation: (out caller-allocates): gets what is wrong
 *
 * Checks what is known of the inputs of a node: element types, ranks, lengths, and constant
 * elements.
 *
 * Returns: whether nothing known contradicts `constraints.def` and `types.def`
 */
gboolean
assay_node_check_operands (const AssayNode *node, const AssayNodeInput *operands,
                           AssayViolation *violation)
{
  Reader reader = {
    .node = node, .operands = operands, .n_operands = node->n_inputs, .violation = violation
  };

  return assay_node_check_types (node, operands, node->n_inputs, violation) &&
         (constraints[node->op] == NULL || check_row (&reader));
}

/* The inputs of a node as its graph knows them, as many as a row looks at. */
static guint
read_operands (const AssayGraph *graph, const AssayNode *node, AssayNodeInput *operands)
{
  guint n = MIN (node->n_inputs, MAX_OPERANDS);

  for (guint i = 0; i < n; i++)
    {
      const AssayValue *value = assay_graph_value (graph, node->inputs[i]);
      gboolean tensor = node->inputs[i] != ASSAY_NO_VALUE &&
                        value->type->kind == ASSAY_TYPE_KIND_TENSOR &&
                        value->type->rank <= ASSAY_MAX_RANK;

      operands[i] = (AssayNodeInput){ .rank = -1 };
      if (tensor)
        operands[i] = (AssayNodeInput){ .dtype = value->type->dtype,
                                        .rank = value->type->rank,
                                        .dims = value->type->dims,
                                        .constant = assay_graph_constant (graph, node->inputs[i]) };
    }

  return n;
}

/**
 * assay_graph_check_operands:
 * @graph: a graph
 * @id: a node of it whose form is right
 * @violation: (out caller-allocates): gets what is wrong
 *
 * Does what assay_node_check_operands() does, from the types of a graph.
 *
 * Returns: whether nothing known contradicts `constraints.def`
 */
gboolean
assay_graph_check_operands (const AssayGraph *graph, AssayNodeId id, AssayViolation *violation)
{
  const AssayNode *node = assay_graph_node (graph, id);
  AssayNodeInput operands[MAX_OPERANDS];
  Reader reader = { .node = node, .operands = operands, .violation = violation };

  if (constraints[node->op] == NULL && !assay_op_has_types (node->op))
    return TRUE;

  reader.n_operands = read_operands (graph, node, operands);

  return assay_node_check_types (node, operands, reader.n_operands, violation) &&
         (constraints[node->op] == NULL || check_row (&reader));
}

/**
 * assay_graph_find_lapse:
 * @graph: a graph
 * @id: a node of it that breaks no constraint
 * @lapse: (out caller-allocates): gets what is not as the specification has it
 *
 * Looks for what the specification does not allow and ONNX Runtime takes, which is no reason to
 * refuse the node.
 *
 * Returns: whether there is something
 */
gboolean
assay_graph_find_lapse (const AssayGraph *graph, AssayNodeId id, AssayViolation *lapse)
{
  const AssayNode *node = assay_graph_node (graph, id);
  AssayNodeInput operands[MAX_OPERANDS];
  Reader reader = { .node = node, .operands = operands, .lapses = TRUE, .violation = lapse };

  if (constraints[node->op] == NULL)
    return FALSE;

  reader.n_operands = read_operands (graph, node, operands);

  return !check_attributes (node, TRUE, lapse) || !check_row (&reader);
}

/**
 * assay_graph_find_violation:
 * @graph: a graph that is about to be built or run
 * @violation: (out caller-allocates): gets what is wrong
 *
 * Looks for a node of the main graph that is not well formed, whoever made the graph.
 *
 * Returns: the first one, or 0
 */
AssayNodeId
assay_graph_find_violation (const AssayGraph *graph, AssayViolation *violation)
{
  const GArray *nodes = assay_graph_region (graph, ASSAY_MAIN_REGION)->nodes;

  for (guint i = 0; i < nodes->len; i++)
    {
      AssayNodeId id = g_array_index (nodes, AssayNodeId, i);
      const AssayNode *node = assay_graph_node (graph, id);

      if (node->violation != NULL)
        assay_violation_set (violation, "infer.shape", NULL, "%s", node->violation);
      if (node->violation != NULL || !assay_node_check_form (node, violation) ||
          !assay_graph_check_operands (graph, id, violation))
        return id;
    }

  return ASSAY_NO_NODE;
}

/**
 * assay_graph_set_violation:
 * @graph: a graph under construction
 * @id: a node of it
 * @text: what is wrong with the node, in the arena of @graph
 *
 * Keeps everybody from taking a node for the operation that it says it is.
 */
void
assay_graph_set_violation (AssayGraph *graph, AssayNodeId id, const char *text)
{
  AssayNode *node = assay_graph_edit_node (graph, id);

  node->meant = node->op;
  node->op = ASSAY_OP_OPAQUE;
  node->violation = text;
  for (guint i = 0; i < node->n_outputs; i++)
    if (node->outputs[i] != ASSAY_NO_VALUE)
      assay_graph_edit_value (graph, node->outputs[i])->constant = NULL;
}
