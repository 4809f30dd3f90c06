/* model-writer.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "model-writer.h"

#include <string.h>

typedef Assay__Onnx__AttributeProto Attribute;
typedef Assay__Onnx__TensorProto Tensor;
typedef Assay__Onnx__ValueInfoProto ValueInfo;
typedef Assay__Onnx__TensorShapeProto__Dimension Dimension;

/* Everything a model is made of lives as long as its writer. */
static gpointer
keep (ModelWriter *self, gpointer memory)
{
  g_ptr_array_add (self->memory, memory);
  return memory;
}

static char *
keep_string (ModelWriter *self, const char *string)
{
  return keep (self, g_strdup (string));
}

/* The generator of Vigna, xorshift64*; good enough for weights, and the same on every machine. */
static float
next_weight (ModelWriter *self)
{
  guint64 x = self->state;

  x ^= x >> 12;
  x ^= x << 25;
  x ^= x >> 27;
  self->state = x;

  return (float) ((double) ((x * 0x2545f4914f6cdd1dull) >> 40) / (1 << 24)) - 0.5f;
}

void
model_writer_init (ModelWriter *self, const char *name)
{
  *self = (ModelWriter){
    .graph = ASSAY__ONNX__GRAPH_PROTO__INIT,
    .memory = g_ptr_array_new_with_free_func (g_free),
    .nodes = g_ptr_array_new (),
    .inputs = g_ptr_array_new (),
    .outputs = g_ptr_array_new (),
    .initializers = g_ptr_array_new (),
    .attributes = g_ptr_array_new (),
    .domains = g_ptr_array_new (),
    .state = 0x9e3779b97f4a7c15ull,
  };
  self->graph.name = keep_string (self, name);
}

void
model_writer_clear (ModelWriter *self)
{
  g_clear_pointer (&self->nodes, g_ptr_array_unref);
  g_clear_pointer (&self->inputs, g_ptr_array_unref);
  g_clear_pointer (&self->outputs, g_ptr_array_unref);
  g_clear_pointer (&self->initializers, g_ptr_array_unref);
  g_clear_pointer (&self->attributes, g_ptr_array_unref);
  g_clear_pointer (&self->domains, g_ptr_array_unref);
  g_clear_pointer (&self->memory, g_ptr_array_unref);
}

/* A shape is written as `batch,3,?`: numbers, symbols, and ? for an extent that nobody knows. */
static ValueInfo *
new_value_info (ModelWriter *self, const char *name, int data_type, const char *text)
{
  Assay__Onnx__TypeProto__Tensor *tensor = keep (self, g_new0 (Assay__Onnx__TypeProto__Tensor, 1));
  Assay__Onnx__TensorShapeProto *shape = keep (self, g_new0 (Assay__Onnx__TensorShapeProto, 1));
  Assay__Onnx__TypeProto *type = keep (self, g_new0 (Assay__Onnx__TypeProto, 1));
  ValueInfo *info = keep (self, g_new0 (ValueInfo, 1));
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);

  assay__onnx__type_proto__tensor__init (tensor);
  assay__onnx__tensor_shape_proto__init (shape);
  assay__onnx__type_proto__init (type);
  assay__onnx__value_info_proto__init (info);

  shape->n_dim = g_strv_length (parts);
  shape->dim = keep (self, g_new0 (Dimension *, shape->n_dim + 1));
  for (gsize i = 0; i < shape->n_dim; i++)
    {
      Dimension *dim = keep (self, g_new0 (Dimension, 1));

      assay__onnx__tensor_shape_proto__dimension__init (dim);
      if (g_ascii_isdigit (parts[i][0]))
        {
          dim->value_case = ASSAY__ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
          dim->dim_value = g_ascii_strtoll (parts[i], NULL, 10);
        }
      else if (parts[i][0] != '?')
        {
          dim->value_case = ASSAY__ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
          dim->dim_param = keep_string (self, parts[i]);
        }
      shape->dim[i] = dim;
    }
  tensor->has_elem_type = TRUE;
  tensor->elem_type = data_type;
  tensor->shape = shape;
  type->value_case = ASSAY__ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
  type->tensor_type = tensor;
  info->name = keep_string (self, name);
  info->type = type;

  return info;
}

void
model_writer_input (ModelWriter *self, const char *name, int data_type, const char *shape)
{
  g_ptr_array_add (self->inputs, new_value_info (self, name, data_type, shape));
}

