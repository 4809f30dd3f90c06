/* ort.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The peer: how much processor time ONNX Runtime takes to make a session. ort LIBRARY MODEL prints
 * milliseconds.
 *
 * The library exports OrtGetApiBase; the table behind it is fixed from version 1 on, so that no
 * header is needed.
 */
#include <dlfcn.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct
{
  void *const *(*get_api) (guint32 version);
  const char *(*get_version) (void);
} ApiBase;

enum
{
  GET_ERROR_MESSAGE = 2,
  CREATE_ENV = 3,
  CREATE_SESSION = 7,
  CREATE_SESSION_OPTIONS = 10,
  SET_INTRA_OP_THREADS = 24,
};

#define LOG_LEVEL_FATAL 4

static void *const *api;

static void
check (void *status)
{
  const char *(*message) (void *) = NULL;

  if (status == NULL)
    return;

  *(void **) &message = api[GET_ERROR_MESSAGE];
  fprintf (stderr, "ort: %s\n", message (status));
  exit (EXIT_FAILURE);
}

int
main (int argc, char **argv)
{
  const ApiBase *(*get_base) (void) = NULL;
  void *(*create_env) (int level, const char *name, void **env) = NULL;
  void *(*create_options) (void **options) = NULL;
  void *(*set_threads) (void *options, int n) = NULL;
  void *(*create_session) (void *env, const char *path, void *options, void **session) = NULL;
  void *library, *env, *options, *session;
  clock_t start;

  if (argc != 3)
    return EXIT_FAILURE;

  library = dlopen (argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library != NULL)
    *(void **) &get_base = dlsym (library, "OrtGetApiBase");
  if (get_base == NULL || (api = get_base ()->get_api (18)) == NULL)
    {
      fprintf (stderr, "ort: %s: not ONNX Runtime: %s\n", argv[1],
               library == NULL ? dlerror () : "no such version");
      return EXIT_FAILURE;
    }
  *(void **) &create_env = api[CREATE_ENV];
  *(void **) &create_options = api[CREATE_SESSION_OPTIONS];
  *(void **) &set_threads = api[SET_INTRA_OP_THREADS];
  *(void **) &create_session = api[CREATE_SESSION];

  check (create_env (LOG_LEVEL_FATAL, "bench", &env));
  check (create_options (&options));
  check (set_threads (options, 1));
  start = clock ();
  check (create_session (env, argv[2], options, &session));
  printf ("%.3f\n", (double) (clock () - start) * 1000 / CLOCKS_PER_SEC);

  return EXIT_SUCCESS;
}
