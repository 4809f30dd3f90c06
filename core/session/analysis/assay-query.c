/* assay-query.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session/analysis/assay-query.h"

#include <string.h>

#include "base/assay-error.h"

/* Nodes that `**` stands for at most. */
#define MAX_GAP 8
#define MAX_STEPS 16

typedef enum
{
  EQUAL,
  NOT_EQUAL,
  MORE,
  LESS,
  AT_LEAST,
  AT_MOST,
} Comparison;

/* Longer signs before those that they begin with. */
static const struct
{
  const char *sign;
  Comparison comparison;
} signs[] = {
  { "!=", NOT_EQUAL }, { ">=", AT_LEAST }, { "<=", AT_MOST },
  { "=", EQUAL },      { ">", MORE },      { "<", LESS },
};

/* What is asked; facts of a program are not known without one. */
typedef struct
{
  const AssayVerdicts *verdicts;
  const AssayNodeFacts *facts;
} Asked;

typedef const char *(*GetText) (const AssayVerdicts *verdicts, AssayNodeId node);
typedef double (*GetNumber) (const AssayVerdicts *verdicts, AssayNodeId node);

static const AssayVerdict *
verdict_of (const AssayVerdicts *verdicts, AssayNodeId node)
{
  return &g_array_index (verdicts->verdicts, AssayVerdict, node);
}

static const char *
get_op (const AssayVerdicts *verdicts, AssayNodeId node)
{
  return assay_graph_node (verdicts->graph, node)->op_type;
}

static const char *
get_name (const AssayVerdicts *verdicts, AssayNodeId node)
{
  return assay_graph_node (verdicts->graph, node)->name;
}

static const char *
get_scope (const AssayVerdicts *verdicts, AssayNodeId node)
{
  return g_array_index (verdicts->graph->scopes, const char *,
                        assay_graph_node (verdicts->graph, node)->scope);
}

static const char *
get_verdict (const AssayVerdicts *verdicts, AssayNodeId node)
{
  return assay_verdict_name (verdict_of (verdicts, node)->kind);
}

static const char *
get_rule (const AssayVerdicts *verdicts, AssayNodeId node)
{
  return verdict_of (verdicts, node)->rule;
}

static const char *
get_engine (const AssayVerdicts *verdicts, AssayNodeId node)
{
  return verdict_of (verdicts, node)->engine;
}

static const AssayType *
first_type (const AssayVerdicts *verdicts, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (verdicts->graph, id);

  return node->n_outputs > 0 && node->outputs[0] != ASSAY_NO_VALUE
             ? assay_graph_value (verdicts->graph, node->outputs[0])->type
             : NULL;
}

static const char *
get_dtype (const AssayVerdicts *verdicts, AssayNodeId node)
{
  const AssayType *type = first_type (verdicts, node);

  return type != NULL && type->kind == ASSAY_TYPE_KIND_TENSOR ? assay_dtype_name (type->dtype)
                                                              : NULL;
}

static double
get_rank (const AssayVerdicts *verdicts, AssayNodeId node)
{
  const AssayType *type = first_type (verdicts, node);

  return type != NULL && type->kind == ASSAY_TYPE_KIND_TENSOR ? type->rank : -1;
}

static double
get_bytes (const AssayVerdicts *verdicts, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (verdicts->graph, id);
  double bytes = -1;

  for (guint i = 0; i < node->n_outputs; i++)
    {
      gsize n;

      if (node->outputs[i] == ASSAY_NO_VALUE ||
          !assay_type_count (assay_graph_value (verdicts->graph, node->outputs[i])->type, &n))
        continue;
      bytes = MAX (bytes, 0) +
              (double) n *
                  assay_dtype_bits (
                      assay_graph_value (verdicts->graph, node->outputs[i])->type->dtype) /
                  8;
    }

  return bytes;
}

static double
get_inputs (const AssayVerdicts *verdicts, AssayNodeId node)
{
  return assay_graph_node (verdicts->graph, node)->n_inputs;
}

static double
get_outputs (const AssayVerdicts *verdicts, AssayNodeId node)
{
  return assay_graph_node (verdicts->graph, node)->n_outputs;
}

/* The extents of the first result, joined by `x`; what is not known is `?`. Short ones are all
 * there are. */
