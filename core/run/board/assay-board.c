/* assay-board.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The side of the client. A board is not trusted either: what it sends is checked against the
 * program that it was given.
 */
#include "run/board/assay-board-private.h"

#include <string.h>

#include "base/assay-error.h"
#include "backend/assay-port.h"
#include "backend/assay-build.h"
#include "base/assay-sentence.h"
#include "process/assay-child.h"
#include "process/assay-helper.h"
#include "process/assay-sandbox.h"

/* How long the agent may take to answer at first; ssh gives up on a computer that does not answer
 * in 5 s by itself. */
#define CONNECT_SECONDS 10

/* How long it may say nothing afterwards, unless the user says. */
#define USUAL_SECONDS 600
#define SSH_CONNECT "ConnectTimeout=5"
#define SSH_ALIVE "ServerAliveInterval=5"

/* Bytes of inputs and outputs that are on their way at once. */
#define BATCH_BYTES ((gsize) 16 << 20)

/* One word for whatever shell the user has there. The folder where assay_board_install() puts the
 * agent is seldom on the path of a shell without a terminal. */
static const char agent_there[] =
    "sh -c 'PATH=\"$HOME/.local/bin:$PATH\" exec assay-board --stdio'";

struct _AssayBoard
{
  char *name;
  guint seconds;     /* for one message */
  AssayChild *child; /* (nullable): what is at the other end of the channel */
  AssayFrameChannel channel;
  AssayBoardInfo info;
  gboolean greeted;
  AssayBoardTrouble *trouble;
  AssayProgram *program;
};

static const char local[] = "local";
static const char ssh[] = "ssh:";
static const char device[] = ASSAY_BOARD_DEVICE;

/**
 * assay_board_is_local:
 * @name: name of a board
 *
 * Tells whether a board is this computer, whose latencies are no board's.
 *
 * Returns: whether it is
 */
gboolean
assay_board_is_local (const char *name)
{
  return g_str_equal (name, local);
}

/**
 * assay_board_is_device:
 * @name: where a program may go: a board, or `vulkan[:DEVICE]`
 *
 * Tells whether that is a graphics processor of this computer, which a helper owns and nobody
 * talks to over a channel.
 *
 * Returns: whether it is
 */
gboolean
assay_board_is_device (const char *name)
{
  return g_str_has_prefix (name, device) &&
         (name[strlen (device)] == '\0' || name[strlen (device)] == ':');
}

/* An address of IPv6 has more than one colon. */
static gboolean
ends_in_port (const char *name)
{
  const char *host = g_str_has_prefix (name, ssh) ? name + strlen (ssh) : name;
  const char *colon = strchr (host, ':');

  return colon != NULL && colon == strrchr (host, ':');
}

/**
 * assay_board_name_check:
 * @name: what the user typed: `local`, or `ssh:HOST`
 * @error: return location for a #GError
 *
 * Checks the name of a board. A host is what ssh takes, but nothing that it could take for an
 * option, and no port: what ssh is told of a host stands in its configuration.
 *
 * Returns: whether it is one
 */
gboolean
assay_board_name_check (const char *name, GError **error)
{
  gboolean good = g_str_has_prefix (name, ssh) && name[strlen (ssh)] != '\0' &&
                  name[strlen (ssh)] != '-' && !ends_in_port (name);

  for (const char *c = name; *c != '\0'; c++)
    good = good && (g_ascii_isalnum (*c) || strchr (".-_:@[]%", *c) != NULL);
  if (good || assay_board_is_local (name))
    return TRUE;

  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "board %s: expected local or ssh:HOST%s",
               name, ends_in_port (name) ? "; a port stands in ~/.ssh/config" : "");
  return FALSE;
}

/**
 * assay_board_dup_label:
 * @name: name of a board
 *
 * Says what a person calls a board.
 *
 * Returns: (transfer full): `This computer (software)`, the device, or the host
 */
char *
assay_board_dup_label (const char *name)
{
  if (assay_board_is_device (name))
    return name[strlen (device)] == '\0'
               ? g_strdup ("Graphics processor (Vulkan)")
               : g_strdup_printf ("Graphics processor %s (Vulkan)", name + strlen (device) + 1);

  return g_strdup (assay_board_is_local (name) ? "This computer (software)" : name + strlen (ssh));
}

