/* assay-torch-make-list.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Lists and dictionaries. A list is one item wherever the program names it, so what one name writes
 * every other reads. A dictionary keeps the order in which keys were first set.
 */
#include <string.h>

#include "source/torch/assay-torch-lower-private.h"

/* Lists that double with each round have an end. */
#define MAX_ITEMS (1u << 20)

static AssayTorchItem *
container (AssayTorchLower *self, guint index, AssayTorchItemKind kind)
{
  AssayTorchItem *item = assay_torch_arg (self, index);

  if (item != NULL && item->kind == kind)
    return item;
  assay_torch_cannot (self, "operand %u is no known %s", index,
                      kind == ASSAY_TORCH_ITEM_LIST ? "list" : "dictionary");

  return NULL;
}

#define LIST(index) container (self, index, ASSAY_TORCH_ITEM_LIST)
#define DICT(index) container (self, index, ASSAY_TORCH_ITEM_DICT)

static AssayTorchItem *
some_arg (AssayTorchLower *self, guint index)
{
  AssayTorchItem *item = assay_torch_arg (self, index);

  if (item == NULL)
    assay_torch_cannot (self, "operand %u is not known", index);

  return item;
}

/* Puts items in front of item @at. */
static gboolean
put (AssayTorchLower *self, AssayTorchItem *list, guint at, guint n, AssayTorchItem *const *items)
{
  if (n > MAX_ITEMS - list->n)
    return assay_torch_cannot (self, "a list becomes too long");
  if (list->n + n > list->capacity)
    {
      guint capacity = MAX (2 * list->n, list->n + n);
      AssayTorchItem **room = assay_arena_alloc_n (self->arena, MAX (capacity, 1), sizeof *room);

      if (list->n > 0)
        memcpy (room, list->items, list->n * sizeof *room);
      list->items = room;
      list->capacity = capacity;
    }
  memmove (list->items + at + n, list->items + at, (list->n - at) * sizeof *list->items);
  if (n > 0)
    memcpy (list->items + at, items, n * sizeof *items);
  list->n += n;

  return TRUE;
}

static void
cut (AssayTorchItem *list, guint at, guint n)
{
  memmove (list->items + at, list->items + at + n, (list->n - at - n) * sizeof *list->items);
  list->n -= n;
}

/* A place of a list, counted from the end if it is negative. */
static gboolean
get_place (AssayTorchLower *self, guint index, const AssayTorchItem *list, gint64 *place)
{
  gint64 n = list->n;

  if (!assay_torch_get_int (self, index, place))
    return FALSE;
  if (*place < -n || *place >= n)
    return assay_torch_cannot (self, "a list of %u has no entry %" G_GINT64_FORMAT, list->n,
                               *place);
  *place += *place < 0 ? n : 0;

  return TRUE;
}

static gboolean
is_known (const AssayTorchItem *item)
{
  return item->value == ASSAY_NO_VALUE &&
         (item->kind == ASSAY_TORCH_ITEM_INT || item->kind == ASSAY_TORCH_ITEM_BOOL ||
          item->kind == ASSAY_TORCH_ITEM_FLOAT || item->kind == ASSAY_TORCH_ITEM_STRING);
}

/* Numbers and texts that are known; nothing else is compared here. */
static gboolean
compare (AssayTorchLower *self, const AssayTorchItem *a, const AssayTorchItem *b, int *order)
{
  if (!is_known (a) || !is_known (b) ||
      (a->kind == ASSAY_TORCH_ITEM_STRING) != (b->kind == ASSAY_TORCH_ITEM_STRING))
    return assay_torch_cannot (self, "an entry is only known at run time");
  if (a->kind == ASSAY_TORCH_ITEM_STRING)
    *order = strcmp (a->s, b->s);
  else if (a->kind == ASSAY_TORCH_ITEM_FLOAT || b->kind == ASSAY_TORCH_ITEM_FLOAT)
    {
      if (a->f != a->f || b->f != b->f)
        return assay_torch_cannot (self, "NaN has no place in an order");
      *order = (a->f > b->f) - (a->f < b->f);
    }
  else
    *order = (a->i > b->i) - (a->i < b->i);

  return TRUE;
}