static gboolean
shape_has (const AssayVerdicts *verdicts, AssayNodeId node, const char *lower)
{
  const AssayType *type = first_type (verdicts, node);
  char text[256];
  gsize length = 0;

  if (type == NULL || type->kind != ASSAY_TYPE_KIND_TENSOR || type->rank < 0)
    return FALSE;
  text[0] = '\0';
  for (int i = 0; i < type->rank && length + 24 < sizeof text; i++)
    {
      if (i > 0)
        text[length++] = 'x';
      if (type->dims[i].size >= 0)
        length += (gsize) g_snprintf (text + length, sizeof text - length, "%" G_GINT64_FORMAT,
                                      type->dims[i].size);
      else
        length += (gsize) g_snprintf (text + length, sizeof text - length, "?");
    }

  return strstr (text, lower) != NULL;
}

/* How a fact is held against what was asked. */
typedef enum
{
  WHOLE,     /* the same text, whatever the case; `*` stands for any part of it */
  PART,      /* names are paths: a part is enough */
  BEGINNING, /* one of few words, which may still be being typed */
  NUMBER,
  COLUMN, /* a number of the table of nodes */
  CORE,   /* one of several cores */
  SHAPE,
  ORIGIN, /* one of several operators of the file */
} Kind;

/* What can be asked of a node. A number that is not known is negative and compares with nothing;
 * the sentence says why nobody knows it. */
static const struct
{
  const char *name;
  Kind kind;
  GetText text;
  GetNumber number;
  AssayNodeColumn column;
  const char *unknown;
} askable[] = {
#define NO_PROGRAM "there is no program yet"
#define NO_SHAPES "no shape is known; Setup binds open dimensions"
  { "op", WHOLE, get_op, NULL, 0, NULL },
  { "from", ORIGIN, NULL, NULL, 0, NULL },
  { "name", PART, get_name, NULL, 0, NULL },
  { "scope", PART, get_scope, NULL, 0, NULL },
  { "verdict", BEGINNING, get_verdict, NULL, 0, NULL },
  { "rule", WHOLE, get_rule, NULL, 0, NULL },
  { "engine", WHOLE, get_engine, NULL, 0, NULL },
  { "dtype", WHOLE, get_dtype, NULL, 0, NULL },
  { "shape", SHAPE, NULL, NULL, 0, NULL },
  { "rank", NUMBER, NULL, get_rank, 0, NO_SHAPES },
  { "bytes", NUMBER, NULL, get_bytes, 0, NO_SHAPES },
  { "inputs", NUMBER, NULL, get_inputs, 0, NULL },
  { "outputs", NUMBER, NULL, get_outputs, 0, NULL },
  { "parameters", COLUMN, NULL, NULL, ASSAY_NODE_COLUMN_PARAMETERS, NULL },
  { "cycles", COLUMN, NULL, NULL, ASSAY_NODE_COLUMN_CYCLES, NO_PROGRAM },
  { "core", CORE, NULL, NULL, ASSAY_NODE_COLUMN_CORES, NO_PROGRAM },
  { "ulp", COLUMN, NULL, NULL, ASSAY_NODE_COLUMN_ERROR, "no node was compared on its own yet" },
};

static gboolean
is_number (guint fact)
{
  return askable[fact].kind == NUMBER || askable[fact].kind == COLUMN || askable[fact].kind == CORE;
}

#define IS_WORD (-1)

typedef struct
{
  int fact; /* index of a fact, or IS_WORD */
  Comparison comparison;
  char *text;            /* lower case */
  GPatternSpec *pattern; /* of a text with `*` in it */
  double number;
  char *written;
} Term;

typedef struct
{
  GArray *terms; /* none match every node */
  guint gap;     /* nodes that may lie between this step and the next one */
} Step;

struct _AssayQuery
{
  GArray *steps;
  gboolean is_chain;
};

static void
term_clear (gpointer data)
{
  Term *term = data;

  g_free (term->text);
  g_free (term->written);
  g_clear_pointer (&term->pattern, g_pattern_spec_free);
}

static void
step_clear (gpointer data)
{
  g_array_unref (((Step *) data)->terms);
}

/**
 * assay_query_list_facts:
 *
 * Lists what can be asked of a node.
 *
 * Returns: (transfer full): the names, separated by commas
 */
