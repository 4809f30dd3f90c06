/* assay-program.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/assay-build.h"
#include "backend/assay-program-class.h"
#include "backend/assay-range-warning.h"
#include "backend/assay-sensitivity.h"
#include "base/assay-error.h"
#include "base/assay-file-read.h"
#include "base/assay-file-write.h"

typedef struct
{
  AssayProgramFacts facts;
  GMutex lock;
  AssayCycles *cycles; /* per model, counted when somebody asks for the first time */
} AssayProgramPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (AssayProgram, assay_program, G_TYPE_OBJECT)

static void
assay_program_finalize (GObject *object)
{
  AssayProgramPrivate *private = assay_program_get_instance_private (ASSAY_PROGRAM (object));

  g_clear_pointer ((GArray **) &private->facts.models, g_array_unref);
  g_clear_pointer ((GArray **) &private->facts.tensors, g_array_unref);
  g_clear_pointer ((GArray **) &private->facts.residents, g_array_unref);
  g_clear_pointer ((GPtrArray **) &private->facts.node_names, g_ptr_array_unref);
  g_mutex_clear (&private->lock);
  g_free (private->cycles);

  G_OBJECT_CLASS (assay_program_parent_class)->finalize (object);
}

/* What a backend has nothing of its own to say about. */

static void
plain_append_row (AssayProgram *self, guint32 row, GString *text)
{
  AssayProgramRow filled = assay_program_get_row (self, row);

  g_string_append_printf (text, "  %u  %s  %s", filled.step, filled.name,
                          assay_program_get_node_name (self, filled.node));
}

static void
plain_append_listing (AssayProgram *self, guint model, guint core, GString *text)
{
  const AssayModelEntry *entry = assay_program_get_model (self, model);

  for (guint32 row = entry->first; row < entry->first + entry->n_instructions; row++)
    if (assay_program_get_row (self, row).core == core)
      {
        assay_program_append_row (self, row, text);
        g_string_append_c (text, '\n');
      }
}

static void
plain_append_memory (AssayProgram *self, guint core, GString *text)
{
  for (guint i = 0; i < assay_program_get_facts (self)->tensors->len; i++)
    {
      const AssayPlanned *tensor = assay_program_get_tensor (self, i);

      if (tensor->core == core)
        g_string_append_printf (text, "  %-6s %6u..%-6u %-10s %6u..%-5u %s\n",
                                assay_program_get_store (self, tensor->store)->name, tensor->base,
                                tensor->base + tensor->blocks - 1,
                                assay_tensor_kind_name (tensor->kind), tensor->born, tensor->died,
                                tensor->name);
    }
}

static void
plain_count (AssayProgram *self, AssayProgramMetrics *metrics)
{
  for (guint i = 0; i < assay_program_get_facts (self)->n_stores; i++)
    {
      const AssayProgramStore *store = assay_program_get_store (self, i);
      const AssayProgramFigure figure = { store->title, store->title, store->member, store->name };
      AssayProgramFigure *added = assay_program_metrics_add (metrics, &figure);

      added->limit = store->depth;
      for (guint j = 0; j < assay_program_get_facts (self)->tensors->len; j++)
        {
          const AssayPlanned *tensor = assay_program_get_tensor (self, j);
          guint64 *used = &added->used[tensor->core];

          if (tensor->store == i)
            *used = MAX (*used, (guint64) tensor->base + tensor->blocks);
        }
    }
  for (guint i = 0; i < assay_program_num_models (self); i++)
    {
      const AssayModelEntry *entry = assay_program_get_model (self, i);

      for (guint j = 0; j < entry->n_inputs; j++)
        metrics->input_bytes[i] += assay_port_count (&entry->inputs[j]) * sizeof (float);
      for (guint j = 0; j < entry->n_outputs; j++)
        metrics->output_bytes[i] += assay_port_count (&entry->outputs[j]) * sizeof (float);
    }
}

