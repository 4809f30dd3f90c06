/* assay-compare-page.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/compare/assay-compare-page.h"

#include <math.h>

#include "base/assay-bf16.h"
#include "base/assay-sentence.h"
#include "draw/assay-comparison-scene.h"
#include "report/assay-compare-report.h"
#include "ui/compare/assay-cause-note.h"
#include "ui/compare/assay-compare-strip.h"
#include "ui/compare/assay-deploy-panel.h"
#include "ui/canvas/assay-picture.h"
#include "ui/memory/assay-program-page.h"
#include "ui/table/assay-column-fit.h"
#include "ui/tensor/assay-tensor-window.h"
#include "ui/window/assay-ui.h"
#include "ui/window/assay-ui-markup.h"
#include "ui/window/assay-template.h"

#define N_SIDES 2
/* More than that is no headline. */
#define HEADLINE_CHARS 90
/* From this width on the parts of a detail stand beside each other; from these heights on there is
 * room for the errors along the program, and for a detail that nobody has asked for. */
#define WIDE 1180
#define TALL 520
#define TALLER 760
#define ELEMENTS 320
/* Of the worst elements, their head included. */
#define FIRST_LINES 5

struct _AssayComparePage
{
  GtkWidget parent_instance;

  AssaySession *session;
  GtkSingleSelection *selection;
  gboolean syncing;
  gboolean choosing; /* a row that nobody pointed at */
  gboolean wide;
  gboolean tall;
  gboolean taller;
  gboolean opened; /* a detail that was asked for */
  gboolean closed;
  guint idle;
  guint reveal;
  GArray *points;

  GtkStack *stack;
  AssayProgramPage *empty_page;
  GtkDropDown *side_a;
  GtkDropDown *side_b;
  GtkLabel *inputs_label;
  GtkWidget *test_button;
  GtkLabel *tolerance_label;
  AssayDeployPanel *deploy_panel;
  GtkStack *body;
  AssayCompareStrip *strip;
  AdwStatusPage *failure;
  GtkColumnView *table;
  GtkColumnViewColumn *cost_columns[3]; /* of the table, shown where 8 bits have a cost */
  GtkWidget *detail;
  GtkOrientable *detail_parts;
  GtkLabel *detail_title;
  GtkLabel *detail_facts;
  AssayCauseNote *causes;
  GtkWidget *values_button;
  AssayPicture *histogram;
  AssayPicture *steps;
  GtkScrolledWindow *elements;
  GtkTextView *worst;
  AssayPicture *errors;
};

