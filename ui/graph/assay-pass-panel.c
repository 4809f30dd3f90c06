/* assay-pass-panel.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/graph/assay-pass-panel.h"

#include "ui/inspector/assay-property-list.h"
#include "ui/window/assay-template.h"
#include "ui/window/assay-ui.h"

/* Rows of one group. */
#define MAX_ROWS 24u

struct _AssayPassPanel
{
  GtkWidget parent_instance;

  GtkWidget *box;
  GtkWidget *bar;
  GtkDropDown *chooser;
  GtkLabel *summary;
  GtkBox *groups;

  const AssayTorchSteps *listed; /* what the chooser lists; only compared */
  gboolean filling;
};

enum
{
  STEP_WANTED,
  NODE_WANTED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AssayPassPanel, assay_pass_panel, GTK_TYPE_WIDGET)

static void
chosen_cb (AssayPassPanel *self)
{
  guint index = gtk_drop_down_get_selected (self->chooser);

  if (!self->filling && index != GTK_INVALID_LIST_POSITION)
    g_signal_emit (self, signals[STEP_WANTED], 0, index);
}

static void
clicked_cb (GtkWidget *row, AssayPassPanel *self)
{
  g_signal_emit (self, signals[NODE_WANTED], 0, gtk_widget_get_name (row));
}

static void
assay_pass_panel_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), ASSAY_TYPE_PASS_PANEL);

  G_OBJECT_CLASS (assay_pass_panel_parent_class)->dispose (object);
}

static void
assay_pass_panel_class_init (AssayPassPanelClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = assay_pass_panel_dispose;

  signals[STEP_WANTED] = g_signal_new ("step-wanted", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST,
                                       0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
  signals[NODE_WANTED] = g_signal_new ("node-wanted", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST,
                                       0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  ASSAY_BIND_TEMPLATE (klass, AssayPassPanel, "assay-pass-panel", box, bar, chooser, summary,
                       groups);
}

static void
assay_pass_panel_init (AssayPassPanel *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect_object (self->chooser, "notify::selected", G_CALLBACK (chosen_cb), self,
                           G_CONNECT_SWAPPED);
}

static void
fill_chooser (AssayPassPanel *self, const AssayTorchSteps *steps, guint index)
{
  g_autoptr (GtkStringList) names = NULL;

  self->filling = TRUE;
  if (self->listed != steps)
    {
      names = gtk_string_list_new (NULL);
      for (guint i = 0; i < steps->steps->len; i++)
        {
          const AssayTorchStep *step = steps->steps->pdata[i];
          g_autofree char *name = step->pass != NULL
                                      ? g_strdup_printf ("%u %s", i, step->pass->name)
                                      : g_strdup ("As in the file");

          gtk_string_list_append (names, name);
        }
      gtk_drop_down_set_model (self->chooser, G_LIST_MODEL (names));
      self->listed = steps;
    }
  gtk_drop_down_set_selected (self->chooser, index);
  self->filling = FALSE;
}

static GtkWidget *
add_label (GtkBox *box, const char *text, const char *style)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  if (style != NULL)
    gtk_widget_add_css_class (label, style);
  gtk_box_append (box, label);

  return label;
}

static void
add_rest (GtkBox *box, guint n, guint shown)
{
  g_autofree char *text = g_strdup_printf ("and %u more", n - shown);

  if (n > shown)
    add_label (box, text, "secondary");
}

static GtkBox *
add_group (AssayPassPanel *self, const char *title)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 3);

  gtk_box_append (self->groups, box);
  add_label (GTK_BOX (box), title, "heading");

  return GTK_BOX (box);
}