static void
plain_append_search (AssayProgram *self, guint model, GString *text)
{
}

static GArray *
plain_link_events (AssayProgram *self, GArray *events)
{
  return g_array_new (FALSE, FALSE, sizeof (guint32));
}

static GArray *
plain_find_sensitivity (AssayProgram *self, guint model)
{
  return g_array_new (FALSE, FALSE, sizeof (AssaySensitivity));
}

static GArray *
plain_find_ranges (AssayProgram *self, double largest_input)
{
  return NULL;
}

static gboolean
plain_find_value (AssayProgram *self, AssayValueId value, int *time_axis)
{
  return FALSE;
}

static void
assay_program_class_init (AssayProgramClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = assay_program_finalize;
  klass->append_row = plain_append_row;
  klass->append_listing = plain_append_listing;
  klass->append_memory = plain_append_memory;
  klass->append_search = plain_append_search;
  klass->count = plain_count;
  klass->link_events = plain_link_events;
  klass->find_sensitivity = plain_find_sensitivity;
  klass->find_ranges = plain_find_ranges;
  klass->find_value = plain_find_value;
}

static void
assay_program_init (AssayProgram *self)
{
  AssayProgramPrivate *private = assay_program_get_instance_private (self);

  g_mutex_init (&private->lock);
}

/**
 * assay_program_get_facts: (skip)
 * @self: a program
 *
 * Gets what a program consists of.
 *
 * Returns: (transfer none): the facts, which live as long as it does
 */
const AssayProgramFacts *
assay_program_get_facts (AssayProgram *self)
{
  return &((AssayProgramPrivate *) assay_program_get_instance_private (self))->facts;
}

/**
 * assay_program_set_facts: (skip)
 * @self: a program that is being made
 * @facts: what it consists of; whatever its arrays point to lives as long as the program
 *
 * Sets what a program consists of; the arrays are kept.
 */
void
assay_program_set_facts (AssayProgram *self, const AssayProgramFacts *facts)
{
  AssayProgramFacts *own =
      &((AssayProgramPrivate *) assay_program_get_instance_private (self))->facts;

  *own = *facts;
  g_array_ref ((GArray *) own->models);
  g_array_ref ((GArray *) own->tensors);
  g_ptr_array_ref ((GPtrArray *) own->node_names);
  own->residents = own->residents != NULL ? g_array_ref ((GArray *) own->residents)
                                          : g_array_new (FALSE, FALSE, sizeof (AssayResident));
}

/**
 * assay_program_get_machine:
 * @self: a program
 *
 * Gets the runner that runs it here.
 *
 * Returns: name of a kind of runner
 */
const char *
assay_program_get_machine (AssayProgram *self)
{
  const char *machine = ASSAY_PROGRAM_GET_CLASS (self)->machine;

  return machine != NULL ? machine : "vm";
}

/**
 * assay_program_get_numbers:
 * @self: a program
 *
 * Tells what its results are held in, and so what they can be held against.
 *
 * Returns: a type; %ASSAY_DTYPE_UNDEFINED for any that f32 holds
 */
AssayDType
assay_program_get_numbers (AssayProgram *self)
{
  AssayDType numbers = assay_program_get_facts (self)->numbers;

  return numbers != ASSAY_DTYPE_UNDEFINED ? numbers : ASSAY_PROGRAM_GET_CLASS (self)->numbers;
}

/**
 * assay_program_get_estimate:
 * @self: a program
 *
 * Tells what its cycles follow from, if no published counts bear them out.
 *
 * Returns: (nullable): in words that go on behind a comma
 */
const char *
assay_program_get_estimate (AssayProgram *self)
{
  return ASSAY_PROGRAM_GET_CLASS (self)->estimate;
}

/**
 * assay_program_get_cycles_word:
 * @self: a program
 *
 * Tells in a word where its counts of cycles come from.
 *
 * Returns: the word, which stands behind them
 */
