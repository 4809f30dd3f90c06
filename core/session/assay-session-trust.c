/* assay-session-trust.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Programs that a session file names are not started before the user has allowed them: until then
 * the session does not have the runners, so that nothing can start them by mistake.
 */
#include "session/assay-session-private.h"

#include "document/assay-trust.h"
#include "run/assay-runner.h"
#include "run/board/assay-board-list.h"

static const char *
get_runner (AssaySession *self, guint index)
{
  return index == 0 ? assay_run_get_runner (self->run)
                    : assay_compare_activity_get_runner (self->comparing, index - 1);
}

static void
set_runner (AssaySession *self, guint index, const char *runner)
{
  if (index == 0)
    assay_run_set_runner (self->run, runner);
  else
    assay_compare_activity_set_runner (self->comparing, index - 1, runner);
}

void
assay_session_clear_withheld (AssaySession *self)
{
  for (guint i = 0; i < ASSAY_SESSION_N_RUNNERS; i++)
    g_clear_pointer (&self->withheld[i], g_free);
}

/* A machine runs programs of its own targets alone. */
void
assay_session_match_runners (AssaySession *self)
{
  for (guint i = 0; i < ASSAY_SESSION_N_RUNNERS; i++)
    {
      const char *runner = assay_runner_for_target (get_runner (self, i), self->target);

      if (runner != get_runner (self, i))
        set_runner (self, i, runner);
    }
}

/**
 * assay_session_get_runner_choice:
 * @self: a session
 * @n: number of a choice
 *
 * Gets a runner that can be chosen by its name alone and runs what is made for the target.
 *
 * Returns: (transfer none) (nullable): the n-th one, or %NULL behind the last
 */
const AssayRunnerKind *
assay_session_get_runner_choice (AssaySession *self, guint n)
{
  const AssayRunnerKind *kind;

  g_return_val_if_fail (ASSAY_IS_SESSION (self), NULL);

  for (guint i = 0; (kind = assay_runner_kind_get (i)) != NULL; i++)
    if ((kind->argument == NULL || kind->argument_optional) &&
        g_str_equal (assay_runner_for_target (kind->name, self->target), kind->name) && n-- == 0)
      return kind;

  return NULL;
}

/**
 * assay_session_list_boards:
 * @self: a session
 *
 * Lists where programs of the target can be deployed to, with what is chosen now.
 *
 * Returns: (transfer full) (element-type utf8): names
 */
GPtrArray *
assay_session_list_boards (AssaySession *self)
{
  const char *chosen = assay_deploy_activity_get_board (self->deploying);
  GPtrArray *boards = assay_board_list_places (chosen);

  for (guint i = boards->len; i > 0; i--)
    {
      const char *board = g_ptr_array_index (boards, i - 1);

      /* A device is the runner of the same name. */
      if (assay_board_is_device (board) && !g_str_equal (board, chosen) &&
          !g_str_equal (assay_runner_for_target (board, self->target), board))
        g_ptr_array_remove_index (boards, i - 1);
    }

  return boards;
}

/* Takes the runners of the file that was read, but for those that name programs. */
void
assay_session_take_runners (AssaySession *self)
{
  const AssaySessionFile *file = assay_document_get_file (self->document);
  const char *const runners[] = { file->runner, file->sides[0], file->sides[1] };

  assay_session_clear_withheld (self);
  for (guint i = 0; i < ASSAY_SESSION_N_RUNNERS; i++)
    {
      if (runners[i] == NULL)
        continue;
      if (file->is_trusted || !assay_runner_names_program (runners[i]))
        {
          set_runner (self, i, runners[i]);
          continue;
        }
      self->withheld[i] = g_strdup (runners[i]);
      /* One that an earlier file had must not stay either. */
      if (assay_runner_names_program (get_runner (self, i)))
        set_runner (self, i, "reference");
      self->displaced[i] = g_intern_string (get_runner (self, i));
    }

  g_object_notify (G_OBJECT (self), "withheld");
}

/* What was not allowed is not lost; it is asked about again. */
void
assay_session_keep_runners (AssaySession *self, AssaySessionFile *file)
{
  char **const places[] = { &file->runner, &file->sides[0], &file->sides[1] };

  file->is_trusted = TRUE;
  for (guint i = 0; i < ASSAY_SESSION_N_RUNNERS; i++)
    {
      const char *runner = get_runner (self, i);
      gboolean withheld = self->withheld[i] != NULL && g_str_equal (runner, self->displaced[i]);

      if (withheld)
        runner = self->withheld[i];
      file->is_trusted &= !withheld;
      g_free (*places[i]);
      *places[i] = g_strdup (runner);
    }
}

/**
 * assay_session_dup_withheld:
 * @self: a session
 *
 * Lists the runners of the session file that name programs and that nobody has allowed yet. The
 * session does not have them.
 *
 * Returns: (transfer full) (nullable) (array zero-terminated=1): the runners, each once; %NULL if
 * there are none
 */
char **
assay_session_dup_withheld (AssaySession *self)
{
  g_autoptr (GPtrArray) list = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < ASSAY_SESSION_N_RUNNERS; i++)
    if (self->withheld[i] != NULL &&
        !g_ptr_array_find_with_equal_func (list, self->withheld[i], g_str_equal, NULL))
      g_ptr_array_add (list, g_strdup (self->withheld[i]));
  if (list->len == 0)
    return NULL;

  g_ptr_array_add (list, NULL);
  g_ptr_array_set_free_func (list, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&list), FALSE);
}

/**
 * assay_session_answer_withheld:
 * @self: a session
 * @allow: whether the programs may be started
 *
 * Takes what the user says to the programs that the session file names. If they are allowed, the
 * session has the runners from then on, and the file is not asked about again as long as it stays
 * what and where it is; otherwise the runners stay as they are, and are asked about again when the
 * file is opened.
 */
void
assay_session_answer_withheld (AssaySession *self, gboolean allow)
{
  const AssaySessionFile *file;

  g_return_if_fail (ASSAY_IS_SESSION (self));

  file = assay_document_get_file (self->document);
  if (!allow || file == NULL)
    return;

  for (guint i = 0; i < ASSAY_SESSION_N_RUNNERS; i++)
    {
      g_autofree char *runner = g_steal_pointer (&self->withheld[i]);

      if (runner != NULL)
        set_runner (self, i, runner);
    }
  /* If it cannot be kept, the question comes again. */
  if (file->trust_key != NULL)
    (void) !assay_trust_add (file->trust_key, assay_document_get_opened_path (self->document),
                             NULL);
  g_object_notify (G_OBJECT (self), "withheld");
}
