/* assay-predicate-window.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/assay-axes.h"
#include "base/assay-sentence.h"
#include "target/assay-check-private.h"
#include "nnir/assay-node-window.h"

/* Predicates on convolutions and poolings: window, padding, groups. */

static AssayTruth
unknown_window (AssayContext *context)
{
  return assay_context_say (context, ASSAY_UNKNOWN, "input 0",
                            "the number of spatial dimensions is unknown");
}

/* Tests one list of a window; entries that are unknown leave the answer open. */
static AssayTruth
test_list (AssayContext *context, const AssayCall *call, const char *attribute,
           const gint64 *values, guint n)
{
  gint64 only = assay_call_int (call, "index", -1);
  AssayTruth truth = ASSAY_TRUE;

  for (guint i = 0; i < n; i++)
    {
      if (only >= 0 && only != i)
        continue;
      if (values[i] < 0)
        truth = ASSAY_UNKNOWN;
      else if (assay_context_test_int (context, call, attribute, values[i]) != ASSAY_TRUE)
        return ASSAY_FALSE;
    }

  assay_context_allow_range (context, call);
  return truth == ASSAY_TRUE
             ? truth
             : assay_context_say (context, truth, attribute, "an extent it depends on is unknown");
}

/* The lists that are tested entry by entry. */
static AssayTruth
test_window (AssayContext *context, const AssayCall *call, const char *attribute, gsize member)
{
  AssayNodeWindow window;

  if (!assay_node_get_window (context->check->graph, context->node, &window))
    return unknown_window (context);

  return test_list (context, call, attribute, (const gint64 *) ((const char *) &window + member),
                    window.n);
}

static AssayTruth
eval_kernel (AssayContext *context, const AssayCall *call)
{
  return test_window (context, call, "kernel_shape", G_STRUCT_OFFSET (AssayNodeWindow, kernel));
}

static AssayTruth
eval_strides (AssayContext *context, const AssayCall *call)
{
  return test_window (context, call, "strides", G_STRUCT_OFFSET (AssayNodeWindow, stride));
}

static AssayTruth
eval_dilations (AssayContext *context, const AssayCall *call)
{
  return test_window (context, call, "dilations", G_STRUCT_OFFSET (AssayNodeWindow, dilation));
}

static AssayTruth
eval_pads (AssayContext *context, const AssayCall *call)
{
  AssayTruth truth = test_window (context, call, "pads", G_STRUCT_OFFSET (AssayNodeWindow, before));

  return truth != ASSAY_TRUE
             ? truth
             : test_window (context, call, "pads", G_STRUCT_OFFSET (AssayNodeWindow, after));
}

static AssayTruth
eval_symmetric_pads (AssayContext *context, const AssayCall *call)
{
  AssayNodeWindow window;

  assay_context_allow (context, "the same before and after");
  if (!assay_node_get_window (context->check->graph, context->node, &window))
    return unknown_window (context);

  for (guint i = 0; i < window.n; i++)
    if (window.before[i] != window.after[i])
      return assay_context_say (context, ASSAY_FALSE, "pads",
                                "%" G_GINT64_FORMAT " before and %" G_GINT64_FORMAT " after",
                                window.before[i], window.after[i]);
  for (guint i = 0; i < window.n; i++)
    if (window.same && window.before[i] < 0)
      return assay_context_say (context, ASSAY_UNKNOWN, "auto_pad",
                                "an extent it depends on is unknown");

  return ASSAY_TRUE;
}

/* Channels in and out, as far as they are known: -1 where not. */
static void
get_channels (AssayContext *context, gint64 *in, gint64 *out, gint64 *group)
{
  const AssayNode *node = context->node;
  const AssayType *type = assay_context_type (context, assay_node_input (node, 0));
  const AssayType *weight = assay_context_type (context, assay_node_input (node, 1));
  gint64 first = assay_type_dim (weight, 0);
  gint64 second = assay_type_rank (weight) > 1 ? assay_type_dim (weight, 1) : -1;
  gsize product;

  *group = assay_context_attr_int (context, "group");
  if (node->op == ASSAY_OP_ConvTranspose)
    {
      *in = first;
      *out = second >= 0 && *group > 0 &&
                     g_size_checked_mul (&product, (gsize) second, (gsize) *group) &&
                     product <= G_MAXINT64
                 ? (gint64) product
                 : -1;
    }
  else
    {
      *in = second >= 0 && *group > 0 &&
                    g_size_checked_mul (&product, (gsize) second, (gsize) *group) &&
                    product <= G_MAXINT64
                ? (gint64) product
                : -1;
      *out = first;
    }

  if (*in < 0 && assay_type_rank (type) > 1)
    *in = assay_type_dim (type, 1);
}