const char *
assay_program_get_cycles_word (AssayProgram *self)
{
  return ASSAY_PROGRAM_GET_CLASS (self)->estimate != NULL ? "estimated" : "predicted";
}

/**
 * assay_program_get_places:
 * @self: a program
 *
 * Tells what the places of its tensors follow from, if nobody publishes them.
 *
 * Returns: (nullable): a sentence
 */
const char *
assay_program_get_places (AssayProgram *self)
{
  return ASSAY_PROGRAM_GET_CLASS (self)->places;
}

/**
 * assay_program_get_clock_mhz:
 * @self: a program
 *
 * Gets the clock of the hardware it is compiled for.
 *
 * Returns: megahertz
 */
guint
assay_program_get_clock_mhz (AssayProgram *self)
{
  g_return_val_if_fail (ASSAY_IS_PROGRAM (self) && assay_program_num_models (self) > 0, 0);

  return assay_program_get_facts (self)->config->clock_mhz;
}

/**
 * assay_program_counts_cycles: (skip)
 * @self: a program
 *
 * Tells whether it says how long something takes before it runs, rather than in which step it is.
 *
 * Returns: whether it does
 */
gboolean
assay_program_counts_cycles (AssayProgram *self)
{
  return !ASSAY_PROGRAM_GET_CLASS (self)->steps_only;
}

/**
 * assay_program_has_cores: (skip)
 * @self: a program
 *
 * Tells whether it is made of cores, so that there is a sense in naming them.
 *
 * Returns: whether it is
 */
gboolean
assay_program_has_cores (AssayProgram *self)
{
  return ASSAY_PROGRAM_GET_CLASS (self)->has_cores;
}

/**
 * assay_program_num_models:
 * @self: a program
 *
 * Counts the models.
 *
 * Returns: how many; 0 for an object that nothing was compiled or loaded into
 */
guint
assay_program_num_models (AssayProgram *self)
{
  const GArray *models;

  g_return_val_if_fail (ASSAY_IS_PROGRAM (self), 0);

  models = assay_program_get_facts (self)->models;

  return models != NULL ? models->len : 0;
}

/**
 * assay_program_model_name:
 * @self: a program
 * @model_index: which model
 *
 * Gets the name of a model.
 *
 * Returns: (transfer none): the name
 */
const char *
assay_program_model_name (AssayProgram *self, guint model_index)
{
  const AssayModelEntry *entry = assay_program_get_model (self, model_index);

  return entry == NULL ? NULL : entry->name;
}

/**
 * assay_program_get_model: (skip)
 * @self: a program
 * @model: which model
 *
 * Gets a model.
 *
 * Returns: (transfer none): the model
 */
const AssayModelEntry *
assay_program_get_model (AssayProgram *self, guint model)
{
  g_return_val_if_fail (model < assay_program_num_models (self), NULL);

  return &g_array_index (assay_program_get_facts (self)->models, AssayModelEntry, model);
}

/**
 * assay_program_get_node_name: (skip)
 * @self: a program
 * @node: a node, or anything else
 *
 * Gets the name of a node, by which the graph knows it too.
 *
 * Returns: (transfer none): its name, "" if there is no such node
 */
const char *
assay_program_get_node_name (AssayProgram *self, guint32 node)
{
  const GPtrArray *names = assay_program_get_facts (self)->node_names;
  const char *name = node < names->len ? g_ptr_array_index (names, node) : NULL;

  return name != NULL ? name : "";
}

/**
 * assay_program_get_tensor: (skip)
 * @self: a program
 * @tensor: which
 *
 * Gets what lies somewhere over some steps.
 *
 * Returns: (transfer none): the tensor
 */
const AssayPlanned *
assay_program_get_tensor (AssayProgram *self, guint tensor)
{
  return &g_array_index (assay_program_get_facts (self)->tensors, AssayPlanned, tensor);
}

