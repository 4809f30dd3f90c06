/* assay-target-rules.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "target/assay-target-rules.h"

#include <string.h>

#include "target/assay-verdict-private.h"

static const char *const rule_members[] = {
  "id",         "op",      "if",          "when",   "verdict", "otherwise", "stage", "reason",
  "engine",     "mapping", "note",        "notes",  "source",  "reachable", "key",   "dtypes",
  "out_dtypes", "storage", "out_storage", "resize", "highdim", NULL
};
static const char *const check_members[] = { "step",  "id",     "if",     "when", "otherwise",
                                             "stage", "reason", "source", NULL };
static const char *const fusion_members[] = { "id",    "nodes",  "into",    "accept", "follow",
                                              "stage", "engine", "mapping", "reason", "source",
                                              "note",  "notes",  "when",    NULL };
static const char *const fusion_node_members[] = { "name", "op", "inputs", "single", "when", NULL };
static const char *const note_members[] = { "stage", "when", "text", NULL };
static const char *const id_required[] = { "id", NULL };

/* Names of layouts in target files: one of each, and the groups that registries use. */
static const struct
{
  const char *name;
  guint32 set;
} storage_names[] = {
  { "BUFc", ASSAY_STORAGE_BUFFER },
  { "BUF*", ASSAY_STORAGE_BUFFER | ASSAY_STORAGE_BUFFER_PACKED },
  { "TEXw", ASSAY_STORAGE_TEXTURE_W },
  { "TEXh", ASSAY_STORAGE_TEXTURE_H },
  { "TEXc", ASSAY_STORAGE_TEXTURE_C },
  { "TEX*", ASSAY_STORAGE_TEXTURES },
  { "ANY", ASSAY_STORAGE_TEXTURES | ASSAY_STORAGE_BUFFER | ASSAY_STORAGE_BUFFER_PACKED },
  { "CONT", ASSAY_STORAGE_BUFFER | ASSAY_STORAGE_TEXTURE_W },
  { "Q8", ASSAY_STORAGE_PACKED_INT8 },
  { "-", 0 },
};

static gpointer
take (AssayJsonReader *reader, gconstpointer data, gsize n, gsize size)
{
  return n > 0 ? assay_arena_memdup (reader->arena, data, n * size) : NULL;
}

/**
 * assay_target_read_dtypes:
 * @self: the target, whose sets are known
 * @reader: at the node
 * @node: (nullable): names of element types or sets
 *
 * Reads a set of element types.
 *
 * Returns: the set
 */
AssayDTypeSet
assay_target_read_dtypes (AssayTarget *self, AssayJsonReader *reader, JsonNode *node)
{
  g_autoptr (GPtrArray)
      names = assay_json_reader_strings (reader, node, "element type or list of element types");
  AssayDTypeSet set = 0;

  for (guint i = 0; i < names->len; i++)
    {
      const char *name = g_ptr_array_index (names, i);
      gpointer known;
      AssayDType dtype;

      if (g_hash_table_lookup_extended (self->sets, name, NULL, &known))
        set |= GPOINTER_TO_UINT (known);
      else if (assay_dtype_from_name (name, &dtype))
        set |= 1u << dtype;
      else
        {
          g_autoptr (GPtrArray) candidates = g_ptr_array_new ();
          GHashTableIter iter;
          gpointer key;

          g_hash_table_iter_init (&iter, self->sets);
          while (g_hash_table_iter_next (&iter, &key, NULL))
            g_ptr_array_add (candidates, key);
          for (guint j = 1; j < ASSAY_N_DTYPES; j++)
            g_ptr_array_add (candidates, (gpointer) assay_dtype_name (j));
          assay_json_reader_unknown (reader, "element type", name, candidates);
        }
    }

  return set;
}

