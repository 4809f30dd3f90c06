/* assay-wire-scan.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/assay-wire-scan.h"

#include <string.h>

#include "base/assay-error.h"
#include "onnx.pb-c.h"

/* One pass over the file before protobuf-c sees anything. It follows the schema that protoc-c
 * generated, so every message that protobuf-c would enter is entered here first and its nesting is
 * counted. The elements of tensors are stepped over: their pages of the file are not touched.
 * Everything else is written to a second, thin message in canonical encoding, which protobuf-c then
 * unpacks.
 */

/* What protobuf-c may allocate at most, so that a file of empty messages does not fill the memory.
 */
#define MEMORY_FACTOR 24
#define MEMORY_FLOOR (8u << 20)

/* A message may come in pieces, which protobuf-c puts together: it copies what it has for each. */
#define MOST_PIECES 4
/* How many messages that stand once lie in each other in the schema before it repeats itself. */
#define MOST_SINGLE 4

/* protobuf-c takes no more. */
#define THIN_LIMIT ((gsize) G_MAXINT32 - (1u << 20))

/* A length that is filled in after the content has been written. */
#define PADDED_LENGTH 5

/* Field numbers below this one have a slot in the index of their message. */
#define N_INDEXED 32
#define N_MESSAGES 48

typedef enum
{
  ACTION_KEEP,
  ACTION_DROP,
  ACTION_PAYLOAD,
} Action;

typedef struct
{
  const ProtobufCFieldDescriptor *field;
  gint16 message; /* index of the nested message, or -1 */
  guint8 wire;
  guint8 action;
  guint8 most; /* how often it may occur, or 0 */
} Slot;

typedef struct
{
  const ProtobufCMessageDescriptor *descriptor;
  Slot slots[N_INDEXED];
} MessageIndex;

typedef struct _Level Level;

struct _Level
{
  const Level *parent;
  const MessageIndex *message;
  gsize start;
  gsize field_start;
  const ProtobufCFieldDescriptor *field;
  guint depth;
};

/* A byte array whose appending is inline: it is called for every field of the file. */
typedef struct
{
  guint8 *data;
  gsize length;
  gsize capacity;
} Buffer;

/* The messages of the schema that files were made of so far. What is in it stays as it is. */
typedef struct
{
  GMutex lock; /* of adding to it */
  guint n_messages;
  MessageIndex messages[N_MESSAGES];
} Index;

typedef struct
{
  const guint8 *data;
  Buffer thin;
  AssayWireScan *result;
  gsize memory;
  gsize memory_limit;
  guint32 payload_field;
  const MessageIndex *messages;
  GError **error;
} Scanner;

static const guint8 wire_types[] = {
  [PROTOBUF_C_TYPE_INT32] = ASSAY_WIRE_VARINT,     [PROTOBUF_C_TYPE_SINT32] = ASSAY_WIRE_VARINT,
  [PROTOBUF_C_TYPE_SFIXED32] = ASSAY_WIRE_FIXED32, [PROTOBUF_C_TYPE_INT64] = ASSAY_WIRE_VARINT,
  [PROTOBUF_C_TYPE_SINT64] = ASSAY_WIRE_VARINT,    [PROTOBUF_C_TYPE_SFIXED64] = ASSAY_WIRE_FIXED64,
  [PROTOBUF_C_TYPE_UINT32] = ASSAY_WIRE_VARINT,    [PROTOBUF_C_TYPE_FIXED32] = ASSAY_WIRE_FIXED32,
  [PROTOBUF_C_TYPE_UINT64] = ASSAY_WIRE_VARINT,    [PROTOBUF_C_TYPE_FIXED64] = ASSAY_WIRE_FIXED64,
  [PROTOBUF_C_TYPE_FLOAT] = ASSAY_WIRE_FIXED32,    [PROTOBUF_C_TYPE_DOUBLE] = ASSAY_WIRE_FIXED64,
  [PROTOBUF_C_TYPE_BOOL] = ASSAY_WIRE_VARINT,      [PROTOBUF_C_TYPE_ENUM] = ASSAY_WIRE_VARINT,
  [PROTOBUF_C_TYPE_STRING] = ASSAY_WIRE_BYTES,     [PROTOBUF_C_TYPE_BYTES] = ASSAY_WIRE_BYTES,
  [PROTOBUF_C_TYPE_MESSAGE] = ASSAY_WIRE_BYTES,
};

