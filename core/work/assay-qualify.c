/* assay-qualify.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Results of a suite that several machines run: a log of lines that is written while it runs, and
 * the results of all logs together.
 */
#include "work/assay-qualify.h"

#include <string.h>

#include "base/assay-error.h"
#include "text/assay-json-reader.h"
#include "text/assay-json-writer.h"

#define SCHEMA "assay.qualify/1"
#define MAX_SHARDS 65536

/* Where schedulers say which part this is: index, number, what the index begins with, and how far
 * it is from one to the next. */
static const struct
{
  const char *index;
  const char *n;
  const char *first; /* variable with the first index */
  const char *step;  /* variable with the distance, 1 if there is none */
  guint begin;       /* first index if there is no such variable */
} schedulers[] = {
  { "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN",
    "SLURM_ARRAY_TASK_STEP", 0 },
  { "JOB_COMPLETION_INDEX", "JOB_COMPLETIONS", NULL, NULL, 0 },
  { "TEST_SHARD_INDEX", "TEST_TOTAL_SHARDS", NULL, NULL, 0 },
  { "CI_NODE_INDEX", "CI_NODE_TOTAL", NULL, NULL, 1 },
};

static gboolean
read_number (const char *text, guint64 most, guint64 *value)
{
  return text != NULL && g_ascii_string_to_unsigned (text, 10, 0, most, value, NULL);
}

static gboolean
parse_pair (const char *text, AssayShard *shard, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, "/", -1);
  guint64 index = 0;
  guint64 n = 0;

  if (g_strv_length (parts) != 2 || !read_number (parts[0], MAX_SHARDS, &index) ||
      !read_number (parts[1], MAX_SHARDS, &n) || index < 1 || index > n)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "--shard %s: expected I/N, such as 1/4, the first of four", text);
      return FALSE;
    }
  *shard = (AssayShard){ (guint) index - 1, (guint) n };

  return TRUE;
}

/**
 * assay_shard_parse:
 * @text: (nullable): `I/N`, counted from 1, or %NULL for what a scheduler says
 * @environment: (array zero-terminated=1): the environment
 * @shard: (out): the part, the whole if nobody says otherwise
 * @error: return location for a #GError
 *
 * Finds out which part of a suite is to run: Slurm arrays, indexed jobs of Kubernetes, shards of
 * test runners.
 *
 * Returns: whether that is said in full
 */
gboolean
assay_shard_parse (const char *text, char **environment, AssayShard *shard, GError **error)
{
  *shard = (AssayShard){ 0, 1 };
  if (text != NULL)
    return parse_pair (text, shard, error);

  for (guint i = 0; i < G_N_ELEMENTS (schedulers); i++)
    {
      const char *index = g_environ_getenv (environment, schedulers[i].index);
      const char *n = g_environ_getenv (environment, schedulers[i].n);
      const char *first = schedulers[i].first != NULL
                              ? g_environ_getenv (environment, schedulers[i].first)
                              : NULL;
      const char *distance = schedulers[i].step != NULL
                                 ? g_environ_getenv (environment, schedulers[i].step)
                                 : NULL;
      guint64 own = 0;
      guint64 step = 1;
      guint64 count = 0;
      guint64 begin = schedulers[i].begin;

      /* A job that is no array has an index all the same. */
      if (index == NULL || (n == NULL && i != 1))
        continue;
      if (!read_number (index, G_MAXUINT32, &own) || !read_number (n, MAX_SHARDS, &count) ||
          (first != NULL && !read_number (first, G_MAXUINT32, &begin)) ||
          (distance != NULL && !read_number (distance, G_MAXUINT32, &step)) || step == 0 ||
          own < begin || (own - begin) % step != 0 || (own - begin) / step >= count)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                       "%s is %s and %s is %s: name the part with --shard I/N", schedulers[i].index,
                       index, schedulers[i].n, n != NULL ? n : "not set");
          return FALSE;
        }
      *shard = (AssayShard){ (guint) ((own - begin) / step), (guint) count };
      return TRUE;
    }

  return TRUE;
}

/**
 * assay_shard_has:
 * @self: a part
 * @name: name of a case
 *
 * Tells whether a case belongs to a part. That depends on its name alone, so that cases which come
 * and go move no others.
 *
 * Returns: whether it does
 */
gboolean
assay_shard_has (const AssayShard *self, const char *name)
{
  guint32 hash = 2166136261u;

  /* FNV-1a, which is the same everywhere. */
  for (const char *p = name; *p != '\0'; p++)
    hash = (hash ^ (guint8) *p) * 16777619u;

  return hash % self->n == self->index;
}

static char *
finish_line (AssayJsonWriter *json)
{
  gsize length;
  g_autofree char *text = NULL;
  char *line;

  assay_json_writer_end_object (json);
  text = assay_json_writer_finish (json, &length);
  line = g_strconcat (g_strchomp (text), "\n", NULL);

  return line;
}

