/* assay-target.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "assay-target-files.h"
#include "base/assay-error.h"
#include "base/assay-file-read.h"
#include "target/assay-target-private.h"

#define PREFIX "/assay/targets/"
#define SUFFIX ".json"

G_DEFINE_BOXED_TYPE (AssayTarget, assay_target, assay_target_ref, assay_target_unref)

static AssayTarget *
target_new (void)
{
  AssayTarget *self = g_new0 (AssayTarget, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->arena = assay_arena_new ();
  self->config = json_object_new ();
  self->estimated = g_ptr_array_new ();
  self->composites = g_ptr_array_new ();
  self->options = g_array_new (FALSE, TRUE, sizeof (AssayOption));
  self->rules = g_ptr_array_new ();
  self->fusions = g_ptr_array_new ();
  self->steps = g_array_new (FALSE, TRUE, sizeof (AssayStep));
  self->notes = g_array_new (FALSE, TRUE, sizeof (AssayNote));
  self->sets = g_hash_table_new (g_str_hash, g_str_equal);
  self->op_rules = g_new0 (GPtrArray *, ASSAY_N_OPS);
  self->op_fusions = g_new0 (GPtrArray *, ASSAY_N_OPS);
  self->key_rules = g_hash_table_new_full (g_str_hash, g_str_equal, NULL,
                                           (GDestroyNotify) g_ptr_array_unref);

  return self;
}

AssayTarget *
assay_target_ref (AssayTarget *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
assay_target_unref (AssayTarget *self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->ref_count))
    return;

  for (guint op = 0; op < ASSAY_N_OPS; op++)
    {
      g_clear_pointer (&self->op_rules[op], g_ptr_array_unref);
      g_clear_pointer (&self->op_fusions[op], g_ptr_array_unref);
    }
  g_free (self->op_rules);
  g_free (self->op_fusions);
  g_hash_table_unref (self->key_rules);
  g_hash_table_unref (self->sets);
  g_array_unref (self->notes);
  g_array_unref (self->steps);
  g_ptr_array_unref (self->fusions);
  g_ptr_array_unref (self->rules);
  g_array_unref (self->options);
  g_ptr_array_unref (self->composites);
  g_ptr_array_unref (self->estimated);
  json_object_unref (self->config);
  g_clear_pointer (&self->json, json_node_unref);
  assay_arena_free (self->arena);
  g_free (self);
}

/* The files that ship are part of the program. */
static GResource *
shipped_files (void)
{
  static gsize registered = 0;

  if (g_once_init_enter (&registered))
    {
      assay_target_files_register_resource ();
      g_once_init_leave (&registered, 1);
    }

  return assay_target_files_get_resource ();
}

