/* assay-board-list.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "run/board/assay-board-list.h"

#include <glob.h>
#include <string.h>

#include "backend/delegate/assay-gpu-list.h"
#include "base/assay-error.h"
#include "base/assay-file-read.h"

/* How deep a configuration of ssh may include others; ssh stops at 16. */
#define DEEPEST_INCLUDE 16

static void read_config (const char *path, guint depth, GPtrArray *boards);

/* A relative path is one in ~/.ssh, as ssh_config(5) says. */
static void
include_configs (const char *pattern, guint depth, GPtrArray *boards)
{
  g_autofree char *path = g_str_has_prefix (pattern, "~/")
                              ? g_build_filename (g_get_home_dir (), pattern + 2, NULL)
                          : g_path_is_absolute (pattern)
                              ? g_strdup (pattern)
                              : g_build_filename (g_get_home_dir (), ".ssh", pattern, NULL);
  glob_t found = { 0 };

  if (depth < DEEPEST_INCLUDE && glob (path, 0, NULL, &found) == 0)
    {
      for (gsize i = 0; i < found.gl_pathc; i++)
        read_config (found.gl_pathv[i], depth + 1, boards);
    }
  globfree (&found);
}

static void
add_host (const char *host, GPtrArray *boards)
{
  g_autofree char *name = g_strconcat ("ssh:", host, NULL);

  /* Patterns stand for many hosts or none. */
  if (strpbrk (host, "*?!") != NULL || !assay_board_name_check (name, NULL) ||
      g_ptr_array_find_with_equal_func (boards, name, g_str_equal, NULL))
    return;

  g_ptr_array_add (boards, g_steal_pointer (&name));
}

static void
read_config (const char *path, guint depth, GPtrArray *boards)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;

  if (!assay_file_read (path, ASSAY_FILE_READ_TEXT, &text, NULL, NULL))
    return;

  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      /* `Keyword value...` or `Keyword=value`; values may be in quotes. */
      g_auto (GStrv)
          words = g_strsplit_set (g_strstrip (g_strdelimit (lines[i], "\"=\t\r", ' ')), " ", -1);
      gboolean hosts = words[0] != NULL && g_ascii_strcasecmp (words[0], "Host") == 0;
      gboolean includes = words[0] != NULL && g_ascii_strcasecmp (words[0], "Include") == 0;

      for (guint j = 1; (hosts || includes) && words[j] != NULL; j++)
        {
          if (*words[j] == '\0')
            continue;
          if (hosts)
            add_host (words[j], boards);
          else
            include_configs (words[j], depth, boards);
        }
    }
}

/**
 * assay_board_list:
 *
 * Lists this computer, and the hosts that the ssh configuration of the user names.
 *
 * Returns: (transfer full) (element-type utf8): names of boards
 */
GPtrArray *
assay_board_list (void)
{
  GPtrArray *boards = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *config = g_build_filename (g_get_home_dir (), ".ssh", "config", NULL);

  g_ptr_array_add (boards, g_strdup ("local"));
  read_config (config, 0, boards);

  return boards;
}

/**
 * assay_board_list_places:
 * @chosen: (nullable): a name that is among them in any case, last if only the user knows it
 *
 * Lists where programs can go: boards, and a graphics processor of this computer behind the first
 * one, if Assay was built with what runs programs there. What devices there are, only drivers know.
 *
 * Returns: (transfer full) (element-type utf8): names
 */
GPtrArray *
assay_board_list_places (const char *chosen)
{
  GPtrArray *places = assay_board_list ();
  g_autofree char *helper = assay_gpu_find_helper (NULL);

  if (helper != NULL)
    g_ptr_array_insert (places, 1, g_strdup (ASSAY_BOARD_DEVICE));
  if (chosen != NULL && !g_ptr_array_find_with_equal_func (places, chosen, g_str_equal, NULL))
    g_ptr_array_add (places, g_strdup (chosen));

  return places;
}

static void
check_clear (gpointer data)
{
  AssayBoardCheck *check = data;

  g_free (check->sentence);
  g_free (check->remedy);
  g_free (check->command);
}

static void add_check (GArray *checks, AssayBoardStep step, const char *sentence, ...)
    G_GNUC_PRINTF (3, 4);

static void
add_check (GArray *checks, AssayBoardStep step, const char *sentence, ...)
{
  AssayBoardCheck check = { .step = step, .passed = TRUE };
  va_list args;

  va_start (args, sentence);
  check.sentence = g_strdup_vprintf (sentence, args);
  va_end (args);
  g_array_append_val (checks, check);
}

