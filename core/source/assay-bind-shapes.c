/* assay-bind-shapes.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/assay-bind-shapes.h"

#include <string.h>

#include "base/assay-error.h"
#include "base/assay-sentence.h"
#include "nnir/assay-graph-builder.h"

typedef struct
{
  AssayGraph *graph;
  GArray *inputs;    /* AssayValueId: those of the main graph that are no parameters */
  GHashTable *sizes; /* interned symbol -> gint64 *, or NULL where two inputs disagree */
  gboolean changed;  /* an extent that the file states became another one */
} Shapes;

static const char *
value_name (const Shapes *self, guint index)
{
  return assay_graph_value (self->graph, g_array_index (self->inputs, AssayValueId, index))->name;
}

static char *
list_inputs (const Shapes *self)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < self->inputs->len && i < 20; i++)
    {
      g_string_append_printf (text, "%s\"%s\" ", i > 0 ? ", " : "", value_name (self, i));
      assay_type_append (
          assay_graph_value (self->graph, g_array_index (self->inputs, AssayValueId, i))->type,
          text);
    }
  if (self->inputs->len == 0)
    g_string_append (text, "none");

  return g_string_free (text, FALSE);
}

static char *
list_symbols (const Shapes *self)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < self->inputs->len; i++)
    {
      const AssayType *type =
          assay_graph_value (self->graph, g_array_index (self->inputs, AssayValueId, i))->type;

      for (int j = 0; j < type->rank && g_hash_table_size (seen) < 20; j++)
        {
          if (type->dims[j].symbol != NULL &&
              g_hash_table_add (seen, (gpointer) type->dims[j].symbol))
            g_string_append_printf (text, "%s\"%s\"", text->len > 0 ? ", " : "",
                                    type->dims[j].symbol);
        }
    }
  return g_string_free (text, FALSE);
}

static void
set_symbol (Shapes *self, const char *symbol, gint64 size)
{
  gpointer known;

  if (g_hash_table_lookup_extended (self->sizes, symbol, NULL, &known))
    {
      /* Exporters reuse a name for extents that differ: then each input has its own and the rest
       * stays open. */
      if (known != NULL && *(gint64 *) known != size)
        g_hash_table_insert (self->sizes, (gpointer) symbol, NULL);
      return;
    }

  g_hash_table_insert (self->sizes, (gpointer) symbol, g_memdup2 (&size, sizeof size));
}

static void
set_extent (Shapes *self, AssayValueId id, guint axis, gint64 size)
{
  AssayValue *value = assay_graph_edit_value (self->graph, id);
  AssayType *type = (AssayType *) assay_type_new_tensor (self->graph->arena, value->type->dtype,
                                                         value->type->rank, value->type->dims);
  AssayDim *dim = (AssayDim *) &type->dims[axis];

  type->kind = value->type->kind;
  if (dim->symbol != NULL)
    set_symbol (self, dim->symbol, size);
  else if (dim->size >= 0 && dim->size != size)
    self->changed = TRUE;

  *dim = (AssayDim){ size, NULL };
  value->type = type;
}

static gboolean
parse_extent (const char *text, gint64 *size)
{
  guint64 parsed;

  if (!g_ascii_string_to_unsigned (text, 10, 0, G_MAXINT64, &parsed, NULL))
    return FALSE;

  *size = (gint64) parsed;
  return TRUE;
}

static gboolean
override_shape (Shapes *self, guint index, const char *text, GError **error)
{
  AssayValueId id = g_array_index (self->inputs, AssayValueId, index);
  AssayValue *value = assay_graph_edit_value (self->graph, id);
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);
  guint n = g_strv_length (parts);

  if (text[0] == '\0')
    return TRUE;

  if (value->type->kind != ASSAY_TYPE_KIND_TENSOR || n > ASSAY_MAX_RANK ||
      (value->type->rank >= 0 && (guint) value->type->rank != n))
    {
      g_autofree char *inputs = list_inputs (self);

      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "shape %s has %u dimension%s and does not fit input \"%s\"; the inputs are %s",
                   text, n, assay_plural (n), value->name, inputs);
      return FALSE;
    }

  if (value->type->rank < 0)
    {
      AssayDim dims[ASSAY_MAX_RANK];

      for (guint i = 0; i < n; i++)
        dims[i] = (AssayDim){ -1, NULL };
      value->type = assay_type_new_tensor (self->graph->arena, value->type->dtype, (int) n, dims);
    }

  for (guint i = 0; i < n; i++)
    {
      const char *part = g_strstrip (parts[i]);
      gint64 size;

      if (part[0] == '\0' || strcmp (part, "?") == 0)
        continue;

      if (!parse_extent (part, &size))
        {
          g_set_error (
              error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
              "shape %s of input \"%s\": \"%s\" is no size; give a number, or ? to leave it", text,
              value->name, part);
          return FALSE;
        }
      set_extent (self, id, i, size);
    }

  return TRUE;
}

