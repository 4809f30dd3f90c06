/* test-overlay-file.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Overlays from outside: CSV and JSON, reports of our own, and what is wrong with a file.
 */
#include <glib/gstdio.h>
#include <math.h>

#include "base/assay-error.h"
#include "nnir/assay-graph-builder.h"
#include "report/assay-overlay-file.h"
#include "target/assay-target.h"
#include "graphs.h"
#include "test-program.h"

static AssayOverlayFile *
parse (const char *text, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));

  return assay_overlay_file_parse (bytes, "values.csv", error);
}

static const struct
{
  const char *text;
  const char *expected; /* title [unit]: name=value, one after the other */
} right[] = {
  { "a,1\nb,2.5\n", "values.csv: a=1 b=2.5" },
  { "node,time [us]\r\na, 1 \r\n\r\nb,2\r\n", "time [us]: a=1 b=2" },
  { "Name;Calls\na;1e3\n\"b;c\";-2\n", "Calls: a=1000 b;c=-2" },
  { "a\t1\n", "values.csv: a=1" },
  { "'=a,1\n'b,2\n\"'-c,d\",3\n", "values.csv: =a=1 'b=2 -c,d=3" },
  { "what,how much\na,3\nb,\n", "how much: a=3" },
  { "\"say \"\"hi\"\"\",1,more,columns\n", "values.csv: say \"hi\"=1" },
  { "\xef\xbb\xbf"
    "a,1",
    "values.csv: a=1" },
  { "a,fast\nb,slow\n", "values.csv: a=fast b=slow" },
  { "node,speed\na,fast\nb,7\n", "speed: a=fast b=7" },
  { "a,fast\n", "values.csv: a=fast" },
  { "node,\na,1\n", "values.csv: a=1" },
  { "{\"schema\": 3, \"a\": 1}", "values.csv: schema=3 a=1" },
  { "{\"a\": 1, \"b\": 2.5, \"c\": null}", "values.csv: a=1 b=2.5" },
  { "[{\"name\": \"a\", \"value\": 1}, {\"node\": \"b\", \"value\": 2}]", "values.csv: a=1 b=2" },
  { " {\"title\": \"Time\", \"unit\": \"us\", \"values\": {\"a\": 4}}", "Time [us]: a=4" },
  { "{\"values\": 3}", "values.csv: values=3" },
  { "{\"a\": \"x\", \"b\": \"y\"}", "values.csv: a=x b=y" },
  { "{\"schema\": \"assay.check/1\", \"nodes\": [{\"name\": \"a\", \"verdict\": \"rejected\"}, "
    "{\"name\": \"\","
    " \"verdict\": \"host\"}]}",
    "Verdict of a report: a=rejected" },
  { "{\"schema\": \"assay.compare/1\", \"tensors\": [{\"name\": \"t\", \"node\": \"a\", "
    "\"own_error\": 2.5},"
    " {\"name\": \"u\", \"node\": \"b\", \"own_error\": null}]}",
    "Own error of a report [units]: a=2.5" },
};

static void
test_right (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (right); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayOverlayFile) file = parse (right[i].text, &error);
      g_autoptr (GString) text = g_string_new (NULL);

      g_assert_no_error (error);
      g_string_append (text, file->title);
      if (*file->unit != '\0')
        g_string_append_printf (text, " [%s]", file->unit);
      g_string_append_c (text, ':');
      for (guint k = 0; k < file->names->len; k++)
        {
          g_string_append_printf (text, " %s=", (char *) g_ptr_array_index (file->names, k));
          if (file->words->len > 0)
            g_string_append (text, g_ptr_array_index (file->words, k));
          else
            g_string_append_printf (text, "%g", g_array_index (file->values, double, k));
        }
      g_assert_cmpstr (text->str, ==, right[i].expected);
    }
}

