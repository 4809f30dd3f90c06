/* assay-memory-page.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/memory/assay-memory-page.h"

#include "backend/assay-program-metrics.h"
#include "draw/assay-memory-scene.h"
#include "ui/memory/assay-allocation-page.h"
#include "draw/assay-core-heat.h"
#include "ui/canvas/assay-picture.h"
#include "ui/inspector/assay-wrap-layout.h"
#include "ui/memory/assay-core-strip.h"
#include "ui/memory/assay-gauge.h"
#include "ui/memory/assay-memory-chart.h"
#include "ui/memory/assay-program-page.h"
#include "ui/tensor/assay-tensor-table.h"
#include "ui/memory/assay-trial-bar.h"
#include "ui/window/assay-ui.h"
#include "ui/window/assay-template.h"

/* From this height on there is room for the table without asking. */
#define TALL 640

/* Of the strip, and in a page that is narrower than that, in pixels with text of the usual size. */
#define CORES_PER_ROW 6
#define FEW_PER_ROW 3
#define NARROW 460
#define STRIPS_HEIGHT 108

/* Of the picture of all cores, however many there are. */
#define HEAT_HEIGHT 40

/* What can be chosen beside the stores: a table of numbers. */
#define METRICS "metrics"

struct _AssayMemoryPage
{
  GtkWidget parent_instance;

  AssaySession *session;
  AssayMemoryMap *map;
  AssayProgramMetrics *numbers;
  char *choice;                /* name of a store, or METRICS; "" for the main store */
  guint store;                 /* that is shown; of the map */
  GSimpleActionGroup *actions; /* "memory." */
  gboolean tall;
  gboolean was_tall;
  gboolean narrow;
  gboolean was_narrow;
  guint idle;
  GPtrArray *core_buttons;

  GtkWidget *root;
  AssayTrialBar *trial_bar;
  GtkStack *stack;
  AssayAllocationPage *failure_page;
  AssayProgramPage *empty_page;
  GtkGrid *cores;
  AssayPicture *heat;
  GtkBox *stores;
  GtkToggleButton *table_toggle;
  GtkLabel *sentence;
  GtkStack *body;
  AssayMemoryChart *chart;
  GtkGrid *metrics;
  GtkLabel *composition;
  GtkBox *gauges;
  GtkScrolledWindow *strips; /* around the cores */
  GtkRevealer *table_revealer;
  AssayTensorTable *table;
};