/**
 * assay_program_get_resident: (skip)
 * @self: a program
 * @resident: which
 *
 * Gets what stays where it is.
 *
 * Returns: (transfer none): the resident
 */
const AssayResident *
assay_program_get_resident (AssayProgram *self, guint resident)
{
  return &g_array_index (assay_program_get_facts (self)->residents, AssayResident, resident);
}

/**
 * assay_program_get_store: (skip)
 * @self: a program
 * @store: which
 *
 * Gets a store of a core.
 *
 * Returns: (transfer none): the store
 */
const AssayProgramStore *
assay_program_get_store (AssayProgram *self, guint store)
{
  g_return_val_if_fail (store < assay_program_get_facts (self)->n_stores, NULL);

  return &assay_program_get_facts (self)->stores[store];
}

/**
 * assay_program_get_block_bytes: (skip)
 * @self: a program
 *
 * Gets how large a block of its main store is: what that says of itself, else a value in bf16 for
 * each that a block has.
 *
 * Returns: bytes
 */
guint
assay_program_get_block_bytes (AssayProgram *self)
{
  const AssayProgramFacts *facts = assay_program_get_facts (self);
  guint measured = facts->n_stores > 0 ? facts->stores[facts->main_store].measured : 0;

  return measured > 0 ? measured : 2 * facts->config->block_size;
}

/**
 * assay_program_get_unit: (skip)
 * @self: a program
 * @unit: which
 *
 * Gets a unit.
 *
 * Returns: (transfer none): the unit
 */
const AssayProgramUnit *
assay_program_get_unit (AssayProgram *self, guint unit)
{
  g_return_val_if_fail (unit < assay_program_get_facts (self)->n_units, NULL);

  return &assay_program_get_facts (self)->units[unit];
}

/**
 * assay_program_get_row: (skip)
 * @self: a program
 * @row: which instruction
 *
 * Describes an instruction.
 *
 * Returns: what it is
 */
AssayProgramRow
assay_program_get_row (AssayProgram *self, guint32 row)
{
  AssayProgramRow filled = { 0 };

  ASSAY_PROGRAM_GET_CLASS (self)->get_row (self, row, &filled);

  return filled;
}

/**
 * assay_program_append_row: (skip)
 * @self: a program
 * @row: which instruction
 * @text: gets it
 *
 * Writes an instruction.
 */
void
assay_program_append_row (AssayProgram *self, guint32 row, GString *text)
{
  ASSAY_PROGRAM_GET_CLASS (self)->append_row (self, row, text);
}

/**
 * assay_program_append_listing: (skip)
 * @self: a program
 * @model: one of its models
 * @core: a core
 * @text: gets the lines
 *
 * Writes the instructions that a core has for a model.
 */
void
assay_program_append_listing (AssayProgram *self, guint model, guint core, GString *text)
{
  ASSAY_PROGRAM_GET_CLASS (self)->append_listing (self, model, core, text);
}

/**
 * assay_program_append_memory: (skip)
 * @self: a program
 * @core: a core
 * @text: gets the lines
 *
 * Writes what lies where on a core, and when.
 */
void
assay_program_append_memory (AssayProgram *self, guint core, GString *text)
{
  ASSAY_PROGRAM_GET_CLASS (self)->append_memory (self, core, text);
}

/**
 * assay_program_append_search: (skip)
 * @self: a program
 * @model: one of its models
 * @text: gets the lines
 *
 * Writes what was tried when a model was placed.
 */
void
assay_program_append_search (AssayProgram *self, guint model, GString *text)
{
  ASSAY_PROGRAM_GET_CLASS (self)->append_search (self, model, text);
}

/**
 * assay_program_get_cycles: (skip)
 * @self: a program
 * @model: one of its models
 *
 * Gets the cycles of one inference of a model, counted once.
 *
 * Returns: (transfer none): the cycles
 */
