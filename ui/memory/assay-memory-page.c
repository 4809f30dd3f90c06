/* assay-memory-page.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/memory/assay-memory-page.h"

#include "backend/stream/compile/assay-metrics.h"
#include "draw/assay-memory-scene.h"
#include "ui/memory/assay-allocation-page.h"
#include "ui/memory/assay-core-strip.h"
#include "ui/memory/assay-gauge.h"
#include "ui/memory/assay-memory-chart.h"
#include "ui/memory/assay-program-page.h"
#include "ui/tensor/assay-tensor-table.h"
#include "ui/memory/assay-trial-bar.h"
#include "ui/window/assay-ui.h"

/* From this height on there is room for the table without asking. */
#define TALL 640

/* Of the strip: so many fit with large text too. */
#define CORES_PER_ROW 6

struct _AssayMemoryPage
{
  GtkWidget parent_instance;

  AssaySession *session;
  AssayMemoryMap *map;
  AssayCodeMetrics *numbers;
  AssayStore store;
  GSimpleActionGroup *actions; /* "memory." */
  gboolean was_tall;
  guint idle;
  GPtrArray *core_buttons;

  GtkWidget *root;
  AssayTrialBar *trial_bar;
  GtkStack *stack;
  AssayAllocationPage *failure_page;
  AssayProgramPage *empty_page;
  GtkGrid *cores;
  GtkBox *stores;
  GtkToggleButton *table_toggle;
  GtkLabel *sentence;
  GtkStack *body;
  AssayMemoryChart *chart;
  GtkGrid *metrics;
  GtkWidget *composition_box;
  GtkLabel *composition;
  GtkLabel *agreement;
  GtkBox *gauges;
  GtkRevealer *table_revealer;
  AssayTensorTable *table;
};

