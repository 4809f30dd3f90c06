/* assay-policy.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/assay-policy.h"

#include <string.h>

#include "base/assay-error.h"
#include "base/assay-file-write.h"
#include "text/assay-json-writer.h"
#include "text/assay-json-reader.h"

#define SCHEMA "assay.policy/1"

/* Each is held against each refused node. */
#define MAX_ENTRIES 10000

struct _AssayPolicy
{
  gatomicrefcount ref_count;
  char *name;         /* of the file, or NULL */
  GPtrArray *entries; /* AssayPolicyEntry */
};

G_DEFINE_BOXED_TYPE (AssayPolicy, assay_policy, assay_policy_ref, assay_policy_unref)

/* The members of an entry that are text, in the order in which they are written. */
static const struct
{
  const char *name;
  gsize offset;
  gboolean required;
} members[] = {
  { "rule", G_STRUCT_OFFSET (AssayPolicyEntry, rule), TRUE },
  { "op_type", G_STRUCT_OFFSET (AssayPolicyEntry, op_type), FALSE },
  { "node", G_STRUCT_OFFSET (AssayPolicyEntry, node), FALSE },
  { "target", G_STRUCT_OFFSET (AssayPolicyEntry, target), FALSE },
  { "reason", G_STRUCT_OFFSET (AssayPolicyEntry, reason), TRUE },
  { "expires", G_STRUCT_OFFSET (AssayPolicyEntry, expires), FALSE },
  { "by", G_STRUCT_OFFSET (AssayPolicyEntry, by), FALSE },
};

/* The first four say what is accepted. */
#define N_KEYS 4

static char **
member_of (AssayPolicyEntry *entry, guint member)
{
  return G_STRUCT_MEMBER_P (entry, members[member].offset);
}

static const char *
text_of (const AssayPolicyEntry *entry, guint member)
{
  return *member_of ((AssayPolicyEntry *) entry, member);
}

static void
entry_free (gpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (members); i++)
    g_free (*member_of (data, i));
  g_free (data);
}

/**
 * assay_policy_new:
 *
 * Makes a policy that accepts nothing.
 *
 * Returns: (transfer full): the policy
 */
