/* assay-torch-module.h
 * SPDX-License-Identifier: Apache-2.0
 *
 * A program in the text form of MLIR, of the torch dialect and those that come with it: what a file
 * says, before anything is made of it.
 */
#pragma once

#include <gio/gio.h>

#include "base/assay-arena.h"
#include "base/assay-pointer-map.h"
#include "base/assay-progress.h"

G_BEGIN_DECLS

typedef struct _AssayTorchAttr AssayTorchAttr;
typedef struct _AssayTorchBlock AssayTorchBlock;
typedef struct _AssayTorchOp AssayTorchOp;
typedef struct _AssayTorchType AssayTorchType;

/**
 * AssayTorchTypeKind:
 * @ASSAY_TORCH_TYPE_UNKNOWN: not stated in the text
 * @ASSAY_TORCH_TYPE_TENSOR: a tensor that may be written to, `!torch.tensor`
 * @ASSAY_TORCH_TYPE_VTENSOR: a tensor that is a value, `!torch.vtensor`
 * @ASSAY_TORCH_TYPE_WORD: a type that is one word, such as `!torch.int`; @text of the type has it
 * @ASSAY_TORCH_TYPE_OPTIONAL: the inner type or none
 * @ASSAY_TORCH_TYPE_LIST: a list of the inner type
 * @ASSAY_TORCH_TYPE_TUPLE: one of each inner type
 * @ASSAY_TORCH_TYPE_UNION: one of the inner types
 * @ASSAY_TORCH_TYPE_DICT: a map from the first inner type to the second
 * @ASSAY_TORCH_TYPE_CLASS: a module of a class, `!torch.nn.Module<"…">`
 * @ASSAY_TORCH_TYPE_BUILTIN: `tensor<…>` of MLIR itself
 * @ASSAY_TORCH_TYPE_FUNCTION: arguments, then results
 * @ASSAY_TORCH_TYPE_FOREIGN: a type of another dialect
 */
typedef enum
{
  ASSAY_TORCH_TYPE_UNKNOWN,
  ASSAY_TORCH_TYPE_TENSOR,
  ASSAY_TORCH_TYPE_VTENSOR,
  ASSAY_TORCH_TYPE_WORD,
  ASSAY_TORCH_TYPE_OPTIONAL,
  ASSAY_TORCH_TYPE_LIST,
  ASSAY_TORCH_TYPE_TUPLE,
  ASSAY_TORCH_TYPE_UNION,
  ASSAY_TORCH_TYPE_DICT,
  ASSAY_TORCH_TYPE_CLASS,
  ASSAY_TORCH_TYPE_BUILTIN,
  ASSAY_TORCH_TYPE_FUNCTION,
  ASSAY_TORCH_TYPE_FOREIGN,
} AssayTorchTypeKind;

/**
 * AssayTorchType:
 * @kind: what sort of type
 * @text: how it is written; two types of a module are the same if their texts are
 * @rank: number of dimensions of a tensor, or -1 while unknown
 * @dims: (array length=rank): the extents, -1 for one that is unknown
 * @element: (nullable): element type of a tensor as it is written, or %NULL while unknown
 * @encoding: (nullable): what follows the element type, such as a sparse layout
 * @n: number of inner types
 * @n_arguments: of a function: how many of the inner types are arguments
 * @inner: (array length=n): the inner types
 * @depth: how deep it nests
 *
 * A type; there is one of each in a module.
 */
struct _AssayTorchType
{
  AssayTorchTypeKind kind;
  const char *text;
  int rank;
  const gint64 *dims;
  const char *element;
  const char *encoding;
  guint n;
  guint n_arguments;
  const AssayTorchType *const *inner;
  guint depth;
};

/**
 * AssayTorchAttrKind:
 *
 * What an attribute is. Whatever is not looked into is kept as it is written, as foreign.
 */
typedef enum
{
  ASSAY_TORCH_ATTR_UNIT,
  ASSAY_TORCH_ATTR_BOOL,
  ASSAY_TORCH_ATTR_INT,
  ASSAY_TORCH_ATTR_FLOAT,
  ASSAY_TORCH_ATTR_STRING,
  ASSAY_TORCH_ATTR_SYMBOL,
  ASSAY_TORCH_ATTR_TYPE,
  ASSAY_TORCH_ATTR_ARRAY,
  ASSAY_TORCH_ATTR_DICT,
  ASSAY_TORCH_ATTR_DENSE,
  ASSAY_TORCH_ATTR_RESOURCE,
  ASSAY_TORCH_ATTR_FOREIGN,
} AssayTorchAttrKind;

/**
 * AssayTorchAttr:
 * @name: (nullable): its name, where it has one
 * @kind: what it is
 * @i: an integer or a truth
 * @f: a floating point number
 * @s: text of a string, of a symbol with `@`, of what is foreign; the elements of a dense one, in
 * the file; the name of a resource
 * @length: bytes of @s
 * @type: (nullable): the type that is written behind it, or that it is
 * @n: number of items
 * @items: (array length=n): those of an array or a dictionary
 *
 * An attribute.
 */
struct _AssayTorchAttr
{
  const char *name;
  AssayTorchAttrKind kind;
  gint64 i;
  double f;
  const char *s;
  gsize length;
  const AssayTorchType *type;
  guint n;
  AssayTorchAttr *items;
};

