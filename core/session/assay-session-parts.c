/* assay-session-parts.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The objects of a session that have a state of their own.
 */
#include "session/assay-session-private.h"

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return g_strcmp0 (*(const char *const *) a, *(const char *const *) b);
}

/* The keys of a table of strings, sorted, so that what is made of them does not depend on chance.
 */
char **
_assay_list_keys (GHashTable *table)
{
  g_autoptr (GPtrArray) keys = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, table);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    g_ptr_array_add (keys, g_strdup (key));
  g_ptr_array_sort (keys, compare_names);
  g_ptr_array_add (keys, NULL);

  return (char **) g_ptr_array_free (g_steal_pointer (&keys), FALSE);
}

/**
 * assay_session_get_compilation:
 * @self: a session
 *
 * Gets the program of the model.
 *
 * Returns: (transfer none): the program, or why there is none
 */
AssayCompilation *
assay_session_get_compilation (AssaySession *self)
{
  return self->compilation;
}

/**
 * assay_session_get_run:
 * @self: a session
 *
 * Gets the run of the program.
 *
 * Returns: (transfer none): the run
 */
AssayRun *
assay_session_get_run (AssaySession *self)
{
  return self->run;
}

/**
 * assay_session_get_versus:
 * @self: a session
 *
 * Gets the comparison of two runs.
 *
 * Returns: (transfer none): the comparison
 */
AssayVersus *
assay_session_get_versus (AssaySession *self)
{
  return self->versus;
}

/**
 * assay_session_get_baseline:
 * @self: a session
 *
 * Gets the results that later ones are held against.
 *
 * Returns: (transfer none): the baseline
 */
AssayBaseline *
assay_session_get_baseline (AssaySession *self)
{
  return self->baseline;
}

/**
 * assay_session_get_trial:
 * @self: a session
 *
 * Gets what is being tried to make the program fit.
 *
 * Returns: (transfer none): the trial
 */
AssayTrial *
assay_session_get_trial (AssaySession *self)
{
  return self->trial;
}

/**
 * assay_session_get_fix_search:
 * @self: a session
 *
 * Gets the search for fixes.
 *
 * Returns: (transfer none): the search
 */
AssayFixSearch *
assay_session_get_fix_search (AssaySession *self)
{
  return self->fix_search;
}

/**
 * assay_session_get_rollout:
 * @self: a session
 *
 * Gets the deployment of the program.
 *
 * Returns: (transfer none): the rollout
 */
AssayRollout *
assay_session_get_rollout (AssaySession *self)
{
  return self->rollout;
}

/**
 * assay_session_get_node_table:
 * @self: a session
 *
 * Gets all nodes as a flat list.
 *
 * Returns: (transfer none): the table
 */
AssayNodeTable *
assay_session_get_node_table (AssaySession *self)
{
  return self->nodes;
}
