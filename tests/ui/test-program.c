/* test-program.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a window shows of a program: memory, a failed allocation, runs, comparisons, deployments.
 */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "base/assay-npy.h"
#include "test-program.h"
#include "ui-fixture.h"
#include "ui/canvas/assay-canvas-private.h"
#include "ui/compare/assay-cause-note.h"
#include "ui/compare/assay-compare-page.h"
#include "ui/compare/assay-compare-strip.h"
#include "ui/inspector/assay-inspector.h"
#include "ui/memory/assay-fit-handles.h"
#include "ui/memory/assay-memory-chart.h"
#include "ui/memory/assay-memory-page.h"
#include "ui/compare/assay-result-window.h"
#include "ui/tensor/assay-tensor-item.h"
#include "ui/tensor/assay-tensor-table.h"
#include "ui/tensor/assay-tensor-window.h"

/* The memory page of a compiled example: what the table lists is what the plan says is live,
 * selection goes both ways, and playhead and selection draw nothing anew but the marks. */
static void
test_memory (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 1000);
  AssaySession *session = assay_window_get_session (window);
  AssayCompilation *compilation = assay_session_get_compilation (session);
  g_autoptr (AssaySettings) setup = assay_settings_new ();
  g_autoptr (GArray) selected = NULL;
  AssayMemoryMap *map;
  AssayMemoryChart *chart;
  AssayTensorTable *table;
  guint builds;

  ui_open_example (window, "streaming-cnn.onnx");
  assay_settings_set_axis (&setup, 0, 2);
  assay_session_set_setup (session, setup);
  ui_wait_ready (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "memory.to-peak", NULL);
  ui_settle ();
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (compilation)), ==,
                   ASSAY_ACTIVITY_READY);
  map = assay_compilation_get_memory (compilation);
  chart = ASSAY_MEMORY_CHART (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_MEMORY_CHART));
  table = ASSAY_TENSOR_TABLE (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_TENSOR_TABLE));
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (chart)));

  /* The page has its final size only after the strips of the cores were measured. */
  ui_settle ();
  builds = assay_memory_chart_get_builds (chart);
  g_assert_cmpuint (builds, >, 0);
  for (guint32 step = 0; step < map->n_steps; step++)
    {
      GListModel *rows = assay_tensor_table_get_rows (table);
      guint32 blocks = 0;

      assay_compilation_set_playhead (compilation, step);
      for (guint i = 0; i < g_list_model_get_n_items (rows); i++)
        {
          g_autoptr (AssayTensorItem) item = g_list_model_get_item (rows, i);

          blocks += assay_tensor_item_get_blocks (item);
        }
      g_assert_cmpuint (blocks, ==, map->uses[map->main_store][map->peak_core].used[step]);
    }

  /* A node of the graph outlines what it makes. */
  g_assert_true (assay_session_select_name (session, "/blocks.1/act/Relu"));
  ui_settle ();
  selected = assay_memory_chart_list_selected (chart);
  g_assert_cmpuint (selected->len, >, 0);
  g_assert_cmpuint (assay_memory_chart_get_builds (chart), ==, builds);
  ui_window_close (window);
}

typedef struct
{
  const char *action;
  GVariant *target;
  GtkWidget *found;
} Caller;

static void
visit_caller (GtkWidget *widget, gpointer data)
{
  Caller *caller = data;
  GVariant *target;

  if (!GTK_IS_ACTIONABLE (widget) ||
      g_strcmp0 (gtk_actionable_get_action_name (GTK_ACTIONABLE (widget)), caller->action) != 0)
    return;
  target = gtk_actionable_get_action_target_value (GTK_ACTIONABLE (widget));
  if (target != NULL && g_variant_equal (target, caller->target))
    caller->found = widget;
}

/* The control that calls an action with a target. */
static GtkWidget *
find_caller (AssayWindow *window, const char *action, GVariant *target)
{
  g_autoptr (GVariant) owned = g_variant_ref_sink (target);
  Caller caller = { action, owned, NULL };

  ui_for_each (GTK_WIDGET (window), visit_caller, &caller);
  return caller.found;
}

static gboolean
is_active (AssayWindow *window, const char *action, GVariant *target)
{
  return gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (find_caller (window, action, target)));
}

/* Buttons of the memory page call actions and show their state; one is always chosen. Without a map
 * there is nothing to choose. */
static void
test_memory_actions (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssayCompilation *compilation = assay_session_get_compilation (assay_window_get_session (window));
  GtkWidget *page = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_MEMORY_PAGE);
  GActionGroup *actions = assay_page_get_actions (ASSAY_PAGE (page));
  GtkWidget *chart = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_MEMORY_CHART);
  guint core;

  g_assert_false (g_action_group_get_action_enabled (actions, "core"));
  g_assert_false (g_action_group_get_action_enabled (actions, "pin"));
  g_assert_false (g_action_group_get_action_enabled (actions, "try-way"));
  ui_open_example (window, "streaming-cnn.onnx");
  gtk_widget_activate_action (GTK_WIDGET (window), "memory.to-peak", NULL);
  ui_settle ();
  g_assert_true (gtk_widget_get_mapped (chart));
  g_assert_true (g_action_group_get_action_enabled (actions, "core"));

  core = assay_compilation_get_core (compilation);
  g_assert_true (is_active (window, "memory.core", g_variant_new_int32 ((gint32) core)));
  for (guint i = 0; i < 2; i++)
    {
      gint32 other = (gint32) (core == 0 ? 1 : 0);

      g_signal_emit_by_name (find_caller (window, "memory.core", g_variant_new_int32 (other)),
                             "clicked");
      g_assert_cmpuint (assay_compilation_get_core (compilation), ==, (guint) other);
      g_assert_true (is_active (window, "memory.core", g_variant_new_int32 (other)));
      g_assert_false (is_active (window, "memory.core", g_variant_new_int32 ((gint32) core)));
    }

  g_signal_emit_by_name (
      find_caller (window, "memory.store", g_variant_new_string ("accumulators")), "clicked");
  g_assert_cmpint (assay_memory_chart_get_look (ASSAY_MEMORY_CHART (chart))->store, ==,
                   assay_compilation_get_memory (compilation)->main_store + 1);
  g_assert_true (is_active (window, "memory.store", g_variant_new_string ("accumulators")));
  g_assert_false (is_active (window, "memory.store", g_variant_new_string ("tensor")));
  g_assert_true (g_action_group_get_action_enabled (actions, "try-way"));
  gtk_widget_activate_action (GTK_WIDGET (window), "memory.store", "s", "no such store");
  g_assert_true (is_active (window, "memory.store", g_variant_new_string ("accumulators")));
  gtk_widget_activate_action (GTK_WIDGET (window), "memory.store", "s", "metrics");
  g_assert_false (g_action_group_get_action_enabled (actions, "try-way"));
  g_assert_false (gtk_widget_get_mapped (chart));

  gtk_widget_activate_action (GTK_WIDGET (window), "memory.playhead", "i", 2);
  g_assert_cmpuint (assay_compilation_get_playhead (compilation), ==, 2);
  gtk_widget_activate_action (GTK_WIDGET (window), "memory.playhead", "i", -1);
  g_assert_cmpuint (assay_compilation_get_playhead (compilation), ==, 0);
  ui_window_close (window);
}

