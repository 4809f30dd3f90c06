/* test-gpu-aten.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The rows of the tables of the Vulkan delegate as a model of ONNX comes to them: nodes that call a
 * function of PyTorch. Each is what the same call of a program in the torch dialect is, and what a
 * target says of it is what is done.
 */
#include "delegate-calls.h"
#include "gpu-families.h"
#include "onnx-writer.h"
#include "overload-calls.h"
#include "test-program.h"
#include "torch-calls.h"

#include "base/assay-error.h"
#include "nnir/assay-graph-builder.h"

#include "run/assay-comparison.h"
#include "run/assay-run-inputs.h"
#include "source/assay-source.h"
#include "source/torch/assay-torch-op.h"

/* How a model names a function and gives it what is no tensor. */
typedef enum
{
  FORM_FALLBACK,   /* ATen with attributes for the name, operands one after the other */
  FORM_NAMED,      /* the name as operator of the domain, operands one after the other */
  FORM_ATTRIBUTES, /* ATen, what is no tensor in attributes */
  N_FORMS
} Form;

typedef struct
{
  GByteArray *graph;
  GByteArray *node;
  GString *inputs;
  const char *element;
  guint n;
} Writer;

static int
data_type_of (const char *element)
{
  static const struct
  {
    const char *name;
    AssayDType dtype;
  } types[] = { { "f32", ASSAY_DTYPE_F32 },  { "f16", ASSAY_DTYPE_F16 },
                { "si32", ASSAY_DTYPE_I32 }, { "si64", ASSAY_DTYPE_I64 },
                { "si8", ASSAY_DTYPE_I8 },   { "ui8", ASSAY_DTYPE_U8 },
                { "i1", ASSAY_DTYPE_BOOL } };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    if (g_str_equal (types[i].name, element))
      return types[i].dtype;

  g_assert_not_reached ();
}

static void
append_name (Writer *self, const char *name)
{
  g_string_append_printf (self->inputs, "%s%s", self->inputs->len > 0 ? " " : "", name);
}

/* The numbers that test-gpu-torch.c gives to constants, or others that are all different. */
static void
write_constant (Writer *self, const char *name, int dtype, guint rank, const gint64 *dims,
                gboolean differs)
{
  GByteArray *tensor = onnx_tensor (name, dtype, rank, dims);
  gsize n = 1;

  for (guint i = 0; i < rank; i++)
    n *= (gsize) dims[i];
  for (gsize i = 0; i < n; i++)
    {
      float number = differs     ? (float) (i + 1) * 0.125F
                     : rank == 1 ? (float) (i % 3) + 0.5F
                                 : 0.25F;

      if (dtype == ASSAY_DTYPE_I64)
        wire_int (tensor, TENSOR_INT64_DATA, (gint64) (i % 3));
      else if (dtype == ASSAY_DTYPE_I8)
        wire_int (tensor, TENSOR_INT32_DATA, (gint64) (i % 7));
      else if (dtype == ASSAY_DTYPE_U8)
        wire_int (tensor, TENSOR_INT32_DATA, (gint64) (37 * i + 11) % 256);
      else if (dtype == ASSAY_DTYPE_F16)
        wire_int (tensor, TENSOR_INT32_DATA, assay_f16_from_f32 (number));
      else
        wire_float (tensor, TENSOR_FLOAT_DATA, number);
    }
  wire_message (self->graph, GRAPH_INITIALIZER, tensor);
}

static void
write_tensor (Writer *self, const char *operand)
{
  gboolean is_constant = *operand == '=' || *operand == '~';
  g_auto (GStrv) words = g_strsplit (operand + is_constant, " ", 2);
  g_auto (GStrv) extents = g_strsplit (words[1], ",", -1);
  int dtype = data_type_of (g_str_equal (words[0], "$t") ? self->element : words[0]);
  g_autofree char *name = g_strdup_printf ("%c%u", is_constant ? 'c' : 'x', self->n++);
  gint64 dims[8];
  guint rank = g_strv_length (extents);

  for (guint i = 0; i < rank; i++)
    dims[i] = atoi (extents[i]);
  if (is_constant)
    write_constant (self, name, dtype, rank, dims, *operand == '~');
  else
    wire_message (self->graph, GRAPH_INPUT, onnx_info (name, dtype, words[1]));
  append_name (self, name);
}

/* A number or several, as an operand or as an attribute. */
static void
write_numbers (Writer *self, const char *attribute, char **words, gboolean is_list)
{
  gint64 n = g_strv_length (words);
  gboolean is_truth = !is_list &&
                      (g_str_equal (words[0], "true") || g_str_equal (words[0], "false"));
  gboolean is_float = n > 0 && strchr (words[0], '.') != NULL;
  GByteArray *to = wire_new ();
  g_autofree char *name = g_strdup_printf ("k%u", self->n++);

  if (attribute != NULL)
    {
      wire_string (to, ATTRIBUTE_NAME, attribute);
      for (gint64 i = 0; i < n; i++)
        if (is_float)
          wire_float (to, is_list ? 7 : ATTRIBUTE_F, (float) g_ascii_strtod (words[i], NULL));
        else
          wire_int (to, is_list ? ATTRIBUTE_INTS : ATTRIBUTE_I,
                    is_truth ? words[i][0] == 't' : atoi (words[i]));
      wire_int (to, ATTRIBUTE_TYPE, (is_float ? 1 : 2) + (is_list ? 5 : 0));
      wire_message (self->node, NODE_ATTRIBUTE, to);
      return;
    }
  g_byte_array_unref (to);
  to = onnx_tensor (name,
                    is_float   ? ASSAY_DTYPE_F32
                    : is_truth ? ASSAY_DTYPE_BOOL
                               : ASSAY_DTYPE_I64,
                    is_list, &n);
  for (gint64 i = 0; i < n; i++)
    if (is_float)
      wire_float (to, TENSOR_FLOAT_DATA, (float) g_ascii_strtod (words[i], NULL));
    else if (is_truth)
      wire_int (to, TENSOR_INT32_DATA, words[i][0] == 't');
    else
      wire_int (to, TENSOR_INT64_DATA, atoi (words[i]));
  wire_message (self->graph, GRAPH_INITIALIZER, to);
  append_name (self, name);
}

