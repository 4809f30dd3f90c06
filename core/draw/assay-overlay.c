/* assay-overlay.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "draw/assay-overlay.h"

#include <math.h>
#include <string.h>

static const struct
{
  const char *name;
  const char *word;
  const char *title;
  gboolean is_scale;
} kinds[ASSAY_N_OVERLAYS] = {
  [ASSAY_OVERLAY_VERDICT] = { "verdict", "Verdict", "Verdict", FALSE },
  [ASSAY_OVERLAY_ENGINE] = { "engine", "Engine", "Engine", FALSE },
  [ASSAY_OVERLAY_CORE] = { "core", "Core", "Core", FALSE },
  [ASSAY_OVERLAY_CYCLES] = { "cycles", "Cycles", "Predicted cycles", TRUE },
  [ASSAY_OVERLAY_BYTES] = { "bytes", "Bytes", "Bytes", TRUE },
  [ASSAY_OVERLAY_ERROR] = { "error", "Error", "Own error over its limit", FALSE },
  [ASSAY_OVERLAY_FILE] = { "file", "File", "File", FALSE },
  [ASSAY_OVERLAY_SCOPE] = { "scope", "Scope", "Scope", FALSE },
};

static const AssayRole scale_roles[ASSAY_OVERLAY_STEPS] = {
  ASSAY_ROLE_SCALE_1, ASSAY_ROLE_SCALE_2, ASSAY_ROLE_SCALE_3,
  ASSAY_ROLE_SCALE_4, ASSAY_ROLE_SCALE_5,
};

/* Of what a difference is; what is worse stands out more. */
static const AssayRole error_roles[ASSAY_N_DIVERGENCES] = {
  [ASSAY_DIVERGENCE_EXACT] = ASSAY_ROLE_SCALE_1,
  [ASSAY_DIVERGENCE_ROUNDING] = ASSAY_ROLE_SCALE_3,
  [ASSAY_DIVERGENCE_BIASED] = ASSAY_ROLE_GROUP_D,
  [ASSAY_DIVERGENCE_AMPLIFIED] = ASSAY_ROLE_GROUP_C,
  [ASSAY_DIVERGENCE_BEYOND] = ASSAY_ROLE_SCALE_BEYOND,
  [ASSAY_DIVERGENCE_NOT_COMPARED] = ASSAY_ROLE_GROUP_REST,
};

static const AssayRole group_roles[ASSAY_OVERLAY_GROUPS] = {
  ASSAY_ROLE_GROUP_A, ASSAY_ROLE_GROUP_B, ASSAY_ROLE_GROUP_C,
  ASSAY_ROLE_GROUP_D, ASSAY_ROLE_GROUP_E, ASSAY_ROLE_GROUP_REST,
};

/**
 * assay_overlay_kind_name:
 * @kind: a kind
 *
 * Gets the name of a kind as actions use it.
 *
 * Returns: (transfer none): such as `cycles`
 */
const char *
assay_overlay_kind_name (AssayOverlayKind kind)
{
  return kinds[kind].name;
}

/**
 * assay_overlay_kind_word:
 * @kind: a kind
 *
 * Gets the name of a kind for people.
 *
 * Returns: (transfer none): such as `Cycles`
 */
const char *
assay_overlay_kind_word (AssayOverlayKind kind)
{
  return kinds[kind].word;
}

/**
 * assay_overlay_kind_title:
 * @kind: a kind
 *
 * Gets what stands over the legend of a kind: it says of numbers that come from a model that they
 * are predicted.
 *
 * Returns: (transfer none): such as `Predicted cycles`
 */
const char *
assay_overlay_kind_title (AssayOverlayKind kind)
{
  return kinds[kind].title;
}

static AssayOverlay *
overlay_alloc (AssayOverlayKind kind, const char *title, const char *unit, guint32 n)
{
  AssayOverlay *self = g_new0 (AssayOverlay, 1);

  self->kind = kind;
  self->title = g_strdup (title);
  self->unit = g_strdup (unit);
  self->is_scale = kinds[kind].is_scale;
  self->step_of_node = g_new0 (guint8, n + 1);
  self->text_of_node = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_set_size (self->text_of_node, (int) n);
  self->labels = g_ptr_array_new_with_free_func (g_free);

  return self;
}

