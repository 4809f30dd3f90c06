/* assay-recent.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/window/assay-recent.h"

#include "document/assay-session-file.h"
#include "source/assay-importer.h"

static void
recent_free (gpointer data)
{
  AssayRecent *self = data;

  g_free (self->path);
  g_free (self->name);
  g_free (self->folder);
  g_free (self->target);
  g_free (self);
}

static gboolean
is_ours (const char *path)
{
  return assay_importer_of_name (path) != NULL || assay_session_file_has_suffix (path);
}

static int
compare_age (gconstpointer a, gconstpointer b)
{
  return g_date_time_compare (gtk_recent_info_get_modified ((GtkRecentInfo *) b),
                              gtk_recent_info_get_modified ((GtkRecentInfo *) a));
}

#define BY " by "

/* Outcome and target stand in the description of the entry, as `12 rejected by TARGET`. */
static AssayRecent *
recent_new (const char *path, const char *description)
{
  AssayRecent *self = g_new0 (AssayRecent, 1);
  g_autofree char *folder = g_path_get_dirname (path);
  const char *by = description != NULL ? strstr (description, BY) : NULL;
  g_autofree char *outcome = by != NULL ? g_strndup (description, (gsize) (by - description))
                                        : NULL;

  self->path = g_strdup (path);
  self->name = g_filename_display_basename (path);
  self->folder = g_filename_display_name (folder);
  self->outcome = ASSAY_OUTCOME_INIT;
  if (outcome != NULL && assay_outcome_parse (&self->outcome, outcome))
    self->target = g_strdup (by + strlen (BY));

  return self;
}

/**
 * assay_recent_list:
 * @limit: how many at most
 *
 * Lists the files that were open before and are still there, the last one first.
 *
 * Returns: (transfer full) (element-type AssayRecent): the files
 */
GPtrArray *
assay_recent_list (guint limit)
{
  GPtrArray *list = g_ptr_array_new_with_free_func (recent_free);
  GList *infos = g_list_sort (gtk_recent_manager_get_items (gtk_recent_manager_get_default ()),
                              compare_age);

  for (GList *l = infos; l != NULL && list->len < limit; l = l->next)
    {
      g_autofree char *path = g_filename_from_uri (gtk_recent_info_get_uri (l->data), NULL, NULL);

      if (path != NULL && is_ours (path) && g_file_test (path, G_FILE_TEST_EXISTS))
        g_ptr_array_add (list, recent_new (path, gtk_recent_info_get_description (l->data)));
    }

  g_list_free_full (infos, (GDestroyNotify) gtk_recent_info_unref);
  return list;
}

/**
 * assay_recent_remember:
 * @path: a file
 * @target: what it was checked against
 * @outcome: what came of it
 *
 * Puts a file at the top of the recent ones.
 */
void
assay_recent_remember (const char *path, const char *target, const AssayOutcome *outcome)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autofree char *uri = g_file_get_uri (file);
  const AssayImporter *importer = assay_importer_of_name (path);
  g_autofree char *text = assay_outcome_to_string (outcome);
  g_autofree char *description = g_strconcat (text, BY, target, NULL);
  GtkRecentData data = {
    .description = description,
    .mime_type = (char *) (importer != NULL ? importer->mime_type : "application/x-assay-session"),
    .app_name = (char *) g_get_application_name (),
    .app_exec = (char *) "assay-workbench %f",
  };

  if (is_ours (path))
    gtk_recent_manager_add_full (gtk_recent_manager_get_default (), uri, &data);
}
