/* assay-check-decide.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "source/torch/assay-torch-call.h"
#include "target/assay-check-private.h"

/* Rules about nodes that nothing is left of; every target has them. */
#define RULE_CONSTANT "builtin.constant"
#define RULE_UNUSED "builtin.unused"
#define RULE_VIOLATION "builtin.malformed"
#define RULE_PORT "builtin.port"

typedef struct
{
  AssayTruth truth;
  const AssayCall *call;
} Outcome;

void
assay_context_begin (AssayContext *self, AssayNodeId node, const AssayRule *rule)
{
  self->node_id = node;
  self->node = assay_graph_node (self->check->graph, node);
  self->rule = rule;
  self->attribute = NULL;
  self->failed = NULL;
}

static void
forget_words (AssayContext *context)
{
  g_string_truncate (context->actual, 0);
  g_string_truncate (context->allowed, 0);
  context->attribute = NULL;
  context->id = NULL;
  context->cause = NULL;
  g_array_set_size (context->details, 0);
  context->failed = NULL;
}

/* Whether a call belongs to a stage after that of its rule. */
static gboolean
is_later (const AssayCall *call, AssayStage stage)
{
  return call->has_stage && call->stage > stage;
}

/* The first call that does not hold, else the first that cannot be known. Most calls hold, so words
 * are made by explain() for the one that matters alone. */
static Outcome
test_calls (AssayContext *context, const AssayCalls *calls, AssayStage stage, gboolean later)
{
  Outcome outcome = { ASSAY_TRUE, NULL };

  context->quiet = TRUE;
  for (guint i = 0; i < calls->n && outcome.truth != ASSAY_FALSE; i++)
    if (is_later (calls->calls[i], stage) == later)
      {
        AssayTruth truth = assay_context_evaluate (context, calls->calls[i]);

        if (truth == ASSAY_FALSE || (truth == ASSAY_UNKNOWN && outcome.truth == ASSAY_TRUE))
          outcome = (Outcome){ truth, calls->calls[i] };
      }
  context->quiet = FALSE;

  return outcome;
}

/* Puts the words of an outcome into the context. */
static void
explain (AssayContext *context, Outcome outcome)
{
  forget_words (context);
  assay_context_evaluate (context, outcome.call);
}

static void
append_value (const AssayAttr *attr, GString *text)
{
  switch (attr->kind)
    {
    case ASSAY_ATTR_INT:
      g_string_append_printf (text, "%" G_GINT64_FORMAT, attr->u.i);
      break;
    case ASSAY_ATTR_FLOAT:
      g_string_append_printf (text, "%g", attr->u.f);
      break;
    case ASSAY_ATTR_STRING:
      g_string_append (text, attr->u.s);
      break;
    case ASSAY_ATTR_INTS:
      g_string_append_c (text, '[');
      for (guint i = 0; i < attr->n && i < 16; i++)
        g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? "," : "", attr->u.ints[i]);
      g_string_append_c (text, ']');
      break;
    case ASSAY_ATTR_NONE:
    case ASSAY_ATTR_TENSOR:
    case ASSAY_ATTR_GRAPH:
    case ASSAY_ATTR_TYPE:
    case ASSAY_ATTR_FLOATS:
    case ASSAY_ATTR_STRINGS:
    case ASSAY_ATTR_TENSORS:
    case ASSAY_ATTR_GRAPHS:
    case ASSAY_ATTR_TYPES:
    default:
      g_string_append (text, "given");
      break;
    }
}

/* Writes what stands in braces: the value of an attribute, or one of two words by it. */
void
assay_check_append_attr (AssayCheck *self, const AssayNode *node, const char *name, gsize length,
                         GString *text)
{
  g_autofree char *whole = g_strndup (name, length);
  char *choice = strchr (whole, '?');
  AssayAttr attr;

  if (choice != NULL)
    {
      gint64 value = 0;
      char *colon;

      *choice++ = '\0';
      colon = strchr (choice, ':');
      if (colon != NULL)
        *colon++ = '\0';
      assay_node_find_int (node, whole, &value);
      g_string_append (text, value != 0 ? choice : colon != NULL ? colon : "");
    }
  else if (assay_node_resolve_attr (node, whole, &attr))
    append_value (&attr, text);
  else
    g_string_append (text, "default");
}

