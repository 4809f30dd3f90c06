/* test-agreement.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The law between verdicts and compiler: what a check of a block-streaming target calls supported
 * compiles, or fails for want of room; what it rejects does not compile.
 */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "agreement.h"
#include "attribute-kinds.h"
#include "base/assay-error.h"
#include "evaluate/assay-evaluate.h"
#include "graphs.h"
#include "machine-run.h"
#include "nnir/assay-axes.h"
#include "nnir/assay-graph-builder.h"
#include "test-models.h"
#include "test-program.h"

#define TARGET "ia_420f_c6b32"

typedef struct
{
  AssayTarget *target;
  AssayConfig *config;
  gboolean runs; /* whether what is taken is run too */
  guint n, n_accepted, n_run, n_bad;
} Tally;

static void
tally_begin (Tally *self)
{
  g_autoptr (GError) error = NULL;

  *self = (Tally){ .target = load_target (TARGET) };
  self->config = assay_config_new_preset (TARGET, &error);
  g_assert_no_error (error);
}

static void
tally_end (Tally *self)
{
  g_test_message ("%u cases, %u taken, %u run, %u disagree", self->n, self->n_accepted, self->n_run,
                  self->n_bad);
  g_assert_cmpuint (self->n_bad, ==, 0);
  g_assert_cmpuint (self->n_accepted, >, 0);
  assay_target_unref (self->target);
  g_object_unref (self->config);
}

/* Errors that rounding of weights and results to bf16 explains, in shares of the largest element.
 */
#define SHARE 0.03

/* What the machine computes otherwise than the evaluator does in double, one timestep after another
 * if it streams, or NULL. It stores what it computes in fp32. */
static char *
judge_run (const Tally *tally, AssayGraph *graph, const AgreementCase *how)
{
  const AssayRegion *main = assay_graph_region (graph, ASSAY_MAIN_REGION);
  AssayEvaluateOptions wide = { .wide = TRUE, .n_threads = 1 };
  MachineWay way = { .config = *assay_config_get_values (tally->config),
                     .flags = ASSAY_MACHINE_FP32 };
  g_autoptr (AssaySettings) settings = NULL;
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autoptr (GPtrArray)
      tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
  g_autoptr (GPtrArray) expected = NULL;
  g_autoptr (GError) error = NULL;
  char *complaint = NULL;
  float **inputs, **outputs;
  guint n = 0;

  assay_settings_set_axes (&settings, how->axes, how->n_axes);
  assay_settings_set_flag (&settings, ASSAY_SETTING_DYNAMIC_WEIGHTS, how->dynamic);
  assay_settings_set_flag (&settings, ASSAY_SETTING_DISABLE_OPTIMIZATIONS, TRUE);
  way.options.settings = settings;
  inputs = machine_inputs (graph, rand, -2, 2);
  for (guint i = 0; i < main->inputs->len; i++)
    {
      const AssayValue *value = assay_graph_value (graph,
                                                   g_array_index (main->inputs, AssayValueId, i));
      gint64 dims[ASSAY_MAX_RANK];

      if (value->constant != NULL)
        continue;
      for (int j = 0; j < value->type->rank; j++)
        dims[j] = value->type->dims[j].size;
      g_ptr_array_add (names, (gpointer) value->name);
      g_ptr_array_add (tensors,
                       assay_tensor_new_f32 ((guint) value->type->rank, dims, inputs[n++]));
    }
  expected = assay_evaluate_graph (graph, &wide, tensors->len, (const char *const *) names->pdata,
                                   (AssayTensor *const *) tensors->pdata, NULL, &error);
  outputs = expected == NULL ? NULL : machine_run_graph (graph, &way, inputs, &error);
  if (expected == NULL)
    complaint = g_strdup_printf ("the evaluator: %s", error->message);
  else if (outputs == NULL && !g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_ALLOCATION))
    complaint = g_strdup_printf ("the machine: %s", error->message);

  for (guint i = 0; outputs != NULL && i < expected->len && complaint == NULL; i++)
    {
      AssayTensor *tensor = g_ptr_array_index (expected, i);
      gsize n_elements = assay_tensor_get_n_elements (tensor);
      double largest = 0, value = 0;

      for (gsize j = 0; j < n_elements; j++)
        if (assay_tensor_get_element (tensor, j, &value, NULL) && isfinite (value))
          largest = MAX (largest, fabs (value));
      for (gsize j = 0; j < n_elements && complaint == NULL; j++)
        {
          assay_tensor_get_element (tensor, j, &value, NULL);
          if (isfinite (value) && fabs (value) < 1e30 &&
              !(fabs (outputs[i][j] - value) <= SHARE * largest + 1e-6))
            complaint = g_strdup_printf ("output %u, element %" G_GSIZE_FORMAT
                                         " is %.7g, expected %.7g",
                                         i, j, outputs[i][j], value);
        }
    }
  machine_free (inputs);
  machine_free (outputs);

  return complaint;
}

/* A graph with every way to stream it and to allow dynamic weights. */
static void
try_graph (Tally *tally, AssayGraph *graph, const char *text)
{
  const GArray *inputs = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs;
  const AssayValue *first = assay_graph_value (graph, g_array_index (inputs, AssayValueId, 0));

  for (int axis = -1; axis < assay_type_rank (first->type); axis++)
    for (gboolean dynamic = FALSE; dynamic <= agreement_has_products (graph); dynamic++)
      {
        AgreementCase how = { .axes = &axis, .n_axes = axis >= 0, .dynamic = dynamic };
        g_autofree char *complaint = agreement_judge (
            tally->target, assay_config_get_values (tally->config), graph, &how);

        tally->n++;
        tally->n_accepted += how.accepted;
        if (complaint == NULL && how.accepted && tally->runs)
          {
            complaint = judge_run (tally, graph, &how);
            tally->n_run++;
          }
        if (complaint == NULL)
          continue;
        g_test_message ("%s\n  axis %d, dynamic weights %d: %s", text, axis, dynamic, complaint);
        tally->n_bad++;
      }
}

