/* assay-finding-item.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session/list/assay-finding-item.h"

#include "base/assay-sentence.h"

/* Between the least and the greatest of numbers. */
#define RANGE " to "

struct _AssayFindingItem
{
  GObject parent_instance;
  AssayFindingGroup group;
  char *title;
  char *folded; /* what tells it from others that begin like it; NULL if nothing does */
  char *subtitle;
  char *full_subtitle; /* with the number of fixes */
  char *accepted;      /* why, NULL if it is not */
  int n_fixes;         /* -1 as long as nobody has looked */
  char *rule;
  GArray *nodes;
};

enum
{
  PROP_0,
  PROP_SUBTITLE,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AssayFindingItem, assay_finding_item, G_TYPE_OBJECT)

static const char *const group_titles[ASSAY_N_FINDING_GROUPS] = {
  [ASSAY_FINDING_GROUP_REJECTED] = "Rejected",
  [ASSAY_FINDING_GROUP_HOST] = "Host",
  [ASSAY_FINDING_GROUP_UNDECIDED] = "Undecided",
  [ASSAY_FINDING_GROUP_ADVICE] = "Advice",
};

static void
assay_finding_item_finalize (GObject *object)
{
  AssayFindingItem *self = ASSAY_FINDING_ITEM (object);

  g_free (self->title);
  g_free (self->folded);
  g_free (self->subtitle);
  g_free (self->full_subtitle);
  g_free (self->accepted);
  g_free (self->rule);
  g_array_unref (self->nodes);

  G_OBJECT_CLASS (assay_finding_item_parent_class)->finalize (object);
}

