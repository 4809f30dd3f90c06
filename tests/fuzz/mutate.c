/* mutate.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mutate.h"

#include <string.h>

/* Changes of inputs whose structure is not known: bits, numbers of a machine and of people, parts
 * that are missing, double, repeated, or from another file of the corpus. */

#define MOST_CHANGES 4
#define MOST_REPEATS 2048

typedef struct
{
  uint8_t *data;
  gsize size;
  gsize max_size;
  GPtrArray *corpus;
  GRand *random;
} Mutation;

/* One of @n, 0 if there is none. */
static gsize
pick (Mutation *self, gsize n)
{
  return n == 0 ? 0 : g_rand_int (self->random) % n;
}

static void
take_out (Mutation *self, gsize at, gsize n)
{
  memmove (self->data + at, self->data + at + n, self->size - at - n);
  self->size -= n;
}

/* What does not fit is left out. */
static void
put_in (Mutation *self, gsize at, gconstpointer bytes, gsize n)
{
  n = MIN (n, self->max_size - self->size);
  memmove (self->data + at + n, self->data + at, self->size - at);
  memcpy (self->data + at, bytes, n);
  self->size += n;
}

/* A length of at most @most behind @at, rather short. */
static gsize
pick_length (Mutation *self, gsize at, gsize most)
{
  gsize longest = pick (self, 2) == 0 ? 8 : most;

  return pick (self, MIN (self->size - at, longest) + 1);
}

static void
flip_bit (Mutation *self)
{
  gsize at = pick (self, self->size);

  if (self->size > 0)
    self->data[at] ^= (uint8_t) (1u << pick (self, 8));
}

/* A number of one to eight bytes becomes one near it, or one at an edge. */
static void
change_number (Mutation *self)
{
  static const guint64 edges[] = { 0,           1,
                                   0x7f,        0x80,
                                   0xff,        0x7fff,
                                   0x8000,      0xffff,
                                   G_MAXINT32,  (guint64) G_MAXINT32 + 1,
                                   G_MAXUINT32, (guint64) G_MAXUINT32 + 1,
                                   G_MAXINT64,  (guint64) G_MAXINT64 + 1,
                                   G_MAXUINT64 };
  gsize n = (gsize) 1 << pick (self, 4);
  gsize at = self->size >= n ? pick (self, self->size - n + 1) : 0;
  guint64 value = 0;

  if (self->size < n)
    return;
  memcpy (&value, self->data + at, n);
  if (pick (self, 2) == 0)
    value = edges[pick (self, G_N_ELEMENTS (edges))];
  else
    value += pick (self, 33) - 16;
  memcpy (self->data + at, &value, n);
}

/* Digits become others that people do not write. */
static void
change_digits (Mutation *self)
{
  static const char *const texts[] = {
    "0",
    "-1",
    "1",
    "7",
    "64",
    "255",
    "1e999",
    "-0.0",
    "nan",
    "inf",
    "2147483647",
    "2147483648",
    "-2147483649",
    "4294967296",
    "9223372036854775807",
    "1e-999",
    "0.5",
    "3",
    "-9223372036854775808",
  };
  const char *text = texts[pick (self, G_N_ELEMENTS (texts))];
  gsize at = pick (self, self->size), end;

  while (at < self->size && !g_ascii_isdigit (self->data[at]))
    at++;
  for (end = at; end < self->size && g_ascii_isdigit (self->data[end]);)
    end++;
  if (at < end)
    {
      take_out (self, at, end - at);
      put_in (self, at, text, strlen (text));
    }
}

static void
leave_out (Mutation *self)
{
  gsize at = pick (self, self->size);

  take_out (self, at, pick_length (self, at, 256));
}

/* A short part many times makes things deep. */
static void
repeat (Mutation *self)
{
  gsize at = pick (self, self->size);
  gsize n = pick_length (self, at, 256);
  gsize times = pick (self, 8) == 0 ? pick (self, MOST_REPEATS) : 1;
  g_autofree uint8_t *part = g_malloc (n + 1);

  memcpy (part, self->data + at, n);
  for (gsize i = 0; i < times; i++)
    put_in (self, at, part, n);
}

static void
put_noise (Mutation *self)
{
  uint8_t noise[8];
  gsize n = pick (self, sizeof noise) + 1;

  for (gsize i = 0; i < n; i++)
    noise[i] = (uint8_t) pick (self, 256);
  put_in (self, pick (self, self->size + 1), noise, n);
}

/* A part of another input, in place of one of this or between. */
static void
put_other (Mutation *self)
{
  gsize from_size;
  const uint8_t *from = g_bytes_get_data (self->corpus->pdata[pick (self, self->corpus->len)],
                                          &from_size);
  gsize begin = pick (self, from_size);
  gsize n = pick (self, MIN (from_size - begin, 512) + 1);
  gsize at = pick (self, self->size + 1);

  if (pick (self, 2) == 0)
    take_out (self, at, MIN (n, self->size - at));
  if (n > 0)
    put_in (self, at, from + begin, n);
}

/* Something from one place to another. */
static void
move (Mutation *self)
{
  gsize at = pick (self, self->size);
  gsize n = pick_length (self, at, 64);
  g_autofree uint8_t *part = g_malloc (n + 1);

  memcpy (part, self->data + at, n);
  take_out (self, at, n);
  put_in (self, pick (self, self->size + 1), part, n);
}

static void (*const changes[]) (Mutation *) = { flip_bit, change_number, change_digits, leave_out,
                                                repeat,   put_noise,     put_other,     move };

/* Changes @data of @size bytes in place, to @max_size at the most; returns the new size. @corpus
 * has other inputs (GBytes), at least one. */
gsize
mutate_bytes (uint8_t *data, gsize size, gsize max_size, GPtrArray *corpus, GRand *random)
{
  Mutation self = { data, size, max_size, corpus, random };

  for (gsize n = pick (&self, MOST_CHANGES) + 1; n > 0; n--)
    changes[pick (&self, G_N_ELEMENTS (changes))](&self);

  return self.size;
}
