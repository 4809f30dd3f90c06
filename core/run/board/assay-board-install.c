/* assay-board-install.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Copies the agent to a board and removes it again. The board needs a shell and the usual small
 * programs, no sftp; what runs there are the scripts below.
 */
#include "run/board/assay-board-install.h"

#include <string.h>
#include <sys/wait.h>

#include "base/assay-error.h"
#include "base/assay-file-read.h"
#include "process/assay-child.h"
#include "process/assay-helper.h"
#include "run/board/assay-board-private.h"

/* How long the board may take for a line, and for a part of the file. */
#define SECONDS 60
#define PART ((gsize) 64 << 10)

/* Bounds of what a board says: banners of its shell come before the lines that begin with MARK. */
#define LONGEST_LINE 4096
#define MOST_LINES 4096
#define MARK "assay-board: "

/* Larger is no agent. */
#define LARGEST_AGENT ((gsize) 64 << 20)

/* Every agent, by what `uname -m` says, and the loader that the board must have for it. */
static const struct
{
  const char *machine;
  const char *loader;
} machines[] = {
  { "x86_64", "/lib64/ld-linux-x86-64.so.2" },
  { "aarch64", "/lib/ld-linux-aarch64.so.1" },
};

/* Scripts are one word for whatever shell the user has there: they have no single quote, backslash,
 * exclamation mark or newline, in which shells differ. They begin with an empty line, as a banner
 * may lack its end. */
#define WITH_FOLDER "echo; d=\"$HOME/.local/bin\"; f=\"$d/assay-board\"; "

static const char look[] = WITH_FOLDER
    "echo \"" MARK "system $(uname -s)\"; "
    "echo \"" MARK "machine $(uname -m)\"; "
    "for l in %s; do if [ -e $l ]; then echo \"" MARK "loader $l\"; fi; done; "
    "if [ -f \"$f\" ]; then "
    "if command -v sha256sum >/dev/null 2>&1; then s=$(sha256sum <\"$f\"); "
    "else s=$(\"$f\" --digest 2>/dev/null); fi; "
    "echo \"" MARK "digest ${s%%%% *}\"; "
    "echo \"" MARK "version $(\"$f\" --version 2>/dev/null)\"; fi; "
    "echo \"" MARK "done\"";

/* The statuses of the scripts, rows of `failures`. */
enum
{
  NO_FOLDER = 71,
  IS_FOLDER,
  NOT_WRITTEN,
  CUT_SHORT,
  OTHER_DIGEST,
  NOT_RUN,
  NOT_REPLACED,
  NOT_REMOVED
};

/* Writes beside the place and renames. What a connection that was cut has left goes at once, since
 * the input ends; what a power cut has left goes with the next agent. */
static const char put[] = WITH_FOLDER
    "n=\"$d/.assay-board.new.$$\"; "
    "clean () { rm -f \"$n\"; }; trap clean EXIT; trap \"exit 1\" HUP INT TERM PIPE; "
    "mkdir -p \"$d\" || exit %d; "
    "if [ -d \"$f\" ]; then exit %d; fi; "
    "for o in \"$d\"/.assay-board.new.*; do kill -0 \"${o##*.}\" 2>/dev/null || rm -f \"$o\"; "
    "done; "
    "umask 022; "
    "head -c %" G_GSIZE_FORMAT " >\"$n\" || exit %d; "
    "if [ $(wc -c <\"$n\") -ne %" G_GSIZE_FORMAT " ]; then exit %d; fi; "
    "chmod 755 \"$n\" || exit %d; "
    "if command -v sha256sum >/dev/null 2>&1; then s=$(sha256sum <\"$n\"); "
    "else s=$(\"$n\" --digest) || exit %d; fi; "
    "if [ \"${s%%%% *}\" != %s ]; then exit %d; fi; "
    "\"$n\" --version >/dev/null || exit %d; "
    "sync \"$n\" 2>/dev/null; "
    "mv -f \"$n\" \"$f\" || exit %d; "
    "echo \"" MARK "done\"";

static const char take_away[] = WITH_FOLDER
    "rm -f \"$d\"/.assay-board.new.*; "
    "if [ -e \"$f\" ] || [ -L \"$f\" ]; then rm -f \"$f\" || exit %d; "
    "echo \"" MARK "removed $f\"; fi; "
    "echo \"" MARK "done\"";

/* What a script ended with; %s is the host. */
static const struct
{
  int status;
  const char *message;
} failures[] = {
  { NO_FOLDER, "the folder ~/.local/bin cannot be made" },
  { IS_FOLDER, ASSAY_BOARD_INSTALLED " is a folder" },
  { NOT_WRITTEN, "the agent cannot be written to ~/.local/bin" },
  { CUT_SHORT, "only a part of the agent arrived" },
  { OTHER_DIGEST, "the agent arrived with another digest than it was sent with" },
  { NOT_RUN, "the agent cannot be run" },
  { NOT_REPLACED, ASSAY_BOARD_INSTALLED " cannot be replaced" },
  { NOT_REMOVED, ASSAY_BOARD_INSTALLED " cannot be removed" },
};