/* Writes @text as a part of a sentence; what starts one gets a capital. */
static void
append_words (GString *sentence, const char *text)
{
  gsize at = sentence->len;

  g_string_append (sentence, text);
  if (at == 0 && sentence->len > 0)
    sentence->str[0] = g_ascii_toupper (sentence->str[0]);
}

/* Writes what a sentence is about: names of attributes are no words to begin with. */
static void
append_attribute (GString *sentence, const char *attribute)
{
  if (sentence->len == 0 && strchr (attribute, ' ') == NULL)
    g_string_append (sentence, "Its ");
  append_words (sentence, attribute);
}

static gboolean
is_too_long (const GString *text)
{
  return g_utf8_strlen (text->str, (gssize) text->len) > ASSAY_REASON_LENGTH;
}

/* Fills in the first @length bytes of the words of a rule. */
static void
fill (AssayCheck *self, GString *text, const char *sentence, gsize length, const AssayNode *node,
      const char *actual, const char *allowed, const char *attribute)
{
  g_string_truncate (text, 0);
  for (const char *p = sentence; p < sentence + length; p++)
    {
      const char *end = *p == '{' ? strchr (p, '}') : NULL;
      gsize n = end != NULL ? (gsize) (end - p) - 1 : 0;

      if (end == NULL)
        {
          g_string_append_c (text, *p);
          continue;
        }

      if (n == 6 && strncmp (p + 1, "actual", n) == 0)
        append_words (text, actual != NULL ? actual : "unknown");
      else if (n == 7 && strncmp (p + 1, "allowed", n) == 0)
        g_string_append (text, allowed != NULL ? allowed : "another");
      else if (n == 9 && strncmp (p + 1, "attribute", n) == 0)
        append_attribute (text, attribute != NULL ? attribute : "the node");
      else if (n == 2 && strncmp (p + 1, "op", n) == 0)
        g_string_append (text, node->op_type);
      else
        assay_check_append_attr (self, node, p + 1, n, text);

      p = end;
    }
}

/**
 * assay_check_sentence:
 * @self: a check
 * @sentence: words with `{actual}`, `{allowed}`, `{attribute}`, `{op}` or, in braces, the name of
 * an attribute;
 *   `{NAME?YES:NO}` chooses by an integer attribute
 * @node: the node
 * @actual: (nullable): what was found
 * @allowed: (nullable): what would have been taken
 * @attribute: (nullable): where
 *
 * Fills in the words of a rule.
 *
 * Returns: (transfer none): the sentence
 */
const char *
assay_check_sentence (AssayCheck *self, const char *sentence, const AssayNode *node,
                      const char *actual, const char *allowed, const char *attribute)
{
  static const char *const tail = ", not {allowed}";
  g_autoptr (GString) text = NULL;
  gsize length = strlen (sentence);

  if (strchr (sentence, '{') == NULL)
    return sentence;

  text = g_string_sized_new (128);
  fill (self, text, sentence, length, node, actual, allowed, attribute);

  /* A long list of what would have been taken has a place of its own. */
  if (is_too_long (text) && g_str_has_suffix (sentence, tail))
    {
      fill (self, text, sentence, length - strlen (tail), node, actual, allowed, attribute);
      g_string_append (text, ", which is not taken");
    }
  if (is_too_long (text))
    {
      const char *end = g_utf8_offset_to_pointer (text->str, ASSAY_REASON_LENGTH - 1);

      g_string_truncate (text, (gsize) (end - text->str));
      g_string_append (text, "…");
    }

  return assay_arena_intern (self->arena, text->str);
}

/* What is no sentence of one line: how the target writes a node, and notes. */
static const char *
write_mapping (AssayCheck *self, const char *words, const AssayNode *node)
{
  g_autoptr (GString) text = g_string_new (NULL);

  fill (self, text, words, strlen (words), node, NULL, NULL, NULL);

  return assay_arena_intern (self->arena, text->str);
}

