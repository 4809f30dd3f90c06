/* assay-graph-page.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/graph/assay-graph-page-private.h"

#include "ui/canvas/assay-canvas-private.h"
#include "ui/window/assay-watchdog.h"
#include "ui/window/assay-template.h"
#include "ui/window/assay-ui.h"

#define ZOOM_TIP "Normal Size (Ctrl+0)"

enum
{
  REMOVED_CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AssayGraphPage, assay_graph_page, GTK_TYPE_WIDGET)

/* The card may lie over a graph, but not over the node that it is about. */
static void
update_covered (AssayGraphPage *self)
{
  int height = 0;

  if (gtk_widget_get_visible (GTK_WIDGET (self->card)))
    gtk_widget_measure (GTK_WIDGET (self->card), GTK_ORIENTATION_VERTICAL, -1, NULL, &height, NULL,
                        NULL);

  assay_canvas_set_covered (self->canvas, height);
}

/* How many blocks are equal to the one around the selection, with the way to the next; where the
 * card is, the menu of the node has it. */
static void
update_equal (AssayGraphPage *self)
{
  AssayEqualBlocks blocks;
  g_autofree char *label = NULL;

  assay_canvas_find_equal (self->canvas, &blocks);
  label = g_strdup_printf ("%u equal, next", blocks.n);
  gtk_button_set_label (self->equal_button, label);
  gtk_widget_set_visible (GTK_WIDGET (self->equal_button),
                          blocks.n > 1 && !gtk_widget_get_visible (GTK_WIDGET (self->card)));
}

void
assay_graph_page_update_floating (AssayGraphPage *self)
{
  gboolean selected = self->session != NULL &&
                      assay_session_get_selection (self->session) != ASSAY_NO_NODE;

  gtk_widget_set_visible (GTK_WIDGET (self->card), self->card_shown && selected);
  update_equal (self);
  update_covered (self);
  /* The numbers of an overlay stand in the legend alone. */
  gtk_widget_set_visible (
      self->legend, self->session != NULL && assay_session_get_verdicts (self->session) != NULL &&
                        (self->roomy || assay_canvas_get_overlay (self->canvas) != NULL));
  assay_graph_page_queue_place (self);
}

static void
marks_changed_cb (AssayGraphPage *self)
{
  g_autoptr (GByteArray) marks = assay_session_dup_marks (self->session);
  g_autoptr (GByteArray) shown = assay_graph_page_map_marks (self, marks);

  assay_graph_page_add_fates (self, &shown);

  assay_canvas_set_marks (self->canvas, shown);
}

/* The nodes whose results lie in the main store of any core at the playhead; what stays for good
 * says nothing of a step. */
static GArray *
list_live (AssayGraphPage *self)
{
  AssayCompilation *compilation = assay_session_get_compilation (self->session);
  AssayMemoryMap *map = assay_compilation_get_memory (compilation);
  guint32 step = assay_compilation_get_playhead (compilation);
  GArray *nodes = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  for (guint core = 0; map != NULL && core < map->n_cores; core++)
    {
      g_autoptr (GArray) live = assay_memory_map_list_live (map, core, map->main_store, step);

      for (guint i = 0; i < live->len; i++)
        {
          const AssayPlanned *planned = assay_memory_map_get_tensor (
              map, g_array_index (live, guint32, i));
          guint node;

          if (planned->died == G_MAXUINT32 ||
              !g_hash_table_add (seen, GUINT_TO_POINTER (planned->node)))
            continue;
          node = assay_graph_page_to_level (
              self, assay_session_find_name (self->session, assay_compilation_get_node_name (
                                                                compilation, planned->node)));
          if (node != 0)
            g_array_append_val (nodes, node);
        }
    }

  return nodes;
}

static void
playhead_changed_cb (AssayGraphPage *self)
{
  const char *name = assay_compilation_get_playhead_node (
      assay_session_get_compilation (self->session));
  g_autoptr (GArray) live = list_live (self);

  assay_canvas_set_playhead (
      self->canvas,
      *name != '\0'
          ? assay_graph_page_to_level (self, assay_session_find_name (self->session, name))
          : 0,
      live->len > 0 ? live : NULL);
}

