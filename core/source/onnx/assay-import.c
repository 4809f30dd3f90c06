/* assay-import.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/assay-import-private.h"

#include <string.h>

#include "base/assay-error.h"
#include "source/assay-bind-shapes.h"
#include "nnir/assay-constraint.h"
#include "source/onnx/assay-onnx-form.h"
#include "source/onnx/assay-upgrade.h"

/* The newest versions of the specification that the op table (ONNX 1.22). */
#define NEWEST_IR 13

static const struct
{
  const char *domain;
  gint64 newest;
} known_domains[] = {
  { "", 27 },
  { "ai.onnx.ml", 5 },
  { "ai.onnx.preview", 1 },
  { "ai.onnx.preview.training", 1 },
};

/**
 * assay_import_check_opset:
 * @self: an importer
 * @opset: an opset that the model or a function of it imports
 *
 * Tells about a version that the op table does not follow.
 */
void
assay_import_check_opset (Importer *self, const AssayOpset *opset)
{
  for (guint i = 0; i < G_N_ELEMENTS (known_domains); i++)
    {
      if (strcmp (known_domains[i].domain, opset->domain) != 0)
        continue;
      if (opset->version < 1 || opset->version > known_domains[i].newest)
        assay_findings_add (
            self->findings, ASSAY_SEVERITY_WARNING, "import.opset", "graph", NULL, NULL, -1,
            "version %" G_GINT64_FORMAT " of domain \"%s\", known are 1 to %" G_GINT64_FORMAT
            "; operators are read as those of the nearest version",
            opset->version, opset->domain, known_domains[i].newest);
    }
}

static void
import_opsets (Importer *self, const Assay__Onnx__ModelProto *model)
{
  GArray *opsets = self->graph->opsets;
  gboolean has_default = FALSE;

  for (gsize i = 0; i < model->n_opset_import; i++)
    {
      const char *domain = assay_import_text (self, model->opset_import[i]->domain);
      AssayOpset opset = { strcmp (domain, "ai.onnx") == 0 ? self->empty : domain,
                           model->opset_import[i]->version };

      has_default = has_default || opset.domain == self->empty;
      g_array_append_val (opsets, opset);
      assay_import_check_opset (self, &opset);
    }

  /* A model without any is older than opsets (IR version 2). */
  if (!has_default && model->n_opset_import == 0)
    {
      AssayOpset opset = { self->empty, 1 };

      g_array_append_val (opsets, opset);
    }
}

static void
import_head (Importer *self, const Assay__Onnx__ModelProto *model)
{
  AssayGraph *graph = self->graph;

  graph->ir_version = model->ir_version;
  graph->producer_name = assay_import_text (self, model->producer_name);
  graph->producer_version = assay_import_text (self, model->producer_version);
  graph->doc = assay_import_text (self, model->doc_string);
  import_opsets (self, model);

  if (model->ir_version > NEWEST_IR)
    assay_findings_add (
        self->findings, ASSAY_SEVERITY_WARNING, "import.ir-version", "graph", NULL, NULL, -1,
        "IR version %" G_GINT64_FORMAT ", known are 1 to %d; fields that are new are ignored",
        model->ir_version, NEWEST_IR);
  if (model->n_training_info > 0)
    assay_findings_add (self->findings, ASSAY_SEVERITY_NOTE, "import.training-info", "graph", NULL,
                        NULL, -1, "the graphs for training are left out");
}

static gboolean
import_model (Importer *self, const Assay__Onnx__ModelProto *model, GError **error)
{
  AssayGraph *graph = self->graph;

  import_head (self, model);
  if (model->graph == NULL)
    {
      assay_findings_add (self->findings, ASSAY_SEVERITY_ERROR, "import.no-graph", "graph", NULL,
                          NULL, -1, "the model has no graph");
      return TRUE;
    }

  graph->name = assay_import_text (self, model->graph->name);
  assay_graph_edit_region (graph, ASSAY_MAIN_REGION)->name = graph->name;
  assay_import_functions (self, model);
  self->n_expected = MAX (model->graph->n_node, 1);
  if (!assay_import_graph (self, model->graph, NULL, ASSAY_MAIN_REGION,
                           assay_arena_intern (graph->arena, "graph")))
    return FALSE;

  assay_import_sort (self);
  assay_import_report_unused (self);
  if (!assay_graph_bind_shapes (
          self->graph, assay_settings_get_list (self->options->settings, ASSAY_SETTING_SHAPES),
          assay_settings_get_list (self->options->settings, ASSAY_SETTING_BIND), error))
    return FALSE;

  return assay_onnx_upgrade (graph, self->versions, self->findings, error);
}