/* For the legend, with the unit. */
static char *
format_size (const AssayOverlay *self, double value)
{
  if (self->kind == ASSAY_OVERLAY_BYTES)
    return g_format_size_full ((guint64) value, G_FORMAT_SIZE_IEC_UNITS);
  if (self->kind == ASSAY_OVERLAY_CYCLES)
    return g_strdup_printf (value == 1 ? "%.0f cycle" : "%.0f cycles", value);

  return g_strdup_printf ("%.4g%s%s", value, *self->unit != '\0' ? " " : "", self->unit);
}

/* Short, for a box; the legend has the unit. */
static char *
format_short (const AssayOverlay *self, double value)
{
  static const char units[] = { 'K', 'M', 'G', 'T' };
  double base = self->kind == ASSAY_OVERLAY_BYTES ? 1024 : 1000;
  int unit = -1;

  if (self->kind != ASSAY_OVERLAY_BYTES && self->kind != ASSAY_OVERLAY_CYCLES)
    return g_strdup_printf ("%.3g", value);

  for (; value >= 10000 && unit + 1 < (int) G_N_ELEMENTS (units); unit++)
    value /= base;

  return unit < 0 ? g_strdup_printf ("%.0f", value)
                  : g_strdup_printf ("%.0f%c", value, units[unit]);
}

/**
 * assay_overlay_dup_share:
 * @share: an error as a part of its limit, at least 0
 *
 * Writes it so short that the title of a box keeps its place beside it.
 *
 * Returns: (transfer full): such as `0.17`
 */
char *
assay_overlay_dup_share (double share)
{
  if (!isfinite (share))
    return g_strdup ("∞");
  if (share > 0 && share < 0.005)
    return g_strdup ("<0.01");

  return g_strdup_printf (share > 0 && share < 0.095 ? "%.2f" : "%.2g", share);
}

/* Where each of the five steps begins: of equal ratio where sizes differ by much and none is below
 * 0, else of equal width. Whole numbers begin at whole numbers. */
static gboolean
find_limits (const AssayOverlay *self, const double *values, guint32 n,
             double limits[ASSAY_OVERLAY_STEPS])
{
  double least = INFINITY;
  double most = -INFINITY;
  gboolean whole = TRUE;

  for (guint32 i = 1; i < n; i++)
    if (isfinite (values[i]))
      {
        /* What is exact, or takes nothing, has no place on a scale of ratios; it is told by its
         * number. */
        if (values[i] != 0)
          least = MIN (least, values[i]);
        most = MAX (most, values[i]);
        whole = whole && floor (values[i]) == values[i];
      }
  if (!isfinite (least) || !isfinite (most))
    return FALSE;

  for (guint s = 0; s < ASSAY_OVERLAY_STEPS; s++)
    {
      limits[s] = least > 0 ? least * pow (most / least, (double) s / ASSAY_OVERLAY_STEPS)
                            : least + (most - least) * s / ASSAY_OVERLAY_STEPS;
      if (whole && s > 0)
        limits[s] = MIN (ceil (limits[s]), most);
    }

  return TRUE;
}

/* Labels the steps; those that would read the same are one. Returns how many are left, their limits
 * first. */
static guint
add_rows (AssayOverlay *self, double limits[ASSAY_OVERLAY_STEPS])
{
  for (guint s = 0; s < ASSAY_OVERLAY_STEPS; s++)
    {
      g_autofree char *limit = format_size (self, limits[s]);
      g_autofree char *label = g_strdup_printf ("from %s", limit);
      guint row = self->labels->len;

      if (row > 0 && g_str_equal (g_ptr_array_index (self->labels, row - 1), label))
        continue;
      limits[row] = limits[s];
      g_ptr_array_add (self->labels, g_steal_pointer (&label));
    }

  return self->labels->len;
}

static void
make_scale (AssayOverlay *self, const double *values, guint32 n)
{
  double limits[ASSAY_OVERLAY_STEPS];
  guint n_rows;

  self->value_of_node = g_memdup2 (values, n * sizeof *values);
  if (!find_limits (self, values, n, limits))
    {
      for (guint32 i = 1; i < n; i++)
        if (isfinite (values[i]))
          g_ptr_array_index (self->text_of_node, i) = format_short (self, values[i]);
      return;
    }

  n_rows = add_rows (self, limits);
  for (guint32 i = 1; i < n; i++)
    {
      if (!isfinite (values[i]))
        continue;
      g_ptr_array_index (self->text_of_node, i) = format_short (self, values[i]);
      for (guint s = 0; s < n_rows; s++)
        if (values[i] >= limits[s])
          self->step_of_node[i] = (guint8) (s + 1);
    }
}