/* Not kept: nobody reads them, and exporters put a stack trace into each node. */
static const struct
{
  const ProtobufCMessageDescriptor *message;
  const char *field;
  Action action;
} exceptions[] = {
  { &assay__onnx__tensor_proto__descriptor, "float_data", ACTION_PAYLOAD },
  { &assay__onnx__tensor_proto__descriptor, "int32_data", ACTION_PAYLOAD },
  { &assay__onnx__tensor_proto__descriptor, "string_data", ACTION_PAYLOAD },
  { &assay__onnx__tensor_proto__descriptor, "int64_data", ACTION_PAYLOAD },
  { &assay__onnx__tensor_proto__descriptor, "raw_data", ACTION_PAYLOAD },
  { &assay__onnx__tensor_proto__descriptor, "double_data", ACTION_PAYLOAD },
  { &assay__onnx__tensor_proto__descriptor, "uint64_data", ACTION_PAYLOAD },
  { &assay__onnx__tensor_proto__descriptor, "doc_string", ACTION_DROP },
  { &assay__onnx__node_proto__descriptor, "doc_string", ACTION_DROP },
  { &assay__onnx__attribute_proto__descriptor, "doc_string", ACTION_DROP },
  { &assay__onnx__value_info_proto__descriptor, "doc_string", ACTION_DROP },
};

static Action
action_for (const ProtobufCMessageDescriptor *message, const char *field)
{
  for (guint i = 0; i < G_N_ELEMENTS (exceptions); i++)
    {
      if (exceptions[i].message == message && strcmp (exceptions[i].field, field) == 0)
        return exceptions[i].action;
    }

  return ACTION_KEEP;
}

/* protobuf-c fails to put two pieces together that have none of their alternatives, however deep in
 * them. Types are what has some, and no exporter writes one in pieces. */