/* One conversation tells it all: what failed is the first red row, and what comes before it is in
 * order. */
static void
add_passed (GArray *checks, const char *name, AssayBoardStep end)
{
  g_autofree char *label = assay_board_dup_label (name);

  if (assay_board_is_local (name))
    return;
  if (end > ASSAY_BOARD_STEP_REACHABLE)
    add_check (checks, ASSAY_BOARD_STEP_REACHABLE, "%s answers.", label);
  if (end > ASSAY_BOARD_STEP_HOST_KEY)
    add_check (checks, ASSAY_BOARD_STEP_HOST_KEY, "The key of %s is the known one.", label);
  if (end > ASSAY_BOARD_STEP_LOGIN)
    add_check (checks, ASSAY_BOARD_STEP_LOGIN, "%s accepts your keys.", label);
}

/* A device needs a driver and our helper, no agent. */
static GArray *
check_device (GArray *checks, const AssayProgress *progress, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (JsonNode) list = assay_gpu_list (progress, &cause);
  JsonArray *devices = list != NULL
                           ? json_object_get_array_member (json_node_get_object (list), "devices")
                           : NULL;
  AssayBoardCheck failed = { .step = ASSAY_BOARD_STEP_REACHABLE };

  if (devices == NULL || json_array_get_length (devices) == 0)
    {
      if (g_error_matches (cause, ASSAY_ERROR, ASSAY_ERROR_CANCELLED))
        {
          g_propagate_error (error, g_steal_pointer (&cause));
          g_array_unref (checks);
          return NULL;
        }
      failed.sentence = g_strdup (cause != NULL ? cause->message : "There is no device.");
      g_array_append_val (checks, failed);
      return checks;
    }
  for (guint i = 0; i < json_array_get_length (devices); i++)
    {
      JsonObject *device = json_array_get_object_element (devices, i);

      add_check (checks, ASSAY_BOARD_STEP_REACHABLE, "%s, %s %s.",
                 json_object_get_string_member_with_default (device, "label", "A device"),
                 json_object_get_string_member_with_default (device, "driver", "driver"),
                 json_object_get_string_member_with_default (device, "driver_version", ""));
    }

  return checks;
}

/**
 * assay_board_check:
 * @name: name of a board, or `vulkan[:DEVICE]`
 * @seconds: how long the agent may take to answer, 0 for a usual time
 * @progress: (nullable): cancel
 * @error: return location for a #GError
 *
 * Looks at the health of a board, up to the first thing that is not in order.
 *
 * Returns: (transfer full) (nullable) (element-type AssayBoardCheck): the rows, or %NULL for a
 * wrong name or if cancelled
 */
GArray *
assay_board_check (const char *name, guint seconds, const AssayProgress *progress, GError **error)
{
  g_autoptr (AssayBoardTrouble) trouble = NULL;
  g_autoptr (GError) cause = NULL;
  g_autoptr (GArray) checks = g_array_new (FALSE, TRUE, sizeof (AssayBoardCheck));
  g_autoptr (AssayBoard) board = NULL;
  const AssayBoardInfo *info;

  g_array_set_clear_func (checks, check_clear);
  if (assay_board_is_device (name))
    return check_device (g_steal_pointer (&checks), progress, error);
  if (!assay_board_name_check (name, error))
    return NULL;

  board = assay_board_connect (name, seconds, &trouble, progress, &cause);
  if (g_error_matches (cause, ASSAY_ERROR, ASSAY_ERROR_CANCELLED))
    {
      g_propagate_error (error, g_steal_pointer (&cause));
      return NULL;
    }

  if (board == NULL)
    {
      AssayBoardCheck check = { .step = trouble != NULL ? trouble->step
                                                        : ASSAY_BOARD_STEP_REACHABLE };

      add_passed (checks, name, check.step);
      check.sentence = g_strdup (trouble != NULL ? trouble->message : cause->message);
      check.remedy = g_strdup (trouble != NULL ? trouble->remedy : NULL);
      check.command = g_strdup (trouble != NULL ? trouble->command : NULL);
      check.installs = trouble != NULL && trouble->installs;
      g_array_append_val (checks, check);
      return g_steal_pointer (&checks);
    }

  info = assay_board_get_info (board);
  add_passed (checks, name, ASSAY_BOARD_N_STEPS);
  add_check (checks, ASSAY_BOARD_STEP_AGENT, "%s on %s, %u processor%s, %s kernels.", info->writer,
             info->architecture, info->processors, info->processors == 1 ? "" : "s", info->kernels);

  return g_steal_pointer (&checks);
}