static GtkEventController *
find_controller (GtkWidget *widget, GType type)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (G_TYPE_CHECK_INSTANCE_TYPE (controller, type))
        return controller;
    }

  return NULL;
}

static void
press (GtkWidget *widget, guint keyval)
{
  gboolean handled = FALSE;

  g_signal_emit_by_name (find_controller (widget, GTK_TYPE_EVENT_CONTROLLER_KEY), "key-pressed",
                         keyval, 0, 0, &handled);
  g_assert_true (handled);
}

static gboolean
is_drawn (gpointer data)
{
  return assay_memory_chart_get_builds (data) > 0;
}

/* The keys of the map: one step, to the next peak, and a pin against which other steps are
 * compared. */
static void
test_memory_keys (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssayCompilation *compilation = assay_session_get_compilation (assay_window_get_session (window));
  const AssayMemoryLook *look;
  AssayMemoryMap *map;
  GListModel *rows;
  GtkWidget *chart;
  guint32 peak;
  guint n_new = 0, n_maker = 0;
  AssayCanvas *canvas;

  ui_open_example (window, "streaming-cnn.onnx");
  gtk_widget_activate_action (GTK_WIDGET (window), "memory.to-peak", NULL);
  ui_settle ();
  map = assay_compilation_get_memory (compilation);
  chart = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_MEMORY_CHART);
  peak = assay_compilation_get_playhead (compilation);
  g_assert_cmpuint (peak, >, 0);

  wait_until (is_drawn (chart));

  press (chart, GDK_KEY_bracketleft);
  g_assert_cmpuint (assay_compilation_get_playhead (compilation), ==, peak - 1);
  press (chart, GDK_KEY_braceright);
  g_assert_cmpuint (assay_compilation_get_playhead (compilation), ==,
                    assay_memory_map_find_peak (map, assay_compilation_get_core (compilation),
                                                map->main_store, peak - 1, 1));
  press (chart, GDK_KEY_braceleft);
  g_assert_cmpuint (assay_compilation_get_playhead (compilation), <=, peak);
  /* The graph shows what lies in memory at that step, and nothing before the first one. */
  canvas = ASSAY_CANVAS (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CANVAS));
  assay_compilation_set_playhead (compilation, peak);
  g_assert_nonnull (canvas->live);
  for (guint i = 0; i < canvas->live->len; i++)
    n_maker += g_array_index (canvas->live, guint, i) == canvas->playhead;
  g_assert_cmpuint (n_maker, ==, 1);
  assay_compilation_set_playhead (compilation, 0);
  g_assert_null (canvas->live);
  press (chart, GDK_KEY_bracketleft);
  g_assert_cmpuint (assay_compilation_get_playhead (compilation), ==, 0);

  press (chart, GDK_KEY_m);
  g_assert_cmpuint (assay_compilation_get_pinned (compilation), ==, 0);
  press (chart, GDK_KEY_bracketright);
  g_assert_cmpuint (assay_compilation_get_playhead (compilation), ==, 1);
  g_assert_cmpuint (assay_compilation_get_pinned (compilation), ==, 0);
  /* What came and what went since then stand in the table, tensor by tensor. */
  assay_compilation_set_playhead (compilation, peak);
  ui_settle ();
  rows = assay_tensor_table_get_rows (
      ASSAY_TENSOR_TABLE (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_TENSOR_TABLE)));
  for (guint i = 0; i < g_list_model_get_n_items (rows); i++)
    {
      g_autoptr (AssayTensorItem) item = g_list_model_get_item (rows, i);
      const AssayPlanned *planned = assay_memory_map_get_tensor (
          map, assay_tensor_item_get_tensor (item));
      gboolean then = planned->born == 0;
      gboolean now = planned->born <= peak && planned->died >= peak;

      n_new += now && !then;
      g_assert_true (now || then);
      g_assert_cmpint (assay_tensor_item_get_change (item), ==,
                       now && then ? ASSAY_TENSOR_STAYS
                       : now       ? ASSAY_TENSOR_NEW
                                   : ASSAY_TENSOR_GONE);
    }
  g_assert_cmpuint (n_new, >, 0);
  assay_compilation_set_playhead (compilation, 1);
  press (chart, GDK_KEY_m);
  g_assert_cmpuint (assay_compilation_get_pinned (compilation), ==, 1);
  press (chart, GDK_KEY_m);
  g_assert_cmpuint (assay_compilation_get_pinned (compilation), ==, ASSAY_NO_STEP);

  /* Zoom draws the map anew, and comes back to the whole program. */
  assay_memory_chart_zoom (ASSAY_MEMORY_CHART (chart), FALSE, map->n_steps / 2, 0.5);
  look = assay_memory_chart_get_look (ASSAY_MEMORY_CHART (chart));
  g_assert_cmpfloat (look->end_step - look->first_step, <=, map->n_steps / 2.0 + 1);
  assay_memory_chart_zoom (ASSAY_MEMORY_CHART (chart), FALSE, map->n_steps / 2, 4);
  g_assert_cmpfloat (look->first_step, ==, 0);
  g_assert_cmpfloat (look->end_step, ==, map->n_steps);
  assay_memory_chart_zoom (ASSAY_MEMORY_CHART (chart), TRUE, 0, 0.5);
  g_assert_cmpfloat (look->first_block, ==, 0);
  ui_window_close (window);
}

