/* assay-stream-code-file.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The program file: plain copies between the tables of a program and the messages of
 * data/proto/program.proto.
 */
#include "backend/stream/machine/assay-stream-code-file.h"

#include <string.h>

#include "base/assay-arena.h"
#include "base/assay-error.h"
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

/* Message structures only live until they are packed, so they come from an arena. */
typedef struct
{
  AssayArena *arena;
  AssayStreamCode *code;
} Writer;

#define NEW_ARRAY(w, Type, n) ((Type *) assay_arena_alloc_n ((w)->arena, MAX (n, 1), sizeof (Type)))

static gpointer *
pointers (Writer *w, gpointer items, gsize n, gsize size)
{
  gpointer *list = NEW_ARRAY (w, gpointer, n);

  for (gsize i = 0; i < n; i++)
    list[i] = (guint8 *) items + i * size;

  return list;
}

static Assay__Program__Operand *
write_operand (Writer *w, const AssayOperand *from)
{
  Assay__Program__Operand *to;

  if (from->store == ASSAY_STORE_NONE)
    return NULL;

  to = NEW_ARRAY (w, Assay__Program__Operand, 1);
  assay__program__operand__init (to);
  to->has_store = to->has_address = TRUE;
  to->store = from->store;
  to->address = from->base;
  to->has_repeat = to->repeat = from->repeat;
  to->has_fp32 = to->fp32 = from->fp32;
  to->has_ring = from->ring != 0;
  to->ring = from->ring;
  to->has_age = from->age != 0;
  to->age = from->age;
  to->has_tensor = from->tensor != 0;
  to->tensor = from->tensor;

  return to;
}

static void
write_instruction (Writer *w, Assay__Program__Instruction *to, const AssayInstruction *from)
{
  assay__program__instruction__init (to);

#define PUT(field)                                                                                 \
  to->has_##field = from->field != 0;                                                              \
  to->field = from->field;

  PUT (opcode)
  PUT (round)
  PUT (function)
  PUT (deferred)
  PUT (reset)
  PUT (clamps)
  PUT (core)
  PUT (step)
  PUT (node)
  PUT (lanes)
  PUT (first_block)
  PUT (clears)
  PUT (weights)
  PUT (cores)
#undef PUT

  memcpy (&to->low, &from->low, sizeof to->low);
  memcpy (&to->high, &from->high, sizeof to->high);
  to->has_low = to->low != 0;
  to->has_high = to->high != 0;
  to->d = write_operand (w, &from->d);
  to->a = write_operand (w, &from->a);
  to->b = write_operand (w, &from->b);
  to->c = write_operand (w, &from->c);
  to->e = write_operand (w, &from->e);
}

static Assay__Program__Port **
write_ports (Writer *w, const AssayPort *ports, guint n)
{
  Assay__Program__Port *items = NEW_ARRAY (w, Assay__Program__Port, n);

  for (guint i = 0; i < n; i++)
    {
      assay__program__port__init (&items[i]);
      items[i].name = (char *) ports[i].name;
      items[i].n_dims = ports[i].rank;
      items[i].dims = (int64_t *) ports[i].dims;
      items[i].has_streaming_dim = items[i].has_data_dim = items[i].has_lanes =
          items[i].has_vectors = TRUE;
      items[i].streaming_dim = ports[i].streaming_dim;
      items[i].data_dim = ports[i].data_dim;
      items[i].lanes = ports[i].lanes;
      items[i].vectors = ports[i].n_vectors;
      items[i].has_fp32 = items[i].fp32 = ports[i].fp32;
    }

  return (Assay__Program__Port **) pointers (w, items, n, sizeof *items);
}

