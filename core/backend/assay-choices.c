/* assay-choices.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/assay-choices.h"

#include <stdarg.h>
#include <string.h>

#include "base/assay-error.h"
#include "base/assay-nearest.h"

struct _AssayChoices
{
  AssayChoice *nodes; /* per node */
  gboolean *inputs;   /* per value: whether it is an input that is kept in fp32 */
};

typedef struct
{
  AssayChoices *choices;
  const AssayGraph *graph;
  guint num_cores;
  AssayFindings *findings;
  char *first; /* what is wrong first */
  guint n_wrong;
} Reader;

static void complain (Reader *self, const char *node, const char *format, ...) G_GNUC_PRINTF (3, 4);

static void
complain (Reader *self, const char *node, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);

  if (self->findings != NULL)
    assay_findings_add (self->findings, ASSAY_SEVERITY_ERROR, "compile.option", NULL, node, NULL,
                        -1, "%s", message);
  if (self->n_wrong++ == 0)
    self->first = g_steal_pointer (&message);
}

/* Whether a node is meant: by its own name, or by that of an ONNX node it stands for. */
static gboolean
is_called (const AssayGraph *graph, const AssayNode *node, const char *name)
{
  if (g_str_equal (node->name, name))
    return TRUE;

  for (guint i = 0; i < node->n_origins; i++)
    {
      if (g_str_equal (g_array_index (graph->origins, AssayOrigin, node->origins[i]).name, name))
        return TRUE;
    }

  return FALSE;
}

/* A name that has the text in it, such as `/layers.2/Gemm` for `layers.2`; else the first, to show
 * what names are like. */
static const char *
find_part (const GPtrArray *names, const char *text)
{
  for (guint i = 0; g_ptr_array_index (names, i) != NULL; i++)
    {
      if (strstr (g_ptr_array_index (names, i), text) != NULL)
        return g_ptr_array_index (names, i);
    }

  return g_ptr_array_index (names, 0);
}

static char *
hint_for (const Reader *self, const char *name)
{
  const AssayRegion *main = assay_graph_region (self->graph, ASSAY_MAIN_REGION);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree char *hint = NULL;

  for (guint i = 0; i < main->nodes->len; i++)
    {
      const AssayNode *node = assay_graph_node (self->graph,
                                                g_array_index (main->nodes, AssayNodeId, i));

      g_ptr_array_add (names, (gpointer) node->name);
      for (guint j = 0; j < node->n_origins; j++)
        g_ptr_array_add (
            names,
            (gpointer) g_array_index (self->graph->origins, AssayOrigin, node->origins[j]).name);
    }
  g_ptr_array_add (names, NULL);
  hint = assay_nearest_hint (name, (const char *const *) names->pdata);
  if (*hint != 0 || names->len == 1)
    return g_steal_pointer (&hint);

  return g_strdup_printf ("; nodes are called `%s`", find_part (names, name));
}

static void
complain_unknown (Reader *self, const char *option, const char *name)
{
  g_autofree char *hint = hint_for (self, name);

  complain (self, name, "%s %s: the model has no such node%s", option, name, hint);
}

static AssayValueId
find_input (const AssayGraph *graph, const char *name)
{
  const AssayRegion *main = assay_graph_region (graph, ASSAY_MAIN_REGION);

  for (guint i = 0; i < main->inputs->len; i++)
    {
      AssayValueId id = g_array_index (main->inputs, AssayValueId, i);

      if (g_str_equal (assay_graph_value (graph, id)->name, name))
        return id;
    }

  return ASSAY_NO_VALUE;
}

static gboolean
keep_input (Reader *self, const char *name)
{
  AssayValueId id = find_input (self->graph, name);

  self->choices->inputs[id] = id != ASSAY_NO_VALUE;

  return id != ASSAY_NO_VALUE;
}

/* Sets what is wanted of every node with this name. */
static gboolean
choose (Reader *self, const char *name, guint64 cores)
{
  const AssayRegion *main = assay_graph_region (self->graph, ASSAY_MAIN_REGION);
  gboolean found = FALSE;

  for (guint i = 0; i < main->nodes->len; i++)
    {
      AssayNodeId id = g_array_index (main->nodes, AssayNodeId, i);

      if (!is_called (self->graph, assay_graph_node (self->graph, id), name))
        continue;
      found = TRUE;
      if (cores != 0)
        self->choices->nodes[id].cores = cores;
      else
        self->choices->nodes[id].fp32 = TRUE;
    }

  return found;
}

/**
 * assay_choices_knows:
 * @graph: a graph
 * @name: the name of a node or of an input
 *
 * Tells whether a name can be used in the options of a graph.
 *
 * Returns: whether something is called so
 */
gboolean
assay_choices_knows (const AssayGraph *graph, const char *name)
{
  const AssayRegion *main = assay_graph_region (graph, ASSAY_MAIN_REGION);

  for (guint i = 0; i < main->nodes->len; i++)
    {
      if (is_called (graph, assay_graph_node (graph, g_array_index (main->nodes, AssayNodeId, i)),
                     name))
        return TRUE;
    }

  return find_input (graph, name) != ASSAY_NO_VALUE;
}

