/* assay-torch-pass-globalize.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The objects of TorchScript become global slots, one for each attribute, and their methods
 * functions: a copy for each set of objects that a function is called with.
 */
#include <string.h>

#include "base/assay-error.h"
#include "source/torch/pass/assay-torch-edit-private.h"

#define MAX_OPS 500000
#define MAX_OBJECTS 100000

typedef struct
{
  AssayTorchModule *module;
  AssayTorchBlock *block; /* where the objects stand */
  AssayTorchOp *root;
  GHashTable *classes;   /* by name */
  GHashTable *functions; /* by name */
  GHashTable *paths;     /* of objects: what their slots begin with */
  GPtrArray *objects;    /* those that have a path, in order */
  GHashTable *slots;     /* names of slots that somebody asks for: what they are */
  GHashTable *made;      /* by key: names of functions for certain objects */
  GPtrArray *left;       /* functions whose bodies are to be made */
  GPtrArray *functions_made;
  const AssayProgress *progress;
  GError *error;
} Globalize;

/* A function for certain objects. */
typedef struct
{
  const AssayTorchOp *from;
  const char *name;
  gboolean is_private;
  GPtrArray *objects; /* per argument: the object, or NULL */
} Instance;

/* A slot of an object: the attribute of its class, and what it begins with. */
typedef struct
{
  const AssayTorchOp *attribute;
  AssayTorchValue *value;
} Slot;

static void
instance_free (gpointer data)
{
  Instance *self = data;

  g_ptr_array_unref (self->objects);
  g_free (self);
}

static gboolean
fail (Globalize *self, const AssayTorchOp *op, const char *what)
{
  if (self->error == NULL)
    self->error = g_error_new (ASSAY_ERROR, ASSAY_ERROR_IMPORT, "line %u: %s", op->line, what);

  return FALSE;
}

static void
find_objects (AssayTorchOp *op, gpointer user_data)
{
  Globalize *self = user_data;
  g_autofree char *name = assay_torch_op_get_string (op, "sym_name");

  if (name != NULL && g_str_equal (op->name, "torch.class_type"))
    g_hash_table_insert (self->classes, g_strdup (name), op);
  else if (name != NULL && g_str_equal (op->name, "func.func"))
    g_hash_table_insert (self->functions, g_strdup (name), op);
  else if (g_str_equal (op->name, "torch.nn_module") && op->n_results == 1)
    {
      self->root = op;
      self->block = op->parent;
    }
}

static const AssayTorchOp *
class_of (Globalize *self, const AssayTorchValue *object)
{
  return object->type->kind == ASSAY_TORCH_TYPE_CLASS
             ? g_hash_table_lookup (self->classes, object->type->element)
             : NULL;
}

static gboolean
is_object (const AssayTorchValue *value)
{
  return value->op != NULL && g_str_equal (value->op->name, "torch.nn_module");
}

/* The entry of a class or an object that has a name. */
static const AssayTorchOp *
find_entry (const AssayTorchOp *op, const char *kind, const char *name)
{
  const AssayTorchBlock *block = op->n_regions > 0 ? op->regions[0].first : NULL;

  for (const AssayTorchOp *entry = block != NULL ? block->first : NULL; entry != NULL;
       entry = entry->next)
    {
      g_autofree char *own = assay_torch_op_get_string (entry, "name");

      if (g_str_equal (entry->name, kind) && g_strcmp0 (own, name) == 0)
        return entry;
    }

  return NULL;
}

/* The attribute of an object; an object has its slots by name or in the order of its class. */
static gboolean
find_slot (Globalize *self, const AssayTorchOp *op, AssayTorchValue *object, const char *name,
           Slot *slot)
{
  const AssayTorchOp *class = class_of (self, object);
  const AssayTorchOp *entry = find_entry (object->op, "torch.slot", name);

  slot->attribute = class != NULL ? find_entry (class, "torch.attr", name) : NULL;
  if (slot->attribute == NULL || entry == NULL || entry->n_operands != 1)
    return fail (self, op, "an object has no such attribute");
  slot->value = entry->operands[0];

  return TRUE;
}

