/* fuzz-board.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "run/board/assay-board-agent.h"

#include "../core/fixture/memory-channel.h"
#include "fuzz.h"

/* Whatever a client says, the agent ends: well if it was let go, else with a reason that it has
 * told the client. */
FUZZ_TARGET (board)
{
  MemoryChannel stream = { data, size, NULL, 0 };
  const AssayFrameChannel channel = { memory_channel_read, memory_channel_write, &stream };
  g_autoptr (GError) error = NULL;
  gboolean well = assay_board_agent_serve (&channel, NULL, &error);

  g_assert (well == (error == NULL));
  g_assert (well || stream.n_written > 0);
  fuzz_n_taken += well;

  return 0;
}