typedef struct
{
  const char *label;
  GtkWidget *found;
} ButtonSearch;

static void
find_button (GtkWidget *widget, gpointer data)
{
  ButtonSearch *search = data;

  if (search->found == NULL && GTK_IS_BUTTON (widget) && gtk_widget_get_mapped (widget) &&
      g_strcmp0 (gtk_button_get_label (GTK_BUTTON (widget)), search->label) == 0)
    search->found = widget;
}

static GtkWidget *
find_mapped (AssayWindow *window, const char *label)
{
  ButtonSearch search = { label, NULL };

  ui_for_each (GTK_WIDGET (window), find_button, &search);
  return search.found;
}

static void
click (AssayWindow *window, const char *label)
{
  GtkWidget *found = find_mapped (window, label);

  g_assert_nonnull (found);
  g_assert_true (gtk_widget_is_sensitive (found));
  g_signal_emit_by_name (found, "clicked");
}

/* Of a page without a program one button is the way on. What can be done all the same stands below
 * it, and does not look like it. */
static void
check_one_way (AssayWindow *window, const char *label)
{
  GtkWidget *way = gtk_widget_get_ancestor (find_mapped (window, label), GTK_TYPE_BUTTON);
  GtkWidget *other = gtk_widget_get_ancestor (find_mapped (window, "Compare the Model Itself"),
                                              GTK_TYPE_BUTTON);
  graphene_rect_t above, below;

  g_assert_true (gtk_widget_compute_bounds (way, GTK_WIDGET (window), &above));
  g_assert_true (gtk_widget_compute_bounds (other, GTK_WIDGET (window), &below));
  g_assert_cmpfloat (above.origin.y + above.size.height, <=, below.origin.y);
  g_assert_false (gtk_widget_has_css_class (way, "flat"));
  g_assert_true (gtk_widget_has_css_class (other, "flat"));
}

static void
check_all_words (AssayWindow *window)
{
  g_autoptr (GPtrArray) complaints = g_ptr_array_new_with_free_func (g_free);

  ui_check_seen_words (GTK_WIDGET (window), complaints);
  for (guint i = 0; i < complaints->len; i++)
    g_test_message ("%s", (const char *) g_ptr_array_index (complaints, i));
  g_assert_cmpuint (complaints->len, ==, 0);
}

/* What has no room may come from outside, so that no node of the program made it. */
static void
test_input_failure (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  g_autoptr (AssaySettings) setup = assay_settings_new ();
  const AssayAllocation *allocation;

  ui_open_example (window, "streaming-cnn.onnx");
  assay_settings_set_number (&setup, ASSAY_SETTING_DEPTH, "tensor_ram_depth", 1);
  assay_session_set_setup (session, setup);
  ui_wait_ready (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "memory");
  ui_settle ();
  allocation = assay_compilation_get_allocation (assay_session_get_compilation (session));
  g_assert_nonnull (allocation);
  g_assert_true (allocation->node == NULL || *allocation->node == '\0');
  check_all_words (window);
  ui_window_close (window);
}

/* A program that does not fit: the picture, the sentence, a way out that is tried, undone, tried
 * again and kept. */
