/* test-backend.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The table of backends: what each is able to do, and the words for what it is not.
 */
#include <string.h>

#include "backend/assay-backend.h"
#include "backend/assay-config.h"
#include "backend/assay-program-metrics.h"
#include "backend/assay-program.h"
#include "backend/assay-sensitivity.h"
#include "base/assay-error.h"
#include "nnir/text/assay-text.h"
#include "target/assay-predicate.h"

#include "test-program.h"

typedef struct
{
  const char *family;
  const char *target; /* one that ships */
  guint capabilities;
  AssayVerdictKind untaken;
  gboolean divides;
} Expected;

/* In the order of lists. */
static const Expected table[] = {
  { "block-streaming", "ia_420f_c6b32",
    ASSAY_CAN (MAKES_PROGRAMS) | ASSAY_CAN (STREAMS) | ASSAY_CAN (HAS_STORES) |
        ASSAY_CAN (COUNTS_CYCLES) | ASSAY_CAN (RUNS_HERE) | ASSAY_CAN (DEPLOYS) |
        ASSAY_CAN (HAS_CONFIG),
    ASSAY_VERDICT_REJECTED, FALSE },
  { "delegate", "vulkan-main",
    ASSAY_CAN (MAKES_PROGRAMS) | ASSAY_CAN (HAS_STORES) | ASSAY_CAN (MEASURES_TIME) |
        ASSAY_CAN (RUNS_HERE) | ASSAY_CAN (DEPLOYS) | ASSAY_CAN (HAS_DEVICES),
    ASSAY_VERDICT_REJECTED, TRUE },
  { "dpu", "dpu_zdx8g_b512",
    ASSAY_CAN (MAKES_PROGRAMS) | ASSAY_CAN (HAS_STORES) | ASSAY_CAN (COUNTS_CYCLES) |
        ASSAY_CAN (RUNS_HERE) | ASSAY_CAN (DEPLOYS) | ASSAY_CAN (QUANTIZES),
    ASSAY_VERDICT_HOST, TRUE },
#ifdef ASSAY_EXAMPLES
  { "adder", "example-backend/adder.json",
    ASSAY_CAN (MAKES_PROGRAMS) | ASSAY_CAN (HAS_STORES) | ASSAY_CAN (COUNTS_CYCLES) |
        ASSAY_CAN (RUNS_HERE),
    ASSAY_VERDICT_REJECTED, FALSE },
#endif
};

static AssayTarget *
load (const char *id)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, id, NULL);
  AssayTarget *target = assay_target_load (strchr (id, '/') != NULL ? path : id, &error);

  g_assert_no_error (error);
  return target;
}

static void
test_rows (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      const AssayBackendClass *klass = assay_backend_get (i);
      g_autoptr (AssayTarget) target = load (table[i].target);

      g_assert_true (assay_backend_for_target (target) == klass);
      g_assert_cmpuint (assay_backend_get_place (klass), ==, i);
      g_assert_cmpstr (klass->check.family, ==, table[i].family);
      g_assert_cmpstr (assay_target_get_family (target), ==, table[i].family);
      g_assert_cmpuint (strlen (klass->title), >, 2);
      g_assert_cmpuint (klass->check.untaken, ==, table[i].untaken);
      g_assert_cmpint (klass->check.divides, ==, table[i].divides);
    }
  g_assert_null (assay_backend_get (G_N_ELEMENTS (table)));
}

/* Every target that ships belongs to a row. */
static void
test_targets (void)
{
  g_auto (GStrv) ids = assay_target_list ();

  for (guint i = 0; ids[i] != NULL; i++)
    {
      g_autoptr (AssayTarget) target = load (ids[i]);

      g_assert_cmpuint (assay_backend_get_place (assay_backend_for_target (target)), <,
                        G_N_ELEMENTS (table));
    }
}

