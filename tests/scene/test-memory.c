/* test-memory.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The memory map: what is in use when, where it is drawn, and what is found where.
 */
#include <string.h>

#include "backend/stream/assay-stream-program.h"
#include "draw/assay-core-heat.h"
#include "draw/assay-memory-failure.h"
#include "draw/assay-store-needs.h"
#include "draw/assay-memory-scene.h"
#include "nnir/assay-graph-builder.h"
#include "tests/scene/assay-scene-models.h"

static AssayMemoryMap *
map_of (AssayStreamCode *code)
{
  g_autoptr (AssayProgram) program = assay_stream_program_new (code);

  return assay_memory_map_new (program);
}

static AssayMemoryMap *
make_map (void)
{
  g_autoptr (AssayStreamCode) code = assay_scene_code ();

  return map_of (code);
}

static AssayMemoryLook
make_look (AssayMemoryMap *map, guint core, AssayStore store)
{
  AssayMemoryLook look = { .width = 640, .height = 400, .core = core, .store = store };

  assay_memory_look_fit (&look, map);
  return look;
}

/* How full a core is while a node runs, wherever it does; nodes that the program does not know have
 * nothing. */
static void
test_fill (void)
{
  g_autoptr (AssayMemoryMap) map = NULL;
  g_autoptr (AssayStreamCode) code = assay_scene_code ();
  AssayGraph *graph = assay_graph_new ();
  AssayValueId x = assay_graph_add_input (graph, ASSAY_MAIN_REGION, "x", NULL);
  static const char *const names[] = { "first", "gone", "second" };
  const AssayInstruction instructions[] = {
    { .node = 1, .step = 0 },
    { .node = 1, .step = 3 },
    { .node = 2, .step = 7 },
  };
  g_autofree guint8 *fill = NULL;
  g_autofree guint8 *other = NULL;
  g_autoptr (AssayVerdicts) verdicts = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      AssayValueId y = assay_graph_add_value (graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT,
                                              names[i], NULL);

      assay_graph_add_node (graph, ASSAY_MAIN_REGION, ASSAY_OP_Relu, names[i], 1, &x, 1, &y);
    }
  g_ptr_array_set_size (code->node_names, 0);
  g_ptr_array_add (code->node_names, (gpointer) "");
  g_ptr_array_add (code->node_names, (gpointer) "first");
  g_ptr_array_add (code->node_names, (gpointer) "second");
  g_array_append_vals (code->instructions, instructions, G_N_ELEMENTS (instructions));

  map = map_of (code);
  verdicts = assay_scene_verdicts (graph);
  fill = assay_memory_map_dup_fill (map, 0, verdicts);
  g_assert_cmpuint (fill[1], ==, 1 + 254 * 12 / 16);
  g_assert_cmpuint (fill[2], ==, 0);
  g_assert_cmpuint (fill[3], ==, 1 + 254 * 6 / 16);
  other = assay_memory_map_dup_fill (map, 1, verdicts);
  g_assert_cmpuint (other[1], ==, 1 + 254 * 6 / 16);
  g_assert_cmpuint (other[3], ==, 1);
}

static void
test_use (void)
{
  static const guint32 expected[] = { 6, 6, 12, 12, 12, 12, 6, 6 };
  g_autoptr (AssayMemoryMap) map = make_map ();
  const AssayMemoryUse *use = assay_memory_map_get_use (map, 0, ASSAY_STORE_TENSOR);
  guint32 blocks[ASSAY_N_TENSOR_KINDS];

  g_assert_cmpuint (map->n_steps, ==, G_N_ELEMENTS (expected));
  g_assert_cmpuint (map->peak_core, ==, 0);
  g_assert_cmpuint (use->peak, ==, 12);
  g_assert_cmpuint (use->peak_step, ==, 2);
  for (guint32 step = 0; step < map->n_steps; step++)
    {
      g_assert_cmpuint (use->used[step], ==, expected[step]);
      g_assert_cmpuint (assay_memory_map_compose (map, 0, ASSAY_STORE_TENSOR, step, blocks), ==,
                        expected[step]);
      g_assert_cmpuint (blocks[ASSAY_TENSOR_STATE], ==, 4);
    }
  g_assert_null (assay_memory_map_get_use (map, 0, ASSAY_STORE_CELL)->used);
  g_assert_cmpuint (assay_memory_map_get_use (map, 1, ASSAY_STORE_ACCUMULATOR)->peak, ==, 3);

  g_assert_cmpuint (assay_memory_map_find_peak (map, 0, ASSAY_STORE_TENSOR, 0, 1), ==, 2);
  g_assert_cmpuint (assay_memory_map_find_peak (map, 0, ASSAY_STORE_TENSOR, 7, -1), ==, 2);
  g_assert_cmpuint (assay_memory_map_find_peak (map, 0, ASSAY_STORE_TENSOR, 2, 1), ==, 2);
}

