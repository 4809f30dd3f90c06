/* assay-graph-colours.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the bodies of nodes are coloured by: the choice, the legend, and files from outside.
 */
#include "ui/graph/assay-graph-page-private.h"

#include <adwaita.h>

#include "backend/assay-backend.h"
#include "base/assay-error.h"
#include "base/assay-sentence.h"
#include "ui/canvas/assay-swatch.h"
#include "ui/canvas/assay-verdict-glyph.h"
#include "ui/inspector/assay-verdict-text.h"
#include "ui/window/assay-ui.h"

/* Of the buttons at the upper right, as in the template. */
#define COLOR_MARGIN 18

static void
add_legend (AssayGraphPage *self, GtkWidget *mark, const char *text)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *label = gtk_label_new (text);

  g_object_set (label, "ellipsize", PANGO_ELLIPSIZE_MIDDLE, "max-width-chars", 28, "xalign", 0.0f,
                NULL);
  gtk_widget_add_css_class (label, "numeric");
  gtk_box_append (GTK_BOX (row), mark);
  gtk_box_append (GTK_BOX (row), label);
  gtk_box_append (GTK_BOX (self->legend), row);
}

static void
add_overlay_legend (AssayGraphPage *self, const AssayOverlay *overlay)
{
  GtkWidget *title = gtk_label_new (overlay->title);

  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_widget_add_css_class (title, "caption-heading");
  gtk_box_append (GTK_BOX (self->legend), title);
  for (guint step = 0; step < overlay->labels->len; step++)
    add_legend (self, assay_swatch_new (assay_overlay_get_role (overlay, step)),
                g_ptr_array_index (overlay->labels, step));
  if (overlay->labels->len == 0)
    add_legend (self, assay_swatch_new (ASSAY_ROLE_BOX), "Nothing to tell");
}

static void
update_legend (AssayGraphPage *self, const char *note)
{
  AssayVerdicts *verdicts = assay_session_get_verdicts (self->session);
  const AssayOverlay *overlay = assay_canvas_get_overlay (self->canvas);
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (self->legend)) != NULL)
    gtk_box_remove (GTK_BOX (self->legend), child);

  if (overlay != NULL)
    {
      add_overlay_legend (self, overlay);
      if (note != NULL)
        add_legend (self, assay_swatch_new (ASSAY_ROLE_BOX), note);
      return;
    }
  for (guint kind = 0; verdicts != NULL && kind < ASSAY_N_VERDICTS; kind++)
    if (assay_verdicts_count (verdicts, kind) > 0)
      add_legend (self, assay_verdict_glyph_new ((AssayVerdictKind) kind),
                  assay_verdict_word ((AssayVerdictKind) kind));
}

static AssayOverlaySource
get_source (AssayGraphPage *self)
{
  return (AssayOverlaySource){
    .verdicts = assay_canvas_get_verdicts (self->canvas),
    .program = assay_compilation_get_program (assay_session_get_compilation (self->session)),
    .comparison = assay_compare_activity_get_comparison (
        assay_session_get_compare_activity (self->session)),
  };
}

/* Why something cannot be chosen now, or NULL. */
static const char *
get_missing (AssayGraphPage *self, AssayOverlayKind kind)
{
  AssayTarget *target = assay_session_get_target (self->session);
  AssayOverlaySource source = get_source (self);

  if (source.verdicts == NULL)
    return "Open a model first";
  if (kind == ASSAY_OVERLAY_FILE)
    return self->overlay_file != NULL ? NULL : "Open an overlay file first";
  if ((kind == ASSAY_OVERLAY_CORE || kind == ASSAY_OVERLAY_CYCLES) && target != NULL &&
      !assay_backend_has (target, ASSAY_CAPABILITY_MAKES_PROGRAMS))
    return assay_backend_get_lack (ASSAY_CAPABILITY_MAKES_PROGRAMS);
  if (kind == ASSAY_OVERLAY_CYCLES && target != NULL &&
      !assay_backend_has (target, ASSAY_CAPABILITY_COUNTS_CYCLES))
    return assay_backend_get_lack (ASSAY_CAPABILITY_COUNTS_CYCLES);

  return assay_overlay_get_missing (kind, &source);
}

