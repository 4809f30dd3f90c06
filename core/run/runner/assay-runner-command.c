/* assay-runner-command.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Runners in a process of their own: any program that speaks the protocol of
 * docs/runner-command.md, and ONNX Runtime, which a small program of ours drives in the same way.
 * Programs of users are confined unless they say otherwise; ours confines itself.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/assay-error.h"
#include "base/assay-file-map.h"
#include "base/assay-file-write.h"
#include "nnir/analysis/assay-analysis.h"
#include "process/assay-child.h"
#include "process/assay-helper.h"
#include "process/assay-temporary.h"
#include "run/assay-run-folder.h"
#include "run/assay-runner-private.h"
#include "source/assay-importer.h"
#include "source/onnx/assay-onnx-outputs.h"
#include "source/onnx/assay-onnx-write.h"

/* How long a program may take for one answer, unless the user says. */
#define USUAL_SECONDS 600

/* Longest line that is taken for an answer. */
#define LONGEST_ANSWER 4096

typedef struct
{
  AssayChild *child;
  char **argv;
  GHashTable *names; /* values that the file has, by name */
  char *folder;      /* where everything for the program goes, which may be confined to it */
  guint seconds;     /* for one answer */
  gboolean has_run;  /* since it was started */
} Command;

static gboolean
is_confined (AssayRunner *self)
{
  return self->kind->klass == &assay_runner_command_class;
}

/* What a confined program is refused, it tells in the words of the system. */
static const char *
way_out (AssayRunner *self, const char *said)
{
  return is_confined (self) && strstr (said, "denied") != NULL
             ? "; it writes to its own folder and reaches no network, unless it is run as "
               "unconfined:PATH"
             : "";
}

/* What the command answered, or how it ended if it did not; either way with what it said on
 * standard error. */
static void
report_answer (AssayRunner *self, const char *answer, GError **error)
{
  g_autofree char *text = g_utf8_make_valid (answer, -1);

  if (g_str_has_prefix (text, "error "))
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "runner %s: %s%s", self->spec,
                 text + strlen ("error "), way_out (self, text));
  else
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE,
                 "runner %s: answered `%s`, expected ok or error", self->spec, text);
}

/* Takes the cause; a program that failed by itself tells more about it than the pipe that broke. */
static gboolean
report_silence (AssayRunner *self, GError *cause, GError **error)
{
  Command *command = self->data;

  if (!g_error_matches (cause, ASSAY_ERROR, ASSAY_ERROR_CANCELLED))
    {
      int wait_status;
      gboolean failed = assay_child_end (command->child, &wait_status) && wait_status != 0;
      g_autofree char *ending = assay_child_dup_ending (command->child);

      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "runner %s: %s%s", self->spec,
                   failed ? ending : cause->message, way_out (self, ending));
      g_error_free (cause);
    }
  else
    {
      g_propagate_error (error, cause);
    }
  g_clear_pointer (&command->child, assay_child_free);

  return FALSE;
}

static char *
read_answer (AssayRunner *self, const AssayProgress *progress, GError **error)
{
  Command *command = self->data;

  assay_child_set_deadline (command->child, command->seconds);
  return assay_child_read_line (command->child, LONGEST_ANSWER, progress, error);
}

/* Takes the cause. */
static gboolean
check_answer (AssayRunner *self, const char *answer, const char *expected, GError *cause,
              GError **error)
{
  if (answer == NULL)
    return report_silence (self, cause, error);
  if (g_str_equal (answer, expected))
    return TRUE;

  report_answer (self, answer, error);
  return FALSE;
}

static gboolean
start (AssayRunner *self, const AssayProgress *progress, GError **error)
{
  Command *command = self->data;
  const AssayConfinement confinement = { .writable = command->folder,
                                         .devices = TRUE,
                                         .programs = TRUE };
  g_autofree char *answer = NULL;
  GError *cause = NULL;

  command->has_run = FALSE;
  command->child = assay_child_new_confined ((const char *const *) command->argv,
                                             is_confined (self) ? &confinement : NULL, error);
  if (command->child == NULL)
    return FALSE;
  answer = read_answer (self, progress, &cause);

  return check_answer (self, answer, "ready", cause, error);
}

