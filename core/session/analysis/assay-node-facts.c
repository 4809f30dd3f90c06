/* assay-node-facts.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session/analysis/assay-node-facts.h"

#include <string.h>

#include "text/assay-fields.h"
#include "session/list/assay-compare-item.h"

#define UNKNOWN (-1.0)

/* Names as spreadsheets get them: short, with the unit. */
static const struct
{
  const char *name;
  gboolean is_number;
} columns[ASSAY_N_NODE_COLUMNS] = {
  [ASSAY_NODE_COLUMN_NUMBER] = { "number", TRUE },
  [ASSAY_NODE_COLUMN_VERDICT] = { "verdict", FALSE },
  [ASSAY_NODE_COLUMN_OP] = { "op", FALSE },
  [ASSAY_NODE_COLUMN_NAME] = { "name", FALSE },
  [ASSAY_NODE_COLUMN_SCOPE] = { "scope", FALSE },
  [ASSAY_NODE_COLUMN_REASON] = { "reason", FALSE },
  [ASSAY_NODE_COLUMN_ENGINE] = { "engine", FALSE },
  [ASSAY_NODE_COLUMN_CORES] = { "cores", FALSE },
  [ASSAY_NODE_COLUMN_POSITIONS] = { "positions", FALSE },
  [ASSAY_NODE_COLUMN_PARAMETERS] = { "parameter_bytes", TRUE },
  [ASSAY_NODE_COLUMN_ACTIVATIONS] = { "activation_bytes", TRUE },
  [ASSAY_NODE_COLUMN_CYCLES] = { "predicted_cycles", TRUE },
  [ASSAY_NODE_COLUMN_ERROR] = { "own_ulp", TRUE },
  [ASSAY_NODE_COLUMN_SHAPE] = { "shape", FALSE },
};

/**
 * assay_node_column_name:
 * @column: a column
 *
 * Gets the name of a column as files have it.
 *
 * Returns: (transfer none): the name, with the unit of a number
 */
const char *
assay_node_column_name (AssayNodeColumn column)
{
  return columns[column].name;
}

/**
 * assay_node_column_is_number:
 * @column: a column
 *
 * Tells whether a column has numbers, which stand at the right and are sorted as numbers.
 *
 * Returns: whether it has
 */
gboolean
assay_node_column_is_number (AssayNodeColumn column)
{
  return columns[column].is_number;
}

static double
value_bytes (const AssayGraph *graph, AssayValueId id)
{
  const AssayType *type = assay_graph_value (graph, id)->type;
  gsize n;

  return assay_type_count (type, &n) ? (double) n * assay_dtype_bits (type->dtype) / 8 : UNKNOWN;
}

static void
count_bytes (AssayNodeFacts *self)
{
  const AssayGraph *graph = self->verdicts->graph;

  for (AssayNodeId id = 1; id < self->n_nodes; id++)
    {
      const AssayNode *node = assay_graph_node (graph, id);

      for (guint i = 0; i < node->n_inputs; i++)
        if (node->inputs[i] != ASSAY_NO_VALUE && assay_graph_is_constant (graph, node->inputs[i]))
          self->parameters[id] += MAX (value_bytes (graph, node->inputs[i]), 0);
      for (guint i = 0; i < node->n_outputs && self->activations[id] >= 0; i++)
        if (node->outputs[i] != ASSAY_NO_VALUE)
          {
            double bytes = value_bytes (graph, node->outputs[i]);

            self->activations[id] = bytes < 0 ? UNKNOWN : self->activations[id] + bytes;
          }
    }
}

/* Programs and comparisons know nodes by name; of nodes that share one the first has it. */
static GHashTable *
index_names (const AssayNodeFacts *self)
{
  GHashTable *by_name = g_hash_table_new (g_str_hash, g_str_equal);

  for (AssayNodeId id = self->n_nodes; id-- > 1;)
    g_hash_table_insert (by_name, (gpointer) assay_graph_node (self->verdicts->graph, id)->name,
                         GUINT_TO_POINTER (id));

  return by_name;
}

static void
take_work (AssayNodeFacts *self, const AssayNodeWork *work, GHashTable *by_name)
{
  for (guint i = 0; i < work->n_nodes; i++)
    {
      const char *name = assay_program_get_node_name (work->program, i);
      guint32 id = name != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (by_name, name)) : 0;

      if (id == 0 || work->nodes[i].cores == 0)
        continue;
      self->cycles[id] = MAX (self->cycles[id], 0) + (double) work->nodes[i].cycles;
      self->cores[id] |= work->nodes[i].cores;
    }
}