/* The first entry that equals @item, or @n. */
static gboolean
find (AssayTorchLower *self, guint n, AssayTorchItem *const *items, guint step,
      const AssayTorchItem *item, guint *place)
{
  int order;

  for (*place = 0; *place < n; *place += step)
    {
      if (!compare (self, items[*place], item, &order))
        return FALSE;
      if (order == 0)
        return TRUE;
    }

  return TRUE;
}

gboolean
assay_torch_make_list_append (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *list = LIST (0);
  AssayTorchItem *item = some_arg (self, 1);

  return list != NULL && item != NULL && put (self, list, list->n, 1, &item) &&
         (self->op->n_results == 0 || assay_torch_result_item (self, 0, list));
}

/* Adds a list to the end of a list, or makes another of both (1). */
gboolean
assay_torch_make_list_extend (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *list = LIST (0);
  AssayTorchItem *other = LIST (1);
  AssayTorchItem **items;
  guint n;

  if (list == NULL || other == NULL)
    return FALSE;
  if (rule->argument == 1)
    list = assay_torch_list (self, list->n, list->items);
  /* A list may be added to itself. */
  n = other->n;
  items = assay_arena_memdup (self->arena, other->items, n * sizeof *items);

  return put (self, list, list->n, n, items) &&
         (self->op->n_results == 0 || assay_torch_result_item (self, 0, list));
}

gboolean
assay_torch_make_list_insert (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *list = LIST (0);
  AssayTorchItem *item = some_arg (self, 2);
  gint64 place;

  if (list == NULL || item == NULL || !assay_torch_get_int (self, 1, &place))
    return FALSE;
  place = CLAMP (place < 0 ? place + list->n : place, 0, list->n);

  return put (self, list, (guint) place, 1, &item);
}

gboolean
assay_torch_make_list_set (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *list = LIST (0);
  AssayTorchItem *item = some_arg (self, 2);
  gint64 place;

  if (list == NULL || item == NULL || !get_place (self, 1, list, &place))
    return FALSE;
  list->items[place] = item;

  return self->op->n_results == 0 || assay_torch_result_item (self, 0, list);
}

/* Takes an entry out, and gives it (1). */
gboolean
assay_torch_make_list_delete (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *list = LIST (0);
  AssayTorchItem *item;
  gint64 place;

  if (list == NULL)
    return FALSE;
  place = list->n - 1;
  if (list->n == 0 || self->op->n_operands > 1)
    {
      if (!get_place (self, 1, list, &place))
        return FALSE;
    }
  item = list->items[place];
  cut (list, (guint) place, 1);

  return rule->argument == 0 || assay_torch_result_item (self, 0, item);
}

gboolean
assay_torch_make_list_remove (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *list = LIST (0);
  AssayTorchItem *item = some_arg (self, 1);
  guint place;

  if (list == NULL || item == NULL || !find (self, list->n, list->items, 1, item, &place))
    return FALSE;
  if (place == list->n)
    return assay_torch_cannot (self, "the list has no such entry");
  cut (list, place, 1);

  return TRUE;
}

/* A dictionary too. */
gboolean
assay_torch_make_container_clear (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *item = container (self, 0, (AssayTorchItemKind) rule->argument);

  if (item != NULL)
    item->n = 0;

  return item != NULL;
}

gboolean
assay_torch_make_list_reverse (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *list = LIST (0);

  for (guint i = 0; list != NULL && i < list->n / 2; i++)
    {
      AssayTorchItem *item = list->items[i];

      list->items[i] = list->items[list->n - 1 - i];
      list->items[list->n - 1 - i] = item;
    }

  return list != NULL;
}