static void
write_attribute (Writer *self, const char *name, const char *text)
{
  GByteArray *attribute = wire_new ();

  wire_string (attribute, ATTRIBUTE_NAME, name);
  wire_string (attribute, ATTRIBUTE_S, text);
  wire_int (attribute, ATTRIBUTE_TYPE, 3);
  wire_message (self->node, NODE_ATTRIBUTE, attribute);
}

/* A text as an operand is a tensor of one. */
static void
write_text (Writer *self, const char *attribute, const char *operand)
{
  g_autofree char *text = g_strndup (operand + 1, strlen (operand) - 2);
  g_autofree char *name = g_strdup_printf ("s%u", self->n++);
  GByteArray *tensor;

  if (attribute != NULL)
    {
      write_attribute (self, attribute, text);
      return;
    }
  tensor = onnx_tensor (name, ASSAY_DTYPE_STRING, 0, NULL);
  wire_string (tensor, TENSOR_STRING_DATA, text);
  wire_message (self->graph, GRAPH_INITIALIZER, tensor);
  append_name (self, name);
}

static void
write_operand (Writer *self, const char *operand, const char *attribute)
{
  gsize length = strlen (operand);
  g_autofree char *inner = length > 1 ? g_strndup (operand + 1, length - 2) : g_strdup ("");
  g_auto (GStrv) words = NULL;

  if (g_str_equal (operand, "none"))
    {
      if (attribute == NULL)
        append_name (self, "-");
    }
  else if (*operand == '"')
    write_text (self, attribute, operand);
  else if (*operand == '{' && strchr (operand, ' ') != NULL)
    {
      words = g_strsplit (inner, ";", -1);
      for (guint i = 0; words[i] != NULL; i++)
        write_tensor (self, words[i]);
    }
  else if (*operand == '[' || *operand == '{')
    {
      words = g_strsplit_set (inner, ",;", -1);
      write_numbers (self, attribute, words, TRUE);
    }
  else if (strchr (operand, ' ') != NULL)
    write_tensor (self, operand);
  else
    {
      words = g_strsplit (operand, "|", -1);
      write_numbers (self, attribute, words, FALSE);
    }
}

/* The name of an operand that is no tensor, where a model may give it as an attribute. */
static char *
attribute_of (const char *function, guint operand)
{
  g_autofree char *name = g_strconcat ("torch.aten.", function, NULL);
  const AssayTorchOpInfo *info = assay_torch_op_info_find (name);
  g_auto (GStrv) words = g_strsplit (info != NULL ? info->signature : "", " ", -1);
  char *colon;

  if (operand >= g_strv_length (words) || (colon = strchr (words[operand], ':')) == NULL ||
      strchr (colon, 'T') != NULL)
    return NULL;

  return g_strndup (words[operand], (gsize) (colon - words[operand]));
}

static GBytes *
write_model (const TorchCall *call, const char *space, const char *element, Form form)
{
  Writer self = { wire_new (), NULL, g_string_new (NULL), element, 0 };
  g_auto (GStrv) operands = g_strsplit (call->operands, "|", -1);
  g_auto (GStrv) names = g_strsplit (call->function, ".", 2);
  g_autofree char *domain = g_str_equal (space, "aten") ? g_strdup ("org.pytorch.aten")
                                                        : g_strdup (space);
  GByteArray *model;
  GByteArray *opset = wire_new ();

  self.node = wire_new ();
  for (guint i = 0; operands[i] != NULL; i++)
    {
      g_autofree char *attribute = form == FORM_ATTRIBUTES ? attribute_of (call->function, i)
                                                           : NULL;

      write_operand (&self, operands[i], attribute);
    }
  if (form != FORM_NAMED)
    {
      write_attribute (&self, "operator", names[0]);
      write_attribute (&self, "overload_name", names[1] != NULL ? names[1] : "");
    }
  {
    GByteArray *node = onnx_node (form == FORM_NAMED ? call->function : "ATen", "call",
                                  self.inputs->str, call->n_results == 2 ? "y z" : "y");

    g_byte_array_append (node, self.node->data, self.node->len);
    wire_string (node, NODE_DOMAIN, domain);
    wire_message (self.graph, GRAPH_NODE, node);
  }
  for (guint i = 0; i < MAX (call->n_results, 1); i++)
    {
      GByteArray *info = wire_new ();

      wire_string (info, 1, i == 0 ? "y" : "z");
      wire_message (self.graph, GRAPH_OUTPUT, info);
    }
  model = onnx_model (self.graph);
  wire_string (opset, 1, domain);
  wire_int (opset, 2, 1);
  wire_message (model, 8, opset);
  g_byte_array_unref (self.node);
  g_string_free (self.inputs, TRUE);

  return g_byte_array_free_to_bytes (model);
}

static AssayGraph *
read_model (const TorchCall *call, const char *space, const char *element, Form form)
{
  g_autoptr (GBytes) bytes = write_model (call, space, element, form);
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) error = NULL;
  AssayGraph *graph = assay_model_read_bytes (bytes, "call.onnx", NULL, findings, NULL, &error);

  g_assert_no_error (error);
  for (guint i = 0; i < assay_findings_get_count (findings); i++)
    g_test_message ("%s: %s", call->function, assay_findings_get (findings, i)->message);

  return graph;
}

static AssayWork *
make_work (AssayGraph *graph, const char *target_id)
{
  g_autoptr (GError) error = NULL;
  AssayWork *work = assay_work_new_for_graph (NULL, graph, gpu_fixture_target (target_id), NULL);

  if (assay_work_get_program (work, NULL, &error) == NULL)
    {
      g_test_message ("no program: %s", error->message);
      g_clear_pointer (&work, assay_work_free);
    }

  return work;
}