/**
 * assay_qualify_head_to_line:
 * @self: what a log is about
 *
 * Writes the first line of a log.
 *
 * Returns: (transfer full): the line, with its end
 */
char *
assay_qualify_head_to_line (const AssayQualifyHead *self)
{
  AssayJsonWriter json;

  assay_json_writer_init (&json, 0);
  assay_json_writer_begin_object (&json);
  assay_json_writer_member (&json, "schema", SCHEMA);
  assay_json_writer_member (&json, "suite", self->suite);
  assay_json_writer_member (&json, "on", self->on);
  assay_json_writer_member (&json, "target", self->target);
  assay_json_writer_member_int (&json, "shard", (gint64) self->shard.index + 1);
  assay_json_writer_member_int (&json, "shards", self->shard.n);
  assay_json_writer_member_int (&json, "cases", self->n_cases);

  return finish_line (&json);
}

/**
 * assay_qualify_result_to_line:
 * @result: the result of a case
 *
 * Writes a line of a log.
 *
 * Returns: (transfer full): the line, with its end
 */
char *
assay_qualify_result_to_line (const AssayConformanceResult *result)
{
  AssayJsonWriter json;

  assay_json_writer_init (&json, 0);
  assay_json_writer_begin_object (&json);
  assay_conformance_result_write (result, &json);

  return finish_line (&json);
}

static AssayConformanceResult *
read_result (AssayJsonReader *reader, JsonObject *object)
{
  const char *name = assay_json_reader_string (reader, object, "name");
  const char *stage = assay_json_reader_string (reader, object, "stage");
  const char *status_name = assay_json_reader_string (reader, object, "status");
  AssayConformanceStatus status;
  AssayConformanceResult *result;

  if (name == NULL || stage == NULL || !assay_conformance_status_from_name (status_name, &status))
    {
      assay_json_reader_complain (reader, "expected the result of a case");
      return NULL;
    }
  result = assay_conformance_result_new (name);
  result->status = status;
  g_free (result->stage);
  result->stage = g_strdup (stage);
  result->rule = g_strdup (assay_json_reader_string (reader, object, "rule"));
  result->message = g_strdup (assay_json_reader_string (reader, object, "message"));
  result->predicted = g_strdup (assay_json_reader_string (reader, object, "predicted"));
  result->operators = g_strdup (assay_json_reader_string (reader, object, "operators"));
  result->categories = g_strdup (assay_json_reader_string (reader, object, "categories"));
  result->dtypes = g_strdup (assay_json_reader_string (reader, object, "dtypes"));
  result->seconds = assay_json_reader_double (reader, object, "seconds", 1e9);

  return result;
}

static char *
dup_text (AssayJsonReader *reader, JsonObject *object, const char *member)
{
  const char *text = assay_json_reader_string (reader, object, member);

  return g_strdup (text != NULL ? text : "");
}

static void
read_head (AssayJsonReader *reader, JsonObject *object, AssayQualifyHead *head)
{
  gint64 index = assay_json_reader_int (reader, object, "shard", 1, MAX_SHARDS, 1);
  gint64 n = assay_json_reader_int (reader, object, "shards", 1, MAX_SHARDS, 1);

  assay_json_reader_schema (reader, object, SCHEMA);
  head->suite = dup_text (reader, object, "suite");
  head->on = dup_text (reader, object, "on");
  head->target = dup_text (reader, object, "target");
  head->shard = (AssayShard){ (guint) MIN (index, n) - 1, (guint) n };
  head->n_cases = (guint) assay_json_reader_int (reader, object, "cases", 0, G_MAXINT32, 0);
}

static gboolean
read_line (AssayQualifyLog *self, const char *line, gsize length, const char *name,
           gboolean is_head, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (line, length);
  g_autoptr (AssayJsonReader) reader = assay_json_reader_new (bytes, name, NULL, NULL, error);
  AssayConformanceResult *result;

  if (reader == NULL)
    return FALSE;
  if (is_head)
    read_head (reader, assay_json_reader_root (reader), &self->head);
  else
    {
      result = read_result (reader, assay_json_reader_root (reader));
      if (result != NULL)
        g_ptr_array_add (self->results, result);
    }

  return assay_json_reader_finish (reader, error);
}

/**
 * assay_qualify_log_parse:
 * @text: (array length=length): a log
 * @length: its length
 * @name: its name, for messages
 * @error: return location for a #GError
 *
 * Reads a log. A last line that was not written whole is left out: whoever wrote it was stopped.
 *
 * Returns: (transfer full) (nullable): the log
 */
