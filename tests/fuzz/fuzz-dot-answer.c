/* fuzz-dot-answer.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "layout/assay-dot-answer.h"

#include "fuzz.h"

#define N_VERTICES 3

typedef struct
{
  const uint8_t *data;
  gsize size;
} Said;

static gboolean
read_all (gpointer stream, gpointer data, gsize n, const AssayProgress *progress, GError **error)
{
  Said *said = stream;
  gsize there = MIN (n, said->size);

  if (there > 0)
    {
      memcpy (data, said->data, there);
      said->data += there;
      said->size -= there;
    }
  if (there < n)
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_FAILED, "cut off");

  return there == n;
}

/* A block of three vertices and two edges, as it was asked about. */
static GBytes *
make_block (void)
{
  static const guint32 words[] = {
    0x4b4c4241, N_VERTICES, 2, 0, 0, 0,          /* the head */
    0,          2,          0, 1, 2, 0, 1, 2, 0, /* ranks, reaches and frames */
    0,          1,          0, 2                 /* edges */
  };

  return g_bytes_new_static (words, sizeof words);
}

/* What the layout helper answers: the places of all vertices on a grid of a reasonable size, none,
 * or a reason why it is not believed. */
FUZZ_TARGET (dot_answer)
{
  Said said = { data, size };
  const AssayDotStream stream = { read_all, &said, "helper" };
  g_autoptr (GBytes) block = make_block ();
  AssayDotBlock asked;

  g_assert (
      assay_dot_block_read (&asked, g_bytes_get_data (block, NULL), g_bytes_get_size (block)));
  for (guint i = 0; i < 4; i++)
    {
      g_autoptr (GArray) places = NULL;
      g_autoptr (GError) error = NULL;
      gboolean well = assay_dot_answer_read (&stream, i, block, &places, NULL, &error);

      g_assert (well == (error == NULL));
      g_assert (places == NULL || (well && places->len == N_VERTICES));
      for (guint j = 0; places != NULL && j < places->len; j++)
        g_assert_cmpint (ABS (g_array_index (places, gint32, j)), <=, ASSAY_DOT_MAX_CELL);
      fuzz_n_taken += places != NULL;
      if (!well)
        break;
    }

  return 0;
}