/**
 * assay_board_digest:
 * @bytes: a program file
 * @digest: (out caller-allocates) (array fixed-size=32): its SHA-256
 *
 * Computes what tells whether a program has arrived as it was sent.
 */
void
assay_board_digest (GBytes *bytes, guint8 *digest)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  gsize length = ASSAY_BOARD_DIGEST;

  g_checksum_update (checksum, data, (gssize) size);
  g_checksum_get_digest (checksum, digest, &length);
}

/**
 * assay_board_send_values:
 * @channel: where to
 * @step: of which inference of the batch
 * @port: of which input or output
 * @values: (array length=n): what the port transfers
 * @n: how many
 * @progress: (nullable): cancel
 * @error: return location for a #GError
 *
 * Sends the values of one port, in as many messages as it takes.
 *
 * Returns: whether they went out
 */
gboolean
assay_board_send_values (const AssayFrameChannel *channel, guint step, guint port,
                         const float *values, gsize n, const AssayProgress *progress,
                         GError **error)
{
  AssayFrame frame = ASSAY__BOARD__FRAME__INIT;
  Assay__Board__Values message = ASSAY__BOARD__VALUES__INIT;

  frame.body_case = ASSAY__BOARD__FRAME__BODY_VALUES;
  frame.values = &message;
  message.has_step = message.has_port = message.has_first = message.has_data = TRUE;
  message.step = step;
  message.port = port;

  for (gsize at = 0; at < n;)
    {
      gsize part = MIN (n - at, ASSAY_FRAME_CHUNK / sizeof (float));

      message.first = at;
      message.data = (ProtobufCBinaryData){ part * sizeof (float),
                                            (uint8_t *) (gpointer) (values + at) };
      if (!assay_frame_send (channel, &frame, progress, error))
        return FALSE;
      at += part;
    }

  return TRUE;
}

/* The connection broke or the other side said something else: ssh and the agent know more than the
 * pipe. Takes the cause. */
static gboolean
explain (AssayBoard *self, GError *cause, GError **error)
{
  g_autofree char *said = NULL;
  int wait_status = 0;

  if (g_error_matches (cause, ASSAY_ERROR, ASSAY_ERROR_CANCELLED))
    {
      g_propagate_error (error, cause);
      return FALSE;
    }

  if (self->child != NULL && !assay_child_end (self->child, &wait_status))
    wait_status = 0;
  said = self->child != NULL ? assay_child_dup_stderr (self->child) : g_strdup ("");
  g_clear_pointer (&self->trouble, assay_board_trouble_free);
  self->trouble = assay_board_trouble_find (self->name, wait_status, said, cause);
  assay_board_trouble_to_error (self->trouble, error);
  g_error_free (cause);

  return FALSE;
}

/* From now on the other side has its time again, once it has answered at all. */
static void
begin_wait (AssayBoard *self)
{
  if (self->child != NULL && self->greeted)
    assay_child_set_deadline (self->child, self->seconds);
}

static gboolean
send (AssayBoard *self, const AssayFrame *frame, const AssayProgress *progress, GError **error)
{
  GError *cause = NULL;

  begin_wait (self);

  return assay_frame_send (&self->channel, frame, progress, &cause) || explain (self, cause, error);
}

/* A failure that the agent tells of is an error of its kind. */
static AssayFrame *
receive (AssayBoard *self, const AssayProgress *progress, GError **error)
{
  GError *cause = NULL;
  g_autoptr (AssayFrame) frame = NULL;
  g_autofree char *label = assay_board_dup_label (self->name);

  begin_wait (self);
  frame = assay_frame_receive (&self->channel, NULL, progress, &cause);
  if (frame == NULL)
    {
      explain (self, cause, error);
      return NULL;
    }
  if (frame->body_case == ASSAY__BOARD__FRAME__BODY_FAILURE)
    {
      g_autofree char *text = assay_frame_text (frame->failure->message);

      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "%s: %s", label, text);
      return NULL;
    }

  return g_steal_pointer (&frame);
}

