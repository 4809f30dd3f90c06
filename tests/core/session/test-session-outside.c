/* test-session-outside.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a session does with files that others made or change: programs that a session file names are
 * not started, and a model that is cut short while it is open takes nothing down.
 */
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assay-error.h"
#include "run/assay-runner.h"

#include "folder.h"
#include "model-writer.h"
#include "session-fixture.h"
#include "test-program.h"

#define TARGET "ia_420f_c6b32"
#define COMMAND "command:/bin/program --with arguments"
#define LIBRARY "ort:/tmp/library.so"

static void
set_up (SessionFixture *fixture, gconstpointer data)
{
  session_fixture_init (fixture, TARGET);
  fixture->model = session_fixture_write (fixture, "model.onnx", "Tanh");
}

static void
tear_down (SessionFixture *fixture, gconstpointer data)
{
  session_fixture_clear (fixture);
}

static char *
write_session (SessionFixture *fixture, const char *name, const char *runners)
{
  g_autofree char *text = g_strdup_printf ("{ \"schema\": \"assay.session/1\","
                                           "  \"model\": { \"path\": \"%s\" },"
                                           "  \"target\": { \"id\": \"" TARGET "\" },"
                                           "  \"run\": { %s } }",
                                           fixture->model, runners);
  char *path = session_fixture_path (fixture, name);

  g_file_set_contents (path, text, -1, NULL);
  return path;
}

static const char *
get_runner (SessionFixture *fixture, guint index)
{
  return index == 0 ? assay_run_get_runner (assay_session_get_run (fixture->session))
                    : assay_compare_activity_get_runner (
                          assay_session_get_compare_activity (fixture->session), index - 1);
}

static void
open_again (SessionFixture *fixture, const char *path)
{
  g_object_unref (fixture->session);
  fixture->session = assay_session_new (TARGET);
  session_fixture_open_whole (fixture, path);
  g_assert_no_error (fixture->error);
}

static gboolean
asks (SessionFixture *fixture)
{
  g_auto (GStrv) list = assay_session_dup_withheld (fixture->session);

  return list != NULL;
}

/* Each kind of runner in each place where a session file names one: who says which program it is
 * gets no program before the user has said yes. */
static void
test_every_runner (SessionFixture *fixture, gconstpointer data)
{
  static const char *const places[] = { "runner", "a", "b" };
  g_autoptr (AssayTarget) target = assay_target_load (TARGET, NULL);
  const AssayRunnerKind *kind;

  for (guint k = 0; (kind = assay_runner_kind_get (k)) != NULL; k++)
    for (guint i = 0; i < G_N_ELEMENTS (places); i++)
      {
        g_autofree char *runner = kind->argument != NULL ? g_strdup_printf ("%s:x", kind->name)
                                                         : g_strdup (kind->name);
        g_autofree char *member = g_strdup_printf ("\"%s\": \"%s\"", places[i], runner);
        g_autofree char *path = write_session (fixture, "one.assay", member);

        open_again (fixture, path);
        g_assert_cmpint (asks (fixture), ==, kind->names_program);
        if (kind->names_program)
          g_assert_false (assay_runner_names_program (get_runner (fixture, i)));
        else
          /* A machine that runs programs of others gives way to that of the target. */
          g_assert_cmpstr (get_runner (fixture, i), ==, assay_runner_for_target (runner, target));
      }
}