static const char *
keep (AssayCheck *self, GString *text)
{
  return text->len > 0 ? assay_arena_intern (self->arena, text->str) : NULL;
}

static const char *
words_of (const AssayRule *rule, const AssayCall *call, const AssayCall *failed, AssayTruth truth)
{
  if (truth == ASSAY_UNKNOWN)
    return "{actual}";
  if (call->reason != NULL)
    return call->reason;
  if (failed != NULL && failed->reason != NULL)
    return failed->reason;
  if (rule->reason != NULL && rule->verdict != ASSAY_VERDICT_HOST)
    return rule->reason;

  return failed != NULL ? failed->predicate->sentence : call->predicate->sentence;
}

/* Which tensor an input or an output is that a reason speaks of, and who makes it. */
static void
rest_on_operand (AssayCheck *self)
{
  AssayContext *context = &self->context;
  const AssayNode *node = context->node;
  gboolean output = context->attribute != NULL && g_str_has_prefix (context->attribute, "output ");
  g_autofree char *type = NULL;
  const AssayValue *value;
  AssayValueId id;
  guint index;

  if (!output && (context->attribute == NULL || !g_str_has_prefix (context->attribute, "input ")))
    return;
  if (!g_ascii_isdigit (strchr (context->attribute, ' ')[1]))
    return;

  index = (guint) g_ascii_strtoull (strchr (context->attribute, ' '), NULL, 10);
  id = output ? assay_node_output (node, index) : assay_node_input (node, index);
  if (id == ASSAY_NO_VALUE)
    return;

  value = assay_graph_value (self->graph, id);
  type = assay_type_to_string (value->type);
  assay_context_rest_on (context, output ? ASSAY_NO_NODE : value->producer, "%s is %s %s",
                         context->attribute, value->name, type);
}

/* A condition did not hold, or could not be known. */
static void
refuse (AssayCheck *self, AssayVerdict *verdict, const AssayRule *rule, Outcome outcome)
{
  AssayContext *context = &self->context;
  const AssayCall *failed;
  const char *sentence;

  explain (context, outcome);
  rest_on_operand (self);
  failed = context->failed;
  sentence = words_of (rule, outcome.call, failed, outcome.truth);

  verdict->kind = outcome.truth == ASSAY_UNKNOWN ? ASSAY_VERDICT_UNDECIDED : rule->otherwise;
  verdict->stage = outcome.call->has_stage ? outcome.call->stage : rule->stage;
  verdict->rule = context->id != NULL                    ? context->id
                  : outcome.call->id != NULL             ? outcome.call->id
                  : failed != NULL && failed->id != NULL ? failed->id
                                                         : rule->id;
  verdict->actual = keep (self, context->actual);
  verdict->allowed = keep (self, context->allowed);
  verdict->attribute = context->attribute != NULL
                           ? assay_arena_intern (self->arena, context->attribute)
                           : NULL;
  verdict->engine = verdict->kind == ASSAY_VERDICT_HOST ? "cpu" : NULL;
  verdict->source = rule->source != NULL ? rule->source : self->target->source;
  verdict->mapping = rule->mapping != NULL ? write_mapping (self, rule->mapping, context->node)
                                           : NULL;
  verdict->reason = assay_check_sentence (self, sentence, context->node, verdict->actual,
                                          verdict->allowed, verdict->attribute);
  verdict->details = assay_arena_memdup (self->arena, context->details->data,
                                         context->details->len * sizeof (AssayVerdictDetail));
  verdict->n_details = context->details->len;
  assay_check_add_cause (self, verdict, outcome.call, sentence);
}