static AssayFrame *
expect (AssayBoard *self, Assay__Board__Frame__BodyCase kind, const AssayProgress *progress,
        GError **error)
{
  g_autoptr (AssayFrame) frame = receive (self, progress, error);
  g_autofree char *label = assay_board_dup_label (self->name);

  if (frame == NULL || frame->body_case == kind)
    return g_steal_pointer (&frame);

  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "%s: answered with message %d, expected %d",
               label, (int) frame->body_case, (int) kind);
  return NULL;
}

static gboolean
check_versions (AssayBoard *self, const Assay__Board__Hello *hello, GError **error)
{
  g_autofree char *label = assay_board_dup_label (self->name);
  const AssayBuildVersions versions = assay_build_get_versions ();
  g_autofree char *message = NULL;

  if (hello->protocol == ASSAY_FRAME_PROTOCOL && hello->machine == versions.machine &&
      hello->format == versions.format)
    return TRUE;

  message = g_strdup_printf ("%s has %s, whose protocol, machine and program format are %u, %u and "
                             "%u; this is Assay " ASSAY_VERSION " with %d, %u and %u.",
                             label, self->info.writer, hello->protocol, hello->machine,
                             hello->format, ASSAY_FRAME_PROTOCOL, versions.machine,
                             versions.format);
  self->trouble = assay_board_trouble_new_version (self->name, message);
  assay_board_trouble_to_error (self->trouble, error);

  return FALSE;
}

/**
 * assay_board_new:
 * @name: what it is called
 * @channel: what is said to the agent and what it says
 *
 * Makes a board of a conversation that has not begun.
 *
 * Returns: (transfer full): the board
 */
AssayBoard *
assay_board_new (const char *name, const AssayFrameChannel *channel)
{
  AssayBoard *self = g_new0 (AssayBoard, 1);

  self->name = g_strdup (name);
  self->channel = *channel;
  self->seconds = USUAL_SECONDS;

  return self;
}

/**
 * assay_board_greet:
 * @self: a board that nothing was said to yet
 * @progress: (nullable): cancel
 * @error: return location for a #GError
 *
 * Exchanges versions.
 *
 * Returns: whether the agent is one that can be talked to
 */
gboolean
assay_board_greet (AssayBoard *self, const AssayProgress *progress, GError **error)
{
  const AssayBuildVersions versions = assay_build_get_versions ();
  AssayFrame frame = ASSAY__BOARD__FRAME__INIT;
  Assay__Board__Hello own = ASSAY__BOARD__HELLO__INIT;
  g_autoptr (AssayFrame) answer = NULL;

  own.has_protocol = own.has_machine = own.has_format = TRUE;
  own.protocol = ASSAY_FRAME_PROTOCOL;
  own.machine = versions.machine;
  own.format = versions.format;
  own.writer = (char *) "assay " ASSAY_VERSION;
  frame.body_case = ASSAY__BOARD__FRAME__BODY_HELLO;
  frame.hello = &own;

  if (!send (self, &frame, progress, error))
    return FALSE;
  answer = expect (self, ASSAY__BOARD__FRAME__BODY_HELLO, progress, error);
  if (answer == NULL)
    return FALSE;

  self->info.writer = assay_frame_text (answer->hello->writer);
  self->info.kernels = assay_frame_text (answer->hello->kernels);
  self->info.architecture = assay_frame_text (answer->hello->architecture);
  self->info.processors = answer->hello->processors;

  self->greeted = check_versions (self, answer->hello, error);

  return self->greeted;
}

static gboolean
read_child (gpointer stream, gpointer data, gsize n, gsize *n_read, const AssayProgress *progress,
            GError **error)
{
  return assay_child_read (stream, data, n, n_read, progress, error);
}

static gboolean
write_child (gpointer stream, gconstpointer data, gsize n, const AssayProgress *progress,
             GError **error)
{
  return assay_child_write (stream, data, n, progress, error);
}

/**
 * assay_board_start_ssh:
 * @name: name of a board, `ssh:HOST`, that assay_board_name_check() has passed
 * @command: what the shell of the user runs there
 * @error: return location for a #GError
 *
 * Starts a command on another computer. Over ssh nobody is asked anything: keys have to be there.
 *
 * Returns: (transfer full) (nullable): the child
 */
