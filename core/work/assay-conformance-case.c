/* assay-conformance-case.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * One case of ONNX test data: a `model` of any source, and beside it folders `test_data_set_N` with
 * `input_I.pb` and `output_I.pb`.
 */
#include "work/assay-conformance-case.h"

#include <math.h>

#include "base/assay-error.h"
#include "base/assay-sentence.h"
#include "base/assay-tensor-read.h"
#include "evaluate/assay-evaluate.h"
#include "evaluate/compare/assay-tolerance.h"
#include "nnir/assay-graph-builder.h"
#include "source/assay-source.h"
#include "source/onnx/assay-tensor-file.h"
#include "run/assay-run-inputs.h"
#include "run/assay-run-parts.h"
#include "run/assay-runner.h"
#include "work/assay-work.h"

/* Operators of a case that its result names. */
#define MAX_OPERATORS 64

typedef struct
{
  const char *folder;
  const char *model;
  const AssayConformanceOptions *options;
  const AssayProgress *progress;
  AssayConformanceResult *result;
  AssayGraph *graph;
  const AssayRunnerKind *kind;
  gboolean open; /* whether the specification leaves the numbers open */
  double limit;  /* scaled error that bf16 may have */
  AssayComparePrecision precision;
} Case;

/**
 * assay_conformance_status_name:
 * @status: a status
 *
 * Gets the name of a status in reports.
 *
 * Returns: the name
 */
const char *
assay_conformance_status_name (AssayConformanceStatus status)
{
  static const char *const names[ASSAY_N_CONFORMANCE_STATUSES] = {
    "PASS", "FAIL", "XFAIL", "XPASS", "SKIP", "PASS-ON-HOST", "TIMEOUT", "CRASH",
  };

  return names[status];
}

/**
 * assay_conformance_status_from_name:
 * @name: (nullable): a name from a report
 * @status: (out): the status
 *
 * Looks up a status.
 *
 * Returns: whether there is one
 */
gboolean
assay_conformance_status_from_name (const char *name, AssayConformanceStatus *status)
{
  for (guint i = 0; i < ASSAY_N_CONFORMANCE_STATUSES; i++)
    if (g_strcmp0 (name, assay_conformance_status_name ((AssayConformanceStatus) i)) == 0)
      {
        *status = (AssayConformanceStatus) i;
        return TRUE;
      }

  return FALSE;
}

/**
 * assay_conformance_status_is_bad:
 * @status: a status
 *
 * Tells whether a case with it has to be looked at.
 *
 * Returns: whether it failed though it should not, or passed though it should not
 */
gboolean
assay_conformance_status_is_bad (AssayConformanceStatus status)
{
  return status == ASSAY_CONFORMANCE_FAIL || status == ASSAY_CONFORMANCE_XPASS ||
         status == ASSAY_CONFORMANCE_TIMEOUT || status == ASSAY_CONFORMANCE_CRASH;
}

/**
 * assay_conformance_result_passed:
 * @self: the result of a case
 *
 * Tells whether a case gave what the files say, expected or not, on the target or beside it.
 *
 * Returns: whether it did
 */
gboolean
assay_conformance_result_passed (const AssayConformanceResult *self)
{
  return self->status == ASSAY_CONFORMANCE_PASS || self->status == ASSAY_CONFORMANCE_PASS_ON_HOST ||
         self->status == ASSAY_CONFORMANCE_XPASS;
}

/**
 * assay_conformance_result_is_surprise:
 * @self: the result of a case
 *
 * Tells whether what ran contradicts what the target said before.
 *
 * Returns: whether the target was to take it and it failed, or to refuse it and it passed
 */
gboolean
assay_conformance_result_is_surprise (const AssayConformanceResult *self)
{
  if (self->predicted == NULL || self->status == ASSAY_CONFORMANCE_SKIP)
    return FALSE;

  return g_str_equal (self->predicted, "refuses") == assay_conformance_result_passed (self);
}

/**
 * assay_conformance_result_new:
 * @name: of the case
 *
 * Makes the result of a case that has not failed yet.
 *
 * Returns: (transfer full): the result
 */
AssayConformanceResult *
assay_conformance_result_new (const char *name)
{
  AssayConformanceResult *self = g_new0 (AssayConformanceResult, 1);

  self->name = g_strdup (name);
  self->stage = g_strdup ("import");

  return self;
}

/**
 * assay_conformance_result_copy:
 * @self: the result of a case
 *
 * Copies all that is known of a case.
 *
 * Returns: (transfer full): the copy
 */