/* Whether it ended well instead of running once more. */
static gboolean
has_left (Command *command, GError *cause)
{
  int wait_status;

  return command->has_run && !g_error_matches (cause, ASSAY_ERROR, ASSAY_ERROR_CANCELLED) &&
         !assay_child_was_late (command->child) && assay_child_end (command->child, &wait_status) &&
         wait_status == 0;
}

/* Has it run what is in a folder. */
static gboolean
ask (AssayRunner *self, const char *path, const AssayProgress *progress, GError **error)
{
  Command *command = self->data;
  g_autofree char *line = g_strconcat (path, "\n", NULL);
  g_autofree char *answer = NULL;
  GError *cause = NULL;

  /* One that ended after its last run is started again. */
  if (command->child != NULL && !assay_child_is_running (command->child))
    g_clear_pointer (&command->child, assay_child_free);
  if (command->child == NULL && !start (self, progress, error))
    return FALSE;

  assay_progress_report (progress, -1, self->kind->label);
  assay_child_set_deadline (command->child, command->seconds);
  if (assay_child_write (command->child, line, strlen (line), progress, &cause))
    answer = read_answer (self, progress, &cause);

  /* So is one that was still about to end when it was asked. */
  if (answer == NULL && has_left (command, cause))
    {
      g_error_free (cause);
      g_clear_pointer (&command->child, assay_child_free);
      return ask (self, path, progress, error);
    }

  command->has_run = TRUE;
  return check_answer (self, answer, "ok", cause, error);
}

/* The other program finds values by the names of the file, in its main graph; what importing wrote
 * out is not there. */
static GHashTable *
list_names (const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = assay_file_map_new (path, error);

  return bytes != NULL ? assay_onnx_list_results (bytes) : NULL;
}

/* A link to the file that the model came from, for programs that would rather read that; it names
 * what they may read anyway. */
static gboolean
link_source (AssayRunner *self, Command *command, GError **error)
{
  g_autofree char *path = NULL;
  g_autofree char *link = NULL;
  const char *suffix;

  if (self->subject->path == NULL)
    return TRUE;
  path = g_canonicalize_filename (self->subject->path, NULL);
  suffix = strrchr (path, '.');
  if (suffix == NULL || strchr (suffix, G_DIR_SEPARATOR) != NULL)
    return TRUE;
  link = g_strconcat (command->folder, G_DIR_SEPARATOR_S "source", suffix, NULL);

  if (symlink (path, link) == 0)
    return TRUE;
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IO, "%s: %s", link, g_strerror (errno));
  return FALSE;
}

/* The file that the other program reads: that of the model as long as nothing was changed in it, or
 * the model written into one. */
static char *
dup_model_path (AssayRunner *self, Command *command, const AssayProgress *progress, GError **error)
{
  const AssayImporter *exchange = assay_importer_get_exchange ();
  AssayGraph *imported = self->subject->imported;
  const AssayOnnxWriteOptions options = { 0 };
  g_autoptr (AssayGraph) expanded = NULL;
  g_autofree char *name = NULL;
  g_autofree char *path = NULL;
  gboolean written;

  if (self->subject->path != NULL && !imported->is_changed &&
      assay_importer_of_graph (imported) == exchange)
    return g_canonicalize_filename (self->subject->path, NULL);

  expanded = assay_onnx_expand (imported, error);
  name = g_strconcat ("model", exchange->suffixes[0], NULL);
  path = g_build_filename (command->folder, name, NULL);
  assay_file_passing_enter ();
  written = expanded != NULL && assay_onnx_write_file (expanded, path, &options, progress, error);
  assay_file_passing_leave ();
  if (!written || !link_source (self, command, error))
    {
      g_prefix_error (error, "runner %s: writing the model as %s: ", self->spec, exchange->title);
      return NULL;
    }

  return g_steal_pointer (&path);
}

/* What @argv has an empty place for, behind the program: the model, and the folder it may write to
 * if it takes one. */
static void
fill (char **argument, char *value)
{
  g_free (*argument);
  *argument = value;
}

