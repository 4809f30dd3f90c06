/* assay-overlay.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "draw/assay-overlay.h"

#include <math.h>
#include <string.h>

#include "machine/assay-timing.h"

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
  [ASSAY_OVERLAY_SCOPE] = { "scope", "Scope", "Scope", FALSE },
};

static const AssayRole scale_roles[ASSAY_OVERLAY_STEPS] = {
  ASSAY_ROLE_SCALE_1, ASSAY_ROLE_SCALE_2, ASSAY_ROLE_SCALE_3, ASSAY_ROLE_SCALE_4, ASSAY_ROLE_SCALE_5,
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
 * Gets what stands over the legend of a kind: it says of numbers that come from a model that they are predicted.
 *
 * Returns: (transfer none): such as `Predicted cycles`
 */
const char *
assay_overlay_kind_title (AssayOverlayKind kind)
{
  return kinds[kind].title;
}

static char *
format_size (double           value,
             AssayOverlayKind kind)
{
  if (kind == ASSAY_OVERLAY_BYTES)
    return g_format_size_full ((guint64) value, G_FORMAT_SIZE_IEC_UNITS);

  return g_strdup_printf (value == 1 ? "%.0f cycle" : "%.0f cycles", value);
}

/* Short, for a box; the legend has the unit. */
static char *
format_short (double value)
{
  static const char units[] = { 'K', 'M', 'G', 'T' };
  int unit = -1;

  for (; value >= 10000 && unit + 1 < (int) G_N_ELEMENTS (units); unit++)
    value /= 1024;

  return unit < 0 ? g_strdup_printf ("%.0f", value) : g_strdup_printf ("%.0f%c", value, units[unit]);
}

/* Five steps of equal ratio between the least and the most: sizes of nodes differ by orders of magnitude. */
static void
make_scale (AssayOverlay *self,
            const double *values,
            guint32       n)
{
  double least = INFINITY;
  double most = 0;
  double ratio;

  for (guint32 i = 1; i < n; i++)
    if (values[i] > 0)
      {
        least = MIN (least, values[i]);
        most = MAX (most, values[i]);
      }
  if (most == 0)
    return;

  ratio = MAX (pow (most / least, 1.0 / ASSAY_OVERLAY_STEPS), 1.0000001);
  for (guint32 i = 1; i < n; i++)
    {
      double step = values[i] > 0 ? floor (log (values[i] / least) / log (ratio)) : -1;

      if (step < 0)
        continue;
      self->step_of_node[i] = (guint8) (MIN (step, ASSAY_OVERLAY_STEPS - 1) + 1);
      g_ptr_array_index (self->text_of_node, i) = format_short (values[i]);
    }
  for (guint s = 0; s < ASSAY_OVERLAY_STEPS; s++)
    {
      g_autofree char *limit = format_size (ceil (least * pow (ratio, s)), self->kind);

      g_ptr_array_add (self->labels, g_strdup_printf ("from %s", limit));
    }
}

typedef struct
{
  const char *name;
  guint32 count;
  guint32 first;
} Group;

static int
compare_groups (gconstpointer a,
                gconstpointer b)
{
  const Group *ga = a;
  const Group *gb = b;

  if (ga->count != gb->count)
    return ga->count > gb->count ? -1 : 1;

  return ga->first < gb->first ? -1 : 1;
}

/* The largest groups have a colour and a letter each, the rest share one. */
static void
make_groups (AssayOverlay      *self,
             const char *const *names,
             guint32            n)
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

      g_hash_table_insert (index, (gpointer) g_array_index (groups, Group, g).name, GUINT_TO_POINTER (step + 1));
      if (g < ASSAY_OVERLAY_GROUPS - 1 || groups->len == ASSAY_OVERLAY_GROUPS)
        g_ptr_array_add (self->labels, g_strdup_printf ("%c  %s", 'A' + (int) step,
                                                        g_array_index (groups, Group, g).name));
      else if (g == ASSAY_OVERLAY_GROUPS - 1)
        g_ptr_array_add (self->labels, g_strdup_printf ("%c  %u others", 'A' + (int) step, groups->len - g));
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
find_engines (const AssayVerdicts *verdicts,
              const char         **names)
{
  for (guint32 i = 1; i < assay_graph_n_nodes (verdicts->graph); i++)
    names[i] = g_array_index (verdicts->verdicts, AssayVerdict, i).engine;
}

/* The outermost part of a path by which nodes differ; what all share says nothing. */
static void
find_scopes (const AssayVerdicts *verdicts,
             GStringChunk        *strings,
             const char         **names)
{
  const AssayGraph *graph = verdicts->graph;
  guint32 n = assay_graph_n_nodes (graph);
  gsize common = G_MAXSIZE;
  const char *first = NULL;

  for (guint32 i = 1; i < n; i++)
    {
      const char *path = g_array_index (graph->scopes, const char *, assay_graph_node (graph, i)->scope);
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
      const char *path = g_array_index (graph->scopes, const char *, assay_graph_node (graph, i)->scope);
      const char *end = strlen (path) > common ? strchr (path + common, '/') : NULL;

      if (*path != '\0')
        names[i] = g_string_chunk_insert_len (strings, path, end != NULL ? end - path : -1);
    }
}

