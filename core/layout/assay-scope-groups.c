/* assay-scope-groups.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * A level of the scope tree that has more members than a picture has boxes is cut into groups of
 * neighbours, and those again, so that every level can be drawn whole.
 */
#include "layout/assay-scope-tree-private.h"

#include "layout/assay-repeats.h"

#include <stdlib.h>
#include <string.h>

#define ELSEWHERE G_MAXUINT32

/* Groups have as many members on average at least: smaller ones would be more to look at than what
 * is in them. */
#define LEAST_MEMBERS 8

/* A scope, or a node that stands in the level itself. */
typedef struct
{
  guint32 scope;
  AssayNodeId node;
} Member;

/* What stays together: a member, or a circle of them. */
typedef struct
{
  guint32 first;
  guint32 end;
  guint32 symbol;
} Unit;

typedef struct
{
  AssayScopeTree *tree;
  const AssayGraph *graph;
  GHashTable *paths;
  AssayRegionId region;
  guint32 *parent;       /* per scope of the file: as it was */
  guint32 *enter;        /* per scope: its place in a walk through the tree, */
  guint32 *leave;        /* and that of the first one behind all that are inside */
  AssayRegionId *home;   /* per scope: the first region with a node of it */
  guint64 *digests;      /* per scope: what it has inside */
  guint32 *by_scope;     /* nodes in the order of the walk, */
  guint32 *start;        /* and per place of the walk where they begin */
  guint32 *place;        /* per node: its place in its region */
  guint32 *use_start;    /* per node: where the nodes begin that it reads, */
  guint32 *uses;         /* those inside of it too */
  guint32 *member_of;    /* per node of the level at hand: its member */
  guint32 *member_scope; /* per scope of the level at hand: its member plus one */
  GArray *members;
  GArray *units;
  GArray *lines; /* per unit how many others before it inputs it or something behind it */
} Groups;

static const Member *
member_at (const Groups *self, guint32 index)
{
  return &g_array_index (self->members, Member, index);
}

static const Unit *
unit_at (const Groups *self, guint32 index)
{
  return &g_array_index (self->units, Unit, index);
}

static gboolean
is_box (const Groups *self, AssayNodeId node)
{
  return !self->tree->is_chip[node];
}

static guint32
file_scope (const Groups *self, AssayNodeId node)
{
  return self->tree->of_graph[assay_graph_node (self->graph, node)->scope];
}

/* Members that are built alike have the same symbol. */
static guint32
symbol_of (const Groups *self, guint32 index)
{
  const Member *member = member_at (self, index);
  guint64 digest = self->digests[member->scope];

  return member->scope == 0 ? g_str_hash (assay_graph_node (self->graph, member->node)->op_type)
                            : (guint32) (digest ^ digest >> 32);
}

/* The first operator types of some members, each once. */
static char *
name_operators (const Groups *self, guint32 first, guint32 end)
{
  g_autoptr (GString) name = g_string_new (NULL);
  const char *seen[3] = { NULL };
  guint n = 0;

  for (guint32 i = first; i < end && n < G_N_ELEMENTS (seen); i++)
    {
      const char *type = assay_graph_node (self->graph, member_at (self, i)->node)->op_type;

      for (guint k = 0; k < n && type != NULL; k++)
        if (strcmp (seen[k], type) == 0)
          type = NULL;
      if (type == NULL)
        continue;
      g_string_append_printf (name, "%s%s", n > 0 ? ", " : "", type);
      seen[n++] = type;
    }

  return g_string_free (g_steal_pointer (&name), FALSE);
}

/* After how many units a stretch begins again, up to its end: its length if it does not (Knuth,
 * Morris and Pratt, Fast pattern matching in strings, 1977). */