/* Numbers that a word of the device does not hold; those of the delegate are f32 then. */
static gboolean
is_wide (const AssayGraph *graph, const AssayNode *node)
{
  return assay_graph_value (graph, node->outputs[0])->type->dtype == ASSAY_DTYPE_F64;
}

/* The target says of every node what it says of the function, by its name; what is taken is
 * dispatched. */
static guint
check_verdicts (const char *row, const char *rule, const char *what, AssayWork *work)
{
  g_autoptr (GError) error = NULL;
  AssayVerdicts *verdicts = assay_work_get_verdicts (work, NULL, &error);
  const AssayDelegatePlan *plan;
  guint n_faults = 0;

  g_assert_no_error (error);
  plan = assay_delegate_program_get_plan (
      ASSAY_DELEGATE_PROGRAM (assay_work_get_program (work, NULL, NULL)), FALSE);
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (verdicts->graph); id++)
    {
      const AssayVerdict *verdict = assay_verdicts_get (verdicts, id);
      const AssayNode *node = assay_graph_node (verdicts->graph, id);
      gboolean takes = verdict->kind >= ASSAY_VERDICT_FUSED;

      if (verdict->kind == ASSAY_VERDICT_REMOVED)
        continue;
      if (node->op == ASSAY_OP_OPAQUE || (rule == NULL && !takes) ||
          (rule != NULL && g_strcmp0 (verdict->rule, rule) != 0) ||
          (takes && g_strcmp0 (verdict->mapping, row) != 0) ||
          (takes && !is_wide (verdicts->graph, node)) !=
              (plan->places[id] == ASSAY_DELEGATE_DEVICE))
        {
          g_test_message ("%s: %s %s is %s by %s as %s (%s), and runs on the %s (%s)", what,
                          node->op_type, node->name, assay_verdict_name (verdict->kind),
                          verdict->rule, verdict->mapping, verdict->reason,
                          plan->places[id] == ASSAY_DELEGATE_DEVICE ? "device" : "host",
                          plan->reasons[id]);
          n_faults++;
        }
    }

  return n_faults;
}

static AssayGraph *
read_text (const char *what, const char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (AssaySettings) settings = NULL;
  AssayImportOptions options = { 0 };
  AssayGraph *graph;

  if (strstr (text, ",n]") != NULL)
    assay_settings_set_entry (&settings, ASSAY_SETTING_BIND, "n", "3");
  options.settings = settings;
  graph = assay_model_read_bytes (bytes, "call.nnir", &options, findings, NULL, &error);
  if (graph == NULL)
    g_error ("%s: %s in\n%s", what, error->message, text);

  return graph;
}

static gboolean
is_same_verdict (const AssayVerdict *a, const AssayVerdict *b)
{
  return a->kind == b->kind && a->stage == b->stage && a->partition == b->partition &&
         a->into == b->into && g_strcmp0 (a->rule, b->rule) == 0 &&
         g_strcmp0 (a->mapping, b->mapping) == 0 && g_strcmp0 (a->reason, b->reason) == 0;
}

/* Constants may stand in another order; what is done does not. */
static gboolean
is_same_program (AssayWork *a, AssayWork *b)
{
  const AssayDelegatePlan *plans[2];
  AssayWork *works[] = { a, b };
  gboolean same = TRUE;

  for (guint i = 0; i < G_N_ELEMENTS (works); i++)
    plans[i] = assay_delegate_program_get_plan (
        ASSAY_DELEGATE_PROGRAM (assay_work_get_program (works[i], NULL, NULL)), FALSE);
  {
    GArray *const arrays[][2] = {
      { plans[0]->rows, plans[1]->rows },
      { plans[0]->gpu->dispatches, plans[1]->gpu->dispatches },
      { plans[0]->gpu->words, plans[1]->gpu->words },
      { plans[0]->gpu->tensors, plans[1]->gpu->tensors },
      { plans[0]->gpu->submissions, plans[1]->gpu->submissions },
    };

    for (guint i = 0; i < G_N_ELEMENTS (arrays); i++)
      same &= arrays[i][0]->len == arrays[i][1]->len &&
              (arrays[i][0]->len == 0 ||
               memcmp (arrays[i][0]->data, arrays[i][1]->data,
                       arrays[i][0]->len * g_array_get_element_size (arrays[i][0])) == 0);
  }

  return same;
}

/* What a model says as text is what it was: the same text again, verdicts, and program. */
static guint
check_text (const char *what, AssayGraph *graph, const char *target_id)
{
  g_autofree char *text = assay_graph_to_text (graph, ASSAY_TEXT_ALL_DATA, NULL);
  g_autoptr (AssayGraph) read = read_text (what, text);
  g_autofree char *again = assay_graph_to_text (read, ASSAY_TEXT_ALL_DATA, NULL);
  g_autoptr (AssayWork) work = make_work (graph, target_id);
  g_autoptr (AssayWork) other = make_work (read, target_id);
  AssayVerdicts *verdicts[2];
  guint n_faults = 0;

  if (work == NULL || other == NULL)
    {
      g_test_message ("%s has no program%s", what, work != NULL ? " when it is read as text" : "");
      return 1;
    }
  verdicts[0] = assay_work_get_verdicts (work, NULL, NULL);
  verdicts[1] = assay_work_get_verdicts (other, NULL, NULL);
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (verdicts[0]->graph); id++)
    if (assay_graph_n_nodes (verdicts[1]->graph) != assay_graph_n_nodes (verdicts[0]->graph) ||
        !is_same_verdict (assay_verdicts_get (verdicts[0], id),
                          assay_verdicts_get (verdicts[1], id)))
      {
        g_test_message ("%s: another verdict of %s as text", what,
                        assay_graph_node (verdicts[0]->graph, id)->name);
        n_faults++;
        break;
      }
  if (!g_str_equal (text, again))
    g_test_message ("%s: another text:\n%s\nwas\n%s", what, again, text);
  if (!is_same_program (work, other))
    g_test_message ("%s: another program", what);

  return n_faults + !g_str_equal (text, again) + !is_same_program (work, other);
}