static void
add_notes (AssayCheck *self, AssayVerdict *verdict, const AssayNote *notes, guint n_notes)
{
  const char *texts[16];
  const char **list;
  guint n = 0;
  guint n_old = verdict->notes != NULL ? g_strv_length ((char **) verdict->notes) : 0;

  for (guint i = 0; i < n_notes && n < G_N_ELEMENTS (texts); i++)
    if (test_calls (&self->context, &notes[i].when, ASSAY_STAGE_RUNTIME, FALSE).truth == ASSAY_TRUE)
      {
        g_autofree char *text = g_strdup_printf (
            "%s: %s", assay_stage_name (notes[i].stage),
            write_mapping (self, notes[i].text, self->context.node));

        texts[n++] = assay_arena_intern (self->arena, text);
      }

  if (n == 0)
    return;

  list = assay_arena_alloc_n (self->arena, n_old + n + 1, sizeof (char *));
  for (guint i = 0; i < n_old; i++)
    list[i] = verdict->notes[i];
  for (guint i = 0; i < n; i++)
    list[n_old + i] = texts[i];
  list[n_old + n] = NULL;
  verdict->notes = list;
}

/* What a rule without a sentence of its own says of a node it decides. */
static const char *
words_for (AssayCheck *self, const AssayVerdict *verdict)
{
  const char *sentence;

  if (verdict->kind == ASSAY_VERDICT_HOST)
    return "{op} runs on the host processor";
  if (verdict->kind == ASSAY_VERDICT_REJECTED)
    return "{op} is not taken";
  if (verdict->kind == ASSAY_VERDICT_TRANSFORMED)
    return "Done by other operations";
  if (verdict->engine == NULL)
    return "The target does it as it is";

  sentence = g_hash_table_lookup (self->runs_on, verdict->engine);
  if (sentence == NULL)
    {
      g_autofree char *words = g_strdup_printf ("Runs on %s", verdict->engine);

      sentence = assay_arena_intern (self->arena, words);
      g_hash_table_insert (self->runs_on, (gpointer) verdict->engine, (gpointer) sentence);
    }

  return sentence;
}

/* The verdict of a rule whose conditions hold. */
static void
grant (AssayCheck *self, AssayVerdict *verdict, const AssayRule *rule)
{
  const AssayNode *node = self->context.node;
  const char *sentence = rule->when.n == 0 || rule->verdict <= ASSAY_VERDICT_UNDECIDED
                             ? rule->reason
                             : NULL;

  verdict->kind = rule->verdict;
  verdict->granted = rule;
  verdict->stage = rule->stage;
  verdict->rule = rule->id;
  verdict->engine = rule->engine != NULL                  ? rule->engine
                    : rule->verdict == ASSAY_VERDICT_HOST ? "cpu"
                                                          : NULL;
  verdict->source = rule->source != NULL ? rule->source : self->target->source;
  verdict->mapping = rule->mapping != NULL ? write_mapping (self, rule->mapping, node) : NULL;

  if (sentence == NULL)
    sentence = words_for (self, verdict);
  verdict->reason = assay_check_sentence (self, sentence, node, NULL, NULL, NULL);
  add_notes (self, verdict, rule->notes, rule->n_notes);
  if (rule->verdict > ASSAY_VERDICT_UNDECIDED)
    add_notes (self, verdict, (const AssayNote *) self->target->notes->data,
               self->target->notes->len);

  if (rule->verdict <= ASSAY_VERDICT_UNDECIDED)
    assay_check_add_cause (self, verdict, NULL, sentence);
}

/* What refuses may be a later stage than the rule, whose word is kept then. */
static void
refuse_later (AssayCheck *self, AssayVerdict *verdict, const AssayRule *rule,
              const AssayRule *check, Outcome outcome)
{
  AssayVerdict *earlier = NULL;

  if (rule != NULL && check->stage > rule->stage)
    {
      grant (self, verdict, rule);
      earlier = assay_arena_memdup (self->arena, verdict, sizeof (AssayVerdict));
    }

  refuse (self, verdict, check, outcome);
  verdict->earlier = earlier;
  if (rule != NULL && rule->mapping != NULL)
    verdict->mapping = write_mapping (self, rule->mapping, self->context.node);
}

/* A later stage overrules, and what the earlier one said is kept. */
static void
overrule (AssayCheck *self, AssayVerdict *verdict, const AssayRule *rule)
{
  Outcome outcome;
  AssayVerdict *earlier;

  if (verdict->kind <= ASSAY_VERDICT_UNDECIDED)
    return;

  outcome = test_calls (&self->context, &rule->when, rule->stage, TRUE);
  if (outcome.truth == ASSAY_TRUE)
    return;

  earlier = assay_arena_memdup (self->arena, verdict, sizeof (AssayVerdict));
  refuse (self, verdict, rule, outcome);
  verdict->earlier = earlier;
}