char *
assay_query_list_facts (void)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (askable); i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", askable[i].name);

  return g_string_free (text, FALSE);
}

/* A size: `1M` are 1,048,576, and so are `1MB` and `1MiB`. */
static gboolean
parse_number (const char *text, double *number)
{
  static const char units[] = { 'k', 'm', 'g', 't' };
  char *end;

  *number = g_ascii_strtod (text, &end);
  for (guint i = 0; i < G_N_ELEMENTS (units); i++)
    if (g_ascii_tolower (*end) == units[i])
      {
        for (guint k = 0; k <= i; k++)
          *number *= 1024;
        end++;
        if (g_ascii_strcasecmp (end, "b") == 0 || g_ascii_strcasecmp (end, "ib") == 0)
          end += strlen (end);
        break;
      }

  return end != text && *end == '\0';
}

static gboolean
is_verdict (const char *lower)
{
  for (guint kind = 0; kind < ASSAY_N_VERDICTS; kind++)
    if (g_str_has_prefix (assay_verdict_name (kind), lower))
      return TRUE;

  return FALSE;
}

/* What no node can be like is a slip of the pen. */
static gboolean
check_value (guint fact, const char *value, const Term *term, GError **error)
{
  AssayDType dtype;

  if (term->comparison > NOT_EQUAL && (!is_number (fact) || askable[fact].kind == CORE))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "%s is compared with = or !=", askable[fact].name);
      return FALSE;
    }
  if (askable[fact].text == get_verdict && !is_verdict (term->text))
    {
      g_autoptr (GString) known = g_string_new (NULL);

      for (guint kind = 0; kind < ASSAY_N_VERDICTS; kind++)
        g_string_append_printf (known, "%s%s", kind > 0 ? ", " : "", assay_verdict_name (kind));
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "“%s” is no verdict; there are %s",
                   value, known->str);
      return FALSE;
    }
  if (askable[fact].text == get_dtype && *value != '\0' &&
      !assay_dtype_from_name (term->text, &dtype))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "“%s” is no element type; write one such as f32, bf16, i8 or bool", value);
      return FALSE;
    }

  return TRUE;
}

static gboolean
parse_fact (const char *word, const char *at, guint sign, Term *term, GError **error)
{
  g_autofree char *name = g_ascii_strdown (word, at - word);
  g_autofree char *known = NULL;
  const char *value = at + strlen (signs[sign].sign);

  for (guint i = 0; i < G_N_ELEMENTS (askable); i++)
    if (g_str_equal (askable[i].name, name))
      {
        term->fact = (int) i;
        term->comparison = signs[sign].comparison;
        term->text = g_ascii_strdown (value, -1);
        if (is_number (i) && !parse_number (value, &term->number))
          {
            g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                         "“%s” is not a number; write one such as 4 or 1M after %s", value, name);
            return FALSE;
          }
        if ((askable[i].kind == WHOLE || askable[i].kind == ORIGIN) && strchr (value, '*') != NULL)
          term->pattern = g_pattern_spec_new (term->text);
        return check_value (i, value, term, error);
      }

  known = assay_query_list_facts ();
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "“%s” is nothing to ask for; there are %s",
               name, known);
  return FALSE;
}

static gboolean
parse_term (const char *word, Term *term, GError **error)
{
  const char *at = strpbrk (word, "!=<>");

  term->written = g_strdup (word);
  for (guint i = 0; at != NULL && i < G_N_ELEMENTS (signs); i++)
    if (g_str_has_prefix (at, signs[i].sign))
      {
        if (at > word)
          return parse_fact (word, at, i, term, error);
        g_set_error (
            error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
            "“%s” needs something before it; write comparisons without spaces, as in bytes>1M",
            word);
        return FALSE;
      }

  term->fact = IS_WORD;
  term->text = g_ascii_strdown (word, -1);
  if (strchr (word, '*') != NULL)
    term->pattern = g_pattern_spec_new (term->text);
  return TRUE;
}

/* Where in the text something is wrong, for people: characters from 1 on. */
static void
prefix_place (GError **error, const char *text, const char *word)
{
  g_prefix_error (error, "Character %ld: ", g_utf8_pointer_to_offset (text, word) + 1);
}