AssayQualifyLog *
assay_qualify_log_parse (const char *text, gsize length, const char *name, GError **error)
{
  g_autoptr (AssayQualifyLog) self = g_new0 (AssayQualifyLog, 1);
  const char *end = text + length;
  const char *stop;
  gboolean is_head = TRUE;

  self->results = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_conformance_result_free);
  while (text < end && (stop = memchr (text, '\n', (gsize) (end - text))) != NULL)
    {
      if (!read_line (self, text, (gsize) (stop - text), name, is_head, error))
        return NULL;
      is_head = FALSE;
      text = stop + 1;
    }
  if (is_head)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s: no log of assay qualify", name);
      return NULL;
    }

  return g_steal_pointer (&self);
}

/**
 * assay_qualify_log_free:
 * @self: (nullable): a log
 *
 * Frees a log.
 */
void
assay_qualify_log_free (AssayQualifyLog *self)
{
  if (self == NULL)
    return;

  g_free (self->head.suite);
  g_free (self->head.on);
  g_free (self->head.target);
  g_ptr_array_unref (self->results);
  g_free (self);
}

static int
compare_results (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(AssayConformanceResult *const *) a)->name,
                 (*(AssayConformanceResult *const *) b)->name);
}

/* The results of a log, each case once: the last one counts, as it was run again. */
static guint
take_results (AssayConformance *merged, GHashTable *seen, AssayQualifyLog *log)
{
  guint n = 0;

  for (guint i = log->results->len; i-- > 0;)
    {
      AssayConformanceResult *result = g_ptr_array_index (log->results, i);

      if (g_hash_table_contains (seen, result->name))
        continue;
      g_hash_table_add (seen, result->name);
      log->results->pdata[i] = NULL;
      g_ptr_array_add (merged->results, result);
      merged->counts[result->status]++;
      n++;
    }
  g_ptr_array_set_free_func (log->results, NULL);
  for (guint i = 0; i < log->results->len; i++)
    assay_conformance_result_free (log->results->pdata[i]);
  g_ptr_array_set_size (log->results, 0);

  return n;
}

static gboolean
check_parts (GPtrArray *logs, const gboolean *is_there, GError **error)
{
  const AssayQualifyHead *first = &((AssayQualifyLog *) g_ptr_array_index (logs, 0))->head;

  for (guint i = 0; i < first->shard.n; i++)
    if (!is_there[i])
      {
        g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                     "part %u of %u is missing, or was not run to its end: run it again with "
                     "--shard %u/%u",
                     i + 1, first->shard.n, i + 1, first->shard.n);
        return FALSE;
      }

  return TRUE;
}

/**
 * assay_qualify_merge:
 * @logs: (element-type AssayQualifyLog): logs of all parts of one run; their results are taken
 * @error: return location for a #GError
 *
 * Puts the results of all parts together.
 *
 * Returns: (transfer full) (nullable): the results as if one machine had run them all
 */
AssayConformance *
assay_qualify_merge (GPtrArray *logs, GError **error)
{
  const AssayQualifyHead *first = &((AssayQualifyLog *) g_ptr_array_index (logs, 0))->head;
  g_autoptr (AssayConformance) merged = g_new0 (AssayConformance, 1);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  g_autofree gboolean *is_there = g_new0 (gboolean, first->shard.n);

  merged->results = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_conformance_result_free);
  for (guint i = 0; i < logs->len; i++)
    {
      AssayQualifyLog *log = g_ptr_array_index (logs, i);

      if (!g_str_equal (log->head.suite, first->suite) || !g_str_equal (log->head.on, first->on) ||
          !g_str_equal (log->head.target, first->target) || log->head.shard.n != first->shard.n)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                       "the logs are not of one run: %s on %s %s in %u parts, and %s on %s %s in "
                       "%u",
                       first->suite, first->on, first->target, first->shard.n, log->head.suite,
                       log->head.on, log->head.target, log->head.shard.n);
          return NULL;
        }
      is_there[log->head.shard.index] |= take_results (merged, seen, log) >= log->head.n_cases;
    }
  if (!check_parts (logs, is_there, error))
    return NULL;
  g_ptr_array_sort (merged->results, compare_results);

  return g_steal_pointer (&merged);
}

/**
 * assay_qualify_expected:
 * @conformance: results
 *
 * Writes the list of what fails now, each with the reason, as it is read again as the expected
 * failures.
 *
 * Returns: (transfer full): the list
 */
char *
assay_qualify_expected (const AssayConformance *conformance)
{
  GString *text = g_string_new ("# Failures that are known: a case, and why.\n");

  for (guint i = 0; i < conformance->results->len; i++)
    {
      const AssayConformanceResult *result = g_ptr_array_index (conformance->results, i);
      g_autofree char *reason = NULL;

      if (result->status == ASSAY_CONFORMANCE_XPASS ||
          (result->status != ASSAY_CONFORMANCE_XFAIL &&
           !assay_conformance_status_is_bad (result->status)))
        continue;
      reason = g_strdup (result->message != NULL ? result->message : "");
      g_strdelimit (reason, "\r\n\t", ' ');
      g_string_append_printf (text, "%s %s: %s\n", result->name, result->stage, reason);
    }

  return g_string_free (text, FALSE);
}