/* The text of a target that ships; NULL if there is none of that id. */
GBytes *
assay_target_file (const char *id)
{
  g_autofree char *path = g_strconcat (PREFIX, id, SUFFIX, NULL);

  return g_resource_lookup_data (shipped_files (), path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
}

/* Numbers by value, so that b512 comes before b4096. */
static int
compare_natural (gconstpointer a, gconstpointer b)
{
  const char *p = *(const char *const *) a;
  const char *q = *(const char *const *) b;

  while (*p != '\0' && *q != '\0')
    {
      if (g_ascii_isdigit (*p) && g_ascii_isdigit (*q))
        {
          char *p_end, *q_end;
          guint64 m = g_ascii_strtoull (p, &p_end, 10);
          guint64 n = g_ascii_strtoull (q, &q_end, 10);

          if (m != n)
            return m < n ? -1 : 1;
          p = p_end;
          q = q_end;
        }
      else if (*p != *q)
        return *p < *q ? -1 : 1;
      else
        {
          p++;
          q++;
        }
    }

  return (*p != '\0') - (*q != '\0');
}

static GPtrArray *
list_files (void)
{
  g_auto (GStrv) names = g_resource_enumerate_children (shipped_files (), PREFIX,
                                                        G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  GPtrArray *ids = g_ptr_array_new_with_free_func (g_free);

  for (char **name = names; name != NULL && *name != NULL; name++)
    if (g_str_has_suffix (*name, SUFFIX))
      g_ptr_array_add (ids, g_strndup (*name, strlen (*name) - strlen (SUFFIX)));
  g_ptr_array_sort (ids, compare_natural);

  return ids;
}

/* A file that others build on says so, and nothing else does. */
static gboolean
is_abstract (GBytes *bytes)
{
  return g_strstr_len (g_bytes_get_data (bytes, NULL), (gssize) g_bytes_get_size (bytes),
                       "\"abstract\": true") != NULL;
}

/**
 * assay_target_list:
 *
 * Lists the targets that ship, by name.
 *
 * Returns: (transfer full) (array zero-terminated=1): their ids
 */
char **
assay_target_list (void)
{
  g_autoptr (GPtrArray) files = list_files ();
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  for (guint i = 0; i < files->len; i++)
    {
      const char *id = g_ptr_array_index (files, i);
      g_autoptr (GBytes) bytes = assay_target_file (id);

      if (!is_abstract (bytes))
        g_strv_builder_add (builder, id);
    }

  return g_strv_builder_end (builder);
}

/**
 * assay_target_load_bytes:
 * @bytes: the text of a target file
 * @name: name of the file, for messages
 * @findings: (nullable): gets everything that is wrong, with line and member
 * @error: return location for a #GError
 *
 * Reads a target file; docs/adding-a-target.md describes the format.
 *
 * Returns: (transfer full) (nullable): the target, or %NULL with %ASSAY_ERROR_INVALID and the first
 * finding
 */
AssayTarget *
assay_target_load_bytes (GBytes *bytes, const char *name, AssayFindings *findings, GError **error)
{
  g_autoptr (AssayTarget) self = target_new ();
  g_autoptr (AssayFindings) own = findings != NULL ? assay_findings_ref (findings)
                                                   : assay_findings_new ();
  guint before = assay_findings_get_count (own);
  g_autoptr (GError) local = NULL;

  if (assay_target_read (self, bytes, name, own, &local))
    return g_steal_pointer (&self);

  if (assay_findings_get_count (own) > before)
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s; the first: %s", local->message,
                 assay_findings_get (own, before)->message);
  else
    g_propagate_error (error, g_steal_pointer (&local));

  return NULL;
}

static void
complain_unknown (const char *id, gboolean is_base, GError **error)
{
  g_auto (GStrv) ids = assay_target_list ();
  g_autofree char *list = g_strjoinv (", ", ids);

  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
               is_base
                   ? "\"%s\" is what targets build on, and none itself; those that ship are %s"
                   : "there is neither a target nor a file \"%s\"; the targets that ship are %s",
               id, list);
}

/* Targets that ship and were read once: neither they nor their files ever change. */
static GMutex kept_lock;
static GHashTable *kept;

static AssayTarget *
find_kept (const char *id)
{
  AssayTarget *target = NULL;

  g_mutex_lock (&kept_lock);
  if (kept != NULL && (target = g_hash_table_lookup (kept, id)) != NULL)
    assay_target_ref (target);
  g_mutex_unlock (&kept_lock);

  return target;
}

/* Where two threads have read the same one, both go on with the first. */
static AssayTarget *
keep (const char *id, AssayTarget *target)
{
  AssayTarget *first;

  g_mutex_lock (&kept_lock);
  if (kept == NULL)
    kept = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                  (GDestroyNotify) assay_target_unref);
  first = g_hash_table_lookup (kept, id);
  if (first == NULL)
    g_hash_table_insert (kept, g_strdup (id), first = assay_target_ref (target));
  assay_target_ref (first);
  g_mutex_unlock (&kept_lock);

  return first;
}

static AssayTarget *
load_shipped (GBytes *bytes, const char *id, GError **error)
{
  g_autoptr (AssayTarget) target = NULL;

  if (is_abstract (bytes))
    {
      complain_unknown (id, TRUE, error);
      return NULL;
    }

  target = assay_target_load_bytes (bytes, id, NULL, error);
  return target != NULL ? keep (id, target) : NULL;
}

/**
 * assay_target_load:
 * @id_or_path: id of a target that ships, or path of a target file
 * @error: return location for a #GError
 *
 * Loads a target. One that ships is read when it is first asked for.
 *
 * Returns: (transfer full) (nullable): the target, or %NULL with %ASSAY_ERROR_INVALID or
 * %ASSAY_ERROR_IO
 */
