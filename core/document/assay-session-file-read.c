/* assay-session-file-read.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reading the members of a session file.
 */
#include "document/assay-session-file-private.h"

#include <string.h>

#include "fix/assay-fix-json.h"
#include "run/assay-runner.h"
#include "document/assay-comparison-json.h"

#define MAX_CORES 4096

/* Sections and what this version knows of them. */
static const char *const root_members[] = { "schema",     "model", "session", "target",
                                            "setup",      "fixes", "notes",   "run",
                                            "comparison", "view",  NULL };
static const char *const model_members[] = { "path", "sha256", "bytes", "modified", "data", NULL };
static const char *const target_members[] = { "id", "path", "depths", NULL };
static const char *const setup_members[] = { "sizes",           "target_options", "compile_options",
                                             "data_dimensions", "shapes",         "streaming_axes",
                                             "dynamic_weights", "optimize",       NULL };
static const char *const run_members[] = {
  "runner", "board", "a", "b", "tolerance", "inputs", NULL
};
static const char *const view_members[] = { "page",        "selection", "filter",   "color_by",
                                            "open_scopes", "zoom",      "anchor",   "x",
                                            "y",           "core",      "playhead", "pinned",
                                            NULL };
static const char *const input_members[] = { "seed", "steps", "files", NULL };
static const char *const note_members[] = { "node", "text", NULL };

typedef struct
{
  AssaySessionFile *file;
  AssayJsonReader *reader;
  const char *folder;
} Reading;

/* What a later version wrote is kept as it is, and said. */
static void
keep_unknown (Reading *self, JsonObject *object, const char *section, const char *const *known)
{
  g_autoptr (GList) names = json_object_get_members (object);

  for (GList *l = names; l != NULL; l = l->next)
    {
      AssayUnknownMember *member;
      guint line, column;
      gsize offset;
      gsize mark;

      if (g_strv_contains (known, l->data))
        continue;

      member = g_new0 (AssayUnknownMember, 1);
      member->section = g_strdup (section);
      member->name = g_strdup (l->data);
      member->value = json_node_copy (json_object_get_member (object, l->data));
      g_ptr_array_add (self->file->unknown, member);

      mark = assay_json_reader_enter (self->reader, l->data);
      assay_json_index_find (self->reader->index, self->reader->path->str, &line, &column, &offset);
      assay_findings_add (self->reader->findings, ASSAY_SEVERITY_NOTE, "session.unknown",
                          self->reader->name, NULL, self->reader->path->str, (gint64) offset,
                          "line %u: %s: not known to this version; it is kept as it is", line,
                          self->reader->path->str);
      assay_json_reader_leave (self->reader, mark);
    }
}

/* Enters a section if it is there. */
static JsonObject *
open_section (Reading *self, JsonObject *parent, const char *name, const char *const *known,
              gsize *mark)
{
  JsonObject *object = assay_json_reader_object (self->reader, parent, name);

  if (object == NULL)
    return NULL;

  *mark = assay_json_reader_enter (self->reader, name);
  keep_unknown (self, object, name, known);
  return object;
}

static void
expect_at (Reading *self, JsonObject *object, const char *name, const char *expected)
{
  gsize mark = assay_json_reader_enter (self->reader, name);

  assay_json_reader_expect (self->reader, json_object_get_member (object, name), expected);
  assay_json_reader_leave (self->reader, mark);
}

static gint64
read_int (Reading *self, JsonObject *object, const char *name, gint64 least, gint64 most,
          gint64 fallback)
{
  JsonNode *node = json_object_get_member (object, name);
  g_autofree char *expected = NULL;

  if (node == NULL)
    return fallback;
  if (assay_json_node_is_integer (node) && json_node_get_int (node) >= least &&
      json_node_get_int (node) <= most)
    return json_node_get_int (node);

  expected = g_strdup_printf ("a whole number from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT,
                              least, most);
  expect_at (self, object, name, expected);
  return fallback;
}

static double
read_double (Reading *self, JsonObject *object, const char *name, double most)
{
  JsonNode *node = json_object_get_member (object, name);

  if (node == NULL)
    return 0;
  if (assay_json_node_is_number (node) && json_node_get_double (node) >= -most &&
      json_node_get_double (node) <= most)
    return json_node_get_double (node);

  expect_at (self, object, name, "a number of sensible size");
  return 0;
}

