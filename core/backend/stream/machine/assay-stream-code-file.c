/* assay-stream-code-file.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The program file: plain copies between the tables of a program and the messages of
 * data/proto/program.proto.
 */
#include "backend/stream/machine/assay-stream-code-file.h"

#include <stdlib.h>
#include <string.h>

#include "base/assay-arena.h"
#include "base/assay-error.h"
#include "backend/stream/machine/assay-program-numbers.def"
#include "program.pb-c.h"

#define MAGIC "assay-program"

#define FIELD(name)                                                                                \
  {                                                                                                \
#name, G_STRUCT_OFFSET(AssayConfigValues, name)                                                \
  }
#define TIMING(name)                                                                               \
  {                                                                                                \
    "timing." #name, G_STRUCT_OFFSET (AssayConfigValues, timing.name)                              \
  }

static const struct
{
  const char *name;
  gsize offset;
} config_fields[] = {
  FIELD (num_cores),
  FIELD (block_size),
  FIELD (tensor_ram_depth),
  FIELD (tensor_descriptor_count),
  FIELD (weight_store_depth),
  FIELD (accum_store_depth),
  FIELD (cell_state_depth),
  FIELD (clamp_store_depth),
  FIELD (max_read_size),
  FIELD (io_size),
  FIELD (clock_mhz),
  FIELD (fabric),
  TIMING (input_latency),
  TIMING (output_latency),
  TIMING (accumulate_interval),
  TIMING (matrix_latency),
  TIMING (drain_latency),
  TIMING (vector_latency),
  TIMING (network_hop),
  TIMING (lane_reduction),
  TIMING (function_use),
  TIMING (recurrent_cell),
};

/* What does not fit becomes the largest number that does, which verification refuses. */
static guint64
fit (guint64 value, gsize size)
{
  guint64 most = size < sizeof (guint32) ? ((guint64) 1 << 8 * size) - 1 : G_MAXUINT64;

  return MIN (value, most);
}

#define PUT(field, member)                                                                         \
  to->has_##field = TRUE;                                                                          \
  to->field = from->member;
#define PUT_UNLESS_0(field, member)                                                                \
  to->has_##field = from->member != 0;                                                             \
  to->field = from->member;
#define GET(field, member)                                                                         \
  to->member = (__typeof__ (to->member)) fit ((guint64) from->field, sizeof to->member);
#define NUMBERS(name, Message, Struct, LIST)                                                       \
  static void write_##name (Assay__Program__##Message *to, const Struct *from)                     \
  {                                                                                                \
    assay__program__##name##__init (to);                                                           \
    LIST (PUT, PUT_UNLESS_0)                                                                       \
  }                                                                                                \
  static void read_##name (const Assay__Program__##Message *from, Struct *to)                      \
  {                                                                                                \
    LIST (GET, GET)                                                                                \
  }

NUMBERS (operand, Operand, AssayOperand, OPERAND_NUMBERS)
NUMBERS (instruction, Instruction, AssayInstruction, INSTRUCTION_NUMBERS)
NUMBERS (port, Port, AssayPort, PORT_NUMBERS)
NUMBERS (model, Model, AssayModelEntry, MODEL_NUMBERS)
NUMBERS (matrix, Matrix, AssayMatrix, MATRIX_NUMBERS)
NUMBERS (placed_matrix, PlacedMatrix, AssayPlacedMatrix, PLACED_MATRIX_NUMBERS)
NUMBERS (ring, Ring, AssayRing, RING_NUMBERS)
NUMBERS (planned, Planned, AssayPlanned, PLANNED_NUMBERS)
NUMBERS (candidate, Candidate, AssayCandidate, CANDIDATE_NUMBERS)

/* Message structures only live until they are packed, so they come from an arena. */
typedef struct
{
  AssayArena *arena;
  AssayStreamCode *code;
} Writer;

#define NEW_ARRAY(w, Type, n) ((Type *) assay_arena_alloc_n ((w)->arena, MAX (n, 1), sizeof (Type)))

