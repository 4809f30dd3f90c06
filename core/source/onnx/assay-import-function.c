/* assay-import-function.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/assay-import-private.h"

#include <string.h>

#include "base/assay-sentence.h"

/* Functions of the model are expanded where they are called. A file of a kilobyte can ask for more
 * nodes than fit into any memory, so what comes out of functions is bounded: so much, and so much
 * again for each byte of the file. */
#define EXPANSION_FLOOR (64u << 20)
#define EXPANSION_FACTOR 32
#define NODE_COST 512

typedef Assay__Onnx__FunctionProto FunctionProto;

/* All three are interned, so that pointers compare. */
typedef struct
{
  const char *domain;
  const char *name;
  const char *overload;
} Key;

static guint
key_hash (gconstpointer data)
{
  const Key *key = data;

  return g_direct_hash (key->domain) * 31u + g_direct_hash (key->name) * 17u +
         g_direct_hash (key->overload);
}

static gboolean
key_equal (gconstpointer a, gconstpointer b)
{
  return memcmp (a, b, sizeof (Key)) == 0;
}

static Key
make_key (Importer *self, const char *domain, const char *name, const char *overload)
{
  Key key = { assay_import_text (self, domain), assay_import_text (self, name),
              assay_import_text (self, overload) };

  if (strcmp (key.domain, "ai.onnx") == 0)
    key.domain = self->empty;

  return key;
}

static gint64
find_version (const GArray *opsets, const char *domain)
{
  for (guint i = 0; i < opsets->len; i++)
    {
      if (g_array_index (opsets, AssayOpset, i).domain == domain)
        return g_array_index (opsets, AssayOpset, i).version;
    }

  return -1;
}

/* The body of a function is written for the opsets that the function names, and else for those of
 * the model. They are noted only where that makes a difference: for domains that the op table
 * knows, which are few. */
static void
import_opsets (Importer *self, const FunctionProto *function, const GArray *of_model,
               GHashTable *listed)
{
  g_autoptr (GArray) opsets = g_array_copy ((GArray *) of_model);
  gboolean differs = FALSE;

  for (gsize i = 0; i < function->n_opset_import; i++)
    {
      Key key = make_key (self, function->opset_import[i]->domain, NULL, NULL);
      AssayOpset opset = { key.domain, function->opset_import[i]->version };

      for (guint j = 0; j < opsets->len; j++)
        {
          AssayOpset *known = &g_array_index (opsets, AssayOpset, j);

          if (known->domain != opset.domain || known->version == opset.version)
            continue;

          known->version = opset.version;
          differs = TRUE;
        }

      /* What only a function uses is listed with the model too. */
      if (g_hash_table_add (listed, (gpointer) opset.domain))
        {
          g_array_append_val (self->graph->opsets, opset);
          assay_import_check_opset (self, &opset);
        }
    }

  if (differs)
    g_hash_table_insert (self->opsets, (gpointer) function, g_steal_pointer (&opsets));
}

/**
 * assay_import_functions:
 * @self: an importer
 * @model: the model
 *
 * Notes the functions that the model defines, so that calls find them.
 */
void
assay_import_functions (Importer *self, const Assay__Onnx__ModelProto *model)
{
  static const char *const domains[] = { "", "ai.onnx.ml", "ai.onnx.preview",
                                         "ai.onnx.preview.training", "ai.onnx.training" };
  AssayArena *arena = self->graph->arena;
  g_autoptr (GArray) of_model = g_array_new (FALSE, FALSE, sizeof (AssayOpset));
  g_autoptr (GHashTable) listed = NULL;

  self->max_expanded = EXPANSION_FLOOR +
                       g_bytes_get_size (assay_onnx_file_get_bytes (self->file)) * EXPANSION_FACTOR;
  if (model->n_functions == 0)
    return;

  listed = g_hash_table_new (NULL, NULL);
  self->functions = g_hash_table_new (key_hash, key_equal);
  self->opsets = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref);
  self->versions = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < self->graph->opsets->len; i++)
    g_hash_table_add (listed, (gpointer) g_array_index (self->graph->opsets, AssayOpset, i).domain);
  for (guint i = 0; i < G_N_ELEMENTS (domains); i++)
    {
      AssayOpset opset = { assay_arena_intern (arena, domains[i]), 0 };

      opset.version = find_version (self->graph->opsets, opset.domain);
      if (opset.version >= 0)
        g_array_append_val (of_model, opset);
    }

  for (gsize i = 0; i < model->n_functions; i++)
    {
      const FunctionProto *function = model->functions[i];
      Key key = make_key (self, function->domain, function->name, function->overload);
      g_autofree char *path = g_strdup_printf ("functions[%" G_GSIZE_FORMAT "]:%.60s", i, key.name);

      import_opsets (self, function, of_model, listed);
      if (g_hash_table_contains (self->functions, &key))
        assay_findings_add (self->findings, ASSAY_SEVERITY_ERROR, "import.duplicate-function", path,
                            NULL, NULL, -1,
                            "two functions are called \"%s\" in domain \"%s\"; the first is used",
                            key.name, key.domain);
      else
        g_hash_table_insert (self->functions, assay_arena_memdup (arena, &key, sizeof key),
                             (gpointer) function);
    }
}

