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
static const char *const target_members[] = { "id", "path", NULL };
static const char *const setup_members[] = { NULL };
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
  AssayJsonEach each = assay_json_each_in_object (self->reader, object, NULL);

  while (assay_json_each_next (&each))
    {
      AssayUnknownMember *member;
      const char *path = self->reader->path->str;
      guint line, column;
      gsize offset;

      if (g_strv_contains (known, each.name))
        continue;

      member = g_new0 (AssayUnknownMember, 1);
      member->section = g_strdup (section);
      member->name = g_strdup (each.name);
      member->value = json_node_copy (each.node);
      g_ptr_array_add (self->file->unknown, member);

      assay_json_reader_find (self->reader, path, &line, &column, &offset);
      assay_findings_add (self->reader->findings, ASSAY_SEVERITY_NOTE, "session.unknown",
                          self->reader->name, NULL, path, (gint64) offset,
                          "line %u, column %u: %s: not known to this version; it is kept as it is",
                          line, column, path);
    }
}

/* What is known of a section, or of a group in it: what is said here and what the table of settings
 * has there. */
static char **
list_members (const char *section, const char *within, const char *const *known)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  g_strv_builder_addv (builder, (const char **) known);
  for (AssaySetting i = 0; i < ASSAY_N_SETTINGS; i++)
    {
      g_autofree char *group = NULL;
      const char *name = assay_session_find_member (assay_setting_get_info (i), section, &group);

      if (name != NULL && within == NULL)
        g_strv_builder_add (builder, group != NULL ? group : name);
      else if (name != NULL && g_strcmp0 (group, within) == 0)
        g_strv_builder_add (builder, name);
    }

  return g_strv_builder_end (builder);
}

/* Enters a section if it is there. */
static JsonObject *
open_section (Reading *self, JsonObject *parent, const char *name, const char *const *known,
              gsize *mark)
{
  JsonObject *object = assay_json_reader_object (self->reader, parent, name);
  g_auto (GStrv) members = list_members (name, NULL, known);

  if (object == NULL)
    return NULL;

  *mark = assay_json_reader_enter (self->reader, name);
  keep_unknown (self, object, name, (const char *const *) members);
  return object;
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
      assay_json_reader_expect_at (self->reader, object, name, "the path of a file");
      return NULL;
    }
  if (!g_str_has_prefix (path, "file:"))
    return g_canonicalize_filename (path, self->folder);

  local = g_filename_from_uri (path, NULL, NULL);
  if (local == NULL)
    assay_json_reader_expect_at (self->reader, object, name,
                                 "the path of a file, or the URI of one on this computer");
  return g_steal_pointer (&local);
}

static void
read_stamp (Reading *self, JsonObject *object, AssayFileStamp *stamp)
{
  const char *digest = assay_json_reader_string (self->reader, object, "sha256");

  if (digest != NULL && (strlen (digest) != 64 || strspn (digest, "0123456789abcdef") != 64))
    assay_json_reader_expect_at (self->reader, object, "sha256", "64 hexadecimal digits");
  else
    stamp->digest = g_strdup (digest);
  stamp->n_bytes = assay_json_reader_int (self->reader, object, "bytes", 0, G_MAXINT64, -1);
  stamp->modified = assay_json_reader_int (self->reader, object, "modified", 0, G_MAXINT64, -1);
}

