/* assay-rewrite-bind-shape.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "fix/assay-rewrite-private.h"
#include "source/assay-bind-shapes.h"

/* Sizes that models are commonly used with: images, and frames of sound or text. Which fits shows
 * when it is tried. */
static const struct
{
  int image;
  int frame;
} sizes[] = { { 224, 512 }, { 320, 16 },   { 640, 64 }, { 32, 128 },
              { 48, 1280 }, { 64, 16000 }, { 1, 1 } };

typedef struct
{
  char *key;
  gboolean batch;
  gboolean image;
} Open;

static void
open_clear (gpointer data)
{
  g_free (((Open *) data)->key);
}

static void
add_open (GArray *opens, const AssayValue *input, int axis)
{
  const AssayDim *dim = &input->type->dims[axis];
  Open open = { .batch = assay_type_axis_is_batch (input->type, axis),
                .image = input->type->rank >= 4 };

  open.key = dim->symbol != NULL ? g_strdup (dim->symbol)
                                 : g_strdup_printf ("%s:%d", input->name, axis);
  for (guint i = 0; i < opens->len; i++)
    {
      Open *known = &g_array_index (opens, Open, i);

      if (!g_str_equal (known->key, open.key))
        continue;
      known->batch |= open.batch;
      g_free (open.key);
      return;
    }
  g_array_append_val (opens, open);
}

static void
propose_size (AssayProposals *proposals, const GArray *opens, int image, int frame)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) arguments = NULL;

  for (guint i = 0; i < opens->len; i++)
    {
      const Open *open = &g_array_index (opens, Open, i);
      g_autofree char *argument = g_strdup_printf ("%s=%d", open->key,
                                                   open->batch   ? 1
                                                   : open->image ? image
                                                                 : frame);

      g_strv_builder_add (builder, argument);
    }
  arguments = g_strv_builder_end (builder);
  assay_proposals_add (proposals, "bind-shape", NULL, (const char *const *) arguments);
}

void
assay_rewrite_propose_bind_shape (AssayProposals *proposals)
{
  const GArray *inputs = assay_graph_region (proposals->graph, ASSAY_MAIN_REGION)->inputs;
  g_autoptr (GArray) opens = g_array_new (FALSE, FALSE, sizeof (Open));

  g_array_set_clear_func (opens, open_clear);
  for (guint i = 0; i < inputs->len; i++)
    {
      const AssayValue *input = assay_graph_value (proposals->graph,
                                                   g_array_index (inputs, AssayValueId, i));

      if (input->is_parameter || input->type->kind != ASSAY_TYPE_KIND_TENSOR)
        continue;
      for (int axis = 0; axis < input->type->rank; axis++)
        if (input->type->dims[axis].size < 0)
          add_open (opens, input, axis);
    }
  if (opens->len == 0)
    return;

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    propose_size (proposals, opens, sizes[i].image, sizes[i].frame);
}

char *
assay_rewrite_title_bind_shape (const AssayFix *fix)
{
  g_autoptr (GString) title = g_string_new (NULL);

  for (guint i = 0; fix->arguments[i] != NULL; i++)
    {
      const char *equals = strrchr (fix->arguments[i], '=');

      g_string_append_printf (title, "%s%.*s to %s", i == 0 ? "Bind " : ", ",
                              equals != NULL ? (int) (equals - fix->arguments[i]) : 0,
                              fix->arguments[i], equals != NULL ? equals + 1 : "a size");
    }

  return g_strdup (title->len > 0 ? title->str : "Give the open dimensions a size");
}

/* `Bind 3 sizes to 1, 224, 224`; %NULL for one size, or for another fix. */
char *
assay_fix_dup_sizes (const AssayFix *fix)
{
  guint n = g_strv_length (fix->arguments);
  g_autoptr (GString) text = g_string_new (NULL);

  if (n < 2 || assay_rewrite_find (fix->rewrite)->title_of != assay_rewrite_title_bind_shape)
    return NULL;

  g_string_append_printf (text, "Bind %u sizes to ", n);
  for (guint i = 0; i < n; i++)
    {
      const char *equals = strrchr (fix->arguments[i], '=');

      g_string_append_printf (text, "%s%s", i == 0 ? "" : ", ",
                              equals != NULL ? equals + 1 : fix->arguments[i]);
    }

  return g_string_free (g_steal_pointer (&text), FALSE);
}

gboolean
assay_rewrite_apply_bind_shape (AssayEdit *edit, const AssayFix *fix)
{
  g_autoptr (GError) error = NULL;

  if (!assay_graph_bind_shapes (edit->graph, NULL, (const char *const *) fix->arguments, &error))
    return assay_edit_refuse (edit, "%s", error->message);
  assay_edit_mark_changed (edit);

  return TRUE;
}
