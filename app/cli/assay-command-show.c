/* assay-command-show.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <unistd.h>

#include "assay-cli-model.h"
#include "assay-command.h"
#include "assay-show-picture.h"
#include "assay-show-tensor.h"
#include "base/assay-error.h"
#include "base/assay-file-map.h"
#include "fix/assay-model-save.h"
#include "nnir/text/assay-text.h"
#include "reduce/assay-split.h"
#include "report/assay-model-report.h"
#include "source/assay-importer.h"
#include "source/torch/assay-torch-backends.h"
#include "source/torch/assay-torch-contract.h"
#include "source/torch/pass/assay-torch-pass.h"

typedef struct
{
  AssayCli *cli;
  const char *model;
  AssayWork *work;
  AssayGraph *graph;
  AssayFindings *findings;
  const AssayTorchPass *pass; /* NULL for the program as it was read */
  char **splits;              /* (nullable): nodes behind which another model begins */
} Show;

static char *
emit_summary (const Show *show, gsize *length, GError **error)
{
  return assay_model_report_to_text (show->model, show->graph, show->findings,
                                     assay_cli_has_colours (show->cli), length);
}

static char *
emit_json (const Show *show, gsize *length, GError **error)
{
  return assay_model_report_to_json (show->model, show->graph, show->findings, length);
}

static char *
emit_dot (const Show *show, gsize *length, GError **error)
{
  return assay_graph_to_dot (show->graph, length);
}

static char *
emit_nnir (const Show *show, gsize *length, GError **error)
{
  /* Nobody reads weights on a terminal; a file has them, so that it opens as the same model. */
  gboolean on_terminal = show->cli->output == NULL && isatty (STDOUT_FILENO);
  char *text = assay_graph_to_text (show->graph,
                                    on_terminal ? ASSAY_TEXT_NO_DATA : ASSAY_TEXT_ALL_DATA, error);

  *length = text != NULL ? strlen (text) : 0;
  return text;
}

/* The program before it became a graph: as it stands in the file, or behind a pass. */
static AssayTorchModule *
read_program (const Show *show, GError **error)
{
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (AssayTorchModule) module = NULL;
  const char *path = show->model;

  if (show->work != NULL)
    {
      AssayRunSubject *subject = assay_work_get_subject (show->work, FALSE, &show->cli->progress,
                                                         error);

      if (subject == NULL)
        return NULL;
      if (g_strcmp0 (show->graph->source, assay_importer_torch.id) != 0)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                       "%s: is no text of the torch dialect", show->model);
          return NULL;
        }
      path = subject->path;
    }
  bytes = assay_file_map_new (path, error);
  module = bytes != NULL ? assay_torch_module_parse (bytes, &show->cli->progress, error) : NULL;
  if (module == NULL ||
      (show->pass != NULL &&
       !assay_torch_module_run_passes (module, show->pass, &show->cli->progress, error)))
    return NULL;

  return g_steal_pointer (&module);
}

static char *
emit_torch (const Show *show, gsize *length, GError **error)
{
  g_autoptr (AssayTorchModule) module = read_program (show, error);
  char *text = module != NULL ? assay_torch_module_print (module) : NULL;

  *length = text != NULL ? strlen (text) : 0;
  return text;
}

static char *
emit_contract (const Show *show, gsize *length, GError **error)
{
  g_autoptr (AssayTorchModule) module = read_program (show, error);
  guint n;
  char *text = module != NULL ? assay_torch_module_check_contract (module, &n) : NULL;

  *length = text != NULL ? strlen (text) : 0;
  return text;
}

static char *
emit_backends (const Show *show, gsize *length, GError **error)
{
  g_autoptr (AssayTorchModule) module = read_program (show, error);
  guint n;
  char *text = module != NULL ? assay_torch_module_check_backends (module, &n) : NULL;

  *length = text != NULL ? strlen (text) : 0;
  return text;
}

static char *
emit_passes (const Show *show, gsize *length, GError **error)
{
  g_autoptr (AssayTorchModule) module = read_program (show, error);
  char *text = module != NULL
                   ? assay_torch_module_describe_passes (module, &show->cli->progress, error)
                   : NULL;

  *length = text != NULL ? strlen (text) : 0;
  return text;
}