static void assay_compare_page_page_init (AssayPageInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (AssayComparePage, assay_compare_page, GTK_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (ASSAY_TYPE_PAGE,
                                                      assay_compare_page_page_init))

/* What is looked for stands first. */
typedef enum
{
  COLUMN_DIFFERENCE,
  COLUMN_NODE,
  COLUMN_OP,
  COLUMN_FLOAT_OWN,
  COLUMN_FLOAT_TOTAL,
  COLUMN_FLOAT_GAIN,
  COLUMN_SHARE,
  COLUMN_OWN,
  COLUMN_INHERITED,
  COLUMN_FACTOR,
  COLUMN_SQNR,
  COLUMN_MAX_ABS,
  COLUMN_MAX_REL,
  COLUMN_COSINE,
  COLUMN_BAD,
  COLUMN_SHAPE,
  N_COLUMNS
} Column;

static const AssayCellMark *
get_mark (gpointer item)
{
  return assay_compare_strip_get_mark (assay_compare_item_get_divergence (item));
}

static const AssayColumn columns[N_COLUMNS] = {
  [COLUMN_DIFFERENCE] = { "Difference", FALSE, FALSE, get_mark },
  [COLUMN_NODE] = { "Node", FALSE, TRUE, NULL },
  [COLUMN_OP] = { "Op", FALSE, FALSE, NULL, 2 },
  [COLUMN_SHARE] = { "Of Limit", TRUE, FALSE, NULL, 1 },
  [COLUMN_OWN] = { "Own Error", TRUE, FALSE, NULL },
  [COLUMN_INHERITED] = { "Inherited", TRUE, FALSE, NULL, 3 },
  [COLUMN_FACTOR] = { "Factor", TRUE, FALSE, NULL, 5 },
  [COLUMN_SQNR] = { "SQNR dB", TRUE, FALSE, NULL, 4 },
  [COLUMN_FLOAT_OWN] = { "Own vs Float dB", TRUE, FALSE, NULL, 2 },
  [COLUMN_FLOAT_TOTAL] = { "All vs Float dB", TRUE, FALSE, NULL, 6 },
  [COLUMN_FLOAT_GAIN] = { "Gain dB", TRUE, FALSE, NULL, 2 },
  [COLUMN_MAX_ABS] = { "Max Abs", TRUE, FALSE, NULL, 6 },
  [COLUMN_MAX_REL] = { "Max Rel", TRUE, FALSE, NULL, 7 },
  [COLUMN_COSINE] = { "Cosine", TRUE, FALSE, NULL, 8 },
  [COLUMN_BAD] = { "NaN, Inf", TRUE, FALSE, NULL, 9 },
  [COLUMN_SHAPE] = { "Shape", FALSE, FALSE, NULL, 10 },
};

static AssayCompareActivity *
get_compare_activity (AssayComparePage *self)
{
  return assay_session_get_compare_activity (self->session);
}

static gboolean
is_cost (guint column)
{
  return column >= COLUMN_FLOAT_OWN && column <= COLUMN_FLOAT_GAIN;
}

/* Decibels against float; infinite where nothing is lost, no number where nothing was measured. */
static double
get_cost (gpointer item, guint column)
{
  const AssayQuantizeLoss *cost = assay_compare_item_get_cost (item);

  if (cost == NULL || (column == COLUMN_FLOAT_GAIN && !cost->has_gain))
    return NAN;
  if (column == COLUMN_FLOAT_GAIN)
    return MAX (cost->float_db, cost->other_db);

  return column == COLUMN_FLOAT_OWN ? cost->own_db : cost->total_db;
}

static char *
dup_cost (gpointer item, guint column)
{
  double number = get_cost (item, column);

  if (isnan (number))
    return g_strdup ("–");

  return isfinite (number)
             ? g_strdup_printf (column == COLUMN_FLOAT_GAIN ? "%+.1f" : "%.1f", number)
             : g_strdup ("∞");
}

static char *
dup_cell (gpointer item, guint column)
{
  const AssayCompareStats *stats = assay_compare_item_get_stats (item);

  if (is_cost (column))
    return dup_cost (item, column);

  /* Nothing was measured. */
  if (assay_compare_item_get_divergence (item) == ASSAY_DIVERGENCE_NOT_COMPARED &&
      columns[column].number)
    return g_strdup ("–");

  switch (column)
    {
    case COLUMN_DIFFERENCE:
      return g_strdup (assay_divergence_name (assay_compare_item_get_divergence (item)));
    case COLUMN_NODE:
      return g_strdup (assay_compare_item_get_place (item));
    case COLUMN_OP:
      return g_strdup (assay_compare_item_get_op_type (item));
    case COLUMN_SHAPE:
      return g_strdup (assay_compare_item_get_shape (item));
    case COLUMN_SHARE:
      return isfinite (assay_compare_item_get_share (item))
                 ? g_strdup_printf ("%.0f\u202f%%", assay_compare_item_get_share (item) * 100)
                 : g_strdup ("∞");
    case COLUMN_OWN:
      return assay_ui_format_ulp (assay_compare_item_get_error (item));
    case COLUMN_FACTOR:
      return assay_compare_item_get_factor (item) > 0
                 ? g_strdup_printf ("×%.2g", assay_compare_item_get_factor (item))
                 : g_strdup ("–");
    case COLUMN_INHERITED:
      return assay_ui_format_ulp (assay_compare_item_get_inherited (item));
    case COLUMN_MAX_ABS:
      return g_strdup_printf ("%.3g", stats->max_abs);
    case COLUMN_MAX_REL:
      return g_strdup_printf ("%.3g", stats->max_rel);
    case COLUMN_SQNR:
      return isfinite (stats->sqnr_db) ? g_strdup_printf ("%.1f", stats->sqnr_db) : g_strdup ("∞");
    case COLUMN_COSINE:
      return g_strdup_printf ("%.6f", stats->cosine);
    default:
      return g_strdup_printf ("%" G_GSIZE_FORMAT ", %" G_GSIZE_FORMAT, stats->nan[1],
                              stats->inf[1]);
    }
}

static double
get_number (gpointer item, guint column)
{
  const AssayCompareStats *stats = assay_compare_item_get_stats (item);

  switch (column)
    {
    case COLUMN_DIFFERENCE:
      return assay_compare_item_get_divergence (item);
    case COLUMN_SHARE:
      return assay_compare_item_get_share (item);
    case COLUMN_FACTOR:
      return assay_compare_item_get_factor (item);
    case COLUMN_OWN:
      return assay_compare_item_get_error (item);
    case COLUMN_INHERITED:
      return assay_compare_item_get_inherited (item);
    case COLUMN_MAX_ABS:
      return stats->max_abs;
    case COLUMN_MAX_REL:
      return stats->max_rel;
    case COLUMN_SQNR:
      return stats->sqnr_db;
    case COLUMN_COSINE:
      return stats->cosine;
    default:
      return (double) (stats->nan[1] + stats->inf[1]);
    }
}

static int
compare_cells (gpointer a, gpointer b, guint column)
{
  double left, right;

  if (column == COLUMN_NODE)
    return (int) assay_compare_item_get_index (a) - (int) assay_compare_item_get_index (b);
  if (column == COLUMN_OP)
    return g_strcmp0 (assay_compare_item_get_op_type (a), assay_compare_item_get_op_type (b));
  if (column == COLUMN_SHAPE)
    return g_strcmp0 (assay_compare_item_get_shape (a), assay_compare_item_get_shape (b));

  left = is_cost (column) ? get_cost (a, column) : get_number (a, column);
  right = is_cost (column) ? get_cost (b, column) : get_number (b, column);
  /* What has no number stands behind what has one. */
  if (isnan (left) || isnan (right))
    return isnan (left) - isnan (right);
  if (column == COLUMN_DIFFERENCE && left == right)
    {
      left = assay_compare_item_get_share (a);
      right = assay_compare_item_get_share (b);
    }
  return (left > right) - (left < right);
}

static AssayCompareItem *
get_selected (AssayComparePage *self)
{
  return self->selection != NULL ? gtk_single_selection_get_selected_item (self->selection) : NULL;
}

/* Pictures. */

static void
draw_errors (AssayDisplayList *list, double width, double height, gpointer data)
{
  AssayComparePage *self = data;
  AssayCompareItem *item = get_selected (self);

  assay_comparison_scene_draw_errors (
      (const AssayErrorPoint *) (gpointer) self->points->data, self->points->len,
      item != NULL ? assay_compare_item_get_index (item) : G_MAXUINT, width, height, list);
}

static char *
describe_error (double x, double y, double width, double height, gpointer data)
{
  AssayComparePage *self = data;
  guint point = assay_comparison_scene_find_point (self->points->len, width, x);
  g_autoptr (AssayCompareItem) item = NULL;
  g_autofree char *own = NULL;
  g_autofree char *inherited = NULL;
  g_autofree char *limit = NULL;

  if (point >= self->points->len)
    return NULL;

  item = g_list_model_get_item (assay_compare_activity_get_rows (get_compare_activity (self)),
                                point);
  if (item == NULL)
    return NULL;

  own = assay_ui_format_ulp (assay_compare_item_get_error (item));
  inherited = assay_ui_format_ulp (assay_compare_item_get_inherited (item));
  limit = assay_ui_format_ulp (assay_compare_item_get_limit (item));
  return g_strdup_printf (
      "%s %s\n%s %s unit%s, inherited %s, limit %s", assay_compare_item_get_op_type (item),
      assay_compare_item_get_place (item), assay_compare_item_has_own (item) ? "own" : "total", own,
      assay_plural_of (own), inherited, limit);
}

static void
draw_histogram (AssayDisplayList *list, double width, double height, gpointer data)
{
  AssayCompareItem *item = get_selected (data);

  if (item != NULL)
    assay_comparison_scene_draw_histogram (assay_compare_item_get_stats (item), width, height,
                                           list);
}

/* What is known of the selected row beyond its numbers, while there is a whole comparison. */
static const AssayComparisonRow *
get_selected_row (AssayComparePage *self)
{
  AssayCompareItem *item = get_selected (self);
  const AssayComparison *comparison = assay_compare_activity_get_comparison (
      get_compare_activity (self));

  return item != NULL && comparison != NULL &&
                 assay_compare_item_get_index (item) < comparison->rows->len
             ? assay_comparison_row (comparison, assay_compare_item_get_index (item))
             : NULL;
}

static void
draw_steps (AssayDisplayList *list, double width, double height, gpointer data)
{
  const AssayComparisonRow *row = get_selected_row (data);

  if (row != NULL)
    assay_comparison_scene_draw_steps (
        row, assay_compare_activity_get_comparison (get_compare_activity (data))->n_steps, width,
        height, list);
}

/* Detail. */

/* What stands in memory: the number of steps where numbers are such. */
static char *
describe_bits (double value, const AssayCompareStats *stats)
{
  float single = (float) value;
  guint32 bits;

  if (stats->grid > 0)
    return g_strdup_printf ("%.0f", value / stats->grid);
  memcpy (&bits, &single, sizeof bits);
  return stats->precision == ASSAY_COMPARE_BF16
             ? g_strdup_printf ("0x%04x", assay_bf16_from_f32 (single))
             : g_strdup_printf ("0x%08x", bits);
}

/* Beside charts these give way to it: half of a number is none. The first rows are seen without
 * scrolling. */
static void
update_elements (AssayComparePage *self)
{
  GtkTextIter start, end;
  g_autofree char *text = NULL;
  g_autoptr (PangoLayout) layout = NULL;
  int width, height, n_lines;

  gtk_text_buffer_get_bounds (gtk_text_view_get_buffer (self->worst), &start, &end);
  text = gtk_text_iter_get_text (&start, &end);
  layout = gtk_widget_create_pango_layout (GTK_WIDGET (self->worst), text);
  pango_layout_get_pixel_size (layout, &width, &height);
  n_lines = pango_layout_get_line_count (layout);
  width += gtk_text_view_get_left_margin (self->worst) +
           gtk_text_view_get_right_margin (self->worst);
  gtk_scrolled_window_set_min_content_width (self->elements,
                                             self->wide ? MAX (width, ELEMENTS) : ELEMENTS);
  gtk_scrolled_window_set_min_content_height (
      self->elements, height * MIN (n_lines, FIRST_LINES) / MAX (n_lines, 1) +
                          gtk_text_view_get_top_margin (self->worst));
}

static char *
list_worst (const AssayCompareStats *stats)
{
  GString *text;

  if (stats->n_worst == 0 && stats->n_different > 0)
    return g_strdup ("The session file does not keep the worst elements of this tensor; compare "
                     "again to see them.");

  if (stats->n_worst == 0)
    return g_strdup ("No element differs.");

  text = g_string_new (NULL);
  g_string_append_printf (text, "%8s %14s %14s %10s %10s %9s", "index", "A", "B",
                          stats->grid > 0 ? "A counts" : "bits of A",
                          stats->grid > 0 ? "B counts" : "bits of B",
                          assay_compare_unit_name (stats));

  for (guint i = 0; i < stats->n_worst; i++)
    {
      const AssayCompareElement *element = &stats->worst[i];
      g_autofree char *a = describe_bits (element->a, stats);
      g_autofree char *b = describe_bits (element->b, stats);

      g_string_append_printf (text,
                              "\n%8" G_GSIZE_FORMAT " %14.7g %14.7g %10s %10s %9" G_GUINT64_FORMAT,
                              element->index, element->a, element->b, a, b, element->distance);
    }

  return g_string_free (text, FALSE);
}

/* What the difference is, and what that means. */
static char *
explain (AssayCompareItem *item)
{
  const char *lean = assay_compare_item_get_bias (item) > 0 ? "upward" : "downward";
  g_autofree char *error = assay_ui_format_ulp (assay_compare_item_get_error (item));
  g_autofree char *limit = assay_ui_format_ulp (assay_compare_item_get_limit (item));
  g_autofree char *inherited = assay_ui_format_ulp (assay_compare_item_get_inherited (item));
  g_autofree char *total = assay_ui_format_ulp (assay_compare_item_get_total (item));

  switch (assay_compare_item_get_divergence (item))
    {
    case ASSAY_DIVERGENCE_EXACT:
      return g_strdup ("Equal to the bit.");
    case ASSAY_DIVERGENCE_ROUNDING:
      return g_strdup_printf (
          "Within rounding: %s of the %s unit%s that its sums and formats allow.", error, limit,
          assay_plural_of (limit));
    case ASSAY_DIVERGENCE_BIASED:
      return g_strdup_printf (
          "Biased: %s of %s unit%s, but nearly all of it %s; such errors add up.", error, limit,
          assay_plural_of (limit), lean);
    case ASSAY_DIVERGENCE_AMPLIFIED:
      return g_strdup_printf (
          "Amplified: it magnifies the %s unit%s that came in %.2g times, to %s; its own are %s of "
          "%s.",
          inherited, assay_plural_of (inherited), assay_compare_item_get_factor (item), total,
          error, limit);
    case ASSAY_DIVERGENCE_BEYOND:
      return g_strdup_printf (
          assay_compare_item_has_own (item)
              ? "Beyond rounding: on equal inputs it is %s unit%s off, limit %s%s%s."
              : "Beyond rounding: %s unit%s off with all that came in, limit %s%s%s.",
          error, assay_plural_of (error), limit,
          assay_compare_item_get_bias (item) != 0 ? ", nearly all of it " : "",
          assay_compare_item_get_bias (item) != 0 ? lean : "");
    case ASSAY_DIVERGENCE_NOT_COMPARED:
    case ASSAY_N_DIVERGENCES:
    default:
      return g_strdup_printf ("Not compared: %s.", assay_compare_item_get_note (item) != NULL
                                                       ? assay_compare_item_get_note (item)
                                                       : "not seen in both runs");
    }
}

/* Where there is not room for all, what was asked for goes before the errors along the program. */
static void
update_detail_shown (AssayComparePage *self)
{
  gboolean shown = get_selected (self) != NULL && !self->closed && (self->opened || self->taller);

  gtk_widget_set_visible (self->detail, shown);
  gtk_widget_set_visible (GTK_WIDGET (self->errors), self->tall && (!shown || self->taller));
}

/* Of the selected row. */
static void
update_causes (AssayComparePage *self)
{
  AssayCompareItem *item = get_selected (self);

  assay_cause_note_set_index (self->causes,
                              item != NULL ? assay_compare_item_get_index (item) : G_MAXUINT);
}

static void
ask_for_causes (AssayComparePage *self)
{
  AssayCompareItem *item = get_selected (self);

  if (item != NULL)
    assay_cause_search_ask (assay_session_get_cause_search (self->session),
                            assay_compare_item_get_index (item));
}

/* What rounding can make of a tensor and what its limit follows from, with a space behind each. */
static char *
dup_bounds (const AssayComparisonRow *row)
{
  g_autofree char *bounds = row != NULL ? assay_compare_report_bounds (row) : g_strdup ("");
  g_autofree char *limit = row != NULL ? assay_compare_report_limit (row) : g_strdup ("");

  return g_strconcat (bounds, *bounds != '\0' ? " " : "", limit, *limit != '\0' ? " " : "", NULL);
}

static void
update_detail (AssayComparePage *self)
{
  AssayCompareItem *item = get_selected (self);
  const AssayCompareStats *stats;
  g_autofree char *title = NULL;
  g_autofree char *facts = NULL;
  g_autofree char *shown = NULL;
  g_autofree char *zeros = NULL;
  g_autofree char *count = NULL;
  g_autofree char *meaning = NULL;
  g_autofree char *step = NULL;
  g_autofree char *worst = NULL;
  g_autofree char *bounds = NULL;
  g_autofree char *growth = NULL;
  const AssayComparisonRow *row = get_selected_row (self);

  update_detail_shown (self);
  update_causes (self);
  assay_picture_redraw (self->histogram);
  assay_picture_redraw (self->steps);
  assay_picture_redraw (self->errors);
  gtk_widget_set_visible (GTK_WIDGET (self->steps), row != NULL && row->n_spans > 1);
  gtk_widget_set_visible (self->values_button, item != NULL);
  gtk_widget_set_sensitive (self->values_button,
                            item != NULL && assay_compare_item_get_note (item) == NULL &&
                                assay_compare_activity_can_start (get_compare_activity (self)));
  if (item == NULL)
    {
      gtk_label_set_label (self->detail_title, "");
      gtk_label_set_label (self->detail_facts, "");
      gtk_text_buffer_set_text (gtk_text_view_get_buffer (self->worst), "", 0);
      return;
    }

  stats = assay_compare_item_get_stats (item);
  title = g_strdup_printf ("%s %s", assay_compare_item_get_op_type (item),
                           assay_compare_item_get_name (item));
  count = assay_ui_format_count (stats->n);
  zeros = assay_ui_format_share (stats->histogram[0], MAX (stats->n, 1));
  if (assay_compare_item_get_step (item) >= 0)
    step = g_strdup_printf (", worst at timestep %" G_GINT64_FORMAT,
                            assay_compare_item_get_step (item));
  meaning = explain (item);
  bounds = dup_bounds (row);
  growth = row != NULL ? assay_compare_report_steps (row) : g_strdup ("");
  facts = assay_compare_item_get_note (item) != NULL
              ? g_strdup (meaning)
              : g_strdup_printf ("%s %s%s of the elements are equal, of %s%s.%s%s", meaning, bounds,
                                 zeros, count, step != NULL ? step : "", *growth != '\0' ? " " : "",
                                 growth);
  shown = assay_sentence_dup_shown (facts);
  worst = list_worst (stats);
  gtk_label_set_label (self->detail_title, title);
  gtk_label_set_label (self->detail_facts, shown);
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (self->worst), worst, -1);
  update_elements (self);
}