static void assay_memory_page_page_init (AssayPageInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (AssayMemoryPage, assay_memory_page, GTK_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (ASSAY_TYPE_PAGE, assay_memory_page_page_init))

static AssayCompilation *
get_compilation (AssayMemoryPage *self)
{
  return assay_session_get_compilation (self->session);
}

static gboolean
shows_metrics (AssayMemoryPage *self)
{
  return g_str_equal (self->choice, METRICS);
}

static gboolean
is_timed_store (AssayMemoryPage *self)
{
  return !shows_metrics (self) && self->map != NULL &&
         assay_memory_map_has_steps (self->map, self->store);
}

/* Where what is chosen has no steps, the store that a playhead makes sense in. */
static guint
get_timed_store (AssayMemoryPage *self)
{
  return is_timed_store (self) ? self->store : self->map->main_store;
}

static const AssayProgramStore *
get_store (AssayMemoryPage *self)
{
  return assay_program_get_store (self->map->program, self->store);
}

static void
append_count (GString *text, guint64 count, const char *before, const char *after)
{
  g_autofree char *number = assay_ui_format_count (count);

  g_string_append_printf (text, "%s%s%s", before, number, after);
}

/* Who keeps the most room for the longest time, in words. */
static void
append_keeper (AssayMemoryPage *self, GArray *live, GString *text)
{
  g_autoptr (GPtrArray) groups = assay_memory_map_group (self->map, live);
  const AssayMemoryGroup *worst = NULL;
  const char *reader;

  for (guint i = 0; i < groups->len; i++)
    {
      const AssayMemoryGroup *group = g_ptr_array_index (groups, i);

      if (group->last->died != G_MAXUINT32 && (worst == NULL || group->cost > worst->cost))
        worst = group;
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

/* A store that is made to measure is always full of what it holds, so that alone counts. */
static char *
format_use (AssayMemoryPage *self, guint store, guint64 used, guint64 depth)
{
  guint block_bytes = assay_program_get_block_bytes (self->map->program);

  return assay_program_get_store (self->map->program, store)->measured > 0
             ? assay_ui_format_blocks (used, block_bytes)
             : assay_ui_format_use (used, depth, block_bytes);
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

  for (guint i = 0; i < assay_program_get_facts (self->map->program)->n_rows && *node == '\0'; i++)
    {
      const AssayProgramRow instruction = assay_program_get_row (self->map->program, i);

      if (instruction.step == step)
        node = assay_compilation_get_node_name (get_compilation (self), instruction.node);
    }

  used = format_use (self, self->store, sum, use->depth);
  g_string_append_printf (text, "%s%s of %s", sum == use->peak && sum > 0 ? "Peak " : "", used,
                          get_store (self)->noun);
  if (self->map->n_cores > 1)
    append_count (text, core, " in core ", "");
  append_count (text, step, " at step ", "");
  if (*node != '\0')
    g_string_append_printf (text, ", %s", node);
  g_string_append_c (text, '.');
  if (blocks[ASSAY_TENSOR_COPY] > 0)
    append_count (text, blocks[ASSAY_TENSOR_COPY], " ", " are copies from other cores.");
  append_keeper (self, live, text);
  if (assay_program_get_places (self->map->program) != NULL)
    g_string_append_printf (text, " %s", assay_program_get_places (self->map->program));
}

static void
append_weights (AssayMemoryPage *self, guint64 used, GString *text)
{
  guint64 depth = (guint64) self->map->n_cores * get_store (self)->depth;
  g_autofree char *words = format_use (self, self->store, used, depth);

  g_string_append_printf (text, "Weights take %s%s. What is hatched pads them to whole blocks.",
                          words, self->map->n_cores > 1 ? " in all cores" : "");
}

static void
update_sentence (AssayMemoryPage *self)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (is_timed_store (self))
    append_step_sentence (self, text);
  else if (!shows_metrics (self))
    {
      guint64 used = 0;

      for (guint core = 0; core < self->map->n_cores; core++)
        used += self->map->weights[core];
      if (used == 0)
        g_string_append (text, "The program keeps no weights.");
      else
        append_weights (self, used, text);
    }
  else
    g_string_append (text, self->map->n_cores > 1
                               ? "What the program uses of each core, and what a core has."
                               : "What the program uses, and what there is.");
  if (shows_metrics (self) &&
      assay_program_get_store (self->map->program, self->map->main_store)->measured > 0)
    append_count (text, assay_program_get_block_bytes (self->map->program),
                  " Stores count blocks of ", " bytes.");

  if (assay_activity_get_state (ASSAY_ACTIVITY (get_compilation (self))) != ASSAY_ACTIVITY_READY)
    g_string_prepend (text, "This is the program before the last change. ");
  gtk_label_set_label (self->sentence, text->str);
  assay_ui_set_tooltip (GTK_WIDGET (self->sentence), text->str);
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

/* Names tell more than counts: the largest of what came or went, and how many more. */
static void
append_tensors (AssayMemoryPage *self, const char *sign, guint core, guint32 at, guint32 other,
                GString *text)
{
  g_autoptr (GArray) live = assay_memory_map_list_live (self->map, core, self->store, at);
  g_autoptr (GPtrArray) groups = NULL;
  const AssayMemoryGroup *largest = NULL;
  guint64 blocks = 0;

  for (guint i = live->len; i-- > 0;)
    {
      const AssayPlanned *planned = assay_memory_map_get_tensor (self->map,
                                                                 g_array_index (live, guint32, i));

      if (planned->born <= other && planned->died >= other)
        g_array_remove_index (live, i);
    }
  groups = assay_memory_map_group (self->map, live);
  for (guint i = 0; i < groups->len; i++)
    {
      const AssayMemoryGroup *group = g_ptr_array_index (groups, i);

      blocks += group->blocks;
      if (largest == NULL || group->blocks > largest->blocks)
        largest = group;
    }
  if (largest == NULL)
    return;

  append_count (text, blocks, sign, " (");
  g_string_append (text, largest->last->name);
  if (groups->len > 1)
    g_string_append_printf (text, " and %u more", groups->len - 1);
  g_string_append_c (text, ')');
}

/* Against the pinned step: what came and what went. */
static void
append_difference (AssayMemoryPage *self, guint core, GString *text)
{
  guint32 pinned = assay_compilation_get_pinned (get_compilation (self));
  guint32 playhead = assay_compilation_get_playhead (get_compilation (self));

  if (pinned == ASSAY_NO_STEP || pinned == playhead)
    return;

  append_count (text, pinned, " Against step ", ":");
  append_tensors (self, " +", core, playhead, pinned, text);
  append_tensors (self, " −", core, pinned, playhead, text);
  g_string_append (text, ".");
}

static const AssayProgramFigure *
find_figure (AssayMemoryPage *self, guint store)
{
  return assay_program_metrics_find (self->numbers,
                                     assay_program_get_store (self->map->program, store)->member);
}

/* Kinds add up to what is in use; the highest address of the plan is held against what metrics
 * count on their own. */
static void
update_composition (AssayMemoryPage *self)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *size = NULL;
  g_autofree char *address = NULL;
  guint core = assay_compilation_get_core (get_compilation (self));
  guint32 blocks[ASSAY_N_TENSOR_KINDS];
  guint32 sum, highest;
  guint64 metric;

  gtk_widget_set_visible (GTK_WIDGET (self->composition), is_timed_store (self));
  if (!is_timed_store (self))
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
  size = assay_ui_format_blocks (sum, assay_program_get_block_bytes (self->map->program));
  g_string_append_printf (text, " = %s.", size);
  append_difference (self, core, text);

  highest = find_highest (self, core);
  metric = find_figure (self, self->store)->used[core];
  address = assay_ui_format_address (highest);
  if (highest == metric)
    g_string_append_printf (text, " Highest address %s, as in the metrics.", address);
  else
    g_string_append_printf (
        text, " Highest address %s, differs from the metrics by %" G_GINT64_FORMAT ".", address,
        (gint64) highest - (gint64) metric);
  gtk_label_set_label (self->composition, text->str);
  if (highest == metric)
    gtk_widget_remove_css_class (GTK_WIDGET (self->composition), "error");
  else
    gtk_widget_add_css_class (GTK_WIDGET (self->composition), "error");
}

/* What has a place in tables, that of stores apart from the rest. */
static gboolean
is_of_store (AssayMemoryPage *self, const AssayProgramFigure *figure)
{
  for (guint store = 0; store < self->map->n_stores; store++)
    if (find_figure (self, store) == figure)
      return TRUE;

  return FALSE;
}

static GPtrArray *
list_figures (AssayMemoryPage *self)
{
  GPtrArray *figures = g_ptr_array_new ();

  for (guint i = 0; i < self->numbers->figures->len; i++)
    {
      AssayProgramFigure *figure = &g_array_index (self->numbers->figures, AssayProgramFigure, i);

      if (figure->label != NULL && !is_of_store (self, figure))
        g_ptr_array_add (figures, figure);
    }

  return figures;
}

/* Stores without lifetimes have nothing to draw but how full they are. */
static void
update_gauges (AssayMemoryPage *self)
{
  guint core = assay_compilation_get_core (get_compilation (self));
  GtkWidget *gauge = gtk_widget_get_first_child (GTK_WIDGET (self->gauges));
  g_autoptr (GPtrArray) figures = list_figures (self);

  for (guint i = 0; i < figures->len; i++)
    {
      const AssayProgramFigure *figure = g_ptr_array_index (figures, i);
      g_autofree char *count = assay_ui_format_count (figure->used[core]);
      g_autofree char *whole = assay_ui_format_count (figure->limit);
      g_autofree char *text = figure->limit_name != NULL
                                  ? g_strdup_printf ("%s %s / %s", figure->label, count, whole)
                                  : g_strdup_printf ("%s %s", figure->label, count);

      if (gauge == NULL)
        {
          gauge = assay_gauge_new ();
          gtk_box_append (self->gauges, gauge);
        }
      assay_gauge_set (ASSAY_GAUGE (gauge), text,
                       figure->limit_name != NULL
                           ? (double) figure->used[core] / (double) MAX (figure->limit, 1)
                           : -1);
      gauge = gtk_widget_get_next_sibling (gauge);
    }
  /* Another program may have fewer of them. */
  while (gauge != NULL)
    {
      GtkWidget *next = gtk_widget_get_next_sibling (gauge);

      gtk_box_remove (self->gauges, gauge);
      gauge = next;
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

  gtk_label_set_xalign (GTK_LABEL (label), column == 0 ? 0 : assay_ui_get_number_xalign ());
  gtk_widget_add_css_class (label, css_class);
  gtk_grid_attach (self->metrics, label, column, row, 1, 1);
}

static void
add_figure (AssayMemoryPage *self, const AssayProgramFigure *figure, gboolean limited, int row)
{
  add_cell (self, figure->label, 0, row, "heading");
  for (guint core = 0; core < self->numbers->n_cores; core++)
    {
      g_autofree char *text = assay_ui_format_count (figure->used[core]);

      add_cell (self, text, (int) core + 1, row, "numeric");
    }
  if (limited && figure->limit_name != NULL)
    {
      g_autofree char *text = assay_ui_format_count (figure->limit);

      add_cell (self, text, (int) self->numbers->n_cores + 1, row, "numeric");
    }
}

/* Stores in the order in which they are shown: the main one, then the others. */
static guint
get_nth_store (AssayMemoryPage *self, guint n)
{
  return n == 0 ? self->map->main_store : n <= self->map->main_store ? n - 1 : n;
}

static void
fill_metrics (AssayMemoryPage *self)
{
  g_autoptr (GPtrArray) figures = list_figures (self);
  gboolean has_limits = FALSE;
  GtkWidget *child;
  int row = 1;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->metrics))) != NULL)
    gtk_grid_remove (self->metrics, child);

  add_cell (self, "", 0, 0, "heading");
  for (guint core = 0; core < self->numbers->n_cores; core++)
    {
      g_autofree char *title = self->numbers->n_cores > 1 ? g_strdup_printf ("core %u", core)
                                                          : g_strdup ("uses");

      add_cell (self, title, (int) core + 1, 0, "heading");
    }
  for (guint i = 0; i < self->map->n_stores; i++)
    {
      guint store = get_nth_store (self, i);
      gboolean limited = assay_program_get_store (self->map->program, store)->measured == 0;

      has_limits = has_limits || limited;
      add_figure (self, find_figure (self, store), limited, row++);
    }
  for (guint i = 0; i < figures->len; i++)
    {
      has_limits = has_limits ||
                   ((AssayProgramFigure *) g_ptr_array_index (figures, i))->limit_name != NULL;
      add_figure (self, g_ptr_array_index (figures, i), TRUE, row++);
    }
  if (has_limits)
    add_cell (self, "has", (int) self->numbers->n_cores + 1, 0, "heading");
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
  assay_picture_redraw (self->heat);
  set_state (self, "core",
             g_variant_new_int32 ((gint32) assay_compilation_get_core (get_compilation (self))));
  update_texts (self);
}

