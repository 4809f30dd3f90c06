/* levels.c: a library for LD_PRELOAD that hides instruction sets from a program.
 * SPDX-License-Identifier: Apache-2.0
 *
 * ASSAY_WITHOUT names them: `avx2 fma`. __builtin_cpu_supports() looks into two variables that the
 * compiler's library has in each program; they are filled here, before the program fills them. What
 * asks the processor itself, as ONNX Runtime does, is not deceived.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Their bits, in the order of enum processor_features of GCC, which clang shares. */
static const struct
{
  const char *name;
  unsigned int bit;
} sets[] = {
  { "avx2", 10 },     { "fma", 14 },      { "avx512f", 15 },
  { "avx512vl", 20 }, { "avx512bw", 21 }, { "avx512vnni", 34 },
};

/* The word with bits 0 to 31 is the fourth of __cpu_model, the others are __cpu_features2. */
static void
hide (unsigned int *model, unsigned int *features, const char *names)
{
  for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
    {
      const char *found = strstr (names, sets[i].name);
      size_t length = strlen (sets[i].name);
      unsigned int *word = sets[i].bit < 32 ? &model[3] : &features[sets[i].bit / 32 - 1];

      if (found != NULL && (found[length] == ' ' || found[length] == '\0'))
        *word &= ~(1u << sets[i].bit % 32);
    }
}

static int
get_base (struct dl_phdr_info *info, size_t size, void *base)
{
  (void) size;
  *(ElfW (Addr) *) base = info->dlpi_addr;

  /* The first is the program. */
  return 1;
}

/* Where a symbol of the program is, or NULL; it need not be exported. */
static void *
find (const char *file, const char *name)
{
  const ElfW (Ehdr) *head = (const void *) file;
  const ElfW (Shdr) *sections = (const void *) (file + head->e_shoff);
  ElfW (Addr) base = 0;

  dl_iterate_phdr (get_base, &base);
  for (unsigned int i = 0; i < head->e_shnum; i++)
    {
      const ElfW (Sym) *symbols = (const void *) (file + sections[i].sh_offset);
      const char *names = file + sections[sections[i].sh_link].sh_offset;

      for (size_t j = 0;
           sections[i].sh_type == SHT_SYMTAB && j < sections[i].sh_size / sizeof *symbols; j++)
        if (strcmp (names + symbols[j].st_name, name) == 0)
          return (void *) (base + symbols[j].st_value);
    }

  return NULL;
}

__attribute__ ((constructor)) static void
begin (void)
{
  const char *names = getenv ("ASSAY_WITHOUT");
  int fd = open ("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  struct stat about;
  char *file;
  void (*fill) (void);
  unsigned int *model, *features;

  if (names == NULL || fd < 0 || fstat (fd, &about) != 0)
    return;
  file = mmap (NULL, (size_t) about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  close (fd);
  if (file == MAP_FAILED)
    return;
  *(void **) &fill = find (file, "__cpu_indicator_init");
  model = find (file, "__cpu_model");
  features = find (file, "__cpu_features2");
  munmap (file, (size_t) about.st_size);
  if (fill == NULL || model == NULL || features == NULL)
    return;
  fill ();
  hide (model, features, names);
}
