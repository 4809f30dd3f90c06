/* assay-config.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/assay-config.h"

#include <string.h>

#include "backend/assay-backend.h"
#include "backend/assay-config-private.h"
#include "base/assay-error.h"
#include "base/assay-file-write.h"
#include "text/assay-json-writer.h"

/* What a config file may hold at most; the depths are far above any card and keep products of two
 * within 62 bits. */
#define MAX_DEPTH (1 << 26)
#define MAX_CYCLES 100000

struct _AssayConfig
{
  GObject parent_instance;

  AssayConfigValues values;
  char *fabric;
  GPtrArray *estimated; /* char * */
};

G_DEFINE_FINAL_TYPE (AssayConfig, assay_config, G_TYPE_OBJECT)

/* Every number: name in files, where it is, range, and what it is without a card in mind. */
typedef struct
{
  const char *name;
  gsize offset;
  int min;
  int max;
  int fallback;
  const char *doc;
} Field;

#define FIELD(name, min, max, fallback, doc)                                                       \
  {                                                                                                \
#name, G_STRUCT_OFFSET(AssayConfigValues, name), min, max, fallback, doc                       \
  }
#define TIMING(name, fallback)                                                                     \
  {                                                                                                \
#name, G_STRUCT_OFFSET(AssayConfigValues, timing.name), 0, MAX_CYCLES, fallback, NULL          \
  }

static const Field fields[] = {
  FIELD (num_cores, 1, 64, 0, "cores"),
  FIELD (block_size, 16, 128, 0, "values in a block"),
  FIELD (tensor_ram_depth, 1, MAX_DEPTH, 4096, "blocks of activations per core"),
  FIELD (tensor_descriptor_count, 1, MAX_DEPTH, 1024, "tensors that a core can address"),
  FIELD (weight_store_depth, 1, MAX_DEPTH, 512, "weight blocks per core"),
  FIELD (accum_store_depth, 1, MAX_DEPTH, 1024, "blocks of partial sums per core"),
  FIELD (cell_state_depth, 0, MAX_DEPTH, 512, "blocks of LSTM cell state per core"),
  FIELD (clamp_store_depth, 0, MAX_DEPTH, 32, "distinct clamps per core"),
  FIELD (max_read_size, 1, MAX_DEPTH, 512, "blocks that one instruction can read"),
  FIELD (io_size, 1, 4096, 32, "values that inputs and outputs are padded to"),
  FIELD (clock_mhz, 1, 10000, 320, "clock in MHz"),
};

static const Field timing_fields[] = {
  TIMING (input_latency, 11),  TIMING (output_latency, 32), TIMING (accumulate_interval, 2),
  TIMING (matrix_latency, 25), TIMING (drain_latency, 4),   TIMING (vector_latency, 14),
  TIMING (network_hop, 14),    TIMING (lane_reduction, 19), TIMING (function_use, 14),
  TIMING (recurrent_cell, 20),
};

static const char *const fabrics[] = { "agilex", "versal-sg2", "versal-sg3", NULL };

enum
{
  PROP_0,
  PROP_FIRST_FIELD,
  PROP_FABRIC = PROP_FIRST_FIELD + G_N_ELEMENTS (fields),
  N_PROPS
};

static GParamSpec *props[N_PROPS];

static int *
slot (AssayConfigValues *values, const Field *field)
{
  return (int *) (gpointer) ((char *) values + field->offset);
}

static void
assay_config_finalize (GObject *object)
{
  AssayConfig *self = ASSAY_CONFIG (object);

  g_free (self->fabric);
  g_ptr_array_unref (self->estimated);

  G_OBJECT_CLASS (assay_config_parent_class)->finalize (object);
}

static void
assay_config_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  AssayConfig *self = ASSAY_CONFIG (object);

  if (id >= PROP_FIRST_FIELD && id < PROP_FABRIC)
    g_value_set_int (value, *slot (&self->values, &fields[id - PROP_FIRST_FIELD]));
  else if (id == PROP_FABRIC)
    g_value_set_string (value, self->fabric);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
