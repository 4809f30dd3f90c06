/* assay-board-agent.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The side of the board. Whoever is at the other end is not trusted: sizes are checked against the
 * program before room is made, and what does not fit ends the conversation with a reason.
 */
#include "run/board/assay-board-agent.h"

#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/assay-error.h"
#include "backend/assay-executor.h"
#include "backend/assay-port.h"
#include "backend/assay-build.h"
#include "run/board/assay-board.h"

/* A program file may be this long, and the values of one batch this many bytes unless it is a
 * single inference. */
#define LONGEST_PROGRAM ((guint64) 1 << 30)
#define LARGEST_BATCH ((gsize) 256 << 20)

typedef struct
{
  const AssayFrameChannel *channel;
  const AssayProgress *progress;
  gboolean greeted;

  GByteArray *file; /* what has come of it */
  guint64 size;
  guint8 digest[ASSAY_BOARD_DIGEST];

  AssayProgram *program;
  AssayExecutor *executor;

  guint model;
  guint steps;    /* of the batch that is being filled, 0 if there is none */
  float **inputs; /* per step and input */
  gsize *filled;  /* values that have come, per step and input */
  guint n_buffers;
} Agent;

static gboolean
refuse (GError **error, AssayError code, const char *what)
{
  g_set_error_literal (error, ASSAY_ERROR, (int) code, what);
  return FALSE;
}

static void
clear_batch (Agent *self)
{
  for (guint i = 0; i < self->n_buffers; i++)
    g_free (self->inputs[i]);
  g_clear_pointer (&self->inputs, g_free);
  g_clear_pointer (&self->filled, g_free);
  self->n_buffers = 0;
  self->steps = 0;
}

static void
agent_clear (Agent *self)
{
  clear_batch (self);
  g_clear_pointer (&self->file, g_byte_array_unref);
  g_clear_pointer (&self->executor, assay_executor_free);
  g_clear_object (&self->program);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Agent, agent_clear)

static gboolean
answer_hello (Agent *self, const Assay__Board__Hello *hello, GError **error)
{
  AssayFrame frame = ASSAY__BOARD__FRAME__INIT;
  Assay__Board__Hello own = ASSAY__BOARD__HELLO__INIT;
  const AssayBuildVersions versions = assay_build_get_versions ();
  struct utsname system = { 0 };

  if (hello->protocol != ASSAY_FRAME_PROTOCOL)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE,
                   "Protocol %u is spoken to a board that speaks %d", hello->protocol,
                   ASSAY_FRAME_PROTOCOL);
      return FALSE;
    }

  uname (&system);
  own.has_protocol = own.has_machine = own.has_format = own.has_processors = TRUE;
  own.protocol = ASSAY_FRAME_PROTOCOL;
  own.machine = versions.machine;
  own.format = versions.format;
  own.writer = (char *) "assay-board " ASSAY_VERSION;
  own.kernels = (char *) versions.kernels;
  own.architecture = system.machine;
  own.processors = g_get_num_processors ();
  frame.body_case = ASSAY__BOARD__FRAME__BODY_HELLO;
  frame.hello = &own;
  self->greeted = TRUE;

  return assay_frame_send (self->channel, &frame, self->progress, error);
}

static gboolean
send_ready (Agent *self, GError **error)
{
  AssayFrame frame = ASSAY__BOARD__FRAME__INIT;
  Assay__Board__Ready ready = ASSAY__BOARD__READY__INIT;

  ready.has_sha256 = ready.has_models = TRUE;
  ready.sha256 = (ProtobufCBinaryData){ sizeof self->digest, self->digest };
  ready.models = assay_program_num_models (self->program);
  frame.body_case = ASSAY__BOARD__FRAME__BODY_READY;
  frame.ready = &ready;

  return assay_frame_send (self->channel, &frame, self->progress, error);
}

/* Everything has come: the digest is what was announced, and the program is one that cannot do
 * harm. */
static gboolean
take_program (Agent *self, GError **error)
{
  guint8 digest[ASSAY_BOARD_DIGEST];
  g_autoptr (GBytes) bytes = g_byte_array_free_to_bytes (g_steal_pointer (&self->file));

  assay_board_digest (bytes, digest);
  if (memcmp (digest, self->digest, sizeof digest) != 0)
    return refuse (error, ASSAY_ERROR_LOAD,
                   "The program that came is not the one that was announced");

  self->program = assay_program_load_bytes (bytes, error);
  if (self->program == NULL)
    return FALSE;
  self->executor = assay_executor_new (self->program, NULL, error);

  return self->executor != NULL && send_ready (self, error);
}

