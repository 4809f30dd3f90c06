/* assay-session-file.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "document/assay-session-file.h"

#include <gio/gio.h>
#include <string.h>

#include "base/assay-error.h"
#include "fix/assay-fix-json.h"
#include "source/onnx/assay-external-data.h"
#include "text/assay-json-writer.h"
#include "document/assay-comparison-json.h"
#include "document/assay-session-file-private.h"

/* More steps up than this, and the model lies somewhere else altogether. */
#define MAX_UP 3

const char *const assay_session_parts[ASSAY_N_SETUP_PARTS] = {
  [ASSAY_SETUP_BINDINGS] = "sizes",
  [ASSAY_SETUP_TARGET_OPTIONS] = "target_options",
  [ASSAY_SETUP_COMPILE_OPTIONS] = "compile_options",
  [ASSAY_SETUP_CONFIG_VALUES] = "depths",
  [ASSAY_SETUP_DATA_DIMENSIONS] = "data_dimensions",
};

G_DEFINE_BOXED_TYPE (AssaySessionFile, assay_session_file, assay_session_file_ref,
                     assay_session_file_unref)

static void
unknown_free (gpointer data)
{
  AssayUnknownMember *member = data;

  g_free (member->section);
  g_free (member->name);
  json_node_unref (member->value);
  g_free (member);
}

/**
 * assay_session_file_new:
 *
 * Makes a session file that says nothing yet.
 *
 * Returns: (transfer full): the file
 */
AssaySessionFile *
assay_session_file_new (void)
{
  AssaySessionFile *self = g_atomic_rc_box_new0 (AssaySessionFile);

  self->stamp = (AssayFileStamp) ASSAY_FILE_STAMP_INIT;
  self->data = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_file_stamp_free);
  self->edits = assay_edits_new (NULL);
  self->view = assay_view_state_new ();
  self->unknown = g_ptr_array_new_with_free_func (unknown_free);

  return self;
}

/**
 * assay_session_file_ref:
 * @self: a session file
 *
 * Takes a reference.
 *
 * Returns: (transfer full): @self
 */