static void
assay_finding_item_get_property (GObject *object, guint prop_id, GValue *value, GParamSpec *pspec)
{
  switch (prop_id)
    {
    case PROP_SUBTITLE:
      g_value_set_string (value, assay_finding_item_get_subtitle (ASSAY_FINDING_ITEM (object)));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
assay_finding_item_class_init (AssayFindingItemClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = assay_finding_item_finalize;
  object_class->get_property = assay_finding_item_get_property;

  properties[PROP_SUBTITLE] = g_param_spec_string ("subtitle", NULL, NULL, NULL,
                                                   G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
assay_finding_item_init (AssayFindingItem *self)
{
  self->nodes = g_array_new (FALSE, FALSE, sizeof (AssayNodeId));
  self->n_fixes = -1;
}

static AssayFindingItem *
item_new (AssayFindingGroup group, const char *title, const char *rule)
{
  AssayFindingItem *self = g_object_new (ASSAY_TYPE_FINDING_ITEM, NULL);

  self->group = group;
  self->title = assay_sentence_dup_shown (title);
  self->rule = g_strdup (rule);
  return self;
}

/**
 * assay_finding_item_get_group:
 * @self: a row
 *
 * Gets the group a row stands in.
 *
 * Returns: the group
 */
AssayFindingGroup
assay_finding_item_get_group (AssayFindingItem *self)
{
  return self->group;
}

/**
 * assay_finding_item_get_title:
 * @self: a row
 *
 * Gets the cause in words.
 *
 * Returns: (transfer none): the first line
 */
const char *
assay_finding_item_get_title (AssayFindingItem *self)
{
  return self->title;
}

/**
 * assay_finding_item_get_folded:
 * @self: a row
 *
 * Gets the cause as it stands in one line, of which the end may be cut: where others begin like it,
 * what it is about comes first.
 *
 * Returns: (transfer none): the line
 */
const char *
assay_finding_item_get_folded (AssayFindingItem *self)
{
  return self->folded != NULL ? self->folded : self->title;
}

/**
 * assay_finding_item_get_subtitle:
 * @self: a row
 *
 * Gets operator, number of nodes and, once somebody has looked, of fixes; or the place in the file.
 *
 * Returns: (transfer none): the second line
 */
const char *
assay_finding_item_get_subtitle (AssayFindingItem *self)
{
  return self->full_subtitle != NULL ? self->full_subtitle : self->subtitle;
}

/**
 * assay_finding_item_get_n_fixes:
 * @self: a row
 *
 * Gets how many fixes are known.
 *
 * Returns: their number, or -1 as long as nobody has looked
 */
int
assay_finding_item_get_n_fixes (AssayFindingItem *self)
{
  return self->n_fixes;
}

/**
 * assay_finding_item_get_accepted:
 * @self: a row
 *
 * Gets why somebody accepts what was found.
 *
 * Returns: (transfer none) (nullable): the reason, %NULL if nobody does
 */
const char *
assay_finding_item_get_accepted (AssayFindingItem *self)
{
  return self->accepted;
}

/**
 * assay_finding_item_set_accepted:
 * @self: a row
 * @reason: (nullable): why it is accepted
 *
 * Says that what was found is accepted: the second line has the reason instead of fixes.
 */
void
assay_finding_item_set_accepted (AssayFindingItem *self, const char *reason)
{
  g_return_if_fail (ASSAY_IS_FINDING_ITEM (self));

  if (g_strcmp0 (self->accepted, reason) == 0)
    return;

  g_free (self->accepted);
  self->accepted = g_strdup (reason);
  g_free (self->full_subtitle);
  self->full_subtitle = reason != NULL
                            ? g_strdup_printf ("Accepted: %s. %s", reason, self->subtitle)
                            : NULL;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SUBTITLE]);
}

/**
 * assay_finding_item_set_n_fixes:
 * @self: a row
 * @n_fixes: their number
 *
 * Sets how many fixes are known.
 */
void
assay_finding_item_set_n_fixes (AssayFindingItem *self, int n_fixes)
{
  g_return_if_fail (ASSAY_IS_FINDING_ITEM (self));

  if (self->n_fixes == n_fixes)
    return;

  self->n_fixes = n_fixes;
  if (self->accepted != NULL)
    return;
  g_free (self->full_subtitle);
  self->full_subtitle = n_fixes < 0    ? NULL
                        : n_fixes == 0 ? g_strdup_printf ("%s, no fix", self->subtitle)
                                       : g_strdup_printf ("%s, %d %s", self->subtitle, n_fixes,
                                                          n_fixes == 1 ? "fix" : "fixes");
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SUBTITLE]);
}

/**
 * assay_finding_item_get_rule:
 * @self: a row
 *
 * Gets the rule behind a row.
 *
 * Returns: (transfer none) (nullable): id of the rule
 */
const char *
assay_finding_item_get_rule (AssayFindingItem *self)
{
  return self->rule;
}

/**
 * assay_finding_item_get_nodes:
 * @self: a row
 *
 * Gets the nodes that the cause applies to.
 *
 * Returns: (transfer none) (element-type guint32): the nodes, in program order, maybe none
 */
GArray *
assay_finding_item_get_nodes (AssayFindingItem *self)
{
  return self->nodes;
}

/**
 * assay_finding_group_title:
 * @group: a group
 *
 * Gets the heading of a group.
 *
 * Returns: (transfer none): the heading
 */
const char *
assay_finding_group_title (AssayFindingGroup group)
{
  g_return_val_if_fail (group < ASSAY_N_FINDING_GROUPS, NULL);

  return group_titles[group];
}

static void
describe_nodes (AssayFindingItem *item, const AssayGraph *graph)
{
  const char *op_type = NULL;
  gboolean mixed = FALSE;

  for (guint i = 0; i < item->nodes->len; i++)
    {
      const AssayNode *node = assay_graph_node (graph, g_array_index (item->nodes, AssayNodeId, i));

      mixed = mixed || (op_type != NULL && !g_str_equal (op_type, node->op_type));
      if (op_type == NULL)
        op_type = node->op_type;
    }

  if (item->nodes->len == 1)
    item->subtitle = g_strdup_printf ("%s, 1 node", op_type);
  else if (mixed)
    item->subtitle = g_strdup_printf ("%s and others, %u node%s", op_type, item->nodes->len,
                                      assay_plural (item->nodes->len));
  else
    item->subtitle = g_strdup_printf ("%s, %u node%s", op_type, item->nodes->len,
                                      assay_plural (item->nodes->len));
}