static gboolean
has_row (JsonArray *rules, const char *row)
{
  for (guint i = 0; i < json_array_get_length (rules); i++)
    if (g_strcmp0 (json_object_get_string_member_with_default (
                       json_array_get_object_element (rules, i), "key", NULL),
                   row) == 0)
      return TRUE;

  return FALSE;
}

static void
test_verdicts (gconstpointer data)
{
  static const char *const elements[] = { "f32", "f16" };
  AssayTarget *target = gpu_fixture_target (data);
  JsonArray *rules = json_object_get_array_member (assay_target_get_json (target), "rules");
  guint n = 0, n_faults = 0;

  for (guint i = 0; i < torch_n_calls; i++)
    for (guint j = 0; j < (strstr (torch_calls[i].operands, "$t") != NULL ? 2 : 1); j++)
      for (Form form = 0; form < N_FORMS && torch_call_has_row (rules, torch_calls[i].row); form++)
        {
          g_autoptr (AssayGraph) graph = read_model (&torch_calls[i], "aten", elements[j], form);
          g_autoptr (AssayWork) work = make_work (graph, data);
          g_autofree char *row = g_strconcat ("aten.", torch_calls[i].row, NULL);
          g_autofree char *what = g_strdup_printf ("%s of %s, form %u", torch_calls[i].function,
                                                   elements[j], form);

          n_faults += work == NULL || check_verdicts (row, torch_calls[i].rule, what, work) > 0;
          if (form == i % N_FORMS)
            n_faults += check_text (what, graph, data);
          n++;
        }
  for (guint i = 0; i < delegate_n_calls; i++)
    {
      const DelegateCall *call = &delegate_calls[i];
      g_autofree char *row = g_strconcat (call->space, ".", call->call.function, NULL);
      g_autoptr (AssayGraph) graph = NULL;
      g_autoptr (AssayWork) work = NULL;
      const char *rule;

      if (!has_row (rules, row))
        continue;
      graph = read_model (&call->call, call->space, "f32", FORM_NAMED);
      work = make_work (graph, data);
      rule = call->call.rule;
      /* What is missing in one was there in the other. */
      if (g_strcmp0 (rule, "missing-operator") == 0 && g_str_equal (data, "vulkan-seed"))
        rule = NULL;
      n_faults += work == NULL || check_verdicts (row, rule, row, work) > 0;
      n_faults += check_text (row, graph, data);
    }
  g_assert_cmpuint (n, >, 300);
  g_assert_cmpuint (n_faults, ==, 0);
}

/* What a runner makes of a model, with inputs that are the same for the same shapes. */
static GPtrArray *
run_graph (AssayGraph *graph, const char *spec)
{
  g_autoptr (AssayWork) work = make_work (graph, "vulkan-main");
  AssayRunSubject *subject = work != NULL ? assay_work_get_subject (work, TRUE, NULL, NULL) : NULL;
  g_autoptr (GPtrArray)
      inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
  g_autoptr (AssayRunner) runner = NULL;
  g_autoptr (GArray) ports = NULL;

  g_assert_nonnull (subject);
  ports = assay_run_subject_get_inputs (subject);
  for (guint i = 0; i < ports->len; i++)
    g_ptr_array_add (inputs, torch_call_input (&g_array_index (ports, AssayRunPort, i)));
  runner = gpu_fixture_open (subject, spec);

  return gpu_fixture_run (runner, inputs);
}

static guint
compare_bits (const char *what, GPtrArray *a, GPtrArray *b)
{
  if (a->len != b->len)
    {
      g_test_message ("%s: %u outputs, not %u", what, b->len, a->len);
      return 1;
    }
  for (guint i = 0; i < a->len; i++)
    {
      gsize n, m;
      gconstpointer x = assay_tensor_get_data (a->pdata[i], &n, NULL);
      gconstpointer y = assay_tensor_get_data (b->pdata[i], &m, NULL);

      if (assay_tensor_get_dtype (a->pdata[i]) == assay_tensor_get_dtype (b->pdata[i]) && n == m &&
          memcmp (x, y, n) == 0)
        continue;
      g_test_message ("%s: output %u differs", what, i);
      return 1;
    }

  return 0;
}

/* Each form computes what the same call of a program in the torch dialect does, to the bit. */
static void
test_same (void)
{
  static const char *const elements[] = { "f32", "f16" };
  guint n_faults = 0;

  for (guint i = 0; i < torch_n_calls; i++)
    {
      const char *element = elements[i % 2];
      g_autofree char *text = torch_call_program (&torch_calls[i], element);
      g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
      g_autoptr (AssayFindings) findings = assay_findings_new ();
      g_autoptr (AssayGraph)
          program = assay_model_read_bytes (bytes, "call.mlir", NULL, findings, NULL, NULL);
      g_autoptr (GPtrArray) expected = run_graph (program, "reference");

      for (Form form = 0; form < N_FORMS; form++)
        {
          g_autoptr (AssayGraph) graph = read_model (&torch_calls[i], "aten", element, form);
          g_autoptr (GPtrArray) made = run_graph (graph, "reference");
          g_autofree char *what = g_strdup_printf ("%s of %s, form %u", torch_calls[i].function,
                                                   element, form);

          n_faults += compare_bits (what, expected, made);
        }
    }
  g_assert_cmpuint (n_faults, ==, 0);
}

