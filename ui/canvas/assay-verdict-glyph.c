/* assay-verdict-glyph.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/canvas/assay-verdict-glyph.h"

#include <math.h>

#include "draw/assay-glyph.h"
#include "ui/canvas/assay-painter.h"
#include "ui/canvas/assay-palette.h"

struct _AssayVerdictGlyph
{
  GtkWidget parent_instance;

  AssayVerdictKind verdict;
  AssayPalette palette;
  AssayPainter *painter;
};

G_DEFINE_FINAL_TYPE (AssayVerdictGlyph, assay_verdict_glyph, GTK_TYPE_WIDGET)

static void
assay_verdict_glyph_measure (GtkWidget *widget, GtkOrientation orientation, int for_size,
                             int *minimum, int *natural, int *minimum_baseline,
                             int *natural_baseline)
{
  AssayVerdictGlyph *self = ASSAY_VERDICT_GLYPH (widget);

  *minimum = *natural = (int) ceil (ASSAY_GLYPH_SIZE * self->palette.unit);
}

static void
assay_verdict_glyph_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  AssayVerdictGlyph *self = ASSAY_VERDICT_GLYPH (widget);
  double size = ASSAY_GLYPH_SIZE * self->palette.unit;
  const AssayVerdictLook *look;
  g_autoptr (AssayDisplayList) list = NULL;
  g_autoptr (GskRenderNode) node = NULL;

  if (self->verdict >= ASSAY_N_VERDICTS)
    return;

  look = assay_verdict_get_look (self->verdict);
  list = assay_display_list_new ();
  /* The octagon is light on a filled tab; without a tab it is filled itself. */
  if (self->verdict == ASSAY_VERDICT_REJECTED)
    assay_display_list_box (list, look->tab_role, look->tab_role, ASSAY_LINE_SOLID, 0, 4, 0, 0,
                            ASSAY_GLYPH_SIZE, ASSAY_GLYPH_SIZE);
  assay_display_list_glyph (list, look->glyph_role, look->glyph,
                            self->verdict == ASSAY_VERDICT_REJECTED ? 2 : 0,
                            self->verdict == ASSAY_VERDICT_REJECTED ? 2 : 0,
                            self->verdict == ASSAY_VERDICT_REJECTED ? 12 : 16);
  node = assay_painter_paint (self->painter, list, 0, 0);
  if (node == NULL)
    return;

  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (
      snapshot, &GRAPHENE_POINT_INIT ((float) ((gtk_widget_get_width (widget) - size) / 2),
                                      (float) ((gtk_widget_get_height (widget) - size) / 2)));
  gtk_snapshot_scale (snapshot, (float) self->palette.unit, (float) self->palette.unit);
  gtk_snapshot_append_node (snapshot, node);
  gtk_snapshot_restore (snapshot);
}

static void
assay_verdict_glyph_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  AssayVerdictGlyph *self = ASSAY_VERDICT_GLYPH (widget);

  GTK_WIDGET_CLASS (assay_verdict_glyph_parent_class)->css_changed (widget, change);

  if (assay_palette_load (&self->palette, widget))
    {
      assay_painter_set_palette (self->painter, &self->palette);
      gtk_widget_queue_resize (widget);
    }
}

static void
assay_verdict_glyph_dispose (GObject *object)
{
  AssayVerdictGlyph *self = ASSAY_VERDICT_GLYPH (object);

  g_clear_pointer (&self->painter, assay_painter_free);

  G_OBJECT_CLASS (assay_verdict_glyph_parent_class)->dispose (object);
}

static void
assay_verdict_glyph_class_init (AssayVerdictGlyphClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = assay_verdict_glyph_dispose;

  widget_class->measure = assay_verdict_glyph_measure;
  widget_class->snapshot = assay_verdict_glyph_snapshot;
  widget_class->css_changed = assay_verdict_glyph_css_changed;

  gtk_widget_class_set_css_name (widget_class, "verdictglyph");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_PRESENTATION);
}

static void
assay_verdict_glyph_init (AssayVerdictGlyph *self)
{
  self->verdict = ASSAY_N_VERDICTS;
  self->painter = assay_painter_new ();
  assay_palette_init_default (&self->palette, FALSE, FALSE);
  gtk_widget_set_valign (GTK_WIDGET (self), GTK_ALIGN_CENTER);
}

/**
 * assay_verdict_glyph_new:
 * @verdict: a verdict, or %ASSAY_N_VERDICTS for nothing
 *
 * Makes a widget that shows the glyph of a verdict.
 *
 * Returns: (transfer floating): the widget
 */
GtkWidget *
assay_verdict_glyph_new (AssayVerdictKind verdict)
{
  AssayVerdictGlyph *self = g_object_new (ASSAY_TYPE_VERDICT_GLYPH, NULL);

  assay_verdict_glyph_set_verdict (self, verdict);
  return GTK_WIDGET (self);
}

/**
 * assay_verdict_glyph_set_verdict:
 * @self: a glyph
 * @verdict: a verdict, or %ASSAY_N_VERDICTS for nothing
 *
 * Shows another verdict.
 */
void
assay_verdict_glyph_set_verdict (AssayVerdictGlyph *self, AssayVerdictKind verdict)
{
  g_return_if_fail (ASSAY_IS_VERDICT_GLYPH (self));

  if (self->verdict == verdict)
    return;

  self->verdict = verdict;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}
