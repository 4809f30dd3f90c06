/* assay-fix-list.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/inspector/assay-fix-list.h"

#include "base/assay-sentence.h"
#include "ui/window/assay-ui.h"

/* More lines of what was tried in vain than this help nobody. */
#define MAX_TRIED 8

struct _AssayFixList
{
  GtkWidget parent_instance;

  AssaySession *session;
  int finding;
  gboolean wants_focus; /* as soon as there is a row */

  GtkWidget *box;
  GtkWidget *waiting;
  GtkSpinner *spinner;
  GtkLabel *none;
  GtkLabel *tried;
  GtkListBox *rows;
  GtkMenuButton *cut;
  GtkWidget *menu;
};

G_DEFINE_FINAL_TYPE (AssayFixList, assay_fix_list, GTK_TYPE_WIDGET)

static AssayFixSearch *
get_search (AssayFixList *self)
{
  return assay_session_get_fix_search (self->session);
}

/* The finding that the selection is a part of, before all the one that is walked through. */
static int
find_finding (AssayFixList *self)
{
  GListModel *items = assay_session_get_finding_items (self->session);
  AssayNodeId selection = assay_session_get_selection (self->session);
  int walked = assay_session_get_finding (self->session);

  if (assay_session_get_verdicts (self->session) == NULL)
    return -1;

  for (int i = walked >= 0 ? -1 : 0; i < (int) g_list_model_get_n_items (items); i++)
    {
      g_autoptr (AssayFindingItem)
          item = g_list_model_get_item (items, (guint) (i < 0 ? walked : i));
      GArray *nodes = assay_finding_item_get_nodes (item);

      if (assay_finding_item_get_group (item) == ASSAY_FINDING_GROUP_ADVICE)
        continue;
      for (guint n = 0; n < nodes->len; n++)
        if (g_array_index (nodes, AssayNodeId, n) == selection)
          return i < 0 ? walked : i;
    }

  return -1;
}

/* Nodes that are only there afterwards cannot be marked; the nodes that they come to stand beside
 * can. */
static void
mark (AssayFixList *self, const AssayFixOffer *offer)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_autoptr (GPtrArray) fixes = NULL;
  g_auto (GStrv) beside = NULL;

  /* What is marked then is what the fix has done. */
  if (assay_preview_get_active (assay_session_get_preview (self->session)))
    return;
  if (offer == NULL)
    {
      assay_session_set_marks (self->session, NULL, NULL, NULL);
      return;
    }

  fixes = assay_fix_offer_list_fixes (offer, NULL);
  for (guint i = 0; *offer->added != NULL && i < fixes->len; i++)
    g_strv_builder_addv (builder,
                         (const char **) ((const AssayFix *) g_ptr_array_index (fixes, i))->nodes);
  beside = g_strv_builder_end (builder);
  assay_session_mark_names (self->session, beside, offer->removed, offer->changed);
}

static void
focus_entered_cb (AssayFixList *self, GtkEventControllerFocus *controller)
{
  GtkWidget *row = gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (controller));

  mark (self, assay_fix_list_get_offer (
                  self, (guint) gtk_list_box_row_get_index (GTK_LIST_BOX_ROW (row))));
}

static void
clicked_cb (AssayFixList *self, int n_press, double x, double y, GtkGesture *gesture)
{
  gtk_widget_grab_focus (gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (gesture)));
}

static void
focus_left_cb (AssayFixList *self)
{
  mark (self, NULL);
}

static void
row_activated_cb (AssayFixList *self, GtkListBoxRow *row)
{
  g_autofree char *number = g_strdup_printf ("%d", gtk_list_box_row_get_index (row));

  gtk_widget_activate_action (GTK_WIDGET (self), "win.apply-fix", "s", number);
}

