/* ncnn-model.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Writes what a .param file of NCNN describes as an ONNX model with weights of its own: ncnn-model
 * PARAM FILE. It knows the layers of the networks that its benchmark is known for.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model-writer.h"

#define FLOAT ASSAY__ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT
#define OPSET 17
#define MAGIC "7767517"

/* A line of the file: a layer with what it reads and makes, and parameters by their number. */
typedef struct
{
  char **words;
  guint n_in;
  guint n_out;
  guint n_words;
} Layer;

typedef struct
{
  ModelWriter w;
  GHashTable *names; /* of what a Split or Dropout hands on, the name of what it reads */
  const char *last;
  char shape[64]; /* of that */
} Net;

static const char *
blob (const Net *net, const Layer *layer, guint i)
{
  const char *name = layer->words[4 + i];
  const char *source = g_hash_table_lookup (net->names, name);

  return source != NULL ? source : name;
}

static const char *
result (const Layer *layer)
{
  return layer->words[4 + layer->n_in];
}

static gint64
value (const Layer *layer, guint key, gint64 otherwise)
{
  g_autofree char *start = g_strdup_printf ("%u=", key);

  for (guint i = 4 + layer->n_in + layer->n_out; i < layer->n_words; i++)
    if (g_str_has_prefix (layer->words[i], start))
      return g_ascii_strtoll (layer->words[i] + strlen (start), NULL, 10);

  return otherwise;
}

/* What the file says of the shape of a result: rank, width, height, channels. */
static void
note_shape (Net *net, const Layer *layer)
{
  int rank, width, height, channels;

  net->last = result (layer);
  for (guint i = 4 + layer->n_in + layer->n_out; i < layer->n_words; i++)
    if (sscanf (layer->words[i], "-23330=%*d,%d,%d,%d,%d", &rank, &width, &height, &channels) == 4)
      g_snprintf (net->shape, sizeof net->shape, rank == 1 ? "1,%d" : "1,%d,%d,%d",
                  rank == 1 ? width : channels, height, width);
}

/* A node for a layer, and one for the Relu that takes effect in it. */
static gboolean
add_node (Net *net, const Layer *layer, const char *op, const char *inputs)
{
  gint64 activation = value (layer, 9, 0);
  g_autofree char *between = g_strconcat (result (layer), "/before", NULL);

  model_writer_node (&net->w, op, layer->words[1], inputs,
                     activation == 1 ? between : result (layer));
  if (activation == 1)
    model_writer_node (&net->w, "Relu", between, between, result (layer));
  note_shape (net, layer);

  return activation == 0 || activation == 1;
}

static gboolean
add_input (Net *net, const Layer *layer)
{
  g_autofree char *shape = g_strdup_printf (
      "1,%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT, value (layer, 2, 1),
      value (layer, 1, 1), value (layer, 0, 1));

  model_writer_input (&net->w, result (layer), FLOAT, shape);
  puts (shape);

  return TRUE;
}

/* What weights and bias of a layer are called; there is always a bias. */
static char *
add_weights (Net *net, const Layer *layer, guint rank, const gint64 *dims)
{
  g_autofree char *weight = g_strconcat (layer->words[1], "/weight", NULL);
  g_autofree char *bias = g_strconcat (layer->words[1], "/bias", NULL);

  model_writer_weight (&net->w, weight, rank, dims);
  model_writer_weight (&net->w, bias, 1, dims);

  return g_strdup_printf ("%s %s", weight, bias);
}

static gboolean
add_conv (Net *net, const Layer *layer)
{
  gint64 width = value (layer, 1, 1), height = value (layer, 11, width);
  gint64 stride = value (layer, 3, 1), dilation = value (layer, 2, 1);
  gint64 left = value (layer, 4, 0), top = value (layer, 14, left);
  gint64 group = value (layer, 7, 1), n = value (layer, 0, 1);
  const gint64 dims[] = { n, value (layer, 6, 0) / (n * width * height), height, width };
  g_autofree char *weights = add_weights (net, layer, 4, dims);
  g_autofree char *inputs = g_strdup_printf ("%s %s", blob (net, layer, 0), weights);

  model_writer_set_ints (&net->w, "strides", 2, (gint64[]){ value (layer, 13, stride), stride });
  model_writer_set_ints (&net->w, "dilations", 2,
                         (gint64[]){ value (layer, 12, dilation), dilation });
  model_writer_set_ints (&net->w, "pads", 4,
                         (gint64[]){ top, left, value (layer, 16, top), value (layer, 15, left) });
  model_writer_set_int (&net->w, "group", group);

  return left >= 0 && top >= 0 && add_node (net, layer, "Conv", inputs);
}

static gboolean
add_pooling (Net *net, const Layer *layer)
{
  gboolean is_mean = value (layer, 0, 0) == 1;
  gint64 kernel = value (layer, 1, 1), stride = value (layer, 2, 1), pad = value (layer, 3, 0);

  if (value (layer, 4, 0) == 1)
    return add_node (net, layer, is_mean ? "GlobalAveragePool" : "GlobalMaxPool",
                     blob (net, layer, 0));
  model_writer_set_ints (&net->w, "kernel_shape", 2,
                         (gint64[]){ value (layer, 11, kernel), kernel });
  model_writer_set_ints (&net->w, "strides", 2, (gint64[]){ value (layer, 12, stride), stride });
  model_writer_set_ints (&net->w, "pads", 4, (gint64[]){ pad, pad, pad, pad });
  model_writer_set_int (&net->w, "ceil_mode", value (layer, 5, 0) == 0);

  return value (layer, 5, 0) <= 1 &&
         add_node (net, layer, is_mean ? "AveragePool" : "MaxPool", blob (net, layer, 0));
}

