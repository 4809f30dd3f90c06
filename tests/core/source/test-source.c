/* test-source.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The table of sources: which one takes a file, what is refused, and NNIR text as one of them.
 */
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/assay-error.h"
#include "folder.h"
#include "test-program.h"
#include "nnir/assay-verify.h"
#include "nnir/text/assay-text.h"
#include "session/analysis/assay-problem.h"
#include "source/assay-source.h"

static const char small[] = "nnir 1\n"
                            "main (%x : f32[batch,4]) {\n"
                            "  const %w : f32[4] = [1.0, 2.0, 3.0, 4.0]\n"
                            "  %y = Mul(%x, %w)\n"
                            "  %z = Relu(%y) @ \"last\"\n"
                            "  return %z\n"
                            "}\n";

typedef struct
{
  char *path;
} Folder;

static void
folder_set_up (Folder *self, gconstpointer data)
{
  self->path = g_dir_make_tmp ("assay-source-XXXXXX", NULL);
  g_assert_nonnull (self->path);
}

static void
folder_tear_down (Folder *self, gconstpointer data)
{
  folder_remove (self->path);
  g_free (self->path);
}

static char *
write_file (const char *folder, const char *name, const char *data, gssize size)
{
  char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GError) error = NULL;

  g_file_set_contents (path, data, size, &error);
  g_assert_no_error (error);

  return path;
}

/* Why a file is refused. */
static char *
refuse (const char *folder, const char *name, const char *data, gssize size, int code)
{
  g_autofree char *path = write_file (folder, name, data, size);
  g_autoptr (GError) error = NULL;

  g_assert_null (assay_model_read (path, NULL, NULL, NULL, &error));
  g_assert_error (error, ASSAY_ERROR, code);
  g_assert_true (g_str_has_prefix (error->message, path));

  return g_strdup (error->message);
}

static AssayGraph *
read_text (const char *text, const AssayImportOptions *options, AssayFindings *findings)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_autoptr (GError) error = NULL;
  AssayGraph *graph = assay_model_read_bytes (bytes, NULL, options, findings, NULL, &error);

  g_assert_no_error (error);
  return graph;
}

static void
test_table (void)
{
  guint n_exchange = 0;

  for (guint i = 0; assay_importer_get (i) != NULL; i++)
    {
      const AssayImporter *self = assay_importer_get (i);
      g_autofree char *name = g_strconcat ("some.model", self->suffixes[0], NULL);
      g_autofree char *stem = assay_importer_dup_stem (name);
      g_autofree char *patterns = assay_importer_dup_patterns (self);

      g_assert_true (assay_importer_of_name (name) == self);
      g_assert_cmpstr (stem, ==, "some.model");
      g_assert_true (g_str_has_prefix (patterns, "*."));
      g_assert_nonnull (strchr (self->mime_type, '/'));
      for (guint k = 0; k < i; k++)
        g_assert_cmpstr (self->id, !=, assay_importer_get (k)->id);
      n_exchange += self->exchange;
    }

  g_assert_cmpuint (n_exchange, ==, 1);
  g_assert_null (assay_importer_of_name ("model.txt"));
}

static const struct
{
  const char *data;
  gsize size;
  const char *name;
  const char *id;
} sniffed[] = {
  { "\x08\x07\x12\x00", 4, NULL, "onnx" },
  { "\x08\x07\x12\x00", 4, "model.nnir", "onnx" },
  { "nnir 1\nmain", 11, "model.onnx", "nnir" },
  { " // a comment\n\n//another\nnnir 1\n", 32, NULL, "nnir" },
  { "main () {}", 10, "model.nnir", "nnir" },
  { "// nnir 1", 9, NULL, "onnx" },
  { "nnirvana", 8, NULL, "onnx" },
  { "nnir", 4, NULL, "onnx" },
  { "// text\nmodule {\n}", 18, NULL, "torch" },
  { "func.func @f() {", 16, "model.onnx", "torch" },
  { "modules", 7, NULL, "onnx" },
  { "// module", 9, NULL, "onnx" },
  { "%0 = torch.constant.int 1", 25, "model.mlir", "torch" },
  { "letter", 6, "letter.txt", "onnx" },
  { "", 0, NULL, "onnx" },
  { "", 0, "empty.nnir", "nnir" },
};

static void
test_sniff (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (sniffed); i++)
    g_assert_cmpstr (
        assay_importer_of_data ((const guint8 *) sniffed[i].data, sniffed[i].size, sniffed[i].name)
            ->id,
        ==, sniffed[i].id);
}