typedef struct
{
  AssayTorchLower *lower;
  gboolean is_reverse;
  gboolean failed;
} Order;

static int
compare_entries (gconstpointer a, gconstpointer b, gpointer user_data)
{
  Order *self = user_data;
  int order = 0;

  self->failed |= !compare (self->lower, *(AssayTorchItem *const *) a, *(AssayTorchItem *const *) b,
                            &order);

  return self->is_reverse ? -order : order;
}

/* In place, or as another list (1). */
gboolean
assay_torch_make_list_sort (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *list = LIST (0);
  AssayTorchItem **items;
  Order order = { .lower = self };

  if (list == NULL || (rule->argument == 0 && self->op->n_operands > 1 &&
                       !assay_torch_get_bool (self, 1, &order.is_reverse)))
    return FALSE;
  items = assay_arena_memdup (self->arena, list->items, list->n * sizeof *items);
  g_qsort_with_data (items, (int) list->n, sizeof *items, compare_entries, &order);
  /* One entry alone is compared with none. */
  if (order.failed || (list->n == 1 && !is_known (items[0])))
    return assay_torch_cannot (self, "an entry is only known at run time");
  if (rule->argument == 1)
    return assay_torch_result_item (self, 0, assay_torch_list (self, list->n, items));
  if (list->n > 0)
    memcpy (list->items, items, list->n * sizeof *items);

  return TRUE;
}

gboolean
assay_torch_make_list_slice (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *list = LIST (0);
  g_autofree AssayTorchItem **items = NULL;
  gint64 ends[2];
  gint64 step = 1;
  gint64 size;
  guint n = 0;

  if (list == NULL || (!assay_torch_is_none (self, 3) && !assay_torch_get_int (self, 3, &step)))
    return FALSE;
  if (step == 0 || step == G_MININT64)
    return assay_torch_cannot (self, "a step of %" G_GINT64_FORMAT, step);
  size = list->n;
  for (guint i = 0; i < 2; i++)
    {
      gint64 least = step > 0 ? 0 : -1;
      gint64 most = step > 0 ? size : size - 1;

      ends[i] = (i == 0) == (step > 0) ? least : most;
      if (assay_torch_is_none (self, 1 + i))
        continue;
      if (!assay_torch_get_int (self, 1 + i, &ends[i]))
        return FALSE;
      ends[i] = CLAMP (ends[i] < 0 ? ends[i] + size : ends[i], least, most);
    }
  items = g_new (AssayTorchItem *, list->n + 1);
  for (gint64 i = ends[0]; step > 0 ? i < ends[1] : i > ends[1];)
    {
      items[n++] = list->items[i];
      if (step > 0 ? step >= ends[1] - i : step <= ends[1] - i)
        break;
      i += step;
    }

  return assay_torch_result_item (self, 0, assay_torch_list (self, n, items));
}

/* Another list or dictionary of the same entries. */
gboolean
assay_torch_make_container_copy (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *item = container (self, 0, (AssayTorchItemKind) rule->argument);
  AssayTorchItem *copy;

  if (item == NULL)
    return FALSE;
  copy = assay_torch_list (self, item->n, item->items);
  copy->kind = item->kind;

  return assay_torch_result_item (self, 0, copy);
}

/* A list so many times: another list, with the list before its number or after it (1), or the list
 * itself (2). */
gboolean
assay_torch_make_list_repeat (AssayTorchLower *self, const AssayTorchRule *rule)
{
  guint at = rule->argument == 1;
  AssayTorchItem *list = LIST (at);
  AssayTorchItem *made;
  gint64 times;

  if (list == NULL || !assay_torch_get_int (self, 1 - at, &times))
    return FALSE;
  made = assay_torch_list (self, 0, NULL);
  for (gint64 i = 0; i < times && list->n > 0; i++)
    if (!put (self, made, made->n, list->n, list->items))
      return FALSE;
  if (rule->argument == 2)
    {
      *list = *made;
      made = list;
    }

  return assay_torch_result_item (self, 0, made);
}

