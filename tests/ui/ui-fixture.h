/* ui-fixture.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "tests/core/fixture/wait.h"
#include "ui/window/assay-window.h"

G_BEGIN_DECLS

#define UI_TARGET "ia_420f_c6b32"
#define UI_OTHER_TARGET "vulkan-seed"
#define UI_MODEL "many-refusals.onnx"

typedef struct
{
  const char *path;
  GTestFunc run;
} UiTest;

int ui_run (int argc, char **argv, const UiTest *tests, guint n_tests);
gboolean ui_begin (int *argc, char ***argv);
gboolean ui_init (int *argc, char ***argv);
void ui_set_font (double points);
void ui_set_text_scale (double scale);
AssayWindow *ui_window_new (const char *target, int width, int height);
void ui_window_close (AssayWindow *window);
const char *ui_visible_page (AssayWindow *window);
void ui_open_example (AssayWindow *window, const char *name);
char *ui_example (const char *name) G_GNUC_WARN_UNUSED_RESULT;
void ui_settle (void);
void ui_wait_ready (AssayWindow *window);
void ui_bind_batch (AssayWindow *window);
void ui_wait_ended (gpointer activity);
void ui_wait_offer (GtkWidget *list);
void ui_wait_fixed (AssaySession *session);
void ui_wait_survey (AssayWindow *window);
void ui_search (GtkWidget *root, const char *text);
void ui_wait_recent (const char *example);
void ui_hold_threads (void);
GtkWidget *ui_find_type (GtkWidget *root, GType type);
GtkWidget *ui_find_label (GtkWidget *root, const char *label);
GtkWidget *ui_find_window (GType type);
gboolean ui_matches (const char *pattern, GRegexCompileFlags flags, const char *text);
void ui_check_sentence (GtkWidget *widget, const char *text, GPtrArray *complaints);
void ui_check_words (GtkWidget *widget, GPtrArray *complaints);
void ui_check_seen_words (GtkWidget *root, GPtrArray *complaints);
void ui_click (GtkWidget *root, const char *tooltip);
typedef void (*UiVisitor) (GtkWidget *widget, gpointer data);
void ui_for_each (GtkWidget *root, UiVisitor visitor, gpointer data);
char *ui_write_model_without_outputs (gboolean has_node) G_GNUC_WARN_UNUSED_RESULT;
void ui_open_drifting_model (AssayWindow *window);
void ui_set_steps (AssaySession *session, guint n_steps);
char *ui_save_on_full_disk (AssayWindow *window);

G_END_DECLS
