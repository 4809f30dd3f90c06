/* assay-verdict-text.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/inspector/assay-verdict-text.h"

#include "base/assay-dtype.h"
#include "base/assay-sentence.h"
#include "text/assay-xml-writer.h"

/* Longer lists are cut on screen; the file has them in full. */
#define MAX_LISTED 16

static const char *const words[ASSAY_N_VERDICTS] = {
  [ASSAY_VERDICT_REJECTED] = "Rejected",       [ASSAY_VERDICT_HOST] = "Host",
  [ASSAY_VERDICT_UNDECIDED] = "Undecided",     [ASSAY_VERDICT_FUSED] = "Fused",
  [ASSAY_VERDICT_TRANSFORMED] = "Transformed", [ASSAY_VERDICT_REMOVED] = "Removed",
  [ASSAY_VERDICT_SUPPORTED] = "Supported",
};

/**
 * assay_verdict_word:
 * @kind: a verdict
 *
 * Gets the verdict as a word of the window.
 *
 * Returns: (transfer none): the word
 */
const char *
assay_verdict_word (AssayVerdictKind kind)
{
  g_return_val_if_fail (kind < ASSAY_N_VERDICTS, "");

  return words[kind];
}

/**
 * assay_verdict_dup_shown:
 * @verdicts: a checked graph
 * @verdict: (nullable): a verdict of it
 *
 * Writes the sentence of a verdict as a window has it.
 *
 * Returns: (transfer full): the sentence
 */
char *
assay_verdict_dup_shown (AssayVerdicts *verdicts, const AssayVerdict *verdict)
{
  g_autofree char *sentence = assay_verdict_sentence (verdicts, verdict);

  return assay_sentence_dup_shown (sentence);
}

/**
 * assay_verdict_shared:
 * @verdicts: a checked graph
 * @verdict: a verdict of it
 *
 * Counts the nodes with the same cause.
 *
 * Returns: the number, 1 if there is no cause
 */
guint
assay_verdict_shared (AssayVerdicts *verdicts, const AssayVerdict *verdict)
{
  if (verdict->cause < 0 || (guint) verdict->cause >= verdicts->causes->len)
    return 1;

  return g_array_index (verdicts->causes, AssayCause, verdict->cause).nodes->len;
}

/**
 * assay_value_type_markup:
 * @verdicts: a checked graph
 * @value: a value of it
 * @spoken: (out): the type as it is read out
 *
 * Writes the type of a value, the data dimension bold and underlined.
 *
 * Returns: (transfer full): Pango markup
 */
char *
assay_value_type_markup (AssayVerdicts *verdicts, AssayValueId value, char **spoken)
{
  const AssayType *type = assay_graph_value (verdicts->graph, value)->type;
  int data_dim = verdicts->data_dims != NULL ? verdicts->data_dims[value] : -1;
  g_autoptr (GString) markup = g_string_new (NULL);
  g_autoptr (GString) plain = g_string_new (NULL);

  if (type->kind != ASSAY_TYPE_KIND_TENSOR || type->rank < 0)
    {
      g_autofree char *text = assay_type_to_string (type);

      *spoken = g_strdup (text);
      return assay_xml_escape (text);
    }

  g_string_append (markup, assay_dtype_name (type->dtype));
  g_string_append (plain, assay_dtype_name (type->dtype));
  g_string_append (markup, type->rank == 0 ? " scalar" : " ");
  g_string_append (plain, type->rank == 0 ? " scalar" : " ");

  for (int i = 0; i < type->rank; i++)
    {
      const AssayDim *dim = &type->dims[i];
      g_autofree char *raw = dim->size >= 0 ? g_strdup_printf ("%" G_GINT64_FORMAT, dim->size)
                                            : g_strdup (dim->symbol != NULL ? dim->symbol : "?");
      g_autofree char *text = assay_xml_escape (raw);

      if (i > 0)
        {
          g_string_append (markup, " × ");
          g_string_append (plain, " by ");
        }
      g_string_append_printf (markup, i == data_dim ? "<b><u>%s</u></b>" : "%s", text);
      g_string_append_printf (plain, i == data_dim ? "%s, data dimension," : "%s", raw);
    }

  *spoken = g_strdup (plain->str);
  return g_strdup (markup->str);
}

static void
append_ints (GString *text, const gint64 *values, guint n)
{
  for (guint i = 0; i < MIN (n, MAX_LISTED); i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", values[i]);
}

static void
append_floats (GString *text, const double *values, guint n)
{
  for (guint i = 0; i < MIN (n, MAX_LISTED); i++)
    g_string_append_printf (text, "%s%g", i > 0 ? ", " : "", values[i]);
}

static void
append_string (GString *text, const char *bytes, gsize n)
{
  g_autofree char *valid = g_utf8_make_valid (bytes, (gssize) MIN (n, 200));

  g_string_append (text, valid);
  if (n > 200)
    g_string_append (text, "…");
}

/**
 * assay_attr_to_string:
 * @graph: the graph of the node
 * @attr: an attribute
 *
 * Writes the value of an attribute for people, long ones cut.
 *
 * Returns: (transfer full): the text
 */
char *
assay_attr_to_string (const AssayGraph *graph, const AssayAttr *attr)
{
  g_autoptr (GString) text = g_string_new (NULL);
  guint n_nodes;

  switch (attr->kind)
    {
    case ASSAY_ATTR_INT:
      append_ints (text, &attr->u.i, 1);
      break;
    case ASSAY_ATTR_FLOAT:
      append_floats (text, &attr->u.f, 1);
      break;
    case ASSAY_ATTR_STRING:
      append_string (text, attr->u.s, attr->n);
      break;
    case ASSAY_ATTR_INTS:
      append_ints (text, attr->u.ints, attr->n);
      break;
    case ASSAY_ATTR_FLOATS:
      append_floats (text, attr->u.floats, attr->n);
      break;
    case ASSAY_ATTR_STRINGS:
      for (guint i = 0; i < MIN (attr->n, MAX_LISTED); i++)
        {
          if (i > 0)
            g_string_append (text, ", ");
          append_string (text, attr->u.strings[i], strlen (attr->u.strings[i]));
        }
      break;
    case ASSAY_ATTR_TENSOR:
      g_string_append (text, "tensor");
      break;
    case ASSAY_ATTR_GRAPH:
      n_nodes = assay_graph_region (graph, attr->u.region)->nodes->len;
      g_string_append_printf (text, n_nodes == 1 ? "graph of %u node" : "graph of %u nodes",
                              n_nodes);
      break;
    case ASSAY_ATTR_TYPE:
      assay_type_append (attr->u.type, text);
      break;
    default:
      g_string_append_printf (text, "%u %s", attr->n, assay_noun (attr->n, "entry", "entries"));
      return g_strdup (text->str);
    }

  if (attr->kind >= ASSAY_ATTR_INTS && attr->n > MAX_LISTED)
    g_string_append_printf (text, ", … (%u in all)", attr->n);
  if (text->len == 0)
    g_string_append (text, "empty");

  return g_strdup (text->str);
}
