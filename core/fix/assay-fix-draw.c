/* assay-fix-draw.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fix/assay-fix-draw.h"

#include <math.h>

#include "run/assay-random.h"

/* Values a run may hold at once, in bytes; a model beyond it is not worth the wait. */
#define MAX_INPUT_BYTES ((gsize) 64 << 20)

/* Dropout draws in training only. */
static gboolean
draws (const AssayNode *node)
{
  if (node->op == ASSAY_OP_Dropout && assay_node_input (node, 2) == ASSAY_NO_VALUE)
    return FALSE;

  return (assay_op_get_info (node->op)->traits & ASSAY_OP_TRAIT_RANDOM) != 0;
}

/* The shape that an input is given; FALSE if it has open dimensions that nobody gave a size. */
static gboolean
choose_dims (const AssayType *type, gint64 open_size, gint64 *dims)
{
  if (type->rank < 0 || type->dtype == ASSAY_DTYPE_UNDEFINED)
    return FALSE;

  for (int i = 0; i < type->rank; i++)
    {
      dims[i] = type->dims[i].size >= 0 ? type->dims[i].size : open_size;
      if (type->dims[i].size < 0 && open_size == 0)
        return FALSE;
    }

  return TRUE;
}

/**
 * assay_fix_find_obstacle: (skip)
 * @graph: a model
 * @open_size: what an open dimension gets, or 0
 *
 * Looks for what keeps a model from being run on random inputs.
 *
 * Returns: (transfer full) (nullable): the reason in words, %NULL if there is none
 */
char *
assay_fix_find_obstacle (AssayGraph *graph, gint64 open_size)
{
  const GArray *inputs = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs;
  gsize total = 0;

  for (guint i = 0; i < inputs->len; i++)
    {
      const AssayValue *value = assay_graph_value (graph, g_array_index (inputs, AssayValueId, i));
      g_autofree char *type = assay_type_to_string (value->type);
      gint64 dims[ASSAY_MAX_RANK];
      gsize n, bytes;

      if (value->is_parameter)
        continue;
      if (value->type->kind != ASSAY_TYPE_KIND_TENSOR || value->type->dtype == ASSAY_DTYPE_STRING ||
          assay_dtype_kind (value->type->dtype) == 'C')
        return g_strdup_printf ("input %s is %s, which cannot be drawn at random", value->name,
                                type);
      if (!choose_dims (value->type, open_size, dims))
        return g_strdup_printf ("input %s is %s: bind its open dimensions first", value->name,
                                type);
      if (!assay_dims_count ((guint) value->type->rank, dims, &n) ||
          !assay_dtype_byte_size (value->type->dtype, n, &bytes) ||
          !g_size_checked_add (&total, total, bytes) || total > MAX_INPUT_BYTES)
        return g_strdup_printf ("input %s is %s, too large to be tried", value->name, type);
    }

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      const AssayNode *node = assay_graph_node (graph, id);

      if (node->op == ASSAY_OP_OPAQUE)
        return g_strdup_printf ("%s is not an operator that can be evaluated", node->op_type);
      if (draws (node))
        return g_strdup_printf ("%s draws random numbers", node->op_type);
    }

  return NULL;
}

/* Kinds of numbers, of which each run has another; those that tell most come first, because a large
 * model is not run often. */
typedef enum
{
  DRAW_SMALL,    /* between -1 and 1 */
  DRAW_MASKED,   /* some are what a mask puts there: -10,000, and every other time -infinity */
  DRAW_LARGE,    /* of any size above 1, either sign */
  DRAW_TINY,     /* of any size below 1, either sign */
  DRAW_POSITIVE, /* between 0 and 1 */
  DRAW_EQUAL,    /* the same throughout, in few bits, so that its mean is itself */
  DRAW_FLAT,     /* reaches the flat parts of activations, with zeros of either sign */
  DRAW_USUAL,    /* normal */
  DRAW_N_KINDS
} DrawKind;

