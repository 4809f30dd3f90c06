/* assay-stream-code-verify.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Everything that the machine and the timing model rely on, checked once when a program is loaded.
 */
#include <string.h>

#include "base/assay-error.h"
#include "backend/stream/machine/assay-stream-code-file.h"

/* Of all cores together. */
#define MAX_STORED ((guint64) 1 << 30)

typedef struct
{
  AssayStreamCode *code;
  guint index;
  const AssayInstruction *instruction;
} Check;

static gboolean refuse (Check *self, GError **error, const char *format, ...) G_GNUC_PRINTF (3, 4);

static gboolean
refuse (Check *self, GError **error, const char *format, ...)
{
  g_autofree char *reason = NULL;
  va_list args;

  va_start (args, format);
  reason = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_LOAD, "instruction %u, %s: %s", self->index,
               self->instruction->opcode < ASSAY_N_OPCODES
                   ? assay_opcode_get_info ((AssayOpcode) self->instruction->opcode)->name
                   : "unknown",
               reason);

  return FALSE;
}

static guint64
blocks_of (const Check *self, guint64 lanes)
{
  guint block = self->code->config.block_size;

  return (lanes + block - 1) / block;
}

static gboolean
check_operand (Check *self, const AssayOperand *operand, guint64 lanes, const char *name,
               GError **error)
{
  const AssayConfigValues *config = &self->code->config;
  guint64 blocks = operand->repeat ? 1 : blocks_of (self, lanes);
  /* Four gates are four operands behind one another. */
  guint64 n_gates =
      self->instruction->opcode == ASSAY_OPCODE_LSTM && operand == &self->instruction->a ? 4 : 1;
  guint64 depth;

  switch (operand->store)
    {
    case ASSAY_STORE_NONE:
    case ASSAY_STORE_IMMEDIATE:
      return TRUE;

    case ASSAY_STORE_CONSTANT:
      if (operand->base >= self->code->constants->len)
        return refuse (self, error, "%s is constant %u of %u", name, operand->base,
                       self->code->constants->len);
      if (!operand->repeat &&
          assay_tensor_get_n_elements (g_ptr_array_index (self->code->constants, operand->base)) <
              (guint64) self->instruction->first_block * config->block_size + lanes)
        return refuse (self, error, "%s reads past the end of constant %u", name, operand->base);
      if (operand->repeat && assay_tensor_get_n_elements (
                                 g_ptr_array_index (self->code->constants, operand->base)) == 0)
        return refuse (self, error, "%s repeats an empty constant", name);
      return TRUE;

    case ASSAY_STORE_TENSOR:
      depth = config->tensor_ram_depth;
      break;
    case ASSAY_STORE_ACCUMULATOR:
      depth = config->accum_store_depth;
      break;
    case ASSAY_STORE_CELL:
      depth = config->cell_state_depth;
      break;
    default:
      return refuse (self, error, "%s is in store %u, which does not exist", name, operand->store);
    }

  /* What is shifted is a run somewhere in a vector, which may be longer. */
  if (operand != &self->instruction->d && self->instruction->opcode != ASSAY_OPCODE_SHIFT &&
      self->instruction->opcode != ASSAY_OPCODE_SPREAD && blocks / n_gates > config->max_read_size)
    return refuse (self, error, "%s has %" G_GUINT64_FORMAT " blocks, max_read_size is %u", name,
                   blocks, config->max_read_size);

  if (operand->ring != 0)
    {
      const AssayRing *ring;

      if (operand->ring > self->code->rings->len)
        return refuse (self, error, "%s is in window %u of %u", name, operand->ring,
                       self->code->rings->len);
      ring = &g_array_index (self->code->rings, AssayRing, operand->ring - 1);
      if (blocks > ring->blocks || operand->age > ring->slots)
        return refuse (self, error, "%s reaches out of its window", name);
      /* A part of a vector starts inside of a slot, so that the last slot is left before its end.
       */
      blocks = ((guint64) ring->slots - 1) * ring->blocks + blocks;
    }

  if (operand->base + blocks > depth)
    return refuse (self, error,
                   "%s is at block %u with %" G_GUINT64_FORMAT
                   " blocks, the store has %" G_GUINT64_FORMAT,
                   name, operand->base, blocks, depth);

  return TRUE;
}