assay_config_class_init (AssayConfigClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = assay_config_finalize;
  object_class->get_property = assay_config_get_property;

  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    {
      g_autofree char *name = g_strdelimit (g_strdup (fields[i].name), "_", '-');

      props[PROP_FIRST_FIELD + i] = g_param_spec_int (name, NULL, fields[i].doc, 0, G_MAXINT, 0,
                                                      G_PARAM_READABLE | G_PARAM_STATIC_BLURB);
    }

  /**
   * AssayConfig:fabric:
   *
   * The kind of multipliers: `agilex`, `versal-sg2` or `versal-sg3`.
   */
  props[PROP_FABRIC] = g_param_spec_string ("fabric", NULL, NULL, NULL,
                                            G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);

  g_object_class_install_properties (object_class, N_PROPS, props);
}

static void
assay_config_init (AssayConfig *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    *slot (&self->values, &fields[i]) = fields[i].fallback;
  for (guint i = 0; i < G_N_ELEMENTS (timing_fields); i++)
    *slot (&self->values, &timing_fields[i]) = timing_fields[i].fallback;
  self->fabric = g_strdup (fabrics[0]);
  self->estimated = g_ptr_array_new_with_free_func (g_free);
}

static gboolean
takes (const Field *field, gint64 value)
{
  gboolean is_block = field->offset == G_STRUCT_OFFSET (AssayConfigValues, block_size);

  return value >= field->min && value <= field->max && (!is_block || (value & (value - 1)) == 0);
}

static char *
allowed (const Field *field)
{
  if (field->offset == G_STRUCT_OFFSET (AssayConfigValues, block_size))
    return g_strdup ("16, 32, 64 or 128");

  return g_strdup_printf ("%d to %d", field->min, field->max);
}

static gboolean
validate (AssayConfig *self, const char *name, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (fields) + G_N_ELEMENTS (timing_fields); i++)
    {
      const Field *field = i < G_N_ELEMENTS (fields) ? &fields[i]
                                                     : &timing_fields[i - G_N_ELEMENTS (fields)];
      int value = *slot (&self->values, field);
      g_autofree char *range = NULL;

      if (takes (field, value))
        continue;
      range = allowed (field);
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s: %s is %d; allowed: %s", name,
                   field->name, value, range);
      return FALSE;
    }

  return TRUE;
}

/**
 * assay_config_new:
 * @num_cores: cores
 * @block_size: values in a block
 * @error: return location for a #GError
 *
 * Makes a configuration of a size of one's own, with the stores and the timing of an Agilex card.
 *
 * Returns: (transfer full) (nullable): the configuration, or %NULL with %ASSAY_ERROR_INVALID
 */
AssayConfig *
assay_config_new (int num_cores, int block_size, GError **error)
{
  g_autoptr (AssayConfig) self = g_object_new (ASSAY_TYPE_CONFIG, NULL);

  self->values.num_cores = num_cores;
  self->values.block_size = block_size;
  for (guint i = 2; i < G_N_ELEMENTS (fields); i++)
    g_ptr_array_add (self->estimated, g_strdup (fields[i].name));
  g_ptr_array_add (self->estimated, g_strdup ("timing"));

  return validate (self, "configuration", error) ? g_steal_pointer (&self) : NULL;
}

static gboolean
read_fields (AssayConfigValues *values, JsonObject *json, const Field *table, guint n,
             const char *name, GError **error)
{
  for (guint i = 0; i < n; i++)
    {
      JsonNode *node = json_object_get_member (json, table[i].name);
      g_autofree char *range = NULL;

      if (node == NULL && table[i].fallback != 0)
        continue;
      if (assay_json_node_is_integer (node) && takes (&table[i], json_node_get_int (node)))
        {
          *slot (values, &table[i]) = (int) json_node_get_int (node);
          continue;
        }

      range = allowed (&table[i]);
      if (node == NULL)
        g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s: %s is missing; allowed: %s",
                     name, table[i].name, range);
      else if (!assay_json_node_is_integer (node))
        g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                     "%s: %s is not a whole number; allowed: %s", name, table[i].name, range);
      else
        g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                     "%s: %s is %" G_GINT64_FORMAT "; allowed: %s", name, table[i].name,
                     json_node_get_int (node), range);
      return FALSE;
    }

  return TRUE;
}

static const char *const words[] = { "timing", "fabric", "estimated", NULL };

