/* assay-check-decide.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "target/assay-check-private.h"

/* Rules about nodes that nothing is left of; every target has them. */
#define RULE_CONSTANT "builtin.constant"
#define RULE_UNUSED "builtin.unused"
#define RULE_BREACH "builtin.malformed"
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
  g_autoptr (GString) text = NULL;

  if (strchr (sentence, '{') == NULL)
    return sentence;

  text = g_string_sized_new (128);
  for (const char *p = sentence; *p != '\0'; p++)
    {
      const char *end = *p == '{' ? strchr (p, '}') : NULL;
      gsize n = end != NULL ? (gsize) (end - p) - 1 : 0;

      if (end == NULL)
        {
          g_string_append_c (text, *p);
          continue;
        }

      if (n == 6 && strncmp (p + 1, "actual", n) == 0)
        g_string_append (text, actual != NULL ? actual : "unknown");
      else if (n == 7 && strncmp (p + 1, "allowed", n) == 0)
        g_string_append (text, allowed != NULL ? allowed : "other");
      else if (n == 9 && strncmp (p + 1, "attribute", n) == 0)
        g_string_append (text, attribute != NULL ? attribute : "the node");
      else if (n == 2 && strncmp (p + 1, "op", n) == 0)
        g_string_append (text, node->op_type);
      else
        assay_check_append_attr (self, node, p + 1, n, text);

      p = end;
    }

  return assay_arena_intern (self->arena, text->str);
}

static const char *
keep (AssayCheck *self, GString *text)
{
  return text->len > 0 ? assay_arena_intern (self->arena, text->str) : NULL;
}

static const char *
words_of (const AssayRule *rule, const AssayCall *call, const AssayCall *failed, AssayTruth truth,
          gboolean has_allowed)
{
  if (truth == ASSAY_UNKNOWN)
    return has_allowed ? "{actual} ({attribute}); allowed: {allowed}" : "{actual} ({attribute})";
  if (call->reason != NULL)
    return call->reason;
  if (failed != NULL && failed->reason != NULL)
    return failed->reason;
  if (rule->reason != NULL && rule->verdict != ASSAY_VERDICT_HOST)
    return rule->reason;

  return failed != NULL ? failed->predicate->sentence : call->predicate->sentence;
}

/* A condition did not hold, or could not be known. */
static void
refuse (AssayCheck *self, AssayVerdict *verdict, const AssayRule *rule, Outcome outcome)
{
  AssayContext *context = &self->context;
  const AssayCall *failed;
  const char *sentence;

  explain (context, outcome);
  failed = context->failed;
  sentence = words_of (rule, outcome.call, failed, outcome.truth, context->allowed->len > 0);

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
  verdict->mapping = rule->mapping != NULL ? assay_check_sentence (self, rule->mapping,
                                                                   context->node, NULL, NULL, NULL)
                                           : NULL;
  verdict->reason = assay_check_sentence (self, sentence, context->node, verdict->actual,
                                          verdict->allowed, verdict->attribute);
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
            assay_check_sentence (self, notes[i].text, self->context.node, NULL, NULL, NULL));

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

/* What a rule found that refuses an operator as such. */
static void
name_operator (AssayCheck *self, AssayVerdict *verdict, const AssayRule *rule)
{
  const AssayNode *node = self->context.node;
  g_autofree char *allowed = NULL;

  if (rule == self->target->fallback)
    allowed = g_strdup_printf ("operators that have a rule in %s", self->target->id);
  else
    allowed = g_strdup_printf ("operators that a rule of %s takes", self->target->id);

  verdict->actual = node->op_type;
  verdict->allowed = assay_arena_intern (self->arena, allowed);
}