/* What the slots of all objects that can be reached are called. */
static gboolean
name_objects (Globalize *self, AssayTorchValue *object, const char *path, guint depth)
{
  const AssayTorchBlock *block = object->op->n_regions > 0 ? object->op->regions[0].first : NULL;

  if (g_hash_table_contains (self->paths, object))
    return fail (self, object->op, "an object is an attribute of two objects");
  if (depth > 200 || g_hash_table_size (self->paths) > MAX_OBJECTS)
    return fail (self, object->op, "there are too many objects");
  g_hash_table_insert (self->paths, object,
                       (gpointer) assay_arena_intern (self->module->arena, path));
  g_ptr_array_add (self->objects, object);
  for (const AssayTorchOp *slot = block != NULL ? block->first : NULL; slot != NULL;
       slot = slot->next)
    if (g_str_equal (slot->name, "torch.slot") && slot->n_operands == 1 &&
        is_object (slot->operands[0]))
      {
        g_autofree char *name = assay_torch_op_get_string (slot, "name");
        g_autofree char *inner = g_strdup_printf ("%s%s.", path, name != NULL ? name : "");

        if (!name_objects (self, slot->operands[0], inner, depth + 1))
          return FALSE;
      }

  return TRUE;
}

/* The name of a function for certain objects; it is made when its turn comes. */
static const char *
ask_for (Globalize *self, const AssayTorchOp *function, GPtrArray *objects, const char *name,
         gboolean is_private)
{
  g_autoptr (GString) key = g_string_new (NULL);
  const char *known;
  Instance *instance;

  g_string_append_printf (key, "%p", (gconstpointer) function);
  for (guint i = 0; i < objects->len; i++)
    g_string_append_printf (key, " %p", objects->pdata[i]);
  known = g_hash_table_lookup (self->made, key->str);
  if (known != NULL)
    return known;

  instance = g_new (Instance, 1);
  *instance = (Instance){ function, assay_arena_intern (self->module->arena, name), is_private,
                          g_ptr_array_ref (objects) };
  g_ptr_array_add (self->left, instance);
  g_hash_table_insert (self->made, g_strdup (key->str), (gpointer) instance->name);

  return instance->name;
}

static void
add_string (Globalize *self, AssayTorchOp *op, const char *name, AssayTorchAttrKind kind,
            const char *text)
{
  text = assay_arena_intern (self->module->arena, text);
  assay_torch_edit_set_attr (
      self->module, op,
      (AssayTorchAttr){ .name = name, .kind = kind, .s = text, .length = strlen (text) });
}

static AssayTorchOp *
make_slot_op (Globalize *self, const AssayTorchOp *op, AssayTorchValue *object, GHashTable *values,
              AssayTorchValue **inner)
{
  g_autofree char *name = assay_torch_op_get_string (op, "name");
  g_autofree char *whole = NULL;
  gboolean is_get = g_str_equal (op->name, "torch.prim.GetAttr");
  AssayTorchOp *made;
  Slot slot;

  if (name == NULL || op->n_operands != (is_get ? 1 : 2) || op->n_results != (is_get ? 1 : 0))
    fail (self, op, "an attribute is read without its name, or with other operands or results");
  else if (find_slot (self, op, object, name, &slot) && is_object (slot.value))
    {
      if (is_get)
        *inner = slot.value;
      else
        fail (self, op, "another object is put in the place of one");
    }
  if (self->error != NULL || *inner != NULL)
    return NULL;
  whole = g_strconcat (g_hash_table_lookup (self->paths, object), name, NULL);
  if (!g_hash_table_contains (self->slots, whole))
    g_hash_table_insert (self->slots, g_strdup (whole), g_memdup2 (&slot, sizeof slot));

  made = assay_torch_edit_clone (self->module, op, values);
  made->attrs = NULL;
  made->n_attrs = 0;
  made->name = is_get ? "torch.global_slot.get" : "torch.global_slot.set";
  made->operands++;
  made->n_operands--;
  add_string (self, made, "slot", ASSAY_TORCH_ATTR_SYMBOL, whole);

  return made;
}