static void
take_errors (AssayNodeFacts *self, GListModel *compared, GHashTable *by_name)
{
  for (guint i = 0; i < g_list_model_get_n_items (compared); i++)
    {
      g_autoptr (AssayCompareItem) item = g_list_model_get_item (compared, i);
      guint32 id = GPOINTER_TO_UINT (
          g_hash_table_lookup (by_name, assay_compare_item_get_node_name (item)));

      if (id != 0 && assay_compare_item_has_own (item))
        self->errors[id] = MAX (self->errors[id], assay_compare_item_get_error (item));
    }
}

/**
 * assay_node_facts_new:
 * @verdicts: a checked graph
 * @work: (nullable): what a program does for its nodes
 * @compared: (nullable): a list of #AssayCompareItem
 *
 * Collects what is known of the nodes of a graph.
 *
 * Returns: (transfer full): the facts
 */
AssayNodeFacts *
assay_node_facts_new (AssayVerdicts *verdicts, const AssayNodeWork *work, GListModel *compared)
{
  AssayNodeFacts *self = g_new0 (AssayNodeFacts, 1);
  g_autoptr (GHashTable) by_name = NULL;

  g_atomic_ref_count_init (&self->ref_count);
  self->verdicts = assay_verdicts_ref (verdicts);
  self->n_nodes = assay_graph_n_nodes (verdicts->graph);
  self->parameters = g_new0 (double, self->n_nodes);
  self->activations = g_new0 (double, self->n_nodes);
  self->cycles = g_new0 (double, self->n_nodes);
  self->cores = g_new0 (guint64, self->n_nodes);
  self->errors = g_new0 (double, self->n_nodes);
  for (AssayNodeId id = 0; id < self->n_nodes; id++)
    self->cycles[id] = self->errors[id] = UNKNOWN;

  count_bytes (self);
  if (work != NULL || compared != NULL)
    by_name = index_names (self);
  if (work != NULL)
    take_work (self, work, by_name);
  if (compared != NULL)
    take_errors (self, compared, by_name);

  return self;
}

AssayNodeFacts *
assay_node_facts_ref (AssayNodeFacts *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
assay_node_facts_unref (AssayNodeFacts *self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->ref_count))
    return;

  assay_verdicts_unref (self->verdicts);
  g_free (self->parameters);
  g_free (self->activations);
  g_free (self->cycles);
  g_free (self->cores);
  g_free (self->errors);
  g_free (self);
}

/**
 * assay_node_facts_get_number:
 * @self: facts
 * @node: a node
 * @column: a column that has numbers
 *
 * Gets a number.
 *
 * Returns: the number in the unit of the column, negative if it is not known
 */
double
assay_node_facts_get_number (const AssayNodeFacts *self, AssayNodeId node, AssayNodeColumn column)
{
  switch ((guint) column)
    {
    case ASSAY_NODE_COLUMN_NUMBER:
      return node;
    case ASSAY_NODE_COLUMN_PARAMETERS:
      return self->parameters[node];
    case ASSAY_NODE_COLUMN_ACTIVATIONS:
      return self->activations[node];
    case ASSAY_NODE_COLUMN_CYCLES:
      return self->cycles[node];
    case ASSAY_NODE_COLUMN_ERROR:
      return self->errors[node];
    default:
      return UNKNOWN;
    }
}

/**
 * assay_node_facts_dup_cores:
 * @self: facts
 * @node: a node
 *
 * Lists the cores that work for a node, neighbours as a range.
 *
 * Returns: (transfer full): such as `0-3, 5`; "" if there is none
 */
char *
assay_node_facts_dup_cores (const AssayNodeFacts *self, AssayNodeId node)
{
  GString *text = g_string_new (NULL);
  guint64 cores = self->cores[node];

  for (guint first = 0; first < ASSAY_MAX_CORES; first++)
    {
      guint last = first;

      if ((cores >> first & 1) == 0)
        continue;
      while (last + 1 < ASSAY_MAX_CORES && (cores >> (last + 1) & 1) != 0)
        last++;
      g_string_append_printf (text, last > first ? "%s%u-%u" : "%s%u", text->len > 0 ? ", " : "",
                              first, last);
      first = last;
    }

  return g_string_free (text, FALSE);
}

static const AssayType *
output_type (const AssayNodeFacts *self, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (self->verdicts->graph, id);

  for (guint i = 0; i < node->n_outputs; i++)
    if (node->outputs[i] != ASSAY_NO_VALUE)
      return assay_graph_value (self->verdicts->graph, node->outputs[i])->type;

  return NULL;
}