/* The verdict of a rule whose conditions hold. */
static void
grant (AssayCheck *self, AssayVerdict *verdict, const AssayRule *rule)
{
  const AssayNode *node = self->context.node;
  const char *sentence = rule->reason;

  verdict->kind = rule->verdict;
  verdict->stage = rule->stage;
  verdict->rule = rule->id;
  verdict->engine = rule->engine != NULL                  ? rule->engine
                    : rule->verdict == ASSAY_VERDICT_HOST ? "cpu"
                                                          : NULL;
  verdict->source = rule->source != NULL ? rule->source : self->target->source;
  verdict->mapping = rule->mapping != NULL
                         ? assay_check_sentence (self, rule->mapping, node, NULL, NULL, NULL)
                         : NULL;

  if (sentence == NULL || rule->when.n > 0)
    {
      if (rule->verdict == ASSAY_VERDICT_HOST)
        sentence = sentence != NULL ? sentence : "{op} runs on the host processor";
      else if (rule->verdict == ASSAY_VERDICT_REJECTED)
        sentence = sentence != NULL ? sentence : "{op} is not taken";
      else
        sentence = "Every condition holds";
    }
  verdict->reason = assay_check_sentence (self, sentence, node, NULL, NULL, NULL);
  add_notes (self, verdict, rule->notes, rule->n_notes);
  if (rule->verdict > ASSAY_VERDICT_UNDECIDED)
    add_notes (self, verdict, (const AssayNote *) self->target->notes->data,
               self->target->notes->len);

  if (rule->verdict <= ASSAY_VERDICT_UNDECIDED)
    {
      name_operator (self, verdict, rule);
      assay_check_add_cause (self, verdict, NULL, sentence);
    }
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
    verdict->mapping = assay_check_sentence (self, rule->mapping, self->context.node, NULL, NULL,
                                             NULL);
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

/* The name under which the rules of a target know an operator outside the table: `aten.NAME` or
 * `NAMESPACE:NAME`. PyTorch writes what it cannot express in ONNX as nodes of the domain
 * org.pytorch.NAMESPACE, or as ATen nodes that carry the name of the function. */
static char *
dup_key (const AssayNode *node)
{
  const char *name = node->op_type;
  const char *space = node->domain;
  g_autofree char *full = NULL;
  const char *colons;
  AssayAttr attr;

  if (g_str_has_prefix (space, "org.pytorch."))
    space += strlen ("org.pytorch.");
  if (g_str_equal (node->op_type, "ATen"))
    space = "aten";
  if (g_str_equal (space, "aten") && assay_node_resolve_attr (node, "operator", &attr) &&
      attr.kind == ASSAY_ATTR_STRING)
    name = attr.u.s;
  if (name != node->op_type && strchr (name, '.') == NULL &&
      assay_node_resolve_attr (node, "overload_name", &attr) && attr.kind == ASSAY_ATTR_STRING &&
      *attr.u.s != '\0')
    name = full = g_strconcat (name, ".", attr.u.s, NULL);
  colons = strstr (name, "::");
  if (colons != NULL)
    name = colons + 2;

  return g_strconcat (space, g_str_equal (space, "aten") ? "." : ":", name, NULL);
}

static const GPtrArray *
rules_for (AssayCheck *self, const AssayNode *node)
{
  g_autofree char *key = NULL;
  const GPtrArray *rules;
  char *dot;

  if (node->op != ASSAY_OP_OPAQUE)
    return self->target->op_rules[node->op];

  key = dup_key (node);
  rules = g_hash_table_lookup (self->target->key_rules, key);
  dot = strrchr (key, '.');

  /* A row can be about all overloads of a function, or about one. */
  if (rules == NULL && dot != NULL && dot > key + strlen ("aten"))
    {
      *dot = '\0';
      rules = g_hash_table_lookup (self->target->key_rules, key);
    }

  return rules != NULL ? rules : self->target->op_rules[ASSAY_OP_OPAQUE];
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
  verdict->allowed = "a node that is taken";
  verdict->source = fusion->source != NULL ? fusion->source : self->target->source;
  verdict->reason = assay_check_sentence (self, sentence, self->context.node, node->op_type, NULL,
                                          NULL);
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
                         ? assay_check_sentence (self, fusion->mapping, self->context.node, NULL,
                                                 NULL, NULL)
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
refuse_breach (AssayCheck *self, AssayVerdict *verdict, const AssayNode *node)
{
  const char *sentence = "{op} is not well formed: {actual}";

  verdict->kind = ASSAY_VERDICT_REJECTED;
  verdict->stage = ASSAY_STAGE_SCHEMA;
  verdict->rule = RULE_BREACH;
  verdict->source = ASSAY_SOURCE_CANONICAL;
  verdict->actual = assay_arena_intern (self->arena, node->breach);
  verdict->allowed = "what the specification of ONNX says";
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
  verdict->actual = verdict->reason = assay_arena_intern (self->arena, port->reason);
  assay_check_add_cause (self, verdict, NULL, "{actual}");

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

  if (self->context.node->breach != NULL)
    refuse_breach (self, verdict, self->context.node);
  else if (refuse_port (self, verdict))
    return;
  else if (!self->live[id] || makes_parameters (self, self->context.node))
    remove_node (self, verdict, self->context.node);
  else
    walk_steps (self, verdict, id);
}
