/* assay-graph-pages.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * A graph on pages: A3 sheets that overlap, with marks where they do, and before them a map of the
 * sheets.
 */
#include "report/picture/assay-graph-picture-private.h"

#include <math.h>

#include "base/assay-error.h"
#include "base/assay-sentence.h"
#include "report/picture/assay-cairo.h"

#include "report/picture/assay-cairo-functions.h"

/* Points. A unit is a pixel at 96 dpi, so that fonts have the size they are named by. */
#define SHORT_SIDE 841.89
#define LONG_SIDE 1190.55
#define BORDER 42.0
#define UNIT 0.75

/* What two neighbours have in common, in units: 12 mm. */
#define OVERLAP 45.0

#define TICK 14.0
#define ROW 20.0

/* The most that a small picture is enlarged to fill a sheet. */
#define MAX_SCALE 1.5

typedef struct
{
  guint column;
  guint row;
  double x;
  double y;
} Page;

typedef struct
{
  const AssayGraphPicture *picture;
  cairo_t *cr;
  double paper_width;
  double paper_height;
  double scale; /* points per unit */
  double width; /* of the graph on a sheet, in units */
  double height;
  guint n_columns;
  guint n_rows;
  double left; /* of the first sheet */
  GArray *pages;
  guint32 *number; /* per place of the grid its page, from 1; 0 where nothing is drawn */
} Pages;

static guint
count_steps (double total, double page)
{
  return total <= page ? 1 : (guint) ceil ((total - OVERLAP) / (page - OVERLAP));
}

/* Upright or across, whichever needs fewer sheets. */
static void
choose_paper (Pages *self)
{
  const AssayGraphPicture *picture = self->picture;
  guint best = G_MAXUINT;

  for (guint across = 0; across < 2; across++)
    {
      double paper_width = across ? LONG_SIDE : SHORT_SIDE;
      double paper_height = across ? SHORT_SIDE : LONG_SIDE;
      double width = (paper_width - 2 * BORDER) / UNIT;
      double height = (paper_height - 2 * BORDER - 2 * ROW) / UNIT;
      guint columns = count_steps (picture->width, width);
      guint rows = count_steps (picture->height, height);

      if (columns * rows >= best)
        continue;
      best = columns * rows;
      self->paper_width = paper_width;
      self->paper_height = paper_height;
      self->width = width;
      self->height = height;
      self->n_columns = columns;
      self->n_rows = rows;
    }
  self->scale = UNIT;
}

static gboolean
is_empty (const Pages *self, const Page *page)
{
  const AssayView *view = self->picture->view;
  g_autoptr (AssayDisplayList) list = assay_display_list_new ();
  AssaySceneLook look = { .detail = ASSAY_DETAIL_GLYPH, .scale = 1, .all_frames = TRUE };
  double right = page->x + self->width;
  double bottom = page->y + self->height;

  assay_scene_draw_frames (view, &look, page->x, page->y, right, bottom, list);
  assay_scene_draw (view, &look, page->x - ASSAY_SCENE_REACH_X, page->y - ASSAY_SCENE_REACH_Y,
                    right, bottom, list);
  for (guint i = 0; i < list->items->len; i++)
    {
      const AssayDrawItem *item = &g_array_index (list->items, AssayDrawItem, i);

      if (item->kind < ASSAY_DRAW_CLIP && item->x <= right && item->x + item->width >= page->x &&
          item->y <= bottom && item->y + item->height >= page->y)
        return FALSE;
    }

  return TRUE;
}

static void
list_pages (Pages *self)
{
  /* A thread of a graph stands in the middle of its sheets. */
  self->left = self->picture->x -
               (self->n_columns == 1 ? MAX (0, (self->width - self->picture->width) / 2) : 0);
  self->pages = g_array_new (FALSE, FALSE, sizeof (Page));
  self->number = g_new0 (guint32, (gsize) self->n_columns * self->n_rows);

  for (guint row = 0; row < self->n_rows; row++)
    for (guint column = 0; column < self->n_columns; column++)
      {
        Page page = { column, row, self->left + column * (self->width - OVERLAP),
                      self->picture->y + row * (self->height - OVERLAP) };

        if (self->n_columns * self->n_rows > 1 && is_empty (self, &page))
          continue;
        g_array_append_val (self->pages, page);
        self->number[row * self->n_columns + column] = self->pages->len;
      }
}

static guint32
number_at (const Pages *self, int column, int row)
{
  if (column < 0 || row < 0 || column >= (int) self->n_columns || row >= (int) self->n_rows)
    return 0;

  return self->number[row * (int) self->n_columns + column];
}

static void
play (const Pages *self, const AssayDisplayList *list)
{
  assay_cairo_play (self->cr, list, self->picture->colors, self->picture->family);
}