static void assay_memory_page_page_init (AssayPageInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (AssayMemoryPage, assay_memory_page, GTK_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (ASSAY_TYPE_PAGE, assay_memory_page_page_init))

/* What can be chosen; the last one is a table of numbers. */
static const struct
{
  const char *name; /* what memory.store is given */
  const char *title;
  const char *noun;
  AssayStore store;
  goffset metric;
  const char *member; /* the depth in a configuration */
} choices[] = {
  { "tensor", "Tensor RAM", "tensor RAM", ASSAY_STORE_TENSOR,
    G_STRUCT_OFFSET (AssayCoreMetrics, tensor_ram), "tensor_ram_depth" },
  { "weights", "Weights", "the weight store", ASSAY_CHART_WEIGHTS,
    G_STRUCT_OFFSET (AssayCoreMetrics, weight_store), "weight_store_depth" },
  { "accumulators", "Accumulators", "the accumulator store", ASSAY_STORE_ACCUMULATOR,
    G_STRUCT_OFFSET (AssayCoreMetrics, accum_store), "accum_store_depth" },
  { "cell", "Cell State", "the cell state store", ASSAY_STORE_CELL,
    G_STRUCT_OFFSET (AssayCoreMetrics, cell_state), "cell_state_depth" },
  { "metrics", "Metrics", "", ASSAY_STORE_NONE, 0, NULL },
};

/* Rows of the Metrics table. */
static const struct
{
  const char *title;
  goffset metric;
  goffset depth; /* in AssayConfigValues, 0 for none */
  gboolean is_gauge;
} numbers[] = {
  { "Tensor RAM, blocks", G_STRUCT_OFFSET (AssayCoreMetrics, tensor_ram),
    G_STRUCT_OFFSET (AssayConfigValues, tensor_ram_depth) },
  { "Weight store, blocks", G_STRUCT_OFFSET (AssayCoreMetrics, weight_store),
    G_STRUCT_OFFSET (AssayConfigValues, weight_store_depth) },
  { "Accumulators, blocks", G_STRUCT_OFFSET (AssayCoreMetrics, accum_store),
    G_STRUCT_OFFSET (AssayConfigValues, accum_store_depth) },
  { "Cell state, blocks", G_STRUCT_OFFSET (AssayCoreMetrics, cell_state),
    G_STRUCT_OFFSET (AssayConfigValues, cell_state_depth) },
  { "Clamps", G_STRUCT_OFFSET (AssayCoreMetrics, clamp_store),
    G_STRUCT_OFFSET (AssayConfigValues, clamp_store_depth), TRUE },
  { "Tensor descriptors", G_STRUCT_OFFSET (AssayCoreMetrics, tensor_descriptors),
    G_STRUCT_OFFSET (AssayConfigValues, tensor_descriptor_count), TRUE },
  { "Instructions", G_STRUCT_OFFSET (AssayCoreMetrics, instrs), 0, TRUE },
};

static AssayCompilation *
get_compilation (AssayMemoryPage *self)
{
  return assay_session_get_compilation (self->session);
}

static gboolean
is_timed_store (AssayStore store)
{
  return store == ASSAY_STORE_TENSOR || store == ASSAY_STORE_ACCUMULATOR ||
         store == ASSAY_STORE_CELL;
}

/* Where the chosen store has no steps, the one that a playhead makes sense in. */
static AssayStore
get_timed_store (AssayMemoryPage *self)
{
  return is_timed_store (self->store) ? self->store : ASSAY_STORE_TENSOR;
}

static guint
find_choice (AssayStore store)
{
  for (guint i = 0; i < G_N_ELEMENTS (choices); i++)
    if (choices[i].store == store)
      return i;

  return 0;
}

static void
append_count (GString *text, guint64 count, const char *before, const char *after)
{
  g_autofree char *number = assay_ui_format_count (count);

  g_string_append_printf (text, "%s%s%s", before, number, after);
}

/* All vectors of one tensor. */
typedef struct
{
  const AssayPlanned *last;
  guint32 born;
  guint32 blocks;
  guint64 cost;
} Keeper;

/* Who keeps the most room for the longest time, in words. */
static void
append_keeper (AssayMemoryPage *self, GArray *live, GString *text)
{
  g_autoptr (GHashTable) tensors = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  const Keeper *worst = NULL;
  const char *reader;

  for (guint i = 0; i < live->len; i++)
    {
      const AssayPlanned *planned = assay_memory_map_get_tensor (self->map,
                                                                 g_array_index (live, guint32, i));
      Keeper *keeper = g_hash_table_lookup (tensors, planned->name);

      if (planned->died == G_MAXUINT32)
        continue;
      if (keeper == NULL)
        {
          keeper = g_new0 (Keeper, 1);
          *keeper = (Keeper){ planned, planned->born, 0, 0 };
          g_hash_table_insert (tensors, (gpointer) planned->name, keeper);
        }
      if (planned->died > keeper->last->died)
        keeper->last = planned;
      keeper->born = MIN (keeper->born, planned->born);
      keeper->blocks += planned->blocks;
      keeper->cost += (guint64) planned->blocks * (planned->died - planned->born + 1);
      if (worst == NULL || keeper->cost > worst->cost)
        worst = keeper;
    }
  if (worst == NULL || worst->last->died <= worst->born)
    return;

  reader = assay_compilation_get_node_name (get_compilation (self), worst->last->reader);
  g_string_append_printf (text, " %s", worst->last->name);
  append_count (text, worst->blocks, " (", ")");
  append_count (text, worst->last->died - worst->born + 1, " stays for ", " steps");
  if (*reader != '\0')
    g_string_append_printf (text, " because %s reads it last", reader);
  g_string_append_c (text, '.');
}

static void
append_step_sentence (AssayMemoryPage *self, GString *text)
{
  guint core = assay_compilation_get_core (get_compilation (self));
  guint32 step = assay_compilation_get_playhead (get_compilation (self));
  const AssayMemoryUse *use = assay_memory_map_get_use (self->map, core, self->store);
  g_autoptr (GArray) live = assay_memory_map_list_live (self->map, core, self->store, step);
  guint32 blocks[ASSAY_N_TENSOR_KINDS];
  guint32 sum = assay_memory_map_compose (self->map, core, self->store, step, blocks);
  const char *node = "";
  g_autofree char *used = NULL;

  for (guint i = 0; i < self->map->code->instructions->len && *node == '\0'; i++)
    {
      const AssayInstruction *instruction = &g_array_index (self->map->code->instructions,
                                                            AssayInstruction, i);

      if (instruction->step == step)
        node = assay_compilation_get_node_name (get_compilation (self), instruction->node);
    }

  used = assay_ui_format_use (sum, use->depth, self->map->code->config.block_size);
  g_string_append_printf (text, "%s%s of %s", sum == use->peak && sum > 0 ? "Peak " : "", used,
                          choices[find_choice (self->store)].noun);
  append_count (text, core, " in core ", "");
  append_count (text, step, " at step ", "");
  if (*node != '\0')
    g_string_append_printf (text, ", %s", node);
  g_string_append_c (text, '.');
  if (blocks[ASSAY_TENSOR_COPY] > 0)
    append_count (text, blocks[ASSAY_TENSOR_COPY], " ", " are copies from other cores.");
  append_keeper (self, live, text);
}

static void
update_sentence (AssayMemoryPage *self)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (is_timed_store (self->store))
    append_step_sentence (self, text);
  else if (self->store == ASSAY_CHART_WEIGHTS)
    {
      guint64 used = 0;

      for (guint core = 0; core < self->map->n_cores; core++)
        used += self->map->weights[core];
      append_count (text, used, "", " weight blocks of ");
      append_count (text, (guint64) self->map->n_cores * self->map->code->config.weight_store_depth,
                    "", " in all cores. What is hatched pads matrices to whole blocks.");
    }
  else
    g_string_append (text, "What the program uses of each core, and what a core has.");

  if (assay_compilation_get_state (get_compilation (self)) != ASSAY_COMPILATION_READY)
    g_string_prepend (text, "This is the program before the last change. ");
  gtk_label_set_label (self->sentence, text->str);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->sentence), text->str);
}

