/* assay-action.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * AssayNeed:
 *
 * What has to be there before an action can be used; the window knows whether it is, and the
 * sentence if it is not.
 */
typedef enum
{
  ASSAY_NEEDS_NOTHING,
  ASSAY_NEEDS_PATH,  /* a file was opened, even if it could not be read */
  ASSAY_NEEDS_MODEL, /* a model is open */
  ASSAY_NEEDS_WORK,  /* something is running */
  ASSAY_NEEDS_FINDINGS,
  ASSAY_NEEDS_SELECTION,  /* a node is selected */
  ASSAY_NEEDS_RULE,       /* the selected node has a rule behind its verdict */
  ASSAY_NEEDS_HITS,       /* the search found nodes */
  ASSAY_NEEDS_NO_REFUSAL, /* the model can be compiled */
  ASSAY_NEEDS_FLOAT,      /* the target computes in 8 bits, and the model does not yet */
  ASSAY_NEEDS_COMPILED,   /* there is a program, even if it is an earlier one */
  ASSAY_NEEDS_MEMORY,     /* there is a memory map, even if it is that of an earlier program */
  ASSAY_NEEDS_WAY,        /* there is something to try that would free room */
  ASSAY_NEEDS_PROGRAM,    /* there is a program that can run */
  ASSAY_NEEDS_RUN,        /* there is what the chosen runner runs: a program or a model */
  ASSAY_NEEDS_SIDES,      /* there is what both sides of a comparison run */
  ASSAY_NEEDS_INPUTS,     /* there is what takes inputs, in a run or a comparison */
  ASSAY_NEEDS_RESULT,     /* something ran */
  ASSAY_NEEDS_COMPARISON,
  ASSAY_NEEDS_BASELINE,
  ASSAY_NEEDS_FINDING, /* one with a rule is selected */
  ASSAY_NEEDS_UNDO,
  ASSAY_NEEDS_REDO,
  ASSAY_NEEDS_PICTURE,      /* the page shows a picture */
  ASSAY_NEEDS_PREVIEW,      /* a fix is looked at before it is applied */
  ASSAY_NEEDS_SESSION_FILE, /* the model belongs to a session file */
  ASSAY_NEEDS_CASE,         /* the model is a case of a suite */
  ASSAY_NEEDS_RECOVERED,    /* a program that ended suddenly left something behind */
  ASSAY_NEEDS_DIVERGENCE,   /* the comparison found where two runs part */
  ASSAY_NEEDS_ROOM,         /* there is room for the graph beside a page */
  ASSAY_N_NEEDS,
} AssayNeed;

/**
 * AssayActionGroup:
 *
 * Under which heading of the shortcuts window an action stands.
 */
typedef enum
{
  ASSAY_ACTION_GENERAL,
  ASSAY_ACTION_PROGRAM,
  ASSAY_ACTION_FINDINGS,
  ASSAY_ACTION_PANES,
  ASSAY_ACTION_GRAPH,
  ASSAY_ACTION_NODE,
  ASSAY_ACTION_MEMORY,
  ASSAY_N_ACTION_GROUPS,
} AssayActionGroup;

/**
 * AssayMenuPlace:
 *
 * In which menus, and in which part of them, an action stands; within a part the order is that of
 * the table.
 */
typedef enum
{
  ASSAY_MENU_NONE = 0,
  ASSAY_MENU_FILE = 1 << 0, /* the main menu, from the top */
  ASSAY_MENU_SAVE = 1 << 1,
  ASSAY_MENU_EDIT = 1 << 2,
  ASSAY_MENU_FIND = 1 << 3,
  ASSAY_MENU_ZOOM = 1 << 4, /* its submenu View */
  ASSAY_MENU_PANES = 1 << 5,
  ASSAY_MENU_PROGRAM = 1 << 6,  /* its submenu Program */
  ASSAY_MENU_COMMANDS = 1 << 7, /* its submenu Copy as Command */
  ASSAY_MENU_HELP = 1 << 8,
  ASSAY_MENU_RUN = 1 << 9,     /* behind the arrow of Run */
  ASSAY_MENU_DEPLOY = 1 << 10, /* behind the arrow of Deploy */
  ASSAY_MENU_MODEL = 1 << 11,  /* behind the name of the model */
  ASSAY_MENU_CLOSE = 1 << 12,
  ASSAY_MENU_NODE = 1 << 13, /* over a node of the graph */
  ASSAY_MENU_NODE_SHOW = 1 << 14,
  ASSAY_MENU_NODE_COPY = 1 << 15,
  ASSAY_MENU_START = 1 << 16, /* the menu of the start page */
  ASSAY_MENU_WIDGET =
      1 << 17, /* no menu of the table: a chooser, a page, a row or a button carries it */
} AssayMenuPlace;

/**
 * AssayAction:
 * @name: full name, with its target where that is fixed: `win.page::memory`
 * @label: what it is called, as headings are written, with a mnemonic
 * @description: what it does, in one line
 * @accels: (nullable): keys that work everywhere in a window, separated by spaces
 * @keys: (nullable): keys that work while the graph, the memory map or the timeline has the focus
 * @parameter_type: (nullable): type of what it is given
 * @need: what has to be there
 * @group: its heading in the shortcuts window
 * @menus: an OR of #AssayMenuPlace
 * @command: (nullable): the command line that does the same, `assay` left out
 *
 * One command of the program. Keys, menus, tooltips, the shortcuts window and the tests know of it
 * what stands here.
 */
typedef struct
{
  const char *name;
  const char *label;
  const char *description;
  const char *accels;
  const char *keys;
  const char *parameter_type;
  AssayNeed need;
  AssayActionGroup group;
  guint menus;
  const char *command;
} AssayAction;

const AssayAction *assay_action_list (guint *n);
const AssayAction *assay_action_find (const char *name);
const AssayAction *assay_action_for_key (const char *prefix, guint key, GdkModifierType state);
gboolean assay_action_press_key (GtkWidget *view, const char *prefix, guint key,
                                 GdkModifierType state);
char *assay_action_dup_plain_label (const AssayAction *self) G_GNUC_WARN_UNUSED_RESULT;
char *assay_action_dup_tooltip (const AssayAction *self,
                                const char *reason) G_GNUC_WARN_UNUSED_RESULT;
void assay_action_fill_section (GMenu *section, guint place);
GMenuModel *assay_action_new_main_menu (void) G_GNUC_WARN_UNUSED_RESULT;
GMenuModel *assay_action_new_node_menu (void) G_GNUC_WARN_UNUSED_RESULT;
GtkWidget *assay_action_new_shortcuts_window (void) G_GNUC_WARN_UNUSED_RESULT;
void assay_action_set_accels (GtkApplication *application);

G_END_DECLS
