/* assay-target-reader.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/assay-error.h"
#include "target/assay-target-rules.h"
#include "target/assay-verdict-private.h"

/* A file may build on another one; nobody needs a longer chain. */
#define MAX_CHAIN 4

/* Each rule for every operator is in the list of every operator. */
#define MAX_ANY_RULES 32

static const char *const members[] = { "schema",    "id",      "title",      "family", "extends",
                                       "abstract",  "summary", "version",    "source", "config",
                                       "estimated", "options", "composites", "sets",   "steps",
                                       "rules",     "fusions", "fallback",   "notes",  NULL };
static const char *const option_kinds[] = { "bool", "int", "string", NULL };

static void
read_sets (AssayTarget *self, AssayJsonReader *reader, JsonObject *root)
{
  AssayJsonEach each = assay_json_each_in_object (reader, root, "sets");

  while (assay_json_each_next (&each))
    {
      AssayDTypeSet set = assay_target_read_dtypes (self, reader, each.node);

      g_hash_table_replace (self->sets, (gpointer) assay_arena_intern (self->arena, each.name),
                            GUINT_TO_POINTER (set));
    }
}

static void
read_option (AssayTarget *self, AssayJsonReader *reader, const char *name, JsonObject *object)
{
  static const char *const allowed[] = { "type", "default", "doc", "choices", NULL };
  static const char *const required[] = { "type", "default", "doc", NULL };
  AssayOption option = { 0 };

  assay_json_reader_members (reader, object, allowed, required);
  option.name = assay_arena_intern (self->arena, name);
  option.kind = (AssayOptionKind) assay_json_reader_choice (reader, object, "type", option_kinds,
                                                            0);
  option.doc = assay_json_reader_string (reader, object, "doc");
  option.s = "";

  switch (option.kind)
    {
    case ASSAY_OPTION_BOOL:
      option.b = assay_json_reader_bool (reader, object, "default", FALSE);
      break;
    case ASSAY_OPTION_INT:
      option.i = assay_json_reader_int (reader, object, "default", G_MININT64, G_MAXINT64, 0);
      break;
    case ASSAY_OPTION_STRING:
    default:
      option.s = assay_json_reader_string (reader, object, "default");
      if (option.s == NULL)
        option.s = "";
      break;
    }

  if (json_object_has_member (object, "choices"))
    {
      g_autoptr (GPtrArray)
          choices = assay_json_reader_strings_at (reader, object, "choices", "list of strings");

      option.n_choices = choices->len;
      if (choices->len > 0)
        option.choices = assay_arena_memdup (self->arena, choices->pdata,
                                             choices->len * sizeof (char *));
    }

  for (guint i = 0; i < self->options->len; i++)
    if (g_str_equal (g_array_index (self->options, AssayOption, i).name, name))
      {
        g_array_index (self->options, AssayOption, i) = option;
        return;
      }
  g_array_append_val (self->options, option);
}

/* What a family has is up to its rules, but a number stays a number in the files that build
 * on it. */
static void
check_numbers (AssayTarget *self, AssayJsonReader *reader, JsonObject *root)
{
  AssayJsonEach each = assay_json_each_in_object (reader, root, "config");

  while (assay_json_each_next (&each))
    if (assay_json_node_is_integer (json_object_get_member (self->config, each.name)) &&
        (!assay_json_node_is_integer (each.node) || json_node_get_int (each.node) < 0))
      assay_json_reader_expect (reader, each.node, "whole number of at least 0");
}

static void
read_config (AssayTarget *self, AssayJsonReader *reader, JsonObject *root)
{
  JsonObject *config = assay_json_reader_object (reader, root, "config");
  g_autoptr (GList) fields = config != NULL ? json_object_get_members (config) : NULL;
  AssayJsonEach each;

  if (config != NULL && self->check_class->check_config != NULL)
    self->check_class->check_config (config, reader);
  else if (config != NULL)
    check_numbers (self, reader, root);
  for (GList *l = fields; l != NULL; l = l->next)
    json_object_set_member (self->config, l->data, json_object_dup_member (config, l->data));

  each = assay_json_each_in_object (reader, root, "options");
  while (assay_json_each_next_object (&each))
    read_option (self, reader, each.name, each.object);
}

static void
read_names (AssayJsonReader *reader, JsonObject *root, const char *member, GPtrArray *into)
{
  g_autoptr (GPtrArray)
      names = assay_json_reader_strings_at (reader, root, member, "list of strings");

  for (guint i = 0; i < names->len; i++)
    g_ptr_array_add (into, g_ptr_array_index (names, i));
}

