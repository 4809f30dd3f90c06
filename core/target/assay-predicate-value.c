/* assay-predicate-value.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "target/assay-check-private.h"

/* Predicates on one input or output of a node: type, shape, constness, constant elements. */

static AssayTruth
eval_rank (AssayContext *context, const AssayCall *call)
{
  const char *label;
  const AssayType *type = assay_context_type (context, assay_context_value (context, call, &label));

  if (type->rank < 0)
    {
      assay_context_allow_range (context, call);
      return assay_context_say (context, ASSAY_UNKNOWN, label, "the rank of %s is unknown", label);
    }

  return assay_context_test_int (context, call, label, type->rank);
}

static AssayTruth
eval_dim (AssayContext *context, const AssayCall *call)
{
  const char *label;
  const AssayType *type = assay_context_type (context, assay_context_value (context, call, &label));
  gint64 axis = assay_call_int (call, "axis", 0);

  assay_context_allow_range (context, call);

  if (type->rank < 0)
    return assay_context_say (context, ASSAY_UNKNOWN, label, "the shape of %s is unknown", label);
  if (axis < 0)
    axis += type->rank;
  if (axis < 0 || axis >= type->rank)
    return assay_context_say (context, ASSAY_FALSE, label, "without axis %" G_GINT64_FORMAT,
                              assay_call_int (call, "axis", 0));
  if (type->dims[axis].size < 0)
    return type->dims[axis].symbol != NULL
               ? assay_context_say (context, ASSAY_UNKNOWN, label, "the size %s is unknown",
                                    type->dims[axis].symbol)
               : assay_context_say (context, ASSAY_UNKNOWN, label,
                                    "the extent of axis %" G_GINT64_FORMAT " is unknown", axis);

  return assay_context_test_int (context, call, label, type->dims[axis].size);
}

static AssayTruth
eval_dtype (AssayContext *context, const AssayCall *call)
{
  const AssayArg *in = assay_call_arg (call, "in");
  const char *label;
  AssayValueId value = assay_context_value (context, call, &label);
  const AssayType *type = assay_context_type (context, value);

  if (value == ASSAY_NO_VALUE)
    return ASSAY_TRUE;
  if (type->dtype != ASSAY_DTYPE_UNDEFINED && (in->u.dtypes & (1u << type->dtype)) != 0)
    return ASSAY_TRUE;

  assay_context_allow_dtypes (context, in->u.dtypes);

  if (type->dtype == ASSAY_DTYPE_UNDEFINED && type->kind <= ASSAY_TYPE_KIND_TENSOR)
    return assay_context_say (context, ASSAY_UNKNOWN, label, "the element type of %s is unknown",
                              label);

  return assay_context_say_type (context, label, type);
}

static AssayTruth
eval_constant (AssayContext *context, const AssayCall *call)
{
  const char *label;
  AssayValueId value = assay_context_value (context, call, &label);

  if (value == ASSAY_NO_VALUE || assay_context_is_constant (context, value))
    return ASSAY_TRUE;

  assay_context_allow (context, "constant");
  return assay_context_say (context, ASSAY_FALSE, label, "computed at run time");
}

static AssayTruth
eval_given (AssayContext *context, const AssayCall *call)
{
  const char *label;
  AssayValueId value = assay_context_value (context, call, &label);

  if ((value == ASSAY_NO_VALUE) == assay_call_bool (call, "absent", FALSE))
    return ASSAY_TRUE;

  assay_context_allow (context, "%s", value == ASSAY_NO_VALUE ? "given" : "absent");
  return assay_context_say (context, ASSAY_FALSE, label, "%s",
                            value == ASSAY_NO_VALUE ? "absent" : "given");
}

static AssayTruth
eval_inputs (AssayContext *context, const AssayCall *call)
{
  return assay_context_test_int (context, call, "the number of inputs", context->node->n_inputs);
}

static AssayTruth
eval_outputs (AssayContext *context, const AssayCall *call)
{
  return assay_context_test_int (context, call, "the number of outputs", context->node->n_outputs);
}

const AssayPredicate assay_predicates_value[] = {
  { "rank",
    "the number of dimensions is in range",
    "{attribute} has rank {actual}, not {allowed}",
    eval_rank,
    { ASSAY_VALUE_ARGS, ASSAY_RANGE_ARGS } },
  { "dim",
    "the extent of one axis is in range",
    "{attribute} is {actual}, not {allowed}",
    eval_dim,
    { ASSAY_VALUE_ARGS,
      { "axis", ASSAY_ARG_INT, TRUE, "which axis; negative ones count from the end" },
      ASSAY_RANGE_ARGS,
      { "multiple_of", ASSAY_ARG_INT, FALSE, "what divides it" } } },
  { "dtype",
    "the element type is one of a set; an omitted input has any",
    "{attribute} is {actual}, not {allowed}",
    eval_dtype,
    { ASSAY_VALUE_ARGS, { "in", ASSAY_ARG_DTYPES, TRUE, "the types" } } },
  { "constant",
    "an input is known before the model runs, or omitted",
    "{attribute} is {actual}, not {allowed}",
    eval_constant,
    { { "input", ASSAY_ARG_INT, FALSE, "which input, 0 unless given" } } },
  { "given",
    "an optional input or output is there",
    "{attribute} is {actual}, not {allowed}",
    eval_given,
    { ASSAY_VALUE_ARGS, { "absent", ASSAY_ARG_BOOL, FALSE, "true: it is not there" } } },
  { "inputs",
    "the number of inputs is in range",
    "{attribute} is {actual}, not {allowed}",
    eval_inputs,
    { ASSAY_RANGE_ARGS } },
  { "outputs",
    "the number of outputs is in range",
    "{attribute} is {actual}, not {allowed}",
    eval_outputs,
    { ASSAY_RANGE_ARGS } },
  { NULL }
};