static const struct
{
  const char *text;
  const char *says;
} wrong[] = {
  { "{\"\": 1}", "the name of a node expected" },
  { "{\"a\": 1e999}", "a finite number or a word expected" },
  { "{\"a\": [1]}", "a finite number or a word expected" },
  { "{\"a\": 1, \"b\": \"x\"}", "a finite number as before expected" },
  { "{\"a\": \"x\", \"b\": 1}", "a word as before expected" },
  { "", "no node has a value" },
  { "node,value\n", "no node has a value" },
  { "a,1\nb\n", "line 2: expected the name of a node and a value" },
  { "a,1\n,2\n", "line 2: expected the name of a node" },
  { "a,1\n\nb,two\n", "line 3: value \"two\" of \"b\", expected a finite number as in line 1" },
  { "a,1\nb,inf\n", "line 2: value \"inf\"" },
  { "a,1\nb,\"2\n", "line 2: a quote is not closed" },
  { "a,1\nb,\xff\n", "line 2: not text in UTF-8" },
  { "{\"a\": 1,\n \"b\": }", "line 2" },
  { "{\"a\": 1,\n \"b\": true}", "line 2, column 7: b: a finite number as before expected" },
  { "{\"a\": \"x\",\n \"b\": 1}", "line 2, column 7: b: a word as before expected" },
  { "[{\"name\": \"\", \"value\": 1}]", "no node has a value" },
  { "[1]", "[0]: an object with name and value expected" },
  { "[{\"name\": \"a\"}]", "[0]: a value expected" },
  { "[\n{\"value\": 1}]", "line 2, column 1: [0]: the name of a node expected" },
  { "{\"title\": 3, \"values\": {\"a\": 1}}", "title: string expected" },
  { "{\"schema\": \"assay.show/1\"}", "schema: assay.check/1 or assay.compare/1 expected" },
  { "{\"schema\": \"assay.check/1\", \"nodes\": {}}", "nodes: list expected" },
  { "{}", "no node has a value" },
};

static void
test_wrong (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayOverlayFile) file = parse (wrong[i].text, &error);

      g_assert_null (file);
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
      g_test_message ("%s", error->message);
      g_assert_true (g_str_has_prefix (error->message, "values.csv: "));
      g_assert_nonnull (strstr (error->message, wrong[i].says));
    }
}