static gboolean
check_lanes (Check *self, GError **error)
{
  const AssayInstruction *i = self->instruction;
  guint64 source = i->lanes;
  guint64 result = i->lanes;

  switch (i->opcode)
    {
    case ASSAY_OPCODE_MATRIX:
      {
        const AssayPlacedMatrix *placed;

        if (i->weights >= self->code->placed->len)
          return refuse (self, error, "weights %u of %u", i->weights, self->code->placed->len);
        placed = &g_array_index (self->code->placed, AssayPlacedMatrix, i->weights);
        if (placed->n_rows != i->lanes || placed->core != i->core)
          return refuse (self, error, "its weights are not its own");
        source = g_array_index (self->code->matrices, AssayMatrix, placed->matrix).n_inputs;
      }
      break;

    case ASSAY_OPCODE_SUM:
    case ASSAY_OPCODE_LANE_MAX:
    case ASSAY_OPCODE_LANE_MIN:
      result = 1;
      break;

    case ASSAY_OPCODE_SPREAD:
      source = (guint64) i->low.lane + 1;
      result = 1;
      break;

    case ASSAY_OPCODE_SHIFT:
      source = (guint64) i->low.lane + i->lanes;
      result = MAX ((guint64) i->high.lane + i->lanes, i->clears);
      break;

    case ASSAY_OPCODE_LSTM:
      source = 4 * (guint64) i->lanes;
      break;

    default:
      break;
    }

  return check_operand (self, &i->d, result, "the destination", error) &&
         check_operand (self, &i->a, source, "source a", error) &&
         check_operand (self, &i->b, i->lanes, "source b", error) &&
         check_operand (self, &i->c, i->lanes, "source c", error) &&
         check_operand (self, &i->e, i->lanes, "source e", error);
}

/* Which operands an instruction must have follows from the table. */
static gboolean
check_presence (Check *self, GError **error)
{
  const AssayInstruction *i = self->instruction;
  const char *letters = assay_opcode_get_info ((AssayOpcode) i->opcode)->operands;
  const struct
  {
    char letter;
    const AssayOperand *operand;
  } operands[] = { { 'd', &i->d }, { 'a', &i->a }, { 'b', &i->b }, { 'c', &i->c }, { 'e', &i->e } };

  for (guint j = 0; j < G_N_ELEMENTS (operands); j++)
    {
      gboolean present = operands[j].operand->store != ASSAY_STORE_NONE;
      gboolean wanted = strchr (letters, operands[j].letter) != NULL;
      gboolean optional = operands[j].letter == 'b' &&
                          (i->opcode == ASSAY_OPCODE_START || i->opcode == ASSAY_OPCODE_MATRIX);

      if (present != wanted && !(optional && !present))
        return refuse (self, error, "operand %c %s", operands[j].letter,
                       present ? "has no meaning" : "is missing");
    }

  if (i->d.store == ASSAY_STORE_CONSTANT || i->d.store == ASSAY_STORE_IMMEDIATE)
    return refuse (self, error, "the destination is a constant");
  if (i->opcode == ASSAY_OPCODE_LSTM &&
      (i->a.store != ASSAY_STORE_ACCUMULATOR || i->c.store != ASSAY_STORE_CELL))
    return refuse (self, error, "gates and cell state lie in the wrong stores");
  if (i->opcode == ASSAY_OPCODE_MATRIX && i->d.store != ASSAY_STORE_ACCUMULATOR)
    return refuse (self, error, "a product goes into an accumulator");
  if (i->opcode == ASSAY_OPCODE_SCALE_ADD && i->d.store != ASSAY_STORE_ACCUMULATOR)
    return refuse (self, error, "a product goes into an accumulator");
  if (i->opcode == ASSAY_OPCODE_START && i->b.store != ASSAY_STORE_NONE &&
      i->b.store != ASSAY_STORE_CONSTANT)
    return refuse (self, error, "accumulators start from a constant");

  return TRUE;
}