AssaySessionFile *
assay_session_file_ref (AssaySessionFile *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
clear (gpointer data)
{
  AssaySessionFile *self = data;

  g_free (self->model);
  assay_file_stamp_clear (&self->stamp);
  g_ptr_array_unref (self->data);
  g_free (self->session);
  assay_edits_free (self->edits);
  g_free (self->runner);
  g_free (self->board);
  g_free (self->sides[0]);
  g_free (self->sides[1]);
  assay_input_choice_free (self->inputs);
  g_clear_pointer (&self->comparison, assay_comparison_free);
  assay_view_state_free (self->view);
  g_ptr_array_unref (self->unknown);
}

/**
 * assay_session_file_unref:
 * @self: (nullable): a session file
 *
 * Drops a reference.
 */
void
assay_session_file_unref (AssaySessionFile *self)
{
  if (self != NULL)
    g_atomic_rc_box_release_full (self, clear);
}

/**
 * assay_session_file_has_suffix:
 * @path: a path
 *
 * Tells a session file by its name.
 *
 * Returns: whether it ends in `.assay`
 */
gboolean
assay_session_file_has_suffix (const char *path)
{
  return g_str_has_suffix (path, ASSAY_SESSION_SUFFIX);
}

/* The way from a folder to a file near it: session and model can be moved together. */
static char *
describe_path (const char *folder, const char *path)
{
  g_autofree char *base = g_canonicalize_filename (folder, NULL);
  g_autofree char *file = g_canonicalize_filename (path, NULL);
  g_autoptr (GString) way = g_string_new (NULL);

  if (!g_utf8_validate (file, -1, NULL))
    return g_filename_to_uri (file, NULL, NULL);

  for (guint up = 0; up <= MAX_UP; up++)
    {
      gsize n = strlen (base);
      char *slash;

      if (n > 1 && g_str_has_prefix (file, base) && file[n] == G_DIR_SEPARATOR)
        {
          g_string_append (way, file + n + 1);
          return g_strdup (way->str);
        }
      slash = strrchr (base, G_DIR_SEPARATOR);
      if (slash == NULL || slash == base)
        break;
      *slash = '\0';
      g_string_append (way, "../");
    }

  return g_steal_pointer (&file);
}

static void
add_string (JsonObject *object, const char *name, const char *value)
{
  if (value != NULL)
    json_object_set_string_member (object, name, value);
}

static void
add_object (JsonObject *object, const char *name, JsonObject *value)
{
  if (json_object_get_size (value) > 0)
    json_object_set_object_member (object, name, value);
  else
    json_object_unref (value);
}

static JsonObject *
print_part (const AssaySetup *setup, AssaySetupPart part)
{
  JsonObject *object = json_object_new ();
  gboolean numbers = part == ASSAY_SETUP_BINDINGS || part == ASSAY_SETUP_CONFIG_VALUES;

  for (guint i = 0; i < assay_setup_n_entries (setup, part); i++)
    {
      const char *value;
      g_autofree char *name = assay_setup_dup_entry (setup, part, i, &value);

      if (numbers)
        json_object_set_int_member (object, name, g_ascii_strtoll (value, NULL, 10));
      else
        json_object_set_string_member (object, name, value);
    }

  return object;
}

static JsonObject *
print_setup (const AssaySetup *setup)
{
  JsonObject *object = json_object_new ();
  guint n_inputs = assay_setup_n_inputs (setup);

  for (AssaySetupPart part = 0; part < ASSAY_N_SETUP_PARTS; part++)
    if (part != ASSAY_SETUP_CONFIG_VALUES)
      add_object (object, assay_session_parts[part], print_part (setup, part));

  if (n_inputs > 0)
    {
      JsonArray *shapes = json_array_new ();
      JsonArray *axes = json_array_new ();

      for (guint i = 0; i < n_inputs; i++)
        {
          json_array_add_string_element (shapes, assay_setup_get_shape (setup, i));
          json_array_add_int_element (axes, assay_setup_get_streaming_axis (setup, i));
        }
      json_object_set_array_member (object, "shapes", shapes);
      json_object_set_array_member (object, "streaming_axes", axes);
    }

  if (assay_setup_get_dynamic_weights (setup))
    json_object_set_boolean_member (object, "dynamic_weights", TRUE);
  if (!assay_setup_get_optimize (setup))
    json_object_set_boolean_member (object, "optimize", FALSE);

  return object;
}

static void
print_stamp (JsonObject *object, const AssayFileStamp *stamp)
{
  add_string (object, "sha256", stamp->digest);
  if (stamp->n_bytes >= 0)
    json_object_set_int_member (object, "bytes", stamp->n_bytes);
  if (stamp->modified >= 0)
    json_object_set_int_member (object, "modified", stamp->modified);
}

static JsonObject *
print_model (AssaySessionFile *self, const char *folder)
{
  JsonObject *object = json_object_new ();
  g_autofree char *path = describe_path (folder, self->model);

  add_string (object, "path", path);
  print_stamp (object, &self->stamp);
  if (self->data->len > 0)
    {
      JsonArray *data = json_array_new ();

      for (guint i = 0; i < self->data->len; i++)
        {
          const AssayFileStamp *stamp = g_ptr_array_index (self->data, i);
          JsonObject *file = json_object_new ();

          add_string (file, "location", stamp->location);
          print_stamp (file, stamp);
          json_array_add_object_element (data, file);
        }
      json_object_set_array_member (object, "data", data);
    }

  return object;
}

/* Targets that ship are known by their id; a file is found by its path. */
static JsonObject *
print_target (AssaySessionFile *self, const char *folder)
{
  JsonObject *object = json_object_new ();
  const char *id = assay_edits_get_target_id (self->edits);

  if (id != NULL && strchr (id, G_DIR_SEPARATOR) != NULL)
    {
      g_autofree char *path = describe_path (folder, id);
      json_object_set_string_member (object, "path", path);
    }
  else
    add_string (object, "id", id);
  add_object (object, assay_session_parts[ASSAY_SETUP_CONFIG_VALUES],
              print_part (assay_edits_get_setup (self->edits), ASSAY_SETUP_CONFIG_VALUES));

  return object;
}

static JsonNode *
print_fixes (const AssayEdits *edits)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  assay_fixes_build (assay_edits_get_fixes (edits), builder);
  return json_builder_get_root (builder);
}