static AssayGraph *
read_model (GBytes *bytes, const char *folder, const AssayImportOptions *options,
            AssayFindings *findings, const AssayProgress *progress, GError **error)
{
  g_autoptr (AssayOnnxFile) file = NULL;
  g_autoptr (AssayGraph) graph = NULL;
  g_auto (AssayPointerMap) node_names = { NULL };
  g_auto (AssayPointerMap) tensors = { NULL };
  g_auto (AssayPointerMap) scopes = { NULL };
  g_autoptr (GPtrArray) paths = g_ptr_array_new ();
  g_autoptr (GError) local = NULL;
  const Assay__Onnx__ModelProto *model;
  gboolean whole;
  Importer self = { .findings = findings,
                    .progress = progress,
                    .options = options,
                    .node_names = &node_names,
                    .tensors = &tensors,
                    .scopes = &scopes,
                    .paths = paths,
                    .error = &local };

  if (g_bytes_get_size (bytes) == 0)
    {
      g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT, "not an ONNX file: it is empty");
      return NULL;
    }

  file = assay_onnx_file_new (bytes, folder, &assay__onnx__model_proto__descriptor, error);
  if (file == NULL || !assay_progress_check (progress, error))
    return NULL;

  /* Text and other formats can pass for a message whose fields are all unknown. */
  model = (const Assay__Onnx__ModelProto *) assay_onnx_file_get_message (file);
  if (model->graph == NULL && !model->has_ir_version && model->n_opset_import == 0)
    {
      g_set_error_literal (
          error, ASSAY_ERROR, ASSAY_ERROR_IMPORT,
          "not an ONNX file: byte 0 begins a message without graph, IR version and opsets");
      return NULL;
    }

  graph = assay_graph_new ();
  self.file = file;
  self.graph = graph;
  self.empty = assay_arena_intern (graph->arena, "");

  whole = import_model (&self, model, &local);
  g_clear_pointer (&self.functions, g_hash_table_unref);
  g_clear_pointer (&self.versions, g_hash_table_unref);
  g_clear_pointer (&self.opsets, g_hash_table_unref);
  if (!whole)
    {
      g_propagate_error (error, g_steal_pointer (&local));
      return NULL;
    }

  return g_steal_pointer (&graph);
}

/* The version of the IR is the first field of every file that is written by protobuf; nothing else
 * begins like this. */
static gboolean
sniff_model (const guint8 *data, gsize size)
{
  return size > 2 && data[0] == 0x08 && data[1] > 0 && data[1] < 64 && (data[2] & 7) == 2;
}

/* Elements of a type that the opset of the file does not have there. */
static void
check_types (AssayGraph *graph, AssayFindings *findings)
{
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      const AssayNode *node = assay_graph_node (graph, id);
      g_autofree char *text = node->violation == NULL ? assay_onnx_form_check_types (graph, id)
                                                      : NULL;

      if (text == NULL)
        continue;
      if (findings != NULL)
        assay_findings_add (findings, ASSAY_SEVERITY_ERROR, "import.type", "graph", node->name,
                            NULL, -1, "%s: %s", node->op_type, text);
      assay_graph_set_violation (graph, id, assay_arena_intern (graph->arena, text));
    }
}

const AssayImporter assay_importer_onnx = {
  .id = "onnx",
  .title = "ONNX",
  .models = "ONNX Models",
  .mime_type = "application/x-onnx",
  .suffixes = { ".onnx" },
  .exchange = TRUE,
  .binds = TRUE, /* what becomes of old operators depends on ranks and sizes */
  .sniff = sniff_model,
  .read = read_model,
  .check = check_types,
};