/* Relative to the folder of the session file, so that both can be moved together. */
static char *
read_path (Reading *self, JsonObject *object, const char *name)
{
  const char *path = assay_json_reader_string (self->reader, object, name);
  g_autofree char *local = NULL;

  if (path == NULL)
    return NULL;
  if (*path == '\0')
    {
      expect_at (self, object, name, "the path of a file");
      return NULL;
    }
  if (!g_str_has_prefix (path, "file:"))
    return g_canonicalize_filename (path, self->folder);

  local = g_filename_from_uri (path, NULL, NULL);
  if (local == NULL)
    expect_at (self, object, name, "the path of a file, or the URI of one on this computer");
  return g_steal_pointer (&local);
}

static void
read_stamp (Reading *self, JsonObject *object, AssayFileStamp *stamp)
{
  const char *digest = assay_json_reader_string (self->reader, object, "sha256");

  if (digest != NULL && (strlen (digest) != 64 || strspn (digest, "0123456789abcdef") != 64))
    expect_at (self, object, "sha256", "64 hexadecimal digits");
  else
    stamp->digest = g_strdup (digest);
  stamp->n_bytes = read_int (self, object, "bytes", 0, G_MAXINT64, -1);
  stamp->modified = read_int (self, object, "modified", 0, G_MAXINT64, -1);
}

/* External data of the model. */
static void
read_data (Reading *self, JsonObject *model)
{
  JsonArray *array = assay_json_reader_array (self->reader, model, "data");
  gsize mark = assay_json_reader_enter (self->reader, "data");

  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    {
      JsonNode *node = json_array_get_element (array, i);
      JsonObject *object = JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
      gsize element = assay_json_reader_enter_element (self->reader, i);
      const char *location = object != NULL
                                 ? assay_json_reader_string (self->reader, object, "location")
                                 : NULL;

      if (location != NULL)
        {
          AssayFileStamp *stamp = assay_file_stamp_new (location);

          g_ptr_array_add (self->file->data, stamp);
          read_stamp (self, object, stamp);
        }
      else
        assay_json_reader_expect (self->reader, node, "an object with \"location\"");
      assay_json_reader_leave (self->reader, element);
    }
  assay_json_reader_leave (self->reader, mark);
}

static void
read_model (Reading *self, JsonObject *root)
{
  gsize mark;
  JsonObject *object = open_section (self, root, "model", model_members, &mark);

  if (object == NULL)
    {
      if (!json_object_has_member (root, "model"))
        assay_json_reader_complain (self->reader, "member \"model\" is missing");
      return;
    }

  self->file->model = read_path (self, object, "path");
  if (!json_object_has_member (object, "path"))
    assay_json_reader_complain (self->reader, "member \"path\" is missing");

  read_stamp (self, object, &self->file->stamp);
  read_data (self, object);
  assay_json_reader_leave (self->reader, mark);
}

typedef void (*SetNumber) (AssaySetup *setup, const char *name, gint64 value);
typedef void (*SetString) (AssaySetup *setup, const char *name, const char *value);

static void
take_number (Reading *self, JsonObject *object, const char *name, AssaySetup *setup, SetNumber set)
{
  gint64 value = read_int (self, object, name, 0, G_MAXINT64, -1);

  if (value >= 0)
    set (setup, name, value);
}

static void
take_string (Reading *self, JsonObject *object, const char *name, AssaySetup *setup, SetString set)
{
  const char *value = assay_json_reader_string (self->reader, object, name);

  if (strchr (name, '=') != NULL || *name == '\0')
    expect_at (self, object, name, "a name without =");
  else if (value != NULL)
    set (setup, name, value);
}

/* A part of the setup, whose values are all of one kind: one of the two setters is there. */
static void
read_part (Reading *self, JsonObject *parent, AssaySetupPart part, AssaySetup *setup,
           SetNumber set_number, SetString set_string)
{
  const char *name = assay_session_parts[part];
  JsonObject *object = assay_json_reader_object (self->reader, parent, name);
  g_autoptr (GList) members = object != NULL ? json_object_get_members (object) : NULL;
  gsize mark = assay_json_reader_enter (self->reader, name);

  for (GList *l = members; l != NULL; l = l->next)
    if (set_number != NULL)
      take_number (self, object, l->data, setup, set_number);
    else
      take_string (self, object, l->data, setup, set_string);
  assay_json_reader_leave (self->reader, mark);
}