static void
playhead_changed_cb (AssayMemoryPage *self)
{
  assay_picture_redraw (self->heat);
  set_state (
      self, "playhead",
      g_variant_new_int32 ((gint32) assay_compilation_get_playhead (get_compilation (self))));
  update_texts (self);
}

/* All cores at a glance, and the way from there into the map of one. */
static void
draw_heat (AssayDisplayList *list, double width, double height, gpointer data)
{
  AssayMemoryPage *self = data;
  AssayCompilation *compilation = get_compilation (self);

  if (self->map != NULL && is_timed_store (self))
    assay_core_heat_draw (self->map, self->store, assay_compilation_get_core (compilation),
                          assay_compilation_get_playhead (compilation), width, height, list);
}

static char *
describe_heat (double x, double y, double width, double height, gpointer data)
{
  AssayMemoryPage *self = data;
  const AssayMemoryUse *use;
  guint core;
  guint32 step;
  g_autofree char *used = NULL;
  g_autofree char *at = NULL;

  if (self->map == NULL || !is_timed_store (self) ||
      !assay_core_heat_find (self->map, width, height, x, y, &core, &step))
    return NULL;

  use = assay_memory_map_get_use (self->map, core, self->store);
  used = format_use (self, self->store, use->used != NULL ? use->used[step] : 0, use->depth);
  at = assay_ui_format_count (step);
  return g_strdup_printf ("Core %u, step %s: %s", core, at, used);
}