/**
 * AssayTorchValue:
 * @name: (nullable): name in the file, without `%`; a result may have none
 * @type: its type
 * @op: (nullable): what it is a result of; %NULL for an argument of a block
 * @index: which result, or which argument
 * @part: its place among results that share one name, 0 if it has one of its own
 * @is_defined: %FALSE as long as only uses were seen
 * @may_change: whether something may write to a list after it is made; while a pass asks for it
 * @loc: (nullable): where it comes from, as written; of arguments
 * @data: for whoever works on the module
 *
 * A value.
 */
typedef struct
{
  const char *name;
  const AssayTorchType *type;
  AssayTorchOp *op;
  guint32 index;
  guint32 part;
  guint32 scope;
  gboolean is_defined;
  gboolean may_change;
  const char *loc;
  gpointer data;
} AssayTorchValue;

/**
 * AssayTorchRegion:
 * @first: (nullable): the first block
 *
 * Blocks that an operation contains.
 */
typedef struct
{
  AssayTorchBlock *first;
} AssayTorchRegion;

/**
 * AssayTorchBlock:
 * @name: (nullable): its label, without `^`
 * @n_arguments: number of arguments
 * @arguments: (array length=n_arguments): the arguments
 * @first: (nullable): the first operation
 * @last: (nullable): the last operation
 * @next: (nullable): the block behind it
 *
 * Operations one after the other.
 */
struct _AssayTorchBlock
{
  const char *name;
  guint n_arguments;
  AssayTorchValue **arguments;
  AssayTorchOp *first;
  AssayTorchOp *last;
  AssayTorchBlock *next;
};

/**
 * AssayTorchOp:
 * @name: its whole name, such as `torch.aten.add.Tensor`
 * @n_operands: number of operands
 * @n_results: number of results
 * @n_attrs: number of attributes
 * @n_regions: number of regions
 * @operands: (array length=n_operands): the operands
 * @results: (array length=n_results): the results
 * @attrs: (array length=n_attrs): the attributes
 * @regions: (array length=n_regions): the regions
 * @raw: (nullable): of an operation whose form is not known: what stands behind its name, with `%v`
 * for each operand and `%%` for the sign
 * @loc: (nullable): where it comes from, as written between the parentheses of `loc`
 * @line: line of the file
 * @parent: (nullable): the block it stands in
 * @previous: (nullable): the operation before it
 * @next: (nullable): the operation behind it
 *
 * An operation.
 */
struct _AssayTorchOp
{
  const char *name;
  guint32 n_operands;
  guint32 n_results;
  guint32 n_attrs;
  guint32 n_regions;
  AssayTorchValue **operands;
  AssayTorchValue **results;
  AssayTorchAttr *attrs;
  AssayTorchRegion *regions;
  const char *raw;
  const char *loc;
  guint32 line;
  AssayTorchBlock *parent;
  AssayTorchOp *previous;
  AssayTorchOp *next;
};

/**
 * AssayTorchResource:
 * @dialect: whose it is
 * @name: its key
 * @text: what stands behind the colon, in the file
 * @length: bytes of @text
 *
 * A piece of data at the end of a file.
 */
typedef struct
{
  const char *dialect;
  const char *name;
  const char *text;
  gsize length;
} AssayTorchResource;

/**
 * AssayTorchModule:
 * @arena: holds everything below
 * @bytes: the file, which elements and resources point into
 * @body: the operations of the file
 * @scratch: a text that is being put together
 * @types: (element-type utf8 AssayTorchType): by how they are written
 * @aliases: (element-type utf8 utf8): attributes that have a name, with `#`, in @alias_names
 * @alias_names: (element-type utf8): in the order of the file
 * @resources: (element-type utf8 AssayTorchResource): by name
 * @resource_list: (element-type AssayTorchResource): in the order of the file
 * @n_ops: number of operations
 *
 * A file.
 */
typedef struct
{
  AssayArena *arena;
  GBytes *bytes;
  AssayTorchBlock body;
  GString *scratch;
  AssayPointerMap types;
  AssayPointerMap aliases;
  GPtrArray *alias_names;
  AssayPointerMap resources;
  GPtrArray *resource_list;
  guint n_ops;
} AssayTorchModule;

AssayTorchModule *assay_torch_module_parse (GBytes *bytes, const AssayProgress *progress,
                                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_torch_module_free (AssayTorchModule *self);
char *assay_torch_module_print (const AssayTorchModule *self) G_GNUC_WARN_UNUSED_RESULT;
char *assay_torch_module_print_named (const AssayTorchModule *self,
                                      GHashTable *names) G_GNUC_WARN_UNUSED_RESULT;
const AssayTorchType *assay_torch_type_intern (AssayTorchModule *self, AssayTorchType type);
const AssayTorchAttr *assay_torch_op_find_attr (const AssayTorchOp *self, const char *name);
char *assay_torch_op_get_string (const AssayTorchOp *self,
                                 const char *name) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_torch_module_find_location (const AssayTorchModule *self, const char *loc,
                                           char **file, guint *line);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayTorchModule, assay_torch_module_free)

G_END_DECLS
