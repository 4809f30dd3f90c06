/* assay-session-file.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "document/assay-session-file.h"

#include <gio/gio.h>
#include <string.h>

#include "base/assay-error.h"
#include "base/assay-file-read.h"
#include "base/assay-file-write.h"
#include "run/assay-runner.h"
#include "fix/assay-fix-json.h"
#include "source/onnx/assay-external-data.h"
#include "document/assay-comparison-json.h"
#include "document/assay-session-file-private.h"
#include "document/assay-trust.h"

/* More steps up than this, and the model lies somewhere else altogether. */
#define MAX_UP 3

/* Where a setting stands in a section, if it does: its name, and the group that it is in. */
const char *
assay_session_find_member (const AssaySettingInfo *info, const char *section, char **group)
{
  const char *json = info->json;
  const char *colon = json != NULL ? strchr (json, ':') : NULL;
  gsize length = colon != NULL ? (gsize) (colon - json) : 0;
  const char *dot;

  if (json == NULL ||
      (colon == NULL ? !g_str_equal (section, "setup")
                     : strncmp (json, section, length) != 0 || section[length] != '\0'))
    return NULL;

  json = colon != NULL ? colon + 1 : json;
  dot = strchr (json, '.');
  if (dot == NULL)
    return json;
  *group = g_strndup (json, (gsize) (dot - json));

  return dot + 1;
}

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
  g_free (self->trust_key);
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

/* A member that may not be there. */
static void
add_string (AssayJsonWriter *json, const char *name, const char *value)
{
  if (value != NULL)
    assay_json_writer_member (json, name, value);
}

static void
add_path (AssayJsonWriter *json, const char *name, const char *folder, const char *path)
{
  g_autofree char *way = path != NULL ? describe_path (folder, path) : NULL;

  add_string (json, name, way);
}

/* Ends a section with what a later version has written into it. */
static void
end_section (AssaySessionFile *self, AssayJsonWriter *json, const char *section)
{
  for (guint i = 0; i < self->unknown->len; i++)
    {
      const AssayUnknownMember *member = g_ptr_array_index (self->unknown, i);

      if (!g_str_equal (member->section, section))
        continue;
      assay_json_writer_key (json, member->name);
      assay_json_writer_node (json, member->value);
    }
  assay_json_writer_end_section (json);
}

/* What has names and values is an object of its own. */
static void
print_named (AssayJsonWriter *json, const char *member, const AssaySettings *settings,
             AssaySetting setting)
{
  const char *const *values = assay_settings_get_list (settings, setting);

  assay_json_writer_begin_member_object (json, member);
  for (guint i = 0; values != NULL && values[i] != NULL; i++)
    {
      const char *value = assay_setting_find_value (setting, values[i]);
      g_autofree char *name = g_strndup (values[i], (gsize) (value - values[i]) - 1);

      if (assay_setting_get_info (setting)->kind == ASSAY_SETTING_KIND_NUMBERS)
        assay_json_writer_member_int (json, name, g_ascii_strtoll (value, NULL, 10));
      else
        assay_json_writer_member (json, name, value);
    }
  assay_json_writer_end_section (json);
}

/* Flags and lists that share an object, as texts; the first of them writes all. */
static void
print_group (AssaySessionFile *self, AssayJsonWriter *json, const char *section, const char *group,
             AssaySetting first)
{
  const AssaySettings *settings = assay_edits_get_setup (self->edits);
  g_autofree char *path = g_strdup_printf ("%s.%s", section, group);

  for (AssaySetting i = 0; i < ASSAY_N_SETTINGS; i++)
    {
      g_autofree char *other = NULL;
      g_autofree char *text = assay_settings_dup_text (settings, i);
      const char *name = assay_session_find_member (assay_setting_get_info (i), section, &other);

      if (name == NULL || g_strcmp0 (other, group) != 0)
        continue;
      if (i < first)
        return;
      if (i == first)
        assay_json_writer_begin_member_object (json, group);
      add_string (json, name, text);
    }
  end_section (self, json, path);
}

/* Both lists have an entry for every input up to the last that is in one of them. */
static void
print_per_input (AssayJsonWriter *json, const char *member, const AssaySettings *settings,
                 AssaySetting setting)
{
  const char *const *shapes = assay_settings_get_list (settings, ASSAY_SETTING_SHAPES);
  guint n_shapes = shapes != NULL ? g_strv_length ((char **) shapes) : 0, n_axes;

  assay_settings_get_axes (settings, &n_axes);
  if (MAX (n_shapes, n_axes) == 0)
    return;

  assay_json_writer_begin_member_array (json, member);
  for (guint i = 0; i < MAX (n_shapes, n_axes); i++)
    if (setting == ASSAY_SETTING_SHAPES)
      assay_json_writer_string (json, assay_settings_get_shape (settings, i));
    else
      assay_json_writer_int (json, assay_settings_get_axis (settings, i));
  assay_json_writer_end_array (json);
}