static gboolean
has_alternatives (const ProtobufCMessageDescriptor *descriptor, guint depth)
{
  /* An optional value may hold another one, and so on. */
  if (depth == 0)
    return FALSE;
  for (guint i = 0; i < descriptor->n_fields; i++)
    {
      const ProtobufCFieldDescriptor *field = &descriptor->fields[i];

      if ((field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0)
        return TRUE;
      if (field->type == PROTOBUF_C_TYPE_MESSAGE && field->label != PROTOBUF_C_LABEL_REPEATED &&
          has_alternatives (field->descriptor, depth - 1))
        return TRUE;
    }

  return FALSE;
}

/* One of several alternatives takes the place of what was there, and is not put together. */
static guint8
most_pieces (const ProtobufCFieldDescriptor *field)
{
  if (field->type != PROTOBUF_C_TYPE_MESSAGE || field->label == PROTOBUF_C_LABEL_REPEATED ||
      (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0)
    return 0;

  return has_alternatives (field->descriptor, MOST_SINGLE) ? 1 : MOST_PIECES;
}

/* Adds a message and all it can hold to the index. */
static gint16
index_message (Index *self, const ProtobufCMessageDescriptor *descriptor)
{
  guint at;

  for (guint i = 0; i < self->n_messages; i++)
    {
      if (self->messages[i].descriptor == descriptor)
        return (gint16) i;
    }

  g_assert (self->n_messages < N_MESSAGES);
  at = self->n_messages++;
  self->messages[at].descriptor = descriptor;

  for (guint i = 0; i < descriptor->n_fields; i++)
    {
      const ProtobufCFieldDescriptor *field = &descriptor->fields[i];
      Slot slot = { field, -1, wire_types[field->type],
                    (guint8) action_for (descriptor, field->name), most_pieces (field) };

      /* Our own field must not come from outside; its number is far past the index. */
      if (field->id >= N_INDEXED)
        continue;

      if (field->type == PROTOBUF_C_TYPE_MESSAGE)
        slot.message = index_message (self, field->descriptor);
      self->messages[at].slots[field->id] = slot;
    }

  return (gint16) at;
}

/* An index over constant data, made once for each message that a file can be: not state. */
static const MessageIndex *
find_message (const ProtobufCMessageDescriptor *descriptor, const MessageIndex **all)
{
  static Index index;
  gint16 at;

  g_mutex_lock (&index.lock);
  at = index_message (&index, descriptor);
  g_mutex_unlock (&index.lock);
  *all = index.messages;

  return &index.messages[at];
}

/* Counts how often the field occurs before: only for messages, so it may be slow. */
static guint
occurrence (const guint8 *data, const Level *level, guint32 number)
{
  AssayWireField field;
  guint n = 0;

  for (gsize offset = level->start; offset < level->field_start;
       offset = field.content + field.length)
    {
      if (assay_wire_next (data, level->field_start, offset, &field) != NULL)
        break;
      n += field.number == number;
    }

  return n;
}

static char *
level_path (const guint8 *data, const Level *innermost)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (g_free);
  GString *text = g_string_new (NULL);

  for (const Level *level = innermost; level != NULL; level = level->parent)
    {
      if (level->field == NULL)
        continue;
      if (level->field->label == PROTOBUF_C_LABEL_REPEATED)
        g_ptr_array_add (parts, g_strdup_printf ("%s[%u]", level->field->name,
                                                 occurrence (data, level, level->field->id)));
      else
        g_ptr_array_add (parts, g_strdup (level->field->name));
    }

  /* Of a deep path the two ends say enough. */
  for (guint i = parts->len; i-- > 0;)
    {
      if (parts->len > 16 && i < parts->len - 6 && i >= 6)
        {
          if (i == 6)
            g_string_append (text, "...");
          continue;
        }
      g_string_append (text, g_ptr_array_index (parts, i));
      if (i > 0)
        g_string_append_c (text, '.');
    }

  return g_string_free (text, FALSE);
}

static gboolean
fail (Scanner *self, const Level *level, gsize offset, const char *reason)
{
  g_autofree char *path = level_path (self->data, level);

  g_set_error (self->error, ASSAY_ERROR, ASSAY_ERROR_IMPORT, "byte %" G_GSIZE_FORMAT ", %s: %s",
               offset, path[0] != '\0' ? path : level->message->descriptor->short_name, reason);
  return FALSE;
}

static inline guint8 *
reserve (Buffer *self, gsize size)
{
  if (self->capacity - self->length < size)
    {
      self->capacity = MAX (self->capacity * 2, self->length + size + 4096);
      self->data = g_realloc (self->data, self->capacity);
    }

  return self->data + self->length;
}

static inline void
append (Buffer *self, const guint8 *data, gsize size)
{
  memcpy (reserve (self, size), data, size);
  self->length += size;
}

static inline void
append_varint (Buffer *self, guint64 value)
{
  guint8 *out = reserve (self, 10);
  guint n = 0;

  while (value >= 0x80)
    {
      out[n++] = (guint8) (value | 0x80);
      value >>= 7;
    }
  out[n++] = (guint8) value;
  self->length += n;
}

static gboolean
charge (Scanner *self, const Level *level, gsize offset, gsize bytes)
{
  self->memory += bytes;
  if (self->memory <= self->memory_limit && self->thin.length < THIN_LIMIT)
    return TRUE;

  return fail (self, level, offset,
               "the file unpacks to far more than its size, which no exporter does");
}

static gboolean
packed_is_whole (const guint8 *data, const AssayWireField *field, guint8 wire)
{
  const guint8 *end = data + field->content + field->length;

  if (wire == ASSAY_WIRE_FIXED32)
    return field->length % 4 == 0;
  if (wire == ASSAY_WIRE_FIXED64)
    return field->length % 8 == 0;

  for (const guint8 *at = data + field->content; at < end;)
    {
      guint64 value;
      guint taken = assay_wire_read_varint (at, end, &value);

      if (taken == 0)
        return FALSE;
      at += taken;
    }

  return TRUE;
}

static gboolean
scan_message (Scanner *self, const Level *parent, const MessageIndex *message, gsize start,
              gsize end)
{
  Level level = { parent, message, start, start, NULL, parent == NULL ? 1 : parent->depth + 1 };
  Buffer *thin = &self->thin;
  gboolean payload = FALSE;
  guint8 pieces[N_INDEXED] = { 0 };
  AssayWireField field;

  if (level.depth > ASSAY_WIRE_MAX_DEPTH)
    return fail (self, parent, start,
                 "nested deeper than " G_STRINGIFY (ASSAY_WIRE_MAX_DEPTH) " messages");

  if (!charge (self, parent != NULL ? parent : &level, start, message->descriptor->sizeof_message))
    return FALSE;

  for (gsize offset = start; offset < end; offset = field.content + field.length)
    {
      const char *problem = assay_wire_next (self->data, end, offset, &field);
      const Slot *slot;

      level.field_start = offset;
      level.field = NULL;

      if (problem != NULL)
        {
          if (field.number > 0 && field.number < N_INDEXED)
            level.field = message->slots[field.number].field;
          return fail (self, &level, offset, problem);
        }

      if (field.number >= N_INDEXED)
        continue;

      slot = &message->slots[field.number];
      level.field = slot->field;
      if (slot->field == NULL || slot->action == ACTION_DROP)
        continue;

      if (field.type != slot->wire)
        {
          if (field.type != ASSAY_WIRE_BYTES || slot->field->label != PROTOBUF_C_LABEL_REPEATED)
            return fail (self, &level, offset, "the field has the wrong wire type");
          if (slot->action == ACTION_KEEP && !packed_is_whole (self->data, &field, slot->wire))
            return fail (self, &level, offset, "a packed list ends inside a number");
        }

      if (slot->action == ACTION_PAYLOAD)
        {
          payload = TRUE;
          continue;
        }

      if (slot->most > 0 && pieces[field.number]++ == slot->most)
        return fail (self, &level, offset, "a field that occurs once is here too often");

      append_varint (thin, (guint64) field.number << 3 | field.type);

      if (slot->message >= 0)
        {
          gsize length_at = thin->length;
          gsize length;

          reserve (thin, PADDED_LENGTH);
          thin->length += PADDED_LENGTH;
          if (!scan_message (self, &level, &self->messages[slot->message], field.content,
                             field.content + field.length))
            return FALSE;

          length = thin->length - length_at - PADDED_LENGTH;
          for (guint i = 0; i < PADDED_LENGTH; i++)
            thin->data[length_at + i] = (guint8) ((length >> (7 * i) & 0x7f) |
                                                  (i + 1 < PADDED_LENGTH ? 0x80 : 0));
        }
      else
        {
          if (field.type == ASSAY_WIRE_BYTES)
            append_varint (thin, field.length);
          append (thin, self->data + field.content, field.length);
        }

      if (!charge (self, &level, offset,
                   field.length + (slot->field->label == PROTOBUF_C_LABEL_REPEATED ? 16 : 0)))
        return FALSE;
    }

  if (payload)
    {
      AssayWirePayload where = { start, end - start };

      g_array_append_val (self->result->payloads, where);
      append_varint (thin, (guint64) self->payload_field << 3 | ASSAY_WIRE_VARINT);
      append_varint (thin, self->result->payloads->len);
    }

  return TRUE;
}

/**
 * assay_wire_scan:
 * @data: the file, usually mapped
 * @size: bytes of it, under 2 GiB
 * @descriptor: what message it is
 * @error: return location for a #GError
 *
 * Checks the wire format of a file and makes a message without the elements of its tensors, which
 * stay unread. An error names the first wrong byte and the field it belongs to.
 *
 * Returns: (transfer full) (nullable): the thin message and where the elements are
 */
AssayWireScan *
assay_wire_scan (const guint8 *data, gsize size, const ProtobufCMessageDescriptor *descriptor,
                 GError **error)
{
  g_autoptr (AssayWireScan) result = g_new0 (AssayWireScan, 1);
  Scanner self = { .data = data,
                   .result = result,
                   .memory_limit = size * MEMORY_FACTOR + MEMORY_FLOOR,
                   .error = error };
  const MessageIndex *root = find_message (descriptor, &self.messages);

  g_return_val_if_fail (size <= G_MAXINT32, NULL);

  result->payloads = g_array_new (FALSE, FALSE, sizeof (AssayWirePayload));

  self.payload_field = protobuf_c_message_descriptor_get_field_by_name (
                           &assay__onnx__tensor_proto__descriptor, "assay_payload")
                           ->id;
  if (!scan_message (&self, NULL, root, 0, size))
    {
      g_free (self.thin.data);
      return NULL;
    }

  result->thin = g_byte_array_new_take (self.thin.data, self.thin.length);
  return g_steal_pointer (&result);
}

/**
 * assay_wire_scan_free:
 * @self: (transfer full) (nullable): a result
 *
 * Frees the result of a scan.
 */
void
assay_wire_scan_free (AssayWireScan *self)
{
  if (self == NULL)
    return;

  g_clear_pointer (&self->thin, g_byte_array_unref);
  g_array_unref (self->payloads);
  g_free (self);
}