static gboolean
open_command (AssayRunner *self, const char *const *argv, const AssayRunnerOptions *options,
              const AssayProgress *progress, GError **error)
{
  Command *command = g_new0 (Command, 1);
  char *model;

  self->data = command;
  command->seconds = options->seconds > 0 ? options->seconds : USUAL_SECONDS;
  command->folder = assay_temporary_folder ("runner", error);
  if (command->folder == NULL)
    return FALSE;
  model = dup_model_path (self, command, progress, error);
  if (model == NULL)
    return FALSE;
  command->names = list_names (model, error);
  if (command->names == NULL)
    {
      g_free (model);
      return FALSE;
    }
  command->argv = g_strdupv ((GStrv) argv);
  fill (&command->argv[1], model);
  if (command->argv[2] != NULL)
    fill (&command->argv[2], g_strdup (command->folder));

  return start (self, progress, error);
}

static gboolean
command_open (AssayRunner *self, const AssayRunnerOptions *options, const AssayProgress *progress,
              GError **error)
{
  const char *argv[] = { self->argument, "", NULL };

  return open_command (self, argv, options, progress, error);
}

static gboolean
ort_open (AssayRunner *self, const AssayRunnerOptions *options, const AssayProgress *progress,
          GError **error)
{
  g_autofree char *helper = assay_helper_find ("assay-ort", error);
  g_autofree char *threads = g_strdup_printf ("%u", options->n_threads);
  const char *library = self->argument != NULL ? self->argument : options->onnxruntime;
  const char *argv[] = {
    helper, "", "", threads, self->is_variant ? "none" : "all", library, NULL
  };

  return helper != NULL && open_command (self, argv, options, progress, error);
}

static void
command_close (AssayRunner *self)
{
  Command *command = self->data;

  if (command->child != NULL)
    assay_child_end (command->child, NULL);
  g_clear_pointer (&command->child, assay_child_free);
  if (command->folder != NULL)
    assay_temporary_delete (command->folder);
  g_free (command->folder);
  g_strfreev (command->argv);
  g_clear_pointer (&command->names, g_hash_table_unref);
  g_free (command);
  self->data = NULL;
}

static gboolean
command_can_observe (AssayRunner *self, AssayValueId id)
{
  Command *command = self->data;
  const AssayValue *value = assay_graph_value (self->subject->graph, id);

  return value->kind == ASSAY_VALUE_RESULT && value->region == ASSAY_MAIN_REGION &&
         value->type->kind == ASSAY_TYPE_KIND_TENSOR &&
         g_hash_table_contains (command->names, value->name);
}

/* The values that are wanted, in program order. */
static GArray *
choose_values (AssayRunner *self, const AssayRunObserver *observer)
{
  GArray *values = g_array_new (FALSE, FALSE, sizeof (AssayValueId));
  const AssayGraph *graph = self->subject->graph;
  g_autoptr (GArray)
      order = observer != NULL ? assay_graph_sort_region (graph, ASSAY_MAIN_REGION, NULL) : NULL;

  for (guint i = 0; order != NULL && i < order->len; i++)
    {
      const AssayNode *node = assay_graph_node (graph, g_array_index (order, AssayNodeId, i));

      for (guint j = 0; j < node->n_outputs; j++)
        {
          AssayValueId id = node->outputs[j];

          if (id != ASSAY_NO_VALUE && assay_run_observer_wants (observer, id) &&
              command_can_observe (self, id))
            g_array_append_val (values, id);
        }
    }

  return values;
}

/* An output that is no tensor. */
static gboolean
collect_parts (AssayRunner *self, AssayRunFolder *folder, guint index, GPtrArray *outputs,
               GError **error)
{
  const AssayRegion *main = assay_graph_region (self->subject->imported, ASSAY_MAIN_REGION);
  AssayValueId id = g_array_index (main->outputs, AssayValueId, index);
  g_autoptr (AssayRunParts) parts = assay_run_folder_load_parts (folder, index, error);
  g_autoptr (AssayRunParts) optional = NULL;

  if (parts == NULL)
    return FALSE;

  if (assay_graph_value (self->subject->imported, id)->type->kind == ASSAY_TYPE_KIND_OPTIONAL &&
      !g_str_has_prefix (g_ptr_array_index (parts->names, 0), "value"))
    optional = assay_run_parts_new_optional (parts);
  assay_runner_take_parts (self, index, optional != NULL ? optional : parts, outputs);

  return TRUE;
}