/* External data of the model. */
static void
read_data (Reading *self, JsonObject *model)
{
  AssayJsonEach each = assay_json_each_in_list (self->reader, model, "data", G_MAXUINT);

  while (assay_json_each_next (&each))
    {
      const char *location = each.object != NULL
                                 ? assay_json_reader_string (self->reader, each.object, "location")
                                 : NULL;

      if (location != NULL)
        {
          AssayFileStamp *stamp = assay_file_stamp_new (location);

          g_ptr_array_add (self->file->data, stamp);
          read_stamp (self, each.object, stamp);
        }
      else
        assay_json_reader_expect (self->reader, each.node, "an object with \"location\"");
    }
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

/* An object whose members are names with numbers or texts. */
static void
read_named (Reading *self, JsonObject *parent, const char *name, AssaySetting setting,
            AssaySettings **settings)
{
  JsonObject *object = assay_json_reader_object (self->reader, parent, name);
  g_autoptr (GList) members = object != NULL ? json_object_get_members (object) : NULL;
  gboolean numbers = assay_setting_get_info (setting)->kind == ASSAY_SETTING_KIND_NUMBERS;
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) entries = NULL;
  gsize mark = assay_json_reader_enter (self->reader, name);

  for (GList *l = members; l != NULL; l = l->next)
    {
      const char *key = l->data;
      gint64 number = numbers ? assay_json_reader_int (self->reader, object, key, 0, G_MAXINT64, -1)
                              : -1;
      const char *text = numbers ? NULL : assay_json_reader_string (self->reader, object, key);
      g_autofree char *entry = NULL;

      if (!numbers && (strchr (key, '=') != NULL || *key == '\0'))
        assay_json_reader_expect_at (self->reader, object, key, "a name without =");
      else if (number >= 0)
        entry = g_strdup_printf ("%s=%" G_GINT64_FORMAT, key, number);
      else if (text != NULL)
        entry = g_strdup_printf ("%s=%s", key, text);
      if (entry != NULL)
        g_strv_builder_add (builder, entry);
    }
  assay_json_reader_leave (self->reader, mark);
  entries = g_strv_builder_end (builder);
  assay_settings_set_list (settings, setting, (const char *const *) entries);
}

/* A text in an object that several settings share. */
static void
read_grouped (Reading *self, JsonObject *parent, const char *group, const char *name,
              AssaySetting setting, AssaySettings **settings)
{
  JsonObject *object = json_object_has_member (parent, group)
                           ? assay_json_reader_object (self->reader, parent, group)
                           : NULL;
  gsize mark = assay_json_reader_enter (self->reader, group);

  if (object != NULL)
    assay_settings_set_text (settings, setting,
                             assay_json_reader_string (self->reader, object, name));
  assay_json_reader_leave (self->reader, mark);
}

/* A model has a handful of inputs; a list of millions would be one of malice. */
#define MAX_INPUTS 10000

/* As settings have it; "" for an input that is left alone. */
static char *
dup_input (AssaySetting setting, JsonNode *node)
{
  g_autoptr (AssaySettings) one = NULL;

  if (setting == ASSAY_SETTING_SHAPES)
    return assay_json_node_is_string (node) &&
                   assay_settings_set_shape (&one, 0, json_node_get_string (node), NULL)
               ? g_strdup (json_node_get_string (node))
               : NULL;

  if (!assay_json_node_is_integer (node) || json_node_get_int (node) < -1 ||
      json_node_get_int (node) > 63)
    return NULL;

  return json_node_get_int (node) < 0 ? g_strdup ("")
                                      : g_strdup_printf ("%d", (int) json_node_get_int (node));
}

/* A list with an entry per main input. */
static void
read_inputs_list (Reading *self, JsonObject *object, const char *name, AssaySetting setting,
                  AssaySettings **settings)
{
  JsonArray *array = assay_json_reader_array (self->reader, object, name);
  guint n = array != NULL ? MIN (json_array_get_length (array), MAX_INPUTS) : 0;
  g_auto (GStrv) entries = g_new0 (char *, n + 1);
  gboolean shapes = setting == ASSAY_SETTING_SHAPES;
  guint n_said = 0;
  gsize mark = assay_json_reader_enter (self->reader, name);

  for (guint i = 0; i < n; i++)
    {
      JsonNode *node = json_array_get_element (array, i);
      gsize element = assay_json_reader_enter_element (self->reader, i);

      entries[i] = dup_input (setting, node);
      if (entries[i] == NULL)
        assay_json_reader_expect (self->reader, node,
                                  shapes ? "sizes separated by commas" : "an axis, or -1");
      if (entries[i] != NULL && *entries[i] != '\0')
        n_said = i + 1;
      else if (entries[i] == NULL || !shapes)
        {
          g_free (entries[i]);
          entries[i] = g_strdup (shapes ? "" : "none");
        }
      assay_json_reader_leave (self->reader, element);
    }
  assay_json_reader_leave (self->reader, mark);

  for (guint i = n_said; i < n; i++)
    g_clear_pointer (&entries[i], g_free);
  assay_settings_set_list (settings, setting, (const char *const *) entries);
}

