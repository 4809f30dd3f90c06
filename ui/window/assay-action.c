/* assay-action.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/window/assay-action.h"

#include "text/assay-xml-writer.h"

#define IN(place) ASSAY_MENU_##place

static const AssayAction actions[] = {
#define ASSAY_ACTION(name, label, description, accels, keys, type, need, group, menus, command,    \
                     handler)                                                                      \
  { name,  label,  description, accels, keys, type, ASSAY_NEEDS_##need, ASSAY_ACTION_##group,      \
    menus, command },
#include "ui/window/actions.def"
#undef ASSAY_ACTION
};

static const char *const group_titles[] = {
  [ASSAY_ACTION_GENERAL] = "General",
  [ASSAY_ACTION_PROGRAM] = "Target and Program",
  [ASSAY_ACTION_FINDINGS] = "Search and Findings",
  [ASSAY_ACTION_PANES] = "Pages and Panes",
  [ASSAY_ACTION_GRAPH] = "Graph",
  [ASSAY_ACTION_NODE] = "Node and Playhead in the Graph",
  [ASSAY_ACTION_MEMORY] = "Memory Map",
};

/* The pages of the shortcuts window: what fits on one without turning leaves. */
static const struct
{
  const char *name;
  const char *title;
  AssayActionGroup first;
  AssayActionGroup last;
} sections[] = {
  { "general", "General", ASSAY_ACTION_GENERAL, ASSAY_ACTION_PROGRAM },
  { "panes", "Search, Findings, Pages", ASSAY_ACTION_FINDINGS, ASSAY_ACTION_PANES },
  { "graph", "Graph", ASSAY_ACTION_GRAPH, ASSAY_ACTION_NODE },
  { "memory", "Memory Map", ASSAY_ACTION_MEMORY, ASSAY_ACTION_MEMORY },
};

/* Keys that GTK or a widget takes before any action is asked. */
static const struct
{
  const char *label;
  const char *keys;
} other_keys[] = {
  { "Main Menu", "F10" },
  { "Go Back One Thing", "Escape" },
};

/* The parts of the main menu in order; those with a title are submenus, one part after the other.
 */
static const struct
{
  guint place;
  const char *submenu;
} main_menu[] = {
  { ASSAY_MENU_FILE, NULL },          { ASSAY_MENU_SAVE, NULL },
  { ASSAY_MENU_EDIT, NULL },          { ASSAY_MENU_FIND, "_Find" },
  { ASSAY_MENU_ZOOM, "_View" },       { ASSAY_MENU_PANES, "_View" },
  { ASSAY_MENU_PROGRAM, "_Program" }, { ASSAY_MENU_COMMANDS, "_Copy as Command" },
  { ASSAY_MENU_HELP, NULL },
};

/**
 * assay_action_list:
 * @n: (out): number of rows
 *
 * Lists the commands of the program.
 *
 * Returns: (transfer none) (array length=n): the rows
 */
const AssayAction *
assay_action_list (guint *n)
{
  *n = G_N_ELEMENTS (actions);
  return actions;
}

/**
 * assay_action_find:
 * @name: full name of an action
 *
 * Finds a command by its name.
 *
 * Returns: (transfer none) (nullable): its row
 */
const AssayAction *
assay_action_find (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    if (g_strcmp0 (actions[i].name, name) == 0)
      return &actions[i];

  return NULL;
}

/* Shift belongs to the sign where it makes the sign, as with plus. */
static gboolean
matches_key (const char *accel, guint key, GdkModifierType state)
{
  guint wanted;
  GdkModifierType modifiers;

  if (!gtk_accelerator_parse (accel, &wanted, &modifiers))
    return FALSE;
  if (wanted > 0x20 && wanted < 0x7f && !g_ascii_isalpha ((char) wanted))
    state &= ~GDK_SHIFT_MASK;

  return gdk_keyval_to_lower (key) == wanted && modifiers == state;
}

/**
 * assay_action_for_key:
 * @prefix: actions of which group a view can carry out, beside those of the window, such as
 * `graph.`
 * @key: a key
 * @state: what is held
 *
 * Finds the command that a key calls while a view has the focus.
 *
 * Returns: (transfer none) (nullable): its row
 */