static gboolean
override_shapes (Shapes *self, const char *const *shapes, GError **error)
{
  guint n = g_strv_length ((char **) shapes);

  if (n != self->inputs->len)
    {
      g_autofree char *inputs = list_inputs (self);

      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "%u shape%s for %u input%s; the inputs are %s", n, assay_plural (n),
                   self->inputs->len, assay_plural (self->inputs->len), inputs);
      return FALSE;
    }

  for (guint i = 0; i < n; i++)
    {
      if (!override_shape (self, i, shapes[i], error))
        return FALSE;
    }

  return TRUE;
}

static gboolean
has_symbol (const Shapes *self, const char *symbol)
{
  for (AssayValueId i = 1; i < assay_graph_n_values (self->graph); i++)
    {
      const AssayType *type = assay_graph_value (self->graph, i)->type;

      for (int j = 0; j < type->rank; j++)
        {
          if (type->dims[j].symbol != NULL && strcmp (type->dims[j].symbol, symbol) == 0)
            return TRUE;
        }
    }

  return FALSE;
}

/* `INPUT:AXIS`; the name may hold colons of its own. */
static gboolean
bind_axis (Shapes *self, const char *target, gint64 size, gboolean *found, GError **error)
{
  const char *colon = strrchr (target, ':');
  gint64 axis;

  *found = FALSE;
  if (colon == NULL)
    return TRUE;

  for (guint i = 0; i < self->inputs->len; i++)
    {
      AssayValueId id = g_array_index (self->inputs, AssayValueId, i);
      const AssayType *type = assay_graph_value (self->graph, id)->type;

      if (strncmp (value_name (self, i), target, (gsize) (colon - target)) != 0 ||
          value_name (self, i)[colon - target] != '\0')
        continue;

      *found = TRUE;
      if (!parse_extent (colon + 1, &axis) || type->kind != ASSAY_TYPE_KIND_TENSOR ||
          axis >= type->rank)
        {
          g_autofree char *text = assay_type_to_string (type);

          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                       "input \"%s\" of type %s has no axis \"%s\"", value_name (self, i), text,
                       colon + 1);
          return FALSE;
        }
      set_extent (self, id, (guint) axis, size);
      return TRUE;
    }

  return TRUE;
}

static gboolean
bind (Shapes *self, const char *binding, GError **error)
{
  const char *equals = strrchr (binding, '=');
  g_autofree char *target = NULL;
  gboolean found;
  gint64 size;

  if (equals == NULL || equals == binding || !parse_extent (equals + 1, &size))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "\"%s\": expected NAME=SIZE or INPUT:AXIS=SIZE", binding);
      return FALSE;
    }

  target = g_strndup (binding, (gsize) (equals - binding));
  if (has_symbol (self, target))
    {
      set_symbol (self, assay_arena_intern (self->graph->arena, target), size);
      return TRUE;
    }

  if (!bind_axis (self, target, size, &found, error))
    return FALSE;

  if (!found)
    {
      g_autofree char *symbols = list_symbols (self);
      g_autofree char *inputs = list_inputs (self);

      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "\"%s\" is neither a symbolic dimension nor an axis of an input; %s%s%s %s",
                   target, *symbols != '\0' ? "the symbols are " : "the model has no symbols",
                   symbols, *symbols != '\0' ? ", the inputs" : " and the inputs", inputs);
      return FALSE;
    }

  return TRUE;
}

