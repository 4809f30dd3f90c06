/* assay-stream-code-verify.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Everything that the machine and the timing model rely on, checked once when a program is loaded.
 */
#include "base/assay-error.h"
#include "backend/stream/machine/assay-stream-code-file.h"
#include "backend/stream/machine/assay-touch.h"
#include "base/assay-sentence.h"

/* Of all cores together. */
#define MAX_STORED ((guint64) 1 << 30)

/* Twice as many can still be counted in 32 bits. */
#define MAX_LANES (G_MAXINT32 / 2)

typedef struct
{
  const AssayStreamCode *code;
  guint index;
  const AssayInstruction *instruction;
  guint model; /* the one whose instruction it is */
  GString *reason;
} Check;

/* How far the transfers of a model have come along its ports. */
typedef struct
{
  const AssayPort *ports;
  guint n;
  guint at;
  guint64 lane;
} Transfer;

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

static gboolean
names_cores (const AssayStreamCode *code, guint64 cores)
{
  return code->config.num_cores >= 64 || cores >> code->config.num_cores == 0;
}

/* What matters to all instructions alike. */
static gboolean
check_place (Check *self, GError **error)
{
  const AssayInstruction *i = self->instruction;
  guint n_nodes = MAX (self->code->node_names->len, 1);

  if (i->opcode >= ASSAY_N_OPCODES)
    return refuse (self, error, "opcode %u does not exist", i->opcode);
  if (i->core >= self->code->config.num_cores)
    return refuse (self, error, "core %u of %u", i->core, self->code->config.num_cores);
  if (!names_cores (self->code, i->cores))
    return refuse (self, error, "it sends to cores that do not exist");
  if (i->node >= n_nodes)
    return refuse (self, error, "node %u of %u", i->node, n_nodes);
  if (i->step >= self->code->instructions->len || (self->index > 0 && i->step < i[-1].step))
    return refuse (self, error, "step %u is out of order", i->step);
  if (i->lanes == 0 || i->lanes > MAX_LANES)
    return refuse (self, error, "%u lane%s", i->lanes, assay_plural (i->lanes));
  /* A number that is repeated lies nowhere, so nothing else bounds a reduction of it. */
  if (i->lanes > (guint64) assay_store_count (&self->code->config) * self->code->config.block_size)
    return refuse (self, error, "%u lane%s, more than a core holds", i->lanes,
                   assay_plural (i->lanes));
  if ((guint64) i->first_block * self->code->config.block_size > MAX_LANES)
    return refuse (self, error, "it starts at block %u", i->first_block);
  if (i->deferred && i->reset)
    return refuse (self, error, "it works for the next inference and for the reset");

  return TRUE;
}

static gboolean
check_weights (Check *self, GError **error)
{
  const AssayInstruction *i = self->instruction;
  const AssayPlacedMatrix *placed;

  if (i->weights >= self->code->placed->len)
    return refuse (self, error, "weights %u of %u", i->weights, self->code->placed->len);

  placed = &g_array_index (self->code->placed, AssayPlacedMatrix, i->weights);
  if (placed->n_rows != i->lanes || placed->core != i->core)
    return refuse (self, error, "its weights are not its own");

  return TRUE;
}