/* The rules for a function that is called by its name, if the target has any. */
static const GPtrArray *
find_row (const AssayTarget *target, const AssayNode *node)
{
  g_autofree char *key = assay_torch_call_dup_key (node);
  const GPtrArray *rules = g_hash_table_lookup (target->key_rules, key);
  char *dot = strrchr (key, '.');

  /* A row can be about all overloads of a function, or about one. */
  if (rules == NULL && dot != NULL && dot > key + strlen ("aten"))
    {
      *dot = '\0';
      rules = g_hash_table_lookup (target->key_rules, key);
    }
  /* What gives a view of its operand is a copy in what a delegate is given. */
  if (rules == NULL && g_str_has_prefix (key, "aten."))
    {
      g_autofree char *copy = g_strconcat (key, "_copy", NULL);

      rules = g_hash_table_lookup (target->key_rules, copy);
    }

  return rules;
}

/* Whether a target has a rule for the function that a node calls. */
gboolean
assay_check_has_row (const AssayTarget *target, const AssayNode *node)
{
  return find_row (target, node) != NULL;
}

static const GPtrArray *
rules_for (AssayCheck *self, const AssayNode *node)
{
  const GPtrArray *rules = node->op == ASSAY_OP_OPAQUE ? find_row (self->target, node)
                                                       : self->target->op_rules[node->op];

  return rules != NULL || node->op != ASSAY_OP_OPAQUE ? rules
                                                      : self->target->op_rules[ASSAY_OP_OPAQUE];
}

/* The first rule from @from on that applies; an undecidable one is returned with @outcome saying
 * so. */
static const AssayRule *
pick_rule (AssayCheck *self, const GPtrArray *rules, guint *from, Outcome *outcome)
{
  *outcome = (Outcome){ ASSAY_TRUE, NULL };

  for (; rules != NULL && *from < rules->len; (*from)++)
    {
      const AssayRule *rule = g_ptr_array_index (rules, *from);

      self->context.rule = rule;
      *outcome = test_calls (&self->context, &rule->applies, ASSAY_STAGE_RUNTIME, FALSE);
      if (outcome->truth != ASSAY_FALSE)
        return rule;
    }

  return NULL;
}

static void
remove_node (AssayCheck *self, AssayVerdict *verdict, const AssayNode *node)
{
  gboolean constant = node->n_outputs > 0;

  for (guint i = 0; i < node->n_outputs; i++)
    constant = constant && (node->outputs[i] == ASSAY_NO_VALUE ||
                            assay_graph_is_constant (self->graph, node->outputs[i]) ||
                            self->parameters[node->outputs[i]]);

  verdict->kind = ASSAY_VERDICT_REMOVED;
  verdict->stage = ASSAY_STAGE_SCHEMA;
  verdict->rule = constant ? RULE_CONSTANT : RULE_UNUSED;
  verdict->source = ASSAY_SOURCE_CANONICAL;
  verdict->reason = constant ? "Its result is known before the model runs"
                             : "Nothing that is computed at run time needs it";
}

/* The node is of no use without the one that it would have become a part of. */
static gboolean
follow_fusion (AssayCheck *self, AssayVerdict *verdict, const AssayFusion *fusion,
               const AssayVerdict *leader)
{
  const char *sentence = "It is a part of {actual}, which is not taken";
  const AssayNode *node = assay_graph_node (self->graph, leader->node);

  verdict->kind = leader->kind;
  verdict->stage = fusion->stage;
  verdict->rule = fusion->id;
  verdict->actual = node->op_type;
  verdict->source = fusion->source != NULL ? fusion->source : self->target->source;
  verdict->reason = assay_check_sentence (self, sentence, self->context.node, node->op_type, NULL,
                                          NULL);
  assay_check_rest_on (self, verdict, leader->node, leader->reason);
  assay_check_add_cause (self, verdict, NULL, sentence);

  return TRUE;
}

