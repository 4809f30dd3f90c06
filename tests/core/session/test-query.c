/* test-query.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a search finds among the nodes of a session, and what it says of nothing found.
 */
#include "session-fixture.h"
#include "test-program.h"
#include "session/analysis/assay-query.h"

static void
set_up (SessionFixture *fixture, gconstpointer data)
{
  session_fixture_init (fixture, "vulkan-seed");
}

static void
tear_down (SessionFixture *fixture, gconstpointer data)
{
  session_fixture_clear (fixture);
}

static guint
count_found (AssayVerdicts *verdicts, const char *text, guint filter)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayQuery) query = assay_query_new (text, &error);
  g_autoptr (GArray) found = NULL;

  g_assert_no_error (error);
  found = assay_query_run (query, verdicts, filter);
  return found->len;
}

/* Words, facts and chains; nodes between the ends of a chain belong to it, and chains that do not
 * end do not count. */
static void
test_query (SessionFixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *text;
    const char *prefix;
  } places[] = {
    { "bytes>much", "Character 1: “much”" },
    { "Relu  size>1", "Character 7: “size”" },
    { "größe Relu -> op>x", "Character 15: op is compared" },
    { "a->b->c->d->e->f->g->h->i->j->k->l->m->n->o->p->q", "Character 49: a chain has at most 16" },
  };
  static const char *const wrong[] = { "colour=red", "bytes>big",       "op>Relu",
                                       "rank=",      "verdict=refused", "dtype=float32",
                                       "bytes > 1M", "core>2",          "shape<3" };
  static const struct
  {
    const char *query;
    guint n;
  } rows[] = {
    { "BLOCK3/OP3", 10 },
    { "op=relu", 20 },
    { "op!=relu", 40 },
    { "op=relu scope=block1", 4 },
    { "rank=2", 60 },
    { "rank>2", 0 },
    { "bytes>=1k", 0 },
    { "verdict= op=relu", 20 },
    { "op=*elu", 30 },
    { "S*", 20 },
    { "shape=x8", 60 },
    { "8", 60 },
    { "shape!=x8", 0 },
    { "bytes<1MiB", 0 },
    { "Relu -> Sigmoid", 20 },
    { "*elu -> Sig*", 20 },
    { "Relu->Sigmoid->Tanh", 30 },
    { "Sigmoid -> * -> Sinh", 30 },
    { "Sigmoid -> * -> Tanh", 0 },
    { "Sigmoid -> ** -> Celu", 50 },
    { "Celu -> Relu -> Sigmoid", 27 },
    { "Relu name=op0 -> Sigmoid", 2 },
    { "Rel -> Sigmoid", 0 },
    { "Relu -> ", 20 },
  };
  g_autofree char *path = session_fixture_write_chain (fixture, "chain.onnx", 60, "Relu");
  AssayVerdicts *verdicts;

  /* Ten times Relu, Sigmoid, Tanh, Sinh, Relu, Celu. */
  session_fixture_open (fixture, path);
  verdicts = assay_session_get_verdicts (fixture->session);
  g_assert_cmpuint (assay_graph_n_nodes (verdicts->graph), ==, 61);
  g_assert_cmpuint (count_found (verdicts, "", 1u << ASSAY_VERDICT_REJECTED), ==,
                    verdicts->counts[ASSAY_VERDICT_REJECTED]);
  g_assert_cmpuint (count_found (verdicts, "verdict=rejected", 0), ==,
                    verdicts->counts[ASSAY_VERDICT_REJECTED]);
  g_assert_cmpuint (count_found (verdicts, "verdict=rej", 0), ==,
                    verdicts->counts[ASSAY_VERDICT_REJECTED]);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    g_assert_cmpuint (count_found (verdicts, rows[i].query, 0), ==, rows[i].n);

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (assay_query_new (wrong[i], &error));
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
    }

  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (assay_query_new (places[i].text, &error));
      g_assert_true (g_str_has_prefix (error->message, places[i].prefix));
    }
}

/* Results that are no tensors, or of no known shape, have no type, rank or shape to ask for. */
static void
test_query_odd (SessionFixture *fixture, gconstpointer data)
{
  static const char text[] = "main (%x : f32[4,2], %c : bool[]) {\n"
                             "  const %i : i64[] = [0]\n"
                             "  %a = Relu(%x) @ \"known\"\n"
                             "  %s = SequenceConstruct(%a, %x) @ \"list\"\n"
                             "  %y = SequenceAt(%s, %i) @ \"one\"\n"
                             "  %n = NonZero(%y) @ \"open\"\n"
                             "  return %y, %n\n"
                             "}\n";
  static const struct
  {
    const char *query;
    guint n;
  } rows[] = {
    { "", 4 },
    { "dtype=f32", 2 },
    { "dtype=i64", 1 },
    { "rank=2", 3 },
    { "rank>=0", 3 },
    { "rank<=2", 3 },
    { "rank<2", 0 },
    { "dtype!=f32", 2 },
    { "dtype=", 4 },
    { "rank!=2", 0 },
    { "shape=4x2", 2 },
    { "4x2", 2 },
    { "shape=?", 1 },
    { "bytes>=32", 2 },
    { "bytes>1kb", 0 },
    { "bytes>=1kib", 0 },
    { "bytes<1k", 2 },
    { "core!=1", 0 },
    { "core=70", 0 },
    { "engine=vpu", 0 },
    { "rank>=0 op=SequenceConstruct", 0 },
    { "8 op=SequenceConstruct", 0 },
    { "shape!=x8 op=SequenceConstruct", 1 },
    { "scope!=nowhere", 4 },
    { "engine!=vpu", 4 },
    { "scope=one", 0 },
    { "list -> *", 0 },
    { "** -> NonZero", 1 },
  };
  g_autofree char *path = session_fixture_path (fixture, "odd.nnir");

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  session_fixture_open (fixture, path);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    g_assert_cmpuint (count_found (assay_session_get_verdicts (fixture->session), rows[i].query, 0),
                      ==, rows[i].n);
}

