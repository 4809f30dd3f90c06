/* fuzz-board-answers.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/assay-port.h"
#include "run/board/assay-board-private.h"

#include "../core/fixture/memory-channel.h"
#include "../core/fixture/run-fixture.h"
#include "fuzz.h"

#define N_STEPS 2

/* A program is made once, of one timestep of the model. */
static AssayRunSubject *
get_subject (void)
{
  static AssayRunSubject *subject;
  static const int axis = 1;

  if (subject == NULL)
    subject = run_fixture_subject (run_fixture_model, &axis);

  return subject;
}

/* Puts versions and digest right, unless they are missing: with wrong ones nothing behind them is
 * reached. */
static void
mend_frame (AssayFrame *frame, GBytes *program)
{
  const AssayBuildVersions versions = assay_build_get_versions ();

  if (frame->body_case == ASSAY__BOARD__FRAME__BODY_HELLO && frame->hello->has_protocol)
    {
      frame->hello->protocol = ASSAY_FRAME_PROTOCOL;
      frame->hello->machine = versions.machine;
      frame->hello->format = versions.format;
    }
  if (frame->body_case == ASSAY__BOARD__FRAME__BODY_READY &&
      frame->ready->sha256.len == ASSAY_BOARD_DIGEST)
    assay_board_digest (program, frame->ready->sha256.data);
}

static GByteArray *
mend (const uint8_t *data, size_t size, GBytes *program)
{
  GByteArray *mended = g_byte_array_new ();
  gsize length;

  while (size >= ASSAY_FRAME_PREFIX && assay_frame_header (data, &length, NULL) &&
         length <= size - ASSAY_FRAME_PREFIX)
    {
      g_autoptr (AssayFrame) frame = assay_frame_unpack (data + ASSAY_FRAME_PREFIX, length, NULL);
      g_autoptr (GBytes) packed = NULL;

      if (frame == NULL)
        break;
      mend_frame (frame, program);
      packed = assay_frame_pack (frame);
      g_byte_array_append (mended, g_bytes_get_data (packed, NULL),
                           (guint) g_bytes_get_size (packed));
      data += ASSAY_FRAME_PREFIX + length;
      size -= ASSAY_FRAME_PREFIX + length;
    }
  g_byte_array_append (mended, data, (guint) size);

  return mended;
}

/* Whatever a board answers, a run of a program has all of its outputs and times, or ends with a
 * reason. */
FUZZ_TARGET (board_answers)
{
  AssayProgram *program = get_subject ()->program;
  g_autoptr (GBytes) bytes = assay_program_save_bytes (program, NULL);
  g_autoptr (GByteArray) mended = mend (data, size, bytes);
  MemoryChannel stream = { mended->data, mended->len, NULL, 0 };
  const AssayFrameChannel channel = { memory_channel_read, memory_channel_write, &stream };
  g_autoptr (GPtrArray) inputs = run_fixture_inputs (N_STEPS);
  g_autoptr (GArray) latencies = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (AssayBoard) board = assay_board_new ("ssh:board", &channel);
  g_auto (AssayRunSequence) sequence = { 0 };
  g_autoptr (GError) error = NULL;
  gboolean well;

  g_assert (
      assay_run_sequence_init (&sequence, assay_program_get_model (program, 0), inputs, &error));
  well = assay_board_greet (board, NULL, &error) &&
         assay_board_put (board, program, NULL, NULL, &error) &&
         assay_board_run (board, 0, &sequence, latencies, NULL, &error);
  g_assert (well == (error == NULL));
  g_assert (!well || latencies->len == N_STEPS);
  fuzz_n_taken += well;

  return 0;
}
