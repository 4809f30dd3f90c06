/* assay-cairo-functions.h
 * SPDX-License-Identifier: Apache-2.0
 *
 * Cairo and Pango bring thirty libraries along, and most commands draw nothing: they are loaded for
 * the first picture. Files that draw include this one last.
 */
#pragma once

#include <cairo-pdf.h>
#include <pango/pangocairo.h>

G_BEGIN_DECLS

/**
 * AssayCairoFunctions:
 *
 * What stands in cairo-functions.def, once it is loaded.
 */
typedef struct
{
#define FUNCTION(name) __typeof__ (name) *p_##name;
#include "report/picture/cairo-functions.def"
#undef FUNCTION
} AssayCairoFunctions;

gboolean assay_cairo_load (GError **error);
const AssayCairoFunctions *assay_cairo_functions (void);

#define AT(name) (assay_cairo_functions ()->p_##name)

/* clang-format off */
#define cairo_arc AT (cairo_arc)
#define cairo_clip AT (cairo_clip)
#define cairo_close_path AT (cairo_close_path)
#define cairo_create AT (cairo_create)
#define cairo_destroy AT (cairo_destroy)
#define cairo_fill AT (cairo_fill)
#define cairo_image_surface_create AT (cairo_image_surface_create)
#define cairo_line_to AT (cairo_line_to)
#define cairo_move_to AT (cairo_move_to)
#define cairo_new_path AT (cairo_new_path)
#define cairo_new_sub_path AT (cairo_new_sub_path)
#define cairo_paint AT (cairo_paint)
#define cairo_pdf_surface_create_for_stream AT (cairo_pdf_surface_create_for_stream)
#define cairo_pdf_surface_set_metadata AT (cairo_pdf_surface_set_metadata)
#define cairo_rectangle AT (cairo_rectangle)
#define cairo_restore AT (cairo_restore)
#define cairo_save AT (cairo_save)
#define cairo_scale AT (cairo_scale)
#define cairo_set_dash AT (cairo_set_dash)
#define cairo_set_line_cap AT (cairo_set_line_cap)
#define cairo_set_line_join AT (cairo_set_line_join)
#define cairo_set_line_width AT (cairo_set_line_width)
#define cairo_set_source_rgb AT (cairo_set_source_rgb)
#define cairo_set_source_rgba AT (cairo_set_source_rgba)
#define cairo_show_page AT (cairo_show_page)
#define cairo_status AT (cairo_status)
#define cairo_status_to_string AT (cairo_status_to_string)
#define cairo_stroke AT (cairo_stroke)
#define cairo_surface_destroy AT (cairo_surface_destroy)
#define cairo_surface_finish AT (cairo_surface_finish)
#define cairo_surface_status AT (cairo_surface_status)
#define cairo_surface_write_to_png_stream AT (cairo_surface_write_to_png_stream)
#define cairo_translate AT (cairo_translate)
#define pango_attr_list_insert AT (pango_attr_list_insert)
#define pango_attr_list_new AT (pango_attr_list_new)
#define pango_attr_list_unref AT (pango_attr_list_unref)
#define pango_attr_underline_new AT (pango_attr_underline_new)
#define pango_attr_weight_new AT (pango_attr_weight_new)
#define pango_cairo_create_layout AT (pango_cairo_create_layout)
#define pango_cairo_font_map_get_default AT (pango_cairo_font_map_get_default)
#define pango_cairo_show_layout AT (pango_cairo_show_layout)
#define pango_context_set_round_glyph_positions AT (pango_context_set_round_glyph_positions)
#define pango_font_description_free AT (pango_font_description_free)
#define pango_font_description_new AT (pango_font_description_new)
#define pango_font_description_set_absolute_size AT (pango_font_description_set_absolute_size)
#define pango_font_description_set_family AT (pango_font_description_set_family)
#define pango_font_description_set_weight AT (pango_font_description_set_weight)
#define pango_font_map_create_context AT (pango_font_map_create_context)
#define pango_layout_get_baseline AT (pango_layout_get_baseline)
#define pango_layout_get_context AT (pango_layout_get_context)
#define pango_layout_get_extents AT (pango_layout_get_extents)
#define pango_layout_new AT (pango_layout_new)
#define pango_layout_set_attributes AT (pango_layout_set_attributes)
#define pango_layout_set_ellipsize AT (pango_layout_set_ellipsize)
#define pango_layout_set_font_description AT (pango_layout_set_font_description)
#define pango_layout_set_single_paragraph_mode AT (pango_layout_set_single_paragraph_mode)
#define pango_layout_set_text AT (pango_layout_set_text)
#define pango_layout_set_width AT (pango_layout_set_width)
/* clang-format on */

G_END_DECLS
