/* test-program-verify.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every illegal operand of every instruction, made from the tables, is refused with its place; what
 * is legal up to the last block of its store runs.
 */
#include <glib.h>
#include <string.h>

#include "base/assay-error.h"
#include "backend/stream/machine/assay-machine.h"
#include "backend/stream/machine/assay-stream-code-file.h"
#include "backend/stream/machine/assay-timeline.h"
#include "backend/stream/machine/assay-timing.h"

#include "test-program.h"

#define BLOCK 32
#define LANES 40
#define COLUMNS 70
#define DEPTH 24
#define MAX_READ 4

static const gint64 port_dims[] = { LANES };
static const AssayPort ports[] = {
  { "first", 1, port_dims, -1, 0, LANES, 1, FALSE },
  { "second", 1, port_dims, -1, 0, LANES, 1, FALSE },
};

static guint n_refused, n_accepted;

/* What an operand of a store is that everybody may read. */
static AssayOperand
operand_in (AssayStore store)
{
  return (AssayOperand){ .store = (guint8) store };
}

static const AssayOperandInfo *
info_of (guint opcode, guint slot)
{
  return assay_operand_get_info ((AssayOpcode) opcode, (AssaySlot) slot);
}

/* The first store that is allowed, with what the row asks for. */
static AssayOperand
legal_operand (const AssayOperandInfo *info)
{
  AssayOperand operand = { 0 };

  if (info->stores == 0)
    return operand;

  operand = operand_in ((AssayStore) __builtin_ctz (info->stores));
  operand.ring = (info->must & ASSAY_OPERAND_RING) != 0;
  operand.fp32 = (info->must & ASSAY_OPERAND_FP32) != 0;

  return operand;
}

/* A program of one instruction, and a second model that has a window of its own. */
static AssayStreamCode *
new_program (guint opcode)
{
  const AssayOpcodeInfo *info = assay_opcode_get_info ((AssayOpcode) opcode);
  AssayConfigValues config = {
    .num_cores = 2,
    .block_size = BLOCK,
    .tensor_ram_depth = DEPTH,
    .weight_store_depth = 64,
    .accum_store_depth = DEPTH,
    .cell_state_depth = DEPTH,
    .max_read_size = MAX_READ,
    .io_size = BLOCK,
    .clock_mhz = 100,
  };
  AssayStreamCode *code = assay_stream_code_new (&config);
  const gint64 matrix_dims[] = { LANES, COLUMNS };
  const gint64 constant_dims[] = { LANES };
  g_autofree float *zeros = g_new0 (float, LANES *COLUMNS);
  AssayMatrix matrix = { assay_tensor_new_f32 (2, matrix_dims, zeros), LANES, COLUMNS, FALSE };
  AssayPlacedMatrix placed = { 0, 0, 0, 0, LANES };
  AssayRing rings[] = { { 3, 3, 0, 0 }, { 3, 3, 1, 0 } };
  AssayModelEntry models[] = {
    { .name = "one", .n_instructions = 1, .inputs = ports, .outputs = ports },
    { .name = "two", .first = 1 },
  };
  AssayInstruction instruction = { .opcode = (guint8) opcode, .lanes = LANES };

  for (guint slot = 0; slot < ASSAY_N_SLOTS; slot++)
    instruction.operands[slot] = legal_operand (info_of (opcode, slot));
  models[0].n_inputs = info->unit == ASSAY_UNIT_INPUT;
  models[0].n_outputs = info->unit == ASSAY_UNIT_OUTPUT;

  g_array_append_val (code->matrices, matrix);
  g_array_append_val (code->placed, placed);
  g_ptr_array_add (code->constants, assay_tensor_new_f32 (1, constant_dims, zeros));
  g_array_append_vals (code->rings, rings, G_N_ELEMENTS (rings));
  g_array_append_vals (code->models, models, G_N_ELEMENTS (models));
  g_array_append_val (code->instructions, instruction);

  return code;
}

static AssayInstruction *
instruction_of (AssayStreamCode *code)
{
  return &g_array_index (code->instructions, AssayInstruction, 0);
}