static gboolean
is_open (const ImportFrame *frame, const FunctionProto *function)
{
  for (; frame != NULL; frame = frame->parent != NULL ? frame->parent : frame->caller)
    {
      if (frame->function == function)
        return TRUE;
    }

  return FALSE;
}

static const char *
refusal (Importer *self, const ImportFrame *frame, const FunctionProto *function, const char *name)
{
  gsize cost = (strlen (name) * 4 + NODE_COST) * (function->n_node + 1);

  if (is_open (frame, function))
    return "the function calls itself; the call stays as one opaque node";
  if (self->depth >= IMPORT_MAX_DEPTH)
    return "calls are nested deeper than " G_STRINGIFY (
        IMPORT_MAX_DEPTH) "; the call stays as one opaque node";
  if (cost > self->max_expanded - self->n_expanded)
    return "functions expand to far more nodes than the file has; the call stays as one opaque "
           "node";

  self->n_expanded += cost;
  return NULL;
}

static void
add_argument (Importer *self, GHashTable *arguments, const Assay__Onnx__AttributeProto *proto,
              const ImportFrame *frame)
{
  ImportArgument argument = { proto, frame };

  g_hash_table_insert (arguments, (gpointer) assay_import_text (self, proto->name),
                       assay_arena_memdup (self->graph->arena, &argument, sizeof argument));
}

/* What the call says, what it hands on from its own caller, and the defaults of the function. */
static GHashTable *
collect_arguments (Importer *self, const ImportFrame *frame, const Assay__Onnx__NodeProto *proto,
                   const FunctionProto *function)
{
  GHashTable *arguments = g_hash_table_new (NULL, NULL);

  for (gsize i = 0; i < function->n_attribute_proto; i++)
    add_argument (self, arguments, function->attribute_proto[i], NULL);

  for (gsize i = 0; i < proto->n_attribute; i++)
    {
      const Assay__Onnx__AttributeProto *attribute = proto->attribute[i];
      const char *reference = attribute->ref_attr_name;

      if (reference == NULL || reference[0] == '\0')
        {
          add_argument (self, arguments, attribute, frame);
        }
      else if (frame->arguments != NULL)
        {
          ImportArgument *outer = g_hash_table_lookup (frame->arguments,
                                                       assay_import_text (self, reference));

          if (outer != NULL)
            g_hash_table_insert (arguments, (gpointer) assay_import_text (self, attribute->name),
                                 outer);
        }
    }

  return arguments;
}

static void
bind_inputs (Importer *self, const ImportFrame *body, const Assay__Onnx__NodeProto *proto,
             const AssayValueId *inputs)
{
  const FunctionProto *function = body->function;

  for (gsize i = 0; i < function->n_input; i++)
    {
      AssayValueId id = i < proto->n_input ? inputs[i] : ASSAY_NO_VALUE;

      assay_pointer_map_insert (body->values, assay_import_text (self, function->input[i]),
                                GUINT_TO_POINTER (id == ASSAY_NO_VALUE ? IMPORT_OMITTED : id));
    }

  if (proto->n_input > function->n_input)
    assay_findings_add (self->findings, ASSAY_SEVERITY_ERROR, "import.function-arity",
                        body->caller->path, body->prefix, NULL, -1,
                        "the call has %" G_GSIZE_FORMAT " input%s, the function %" G_GSIZE_FORMAT,
                        proto->n_input, assay_plural (proto->n_input), function->n_input);
}