static gboolean
parse_step (AssayQuery *self, const char *text, const char *begin, const char *end, GError **error)
{
  Step step = { g_array_new (FALSE, TRUE, sizeof (Term)), 0 };

  g_array_set_clear_func (step.terms, term_clear);
  g_array_append_val (self->steps, step);
  while (begin < end)
    {
      gsize length = 0;
      g_autofree char *word = NULL;
      Term term = { 0 };

      while (begin + length < end && strchr (" \t", begin[length]) == NULL)
        length++;
      word = g_strndup (begin, length);
      if (length > 0 && !(self->is_chain && g_str_equal (word, "*")))
        {
          if (!parse_term (word, &term, error))
            {
              term_clear (&term);
              prefix_place (error, text, begin);
              return FALSE;
            }
          g_array_append_val (step.terms, term);
        }
      begin += length + 1;
    }

  return TRUE;
}

/* One part of a chain, spaces around it left out. */
static gboolean
parse_part (AssayQuery *self, const char *text, const char *begin, const char *end,
            gboolean is_last, GError **error)
{
  while (begin < end && strchr (" \t", *begin) != NULL)
    begin++;
  while (end > begin && strchr (" \t", end[-1]) != NULL)
    end--;

  /* While a chain is being typed its last step is empty. */
  if (self->is_chain && begin == end && self->steps->len > 0 && is_last)
    return TRUE;
  if (self->is_chain && end - begin == 2 && strncmp (begin, "**", 2) == 0)
    {
      if (self->steps->len > 0)
        g_array_index (self->steps, Step, self->steps->len - 1).gap = MAX_GAP;
      return TRUE;
    }
  if (self->steps->len == MAX_STEPS)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "a chain has at most %d steps",
                   MAX_STEPS);
      prefix_place (error, text, begin);
      return FALSE;
    }

  return parse_step (self, text, begin, end, error);
}

/**
 * assay_query_new:
 * @text: what is searched for
 * @error: return location for a #GError
 *
 * Reads a query. Fails with %ASSAY_ERROR_INVALID, and a message that says where and what was
 * expected, if a fact is not known or a number is none.
 *
 * Returns: (transfer full) (nullable): the query
 */
AssayQuery *
assay_query_new (const char *text, GError **error)
{
  g_autoptr (AssayQuery) self = g_new0 (AssayQuery, 1);
  const char *begin = text;

  self->steps = g_array_new (FALSE, TRUE, sizeof (Step));
  g_array_set_clear_func (self->steps, step_clear);
  self->is_chain = strstr (text, "->") != NULL;
  while (begin != NULL)
    {
      const char *arrow = strstr (begin, "->");

      if (!parse_part (self, text, begin, arrow != NULL ? arrow : begin + strlen (begin),
                       arrow == NULL, error))
        return NULL;
      begin = arrow != NULL ? arrow + 2 : NULL;
    }

  /* Nothing asks for everything. */
  if (self->steps->len == 0 && !parse_step (self, text, text, text, error))
    return NULL;

  return g_steal_pointer (&self);
}

/**
 * assay_query_free:
 * @self: (nullable): a query
 *
 * Frees a query.
 */
void
assay_query_free (AssayQuery *self)
{
  if (self == NULL)
    return;

  g_clear_pointer (&self->steps, g_array_unref);
  g_free (self);
}

/* ASCII case only: names in models are identifiers, and this runs over all of them with each key.
 */
static gboolean
contains (const char *text, const char *lower)
{
  for (; *text != '\0'; text++)
    {
      gsize i = 0;

      while (lower[i] != '\0' && g_ascii_tolower (text[i]) == lower[i])
        i++;
      if (lower[i] == '\0')
        return TRUE;
    }

  return *lower == '\0';
}

static gboolean
compare (double value, Comparison comparison, double with)
{
  switch (comparison)
    {
    case EQUAL:
      return value == with;
    case NOT_EQUAL:
      return value != with;
    case MORE:
      return value > with;
    case LESS:
      return value < with;
    case AT_LEAST:
      return value >= with;
    case AT_MOST:
    default:
      return value <= with;
    }
}

