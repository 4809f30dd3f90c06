/* assay-rule-page.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "target/assay-rule-page.h"

#include <string.h>

#include "target/assay-predicate.h"
#include "target/assay-target-private.h"
#include "text/assay-json-writer.h"

/* Deeper than any rule nests its conditions. */
#define MAX_DEPTH 32

static void
condition_free (gpointer data)
{
  AssayRuleCondition *condition = data;

  g_free (condition->name);
  g_free (condition->doc);
  g_free (condition);
}

/* Finds the object whose id it is: the first in the order of the file, an outer one before those
 * inside of it. */
static JsonNode *
find_rule (JsonNode *node, const char *id, GString *member, guint depth)
{
  gsize length = member->len;
  JsonNode *found = NULL;

  if (depth > MAX_DEPTH)
    return NULL;

  if (JSON_NODE_HOLDS_ARRAY (node))
    {
      JsonArray *array = json_node_get_array (node);

      for (guint i = 0; found == NULL && i < json_array_get_length (array); i++)
        {
          g_string_truncate (member, length);
          g_string_append_printf (member, "[%u]", i);
          found = find_rule (json_array_get_element (array, i), id, member, depth + 1);
        }
    }
  else if (JSON_NODE_HOLDS_OBJECT (node))
    {
      JsonObject *object = json_node_get_object (node);
      JsonObjectIter iter;
      const char *name;
      JsonNode *child;

      /* The file itself has an id too, which is no rule. */
      if (depth > 0 &&
          g_strcmp0 (json_object_get_string_member_with_default (object, "id", NULL), id) == 0)
        return node;

      json_object_iter_init_ordered (&iter, object);
      while (found == NULL && json_object_iter_next_ordered (&iter, &name, &child))
        {
          g_string_truncate (member, length);
          g_string_append_printf (member, "%s%s", length > 0 ? "." : "", name);
          found = find_rule (child, id, member, depth + 1);
        }
    }

  if (found == NULL)
    g_string_truncate (member, length);

  return found;
}

/* `between(attribute "axis", min 1)`: the predicate and what it was given, without the conditions
 * inside of it. */
static char *
name_condition (const AssayPredicate *predicate, JsonObject *object)
{
  g_autoptr (GString) text = g_string_new (predicate->name);
  guint n = 0;

  for (const AssayArgSpec *arg = predicate->args;
       arg < predicate->args + ASSAY_MAX_ARGS && arg->name != NULL; arg++)
    {
      JsonNode *value = json_object_get_member (object, arg->name);
      g_autofree char *json = NULL;

      if (value == NULL || arg->kind == ASSAY_ARG_CALLS)
        continue;
      json = assay_json_node_to_text (value, 0);
      g_string_append_printf (text, "%s%s %s", n++ == 0 ? " (" : ", ", arg->name, json);
    }
  if (n > 0)
    g_string_append_c (text, ')');

  return g_strdup (text->str);
}

static void
list_conditions (JsonNode *node, GPtrArray *conditions, guint depth)
{
  if (depth > MAX_DEPTH)
    return;

  if (JSON_NODE_HOLDS_ARRAY (node))
    {
      JsonArray *array = json_node_get_array (node);

      for (guint i = 0; i < json_array_get_length (array); i++)
        list_conditions (json_array_get_element (array, i), conditions, depth + 1);
    }
  else if (JSON_NODE_HOLDS_OBJECT (node))
    {
      JsonObject *object = json_node_get_object (node);
      const char *is = json_object_get_string_member_with_default (object, "is", NULL);
      const AssayPredicate *predicate = is != NULL ? assay_predicate_lookup (is) : NULL;
      JsonObjectIter iter;
      const char *name;
      JsonNode *child;

      if (predicate != NULL)
        {
          AssayRuleCondition *condition = g_new0 (AssayRuleCondition, 1);

          condition->name = name_condition (predicate, object);
          condition->doc = g_strdup (predicate->doc);
          g_ptr_array_add (conditions, condition);
        }

      json_object_iter_init_ordered (&iter, object);
      while (json_object_iter_next_ordered (&iter, &name, &child))
        list_conditions (child, conditions, depth + 1);
    }
}

/**
 * assay_rule_page_new:
 * @target: a target
 * @id: id of a rule as verdicts name it; `rule.detail` is looked up as `rule` if it has no entry of
 * its own
 *
 * Looks a rule up in the target file.
 *
 * Returns: (transfer full) (nullable): the rule, or %NULL if the target has none of that id, as
 * passes of NNIR are none
 */
AssayRulePage *
assay_rule_page_new (AssayTarget *target, const char *id)
{
  g_autoptr (AssayRulePage) self = g_new0 (AssayRulePage, 1);
  g_autoptr (GString) member = g_string_new (NULL);
  JsonNode *root = target->json;
  JsonNode *node;

  self->id = g_strdup (id);
  node = find_rule (root, id, member, 0);
  while (node == NULL && strrchr (self->id, '.') != NULL)
    {
      *strrchr (self->id, '.') = '\0';
      node = find_rule (root, self->id, member, 0);
    }
  if (node == NULL)
    return NULL;

  self->member = g_strdup (member->str);
  self->json = assay_json_node_to_text (node, ASSAY_JSON_WRITER_MAX_DEPTH);
  self->source = g_strdup (
      json_object_get_string_member_with_default (json_node_get_object (node), "source", NULL));
  if (self->source == NULL)
    self->source = g_strdup (json_object_get_string_member_with_default (
        assay_target_get_json (target), "source", NULL));
  self->conditions = g_ptr_array_new_with_free_func (condition_free);
  list_conditions (node, self->conditions, 0);

  return g_steal_pointer (&self);
}

/**
 * assay_rule_page_free:
 * @self: (nullable): a rule
 *
 * Frees a rule.
 */
void
assay_rule_page_free (AssayRulePage *self)
{
  if (self == NULL)
    return;

  g_free (self->id);
  g_free (self->member);
  g_free (self->json);
  g_free (self->source);
  g_clear_pointer (&self->conditions, g_ptr_array_unref);
  g_free (self);
}