/* What is taken is on the device what it is by the reference, as far as the specification goes. */
static guint
compare_on_device (const char *what, AssayGraph *graph, const char *target_id)
{
  g_autoptr (AssayWork) work = make_work (graph, target_id);
  AssayRunSubject *subject = assay_work_get_subject (work, TRUE, NULL, NULL);
  AssayComparisonSide sides[2] = { { "reference", subject }, { "vulkan", subject } };
  g_autoptr (GArray) ports = assay_run_subject_get_inputs (subject);
  g_autoptr (GPtrArray)
      inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
  g_autoptr (AssayComparison) comparison = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < ports->len; i++)
    g_ptr_array_add (inputs, torch_call_input (&g_array_index (ports, AssayRunPort, i)));
  comparison = assay_compare_runs (&sides[0], &sides[1], inputs, NULL, NULL, &error);
  g_assert_no_error (error);
  if (comparison->verdict == ASSAY_COMPARISON_OUTSIDE)
    g_test_message ("%s: outside the tolerance on %s", what, target_id);

  return comparison->verdict == ASSAY_COMPARISON_OUTSIDE;
}

static void
test_numbers (void)
{
  g_autoptr (AssayGpuLease) lease = assay_gpu_lease_new ();
  guint n_faults = 0;

  if (!gpu_fixture_has_device ())
    return;
  for (guint i = 0; i < torch_n_calls; i++)
    {
      g_autoptr (AssayGraph) graph = read_model (&torch_calls[i], "aten",
                                                 i % 2 == 0 ? "f32" : "f16", (Form) (i % N_FORMS));

      n_faults += compare_on_device (torch_calls[i].function, graph, "vulkan-main");
    }
  g_assert_cmpuint (n_faults, ==, 0);
}

static void
test_others (void)
{
  g_autoptr (AssayGpuLease) lease = assay_gpu_lease_new ();
  AssayTarget *main = gpu_fixture_target ("vulkan-main");
  AssayTarget *seed = gpu_fixture_target ("vulkan-seed");
  AssayTarget *targets[] = { main, seed };
  JsonArray *rules[2];
  gboolean has_device = gpu_fixture_has_device ();
  guint n_faults = 0;

  for (guint i = 0; i < G_N_ELEMENTS (targets); i++)
    rules[i] = json_object_get_array_member (assay_target_get_json (targets[i]), "rules");

  for (guint i = 0; i < delegate_n_calls; i++)
    {
      g_autoptr (AssayGraph)
          graph = read_model (&delegate_calls[i].call, delegate_calls[i].space, "f32", FORM_NAMED);
      g_autofree char *what = g_strconcat (delegate_calls[i].space, ".",
                                           delegate_calls[i].call.function, NULL);
      g_autoptr (AssayFindings) findings = assay_findings_new ();
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayGraph)
          is = assay_graph_from_text (delegate_calls[i].is, -1, findings, &error);
      g_autoptr (GPtrArray) expected = NULL;
      g_autoptr (GPtrArray) made = NULL;

      g_assert_no_error (error);
      g_assert_cmpuint (assay_findings_get_count (findings), ==, 0);
      g_assert_true (assay_graph_infer (is, NULL, NULL, &error));
      expected = run_graph (is, "reference");
      made = run_graph (graph, "reference");
      n_faults += compare_bits (what, expected, made);
      for (guint j = 0; j < G_N_ELEMENTS (targets) && has_device; j++)
        if (has_row (rules[j], what))
          n_faults += compare_on_device (what, graph, assay_target_get_id (targets[j]));
    }
  g_assert_cmpuint (n_faults, ==, 0);
}

/* MatMulNBits: weights of four bits that are no zero points away from their middle. */
static AssayGraph *
read_product (const char *element, gint64 k, gint64 n, gint64 block)
{
  const struct
  {
    const char *name;
    gint64 value;
  } sizes[] = { { "K", k }, { "N", n }, { "bits", 4 }, { "block_size", block } };
  gint64 n_blocks = (k + block - 1) / block;
  const gint64 weights[] = { n, n_blocks, block / 2 };
  const gint64 scales[] = { n * n_blocks };
  g_autofree char *extents = g_strdup_printf ("2,%" G_GINT64_FORMAT, k);
  Writer self = { wire_new (), onnx_node ("MatMulNBits", "call", "x b s", "y"), NULL, element, 0 };
  GByteArray *info = wire_new ();
  GByteArray *opset = wire_new ();
  GByteArray *model;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) error = NULL;
  AssayGraph *graph;

  wire_message (self.graph, GRAPH_INPUT, onnx_info ("x", data_type_of (element), extents));
  write_constant (&self, "b", ASSAY_DTYPE_U8, 3, weights, FALSE);
  write_constant (&self, "s", data_type_of (element), 1, scales, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      GByteArray *attribute = wire_new ();

      wire_string (attribute, ATTRIBUTE_NAME, sizes[i].name);
      wire_int (attribute, ATTRIBUTE_I, sizes[i].value);
      wire_int (attribute, ATTRIBUTE_TYPE, 2);
      wire_message (self.node, NODE_ATTRIBUTE, attribute);
    }
  wire_string (self.node, NODE_DOMAIN, "com.microsoft");
  wire_message (self.graph, GRAPH_NODE, self.node);
  wire_string (info, 1, "y");
  wire_message (self.graph, GRAPH_OUTPUT, info);
  model = onnx_model (self.graph);
  wire_string (opset, 1, "com.microsoft");
  wire_int (opset, 2, 1);
  wire_message (model, 8, opset);
  bytes = g_byte_array_free_to_bytes (model);
  graph = assay_model_read_bytes (bytes, "product.onnx", NULL, findings, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (assay_findings_get_count (findings), ==, 0);

  return graph;
}