static const Field *
find_field (gboolean is_timing, const char *member)
{
  const Field *table = is_timing ? timing_fields : fields;
  guint n = is_timing ? G_N_ELEMENTS (timing_fields) : G_N_ELEMENTS (fields);

  for (guint i = 0; i < n; i++)
    if (g_str_equal (table[i].name, member))
      return &table[i];

  return NULL;
}

static gboolean
is_known (const char *member)
{
  return find_field (FALSE, member) != NULL || g_strv_contains (words, member);
}

static gboolean
check_members (JsonObject *json, gboolean is_timing, const char *name, GError **error)
{
  g_autoptr (GList) members = json_object_get_members (json);

  for (GList *l = members; l != NULL; l = l->next)
    if (is_timing ? find_field (TRUE, l->data) == NULL : !is_known (l->data))
      {
        g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s: %s has no field \"%.60s\"", name,
                     is_timing ? "timing" : "a configuration", (const char *) l->data);
        return FALSE;
      }

  return TRUE;
}

static void
check_values (AssayJsonReader *reader, JsonObject *json, gboolean is_timing)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autoptr (GList) members = json_object_get_members (json);

  for (guint i = 0; i < (is_timing ? G_N_ELEMENTS (timing_fields) : G_N_ELEMENTS (fields)); i++)
    g_ptr_array_add (names, (gpointer) (is_timing ? timing_fields : fields)[i].name);
  for (guint i = 0; !is_timing && words[i] != NULL; i++)
    g_ptr_array_add (names, (gpointer) words[i]);

  for (GList *l = members; l != NULL; l = l->next)
    {
      JsonNode *node = json_object_get_member (json, l->data);
      const Field *field = find_field (is_timing, l->data);
      gsize mark = assay_json_reader_enter (reader, l->data);

      if (!g_ptr_array_find_with_equal_func (names, l->data, g_str_equal, NULL))
        assay_json_reader_unknown (reader, "field of the configuration", l->data, names);
      else if (field != NULL &&
               (!assay_json_node_is_integer (node) || !takes (field, json_node_get_int (node))))
        {
          g_autofree char *range = allowed (field);

          assay_json_reader_expect (reader, node, range);
        }
      else if (g_str_equal (l->data, "timing") && !JSON_NODE_HOLDS_OBJECT (node))
        assay_json_reader_expect (reader, node, "object");
      else if (g_str_equal (l->data, "timing"))
        check_values (reader, json_node_get_object (node), TRUE);
      else if (g_str_equal (l->data, "fabric") &&
               (!assay_json_node_is_string (node) ||
                !g_strv_contains (fabrics, json_node_get_string (node))))
        assay_json_reader_expect (reader, node, "\"agilex\", \"versal-sg2\" or \"versal-sg3\"");
      assay_json_reader_leave (reader, mark);
    }
}

/**
 * assay_config_check: (skip)
 * @json: fields of a configuration, not all of them where a file builds on another one
 * @reader: the file that holds them, at its root
 *
 * Looks at the `config` of a target file; every name and value that is wrong becomes a finding with
 * line and member.
 */
void
assay_config_check (JsonObject *json, AssayJsonReader *reader)
{
  gsize mark = assay_json_reader_enter (reader, "config");

  check_values (reader, json, FALSE);
  assay_json_reader_leave (reader, mark);
}

static gboolean
read_words (AssayConfig *self, JsonObject *json, JsonNode *estimated, const char *name,
            GError **error)
{
  JsonNode *fabric = json_object_get_member (json, "fabric");

  if (fabric != NULL)
    {
      const char *text = JSON_NODE_HOLDS_VALUE (fabric) &&
                                 json_node_get_value_type (fabric) == G_TYPE_STRING
                             ? json_node_get_string (fabric)
                             : NULL;

      if (text == NULL || !g_strv_contains (fabrics, text))
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                       "%s: fabric is %.40s; allowed: agilex, versal-sg2 or versal-sg3", name,
                       text != NULL ? text : "no string");
          return FALSE;
        }
      g_free (self->fabric);
      self->fabric = g_strdup (text);
      while (!g_str_equal (fabrics[self->values.fabric], text))
        self->values.fabric = (self->values.fabric + 1) % (G_N_ELEMENTS (fabrics) - 1);
    }

  if (estimated != NULL && !JSON_NODE_HOLDS_ARRAY (estimated))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "%s: estimated is no list of field names", name);
      return FALSE;
    }
  for (guint i = 0;
       estimated != NULL && i < json_array_get_length (json_node_get_array (estimated)); i++)
    {
      JsonNode *entry = json_array_get_element (json_node_get_array (estimated), i);

      if (!JSON_NODE_HOLDS_VALUE (entry) || json_node_get_value_type (entry) != G_TYPE_STRING ||
          !is_known (json_node_get_string (entry)))
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                       "%s: entry %u of estimated is no field of a configuration", name, i);
          return FALSE;
        }
      g_ptr_array_add (self->estimated, g_strdup (json_node_get_string (entry)));
    }

  return TRUE;
}

