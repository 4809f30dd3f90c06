/* assay-torch-contract.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a program has to keep to before backends of torch-mlir take it
 * (lib/Dialect/Torch/Transforms/LowerToBackendContract.cpp): all that it does not, by cause.
 */
#include "source/torch/assay-torch-contract.h"

#include <string.h>

#include "source/torch/assay-torch-op.h"
#include "text/assay-terminal.h"

#define MAX_DEPTH 256

/* What can be wrong, and the pass that is there to take it away. */
typedef enum
{
  INITIALIZER,
  OBJECT,
  NOT_A_VALUE,
  NO_RANK,
  NO_DTYPE,
  OTHER_TYPE,
  OPERATOR,
  IN_PLACE,
  COMPOSITE,
  N_CAUSES,
} Cause;

static const struct
{
  const char *what;
  const char *pass;
} causes[N_CAUSES] = {
  { "global slots have an initializer", "torch-inline-global-slots" },
  { "there are objects", "torch-globalize-object-graph" },
  { "tensors may be written to", "torch-maximize-value-semantics, torch-refine-public-return" },
  { "tensors have no rank", "torch-simplify-shape-calculations" },
  { "tensors have no element type", "torch-simplify-dtype-calculations" },
  { "values are of types that no backend has", "torch-adjust-calling-conventions" },
  { "operators are unknown", "torch-decompose-complex-ops, or backend-legal-ops" },
  { "operations write in place", "torch-reduce-op-variants" },
  { "operations are composites", "torch-decompose-complex-ops, or backend-legal-ops" },
};

typedef struct
{
  const AssayTorchModule *module;
  guint max;
  GArray *found; /* AssayTorchCause of each cause */
} Check;

static void
complain (Check *self, Cause cause, const AssayTorchOp *op, const AssayTorchValue *value)
{
  AssayTorchCause *found = &g_array_index (self->found, AssayTorchCause, cause);
  g_autofree char *file = NULL;
  GString *text;
  guint line = op->line;

  if (found->n++ >= self->max)
    return;
  text = g_string_new (NULL);
  assay_torch_module_find_location (self->module, op->loc, &file, &line);
  assay_terminal_append_format (text, "line %u", op->line);
  if (file != NULL)
    assay_terminal_append_format (text, "  %s:%u", file, line);
  assay_terminal_append_format (text, "  %s", op->name);
  if (value != NULL)
    assay_terminal_append_format (text, "  %%%s : %s", value->name != NULL ? value->name : "",
                                  value->type->text);
  g_array_append_val (found->violations,
                      ((AssayTorchViolation){ op, g_string_free (text, FALSE) }));
}

/* What is wrong with a type, or %N_CAUSES. Elements of lists need no shape. */
static Cause
check_type (const AssayTorchType *type, gboolean in_list, guint depth)
{
  static const char *const words[] = { "!torch.int",    "!torch.float", "!torch.bool",
                                       "!torch.Device", "!torch.none",  "!torch.str" };
  gboolean is_list = type->kind == ASSAY_TORCH_TYPE_LIST;

  switch (type->kind)
    {
    case ASSAY_TORCH_TYPE_TENSOR:
      return NOT_A_VALUE;
    case ASSAY_TORCH_TYPE_VTENSOR:
      if (in_list)
        return N_CAUSES;
      return type->rank < 0 ? NO_RANK : type->element == NULL ? NO_DTYPE : N_CAUSES;
    case ASSAY_TORCH_TYPE_WORD:
      for (guint i = 0; i < G_N_ELEMENTS (words); i++)
        if (g_str_equal (words[i], type->text))
          return N_CAUSES;
      return OTHER_TYPE;
    case ASSAY_TORCH_TYPE_OPTIONAL:
    case ASSAY_TORCH_TYPE_LIST:
    case ASSAY_TORCH_TYPE_TUPLE:
      for (guint i = 0; i < type->n && depth < MAX_DEPTH; i++)
        {
          Cause cause = check_type (type->inner[i], in_list || is_list, depth + 1);

          if (cause != N_CAUSES)
            return cause;
        }
      return N_CAUSES;
    case ASSAY_TORCH_TYPE_CLASS:
      return OBJECT;
    default:
      return OTHER_TYPE;
    }
}