static gboolean
text_matches (const Term *term, const char *value)
{
  g_autofree char *lower = NULL;

  if (value == NULL)
    return FALSE;
  if (term->pattern == NULL)
    return g_ascii_strcasecmp (value, term->text) == 0;

  lower = g_ascii_strdown (value, -1);
  return g_pattern_spec_match_string (term->pattern, lower);
}

/* What became another operator, or went into one, is found by what the file calls it. */
static gboolean
comes_from (const Term *term, const AssayGraph *graph, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (graph, id);

  for (guint i = 0; i < node->n_origins; i++)
    if (text_matches (term, g_array_index (graph->origins, AssayOrigin, node->origins[i]).op_type))
      return TRUE;

  return FALSE;
}

/* A word of a chain is an operator; elsewhere it is part of a name, an operator or, with digits, a
 * shape. */
static gboolean
word_matches (const Term *term, gboolean is_chain, const AssayVerdicts *verdicts, AssayNodeId node)
{
  if (is_chain || term->pattern != NULL)
    return text_matches (term, get_op (verdicts, node));

  return contains (get_name (verdicts, node), term->text) ||
         contains (get_op (verdicts, node), term->text) ||
         (g_ascii_isdigit (term->text[0]) && shape_has (verdicts, node, term->text));
}

/* Negative if it is not known. */
static double
get_asked (const Asked *asked, guint fact, AssayNodeId node)
{
  if (askable[fact].kind == NUMBER)
    return askable[fact].number (asked->verdicts, node);
  if (asked->facts == NULL)
    return -1;
  if (askable[fact].kind == CORE)
    return asked->facts->cores[node] != 0 ? 1 : -1;

  return assay_node_facts_get_number (asked->facts, node, askable[fact].column);
}

static gboolean
number_matches (const Term *term, const Asked *asked, AssayNodeId node)
{
  double value = get_asked (asked, (guint) term->fact, node);
  gboolean on_core;

  if (askable[term->fact].kind != CORE)
    return value >= 0 && compare (value, term->comparison, term->number);

  on_core = value >= 0 && term->number >= 0 && term->number < 64 &&
            (asked->facts->cores[node] >> (guint) term->number & 1) != 0;
  return value >= 0 && on_core == (term->comparison == EQUAL);
}

static gboolean
term_matches (const Term *term, gboolean is_chain, const Asked *asked, AssayNodeId node)
{
  const char *value;
  gboolean same;

  if (term->fact == IS_WORD)
    return word_matches (term, is_chain, asked->verdicts, node);
  /* What is still being typed does not narrow down yet. */
  if (*term->text == '\0')
    return TRUE;
  if (is_number ((guint) term->fact))
    return number_matches (term, asked, node);

  value = askable[term->fact].text != NULL ? askable[term->fact].text (asked->verdicts, node)
                                           : NULL;
  switch (askable[term->fact].kind)
    {
    case SHAPE:
      same = shape_has (asked->verdicts, node, term->text);
      break;
    case ORIGIN:
      same = comes_from (term, asked->verdicts->graph, node);
      break;
    case PART:
      same = value != NULL && contains (value, term->text);
      break;
    case BEGINNING:
      same = value != NULL && g_ascii_strncasecmp (value, term->text, strlen (term->text)) == 0;
      break;
    default:
      same = text_matches (term, value);
    }

  return same == (term->comparison == EQUAL);
}

static gboolean
step_matches (const Step *step, gboolean is_chain, const Asked *asked, guint filter,
              AssayNodeId node)
{
  if (filter != 0 && (filter & (1u << verdict_of (asked->verdicts, node)->kind)) == 0)
    return FALSE;
  for (guint i = 0; i < step->terms->len; i++)
    if (!term_matches (&g_array_index (step->terms, Term, i), is_chain, asked, node))
      return FALSE;

  return TRUE;
}

#define FAR G_MAXUINT8

/* How many edges each node is away from a set, at most @most: downward from what it reads, or
 * upward from its readers. Once over the nodes per edge. */