/* Weights of four bits are dequantised where what multiplies them runs, whole blocks or not. */
static void
test_blocks (void)
{
  static const gint64 sizes[][3] = { { 32, 8, 16 }, { 40, 4, 16 }, { 16, 4, 32 } };
  static const char *const elements[] = { "f32", "f16" };
  g_autoptr (AssayGpuLease) lease = assay_gpu_lease_new ();
  guint n_faults = 0;

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint j = 0; j < G_N_ELEMENTS (elements); j++)
      {
        g_autoptr (AssayGraph)
            graph = read_product (elements[j], sizes[i][0], sizes[i][1], sizes[i][2]);
        g_autoptr (AssayWork) work = make_work (graph, "vulkan-main");

        g_assert_nonnull (work);
        n_faults += check_verdicts ("et_vk.linear_q4gsw", NULL, elements[j], work);
        n_faults += check_text (elements[j], graph, "vulkan-main");
        n_faults += check_text (elements[j], graph, "vulkan-seed");
        if (gpu_fixture_has_device ())
          n_faults += compare_on_device (elements[j], graph, "vulkan-main");
      }
  g_assert_cmpuint (n_faults, ==, 0);
}

/* A call that somebody wrote as NNIR text is made of what the same node of ONNX is made of. */
static void
test_written (void)
{
  static const char *const texts[] = {
    "nnir 1\nmain (%x : f32[2,16]) {\n  const %b : u8[4,1,8] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, "
    "12, 13, 14, 15, 16, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]\n"
    "  const %s : f32[4] = [1.0, 2.0, 0.5, 0.25]\n"
    "  %y = com.microsoft::MatMulNBits(%x, %b, %s) {K = 16, N = 4, bits = 4, block_size = 16}\n"
    "  return %y\n}\n",
    "nnir 1\nmain (%q : f32[1,4,8], %k : f32[1,4,8], %v : f32[1,4,8]) {\n"
    "  %y = com.microsoft::MultiHeadAttention(%q, %k, %v) {num_heads = 2, unidirectional = 1}\n"
    "  return %y\n}\n",
    "nnir 1\nmain (%x : f32[2,n], %y : f32[2,3]) {\n  const %alpha : i64[] = [2]\n"
    "  %z = org.pytorch.aten::ATen(%x, %y, %alpha) {operator = \"add\", overload_name = "
    "\"Tensor\"}\n  return %z\n}\n",
  };
  static const char *const targets[] = { "vulkan-main", "vulkan-seed" };
  guint n_faults = 0;

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    for (guint j = 0; j < G_N_ELEMENTS (targets); j++)
      {
        g_autoptr (AssayGraph) graph = read_text (targets[j], texts[i]);
        g_autoptr (AssayWork) work = make_work (graph, targets[j]);
        AssayVerdicts *verdicts;

        g_assert_nonnull (work);
        verdicts = assay_work_get_verdicts (work, NULL, NULL);
        for (AssayNodeId id = 1; id < assay_graph_n_nodes (verdicts->graph); id++)
          {
            const AssayVerdict *verdict = assay_verdicts_get (verdicts, id);

            if (assay_graph_node (verdicts->graph, id)->op != ASSAY_OP_OPAQUE &&
                verdict->kind >= ASSAY_VERDICT_FUSED)
              continue;
            g_test_message ("%s: %s", assay_graph_node (verdicts->graph, id)->op_type,
                            verdict->reason);
            n_faults++;
          }
        n_faults += check_text (targets[j], graph, targets[j]);
      }
  g_assert_cmpuint (n_faults, ==, 0);
}

/* What an edit makes of an operand counts, not what the file had. */
static void
test_edited (void)
{
  const TorchCall call = { "convolution", "convolution",
                           "f32 2,4,8,8|=f32 4,4,3,3|=f32 4|[1,1]|[1,1]|[1,1]|false|[0,0]|1" };
  g_autoptr (AssayGraph) graph = read_model (&call, "aten", "f32", FORM_FALLBACK);
  g_autoptr (AssayGraph) edited = assay_graph_copy (graph);
  const gint64 dims[] = { 1, 4, 8, 8 };
  AssayGraph *graphs[] = { graph, edited };

  assay_graph_edit_value (
      edited,
      g_array_index (assay_graph_region (edited, ASSAY_MAIN_REGION)->inputs, AssayValueId, 0))
      ->type = assay_type_new_fixed (edited->arena, ASSAY_DTYPE_F32, 4, dims);
  for (AssayValueId id = 1; id < assay_graph_n_values (edited); id++)
    if (assay_graph_value (edited, id)->kind == ASSAY_VALUE_RESULT)
      assay_graph_edit_value (edited, id)->type = &assay_type_unknown;
  g_assert_true (assay_graph_infer (edited, NULL, NULL, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (graphs); i++)
    {
      AssayTarget *target = gpu_fixture_target ("vulkan-main");
      g_autoptr (AssayWork) work = assay_work_new_for_graph (NULL, graphs[i], target, NULL);
      AssayVerdicts *verdicts = assay_work_get_verdicts (work, NULL, NULL);
      const AssayVerdict *verdict = NULL;

      for (AssayNodeId id = 1; id < assay_graph_n_nodes (verdicts->graph); id++)
        if (assay_graph_node (verdicts->graph, id)->op == ASSAY_OP_Conv)
          verdict = assay_verdicts_get (verdicts, id);
      g_assert_nonnull (verdict);
      g_assert_cmpint (verdict->kind, ==,
                       i == 0 ? ASSAY_VERDICT_REJECTED : ASSAY_VERDICT_SUPPORTED);
      g_assert_cmpstr (verdict->rule, ==, i == 0 ? "conv.batch" : "aten.convolution");
    }
}

/* Rows that nothing here computes, and why. A check says so, and no program is made. */
static const struct
{
  const char *key;
  const char *why;
} without[] = {
  { "aten._assert_scalar", "has no result" },
  { "aten.sym_constrain_range_for_size", "has no result" },
  { "et_vk.add_q8ta_q8ta_q8to", "was taken away before its operands were published" },
  { "et_vk.conv2d_q8ta_q8csw_q8to", "was taken away before its operands were published" },
  { "et_vk.conv2d_q8ta_q8csw_q8to_dw", "was taken away before its operands were published" },
};

static gboolean
has_body (const char *key)
{
  for (guint i = 0; i < torch_n_calls; i++)
    if (g_str_has_prefix (key, "aten.") && g_str_equal (key + strlen ("aten."), torch_calls[i].row))
      return TRUE;
  for (guint i = 0; i < delegate_n_calls; i++)
    {
      g_autofree char *name = g_strconcat (delegate_calls[i].space, ".",
                                           delegate_calls[i].call.function, NULL);

      if (g_str_equal (name, key))
        return TRUE;
    }

  return FALSE;
}

/* What is refused in a check is refused when a program is made of it. */
static guint
check_without (const char *key, const char *target_id)
{
  const char *dot = strchr (key, '.');
  g_autofree char *space = g_strndup (key, (gsize) (dot - key));
  const TorchCall call = { "", dot + 1, "f32 1,2,4,4" };
  g_autoptr (AssayGraph) graph = read_model (&call, space, "f32", FORM_NAMED);
  AssayTarget *target = gpu_fixture_target (target_id);
  g_autoptr (AssayWork) work = assay_work_new_for_graph (NULL, graph, target, NULL);
  g_autoptr (GError) error = NULL;
  AssayVerdicts *verdicts = assay_work_get_verdicts (work, NULL, NULL);
  const AssayVerdict *verdict = assay_verdicts_get (verdicts, 1);

  g_assert_cmpint (assay_graph_node (verdicts->graph, 1)->op, ==, ASSAY_OP_OPAQUE);
  if (verdict->kind == ASSAY_VERDICT_REMOVED)
    return 0;
  if (verdict->kind > ASSAY_VERDICT_UNDECIDED ||
      assay_work_get_program (work, NULL, &error) != NULL)
    {
      g_test_message ("%s is %s, and makes a program", key, assay_verdict_name (verdict->kind));
      return 1;
    }

  return !g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED);
}

