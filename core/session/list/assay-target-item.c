/* assay-target-item.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session/list/assay-target-item.h"

#include "backend/assay-backend.h"

struct _AssayTargetItem
{
  GObject parent_instance;
  char *id;
  char *title;
  char *summary;
  const char *group;
  guint order;
  AssayOutcome outcome;
};

enum
{
  PROP_0,
  PROP_OUTCOME,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE (AssayTargetItem, assay_target_item, G_TYPE_OBJECT)

static void
assay_target_item_finalize (GObject *object)
{
  AssayTargetItem *self = ASSAY_TARGET_ITEM (object);

  g_free (self->id);
  g_free (self->title);
  g_free (self->summary);

  G_OBJECT_CLASS (assay_target_item_parent_class)->finalize (object);
}

static void
assay_target_item_get_property (GObject *object, guint prop_id, GValue *value, GParamSpec *pspec)
{
  AssayTargetItem *self = ASSAY_TARGET_ITEM (object);

  switch (prop_id)
    {
    case PROP_OUTCOME:
      g_value_take_string (value, assay_outcome_to_string (&self->outcome));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
assay_target_item_class_init (AssayTargetItemClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = assay_target_item_finalize;
  object_class->get_property = assay_target_item_get_property;

  properties[PROP_OUTCOME] = g_param_spec_string ("outcome", NULL, NULL, NULL,
                                                  G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
assay_target_item_init (AssayTargetItem *self)
{
  self->outcome = ASSAY_OUTCOME_INIT;
}

/**
 * assay_target_item_new:
 * @target: the target
 * @id: what loads it again: an id, or a path for the user's own file
 * @own: whether it is the user's own file
 *
 * Makes the row of a target. May run in a worker.
 *
 * Returns: (transfer full): the row
 */
AssayTargetItem *
assay_target_item_new (AssayTarget *target, const char *id, gboolean own)
{
  AssayTargetItem *self = g_object_new (ASSAY_TYPE_TARGET_ITEM, NULL);

  self->id = g_strdup (id);
  self->title = g_strdup (assay_target_get_title (target));
  self->summary = g_strdup (assay_target_get_summary (target));
  self->group = own ? "Yours" : assay_backend_for_target (target)->title;
  self->order = own ? G_MAXINT : assay_backend_get_place (assay_backend_for_target (target));

  return self;
}

/**
 * assay_target_item_get_id:
 * @self: a row
 *
 * Gets what loads the target.
 *
 * Returns: (transfer none): an id or a path
 */
const char *
assay_target_item_get_id (AssayTargetItem *self)
{
  return self->id;
}

/**
 * assay_target_item_get_title:
 * @self: a row
 *
 * Gets the name of the target.
 *
 * Returns: (transfer none): the name
 */
const char *
assay_target_item_get_title (AssayTargetItem *self)
{
  return self->title;
}

/**
 * assay_target_item_get_summary:
 * @self: a row
 *
 * Gets the target in a line.
 *
 * Returns: (transfer none): the line
 */
const char *
assay_target_item_get_summary (AssayTargetItem *self)
{
  return self->summary;
}

/**
 * assay_target_item_get_group:
 * @self: a row
 *
 * Gets the heading it stands under.
 *
 * Returns: (transfer none): the group
 */
const char *
assay_target_item_get_group (AssayTargetItem *self)
{
  return self->group;
}

/**
 * assay_target_item_get_order:
 * @self: a row
 *
 * Gets the place of its group.
 *
 * Returns: 0 for the first group
 */
guint
assay_target_item_get_order (AssayTargetItem *self)
{
  return self->order;
}

/**
 * assay_target_item_get_rejected:
 * @self: a row
 *
 * Gets how many nodes of the open model the target would reject.
 *
 * Returns: the number, or -1 while it is not known
 */
int
assay_target_item_get_rejected (AssayTargetItem *self)
{
  return self->outcome.rejected;
}

/**
 * assay_target_item_get_outcome:
 * @self: a row
 *
 * Gets what would come of the open model on the target.
 *
 * Returns: (transfer none): the outcome, as far as it is known
 */
const AssayOutcome *
assay_target_item_get_outcome (AssayTargetItem *self)
{
  return &self->outcome;
}

/**
 * assay_target_item_set_outcome:
 * @self: a row
 * @outcome: the outcome, as far as it is known
 *
 * Sets what would come of the open model on the target.
 */
void
assay_target_item_set_outcome (AssayTargetItem *self, const AssayOutcome *outcome)
{
  if (memcmp (&self->outcome, outcome, sizeof *outcome) == 0)
    return;

  self->outcome = *outcome;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_OUTCOME]);
}