static guint32
read_storage (AssayJsonReader *reader, JsonNode *node)
{
  g_autoptr (GPtrArray)
      names = assay_json_reader_strings (reader, node, "layout or list of layouts");
  guint32 set = 0;

  for (guint i = 0; i < names->len; i++)
    {
      const char *name = g_ptr_array_index (names, i);
      guint j = 0;

      while (j < G_N_ELEMENTS (storage_names) && !g_str_equal (storage_names[j].name, name))
        j++;

      if (j < G_N_ELEMENTS (storage_names))
        set |= storage_names[j].set;
      else
        {
          g_autoptr (GPtrArray) candidates = g_ptr_array_new ();

          for (j = 0; j < G_N_ELEMENTS (storage_names); j++)
            g_ptr_array_add (candidates, (gpointer) storage_names[j].name);
          assay_json_reader_unknown (reader, "layout", name, candidates);
        }
    }

  return set;
}

/* One set per argument: a list with an entry each, or one string for all. */
static const guint32 *
read_sets (AssayTarget *self, AssayJsonReader *reader, JsonObject *object, const char *member,
           gboolean storage, guint *n)
{
  JsonNode *node = json_object_get_member (object, member);
  g_autoptr (GArray) sets = g_array_new (FALSE, FALSE, sizeof (guint32));
  AssayJsonEach each;
  gsize mark;

  *n = 0;
  if (node == NULL)
    return NULL;

  mark = assay_json_reader_enter (reader, member);
  each = assay_json_each_in_node (reader, node);
  while (assay_json_each_next (&each))
    {
      guint32 set = storage ? read_storage (reader, each.node)
                            : assay_target_read_dtypes (self, reader, each.node);

      g_array_append_val (sets, set);
    }
  assay_json_reader_leave (reader, mark);

  *n = sets->len;
  return take (reader, sets->data, sets->len, sizeof (guint32));
}

/* Operators by ONNX name. What has a `:` or starts with `aten.` is outside the table and kept as a
 * key. */
static void
read_ops (AssayJsonReader *reader, JsonNode *node, GArray *ops, GPtrArray *keys, gboolean *any)
{
  g_autoptr (GPtrArray)
      names = assay_json_reader_strings (reader, node, "operator or list of operators");

  for (guint i = 0; i < names->len; i++)
    {
      const char *name = g_ptr_array_index (names, i);
      AssayOp op = assay_op_lookup ("", name);

      for (AssayOp known = 1; op == ASSAY_OP_OPAQUE && known < ASSAY_N_OPS; known++)
        if (g_str_equal (assay_op_name (known), name))
          op = known;

      if (op != ASSAY_OP_OPAQUE)
        g_array_append_val (ops, op);
      else if (any != NULL && g_str_equal (name, "*"))
        *any = TRUE;
      else if (keys != NULL && (strchr (name, ':') != NULL || g_str_has_prefix (name, "aten.")))
        g_ptr_array_add (keys, (gpointer) name);
      else
        {
          g_autoptr (GPtrArray) candidates = g_ptr_array_new ();

          for (AssayOp known = 1; known < ASSAY_N_OPS; known++)
            g_ptr_array_add (candidates, (gpointer) assay_op_name (known));
          assay_json_reader_unknown (reader, "operator", name, candidates);
        }
    }
}

static AssayCalls read_calls (AssayTarget *self, AssayJsonReader *reader, JsonObject *object,
                              const char *member);

static gboolean
read_int (AssayTarget *self, AssayJsonReader *reader, JsonNode *node, gint64 *value)
{
  const char *string;

  if (assay_json_node_is_integer (node))
    {
      *value = json_node_get_int (node);
      return TRUE;
    }

  if (!assay_json_node_is_string (node) ||
      !g_str_has_prefix (json_node_get_string (node), "config."))
    {
      assay_json_reader_expect (reader, node, "number");
      return FALSE;
    }

  string = json_node_get_string (node) + strlen ("config.");
  if (!assay_target_get_config_int (self, string, value))
    {
      g_autoptr (GPtrArray) candidates = g_ptr_array_new ();
      g_autoptr (GList) fields = json_object_get_members (self->config);

      for (GList *l = fields; l != NULL; l = l->next)
        g_ptr_array_add (candidates, l->data);
      assay_json_reader_unknown (reader, "field of the configuration", string, candidates);
      return FALSE;
    }

  return TRUE;
}

