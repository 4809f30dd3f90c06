/* test-board.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Boards: the agent, what it refuses, the way over ssh with a stand-in for it, and the same bits as
 * the machine.
 */
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "backend/assay-port.h"
#include "backend/stream/machine/assay-stream-code-file.h"
#include "memory-channel.h"
#include "run-fixture.h"
#include "process/assay-helper.h"
#include "run/board/assay-board-agent.h"
#include "run/board/assay-board-list.h"
#include "run/board/assay-board-private.h"
#include "run/assay-deploy.h"
#include "test-program.h"
#include "wait.h"

static const int time_axis = 1;

/* The messages of a client, one call each. */
static void
say (GByteArray *bytes, AssayFrame *frame)
{
  g_autoptr (GBytes) packed = assay_frame_pack (frame);
  gsize n;
  gconstpointer data = g_bytes_get_data (packed, &n);

  g_byte_array_append (bytes, data, (guint) n);
}

static void
say_hello (GByteArray *bytes, guint protocol)
{
  AssayFrame frame = ASSAY__BOARD__FRAME__INIT;
  Assay__Board__Hello hello = ASSAY__BOARD__HELLO__INIT;

  hello.has_protocol = TRUE;
  hello.protocol = protocol;
  frame.body_case = ASSAY__BOARD__FRAME__BODY_HELLO;
  frame.hello = &hello;
  say (bytes, &frame);
}

static void
say_put (GByteArray *bytes, gsize size, guint8 *digest)
{
  AssayFrame frame = ASSAY__BOARD__FRAME__INIT;
  Assay__Board__Put put = ASSAY__BOARD__PUT__INIT;

  put.has_size = put.has_sha256 = TRUE;
  put.size = size;
  put.sha256 = (ProtobufCBinaryData){ ASSAY_BOARD_DIGEST, digest };
  frame.body_case = ASSAY__BOARD__FRAME__BODY_PUT;
  frame.put = &put;
  say (bytes, &frame);
}

static void
say_chunk (GByteArray *bytes, gconstpointer data, gsize n)
{
  AssayFrame frame = ASSAY__BOARD__FRAME__INIT;
  Assay__Board__Chunk chunk = ASSAY__BOARD__CHUNK__INIT;

  chunk.has_data = TRUE;
  chunk.data = (ProtobufCBinaryData){ n, (uint8_t *) data };
  frame.body_case = ASSAY__BOARD__FRAME__BODY_CHUNK;
  frame.chunk = &chunk;
  say (bytes, &frame);
}

static void
say_begin_from (GByteArray *bytes, guint model, guint steps, gboolean reset)
{
  AssayFrame frame = ASSAY__BOARD__FRAME__INIT;
  Assay__Board__Begin begin = ASSAY__BOARD__BEGIN__INIT;

  begin.has_model = begin.has_steps = begin.has_reset = TRUE;
  begin.model = model;
  begin.steps = steps;
  begin.reset = reset;
  frame.body_case = ASSAY__BOARD__FRAME__BODY_BEGIN;
  frame.begin = &begin;
  say (bytes, &frame);
}

static void
say_begin (GByteArray *bytes, guint model, guint steps)
{
  say_begin_from (bytes, model, steps, TRUE);
}

static void
say_values (GByteArray *bytes, guint step, guint port, guint64 first, const float *values, gsize n)
{
  AssayFrame frame = ASSAY__BOARD__FRAME__INIT;
  Assay__Board__Values message = ASSAY__BOARD__VALUES__INIT;

  message.has_step = message.has_port = message.has_first = message.has_data = TRUE;
  message.step = step;
  message.port = port;
  message.first = first;
  message.data = (ProtobufCBinaryData){ n * sizeof (float), (uint8_t *) values };
  frame.body_case = ASSAY__BOARD__FRAME__BODY_VALUES;
  frame.values = &message;
  say (bytes, &frame);
}

static void
say_run (GByteArray *bytes)
{
  AssayFrame frame = ASSAY__BOARD__FRAME__INIT;
  Assay__Board__Run run = ASSAY__BOARD__RUN__INIT;

  frame.body_case = ASSAY__BOARD__FRAME__BODY_RUN;
  frame.run = &run;
  say (bytes, &frame);
}

/* A program of one timestep of the model, and its file. */
static GBytes *
program_bytes (AssayRunSubject **subject)
{
  *subject = run_fixture_subject (run_fixture_model, &time_axis);

  return assay_program_save_bytes ((*subject)->program, NULL);
}

static void
say_program (GByteArray *bytes, GBytes *program)
{
  guint8 digest[ASSAY_BOARD_DIGEST];
  gsize n;
  const guint8 *data = g_bytes_get_data (program, &n);

  assay_board_digest (program, digest);
  say_put (bytes, n, digest);
  say_chunk (bytes, data, n / 2);
  say_chunk (bytes, data + n / 2, n - n / 2);
}

static AssayFrame *
hear (MemoryChannel *answers)
{
  const AssayFrameChannel channel = { memory_channel_read, memory_channel_write, answers };
  g_autoptr (GError) error = NULL;
  AssayFrame *frame = assay_frame_receive (&channel, NULL, NULL, &error);

  g_assert_no_error (error);

  return frame;
}