static void
test_capabilities (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autoptr (AssayTarget) target = load (table[i].target);

      g_assert_true (assay_backend_has (target, ASSAY_CAPABILITY_NOTHING));
      for (guint c = 1; c < ASSAY_N_CAPABILITIES; c++)
        {
          gboolean has = (table[i].capabilities & 1u << c) != 0;
          g_autoptr (GError) error = NULL;

          g_assert_cmpint (assay_backend_has (target, c), ==, has);
          g_assert_cmpint (assay_backend_require (target, c, &error), ==, has);
          if (has)
            g_assert_no_error (error);
          else
            {
              g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
              g_assert_nonnull (strstr (error->message, assay_target_get_id (target)));
              g_assert_nonnull (strstr (error->message, assay_backend_get_lack (c)));
            }
        }
    }
  g_assert_false (assay_backend_has (NULL, ASSAY_CAPABILITY_MAKES_PROGRAMS));
}

/* A sentence about the target, without a full stop: a message may go on. */
static void
test_words (void)
{
  for (guint c = 1; c < ASSAY_N_CAPABILITIES; c++)
    {
      const char *words = assay_backend_get_lack (c);

      g_assert_true (g_ascii_isupper (*words));
      g_assert_false (g_str_has_suffix (words, "."));
      g_assert_nonnull (strstr (words, "his target"));
      for (guint other = 1; other < c; other++)
        g_assert_cmpstr (words, !=, assay_backend_get_lack (other));
    }
}

static void
test_families (void)
{
  static const char text[] = "{ \"id\": \"x\", \"title\": \"X\", \"summary\": \"x\", "
                             "\"family\": \"abacus\", \"rules\": [] }";
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_autoptr (AssayTarget) target = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *streaming = assay_backend_list_families (ASSAY_CAPABILITY_STREAMS);
  g_autofree char *all = assay_backend_list_families (ASSAY_CAPABILITY_NOTHING);

  target = assay_target_load_bytes (bytes, "own.json", NULL, &error);
  g_assert_null (target);
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
  g_assert_nonnull (strstr (error->message, "unknown family \"abacus\""));

  g_assert_cmpstr (streaming, ==, "block-streaming");
  g_assert_true (g_str_has_prefix (all, "block-streaming, delegate, dpu"));
}

/* A configuration is that of a card; another family says what it lacks. */
static void
test_config (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autoptr (AssayTarget) target = load (table[i].target);
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayConfig) config = assay_config_new_for_target (target, &error);

      if (assay_backend_has (target, ASSAY_CAPABILITY_HAS_CONFIG))
        g_assert_nonnull (config);
      else
        {
          g_assert_null (config);
          g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
          g_assert_nonnull (strstr (
              error->message,
              assay_backend_get_lack (assay_backend_has (target, ASSAY_CAPABILITY_MAKES_PROGRAMS)
                                          ? ASSAY_CAPABILITY_HAS_CONFIG
                                          : ASSAY_CAPABILITY_MAKES_PROGRAMS)));
        }
    }
}

/* Predicates of one family are in the list of all, once. */
static void
test_predicates (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    for (const AssayPredicate *row = assay_backend_get (i)->check.predicates;
         row != NULL && row->name != NULL; row++)
      g_assert_true (assay_predicate_lookup (row->name) == row);
}

#ifdef ASSAY_EXAMPLES

static void
append_row (AssayProgram *program, GString *text)
{
  assay_program_append_row (program, 1, text);
}

static void
append_listing (AssayProgram *program, GString *text)
{
  assay_program_append_listing (program, 0, 0, text);
}

static void
append_other_core (AssayProgram *program, GString *text)
{
  assay_program_append_listing (program, 0, 1, text);
  assay_program_append_memory (program, 1, text);
}

static void
append_memory (AssayProgram *program, GString *text)
{
  assay_program_append_memory (program, 0, text);
}

static void
append_search (AssayProgram *program, GString *text)
{
  assay_program_append_search (program, 0, text);
}