static guint
count_items (const AssayDisplayList *list, AssayDrawKind kind)
{
  guint n = 0;

  for (guint i = 0; i < list->items->len; i++)
    n += g_array_index (list->items, AssayDrawItem, i).kind == kind;

  return n;
}

/* Every tensor in sight is a group, and what is found in its middle is the tensor itself. */
/* Vectors of one tensor are one thing: three of an input, of which one stays longer. A copy of it
 * and a window that is called like the result of its node are others. */
static void
test_groups (void)
{
  const AssayPlanned rows[] = {
    { "in", 0, 0, ASSAY_STORE_TENSOR, ASSAY_TENSOR_INPUT, 8, 2, 0, 3, 1 },
    { "in", 0, 0, ASSAY_STORE_TENSOR, ASSAY_TENSOR_INPUT, 2, 2, 0, 6, 2 },
    { "in", 0, 0, ASSAY_STORE_TENSOR, ASSAY_TENSOR_INPUT, 4, 2, 1, 3, 1 },
    { "in", 0, 0, ASSAY_STORE_TENSOR, ASSAY_TENSOR_COPY, 6, 2, 0, 3, 1 },
    { "a", 1, 0, ASSAY_STORE_TENSOR, ASSAY_TENSOR_STATE, 10, 1, 0, G_MAXUINT32, 1 },
    { "a", 1, 0, ASSAY_STORE_TENSOR, ASSAY_TENSOR_ACTIVATION, 11, 3, 1, 7, 2 },
  };
  static const struct
  {
    guint n;
    guint32 base, born, blocks, died, reader;
    guint64 cost;
  } expected[] = {
    { 3, 2, 0, 6, 6, 2, 2 * 4 + 2 * 7 + 2 * 3 },
    { 1, 6, 0, 2, 3, 1, 2 * 4 },
    { 1, 10, 0, 1, G_MAXUINT32, 1, 8 },
    { 1, 11, 1, 3, 7, 2, 3 * 7 },
  };
  g_autoptr (AssayStreamCode) code = assay_scene_code ();
  g_autoptr (AssayMemoryMap) map = NULL;
  g_autoptr (GArray) live = NULL;
  g_autoptr (GPtrArray) groups = NULL;
  g_autoptr (AssayDisplayList) list = assay_display_list_new ();
  AssayMemoryLook look;
  guint names = 0;

  g_array_set_size (code->plan, 0);
  g_array_append_vals (code->plan, rows, G_N_ELEMENTS (rows));
  map = map_of (code);
  live = assay_memory_map_list_live (map, 0, ASSAY_STORE_TENSOR, 2);
  groups = assay_memory_map_group (map, live);
  g_assert_cmpuint (groups->len, ==, G_N_ELEMENTS (expected));
  for (guint i = 0; i < groups->len; i++)
    {
      const AssayPlanned *row = &rows[i == 0 ? 0 : i + 2];
      const AssayMemoryGroup *group = NULL;

      /* What is born at one step comes in any order. */
      for (guint j = 0; j < groups->len && group == NULL; j++)
        {
          const AssayMemoryGroup *other = g_ptr_array_index (groups, j);

          if (other->last->kind == row->kind)
            group = other;
        }
      g_assert_nonnull (group);
      g_assert_cmpstr (group->last->name, ==, row->name);
      g_assert_cmpuint (group->tensors->len, ==, expected[i].n);
      g_assert_cmpuint (group->base, ==, expected[i].base);
      g_assert_cmpuint (group->born, ==, expected[i].born);
      g_assert_cmpuint (group->blocks, ==, expected[i].blocks);
      g_assert_cmpuint (group->last->died, ==, expected[i].died);
      g_assert_cmpuint (group->last->reader, ==, expected[i].reader);
      g_assert_cmpuint (group->cost, ==, expected[i].cost);
    }

  /* Nor is the name written on those that lie on another: 2 and 4, then 8; the copy has its own. */
  look = make_look (map, 0, ASSAY_STORE_TENSOR);
  look.height = 1200;
  assay_memory_scene_draw_names (map, &look, list);
  for (guint i = 0; i < list->items->len; i++)
    {
      const AssayDrawItem *item = &g_array_index (list->items, AssayDrawItem, i);

      names += item->kind == ASSAY_DRAW_TEXT && g_str_equal (list->text->str + item->data, "in");
    }
  g_assert_cmpuint (names, ==, 3);
}

