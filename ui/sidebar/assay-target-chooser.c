/* assay-target-chooser.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/sidebar/assay-target-chooser.h"

#include "base/assay-sentence.h"
#include "ui/canvas/assay-verdict-glyph.h"
#include "ui/window/assay-ui.h"
#include "ui/window/assay-template.h"

#define WIDTH 420
#define HEIGHT 480
/* In the least window it still has its margins. */
#define MOST_WIDTH 640

struct _AssayTargetChooser
{
  GtkPopover parent_instance;

  AssaySession *session;
  GListStore *rows; /* headings (GtkStringObject) and targets */
  GtkSingleSelection *selection;

  GtkWidget *box;
  GtkSearchEntry *entry;
  GtkListView *list;
};

G_DEFINE_FINAL_TYPE (AssayTargetChooser, assay_target_chooser, GTK_TYPE_POPOVER)

static char *
dup_outcome (AssayTargetItem *item)
{
  return assay_outcome_describe (assay_target_item_get_outcome (item));
}

static char *
dup_row_name (AssayTargetItem *item)
{
  g_autofree char *outcome = dup_outcome (item);

  return g_strdup_printf ("%s, %s, %s", assay_target_item_get_title (item),
                          assay_target_item_get_summary (item),
                          *outcome == '\0' ? "not checked yet" : outcome);
}

static void
outcome_changed_cb (AssayTargetItem *item, GParamSpec *pspec, GtkListItem *list_item)
{
  GtkWidget *box = gtk_list_item_get_child (list_item);
  g_autofree char *name = dup_row_name (item);
  g_autofree char *outcome = dup_outcome (item);

  gtk_label_set_label (g_object_get_data (G_OBJECT (box), "count"), outcome);
  assay_verdict_glyph_set_verdict (
      g_object_get_data (G_OBJECT (box), "glyph"),
      assay_outcome_get_verdict (assay_target_item_get_outcome (item)));
  assay_ui_set_row_name (box, name);
}

static void
setup_cb (GtkSignalListItemFactory *factory, GtkListItem *list_item, gpointer data)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *text = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *title = gtk_label_new (NULL);
  GtkWidget *summary = gtk_label_new (NULL);
  GtkWidget *glyph = assay_verdict_glyph_new (ASSAY_N_VERDICTS);
  GtkWidget *count = gtk_label_new (NULL);
  GtkWidget *check = gtk_image_new_from_icon_name ("object-select-symbolic");

  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_label_set_wrap (GTK_LABEL (title), TRUE);
  gtk_label_set_xalign (GTK_LABEL (summary), 0);
  gtk_label_set_wrap (GTK_LABEL (summary), TRUE);
  gtk_label_set_lines (GTK_LABEL (summary), 3);
  gtk_label_set_ellipsize (GTK_LABEL (summary), PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class (summary, "secondary");
  gtk_widget_add_css_class (summary, "caption");
  assay_ui_show_whole (summary);
  gtk_widget_add_css_class (count, "numeric");
  gtk_widget_set_hexpand (text, TRUE);
  gtk_widget_set_valign (text, GTK_ALIGN_CENTER);

  gtk_box_append (GTK_BOX (text), title);
  gtk_box_append (GTK_BOX (text), summary);
  gtk_box_append (GTK_BOX (box), text);
  gtk_widget_set_valign (glyph, GTK_ALIGN_CENTER);
  gtk_box_append (GTK_BOX (box), glyph);
  gtk_box_append (GTK_BOX (box), count);
  gtk_box_append (GTK_BOX (box), check);
  g_object_set_data (G_OBJECT (box), "title", title);
  g_object_set_data (G_OBJECT (box), "summary", summary);
  g_object_set_data (G_OBJECT (box), "glyph", glyph);
  g_object_set_data (G_OBJECT (box), "count", count);
  g_object_set_data (G_OBJECT (box), "check", check);
  gtk_list_item_set_child (list_item, box);
}