/* Several nodes that are selected in the table are marked in place of what a search found. */
static void
hits_changed_cb (AssayGraphPage *self)
{
  AssayNodeTable *table = assay_session_get_node_table (self->session);
  g_autoptr (GArray) selected = assay_node_table_get_n_selected (table) > 1
                                    ? assay_node_table_list_selected (table)
                                    : NULL;
  const GArray *hits = selected != NULL ? selected : assay_session_get_hits (self->session);
  g_autoptr (GArray) shown = g_array_new (FALSE, FALSE, sizeof (AssayNodeId));

  for (guint i = 0; hits != NULL && i < hits->len; i++)
    {
      AssayNodeId node = assay_graph_page_to_level (self, g_array_index (hits, AssayNodeId, i));

      if (node != ASSAY_NO_NODE)
        g_array_append_val (shown, node);
    }
  assay_canvas_set_hits (self->canvas, (const AssayNodeId *) (const void *) shown->data,
                         shown->len);
}

void
assay_graph_page_update_removed (AssayGraphPage *self)
{
  AssayNodeId shown = assay_canvas_get_selection (self->canvas);
  gboolean removed = shown != ASSAY_NO_NODE &&
                     assay_session_get_selection (self->session) == ASSAY_NO_NODE &&
                     assay_graph_page_to_checked (self, shown) == ASSAY_NO_NODE;

  if (self->removed == (removed ? shown : ASSAY_NO_NODE))
    return;

  self->removed = removed ? shown : ASSAY_NO_NODE;
  g_signal_emit (self, signals[REMOVED_CHANGED], 0);
}

/* Everything that goes by ids of nodes, after the graph that is shown has changed. */
void
assay_graph_page_update_graph (AssayGraphPage *self)
{
  assay_graph_page_update_overlay (self);
  marks_changed_cb (self);
  hits_changed_cb (self);
  playhead_changed_cb (self);
}

/* A picture of nothing needs a sentence. */
static void
update_emptiness (AssayGraphPage *self)
{
  AssayGraph *graph = assay_session_get_graph (self->session);
  const AssayRegion *main = graph != NULL ? assay_graph_region (graph, ASSAY_MAIN_REGION) : NULL;
  const char *text = NULL;

  if (main != NULL && main->nodes->len == 0)
    text = "This model has no nodes: nothing is computed. Its inputs and outputs are in the "
           "inspector.";
  else if (main != NULL && main->outputs->len == 0)
    text = "This model has no outputs: nothing that its nodes compute leaves it.";

  gtk_widget_set_visible (GTK_WIDGET (self->emptiness), text != NULL);
  gtk_label_set_label (self->emptiness, text != NULL ? text : "");
}

static void
verdicts_changed_cb (AssayGraphPage *self)
{
  ASSAY_WATCH ("graph page");
  update_emptiness (self);
  assay_graph_page_update_level (self);
}

static void
selection_changed_cb (AssayGraphPage *self)
{
  ASSAY_WATCH ("graph selection");
  AssayNodeId selection = assay_session_get_selection (self->session);
  AssayNodeId shown = assay_canvas_get_selection (self->canvas);
  AssayNodeId node = assay_graph_page_to_level (self, selection);

  self->syncing = TRUE;
  /* Of several nodes of this level that became one, the canvas may show another than the first. */
  if (!self->from_canvas && shown != node &&
      (selection == ASSAY_NO_NODE || assay_graph_page_to_checked (self, shown) != selection))
    {
      assay_canvas_set_selection (self->canvas, node);
      if (self->still)
        assay_canvas_rest (self->canvas);
      else if (node != ASSAY_NO_NODE)
        assay_canvas_reveal (self->canvas, node);
    }
  self->syncing = FALSE;
  assay_graph_page_update_floating (self);
  assay_graph_page_update_removed (self);
}

/* A node that is pointed at says why it differs. */
static void
ask_for_causes (AssayGraphPage *self)
{
  AssayCauseSearch *search = assay_session_get_cause_search (self->session);
  AssayVerdicts *verdicts = assay_session_get_verdicts (self->session);
  AssayNodeId node = assay_session_get_selection (self->session);

  if (verdicts != NULL && node != ASSAY_NO_NODE)
    assay_cause_search_ask (search, assay_cause_search_find_row (
                                        search, assay_graph_node (verdicts->graph, node)->name));
}