/* What is refused says where: instruction, operand, and what was expected there. */
static void
expect_refused (AssayStreamCode *code, int slot)
{
  const AssayInstruction *i = instruction_of (code);
  g_autofree char *place = g_strdup_printf ("instruction 0, %s: ",
                                            assay_opcode_get_info ((AssayOpcode) i->opcode)->name);
  g_autoptr (GError) error = NULL;

  if (assay_stream_code_verify (code, &error))
    g_error ("%saccepted, operand %d", place, slot);
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_LOAD);
  g_assert_true (g_str_has_prefix (error->message, place));
  if (slot >= 0)
    {
      const AssayOperandInfo *info = info_of (i->opcode, (guint) slot);
      g_autofree char *operand = g_strdup_printf ("operand %c ", ASSAY_SLOT_LETTERS[slot]);
      g_autofree char *expected = g_strdup_printf ("; expected %s", info->words);

      if (strstr (error->message, operand) == NULL || !g_str_has_suffix (error->message, expected))
        g_error ("'%s' does not say '%s...%s'", error->message, operand, expected);
    }
  n_refused++;
}

static void
expect_refused_at (AssayStreamCode *code, const char *what)
{
  g_autoptr (GError) error = NULL;

  expect_refused (code, -1);
  assay_stream_code_verify (code, &error);
  if (strstr (error->message, what) == NULL)
    g_error ("'%s' does not say '%s'", error->message, what);
}

/* What is accepted runs and has a time, which the address sanitizer watches. */
static void
expect_accepted (AssayStreamCode *code)
{
  g_autoptr (GArray) events = g_array_new (FALSE, FALSE, sizeof (AssayEvent));
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayMachine) machine = assay_machine_new (code, ASSAY_MACHINE_BF16, &error);
  float values[2 * LANES] = { 0 };
  const float *inputs[] = { values, values };
  float *outputs[] = { values, values };
  AssayCycles cycles;

  g_assert_no_error (error);
  for (guint run = 0; run < 4; run++)
    g_assert_true (assay_machine_run (machine, 0, inputs, outputs, NULL, &error));
  assay_timing_run (code, 0, &cycles, events);
  assay_timeline_link (code, events);
  n_accepted++;
}

static void
try (AssayStreamCode *code, gboolean legal, guint slot)
{
  if (legal)
    expect_accepted (code);
  else
    expect_refused (code, (int) slot);
}

/* The greatest address at which an operand is still inside of its store. */
static guint32
find_last_base (AssayStreamCode *code, AssayOperand *operand)
{
  guint32 last = 0;

  for (guint32 base = 0; base < DEPTH; base++)
    {
      operand->base = base;
      if (assay_stream_code_verify (code, NULL))
        last = base;
    }

  return last;
}

/* The blocks that an operand takes, worked out apart from the machine. */
static guint32
span_of (const AssayOperandInfo *info, const AssayOperand *operand)
{
  guint32 lanes = info->extent == ASSAY_EXTENT_ONE       ? 1
                  : info->extent == ASSAY_EXTENT_COLUMNS ? COLUMNS
                  : info->extent == ASSAY_EXTENT_GATES   ? 4 * LANES
                                                         : LANES;
  guint32 blocks = operand->repeat ? 1 : (lanes + BLOCK - 1) / BLOCK;

  blocks += operand->ring != 0 ? 2 * 3 : 0;

  return operand->fp32 ? 2 * blocks : blocks;
}

static void
try_addresses (AssayStreamCode *code, guint slot)
{
  AssayInstruction *i = instruction_of (code);
  AssayOperand *operand = &i->operands[slot];
  const AssayOperandInfo *info = info_of (i->opcode, slot);
  static const guint32 far[] = { DEPTH, G_MAXINT32, G_MAXUINT32 - 1, G_MAXUINT32 };
  AssayOperand good = *operand;

  if (assay_store_has_blocks (operand->store))
    {
      guint32 last = find_last_base (code, operand);

      g_assert_cmpuint (last + span_of (info, operand), ==, DEPTH);
      operand->base = last;
      expect_accepted (code);
      operand->base = last + 1;
      expect_refused (code, (int) slot);
    }
  if (operand->store != ASSAY_STORE_IMMEDIATE)
    {
      for (guint j = 0; j < G_N_ELEMENTS (far); j++)
        {
          operand->base = far[j];
          expect_refused (code, (int) slot);
        }
    }
  *operand = good;
}