static void
open_menu (AssayFixList *self, GtkListBoxRow *row)
{
  g_autoptr (GMenu) menu = g_menu_new ();
  g_autofree char *number = g_strdup_printf ("%d", gtk_list_box_row_get_index (row));
  const GdkRectangle below = { 24, gtk_widget_get_height (GTK_WIDGET (row)) - 6, 1, 1 };
  static const struct
  {
    const char *label;
    const char *action;
  } items[] = {
    { "_Preview", "win.preview-fix" },
    { "Apply to _All of the Cause", "win.apply-fix" },
    { "Apply to This _Node Only", "win.apply-fix-to-node" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (items); i++)
    {
      g_autoptr (GMenuItem) item = g_menu_item_new (items[i].label, NULL);

      g_menu_item_set_action_and_target (item, items[i].action, "s", number);
      g_menu_append_item (menu, item);
    }

  g_clear_pointer (&self->menu, gtk_widget_unparent);
  self->menu = gtk_popover_menu_new_from_model (G_MENU_MODEL (menu));
  gtk_widget_set_parent (self->menu, GTK_WIDGET (row));
  gtk_popover_set_pointing_to (GTK_POPOVER (self->menu), &below);
  gtk_popover_popup (GTK_POPOVER (self->menu));
}

static gboolean
menu_key_cb (GtkWidget *row, GVariant *args, gpointer data)
{
  open_menu (data, GTK_LIST_BOX_ROW (row));
  return TRUE;
}

static gboolean
preview_key_cb (GtkWidget *row, GVariant *args, gpointer data)
{
  g_autofree char *number = g_strdup_printf ("%d",
                                             gtk_list_box_row_get_index (GTK_LIST_BOX_ROW (row)));

  return gtk_widget_activate_action (row, "win.preview-fix", "s", number);
}

static void
pressed_cb (AssayFixList *self, int n_press, double x, double y, GtkGesture *gesture)
{
  GtkWidget *row = gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (gesture));

  gtk_widget_grab_focus (row);
  open_menu (self, GTK_LIST_BOX_ROW (row));
}

static void
add_controllers (AssayFixList *self, GtkWidget *row)
{
  GtkEventController *focus = gtk_event_controller_focus_new ();
  GtkEventController *keys = gtk_shortcut_controller_new ();
  GtkGesture *press = gtk_gesture_click_new ();
  GtkGesture *click = gtk_gesture_click_new ();
  GtkShortcutTrigger *trigger = gtk_alternative_trigger_new (
      gtk_keyval_trigger_new (GDK_KEY_F10, GDK_SHIFT_MASK),
      gtk_keyval_trigger_new (GDK_KEY_Menu, 0));

  g_signal_connect_swapped (focus, "enter", G_CALLBACK (focus_entered_cb), self);
  g_signal_connect_swapped (focus, "leave", G_CALLBACK (focus_left_cb), self);
  gtk_widget_add_controller (row, focus);

  gtk_shortcut_controller_add_shortcut (
      GTK_SHORTCUT_CONTROLLER (keys),
      gtk_shortcut_new (trigger, gtk_callback_action_new (menu_key_cb, self, NULL)));
  gtk_shortcut_controller_add_shortcut (
      GTK_SHORTCUT_CONTROLLER (keys),
      gtk_shortcut_new (gtk_keyval_trigger_new (GDK_KEY_space, 0),
                        gtk_callback_action_new (preview_key_cb, self, NULL)));
  gtk_widget_add_controller (row, keys);

  g_signal_connect_swapped (click, "pressed", G_CALLBACK (clicked_cb), self);
  gtk_widget_add_controller (row, GTK_EVENT_CONTROLLER (click));

  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (press), GDK_BUTTON_SECONDARY);
  g_signal_connect_swapped (press, "pressed", G_CALLBACK (pressed_cb), self);
  gtk_widget_add_controller (row, GTK_EVENT_CONTROLLER (press));
}

static GtkWidget *
new_label (const char *text, const char *class)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  if (class != NULL)
    gtk_widget_add_css_class (label, class);

  return label;
}