/* A call of a method, or of a function with objects. */
static AssayTorchOp *
make_call (Globalize *self, const AssayTorchOp *op, GHashTable *objects, GHashTable *values)
{
  gboolean is_method = g_str_equal (op->name, "torch.prim.CallMethod");
  AssayTorchValue *object = is_method && op->n_operands > 0
                                ? g_hash_table_lookup (objects, op->operands[0])
                                : NULL;
  const AssayTorchOp *class = object != NULL ? class_of (self, object) : NULL;
  g_autofree char *method = is_method ? assay_torch_op_get_string (op, "name") : NULL;
  const AssayTorchOp *entry = class != NULL && method != NULL
                                  ? find_entry (class, "torch.method", method)
                                  : NULL;
  g_autofree char *callee = entry != NULL ? assay_torch_op_get_string (entry, "function")
                            : is_method   ? NULL
                                          : assay_torch_op_get_string (op, "callee");
  const AssayTorchOp *function = callee != NULL ? g_hash_table_lookup (self->functions, callee)
                                                : NULL;
  g_autoptr (GPtrArray) arguments = g_ptr_array_new ();
  g_autofree char *name = NULL;
  AssayTorchOp *made;
  guint n = 0;

  if (function == NULL || function->n_regions == 0 ||
      function->regions[0].first->n_arguments != op->n_operands)
    {
      fail (self, op, "the function that is called is not in the file, or has other arguments");
      return NULL;
    }
  for (guint i = 0; i < op->n_operands; i++)
    g_ptr_array_add (arguments, g_hash_table_lookup (objects, op->operands[i]));
  /* A method of an object that a function was made for is that function. */
  name = is_method ? g_strconcat (g_hash_table_lookup (self->paths, object), method, NULL)
                   : g_strdup_printf ("%s$%u", callee, g_hash_table_size (self->made));

  made = assay_torch_edit_clone (self->module, op, values);
  made->name = "func.call";
  made->attrs = NULL;
  made->n_attrs = 0;
  for (guint i = 0; i < op->n_operands; i++)
    if (arguments->pdata[i] == NULL)
      made->operands[n++] = made->operands[i];
  made->n_operands = n;
  add_string (self, made, "callee", ASSAY_TORCH_ATTR_SYMBOL,
              ask_for (self, function, arguments, name, TRUE));

  return made;
}

static gboolean copy_block (Globalize *self, const AssayTorchBlock *from, AssayTorchBlock *to,
                            GHashTable *objects, GHashTable *values);

static gboolean
copy_op (Globalize *self, const AssayTorchOp *op, AssayTorchBlock *to, GHashTable *objects,
         GHashTable *values)
{
  AssayTorchValue *object = op->n_operands > 0 ? g_hash_table_lookup (objects, op->operands[0])
                                               : NULL;
  AssayTorchValue *inner = NULL;
  AssayTorchOp *made;

  if (self->module->n_ops > MAX_OPS)
    return fail (self, op, "the program is too long");
  if (object != NULL && (g_str_equal (op->name, "torch.prim.GetAttr") ||
                         g_str_equal (op->name, "torch.prim.SetAttr")))
    {
      made = make_slot_op (self, op, object, values, &inner);
      if (inner != NULL)
        g_hash_table_insert (objects, op->results[0], inner);
      else if (made == NULL)
        return FALSE;
      else
        assay_torch_edit_append (to, made);
      return TRUE;
    }
  if (g_str_equal (op->name, "func.call") || g_str_equal (op->name, "torch.prim.CallMethod"))
    {
      made = make_call (self, op, objects, values);
      if (made != NULL)
        assay_torch_edit_append (to, made);
      return made != NULL;
    }
  for (guint i = 0; i < op->n_operands; i++)
    if (g_hash_table_contains (objects, op->operands[i]))
      return fail (self, op,
                   "an object is used for something else than its attributes and methods");

  made = assay_torch_edit_clone (self->module, op, values);
  assay_torch_edit_append (to, made);
  for (guint i = 0; i < op->n_regions; i++)
    {
      AssayTorchBlock *copy = made->regions[i].first;

      for (const AssayTorchBlock *block = op->regions[i].first; block != NULL;
           block = block->next, copy = copy->next)
        {
          copy->first = copy->last = NULL;
          if (!copy_block (self, block, copy, objects, values))
            return FALSE;
        }
    }

  return TRUE;
}

