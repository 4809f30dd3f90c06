/* assay-board-trouble.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "run/board/assay-board-trouble.h"

#include <string.h>
#include <sys/wait.h>

#include "base/assay-error.h"
#include "run/board/assay-board.h"

/* Exit statuses of ssh itself, and of a shell that does not find or cannot run a program. */
#define SSH_FAILED 255
#define NOT_FOUND 127
#define NOT_RUN 126
/* A simple shell takes a program of another architecture for a script of its own. */
#define TAKEN_FOR_SCRIPT 2

/* Commands to be copied; %s is the host. */
static const char install[] = "assay boards --install ssh:%s";
#define INSTALL_AGAIN "Install Assay again if this stays."
static const char show_more[] = "ssh %s 'PATH=~/.local/bin:$PATH assay-board --version'";

/* A connection that ended, before or after the login. */
#define CUT                                                                                        \
  ASSAY_BOARD_STEP_REACHABLE, "The connection to %s was cut.", "Check cable, power and its log.",  \
      NULL

/* What ssh and shells say; the first row that fits counts. %s is the host. */
static const struct
{
  int exit_status;
  const char *said;
  AssayBoardStep step;
  const char *message;
  const char *remedy;
  const char *command;
} rows[] = {
  { SSH_FAILED, "HOST IDENTIFICATION HAS CHANGED", ASSAY_BOARD_STEP_HOST_KEY,
    "The key of %s changed.", "If you reinstalled it, remove the old key:", "ssh-keygen -R %s" },
  { SSH_FAILED, "Host key verification failed", ASSAY_BOARD_STEP_HOST_KEY,
    "The key of %s is not known here yet.", "Log in once to see and accept it:", "ssh %s" },
  { SSH_FAILED, "Permission denied", ASSAY_BOARD_STEP_LOGIN, "%s refused your keys.",
    "Copy your public key there:", "ssh-copy-id %s" },
  { SSH_FAILED, "Could not resolve hostname", ASSAY_BOARD_STEP_REACHABLE,
    "No computer is called %s.", "Check the name, or describe the host in ~/.ssh/config.", NULL },
  { SSH_FAILED, "Connection refused", ASSAY_BOARD_STEP_REACHABLE, "%s takes no ssh connections.",
    "Start the ssh server there.", NULL },
  { SSH_FAILED, "Connection closed", CUT },
  { SSH_FAILED, "closed by remote host", CUT },
  { SSH_FAILED, "Connection reset", CUT },
  { SSH_FAILED, "Broken pipe", CUT },
  { SSH_FAILED, "timed out", ASSAY_BOARD_STEP_REACHABLE, "No answer from %s in 5 s.",
    "Check cable and power.", NULL },
  { SSH_FAILED, "No route to host", ASSAY_BOARD_STEP_REACHABLE, "No network leads to %s.",
    "Check cable, power and the network.", NULL },
  { SSH_FAILED, "Network is unreachable", ASSAY_BOARD_STEP_REACHABLE, "No network leads to %s.",
    "Check cable, power and the network.", NULL },
  { NOT_FOUND, "shared libraries", ASSAY_BOARD_STEP_AGENT, "assay-board on %s cannot be started.",
    "This shows more:", show_more },
  { NOT_FOUND, "", ASSAY_BOARD_STEP_AGENT, "assay-board is not installed on %s.",
    "Install it:", install },
  { NOT_RUN, "", ASSAY_BOARD_STEP_AGENT, "assay-board on %s cannot be run there.",
    "Install the one for its architecture:", install },
  { TAKEN_FOR_SCRIPT, "yntax error", ASSAY_BOARD_STEP_AGENT,
    "assay-board on %s cannot be run there.", "Install the one for its architecture:", install },
};

/* What a deadline says (assay-child.c). */
static const char silence[] = "no answer";

static const char *const step_names[] = {
  [ASSAY_BOARD_STEP_REACHABLE] = "reachable",
  [ASSAY_BOARD_STEP_HOST_KEY] = "host key",
  [ASSAY_BOARD_STEP_LOGIN] = "login",
  [ASSAY_BOARD_STEP_AGENT] = "assay-board",
};

/**
 * assay_board_step_name:
 * @step: a step
 *
 * Names a step for a list of checks.
 *
 * Returns: such as `host key`
 */
const char *
assay_board_step_name (AssayBoardStep step)
{
  return step_names[step];
}

