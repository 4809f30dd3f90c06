/* assay-show-picture.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assay-show-picture.h"

#include <unistd.h>

#include "assay-cli-model.h"
#include "report/assay-overlay-file.h"

#define MIN_SCALE 0.1
#define MAX_SCALE 8.0

/* The program sets no font: this one is what the user has chosen for all. */
#define FAMILY "sans-serif"

void
assay_show_picture_clear (AssayShowPicture *self)
{
  g_strfreev (self->open);
  g_free (self->area);
  g_free (self->colour_by);
  g_free (self->overlay);
}

static gboolean
parse_area (AssayShowPicture *self, AssayCli *cli, AssayGraphPicture *picture, AssayExit *status)
{
  g_auto (GStrv) parts = self->area != NULL ? g_strsplit (self->area, ",", -1) : NULL;
  double *const places[] = { &picture->x, &picture->y, &picture->width, &picture->height };
  gboolean valid = parts == NULL || g_strv_length (parts) == G_N_ELEMENTS (places);

  for (guint i = 0; parts != NULL && valid && i < G_N_ELEMENTS (places); i++)
    {
      char *end;

      *places[i] = g_ascii_strtod (parts[i], &end);
      valid = end != parts[i] && *end == '\0' && *places[i] > -1e9 && *places[i] < 1e9;
    }
  if (valid && (parts == NULL || (picture->width >= 1 && picture->height >= 1)))
    return TRUE;

  *status = assay_cli_usage (
      cli, "--area %s: expected X,Y,WIDTH,HEIGHT in units, both sizes at least 1", self->area);
  return FALSE;
}

static gboolean
choose_open (AssayShowPicture *self, AssayCli *cli, const AssayScopeTree *tree,
             const AssayGraph *graph, guint8 **open, AssayExit *status)
{
  guint n = tree->scopes->len;

  if (self->folded && self->open == NULL)
    *open = assay_scope_tree_choose (tree, graph, ASSAY_MAIN_REGION, ASSAY_FIRST_BOXES);
  if (self->open == NULL)
    return TRUE;

  *open = g_new0 (guint8, n + 1);
  for (guint i = 0; self->open[i] != NULL; i++)
    {
      guint32 found = 0;

      for (guint32 s = 1; s < n && found == 0; s++)
        if (g_str_equal (assay_scope_tree_get (tree, s)->path, self->open[i]))
          found = s;
      if (found == 0)
        {
          *status = assay_cli_usage (cli, "--open %s: the model has no scope of this name",
                                     self->open[i]);
          return FALSE;
        }
      /* A scope is seen only if those around it are open. */
      for (; found != 0; found = assay_scope_tree_get (tree, found)->parent)
        (*open)[found] = TRUE;
    }

  return TRUE;
}

/* What the file says of nodes; names that no node has are counted, as they are in the window. */
static AssayOverlay *
load_overlay (AssayShowPicture *self, AssayCli *cli, const AssayVerdicts *verdicts,
              AssayExit *status)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayOverlayFile) file = assay_overlay_file_load (self->overlay, &error);
  const char *first_unknown = NULL;
  guint n_unknown = 0;
  AssayOverlay *overlay;

  if (file == NULL)
    {
      *status = assay_cli_fail (cli, error, NULL);
      return NULL;
    }

  overlay = assay_overlay_file_apply (file, verdicts, &n_unknown, &first_unknown);
  if (n_unknown > 0)
    assay_cli_say (stderr, "%s: %u of %u names are of no node of the model, the first one is %s\n",
                   self->overlay, n_unknown, file->names->len, first_unknown);
  if (overlay == NULL)
    *status = ASSAY_EXIT_USAGE;

  return overlay;
}

static gboolean
choose_overlay (AssayShowPicture *self, AssayCli *cli, AssayWork *work, AssayOverlaySource *source,
                AssayOverlay **overlay, AssayExit *status)
{
  static const AssayOverlayKind kinds[] = { ASSAY_OVERLAY_VERDICT, ASSAY_OVERLAY_ENGINE,
                                            ASSAY_OVERLAY_SCOPE,   ASSAY_OVERLAY_BYTES,
                                            ASSAY_OVERLAY_CORE,    ASSAY_OVERLAY_CYCLES };

  if (self->colour_by != NULL && self->overlay != NULL)
    {
      *status = assay_cli_usage (cli, "--colour-by %s and --overlay %s: a picture has one of them",
                                 self->colour_by, self->overlay);
      return FALSE;
    }
  if (self->overlay != NULL)
    {
      *overlay = load_overlay (self, cli, source->verdicts, status);
      return *overlay != NULL;
    }
  if (self->colour_by == NULL)
    return TRUE;

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_str_equal (assay_overlay_kind_name (kinds[i]), self->colour_by))
      {
        g_autoptr (GError) error = NULL;

        /* Cores and cycles are those of the program, which has to be made for that. */
        if ((kinds[i] == ASSAY_OVERLAY_CORE || kinds[i] == ASSAY_OVERLAY_CYCLES) &&
            assay_backend_require (assay_work_get_target (work), ASSAY_CAPABILITY_MAKES_PROGRAMS,
                                   &error) &&
            (kinds[i] == ASSAY_OVERLAY_CORE ||
             assay_backend_require (assay_work_get_target (work), ASSAY_CAPABILITY_COUNTS_CYCLES,
                                    &error)))
          source->program = assay_work_get_program (work, &cli->progress, &error);
        if (error != NULL)
          {
            g_prefix_error (&error, "%s: ", cli->arguments[0]);
            *status = assay_cli_fail (cli, error, assay_work_get_findings (work));
            return FALSE;
          }
        *overlay = assay_overlay_new (kinds[i], source);
        source->program = NULL;
        return TRUE;
      }

  *status = assay_cli_usage (
      cli, "--colour-by %s: expected verdict, engine, scope, bytes, core or cycles",
      self->colour_by);
  return FALSE;
}

