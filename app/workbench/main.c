/* main.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assay-application.h"

int
main (int argc, char **argv)
{
  g_autoptr (AssayApplication) application = assay_application_new ();

  g_set_prgname ("assay-workbench");
  g_set_application_name ("Assay");

  return g_application_run (G_APPLICATION (application), argc, argv);
}