static gboolean
copy_block (Globalize *self, const AssayTorchBlock *from, AssayTorchBlock *to, GHashTable *objects,
            GHashTable *values)
{
  for (const AssayTorchOp *op = from->first; op != NULL; op = op->next)
    if (!copy_op (self, op, to, objects, values))
      return FALSE;

  return TRUE;
}

/* The function with its objects put in. */
static gboolean
make_instance (Globalize *self, const Instance *instance)
{
  const AssayTorchBlock *from = instance->from->regions[0].first;
  g_autoptr (GHashTable) objects = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) values = g_hash_table_new (NULL, NULL);
  AssayTorchOp *function = assay_arena_memdup (self->module->arena, instance->from,
                                               sizeof *function);
  AssayTorchBlock *block = assay_arena_alloc (self->module->arena, sizeof *block);
  const AssayTorchAttr *attrs = assay_torch_op_find_attr (instance->from, "arg_attrs");
  const AssayTorchOp *last = assay_torch_edit_find_return (instance->from);
  g_autofree const AssayTorchType **types = NULL;
  AssayTorchAttr kept;

  if (last == NULL)
    return fail (self, instance->from,
                 "a function is not one block that ends with what it returns");
  function->parent = NULL;
  function->regions = assay_arena_alloc (self->module->arena, sizeof *function->regions);
  function->regions[0].first = block;
  *block = (AssayTorchBlock){ .name = from->name };
  block->arguments = assay_arena_alloc_n (self->module->arena, from->n_arguments + 1,
                                          sizeof (gpointer));
  if (attrs != NULL)
    {
      kept = *attrs;
      kept.items = assay_arena_memdup (self->module->arena, attrs->items,
                                       attrs->n * sizeof *attrs->items);
      kept.n = 0;
    }
  for (guint i = 0; i < from->n_arguments; i++)
    {
      AssayTorchValue *argument;

      if (instance->objects->pdata[i] != NULL)
        {
          g_hash_table_insert (objects, from->arguments[i], instance->objects->pdata[i]);
          continue;
        }
      if (attrs != NULL && i < attrs->n)
        kept.items[kept.n++] = attrs->items[i];
      argument = assay_arena_memdup (self->module->arena, from->arguments[i], sizeof *argument);
      argument->index = block->n_arguments;
      block->arguments[block->n_arguments++] = argument;
      g_hash_table_insert (values, from->arguments[i], argument);
    }
  g_ptr_array_add (self->functions_made, function);
  add_string (self, function, "sym_name", ASSAY_TORCH_ATTR_STRING, instance->name);
  if (instance->is_private)
    add_string (self, function, "sym_visibility", ASSAY_TORCH_ATTR_STRING, "private");
  else
    assay_torch_edit_drop_attr (function, "sym_visibility");
  if (attrs != NULL)
    assay_torch_edit_set_attr (self->module, function, kept);
  types = g_new (const AssayTorchType *, last->n_operands + 1);
  for (guint i = 0; i < last->n_operands; i++)
    types[i] = last->operands[i]->type;
  assay_torch_edit_set_signature (self->module, function, last->n_operands, types);

  return copy_block (self, from, block, objects, values);
}

