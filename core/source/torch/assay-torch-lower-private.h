/* assay-torch-lower-private.h
 * SPDX-License-Identifier: Apache-2.0
 *
 * From a function of the torch dialect to a graph: each operation is carried out on what is known,
 * and what is only known when the model runs becomes nodes. Numbers and lists that are known are
 * folded on the way, tensors that are written to become values.
 */
#pragma once

#include "base/assay-finding.h"
#include "nnir/assay-graph-builder.h"
#include "nnir/shape/assay-infer.h"
#include "source/torch/assay-torch-module.h"

G_BEGIN_DECLS

/**
 * AssayTorchItemKind:
 *
 * What a value of a program is. A number with a value in the graph is only known when it runs.
 */
typedef enum
{
  ASSAY_TORCH_ITEM_NONE,
  ASSAY_TORCH_ITEM_INT,
  ASSAY_TORCH_ITEM_FLOAT,
  ASSAY_TORCH_ITEM_BOOL,
  ASSAY_TORCH_ITEM_STRING,
  ASSAY_TORCH_ITEM_TENSOR,
  ASSAY_TORCH_ITEM_LIST,
  ASSAY_TORCH_ITEM_DICT,
  ASSAY_TORCH_ITEM_OBJECT,
} AssayTorchItemKind;

/**
 * AssayTorchPlace:
 * @ASSAY_TORCH_PLACE_KNOWN: sizes, strides and an offset say where its elements are
 * @ASSAY_TORCH_PLACE_WHOLE: it is the whole storage, whose extents are only known at run time
 * @ASSAY_TORCH_PLACE_UNKNOWN: it is a view whose extents are only known at run time
 *
 * Where a tensor is in its storage.
 */
typedef enum
{
  ASSAY_TORCH_PLACE_KNOWN,
  ASSAY_TORCH_PLACE_WHOLE,
  ASSAY_TORCH_PLACE_UNKNOWN,
} AssayTorchPlace;

typedef struct _AssayTorchStorage AssayTorchStorage;
typedef struct _AssayTorchKnot AssayTorchKnot;

/**
 * AssayTorchTie:
 * @n: number of storages
 * @members: (array length=n): the storages
 *
 * Storages that may have elements in common.
 */
typedef struct
{
  guint n;
  AssayTorchStorage **members;
} AssayTorchTie;

/**
 * AssayTorchKnot:
 * @tie: a tie that a storage is a member of
 * @next: (nullable): the next one
 *
 * The list of ties of a storage.
 */
struct _AssayTorchKnot
{
  AssayTorchTie *tie;
  AssayTorchKnot *next;
};

/**
 * AssayTorchStorage:
 * @value: the elements in the order of memory
 * @n: their number, -1 if it is only known at run time
 * @version: how often it was written to
 * @spoiler: (nullable): the operation that may have changed its elements to unknown ones
 * @knots: (nullable): what it may share elements with
 *
 * What several tensors may look at.
 */
struct _AssayTorchStorage
{
  AssayValueId value;
  gint64 n;
  guint version;
  const char *spoiler;
  AssayTorchKnot *knots;
};

typedef struct _AssayTorchItem AssayTorchItem;

/**
 * AssayTorchItem:
 * @kind: what it is
 * @i: a known integer or truth
 * @f: a known number
 * @s: a known text
 * @value: of a tensor, or of a number that is not known: the value in the graph
 * @n: number of items of a list, of attributes of an object, of keys and values of a dictionary
 * @capacity: how many items there is room for
 * @items: (array length=n): the items of a list, the attributes of an object, each key of a
 * dictionary with its value after it
 * @class: of an object: its class
 * @storage: (nullable): of a tensor: what it looks at; %NULL as long as nobody else does
 * @version: what version of the storage @value shows
 * @place: where it is in the storage
 * @rank: number of dimensions, where storage is known
 * @dims: (array length=rank): its extents
 * @strides: (array length=rank): how far apart neighbours are in the storage
 * @offset: where it begins in the storage
 *
 * What is known of a value of the program.
 */
