/* bench-import.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * How long opening a model takes, and how much memory, beside what others take: bench-import
 * [FOLDER FOR MODELS].
 *
 * Weights are holes in the file, so it is quick to make; to a reader they are bytes like any other,
 * and the first run of each kind, which is not counted, brings what it reads into the page cache.
 * Each run is a process of its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "onnx.pb-c.h"
#include "base/assay-file-map.h"
#include "source/assay-source.h"
#include "source/onnx/assay-onnx-file.h"
#include "source/onnx/assay-wire-scan.h"

#include "../core/fixture/onnx-writer.h"

#define RUNS 5
#define SIDE 2048
#define WEIGHT_BYTES ((gsize) SIDE * SIDE * sizeof (float))

/* A chain of MatMul and Relu with one weight of 16 MiB each. */
static void
write_heavy (const char *path, guint n_weights)
{
  g_autoptr (GPtrArray)
      heads = g_ptr_array_new_with_free_func ((GDestroyNotify) g_byte_array_unref);
  GByteArray *nodes = wire_new ();
  GByteArray *model = wire_new ();
  GByteArray *opset = wire_new ();
  guint64 size;
  int fd = open (path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

  wire_message (nodes, GRAPH_INPUT, onnx_info ("x0", 1, "n,2048"));
  for (guint i = 0; i < n_weights; i++)
    {
      g_autofree char *weight = g_strdup_printf ("w%u", i);
      g_autofree char *inputs = g_strdup_printf ("x%u w%u", i, i);
      g_autofree char *middle = g_strdup_printf ("h%u", i);
      g_autofree char *output = g_strdup_printf ("x%u", i + 1);
      g_autofree char *matmul = g_strdup_printf ("layer.%u/MatMul", i);
      g_autofree char *relu = g_strdup_printf ("layer.%u/Relu", i);
      GByteArray *tensor = onnx_tensor (weight, 1, 2, (const gint64[]){ SIDE, SIDE });
      GByteArray *head = wire_new ();

      wire_message (nodes, GRAPH_NODE, onnx_node ("MatMul", matmul, inputs, middle));
      wire_message (nodes, GRAPH_NODE, onnx_node ("Relu", relu, middle, output));

      wire_varint (tensor, TENSOR_RAW_DATA << 3 | 2);
      wire_varint (tensor, WEIGHT_BYTES);
      wire_varint (head, GRAPH_INITIALIZER << 3 | 2);
      wire_varint (head, tensor->len + WEIGHT_BYTES);
      g_byte_array_append (head, tensor->data, tensor->len);
      g_byte_array_unref (tensor);
      g_ptr_array_add (heads, head);
    }
  {
    g_autofree char *last = g_strdup_printf ("x%u", n_weights);

    wire_message (nodes, GRAPH_OUTPUT, onnx_info (last, 1, "n,2048"));
  }

  size = nodes->len;
  for (guint i = 0; i < heads->len; i++)
    size += ((GByteArray *) heads->pdata[i])->len + WEIGHT_BYTES;

  wire_int (model, 1, 8);
  wire_int (opset, 2, 17);
  wire_message (model, 8, opset);
  wire_varint (model, MODEL_GRAPH << 3 | 2);
  wire_varint (model, size);

  size = 0;
  if (fd < 0 || write (fd, model->data, model->len) != (gssize) model->len ||
      write (fd, nodes->data, nodes->len) != (gssize) nodes->len)
    g_error ("%s: %s", path, g_strerror (errno));
  size = model->len + nodes->len;
  for (guint i = 0; i < heads->len; i++)
    {
      const GByteArray *head = heads->pdata[i];

      if (pwrite (fd, head->data, head->len, (off_t) size) != (gssize) head->len)
        g_error ("%s: %s", path, g_strerror (errno));
      size += head->len + WEIGHT_BYTES;
    }
  if (ftruncate (fd, (off_t) size) != 0)
    g_error ("%s: %s", path, g_strerror (errno));
  close (fd);
  g_byte_array_unref (nodes);
  g_byte_array_unref (model);
}

/* Every second node has an initializer of its own. */
static void
write_wide (const char *path, guint n_nodes)
{
  static const guint8 zeros[32] = { 0 };
  GByteArray *graph = wire_new ();
  GByteArray *model;
  g_autoptr (GError) error = NULL;
  g_autofree char *last = g_strdup_printf ("/model/op_%u_output_0", n_nodes - 1);

  wire_message (graph, GRAPH_INPUT, onnx_info ("x", 1, "n,8"));
  for (guint i = 0; i < n_nodes; i++)
    {
      gboolean add = i % 2 == 0;
      g_autofree char *weight = g_strdup_printf ("model.layers.%u.weight_%u", i / 50, i);
      g_autofree char *input = i == 0 ? g_strdup ("x")
                                      : g_strdup_printf ("/model/op_%u_output_0", i - 1);
      g_autofree char *inputs = add ? g_strdup_printf ("%s %s", input, weight) : g_strdup (input);
      g_autofree char *output = g_strdup_printf ("/model/op_%u_output_0", i);
      g_autofree char *name = g_strdup_printf ("/model/layers.%u/block_%u/op_%u", i / 50, i / 10,
                                               i);

      wire_message (graph, GRAPH_NODE, onnx_node (add ? "Add" : "Relu", name, inputs, output));
      if (add)
        {
          GByteArray *tensor = onnx_tensor (weight, 1, 1, (const gint64[]){ 8 });

          wire_bytes (tensor, TENSOR_RAW_DATA, zeros, sizeof zeros);
          wire_message (graph, GRAPH_INITIALIZER, tensor);
        }
    }
  wire_message (graph, GRAPH_OUTPUT, onnx_info (last, 1, "n,8"));
  model = onnx_model (graph);
  if (!g_file_set_contents (path, (const char *) model->data, model->len, &error))
    g_error ("%s", error->message);
  g_byte_array_unref (model);
}

static gsize
anonymous_kib (void)
{
  g_autofree char *status = NULL;
  const char *line;

  if (!g_file_get_contents ("/proc/self/status", &status, NULL, NULL))
    return 0;
  line = strstr (status, "RssAnon:");

  return line == NULL ? 0 : (gsize) g_ascii_strtoull (line + strlen ("RssAnon:"), NULL, 10);
}

static gboolean
run_import (const char *path, gboolean infer)
{
  AssayImportOptions options = { .skip_inference = !infer };

  /* Kept, so that its memory counts. */
  return assay_model_read (path, &options, NULL, NULL, NULL) != NULL;
}

/* One measurement in this process: prints milliseconds and KiB. */
static int
run_one (const char *kind, const char *path)
{
  gint64 start = g_get_monotonic_time ();
  gboolean done = FALSE;

  if (strcmp (kind, "graph") == 0 || strcmp (kind, "types") == 0)
    {
      done = run_import (path, kind[0] == 't');
    }
  else
    {
      GBytes *bytes = assay_file_map_new (path, NULL);
      const guint8 *data;
      gsize size;

      if (bytes == NULL)
        return EXIT_FAILURE;
      data = g_bytes_get_data (bytes, &size);
      if (strcmp (kind, "scan") == 0)
        done = assay_wire_scan (data, size, &assay__onnx__model_proto__descriptor, NULL) != NULL;
      else
        done = assay__onnx__model_proto__unpack (NULL, size, data) != NULL;
    }

  printf ("%.3f %" G_GSIZE_FORMAT "\n", (double) (g_get_monotonic_time () - start) / 1000,
          anonymous_kib ());

  return done ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Best time and the memory of that run; FALSE if the child failed. */
static gboolean
measure (const char *const *command, guint runs, double *best, double *mib)
{
  *best = -1;
  *mib = -1;

  for (guint i = 0; i <= runs; i++)
    {
      g_autofree char *output = NULL;
      double time = 0;
      double kib = -1024;
      int status = 0;

      if (!g_spawn_sync (NULL, (char **) command, NULL, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL,
                         &output, NULL, &status, NULL) ||
          !g_spawn_check_wait_status (status, NULL) || sscanf (output, "%lf %lf", &time, &kib) < 1)
        return FALSE;
      if (i > 0 && (*best < 0 || time < *best))
        {
          *best = time;
          *mib = kib / 1024;
        }
    }

  return TRUE;
}

static void
print_row (const char *what, double time, double mib, double ours, const char *goal)
{
  char memory[32] = "-";

  if (mib >= 0)
    g_snprintf (memory, sizeof memory, "%.1f", mib);
  printf ("  %-42s %10.1f %10s %8.1f%s\n", what, time, memory, ours > 0 ? time / ours : 1.0, goal);
  fflush (stdout);
}

static gsize
available_mib (void)
{
  g_autofree char *text = NULL;
  const char *line;

  if (!g_file_get_contents ("/proc/meminfo", &text, NULL, NULL))
    return 0;
  line = strstr (text, "MemAvailable:");

  return line == NULL ? 0
                      : (gsize) g_ascii_strtoull (line + strlen ("MemAvailable:"), NULL, 10) / 1024;
}

static void
bench_model (const char *self, const char *path, const char *title, double limit,
             double memory_limit)
{
  static const struct
  {
    const char *kind;
    const char *what;
  } kinds[] = {
    { "types", "assay, with types and shapes" },
    { "scan", "assay, the wire scan alone" },
    { "protobuf", "protobuf-c, all of the message" },
  };
  g_autofree char *folder = g_path_get_dirname (self);
  g_autofree char *ort = g_build_filename (folder, "ort", NULL);
  g_autofree char *found = g_build_filename (
      g_getenv ("ASSAY_NPM_DIR") != NULL ? g_getenv ("ASSAY_NPM_DIR") : ".",
      "onnxruntime-node/bin/napi-v6/linux/x64/libonnxruntime.so.1", NULL);
  const char *library = g_getenv ("ASSAY_ORT") != NULL ? g_getenv ("ASSAY_ORT") : found;
  GStatBuf info = { 0 };
  double ours;
  double time;
  double mib;

  g_stat (path, &info);
  printf ("%s, %.1f MB\n", title, (double) info.st_size / 1e6);

  if (measure ((const char *const[]){ self, "--one", "graph", path, NULL }, RUNS, &ours, &mib))
    {
      gboolean reached = ours <= limit && mib <= memory_limit;
      g_autofree char *goal = g_strdup_printf ("  %s: %g ms, %g MiB",
                                               reached ? "reached" : "MISSED", limit, memory_limit);

      print_row ("assay, to a graph", ours, mib, 0, goal);
    }

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      gboolean peer = strcmp (kinds[i].kind, "protobuf") == 0;
      gboolean large = peer && available_mib () < 3 * (gsize) (info.st_size >> 20);
      const char *const command[] = { self, "--one", kinds[i].kind, path, NULL };

      if (!large && measure (command, peer ? 2 : RUNS, &time, &mib))
        print_row (kinds[i].what, time, mib, ours, "");
      else
        printf ("  %-42s %10s\n", kinds[i].what, large ? "no memory" : "failed");
    }

  if (!g_file_test (library, G_FILE_TEST_EXISTS))
    printf ("  %-42s %10s\n", "ONNX Runtime, a session", "not there");
  else if (available_mib () >= 3 * (gsize) (info.st_size >> 20) &&
           measure ((const char *const[]){ ort, library, path, NULL }, 1, &time, &mib))
    print_row ("ONNX Runtime, a session", time, mib, ours, "");
  else
    printf ("  %-42s %10s\n", "ONNX Runtime, a session", "failed");
}

int
main (int argc, char **argv)
{
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *folder = NULL;
  static const struct
  {
    const char *file;
    const char *title;
    guint n_weights; /* 0 for the model of many nodes */
    double limit;
    double memory_limit;
  } models[] = {
    { "weights-512.onnx", "0.5 GB of weights", 32, 50, 60 },
    { "weights-1536.onnx", "1.5 GB of weights", 96, 50, 60 },
    { "wide-50000.onnx", "50,000 nodes, 25,000 initializers", 0, 250, 100 },
  };

  if (argc == 4 && strcmp (argv[1], "--one") == 0)
    return run_one (argv[2], argv[3]);

  folder = argc > 1 ? g_strdup (argv[1]) : g_dir_make_tmp ("assay-bench-XXXXXX", NULL);
  printf ("%-44s %10s %10s %8s\n", "best of some runs, each a process of its own", "ms", "RssAnon",
          "ratio");

  for (guint i = 0; i < G_N_ELEMENTS (models); i++)
    {
      g_autofree char *path = g_build_filename (folder, models[i].file, NULL);

      if (models[i].n_weights > 0)
        write_heavy (path, models[i].n_weights);
      else
        write_wide (path, 50000);
      bench_model (self, path, models[i].title, models[i].limit, models[i].memory_limit);
      g_unlink (path);
    }

  if (argc <= 1)
    g_rmdir (folder);

  return EXIT_SUCCESS;
}