static void
heat_pressed_cb (AssayMemoryPage *self, int n_press, double x, double y)
{
  double unit = assay_picture_get_unit (self->heat);
  guint core;
  guint32 step;

  if (self->map == NULL ||
      !assay_core_heat_find (self->map, gtk_widget_get_width (GTK_WIDGET (self->heat)) / unit,
                             gtk_widget_get_height (GTK_WIDGET (self->heat)) / unit, x / unit,
                             y / unit, &core, &step))
    return;

  assay_compilation_set_core (get_compilation (self), core);
  assay_compilation_set_playhead (get_compilation (self), step);
}

/* All cores are seen, as far as there are not too many. */
static void
fit_strips (AssayMemoryPage *self)
{
  int most = (int) (STRIPS_HEIGHT * assay_ui_get_text_scale (GTK_WIDGET (self)));
  int height;

  gtk_widget_measure (GTK_WIDGET (self->cores), GTK_ORIENTATION_VERTICAL, -1, NULL, &height, NULL,
                      NULL);
  gtk_scrolled_window_set_min_content_height (self->strips, -1);
  gtk_scrolled_window_set_max_content_height (self->strips, most);
  gtk_scrolled_window_set_min_content_height (self->strips, MIN (height, most));
}

static void
fill_cores (AssayMemoryPage *self)
{
  guint store = get_timed_store (self);
  guint per_row = self->was_narrow ? FEW_PER_ROW : CORES_PER_ROW;

  for (guint i = 0; i < self->core_buttons->len; i++)
    gtk_grid_remove (self->cores, g_ptr_array_index (self->core_buttons, i));
  g_ptr_array_set_size (self->core_buttons, 0);
  /* A single one that is always full has nothing to choose and nothing to say. */
  gtk_widget_set_visible (GTK_WIDGET (self->strips),
                          self->map->n_cores > 1 ||
                              assay_program_get_store (self->map->program, store)->measured == 0);

  for (guint core = 0; core < self->map->n_cores; core++)
    {
      GtkWidget *button = gtk_toggle_button_new ();
      const AssayMemoryUse *use = assay_memory_map_get_use (self->map, core, store);
      g_autofree char *used = format_use (self, store, use->peak, use->depth);
      g_autofree char *label = g_strdup_printf ("Core %u, peak %s", core, used);

      gtk_button_set_child (GTK_BUTTON (button),
                            assay_core_strip_new (get_compilation (self), core, store));
      gtk_widget_add_css_class (button, "flat");
      gtk_widget_set_tooltip_text (button, label);
      gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                      -1);
      gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "memory.core");
      gtk_actionable_set_action_target (GTK_ACTIONABLE (button), "i", (gint32) core);
      gtk_grid_attach (self->cores, button, (int) (core % per_row), (int) (core / per_row), 1, 1);
      g_ptr_array_add (self->core_buttons, button);
    }
  fit_strips (self);
}

