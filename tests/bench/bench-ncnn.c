/* bench-ncnn.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Inferences of NCNN on the first Vulkan device, in f32, as bench.py compiles it against an NCNN
 * that is there: bench-ncnn PARAM CHANNELS,HEIGHT,WIDTH ROUNDS. Weights are zero. Prints the
 * shortest time in milliseconds, with what goes to the device and comes from it.
 */
#include <c_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static size_t
read_zeros (ncnn_datareader_t reader, void *data, size_t size)
{
  (void) reader;
  memset (data, 0, size);
  return size;
}

static double
now (void)
{
  struct timespec time;

  clock_gettime (CLOCK_MONOTONIC, &time);
  return (double) time.tv_sec * 1e3 + (double) time.tv_nsec / 1e6;
}

static ncnn_net_t
open_net (const char *path)
{
  ncnn_net_t net = ncnn_net_create ();
  ncnn_option_t option = ncnn_option_create ();
  ncnn_datareader_t reader = ncnn_datareader_create ();

  ncnn_option_set_num_threads (option, 1);
  ncnn_option_set_use_vulkan_compute (option, 1);
  ncnn_option_set_use_fp16_packed (option, 0);
  ncnn_option_set_use_fp16_storage (option, 0);
  ncnn_option_set_use_fp16_arithmetic (option, 0);
  ncnn_net_set_option (net, option);
  ncnn_net_set_vulkan_device (net, 0);
  reader->read = read_zeros;

  return ncnn_net_load_param (net, path) == 0 && ncnn_net_load_model_datareader (net, reader) == 0
             ? net
             : NULL;
}

static int
run (ncnn_net_t net, ncnn_mat_t input)
{
  ncnn_extractor_t extractor = ncnn_extractor_create (net);
  ncnn_mat_t output = NULL;
  int status = ncnn_extractor_input (extractor, ncnn_net_get_input_name (net, 0), input);

  if (status == 0)
    status = ncnn_extractor_extract (extractor, ncnn_net_get_output_name (net, 0), &output);
  if (output != NULL)
    ncnn_mat_destroy (output);
  ncnn_extractor_destroy (extractor);

  return status;
}

int
main (int argc, char **argv)
{
  int channels, height, width;
  double best = 1e30;
  ncnn_net_t net;
  ncnn_mat_t input;

  if (argc != 4 || sscanf (argv[2], "%d,%d,%d", &channels, &height, &width) != 3)
    {
      fputs ("usage: bench-ncnn PARAM CHANNELS,HEIGHT,WIDTH ROUNDS\n", stderr);
      return 2;
    }
  net = open_net (argv[1]);
  if (net == NULL)
    return 1;
  input = ncnn_mat_create_3d (width, height, channels, NULL);
  ncnn_mat_fill_float (input, 0.5f);
  for (int i = 0; i < atoi (argv[3]) + 1; i++)
    {
      double begin = now ();

      if (run (net, input) != 0)
        return 1;
      if (i > 0 && now () - begin < best)
        best = now () - begin;
    }
  printf ("%.3f\n", best);
  fflush (stdout);

  /* Devices and their threads end with the process. */
  _Exit (0);
}