static guint32
find_period (const Groups *self, guint32 first, guint32 end)
{
  guint32 n = end - first;
  g_autofree guint32 *border = g_new0 (guint32, n + 1);
  guint32 k = 0;

  for (guint32 i = 1; i < n; i++)
    {
      while (k > 0 && unit_at (self, first + i)->symbol != unit_at (self, first + k)->symbol)
        k = border[k - 1];
      k += unit_at (self, first + i)->symbol == unit_at (self, first + k)->symbol;
      border[i] = k;
    }

  return n > 0 && n % (n - border[n - 1]) == 0 ? n - border[n - 1] : n;
}

static const char *
member_name (const Groups *self, guint32 index)
{
  const Member *member = member_at (self, index);
  const AssayNode *node;
  const char *slash;

  if (member->scope != 0)
    return assay_scope_tree_get (self->tree, member->scope)->name;

  node = assay_graph_node (self->graph, member->node);
  slash = strrchr (node->name, '/');

  return slash != NULL && slash[1] != '\0' ? slash + 1
         : *node->name != '\0'             ? node->name
                                           : node->op_type;
}

/* From the first to the last member; if a number alone tells them apart, from number to number. */
static char *
name_range (const char *a, const char *b)
{
  gsize na = strlen (a);
  gsize nb = strlen (b);
  gsize before = 0;
  gsize after = 0;

  while (before < MIN (na, nb) && a[before] == b[before])
    before++;
  while (before > 0 && g_ascii_isdigit (a[before - 1]))
    before--;
  while (after < MIN (na, nb) - before && a[na - 1 - after] == b[nb - 1 - after])
    after++;
  while (after > 0 && g_ascii_isdigit (a[na - after]))
    after--;

  for (gsize i = before; i < na - after; i++)
    if (!g_ascii_isdigit (a[i]))
      return g_strdup_printf ("%s … %s", a, b);
  for (gsize i = before; i < nb - after; i++)
    if (!g_ascii_isdigit (b[i]))
      return g_strdup_printf ("%s … %s", a, b);
  if (before + after >= MIN (na, nb))
    return g_strdup_printf ("%s … %s", a, b);

  return g_strdup_printf ("%.*s … %s", (int) (na - after), a, b + before);
}

static guint32
add_group (Groups *self, guint32 around, guint part, guint32 first, guint32 end)
{
  AssayScopeTree *tree = self->tree;
  guint32 first_member = unit_at (self, first)->first;
  guint32 end_member = unit_at (self, end - 1)->end;
  guint32 period = find_period (self, first, end);
  const char *path_around = assay_scope_tree_get (tree, around)->path;
  AssayScope scope = { .parent = around, .is_made = TRUE };
  g_autofree char *name = NULL;
  g_autoptr (GString) path = g_string_new (path_around);
  gboolean only_nodes = TRUE;
  gsize length;

  for (guint32 i = first_member; i < end_member && only_nodes; i++)
    only_nodes = member_at (self, i)->scope == 0;

  if (*path_around != '\0')
    g_string_append_c (path, '/');
  if (only_nodes)
    {
      name = name_operators (self, first_member, end_member);
      g_string_append_printf (path, "part %u (%s)", part, name);
      if (end - first > period)
        {
          g_autofree char *unit = g_steal_pointer (&name);

          name = g_strdup_printf (strchr (unit, ',') != NULL ? "%u × (%s)" : "%u × %s",
                                  (end - first) / period, unit);
        }
    }
  else
    {
      name = name_range (member_name (self, first_member), member_name (self, end_member - 1));
      g_string_append (path, name);
    }
  length = path->len;
  for (guint k = 2; g_hash_table_contains (self->paths, path->str); k++)
    {
      g_string_truncate (path, length);
      g_string_append_printf (path, " (%u)", k);
    }

  scope.name = assay_arena_intern (tree->arena, name);
  scope.path = assay_arena_intern (tree->arena, path->str);
  g_hash_table_insert (self->paths, (gpointer) scope.path, GUINT_TO_POINTER (tree->scopes->len));
  g_array_append_val (tree->scopes, scope);

  return tree->scopes->len - 1;
}