/* The model itself goes into a file; what is told of it goes where text goes. */
static gboolean
write_model (const Show *show, const char *path, GString *text, GError **error)
{
  g_auto (AssayModelSave) saved = { 0 };
  g_autofree char *proof = NULL;

  if (!assay_model_save (show->graph, path, &show->cli->progress, &saved, error))
    return FALSE;

  proof = assay_model_save_describe (&saved);
  g_string_append_printf (text, "%s: opset %" G_GINT64_FORMAT ". %s\n", path, saved.opset, proof);
  return TRUE;
}

static AssayExit
write_models (const Show *show)
{
  g_autofree char *path = g_steal_pointer (&show->cli->output);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;

  if (!(show->splits != NULL ? assay_split_save (show->graph, (const char *const *) show->splits,
                                                 path, text, &show->cli->progress, &error)
                             : write_model (show, path, text, &error)))
    return assay_cli_fail (show->cli, error, show->findings);

  return assay_cli_write (show->cli, text->str, text->len,
                          assay_findings_count_at (show->findings, ASSAY_SEVERITY_ERROR) > 0
                              ? ASSAY_EXIT_FINDINGS
                              : ASSAY_EXIT_CLEAN);
}

static const struct
{
  const char *name;
  char *(*emit) (const Show *show, gsize *length, GError **error);
} forms[] = {
  { "text", emit_summary },  { "json", emit_json },         { "dot", emit_dot },
  { "nnir", emit_nnir },     { "torch", emit_torch },       { "contract", emit_contract },
  { "passes", emit_passes }, { "backends", emit_backends },
};

static AssayExit
show_graph (Show *show, const char *form, const char *tensor, gboolean canonical)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  gsize length = 0;

  if (canonical)
    {
      show->graph = assay_work_get_form (show->work, NULL, &show->cli->progress, &error);
      if (show->graph == NULL)
        return assay_cli_fail (show->cli, error, show->findings);
    }
  if (tensor != NULL)
    return assay_show_tensor (show->cli, show->graph, show->findings, tensor);

  if (g_str_equal (form, "onnx"))
    return write_models (show);

  for (guint i = 0; i < G_N_ELEMENTS (forms); i++)
    if (g_str_equal (forms[i].name, form))
      text = forms[i].emit (show, &length, &error);
  if (text == NULL)
    return assay_cli_fail (show->cli, error, show->findings);

  return assay_cli_write (show->cli, text, length,
                          assay_findings_count_at (show->findings, ASSAY_SEVERITY_ERROR) > 0
                              ? ASSAY_EXIT_FINDINGS
                              : ASSAY_EXIT_CLEAN);
}

/* Forms of the program itself: a file need hold nothing that opens as a model. */
static gboolean
is_program (const AssayCli *cli, const char *form)
{
  static const char *const names[] = { "torch", "contract", "passes", "backends", NULL };

  return g_strv_contains (names, form) &&
         g_str_has_suffix (cli->arguments[0], assay_importer_torch.suffixes[0]) &&
         g_file_test (cli->arguments[0], G_FILE_TEST_IS_REGULAR);
}

/* The levels for the help text. */
static char *
level_list (void)
{
  GString *text = g_string_new ("Levels:\n");
  const AssayTorchPass *pass;

  g_string_append_printf (text, "  %-27s %s\n", "onnx", "The graph as in the file");
  g_string_append_printf (text, "  %-27s %s\n", "nnir", "The graph in canonical form");
  for (guint i = 0; (pass = assay_torch_pass_get (i)) != NULL; i++)
    g_string_append_printf (text, "  %-27s %s\n", pass->name, pass->summary);
  g_string_append (text, "\nThe passes are those of torch dialect text, in their order.");

  return g_string_free (text, FALSE);
}

/**
 * assay_command_show:
 * @cli: the run
 * @argc: number of arguments
 * @argv: the arguments, the name of the command first
 *
 * Tells what a model is made of, or writes its graph.
 *
 * Returns: the exit code
 */