AssayConformanceResult *
assay_conformance_result_copy (const AssayConformanceResult *self)
{
  AssayConformanceResult *copy = g_memdup2 (self, sizeof *self);

  copy->name = g_strdup (self->name);
  copy->stage = g_strdup (self->stage);
  copy->rule = g_strdup (self->rule);
  copy->message = g_strdup (self->message);
  copy->predicted = g_strdup (self->predicted);
  copy->operators = g_strdup (self->operators);
  copy->categories = g_strdup (self->categories);
  copy->dtypes = g_strdup (self->dtypes);

  return copy;
}

void
assay_conformance_result_free (AssayConformanceResult *self)
{
  if (self == NULL)
    return;

  g_free (self->name);
  g_free (self->stage);
  g_free (self->rule);
  g_free (self->message);
  g_free (self->predicted);
  g_free (self->operators);
  g_free (self->categories);
  g_free (self->dtypes);
  g_free (self);
}

/**
 * assay_conformance_result_write:
 * @self: the result of a case
 * @json: an object that is open
 *
 * Writes the members of a result, what is not known left out.
 */
void
assay_conformance_result_write (const AssayConformanceResult *self, AssayJsonWriter *json)
{
  const struct
  {
    const char *name;
    const char *value;
  } members[] = {
    { "name", self->name },           { "status", assay_conformance_status_name (self->status) },
    { "stage", self->stage },         { "rule", self->rule },
    { "message", self->message },     { "predicted", self->predicted },
    { "operators", self->operators }, { "categories", self->categories },
    { "dtypes", self->dtypes },
  };

  for (guint i = 0; i < G_N_ELEMENTS (members); i++)
    if (members[i].value != NULL)
      assay_json_writer_member (json, members[i].name, members[i].value);
  assay_json_writer_member_double (json, "seconds", self->seconds);
}

static void
enter_stage (Case *self, const char *stage)
{
  g_free (self->result->stage);
  self->result->stage = g_strdup (stage);
}

static gboolean
finish (Case *self, AssayConformanceStatus status, const char *rule, const char *message)
{
  self->result->status = status;
  g_free (self->result->rule);
  g_free (self->result->message);
  self->result->rule = g_strdup (rule);
  self->result->message = g_strdup (message);

  return FALSE;
}

static gboolean
fail (Case *self, const GError *error)
{
  return finish (self, ASSAY_CONFORMANCE_FAIL, NULL, error->message);
}

/* The files of older versions hold bf16 as 16-bit integers of its bits. */
static AssayTensor *
read_as (AssayTensor *tensor, AssayDType dtype)
{
  g_autoptr (GBytes) bytes = NULL;

  if (dtype != ASSAY_DTYPE_BF16 || assay_tensor_get_dtype (tensor) != ASSAY_DTYPE_U16)
    return assay_tensor_ref (tensor);

  bytes = assay_tensor_dup_bytes (tensor, NULL);

  return assay_tensor_new (dtype, assay_tensor_get_rank (tensor), assay_tensor_get_dims (tensor),
                           bytes, NULL);
}

static AssayDatum *
wrap (AssayDatumKind kind, GPtrArray *tensors, gboolean wide, GError **error)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_datum_unref);

  for (guint i = 0; i < tensors->len; i++)
    {
      AssayDatum *datum = assay_datum_new_tensor (g_ptr_array_index (tensors, i), wide, error);

      if (datum == NULL)
        return NULL;
      g_ptr_array_add (items, datum);
    }

  return assay_datum_new_items (kind, items);
}

/* The value of one file in the form that its type asks for. */
static AssayDatum *
to_datum (GPtrArray *tensors, const AssayType *type, gboolean wide, GError **error)
{
  g_autoptr (AssayTensor) tensor = NULL;
  g_autoptr (GPtrArray) items = NULL;

  switch (type->kind)
    {
    case ASSAY_TYPE_KIND_SEQUENCE:
      return wrap (ASSAY_DATUM_SEQUENCE, tensors, wide, error);
    case ASSAY_TYPE_KIND_MAP:
      return wrap (ASSAY_DATUM_MAP, tensors, wide, error);
    case ASSAY_TYPE_KIND_OPTIONAL:
      if (type->element->kind != ASSAY_TYPE_KIND_SEQUENCE)
        return wrap (ASSAY_DATUM_OPTIONAL, tensors, wide, error);
      items = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_datum_unref);
      g_ptr_array_add (items, wrap (ASSAY_DATUM_SEQUENCE, tensors, wide, error));
      return g_ptr_array_index (items, 0) != NULL
                 ? assay_datum_new_items (ASSAY_DATUM_OPTIONAL, items)
                 : NULL;
    default:
      if (tensors->len != 1)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "holds %u tensors, expected one",
                       tensors->len);
          return NULL;
        }
      tensor = read_as (g_ptr_array_index (tensors, 0), type->dtype);
      return assay_datum_new_tensor (tensor, wide, error);
    }
}