/* Makes a list of messages from an array of structures. */
#define WRITE_LIST(w, name, Message, Struct, from, n, list)                                        \
  {                                                                                                \
    Assay__Program__##Message *items = NEW_ARRAY (w, Assay__Program__##Message, n);                \
                                                                                                   \
    (list) = NEW_ARRAY (w, Assay__Program__##Message *, n);                                        \
    for (gsize at = 0; at < (n); at++)                                                             \
      {                                                                                            \
        write_##name (&items[at], (const Struct *) (gconstpointer) (from) + at);                   \
        (list)[at] = &items[at];                                                                   \
      }                                                                                            \
  }

static Assay__Program__Operand *
new_operand (Writer *w, const AssayOperand *from)
{
  Assay__Program__Operand *to;

  if (from->store == ASSAY_STORE_NONE)
    return NULL;

  to = NEW_ARRAY (w, Assay__Program__Operand, 1);
  write_operand (to, from);

  return to;
}

static Assay__Program__Port **
new_ports (Writer *w, const AssayPort *ports, guint n)
{
  Assay__Program__Port **list;

  WRITE_LIST (w, port, Port, AssayPort, ports, n, list)
  for (guint i = 0; i < n; i++)
    {
      list[i]->name = (char *) ports[i].name;
      list[i]->n_dims = ports[i].rank;
      list[i]->dims = (int64_t *) ports[i].dims;
    }

  return list;
}

static ProtobufCBinaryData
tensor_data (AssayTensor *tensor)
{
  ProtobufCBinaryData data = { 0 };

  /* What the compiler made is in memory. */
  data.data = (uint8_t *) assay_tensor_get_data (tensor, &data.len, NULL);

  return data;
}

static void
write_constants (Writer *w, Assay__Program__Body *body)
{
  Assay__Program__Constant *items = NEW_ARRAY (w, Assay__Program__Constant, body->n_constants);

  body->constants = NEW_ARRAY (w, Assay__Program__Constant *, body->n_constants);
  for (gsize i = 0; i < body->n_constants; i++)
    {
      assay__program__constant__init (&items[i]);
      items[i].has_values = TRUE;
      items[i].values = tensor_data (g_ptr_array_index (w->code->constants, i));
      body->constants[i] = &items[i];
    }
}

static void
write_config (Writer *w, Assay__Program__Body *body)
{
  Assay__Program__Field *items = NEW_ARRAY (w, Assay__Program__Field, body->n_config);

  body->config = NEW_ARRAY (w, Assay__Program__Field *, body->n_config);
  for (gsize i = 0; i < body->n_config; i++)
    {
      assay__program__field__init (&items[i]);
      items[i].name = (char *) config_fields[i].name;
      items[i].has_value = TRUE;
      items[i].value = G_STRUCT_MEMBER (guint, &w->code->config, config_fields[i].offset);
      body->config[i] = &items[i];
    }
}

static void
write_body (Writer *w, Assay__Program__Body *body)
{
  const AssayStreamCode *code = w->code;

  body->target = (char *) code->target_id;
  body->n_config = G_N_ELEMENTS (config_fields);
  body->n_instructions = code->instructions->len;
  body->n_models = code->models->len;
  body->n_matrices = code->matrices->len;
  body->n_placed = code->placed->len;
  body->n_constants = code->constants->len;
  body->n_candidates = code->candidates->len;
  body->n_rings = code->rings->len;
  body->n_plan = code->plan->len;
  body->n_nodes = code->node_names->len;
  body->nodes = (char **) code->node_names->pdata;
  write_config (w, body);
  write_constants (w, body);

  WRITE_LIST (w, instruction, Instruction, AssayInstruction, code->instructions->data,
              body->n_instructions, body->instructions)
  WRITE_LIST (w, model, Model, AssayModelEntry, code->models->data, body->n_models, body->models)
  WRITE_LIST (w, matrix, Matrix, AssayMatrix, code->matrices->data, body->n_matrices,
              body->matrices)
  WRITE_LIST (w, placed_matrix, PlacedMatrix, AssayPlacedMatrix, code->placed->data, body->n_placed,
              body->placed)
  WRITE_LIST (w, ring, Ring, AssayRing, code->rings->data, body->n_rings, body->rings)
  WRITE_LIST (w, planned, Planned, AssayPlanned, code->plan->data, body->n_plan, body->plan)
  WRITE_LIST (w, candidate, Candidate, AssayCandidate, code->candidates->data, body->n_candidates,
              body->candidates)
}

/* What is no number: operands, names, ports, elements. */
static void
write_rest (Writer *w, Assay__Program__Body *body)
{
  const AssayStreamCode *code = w->code;

  for (guint i = 0; i < body->n_instructions; i++)
    {
      const AssayInstruction *from = &g_array_index (code->instructions, AssayInstruction, i);
      Assay__Program__Instruction *to = body->instructions[i];

      to->d = new_operand (w, &from->d);
      to->a = new_operand (w, &from->a);
      to->b = new_operand (w, &from->b);
      to->c = new_operand (w, &from->c);
      to->e = new_operand (w, &from->e);
    }

  for (guint i = 0; i < body->n_models; i++)
    {
      const AssayModelEntry *entry = &g_array_index (code->models, AssayModelEntry, i);

      body->models[i]->name = (char *) entry->name;
      body->models[i]->n_inputs = entry->n_inputs;
      body->models[i]->inputs = new_ports (w, entry->inputs, entry->n_inputs);
      body->models[i]->n_outputs = entry->n_outputs;
      body->models[i]->outputs = new_ports (w, entry->outputs, entry->n_outputs);
    }

  for (guint i = 0; i < body->n_matrices; i++)
    {
      body->matrices[i]->has_values = TRUE;
      body->matrices[i]->values = tensor_data (
          g_array_index (code->matrices, AssayMatrix, i).tensor);
    }
  for (guint i = 0; i < body->n_plan; i++)
    body->plan[i]->name = (char *) g_array_index (code->plan, AssayPlanned, i).name;
}

/**
 * assay_stream_code_to_bytes:
 * @self: a program
 *
 * Writes a program in the form of the program file; equal programs give equal bytes.
 *
 * Returns: (transfer full): the bytes
 */
GBytes *
assay_stream_code_to_bytes (AssayStreamCode *self)
{
  g_autoptr (AssayArena) arena = assay_arena_new ();
  Writer w = { arena, self };
  Assay__Program__Body body = ASSAY__PROGRAM__BODY__INIT;
  Assay__Program__Program program = ASSAY__PROGRAM__PROGRAM__INIT;
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autofree guint8 *packed = NULL;
  guint8 digest[32];
  gsize size = sizeof digest;
  guint8 *file;

  write_body (&w, &body);
  write_rest (&w, &body);
  program.body.len = assay__program__body__get_packed_size (&body);
  program.body.data = packed = g_malloc (program.body.len);
  assay__program__body__pack (&body, packed);
  g_checksum_update (checksum, packed, (gssize) program.body.len);
  g_checksum_get_digest (checksum, digest, &size);

  program.magic = (char *) MAGIC;
  program.has_format = program.has_machine = program.has_sha256 = program.has_body = TRUE;
  program.format = ASSAY_PROGRAM_FORMAT;
  program.machine = ASSAY_MACHINE_VERSION;
  program.writer = (char *) "assay " ASSAY_VERSION;
  program.sha256 = (ProtobufCBinaryData){ sizeof digest, digest };

  size = assay__program__program__get_packed_size (&program);
  file = g_malloc (size);
  assay__program__program__pack (&program, file);

  return g_bytes_new_take (file, size);
}

static const char *
read_text (AssayStreamCode *code, const char *text)
{
  return assay_arena_intern (code->arena, text != NULL ? text : "");
}

static const AssayPort *
read_ports (AssayStreamCode *code, Assay__Program__Port *const *from, gsize n)
{
  AssayPort *ports = assay_arena_alloc_n (code->arena, MAX (n, 1), sizeof *ports);

  for (gsize i = 0; i < n; i++)
    {
      read_port (from[i], &ports[i]);
      ports[i].name = read_text (code, from[i]->name);
      ports[i].rank = (guint) from[i]->n_dims;
      ports[i].dims = assay_arena_memdup (code->arena, from[i]->dims,
                                          from[i]->n_dims * sizeof (gint64));
    }

  return ports;
}

static AssayTensor *
read_floats (const ProtobufCBinaryData *data, guint rank, const gint64 *dims, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data->data, data->len);

  return assay_tensor_new (ASSAY_DTYPE_F32, rank, dims, bytes, error);
}