AssayExit
assay_command_show (AssayCli *cli, int argc, char **argv)
{
  g_auto (AssayShowPicture) picture = { 0 };
  static const char *const form_names[] = { "text",     "json",   "dot",      "nnir", "torch",
                                            "contract", "passes", "backends", "onnx", "svg",
                                            "pdf",      "png",    NULL };
  const char *form;
  g_autofree char *level = NULL;
  g_autofree char *tensor = NULL;
  g_auto (GStrv) splits = NULL;
  const GOptionEntry entries[] = {
    { "level", 0, 0, G_OPTION_ARG_STRING, &level,
      "Graph as in the file (onnx, default) or in canonical form (nnir); of torch dialect text "
      "also the program after a pass, see below",
      "LEVEL" },
    { "tensor", 0, 0, G_OPTION_ARG_STRING, &tensor,
      "Tell what this constant is like; with an --output that ends in .npy, write it there",
      "NAME" },
    { "split", 0, 0, G_OPTION_ARG_STRING_ARRAY, &splits,
      "Cut the model into several that run one after the other: the next begins behind NODE",
      "NODE" },
    ASSAY_SHOW_PICTURE_ENTRIES (picture),
    G_OPTION_ENTRY_NULL
  };
  g_autofree char *list = level_list ();
  g_autoptr (AssayTarget) target = NULL;
  g_autoptr (AssayWork) work = NULL;
  AssayPictureForm picture_form = ASSAY_PICTURE_DOT;
  const AssayTorchPass *pass;
  gboolean draws;
  AssayExit status;

  cli->stages = ASSAY_PIPELINE_IMPORT | ASSAY_PIPELINE_CHECK | ASSAY_PIPELINE_BUILD;
  cli->forms = form_names;
  cli->form_option = "emit";
  if (!assay_cli_parse (cli, entries, "MODEL",
                        "Tells what a model is made of: its interface, operators and sizes.", list,
                        argc, argv, &status))
    return status;

  pass = level != NULL ? assay_torch_pass_find (level) : NULL;
  form = cli->form != NULL                 ? cli->form
         : pass != NULL                    ? "torch"
         : level != NULL && tensor == NULL ? "nnir"
                                           : "text";
  /* The graph of a file in DOT needs no target; with one it is the picture. */
  draws = assay_picture_form_find (form, &picture_form) &&
          (picture_form != ASSAY_PICTURE_DOT || cli->target != NULL);
  if (g_str_equal (form, "onnx") && cli->output == NULL)
    return assay_cli_usage (cli, "--emit onnx needs --output: a model is no text");
  if (!draws && cli->target != NULL)
    return assay_cli_usage (
        cli, "--target is for pictures (--emit svg, pdf, png, dot); `assay check` tells verdicts");
  if (splits != NULL && !g_str_equal (form, "onnx"))
    return assay_cli_usage (cli, "--split writes models: --output has to end in .onnx");
  if (tensor != NULL && !g_str_equal (form, "text") && !g_str_equal (form, "json"))
    return assay_cli_usage (cli, "--tensor goes with --emit text or json");
  if (level != NULL && pass == NULL && !g_str_equal (level, "onnx") && !g_str_equal (level, "nnir"))
    return assay_cli_usage (cli, "--level %s: expected onnx, nnir, or a pass of --emit passes",
                            level);
  if (pass != NULL && !g_str_equal (form, "torch") && !g_str_equal (form, "contract") &&
      !g_str_equal (form, "backends"))
    return assay_cli_usage (cli, "--level %s goes with --emit torch, contract or backends", level);

  if (is_program (cli, form))
    {
      g_autoptr (AssayFindings) none = assay_findings_new ();

      return show_graph (&(Show){ cli, cli->arguments[0], NULL, NULL, none, pass, NULL }, form,
                         NULL, FALSE);
    }
  if (cli->target != NULL)
    target = assay_cli_load_target (cli, &status);
  work = cli->target == NULL || target != NULL ? assay_cli_open (cli, target, &status) : NULL;
  if (work == NULL)
    return status;

  if (draws)
    return assay_show_picture_write (&picture, cli, work, target, picture_form);

  return show_graph (&(Show){ cli, cli->arguments[0], work, assay_work_get_graph (work, NULL, NULL),
                              assay_work_get_findings (work), pass, splits },
                     form, tensor, g_strcmp0 (level, "nnir") == 0);
}