static guint8 *
find_distances (const AssayGraph *graph, const guint8 *from, gboolean downward, guint most)
{
  guint32 n = assay_graph_n_nodes (graph);
  guint8 *distance = g_malloc (n);

  memset (distance, FAR, n);
  for (guint step = 1; step <= most; step++)
    for (AssayNodeId id = 1; id < n; id++)
      {
        const AssayNode *node = assay_graph_node (graph, id);

        for (guint i = 0; i < node->n_inputs; i++)
          {
            AssayNodeId producer = node->inputs[i] != ASSAY_NO_VALUE
                                       ? assay_graph_value (graph, node->inputs[i])->producer
                                       : ASSAY_NO_NODE;
            AssayNodeId begin = downward ? producer : id;
            AssayNodeId end = downward ? id : producer;

            if (producer == ASSAY_NO_NODE || distance[end] != FAR)
              continue;
            if (step == 1 ? from[begin] : distance[begin] == step - 1)
              distance[end] = (guint8) step;
          }
      }

  return distance;
}

static void
run_chain (const AssayQuery *self, const Asked *asked, guint filter, guint8 *found)
{
  const AssayGraph *graph = asked->verdicts->graph;
  guint32 n = assay_graph_n_nodes (graph);
  guint n_steps = self->steps->len;
  g_autoptr (GPtrArray) sets = g_ptr_array_new_with_free_func (g_free);

  /* From the last step up: what matches and leads to a match of the next step. */
  g_ptr_array_set_size (sets, (int) n_steps);
  for (guint s = n_steps; s-- > 0;)
    {
      const Step *step = &g_array_index (self->steps, Step, s);
      guint8 *set = g_new0 (guint8, n);
      g_autofree guint8 *distance = s + 1 < n_steps
                                        ? find_distances (graph, g_ptr_array_index (sets, s + 1),
                                                          FALSE, step->gap + 1)
                                        : NULL;

      for (AssayNodeId id = 1; id < n; id++)
        set[id] = (distance == NULL || distance[id] != FAR) &&
                  step_matches (step, self->is_chain, asked, filter, id);
      g_ptr_array_index (sets, s) = set;
    }

  /* And down again: what can be reached, with the nodes between. */
  for (guint s = 0; s < n_steps; s++)
    {
      guint8 *set = g_ptr_array_index (sets, s);

      if (s > 0)
        {
          const Step *before = &g_array_index (self->steps, Step, s - 1);
          g_autofree guint8 *down = find_distances (graph, g_ptr_array_index (sets, s - 1), TRUE,
                                                    before->gap + 1);
          g_autofree guint8 *up = NULL;

          for (AssayNodeId id = 1; id < n; id++)
            set[id] = set[id] && down[id] != FAR;
          up = before->gap > 0 ? find_distances (graph, set, FALSE, before->gap) : NULL;
          for (AssayNodeId id = 1; up != NULL && id < n; id++)
            found[id] = found[id] ||
                        (up[id] != FAR && down[id] != FAR && up[id] + down[id] <= before->gap + 1u);
        }
      for (AssayNodeId id = 1; id < n; id++)
        found[id] = found[id] || set[id];
    }
}

static GArray *
run (const AssayQuery *self, const Asked *asked, guint filter)
{
  guint32 n = assay_graph_n_nodes (asked->verdicts->graph);
  g_autofree guint8 *found = g_new0 (guint8, n);
  GArray *nodes = g_array_new (FALSE, FALSE, sizeof (guint32));

  run_chain (self, asked, filter, found);
  for (guint32 id = 1; id < n; id++)
    if (found[id])
      g_array_append_val (nodes, id);

  return nodes;
}

/**
 * assay_query_run:
 * @self: a query
 * @verdicts: a checked graph
 * @filter: set of verdicts as bits `1 << kind`, 0 for all
 *
 * Finds nodes: those that match, or all nodes of the chains that do. Takes time linear in the edges
 * of the graph.
 *
 * Returns: (transfer full) (element-type guint32): the nodes, in program order
 */
GArray *
assay_query_run (const AssayQuery *self, const AssayVerdicts *verdicts, guint filter)
{
  return run (self, &(Asked){ verdicts, NULL }, filter);
}

/**
 * assay_query_run_facts:
 * @self: a query
 * @facts: what is known of the nodes of a checked graph
 * @filter: set of verdicts as bits `1 << kind`, 0 for all
 *
 * Finds nodes as assay_query_run() does; what a program or a comparison tells of them can be asked
 * for as well.
 *
 * Returns: (transfer full) (element-type guint32): the nodes, in program order
 */