static void
test_structure (void)
{
  g_autoptr (AssayMemoryMap) map = make_map ();

  for (guint core = 0; core < 2; core++)
    {
      AssayMemoryLook look = make_look (map, core, ASSAY_STORE_TENSOR);
      const AssayMemoryUse *use = assay_memory_map_get_use (map, core, ASSAY_STORE_TENSOR);
      g_autoptr (AssayDisplayList) list = assay_display_list_new ();

      assay_memory_scene_draw (map, &look, list);
      g_assert_cmpuint (count_items (list, ASSAY_DRAW_GROUP), ==, use->tensors->len);
      for (guint i = 0; i < use->tensors->len; i++)
        {
          guint32 tensor = g_array_index (use->tensors, guint32, i);
          const AssayPlanned *planned = assay_memory_map_get_tensor (map, tensor);
          double last = assay_memory_map_get_last_step (map, planned);
          double x = assay_memory_look_get_x (&look, (planned->born + last + 1) / 2);
          double y = assay_memory_look_get_y (&look, planned->base + planned->blocks / 2.0);
          guint32 step, block;

          g_assert_cmpint (assay_memory_look_locate (&look, map, x, y, &step, &block), ==,
                           ASSAY_MEMORY_PART_MAP);
          g_assert_cmpuint (assay_memory_scene_find (map, &look, step, block), ==, tensor);
        }
    }
}

static void
check_inside (const AssayDisplayList *list, double width, double height)
{
  for (guint i = 0; i < list->items->len; i++)
    {
      const AssayDrawItem *item = &g_array_index (list->items, AssayDrawItem, i);

      if (item->kind == ASSAY_DRAW_TEXT || item->kind == ASSAY_DRAW_END ||
          item->kind == ASSAY_DRAW_GROUP)
        continue;
      g_assert_cmpfloat (item->x, >=, 0);
      g_assert_cmpfloat (item->y, >=, 0);
      g_assert_cmpfloat (item->x + item->width, <=, width + 1);
      g_assert_cmpfloat (item->y + item->height, <=, height + 1);
    }
}

static gboolean
has_text (const AssayDisplayList *list, const char *text)
{
  for (guint i = 0; i < list->items->len; i++)
    {
      const AssayDrawItem *item = &g_array_index (list->items, AssayDrawItem, i);

      if (item->kind == ASSAY_DRAW_TEXT && g_str_equal (list->text->str + item->data, text))
        return TRUE;
    }

  return FALSE;
}

/* Nothing but text may leave the picture. */
static void
test_bounds (void)
{
  static const double sizes[][2] = { { 320, 160 }, { 640, 400 }, { 1800, 900 } };
  g_autoptr (AssayMemoryMap) map = make_map ();

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      AssayMemoryLook look = make_look (map, 0, ASSAY_STORE_TENSOR);
      g_autoptr (AssayDisplayList) list = assay_display_list_new ();

      look.width = sizes[i][0];
      look.height = sizes[i][1];
      assay_memory_scene_draw (map, &look, list);
      check_inside (list, look.width, look.height);
    }
}

