/* SPDX-License-Identifier: Apache-2.0 */
#include <glib.h>

int
main (int    argc,
      char **argv)
{
  return 0;
}
