/* assay-io-only.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "compile/assay-io-only.h"

#include "base/assay-arena.h"
#include "base/assay-error.h"

static const AssayPort *
new_port (AssayCode  *code,
          const char *name,
          gsize       values)
{
  AssayPort *port = assay_arena_alloc (code->arena, sizeof *port);
  gint64 *dims = assay_arena_alloc (code->arena, sizeof *dims);

  dims[0] = (gint64) values;
  *port = (AssayPort) {
    .name = name, .rank = 1, .dims = dims, .streaming_dim = -1, .data_dim = 0, .lanes = (guint32) values, .n_vectors =
      1,
  };

  return port;
}

static gboolean
check_values (const char *what,
              gsize       values,
              GError    **error)
{
  if (values >= 1 && values <= G_MAXINT32 / 4)
    return TRUE;

  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%" G_GSIZE_FORMAT " %s values; allowed: 1 to %d", values, what,
               G_MAXINT32 / 4);
  return FALSE;
}

/**
 * assay_compile_io_only:
 * @config: the hardware
 * @in_values: size of the only input
 * @out_values: size of the only output
 * @error: return location for a #GError
 *
 * Makes a program that receives an input and sends an output without computing, to measure the way in and out. What it
 * sends is the first value of the last block it received, so that nothing leaves before everything has arrived.
 *
 * Returns: (transfer full) (nullable): the program, or %NULL with %ASSAY_ERROR_ALLOCATION if tensor RAM cannot hold the
 *   input
 */
AssayCode *
assay_compile_io_only (const AssayConfigValues  *config,
                       gsize                     in_values,
                       gsize                     out_values,
                       GError                  **error)
{
  g_autoptr (AssayCode) code = NULL;
  AssayModelEntry entry = { .name = "io-only", .n_instructions = 2, .n_inputs = 1, .n_outputs = 1 };
  AssayInstruction input = { .opcode = ASSAY_OPCODE_INPUT, .round = ASSAY_ROUND_BF16, .cores = 1 };
  AssayInstruction output = { .opcode = ASSAY_OPCODE_OUTPUT, .round = ASSAY_ROUND_BF16, .step = 1 };
  AssayPlanned planned = { .name = "input", .store = ASSAY_STORE_TENSOR, .kind = ASSAY_TENSOR_INPUT, .died = 1 };

  if (!check_values ("input", in_values, error) || !check_values ("output", out_values, error))
    return NULL;

  planned.blocks = (guint32) ((in_values + config->block_size - 1) / config->block_size);
  if (planned.blocks > config->tensor_ram_depth)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_ALLOCATION,
                   "tensor RAM of core 0 is too small: input needs %u blocks at step 0, %u of %u are free, the "
                   "largest hole has %u",
                   planned.blocks, config->tensor_ram_depth, config->tensor_ram_depth, config->tensor_ram_depth);
      return NULL;
    }

  code = assay_code_new (config);
  entry.inputs = new_port (code, "input", in_values);
  entry.outputs = new_port (code, "output", out_values);
  g_array_append_val (code->models, entry);

  input.lanes = (guint32) in_values;
  input.d.store = ASSAY_STORE_TENSOR;
  g_array_append_val (code->instructions, input);
  output.lanes = (guint32) out_values;
  output.a = (AssayOperand) { .store = ASSAY_STORE_TENSOR, .repeat = TRUE, .base = planned.blocks - 1 };
  g_array_append_val (code->instructions, output);
  g_array_append_val (code->plan, planned);
  g_ptr_array_add (code->node_names, (gpointer) "");

  return g_steal_pointer (&code);
}