static void
write_models (Writer *w, Assay__Program__Body *body)
{
  guint n = w->code->models->len;
  Assay__Program__Model *items = NEW_ARRAY (w, Assay__Program__Model, n);

  for (guint i = 0; i < n; i++)
    {
      const AssayModelEntry *entry = &g_array_index (w->code->models, AssayModelEntry, i);

      assay__program__model__init (&items[i]);
      items[i].name = (char *) entry->name;
      items[i].has_first = items[i].has_instructions = TRUE;
      items[i].first = entry->first;
      items[i].instructions = entry->n_instructions;
      items[i].has_resettable = items[i].resettable = entry->resettable;
      items[i].n_inputs = entry->n_inputs;
      items[i].inputs = write_ports (w, entry->inputs, entry->n_inputs);
      items[i].n_outputs = entry->n_outputs;
      items[i].outputs = write_ports (w, entry->outputs, entry->n_outputs);
    }

  body->n_models = n;
  body->models = (Assay__Program__Model **) pointers (w, items, n, sizeof *items);
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
write_weights (Writer *w, Assay__Program__Body *body)
{
  AssayStreamCode *code = w->code;
  Assay__Program__Matrix *matrices = NEW_ARRAY (w, Assay__Program__Matrix, code->matrices->len);
  Assay__Program__PlacedMatrix *placed = NEW_ARRAY (w, Assay__Program__PlacedMatrix,
                                                    code->placed->len);
  Assay__Program__Constant *constants = NEW_ARRAY (w, Assay__Program__Constant,
                                                   code->constants->len);

  for (guint i = 0; i < code->matrices->len; i++)
    {
      const AssayMatrix *from = &g_array_index (code->matrices, AssayMatrix, i);

      assay__program__matrix__init (&matrices[i]);
      matrices[i].has_outputs = matrices[i].has_inputs = matrices[i].has_values = TRUE;
      matrices[i].outputs = from->n_outputs;
      matrices[i].inputs = from->n_inputs;
      matrices[i].has_fp8 = matrices[i].fp8 = from->fp8;
      matrices[i].values = tensor_data (from->tensor);
    }

  for (guint i = 0; i < code->placed->len; i++)
    {
      const AssayPlacedMatrix *from = &g_array_index (code->placed, AssayPlacedMatrix, i);

      assay__program__placed_matrix__init (&placed[i]);
      placed[i].has_matrix = placed[i].has_core = placed[i].has_address = placed[i].has_first_row =
          placed[i].has_rows = TRUE;
      placed[i].matrix = from->matrix;
      placed[i].core = from->core;
      placed[i].address = from->base;
      placed[i].first_row = from->first_row;
      placed[i].rows = from->n_rows;
    }

  for (guint i = 0; i < code->constants->len; i++)
    {
      assay__program__constant__init (&constants[i]);
      constants[i].has_values = TRUE;
      constants[i].values = tensor_data (g_ptr_array_index (code->constants, i));
    }

  body->n_matrices = code->matrices->len;
  body->matrices = (Assay__Program__Matrix **) pointers (w, matrices, body->n_matrices,
                                                         sizeof *matrices);
  body->n_placed = code->placed->len;
  body->placed = (Assay__Program__PlacedMatrix **) pointers (w, placed, body->n_placed,
                                                             sizeof *placed);
  body->n_constants = code->constants->len;
  body->constants = (Assay__Program__Constant **) pointers (w, constants, body->n_constants,
                                                            sizeof *constants);
}

static void
write_plan (Writer *w, Assay__Program__Body *body)
{
  AssayStreamCode *code = w->code;
  Assay__Program__Ring *rings = NEW_ARRAY (w, Assay__Program__Ring, code->rings->len);
  Assay__Program__Planned *plan = NEW_ARRAY (w, Assay__Program__Planned, code->plan->len);
  Assay__Program__Candidate *candidates = NEW_ARRAY (w, Assay__Program__Candidate,
                                                     code->candidates->len);

  for (guint i = 0; i < code->rings->len; i++)
    {
      const AssayRing *from = &g_array_index (code->rings, AssayRing, i);

      assay__program__ring__init (&rings[i]);
      rings[i].has_slots = rings[i].has_blocks = rings[i].has_model = TRUE;
      rings[i].slots = from->slots;
      rings[i].blocks = from->blocks;
      rings[i].model = from->model;
      rings[i].has_initial = from->initial != 0;
      rings[i].initial = from->initial;
    }

  for (guint i = 0; i < code->plan->len; i++)
    {
      const AssayPlanned *from = &g_array_index (code->plan, AssayPlanned, i);
      Assay__Program__Planned *to = &plan[i];

      assay__program__planned__init (to);
      to->name = (char *) from->name;
      to->has_node = to->has_core = to->has_store = to->has_kind = to->has_address =
          to->has_blocks = TRUE;
      to->has_born = to->has_died = to->has_reader = TRUE;
      to->node = from->node;
      to->core = from->core;
      to->store = from->store;
      to->kind = from->kind;
      to->address = from->base;
      to->blocks = from->blocks;
      to->born = from->born;
      to->died = from->died;
      to->reader = from->reader;
    }

  for (guint i = 0; i < code->candidates->len; i++)
    {
      const AssayCandidate *from = &g_array_index (code->candidates, AssayCandidate, i);
      Assay__Program__Candidate *to = &candidates[i];

      assay__program__candidate__init (to);
      to->has_model = to->has_node = to->has_cores = to->has_spaced = to->has_contiguous = TRUE;
      to->model = from->model;
      to->node = from->node;
      to->cores = from->cores;
      to->spaced = from->spaced;
      to->contiguous = from->contiguous;
      to->has_chosen = to->chosen = from->chosen;
      to->has_pinned = to->pinned = from->pinned;
    }

  body->n_candidates = code->candidates->len;
  body->candidates = (Assay__Program__Candidate **) pointers (w, candidates, body->n_candidates,
                                                              sizeof *candidates);
  body->n_rings = code->rings->len;
  body->rings = (Assay__Program__Ring **) pointers (w, rings, body->n_rings, sizeof *rings);
  body->n_plan = code->plan->len;
  body->plan = (Assay__Program__Planned **) pointers (w, plan, body->n_plan, sizeof *plan);
  body->n_nodes = code->node_names->len;
  body->nodes = (char **) code->node_names->pdata;
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
  Assay__Program__Field *fields = NEW_ARRAY (&w, Assay__Program__Field,
                                             G_N_ELEMENTS (config_fields));
  Assay__Program__Instruction *instructions = NEW_ARRAY (&w, Assay__Program__Instruction,
                                                         self->instructions->len);
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autofree guint8 *packed = NULL;
  guint8 digest[32];
  gsize size = sizeof digest;
  guint8 *file;

  body.target = (char *) self->target_id;
  for (guint i = 0; i < G_N_ELEMENTS (config_fields); i++)
    {
      assay__program__field__init (&fields[i]);
      fields[i].name = (char *) config_fields[i].name;
      fields[i].has_value = TRUE;
      fields[i].value = G_STRUCT_MEMBER (guint, &self->config, config_fields[i].offset);
    }
  body.n_config = G_N_ELEMENTS (config_fields);
  body.config = (Assay__Program__Field **) pointers (&w, fields, body.n_config, sizeof *fields);

  for (guint i = 0; i < self->instructions->len; i++)
    write_instruction (&w, &instructions[i],
                       &g_array_index (self->instructions, AssayInstruction, i));
  body.n_instructions = self->instructions->len;
  body.instructions = (Assay__Program__Instruction **) pointers (
      &w, instructions, body.n_instructions, sizeof *instructions);

  write_models (&w, &body);
  write_weights (&w, &body);
  write_plan (&w, &body);

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

static void
read_operand (const Assay__Program__Operand *from, AssayOperand *to)
{
  if (from == NULL)
    return;

  /* Out of range numbers are left so that verification refuses them. */
  to->store = (guint8) MIN (from->store, ASSAY_N_STORES);
  to->repeat = from->repeat;
  to->fp32 = from->fp32;
  to->ring = (guint16) MIN (from->ring, G_MAXUINT16);
  to->base = from->address;
  to->age = from->age;
  to->tensor = from->tensor;
}

static void
read_instruction (const Assay__Program__Instruction *from, AssayInstruction *to)
{
  to->opcode = (guint8) MIN (from->opcode, ASSAY_N_OPCODES);
  to->round = (guint8) MIN (from->round, 2);
  to->function = (guint8) MIN (from->function, ASSAY_N_FUNCTIONS);
  to->deferred = from->deferred;
  to->reset = from->reset;
  to->clamps = from->clamps;
  to->core = (guint16) MIN (from->core, G_MAXUINT16);
  to->step = from->step;
  to->node = from->node;
  to->lanes = from->lanes;
  to->first_block = from->first_block;
  to->clears = from->clears;
  to->weights = from->weights;
  to->cores = from->cores;
  memcpy (&to->low, &from->low, sizeof from->low);
  memcpy (&to->high, &from->high, sizeof from->high);
  read_operand (from->d, &to->d);
  read_operand (from->a, &to->a);
  read_operand (from->b, &to->b);
  read_operand (from->c, &to->c);
  read_operand (from->e, &to->e);
}

static const AssayPort *
read_ports (AssayStreamCode *code, Assay__Program__Port *const *from, gsize n)
{
  AssayPort *ports = assay_arena_alloc_n (code->arena, MAX (n, 1), sizeof *ports);

  for (gsize i = 0; i < n; i++)
    {
      ports[i].name = assay_arena_intern (code->arena, from[i]->name != NULL ? from[i]->name : "");
      ports[i].rank = (guint) from[i]->n_dims;
      ports[i].dims = assay_arena_memdup (code->arena, from[i]->dims,
                                          from[i]->n_dims * sizeof (gint64));
      ports[i].streaming_dim = from[i]->streaming_dim;
      ports[i].data_dim = from[i]->data_dim;
      ports[i].lanes = from[i]->lanes;
      ports[i].n_vectors = from[i]->vectors;
      ports[i].fp32 = from[i]->fp32;
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
      AssayMatrix matrix = { .n_outputs = from->outputs,
                             .n_inputs = from->inputs,
                             .fp8 = from->fp8 };

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

  for (gsize i = 0; i < body->n_placed; i++)
    {
      const Assay__Program__PlacedMatrix *from = body->placed[i];
      AssayPlacedMatrix placed = { from->matrix, (guint16) MIN (from->core, G_MAXUINT16),
                                   from->address, from->first_row, from->rows };

      g_array_append_val (code->placed, placed);
    }

  return TRUE;
}

static void
read_tables (AssayStreamCode *code, const Assay__Program__Body *body)
{
  g_array_set_size (code->instructions, (guint) body->n_instructions);
  for (gsize i = 0; i < body->n_instructions; i++)
    read_instruction (body->instructions[i],
                      &g_array_index (code->instructions, AssayInstruction, i));

  for (gsize i = 0; i < body->n_models; i++)
    {
      const Assay__Program__Model *from = body->models[i];
      AssayModelEntry entry = {
        .name = assay_arena_intern (code->arena, from->name != NULL ? from->name : ""),
        .first = from->first,
        .n_instructions = from->instructions,
        .resettable = from->resettable,
        .n_inputs = (guint) from->n_inputs,
        .n_outputs = (guint) from->n_outputs,
        .inputs = read_ports (code, from->inputs, from->n_inputs),
        .outputs = read_ports (code, from->outputs, from->n_outputs),
      };

      g_array_append_val (code->models, entry);
    }

  for (gsize i = 0; i < body->n_rings; i++)
    {
      const Assay__Program__Ring *from = body->rings[i];
      AssayRing ring = { from->slots, from->blocks, from->model, from->initial };

      g_array_append_val (code->rings, ring);
    }

  for (gsize i = 0; i < body->n_plan; i++)
    {
      const Assay__Program__Planned *from = body->plan[i];
      AssayPlanned planned = {
        .name = assay_arena_intern (code->arena, from->name != NULL ? from->name : ""),
        .node = from->node,
        .core = (guint16) MIN (from->core, G_MAXUINT16),
        .store = (guint8) MIN (from->store, ASSAY_N_STORES),
        .kind = (guint8) MIN (from->kind, ASSAY_N_TENSOR_KINDS),
        .base = from->address,
        .blocks = from->blocks,
        .born = from->born,
        .died = from->died,
        .reader = from->reader,
      };

      g_array_append_val (code->plan, planned);
    }

  for (gsize i = 0; i < body->n_candidates; i++)
    {
      const Assay__Program__Candidate *from = body->candidates[i];
      AssayCandidate candidate = {
        from->model,      from->node,   from->cores,  from->spaced,
        from->contiguous, from->chosen, from->pinned,
      };

      g_array_append_val (code->candidates, candidate);
    }

  for (gsize i = 0; i < body->n_nodes; i++)
    g_ptr_array_add (code->node_names, (gpointer) assay_arena_intern (code->arena, body->nodes[i]));
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
  Assay__Program__Program *program = assay__program__program__unpack (NULL, size, data);
  Assay__Program__Body *body = NULL;
  g_autoptr (AssayStreamCode) code = NULL;
  AssayConfigValues config = { 0 };
  gboolean good = check_envelope (program, error);

  if (good)
    {
      body = assay__program__body__unpack (NULL, program->body.len, program->body.data);
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
    assay__program__body__free_unpacked (body, NULL);
  if (program != NULL)
    assay__program__program__free_unpacked (program, NULL);

  if (!good && error != NULL && *error != NULL)
    (*error)->code = ASSAY_ERROR_LOAD;

  return good ? g_steal_pointer (&code) : NULL;
}