gboolean
assay_torch_make_list_count (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *list = LIST (0);
  AssayTorchItem *item = some_arg (self, 1);
  gint64 n = 0;

  if (list == NULL || item == NULL)
    return FALSE;
  for (guint i = 0; i < list->n; i++)
    {
      int order;

      if (!compare (self, list->items[i], item, &order))
        return FALSE;
      n += order == 0;
    }

  return assay_torch_result_item (self, 0, assay_torch_int (self, n));
}

/* The place of an entry, or whether there is one (1). */
gboolean
assay_torch_make_list_find (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *list = LIST (0);
  AssayTorchItem *item = some_arg (self, 1);
  guint place;

  if (list == NULL || item == NULL || !find (self, list->n, list->items, 1, item, &place))
    return FALSE;
  if (rule->argument == 1)
    return assay_torch_result_item (self, 0, assay_torch_bool (self, place < list->n));
  if (place == list->n)
    return assay_torch_cannot (self, "the list has no such entry");

  return assay_torch_result_item (self, 0, assay_torch_int (self, place));
}

/* Whether two lists are equal, or differ (1). */
gboolean
assay_torch_make_list_equal (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *a = LIST (0);
  AssayTorchItem *b = LIST (1);
  gboolean is_equal;

  if (a == NULL || b == NULL)
    return FALSE;
  is_equal = a->n == b->n;
  for (guint i = 0; is_equal && i < a->n; i++)
    {
      int order;

      if (!compare (self, a->items[i], b->items[i], &order))
        return FALSE;
      is_equal = order == 0;
    }

  return assay_torch_result_item (self, 0, assay_torch_bool (self, is_equal != rule->argument));
}

static gboolean
find_key (AssayTorchLower *self, const AssayTorchItem *dict, guint index, guint *place)
{
  AssayTorchItem *key = some_arg (self, index);

  if (key == NULL)
    return FALSE;
  if (!is_known (key))
    return assay_torch_cannot (self, "a key is only known at run time");

  return find (self, dict->n, dict->items, 2, key, place);
}

static gboolean
set_key (AssayTorchLower *self, AssayTorchItem *dict, AssayTorchItem *key, AssayTorchItem *value)
{
  AssayTorchItem *const entry[] = { key, value };
  guint place;

  if (!is_known (key))
    return assay_torch_cannot (self, "a key is only known at run time");
  if (!find (self, dict->n, dict->items, 2, key, &place))
    return FALSE;
  if (place == dict->n)
    return put (self, dict, dict->n, 2, entry);
  dict->items[place + 1] = value;

  return TRUE;
}

/* From all keys, then all values. */
gboolean
assay_torch_make_dict (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *dict = assay_torch_list (self, 0, NULL);
  guint n = self->op->n_operands / 2;

  dict->kind = ASSAY_TORCH_ITEM_DICT;
  for (guint i = 0; i < n; i++)
    {
      AssayTorchItem *key = some_arg (self, i);
      AssayTorchItem *value = some_arg (self, n + i);

      if (key == NULL || value == NULL || !set_key (self, dict, key, value))
        return FALSE;
    }

  return assay_torch_result_item (self, 0, dict);
}

/* From a list of pairs. */
gboolean
assay_torch_make_dict_of_pairs (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *dict = assay_torch_list (self, 0, NULL);
  AssayTorchItem *list = LIST (0);

  dict->kind = ASSAY_TORCH_ITEM_DICT;
  for (guint i = 0; list != NULL && i < list->n; i++)
    {
      const AssayTorchItem *pair = list->items[i];

      if (pair->kind != ASSAY_TORCH_ITEM_LIST || pair->n != 2)
        return assay_torch_cannot (self, "entry %u is no pair", i);
      if (!set_key (self, dict, pair->items[0], pair->items[1]))
        return FALSE;
    }

  return list != NULL && assay_torch_result_item (self, 0, dict);
}

