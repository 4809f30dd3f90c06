/* assay-graph-actions.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Actions of the graph that need more than the canvas: what the session knows.
 */
#include "ui/graph/assay-export-window.h"
#include "ui/graph/assay-graph-page-private.h"

static AssayCompilation *
get_compilation (AssayGraphPage *self)
{
  return assay_session_get_compilation (self->session);
}

static void
colour_by_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  for (guint kind = 0; kind < ASSAY_N_OVERLAYS; kind++)
    if (g_str_equal (g_variant_get_string (parameter, NULL), assay_overlay_kind_name (kind)))
      assay_graph_page_colour_by (user_data, kind);
}

static void
pin_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  AssayGraphPage *self = user_data;
  AssayVerdicts *verdicts = assay_session_get_verdicts (self->session);
  AssayNodeId node = assay_session_get_selection (self->session);

  if (verdicts != NULL && node != ASSAY_NO_NODE)
    assay_session_set_note (self->session, assay_graph_node (verdicts->graph, node)->name,
                            assay_session_is_pinned (self->session, node) ? NULL : "");
}

static void
step_back_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  AssayCompilation *compilation = get_compilation (user_data);
  guint32 step = assay_compilation_get_playhead (compilation);

  assay_compilation_set_playhead (compilation, step > 0 ? step - 1 : 0);
}

static void
step_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  AssayCompilation *compilation = get_compilation (user_data);

  assay_compilation_set_playhead (compilation, assay_compilation_get_playhead (compilation) + 1);
}

static void
go_to_peak (AssayGraphPage *self, int direction)
{
  AssayCompilation *compilation = get_compilation (self);
  AssayMemoryMap *map = assay_compilation_get_memory (compilation);

  if (map != NULL)
    assay_compilation_set_playhead (
        compilation,
        assay_memory_map_find_peak (map, assay_compilation_get_core (compilation), map->main_store,
                                    assay_compilation_get_playhead (compilation), direction));
}

static void
previous_peak_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  go_to_peak (user_data, -1);
}

static void
next_peak_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  go_to_peak (user_data, 1);
}

static void
overlay_chosen_cb (const char *path, gpointer data)
{
  assay_graph_page_open_overlay (data, path);
}

static void
open_overlay_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  static const AssayFileKind kind = { "Open an Overlay", "_Open", "*.[cj]s[vo]*",
                                      "CSV and JSON Files" };
  AssayGraphPage *self = user_data;
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));

  if (GTK_IS_WINDOW (root))
    assay_file_choice_open (self->choice, GTK_WINDOW (root), &kind, overlay_chosen_cb, self);
}

static void
export_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  AssayGraphPage *self = user_data;
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));

  if (GTK_IS_WINDOW (root))
    gtk_window_present (GTK_WINDOW (assay_export_window_new (GTK_WINDOW (root), self)));
}

static void
previous_pass_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  assay_graph_page_step_pass (user_data, -1);
}

static void
next_pass_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  assay_graph_page_step_pass (user_data, 1);
}

static const GActionEntry actions[] = {
  { "export", export_action, NULL, NULL, NULL, { 0 } },
  { "level", assay_graph_page_level_action, "s", "'nnir'", NULL, { 0 } },
  { "pass", assay_graph_page_pass_action, "s", NULL, NULL, { 0 } },
  { "previous-pass", previous_pass_action, NULL, NULL, NULL, { 0 } },
  { "next-pass", next_pass_action, NULL, NULL, NULL, { 0 } },
  { "show-origin", assay_graph_page_show_origin_action, "s", NULL, NULL, { 0 } },
  { "open-overlay", open_overlay_action, NULL, NULL, NULL, { 0 } },
  { "colour-by", colour_by_action, "s", "'verdict'", NULL, { 0 } },
  { "pin", pin_action, NULL, NULL, NULL, { 0 } },
  { "step-back", step_back_action, NULL, NULL, NULL, { 0 } },
  { "step", step_action, NULL, NULL, NULL, { 0 } },
  { "previous-peak", previous_peak_action, NULL, NULL, NULL, { 0 } },
  { "next-peak", next_peak_action, NULL, NULL, NULL, { 0 } },
};

void
assay_graph_page_add_actions (AssayGraphPage *self)
{
  g_action_map_add_action_entries (G_ACTION_MAP (assay_canvas_get_actions (self->canvas)), actions,
                                   G_N_ELEMENTS (actions), self);
}

/* The canvas may live longer than the page. */
void
assay_graph_page_remove_actions (AssayGraphPage *self)
{
  GActionMap *map = self->canvas != NULL ? G_ACTION_MAP (assay_canvas_get_actions (self->canvas))
                                         : NULL;

  for (guint i = 0; map != NULL && i < G_N_ELEMENTS (actions); i++)
    g_action_map_remove_action (map, actions[i].name);
}
