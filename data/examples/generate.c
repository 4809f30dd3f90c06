/* generate.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Writes the shipped examples: generate NAME FILE. Names of nodes are those that exporters give.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model-writer.h"

#define FLOAT ASSAY__ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT
#define INT64 ASSAY__ONNX__TENSOR_PROTO__DATA_TYPE__INT64
#define DIMS(...)                                                                                  \
  G_N_ELEMENTS (((gint64[]){ __VA_ARGS__ })), (gint64[])                                           \
  {                                                                                                \
    __VA_ARGS__                                                                                    \
  }

static char *text (ModelWriter *w, const char *format, ...) G_GNUC_PRINTF (2, 3);

static char *
text (ModelWriter *w, const char *format, ...)
{
  va_list args;
  char *string;

  va_start (args, format);
  string = g_strdup_vprintf (format, args);
  va_end (args);
  g_ptr_array_add (w->memory, string);

  return string;
}

/* Weights with bias, as Gemm has them. */
static void
linear (ModelWriter *w, const char *path, const char *input, const char *output, gint64 from,
        gint64 to)
{
  char *weight = text (w, "%s.weight", path);
  char *bias = text (w, "%s.bias", path);

  model_writer_weight (w, weight, DIMS (to, from));
  model_writer_weight (w, bias, DIMS (to));
  model_writer_set_int (w, "transB", 1);
  model_writer_node (w, "Gemm", text (w, "/%s/Gemm", path),
                     text (w, "%s %s %s", input, weight, bias), output);
}

/* Weights with bias on tensors of any rank: a product and a sum. */
static void
dense (ModelWriter *w, const char *path, const char *input, const char *output, gint64 from,
       gint64 to)
{
  char *weight = text (w, "%s.weight", path);
  char *bias = text (w, "%s.bias", path);
  char *product = text (w, "/%s/MatMul_output_0", path);

  model_writer_weight (w, weight, DIMS (from, to));
  model_writer_weight (w, bias, DIMS (to));
  model_writer_node (w, "MatMul", text (w, "/%s/MatMul", path), text (w, "%s %s", input, weight),
                     product);
  model_writer_node (w, "Add", text (w, "/%s/Add", path), text (w, "%s %s", bias, product), output);
}

static void
write_mlp (ModelWriter *w)
{
  const gint64 sizes[] = { 64, 128, 128, 10 };
  const char *at = "input";

  model_writer_input (w, "input", FLOAT, "batch,64");
  for (int i = 0; i < 3; i++)
    {
      char *path = text (w, "layers.%d", 2 * i);
      char *sum = i < 2 ? text (w, "/%s/Gemm_output_0", path) : (char *) "logits";

      linear (w, path, at, sum, sizes[i], sizes[i + 1]);
      at = sum;
      if (i < 2)
        {
          at = text (w, "/layers.%d/Relu_output_0", 2 * i + 1);
          model_writer_node (w, "Relu", text (w, "/layers.%d/Relu", 2 * i + 1), sum, at);
        }
    }
  model_writer_set_int (w, "axis", -1);
  model_writer_node (w, "Softmax", "/Softmax", "logits", "probabilities");
  model_writer_output (w, "probabilities", FLOAT, "batch,10");
}