/* What is estimated stands beside the configuration in the file of a target. */
static AssayConfig *
read_config (JsonObject *json, JsonNode *estimated, const char *name, GError **error)
{
  g_autoptr (AssayConfig) self = g_object_new (ASSAY_TYPE_CONFIG, NULL);
  JsonNode *timing = json_object_get_member (json, "timing");

  if (estimated == NULL)
    estimated = json_object_get_member (json, "estimated");
  if (!check_members (json, FALSE, name, error) ||
      !read_fields (&self->values, json, fields, G_N_ELEMENTS (fields), name, error) ||
      !read_words (self, json, estimated, name, error))
    return NULL;

  if (timing != NULL && !JSON_NODE_HOLDS_OBJECT (timing))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s: timing is no object", name);
      return NULL;
    }
  if (timing != NULL && (!check_members (json_node_get_object (timing), TRUE, name, error) ||
                         !read_fields (&self->values, json_node_get_object (timing), timing_fields,
                                       G_N_ELEMENTS (timing_fields), name, error)))
    return NULL;

  return validate (self, name, error) ? g_steal_pointer (&self) : NULL;
}

/**
 * assay_config_new_from_json:
 * @json: the fields
 * @name: what messages call it
 * @error: return location for a #GError
 *
 * Reads a configuration; cores and block size have to be there, other fields have defaults.
 *
 * Returns: (transfer full) (nullable): the configuration, or %NULL with %ASSAY_ERROR_INVALID naming
 * field, value and what is allowed
 */
AssayConfig *
assay_config_new_from_json (JsonObject *json, const char *name, GError **error)
{
  return read_config (json, NULL, name, error);
}

/**
 * assay_config_new_for_target: (skip)
 * @target: a target that programs are built for
 * @error: return location for a #GError
 *
 * Takes the configuration of a target.
 *
 * Returns: (transfer full) (nullable): the configuration, or %NULL with %ASSAY_ERROR_INVALID if
 * there is none or a value in it is wrong
 */
AssayConfig *
assay_config_new_for_target (AssayTarget *target, GError **error)
{
  JsonObject *json = assay_target_get_json (target);

  if (!assay_backend_require (target, ASSAY_CAPABILITY_MAKES_PROGRAMS, error) ||
      !assay_backend_require (target, ASSAY_CAPABILITY_HAS_CONFIG, error))
    return NULL;

  /* Nothing of it is held: other threads read the same target, and JSON-GLib counts references
   * without an atom. */
  return read_config (json_object_get_object_member (json, "config"),
                      json_object_get_member (json, "estimated"), assay_target_get_id (target),
                      error);
}

/* What a core has room for; the descriptors of tensors are the only ones that are not a depth. */
static gboolean
can_set (const char *member)
{
  return g_str_has_suffix (member, "_depth") || g_str_equal (member, "tensor_descriptor_count") ||
         g_str_equal (member, ASSAY_CONFIG_CORES);
}

/* Other depths than those of the target, or another number of cores, as a what-if. */
static gboolean
set_depth (AssayConfig *self, const char *entry, GError **error)
{
  const char *value = assay_setting_find_value (ASSAY_SETTING_DEPTH, entry);
  g_autofree char *store = g_strndup (entry, value != NULL ? (gsize) (value - entry) - 1 : 0);
  gint64 blocks;

  if (can_set (store) && g_ascii_string_to_signed (value, 10, 0, G_MAXINT32, &blocks, NULL))
    {
      if (assay_config_set_member (self, store, blocks, error))
        return TRUE;
      g_prefix_error (error, "--depth %s: ", entry);
      return FALSE;
    }

  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
               "--depth %s: expected a depth of the target and blocks, such as "
               "tensor_ram_depth=4000",
               entry);
  return FALSE;
}