/* An answer is for one content in one folder. */
static void
test_answer (SessionFixture *fixture, gconstpointer data)
{
  g_autofree char *path = write_session (fixture, "a.assay",
                                         "\"runner\": \"" COMMAND "\", \"a\": \"" LIBRARY
                                         "\", \"b\": \"" COMMAND "\"");
  g_autofree char *elsewhere = session_fixture_path (fixture, "elsewhere");
  g_autofree char *moved = g_build_filename (elsewhere, "a.assay", NULL);
  g_auto (GStrv) withheld = NULL;
  g_autofree char *other = NULL;
  g_autofree char *text = NULL;

  open_again (fixture, path);
  withheld = assay_session_dup_withheld (fixture->session);
  g_assert_cmpuint (g_strv_length (withheld), ==, 2);
  g_assert_cmpstr (withheld[0], ==, COMMAND);
  g_assert_cmpstr (withheld[1], ==, LIBRARY);

  /* Saving loses nothing, and allows nothing. */
  assay_session_answer_withheld (fixture->session, FALSE);
  session_fixture_save (fixture, path, NULL);
  g_assert_no_error (fixture->error);
  g_file_get_contents (path, &text, NULL, NULL);
  g_assert_nonnull (strstr (text, COMMAND));
  g_assert_nonnull (strstr (text, LIBRARY));
  open_again (fixture, path);
  g_assert_true (asks (fixture));

  assay_session_answer_withheld (fixture->session, TRUE);
  g_assert_false (asks (fixture));
  g_assert_cmpstr (get_runner (fixture, 0), ==, COMMAND);
  g_assert_cmpstr (get_runner (fixture, 1), ==, LIBRARY);
  open_again (fixture, path);
  g_assert_false (asks (fixture));
  g_assert_cmpstr (get_runner (fixture, 2), ==, COMMAND);

  /* What the user saves, the user has seen. */
  assay_session_set_note (fixture->session, "/two/op", "mine");
  session_fixture_save (fixture, path, NULL);
  open_again (fixture, path);
  g_assert_false (asks (fixture));

  g_assert_cmpint (g_mkdir (elsewhere, 0700), ==, 0);
  other = write_session (fixture, "other.assay", "\"runner\": \"" COMMAND "\"");
  open_again (fixture, other);
  g_assert_true (asks (fixture));
  assay_session_answer_withheld (fixture->session, TRUE);
  open_again (fixture, other);
  g_assert_false (asks (fixture));
  g_assert_cmpint (g_rename (other, moved), ==, 0);
  open_again (fixture, moved);
  g_assert_true (asks (fixture));
}

/* A model opened after it has nothing to do with it. */
static void
test_forgotten (SessionFixture *fixture, gconstpointer data)
{
  g_autofree char *path = write_session (fixture, "a.assay", "\"runner\": \"" COMMAND "\"");

  session_fixture_open_whole (fixture, path);
  g_assert_true (asks (fixture));
  session_fixture_open_whole (fixture, fixture->model);
  g_assert_false (asks (fixture));
}

/* A policy beside the model that nobody writes to is no policy, and is not waited for. */
static void
test_policy (SessionFixture *fixture, gconstpointer data)
{
  g_autofree char *policy = session_fixture_path (fixture, "assay-policy.json");

  g_assert_cmpint (mkfifo (policy, 0600), ==, 0);
  session_fixture_open_whole (fixture, fixture->model);
  g_assert_cmpint (assay_session_get_state (fixture->session), ==, ASSAY_SESSION_READY);
}

/* Shown, compiled, run and read again, with what is left of the file. */
static void
test_cut_short (SessionFixture *fixture, gconstpointer data)
{
  static const gsize sizes[] = { 0, 100, 4096, 40000 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autofree char *path = session_fixture_path (fixture, "large.onnx");
      g_auto (ModelWriter) writer;
      AssayRun *run;

      model_writer_init (&writer, "large");
      model_writer_input (&writer, "x", 1, "1,128");
      model_writer_output (&writer, "y", 1, "1,128");
      model_writer_weight (&writer, "w", 2, (const gint64[]){ 128, 128 });
      model_writer_node (&writer, "MatMul", "product", "x,w", "y");
      g_assert_true (model_writer_save (&writer, path, 17, NULL));
      open_again (fixture, path);

      g_assert_cmpint (truncate (path, (off_t) sizes[i]), ==, 0);
      run = assay_session_get_run (fixture->session);
      assay_run_set_runner (run, "reference");
      assay_run_start (run);
      session_fixture_wait_idle (fixture);
      wait_until (
          (assay_document_get_changed_files (assay_session_get_document (fixture->session)) &
           ASSAY_DOCUMENT_MODEL_CHANGED) != 0);
      assay_session_reload (fixture->session);
      session_fixture_wait_idle (fixture);
    }
}

TEST_PROGRAM (session_outside)
{
  g_autofree char *state = g_dir_make_tmp ("assay-state-XXXXXX", NULL);
  int status;

  g_setenv ("XDG_STATE_HOME", state, TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/session-outside/every-runner", SessionFixture, NULL, set_up, test_every_runner,
              tear_down);
  g_test_add ("/session-outside/answer", SessionFixture, NULL, set_up, test_answer, tear_down);
  g_test_add ("/session-outside/forgotten", SessionFixture, NULL, set_up, test_forgotten,
              tear_down);
  g_test_add ("/session-outside/policy", SessionFixture, NULL, set_up, test_policy, tear_down);
  g_test_add ("/session-outside/cut-short", SessionFixture, NULL, set_up, test_cut_short,
              tear_down);
  status = g_test_run ();
  folder_remove (state);

  return status;
}