/* Left padded convolutions over time, so that each step needs the past only. */
static void
write_streaming_cnn (ModelWriter *w)
{
  const gint64 channels[] = { 32, 64, 64, 64 };
  const char *at = "frames";

  model_writer_input (w, "frames", FLOAT, "1,32,64");
  for (int i = 0; i < 3; i++)
    {
      char *path = text (w, "blocks.%d", i);
      gint64 n = channels[i + 1];
      char *conv = text (w, "/%s/conv/Conv_output_0", path);
      char *norm = text (w, "/%s/norm/BatchNormalization_output_0", path);
      char *relu = text (w, "/%s/act/Relu_output_0", path);

      model_writer_weight (w, text (w, "%s.conv.weight", path), DIMS (n, channels[i], 3));
      model_writer_weight (w, text (w, "%s.conv.bias", path), DIMS (n));
      model_writer_set_ints (w, "kernel_shape", 1, (gint64[]){ 3 });
      model_writer_set_ints (w, "pads", 2, (gint64[]){ 2, 0 });
      model_writer_set_ints (w, "strides", 1, (gint64[]){ 1 });
      model_writer_node (w, "Conv", text (w, "/%s/conv/Conv", path),
                         text (w, "%s %s.conv.weight %s.conv.bias", at, path, path), conv);

      model_writer_filled (w, text (w, "%s.norm.weight", path), DIMS (n), 1.0f);
      model_writer_filled (w, text (w, "%s.norm.bias", path), DIMS (n), 0.0f);
      model_writer_filled (w, text (w, "%s.norm.running_mean", path), DIMS (n), 0.01f);
      model_writer_filled (w, text (w, "%s.norm.running_var", path), DIMS (n), 0.9f);
      model_writer_node (
          w, "BatchNormalization", text (w, "/%s/norm/BatchNormalization", path),
          text (w, "%s %s.norm.weight %s.norm.bias %s.norm.running_mean %s.norm.running_var", conv,
                path, path, path, path),
          norm);
      model_writer_node (w, "Relu", text (w, "/%s/act/Relu", path), norm, relu);
      at = relu;
    }
  model_writer_weight (w, "head.weight", DIMS (8, 64, 1));
  model_writer_weight (w, "head.bias", DIMS (8));
  model_writer_set_ints (w, "kernel_shape", 1, (gint64[]){ 1 });
  model_writer_node (w, "Conv", "/head/Conv", text (w, "%s head.weight head.bias", at), "scores");
  model_writer_output (w, "scores", FLOAT, "1,8,64");
}

static void
write_lstm (ModelWriter *w)
{
  model_writer_input (w, "sequence", FLOAT, "steps,1,32");
  for (int i = 0; i < 2; i++)
    {
      gint64 inputs = i == 0 ? 32 : 64;

      model_writer_weight (w, text (w, "lstm.weight_ih_l%d", i), DIMS (1, 256, inputs));
      model_writer_weight (w, text (w, "lstm.weight_hh_l%d", i), DIMS (1, 256, 64));
      model_writer_weight (w, text (w, "lstm.bias_l%d", i), DIMS (1, 512));
      model_writer_set_int (w, "hidden_size", 64);
      model_writer_node (w, "LSTM", i == 0 ? "/lstm/LSTM" : "/lstm/LSTM_1",
                         text (w, "%s lstm.weight_ih_l%d lstm.weight_hh_l%d lstm.bias_l%d",
                               i == 0 ? "sequence" : "/lstm/Squeeze_output_0", i, i, i),
                         text (w, "/lstm/LSTM_%d_output_0", i));
      model_writer_integers (w, text (w, "/lstm/axes_%d", i), DIMS (1), (gint64[]){ 1 });
      model_writer_node (w, "Squeeze", i == 0 ? "/lstm/Squeeze" : "/lstm/Squeeze_1",
                         text (w, "/lstm/LSTM_%d_output_0 /lstm/axes_%d", i, i),
                         i == 0 ? "/lstm/Squeeze_output_0" : "/lstm/Squeeze_1_output_0");
    }
  dense (w, "head", "/lstm/Squeeze_1_output_0", "/head/Add_output_0", 64, 4);
  model_writer_node (w, "Sigmoid", "/Sigmoid", "/head/Add_output_0", "scores");
  model_writer_output (w, "scores", FLOAT, "steps,1,4");
}

