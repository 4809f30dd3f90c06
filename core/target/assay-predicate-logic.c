/* assay-predicate-logic.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "target/assay-check-private.h"

/* Predicates made of predicates, and those on options and configuration. */

static AssayTruth
eval_all (AssayContext *context, const AssayCall *call)
{
  const AssayArg *of = assay_call_arg (call, "of");
  AssayTruth result = ASSAY_TRUE;
  const AssayCall *unknown = NULL;

  for (guint i = 0; i < of->n; i++)
    {
      AssayTruth truth = assay_context_evaluate (context, of->u.calls[i]);

      if (truth == ASSAY_FALSE)
        return ASSAY_FALSE;
      if (truth == ASSAY_UNKNOWN)
        {
          result = truth;
          unknown = of->u.calls[i];
        }
    }

  /* A later call may have overwritten the words. */
  if (unknown != NULL && !context->quiet)
    assay_context_evaluate (context, unknown);

  return result;
}

static AssayTruth
eval_any (AssayContext *context, const AssayCall *call)
{
  const AssayArg *of = assay_call_arg (call, "of");
  const AssayCall *unknown = NULL;

  for (guint i = 0; i < of->n; i++)
    {
      AssayTruth truth = assay_context_evaluate (context, of->u.calls[i]);

      if (truth == ASSAY_TRUE)
        {
          context->failed = NULL;
          return ASSAY_TRUE;
        }
      if (truth == ASSAY_UNKNOWN)
        unknown = of->u.calls[i];
    }

  if (unknown == NULL)
    return ASSAY_FALSE;

  return context->quiet ? ASSAY_UNKNOWN : assay_context_evaluate (context, unknown);
}

static AssayTruth
eval_not (AssayContext *context, const AssayCall *call)
{
  const AssayArg *of = assay_call_arg (call, "of");
  AssayTruth truth = ASSAY_TRUE;

  for (guint i = 0; i < of->n; i++)
    {
      AssayTruth each = assay_context_evaluate (context, of->u.calls[i]);

      if (each == ASSAY_FALSE)
        {
          context->failed = NULL;
          return ASSAY_TRUE;
        }
      if (each == ASSAY_UNKNOWN)
        truth = ASSAY_UNKNOWN;
    }

  if (truth == ASSAY_UNKNOWN)
    return ASSAY_UNKNOWN;

  context->failed = NULL;
  assay_context_allow (context, "another");
  return assay_context_say (context, ASSAY_FALSE, "the node", "%s",
                            of->n > 0 ? of->u.calls[0]->predicate->name : "so");
}

static AssayTruth
eval_option (AssayContext *context, const AssayCall *call)
{
  const char *name = assay_call_string (call, "name");
  const AssayArg *equals = assay_call_arg (call, "equals");
  AssayOptionKind kind;
  const AssayOptionValue *value = assay_check_option (context->check, name, &kind);

  if (value == NULL)
    return assay_context_say (context, ASSAY_FALSE, name, "not an option of this target");

  if (kind == ASSAY_OPTION_STRING)
    {
      if (equals == NULL ? *value->s != '\0' : g_str_equal (equals->u.s, value->s))
        return ASSAY_TRUE;
      assay_context_allow (context, "%s", equals != NULL ? equals->u.s : "set");
      return assay_context_say (context, ASSAY_FALSE, name, "\"%s\"", value->s);
    }
  if (kind == ASSAY_OPTION_INT)
    return assay_context_test_int (context, call, name, value->i);

  if (equals == NULL ? value->b : value->b == g_str_equal (equals->u.s, "true"))
    return ASSAY_TRUE;
  assay_context_allow (context, "%s", equals != NULL ? equals->u.s : "true");
  return assay_context_say (context, ASSAY_FALSE, name, "%s", value->b ? "true" : "false");
}

static AssayTruth
eval_config (AssayContext *context, const AssayCall *call)
{
  const char *name = assay_call_string (call, "name");
  gint64 value;

  if (!assay_target_get_config_int (context->check->target, name, &value))
    return assay_context_say (context, ASSAY_FALSE, name, "not a field of the configuration");

  return assay_context_test_int (context, call, name, value);
}

static AssayTruth
eval_never (AssayContext *context, const AssayCall *call)
{
  assay_context_allow (context, "none");
  return assay_context_say (context, ASSAY_FALSE, "the operator", "%s", context->node->op_type);
}

const AssayPredicate assay_predicates_logic[] = {
  { "all",
    "every one of the predicates holds",
    "{attribute} is {actual}, not {allowed}",
    eval_all,
    { { "of", ASSAY_ARG_CALLS, TRUE, "the predicates" } } },
  { "any",
    "at least one of the predicates holds; the reason is that of the last",
    "{attribute} is {actual}, not {allowed}",
    eval_any,
    { { "of", ASSAY_ARG_CALLS, TRUE, "the predicates" } } },
  { "not",
    "not all of the predicates hold",
    "{attribute} must not be so: {actual}",
    eval_not,
    { { "of", ASSAY_ARG_CALLS, TRUE, "the predicates" } } },
  { "never", "holds for no node", "no {actual} is taken", eval_never, { { NULL } } },
  { "option",
    "an option of the target is set, or has a value",
    "Option {attribute} is {actual}, not {allowed}",
    eval_option,
    { { "name", ASSAY_ARG_STRING, TRUE, "name of the option" },
      { "equals", ASSAY_ARG_STRING, FALSE,
        "value to compare with; without it the option has to be set" },
      { "min", ASSAY_ARG_INT, FALSE, "least value of an integer option" },
      { "max", ASSAY_ARG_INT, FALSE, "greatest value of an integer option" } } },
  { "config",
    "a field of the target's configuration is in range",
    "{attribute} of the target is {actual}, not {allowed}",
    eval_config,
    { { "name", ASSAY_ARG_STRING, TRUE, "name of the field" },
      { "min", ASSAY_ARG_INT, FALSE, "least value" },
      { "max", ASSAY_ARG_INT, FALSE, "greatest value" },
      { "in", ASSAY_ARG_INTS, FALSE, "values to choose from" } } },
  { NULL }
};