static void
read_target_notes (AssayTarget *self, AssayJsonReader *reader, JsonObject *root)
{
  guint n;
  const AssayNote *notes = assay_target_read_notes (self, reader, root, &n);

  if (n > 0)
    g_array_append_vals (self->notes, notes, n);
}

static void
read_steps (AssayTarget *self, AssayJsonReader *reader, JsonObject *root)
{
  static const char *const names[] = { "check", "fusions", "rule", "conditions", NULL };
  AssayJsonEach each;
  guint seen = 0;

  if (assay_json_reader_array (reader, root, "steps") == NULL)
    return;

  g_array_set_size (self->steps, 0);
  each = assay_json_each_in_list (reader, root, "steps", G_MAXUINT);
  while (assay_json_each_next (&each))
    {
      AssayStep step = { 0 };

      if (each.object == NULL)
        {
          assay_json_reader_expect (reader, each.node, "object such as {\"step\": \"rule\"}");
          continue;
        }

      step.kind = (AssayStepKind) assay_json_reader_choice (reader, each.object, "step", names,
                                                            ASSAY_STEP_CHECK);
      seen |= 1u << step.kind;
      if (step.kind == ASSAY_STEP_CHECK)
        step.check = assay_target_read_rule (self, reader, each.node, TRUE);
      if (step.kind != ASSAY_STEP_CHECK || step.check != NULL)
        g_array_append_val (self->steps, step);
    }

  if ((seen & (1u << ASSAY_STEP_RULE)) == 0 || (seen & (1u << ASSAY_STEP_CONDITIONS)) == 0)
    assay_json_reader_complain_at (reader, "steps",
                                   "the steps \"rule\" and \"conditions\" have to be there");
}

static void
read_rules (AssayTarget *self, AssayJsonReader *reader, JsonObject *root)
{
  g_autoptr (GHashTable) ids = g_hash_table_new (g_str_hash, g_str_equal);
  guint n_any = 0;

  for (guint pass = 0; pass < 2; pass++)
    {
      AssayJsonEach each = assay_json_each_in_list (reader, root, pass == 0 ? "rules" : "fusions",
                                                    G_MAXUINT);

      while (assay_json_each_next (&each))
        {
          AssayRule *rule = pass == 0 ? assay_target_read_rule (self, reader, each.node, FALSE)
                                      : NULL;
          AssayFusion *fusion = pass == 1 ? assay_target_read_fusion (self, reader, each.node)
                                          : NULL;
          const char *id = rule != NULL ? rule->id : fusion != NULL ? fusion->id : NULL;

          if (rule != NULL && rule->any_op && ++n_any > MAX_ANY_RULES)
            assay_json_reader_complain (reader, "more than %d rules for every operator",
                                        MAX_ANY_RULES);
          else if (rule != NULL)
            g_ptr_array_add (self->rules, rule);
          if (fusion != NULL)
            g_ptr_array_add (self->fusions, fusion);
          if (id != NULL && !g_hash_table_add (ids, (gpointer) id))
            assay_json_reader_complain (reader, "the id \"%s\" was there before", id);
        }
    }
}

static void
read_header (AssayTarget *self, AssayJsonReader *reader, JsonObject *root)
{
  static const char *const required[] = { "id", "title", "summary", NULL };
  const char *schema = assay_json_reader_string (reader, root, "schema");

  assay_json_reader_members (reader, root, members, required);
  if (schema != NULL && !g_str_equal (schema, "assay.target/1"))
    assay_json_reader_complain_at (reader, "schema", "\"assay.target/1\" expected, got \"%.40s\"",
                                   schema);

  self->id = assay_json_reader_string (reader, root, "id");
  self->title = assay_json_reader_string (reader, root, "title");
  self->summary = assay_json_reader_string (reader, root, "summary");
  self->is_abstract = assay_json_reader_bool (reader, root, "abstract", FALSE);

  if (self->id != NULL)
    for (const char *p = self->id; *p != '\0' || p == self->id; p++)
      if (!g_ascii_isalnum (*p) && *p != '_' && *p != '-' && *p != '.')
        {
          assay_json_reader_complain_at (
              reader, "id", "letters, digits, '_', '-' and '.' expected, got \"%.40s\"", self->id);
          break;
        }
}

/* The nearest file of the chain that has a member decides. */
static const char *
inherit_string (GPtrArray *chain, const char *member)
{
  for (guint i = 0; i < chain->len; i++)
    {
      AssayJsonReader *reader = g_ptr_array_index (chain, i);

      if (json_object_has_member (assay_json_reader_root (reader), member))
        return assay_json_reader_string (reader, assay_json_reader_root (reader), member);
    }

  return NULL;
}