/* Layer normalisation as exporters before opset 17 write it. */
static void
layer_norm (ModelWriter *w, const char *path, const char *input, const char *output)
{
  static const struct
  {
    const char *op_type;
    const char *suffix;
    const char *inputs;
    const char *output;
  } steps[] = {
    { "ReduceMean", "ReduceMean", "@", "mean" },
    { "Sub", "Sub", "@ mean", "centred" },
    { "Pow", "Pow", "centred two", "square" },
    { "ReduceMean", "ReduceMean_1", "square", "variance" },
    { "Add", "Add", "variance epsilon", "shifted" },
    { "Sqrt", "Sqrt", "shifted", "deviation" },
    { "Div", "Div", "centred deviation", "normal" },
    { "Mul", "Mul", "normal weight", "scaled" },
    { "Add", "Add_1", "scaled bias", "=" },
  };

  model_writer_filled (w, text (w, "/%s/two", path), 0, NULL, 2.0f);
  model_writer_filled (w, text (w, "/%s/epsilon", path), 0, NULL, 1e-5f);
  model_writer_filled (w, text (w, "/%s/weight", path), DIMS (64), 1.0f);
  model_writer_filled (w, text (w, "/%s/bias", path), DIMS (64), 0.0f);
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      g_auto (GStrv) names = g_strsplit (steps[i].inputs, " ", -1);
      g_autoptr (GString) inputs = g_string_new (NULL);

      for (guint j = 0; names[j] != NULL; j++)
        g_string_append_printf (inputs, "%s%s", j > 0 ? " " : "",
                                names[j][0] == '@' ? input : text (w, "/%s/%s", path, names[j]));
      if (g_str_has_prefix (steps[i].suffix, "ReduceMean"))
        model_writer_set_ints (w, "axes", 1, (gint64[]){ -1 });
      model_writer_node (
          w, steps[i].op_type, text (w, "/%s/%s", path, steps[i].suffix), inputs->str,
          steps[i].output[0] == '=' ? output : text (w, "/%s/%s", path, steps[i].output));
    }
}

/* One head dimension is split off and put in front: [batch, seq, 64] to [batch, 4, seq, 16], keys
 * transposed. */
static char *
split_heads (ModelWriter *w, const char *path, const char *which, const char *input)
{
  char *reshaped = text (w, "/%s/%s/Reshape_output_0", path, which);
  char *output = text (w, "/%s/%s/Transpose_output_0", path, which);
  gboolean is_key = g_str_equal (which, "key");

  model_writer_integers (w, text (w, "/%s/%s/shape", path, which), DIMS (4),
                         (gint64[]){ 0, 0, 4, 16 });
  model_writer_node (w, "Reshape", text (w, "/%s/%s/Reshape", path, which),
                     text (w, "%s /%s/%s/shape", input, path, which), reshaped);
  model_writer_set_ints (w, "perm", 4,
                         is_key ? (gint64[]){ 0, 2, 3, 1 } : (gint64[]){ 0, 2, 1, 3 });
  model_writer_node (w, "Transpose", text (w, "/%s/%s/Transpose", path, which), reshaped, output);

  return output;
}

static char *
attention (ModelWriter *w, const char *path, const char *input)
{
  const char *names[] = { "query", "key", "value" };
  char *heads[3];

  for (int i = 0; i < 3; i++)
    {
      char *projection = text (w, "%s/%s", path, names[i]);
      char *out = text (w, "/%s/Add_output_0", projection);

      dense (w, projection, input, out, 64, 64);
      heads[i] = split_heads (w, path, names[i], out);
    }

  model_writer_filled (w, text (w, "/%s/scale", path), 0, NULL, 4.0f);
  model_writer_node (w, "MatMul", text (w, "/%s/MatMul", path),
                     text (w, "%s %s", heads[0], heads[1]), text (w, "/%s/scores", path));
  model_writer_node (w, "Div", text (w, "/%s/Div", path),
                     text (w, "/%s/scores /%s/scale", path, path), text (w, "/%s/scaled", path));
  model_writer_set_int (w, "axis", -1);
  model_writer_node (w, "Softmax", text (w, "/%s/Softmax", path), text (w, "/%s/scaled", path),
                     text (w, "/%s/weights", path));
  model_writer_node (w, "MatMul", text (w, "/%s/MatMul_1", path),
                     text (w, "/%s/weights %s", path, heads[2]), text (w, "/%s/mixed", path));
  model_writer_set_ints (w, "perm", 4, (gint64[]){ 0, 2, 1, 3 });
  model_writer_node (w, "Transpose", text (w, "/%s/Transpose", path), text (w, "/%s/mixed", path),
                     text (w, "/%s/turned", path));
  model_writer_integers (w, text (w, "/%s/shape", path), DIMS (3), (gint64[]){ 0, 0, 64 });
  model_writer_node (w, "Reshape", text (w, "/%s/Reshape", path),
                     text (w, "/%s/turned /%s/shape", path, path), text (w, "/%s/joined", path));
  dense (w, text (w, "%s/output", path), text (w, "/%s/joined", path), text (w, "/%s/out", path),
         64, 64);

  return text (w, "/%s/out", path);
}