const AssayAction *
assay_action_for_key (const char *prefix, guint key, GdkModifierType state)
{
  GdkModifierType held = state & gtk_accelerator_get_default_mod_mask ();

  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    {
      g_auto (GStrv) keys = NULL;

      if (actions[i].keys == NULL || ((g_str_has_prefix (actions[i].name, "graph.") ||
                                       g_str_has_prefix (actions[i].name, "memory.") ||
                                       g_str_has_prefix (actions[i].name, "timeline.")) &&
                                      !g_str_has_prefix (actions[i].name, prefix)))
        continue;
      keys = g_strsplit (actions[i].keys, " ", -1);
      for (guint k = 0; keys[k] != NULL; k++)
        if (matches_key (keys[k], key, held))
          return &actions[i];
    }

  return NULL;
}

/**
 * assay_action_press_key:
 * @view: a view that has the focus
 * @prefix: actions of which group it can carry out, beside those of the window
 * @key: a key
 * @state: what is held
 *
 * Carries out what a key calls in a view.
 *
 * Returns: whether the key calls anything
 */
gboolean
assay_action_press_key (GtkWidget *view, const char *prefix, guint key, GdkModifierType state)
{
  const AssayAction *action = assay_action_for_key (prefix, key, state);

  return action != NULL && gtk_widget_activate_action (view, action->name, NULL);
}

/**
 * assay_action_dup_plain_label:
 * @self: a command
 *
 * Gets what a command is called, without mnemonic and without the dots that announce a dialog.
 *
 * Returns: (transfer full): the text
 */
char *
assay_action_dup_plain_label (const AssayAction *self)
{
  g_auto (GStrv) parts = g_strsplit (self->label, "_", -1);
  char *label = g_strjoinv ("", parts);

  if (g_str_has_suffix (label, "…"))
    label[strlen (label) - strlen ("…")] = '\0';

  return label;
}

/**
 * assay_action_dup_tooltip:
 * @self: a command
 * @reason: (nullable): why it cannot be used
 *
 * Writes what is shown over a control: what it does with its key, or why it does nothing.
 *
 * Returns: (transfer full): the text
 */
char *
assay_action_dup_tooltip (const AssayAction *self, const char *reason)
{
  g_autoptr (GString) text = g_string_new (self->description);
  g_auto (GStrv) accels = self->accels != NULL ? g_strsplit (self->accels, " ", 2) : NULL;
  guint key;
  GdkModifierType modifiers;

  if (accels != NULL && gtk_accelerator_parse (accels[0], &key, &modifiers))
    {
      g_autofree char *label = gtk_accelerator_get_label (key, modifiers);

      g_string_append_printf (text, " (%s)", label);
    }
  if (reason != NULL)
    g_string_append_printf (text, "\n%s", reason);

  return g_strdup (text->str);
}

/**
 * assay_action_fill_section:
 * @section: a menu
 * @place: a part of a menu
 *
 * Appends the commands of a part of a menu.
 */
void
assay_action_fill_section (GMenu *section, guint place)
{
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    if ((actions[i].menus & place) != 0)
      g_menu_append (section, actions[i].label, actions[i].name);
}

static void
append_section (GMenu *menu, guint place)
{
  g_autoptr (GMenu) section = g_menu_new ();

  assay_action_fill_section (section, place);
  if (g_menu_model_get_n_items (G_MENU_MODEL (section)) > 0)
    g_menu_append_section (menu, NULL, G_MENU_MODEL (section));
}

/**
 * assay_action_new_main_menu:
 *
 * Makes the main menu.
 *
 * Returns: (transfer full): the menu
 */
GMenuModel *
assay_action_new_main_menu (void)
{
  GMenu *menu = g_menu_new ();
  g_autoptr (GMenu) submenus = g_menu_new ();

  for (guint i = 0; i < G_N_ELEMENTS (main_menu);)
    {
      const char *title = main_menu[i].submenu;
      g_autoptr (GMenu) submenu = g_menu_new ();

      if (title == NULL)
        {
          if (main_menu[i].place == ASSAY_MENU_HELP)
            g_menu_append_section (menu, NULL, G_MENU_MODEL (submenus));
          append_section (menu, main_menu[i++].place);
          continue;
        }
      for (; i < G_N_ELEMENTS (main_menu) && g_strcmp0 (main_menu[i].submenu, title) == 0; i++)
        append_section (submenu, main_menu[i].place);
      g_menu_append_submenu (submenus, title, G_MENU_MODEL (submenu));
    }

  return G_MENU_MODEL (menu);
}