/* One file goes where all output goes; tiles each get a file beside the one that was named, all of
 * them or none. */
static AssayExit
write_files (AssayCli *cli, GPtrArray *files)
{
  g_autofree char *path = g_strdup (cli->output);
  g_autoptr (GError) error = NULL;
  const char *data;
  gsize length;

  if (files->len > 1 && path == NULL)
    return assay_cli_usage (
        cli, "the picture has %u tiles; --output FILE names them FILE-01, FILE-02 and so on",
        files->len);

  for (guint i = 0;; i++)
    {
      data = g_bytes_get_data (g_ptr_array_index (files, i), &length);
      if (path != NULL)
        {
          g_free (cli->output);
          cli->output = assay_graph_picture_dup_name (path, i, files->len);
        }
      if (i + 1 == files->len)
        return assay_cli_write (cli, data, length, ASSAY_EXIT_CLEAN);
      if (!assay_cli_add_file (cli, cli->output, data, length, &error))
        return assay_cli_fail (cli, error, NULL);
    }
}

/**
 * assay_show_picture_write:
 * @self: what the user asked for
 * @cli: the run
 * @work: the model
 * @target: (nullable): the target
 * @form: what to write
 *
 * Draws a model with its verdicts as the window does, and writes the picture.
 *
 * Returns: the exit code
 */
AssayExit
assay_show_picture_write (AssayShowPicture *self, AssayCli *cli, AssayWork *work,
                          AssayTarget *target, AssayPictureForm form)
{
  g_autofree char *name = g_filename_display_basename (cli->arguments[0]);
  g_autofree char *title = NULL;
  g_autofree guint8 *open = NULL;
  AssayVerdicts *verdicts;
  g_autoptr (AssayScopeTree) tree = NULL;
  g_autoptr (AssayView) view = NULL;
  g_autoptr (AssayOverlay) overlay = NULL;
  g_autoptr (GPtrArray) files = NULL;
  AssayOverlaySource source = { NULL };
  g_autoptr (GError) error = NULL;
  AssayColors colors;
  AssayGraphPicture picture = { .colors = &colors,
                                .family = FAMILY,
                                .scale = self->scale != 0 ? self->scale : 1 };
  AssayExit status;

  if (cli->target == NULL)
    return assay_cli_usage (
        cli, "--emit %s needs --target TARGET, whose verdicts it draws; `assay targets` lists them",
        assay_picture_form_name (form));
  if (cli->output == NULL && !assay_picture_form_is_text (form) && isatty (STDOUT_FILENO))
    return assay_cli_usage (
        cli, "--emit %s is no text for a terminal; --output FILE writes it to a file",
        assay_picture_form_name (form));
  if (!(picture.scale >= MIN_SCALE && picture.scale <= MAX_SCALE))
    return assay_cli_usage (cli, "--scale %g: expected a factor from 0.1 to 8", self->scale);
  if (!parse_area (self, cli, &picture, &status))
    return status;
  source.verdicts = verdicts = assay_work_get_verdicts (work, &cli->progress, &error);
  if (verdicts == NULL)
    return assay_cli_fail (cli, error, assay_work_get_findings (work));

  tree = assay_scope_tree_new (verdicts->graph);
  if (!choose_open (self, cli, tree, verdicts->graph, &open, &status) ||
      !choose_overlay (self, cli, work, &source, &overlay, &status))
    return status;
  view = assay_view_new (
      verdicts, tree,
      &(AssayViewOptions){ .open = open, .cancellable = cli->progress.cancellable });
  assay_colors_init (&colors, self->dark, FALSE);
  title = g_strdup_printf ("%s, %s", name, verdicts->target_id);
  picture.view = view;
  picture.overlay = overlay;
  picture.title = title;

  files = assay_graph_picture_render (&picture, form, &cli->progress, &error);
  if (files == NULL)
    return assay_cli_fail (cli, error, assay_work_get_findings (work));

  return write_files (cli, files);
}