static void
open_detail (AssayComparePage *self)
{
  self->opened = TRUE;
  self->closed = FALSE;
  ask_for_causes (self);
  update_detail (self);
}

/* By Enter and a double click. */
static void
activated_cb (AssayComparePage *self)
{
  open_detail (self);
}

/* A click changes nothing of the row that is selected already, as the worst is from the start. */
static void
pressed_cb (AssayComparePage *self, int n_press, double x, double y)
{
  GtkWidget *table = GTK_WIDGET (self->table);
  GtkWidget *row = gtk_widget_pick (table, x, y, GTK_PICK_DEFAULT);

  while (row != NULL && row != table && !g_str_equal (gtk_widget_get_css_name (row), "row"))
    row = gtk_widget_get_parent (row);
  if (row != NULL && row != table &&
      (gtk_widget_get_state_flags (row) & GTK_STATE_FLAG_SELECTED) != 0)
    open_detail (self);
}

static void
selected_cb (AssayComparePage *self)
{
  AssayCompareItem *item = get_selected (self);
  gboolean other = assay_columns_selects_other (self->selection);

  if (!self->choosing && other)
    open_detail (self);
  else
    update_detail (self);
  if (item != NULL && *assay_compare_item_get_node_name (item) != '\0')
    assay_session_select_name (self->session, assay_compare_item_get_node_name (item));
}

