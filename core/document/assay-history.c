/* assay-history.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "document/assay-history.h"

/* Changes of one thing that are nearer to each other than this are one. */
#define JOIN_US (2 * G_TIME_SPAN_SECOND)

/* One change: how it is called and what it led to. The first entry is no change but what was there
 * at first. */
typedef struct
{
  char *label;
  AssayEdits *edits;
} Entry;

struct _AssayHistory
{
  GObject parent_instance;

  GPtrArray *entries;
  guint current;
  gint64 last_time; /* of the current entry, 0 if nothing may be joined to it */
  AssayEdits *saved;
};

enum
{
  PROP_0,
  PROP_UNDO_LABEL,
  PROP_REDO_LABEL,
  PROP_MODIFIED,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AssayHistory, assay_history, G_TYPE_OBJECT)

static Entry *
entry_new (const char *label, const AssayEdits *edits)
{
  Entry *entry = g_new0 (Entry, 1);

  entry->label = g_strdup (label);
  entry->edits = assay_edits_copy (edits);
  return entry;
}

static void
entry_free (gpointer data)
{
  Entry *entry = data;

  g_free (entry->label);
  assay_edits_free (entry->edits);
  g_free (entry);
}

static Entry *
get_entry (AssayHistory *self, guint index)
{
  return g_ptr_array_index (self->entries, index);
}

static void
notify_all (AssayHistory *self)
{
  g_object_freeze_notify (G_OBJECT (self));
  for (guint i = 1; i < N_PROPS; i++)
    g_object_notify_by_pspec (G_OBJECT (self), properties[i]);
  g_object_thaw_notify (G_OBJECT (self));
}

static void
assay_history_finalize (GObject *object)
{
  AssayHistory *self = ASSAY_HISTORY (object);

  g_ptr_array_unref (self->entries);
  assay_edits_free (self->saved);

  G_OBJECT_CLASS (assay_history_parent_class)->finalize (object);
}

