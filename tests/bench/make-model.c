/* make-model.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Writes a model of any number of nodes: make-model NODES FILE. It is a chain of blocks as
 * transformers and mixers have them, each with parameters of its own, so that it looks like a model
 * to every pass.
 */
#include <stdio.h>
#include <stdlib.h>

#include "model-writer.h"

#define FLOAT ASSAY__ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT
#define WIDTH 16

static void
write_block (ModelWriter *w, guint block)
{
  static const struct
  {
    const char *op_type;
    const char *inputs;
  } steps[] = {
    { "MatMul", "@ W" }, { "Add", "# B" }, { "Relu", "#" }, { "MatMul", "# V" }, { "Add", "# C" },
    { "Sigmoid", "#" },  { "Mul", "# @" }, { "Tanh", "#" }, { "Sub", "# B" },    { "Add", "# @" },
  };
  const gint64 matrix[] = { WIDTH, WIDTH };

  for (const char *p = "WV"; *p != 0; p++)
    {
      g_autofree char *name = g_strdup_printf ("%c%u", *p, block);

      model_writer_weight (w, name, 2, matrix);
    }
  for (const char *p = "BC"; *p != 0; p++)
    {
      g_autofree char *name = g_strdup_printf ("%c%u", *p, block);

      model_writer_weight (w, name, 1, matrix);
    }
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      g_autoptr (GString) inputs = g_string_new (NULL);
      g_autofree char *name = g_strdup_printf ("/blocks.%u/%s_%u", block, steps[i].op_type, i);
      g_autofree char *output = g_strdup_printf ("t%u_%u", block, i + 1);

      for (const char *p = steps[i].inputs; *p != 0; p++)
        if (*p == '@' || *p == '#')
          g_string_append_printf (inputs, "t%u_%u", *p == '@' && block > 0 ? block - 1 : block,
                                  *p == '#'   ? i
                                  : block > 0 ? (guint) G_N_ELEMENTS (steps)
                                              : 0);
        else if (*p == ' ')
          g_string_append_c (inputs, ' ');
        else
          g_string_append_printf (inputs, "%c%u", *p, block);
      model_writer_node (w, steps[i].op_type, name, inputs->str, output);
    }
}

int
main (int argc, char **argv)
{
  g_auto (ModelWriter) writer = { 0 };
  g_autoptr (GError) error = NULL;
  g_autofree char *output = NULL;
  guint blocks;

  if (argc != 3 || (blocks = (guint) g_ascii_strtoull (argv[1], NULL, 10) / 10) == 0)
    {
      fprintf (stderr, "usage: make-model NODES FILE\n");
      return EXIT_FAILURE;
    }

  model_writer_init (&writer, "blocks");
  model_writer_input (&writer, "t0_0", FLOAT, "4,16");
  for (guint i = 0; i < blocks; i++)
    write_block (&writer, i);
  output = g_strdup_printf ("t%u_10", blocks - 1);
  model_writer_output (&writer, output, FLOAT, "4,16");
  if (model_writer_save (&writer, argv[2], 17, &error))
    return EXIT_SUCCESS;

  fprintf (stderr, "make-model: %s\n", error->message);
  return EXIT_FAILURE;
}