static void
test_no_file (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (assay_overlay_file_load ("/nowhere/values.csv", &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_IO);
  g_assert_nonnull (strstr (error->message, "/nowhere/values.csv"));
}

/* A file is called by its name alone, and read up to its limit. */
static void
test_file (void)
{
  g_autofree char *folder = g_dir_make_tmp ("assay-overlay-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "v.csv", NULL);
  g_autofree char *large = g_strnfill ((64 << 20) + 1, '\n');
  g_autoptr (GBytes) bytes = g_bytes_new_static (large, (64 << 20) + 1);
  g_autoptr (AssayOverlayFile) file = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (path, "a,1\n", -1, NULL));
  file = assay_overlay_file_load (path, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (file->title, ==, "v.csv");
  g_assert_null (assay_overlay_file_parse (bytes, "large.csv", &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
  g_assert_true (g_str_has_prefix (error->message, "large.csv: 67108865 bytes are more than"));
  g_assert_cmpint (g_unlink (path), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* Four nodes in a row, checked. */
static AssayVerdicts *
make_verdicts (void)
{
  static const char *const names[] = { "a", "b", "c", "d" };
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  g_autoptr (AssayTarget) target = NULL;
  g_autoptr (GError) error = NULL;
  const gint64 dims[] = { 1, 32 };
  const AssayType *type = assay_type_new_fixed (graph->arena, ASSAY_DTYPE_F32, 2, dims);
  AssayValueId value = assay_graph_add_input (graph, ASSAY_MAIN_REGION, "x", type);
  AssayVerdicts *verdicts;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      AssayValueId input = value;

      value = assay_graph_add_value (graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT, NULL, type);
      assay_graph_add_node (graph, ASSAY_MAIN_REGION, ASSAY_OP_Tanh, names[i], 1, &input, 1,
                            &value);
    }
  assay_graph_add_output (graph, ASSAY_MAIN_REGION, value);
  target = assay_target_load ("vulkan-seed", &error);
  g_assert_no_error (error);
  verdicts = graph_verdicts (target, graph, NULL, &error);
  g_assert_no_error (error);

  return verdicts;
}

/* Names that no node has are counted; the last value of a name counts; zero has a number and no
 * colour. */
static void
test_apply (void)
{
  g_autoptr (AssayVerdicts) verdicts = make_verdicts ();
  g_autoptr (AssayOverlayFile)
      file = parse ("node,time [us]\nd,1\na,1\nx,9\nb,0\nd,1000\ny,9\nc,10\n", NULL);
  g_autoptr (AssayOverlayFile) words = parse ("a,fast\nb,slow\nd,slow\n", NULL);
  g_autoptr (AssayOverlayFile) strange = parse ("x,1\ny,2\n", NULL);
  g_autoptr (AssayOverlay) scale = NULL;
  g_autoptr (AssayOverlay) groups = NULL;
  const char *first;
  guint unknown;

  scale = assay_overlay_file_apply (file, verdicts, &unknown, &first);
  g_assert_cmpuint (unknown, ==, 2);
  g_assert_cmpstr (first, ==, "x");
  g_assert_cmpint (scale->kind, ==, ASSAY_OVERLAY_FILE);
  g_assert_true (scale->is_scale);
  g_assert_cmpstr (scale->title, ==, "time");
  g_assert_cmpuint (scale->labels->len, ==, ASSAY_OVERLAY_STEPS);
  g_assert_cmpstr (g_ptr_array_index (scale->labels, 0), ==, "from 1 us");
  g_assert_cmpuint (scale->step_of_node[1], ==, 1);
  g_assert_cmpuint (scale->step_of_node[2], ==, 0);
  g_assert_cmpstr (g_ptr_array_index (scale->text_of_node, 2), ==, "0");
  g_assert_cmpuint (scale->step_of_node[3], ==, 2);
  g_assert_cmpuint (scale->step_of_node[4], ==, 5);
  g_assert_cmpstr (g_ptr_array_index (scale->text_of_node, 4), ==, "1e+03");

  groups = assay_overlay_file_apply (words, verdicts, &unknown, NULL);
  g_assert_cmpuint (unknown, ==, 0);
  g_assert_false (groups->is_scale);
  g_assert_cmpuint (groups->step_of_node[4], ==, groups->step_of_node[2]);
  g_assert_cmpuint (groups->step_of_node[3], ==, 0);
  g_assert_cmpstr (g_ptr_array_index (groups->text_of_node, 2), ==, "A");

  g_assert_null (assay_overlay_file_apply (strange, verdicts, &unknown, &first));
  g_assert_cmpuint (unknown, ==, 2);
  g_assert_null (assay_overlay_file_apply (strange, verdicts, &unknown, NULL));
  g_assert_cmpuint (unknown, ==, 2);
}

/* Below zero steps are of equal width. */
static void
test_linear (void)
{
  const double values[] = { NAN, -10, 0, 10, NAN, 4 };
  g_autoptr (AssayOverlay)
      overlay = assay_overlay_new_values ("Change", "%", values, G_N_ELEMENTS (values));

  g_assert_cmpuint (overlay->step_of_node[1], ==, 1);
  g_assert_cmpuint (overlay->step_of_node[2], ==, 3);
  g_assert_cmpuint (overlay->step_of_node[3], ==, 5);
  g_assert_cmpuint (overlay->step_of_node[4], ==, 0);
  g_assert_cmpuint (overlay->step_of_node[5], ==, 4);
  g_assert_cmpstr (g_ptr_array_index (overlay->labels, 0), ==, "from -10 %");
}

/* Steps that would read the same are one row of the legend and one colour. */
static void
test_few (void)
{
  const double equal[] = { NAN, 3, 3, 3 };
  const double few[] = { NAN, 1, 2, 3 };
  g_autoptr (AssayOverlay) one = assay_overlay_new_values ("Uses", "", equal, G_N_ELEMENTS (equal));
  g_autoptr (AssayOverlay) three = assay_overlay_new_values ("Uses", "", few, G_N_ELEMENTS (few));

  g_assert_cmpuint (one->labels->len, ==, 1);
  g_assert_cmpstr (g_ptr_array_index (one->labels, 0), ==, "from 3");
  g_assert_cmpuint (one->step_of_node[2], ==, 1);

  g_assert_cmpuint (three->labels->len, ==, 3);
  for (guint i = 1; i < G_N_ELEMENTS (few); i++)
    {
      g_autofree char *label = g_strdup_printf ("from %u", i);

      g_assert_cmpstr (g_ptr_array_index (three->labels, i - 1), ==, label);
      g_assert_cmpuint (three->step_of_node[i], ==, i);
    }
}

TEST_PROGRAM (overlay_file)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/report/overlay-file/right", test_right);
  g_test_add_func ("/report/overlay-file/wrong", test_wrong);
  g_test_add_func ("/report/overlay-file/no-file", test_no_file);
  g_test_add_func ("/report/overlay-file/loaded", test_file);
  g_test_add_func ("/report/overlay-file/apply", test_apply);
  g_test_add_func ("/report/overlay-file/linear", test_linear);
  g_test_add_func ("/report/overlay-file/few", test_few);

  return g_test_run ();
}