/* What an overlay says of the file it comes from. */
static char *
describe_unknown (const AssayOverlayFile *file, guint n_unknown, const char *first)
{
  if (n_unknown == 0)
    return NULL;

  return g_strdup_printf ("%u of %u name%s unknown, first %s", n_unknown, file->names->len,
                          assay_plural (file->names->len), first);
}

/**
 * assay_graph_page_make_overlay:
 * @self: a graph page
 * @note: (out) (optional) (transfer full): what has to be said of it, or %NULL
 *
 * Finds out the colours of the graph that is shown.
 *
 * Returns: (transfer full) (nullable): the overlay, %NULL for verdicts alone
 */
AssayOverlay *
assay_graph_page_make_overlay (AssayGraphPage *self, char **note)
{
  AssayOverlaySource source = get_source (self);
  g_autofree char *words = NULL;
  AssayOverlay *overlay = NULL;

  if (source.verdicts != NULL && self->overlay_kind == ASSAY_OVERLAY_FILE &&
      self->overlay_file != NULL)
    {
      const char *first;
      guint n_unknown;

      overlay = assay_overlay_file_apply (self->overlay_file, source.verdicts, &n_unknown, &first);
      words = describe_unknown (self->overlay_file, n_unknown, first);
    }
  else if (source.verdicts != NULL && self->overlay_kind != ASSAY_OVERLAY_FILE)
    overlay = assay_overlay_new (self->overlay_kind, &source);

  if (note != NULL)
    *note = g_steal_pointer (&words);

  return overlay;
}

/* Rows say why they cannot be chosen; the one that is chosen is marked. */
static void
update_choices (AssayGraphPage *self)
{
  guint kind = 0;

  for (GtkWidget *row = gtk_widget_get_first_child (self->color_list); row != NULL;
       row = gtk_widget_get_next_sibling (row), kind++)
    {
      GtkWidget *reason = gtk_widget_get_last_child (row);
      const char *missing = get_missing (self, kind);

      gtk_widget_set_sensitive (row, missing == NULL);
      assay_ui_set_tooltip (row, missing);
      gtk_widget_set_visible (reason, missing != NULL);
      gtk_label_set_label (GTK_LABEL (reason), missing != NULL ? missing : "");
      gtk_check_button_set_active (GTK_CHECK_BUTTON (gtk_widget_get_first_child (row)),
                                   kind == self->overlay_kind);
    }
}

/* What comes from a program waits for one: until then the bodies are plain, and the legend says the
 * verdicts. */
void
assay_graph_page_update_overlay (AssayGraphPage *self)
{
  const char *word = assay_overlay_kind_word (self->overlay_kind);
  g_autofree char *label = self->overlay_kind == ASSAY_OVERLAY_VERDICT
                               ? g_strdup ("Colour By")
                               : g_strdup_printf ("Colour By %s", word);
  g_autofree char *note = NULL;
  int width;

  assay_canvas_set_overlay (self->canvas, assay_graph_page_make_overlay (self, &note));
  gtk_menu_button_set_label (self->color_button, label);
  gtk_widget_measure (gtk_widget_get_parent (GTK_WIDGET (self->color_button)),
                      GTK_ORIENTATION_HORIZONTAL, -1, NULL, &width, NULL, NULL);
  assay_canvas_set_covered_right (self->canvas, width + 2 * COLOR_MARGIN);
  update_legend (self, note);
  self->filling_colours = TRUE;
  update_choices (self);
  self->filling_colours = FALSE;
  assay_graph_page_update_floating (self);
}

void
assay_graph_page_colour_by (AssayGraphPage *self, AssayOverlayKind kind)
{
  GActionMap *map = G_ACTION_MAP (assay_canvas_get_actions (self->canvas));

  self->overlay_kind = kind;
  g_simple_action_set_state (G_SIMPLE_ACTION (g_action_map_lookup_action (map, "colour-by")),
                             g_variant_new_string (assay_overlay_kind_name (kind)));
  if (self->session != NULL)
    assay_graph_page_update_overlay (self);
}

