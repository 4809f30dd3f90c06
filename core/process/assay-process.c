/* assay-process.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "process/assay-process.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

/* OpenBLAS starts no threads of its own: ours call it. ONNX Runtime tells nobody what it does. */
static const char *const environment[][2] = {
  { "OPENBLAS_NUM_THREADS", "1" },
  { "ORT_DISABLE_TELEMETRY", "1" },
};

/**
 * assay_process_begin:
 *
 * The first thing that a program of ours does, while it has one thread: says what libraries that
 * are loaded later, and children, are to leave alone. A standard stream that is closed is opened on
 * nothing, so that no file takes its place; writing to a standard output that is closed fails, and
 * a file that gets too large is an error.
 */
void
assay_process_begin (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (environment); i++)
    g_setenv (environment[i][0], environment[i][1], TRUE);
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    {
      if (fcntl (fd, F_GETFD) < 0 &&
          open ("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_RDWR) < 0)
        break;
    }
  signal (SIGXFSZ, SIG_IGN);
}
