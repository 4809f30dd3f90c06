/* assay-dpu-kernels.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The engines of the device over whole feature maps, channels last.
 */
#include "backend/dpu/machine/assay-dpu-kernels.h"

#include <math.h>
#include <string.h>

/* Rows of a product that are gathered at a time. */
#define TILE 48
/* Bytes that are copied at once. */
#define UNIT 16

#define LEVEL(symbol, test) extern const AssayDpuLevel symbol;
#include "backend/dpu/machine/assay-dpu-levels.def"
#undef LEVEL

/**
 * assay_dpu_level_get:
 * @index: 0 for the slowest, counting up
 *
 * Gets the loops of a level that this processor can run.
 *
 * Returns: (transfer none) (nullable): the loops, %NULL past the last
 */
const AssayDpuLevel *
assay_dpu_level_get (guint index)
{
  guint n = 0;

#define LEVEL(symbol, test)                                                                        \
  if ((test) && n++ == index)                                                                      \
    return &symbol;
#include "backend/dpu/machine/assay-dpu-levels.def"
#undef LEVEL

  return NULL;
}

/**
 * assay_dpu_level_get_default:
 *
 * Gets the fastest loops that this processor can run.
 *
 * Returns: (transfer none): the loops
 */
const AssayDpuLevel *
assay_dpu_level_get_default (void)
{
  const AssayDpuLevel *best = NULL;

  for (guint i = 0; assay_dpu_level_get (i) != NULL; i++)
    best = assay_dpu_level_get (i);

  return best;
}

/**
 * assay_dpu_filled:
 * @n: a number of things
 * @unit: how many stand together
 *
 * Fills up to whole units.
 *
 * Returns: the next multiple
 */
gsize
assay_dpu_filled (gsize n, guint unit)
{
  return (n + unit - 1) / unit * unit;
}

/**
 * assay_dpu_pack:
 * @level: whose product reads them
 * @weights: (array): a row of @k per output
 * @n: outputs
 * @k: inputs
 * @column_sums: (out caller-allocates): per output, filled up, the sum of its weights
 *
 * Lays weights out as the product of a level reads them.
 *
 * Returns: (transfer full): the packed weights
 */
gint8 *
assay_dpu_pack (const AssayDpuLevel *level, const gint8 *weights, guint n, guint k,
                gint32 *column_sums)
{
  gsize steps = assay_dpu_filled (k, level->step) / level->step;
  gsize outputs = assay_dpu_filled (n, level->lanes);
  gint8 *packed = g_malloc0 (MAX (steps * level->step * outputs, 1));

  memset (column_sums, 0, outputs * sizeof *column_sums);
  for (gsize i = 0; i < n; i++)
    {
      gint8 *group = packed + i / level->lanes * steps * level->step * level->lanes +
                     i % level->lanes * level->step;

      for (gsize j = 0; j < k; j++)
        {
          gint8 weight = weights[i * k + j];

          group[j / level->step * level->step * level->lanes + j % level->step] = weight;
          column_sums[i] += weight;
        }
    }

  return packed;
}

/**
 * assay_dpu_average_factor:
 * @height: rows of the window
 * @width: columns of it
 *
 * Finds what the device multiplies with instead of dividing by the size of a window.
 *
 * Returns: the factor
 */
AssayDpuFactor
assay_dpu_average_factor (guint height, guint width)
{
  static const struct
  {
    guint size[2];
    AssayDpuFactor factor;
  } known[] = {
    { { 3, 3 }, { 7, 6 } },   { { 5, 5 }, { 10, 8 } },    { { 6, 6 }, { 7, 8 } },
    { { 7, 7 }, { 21, 10 } }, { { 14, 14 }, { 21, 12 } },
  };
  double n = (double) height * (double) width;
  double best = INFINITY;
  AssayDpuFactor found = { 1, 0 };

  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (known[i].size[0] == height && known[i].size[1] == width)
      return known[i].factor;

  for (int shift = 0; shift < (int) ceil (log2 (128.0 * n)); shift++)
    {
      double factor = round (ldexp (1.0, shift) / n);
      double error = fabs (factor / ldexp (1.0, shift) - 1.0 / n);

      if (error < best)
        {
          best = error;
          found = (AssayDpuFactor){ (guint32) factor, shift };
        }
    }

  return found;
}