/* Lets the agent hear a client; what it answers is in @answers, whose bytes the caller frees. */
static gboolean
serve (GByteArray *client, GByteArray **bytes, MemoryChannel *answers, GError **error)
{
  MemoryChannel stream = { client->data, client->len, g_byte_array_new (), 0 };
  const AssayFrameChannel channel = { memory_channel_read, memory_channel_write, &stream };
  gboolean well = assay_board_agent_serve (&channel, NULL, error);

  *bytes = stream.out;
  *answers = (MemoryChannel){ stream.out->data, stream.out->len, NULL, 0 };

  return well;
}

static void
test_frame (void)
{
  static const guint8 noise[] = "Welcome to";
  static const guint8 giant[] = { 'A', 'B', 'F', '1', 0xff, 0xff, 0xff, 0x7f };
  static const guint8 nothing[] = { 0 };
  static const guint8 wrong[] = { 0x0a, 0x05, 0x08 };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (AssayFrame) frame = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = assay_frame_text ("a\033[31m\nb\xff");
  gsize length;

  g_assert_cmpstr (text, ==, "a [31m b\xef\xbf\xbd");

  say_hello (bytes, 7);
  g_assert_true (assay_frame_header (bytes->data, &length, &error));
  g_assert_cmpuint (length, ==, bytes->len - ASSAY_FRAME_PREFIX);
  frame = assay_frame_unpack (bytes->data + ASSAY_FRAME_PREFIX, length, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (frame->hello->protocol, ==, 7);

  g_assert_false (assay_frame_header (noise, &length, &error));
  assert_message (error, ASSAY_ERROR_DEVICE, "*got `Welcome...`");
  g_clear_error (&error);
  g_assert_false (assay_frame_header (giant, &length, &error));
  assert_message (error, ASSAY_ERROR_DEVICE,
                  "A message of 2147483647 bytes, at most 4194304 are taken");
  g_clear_error (&error);
  g_assert_null (assay_frame_unpack (nothing, 0, &error));
  g_clear_error (&error);
  g_assert_null (assay_frame_unpack (wrong, sizeof wrong, &error));
  assert_message (error, ASSAY_ERROR_DEVICE, "A message of 3 bytes that is none of the protocol's");
}

/* Two timesteps through the agent are two timesteps on the machine. */
static void
test_agent (void)
{
  g_autoptr (AssayRunSubject) subject = NULL;
  g_autoptr (GBytes) program = program_bytes (&subject);
  g_autoptr (GByteArray) client = g_byte_array_new ();
  g_autoptr (GPtrArray) inputs = run_fixture_inputs (2);
  g_autoptr (GPtrArray) outputs = run_fixture_run ("vm", subject, inputs);
  gsize n_bytes;
  const float *values = assay_tensor_get_data (g_ptr_array_index (inputs, 0), &n_bytes, NULL);
  const float *expected = assay_tensor_get_data (g_ptr_array_index (outputs, 0), &n_bytes, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GByteArray) bytes = NULL;
  MemoryChannel answers;

  say_hello (client, ASSAY_FRAME_PROTOCOL);
  say_program (client, program);
  say_begin (client, 0, 2);
  say_values (client, 0, 0, 0, values, 3);
  say_values (client, 0, 0, 3, values + 3, 5);
  say_values (client, 1, 0, 0, values + 8, 8);
  say_run (client);
  g_assert_true (serve (client, &bytes, &answers, &error));
  g_assert_no_error (error);

  for (guint i = 0; i < 5; i++)
    {
      static const Assay__Board__Frame__BodyCase kinds[] = {
        ASSAY__BOARD__FRAME__BODY_HELLO,    ASSAY__BOARD__FRAME__BODY_READY,
        ASSAY__BOARD__FRAME__BODY_VALUES,   ASSAY__BOARD__FRAME__BODY_VALUES,
        ASSAY__BOARD__FRAME__BODY_FINISHED,
      };
      g_autoptr (AssayFrame) frame = hear (&answers);

      g_assert_cmpint (frame->body_case, ==, kinds[i]);
      if (i == 2 || i == 3)
        g_assert_cmpmem (frame->values->data.data, frame->values->data.len, expected + (i - 2) * 8,
                         8 * sizeof (float));
      if (i == 4)
        g_assert_cmpuint (frame->finished->n_latencies, ==, 2);
    }
  g_assert_cmpuint (answers.size, ==, 0);
}

/* A batch that does not begin anew goes on where the last one ended. */
static void
test_continued (void)
{
  g_autoptr (AssayRunSubject) subject = NULL;
  g_autoptr (GBytes) program = program_bytes (&subject);
  g_autoptr (GByteArray) client = g_byte_array_new ();
  g_autoptr (GPtrArray) inputs = run_fixture_inputs (2);
  g_autoptr (GPtrArray) outputs = run_fixture_run ("vm", subject, inputs);
  gsize n_bytes;
  const float *values = assay_tensor_get_data (g_ptr_array_index (inputs, 0), &n_bytes, NULL);
  const float *expected = assay_tensor_get_data (g_ptr_array_index (outputs, 0), &n_bytes, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GByteArray) bytes = NULL;
  MemoryChannel answers;
  guint n_heard = 0;

  say_hello (client, ASSAY_FRAME_PROTOCOL);
  say_program (client, program);
  for (guint step = 0; step < 2; step++)
    {
      say_begin_from (client, 0, 1, step == 0);
      say_values (client, 0, 0, 0, values + 8 * step, 8);
      say_run (client);
    }
  g_assert_true (serve (client, &bytes, &answers, &error));
  g_assert_no_error (error);
  while (answers.size > 0)
    {
      g_autoptr (AssayFrame) frame = hear (&answers);

      if (frame->body_case == ASSAY__BOARD__FRAME__BODY_VALUES)
        g_assert_cmpmem (frame->values->data.data, frame->values->data.len,
                         expected + 8 * n_heard++, 8 * sizeof (float));
    }
  g_assert_cmpuint (n_heard, ==, 2);
}

typedef struct
{
  const char *name;
  const char *message;
} Hostile;

static const Hostile hostile[] = {
  { "no hello", "A conversation begins with hello" },
  { "protocol", "Protocol 99 is spoken to a board that speaks 1" },
  { "chunk first", "Bytes of a program that was not announced, or too many" },
  { "giant program", "A program without size or digest, or of over 1 GiB" },
  { "empty program", "A program without size or digest, or of over 1 GiB" },
  { "too many bytes", "Bytes of a program that was not announced, or too many" },
  { "digest", "The program that came is not the one that was announced" },
  { "short digest", "A program without size or digest, or of over 1 GiB" },
  { "no program", "*" },
  { "begin first", "There is no program to run" },
  { "model", "The program has no such model, or nothing is to be run" },
  { "steps", "More inferences at once than a board takes" },
  { "no steps", "The program has no such model, or nothing is to be run" },
  { "values first", "Values for an input that there is not" },
  { "no values", "More values than the input has, or in another order" },
  { "port", "Values for an input that there is not" },
  { "step", "Values for an input that there is not" },
  { "order", "More values than the input has, or in another order" },
  { "more values", "More values than the input has, or in another order" },
  { "missing", "Values of an input are missing" },
  { "run first", "Nothing was begun that could be run" },
  { "run twice", "Nothing was begun that could be run" },
  { "noise", "Expected a message of the board protocol, got `SSH-2.0-...`" },
};

static void
say_hostile (GByteArray *client, const char *name, GBytes *program)
{
  const float values[8] = { 0 };
  guint8 digest[ASSAY_BOARD_DIGEST] = { 0 };
  gsize n;
  const guint8 *data = g_bytes_get_data (program, &n);
  gboolean is_late = FALSE;
  static const char *const late[] = { "model",        "steps",     "no steps",    "port",
                                      "step",         "order",     "more values", "missing",
                                      "values first", "no values", "run first",   "run twice" };

  if (g_str_equal (name, "noise"))
    {
      g_byte_array_append (client, (const guint8 *) "SSH-2.0-noise and more", 22);
      return;
    }
  if (!g_str_equal (name, "no hello"))
    say_hello (client, g_str_equal (name, "protocol") ? 99 : ASSAY_FRAME_PROTOCOL);
  for (guint i = 0; i < G_N_ELEMENTS (late); i++)
    is_late = is_late || g_str_equal (name, late[i]);
  if (is_late)
    say_program (client, program);

  if (g_str_equal (name, "no hello") || g_str_equal (name, "run first"))
    say_run (client);
  else if (g_str_equal (name, "chunk first"))
    say_chunk (client, "x", 1);
  else if (g_str_equal (name, "giant program"))
    say_put (client, (gsize) 1 << 40, digest);
  else if (g_str_equal (name, "empty program"))
    say_put (client, 0, digest);
  else if (g_str_equal (name, "short digest"))
    {
      AssayFrame frame = ASSAY__BOARD__FRAME__INIT;
      Assay__Board__Put put = ASSAY__BOARD__PUT__INIT;

      put.has_size = put.has_sha256 = TRUE;
      put.size = n;
      put.sha256 = (ProtobufCBinaryData){ sizeof digest - 1, digest };
      frame.body_case = ASSAY__BOARD__FRAME__BODY_PUT;
      frame.put = &put;
      say (client, &frame);
    }
  else if (g_str_equal (name, "too many bytes"))
    say_put (client, 3, digest), say_chunk (client, "abcd", 4);
  else if (g_str_equal (name, "digest"))
    say_put (client, n, digest), say_chunk (client, data, n);
  else if (g_str_equal (name, "no program"))
    {
      g_autoptr (GBytes) junk = g_bytes_new_static ("no program at all", 17);

      say_program (client, junk);
    }
  else if (g_str_equal (name, "begin first"))
    say_begin (client, 0, 1);
  else if (g_str_equal (name, "model"))
    say_begin (client, 5, 1);
  else if (g_str_equal (name, "steps"))
    say_begin (client, 0, G_MAXUINT32);
  else if (g_str_equal (name, "no steps"))
    say_begin (client, 0, 0);
  else if (g_str_equal (name, "values first"))
    say_values (client, 0, 0, 0, values, 8);
  else
    say_begin (client, 0, 1);

  if (g_str_equal (name, "port"))
    say_values (client, 0, 1, 0, values, 8);
  else if (g_str_equal (name, "step"))
    say_values (client, 1, 0, 0, values, 8);
  else if (g_str_equal (name, "no values"))
    say_values (client, 0, 0, 0, values, 0);
  else if (g_str_equal (name, "order"))
    say_values (client, 0, 0, 4, values, 4);
  else if (g_str_equal (name, "more values"))
    say_values (client, 0, 0, 0, values, 5), say_values (client, 0, 0, 5, values, 4);
  else if (g_str_equal (name, "missing"))
    say_values (client, 0, 0, 0, values, 7), say_run (client);
  else if (g_str_equal (name, "run twice"))
    say_values (client, 0, 0, 0, values, 8), say_run (client), say_run (client);
}

/* What a client does wrong is answered with a reason, and ends the conversation. */
static void
test_hostile_client (void)
{
  g_autoptr (AssayRunSubject) subject = NULL;
  g_autoptr (GBytes) program = program_bytes (&subject);

  for (guint i = 0; i < G_N_ELEMENTS (hostile); i++)
    {
      g_autoptr (GByteArray) client = g_byte_array_new ();
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayFrame) last = NULL;
      g_autoptr (GByteArray) bytes = NULL;
      MemoryChannel answers;

      say_hostile (client, hostile[i].name, program);
      g_assert_false (serve (client, &bytes, &answers, &error));
      if (!g_pattern_match_simple (hostile[i].message, error->message))
        g_error ("%s: %s", hostile[i].name, error->message);
      while (answers.size > 0)
        {
          g_clear_pointer (&last, assay_frame_free);
          last = hear (&answers);
        }
      g_assert_cmpint (last->body_case, ==, ASSAY__BOARD__FRAME__BODY_FAILURE);
      g_assert_cmpstr (last->failure->message, ==, error->message);
    }
}