static void
try_windows (AssayStreamCode *code, guint slot)
{
  AssayInstruction *i = instruction_of (code);
  AssayOperand *operand = &i->operands[slot];
  const AssayOperandInfo *info = info_of (i->opcode, slot);
  AssayOperand good = *operand;
  gboolean allowed = operand->store == ASSAY_STORE_TENSOR && (info->may & ASSAY_OPERAND_RING) != 0;
  gboolean aged = allowed && (info->may & ASSAY_OPERAND_AGE) != 0;

  operand->ring = 1;
  try (code, allowed, slot);
  operand->age = 3;
  try (code, aged, slot);
  operand->age = 4;
  expect_refused (code, (int) slot);
  operand->age = 0;
  operand->ring = 3;
  expect_refused (code, (int) slot);
  operand->ring = 2;
  if (allowed)
    expect_refused_at (code, "in a window of another model");
  else
    expect_refused (code, (int) slot);
  *operand = good;
  if (good.ring == 0)
    {
      operand->age = 1;
      expect_refused (code, (int) slot);
    }
  *operand = good;
}

/* Every store, address, repetition, width and window of an operand. */
static void
try_operand (guint opcode, guint slot)
{
  g_autoptr (AssayStreamCode) code = new_program (opcode);
  AssayOperand *operand = &instruction_of (code)->operands[slot];
  const AssayOperandInfo *info = info_of (opcode, slot);

  expect_accepted (code);
  for (guint store = 0; store <= ASSAY_N_STORES; store++)
    {
      gboolean allowed = store == ASSAY_STORE_NONE ? (info->may & ASSAY_OPERAND_ABSENT) != 0
                                                   : (info->stores >> store & 1) != 0;
      gboolean wide = store == ASSAY_STORE_TENSOR || store == ASSAY_STORE_CONSTANT ||
                      store == ASSAY_STORE_IMMEDIATE;
      AssayOperand good = operand_in ((AssayStore) store);

      if (allowed && store != ASSAY_STORE_NONE)
        {
          good.ring = (info->must & ASSAY_OPERAND_RING) != 0;
          good.fp32 = (info->must & ASSAY_OPERAND_FP32) != 0;
        }
      *operand = good;
      try (code, allowed, slot);
      if (store == ASSAY_STORE_NONE || store == ASSAY_N_STORES || !allowed)
        {
          operand->ring = 1;
          expect_refused (code, (int) slot);
          continue;
        }

      try_addresses (code, slot);
      try_windows (code, slot);
      operand->repeat = TRUE;
      try (code, (info->may & ASSAY_OPERAND_REPEAT) != 0, slot);
      if ((info->may & ASSAY_OPERAND_REPEAT) != 0)
        try_addresses (code, slot);
      operand->repeat = FALSE;
      operand->fp32 = !good.fp32;
      try (code, !good.fp32 && wide && (info->may & ASSAY_OPERAND_FP32) != 0, slot);
      if (!good.fp32 && store == ASSAY_STORE_TENSOR && (info->may & ASSAY_OPERAND_FP32) != 0)
        try_addresses (code, slot);
    }
}

/* More lanes than anything holds, or than are read at a time. */
static void
try_counts (guint opcode)
{
  g_autoptr (AssayStreamCode) code = new_program (opcode);
  AssayInstruction *i = instruction_of (code);
  AssayInstruction good = *i;
  static const guint32 lanes[] = { 0, (DEPTH + 1) * BLOCK, G_MAXINT32 / 2, G_MAXINT32,
                                   G_MAXUINT32 };

  for (guint j = 0; j < G_N_ELEMENTS (lanes); j++)
    {
      i->lanes = lanes[j];
      expect_refused (code, -1);
    }
  *i = good;

  for (guint slot = ASSAY_SLOT_A; slot < ASSAY_N_SLOTS; slot++)
    if (info_of (opcode, slot)->extent == ASSAY_EXTENT_LANES &&
        (info_of (opcode, slot)->may & ASSAY_OPERAND_LONG) == 0 &&
        i->operands[slot].store == ASSAY_STORE_TENSOR)
      {
        i->lanes = MAX_READ * BLOCK + 1;
        expect_refused_at (code, "max_read_size");
        *i = good;
      }

  /* Numbers lie nowhere, and what is one lane at the end may have been any number of them. */
  for (guint slot = ASSAY_SLOT_A; slot < ASSAY_N_SLOTS; slot++)
    if ((info_of (opcode, slot)->stores & 1u << ASSAY_STORE_IMMEDIATE) != 0)
      i->operands[slot] = (AssayOperand){ .store = ASSAY_STORE_IMMEDIATE };
  i->lanes = G_MAXINT32 / 2;
  expect_refused (code, -1);
  i->lanes = (guint32) assay_store_count (&code->config) * BLOCK + 1;
  expect_refused_at (code, "more than a core holds");
}