/* The tensors of one file; NULL without an error if there is no such file, which is how an input is
 * left out. */
static GPtrArray *
load_file (const char *set, const char *kind, guint index, const AssayType *type, GError **error)
{
  g_autofree char *path = g_strdup_printf ("%s/%s_%u.pb", set, kind, index);

  return g_file_test (path, G_FILE_TEST_EXISTS)
             ? assay_tensor_file_load (path, type->kind, NULL, error)
             : NULL;
}

static gboolean
equal_numbers (const Case *self, double got, double expected)
{
  return got == expected || (isnan (got) && isnan (expected)) ||
         fabs (got - expected) <= self->options->atol + self->options->rtol * fabs (expected);
}

static char *
describe (AssayDatum *datum)
{
  GString *text = g_string_new (NULL);

  if (datum->kind != ASSAY_DATUM_TENSOR)
    {
      static const char *const kinds[] = { "tensor", "sequence", "optional", "map" };

      g_string_append_printf (text, "a %s of %u", kinds[datum->kind], datum->items->len);
      return g_string_free (text, FALSE);
    }

  g_string_append (text, assay_dtype_name (datum->dtype));
  g_string_append_c (text, '[');
  for (guint i = 0; i < datum->rank; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? "," : "", datum->dims[i]);
  g_string_append_c (text, ']');

  return g_string_free (text, FALSE);
}

static gboolean
equal_elements (const Case *self, const AssayDatum *got, const AssayDatum *expected, gsize index)
{
  if (expected->storage == ASSAY_DTYPE_STRING)
    return g_bytes_equal (((GBytes **) got->data)[index], ((GBytes **) expected->data)[index]);
  if (!assay_dtype_is_float (expected->storage) && assay_dtype_kind (expected->storage) != 'C')
    return assay_datum_get_integer (got, index) == assay_datum_get_integer (expected, index);

  return equal_numbers (self, assay_datum_get_number (got, index),
                        assay_datum_get_number (expected, index));
}

/* What differs between a value and what it should be, or NULL. */
static char *
find_difference (const Case *self, AssayDatum *got, AssayDatum *expected)
{
  g_autofree char *a = describe (got);
  g_autofree char *b = describe (expected);

  if (!g_str_equal (a, b))
    return g_strdup_printf ("is %s, expected %s", a, b);

  if (expected->kind != ASSAY_DATUM_TENSOR)
    {
      for (guint i = 0; i < expected->items->len; i++)
        {
          g_autofree char *inner = find_difference (self, g_ptr_array_index (got->items, i),
                                                    g_ptr_array_index (expected->items, i));

          if (inner != NULL)
            return g_strdup_printf ("item %u %s", i, inner);
        }
      return NULL;
    }

  for (gsize i = 0; i < expected->n && !self->open; i++)
    {
      if (equal_elements (self, got, expected, i))
        continue;
      if (expected->storage == ASSAY_DTYPE_STRING)
        return g_strdup_printf ("element %" G_GSIZE_FORMAT " is another string", i);
      return g_strdup_printf (
          "element %" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT " is %.9g, expected %.9g", i,
          expected->n, assay_datum_get_number (got, i), assay_datum_get_number (expected, i));
    }

  return NULL;
}

static const AssayValue *
port_value (const Case *self, gboolean inputs, guint index)
{
  const AssayRegion *region = assay_graph_region (self->graph, ASSAY_MAIN_REGION);
  const GArray *ids = inputs ? region->inputs : region->outputs;

  return assay_graph_value (self->graph, g_array_index (ids, AssayValueId, index));
}

/* The evaluator takes values of every kind, so it is run without the interface of runners, which
 * have tensors. */