/* Not all that may be written together is well formed. */
static void
try_text (Tally *tally, const char *text)
{
  g_autoptr (AssayGraph) graph = machine_graph_try_text (text);

  if (graph != NULL)
    try_graph (tally, graph, text);
}

/* All recurrent layers with all that they may be given. */
static void
test_recurrent (void)
{
  static const struct
  {
    const char *op;
    guint gates;
    gboolean has_cell;
  } kinds[] = { { "LSTM", 4, TRUE }, { "GRU", 3, FALSE }, { "RNN", 1, FALSE } };
  static const char *const directions[] = { "forward", "reverse", "bidirectional" };
  static const char *const states[] = { "_", "%h", "%k", "%z" };
  static const char *const outputs[] = { "%y", "_, %y", "%y, %l", "_, _, %y" };
  static const char *const attributes[] = { "",
                                            ", clip = 1.0",
                                            ", layout = 1",
                                            ", linear_before_reset = 1",
                                            ", activations = [\"Relu\"]",
                                            ", input_forget = 1",
                                            ", activations = [\"Sigmoid\", \"Tanh\", \"Tanh\"]" };
  Tally tally;

  tally_begin (&tally);
  for (guint kind = 0; kind < G_N_ELEMENTS (kinds); kind++)
    for (guint direction = 0; direction < G_N_ELEMENTS (directions); direction++)
      for (guint state = 0; state < G_N_ELEMENTS (states); state++)
        for (guint output = 0; output < G_N_ELEMENTS (outputs); output++)
          for (guint attribute = 0; attribute < G_N_ELEMENTS (attributes); attribute++)
            {
              guint d = direction == 2 ? 2 : 1;
              guint rows = kinds[kind].gates * 4;
              g_autofree char *text = NULL;

              if (output == 3 && !kinds[kind].has_cell)
                continue;
              text = g_strdup_printf (
                  "(%%x : f32[3,1,5], %%z : f32[%u,1,4], %%w : f32[%u,%u,5] param, "
                  "%%r : f32[%u,%u,4] param, %%h : f32[%u,1,4] param) { const %%v : f32[] = [0.0] "
                  "const %%s : i64[3] = [%u, 1, 4] %%k = Expand(%%v, %%s) "
                  "%s = %s(%%x, %%w, %%r, _, _, %s%s%s) "
                  "{hidden_size = 4, direction = \"%s\"%s} return %%y }",
                  d, d, rows, d, rows, d, d, outputs[output], kinds[kind].op, states[state],
                  kinds[kind].has_cell ? ", " : "", kinds[kind].has_cell ? states[state] : "",
                  directions[direction], attributes[attribute]);
              try_text (&tally, text);
            }

  tally_end (&tally);
}

#define SCAN(outputs, inputs, more, body)                                                          \
  "(%x : f32[3,1,5], %z : f32[1,5], %q : f32[3,1,5]) { const %s : f32[1,5] = [0.0, 1.0, 0.0, "     \
  "2.0, 0.0] "                                                                                     \
  "const %n : f32[1,5] = [0.0, 0.0, 0.0, 0.0, 0.0] " outputs " = Scan(" inputs                     \
  ") {num_scan_inputs = 1" more ", body = region \"body\" (%h : f32[1,5], %v : f32[1,5]) {" body   \
  "}} return %y }"

static void
test_scan (void)
{
  static const char *const texts[] = {
    SCAN ("_, %y", "%s, %x", "", "%a = Add(%h, %v) return %a, %a"),
    SCAN ("_, %y", "%n, %x", "", "%a = Add(%h, %v) return %a, %a"),
    SCAN ("_, %y", "%z, %x", "", "%a = Add(%h, %v) return %a, %a"),
    SCAN ("%y, _", "%s, %x", "", "%a = Add(%h, %v) return %a, %a"),
    SCAN ("_, %y", "%s, %x", ", scan_input_directions = [1]", "%a = Add(%h, %v) return %a, %a"),
    SCAN ("_, %y", "%s, %x", ", scan_output_directions = [1]", "%a = Add(%h, %v) return %a, %a"),
    SCAN ("_, %y", "%s, %x", ", scan_output_axes = [1]", "%a = Add(%h, %v) return %a, %a"),
    SCAN ("_, %y", "%s, %x", ", scan_input_axes = [-3]", "%a = Add(%h, %v) return %a, %a"),
    SCAN ("_, %y", "%s, %x", "", "%a = Add(%h, %z) %b = Add(%a, %v) return %b, %a"),
    SCAN ("_, %y", "%s, %x", "",
          "const %i : i64[] = [1] %a = Gather(%q, %i) {axis = 0} %b = Add(%a, %v) return %b, %b"),
    SCAN ("_, %y", "%s, %x", "", "return %h, %v"),
    SCAN ("_, %y", "%s, %x", "", "return %v, %h"),
    SCAN ("_, %y", "%s, %x", "", "const %c : f32[1,5] = [1.0, 2.0, 3.0, 4.0, 5.0] return %c, %v"),
    SCAN ("_, %y", "%s, %x", "", "%a = Sin(%v) %b = Add(%a, %h) return %b, %b"),
    SCAN ("_, %y", "%s, %x", "",
          "const %i : i64[1] = [0] %a = ReduceSum(%v, %i) {keepdims = 1} return %h, %a"),
    SCAN ("_, %y", "%s, %x", "",
          "const %p : i64[2] = [5, 1] %a = Reshape(%v, %p) %b = MatMul(%h, %a) return %h, %b"),
    SCAN ("_, %y", "%s, %x", "", "%a = Softmax(%v) {axis = 1} %b = Add(%a, %h) return %b, %a"),
    SCAN ("_, %y", "%s, %x", "", "%a = Greater(%h, %v) %b = Where(%a, %h, %v) return %b, %b"),
    SCAN ("_, %y", "%s, %x", "", "%a = Greater(%h, %v) return %h, %a"),
  };
  Tally tally;

  tally_begin (&tally);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    try_text (&tally, texts[i]);

  tally_end (&tally);
}

