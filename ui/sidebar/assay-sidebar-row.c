/* assay-sidebar-row.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/sidebar/assay-sidebar-row.h"

#include "ui/window/assay-ui.h"
#include "ui/canvas/assay-verdict-glyph.h"
#include "ui/inspector/assay-verdict-text.h"

/* What the cause of an unfolded finding takes in lines; notes can be longer than reasons. */
#define MAX_LINES 10

struct _AssaySidebarRow
{
  GtkWidget parent_instance;

  GtkWidget *glyph;
  GtkWidget *text;
  GtkWidget *title;
  GtkWidget *subtitle;
  GtkWidget *count;

  AssayFindingItem *finding; /* that is shown */
  GtkTreeListRow *list_row;  /* whose unfolding shows the finding whole */
};

G_DEFINE_FINAL_TYPE (AssaySidebarRow, assay_sidebar_row, GTK_TYPE_WIDGET)

static char *bind_finding (AssaySidebarRow *self, AssayFindingItem *item);

static const AssayVerdictKind group_verdicts[ASSAY_N_FINDING_GROUPS] = {
  [ASSAY_FINDING_GROUP_REJECTED] = ASSAY_VERDICT_REJECTED,
  [ASSAY_FINDING_GROUP_HOST] = ASSAY_VERDICT_HOST,
  [ASSAY_FINDING_GROUP_UNDECIDED] = ASSAY_VERDICT_UNDECIDED,
  [ASSAY_FINDING_GROUP_ADVICE] = ASSAY_N_VERDICTS,
};

/* The number of fixes becomes known while the row is shown, and the row is unfolded. */
static void
subtitle_changed_cb (AssaySidebarRow *self)
{
  g_autofree char *name = bind_finding (self, self->finding);
  GtkWidget *expander = gtk_widget_get_ancestor (GTK_WIDGET (self), GTK_TYPE_TREE_EXPANDER);

  if (expander != NULL)
    assay_ui_set_row_name (expander, name);
}

static void
follow_finding (AssaySidebarRow *self, AssayFindingItem *finding)
{
  GtkWidget *expander = gtk_widget_get_ancestor (GTK_WIDGET (self), GTK_TYPE_TREE_EXPANDER);
  GtkTreeListRow *list_row = NULL;

  if (finding != NULL && expander != NULL)
    list_row = gtk_tree_expander_get_list_row (GTK_TREE_EXPANDER (expander));
  if (self->finding != NULL)
    g_signal_handlers_disconnect_by_func (self->finding, subtitle_changed_cb, self);
  if (self->list_row != NULL)
    g_signal_handlers_disconnect_by_func (self->list_row, subtitle_changed_cb, self);
  g_set_object (&self->finding, finding);
  g_set_object (&self->list_row, list_row);
  if (finding != NULL)
    g_signal_connect_swapped (finding, "notify::subtitle", G_CALLBACK (subtitle_changed_cb), self);
  if (self->list_row != NULL)
    g_signal_connect_swapped (self->list_row, "notify::expanded", G_CALLBACK (subtitle_changed_cb),
                              self);
}

static void
assay_sidebar_row_dispose (GObject *object)
{
  AssaySidebarRow *self = ASSAY_SIDEBAR_ROW (object);
  GtkWidget *child;

  follow_finding (self, NULL);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_widget_unparent (child);

  G_OBJECT_CLASS (assay_sidebar_row_parent_class)->dispose (object);
}

static void
assay_sidebar_row_class_init (AssaySidebarRowClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = assay_sidebar_row_dispose;

  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (klass), GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
assay_sidebar_row_init (AssaySidebarRow *self)
{
  gtk_box_layout_set_spacing (GTK_BOX_LAYOUT (gtk_widget_get_layout_manager (GTK_WIDGET (self))),
                              6);

  self->glyph = assay_verdict_glyph_new (ASSAY_N_VERDICTS);
  gtk_widget_set_parent (self->glyph, GTK_WIDGET (self));

  self->text = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  /* A tree expander gives its child no more room than that asks for. */
  gtk_widget_set_hexpand (GTK_WIDGET (self), TRUE);
  gtk_widget_set_hexpand (self->text, TRUE);
  gtk_widget_set_valign (self->text, GTK_ALIGN_CENTER);
  gtk_widget_set_parent (self->text, GTK_WIDGET (self));

  self->title = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (self->title), 0);
  gtk_label_set_ellipsize (GTK_LABEL (self->title), PANGO_ELLIPSIZE_END);
  gtk_label_set_wrap_mode (GTK_LABEL (self->title), PANGO_WRAP_WORD_CHAR);
  assay_ui_show_whole (self->title);
  gtk_box_append (GTK_BOX (self->text), self->title);

  self->subtitle = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (self->subtitle), 0);
  gtk_widget_add_css_class (self->subtitle, "secondary");
  gtk_widget_add_css_class (self->subtitle, "caption");
  gtk_widget_add_css_class (self->subtitle, "numeric");
  gtk_box_append (GTK_BOX (self->text), self->subtitle);

  self->count = gtk_label_new (NULL);
  gtk_widget_add_css_class (self->count, "secondary");
  gtk_widget_add_css_class (self->count, "numeric");
  gtk_widget_set_parent (self->count, GTK_WIDGET (self));
}