/* The marks follow playhead and selection; the rest does not know them. */
static void
test_marks (void)
{
  g_autoptr (AssayMemoryMap) map = make_map ();
  AssayMemoryLook look = make_look (map, 0, ASSAY_STORE_TENSOR);
  g_autoptr (AssayDisplayList) before = assay_display_list_new ();
  g_autoptr (AssayDisplayList) after = assay_display_list_new ();
  g_autoptr (GArray) selected = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint32 tensor = 2;
  guint boxes;

  assay_memory_scene_draw_marks (map, &look, 0, ASSAY_NO_STEP, NULL, before);
  assay_memory_scene_draw_marks (map, &look, 5, ASSAY_NO_STEP, NULL, after);
  g_assert_cmpuint (before->items->len, !=, after->items->len);

  boxes = count_items (after, ASSAY_DRAW_BOX);
  g_array_append_val (selected, tensor);
  assay_display_list_clear (after);
  assay_memory_scene_draw_marks (map, &look, 5, ASSAY_NO_STEP, selected, after);
  g_assert_cmpuint (count_items (after, ASSAY_DRAW_BOX), ==, boxes + 3);
}

/* Against step 0, where state and input lay: at step 5 `a` and `b` are new, and the input is gone.
 */
static void
test_pin (void)
{
  g_autoptr (AssayMemoryMap) map = make_map ();
  AssayMemoryLook look = make_look (map, 0, ASSAY_STORE_TENSOR);
  g_autoptr (AssayDisplayList) list = assay_display_list_new ();

  assay_memory_scene_draw_marks (map, &look, 5, 0, NULL, list);
  g_assert_true (has_text (list, "+ a"));
  g_assert_true (has_text (list, "+ b"));
  g_assert_true (has_text (list, "− in"));
  g_assert_true (has_text (list, "state"));
  g_assert_true (has_text (list, "pinned, step 0"));
}

static const AssayDrawItem *
find_flag (const AssayDisplayList *list, const char *prefix)
{
  for (guint i = 0; i < list->items->len; i++)
    {
      const AssayDrawItem *item = &g_array_index (list->items, AssayDrawItem, i);

      if (item->kind == ASSAY_DRAW_TEXT && g_str_has_prefix (list->text->str + item->data, prefix))
        return item;
    }

  return NULL;
}

/* Wherever the pin is, its flag leaves that of the peak to be read. */
static void
test_flags (void)
{
  g_autoptr (AssayMemoryMap) map = make_map ();

  for (guint32 pinned = 0; pinned < map->n_steps; pinned++)
    {
      AssayMemoryLook look = make_look (map, 0, ASSAY_STORE_TENSOR);
      g_autoptr (AssayDisplayList) list = assay_display_list_new ();
      const AssayDrawItem *peak, *pin;

      assay_memory_scene_draw (map, &look, list);
      assay_memory_scene_draw_marks (map, &look, 0, pinned, NULL, list);
      peak = find_flag (list, "peak ");
      pin = find_flag (list, "pinned, ");
      g_assert_nonnull (peak);
      g_assert_nonnull (pin);
      g_assert_true (pin->x + pin->width <= peak->x || peak->x + peak->width <= pin->x);
      g_assert_cmpfloat (pin->x, >=, 0);
      g_assert_cmpfloat (pin->x + pin->width, <=, look.width);
    }
}

/* `a` of core 0 is copied to core 1, and is drawn in both strips when it is selected. */
static void
test_copies (void)
{
  g_autoptr (AssayMemoryMap) map = make_map ();
  guint64 owners;
  guint marked[2];

  g_assert_cmpuint (assay_memory_map_find_copies (map, 4, &owners), ==, 1 << 1);
  g_assert_cmpuint (owners, ==, 0);
  ((AssayPlanned *) (gpointer) assay_memory_map_get_tensor (map, 4))->base = 6;
  g_assert_cmpuint (assay_memory_map_find_copies (map, 2, &owners), ==, 1 << 1);
  g_assert_cmpuint (owners, ==, 1 << 0);
  g_assert_cmpuint (assay_memory_map_find_copies (map, 3, &owners), ==, 0);

  for (guint core = 0; core < 2; core++)
    {
      g_autoptr (AssayDisplayList) list = assay_display_list_new ();

      assay_memory_scene_draw_strip (map, core, ASSAY_STORE_TENSOR, 2, 80, 12, list);
      marked[core] = 0;
      for (guint i = 0; i < list->items->len; i++)
        marked[core] += g_array_index (list->items, AssayDrawItem, i).role == ASSAY_ROLE_ACCENT;
    }
  g_assert_cmpuint (marked[0], ==, 1);
  g_assert_cmpuint (marked[1], ==, 1);
}

