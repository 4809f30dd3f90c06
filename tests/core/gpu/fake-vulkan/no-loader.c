/* no-loader.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Loaded before all else, has a process find no Vulkan loader: it looks for one by another name.
 */
#include <dlfcn.h>
#include <string.h>

__attribute__ ((visibility ("default"))) void *dlopen (const char *file, int mode);

void *
dlopen (const char *file, int mode)
{
  void *(*real) (const char *, int);

  *(void **) &real = dlsym (RTLD_NEXT, "dlopen");

  return real (file != NULL && strcmp (file, "libvulkan.so.1") == 0 ? "libvulkan-of-nobody.so.1"
                                                                    : file,
               mode);
}