/* Every row of the table has a body that is tried above, or stands in the list, and not in both. */
static void
test_rows (gconstpointer data)
{
  AssayTarget *target = gpu_fixture_target (data);
  JsonArray *rules = json_object_get_array_member (assay_target_get_json (target), "rules");
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  guint n_faults = 0;

  for (guint i = 0; i < json_array_get_length (rules); i++)
    {
      JsonObject *rule = json_array_get_object_element (rules, i);
      const char *key = json_object_get_string_member_with_default (rule, "key", NULL);
      const char *why = NULL;

      if (key == NULL || !g_hash_table_add (seen, (gpointer) key))
        continue;
      for (guint j = 0; j < G_N_ELEMENTS (without); j++)
        if (g_str_equal (without[j].key, key))
          why = without[j].why;
      if ((why != NULL) == has_body (key))
        {
          g_test_message ("%s: %s", key, why != NULL ? "has a body" : "is not tried");
          n_faults++;
        }
      if (why != NULL)
        n_faults += check_without (key, data);
    }
  g_assert_cmpuint (g_hash_table_size (seen), >, 100);
  g_assert_cmpuint (n_faults, ==, 0);
}

static int
compare_lines (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* What a target says of the nodes of a model, each thing once. Nodes that copy are as many as a
 * source needs. */
static char *
sum_up (AssayGraph *graph, const char *target_id)
{
  g_autoptr (AssayWork)
      work = assay_work_new_for_graph (NULL, graph, gpu_fixture_target (target_id), NULL);
  AssayVerdicts *verdicts = assay_work_get_verdicts (work, NULL, NULL);
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) text = g_string_new (NULL);

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (verdicts->graph); id++)
    {
      const AssayVerdict *verdict = assay_verdicts_get (verdicts, id);

      if (verdict->kind != ASSAY_VERDICT_REMOVED)
        g_ptr_array_add (lines,
                         g_strdup_printf ("%s by %s as %s: %s", assay_verdict_name (verdict->kind),
                                          verdict->rule, verdict->mapping, verdict->reason));
    }
  g_ptr_array_sort (lines, compare_lines);
  for (guint i = 0; i < lines->len; i++)
    if (i == 0 || !g_str_equal (lines->pdata[i], lines->pdata[i - 1]))
      g_string_append_printf (text, "%s\n", (char *) lines->pdata[i]);

  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Whether a node of a model of any operation is left, which a row is said to have. */
static gboolean
has_malformed (const char *what, AssayGraph *graph)
{
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    if (assay_graph_node (graph, id)->op == ASSAY_OP_OPAQUE)
      {
        g_test_message ("%s: %s is not made of operations", what,
                        assay_graph_node (graph, id)->op_type);
        return TRUE;
      }

  return FALSE;
}

static guint
check_spellings (const TorchCall *call, const char *space, const char *element,
                 const char *target_id)
{
  g_autofree char *what = g_strdup_printf ("%s.%s (%s) of %s", space, call->function,
                                           call->operands, element);
  g_autoptr (AssayGraph) model = read_model (call, space, element, FORM_NAMED);
  g_autofree char *expected = sum_up (model, target_id);
  guint n_faults = has_malformed (what, model);
  guint n = strchr (call->function, '.') == NULL ? 3 : 2;

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *text = torch_call_spell (call, space, element, (TorchSpelling) i);
      g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
      g_autoptr (AssayFindings) findings = assay_findings_new ();
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayGraph)
          program = assay_model_read_bytes (bytes, "call.mlir", NULL, findings, NULL, &error);
      g_autofree char *said = NULL;

      g_assert_no_error (error);
      for (guint j = 0; j < assay_findings_get_count (findings); j++)
        {
          g_test_message ("%s, spelling %u: %s", what, i,
                          assay_findings_get (findings, j)->message);
          n_faults++;
        }
      said = sum_up (program, target_id);
      if (!g_str_equal (said, expected))
        {
          g_test_message ("%s, spelling %u: a text is\n%sand a model is\n%s", what, i, said,
                          expected);
          n_faults++;
        }
    }

  return n_faults;
}