static void
close_detail_cb (AssayComparePage *self)
{
  self->opened = FALSE;
  self->closed = TRUE;
  update_detail_shown (self);
  gtk_widget_grab_focus (GTK_WIDGET (self->table));
}

/* The values of the selected tensor on both sides. */

static void
show_trouble (AssayComparePage *self, const GError *error)
{
  g_autofree char *text = g_strdup_printf ("Not read: %s", error->message);

  if (!g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED) &&
      !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    assay_ui_toast (GTK_WIDGET (self), text);
}

typedef struct
{
  AssayComparePage *page;
  char *name;
  double step;
} Asking;

static void
asking_free (Asking *self)
{
  g_object_unref (self->page);
  g_free (self->name);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Asking, asking_free)

static void
values_read_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (Asking) asking = user_data;
  AssayComparePage *self = asking->page;
  g_autoptr (AssayTensor) a = NULL;
  g_autoptr (AssayTensor) b = NULL;
  g_autoptr (GError) error = NULL;
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  const char *labels[N_SIDES];
  GtkWidget *window;

  if (!assay_compare_activity_read_finish (ASSAY_COMPARE_ACTIVITY (object), result, &a, &b, &error))
    {
      show_trouble (self, error);
      return;
    }
  if (!GTK_IS_WINDOW (root) || !gtk_widget_get_visible (GTK_WIDGET (root)))
    return;

  for (guint i = 0; i < N_SIDES; i++)
    labels[i] = assay_runner_kind_find (
                    assay_compare_activity_get_runner (get_compare_activity (self), i), NULL)
                    ->label;
  window = assay_tensor_window_new (GTK_WINDOW (root), asking->name, a);
  assay_tensor_window_set_other (ASSAY_TENSOR_WINDOW (window), b, asking->step, labels[0],
                                 labels[1]);
  gtk_window_present (GTK_WINDOW (window));
}

