/* assay-core-pch.h
 * SPDX-License-Identifier: Apache-2.0
 *
 * Read once for all files of the library where a build asks for it (b_pch). No file includes it.
 */
#include <gio/gio.h>
#include <string.h>