/* Puts members into the group around them. */
static void
place_members (Groups *self, guint32 around, guint32 first, guint32 end)
{
  for (guint32 i = first; i < end; i++)
    {
      const Member *member = member_at (self, i);

      if (member->scope != 0)
        g_array_index (self->tree->scopes, AssayScope, member->scope).parent = around;
      else
        self->tree->of_node[member->node] = assay_scope_tree_get (self->tree, around)->is_made
                                                ? around
                                                : 0;
    }
}

static guint32
hash_units (const Groups *self, guint32 first, guint32 end)
{
  guint32 hash = end - first;

  for (guint32 i = first; i < end; i++)
    hash = hash * 31 + unit_at (self, i)->symbol;

  return hash;
}

/* The end of a part that has no equal goes where few lines are, up to a third of the smaller part
 * away. */
static void
move_ends (const Groups *self, guint32 first, GArray *ends)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autofree guint32 *hashes = g_new (guint32, ends->len + 1);
  guint32 *end = (guint32 *) (void *) ends->data;

  for (guint p = 0; p < ends->len; p++)
    {
      gpointer key;

      hashes[p] = hash_units (self, first + (p > 0 ? end[p - 1] : 0), first + end[p]);
      key = GUINT_TO_POINTER (hashes[p]);
      g_hash_table_insert (
          seen, key, GUINT_TO_POINTER (GPOINTER_TO_UINT (g_hash_table_lookup (seen, key)) + 1));
    }
  for (guint p = 0; p + 1 < ends->len; p++)
    {
      guint32 before = end[p] - (p > 0 ? end[p - 1] : 0);
      guint32 room = MIN (before, end[p + 1] - end[p]) / 3;
      guint32 best = end[p];

      if (GPOINTER_TO_UINT (g_hash_table_lookup (seen, GUINT_TO_POINTER (hashes[p]))) > 1 ||
          GPOINTER_TO_UINT (g_hash_table_lookup (seen, GUINT_TO_POINTER (hashes[p + 1]))) > 1 ||
          first + end[p] + room >= self->lines->len)
        continue;
      for (guint32 off = 1; off <= room; off++)
        for (guint side = 0; side < 2; side++)
          {
            guint32 at = side == 0 ? end[p] - off : end[p] + off;

            if (g_array_index (self->lines, guint32, first + at) <
                g_array_index (self->lines, guint32, first + best))
              best = at;
          }
      end[p] = best;
    }
}

static void group_units (Groups *self, guint32 around, guint32 first, guint32 end, guint max_boxes);

/* Members that inputs each other are cut like all others if they are too many. */
static void
open_circle (Groups *self, guint32 group, guint32 first, guint32 end)
{
  guint32 begin = self->units->len;

  for (guint32 i = first; i < end; i++)
    {
      Unit unit = { .first = i, .end = i + 1, .symbol = symbol_of (self, i) };

      g_array_append_val (self->units, unit);
    }
  group_units (self, group, begin, self->units->len, ASSAY_FIRST_BOXES);
}

static void
group_units (Groups *self, guint32 around, guint32 first, guint32 end, guint max_boxes)
{
  g_autofree guint32 *symbols = g_new (guint32, end - first + 1);
  g_autoptr (GArray) ends = NULL;
  guint32 at = first;

  for (guint32 i = first; i < end; i++)
    symbols[i - first] = unit_at (self, i)->symbol;
  if (end - first > max_boxes)
    ends = assay_find_repeats (symbols, end - first,
                               CLAMP ((end - first) / LEAST_MEMBERS, 2, max_boxes));
  if (ends != NULL)
    move_ends (self, first, ends);

  for (guint part = 0; at < end; part++)
    {
      guint32 next = ends != NULL ? first + g_array_index (ends, guint32, part) : at + 1;
      guint32 first_member = unit_at (self, at)->first;
      guint32 end_member = unit_at (self, next - 1)->end;

      if (end_member - first_member == 1)
        place_members (self, around, first_member, end_member);
      else
        {
          guint32 group = add_group (self, around, part + 1, at, next);

          if (next - at > 1)
            group_units (self, group, at, next, ASSAY_FIRST_BOXES);
          else
            open_circle (self, group, first_member, end_member);
        }
      at = next;
    }
}