AssayChild *
assay_board_start_ssh (const char *name, const char *command, GError **error)
{
  const char *argv[] = { "ssh", "-T",      "-o", "BatchMode=yes",     "-o",    SSH_CONNECT,
                         "-o",  SSH_ALIVE, "--", name + strlen (ssh), command, NULL };
  g_auto (GStrv) started = assay_sandbox_dup_host_command (ASSAY_SANDBOX_INFO, argv, error);

  return started != NULL ? assay_child_new ((const char *const *) started, error) : NULL;
}

/**
 * assay_board_connect:
 * @name: `local` for an agent on this computer, or `ssh:HOST`
 * @seconds: how long the agent may take for an answer, 0 for a usual time; ten at the most for the
 * first
 * @trouble: (out) (optional) (nullable) (transfer full): why it cannot be used, if that is known
 * @progress: (nullable): cancel
 * @error: return location for a #GError
 *
 * Starts the agent and exchanges versions. Over ssh nobody is asked anything: keys have to be
 * there.
 *
 * Returns: (transfer full) (nullable): the board, or %NULL with %ASSAY_ERROR_DEVICE and what to do
 * about it
 */
AssayBoard *
assay_board_connect (const char *name, guint seconds, AssayBoardTrouble **trouble,
                     const AssayProgress *progress, GError **error)
{
  AssayFrameChannel channel = { read_child, write_child, NULL };
  g_autoptr (AssayChild) child = NULL;
  g_autoptr (AssayBoard) self = NULL;
  g_autofree char *agent = NULL;
  const char *here[] = { NULL, "--stdio", NULL };

  if (trouble != NULL)
    *trouble = NULL;
  if (!assay_board_name_check (name, error))
    return NULL;
  if (assay_board_is_local (name))
    {
      here[0] = agent = assay_helper_find ("assay-board", error);
      if (agent == NULL)
        return NULL;
    }

  child = agent != NULL ? assay_child_new (here, error)
                        : assay_board_start_ssh (name, agent_there, error);
  if (child == NULL)
    return NULL;
  channel.stream = child;
  self = assay_board_new (name, &channel);
  self->child = g_steal_pointer (&child);

  assay_child_set_deadline (self->child,
                            seconds > 0 ? MIN (seconds, CONNECT_SECONDS) : CONNECT_SECONDS);
  if (!assay_board_greet (self, progress, error))
    {
      if (trouble != NULL)
        *trouble = g_steal_pointer (&self->trouble);
      return NULL;
    }

  return g_steal_pointer (&self);
}

/* A word of politeness: the agent is let go of either way. */
static void
say_bye (AssayBoard *self)
{
  AssayFrame frame = ASSAY__BOARD__FRAME__INIT;
  Assay__Board__Bye bye = ASSAY__BOARD__BYE__INIT;

  frame.body_case = ASSAY__BOARD__FRAME__BODY_BYE;
  frame.bye = &bye;
  if (self->child != NULL)
    assay_child_set_deadline (self->child, 1);
  assay_frame_send (&self->channel, &frame, NULL, NULL);
}

void
assay_board_free (AssayBoard *self)
{
  if (self == NULL)
    return;

  if (self->greeted && self->trouble == NULL)
    say_bye (self);
  g_clear_pointer (&self->child, assay_child_free);
  g_clear_pointer (&self->trouble, assay_board_trouble_free);
  g_clear_object (&self->program);
  g_free (self->info.writer);
  g_free (self->info.kernels);
  g_free (self->info.architecture);
  g_free (self->name);
  g_free (self);
}

/**
 * assay_board_set_deadline:
 * @self: a board
 * @seconds: how long it may take for one message, 0 for ten minutes
 *
 * Says when a board that is silent is given up with %ASSAY_ERROR_DEVICE.
 */
void
assay_board_set_deadline (AssayBoard *self, guint seconds)
{
  self->seconds = seconds > 0 ? seconds : USUAL_SECONDS;
}

/**
 * assay_board_get_info:
 * @self: a board
 *
 * Tells what the agent said about itself.
 *
 * Returns: (transfer none): the facts
 */
