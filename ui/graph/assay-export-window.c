/* assay-export-window.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/graph/assay-export-window.h"

#include "base/assay-job.h"
#include "report/picture/assay-graph-picture.h"
#include "ui/canvas/assay-canvas-private.h"
#include "ui/window/assay-file-choice.h"
#include "ui/graph/assay-graph-page-private.h"
#include "ui/window/assay-template.h"

static const struct
{
  const char *label;
  AssayFileKind kind;
} forms[ASSAY_N_PICTURE_FORMS] = {
  [ASSAY_PICTURE_SVG] = { "SVG, one piece",
                          { "Export Graph", "_Export", "*.svg", "SVG Pictures" } },
  [ASSAY_PICTURE_PDF] = { "PDF, A3 pages",
                          { "Export Graph", "_Export", "*.pdf", "PDF Documents" } },
  [ASSAY_PICTURE_PNG] = { "PNG, numbered tiles",
                          { "Export Graph", "_Export", "*.png", "PNG Pictures" } },
  [ASSAY_PICTURE_DOT] = { "DOT, for Graphviz",
                          { "Export Graph", "_Export", "*.dot", "Graphviz Files" } },
};

/* Everything the thread reads: nothing of it changes or goes while it does. */
typedef struct
{
  AssayVerdicts *verdicts;
  AssayScopeTree *tree;
  AssayView *view;
  AssayOverlay *overlay;
  GByteArray *marks;
  AssayColors colors;
  char *family;
  char *title;
  char *path;
  AssayGraphPicture picture;
  AssayPictureForm form;
  guint n_files;
} Export;

struct _AssayExportWindow
{
  AdwWindow parent_instance;

  AssayGraphPage *page;
  AssayFileChoice *choice;
  AssayJob *job; /* while a file is written */

  AdwComboRow *form;
  AdwComboRow *part;
  GtkWidget *group;
  GtkWidget *export_button;
  GtkWidget *command_button;
  GtkProgressBar *progress;
  GtkLabel *status;
};

G_DEFINE_FINAL_TYPE (AssayExportWindow, assay_export_window, ADW_TYPE_WINDOW)

static void
export_free (gpointer data)
{
  Export *export = data;

  assay_view_free (export->view);
  assay_scope_tree_free (export->tree);
  assay_overlay_free (export->overlay);
  g_clear_pointer (&export->marks, g_byte_array_unref);
  assay_verdicts_unref (export->verdicts);
  g_free (export->family);
  g_free (export->title);
  g_free (export->path);
  g_free (export);
}

static gboolean
write_picture (gpointer request, const AssayProgress *progress, GError **error)
{
  Export *export = request;

  return assay_graph_picture_save (&export->picture, export->form, export->path, &export->n_files,
                                   progress, error);
}

static gboolean
is_all (AssayExportWindow *self)
{
  return adw_combo_row_get_selected (self->part) == 0;
}

/* The part that is in sight, in units; nothing for all. */
static void
take_part (AssayExportWindow *self, AssayGraphPicture *picture)
{
  AssayCanvas *canvas = assay_graph_page_get_canvas (self->page);
  double x2, y2;

  if (is_all (self))
    return;

  assay_canvas_to_units (canvas, 0, 0, &picture->x, &picture->y);
  assay_canvas_to_units (canvas, gtk_widget_get_width (GTK_WIDGET (canvas)),
                         gtk_widget_get_height (GTK_WIDGET (canvas)), &x2, &y2);
  picture->width = x2 - picture->x;
  picture->height = y2 - picture->y;
}

static void
take_colors (AssayCanvas *canvas, AssayColors *colors)
{
  colors->dark = canvas->palette.dark;
  colors->high_contrast = canvas->palette.high_contrast;
  for (guint i = 0; i < ASSAY_N_ROLES; i++)
    {
      const GdkRGBA *color = &canvas->palette.color[i];

      colors->color[i] = (AssayColor){ color->red, color->green, color->blue, color->alpha };
    }
}

