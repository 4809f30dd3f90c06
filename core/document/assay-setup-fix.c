/* assay-setup-fix.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Fixes that leave the nodes alone: the setup takes them over.
 */
#include "document/assay-setup.h"

#include <string.h>

typedef void (*TakeArgument) (AssaySetup *setup, const char *name, const char *value,
                              GPtrArray *inputs);

static void
take_size (AssaySetup *setup, const char *name, const char *value, GPtrArray *inputs)
{
  gint64 size;

  if (g_ascii_string_to_signed (value, 10, 0, G_MAXINT64, &size, NULL))
    assay_setup_set_binding (setup, name, size);
}

static void
take_axis (AssaySetup *setup, const char *name, const char *value, GPtrArray *inputs)
{
  gint64 axis;

  if (!g_ascii_string_to_signed (value, 10, -1, 63, &axis, NULL))
    return;

  for (guint i = 0; i < inputs->len; i++)
    if (g_str_equal (((const AssayInput *) g_ptr_array_index (inputs, i))->name, name))
      assay_setup_set_streaming_axis (setup, i, (int) axis);
}

static void
take_data_dimension (AssaySetup *setup, const char *name, const char *value, GPtrArray *inputs)
{
  assay_setup_set_data_dimension (setup, name, value);
}

static void
take_target_option (AssaySetup *setup, const char *name, const char *value, GPtrArray *inputs)
{
  assay_setup_set_target_option (setup, name, value);
}

static void
take_fp32 (AssaySetup *setup, const AssayFix *fix)
{
  const char *before = assay_setup_get_compile_option (setup, "keep-fp32");
  g_autofree char *nodes = g_strjoinv (" ", fix->nodes);
  g_autofree char *all = before != NULL ? g_strdup_printf ("%s %s", before, nodes)
                                        : g_strdup (nodes);

  assay_setup_set_compile_option (setup, "keep-fp32", all);
}

static void
take_dynamic_weights (AssaySetup *setup, const AssayFix *fix)
{
  assay_setup_set_dynamic_weights (setup, TRUE);
}

/* One row per rewrite of these kinds: what it does with each argument, or as a whole. */
static const struct
{
  const char *rewrite;
  TakeArgument argument;
  void (*whole) (AssaySetup *setup, const AssayFix *fix);
} rows[] = {
  { "bind-shape", take_size, NULL },
  { "streaming-axis", take_axis, NULL },
  { "data-dimension", take_data_dimension, NULL },
  { "target-option", take_target_option, NULL },
  { "keep-fp32", NULL, take_fp32 },
  { "dynamic-weights", NULL, take_dynamic_weights },
};

/**
 * assay_setup_take_fix:
 * @self: a setup
 * @fix: a fix
 * @inputs: (element-type AssayInput): the main inputs of the model
 *
 * Takes over a fix that is no change of nodes.
 *
 * Returns: whether it is one
 */
gboolean
assay_setup_take_fix (AssaySetup *self, const AssayFix *fix, GPtrArray *inputs)
{
  if (assay_fix_get_kind (fix) == ASSAY_FIX_GRAPH)
    return FALSE;

  for (guint row = 0; row < G_N_ELEMENTS (rows); row++)
    {
      if (!g_str_equal (rows[row].rewrite, fix->rewrite))
        continue;

      if (rows[row].whole != NULL)
        rows[row].whole (self, fix);
      for (guint i = 0; rows[row].argument != NULL && fix->arguments[i] != NULL; i++)
        {
          const char *equals = strrchr (fix->arguments[i], '=');
          g_autofree char *name = g_strndup (fix->arguments[i],
                                             (gsize) (equals - fix->arguments[i]));

          rows[row].argument (self, name, equals + 1, inputs);
        }
      return TRUE;
    }

  return FALSE;
}