static void
test_refused (Folder *folder, gconstpointer data)
{
  g_autofree char *empty = refuse (folder->path, "empty.nnir", "", 0, ASSAY_ERROR_IMPORT);
  g_autofree char *empty_onnx = refuse (folder->path, "empty.onnx", "", 0, ASSAY_ERROR_IMPORT);
  g_autofree char *torch = refuse (folder->path, "model.pt", "PK\x03\x04rest", 8,
                                   ASSAY_ERROR_IMPORT);
  g_autofree char *named = refuse (folder->path, "model.nnir", "PK\x03\x04rest", 8,
                                   ASSAY_ERROR_IMPORT);
  g_autofree char *pipe = g_build_filename (folder->path, "pipe.nnir", NULL);
  g_autoptr (AssayProblem) problem = NULL;
  g_autoptr (GError) refused = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_nonnull (strstr (empty, "is empty"));
  g_assert_nonnull (strstr (empty_onnx, "is empty"));
  g_assert_nonnull (strstr (torch, "torch.onnx.export"));
  /* A window shows its own advice below. */
  refused = g_error_new_literal (ASSAY_ERROR, ASSAY_ERROR_IMPORT, torch);
  problem = assay_problem_new (refused, NULL, NULL);
  g_assert_null (strstr (problem->advice, "torch"));
  g_assert_nonnull (strstr (named, "torch.onnx.export"));

  g_assert_null (assay_model_read (folder->path, NULL, NULL, NULL, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IO);
  g_assert_nonnull (strstr (error->message, "is a folder"));
  g_clear_error (&error);

  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  g_assert_null (assay_model_read (pipe, NULL, NULL, NULL, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IO);
  g_assert_nonnull (strstr (error->message, "not a regular file"));
  g_clear_error (&error);
  g_unlink (pipe);

  g_assert_null (assay_model_read (pipe, NULL, NULL, NULL, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IO);
}

static const struct
{
  const char *text;
  const char *message;
} broken[] = {
  { "nnir 2\nmain () {}", "line 1, column 6: " },
  { "nnir 1\n", "no “main”" },
  { "nnir 1\nmain (%x : f32[2]) {\n  %y = Relu(%x\n  %z = = 1\n}\n", "line 4, column 3: " },
  { "nnir 1\nmain (%x : f32[2]) {\n  %y = (%x)\n  return %y\n}\n", "line 3, column 8: " },
  { "nnir 1\nmain () {\n  return %nothing\n}\n", "“nothing” is read but not defined" },
  { "nnir 1\nmain (%x : f32[2]) {\n %a = Relu(%x) @ \"n\"\n %b = Relu(%x) @ \"n\"\n return %a, "
    "%b\n}",
    "two nodes are called" },
  { "nnir 1\ngraph \"\" {level = streamed}\nmain () {}\n", "one timestep" },
};

static void
test_broken (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr (GBytes) bytes = g_bytes_new_static (broken[i].text, strlen (broken[i].text));
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) error = NULL;

  g_assert_null (assay_model_read_bytes (bytes, NULL, NULL, findings, NULL, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, broken[i].message));
}

static void
test_options (void)
{
  static const struct
  {
    AssaySetting setting;
    const char *values[2];
  } cases[] = { { ASSAY_SETTING_BIND, { "batch=3" } },
                { ASSAY_SETTING_BIND, { "x:0=3" } },
                { ASSAY_SETTING_SHAPES, { "3,?" } } };
  g_autoptr (AssaySettings) unknown = NULL;
  AssayImportOptions wrong = { 0 };
  g_autoptr (GBytes) bytes = g_bytes_new_static (small, strlen (small));
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AssaySettings) settings = NULL;
      AssayImportOptions options = { 0 };
      g_autoptr (AssayGraph) graph = NULL;
      const AssayRegion *region;
      const AssayType *type;

      assay_settings_set_list (&settings, cases[i].setting, cases[i].values);
      options.settings = settings;
      graph = read_text (small, &options, NULL);
      region = assay_graph_region (graph, ASSAY_MAIN_REGION);
      type = assay_graph_value (graph, g_array_index (region->outputs, AssayValueId, 0))->type;
      g_assert_cmpint (type->rank, ==, 2);
      g_assert_cmpint (type->dims[0].size, ==, 3);
      g_assert_cmpint (type->dims[1].size, ==, 4);
    }

  assay_settings_set_number (&unknown, ASSAY_SETTING_BIND, "time", 3);
  wrong.settings = unknown;
  g_assert_null (assay_model_read_bytes (bytes, NULL, &wrong, NULL, NULL, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
}

/* What inference has computed of a shape goes when the shape is another one. */
static void
test_override_computed (void)
{
  static const char text[] = "nnir 1\n"
                             "main (%x : f32[2,4]) {\n"
                             "  %s = Shape(%x) : i64[2] = [2, 4]\n"
                             "  %y = ConstantOfShape(%s) : f32[2,4]\n"
                             "  return %y\n"
                             "}\n";
  g_autoptr (AssaySettings) settings = NULL;
  AssayImportOptions options = { 0 };
  g_autoptr (AssayGraph) graph = NULL;
  const AssayRegion *region;
  const AssayType *type;

  g_assert_true (assay_settings_set_shape (&settings, 0, "5,4", NULL));
  options.settings = settings;
  graph = read_text (text, &options, NULL);
  region = assay_graph_region (graph, ASSAY_MAIN_REGION);
  type = assay_graph_value (graph, g_array_index (region->outputs, AssayValueId, 0))->type;
  g_assert_cmpint (type->rank, ==, 2);
  g_assert_cmpint (type->dims[0].size, ==, 5);
}

/* A text that somebody wrote is its own origin; one that was made of a model says what that was. */
static void
test_provenance (void)
{
  g_autoptr (AssayGraph) written = read_text (small, NULL, NULL);
  g_autoptr (AssayGraph)
      made = read_text ("nnir 1\norigin 0 \"graph\" 7 Relu \"r\"\nmain (%x : f32[2]) {\n"
                        "  %y = Relu(%x) : f32[2] @ \"r\" from [0]\n  return %y\n}\n",
                        NULL, NULL);
  const AssayOrigin *origin;

  g_assert_cmpstr (written->source, ==, "nnir");
  g_assert_true (assay_importer_of_graph (written) == &assay_importer_nnir);
  g_assert_cmpuint (written->origins->len, ==, 2);
  origin = &g_array_index (written->origins, AssayOrigin, 1);
  g_assert_cmpstr (origin->path, ==, "main");
  g_assert_cmpuint (origin->index, ==, 1);
  g_assert_cmpstr (origin->name, ==, "last");
  g_assert_true (assay_graph_verify (written, NULL));

  g_assert_cmpuint (made->origins->len, ==, 1);
  g_assert_cmpuint (g_array_index (made->origins, AssayOrigin, 0).index, ==, 7);
}

static void
test_absent (void)
{
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (AssayGraph)
      graph = read_text ("nnir 1\nmain (%x : f32[2]) {\n  const %w : f32[2] = digest \"sha256:0\"\n"
                         "  %y = Mul(%x, %w)\n  return %y\n}\n",
                         NULL, findings);
  const AssayFinding *finding = NULL;

  for (guint i = 0; i < assay_findings_get_count (findings); i++)
    if (g_str_equal (assay_findings_get (findings, i)->rule, "import.absent"))
      finding = assay_findings_get (findings, i);
  g_assert_nonnull (graph);
  g_assert_nonnull (finding);
  g_assert_cmpint (finding->severity, ==, ASSAY_SEVERITY_WARNING);
}

/* Each example model, written as NNIR text, opens again as the same graph. */
static void
test_examples (Folder *folder, gconstpointer data)
{
  g_autofree char *examples = g_test_build_filename (G_TEST_BUILT, "..", "data", "examples", NULL);
  g_autoptr (GDir) dir = g_dir_open (examples, 0, NULL);
  const char *name;
  guint n = 0;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (examples, name, NULL);
      g_autofree char *text = NULL;
      g_autofree char *again = NULL;
      g_autofree char *written = NULL;
      g_autoptr (AssayGraph) graph = NULL;
      g_autoptr (AssayGraph) read = NULL;
      g_autoptr (GError) error = NULL;

      if (assay_importer_of_name (name) != &assay_importer_onnx)
        continue;
      graph = assay_model_read (path, NULL, NULL, NULL, &error);
      g_assert_no_error (error);
      text = assay_graph_to_text (graph, ASSAY_TEXT_ALL_DATA, &error);
      g_assert_no_error (error);
      written = write_file (folder->path, "again.nnir", text, -1);
      read = assay_model_read (written, NULL, NULL, NULL, &error);
      g_assert_no_error (error);
      again = assay_graph_to_text (read, ASSAY_TEXT_ALL_DATA, &error);
      g_assert_no_error (error);
      g_test_message ("%s", name);
      g_assert_cmpstr (text, ==, again);
      n++;
    }

  g_assert_cmpuint (n, >, 4);
}

/* What the desktop is told of files comes from no table that it could read, so it is compared. */
static void
test_desktop (void)
{
  static const char *const files[] = { "org.assay.Workbench.desktop.in",
                                       "org.assay.Workbench.metainfo.xml.in",
                                       "org.assay.Workbench.mime.xml" };
  const AssayImporter *const shipped[] = { &assay_importer_onnx, &assay_importer_nnir,
                                           &assay_importer_torch };

  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *path = g_test_build_filename (G_TEST_DIST, "..", "data", files[i], NULL);
      g_autofree char *text = NULL;

      g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
      for (guint k = 0; k < G_N_ELEMENTS (shipped); k++)
        g_assert_nonnull (strstr (text, shipped[k]->mime_type));
    }
}

TEST_PROGRAM (source)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/source/table", test_table);
  g_test_add_func ("/source/sniff", test_sniff);
  g_test_add ("/source/refused", Folder, NULL, folder_set_up, test_refused, folder_tear_down);
  for (guint i = 0; i < G_N_ELEMENTS (broken); i++)
    {
      g_autofree char *name = g_strdup_printf ("/source/broken/%u", i);

      g_test_add_data_func (name, GUINT_TO_POINTER (i), test_broken);
    }
  g_test_add_func ("/source/options", test_options);
  g_test_add_func ("/source/override-computed", test_override_computed);
  g_test_add_func ("/source/provenance", test_provenance);
  g_test_add_func ("/source/absent", test_absent);
  g_test_add ("/source/examples", Folder, NULL, folder_set_up, test_examples, folder_tear_down);
  g_test_add_func ("/source/desktop", test_desktop);

  return g_test_run ();
}