/* Rounding keeps the order of numbers, so that bounds that are whole may be kept afterwards. */
static inline gint8
bound (gint64 rounded, AssayDpuActivation activation, int cap)
{
  if (activation == ASSAY_DPU_RELU || activation == ASSAY_DPU_RELU6)
    rounded = MAX (rounded, 0);
  if (activation == ASSAY_DPU_RELU6)
    rounded = MIN (rounded, cap);

  return assay_dpu_saturate (rounded);
}

/* What an engine makes of number / 2^shift: slopes are taken before it is rounded. */
static inline gint8
finish (gint64 number, int shift, AssayDpuActivation activation, int cap)
{
  if (number < 0 && activation == ASSAY_DPU_LEAKY)
    {
      number *= 26;
      shift += 8;
    }

  return bound (assay_dpu_shift (number, shift), activation, cap);
}

/**
 * assay_dpu_finish_one:
 * @self: how sums become results
 * @sum: a sum of products
 * @channel: its output channel
 *
 * Makes one result.
 *
 * Returns: the result
 */
gint8
assay_dpu_finish_one (const AssayDpuFinish *self, gint32 sum, guint channel)
{
  gint64 value = (gint64) sum * 2 * ((gint64) 1 << self->up);
  int shift = self->shift;

  if (self->bias != NULL)
    value += self->bias[channel];
  if (value < 0 && self->activation == ASSAY_DPU_PRELU)
    {
      value *= self->slopes[channel];
      shift += self->slope_shift;
    }

  return finish (value, shift, self->activation, self->cap);
}

static gint8
simulate_one (const AssayDpuFinish *self, gint32 sum, guint channel)
{
  double value = ((double) sum + self->exact_bias[channel]) * self->scale;

  if (self->activation == ASSAY_DPU_RELU || self->activation == ASSAY_DPU_RELU6)
    value = MAX (value, 0);
  if (self->activation == ASSAY_DPU_RELU6)
    value = MIN (value, self->six);
  if (self->activation == ASSAY_DPU_LEAKY && value < 0)
    value *= 26.0 / 256.0;
  if (self->activation == ASSAY_DPU_PRELU && value < 0)
    value *= ldexp ((double) self->slopes[channel], -self->slope_shift);

  return (gint8) self->simulate (CLAMP (value, -128.0, 127.0));
}

/* What is left of a number by an activation that only bounds it. */
static void
get_bounds (AssayDpuActivation activation, int cap, gint32 *low, gint32 *high)
{
  *low = activation == ASSAY_DPU_LINEAR ? -128 : 0;
  *high = activation == ASSAY_DPU_RELU6 ? MIN (cap, 127) : 127;
}

/* Whether the loops of a level can make results of sums. */
static gboolean
is_narrow (const AssayDpuFinish *self)
{
  return self->simulate == NULL && self->narrow && self->shift > 0 && self->up == 0 &&
         self->activation <= ASSAY_DPU_RELU6;
}

/**
 * assay_dpu_finish:
 * @level: the instruction set
 * @self: how sums become results
 * @sums: the sums
 * @stride: from row to row of them
 * @m: number of rows
 * @n: output channels
 * @results: (out caller-allocates): rows of @n results
 *
 * Makes results of sums.
 */
void
assay_dpu_finish (const AssayDpuLevel *level, const AssayDpuFinish *self, const gint32 *sums,
                  gsize stride, guint m, guint n, gint8 *results)
{
  gint32 low, high;

  if (self->simulate != NULL)
    {
      for (guint i = 0; i < m; i++)
        for (guint j = 0; j < n; j++)
          results[(gsize) i * n + j] = simulate_one (self, sums[i * stride + j], j);
      return;
    }
  if (is_narrow (self))
    {
      get_bounds (self->activation, self->cap, &low, &high);
      for (guint i = 0; i < m; i++)
        level->finish (sums + i * stride, self->bias, n, self->shift, low, high,
                       results + (gsize) i * n);
      return;
    }

  for (guint i = 0; i < m; i++)
    for (guint j = 0; j < n; j++)
      results[(gsize) i * n + j] = assay_dpu_finish_one (self, sums[i * stride + j], j);
}

