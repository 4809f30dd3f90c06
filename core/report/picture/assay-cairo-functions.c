/* assay-cairo-functions.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/picture/assay-cairo-functions.h"

#include <dlfcn.h>

#include "base/assay-error.h"

#define LIBRARY "libpangocairo-1.0.so.0"

static const char *const names[] = {
#define FUNCTION(name) #name,
#include "report/picture/cairo-functions.def"
#undef FUNCTION
};

typedef struct
{
  AssayCairoFunctions functions;
  char *trouble;
} Library;

/* The members of the structure are pointers to functions, in the order of the names. */
static gpointer
load (gpointer unused)
{
  Library *self = g_new0 (Library, 1);
  gpointer *functions = (gpointer *) &self->functions;
  gpointer library = dlopen (LIBRARY, RTLD_LAZY | RTLD_LOCAL);

  for (guint i = 0; library != NULL && i < G_N_ELEMENTS (names); i++)
    {
      functions[i] = dlsym (library, names[i]);
      if (functions[i] == NULL)
        library = NULL;
    }
  if (library == NULL)
    self->trouble = g_strdup_printf ("pictures cannot be drawn: %s", dlerror ());

  return self;
}

static const Library *
get_library (void)
{
  static GOnce once = G_ONCE_INIT;

  return g_once (&once, load, NULL);
}

/**
 * assay_cairo_load:
 * @error: return location for a #GError
 *
 * Loads what draws, if it is not loaded yet. Fails with %ASSAY_ERROR_IO if it is not there.
 *
 * Returns: whether pictures can be drawn
 */
gboolean
assay_cairo_load (GError **error)
{
  const Library *self = get_library ();

  if (self->trouble != NULL)
    g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_IO, self->trouble);

  return self->trouble == NULL;
}

/**
 * assay_cairo_functions:
 *
 * Gets what draws, loading it if need be; a program that is linked with it may do without
 * assay_cairo_load().
 *
 * Returns: (transfer none): the functions
 */
const AssayCairoFunctions *
assay_cairo_functions (void)
{
  return &get_library ()->functions;
}