static gboolean
read_weights (AssayStreamCode *code, const Assay__Program__Body *body, GError **error)
{
  for (gsize i = 0; i < body->n_matrices; i++)
    {
      const Assay__Program__Matrix *from = body->matrices[i];
      gint64 dims[] = { from->outputs, from->inputs };
      AssayMatrix matrix = { 0 };

      read_matrix (from, &matrix);
      matrix.tensor = read_floats (&from->values, 2, dims, error);
      if (matrix.tensor == NULL)
        {
          g_prefix_error (error, "matrix %" G_GSIZE_FORMAT ": ", i);
          return FALSE;
        }
      g_array_append_val (code->matrices, matrix);
    }

  for (gsize i = 0; i < body->n_constants; i++)
    {
      gint64 n = (gint64) (body->constants[i]->values.len / sizeof (float));
      AssayTensor *tensor = read_floats (&body->constants[i]->values, 1, &n, error);

      if (tensor == NULL)
        {
          g_prefix_error (error, "constant %" G_GSIZE_FORMAT ": ", i);
          return FALSE;
        }
      g_ptr_array_add (code->constants, tensor);
    }

  return TRUE;
}

/* Fills an array, whose items are zero before, from a list of messages. */
#define READ_LIST(name, Struct, list, n, array)                                                    \
  g_array_set_size (array, (guint) (n));                                                           \
  for (gsize at = 0; at < (n); at++)                                                               \
    read_##name ((list)[at], &g_array_index (array, Struct, at));