/* The least depth with which the plan would do: one past the highest address that is ever in use.
 */
static guint32
find_highest (AssayMemoryPage *self, guint core)
{
  const AssayMemoryUse *use = assay_memory_map_get_use (self->map, core, self->store);
  guint32 highest = 0;

  for (guint i = 0; i < use->tensors->len; i++)
    {
      const AssayPlanned *planned = assay_memory_map_get_tensor (
          self->map, g_array_index (use->tensors, guint32, i));

      highest = MAX (highest, planned->base + planned->blocks);
    }

  return highest;
}

/* Against the pinned step: what came and what went. */
static void
append_difference (AssayMemoryPage *self, guint core, GString *text)
{
  guint32 pinned = assay_compilation_get_pinned (get_compilation (self));
  guint32 playhead = assay_compilation_get_playhead (get_compilation (self));
  const AssayMemoryUse *use = assay_memory_map_get_use (self->map, core, self->store);
  guint64 added = 0, gone = 0;

  if (pinned == ASSAY_NO_STEP || pinned == playhead)
    return;

  for (guint i = 0; i < use->tensors->len; i++)
    {
      const AssayPlanned *planned = assay_memory_map_get_tensor (
          self->map, g_array_index (use->tensors, guint32, i));
      gboolean now = planned->born <= playhead && planned->died >= playhead;
      gboolean then = planned->born <= pinned && planned->died >= pinned;

      if (now && !then)
        added += planned->blocks;
      else if (then && !now)
        gone += planned->blocks;
    }

  append_count (text, pinned, " Against step ", ":");
  append_count (text, added, " +", "");
  append_count (text, gone, " −", " blocks.");
}

/* Kinds add up to what is in use; the highest address of the plan is held against what metrics
 * count on their own. */