/* The methods of all objects; the functions that they call follow. */
static gboolean
ask_for_methods (Globalize *self)
{
  for (guint k = 0; k < self->objects->len; k++)
    {
      AssayTorchValue *object = self->objects->pdata[k];
      const char *path = g_hash_table_lookup (self->paths, object);
      const AssayTorchOp *class = class_of (self, object);
      const AssayTorchBlock *block = class != NULL && class->n_regions > 0 ? class->regions[0].first
                                                                           : NULL;

      for (const AssayTorchOp *entry = block != NULL ? block->first : NULL; entry != NULL;
           entry = entry->next)
        {
          g_autofree char *name = assay_torch_op_get_string (entry, "name");
          g_autofree char *callee = assay_torch_op_get_string (entry, "function");
          const AssayTorchOp *function = callee != NULL
                                             ? g_hash_table_lookup (self->functions, callee)
                                             : NULL;
          g_autoptr (GPtrArray) objects = NULL;
          g_autofree char *whole = NULL;

          if (!g_str_equal (entry->name, "torch.method") || name == NULL || function == NULL ||
              function->n_regions == 0 || function->regions[0].first->n_arguments == 0)
            continue;
          objects = g_ptr_array_new ();
          for (guint i = 0; i < function->regions[0].first->n_arguments; i++)
            {
              const AssayTorchType *type = function->regions[0].first->arguments[i]->type;
              gboolean is_same = type->kind == ASSAY_TORCH_TYPE_CLASS && type == object->type;

              if (type->kind == ASSAY_TORCH_TYPE_CLASS && !is_same)
                return fail (self, function, "a method takes another object from outside");
              g_ptr_array_add (objects, is_same ? object : NULL);
            }
          whole = g_strconcat (path, name, NULL);
          ask_for (self, function, objects, whole,
                   object != self->root->results[0] ||
                       assay_torch_op_find_attr (entry, "isPrivate") != NULL);
        }
    }

  return TRUE;
}

static gint
compare_functions (gconstpointer a, gconstpointer b)
{
  g_autofree char *first = assay_torch_op_get_string (*(AssayTorchOp *const *) a, "sym_name");
  g_autofree char *second = assay_torch_op_get_string (*(AssayTorchOp *const *) b, "sym_name");

  return g_strcmp0 (first, second);
}

/* Whether an operation beside the objects is part of what slots begin with. */
static gboolean
is_for_slots (const AssayTorchOp *op)
{
  return op->n_results > 0 && op->n_regions == 0;
}

static void
check_operands (AssayTorchOp *op, gpointer user_data)
{
  Globalize *self = user_data;

  for (guint i = 0; i < op->n_operands; i++)
    {
      const AssayTorchOp *maker = op->operands[i]->op;

      if (maker != NULL && maker->parent == self->block && is_for_slots (maker))
        fail (self, op,
              "it stands beside the objects and uses what only their slots may begin with");
    }
}

/* What stays where the objects were sees nothing of what slots begin with. */
static gboolean
check_what_stays (Globalize *self)
{
  for (AssayTorchOp *op = self->block->first; op != NULL; op = op->next)
    {
      if (is_for_slots (op) || g_str_equal (op->name, "torch.class_type") ||
          g_str_equal (op->name, "torch.nn_module") || g_str_equal (op->name, "func.func"))
        continue;
      check_operands (op, self);
      for (guint i = 0; i < op->n_regions; i++)
        for (AssayTorchBlock *block = op->regions[i].first; block != NULL; block = block->next)
          assay_torch_edit_walk (block, check_operands, self);
    }

  return self->error == NULL;
}