static void
choice_toggled_cb (GtkCheckButton *button, AssayGraphPage *self)
{
  const char *name = g_object_get_data (G_OBJECT (button), "overlay");

  if (!self->filling_colours && gtk_check_button_get_active (button))
    gtk_widget_activate_action (GTK_WIDGET (self->canvas), "graph.colour-by", "s", name);
}

/* A menu cannot switch off one value of an action, nor say why. */
void
assay_graph_page_init_colours (AssayGraphPage *self)
{
  GtkCheckButton *group = NULL;

  for (guint kind = 0; kind < ASSAY_N_OVERLAYS; kind++)
    {
      GtkWidget *row = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
      GtkWidget *button = gtk_check_button_new_with_label (assay_overlay_kind_word (kind));
      GtkWidget *reason = gtk_label_new (NULL);

      gtk_check_button_set_group (GTK_CHECK_BUTTON (button), group);
      group = GTK_CHECK_BUTTON (button);
      g_object_set_data (G_OBJECT (button), "overlay", (gpointer) assay_overlay_kind_name (kind));
      g_signal_connect_object (button, "toggled", G_CALLBACK (choice_toggled_cb), self, 0);
      gtk_widget_add_css_class (reason, "caption");
      gtk_label_set_xalign (GTK_LABEL (reason), 0);
      gtk_widget_set_margin_start (reason, 24);
      gtk_box_append (GTK_BOX (row), button);
      gtk_box_append (GTK_BOX (row), reason);
      gtk_box_append (GTK_BOX (self->color_list), row);
    }
}

static void
show_error (AssayGraphPage *self, const char *path, const GError *error)
{
  g_autofree char *name = g_filename_display_basename (path);
  g_autofree char *heading = g_strdup_printf ("Cannot Show %s", name);
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *dialog = adw_message_dialog_new (GTK_IS_WINDOW (root) ? GTK_WINDOW (root) : NULL,
                                              heading, NULL);

  adw_message_dialog_format_body (
      ADW_MESSAGE_DIALOG (dialog),
      "%s\n\nAn overlay is a CSV or JSON file of node names and values, or the JSON of "
      "`assay check` or `assay compare`.",
      error->message);
  adw_message_dialog_add_response (ADW_MESSAGE_DIALOG (dialog), "close", "_Close");
  gtk_window_present (GTK_WINDOW (dialog));
}

/**
 * assay_graph_page_open_overlay:
 * @self: a graph page
 * @path: (type filename): path of a CSV or JSON file of names and values
 *
 * Colours the graph by what a file says; before a model is open it waits for one. What is wrong
 * with the file is told in a dialog, and the graph stays as it is.
 */
void
assay_graph_page_open_overlay (AssayGraphPage *self, const char *path)
{
  g_autoptr (AssayOverlayFile) file = NULL;
  g_autoptr (AssayOverlay) overlay = NULL;
  g_autoptr (GError) error = NULL;
  AssayVerdicts *verdicts = self->session != NULL ? assay_canvas_get_verdicts (self->canvas) : NULL;
  const char *first;
  guint n_unknown;

  g_return_if_fail (ASSAY_IS_GRAPH_PAGE (self));

  if (verdicts == NULL)
    {
      g_autofree char *copy = g_strdup (path);

      g_free (self->pending_overlay);
      self->pending_overlay = g_steal_pointer (&copy);
      return;
    }

  file = assay_overlay_file_load (path, &error);
  if (file != NULL)
    overlay = assay_overlay_file_apply (file, verdicts, &n_unknown, &first);
  if (file != NULL && overlay == NULL)
    g_set_error (&error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                 "No name in the file is that of a node of this model; the "
                 "first of %u is %s.",
                 file->names->len, first);
  if (error != NULL)
    {
      show_error (self, path, error);
      return;
    }

  g_clear_pointer (&self->overlay_file, assay_overlay_file_free);
  self->overlay_file = g_steal_pointer (&file);
  assay_graph_page_colour_by (self, ASSAY_OVERLAY_FILE);
}