/* What an instruction says besides its operands: only what its row in the table gives a meaning. */
static gboolean
check_numbers (Check *self, const AssayOpcodeInfo *info, GError **error)
{
  const AssayInstruction *i = self->instruction;

  if (i->cores != 0 && !info->sends)
    return refuse (self, error, "it sends to cores, which it cannot");
  if (i->round > ASSAY_ROUND_BF16 || (i->round != ASSAY_ROUND_F32 && !info->rounds))
    return refuse (self, error, "rounding %u does not exist here", i->round);
  if (i->function >= ASSAY_N_FUNCTIONS || (i->function != 0 && info->unit != ASSAY_UNIT_FUNCTION))
    return refuse (self, error, "function %u does not exist here", i->function);
  if (i->clamps && info->fields != ASSAY_FIELDS_MAY_BOUND)
    return refuse (self, error, "its result cannot be bounded");
  if (i->clears != 0 && (info->fields != ASSAY_FIELDS_RUN || i->clears > MAX_LANES))
    return refuse (self, error, "it clears %u lane%s", i->clears, assay_plural (i->clears));
  if (info->fields == ASSAY_FIELDS_LANE && i->low.lane >= i->lanes)
    return refuse (self, error, "lane %u of %u", i->low.lane, i->lanes);
  if (!info->weighs && i->weights != 0)
    return refuse (self, error, "it names weights, which it has none of");
  if ((i->deferred || i->reset) &&
      (info->unit == ASSAY_UNIT_INPUT || info->unit == ASSAY_UNIT_OUTPUT))
    return refuse (self, error, "nothing comes or goes between inferences");

  return !info->weighs || check_weights (self, error);
}

static gboolean
check_operands (Check *self, GError **error)
{
  const AssayInstruction *i = self->instruction;

  for (AssaySlot slot = ASSAY_SLOT_D; slot < ASSAY_N_SLOTS; slot++)
    {
      if (!assay_instruction_check_operand (self->code, i, slot, self->reason))
        return refuse (self, error, "%s", self->reason->str);
      if (i->operands[slot].ring != 0 &&
          g_array_index (self->code->rings, AssayRing, i->operands[slot].ring - 1).model !=
              self->model)
        return refuse (self, error, "operand %c is in a window of another model",
                       ASSAY_SLOT_LETTERS[slot]);
    }

  return TRUE;
}

/* An empty tensor has a port, and nothing is transferred. */
static void
skip_empty (Transfer *transfer)
{
  while (transfer->at < transfer->n && assay_port_count (&transfer->ports[transfer->at]) == 0)
    transfer->at++;
}

/* Vectors come and go in the order of the ports, none of them across the end of one. */
static gboolean
check_transfer (Check *self, Transfer *transfer, GError **error)
{
  guint64 lanes = self->instruction->lanes;
  const AssayPort *port;
  guint64 size;

  skip_empty (transfer);
  if (transfer->at == transfer->n)
    return refuse (self, error, "its model has %u such port%s, and all are done", transfer->n,
                   assay_plural (transfer->n));

  port = &transfer->ports[transfer->at];
  size = (guint64) port->lanes * port->n_vectors;
  if (transfer->lane + lanes > size)
    return refuse (self, error,
                   "it reaches past the end of port %s, which has %" G_GUINT64_FORMAT " value%s",
                   port->name, size, assay_plural (size));

  transfer->lane += lanes;
  if (transfer->lane == size)
    {
      transfer->at++;
      transfer->lane = 0;
    }

  return TRUE;
}

/* Values that the stores hold; nobody has a card with more, and a machine would not get the memory.
 */
static guint64
count_stored (const AssayConfigValues *config)
{
  return (guint64) assay_store_count (config) * config->block_size * config->num_cores;
}

static gboolean
check_tables (const AssayStreamCode *code, GError **error)
{
  guint n_nodes = MAX (code->node_names->len, 1);
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

      if (planned->core >= code->config.num_cores || !assay_store_has_blocks (planned->store) ||
          planned->kind >= ASSAY_N_TENSOR_KINDS ||
          (guint64) planned->base + planned->blocks >
              assay_store_depth (&code->config, planned->store) ||
          planned->node >= n_nodes || planned->reader >= n_nodes)
        what = "the memory plan names a core, a store, a node or an address that does not exist";
      else if (planned->born > planned->died || planned->born >= code->instructions->len ||
               (planned->died >= code->instructions->len && planned->died != G_MAXUINT32))
        what = "the memory plan names steps that do not exist";
    }

  for (guint i = 0; i < code->candidates->len && what == NULL; i++)
    {
      const AssayCandidate *candidate = &g_array_index (code->candidates, AssayCandidate, i);

      if (candidate->model >= code->models->len || candidate->node >= n_nodes ||
          candidate->cores == 0 || !names_cores (code, candidate->cores))
        what = "a candidate names a model, a node or cores that do not exist";
    }

  if (what != NULL)
    g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_LOAD, what);

  return what == NULL;
}