/* Numbers that have no meaning for an instruction, and those that go too far for one. */
static void
try_numbers (guint opcode)
{
  const AssayOpcodeInfo *info = assay_opcode_get_info ((AssayOpcode) opcode);
  g_autoptr (AssayStreamCode) code = new_program (opcode);
  AssayInstruction *i = instruction_of (code);
  const AssayInstruction good = *i;

#define TRY(field, value, legal)                                                                   \
  i->field = value;                                                                                \
  try (code, legal, (guint) -1);                                                                   \
  *i = good;

  TRY (core, 2, FALSE)
  TRY (core, 1, !info->weighs)
  TRY (cores, 3, info->sends)
  TRY (cores, 4, FALSE)
  TRY (node, 1, FALSE)
  TRY (step, 1, FALSE)
  TRY (round, ASSAY_ROUND_BF16, info->rounds)
  TRY (round, 2, FALSE)
  TRY (function, 1, info->unit == ASSAY_UNIT_FUNCTION)
  TRY (function, ASSAY_N_FUNCTIONS, FALSE)
  TRY (clamps, TRUE, info->fields == ASSAY_FIELDS_MAY_BOUND)
  TRY (clears, LANES, info->fields == ASSAY_FIELDS_RUN)
  TRY (clears, G_MAXINT32 / 2 + 1, FALSE)
  TRY (clears, G_MAXUINT32, FALSE)
  TRY (weights, 1, FALSE)
  /* A constant is read from there on. */
  TRY (first_block, G_MAXINT32 / 2 / BLOCK,
       info_of (opcode, ASSAY_SLOT_B)->stores != 1u << ASSAY_STORE_CONSTANT)
  TRY (first_block, G_MAXINT32 / 2 / BLOCK + 1, FALSE)
  TRY (first_block, G_MAXUINT32, FALSE)
  TRY (low.lane, G_MAXUINT32, info->fields != ASSAY_FIELDS_LANE && info->fields != ASSAY_FIELDS_RUN)
  TRY (low.lane, LANES, info->fields != ASSAY_FIELDS_LANE)
  TRY (high.lane, G_MAXUINT32, info->fields != ASSAY_FIELDS_RUN)
  TRY (deferred, TRUE, info->unit != ASSAY_UNIT_INPUT && info->unit != ASSAY_UNIT_OUTPUT)
  TRY (reset, TRUE, info->unit != ASSAY_UNIT_INPUT && info->unit != ASSAY_UNIT_OUTPUT)
#undef TRY

  i->deferred = i->reset = TRUE;
  expect_refused (code, -1);
}

static void
test_instruction (gconstpointer data)
{
  guint opcode = GPOINTER_TO_UINT (data);

  n_refused = n_accepted = 0;
  for (guint slot = 0; slot < ASSAY_N_SLOTS; slot++)
    try_operand (opcode, slot);
  try_counts (opcode);
  try_numbers (opcode);
  g_test_message ("%u refused, %u accepted", n_refused, n_accepted);
}