/* A stream in memory that breaks after so many messages. */
typedef struct
{
  MemoryChannel memory;
  guint left;
} Breaking;

static gboolean
read_breaking (gpointer stream, gpointer data, gsize n, gsize *n_read,
               const AssayProgress *progress, GError **error)
{
  return memory_channel_read (&((Breaking *) stream)->memory, data, n, n_read, progress, error);
}

static gboolean
write_breaking (gpointer stream, gconstpointer data, gsize n, const AssayProgress *progress,
                GError **error)
{
  Breaking *self = stream;

  if (self->left-- > 0)
    return memory_channel_write (&self->memory, data, n, progress, error);

  self->left = 0;
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE, "broken");
  return FALSE;
}

/* Two programs one after the other, each run twice, from the side of the client. */
static gboolean
converse (Breaking *stream, AssayProgram *program, GPtrArray *inputs, GError **error)
{
  const AssayFrameChannel channel = { read_breaking, write_breaking, stream };
  g_autoptr (AssayBoard) board = assay_board_new ("ssh:board", &channel);
  g_autoptr (GArray) latencies = g_array_new (FALSE, FALSE, sizeof (gint64));
  gboolean well = assay_board_greet (board, NULL, error);

  assay_board_set_deadline (board, 60);
  assay_board_set_deadline (board, 0);
  for (guint i = 0; i < 4 && well; i++)
    {
      g_auto (AssayRunSequence) sequence = { 0 };

      g_assert_true (
          assay_run_sequence_init (&sequence, assay_program_get_model (program, 0), inputs, NULL));
      well = (i % 2 == 1 || assay_board_put (board, program, NULL, NULL, error)) &&
             assay_board_run (board, 0, &sequence, latencies, NULL, error);
    }

  return well;
}

