/* assay-tolerance.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/compare/assay-tolerance.h"

#include <string.h>

#include "assay-tolerance-files.h"
#include "base/assay-error.h"
#include "text/assay-json-reader.h"

#define SCHEMA "assay.tolerance/1"

struct _AssayTolerance
{
  gatomicrefcount ref_count;
  char *title;
  double limits[ASSAY_N_COMPARE_PRECISIONS][ASSAY_N_OPS];
};

static GBytes *
shipped_file (void)
{
  static gsize registered = 0;

  if (g_once_init_enter (&registered))
    {
      assay_tolerance_files_register_resource ();
      g_once_init_leave (&registered, 1);
    }

  return g_resource_lookup_data (assay_tolerance_files_get_resource (),
                                 "/assay/tolerances/default.json", G_RESOURCE_LOOKUP_FLAGS_NONE,
                                 NULL);
}

static gboolean
read_limit (AssayJsonReader *reader, JsonObject *object, const char *member, double *limit)
{
  JsonNode *node = json_object_get_member (object, member);

  if (assay_json_node_is_number (node) && json_node_get_double (node) >= 0)
    {
      *limit = json_node_get_double (node);
      return TRUE;
    }

  assay_json_reader_expect_at (reader, object, member, "a number of units, not negative");
  return FALSE;
}

static gboolean
matches (AssayOp op, const char *name, gboolean is_kind)
{
  const AssayOpInfo *info = assay_op_get_info (op);

  return g_str_equal (name, is_kind ? assay_op_category_name (info->category) : info->name);
}

/* Sets the limit of the ops of one name; FALSE if there is none. */
static gboolean
apply (AssayTolerance *self, guint precision, const char *name, gboolean is_kind, double limit)
{
  gboolean found = FALSE;

  for (guint op = 0; op < ASSAY_N_OPS; op++)
    {
      if (!matches ((AssayOp) op, name, is_kind))
        continue;
      self->limits[precision][op] = limit;
      found = TRUE;
    }

  return found;
}

static void
read_rule (AssayTolerance *self, AssayJsonReader *reader, JsonObject *rule, guint precision)
{
  static const char *const allowed[] = { "kind", "op", "ulp", "why", NULL };
  static const char *const required[] = { "ulp", NULL };
  gboolean is_kind = json_object_has_member (rule, "kind");
  const char *member = is_kind ? "kind" : "op";
  g_autoptr (GPtrArray) names = NULL;
  JsonNode *node;
  double limit;
  gsize mark;

  if (!assay_json_reader_members (reader, rule, allowed, required) ||
      !read_limit (reader, rule, "ulp", &limit))
    return;

  node = json_object_get_member (rule, member);
  if (node == NULL)
    {
      assay_json_reader_complain (reader, "expected the member op or kind");
      return;
    }

  mark = assay_json_reader_enter (reader, member);
  names = assay_json_reader_strings (reader, node,
                                     is_kind ? "a kind of op or several" : "an op or several");
  for (guint i = 0; i < names->len; i++)
    {
      if (!apply (self, precision, g_ptr_array_index (names, i), is_kind, limit))
        assay_json_reader_complain (reader, "%s is no %s",
                                    (const char *) g_ptr_array_index (names, i),
                                    is_kind ? "kind of op" : "op");
    }
  assay_json_reader_leave (reader, mark);
}

static void
read_precision (AssayTolerance *self, AssayJsonReader *reader, JsonObject *root, guint precision)
{
  const char *name = assay_compare_precision_names ()[precision];
  static const char *const allowed[] = { "any", "rules", NULL };
  static const char *const required[] = { "any", NULL };
  JsonObject *object = assay_json_reader_object (reader, root, name);
  gsize mark = assay_json_reader_enter (reader, name);
  double limit = 0;

  if (object != NULL && assay_json_reader_members (reader, object, allowed, required))
    {
      AssayJsonEach each;

      if (read_limit (reader, object, "any", &limit))
        for (guint op = 0; op < ASSAY_N_OPS; op++)
          self->limits[precision][op] = limit;

      each = assay_json_each_in_list (reader, object, "rules", G_MAXUINT);
      while (assay_json_each_next_object (&each))
        read_rule (self, reader, each.object, precision);
    }
  assay_json_reader_leave (reader, mark);
}