/**
 * assay_config_new_for_settings: (skip)
 * @target: a target of the block-streaming family
 * @settings: (nullable): what the user wants
 * @error: return location for a #GError
 *
 * Takes the configuration of a target, with the depths that the user wants.
 *
 * Returns: (transfer full) (nullable): the configuration
 */
AssayConfig *
assay_config_new_for_settings (AssayTarget *target, const AssaySettings *settings, GError **error)
{
  const char *const *depths = assay_settings_get_list (settings, ASSAY_SETTING_DEPTH);
  g_autoptr (AssayConfig) self = assay_config_new_for_target (target, error);

  for (guint i = 0; self != NULL && depths != NULL && depths[i] != NULL; i++)
    if (!set_depth (self, depths[i], error))
      return NULL;

  return g_steal_pointer (&self);
}

/**
 * assay_config_new_preset:
 * @id: id of a target that ships, such as `ia_420f_c6b32`, or path of a target file
 * @error: return location for a #GError
 *
 * Takes the configuration of a target by its name.
 *
 * Returns: (transfer full) (nullable): the configuration
 */
AssayConfig *
assay_config_new_preset (const char *id, GError **error)
{
  g_autoptr (AssayTarget) target = assay_target_load (id, error);

  return target == NULL ? NULL : assay_config_new_for_target (target, error);
}

/**
 * assay_config_new_for_values: (skip)
 * @values: the numbers, such as those of a program
 *
 * Makes a configuration of numbers that were checked before; which of them are estimates is not
 * known any more.
 *
 * Returns: (transfer full): the configuration
 */
AssayConfig *
assay_config_new_for_values (const AssayConfigValues *values)
{
  AssayConfig *self = g_object_new (ASSAY_TYPE_CONFIG, NULL);

  self->values = *values;
  g_free (self->fabric);
  self->fabric = g_strdup (fabrics[MIN (values->fabric, G_N_ELEMENTS (fabrics) - 2)]);

  return self;
}

/**
 * assay_config_set_member: (skip)
 * @self: a configuration
 * @member: name of a number as in target files, such as `tensor_ram_depth`
 * @value: what it is to be
 * @error: return location for a #GError
 *
 * Changes one number of a configuration. Fails with %ASSAY_ERROR_INVALID if there is no such
 * number, or if it cannot be
 * @value.
 *
 * Returns: whether it was changed
 */
gboolean
assay_config_set_member (AssayConfig *self, const char *member, gint64 value, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    {
      g_autofree char *range = NULL;

      if (!g_str_equal (fields[i].name, member))
        continue;
      if (takes (&fields[i], value))
        {
          *slot (&self->values, &fields[i]) = (int) value;
          return TRUE;
        }
      range = allowed (&fields[i]);
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "%s=%" G_GINT64_FORMAT ": allowed is %s", member, value, range);
      return FALSE;
    }

  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "a configuration has no number %s", member);
  return FALSE;
}

/**
 * assay_config_load:
 * @path: a file that assay_config_save() wrote, or a person
 * @error: return location for a #GError
 *
 * Reads a configuration from a file.
 *
 * Returns: (transfer full) (nullable): the configuration
 */
AssayConfig *
assay_config_load (const char *path, GError **error)
{
  g_autoptr (AssayJsonReader) reader = assay_json_reader_load (path, NULL, error);

  return reader == NULL ? NULL
                        : assay_config_new_from_json (assay_json_reader_root (reader), path, error);
}

/**
 * assay_config_to_json:
 * @self: a configuration
 *
 * Writes every field, those with a default too.
 *
 * Returns: (transfer full): the fields
 */
