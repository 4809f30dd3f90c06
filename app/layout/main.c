/* main.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Lays out blocks of a graph with dot, in a process of its own, which can be killed: dot may take
 * very long, take all memory, or end with an assertion. Blocks come in on standard input and places
 * go out on standard output, as core/layout/assay-dot-block.h says.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "assay-dot.h"
#include "process/assay-confine.h"
#include "process/assay-process.h"

/* Most words of a block: what a header can ask for. */
#define MAX_WORDS                                                                                  \
  (16 + 3 * ASSAY_DOT_MAX_VERTICES + 2 * ASSAY_DOT_MAX_EDGES + 2 * ASSAY_DOT_MAX_VERTICES)

static gboolean
read_all (gpointer data, gsize size)
{
  return fread (data, 1, size, stdin) == size;
}

/* Whether there is a dot at all: its plugin may be missing, or there is no memory for it. */
static gboolean
can_lay_out (AssayDot *dot)
{
  const AssayDotVertex vertex = { 0 };
  const AssayDotBlock block = { .n_vertices = 1, .vertices = &vertex };
  gint32 x;

  return assay_dot_layout (dot, &block, &x);
}

static gboolean
answer (FILE *out, guint32 index, guint32 n, const gint32 *x)
{
  AssayDotHead head = { .index = index, .n_words = n };

  return fwrite (&head, 1, sizeof head, out) == sizeof head && fwrite (x, sizeof *x, n, out) == n &&
         fflush (out) == 0;
}

/* No more memory than this for dot: it is to fail before the machine does. Nothing is written. */
static gboolean
confine (const char *text)
{
  g_autoptr (GError) error = NULL;
  AssayConfinement confinement = { 0 };
  guint64 mib;

  if (!g_ascii_string_to_unsigned (text, 10, 1, 1u << 20, &mib, NULL))
    return FALSE;
  confinement.memory_mib = (guint) mib;
  if (assay_confine (&confinement, &error))
    return TRUE;

  fprintf (stderr, "assay-layout-helper: %s\n", error->message);
  return FALSE;
}

int
main (int argc, char **argv)
{
  g_autoptr (AssayDot) dot = NULL;
  AssayDotHead head;
  FILE *out;

  assay_process_begin ();
  assay_process_end_on_limits (3);
  if (argc != 2 || !confine (argv[1]))
    {
      fputs ("usage: assay-layout-helper MEBIBYTES\n"
             "Started by assay; lays out blocks of graphs, with no more memory than that.\n",
             stderr);
      return 2;
    }

  /* A picture is there already: whatever the user does meanwhile comes first. */
  setpriority (PRIO_PROCESS, 0, 10);
  /* Answers have standard output to themselves, whatever the library prints. */
  out = fdopen (dup (STDOUT_FILENO), "w");
  if (out == NULL || dup2 (STDERR_FILENO, STDOUT_FILENO) < 0)
    return 3;
  dot = assay_dot_new ();
  if (!can_lay_out (dot))
    {
      fputs ("assay-layout-helper: Graphviz has no layout called dot, or no memory for it\n",
             stderr);
      return 4;
    }

  while (read_all (&head, sizeof head) && head.n_words <= MAX_WORDS)
    {
      g_autofree guint32 *words = g_new (guint32, head.n_words);
      g_autofree gint32 *x = NULL;
      AssayDotBlock block;
      gboolean placed;

      if (!read_all (words, head.n_words * sizeof *words))
        break;
      if (!assay_dot_block_read (&block, words, head.n_words * sizeof *words))
        {
          fputs ("assay-layout-helper: what came in is no block\n", stderr);
          return 1;
        }
      x = g_new0 (gint32, block.n_vertices);
      placed = assay_dot_layout (dot, &block, x);
      if (!answer (out, head.index, placed ? block.n_vertices : 0, x))
        return 1;
    }

  return 0;
}