static JsonArray *
print_notes (const AssayEdits *edits)
{
  g_auto (GStrv) nodes = assay_edits_list_notes (edits);
  JsonArray *array = json_array_new ();

  for (guint i = 0; nodes[i] != NULL; i++)
    {
      const char *note = assay_edits_get_note (edits, nodes[i]);
      JsonObject *object = json_object_new ();

      json_object_set_string_member (object, "node", nodes[i]);
      if (*note != '\0')
        json_object_set_string_member (object, "text", note);
      json_array_add_object_element (array, object);
    }

  return array;
}

static JsonObject *
print_inputs (const AssayInputChoice *inputs, const char *folder)
{
  JsonObject *object = json_object_new ();
  JsonObject *files = json_object_new ();
  g_auto (GStrv) names = assay_input_choice_list_inputs (inputs);

  json_object_set_int_member (object, "seed", (gint64) assay_input_choice_get_seed (inputs));
  json_object_set_int_member (object, "steps", assay_input_choice_get_steps (inputs));
  for (guint i = 0; names[i] != NULL; i++)
    {
      g_autofree char *path = describe_path (folder,
                                             assay_input_choice_get_file (inputs, names[i]));
      json_object_set_string_member (files, names[i], path);
    }
  add_object (object, "files", files);

  return object;
}

static JsonObject *
print_run (AssaySessionFile *self, const char *folder)
{
  JsonObject *object = json_object_new ();
  const char *tolerance = assay_edits_get_tolerance (self->edits);

  add_string (object, "runner", self->runner);
  add_string (object, "board", self->board);
  add_string (object, "a", self->sides[0]);
  add_string (object, "b", self->sides[1]);
  if (tolerance != NULL)
    {
      g_autofree char *path = describe_path (folder, tolerance);
      json_object_set_string_member (object, "tolerance", path);
    }
  if (self->inputs != NULL)
    json_object_set_object_member (object, "inputs", print_inputs (self->inputs, folder));

  return object;
}

static JsonObject *
print_view (const AssayViewState *view)
{
  JsonObject *object = json_object_new ();

  add_string (object, "page", view->page);
  add_string (object, "selection", view->selection);
  if (view->filter != 0)
    {
      JsonArray *filter = json_array_new ();

      for (guint kind = 0; kind < ASSAY_N_VERDICTS; kind++)
        if ((view->filter & (1u << kind)) != 0)
          json_array_add_string_element (filter, assay_verdict_name (kind));
      json_object_set_array_member (object, "filter", filter);
    }
  add_string (object, "color_by", view->color_by);
  if (view->open_scopes != NULL)
    {
      JsonArray *scopes = json_array_new ();

      for (guint i = 0; view->open_scopes[i] != NULL; i++)
        json_array_add_string_element (scopes, view->open_scopes[i]);
      json_object_set_array_member (object, "open_scopes", scopes);
    }
  if (view->zoom > 0)
    {
      json_object_set_double_member (object, "zoom", view->zoom);
      add_string (object, "anchor", view->anchor);
      json_object_set_double_member (object, "x", view->x);
      json_object_set_double_member (object, "y", view->y);
    }
  if (view->playhead >= 0)
    {
      json_object_set_int_member (object, "core", view->core);
      json_object_set_int_member (object, "playhead", view->playhead);
    }
  if (view->pinned >= 0)
    json_object_set_int_member (object, "pinned", view->pinned);

  return object;
}

/* A section that this version has no use for in the moment may still hold members of a later one.
 */
static void
add_unknown (AssaySessionFile *self, JsonObject *root)
{
  for (guint i = 0; i < self->unknown->len; i++)
    {
      const AssayUnknownMember *member = g_ptr_array_index (self->unknown, i);
      JsonObject *section = root;

      if (*member->section != '\0')
        {
          if (!json_object_has_member (root, member->section))
            json_object_set_object_member (root, member->section, json_object_new ());
          section = json_object_get_object_member (root, member->section);
        }
      json_object_set_member (section, member->name, json_node_copy (member->value));
    }
}

static void write_node (AssayJsonWriter *writer, JsonNode *node);

static void
write_object (AssayJsonWriter *writer, JsonObject *object)
{
  JsonObjectIter iter;
  const char *name;
  JsonNode *member;

  assay_json_writer_begin_object (writer);
  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &name, &member))
    {
      assay_json_writer_key (writer, name);
      write_node (writer, member);
    }
  assay_json_writer_end_object (writer);
}

