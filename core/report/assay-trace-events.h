/* assay-trace-events.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "text/assay-json-writer.h"

G_BEGIN_DECLS

void assay_trace_begin (AssayJsonWriter *json);
void assay_trace_begin_events (AssayJsonWriter *json);
void assay_trace_begin_event (AssayJsonWriter *json, const char *phase, const char *name,
                              guint process, guint thread);
void assay_trace_write_name (AssayJsonWriter *json, const char *what, guint process, guint thread,
                             const char *name);
char *assay_trace_end (AssayJsonWriter *json, gsize *length) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