static void
read_operands (const Assay__Program__Instruction *from, AssayInstruction *to)
{
  const Assay__Program__Operand *operands[] = { from->d, from->a, from->b, from->c, from->e };

  for (guint slot = 0; slot < ASSAY_N_SLOTS; slot++)
    {
      if (operands[slot] != NULL)
        read_operand (operands[slot], &to->operands[slot]);
    }
}

static void
read_tables (AssayStreamCode *code, const Assay__Program__Body *body)
{
  READ_LIST (instruction, AssayInstruction, body->instructions, body->n_instructions,
             code->instructions)
  READ_LIST (model, AssayModelEntry, body->models, body->n_models, code->models)
  READ_LIST (placed_matrix, AssayPlacedMatrix, body->placed, body->n_placed, code->placed)
  READ_LIST (ring, AssayRing, body->rings, body->n_rings, code->rings)
  READ_LIST (planned, AssayPlanned, body->plan, body->n_plan, code->plan)
  READ_LIST (candidate, AssayCandidate, body->candidates, body->n_candidates, code->candidates)

  for (guint i = 0; i < code->instructions->len; i++)
    read_operands (body->instructions[i], &g_array_index (code->instructions, AssayInstruction, i));
  for (guint i = 0; i < code->models->len; i++)
    {
      const Assay__Program__Model *from = body->models[i];
      AssayModelEntry *entry = &g_array_index (code->models, AssayModelEntry, i);

      entry->name = read_text (code, from->name);
      entry->n_inputs = (guint) from->n_inputs;
      entry->n_outputs = (guint) from->n_outputs;
      entry->inputs = read_ports (code, from->inputs, from->n_inputs);
      entry->outputs = read_ports (code, from->outputs, from->n_outputs);
    }
  for (guint i = 0; i < code->plan->len; i++)
    g_array_index (code->plan, AssayPlanned, i).name = read_text (code, body->plan[i]->name);
  for (gsize i = 0; i < body->n_nodes; i++)
    g_ptr_array_add (code->node_names, (gpointer) read_text (code, body->nodes[i]));
}