static void
bind_cb (GtkSignalListItemFactory *factory, GtkListItem *list_item, AssayTargetChooser *self)
{
  GtkWidget *box = gtk_list_item_get_child (list_item);
  GtkLabel *title = g_object_get_data (G_OBJECT (box), "title");
  GtkWidget *summary = g_object_get_data (G_OBJECT (box), "summary");
  GtkLabel *count = g_object_get_data (G_OBJECT (box), "count");
  GtkWidget *check = g_object_get_data (G_OBJECT (box), "check");
  gpointer item = gtk_list_item_get_item (list_item);
  gboolean heading = GTK_IS_STRING_OBJECT (item);
  g_autofree char *shown = NULL;
  g_autofree char *text = NULL;

  gtk_list_item_set_selectable (list_item, !heading);
  gtk_list_item_set_activatable (list_item, !heading);
  gtk_widget_set_visible (summary, !heading);
  gtk_widget_set_opacity (check,
                          !heading && g_strcmp0 (assay_target_item_get_id (item),
                                                 assay_session_get_target_id (self->session)) == 0
                              ? 1
                              : 0);
  if (heading)
    {
      gtk_label_set_label (title, gtk_string_object_get_string (item));
      gtk_widget_add_css_class (GTK_WIDGET (title), "caption-heading");
      gtk_label_set_label (count, "");
      assay_verdict_glyph_set_verdict (g_object_get_data (G_OBJECT (box), "glyph"),
                                       ASSAY_N_VERDICTS);
      assay_ui_set_row_name (box, gtk_string_object_get_string (item));
      return;
    }

  gtk_widget_remove_css_class (GTK_WIDGET (title), "caption-heading");
  gtk_label_set_label (title, assay_target_item_get_title (item));
  text = g_strdup_printf ("%s · %s", assay_target_item_get_id (item),
                          assay_target_item_get_summary (item));
  shown = assay_sentence_dup_shown (text);
  gtk_label_set_label (GTK_LABEL (summary), shown);
  g_signal_connect_object (item, "notify::outcome", G_CALLBACK (outcome_changed_cb), list_item, 0);
  outcome_changed_cb (item, NULL, list_item);
}

static void
unbind_cb (GtkSignalListItemFactory *factory, GtkListItem *list_item, gpointer data)
{
  g_signal_handlers_disconnect_by_func (gtk_list_item_get_item (list_item), outcome_changed_cb,
                                        list_item);
}

static gboolean
matches (AssayTargetItem *item, const char *text)
{
  g_autofree char *needle = g_utf8_casefold (text, -1);
  g_autofree char *all = g_strdup_printf ("%s %s %s", assay_target_item_get_id (item),
                                          assay_target_item_get_title (item),
                                          assay_target_item_get_summary (item));
  g_autofree char *hay = g_utf8_casefold (all, -1);

  return strstr (hay, needle) != NULL;
}

static void
rebuild (AssayTargetChooser *self)
{
  GListModel *targets = assay_session_get_targets (self->session);
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->entry));
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (g_object_unref);
  const char *group = NULL;
  guint chosen = GTK_INVALID_LIST_POSITION;

  for (guint i = 0; i < g_list_model_get_n_items (targets); i++)
    {
      g_autoptr (AssayTargetItem) item = g_list_model_get_item (targets, i);

      if (!matches (item, text))
        continue;
      if (g_strcmp0 (group, assay_target_item_get_group (item)) != 0)
        {
          group = assay_target_item_get_group (item);
          g_ptr_array_add (rows, gtk_string_object_new (group));
        }
      if (g_strcmp0 (assay_target_item_get_id (item),
                     assay_session_get_target_id (self->session)) == 0)
        chosen = rows->len;
      g_ptr_array_add (rows, g_steal_pointer (&item));
    }

  if (rows->len == 0)
    g_ptr_array_add (rows, gtk_string_object_new ("No target has this in its name or description"));
  g_list_store_splice (self->rows, 0, g_list_model_get_n_items (G_LIST_MODEL (self->rows)),
                       rows->pdata, rows->len);
  gtk_single_selection_set_selected (self->selection, chosen);
}