/* Copies in whole units if it may: what is behind the end is written afterwards. */
static inline void
copy (gint8 *to, const gint8 *from, gsize n, const gint8 *end)
{
  if (n > 4 * UNIT || (gsize) (end - from) < assay_dpu_filled (n, UNIT))
    memcpy (to, from, n);
  else
    for (gsize i = 0; i < n; i += UNIT)
      memcpy (to + i, from + i, UNIT);
}

/* One row of a product: what lies under the window, zeros where nothing does. Writes up to a unit
 * more. */
static void
gather (const AssayDpuWindow *window, const gint8 *image, guint y, guint x, gsize k, gsize filled,
        gint8 *row)
{
  const gint8 *image_end = image + (gsize) window->h * window->w * window->c;
  gsize bytes = window->c;

  gint64 first = (gint64) x * window->sw - window->left;
  gsize before = (gsize) CLAMP (-first, 0, (gint64) window->kw) * bytes;
  gsize end = (gsize) CLAMP ((gint64) window->w - first, 0, (gint64) window->kw) * bytes;

  for (guint i = 0; i < window->kh; i++)
    {
      gint64 iy = (gint64) y * window->sh + (gint64) i * window->dh - window->top;

      /* What lies beside each other is copied at once. */
      if (window->dw == 1 && iy >= 0 && iy < window->h && end > before)
        {
          if (before > 0)
            memset (row, 0, before);
          copy (row + before, image + ((gsize) iy * window->w + (gsize) MAX (first, 0)) * bytes,
                end - before, image_end);
          if (end < window->kw * bytes)
            memset (row + end, 0, window->kw * bytes - end);
          row += window->kw * bytes;
          continue;
        }
      for (guint j = 0; j < window->kw; j++, row += bytes)
        {
          gint64 ix = (gint64) x * window->sw + (gint64) j * window->dw - window->left;

          if (iy < 0 || iy >= window->h || ix < 0 || ix >= window->w)
            memset (row, 0, bytes);
          else
            memcpy (row, image + ((gsize) iy * window->w + (gsize) ix) * bytes, bytes);
        }
    }
  for (gsize i = 0; i < filled - k; i++)
    row[i] = 0;
}

/**
 * assay_dpu_conv:
 * @level: the instruction set
 * @window: how it goes over the map
 * @in: the map
 * @packed: the weights, packed for @level: [outputs][rows of the window][columns][channels]
 * @column_sums: their sums
 * @finish: what becomes of the sums
 * @out: (out caller-allocates): the result
 *
 * Convolves.
 */
void
assay_dpu_conv (const AssayDpuLevel *level, const AssayDpuWindow *window, const gint8 *in,
                const gint8 *packed, const gint32 *column_sums, const AssayDpuFinish *finish,
                gint8 *out)
{
  gsize k = (gsize) window->kh * window->kw * window->c;
  gsize filled = assay_dpu_filled (k, level->step);
  gsize columns = assay_dpu_filled (window->oc, level->lanes);
  gsize pixels = (gsize) window->oh * window->ow;
  gboolean direct = window->kh == 1 && window->kw == 1 && window->sh == 1 && window->sw == 1 &&
                    window->top == 0 && window->left == 0 && window->oh == window->h &&
                    window->ow == window->w && filled == k;
  g_autofree gint8 *rows = direct ? NULL : g_malloc (TILE * filled + UNIT);
  g_autofree gint32 *sums = g_new (gint32, TILE * columns);

  for (guint image = 0; image < window->n; image++)
    {
      const gint8 *from = in + (gsize) image * window->h * window->w * window->c;

      for (gsize begin = 0; begin < pixels; begin += TILE)
        {
          guint m = (guint) MIN (TILE, pixels - begin);

          for (guint i = 0; !direct && i < m; i++)
            gather (window, from, (guint) ((begin + i) / window->ow),
                    (guint) ((begin + i) % window->ow), k, filled, rows + i * filled);
          level->gemm (direct ? from + begin * k : rows, filled, m, packed, column_sums,
                       (guint) filled, (guint) columns, sums);
          assay_dpu_finish (level, finish, sums, columns, m, window->oc,
                            out + (image * pixels + begin) * window->oc);
        }
    }
}

