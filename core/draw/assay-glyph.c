/* assay-glyph.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "draw/assay-glyph.h"

#include "draw/assay-display-list.h"

#define NUMBERS(...) ((const double[]){ __VA_ARGS__ })
#define N_NUMBERS(...) (sizeof (NUMBERS (__VA_ARGS__)) / sizeof (double))
#define ROW(kind, width, ...) { kind, width, N_NUMBERS (__VA_ARGS__), NUMBERS (__VA_ARGS__) },

/* A stroke without numbers opens the next glyph, so that the rows can be read in one pass. */
static const AssayStroke strokes[] = {
#define GLYPH(id, name) { ASSAY_STROKE_LINE, 0, 0, NULL },
#define LINE(width, ...) ROW (ASSAY_STROKE_LINE, width, __VA_ARGS__)
#define LOOP(width, ...) ROW (ASSAY_STROKE_LOOP, width, __VA_ARGS__)
#define FILL(...) ROW (ASSAY_STROKE_FILL, 0, __VA_ARGS__)
#define RING(width, ...) ROW (ASSAY_STROKE_RING, width, __VA_ARGS__)
#include "draw/glyphs.def"
#undef GLYPH
#undef LINE
#undef LOOP
#undef FILL
#undef RING
};

static const char *const names[ASSAY_N_GLYPHS] = {
#define GLYPH(id, name) name,
#define LINE(...)
#define LOOP(...)
#define FILL(...)
#define RING(...)
#include "draw/glyphs.def"
#undef GLYPH
#undef LINE
#undef LOOP
#undef FILL
#undef RING
};

static const AssayVerdictLook looks[ASSAY_N_VERDICTS] = {
#define LOOK(id, tab, border, style, weight)                                                       \
  [ASSAY_VERDICT_##id] = {                                                                         \
    ASSAY_GLYPH_##id, ASSAY_ROLE_GLYPH_##id, ASSAY_ROLE_##tab, ASSAY_ROLE_##border, style, weight  \
  },
#define ASSAY_ROLE_GLYPH_TRANSFORMED ASSAY_ROLE_GLYPH_SUPPORTED
  LOOK (REJECTED, TAB_REJECTED, BORDER_REJECTED, ASSAY_LINE_SOLID, 3)
      LOOK (HOST, TAB_HOST, BORDER_HOST, ASSAY_LINE_DASHED, 2)
          LOOK (UNDECIDED, TAB_UNDECIDED, BORDER_UNDECIDED, ASSAY_LINE_DOTTED, 2)
              LOOK (FUSED, TAB_FUSED, BOX_BORDER, ASSAY_LINE_SOLID, 1)
                  LOOK (TRANSFORMED, TAB_SUPPORTED, BOX_BORDER, ASSAY_LINE_SOLID, 1)
                      LOOK (REMOVED, VIEW_BG, BORDER_REMOVED, ASSAY_LINE_SHORT_DASHED, 1)
                          LOOK (SUPPORTED, TAB_SUPPORTED, BOX_BORDER, ASSAY_LINE_SOLID, 1)
#undef ASSAY_ROLE_GLYPH_TRANSFORMED
#undef LOOK
};

/**
 * assay_glyph_get_strokes:
 * @glyph: a glyph
 * @n: (out): the number of strokes
 *
 * Gets what a glyph is drawn with, on a grid of 16 x 16.
 *
 * Returns: (transfer none) (array length=n): the strokes
 */
const AssayStroke *
assay_glyph_get_strokes (AssayGlyph glyph, guint *n)
{
  guint i = 0;
  guint begin;

  g_return_val_if_fail (glyph < ASSAY_N_GLYPHS, NULL);

  for (guint opened = 0; opened <= glyph; i++)
    opened += strokes[i].n == 0 ? 1 : 0;

  begin = i;
  while (i < G_N_ELEMENTS (strokes) && strokes[i].n != 0)
    i++;

  *n = i - begin;

  return &strokes[begin];
}

/**
 * assay_glyph_get_name:
 * @glyph: a glyph
 *
 * Gets the name of a glyph, for ids and class names in files.
 *
 * Returns: (transfer none): the name
 */
const char *
assay_glyph_get_name (AssayGlyph glyph)
{
  g_return_val_if_fail (glyph < ASSAY_N_GLYPHS, NULL);

  return names[glyph];
}

/**
 * assay_verdict_get_look:
 * @verdict: a verdict
 *
 * Gets how nodes of a verdict are drawn.
 *
 * Returns: (transfer none): glyph, colours and frame
 */
const AssayVerdictLook *
assay_verdict_get_look (AssayVerdictKind verdict)
{
  g_return_val_if_fail (verdict < ASSAY_N_VERDICTS, NULL);

  return &looks[verdict];
}