const AssayCycles *
assay_program_get_cycles (AssayProgram *self, guint model)
{
  AssayProgramPrivate *private = assay_program_get_instance_private (self);
  guint n = private->facts.models->len;

  g_return_val_if_fail (model < n, NULL);

  g_mutex_lock (&private->lock);
  if (private->cycles == NULL)
    {
      private->cycles = g_new0 (AssayCycles, n);
      for (guint i = 0; i < n; i++)
        assay_program_count_cycles (self, i, NULL, &private->cycles[i], NULL);
    }
  g_mutex_unlock (&private->lock);

  return &private->cycles[model];
}

/**
 * assay_program_get_cycle_range: (skip)
 * @self: a program
 * @predicted: a count of its cycles
 * @range: (out): the range
 *
 * Gets between which counts the accelerator's own lies for nine models of ten.
 *
 * Returns: whether that is known
 */
gboolean
assay_program_get_cycle_range (AssayProgram *self, guint32 predicted, AssayCycleRange *range)
{
  AssayProgramClass *klass = ASSAY_PROGRAM_GET_CLASS (self);

  if (klass->get_cycle_range == NULL)
    return FALSE;
  *range = klass->get_cycle_range (self, predicted);

  return TRUE;
}

/**
 * assay_program_dup_count: (skip)
 * @self: a program
 * @predicted: a count of its cycles
 *
 * Writes a count with the range around it, such as "448 (430 to 470)".
 *
 * Returns: (transfer full): the text
 */
char *
assay_program_dup_count (AssayProgram *self, guint32 predicted)
{
  AssayCycleRange range;

  return assay_program_get_cycle_range (self, predicted, &range)
             ? g_strdup_printf ("%u (%u to %u)", predicted, range.low, range.high)
             : g_strdup_printf ("%u", predicted);
}

/**
 * assay_program_count_cycles: (skip)
 * @self: a program
 * @model: one of its models
 * @queues: (nullable): how much room there is where data wait, %NULL for that of the hardware
 * @cycles: (out): the cycles of one inference
 * @events: (nullable): gets an #AssayEvent for everything that happens
 *
 * Walks through an inference, which takes its time.
 */
void
assay_program_count_cycles (AssayProgram *self, guint model, const AssayQueues *queues,
                            AssayCycles *cycles, GArray *events)
{
  ASSAY_PROGRAM_GET_CLASS (self)->count_cycles (self, model, queues, cycles, events);
}

/**
 * assay_program_link_events: (skip)
 * @self: a program
 * @events: an #AssayEvent for everything that happens in an inference
 *
 * Completes what every event waited for and why, and finds the critical path.
 *
 * Returns: (transfer full) (element-type guint32): the path, as indices of events
 */
GArray *
assay_program_link_events (AssayProgram *self, GArray *events)
{
  return ASSAY_PROGRAM_GET_CLASS (self)->link_events (self, events);
}

/**
 * assay_program_find_sensitivity: (skip)
 * @self: a program
 * @model: one of its models
 *
 * Counts again with every timing parameter one cycle larger.
 *
 * Returns: (transfer full): an #AssaySensitivity per parameter
 */
GArray *
assay_program_find_sensitivity (AssayProgram *self, guint model)
{
  return ASSAY_PROGRAM_GET_CLASS (self)->find_sensitivity (self, model);
}

/**
 * assay_program_find_ranges: (skip)
 * @self: a program
 * @largest_input: magnitude that inputs are taken to have
 *
 * Finds values that the program may lose.
 *
 * Returns: (transfer full) (nullable): an #AssayRangeWarning for each; %NULL if nobody looks
 */
GArray *
assay_program_find_ranges (AssayProgram *self, double largest_input)
{
  return ASSAY_PROGRAM_GET_CLASS (self)->find_ranges (self, largest_input);
}

/**
 * assay_program_find_value: (skip)
 * @self: a program
 * @value: a value of the canonical graph
 * @time_axis: (out) (optional): the axis that became time, or -1
 *
 * Tells whether a value can be observed while the program runs.
 *
 * Returns: whether it can
 */