typedef struct
{
  const char *name;
  guint32 count;
  guint32 first;
} Group;

static int
compare_groups (gconstpointer a, gconstpointer b)
{
  const Group *ga = a;
  const Group *gb = b;

  if (ga->count != gb->count)
    return ga->count > gb->count ? -1 : 1;

  return ga->first < gb->first ? -1 : 1;
}

/* The largest groups have a colour and a letter each, the rest share one. */
static void
make_groups (AssayOverlay *self, const char *const *names, guint32 n)
{
  g_autoptr (GArray) groups = g_array_new (FALSE, FALSE, sizeof (Group));
  g_autoptr (GHashTable) index = g_hash_table_new (g_str_hash, g_str_equal);
  gpointer found;

  for (guint32 i = 1; i < n; i++)
    {
      Group group = { names[i], 1, i };

      if (names[i] == NULL)
        continue;
      if (g_hash_table_lookup_extended (index, names[i], NULL, &found))
        g_array_index (groups, Group, GPOINTER_TO_UINT (found)).count++;
      else
        {
          g_hash_table_insert (index, (gpointer) names[i], GUINT_TO_POINTER (groups->len));
          g_array_append_val (groups, group);
        }
    }

  g_array_sort (groups, compare_groups);
  g_hash_table_remove_all (index);
  for (guint g = 0; g < groups->len; g++)
    {
      guint step = MIN (g, ASSAY_OVERLAY_GROUPS - 1);

      g_hash_table_insert (index, (gpointer) g_array_index (groups, Group, g).name,
                           GUINT_TO_POINTER (step + 1));
      if (g < ASSAY_OVERLAY_GROUPS - 1 || groups->len == ASSAY_OVERLAY_GROUPS)
        g_ptr_array_add (self->labels, g_strdup_printf ("%c  %s", 'A' + (int) step,
                                                        g_array_index (groups, Group, g).name));
      else if (g == ASSAY_OVERLAY_GROUPS - 1)
        g_ptr_array_add (self->labels,
                         g_strdup_printf ("%c  %u others", 'A' + (int) step, groups->len - g));
    }
  for (guint32 i = 1; i < n; i++)
    if (names[i] != NULL)
      {
        guint step = GPOINTER_TO_UINT (g_hash_table_lookup (index, names[i]));

        self->step_of_node[i] = (guint8) step;
        g_ptr_array_index (self->text_of_node, i) = g_strdup_printf ("%c", 'A' + (int) step - 1);
      }
}

static void
find_engines (const AssayVerdicts *verdicts, const char **names)
{
  for (guint32 i = 1; i < assay_graph_n_nodes (verdicts->graph); i++)
    names[i] = g_array_index (verdicts->verdicts, AssayVerdict, i).engine;
}

/* The outermost part of a path by which nodes differ; what all share says nothing. */
static void
find_scopes (const AssayVerdicts *verdicts, GStringChunk *strings, const char **names)
{
  const AssayGraph *graph = verdicts->graph;
  guint32 n = assay_graph_n_nodes (graph);
  gsize common = G_MAXSIZE;
  const char *first = NULL;

  for (guint32 i = 1; i < n; i++)
    {
      const char *path = g_array_index (graph->scopes, const char *,
                                        assay_graph_node (graph, i)->scope);
      gsize same = 0;

      if (*path == '\0')
        continue;
      if (first == NULL)
        first = path;
      for (gsize k = 0; path[k] != '\0' && path[k] == first[k]; k++)
        if (path[k] == '/')
          same = k + 1;
      if (g_str_equal (path, first))
        same = strlen (first) + 1;
      common = MIN (common, same);
    }

  for (guint32 i = 1; i < n && first != NULL; i++)
    {
      const char *path = g_array_index (graph->scopes, const char *,
                                        assay_graph_node (graph, i)->scope);
      const char *end = strlen (path) > common ? strchr (path + common, '/') : NULL;

      if (*path != '\0')
        names[i] = g_string_chunk_insert_len (strings, path, end != NULL ? end - path : -1);
    }
}

