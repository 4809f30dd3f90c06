/* assay-remedy.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session/analysis/assay-remedy.h"

#include <string.h>

#define BIT(kind) (1u << ASSAY_VERDICT_##kind)
#define REFUSED (BIT (REJECTED) | BIT (HOST))

/* First row that applies: the verdict, how the rule begins, how what is allowed begins, and whether
 * the verdict has to say what it is about. {op}, {attribute}, {allowed} and {target} are filled in.
 */
static const struct
{
  guint kinds;
  const char *rule;
  const char *allowed;
  gboolean attribute;
  AssayRemedyPlace place;
  const char *text;
} rows[] = {
  { BIT (UNDECIDED), "", "", FALSE, ASSAY_REMEDY_SETUP,
    "Give the open dimensions a size in Setup; then it is decided." },
  { BIT (HOST), "context.", "", FALSE, ASSAY_REMEDY_MODEL,
    "It only moves data and follows its neighbours: once those run on the device, it does too." },
  { BIT (HOST), "activation.alone", "", FALSE, ASSAY_REMEDY_MODEL,
    "Put it right behind a convolution, a product or an Add that nothing else reads, and it is "
    "done with that." },
  { BIT (HOST), "no-", "", FALSE, ASSAY_REMEDY_MODEL,
    "Every border to the host copies its tensors: replace {op} by operations of the device, or "
    "keep all of the host's "
    "nodes in one place." },
  { BIT (REJECTED), "no-", "", FALSE, ASSAY_REMEDY_TARGET,
    "Replace {op} by operations that {target} has, or choose a target that takes it." },
  { BIT (REJECTED), "dtype", "", TRUE, ASSAY_REMEDY_MODEL,
    "Convert {attribute} to one of {allowed} before this node, or export with another element "
    "type. What only serves "
    "shapes goes away once sizes are given in Setup." },
  { REFUSED, "cast", "", FALSE, ASSAY_REMEDY_MODEL,
    "Export with element types that the device converts between: {allowed}." },
  { REFUSED, "product", "one constant side", FALSE, ASSAY_REMEDY_SETUP,
    "Allow products of two computed sides in Setup, or make one side a constant." },
  { REFUSED, "data-dimension", "", FALSE, ASSAY_REMEDY_MODEL,
    "Put a Transpose between the nodes that want different axes, so that features lie along one "
    "axis on each side." },
  { REFUSED, "", "an axis that every rule accepts", FALSE, ASSAY_REMEDY_MODEL,
    "Put a Transpose between the nodes that want different axes, so that features lie along one "
    "axis on each side." },
  { REFUSED, "streaming", "", FALSE, ASSAY_REMEDY_SETUP,
    "Choose another streaming axis in Setup, or let the inputs arrive whole." },
  { REFUSED, "if", "constant", FALSE, ASSAY_REMEDY_MODEL,
    "Fix the condition when exporting: one branch alone can be compiled." },
  { REFUSED, "inequality", "", FALSE, ASSAY_REMEDY_MODEL,
    "Let Where read the comparison directly, or compute the mask with arithmetic." },
  { REFUSED, "", "constant", TRUE, ASSAY_REMEDY_SETUP,
    "Make {attribute} a constant: give the sizes that it is computed from in Setup, or fold it "
    "when exporting." },
  { REFUSED, "", "", TRUE, ASSAY_REMEDY_MODEL,
    "Change {attribute} in the model: {target} takes {allowed}." },
  { REFUSED, "", "", FALSE, ASSAY_REMEDY_TARGET,
    "Replace {op} by operations that {target} has, or choose a target that takes it." },
};

static gboolean
applies (guint row, const AssayVerdict *verdict)
{
  const char *rule = verdict->rule != NULL ? verdict->rule : "";
  const char *allowed = verdict->allowed != NULL ? verdict->allowed : "";
  const char *last = strrchr (rule, '.');

  if ((rows[row].kinds & (1u << verdict->kind)) == 0 ||
      !g_str_has_prefix (allowed, rows[row].allowed))
    return FALSE;
  if (rows[row].attribute && (verdict->attribute == NULL || *allowed == '\0'))
    return FALSE;

  /* `mul.no-row` is as much a missing row as `no-row`. */
  return g_str_has_prefix (rule, rows[row].rule) ||
         (last != NULL && g_str_has_prefix (last + 1, "no-") &&
          g_str_equal (rows[row].rule, "no-"));
}

static char *
fill (const char *text, AssayVerdicts *verdicts, const AssayVerdict *verdict)
{
  const struct
  {
    const char *name;
    const char *value;
  } words[] = {
    { "{op}", assay_graph_node (verdicts->graph, verdict->node)->op_type },
    { "{attribute}", verdict->attribute },
    { "{allowed}", verdict->allowed },
    { "{target}", verdicts->target_id },
  };
  GString *filled = g_string_new (text);

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    g_string_replace (filled, words[i].name,
                      words[i].value != NULL ? words[i].value : "other values", 0);

  return g_string_free (filled, FALSE);
}

/**
 * assay_remedy_describe:
 * @verdicts: a checked graph
 * @verdict: a verdict of it
 * @place: (out): where it can be done
 *
 * Says what can be done about a node that the target does not take or that cannot be decided.
 *
 * Returns: (transfer full) (nullable): a sentence, or %NULL if the target takes the node
 */
char *
assay_remedy_describe (AssayVerdicts *verdicts, const AssayVerdict *verdict,
                       AssayRemedyPlace *place)
{
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (applies (i, verdict))
      {
        *place = rows[i].place;
        return fill (rows[i].text, verdicts, verdict);
      }

  *place = ASSAY_REMEDY_MODEL;
  return NULL;
}
