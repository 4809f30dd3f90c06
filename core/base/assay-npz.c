/* assay-npz.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Archives of arrays as numpy.savez() and numpy.savez_compressed() write them: ZIP files (PKWARE,
 * APPNOTE.TXT 6.3) whose members are `.npy` files, stored or deflated. Sizes are those of the
 * central directory, ZIP64 included.
 */
#include "base/assay-npz.h"

#include <string.h>

#include "base/assay-error.h"
#include "base/assay-npy.h"

#define LOCAL_MAGIC 0x04034b50u
#define ENTRY_MAGIC 0x02014b50u
#define END_MAGIC 0x06054b50u
#define END64_MAGIC 0x06064b50u
#define LOCATOR64_MAGIC 0x07064b50u

#define LOCAL_SIZE 30
#define ENTRY_SIZE 46
#define END_SIZE 22
#define END64_SIZE 56
#define LOCATOR64_SIZE 20

#define STORED 0
#define DEFLATED 8

typedef struct
{
  const guint8 *data;
  gsize size;
} Archive;

typedef struct
{
  const char *name;
  gsize name_length;
  guint method;
  guint32 crc;
  guint64 packed;
  guint64 unpacked;
  guint64 offset;
} Member;

static gboolean
refuse (GError **error, const char *what)
{
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "Not a usable .npz file: %s", what);
  return FALSE;
}

static guint64
read_le (const guint8 *at, guint n)
{
  guint64 value = 0;

  for (guint i = n; i-- > 0;)
    value = value << 8 | at[i];

  return value;
}

static gboolean
holds (const Archive *archive, guint64 offset, guint64 size)
{
  return offset <= archive->size && size <= archive->size - offset;
}

/* CRC-32 of IEEE 802.3, which ZIP uses, bit by bit over a nibble table. */
static guint32
checksum (const guint8 *data, gsize n)
{
  guint32 table[16];
  guint32 crc = 0xffffffffu;

  for (guint32 i = 0; i < G_N_ELEMENTS (table); i++)
    {
      table[i] = i;
      for (guint bit = 0; bit < 4; bit++)
        table[i] = table[i] >> 1 ^ ((table[i] & 1) != 0 ? 0xedb88320u : 0);
    }
  for (gsize i = 0; i < n; i++)
    {
      crc = crc >> 4 ^ table[(crc ^ data[i]) & 15];
      crc = crc >> 4 ^ table[(crc ^ (guint32) (data[i] >> 4)) & 15];
    }

  return ~crc;
}

/* The end record stands behind everything but a comment of up to 64 KiB. */
static gboolean
find_directory (const Archive *archive, guint64 *offset, guint64 *n_entries, GError **error)
{
  gsize lowest = archive->size > END_SIZE + 65535 ? archive->size - END_SIZE - 65535 : 0;
  gsize at = archive->size < END_SIZE ? 0 : archive->size - END_SIZE;

  while (at > lowest && read_le (archive->data + at, 4) != END_MAGIC)
    at--;
  if (archive->size < END_SIZE || read_le (archive->data + at, 4) != END_MAGIC)
    return refuse (error, "it does not end like an archive");

  *n_entries = read_le (archive->data + at + 10, 2);
  *offset = read_le (archive->data + at + 16, 4);

  if (at >= LOCATOR64_SIZE && read_le (archive->data + at - LOCATOR64_SIZE, 4) == LOCATOR64_MAGIC)
    {
      guint64 end = read_le (archive->data + at - LOCATOR64_SIZE + 8, 8);

      if (!holds (archive, end, END64_SIZE) || read_le (archive->data + end, 4) != END64_MAGIC)
        return refuse (error, "its directory is cut off");
      *n_entries = read_le (archive->data + end + 32, 8);
      *offset = read_le (archive->data + end + 48, 8);
    }

  return TRUE;
}

/* Fields that do not fit into 32 bits are in an extra field with tag 1, in this order, as far as
 * they are needed. */
static gboolean
read_wide_fields (const guint8 *extra, gsize length, Member *member)
{
  guint64 *fields[] = { &member->unpacked, &member->packed, &member->offset };

  while (length >= 4)
    {
      guint64 tag = read_le (extra, 2);
      gsize size = (gsize) read_le (extra + 2, 2);

      if (size > length - 4)
        return FALSE;
      extra += 4;
      length -= 4;
      for (guint i = 0, at = 0; tag == 1 && i < G_N_ELEMENTS (fields); i++)
        {
          if (*fields[i] != G_MAXUINT32)
            continue;
          if (at + 8 > size)
            return FALSE;
          *fields[i] = read_le (extra + at, 8);
          at += 8;
        }
      extra += size;
      length -= size;
    }

  return TRUE;
}

static gboolean
read_entry (const Archive *archive, guint64 *offset, Member *member, GError **error)
{
  const guint8 *at;
  gsize extra, comment;

  if (!holds (archive, *offset, ENTRY_SIZE) || read_le (archive->data + *offset, 4) != ENTRY_MAGIC)
    return refuse (error, "its directory is cut off");

  at = archive->data + *offset;
  member->method = (guint) read_le (at + 10, 2);
  member->crc = (guint32) read_le (at + 16, 4);
  member->packed = read_le (at + 20, 4);
  member->unpacked = read_le (at + 24, 4);
  member->name_length = (gsize) read_le (at + 28, 2);
  extra = (gsize) read_le (at + 30, 2);
  comment = (gsize) read_le (at + 32, 2);
  member->offset = read_le (at + 42, 4);
  member->name = (const char *) at + ENTRY_SIZE;
  if (!holds (archive, *offset, ENTRY_SIZE + member->name_length + extra + comment) ||
      !read_wide_fields (at + ENTRY_SIZE + member->name_length, extra, member))
    return refuse (error, "its directory is cut off");
  if ((read_le (at + 8, 2) & 1) != 0)
    return refuse (error, "it is encrypted");
  *offset += ENTRY_SIZE + member->name_length + extra + comment;

  return TRUE;
}