/* A model has a handful of inputs; a list of millions would be one of malice. */
#define MAX_INPUTS 10000

static gboolean
set_shape (AssaySetup *setup, guint input, JsonNode *node)
{
  return assay_json_node_is_string (node) &&
         assay_setup_set_shape (setup, input, json_node_get_string (node), NULL);
}

static gboolean
set_axis (AssaySetup *setup, guint input, JsonNode *node)
{
  if (!assay_json_node_is_integer (node) || json_node_get_int (node) < -1 ||
      json_node_get_int (node) > 63)
    return FALSE;

  assay_setup_set_streaming_axis (setup, input, (int) json_node_get_int (node));
  return TRUE;
}

/* A list with an entry per main input. */
static void
read_inputs_list (Reading *self, JsonObject *object, const char *name, const char *expected,
                  AssaySetup *setup,
                  gboolean (*set) (AssaySetup *setup, guint input, JsonNode *node))
{
  JsonArray *array = assay_json_reader_array (self->reader, object, name);
  guint n = array != NULL ? MIN (json_array_get_length (array), MAX_INPUTS) : 0;
  gsize mark = assay_json_reader_enter (self->reader, name);

  for (guint i = 0; i < n; i++)
    {
      JsonNode *node = json_array_get_element (array, i);
      gsize element = assay_json_reader_enter_element (self->reader, i);

      if (!set (setup, i, node))
        assay_json_reader_expect (self->reader, node, expected);
      assay_json_reader_leave (self->reader, element);
    }
  assay_json_reader_leave (self->reader, mark);
}

static void
read_target (Reading *self, JsonObject *root, AssaySetup *setup)
{
  gsize mark;
  JsonObject *object = open_section (self, root, "target", target_members, &mark);
  g_autofree char *path = NULL;
  const char *id;

  if (object == NULL)
    {
      if (!json_object_has_member (root, "target"))
        assay_json_reader_complain (self->reader, "member \"target\" is missing");
      return;
    }

  id = assay_json_reader_string (self->reader, object, "id");
  path = read_path (self, object, "path");
  if (id == NULL && path == NULL)
    assay_json_reader_complain (self->reader, "\"id\" or \"path\" expected");
  else
    assay_edits_set_target_id (self->file->edits, path != NULL ? path : id);
  read_part (self, object, ASSAY_SETUP_CONFIG_VALUES, setup, assay_setup_set_config_value, NULL);
  assay_json_reader_leave (self->reader, mark);
}

static void
read_setup (Reading *self, JsonObject *root, AssaySetup *setup)
{
  gsize mark;
  JsonObject *object = open_section (self, root, "setup", setup_members, &mark);

  if (object == NULL)
    return;

  read_part (self, object, ASSAY_SETUP_BINDINGS, setup, assay_setup_set_binding, NULL);
  read_part (self, object, ASSAY_SETUP_TARGET_OPTIONS, setup, NULL, assay_setup_set_target_option);
  read_part (self, object, ASSAY_SETUP_COMPILE_OPTIONS, setup, NULL,
             assay_setup_set_compile_option);
  read_part (self, object, ASSAY_SETUP_DATA_DIMENSIONS, setup, NULL,
             assay_setup_set_data_dimension);
  read_inputs_list (self, object, "shapes", "sizes separated by commas", setup, set_shape);
  read_inputs_list (self, object, "streaming_axes", "an axis, or -1", setup, set_axis);
  assay_setup_set_dynamic_weights (
      setup, assay_json_reader_bool (self->reader, object, "dynamic_weights", FALSE));
  assay_setup_set_optimize (setup, assay_json_reader_bool (self->reader, object, "optimize", TRUE));
  assay_json_reader_leave (self->reader, mark);
}

static void
read_fixes (Reading *self, JsonObject *root)
{
  JsonArray *array = assay_json_reader_array (self->reader, root, "fixes");
  gsize mark = assay_json_reader_enter (self->reader, "fixes");
  g_autoptr (GPtrArray) fixes = assay_fixes_read (self->reader, array);

  assay_edits_set_fixes (self->file->edits, fixes);
  assay_json_reader_leave (self->reader, mark);
}