gboolean
assay_program_find_value (AssayProgram *self, AssayValueId value, int *time_axis)
{
  int axis = -1;
  gboolean found = ASSAY_PROGRAM_GET_CLASS (self)->find_value (self, value, &axis);

  if (time_axis != NULL)
    *time_axis = axis;

  return found;
}

/**
 * assay_program_new_io_only: (skip)
 * @self: a program
 * @error: return location for a #GError
 *
 * Makes a program with the same models, inputs and outputs that computes nothing.
 *
 * Returns: (transfer full) (nullable): the program
 */
AssayProgram *
assay_program_new_io_only (AssayProgram *self, GError **error)
{
  AssayProgramClass *klass = ASSAY_PROGRAM_GET_CLASS (self);

  if (klass->new_io_only != NULL)
    return klass->new_io_only (self);
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED,
               "programs of target %s cannot be made to compute nothing",
               assay_program_get_facts (self)->target_id);

  return NULL;
}

/**
 * assay_program_save_bytes:
 * @self: a program
 * @error: return location for a #GError
 *
 * Writes a program to memory as it would be written to a file.
 *
 * Returns: (transfer full): the bytes, or %NULL with the error of a file that had constants of the
 * model and cannot be read any more
 */
GBytes *
assay_program_save_bytes (AssayProgram *self, GError **error)
{
  g_return_val_if_fail (ASSAY_IS_PROGRAM (self) && assay_program_num_models (self) > 0, NULL);

  return ASSAY_PROGRAM_GET_CLASS (self)->to_bytes (self, error);
}

/**
 * assay_program_save:
 * @self: a program
 * @path: where to
 * @error: return location for a #GError
 *
 * Saves a program; the file is replaced as a whole or not at all.
 *
 * Returns: whether it is saved; otherwise %ASSAY_ERROR_SAVE
 */
gboolean
assay_program_save (AssayProgram *self, const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = NULL;
  gconstpointer data;
  gsize size;

  g_return_val_if_fail (ASSAY_IS_PROGRAM (self) && assay_program_num_models (self) > 0, FALSE);
  g_return_val_if_fail (path != NULL, FALSE);

  bytes = assay_program_save_bytes (self, error);
  if (bytes == NULL)
    return FALSE;
  data = g_bytes_get_data (bytes, &size);

  return assay_file_write (path, data, size, error);
}

/**
 * assay_program_load:
 * @path: a program file
 * @error: return location for a #GError
 *
 * Loads a program that was saved, and verifies all of it.
 *
 * Returns: (transfer full): the program, or %NULL with %ASSAY_ERROR_LOAD if the file is damaged or
 * from another version, or %ASSAY_ERROR_IO if it cannot be read
 */
AssayProgram *
assay_program_load (const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = NULL;
  AssayProgram *self;
  char *contents;
  gsize length;

  g_return_val_if_fail (path != NULL, NULL);

  /* Not mapped: what is verified has to be what is taken, whatever happens to the file. */
  if (!assay_file_read (path, ASSAY_FILE_READ_DATA, &contents, &length, error))
    return NULL;

  bytes = g_bytes_new_take (contents, length);
  self = assay_program_load_bytes (bytes, error);
  if (self == NULL)
    g_prefix_error (error, "%s: ", path);

  return self;
}

/**
 * assay_program_load_bytes:
 * @bytes: what a program file holds
 * @error: return location for a #GError
 *
 * Loads a program from memory, and verifies all of it.
 *
 * Returns: (transfer full): the program, or %NULL with %ASSAY_ERROR_LOAD
 */
AssayProgram *
assay_program_load_bytes (GBytes *bytes, GError **error)
{
  g_return_val_if_fail (bytes != NULL, NULL);

  return assay_build_load (bytes, error);
}
