/* assay-compare-strip.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/compare/assay-compare-strip.h"

#include <math.h>

#include "base/assay-sentence.h"
#include "ui/inspector/assay-wrap-layout.h"
#include "ui/window/assay-template.h"
#include "ui/window/assay-ui.h"

struct _AssayCompareStrip
{
  GtkWidget parent_instance;

  int first;
  int worst;

  GtkWidget *root;
  GtkImage *glyph;
  GtkLabel *headline;
  GtkLabel *note;
  GtkWidget *show_button;
  GtkWidget *facts;
  GtkLabel *result;
  GtkWidget *first_button;
  GtkLabel *first_label;
  GtkWidget *worst_button;
  GtkLabel *worst_label;
  GtkLabel *outputs;
  GtkWidget *expected_tile;
  GtkLabel *expected;
};

enum
{
  ROW_WANTED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AssayCompareStrip, assay_compare_strip, GTK_TYPE_WIDGET)

static const AssayCellMark marks[ASSAY_N_DIVERGENCES] = {
  [ASSAY_DIVERGENCE_EXACT] = { "emblem-ok-symbolic", "success" },
  [ASSAY_DIVERGENCE_ROUNDING] = { "emblem-ok-symbolic", "success" },
  [ASSAY_DIVERGENCE_BIASED] = { "dialog-warning-symbolic", "warning" },
  [ASSAY_DIVERGENCE_AMPLIFIED] = { "dialog-warning-symbolic", "warning" },
  [ASSAY_DIVERGENCE_BEYOND] = { "dialog-error-symbolic", "error" },
  [ASSAY_DIVERGENCE_NOT_COMPARED] = { "dialog-question-symbolic", "warning" },
};

/**
 * assay_compare_strip_get_mark:
 * @divergence: what a difference is
 *
 * Gets its sign.
 *
 * Returns: (transfer none): the sign
 */
const AssayCellMark *
assay_compare_strip_get_mark (AssayDivergence divergence)
{
  return &marks[divergence];
}

static void
show_mark (AssayCompareStrip *self, const AssayCellMark *mark)
{
  const char *classes[] = { mark->style, NULL };

  gtk_image_set_from_icon_name (self->glyph, mark->icon);
  gtk_widget_set_css_classes (GTK_WIDGET (self->glyph), classes);
}

/**
 * assay_compare_strip_set_words:
 * @self: a strip
 * @icon: name of an icon
 * @headline: a sentence
 * @note: what is said below it, "" for nothing
 *
 * Says what there is while there are no numbers.
 */
void
assay_compare_strip_set_words (AssayCompareStrip *self, const char *icon, const char *headline,
                               const char *note)
{
  const AssayCellMark mark = { icon, NULL };

  show_mark (self, &mark);
  gtk_label_set_label (self->headline, headline);
  gtk_label_set_label (self->note, note);
  gtk_widget_set_visible (GTK_WIDGET (self->note), *note != '\0');
  gtk_widget_set_visible (self->facts, FALSE);
  gtk_widget_set_visible (self->show_button, FALSE);
}

static char *
describe_worst (const AssayComparison *comparison)
{
  const AssayComparisonRow *row = comparison->worst >= 0
                                      ? assay_comparison_row (comparison, (guint) comparison->worst)
                                      : NULL;
  g_autofree char *error = NULL;
  g_autofree char *limit = NULL;
  g_autofree char *place = NULL;

  if (row == NULL)
    return g_strdup ("Nothing compared");
  error = assay_ui_format_ulp (assay_comparison_row_error (row));
  limit = assay_ui_format_ulp (row->limit);
  place = assay_comparison_row_dup_place (row);

  return g_strdup_printf ("%s unit%s, limit %s, %s", error, assay_plural_of (error), limit, place);
}

/* That of the two runs, and of what test data expects of both. */
static AssayComparisonVerdict
get_verdict (const AssayComparison *comparison)
{
  AssayComparisonVerdict expected = assay_comparison_get_expected_verdict (comparison);

  return comparison->verdict == ASSAY_COMPARISON_OUTSIDE || expected == ASSAY_COMPARISON_EXACT
             ? comparison->verdict
             : expected;
}

static void
show_outputs (AssayCompareStrip *self, const AssayComparison *comparison)
{
  guint n = 0, n_exact = 0, n_unknown = 0;
  g_autofree char *outputs = NULL;
  const char *result;

  for (guint i = 0; i < comparison->rows->len; i++)
    {
      const AssayComparisonRow *row = assay_comparison_row (comparison, i);

      if (!row->is_output)
        continue;
      n++;
      n_unknown += row->verdict == ASSAY_COMPARISON_UNKNOWN;
      n_exact += row->verdict != ASSAY_COMPARISON_UNKNOWN && assay_compare_is_exact (&row->total);
    }
  /* What could not be compared is no pass. */
  if (get_verdict (comparison) == ASSAY_COMPARISON_OUTSIDE)
    result = "Fail";
  else
    result = get_verdict (comparison) == ASSAY_COMPARISON_UNKNOWN || comparison->worst < 0 ||
                     n_unknown > 0
                 ? "No pass"
                 : "Pass";
  outputs = n_unknown > 0 ? g_strdup_printf ("%u of %u, %u not compared", n_exact, n, n_unknown)
                          : g_strdup_printf ("%u of %u", n_exact, n);
  gtk_label_set_label (self->result, result);
  gtk_label_set_label (self->outputs, outputs);
}