static GPtrArray *
collect (AssayRunner *self, AssayRunFolder *folder, const AssayRunObserver *observer,
         GArray *values, GError **error)
{
  g_autoptr (GPtrArray)
      outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);

  for (guint i = 0; i < values->len; i++)
    {
      AssayValueId id = g_array_index (values, AssayValueId, i);
      AssayDType dtype = assay_graph_value (self->subject->graph, id)->type->dtype;
      g_autoptr (AssayTensor) tensor = assay_run_folder_load_output (folder, TRUE, i, dtype, error);

      if (tensor == NULL)
        {
          g_prefix_error (error, "runner %s: ", self->spec);
          return NULL;
        }
      if (!observer->func (id, 0, tensor, observer->user_data, error))
        return NULL;
    }

  for (guint i = 0; i < self->outputs->len; i++)
    {
      const AssayRunPort *port = &g_array_index (self->outputs, AssayRunPort, i);
      AssayTensor *tensor = NULL;

      if (port->other != NULL && collect_parts (self, folder, i, outputs, error))
        continue;
      if (port->other == NULL)
        tensor = assay_run_folder_load_output (folder, FALSE, i, port->dtype, error);
      if (tensor == NULL)
        {
          g_prefix_error (error, "runner %s: ", self->spec);
          return NULL;
        }
      g_ptr_array_add (outputs, tensor);

      /* What ONNX Runtime computes is what there is, even if the file promises another shape. */
      if (self->kind->klass != &assay_runner_ort_class &&
          !assay_runner_check_output (self, port, tensor, error))
        return NULL;
    }
  assay_run_folder_load_result (folder, self->latencies);

  return g_steal_pointer (&outputs);
}

static GPtrArray *
run_in_folder (AssayRunner *self, AssayRunFolder *folder, GPtrArray *inputs,
               const AssayRunObserver *observer, const AssayProgress *progress, GError **error)
{
  g_autoptr (GArray) values = choose_values (self, observer);

  for (guint i = 0; i < inputs->len; i++)
    assay_run_folder_add_input (folder, g_array_index (self->inputs, AssayRunPort, i).name,
                                g_ptr_array_index (inputs, i));
  for (guint i = 0; i < self->outputs->len; i++)
    g_ptr_array_add (folder->outputs,
                     g_strdup (g_array_index (self->outputs, AssayRunPort, i).name));
  for (guint i = 0; i < values->len; i++)
    g_ptr_array_add (
        folder->values,
        g_strdup (assay_graph_value (self->subject->graph, g_array_index (values, AssayValueId, i))
                      ->name));

  if (!assay_run_folder_write (folder, error))
    return NULL;

  if (!ask (self, folder->path, progress, error))
    return NULL;

  return collect (self, folder, observer, values, error);
}

static GPtrArray *
command_run (AssayRunner *self, GPtrArray *inputs, const AssayRunObserver *observer,
             const AssayProgress *progress, GError **error)
{
  Command *command = self->data;
  g_autoptr (AssayRunFolder) folder = NULL;
  GPtrArray *outputs;

  if (!assay_runner_check_inputs (self, inputs, error))
    return NULL;
  folder = assay_run_folder_new (command->folder, error);
  if (folder == NULL)
    return NULL;

  outputs = run_in_folder (self, folder, inputs, observer, progress, error);
  assay_run_folder_delete (folder);

  return outputs;
}

const AssayRunnerClass assay_runner_command_class = { NULL, command_open, command_close,
                                                      command_can_observe, command_run };
const AssayRunnerClass assay_runner_unconfined_class = { NULL, command_open, command_close,
                                                         command_can_observe, command_run };
const AssayRunnerClass assay_runner_ort_class = { NULL, ort_open, command_close,
                                                  command_can_observe, command_run };