/* Membership in a pattern: whether that alone gave a verdict. */
static gboolean
try_fusion (AssayCheck *self, AssayVerdict *verdict, AssayNodeId id)
{
  const AssayFusion *fusion = self->fusion[id];
  AssayNodeId into;

  if (fusion == NULL)
    return FALSE;

  into = self->fused_into[id];
  if (into == id && !fusion->accept)
    return FALSE;

  if (into == id && fusion->conditions != NULL)
    {
      Outcome outcome = test_calls (&self->context, &fusion->conditions->when, fusion->stage,
                                    FALSE);

      if (outcome.truth != ASSAY_TRUE)
        {
          refuse (self, verdict, fusion->conditions, outcome);
          return TRUE;
        }
    }

  if (into != id)
    {
      assay_check_decide (self, into);
      assay_context_begin (&self->context, id, NULL);
      if (assay_verdicts_get (self->result, into)->kind < ASSAY_VERDICT_FUSED)
        return fusion->follow &&
               follow_fusion (self, verdict, fusion, assay_verdicts_get (self->result, into));
    }

  verdict->kind = into == id ? ASSAY_VERDICT_SUPPORTED : ASSAY_VERDICT_FUSED;
  verdict->into = into == id ? ASSAY_NO_NODE : into;
  verdict->stage = fusion->stage;
  verdict->rule = fusion->id;
  verdict->engine = fusion->engine;
  verdict->source = fusion->source != NULL ? fusion->source : self->target->source;
  verdict->mapping = fusion->mapping != NULL
                         ? write_mapping (self, fusion->mapping, self->context.node)
                         : NULL;
  verdict->reason = fusion->reason != NULL
                        ? assay_check_sentence (self, fusion->reason, self->context.node, NULL,
                                                NULL, NULL)
                    : into == id ? "Part of a pattern that is taken as a whole"
                                 : "Done together with the node it feeds or reads";
  add_notes (self, verdict, fusion->notes, fusion->n_notes);

  return TRUE;
}

static void
fall_back (AssayCheck *self, AssayVerdict *verdict)
{
  const AssayRule *rule = self->target->fallback;

  grant (self, verdict, rule);
}

/* Walks the documented order of steps; the first that refuses has the word. */
static void
walk_steps (AssayCheck *self, AssayVerdict *verdict, AssayNodeId id)
{
  const GPtrArray *rules = rules_for (self, self->context.node);
  const AssayRule *rule = NULL;
  const AssayRule *unsure = NULL;
  Outcome outcome = { ASSAY_TRUE, NULL };
  guint at = 0;

  for (guint i = 0; i < self->target->steps->len; i++)
    {
      const AssayStep *step = &g_array_index (self->target->steps, AssayStep, i);

      switch (step->kind)
        {
        case ASSAY_STEP_CHECK:
          /* A check can be for some nodes only. */
          if (test_calls (&self->context, &step->check->applies, ASSAY_STAGE_RUNTIME, FALSE)
                  .truth == ASSAY_FALSE)
            break;
          outcome = test_calls (&self->context, &step->check->when, ASSAY_STAGE_RUNTIME, FALSE);
          if (outcome.truth == ASSAY_FALSE)
            {
              refuse_later (self, verdict, rule, step->check, outcome);
              return;
            }
          /* A later step may refuse for certain. */
          if (outcome.truth == ASSAY_UNKNOWN && unsure == NULL)
            unsure = step->check;
          break;

        case ASSAY_STEP_FUSIONS:
          if (unsure == NULL && try_fusion (self, verdict, id))
            return;
          break;

        case ASSAY_STEP_RULE:
          rule = pick_rule (self, rules, &at, &outcome);
          if (rule == NULL)
            {
              fall_back (self, verdict);
              return;
            }
          if (outcome.truth == ASSAY_UNKNOWN)
            {
              refuse (self, verdict, rule, outcome);
              return;
            }
          break;

        case ASSAY_STEP_CONDITIONS:
        default:
          outcome = test_calls (&self->context, &rule->when, rule->stage, FALSE);
          while (outcome.truth == ASSAY_FALSE && rule->next)
            {
              const AssayRule *next;
              guint from = at + 1;

              next = pick_rule (self, rules, &from, &outcome);
              if (next == NULL || outcome.truth == ASSAY_UNKNOWN)
                {
                  /* Nobody else wants it: the words of the last one that looked stay. */
                  self->context.rule = rule;
                  outcome = test_calls (&self->context, &rule->when, rule->stage, FALSE);
                  break;
                }
              rule = next;
              at = from;
              outcome = test_calls (&self->context, &rule->when, rule->stage, FALSE);
            }
          if (outcome.truth != ASSAY_TRUE)
            {
              refuse (self, verdict, rule, outcome);
              return;
            }
          if (rule->verdict <= ASSAY_VERDICT_UNDECIDED)
            {
              grant (self, verdict, rule);
              return;
            }
          break;
        }
    }

  if (unsure != NULL)
    {
      self->context.rule = rule;
      outcome = test_calls (&self->context, &unsure->when, ASSAY_STAGE_RUNTIME, FALSE);
      refuse_later (self, verdict, rule, unsure, outcome);
      return;
    }

  grant (self, verdict, rule);
  overrule (self, verdict, rule);
}