static AssayTruth
eval_groups (AssayContext *context, const AssayCall *call)
{
  const AssayArg *wanted = assay_call_arg (call, "in");
  gint64 in, out, group;
  const char *kind;

  get_channels (context, &in, &out, &group);

  if (group == 1 && in != 1)
    kind = "one";
  else if (in < 0 || out < 0)
    kind = NULL;
  else if (group == 1)
    kind = in == 1 && out == 1 && assay_call_bool (call, "single_is_depthwise", FALSE) ? "depthwise"
                                                                                       : "one";
  else if (group == in && out == in)
    kind = "depthwise";
  else if (group == in)
    kind = "multiplier";
  else
    kind = "grouped";

  g_string_truncate (context->allowed, 0);
  for (guint i = 0; i < wanted->n; i++)
    g_string_append_printf (context->allowed, "%s%s", i > 0 ? ", " : "", wanted->u.strings[i]);

  if (kind == NULL)
    return assay_context_say (context, ASSAY_UNKNOWN, "group", "the number of channels is unknown");
  for (guint i = 0; i < wanted->n; i++)
    if (g_str_equal (wanted->u.strings[i], kind))
      return ASSAY_TRUE;

  return assay_context_say (context, ASSAY_FALSE, "group",
                            "%s (%" G_GINT64_FORMAT " for %" G_GINT64_FORMAT " channel%s)",
                            g_str_equal (kind, "multiplier") ? "depthwise with a multiplier" : kind,
                            group, in, assay_plural (in));
}

static AssayTruth
eval_channels_per_group (AssayContext *context, const AssayCall *call)
{
  gboolean of_out = assay_call_bool (call, "out", FALSE);
  gint64 in, out, group;

  get_channels (context, &in, &out, &group);
  assay_context_allow_range (context, call);
  if ((of_out ? out : in) < 0 || group < 1)
    return assay_context_say (context, ASSAY_UNKNOWN, "group", "the number of channels is unknown");

  return assay_context_test_int (context, call,
                                 of_out ? "output channels per group" : "input channels per group",
                                 (of_out ? out : in) / group);
}

static AssayTruth
eval_channels (AssayContext *context, const AssayCall *call)
{
  gboolean of_out = assay_call_bool (call, "out", FALSE);
  gint64 in, out, group;

  get_channels (context, &in, &out, &group);
  assay_context_allow_range (context, call);
  if ((of_out ? out : in) < 0)
    return assay_context_say (context, ASSAY_UNKNOWN, of_out ? "output channels" : "input channels",
                              "the number is unknown");

  return assay_context_test_int (context, call, of_out ? "output channels" : "input channels",
                                 of_out ? out : in);
}

#define INDEX_ARG                                                                                  \
  {                                                                                                \
    "index", ASSAY_ARG_INT, FALSE, "looks at this spatial dimension alone"                         \
  }

const AssayPredicate assay_predicates_window[] = {
  { "kernel",
    "the extents of the window are in range",
    "A value of {attribute} is {actual}, not {allowed}",
    eval_kernel,
    { ASSAY_RANGE_ARGS, INDEX_ARG } },
  { "strides",
    "the strides are in range, 1 where none are written out",
    "A value of {attribute} is {actual}, not {allowed}",
    eval_strides,
    { ASSAY_RANGE_ARGS, INDEX_ARG } },
  { "dilations",
    "the dilations are in range, 1 where none are written out",
    "A value of {attribute} is {actual}, not {allowed}",
    eval_dilations,
    { ASSAY_RANGE_ARGS, INDEX_ARG } },
  { "pads",
    "the padding is in range, automatic padding worked out",
    "A value of {attribute} is {actual}, not {allowed}",
    eval_pads,
    { ASSAY_RANGE_ARGS, INDEX_ARG } },
  { "symmetric_pads",
    "the padding is the same before and after, automatic padding worked out",
    "{attribute} are {actual}, not {allowed}",
    eval_symmetric_pads,
    { { NULL } } },
  { "groups",
    "what sort of grouping a convolution has: `one`, `depthwise`, `multiplier` (depthwise with "
    "more channels out "
    "than in) or `grouped`",
    "{attribute} is {actual}, not {allowed}",
    eval_groups,
    { { "in", ASSAY_ARG_STRINGS, TRUE, "sorts to choose from" },
      { "single_is_depthwise", ASSAY_ARG_BOOL, FALSE,
        "one channel in and out counts as depthwise" } } },
  { "channels_per_group",
    "the channels of one group of a convolution are in range",
    "{attribute} are {actual}, not {allowed}",
    eval_channels_per_group,
    { { "out", ASSAY_ARG_BOOL, FALSE, "output channels instead of input channels" },
      ASSAY_RANGE_ARGS,
      { "multiple_of", ASSAY_ARG_INT, FALSE, "what divides it" } } },
  { "channels",
    "the channels of a convolution are in range",
    "{attribute} are {actual}, not {allowed}",
    eval_channels,
    { { "out", ASSAY_ARG_BOOL, FALSE, "output channels instead of input channels" },
      ASSAY_RANGE_ARGS,
      { "multiple_of", ASSAY_ARG_INT, FALSE, "what divides it" } } },
  { NULL }
};