static gboolean
run_on_evaluator (Case *self, AssayEvaluator *evaluator, gboolean wide, const char *set)
{
  const AssayRegion *region = assay_graph_region (self->graph, ASSAY_MAIN_REGION);
  g_autoptr (GPtrArray) owned = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_datum_unref);
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
  g_autoptr (GPtrArray) outputs = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < region->inputs->len; i++)
    {
      const AssayType *type = port_value (self, TRUE, i)->type;
      g_autoptr (GPtrArray) tensors = load_file (set, "input", i, type, &error);
      AssayDatum *datum = tensors != NULL ? to_datum (tensors, type, wide, &error) : NULL;

      if (error != NULL)
        return fail (self, error);
      g_ptr_array_add (inputs, datum);
      if (datum != NULL)
        g_ptr_array_add (owned, datum);
    }

  enter_stage (self, "run");
  outputs = assay_evaluator_run (evaluator, inputs->len, (AssayDatum *const *) inputs->pdata,
                                 self->progress, &error);
  if (outputs == NULL)
    return g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED)
               ? finish (self, ASSAY_CONFORMANCE_SKIP, "left-out", error->message)
               : fail (self, error);

  enter_stage (self, "compare");
  for (guint i = 0; i < outputs->len; i++)
    {
      const AssayType *type = port_value (self, FALSE, i)->type;
      g_autoptr (GPtrArray) tensors = load_file (set, "output", i, type, &error);
      g_autoptr (AssayDatum) expected = tensors != NULL ? to_datum (tensors, type, wide, &error)
                                                        : NULL;
      g_autofree char *difference = NULL;
      g_autofree char *message = NULL;

      if (error != NULL)
        return fail (self, error);
      if (expected == NULL)
        difference = g_strdup ("has no file");
      else
        difference = find_difference (self, g_ptr_array_index (outputs, i), expected);
      message = g_strdup_printf ("output %u %s", i, difference);
      if (difference != NULL)
        return finish (self, ASSAY_CONFORMANCE_FAIL, NULL, message);
    }

  return TRUE;
}

static gboolean
has_tensors_only (const Case *self)
{
  const AssayRegion *region = assay_graph_region (self->graph, ASSAY_MAIN_REGION);

  for (guint i = 0; i < region->inputs->len + region->outputs->len; i++)
    {
      gboolean inputs = i < region->inputs->len;
      const AssayType *type = port_value (self, inputs, inputs ? i : i - region->inputs->len)->type;

      if ((type->kind != ASSAY_TYPE_KIND_TENSOR && type->kind != ASSAY_TYPE_KIND_UNKNOWN) ||
          type->dtype == ASSAY_DTYPE_STRING)
        return FALSE;
    }

  return TRUE;
}

/* Inputs after the first become constants, as the weights they stand for are. */
static gboolean
set_parameters (Case *self, const char *set)
{
  const AssayRegion *region = assay_graph_region (self->graph, ASSAY_MAIN_REGION);
  g_autoptr (GError) error = NULL;

  for (guint i = 1; i < region->inputs->len; i++)
    {
      AssayValueId id = g_array_index (region->inputs, AssayValueId, i);
      g_autoptr (GPtrArray)
          tensors = load_file (set, "input", i, port_value (self, TRUE, i)->type, &error);

      if (error != NULL)
        return fail (self, error);
      if (tensors == NULL)
        continue;
      assay_graph_set_constant (self->graph, id, g_ptr_array_index (tensors, 0));
      assay_graph_edit_value (self->graph, id)->is_parameter = TRUE;
    }

  return TRUE;
}

/* What the target says of the whole model. */
static void
predict (Case *self, const AssayVerdicts *verdicts)
{
  const char *predicted = "takes";

  for (guint i = 0; i < verdicts->causes->len; i++)
    {
      const AssayCause *cause = &g_array_index (verdicts->causes, AssayCause, i);

      if (cause->kind == ASSAY_VERDICT_REJECTED || cause->kind == ASSAY_VERDICT_UNDECIDED)
        predicted = "refuses";
      else if (cause->kind == ASSAY_VERDICT_HOST && !g_str_equal (predicted, "refuses"))
        predicted = "host";
    }
  self->result->predicted = g_strdup (predicted);
}

/* What a target says that the runner does not compile for: it is compared with what runs. */
static gboolean
predict_without_program (Case *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayTarget) target = assay_target_load (self->options->target, &error);
  g_autoptr (AssayWork) work = NULL;
  AssayVerdicts *verdicts = NULL;

  if (target != NULL)
    work = assay_work_new_for_graph (self->model, self->graph, target, self->options->settings);
  if (work != NULL)
    verdicts = assay_work_get_verdicts (work, self->progress, &error);
  if (verdicts == NULL)
    return fail (self, error);
  predict (self, verdicts);

  return TRUE;
}