/* Windows of convolution and pooling along time and across it. */
static void
test_windows (void)
{
  static const char *const attributes[] = {
    "",
    "pads = [2, 0]",
    "pads = [0, 2]",
    "pads = [1, 1]",
    "pads = [4, 0], dilations = [2]",
    "strides = [2]",
    "pads = [2, 0], strides = [2]",
    "group = 2",
    "group = 4",
    "pads = [2, 0], group = 2",
    "pads = [2, 0], group = 4",
    "auto_pad = \"SAME_UPPER\"",
    "auto_pad = \"SAME_LOWER\"",
    "auto_pad = \"VALID\"",
    "auto_pad = \"VALID\", pads = [2, 0]",
    "kernel_shape = [3]",
    "pads = [3, 0]",
  };
  static const char *const pools[] = { "MaxPool", "AveragePool" };
  static const char *const pool_attributes[] = {
    "",
    ", pads = [1, 1]",
    ", strides = [2]",
    ", ceil_mode = 1",
    ", dilations = [2]",
    ", auto_pad = \"SAME_UPPER\"",
    ", auto_pad = \"VALID\", pads = [1, 1]",
    ", count_include_pad = 1",
  };
  Tally tally;

  tally_begin (&tally);
  for (guint i = 0; i < G_N_ELEMENTS (attributes); i++)
    {
      const char *given = strstr (attributes[i], "group = ");
      guint group = given != NULL ? (guint) (given[strlen ("group = ")] - '0') : 1;
      g_autofree char *text = g_strdup_printf (
          "(%%x : f32[1,4,8], %%w : f32[8,%u,3] param) { %%y = Conv(%%x, %%w) {%s} return %%y }",
          4 / group, attributes[i]);

      try_text (&tally, text);
    }
  for (guint pool = 0; pool < G_N_ELEMENTS (pools); pool++)
    for (guint i = 0; i < G_N_ELEMENTS (pool_attributes); i++)
      {
        g_autofree char *text = g_strdup_printf (
            "(%%x : f32[1,4,8]) { %%y = %s(%%x) {kernel_shape = [%u]%s} return %%y }", pools[pool],
            i % 3 + 1, pool_attributes[i]);

        try_text (&tally, text);
      }

  tally_end (&tally);
}

/* Products of all ranks, with constant and run-time sides, plain and transposed. */
static void
test_products (void)
{
  static const char *const shapes[][2] = {
    { "4,5", "5,6" },       { "5", "5,6" },       { "4,5", "5" },       { "5", "5" },
    { "2,4,5", "5,6" },     { "2,4,5", "2,5,6" }, { "1,4,5", "2,5,6" }, { "2,1,5", "2,5,1" },
    { "3,2,4,5", "2,5,6" }, { "1,5", "5,1" },
  };
  Tally tally;

  tally_begin (&tally);
  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    for (guint kind = 0; kind < 4; kind++)
      {
        g_autofree char *text = NULL;

        if (kind == 3)
          text = g_strdup_printf ("(%%x : f32[%s], %%w : f32[%s]) { %%a = Softmax(%%x) {axis = -1} "
                                  "%%y = MatMul(%%a, %%w) return %%y }",
                                  shapes[i][0], shapes[i][1]);
        else if (kind == 2)
          text = g_strdup_printf (
              "(%%x : f32[%s], %%w : f32[%s] param) { %%y = MatMul(%%w, %%x) return %%y }",
              shapes[i][1], shapes[i][0]);
        else
          text = g_strdup_printf (
              "(%%x : f32[%s], %%w : f32[%s]%s) { %%y = MatMul(%%x, %%w) return %%y }",
              shapes[i][0], shapes[i][1], kind == 1 ? " param" : "");
        try_text (&tally, text);
      }

  tally_end (&tally);
}

/* What the inputs of a random node may be beside the first: what broadcasts, counts channels or
 * weighs them, or has nothing to do with it. */
static char *
random_shape (GRand *rand, const gint64 *dims, guint rank)
{
  static const char *const others[] = { "", "1", "2", "4", "4,1", "1,4", "2,3,4", "1,4,6,6" };
  gint64 channels = rank > 1 ? dims[1] : 4;
  gint64 last = rank > 0 ? dims[rank - 1] : 1;
  GString *shape = g_string_new (NULL);

  switch (g_rand_int_range (rand, 0, 9))
    {
    case 0:
      g_string_append_printf (shape, "%" G_GINT64_FORMAT, channels);
      break;
    case 1:
      g_string_append_printf (shape, "%" G_GINT64_FORMAT, last);
      break;
    case 2:
      g_string_append_printf (shape, "%" G_GINT64_FORMAT ",3", last);
      break;
    case 3:
      g_string_append_printf (shape, "%" G_GINT64_FORMAT, channels);
      for (guint i = 2; i < rank; i++)
        g_string_append (shape, ",1");
      break;
    case 4:
      g_string_append_printf (shape, "4,%" G_GINT64_FORMAT,
                              channels / g_rand_int_range (rand, 1, (gint32) channels + 1));
      for (guint i = 2; i < rank; i++)
        g_string_append_printf (shape, ",%d", g_rand_int_range (rand, 1, 4));
      break;
    case 5:
    case 6:
      for (guint i = 0; i < rank; i++)
        g_string_append_printf (shape, "%s%" G_GINT64_FORMAT, i > 0 ? "," : "",
                                g_rand_int_range (rand, 0, 4) == 0 ? 1 : dims[i]);
      break;
    default:
      g_string_append (shape, others[g_rand_int_range (rand, 0, G_N_ELEMENTS (others))]);
    }

  return g_string_free (shape, FALSE);
}

static void
append_integers (GRand *rand, GString *text, guint n)
{
  static const int small[] = { 0, 1, 1, 2, 2, 3, 4, -1, -2, 100 };

  g_string_append_c (text, '[');
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%d", i > 0 ? ", " : "",
                            small[g_rand_int_range (rand, 0, G_N_ELEMENTS (small))]);
  g_string_append_c (text, ']');
}

