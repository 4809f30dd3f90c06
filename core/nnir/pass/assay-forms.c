/* assay-forms.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/pass/assay-forms.h"

typedef struct
{
  AssayCanonicalOptions options;
  char **keep;
  char **apart;
  char **listed;
  char **rejected;
  AssayGraph *graph;
} Form;

struct _AssayForms
{
  gatomicrefcount ref_count;
  AssayGraph *imported;
  GMutex lock;      /* of the list; graphs are made without it */
  GPtrArray *forms; /* Form; none goes before the whole does */
};

static void
form_free (gpointer data)
{
  Form *form = data;

  g_strfreev (form->keep);
  g_strfreev (form->apart);
  g_strfreev (form->listed);
  g_strfreev (form->rejected);
  assay_graph_unref (form->graph);
  g_free (form);
}

/**
 * assay_forms_new:
 * @imported: a graph as imported, types inferred, that nobody changes any more
 *
 * Makes a model of which no form is known yet.
 *
 * Returns: (transfer full): the model
 */
AssayForms *
assay_forms_new (AssayGraph *imported)
{
  AssayForms *self = g_new0 (AssayForms, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->imported = assay_graph_ref (imported);
  g_mutex_init (&self->lock);
  self->forms = g_ptr_array_new_with_free_func (form_free);

  return self;
}

AssayForms *
assay_forms_ref (AssayForms *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
assay_forms_unref (AssayForms *self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_ptr_array_unref (self->forms);
  g_mutex_clear (&self->lock);
  assay_graph_unref (self->imported);
  g_free (self);
}

/**
 * assay_forms_get_imported:
 * @self: a model
 *
 * Gets the graph as imported.
 *
 * Returns: (transfer none): the graph
 */
AssayGraph *
assay_forms_get_imported (AssayForms *self)
{
  return self->imported;
}

static gboolean
same_names (const char *const *a, const char *const *b)
{
  return a == NULL || b == NULL ? a == b : g_strv_equal (a, b);
}

static AssayGraph *
find (AssayForms *self, const AssayCanonicalOptions *options)
{
  for (guint i = 0; i < self->forms->len; i++)
    {
      const Form *form = g_ptr_array_index (self->forms, i);
      const AssayCanonicalOptions *made = &form->options;

      if (made->linear == options->linear && made->fold_constants == options->fold_constants &&
          made->fold_batch_norm == options->fold_batch_norm &&
          made->remove_identity == options->remove_identity &&
          made->all_inputs_parameters == options->all_inputs_parameters &&
          made->settle_defaults == options->settle_defaults &&
          same_names ((const char *const *) form->keep, options->keep) &&
          same_names ((const char *const *) form->apart, options->apart) &&
          same_names ((const char *const *) form->listed, options->listed) &&
          same_names ((const char *const *) form->rejected, options->rejected))
        return form->graph;
    }

  return NULL;
}

/**
 * assay_forms_get:
 * @self: a model
 * @options: the form
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Gets the model in a form. Two threads that ask at the same time for one that is not there yet may
 * both make it; they get the same graph.
 *
 * Returns: (transfer none) (nullable): the graph, or %NULL with %ASSAY_ERROR_CANCELLED
 */
AssayGraph *
assay_forms_get (AssayForms *self, const AssayCanonicalOptions *options,
                 const AssayProgress *progress, GError **error)
{
  g_autoptr (AssayGraph) made = NULL;
  AssayGraph *graph;
  Form *form;

  g_mutex_lock (&self->lock);
  graph = find (self, options);
  g_mutex_unlock (&self->lock);
  if (graph != NULL)
    return graph;

  made = assay_graph_canonicalize (self->imported, options, progress, error);
  if (made == NULL)
    return NULL;

  g_mutex_lock (&self->lock);
  graph = find (self, options);
  if (graph == NULL)
    {
      form = g_new0 (Form, 1);
      form->options = *options;
      form->keep = g_strdupv ((char **) options->keep);
      form->apart = g_strdupv ((char **) options->apart);
      form->listed = g_strdupv ((char **) options->listed);
      form->rejected = g_strdupv ((char **) options->rejected);
      form->graph = graph = g_steal_pointer (&made);
      g_ptr_array_add (self->forms, form);
    }
  g_mutex_unlock (&self->lock);

  return graph;
}