static void
update_composition (AssayMemoryPage *self)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *verdict = NULL;
  g_autofree char *size = NULL;
  g_autofree char *address = NULL;
  guint core = assay_compilation_get_core (get_compilation (self));
  guint32 blocks[ASSAY_N_TENSOR_KINDS];
  guint32 sum, highest, metric;

  gtk_widget_set_visible (self->composition_box, is_timed_store (self->store));
  if (!is_timed_store (self->store))
    return;

  sum = assay_memory_map_compose (self->map, core, self->store,
                                  assay_compilation_get_playhead (get_compilation (self)), blocks);
  for (guint kind = 0; kind < ASSAY_N_TENSOR_KINDS; kind++)
    if (blocks[kind] > 0)
      {
        append_count (text, blocks[kind], text->len > 0 ? " + " : "", " ");
        g_string_append (text, assay_memory_kind_name (kind));
      }
  if (text->len == 0)
    g_string_append (text, "nothing");
  size = assay_ui_format_blocks (sum, self->map->code->config.block_size);
  g_string_append_printf (text, " = %s.", size);
  append_difference (self, core, text);

  highest = find_highest (self, core);
  metric = G_STRUCT_MEMBER (guint32, &self->numbers->cores[core],
                            choices[find_choice (self->store)].metric);
  address = assay_ui_format_address (highest);
  g_string_append_printf (text, " Highest address %s", address);
  gtk_label_set_label (self->composition, text->str);

  if (highest == metric)
    verdict = g_strdup ("equals metrics");
  else
    verdict = g_strdup_printf ("differs from metrics by %" G_GINT64_FORMAT,
                               (gint64) highest - metric);
  gtk_label_set_label (self->agreement, verdict);
  if (highest == metric)
    gtk_widget_remove_css_class (GTK_WIDGET (self->agreement), "error");
  else
    gtk_widget_add_css_class (GTK_WIDGET (self->agreement), "error");
}

/* Stores without lifetimes have nothing to draw but how full they are. */
static void
update_gauges (AssayMemoryPage *self)
{
  guint core = assay_compilation_get_core (get_compilation (self));
  GtkWidget *gauge = gtk_widget_get_first_child (GTK_WIDGET (self->gauges));

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      guint32 used = G_STRUCT_MEMBER (guint32, &self->numbers->cores[core], numbers[i].metric);
      g_autofree char *count = assay_ui_format_count (used);
      g_autofree char *text = NULL;

      if (!numbers[i].is_gauge)
        continue;
      if (gauge == NULL)
        {
          gauge = assay_gauge_new ();
          gtk_box_append (self->gauges, gauge);
        }
      if (numbers[i].depth != 0)
        {
          guint depth = G_STRUCT_MEMBER (guint, &self->numbers->config, numbers[i].depth);
          g_autofree char *whole = assay_ui_format_count (depth);

          text = g_strdup_printf ("%s %s / %s", numbers[i].title, count, whole);
          assay_gauge_set (ASSAY_GAUGE (gauge), text, (double) used / MAX (depth, 1));
        }
      else
        {
          text = g_strdup_printf ("%s %s", numbers[i].title, count);
          assay_gauge_set (ASSAY_GAUGE (gauge), text, -1);
        }
      gauge = gtk_widget_get_next_sibling (gauge);
    }
}

static void
update_texts (AssayMemoryPage *self)
{
  if (self->map == NULL)
    return;

  update_sentence (self);
  update_composition (self);
  update_gauges (self);
}

static void
add_cell (AssayMemoryPage *self, const char *text, int column, int row, const char *css_class)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), column == 0 ? 0 : 1);
  gtk_widget_add_css_class (label, css_class);
  gtk_grid_attach (self->metrics, label, column, row, 1, 1);
}

static void
fill_metrics (AssayMemoryPage *self)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->metrics))) != NULL)
    gtk_grid_remove (self->metrics, child);

  add_cell (self, "", 0, 0, "heading");
  for (guint core = 0; core < self->numbers->n_cores; core++)
    {
      g_autofree char *title = g_strdup_printf ("core %u", core);

      add_cell (self, title, (int) core + 1, 0, "heading");
    }
  add_cell (self, "has", (int) self->numbers->n_cores + 1, 0, "heading");

  for (guint row = 0; row < G_N_ELEMENTS (numbers); row++)
    {
      add_cell (self, numbers[row].title, 0, (int) row + 1, "heading");
      for (guint core = 0; core < self->numbers->n_cores; core++)
        {
          g_autofree char *text = assay_ui_format_count (
              G_STRUCT_MEMBER (guint32, &self->numbers->cores[core], numbers[row].metric));
          add_cell (self, text, (int) core + 1, (int) row + 1, "numeric");
        }
      if (numbers[row].depth != 0)
        {
          g_autofree char *text = assay_ui_format_count (
              G_STRUCT_MEMBER (guint, &self->numbers->config, numbers[row].depth));
          add_cell (self, text, (int) self->numbers->n_cores + 1, (int) row + 1, "numeric");
        }
    }
}