static void
read_ints (AssayTarget *self, AssayJsonReader *reader, JsonNode *node, AssayArg *arg)
{
  g_autoptr (GArray) ints = g_array_new (FALSE, FALSE, sizeof (gint64));
  AssayJsonEach each = assay_json_each_in_node (reader, node);
  gint64 value;

  while (assay_json_each_next (&each))
    if (read_int (self, reader, each.node, &value))
      g_array_append_val (ints, value);

  arg->n = ints->len;
  arg->u.ints = take (reader, ints->data, ints->len, sizeof (gint64));
}

static void
read_arg (AssayTarget *self, AssayJsonReader *reader, JsonObject *object, const AssayArgSpec *spec,
          AssayArg *arg)
{
  JsonNode *node = json_object_get_member (object, spec->name);
  guint before = reader->n_errors;
  gsize mark;

  if (node == NULL)
    {
      if (spec->required)
        assay_json_reader_complain (reader, "member \"%s\" is missing: %s", spec->name, spec->doc);
      return;
    }

  if (spec->kind == ASSAY_ARG_CALLS)
    {
      AssayCalls calls = read_calls (self, reader, object, spec->name);

      arg->n = calls.n;
      arg->u.calls = calls.calls;
      arg->present = TRUE;
      return;
    }

  mark = assay_json_reader_enter (reader, spec->name);

  switch (spec->kind)
    {
    case ASSAY_ARG_INT:
      read_int (self, reader, node, &arg->u.i);
      break;
    case ASSAY_ARG_NUMBER:
      if (assay_json_node_is_number (node))
        arg->u.f = json_node_get_double (node);
      else
        assay_json_reader_expect (reader, node, "number");
      break;
    case ASSAY_ARG_BOOL:
      if (JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_BOOLEAN)
        arg->u.b = json_node_get_boolean (node);
      else
        assay_json_reader_expect (reader, node, "true or false");
      break;
    case ASSAY_ARG_STRING:
      if (assay_json_node_is_string (node))
        arg->u.s = assay_arena_intern (reader->arena, json_node_get_string (node));
      else
        assay_json_reader_expect (reader, node, "string");
      break;
    case ASSAY_ARG_INTS:
      read_ints (self, reader, node, arg);
      break;
    case ASSAY_ARG_STRINGS:
      {
        g_autoptr (GPtrArray)
            strings = assay_json_reader_strings (reader, node, "string or list of strings");

        arg->n = strings->len;
        arg->u.strings = take (reader, strings->pdata, strings->len, sizeof (char *));
        break;
      }
    case ASSAY_ARG_OPS:
      {
        g_autoptr (GArray) ops = g_array_new (FALSE, FALSE, sizeof (AssayOp));
        g_autoptr (GArray) ints = g_array_new (FALSE, FALSE, sizeof (gint64));

        read_ops (reader, node, ops, NULL, NULL);
        for (guint i = 0; i < ops->len; i++)
          {
            gint64 op = g_array_index (ops, AssayOp, i);

            g_array_append_val (ints, op);
          }
        arg->n = ints->len;
        arg->u.ints = take (reader, ints->data, ints->len, sizeof (gint64));
        break;
      }
    case ASSAY_ARG_DTYPES:
      arg->u.dtypes = assay_target_read_dtypes (self, reader, node);
      break;
    case ASSAY_ARG_CALLS:
    default:
      g_assert_not_reached ();
    }

  arg->present = reader->n_errors == before;
  assay_json_reader_leave (reader, mark);
}