struct _AssayTorchItem
{
  AssayTorchItemKind kind;
  gint64 i;
  double f;
  const char *s;
  AssayValueId value;
  guint n;
  guint capacity;
  AssayTorchItem **items;
  const AssayTorchOp *class;
  AssayTorchStorage *storage;
  guint version;
  AssayTorchPlace place;
  guint rank;
  const gint64 *dims;
  const gint64 *strides;
  gint64 offset;
};

/**
 * AssayTorchLower:
 *
 * A function on its way to a graph.
 */
typedef struct
{
  const AssayTorchModule *module;
  AssayGraph *graph;
  AssayArena *arena;
  AssayInferSteps *steps;
  AssayFindings *findings;
  const AssayProgress *progress;
  GHashTable *names;     /* of values and nodes that are taken: the last number behind each */
  GHashTable *functions; /* by name: operations */
  GHashTable *classes;   /* by name: operations */
  GHashTable *slots;     /* by name: items */
  AssayTorchItem *root;  /* the last object that is no attribute of another */
  guint depth;           /* of calls */
  guint n_run;           /* operations that were carried out */
  guint n_listed;        /* entries of lists that were looked at */
  GPtrArray *left;       /* items that a loop may have written to before it could not go on */
  gsize n_bytes;         /* of constants that were made */

  /* The operation that is being made. */
  const AssayTorchOp *op;
  AssayTorchItem **results;
  const char *base;    /* what its values are called after */
  const char *path;    /* where it comes from */
  const char *op_type; /* what it is called there */
  guint32 origin;      /* that of its nodes, G_MAXUINT32 until there is one */
  guint n_made;
  guint n_constants;
  char *reason; /* why it cannot be made */
  GError *error;
} AssayTorchLower;

/**
 * AssayTorchRule:
 * @name: name of an operation
 * @make: makes it; %FALSE with a reason if it cannot be
 * @op: an operation of the graph, for functions that several rows share
 * @argument: a number, for the same
 *
 * How an operation is made: a row of `torch-rules.def`.
 */
typedef struct _AssayTorchRule AssayTorchRule;
struct _AssayTorchRule
{
  const char *name;
  gboolean (*make) (AssayTorchLower *self, const AssayTorchRule *rule);
  AssayOp op;
  gint64 argument;
};

