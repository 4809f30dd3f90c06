/* assay-remedy.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session/analysis/assay-remedy.h"

#include <string.h>

#include "nnir/assay-axes.h"

#define BIT(kind) (1u << ASSAY_VERDICT_##kind)
#define REFUSED (BIT (REJECTED) | BIT (HOST))

/* What else has to hold for a row. */
typedef enum
{
  NEEDS_NOTHING,
  NEEDS_ALLOWED,      /* the verdict says what it is about and what would be taken */
  NEEDS_COMPUTED,     /* what it is about is computed at run time */
  NEEDS_OPEN_SIZES,   /* an input of the model has a size that is not set */
  NEEDS_OPEN_OPERAND, /* both of the last two */
  NEEDS_GIVEN,        /* what may be left out has to be there */
  NEEDS_ABSENT        /* the other way round */
} Need;

/* First row that applies: the verdict, how the rule begins, how what it is about begins, and what
 * else has to hold. {op}, {attribute}, {allowed} and {target} are filled in. */
static const struct
{
  guint kinds;
  const char *rule;
  const char *attribute;
  Need need;
  AssayRemedyPlace place;
  const char *text;
} rows[] = {
  { BIT (UNDECIDED), "", "", NEEDS_OPEN_SIZES, ASSAY_REMEDY_SETUP,
    "Give the open dimensions a size in Setup." },
  { BIT (UNDECIDED), "", "", NEEDS_NOTHING, ASSAY_REMEDY_MODEL,
    "Cut the model before it: its size depends on the data." },
  { BIT (HOST), "context.", "", NEEDS_NOTHING, ASSAY_REMEDY_MODEL,
    "It follows its neighbours: once those run on the device, it does too." },
  { BIT (HOST), "activation.alone", "", NEEDS_NOTHING, ASSAY_REMEDY_MODEL,
    "Put it right behind a convolution, a product or an Add that nothing else reads." },
  { BIT (HOST), "no-", "", NEEDS_NOTHING, ASSAY_REMEDY_MODEL,
    "Replace {op} by operations of the device, or keep the nodes of the host in one place." },
  { BIT (REJECTED), "no-", "", NEEDS_NOTHING, ASSAY_REMEDY_TARGET,
    "Replace {op} by operations that {target} has, or choose a target that takes it." },
  { BIT (REJECTED), "device", "", NEEDS_ALLOWED, ASSAY_REMEDY_SETUP,
    "Choose another device in Setup, or make {attribute} smaller: this one has {allowed}." },
  { BIT (REJECTED), "device", "", NEEDS_NOTHING, ASSAY_REMEDY_SETUP,
    "Choose another device in Setup: this one has no room for what it is a part of." },
  { BIT (REJECTED), "dtype", "", NEEDS_ALLOWED, ASSAY_REMEDY_MODEL,
    "Convert {attribute} to {allowed} before this node, or export it so." },
  { REFUSED, "cast", "", NEEDS_ALLOWED, ASSAY_REMEDY_MODEL,
    "Export with element types that the device converts between: {allowed}." },
  { REFUSED, "unpublished", "", NEEDS_NOTHING, ASSAY_REMEDY_SETUP,
    "Switch off Published only in Setup, or replace {op} by what the vendor lists." },
  { REFUSED, "product", "inputs", NEEDS_COMPUTED, ASSAY_REMEDY_SETUP,
    "Allow run-time weights in Setup, or make one side a constant." },
  { REFUSED, "reduce", "the data dimension", NEEDS_NOTHING, ASSAY_REMEDY_MODEL,
    "Keep the axes that it reduces (keepdims = 1), and take them away later." },
  { REFUSED, "", "the data dimension", NEEDS_NOTHING, ASSAY_REMEDY_MODEL,
    "Export the model so that both nodes work along the same axis." },
  { REFUSED, "streaming", "", NEEDS_NOTHING, ASSAY_REMEDY_SETUP,
    "Choose another streaming axis in Setup, or let the inputs arrive whole." },
  { REFUSED, "if", "", NEEDS_COMPUTED, ASSAY_REMEDY_MODEL,
    "Fix the condition when exporting: one branch alone can be compiled." },
  { REFUSED, "inequality", "", NEEDS_NOTHING, ASSAY_REMEDY_MODEL,
    "Let Where read the comparison directly, or write a mask times y as Where (mask, y, 0)." },
  { REFUSED, "", "", NEEDS_OPEN_OPERAND, ASSAY_REMEDY_SETUP,
    "Set the open sizes in Setup: {attribute} may be a constant then." },
  { REFUSED, "", "", NEEDS_COMPUTED, ASSAY_REMEDY_MODEL,
    "Export the model so that {attribute} is a constant." },
  { REFUSED, "", "", NEEDS_GIVEN, ASSAY_REMEDY_MODEL,
    "Give {attribute} in the model: {target} takes no {op} without it." },
  { REFUSED, "", "", NEEDS_ABSENT, ASSAY_REMEDY_MODEL,
    "Leave {attribute} out of the model: {target} takes {op} without it." },
  { REFUSED, "", "", NEEDS_ALLOWED, ASSAY_REMEDY_MODEL,
    "Change {attribute} in the model: {target} takes {allowed}." },
  { REFUSED, "", "", NEEDS_NOTHING, ASSAY_REMEDY_TARGET,
    "Replace {op} by operations that {target} has, or choose a target that takes it." },
};

static gboolean
has_open_sizes (const AssayGraph *graph)
{
  const GArray *inputs = g_array_index (graph->regions, AssayRegion, 0).inputs;

  for (guint i = 0; i < inputs->len; i++)
    {
      const AssayType *type =
          assay_graph_value (graph, g_array_index (inputs, AssayValueId, i))->type;

      for (int axis = 0; axis < assay_type_rank (type); axis++)
        if (type->dims[axis].size < 0)
          return TRUE;
    }

  return FALSE;
}

static gboolean
is_met (Need need, AssayVerdicts *verdicts, const AssayVerdict *verdict)
{
  gboolean computed = verdict->attribute != NULL && verdict->actual != NULL &&
                      g_str_has_prefix (verdict->actual, "computed at run time");

  switch (need)
    {
    case NEEDS_ALLOWED:
      return verdict->attribute != NULL && verdict->allowed != NULL;
    case NEEDS_GIVEN:
      return verdict->attribute != NULL && g_strcmp0 (verdict->allowed, "given") == 0;
    case NEEDS_ABSENT:
      return verdict->attribute != NULL && g_strcmp0 (verdict->allowed, "absent") == 0;
    case NEEDS_COMPUTED:
      return computed;
    case NEEDS_OPEN_SIZES:
      return has_open_sizes (verdicts->graph);
    case NEEDS_OPEN_OPERAND:
      return computed && has_open_sizes (verdicts->graph);
    case NEEDS_NOTHING:
    default:
      return TRUE;
    }
}

static gboolean
applies (guint row, AssayVerdicts *verdicts, const AssayVerdict *verdict)
{
  const char *rule = verdict->rule != NULL ? verdict->rule : "";
  const char *attribute = verdict->attribute != NULL ? verdict->attribute : "";
  const char *last = strrchr (rule, '.');

  if ((rows[row].kinds & (1u << verdict->kind)) == 0 ||
      !g_str_has_prefix (attribute, rows[row].attribute) ||
      !is_met (rows[row].need, verdicts, verdict))
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
    if (applies (i, verdicts, verdict))
      {
        *place = rows[i].place;
        return fill (rows[i].text, verdicts, verdict);
      }

  *place = ASSAY_REMEDY_MODEL;
  return NULL;
}