void
model_writer_output (ModelWriter *self, const char *name, int data_type, const char *shape)
{
  g_ptr_array_add (self->outputs, new_value_info (self, name, data_type, shape));
}

static const char *
add_initializer (ModelWriter *self, const char *name, int data_type, guint rank, const gint64 *dims,
                 gsize n_bytes, gpointer data)
{
  Tensor *tensor = keep (self, g_new0 (Tensor, 1));

  assay__onnx__tensor_proto__init (tensor);
  tensor->name = keep_string (self, name);
  tensor->has_data_type = TRUE;
  tensor->data_type = data_type;
  tensor->n_dims = rank;
  tensor->dims = keep (self, g_memdup2 (dims, rank * sizeof (gint64)));
  tensor->has_raw_data = TRUE;
  tensor->raw_data = (ProtobufCBinaryData){ .len = n_bytes, .data = keep (self, data) };
  g_ptr_array_add (self->initializers, tensor);

  return tensor->name;
}

static gsize
count (guint rank, const gint64 *dims)
{
  gsize n = 1;

  for (guint i = 0; i < rank; i++)
    n *= (gsize) dims[i];

  return n;
}

static guint8 *
put_float (guint8 *at, float value)
{
  guint32 bits;

  memcpy (&bits, &value, sizeof bits);
  bits = GUINT32_TO_LE (bits);
  memcpy (at, &bits, sizeof bits);
  return at + sizeof bits;
}

const char *
model_writer_weight (ModelWriter *self, const char *name, guint rank, const gint64 *dims)
{
  gsize n = count (rank, dims);
  guint8 *data = g_malloc (n * sizeof (float));
  guint8 *at = data;
  /* Keeps sums of products near one: the last extents are what is summed over. */
  float scale = 1.0f / (float) MAX (1, rank > 1 ? dims[rank - 1] : 4);

  for (gsize i = 0; i < n; i++)
    at = put_float (at, next_weight (self) * scale * 4);

  return add_initializer (self, name, ASSAY__ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, rank, dims,
                          n * sizeof (float), data);
}

const char *
model_writer_floats (ModelWriter *self, const char *name, guint rank, const gint64 *dims,
                     const float *values)
{
  gsize n = count (rank, dims);
  guint8 *data = g_malloc (n * sizeof (float));
  guint8 *at = data;

  for (gsize i = 0; i < n; i++)
    at = put_float (at, values[i]);

  return add_initializer (self, name, ASSAY__ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, rank, dims,
                          n * sizeof (float), data);
}

const char *
model_writer_filled (ModelWriter *self, const char *name, guint rank, const gint64 *dims,
                     float value)
{
  gsize n = count (rank, dims);
  g_autofree float *values = g_new (float, n);

  for (gsize i = 0; i < n; i++)
    values[i] = value;

  return model_writer_floats (self, name, rank, dims, values);
}

const char *
model_writer_integers (ModelWriter *self, const char *name, guint rank, const gint64 *dims,
                       const gint64 *values)
{
  gsize n = count (rank, dims);
  gint64 *data = g_new (gint64, n);

  for (gsize i = 0; i < n; i++)
    data[i] = GINT64_TO_LE (values[i]);

  return add_initializer (self, name, ASSAY__ONNX__TENSOR_PROTO__DATA_TYPE__INT64, rank, dims,
                          n * sizeof (gint64), data);
}

static Attribute *
add_attribute (ModelWriter *self, const char *name, Assay__Onnx__AttributeProto__AttributeType type)
{
  Attribute *attribute = keep (self, g_new0 (Attribute, 1));

  assay__onnx__attribute_proto__init (attribute);
  attribute->name = keep_string (self, name);
  attribute->has_type = TRUE;
  attribute->type = type;
  g_ptr_array_add (self->attributes, attribute);

  return attribute;
}

void
model_writer_set_int (ModelWriter *self, const char *name, gint64 value)
{
  Attribute *attribute = add_attribute (self, name,
                                        ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT);

  attribute->has_i = TRUE;
  attribute->i = value;
}

void
model_writer_set_float (ModelWriter *self, const char *name, float value)
{
  Attribute *attribute = add_attribute (self, name,
                                        ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT);

  attribute->has_f = TRUE;
  attribute->f = value;
}

