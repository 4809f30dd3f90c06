/* assay-preview.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session/activity/assay-preview.h"

#include "session/assay-session-private.h"

struct _AssayPreview
{
  GObject parent_instance;

  AssaySession *session; /* owns the preview */
  AssayEdits *edits[2];  /* before and after; NULL while there is no preview */
  char *title;
  char **added;
  char **removed;
  char **changed;
  char *selected[2]; /* the node that was selected on each side when it was left */
  char *resumed;     /* of the side before, once its verdicts are there again */
  AssayPreviewSide sides[2];
  gboolean after;     /* what is shown */
  gboolean switching; /* so that a change of the edits is none of the user's */
};

enum
{
  PROP_0,
  PROP_ACTIVE,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

enum
{
  CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (AssayPreview, assay_preview, G_TYPE_OBJECT)

static void
clear (AssayPreview *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->edits); i++)
    {
      g_clear_pointer (&self->edits[i], assay_edits_free);
      g_clear_pointer (&self->selected[i], g_free);
    }
  g_clear_pointer (&self->title, g_free);
  g_clear_pointer (&self->added, g_strfreev);
  g_clear_pointer (&self->removed, g_strfreev);
  g_clear_pointer (&self->changed, g_strfreev);
}

static void
assay_preview_finalize (GObject *object)
{
  clear (ASSAY_PREVIEW (object));
  g_free (ASSAY_PREVIEW (object)->resumed);

  G_OBJECT_CLASS (assay_preview_parent_class)->finalize (object);
}

