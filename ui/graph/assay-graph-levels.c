/* assay-graph-levels.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Which form of the model the canvas shows. The session goes by nodes of the checked graph; what
 * the canvas tells and is told is translated by where nodes come from.
 */
#include "ui/graph/assay-graph-page-private.h"

#include "backend/assay-backend.h"
#include "source/assay-importer.h"
#include "ui/window/assay-ui.h"

static const struct
{
  const char *name;
  const char *label;
  const char *tooltip;
} levels[] = {
  /* The label is what its source calls itself. */
  [ASSAY_GRAPH_ONNX] = { "onnx", NULL, "The model as it is in the file" },
  [ASSAY_GRAPH_NNIR] = { "nnir", "NNIR",
                         "The model as it is checked: in canonical form, for this target" },
  [ASSAY_GRAPH_STREAMED] = { "streamed", "Streamed",
                             "One timestep of the stream, and what is kept between timesteps" },
  [ASSAY_GRAPH_PASSES] = { "passes", "Passes",
                           "The program as it is written, behind each pass that torch-mlir takes "
                           "it through" },
};

/* The node of the graph that is shown that stands for a node of the checked graph. */
AssayNodeId
assay_graph_page_to_level (AssayGraphPage *self, AssayNodeId node)
{
  return self->level != NULL && node < self->level->n_checked ? self->level->to_level[node]
                                                              : ASSAY_NO_NODE;
}

AssayNodeId
assay_graph_page_to_checked (AssayGraphPage *self, AssayNodeId node)
{
  return self->level != NULL && node < assay_graph_n_nodes (self->level->verdicts->graph)
             ? self->level->to_checked[node]
             : ASSAY_NO_NODE;
}

/* A node that stands for several has the marks of all. */
GByteArray *
assay_graph_page_map_marks (AssayGraphPage *self, const GByteArray *marks)
{
  GByteArray *shown;

  if (marks == NULL || self->level == NULL)
    return NULL;

  shown = g_byte_array_new ();
  g_byte_array_set_size (shown, assay_graph_n_nodes (self->level->verdicts->graph));
  memset (shown->data, 0, shown->len);
  for (AssayNodeId i = 1; i < marks->len; i++)
    if (marks->data[i] != 0 && assay_graph_page_to_level (self, i) != ASSAY_NO_NODE)
      shown->data[assay_graph_page_to_level (self, i)] |= marks->data[i];

  return shown;
}

/* Why a level cannot be shown, or NULL. */
static const char *
get_missing (AssayGraphPage *self, AssayGraphLevel level)
{
  AssayTarget *target = assay_session_get_target (self->session);
  AssayGraph *graph = assay_session_get_graph (self->session);
  g_autoptr (GArray) axes = NULL;

  if (graph == NULL || assay_session_get_verdicts (self->session) == NULL)
    return "Open a model first";
  if (level == ASSAY_GRAPH_PASSES)
    return assay_pass_activity_can_start (assay_session_get_passes (self->session))
               ? NULL
               : "Only programs of the torch dialect have passes";
  if (level != ASSAY_GRAPH_STREAMED)
    return NULL;
  if (!assay_backend_has (target, ASSAY_CAPABILITY_STREAMS))
    return assay_backend_get_lack (ASSAY_CAPABILITY_STREAMS);

  axes = assay_settings_list_axes (assay_session_get_setup (self->session), graph);
  for (guint i = 0; i < axes->len; i++)
    if (g_array_index (axes, int, i) >= 0)
      return NULL;

  return "Choose a streaming axis in Setup first";
}

static AssayLevel *
make_level (AssayGraphPage *self, AssayGraphLevel level)
{
  AssayVerdicts *verdicts = assay_session_get_verdicts (self->session);
  AssayGraph *graph = assay_session_get_graph (self->session);
  g_autoptr (GArray) axes = NULL;
  const AssayTorchStep *step = level == ASSAY_GRAPH_PASSES ? assay_graph_page_get_step (self)
                                                           : NULL;
  g_autoptr (GError) error = NULL;
  AssayLevel *made;

  if (verdicts == NULL || graph == NULL)
    return NULL;
  if (step != NULL)
    return assay_level_new_for_program (step->graph, verdicts);
  if (level == ASSAY_GRAPH_PASSES)
    level = ASSAY_GRAPH_NNIR;

  axes = assay_settings_list_axes (assay_session_get_setup (self->session), graph);
  made = assay_level_new (level, verdicts, graph, (const int *) (gpointer) axes->data, axes->len,
                          &error);
  /* Axes that the check has refused leave the checked graph. */
  if (made == NULL)
    made = assay_level_new (ASSAY_GRAPH_NNIR, verdicts, graph, NULL, 0, NULL);

  return made;
}