static AssayCall *
read_call (AssayTarget *self, AssayJsonReader *reader, JsonNode *node)
{
  const char *allowed[ASSAY_MAX_ARGS + 5] = { "is", "reason", "stage", "id" };
  const AssayPredicate *predicate;
  const char *name;
  AssayCall *call;
  JsonObject *object;

  if (!JSON_NODE_HOLDS_OBJECT (node))
    {
      assay_json_reader_expect (reader, node,
                                "predicate call, such as {\"is\": \"rank\", \"max\": 4},");
      return NULL;
    }

  object = json_node_get_object (node);
  name = assay_json_reader_string (reader, object, "is");
  if (name == NULL)
    {
      if (!json_object_has_member (object, "is"))
        assay_json_reader_complain (reader, "member \"is\" is missing: name of the predicate");
      return NULL;
    }

  predicate = assay_predicate_lookup (name);
  if (predicate == NULL)
    {
      g_autoptr (GPtrArray) all = assay_predicate_list ();
      gsize mark = assay_json_reader_enter (reader, "is");

      for (guint i = 0; i < all->len; i++)
        all->pdata[i] = (gpointer) ((const AssayPredicate *) all->pdata[i])->name;
      assay_json_reader_unknown (reader, "predicate", name, all);
      assay_json_reader_leave (reader, mark);
      return NULL;
    }

  for (guint i = 0; i < ASSAY_MAX_ARGS && predicate->args[i].name != NULL; i++)
    allowed[4 + i] = predicate->args[i].name;
  assay_json_reader_members (reader, object, allowed, NULL);

  call = assay_arena_alloc (reader->arena, sizeof (AssayCall));
  memset (call, 0, sizeof (AssayCall));
  call->predicate = predicate;
  call->reason = assay_json_reader_string (reader, object, "reason");
  call->id = assay_json_reader_string (reader, object, "id");
  call->has_stage = json_object_has_member (object, "stage");
  call->stage = (AssayStage) assay_json_reader_choice (reader, object, "stage", assay_stage_names,
                                                       0);

  for (guint i = 0; i < ASSAY_MAX_ARGS && predicate->args[i].name != NULL; i++)
    read_arg (self, reader, object, &predicate->args[i], &call->args[i]);

  return call;
}

static AssayCalls
read_calls (AssayTarget *self, AssayJsonReader *reader, JsonObject *object, const char *member)
{
  JsonArray *array = assay_json_reader_array (reader, object, member);
  AssayJsonEach each = assay_json_each_in_list (reader, array != NULL ? object : NULL, member,
                                                G_MAXUINT);
  AssayCalls calls = { 0, NULL };

  if (array != NULL)
    calls.calls = assay_arena_alloc_n (reader->arena, MAX (json_array_get_length (array), 1),
                                       sizeof (AssayCall *));
  while (assay_json_each_next (&each))
    {
      AssayCall *call = read_call (self, reader, each.node);

      if (call != NULL)
        calls.calls[calls.n++] = call;
    }

  return calls;
}

/**
 * assay_target_read_notes:
 * @self: the target, whose configuration and sets are known
 * @reader: at the object
 * @object: what may have members `note` and `notes`
 * @n: (out): number of notes
 *
 * Reads notes.
 *
 * Returns: (transfer none) (array length=n) (nullable): the notes, in the arena of the target
 */
const AssayNote *
assay_target_read_notes (AssayTarget *self, AssayJsonReader *reader, JsonObject *object, guint *n)
{
  static const char *const required[] = { "text", NULL };
  g_autoptr (GArray) notes = g_array_new (FALSE, TRUE, sizeof (AssayNote));
  AssayJsonEach each = assay_json_each_in_list (reader, object, "notes", G_MAXUINT);
  const char *plain;

  while (assay_json_each_next_object (&each))
    {
      AssayNote note = { 0 };

      assay_json_reader_members (reader, each.object, note_members, required);
      note.stage = (AssayStage) assay_json_reader_choice (reader, each.object, "stage",
                                                          assay_stage_names, ASSAY_STAGE_RUNTIME);
      note.when = read_calls (self, reader, each.object, "when");
      note.text = assay_json_reader_string (reader, each.object, "text");
      if (note.text != NULL)
        g_array_append_val (notes, note);
    }

  plain = assay_json_reader_string (reader, object, "note");
  if (plain != NULL)
    {
      AssayNote note = { ASSAY_STAGE_PARTITIONER, { 0, NULL }, plain };

      g_array_prepend_val (notes, note);
    }

  *n = notes->len;
  return take (reader, notes->data, notes->len, sizeof (AssayNote));
}