const AssayTorchRule *assay_torch_rule_find (const char *name);
AssayGraph *assay_torch_lower (const AssayTorchModule *module, const char *const *shapes,
                               const char *const *bindings, AssayFindings *findings,
                               const AssayProgress *progress,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

typedef void (*AssayTorchLearn) (AssayTorchLower *lower, const AssayTorchOp *function,
                                 gpointer user_data);

gboolean assay_torch_learn (AssayTorchModule *module, AssayTorchLearn learn, gpointer user_data,
                            const AssayProgress *progress, GError **error);

/* Entries of lists that are looked at. Lists of the same lists double with each line. */
#define ASSAY_TORCH_MAX_LISTED 1000000

const AssayType *assay_torch_type_of (AssayTorchLower *self, const AssayTorchType *type,
                                      const char *name, gboolean is_input);

/* assay-torch-call.c: operations as nodes that call a function. */
void assay_torch_call_keep (AssayTorchLower *lower, const char *name);
const char *assay_torch_call_find_same (const char *name);

/* assay-torch-opaque.c: operations that are not made. */
void assay_torch_make_opaque (AssayTorchLower *self, gboolean is_in_place);
GPtrArray *assay_torch_find_reach (AssayTorchLower *self, const AssayTorchOp *op);

/* assay-torch-run.c: functions, branches, objects. */
gboolean assay_torch_fail_at (AssayTorchLower *self, const AssayTorchOp *op, const char *what);
gboolean assay_torch_run_op (AssayTorchLower *self, const AssayTorchOp *op);
gboolean assay_torch_run_block (AssayTorchLower *self, const AssayTorchBlock *block,
                                const AssayTorchOp **last);
gboolean assay_torch_run_structure (AssayTorchLower *self, const AssayTorchOp *op,
                                    gboolean *is_done);
gboolean assay_torch_run_file (AssayTorchLower *self, const AssayTorchBlock *block, guint depth);
AssayTorchItem **assay_torch_find_place (const AssayTorchOp *op);
const AssayTorchOp *assay_torch_find_method (AssayTorchLower *self, const AssayTorchItem *object,
                                             const char *name);

/* assay-torch-item.c: what operations work on. */
AssayTorchItem *assay_torch_item_new (AssayTorchLower *self, AssayTorchItemKind kind);
AssayTorchItem *assay_torch_int (AssayTorchLower *self, gint64 value);
AssayTorchItem *assay_torch_float (AssayTorchLower *self, double value);
AssayTorchItem *assay_torch_bool (AssayTorchLower *self, gboolean value);
AssayTorchItem *assay_torch_tensor (AssayTorchLower *self, AssayValueId value);
AssayTorchItem *assay_torch_list (AssayTorchLower *self, guint n, AssayTorchItem **items);
AssayTorchItem *assay_torch_number (AssayTorchLower *self, AssayTorchItemKind kind,
                                    AssayValueId value);
gboolean assay_torch_cannot (AssayTorchLower *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
AssayTorchItem *assay_torch_arg (AssayTorchLower *self, guint index);
gboolean assay_torch_is_none (AssayTorchLower *self, guint index);
gboolean assay_torch_get_int (AssayTorchLower *self, guint index, gint64 *value);
gboolean assay_torch_get_bool (AssayTorchLower *self, guint index, gboolean *value);
gboolean assay_torch_get_float (AssayTorchLower *self, guint index, double *value);
gboolean assay_torch_get_ints (AssayTorchLower *self, guint index, gint64 *values, guint *n);
gboolean assay_torch_get_dtype (AssayTorchLower *self, guint index, AssayDType *dtype);
gboolean assay_torch_get_tensor (AssayTorchLower *self, guint index, AssayValueId *value);
gboolean assay_torch_get_axis (AssayTorchLower *self, guint index, guint rank, gint64 *axis);
gboolean assay_torch_get_axes (AssayTorchLower *self, guint index, guint rank, gint64 *axes,
                               guint *n);
gboolean assay_torch_result (AssayTorchLower *self, guint index, AssayValueId value);
gboolean assay_torch_result_item (AssayTorchLower *self, guint index, AssayTorchItem *item);
AssayDType assay_torch_dtype_of_code (gint64 code);
gint64 assay_torch_code_of_dtype (AssayDType dtype);

/* assay-torch-build.c: nodes. */
const AssayType *assay_torch_type_to_nnir (AssayArena *arena, const AssayTorchType *type,
                                           const char *name);
const AssayType *assay_torch_type (AssayTorchLower *self, AssayValueId value);
gboolean assay_torch_rank (AssayTorchLower *self, AssayValueId value, guint *rank);
gboolean assay_torch_dims (AssayTorchLower *self, AssayValueId value, guint *rank, gint64 *dims);
AssayDType assay_torch_dtype (AssayTorchLower *self, AssayValueId value);
AssayNodeId assay_torch_node (AssayTorchLower *self, AssayOp op, guint n_inputs,
                              const AssayValueId *inputs, guint n_outputs, AssayValueId *outputs);
void assay_torch_infer (AssayTorchLower *self, AssayNodeId node);
AssayValueId assay_torch_one (AssayTorchLower *self, AssayOp op, AssayValueId a);
AssayValueId assay_torch_two (AssayTorchLower *self, AssayOp op, AssayValueId a, AssayValueId b);
AssayValueId assay_torch_three (AssayTorchLower *self, AssayOp op, AssayValueId a, AssayValueId b,
                                AssayValueId c);
AssayValueId assay_torch_keep (AssayTorchLower *self, AssayTensor *tensor);
AssayValueId assay_torch_ints (AssayTorchLower *self, guint n, const gint64 *values);
AssayValueId assay_torch_scalar (AssayTorchLower *self, AssayDType dtype, double value);
AssayValueId assay_torch_integer (AssayTorchLower *self, AssayDType dtype, gint64 value);
AssayValueId assay_torch_fill (AssayTorchLower *self, AssayDType dtype, guint rank,
                               const gint64 *dims, double value);
AssayValueId assay_torch_cast (AssayTorchLower *self, AssayValueId value, AssayDType dtype);
AssayValueId assay_torch_reshape (AssayTorchLower *self, AssayValueId value, guint rank,
                                  const gint64 *dims);
AssayValueId assay_torch_transpose (AssayTorchLower *self, AssayValueId value, guint rank,
                                    const gint64 *perm);
AssayValueId assay_torch_expand (AssayTorchLower *self, AssayValueId value, guint rank,
                                 const gint64 *dims);
AssayValueId assay_torch_gather (AssayTorchLower *self, AssayValueId value, AssayValueId indices,
                                 gint64 axis);
AssayValueId assay_torch_concat (AssayTorchLower *self, guint n, const AssayValueId *values,
                                 gint64 axis);
AssayValueId assay_torch_elements (AssayTorchLower *self, AssayOp op, guint n,
                                   const AssayValueId *inputs, gint64 axis, const char *reduction);
AssayValueId assay_torch_slice (AssayTorchLower *self, AssayValueId value, gint64 axis,
                                gint64 start, gint64 end, gint64 step);
AssayValueId assay_torch_reduce (AssayTorchLower *self, AssayOp op, AssayValueId value, guint n,
                                 const gint64 *axes, gboolean keep);
AssayValueId assay_torch_unsqueeze (AssayTorchLower *self, AssayValueId value, guint n,
                                    const gint64 *axes);
AssayValueId assay_torch_shape (AssayTorchLower *self, AssayValueId value);
AssayValueId assay_torch_as_value (AssayTorchLower *self, AssayTorchItem *item, AssayDType dtype);
AssayValueId assay_torch_as_shape (AssayTorchLower *self, const AssayTorchItem *list);
gboolean assay_torch_promote (AssayTorchLower *self, guint n, AssayTorchItem *const *items,
                              AssayDType *dtype);
AssayDType assay_torch_join (AssayDType a, AssayDType b);

/* assay-torch-storage.c: tensors that look at each other. */
AssayValueId assay_torch_read (AssayTorchLower *self, AssayTorchItem *item);
gboolean assay_torch_write (AssayTorchLower *self, AssayTorchItem *item, AssayValueId value);
AssayTorchItem *assay_torch_view (AssayTorchLower *self, AssayTorchItem *item, AssayValueId value,
                                  guint rank, const gint64 *dims, const gint64 *strides,
                                  gint64 offset);
AssayTorchItem *assay_torch_view_somewhere (AssayTorchLower *self, AssayTorchItem *item,
                                            AssayValueId value);
gboolean assay_torch_track (AssayTorchLower *self, AssayTorchItem *item);
void assay_torch_tie (AssayTorchLower *self, guint n, AssayTorchItem *const *items);
void assay_torch_spoil (AssayTorchLower *self, AssayTorchItem *item, AssayValueId value);
AssayTorchItem *assay_torch_view_permute (AssayTorchLower *self, AssayTorchItem *item,
                                          const gint64 *perm);
AssayTorchItem *assay_torch_view_slice (AssayTorchLower *self, AssayTorchItem *item, gint64 axis,
                                        gint64 start, gint64 end, gint64 step);
AssayTorchItem *assay_torch_view_reshape (AssayTorchLower *self, AssayTorchItem *item, guint rank,
                                          const gint64 *dims);
AssayTorchItem *assay_torch_view_expand (AssayTorchLower *self, AssayTorchItem *item, guint rank,
                                         const gint64 *dims);
AssayTorchItem *assay_torch_view_strided (AssayTorchLower *self, AssayTorchItem *item, guint rank,
                                          const gint64 *dims, const gint64 *strides, gint64 offset);

/* assay-torch-make-nn.c: what composites resize with as well. */
gboolean assay_torch_resize (AssayTorchLower *self, const AssayValueId *inputs, gboolean is_linear,
                             gboolean is_aligned);

/* assay-torch-make-composite.c, -nn.c, -random.c, -reduce.c: what others are made with as well. */
AssayValueId assay_torch_finish_loss (AssayTorchLower *self, AssayValueId loss, gint64 reduction);
gboolean assay_torch_get_pair (AssayTorchLower *self, gboolean is_float, AssayValueId *a,
                               AssayValueId *b);
AssayValueId assay_torch_draw (AssayTorchLower *self, AssayOp op, AssayValueId shape,
                               AssayDType dtype, double a, double b);
AssayValueId assay_torch_norm (AssayTorchLower *self, AssayValueId x, double p, guint n,
                               const gint64 *axes, gboolean keep);

/* What the rows of the table call. */
gboolean assay_torch_make_activation (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_adaptive_pool (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_add (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_add_product (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_addbmm (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_addmm (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_any (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_arange (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_arange_out (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_arg (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_as_strided (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_atan2 (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_attention (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_batch_norm (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_bernoulli (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_binary (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_bincount (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_bits (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_bitwise (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_bucketize (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_cached_attention (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_cast (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_cat (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_channel_shuffle (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_choose_blocks (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_choose_rows (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_choose_scale (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_clamp (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_compare (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_constant (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_conv_tbc (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_convert (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_convolution (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_conv_with_clamp (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_convolution_backward (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_contiguous (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_copy (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_copy_to (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_copysign (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_count_nonzero (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_cross (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_cumulative (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_deform_conv (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_det (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_diag (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_diagonal (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_difference_loss (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_dim (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_div (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_dropout (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_dtype (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_einsum (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_elu (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_elu_slope (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_embedding (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_embedding_backward (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_embedding_bag (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_expand (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_exponential (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_extreme (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_extreme_index (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_extremes (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_eye (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_fake_quantize (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_linear_channels (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_linear_groups (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_plain_attention (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_q8_add (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_q8_conv (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_q8_conv_transposed (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_q8_linear (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_q8_pixel_shuffle (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_q8_relu (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_grid_priors (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_quantize_blocks (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_quantize_rows (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_rotary (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_rotary_pairs (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_quantize (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_rms_norm_last (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_fill (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_flatten (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_flip (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_fmax (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_from_number (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_full (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_function (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_gather (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_gelu (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_get_item (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_glu (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_grid_sample (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_group_norm (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_group_norm_backward (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_heaviside (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_im2col (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_index (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_index_put (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_index_select (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_instance_norm (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_is (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_is_float (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_is_special (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_item (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_kth (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_layer_norm (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_ldexp (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_len (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_lerp (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_like (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_linear (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_linspace (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_list (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_literal (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_log_sigmoid (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_logaddexp (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_logcumsumexp (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_logical (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_logical_not (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_logit (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_logsumexp (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_masked_fill (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_masked_scatter (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_masked_select (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_matmul (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_move_axis (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_multinomial (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_nan_to_num (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_narrow (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_nearest_backward (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_new (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_nll_loss (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_nll_loss_backward (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_nms (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_nonzero (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_norm (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_nothing (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_number (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_number_function (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_numel (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_odds_loss (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_outer (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_overwrite (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_pad (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_permute (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_pixel_shuffle (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_pool (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_pow (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_prelu (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_random (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_random_integer (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_random_like (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_remainder (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_renorm (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_repeat (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_repeat_interleave (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_roll (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_rot90 (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_round_to (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_rrelu (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_same (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_scatter (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_scatter_part (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_select (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_shift (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_shrink (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_sign_bit (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_size (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_slice (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_slope (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_softmax (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_softmax_slope (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_softplus (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_softplus_slope (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_sort (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_split (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_square (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_squeeze (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_sum (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_swap (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_threshold (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_topk (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_trace (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_triangle (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_triangle_indices (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_trilinear (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_trunc (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_unary (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_unary_float (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_unflatten (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_unfold (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_unpack (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_unpool (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_unsqueeze (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_upsample (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_upsample_vec (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_variance (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_view (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_weight_norm (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_where (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_window (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_xlogy (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_zeros (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_list_append (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_list_extend (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_list_insert (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_list_set (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_list_delete (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_list_remove (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_container_clear (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_list_reverse (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_list_sort (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_list_slice (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_container_copy (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_list_repeat (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_list_count (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_list_find (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_list_equal (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_dict (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_dict_of_pairs (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_dict_get (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_dict_set (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_dict_delete (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_dict_set_default (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_dict_update (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_dict_contains (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_dict_list (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_dict_pop_item (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_q8_convert (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_update_cache (AssayTorchLower *self, const AssayTorchRule *rule);
gboolean assay_torch_make_attention_with_cache (AssayTorchLower *self, const AssayTorchRule *rule);

G_END_DECLS