static gboolean
check_instruction (Check *self, GError **error)
{
  const AssayInstruction *i = self->instruction;
  const AssayConfigValues *config = &self->code->config;

  if (i->opcode >= ASSAY_N_OPCODES)
    return refuse (self, error, "opcode %u does not exist", i->opcode);
  if (i->core >= config->num_cores)
    return refuse (self, error, "core %u of %u", i->core, config->num_cores);
  if (i->round > ASSAY_ROUND_BF16 || i->function >= ASSAY_N_FUNCTIONS)
    return refuse (self, error, "rounding %u or function %u does not exist", i->round, i->function);
  if (i->lanes == 0 || i->lanes > G_MAXINT32 / 2)
    return refuse (self, error, "%u lanes", i->lanes);
  if (config->num_cores < 64 && i->cores >> config->num_cores != 0)
    return refuse (self, error, "it sends to cores that do not exist");
  if ((i->deferred || i->reset) &&
      (i->opcode == ASSAY_OPCODE_INPUT || i->opcode == ASSAY_OPCODE_OUTPUT))
    return refuse (self, error, "nothing comes or goes between inferences");
  if (i->opcode == ASSAY_OPCODE_RESET && i->d.ring == 0)
    return refuse (self, error, "what it empties is no window");
  if (i->node >= MAX (self->code->node_names->len, 1))
    return refuse (self, error, "node %u of %u", i->node, self->code->node_names->len);

  return check_presence (self, error) && check_lanes (self, error);
}

/* Values that the stores hold; nobody has a card with more, and a machine would not get the memory.
 */
static guint64
count_stored (const AssayConfigValues *config)
{
  guint64 depth = (guint64) config->tensor_ram_depth + config->accum_store_depth +
                  config->cell_state_depth;

  return depth * config->block_size * config->num_cores;
}

static gboolean
check_tables (AssayStreamCode *code, GError **error)
{
  const char *what = NULL;

  if (code->config.num_cores < 1 || code->config.num_cores > ASSAY_MAX_CORES ||
      code->config.block_size < 1 || code->config.block_size > 128 || code->config.clock_mhz < 1 ||
      code->config.tensor_ram_depth > 1 << 24 || code->config.accum_store_depth > 1 << 24 ||
      code->config.cell_state_depth > 1 << 24 || count_stored (&code->config) > MAX_STORED)
    what = "the hardware configuration is out of range";

  for (guint i = 0; i < code->rings->len && what == NULL; i++)
    {
      const AssayRing *ring = &g_array_index (code->rings, AssayRing, i);

      if (ring->slots == 0 || ring->blocks == 0 || ring->model >= code->models->len ||
          ring->initial > ring->slots)
        what = "a window is empty or belongs to no model";
    }

  for (guint i = 0; i < code->placed->len && what == NULL; i++)
    {
      const AssayPlacedMatrix *placed = &g_array_index (code->placed, AssayPlacedMatrix, i);
      const AssayMatrix *matrix;

      if (placed->matrix >= code->matrices->len || placed->core >= code->config.num_cores)
        {
          what = "weights are placed that do not exist, or on no core";
          break;
        }
      matrix = &g_array_index (code->matrices, AssayMatrix, placed->matrix);
      if (placed->n_rows == 0 || matrix->n_inputs == 0 ||
          (guint64) placed->first_row + placed->n_rows > matrix->n_outputs)
        what = "weights are placed past the end of their matrix";
      else if ((guint64) placed->base + assay_stream_code_placed_blocks (code, i) >
               code->config.weight_store_depth)
        what = "weights are placed past the end of the weight store";
    }

  for (guint i = 0; i < code->plan->len && what == NULL; i++)
    {
      const AssayPlanned *planned = &g_array_index (code->plan, AssayPlanned, i);

      if (planned->core >= code->config.num_cores || planned->store >= ASSAY_N_STORES ||
          planned->kind >= ASSAY_N_TENSOR_KINDS || planned->base > 1 << 24 ||
          planned->blocks > 1 << 24 || planned->node >= MAX (code->node_names->len, 1) ||
          planned->reader >= MAX (code->node_names->len, 1))
        what = "the memory plan names a core, a store, a node or an address that does not exist";
    }

  for (guint i = 0; i < code->candidates->len && what == NULL; i++)
    {
      const AssayCandidate *candidate = &g_array_index (code->candidates, AssayCandidate, i);

      if (candidate->model >= code->models->len ||
          candidate->node >= MAX (code->node_names->len, 1) || candidate->cores == 0 ||
          (code->config.num_cores < 64 && candidate->cores >> code->config.num_cores != 0))
        what = "a candidate names a model, a node or cores that do not exist";
    }

  if (what != NULL)
    g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_LOAD, what);

  return what == NULL;
}