JsonObject *
assay_config_to_json (AssayConfig *self)
{
  JsonObject *json = json_object_new ();
  JsonObject *timing = json_object_new ();
  JsonArray *estimated = json_array_new ();

  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    json_object_set_int_member (json, fields[i].name, *slot (&self->values, &fields[i]));
  json_object_set_string_member (json, "fabric", self->fabric);
  for (guint i = 0; i < G_N_ELEMENTS (timing_fields); i++)
    json_object_set_int_member (timing, timing_fields[i].name,
                                *slot (&self->values, &timing_fields[i]));
  json_object_set_object_member (json, "timing", timing);
  for (guint i = 0; i < self->estimated->len; i++)
    json_array_add_string_element (estimated, g_ptr_array_index (self->estimated, i));
  json_object_set_array_member (json, "estimated", estimated);

  return json;
}

/**
 * assay_config_save:
 * @self: a configuration
 * @path: where to write it
 * @error: return location for a #GError
 *
 * Writes a configuration to a file, whole or not at all.
 *
 * Returns: whether it is written; otherwise %ASSAY_ERROR_SAVE
 */
gboolean
assay_config_save (AssayConfig *self, const char *path, GError **error)
{
  g_autoptr (JsonNode) root = json_node_new (JSON_NODE_OBJECT);
  g_autofree char *text = NULL;
  AssayJsonWriter writer;
  gsize length;

  json_node_take_object (root, assay_config_to_json (self));
  assay_json_writer_init (&writer, 2);
  assay_json_writer_node (&writer, root);
  text = assay_json_writer_finish (&writer, &length);

  return assay_file_write (path, text, length, error);
}

/**
 * assay_config_get_values:
 * @self: a configuration
 *
 * Gets the numbers.
 *
 * Returns: (transfer none): the numbers, valid as long as @self
 */
const AssayConfigValues *
assay_config_get_values (AssayConfig *self)
{
  g_return_val_if_fail (ASSAY_IS_CONFIG (self), NULL);

  return &self->values;
}

/**
 * assay_config_is_whole: (skip)
 * @self: a configuration
 * @error: return location for a #GError
 *
 * Tells a configuration from an object that no constructor has filled.
 *
 * Returns: whether it can be compiled for; otherwise %ASSAY_ERROR_INVALID
 */
gboolean
assay_config_is_whole (AssayConfig *self, GError **error)
{
  if (self->values.num_cores > 0)
    return TRUE;

  g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                       "The configuration is empty; assay_config_new() or a preset makes one");
  return FALSE;
}

/**
 * assay_config_get_fabric:
 * @self: a configuration
 *
 * Gets the kind of multipliers.
 *
 * Returns: (transfer none): `agilex`, `versal-sg2` or `versal-sg3`
 */
const char *
assay_config_get_fabric (AssayConfig *self)
{
  g_return_val_if_fail (ASSAY_IS_CONFIG (self), NULL);

  return self->fabric;
}

/**
 * assay_config_is_estimated:
 * @self: a configuration
 * @field: name of a field
 *
 * Tells whether nobody publishes the value of a field, so that it is an estimate.
 *
 * Returns: whether it is an estimate
 */
gboolean
assay_config_is_estimated (AssayConfig *self, const char *field)
{
  g_return_val_if_fail (ASSAY_IS_CONFIG (self), FALSE);

  return g_ptr_array_find_with_equal_func (self->estimated, field, g_str_equal, NULL);
}

/**
 * assay_timing_parameter_name: (skip)
 * @index: a number, from 0 on
 *
 * Gets the name of a timing parameter as target files have it.
 *
 * Returns: (transfer none) (nullable): the name, or %NULL behind the last one
 */
const char *
assay_timing_parameter_name (guint index)
{
  return index < G_N_ELEMENTS (timing_fields) ? timing_fields[index].name : NULL;
}

/**
 * assay_timing_parameter: (skip)
 * @timing: the timing of a configuration
 * @index: number of a parameter that has a name
 *
 * Finds the value of a timing parameter.
 *
 * Returns: (transfer none): its place
 */
guint *
assay_timing_parameter (AssayTiming *timing, guint index)
{
  gsize offset = timing_fields[MIN (index, G_N_ELEMENTS (timing_fields) - 1)].offset;

  return (guint *) (gpointer) ((char *) timing + offset -
                               G_STRUCT_OFFSET (AssayConfigValues, timing));
}