/* Puts the sizes where their symbols are. */
static void
substitute (Shapes *self)
{
  for (AssayValueId i = 1; i < assay_graph_n_values (self->graph); i++)
    {
      AssayValue *value = assay_graph_edit_value (self->graph, i);
      AssayDim dims[ASSAY_MAX_RANK];
      gboolean touched = FALSE;

      if (value->type->kind != ASSAY_TYPE_KIND_TENSOR || value->type->rank <= 0)
        continue;

      memcpy (dims, value->type->dims, (gsize) value->type->rank * sizeof *dims);
      for (int j = 0; j < value->type->rank; j++)
        {
          const gint64 *size = dims[j].symbol == NULL
                                   ? NULL
                                   : g_hash_table_lookup (self->sizes, dims[j].symbol);

          if (size == NULL)
            continue;
          dims[j] = (AssayDim){ *size, NULL };
          touched = TRUE;
        }

      if (touched)
        value->type = assay_type_new_tensor (self->graph->arena, value->type->dtype,
                                             value->type->rank, dims);
    }
}

/* The file states the shapes of results for its own input shapes, not for these. */
static void
forget_results (Shapes *self)
{
  for (AssayValueId i = 1; i < assay_graph_n_values (self->graph); i++)
    {
      AssayValue *value = assay_graph_edit_value (self->graph, i);

      if (value->kind == ASSAY_VALUE_RESULT && value->constant == NULL &&
          value->type->kind == ASSAY_TYPE_KIND_TENSOR)
        value->type = assay_type_new_tensor (self->graph->arena, value->type->dtype, -1, NULL);
    }
}

/**
 * assay_graph_bind_shapes:
 * @graph: a graph under construction that has all its values
 * @shapes: (nullable) (array zero-terminated=1): one entry per graph input that is not a parameter,
 * in order; dimensions separated by commas, `?` or an empty entry leaves as is
 * @bindings: (nullable) (array zero-terminated=1): `NAME=SIZE` for symbolic dimensions, or
 * `INPUT:AXIS=SIZE`
 * @error: return location for a #GError
 *
 * Applies the shapes and sizes that the user asks for; types of results are inferred afterwards by
 * the caller.
 *
 * Returns: %FALSE with %ASSAY_ERROR_INVALID if one names what does not exist, or does not fit
 */
gboolean
assay_graph_bind_shapes (AssayGraph *graph, const char *const *shapes, const char *const *bindings,
                         GError **error)
{
  const AssayRegion *main_region = assay_graph_region (graph, ASSAY_MAIN_REGION);
  g_autoptr (GArray) inputs = g_array_new (FALSE, FALSE, sizeof (AssayValueId));
  g_autoptr (GHashTable) sizes = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  Shapes self = { graph, inputs, sizes, FALSE };

  if (shapes == NULL && bindings == NULL)
    return TRUE;

  for (guint i = 0; i < main_region->inputs->len; i++)
    {
      AssayValueId id = g_array_index (main_region->inputs, AssayValueId, i);

      if (!assay_graph_value (graph, id)->is_parameter)
        g_array_append_val (inputs, id);
    }

  if (shapes != NULL && !override_shapes (&self, shapes, error))
    return FALSE;

  for (guint i = 0; bindings != NULL && bindings[i] != NULL; i++)
    {
      if (!bind (&self, bindings[i], error))
        return FALSE;
    }

  if (g_hash_table_size (sizes) > 0)
    substitute (&self);
  if (self.changed)
    forget_results (&self);
  graph->is_changed |= self.changed;

  return TRUE;
}

/**
 * assay_type_axis_is_batch:
 * @type: the type of an input
 * @axis: one of its axes
 *
 * Guesses whether an axis counts examples, which the machines here take one at a time: the first
 * one, what is called a batch, and the second one of states of recurrent layers, behind a number of
 * layers that is known.
 *
 * Returns: whether it seems so
 */
gboolean
assay_type_axis_is_batch (const AssayType *type, int axis)
{
  const char *symbol = type->dims[axis].symbol;
  g_autofree char *lower = symbol != NULL ? g_ascii_strdown (symbol, -1) : NULL;

  return axis == 0 || (axis == 1 && type->rank == 3 && type->dims[0].size >= 0) ||
         (lower != NULL && strstr (lower, "batch") != NULL);
}