/* The value of a key, which may be missing: an error, or none or the operand after it (1). */
gboolean
assay_torch_make_dict_get (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *dict = DICT (0);
  guint place;

  if (dict == NULL || !find_key (self, dict, 1, &place))
    return FALSE;
  if (place < dict->n)
    return assay_torch_result_item (self, 0, dict->items[place + 1]);
  if (rule->argument == 0)
    return assay_torch_cannot (self, "the dictionary has no such key");

  return assay_torch_result_item (self, 0,
                                  self->op->n_operands > 2
                                      ? some_arg (self, 2)
                                      : assay_torch_item_new (self, ASSAY_TORCH_ITEM_NONE));
}

gboolean
assay_torch_make_dict_set (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *dict = DICT (0);
  AssayTorchItem *key = some_arg (self, 1);
  AssayTorchItem *value = some_arg (self, 2);

  return dict != NULL && key != NULL && value != NULL && set_key (self, dict, key, value);
}

/* Takes a key out, and gives its value (1) or the operand after it. */
gboolean
assay_torch_make_dict_delete (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *dict = DICT (0);
  AssayTorchItem *value;
  guint place;

  if (dict == NULL || !find_key (self, dict, 1, &place))
    return FALSE;
  if (place == dict->n)
    return rule->argument == 1 && self->op->n_operands > 2
               ? assay_torch_result_item (self, 0, some_arg (self, 2))
               : assay_torch_cannot (self, "the dictionary has no such key");
  value = dict->items[place + 1];
  cut (dict, place, 2);

  return rule->argument == 0 || assay_torch_result_item (self, 0, value);
}

gboolean
assay_torch_make_dict_set_default (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *dict = DICT (0);
  AssayTorchItem *key = some_arg (self, 1);
  AssayTorchItem *value = some_arg (self, 2);
  guint place;

  if (dict == NULL || key == NULL || value == NULL || !find_key (self, dict, 1, &place))
    return FALSE;
  if (place < dict->n)
    value = dict->items[place + 1];
  else if (!set_key (self, dict, key, value))
    return FALSE;

  return assay_torch_result_item (self, 0, value);
}

gboolean
assay_torch_make_dict_update (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *dict = DICT (0);
  AssayTorchItem *other = DICT (1);

  if (dict == NULL || other == NULL)
    return FALSE;
  for (guint i = 0; i < other->n; i += 2)
    if (!set_key (self, dict, other->items[i], other->items[i + 1]))
      return FALSE;

  return TRUE;
}

gboolean
assay_torch_make_dict_contains (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *dict = DICT (0);
  guint place;

  return dict != NULL && find_key (self, dict, 1, &place) &&
         assay_torch_result_item (self, 0, assay_torch_bool (self, place < dict->n));
}

/* A list of the keys (0), of the values (1), or of both as pairs (2). */
gboolean
assay_torch_make_dict_list (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *dict = DICT (0);
  AssayTorchItem *list = assay_torch_list (self, 0, NULL);

  if (dict == NULL)
    return FALSE;
  for (guint i = 0; i < dict->n; i += 2)
    {
      AssayTorchItem *item = rule->argument == 2 ? assay_torch_list (self, 2, dict->items + i)
                                                 : dict->items[i + (guint) rule->argument];

      if (!put (self, list, list->n, 1, &item))
        return FALSE;
    }

  return assay_torch_result_item (self, 0, list);
}

gboolean
assay_torch_make_dict_pop_item (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *dict = DICT (0);
  AssayTorchItem *pair;

  if (dict == NULL || dict->n == 0)
    return assay_torch_cannot (self, "the dictionary is empty");
  pair = assay_torch_list (self, 2, dict->items);
  cut (dict, 0, 2);

  return assay_torch_result_item (self, 0, pair);
}