static void
add_causes (GPtrArray *items, AssayVerdicts *verdicts)
{
  static const AssayVerdictKind kinds[] = { ASSAY_VERDICT_REJECTED, ASSAY_VERDICT_HOST,
                                            ASSAY_VERDICT_UNDECIDED };

  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    for (guint i = 0; i < verdicts->causes->len; i++)
      {
        const AssayCause *cause = &g_array_index (verdicts->causes, AssayCause, i);
        AssayFindingItem *item;

        if (cause->kind != kinds[k] || cause->nodes->len == 0)
          continue;

        item = item_new ((AssayFindingGroup) k, cause->reason, cause->rule);
        g_array_append_vals (item->nodes, cause->nodes->data, cause->nodes->len);
        describe_nodes (item, verdicts->graph);
        g_ptr_array_add (items, item);
      }
}

/* A note begins with the stage that makes it, which is no part of the sentence. */
static const char *
sentence_of (const char *note, gboolean *has_figures)
{
  const char *colon = strstr (note, ": ");

  *has_figures = FALSE;
  for (guint stage = 0; colon != NULL && stage < ASSAY_N_STAGES; stage++)
    {
      const char *name = assay_stage_name ((AssayStage) stage);

      if (strlen (name) != (gsize) (colon - note) || !g_str_has_prefix (note, name))
        continue;
      *has_figures = stage == ASSAY_STAGE_CAPACITY;
      return colon + 2;
    }

  return note;
}

/* The end of a number in a sentence, @text itself if it does not begin with one. */
static const char *
number_end (const char *text)
{
  char *end = (char *) text;

  if (g_ascii_isdigit (*text))
    g_ascii_strtod (text, &end);

  return end;
}

/* What sentences have in common that tell a figure of each node. */
static char *
pattern_of (const char *text)
{
  GString *pattern = g_string_new ("");

  while (*text != '\0')
    {
      const char *end = number_end (text);

      g_string_append_c (pattern, end > text ? '#' : *text);
      text = end > text ? end : text + 1;
    }

  return g_string_free (pattern, FALSE);
}

/* Two sentences of one pattern as one, with the least and the greatest of each number; @from may be
 * such a one already. */
static char *
spread (const char *from, const char *text)
{
  GString *result = g_string_new ("");

  while (*from != '\0')
    {
      const char *least_end = number_end (from), *greatest = from, *end = number_end (text);
      const char *greatest_end = least_end, *least = from;

      if (least_end == from)
        {
          g_string_append_c (result, *from++);
          text++;
          continue;
        }
      from = least_end;
      if (g_str_has_prefix (from, RANGE) &&
          number_end (from + strlen (RANGE)) > from + strlen (RANGE))
        {
          greatest = from + strlen (RANGE);
          greatest_end = from = number_end (greatest);
        }
      if (g_ascii_strtod (text, NULL) < g_ascii_strtod (least, NULL))
        {
          least = text;
          least_end = end;
        }
      if (g_ascii_strtod (text, NULL) > g_ascii_strtod (greatest, NULL))
        {
          greatest = text;
          greatest_end = end;
        }
      g_string_append_len (result, least, least_end - least);
      if (greatest_end - greatest != least_end - least ||
          strncmp (least, greatest, (gsize) (least_end - least)) != 0)
        {
          g_string_append (result, RANGE);
          g_string_append_len (result, greatest, greatest_end - greatest);
        }
      text = end;
    }

  return g_string_free (result, FALSE);
}

/* Notes do not change a verdict, so their nodes may be green: without a row nobody would meet them.
 * Figures that each node has of its own are one row. */