const AssayBoardInfo *
assay_board_get_info (const AssayBoard *self)
{
  return &self->info;
}

static gboolean
send_program (AssayBoard *self, GBytes *bytes, const guint8 *digest, const AssayProgress *progress,
              GError **error)
{
  AssayFrame frame = ASSAY__BOARD__FRAME__INIT;
  Assay__Board__Put put = ASSAY__BOARD__PUT__INIT;
  Assay__Board__Chunk chunk = ASSAY__BOARD__CHUNK__INIT;
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  put.has_size = put.has_sha256 = TRUE;
  put.size = size;
  put.sha256 = (ProtobufCBinaryData){ ASSAY_BOARD_DIGEST, (uint8_t *) digest };
  frame.body_case = ASSAY__BOARD__FRAME__BODY_PUT;
  frame.put = &put;
  if (!send (self, &frame, progress, error))
    return FALSE;

  frame.body_case = ASSAY__BOARD__FRAME__BODY_CHUNK;
  frame.chunk = &chunk;
  chunk.has_data = TRUE;
  for (gsize at = 0; at < size; at += ASSAY_FRAME_CHUNK)
    {
      chunk.data = (ProtobufCBinaryData){ MIN (size - at, ASSAY_FRAME_CHUNK),
                                          (uint8_t *) data + at };
      if (!send (self, &frame, progress, error))
        return FALSE;
      assay_progress_report (progress, (double) (at + chunk.data.len) / (double) size, "copying");
    }

  return TRUE;
}

/**
 * assay_board_put:
 * @self: a board
 * @program: a program
 * @n_bytes: (out) (optional): how many bytes it took
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Copies a program to the board, which verifies it, and forgets the one before.
 *
 * Returns: whether the board has it now
 */
gboolean
assay_board_put (AssayBoard *self, AssayProgram *program, gsize *n_bytes,
                 const AssayProgress *progress, GError **error)
{
  g_autoptr (GBytes) bytes = assay_program_save_bytes (program, error);
  g_autofree char *label = assay_board_dup_label (self->name);
  g_autoptr (AssayFrame) answer = NULL;
  guint8 digest[ASSAY_BOARD_DIGEST];

  if (bytes == NULL)
    return FALSE;

  assay_board_digest (bytes, digest);
  if (!send_program (self, bytes, digest, progress, error))
    return FALSE;
  answer = expect (self, ASSAY__BOARD__FRAME__BODY_READY, progress, error);
  if (answer == NULL)
    return FALSE;
  if (answer->ready->sha256.len != sizeof digest ||
      memcmp (answer->ready->sha256.data, digest, sizeof digest) != 0)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE,
                   "%s: verified another program than it was given", label);
      return FALSE;
    }

  g_clear_object (&self->program);
  self->program = g_object_ref (program);
  if (n_bytes != NULL)
    *n_bytes = g_bytes_get_size (bytes);

  return TRUE;
}

static gsize
bytes_per_step (const AssayModelEntry *entry)
{
  gsize n = 0;

  for (guint i = 0; i < entry->n_inputs; i++)
    n += assay_port_count (&entry->inputs[i]);
  for (guint i = 0; i < entry->n_outputs; i++)
    n += assay_port_count (&entry->outputs[i]);

  return MAX (n, 1) * sizeof (float);
}

static gboolean
send_batch (AssayBoard *self, guint model, AssayRunSequence *sequence, gint64 first, guint n,
            const AssayProgress *progress, GError **error)
{
  AssayFrame frame = ASSAY__BOARD__FRAME__INIT;
  Assay__Board__Begin begin = ASSAY__BOARD__BEGIN__INIT;
  Assay__Board__Run run = ASSAY__BOARD__RUN__INIT;

  begin.has_model = begin.has_steps = begin.has_reset = TRUE;
  begin.model = model;
  begin.steps = n;
  begin.reset = first == 0;
  frame.body_case = ASSAY__BOARD__FRAME__BODY_BEGIN;
  frame.begin = &begin;
  if (!send (self, &frame, progress, error))
    return FALSE;

  for (guint step = 0; step < n; step++)
    {
      assay_run_sequence_pack (sequence, first + step);
      for (guint i = 0; i < sequence->entry->n_inputs; i++)
        {
          GError *cause = NULL;

          begin_wait (self);
          if (!assay_board_send_values (&self->channel, step, i, sequence->packed[i],
                                        assay_port_count (&sequence->entry->inputs[i]), progress,
                                        &cause))
            return explain (self, cause, error);
        }
    }

  frame.body_case = ASSAY__BOARD__FRAME__BODY_RUN;
  frame.run = &run;

  return send (self, &frame, progress, error);
}

