/* assay-streamed.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/analysis/assay-streaming.h"

G_BEGIN_DECLS

AssayGraph *assay_graph_streamed (AssayGraph *self,
                                  const AssayStreaming *streaming) G_GNUC_WARN_UNUSED_RESULT;
guint32 *assay_streaming_list_states (const AssayStreaming *self,
                                      const AssayGraph *graph) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