/* What a board says of itself, lines by their first word. */
typedef struct
{
  const char *label;
  GHashTable *lines;
} Answer;

static void
answer_clear (Answer *self)
{
  g_clear_pointer (&self->lines, g_hash_table_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Answer, answer_clear)

static const char *
get_line (const Answer *self, const char *word)
{
  const char *line = g_hash_table_lookup (self->lines, word);

  return line != NULL && *line != '\0' ? line : NULL;
}

/* Says why a script did not get to its end. Takes the cause. */
static gboolean
explain (AssayChild *child, const char *name, GError *cause, GError **error)
{
  g_autofree char *label = assay_board_dup_label (name);
  g_autofree char *said = NULL;
  const char *last;
  int wait_status = 0, status;

  if (g_error_matches (cause, ASSAY_ERROR, ASSAY_ERROR_CANCELLED))
    {
      g_propagate_error (error, cause);
      return FALSE;
    }
  if (!assay_child_end (child, &wait_status))
    wait_status = 0;
  status = WIFEXITED (wait_status) ? WEXITSTATUS (wait_status) : 0;
  said = assay_child_dup_stderr (child);
  last = strrchr (said, '\n') != NULL ? strrchr (said, '\n') + 1 : said;

  for (guint i = 0; i < G_N_ELEMENTS (failures); i++)
    if (failures[i].status == status)
      {
        g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "%s: %s%s%s", label,
                     failures[i].message, *last != '\0' ? ": " : "", last);
        g_error_free (cause);
        return FALSE;
      }

  if (assay_board_is_unreachable (wait_status) || assay_child_was_late (child))
    {
      g_autoptr (AssayBoardTrouble)
          trouble = assay_board_trouble_find (name, wait_status, said, cause);

      assay_board_trouble_to_error (trouble, error);
    }
  else if (*last != '\0')
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "%s: no shell ran the commands: %s", label,
                 last);
  else
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "%s: no shell ran the commands", label);
  g_error_free (cause);

  return FALSE;
}

static gboolean
write_parts (AssayChild *child, const char *data, gsize n, const AssayProgress *progress,
             GError **error)
{
  for (gsize at = 0; at < n; at += PART)
    {
      assay_child_set_deadline (child, SECONDS);
      if (!assay_child_write (child, data + at, MIN (PART, n - at), progress, error))
        return FALSE;
      assay_progress_report (progress, (double) at / (double) n, "copying the agent");
    }

  return TRUE;
}

static gboolean
read_lines (AssayChild *child, Answer *answer, const AssayProgress *progress, GError **error)
{
  for (guint i = 0; i < MOST_LINES; i++)
    {
      g_autofree char *line = NULL;
      g_autofree char *text = NULL;
      char *rest;

      assay_child_set_deadline (child, SECONDS);
      line = assay_child_read_line (child, LONGEST_LINE, progress, error);
      if (line == NULL)
        return FALSE;
      if (!g_str_has_prefix (line, MARK))
        continue;

      text = assay_frame_text (line + strlen (MARK));
      if (g_str_equal (text, "done"))
        return TRUE;
      rest = strchr (text, ' ');
      if (rest != NULL)
        *rest++ = '\0';
      /* A board may have several loaders, and is asked for one of them. */
      if (rest != NULL && g_str_equal (text, "loader"))
        g_hash_table_insert (answer->lines, g_strdup (rest), g_strdup (text));
      else if (rest != NULL)
        g_hash_table_insert (answer->lines, g_strdup (text), g_strdup (rest));
    }

  g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "too many lines");
  return FALSE;
}

/* Runs a script on a board, with bytes for its input. */
static gboolean
run_script (const char *name, const char *script, GBytes *input, Answer *answer,
            const AssayProgress *progress, GError **error)
{
  g_autofree char *command = g_strdup_printf ("sh -c '%s'", script);
  g_autoptr (AssayChild) child = assay_board_start_ssh (name, command, error);
  GError *cause = NULL;
  gsize n = 0;
  const char *data = input != NULL ? g_bytes_get_data (input, &n) : NULL;

  if (child == NULL)
    return FALSE;

  answer->lines = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  if (!write_parts (child, data, n, progress, &cause) ||
      !read_lines (child, answer, progress, &cause))
    return explain (child, name, cause, error);

  assay_child_end (child, NULL);
  return TRUE;
}

