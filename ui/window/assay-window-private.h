/* assay-window-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "document/assay-recovery.h"
#include "ui/window/assay-context-bar.h"
#include "ui/window/assay-failed-page.h"
#include "ui/window/assay-file-choice.h"
#include "ui/window/assay-flap-handle.h"
#include "ui/graph/assay-graph-page.h"
#include "ui/inspector/assay-inspector.h"
#include "ui/window/assay-job-bar.h"
#include "ui/window/assay-loading-page.h"
#include "ui/table/assay-node-panel.h"
#include "ui/window/assay-notice-bar.h"
#include "ui/window/assay-page.h"
#include "ui/window/assay-preview-bar.h"
#include "ui/sidebar/assay-sidebar.h"
#include "ui/window/assay-start-page.h"
#include "ui/window/assay-window.h"

G_BEGIN_DECLS

/**
 * AssayWindowStep:
 * @self: the window
 *
 * What a window goes on with once nothing can be lost by it.
 */
typedef void (*AssayWindowStep) (AssayWindow *self);

struct _AssayWindow
{
  AdwApplicationWindow parent_instance;

  AssaySession *session;
  GSettings *settings; /* NULL where none are installed */
  char *pending_node;
  AssayWidthClass width_class;
  AssayWidthClass next_width_class;
  double text_scale;
  double next_text_scale;
  guint width_idle;
  int followed_width;   /* of the last allocation */
  guint covering;       /* a bit for each pane that lies over the content: sidebar, inspector */
  gboolean beside_fits; /* the graph beside a page */
  gboolean next_beside_fits;
  guint loading_timeout;
  gboolean unseen; /* the first finding was selected, and nobody has asked for any yet */
  gboolean graph_beside;
  gboolean node_table;          /* below the graph, on its page */
  gboolean graph_beside_chosen; /* by hand, so the width does not decide any more */
  AssayFileChoice *choice;
  char *split; /* what win.save-parts was asked for */
  GtkWidget *result_window;
  gboolean run_asked; /* so what comes out is shown */
  AssayWindowStep after_save;
  AssayWindowStep after_ask;
  AssayFindingItem
      *refused_finding; /* what could not be accepted, as nothing could be written, or NULL */
  char *refused_reason;
  guint fixed_nodes;                     /* that a fix is being applied to, 0 for none */
  GtkWidget *setup_window;               /* while it is open */
  GtkWidget *quantize_window;            /* while it is open */
  GtkWidget *focused;                    /* what has the focus, or had it until now */
  gboolean fixed_setup;                  /* the last fix was one of the setup */
  int next_finding;                      /* to go on with then */
  guint previewed_nodes;                 /* that a fix would be applied to */
  GPtrArray *recovered;                  /* AssayRecovered that nobody has restored or discarded */
  const AssayRecovered *shown_recovered; /* one of them */
  char *pending_path; /* to open once the user has said what becomes of what is there */
  char *pending_case; /* the model of a case that is to be compared */
  gboolean case_begun;
  gboolean returning; /* from a case to its model */
  char *case_path;    /* the model of a case that was opened last */
  char *case_from;    /* what was open before the first case */
  AssayJob *summing;  /* of a file of PyTorch that is to be opened */

  AdwToast *toast; /* the one with a button, while it is there */
  AdwToastOverlay *toasts;
  GtkDropTarget *drop_target;
  GtkWidget *drop_frame;
  GtkStack *stack;
  AssayStartPage *start_page;
  AssayLoadingPage *loading_page;
  AssayFailedPage *failed_page;
  AdwHeaderBar *header;
  AdwSplitButton *open_button;
  AdwSplitButton *run_button;
  AdwSplitButton *deploy_button;
  AdwViewSwitcherTitle *switcher_title;
  AssayContextBar *context_bar;
  AssayNoticeBar *notice_bar;
  AssayPreviewBar *preview_bar;
  GtkRevealer *recovery_revealer;
  GtkWidget *recovery_bar;
  GtkLabel *recovery_label;
  AssayFlapHandle *sidebar_handle;
  AssayFlapHandle *inspector_handle;
  AssaySidebar *sidebar;
  AssayInspector *inspector;
  GtkPaned *paned;
  GtkPaned *graph_paned;
  AssayGraphPage *graph_page;
  AssayNodePanel *node_panel;
  AdwViewStack *pages;
  AssayJobBar *job_bar;
  GMenu *recent_section;
  GtkMenuButton *menu_button;
  GMenu *runner_section;
  GMenu *run_section;
  GMenu *deploy_section;
  GMenu *board_section;
};