/**
 * assay_target_read_rule:
 * @self: the target, whose configuration and sets are known
 * @reader: at the node
 * @node: the rule
 * @is_check: whether it is a check of the decision order, which has no operators
 *
 * Reads one rule.
 *
 * Returns: (transfer none) (nullable): the rule, in the arena of the target
 */
AssayRule *
assay_target_read_rule (AssayTarget *self, AssayJsonReader *reader, JsonNode *node,
                        gboolean is_check)
{
  static const char *const rule_required[] = { "id", "op", NULL };
  static const char *const otherwise_names[] = { "rejected",  "host",        "undecided",
                                                 "fused",     "transformed", "removed",
                                                 "supported", "next",        NULL };
  const AssayVerdictKind worst = self->check_class->untaken;
  g_autoptr (GArray) ops = g_array_new (FALSE, FALSE, sizeof (AssayOp));
  g_autoptr (GPtrArray) keys = g_ptr_array_new ();
  JsonObject *object;
  AssayRule *rule;
  int otherwise;

  if (!JSON_NODE_HOLDS_OBJECT (node))
    {
      assay_json_reader_expect (reader, node, "rule");
      return NULL;
    }

  object = json_node_get_object (node);
  assay_json_reader_members (reader, object, is_check ? check_members : rule_members,
                             is_check ? id_required : rule_required);

  rule = assay_arena_alloc (reader->arena, sizeof (AssayRule));
  memset (rule, 0, sizeof (AssayRule));

  if (!is_check && json_object_has_member (object, "op"))
    {
      gsize mark = assay_json_reader_enter (reader, "op");

      read_ops (reader, json_object_get_member (object, "op"), ops, keys, &rule->any_op);
      assay_json_reader_leave (reader, mark);
    }

  rule->id = assay_json_reader_string (reader, object, "id");
  rule->n_ops = ops->len;
  rule->ops = take (reader, ops->data, ops->len, sizeof (AssayOp));
  rule->n_keys = keys->len;
  rule->keys = take (reader, keys->pdata, keys->len, sizeof (char *));
  rule->applies = read_calls (self, reader, object, "if");
  rule->when = read_calls (self, reader, object, "when");
  rule->verdict = (AssayVerdictKind) assay_json_reader_choice (
      reader, object, "verdict", assay_verdict_names, ASSAY_VERDICT_SUPPORTED);
  otherwise = assay_json_reader_choice (reader, object, "otherwise", otherwise_names, (int) worst);
  rule->next = otherwise == ASSAY_N_VERDICTS;
  rule->otherwise = rule->next ? worst : (AssayVerdictKind) otherwise;
  rule->stage = (AssayStage) assay_json_reader_choice (reader, object, "stage", assay_stage_names,
                                                       ASSAY_STAGE_PARTITIONER);
  rule->reason = assay_json_reader_string (reader, object, "reason");
  rule->engine = assay_json_reader_string (reader, object, "engine");
  rule->mapping = assay_json_reader_string (reader, object, "mapping");
  rule->source = assay_json_reader_string (reader, object, "source");
  rule->reachable = assay_json_reader_string (reader, object, "reachable");
  rule->notes = assay_target_read_notes (self, reader, object, &rule->n_notes);
  rule->features.key = assay_json_reader_string (reader, object, "key");
  rule->features.dtypes = read_sets (self, reader, object, "dtypes", FALSE,
                                     &rule->features.n_dtypes);
  rule->features.out_dtypes = read_sets (self, reader, object, "out_dtypes", FALSE,
                                         &rule->features.n_out_dtypes);
  rule->features.storage = read_sets (self, reader, object, "storage", TRUE,
                                      &rule->features.n_storage);
  rule->features.out_storage = read_sets (self, reader, object, "out_storage", TRUE,
                                          &rule->features.n_out_storage);
  rule->features.resize = assay_json_reader_bool (reader, object, "resize", FALSE);
  rule->features.highdim = assay_json_reader_bool (reader, object, "highdim", FALSE);

  return rule->id != NULL ? rule : NULL;
}