static int
compare_places (gconstpointer a, gconstpointer b, gpointer data)
{
  const Groups *self = data;
  guint32 pa = self->place[*(const AssayNodeId *) a];
  guint32 pb = self->place[*(const AssayNodeId *) b];

  return pa < pb ? -1 : pa > pb;
}

/* The nodes of the region at hand that are in a scope or further inside, in the order of the
 * program. */
static GArray *
list_nodes (Groups *self, guint32 scope)
{
  GArray *nodes = g_array_new (FALSE, FALSE, sizeof (AssayNodeId));

  if (scope == 0)
    {
      const GArray *all = assay_graph_region (self->graph, self->region)->nodes;

      for (guint i = 0; i < all->len; i++)
        if (is_box (self, g_array_index (all, AssayNodeId, i)))
          g_array_append_vals (nodes, &g_array_index (all, AssayNodeId, i), 1);
      return nodes;
    }

  for (guint32 i = self->start[self->enter[scope]]; i < self->start[self->leave[scope]]; i++)
    if (assay_graph_node (self->graph, self->by_scope[i])->region == self->region)
      g_array_append_val (nodes, self->by_scope[i]);
  g_array_sort_with_data (nodes, compare_places, self);

  return nodes;
}

/* What a node is a member of a level as: the scope of the level that it is in, or itself. Scopes
 * that stand in another region, too, have their places from there. */
static void
list_members (Groups *self, guint32 scope, const GArray *nodes)
{
  g_array_set_size (self->members, 0);
  for (guint i = 0; i < nodes->len; i++)
    {
      AssayNodeId id = g_array_index (nodes, AssayNodeId, i);
      guint32 inside = file_scope (self, id);
      Member member = { .node = id };

      if (inside != scope)
        {
          while (self->parent[inside] != scope)
            inside = self->parent[inside];
          member.scope = inside;
          if (self->home[inside] != self->region)
            {
              self->member_of[id] = ELSEWHERE;
              continue;
            }
          if (self->member_scope[inside] != 0)
            {
              self->member_of[id] = self->member_scope[inside] - 1;
              continue;
            }
          self->member_scope[inside] = self->members->len + 1;
        }
      self->member_of[id] = self->members->len;
      g_array_append_val (self->members, member);
    }
  for (guint32 i = 0; i < self->members->len; i++)
    self->member_scope[member_at (self, i)->scope] = 0;
}

static GArray *
list_member_uses (Groups *self, guint32 scope, const GArray *nodes)
{
  GArray *uses = g_array_new (FALSE, FALSE, sizeof (AssayScopeUse));

  for (guint i = 0; i < nodes->len; i++)
    {
      AssayNodeId id = g_array_index (nodes, AssayNodeId, i);

      for (guint32 k = self->use_start[id]; k < self->use_start[id + 1]; k++)
        {
          AssayNodeId from = self->uses[k];
          guint32 at = self->enter[file_scope (self, from)];
          AssayScopeUse use;

          if (!is_box (self, from) || at < self->enter[scope] || at >= self->leave[scope])
            continue;
          use = (AssayScopeUse){ self->member_of[from], self->member_of[id] };
          if (use.from != use.to && use.from != ELSEWHERE && use.to != ELSEWHERE)
            g_array_append_val (uses, use);
        }
    }

  return uses;
}