static void
show_values_cb (AssayComparePage *self)
{
  AssayCompareItem *item = get_selected (self);
  Asking *asking;

  if (item == NULL || !assay_compare_activity_can_start (get_compare_activity (self)))
    return;

  asking = g_new0 (Asking, 1);
  asking->page = g_object_ref (self);
  asking->name = g_strdup (assay_compare_item_get_name (item));
  asking->step = assay_compare_item_get_stats (item)->step;
  assay_compare_activity_read_async (get_compare_activity (self), asking->name, values_read_cb,
                                     asking);
}

/* What there is to say. */

/* What a headline says in one line: of a longer one the second half stands below it, as a sentence
 * of its own with a space behind. */
static char *
split_headline (char *headline)
{
  char *rest = g_utf8_strlen (headline, -1) > HEADLINE_CHARS ? strstr (headline, "; ") : NULL;
  g_autofree char *closed = NULL;

  if (rest == NULL)
    return NULL;

  *rest = '\0';
  rest[2] = g_ascii_toupper (rest[2]);
  closed = assay_sentence_dup_closed (rest + 2);
  return g_strconcat (closed, " ", NULL);
}

static void
update_strip (AssayComparePage *self)
{
  AssayCompareActivity *comparing = get_compare_activity (self);
  AssayActivityState state = assay_activity_get_state (ASSAY_ACTIVITY (comparing));
  const AssayComparison *comparison = assay_compare_activity_get_comparison (comparing);
  const GError *error = assay_activity_get_error (ASSAY_ACTIVITY (comparing));
  g_autofree char *sentence = NULL;
  g_autofree char *unobserved = NULL;
  g_autofree char *headline = NULL;
  g_autofree char *about = NULL;
  g_autofree char *note = NULL;
  g_autofree char *count = NULL;
  g_autofree char *steps = NULL;

  if (error != NULL && comparison == NULL)
    {
      note = assay_sentence_new (error->message);
      assay_ui_describe (self->failure, note);
      return;
    }
  if (state == ASSAY_ACTIVITY_RUNNING)
    {
      guint n = g_list_model_get_n_items (assay_compare_activity_get_rows (comparing));

      note = g_strdup_printf (n == 1 ? "%u tensor so far" : "%u tensors so far", n);
      assay_compare_strip_set_words (self->strip, "content-loading-symbolic", "Comparing", note);
      return;
    }
  if (comparison == NULL)
    return;

  sentence = assay_compare_report_headline (comparison);
  unobserved = assay_compare_report_unobserved (comparison);
  headline = assay_sentence_dup_shown (sentence);
  about = split_headline (headline);
  count = assay_ui_format_count ((guint64) comparison->n_steps);
  steps = comparison->n_steps > 1 ? g_strdup_printf (", %s timesteps", count) : g_strdup ("");
  if (error != NULL)
    {
      g_autofree char *why = assay_sentence_dup_closed (error->message);

      note = g_strdup_printf (
          "○ The last comparison did not end: %s This is the one before: %s with %s", why,
          comparison->label_b, comparison->label_a);
    }
  else
    note = g_strdup_printf (
        "%s%s%s%s%s with %s, %u tensor%s%s%s",
        state == ASSAY_ACTIVITY_STALE ? "○ Not of what is chosen now. " : "", unobserved,
        *unobserved != '\0' ? " " : "", about != NULL ? about : "", comparison->label_b,
        comparison->label_a, comparison->rows->len, assay_plural (comparison->rows->len), steps,
        comparison->own_inputs_of_b ? "; own errors are measured on the inputs of B" : "");
  assay_compare_strip_set_words (self->strip, "", headline, note);
  assay_compare_strip_set_comparison (self->strip, comparison);
}