/* Asks the target, and compiles what it takes. */
static gboolean
make_program (Case *self, AssayWork *work)
{
  g_autoptr (GError) error = NULL;
  AssayVerdicts *verdicts;

  enter_stage (self, "verdict");
  verdicts = assay_work_get_verdicts (work, self->progress, &error);
  if (verdicts == NULL)
    return fail (self, error);
  predict (self, verdicts);
  for (guint i = 0; i < verdicts->causes->len; i++)
    {
      const AssayCause *cause = &g_array_index (verdicts->causes, AssayCause, i);

      if (cause->kind == ASSAY_VERDICT_REJECTED || cause->kind == ASSAY_VERDICT_UNDECIDED)
        return finish (self, ASSAY_CONFORMANCE_SKIP, cause->rule, cause->reason);
    }

  enter_stage (self, "compile");
  if (assay_work_get_program (work, self->progress, &error) != NULL)
    return TRUE;
  if (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_ALLOCATION))
    {
      enter_stage (self, "capacity");
      return finish (self, ASSAY_CONFORMANCE_SKIP, "capacity", error->message);
    }

  return g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED)
             ? finish (self, ASSAY_CONFORMANCE_SKIP, "compile", error->message)
             : fail (self, error);
}

/* The model as it is run, with the program if that is what is run. */
static AssayWork *
new_work (Case *self, GError **error)
{
  g_autoptr (AssaySettings) settings = self->options->settings != NULL
                                           ? assay_settings_ref (self->options->settings)
                                           : assay_settings_new ();
  g_autoptr (AssayTarget) target = NULL;

  if (self->kind->needs_program)
    {
      target = assay_target_load (self->options->target, error);
      if (target == NULL || !assay_backend_require (target, ASSAY_CAPABILITY_MAKES_PROGRAMS, error))
        return NULL;
    }
  /* They are constants of the graph by now. */
  assay_settings_set_flag (&settings, ASSAY_SETTING_INPUTS_ARE_PARAMETERS, FALSE);

  return assay_work_new_for_graph (self->model, self->graph, target, settings);
}

/* A machine in bf16 is held to the limits of the ops, everything else to the tolerance of the data.
 */
static gboolean
compare_output (Case *self, guint index, AssayTensor *got, AssayTensor *expected)
{
  gsize n = assay_tensor_get_n_elements (expected);
  g_autoptr (GError) error = NULL;
  g_autofree char *message = NULL;
  g_autofree char *off = NULL;
  AssayCompareStats stats;

  if (!assay_compare_tensors (expected, got, self->precision, self->progress, &stats, &error))
    return fail (self, error);
  if (self->precision == ASSAY_COMPARE_BF16)
    {
      if (stats.error <= self->limit || self->open)
        return TRUE;
      off = g_strdup_printf ("%.3g", stats.error);
      message = g_strdup_printf ("output %u is off by %s unit%s of bf16, limit %.3g", index, off,
                                 assay_plural_of (off), self->limit);
      return finish (self, ASSAY_CONFORMANCE_FAIL, NULL, message);
    }

  for (gsize i = 0; i < n && !self->open; i++)
    {
      double a, b;

      if (assay_tensor_get_strings (expected) != NULL)
        break;
      if (!assay_tensor_read_doubles (got, i, 1, &a, &error) ||
          !assay_tensor_read_doubles (expected, i, 1, &b, &error))
        return fail (self, error);
      if (equal_numbers (self, a, b))
        continue;
      message = g_strdup_printf ("output %u element %" G_GSIZE_FORMAT " is %.9g, expected %.9g",
                                 index, i, a, b);
      return finish (self, ASSAY_CONFORMANCE_FAIL, NULL, message);
    }

  return assay_tensor_get_strings (expected) == NULL || stats.n_different == 0 ||
         finish (self, ASSAY_CONFORMANCE_FAIL, NULL, "strings differ");
}