static guint32
find_use (AssayMemoryPage *self)
{
  const AssayProgramFigure *figure = shows_metrics (self) ? NULL : find_figure (self, self->store);
  guint64 most = 0;

  for (guint core = 0; figure != NULL && core < self->numbers->n_cores; core++)
    most = MAX (most, figure->used[core]);

  return (guint32) most;
}

/* Weights and metrics have no step, so nothing is live in them. */
static void
update_table (AssayMemoryPage *self)
{
  gtk_revealer_set_reveal_child (self->table_revealer,
                                 is_timed_store (self) &&
                                     gtk_toggle_button_get_active (self->table_toggle));
}

/* Shows what is chosen; a program without such a store shows its main one. */
static void
update_store (AssayMemoryPage *self)
{
  self->store = self->map->main_store;
  for (guint i = 0; i < self->map->n_stores; i++)
    if (g_str_equal (assay_program_get_store (self->map->program, i)->name, self->choice))
      self->store = i;

  gtk_stack_set_visible_child_name (self->body, shows_metrics (self) ? "metrics" : "chart");
  if (!shows_metrics (self))
    assay_memory_chart_set_store (self->chart, self->store);
  assay_tensor_table_set_store (self->table, is_timed_store (self) ? self->store : ASSAY_NO_STORE);
  gtk_widget_set_sensitive (GTK_WIDGET (self->table_toggle), is_timed_store (self));
  update_table (self);
  gtk_widget_set_visible (GTK_WIDGET (self->heat), is_timed_store (self) && self->map->n_cores > 1);
  assay_picture_redraw (self->heat);
  fill_cores (self);
  set_state (self, "store",
             g_variant_new_string (shows_metrics (self) ? METRICS : get_store (self)->name));
}