static void
update_points (AssayComparePage *self)
{
  const AssayComparison *comparison = assay_compare_activity_get_comparison (
      get_compare_activity (self));

  g_array_set_size (self->points, 0);
  for (guint i = 0; comparison != NULL && i < comparison->rows->len; i++)
    {
      const AssayComparisonRow *row = assay_comparison_row (comparison, i);
      AssayErrorPoint point = { assay_comparison_row_error (row), row->inherited, row->limit,
                                row->certified, assay_comparison_row_divergence (row) };

      g_array_append_val (self->points, point);
    }
  assay_picture_redraw (self->errors);
}

/* GTK 4.8 has this action and no function. */
static void
reveal_row (AssayComparePage *self, guint position)
{
  gtk_widget_activate_action (gtk_widget_get_last_child (GTK_WIDGET (self->table)),
                              "list.scroll-to-item", "u", position);
}

static void
select_row (AssayComparePage *self, int index)
{
  GListModel *rows = G_LIST_MODEL (self->selection);

  for (guint i = 0; i < g_list_model_get_n_items (rows); i++)
    {
      g_autoptr (AssayCompareItem) item = g_list_model_get_item (rows, i);

      if ((int) assay_compare_item_get_index (item) != index)
        continue;
      gtk_single_selection_set_selected (self->selection, i);
      reveal_row (self, i);
    }
}

/* The worst is what there is to look at first. */
static void
select_first (AssayComparePage *self, const AssayComparison *comparison)
{
  self->choosing = TRUE;
  select_row (self,
              comparison->first_divergent >= 0 ? comparison->first_divergent : comparison->worst);
  self->choosing = FALSE;
}

static void
row_wanted_cb (AssayComparePage *self, int index)
{
  select_row (self, index);
  open_detail (self);
}

static void
state_changed_cb (AssayComparePage *self)
{
  AssayCompareActivity *comparing = get_compare_activity (self);
  AssayActivityState state = assay_activity_get_state (ASSAY_ACTIVITY (comparing));
  const AssayComparison *comparison = assay_compare_activity_get_comparison (comparing);
  gboolean ready = assay_compare_activity_can_start (comparing) ||
                   assay_compilation_get_program (assay_session_get_compilation (self->session)) !=
                       NULL;

  update_strip (self);
  update_points (self);
  for (guint i = 0; i < G_N_ELEMENTS (self->cost_columns); i++)
    assay_column_fit_set_wanted (self->table, self->cost_columns[i],
                                 comparison != NULL && comparison->has_costs);
  gtk_stack_set_visible_child_name (self->stack, ready || comparison != NULL ? "compare" : "empty");
  gtk_stack_set_visible_child_name (
      self->body, state == ASSAY_ACTIVITY_NONE                           ? "nothing"
                  : state == ASSAY_ACTIVITY_FAILED && comparison == NULL ? "failed"
                                                                         : "result");
  if (state == ASSAY_ACTIVITY_READY)
    select_first (self, comparison);
  update_detail (self);
}

static void
rows_changed_cb (AssayComparePage *self)
{
  if (assay_activity_get_state (ASSAY_ACTIVITY (get_compare_activity (self))) ==
      ASSAY_ACTIVITY_RUNNING)
    update_strip (self);
}

/* What is compared. */

static void
fill_runners (AssayComparePage *self)
{
  g_autoptr (GtkStringList) labels = gtk_string_list_new (NULL);
  const AssayRunnerKind *kind;

  for (guint i = 0; (kind = assay_session_get_runner_choice (self->session, i)) != NULL; i++)
    gtk_string_list_append (labels, kind->label);
  self->syncing = TRUE;
  gtk_drop_down_set_model (self->side_a, G_LIST_MODEL (labels));
  gtk_drop_down_set_model (self->side_b, G_LIST_MODEL (labels));
  self->syncing = FALSE;
}

static char *
find_test_set (AssayComparePage *self)
{
  const char *path = assay_document_get_path (assay_session_get_document (self->session));

  return path != NULL ? assay_input_choice_find_test_set (
                            assay_run_get_inputs (assay_session_get_run (self->session)), path)
                      : NULL;
}