static int
find_node (JsonArray *nodes, const char *name)
{
  for (guint i = 0; i < json_array_get_length (nodes); i++)
    {
      JsonNode *node = json_array_get_element (nodes, i);
      JsonNode *member = JSON_NODE_HOLDS_OBJECT (node)
                             ? json_object_get_member (json_node_get_object (node), "name")
                             : NULL;

      if (assay_json_node_is_string (member) &&
          g_strcmp0 (json_node_get_string (member), name) == 0)
        return (int) i;
    }

  return -1;
}

static void
read_fusion_inputs (AssayJsonReader *reader, JsonArray *nodes, guint self_index, JsonNode *member,
                    AssayFusionNode *result)
{
  g_autoptr (GArray) inputs = g_array_new (FALSE, FALSE, sizeof (int));
  g_autoptr (GPtrArray)
      names = assay_json_reader_strings (reader, member, "name of a node or list of names");

  for (guint i = 0; i < names->len; i++)
    {
      const char *name = g_ptr_array_index (names, i);
      int input = ASSAY_FUSION_ANY;

      if (g_str_equal (name, "constant"))
        input = ASSAY_FUSION_CONSTANT;
      else if (!g_str_equal (name, "any"))
        {
          input = find_node (nodes, name);
          if (input <= (int) self_index)
            {
              assay_json_reader_complain (
                  reader,
                  "\"%s\" is neither \"any\", \"constant\" nor a node further down the list", name);
              input = ASSAY_FUSION_ANY;
            }
        }

      g_array_append_val (inputs, input);
    }

  result->n_inputs = inputs->len;
  result->inputs = take (reader, inputs->data, inputs->len, sizeof (int));
}

static void
read_fusion_node (AssayTarget *self, AssayJsonReader *reader, JsonArray *nodes, guint index,
                  AssayFusionNode *result)
{
  static const char *const required[] = { "name", "op", NULL };
  g_autoptr (GArray) ops = g_array_new (FALSE, FALSE, sizeof (AssayOp));
  JsonNode *node = json_array_get_element (nodes, index);
  JsonObject *object;

  if (!JSON_NODE_HOLDS_OBJECT (node))
    {
      assay_json_reader_expect (reader, node, "object");
      return;
    }

  object = json_node_get_object (node);
  assay_json_reader_members (reader, object, fusion_node_members, required);
  result->name = assay_json_reader_string (reader, object, "name");

  if (json_object_has_member (object, "op"))
    {
      gsize mark = assay_json_reader_enter (reader, "op");

      read_ops (reader, json_object_get_member (object, "op"), ops, NULL, NULL);
      assay_json_reader_leave (reader, mark);
    }
  result->n_ops = ops->len;
  result->ops = take (reader, ops->data, ops->len, sizeof (AssayOp));

  if (json_object_has_member (object, "inputs"))
    {
      gsize mark = assay_json_reader_enter (reader, "inputs");

      read_fusion_inputs (reader, nodes, index, json_object_get_member (object, "inputs"), result);
      assay_json_reader_leave (reader, mark);
    }

  result->single = assay_json_reader_bool (reader, object, "single", index > 0);
  result->when = read_calls (self, reader, object, "when");
}