/* What finds nothing says which part of it is to blame. */
static void
test_query_explains (SessionFixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *text;
    guint filter;
    const char *sentence;
  } rows[] = {
    { "nowhere", 0, "No node matches “nowhere”." },
    { "op=Relu nowhere", 0, "No node matches “nowhere”." },
    { "op=Relu op=Tanh", 0, "Some nodes match each part, but none matches all of them." },
    { "cycles>5", 0, "cycles is not known of any node: there is no program yet." },
    { "core=3", 0, "core is not known of any node: there is no program yet." },
    { "ulp>1", 0, "ulp is not known of any node: no node was compared on its own yet." },
    { "bytes>1M", 0,
      "bytes is not known of any node: no shape is known; Setup binds open dimensions." },
    { "Relu -> Softmx", 0, "The model has no operator Softmx." },
    { "Tanh -> Relu", 0, "Each part of the chain is there, but never one after the other." },
    { "op=Relu", 1u << ASSAY_VERDICT_REMOVED,
      "20 nodes match, but the filter of verdicts hides them." },
    { "name=block0/op0", 1u << ASSAY_VERDICT_REMOVED,
      "1 node matches, but the filter of verdicts hides it." },
    { "", 1u << ASSAY_VERDICT_REMOVED, "60 nodes match, but the filter of verdicts hides them." },
  };
  g_autofree char *path = session_fixture_write_chain (fixture, "chain.onnx", 60, "Relu");
  AssayNodeFacts *facts;

  session_fixture_open (fixture, path);
  facts = assay_node_table_get_facts (assay_session_get_node_table (fixture->session));
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (AssayQuery) query = assay_query_new (rows[i].text, NULL);
      g_autoptr (GArray) found = assay_query_run_facts (query, facts, rows[i].filter);
      g_autofree char *sentence = assay_query_explain_nothing (query, facts, rows[i].filter);

      g_assert_cmpuint (found->len, ==, 0);
      g_assert_cmpstr (sentence, ==, rows[i].sentence);
    }
}

/* What the file calls an operator finds what it became; who asks for it as an operator is told. */
static void
test_query_origin (SessionFixture *fixture, gconstpointer data)
{
  static const char text[] = "main (%x : f32[4,2]) {\n"
                             "  const %w : f32[2,2] = [1, 2, 3, 4]\n"
                             "  const %b : f32[2] = [1, 2]\n"
                             "  %d = Gemm(%x, %w, %b) @ \"first\"\n"
                             "  %a = Relu(%d) @ \"second\"\n"
                             "  %y = Gemm(%a, %w, %b) @ \"third\"\n"
                             "  %z = Tanh(%y) @ \"fourth\"\n"
                             "  return %z\n"
                             "}\n";
  static const struct
  {
    const char *text;
    guint n;
    const char *why;
  } rows[] = {
    { "op=Linear", 2, NULL },
    { "from=gemm", 2, NULL },
    { "from=G*", 2, NULL },
    { "from!=Gemm", 2, NULL },
    { "from=Linear", 0, "No node matches “from=Linear”." },
    { "from=Gemm name=first -> Relu", 2, NULL },
    { "op=Gemm", 0, "No node is Gemm here; from=Gemm finds 2 that come from it." },
    { "Gem*", 0, "No node is Gem* here; from=Gem* finds 2 that come from it." },
    { "Gemm -> Relu", 0, "No node is Gemm here; from=Gemm finds 2 that come from it." },
    { "gemm first", 0, "No node is gemm here; from=gemm finds 2 that come from it." },
    { "op=Conv", 0, "No node matches “op=Conv”." },
    { "op!=Linear op=Gemm", 0, "No node is Gemm here; from=Gemm finds 2 that come from it." },
  };
  g_autofree char *path = session_fixture_path (fixture, "dense.nnir");
  AssayNodeFacts *facts;

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  session_fixture_open (fixture, path);
  facts = assay_node_table_get_facts (assay_session_get_node_table (fixture->session));
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (AssayQuery) query = assay_query_new (rows[i].text, NULL);
      g_autoptr (GArray) found = assay_query_run_facts (query, facts, 0);
      g_autofree char *sentence = NULL;

      g_assert_cmpuint (found->len, ==, rows[i].n);
      if (rows[i].n == 0)
        sentence = assay_query_explain_nothing (query, facts, 0);
      g_assert_cmpstr (sentence, ==, rows[i].why);
    }
}

TEST_PROGRAM (query)
{
  g_test_init (&argc, &argv, NULL);

#define ADD(path, function) g_test_add (path, SessionFixture, NULL, set_up, function, tear_down)
  ADD ("/query/found", test_query);
  ADD ("/query/explains", test_query_explains);
  ADD ("/query/odd", test_query_odd);
  ADD ("/query/origin", test_query_origin);
#undef ADD

  return g_test_run ();
}