/* Buttons for people who neither double click nor use keys. */
static GtkWidget *
new_buttons (guint index, const char *title)
{
  static const struct
  {
    const char *label;
    const char *action;
    const char *tooltip;
  } rows[] = {
    { "Preview", "win.preview-fix", "See graph, memory and cycles before and after (Space)" },
    { "Apply", "win.apply-fix", "Apply this to all nodes of the cause (Enter)" },
  };
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  g_autofree char *number = g_strdup_printf ("%u", index);

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      GtkWidget *button = gtk_button_new_with_label (rows[i].label);
      g_autofree char *name = g_strdup_printf ("%s: %s", rows[i].label, title);

      gtk_actionable_set_action_name (GTK_ACTIONABLE (button), rows[i].action);
      gtk_actionable_set_action_target (GTK_ACTIONABLE (button), "s", number);
      gtk_widget_set_tooltip_text (button, rows[i].tooltip);
      gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, name,
                                      -1);
      gtk_box_append (GTK_BOX (box), button);
    }

  return box;
}

static void
add_offer (AssayFixList *self, const AssayFixOffer *offer, guint index)
{
  GtkWidget *row = gtk_list_box_row_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 3);
  g_autofree char *shown = assay_sentence_dup_shown (offer->title);
  GtkWidget *title = new_label (shown, "heading");
  GtkWidget *numbers;
  g_autofree char *facts = assay_fix_offer_describe (offer);
  g_autofree char *text = assay_sentence_dup_shown (facts);
  g_autofree char *name = g_strdup_printf ("%s: %s", shown, text);

  gtk_widget_set_margin_top (box, 6);
  gtk_widget_set_margin_bottom (box, 6);
  gtk_widget_set_margin_start (box, 9);
  gtk_widget_set_margin_end (box, 9);
  gtk_box_append (GTK_BOX (box), title);
  numbers = new_label (text, "secondary");
  gtk_widget_add_css_class (numbers, "numeric");
  gtk_box_append (GTK_BOX (box), numbers);
  gtk_box_append (GTK_BOX (box), new_buttons (index, shown));
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  add_controllers (self, row);
  gtk_list_box_append (self->rows, row);
}

/* Why none is offered: what was tried, and what came of it. */
static void
show_tried (AssayFixList *self, const AssayFixSuggestions *suggestions, const GError *error)
{
  g_autoptr (GString) text = g_string_new (error != NULL ? error->message : NULL);
  guint n = suggestions != NULL ? suggestions->tried->len : 0;
  g_autofree char *shown = NULL;

  for (guint i = 0; i < MIN (n, MAX_TRIED); i++)
    {
      const AssayFixAttempt *attempt = g_ptr_array_index (suggestions->tried, i);

      g_string_append_printf (text, "%s• %s: %s", text->len > 0 ? "\n" : "", attempt->title,
                              attempt->outcome);
    }
  if (suggestions != NULL && n - MIN (n, MAX_TRIED) + suggestions->n_more > 0)
    g_string_append_printf (text, "%s%u more were tried", text->len > 0 ? "\n" : "",
                            n - MIN (n, MAX_TRIED) + suggestions->n_more);
  else if (n == 0 && error == NULL && (suggestions == NULL || suggestions->n_left == 0))
    g_string_append (text, "No rewrite is made for this.");
  if (suggestions != NULL && suggestions->n_left > 0)
    g_string_append_printf (text, "%s%u rewrite%s not tried, which would take long",
                            text->len > 0 ? "\n" : "", suggestions->n_left,
                            assay_plural (suggestions->n_left));

  shown = assay_sentence_dup_shown (text->str);
  gtk_label_set_label (self->tried, shown);
}

/* A cut repairs nothing, so it is never what Enter does first. */
static void
show_cuts (AssayFixList *self, const AssayFixSuggestions *suggestions)
{
  g_autoptr (GMenu) menu = g_menu_new ();
  guint n = suggestions != NULL ? suggestions->cuts->len : 0;

  for (guint i = 0; i < n; i++)
    {
      const AssayFixOffer *offer = g_ptr_array_index (suggestions->cuts, i);
      g_autoptr (GMenuItem) item = NULL;
      g_autofree char *text = assay_fix_offer_describe (offer);
      g_autofree char *line = g_strdup_printf ("%s: %s", offer->title, text);
      g_autofree char *shown = assay_sentence_dup_shown (line);
      g_autofree char *label = assay_ui_dup_menu_label (shown);
      g_autofree char *number = g_strdup_printf ("%u", suggestions->offers->len + i);

      item = g_menu_item_new (label, NULL);
      g_menu_item_set_action_and_target (item, "win.apply-fix", "s", number);
      g_menu_append_item (menu, item);
    }

  gtk_menu_button_set_menu_model (self->cut, G_MENU_MODEL (menu));
  gtk_widget_set_visible (GTK_WIDGET (self->cut), n > 0);
}