static void
assay_history_get_property (GObject *object, guint prop_id, GValue *value, GParamSpec *pspec)
{
  AssayHistory *self = ASSAY_HISTORY (object);

  switch (prop_id)
    {
    case PROP_UNDO_LABEL:
      g_value_set_string (value, assay_history_get_undo_label (self));
      break;
    case PROP_REDO_LABEL:
      g_value_set_string (value, assay_history_get_redo_label (self));
      break;
    case PROP_MODIFIED:
      g_value_set_boolean (value, assay_history_get_modified (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
assay_history_class_init (AssayHistoryClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GParamFlags readable = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  object_class->finalize = assay_history_finalize;
  object_class->get_property = assay_history_get_property;

  properties[PROP_UNDO_LABEL] = g_param_spec_string ("undo-label", NULL, NULL, NULL, readable);
  properties[PROP_REDO_LABEL] = g_param_spec_string ("redo-label", NULL, NULL, NULL, readable);
  properties[PROP_MODIFIED] = g_param_spec_boolean ("modified", NULL, NULL, FALSE, readable);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
assay_history_init (AssayHistory *self)
{
  self->entries = g_ptr_array_new_with_free_func (entry_free);
}

/**
 * assay_history_new:
 * @edits: what is there at first
 *
 * Makes a history without changes.
 *
 * Returns: (transfer full): the history
 */
AssayHistory *
assay_history_new (const AssayEdits *edits)
{
  AssayHistory *self = g_object_new (ASSAY_TYPE_HISTORY, NULL);

  assay_history_reset (self, edits);
  return self;
}

/**
 * assay_history_reset:
 * @self: a history
 * @edits: what is there now
 *
 * Forgets all changes: another model is open. What is there counts as saved.
 */
void
assay_history_reset (AssayHistory *self, const AssayEdits *edits)
{
  g_return_if_fail (ASSAY_IS_HISTORY (self));

  g_ptr_array_set_size (self->entries, 0);
  g_ptr_array_add (self->entries, entry_new (NULL, edits));
  self->current = 0;
  self->last_time = 0;
  assay_history_mark_saved (self, edits);
  notify_all (self);
}

/* A change that nothing is joined to. */
static void
append (AssayHistory *self, const AssayEdits *edits)
{
  const AssayEdits *before = assay_history_get_edits (self);
  g_autofree char *label = NULL;

  if (assay_edits_equal (before, edits))
    return;

  label = assay_edits_describe_change (before, edits);
  g_ptr_array_add (self->entries, entry_new (label, edits));
  if (self->entries->len > ASSAY_HISTORY_DEPTH + 1)
    g_ptr_array_remove_index (self->entries, 0);
  self->current = self->entries->len - 1;
}

/* The first fixes of some edits. */
static GPtrArray *
copy_fixes (const AssayEdits *edits, guint n)
{
  GPtrArray *fixes = assay_fixes_new ();

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (fixes, assay_fix_copy (g_ptr_array_index (assay_edits_get_fixes (edits), i)));

  return fixes;
}

/* How many fixes both have, from the first on. */
static guint
count_common (const AssayEdits *a, const AssayEdits *b)
{
  GPtrArray *fixes_a = assay_edits_get_fixes (a);
  GPtrArray *fixes_b = assay_edits_get_fixes (b);
  guint n = 0;

  while (n < MIN (fixes_a->len, fixes_b->len) &&
         assay_fix_equal (g_ptr_array_index (fixes_a, n), g_ptr_array_index (fixes_b, n)))
    n++;

  return n;
}

/**
 * assay_history_restore:
 * @self: a history
 * @saved: what is saved of it
 * @edits: what was left behind by a program that ended suddenly, and is there now
 *
 * Forgets all changes, as another model is open, and makes those that lead from what is saved to
 * what is there: fixes one by one, behind all else at once. In which order they were made is not
 * known, except of fixes.
 */
void
assay_history_restore (AssayHistory *self, const AssayEdits *saved, const AssayEdits *edits)
{
  g_autoptr (AssayEdits) step = NULL;

  g_return_if_fail (ASSAY_IS_HISTORY (self));

  assay_history_reset (self, saved);
  step = assay_edits_copy (edits);
  for (guint n = count_common (saved, edits); n <= assay_edits_get_fixes (edits)->len; n++)
    {
      g_autoptr (GPtrArray) fixes = copy_fixes (edits, n);

      assay_edits_set_fixes (step, fixes);
      append (self, step);
    }
  notify_all (self);
}

/**
 * assay_history_replace:
 * @self: a history
 * @edits: what is there now
 *
 * Changes what is there without a change that could be undone: the model itself is another one.
 */
void
assay_history_replace (AssayHistory *self, const AssayEdits *edits)
{
  Entry *entry;

  g_return_if_fail (ASSAY_IS_HISTORY (self));

  entry = get_entry (self, self->current);
  assay_edits_free (entry->edits);
  entry->edits = assay_edits_copy (edits);
  self->last_time = 0;
  notify_all (self);
}

/**
 * assay_history_record:
 * @self: a history
 * @edits: what is there now
 * @time: when it changed, in microseconds of a clock that only goes forward
 *
 * Remembers a change, unless nothing is different. What was undone cannot be redone any more.
 */
void
assay_history_record (AssayHistory *self, const AssayEdits *edits, gint64 time)
{
  g_autofree char *label = NULL;
  Entry *entry;

  g_return_if_fail (ASSAY_IS_HISTORY (self));

  entry = get_entry (self, self->current);
  if (assay_edits_equal (entry->edits, edits))
    return;

  label = assay_edits_describe_change (entry->edits, edits);
  g_ptr_array_set_size (self->entries, (int) self->current + 1);

  if (self->current > 0 && self->last_time != 0 && time - self->last_time < JOIN_US &&
      g_str_equal (label, entry->label) && !assay_edits_equal (entry->edits, self->saved))
    {
      assay_edits_free (entry->edits);
      entry->edits = assay_edits_copy (edits);
    }
  else
    {
      g_ptr_array_add (self->entries, entry_new (label, edits));
      if (self->entries->len > ASSAY_HISTORY_DEPTH + 1)
        g_ptr_array_remove_index (self->entries, 0);
      self->current = self->entries->len - 1;
    }

  self->last_time = time;
  notify_all (self);
}

static const AssayEdits *
step (AssayHistory *self, int direction)
{
  self->current += (guint) direction;
  self->last_time = 0;
  notify_all (self);

  return get_entry (self, self->current)->edits;
}

/**
 * assay_history_undo:
 * @self: a history
 *
 * Goes back by one change.
 *
 * Returns: (transfer none) (nullable): the edits before it, %NULL if there is nothing to undo
 */
const AssayEdits *
assay_history_undo (AssayHistory *self)
{
  g_return_val_if_fail (ASSAY_IS_HISTORY (self), NULL);

  return self->current > 0 ? step (self, -1) : NULL;
}

/**
 * assay_history_redo:
 * @self: a history
 *
 * Makes the change again that was undone last.
 *
 * Returns: (transfer none) (nullable): the edits after it, %NULL if there is nothing to redo
 */
const AssayEdits *
assay_history_redo (AssayHistory *self)
{
  g_return_val_if_fail (ASSAY_IS_HISTORY (self), NULL);

  return self->current + 1 < self->entries->len ? step (self, 1) : NULL;
}

/**
 * assay_history_get_edits:
 * @self: a history
 *
 * Gets what is there now.
 *
 * Returns: (transfer none): the edits
 */
const AssayEdits *
assay_history_get_edits (AssayHistory *self)
{
  return get_entry (self, self->current)->edits;
}

/**
 * assay_history_get_undo_label:
 * @self: a history
 *
 * Gets what would be undone.
 *
 * Returns: (transfer none) (nullable): words in header capitals
 */
const char *
assay_history_get_undo_label (AssayHistory *self)
{
  return self->current > 0 ? get_entry (self, self->current)->label : NULL;
}

/**
 * assay_history_get_redo_label:
 * @self: a history
 *
 * Gets what would be redone.
 *
 * Returns: (transfer none) (nullable): words in header capitals
 */
const char *
assay_history_get_redo_label (AssayHistory *self)
{
  return self->current + 1 < self->entries->len ? get_entry (self, self->current + 1)->label : NULL;
}

/**
 * assay_history_get_modified:
 * @self: a history
 *
 * Tells whether there is anything that was not saved.
 *
 * Returns: whether the edits differ from those that were saved
 */
gboolean
assay_history_get_modified (AssayHistory *self)
{
  return !assay_edits_equal (get_entry (self, self->current)->edits, self->saved);
}

/**
 * assay_history_mark_saved:
 * @self: a history
 * @edits: what was saved; meanwhile there may be more
 *
 * Remembers what was saved.
 */
void
assay_history_mark_saved (AssayHistory *self, const AssayEdits *edits)
{
  g_return_if_fail (ASSAY_IS_HISTORY (self));

  assay_edits_free (self->saved);
  self->saved = assay_edits_copy (edits);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MODIFIED]);
}