static void
add_store (AssayMemoryPage *self, const char *title, const char *name)
{
  GtkWidget *button = gtk_toggle_button_new_with_label (title);

  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "memory.store");
  gtk_actionable_set_action_target (GTK_ACTIONABLE (button), "s", name);
  gtk_box_append (self->stores, button);
}

static gboolean
has_equal_stores (const AssayMemoryMap *a, const AssayMemoryMap *b)
{
  gboolean equal = a->n_stores == b->n_stores;

  for (guint i = 0; equal && i < a->n_stores; i++)
    equal = g_str_equal (assay_program_get_store (a->program, i)->name,
                         assay_program_get_store (b->program, i)->name);

  return equal;
}

static void
fill_stores (AssayMemoryPage *self)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->stores))) != NULL)
    gtk_box_remove (self->stores, child);

  for (guint i = 0; i < self->map->n_stores; i++)
    {
      const AssayProgramStore *store = assay_program_get_store (self->map->program,
                                                                get_nth_store (self, i));

      add_store (self, store->title, store->name);
    }
  add_store (self, "Metrics", METRICS);
}

static void
program_changed_cb (AssayMemoryPage *self)
{
  AssayMemoryMap *map = assay_compilation_get_memory (get_compilation (self));

  if (map != self->map)
    {
      gboolean same = self->map != NULL && map != NULL && has_equal_stores (self->map, map);

      g_clear_pointer (&self->map, assay_memory_map_unref);
      g_clear_pointer (&self->numbers, assay_program_metrics_free);
      if (map != NULL)
        {
          self->map = assay_memory_map_ref (map);
          self->numbers = assay_program_metrics_new (map->program);
          if (!same)
            fill_stores (self);
          update_store (self);
          fill_metrics (self);
        }
    }

  update_texts (self);
  gtk_stack_set_visible_child_name (
      self->stack, map != NULL                                                         ? "map"
                   : assay_compilation_get_allocation (get_compilation (self)) != NULL ? "failure"
                                                                                       : "empty");
}