static void
canvas_selection_cb (AssayGraphPage *self)
{
  if (self->syncing)
    return;

  /* A node that the target never sees has nothing in the session, and stays selected here. */
  self->from_canvas = TRUE;
  assay_session_set_selection (
      self->session, assay_graph_page_to_checked (self, assay_canvas_get_selection (self->canvas)));
  self->from_canvas = FALSE;
  ask_for_causes (self);
  assay_graph_page_update_floating (self);
  assay_graph_page_update_removed (self);
}

static void
canvas_hover_cb (AssayGraphPage *self)
{
  assay_session_set_hover (
      self->session, assay_graph_page_to_checked (self, assay_canvas_get_hover (self->canvas)));
}

static void
filter_changed_cb (AssayGraphPage *self)
{
  assay_canvas_set_filter (self->canvas, assay_session_get_filter (self->session));
}

/* The ruler follows the core that all views look at. */
static void
memory_changed_cb (AssayGraphPage *self)
{
  AssayCompilation *compilation = assay_session_get_compilation (self->session);

  assay_overview_set_memory (self->overview, assay_compilation_get_memory (compilation),
                             assay_compilation_get_core (compilation));
}

/* A program or a comparison is there, or is no more. */
static void
results_changed_cb (AssayGraphPage *self)
{
  assay_graph_page_update_overlay (self);
  playhead_changed_cb (self);
  memory_changed_cb (self);
}

/* What was compared is what is looked at, until something else is chosen. */
static void
compared_cb (AssayGraphPage *self)
{
  if (assay_activity_get_state (ASSAY_ACTIVITY (
          assay_session_get_compare_activity (self->session))) == ASSAY_ACTIVITY_READY &&
      self->overlay_kind == ASSAY_OVERLAY_VERDICT)
    assay_graph_page_colour_by (self, ASSAY_OVERLAY_ERROR);
  else
    results_changed_cb (self);
}

/* A layout that could not be refined can be read all the same: who wants to know finds out why. */
static void
layout_note_cb (AssayGraphPage *self)
{
  g_autofree char *note = NULL;
  g_autofree char *text = NULL;

  g_object_get (self->canvas, "layout-note", &note, NULL);
  text = note != NULL ? g_strdup_printf ("%s\n%s", ZOOM_TIP, note) : g_strdup (ZOOM_TIP);
  assay_ui_set_tooltip (GTK_WIDGET (self->zoom_button), text);
}

static void
node_activated_cb (AssayGraphPage *self)
{
  gtk_widget_activate_action (GTK_WIDGET (self), "win.inspect", NULL);
}

static void
assay_graph_page_dispose (GObject *object)
{
  AssayGraphPage *self = ASSAY_GRAPH_PAGE (object);

  assay_graph_page_remove_actions (self);
  g_clear_handle_id (&self->place_idle, g_source_remove);
  gtk_widget_dispose_template (GTK_WIDGET (self), ASSAY_TYPE_GRAPH_PAGE);
  g_clear_pointer (&self->level, assay_level_free);
  g_clear_pointer (&self->overlay_file, assay_overlay_file_free);
  g_clear_pointer (&self->pending_overlay, g_free);
  g_clear_pointer (&self->choice, assay_file_choice_free);
  g_clear_object (&self->session);

  G_OBJECT_CLASS (assay_graph_page_parent_class)->dispose (object);
}

