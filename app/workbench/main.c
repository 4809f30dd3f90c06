/* main.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assay-application.h"
#include "process/assay-process.h"
#include "process/assay-temporary.h"

int
main (int argc, char **argv)
{
  g_autoptr (AssayApplication) application = NULL;
  int status;

  assay_process_begin ();
  application = assay_application_new ();
  g_set_prgname ("assay-workbench");
  g_set_application_name ("Assay");

  status = g_application_run (G_APPLICATION (application), argc, argv);
  assay_temporary_end ();

  return status;
}