AssayPolicy *
assay_policy_new (void)
{
  AssayPolicy *self = g_new0 (AssayPolicy, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->entries = g_ptr_array_new_with_free_func (entry_free);

  return self;
}

/**
 * assay_policy_ref:
 * @self: a policy
 *
 * Adds a reference.
 *
 * Returns: (transfer full): the policy
 */
AssayPolicy *
assay_policy_ref (AssayPolicy *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

/**
 * assay_policy_unref:
 * @self: (transfer full): a policy
 *
 * Drops a reference.
 */
void
assay_policy_unref (AssayPolicy *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_ptr_array_unref (self->entries);
  g_free (self->name);
  g_free (self);
}

/**
 * assay_policy_get_name:
 * @self: a policy
 *
 * Gets the name of the file it was read from or saved to last.
 *
 * Returns: (transfer none) (nullable): the name
 */
const char *
assay_policy_get_name (AssayPolicy *self)
{
  return self->name;
}

/**
 * assay_policy_get_n_entries:
 * @self: a policy
 *
 * Gets the number of its entries.
 *
 * Returns: the number
 */
guint
assay_policy_get_n_entries (AssayPolicy *self)
{
  return self->entries->len;
}

/**
 * assay_policy_get_entry:
 * @self: a policy
 * @index: less than the number of entries
 *
 * Gets an entry, which is good until it is removed or replaced.
 *
 * Returns: (transfer none): the entry
 */
const AssayPolicyEntry *
assay_policy_get_entry (AssayPolicy *self, guint index)
{
  g_return_val_if_fail (index < self->entries->len, NULL);

  return g_ptr_array_index (self->entries, index);
}

static gboolean
is_date (const char *text)
{
  guint year, month, day;

  for (guint i = 0; i < 10; i++)
    {
      if ((i == 4 || i == 7) ? text[i] != '-' : !g_ascii_isdigit (text[i]))
        return FALSE;
    }
  if (text[10] != '\0')
    return FALSE;

  year = (guint) g_ascii_strtoull (text, NULL, 10);
  month = (guint) g_ascii_strtoull (text + 5, NULL, 10);
  day = (guint) g_ascii_strtoull (text + 8, NULL, 10);

  return year > 0 && month <= 12 && day <= 31 &&
         g_date_valid_dmy ((GDateDay) day, (GDateMonth) month, (GDateYear) year);
}

/* What is wrong with a member, or NULL. */
static const char *
find_problem (const AssayPolicyEntry *entry, guint member)
{
  const char *text = text_of (entry, member);

  if (text == NULL)
    return members[member].required ? "is missing" : NULL;
  if (!g_utf8_validate (text, -1, NULL))
    return "must be UTF-8";
  if (text[strspn (text, " \t\n")] == '\0')
    return "must not be empty";
  if (strcmp (members[member].name, "expires") == 0 && !is_date (text))
    return "must be a date such as 2027-03-31";

  return NULL;
}

static AssayPolicyEntry *
entry_copy (const AssayPolicyEntry *entry)
{
  AssayPolicyEntry *copy = g_new0 (AssayPolicyEntry, 1);

  for (guint i = 0; i < G_N_ELEMENTS (members); i++)
    *member_of (copy, i) = g_strdup (text_of (entry, i));
  copy->line = entry->line;

  return copy;
}

static guint
entry_hash (gconstpointer entry)
{
  guint hash = 0;

  for (guint i = 0; i < N_KEYS; i++)
    hash = hash * 33 + (text_of (entry, i) != NULL ? g_str_hash (text_of (entry, i)) : 0);

  return hash;
}

static gboolean
entry_is_for_same (gconstpointer a, gconstpointer b)
{
  for (guint i = 0; i < N_KEYS; i++)
    {
      if (g_strcmp0 (text_of (a, i), text_of (b, i)) != 0)
        return FALSE;
    }

  return TRUE;
}

/**
 * assay_policy_add:
 * @self: a policy
 * @entry: what is accepted
 * @error: return location for a #GError
 *
 * Accepts something; an entry for the same rule, operator type, node and target is replaced.
 *
 * Returns: %FALSE with %ASSAY_ERROR_INVALID if rule or reason are missing, or the date is none
 */
gboolean
assay_policy_add (AssayPolicy *self, const AssayPolicyEntry *entry, GError **error)
{
  AssayPolicyEntry *copy;

  for (guint i = 0; i < G_N_ELEMENTS (members); i++)
    {
      const char *problem = find_problem (entry, i);

      if (problem == NULL)
        continue;
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "the %s %s", members[i].name, problem);
      return FALSE;
    }

  for (guint i = 0; i < self->entries->len; i++)
    {
      if (!entry_is_for_same (entry, g_ptr_array_index (self->entries, i)))
        continue;
      copy = entry_copy (entry);
      entry_free (g_ptr_array_index (self->entries, i));
      g_ptr_array_index (self->entries, i) = copy;
      return TRUE;
    }
  if (self->entries->len >= MAX_ENTRIES)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "a policy has at most %d entries",
                   MAX_ENTRIES);
      return FALSE;
    }
  g_ptr_array_add (self->entries, entry_copy (entry));

  return TRUE;
}

/**
 * assay_policy_remove:
 * @self: a policy
 * @entry: one of its entries, which is freed
 *
 * Accepts something no longer.
 */
void
assay_policy_remove (AssayPolicy *self, const AssayPolicyEntry *entry)
{
  g_return_if_fail (g_ptr_array_find (self->entries, entry, NULL));

  g_ptr_array_remove (self->entries, (gpointer) entry);
}