static void
assay_preview_get_property (GObject *object, guint prop_id, GValue *value, GParamSpec *pspec)
{
  switch (prop_id)
    {
    case PROP_ACTIVE:
      g_value_set_boolean (value, assay_preview_get_active (ASSAY_PREVIEW (object)));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
assay_preview_class_init (AssayPreviewClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = assay_preview_finalize;
  object_class->get_property = assay_preview_get_property;

  properties[PROP_ACTIVE] = g_param_spec_boolean ("active", NULL, NULL, FALSE,
                                                  G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  signals[CHANGED] = g_signal_new ("changed", ASSAY_TYPE_PREVIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                   NULL, G_TYPE_NONE, 0);
}

static void
assay_preview_init (AssayPreview *self)
{
}

/* Takes what is known now of the side that is shown; what is not known yet stays as it was. */
static void
look (AssayPreview *self)
{
  AssayPreviewSide *side = &self->sides[self->after];
  AssayVerdicts *verdicts = self->session->verdicts;
  AssayCompilation *compilation = self->session->compilation;
  AssayMemoryMap *memory = assay_compilation_get_memory (compilation);

  if (verdicts != NULL)
    {
      side->rejected = assay_verdicts_count (verdicts, ASSAY_VERDICT_REJECTED);
      side->undecided = assay_verdicts_count (verdicts, ASSAY_VERDICT_UNDECIDED);
    }
  if (assay_activity_get_state (ASSAY_ACTIVITY (compilation)) == ASSAY_ACTIVITY_READY &&
      memory != NULL)
    {
      const AssayMemoryUse *use = assay_memory_map_get_use (memory, memory->peak_core,
                                                            memory->main_store);
      const AssayCycles *cycles = assay_compilation_get_cycles (compilation);

      side->peak = use->peak;
      side->depth = use->depth;
      if (cycles != NULL)
        side->cycles = cycles->spaced;
    }
}

/* Names of the nodes of the fix, of which each side has its own. */
static void
mark (AssayPreview *self)
{
  if (self->after)
    assay_session_mark_names (self->session, self->added, NULL, self->changed);
  else
    assay_session_mark_names (self->session, NULL, self->removed, self->changed);
}

static void
verdicts_changed_cb (AssayPreview *self)
{
  g_autofree char *resumed = NULL;

  if (self->session->verdicts == NULL)
    return;

  resumed = g_steal_pointer (&self->resumed);
  if (resumed != NULL && self->session->selection == ASSAY_NO_NODE)
    assay_session_select_name (self->session, resumed);
  if (self->edits[0] == NULL)
    return;

  look (self);
  mark (self);
  if (self->session->selection == ASSAY_NO_NODE && self->selected[self->after] != NULL)
    assay_session_select_name (self->session, self->selected[self->after]);
  g_signal_emit (self, signals[CHANGED], 0);
}

static void
compiled_cb (AssayPreview *self)
{
  if (self->edits[0] == NULL || self->session->job != NULL)
    return;

  look (self);
  g_signal_emit (self, signals[CHANGED], 0);
}

AssayPreview *
assay_preview_new (AssaySession *session)
{
  AssayPreview *self = g_object_new (ASSAY_TYPE_PREVIEW, NULL);

  self->session = session;
  g_signal_connect_object (session, "notify::verdicts", G_CALLBACK (verdicts_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session->compilation, "notify::state", G_CALLBACK (compiled_cb), self,
                           G_CONNECT_SWAPPED);
  return self;
}

/* Goes to the other side. */
static void
turn (AssayPreview *self)
{
  AssayVerdicts *verdicts = self->session->verdicts;
  AssayNodeId selection = self->session->selection;

  g_free (self->selected[self->after]);
  self->selected[self->after] = verdicts != NULL && selection != ASSAY_NO_NODE
                                    ? g_strdup (assay_graph_node (verdicts->graph, selection)->name)
                                    : NULL;
  self->after = !self->after;
  self->switching = TRUE;
  assay_session_take_edits (self->session, self->edits[self->after]);
  self->switching = FALSE;
}

static void
forget (AssayPreview *self)
{
  clear (self);
  assay_session_set_marks (self->session, NULL, NULL, NULL);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ACTIVE]);
}

/* The edits are others than those of the preview: there is nothing to go back to. */
void
assay_preview_end (AssayPreview *self)
{
  if (self->edits[0] != NULL && !self->switching)
    forget (self);
}

/* What is saved is what is seen. */
void
assay_preview_settle (AssayPreview *self)
{
  if (self->edits[0] != NULL && self->after)
    assay_session_note_edit (self->session);
}

/**
 * assay_preview_start:
 * @self: a preview
 * @offer: what is previewed
 * @fixes: (element-type AssayFix): what it consists of
 *
 * Shows the model with an offer taken, without applying it.
 */
void
assay_preview_start (AssayPreview *self, const AssayFixOffer *offer, GPtrArray *fixes)
{
  static const AssayPreviewSide unknown = { -1, -1, -1, -1, -1 };

  g_return_if_fail (ASSAY_IS_PREVIEW (self));

  /* The offer belongs to verdicts that end with the change. */
  if (self->edits[0] != NULL)
    assay_preview_back (self);
  self->edits[0] = assay_edits_copy (assay_session_get_edits (self->session));
  self->edits[1] = assay_session_make_edits (self->session, fixes);
  g_clear_pointer (&self->resumed, g_free);
  self->title = g_strdup (offer->title);
  self->added = g_strdupv (offer->added);
  self->removed = g_strdupv (offer->removed);
  self->changed = g_strdupv (offer->changed);
  self->sides[0] = self->sides[1] = unknown;
  self->sides[0].cycles = offer->cycles_before;
  self->sides[1].cycles = offer->cycles_after;
  self->after = FALSE;
  look (self);
  turn (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_ACTIVE]);
}

/**
 * assay_preview_show:
 * @self: a preview
 * @after: whether the model after the fix is to be seen, or that before it
 *
 * Goes to one side of the fix.
 */
void
assay_preview_show (AssayPreview *self, gboolean after)
{
  g_return_if_fail (ASSAY_IS_PREVIEW (self));

  if (self->edits[0] == NULL || self->after == after)
    return;

  turn (self);
  g_signal_emit (self, signals[CHANGED], 0);
}

/**
 * assay_preview_apply:
 * @self: a preview
 *
 * Applies the fix: it is one change that can be undone.
 */
void
assay_preview_apply (AssayPreview *self)
{
  g_return_if_fail (ASSAY_IS_PREVIEW (self));

  if (self->edits[0] == NULL)
    return;

  assay_preview_show (self, TRUE);
  assay_session_note_edit (self->session);
}

/**
 * assay_preview_back:
 * @self: a preview
 *
 * Goes back to the model without the fix, and to the node that was selected there.
 */
void
assay_preview_back (AssayPreview *self)
{
  g_return_if_fail (ASSAY_IS_PREVIEW (self));

  if (self->edits[0] == NULL)
    return;

  if (self->after)
    {
      turn (self);
      g_free (self->resumed);
      self->resumed = g_strdup (self->selected[0]);
    }
  forget (self);
}

/**
 * assay_preview_get_active:
 * @self: a preview
 *
 * Tells whether a fix is being previewed.
 *
 * Returns: whether one is
 */
gboolean
assay_preview_get_active (AssayPreview *self)
{
  return self->edits[0] != NULL;
}

/**
 * assay_preview_get_after:
 * @self: a preview
 *
 * Tells which side of the fix is shown.
 *
 * Returns: whether it is the model after it
 */
gboolean
assay_preview_get_after (AssayPreview *self)
{
  return self->after;
}

/**
 * assay_preview_get_title:
 * @self: a preview
 *
 * Gets what the fix does.
 *
 * Returns: (transfer none) (nullable): words
 */
const char *
assay_preview_get_title (AssayPreview *self)
{
  return self->title;
}

/**
 * assay_preview_get_side:
 * @self: a preview
 * @after: which side
 *
 * Gets what the model comes to on one side.
 *
 * Returns: (transfer none): the numbers, as far as they are known
 */
const AssayPreviewSide *
assay_preview_get_side (AssayPreview *self, gboolean after)
{
  return &self->sides[after];
}

static void
append_pair (GString *text, const char *what, gint64 before, gint64 after, const char *none)
{
  g_autofree char *from = before >= 0 ? g_strdup_printf ("%" G_GINT64_FORMAT, before)
                                      : g_strdup (none);
  g_autofree char *to = after >= 0 ? g_strdup_printf ("%" G_GINT64_FORMAT, after) : g_strdup (none);

  g_string_append_printf (text, "%s%s %s", text->len > 0 ? ", " : "", what, from);
  if (before != after)
    g_string_append_printf (text, " to %s", to);
}

/**
 * assay_preview_dup_text:
 * @self: a preview
 *
 * Says what both sides come to, such as `Rejected 12 to 1, blocks at the peak none to 120, cycles
 * none to 541`.
 *
 * Returns: (transfer full): the line
 */
char *
assay_preview_dup_text (AssayPreview *self)
{
  const AssayPreviewSide *before = &self->sides[0], *after = &self->sides[1];
  GString *text = g_string_new (NULL);

  append_pair (text, "rejected", before->rejected, after->rejected, "?");
  if (before->undecided > 0 || after->undecided > 0)
    append_pair (text, "undecided", before->undecided, after->undecided, "?");
  if (before->peak >= 0 || after->peak >= 0)
    append_pair (text, "blocks at the peak", before->peak, after->peak, "none");
  else
    g_string_append (text, ", no program on either side");
  if (before->cycles >= 0 || after->cycles >= 0)
    append_pair (text, "cycles", before->cycles, after->cycles, "none");

  *text->str = g_ascii_toupper (*text->str);
  return g_string_free (text, FALSE);
}