/* Marks that stand where the neighbour begins, and the number of its page beside them. */
static void
add_neighbour (const Pages *self, AssayDisplayList *list, const Page *page, int dx, int dy)
{
  guint32 number = number_at (self, (int) page->column + dx, (int) page->row + dy);
  double left = BORDER;
  double top = BORDER + ROW;
  double right = left + self->width * self->scale;
  double bottom = top + self->height * self->scale;
  double in = OVERLAP * self->scale;
  double x = dx < 0 ? left + in : right - in;
  double y = dy < 0 ? top + in : bottom - in;
  g_autofree char *text = NULL;

  if (number == 0)
    return;

  text = g_strdup_printf (dx < 0 ? "◂ %u" : dx > 0 ? "%u ▸" : dy < 0 ? "▴ %u" : "▾ %u", number);
  if (dx != 0)
    {
      assay_display_list_line (list, ASSAY_ROLE_EDGE, ASSAY_LINE_SOLID, 0.75, x, top - TICK, x,
                               top - 2);
      assay_display_list_line (list, ASSAY_ROLE_EDGE, ASSAY_LINE_SOLID, 0.75, x, bottom + 2, x,
                               bottom + TICK);
      assay_display_list_text (list, ASSAY_ROLE_TEXT, ASSAY_FONT_SMALL, ASSAY_LABEL_CENTER,
                               dx < 0 ? 2 : right + 2, (top + bottom) / 2, BORDER - 4, ROW, text);
    }
  else
    {
      assay_display_list_line (list, ASSAY_ROLE_EDGE, ASSAY_LINE_SOLID, 0.75, left - TICK, y,
                               left - 2, y);
      assay_display_list_line (list, ASSAY_ROLE_EDGE, ASSAY_LINE_SOLID, 0.75, right + 2, y,
                               right + TICK, y);
      assay_display_list_text (list, ASSAY_ROLE_TEXT, ASSAY_FONT_SMALL, ASSAY_LABEL_CENTER,
                               (left + right) / 2 - 40, dy < 0 ? top - ROW + 2 : bottom, 80, ROW,
                               text);
    }
}

static void
draw_page (const Pages *self, guint index)
{
  const AssayGraphPicture *picture = self->picture;
  const Page *page = &g_array_index (self->pages, Page, index);
  g_autoptr (AssayDisplayList) graph = assay_display_list_new ();
  g_autoptr (AssayDisplayList) around = assay_display_list_new ();
  g_autofree char *number = g_strdup_printf ("page %u of %u, row %u, column %u", index + 1,
                                             self->pages->len, page->row + 1, page->column + 1);

  cairo_save (self->cr);
  cairo_translate (self->cr, BORDER, BORDER + ROW);
  cairo_scale (self->cr, self->scale, self->scale);
  cairo_translate (self->cr, -page->x, -page->y);
  assay_graph_picture_draw (picture, page->x, page->y, self->width, self->height, FALSE, graph);
  play (self, graph);
  cairo_restore (self->cr);

  assay_display_list_text (around, ASSAY_ROLE_TEXT, ASSAY_FONT_SMALL_BOLD, ASSAY_LABEL_PLAIN,
                           BORDER, BORDER - ROW + 2, self->paper_width - 2 * BORDER - 260, ROW,
                           picture->title);
  if (self->pages->len > 1)
    assay_display_list_text (around, ASSAY_ROLE_TEXT, ASSAY_FONT_SMALL, ASSAY_LABEL_RIGHT,
                             self->paper_width - BORDER - 250, BORDER - ROW + 2, 250, ROW, number);
  else
    assay_scene_draw_legend (picture->view, picture->overlay, BORDER,
                             self->paper_height - BORDER - ROW + 4, self->paper_width - 2 * BORDER,
                             around);
  for (int i = -1; i <= 1; i += 2)
    {
      add_neighbour (self, around, page, i, 0);
      add_neighbour (self, around, page, 0, i);
    }
  play (self, around);
  cairo_show_page (self->cr);
}

/* The graph small, folded into strips side by side so that the sheets are as large as they can be.
 */
