/* test-relayout.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What asks for another size while it is given its place, below a parent that only passes places
 * on, is given one before anything is painted. GTK's warning is fatal here.
 */
#include <adwaita.h>

#include "test-program.h"
#include "ui-fixture.h"

/* A widget that is scrolled, and tells how large it is when it is placed, as every one does. */
typedef struct
{
  GtkWidget parent_instance;
  GtkAdjustment *adjustments[2];
  gboolean large;
} TestBoard;

typedef GtkWidgetClass TestBoardClass;

enum
{
  PROP_0,
  PROP_HADJUSTMENT,
  PROP_VADJUSTMENT,
  PROP_HSCROLL_POLICY,
  PROP_VSCROLL_POLICY,
};

static GType test_board_get_type (void);
G_DEFINE_TYPE_WITH_CODE (TestBoard, test_board, GTK_TYPE_WIDGET,
                         G_IMPLEMENT_INTERFACE (GTK_TYPE_SCROLLABLE, NULL))

static void
test_board_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  TestBoard *self = (TestBoard *) object;

  if (id == PROP_HADJUSTMENT || id == PROP_VADJUSTMENT)
    g_set_object (&self->adjustments[id - PROP_HADJUSTMENT], g_value_get_object (value));
}

static void
test_board_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  TestBoard *self = (TestBoard *) object;

  if (id == PROP_HADJUSTMENT || id == PROP_VADJUSTMENT)
    g_value_set_object (value, self->adjustments[id - PROP_HADJUSTMENT]);
}

static void
test_board_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  TestBoard *self = (TestBoard *) widget;
  int size = self->large ? 3 : 1;

  gtk_adjustment_configure (self->adjustments[0], 0, 0, size * width, 1, 1, width);
  gtk_adjustment_configure (self->adjustments[1], 0, 0, size * height, 1, 1, height);
}

static void
test_board_dispose (GObject *object)
{
  g_clear_object (&((TestBoard *) object)->adjustments[0]);
  g_clear_object (&((TestBoard *) object)->adjustments[1]);

  G_OBJECT_CLASS (test_board_parent_class)->dispose (object);
}

static void
test_board_class_init (TestBoardClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->set_property = test_board_set_property;
  object_class->get_property = test_board_get_property;
  object_class->dispose = test_board_dispose;
  klass->size_allocate = test_board_size_allocate;
  g_object_class_override_property (object_class, PROP_HADJUSTMENT, "hadjustment");
  g_object_class_override_property (object_class, PROP_VADJUSTMENT, "vadjustment");
  g_object_class_override_property (object_class, PROP_HSCROLL_POLICY, "hscroll-policy");
  g_object_class_override_property (object_class, PROP_VSCROLL_POLICY, "vscroll-policy");
}

static void
test_board_init (TestBoard *self)
{
}

/* Two boxes around what is tested: the outer one is placed, the inner one passes places on. */
static GtkWidget *
window_around (GtkWidget *widget, GtkWidget **outer)
{
  GtkWidget *window = gtk_window_new ();
  GtkWidget *inner = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

  *outer = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_widget_set_vexpand (widget, TRUE);
  gtk_box_append (GTK_BOX (inner), widget);
  gtk_box_append (GTK_BOX (*outer), inner);
  gtk_window_set_child (GTK_WINDOW (window), *outer);
  gtk_window_set_default_size (GTK_WINDOW (window), 500, 300);
  gtk_window_present (GTK_WINDOW (window));
  ui_settle ();

  return window;
}

static void
test_bars (void)
{
  GtkWidget *scrolled = gtk_scrolled_window_new ();
  TestBoard *board = g_object_new (test_board_get_type (), NULL);
  GtkWidget *outer, *window, *bar;

  gtk_scrolled_window_set_overlay_scrolling (GTK_SCROLLED_WINDOW (scrolled), FALSE);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), GTK_WIDGET (board));
  window = window_around (scrolled, &outer);
  bar = gtk_scrolled_window_get_vscrollbar (GTK_SCROLLED_WINDOW (scrolled));
  for (guint i = 0; i < 4; i++)
    {
      board->large = !board->large;
      gtk_widget_queue_allocate (GTK_WIDGET (board));
      gtk_widget_queue_allocate (outer);
      ui_settle ();
      g_assert_true (gtk_widget_get_mapped (bar) == board->large);
    }
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
test_fold (void)
{
  GtkWidget *flap = adw_flap_new ();
  GtkWidget *side = gtk_label_new ("side"), *content = gtk_label_new ("A line of some length");
  GtkWidget *outer, *window;

  gtk_widget_set_size_request (side, 300, -1);
  gtk_widget_set_hexpand (content, TRUE);
  gtk_label_set_ellipsize (GTK_LABEL (content), PANGO_ELLIPSIZE_END);
  gtk_label_set_width_chars (GTK_LABEL (content), 1);
  gtk_label_set_max_width_chars (GTK_LABEL (content), 60);
  gtk_label_set_text (GTK_LABEL (content),
                      "A line that is far longer than what is left beside the flap");
  adw_flap_set_flap (ADW_FLAP (flap), side);
  adw_flap_set_content (ADW_FLAP (flap), content);
  window = window_around (flap, &outer);
  for (guint i = 0; i < 4; i++)
    {
      gboolean natural = i % 2 == 0;

      adw_flap_set_fold_threshold_policy (ADW_FLAP (flap), natural
                                                               ? ADW_FOLD_THRESHOLD_POLICY_NATURAL
                                                               : ADW_FOLD_THRESHOLD_POLICY_MINIMUM);
      gtk_widget_queue_allocate (outer);
      ui_settle ();
      g_assert_true (adw_flap_get_folded (ADW_FLAP (flap)) == natural);
      g_assert_true (gtk_widget_get_mapped (side) == !natural);
    }
  gtk_window_destroy (GTK_WINDOW (window));
}

static const UiTest tests[] = {
  { "/ui/relayout/bars", test_bars },
  { "/ui/relayout/fold", test_fold },
};

TEST_PROGRAM (relayout)
{
  return ui_run (argc, argv, tests, G_N_ELEMENTS (tests));
}