/* Wherever a conversation breaks, each side ends it with an error. */
static void
test_broken (void)
{
  g_autoptr (AssayRunSubject) subject = NULL;
  g_autoptr (GBytes) program = program_bytes (&subject);
  g_autoptr (GPtrArray) inputs = run_fixture_inputs (1);
  g_autoptr (GByteArray) client = g_byte_array_new ();
  g_autoptr (GByteArray) answers = NULL;
  const float values[8] = { 0 };
  gboolean well = FALSE;
  guint n;

  say_hello (client, ASSAY_FRAME_PROTOCOL);
  for (guint i = 0; i < 4; i++)
    {
      if (i % 2 == 0)
        say_program (client, program);
      say_begin (client, 0, 1);
      say_values (client, 0, 0, 0, values, 8);
      say_run (client);
    }

  for (n = 0; !well; n++)
    {
      g_autoptr (GByteArray) out = g_byte_array_new ();
      Breaking stream = { { client->data, client->len, out, 0 }, n };
      const AssayFrameChannel channel = { read_breaking, write_breaking, &stream };
      g_autoptr (GError) error = NULL;

      well = assay_board_agent_serve (&channel, NULL, &error);
      g_assert_true (well == (error == NULL));
      if (well)
        answers = g_steal_pointer (&out);
    }
  g_assert_cmpuint (n, >, 8);

  well = FALSE;
  for (n = 0; !well; n++)
    {
      Breaking stream = { { answers->data, answers->len, NULL, 0 }, n };
      g_autoptr (GError) error = NULL;

      well = converse (&stream, subject->program, inputs, &error);
      g_assert_true (well == (error == NULL));
    }
  g_assert_cmpuint (n, >, 12);
}

/* Values are whole numbers of floats. */
static void
test_odd_values (void)
{
  AssayFrame frame = ASSAY__BOARD__FRAME__INIT;
  Assay__Board__Values values = ASSAY__BOARD__VALUES__INIT;
  guint8 *data = g_malloc0 (ASSAY_FRAME_CHUNK + 4);
  static const gsize sizes[] = { 3, ASSAY_FRAME_CHUNK + 4, ASSAY_FRAME_CHUNK };

  frame.body_case = ASSAY__BOARD__FRAME__BODY_VALUES;
  frame.values = &values;
  values.has_data = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autoptr (GBytes) packed = NULL;
      g_autoptr (AssayFrame) read = NULL;
      gsize n;
      const guint8 *bytes;

      values.data = (ProtobufCBinaryData){ sizes[i], data };
      packed = assay_frame_pack (&frame);
      bytes = g_bytes_get_data (packed, &n);
      read = assay_frame_unpack (bytes + ASSAY_FRAME_PREFIX, n - ASSAY_FRAME_PREFIX, NULL);
      g_assert_true ((read != NULL) == (sizes[i] == ASSAY_FRAME_CHUNK));
    }
  g_free (data);
}