static void
draw_map (const Pages *self)
{
  const AssayGraphPicture *picture = self->picture;
  g_autoptr (AssayDisplayList) around = assay_display_list_new ();
  g_autofree char *title = g_strdup_printf ("%s: map of %u page%s", picture->title,
                                            self->pages->len, assay_plural (self->pages->len));
  double room_width = self->paper_width - 2 * BORDER;
  double top = BORDER + ROW;
  double step_x = self->width - OVERLAP;
  double step_y = self->height - OVERLAP;
  double best = 0;
  double room_height;
  guint rows_per_strip = self->n_rows;

  assay_display_list_text (around, ASSAY_ROLE_TEXT, ASSAY_FONT_LARGE, ASSAY_LABEL_PLAIN, BORDER,
                           BORDER - ROW + 2, room_width, ROW, title);
  top += assay_scene_draw_legend (picture->view, picture->overlay, BORDER, BORDER + 6, room_width,
                                  around);
  room_height = self->paper_height - top - BORDER;

  for (guint strips = 1; strips <= self->n_rows; strips++)
    {
      guint rows = (self->n_rows + strips - 1) / strips;
      double scale = MIN (room_height / (rows * step_y + OVERLAP),
                          room_width /
                              (strips * (self->n_columns * step_x + OVERLAP + 0.3 * step_x)));

      if (scale > best)
        {
          best = scale;
          rows_per_strip = rows;
        }
    }

  play (self, around);
  for (guint first = 0; first < self->n_rows; first += rows_per_strip)
    {
      g_autoptr (AssayDisplayList) list = assay_display_list_new ();
      AssaySceneLook look = { .detail = ASSAY_DETAIL_BANDS,
                              .scale = best,
                              .filter = picture->filter };
      double y = picture->y + first * step_y;
      double height = MIN (rows_per_strip, self->n_rows - first) * step_y + OVERLAP;
      double width = self->n_columns * step_x + OVERLAP;
      double x = BORDER + first / rows_per_strip * (width + 0.3 * step_x) * best;

      cairo_save (self->cr);
      cairo_translate (self->cr, x, top);
      cairo_scale (self->cr, best, best);
      cairo_translate (self->cr, -self->left, -y);
      assay_display_list_clip (list, self->left, y, width, height);
      assay_scene_draw (picture->view, &look, self->left - ASSAY_SCENE_REACH_X,
                        y - ASSAY_SCENE_REACH_Y, self->left + width, y + height, list);
      assay_display_list_end (list);
      play (self, list);
      cairo_restore (self->cr);

      assay_display_list_clear (list);
      for (guint i = 0; i < self->pages->len; i++)
        {
          const Page *page = &g_array_index (self->pages, Page, i);
          g_autofree char *number = g_strdup_printf ("%u", i + 1);
          double page_x = x + (page->x - self->left) * best;
          double page_y = top + (page->y - y) * best;

          if (page->row < first || page->row >= first + rows_per_strip)
            continue;
          assay_display_list_box (list, -1, ASSAY_ROLE_ACCENT, ASSAY_LINE_SOLID, 0.75, 0, page_x,
                                  page_y, self->width * best, self->height * best);
          assay_display_list_text (
              list, ASSAY_ROLE_TEXT, self->height * best < 40 ? ASSAY_FONT_TINY : ASSAY_FONT_LARGE,
              ASSAY_LABEL_CENTER, page_x, page_y, self->width * best, self->height * best, number);
        }
      play (self, list);
    }
  cairo_show_page (self->cr);
}

/* What fits on one sheet fills it, as far as that is of use. */
static void
fill_sheet (Pages *self)
{
  const AssayGraphPicture *picture = self->picture;
  double scale = MIN (self->width / picture->width, self->height / picture->height);

  self->scale = UNIT * CLAMP (scale, 1, MAX_SCALE);
  self->width = picture->width;
  self->height = picture->height;
}

/* Writes a picture as PDF. */
GBytes *
assay_graph_picture_to_pdf (const AssayGraphPicture *self, const AssayProgress *progress,
                            GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  Pages pages = { .picture = self };
  cairo_surface_t *surface;
  cairo_status_t status;
  gboolean running = TRUE;

  choose_paper (&pages);
  if (pages.n_columns * pages.n_rows == 1)
    fill_sheet (&pages);
  list_pages (&pages);

  surface = cairo_pdf_surface_create_for_stream (assay_graph_picture_write, bytes,
                                                 pages.paper_width, pages.paper_height);
  cairo_pdf_surface_set_metadata (surface, CAIRO_PDF_METADATA_TITLE, self->title);
  cairo_pdf_surface_set_metadata (surface, CAIRO_PDF_METADATA_CREATOR, "Assay " ASSAY_VERSION);
  pages.cr = cairo_create (surface);
  if (pages.pages->len > 1)
    draw_map (&pages);
  for (guint i = 0; i < pages.pages->len && running; i++)
    {
      assay_progress_report (progress, (double) i / pages.pages->len, "Drawing pages");
      running = assay_progress_check (progress, error);
      if (running)
        draw_page (&pages, i);
    }
  status = cairo_status (pages.cr);
  cairo_destroy (pages.cr);
  cairo_surface_finish (surface);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_status (surface);
  cairo_surface_destroy (surface);
  g_array_unref (pages.pages);
  g_free (pages.number);

  if (!running)
    return NULL;
  if (status != CAIRO_STATUS_SUCCESS)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_SAVE, "the pages cannot be drawn: %s",
                   cairo_status_to_string (status));
      return NULL;
    }

  return g_byte_array_free_to_bytes (g_steal_pointer (&bytes));
}
