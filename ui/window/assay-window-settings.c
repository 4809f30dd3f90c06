/* assay-window-settings.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the settings of the program mean for a window: each holds from the moment it is changed.
 */
#include "ui/canvas/assay-canvas.h"
#include "ui/window/assay-ui.h"
#include "ui/window/assay-window-private.h"

static AssayCanvas *
get_canvas (AssayWindow *self)
{
  return assay_graph_page_get_canvas (self->graph_page);
}

static void
apply_auto_compile (AssayWindow *self)
{
  assay_compilation_set_automatic (assay_session_get_compilation (self->session),
                                   g_settings_get_boolean (self->settings, "auto-compile"));
}

static void
apply_animations (AssayWindow *self)
{
  assay_canvas_set_animated (get_canvas (self),
                             g_settings_get_boolean (self->settings, "animations"));
}

static void
apply_zoom_scroll (AssayWindow *self)
{
  assay_canvas_set_scroll_zooms (get_canvas (self),
                                 g_settings_get_enum (self->settings, "zoom-scroll") == 0);
}

static void
apply_format (AssayWindow *self)
{
  const AssayPageRow *rows;
  guint n;

  rows = assay_page_list (&n);
  for (guint i = 0; i < n; i++)
    {
      GtkWidget *page = assay_window_get_page (self, rows[i].name);

      if (ASSAY_IS_PAGE (page))
        assay_page_follow_settings (ASSAY_PAGE (page));
    }
  assay_context_bar_update_facts (self->context_bar);
}

static void
apply_recent_limit (AssayWindow *self)
{
  assay_start_page_refresh (self->start_page);
  assay_window_update_recent (self);
}

/* What a model is checked against is not changed behind anybody's back; a window without one takes
 * the new target. */
static void
apply_default_target (AssayWindow *self)
{
  g_autofree char *target = g_settings_get_string (self->settings, "default-target");

  if (*target != '\0' && assay_session_get_state (self->session) == ASSAY_SESSION_EMPTY)
    assay_session_set_target_id (self->session, target);
}

static void
apply_default_board (AssayWindow *self)
{
  g_autofree char *board = g_settings_get_string (self->settings, "default-board");

  if (*board != '\0')
    assay_deploy_activity_set_board (assay_session_get_deploy_activity (self->session), board);
}

static const struct
{
  const char *key;
  void (*apply) (AssayWindow *self);
  gboolean at_start;
} effects[] = {
  { "auto-compile", apply_auto_compile, TRUE },
  { "animations", apply_animations, TRUE },
  { "zoom-scroll", apply_zoom_scroll, TRUE },
  { "address-base", apply_format, FALSE },
  { "unit", apply_format, FALSE },
  { "default-target", apply_default_target, FALSE },
  { "default-board", apply_default_board, TRUE },
  { "recent-limit", apply_recent_limit, FALSE },
};

static void
changed_cb (AssayWindow *self, const char *key)
{
  for (guint i = 0; i < G_N_ELEMENTS (effects); i++)
    if (g_str_equal (effects[i].key, key))
      effects[i].apply (self);
}

/* The target of the first window may have been given on the command line, so that one is not taken
 * again. */
void
assay_window_follow_settings (AssayWindow *self)
{
  self->settings = assay_ui_get_settings ();
  if (self->settings == NULL)
    return;

  for (guint i = 0; i < G_N_ELEMENTS (effects); i++)
    if (effects[i].at_start)
      effects[i].apply (self);
  g_signal_connect_object (self->settings, "changed", G_CALLBACK (changed_cb), self,
                           G_CONNECT_SWAPPED);
}