static void
test_failure (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  AssayCompilation *compilation = assay_session_get_compilation (session);
  AssayTrial *trial = assay_session_get_trial (session);
  g_autoptr (AssaySettings) setup = assay_settings_new ();
  g_autofree char *cores = NULL;
  GtkRange *scale;
  GtkSpinButton *spin;
  GtkWidget *handles;
  static const char *const of_program[] = { "memory.to-peak", "win.show-instructions",
                                            "win.to-timeline", "graph.next-peak" };

  ui_open_example (window, "streaming-cnn.onnx");
  assay_settings_set_axis (&setup, 0, 2);
  assay_settings_set_number (&setup, ASSAY_SETTING_DEPTH, "tensor_ram_depth", 5);
  assay_session_set_setup (session, setup);
  ui_wait_ready (window);
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (compilation)), ==,
                   ASSAY_ACTIVITY_FAILED);
  g_assert_nonnull (assay_compilation_get_allocation (compilation));
  g_assert_cmpuint (assay_compilation_get_allocation (compilation)->ways_out->len, >, 0);
  g_assert_true (g_action_group_get_action_enabled (
      assay_page_get_actions (
          ASSAY_PAGE (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_MEMORY_PAGE))),
      "try-way"));
  /* There is no program to look into, and compiled again it would fit no better. */
  for (guint i = 0; i < G_N_ELEMENTS (of_program); i++)
    {
      g_autofree char *why = assay_window_explain_action (window, of_program[i]);

      g_assert_nonnull (why);
    }
  /* A fact of the first rank is no faded button, and leads to what is in the way. */
  ui_settle ();
  g_assert_true (gtk_widget_is_sensitive (find_mapped (window, "Does not fit")));
  click (window, "Does not fit");
  ui_settle ();
  g_assert_nonnull (ui_find_label (GTK_WIDGET (window), "What Lies There"));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "compare");
  ui_settle ();
  g_assert_null (find_mapped (window, "Compile"));
  check_one_way (window, "Show Ways Out");
  click (window, "Show Ways Out");
  ui_settle ();
  g_assert_nonnull (ui_find_label (GTK_WIDGET (window), "What Lies There"));
  g_assert_nonnull (ui_find_label (GTK_WIDGET (window), "Does not fit"));

  for (guint round = 0; round < 2; round++)
    {
      click (window, "Try");
      ui_wait_ready (window);
      ui_settle ();
      g_assert_true (assay_trial_get_active (trial));
      g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (compilation)), ==,
                       ASSAY_ACTIVITY_READY);
      g_assert_null (ui_find_label (GTK_WIDGET (window), "What Lies There"));
      click (window, round == 0 ? "Undo" : "Keep");
      ui_wait_ready (window);
      g_assert_false (assay_trial_get_active (trial));
      g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (compilation)), ==,
                       round == 0 ? ASSAY_ACTIVITY_FAILED : ASSAY_ACTIVITY_READY);
    }

  /* Each number of the model and of the store can be turned, and is tried at once. */
  assay_settings_set_number (&setup, ASSAY_SETTING_DEPTH, "tensor_ram_depth", 4);
  assay_session_set_setup (session, setup);
  ui_wait_ready (window);
  ui_settle ();
  handles = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_FIT_HANDLES);
  spin = GTK_SPIN_BUTTON (ui_find_type (gtk_widget_get_last_child (handles), GTK_TYPE_SPIN_BUTTON));
  g_assert_nonnull (ui_find_label (handles, "frames axis 1"));
  g_assert_nonnull (ui_find_label (handles, "tensor RAM, blocks"));
  g_assert_cmpint (gtk_spin_button_get_value_as_int (spin), ==, 4);
  /* Dragged past other values, the last one counts; the number goes along. */
  scale = GTK_RANGE (ui_find_type (gtk_widget_get_last_child (handles), GTK_TYPE_SCALE));
  for (double at = 2; at <= 4; at += 0.25)
    gtk_range_set_value (scale, at);
  g_assert_cmpint (gtk_spin_button_get_value_as_int (spin), ==, 16);
  wait_until (assay_trial_get_active (trial));
  ui_wait_ready (window);
  g_assert_nonnull (strstr (assay_trial_get_action (trial), ": 16 instead of 4"));
  click (window, "Undo");
  ui_wait_ready (window);
  ui_settle ();
  g_assert_cmpint (gtk_spin_button_get_value_as_int (spin), ==, 4);
  g_assert_cmpfloat (fabs (gtk_range_get_value (scale) - 2), <, 1e-9);
  gtk_spin_button_set_value (spin, 2048);
  wait_until (assay_trial_get_active (trial));
  ui_wait_ready (window);
  ui_settle ();
  check_all_words (window);
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (compilation)), ==,
                   ASSAY_ACTIVITY_READY);
  click (window, "Undo");
  ui_wait_ready (window);
  ui_settle ();
  g_assert_cmpint (gtk_spin_button_get_value_as_int (spin), ==, 4);
  gtk_spin_button_set_value (
      GTK_SPIN_BUTTON (ui_find_type (gtk_widget_get_first_child (handles), GTK_TYPE_SPIN_BUTTON)),
      8);
  wait_until (assay_trial_get_active (trial));
  g_assert_nonnull (strstr (assay_trial_get_action (trial), ": 8 instead of "));
  ui_wait_ready (window);
  click (window, "Undo");
  ui_wait_ready (window);
  ui_settle ();
  spin = GTK_SPIN_BUTTON (ui_find_type (gtk_widget_get_parent (ui_find_label (handles, "cores")),
                                        GTK_TYPE_SPIN_BUTTON));
  cores = g_strdup_printf ("cores: 2 instead of %d", gtk_spin_button_get_value_as_int (spin));
  gtk_spin_button_set_value (spin, 2);
  wait_until (assay_trial_get_active (trial));
  g_assert_cmpstr (assay_trial_get_action (trial), ==, cores);
  ui_wait_ready (window);
  ui_settle ();
  g_assert_cmpint (gtk_spin_button_get_value_as_int (spin), ==, 2);
  click (window, "Undo");
  ui_wait_ready (window);
  assay_settings_set_number (&setup, ASSAY_SETTING_DEPTH, "tensor_ram_depth", 512);
  assay_session_set_setup (session, setup);
  ui_wait_ready (window);

  /* A program that fits is asked the same: one block less on a copy, and back. */
  ui_settle ();
  click (window, "Ways Out");
  g_assert_true (assay_trial_get_active (trial));
  ui_wait_ready (window);
  click (window, "Undo");
  ui_wait_ready (window);
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (compilation)), ==,
                   ASSAY_ACTIVITY_READY);
  ui_window_close (window);
}

static char *
dup_values (GtkWidget *window)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (
      GTK_TEXT_VIEW (ui_find_type (window, GTK_TYPE_TEXT_VIEW)));
  GtkTextIter start, end;

  gtk_text_buffer_get_bounds (buffer, &start, &end);
  return gtk_text_buffer_get_text (buffer, &start, &end, FALSE);
}

/* Run on random values, on another seed, on a file of another shape, and again after the program
 * has changed. */
