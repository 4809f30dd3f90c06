/* assay-predicate-attribute.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "target/assay-check-private.h"

/* Predicates on the attributes of a node; an attribute that is not written out has the default of
 * the op table. */

static AssayTruth
eval_attr_int (AssayContext *context, const AssayCall *call)
{
  const char *name = assay_call_string (call, "attribute");

  return assay_context_test_int (context, call, name, assay_context_attr_int (context, name));
}

static AssayTruth
eval_attr_ints (AssayContext *context, const AssayCall *call)
{
  const char *name = assay_call_string (call, "attribute");
  gint64 only = assay_call_int (call, "index", -1);
  guint n;
  const gint64 *values = assay_node_get_ints (context->node, name, &n);

  for (guint i = 0; values != NULL && i < n; i++)
    if ((only < 0 || i == only) &&
        assay_context_test_int (context, call, name, values[i]) != ASSAY_TRUE)
      return ASSAY_FALSE;

  return ASSAY_TRUE;
}

static AssayTruth
eval_attr_float (AssayContext *context, const AssayCall *call)
{
  const char *name = assay_call_string (call, "attribute");
  double value = 0;
  const AssayArg *equals = assay_call_arg (call, "equals");
  const AssayArg *tolerance = assay_call_arg (call, "tolerance");
  const AssayArg *min = assay_call_arg (call, "min");
  const AssayArg *max = assay_call_arg (call, "max");

  assay_node_find_float (context->node, name, &value);
  /* An attribute has the bits of a float; a file says 0.1. */
  if (equals != NULL && !(tolerance != NULL ? fabs (value - equals->u.f) <= tolerance->u.f
                                            : (float) value == (float) equals->u.f))
    assay_context_allow (context, "%g", equals->u.f);
  else if (min != NULL && !(value >= min->u.f))
    assay_context_allow (context, "%g or more", min->u.f);
  else if (max != NULL && !(value <= max->u.f))
    assay_context_allow (context, "at most %g", max->u.f);
  else
    return ASSAY_TRUE;

  return assay_context_say (context, ASSAY_FALSE, name, "%g", value);
}

static AssayTruth
eval_attr_string (AssayContext *context, const AssayCall *call)
{
  const char *name = assay_call_string (call, "attribute");
  const AssayArg *in = assay_call_arg (call, "in");
  const char *value = assay_context_attr_string (context, name);

  for (guint i = 0; i < in->n; i++)
    if (g_str_equal (in->u.strings[i], value))
      return ASSAY_TRUE;

  g_string_truncate (context->allowed, 0);
  for (guint i = 0; i < in->n; i++)
    g_string_append_printf (context->allowed, "%s%s",
                            i == 0          ? ""
                            : i + 1 < in->n ? ", "
                                            : " or ",
                            in->u.strings[i]);

  return assay_context_say (context, ASSAY_FALSE, name, "%s", value);
}

static AssayTruth
eval_attr_absent (AssayContext *context, const AssayCall *call)
{
  const char *name = assay_call_string (call, "attribute");

  if (assay_node_find_attr (context->node, name) == NULL)
    return ASSAY_TRUE;

  assay_context_allow (context, "absent");
  return assay_context_say (context, ASSAY_FALSE, name, "given");
}

static AssayTruth
eval_attr_present (AssayContext *context, const AssayCall *call)
{
  const char *name = assay_call_string (call, "attribute");

  if (assay_node_find_attr (context->node, name) != NULL)
    return ASSAY_TRUE;

  assay_context_allow (context, "given");
  return assay_context_say (context, ASSAY_FALSE, name, "absent");
}

const AssayPredicate assay_predicates_attribute[] = {
  { "attr_int",
    "an integer attribute is in range",
    "{attribute} is {actual}, not {allowed}",
    eval_attr_int,
    { { "attribute", ASSAY_ARG_STRING, TRUE, "name of the attribute" },
      { "min", ASSAY_ARG_INT, FALSE, "least value" },
      { "max", ASSAY_ARG_INT, FALSE, "greatest value" },
      { "in", ASSAY_ARG_INTS, FALSE, "values to choose from" },
      { "multiple_of", ASSAY_ARG_INT, FALSE, "what divides it" } } },
  { "attr_ints",
    "every entry of a list attribute is in range; an absent attribute is",
    "A value of {attribute} is {actual}, not {allowed}",
    eval_attr_ints,
    { { "attribute", ASSAY_ARG_STRING, TRUE, "name of the attribute" },
      { "index", ASSAY_ARG_INT, FALSE, "looks at this entry alone" },
      { "min", ASSAY_ARG_INT, FALSE, "least value" },
      { "max", ASSAY_ARG_INT, FALSE, "greatest value" },
      { "in", ASSAY_ARG_INTS, FALSE, "values to choose from" },
      { "multiple_of", ASSAY_ARG_INT, FALSE, "what divides it" } } },
  { "attr_float",
    "a float attribute is in range",
    "{attribute} is {actual}, not {allowed}",
    eval_attr_float,
    { { "attribute", ASSAY_ARG_STRING, TRUE, "name of the attribute" },
      { "equals", ASSAY_ARG_NUMBER, FALSE, "the value" },
      { "tolerance", ASSAY_ARG_NUMBER, FALSE, "how far from it, 0 unless given" },
      { "min", ASSAY_ARG_NUMBER, FALSE, "least value" },
      { "max", ASSAY_ARG_NUMBER, FALSE, "greatest value" } } },
  { "attr_string",
    "a string attribute is one of a list",
    "{attribute} is {actual}, not {allowed}",
    eval_attr_string,
    { { "attribute", ASSAY_ARG_STRING, TRUE, "name of the attribute" },
      { "in", ASSAY_ARG_STRINGS, TRUE, "values to choose from" } } },
  { "attr_absent",
    "an attribute is not written out",
    "{attribute} is {actual}, not {allowed}",
    eval_attr_absent,
    { { "attribute", ASSAY_ARG_STRING, TRUE, "name of the attribute" } } },
  { "attr_present",
    "an attribute is written out",
    "{attribute} is {actual}, not {allowed}",
    eval_attr_present,
    { { "attribute", ASSAY_ARG_STRING, TRUE, "name of the attribute" } } },
  { NULL }
};