static Export *
make_export (AssayExportWindow *self, const char *path)
{
  AssayCanvas *canvas = assay_graph_page_get_canvas (self->page);
  Export *export = g_new0 (Export, 1);
  g_autofree char *name = assay_document_dup_name (
      assay_session_get_document (self->page->session));

  /* What moves is drawn where it comes to rest. */
  if (canvas->tween != NULL)
    adw_animation_skip (canvas->moving);
  export->verdicts = assay_verdicts_ref (canvas->verdicts);
  export->tree = assay_scope_tree_ref (canvas->tree);
  export->view = assay_view_ref (canvas->view);
  export->overlay = assay_graph_page_make_overlay (self->page, NULL);
  export->marks = canvas->marks != NULL ? g_byte_array_ref (canvas->marks) : NULL;
  export->family = g_strdup (canvas->family != NULL ? canvas->family : "sans-serif");
  export->title = g_strdup_printf ("%s, %s", name, canvas->verdicts->target_id);
  export->path = g_strdup (path);
  export->form = adw_combo_row_get_selected (self->form);
  take_colors (canvas, &export->colors);
  export->picture = (AssayGraphPicture){
    .view = export->view,
    .overlay = export->overlay,
    .marks = export->marks,
    .filter = canvas->filter,
    .colors = &export->colors,
    .family = export->family,
    .title = export->title,
    .scale = CLAMP (gtk_widget_get_scale_factor (GTK_WIDGET (canvas)), 1, 2),
  };
  take_part (self, &export->picture);

  return export;
}

static void
set_busy (AssayExportWindow *self, gboolean busy)
{
  gtk_widget_set_sensitive (self->group, !busy);
  gtk_widget_set_sensitive (self->export_button, !busy);
  gtk_widget_set_visible (GTK_WIDGET (self->progress), busy);
}

static void
written (gpointer owner, gpointer request, const GError *error)
{
  AssayExportWindow *self = owner;
  const Export *export = request;
  g_autofree char *name = g_filename_display_basename (export->path);
  g_autofree char *text = NULL;

  g_clear_object (&self->job);
  set_busy (self, FALSE);
  if (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED))
    text = g_strdup ("Cancelled");
  else if (error == NULL)
    text = export->n_files > 1 ? g_strdup_printf ("Wrote %u files beside %s", export->n_files, name)
                               : g_strdup_printf ("Wrote %s", name);
  else
    text = g_strdup (error->message);
  gtk_label_set_label (self->status, text);
  gtk_widget_set_visible (GTK_WIDGET (self->status), TRUE);
}

/**
 * assay_export_window_write:
 * @self: a window
 * @path: (type filename): where to write
 *
 * Writes the chosen part of the graph in the chosen form.
 */
void
assay_export_window_write (AssayExportWindow *self, const char *path)
{
  Export *export;

  g_return_if_fail (ASSAY_IS_EXPORT_WINDOW (self));

  if (self->job != NULL || assay_graph_page_get_canvas (self->page)->view == NULL)
    return;

  export = make_export (self, path);
  self->job = assay_session_add_job (self->page->session, export->title);
  g_object_bind_property (self->job, "fraction", self->progress, "fraction", G_BINDING_SYNC_CREATE);
  gtk_widget_set_visible (GTK_WIDGET (self->status), FALSE);
  set_busy (self, TRUE);
  assay_job_start (self->job, write_picture, export, export_free, written, self);
}

static void
chosen_cb (const char *path, gpointer data)
{
  assay_export_window_write (data, path);
}

static void
export_cb (AssayExportWindow *self)
{
  guint form = adw_combo_row_get_selected (self->form);
  g_autofree char *ending = g_strconcat (".", assay_picture_form_name (form), NULL);

  assay_file_choice_save (self->choice, GTK_WINDOW (self), &forms[form].kind, ending, chosen_cb,
                          self);
}

