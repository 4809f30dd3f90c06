/* bench-dpu-peer.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Convolutions in 8 bits of the DPU's machine against those of oneDNN: the layers of the benchmark
 * models, one thread, the same numbers, in turn; and whether both have the same sums.
 */
#include <dnnl.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "backend/dpu/machine/assay-dpu-kernels.h"

#define ROUNDS 25
#define SHIFT 9

/* Square: extent, channels in and out, kernel, step; as many groups as channels if it has depth. */
typedef struct
{
  guint extent, in, out, kernel, step;
  gboolean depthwise;
} Layer;

static const Layer layers[] = {
  { 56, 64, 64, 3, 1, FALSE },   { 28, 128, 128, 3, 1, FALSE }, { 14, 256, 256, 3, 1, FALSE },
  { 7, 512, 512, 3, 1, FALSE },  { 224, 3, 64, 7, 2, FALSE },   { 112, 32, 64, 1, 1, FALSE },
  { 56, 128, 128, 1, 1, FALSE }, { 28, 256, 256, 1, 1, FALSE }, { 14, 512, 512, 1, 1, FALSE },
  { 112, 32, 32, 3, 1, TRUE },   { 56, 128, 128, 3, 1, TRUE },  { 14, 512, 512, 3, 1, TRUE },
};

/* What oneDNN computes with: everything of it lives until the process ends. */
typedef struct
{
  dnnl_primitive_t primitive;
  dnnl_exec_arg_t arguments[4];
  gpointer results;
} Peer;

static dnnl_engine_t engine;
static dnnl_stream_t stream;

static void
check (dnnl_status_t status)
{
  if (status != dnnl_success)
    g_error ("oneDNN: status %d", (int) status);
}

static double
read_clock (void)
{
  struct timespec t;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);

  return (double) t.tv_sec * 1e6 + (double) t.tv_nsec / 1e3;
}

static dnnl_memory_t
new_memory (const dnnl_memory_desc_t *desc, gpointer handle)
{
  dnnl_memory_t memory;

  check (
      dnnl_memory_create (&memory, desc, engine, handle != NULL ? handle : DNNL_MEMORY_ALLOCATE));

  return memory;
}

/* The weights in the order that the kernel asks for. */
static dnnl_memory_t
reorder (dnnl_memory_t from, const dnnl_memory_desc_t *to)
{
  dnnl_memory_t memory = new_memory (to, NULL);
  const dnnl_memory_desc_t *desc;
  dnnl_primitive_desc_t description;
  dnnl_primitive_t primitive;
  dnnl_exec_arg_t arguments[] = { { DNNL_ARG_FROM, from }, { DNNL_ARG_TO, memory } };

  check (dnnl_memory_get_memory_desc (from, &desc));
  check (dnnl_reorder_primitive_desc_create (&description, desc, engine, to, engine, NULL));
  check (dnnl_primitive_create (&primitive, description));
  check (dnnl_primitive_execute (primitive, stream, 2, arguments));
  check (dnnl_stream_wait (stream));

  return memory;
}

/* With @type of 32 bits the sums themselves, with 8 bits what its own rounding makes of them. */
static Peer
open_peer (const Layer *layer, gint8 *in, gint8 *weights, dnnl_data_type_t type)
{
  const dnnl_dim_t pad = layer->kernel / 2, step = layer->step, kernel = layer->kernel;
  const dnnl_dim_t extent = layer->extent, oh = (extent + 2 * pad - kernel) / step + 1;
  const dnnl_dims_t dims = { 1, layer->in, extent, extent }, out_dims = { 1, layer->out, oh, oh };
  const dnnl_dims_t dense = { layer->out, layer->in, kernel, kernel };
  const dnnl_dims_t groups = { layer->in, 1, 1, kernel, kernel };
  const dnnl_dims_t pads = { pad, pad }, steps = { step, step }, no = { 0, 0 };
  const int rank = layer->depthwise ? 5 : 4;
  const dnnl_dim_t *weight_dims = layer->depthwise ? groups : dense;
  const float scale = ldexpf (1, -SHIFT);
  dnnl_memory_desc_t from, to, given, wanted;
  dnnl_convolution_desc_t description;
  dnnl_primitive_attr_t attributes;
  dnnl_primitive_desc_t chosen;
  Peer self;

  /* Channels last, as the machine has its maps; the order of weights is free. */
  check (dnnl_memory_desc_init_by_tag (&from, 4, dims, dnnl_s8, dnnl_nhwc));
  check (dnnl_memory_desc_init_by_tag (&to, 4, out_dims, type, dnnl_nhwc));
  check (dnnl_memory_desc_init_by_tag (&given, rank, weight_dims, dnnl_s8,
                                       layer->depthwise ? dnnl_hwigo : dnnl_ohwi));
  check (dnnl_memory_desc_init_by_tag (&wanted, rank, weight_dims, dnnl_s8, dnnl_format_tag_any));
  check (dnnl_dilated_convolution_forward_desc_init (&description, dnnl_forward_inference,
                                                     dnnl_convolution_direct, &from, &wanted, NULL,
                                                     &to, steps, no, pads, pads));
  check (dnnl_primitive_attr_create (&attributes));
  if (type == dnnl_s8)
    check (dnnl_primitive_attr_set_output_scales (attributes, 1, 0, &scale));
  check (dnnl_primitive_desc_create (&chosen, &description, attributes, engine, NULL));
  check (dnnl_primitive_create (&self.primitive, chosen));

  self.results = g_malloc0 ((gsize) (oh * oh * layer->out) * (type == dnnl_s8 ? 1 : 4));
  self.arguments[0] = (dnnl_exec_arg_t){ DNNL_ARG_SRC, new_memory (&from, in) };
  self.arguments[1] = (dnnl_exec_arg_t){
    DNNL_ARG_WEIGHTS, reorder (new_memory (&given, weights),
                               dnnl_primitive_desc_query_md (chosen, dnnl_query_weights_md, 0))
  };
  self.arguments[2] = (dnnl_exec_arg_t){ DNNL_ARG_DST, new_memory (&to, self.results) };

  return self;
}

