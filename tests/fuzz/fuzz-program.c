/* fuzz-program.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "backend/stream/compile/assay-metrics.h"
#include "backend/stream/machine/assay-disassemble.h"
#include "backend/stream/machine/assay-machine.h"
#include "backend/assay-port.h"
#include "backend/stream/machine/assay-stream-code-file.h"
#include "backend/stream/machine/assay-timeline.h"
#include "backend/stream/machine/assay-timing.h"
#include "program.pb-c.h"

#include "fuzz.h"
#include "mutate-numbers.h"

#define MAX_VALUES (1u << 20)

/* A body in its envelope, with the digest that it has. */
static GBytes *
wrap (const uint8_t *data, size_t size)
{
  Assay__Program__Program program = ASSAY__PROGRAM__PROGRAM__INIT;
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  guint8 digest[32];
  gsize digest_size = sizeof digest;
  guint8 *file;
  gsize length;

  g_checksum_update (checksum, data, (gssize) size);
  g_checksum_get_digest (checksum, digest, &digest_size);
  program.magic = (char *) "assay-program";
  program.has_format = program.has_machine = program.has_sha256 = program.has_body = TRUE;
  program.format = ASSAY_PROGRAM_FORMAT;
  program.machine = ASSAY_MACHINE_VERSION;
  program.sha256 = (ProtobufCBinaryData){ sizeof digest, digest };
  program.body = (ProtobufCBinaryData){ size, (uint8_t *) data };

  length = assay__program__program__get_packed_size (&program);
  file = g_malloc (length);
  assay__program__program__pack (&program, file);

  return g_bytes_new_take (file, length);
}

static float **
new_tensors (const AssayPort *ports, guint n)
{
  float **tensors = g_new0 (float *, n + 1);

  for (guint i = 0; i < n; i++)
    tensors[i] = g_new0 (float, assay_port_count (&ports[i]) + 1);

  return tensors;
}

static void
free_tensors (float **tensors, guint n)
{
  for (guint i = 0; i < n; i++)
    g_free (tensors[i]);
  g_free (tensors);
}

static gsize
count_values (const AssayStreamCode *code)
{
  const AssayConfigValues *config = &code->config;
  gsize n = ((gsize) config->tensor_ram_depth + config->accum_store_depth +
             config->cell_state_depth) *
            config->block_size * config->num_cores;

  for (guint i = 0; i < code->placed->len; i++)
    {
      const AssayPlacedMatrix *placed = &g_array_index (code->placed, AssayPlacedMatrix, i);

      n += (gsize) placed->n_rows *
           g_array_index (code->matrices, AssayMatrix, placed->matrix).n_inputs;
    }
  for (guint i = 0; i < code->models->len; i++)
    {
      const AssayModelEntry *entry = &g_array_index (code->models, AssayModelEntry, i);

      for (guint j = 0; j < entry->n_inputs + entry->n_outputs; j++)
        n += assay_port_count (j < entry->n_inputs ? &entry->inputs[j]
                                                   : &entry->outputs[j - entry->n_inputs]);
    }

  return n;
}

/* Two inferences, in one thread and in two: to the same bits, whatever the instructions do. */
static void
run (AssayMachine *machine, AssayMachine *several, guint model, const AssayModelEntry *entry)
{
  float **inputs = new_tensors (entry->inputs, entry->n_inputs);
  float **outputs = new_tensors (entry->outputs, entry->n_outputs);
  float **others = new_tensors (entry->outputs, entry->n_outputs);

  for (guint step = 0; step < 2; step++)
    {
      assay_machine_run (machine, model, (const float *const *) inputs, outputs, NULL, NULL);
      assay_machine_run (several, model, (const float *const *) inputs, others, NULL, NULL);
      for (guint i = 0; i < entry->n_outputs; i++)
        g_assert_true (memcmp (outputs[i], others[i],
                               assay_port_count (&entry->outputs[i]) * sizeof (float)) == 0);
    }
  free_tensors (inputs, entry->n_inputs);
  free_tensors (outputs, entry->n_outputs);
  free_tensors (others, entry->n_outputs);
}

static void
use (AssayStreamCode *code)
{
  g_autoptr (AssayCodeMetrics) metrics = assay_stream_code_metrics_new (code);
  g_autoptr (AssayMachine) machine = assay_machine_new (code, ASSAY_MACHINE_BF16, NULL);
  g_autoptr (AssayMachine) several = assay_machine_new (code, ASSAY_MACHINE_BF16, NULL);

  if (several != NULL)
    assay_machine_set_threads (several, 2);

  for (guint i = 0; i < code->models->len; i++)
    {
      const AssayModelEntry *entry = &g_array_index (code->models, AssayModelEntry, i);
      g_autoptr (GArray) events = g_array_new (FALSE, FALSE, sizeof (AssayEvent));
      g_autoptr (GString) text = g_string_new (NULL);
      AssayCycles cycles;

      assay_timing_run (code, i, &cycles, events);
      assay_timeline_link (code, events);
      for (guint core = 0; core < code->config.num_cores; core++)
        assay_disassemble_core (code, i, core, text);
      if (machine != NULL && several != NULL)
        run (machine, several, i, entry);
    }
}