/* By name, so that a new role does not change the text. */
static const char *
role_name (guint role)
{
  static const char *const names[] = {
#define THEME(id, ...) [ASSAY_ROLE_##id] = #id,
#define MIX(id, ...) [ASSAY_ROLE_##id] = #id,
#define MIX_EACH(id, ...) [ASSAY_ROLE_##id] = #id,
#include "draw/roles.def"

#include "test-program.h"
#undef THEME
#undef MIX
#undef MIX_EACH
  };

  return role < G_N_ELEMENTS (names) && names[role] != NULL ? names[role] : "none";
}

static char *
dump (const AssayDisplayList *list)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < list->items->len; i++)
    {
      const AssayDrawItem *item = &g_array_index (list->items, AssayDrawItem, i);

      if (item->kind == ASSAY_DRAW_TEXT)
        continue;
      g_string_append_printf (text, "%u role %s %s style %u weight %g at %g %g size %g %g\n",
                              item->kind, role_name (item->role), role_name (item->border_role),
                              item->style, (double) item->weight, item->x, item->y, item->width,
                              item->height);
    }

  return g_string_free (text, FALSE);
}

static void
test_golden (void)
{
  g_autoptr (AssayMemoryMap) map = make_map ();
  AssayMemoryLook look = make_look (map, 0, ASSAY_STORE_TENSOR);
  g_autoptr (AssayDisplayList) list = assay_display_list_new ();
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "golden", "scene",
                                                 "memory-map.txt", NULL);
  g_autofree char *expected = NULL;
  g_autofree char *got = NULL;

  assay_memory_scene_draw (map, &look, list);
  assay_memory_scene_draw_marks (map, &look, map->uses[ASSAY_STORE_TENSOR][0].peak_step,
                                 ASSAY_NO_STEP, NULL, list);
  got = dump (list);
  if (g_getenv ("ASSAY_REGENERATE") != NULL)
    g_assert_true (g_file_set_contents (path, got, -1, NULL));
  g_assert_true (g_file_get_contents (path, &expected, NULL, NULL));
  g_assert_cmpstr (got, ==, expected);
}

/* Sixteen blocks; at step 4 something needs eight, and six are free in two pieces of three. */
static AssayAllocation *
make_failure (void)
{
  static const AssayLiveTensor living[] = {
    { (char *) "state", (char *) "cell", (char *) "cell", 0, 4, 0, G_MAXUINT32,
      ASSAY_TENSOR_STATE },
    { (char *) "a", (char *) "conv", (char *) "add", 7, 6, 2, 5, ASSAY_TENSOR_ACTIVATION },
  };
  static const AssayLiveTensor gone = { (char *) "in",     (char *) "", (char *) "conv", 4, 3, 0, 3,
                                        ASSAY_TENSOR_INPUT };
  AssayAllocation *allocation = assay_allocation_new ("tensor RAM", 1, 16);

  allocation->step = 4;
  allocation->tensor = g_strdup ("b");
  allocation->node = g_strdup ("mul");
  allocation->needed = 8;
  allocation->available = 6;
  allocation->largest_hole = 3;
  for (guint i = 0; i < G_N_ELEMENTS (living); i++)
    assay_allocation_add_live (allocation, &living[i]);
  assay_allocation_add_past (allocation, &gone);
  return allocation;
}

