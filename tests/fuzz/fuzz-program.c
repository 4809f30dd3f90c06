/* fuzz-program.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>

#include "backend/stream/compile/assay-metrics.h"
#include "backend/stream/machine/assay-disassemble.h"
#include "backend/stream/machine/assay-machine.h"
#include "backend/assay-port.h"
#include "backend/stream/machine/assay-stream-code-file.h"
#include "backend/stream/machine/assay-timeline.h"
#include "backend/stream/machine/assay-timing.h"
#include "program.pb-c.h"

#include "fuzz.h"

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

static void
use (AssayStreamCode *code)
{
  g_autoptr (AssayCodeMetrics) metrics = assay_stream_code_metrics_new (code);
  g_autoptr (AssayMachine) machine = assay_machine_new (code, ASSAY_MACHINE_BF16, NULL);

  for (guint i = 0; i < code->models->len; i++)
    {
      const AssayModelEntry *entry = &g_array_index (code->models, AssayModelEntry, i);
      g_autoptr (GArray) events = g_array_new (FALSE, FALSE, sizeof (AssayEvent));
      g_autoptr (GString) text = g_string_new (NULL);
      AssayCycles cycles;
      float **inputs, **outputs;

      assay_timing_run (code, i, &cycles, events);
      assay_timeline_link (code, events);
      for (guint core = 0; core < code->config.num_cores; core++)
        assay_disassemble_core (code, i, core, text);
      if (machine == NULL)
        continue;

      inputs = new_tensors (entry->inputs, entry->n_inputs);
      outputs = new_tensors (entry->outputs, entry->n_outputs);
      assay_machine_run (machine, i, (const float *const *) inputs, outputs, NULL, NULL);
      assay_machine_run (machine, i, (const float *const *) inputs, outputs, NULL, NULL);
      free_tensors (inputs, entry->n_inputs);
      free_tensors (outputs, entry->n_outputs);
    }
}

/* Loads the body of a program file; whatever loads can be counted, timed, written out and run. */
int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GBytes) bytes = wrap (data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayStreamCode) code = assay_stream_code_from_bytes (bytes, &error);

  g_assert ((code == NULL) == (error != NULL));
  if (code != NULL && count_values (code) <= MAX_VALUES && code->instructions->len <= 4096)
    use (code);

  return 0;
}