/* How many lines there are between each unit and the next. */
static void
count_lines (Groups *self, const GArray *uses, const GArray *order)
{
  guint32 n = self->units->len;
  g_autofree guint32 *unit_of = g_new0 (guint32, self->members->len + 1);
  g_autofree guint32 *reach = g_new0 (guint32, n + 1);
  guint32 *lines;

  for (guint32 u = 0; u < n; u++)
    for (guint32 i = unit_at (self, u)->first; i < unit_at (self, u)->end; i++)
      unit_of[g_array_index (order, guint32, i)] = u;
  for (guint i = 0; i < uses->len; i++)
    {
      const AssayScopeUse *use = &g_array_index (uses, AssayScopeUse, i);

      reach[unit_of[use->from]] = MAX (reach[unit_of[use->from]], unit_of[use->to]);
    }

  g_array_set_size (self->lines, 0);
  g_array_set_size (self->lines, n + 1);
  lines = (guint32 *) (void *) self->lines->data;
  for (guint32 u = 0; u < n; u++)
    if (reach[u] > u)
      {
        lines[u + 1]++;
        lines[reach[u] + 1]--;
      }
  for (guint32 u = 0; u < n; u++)
    lines[u + 1] += lines[u];
}

static void
group_level (Groups *self, guint32 scope)
{
  guint n_ports = scope == 0 ? assay_scope_tree_count_ports (self->graph, self->region) : 0;
  guint max_boxes = n_ports + 2 <= ASSAY_FIRST_BOXES ? ASSAY_FIRST_BOXES - n_ports
                                                     : ASSAY_FIRST_BOXES;
  g_autoptr (GArray) nodes = list_nodes (self, scope);
  g_autoptr (GArray) order = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) ends = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) sorted = g_array_new (FALSE, FALSE, sizeof (Member));
  g_autoptr (GArray) uses = NULL;
  guint32 first = 0;

  list_members (self, scope, nodes);
  uses = list_member_uses (self, scope, nodes);
  assay_scope_order (self->members->len, uses, order, ends);

  g_array_set_size (self->units, 0);
  for (guint i = 0; i < ends->len; i++)
    {
      Unit unit = { .first = first, .end = g_array_index (ends, guint32, i) };

      for (; first < unit.end; first++)
        {
          guint32 member = g_array_index (order, guint32, first);

          g_array_append_vals (sorted, member_at (self, member), 1);
          unit.symbol = unit.symbol * 31 + symbol_of (self, member);
        }
      g_array_append_val (self->units, unit);
    }
  g_array_set_size (self->members, 0);
  g_array_append_vals (self->members, sorted->data, sorted->len);

  count_lines (self, uses, order);
  group_units (self, scope, 0, self->units->len, max_boxes);
}

/* A walk through the scopes, and the nodes in its order. */
static void
walk_scopes (Groups *self)
{
  const GArray *scopes = self->tree->scopes;
  guint32 n = scopes->len;
  guint32 n_nodes = assay_graph_n_nodes (self->graph);
  g_autofree guint32 *size = g_new (guint32, n + 1);
  g_autofree guint32 *used = g_new0 (guint32, n + 1);

  self->parent = g_new0 (guint32, n + 1);
  self->enter = g_new0 (guint32, n + 1);
  self->leave = g_new0 (guint32, n + 1);
  self->start = g_new0 (guint32, n + 2);
  self->by_scope = g_new (guint32, n_nodes + 1);
  self->place = g_new0 (guint32, n_nodes + 1);

  for (guint32 s = 0; s < n; s++)
    size[s] = 1;
  for (guint32 s = n; s-- > 1;)
    {
      self->parent[s] = assay_scope_tree_get (self->tree, s)->parent;
      size[self->parent[s]] += size[s];
    }
  self->leave[0] = n;
  used[0] = 1;
  for (guint32 s = 1; s < n; s++)
    {
      self->enter[s] = self->enter[self->parent[s]] + used[self->parent[s]];
      self->leave[s] = self->enter[s] + size[s];
      used[self->parent[s]] += size[s];
      used[s] = 1;
    }

  for (AssayNodeId id = 1; id < n_nodes; id++)
    if (is_box (self, id))
      self->start[self->enter[file_scope (self, id)] + 1]++;
  for (guint32 i = 0; i < n; i++)
    self->start[i + 1] += self->start[i];
  memset (used, 0, n * sizeof *used);
  for (AssayNodeId id = 1; id < n_nodes; id++)
    {
      guint32 at = self->enter[file_scope (self, id)];

      if (is_box (self, id))
        self->by_scope[self->start[at] + used[at]++] = id;
    }
}

