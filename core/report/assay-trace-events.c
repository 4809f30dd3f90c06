/* assay-trace-events.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Documents in the JSON form of trace events ("Trace Event Format", the Chromium project), which
 * Perfetto reads.
 */
#include "report/assay-trace-events.h"

/**
 * assay_trace_begin:
 * @json: a writer, not yet begun
 *
 * Begins a document; what is written next are its members of `otherData`.
 */
void
assay_trace_begin (AssayJsonWriter *json)
{
  assay_json_writer_init (json, 2);
  assay_json_writer_begin_object (json);
  assay_json_writer_member (json, "displayTimeUnit", "ns");
  assay_json_writer_begin_member_object (json, "otherData");
}

/**
 * assay_trace_begin_events:
 * @json: the writer
 *
 * Ends what is said of the whole, and begins the events.
 */
void
assay_trace_begin_events (AssayJsonWriter *json)
{
  assay_json_writer_end_object (json);
  assay_json_writer_begin_member_array (json, "traceEvents");
}

/**
 * assay_trace_begin_event:
 * @json: the writer
 * @phase: of which kind the event is
 * @name: its name
 * @process: its process
 * @thread: its thread
 *
 * Begins an event; who calls this ends the object.
 */
void
assay_trace_begin_event (AssayJsonWriter *json, const char *phase, const char *name, guint process,
                         guint thread)
{
  assay_json_writer_begin_object (json);
  assay_json_writer_member (json, "ph", phase);
  assay_json_writer_member (json, "name", name);
  assay_json_writer_member_int (json, "pid", process);
  assay_json_writer_member_int (json, "tid", thread);
}

/**
 * assay_trace_write_name:
 * @json: the writer
 * @what: `process_name` or `thread_name`
 * @process: the process
 * @thread: the thread
 * @name: what it is called
 *
 * Names a process or a thread.
 */
void
assay_trace_write_name (AssayJsonWriter *json, const char *what, guint process, guint thread,
                        const char *name)
{
  assay_trace_begin_event (json, "M", what, process, thread);
  assay_json_writer_begin_member_object (json, "args");
  assay_json_writer_member (json, "name", name);
  assay_json_writer_end_object (json);
  assay_json_writer_end_object (json);
}

/**
 * assay_trace_end:
 * @json: the writer, behind the last event
 * @length: (out): bytes of the result
 *
 * Ends a document.
 *
 * Returns: (transfer full): the document
 */
char *
assay_trace_end (AssayJsonWriter *json, gsize *length)
{
  assay_json_writer_end_array (json);

  return assay_json_writer_end_document (json, length);
}