static void
read_config (const Assay__Program__Body *body, AssayConfigValues *config)
{
  for (gsize i = 0; i < body->n_config; i++)
    {
      for (guint j = 0; j < G_N_ELEMENTS (config_fields); j++)
        {
          if (g_strcmp0 (body->config[i]->name, config_fields[j].name) == 0)
            G_STRUCT_MEMBER (guint, config, config_fields[j].offset) = body->config[i]->value;
        }
    }
}

static gboolean
check_envelope (const Assay__Program__Program *program, GError **error)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  guint8 digest[32];
  gsize size = sizeof digest;

  if (program == NULL || g_strcmp0 (program->magic, MAGIC) != 0)
    {
      g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_LOAD,
                           "Not a program file; compile a model to get one");
      return FALSE;
    }

  if (program->format != ASSAY_PROGRAM_FORMAT || program->machine != ASSAY_MACHINE_VERSION)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_LOAD,
                   "Written by %s in format %u for machine %u; this is %s with format %u and "
                   "machine %u: compile the "
                   "model again",
                   program->writer != NULL ? program->writer : "an unknown program",
                   program->format, program->machine, "assay " ASSAY_VERSION, ASSAY_PROGRAM_FORMAT,
                   ASSAY_MACHINE_VERSION);
      return FALSE;
    }

  g_checksum_update (checksum, program->body.data, (gssize) program->body.len);
  g_checksum_get_digest (checksum, digest, &size);
  if (program->sha256.len != size || memcmp (program->sha256.data, digest, size) != 0)
    {
      g_set_error_literal (
          error, ASSAY_ERROR, ASSAY_ERROR_LOAD,
          "The program is damaged: its digest does not match; copy it again or compile the model "
          "again");
      return FALSE;
    }

  return TRUE;
}

/* Messages without a number in them take two bytes of a file, and hundreds in memory. None that was
 * written here comes near this. */
#define MEMORY_FACTOR 128
#define MEMORY_FLOOR ((gsize) 16 << 20)

static void *
budget_take (void *data, size_t n)
{
  gsize *left = data;

  if (n > *left)
    return NULL;
  *left -= n;

  return malloc (n);
}

static void
budget_give (void *data, void *memory)
{
  free (memory);
}

/**
 * assay_stream_code_from_bytes:
 * @bytes: what assay_stream_code_to_bytes() wrote
 * @error: return location for a #GError
 *
 * Reads a program: version and digest first, then every number in it is checked, so that it can run
 * without checks. Fails with %ASSAY_ERROR_LOAD.
 *
 * Returns: (transfer full) (nullable): the program
 */
AssayStreamCode *
assay_stream_code_from_bytes (GBytes *bytes, GError **error)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  gsize left = MEMORY_FLOOR + size * MEMORY_FACTOR;
  ProtobufCAllocator allocator = { budget_take, budget_give, &left };
  Assay__Program__Program *program = assay__program__program__unpack (&allocator, size, data);
  Assay__Program__Body *body = NULL;
  g_autoptr (AssayStreamCode) code = NULL;
  AssayConfigValues config = { 0 };
  gboolean good = check_envelope (program, error);

  if (good)
    {
      body = assay__program__body__unpack (&allocator, program->body.len, program->body.data);
      good = body != NULL;
      if (!good)
        g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_LOAD,
                             "The body of the program is damaged");
    }

  if (good)
    {
      read_config (body, &config);
      code = assay_stream_code_new (&config);
      code->target_id = assay_arena_intern (code->arena, body->target != NULL ? body->target : "");
      good = read_weights (code, body, error);
    }
  if (good)
    {
      read_tables (code, body);
      good = assay_stream_code_verify (code, error);
    }

  if (body != NULL)
    assay__program__body__free_unpacked (body, &allocator);
  if (program != NULL)
    assay__program__program__free_unpacked (program, &allocator);

  if (!good && error != NULL && *error != NULL)
    (*error)->code = ASSAY_ERROR_LOAD;

  return good ? g_steal_pointer (&code) : NULL;
}