/* Buttons show the state of the action that they call. */
static void
set_state (AssayMemoryPage *self, const char *name, GVariant *state)
{
  GAction *action = g_action_map_lookup_action (G_ACTION_MAP (self->actions), name);

  g_simple_action_set_state (G_SIMPLE_ACTION (action), state);
}

static void
core_changed_cb (AssayMemoryPage *self)
{
  set_state (self, "core",
             g_variant_new_int32 ((gint32) assay_compilation_get_core (get_compilation (self))));
  update_texts (self);
}

static void
playhead_changed_cb (AssayMemoryPage *self)
{
  set_state (
      self, "playhead",
      g_variant_new_int32 ((gint32) assay_compilation_get_playhead (get_compilation (self))));
  update_texts (self);
}

static void
fill_cores (AssayMemoryPage *self)
{
  AssayStore store = get_timed_store (self);

  for (guint i = 0; i < self->core_buttons->len; i++)
    gtk_grid_remove (self->cores, g_ptr_array_index (self->core_buttons, i));
  g_ptr_array_set_size (self->core_buttons, 0);

  for (guint core = 0; core < self->map->n_cores; core++)
    {
      GtkWidget *button = gtk_toggle_button_new ();
      const AssayMemoryUse *use = assay_memory_map_get_use (self->map, core, store);
      g_autofree char *used = assay_ui_format_use (use->peak, use->depth,
                                                   self->map->code->config.block_size);
      g_autofree char *label = g_strdup_printf ("Core %u, peak %s", core, used);

      gtk_button_set_child (GTK_BUTTON (button),
                            assay_core_strip_new (get_compilation (self), core, store));
      gtk_widget_add_css_class (button, "flat");
      gtk_widget_set_tooltip_text (button, label);
      gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                      -1);
      gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "memory.core");
      gtk_actionable_set_action_target (GTK_ACTIONABLE (button), "i", (gint32) core);
      gtk_grid_attach (self->cores, button, (int) (core % CORES_PER_ROW),
                       (int) (core / CORES_PER_ROW), 1, 1);
      g_ptr_array_add (self->core_buttons, button);
    }
}

static guint32
find_use (AssayMemoryPage *self)
{
  guint choice = find_choice (self->store);
  guint32 most = 0;

  for (guint core = 0; core < self->numbers->n_cores && choices[choice].member != NULL; core++)
    most = MAX (most,
                G_STRUCT_MEMBER (guint32, &self->numbers->cores[core], choices[choice].metric));

  return most;
}

static void
program_changed_cb (AssayMemoryPage *self)
{
  AssayMemoryMap *map = assay_compilation_get_memory (get_compilation (self));

  if (map != self->map)
    {
      g_clear_pointer (&self->map, assay_memory_map_unref);
      g_clear_pointer (&self->numbers, assay_stream_code_metrics_free);
      if (map != NULL)
        {
          self->map = assay_memory_map_ref (map);
          self->numbers = assay_stream_code_metrics_new (map->code);
          fill_cores (self);
          fill_metrics (self);
        }
    }

  update_texts (self);
  gtk_stack_set_visible_child_name (
      self->stack, map != NULL                                                         ? "map"
                   : assay_compilation_get_allocation (get_compilation (self)) != NULL ? "failure"
                                                                                       : "empty");
}

/* Weights and metrics have no step, so nothing is live in them. */
static void
update_table (AssayMemoryPage *self)
{
  gtk_revealer_set_reveal_child (self->table_revealer,
                                 is_timed_store (self->store) &&
                                     gtk_toggle_button_get_active (self->table_toggle));
}