/**
 * assay_dpu_depthwise:
 * @level: the instruction set
 * @window: how it goes over the map; output channels are a multiple of the channels
 * @in: the map
 * @weights: [rows of the window][columns][output channels]
 * @finish: what becomes of the sums
 * @out: (out caller-allocates): the result
 *
 * Convolves each channel for itself.
 */
void
assay_dpu_depthwise (const AssayDpuLevel *level, const AssayDpuWindow *window, const gint8 *in,
                     const gint8 *weights, const AssayDpuFinish *finish, gint8 *out)
{
  g_autofree gint32 *sums = NULL;
  guint times = window->oc / window->c;
  gint32 low, high;

  if (is_narrow (finish) && times == 1 && (gsize) window->kh * window->kw <= ASSAY_DPU_MAX_TAPS)
    {
      get_bounds (finish->activation, finish->cap, &low, &high);
      level->channels (window, in, weights, finish->bias, finish->shift, low, high, out);
      return;
    }
  sums = g_new (gint32, window->oc);
  for (guint image = 0; image < window->n; image++, in += (gsize) window->h * window->w * window->c)
    for (guint y = 0; y < window->oh; y++)
      for (guint x = 0; x < window->ow; x++, out += window->oc)
        {
          memset (sums, 0, window->oc * sizeof *sums);
          for (guint i = 0; i < window->kh; i++)
            {
              gint64 iy = (gint64) y * window->sh + (gint64) i * window->dh - window->top;

              for (guint j = 0; j < window->kw && iy >= 0 && iy < window->h; j++)
                {
                  gint64 ix = (gint64) x * window->sw + (gint64) j * window->dw - window->left;
                  const gint8 *w = weights + ((gsize) i * window->kw + j) * window->oc;
                  const gint8 *from;

                  if (ix < 0 || ix >= window->w)
                    continue;
                  from = in + ((gsize) iy * window->w + (gsize) ix) * window->c;
                  if (times == 1)
                    level->accumulate (sums, from, w, window->oc);
                  else
                    for (guint c = 0; c < window->oc; c++)
                      sums[c] += from[c / times] * w[c];
                }
            }
          assay_dpu_finish (level, finish, sums, window->oc, 1, window->oc, out);
        }
}

/**
 * assay_dpu_max_pool:
 * @level: the instruction set
 * @window: how it goes over the map
 * @in: the map
 * @shift: position of the result less that of the map
 * @out: (out caller-allocates): the result
 *
 * Takes the largest element under each window; padding counts for nothing.
 */
void
assay_dpu_max_pool (const AssayDpuLevel *level, const AssayDpuWindow *window, const gint8 *in,
                    int shift, gint8 *out)
{
  for (guint image = 0; image < window->n; image++, in += (gsize) window->h * window->w * window->c)
    for (guint y = 0; y < window->oh; y++)
      for (guint x = 0; x < window->ow; x++, out += window->c)
        {
          memset (out, -128, window->c);
          for (guint i = 0; i < window->kh; i++)
            {
              gint64 iy = (gint64) y * window->sh + (gint64) i * window->dh - window->top;

              for (guint j = 0; j < window->kw && iy >= 0 && iy < window->h; j++)
                {
                  gint64 ix = (gint64) x * window->sw + (gint64) j * window->dw - window->left;

                  if (ix >= 0 && ix < window->w)
                    level->largest (out, in + ((gsize) iy * window->w + (gsize) ix) * window->c,
                                    window->c);
                }
            }
          for (guint c = 0; c < window->c && shift != 0; c++)
            out[c] = assay_dpu_saturate (assay_dpu_shift (out[c], -shift));
        }
}