GArray *
assay_query_run_facts (const AssayQuery *self, const AssayNodeFacts *facts, guint filter)
{
  return run (self, &(Asked){ facts->verdicts, facts }, filter);
}

static guint
count_step (const Step *step, gboolean is_chain, const Asked *asked, guint filter)
{
  guint n = 0;

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (asked->verdicts->graph); id++)
    n += step_matches (step, is_chain, asked, filter, id);

  return n;
}

/* The first fact that is asked for and known of no node. */
static char *
explain_unknown (const AssayQuery *self, const Asked *asked)
{
  for (guint s = 0; s < self->steps->len; s++)
    {
      const GArray *terms = g_array_index (self->steps, Step, s).terms;

      for (guint i = 0; i < terms->len; i++)
        {
          const Term *term = &g_array_index (terms, Term, i);
          gboolean known = term->fact == IS_WORD || askable[term->fact].unknown == NULL;

          for (AssayNodeId id = 1; !known && id < assay_graph_n_nodes (asked->verdicts->graph);
               id++)
            known = get_asked (asked, (guint) term->fact, id) >= 0;
          if (!known)
            return g_strdup_printf ("%s is not known of any node: %s.", askable[term->fact].name,
                                    askable[term->fact].unknown);
        }
    }

  return NULL;
}

/* An operator that no node is may still be what some come from. */
static char *
explain_origin (const Term *term, const AssayGraph *graph)
{
  const char *sign = strchr (term->written, '=');
  const char *op = sign != NULL ? sign + 1 : term->written;
  guint n = 0;

  if (term->comparison != EQUAL || (term->fact != IS_WORD && askable[term->fact].text != get_op))
    return NULL;
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    n += comes_from (term, graph, id);

  return n > 0 ? g_strdup_printf ("No node is %s here; from=%s finds %u that %s from it.", op, op,
                                  n, n == 1 ? "comes" : "come")
               : NULL;
}

/* The first term that nothing is like, or the first terms that nothing is like together. */
static char *
explain_terms (const AssayQuery *self, const Asked *asked)
{
  for (guint s = 0; s < self->steps->len; s++)
    {
      const Step *step = &g_array_index (self->steps, Step, s);

      for (guint i = 0; i < step->terms->len; i++)
        {
          const Term *term = &g_array_index (step->terms, Term, i);
          gboolean found = FALSE;
          char *why;

          for (AssayNodeId id = 1; !found && id < assay_graph_n_nodes (asked->verdicts->graph);
               id++)
            found = term_matches (term, self->is_chain, asked, id);
          if (found)
            continue;
          why = explain_origin (term, asked->verdicts->graph);
          return why != NULL ? why
                             : g_strdup_printf (self->is_chain && term->fact == IS_WORD
                                                    ? "The model has no operator %s."
                                                    : "No node matches “%s”.",
                                                term->written);
        }
      if (count_step (step, self->is_chain, asked, 0) == 0)
        return g_strdup ("Some nodes match each part, but none matches all of them.");
    }

  return NULL;
}

/**
 * assay_query_explain_nothing:
 * @self: a query that found nothing
 * @facts: what is known of the nodes of a checked graph
 * @filter: set of verdicts as bits `1 << kind`, 0 for all
 *
 * Says why a query finds nothing: which part of it no node is like, or what is not known yet.
 *
 * Returns: (transfer full): a sentence
 */
char *
assay_query_explain_nothing (const AssayQuery *self, const AssayNodeFacts *facts, guint filter)
{
  const Asked asked = { facts->verdicts, facts };
  char *why = explain_unknown (self, &asked);

  if (why == NULL)
    why = explain_terms (self, &asked);
  if (why == NULL && filter != 0)
    {
      g_autoptr (GArray) all = run (self, &asked, 0);

      if (all->len > 0)
        why = g_strdup_printf ("%u %s, but the filter of verdicts hides %s.", all->len,
                               all->len == 1 ? "node matches" : "nodes match",
                               all->len == 1 ? "it" : "them");
    }
  if (why == NULL && self->is_chain)
    why = g_strdup ("Each part of the chain is there, but never one after the other.");

  return why != NULL ? why : g_strdup ("No node is like that.");
}