AssayTarget *
assay_target_load (const char *id_or_path, GError **error)
{
  AssayTarget *kept_before;
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *text = NULL;
  gsize length;

  g_return_val_if_fail (id_or_path != NULL, NULL);

  kept_before = find_kept (id_or_path);
  if (kept_before != NULL)
    return kept_before;

  if (strchr (id_or_path, '/') == NULL)
    bytes = assay_target_file (id_or_path);
  if (bytes != NULL)
    return load_shipped (bytes, id_or_path, error);

  if (!g_file_test (id_or_path, G_FILE_TEST_EXISTS))
    {
      complain_unknown (id_or_path, FALSE, error);
      return NULL;
    }
  if (!assay_file_read (id_or_path, ASSAY_FILE_READ_TEXT, &text, &length, error))
    return NULL;
  bytes = g_bytes_new_take (g_steal_pointer (&text), length);

  return assay_target_load_bytes (bytes, id_or_path, NULL, error);
}

/**
 * assay_target_get_id:
 * @self: a target
 *
 * Gets the id, such as `vulkan-main`.
 *
 * Returns: (transfer none): the id
 */
const char *
assay_target_get_id (AssayTarget *self)
{
  return self->id;
}

/**
 * assay_target_get_title:
 * @self: a target
 *
 * Gets the name for people.
 *
 * Returns: (transfer none): the name
 */
const char *
assay_target_get_title (AssayTarget *self)
{
  return self->title;
}

/**
 * assay_target_get_summary:
 * @self: a target
 *
 * Gets one sentence on what it is.
 *
 * Returns: (transfer none): the sentence
 */
const char *
assay_target_get_summary (AssayTarget *self)
{
  return self->summary;
}

/**
 * assay_target_get_family:
 * @self: a target
 *
 * Gets what sort of accelerator it is, such as `block-streaming`: the name of its backend.
 *
 * Returns: (transfer none): the family
 */
const char *
assay_target_get_family (AssayTarget *self)
{
  return self->check_class->family;
}

/**
 * assay_target_has_option:
 * @self: a target
 * @setting: an option as `NAME` or `NAME=VALUE`
 *
 * Tells whether the rules of a target have an option; a check refuses those that they do not have.
 *
 * Returns: whether they have it
 */
gboolean
assay_target_has_option (AssayTarget *self, const char *setting)
{
  gsize length = strcspn (setting, "=");

  for (guint i = 0; i < self->options->len; i++)
    {
      const char *name = g_array_index (self->options, AssayOption, i).name;

      if (strlen (name) == length && strncmp (name, setting, length) == 0)
        return TRUE;
    }

  return FALSE;
}

/**
 * assay_target_get_config_int:
 * @self: a target
 * @field: a field of its configuration, or `object.field` of an object in it
 * @value: (out): the value
 *
 * Reads an integer of the configuration.
 *
 * Returns: whether there is such a field and it is an integer
 */
gboolean
assay_target_get_config_int (AssayTarget *self, const char *field, gint64 *value)
{
  const char *dot = strchr (field, '.');
  JsonObject *object = self->config;
  JsonNode *node;

  if (dot != NULL)
    {
      g_autofree char *outer = g_strndup (field, (gsize) (dot - field));

      node = json_object_get_member (object, outer);
      if (node == NULL || !JSON_NODE_HOLDS_OBJECT (node))
        return FALSE;
      object = json_node_get_object (node);
      field = dot + 1;
    }

  node = json_object_get_member (object, field);
  if (node == NULL || !JSON_NODE_HOLDS_VALUE (node) ||
      json_node_get_value_type (node) != G_TYPE_INT64)
    return FALSE;

  *value = json_node_get_int (node);
  return TRUE;
}

/**
 * assay_target_is_estimated:
 * @self: a target
 * @field: a field of its configuration
 *
 * Tells whether a value was not published but estimated.
 *
 * Returns: whether it was
 */
gboolean
assay_target_is_estimated (AssayTarget *self, const char *field)
{
  for (guint i = 0; i < self->estimated->len; i++)
    if (g_str_equal (g_ptr_array_index (self->estimated, i), field))
      return TRUE;

  return FALSE;
}

/**
 * assay_target_get_json:
 * @self: a target
 *
 * Gets the target file, with everything it builds on.
 *
 * Returns: (transfer none): the object
 */
JsonObject *
assay_target_get_json (AssayTarget *self)
{
  return json_node_get_object (self->json);
}