/* Each axis once, in any order. */
static void
append_permutation (GRand *rand, GString *text, guint rank)
{
  guint axes[8];

  g_string_append_c (text, '[');
  for (guint i = 0; i < rank; i++)
    {
      guint other = (guint) g_rand_int_range (rand, 0, (gint32) i + 1);

      axes[i] = axes[other];
      axes[other] = i;
    }
  for (guint i = 0; i < rank; i++)
    g_string_append_printf (text, "%s%u", i > 0 ? ", " : "", axes[i]);
  g_string_append_c (text, ']');
}

static gboolean
append_attribute (GRand *rand, GString *text, const AssayAttrSpec *spec, guint rank)
{
  static const char *const strings[] = { "NOTSET",   "VALID",   "SAME_UPPER", "SAME_LOWER",
                                         "constant", "reflect", "edge",       "tanh",
                                         "none",     "forward", "reverse",    "bidirectional" };
  static const double floats[] = { 0, 0.5, 1, 2, -1, 1e-5 };

  switch (spec->kind)
    {
    case ASSAY_ATTR_INT:
      g_string_append_printf (text, "%s = %d", spec->name, g_rand_int_range (rand, -2, 5));
      return TRUE;
    case ASSAY_ATTR_FLOAT:
      g_string_append_printf (text, "%s = %g", spec->name,
                              floats[g_rand_int_range (rand, 0, G_N_ELEMENTS (floats))]);
      if (strpbrk (strrchr (text->str, '=') + 1, ".e") == NULL)
        g_string_append (text, ".0");
      return TRUE;
    case ASSAY_ATTR_STRING:
      g_string_append_printf (text, "%s = \"%s\"", spec->name,
                              strings[g_rand_int_range (rand, 0, G_N_ELEMENTS (strings))]);
      return TRUE;
    case ASSAY_ATTR_INTS:
      g_string_append_printf (text, "%s = ", spec->name);
      if (g_rand_boolean (rand))
        append_permutation (rand, text, rank);
      else
        append_integers (rand, text, (guint) g_rand_int_range (rand, 1, 5));
      return TRUE;
    default:
      return FALSE;
    }
}

/* Which input of an operation takes what; nearly always that. */
static gboolean
draws_integers (GRand *rand, AssayOp op, guint input)
{
  char letter = attribute_kinds_letter (op, input);

  if (letter == '.' || g_rand_int_range (rand, 0, 20) == 0)
    return g_rand_int_range (rand, 0, 3) == 0;

  return letter == 'l' || letter == 'n';
}

/* One node of an operation with inputs and attributes as they come. */
static char *
random_node (GRand *rand, AssayOp op)
{
  static const char *const shapes[] = { "4",     "1,4",     "3,4",     "1,4,8",     "3,1,5",
                                        "2,4,6", "1,4,6,6", "2,4,3,4", "1,2,3,2,2", "1,3,8" };
  const AssayOpInfo *info = assay_op_get_info (op);
  const char *shape = shapes[g_rand_int_range (rand, 0, G_N_ELEMENTS (shapes))];
  guint n_inputs = (guint) g_rand_int_range (rand, info->min_inputs,
                                             MIN (info->max_inputs, info->min_inputs + 4) + 1);
  guint n_outputs = (guint) g_rand_int_range (rand, MAX (info->min_outputs, 1),
                                              MIN (MAX (info->max_outputs, 1), 3) + 1);
  g_auto (GStrv) parts = g_strsplit (shape, ",", -1);
  g_autoptr (GString) head = g_string_new (NULL);
  g_autoptr (GString) body = g_string_new (NULL);
  g_autoptr (GString) node = g_string_new (NULL);
  g_autoptr (GString) attributes = g_string_new (NULL);
  gboolean constant = g_rand_int_range (rand, 0, 12) == 0;
  gboolean asks = !constant && g_rand_int_range (rand, 0, 12) == 0;
  gint64 dims[8];
  guint rank = 0;

  for (; parts[rank] != NULL; rank++)
    dims[rank] = g_ascii_strtoll (parts[rank], NULL, 10);

  /* A branch of constants stands beside something that runs. */
  g_string_append_printf (head, "%%x : f32[%s]%s", shape, constant ? ", %v0 : f32[" : "");
  if (constant)
    g_string_append_printf (head, "%s] param", shape);
  for (guint i = 0; i < n_outputs; i++)
    g_string_append_printf (node, "%s%%y%u", i > 0 ? ", " : "", i);
  if (asks)
    g_string_append_printf (body, "%%q = Greater(%%x, %%x)\n");
  g_string_append_printf (node, " = %s(%s", info->name, asks ? "%q" : constant ? "%v0" : "%x");
  for (guint i = 1; i < n_inputs; i++)
    {
      guint kind = (guint) g_rand_int_range (rand, 0, 10);
      guint n = (guint) g_rand_int_range (rand, 1, (gint32) rank + 1);
      g_autofree char *other = random_shape (rand, dims, rank);

      if (kind == 0 && i >= info->min_inputs)
        g_string_append (node, ", _");
      else if (draws_integers (rand, op, i))
        {
          g_string_append_printf (body, "const %%c%u : i64[%u] = ", i, n);
          append_integers (rand, body, n);
          g_string_append_printf (body, "\n");
          g_string_append_printf (node, ", %%c%u", i);
        }
      else
        {
          g_string_append_printf (head, ", %%v%u : f32[%s]%s", i, other,
                                  kind <= 8 || constant ? " param" : "");
          g_string_append_printf (node, ", %%v%u", i);
        }
    }
  for (const AssayAttrSpec *spec = info->attrs; spec->name != NULL; spec++)
    if (spec->required || g_rand_int_range (rand, 0, 3) == 0)
      {
        g_autoptr (GString) one = g_string_new (NULL);

        if (append_attribute (rand, one, spec, rank))
          g_string_append_printf (attributes, "%s%s", attributes->len > 0 ? ", " : "", one->str);
      }

  return g_strdup_printf ("(%s) { %s %s) {%s} %s return %%y0%s }", head->str, body->str, node->str,
                          attributes->str, constant ? "%z = Relu(%x)" : "", constant ? ", %z" : "");
}