static void
read_entry (AssayPolicy *self, AssayJsonReader *reader, GHashTable *seen, JsonObject *object)
{
  static const char *const allowed[] = { "rule",   "op_type", "node", "target",
                                         "reason", "expires", "by",   NULL };
  static const char *const required[] = { "rule", "reason", NULL };
  const AssayPolicyEntry *other;
  AssayPolicyEntry entry = { 0 };
  gsize offset;
  guint column;
  guint before = reader->n_errors;

  if (!assay_json_reader_members (reader, object, allowed, required))
    return;

  assay_json_reader_find (reader, reader->path->str, &entry.line, &column, &offset);
  for (guint i = 0; i < G_N_ELEMENTS (members); i++)
    {
      const char *problem;

      *member_of (&entry, i) = (char *) assay_json_reader_string (reader, object, members[i].name);
      problem = text_of (&entry, i) == NULL ? NULL : find_problem (&entry, i);
      if (problem != NULL)
        assay_json_reader_complain_at (reader, members[i].name, "%s", problem);
    }

  other = g_hash_table_lookup (seen, &entry);
  if (other != NULL)
    assay_json_reader_complain (reader, "line %u accepts the same", other->line);
  if (reader->n_errors != before)
    return;

  g_ptr_array_add (self->entries, entry_copy (&entry));
  g_hash_table_add (seen, g_ptr_array_index (self->entries, self->entries->len - 1));
}

static void
read_policy (AssayPolicy *self, AssayJsonReader *reader)
{
  static const char *const allowed[] = { "schema", "entries", NULL };
  g_autoptr (GHashTable) seen = g_hash_table_new (entry_hash, entry_is_for_same);
  JsonObject *root = assay_json_reader_root (reader);
  AssayJsonEach each;
  JsonArray *entries;

  if (!assay_json_reader_members (reader, root, allowed, allowed))
    return;

  assay_json_reader_schema (reader, root, SCHEMA);
  entries = assay_json_reader_array (reader, root, "entries");
  if (entries == NULL)
    return;
  if (json_array_get_length (entries) > MAX_ENTRIES)
    {
      assay_json_reader_complain_at (reader, "entries",
                                     "%u entries are more than a policy can have (%d)",
                                     json_array_get_length (entries), MAX_ENTRIES);
      return;
    }

  each = assay_json_each_in_list (reader, root, "entries", MAX_ENTRIES);
  while (assay_json_each_next_object (&each))
    read_entry (self, reader, seen, each.object);
}

static AssayPolicy *
read_all (AssayJsonReader *reader, GError **error)
{
  g_autoptr (AssayPolicy) self = assay_policy_new ();

  if (reader == NULL)
    return NULL;

  self->name = g_strdup (reader->name);
  read_policy (self, reader);

  return assay_json_reader_finish (reader, error) ? g_steal_pointer (&self) : NULL;
}

/**
 * assay_policy_load_bytes:
 * @bytes: the text of a policy file
 * @name: name of the file, for messages
 * @findings: (nullable): gets everything that is wrong, with line and member
 * @error: return location for a #GError
 *
 * Reads a policy; docs/policy.md describes the format.
 *
 * Returns: (transfer full) (nullable): the policy, or %NULL with %ASSAY_ERROR_INVALID and the first
 * finding
 */
AssayPolicy *
assay_policy_load_bytes (GBytes *bytes, const char *name, AssayFindings *findings, GError **error)
{
  g_autoptr (AssayJsonReader) reader = assay_json_reader_new (bytes, name, NULL, findings, error);

  return read_all (reader, error);
}

/**
 * assay_policy_load:
 * @path: a policy file
 * @error: return location for a #GError
 *
 * Reads a policy from a file.
 *
 * Returns: (transfer full) (nullable): the policy, or %NULL with %ASSAY_ERROR_INVALID or
 * %ASSAY_ERROR_IO
 */
AssayPolicy *
assay_policy_load (const char *path, GError **error)
{
  g_autoptr (AssayJsonReader) reader = assay_json_reader_load (path, NULL, error);

  return read_all (reader, error);
}

/**
 * assay_policy_to_json:
 * @self: a policy
 * @length: (out) (optional): bytes of the text
 *
 * Writes a policy as assay_policy_load() reads it.
 *
 * Returns: (transfer full): the text
 */
char *
assay_policy_to_json (AssayPolicy *self, gsize *length)
{
  AssayJsonWriter json;

  assay_json_writer_begin_document (&json, 3, SCHEMA);
  assay_json_writer_begin_member_array (&json, "entries");
  for (guint i = 0; i < self->entries->len; i++)
    {
      const AssayPolicyEntry *entry = g_ptr_array_index (self->entries, i);

      assay_json_writer_begin_object (&json);
      for (guint j = 0; j < G_N_ELEMENTS (members); j++)
        {
          if (text_of (entry, j) != NULL)
            assay_json_writer_member (&json, members[j].name, text_of (entry, j));
        }
      assay_json_writer_end_object (&json);
    }
  assay_json_writer_end_array (&json);
  return assay_json_writer_end_document (&json, length);
}