/* Whether a node computes a parameter, which is done once before the model runs. */
static gboolean
makes_parameters (AssayCheck *self, const AssayNode *node)
{
  for (guint i = 0; i < node->n_outputs; i++)
    if (node->outputs[i] != ASSAY_NO_VALUE && !self->parameters[node->outputs[i]])
      return FALSE;

  return node->n_outputs > 0;
}

/* A node that breaks the rules of its operator, whatever a target could make of one that does not.
 */
static void
refuse_violation (AssayCheck *self, AssayVerdict *verdict, const AssayNode *node)
{
  const char *sentence = "{op} is not well formed: {actual}";

  verdict->kind = ASSAY_VERDICT_REJECTED;
  verdict->stage = ASSAY_STAGE_SCHEMA;
  verdict->rule = RULE_VIOLATION;
  verdict->source = ASSAY_SOURCE_CANONICAL;
  verdict->actual = assay_arena_intern (self->arena, node->violation);
  verdict->reason = assay_check_sentence (self, sentence, node, verdict->actual, NULL, NULL);
  assay_check_add_cause (self, verdict, NULL, sentence);
}

/* A node that was added for an input or output. */
static gboolean
refuse_port (AssayCheck *self, AssayVerdict *verdict)
{
  const AssayCheckPort *port = NULL;

  for (guint i = 0; i < self->ports->len && port == NULL; i++)
    if (g_array_index (self->ports, AssayCheckPort, i).node == verdict->node)
      port = &g_array_index (self->ports, AssayCheckPort, i);
  if (port == NULL)
    return FALSE;

  verdict->kind = port->verdict;
  verdict->stage = ASSAY_STAGE_COMPILE;
  verdict->rule = RULE_PORT;
  verdict->source = self->target->source;
  verdict->reason = port->verdict == ASSAY_VERDICT_UNDECIDED
                        ? "The size of an input or output of the model is unknown"
                        : "An input or output of the model cannot be transferred";
  assay_check_rest_on (self, verdict, verdict->node, port->reason);
  assay_check_add_cause (self, verdict, NULL, verdict->reason);

  return TRUE;
}

/* Decides one node, unless that was done. */
void
assay_check_decide (AssayCheck *self, AssayNodeId id)
{
  AssayVerdict *verdict = &g_array_index (self->result->verdicts, AssayVerdict, id);

  if (self->state[id])
    return;

  self->state[id] = 1;
  verdict->node = id;
  verdict->partition = -1;
  verdict->cause = -1;
  assay_context_begin (&self->context, id, NULL);

  if (self->context.node->violation != NULL)
    refuse_violation (self, verdict, self->context.node);
  else if (refuse_port (self, verdict))
    return;
  else if (!self->live[id] || makes_parameters (self, self->context.node))
    remove_node (self, verdict, self->context.node);
  else if (!assay_check_decide_call (self, verdict, id))
    walk_steps (self, verdict, id);
}
