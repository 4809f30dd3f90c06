/* assay-target-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "target/assay-check-class.h"
#include "target/assay-target.h"

G_BEGIN_DECLS

/* One bit per AssayDType. */
typedef guint32 AssayDTypeSet;

/* Most nodes of a fusion pattern. */
#define ASSAY_MAX_FUSION 12

G_STATIC_ASSERT (ASSAY_N_DTYPES <= 32);

typedef struct
{
  gboolean present;
  guint32 n;
  union
  {
    gint64 i;
    double f;
    gboolean b;
    const char *s;
    const gint64 *ints;
    const char *const *strings;
    AssayDTypeSet dtypes;
    AssayCall *const *calls;
  } u;
} AssayArg;

/* One application of a predicate: a row of `when`. */
struct _AssayCall
{
  const AssayPredicate *predicate;
  AssayArg args[ASSAY_MAX_ARGS];
  const char *reason; /* overrides the sentence of the predicate */
  const char *id;     /* overrides the id of the rule */
  AssayStage stage;
  gboolean has_stage;
};

typedef struct
{
  guint n;
  AssayCall **calls;
} AssayCalls;

/* Layouts that a delegate can keep a tensor in; the texture ones are limited in size and rank. */
typedef enum
{
  ASSAY_STORAGE_BUFFER = 1 << 0,        /* contiguous */
  ASSAY_STORAGE_BUFFER_PACKED = 1 << 1, /* any other packing */
  ASSAY_STORAGE_TEXTURE_W = 1 << 2,
  ASSAY_STORAGE_TEXTURE_H = 1 << 3,
  ASSAY_STORAGE_TEXTURE_C = 1 << 4,
  ASSAY_STORAGE_PACKED_INT8 = 1 << 5,
} AssayStorageSet;

#define ASSAY_STORAGE_TEXTURES                                                                     \
  (ASSAY_STORAGE_TEXTURE_W | ASSAY_STORAGE_TEXTURE_H | ASSAY_STORAGE_TEXTURE_C)

/* What the registry of a delegate says about an operation; a list repeats its last entry. */
typedef struct
{
  guint n_dtypes;
  guint n_out_dtypes;
  guint n_storage;
  guint n_out_storage;
  const AssayDTypeSet *dtypes;
  const AssayDTypeSet *out_dtypes;
  const guint32 *storage;
  const guint32 *out_storage;
  gboolean resize;
  gboolean highdim;
  const char *key; /* name in the registry */
} AssayFeatures;

typedef struct
{
  AssayStage stage;
  AssayCalls when;
  const char *text;
} AssayNote;

typedef struct _AssayRule
{
  const char *id;
  guint n_ops;
  const AssayOp *ops;
  guint n_keys;
  const char *const *keys; /* operators outside the table, as `domain:name` */
  gboolean any_op;
  AssayCalls applies;
  AssayCalls when;
  AssayVerdictKind verdict;
  AssayVerdictKind otherwise;
  gboolean next; /* `otherwise` goes on to the next rule */
  AssayStage stage;
  const char *reason;
  const char *engine;
  const char *mapping;
  const char *source;
  const char *reachable;
  AssayFeatures features;
  guint n_notes;
  const AssayNote *notes;
} AssayRule;

typedef struct
{
  const char *name;
  guint n_ops;
  const AssayOp *ops;
  guint n_inputs;
  const int *inputs; /* per input: a node of the pattern, or one of the next */
  gboolean single;   /* nothing outside the pattern reads it */
  AssayCalls when;
} AssayFusionNode;

enum
{
  ASSAY_FUSION_ANY = -1,
  ASSAY_FUSION_CONSTANT = -2,
};

typedef struct
{
  const char *id;
  guint n_nodes;
  const AssayFusionNode *nodes; /* every one read by an earlier one; [0] is matched first */
  guint into;
  gboolean accept; /* membership alone makes the node supported */
  gboolean follow; /* what is not taken takes the others along */
  AssayStage stage;
  const char *engine;
  const char *mapping;
  const char *reason;
  const char *source;
  guint n_notes;
  const AssayNote *notes;
  AssayRule *conditions; /* what the pattern as a whole has to meet, or NULL */
} AssayFusion;

typedef enum
{
  ASSAY_STEP_CHECK,
  ASSAY_STEP_FUSIONS,
  ASSAY_STEP_RULE,
  ASSAY_STEP_CONDITIONS,
} AssayStepKind;

/* One step of the order in which a node is decided. */
typedef struct
{
  AssayStepKind kind;
  AssayRule *check;
} AssayStep;

typedef enum
{
  ASSAY_OPTION_BOOL,
  ASSAY_OPTION_INT,
  ASSAY_OPTION_STRING,
} AssayOptionKind;

typedef struct
{
  const char *name;
  AssayOptionKind kind;
  const char *doc;
  gboolean b;
  gint64 i;
  const char *s;
  guint n_choices;
  const char *const *choices;
} AssayOption;

struct _AssayTarget
{
  gatomicrefcount ref_count;
  AssayArena *arena;
  JsonNode *json; /* holds an object */
  JsonObject *config;
  const char *id;
  const char *title;
  const char *summary;
  const char *version;
  const char *source;
  const AssayCheckClass *check_class; /* of its family */
  gboolean is_abstract;
  GPtrArray *estimated;  /* const char * */
  GPtrArray *composites; /* const char *, %NULL terminated */
  GArray *options;       /* AssayOption */
  GPtrArray *rules;      /* AssayRule */
  GPtrArray *fusions;    /* AssayFusion */
  GArray *steps;         /* AssayStep */
  GHashTable *sets;      /* const char * -> GUINT_TO_POINTER (AssayDTypeSet) */
  AssayRule *fallback;
  GArray *notes; /* AssayNote, on everything that is taken */
  /* Indices: which rules and fusions to try for an operation, in file order. */
  GPtrArray **op_rules;   /* [ASSAY_N_OPS] */
  GPtrArray **op_fusions; /* [ASSAY_N_OPS] */
  GHashTable *key_rules;  /* `domain:name` -> GPtrArray of AssayRule */
};

typedef struct
{
  gboolean b;
  gint64 i;
  const char *s;
} AssayOptionValue;

gboolean assay_target_read (AssayTarget *self, GBytes *bytes, const char *name,
                            AssayFindings *findings, GError **error);
GBytes *assay_target_file (const char *id);

G_END_DECLS