static void
read_family (AssayTarget *self, GPtrArray *chain)
{
  g_autoptr (GPtrArray) families = g_ptr_array_new ();

  for (guint i = 0; assay_check_classes[i] != NULL; i++)
    g_ptr_array_add (families, (gpointer) assay_check_classes[i]->family);
  g_ptr_array_add (families, NULL);
  self->check_class = assay_check_classes[0];

  for (guint i = 0; i < chain->len; i++)
    {
      AssayJsonReader *reader = g_ptr_array_index (chain, i);

      if (json_object_has_member (assay_json_reader_root (reader), "family"))
        {
          self->check_class = assay_check_classes[assay_json_reader_choice (
              reader, assay_json_reader_root (reader), "family",
              (const char *const *) families->pdata, 0)];
          return;
        }
    }

  assay_json_reader_complain (g_ptr_array_index (chain, 0), "member \"family\" is missing");
}

/* Opens a file and those it builds on, nearest first. */
static gboolean
open_chain (AssayTarget *self, GBytes *bytes, const char *name, AssayFindings *findings,
            GPtrArray *chain, GError **error)
{
  g_autoptr (GBytes) current = g_bytes_ref (bytes);
  g_autofree char *current_name = g_strdup (name);

  for (;;)
    {
      AssayJsonReader *reader = assay_json_reader_new (current, current_name, self->arena, findings,
                                                       error);
      const char *base;

      if (reader == NULL)
        return FALSE;
      g_ptr_array_add (chain, reader);

      base = assay_json_reader_string (reader, assay_json_reader_root (reader), "extends");
      if (base == NULL)
        return TRUE;

      g_clear_pointer (&current, g_bytes_unref);
      current = assay_target_file (base);
      if (current == NULL || chain->len >= MAX_CHAIN)
        {
          if (current == NULL)
            assay_json_reader_complain_at (reader, "extends",
                                           "there is no target \"%.60s\" to build on", base);
          else
            assay_json_reader_complain_at (reader, "extends", "a chain of more than %d files",
                                           MAX_CHAIN);
          return TRUE;
        }
      g_free (current_name);
      current_name = g_strdup (base);
    }
}

static void
append_all (JsonArray *into, JsonObject *root, const char *member)
{
  JsonNode *node = json_object_get_member (root, member);

  for (guint i = 0; node != NULL && JSON_NODE_HOLDS_ARRAY (node) &&
                    i < json_array_get_length (json_node_get_array (node));
       i++)
    json_array_add_element (into, json_array_dup_element (json_node_get_array (node), i));
}

/* What `assay targets show` prints: the file with everything it builds on. */
static JsonObject *
merge_json (AssayTarget *self, GPtrArray *chain)
{
  static const char *const lists[] = { "rules", "fusions", NULL };
  JsonObject *merged = json_object_new ();

  for (guint i = chain->len; i-- > 0;)
    {
      JsonObject *root = assay_json_reader_root (g_ptr_array_index (chain, i));
      g_autoptr (GList) names = json_object_get_members (root);

      for (GList *l = names; l != NULL; l = l->next)
        if (!g_str_equal (l->data, "extends") && !g_str_equal (l->data, "abstract"))
          json_object_set_member (merged, l->data, json_object_dup_member (root, l->data));
    }

  json_object_set_object_member (merged, "config", json_object_ref (self->config));
  for (guint i = 0; lists[i] != NULL; i++)
    {
      JsonArray *array = json_array_new ();

      for (guint j = 0; j < chain->len; j++)
        append_all (array, assay_json_reader_root (g_ptr_array_index (chain, j)), lists[i]);
      json_object_set_array_member (merged, lists[i], array);
    }

  return merged;
}

static void
read_fallback (AssayTarget *self, GPtrArray *chain)
{
  static const char *const allowed[] = { "id",     "verdict", "stage", "reason",
                                         "engine", "source",  NULL };
  AssayRule *rule = assay_arena_alloc (self->arena, sizeof (AssayRule));

  memset (rule, 0, sizeof (AssayRule));
  rule->id = "no-rule";
  rule->verdict = self->check_class->untaken;
  rule->reason = "{op} has no rule in this target";
  rule->stage = ASSAY_STAGE_PARTITIONER;
  self->fallback = rule;

  for (guint i = 0; i < chain->len; i++)
    {
      AssayJsonReader *reader = g_ptr_array_index (chain, i);
      JsonObject *object = assay_json_reader_object (reader, assay_json_reader_root (reader),
                                                     "fallback");
      gsize mark;
      const char *text;

      if (object == NULL)
        continue;

      mark = assay_json_reader_enter (reader, "fallback");
      assay_json_reader_members (reader, object, allowed, NULL);
      text = assay_json_reader_string (reader, object, "id");
      rule->id = text != NULL ? text : rule->id;
      text = assay_json_reader_string (reader, object, "reason");
      rule->reason = text != NULL ? text : rule->reason;
      rule->engine = assay_json_reader_string (reader, object, "engine");
      rule->source = assay_json_reader_string (reader, object, "source");
      rule->verdict = (AssayVerdictKind) assay_json_reader_choice (
          reader, object, "verdict", assay_verdict_names, (int) rule->verdict);
      rule->stage = (AssayStage) assay_json_reader_choice (reader, object, "stage",
                                                           assay_stage_names, (int) rule->stage);
      assay_json_reader_leave (reader, mark);
      return;
    }
}

