/* assay-page.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/window/assay-page.h"

#include <adwaita.h>

#include "ui/compare/assay-compare-page.h"
#include "ui/memory/assay-memory-page.h"
#include "ui/qualify/assay-qualify-page.h"
#include "ui/timeline/assay-timeline-page.h"
#include "ui/timeline/assay-times-page.h"

G_DEFINE_INTERFACE (AssayPage, assay_page, GTK_TYPE_WIDGET)

static const AssayPageRow rows[] = {
#define ASSAY_PAGE(name, title, icon, type, needs, source, command, empty, purpose)                \
  { name,    title, icon,   type, ASSAY_CAPABILITY_##needs, ASSAY_PAGE_SOURCE_##source,            \
    command, empty, purpose },
#include "ui/window/pages.def"
#undef ASSAY_PAGE
};

static void
assay_page_default_init (AssayPageInterface *iface)
{
}

/**
 * assay_page_list:
 * @n: (out): number of rows
 *
 * Lists the pages of a window in their order.
 *
 * Returns: (array length=n): the rows
 */
const AssayPageRow *
assay_page_list (guint *n)
{
  *n = G_N_ELEMENTS (rows);
  return rows;
}

/**
 * assay_page_find:
 * @name: (nullable): name of a page
 *
 * Finds a page by its name.
 *
 * Returns: (nullable): its row
 */
const AssayPageRow *
assay_page_find (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (g_strcmp0 (rows[i].name, name) == 0)
      return &rows[i];

  return NULL;
}

/**
 * assay_page_set_session:
 * @self: a page
 * @session: the session of its window
 *
 * Gives a page what it shows.
 */
void
assay_page_set_session (AssayPage *self, AssaySession *session)
{
  ASSAY_PAGE_GET_IFACE (self)->set_session (self, session);
}

/**
 * assay_page_get_actions:
 * @self: a page
 *
 * Gets the actions that a page carries out itself.
 *
 * Returns: (transfer none) (nullable): the actions
 */
GActionGroup *
assay_page_get_actions (AssayPage *self)
{
  AssayPageInterface *iface = ASSAY_PAGE_GET_IFACE (self);

  return iface->get_actions != NULL ? iface->get_actions (self) : NULL;
}

/**
 * assay_page_follow_settings:
 * @self: a page
 *
 * Shows numbers as the settings of the program have it.
 */
void
assay_page_follow_settings (AssayPage *self)
{
  AssayPageInterface *iface = ASSAY_PAGE_GET_IFACE (self);

  if (iface->follow_settings != NULL)
    iface->follow_settings (self);
}