typedef struct
{
  guint64 state;
  DrawKind kind;
  gboolean extreme; /* every other time */
  AssayDType dtype;
  double equal;
} Draw;

/* A size between 1 and 10^n, each order of magnitude as often. */
static double
draw_size (Draw *self, double n)
{
  double size = pow (10, n * assay_random_unit (&self->state));

  return assay_random_next (&self->state) >> 63 ? size : -size;
}

static gboolean
is_narrow (AssayDType dtype)
{
  return assay_dtype_bits (dtype) <= 16 && dtype != ASSAY_DTYPE_BF16;
}

static double
draw_float (Draw *self)
{
  gboolean narrow = is_narrow (self->dtype);

  switch (self->kind)
    {
    case DRAW_SMALL:
      return 2 * assay_random_unit (&self->state) - 1;
    case DRAW_MASKED:
      if (assay_random_next (&self->state) >> 61 != 0)
        return assay_random_normal (&self->state);
      if (self->extreme)
        return -INFINITY;
      return assay_dtype_bits (self->dtype) < 16 ? -256 : -10000;
    case DRAW_LARGE:
      return draw_size (self, narrow ? 2 : self->extreme ? 9 : 4);
    case DRAW_TINY:
      return 1 / draw_size (self, narrow ? 3 : 6);
    case DRAW_POSITIVE:
      return assay_random_unit (&self->state);
    case DRAW_EQUAL:
      return self->equal;
    case DRAW_FLAT:
      {
        guint64 chance = assay_random_next (&self->state) >> 59;

        return chance < 2 ? (chance == 0 ? 0.0 : -0.0) : 16 * assay_random_unit (&self->state) - 8;
      }
    case DRAW_USUAL:
    default:
      return 3 * assay_random_normal (&self->state);
    }
}

/* Whole numbers are indices and switches more often than not; those of 8 bits are data. */
static double
draw_whole (Draw *self)
{
  guint64 bits = assay_random_next (&self->state);

  if (self->dtype == ASSAY_DTYPE_BOOL)
    return (double) (bits >> 63);
  if (assay_dtype_bits (self->dtype) <= 8 && self->kind != DRAW_SMALL)
    {
      guint n_bits = assay_dtype_bits (self->dtype);
      double number = (double) (bits >> (64 - n_bits));

      return assay_dtype_kind (self->dtype) == 'I' ? number - ldexp (1, (int) n_bits - 1) : number;
    }

  return self->kind == DRAW_LARGE ? (double) (bits >> 62) : (double) (bits >> 63);
}

/**
 * assay_fix_draw: (skip)
 * @type: type of an input
 * @open_size: what an open dimension gets, or 0
 * @seed: of the numbers
 * @run: number of the run, which chooses the kind of numbers: small, masked, large, tiny, positive,
 * equal, with zeros, usual
 *
 * Draws an input at random.
 *
 * Returns: (transfer full) (nullable): the input, %NULL if its shape is not known or it does not
 * fit into memory
 */
AssayDatum *
assay_fix_draw (const AssayType *type, gint64 open_size, guint64 seed, guint run)
{
  gint64 dims[ASSAY_MAX_RANK];
  Draw draw = { .state = assay_random_mix (seed),
                .kind = run % DRAW_N_KINDS,
                .extreme = run / DRAW_N_KINDS % 2 == 1,
                .dtype = type->dtype };
  AssayDatum *datum;

  if (!choose_dims (type, open_size, dims))
    return NULL;
  datum = assay_datum_new (type->dtype, assay_datum_storage (type->dtype, FALSE),
                           (guint) type->rank, dims, NULL);
  draw.equal = (double) (assay_random_next (&draw.state) >> 60) / 4 - 2;
  for (gsize i = 0; datum != NULL && i < datum->n; i++)
    assay_datum_set_number (
        datum, i, assay_dtype_is_float (type->dtype) ? draw_float (&draw) : draw_whole (&draw));
  if (datum != NULL)
    assay_datum_round (datum);

  return datum;
}