static void
update_toggles (AssayGraphPage *self)
{
  AssayGraphLevel shown = self->wanted_level == ASSAY_GRAPH_PASSES &&
                                  get_missing (self, ASSAY_GRAPH_PASSES) == NULL
                              ? ASSAY_GRAPH_PASSES
                          : self->level != NULL ? self->level->level
                                                : ASSAY_GRAPH_NNIR;
  GAction *action = g_action_map_lookup_action (
      G_ACTION_MAP (assay_canvas_get_actions (self->canvas)), "level");
  guint level = 0;

  self->filling_levels = TRUE;
  for (GtkWidget *toggle = gtk_widget_get_first_child (self->level_box); toggle != NULL;
       toggle = gtk_widget_get_next_sibling (toggle), level++)
    {
      const char *missing = get_missing (self, level);
      g_autofree char *tooltip = missing != NULL
                                     ? g_strdup_printf ("%s\n%s", levels[level].tooltip, missing)
                                     : g_strdup (levels[level].tooltip);

      if (levels[level].label == NULL)
        gtk_button_set_label (
            GTK_BUTTON (toggle),
            assay_importer_of_graph (assay_session_get_graph (self->session))->title);
      gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (toggle), level == shown);
      gtk_widget_set_sensitive (toggle, missing == NULL);
      assay_ui_set_tooltip (toggle, tooltip);
      /* Most models will never have any. */
      gtk_widget_set_visible (toggle, level != ASSAY_GRAPH_PASSES || missing == NULL);
    }
  self->filling_levels = FALSE;
  g_simple_action_set_state (G_SIMPLE_ACTION (action), g_variant_new_string (levels[shown].name));
}

static char *
dup_node_name (const AssayLevel *level, AssayNodeId node)
{
  return level != NULL && node != ASSAY_NO_NODE &&
                 node < assay_graph_n_nodes (level->verdicts->graph)
             ? g_strdup (assay_graph_node (level->verdicts->graph, node)->name)
             : NULL;
}

static AssayNodeId
find_node (const AssayLevel *level, const char *name)
{
  const AssayGraph *graph = level->verdicts->graph;

  for (AssayNodeId i = 1; name != NULL && i < assay_graph_n_nodes (graph); i++)
    if (g_str_equal (assay_graph_node (graph, i)->name, name))
      return i;

  return ASSAY_NO_NODE;
}

/* Shows the level that was asked for, or the checked graph where it cannot be shown. What the eye
 * is on keeps its pixel. */
void
assay_graph_page_update_level (AssayGraphPage *self)
{
  g_autoptr (AssayLevel) old = g_steal_pointer (&self->level);
  AssayVerdicts *checked = assay_session_get_verdicts (self->session);
  AssayNodeId selection = assay_session_get_selection (self->session);
  AssayNodeId anchor = assay_canvas_get_anchor (self->canvas);
  g_autofree char *eyed = dup_node_name (old, anchor);
  g_autofree char *selected = dup_node_name (old, assay_canvas_get_selection (self->canvas));
  AssayGraphLevel wanted = get_missing (self, self->wanted_level) == NULL ? self->wanted_level
                                                                          : ASSAY_GRAPH_NNIR;

  AssayNodeId node;

  self->level = make_level (self, wanted);
  node = assay_graph_page_to_level (self, selection);
  self->syncing = TRUE;
  /* Between two levels of one check provenance tells what is the same, and names between two
   * passes; between two checks the canvas goes by name. */
  if (old != NULL && self->level != NULL && self->checked == checked &&
      old->level == ASSAY_GRAPH_PASSES && self->level->level == ASSAY_GRAPH_PASSES)
    {
      AssayNodeId same = find_node (self->level, eyed);

      node = find_node (self->level, selected);
      if (node == ASSAY_NO_NODE)
        node = assay_graph_page_to_level (self, selection);
      assay_canvas_change_verdicts (
          self->canvas, self->level->verdicts, node, anchor,
          same != ASSAY_NO_NODE ? same : assay_graph_page_to_level (self, old->to_checked[anchor]));
    }
  else if (old != NULL && self->level != NULL && self->checked == checked &&
           old->to_checked[anchor] != ASSAY_NO_NODE)
    assay_canvas_change_verdicts (self->canvas, self->level->verdicts, node, anchor,
                                  assay_graph_page_to_level (self, old->to_checked[anchor]));
  else
    assay_canvas_set_verdicts (self->canvas, self->level != NULL ? self->level->verdicts : NULL);
  assay_canvas_set_states (self->canvas, self->level != NULL ? self->level->states : NULL);
  assay_canvas_set_selection (self->canvas, node);
  self->syncing = FALSE;
  self->checked = checked;

  update_toggles (self);
  assay_graph_page_update_panel (self);
  assay_graph_page_update_removed (self);
  assay_graph_page_update_graph (self);
  if (checked != NULL && self->pending_overlay != NULL)
    {
      g_autofree char *path = g_steal_pointer (&self->pending_overlay);

      assay_graph_page_open_overlay (self, path);
    }
}