static void
assay_graph_page_class_init (AssayGraphPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_graph_page_dispose;

  signals[REMOVED_CHANGED] = g_signal_new ("removed-changed", G_TYPE_FROM_CLASS (klass),
                                           G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  ASSAY_BIND_TEMPLATE (klass, AssayGraphPage, "assay-graph-page", box, pass_panel, canvas,
                       emptiness, floating_box, card, legend, zoom_box, zoom_button, color_box,
                       color_button, color_popover, color_list, level_box, equal_button, overview);
}

static void
assay_graph_page_init (AssayGraphPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  assay_overview_set_canvas (self->overview, self->canvas);
  /* The graph is not mirrored, and headers keep clear of this corner alone. */
  gtk_widget_set_direction (self->color_box, GTK_TEXT_DIR_LTR);
  self->choice = assay_file_choice_new ();
  self->wanted_level = ASSAY_GRAPH_NNIR;
  assay_graph_page_add_actions (self);
  assay_graph_page_init_levels (self);
  assay_graph_page_init_passes (self);
  assay_graph_page_init_colours (self);

  g_signal_connect_swapped (self->canvas, "notify::selection", G_CALLBACK (canvas_selection_cb),
                            self);
  g_signal_connect_swapped (self->canvas, "notify::hover", G_CALLBACK (canvas_hover_cb), self);
  g_signal_connect_swapped (self->canvas, "notify::zoom", G_CALLBACK (assay_graph_page_queue_place),
                            self);
  g_signal_connect_swapped (self->canvas, "notify::layout-note", G_CALLBACK (layout_note_cb), self);
  g_signal_connect_swapped (self->canvas, "viewport-changed",
                            G_CALLBACK (assay_graph_page_queue_place), self);
  g_signal_connect_swapped (self->canvas, "node-activated", G_CALLBACK (node_activated_cb), self);
  assay_graph_page_queue_place (self);
}

void
assay_graph_page_set_session (AssayGraphPage *self, AssaySession *session)
{
  AssayCompilation *compilation = assay_session_get_compilation (session);

  g_set_object (&self->session, session);
  assay_canvas_set_session (self->canvas, session);
  assay_selection_card_set_session (self->card, session);
  g_signal_connect_object (session, "notify::verdicts", G_CALLBACK (verdicts_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::selection", G_CALLBACK (selection_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (compilation, "notify::state", G_CALLBACK (results_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (compilation, "notify::core", G_CALLBACK (memory_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (compilation, "notify::playhead", G_CALLBACK (playhead_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (assay_session_get_compare_activity (session), "notify::state",
                           G_CALLBACK (compared_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (assay_session_get_passes (session), "notify::state",
                           G_CALLBACK (assay_graph_page_update_passes), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::marks", G_CALLBACK (marks_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::pins", G_CALLBACK (marks_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::hits", G_CALLBACK (hits_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (assay_session_get_node_table (session), "notify::n-selected",
                           G_CALLBACK (hits_changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::filter", G_CALLBACK (filter_changed_cb), self,
                           G_CONNECT_SWAPPED);
  verdicts_changed_cb (self);
}

/**
 * assay_graph_page_set_roomy:
 * @self: a graph page
 * @roomy: whether the window is wide
 *
 * Shows the legend where there is room for it.
 */
void
assay_graph_page_set_roomy (AssayGraphPage *self, gboolean roomy)
{
  self->roomy = roomy;
  assay_graph_page_update_floating (self);
}

/**
 * assay_graph_page_set_card_shown:
 * @self: a graph page
 * @shown: whether nothing else says what is selected
 *
 * Shows the selection card while a node is selected.
 */
void
assay_graph_page_set_card_shown (AssayGraphPage *self, gboolean shown)
{
  self->card_shown = shown;
  assay_graph_page_update_floating (self);
}

/**
 * assay_graph_page_set_still:
 * @self: a graph page
 * @still: whether what is selected from now on is not scrolled to
 *
 * Lets something be selected that nobody has asked to see.
 */
void
assay_graph_page_set_still (AssayGraphPage *self, gboolean still)
{
  self->still = still;
}

/**
 * assay_graph_page_reveal_selection:
 * @self: a graph page
 *
 * Brings the selected node into sight, with the scopes around it open.
 *
 * Returns: whether it was out of sight before
 */
gboolean
assay_graph_page_reveal_selection (AssayGraphPage *self)
{
  if (assay_canvas_get_selection (self->canvas) == 0 ||
      assay_canvas_shows_selection (self->canvas, TRUE))
    return FALSE;

  self->placed = ASSAY_NO_NODE;
  assay_canvas_reveal (self->canvas, assay_canvas_get_selection (self->canvas));
  assay_graph_page_queue_place (self);
  return TRUE;
}

/**
 * assay_graph_page_get_canvas:
 * @self: a graph page
 *
 * Gets the graph itself.
 *
 * Returns: (transfer none): the canvas
 */
AssayCanvas *
assay_graph_page_get_canvas (AssayGraphPage *self)
{
  return self->canvas;
}

/**
 * assay_graph_page_get_removed:
 * @self: a graph page
 * @verdicts: (out) (transfer none): the graph it is a node of
 *
 * Gets the selected node if it is one of the file that the target never sees.
 *
 * Returns: the node, or %ASSAY_NO_NODE
 */
AssayNodeId
assay_graph_page_get_removed (AssayGraphPage *self, AssayVerdicts **verdicts)
{
  *verdicts = self->level != NULL ? self->level->verdicts : NULL;

  return *verdicts != NULL ? self->removed : ASSAY_NO_NODE;
}