static gboolean
run_on_runner (Case *self, AssayRunSubject *subject, const char *set)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayRunner) runner = NULL;
  g_autoptr (GPtrArray)
      tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
  g_autoptr (GPtrArray) inputs = NULL;
  g_autoptr (GPtrArray) outputs = NULL;
  g_autoptr (GArray) ports = assay_run_subject_get_inputs (subject);
  const AssayRegion *region = assay_graph_region (self->graph, ASSAY_MAIN_REGION);

  enter_stage (self, "run");
  for (guint i = 0; i < region->inputs->len; i++)
    {
      const AssayValue *value = port_value (self, TRUE, i);
      g_autoptr (GPtrArray)
          file = value->is_parameter ? NULL : load_file (set, "input", i, value->type, &error);

      if (error != NULL)
        return fail (self, error);
      if (value->is_parameter)
        continue;
      if (file == NULL)
        return finish (self, ASSAY_CONFORMANCE_SKIP, "inputs",
                       "an input is left out, which runners of tensors cannot do");
      g_ptr_array_add (tensors, read_as (g_ptr_array_index (file, 0), value->type->dtype));
    }

  /* A program of the user has compiled when it is ready. */
  if (self->kind->names_program)
    enter_stage (self, "compile");
  runner = assay_runner_open (self->options->runner, subject, NULL, self->progress, &error);
  if (runner != NULL)
    {
      enter_stage (self, "run");
      self->precision = assay_runner_get_precision (runner);
      inputs = assay_run_inputs_pick ((const AssayRunPort *) (gpointer) ports->data, ports->len,
                                      tensors, runner, &error);
    }
  if (inputs != NULL)
    outputs = assay_runner_run (runner, inputs, NULL, self->progress, &error);
  if (outputs == NULL)
    return fail (self, error);

  enter_stage (self, "compare");
  for (guint i = 0; i < outputs->len; i++)
    {
      const AssayType *type = port_value (self, FALSE, i)->type;
      g_autoptr (GPtrArray) file = load_file (set, "output", i, type, &error);
      g_autoptr (AssayTensor) expected = NULL;

      if (error != NULL)
        return fail (self, error);
      if (file == NULL)
        return finish (self, ASSAY_CONFORMANCE_FAIL, NULL, "an output has no file");
      expected = read_as (g_ptr_array_index (file, 0), type->dtype);
      if (!compare_output (self, i, g_ptr_array_index (outputs, i), expected))
        return FALSE;
    }

  return TRUE;
}

/* What a set says that comes out, the parts of what is no tensor in its place. */
static gboolean
load_expected (Case *self, GArray *wholes, const char *set, GPtrArray *names, GPtrArray *tensors)
{
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < wholes->len; i++)
    {
      const AssayRunPort *whole = &g_array_index (wholes, AssayRunPort, i);
      const AssayType *type = port_value (self, FALSE, i)->type;
      g_autoptr (GPtrArray) file = load_file (set, "output", i, type, &error);
      g_autoptr (AssayDatum) datum = file != NULL ? to_datum (file, type, FALSE, &error) : NULL;
      g_autoptr (AssayRunParts) parts = assay_run_parts_new ();
      g_autoptr (GArray) ports = assay_run_ports_new ();

      if (error == NULL && datum == NULL)
        return finish (self, ASSAY_CONFORMANCE_FAIL, NULL, "an output has no file");
      if (error != NULL || !assay_run_parts_add_datum (parts, "", datum, FALSE, &error))
        return fail (self, error);

      assay_run_parts_spread (parts, whole, ports, tensors);
      for (guint j = 0; j < ports->len; j++)
        g_ptr_array_add (names, g_strdup (whole->other != NULL
                                              ? g_array_index (ports, AssayRunPort, j).name
                                              : whole->name));
    }

  return TRUE;
}

static gboolean
compare_parts (Case *self, AssayRunner *runner, GPtrArray *outputs, GPtrArray *names,
               GPtrArray *tensors)
{
  guint n;
  const AssayRunPort *got = assay_runner_get_outputs (runner, &n);

  enter_stage (self, "compare");
  for (guint i = 0; i < MAX (n, names->len); i++)
    {
      const char *is = i < n ? got[i].name : "nothing";
      const char *expected = i < names->len ? g_ptr_array_index (names, i) : "nothing";
      g_autofree char *message = g_strdup_printf ("%s came out, expected %s", is, expected);

      if (!g_str_equal (is, expected))
        return finish (self, ASSAY_CONFORMANCE_FAIL, NULL, message);
      if (!compare_output (self, i, g_ptr_array_index (outputs, i), g_ptr_array_index (tensors, i)))
        return FALSE;
    }

  return TRUE;
}

/* A model that takes or gives what is no tensor: each set has as many parts as it has, so a model
 * of their tensors is made for it. */