static void
test_run (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  AssayRun *run = assay_session_get_run (session);
  g_autoptr (AssaySettings) setup = assay_settings_new ();
  g_autoptr (AssayInputChoice) inputs = NULL;
  g_autoptr (AssayResultItem) item = NULL;
  g_autoptr (GArray) ports = NULL;
  g_autoptr (AssayTensor) wrong = NULL;
  GtkWidget *result;
  const gint64 dims[] = { 3 };
  const float values[] = { 1, 2, 3 };
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "wrong.npy", NULL);
  g_autofree char *before = NULL;
  g_autofree char *kept = NULL;
  g_autofree char *after = NULL;

  ui_open_example (window, "streaming-cnn.onnx");
  assay_settings_set_axis (&setup, 0, 2);
  assay_session_set_setup (session, setup);
  ui_wait_ready (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.run", NULL);
  ui_wait_ended (run);
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (run)), ==, ASSAY_ACTIVITY_READY);
  g_assert_cmpuint (assay_run_get_n_steps (run), ==, 64);
  g_assert_cmpuint (g_list_model_get_n_items (assay_run_get_results (run)), ==, 1);
  item = g_list_model_get_item (assay_run_get_results (run), 0);
  g_assert_cmpuint (assay_result_item_get_statistics (item)->n, ==, 8 * 64);
  g_assert_cmpuint (assay_result_item_get_statistics (item)->n_nan, ==, 0);
  g_assert_cmpfloat (assay_result_item_get_statistics (item)->max, >,
                     assay_result_item_get_statistics (item)->min);

  ui_settle ();
  result = ui_find_window (ASSAY_TYPE_RESULT_WINDOW);
  g_assert_nonnull (result);
  g_assert_nonnull (ui_find_label (result, "scores"));
  before = dup_values (result);

  inputs = assay_input_choice_copy (assay_run_get_inputs (run));
  assay_input_choice_set_seed (inputs, 2);
  assay_run_set_inputs (run, inputs);
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (run)), ==, ASSAY_ACTIVITY_STALE);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.run", NULL);
  ui_wait_ended (run);
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (run)), ==, ASSAY_ACTIVITY_READY);
  ui_settle ();
  after = dup_values (result);
  g_assert_cmpstr (before, !=, after);

  wrong = assay_tensor_new_f32 (1, dims, values);
  g_assert_true (assay_npy_save (wrong, path, NULL));
  ports = assay_run_list_inputs (run);
  g_assert_cmpuint (ports->len, ==, 1);
  assay_input_choice_set_file (inputs, g_array_index (ports, AssayRunPort, 0).name, path);
  assay_run_set_inputs (run, inputs);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.run", NULL);
  ui_wait_ended (run);
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (run)), ==, ASSAY_ACTIVITY_FAILED);
  g_assert_nonnull (strstr (assay_activity_get_error (ASSAY_ACTIVITY (run))->message, "shape"));
  ui_settle ();
  /* What was there stays there. */
  kept = dup_values (result);
  g_assert_cmpstr (kept, ==, after);
  g_remove (path);

  assay_input_choice_set_file (inputs, g_array_index (ports, AssayRunPort, 0).name, NULL);
  assay_run_set_inputs (run, inputs);
  assay_run_set_runner (run, "reference");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.run", NULL);
  ui_wait_ended (run);
  g_assert_no_error (assay_activity_get_error (ASSAY_ACTIVITY (run)));
  g_assert_cmpstr (assay_run_get_title (run), ==, "Reference fp32");
  assay_settings_set_flag (&setup, ASSAY_SETTING_DISABLE_OPTIMIZATIONS, TRUE);
  assay_session_set_setup (session, setup);
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (run)), ==, ASSAY_ACTIVITY_STALE);
  ui_wait_ready (window);
  ui_window_close (window);
}

typedef struct
{
  gboolean done;
  AssayTensor *a;
  AssayTensor *b;
  GError *error;
} Values;

static void
values_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  Values *values = user_data;

  assay_compare_activity_read_finish (ASSAY_COMPARE_ACTIVITY (object), result, &values->a,
                                      &values->b, &values->error);
  values->done = TRUE;
}

static gboolean
has_values (gpointer data)
{
  return ((Values *) data)->done;
}

static gboolean
has_tensor_window (gpointer data)
{
  return ui_find_window (ASSAY_TYPE_TENSOR_WINDOW) != NULL;
}

/* What is read of both sides is what was compared, whether one side streams or not. */
static void
test_values (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  AssayCompareActivity *comparing = assay_session_get_compare_activity (session);
  GtkWidget *page = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_COMPARE_PAGE);
  Values nothing = { 0 };

  ui_open_example (window, "streaming-cnn.onnx");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "compare");
  for (int axis = -1; axis <= 2; axis += 3)
    {
      g_autoptr (AssaySettings) setup = assay_settings_new ();
      const AssayComparison *comparison;

      assay_settings_set_axis (&setup, 0, axis);
      assay_session_set_setup (session, setup);
      ui_wait_ready (window);
      gtk_widget_activate_action (GTK_WIDGET (window), "win.compare", NULL);
      ui_wait_ended (comparing);
      comparison = assay_compare_activity_get_comparison (comparing);
      g_assert_nonnull (comparison);
      for (guint i = 0; i < comparison->rows->len; i++)
        {
          const AssayComparisonRow *row = assay_comparison_row (comparison, i);
          AssayCompareStats stats;
          Values values = { 0 };

          assay_compare_activity_read_async (comparing, row->name, values_cb, &values);
          wait_until (has_values (&values));
          g_assert_no_error (values.error);
          g_assert_true (assay_compare_tensors (values.a, values.b, comparison->precision, NULL,
                                                &stats, NULL));
          g_assert_cmpuint (stats.n, ==, row->total.n);
          g_assert_cmpuint (stats.n_different, ==, row->total.n_different);
          g_assert_cmpfloat (stats.max_abs, ==, row->total.max_abs);
          assay_tensor_unref (values.a);
          assay_tensor_unref (values.b);
        }
    }

  assay_compare_activity_read_async (comparing, "nothing of this name", values_cb, &nothing);
  wait_until (has_values (&nothing));
  g_assert_error (nothing.error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
  g_clear_error (&nothing.error);

  ui_settle ();
  ui_click (page, "Run both sides again and show A, B and their distance, element by element");
  wait_until (has_tensor_window (NULL));
  ui_window_close (window);
}

static AssayDivergenceCause *
cause_new (const char *node, const char *sentence)
{
  AssayDivergenceCause *cause = g_new0 (AssayDivergenceCause, 1);

  cause->kind = g_strdup ("rounding");
  cause->node = g_strdup (node);
  cause->sentence = g_strdup (sentence);
  cause->before = 40;
  cause->after = 0.5;
  return cause;
}