void
assay_graph_page_show_level (AssayGraphPage *self, AssayGraphLevel level)
{
  self->wanted_level = level;
  if (level == ASSAY_GRAPH_PASSES)
    assay_pass_activity_start (assay_session_get_passes (self->session));
  assay_graph_page_update_passes (self);
  update_toggles (self);
  if (self->level == NULL || self->level->level != level)
    assay_graph_page_update_level (self);
}

void
assay_graph_page_level_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  AssayGraphPage *self = user_data;

  for (guint i = 0; i < G_N_ELEMENTS (levels); i++)
    if (g_str_equal (g_variant_get_string (parameter, NULL), levels[i].name) &&
        get_missing (self, i) == NULL)
      assay_graph_page_show_level (self, i);
}

/* The node of the graph that is shown that is a node of the file; of several that became of it one
 * of the selection. */
static AssayNodeId
find_origin (AssayGraphPage *self, const char *text)
{
  const AssayGraph *graph = self->level->verdicts->graph;
  AssayNodeId selection = assay_session_get_selection (self->session);
  const char *place = g_strrstr (text, ASSAY_ORIGIN_PLACE);
  g_autofree char *path = place != NULL ? g_strndup (text, (gsize) (place - text)) : NULL;
  guint64 index = place != NULL ? g_ascii_strtoull (place + strlen (ASSAY_ORIGIN_PLACE), NULL, 10)
                                : 0;
  AssayNodeId found = ASSAY_NO_NODE;

  for (AssayNodeId i = 1; path != NULL && i < assay_graph_n_nodes (graph); i++)
    {
      const AssayNode *node = assay_graph_node (graph, i);

      for (guint k = 0; k < node->n_origins; k++)
        {
          const AssayOrigin *origin = &g_array_index (graph->origins, AssayOrigin,
                                                      node->origins[k]);

          if (origin->index == index && g_str_equal (origin->path, path) &&
              (found == ASSAY_NO_NODE || assay_graph_page_to_checked (self, i) == selection))
            found = i;
        }
    }

  return found;
}

/* The selection of the session stays: what is shown became it, or a part of it. */
void
assay_graph_page_show_origin_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  AssayGraphPage *self = user_data;
  AssayNodeId node;

  if (get_missing (self, ASSAY_GRAPH_ONNX) != NULL)
    return;

  assay_graph_page_show_level (self, ASSAY_GRAPH_ONNX);
  node = find_origin (self, g_variant_get_string (parameter, NULL));
  if (node == ASSAY_NO_NODE)
    return;

  self->syncing = TRUE;
  assay_canvas_set_selection (self->canvas, node);
  self->syncing = FALSE;
  assay_canvas_reveal (self->canvas, node);
}

static void
toggled_cb (GtkToggleButton *toggle, AssayGraphPage *self)
{
  const char *name = g_object_get_data (G_OBJECT (toggle), "level");

  if (!self->filling_levels && gtk_toggle_button_get_active (toggle))
    gtk_widget_activate_action (GTK_WIDGET (self->canvas), "graph.level", "s", name);
}

void
assay_graph_page_init_levels (AssayGraphPage *self)
{
  GtkToggleButton *group = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (levels); i++)
    {
      GtkWidget *toggle = gtk_toggle_button_new_with_label (
          levels[i].label != NULL ? levels[i].label : assay_importer_of_graph (NULL)->title);

      gtk_toggle_button_set_group (GTK_TOGGLE_BUTTON (toggle), group);
      group = GTK_TOGGLE_BUTTON (toggle);
      g_object_set_data (G_OBJECT (toggle), "level", (gpointer) levels[i].name);
      g_signal_connect_object (toggle, "toggled", G_CALLBACK (toggled_cb), self, 0);
      gtk_box_append (GTK_BOX (self->level_box), toggle);
    }
}
