/* session-fixture.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "session/assay-session.h"
#include "wait.h"

G_BEGIN_DECLS

/* A session with a folder for its files, and how the last call of it ended. */
typedef struct
{
  char *folder;
  char *model; /* for tests that all open the same one */
  AssaySession *session;
  gboolean done;
  gboolean ok;
  GError *error;
} SessionFixture;

typedef gboolean (*SessionFinish) (AssaySession *session, GAsyncResult *result, GError **error);

void session_fixture_init (SessionFixture *self, const char *target);
void session_fixture_clear (SessionFixture *self);
char *session_fixture_path (SessionFixture *self, const char *name) G_GNUC_WARN_UNUSED_RESULT;
char *session_fixture_write (SessionFixture *self, const char *name,
                             const char *op_type) G_GNUC_WARN_UNUSED_RESULT;
char *session_fixture_write_chain (SessionFixture *self, const char *name, guint n_nodes,
                                   const char *fifth) G_GNUC_WARN_UNUSED_RESULT;
void session_fixture_take (SessionFixture *self, AssaySession *session, GAsyncResult *result,
                           SessionFinish finish);
void session_fixture_begin (SessionFixture *self, const char *path);
void session_fixture_open (SessionFixture *self, const char *path);
void session_fixture_open_whole (SessionFixture *self, const char *path);
void session_fixture_save (SessionFixture *self, const char *path, const AssayViewState *view);
void session_fixture_wait_whole (SessionFixture *self);
void session_fixture_wait_done (SessionFixture *self);
void session_fixture_wait_idle (SessionFixture *self);
void session_wait_idle (AssaySession *session);

G_END_DECLS