/* What of the settings stands in a section: first objects, then lists, then flags. */
static void
print_settings (AssaySessionFile *self, AssayJsonWriter *json, const char *section)
{
  const AssaySettings *settings = assay_edits_get_setup (self->edits);

  for (guint pass = 0; pass < 3; pass++)
    for (AssaySetting i = 0; i < ASSAY_N_SETTINGS; i++)
      {
        const AssaySettingInfo *info = assay_setting_get_info (i);
        g_autofree char *group = NULL;
        const char *name = assay_session_find_member (info, section, &group);

        if (name == NULL)
          continue;
        switch (info->kind)
          {
          case ASSAY_SETTING_KIND_NUMBERS:
          case ASSAY_SETTING_KIND_PAIRS:
            if (pass == 0)
              print_named (json, name, settings, i);
            break;
          case ASSAY_SETTING_KIND_SHAPES:
          case ASSAY_SETTING_KIND_AXES:
            if (pass == 1)
              print_per_input (json, name, settings, i);
            break;
          default:
            if (pass == 0 && group != NULL)
              print_group (self, json, section, group, i);
            else if (pass == 2 && group == NULL && assay_settings_get_flag (settings, i))
              assay_json_writer_member_bool (json, name, info->kind == ASSAY_SETTING_KIND_FLAG);
          }
      }
}

static void
print_stamp (AssayJsonWriter *json, const AssayFileStamp *stamp)
{
  add_string (json, "sha256", stamp->digest);
  if (stamp->n_bytes >= 0)
    assay_json_writer_member_int (json, "bytes", stamp->n_bytes);
  if (stamp->modified >= 0)
    assay_json_writer_member_int (json, "modified", stamp->modified);
}

static void
print_model (AssaySessionFile *self, AssayJsonWriter *json, const char *folder)
{
  assay_json_writer_begin_member_object (json, "model");
  add_path (json, "path", folder, self->model);
  print_stamp (json, &self->stamp);
  if (self->data->len > 0)
    {
      assay_json_writer_begin_member_array (json, "data");
      for (guint i = 0; i < self->data->len; i++)
        {
          const AssayFileStamp *stamp = g_ptr_array_index (self->data, i);

          assay_json_writer_begin_object (json);
          add_string (json, "location", stamp->location);
          print_stamp (json, stamp);
          assay_json_writer_end_object (json);
        }
      assay_json_writer_end_array (json);
    }
  end_section (self, json, "model");
}

/* Targets that ship are known by their id; a file is found by its path. */
static void
print_target (AssaySessionFile *self, AssayJsonWriter *json, const char *folder)
{
  const char *id = assay_edits_get_target_id (self->edits);

  assay_json_writer_begin_member_object (json, "target");
  if (id != NULL && strchr (id, G_DIR_SEPARATOR) != NULL)
    add_path (json, "path", folder, id);
  else
    add_string (json, "id", id);
  print_settings (self, json, "target");
  end_section (self, json, "target");
}

static void
print_notes (AssayJsonWriter *json, const AssayEdits *edits)
{
  g_auto (GStrv) nodes = assay_edits_list_notes (edits);

  assay_json_writer_begin_member_array (json, "notes");
  for (guint i = 0; nodes[i] != NULL; i++)
    {
      const char *note = assay_edits_get_note (edits, nodes[i]);

      assay_json_writer_begin_object (json);
      assay_json_writer_member (json, "node", nodes[i]);
      if (*note != '\0')
        assay_json_writer_member (json, "text", note);
      assay_json_writer_end_object (json);
    }
  assay_json_writer_end_array (json);
}

static void
print_inputs (AssayJsonWriter *json, const AssayInputChoice *inputs, const char *folder)
{
  g_auto (GStrv) names = assay_input_choice_list_inputs (inputs);

  assay_json_writer_begin_member_object (json, "inputs");
  assay_json_writer_member_int (json, "seed", (gint64) assay_input_choice_get_seed (inputs));
  assay_json_writer_member_int (json, "steps", assay_input_choice_get_steps (inputs));
  assay_json_writer_begin_member_object (json, "files");
  for (guint i = 0; names[i] != NULL; i++)
    add_path (json, names[i], folder, assay_input_choice_get_file (inputs, names[i]));
  assay_json_writer_end_section (json);
  assay_json_writer_end_object (json);
}