static AssayNodeId
holder_of (const Groups *self, AssayNodeId node, AssayRegionId region)
{
  /* Nesting of bodies is bounded by the importer; a damaged graph must not run away here either. */
  for (guint depth = 0; node != ASSAY_NO_NODE && depth < 64; depth++)
    {
      AssayRegionId at = assay_graph_node (self->graph, node)->region;

      if (at == region)
        return node;
      node = assay_graph_region (self->graph, at)->parent;
    }

  return ASSAY_NO_NODE;
}

/* Which nodes each node reads, itself or inside of it. */
static void
list_uses (Groups *self)
{
  guint32 n_nodes = assay_graph_n_nodes (self->graph);
  g_autofree guint32 *filled = g_new0 (guint32, n_nodes + 1);

  self->use_start = g_new0 (guint32, n_nodes + 2);
  for (guint pass = 0; pass < 2; pass++)
    {
      for (AssayNodeId id = 1; id < n_nodes; id++)
        {
          const AssayNode *node = assay_graph_node (self->graph, id);

          for (guint k = 0; k < node->n_inputs; k++)
            {
              const AssayValue *value = assay_graph_value (self->graph, node->inputs[k]);
              AssayNodeId reader;

              if (node->inputs[k] == ASSAY_NO_VALUE || value->kind != ASSAY_VALUE_RESULT ||
                  value->producer == ASSAY_NO_NODE)
                continue;
              reader = holder_of (self, id,
                                  assay_graph_node (self->graph, value->producer)->region);
              if (reader == ASSAY_NO_NODE || reader == value->producer)
                continue;
              if (pass == 0)
                self->use_start[reader + 1]++;
              else
                self->uses[self->use_start[reader] + filled[reader]++] = value->producer;
            }
        }
      if (pass > 0)
        continue;
      for (guint32 i = 0; i < n_nodes; i++)
        self->use_start[i + 1] += self->use_start[i];
      self->uses = g_new (guint32, self->use_start[n_nodes] + 1);
    }
}

/* The region where each scope is seen: the first one that has a node of it. */
static void
find_homes (Groups *self)
{
  guint32 n = self->tree->scopes->len;

  self->home = g_new (AssayRegionId, n + 1);
  for (guint32 s = 0; s < n; s++)
    self->home[s] = G_MAXUINT32;
  for (AssayRegionId r = 0; r < self->graph->regions->len; r++)
    {
      const GArray *nodes = assay_graph_region (self->graph, r)->nodes;

      for (guint i = 0; i < nodes->len; i++)
        {
          AssayNodeId id = g_array_index (nodes, AssayNodeId, i);
          guint32 s = file_scope (self, id);

          self->place[id] = i;
          if (is_box (self, id))
            self->home[s] = MIN (self->home[s], r);
        }
    }
  for (guint32 s = n; s-- > 1;)
    self->home[self->parent[s]] = MIN (self->home[self->parent[s]], self->home[s]);
}

/* The scopes that have more members in a region than a picture has boxes. */
static GArray *
find_full_levels (Groups *self, guint32 *n_members, guint8 *seen)
{
  GArray *full = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) touched = g_array_new (FALSE, FALSE, sizeof (guint32));
  const GArray *nodes = assay_graph_region (self->graph, self->region)->nodes;
  guint n_ports = assay_scope_tree_count_ports (self->graph, self->region);

  for (guint i = 0; i < nodes->len; i++)
    {
      AssayNodeId id = g_array_index (nodes, AssayNodeId, i);
      guint32 s = file_scope (self, id);

      if (!is_box (self, id))
        continue;
      if (n_members[s]++ == 0)
        g_array_append_val (touched, s);
      for (; s != 0 && self->home[s] == self->region && !seen[s]; s = self->parent[s])
        {
          seen[s] = TRUE;
          if (n_members[self->parent[s]]++ == 0)
            g_array_append_val (touched, self->parent[s]);
        }
    }
  for (guint i = 0; i < touched->len; i++)
    {
      guint32 s = g_array_index (touched, guint32, i);

      if (n_members[s] + (s == 0 && n_ports + 2 <= ASSAY_FIRST_BOXES ? n_ports : 0) >
          ASSAY_FIRST_BOXES)
        g_array_append_val (full, s);
      n_members[s] = 0;
    }

  return full;
}