static gboolean
add_joined (Net *net, const Layer *layer)
{
  static const char *const ops[] = { "Mul", "Add" };
  gboolean joins = g_str_equal (layer->words[0], "Concat");
  gint64 op = value (layer, 0, 0);
  g_autoptr (GString) inputs = g_string_new (NULL);

  for (guint i = 0; i < layer->n_in; i++)
    g_string_append_printf (inputs, "%s%s", i > 0 ? " " : "", blob (net, layer, i));
  if (joins)
    model_writer_set_int (&net->w, "axis", 1);

  return joins ? op == 0 && add_node (net, layer, "Concat", inputs->str)
               : op < 2 && layer->n_in == 2 && add_node (net, layer, ops[op], inputs->str);
}

static gboolean
add_product (Net *net, const Layer *layer)
{
  gint64 n = value (layer, 0, 1);
  g_autofree char *weights = add_weights (net, layer, 2, (gint64[]){ n, value (layer, 2, 0) / n });
  g_autofree char *flat = g_strconcat (layer->words[1], "/flat", NULL);
  g_autofree char *inputs = g_strdup_printf ("%s %s", flat, weights);

  model_writer_node (&net->w, "Flatten", flat, blob (net, layer, 0), flat);
  model_writer_set_int (&net->w, "transB", 1);

  return add_node (net, layer, "Gemm", inputs);
}

static gboolean
add_function (Net *net, const Layer *layer)
{
  gboolean is_softmax = g_str_equal (layer->words[0], "Softmax");

  if (is_softmax)
    model_writer_set_int (&net->w, "axis", 1 + value (layer, 0, 0));

  return value (layer, 0, 0) == 0 &&
         add_node (net, layer, is_softmax ? "Softmax" : "Relu", blob (net, layer, 0));
}

static gboolean
hand_on (Net *net, const Layer *layer)
{
  for (guint i = 0; i < layer->n_out; i++)
    g_hash_table_insert (net->names, layer->words[4 + layer->n_in + i],
                         (gpointer) blob (net, layer, 0));

  return TRUE;
}

static gboolean
add_layer (Net *net, const Layer *layer)
{
  static const struct
  {
    const char *type;
    gboolean (*add) (Net *net, const Layer *layer);
  } rows[] = {
    { "Input", add_input },     { "Convolution", add_conv }, { "ConvolutionDepthWise", add_conv },
    { "Pooling", add_pooling }, { "Concat", add_joined },    { "Eltwise", add_joined },
    { "ReLU", add_function },   { "Softmax", add_function }, { "InnerProduct", add_product },
    { "Split", hand_on },       { "Dropout", hand_on },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (g_str_equal (rows[i].type, layer->words[0]))
      return rows[i].add (net, layer);

  return FALSE;
}

static gboolean
read_layer (char *line, Layer *layer)
{
  guint n = 0;

  layer->words = g_strsplit_set (g_strstrip (line), " \t", -1);
  for (guint i = 0; layer->words[i] != NULL; i++)
    if (*layer->words[i] != '\0')
      layer->words[n++] = layer->words[i];
    else
      g_free (layer->words[i]);
  layer->words[n] = NULL;
  layer->n_words = n;
  if (n < 4)
    return FALSE;
  layer->n_in = (guint) strtoul (layer->words[2], NULL, 10);
  layer->n_out = (guint) strtoul (layer->words[3], NULL, 10);

  return layer->n_in < n && layer->n_out < n && n >= 4 + layer->n_in + layer->n_out &&
         layer->n_out > 0;
}

static int
convert (char **lines, const char *path)
{
  g_autoptr (GPtrArray) kept = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev);
  g_autoptr (GError) error = NULL;
  Net net = { .names = g_hash_table_new (g_str_hash, g_str_equal) };
  int status = 0;

  model_writer_init (&net.w, "ncnn");
  for (guint i = 2; status == 0 && lines[0] != NULL && lines[1] != NULL && lines[i] != NULL; i++)
    {
      Layer layer = { 0 };

      if (*g_strstrip (lines[i]) == '\0')
        continue;
      if (!read_layer (lines[i], &layer) || !add_layer (&net, &layer))
        {
          fprintf (stderr, "line %u: there is no such layer here: %s\n", i + 1, lines[i]);
          status = 1;
        }
      g_ptr_array_add (kept, layer.words);
    }
  if (status == 0 && net.last != NULL)
    model_writer_output (&net.w, net.last, FLOAT, net.shape);
  if (status == 0 && (net.last == NULL || !model_writer_save (&net.w, path, OPSET, &error)))
    {
      fprintf (stderr, "%s: %s\n", path, error != NULL ? error->message : "there are no layers");
      status = 1;
    }
  model_writer_clear (&net.w);
  g_hash_table_unref (net.names);

  return status;
}

int
main (int argc, char **argv)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  g_autoptr (GError) error = NULL;

  if (argc != 3)
    {
      fputs ("usage: ncnn-model PARAM FILE\n", stderr);
      return 2;
    }
  if (!g_file_get_contents (argv[1], &text, NULL, &error))
    {
      fprintf (stderr, "%s\n", error->message);
      return 1;
    }
  if (!g_str_has_prefix (text, MAGIC))
    {
      fprintf (stderr, "%s: this is no description of layers\n", argv[1]);
      return 1;
    }
  lines = g_strsplit (text, "\n", -1);

  return convert (lines, argv[2]);
}