/* Why a tensor differs, in all the ways that a comparison knows of: not tried, in vain, several. */
static void
test_cause_note (void)
{
  GtkWidget *note = g_object_ref_sink (g_object_new (ASSAY_TYPE_CAUSE_NOTE, NULL));
  GtkWidget *label = gtk_widget_get_first_child (note);
  AssayComparisonReason reasons[] = { { (char *) "half-up", 1200 },
                                      { (char *) ASSAY_COMPARISON_UNEXPLAINED, 3 } };
  AssayComparisonRow row = { .node_name = (char *) "own" };
  gboolean handled = FALSE;

  assay_cause_note_set_row (ASSAY_CAUSE_NOTE (note), &row, NULL, FALSE);
  g_assert_false (gtk_widget_get_visible (note));
  assay_cause_note_set_row (ASSAY_CAUSE_NOTE (note), &row, "Causes not tried: a & b.", TRUE);
  g_assert_cmpstr (gtk_label_get_text (GTK_LABEL (label)), ==,
                   "Causes not tried: a & b. Try Causes");

  row.causes = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_divergence_cause_free);
  row.n_trials = 12;
  assay_cause_note_set_row (ASSAY_CAUSE_NOTE (note), &row, NULL, FALSE);
  g_assert_true (gtk_widget_get_visible (note));
  g_assert_cmpstr (gtk_label_get_text (GTK_LABEL (label)), ==,
                   "Tried 12 ways, and none explains it.");

  g_ptr_array_add (row.causes, cause_new ("a<b", "rounds & more"));
  for (guint i = 0; i < 4; i++)
    g_ptr_array_add (row.causes, cause_new ("", "cuts off"));
  row.reasons = g_array_new (FALSE, FALSE, sizeof *reasons);
  g_array_append_vals (row.reasons, reasons, G_N_ELEMENTS (reasons));
  assay_cause_note_set_row (ASSAY_CAUSE_NOTE (note), &row, NULL, FALSE);
  g_assert_cmpstr (
      gtk_label_get_text (GTK_LABEL (label)), ==,
      "What explains it, of 12 ways tried:\n"
      "•\u00a0a<b: rounds & more (rounding; 40 units off, 0.5 without it)\n"
      "•\u00a0own: cuts off (rounding; 40 units off, 0.5 without it)\n"
      "•\u00a0own: cuts off (rounding; 40 units off, 0.5 without it)\n"
      "and 2 more that do about as well.\n"
      "Elements that differ on the same inputs: 1\u202f200 by half-up, 3 unexplained.");
  g_signal_emit_by_name (label, "activate-link", "a<b", &handled);
  g_assert_true (handled);

  assay_cause_note_set_row (ASSAY_CAUSE_NOTE (note), NULL, NULL, FALSE);
  g_assert_false (gtk_widget_get_visible (note));
  g_ptr_array_unref (row.causes);
  g_array_unref (row.reasons);
  g_object_unref (note);
}

/* Sums in fp64, and limits that the difference from fp32 exceeds: the row says what was tried, and
 * a click on the node goes there. */
static void
test_causes (void)
{
  static const char tolerance[] =
      "{ \"schema\": \"assay.tolerance/1\", \"title\": \"Tight\", \"doc\": \"Tight\","
      " \"bf16\": { \"any\": 1, \"rules\": [] }, \"fp32\": { \"any\": 1, \"rules\": [] } }";
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 1000);
  AssaySession *session = assay_window_get_session (window);
  AssayCompareActivity *comparing = assay_session_get_compare_activity (session);
  GtkWidget *note = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CAUSE_NOTE);
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "tight.json", NULL);
  const AssayComparisonRow *row;
  const AssayDivergenceCause *cause;
  const char *text;
  gboolean handled = FALSE;
  AssayNodeId node;

  g_assert_true (g_file_set_contents (path, tolerance, -1, NULL));
  ui_open_example (window, "streaming-cnn.onnx");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "compare");
  assay_compare_activity_set_tolerance (comparing, path);
  assay_compare_activity_set_runner (comparing, 1, "reference-fp64");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.compare", NULL);
  ui_wait_ended (comparing);
  ui_settle ();
  g_assert_cmpint (assay_compare_activity_get_comparison (comparing)->first_divergent, >=, 0);
  row = assay_comparison_row (
      assay_compare_activity_get_comparison (comparing),
      (guint) assay_compare_activity_get_comparison (comparing)->first_divergent);
  g_assert_cmpuint (row->causes->len, >, 0);
  cause = g_ptr_array_index (row->causes, 0);
  text = gtk_label_get_text (GTK_LABEL (gtk_widget_get_first_child (note)));
  g_assert_true (gtk_widget_get_mapped (note));
  g_assert_nonnull (strstr (text, cause->sentence));
  g_assert_nonnull (strstr (text, row->node_name));

  assay_session_set_selection (session, ASSAY_NO_NODE);
  g_signal_emit_by_name (gtk_widget_get_first_child (note), "activate-link", row->node_name,
                         &handled);
  g_assert_true (handled);
  node = assay_session_get_selection (session);
  g_assert_cmpuint (node, !=, ASSAY_NO_NODE);
  g_assert_cmpstr (assay_graph_node (assay_session_get_verdicts (session)->graph, node)->name, ==,
                   row->node_name);
  ui_window_close (window);
}

static gboolean
has_causes (gpointer row)
{
  return ((const AssayComparisonRow *) row)->causes != NULL;
}

static const char *
get_note (GtkWidget *note)
{
  return gtk_label_get_text (GTK_LABEL (gtk_widget_get_first_child (note)));
}

/* A row that was not tried while the two were compared: a click has its causes, of the row that is
 * selected by itself a link; what is wanted of it is seen at once, and what keeps it from that. */
static void
test_causes_asked (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 1000);
  AssaySession *session = assay_window_get_session (window);
  AssayCompareActivity *comparing = assay_session_get_compare_activity (session);
  GtkWidget *page = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_COMPARE_PAGE);
  GtkWidget *note = ui_find_type (page, ASSAY_TYPE_CAUSE_NOTE);
  GtkSelectionModel *rows = gtk_column_view_get_model (
      GTK_COLUMN_VIEW (ui_find_type (page, GTK_TYPE_COLUMN_VIEW)));
  g_autoptr (AssayCompareItem) item = NULL;
  const AssayComparison *comparison;
  const AssayComparisonRow *row;
  gboolean handled = FALSE;
  guint position = 0;

  ui_open_example (window, "streaming-cnn.onnx");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "compare");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.compare", NULL);
  ui_wait_ended (comparing);
  ui_settle ();
  comparison = assay_compare_activity_get_comparison (comparing);
  g_assert_cmpint (comparison->first_divergent, ==, -1);
  g_assert_cmpstr (get_note (note), ==, "Try Causes");
  row = assay_comparison_row (comparison, (guint) comparison->worst);
  g_assert_null (row->causes);
  g_signal_emit_by_name (gtk_widget_get_first_child (note), "activate-link", "", &handled);
  g_assert_true (handled);
  g_assert_cmpstr (get_note (note), ==, "Trying causes…");
  wait_until (has_causes ((gpointer) row));
  g_assert_cmpuint (row->causes->len, >, 0);
  g_assert_nonnull (
      strstr (get_note (note),
              ((const AssayDivergenceCause *) g_ptr_array_index (row->causes, 0))->sentence));

  do
    {
      g_clear_object (&item);
      item = g_list_model_get_item (G_LIST_MODEL (rows), position++);
      g_assert_nonnull (item);
      row = assay_comparison_row (comparison, assay_compare_item_get_index (item));
    }
  while (row->causes != NULL || !assay_comparison_row_differs (row));
  gtk_selection_model_select_item (rows, position - 1, TRUE);
  wait_until (has_causes ((gpointer) row));
  g_assert_cmpuint (row->causes->len, >, 0);
  g_assert_true (gtk_widget_get_mapped (note));
  g_assert_nonnull (
      strstr (get_note (note),
              ((const AssayDivergenceCause *) g_ptr_array_index (row->causes, 0))->sentence));

  ui_window_close (window);
}