static gboolean
run_on_parts (Case *self, const char *set)
{
  g_autoptr (AssayRunInputs) values = assay_run_inputs_new ();
  g_autoptr (GPtrArray)
      expected = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (AssayGraph) opened = NULL;
  g_autoptr (AssayWork) work = NULL;
  g_autoptr (AssayRunner) runner = NULL;
  g_autoptr (GArray) ports = NULL, wholes = NULL;
  g_autoptr (GPtrArray) inputs = NULL, picked = NULL, outputs = NULL;
  g_autoptr (GError) error = NULL;
  AssayRunSubject *subject = NULL;

  enter_stage (self, "run");
  if (assay_run_inputs_add (values, set, &error))
    opened = assay_run_inputs_open (values, self->graph, &error);
  if (opened != NULL)
    work = assay_work_new_for_graph (opened == self->graph ? self->model : NULL, opened, NULL,
                                     self->options->settings);
  if (work != NULL)
    subject = assay_work_get_subject (work, FALSE, self->progress, &error);
  if (subject != NULL)
    {
      ports = assay_run_subject_get_inputs (subject);
      wholes = assay_run_subject_get_outputs (subject);
      inputs = assay_run_inputs_make (values, (const AssayRunPort *) (gpointer) ports->data,
                                      ports->len, 0, &error);
    }
  if (inputs != NULL)
    runner = assay_runner_open (self->options->runner, subject, NULL, self->progress, &error);
  if (runner != NULL)
    picked = assay_run_inputs_pick ((const AssayRunPort *) (gpointer) ports->data, ports->len,
                                    inputs, runner, &error);
  if (picked != NULL)
    outputs = assay_runner_run (runner, picked, NULL, self->progress, &error);
  if (outputs == NULL)
    return g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED)
               ? finish (self, ASSAY_CONFORMANCE_SKIP, "types", error->message)
               : fail (self, error);

  return load_expected (self, wholes, set, names, expected) &&
         compare_parts (self, runner, outputs, names, expected);
}

/* Random numbers, and dropout that trains: the type and shape are checked, not the numbers. */
static void
read_nodes (Case *self)
{
  g_autoptr (AssayTolerance) tolerance = assay_tolerance_new_default ();

  self->precision = self->kind->precision;
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (self->graph); id++)
    {
      const AssayNode *node = assay_graph_node (self->graph, id);
      double limit = assay_tolerance_get_limit (tolerance, node->op, ASSAY_COMPARE_BF16);

      self->limit += limit;
      self->open = self->open ||
                   (assay_op_get_info (node->op)->traits & ASSAY_OP_TRAIT_RANDOM) != 0 ||
                   (node->op == ASSAY_OP_Dropout && node->n_inputs > 2 &&
                    node->inputs[2] != ASSAY_NO_VALUE);
    }
}

static gboolean
run_sets (Case *self, AssayRunSubject *subject, AssayEvaluator *evaluator)
{
  gboolean wide = g_str_equal (self->kind->name, "reference-fp64");
  gboolean done;

  for (guint i = 0;; i++)
    {
      g_autofree char *set = g_strdup_printf ("%s/test_data_set_%u", self->folder, i);

      if (!g_file_test (set, G_FILE_TEST_IS_DIR))
        return i > 0 ||
               finish (self, ASSAY_CONFORMANCE_SKIP, "data", "there is no test_data_set_0");
      done = evaluator != NULL ? run_on_evaluator (self, evaluator, wide, set)
             : subject != NULL ? run_on_runner (self, subject, set)
                               : run_on_parts (self, set);
      if (!done)
        return FALSE;
    }
}

static void
run_opened (Case *self)
{
  const AssayEvaluateOptions evaluate = { .wide = g_str_equal (self->kind->name, "reference-fp64"),
                                          .n_threads = 1 };
  g_autofree char *set = g_build_filename (self->folder, "test_data_set_0", NULL);
  g_autoptr (AssayEvaluator) evaluator = NULL;
  g_autoptr (AssayWork) work = NULL;
  AssayRunSubject *subject;
  g_autoptr (GError) error = NULL;

  read_nodes (self);
  if (self->options->target != NULL && !self->kind->needs_program &&
      !predict_without_program (self))
    return;
  if (g_str_has_prefix (self->kind->name, "reference"))
    {
      enter_stage (self, "run");
      evaluator = assay_evaluator_new (self->graph, &evaluate, &error);
      if (evaluator == NULL && g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED))
        finish (self, ASSAY_CONFORMANCE_SKIP, "left-out", error->message);
      else if (evaluator == NULL)
        fail (self, error);
      else
        run_sets (self, NULL, evaluator);
      return;
    }

  if (!has_tensors_only (self))
    {
      if (self->kind->needs_graph)
        run_sets (self, NULL, NULL);
      else
        finish (self, ASSAY_CONFORMANCE_SKIP, "types",
                "sequences, optionals and strings are for runners of models");
      return;
    }
  if (assay_settings_get_flag (self->options->settings, ASSAY_SETTING_INPUTS_ARE_PARAMETERS) &&
      !set_parameters (self, set))
    return;

  work = new_work (self, &error);
  if (work == NULL)
    {
      fail (self, error);
      return;
    }
  if (self->kind->needs_program && !make_program (self, work))
    return;
  subject = assay_work_get_subject (work, self->kind->needs_program, self->progress, &error);
  if (subject == NULL)
    fail (self, error);
  else
    run_sets (self, subject, NULL);
}