/* The conditions of a pattern that is taken as a whole, in the form of a rule that refuses it. */
static AssayRule *
read_fusion_conditions (AssayTarget *self, AssayJsonReader *reader, JsonObject *object,
                        const AssayFusion *fusion)
{
  AssayRule *rule = assay_arena_alloc (reader->arena, sizeof (AssayRule));

  memset (rule, 0, sizeof (AssayRule));
  rule->id = fusion->id;
  rule->when = read_calls (self, reader, object, "when");
  rule->verdict = ASSAY_VERDICT_SUPPORTED;
  rule->otherwise = self->check_class->untaken;
  rule->stage = fusion->stage;
  rule->mapping = fusion->mapping;
  rule->source = fusion->source;

  return rule;
}

/**
 * assay_target_read_fusion:
 * @self: the target, whose configuration and sets are known
 * @reader: at the node
 * @node: the pattern
 *
 * Reads one fusion pattern.
 *
 * Returns: (transfer none) (nullable): the pattern, in the arena of the target
 */
AssayFusion *
assay_target_read_fusion (AssayTarget *self, AssayJsonReader *reader, JsonNode *node)
{
  static const char *const required[] = { "id", "nodes", "into", NULL };
  AssayFusionNode *nodes;
  AssayFusion *fusion;
  JsonObject *object;
  JsonArray *array;
  const char *into;
  AssayJsonEach each;

  if (!JSON_NODE_HOLDS_OBJECT (node))
    {
      assay_json_reader_expect (reader, node, "fusion");
      return NULL;
    }

  object = json_node_get_object (node);
  assay_json_reader_members (reader, object, fusion_members, required);
  array = assay_json_reader_array (reader, object, "nodes");
  if (array == NULL)
    return NULL;

  if (json_array_get_length (array) < 2 || json_array_get_length (array) > ASSAY_MAX_FUSION)
    {
      assay_json_reader_complain_at (reader, "nodes", "2 to %d nodes expected, got %u",
                                     ASSAY_MAX_FUSION, json_array_get_length (array));
      return NULL;
    }

  fusion = assay_arena_alloc (reader->arena, sizeof (AssayFusion));
  memset (fusion, 0, sizeof (AssayFusion));
  fusion->id = assay_json_reader_string (reader, object, "id");
  fusion->n_nodes = json_array_get_length (array);
  nodes = assay_arena_alloc_n (reader->arena, fusion->n_nodes, sizeof (AssayFusionNode));
  memset (nodes, 0, fusion->n_nodes * sizeof (AssayFusionNode));
  fusion->nodes = nodes;

  each = assay_json_each_in_list (reader, object, "nodes", G_MAXUINT);
  while (assay_json_each_next (&each))
    read_fusion_node (self, reader, array, each.index, &nodes[each.index]);

  into = assay_json_reader_string (reader, object, "into");
  if (into != NULL && find_node (array, into) < 0)
    assay_json_reader_complain_at (reader, "into",
                                   "\"%s\" is not the name of a node of the pattern", into);
  else if (into != NULL)
    fusion->into = (guint) find_node (array, into);

  fusion->accept = assay_json_reader_bool (reader, object, "accept", FALSE);
  fusion->follow = assay_json_reader_bool (reader, object, "follow", FALSE);
  fusion->stage = (AssayStage) assay_json_reader_choice (reader, object, "stage", assay_stage_names,
                                                         ASSAY_STAGE_PARTITIONER);
  fusion->engine = assay_json_reader_string (reader, object, "engine");
  fusion->mapping = assay_json_reader_string (reader, object, "mapping");
  fusion->reason = assay_json_reader_string (reader, object, "reason");
  fusion->source = assay_json_reader_string (reader, object, "source");
  fusion->notes = assay_target_read_notes (self, reader, object, &fusion->n_notes);
  if (json_object_has_member (object, "when"))
    fusion->conditions = read_fusion_conditions (self, reader, object, fusion);

  return fusion->id != NULL ? fusion : NULL;
}