/**
 * assay_dpu_average_pool:
 * @window: how it goes over the map
 * @in: the map
 * @factor: what stands for the division
 * @shift: position of the result less that of the map
 * @out: (out caller-allocates): the result
 *
 * Adds up what is under each window and multiplies the sum, in single precision as the device does.
 */
void
assay_dpu_average_pool (const AssayDpuWindow *window, const gint8 *in, AssayDpuFactor factor,
                        int shift, gint8 *out)
{
  g_autofree gint32 *sums = g_new (gint32, window->c);
  float scale = (float) ldexp ((double) factor.factor, -factor.shift);
  float position = (float) ldexp (1.0, shift);

  for (guint image = 0; image < window->n; image++, in += (gsize) window->h * window->w * window->c)
    for (guint y = 0; y < window->oh; y++)
      for (guint x = 0; x < window->ow; x++, out += window->c)
        {
          memset (sums, 0, window->c * sizeof *sums);
          for (guint i = 0; i < window->kh; i++)
            {
              gint64 iy = (gint64) y * window->sh + (gint64) i * window->dh - window->top;

              for (guint j = 0; j < window->kw && iy >= 0 && iy < window->h; j++)
                {
                  gint64 ix = (gint64) x * window->sw + (gint64) j * window->dw - window->left;
                  const gint8 *from = in + ((gsize) iy * window->w + (gsize) ix) * window->c;

                  for (guint c = 0; c < window->c && ix >= 0 && ix < window->w; c++)
                    sums[c] += from[c];
                }
            }
          for (guint c = 0; c < window->c; c++)
            {
              float value = (float) sums[c] * scale * position;

              out[c] = (gint8) floor ((double) CLAMP (value, -128.0f, 127.0f) + 0.5);
            }
        }
}

/**
 * assay_dpu_add:
 * @level: the instruction set
 * @in: (array length=n_in): what is added
 * @read: (array length=n_in): position of each less the smallest among them
 * @n_in: how many
 * @n: elements of each
 * @write: the smallest position less that of the result
 * @activation: what is done with the sum
 * @cap: of ReLU6 the most that is left
 * @out: (out caller-allocates): the sum
 *
 * Adds: each operand keeps two bits below the smallest position, and what is below is cut off.
 */
void
assay_dpu_add (const AssayDpuLevel *level, const gint8 *const *in, const int *read, guint n_in,
               gsize n, int write, AssayDpuActivation activation, int cap, gint8 *out)
{
  gint32 low, high;

  if (n_in == 2 && write >= -1 && write < 24 && activation <= ASSAY_DPU_RELU6)
    {
      get_bounds (activation, cap, &low, &high);
      level->sum (in[0], in[1], MIN (read[0], 31), MIN (read[1], 31), n, write + 2, low, high, out);
      return;
    }
  for (gsize i = 0; i < n; i++)
    {
      gint64 sum = 0;

      for (guint j = 0; j < n_in; j++)
        sum += assay_dpu_floor (4 * in[j][i], read[j]);
      out[i] = finish (sum, write + 2, activation, cap);
    }
}

/**
 * assay_dpu_multiply:
 * @level: the instruction set
 * @a: (array length=n): a factor
 * @b: (array length=n): the other
 * @n: elements of each
 * @shift: sum of their positions less that of the result
 * @activation: what is done with the product
 * @cap: of ReLU6 the most that is left
 * @out: (out caller-allocates): the product
 *
 * Multiplies element by element.
 */
void
assay_dpu_multiply (const AssayDpuLevel *level, const gint8 *a, const gint8 *b, gsize n, int shift,
                    AssayDpuActivation activation, int cap, gint8 *out)
{
  gint32 low, high;

  if (shift < 24 && activation <= ASSAY_DPU_RELU6)
    {
      get_bounds (activation, cap, &low, &high);
      level->product (a, b, n, shift, low, high, out);
      return;
    }
  for (gsize i = 0; i < n; i++)
    out[i] = finish ((gint64) a[i] * b[i], shift, activation, cap);
}