static void
find_bytes (const AssayVerdicts *verdicts,
            double              *values)
{
  for (guint32 i = 1; i < assay_graph_n_nodes (verdicts->graph); i++)
    {
      const AssayNode *node = assay_graph_node (verdicts->graph, i);

      for (guint k = 0; k < node->n_outputs; k++)
        {
          const AssayType *type = assay_graph_value (verdicts->graph, node->outputs[k])->type;
          gsize n;

          if (node->outputs[k] != ASSAY_NO_VALUE && assay_type_count (type, &n))
            values[i] += (double) n * assay_dtype_bits (type->dtype) / 8;
        }
    }
}

/* A program knows its nodes by name. */
static guint32 *
find_nodes (const AssayVerdicts *verdicts,
            const AssayCode     *code)
{
  guint32 *nodes = g_new0 (guint32, code->node_names->len + 1);
  g_autoptr (GHashTable) by_name = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint32 i = assay_graph_n_nodes (verdicts->graph); i-- > 1;)
    g_hash_table_insert (by_name, (gpointer) assay_graph_node (verdicts->graph, i)->name, GUINT_TO_POINTER (i));
  for (guint i = 0; i < code->node_names->len; i++)
    {
      const char *name = g_ptr_array_index (code->node_names, i);

      if (name != NULL && *name != '\0')
        nodes[i] = GPOINTER_TO_UINT (g_hash_table_lookup (by_name, name));
    }

  return nodes;
}

/* Cycles in which any unit works for a node, and the core that has most of them. */
static void
find_cycles (const AssayVerdicts *verdicts,
             const AssayCode     *code,
             GStringChunk        *strings,
             double              *values,
             const char         **names)
{
  guint32 n = assay_graph_n_nodes (verdicts->graph);
  g_autofree guint32 *nodes = find_nodes (verdicts, code);
  guint n_cores = 1;
  g_autofree double *on_core = NULL;
  g_autofree double *most = g_new0 (double, n + 1);
  g_autoptr (GArray) events = g_array_new (FALSE, FALSE, sizeof (AssayEvent));
  AssayCycles cycles;

  assay_timing_run (code, 0, &cycles, events);
  for (guint i = 0; i < events->len; i++)
    n_cores = MAX (n_cores, g_array_index (events, AssayEvent, i).core + 1u);
  on_core = g_new0 (double, (gsize) n * n_cores);
  for (guint i = 0; i < events->len; i++)
    {
      const AssayEvent *event = &g_array_index (events, AssayEvent, i);
      const AssayInstruction *instruction = &g_array_index (code->instructions, AssayInstruction, event->instruction);
      guint32 node = instruction->node < code->node_names->len ? nodes[instruction->node] : 0;
      double *share = &on_core[(gsize) node * n_cores + event->core];

      if (node == 0)
        continue;
      values[node] += event->end - event->start;
      *share += event->end - event->start;
      if (*share > most[node])
        {
          g_autofree char *name = g_strdup_printf ("core %u", event->core);

          most[node] = *share;
          names[node] = g_string_chunk_insert_const (strings, name);
        }
    }
}

/**
 * assay_overlay_new:
 * @kind: what to show
 * @verdicts: a checked graph
 * @code: (nullable): its program, which cores and cycles come from
 *
 * Finds out what the bodies of nodes are coloured by.
 *
 * Returns: (transfer full) (nullable): the overlay, %NULL if there is nothing to show
 */
AssayOverlay *
assay_overlay_new (AssayOverlayKind     kind,
                   const AssayVerdicts *verdicts,
                   const AssayCode     *code)
{
  guint32 n = assay_graph_n_nodes (verdicts->graph);
  gboolean of_program = kind == ASSAY_OVERLAY_CORE || kind == ASSAY_OVERLAY_CYCLES;
  g_autofree const char **names = g_new0 (const char *, n + 1);
  g_autofree double *values = g_new0 (double, n + 1);
  g_autoptr (GStringChunk) strings = g_string_chunk_new (256);
  AssayOverlay *self;

  if (kind == ASSAY_OVERLAY_VERDICT || (of_program && code == NULL))
    return NULL;

  self = g_new0 (AssayOverlay, 1);
  self->kind = kind;
  self->is_scale = kinds[kind].is_scale;
  self->step_of_node = g_new0 (guint8, n + 1);
  self->text_of_node = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_set_size (self->text_of_node, (int) n);
  self->labels = g_ptr_array_new_with_free_func (g_free);

  if (of_program)
    find_cycles (verdicts, code, strings, values, names);
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

  g_free (self->step_of_node);
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
assay_overlay_get_role (const AssayOverlay *self,
                        guint               step)
{
  return self->is_scale ? scale_roles[MIN (step, ASSAY_OVERLAY_STEPS - 1)]
                        : group_roles[MIN (step, ASSAY_OVERLAY_GROUPS - 1)];
}

/**
 * assay_overlay_get_title:
 * @self: an overlay
 *
 * Gets what stands over the legend of an overlay.
 *
 * Returns: (transfer none): the title
 */
const char *
assay_overlay_get_title (const AssayOverlay *self)
{
  return kinds[self->kind].title;
}