static void
read_notes (Reading *self, JsonObject *root)
{
  JsonArray *array = assay_json_reader_array (self->reader, root, "notes");
  guint n = array != NULL ? json_array_get_length (array) : 0;
  gsize mark = assay_json_reader_enter (self->reader, "notes");

  for (guint i = 0; i < n; i++)
    {
      JsonNode *node = json_array_get_element (array, i);
      gsize element = assay_json_reader_enter_element (self->reader, i);
      JsonObject *object = JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;

      if (object == NULL)
        assay_json_reader_expect (self->reader, node, "object");
      else if (assay_json_reader_members (self->reader, object, note_members,
                                          (const char *const[]){ "node", NULL }))
        {
          const char *name = assay_json_reader_string (self->reader, object, "node");
          const char *text = assay_json_reader_string (self->reader, object, "text");

          if (name != NULL && *name != '\0')
            assay_edits_set_note (self->file->edits, name, text != NULL ? text : "");
        }
      assay_json_reader_leave (self->reader, element);
    }
  assay_json_reader_leave (self->reader, mark);
}

static void
read_inputs (Reading *self, JsonObject *run)
{
  JsonObject *object = assay_json_reader_object (self->reader, run, "inputs");
  gsize mark = assay_json_reader_enter (self->reader, "inputs");
  JsonObject *files;

  if (object != NULL)
    {
      g_autoptr (GList) names = NULL;
      gsize inner;

      assay_json_reader_members (self->reader, object, input_members, NULL);
      self->file->inputs = assay_input_choice_new ();
      assay_input_choice_set_seed (
          self->file->inputs,
          (guint64) read_int (self, object, "seed", G_MININT64, G_MAXINT64,
                              (gint64) assay_input_choice_get_seed (self->file->inputs)));
      assay_input_choice_set_steps (self->file->inputs,
                                    (guint) read_int (self, object, "steps", 0, G_MAXINT32, 0));
      files = assay_json_reader_object (self->reader, object, "files");
      names = files != NULL ? json_object_get_members (files) : NULL;
      inner = assay_json_reader_enter (self->reader, "files");
      for (GList *l = names; l != NULL; l = l->next)
        {
          g_autofree char *path = read_path (self, files, l->data);

          if (path != NULL)
            assay_input_choice_set_file (self->file->inputs, l->data, path);
        }
      assay_json_reader_leave (self->reader, inner);
    }
  assay_json_reader_leave (self->reader, mark);
}

static char *
read_runner (Reading *self, JsonObject *object, const char *name)
{
  const char *runner = assay_json_reader_string (self->reader, object, name);

  if (runner != NULL && assay_runner_kind_find (runner, NULL) == NULL)
    {
      expect_at (self, object, name, "the name of a runner");
      return NULL;
    }
  return g_strdup (runner);
}

static void
read_run (Reading *self, JsonObject *root)
{
  gsize mark;
  JsonObject *object = open_section (self, root, "run", run_members, &mark);
  g_autofree char *tolerance = NULL;

  if (object == NULL)
    return;

  self->file->runner = read_runner (self, object, "runner");
  self->file->board = g_strdup (assay_json_reader_string (self->reader, object, "board"));
  self->file->sides[0] = read_runner (self, object, "a");
  self->file->sides[1] = read_runner (self, object, "b");
  tolerance = read_path (self, object, "tolerance");
  assay_edits_set_tolerance (self->file->edits, tolerance);
  read_inputs (self, object);
  assay_json_reader_leave (self->reader, mark);
}

static void
read_comparison (Reading *self, JsonObject *root)
{
  JsonObject *object = assay_json_reader_object (self->reader, root, "comparison");
  gsize mark = assay_json_reader_enter (self->reader, "comparison");

  if (object != NULL)
    self->file->comparison = assay_comparison_read (self->reader, object);
  assay_json_reader_leave (self->reader, mark);
}