void
model_writer_set_string (ModelWriter *self, const char *name, const char *value)
{
  Attribute *attribute = add_attribute (self, name,
                                        ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING);
  char *string = keep_string (self, value);

  attribute->has_s = TRUE;
  attribute->s = (ProtobufCBinaryData){ .len = strlen (string), .data = (guint8 *) string };
}

void
model_writer_set_ints (ModelWriter *self, const char *name, guint n, const gint64 *values)
{
  Attribute *attribute = add_attribute (self, name,
                                        ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS);

  attribute->n_ints = n;
  attribute->ints = keep (self, g_memdup2 (values, n * sizeof (gint64)));
}

static void
take_lists (ModelWriter *self)
{
  Assay__Onnx__GraphProto *graph = &self->graph;

  graph->n_node = self->nodes->len;
  graph->node = (gpointer) self->nodes->pdata;
  graph->n_input = self->inputs->len;
  graph->input = (gpointer) self->inputs->pdata;
  graph->n_output = self->outputs->len;
  graph->output = (gpointer) self->outputs->pdata;
  graph->n_initializer = self->initializers->len;
  graph->initializer = (gpointer) self->initializers->pdata;
}

/* The body must live as long as the writer. */
void
model_writer_set_graph (ModelWriter *self, const char *name, ModelWriter *body)
{
  Attribute *attribute = add_attribute (self, name,
                                        ASSAY__ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH);

  take_lists (body);
  attribute->g = &body->graph;
}

static char **
keep_names (ModelWriter *self, const char *text, size_t *n)
{
  g_auto (GStrv) parts = g_strsplit (text, " ", -1);
  char **names;

  *n = g_strv_length (parts);
  names = keep (self, g_new0 (char *, *n + 1));
  for (gsize i = 0; i < *n; i++)
    names[i] = keep_string (self, g_str_equal (parts[i], "-") ? "" : parts[i]);

  return names;
}

/* Adds a node with the attributes that were set before. Names are separated by spaces, - is an
 * omitted one; an operator of another domain is written as domain::type. */
void
model_writer_node (ModelWriter *self, const char *op_type, const char *name, const char *inputs,
                   const char *outputs)
{
  Assay__Onnx__NodeProto *node = keep (self, g_new0 (Assay__Onnx__NodeProto, 1));
  g_auto (GStrv) parts = g_strsplit (op_type, "::", 2);

  assay__onnx__node_proto__init (node);
  node->name = keep_string (self, name);
  node->op_type = keep_string (self, parts[1] != NULL ? parts[1] : parts[0]);
  if (parts[1] != NULL)
    node->domain = keep_string (self, parts[0]);
  node->input = keep_names (self, inputs, &node->n_input);
  node->output = keep_names (self, outputs, &node->n_output);
  node->n_attribute = self->attributes->len;
  node->attribute = keep (
      self, g_memdup2 (self->attributes->pdata, self->attributes->len * sizeof (gpointer)));
  g_ptr_array_set_size (self->attributes, 0);
  g_ptr_array_add (self->nodes, node);
}

void
model_writer_domain (ModelWriter *self, const char *domain, gint64 version)
{
  Assay__Onnx__OperatorSetIdProto *opset = keep (self, g_new0 (Assay__Onnx__OperatorSetIdProto, 1));

  assay__onnx__operator_set_id_proto__init (opset);
  opset->domain = keep_string (self, domain);
  opset->has_version = TRUE;
  opset->version = version;
  g_ptr_array_add (self->domains, opset);
}

gboolean
model_writer_save (ModelWriter *self, const char *path, gint64 opset, GError **error)
{
  Assay__Onnx__ModelProto model = ASSAY__ONNX__MODEL_PROTO__INIT;
  g_autofree guint8 *data = NULL;
  gsize size;

  model_writer_domain (self, "", opset);
  take_lists (self);
  model.has_ir_version = TRUE;
  model.ir_version = 8;
  model.producer_name = keep_string (self, "assay-examples");
  model.producer_version = keep_string (self, "1");
  model.graph = &self->graph;
  model.n_opset_import = self->domains->len;
  model.opset_import = (gpointer) self->domains->pdata;

  size = assay__onnx__model_proto__get_packed_size (&model);
  data = g_malloc (size);
  assay__onnx__model_proto__pack (&model, data);

  return g_file_set_contents (path, (const char *) data, (gssize) size, error);
}
