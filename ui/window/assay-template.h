/* assay-template.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * AssayTemplateChild:
 * @name: id of an object of the template, and of the member that gets it
 * @offset: where the member is
 *
 * A part of a template that code works with.
 */
typedef struct
{
  const char *name;
  gssize offset;
} AssayTemplateChild;

void assay_template_bind (GtkWidgetClass *klass, const char *name,
                          const AssayTemplateChild *children);

/* Up to 64 members. */
#define ASSAY_TEMPLATE_PARENS ()
#define ASSAY_TEMPLATE_AGAIN() ASSAY_TEMPLATE_STEP
#define ASSAY_TEMPLATE_STEP(Type, child, ...)                                                      \
  { #child, G_STRUCT_OFFSET (Type, child) },                                                       \
      __VA_OPT__ (ASSAY_TEMPLATE_AGAIN ASSAY_TEMPLATE_PARENS (Type, __VA_ARGS__))
#define ASSAY_TEMPLATE_4(...)                                                                      \
  ASSAY_TEMPLATE_3 (ASSAY_TEMPLATE_3 (ASSAY_TEMPLATE_3 (ASSAY_TEMPLATE_3 (__VA_ARGS__))))
#define ASSAY_TEMPLATE_3(...)                                                                      \
  ASSAY_TEMPLATE_2 (ASSAY_TEMPLATE_2 (ASSAY_TEMPLATE_2 (ASSAY_TEMPLATE_2 (__VA_ARGS__))))
#define ASSAY_TEMPLATE_2(...)                                                                      \
  ASSAY_TEMPLATE_1 (ASSAY_TEMPLATE_1 (ASSAY_TEMPLATE_1 (ASSAY_TEMPLATE_1 (__VA_ARGS__))))
#define ASSAY_TEMPLATE_1(...) __VA_ARGS__

/* Gives a class its template, by the name of its file; the other arguments are the members that
 * get objects of it. */
#define ASSAY_BIND_TEMPLATE(klass, Type, name, ...)                                                \
  assay_template_bind (GTK_WIDGET_CLASS (klass), name,                                             \
                       (const AssayTemplateChild[]){ ASSAY_TEMPLATE_4 (                            \
                           ASSAY_TEMPLATE_STEP (Type, __VA_ARGS__)){ NULL, 0 } })

G_END_DECLS