static void
find_bytes (const AssayVerdicts *verdicts, double *values)
{
  for (guint32 i = 1; i < assay_graph_n_nodes (verdicts->graph); i++)
    {
      const AssayNode *node = assay_graph_node (verdicts->graph, i);
      double sum = 0;

      for (guint k = 0; k < node->n_outputs; k++)
        {
          const AssayType *type = assay_graph_value (verdicts->graph, node->outputs[k])->type;
          gsize n;

          if (node->outputs[k] != ASSAY_NO_VALUE && assay_type_count (type, &n))
            sum += (double) n * assay_dtype_bits (type->dtype) / 8;
        }
      if (sum > 0)
        values[i] = sum;
    }
}

/* Programs and comparisons know nodes by name. */
static GHashTable *
index_names (const AssayVerdicts *verdicts)
{
  GHashTable *by_name = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint32 i = assay_graph_n_nodes (verdicts->graph); i-- > 1;)
    g_hash_table_insert (by_name, (gpointer) assay_graph_node (verdicts->graph, i)->name,
                         GUINT_TO_POINTER (i));

  return by_name;
}

/**
 * assay_overlay_find_nodes:
 * @verdicts: a checked graph
 * @program: its program
 *
 * Finds the nodes of a program in its graph.
 *
 * Returns: (transfer full) (array): per node of the program that of the graph, 0 for none
 */
guint32 *
assay_overlay_find_nodes (const AssayVerdicts *verdicts, AssayProgram *program)
{
  guint32 *nodes = g_new0 (guint32, assay_program_get_facts (program)->node_names->len + 1);
  g_autoptr (GHashTable) by_name = index_names (verdicts);

  for (guint i = 0; i < assay_program_get_facts (program)->node_names->len; i++)
    {
      const char *name = assay_program_get_node_name (program, i);

      if (name != NULL && *name != '\0')
        nodes[i] = GPOINTER_TO_UINT (g_hash_table_lookup (by_name, name));
    }

  return nodes;
}

/* What a node does to a difference, and how much of its limit its own error takes: of what it makes
 * the worst. Where only the whole error is known, that says nothing of the node. */
static void
make_errors (AssayOverlay *self, const AssayVerdicts *verdicts, const AssayComparison *comparison)
{
  g_autoptr (GHashTable) by_name = index_names (verdicts);

  for (AssayDivergence i = 0; i < ASSAY_N_DIVERGENCES; i++)
    g_ptr_array_add (self->labels, g_strdup (assay_divergence_name (i)));
  for (guint i = 0; i < comparison->rows->len; i++)
    {
      const AssayComparisonRow *row = assay_comparison_row (comparison, i);
      AssayDivergence divergence = assay_comparison_row_divergence (row);
      guint32 node = row->node_name != NULL
                         ? GPOINTER_TO_UINT (g_hash_table_lookup (by_name, row->node_name))
                         : 0;
      double share = assay_comparison_row_share (row);

      if (node == 0 || (!row->has_own && divergence != ASSAY_DIVERGENCE_NOT_COMPARED) ||
          self->step_of_node[node] > divergence + 1)
        continue;
      self->step_of_node[node] = (guint8) (divergence + 1);
      g_free (g_ptr_array_index (self->text_of_node, node));
      g_ptr_array_index (self->text_of_node, node) = divergence == ASSAY_DIVERGENCE_NOT_COMPARED
                                                         ? g_strdup ("?")
                                                         : assay_overlay_dup_share (share);
    }
}

/* Cycles in which any unit works for a node, and the core that has most of them. */
static void
find_cycles (const AssayVerdicts *verdicts, AssayProgram *program, GStringChunk *strings,
             double *values, const char **names)
{
  guint32 n = assay_graph_n_nodes (verdicts->graph);
  g_autofree guint32 *nodes = assay_overlay_find_nodes (verdicts, program);
  guint n_cores = 1;
  g_autofree double *on_core = NULL;
  g_autofree double *most = g_new0 (double, n + 1);
  g_autoptr (GArray) events = g_array_new (FALSE, FALSE, sizeof (AssayEvent));
  AssayCycles cycles;

  assay_program_count_cycles (program, 0, NULL, &cycles, events);
  for (guint i = 0; i < events->len; i++)
    n_cores = MAX (n_cores, g_array_index (events, AssayEvent, i).core + 1u);
  on_core = g_new0 (double, (gsize) n *n_cores);
  for (guint i = 0; i < events->len; i++)
    {
      const AssayEvent *event = &g_array_index (events, AssayEvent, i);
      const AssayProgramRow instruction = assay_program_get_row (program, event->instruction);
      guint32 node = instruction.node < assay_program_get_facts (program)->node_names->len
                         ? nodes[instruction.node]
                         : 0;
      double *share = &on_core[(gsize) node * n_cores + event->core];

      if (node == 0)
        continue;
      values[node] = (isnan (values[node]) ? 0 : values[node]) + (event->end - event->start);
      *share += event->end - event->start;
      if (*share > most[node])
        {
          g_autofree char *name = g_strdup_printf ("core %u", event->core);

          most[node] = *share;
          names[node] = g_string_chunk_insert_const (strings, name);
        }
    }
}