/* A constant without a box goes into the group of what reads it first, so that lists have it there.
 */
static void
place_chips (Groups *self)
{
  const AssayScopeTree *tree = self->tree;

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (self->graph); id++)
    for (guint32 k = self->use_start[id]; k < self->use_start[id + 1]; k++)
      {
        AssayNodeId chip = self->uses[k];
        guint32 wanted = file_scope (self, chip);
        guint32 group = 0;
        guint32 s = assay_scope_tree_of_node (tree, self->graph, id);

        if (is_box (self, chip) || tree->of_node[chip] != 0)
          continue;
        for (; s != wanted && s != 0; s = assay_scope_tree_get (tree, s)->parent)
          if (!assay_scope_tree_get (tree, s)->is_made)
            group = 0;
          else if (group == 0)
            group = s;
        if (s == wanted)
          tree->of_node[chip] = group;
      }
}

/**
 * assay_scope_tree_group:
 * @self: a tree of the scopes of the file
 * @graph: its graph
 * @paths: paths of all scopes; those of groups are added
 *
 * Puts neighbours into groups wherever a level has more members than a picture has boxes. No path
 * leaves a group and comes back, unless it leaves the level itself.
 */
void
assay_scope_tree_group (AssayScopeTree *self, const AssayGraph *graph, GHashTable *paths)
{
  guint32 n_scopes = self->scopes->len;
  guint32 n_nodes = assay_graph_n_nodes (graph);
  Groups groups = { .tree = self, .graph = graph, .paths = paths };
  g_autofree guint32 *n_members = g_new0 (guint32, n_scopes + 1);
  g_autofree guint8 *seen = g_new0 (guint8, n_scopes + 1);
  g_autofree guint32 *counts = g_new0 (guint32, n_scopes + 1);

  self->of_node = g_new0 (guint32, n_nodes + 1);
  groups.digests = g_new0 (guint64, n_scopes + 1);
  groups.member_of = g_new0 (guint32, n_nodes + 1);
  groups.member_scope = g_new0 (guint32, n_scopes + 1);
  groups.members = g_array_new (FALSE, FALSE, sizeof (Member));
  groups.units = g_array_new (FALSE, FALSE, sizeof (Unit));
  groups.lines = g_array_new (FALSE, TRUE, sizeof (guint32));
  walk_scopes (&groups);
  find_homes (&groups);

  for (groups.region = 0; groups.region < graph->regions->len; groups.region++)
    {
      g_autoptr (GArray) full = find_full_levels (&groups, n_members, seen);

      if (full->len == 0)
        continue;
      if (groups.uses == NULL)
        list_uses (&groups);
      assay_scope_tree_digest (self, graph, groups.region, groups.home, FALSE, groups.digests,
                               counts);
      for (guint i = 0; i < full->len; i++)
        group_level (&groups, g_array_index (full, guint32, i));
    }
  if (groups.uses != NULL)
    place_chips (&groups);

  g_free (groups.parent);
  g_free (groups.enter);
  g_free (groups.leave);
  g_free (groups.home);
  g_free (groups.digests);
  g_free (groups.by_scope);
  g_free (groups.start);
  g_free (groups.place);
  g_free (groups.use_start);
  g_free (groups.uses);
  g_free (groups.member_of);
  g_free (groups.member_scope);
  g_array_unref (groups.members);
  g_array_unref (groups.units);
  g_array_unref (groups.lines);
}