GtkWidget *
assay_sidebar_row_new (void)
{
  return g_object_new (ASSAY_TYPE_SIDEBAR_ROW, NULL);
}

static void
show (AssaySidebarRow *self, AssayVerdictKind verdict, const char *title, const char *subtitle,
      const char *count, int lines, PangoEllipsizeMode ellipsize)
{
  assay_verdict_glyph_set_verdict (ASSAY_VERDICT_GLYPH (self->glyph), verdict);
  gtk_widget_set_visible (self->glyph, verdict != ASSAY_N_VERDICTS);
  gtk_widget_set_valign (self->glyph, lines > 1 ? GTK_ALIGN_START : GTK_ALIGN_CENTER);
  gtk_label_set_label (GTK_LABEL (self->title), title);
  gtk_label_set_wrap (GTK_LABEL (self->title), lines > 1);
  gtk_label_set_lines (GTK_LABEL (self->title), lines > 1 ? lines : -1);
  gtk_label_set_label (GTK_LABEL (self->subtitle), subtitle);
  gtk_label_set_ellipsize (GTK_LABEL (self->subtitle), ellipsize);
  gtk_widget_set_visible (self->subtitle, *subtitle != '\0');
  gtk_label_set_label (GTK_LABEL (self->count), count);
  gtk_widget_set_visible (self->count, *count != '\0');
}

static char *
bind_heading (AssaySidebarRow *self, GtkStringObject *heading)
{
  const char *text = gtk_string_object_get_string (heading);

  show (self, ASSAY_N_VERDICTS, text, "", "", 1, PANGO_ELLIPSIZE_END);
  return g_strdup (text);
}

/* One line with the number of nodes; unfolded, the whole of it. */
static char *
bind_finding (AssaySidebarRow *self, AssayFindingItem *item)
{
  AssayFindingGroup group = assay_finding_item_get_group (item);
  const char *title = assay_finding_item_get_title (item);
  const char *subtitle = assay_finding_item_get_subtitle (item);
  guint n_nodes = assay_finding_item_get_nodes (item)->len;
  gboolean folded = self->list_row != NULL && !gtk_tree_list_row_get_expanded (self->list_row);
  g_autofree char *count = folded && n_nodes > 0 ? assay_ui_format_count (n_nodes) : g_strdup ("");

  show (self, group_verdicts[group], folded ? assay_finding_item_get_folded (item) : title,
        folded ? "" : subtitle, count, folded ? 1 : MAX_LINES, PANGO_ELLIPSIZE_END);
  return g_strdup_printf ("%s: %s, %s", assay_finding_group_title (group), title, subtitle);
}

static char *
bind_outline (AssaySidebarRow *self, AssayOutlineItem *item)
{
  AssayVerdictKind kind = assay_outline_item_get_verdict (item);
  AssayVerdicts *verdicts = assay_outline_get_verdicts (assay_outline_item_get_outline (item));
  const AssayVerdict *verdict;
  g_autofree char *count = NULL;
  g_autofree char *sentence = NULL;

  if (assay_outline_item_is_scope (item))
    {
      g_autofree char *nodes = assay_ui_format_nodes (assay_outline_item_get_count (item));

      count = assay_ui_format_count (assay_outline_item_get_count (item));
      show (self, kind, assay_outline_item_get_title (item), "", count, 1, PANGO_ELLIPSIZE_END);
      if (assay_outline_item_is_made (item))
        {
          gtk_widget_add_css_class (self->title, "secondary");
          assay_ui_set_tooltip (self->text,
                                "Neighbours put together by Assay: the file has no such scope");
        }
      return g_strdup_printf ("%s, %s%s, worst %s", assay_outline_item_get_title (item),
                              assay_outline_item_is_made (item) ? "group made by Assay, " : "",
                              nodes, assay_verdict_word (kind));
    }

  show (self, kind, assay_outline_item_get_title (item), assay_outline_item_get_subtitle (item), "",
        1, PANGO_ELLIPSIZE_START);
  verdict = assay_verdicts_get (verdicts, assay_outline_item_get_node (item));
  sentence = assay_verdict_dup_shown (verdicts, verdict);
  return g_strdup_printf ("%s, %s, %s, %s", assay_outline_item_get_title (item),
                          assay_outline_item_get_subtitle (item), assay_verdict_word (kind),
                          sentence);
}

/**
 * assay_sidebar_row_bind:
 * @self: a row
 * @item: (type GObject): a #GtkStringObject, #AssayFindingItem or #AssayOutlineItem
 *
 * Shows an item.
 *
 * Returns: (transfer full): the accessible name of the row
 */
char *
assay_sidebar_row_bind (AssaySidebarRow *self, gpointer item)
{
  gtk_widget_remove_css_class (self->title, "caption-heading");
  gtk_widget_remove_css_class (self->title, "secondary");
  assay_ui_set_tooltip (self->text, NULL);
  follow_finding (self, ASSAY_IS_FINDING_ITEM (item) ? item : NULL);
  if (ASSAY_IS_FINDING_ITEM (item))
    return bind_finding (self, item);
  if (ASSAY_IS_OUTLINE_ITEM (item))
    return bind_outline (self, item);

  if (GTK_IS_STRING_OBJECT (item))
    {
      gtk_widget_add_css_class (self->title, "caption-heading");
      return bind_heading (self, item);
    }

  return g_strdup ("");
}