/* An output that is an input of the function, or a result twice, needs a node that writes it. */
static void
finish_outputs (Importer *self, const ImportFrame *body, const Assay__Onnx__NodeProto *proto,
                const AssayValueId *outputs)
{
  const FunctionProto *function = body->function;

  for (gsize i = 0; i < proto->n_output; i++)
    {
      const char *name = i < function->n_output ? assay_import_text (self, function->output[i])
                                                : self->empty;
      AssayValueId id = name == self->empty ? ASSAY_NO_VALUE : assay_import_lookup (body, name);
      AssayNodeId node;
      guint32 origin = (guint32) body->call_origin;

      if (outputs[i] == ASSAY_NO_VALUE || id == outputs[i])
        continue;

      if (id == ASSAY_NO_VALUE || id == IMPORT_OMITTED)
        {
          assay_findings_add (
              self->findings, ASSAY_SEVERITY_ERROR, "import.function-output", body->path,
              body->prefix, NULL, -1,
              "output %" G_GSIZE_FORMAT " of the call is not written by the function", i);
          assay_graph_edit_value (self->graph, outputs[i])->kind = ASSAY_VALUE_MISSING;
          continue;
        }

      node = assay_graph_add_node (
          self->graph, body->region, ASSAY_OP_Identity,
          assay_import_node_name (self, body, self->empty, "Identity", (guint) i), 1, &id, 1,
          &outputs[i]);
      assay_graph_edit_node (self->graph, node)->scope = assay_import_scope (self, body->scope);
      assay_graph_set_origins (self->graph, node, 1, &origin);
    }
}

/**
 * assay_import_call:
 * @self: an importer that has functions
 * @frame: where the call is
 * @proto: a node that may be a call
 * @name: unique name of the node
 * @scope: its scope
 * @origin: its origin
 * @inputs: its inputs
 * @outputs: its results, declared already
 * @expanded: (out): whether the body now stands where the call was
 *
 * Puts the body of a function in the place of a call: names get that of the call in front,
 * attributes are replaced.
 *
 * Returns: %FALSE if cancelled
 */
gboolean
assay_import_call (Importer *self, const ImportFrame *frame, const Assay__Onnx__NodeProto *proto,
                   const char *name, const char *scope, guint32 origin, const AssayValueId *inputs,
                   const AssayValueId *outputs, gboolean *expanded)
{
  Key key = make_key (self, proto->domain, proto->op_type, proto->overload);
  const FunctionProto *function = g_hash_table_lookup (self->functions, &key);
  g_auto (AssayPointerMap) values = { NULL };
  g_auto (AssayPointerMap) types = { NULL };
  g_autoptr (GHashTable) results = NULL;
  g_autoptr (GHashTable) arguments = NULL;
  g_autofree char *path = NULL;
  const char *problem;
  ImportFrame body;
  const char *last;
  gboolean whole;

  if (function == NULL)
    return TRUE;

  problem = refusal (self, frame, function, name);
  if (problem != NULL)
    {
      assay_findings_add (self->findings, ASSAY_SEVERITY_ERROR, "import.function-expansion",
                          frame->path, name, NULL, -1, "%s: %s", key.name, problem);
      return TRUE;
    }

  *expanded = TRUE;
  path = g_strdup_printf ("functions:%.60s.%.60s", key.domain, key.name);
  results = g_hash_table_new (NULL, NULL);
  arguments = collect_arguments (self, frame, proto, function);

  /* The call is a scope of its own, below the one it stands in. */
  last = strrchr (name, '/');
  last = last != NULL && last[1] != '\0' ? last + 1 : name;

  body = (ImportFrame){
    .caller = frame,
    .function = function,
    .region = frame->region,
    .values = &values,
    .types = &types,
    .results = results,
    .arguments = arguments,
    .path = assay_import_text (self, path),
    .prefix = name,
    .opsets = g_hash_table_lookup (self->opsets, function),
    .call_origin = frame->call_origin >= 0 ? frame->call_origin : (gint64) origin,
  };
  if (scope == self->empty)
    {
      body.scope = assay_import_text (self, last);
    }
  else
    {
      g_autofree char *joined = g_strconcat (scope, "/", last, NULL);

      body.scope = assay_import_text (self, joined);
    }

  assay_import_collect_types (self, &body, function->n_value_info, function->value_info);

  bind_inputs (self, &body, proto, inputs);
  for (gsize i = 0; i < MIN (function->n_output, proto->n_output); i++)
    {
      const char *output = assay_import_text (self, function->output[i]);

      if (outputs[i] != ASSAY_NO_VALUE && output != self->empty &&
          !g_hash_table_contains (results, output))
        g_hash_table_insert (results, (gpointer) output, GUINT_TO_POINTER (outputs[i]));
    }

  self->depth++;
  whole = assay_import_nodes (self, &body, function->n_node, function->node);
  self->depth--;
  if (whole)
    finish_outputs (self, &body, proto, outputs);

  return whole;
}
