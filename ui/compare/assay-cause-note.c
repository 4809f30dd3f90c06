/* assay-cause-note.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/compare/assay-cause-note.h"

#include "base/assay-sentence.h"
#include "report/assay-compare-report.h"

#include "ui/window/assay-ui.h"

/* Causes that are told one by one; of those that do as well there may be dozens. */
#define MAX_SHOWN 3u

struct _AssayCauseNote
{
  GtkWidget parent_instance;

  AssaySession *session;
  guint index; /* of the row of its comparison */
  GtkWidget *label;
};

G_DEFINE_FINAL_TYPE (AssayCauseNote, assay_cause_note, GTK_TYPE_WIDGET)

/* An empty name is that of the node that makes the tensor. */
static void
append_cause (GString *text, const AssayComparisonRow *row, const AssayDivergenceCause *cause)
{
  const char *node = *cause->node != '\0' ? cause->node : row->node_name;
  g_autofree char *name = g_markup_escape_text (node, -1);
  g_autofree char *kind = g_markup_escape_text (cause->kind, -1);
  g_autofree char *sentence = g_markup_escape_text (cause->sentence, -1);
  g_autofree char *before = assay_ui_format_ulp (cause->before);
  g_autofree char *after = assay_ui_format_ulp (cause->after);
  g_autofree char *remedy = assay_divergence_cause_dup_remedy (cause);
  g_autofree char *escaped = g_markup_escape_text (remedy, -1);

  g_string_append (text, "\n•\u00a0");
  if (*name != '\0')
    g_string_append_printf (text, "<a href=\"%s\" title=\"Select the node\">%s</a>: ", name, name);
  g_string_append_printf (text, "%s (%s; %s unit%s off, %s without it)", sentence, kind, before,
                          assay_plural_of (before), after);
  if (*remedy != '\0')
    g_string_append_printf (text, "; %s", escaped);
}

static void
append_causes (GString *text, const AssayComparisonRow *row)
{
  g_autofree char *trials = assay_ui_format_count (row->n_trials);
  guint n = row->causes->len;

  if (n == 0)
    {
      g_string_append_printf (text, "Tried %s way%s, and none explains it.", trials,
                              assay_plural (row->n_trials));
      return;
    }

  g_string_append_printf (text, "What explains it, of %s way%s tried:", trials,
                          assay_plural (row->n_trials));
  for (guint i = 0; i < MIN (n, MAX_SHOWN); i++)
    append_cause (text, row, g_ptr_array_index (row->causes, i));
  if (n > MAX_SHOWN)
    g_string_append_printf (text, "\nand %u more that do about as well.", n - MAX_SHOWN);
}

static void
append_reasons (GString *text, const GArray *reasons)
{
  g_string_append_printf (text,
                          "%sElements that differ on the same inputs: ", text->len > 0 ? "\n" : "");
  for (guint i = 0; i < reasons->len; i++)
    {
      const AssayComparisonReason *reason = &g_array_index (reasons, AssayComparisonReason, i);
      g_autofree char *count = assay_ui_format_count (reason->n);
      g_autofree char *rule = g_markup_escape_text (reason->rule, -1);
      gboolean open = g_str_equal (reason->rule, ASSAY_COMPARISON_UNEXPLAINED);

      g_string_append_printf (text, "%s%s%s%s", i > 0 ? ", " : "", count, open ? " " : " by ",
                              rule);
    }
  g_string_append_c (text, '.');
}

static void
append_cost (GString *text, const AssayQuantizeLoss *cost)
{
  g_autofree char *gain = assay_compare_report_describe_gain (cost);

  g_string_append_printf (text,
                          "%sAgainst float, at position %d: %.1f dB by itself, %.1f dB with what "
                          "comes in%s%s.",
                          text->len > 0 ? "\n" : "", cost->position, cost->own_db, cost->total_db,
                          gain != NULL ? "; " : "", gain != NULL ? gain : "");
}

/* What is known of causes that were not tried; a node has a name. */
static void
append_status (GString *text, const char *status, gboolean can_try)
{
  g_autofree char *escaped = g_markup_escape_text (status != NULL ? status : "", -1);

  g_string_append (text, escaped);
  if (can_try)
    g_string_append_printf (text,
                            "%s<a href=\"\" title=\"Run what is behind it again, each time another "
                            "way\">Try Causes</a>",
                            text->len > 0 ? " " : "");
}