/* Of its own: inputs of the case become constants of it. */
static AssayGraph *
copy_graph (AssayWork *work, const AssayProgress *progress, GError **error)
{
  AssayGraph *graph = assay_work_get_graph (work, progress, error);

  return graph != NULL ? assay_graph_copy (graph) : NULL;
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* What the file calls its operators, each once; of a large model as many as go into a line. */
static void
name_operators (Case *self)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (guint i = 0; i < self->graph->origins->len && names->len < MAX_OPERATORS; i++)
    {
      const char *name = g_array_index (self->graph->origins, AssayOrigin, i).op_type;

      if (name[0] != '\0' && strpbrk (name, " \t\n") == NULL &&
          g_hash_table_add (seen, (gpointer) name))
        g_ptr_array_add (names, (gpointer) name);
    }
  g_ptr_array_sort (names, compare_names);
  g_ptr_array_add (names, NULL);
  self->result->operators = g_strjoinv (" ", (char **) names->pdata);
}

/* Words once each, in their order. */
static char *
join_words (GHashTable *words)
{
  g_autofree gpointer *keys = g_hash_table_get_keys_as_array (words, NULL);
  guint n = g_hash_table_size (words);

  if (n == 0)
    return NULL;
  qsort (keys, n, sizeof *keys, compare_names);

  return g_strjoinv (", ", (char **) keys);
}

/* What sort of operations the model has, and what goes in and comes out. */
static void
name_kinds (Case *self)
{
  g_autoptr (GHashTable) categories = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) dtypes = g_hash_table_new (g_str_hash, g_str_equal);
  const AssayRegion *region = assay_graph_region (self->graph, ASSAY_MAIN_REGION);
  const GArray *const lists[] = { region->inputs, region->outputs };

  for (AssayNodeId i = 1; i < assay_graph_n_nodes (self->graph); i++)
    g_hash_table_add (categories,
                      (gpointer) assay_op_category_name (
                          assay_op_get_info (assay_graph_node (self->graph, i)->op)->category));
  for (guint k = 0; k < G_N_ELEMENTS (lists); k++)
    for (guint i = 0; i < lists[k]->len; i++)
      {
        const AssayType *type =
            assay_graph_value (self->graph, g_array_index (lists[k], AssayValueId, i))->type;

        if (type->kind == ASSAY_TYPE_KIND_TENSOR && type->dtype != ASSAY_DTYPE_UNDEFINED)
          g_hash_table_add (dtypes, (gpointer) assay_dtype_name (type->dtype));
      }
  self->result->categories = join_words (categories);
  self->result->dtypes = join_words (dtypes);
}

/**
 * assay_conformance_run_case:
 * @folder: the folder of a case
 * @options: how it is run
 * @progress: (nullable): progress and cancel
 *
 * Runs one case in this process. Everything that goes wrong is in the result.
 *
 * Returns: (transfer full): the result, named after the folder
 */
AssayConformanceResult *
assay_conformance_run_case (const char *folder, const AssayConformanceOptions *options,
                            const AssayProgress *progress)
{
  g_autofree char *name = g_path_get_basename (folder);
  g_autofree char *found = assay_importer_find_file (folder, "model");
  g_autofree char *model = found != NULL ? g_steal_pointer (&found)
                                         : g_build_filename (folder, "model.onnx", NULL);
  g_autoptr (AssayWork) work = assay_work_new (model, NULL, NULL);
  g_autoptr (AssayGraph) graph = NULL;
  g_autoptr (GError) error = NULL;
  Case self = { .folder = folder,
                .model = model,
                .options = options,
                .progress = progress,
                .result = assay_conformance_result_new (name) };
  gint64 begin = g_get_monotonic_time ();

  self.kind = assay_runner_kind_find (options->runner, &error);
  if (self.kind != NULL)
    graph = copy_graph (work, progress, &error);
  self.graph = graph;
  if (graph == NULL)
    fail (&self, error);
  else
    {
      name_operators (&self);
      name_kinds (&self);
      run_opened (&self);
    }
  if (self.result->status == ASSAY_CONFORMANCE_PASS &&
      g_strcmp0 (self.result->predicted, "host") == 0)
    self.result->status = ASSAY_CONFORMANCE_PASS_ON_HOST;
  self.result->seconds = (double) (g_get_monotonic_time () - begin) / G_TIME_SPAN_SECOND;

  return self.result;
}