static void mutate_message (ProtobufCMessage *message, GRand *random);

/* Numbers change, operands come and go, bytes lose their end, and of lists two items change places.
 */
static void
mutate_field (ProtobufCMessage *message, const ProtobufCFieldDescriptor *field, GRand *random)
{
  gpointer at = (guint8 *) message + field->offset;
  gboolean repeated = field->label == PROTOBUF_C_LABEL_REPEATED;
  gpointer quantifier = (guint8 *) message + field->quantifier_offset;

  if (repeated)
    {
      gsize n = *(size_t *) quantifier;
      gsize i = n == 0 ? 0 : (gsize) g_rand_int_range (random, 0, (gint32) n);
      gpointer *items = *(gpointer **) at;

      if (n == 0 || field->type == PROTOBUF_C_TYPE_STRING)
        return;
      if (field->type == PROTOBUF_C_TYPE_INT64)
        ((gint64 *) items)[i] = (gint64) mutate_number ((guint64) ((gint64 *) items)[i], random);
      else if (g_rand_int_range (random, 0, 8) != 0)
        mutate_message (items[i], random);
      else
        {
          gpointer first = items[0];

          items[0] = items[i];
          items[i] = first;
        }
      return;
    }

  switch (field->type)
    {
    case PROTOBUF_C_TYPE_MESSAGE:
      if (*(gpointer *) at == NULL)
        {
          const ProtobufCMessageDescriptor *type = field->descriptor;

          /* Freed with its parent, by the allocator of protobuf-c. */
          *(gpointer *) at = malloc (type->sizeof_message);
          type->message_init (*(gpointer *) at);
        }
      else if (g_rand_int_range (random, 0, 16) == 0)
        {
          protobuf_c_message_free_unpacked (*(gpointer *) at, NULL);
          *(gpointer *) at = NULL;
          return;
        }
      for (guint i = (guint) g_rand_int_range (random, 0, 3) + 1; i > 0; i--)
        mutate_message (*(gpointer *) at, random);
      return;

    case PROTOBUF_C_TYPE_BYTES:
      if (((ProtobufCBinaryData *) at)->len >= sizeof (float))
        ((ProtobufCBinaryData *) at)->len -= sizeof (float);
      return;

    case PROTOBUF_C_TYPE_STRING:
      return;

    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_INT64:
      *(guint64 *) at = mutate_number (*(guint64 *) at, random);
      break;

    case PROTOBUF_C_TYPE_BOOL:
      *(protobuf_c_boolean *) at = !*(protobuf_c_boolean *) at;
      break;

    default:
      *(guint32 *) at = (guint32) mutate_number (*(guint32 *) at, random);
      break;
    }
  *(protobuf_c_boolean *) quantifier = TRUE;
}

static void
mutate_message (ProtobufCMessage *message, GRand *random)
{
  const ProtobufCMessageDescriptor *type = message->descriptor;
  const ProtobufCFieldDescriptor *field =
      &type->fields[g_rand_int_range (random, 0, (gint32) type->n_fields)];

  /* Of an instruction rather an operand that it has. */
  for (guint i = 0; i < 4 && type == &assay__program__instruction__descriptor &&
                    (field->type != PROTOBUF_C_TYPE_MESSAGE ||
                     *(gpointer *) ((guint8 *) message + field->offset) == NULL);
       i++)
    field = &type->fields[g_rand_int_range (random, 0, (gint32) type->n_fields)];

  mutate_field (message, field, random);
}

/* Changes numbers and messages of a body, so that what the reader of messages refuses is not all
 * that is tried; instructions more often than all else. */
FUZZ_MUTATOR (program)
{
  Assay__Program__Body *body = assay__program__body__unpack (NULL, size, data);
  GRand *random = g_rand_new_with_seed (seed);
  size_t new_size = size;

  if (body != NULL)
    {
      const ProtobufCFieldDescriptor *instructions =
          protobuf_c_message_descriptor_get_field_by_name (body->base.descriptor, "instructions");

      for (guint i = (guint) g_rand_int_range (random, 0, 3) + 1; i > 0; i--)
        {
          if (g_rand_int_range (random, 0, 4) != 0)
            mutate_field (&body->base, instructions, random);
          else
            mutate_message (&body->base, random);
        }
      if (assay__program__body__get_packed_size (body) <= max_size)
        new_size = assay__program__body__pack (body, data);
      assay__program__body__free_unpacked (body, NULL);
    }
  g_rand_free (random);

  return new_size;
}

/* Loads the body of a program file; whatever loads can be counted, timed, written out and run. */
FUZZ_TARGET (program)
{
  g_autoptr (GBytes) bytes = wrap (data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayStreamCode) code = assay_stream_code_from_bytes (bytes, &error);

  g_assert ((code == NULL) == (error != NULL));
  fuzz_n_taken += code != NULL;
  if (code != NULL && count_values (code) <= MAX_VALUES && code->instructions->len <= 4096)
    use (code);

  return 0;
}