static void
answer_hello (GByteArray *bytes, guint machine, guint format)
{
  AssayFrame frame = ASSAY__BOARD__FRAME__INIT;
  Assay__Board__Hello hello = ASSAY__BOARD__HELLO__INIT;

  hello.has_protocol = hello.has_machine = hello.has_format = TRUE;
  hello.protocol = ASSAY_FRAME_PROTOCOL;
  hello.machine = machine;
  hello.format = format;
  hello.writer = (char *) "assay-board 9.9";
  frame.body_case = ASSAY__BOARD__FRAME__BODY_HELLO;
  frame.hello = &hello;
  say (bytes, &frame);
}

static void
answer_ready (GByteArray *bytes, guint8 *digest)
{
  AssayFrame frame = ASSAY__BOARD__FRAME__INIT;
  Assay__Board__Ready ready = ASSAY__BOARD__READY__INIT;

  ready.has_sha256 = TRUE;
  ready.sha256 = (ProtobufCBinaryData){ ASSAY_BOARD_DIGEST, digest };
  frame.body_case = ASSAY__BOARD__FRAME__BODY_READY;
  frame.ready = &ready;
  say (bytes, &frame);
}

static void
answer_finished (GByteArray *bytes, gsize n)
{
  AssayFrame frame = ASSAY__BOARD__FRAME__INIT;
  Assay__Board__Finished finished = ASSAY__BOARD__FINISHED__INIT;
  uint64_t latencies[4] = { 0 };

  finished.n_latencies = n;
  finished.latencies = latencies;
  frame.body_case = ASSAY__BOARD__FRAME__BODY_FINISHED;
  frame.finished = &finished;
  say (bytes, &frame);
}

static void
answer_failure (GByteArray *bytes)
{
  AssayFrame frame = ASSAY__BOARD__FRAME__INIT;
  Assay__Board__Failure failure = ASSAY__BOARD__FAILURE__INIT;

  failure.message = (char *) "out of\033[31m memory\n";
  frame.body_case = ASSAY__BOARD__FRAME__BODY_FAILURE;
  frame.failure = &failure;
  say (bytes, &frame);
}

/* What a board does wrong is found out, and said. */
static void
test_hostile_board (void)
{
  static const struct
  {
    const char *name;
    const char *message;
  } cases[] = {
    { "good", NULL },
    { "other machine", "replay has assay-board 9.9, whose protocol, machine and program format are "
                       "1, 99 and * Install the one of this Assay: assay boards --install "
                       "ssh:replay" },
    { "other format", "replay has assay-board 9.9, whose protocol, machine and program format are "
                      "1, * and 98;*" },
    { "other place", "replay: sent values that were not asked for, of output 0" },
    { "no values", "replay: sent values that were not asked for, of output 0" },
    { "ready at once", "replay: answered with message 4, expected 1" },
    { "other digest", "replay: verified another program than it was given" },
    { "other port", "replay: sent values that were not asked for, of output 3" },
    { "other step", "replay: sent values that were not asked for, of output 0" },
    { "too many values", "replay: sent values that were not asked for, of output 0" },
    { "too few values", "replay: answered with message 8, expected 6" },
    { "latencies", "replay: sent 4 latencies for 2 inferences" },
    { "failure", "replay: out of [31m memory" },
    { "noise", "replay: Expected a message of the board protocol, got `GARBAGE*" },
  };
  g_autoptr (AssayRunSubject) subject = NULL;
  g_autoptr (GBytes) program = program_bytes (&subject);
  g_autoptr (GPtrArray) inputs = run_fixture_inputs (2);
  g_autofree char *path = NULL;
  const float values[16] = { 1, 2, 3 };
  guint8 digest[ASSAY_BOARD_DIGEST];
  int fd = g_file_open_tmp ("assay-test-XXXXXX", &path, NULL);

  close (fd);
  g_setenv ("ASSAY_TEST_REPLAY", path, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const char *name = cases[i].name;
      g_autoptr (GByteArray) board = g_byte_array_new ();
      g_autoptr (AssayRunner) runner = NULL;
      g_autoptr (GPtrArray) outputs = NULL;
      g_autoptr (GError) error = NULL;

      assay_board_digest (program, digest);
      digest[5] ^= g_str_equal (name, "other digest");
      if (g_str_equal (name, "ready at once"))
        answer_ready (board, digest);
      answer_hello (board, g_str_equal (name, "other machine") ? 99 : ASSAY_MACHINE_VERSION,
                    g_str_equal (name, "other format") ? 98 : ASSAY_PROGRAM_FORMAT);
      answer_ready (board, digest);
      if (g_str_equal (name, "failure"))
        answer_failure (board);
      if (g_str_equal (name, "noise"))
        g_byte_array_append (board, (const guint8 *) "GARBAGE instead", 15);
      say_values (board, g_str_equal (name, "other step"), g_str_equal (name, "other port") ? 3 : 0,
                  g_str_equal (name, "other place") ? 4 : 0, values,
                  g_str_equal (name, "too many values") ? 9
                  : g_str_equal (name, "no values")     ? 0
                                                        : 8);
      if (!g_str_equal (name, "too few values"))
        say_values (board, 1, 0, 0, values, 8);
      answer_finished (board, g_str_equal (name, "latencies") ? 4 : 2);
      g_file_set_contents (path, (const char *) board->data, board->len, NULL);

      runner = assay_runner_open ("board:ssh:replay", subject, NULL, NULL, &error);
      outputs = runner != NULL ? assay_runner_run (runner, inputs, NULL, NULL, &error) : NULL;
      if (cases[i].message == NULL)
        g_assert_no_error (error);
      else
        assert_message (error, ASSAY_ERROR_DEVICE, cases[i].message);
    }
  g_remove (path);
}

