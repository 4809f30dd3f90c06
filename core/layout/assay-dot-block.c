/* assay-dot-block.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "layout/assay-dot-block.h"

#include <math.h>
#include <string.h>

/* The first bytes of a block: whoever speaks something else is found out at once. */
#define MAGIC 0x4b4c4241u

typedef struct
{
  guint32 magic;
  guint32 n_vertices;
  guint32 n_edges;
  guint32 n_groups;
  guint32 n_bottom;
  guint32 pinned_top;
} Head;

/* The frames that are met in a block, those around them too, outer ones first. */
static GArray *
list_groups (const guint32 *vertices, guint32 n_vertices, const guint32 *group_of,
             const guint32 *parents, GHashTable *number)
{
  GArray *groups = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint32 i = 0; group_of != NULL && i < n_vertices; i++)
    for (guint32 g = group_of[vertices[i]];
         g != 0 && g_hash_table_add (number, GUINT_TO_POINTER (g)); g = parents[g])
      g_array_append_val (groups, g);

  return groups;
}

static int
compare_numbers (gconstpointer a, gconstpointer b)
{
  guint32 na = *(const guint32 *) a;
  guint32 nb = *(const guint32 *) b;

  return na < nb ? -1 : na > nb;
}

static void
add_word (GByteArray *bytes, guint32 word)
{
  g_byte_array_append (bytes, (const guint8 *) &word, sizeof word);
}

static guint32
add_edges (GByteArray *bytes, const AssayBlock *block, const AssayLayers *layers,
           const guint32 *vertices, guint32 n_vertices, const guint32 *local)
{
  guint32 n_edges = 0;

  for (guint32 i = 0; i < n_vertices; i++)
    {
      guint32 v = vertices[i];

      if (layers->rank[v] == block->last_rank)
        continue;
      for (guint32 k = layers->down_start[v]; k < layers->down_start[v + 1]; k++)
        {
          add_word (bytes, i);
          add_word (bytes, local[layers->down[k]]);
          n_edges++;
        }
    }

  return n_edges;
}

/**
 * assay_dot_block_write:
 * @block: a block
 * @layers: the drawing it is of
 * @vertices: (array length=n_vertices): its vertices, as assay_block_list() lists them
 * @n_vertices: number of vertices
 * @group_of: (nullable): per vertex of the drawing its frame plus one, 0 for none
 * @parents: (nullable): per frame plus one the frame around it plus one
 * @local: (array): room for a number per vertex of the drawing
 *
 * Writes a block the way the helper reads it. Equal blocks give equal bytes.
 *
 * Returns: (transfer full): the bytes
 */
GBytes *
assay_dot_block_write (const AssayBlock *block, const AssayLayers *layers, const guint32 *vertices,
                       guint32 n_vertices, const guint32 *group_of, const guint32 *parents,
                       guint32 *local)
{
  GByteArray *bytes = g_byte_array_new ();
  g_autoptr (GHashTable) number = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) groups = list_groups (vertices, n_vertices, group_of, parents, number);
  Head head = { .magic = MAGIC,
                .n_vertices = n_vertices,
                .n_groups = groups->len,
                .pinned_top = block->pinned_top };

  g_array_sort (groups, compare_numbers);
  g_hash_table_remove_all (number);
  for (guint32 i = 0; i < groups->len; i++)
    g_hash_table_insert (number, GUINT_TO_POINTER (g_array_index (groups, guint32, i)),
                         GUINT_TO_POINTER (i + 1));

  g_byte_array_append (bytes, (const guint8 *) &head, sizeof head);
  for (guint32 i = 0; i < n_vertices; i++)
    {
      guint32 v = vertices[i];
      double reach = assay_layers_is_lane (layers, v) ? 0 : MAX (layers->left[v], layers->right[v]);

      local[v] = i;
      add_word (bytes, layers->rank[v] - layers->rank[vertices[0]]);
      add_word (bytes, assay_layers_is_lane (layers, v) ? ASSAY_DOT_LANE
                                                        : (guint32) ceil (reach / ASSAY_DOT_CELL));
      add_word (bytes, group_of == NULL ? 0
                                        : GPOINTER_TO_UINT (g_hash_table_lookup (
                                              number, GUINT_TO_POINTER (group_of[v]))));
    }
  head.n_edges = add_edges (bytes, block, layers, vertices, n_vertices, local);
  for (guint32 i = 0; i < groups->len; i++)
    add_word (bytes, GPOINTER_TO_UINT (g_hash_table_lookup (
                         number, GUINT_TO_POINTER (parents[g_array_index (groups, guint32, i)]))));
  for (guint32 i = 0; block->pinned_bottom && i < n_vertices; i++)
    if (layers->rank[vertices[i]] == block->last_rank &&
        layers->down_start[vertices[i]] < layers->down_start[vertices[i] + 1])
      {
        add_word (bytes, i);
        head.n_bottom++;
      }
  memcpy (bytes->data, &head, sizeof head);

  return g_byte_array_free_to_bytes (bytes);
}