/**
 * assay_dpu_move:
 * @in: (array length=n_in): what is moved
 * @table: (array length=n): where each element of the result comes from, counted through all of
 * them; -1 for a zero
 * @shifts: (array length=n_in): position of the result less that of each
 * @begins: (array length=n_in): where each begins in that count
 * @n_in: how many
 * @n: elements of the result
 * @out: (out caller-allocates): the result
 *
 * Moves elements, between positions where they differ.
 */
void
assay_dpu_move (const gint8 *const *in, const gint32 *table, const int *shifts,
                const guint32 *begins, guint n_in, gsize n, gint8 *out)
{
  guint source = 0;

  for (gsize i = 0; i < n; i++)
    {
      guint32 from;

      if (table[i] < 0)
        {
          out[i] = 0;
          continue;
        }
      from = (guint32) table[i];
      while (from < begins[source])
        source--;
      while (source + 1 < n_in && from >= begins[source + 1])
        source++;
      out[i] = in[source][from - begins[source]];
      if (shifts[source] != 0)
        out[i] = assay_dpu_saturate (assay_dpu_shift (out[i], -shifts[source]));
    }
}

/**
 * assay_dpu_move_runs:
 * @table: (array length=n): as of assay_dpu_move()
 * @begins: (array length=n_in): the same
 * @n_in: how many maps are moved
 * @n: elements of the result
 *
 * Finds what stays beside each other, and what is repeated.
 *
 * Returns: (transfer full) (element-type AssayDpuRun): runs, which have all elements in their order
 */
GArray *
assay_dpu_move_runs (const gint32 *table, const guint32 *begins, guint n_in, gsize n)
{
  GArray *runs = g_array_new (FALSE, FALSE, sizeof (AssayDpuRun));
  AssayDpuRun run = { 0 };

  for (gsize i = 0; i < n; i++)
    {
      guint source = 0;
      gint64 from = -1;
      gboolean same;

      while (table[i] >= 0 && source + 1 < n_in && (guint32) table[i] >= begins[source + 1])
        source++;
      if (table[i] >= 0)
        from = (gint64) table[i] - begins[source];
      same = from == run.from;
      if (run.n > 0 && source == run.source &&
          ((same && (run.same || run.n == 1)) ||
           (!run.same && from > 0 && from == run.from + (gint64) run.n)))
        {
          run.same = same;
          run.n++;
          continue;
        }
      if (run.n > 0)
        g_array_append_val (runs, run);
      run = (AssayDpuRun){ source, from, 1, FALSE };
    }
  if (run.n > 0)
    g_array_append_val (runs, run);

  return runs;
}

/**
 * assay_dpu_move_all:
 * @in: (array): what is moved
 * @runs: (element-type AssayDpuRun): what assay_dpu_move_runs() found
 * @shifts: (array): position of the result less that of each
 * @out: (out caller-allocates): the result
 *
 * Does what assay_dpu_move() does, faster where much stays beside each other.
 */
void
assay_dpu_move_all (const gint8 *const *in, const GArray *runs, const int *shifts, gint8 *out)
{
  for (guint i = 0; i < runs->len; i++)
    {
      const AssayDpuRun *run = &g_array_index (runs, AssayDpuRun, i);
      const gint8 *from = in[run->source] + MAX (run->from, 0);
      int shift = run->from >= 0 ? shifts[run->source] : 0;
      gint8 number = run->from >= 0 ? *from : 0;

      if (run->same || run->from < 0)
        memset (out, assay_dpu_saturate (assay_dpu_shift (number, -shift)), run->n);
      else if (shift == 0)
        memcpy (out, from, run->n);
      else
        for (gsize j = 0; j < run->n; j++)
          out[j] = assay_dpu_saturate (assay_dpu_shift (from[j], -shift));
      out += run->n;
    }
}