/* What comes in and goes out must be what the ports promise. */
static gboolean
check_ports (AssayStreamCode *code, const AssayModelEntry *entry, GError **error)
{
  const AssayInstruction *first = &g_array_index (code->instructions, AssayInstruction,
                                                  entry->first);
  guint64 wanted[2] = { 0 };
  guint64 found[2] = { 0 };

  for (guint direction = 0; direction < 2; direction++)
    {
      const AssayPort *ports = direction == 0 ? entry->inputs : entry->outputs;
      guint n = direction == 0 ? entry->n_inputs : entry->n_outputs;

      for (guint i = 0; i < n; i++)
        {
          gsize elements = 0;

          if (ports[i].rank > ASSAY_MAX_RANK ||
              !assay_dims_count (ports[i].rank, ports[i].dims, &elements) ||
              elements != (guint64) ports[i].lanes * ports[i].n_vectors || elements == 0 ||
              ports[i].streaming_dim > (int) ports[i].rank ||
              ports[i].data_dim >= (int) ports[i].rank ||
              (ports[i].data_dim >= 0 ? ports[i].dims[ports[i].data_dim] : 1) != ports[i].lanes)
            {
              g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_LOAD,
                           "port %s of model %s has no possible shape", ports[i].name, entry->name);
              return FALSE;
            }
          wanted[direction] += elements;
        }
    }

  for (guint32 i = 0; i < entry->n_instructions; i++)
    {
      if (first[i].opcode == ASSAY_OPCODE_INPUT)
        found[0] += first[i].lanes;
      else if (first[i].opcode == ASSAY_OPCODE_OUTPUT)
        found[1] += first[i].lanes;
    }

  if (wanted[0] != found[0] || wanted[1] != found[1])
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_LOAD,
                   "model %s does not transfer what its ports say", entry->name);
      return FALSE;
    }

  return TRUE;
}

/**
 * assay_stream_code_verify:
 * @self: a program
 * @error: return location for a #GError
 *
 * Checks every number of a program against the tables it points into and the stores of its
 * hardware, so that running it can neither read nor write outside of them. Fails with
 * %ASSAY_ERROR_LOAD.
 *
 * Returns: whether it can be run
 */
gboolean
assay_stream_code_verify (AssayStreamCode *self, GError **error)
{
  Check check = { .code = self };

  if (!check_tables (self, error))
    return FALSE;

  for (check.index = 0; check.index < self->instructions->len; check.index++)
    {
      check.instruction = &g_array_index (self->instructions, AssayInstruction, check.index);
      if (!check_instruction (&check, error))
        return FALSE;
    }

  for (guint i = 0; i < self->models->len; i++)
    {
      const AssayModelEntry *entry = &g_array_index (self->models, AssayModelEntry, i);

      if ((guint64) entry->first + entry->n_instructions > self->instructions->len)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_LOAD,
                       "model %s has more instructions than the program", entry->name);
          return FALSE;
        }
      if (!check_ports (self, entry, error))
        return FALSE;
    }

  return TRUE;
}
