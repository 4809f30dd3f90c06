/* assay-page.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gtk/gtk.h>

#include "backend/assay-backend.h"
#include "session/assay-session.h"

G_BEGIN_DECLS

/**
 * AssayPageSource:
 * @ASSAY_PAGE_SOURCE_NONE: the page shows no results
 * @ASSAY_PAGE_SOURCE_PROGRAM: it shows the compiled program
 * @ASSAY_PAGE_SOURCE_RUN: it shows the last run
 * @ASSAY_PAGE_SOURCE_COMPARISON: it shows a comparison
 *
 * Where the results of a page come from, of which a dot tells until somebody has seen them.
 */
typedef enum
{
  ASSAY_PAGE_SOURCE_NONE,
  ASSAY_PAGE_SOURCE_PROGRAM,
  ASSAY_PAGE_SOURCE_RUN,
  ASSAY_PAGE_SOURCE_COMPARISON,
} AssayPageSource;

/**
 * AssayPageRow:
 * @name: in actions, sessions and tests
 * @title: in the switcher
 * @icon: in the switcher, and while there is nothing to show
 * @get_type: of its widget; one that has the interface AssayPage is given the session
 * @needs: what a target has to be able to for the page to be there
 * @source: where its results come from
 * @command: kind of the command that makes what it shows
 * @empty_title: (nullable): said while there is nothing to show
 * @purpose: (nullable): what it is for, said below
 *
 * A row of the table of pages.
 */
typedef struct
{
  const char *name;
  const char *title;
  const char *icon;
  GType (*get_type) (void);
  AssayCapability needs;
  AssayPageSource source;
  const char *command;
  const char *empty_title;
  const char *purpose;
} AssayPageRow;

#define ASSAY_TYPE_PAGE (assay_page_get_type ())

G_DECLARE_INTERFACE (AssayPage, assay_page, ASSAY, PAGE, GtkWidget)

/**
 * AssayPageInterface:
 * @set_session: gives the page what it shows
 * @get_actions: (nullable): gets the actions that it carries out itself, enabled by the window
 * @follow_settings: (nullable): shows numbers as the settings of the program have it
 *
 * What a window asks of a page.
 */
struct _AssayPageInterface
{
  /*< private >*/
  GTypeInterface parent_iface;

  /*< public >*/
  void (*set_session) (AssayPage *self, AssaySession *session);
  GActionGroup *(*get_actions) (AssayPage *self);
  void (*follow_settings) (AssayPage *self);
};

const AssayPageRow *assay_page_list (guint *n);
const AssayPageRow *assay_page_find (const char *name);
void assay_page_set_session (AssayPage *self, AssaySession *session);
GActionGroup *assay_page_get_actions (AssayPage *self);
void assay_page_follow_settings (AssayPage *self);

G_END_DECLS
