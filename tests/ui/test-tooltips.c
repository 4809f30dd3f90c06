/* test-tooltips.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What pictures say of what is under the pointer, at every place of them.
 */
#include "test-program.h"
#include "ui-fixture.h"
#include "ui/canvas/assay-canvas.h"
#include "ui/canvas/assay-picture.h"
#include "ui/compare/assay-compare-page.h"
#include "ui/memory/assay-allocation-page.h"
#include "ui/memory/assay-memory-chart.h"
#include "ui/memory/assay-memory-page.h"
#include "ui/timeline/assay-timeline-page.h"
#include "ui/window/assay-ui.h"

#include <string.h>

/* From one place to the next, in pixels. */
#define STEP 7

static char *last;

/* GTK 4.8 tells nobody what a tooltip says: the program calls this in place of that of GTK. */
void
gtk_tooltip_set_text (GtkTooltip *tooltip, const char *text)
{
  g_free (last);
  last = g_strdup (text);
}

typedef struct
{
  GtkTooltip *tooltip;
  GHashTable *texts;
} Probe;

static void
probe_widget (GtkWidget *widget, gpointer data)
{
  Probe *probe = data;

  if (!gtk_widget_get_mapped (widget) || !gtk_widget_get_has_tooltip (widget))
    return;

  for (int y = 0; y < gtk_widget_get_height (widget); y += STEP)
    for (int x = 0; x < gtk_widget_get_width (widget); x += STEP)
      {
        gboolean shown = FALSE;

        g_clear_pointer (&last, g_free);
        g_signal_emit_by_name (widget, "query-tooltip", x, y, FALSE, probe->tooltip, &shown);
        if (shown && last != NULL)
          g_hash_table_add (probe->texts, g_steal_pointer (&last));
      }
}

/* All that is said below a widget, each once; the words of each line are checked. */
static GHashTable *
probe (GtkWidget *root)
{
  g_autoptr (GtkTooltip) tooltip = g_object_new (GTK_TYPE_TOOLTIP, NULL);
  g_autoptr (GPtrArray) complaints = g_ptr_array_new_with_free_func (g_free);
  Probe probe = { tooltip, g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) };
  GHashTableIter iter;
  gpointer text;

  ui_for_each (root, probe_widget, &probe);
  g_hash_table_iter_init (&iter, probe.texts);
  while (g_hash_table_iter_next (&iter, &text, NULL))
    {
      g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

      for (guint i = 0; lines[i] != NULL; i++)
        ui_check_sentence (root, lines[i], complaints);
    }
  for (guint i = 0; i < complaints->len; i++)
    g_test_message ("%s", (const char *) g_ptr_array_index (complaints, i));
  g_assert_cmpuint (complaints->len, ==, 0);

  return probe.texts;
}

/* Whether one of them matches. */
static gboolean
says (GHashTable *texts, const char *pattern)
{
  GHashTableIter iter;
  gpointer text;

  g_hash_table_iter_init (&iter, texts);
  while (g_hash_table_iter_next (&iter, &text, NULL))
    if (g_regex_match_simple (pattern, text, 0, 0))
      return TRUE;

  g_test_message ("nothing of %u says “%s”", g_hash_table_size (texts), pattern);
  g_hash_table_iter_init (&iter, texts);
  while (g_hash_table_iter_next (&iter, &text, NULL))
    g_test_message ("%s", (const char *) text);
  return FALSE;
}

/* A model whose tensors have so many vectors. */
static AssayWindow *
open_wide (guint extent, const char *page)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "wide.nnir", NULL);
  g_autofree char *text = g_strdup_printf (
      "main (%%x : f32[1,32,%u]) {\n  %%a = Relu(%%x) : f32[1,32,%u] @ \"a\"\n"
      "  %%y = Add(%%a, %%x) : f32[1,32,%u] @ \"b\"\n  return %%y\n}\n",
      extent, extent, extent);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  assay_window_open (window, path, NULL);
  ui_wait_ready (window);
  ui_wait_ended (assay_session_get_compilation (assay_window_get_session (window)));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", page);
  ui_settle ();

  return window;
}

/* What does not fit: the bars, and what lies where. */
static void
test_misfit (void)
{
  AssayWindow *window = open_wide (20000, "memory");
  g_autoptr (GHashTable)
      texts = probe (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_ALLOCATION_PAGE));

  g_assert_true (says (texts, "every placement needs \\d+\u202f\\d{3} blocks"));
  g_assert_true (says (texts, "^.*\n\\d.* blocks? at address \\d+\u202f\\d{3} "));
  ui_window_close (window);
}

static void
test_memory (void)
{
  AssayWindow *window = open_wide (1200, "memory");
  GtkWidget *page = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_MEMORY_PAGE);
  g_autoptr (GHashTable) texts = probe (page);

  g_assert_true (says (texts, "address \\d+\u202f\\d{3} \\(0x"));
  g_assert_true (says (texts, "^Core \\d, step \\d+: \\d"));
  ui_window_close (window);
}

static void
test_timeline (void)
{
  AssayWindow *window = open_wide (1200, "timeline");
  g_autoptr (GHashTable)
      texts = probe (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_TIMELINE_PAGE));

  g_assert_true (says (texts, "cycles \\d+\u202f\\d{3} to \\d+\u202f\\d{3}, result ready at "));
  g_assert_true (says (texts, "instruction \\d+ of core \\d"));
  ui_window_close (window);
}

/* What colours a node stands in its tooltip, as its box may be too narrow for it. */
static void
test_graph (void)
{
  AssayWindow *window = open_wide (1200, "graph");
  GtkWidget *canvas = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CANVAS);
  g_autoptr (GHashTable) texts = NULL;

  gtk_widget_activate_action (GTK_WIDGET (window), "graph.colour-by", "s", "cycles");
  ui_settle ();
  texts = probe (canvas);
  g_assert_true (says (texts, "^Relu, a, .*\nPredicted cycles: \\d+\u202f\\d{3} cycles$"));
  ui_window_close (window);
}

static void
count_cb (guint *n)
{
  (*n)++;
}

/* What is said already is not told to GTK again, which would ask the display for the pointer. */
static void
test_again (void)
{
  static const char *const texts[] = { "Run", "Run", NULL, "", "Deploy" };
  static const guint changes[] = { 1, 1, 2, 2, 3 };
  g_autoptr (GtkWidget) label = g_object_ref_sink (gtk_label_new (NULL));
  guint n = 0;

  g_signal_connect_swapped (label, "notify::tooltip-text", G_CALLBACK (count_cb), &n);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      assay_ui_set_tooltip (label, texts[i]);
      g_assert_cmpuint (n, ==, changes[i]);
    }
  g_assert_cmpstr (gtk_widget_get_tooltip_text (label), ==, "Deploy");
}

TEST_PROGRAM (tooltips)
{
  static const UiTest tests[] = {
    { "/ui/tooltips/again", test_again },   { "/ui/tooltips/misfit", test_misfit },
    { "/ui/tooltips/memory", test_memory }, { "/ui/tooltips/timeline", test_timeline },
    { "/ui/tooltips/graph", test_graph },
  };

  return ui_run (argc, argv, tests, G_N_ELEMENTS (tests));
}
