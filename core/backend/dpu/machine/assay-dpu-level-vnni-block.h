/* assay-dpu-level-vnni-block.h
 * SPDX-License-Identifier: Apache-2.0
 *
 * A block of channels in vectors of one size; included once per size, with Vector for the type, OP
 * for an instruction of that size, NAME for the names of functions, and LOAD and STORE.
 */

/* Four elements of each channel beside each other, as the instruction reads them. They are
 * interleaved within each 16 bytes, which is undone when sums are packed to bytes. */
static inline __attribute__ ((always_inline)) void
NAME (interleave) (const gint8 *const *taps, gsize ahead, __mmask16 mask, Vector *four)
{
  const Vector a = LOAD (mask, taps[0] + ahead), b = LOAD (mask, taps[1] + ahead);
  const Vector c = LOAD (mask, taps[2] + ahead), d = LOAD (mask, taps[3] + ahead);
  const Vector ab = OP (unpacklo_epi8) (a, b), cd = OP (unpacklo_epi8) (c, d);
  const Vector behind_ab = OP (unpackhi_epi8) (a, b), behind_cd = OP (unpackhi_epi8) (c, d);

  four[0] = OP (unpacklo_epi16) (ab, cd);
  four[1] = OP (unpackhi_epi16) (ab, cd);
  four[2] = OP (unpacklo_epi16) (behind_ab, behind_cd);
  four[3] = OP (unpackhi_epi16) (behind_ab, behind_cd);
}

/* Inputs are made 128 more, so that 128 times the weights come off, twice as everything else. */
static void
NAME (begin) (Block *self, const gint8 *const *taps, const gint64 *bias)
{
  Vector (*weights)[4] = (Vector (*)[4]) self->weights;
  Vector sums[4] = { OP (set1_epi8) (0), OP (set1_epi8) (0), OP (set1_epi8) (0),
                     OP (set1_epi8) (0) };
  gint32 numbers[4][sizeof (Vector) / 4] = { { 0 } };

  for (guint i = 0; i < self->n_groups; i++)
    {
      NAME (interleave) (taps + 4 * i, 0, self->mask, weights[i]);
      for (guint j = 0; j < 4; j++)
        sums[j] = OP (dpbusd_epi32) (sums[j], OP (set1_epi8) (1), weights[i][j]);
    }
  for (guint c = 0; c < self->n; c++)
    numbers[c % 16 / 4][c / 16 * 4 + c % 4] = (gint32) bias[c] + ((gint32) 1 << (self->shift - 1));
  for (guint j = 0; j < 4; j++)
    {
      Vector number;

      memcpy (&number, numbers[j], sizeof number);
      number = OP (sub_epi32) (number, OP (slli_epi32) (sums[j], 8));
      memcpy (self->bias + j * sizeof number, &number, sizeof number);
    }
}

static inline __attribute__ ((always_inline)) void
NAME (run) (const Block *self, const gint8 *const *taps, gsize ahead, gint8 *out)
{
  const Vector (*weights)[4] = (const Vector (*)[4]) self->weights;
  const Vector *bias = (const Vector *) self->bias;
  const __m128i shift = _mm_cvtsi32_si128 (self->shift);
  Vector sums[4] = { OP (set1_epi8) (0), OP (set1_epi8) (0), OP (set1_epi8) (0),
                     OP (set1_epi8) (0) };
  Vector results;

  for (guint i = 0; i < self->n_groups; i++)
    {
      Vector four[4];

      NAME (interleave) (taps + 4 * i, ahead, self->mask, four);
      for (guint j = 0; j < 4; j++)
        sums[j] = OP (dpbusd_epi32) (sums[j], four[j] ^ OP (set1_epi8) (-128), weights[i][j]);
    }
  for (guint j = 0; j < 4; j++)
    sums[j] = OP (sra_epi32) (OP (add_epi32) (OP (slli_epi32) (sums[j], 1), bias[j]), shift);
  results = OP (packs_epi16) (OP (packs_epi32) (sums[0], sums[1]),
                              OP (packs_epi32) (sums[2], sums[3]));
  results = OP (max_epi8) (results, OP (set1_epi8) ((char) self->low));
  results = OP (min_epi8) (results, OP (set1_epi8) ((char) self->high));
  STORE (self->mask, out, results);
}

#undef Vector
#undef OP
#undef NAME
#undef LOAD
#undef STORE