/* Digits of all numbers stand in groups. */
static void
test_digits (void)
{
  g_autoptr (AssayAllocation) allocation = make_failure ();
  g_autoptr (AssayDisplayList) list = assay_display_list_new ();

  allocation->depth = 4096;
  allocation->step = 5000;
  allocation->needed = 2000;
  allocation->available = allocation->largest_hole = 1500;
  assay_memory_failure_draw (allocation, 800, 438, list);
  g_assert_true (has_text (list, "no room at step 5\u202f000"));
  g_assert_true (has_text (list, "largest hole 1\u202f500"));
  g_assert_true (has_text (list, "needs 2\u202f000"));
  g_assert_true (has_text (list, "4\u202f096"));
  g_assert_true (has_text (list, "2\u202f000"));
}

/* The request and the hole have the scale of the map: eight blocks to sixteen, three to sixteen. */
static void
test_failure (void)
{
  g_autoptr (AssayAllocation) allocation = make_failure ();
  g_autoptr (GArray) holes = assay_memory_failure_list_holes (allocation);
  g_autoptr (AssayDisplayList) list = assay_display_list_new ();
  double store = 0, request = 0, hole = 0;
  const double height = 438; /* 400 for the store, which divides by sixteen */

  g_assert_cmpuint (holes->len, ==, 2);
  g_assert_cmpuint (g_array_index (holes, AssayHole, 0).base, ==, 4);
  g_assert_cmpuint (g_array_index (holes, AssayHole, 0).blocks, ==, 3);
  g_assert_cmpuint (g_array_index (holes, AssayHole, 1).base, ==, 13);
  g_assert_cmpuint (g_array_index (holes, AssayHole, 1).blocks, ==, 3);

  assay_memory_failure_draw (allocation, 800, height, list);
  check_inside (list, 800, height);
  for (guint i = 0; i < list->items->len; i++)
    {
      const AssayDrawItem *item = &g_array_index (list->items, AssayDrawItem, i);

      if (item->kind == ASSAY_DRAW_RECTANGLE && store == 0)
        store = item->height;
      if (item->kind == ASSAY_DRAW_BOX && item->border_role == ASSAY_ROLE_ERROR)
        request = item->height;
      if (item->kind == ASSAY_DRAW_BOX && item->style == ASSAY_LINE_DOTTED && item->x > 700)
        hole = item->height;
    }
  g_assert_cmpfloat (store, ==, 400);
  g_assert_cmpfloat (request, ==, 200);
  g_assert_cmpfloat (hole, ==, 75);
  g_assert_true (has_text (list, "needs 8"));
  g_assert_true (has_text (list, "largest hole 3"));
  g_assert_true (has_text (list, "no room at step 4"));
  g_assert_true (has_text (list, "3 free"));

  /* What is gone is found in the map only, what is there in the section too. */
  g_assert_cmpstr (assay_memory_failure_find (allocation, 800, height, 60, 300)->name, ==, "in");
  g_assert_cmpstr (assay_memory_failure_find (allocation, 800, height, 60, 415)->name, ==, "state");
  g_assert_null (assay_memory_failure_find (allocation, 800, height, 60, 40));
}

/* A row per core whose shades are the shares of its store, the peak marked; each place leads back
 * to its core and step. */