/* What test data says should come out. */
static void
show_expected (AssayCompareStrip *self, const AssayComparison *comparison)
{
  g_autofree char *error = assay_ui_format_ulp (comparison->expected_error);
  g_autofree char *text = NULL;
  g_autofree char *tooltip = NULL;

  gtk_widget_set_visible (self->expected_tile, comparison->expected != NULL);
  if (comparison->expected == NULL)
    return;

  text = comparison->expected_trouble != NULL
             ? g_strdup ("Not compared")
             : g_strdup_printf ("%u of %u, worst %s unit%s", comparison->n_expected_within,
                                comparison->n_expected, error, assay_plural_of (error));
  tooltip = comparison->expected_trouble != NULL
                ? g_strdup (comparison->expected_trouble)
                : g_strdup_printf ("Outputs of %s that %s keeps within the tolerance",
                                   comparison->expected, comparison->label_b);
  gtk_label_set_label (self->expected, text);
  (assay_comparison_get_expected_verdict (comparison) == ASSAY_COMPARISON_OUTSIDE
       ? gtk_widget_add_css_class
       : gtk_widget_remove_css_class) (GTK_WIDGET (self->expected), "error");
  assay_ui_set_tooltip (self->expected_tile, tooltip);
}

/**
 * assay_compare_strip_set_comparison:
 * @self: a strip that says what there is in words
 * @comparison: a comparison
 *
 * Shows its results.
 */
void
assay_compare_strip_set_comparison (AssayCompareStrip *self, const AssayComparison *comparison)
{
  static const AssayDivergence looks[] = {
    [ASSAY_COMPARISON_EXACT] = ASSAY_DIVERGENCE_EXACT,
    [ASSAY_COMPARISON_WITHIN] = ASSAY_DIVERGENCE_ROUNDING,
    [ASSAY_COMPARISON_OUTSIDE] = ASSAY_DIVERGENCE_BEYOND,
    [ASSAY_COMPARISON_UNKNOWN] = ASSAY_DIVERGENCE_NOT_COMPARED,
  };
  g_autofree char *worst = describe_worst (comparison);
  g_autofree char *first = comparison->first_divergent >= 0
                               ? assay_comparison_row_dup_place (assay_comparison_row (
                                     comparison, (guint) comparison->first_divergent))
                               : g_strdup ("None");

  self->first = comparison->first_divergent;
  self->worst = comparison->worst;
  show_mark (self, &marks[looks[get_verdict (comparison)]]);
  show_outputs (self, comparison);
  show_expected (self, comparison);
  gtk_label_set_label (self->first_label, first);
  gtk_label_set_label (self->worst_label, worst);
  gtk_widget_set_sensitive (self->first_button, self->first >= 0);
  gtk_widget_set_sensitive (self->worst_button, self->worst >= 0);
  gtk_widget_set_visible (self->show_button, self->first >= 0);
  gtk_widget_set_visible (self->facts, TRUE);
}

static void
first_cb (AssayCompareStrip *self)
{
  g_signal_emit (self, signals[ROW_WANTED], 0, self->first);
}

static void
worst_cb (AssayCompareStrip *self)
{
  g_signal_emit (self, signals[ROW_WANTED], 0, self->worst);
}

static void
show_cb (AssayCompareStrip *self)
{
  gtk_widget_activate_action (GTK_WIDGET (self), "compare.first-divergent", NULL);
  gtk_widget_activate_action (GTK_WIDGET (self), "win.page", "s", "graph");
}

static void
assay_compare_strip_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), ASSAY_TYPE_COMPARE_STRIP);

  G_OBJECT_CLASS (assay_compare_strip_parent_class)->dispose (object);
}

static void
assay_compare_strip_class_init (AssayCompareStripClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_compare_strip_dispose;

  signals[ROW_WANTED] = g_signal_new ("row-wanted", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0,
                                      NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_INT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  g_type_ensure (ASSAY_TYPE_WRAP_LAYOUT);
  ASSAY_BIND_TEMPLATE (klass, AssayCompareStrip, "assay-compare-strip", root, glyph, headline, note,
                       show_button, facts, result, first_button, first_label, worst_button,
                       worst_label, outputs, expected_tile, expected);
  gtk_widget_class_bind_template_callback (widget_class, show_cb);
  gtk_widget_class_bind_template_callback (widget_class, first_cb);
  gtk_widget_class_bind_template_callback (widget_class, worst_cb);
}

static void
assay_compare_strip_init (AssayCompareStrip *self)
{
  self->first = -1;
  self->worst = -1;
  gtk_widget_init_template (GTK_WIDGET (self));
}
