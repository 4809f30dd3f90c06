/* assay-onnx-form.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/assay-onnx-form.h"

#include <string.h>

#include "source/onnx/assay-attribute-age.h"

#define MANY G_MAXUINT16

/* Sets of element types that many operators share, by letters as in forms.def. */
#define REAL "hfd"
#define REAL_14 REAL "b"
#define WIDE REAL_14 "ilu"
#define INTEGERS "BcSwilu"
#define BASIC_13 REAL_14 "so" INTEGERS
#define BASIC_19 REAL_14 "eso" INTEGERS
#define BASIC_21 REAL_14 "e4so" INTEGERS
#define BASIC_23 REAL_14 "e4nso" INTEGERS
#define BASIC_24 REAL_14 "e4nzso" INTEGERS
#define ALL_7 REAL "xso" INTEGERS
#define ALL_13 BASIC_13 "x"
#define ALL_19 BASIC_19 "x"
#define ALL_21 BASIC_21 "x"
#define ALL_23 BASIC_23 "x"
#define ALL_24 BASIC_24 "x"
#define BASIC_25 REAL_14 "e4nz2so" INTEGERS
#define ALL_25 BASIC_25 "x"

typedef struct
{
  AssayOp op;
  gint64 version;
  guint16 min_inputs;
  guint16 max_inputs;
  const char *inputs;
  const char *outputs;
} Version;