static void
test_heat (void)
{
  g_autoptr (AssayMemoryMap) map = make_map ();
  g_autoptr (AssayDisplayList) list = assay_display_list_new ();
  const AssayDrawItem *fullest = NULL;
  const AssayDrawItem *peak = NULL;
  const double width = 538, height = 64; /* 400 for the steps, which are eight */
  guint core;
  guint32 step;

  assay_core_heat_draw (map, ASSAY_STORE_TENSOR, 1, 3, width, height, list);
  check_inside (list, width, height);
  for (guint i = 0; i < list->items->len; i++)
    {
      const AssayDrawItem *item = &g_array_index (list->items, AssayDrawItem, i);

      g_assert_false (item->kind == ASSAY_DRAW_RECTANGLE && item->role == ASSAY_ROLE_SCALE_5);
      if (item->kind == ASSAY_DRAW_RECTANGLE && item->role == ASSAY_ROLE_SCALE_4)
        fullest = item;
      if (item->kind == ASSAY_DRAW_BOX && item->border_role == ASSAY_ROLE_ERROR)
        peak = item;
    }
  /* Twelve of sixteen blocks from step 2 to step 5 of core 0. */
  g_assert_nonnull (fullest);
  g_assert_cmpfloat (fullest->width, ==, 200);
  g_assert_nonnull (peak);
  g_assert_cmpfloat (peak->y, ==, 0);
  g_assert_true (has_text (list, "peak 75 %"));
  g_assert_true (assay_core_heat_find (map, width, height, fullest->x + 1, 1, &core, &step));
  g_assert_cmpuint (core, ==, 0);
  g_assert_cmpuint (step, ==, 2);
  g_assert_true (assay_core_heat_find (map, width, height, fullest->x - 1, 63, &core, &step));
  g_assert_cmpuint (core, ==, map->n_cores - 1);
  g_assert_cmpuint (step, ==, 1);
  g_assert_false (assay_core_heat_find (map, width, height, 10, 1, &core, &step));

  /* 70.6 %, which the bar rounds down, too. */
  map->uses[ASSAY_STORE_TENSOR][0].depth = 17;
  assay_display_list_clear (list);
  assay_core_heat_draw (map, ASSAY_STORE_TENSOR, 1, 3, width, height, list);
  g_assert_true (has_text (list, "peak 70 %"));
}

/* All bars are full at one line, and the store that is needed most has its end at the end of them.
 * Tensors fill the core, largest first. */
static void
test_needs (void)
{
  static const AssayStoreNeed needs[] = { { "tensor RAM", 96, 32 }, { "weight store", 16, 64 } };
  g_autoptr (AssayAllocation) allocation = make_failure ();
  g_autoptr (AssayDisplayList) list = assay_display_list_new ();
  g_autoptr (GArray) depths = g_array_new (FALSE, FALSE, sizeof (double));
  g_autofree char *tensor = NULL;
  double last = G_MAXDOUBLE;
  double row = 0;

  g_array_append_vals (allocation->needs, needs, G_N_ELEMENTS (needs));
  row = assay_store_needs_get_height (allocation) / 3;
  assay_store_needs_draw (allocation, 844, list);
  check_inside (list, 844, 3 * row);
  for (guint i = 0; i < list->items->len; i++)
    {
      const AssayDrawItem *item = &g_array_index (list->items, AssayDrawItem, i);

      if (item->kind != ASSAY_DRAW_BOX)
        continue;
      if ((item->flags & 1) == 0)
        g_array_append_val (depths, item->width);
      else
        {
          g_assert_cmpfloat (item->width, <=, last);
          last = item->width;
        }
    }
  /* 480 pixels for three times what there is. */
  g_assert_cmpuint (depths->len, ==, 3);
  for (guint i = 0; i < depths->len; i++)
    g_assert_cmpfloat (g_array_index (depths, double, i), ==, 160);
  g_assert_true (has_text (list, "needs 96, has 32"));

  /* In a narrow picture bars keep their room, and what they stand for is shorter. */
  {
    g_autoptr (AssayDisplayList) narrow = assay_display_list_new ();

    assay_store_needs_draw (allocation, 360, narrow);
    check_inside (narrow, 360, 3 * row);
    g_assert_true (has_text (narrow, "96 of 32"));
    g_assert_false (has_text (narrow, "needs 96, has 32"));
  }
  tensor = assay_store_needs_find (allocation, 844, 170, row / 2);
  g_assert_nonnull (tensor);
  g_assert_null (assay_store_needs_find (allocation, 844, 170, 3 * row + 1));
}