static void
set_store (AssayMemoryPage *self, guint choice)
{
  gboolean timed = is_timed_store (choices[choice].store);

  self->store = choices[choice].store;
  gtk_stack_set_visible_child_name (self->body,
                                    self->store == ASSAY_STORE_NONE ? "metrics" : "chart");
  if (self->store != ASSAY_STORE_NONE)
    assay_memory_chart_set_store (self->chart, self->store);
  assay_tensor_table_set_store (self->table, timed ? self->store : ASSAY_STORE_CONSTANT);
  gtk_widget_set_sensitive (GTK_WIDGET (self->table_toggle), timed);
  update_table (self);
  if (self->map != NULL)
    {
      fill_cores (self);
      update_texts (self);
    }
  set_state (self, "store", g_variant_new_string (choices[choice].name));
}

/* What helps is found by taking a block away: a copy with a store that is too small by one. */
static void
try_less (AssayMemoryPage *self)
{
  const char *member = choices[find_choice (self->store)].member;
  guint32 use = find_use (self);
  g_autofree char *action = NULL;
  AssayWayOut way;

  if (use < 2)
    return;

  action = g_strdup_printf ("a %s of %u, one block less than the program uses, to see what helps",
                            member, use - 1);
  way = (AssayWayOut){ ASSAY_WAY_DEPTH, use - 1, (char *) member, action, NULL, 0 };
  assay_trial_start (assay_session_get_trial (self->session), &way);
}

/* Actions. */

static void
core_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  assay_compilation_set_core (get_compilation (user_data),
                              (guint) MAX (g_variant_get_int32 (parameter), 0));
}

static void
store_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  for (guint i = 0; i < G_N_ELEMENTS (choices); i++)
    if (g_str_equal (choices[i].name, g_variant_get_string (parameter, NULL)))
      set_store (user_data, i);
}

static void
playhead_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  assay_compilation_set_playhead (get_compilation (user_data),
                                  (guint32) MAX (g_variant_get_int32 (parameter), 0));
}

static void
step_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  AssayMemoryPage *self = user_data;
  AssayCompilation *compilation = get_compilation (self);
  const char *name = g_action_get_name (G_ACTION (action));
  int direction = g_str_has_prefix (name, "previous") ? -1 : 1;
  AssayStore store = get_timed_store (self);
  guint32 step = assay_compilation_get_playhead (compilation);

  if (g_str_has_suffix (name, "peak"))
    step = assay_memory_map_find_peak (self->map, assay_compilation_get_core (compilation), store,
                                       step, direction);
  else if (direction > 0 || step > 0)
    step = direction > 0 ? step + 1 : step - 1;
  assay_compilation_set_playhead (compilation, step);
}

static void
pin_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  assay_compilation_toggle_pin (get_compilation (user_data));
}

static void
to_peak_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  assay_compilation_go_to_peak (get_compilation (user_data));
  gtk_widget_activate_action (user_data, "win.page", "s", "memory");
}

/* The ways out of a failed allocation, in their order; of a program that fits there is one. */
static void
try_way_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  AssayMemoryPage *self = user_data;
  const AssayAllocation *allocation = assay_compilation_get_allocation (get_compilation (self));
  gint32 way = g_variant_get_int32 (parameter);

  if (self->map != NULL && way == 0)
    try_less (self);
  else if (self->map == NULL && allocation != NULL && way >= 0 &&
           (guint) way < allocation->ways_out->len)
    assay_trial_start (assay_session_get_trial (self->session),
                       &g_array_index (allocation->ways_out, AssayWayOut, way));
}

static const GActionEntry actions[] = {
  { "core", core_action, "i", "0", NULL, { 0 } },
  { "store", store_action, "s", "'tensor'", NULL, { 0 } },
  { "playhead", playhead_action, "i", "0", NULL, { 0 } },
  { "previous-step", step_action, NULL, NULL, NULL, { 0 } },
  { "next-step", step_action, NULL, NULL, NULL, { 0 } },
  { "previous-peak", step_action, NULL, NULL, NULL, { 0 } },
  { "next-peak", step_action, NULL, NULL, NULL, { 0 } },
  { "pin", pin_action, NULL, NULL, NULL, { 0 } },
  { "to-peak", to_peak_action, NULL, NULL, NULL, { 0 } },
  { "try-way", try_way_action, "i", NULL, NULL, { 0 } },
};