/* A node whose inputs fit each other, which chance hits too seldom. */
typedef struct
{
  GRand *rand;
  GString *head;
  GString *body;
  GString *inputs;
  GString *attributes;
  guint n; /* inputs */
} Fitting;

static guint
draw (Fitting *self, guint least, guint most)
{
  return (guint) g_rand_int_range (self->rand, (gint32) least, (gint32) most + 1);
}

/* The next input: the first one is computed, the others constants as often as not. */
static void fit_input (Fitting *self, gboolean optional, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

static void
fit_input (Fitting *self, gboolean optional, const char *format, ...)
{
  g_autofree char *shape = NULL;
  va_list args;

  va_start (args, format);
  shape = g_strdup_vprintf (format, args);
  va_end (args);

  g_string_append (self->inputs, self->n > 0 ? ", " : "");
  if (optional && draw (self, 0, 2) == 0)
    g_string_append_c (self->inputs, '_');
  else
    {
      g_string_append_printf (self->head, "%s%%a%u : f32[%s]%s", self->n > 0 ? ", " : "", self->n,
                              shape, self->n > 0 && draw (self, 0, 2) > 0 ? " param" : "");
      g_string_append_printf (self->inputs, "%%a%u", self->n);
    }
  self->n++;
}

/* The next input is a list of integers that the graph holds. */
static void
fit_integers (Fitting *self, const char *type, guint n, const gint64 *values)
{
  g_string_append_printf (self->inputs, "%s%%a%u", self->n > 0 ? ", " : "", self->n);
  g_string_append_printf (self->body, "const %%a%u : %s[%u] = [", self->n, type, n);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (self->body, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", values[i]);
  g_string_append (self->body, "] ");
  self->n++;
}

/* The next input is a tensor of one value, over and over. */
static void
fit_filled (Fitting *self, const char *shape, const char *value)
{
  g_auto (GStrv) dims = g_strsplit (shape, ",", -1);
  guint64 n = 1;

  for (guint i = 0; dims[i] != NULL && *shape != '\0'; i++)
    n *= g_ascii_strtoull (dims[i], NULL, 10);
  g_string_append_printf (self->inputs, "%s%%a%u", self->n > 0 ? ", " : "", self->n);
  g_string_append_printf (self->body, "const %%a%u : f32[%s] = [", self->n, shape);
  for (guint64 i = 0; i < n; i++)
    g_string_append_printf (self->body, "%s%s", i > 0 ? ", " : "", value);
  g_string_append (self->body, "] ");
  self->n++;
}

static void
fit_nothing (Fitting *self)
{
  g_string_append (self->inputs, self->n > 0 ? ", _" : "_");
  self->n++;
}

static void fit_attribute (Fitting *self, guint one_of, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

/* Given once in so many times. */
static void
fit_attribute (Fitting *self, guint one_of, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  if (draw (self, 1, one_of) > 1)
    return;
  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_string_append_printf (self->attributes, "%s%s", self->attributes->len > 0 ? ", " : "", text);
}

/* A word, or numbers for each of so many axes. */
#define WORD(self, ...)                                                                            \
  (((const char *const[]){                                                                         \
      __VA_ARGS__ })[draw (self, 0, G_N_ELEMENTS (((const char *const[]){ __VA_ARGS__ })) - 1)])

static char *
numbers (Fitting *self, guint n, guint least, guint most)
{
  GString *text = g_string_new ("[");

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%u", i > 0 ? ", " : "", draw (self, least, most));

  return g_string_free (g_string_append_c (text, ']'), FALSE);
}

static void
fit_window (Fitting *self, AssayOp op)
{
  guint n = draw (self, 1, 2), kernel = draw (self, 1, 3), group = 1u << draw (self, 0, 2);
  guint n_outputs = 4 * draw (self, 1, 2);
  guint across = n == 2 && draw (self, 0, 1) == 0 ? draw (self, 1, 3) : kernel;
  gboolean conv = op == ASSAY_OP_Conv;
  g_autofree char *strides = numbers (self, n, 1, 2), *dilations = numbers (self, n, 1, 2);
  g_autofree char *pads = numbers (self, 2 * n, 0, MIN (kernel, across) - 1);

  fit_input (self, FALSE, "%u,4,6%s", draw (self, 1, 2), n == 2 ? ",5" : "");
  if (conv)
    {
      fit_input (self, FALSE, n == 1 ? "%u,%u,%u" : "%u,%u,%u,%u", n_outputs, 4 / group, kernel,
                 across);
      fit_input (self, TRUE, "%u", n_outputs);
      fit_attribute (self, 1, "group = %u", group);
    }
  fit_attribute (self, conv ? 2 : 1, n == 2 ? "kernel_shape = [%u, %u]" : "kernel_shape = [%u]",
                 kernel, across);
  if (draw (self, 0, 2) > 0)
    fit_attribute (self, 2, "pads = %s", pads);
  else
    fit_attribute (self, 1, "auto_pad = \"%s\"",
                   WORD (self, "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"));
  fit_attribute (self, 3, "strides = %s", strides);
  fit_attribute (self, 3, "dilations = %s", dilations);
  if (!conv)
    fit_attribute (self, 3, "ceil_mode = %u", draw (self, 0, 1));
  if (op == ASSAY_OP_AveragePool)
    fit_attribute (self, 3, "count_include_pad = %u", draw (self, 0, 1));
  if (op == ASSAY_OP_MaxPool)
    fit_attribute (self, 3, "storage_order = %u", draw (self, 0, 1));
}

/* An initial state: none, any, or zeros. */
static void
fit_state (Fitting *self, const guint *dims)
{
  g_autofree char *shape = g_strdup_printf ("%u,%u,2", dims[0], dims[1]);

  if (draw (self, 0, 3) == 0)
    fit_filled (self, shape, "0.0");
  else
    fit_input (self, TRUE, "%s", shape);
}

static void
fit_recurrent (Fitting *self, AssayOp op)
{
  static const char *const functions[][3] = {
    { "\"Tanh\"", "\"Relu\"", "\"Affine\"" },
    { "\"Sigmoid\", \"Tanh\"", "\"HardSigmoid\", \"Tanh\"", "\"Sigmoid\", \"Relu\"" },
    { "\"Sigmoid\", \"Tanh\", \"Tanh\"", "\"Sigmoid\", \"Tanh\", \"Relu\"",
      "\"HardSigmoid\", \"Tanh\", \"Elu\"" }
  };
  guint kind = op == ASSAY_OP_LSTM ? 2 : op == ASSAY_OP_GRU ? 1 : 0;
  guint gates = kind == 2 ? 4 : kind == 1 ? 3 : 1;
  guint direction = draw (self, 0, 4) == 0 ? 2 : draw (self, 0, 1), d = direction == 2 ? 2 : 1;
  guint batch = draw (self, 1, 2), layout = draw (self, 0, 4) == 0;
  const char *words = functions[kind][draw (self, 0, 2)];
  const gint64 lengths[] = { 3, draw (self, 2, 3) };
  const guint states[] = { layout ? batch : d, layout ? d : batch };

  fit_input (self, FALSE, "%u,%u,3", layout ? batch : 3, layout ? 3 : batch);
  fit_input (self, FALSE, "%u,%u,3", d, 2 * gates);
  fit_input (self, FALSE, "%u,%u,2", d, 2 * gates);
  fit_input (self, TRUE, "%u,%u", d, 4 * gates);
  if (draw (self, 0, 3) == 0)
    fit_integers (self, "i32", batch, lengths);
  else
    fit_nothing (self);
  fit_state (self, states);
  if (kind == 2)
    {
      fit_state (self, states);
      if (draw (self, 0, 2) == 0)
        fit_input (self, FALSE, "%u,6", d);
    }
  fit_attribute (self, 2, "hidden_size = 2");
  fit_attribute (self, direction == 0 ? 2 : 1, "direction = \"%s\"",
                 direction == 2   ? "bidirectional"
                 : direction == 1 ? "reverse"
                                  : "forward");
  fit_attribute (self, 3, "activations = [%s%s%s]", words, d == 2 ? ", " : "", d == 2 ? words : "");
  fit_attribute (self, 8, "activation_alpha = [0.5]");
  fit_attribute (self, 8, "activation_beta = [0.25]");
  fit_attribute (self, 6, "clip = %s", WORD (self, "0.1", "5.0"));
  fit_attribute (self, layout ? 1 : 3, "layout = %u", layout);
  if (kind == 2)
    fit_attribute (self, 6, "input_forget = %u", draw (self, 0, 1));
  if (kind == 1)
    fit_attribute (self, 2, "linear_before_reset = %u", draw (self, 0, 1));
}

static void
fit_normalization (Fitting *self, AssayOp op)
{
  gboolean batch = op == ASSAY_OP_BatchNormalization;

  fit_input (self, FALSE, "%u,4,6", draw (self, 1, 2));
  for (guint i = 0; i < (batch ? 4 : 2); i++)
    fit_input (self, FALSE, "4");
  fit_attribute (self, 2, "epsilon = %s", WORD (self, "0.5", "0.00001", "0.0", "2.0"));
  if (batch)
    {
      fit_attribute (self, 2, "momentum = %s", WORD (self, "0.9", "0.5"));
      fit_attribute (self, 3, "training_mode = %u", draw (self, 0, 1));
    }
  else
    {
      fit_attribute (self, 1, "num_groups = %u", 1u << draw (self, 0, 2));
      fit_attribute (self, 3, "stash_type = %s", WORD (self, "1", "10", "16"));
    }
}

static void
fit_layer (Fitting *self, AssayOp op)
{
  fit_input (self, FALSE, "%u,4,6", draw (self, 1, 2));
  fit_input (self, FALSE, "%s", WORD (self, "6", "1", "4,6", "4,1"));
  if (op == ASSAY_OP_LayerNormalization)
    fit_input (self, TRUE, "%s", WORD (self, "6", "1", "4,6"));
  fit_attribute (self, 2, "axis = %s", WORD (self, "-1", "2", "1", "-2"));
  fit_attribute (self, 2, "epsilon = %s", WORD (self, "0.5", "0.0", "2.0"));
  fit_attribute (self, 4, "stash_type = %s", WORD (self, "1", "10", "16"));
}

/* Several of one shape, or with extents that broadcast; Concat has them as they are. */
static void
fit_several (Fitting *self, AssayOp op)
{
  guint n = draw (self, 2, 5);

  for (guint i = 0; i < n; i++)
    fit_input (self, FALSE, "%s",
               op == ASSAY_OP_Concat || draw (self, 0, 3) > 0 ? "2,4,6"
                                                              : WORD (self, "6", "1", "4,1"));
  if (op == ASSAY_OP_Concat)
    fit_attribute (self, 1, "axis = %s", WORD (self, "0", "1", "2", "-1"));
}

static void
fit_choice (Fitting *self, AssayOp op)
{
  guint n = op == ASSAY_OP_Clip ? 3 : 2;

  fit_input (self, FALSE, "%s", op == ASSAY_OP_Clip ? "1,4,6" : WORD (self, "1,4,6", "4,1", "1"));
  for (guint i = 1; i < n; i++)
    {
      const char *shape = op == ASSAY_OP_Clip ? "" : WORD (self, "6", "1", "4,1", "1,4,6", "2,1,6");

      if (draw (self, 0, 1) == 0)
        fit_filled (self, shape, WORD (self, "0.0", "-0.75", "0.5", "1.5"));
      else
        fit_input (self, op == ASSAY_OP_Clip, "%s", shape);
    }
}

static void
fit_where (Fitting *self, AssayOp op)
{
  fit_input (self, FALSE, "1,4,6");
  fit_input (self, FALSE, "%s", WORD (self, "6", "1,4,6"));
  fit_input (self, FALSE, "%s", WORD (self, "6", "4,1", "1,4,6"));
  g_string_append (self->body, "%q = Greater(%a0, %a1) ");
  g_string_assign (self->inputs,
                   self->n > 2 && draw (self, 0, 1) == 0 ? "%q, %a1, %a2" : "%q, %a0, %a2");
}

static void
fit_pad (Fitting *self, AssayOp op)
{
  static const gint64 axes[] = { 2, 0, 1 };
  guint n = draw (self, 1, 3);
  gint64 pads[6];

  for (guint i = 0; i < 2 * n; i++)
    pads[i] = (gint64) draw (self, 0, 3) - 1;
  fit_input (self, FALSE, "1,4,6");
  fit_integers (self, "i64", 2 * n, pads);
  if (draw (self, 0, 1) == 0)
    fit_filled (self, "", WORD (self, "0.0", "-0.0", "0.5", "-2.0"));
  else
    fit_input (self, TRUE, "%s", "");
  if (n < 3)
    fit_integers (self, "i64", n, axes);
  fit_attribute (self, 2, "mode = \"%s\"", WORD (self, "constant", "reflect", "edge", "wrap"));
}

static void
fit_gemm (Fitting *self, AssayOp op)
{
  guint across = draw (self, 0, 1), turned = draw (self, 0, 1);

  fit_input (self, FALSE, across ? "4,3" : "3,4");
  fit_input (self, FALSE, turned ? "5,4" : "4,5");
  fit_input (self, TRUE, "%s", WORD (self, "", "5", "3,1", "3,5"));
  fit_attribute (self, 2, "alpha = %s", WORD (self, "0.0", "0.5", "2.0", "-1.5"));
  fit_attribute (self, 2, "beta = %s", WORD (self, "0.0", "0.5", "2.0", "-1.5"));
  fit_attribute (self, across ? 1 : 2, "transA = %u", across);
  fit_attribute (self, turned ? 1 : 2, "transB = %u", turned);
}

static void
fit_cast (Fitting *self, AssayOp op)
{
  fit_input (self, FALSE, "1,4,6");
  if (op == ASSAY_OP_Cast)
    fit_attribute (self, 1, "to = %s", WORD (self, "1", "10", "16", "11", "17", "24"));
  else
    fit_input (self, FALSE, "%s", WORD (self, "", "6"));
  fit_attribute (self, 2, "saturate = %u", draw (self, 0, 1));
  fit_attribute (self, 2, "round_mode = \"%s\"", WORD (self, "up", "down", "nearest"));
}

/* Axes of one element, from either end; and parts of an axis, equal or not. */
static void
fit_axes (Fitting *self, AssayOp op)
{
  static const gint64 axes[][2] = { { 3, 0 }, { -1, 0 }, { 0, -1 }, { -4, 3 } };
  static const gint64 parts[][2] = { { 3, 3 }, { 2, 4 }, { 6, 0 }, { 1, 5 } };
  gboolean split = op == ASSAY_OP_Split;

  fit_input (self, FALSE, split ? "1,4,6" : "1,4,6,1");
  fit_integers (self, "i64", split ? 2 : draw (self, 1, 2),
                split ? parts[draw (self, 0, 3)] : axes[draw (self, 0, 3)]);
  if (split)
    fit_attribute (self, 1, "axis = %s", WORD (self, "2", "-1"));
}

static void
fit_dropout (Fitting *self, AssayOp op)
{
  fit_input (self, FALSE, "1,4,6");
  fit_input (self, TRUE, "%s", "");
  if (draw (self, 0, 1) == 0)
    return;
  g_string_append_printf (self->body, "const %%t : bool[] = [%s] ", WORD (self, "false", "true"));
  g_string_append (self->inputs, ", %t");
}

static const struct
{
  AssayOp op;
  void (*fit) (Fitting *self, AssayOp op);
} fittings[] = {
  { ASSAY_OP_Conv, fit_window },
  { ASSAY_OP_MaxPool, fit_window },
  { ASSAY_OP_AveragePool, fit_window },
  { ASSAY_OP_LSTM, fit_recurrent },
  { ASSAY_OP_GRU, fit_recurrent },
  { ASSAY_OP_RNN, fit_recurrent },
  { ASSAY_OP_BatchNormalization, fit_normalization },
  { ASSAY_OP_GroupNormalization, fit_normalization },
  { ASSAY_OP_LayerNormalization, fit_layer },
  { ASSAY_OP_Max, fit_several },
  { ASSAY_OP_Min, fit_several },
  { ASSAY_OP_Sum, fit_several },
  { ASSAY_OP_Mean, fit_several },
  { ASSAY_OP_Concat, fit_several },
  { ASSAY_OP_Clip, fit_choice },
  { ASSAY_OP_PRelu, fit_choice },
  { ASSAY_OP_Less, fit_choice },
  { ASSAY_OP_Where, fit_where },
  { ASSAY_OP_Pad, fit_pad },
  { ASSAY_OP_Dropout, fit_dropout },
  { ASSAY_OP_Gemm, fit_gemm },
  { ASSAY_OP_Cast, fit_cast },
  { ASSAY_OP_CastLike, fit_cast },
  { ASSAY_OP_RMSNormalization, fit_layer },
  { ASSAY_OP_Squeeze, fit_axes },
  { ASSAY_OP_Split, fit_axes },
};

/* Half of what is drawn of an operation fits, if it has a row there. */
static char *
fitting_node (GRand *rand, AssayOp op)
{
  g_autoptr (GString) head = g_string_new (NULL);
  g_autoptr (GString) body = g_string_new (NULL);
  g_autoptr (GString) inputs = g_string_new (NULL);
  g_autoptr (GString) attributes = g_string_new (NULL);
  Fitting self = { rand, head, body, inputs, attributes, 0 };
  const char *outputs;

  for (guint i = 0; i < G_N_ELEMENTS (fittings); i++)
    {
      if (fittings[i].op != op || g_rand_boolean (rand))
        continue;
      fittings[i].fit (&self, op);
      outputs = op == ASSAY_OP_Split                                    ? "%y, %z"
                : strstr (attributes->str, "training_mode = 1") != NULL ? "%y, %m, %v"
                                                                        : "%y";
      return g_strdup_printf ("(%s) { %s %s = %s(%s) {%s} return %s }", head->str, body->str,
                              outputs, assay_op_name (op), inputs->str, attributes->str, outputs);
    }

  return random_node (rand, op);
}

/* Every operation that can be compiled, with inputs, constants and attributes as they come. What
 * inference finds fault with is left out: the importer says so. */
static void
test_attributes (void)
{
  static const AssayOp ops[] = {
#define LOWER(op, function) ASSAY_OP_##op,
#include "backend/stream/compile/assay-lower-ops.def"
#undef LOWER
  };
  guint wanted = g_test_slow () ? 1200 : 40;
  guint most = g_test_slow () ? 4000 : 1200;
  guint sound = 0, drawn = 0, missing = 0;
  Tally tally;

  tally_begin (&tally);
  tally.runs = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (ops); i++)
    {
      g_autoptr (GHashTable) given = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
      guint own = 0, left = 1;

      /* What canonical form makes of other nodes has no such node in a file; loops have their own
       * test. */
      gboolean made = ops[i] == ASSAY_OP_Linear || ops[i] == ASSAY_OP_Rsqrt ||
                      ops[i] == ASSAY_OP_Scan;

      for (guint turn = 0; turn < most && (own < wanted || (left > 0 && !made)); turn++)
        {
          g_autoptr (GRand) rand = g_rand_new_with_seed (i * 100000 + turn);
          g_autofree char *text = fitting_node (rand, ops[i]);
          g_autoptr (AssayGraph) graph = machine_graph_try_text (text);

          drawn++;
          if (graph == NULL)
            continue;
          own++;
          attribute_kinds_note (given, graph, ops[i]);
          left = made ? 0 : attribute_kinds_missing (given, ops[i], FALSE);
          try_graph (&tally, graph, text);
        }
      missing += made ? 0 : attribute_kinds_missing (given, ops[i], TRUE);
      if (own == 0 && assay_op_get_info (ops[i])->category != ASSAY_CATEGORY_CONTROL_FLOW)
        g_error ("%s: no sound node was drawn", assay_op_name (ops[i]));
      sound += own;
    }
  g_test_message ("%u of %u graphs are sound, %u kinds never given", sound, drawn, missing);
  tally_end (&tally);
  g_assert_cmpuint (missing, ==, 0);
}

/* What a port is made of: every element type, and what is no tensor. */
static GPtrArray *
list_types (void)
{
  GPtrArray *types = g_ptr_array_new_with_free_func (g_free);
  static const char *const others[] = { "f32[?]", "seq<f32[2]>", "opt<f32[2]>", "map<i64, f32[2]>",
                                        "?" };

  for (AssayDType dtype = ASSAY_DTYPE_UNDEFINED + 1; dtype < ASSAY_N_DTYPES; dtype++)
    g_ptr_array_add (types, g_strdup_printf ("%s[2]", assay_dtype_name (dtype)));
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    g_ptr_array_add (types, g_strdup (others[i]));

  return types;
}

/* Two elements of a type, as text. */
static char *
zeros_of (const char *type)
{
  g_autofree char *name = g_strndup (type, strcspn (type, "["));
  AssayDType dtype;
  gsize n_bytes;

  if (!g_str_has_suffix (type, "[2]") || !assay_dtype_from_name (name, &dtype))
    return NULL;
  if (dtype == ASSAY_DTYPE_STRING)
    return g_strdup ("[\"a\", \"b\"]");
  if (!assay_dtype_byte_size (dtype, 2, &n_bytes))
    return NULL;

  return g_strdup_printf ("hex \"%0*d\"", (int) (2 * n_bytes), 0);
}

/* Inputs that nothing reads, outputs that nothing makes: whatever they are, the check has its
 * verdicts. */
static void
test_ports (void)
{
  static const struct
  {
    gboolean constant;
    const char *rest;
  } forms[] = {
    { FALSE, "%z = Relu(%x) return %z" },
    { FALSE, "%z = Relu(%x) return %z, %u" },
    { TRUE, "%z = Relu(%x) return %z, %u" },
    { TRUE, "%y = Identity(%u) %z = Relu(%x) return %z, %y" },
  };
  g_autoptr (GPtrArray) types = list_types ();
  Tally tally;

  tally_begin (&tally);
  for (guint i = 0; i < types->len; i++)
    for (guint j = 0; j < G_N_ELEMENTS (forms); j++)
      {
        const char *type = g_ptr_array_index (types, i);
        g_autofree char *zeros = zeros_of (type);
        g_autofree char *text = NULL;
        g_autoptr (AssayGraph) graph = NULL;
        g_autoptr (AssayVerdicts) verdicts = NULL;
        g_autoptr (GError) error = NULL;

        if (!forms[j].constant)
          text = g_strdup_printf ("(%%x: f32[2], %%u: %s) { %s }", type, forms[j].rest);
        else if (zeros != NULL)
          text = g_strdup_printf ("(%%x: f32[2]) { const %%u: %s = %s %s }", type, zeros,
                                  forms[j].rest);
        else
          continue;
        graph = machine_graph_try_text (text);
        g_assert_nonnull (graph);
        verdicts = graph_verdicts (tally.target, graph, NULL, &error);
        g_assert_no_error (error);
        try_graph (&tally, graph, text);
      }
  tally_end (&tally);
}

TEST_PROGRAM (agreement)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/agreement/attributes", test_attributes);
  g_test_add_func ("/agreement/recurrent", test_recurrent);
  g_test_add_func ("/agreement/scan", test_scan);
  g_test_add_func ("/agreement/windows", test_windows);
  g_test_add_func ("/agreement/products", test_products);
  g_test_add_func ("/agreement/ports", test_ports);

  return g_test_run ();
}
