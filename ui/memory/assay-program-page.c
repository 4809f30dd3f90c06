/* assay-program-page.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/memory/assay-program-page.h"

#include "base/assay-error.h"
#include "base/assay-sentence.h"
#include "ui/window/assay-page.h"
#include "ui/window/assay-ui.h"
#include "ui/window/assay-ui-markup.h"
#include "ui/window/assay-template.h"

struct _AssayProgramPage
{
  GtkWidget parent_instance;

  AssaySession *session;
  char *topic;

  AdwStatusPage *status;
  GtkWidget *findings_button;
  GtkWidget *compile_button;
  GtkWidget *memory_button;
  GtkWidget *quantize_button;
  GtkWidget *model_button;
};

enum
{
  PROP_0,
  PROP_TOPIC,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AssayProgramPage, assay_program_page, GTK_TYPE_WIDGET)

/* The model could be compiled but for the room: the page says so before anything else. */
static gboolean
is_too_small (AssayCompilation *compilation)
{
  return compilation != NULL &&
         g_error_matches (assay_activity_get_error (ASSAY_ACTIVITY (compilation)), ASSAY_ERROR,
                          ASSAY_ERROR_ALLOCATION);
}

static void
update (AssayProgramPage *self)
{
  AssayVerdicts *verdicts = self->session != NULL ? assay_session_get_verdicts (self->session)
                                                  : NULL;
  AssayCompilation *compilation = self->session != NULL
                                      ? assay_session_get_compilation (self->session)
                                      : NULL;
  guint rejected = verdicts != NULL ? assay_verdicts_count (verdicts, ASSAY_VERDICT_REJECTED) : 0;
  guint undecided = verdicts != NULL ? assay_verdicts_count (verdicts, ASSAY_VERDICT_UNDECIDED) : 0;
  g_autofree char *nodes = assay_ui_format_nodes (rejected > 0 ? rejected : undecided);
  const AssayPageRow *row = assay_page_find (self->topic);
  g_autofree char *text = NULL;

  if (row == NULL)
    return;

  /* Where the host runs what is rejected, the room is what is missing. */
  if (rejected > 0 && !is_too_small (compilation))
    text = g_strdup_printf (
        "%s %s rejected by this target, so the model cannot be compiled for it. %s", nodes,
        assay_noun (rejected, "is", "are"), row->purpose);
  else if (undecided > 0 && !is_too_small (compilation))
    text = g_strdup_printf ("%s %s undecided: give the open dimensions a size in Setup. %s", nodes,
                            assay_noun (undecided, "is", "are"), row->purpose);
  else if (compilation != NULL && assay_activity_get_error (ASSAY_ACTIVITY (compilation)) != NULL)
    {
      g_autofree char *sentence = assay_sentence_new (
          assay_activity_get_error (ASSAY_ACTIVITY (compilation))->message);

      text = g_strdup_printf ("%s. %s", sentence, row->purpose);
    }
  else if (compilation != NULL && assay_compilation_get_reason (compilation) != NULL)
    text = g_strdup_printf ("%s %s", assay_compilation_get_reason (compilation), row->purpose);
  else
    text = g_strdup (row->purpose);

  adw_status_page_set_icon_name (self->status, row->icon);
  adw_status_page_set_title (self->status,
                             is_too_small (compilation) ? "Does Not Fit" : row->empty_title);
  assay_ui_describe (self->status, text);

  /* Compiled again it would fit no better: what fills the store is on its own page. */
  gtk_widget_set_visible (self->compile_button,
                          compilation != NULL && assay_compilation_can_start (compilation) &&
                              !is_too_small (compilation) &&
                              assay_compilation_get_program (compilation) == NULL);
  gtk_widget_set_visible (self->memory_button,
                          is_too_small (compilation) &&
                              assay_compilation_get_allocation (compilation) != NULL);
  /* A model in float that was compiled for a target of 8 bits, in vain. */
  gtk_widget_set_visible (
      self->quantize_button,
      compilation != NULL && assay_activity_get_error (ASSAY_ACTIVITY (compilation)) != NULL &&
          assay_quantize_activity_get_refusal (assay_session_get_quantize (self->session)) == NULL);
  gtk_widget_set_visible (self->findings_button,
                          (rejected > 0 || undecided > 0) && !is_too_small (compilation));
  gtk_widget_set_visible (self->model_button,
                          g_str_equal (self->topic, "compare") && verdicts != NULL &&
                              assay_compilation_get_program (compilation) == NULL);
}

/* Two runners that need no program; the page then has what is compared, to choose others. */
static void
model_cb (AssayProgramPage *self)
{
  AssayCompareActivity *comparing = assay_session_get_compare_activity (self->session);

  assay_compare_activity_set_runner (comparing, 0, "reference");
  assay_compare_activity_set_runner (comparing, 1, "ort");
}

static void
assay_program_page_dispose (GObject *object)
{
  AssayProgramPage *self = ASSAY_PROGRAM_PAGE (object);

  g_clear_object (&self->session);
  g_clear_pointer (&self->topic, g_free);
  gtk_widget_dispose_template (GTK_WIDGET (self), ASSAY_TYPE_PROGRAM_PAGE);

  G_OBJECT_CLASS (assay_program_page_parent_class)->dispose (object);
}

static void
assay_program_page_get_property (GObject *object, guint prop_id, GValue *value, GParamSpec *pspec)
{
  switch (prop_id)
    {
    case PROP_TOPIC:
      g_value_set_string (value, ASSAY_PROGRAM_PAGE (object)->topic);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
assay_program_page_set_property (GObject *object, guint prop_id, const GValue *value,
                                 GParamSpec *pspec)
{
  AssayProgramPage *self = ASSAY_PROGRAM_PAGE (object);

  switch (prop_id)
    {
    case PROP_TOPIC:
      g_free (self->topic);
      self->topic = g_value_dup_string (value);
      update (self);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
assay_program_page_class_init (AssayProgramPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->dispose = assay_program_page_dispose;
  object_class->get_property = assay_program_page_get_property;
  object_class->set_property = assay_program_page_set_property;

  properties[PROP_TOPIC] = g_param_spec_string ("topic", NULL, NULL, NULL,
                                                G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  ASSAY_BIND_TEMPLATE (klass, AssayProgramPage, "assay-program-page", status, findings_button,
                       compile_button, memory_button, quantize_button, model_button);
  gtk_widget_class_bind_template_callback (widget_class, model_cb);
}

static void
assay_program_page_init (AssayProgramPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
assay_program_page_set_session (AssayProgramPage *self, AssaySession *session)
{
  g_set_object (&self->session, session);
  g_signal_connect_object (session, "notify::verdicts", G_CALLBACK (update), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (assay_session_get_compilation (session), "notify::state",
                           G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  update (self);
}