/**
 * assay_board_is_unreachable:
 * @wait_status: how ssh ended, as waitpid() tells it
 *
 * Tells whether ssh itself failed, rather than a command that it ran.
 *
 * Returns: whether it did
 */
gboolean
assay_board_is_unreachable (int wait_status)
{
  return WIFEXITED (wait_status) && WEXITSTATUS (wait_status) == SSH_FAILED;
}

static AssayBoardTrouble *
trouble_new (AssayBoardStep step, const char *message, const char *remedy, const char *command,
             const char *host)
{
  AssayBoardTrouble *self = g_new0 (AssayBoardTrouble, 1);
  g_auto (GStrv) parts = g_strsplit (message, "%s", 2);
  g_auto (GStrv) words = g_strsplit (command != NULL ? command : "", "%s", 2);

  self->step = step;
  self->message = g_strjoinv (host, parts);
  self->remedy = g_strdup (remedy);
  self->command = command != NULL ? g_strjoinv (host, words) : NULL;
  self->installs = command == install;

  return self;
}

/**
 * assay_board_trouble_find:
 * @name: name of the board
 * @wait_status: how ssh or the agent ended, as waitpid() tells it; 0 if that says nothing
 * @said: what it said on standard error
 * @cause: what went wrong with the conversation
 *
 * Finds out what is not in order with a board.
 *
 * Returns: (transfer full): the trouble
 */
AssayBoardTrouble *
assay_board_trouble_find (const char *name, int wait_status, const char *said, const GError *cause)
{
  g_autofree char *label = assay_board_dup_label (name);
  int status = WIFEXITED (wait_status) ? WEXITSTATUS (wait_status) : 0;
  const char *last = strrchr (said, '\n');
  const char *late;
  g_autofree char *message = NULL;

  if (assay_board_is_local (name))
    {
      message = g_strdup_printf ("%s: %s", label, *said != '\0' ? said : cause->message);
      return trouble_new (ASSAY_BOARD_STEP_AGENT, message, INSTALL_AGAIN, NULL, "");
    }

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      if (rows[i].exit_status == status && strstr (said, rows[i].said) != NULL)
        return trouble_new (rows[i].step, rows[i].message, rows[i].remedy, rows[i].command, label);
    }

  /* The last line of ssh, or none: it has ended, and no time has passed. */
  if (status == SSH_FAILED)
    {
      message = *said != '\0' ? g_strdup_printf ("%s: %s", label, last != NULL ? last + 1 : said)
                              : g_strdup_printf ("The connection to %s ended.", label);
      return trouble_new (ASSAY_BOARD_STEP_REACHABLE, message, "This shows more:", "ssh %s", label);
    }

  late = strstr (cause->message, silence);
  if (late != NULL)
    {
      message = g_strdup_printf ("No answer from %s%s.", label, late + strlen (silence));
      return trouble_new (ASSAY_BOARD_STEP_REACHABLE, message, "Check cable and power.", NULL,
                          label);
    }

  if (status != 0 && *said != '\0')
    message = g_strdup_printf ("%s: %s", label, last != NULL ? last + 1 : said);
  else
    message = g_strdup_printf ("%s: %s", label, cause->message);
  return trouble_new (ASSAY_BOARD_STEP_AGENT, message, "This shows more:", show_more, label);
}

/**
 * assay_board_trouble_new_version:
 * @name: name of the board
 * @message: how its agent differs from this Assay
 *
 * Makes the trouble of an agent of another version.
 *
 * Returns: (transfer full): the trouble
 */
AssayBoardTrouble *
assay_board_trouble_new_version (const char *name, const char *message)
{
  g_autofree char *label = assay_board_dup_label (name);

  if (assay_board_is_local (name))
    return trouble_new (ASSAY_BOARD_STEP_AGENT, message, INSTALL_AGAIN, NULL, "");

  return trouble_new (ASSAY_BOARD_STEP_AGENT, message, "Install the one of this Assay:", install,
                      label);
}

void
assay_board_trouble_free (AssayBoardTrouble *self)
{
  g_free (self->message);
  g_free (self->remedy);
  g_free (self->command);
  g_free (self);
}

/**
 * assay_board_trouble_to_error:
 * @self: a trouble
 * @error: return location for a #GError
 *
 * Makes an %ASSAY_ERROR_DEVICE of it, with the remedy.
 */
void
assay_board_trouble_to_error (const AssayBoardTrouble *self, GError **error)
{
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "%s %s%s%s", self->message, self->remedy,
               self->command != NULL ? " " : "", self->command != NULL ? self->command : "");
}