/* Asked often, so it stops at the first node that has one. */
static gboolean
has_engines (const AssayVerdicts *verdicts)
{
  for (guint32 i = 1; i < assay_graph_n_nodes (verdicts->graph); i++)
    if (g_array_index (verdicts->verdicts, AssayVerdict, i).engine != NULL)
      return TRUE;

  return FALSE;
}

static gboolean
has_scopes (const AssayGraph *graph)
{
  for (guint32 i = 1; i < assay_graph_n_nodes (graph); i++)
    if (*g_array_index (graph->scopes, const char *, assay_graph_node (graph, i)->scope) != '\0')
      return TRUE;

  return FALSE;
}

/**
 * assay_overlay_get_missing:
 * @kind: what to show
 * @source: what is known
 *
 * Tells why a graph cannot be coloured by something.
 *
 * Returns: (transfer none) (nullable): what has to be done first, %NULL if it can
 */
const char *
assay_overlay_get_missing (AssayOverlayKind kind, const AssayOverlaySource *source)
{
  switch (kind)
    {
    case ASSAY_OVERLAY_ENGINE:
      return has_engines (source->verdicts) ? NULL : "The target names no engines";

    case ASSAY_OVERLAY_SCOPE:
      return has_scopes (source->verdicts->graph) ? NULL : "The model has no named scopes";

    case ASSAY_OVERLAY_CORE:
      if (source->program != NULL &&
          assay_program_get_facts (source->program)->config->num_cores == 1)
        return "There is one core";
      return source->program != NULL ? NULL : "Compile the model first";

    case ASSAY_OVERLAY_CYCLES:
      return source->program != NULL ? NULL : "Compile the model first";

    case ASSAY_OVERLAY_ERROR:
      return source->comparison != NULL ? NULL : "Compare two runs first";

    case ASSAY_OVERLAY_FILE:
      return "Open an overlay file first";

    case ASSAY_OVERLAY_VERDICT:
    case ASSAY_OVERLAY_BYTES:
    case ASSAY_N_OVERLAYS:
    default:
      return NULL;
    }
}

/**
 * assay_overlay_new:
 * @kind: what to show, none from outside
 * @source: what is known
 *
 * Finds out what the bodies of nodes are coloured by.
 *
 * Returns: (transfer full) (nullable): the overlay, %NULL if there is nothing to show
 */
AssayOverlay *
assay_overlay_new (AssayOverlayKind kind, const AssayOverlaySource *source)
{
  const AssayVerdicts *verdicts = source->verdicts;
  guint32 n = assay_graph_n_nodes (verdicts->graph);
  g_autofree const char **names = g_new0 (const char *, n + 1);
  g_autofree double *values = g_new (double, n + 1);
  g_autoptr (GStringChunk) strings = g_string_chunk_new (256);
  AssayOverlay *self;

  if (kind == ASSAY_OVERLAY_VERDICT || assay_overlay_get_missing (kind, source) != NULL)
    return NULL;

  for (guint32 i = 0; i <= n; i++)
    values[i] = NAN;
  self = overlay_alloc (kind, kinds[kind].title, "", n);
  if (kind == ASSAY_OVERLAY_ERROR)
    {
      make_errors (self, verdicts, source->comparison);
      return self;
    }
  if (kind == ASSAY_OVERLAY_CORE || kind == ASSAY_OVERLAY_CYCLES)
    find_cycles (verdicts, source->program, strings, values, names);
  else if (kind == ASSAY_OVERLAY_BYTES)
    find_bytes (verdicts, values);
  else if (kind == ASSAY_OVERLAY_ENGINE)
    find_engines (verdicts, names);
  else
    find_scopes (verdicts, strings, names);

  if (self->is_scale)
    make_scale (self, values, n);
  else
    make_groups (self, names, n);

  return self;
}