/* Whatever byte of a conversation is cut off or changed, the agent ends. */
static void
test_damage (void)
{
  g_autoptr (AssayRunSubject) subject = NULL;
  g_autoptr (GBytes) program = program_bytes (&subject);
  g_autoptr (GByteArray) client = g_byte_array_new ();
  const float values[8] = { 0 };

  say_hello (client, ASSAY_FRAME_PROTOCOL);
  say_program (client, program);
  say_begin (client, 0, 1);
  say_values (client, 0, 0, 0, values, 8);
  say_run (client);

  for (guint at = 0; at < client->len; at += client->len / 97 + 1)
    {
      g_autoptr (GByteArray) cut = g_byte_array_new ();
      g_autoptr (GByteArray) changed = g_byte_array_new ();
      g_autoptr (GByteArray) first = NULL;
      g_autoptr (GByteArray) second = NULL;
      MemoryChannel answers;

      g_byte_array_append (cut, client->data, at);
      serve (cut, &first, &answers, NULL);

      g_byte_array_append (changed, client->data, client->len);
      changed->data[at] ^= 0x55;
      serve (changed, &second, &answers, NULL);
    }
}

/* An agent in a process of its own, directly and over ssh, gives the bits of the machine; in
 * several batches too. */
static void
test_bits (gconstpointer data)
{
  const char *name = data;
  g_autofree char *spec = g_strconcat ("board:", name, NULL);
  g_autoptr (AssayRunSubject) whole = run_fixture_subject (run_fixture_model, NULL);
  g_autoptr (AssayRunSubject) streaming = run_fixture_subject (run_fixture_model, &time_axis);
  g_autoptr (GPtrArray) few = run_fixture_inputs (12);
  g_autoptr (GPtrArray) many = run_fixture_inputs (ASSAY_BOARD_MOST_STEPS + 100);
  g_autoptr (GPtrArray) a = run_fixture_run ("vm", whole, few);
  g_autoptr (GPtrArray) b = run_fixture_run (spec, whole, few);
  g_autoptr (GPtrArray) c = run_fixture_run ("vm", streaming, many);
  g_autoptr (GPtrArray) d = run_fixture_run (spec, streaming, many);
  g_autoptr (AssayRunner) runner = assay_runner_open (spec, streaming, NULL, NULL, NULL);
  g_autoptr (GPtrArray) again = assay_runner_run (runner, many, NULL, NULL, NULL);
  guint n;

  assert_same_bits (g_ptr_array_index (a, 0), g_ptr_array_index (b, 0));
  assert_same_bits (g_ptr_array_index (c, 0), g_ptr_array_index (d, 0));
  g_clear_pointer (&again, g_ptr_array_unref);
  again = assay_runner_run (runner, many, NULL, NULL, NULL);
  assert_same_bits (g_ptr_array_index (c, 0), g_ptr_array_index (again, 0));
  assay_runner_get_latencies (runner, &n);
  g_assert_cmpuint (n, ==, ASSAY_BOARD_MOST_STEPS + 100);
  g_assert_cmpstr (assay_runner_get_label (runner), ==,
                   g_str_equal (name, "local") ? "This computer (software)" : "good");
}

static void
test_deploy (void)
{
  enum
  {
    AN_HOUR = 3600 * 1000
  };
  g_autoptr (AssayRunSubject) streaming = run_fixture_subject (run_fixture_model, &time_axis);
  g_autoptr (AssayRunSubject) whole = run_fixture_subject (run_fixture_model, NULL);
  AssayRunSubject *const subjects[] = { streaming, whole };

  for (guint way = 0; way < 2 * G_N_ELEMENTS (subjects); way++)
    {
      guint i = way % 2;
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayDeployment) deployment = assay_deploy (
          subjects[i]->program, 0, "ssh:good", 50, way < 2 ? 0 : AN_HOUR, 3, 0, NULL, &error);

      g_assert_no_error (error);
      g_assert_cmpuint (deployment->n_runs, ==, 50);
      g_assert_cmpuint (deployment->n_values, ==, i == 0 ? 50 * 8 : 50 * 96);
      g_assert_cmpuint (deployment->n_different, ==, 0);
      g_assert_cmpint (assay_deployment_get_percentile (deployment, 50), <=,
                       assay_deployment_get_percentile (deployment, 99));
      g_assert_cmpstr (deployment->label, ==, "good");
      g_assert_true (g_str_has_prefix (deployment->info.writer, "assay-board "));
    }

  /* Without time for all of them, some have run. */
  for (guint i = 0; i < G_N_ELEMENTS (subjects); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayDeployment) deployment = assay_deploy (subjects[i]->program, 0, "ssh:good",
                                                             G_MAXINT32, 1, 3, 0, NULL, &error);

      g_assert_no_error (error);
      g_assert_cmpuint (deployment->n_runs, >, 0);
      g_assert_cmpuint (deployment->n_runs, <, G_MAXINT32);
      g_assert_cmpuint (deployment->n_values, >, 0);
      g_assert_cmpuint (deployment->n_different, ==, 0);
    }
}

