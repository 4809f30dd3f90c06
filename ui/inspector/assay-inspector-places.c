/* assay-inspector-places.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Other nodes that the inspector leads to: the same place of equal blocks, and those with a note.
 */
#include "ui/inspector/assay-inspector-private.h"
#include "text/assay-xml-writer.h"

/* Further notes are in the session all the same; their nodes are marked in the graph. */
#define MAX_NOTES 100

static void
select_cb (GtkButton *button, AssaySession *session)
{
  assay_session_set_selection (session,
                               GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (button), "node")));
}

static GtkWidget *
make_step (AssaySession *session, const char *icon, const char *words, const char *scope,
           guint index, AssayNodeId node)
{
  GtkWidget *button = gtk_button_new_from_icon_name (icon);
  g_autofree char *label = g_strdup_printf ("%s, %s", words, scope);
  g_autofree char *name = g_strdup_printf (ASSAY_INSPECTOR_STEP "%s-%u", icon, index);

  gtk_widget_set_name (button, name);
  gtk_widget_set_tooltip_text (button, words);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_set_sensitive (button, node != ASSAY_NO_NODE);
  gtk_widget_add_css_class (button, "flat");
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                  -1);
  g_object_set_data (G_OBJECT (button), "node", GUINT_TO_POINTER (node));
  g_signal_connect_object (button, "clicked", G_CALLBACK (select_cb), session, 0);
  return button;
}

static GtkWidget *
make_blocks (AssaySession *session, AssayScopeTree *tree, const AssayEqualBlocks *blocks,
             guint index)
{
  const AssayScope *scope = assay_scope_tree_get (tree, blocks->scope);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 3);
  GtkWidget *words = gtk_box_new (GTK_ORIENTATION_VERTICAL, 3);
  GtkWidget *name = gtk_label_new (scope->name);
  GtkWidget *count = gtk_label_new (NULL);
  g_autofree char *text = g_strdup_printf ("×%u equal, this is %u", blocks->n, blocks->index + 1);
  g_autofree char *spoken = g_strdup_printf ("%s: equal blocks, %u in all, this is block %u",
                                             scope->name, blocks->n, blocks->index + 1);

  g_object_set (name, "xalign", 0.0f, "ellipsize", PANGO_ELLIPSIZE_START, NULL);
  gtk_widget_set_tooltip_text (name, scope->path);
  gtk_widget_add_css_class (name, "secondary");
  gtk_label_set_label (GTK_LABEL (count), text);
  g_object_set (count, "xalign", 0.0f, "wrap", TRUE, "selectable", TRUE, "can-focus", FALSE, NULL);
  gtk_widget_add_css_class (count, "numeric");
  gtk_accessible_update_property (GTK_ACCESSIBLE (count), GTK_ACCESSIBLE_PROPERTY_LABEL, spoken,
                                  -1);

  gtk_widget_set_hexpand (words, TRUE);
  gtk_box_append (GTK_BOX (words), name);
  gtk_box_append (GTK_BOX (words), count);
  gtk_box_append (GTK_BOX (box), words);
  gtk_box_append (GTK_BOX (box), make_step (session, "go-previous-symbolic", "Previous equal block",
                                            scope->name, index, blocks->previous));
  gtk_box_append (GTK_BOX (box), make_step (session, "go-next-symbolic", "Next equal block",
                                            scope->name, index, blocks->node));
  return box;
}

/* A row for each block around the node that has equals, the innermost first. */
void
assay_inspector_add_blocks (GtkBox *groups, AssaySession *session, AssayNodeId id)
{
  AssayOutline *outline = assay_session_get_outline (session);
  AssayScopeTree *tree = outline != NULL ? assay_outline_get_tree (outline) : NULL;
  AssayPropertyList *list;
  g_autoptr (GArray) blocks = NULL;

  if (tree == NULL)
    return;

  blocks = assay_scope_tree_list_equal (tree, assay_session_get_verdicts (session)->graph, id);
  list = assay_inspector_begin (groups, "Equal Blocks");
  for (guint i = 0; i < MIN (blocks->len, ASSAY_INSPECTOR_ROWS); i++)
    assay_property_list_add_widget (
        list, make_blocks (session, tree, &g_array_index (blocks, AssayEqualBlocks, i), i));
  assay_inspector_end (groups, list);
}

/* All pins and notes of the model, each with the way to its node. */
void
assay_inspector_add_notes (GtkBox *groups, AssaySession *session)
{
  AssayPropertyList *list = assay_inspector_begin (groups, "Pins and Notes");
  g_auto (GStrv) names = assay_session_list_pins (session);

  for (guint i = 0; names[i] != NULL && i < MAX_NOTES; i++)
    {
      const char *note = assay_session_get_note (session, names[i]);
      AssayNodeId node = assay_session_find_name (session, names[i]);
      const char *text = *note != '\0' ? note : "pinned";
      GtkWidget *button;

      if (node == ASSAY_NO_NODE)
        {
          g_autofree char *gone = g_strdup_printf ("%s (not in the checked graph)", text);
          g_autofree char *markup = assay_xml_escape (gone);

          assay_property_list_add_stacked (list, names[i], markup, gone);
          continue;
        }
      button = assay_property_list_add_jump (list, names[i], text, "Select the node");
      g_object_set_data (G_OBJECT (button), "node", GUINT_TO_POINTER (node));
      g_signal_connect_object (button, "clicked", G_CALLBACK (select_cb), session, 0);
    }
  assay_inspector_end (groups, list);
}