/* The values of an output of one inference, in order and neither more nor fewer. */
static gboolean
receive_output (AssayBoard *self, AssayRunSequence *sequence, guint step, guint output,
                const AssayProgress *progress, GError **error)
{
  gsize n = assay_port_count (&sequence->entry->outputs[output]);
  gsize have = 0;

  while (have < n)
    {
      g_autoptr (AssayFrame)
          frame = expect (self, ASSAY__BOARD__FRAME__BODY_VALUES, progress, error);
      const Assay__Board__Values *values;
      gsize part;

      if (frame == NULL)
        return FALSE;
      values = frame->values;
      part = values->data.len / sizeof (float);
      if (values->step != step || values->port != output || values->first != have || part == 0 ||
          part > n - have)
        {
          g_autofree char *label = assay_board_dup_label (self->name);

          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE,
                       "%s: sent values that were not asked for, of output %u", label,
                       values->port);
          return FALSE;
        }
      memcpy (sequence->results[output] + have, values->data.data, values->data.len);
      have += part;
    }

  return TRUE;
}

static gboolean
receive_batch (AssayBoard *self, AssayRunSequence *sequence, gint64 first, guint n,
               GArray *latencies, const AssayProgress *progress, GError **error)
{
  g_autoptr (AssayFrame) frame = NULL;
  g_autofree char *label = assay_board_dup_label (self->name);

  for (guint step = 0; step < n; step++)
    {
      for (guint i = 0; i < sequence->entry->n_outputs; i++)
        {
          if (!receive_output (self, sequence, step, i, progress, error))
            return FALSE;
        }
      assay_run_sequence_unpack (sequence, first + step);
    }

  frame = expect (self, ASSAY__BOARD__FRAME__BODY_FINISHED, progress, error);
  if (frame == NULL)
    return FALSE;
  if (frame->finished->n_latencies != n)
    {
      g_set_error (
          error, ASSAY_ERROR, ASSAY_ERROR_DEVICE,
          "%s: sent %" G_GSIZE_FORMAT " %s for %u inference%s", label, frame->finished->n_latencies,
          assay_noun (frame->finished->n_latencies, "latency", "latencies"), n, assay_plural (n));
      return FALSE;
    }
  for (guint i = 0; i < n; i++)
    g_array_append_vals (latencies,
                         &(gint64){ (gint64) MIN (frame->finished->latencies[i], G_MAXINT64) }, 1);

  return TRUE;
}

/**
 * assay_board_run:
 * @self: a board that has a program
 * @model: which of its models
 * @sequence: the inputs, for that model of the same program; gets the outputs
 * @latencies: (element-type gint64): gets the nanoseconds of every inference, as the board measured
 * them
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Runs a sequence from the initial state.
 *
 * Returns: whether all outputs have come
 */
gboolean
assay_board_run (AssayBoard *self, guint model, AssayRunSequence *sequence, GArray *latencies,
                 const AssayProgress *progress, GError **error)
{
  gsize most = CLAMP (BATCH_BYTES / bytes_per_step (sequence->entry), 1, ASSAY_BOARD_MOST_STEPS);

  for (gint64 first = 0; first < sequence->n_steps;)
    {
      guint n = (guint) MIN ((gsize) (sequence->n_steps - first), most);

      if (!send_batch (self, model, sequence, first, n, progress, error) ||
          !receive_batch (self, sequence, first, n, latencies, progress, error))
        return FALSE;
      first += n;
      assay_progress_report (progress, (double) first / (double) sequence->n_steps, "running");
    }

  return TRUE;
}