static void
add_stores (AssayMemoryPage *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (choices); i++)
    {
      GtkWidget *button = gtk_toggle_button_new_with_label (choices[i].title);

      gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "memory.store");
      gtk_actionable_set_action_target (GTK_ACTIONABLE (button), "s", choices[i].name);
      gtk_box_append (self->stores, button);
    }
  set_store (self, 0);
}

static gboolean
height_idle_cb (gpointer data)
{
  AssayMemoryPage *self = data;

  self->idle = 0;
  gtk_toggle_button_set_active (self->table_toggle, self->was_tall);
  return G_SOURCE_REMOVE;
}

/* The table shows by itself where there is room; shown and hidden outside the allocation. */
static void
assay_memory_page_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  AssayMemoryPage *self = ASSAY_MEMORY_PAGE (widget);
  gboolean tall = height >= TALL;

  gtk_widget_allocate (self->root, width, height, baseline, NULL);
  if (tall == self->was_tall)
    return;

  self->was_tall = tall;
  if (self->idle == 0)
    self->idle = g_idle_add (height_idle_cb, self);
}

static void
assay_memory_page_measure (GtkWidget *widget, GtkOrientation orientation, int for_size,
                           int *minimum, int *natural, int *minimum_baseline, int *natural_baseline)
{
  /* Wrapped text has its least width where its height does not matter. */
  gtk_widget_measure (ASSAY_MEMORY_PAGE (widget)->root, orientation,
                      orientation == GTK_ORIENTATION_HORIZONTAL ? -1 : for_size, minimum, natural,
                      NULL, NULL);
}

static gboolean
assay_memory_page_grab_focus (GtkWidget *widget)
{
  AssayMemoryPage *self = ASSAY_MEMORY_PAGE (widget);

  return assay_ui_focus_part (widget, self->stack, "map", GTK_WIDGET (self->chart));
}

static void
assay_memory_page_dispose (GObject *object)
{
  AssayMemoryPage *self = ASSAY_MEMORY_PAGE (object);

  g_clear_handle_id (&self->idle, g_source_remove);
  if (self->session != NULL)
    g_signal_handlers_disconnect_by_data (get_compilation (self), self);
  /* The window may hold the group for longer. */
  for (guint i = 0; self->actions != NULL && i < G_N_ELEMENTS (actions); i++)
    g_action_map_remove_action (G_ACTION_MAP (self->actions), actions[i].name);
  g_clear_object (&self->actions);
  gtk_widget_dispose_template (GTK_WIDGET (self), ASSAY_TYPE_MEMORY_PAGE);
  g_clear_pointer (&self->core_buttons, g_ptr_array_unref);
  g_clear_pointer (&self->map, assay_memory_map_unref);
  g_clear_pointer (&self->numbers, assay_stream_code_metrics_free);
  g_clear_object (&self->session);

  G_OBJECT_CLASS (assay_memory_page_parent_class)->dispose (object);
}