/**
 * assay_choices_parse_cores:
 * @text: cores such as `0-2,5`
 * @num_cores: how many there are
 * @cores: (out): the cores, a bit each
 * @error: return location for a #GError
 *
 * Reads a list of cores.
 *
 * Returns: %FALSE with %ASSAY_ERROR_INVALID if it is none
 */
gboolean
assay_choices_parse_cores (const char *text, guint num_cores, guint64 *cores, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);

  *cores = 0;
  for (guint i = 0; parts[i] != NULL; i++)
    {
      g_auto (GStrv) ends = g_strsplit (parts[i], "-", 2);
      const char *last = ends[0] != NULL && ends[1] != NULL ? ends[1] : ends[0];
      guint64 from, to;

      if (last == NULL ||
          !g_ascii_string_to_unsigned (ends[0], 10, 0, num_cores - 1, &from, NULL) ||
          !g_ascii_string_to_unsigned (last, 10, from, num_cores - 1, &to, NULL))
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                       "`%s` are no cores; expected numbers from 0 to %u, such as 0-%u or 0,%u",
                       text, num_cores - 1, num_cores - 1, num_cores - 1);
          return FALSE;
        }
      for (guint64 core = from; core <= to; core++)
        *cores |= (guint64) 1 << core;
    }

  if (*cores == 0)
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "no cores are given");

  return *cores != 0;
}

static void
read_pin (Reader *self, const char *pin)
{
  const char *equals = strrchr (pin, '=');
  g_autofree char *name = NULL;
  g_autoptr (GError) error = NULL;
  guint64 cores;

  if (equals == NULL || equals == pin)
    {
      complain (self, NULL, "pin %s: expected NODE=CORES, such as fc1=0-2", pin);
      return;
    }

  name = g_strndup (pin, (gsize) (equals - pin));
  if (!assay_choices_parse_cores (equals + 1, self->num_cores, &cores, &error))
    complain (self, name, "pin %s: %s", name, error->message);
  else if (!choose (self, name, cores))
    complain_unknown (self, "pin", name);
}

/**
 * assay_choices_new:
 * @graph: a canonical graph
 * @config: the hardware
 * @settings: (nullable): which values stay fp32, and which nodes have cores of their own
 * @findings: (nullable): gets everything that is wrong
 * @error: return location for a #GError
 *
 * Finds the nodes that a user names. A node is known by its name and by those of the ONNX nodes it
 * stands for.
 *
 * Returns: (transfer full) (nullable): the choices, or %NULL with %ASSAY_ERROR_INVALID if a name is
 * unknown
 */
AssayChoices *
assay_choices_new (const AssayGraph *graph, const AssayConfigValues *config,
                   const AssaySettings *settings, AssayFindings *findings, GError **error)
{
  const char *const *keep_fp32 = assay_settings_get_list (settings, ASSAY_SETTING_KEEP_FP32);
  const char *const *pins = assay_settings_get_list (settings, ASSAY_SETTING_PIN);
  g_autoptr (AssayChoices) self = g_new0 (AssayChoices, 1);
  Reader reader = {
    .choices = self, .graph = graph, .num_cores = config->num_cores, .findings = findings
  };

  self->nodes = g_new0 (AssayChoice, assay_graph_n_nodes (graph));
  self->inputs = g_new0 (gboolean, assay_graph_n_values (graph));

  for (guint i = 0; keep_fp32 != NULL && keep_fp32[i] != NULL; i++)
    {
      if (!choose (&reader, keep_fp32[i], 0) && !keep_input (&reader, keep_fp32[i]))
        complain_unknown (&reader, "keep in fp32", keep_fp32[i]);
    }
  for (guint i = 0; pins != NULL && pins[i] != NULL; i++)
    read_pin (&reader, pins[i]);

  if (reader.n_wrong == 0)
    return g_steal_pointer (&self);

  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s%s", reader.first,
               reader.n_wrong > 1 ? " (and more)" : "");
  g_free (reader.first);

  return NULL;
}

void
assay_choices_free (AssayChoices *self)
{
  if (self == NULL)
    return;

  g_free (self->nodes);
  g_free (self->inputs);
  g_free (self);
}

/**
 * assay_choices_get:
 * @self: (nullable): choices
 * @node: a node of the graph
 *
 * Gets what is wanted of a node.
 *
 * Returns: (transfer none) (nullable): the choice, or %NULL if there are none
 */
const AssayChoice *
assay_choices_get (const AssayChoices *self, AssayNodeId node)
{
  return self == NULL ? NULL : &self->nodes[node];
}

/**
 * assay_choices_keeps_input:
 * @self: (nullable): choices
 * @input: an input of the graph
 *
 * Tells whether an input comes in as fp32.
 *
 * Returns: whether it does
 */
gboolean
assay_choices_keeps_input (const AssayChoices *self, AssayValueId input)
{
  return self != NULL && self->inputs[input];
}