/* GELU by the error function, as exporters write it. */
static void
gelu (ModelWriter *w, const char *path, const char *input, const char *output)
{
  model_writer_filled (w, text (w, "/%s/root_two", path), 0, NULL, 1.41421356f);
  model_writer_filled (w, text (w, "/%s/one", path), 0, NULL, 1.0f);
  model_writer_filled (w, text (w, "/%s/half", path), 0, NULL, 0.5f);
  model_writer_node (w, "Div", text (w, "/%s/Div", path), text (w, "%s /%s/root_two", input, path),
                     text (w, "/%s/div", path));
  model_writer_node (w, "Erf", text (w, "/%s/Erf", path), text (w, "/%s/div", path),
                     text (w, "/%s/erf", path));
  model_writer_node (w, "Add", text (w, "/%s/Add", path), text (w, "/%s/erf /%s/one", path, path),
                     text (w, "/%s/add", path));
  model_writer_node (w, "Mul", text (w, "/%s/Mul", path), text (w, "%s /%s/add", input, path),
                     text (w, "/%s/mul", path));
  model_writer_node (w, "Mul", text (w, "/%s/Mul_1", path),
                     text (w, "/%s/mul /%s/half", path, path), output);
}

static void
write_transformer_block (ModelWriter *w)
{
  const char *block = "encoder/layer.0";
  char *mixed;

  model_writer_input (w, "tokens", FLOAT, "batch,seq,64");
  layer_norm (w, text (w, "%s/norm1", block), "tokens", "/encoder/layer.0/norm1/out");
  mixed = attention (w, text (w, "%s/attention", block), "/encoder/layer.0/norm1/out");
  model_writer_node (w, "Add", "/encoder/layer.0/Add", text (w, "tokens %s", mixed),
                     "/encoder/layer.0/residual");
  layer_norm (w, text (w, "%s/norm2", block), "/encoder/layer.0/residual",
              "/encoder/layer.0/norm2/out");
  dense (w, text (w, "%s/mlp/fc1", block), "/encoder/layer.0/norm2/out",
         "/encoder/layer.0/mlp/fc1/out", 64, 256);
  gelu (w, text (w, "%s/mlp/act", block), "/encoder/layer.0/mlp/fc1/out",
        "/encoder/layer.0/mlp/act/out");
  dense (w, text (w, "%s/mlp/fc2", block), "/encoder/layer.0/mlp/act/out",
         "/encoder/layer.0/mlp/fc2/out", 256, 64);
  model_writer_node (w, "Add", "/encoder/layer.0/Add_1",
                     "/encoder/layer.0/residual /encoder/layer.0/mlp/fc2/out", "encoded");
  model_writer_output (w, "encoded", FLOAT, "batch,seq,64");
}

/* A picture branch and a sequence branch that few accelerators take, refused for many different
 * reasons. */