static const Version versions[] = {
#define FORM(op, version, min_inputs, max_inputs, inputs, outputs)                                 \
  { ASSAY_OP_##op, version, min_inputs, max_inputs, inputs, outputs },
#include "source/onnx/forms.def"
#undef FORM
};

static const char dtype_letters[] = {
  [ASSAY_DTYPE_F32] = 'f',    [ASSAY_DTYPE_U8] = 'B',         [ASSAY_DTYPE_I8] = 'c',
  [ASSAY_DTYPE_U16] = 'S',    [ASSAY_DTYPE_I16] = 'w',        [ASSAY_DTYPE_I32] = 'i',
  [ASSAY_DTYPE_I64] = 'l',    [ASSAY_DTYPE_STRING] = 's',     [ASSAY_DTYPE_BOOL] = 'o',
  [ASSAY_DTYPE_F16] = 'h',    [ASSAY_DTYPE_F64] = 'd',        [ASSAY_DTYPE_U32] = 'u',
  [ASSAY_DTYPE_U64] = 'u',    [ASSAY_DTYPE_C64] = 'x',        [ASSAY_DTYPE_C128] = 'x',
  [ASSAY_DTYPE_BF16] = 'b',   [ASSAY_DTYPE_F8E4M3FN] = 'e',   [ASSAY_DTYPE_F8E4M3FNUZ] = 'e',
  [ASSAY_DTYPE_F8E5M2] = 'e', [ASSAY_DTYPE_F8E5M2FNUZ] = 'e', [ASSAY_DTYPE_U4] = '4',
  [ASSAY_DTYPE_I4] = '4',     [ASSAY_DTYPE_F4E2M1] = 'n',     [ASSAY_DTYPE_F8E8M0] = 'z',
  [ASSAY_DTYPE_U2] = '2',     [ASSAY_DTYPE_I2] = '2',
};

/* What the values of attributes ask for beyond the names of them; a number asks if it is not 0, and
 * only if the model had that opset already: the border of the last window was counted in another
 * way before. */
static const struct
{
  AssayOp op;
  const char *attr;
  const char *value; /* or NULL for a number */
  gint64 opset;
} demands[] = {
  { ASSAY_OP_AveragePool, "ceil_mode", NULL, 19 },
  { ASSAY_OP_Pad, "mode", "wrap", 19 },
  { ASSAY_OP_Resize, "coordinate_transformation_mode", "half_pixel_symmetric", 19 },
  { ASSAY_OP_ScatterElements, "reduction", "max", 18 },
  { ASSAY_OP_ScatterElements, "reduction", "min", 18 },
  { ASSAY_OP_ScatterND, "reduction", "max", 18 },
  { ASSAY_OP_ScatterND, "reduction", "min", 18 },
};

/* What an older form is made with. */
typedef struct
{
  AssayGraph *graph;
  const AssayNode *node;
  AssayOnnxFormFlags flags;
} Source;

static int
find_attr (const AssayOnnxForm *self, const char *name)
{
  for (guint i = 0; i < self->n_attrs; i++)
    {
      if (strcmp (self->attrs[i].name, name) == 0)
        return (int) i;
    }

  return -1;
}

static void
remove_attr (AssayOnnxForm *self, guint index)
{
  self->n_attrs--;
  memmove (self->attrs + index, self->attrs + index + 1,
           (self->n_attrs - index) * sizeof *self->attrs);
}

/* Room for one more is always there. */
static void
append_attr (AssayOnnxForm *self, AssayAttr attr)
{
  self->attrs[self->n_attrs++] = attr;
}

/* A constant of integers that came from the attribute @name, or may as well have. */
static gint64 *
read_integers (const Source *source, guint input, const char *name, guint *n)
{
  AssayValueId id = assay_node_input (source->node, input);
  const AssayValue *value = assay_graph_value (source->graph, id);
  g_autofree char *made_up = g_strdup_printf ("%s/%s", source->node->name, name);
  AssayTensor *tensor = value->constant;
  gint64 *integers;

  if (id == ASSAY_NO_VALUE || value->kind != ASSAY_VALUE_CONSTANT || tensor == NULL ||
      assay_tensor_get_rank (tensor) > 1 || assay_tensor_get_n_elements (tensor) > ASSAY_MAX_RANK ||
      !assay_dtype_is_integer (assay_tensor_get_dtype (tensor)))
    return NULL;
  if (source->flags == ASSAY_ONNX_FORM_EXACT &&
      (strcmp (value->name, made_up) != 0 || assay_tensor_get_dtype (tensor) != ASSAY_DTYPE_I64))
    return NULL;

  *n = (guint) assay_tensor_get_n_elements (tensor);
  integers = g_new (gint64, *n + 1);
  for (guint i = 0; i < *n; i++)
    {
      if (!assay_tensor_get_integer (tensor, i, &integers[i], NULL))
        {
          g_free (integers);
          return NULL;
        }
    }

  return integers;
}

static void
drop_input (AssayOnnxForm *self, guint input, gint64 *integers)
{
  self->dropped = self->inputs[input];
  self->n_inputs = input;
  self->ints = integers;
  while (self->n_inputs > 0 && self->inputs[self->n_inputs - 1] == ASSAY_NO_VALUE)
    self->n_inputs--;
}

static gboolean
lower_axes (AssayOnnxForm *self, const Source *source)
{
  guint n = 0;
  gint64 *axes = self->n_inputs == 2 ? read_integers (source, 1, "axes", &n) : NULL;

  /* Whether no axes are all axes is not told for the older form. */
  if (n == 0)
    {
      g_free (axes);
      return self->n_inputs < 2;
    }

  drop_input (self, 1, axes);
  append_attr (self,
               (AssayAttr){ .name = "axes", .kind = ASSAY_ATTR_INTS, .n = n, .u.ints = axes });

  return TRUE;
}

/* The default was another axis. */
static gboolean
lower_dft (AssayOnnxForm *self, const Source *source)
{
  guint n = 0;
  gint64 *axis;

  if (self->n_inputs < 3)
    {
      append_attr (self, (AssayAttr){ .name = "axis", .kind = ASSAY_ATTR_INT, .u.i = -2 });
      return source->flags == ASSAY_ONNX_FORM_ANY;
    }

  axis = read_integers (source, 2, "axis", &n);
  if (n != 1)
    {
      g_free (axis);
      return FALSE;
    }

  drop_input (self, 2, axis);
  append_attr (self, (AssayAttr){ .name = "axis", .kind = ASSAY_ATTR_INT, .u.i = axis[0] });

  return TRUE;
}

/* Before opset 18 all parts were equal. */
static gboolean
lower_split (AssayOnnxForm *self, const Source *source)
{
  int at = find_attr (self, "num_outputs");
  const AssayType *type =
      assay_graph_value (source->graph, assay_node_input (source->node, 0))->type;
  gint64 axis = assay_node_get_int (source->node, "axis");
  gint64 size;

  if (at < 0 || self->n_inputs != 1 || self->attrs[at].kind != ASSAY_ATTR_INT ||
      self->attrs[at].u.i != source->node->n_outputs ||
      (source->flags == ASSAY_ONNX_FORM_EXACT && (guint) at + 1 != self->n_attrs))
    return at < 0;

  axis = axis < 0 ? axis + type->rank : axis;
  size = axis >= 0 && axis < type->rank ? type->dims[axis].size : -1;
  if (size < 0 || source->node->n_outputs == 0 || size % source->node->n_outputs != 0)
    return FALSE;
  remove_attr (self, (guint) at);

  return TRUE;
}

/* Two modes had other names, and there were pictures of two dimensions only. */
static gboolean
lower_grid_sample (AssayOnnxForm *self, const Source *source)
{
  static const struct
  {
    const char *now;
    const char *then;
  } modes[] = { { "linear", "bilinear" }, { "cubic", "bicubic" }, { "nearest", "nearest" } };
  int at = find_attr (self, "mode");

  if (assay_graph_value (source->graph, assay_node_input (source->node, 0))->type->rank != 4)
    return FALSE;
  if (at < 0 || self->attrs[at].kind != ASSAY_ATTR_STRING)
    return at < 0 && source->flags == ASSAY_ONNX_FORM_ANY;

  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    {
      if (strcmp (self->attrs[at].u.s, modes[i].now) != 0)
        continue;
      self->attrs[at].u.s = modes[i].then;
      self->attrs[at].n = (guint32) strlen (modes[i].then);
      return TRUE;
    }

  return FALSE;
}

/* Half a pixel was not taken off. */
static gboolean
lower_roi_align (AssayOnnxForm *self, const Source *source)
{
  int at = find_attr (self, "coordinate_transformation_mode");

  if (at < 0 || self->attrs[at].kind != ASSAY_ATTR_STRING ||
      strcmp (self->attrs[at].u.s, "output_half_pixel") != 0 ||
      (source->flags == ASSAY_ONNX_FORM_EXACT && (guint) at + 1 != self->n_attrs))
    return FALSE;
  remove_attr (self, (guint) at);

  return TRUE;
}

/* The way back from assay-upgrade.c, for models that import an opset up to @last; FALSE where there
 * is none. */
static const struct
{
  AssayOp op;
  gint64 last;
  gboolean (*lower) (AssayOnnxForm *self, const Source *source);
} lowerings[] = {
  { ASSAY_OP_DFT, 19, lower_dft },
  { ASSAY_OP_GridSample, 19, lower_grid_sample },
  { ASSAY_OP_ReduceL1, 17, lower_axes },
  { ASSAY_OP_ReduceL2, 17, lower_axes },
  { ASSAY_OP_ReduceLogSum, 17, lower_axes },
  { ASSAY_OP_ReduceLogSumExp, 17, lower_axes },
  { ASSAY_OP_ReduceMax, 17, lower_axes },
  { ASSAY_OP_ReduceMean, 17, lower_axes },
  { ASSAY_OP_ReduceMin, 17, lower_axes },
  { ASSAY_OP_ReduceProd, 17, lower_axes },
  { ASSAY_OP_ReduceSumSquare, 17, lower_axes },
  { ASSAY_OP_RoiAlign, 15, lower_roi_align },
  { ASSAY_OP_Split, 17, lower_split },
};

/**
 * assay_onnx_form_init:
 * @self: (out caller-allocates): the form
 * @graph: a graph
 * @id: a node
 * @opset: version of its domain that the file imports
 * @flags: which older forms may be used
 *
 * Puts a node into the form that it has in an opset.
 *
 * Returns: whether that opset can say what the node does, as far as names and places of inputs and
 * attributes go
 */
gboolean
assay_onnx_form_init (AssayOnnxForm *self, AssayGraph *graph, AssayNodeId id, gint64 opset,
                      AssayOnnxFormFlags flags)
{
  const AssayNode *node = assay_graph_node (graph, id);
  const Source source = { graph, node, flags };
  gboolean fits = TRUE;

  *self = (AssayOnnxForm){
    .op_type = node->op == ASSAY_OP_OPAQUE ? node->op_type : assay_op_name (node->op),
    .domain = node->op == ASSAY_OP_OPAQUE ? node->domain : assay_op_get_info (node->op)->domain,
    .n_inputs = node->n_inputs,
    .inputs = node->inputs,
    .n_attrs = node->n_attrs,
    .attrs = g_new (AssayAttr, node->n_attrs + 1),
  };
  if (node->n_attrs > 0)
    memcpy (self->attrs, node->attrs, node->n_attrs * sizeof *node->attrs);

  for (guint i = 0; i < G_N_ELEMENTS (lowerings); i++)
    {
      if (lowerings[i].op == node->op && opset <= lowerings[i].last)
        fits = lowerings[i].lower (self, &source);
    }

  return fits;
}

/**
 * assay_onnx_form_clear:
 * @self: a form
 *
 * Frees what a form holds.
 */
void
assay_onnx_form_clear (AssayOnnxForm *self)
{
  g_clear_pointer (&self->attrs, g_free);
  g_clear_pointer (&self->ints, g_free);
}

static gboolean
has_letter (const char *word, gsize length, char letter)
{
  return memchr (word, letter, length) != NULL;
}

/* What is not known yet takes any form. */
static gboolean
type_fits (const AssayType *type, const char *word, gsize length)
{
  if (has_letter (word, length, 'P') && type->kind != ASSAY_TYPE_KIND_OPTIONAL &&
      type->kind != ASSAY_TYPE_KIND_UNKNOWN)
    return FALSE;

  for (; type->element != NULL; type = type->element)
    {
      if ((type->kind == ASSAY_TYPE_KIND_SEQUENCE && !has_letter (word, length, 'q')) ||
          (type->kind == ASSAY_TYPE_KIND_OPTIONAL && !has_letter (word, length, 'p') &&
           !has_letter (word, length, 'P')))
        return FALSE;
    }

  return type->kind == ASSAY_TYPE_KIND_UNKNOWN || type->dtype == ASSAY_DTYPE_UNDEFINED ||
         type->dtype >= (int) sizeof dtype_letters ||
         has_letter (word, length, dtype_letters[type->dtype]);
}

static gboolean
types_fit (AssayGraph *graph, guint n, const AssayValueId *values, const char *words)
{
  for (guint i = 0; i < n && words[0] != '\0'; i++)
    {
      gsize length = strcspn (words, " ");

      if (values[i] != ASSAY_NO_VALUE &&
          !type_fits (assay_graph_value (graph, values[i])->type, words, length))
        return FALSE;
      if (words[length] == ' ')
        words += length + 1;
    }

  return TRUE;
}

static gboolean
version_fits (const Version *version, AssayGraph *graph, AssayNodeId id, gint64 opset,
              AssayOnnxFormFlags flags)
{
  const AssayNode *node = assay_graph_node (graph, id);
  g_auto (AssayOnnxForm) form = { 0 };

  if (!assay_onnx_form_init (&form, graph, id, opset, flags) ||
      form.n_inputs < version->min_inputs || form.n_inputs > version->max_inputs ||
      !types_fit (graph, form.n_inputs, form.inputs, version->inputs) ||
      !types_fit (graph, node->n_outputs, node->outputs, version->outputs))
    return FALSE;

  for (guint i = 0; i < form.n_attrs; i++)
    {
      if (assay_onnx_attribute_since (version->op, form.attrs[i].name) > version->version)
        return FALSE;
    }

  return TRUE;
}

static gboolean
had_opset (AssayGraph *graph, gint64 version)
{
  for (guint i = 0; i < graph->opsets->len; i++)
    {
      const AssayOpset *opset = &g_array_index (graph->opsets, AssayOpset, i);

      if (opset->domain[0] == '\0')
        return opset->version >= version;
    }

  return FALSE;
}

/**
 * assay_onnx_form_stray_attr:
 * @node: a node of an operator that ONNX has
 *
 * Finds an attribute that the newest form of its operator does not know: a mistake, or one of an
 * old opset that could not be brought to the newest form. In another opset than the model had it
 * may mean something else.
 *
 * Returns: (transfer none) (nullable): its name
 */
const char *
assay_onnx_form_stray_attr (const AssayNode *node)
{
  AssayOp op = node->violation != NULL ? node->meant : node->op;

  for (guint i = 0; i < node->n_attrs; i++)
    {
      if (assay_op_find_attr (op, node->attrs[i].name) == NULL)
        return node->attrs[i].name;
    }

  return NULL;
}

static gint64
demanded_opset (AssayGraph *graph, const AssayNode *node)
{
  gint64 opset = 0;

  for (guint i = 0; i < G_N_ELEMENTS (demands); i++)
    {
      const AssayAttr *attr = demands[i].op == node->op
                                  ? assay_node_find_attr (node, demands[i].attr)
                                  : NULL;

      if (attr == NULL)
        continue;
      if (demands[i].value == NULL
              ? attr->kind == ASSAY_ATTR_INT && attr->u.i != 0 &&
                    had_opset (graph, demands[i].opset)
              : attr->kind == ASSAY_ATTR_STRING && strcmp (attr->u.s, demands[i].value) == 0)
        opset = MAX (opset, demands[i].opset);
    }

  return opset;
}

/**
 * assay_onnx_form_lowest_opset:
 * @graph: a graph
 * @id: a node of an operator that ONNX has
 * @flags: which older forms may be used
 *
 * Finds the lowest version of its domain, in the default one from 13 on, that can say what a node
 * does: types, inputs and attributes included.
 *
 * Returns: the version
 */
gint64
assay_onnx_form_lowest_opset (AssayGraph *graph, AssayNodeId id, AssayOnnxFormFlags flags)
{
  const AssayNode *node = assay_graph_node (graph, id);
  const AssayOpInfo *info = assay_op_get_info (node->op);
  gint64 floor = MAX (info->domain[0] == '\0' ? ASSAY_ONNX_LOWEST_OPSET : 1,
                      demanded_opset (graph, node));

  for (guint i = 0; i < G_N_ELEMENTS (versions); i++)
    {
      gint64 opset = MAX (versions[i].version, floor);

      /* The next row, or the newest form, may be the one that holds at this opset already. */
      if (versions[i].op != node->op || opset >= info->since ||
          (i + 1 < G_N_ELEMENTS (versions) && versions[i + 1].op == node->op &&
           opset >= versions[i + 1].version))
        continue;
      if (version_fits (&versions[i], graph, id, opset, flags))
        return opset;
    }

  return MAX (info->since, floor);
}

/* The form that an operator has at an opset; %NULL if no row tells. */
static const Version *
find_version (AssayOp op, gint64 opset)
{
  const Version *found = NULL;
  guint low = 0, high = G_N_ELEMENTS (versions);

  /* The rows are in the order of the operations. */
  while (low < high)
    {
      guint middle = (low + high) / 2;

      if (versions[middle].op < op)
        low = middle + 1;
      else
        high = middle;
    }
  for (; low < G_N_ELEMENTS (versions) && versions[low].op == op; low++)
    if (versions[low].version <= opset)
      found = &versions[low];

  return found;
}

/* The first operand of a type that a version does not take, -1 if there is none. */
static int
find_refused (const AssayGraph *graph, guint n, const AssayValueId *ids, const char *types)
{
  for (guint i = 0; i < n; i++)
    {
      const AssayType *type = assay_graph_value (graph, ids[i])->type;
      gsize length = strcspn (types, " ");
      char letter;

      if (ids[i] != ASSAY_NO_VALUE && type->kind == ASSAY_TYPE_KIND_TENSOR && length > 0 &&
          type->dtype < G_N_ELEMENTS (dtype_letters))
        {
          letter = dtype_letters[type->dtype];
          if (letter != '\0' && memchr (types, letter, length) == NULL)
            return (int) i;
        }
      types += types[length] == ' ' ? length + 1 : 0;
    }

  return -1;
}

/**
 * assay_onnx_form_check_types:
 * @graph: a model whose types are known
 * @id: a node of it
 *
 * Checks the element types of a node that stood in a file like this against the version of its
 * operator that the opset of the file has.
 *
 * Returns: (transfer full) (nullable): what that one does not take, %NULL if it takes all
 */
char *
assay_onnx_form_check_types (const AssayGraph *graph, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (graph, id);
  const Version *version = node->opset > 0 ? find_version (node->op, node->opset) : NULL;
  guint n_inputs = version != NULL ? MIN (node->n_inputs, version->max_inputs) : 0;
  gboolean output = FALSE;
  int refused;

  /* Exporters wrote constants of types that came later, and runtimes take them as initializers. */
  if (version == NULL || node->op == ASSAY_OP_Constant)
    return NULL;

  refused = find_refused (graph, n_inputs, node->inputs, version->inputs);
  if (refused < 0)
    {
      output = TRUE;
      refused = find_refused (graph, node->n_outputs, node->outputs, version->outputs);
    }
  if (refused < 0)
    return NULL;

  return g_strdup_printf (
      "%s %d is of type %s, which the operator of opset %" G_GINT64_FORMAT " does not %s",
      output ? "output" : "input", refused,
      assay_dtype_name (
          assay_graph_value (graph, (output ? node->outputs : node->inputs)[refused])->type->dtype),
      (gint64) node->opset, output ? "make" : "take");
}