static void
test_set_cb (AssayComparePage *self)
{
  AssayRun *run = assay_session_get_run (self->session);
  g_autofree char *folder = find_test_set (self);
  g_autoptr (AssayInputChoice) inputs = assay_input_choice_copy (assay_run_get_inputs (run));
  g_autoptr (GArray) ports = assay_run_list_inputs (run);

  if (folder == NULL)
    return;

  assay_input_choice_take_test_set (inputs, folder, (const AssayRunPort *) (gpointer) ports->data,
                                    ports->len);
  assay_run_set_inputs (run, inputs);
}

static void
sync_setting (AssayComparePage *self)
{
  GtkDropDown *sides[N_SIDES] = { self->side_a, self->side_b };
  const AssayInputChoice *choice = assay_run_get_inputs (assay_session_get_run (self->session));
  g_autofree char *described = assay_input_choice_describe (choice);
  g_autofree char *expected = assay_input_choice_dup_expected (choice);
  g_autofree char *inputs = g_strdup_printf (expected != NULL ? "%s, with its outputs" : "%s",
                                             described);
  const char *tolerance = assay_compare_activity_get_tolerance (get_compare_activity (self));
  g_autofree char *name = tolerance != NULL ? g_filename_display_basename (tolerance)
                                            : g_strdup ("default");
  g_autofree char *test_set = find_test_set (self);
  const AssayRunnerKind *kind;

  self->syncing = TRUE;
  for (guint side = 0; side < N_SIDES; side++)
    for (guint i = 0; (kind = assay_session_get_runner_choice (self->session, i)) != NULL; i++)
      if (kind == assay_runner_kind_find (
                      assay_compare_activity_get_runner (get_compare_activity (self), side), NULL))
        gtk_drop_down_set_selected (sides[side], i);
  self->syncing = FALSE;
  gtk_label_set_label (self->inputs_label, inputs);
  gtk_widget_set_visible (self->test_button, test_set != NULL);
  gtk_label_set_label (self->tolerance_label, name);
}

static void
target_changed_cb (AssayComparePage *self)
{
  fill_runners (self);
  sync_setting (self);
}

static void
side_changed_cb (AssayComparePage *self)
{
  GtkDropDown *sides[N_SIDES] = { self->side_a, self->side_b };

  if (self->session == NULL || self->syncing)
    return;

  for (guint side = 0; side < N_SIDES; side++)
    {
      const AssayRunnerKind *kind = assay_session_get_runner_choice (
          self->session, gtk_drop_down_get_selected (sides[side]));

      if (kind != NULL)
        assay_compare_activity_set_runner (get_compare_activity (self), side, kind->name);
    }
}

static void
enter_cb (AssayComparePage *self)
{
  assay_compare_activity_set_paused (get_compare_activity (self), TRUE);
}

static void
leave_cb (AssayComparePage *self)
{
  assay_compare_activity_set_paused (get_compare_activity (self), FALSE);
}

/* Room. */

static gboolean
size_idle_cb (gpointer data)
{
  AssayComparePage *self = data;

  self->idle = 0;
  gtk_orientable_set_orientation (self->detail_parts, self->wide ? GTK_ORIENTATION_HORIZONTAL
                                                                 : GTK_ORIENTATION_VERTICAL);
  update_elements (self);
  update_detail_shown (self);
  return G_SOURCE_REMOVE;
}

static gboolean
reveal_idle_cb (gpointer data)
{
  AssayComparePage *self = data;
  guint position = gtk_single_selection_get_selected (self->selection);

  self->reveal = 0;
  if (gtk_widget_get_visible (self->detail) && position != GTK_INVALID_LIST_POSITION)
    reveal_row (self, position);
  return G_SOURCE_REMOVE;
}

/* The row whose detail is open stays in sight as the table gets smaller. */
static void
height_changed_cb (AssayComparePage *self)
{
  if (self->reveal == 0)
    self->reveal = g_idle_add_full (GDK_PRIORITY_REDRAW + 10, reveal_idle_cb, self, NULL);
}

static void
assay_compare_page_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  AssayComparePage *self = ASSAY_COMPARE_PAGE (widget);

  gboolean wide = width >= WIDE * assay_ui_get_text_scale (widget);

  gtk_widget_allocate (GTK_WIDGET (self->stack), width, height, baseline, NULL);
  if (self->wide == wide && self->tall == (height >= TALL) && self->taller == (height >= TALLER))
    return;

  self->wide = wide;
  self->tall = height >= TALL;
  self->taller = height >= TALLER;
  if (self->idle == 0)
    self->idle = g_idle_add (size_idle_cb, self);
}

static void
assay_compare_page_measure (GtkWidget *widget, GtkOrientation orientation, int for_size,
                            int *minimum, int *natural, int *minimum_baseline,
                            int *natural_baseline)
{
  /* Wrapped text has its least width where its height does not matter. */
  gtk_widget_measure (GTK_WIDGET (ASSAY_COMPARE_PAGE (widget)->stack), orientation,
                      orientation == GTK_ORIENTATION_HORIZONTAL ? -1 : for_size, minimum, natural,
                      NULL, NULL);
}

static gboolean
assay_compare_page_grab_focus (GtkWidget *widget)
{
  AssayComparePage *self = ASSAY_COMPARE_PAGE (widget);

  return assay_ui_focus_part (widget, self->body, "result", GTK_WIDGET (self->table));
}

