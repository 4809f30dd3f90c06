/* assay-window-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "ui/assay-compare-page.h"
#include "ui/assay-context-bar.h"
#include "ui/assay-failed-page.h"
#include "ui/assay-file-choice.h"
#include "ui/assay-graph-page.h"
#include "ui/assay-inspector.h"
#include "ui/assay-job-bar.h"
#include "ui/assay-loading-page.h"
#include "ui/assay-memory-page.h"
#include "ui/assay-node-panel.h"
#include "ui/assay-notice-bar.h"
#include "ui/assay-program-page.h"
#include "ui/assay-sidebar.h"
#include "ui/assay-start-page.h"
#include "ui/assay-window.h"

G_BEGIN_DECLS

struct _AssayWindow
{
  AdwApplicationWindow parent_instance;

  AssaySession *session;
  GSettings *settings; /* NULL where none are installed */
  char *pending_node;
  AssayWidthClass width_class;
  AssayWidthClass next_width_class;
  guint width_idle;
  guint loading_timeout;
  gboolean graph_beside;
  gboolean node_table; /* below the graph, on its page */
  gboolean graph_beside_chosen; /* by hand, so the width does not decide any more */
  AssayFileChoice *choice;
  GtkWidget *result_window;
  gboolean run_asked; /* so what comes out is shown */

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
  AdwFlap *sidebar_flap;
  AdwFlap *inspector_flap;
  AssaySidebar *sidebar;
  AssayInspector *inspector;
  GtkPaned *paned;
  GtkPaned *graph_paned;
  AssayGraphPage *graph_page;
  AssayNodePanel *node_panel;
  AdwViewStack *pages;
  AdwViewStackPage *page_memory;
  AdwViewStackPage *page_timeline;
  AdwViewStackPage *page_compare;
  AssayMemoryPage *memory_page;
  AssayProgramPage *timeline_page;
  AssayComparePage *compare_page;
  AssayJobBar *job_bar;
  GMenu *recent_section;
  GtkMenuButton *menu_button;
  GMenu *runner_section;
  GMenu *run_section;
  GMenu *deploy_section;
  GMenu *board_section;
};

void _assay_window_class_init_actions (AssayWindowClass *klass);
void _assay_window_update_actions     (AssayWindow      *self);
void _assay_window_describe_controls  (AssayWindow      *self,
                                       GtkWidget        *root);
void _assay_window_follow_settings    (AssayWindow      *self);
void _assay_window_update_recent      (AssayWindow      *self);
void _assay_window_show_result        (AssayWindow      *self);
void _assay_window_update_paned       (AssayWindow      *self);

G_END_DECLS