static void
assay_memory_page_class_init (AssayMemoryPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_memory_page_dispose;
  widget_class->grab_focus = assay_memory_page_grab_focus;
  widget_class->size_allocate = assay_memory_page_size_allocate;
  widget_class->measure = assay_memory_page_measure;

  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/assay/Workbench/ui/assay-memory-page.ui");
  gtk_widget_class_bind_template_child (widget_class, AssayMemoryPage, root);
  gtk_widget_class_bind_template_child (widget_class, AssayMemoryPage, trial_bar);
  gtk_widget_class_bind_template_child (widget_class, AssayMemoryPage, stack);
  gtk_widget_class_bind_template_child (widget_class, AssayMemoryPage, failure_page);
  gtk_widget_class_bind_template_child (widget_class, AssayMemoryPage, empty_page);
  gtk_widget_class_bind_template_child (widget_class, AssayMemoryPage, cores);
  gtk_widget_class_bind_template_child (widget_class, AssayMemoryPage, stores);
  gtk_widget_class_bind_template_child (widget_class, AssayMemoryPage, table_toggle);
  gtk_widget_class_bind_template_child (widget_class, AssayMemoryPage, sentence);
  gtk_widget_class_bind_template_child (widget_class, AssayMemoryPage, body);
  gtk_widget_class_bind_template_child (widget_class, AssayMemoryPage, chart);
  gtk_widget_class_bind_template_child (widget_class, AssayMemoryPage, metrics);
  gtk_widget_class_bind_template_child (widget_class, AssayMemoryPage, composition_box);
  gtk_widget_class_bind_template_child (widget_class, AssayMemoryPage, composition);
  gtk_widget_class_bind_template_child (widget_class, AssayMemoryPage, agreement);
  gtk_widget_class_bind_template_child (widget_class, AssayMemoryPage, gauges);
  gtk_widget_class_bind_template_child (widget_class, AssayMemoryPage, table_revealer);
  gtk_widget_class_bind_template_child (widget_class, AssayMemoryPage, table);
}

static void
assay_memory_page_init (AssayMemoryPage *self)
{
  self->core_buttons = g_ptr_array_new ();
  self->store = ASSAY_STORE_TENSOR;
  self->actions = g_simple_action_group_new ();
  g_action_map_add_action_entries (G_ACTION_MAP (self->actions), actions, G_N_ELEMENTS (actions),
                                   self);
  gtk_widget_init_template (GTK_WIDGET (self));
  add_stores (self);
  g_signal_connect_swapped (self->table_toggle, "toggled", G_CALLBACK (update_table), self);
}

static void
assay_memory_page_set_session (AssayPage *page, AssaySession *session)
{
  AssayMemoryPage *self = ASSAY_MEMORY_PAGE (page);
  AssayCompilation *compilation = assay_session_get_compilation (session);

  g_set_object (&self->session, session);
  assay_trial_bar_set_session (self->trial_bar, session);
  assay_allocation_page_set_session (self->failure_page, session);
  assay_program_page_set_session (self->empty_page, session);
  assay_memory_chart_set_session (self->chart, session);
  assay_tensor_table_set_session (self->table, session);
  g_signal_connect_object (compilation, "notify::state", G_CALLBACK (program_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (compilation, "notify::core", G_CALLBACK (core_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (compilation, "notify::playhead", G_CALLBACK (playhead_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (compilation, "notify::pinned", G_CALLBACK (update_texts), self,
                           G_CONNECT_SWAPPED);
  program_changed_cb (self);
}

static GActionGroup *
assay_memory_page_get_actions (AssayPage *page)
{
  return G_ACTION_GROUP (ASSAY_MEMORY_PAGE (page)->actions);
}

/**
 * assay_memory_page_has_way:
 * @self: a memory page
 *
 * Tells whether there is something to try that would free room in the chosen store.
 *
 * Returns: whether `memory.try-way` has something to do
 */
gboolean
assay_memory_page_has_way (AssayMemoryPage *self)
{
  const AssayAllocation *allocation = assay_compilation_get_allocation (get_compilation (self));

  return self->map != NULL ? find_use (self) > 1
                           : allocation != NULL && allocation->ways_out->len > 0;
}

/* Sizes and addresses anew, after the user chose another unit or base. */
static void
assay_memory_page_follow_settings (AssayPage *page)
{
  AssayMemoryPage *self = ASSAY_MEMORY_PAGE (page);

  assay_memory_chart_update_format (self->chart);
  assay_tensor_table_update_format (self->table);
  if (self->map != NULL)
    {
      fill_cores (self);
      update_texts (self);
    }
}

static void
assay_memory_page_page_init (AssayPageInterface *iface)
{
  iface->set_session = assay_memory_page_set_session;
  iface->get_actions = assay_memory_page_get_actions;
  iface->follow_settings = assay_memory_page_follow_settings;
}