static void
assay_compare_page_dispose (GObject *object)
{
  AssayComparePage *self = ASSAY_COMPARE_PAGE (object);

  g_clear_handle_id (&self->idle, g_source_remove);
  g_clear_handle_id (&self->reveal, g_source_remove);
  if (self->selection != NULL)
    {
      g_signal_handlers_disconnect_by_data (self->selection, self);
      g_signal_handlers_disconnect_by_data (
          assay_compare_activity_get_rows (get_compare_activity (self)), self);
    }
  if (self->errors != NULL)
    {
      assay_picture_set_functions (self->errors, NULL, NULL, NULL);
      assay_picture_set_functions (self->histogram, NULL, NULL, NULL);
      assay_picture_set_functions (self->steps, NULL, NULL, NULL);
    }
  gtk_widget_dispose_template (GTK_WIDGET (self), ASSAY_TYPE_COMPARE_PAGE);
  g_clear_object (&self->selection);
  g_clear_pointer (&self->points, g_array_unref);
  g_clear_object (&self->session);

  G_OBJECT_CLASS (assay_compare_page_parent_class)->dispose (object);
}

static void
assay_compare_page_class_init (AssayComparePageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_compare_page_dispose;
  widget_class->grab_focus = assay_compare_page_grab_focus;
  widget_class->size_allocate = assay_compare_page_size_allocate;
  widget_class->measure = assay_compare_page_measure;

  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  g_type_ensure (ASSAY_TYPE_CAUSE_NOTE);
  g_type_ensure (ASSAY_TYPE_COMPARE_STRIP);
  ASSAY_BIND_TEMPLATE (klass, AssayComparePage, "assay-compare-page", stack, empty_page, side_a,
                       side_b, inputs_label, test_button, tolerance_label, deploy_panel, body,
                       strip, failure, table, detail, detail_parts, detail_title, detail_facts,
                       causes, values_button, histogram, steps, elements, worst, errors);
  gtk_widget_class_bind_template_callback (widget_class, show_values_cb);
  gtk_widget_class_bind_template_callback (widget_class, side_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, close_detail_cb);
  gtk_widget_class_bind_template_callback (widget_class, activated_cb);
  gtk_widget_class_bind_template_callback (widget_class, pressed_cb);
  gtk_widget_class_bind_template_callback (widget_class, row_wanted_cb);
  gtk_widget_class_bind_template_callback (widget_class, test_set_cb);
}

static void
assay_compare_page_init (AssayComparePage *self)
{
  self->points = g_array_new (FALSE, FALSE, sizeof (AssayErrorPoint));
  gtk_widget_init_template (GTK_WIDGET (self));
  assay_picture_set_minimum (self->errors, 320, 120);
  assay_picture_set_minimum (self->histogram, 260, 84);
  assay_picture_set_functions (self->errors, draw_errors, describe_error, self);
  assay_picture_set_functions (self->histogram, draw_histogram, NULL, self);
  assay_picture_set_minimum (self->steps, 220, 84);
  assay_picture_set_functions (self->steps, draw_steps, NULL, self);
  g_signal_connect_object (gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (self->table)),
                           "notify::page-size", G_CALLBACK (height_changed_cb), self,
                           G_CONNECT_SWAPPED);
}

static void
add_table (AssayComparePage *self)
{
  GtkEventController *motion = gtk_event_controller_motion_new ();

  self->selection = assay_columns_set_rows (
      self->table, assay_compare_activity_get_rows (get_compare_activity (self)));
  for (guint i = 0; i < N_COLUMNS; i++)
    {
      GtkColumnViewColumn *column = assay_columns_add (self->table, &columns[i], i, dup_cell,
                                                       compare_cells);

      if (is_cost (i))
        {
          self->cost_columns[i - COLUMN_FLOAT_OWN] = column;
          assay_column_fit_set_wanted (self->table, column, FALSE);
        }
      if (i == COLUMN_DIFFERENCE)
        gtk_column_view_sort_by_column (self->table, column, GTK_SORT_DESCENDING);
    }
  g_signal_connect_swapped (self->selection, "notify::selected-item", G_CALLBACK (selected_cb),
                            self);
  g_signal_connect_swapped (motion, "enter", G_CALLBACK (enter_cb), self);
  g_signal_connect_swapped (motion, "leave", G_CALLBACK (leave_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self->table), motion);
}

static void
assay_compare_page_set_session (AssayPage *page, AssaySession *session)
{
  AssayComparePage *self = ASSAY_COMPARE_PAGE (page);
  AssayCompareActivity *comparing = assay_session_get_compare_activity (session);

  g_set_object (&self->session, session);
  assay_program_page_set_session (self->empty_page, session);
  assay_deploy_panel_set_session (self->deploy_panel, session);
  assay_cause_note_set_session (self->causes, session);
  add_table (self);
  g_signal_connect_object (comparing, "notify::state", G_CALLBACK (state_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (comparing, "notify::setting", G_CALLBACK (sync_setting), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (comparing, "notify::setting", G_CALLBACK (state_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::verdicts", G_CALLBACK (target_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (assay_compare_activity_get_rows (comparing), "items-changed",
                           G_CALLBACK (rows_changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (assay_session_get_run (session), "notify::inputs",
                           G_CALLBACK (sync_setting), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (assay_session_get_compilation (session), "notify::state",
                           G_CALLBACK (state_changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (assay_session_get_compilation (session), "notify::state",
                           G_CALLBACK (sync_setting), self, G_CONNECT_SWAPPED);
  target_changed_cb (self);
  state_changed_cb (self);
}

static void
assay_compare_page_page_init (AssayPageInterface *iface)
{
  iface->set_session = assay_compare_page_set_session;
}
