/* main.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib-unix.h>
#include <signal.h>

#include "assay-application.h"
#include "base/assay-job.h"
#include "process/assay-process.h"
#include "process/assay-temporary.h"

/* How long threads that were told to stop may take. */
#define END_SECONDS 2

/* What is not saved is kept for the next start; nothing else is left behind. */
static gboolean
end (gpointer application)
{
  g_application_quit (application);

  return G_SOURCE_CONTINUE;
}

int
main (int argc, char **argv)
{
  g_autoptr (AssayApplication) application = NULL;
  static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
  int status;

  assay_process_begin ();
  /* Where nobody reads what is saved to a pipe, that is an error. */
  signal (SIGPIPE, SIG_IGN);
  application = assay_application_new ();
  g_set_prgname ("assay-workbench");
  g_set_application_name ("Assay");

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    g_unix_signal_add (numbers[i], end, application);
  status = g_application_run (G_APPLICATION (application), argc, argv);
  assay_jobs_await (END_SECONDS);
  assay_temporary_end ();

  return status;
}