/* What of the settings stands in a section. */
static void
read_settings (Reading *self, JsonObject *object, const char *section, AssaySettings **settings)
{
  for (AssaySetting i = 0; i < ASSAY_N_SETTINGS; i++)
    {
      const AssaySettingInfo *info = assay_setting_get_info (i);
      g_autofree char *group = NULL;
      const char *name = assay_session_find_member (info, section, &group);
      gboolean on;

      if (name == NULL)
        continue;
      switch (info->kind)
        {
        case ASSAY_SETTING_KIND_NUMBERS:
        case ASSAY_SETTING_KIND_PAIRS:
          read_named (self, object, name, i, settings);
          break;
        case ASSAY_SETTING_KIND_SHAPES:
        case ASSAY_SETTING_KIND_AXES:
          read_inputs_list (self, object, name, i, settings);
          break;
        default:
          on = info->kind == ASSAY_SETTING_KIND_FLAG;
          if (group != NULL)
            read_grouped (self, object, group, name, i, settings);
          else if (assay_json_reader_bool (self->reader, object, name, !on) == on)
            assay_settings_set_flag (settings, i, TRUE);
        }
    }
}

/* What a later version wrote into an object that settings share. */
static void
keep_unknown_group (Reading *self, JsonObject *object, const char *section, const char *group)
{
  static const char *const none[] = { NULL };
  JsonNode *node = json_object_get_member (object, group);
  g_autofree char *path = g_strdup_printf ("%s.%s", section, group);
  g_auto (GStrv) members = list_members (section, group, none);
  gsize mark = assay_json_reader_enter (self->reader, group);

  if (node != NULL && JSON_NODE_HOLDS_OBJECT (node))
    keep_unknown (self, json_node_get_object (node), path, (const char *const *) members);
  assay_json_reader_leave (self->reader, mark);
}

static void
read_target (Reading *self, JsonObject *root, AssaySettings **settings)
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
  read_settings (self, object, "target", settings);
  assay_json_reader_leave (self->reader, mark);
}

static void
read_setup (Reading *self, JsonObject *root, AssaySettings **settings)
{
  gsize mark;
  JsonObject *object = open_section (self, root, "setup", setup_members, &mark);

  if (object == NULL)
    return;

  read_settings (self, object, "setup", settings);
  keep_unknown_group (self, object, "setup", "compile_options");
  assay_json_reader_leave (self->reader, mark);
}

static void
read_fixes (Reading *self, JsonObject *root)
{
  g_autoptr (GPtrArray) fixes = assay_fixes_read (self->reader, root);

  assay_edits_set_fixes (self->file->edits, fixes);
}

static void
read_notes (Reading *self, JsonObject *root)
{
  AssayJsonEach each = assay_json_each_in_list (self->reader, root, "notes", G_MAXUINT);

  while (assay_json_each_next_object (&each))
    {
      const char *name, *text;

      if (!assay_json_reader_members (self->reader, each.object, note_members,
                                      (const char *const[]){ "node", NULL }))
        continue;
      name = assay_json_reader_string (self->reader, each.object, "node");
      text = assay_json_reader_string (self->reader, each.object, "text");
      if (name != NULL && *name != '\0')
        assay_edits_set_note (self->file->edits, name, text != NULL ? text : "");
    }
}

