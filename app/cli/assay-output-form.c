/* assay-output-form.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assay-output-form.h"

#include "base/assay-error.h"

/* What most commands write. */
const char *const assay_output_forms_report[] = { "text", "json", NULL };

/* The first row that fits counts. A form that no command writes is here so that a file with its
 * ending is refused instead of filled with text. */
static const struct
{
  const char *ending;
  const char *form;
} endings[] = {
  { ".sarif.json", "sarif" }, { ".sarif", "sarif" }, { ".json", "json" }, { ".xml", "junit" },
  { ".csv", "csv" },          { ".dot", "dot" },     { ".gv", "dot" },    { ".nnir", "nnir" },
  { ".mlir", "torch" },       { ".onnx", "onnx" },   { ".svg", "svg" },   { ".pdf", "pdf" },
  { ".png", "png" },          { ".html", "html" },   { ".htm", "html" },  { ".md", "markdown" },
  { ".tsv", "tsv" },
};

/**
 * assay_output_form_list:
 * @forms: (array zero-terminated=1): names of forms
 *
 * Lists forms as a sentence does.
 *
 * Returns: (transfer full): such as `text, json or csv`
 */
char *
assay_output_form_list (const char *const *forms)
{
  GString *text = g_string_new (forms[0]);

  for (guint i = 1; forms[i] != NULL; i++)
    g_string_append_printf (text, "%s%s", forms[i + 1] != NULL ? ", " : " or ", forms[i]);

  return g_string_free (text, FALSE);
}

static gboolean
has_ending (const char *path, const char *ending)
{
  gsize length = strlen (path), n = strlen (ending);

  return length > n && g_ascii_strcasecmp (path + length - n, ending) == 0;
}

/* What form the name of a file promises; NULL if it promises none. */
static const char *
find_promise (const char *path)
{
  for (guint i = 0; i < G_N_ELEMENTS (endings); i++)
    if (has_ending (path, endings[i].ending))
      return endings[i].form;

  return NULL;
}

/**
 * assay_output_form_choose:
 * @forms: (array zero-terminated=1): what a command writes
 * @option: (nullable): name of the option that says the form
 * @json: whether `--json` was given
 * @path: (nullable): the file that gets the output
 * @form: (inout) (nullable): what the option said; what is to be written, %NULL if nobody said
 * @error: return location for a #GError
 *
 * Finds out what form an output has: what the option says, or `--json`, or else what the name of
 * the file promises.
 *
 * Returns: whether the command writes it
 */
gboolean
assay_output_form_choose (const char *const *forms, const char *option, gboolean json,
                          const char *path, char **form, GError **error)
{
  g_autofree char *list = assay_output_form_list (forms);
  const char *promised;

  if (*form != NULL)
    {
      if (g_strv_contains (forms, *form))
        return TRUE;
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "--%s %s: expected %s", option, *form,
                   list);
      return FALSE;
    }

  promised = json ? "json" : path != NULL ? find_promise (path) : NULL;
  if (promised != NULL && !g_strv_contains (forms, promised))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "--output %s: this command writes %s, and no %s; --%s says which, whatever "
                   "the ending",
                   path, list, promised, option);
      return FALSE;
    }
  *form = g_strdup (promised);

  return TRUE;
}