static void
read_root (AssayTolerance *self, AssayJsonReader *reader)
{
  static const char *const allowed[] = { "schema", "title",   "doc",     "bf16", "fp32",
                                         "fp16",   "fp8e4m3", "fp8e5m2", "int8", NULL };
  static const char *const required[] = { "schema", "bf16", "fp32", NULL };
  JsonObject *root = assay_json_reader_root (reader);
  const char *title;

  if (!assay_json_reader_members (reader, root, allowed, required))
    return;

  assay_json_reader_schema (reader, root, SCHEMA);
  title = assay_json_reader_string (reader, root, "title");
  self->title = g_strdup (title != NULL ? title : reader->name);

  /* What a file does not say of a narrow type is what it says of bf16, in units of that type. */
  for (guint precision = 0; precision < ASSAY_N_COMPARE_PRECISIONS; precision++)
    {
      memcpy (self->limits[precision], self->limits[ASSAY_COMPARE_BF16],
              sizeof self->limits[precision]);
      if (precision <= ASSAY_COMPARE_FP32 ||
          json_object_has_member (root, assay_compare_precision_names ()[precision]))
        read_precision (self, reader, root, precision);
    }
}

static AssayTolerance *
read_all (AssayJsonReader *reader, GError **error)
{
  g_autoptr (AssayTolerance) self = NULL;

  if (reader == NULL)
    return NULL;

  self = g_new0 (AssayTolerance, 1);
  g_atomic_ref_count_init (&self->ref_count);
  read_root (self, reader);

  return assay_json_reader_finish (reader, error) ? g_steal_pointer (&self) : NULL;
}

/**
 * assay_tolerance_load_bytes:
 * @bytes: the text of a tolerance file
 * @name: its name, for messages
 * @error: return location for a #GError
 *
 * Reads tolerances. A mistake is %ASSAY_ERROR_INVALID with line and member.
 *
 * Returns: (transfer full) (nullable): the tolerances
 */
AssayTolerance *
assay_tolerance_load_bytes (GBytes *bytes, const char *name, GError **error)
{
  g_autoptr (AssayJsonReader) reader = assay_json_reader_new (bytes, name, NULL, NULL, error);

  return read_all (reader, error);
}

/**
 * assay_tolerance_load:
 * @path: a tolerance file
 * @error: return location for a #GError
 *
 * Reads tolerances from a file.
 *
 * Returns: (transfer full) (nullable): the tolerances
 */
AssayTolerance *
assay_tolerance_load (const char *path, GError **error)
{
  g_autoptr (AssayJsonReader) reader = assay_json_reader_load (path, NULL, error);

  return read_all (reader, error);
}

/**
 * assay_tolerance_new_default:
 *
 * Gets the tolerances that ship: those that the numerics of the machine imply.
 *
 * Returns: (transfer full): the tolerances
 */
AssayTolerance *
assay_tolerance_new_default (void)
{
  g_autoptr (GBytes) bytes = shipped_file ();
  g_autoptr (GError) error = NULL;
  AssayTolerance *self = assay_tolerance_load_bytes (bytes, "default", &error);

  if (self == NULL)
    g_error ("%s", error->message);

  return self;
}

/**
 * assay_tolerance_ref:
 * @self: tolerances
 *
 * Takes a reference.
 *
 * Returns: (transfer full): the same tolerances
 */
AssayTolerance *
assay_tolerance_ref (AssayTolerance *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
assay_tolerance_unref (AssayTolerance *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_free (self->title);
  g_free (self);
}

/**
 * assay_tolerance_get_limit:
 * @self: tolerances
 * @op: an op
 * @precision: in whose units the limit counts
 *
 * Looks up how large the scaled error of a value that @op makes may be.
 *
 * Returns: the limit, in units in the last place
 */
double
assay_tolerance_get_limit (const AssayTolerance *self, AssayOp op, AssayComparePrecision precision)
{
  return self->limits[precision][op];
}
