/* assay-io-only.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/stream/compile/assay-io-only.h"

#include "base/assay-arena.h"
#include "base/assay-error.h"

static const AssayPort *
new_port (AssayStreamCode *code, const char *name, gsize values)
{
  AssayPort *port = assay_arena_alloc (code->arena, sizeof *port);
  gint64 *dims = assay_arena_alloc (code->arena, sizeof *dims);

  dims[0] = (gint64) values;
  *port = (AssayPort){
    .name = name,
    .rank = 1,
    .dims = dims,
    .streaming_dim = -1,
    .data_dim = 0,
    .lanes = (guint32) values,
    .n_vectors = 1,
  };

  return port;
}

static gboolean
check_values (const char *what, gsize values, GError **error)
{
  if (values >= 1 && values <= G_MAXINT32 / 4)
    return TRUE;

  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
               "%" G_GSIZE_FORMAT " %s values; allowed: 1 to %d", values, what, G_MAXINT32 / 4);
  return FALSE;
}

/* Every input comes to the start of the same tensor RAM, so that what took the inputs before takes
 * them now. */
static void
add_input (AssayStreamCode *code, guint32 lanes)
{
  AssayInstruction input = {
    .opcode = ASSAY_OPCODE_INPUT,
    .round = ASSAY_ROUND_BF16,
    .cores = 1,
    .lanes = lanes,
    .step = code->instructions->len,
    .d = { .store = ASSAY_STORE_TENSOR },
  };

  g_array_append_val (code->instructions, input);
}

/* One value over and over: of the last block that came in, or zero where nothing comes in. */
static void
add_output (AssayStreamCode *code, guint32 lanes, guint32 blocks)
{
  AssayInstruction output = {
    .opcode = ASSAY_OPCODE_OUTPUT,
    .round = ASSAY_ROUND_BF16,
    .lanes = lanes,
    .step = code->instructions->len,
    .a = { .store = blocks > 0 ? ASSAY_STORE_TENSOR : ASSAY_STORE_IMMEDIATE,
           .repeat = TRUE,
           .base = MAX (blocks, 1) - 1 },
  };

  g_array_append_val (code->instructions, output);
}

static guint32
blocks_of (const AssayStreamCode *code, gsize lanes)
{
  return (guint32) ((lanes + code->config.block_size - 1) / code->config.block_size);
}

static void
add_plan (AssayStreamCode *code, const char *name, guint32 blocks, guint32 first)
{
  AssayPlanned planned = {
    .name = name,
    .store = ASSAY_STORE_TENSOR,
    .kind = ASSAY_TENSOR_INPUT,
    .blocks = blocks,
    .born = first,
    .died = code->instructions->len - 1,
  };

  if (blocks > 0)
    g_array_append_val (code->plan, planned);
}

static const AssayPort *
copy_ports (AssayStreamCode *code, const AssayPort *ports, guint n)
{
  AssayPort *copies = assay_arena_alloc_n (code->arena, n, sizeof *copies);

  assay_ports_copy (copies, ports, n, code->arena);

  return copies;
}

static void
add_model (AssayStreamCode *code, const AssayStreamCode *from, const AssayModelEntry *model)
{
  const AssayInstruction *instructions = &g_array_index (from->instructions, AssayInstruction,
                                                         model->first);
  AssayModelEntry entry = {
    .name = assay_arena_intern (code->arena, model->name),
    .first = code->instructions->len,
    .n_inputs = model->n_inputs,
    .n_outputs = model->n_outputs,
    .inputs = copy_ports (code, model->inputs, model->n_inputs),
    .outputs = copy_ports (code, model->outputs, model->n_outputs),
  };
  guint32 last = 0, most = 0;

  for (guint32 i = 0; i < model->n_instructions; i++)
    if (instructions[i].opcode == ASSAY_OPCODE_INPUT)
      {
        add_input (code, instructions[i].lanes);
        last = blocks_of (code, instructions[i].lanes);
        most = MAX (most, last);
      }
  for (guint32 i = 0; i < model->n_instructions; i++)
    if (instructions[i].opcode == ASSAY_OPCODE_OUTPUT)
      add_output (code, instructions[i].lanes, last);

  entry.n_instructions = code->instructions->len - entry.first;
  add_plan (code, entry.n_inputs > 0 ? entry.inputs[0].name : "", most, entry.first);
  g_array_append_val (code->models, entry);
}

/**
 * assay_compile_io_only_like:
 * @code: a program
 *
 * Makes a program with the models of another one, their inputs and outputs, that computes nothing:
 * what it sends is the first value of the last block it received, so that nothing leaves before
 * everything has arrived.
 *
 * Returns: (transfer full): the program
 */
AssayStreamCode *
assay_compile_io_only_like (const AssayStreamCode *code)
{
  AssayStreamCode *result = assay_stream_code_new (&code->config);

  result->target_id = assay_arena_intern (result->arena, code->target_id);
  for (guint i = 0; i < code->models->len; i++)
    add_model (result, code, &g_array_index (code->models, AssayModelEntry, i));
  g_ptr_array_add (result->node_names, (gpointer) "");

  return result;
}

/**
 * assay_compile_io_only:
 * @config: the hardware
 * @in_values: size of the only input
 * @out_values: size of the only output
 * @error: return location for a #GError
 *
 * Makes a program that receives an input and sends an output without computing, to measure the way
 * in and out. What it sends is the first value of the last block it received, so that nothing
 * leaves before everything has arrived.
 *
 * Returns: (transfer full) (nullable): the program, or %NULL with %ASSAY_ERROR_ALLOCATION if tensor
 * RAM cannot hold the input
 */
AssayStreamCode *
assay_compile_io_only (const AssayConfigValues *config, gsize in_values, gsize out_values,
                       GError **error)
{
  g_autoptr (AssayStreamCode) code = NULL;
  AssayModelEntry entry = { .name = "io-only", .n_instructions = 2, .n_inputs = 1, .n_outputs = 1 };
  guint32 blocks;

  if (!check_values ("input", in_values, error) || !check_values ("output", out_values, error))
    return NULL;

  code = assay_stream_code_new (config);
  blocks = blocks_of (code, in_values);
  if (blocks > config->tensor_ram_depth)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_ALLOCATION,
                   "tensor RAM of core 0 is too small: input needs %u block%s at step 0, %u of "
                   "%u are free, the "
                   "largest hole has %u",
                   blocks, blocks == 1 ? "" : "s", config->tensor_ram_depth,
                   config->tensor_ram_depth, config->tensor_ram_depth);
      return NULL;
    }

  entry.inputs = new_port (code, "input", in_values);
  entry.outputs = new_port (code, "output", out_values);
  g_array_append_val (code->models, entry);

  add_input (code, (guint32) in_values);
  add_output (code, (guint32) out_values, blocks);
  add_plan (code, "input", blocks, 0);
  g_ptr_array_add (code->node_names, (gpointer) "");

  return g_steal_pointer (&code);
}
