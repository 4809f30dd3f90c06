/* assay-trace-report.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * A timeline as trace events. A cycle is a microsecond there.
 */
#include "report/assay-trace-report.h"

#include "report/assay-build-report.h"
#include "report/assay-trace-events.h"

typedef struct
{
  AssayProgram *program;
  GArray *events;
  gboolean *critical;
  gint32 *event_of; /* per instruction */
  AssayJsonWriter json;
} Trace;

/* Input and output belong to the whole accelerator. */
static guint
process_of (const Trace *self, const AssayEvent *event)
{
  return assay_program_get_unit (self->program, event->unit)->shared
             ? assay_program_get_facts (self->program)->config->num_cores + 1
             : event->core + 1u;
}

static void
write_tracks (Trace *self)
{
  for (guint process = 1; process <= assay_program_get_facts (self->program)->config->num_cores + 1;
       process++)
    {
      gboolean ports = process == assay_program_get_facts (self->program)->config->num_cores + 1;
      g_autofree char *name = ports ? g_strdup ("Input and output")
                              : assay_program_has_cores (self->program)
                                  ? g_strdup_printf ("Core %u", process - 1)
                                  : g_strdup ("Units");

      assay_trace_write_name (&self->json, "process_name", process, 0, name);
      for (guint i = 0; i < assay_program_get_facts (self->program)->n_units; i++)
        {
          const AssayProgramUnit *unit = assay_program_get_unit (self->program, i);

          if (ports == unit->shared)
            assay_trace_write_name (&self->json, "thread_name", process, i, unit->name);
        }
    }
}

static void
write_instruction (Trace *self, guint index)
{
  const AssayEvent *event = &g_array_index (self->events, AssayEvent, index);
  const AssayProgramRow instruction = assay_program_get_row (self->program, event->instruction);
  g_autoptr (GString) text = g_string_new (NULL);

  assay_program_append_row (self->program, event->instruction, text);
  assay_trace_begin_event (&self->json, "X", instruction.name, process_of (self, event),
                           event->unit);
  assay_json_writer_member (&self->json, "cat", self->critical[index] ? "critical" : "instruction");
  assay_json_writer_member_int (&self->json, "ts", event->start);
  assay_json_writer_member_int (&self->json, "dur", event->end - event->start);
  if (self->critical[index])
    assay_json_writer_member (&self->json, "cname", "terrible");
  assay_json_writer_key (&self->json, "args");
  assay_json_writer_begin_object (&self->json);
  assay_json_writer_member (&self->json, "node",
                            assay_program_get_node_name (self->program, instruction.node));
  assay_json_writer_member_int (&self->json, "step", instruction.step);
  assay_json_writer_member_int (&self->json, "instruction", event->instruction);
  assay_json_writer_member (&self->json, "operation", text->str);
  assay_json_writer_member_int (&self->json, "ready", event->ready);
  assay_json_writer_key (&self->json, "waited_for");
  if (event->waited_for < 0)
    assay_json_writer_null (&self->json);
  else
    assay_json_writer_int (&self->json, event->waited_for);
  assay_json_writer_key (&self->json, "critical");
  assay_json_writer_bool (&self->json, self->critical[index]);
  assay_json_writer_end_object (&self->json);
  assay_json_writer_end_object (&self->json);
}

static void
write_flow_end (Trace *self, const char *phase, const AssayEvent *event, guint32 when, guint id,
                gboolean critical)
{
  assay_trace_begin_event (&self->json, phase, "wait", process_of (self, event), event->unit);
  assay_json_writer_member (&self->json, "cat", critical ? "critical" : "wait");
  assay_json_writer_member_int (&self->json, "id", id);
  assay_json_writer_member_int (&self->json, "ts", when);
  if (phase[0] == 'f')
    assay_json_writer_member (&self->json, "bp", "e");
  assay_json_writer_end_object (&self->json);
}

/* A flow ends where its result arrives in the event that waits, which may be at work on what came
 * earlier, and begins before, inside the event that was waited for, else viewers attach it to the
 * next one. */
static void
write_wait (Trace *self, guint index)
{
  const AssayEvent *event = &g_array_index (self->events, AssayEvent, index);
  const AssayEvent *source;
  gboolean critical;
  guint32 sent, arrived;
  gint32 from;

  if (event->waited_for < 0)
    return;
  from = self->event_of[event->waited_for];
  source = &g_array_index (self->events, AssayEvent, from);
  critical = self->critical[index] && self->critical[from];
  arrived = CLAMP (source->ready, event->start, MAX (event->end, event->start + 1) - 1);
  sent = CLAMP (arrived, source->start, MAX (source->end, source->start + 1) - 1);

  write_flow_end (self, "s", source, sent, index + 1, critical);
  write_flow_end (self, "f", event, arrived, index + 1, critical);
}

/**
 * assay_trace_report_to_json:
 * @program: a program that has been verified
 * @model: which of its models
 * @length: (out): bytes of the result
 * @progress: (nullable): cancel
 *
 * Writes the timeline of one inference: cores as processes, units as threads, instructions as
 * complete events, waits as flows. Who cancels gets a part of it.
 *
 * Returns: (transfer full): the document
 */
char *
assay_trace_report_to_json (AssayProgram *program, guint model, gsize *length,
                            const AssayProgress *progress)
{
  g_autoptr (GArray) events = g_array_new (FALSE, FALSE, sizeof (AssayEvent));
  g_autoptr (GArray) path = NULL;
  Trace self = { .program = program, .events = events };
  AssayCycles cycles;
  char *text;

  assay_program_count_cycles (program, model, NULL, &cycles, events);
  path = assay_program_link_events (program, events);
  self.critical = g_new0 (gboolean, events->len + 1);
  self.event_of = g_new0 (gint32, assay_program_get_facts (program)->n_rows + 1);
  for (guint i = 0; i < path->len; i++)
    self.critical[g_array_index (path, guint32, i)] = TRUE;
  for (guint i = 0; i < events->len; i++)
    self.event_of[g_array_index (events, AssayEvent, i).instruction] = (gint32) i;

  assay_trace_begin (&self.json);
  assay_json_writer_member (&self.json, "schema", "assay.trace/1");
  assay_json_writer_member (&self.json, "model", assay_program_model_name (program, model));
  assay_json_writer_member (&self.json, "target", assay_program_get_facts (program)->target_id);
  assay_json_writer_member_int (&self.json, "clock_mhz", assay_program_get_clock_mhz (program));
  assay_json_writer_member_int (&self.json, "spaced", cycles.spaced);
  assay_json_writer_member_int (&self.json, "contiguous", cycles.contiguous);
  assay_build_report_write_range (&self.json, "spaced_range", program, cycles.spaced);
  assay_build_report_write_range (&self.json, "contiguous_range", program, cycles.contiguous);
  assay_trace_begin_events (&self.json);
  write_tracks (&self);
  for (guint i = 0; i < events->len && !assay_progress_is_cancelled (progress); i++)
    write_instruction (&self, i);
  for (guint i = 0; i < events->len && !assay_progress_is_cancelled (progress); i++)
    write_wait (&self, i);
  text = assay_trace_end (&self.json, length);

  g_free (self.critical);
  g_free (self.event_of);

  return text;
}