/* What helps is found by taking a block away: a copy with a store that is too small by one. */
static void
try_less (AssayMemoryPage *self)
{
  guint32 use = find_use (self);
  const char *member;
  g_autofree char *action = NULL;
  AssayWayOut way;

  if (use < 2)
    return;

  member = get_store (self)->member;
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
  AssayMemoryPage *self = user_data;

  const char *name = g_variant_get_string (parameter, NULL);
  gboolean known = g_str_equal (name, METRICS);

  for (guint i = 0; self->map != NULL && i < self->map->n_stores; i++)
    known = known || g_str_equal (assay_program_get_store (self->map->program, i)->name, name);
  if (self->map == NULL || !known)
    return;

  g_free (self->choice);
  self->choice = g_strdup (name);
  update_store (self);
  update_texts (self);
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
  guint store = get_timed_store (self);
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

/* Several models are none that the window could show: they become files. */
static void
take_way (AssayMemoryPage *self, const AssayWayOut *way)
{
  if (way->kind == ASSAY_WAY_SPLIT)
    gtk_widget_activate_action (GTK_WIDGET (self), "win.save-parts", "s", way->name);
  else
    assay_trial_start (assay_session_get_trial (self->session), way);
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
    take_way (self, &g_array_index (allocation->ways_out, AssayWayOut, way));
}

static const GActionEntry actions[] = {
  { "core", core_action, "i", "0", NULL, { 0 } },
  { "store", store_action, "s", "''", NULL, { 0 } },
  { "playhead", playhead_action, "i", "0", NULL, { 0 } },
  { "previous-step", step_action, NULL, NULL, NULL, { 0 } },
  { "next-step", step_action, NULL, NULL, NULL, { 0 } },
  { "previous-peak", step_action, NULL, NULL, NULL, { 0 } },
  { "next-peak", step_action, NULL, NULL, NULL, { 0 } },
  { "pin", pin_action, NULL, NULL, NULL, { 0 } },
  { "to-peak", to_peak_action, NULL, NULL, NULL, { 0 } },
  { "try-way", try_way_action, "i", NULL, NULL, { 0 } },
};

static gboolean
size_idle_cb (gpointer data)
{
  AssayMemoryPage *self = data;

  self->idle = 0;
  if (self->tall != self->was_tall)
    {
      self->was_tall = self->tall;
      gtk_toggle_button_set_active (self->table_toggle, self->tall);
    }
  if (self->narrow != self->was_narrow)
    {
      self->was_narrow = self->narrow;
      if (self->map != NULL)
        fill_cores (self);
    }

  return G_SOURCE_REMOVE;
}

/* The table shows by itself where there is room, and so many cores stand in a row as have it; shown
 * and hidden outside the allocation. */
static void
assay_memory_page_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  AssayMemoryPage *self = ASSAY_MEMORY_PAGE (widget);

  gtk_widget_allocate (self->root, width, height, baseline, NULL);
  self->tall = height >= TALL;
  self->narrow = width < NARROW * assay_ui_get_text_scale (widget);
  if ((self->tall != self->was_tall || self->narrow != self->was_narrow) && self->idle == 0)
    self->idle = g_idle_add (size_idle_cb, self);
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
  if (self->heat != NULL)
    assay_picture_set_functions (self->heat, NULL, NULL, NULL);
  gtk_widget_dispose_template (GTK_WIDGET (self), ASSAY_TYPE_MEMORY_PAGE);
  g_clear_pointer (&self->core_buttons, g_ptr_array_unref);
  g_clear_pointer (&self->map, assay_memory_map_unref);
  g_clear_pointer (&self->numbers, assay_program_metrics_free);
  g_clear_object (&self->session);

  G_OBJECT_CLASS (assay_memory_page_parent_class)->dispose (object);
}

static void
assay_memory_page_finalize (GObject *object)
{
  g_free (ASSAY_MEMORY_PAGE (object)->choice);

  G_OBJECT_CLASS (assay_memory_page_parent_class)->finalize (object);
}

static void
assay_memory_page_class_init (AssayMemoryPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_memory_page_dispose;
  G_OBJECT_CLASS (klass)->finalize = assay_memory_page_finalize;
  widget_class->grab_focus = assay_memory_page_grab_focus;
  widget_class->size_allocate = assay_memory_page_size_allocate;
  widget_class->measure = assay_memory_page_measure;

  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  g_type_ensure (ASSAY_TYPE_WRAP_LAYOUT);
  ASSAY_BIND_TEMPLATE (klass, AssayMemoryPage, "assay-memory-page", root, trial_bar, stack,
                       failure_page, empty_page, cores, heat, stores, table_toggle, sentence, body,
                       chart, metrics, composition, gauges, strips, table_revealer, table);
}

static void
assay_memory_page_init (AssayMemoryPage *self)
{
  GtkGesture *click;

  self->core_buttons = g_ptr_array_new ();
  self->store = ASSAY_NO_STORE;
  self->choice = g_strdup ("");
  self->actions = g_simple_action_group_new ();
  g_action_map_add_action_entries (G_ACTION_MAP (self->actions), actions, G_N_ELEMENTS (actions),
                                   self);
  gtk_widget_init_template (GTK_WIDGET (self));
  assay_picture_set_minimum (self->heat, 320, HEAT_HEIGHT);
  assay_picture_set_functions (self->heat, draw_heat, describe_heat, self);
  click = gtk_gesture_click_new ();
  g_signal_connect_swapped (click, "pressed", G_CALLBACK (heat_pressed_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self->heat), GTK_EVENT_CONTROLLER (click));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->heat), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "All cores over the steps", -1);
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