static gboolean
is_sound (const AssayDotBlock *self)
{
  for (guint32 i = 0; i < self->n_vertices; i++)
    {
      const AssayDotVertex *vertex = &self->vertices[i];

      if (vertex->rank >= self->n_vertices || vertex->group > self->n_groups ||
          (vertex->reach != ASSAY_DOT_LANE && vertex->reach > ASSAY_DOT_MAX_CELL / 1000) ||
          (i > 0 && vertex->rank < self->vertices[i - 1].rank))
        return FALSE;
    }
  for (guint32 i = 0; i < self->n_edges; i++)
    {
      const AssayDotEdge *edge = &self->edges[i];

      if (edge->from >= self->n_vertices || edge->to >= self->n_vertices ||
          self->vertices[edge->to].rank != self->vertices[edge->from].rank + 1)
        return FALSE;
    }
  for (guint32 i = 0; i < self->n_groups; i++)
    if (self->groups[i] > i)
      return FALSE;
  for (guint32 i = 0; i < self->n_bottom; i++)
    if (self->bottom[i] >= self->n_vertices || (i > 0 && self->bottom[i] <= self->bottom[i - 1]))
      return FALSE;

  return TRUE;
}

/**
 * assay_dot_block_read:
 * @self: (out caller-allocates): where to put the block
 * @data: (array length=size): what assay_dot_block_write() made, aligned to four bytes
 * @size: number of bytes
 *
 * Reads a block and checks everything in it. The bytes have to live as long as the block.
 *
 * Returns: whether it is one
 */
gboolean
assay_dot_block_read (AssayDotBlock *self, gconstpointer data, gsize size)
{
  const guint32 *words = data;
  Head head;
  guint64 want;

  if (size < sizeof head)
    return FALSE;
  memcpy (&head, data, sizeof head);
  if (head.magic != MAGIC || head.n_vertices == 0 || head.n_vertices > ASSAY_DOT_MAX_VERTICES ||
      head.n_edges > ASSAY_DOT_MAX_EDGES || head.n_groups > head.n_vertices ||
      head.n_bottom > head.n_vertices)
    return FALSE;

  want = sizeof head / sizeof *words + (guint64) head.n_vertices * 3 + (guint64) head.n_edges * 2 +
         head.n_groups + head.n_bottom;
  if (size != want * sizeof *words)
    return FALSE;

  words += sizeof head / sizeof *words;
  *self = (AssayDotBlock){ .n_vertices = head.n_vertices,
                           .n_edges = head.n_edges,
                           .n_groups = head.n_groups,
                           .n_bottom = head.n_bottom,
                           .pinned_top = head.pinned_top != 0 };
  self->vertices = (const AssayDotVertex *) (const void *) words;
  words += (gsize) head.n_vertices * 3;
  self->edges = (const AssayDotEdge *) (const void *) words;
  words += (gsize) head.n_edges * 2;
  self->groups = words;
  self->bottom = words + head.n_groups;

  return is_sound (self);
}