static void
activate_cb (AssayTargetChooser *self, guint position)
{
  g_autoptr (GObject) item = g_list_model_get_item (G_LIST_MODEL (self->rows), position);

  if (!ASSAY_IS_TARGET_ITEM (item))
    return;

  gtk_popover_popdown (GTK_POPOVER (self));
  assay_session_set_target_id (self->session, assay_target_item_get_id (ASSAY_TARGET_ITEM (item)));
}

/* Every survey tells of all targets anew; rows are made for somebody who looks at them. */
static void
changed_cb (AssayTargetChooser *self)
{
  if (gtk_widget_get_mapped (GTK_WIDGET (self)))
    rebuild (self);
}

/* A search entry keeps Escape to itself. */
static void
stop_search_cb (AssayTargetChooser *self)
{
  gtk_popover_popdown (GTK_POPOVER (self));
}

static void
search_activate_cb (AssayTargetChooser *self)
{
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->rows)); i++)
    {
      g_autoptr (GObject) item = g_list_model_get_item (G_LIST_MODEL (self->rows), i);

      if (ASSAY_IS_TARGET_ITEM (item))
        {
          activate_cb (self, i);
          return;
        }
    }
}

static void
assay_target_chooser_map (GtkWidget *widget)
{
  AssayTargetChooser *self = ASSAY_TARGET_CHOOSER (widget);
  double scale = assay_ui_get_text_scale (widget);

  gtk_widget_set_size_request (self->box, (int) MIN (WIDTH * scale, MOST_WIDTH), HEIGHT);
  gtk_editable_set_text (GTK_EDITABLE (self->entry), "");
  rebuild (self);
  GTK_WIDGET_CLASS (assay_target_chooser_parent_class)->map (widget);
  gtk_widget_grab_focus (GTK_WIDGET (self->entry));
}

static void
assay_target_chooser_dispose (GObject *object)
{
  AssayTargetChooser *self = ASSAY_TARGET_CHOOSER (object);

  gtk_widget_dispose_template (GTK_WIDGET (self), ASSAY_TYPE_TARGET_CHOOSER);
  g_clear_object (&self->selection);
  g_clear_object (&self->rows);
  g_clear_object (&self->session);

  G_OBJECT_CLASS (assay_target_chooser_parent_class)->dispose (object);
}

static void
assay_target_chooser_class_init (AssayTargetChooserClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_target_chooser_dispose;
  widget_class->map = assay_target_chooser_map;

  ASSAY_BIND_TEMPLATE (klass, AssayTargetChooser, "assay-target-chooser", box, entry, list);
  gtk_widget_class_bind_template_callback (widget_class, activate_cb);
  gtk_widget_class_bind_template_callback (widget_class, changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, search_activate_cb);
  gtk_widget_class_bind_template_callback (widget_class, stop_search_cb);
}

static void
assay_target_chooser_init (AssayTargetChooser *self)
{
  g_autoptr (GtkListItemFactory) factory = gtk_signal_list_item_factory_new ();

  gtk_widget_init_template (GTK_WIDGET (self));

  g_signal_connect (factory, "setup", G_CALLBACK (setup_cb), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (bind_cb), self);
  g_signal_connect (factory, "unbind", G_CALLBACK (unbind_cb), NULL);

  self->rows = g_list_store_new (G_TYPE_OBJECT);
  self->selection = gtk_single_selection_new (NULL);
  gtk_single_selection_set_autoselect (self->selection, FALSE);
  gtk_single_selection_set_can_unselect (self->selection, TRUE);
  gtk_single_selection_set_model (self->selection, G_LIST_MODEL (self->rows));
  gtk_list_view_set_factory (self->list, factory);
  gtk_list_view_set_model (self->list, GTK_SELECTION_MODEL (self->selection));
}

void
assay_target_chooser_set_session (AssayTargetChooser *self, AssaySession *session)
{
  g_set_object (&self->session, session);
  g_signal_connect_object (assay_session_get_targets (session), "items-changed",
                           G_CALLBACK (changed_cb), self, G_CONNECT_SWAPPED);
}