static gboolean
activate_link_cb (AssayCauseNote *self, const char *node)
{
  if (self->session != NULL && *node == '\0')
    assay_cause_search_start (assay_session_get_cause_search (self->session), self->index);
  else if (self->session != NULL)
    assay_session_select_name (self->session, node);

  return TRUE;
}

/* Why the row differs, or what keeps that from being known. */
static void
update (AssayCauseNote *self)
{
  AssayCauseSearch *search = assay_session_get_cause_search (self->session);
  const AssayComparison *comparison = assay_compare_activity_get_comparison (
      assay_session_get_compare_activity (self->session));
  gboolean is_its = self->index == assay_cause_search_get_row (search);
  gboolean running = is_its &&
                     assay_activity_get_state (ASSAY_ACTIVITY (search)) == ASSAY_ACTIVITY_RUNNING;
  const GError *error = is_its ? assay_activity_get_error (ASSAY_ACTIVITY (search)) : NULL;
  g_autofree char *why = error != NULL ? assay_sentence_dup_closed (error->message) : NULL;
  g_autofree char *trouble = why != NULL ? g_strconcat ("Causes not tried: ", why, NULL) : NULL;

  assay_cause_note_set_row (self,
                            comparison != NULL && self->index < comparison->rows->len
                                ? assay_comparison_row (comparison, self->index)
                                : NULL,
                            running ? "Trying causes…" : trouble,
                            !running && assay_cause_search_can_start (search, self->index));
}

static void
assay_cause_note_dispose (GObject *object)
{
  AssayCauseNote *self = ASSAY_CAUSE_NOTE (object);

  g_clear_pointer (&self->label, gtk_widget_unparent);
  if (self->session != NULL)
    g_signal_handlers_disconnect_by_data (assay_session_get_cause_search (self->session), self);
  g_clear_object (&self->session);

  G_OBJECT_CLASS (assay_cause_note_parent_class)->dispose (object);
}

static void
assay_cause_note_class_init (AssayCauseNoteClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_cause_note_dispose;

  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
assay_cause_note_init (AssayCauseNote *self)
{
  GtkLabel *label = GTK_LABEL (gtk_label_new (NULL));

  gtk_label_set_xalign (label, 0);
  gtk_label_set_wrap (label, TRUE);
  gtk_label_set_wrap_mode (label, PANGO_WRAP_WORD_CHAR);
  gtk_widget_add_css_class (GTK_WIDGET (label), "numeric");
  g_signal_connect_object (label, "activate-link", G_CALLBACK (activate_link_cb), self,
                           G_CONNECT_SWAPPED);
  self->index = G_MAXUINT;
  self->label = GTK_WIDGET (label);
  gtk_widget_set_parent (self->label, GTK_WIDGET (self));
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}

/**
 * assay_cause_note_set_session:
 * @self: a note
 * @session: a session, whose comparison and search are followed from now on
 *
 * Sets where what it tells comes from.
 */
void
assay_cause_note_set_session (AssayCauseNote *self, AssaySession *session)
{
  g_return_if_fail (self->session == NULL);

  self->session = g_object_ref (session);
  g_signal_connect_object (assay_session_get_cause_search (session), "notify::state",
                           G_CALLBACK (update), self, G_CONNECT_SWAPPED);
}

/**
 * assay_cause_note_set_index:
 * @self: a note with a session
 * @index: index of a row of the comparison, %G_MAXUINT for none
 *
 * Tells why a row of the comparison differs, as far as that is known by now and later.
 */
void
assay_cause_note_set_index (AssayCauseNote *self, guint index)
{
  self->index = index;
  update (self);
}

/**
 * assay_cause_note_set_row:
 * @self: a note
 * @row: (nullable): a tensor that was compared
 * @status: (nullable): where its causes were not tried, what there is to say of that
 * @can_try: whether somebody may ask for them
 *
 * Tells why a tensor differs.
 */
void
assay_cause_note_set_row (AssayCauseNote *self, const AssayComparisonRow *row, const char *status,
                          gboolean can_try)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (row != NULL && row->causes != NULL && row->n_trials > 0)
    append_causes (text, row);
  else if (row != NULL && row->causes != NULL && assay_comparison_row_differs (row))
    g_string_append (text, "None of the ways that there are to compute it otherwise applies.");
  else
    append_status (text, status, can_try);
  if (row != NULL && row->reasons != NULL)
    append_reasons (text, row->reasons);
  if (row != NULL && row->cost != NULL)
    append_cost (text, row->cost);
  gtk_label_set_markup (GTK_LABEL (self->label), text->str);
  gtk_widget_set_visible (GTK_WIDGET (self), text->len > 0);
}