static const char *
get_string (const AssayNodeFacts *self, AssayNodeId id, AssayNodeColumn column)
{
  const AssayNode *node = assay_graph_node (self->verdicts->graph, id);
  const AssayVerdict *verdict = assay_verdicts_get (self->verdicts, id);

  switch ((guint) column)
    {
    case ASSAY_NODE_COLUMN_OP:
      return node->op_type;
    case ASSAY_NODE_COLUMN_NAME:
      return node->name;
    case ASSAY_NODE_COLUMN_SCOPE:
      return g_array_index (self->verdicts->graph->scopes, const char *, node->scope);
    case ASSAY_NODE_COLUMN_VERDICT:
      return assay_verdict_name (verdict->kind);
    case ASSAY_NODE_COLUMN_ENGINE:
      return verdict->engine != NULL ? verdict->engine : "";
    case ASSAY_NODE_COLUMN_POSITIONS:
      return verdict->positions != NULL ? verdict->positions : "";
    default:
      return NULL;
    }
}

/**
 * assay_node_facts_dup_text:
 * @self: facts
 * @node: a node
 * @column: a column
 *
 * Writes a cell as files have it: numbers without groups and units.
 *
 * Returns: (transfer full): the text, "" if it is not known
 */
char *
assay_node_facts_dup_text (const AssayNodeFacts *self, AssayNodeId node, AssayNodeColumn column)
{
  const char *text = get_string (self, node, column);
  const AssayType *type;

  if (text != NULL)
    return g_utf8_make_valid (text, -1);
  if (columns[column].is_number)
    {
      double number = assay_node_facts_get_number (self, node, column);

      return number < 0 ? g_strdup ("") : g_strdup_printf (number < 1e15 ? "%.15g" : "%g", number);
    }
  if (column == ASSAY_NODE_COLUMN_REASON)
    return assay_verdict_sentence (self->verdicts, assay_verdicts_get (self->verdicts, node));
  if (column == ASSAY_NODE_COLUMN_CORES)
    return assay_node_facts_dup_cores (self, node);

  type = output_type (self, node);
  return type != NULL ? assay_type_to_string (type) : g_strdup ("");
}

/* Sorting: keys are made once and lie side by side with the nodes. */
typedef struct
{
  guint32 node;
  double number;
  const char *text;
} Key;

typedef struct
{
  gboolean is_text;
  gboolean descending;
} Order;

/* Numbers within names count as numbers: layer.9 comes before layer.10. */
static int
compare_natural (const char *a, const char *b)
{
  while (*a != '\0' && *b != '\0')
    {
      if (g_ascii_isdigit (*a) && g_ascii_isdigit (*b))
        {
          gsize n_a, n_b;
          int order;

          while (*a == '0' && g_ascii_isdigit (a[1]))
            a++;
          while (*b == '0' && g_ascii_isdigit (b[1]))
            b++;
          for (n_a = 1; g_ascii_isdigit (a[n_a]); n_a++)
            ;
          for (n_b = 1; g_ascii_isdigit (b[n_b]); n_b++)
            ;
          order = n_a != n_b ? (n_a > n_b ? 1 : -1) : memcmp (a, b, n_a);
          if (order != 0)
            return order;
          a += n_a;
          b += n_b;
          continue;
        }
      if (g_ascii_tolower (*a) != g_ascii_tolower (*b))
        return g_ascii_tolower (*a) > g_ascii_tolower (*b) ? 1 : -1;
      a++;
      b++;
    }

  return (*a != '\0') - (*b != '\0');
}

/* What is not known stands last either way: one sorts to see what there is. Program order decides
 * between equals. */
static int
compare_keys (gconstpointer a, gconstpointer b, gpointer data)
{
  const Key *left = a;
  const Key *right = b;
  const Order *order = data;
  gboolean known_left = order->is_text ? left->text[0] != '\0' : left->number >= 0;
  gboolean known_right = order->is_text ? right->text[0] != '\0' : right->number >= 0;
  int result = 0;

  if (known_left != known_right)
    return known_left ? -1 : 1;
  if (known_left)
    result = order->is_text ? compare_natural (left->text, right->text)
                            : (left->number > right->number) - (left->number < right->number);
  if (result != 0)
    return order->descending ? -result : result;

  return left->node < right->node ? -1 : 1;
}

/* Reasons of what is worse come first, equal ones beside each other. */
static char *
dup_key_text (const AssayNodeFacts *self, AssayNodeId node, AssayNodeColumn column)
{
  g_autofree char *text = assay_node_facts_dup_text (self, node, column);

  return column == ASSAY_NODE_COLUMN_REASON
             ? g_strdup_printf ("%d %s", assay_verdicts_get (self->verdicts, node)->kind, text)
             : g_steal_pointer (&text);
}