static void
write_array (AssayJsonWriter *writer, JsonArray *array)
{
  assay_json_writer_begin_array (writer);
  for (guint i = 0; i < json_array_get_length (array); i++)
    write_node (writer, json_array_get_element (array, i));
  assay_json_writer_end_array (writer);
}

/* Not with the generator of the library: what it makes of 1e-05 is no number. */
static void
write_node (AssayJsonWriter *writer, JsonNode *node)
{
  if (JSON_NODE_HOLDS_OBJECT (node))
    write_object (writer, json_node_get_object (node));
  else if (JSON_NODE_HOLDS_ARRAY (node))
    write_array (writer, json_node_get_array (node));
  else if (JSON_NODE_HOLDS_NULL (node))
    assay_json_writer_null (writer);
  else if (json_node_get_value_type (node) == G_TYPE_BOOLEAN)
    assay_json_writer_bool (writer, json_node_get_boolean (node));
  else if (json_node_get_value_type (node) == G_TYPE_INT64)
    assay_json_writer_int (writer, json_node_get_int (node));
  else if (json_node_get_value_type (node) == G_TYPE_DOUBLE)
    assay_json_writer_double (writer, json_node_get_double (node));
  else
    assay_json_writer_string (writer, json_node_get_string (node));
}

/**
 * assay_session_file_print:
 * @self: a session file
 * @path: where it will be written; paths in it are relative to that
 * @length: (out): bytes of the text
 *
 * Makes the text of a session file.
 *
 * Returns: (transfer full): the text
 */
char *
assay_session_file_print (AssaySessionFile *self, const char *path, gsize *length)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autoptr (JsonNode) node = json_node_new (JSON_NODE_OBJECT);
  JsonObject *root = json_object_new ();
  AssayJsonWriter writer;

  json_object_set_string_member (root, "schema", ASSAY_SESSION_SCHEMA);
  json_object_set_object_member (root, "model", print_model (self, folder));
  if (self->session != NULL)
    {
      g_autofree char *session = describe_path (folder, self->session);
      json_object_set_string_member (root, "session", session);
    }
  json_object_set_object_member (root, "target", print_target (self, folder));
  add_object (root, "setup", print_setup (assay_edits_get_setup (self->edits)));
  if (assay_edits_get_fixes (self->edits)->len > 0)
    json_object_set_member (root, "fixes", print_fixes (self->edits));
  if (assay_edits_n_notes (self->edits) > 0)
    json_object_set_array_member (root, "notes", print_notes (self->edits));
  add_object (root, "run", print_run (self, folder));
  if (self->comparison != NULL)
    json_object_set_object_member (root, "comparison", assay_comparison_print (self->comparison));
  add_object (root, "view", print_view (self->view));
  add_unknown (self, root);

  json_node_take_object (node, root);
  assay_json_writer_init (&writer, 3);
  write_node (&writer, node);
  return assay_json_writer_finish (&writer, length);
}

/**
 * assay_session_file_save:
 * @self: a session file
 * @path: where to write it
 * @error: return location for a #GError
 *
 * Writes a session file whole or not at all. Fails with %ASSAY_ERROR_SAVE.
 *
 * Returns: whether it is written
 */
gboolean
assay_session_file_save (AssaySessionFile *self, const char *path, GError **error)
{
  gsize length;
  g_autofree char *text = assay_session_file_print (self, path, &length);
  g_autoptr (GError) local = NULL;

  if (g_file_set_contents_full (path, text, (gssize) length, G_FILE_SET_CONTENTS_CONSISTENT, 0644,
                                &local))
    return TRUE;

  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_SAVE, "%s: %s", path, local->message);
  return FALSE;
}

/**
 * assay_session_file_parse:
 * @bytes: the text of a session file
 * @path: where it comes from: for messages, and what its paths are relative to
 * @findings: gets what is wrong, and what is not known
 * @error: return location for a #GError
 *
 * Reads a session file. Members that this version does not know are kept and noted. Fails with
 * %ASSAY_ERROR_INVALID and a message with line and member.
 *
 * Returns: (transfer full): the session file, or %NULL
 */