/**
 * assay_action_new_node_menu:
 *
 * Makes the menu over a node of the graph.
 *
 * Returns: (transfer full): the menu
 */
GMenuModel *
assay_action_new_node_menu (void)
{
  GMenu *menu = g_menu_new ();

  append_section (menu, ASSAY_MENU_NODE);
  append_section (menu, ASSAY_MENU_NODE_SHOW);
  append_section (menu, ASSAY_MENU_NODE_COPY);

  return G_MENU_MODEL (menu);
}

static void
add_property (AssayXmlWriter *xml, const char *name, const char *value)
{
  assay_xml_writer_begin (xml, "property");
  assay_xml_writer_attribute (xml, "name", name);
  assay_xml_writer_text (xml, value);
  assay_xml_writer_end (xml);
}

static void
begin_child (AssayXmlWriter *xml, const char *type)
{
  assay_xml_writer_begin (xml, "child");
  assay_xml_writer_begin (xml, "object");
  assay_xml_writer_attribute (xml, "class", type);
}

static void
end_child (AssayXmlWriter *xml)
{
  assay_xml_writer_end (xml);
  assay_xml_writer_end (xml);
}

static void
add_shortcut (AssayXmlWriter *xml, const char *title, const char *accelerator)
{
  begin_child (xml, "GtkShortcutsShortcut");
  add_property (xml, "title", title);
  add_property (xml, "accelerator", accelerator);
  end_child (xml);
}

static void
add_shortcuts (AssayXmlWriter *xml, AssayActionGroup group)
{
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    {
      const char *keys = actions[i].accels != NULL ? actions[i].accels : actions[i].keys;
      g_autofree char *label = assay_action_dup_plain_label (&actions[i]);
      g_auto (GStrv) list = NULL;

      if (keys == NULL || actions[i].group != group)
        continue;
      /* Other keys for the same thing would only make the window longer. */
      list = g_strsplit (keys, " ", 2);
      add_shortcut (xml, label, list[0]);
    }

  for (guint i = 0; group == ASSAY_ACTION_GENERAL && i < G_N_ELEMENTS (other_keys); i++)
    add_shortcut (xml, other_keys[i].label, other_keys[i].keys);
}

/**
 * assay_action_new_shortcuts_window:
 *
 * Makes the window that lists the keys of all commands. GTK 4.8 takes its parts from a description
 * only.
 *
 * Returns: (transfer full): the window
 */
GtkWidget *
assay_action_new_shortcuts_window (void)
{
  g_autofree char *text = NULL;
  g_autoptr (GtkBuilder) builder = NULL;
  AssayXmlWriter xml;

  assay_xml_writer_init (&xml, 0);
  assay_xml_writer_begin (&xml, "interface");
  assay_xml_writer_begin (&xml, "object");
  assay_xml_writer_attribute (&xml, "class", "GtkShortcutsWindow");
  assay_xml_writer_attribute (&xml, "id", "window");
  add_property (&xml, "modal", "True");
  for (guint i = 0; i < G_N_ELEMENTS (sections); i++)
    {
      begin_child (&xml, "GtkShortcutsSection");
      add_property (&xml, "section-name", sections[i].name);
      add_property (&xml, "title", sections[i].title);
      add_property (&xml, "max-height", "12");
      for (guint g = sections[i].first; g <= sections[i].last; g++)
        {
          begin_child (&xml, "GtkShortcutsGroup");
          add_property (&xml, "title", group_titles[g]);
          add_shortcuts (&xml, g);
          end_child (&xml);
        }
      end_child (&xml);
    }
  end_child (&xml);
  text = assay_xml_writer_finish (&xml, NULL);
  builder = gtk_builder_new_from_string (text, -1);

  return g_object_ref (GTK_WIDGET (gtk_builder_get_object (builder, "window")));
}

/**
 * assay_action_set_accels:
 * @application: the program
 *
 * Sets the keys that work everywhere in a window. Set on the application, F6 and F8 win over those
 * of GtkPaned.
 */
void
assay_action_set_accels (GtkApplication *application)
{
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    if (actions[i].accels != NULL)
      {
        g_auto (GStrv) accels = g_strsplit (actions[i].accels, " ", -1);

        gtk_application_set_accels_for_action (application, actions[i].name,
                                               (const char *const *) accels);
      }
}