/* Vectors do not reach across the end of a port, nor past the last one. */
static void
test_ports (void)
{
  static const AssayOpcode opcodes[] = { ASSAY_OPCODE_INPUT, ASSAY_OPCODE_OUTPUT };

  for (guint j = 0; j < G_N_ELEMENTS (opcodes); j++)
    {
      g_autoptr (AssayStreamCode) code = new_program (opcodes[j]);
      AssayModelEntry *model = &g_array_index (code->models, AssayModelEntry, 0);
      guint *n_ports = j == 0 ? &model->n_inputs : &model->n_outputs;
      g_autoptr (GError) error = NULL;
      AssayInstruction second = *instruction_of (code);

      /* As many values as both ports have together, but not so that each gets its own. */
      *n_ports = 2;
      g_assert_false (assay_stream_code_verify (code, &error));
      g_assert_nonnull (strstr (error->message, "does not transfer what its ports say"));
      g_array_append_val (code->instructions, second);
      model->n_instructions = 2;
      g_array_index (code->models, AssayModelEntry, 1).first = 2;
      expect_accepted (code);
      g_array_index (code->instructions, AssayInstruction, 0).lanes = LANES - 8;
      g_array_index (code->instructions, AssayInstruction, 1).lanes = LANES + 8;
      g_clear_error (&error);
      g_assert_false (assay_stream_code_verify (code, &error));
      g_assert_nonnull (strstr (error->message, "instruction 1, "));
      g_assert_nonnull (strstr (error->message, "past the end of port first"));
      *n_ports = 1;
      g_array_index (code->instructions, AssayInstruction, 0).lanes = LANES;
      g_array_index (code->instructions, AssayInstruction, 1).lanes = LANES;
      g_clear_error (&error);
      g_assert_false (assay_stream_code_verify (code, &error));
      g_assert_nonnull (strstr (error->message, "all are done"));
    }
}

