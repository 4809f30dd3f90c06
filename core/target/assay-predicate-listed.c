/* assay-predicate-listed.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "target/assay-check-private.h"

/* Predicates on lists of nodes that the user gives, and on what stood in the file. */

/* Whether the name or the operator of the node is in a list that the user gave as an option. */
static AssayTruth
eval_listed (AssayContext *context, const AssayCall *call)
{
  const char *name = assay_call_string (call, "option");
  gboolean by_op = assay_call_bool (call, "by_op", FALSE);
  const AssayOptionValue *option = assay_check_option (context->check, name, NULL);
  g_auto (GStrv) entries = option != NULL && *option->s != '\0' ? g_strsplit (option->s, ",", -1)
                                                                : NULL;

  for (char **entry = entries; entry != NULL && *entry != NULL; entry++)
    {
      const char *wanted = g_strstrip (*entry);

      if (*wanted == '\0')
        continue;
      if (by_op ? g_str_equal (wanted, context->node->op_type)
                : g_str_has_prefix (context->node->name, wanted))
        return ASSAY_TRUE;
    }

  assay_context_allow (context, "%s", option != NULL ? option->s : "");
  return assay_context_say (context, ASSAY_FALSE, name, "%s",
                            by_op ? context->node->op_type : context->node->name);
}

/* An operation has the name that it has in the file, and that of the function which it calls. */
static gboolean
has_name (const AssayOrigin *origin, const AssayArg *in)
{
  g_autofree char *key = origin->call != NULL ? assay_check_dup_call_key (origin->call) : NULL;

  for (guint i = 0; i < in->n; i++)
    if (g_str_equal (origin->op_type, in->u.strings[i]) || g_strcmp0 (key, in->u.strings[i]) == 0)
      return TRUE;

  return FALSE;
}

/* Whether one of the operations of the file that the node was made of has one of these names: what
 * is one function of PyTorch can be several nodes here, and none that tells them from others. */
static AssayTruth
eval_origin (AssayContext *context, const AssayCall *call)
{
  const AssayArg *in = assay_call_arg (call, "in");
  const GArray *origins = context->check->graph->origins;

  for (guint i = 0; i < context->node->n_origins; i++)
    if (context->node->origins[i] < origins->len &&
        has_name (&g_array_index (origins, AssayOrigin, context->node->origins[i]), in))
      return ASSAY_TRUE;

  for (guint i = 0; i < in->n; i++)
    assay_context_allow (context, "%s", in->u.strings[i]);
  return assay_context_say (context, ASSAY_FALSE, "the node", "%s", context->node->op_type);
}

const AssayPredicate assay_predicates_listed[] = {
  { "listed",
    "the name of the node starts with an entry of an option, a list with commas",
    "{actual} is not in {attribute}",
    eval_listed,
    { { "option", ASSAY_ARG_STRING, TRUE, "name of the option" },
      { "by_op", ASSAY_ARG_BOOL, FALSE, "compares the operator instead" } } },
  { "origin",
    "an operation of the file that the node was made of has one of these names",
    "{actual} was not made of {allowed}",
    eval_origin,
    { { "in", ASSAY_ARG_STRINGS, TRUE, "names to choose from" } } },
  { NULL }
};