/* Whether all of a widget is in what a scrolled window shows of its content. */
static gboolean
is_in_sight (GtkWidget *widget, GtkWidget *scroller)
{
  graphene_rect_t area;

  return gtk_widget_get_mapped (widget) && gtk_widget_compute_bounds (widget, scroller, &area) &&
         area.size.height > 0 && area.origin.y >= 0 &&
         area.origin.y + area.size.height <= (float) gtk_widget_get_height (scroller);
}

typedef struct
{
  const char *words;
  const char *id;
  gboolean found;
} Sight;

/* A label with these words in it, or the child of this name of a template. */
static void
look_for (GtkWidget *widget, gpointer data)
{
  Sight *sight = data;

  if (!gtk_widget_get_mapped (widget))
    return;
  if (sight->words != NULL && GTK_IS_LABEL (widget) &&
      strstr (gtk_label_get_text (GTK_LABEL (widget)), sight->words) != NULL)
    sight->found = TRUE;
  if (sight->id != NULL &&
      g_strcmp0 (gtk_buildable_get_buildable_id (GTK_BUILDABLE (widget)), sight->id) == 0)
    sight->found = TRUE;
}

static gboolean
is_seen (GtkWidget *root, const char *words, const char *id)
{
  Sight sight = { words, id, FALSE };

  ui_for_each (root, look_for, &sight);
  return sight.found;
}

/* A sequence whose errors grow says so in the headline and the detail, with a picture over the
 * timesteps; one whose errors do not says that. */
static void
test_growth (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  AssayCompareActivity *comparing = assay_session_get_compare_activity (session);
  GtkWidget *page = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_COMPARE_PAGE);

  for (guint i = 0; i < 2; i++)
    {
      const AssayComparison *comparison;
      g_autoptr (AssaySettings) setup = assay_settings_new ();

      if (i == 0)
        ui_open_drifting_model (window);
      else
        {
          ui_open_example (window, "streaming-cnn.onnx");
          assay_settings_set_axis (&setup, 0, 2);
          assay_session_set_setup (session, setup);
          ui_wait_ready (window);
        }
      gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "compare");
      gtk_widget_activate_action (GTK_WIDGET (window), "win.compare", NULL);
      ui_wait_ended (comparing);
      comparison = assay_compare_activity_get_comparison (comparing);
      g_signal_emit_by_name (ui_find_type (page, ASSAY_TYPE_COMPARE_STRIP), "row-wanted",
                             (int) comparison->rows->len - 1);
      ui_settle ();
      g_test_message ("%" G_GINT64_FORMAT " timesteps", comparison->n_steps);
      g_assert_cmpint (comparison->n_steps, >, 1);
      g_assert_true (is_seen (page, i == 0 ? ", 96 timesteps" : ", 64 timesteps", NULL));
      g_assert_true (is_seen (page, "errors of state grow over the timesteps, from", NULL) ==
                     (i == 0));
      g_assert_true (is_seen (page,
                              i == 0 ? "Over the timesteps it grows from"
                                     : "Over the timesteps it does not grow by more than chance",
                              NULL));
      g_assert_true (is_seen (page, NULL, "steps"));
    }
  ui_window_close (window);
}

/* A click on an operator of the graph has its causes too, beside it, in sight at the size that
 * windows have; walking on has those of the last one alone. */
static void
test_causes_in_graph (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  AssayCompareActivity *comparing = assay_session_get_compare_activity (session);
  AssayCauseSearch *search = assay_session_get_cause_search (session);
  AssayCanvas *canvas = ASSAY_CANVAS (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CANVAS));
  GtkWidget *inspector = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_INSPECTOR);
  const AssayComparison *comparison;
  const AssayComparisonRow *row = NULL;
  AssayGraph *graph;
  GtkWidget *note;
  guint index = 0;
  guint n = 0;

  ui_open_example (window, "streaming-cnn.onnx");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.compare", NULL);
  ui_wait_ended (comparing);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "graph");
  ui_settle ();
  comparison = assay_compare_activity_get_comparison (comparing);
  graph = assay_session_get_verdicts (session)->graph;
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (search)), ==, ASSAY_ACTIVITY_NONE);

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      guint found = assay_cause_search_find_row (search, assay_graph_node (graph, id)->name);

      if (!assay_cause_search_can_start (search, found))
        continue;
      assay_canvas_set_selection (canvas, id);
      index = found;
      n++;
    }
  g_assert_cmpuint (n, >, 1);
  row = assay_comparison_row (comparison, index);
  wait_until (has_causes ((gpointer) row));
  ui_settle ();
  g_assert_cmpuint (assay_cause_search_get_row (search), ==, index);
  g_assert_cmpuint (row->causes->len, >, 0);
  for (guint i = 0; i < comparison->rows->len; i++)
    g_assert_true (i == index || assay_comparison_row (comparison, i)->causes == NULL);
  note = ui_find_type (inspector, ASSAY_TYPE_CAUSE_NOTE);
  g_assert_nonnull (note);
  g_assert_true (is_in_sight (note, ui_find_type (inspector, GTK_TYPE_SCROLLED_WINDOW)));
  /* And nothing lies on it. */
  g_assert_true (is_in_sight (note, gtk_widget_get_parent (note)));
  g_assert_nonnull (
      strstr (get_note (note),
              ((const AssayDivergenceCause *) g_ptr_array_index (row->causes, 0))->sentence));
  ui_window_close (window);
}

/* The machine with the reference: rows and a verdict; the machine with itself is exact; a change
 * makes it stale. */
