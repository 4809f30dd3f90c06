/* assay-installation.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "process/assay-installation.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "process/assay-folders.h"

#define MOST_INSTALLED 3
#define MOST_BUILT 8

/* Relative to the prefix, or to the top of the build folder. */
static const struct
{
  const char *installed[MOST_INSTALLED];
  const char *built[MOST_BUILT];
} parts[] = {
  [ASSAY_PART_PROGRAMS] = { { ASSAY_LIBEXECDIR, ASSAY_BINDIR },
                            { "app/board", "app/cli", "app/gpu", "app/layout", "app/ort",
                              "app/torch", "app/watch" } },
  [ASSAY_PART_EXAMPLES] = { { ASSAY_DATADIR "/examples" }, { "data/examples" } },
  [ASSAY_PART_HELP] = { { ASSAY_DATADIR "/help" }, { "docs" } },
  [ASSAY_PART_SCHEMAS] = { { ASSAY_DATADIR "/schemas" }, { "data" } },
};

/* Folders of what holds this code: a program, a helper, or the library in a foreign program. */
static const char *const own_folders[] = { ASSAY_BINDIR, ASSAY_LIBEXECDIR, ASSAY_LIBDIR };

typedef struct
{
  gsize address;
  char *path;
} OwnObject;

/* The program itself has no name. A library can have one through a link to another folder. */
static char *
dup_object_path (const char *name)
{
  char *real;
  char *path;

  if (*name == '\0')
    return g_file_read_link ("/proc/self/exe", NULL);

  real = realpath (name, NULL);
  path = g_strdup (real);
  free (real);

  return path;
}

static int
find_object (struct dl_phdr_info *info, size_t size, void *user_data)
{
  OwnObject *own = user_data;

  for (guint i = 0; i < info->dlpi_phnum; i++)
    {
      gsize offset = own->address - (gsize) info->dlpi_addr - (gsize) info->dlpi_phdr[i].p_vaddr;

      if (info->dlpi_phdr[i].p_type != PT_LOAD || offset >= info->dlpi_phdr[i].p_memsz)
        continue;
      own->path = dup_object_path (info->dlpi_name);
      return 1;
    }

  return 0;
}

/* The folder of the program or library that holds this code: the running program may be an
 * interpreter that has loaded the library. */
static char *
dup_own_folder (void)
{
  OwnObject own = { (gsize) parts, NULL };
  g_autofree char *path = NULL;

  dl_iterate_phdr (find_object, &own);
  path = own.path;

  return path != NULL ? g_path_get_dirname (path) : NULL;
}

/* The prefix that @own is in, or %NULL if it is not as it was installed. */
static char *
dup_prefix (const char *own)
{
  for (guint i = 0; i < G_N_ELEMENTS (own_folders); i++)
    {
      g_autofree char *ending = g_strconcat ("/", own_folders[i], NULL);

      if (g_str_has_suffix (own, ending))
        return g_strndup (own, strlen (own) - strlen (ending));
    }

  return NULL;
}

/* The top of the build folder that @own is in. */
static char *
dup_build_root (const char *own)
{
  g_autofree char *folder = g_strdup (own);

  while (strlen (folder) > 1)
    {
      g_autofree char *mark = g_build_filename (folder, "meson-private", NULL);
      char *parent = g_path_get_dirname (folder);

      if (g_file_test (mark, G_FILE_TEST_IS_DIR))
        {
          g_free (parent);
          return g_steal_pointer (&folder);
        }
      g_free (folder);
      folder = parent;
    }

  return NULL;
}

static void
add_folders (GPtrArray *folders, const char *root, const char *const *names, guint most)
{
  /* A folder that was configured outside the prefix is absolute. */
  for (guint i = 0; i < most && names[i] != NULL; i++)
    g_ptr_array_add (folders, g_canonicalize_filename (names[i], root));
}

/**
 * assay_installation_list_folders:
 * @part: a part
 *
 * Lists the folders that a part can be in: those of the prefix or of the build folder that this
 * code runs from, and then those of the prefix that it was configured for.
 *
 * Returns: (transfer full) (element-type filename): absolute paths, best first
 */
GPtrArray *
assay_installation_list_folders (AssayPart part)
{
  g_autoptr (GPtrArray) folders = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *own = dup_own_folder ();
  g_autofree char *prefix = own != NULL ? dup_prefix (own) : NULL;
  g_autofree char *build = own != NULL && prefix == NULL ? dup_build_root (own) : NULL;

  if (prefix != NULL)
    add_folders (folders, prefix, parts[part].installed, MOST_INSTALLED);
  if (build != NULL)
    add_folders (folders, build, parts[part].built, MOST_BUILT);
  add_folders (folders, ASSAY_PREFIX, parts[part].installed, MOST_INSTALLED);

  return g_steal_pointer (&folders);
}

/**
 * assay_installation_find:
 * @part: a part
 * @name: name of a file in it
 *
 * Finds a file of a part.
 *
 * Returns: (transfer full) (nullable): its path
 */
char *
assay_installation_find (AssayPart part, const char *name)
{
  g_autoptr (GPtrArray) folders = assay_installation_list_folders (part);

  for (guint i = 0; i < folders->len; i++)
    {
      g_autofree char *path = g_build_filename (g_ptr_array_index (folders, i), name, NULL);

      if (g_file_test (path, G_FILE_TEST_EXISTS))
        return g_steal_pointer (&path);
    }

  return NULL;
}