static void
read_inputs (Reading *self, JsonObject *run)
{
  JsonObject *object = assay_json_reader_object (self->reader, run, "inputs");
  gsize mark = assay_json_reader_enter (self->reader, "inputs");

  if (object != NULL)
    {
      AssayInputChoice *inputs = self->file->inputs = assay_input_choice_new ();
      JsonObject *files = assay_json_reader_object (self->reader, object, "files");
      g_autoptr (GList) names = files != NULL ? json_object_get_members (files) : NULL;
      gsize inner;

      assay_json_reader_members (self->reader, object, input_members, NULL);
      assay_input_choice_set_seed (inputs, (guint64) assay_json_reader_int (
                                               self->reader, object, "seed", G_MININT64, G_MAXINT64,
                                               (gint64) assay_input_choice_get_seed (inputs)));
      assay_input_choice_set_steps (
          inputs, (guint) assay_json_reader_int (self->reader, object, "steps", 0, G_MAXINT32, 0));
      inner = assay_json_reader_enter (self->reader, "files");
      for (GList *l = names; l != NULL; l = l->next)
        {
          g_autofree char *path = read_path (self, files, l->data);

          if (path != NULL)
            assay_input_choice_set_file (inputs, l->data, path);
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
      assay_json_reader_expect_at (self->reader, object, name, "the name of a runner");
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
      g_autoptr (GPtrArray) paths = assay_json_reader_strings_at (
          self->reader, object, "open_scopes", "a list of paths of scopes");

      g_ptr_array_add (paths, NULL);
      view->open_scopes = g_strdupv ((char **) paths->pdata);
    }
  view->zoom = assay_json_reader_double (self->reader, object, "zoom", 1e6);
  if (view->zoom < 0)
    assay_json_reader_expect_at (self->reader, object, "zoom", "a positive number");
  view->anchor = g_strdup (assay_json_reader_string (self->reader, object, "anchor"));
  view->x = assay_json_reader_double (self->reader, object, "x", 1e12);
  view->y = assay_json_reader_double (self->reader, object, "y", 1e12);
  view->core = (guint) assay_json_reader_int (self->reader, object, "core", 0, MAX_CORES, 0);
  view->playhead = assay_json_reader_int (self->reader, object, "playhead", 0, G_MAXUINT32 - 1, -1);
  view->pinned = assay_json_reader_int (self->reader, object, "pinned", 0, G_MAXUINT32 - 1, -1);
  assay_json_reader_leave (self->reader, mark);
}

/* A later format is no mistake of its author, so the message says what helps. */
static gboolean
check_schema (Reading *self, JsonObject *root)
{
  const char *schema = assay_json_reader_string (self->reader, root, "schema");

  if (g_strcmp0 (schema, ASSAY_SESSION_SCHEMA) == 0)
    return TRUE;

  if (schema != NULL && g_str_has_prefix (schema, "assay.session/"))
    assay_json_reader_complain_at (
        self->reader, "schema",
        "\"%.60s\" is another format than %s; open it with the version of Assay "
        "that wrote it",
        schema, ASSAY_SESSION_SCHEMA);
  else
    assay_json_reader_expect_at (self->reader, root, "schema", "\"" ASSAY_SESSION_SCHEMA "\"");

  return FALSE;
}

/* Reads what is there; everything that is wrong becomes a finding. */
void
assay_session_file_read (AssaySessionFile *file, AssayJsonReader *reader, const char *folder)
{
  Reading self = { file, reader, folder };
  JsonObject *root = assay_json_reader_root (reader);
  g_autoptr (AssaySettings) settings = assay_settings_new ();

  if (!check_schema (&self, root))
    return;

  keep_unknown (&self, root, "", root_members);
  read_model (&self, root);
  file->session = read_path (&self, root, "session");
  read_target (&self, root, &settings);
  read_setup (&self, root, &settings);
  assay_edits_set_setup (file->edits, settings);
  read_fixes (&self, root);
  read_notes (&self, root);
  read_run (&self, root);
  read_comparison (&self, root);
  read_view (&self, root);
}