static void
update (AssayFixList *self)
{
  const AssayFixSuggestions *suggestions;
  const GError *error;
  GtkWidget *row;
  gboolean had_focus = gtk_widget_get_focus_child (GTK_WIDGET (self->rows)) != NULL;
  gboolean busy;
  guint n;

  self->finding = find_finding (self);
  suggestions = assay_fix_search_get (get_search (self), self->finding);
  error = assay_fix_search_get_error (get_search (self), self->finding);
  busy = assay_fix_search_is_busy (get_search (self), self->finding);
  n = suggestions != NULL ? suggestions->offers->len : 0;

  g_clear_pointer (&self->menu, gtk_widget_unparent);
  while ((row = gtk_widget_get_first_child (GTK_WIDGET (self->rows))) != NULL)
    gtk_list_box_remove (self->rows, row);
  for (guint i = 0; i < n; i++)
    add_offer (self, g_ptr_array_index (suggestions->offers, i), i);

  gtk_widget_set_visible (GTK_WIDGET (self), self->finding >= 0);
  gtk_widget_set_visible (self->waiting, busy);
  gtk_spinner_set_spinning (self->spinner, busy);
  gtk_widget_set_visible (GTK_WIDGET (self->rows), n > 0);
  gtk_widget_set_visible (GTK_WIDGET (self->none), !busy && n == 0);
  gtk_widget_set_visible (GTK_WIDGET (self->tried), !busy && n == 0);
  if (!busy && n == 0)
    show_tried (self, suggestions, error);
  show_cuts (self, busy ? NULL : suggestions);

  if ((self->wants_focus || had_focus) && !busy)
    {
      self->wants_focus = FALSE;
      if (n > 0)
        gtk_widget_grab_focus (gtk_widget_get_first_child (GTK_WIDGET (self->rows)));
    }
}

static void
search_changed_cb (AssayFixList *self, int finding)
{
  if (finding == self->finding || self->finding < 0)
    update (self);
}

/* What a hidden list would show is looked for when it is shown. */
static void
look (AssayFixList *self)
{
  if (self->finding >= 0 && gtk_widget_get_mapped (GTK_WIDGET (self)))
    assay_fix_search_look (get_search (self), self->finding);
}

/* A walk through the nodes of one cause keeps the rows that are there. */
static void
selection_changed_cb (AssayFixList *self)
{
  int finding = find_finding (self);

  if (finding == self->finding)
    return;

  self->wants_focus = FALSE;
  mark (self, NULL);
  update (self);
  look (self);
}

static void
verdicts_changed_cb (AssayFixList *self)
{
  self->wants_focus = FALSE;
  update (self);
  look (self);
}

static void
assay_fix_list_map (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (assay_fix_list_parent_class)->map (widget);
  look (ASSAY_FIX_LIST (widget));
}

static void
assay_fix_list_dispose (GObject *object)
{
  AssayFixList *self = ASSAY_FIX_LIST (object);

  g_clear_pointer (&self->menu, gtk_widget_unparent);
  g_clear_pointer (&self->box, gtk_widget_unparent);
  g_clear_object (&self->session);

  G_OBJECT_CLASS (assay_fix_list_parent_class)->dispose (object);
}