static void
add_notes (GPtrArray *items, AssayVerdicts *verdicts)
{
  g_autoptr (GHashTable) by_text = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  /* As they were written: figures that are shown have their digits in groups. */
  g_autoptr (GHashTable) written = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  guint first = items->len;

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (verdicts->graph); id++)
    {
      const AssayVerdict *verdict = assay_verdicts_get (verdicts, id);

      for (guint i = 0; verdict != NULL && verdict->notes != NULL && verdict->notes[i] != NULL; i++)
        {
          gboolean has_figures;
          const char *text = sentence_of (verdict->notes[i], &has_figures);
          g_autofree char *key = has_figures ? pattern_of (text) : g_strdup (verdict->notes[i]);
          AssayFindingItem *item = g_hash_table_lookup (by_text, key);

          if (item == NULL)
            {
              item = item_new (ASSAY_FINDING_GROUP_ADVICE, text, verdict->rule);
              g_hash_table_insert (by_text, g_steal_pointer (&key), item);
              g_hash_table_insert (written, item, g_strdup (text));
              g_ptr_array_add (items, item);
            }
          else if (has_figures)
            {
              char *both = spread (g_hash_table_lookup (written, item), text);

              g_hash_table_insert (written, item, both);
              g_free (item->title);
              item->title = assay_sentence_dup_shown (both);
            }
          g_array_append_val (item->nodes, id);
        }
    }

  for (guint i = first; i < items->len; i++)
    describe_nodes (g_ptr_array_index (items, i), verdicts->graph);
}

static GHashTable *
index_names (const AssayGraph *graph)
{
  GHashTable *by_name = g_hash_table_new (g_str_hash, g_str_equal);

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      const AssayNode *node = assay_graph_node (graph, id);

      g_hash_table_insert (by_name, (gpointer) node->name, GUINT_TO_POINTER (id));
      for (guint i = 0; i < node->n_origins; i++)
        {
          const AssayOrigin *origin = &g_array_index (graph->origins, AssayOrigin,
                                                      node->origins[i]);

          if (*origin->name != '\0')
            g_hash_table_insert (by_name, (gpointer) origin->name, GUINT_TO_POINTER (id));
        }
    }

  return by_name;
}

static void
add_import_findings (GPtrArray *items, const AssayGraph *graph, AssayFindings *findings)
{
  g_autoptr (GHashTable) by_rule = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) counts = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) by_name = NULL;

  if (assay_findings_get_count (findings) > 0)
    by_name = index_names (graph);

  for (int severity = ASSAY_SEVERITY_ERROR; severity >= ASSAY_SEVERITY_NOTE; severity--)
    for (guint i = 0; i < assay_findings_get_count (findings); i++)
      {
        const AssayFinding *finding = assay_findings_get (findings, i);
        const char *key = finding->rule != NULL ? finding->rule : finding->message;
        AssayFindingItem *item;
        AssayNodeId node = ASSAY_NO_NODE;
        guint n;

        if (finding->severity != (AssaySeverity) severity)
          continue;

        item = g_hash_table_lookup (by_rule, key);
        if (item == NULL)
          {
            g_autofree char *sentence = assay_sentence_new (finding->message);

            item = item_new (ASSAY_FINDING_GROUP_ADVICE, sentence, finding->rule);
            item->subtitle = g_strdup (finding->graph_path != NULL ? finding->graph_path
                                                                   : "The model file");
            g_hash_table_insert (by_rule, (gpointer) key, item);
            g_ptr_array_add (items, item);
          }

        n = GPOINTER_TO_UINT (g_hash_table_lookup (counts, item)) + 1;
        g_hash_table_insert (counts, item, GUINT_TO_POINTER (n));
        if (finding->node != NULL)
          node = GPOINTER_TO_UINT (g_hash_table_lookup (by_name, finding->node));
        if (node != ASSAY_NO_NODE)
          g_array_append_val (item->nodes, node);
      }

  for (guint i = 0; i < items->len; i++)
    {
      AssayFindingItem *item = g_ptr_array_index (items, i);
      guint n = GPOINTER_TO_UINT (g_hash_table_lookup (counts, item));

      if (n > 1)
        {
          g_autofree char *place = g_steal_pointer (&item->subtitle);
          item->subtitle = g_strdup_printf ("%s and %u more", place, n - 1);
        }
    }
}