static void
add_to_index (GPtrArray **slot, gpointer item)
{
  if (*slot == NULL)
    *slot = g_ptr_array_new ();
  g_ptr_array_add (*slot, item);
}

static void
build_index (AssayTarget *self)
{
  for (guint i = 0; i < self->rules->len; i++)
    {
      AssayRule *rule = g_ptr_array_index (self->rules, i);

      for (AssayOp op = 0; rule->any_op && op < ASSAY_N_OPS; op++)
        add_to_index (&self->op_rules[op], rule);
      for (guint j = 0; !rule->any_op && j < rule->n_ops; j++)
        add_to_index (&self->op_rules[rule->ops[j]], rule);
      for (guint j = 0; j < rule->n_keys; j++)
        {
          GPtrArray *list = g_hash_table_lookup (self->key_rules, rule->keys[j]);

          if (list == NULL)
            {
              list = g_ptr_array_new ();
              g_hash_table_insert (self->key_rules, (gpointer) rule->keys[j], list);
            }
          g_ptr_array_add (list, rule);
        }
    }

  for (guint i = 0; i < self->fusions->len; i++)
    {
      AssayFusion *fusion = g_ptr_array_index (self->fusions, i);

      for (guint j = 0; j < fusion->nodes[0].n_ops; j++)
        add_to_index (&self->op_fusions[fusion->nodes[0].ops[j]], fusion);
    }
}

static void
add_default_steps (AssayTarget *self)
{
  static const AssayStepKind kinds[] = { ASSAY_STEP_FUSIONS, ASSAY_STEP_RULE,
                                         ASSAY_STEP_CONDITIONS };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      AssayStep step = { kinds[i], NULL };

      g_array_append_val (self->steps, step);
    }
}

/* Reads a target and what it builds on into an empty one. */
gboolean
assay_target_read (AssayTarget *self, GBytes *bytes, const char *name, AssayFindings *findings,
                   GError **error)
{
  g_autoptr (GPtrArray)
      chain = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_json_reader_free);
  guint n_errors = 0;

  if (!open_chain (self, bytes, name, findings, chain, error))
    return FALSE;

  read_family (self, chain);
  for (guint i = chain->len; i-- > 0;)
    {
      AssayJsonReader *reader = g_ptr_array_index (chain, i);

      read_header (self, reader, assay_json_reader_root (reader));
      read_config (self, reader, assay_json_reader_root (reader));
      read_sets (self, reader, assay_json_reader_root (reader));
    }
  self->version = inherit_string (chain, "version");
  self->source = inherit_string (chain, "source");

  add_default_steps (self);
  for (guint i = chain->len; i-- > 0;)
    read_steps (self, g_ptr_array_index (chain, i),
                assay_json_reader_root (g_ptr_array_index (chain, i)));

  for (guint i = 0; i < chain->len; i++)
    {
      AssayJsonReader *reader = g_ptr_array_index (chain, i);
      JsonObject *root = assay_json_reader_root (reader);

      read_names (reader, root, "estimated", self->estimated);
      if (self->composites->len == 0)
        read_names (reader, root, "composites", self->composites);
      read_target_notes (self, reader, root);
      read_rules (self, reader, root);
    }
  g_ptr_array_add (self->composites, NULL);
  read_fallback (self, chain);
  build_index (self);
  self->json = json_node_alloc ();
  json_node_init (self->json, JSON_NODE_OBJECT);
  json_node_take_object (self->json, merge_json (self, chain));

  for (guint i = 0; i < chain->len; i++)
    n_errors += ((AssayJsonReader *) g_ptr_array_index (chain, i))->n_errors;

  if (n_errors > 0)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s: %u %s in this target file", name,
                   n_errors, n_errors == 1 ? "error" : "errors");
      return FALSE;
    }

  return TRUE;
}