static GBytes *
inflate_member (const guint8 *data, gsize n, guint64 expected, GError **error)
{
  g_autoptr (GConverter)
      inflater = G_CONVERTER (g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_RAW));
  g_autoptr (GByteArray) result = g_byte_array_new ();
  guint8 buffer[32768];
  GConverterResult state = G_CONVERTER_CONVERTED;

  while (state != G_CONVERTER_FINISHED)
    {
      gsize used = 0, made = 0;

      state = g_converter_convert (inflater, data, n, buffer, sizeof buffer,
                                   G_CONVERTER_INPUT_AT_END, &used, &made, NULL);
      if (state == G_CONVERTER_ERROR || made > expected - result->len ||
          result->len + made > G_MAXUINT / 2)
        {
          refuse (error, "a member does not unpack to its size");
          return NULL;
        }
      g_byte_array_append (result, buffer, (guint) made);
      data += used;
      n -= used;
    }

  return g_byte_array_free_to_bytes (g_steal_pointer (&result));
}

static AssayTensor *
load_member (const Archive *archive, GBytes *bytes, const Member *member, GError **error)
{
  g_autoptr (GBytes) contents = NULL;
  guint64 start;
  gsize size;
  gconstpointer data;

  if (!holds (archive, member->offset, LOCAL_SIZE) ||
      read_le (archive->data + member->offset, 4) != LOCAL_MAGIC)
    {
      refuse (error, "a member is not where the directory says");
      return NULL;
    }
  start = member->offset + LOCAL_SIZE + read_le (archive->data + member->offset + 26, 2) +
          read_le (archive->data + member->offset + 28, 2);
  if (!holds (archive, start, member->packed))
    {
      refuse (error, "a member is cut off");
      return NULL;
    }

  if (member->method == STORED && member->packed == member->unpacked)
    contents = g_bytes_new_from_bytes (bytes, (gsize) start, (gsize) member->packed);
  else if (member->method == DEFLATED)
    contents = inflate_member (archive->data + start, (gsize) member->packed, member->unpacked,
                               error);
  else
    refuse (error, "a member is packed in a way other than stored or deflated");
  if (contents == NULL)
    return NULL;

  data = g_bytes_get_data (contents, &size);
  if (size != member->unpacked || checksum (data, size) != member->crc)
    {
      refuse (error, "a member is damaged");
      return NULL;
    }

  return assay_npy_from_bytes (contents, error);
}

/**
 * assay_npz_from_bytes:
 * @bytes: a .npz file
 * @names: (element-type utf8): gets the names of the arrays, in the order of the archive
 * @tensors: (element-type AssayTensor): gets the arrays
 * @error: return location for a #GError
 *
 * Reads the arrays of an archive; both lists have free functions and stay as they are on failure,
 * as far as what was read before is concerned.
 *
 * Returns: whether all could be read
 */
gboolean
assay_npz_from_bytes (GBytes *bytes, GPtrArray *names, GPtrArray *tensors, GError **error)
{
  Archive archive;
  guint64 offset = 0, n_entries = 0;

  archive.data = g_bytes_get_data (bytes, &archive.size);
  if (!find_directory (&archive, &offset, &n_entries, error))
    return FALSE;

  for (guint64 i = 0; i < n_entries; i++)
    {
      Member member;
      AssayTensor *tensor;
      g_autofree char *name = NULL;

      if (!read_entry (&archive, &offset, &member, error))
        return FALSE;
      name = g_strndup (member.name, member.name_length);
      if (!g_str_has_suffix (name, ".npy"))
        continue;
      name[strlen (name) - strlen (".npy")] = '\0';

      tensor = load_member (&archive, bytes, &member, error);
      if (tensor == NULL)
        {
          g_prefix_error (error, "%s: ", name);
          return FALSE;
        }
      g_ptr_array_add (names, g_steal_pointer (&name));
      g_ptr_array_add (tensors, tensor);
    }

  return TRUE;
}

/**
 * assay_npz_load:
 * @path: a .npz file
 * @names: (element-type utf8): gets the names of the arrays, in the order of the archive
 * @tensors: (element-type AssayTensor): gets the arrays
 * @error: return location for a #GError
 *
 * Reads the arrays of an archive from a file.
 *
 * Returns: whether all could be read
 */
gboolean
assay_npz_load (const char *path, GPtrArray *names, GPtrArray *tensors, GError **error)
{
  g_autoptr (GMappedFile) file = g_mapped_file_new (path, FALSE, error);
  g_autoptr (GBytes) bytes = NULL;

  if (file == NULL)
    return FALSE;

  bytes = g_mapped_file_get_bytes (file);
  if (assay_npz_from_bytes (bytes, names, tensors, error))
    return TRUE;

  g_prefix_error (error, "%s: ", path);
  return FALSE;
}
