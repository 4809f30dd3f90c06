/* assay-torch-print-fits.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Which operations a short form has a place for everything of; all others are printed in the form
 * that has one for whatever there is.
 */
#include <string.h>

#include "source/torch/assay-torch-parse-private.h"

static gboolean
is_text (const AssayTorchAttr *attr)
{
  return attr != NULL && attr->kind == ASSAY_TORCH_ATTR_STRING &&
         g_utf8_validate_len (attr->s, attr->length, NULL);
}

/* The text is in the file, and has no end of its own. */
static gboolean
is_one_of (const AssayTorchAttr *attr, const char *const *words)
{
  g_autofree char *text = is_text (attr) ? g_strndup (attr->s, attr->length) : NULL;

  return text != NULL && g_strv_contains (words, text);
}

/* Whether attributes of arguments or results are left out, or one dictionary for each. */
static gboolean
are_dictionaries (const AssayTorchAttr *attr, guint n)
{
  gboolean says_something = attr == NULL;

  if (attr != NULL && (attr->kind != ASSAY_TORCH_ATTR_ARRAY || attr->n != n))
    return FALSE;
  for (guint i = 0; attr != NULL && i < n; i++)
    {
      if (attr->items[i].kind != ASSAY_TORCH_ATTR_DICT)
        return FALSE;
      says_something |= attr->items[i].n > 0;
    }

  return says_something;
}

/* Whether all that the short form of a function has no words for is as that form has it. */
gboolean
assay_torch_can_print_function (const AssayTorchOp *op)
{
  const AssayTorchAttr *type = assay_torch_op_find_attr (op, "function_type");
  const AssayTorchAttr *visibility = assay_torch_op_find_attr (op, "sym_visibility");
  const AssayTorchBlock *block = op->n_regions > 0 ? op->regions[0].first : NULL;

  if (type == NULL || type->kind != ASSAY_TORCH_ATTR_TYPE ||
      type->type->kind != ASSAY_TORCH_TYPE_FUNCTION ||
      !is_text (assay_torch_op_find_attr (op, "sym_name")) ||
      (visibility != NULL && !is_one_of (visibility, assay_torch_visibilities)) ||
      op->n_operands > 0 || op->n_results > 0 || op->n_regions > 1 ||
      (block != NULL && block->n_arguments != type->type->n_arguments) ||
      !are_dictionaries (assay_torch_op_find_attr (op, "arg_attrs"), type->type->n_arguments) ||
      !are_dictionaries (assay_torch_op_find_attr (op, "res_attrs"),
                         type->type->n - type->type->n_arguments))
    return FALSE;

  /* The types of the arguments are written once. */
  for (guint i = 0; block != NULL && i < block->n_arguments; i++)
    if (block->arguments[i]->type != type->type->inner[i])
      return FALSE;

  return TRUE;
}

gboolean
assay_torch_can_print_module (const AssayTorchOp *op)
{
  const AssayTorchAttr *name = assay_torch_op_find_attr (op, "sym_name");

  return op->n_regions == 1 && op->n_operands + op->n_results == 0 &&
         (name == NULL || is_text (name));
}

static gboolean
is_plain_name (const char *name)
{
  for (const char *p = name; *p != '\0'; p++)
    if (!assay_torch_is_word (*p))
      return FALSE;

  return TRUE;
}

static gboolean
is_function_type (const AssayTorchValue *value)
{
  return value->type->text[0] == '(';
}

/* Behind the colon, parentheses are those of all types. */
gboolean
assay_torch_can_print_standard (const AssayTorchOp *op)
{
  for (guint i = 0; i < op->n_operands; i++)
    if (is_function_type (op->operands[i]))
      return FALSE;
  for (guint i = 0; i < op->n_results; i++)
    if (is_function_type (op->results[i]))
      return FALSE;

  return g_str_has_prefix (op->name, "torch") && op->n_regions == 0 && is_plain_name (op->name);
}

/* Whether an attribute reads as what it is where a form has its place. */
static gboolean
fits_piece (const AssayTorchOp *op, const char *piece, gsize length)
{
  static const char *const private_word[] = { "private", NULL };
  g_autofree char *name = g_strndup (piece + 1, length - 1);
  const AssayTorchAttr *attr = assay_torch_op_find_attr (op, name);
  const char *next = piece + length;

  switch (piece[0])
    {
    case '=':
      next += strspn (next, " D");
      return attr != NULL &&
             !(g_str_has_prefix (next, "':'") && assay_torch_attr_takes_type (attr)) &&
             (!g_str_equal (op->name, "torch.constant.float") ||
              attr->kind == ASSAY_TORCH_ATTR_FLOAT);
    case '&':
      return attr != NULL &&
             (attr->kind == ASSAY_TORCH_ATTR_STRING || attr->kind == ASSAY_TORCH_ATTR_SYMBOL);
    case '@':
      return is_text (attr);
    case '?':
      attr = assay_torch_op_find_attr (op, name[0] == '"' ? "sym_visibility" : "isPrivate");
      return attr == NULL || (name[0] == '"' ? is_one_of (attr, private_word)
                                             : attr->kind == ASSAY_TORCH_ATTR_UNIT);
    case 'K':
      return op->n_operands % 2 == 0;
    case 'S':
      attr = assay_torch_op_find_attr (op, "slotSymNames");
      if (attr == NULL || attr->kind != ASSAY_TORCH_ATTR_ARRAY || attr->n != op->n_operands)
        return FALSE;
      for (guint i = 0; i < attr->n; i++)
        if (attr->items[i].kind != ASSAY_TORCH_ATTR_SYMBOL)
          return FALSE;
      return TRUE;
    case 'R':
      /* Outside of parentheses there is no writing none. */
      return op->n_results > 0 || piece[-3] == '(';
    default:
      return TRUE;
    }
}

/* A form can be printed if everything it wants is there, which generic text need not keep to. */
gboolean
assay_torch_fits_form (const AssayTorchOp *op, const AssayTorchForm *form)
{
  guint n_regions = 0;
  guint n_operands = 0;
  guint n_single = 0;
  gboolean any_operands = FALSE;
  gboolean any_results = strstr (form->format, " R") != NULL || strchr (form->format, 'F') != NULL;

  for (const char *p = form->format; *p != '\0';)
    {
      gsize length = strcspn (p, " ");

      n_regions += *p == 'G';
      any_operands |= *p == 'O' || *p == 'S' || *p == 'K';
      n_operands += *p == 'o' || *p == 'u';
      n_single += *p == 'r';
      if (*p == 'G' && length == 2)
        n_regions = op->n_regions;
      if (!fits_piece (op, p, length))
        return FALSE;
      p += length;
      p += strspn (p, " ");
    }
  if (form->result != NULL)
    n_single = 1;
  for (guint i = 0; form->result != NULL && i < op->n_results; i++)
    if (!g_str_equal (op->results[i]->type->text, form->result))
      return FALSE;

  return op->n_regions == n_regions &&
         (any_operands ? op->n_operands >= n_operands : op->n_operands == n_operands) &&
         (any_results || op->n_results == n_single);
}