static void
print_run (AssaySessionFile *self, AssayJsonWriter *json, const char *folder)
{
  assay_json_writer_begin_member_object (json, "run");
  add_string (json, "runner", self->runner);
  add_string (json, "board", self->board);
  add_string (json, "a", self->sides[0]);
  add_string (json, "b", self->sides[1]);
  add_path (json, "tolerance", folder, assay_edits_get_tolerance (self->edits));
  if (self->inputs != NULL)
    print_inputs (json, self->inputs, folder);
  end_section (self, json, "run");
}

static void
print_view (AssaySessionFile *self, AssayJsonWriter *json)
{
  const AssayViewState *view = self->view;

  assay_json_writer_begin_member_object (json, "view");
  add_string (json, "page", view->page);
  add_string (json, "selection", view->selection);
  if (view->filter != 0)
    {
      assay_json_writer_begin_member_array (json, "filter");
      for (guint kind = 0; kind < ASSAY_N_VERDICTS; kind++)
        if ((view->filter & (1u << kind)) != 0)
          assay_json_writer_string (json, assay_verdict_name (kind));
      assay_json_writer_end_array (json);
    }
  add_string (json, "color_by", view->color_by);
  if (view->open_scopes != NULL)
    {
      assay_json_writer_begin_member_array (json, "open_scopes");
      for (guint i = 0; view->open_scopes[i] != NULL; i++)
        assay_json_writer_string (json, view->open_scopes[i]);
      assay_json_writer_end_array (json);
    }
  if (view->zoom > 0)
    {
      assay_json_writer_member_double (json, "zoom", view->zoom);
      add_string (json, "anchor", view->anchor);
      assay_json_writer_member_double (json, "x", view->x);
      assay_json_writer_member_double (json, "y", view->y);
    }
  if (view->playhead >= 0)
    {
      assay_json_writer_member_int (json, "core", view->core);
      assay_json_writer_member_int (json, "playhead", view->playhead);
    }
  if (view->pinned >= 0)
    assay_json_writer_member_int (json, "pinned", view->pinned);
  end_section (self, json, "view");
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
  AssayJsonWriter json;

  assay_json_writer_begin_document (&json, 3, ASSAY_SESSION_SCHEMA);
  print_model (self, &json, folder);
  add_path (&json, "session", folder, self->session);
  print_target (self, &json, folder);
  assay_json_writer_begin_member_object (&json, "setup");
  print_settings (self, &json, "setup");
  end_section (self, &json, "setup");
  if (assay_edits_get_fixes (self->edits)->len > 0)
    assay_fixes_write (assay_edits_get_fixes (self->edits), &json);
  if (assay_edits_n_notes (self->edits) > 0)
    print_notes (&json, self->edits);
  print_run (self, &json, folder);
  if (self->comparison != NULL)
    assay_comparison_write (self->comparison, &json);
  print_view (self, &json);
  end_section (self, &json, "");

  return assay_json_writer_finish (&json, length);
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
  g_autofree char *key = NULL;

  if (!assay_file_write (path, text, length, error))
    return FALSE;

  /* Who has chosen or allowed the programs need not be asked again; if that cannot be kept, they
   * are. */
  if (self->is_trusted && assay_session_file_names_program (self))
    {
      key = assay_trust_dup_key (path, text, length);
      (void) !assay_trust_add (key, path, NULL);
    }

  return TRUE;
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
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *name = g_filename_display_name (path);
  g_autoptr (AssayJsonReader) reader = assay_json_reader_new (bytes, name, NULL, findings, error);

  if (reader == NULL)
    return NULL;

  assay_session_file_read (self, reader, folder);
  return assay_json_reader_finish (reader, error) ? g_steal_pointer (&self) : NULL;
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
  AssaySessionFile *self;
  char *text;
  gsize length;

  if (!assay_file_read (path, ASSAY_FILE_READ_TEXT, &text, &length, error))
    return NULL;

  bytes = g_bytes_new_take (text, length);
  self = assay_session_file_parse (bytes, absolute, findings, error);
  if (self != NULL)
    {
      self->trust_key = assay_trust_dup_key (absolute, text, length);
      self->is_trusted = assay_trust_has (self->trust_key);
    }

  return self;
}

/**
 * assay_session_file_names_program:
 * @self: a session file
 *
 * Tells whether a runner of it names a program. No other member can.
 *
 * Returns: whether one does
 */
gboolean
assay_session_file_names_program (const AssaySessionFile *self)
{
  const char *const runners[] = { self->runner, self->sides[0], self->sides[1] };

  for (guint i = 0; i < G_N_ELEMENTS (runners); i++)
    if (runners[i] != NULL && assay_runner_names_program (runners[i]))
      return TRUE;

  return FALSE;
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
