/* assay-command-dump.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assay-command.h"
#include "assay-program-input.h"
#include "backend/stream/machine/assay-disassemble.h"
#include "report/assay-report-text.h"

static int
compare_planned (gconstpointer a, gconstpointer b)
{
  const AssayPlanned *left = *(const AssayPlanned *const *) a;
  const AssayPlanned *right = *(const AssayPlanned *const *) b;

  if (left->store != right->store)
    return left->store < right->store ? -1 : 1;
  if (left->base != right->base)
    return left->base < right->base ? -1 : 1;

  return left->born < right->born ? -1 : left->born > right->born;
}

static const char *
node_name (const AssayStreamCode *code, guint32 node)
{
  return node < code->node_names->len ? g_ptr_array_index (code->node_names, node) : "";
}

/* What lies where on a core, and when. */
static void
append_memory (const AssayStreamCode *code, guint core, GString *text)
{
  g_autoptr (GPtrArray) tensors = g_ptr_array_new ();

  for (guint i = 0; i < code->plan->len; i++)
    {
      AssayPlanned *planned = &g_array_index (code->plan, AssayPlanned, i);

      if (planned->core == core)
        g_ptr_array_add (tensors, planned);
    }
  g_ptr_array_sort (tensors, compare_planned);

  for (guint i = 0; i < tensors->len; i++)
    {
      const AssayPlanned *planned = g_ptr_array_index (tensors, i);

      g_string_append_printf (text, "  %-6s %6u..%-6u %-10s", assay_store_name (planned->store),
                              planned->base, planned->base + planned->blocks - 1,
                              assay_tensor_kind_name (planned->kind));
      if (planned->died == G_MAXUINT32)
        g_string_append (text, " always       ");
      else
        g_string_append_printf (text, " %6u..%-5u", planned->born, planned->died);
      g_string_append_printf (text, " %s\n", planned->name);
    }
}

/* Which rows of which matrix lie where; the node is that of the first product with it. */
static void
append_weights (const AssayStreamCode *code, guint core, GString *text)
{
  for (guint i = 0; i < code->placed->len; i++)
    {
      const AssayPlacedMatrix *placed = &g_array_index (code->placed, AssayPlacedMatrix, i);
      const AssayMatrix *matrix = &g_array_index (code->matrices, AssayMatrix, placed->matrix);
      const char *name = "";

      if (placed->core != core)
        continue;
      for (guint j = code->instructions->len; j-- > 0;)
        {
          const AssayInstruction *instruction = &g_array_index (code->instructions,
                                                                AssayInstruction, j);

          if (instruction->opcode == ASSAY_OPCODE_MATRIX && instruction->weights == i)
            name = node_name (code, instruction->node);
        }
      g_string_append_printf (
          text, "  weight %6u..%-6u rows %u..%u of %u, %u inputs, %s\n", placed->base,
          placed->base + assay_stream_code_placed_blocks (code, i) - 1, placed->first_row,
          placed->first_row + placed->n_rows - 1, matrix->n_outputs, matrix->n_inputs, name);
    }
}

static void
append_mask (guint64 cores, GString *text)
{
  const char *separator = "";

  for (guint core = 0; core < ASSAY_MAX_CORES; core++)
    {
      guint last = core;

      if ((cores >> core & 1) == 0)
        continue;
      while (last + 1 < ASSAY_MAX_CORES && (cores >> (last + 1) & 1) != 0)
        last++;
      g_string_append_printf (text, last > core ? "%s%u-%u" : "%s%u", separator, core, last);
      separator = ",";
      core = last;
    }
}

/* The placements that were tried for every layer of a model; what the program has is marked. */
static void
append_candidates (const AssayStreamCode *code, guint model, GString *text)
{
  for (guint i = 0; i < code->candidates->len; i++)
    {
      const AssayCandidate *candidate = &g_array_index (code->candidates, AssayCandidate, i);
      g_autoptr (GString) cores = g_string_new (NULL);

      if (candidate->model != model)
        continue;
      append_mask (candidate->cores, cores);
      if (candidate->chosen)
        g_string_append_printf (text, "  %s\n", node_name (code, candidate->node));
      g_string_append_printf (text, "  %c cores %-8s %8u spaced %8u contiguous%s\n",
                              candidate->chosen ? '*' : ' ', cores->str, candidate->spaced,
                              candidate->contiguous, candidate->pinned ? ", pinned" : "");
    }
}

static gboolean
core_is_used (const AssayStreamCode *code, guint core)
{
  for (guint i = 0; i < code->plan->len; i++)
    {
      if (g_array_index (code->plan, AssayPlanned, i).core == core)
        return TRUE;
    }

  return FALSE;
}

/**
 * assay_command_dump:
 * @cli: the run
 * @argc: number of arguments
 * @argv: the arguments, the name of the command first
 *
 * Writes the instructions of every core, and what lies where in its stores.
 *
 * Returns: the exit code
 */
AssayExit
assay_command_dump (AssayCli *cli, int argc, char **argv)
{
  gboolean placement = FALSE;
  const GOptionEntry entries[] = { { "placement", 0, 0, G_OPTION_ARG_NONE, &placement,
                                     "Only what lies where, without the instructions", NULL },
                                   { "output", 'o', 0, G_OPTION_ARG_FILENAME, &cli->output,
                                     "Write to FILE instead of standard output", "FILE" },
                                   G_OPTION_ENTRY_NULL };
  g_autoptr (AssayStreamCode) code = NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  gboolean colours;
  AssayExit status;

  if (!assay_cli_parse (cli, entries, "PROGRAM",
                        "Writes the instructions of every core, and what lies where in its "
                        "stores.",
                        NULL, argc, argv, &status))
    return status;
  code = assay_program_input_load (cli, &status);
  if (code == NULL)
    return status;
  colours = assay_cli_has_colours (cli);

  g_string_append_printf (text, "%s for %s\n", cli->arguments[0], code->target_id);
  for (guint model = 0; model < code->models->len; model++)
    {
      g_autofree char *title = g_strdup_printf (
          "Placements tried for model %s, cycles predicted",
          g_array_index (code->models, AssayModelEntry, model).name);

      assay_report_append_heading (text, title, colours);
      append_candidates (code, model, text);
    }

  for (guint core = 0; core < code->config.num_cores; core++)
    {
      g_autofree char *heading = g_strdup_printf ("Core %u, %s", core,
                                                  core_is_used (code, core) ? "memory" : "unused");

      assay_report_append_heading (text, heading, colours);
      append_weights (code, core, text);
      append_memory (code, core, text);
      for (guint model = 0; model < code->models->len && !placement; model++)
        {
          g_autofree char *title = g_strdup_printf (
              "Core %u, instructions of model %s", core,
              g_array_index (code->models, AssayModelEntry, model).name);

          if (!core_is_used (code, core))
            continue;
          assay_report_append_heading (text, title, colours);
          assay_disassemble_core (code, model, core, text);
        }
    }

  return assay_cli_write (cli, text->str, text->len, ASSAY_EXIT_CLEAN);
}