/* The operator of the first node, or its name. */
static const char *
get_subject (AssayFindingItem *item, const AssayGraph *graph, gboolean named)
{
  const AssayNode *node = item->nodes->len == 0
                              ? NULL
                              : assay_graph_node (graph,
                                                  g_array_index (item->nodes, AssayNodeId, 0));

  return node == NULL ? "" : named ? node->name : node->op_type;
}

static char *
line_start (AssayFindingItem *item)
{
  g_autofree char *start = g_utf8_substring (
      assay_finding_item_get_folded (item), 0,
      MIN (g_utf8_strlen (assay_finding_item_get_folded (item), -1), ASSAY_FINDING_FOLDED));

  return g_strdup_printf ("%d %s", (int) item->group, start);
}

/* Of lines that begin alike, each begins with its operator; where that is one, with a node. */
static void
tell_apart (GPtrArray *items, const AssayGraph *graph)
{
  for (guint named = 0; named < 2; named++)
    {
      g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

      for (guint i = 0; i < items->len; i++)
        {
          char *start = line_start (g_ptr_array_index (items, i));
          guint n = GPOINTER_TO_UINT (g_hash_table_lookup (seen, start));

          g_hash_table_insert (seen, start, GUINT_TO_POINTER (n + 1));
        }
      for (guint i = 0; i < items->len; i++)
        {
          AssayFindingItem *item = g_ptr_array_index (items, i);
          g_autofree char *start = line_start (item);
          const char *subject = get_subject (item, graph, named > 0);

          if (*subject == '\0' || GPOINTER_TO_UINT (g_hash_table_lookup (seen, start)) < 2)
            continue;
          g_free (item->folded);
          item->folded = g_strdup_printf ("%s: %s", subject, item->title);
        }
    }
}

/**
 * assay_finding_items_new:
 * @verdicts: a checked graph
 * @findings: what the importer found
 *
 * Makes the rows of the findings list: causes by group and weight, then advice. May run in a
 * worker.
 *
 * Returns: (transfer full) (element-type AssayFindingItem): the rows
 */
GPtrArray *
assay_finding_items_new (AssayVerdicts *verdicts, AssayFindings *findings)
{
  GPtrArray *items = g_ptr_array_new_with_free_func (g_object_unref);

  add_causes (items, verdicts);
  add_import_findings (items, verdicts->graph, findings);
  add_notes (items, verdicts);
  tell_apart (items, verdicts->graph);

  return items;
}

/**
 * assay_finding_item_is_same:
 * @self: a finding
 * @other: a finding of another check
 *
 * Tells whether two checks found the same: what they say and the rule that says it.
 *
 * Returns: whether they did
 */
gboolean
assay_finding_item_is_same (AssayFindingItem *self, AssayFindingItem *other)
{
  return self == other ||
         (g_strcmp0 (self->rule, other->rule) == 0 && g_strcmp0 (self->title, other->title) == 0);
}

/**
 * assay_finding_item_find:
 * @self: a finding
 * @items: findings of another check
 *
 * Finds the same among what another check found.
 *
 * Returns: its position, or -1
 */
int
assay_finding_item_find (AssayFindingItem *self, GListModel *items)
{
  for (guint i = 0; i < g_list_model_get_n_items (items); i++)
    {
      g_autoptr (AssayFindingItem) other = g_list_model_get_item (items, i);

      if (assay_finding_item_is_same (self, other))
        return (int) i;
    }

  return -1;
}