static void
add_changes (AssayPassPanel *self, const AssayTorchStep *step)
{
  const char *note = assay_torch_pass_note (step->changes, step->is_changed);
  GtkBox *box = add_group (self, "Changed");

  if (note != NULL)
    add_label (box, step->is_changed ? "Types alone are others." : "Nothing.", "secondary");
  for (guint i = 0; i < MIN (step->changes->len, MAX_ROWS); i++)
    {
      const AssayTorchChange *change = &g_array_index (step->changes, AssayTorchChange, i);
      /* A real minus sign is as wide as a plus sign. */
      g_autofree char *text = g_strdup_printf ("%s%u %s", change->gone > 0 ? "\u2212" : "+",
                                               MAX (change->gone, change->made), change->name);

      gtk_widget_add_css_class (add_label (box, text, NULL), "numeric");
    }
  add_rest (box, step->changes->len, MIN (step->changes->len, MAX_ROWS));
}

static void
add_fault (AssayPassPanel *self, GtkBox *box, const AssayTorchFault *fault)
{
  GtkWidget *row, *label;

  if (fault->node == NULL)
    {
      add_label (box, fault->text, "secondary");
      return;
    }
  row = gtk_button_new ();
  label = gtk_label_new (fault->text);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_button_set_child (GTK_BUTTON (row), label);
  gtk_widget_set_name (row, fault->node);
  gtk_widget_set_tooltip_text (row, "Select the node");
  gtk_widget_add_css_class (row, "flat");
  gtk_widget_add_css_class (label, "fault");
  g_signal_connect_object (row, "clicked", G_CALLBACK (clicked_cb), self, 0);
  gtk_box_append (box, row);
}

/* What a backend would say to the program as it is here. */
static void
add_contract (AssayPassPanel *self, const AssayTorchStep *step)
{
  g_autofree char *title = step->n_faults > 0
                               ? g_strdup_printf ("Against the Contract: %u", step->n_faults)
                               : g_strdup ("Contract");
  GtkBox *box = add_group (self, title);

  if (step->n_faults == 0)
    add_label (box, "The program keeps to what backends take.", "secondary");
  for (guint i = 0; i < step->faults->len; i++)
    {
      const AssayTorchFaultGroup *group = step->faults->pdata[i];
      g_autofree char *what = g_strdup_printf ("%u: %s", group->n, group->what);
      g_autofree char *pass = g_strdup_printf ("Taken away by %s", group->pass);
      guint n = MIN (group->faults->len, MAX_ROWS);

      gtk_widget_set_margin_top (add_label (box, what, NULL), 6);
      add_label (box, pass, "secondary");
      for (guint k = 0; k < n; k++)
        add_fault (self, box, group->faults->pdata[k]);
      add_rest (box, group->n, n);
    }
}

static void
clear_groups (AssayPassPanel *self)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->groups))) != NULL)
    gtk_box_remove (self->groups, child);
}

/**
 * assay_pass_panel_show:
 * @self: a panel
 * @steps: a program on its way
 * @index: which of its steps
 *
 * Tells about a step.
 */
void
assay_pass_panel_show (AssayPassPanel *self, const AssayTorchSteps *steps, guint index)
{
  const AssayTorchStep *step;
  g_autofree char *text = NULL;

  g_return_if_fail (ASSAY_IS_PASS_PANEL (self));
  g_return_if_fail (index < steps->steps->len);

  step = steps->steps->pdata[index];
  gtk_widget_set_visible (self->bar, TRUE);
  fill_chooser (self, steps, index);
  text = step->pass != NULL ? g_strconcat (step->pass->summary, ".", NULL)
                            : g_strdup ("The program as it was read, before any pass.");
  gtk_label_set_label (self->summary, text);
  clear_groups (self);
  if (step->pass != NULL)
    add_changes (self, step);
  add_contract (self, step);
  if (steps->error != NULL && index + 1 == steps->steps->len)
    {
      GtkBox *box = add_group (self, "It Ends Here");

      add_label (box, steps->error->message, NULL);
    }
}

/**
 * assay_pass_panel_say:
 * @self: a panel
 * @text: why there is no step to tell about
 *
 * Shows a sentence in place of a step.
 */
void
assay_pass_panel_say (AssayPassPanel *self, const char *text)
{
  g_return_if_fail (ASSAY_IS_PASS_PANEL (self));

  self->listed = NULL;
  gtk_widget_set_visible (self->bar, FALSE);
  gtk_label_set_label (self->summary, text);
  clear_groups (self);
}