static void
append_counts (AssayProgram *program, GString *text)
{
  g_autoptr (AssayProgramMetrics) metrics = assay_program_metrics_new (program);

  for (guint i = 0; i < metrics->figures->len; i++)
    {
      const AssayProgramFigure *figure = &g_array_index (metrics->figures, AssayProgramFigure, i);

      g_string_append_printf (text, "%s %u of %u", figure->name, (guint) figure->used[0],
                              (guint) figure->limit);
    }
  g_string_append_printf (text, ", in %u, out %u", (guint) metrics->input_bytes[0],
                          (guint) metrics->output_bytes[0]);
}

static void
append_count (AssayProgram *program, GString *text)
{
  g_autofree char *count = assay_program_dup_count (program,
                                                    assay_program_get_cycles (program, 0)->spaced);

  g_string_append_printf (text, "%s, %s, %s, %u", count, assay_program_get_machine (program),
                          assay_program_get_estimate (program) == NULL ? "published" : "estimated",
                          assay_program_get_block_bytes (program));
}

static void
append_finds (AssayProgram *program, GString *text)
{
  g_autoptr (GArray) events = g_array_new (FALSE, FALSE, sizeof (AssayEvent));
  g_autoptr (GArray) path = assay_program_link_events (program, events);
  g_autoptr (GArray) sensitivity = assay_program_find_sensitivity (program, 0);
  int axis = 7;

  g_string_append_printf (text, "path %u, sensitivity %u, ranges %d, value %d", path->len,
                          sensitivity->len, assay_program_find_ranges (program, 1) != NULL,
                          assay_program_find_value (program, 1, &axis) || axis != -1);
}

static void
append_io_only (AssayProgram *program, GString *text)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (assay_program_new_io_only (program, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED);
  g_string_append (text, error->message);
}

/* A program whose backend brings what it must and nothing else says something about everything,
 * also when it comes back from its bytes. */
static void
test_plain_program (void)
{
  static const struct
  {
    void (*append) (AssayProgram *program, GString *text);
    const char *expected;
  } rows[] = {
    { append_row, "  1  add  second" },
    { append_listing, "  0  add  first\n  1  add  second\n" },
    { append_other_core, "" },
    { append_memory, "*store *0..5 *activation*0..1 *a\n*18..23 *1..2 *y\n" },
    { append_search, "" },
    { append_counts, "store 24 of *, in 48, out 24" },
    { append_count, "12, vm, published, 2" },
    { append_finds, "path 0, sensitivity 0, ranges 0, value 0" },
    { append_io_only, "programs of target adder* cannot be made to compute nothing" },
  };
  g_autoptr (AssayTarget) target = load ("example-backend/adder.json");
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "example-backend", "sums.nnir", NULL);
  g_autofree char *model = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayGraph) graph = NULL;
  g_autoptr (AssayProgram) built = NULL;
  g_autoptr (AssayProgram) loaded = NULL;
  g_autoptr (GBytes) bytes = NULL;

  g_file_get_contents (path, &model, NULL, &error);
  g_assert_no_error (error);
  graph = assay_graph_from_text (model, -1, NULL, &error);
  g_assert_no_error (error);
  built = assay_build_model (target, graph, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  bytes = assay_program_save_bytes (built, &error);
  g_assert_no_error (error);
  loaded = assay_program_load_bytes (bytes, &error);
  g_assert_no_error (error);

  for (guint i = 0; i < 2 * G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GString) text = g_string_new (NULL);

      rows[i / 2].append (i % 2 == 0 ? built : loaded, text);
      if (!g_pattern_match_simple (rows[i / 2].expected, text->str))
        g_error ("“%s”, expected “%s”", text->str, rows[i / 2].expected);
    }
}

#endif

TEST_PROGRAM (backend)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/backend/rows", test_rows);
  g_test_add_func ("/backend/targets", test_targets);
  g_test_add_func ("/backend/capabilities", test_capabilities);
  g_test_add_func ("/backend/words", test_words);
  g_test_add_func ("/backend/families", test_families);
  g_test_add_func ("/backend/config", test_config);
  g_test_add_func ("/backend/predicates", test_predicates);
#ifdef ASSAY_EXAMPLES
  g_test_add_func ("/backend/plain-program", test_plain_program);
#endif

  return g_test_run ();
}