/* A request that is larger than the store, weights, and every size of picture stay inside. */
static void
test_failure_bounds (void)
{
  static const double sizes[][2] = { { 480, 160 }, { 720, 300 }, { 1800, 900 } };
  g_autoptr (AssayAllocation) tensors = make_failure ();
  g_autoptr (AssayAllocation) weights = assay_allocation_new ("weight store", 0, 16);
  const AssayLiveTensor fc = {
    (char *) "fc", (char *) "fc", (char *) "fc", 0, 24, 0, G_MAXUINT32, 0
  };

  tensors->needed = 40;
  weights->needed = 24;
  weights->available = weights->largest_hole = 16;
  assay_allocation_add_live (weights, &fc);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autoptr (AssayDisplayList) list = assay_display_list_new ();
      guint n;

      assay_memory_failure_draw (tensors, sizes[i][0], sizes[i][1], list);
      check_inside (list, sizes[i][0], sizes[i][1]);
      n = list->items->len;
      assay_display_list_clear (list);
      assay_memory_failure_draw (weights, sizes[i][0], sizes[i][1], list);
      check_inside (list, sizes[i][0], sizes[i][1]);
      g_assert_cmpuint (list->items->len, <, n);
      g_assert_true (has_text (list, "has 16"));
      g_assert_true (has_text (list, "fc"));
    }
}

/* The labels of a vertical scale, which end at its left edge. Returns how many there are. */
static guint
check_scale (const AssayDisplayList *list, double height)
{
  g_autoptr (GArray) tops = g_array_new (FALSE, FALSE, sizeof (double));

  for (guint i = 0; i < list->items->len; i++)
    {
      const AssayDrawItem *item = &g_array_index (list->items, AssayDrawItem, i);

      if (item->kind != ASSAY_DRAW_TEXT || item->x > 0 || item->x + item->width > 60)
        continue;
      for (guint k = 0; k < tops->len; k++)
        if (ABS (g_array_index (tops, double, k) - item->y) < 13)
          g_error ("at a height of %g a label is at %g, another at %g", height, item->y,
                   g_array_index (tops, double, k));
      g_array_append_val (tops, item->y);
    }

  return tops->len;
}

/* However low a picture is, and however little of it the store takes, no label touches another. */
static void
test_scales (void)
{
  g_autoptr (AssayMemoryMap) map = make_map ();
  g_autoptr (AssayDisplayList) list = assay_display_list_new ();
  guint most = 0, least = G_MAXUINT;

  for (double height = 40; height < 500; height += 3)
    for (guint32 needed = 8; needed < 4096; needed *= 2)
      {
        g_autoptr (AssayAllocation) allocation = make_failure ();
        guint n;

        allocation->needed = needed;
        assay_display_list_clear (list);
        assay_memory_failure_draw (allocation, 800, height, list);
        n = check_scale (list, height);
        most = MAX (most, n);
        least = MIN (least, n);
      }
  g_assert_cmpuint (most, ==, 5);
  g_assert_cmpuint (least, ==, 1);

  for (double height = 100; height < 500; height += 3)
    for (guint core = 0; core < map->n_cores; core++)
      {
        AssayMemoryLook look = make_look (map, core, ASSAY_STORE_TENSOR);

        look.height = height;
        assay_display_list_clear (list);
        assay_memory_scene_draw (map, &look, list);
        g_assert_cmpuint (check_scale (list, height), >, 0);
      }

  for (double height = 14; height < 500; height += 3)
    {
      assay_display_list_clear (list);
      assay_core_heat_draw (map, ASSAY_STORE_TENSOR, 0, 3, 538, height, list);
      check_scale (list, height);
    }
}

TEST_PROGRAM (memory)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/memory/map/use", test_use);
  g_test_add_func ("/memory/map/fill", test_fill);
  g_test_add_func ("/memory/map/groups", test_groups);
  g_test_add_func ("/memory/scene/structure", test_structure);
  g_test_add_func ("/memory/scene/bounds", test_bounds);
  g_test_add_func ("/memory/scene/marks", test_marks);
  g_test_add_func ("/memory/scene/pin", test_pin);
  g_test_add_func ("/memory/scene/flags", test_flags);
  g_test_add_func ("/memory/scene/copies", test_copies);
  g_test_add_func ("/memory/scene/golden", test_golden);
  g_test_add_func ("/memory/failure/digits", test_digits);
  g_test_add_func ("/memory/failure/scale", test_failure);
  g_test_add_func ("/memory/needs", test_needs);
  g_test_add_func ("/memory/heat", test_heat);
  g_test_add_func ("/memory/failure/bounds", test_failure_bounds);
  g_test_add_func ("/memory/scales", test_scales);

  return g_test_run ();
}