/* What went through once, whatever the tables say. */
static void
test_holes (void)
{
  static const struct
  {
    AssayOpcode opcode;
    AssaySlot slot;
    AssayOperand operand;
  } holes[] = {
    { ASSAY_OPCODE_MOVE, ASSAY_SLOT_D, { .store = ASSAY_STORE_TENSOR, .repeat = TRUE } },
    { ASSAY_OPCODE_INPUT, ASSAY_SLOT_D, { .store = ASSAY_STORE_TENSOR, .repeat = TRUE } },
    { ASSAY_OPCODE_MATRIX, ASSAY_SLOT_D, { .store = ASSAY_STORE_ACCUMULATOR, .repeat = TRUE } },
    { ASSAY_OPCODE_MATRIX, ASSAY_SLOT_A, { .store = ASSAY_STORE_TENSOR, .repeat = TRUE } },
    { ASSAY_OPCODE_MATRIX, ASSAY_SLOT_A, { .store = ASSAY_STORE_IMMEDIATE } },
    { ASSAY_OPCODE_MATRIX, ASSAY_SLOT_A, { .store = ASSAY_STORE_CONSTANT } },
    { ASSAY_OPCODE_SHIFT, ASSAY_SLOT_A, { .store = ASSAY_STORE_IMMEDIATE } },
    { ASSAY_OPCODE_SHIFT, ASSAY_SLOT_A, { .store = ASSAY_STORE_TENSOR, .ring = 1, .age = 1 } },
    { ASSAY_OPCODE_SPREAD, ASSAY_SLOT_A, { .store = ASSAY_STORE_IMMEDIATE } },
    { ASSAY_OPCODE_SPREAD, ASSAY_SLOT_A, { .store = ASSAY_STORE_TENSOR, .repeat = TRUE } },
    { ASSAY_OPCODE_START,
      ASSAY_SLOT_B,
      { .store = ASSAY_STORE_CONSTANT, .repeat = TRUE, .fp32 = TRUE } },
    { ASSAY_OPCODE_LSTM, ASSAY_SLOT_A, { .store = ASSAY_STORE_ACCUMULATOR, .repeat = TRUE } },
    { ASSAY_OPCODE_LSTM, ASSAY_SLOT_C, { .store = ASSAY_STORE_CELL, .repeat = TRUE } },
    { ASSAY_OPCODE_LSTM, ASSAY_SLOT_D, { .store = ASSAY_STORE_TENSOR, .repeat = TRUE } },
    { ASSAY_OPCODE_ADD,
      ASSAY_SLOT_A,
      { .store = ASSAY_STORE_TENSOR, .fp32 = TRUE, .base = DEPTH - 2 } },
    { ASSAY_OPCODE_RESET, ASSAY_SLOT_D, { .store = ASSAY_STORE_TENSOR } },
    { ASSAY_OPCODE_ADD, ASSAY_SLOT_C, { .ring = 7 } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (holes); i++)
    {
      g_autoptr (AssayStreamCode) code = new_program (holes[i].opcode);

      expect_accepted (code);
      instruction_of (code)->operands[holes[i].slot] = holes[i].operand;
      expect_refused (code, (int) holes[i].slot);
    }
}

/* Every number of every table beside the instructions, one beyond what it may be. */
static void
test_tables (void)
{
  enum
  {
    CONFIG,
    RINGS,
    PLACED,
    MATRICES,
    PLAN,
    CANDIDATES
  };
#define FIELD(table, type, name) table, G_STRUCT_OFFSET (type, name), sizeof (((type *) 0)->name)
  static const struct
  {
    guint table;
    gsize offset;
    gsize size;
    guint64 value;
    const char *message;
  } cases[] = {
    { FIELD (CONFIG, AssayConfigValues, num_cores), 0, "hardware" },
    { FIELD (CONFIG, AssayConfigValues, num_cores), ASSAY_MAX_CORES + 1, "hardware" },
    { FIELD (CONFIG, AssayConfigValues, block_size), 0, "hardware" },
    { FIELD (CONFIG, AssayConfigValues, block_size), 129, "hardware" },
    { FIELD (CONFIG, AssayConfigValues, clock_mhz), 0, "hardware" },
    { FIELD (CONFIG, AssayConfigValues, tensor_ram_depth), (1 << 24) + 1, "hardware" },
    { FIELD (CONFIG, AssayConfigValues, accum_store_depth), (1 << 24) + 1, "hardware" },
    { FIELD (CONFIG, AssayConfigValues, cell_state_depth), (1 << 24) + 1, "hardware" },
    { FIELD (CONFIG, AssayConfigValues, tensor_ram_depth), 1 << 24, "hardware" },
    { FIELD (RINGS, AssayRing, slots), 0, "window" },
    { FIELD (RINGS, AssayRing, blocks), 0, "window" },
    { FIELD (RINGS, AssayRing, model), 2, "window" },
    { FIELD (RINGS, AssayRing, initial), 4, "window" },
    { FIELD (PLACED, AssayPlacedMatrix, matrix), 1, "do not exist" },
    { FIELD (PLACED, AssayPlacedMatrix, core), 2, "on no core" },
    { FIELD (PLACED, AssayPlacedMatrix, n_rows), 0, "end of their matrix" },
    { FIELD (PLACED, AssayPlacedMatrix, n_rows), LANES + 1, "end of their matrix" },
    { FIELD (PLACED, AssayPlacedMatrix, n_rows), G_MAXUINT32, "end of their matrix" },
    { FIELD (PLACED, AssayPlacedMatrix, first_row), 1, "end of their matrix" },
    { FIELD (PLACED, AssayPlacedMatrix, first_row), G_MAXUINT32, "end of their matrix" },
    { FIELD (PLACED, AssayPlacedMatrix, base), 64, "end of the weight store" },
    { FIELD (PLACED, AssayPlacedMatrix, base), G_MAXUINT32, "end of the weight store" },
    { FIELD (MATRICES, AssayMatrix, n_inputs), 0, "end of their matrix" },
    { FIELD (PLAN, AssayPlanned, core), 2, "memory plan names a core" },
    { FIELD (PLAN, AssayPlanned, store), ASSAY_STORE_IMMEDIATE, "memory plan names a core" },
    { FIELD (PLAN, AssayPlanned, store), 255, "memory plan names a core" },
    { FIELD (PLAN, AssayPlanned, kind), ASSAY_N_TENSOR_KINDS, "memory plan names a core" },
    { FIELD (PLAN, AssayPlanned, base), DEPTH, "memory plan names a core" },
    { FIELD (PLAN, AssayPlanned, base), G_MAXUINT32, "memory plan names a core" },
    { FIELD (PLAN, AssayPlanned, blocks), DEPTH + 1, "memory plan names a core" },
    { FIELD (PLAN, AssayPlanned, node), 1, "memory plan names a core" },
    { FIELD (PLAN, AssayPlanned, reader), 1, "memory plan names a core" },
    { FIELD (PLAN, AssayPlanned, born), 1, "memory plan names steps" },
    { FIELD (PLAN, AssayPlanned, died), 1, "memory plan names steps" },
    { FIELD (CANDIDATES, AssayCandidate, model), 2, "candidate" },
    { FIELD (CANDIDATES, AssayCandidate, node), 1, "candidate" },
    { FIELD (CANDIDATES, AssayCandidate, cores), 0, "candidate" },
    { FIELD (CANDIDATES, AssayCandidate, cores), 4, "candidate" },
    { FIELD (CANDIDATES, AssayCandidate, cores), (guint64) 1 << 63, "candidate" },
  };
#undef FIELD
  AssayPlanned planned = { .store = ASSAY_STORE_TENSOR, .blocks = 1 };
  AssayCandidate candidate = { .cores = 3 };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AssayStreamCode) code = new_program (ASSAY_OPCODE_MOVE);
      gpointer tables[] = {
        &code->config, code->rings->data, code->placed->data, code->matrices->data, NULL, NULL
      };
      g_autoptr (GError) error = NULL;

      g_array_append_val (code->plan, planned);
      g_array_append_val (code->candidates, candidate);
      tables[PLAN] = code->plan->data;
      tables[CANDIDATES] = code->candidates->data;
      expect_accepted (code);
      /* The greatest depth is too much where there are many cores with wide blocks. */
      if (cases[i].value == 1 << 24)
        code->config.num_cores = ASSAY_MAX_CORES;
      memcpy ((guint8 *) tables[cases[i].table] + cases[i].offset, &cases[i].value, cases[i].size);
      if (assay_stream_code_verify (code, &error))
        g_error ("case %u, %s: accepted", i, cases[i].message);
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_LOAD);
      if (strstr (error->message, cases[i].message) == NULL)
        g_error ("case %u: '%s' does not say '%s'", i, error->message, cases[i].message);
    }
}

