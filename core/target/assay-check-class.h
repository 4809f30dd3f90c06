/* assay-check-class.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "target/assay-predicate.h"
#include "target/assay-verdict.h"
#include "text/assay-json-reader.h"

G_BEGIN_DECLS

typedef struct _AssayCheck AssayCheck;

/**
 * AssayCheckClass:
 * @family: what target files call it
 * @untaken: the verdict of a node that no rule takes, unless the file says another one
 * @settles_defaults: whether an input with a default counts as a constant, because what is written
 * into a program cannot be changed when it runs
 * @divides: whether nodes can run on a host beside the device, which makes partitions
 * @numbers: the type that floating point numbers have on the device
 * @fixed: the type of numbers with a position, %ASSAY_DTYPE_UNDEFINED if it has none
 * @narrow_option: (nullable): an option of the targets with which numbers, and sums of them, are
 * f16
 * @predicates: (nullable): what its rules can say beyond what all rules can, ended by a row without
 * name
 * @check_config: (nullable): tells the reader what is wrong with the member `config`; without it,
 * numbers have to stay numbers
 * @analyse: (nullable): finds what the predicates need to know of the whole graph
 * @settle: (nullable): has the last word when all nodes have their verdicts: what follows from
 * neighbours, notes
 * @judge_port: (nullable): what is wrong with an input that no node reads or an output that no node
 * makes, in words, or %NULL with nothing wrong; about all others their nodes have their say
 *
 * How the targets of one family are checked beyond what the rules of their files say.
 */
typedef struct
{
  const char *family;
  AssayVerdictKind untaken;
  gboolean settles_defaults;
  gboolean divides;
  AssayDType numbers;
  AssayDType fixed;
  const char *narrow_option;
  const AssayPredicate *predicates;
  void (*check_config) (JsonObject *config, AssayJsonReader *reader);
  gboolean (*analyse) (AssayCheck *check, GError **error);
  void (*settle) (AssayCheck *check);
  char *(*judge_port) (const AssayGraph *graph, const AssayUses *uses, AssayValueId id,
                       gboolean is_output, gboolean streams, AssayVerdictKind *verdict);
} AssayCheckClass;

/* The families there are, ended by NULL. A target file is read with the hooks of its family, so
 * that they are needed here, while they are part of the backends that come later. The one table of
 * backends fills this: core/backend/assay-backend-table.c. */
extern const AssayCheckClass *const assay_check_classes[];

G_END_DECLS