/* Finds the agent for what the board is. */
static char *
find_agent (const char *label, const Answer *answer, GError **error)
{
  const char *system = get_line (answer, "system");
  const char *machine = get_line (answer, "machine");
  g_autoptr (GString) known = g_string_new (NULL);

  if (g_strcmp0 (system, "Linux") != 0)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE,
                   "the system of %s is %s; there are agents for Linux", label,
                   system != NULL ? system : "unknown");
      return NULL;
    }
  for (guint i = 0; i < G_N_ELEMENTS (machines); i++)
    {
      g_autofree char *file = g_strconcat ("assay-board-", machines[i].machine, NULL);

      g_string_append_printf (known, "%s%s", i > 0 ? " and " : "", machines[i].machine);
      if (g_strcmp0 (machines[i].machine, machine) != 0)
        continue;
      if (g_hash_table_contains (answer->lines, machines[i].loader))
        return assay_helper_find (file, error);

      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE,
                   "%s has no %s: the agent for %s needs the GNU C library", label,
                   machines[i].loader, machine);
      return NULL;
    }

  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE,
               "%s is a computer of type %s; there are agents for %s", label,
               machine != NULL ? machine : "unknown", known->str);
  return NULL;
}

static gboolean
check_name (const char *name, GError **error)
{
  if (!assay_board_name_check (name, error))
    return FALSE;
  if (!assay_board_is_local (name))
    return TRUE;

  g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                       "board local: expected ssh:HOST; this computer has the agent of this Assay");
  return FALSE;
}

static gboolean
look_at_board (const char *name, Answer *answer, const AssayProgress *progress, GError **error)
{
  g_autoptr (GString) loaders = g_string_new (NULL);
  g_autofree char *script = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (machines); i++)
    g_string_append_printf (loaders, "%s%s", i > 0 ? " " : "", machines[i].loader);
  script = g_strdup_printf (look, loaders->str);

  return run_script (name, script, NULL, answer, progress, error);
}

static gboolean
copy (const char *name, const AssayBoardInstallation *self, GBytes *bytes,
      const AssayProgress *progress, GError **error)
{
  g_auto (Answer) answer = { 0 };
  g_autofree char *script = g_strdup_printf (put, NO_FOLDER, IS_FOLDER, self->bytes, NOT_WRITTEN,
                                             self->bytes, CUT_SHORT, NOT_WRITTEN, NOT_RUN,
                                             self->digest, OTHER_DIGEST, NOT_RUN, NOT_REPLACED);

  return run_script (name, script, bytes, &answer, progress, error);
}

/**
 * assay_board_install:
 * @name: name of a board, `ssh:HOST`
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Copies the agent for the machine of a board to %ASSAY_BOARD_INSTALLED there, unless it is there,
 * and talks with it once. An agent that is there is replaced as a whole: a copy that fails, also
 * because the connection is cut, leaves what was there before.
 *
 * Returns: (transfer full) (nullable): what was done, or %NULL with %ASSAY_ERROR_DEVICE
 */
AssayBoardInstallation *
assay_board_install (const char *name, const AssayProgress *progress, GError **error)
{
  g_autoptr (AssayBoardInstallation) self = g_new0 (AssayBoardInstallation, 1);
  const AssayProgress copying = assay_progress_part (progress, 0.1, 0.9);
  g_autofree char *label = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (AssayBoard) board = NULL;
  g_auto (Answer) answer = { 0 };
  char *data;

  if (!check_name (name, error))
    return NULL;
  label = assay_board_dup_label (name);
  assay_progress_report (progress, 0, "looking at the board");
  if (!look_at_board (name, &answer, progress, error))
    return NULL;
  self->file = find_agent (label, &answer, error);
  if (self->file == NULL ||
      !assay_file_read (self->file, LARGEST_AGENT, &data, &self->bytes, error))
    return NULL;

  bytes = g_bytes_new_take (data, self->bytes);
  self->machine = g_strdup (get_line (&answer, "machine"));
  self->before = g_strdup (get_line (&answer, "version"));
  self->digest = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, bytes);
  self->copied = g_strcmp0 (get_line (&answer, "digest"), self->digest) != 0;
  if (self->copied && !copy (name, self, bytes, &copying, error))
    return NULL;

  board = assay_board_connect (name, 0, NULL, progress, error);
  if (board == NULL)
    return NULL;
  self->agent = g_strdup (assay_board_get_info (board)->writer);

  return g_steal_pointer (&self);
}

void
assay_board_installation_free (AssayBoardInstallation *self)
{
  g_free (self->machine);
  g_free (self->file);
  g_free (self->digest);
  g_free (self->before);
  g_free (self->agent);
  g_free (self);
}

/**
 * assay_board_remove:
 * @name: name of a board, `ssh:HOST`
 * @removed: (out): whether there was an agent
 * @progress: (nullable): cancel
 * @error: return location for a #GError
 *
 * Removes the agent that assay_board_install() has copied.
 *
 * Returns: whether there is none any more
 */
gboolean
assay_board_remove (const char *name, gboolean *removed, const AssayProgress *progress,
                    GError **error)
{
  g_autofree char *script = g_strdup_printf (take_away, NOT_REMOVED);
  g_auto (Answer) answer = { 0 };

  if (!check_name (name, error) || !run_script (name, script, NULL, &answer, progress, error))
    return FALSE;
  *removed = get_line (&answer, "removed") != NULL;

  return TRUE;
}