/* What the slots begin with is computed once, before anything is called. */
static void
make_slots (Globalize *self)
{
  AssayTorchModule *module = self->module;
  AssayTorchOp *initializer = assay_torch_edit_new (module, "torch.global_slot.module_initializer",
                                                    self->root, 0, NULL, 0, NULL, "");
  AssayTorchBlock *block = assay_arena_alloc (module->arena, sizeof *block);
  g_autoptr (GList)
      names = g_list_sort (g_hash_table_get_keys (self->slots), (GCompareFunc) g_strcmp0);
  g_autoptr (GPtrArray) operands = g_ptr_array_new ();
  g_autoptr (GArray) symbols = g_array_new (FALSE, FALSE, sizeof (AssayTorchAttr));
  AssayTorchOp *list;
  AssayTorchOp *next;

  *block = (AssayTorchBlock){ NULL };
  initializer->regions = assay_arena_alloc (module->arena, sizeof *initializer->regions);
  initializer->regions[0].first = block;
  initializer->n_regions = 1;
  for (AssayTorchOp *op = self->block->first; op != NULL; op = next)
    {
      next = op->next;
      if (!is_for_slots (op))
        continue;
      assay_torch_edit_unlink (op);
      assay_torch_edit_append (block, op);
    }
  for (GList *l = names; l != NULL; l = l->next)
    {
      const Slot *slot = g_hash_table_lookup (self->slots, l->data);
      const AssayTorchAttr *type = assay_torch_op_find_attr (slot->attribute, "type");
      const char *name = assay_arena_intern (module->arena, l->data);
      const AssayTorchAttr symbol = {
        .name = "", .kind = ASSAY_TORCH_ATTR_SYMBOL, .s = name, .length = strlen (name)
      };
      AssayTorchOp *made = assay_torch_edit_new (module, "torch.global_slot", slot->attribute, 0,
                                                 NULL, 0, NULL, "");
      AssayTorchAttr bound = *type;

      add_string (self, made, "sym_name", ASSAY_TORCH_ATTR_STRING, name);
      if (assay_torch_op_find_attr (slot->attribute, "isPrivate") != NULL)
        add_string (self, made, "sym_visibility", ASSAY_TORCH_ATTR_STRING, "private");
      bound.name = "typeBound";
      assay_torch_edit_set_attr (module, made, bound);
      assay_torch_edit_append (self->block, made);
      g_ptr_array_add (operands, slot->value);
      g_array_append_val (symbols, symbol);
    }
  if (operands->len == 0)
    return;
  list = assay_torch_edit_new (module, "torch.initialize.global_slots", self->root, operands->len,
                               (AssayTorchValue *const *) operands->pdata, 0, NULL, "");
  assay_torch_edit_set_attr (
      module, list,
      (AssayTorchAttr){ .name = "slotSymNames",
                        .kind = ASSAY_TORCH_ATTR_ARRAY,
                        .n = symbols->len,
                        .items = assay_arena_memdup (module->arena, symbols->data,
                                                     symbols->len * sizeof (AssayTorchAttr)) });
  assay_torch_edit_append (block, list);
  assay_torch_edit_append (self->block, initializer);
}

static gboolean
takes_objects (const AssayTorchOp *function)
{
  const AssayTorchBlock *block = function->n_regions > 0 ? function->regions[0].first : NULL;

  for (guint i = 0; block != NULL && i < block->n_arguments; i++)
    if (block->arguments[i]->type->kind == ASSAY_TORCH_TYPE_CLASS)
      return TRUE;

  return FALSE;
}

/* What stood for objects goes; what may be called from outside without them stays. */
static void
remove_objects (Globalize *self)
{
  AssayTorchOp *next;

  for (AssayTorchOp *op = self->block->first; op != NULL; op = next)
    {
      next = op->next;
      if (g_str_equal (op->name, "torch.class_type") || g_str_equal (op->name, "torch.nn_module") ||
          (g_str_equal (op->name, "func.func") &&
           (assay_torch_edit_is_private (op) || takes_objects (op))))
        assay_torch_edit_unlink (op);
    }
}

gboolean
assay_torch_pass_globalize (AssayTorchModule *module, const AssayProgress *progress, GError **error)
{
  g_autoptr (GHashTable) classes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) functions = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) paths = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) slots = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GHashTable) made = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GPtrArray) left = g_ptr_array_new_with_free_func (instance_free);
  g_autoptr (GPtrArray) objects = g_ptr_array_new ();
  g_autoptr (GPtrArray) functions_made = g_ptr_array_new ();
  Globalize self = { .module = module,
                     .classes = classes,
                     .functions = functions,
                     .paths = paths,
                     .objects = objects,
                     .slots = slots,
                     .made = made,
                     .left = left,
                     .functions_made = functions_made,
                     .progress = progress };
  gboolean done;

  assay_torch_edit_walk (&module->body, find_objects, &self);
  if (self.root == NULL)
    return TRUE;

  done = name_objects (&self, self.root->results[0], "", 0) && ask_for_methods (&self) &&
         check_what_stays (&self);
  for (guint i = 0; done && i < left->len; i++)
    done = make_instance (&self, left->pdata[i]) && assay_progress_check (progress, &self.error);
  if (!done)
    {
      g_propagate_error (error, self.error);
      return FALSE;
    }

  remove_objects (&self);
  make_slots (&self);
  g_ptr_array_sort (functions_made, compare_functions);
  for (guint i = 0; i < functions_made->len; i++)
    assay_torch_edit_append (self.block, functions_made->pdata[i]);
  assay_torch_edit_sweep (module);

  return TRUE;
}