void assay_window_update_card (AssayWindow *self);
void assay_window_update_tight (AssayWindow *self);
void assay_window_update_for_width (AssayWindow *self);
void assay_window_follow_width (AssayWindow *self, int width);
void assay_window_flap_changed_cb (AssayWindow *self);
void assay_window_class_init_actions (AssayWindowClass *klass);
void assay_window_update_actions (AssayWindow *self);
void assay_window_describe_controls (AssayWindow *self, GtkWidget *root);
void assay_window_follow_settings (AssayWindow *self);
void assay_window_update_recent (AssayWindow *self);
void assay_window_show_result (AssayWindow *self);
void assay_window_follow_document (AssayWindow *self);
void assay_window_update_history (AssayWindow *self);
void assay_window_tell_quantized (AssayWindow *self);
void assay_window_show_view (AssayWindow *self);
void assay_window_finish_fix (AssayWindow *self);
void assay_window_remember (AssayWindow *self);
void assay_window_add_toast (AssayWindow *self, const char *title, const char *button,
                             const char *action);
void assay_window_dismiss_toast (AssayWindow *self);
gboolean assay_window_ask_to_save (AssayWindow *self, AssayWindowStep step);
void assay_window_qualify_action (GtkWidget *widget, const char *name, GVariant *parameter);
void assay_window_leave_case_action (GtkWidget *widget, const char *name, GVariant *parameter);
void assay_window_open_case_action (GtkWidget *widget, const char *name, GVariant *parameter);
gboolean assay_window_shows_case (AssayWindow *self);
void assay_window_continue_case (AssayWindow *self);
void assay_window_ask_to_trust (AssayWindow *self);
void assay_window_open_python (AssayWindow *self, const char *path);
gboolean assay_window_close_request (GtkWindow *window);
gboolean assay_window_can_accept (AssayWindow *self);

#define ASSAY_DECLARE_HANDLER(name)                                                                \
  void assay_window_##name##_action (GtkWidget *widget, const char *action, GVariant *parameter)
ASSAY_DECLARE_HANDLER (save);
ASSAY_DECLARE_HANDLER (save_as);
ASSAY_DECLARE_HANDLER (save_model_as);
ASSAY_DECLARE_HANDLER (save_parts);
ASSAY_DECLARE_HANDLER (locate);
ASSAY_DECLARE_HANDLER (open_folder);
ASSAY_DECLARE_HANDLER (restore);
ASSAY_DECLARE_HANDLER (discard);
ASSAY_DECLARE_HANDLER (undo);
ASSAY_DECLARE_HANDLER (redo);
ASSAY_DECLARE_HANDLER (fix);
ASSAY_DECLARE_HANDLER (apply_fix);
ASSAY_DECLARE_HANDLER (apply_fix_to_node);
ASSAY_DECLARE_HANDLER (preview_fix);
ASSAY_DECLARE_HANDLER (toggle_preview);
ASSAY_DECLARE_HANDLER (apply_preview);
ASSAY_DECLARE_HANDLER (leave_preview);
ASSAY_DECLARE_HANDLER (accept);
#undef ASSAY_DECLARE_HANDLER
void assay_window_update_paned (AssayWindow *self);
GtkWidget *assay_window_get_page (AssayWindow *self, const char *name);

G_END_DECLS