/**
 * assay_overlay_new_values:
 * @title: what stands over the legend
 * @unit: what is counted, "" for nothing
 * @values: (array length=n): a number per node, NAN for none
 * @n: number of nodes, the unused 0 included
 *
 * Makes a scale of numbers from outside.
 *
 * Returns: (transfer full): the overlay
 */
AssayOverlay *
assay_overlay_new_values (const char *title, const char *unit, const double *values, guint32 n)
{
  AssayOverlay *self = overlay_alloc (ASSAY_OVERLAY_FILE, title, unit, n);

  self->is_scale = TRUE;
  make_scale (self, values, n);

  return self;
}

/**
 * assay_overlay_new_groups:
 * @title: what stands over the legend
 * @names: (array length=n): a word per node, or %NULL
 * @n: number of nodes, the unused 0 included
 *
 * Makes groups of words from outside.
 *
 * Returns: (transfer full): the overlay
 */
AssayOverlay *
assay_overlay_new_groups (const char *title, const char *const *names, guint32 n)
{
  AssayOverlay *self = overlay_alloc (ASSAY_OVERLAY_FILE, title, "", n);

  make_groups (self, names, n);

  return self;
}

/**
 * assay_overlay_has_sums:
 * @self: an overlay
 *
 * Tells whether what it shows of nodes can be added up.
 *
 * Returns: whether it can: cycles and bytes
 */
gboolean
assay_overlay_has_sums (const AssayOverlay *self)
{
  return self->value_of_node != NULL &&
         (self->kind == ASSAY_OVERLAY_CYCLES || self->kind == ASSAY_OVERLAY_BYTES);
}

/**
 * assay_overlay_format_sum:
 * @self: an overlay
 * @sum: what some of its nodes have together
 *
 * Writes a sum with its unit; cycles are called predicted.
 *
 * Returns: (transfer full): such as `1200 cycles, predicted`
 */
char *
assay_overlay_format_sum (const AssayOverlay *self, double sum)
{
  g_autofree char *size = format_size (self, sum);

  return g_strdup_printf (self->kind == ASSAY_OVERLAY_CYCLES ? "%s, predicted" : "%s of results",
                          size);
}

/**
 * assay_overlay_describe:
 * @self: an overlay
 * @node: a node of its graph
 *
 * Says what it shows of a node, as a narrow box may not have room for it.
 *
 * Returns: (transfer full) (nullable): such as `Predicted cycles: 1200 cycles`, %NULL if nothing
 */
char *
assay_overlay_describe (const AssayOverlay *self, guint32 node)
{
  const char *text = node < self->text_of_node->len ? g_ptr_array_index (self->text_of_node, node)
                                                    : NULL;
  g_autofree char *size = NULL;

  if (text == NULL)
    return NULL;

  if (self->value_of_node != NULL)
    size = format_size (self, self->value_of_node[node]);
  else if (self->kind == ASSAY_OVERLAY_ERROR)
    size = g_strdup (text);
  else
    /* Behind the letter of the group. */
    size = g_strdup (
        (const char *) g_ptr_array_index (self->labels, self->step_of_node[node] - 1u) + 3);

  return g_strdup_printf ("%s: %s", self->title, size);
}

/**
 * assay_overlay_free:
 * @self: (nullable): an overlay
 *
 * Frees an overlay.
 */
void
assay_overlay_free (AssayOverlay *self)
{
  if (self == NULL)
    return;

  g_free (self->title);
  g_free (self->unit);
  g_free (self->step_of_node);
  g_free (self->value_of_node);
  g_ptr_array_unref (self->text_of_node);
  g_ptr_array_unref (self->labels);
  g_free (self);
}

/**
 * assay_overlay_get_role:
 * @self: an overlay
 * @step: a step of it
 *
 * Gets the colour of a step.
 *
 * Returns: the role
 */
AssayRole
assay_overlay_get_role (const AssayOverlay *self, guint step)
{
  if (self->kind == ASSAY_OVERLAY_ERROR)
    return error_roles[MIN (step, ASSAY_N_DIVERGENCES - 1)];

  return self->is_scale ? scale_roles[MIN (step, ASSAY_OVERLAY_STEPS - 1)]
                        : group_roles[MIN (step, ASSAY_OVERLAY_GROUPS - 1)];
}
