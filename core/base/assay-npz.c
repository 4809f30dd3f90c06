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
#include "base/assay-file-map.h"
#include "base/assay-file-write.h"
#include "base/assay-npy.h"
#include "base/assay-sentence.h"

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

#define SUFFIX ".npy"

/* Of all packed members together: a file of some KiB can stand for any size. */
#define MAX_UNPACKED ((guint64) 4 << 30)
/* What deflate makes of a byte at the most, and a bit. */
#define MAX_RATIO 1100
/* Between two looks at the cancellable. */
#define BLOCK_BYTES ((gsize) 1 << 20)

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
  guint64 start; /* of its bytes */
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

/* Where the bytes of a member are: behind a header of its own. */
static gboolean
place_member (const Archive *archive, Member *member, GError **error)
{
  if (!holds (archive, member->offset, LOCAL_SIZE) ||
      read_le (archive->data + member->offset, 4) != LOCAL_MAGIC)
    return refuse (error, "a member is not where the directory says");

  member->start = member->offset + LOCAL_SIZE + read_le (archive->data + member->offset + 26, 2) +
                  read_le (archive->data + member->offset + 28, 2);

  return holds (archive, member->start, member->packed) || refuse (error, "a member is cut off");
}

static int
compare_places (gconstpointer a, gconstpointer b)
{
  const Member *first = a;
  const Member *second = b;

  return (first->offset > second->offset) - (first->offset < second->offset);
}

/* Members that share bytes make an archive stand for far more than was ever packed. */
static gboolean
check_members (const GArray *members, GError **error)
{
  g_autoptr (GArray) sorted = g_array_copy ((GArray *) members);
  guint64 end = 0, total = 0;

  g_array_sort (sorted, compare_places);
  for (guint i = 0; i < sorted->len; i++)
    {
      const Member *member = &g_array_index (sorted, Member, i);

      if (member->offset < end)
        return refuse (error, "members lie over one another");
      end = member->start + member->packed;
      if (member->method != STORED && member->unpacked > MAX_UNPACKED - MIN (total, MAX_UNPACKED))
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                       "Not a usable .npz file: its arrays unpack to more than %d GiB; "
                       "save larger ones with numpy.savez, which does not pack",
                       (int) (MAX_UNPACKED >> 30));
          return FALSE;
        }
      total += member->method != STORED ? member->unpacked : 0;
    }

  return TRUE;
}

static GBytes *
inflate_member (const Archive *archive, const Member *member, const AssayProgress *progress,
                GError **error)
{
  g_autoptr (GConverter)
      inflater = G_CONVERTER (g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_RAW));
  const guint8 *from = archive->data + member->start;
  g_autofree guint8 *to = NULL;
  gsize n = (gsize) member->packed;
  gsize expected = (gsize) member->unpacked;
  gsize n_made = 0;
  GConverterResult state = G_CONVERTER_CONVERTED;

  /* Nothing unpacks to more than a thousand times its size, so no more memory is asked for. */
  if (member->unpacked / MAX_RATIO > member->packed)
    {
      refuse (error, "a member does not unpack to its size");
      return NULL;
    }
  /* A byte more than is due shows that there is more. */
  to = g_try_malloc (expected + 1);
  if (to == NULL)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_MEMORY,
                   "no memory for %" G_GSIZE_FORMAT " byte%s of an array", expected,
                   assay_plural (expected));
      return NULL;
    }

  while (state != G_CONVERTER_FINISHED)
    {
      gsize used = 0, made = 0;

      if (!assay_progress_check (progress, error))
        return NULL;
      state = g_converter_convert (inflater, from, n, to + n_made,
                                   MIN (expected + 1 - n_made, BLOCK_BYTES),
                                   G_CONVERTER_INPUT_AT_END, &used, &made, NULL);
      n_made += made;
      if (state == G_CONVERTER_ERROR || n_made > expected)
        {
          refuse (error, "a member does not unpack to its size");
          return NULL;
        }
      from += used;
      n -= used;
    }

  return g_bytes_new_take (g_steal_pointer (&to), n_made);
}