static guint
read_filter (Reading *self, JsonObject *object)
{
  g_autoptr (GPtrArray) names = NULL;
  g_autoptr (GPtrArray) known = g_ptr_array_new ();
  gsize mark = assay_json_reader_enter (self->reader, "filter");
  guint filter = 0;

  names = assay_json_reader_strings (self->reader, json_object_get_member (object, "filter"),
                                     "a list of verdicts");
  for (guint kind = 0; kind < ASSAY_N_VERDICTS; kind++)
    g_ptr_array_add (known, (gpointer) assay_verdict_name (kind));
  for (guint i = 0; i < names->len; i++)
    {
      guint kind;

      if (g_ptr_array_find_with_equal_func (known, g_ptr_array_index (names, i), g_str_equal,
                                            &kind))
        filter |= 1u << kind;
      else
        assay_json_reader_unknown (self->reader, "verdict", g_ptr_array_index (names, i), known);
    }
  assay_json_reader_leave (self->reader, mark);

  return filter;
}

static void
read_view (Reading *self, JsonObject *root)
{
  gsize mark;
  JsonObject *object = open_section (self, root, "view", view_members, &mark);
  AssayViewState *view = self->file->view;

  if (object == NULL)
    return;

  view->page = g_strdup (assay_json_reader_string (self->reader, object, "page"));
  view->selection = g_strdup (assay_json_reader_string (self->reader, object, "selection"));
  view->color_by = g_strdup (assay_json_reader_string (self->reader, object, "color_by"));
  view->filter = read_filter (self, object);
  if (json_object_has_member (object, "open_scopes"))
    {
      gsize inner = assay_json_reader_enter (self->reader, "open_scopes");
      g_autoptr (GPtrArray) paths = assay_json_reader_strings (
          self->reader, json_object_get_member (object, "open_scopes"),
          "a list of paths of scopes");

      g_ptr_array_add (paths, NULL);
      view->open_scopes = g_strdupv ((char **) paths->pdata);
      assay_json_reader_leave (self->reader, inner);
    }
  view->zoom = read_double (self, object, "zoom", 1e6);
  if (view->zoom < 0)
    expect_at (self, object, "zoom", "a positive number");
  view->anchor = g_strdup (assay_json_reader_string (self->reader, object, "anchor"));
  view->x = read_double (self, object, "x", 1e12);
  view->y = read_double (self, object, "y", 1e12);
  view->core = (guint) read_int (self, object, "core", 0, MAX_CORES, 0);
  view->playhead = read_int (self, object, "playhead", 0, G_MAXUINT32 - 1, -1);
  view->pinned = read_int (self, object, "pinned", 0, G_MAXUINT32 - 1, -1);
  assay_json_reader_leave (self->reader, mark);
}

/* A later format is no mistake of its author, so the message says what helps. */
static gboolean
check_schema (Reading *self, JsonObject *root)
{
  const char *schema = assay_json_reader_string (self->reader, root, "schema");
  gsize mark;

  if (g_strcmp0 (schema, ASSAY_SESSION_SCHEMA) == 0)
    return TRUE;

  mark = assay_json_reader_enter (self->reader, "schema");
  if (schema != NULL && g_str_has_prefix (schema, "assay.session/"))
    assay_json_reader_complain (
        self->reader,
        "\"%.60s\" is another format than %s; open it with the version of Assay "
        "that wrote it",
        schema, ASSAY_SESSION_SCHEMA);
  else
    assay_json_reader_expect (self->reader, json_object_get_member (root, "schema"),
                              "\"" ASSAY_SESSION_SCHEMA "\"");
  assay_json_reader_leave (self->reader, mark);

  return FALSE;
}

/* Reads what is there; everything that is wrong becomes a finding. */
void
assay_session_file_read (AssaySessionFile *file, AssayJsonReader *reader, const char *folder)
{
  Reading self = { file, reader, folder };
  JsonObject *root = assay_json_reader_root (reader);
  g_autoptr (AssaySetup) setup = assay_setup_new ();

  if (!check_schema (&self, root))
    return;

  keep_unknown (&self, root, "", root_members);
  read_model (&self, root);
  file->session = read_path (&self, root, "session");
  read_target (&self, root, setup);
  read_setup (&self, root, setup);
  assay_edits_set_setup (file->edits, setup);
  read_fixes (&self, root);
  read_notes (&self, root);
  read_run (&self, root);
  read_comparison (&self, root);
  read_view (&self, root);
}