/* A function is judged by its row in whatever way it is written. */
static void
test_spellings (gconstpointer data)
{
  static const char *const elements[] = { "f32", "f16" };
  guint n = 0, n_faults = 0;

  for (guint i = 0; i < torch_n_calls + delegate_n_calls + overload_n_calls; i++)
    {
      gboolean is_torch = i < torch_n_calls;
      gboolean is_delegate = !is_torch && i < torch_n_calls + delegate_n_calls;
      const OverloadCall *other =
          &overload_calls[is_torch || is_delegate ? 0 : i - torch_n_calls - delegate_n_calls];
      const DelegateCall *delegate = &delegate_calls[is_delegate ? i - torch_n_calls : 0];
      const TorchCall *call = is_torch      ? &torch_calls[i]
                              : is_delegate ? &delegate->call
                                            : &other->call;
      const char *space = is_torch ? "aten" : is_delegate ? delegate->space : other->space;

      /* An entry of a list is no node of a program. */
      if (g_str_equal (call->function, "getitem"))
        continue;
      for (guint j = 0; j < (strstr (call->operands, "$t") != NULL ? 2 : 1); j++, n++)
        n_faults += check_spellings (call, space, elements[j], data);
    }
  g_assert_cmpuint (n, >, 300);
  g_assert_cmpuint (n_faults, ==, 0);
}

/* Whether all that is supported is dispatched, but for numbers that a word does not hold. */
static guint
check_places (const char *what, AssayWork *work)
{
  AssayVerdicts *verdicts = assay_work_get_verdicts (work, NULL, NULL);
  const AssayDelegatePlan *plan = assay_delegate_program_get_plan (
      ASSAY_DELEGATE_PROGRAM (assay_work_get_program (work, NULL, NULL)), FALSE);
  guint n_faults = 0;

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (verdicts->graph); id++)
    {
      const AssayVerdict *verdict = assay_verdicts_get (verdicts, id);
      const AssayNode *node = assay_graph_node (verdicts->graph, id);
      gboolean takes = verdict->kind >= ASSAY_VERDICT_FUSED && !is_wide (verdicts->graph, node);

      if (verdict->kind == ASSAY_VERDICT_REMOVED ||
          takes == (plan->places[id] == ASSAY_DELEGATE_DEVICE))
        continue;
      g_test_message ("%s: %s is %s by %s, and runs on the %s (%s)", what, node->op_type,
                      assay_verdict_name (verdict->kind), verdict->rule, takes ? "host" : "device",
                      plan->reasons[id]);
      n_faults++;
    }

  return n_faults;
}

/* Other operands: a text and a model compute the same to the bit, and on the device. */
static void
test_overloads (void)
{
  g_autoptr (AssayGpuLease) lease = assay_gpu_lease_new ();
  gboolean has_device = gpu_fixture_has_device ();
  guint n_faults = 0;

  for (guint i = 0; i < overload_n_calls; i++)
    for (guint j = 0; j < 2; j++)
      {
        const OverloadCall *call = &overload_calls[i];
        const char *element = j == 0 ? "f32" : "f16";
        g_autofree char *text = torch_call_spell (&call->call, call->space, element,
                                                  TORCH_SPELLING_OWN);
        g_autofree char *what = g_strdup_printf ("%s.%s (%s) of %s", call->space,
                                                 call->call.function, call->call.operands, element);
        g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
        g_autoptr (AssayFindings) findings = assay_findings_new ();
        g_autoptr (AssayGraph)
            program = assay_model_read_bytes (bytes, "call.mlir", NULL, findings, NULL, NULL);
        g_autoptr (AssayGraph) model = NULL;
        g_autoptr (GPtrArray) expected = NULL;
        g_autoptr (GPtrArray) made = NULL;
        g_autoptr (AssayWork) work = NULL;

        if (j == 1 && strstr (call->call.operands, "$t") == NULL)
          continue;
        model = read_model (&call->call, call->space, element, FORM_NAMED);
        work = make_work (program, "vulkan-main");
        n_faults += work == NULL || check_places (what, work) > 0;
        /* Constants of both have other numbers. */
        if (strpbrk (call->call.operands, "=~") == NULL)
          {
            expected = run_graph (program, "reference");
            made = run_graph (model, "reference");
            n_faults += compare_bits (what, expected, made);
          }
        if (has_device && call->differs == NULL)
          n_faults += compare_on_device (what, program, "vulkan-main");
      }
  g_assert_cmpuint (n_faults, ==, 0);
}

TEST_PROGRAM (gpu_aten)
{
  char *folder = gpu_fixture_init ();

  /* The shaders are those of test-gpu, which has the layers. */
  g_unsetenv ("ASSAY_GPU_VALIDATE");
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/gpu-aten/verdicts/main", "vulkan-main", test_verdicts);
  g_test_add_data_func ("/gpu-aten/verdicts/seed", "vulkan-seed", test_verdicts);

  g_test_add_data_func ("/gpu-aten/spellings/main", "vulkan-main", test_spellings);
  g_test_add_data_func ("/gpu-aten/spellings/seed", "vulkan-seed", test_spellings);
  g_test_add_func ("/gpu-aten/overloads", test_overloads);
  g_test_add_func ("/gpu-aten/same", test_same);
  g_test_add_func ("/gpu-aten/numbers", test_numbers);
  g_test_add_func ("/gpu-aten/others", test_others);
  g_test_add_func ("/gpu-aten/blocks", test_blocks);
  g_test_add_func ("/gpu-aten/written", test_written);
  g_test_add_func ("/gpu-aten/edited", test_edited);
  g_test_add_data_func ("/gpu-aten/rows/main", "vulkan-main", test_rows);
  g_test_add_data_func ("/gpu-aten/rows/seed", "vulkan-seed", test_rows);

  return gpu_fixture_finish (folder, g_test_run ());
}