static void
write_picture_branch (ModelWriter *w)
{
  model_writer_input (w, "image", FLOAT, "1,3,32,32");
  model_writer_weight (w, "stem.weight", DIMS (8, 3, 3, 3));
  model_writer_weight (w, "stem.bias", DIMS (8));
  model_writer_set_ints (w, "kernel_shape", 2, (gint64[]){ 3, 3 });
  model_writer_set_ints (w, "pads", 4, (gint64[]){ 1, 1, 1, 1 });
  model_writer_node (w, "Conv", "/backbone/stem/Conv", "image stem.weight stem.bias", "stem");
  model_writer_set_float (w, "alpha", 0.2f);
  model_writer_node (w, "HardSigmoid", "/backbone/act/HardSigmoid", "stem", "gated");
  model_writer_set_ints (w, "kernel_shape", 2, (gint64[]){ 3, 3 });
  model_writer_set_ints (w, "strides", 2, (gint64[]){ 2, 2 });
  model_writer_set_int (w, "ceil_mode", 1);
  model_writer_node (w, "MaxPool", "/backbone/pool/MaxPool", "gated", "pooled");
  model_writer_weight (w, "deep.weight", DIMS (8, 1, 3, 3));
  model_writer_set_int (w, "group", 8);
  model_writer_set_ints (w, "dilations", 2, (gint64[]){ 4, 4 });
  model_writer_set_ints (w, "pads", 4, (gint64[]){ 4, 4, 4, 4 });
  model_writer_node (w, "Conv", "/backbone/deep/Conv", "pooled deep.weight", "deep");
  model_writer_floats (w, "/neck/up/scales", DIMS (4), (float[]){ 1.0f, 1.0f, 1.5f, 1.5f });
  model_writer_set_string (w, "mode", "cubic");
  model_writer_set_string (w, "coordinate_transformation_mode", "align_corners");
  model_writer_node (w, "Resize", "/neck/up/Resize", "deep - /neck/up/scales", "large");
  model_writer_integers (w, "/neck/pad/amounts", DIMS (8), (gint64[]){ 0, 0, 1, 1, 0, 0, 1, 1 });
  model_writer_set_string (w, "mode", "reflect");
  model_writer_node (w, "Pad", "/neck/pad/Pad", "large /neck/pad/amounts", "framed");
  model_writer_set_ints (w, "axes", 2, (gint64[]){ 2, 3 });
  model_writer_set_int (w, "keepdims", 0);
  model_writer_node (w, "ReduceMax", "/neck/ReduceMax", "framed", "features");
  model_writer_filled (w, "/neck/exponent", 0, NULL, 1.5f);
  model_writer_node (w, "Pow", "/neck/Pow", "features /neck/exponent", "powered");
  model_writer_domain (w, "com.example.vision", 1);
  model_writer_set_float (w, "temperature", 0.7f);
  model_writer_node (w, "com.example.vision::SoftRank", "/neck/SoftRank", "powered", "ranked");
  model_writer_integers (w, "/head/k", DIMS (1), (gint64[]){ 3 });
  model_writer_node (w, "TopK", "/head/TopK", "powered /head/k", "best best_index");
  model_writer_set_int (w, "to", FLOAT);
  model_writer_node (w, "Cast", "/head/Cast", "best_index", "best_places");
}

static void
write_sequence_branch (ModelWriter *w, ModelWriter *then_body, ModelWriter *else_body)
{
  model_writer_input (w, "audio", FLOAT, "1,16,frames");
  model_writer_weight (w, "conv1d.weight", DIMS (16, 16, 3));
  model_writer_set_ints (w, "kernel_shape", 1, (gint64[]){ 3 });
  model_writer_set_ints (w, "pads", 2, (gint64[]){ 1, 1 });
  model_writer_node (w, "Conv", "/audio/Conv", "audio conv1d.weight", "filtered");
  model_writer_node (w, "Shape", "/audio/Shape", "filtered", "filtered_shape");
  model_writer_integers (w, "/audio/index", DIMS (1), (gint64[]){ 2 });
  model_writer_node (w, "Gather", "/audio/Gather", "filtered_shape /audio/index", "length");
  model_writer_set_int (w, "to", FLOAT);
  model_writer_node (w, "Cast", "/audio/Cast", "length", "length_float");
  model_writer_node (w, "Div", "/audio/Div", "filtered length_float", "scaled");
  model_writer_set_ints (w, "perm", 3, (gint64[]){ 2, 0, 1 });
  model_writer_node (w, "Transpose", "/audio/Transpose", "scaled", "steps");
  model_writer_weight (w, "gru.weight_ih", DIMS (1, 48, 16));
  model_writer_weight (w, "gru.weight_hh", DIMS (1, 48, 16));
  model_writer_set_int (w, "hidden_size", 16);
  model_writer_node (w, "GRU", "/audio/gru/GRU", "steps gru.weight_ih gru.weight_hh",
                     "states last_state");
  model_writer_node (w, "MatMul", "/audio/similarity/MatMul", "scaled steps", "similarity");
  model_writer_integers (w, "/audio/slice/starts", DIMS (1), (gint64[]){ 0 });
  model_writer_integers (w, "/audio/slice/ends", DIMS (1), (gint64[]){ G_MAXINT64 });
  model_writer_integers (w, "/audio/slice/axes", DIMS (1), (gint64[]){ 1 });
  model_writer_integers (w, "/audio/slice/steps", DIMS (1), (gint64[]){ 2 });
  model_writer_node (
      w, "Slice", "/audio/slice/Slice",
      "scaled /audio/slice/starts /audio/slice/ends /audio/slice/axes /audio/slice/steps",
      "half_rate");
  model_writer_filled (w, "/audio/threshold", 0, NULL, 0.5f);
  model_writer_node (w, "ReduceSum", "/audio/energy/ReduceSum", "half_rate", "energy");
  model_writer_node (w, "Greater", "/audio/Greater", "energy /audio/threshold", "is_loud_nd");
  model_writer_node (w, "Squeeze", "/audio/Squeeze", "is_loud_nd", "is_loud");

  model_writer_output (then_body, "loud", FLOAT, "1,16,?");
  model_writer_node (then_body, "Softsign", "/audio/loud/Softsign", "filtered", "loud");
  model_writer_output (else_body, "quiet", FLOAT, "1,16,?");
  model_writer_node (else_body, "Celu", "/audio/quiet/Celu", "filtered", "quiet");
  model_writer_set_graph (w, "then_branch", then_body);
  model_writer_set_graph (w, "else_branch", else_body);
  model_writer_node (w, "If", "/audio/If", "is_loud", "levelled");
}