/**
 * assay_policy_save:
 * @self: a policy
 * @path: where it goes
 * @error: return location for a #GError
 *
 * Saves a policy; what was there is replaced only by a whole file.
 *
 * Returns: whether it is saved
 */
gboolean
assay_policy_save (AssayPolicy *self, const char *path, GError **error)
{
  g_autofree char *text = NULL;
  gsize length;

  text = assay_policy_to_json (self, &length);
  if (!assay_file_write (path, text, length, error))
    return FALSE;
  g_free (self->name);
  self->name = g_strdup (path);

  return TRUE;
}

/* Shell patterns of `*` and `?`, in time of the product of the lengths whatever the pattern. */
static gboolean
matches_pattern (const char *pattern, const char *text)
{
  const char *star = NULL;
  const char *resume = NULL;

  while (*text != '\0')
    {
      if (*pattern == '*')
        {
          star = pattern++;
          resume = text;
        }
      else if (*pattern == '?')
        {
          pattern++;
          text = g_utf8_next_char (text);
        }
      else if (*pattern == *text)
        {
          pattern++;
          text++;
        }
      else if (star != NULL)
        {
          pattern = star + 1;
          text = ++resume;
        }
      else
        return FALSE;
    }
  while (*pattern == '*')
    pattern++;

  return *pattern == '\0';
}

/**
 * assay_policy_entry_matches:
 * @entry: an entry
 * @subject: what was found
 *
 * Tells whether an entry speaks of something, expired or not.
 *
 * Returns: whether it does
 */
gboolean
assay_policy_entry_matches (const AssayPolicyEntry *entry, const AssayPolicySubject *subject)
{
  return g_strcmp0 (entry->rule, subject->rule) == 0 &&
         (entry->op_type == NULL || g_strcmp0 (entry->op_type, subject->op_type) == 0) &&
         (entry->target == NULL || g_strcmp0 (entry->target, subject->target) == 0) &&
         (entry->node == NULL ||
          (subject->node != NULL && matches_pattern (entry->node, subject->node)));
}

/**
 * assay_policy_entry_is_expired:
 * @entry: an entry
 * @today: a time of the day that counts
 *
 * Tells whether the last day of an entry is over.
 *
 * Returns: whether it is
 */
gboolean
assay_policy_entry_is_expired (const AssayPolicyEntry *entry, GDateTime *today)
{
  g_autofree char *day = NULL;

  if (entry->expires == NULL)
    return FALSE;
  day = g_strdup_printf ("%04d-%02d-%02d", g_date_time_get_year (today),
                         g_date_time_get_month (today), g_date_time_get_day_of_month (today));

  return strcmp (day, entry->expires) > 0;
}

/**
 * assay_policy_match:
 * @self: a policy
 * @subject: what was found
 * @today: a time of the day that counts
 *
 * Finds the first entry that accepts something on that day.
 *
 * Returns: (transfer none) (nullable): the entry
 */
const AssayPolicyEntry *
assay_policy_match (AssayPolicy *self, const AssayPolicySubject *subject, GDateTime *today)
{
  for (guint i = 0; i < self->entries->len; i++)
    {
      const AssayPolicyEntry *entry = g_ptr_array_index (self->entries, i);

      if (assay_policy_entry_matches (entry, subject) &&
          !assay_policy_entry_is_expired (entry, today))
        return entry;
    }

  return NULL;
}

/**
 * assay_policy_entry_describe:
 * @entry: an entry
 *
 * Says what an entry is about, such as `reduce.axis, ReduceMean, encoder.*`.
 *
 * Returns: (transfer full): the words
 */
char *
assay_policy_entry_describe (const AssayPolicyEntry *entry)
{
  GString *text = g_string_new (entry->rule);

  for (guint i = 1; i < N_KEYS; i++)
    {
      if (text_of (entry, i) != NULL)
        g_string_append_printf (text, ", %s", text_of (entry, i));
    }

  return g_string_free (text, FALSE);
}