static gboolean
check_ports (const AssayModelEntry *entry, const AssayPort *ports, guint n, GError **error)
{
  for (guint i = 0; i < n; i++)
    {
      const AssayPort *port = &ports[i];
      gsize elements = 0;

      if (port->rank > ASSAY_MAX_RANK || !assay_dims_count (port->rank, port->dims, &elements) ||
          elements != (guint64) port->lanes * port->n_vectors || port->streaming_dim < -1 ||
          port->streaming_dim > (int) port->rank || port->data_dim < -1 ||
          port->data_dim >= (int) port->rank ||
          (port->data_dim >= 0 ? port->dims[port->data_dim] : 1) != port->lanes)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_LOAD,
                       "port %s of model %s has no possible shape", port->name, entry->name);
          return FALSE;
        }
    }

  return TRUE;
}

/* The instructions of a model, one after the other; self stands behind its last one then. */
static gboolean
check_model (Check *self, const AssayModelEntry *entry, GError **error)
{
  Transfer inputs = { entry->inputs, entry->n_inputs, 0, 0 };
  Transfer outputs = { entry->outputs, entry->n_outputs, 0, 0 };
  guint end = self->index + entry->n_instructions;

  if (!check_ports (entry, entry->inputs, entry->n_inputs, error) ||
      !check_ports (entry, entry->outputs, entry->n_outputs, error))
    return FALSE;

  for (; self->index < end; self->index++)
    {
      const AssayOpcodeInfo *info;

      self->instruction = &g_array_index (self->code->instructions, AssayInstruction, self->index);
      if (!check_place (self, error))
        return FALSE;
      info = assay_opcode_get_info ((AssayOpcode) self->instruction->opcode);
      if (!check_numbers (self, info, error) || !check_operands (self, error) ||
          (info->unit == ASSAY_UNIT_INPUT && !check_transfer (self, &inputs, error)) ||
          (info->unit == ASSAY_UNIT_OUTPUT && !check_transfer (self, &outputs, error)))
        return FALSE;
    }

  skip_empty (&inputs);
  skip_empty (&outputs);
  if (inputs.at == inputs.n && outputs.at == outputs.n)
    return TRUE;

  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_LOAD,
               "model %s does not transfer what its ports say", entry->name);
  return FALSE;
}

/**
 * assay_stream_code_verify:
 * @self: a program
 * @error: return location for a #GError
 *
 * Checks every number of a program against the tables it points into, the table of instructions and
 * the stores of its hardware: what none of them allows is refused, so that running a program can
 * neither read nor write outside of them. Fails with %ASSAY_ERROR_LOAD.
 *
 * Returns: whether it can be run
 */
gboolean
assay_stream_code_verify (const AssayStreamCode *self, GError **error)
{
  g_autoptr (GString) reason = g_string_new (NULL);
  Check check = { .code = self, .reason = reason };

  if (!check_tables (self, error))
    return FALSE;

  for (; check.model < self->models->len; check.model++)
    {
      const AssayModelEntry *entry = &g_array_index (self->models, AssayModelEntry, check.model);
      guint left = self->instructions->len - check.index;

      if (entry->first != check.index || entry->n_instructions > left)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_LOAD,
                       entry->first != check.index
                           ? "model %s does not begin where the one before it ends"
                           : "model %s has more instructions than the program",
                       entry->name);
          return FALSE;
        }
      if (!check_model (&check, entry, error))
        return FALSE;
    }

  if (check.index == self->instructions->len)
    return TRUE;

  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_LOAD, "instruction %u belongs to no model",
               check.index);
  return FALSE;
}