static void
test_compare (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  AssayCompareActivity *comparing = assay_session_get_compare_activity (session);
  g_autoptr (AssaySettings) setup = assay_settings_new ();
  g_autoptr (AssayInputChoice) inputs = assay_input_choice_new ();
  GtkWidget *page = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_COMPARE_PAGE);
  guint n_rows;

  ui_open_example (window, "streaming-cnn.onnx");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "compare");
  ui_settle ();
  g_assert_nonnull (ui_find_label (page, "Nothing Compared"));

  gtk_widget_activate_action (GTK_WIDGET (window), "win.compare", NULL);
  ui_wait_ended (comparing);
  g_assert_no_error (assay_activity_get_error (ASSAY_ACTIVITY (comparing)));
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (comparing)), ==, ASSAY_ACTIVITY_READY);
  g_assert_nonnull (assay_compare_activity_get_comparison (comparing));
  n_rows = assay_compare_activity_get_comparison (comparing)->rows->len;
  g_assert_cmpuint (n_rows, >=, 4);
  g_assert_cmpuint (g_list_model_get_n_items (assay_compare_activity_get_rows (comparing)), ==,
                    n_rows);
  g_assert_cmpint (assay_compare_activity_get_comparison (comparing)->verdict, ==,
                   ASSAY_COMPARISON_WITHIN);
  for (guint i = 0; i < n_rows; i++)
    {
      g_autoptr (AssayCompareItem)
          item = g_list_model_get_item (assay_compare_activity_get_rows (comparing), i);

      g_assert_cmpuint (assay_compare_item_get_index (item), ==, i);
      g_assert_cmpfloat (assay_compare_item_get_error (item), <=,
                         assay_compare_item_get_limit (item));
    }
  ui_settle ();
  g_assert_null (ui_find_label (page, "Nothing Compared"));

  assay_compare_activity_set_runner (comparing, 0, "vm");
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (comparing)), ==, ASSAY_ACTIVITY_STALE);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.compare", NULL);
  ui_wait_ended (comparing);
  g_assert_no_error (assay_activity_get_error (ASSAY_ACTIVITY (comparing)));
  g_assert_cmpint (assay_compare_activity_get_comparison (comparing)->verdict, ==,
                   ASSAY_COMPARISON_EXACT);
  ui_settle ();
  g_assert_nonnull (ui_find_label (page, "Bit-exact"));

  /* A file that is not there costs nothing of what was there before. */
  assay_input_choice_set_file (inputs, "frames", "/nonexistent.npy");
  assay_run_set_inputs (assay_session_get_run (session), inputs);
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (comparing)), ==, ASSAY_ACTIVITY_STALE);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.compare", NULL);
  ui_wait_ended (comparing);
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (comparing)), ==,
                   ASSAY_ACTIVITY_FAILED);
  g_assert_nonnull (assay_compare_activity_get_comparison (comparing));
  g_assert_cmpuint (g_list_model_get_n_items (assay_compare_activity_get_rows (comparing)), >, 0);
  ui_settle ();
  g_assert_nonnull (ui_find_label (page, "Bit-exact"));

  gtk_widget_activate_action (GTK_WIDGET (window), "win.compare", NULL);
  assay_session_cancel (session);
  g_assert_false (assay_session_get_busy (session));
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (comparing)), ==, ASSAY_ACTIVITY_STALE);
  ui_window_close (window);
}

/* On this computer the agent runs the program to the bit; a host that does not exist says so, and
 * nothing stays. */
static void
test_deploy (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  AssayDeployActivity *rollout = assay_session_get_deploy_activity (session);

  ui_open_example (window, "streaming-cnn.onnx");
  g_assert_cmpstr (assay_deploy_activity_get_board (rollout), ==, "local");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.deploy", NULL);
  g_assert_true (assay_session_get_busy (session));
  ui_wait_ended (rollout);
  g_assert_no_error (assay_activity_get_error (ASSAY_ACTIVITY (rollout)));
  g_assert_cmpuint (assay_deploy_activity_get_deployment (rollout)->n_different, ==, 0);
  g_assert_cmpuint (assay_deploy_activity_get_deployment (rollout)->n_values, >, 0);
  ui_wait_ready (window);
  g_assert_nonnull (ui_find_label (GTK_WIDGET (window), "Copy as Command"));
  /* The reference was asked as well. */
  g_assert_cmpint (
      assay_activity_get_state (ASSAY_ACTIVITY (assay_session_get_compare_activity (session))), ==,
      ASSAY_ACTIVITY_READY);

  gtk_widget_activate_action (GTK_WIDGET (window), "win.board", "s", "ssh:no-such-host.invalid");
  g_assert_null (assay_deploy_activity_get_deployment (rollout));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.deploy", NULL);
  ui_wait_ended (rollout);
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (rollout)), ==, ASSAY_ACTIVITY_FAILED);
  g_assert_nonnull (assay_activity_get_error (ASSAY_ACTIVITY (rollout)));
  ui_settle ();
  g_assert_nonnull (ui_find_label (GTK_WIDGET (window), "Show Check"));

  gtk_widget_activate_action (GTK_WIDGET (window), "win.deploy", NULL);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.cancel", NULL);
  g_assert_false (assay_session_get_busy (session));
  ui_window_close (window);
}

static const UiTest tests[] = {
  { "/ui/memory/map", test_memory },
  { "/ui/memory/actions", test_memory_actions },
  { "/ui/memory/keys", test_memory_keys },
  { "/ui/memory/failure", test_failure },
  { "/ui/program/input-failure", test_input_failure },
  { "/ui/run/result", test_run },
  { "/ui/compare/page", test_compare },
  { "/ui/compare/cause-note", test_cause_note },
  { "/ui/compare/growth", test_growth },
  { "/ui/compare/causes", test_causes },
  { "/ui/compare/causes-asked", test_causes_asked },
  { "/ui/compare/causes-in-graph", test_causes_in_graph },
  { "/ui/compare/values", test_values },
  { "/ui/compare/deploy", test_deploy },
};

TEST_PROGRAM (program)
{
  return ui_run (argc, argv, tests, G_N_ELEMENTS (tests));
}