static gboolean
begin_program (Agent *self, const Assay__Board__Put *put, GError **error)
{
  if (put->size == 0 || put->size > LONGEST_PROGRAM || put->sha256.len != sizeof self->digest)
    return refuse (error, ASSAY_ERROR_LOAD, "A program without size or digest, or of over 1 GiB");

  clear_batch (self);
  g_clear_pointer (&self->executor, assay_executor_free);
  g_clear_object (&self->program);
  g_clear_pointer (&self->file, g_byte_array_unref);
  self->file = g_byte_array_new ();
  self->size = put->size;
  memcpy (self->digest, put->sha256.data, sizeof self->digest);

  return TRUE;
}

static gboolean
add_chunk (Agent *self, const Assay__Board__Chunk *chunk, GError **error)
{
  if (self->file == NULL || chunk->data.len == 0 || chunk->data.len > self->size - self->file->len)
    return refuse (error, ASSAY_ERROR_LOAD,
                   "Bytes of a program that was not announced, or too many");

  g_byte_array_append (self->file, chunk->data.data, (guint) chunk->data.len);

  return self->file->len < self->size || take_program (self, error);
}

static const AssayModelEntry *
entry_of (const Agent *self)
{
  return assay_program_get_model (self->program, self->model);
}

static gboolean
begin_batch (Agent *self, const Assay__Board__Begin *begin, GError **error)
{
  const AssayModelEntry *entry;
  gsize per_step = 0, total;

  clear_batch (self);
  if (self->executor == NULL)
    return refuse (error, ASSAY_ERROR_INVALID, "There is no program to run");
  if (begin->model >= assay_program_num_models (self->program) || begin->steps == 0)
    return refuse (error, ASSAY_ERROR_INVALID,
                   "The program has no such model, or nothing is to be run");

  self->model = begin->model;
  entry = entry_of (self);
  for (guint i = 0; i < entry->n_inputs; i++)
    per_step += assay_port_count (&entry->inputs[i]) * sizeof (float);
  for (guint i = 0; i < entry->n_outputs; i++)
    per_step += assay_port_count (&entry->outputs[i]) * sizeof (float);
  if (begin->steps > ASSAY_BOARD_MOST_STEPS ||
      !g_size_checked_mul (&total, per_step, begin->steps) ||
      (begin->steps > 1 && total > LARGEST_BATCH))
    return refuse (error, ASSAY_ERROR_INVALID, "More inferences at once than a board takes");

  if (begin->reset)
    assay_executor_reset (self->executor, self->model);
  self->steps = begin->steps;
  self->n_buffers = entry->n_inputs * begin->steps;
  self->inputs = g_new0 (float *, self->n_buffers + 1);
  self->filled = g_new0 (gsize, self->n_buffers + 1);
  for (guint i = 0; i < self->n_buffers; i++)
    {
      self->inputs[i] = g_try_new (float, assay_port_count (&entry->inputs[i % entry->n_inputs]));
      if (self->inputs[i] == NULL)
        return refuse (error, ASSAY_ERROR_DEVICE, "The board has not enough memory for the inputs");
    }

  return TRUE;
}

/* Values come in order, so that what is there is what was counted. */
static gboolean
add_values (Agent *self, const Assay__Board__Values *values, GError **error)
{
  const AssayModelEntry *entry = self->steps > 0 ? entry_of (self) : NULL;
  gsize n = values->data.len / sizeof (float);
  guint index;

  if (entry == NULL || values->step >= self->steps || values->port >= entry->n_inputs)
    return refuse (error, ASSAY_ERROR_INVALID, "Values for an input that there is not");

  index = values->step * entry->n_inputs + values->port;
  if (values->first != self->filled[index] || n == 0 ||
      n > assay_port_count (&entry->inputs[values->port]) - self->filled[index])
    return refuse (error, ASSAY_ERROR_INVALID,
                   "More values than the input has, or in another order");

  memcpy (self->inputs[index] + self->filled[index], values->data.data, values->data.len);
  self->filled[index] += n;

  return TRUE;
}

static gint64
now (void)
{
  struct timespec time;

  clock_gettime (CLOCK_MONOTONIC, &time);

  return (gint64) time.tv_sec * 1000000000 + time.tv_nsec;
}

static gboolean
run_step (Agent *self, guint step, float **outputs, uint64_t *latency, GError **error)
{
  const AssayModelEntry *entry = entry_of (self);
  const float *const *inputs = (const float *const *) self->inputs + (gsize) step * entry->n_inputs;
  gint64 begin = now ();

  if (!assay_executor_run (self->executor, self->model, step, inputs, outputs, self->progress,
                           error))
    return FALSE;
  *latency = (uint64_t) (now () - begin);

  for (guint i = 0; i < entry->n_outputs; i++)
    {
      if (!assay_board_send_values (self->channel, step, i, outputs[i],
                                    assay_port_count (&entry->outputs[i]), self->progress, error))
        return FALSE;
    }

  return TRUE;
}