/**
 * assay_dpu_activate:
 * @in: (array length=n): a map
 * @n: its elements
 * @channels: how many take turns
 * @finish: the activation, and the position of the map less that of the result plus one
 * @out: (out caller-allocates): the result
 *
 * Applies an activation that stands alone, as a convolution by one would.
 */
void
assay_dpu_activate (const gint8 *in, gsize n, guint channels, const AssayDpuFinish *finish,
                    gint8 *out)
{
  gint8 table[256];

  if (finish->activation == ASSAY_DPU_PRELU || finish->bias != NULL || n < G_N_ELEMENTS (table))
    {
      for (gsize i = 0; i < n; i++)
        out[i] = assay_dpu_finish_one (finish, in[i], (guint) (i % channels));
      return;
    }
  for (int i = -128; i < 128; i++)
    table[i + 128] = assay_dpu_finish_one (finish, i, 0);
  assay_dpu_look_up (in, n, table, out);
}

/**
 * assay_dpu_look_up:
 * @in: (array length=n): a map
 * @n: its elements
 * @table: (array fixed-size=256): what becomes of each number, from -128
 * @out: (out caller-allocates) (array length=n): the result
 *
 * Does to every element what was worked out for each number.
 */
void
assay_dpu_look_up (const gint8 *in, gsize n, const gint8 *table, gint8 *out)
{
  for (gsize i = 0; i < n; i++)
    out[i] = table[in[i] + 128];
}

/**
 * assay_dpu_arg_max:
 * @in: (array): a map
 * @n: number of pixels
 * @channels: of each, at most 128
 * @out: (out caller-allocates): a channel per pixel
 *
 * Finds the channel with the largest element, the first of several.
 */
void
assay_dpu_arg_max (const gint8 *in, gsize n, guint channels, gint8 *out)
{
  for (gsize i = 0; i < n; i++, in += channels)
    {
      guint best = 0;

      for (guint c = 1; c < channels; c++)
        if (in[c] > in[best])
          best = c;
      out[i] = (gint8) best;
    }
}

static float
source_of (guint index, guint in, guint out, gboolean half_pixel)
{
  float scale = (float) in / (float) out;
  float at = half_pixel ? ((float) index + 0.5f) * scale - 0.5f : (float) index * scale;

  return CLAMP (at, 0.0f, (float) (in - 1));
}

/**
 * assay_dpu_resize:
 * @window: the extents
 * @in: the map
 * @half_pixel: whether elements are centred
 * @shift: position of the result less that of the map
 * @out: (out caller-allocates): the result
 *
 * Interpolates between neighbours in single precision.
 */
void
assay_dpu_resize (const AssayDpuWindow *window, const gint8 *in, gboolean half_pixel, int shift,
                  gint8 *out)
{
  float position = (float) ldexp (1.0, shift);

  for (guint image = 0; image < window->n; image++, in += (gsize) window->h * window->w * window->c)
    for (guint y = 0; y < window->oh; y++)
      {
        float at_y = source_of (y, window->h, window->oh, half_pixel);
        gsize y0 = (gsize) at_y, y1 = MIN (y0 + 1, window->h - 1);
        float fy = at_y - (float) y0;

        for (guint x = 0; x < window->ow; x++, out += window->c)
          {
            float at_x = source_of (x, window->w, window->ow, half_pixel);
            gsize x0 = (gsize) at_x, x1 = MIN (x0 + 1, window->w - 1);
            float fx = at_x - (float) x0;

            for (guint c = 0; c < window->c; c++)
              {
                float a = (float) in[(y0 * window->w + x0) * window->c + c];
                float b = (float) in[(y0 * window->w + x1) * window->c + c];
                float d = (float) in[(y1 * window->w + x0) * window->c + c];
                float e = (float) in[(y1 * window->w + x1) * window->c + c];
                float upper = a * (1.0f - fx) + b * fx;
                float lower = d * (1.0f - fx) + e * fx;
                float value = (upper * (1.0f - fy) + lower * fy) * position;

                out[c] = (gint8) floor ((double) CLAMP (value, -128.0f, 127.0f) + 0.5);
              }
          }
      }
}