/* The command line that makes the same picture of the same scopes and the same part. */
static void
command_cb (AssayExportWindow *self)
{
  AssayCanvas *canvas = assay_graph_page_get_canvas (self->page);
  const char *form = assay_picture_form_name (adw_combo_row_get_selected (self->form));
  g_autofree char *path = g_shell_quote (
      assay_document_get_path (assay_session_get_document (self->page->session)));
  g_autofree char *target = g_shell_quote (assay_session_get_target_id (self->page->session));
  g_autofree char *model = assay_document_dup_name (
      assay_session_get_document (self->page->session));
  g_autofree char *name = g_strdup_printf ("%s.%s", model, form);
  g_autofree char *output = g_shell_quote (name);
  g_autoptr (GString) text = g_string_new (NULL);
  AssayGraphPicture picture = { 0 };
  gboolean all_open = TRUE, any_open = FALSE;

  g_string_printf (text, "assay show %s --target %s --emit %s -o %s", path, target, form, output);
  for (guint32 s = 1; s < canvas->tree->scopes->len; s++)
    {
      all_open = all_open && canvas->open[s];
      any_open = any_open || canvas->open[s];
    }
  if (!any_open && canvas->tree->scopes->len > 1)
    g_string_append (text, " --fold");
  for (guint32 s = 1; s < canvas->tree->scopes->len && !all_open; s++)
    if (canvas->open[s])
      {
        g_autofree char *scope = g_shell_quote (assay_scope_tree_get (canvas->tree, s)->path);
        g_string_append_printf (text, " --open %s", scope);
      }
  take_part (self, &picture);
  if (!is_all (self))
    g_string_append_printf (text, " --area %.0f,%.0f,%.0f,%.0f", picture.x, picture.y,
                            picture.width, picture.height);
  if (canvas->palette.dark)
    g_string_append (text, " --dark");

  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), text->str);
}

static gboolean
close_request_cb (AssayExportWindow *self)
{
  if (self->job != NULL)
    assay_job_cancel (self->job);

  return FALSE;
}

static void
assay_export_window_dispose (GObject *object)
{
  AssayExportWindow *self = ASSAY_EXPORT_WINDOW (object);

  if (self->job != NULL)
    assay_job_cancel (self->job);
  g_clear_pointer (&self->choice, assay_file_choice_free);
  g_clear_object (&self->page);

  G_OBJECT_CLASS (assay_export_window_parent_class)->dispose (object);
}

static void
assay_export_window_class_init (AssayExportWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_export_window_dispose;

  ASSAY_BIND_TEMPLATE (klass, AssayExportWindow, "assay-export-window", form, part, group,
                       export_button, command_button, progress, status);
  gtk_widget_class_bind_template_callback (widget_class, export_cb);
  gtk_widget_class_bind_template_callback (widget_class, command_cb);
  gtk_widget_class_bind_template_callback (widget_class, close_request_cb);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
assay_export_window_init (AssayExportWindow *self)
{
  g_autoptr (GtkStringList) labels = gtk_string_list_new (NULL);

  gtk_widget_init_template (GTK_WIDGET (self));
  self->choice = assay_file_choice_new ();
  for (guint i = 0; i < ASSAY_N_PICTURE_FORMS; i++)
    gtk_string_list_append (labels, forms[i].label);
  adw_combo_row_set_model (self->form, G_LIST_MODEL (labels));
}

/**
 * assay_export_window_new:
 * @parent: the window it belongs to
 * @page: the graph
 *
 * Makes the window.
 *
 * Returns: (transfer none): the window
 */
GtkWidget *
assay_export_window_new (GtkWindow *parent, AssayGraphPage *page)
{
  AssayExportWindow *self = g_object_new (ASSAY_TYPE_EXPORT_WINDOW, "transient-for", parent,
                                          "destroy-with-parent", TRUE, NULL);

  self->page = g_object_ref (page);

  return GTK_WIDGET (self);
}