/* What a column is sorted by where that is not its text: the worst verdict, the first core, the
 * size of a shape. */
static gboolean
find_key_number (const AssayNodeFacts *self, AssayNodeId node, AssayNodeColumn column,
                 double *number)
{
  const AssayType *type;
  gsize count;

  switch ((guint) column)
    {
    case ASSAY_NODE_COLUMN_VERDICT:
      *number = assay_verdicts_get (self->verdicts, node)->kind;
      return TRUE;
    case ASSAY_NODE_COLUMN_CORES:
      *number = self->cores[node] != 0 ? g_bit_nth_lsf ((gulong) self->cores[node], -1) : UNKNOWN;
      return TRUE;
    case ASSAY_NODE_COLUMN_SHAPE:
      type = output_type (self, node);
      *number = type != NULL && assay_type_count (type, &count) ? (double) count : UNKNOWN;
      return TRUE;
    default:
      *number = assay_node_facts_get_number (self, node, column);
      return columns[column].is_number;
    }
}

/**
 * assay_node_facts_sort:
 * @self: facts
 * @nodes: (array length=n) (inout): nodes
 * @n: how many
 * @column: what decides
 * @descending: whether the largest comes first
 *
 * Sorts nodes; program order decides between equals, and what is not known comes last.
 */
void
assay_node_facts_sort (const AssayNodeFacts *self, guint32 *nodes, guint n, AssayNodeColumn column,
                       gboolean descending)
{
  g_autofree Key *keys = g_new0 (Key, MAX (n, 1));
  g_autoptr (GStringChunk) strings = g_string_chunk_new (4096);
  Order order = { FALSE, descending };

  for (guint i = 0; i < n; i++)
    {
      keys[i].node = nodes[i];
      if (find_key_number (self, nodes[i], column, &keys[i].number))
        continue;
      order.is_text = TRUE;
      keys[i].text = get_string (self, nodes[i], column);
      if (keys[i].text == NULL)
        {
          g_autofree char *text = dup_key_text (self, nodes[i], column);

          keys[i].text = g_string_chunk_insert_const (strings, text);
        }
    }

  g_qsort_with_data (keys, (int) n, sizeof (Key), compare_keys, &order);
  for (guint i = 0; i < n; i++)
    nodes[i] = keys[i].node;
}

static GBytes *
write_rows (const AssayNodeFacts *self, const guint32 *nodes, guint n,
            const AssayProgress *progress, void (*append) (GString *, const char *),
            const char *separator, const char *line_end)
{
  GString *text = g_string_new (NULL);

  for (guint column = 0; column < ASSAY_N_NODE_COLUMNS; column++)
    {
      append (text, columns[column].name);
      g_string_append (text, column + 1 < ASSAY_N_NODE_COLUMNS ? separator : line_end);
    }
  for (guint i = 0; i < n && !assay_progress_is_cancelled (progress); i++)
    for (guint column = 0; column < ASSAY_N_NODE_COLUMNS; column++)
      {
        g_autofree char *field = assay_node_facts_dup_text (self, nodes[i], column);

        append (text, field);
        g_string_append (text, column + 1 < ASSAY_N_NODE_COLUMNS ? separator : line_end);
      }

  return g_string_free_to_bytes (text);
}

/**
 * assay_node_facts_to_csv:
 * @self: facts
 * @nodes: (array length=n): nodes
 * @n: how many
 * @progress: (nullable): cancel
 *
 * Writes nodes as comma-separated values (RFC 4180), a line with the names of the columns first.
 * Who cancels gets some of them.
 *
 * Returns: (transfer full): the file, in UTF-8
 */
GBytes *
assay_node_facts_to_csv (const AssayNodeFacts *self, const guint32 *nodes, guint n,
                         const AssayProgress *progress)
{
  return write_rows (self, nodes, n, progress, assay_fields_append_csv, ",", "\r\n");
}

/**
 * assay_node_facts_to_tsv:
 * @self: facts
 * @nodes: (array length=n): nodes
 * @n: how many
 * @progress: (nullable): cancel
 *
 * Writes nodes as tab-separated values, as spreadsheets take them from a clipboard.
 *
 * Returns: (transfer full): the text, in UTF-8
 */
GBytes *
assay_node_facts_to_tsv (const AssayNodeFacts *self, const guint32 *nodes, guint n,
                         const AssayProgress *progress)
{
  return write_rows (self, nodes, n, progress, assay_fields_append_tsv, "\t", "\n");
}