AssaySessionFile *
assay_session_file_parse (GBytes *bytes, const char *path, AssayFindings *findings, GError **error)
{
  g_autoptr (AssaySessionFile) self = assay_session_file_new ();
  g_autoptr (AssayArena) arena = assay_arena_new ();
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *name = g_filename_display_name (path);
  guint first = assay_findings_get_count (findings);
  g_autoptr (AssayJsonReader) reader = assay_json_reader_new (bytes, name, arena, findings, error);

  if (reader == NULL)
    return NULL;

  assay_session_file_read (self, reader, folder);
  if (reader->n_errors == 0)
    return g_steal_pointer (&self);

  for (guint i = first; i < assay_findings_get_count (findings); i++)
    {
      const AssayFinding *finding = assay_findings_get (findings, i);

      if (finding->severity != ASSAY_SEVERITY_ERROR)
        continue;
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s: %s", name, finding->message);
      break;
    }

  return NULL;
}

/**
 * assay_session_file_load:
 * @path: path of a session file
 * @findings: gets what is wrong, and what is not known
 * @error: return location for a #GError
 *
 * Reads a session file from disk. Fails with %ASSAY_ERROR_IO if it cannot be read.
 *
 * Returns: (transfer full): the session file, or %NULL
 */
AssaySessionFile *
assay_session_file_load (const char *path, AssayFindings *findings, GError **error)
{
  g_autofree char *absolute = g_canonicalize_filename (path, NULL);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) local = NULL;
  char *text;
  gsize length;

  if (!g_file_get_contents (path, &text, &length, &local))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IO, "%s: %s", path, local->message);
      return NULL;
    }

  bytes = g_bytes_new_take (text, length);
  return assay_session_file_parse (bytes, absolute, findings, error);
}

/**
 * assay_session_file_take_stamp:
 * @self: a session file
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Notes digest, size and time of the model file and of its external data; a digest that is there
 * already stays while size and time are those it was made for.
 *
 * Returns: whether the file could be read
 */
gboolean
assay_session_file_take_stamp (AssaySessionFile *self, const AssayProgress *progress,
                               GError **error)
{
  g_autofree char *folder = g_path_get_dirname (self->model);
  g_autoptr (GPtrArray)
      data = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_file_stamp_free);
  g_auto (GStrv) locations = NULL;

  if (!assay_file_stamp_take (&self->stamp, self->model, progress, error))
    return FALSE;

  /* What is no ONNX file has none; what is not there has a stamp that says so. */
  locations = assay_external_data_list (self->model, NULL);
  for (guint i = 0; locations != NULL && locations[i] != NULL; i++)
    {
      AssayFileStamp *stamp = assay_file_stamp_new (locations[i]);
      g_autofree char *path = assay_external_data_resolve (folder, locations[i], NULL);

      g_ptr_array_add (data, stamp);
      for (guint k = 0; k < self->data->len; k++)
        if (g_str_equal (((AssayFileStamp *) g_ptr_array_index (self->data, k))->location,
                         locations[i]))
          assay_file_stamp_set (stamp, g_ptr_array_index (self->data, k));
      if (path == NULL)
        assay_file_stamp_clear (stamp);
      else if (!assay_file_stamp_take (stamp, path, progress, error))
        return FALSE;
    }

  g_ptr_array_unref (self->data);
  self->data = g_steal_pointer (&data);
  return TRUE;
}

/**
 * assay_session_file_same_model:
 * @self: a session file
 * @path: path of a model
 * @progress: (nullable): progress and cancel
 * @same: (out): whether it is the model that the session was saved with
 * @error: return location for a #GError
 *
 * Compares a model file and its external data with those of a session: their contents, unless size
 * and time already tell.
 *
 * Returns: whether the files could be read
 */
gboolean
assay_session_file_same_model (AssaySessionFile *self, const char *path,
                               const AssayProgress *progress, gboolean *same, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);

  if (!assay_file_stamp_match (&self->stamp, path, progress, same, error))
    return FALSE;

  for (guint i = 0; *same && i < self->data->len; i++)
    {
      const AssayFileStamp *stamp = g_ptr_array_index (self->data, i);
      g_autofree char *file = assay_external_data_resolve (folder, stamp->location, NULL);

      if (file == NULL)
        *same = stamp->digest == NULL;
      else if (stamp->digest == NULL)
        *same = FALSE;
      else if (!assay_file_stamp_match (stamp, file, progress, same, error))
        return FALSE;
    }

  return TRUE;
}