static gboolean
run_batch (Agent *self, GError **error)
{
  const AssayModelEntry *entry = self->steps > 0 ? entry_of (self) : NULL;
  AssayFrame frame = ASSAY__BOARD__FRAME__INIT;
  Assay__Board__Finished finished = ASSAY__BOARD__FINISHED__INIT;
  g_autoptr (GPtrArray) outputs = g_ptr_array_new_with_free_func (g_free);
  g_autofree uint64_t *latencies = g_new0 (uint64_t, self->steps + 1);

  if (entry == NULL)
    return refuse (error, ASSAY_ERROR_INVALID, "Nothing was begun that could be run");
  for (guint i = 0; i < self->n_buffers; i++)
    {
      if (self->filled[i] != assay_port_count (&entry->inputs[i % entry->n_inputs]))
        return refuse (error, ASSAY_ERROR_INVALID, "Values of an input are missing");
    }

  for (guint i = 0; i < entry->n_outputs; i++)
    {
      g_ptr_array_add (outputs, g_try_new (float, assay_port_count (&entry->outputs[i])));
      if (g_ptr_array_index (outputs, i) == NULL)
        return refuse (error, ASSAY_ERROR_DEVICE,
                       "The board has not enough memory for the outputs");
    }
  for (guint step = 0; step < self->steps; step++)
    {
      if (!run_step (self, step, (float **) outputs->pdata, &latencies[step], error))
        return FALSE;
    }

  finished.n_latencies = self->steps;
  finished.latencies = latencies;
  frame.body_case = ASSAY__BOARD__FRAME__BODY_FINISHED;
  frame.finished = &finished;
  clear_batch (self);

  return assay_frame_send (self->channel, &frame, self->progress, error);
}

static gboolean
handle (Agent *self, const AssayFrame *frame, GError **error)
{
  if (!self->greeted && frame->body_case != ASSAY__BOARD__FRAME__BODY_HELLO)
    return refuse (error, ASSAY_ERROR_INVALID, "A conversation begins with hello");

  switch (frame->body_case)
    {
    case ASSAY__BOARD__FRAME__BODY_HELLO:
      return answer_hello (self, frame->hello, error);
    case ASSAY__BOARD__FRAME__BODY_PUT:
      return begin_program (self, frame->put, error);
    case ASSAY__BOARD__FRAME__BODY_CHUNK:
      return add_chunk (self, frame->chunk, error);
    case ASSAY__BOARD__FRAME__BODY_BEGIN:
      return begin_batch (self, frame->begin, error);
    case ASSAY__BOARD__FRAME__BODY_VALUES:
      return add_values (self, frame->values, error);
    case ASSAY__BOARD__FRAME__BODY_RUN:
      return run_batch (self, error);
    default:
      return refuse (error, ASSAY_ERROR_INVALID, "A message that only a board sends");
    }
}

static void
send_failure (Agent *self, const GError *cause)
{
  AssayFrame frame = ASSAY__BOARD__FRAME__INIT;
  Assay__Board__Failure failure = ASSAY__BOARD__FAILURE__INIT;

  failure.code = (char *) assay_error_code_name (
      cause->domain == ASSAY_ERROR ? (AssayError) cause->code : ASSAY_ERROR_DEVICE);
  failure.message = cause->message;
  frame.body_case = ASSAY__BOARD__FRAME__BODY_FAILURE;
  frame.failure = &failure;
  assay_frame_send (self->channel, &frame, self->progress, NULL);
}

/**
 * assay_board_agent_serve:
 * @channel: to the client
 * @progress: (nullable): cancel
 * @error: return location for a #GError
 *
 * Talks with one client until it says bye or is gone. What goes wrong is told to the client and
 * ends the conversation.
 *
 * Returns: whether it ended well
 */
gboolean
assay_board_agent_serve (const AssayFrameChannel *channel, const AssayProgress *progress,
                         GError **error)
{
  g_auto (Agent) self = { .channel = channel, .progress = progress };

  for (;;)
    {
      g_autoptr (GError) cause = NULL;
      gboolean at_end;
      g_autoptr (AssayFrame) frame = assay_frame_receive (channel, &at_end, progress, &cause);

      if (at_end || (frame != NULL && frame->body_case == ASSAY__BOARD__FRAME__BODY_BYE))
        return TRUE;
      if (frame != NULL && handle (&self, frame, &cause))
        continue;

      send_failure (&self, cause);
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
}