static void
write_many_refusals (ModelWriter *w, ModelWriter *then_body, ModelWriter *else_body)
{
  write_picture_branch (w);
  write_sequence_branch (w, then_body, else_body);
  linear (w, "head.fc", "powered", "/head/fc/Gemm_output_0", 8, 4);
  model_writer_node (w, "Relu", "/head/act/Relu", "/head/fc/Gemm_output_0", "class_scores");
  model_writer_output (w, "class_scores", FLOAT, "1,4");
  model_writer_output (w, "best", FLOAT, "1,3");
  model_writer_output (w, "best_places", FLOAT, "1,3");
  model_writer_output (w, "ranked", FLOAT, "1,8");
  model_writer_output (w, "levelled", FLOAT, "1,16,?");
  model_writer_output (w, "similarity", FLOAT, "?,16,16");
  model_writer_output (w, "states", FLOAT, "?,1,1,16");
}

static const struct
{
  const char *name;
  gint64 opset;
  void (*write) (ModelWriter *w);
  void (*write_with_bodies) (ModelWriter *w, ModelWriter *first, ModelWriter *second);
} examples[] = {
  { "mlp", 17, write_mlp, NULL },
  { "streaming-cnn", 17, write_streaming_cnn, NULL },
  { "lstm", 17, write_lstm, NULL },
  { "transformer-block", 13, write_transformer_block, NULL },
  { "many-refusals", 17, NULL, write_many_refusals },
};

int
main (int argc, char **argv)
{
  g_auto (ModelWriter) then_body = { 0 };
  g_auto (ModelWriter) else_body = { 0 };
  g_auto (ModelWriter) writer = { 0 };
  g_autoptr (GError) error = NULL;

  if (argc != 3)
    {
      fprintf (stderr, "usage: generate NAME FILE\n");
      return EXIT_FAILURE;
    }

  for (guint i = 0; i < G_N_ELEMENTS (examples); i++)
    {
      if (strcmp (examples[i].name, argv[1]) != 0)
        continue;

      model_writer_init (&writer, examples[i].name);
      model_writer_init (&then_body, "then_branch");
      model_writer_init (&else_body, "else_branch");
      if (examples[i].write != NULL)
        examples[i].write (&writer);
      else
        examples[i].write_with_bodies (&writer, &then_body, &else_body);
      if (model_writer_save (&writer, argv[2], examples[i].opset, &error))
        return EXIT_SUCCESS;
      fprintf (stderr, "generate: %s\n", error->message);
      return EXIT_FAILURE;
    }

  fprintf (stderr, "generate: there is no example %s\n", argv[1]);
  return EXIT_FAILURE;
}