static void
assay_fix_list_class_init (AssayFixListClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_fix_list_dispose;
  widget_class->map = assay_fix_list_map;

  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
assay_fix_list_init (AssayFixList *self)
{
  GtkWidget *title = new_label ("Fixes", "caption-heading");
  GtkWidget *waiting = new_label ("Trying rewrites", "secondary");

  self->finding = -1;
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  gtk_box_append (GTK_BOX (self->box), title);

  self->waiting = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  self->spinner = GTK_SPINNER (gtk_spinner_new ());
  gtk_box_append (GTK_BOX (self->waiting), GTK_WIDGET (self->spinner));
  gtk_box_append (GTK_BOX (self->waiting), waiting);
  gtk_box_append (GTK_BOX (self->box), self->waiting);

  self->rows = GTK_LIST_BOX (gtk_list_box_new ());
  gtk_list_box_set_selection_mode (self->rows, GTK_SELECTION_NONE);
  /* One click shows what would change, two change it. */
  gtk_list_box_set_activate_on_single_click (self->rows, FALSE);
  gtk_widget_add_css_class (GTK_WIDGET (self->rows), "boxed-list");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->rows), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Fixes", -1);
  g_signal_connect_swapped (self->rows, "row-activated", G_CALLBACK (row_activated_cb), self);
  gtk_box_append (GTK_BOX (self->box), GTK_WIDGET (self->rows));

  self->none = GTK_LABEL (new_label ("No rewrite known", NULL));
  gtk_box_append (GTK_BOX (self->box), GTK_WIDGET (self->none));
  self->tried = GTK_LABEL (new_label (NULL, "secondary"));
  gtk_label_set_selectable (self->tried, TRUE);
  gtk_widget_set_can_focus (GTK_WIDGET (self->tried), FALSE);
  gtk_box_append (GTK_BOX (self->box), GTK_WIDGET (self->tried));

  self->cut = GTK_MENU_BUTTON (gtk_menu_button_new ());
  gtk_menu_button_set_label (self->cut, "Cut Here…");
  gtk_widget_set_halign (GTK_WIDGET (self->cut), GTK_ALIGN_START);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->cut), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Cut Here…", -1);
  assay_ui_set_tooltip (GTK_WIDGET (self->cut),
                        "End the model before these nodes, or begin it behind them");
  gtk_box_append (GTK_BOX (self->box), GTK_WIDGET (self->cut));

  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, "Fixes",
                                  -1);
  assay_ui_name_parts (GTK_WIDGET (self));
}

/**
 * assay_fix_list_set_session:
 * @self: a list
 * @session: the session
 *
 * Shows the fixes of a session.
 */
void
assay_fix_list_set_session (AssayFixList *self, AssaySession *session)
{
  g_set_object (&self->session, session);
  g_signal_connect_object (session, "notify::verdicts", G_CALLBACK (verdicts_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::selection", G_CALLBACK (selection_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::finding", G_CALLBACK (selection_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (assay_session_get_fix_search (session), "changed",
                           G_CALLBACK (search_changed_cb), self, G_CONNECT_SWAPPED);
  update (self);
}

/**
 * assay_fix_list_get_finding:
 * @self: a list
 *
 * Gets what the fixes are for.
 *
 * Returns: position of the finding, or -1 if the selection belongs to none
 */
int
assay_fix_list_get_finding (AssayFixList *self)
{
  return self->finding;
}

/**
 * assay_fix_list_get_offer:
 * @self: a list
 * @index: number of a row; the cuts are counted behind the rows
 *
 * Gets what a row or a cut offers.
 *
 * Returns: (transfer none) (nullable): the offer, valid until the list changes
 */
const AssayFixOffer *
assay_fix_list_get_offer (AssayFixList *self, guint index)
{
  const AssayFixSuggestions *suggestions = assay_fix_search_get (get_search (self), self->finding);
  guint n = suggestions != NULL ? suggestions->offers->len : 0;

  if (suggestions == NULL || index >= n + suggestions->cuts->len)
    return NULL;

  return index < n ? g_ptr_array_index (suggestions->offers, index)
                   : g_ptr_array_index (suggestions->cuts, index - n);
}

/**
 * assay_fix_list_present:
 * @self: a list
 *
 * Looks for fixes of the selection and gives the best one the focus, as soon as it is known.
 */
void
assay_fix_list_present (AssayFixList *self)
{
  g_return_if_fail (ASSAY_IS_FIX_LIST (self));

  if (self->finding < 0)
    return;

  /* As long as there is no row, so that Enter is not for whatever had the focus before. */
  gtk_widget_grab_focus (GTK_WIDGET (self));
  assay_fix_search_look (get_search (self), self->finding);
  self->wants_focus = TRUE;
  update (self);
}