static void
run_peer (const Peer *self)
{
  check (dnnl_primitive_execute (self->primitive, stream, 3, self->arguments));
  check (dnnl_stream_wait (stream));
}

static gint8 *
draw_numbers (GRand *rand, gsize n)
{
  gint8 *numbers = g_new (gint8, n);

  for (gsize i = 0; i < n; i++)
    numbers[i] = (gint8) g_rand_int_range (rand, -128, 128);

  return numbers;
}

static void
time_layer (const Layer *layer, const AssayDpuLevel *level, GRand *rand)
{
  const guint pad = layer->kernel / 2;
  const guint oh = (layer->extent + 2 * pad - layer->kernel) / layer->step + 1;
  const AssayDpuWindow window = {
    .n = 1,
    .h = layer->extent,
    .w = layer->extent,
    .c = layer->in,
    .oh = oh,
    .ow = oh,
    .oc = layer->out,
    .kh = layer->kernel,
    .kw = layer->kernel,
    .sh = layer->step,
    .sw = layer->step,
    .dh = 1,
    .dw = 1,
    .top = (int) pad,
    .left = (int) pad,
  };
  g_autofree gint64 *bias = g_new0 (gint64, assay_dpu_filled (layer->out, level->lanes));
  const AssayDpuFinish finish = { .shift = SHIFT + 1, .bias = bias, .narrow = TRUE };
  const guint k = layer->kernel * layer->kernel * (layer->depthwise ? 1 : layer->in);
  const gsize n = (gsize) oh * oh * layer->out;
  g_autofree gint8 *in = draw_numbers (rand, (gsize) layer->extent * layer->extent * layer->in);
  g_autofree gint8 *weights = draw_numbers (rand, (gsize) k * layer->out);
  g_autofree gint32 *columns = g_new0 (gint32, assay_dpu_filled (layer->out, level->lanes));
  g_autofree gint8 *packed = layer->depthwise
                                 ? NULL
                                 : assay_dpu_pack (level, weights, layer->out, k, columns);
  g_autofree gint8 *ours = g_new (gint8, n);
  g_autofree gint8 *theirs = g_new (gint8, n);
  const Peer sums = open_peer (layer, in, weights, dnnl_s32);
  const Peer bytes = open_peer (layer, in, weights, dnnl_s8);
  double times[3] = { HUGE_VAL, HUGE_VAL, HUGE_VAL };
  gsize different = 0, rounded = 0;

  for (guint round = 0; round < ROUNDS; round++)
    {
      double clock[4] = { read_clock () };

      if (layer->depthwise)
        assay_dpu_depthwise (level, &window, in, weights, &finish, ours);
      else
        assay_dpu_conv (level, &window, in, packed, columns, &finish, ours);
      clock[1] = read_clock ();
      run_peer (&sums);
      assay_dpu_finish (level, &finish, sums.results, layer->out, oh * oh, layer->out, theirs);
      clock[2] = read_clock ();
      run_peer (&bytes);
      clock[3] = read_clock ();
      for (guint i = 0; i < G_N_ELEMENTS (times); i++)
        times[i] = MIN (times[i], clock[i + 1] - clock[i]);
    }
  for (gsize i = 0; i < n; i++)
    {
      different += ours[i] != theirs[i];
      rounded += ours[i] != ((const gint8 *) bytes.results)[i];
    }
  g_print ("%3u x %-3u %3u to %-3u %ux%u/%u %-9s %9.1f %9.1f %9.1f  %6.2f %6.2f  %9" G_GSIZE_FORMAT
           " %9" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT "\n",
           layer->extent, layer->extent, layer->in, layer->out, layer->kernel, layer->kernel,
           layer->step, layer->depthwise ? "depthwise" : "", times[0], times[1], times[2],
           times[1] / times[0], times[2] / times[0], different, rounded, n);
}

int
main (void)
{
  const AssayDpuLevel *level = assay_dpu_level_get_default ();
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  const dnnl_version_t *version = dnnl_version ();

  check (dnnl_engine_create (&engine, dnnl_cpu, 0));
  check (dnnl_stream_create (&stream, engine, dnnl_stream_default_flags));
  g_print ("level of vectors: %s; oneDNN %d.%d.%d; microseconds; ratios above 1: assay is faster\n"
           "%-34s %9s %9s %9s  %6s %6s  %9s %9s\n",
           level->name, version->major, version->minor, version->patch, "layer in 8 bits", "assay",
           "its sums", "its bytes", "ratio", "ratio", "sums off", "bytes off");
  for (guint i = 0; i < G_N_ELEMENTS (layers); i++)
    time_layer (&layers[i], level, rand);

  return 0;
}