/* Shapes of ports that no tensor has, or that transfer something else than they say. */
static void
test_port_shapes (void)
{
  static const gint64 huge[] = { G_MAXINT64, G_MAXINT64 };
  static const gint64 negative[] = { -LANES };
  static const AssayPort cases[] = {
    { "p", ASSAY_MAX_RANK + 1, port_dims, -1, 0, LANES, 1, FALSE },
    { "p", 2, huge, -1, 0, LANES, 1, FALSE },
    { "p", 1, negative, -1, 0, LANES, 1, FALSE },
    { "p", 1, port_dims, -1, 0, LANES, 2, FALSE },
    { "p", 1, port_dims, -1, 0, LANES, 0, FALSE },
    { "p", 1, port_dims, -1, 0, LANES - 1, 1, FALSE },
    { "p", 1, port_dims, -2, 0, LANES, 1, FALSE },
    { "p", 1, port_dims, 2, 0, LANES, 1, FALSE },
    { "p", 1, port_dims, -1, -2, LANES, 1, FALSE },
    { "p", 1, port_dims, -1, 1, LANES, 1, FALSE },
    { "p", 1, port_dims, -1, -1, LANES, 1, FALSE },
    { "p", 1, port_dims, -1, 0, 1, LANES, FALSE },
  };
  static const AssayOpcode opcodes[] = { ASSAY_OPCODE_INPUT, ASSAY_OPCODE_OUTPUT };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AssayStreamCode) code = new_program (opcodes[i % 2]);
      AssayModelEntry *model = &g_array_index (code->models, AssayModelEntry, 0);
      g_autoptr (GError) error = NULL;

      expect_accepted (code);
      *(i % 2 == 0 ? &model->inputs : &model->outputs) = &cases[i / 2];
      if (assay_stream_code_verify (code, &error))
        g_error ("case %u: accepted", i);
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_LOAD);
      g_assert_cmpstr (error->message, ==, "port p of model one has no possible shape");
    }
}

TEST_PROGRAM (program_verify)
{
  g_test_init (&argc, &argv, NULL);

  for (guint i = 0; i < ASSAY_N_OPCODES; i++)
    {
      g_autofree char *path = g_strconcat ("/program-verify/",
                                           assay_opcode_get_info ((AssayOpcode) i)->name, NULL);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_instruction);
    }
  g_test_add_func ("/program-verify/ports", test_ports);
  g_test_add_func ("/program-verify/holes", test_holes);
  g_test_add_func ("/program-verify/tables", test_tables);
  g_test_add_func ("/program-verify/port-shapes", test_port_shapes);

  return g_test_run ();
}
