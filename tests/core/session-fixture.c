/* session-fixture.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session-fixture.h"

#include "folder.h"
#include "model-writer.h"

void
session_fixture_init (SessionFixture *self, const char *target)
{
  self->folder = g_dir_make_tmp ("assay-session-XXXXXX", NULL);
  self->session = assay_session_new (target);
}

void
session_fixture_clear (SessionFixture *self)
{
  g_clear_error (&self->error);
  g_clear_object (&self->session);
  folder_remove (self->folder);
  g_free (self->folder);
  g_free (self->model);
}

/* Of a file in the folder. */
char *
session_fixture_path (SessionFixture *self, const char *name)
{
  return g_build_filename (self->folder, name, NULL);
}

/* A chain of three nodes, the one in the middle of this type. */
char *
session_fixture_write (SessionFixture *self, const char *name, const char *op_type)
{
  char *path = session_fixture_path (self, name);
  g_auto (ModelWriter) writer;
  g_autoptr (GError) error = NULL;

  model_writer_init (&writer, "chain");
  model_writer_input (&writer, "x", 1, "batch,64");
  model_writer_output (&writer, "y", 1, "batch,64");
  model_writer_node (&writer, "Relu", "/one/relu", "x", "a");
  model_writer_node (&writer, op_type, "/two/op", "a", "b");
  model_writer_node (&writer, "Sigmoid", "/two/last", "b", "y");
  g_assert_true (model_writer_save (&writer, path, 17, &error));
  g_assert_no_error (error);

  return path;
}

/* What a callback got; there is an error exactly when it did not succeed. */
void
session_fixture_take (SessionFixture *self, AssaySession *session, GAsyncResult *result,
                      SessionFinish finish)
{
  g_clear_error (&self->error);
  self->ok = finish (session, result, &self->error);
  g_assert_true (self->ok == (self->error == NULL));
  self->done = TRUE;
}

static void
opened_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  session_fixture_take (user_data, ASSAY_SESSION (object), result, assay_session_open_finish);
}

void
session_fixture_begin (SessionFixture *self, const char *path)
{
  self->done = FALSE;
  assay_session_open_async (self->session, path, NULL, opened_cb, self);
}

void
session_fixture_open (SessionFixture *self, const char *path)
{
  session_fixture_begin (self, path);
  session_fixture_wait_done (self);
}

/* Also everything that follows from it. */
void
session_fixture_wait_whole (SessionFixture *self)
{
  session_fixture_wait_done (self);
  session_fixture_wait_idle (self);
}

void
session_fixture_open_whole (SessionFixture *self, const char *path)
{
  session_fixture_begin (self, path);
  session_fixture_wait_whole (self);
}

static void
saved_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  session_fixture_take (user_data, ASSAY_SESSION (object), result, assay_session_save_finish);
}

void
session_fixture_save (SessionFixture *self, const char *path, const AssayViewState *view)
{
  self->done = FALSE;
  assay_session_save_async (self->session, path, view, saved_cb, self);
  session_fixture_wait_whole (self);
}

void
session_fixture_wait_done (SessionFixture *self)
{
  wait_until (self->done);
}

void
session_fixture_wait_idle (SessionFixture *self)
{
  session_wait_idle (self->session);
}

/* At least once, so that what was just asked for can begin. */
void
session_wait_idle (AssaySession *session)
{
  g_main_context_iteration (NULL, FALSE);
  wait_until (assay_session_get_state (session) != ASSAY_SESSION_LOADING &&
              !assay_session_get_busy (session));
}

/* A chain in scopes of ten, refused now and then, with one open dimension. */
char *
session_fixture_write_chain (SessionFixture *fixture, const char *name, guint n_nodes,
                             const char *fifth)
{
  const char *const types[] = { "Relu", "Sigmoid", "Tanh", "Softsign", fifth, "Celu" };
  char *path = session_fixture_path (fixture, name);
  g_autofree char *last = g_strdup_printf ("value%u", n_nodes);
  g_auto (ModelWriter) writer;
  g_autoptr (GError) error = NULL;

  model_writer_init (&writer, "chain");
  model_writer_input (&writer, "value0", 1, "batch,8");
  model_writer_output (&writer, last, 1, "batch,8");
  for (guint i = 0; i < n_nodes; i++)
    {
      g_autofree char *node = g_strdup_printf ("/block%u/op%u", i / 10, i);
      g_autofree char *from = g_strdup_printf ("value%u", i);
      g_autofree char *to = g_strdup_printf ("value%u", i + 1);

      model_writer_node (&writer, types[i % G_N_ELEMENTS (types)], node, from, to);
    }
  g_assert_true (model_writer_save (&writer, path, 17, &error));
  g_assert_no_error (error);

  return path;
}