/* Every way in which a board is not there has its sentence and what to do. */
static void
test_troubles (void)
{
  static const struct
  {
    const char *host;
    AssayBoardStep step;
    const char *message;
    const char *remedy;
    const char *command;
  } cases[] = {
    { "off", ASSAY_BOARD_STEP_REACHABLE, "No answer from off in 5 s.", "Check cable and power.",
      NULL },
    { "hangs", ASSAY_BOARD_STEP_REACHABLE, "No answer from hangs in 1 s.", "Check cable and power.",
      NULL },
    { "closed", ASSAY_BOARD_STEP_REACHABLE, "closed takes no ssh connections.",
      "Start the ssh server there.", NULL },
    { "cut", ASSAY_BOARD_STEP_REACHABLE, "The connection to cut was cut.",
      "Check cable, power and its log.", NULL },
    { "ended", ASSAY_BOARD_STEP_REACHABLE, "The connection to ended ended.",
      "This shows more:", "ssh ended" },
    { "strange", ASSAY_BOARD_STEP_REACHABLE,
      "strange: kex_exchange_identification: banner line contains invalid characters",
      "This shows more:", "ssh strange" },
    { "far", ASSAY_BOARD_STEP_REACHABLE, "No network leads to far.",
      "Check cable, power and the network.", NULL },
    { "full", ASSAY_BOARD_STEP_AGENT, "assay-board on full cannot be started.",
      "This shows more:", "ssh full 'PATH=~/.local/bin:$PATH assay-board --version'" },
    { "nameless", ASSAY_BOARD_STEP_REACHABLE, "No computer is called nameless.", "Check the name*",
      NULL },
    { "changed", ASSAY_BOARD_STEP_HOST_KEY, "The key of changed changed.",
      "If you reinstalled it, remove the old key:", "ssh-keygen -R changed" },
    { "unknown", ASSAY_BOARD_STEP_HOST_KEY, "The key of unknown is not known here yet.",
      "Log in once*", "ssh unknown" },
    { "locked", ASSAY_BOARD_STEP_LOGIN, "locked refused your keys.",
      "Copy your public key there:", "ssh-copy-id locked" },
    { "bare", ASSAY_BOARD_STEP_AGENT, "assay-board is not installed on bare.",
      "Install it:", "assay boards --install ssh:bare" },
    { "foreign", ASSAY_BOARD_STEP_AGENT, "assay-board on foreign cannot be run there.",
      "Install the one for its architecture:", "assay boards --install ssh:foreign" },
    { "script", ASSAY_BOARD_STEP_AGENT, "assay-board on script cannot be run there.",
      "Install the one for its architecture:", "assay boards --install ssh:script" },
    { "breaks", ASSAY_BOARD_STEP_AGENT, "breaks: assay-board: out of memory",
      "This shows more:", "ssh breaks 'PATH=~/.local/bin:$PATH assay-board --version'" },
    { "noisy", ASSAY_BOARD_STEP_AGENT,
      "noisy: Expected a message of the board protocol, got `Welcome...`",
      "This shows more:", "ssh noisy 'PATH=~/.local/bin:$PATH assay-board --version'" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *name = g_strconcat ("ssh:", cases[i].host, NULL);
      g_autoptr (GError) error = NULL;
      guint seconds = g_str_equal (cases[i].host, "hangs") ? 1 : 0;
      g_autoptr (GArray) checks = assay_board_check (name, seconds, NULL, &error);
      const AssayBoardCheck *last;

      g_assert_no_error (error);
      g_assert_cmpuint (checks->len, ==, cases[i].step + 1);
      for (guint j = 0; j + 1 < checks->len; j++)
        g_assert_true (g_array_index (checks, AssayBoardCheck, j).passed);
      last = &g_array_index (checks, AssayBoardCheck, checks->len - 1);
      g_assert_false (last->passed);
      g_assert_cmpint (last->step, ==, cases[i].step);
      if (!g_pattern_match_simple (cases[i].message, last->sentence) ||
          !g_pattern_match_simple (cases[i].remedy, last->remedy))
        g_error ("%s: %s %s", cases[i].host, last->sentence, last->remedy);
      g_assert_cmpstr (last->command, ==, cases[i].command);
    }
}

static void
test_health (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) here = assay_board_check ("local", 0, NULL, &error);
  g_autoptr (GArray) there = assay_board_check ("ssh:good", 0, NULL, &error);
  g_autofree char *path = NULL;

  g_assert_no_error (error);
  g_assert_cmpuint (here->len, ==, 1);
  g_assert_cmpuint (there->len, ==, ASSAY_BOARD_N_STEPS);
  for (guint i = 0; i < there->len; i++)
    g_assert_true (g_array_index (there, AssayBoardCheck, i).passed);

  g_assert_null (assay_board_check ("ssh:", 0, NULL, &error));
  assert_message (error, ASSAY_ERROR_INVALID, "board ssh:: expected local or ssh:HOST*");
  g_clear_error (&error);
  path = g_strdup (g_getenv ("PATH"));
  g_setenv ("PATH", "/nonexistent", TRUE);
  g_assert_null (assay_board_connect ("ssh:good", 0, NULL, NULL, &error));
  g_setenv ("PATH", path, TRUE);
  assert_message (error, ASSAY_ERROR_DEVICE, "ssh: could not be started: *");
  g_clear_error (&error);
  g_assert_null (assay_board_check ("ssh:-oProxyCommand=sh", 0, NULL, &error));
  assert_message (error, ASSAY_ERROR_INVALID,
                  "board ssh:-oProxyCommand=sh: expected local or ssh:HOST");
  g_clear_error (&error);
  g_assert_null (assay_board_check ("ssh:a b", 0, NULL, &error));
  g_clear_error (&error);
  g_assert_null (assay_board_check ("moon", 0, NULL, &error));
}