static AssayTensor *
load_member (const Archive *archive, GBytes *bytes, const Member *member,
             const AssayProgress *progress, GError **error)
{
  g_autoptr (GBytes) contents = NULL;
  gsize size;
  gconstpointer data;

  if (member->method == STORED && member->packed == member->unpacked)
    contents = g_bytes_new_from_bytes (bytes, (gsize) member->start, (gsize) member->packed);
  else if (member->method == DEFLATED)
    contents = inflate_member (archive, member, progress, error);
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

static gboolean
read_directory (const Archive *archive, GArray *members, GError **error)
{
  guint64 offset = 0, n_entries = 0;

  if (!find_directory (archive, &offset, &n_entries, error))
    return FALSE;

  for (guint64 i = 0; i < n_entries; i++)
    {
      Member member;

      if (!read_entry (archive, &offset, &member, error))
        return FALSE;
      if (member.name_length < strlen (SUFFIX) ||
          memcmp (member.name + member.name_length - strlen (SUFFIX), SUFFIX, strlen (SUFFIX)) != 0)
        continue;
      if (!place_member (archive, &member, error))
        return FALSE;
      member.name_length -= strlen (SUFFIX);
      g_array_append_val (members, member);
    }

  return check_members (members, error);
}

/**
 * assay_npz_from_bytes:
 * @bytes: a .npz file
 * @names: (element-type utf8): gets the names of the arrays, in the order of the archive
 * @tensors: (element-type AssayTensor): gets the arrays
 * @progress: (nullable): can cancel
 * @error: return location for a #GError
 *
 * Reads the arrays of an archive; both lists have free functions and stay as they are on failure,
 * as far as what was read before is concerned. Members that lie over one another are refused, and
 * packed ones that unpack to more than 4 GiB together.
 *
 * Returns: whether all could be read
 */
gboolean
assay_npz_from_bytes (GBytes *bytes, GPtrArray *names, GPtrArray *tensors,
                      const AssayProgress *progress, GError **error)
{
  g_autoptr (GArray) members = g_array_new (FALSE, FALSE, sizeof (Member));
  Archive archive;

  archive.data = g_bytes_get_data (bytes, &archive.size);
  if (!read_directory (&archive, members, error))
    return FALSE;

  for (guint i = 0; i < members->len; i++)
    {
      const Member *member = &g_array_index (members, Member, i);
      g_autofree char *name = g_strndup (member->name, member->name_length);
      AssayTensor *tensor = load_member (&archive, bytes, member, progress, error);

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
 * @progress: (nullable): can cancel
 * @error: return location for a #GError
 *
 * Reads the arrays of an archive from a file.
 *
 * Returns: whether all could be read
 */
gboolean
assay_npz_load (const char *path, GPtrArray *names, GPtrArray *tensors,
                const AssayProgress *progress, GError **error)
{
  g_autoptr (GBytes) bytes = assay_file_map_new (path, error);
  g_autoptr (GError) local = NULL;
  gboolean done;

  if (bytes == NULL)
    return FALSE;

  done = assay_npz_from_bytes (bytes, names, tensors, progress, &local);
  if (!assay_file_map_check_bytes (bytes, error))
    return FALSE;
  if (!done)
    g_propagate_prefixed_error (error, g_steal_pointer (&local), "%s: ", path);

  return done;
}

static void
append_le (GByteArray *to, guint64 value, guint n)
{
  for (guint i = 0; i < n; i++)
    g_byte_array_append (to, (const guint8[]){ (guint8) (value >> 8 * i) }, 1);
}

/* What entry and local header have in common; the day is the first one there is. */
static void
append_facts (GByteArray *to, const char *name, guint32 crc, gsize size)
{
  append_le (to, 20, 2);    /* version */
  append_le (to, 0x800, 2); /* names are UTF-8 */
  append_le (to, STORED, 2);
  append_le (to, 0x210000, 4);
  append_le (to, crc, 4);
  append_le (to, size, 4);
  append_le (to, size, 4);
  append_le (to, strlen (name), 2);
  append_le (to, 0, 2);
}

static gboolean
add_member (GByteArray *archive, GByteArray *directory, const char *name, AssayTensor *tensor,
            GError **error)
{
  g_autofree char *file = g_strconcat (name, SUFFIX, NULL);
  g_autoptr (GBytes) bytes = assay_npy_to_bytes (tensor, error);
  gsize size, offset = archive->len;
  const guint8 *data;
  guint32 crc;

  if (bytes == NULL)
    return FALSE;

  data = g_bytes_get_data (bytes, &size);
  if (size > G_MAXINT32 || strlen (file) > 1024 ||
      archive->len + directory->len + size > G_MAXINT32)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s: too large for an archive", name);
      return FALSE;
    }

  crc = checksum (data, size);
  append_le (archive, LOCAL_MAGIC, 4);
  append_facts (archive, file, crc, size);
  g_byte_array_append (archive, (const guint8 *) file, (guint) strlen (file));
  g_byte_array_append (archive, data, (guint) size);

  append_le (directory, ENTRY_MAGIC, 4);
  append_le (directory, 20, 2);
  append_facts (directory, file, crc, size);
  append_le (directory, 0, 6); /* comment, disk, attributes inside */
  append_le (directory, 0, 4); /* attributes outside */
  append_le (directory, offset, 4);
  g_byte_array_append (directory, (const guint8 *) file, (guint) strlen (file));

  return TRUE;
}

/**
 * assay_npz_save:
 * @names: (element-type utf8): names of the arrays
 * @tensors: (element-type AssayTensor): the arrays
 * @path: where to
 * @error: return location for a #GError
 *
 * Writes an archive as numpy.savez() does, whole or not at all: up to 2 GiB, not packed.
 *
 * Returns: whether it is written
 */
gboolean
assay_npz_save (GPtrArray *names, GPtrArray *tensors, const char *path, GError **error)
{
  g_autoptr (GByteArray) archive = g_byte_array_new ();
  g_autoptr (GByteArray) directory = g_byte_array_new ();
  gsize start;

  if (tensors->len >= G_MAXUINT16)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%u arrays are too many for an archive",
                   tensors->len);
      return FALSE;
    }
  for (guint i = 0; i < tensors->len; i++)
    if (!add_member (archive, directory, g_ptr_array_index (names, i),
                     g_ptr_array_index (tensors, i), error))
      return FALSE;

  start = archive->len;
  g_byte_array_append (archive, directory->data, directory->len);
  append_le (archive, END_MAGIC, 4);
  append_le (archive, 0, 4);
  append_le (archive, tensors->len, 2);
  append_le (archive, tensors->len, 2);
  append_le (archive, directory->len, 4);
  append_le (archive, start, 4);
  append_le (archive, 0, 2);

  return assay_file_write (path, archive->data, archive->len, error);
}