static void
check_value (Check *self, const AssayTorchOp *op, const AssayTorchValue *value)
{
  Cause cause = check_type (value->type, FALSE, 0);

  if (cause != N_CAUSES)
    complain (self, cause, op, value);
}

static void
check_block (Check *self, const AssayTorchBlock *block, const AssayTorchOp *parent, guint depth)
{
  for (guint i = 0; parent != NULL && i < block->n_arguments; i++)
    check_value (self, parent, block->arguments[i]);

  for (const AssayTorchOp *op = block->first; op != NULL; op = op->next)
    {
      const AssayTorchOpInfo *info = assay_torch_op_info_find (op->name);

      if (g_str_equal (op->name, "torch.global_slot.module_initializer"))
        complain (self, INITIALIZER, op, NULL);
      else if (g_str_equal (op->name, "torch.operator"))
        complain (self, OPERATOR, op, NULL);
      else if (info != NULL && (info->traits & ASSAY_TORCH_OP_IN_PLACE) != 0)
        complain (self, IN_PLACE, op, NULL);
      else if (info != NULL && (info->traits & ASSAY_TORCH_OP_COMPOSITE) != 0)
        complain (self, COMPOSITE, op, NULL);
      for (guint i = 0; i < op->n_results; i++)
        check_value (self, op, op->results[i]);
      for (guint i = 0; i < op->n_regions && depth < MAX_DEPTH; i++)
        for (const AssayTorchBlock *inner = op->regions[i].first; inner != NULL;
             inner = inner->next)
          check_block (self, inner, op, depth + 1);
    }
}

static void
clear_violation (gpointer data)
{
  g_free (((AssayTorchViolation *) data)->text);
}

static void
clear_cause (gpointer data)
{
  g_array_unref (((AssayTorchCause *) data)->violations);
}

/**
 * assay_torch_module_list_violations:
 * @self: a module
 * @max: how many of each cause are listed; the others are counted
 *
 * Checks a program against the contract of the backends of torch-mlir, all of it.
 *
 * Returns: (transfer full) (element-type AssayTorchCause): the causes that there are
 */
GArray *
assay_torch_module_list_violations (const AssayTorchModule *self, guint max)
{
  GArray *found = g_array_sized_new (FALSE, FALSE, sizeof (AssayTorchCause), N_CAUSES);
  Check check = { self, max, found };

  g_array_set_clear_func (found, clear_cause);
  for (guint i = 0; i < N_CAUSES; i++)
    {
      AssayTorchCause cause = { causes[i].what, causes[i].pass, 0,
                                g_array_new (FALSE, FALSE, sizeof (AssayTorchViolation)) };

      g_array_set_clear_func (cause.violations, clear_violation);
      g_array_append_val (found, cause);
    }
  check_block (&check, &self->body, NULL, 0);
  for (guint i = N_CAUSES; i-- > 0;)
    if (g_array_index (found, AssayTorchCause, i).n == 0)
      g_array_remove_index (found, i);

  return found;
}

/**
 * assay_torch_module_check_contract:
 * @self: a module
 * @n: (out): how much is wrong
 *
 * Checks a program against the contract of the backends of torch-mlir, all of it: each violation
 * with its value, type and line, by cause, with the pass that takes it away.
 *
 * Returns: (transfer full): what is wrong, for people
 */
char *
assay_torch_module_check_contract (const AssayTorchModule *self, guint *n)
{
  g_autoptr (GArray) found = assay_torch_module_list_violations (self, G_MAXUINT);
  GString *text = g_string_new (NULL);

  *n = 0;
  for (guint i = 0; i < found->len; i++)
    {
      const AssayTorchCause *cause = &g_array_index (found, AssayTorchCause, i);

      g_string_append_printf (text, "%u: %s (%s)\n", cause->n, cause->what, cause->pass);
      for (guint k = 0; k < cause->violations->len; k++)
        g_string_append_printf (text, "  %s\n",
                                g_array_index (cause->violations, AssayTorchViolation, k).text);
      g_string_append_c (text, '\n');
      *n += cause->n;
    }
  if (*n == 0)
    g_string_append (text, "The program keeps to the backend contract.\n");

  return g_string_free (text, FALSE);
}