/* A board that does not answer is let go of when the user cancels. */
static void
test_cancel (void)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const AssayProgress progress = ASSAY_PROGRESS_INIT (NULL, NULL, cancellable);
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("assay-test-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "hangs", NULL);
  CancelAtFile what = { cancellable, path };
  GThread *thread;

  g_setenv ("ASSAY_TEST_HANGS", path, TRUE);
  thread = g_thread_new ("cancel", cancel_at_file, &what);
  g_assert_null (assay_board_connect ("ssh:hangs", 600, NULL, &progress, &error));
  assert_message (error, ASSAY_ERROR_CANCELLED, "Cancelled");
  g_thread_join (thread);
  g_clear_error (&error);

  /* Nor does it take longer than the user gives it. */
  g_assert_null (assay_board_connect ("ssh:hangs", 1, NULL, NULL, &error));
  g_assert_nonnull (strstr (error->message, "No answer from hangs in 1 s"));
  g_assert_cmpint (g_remove (path), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static void
test_list (void)
{
  g_autoptr (GPtrArray) boards = assay_board_list ();
  g_autofree char *names = NULL;

  g_ptr_array_add (boards, NULL);
  names = g_strjoinv (" ", (char **) boards->pdata);
  g_assert_cmpstr (names, ==, "local ssh:included ssh:bench ssh:rack-1 ssh:quoted");
}

/* What a name means: a graphics processor of this computer, or a board that is talked to. */
static void
test_names (void)
{
  static const struct
  {
    const char *name;
    gboolean is_device;
    gboolean is_local;
    gboolean is_good;
  } cases[] = {
    { "vulkan", TRUE, FALSE, TRUE },
    { "vulkan:1", TRUE, FALSE, TRUE },
    { "vulkanic", FALSE, FALSE, FALSE },
    { "local", FALSE, TRUE, TRUE },
    { "locality", FALSE, FALSE, FALSE },
    { "ssh:bench", FALSE, FALSE, TRUE },
    { "ssh:-oProxyCommand=x", FALSE, FALSE, FALSE },
    { "ssh:", FALSE, FALSE, FALSE },
    { "ssh:127.0.0.1:22", FALSE, FALSE, FALSE },
    { "ssh:me@fe80::1%eth0", FALSE, FALSE, TRUE },
    { "", FALSE, FALSE, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_cmpint (assay_board_is_device (cases[i].name), ==, cases[i].is_device);
      g_assert_cmpint (assay_board_is_local (cases[i].name), ==, cases[i].is_local);
      if (!cases[i].is_device)
        g_assert_cmpint (assay_board_name_check (cases[i].name, &error), ==, cases[i].is_good);
      g_assert_cmpint (error != NULL, ==, !cases[i].is_good);
    }
  assay_board_free (NULL);
}

TEST_PROGRAM (board)
{
  const char *source = g_getenv ("G_TEST_SRCDIR");
  g_autofree char *home = g_build_filename (source, "data/board/home", NULL);
  g_autofree char *fake = g_build_filename (source, "data/board", NULL);
  g_autofree char *agent = assay_helper_find ("assay-board", NULL);
  g_autofree char *folder = g_path_get_dirname (agent);
  g_autofree char *path = g_strdup_printf ("%s:%s:%s", fake, folder, g_getenv ("PATH"));

  g_setenv ("HOME", home, TRUE);
  g_setenv ("PATH", path, TRUE);
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/board/frame", test_frame);
  g_test_add_func ("/board/agent", test_agent);
  g_test_add_func ("/board/continued", test_continued);
  g_test_add_func ("/board/hostile-client", test_hostile_client);
  g_test_add_func ("/board/hostile-board", test_hostile_board);
  g_test_add_func ("/board/broken", test_broken);
  g_test_add_func ("/board/odd-values", test_odd_values);
  g_test_add_func ("/board/damage", test_damage);
  g_test_add_data_func ("/board/bits/local", "local", test_bits);
  g_test_add_data_func ("/board/bits/ssh", "ssh:good", test_bits);
  g_test_add_func ("/board/deploy", test_deploy);
  g_test_add_func ("/board/troubles", test_troubles);
  g_test_add_func ("/board/health", test_health);
  g_test_add_func ("/board/cancel", test_cancel);
  g_test_add_func ("/board/list", test_list);
  g_test_add_func ("/board/names", test_names);

  return g_test_run ();
}
