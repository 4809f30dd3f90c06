/* import-fixture.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "import-fixture.h"

#include <string.h>

/* Opens a model, which is consumed and must be good enough to open. */
Imported
imported_new (GByteArray *model, const AssayImportOptions *options)
{
  g_autoptr (GBytes) bytes = g_byte_array_free_to_bytes (model);
  g_autoptr (GError) error = NULL;
  Imported self = { NULL, assay_findings_new () };

  self.graph = assay_model_read_bytes (bytes, NULL, options, self.findings, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (self.graph);

  return self;
}

void
imported_clear (Imported *self)
{
  g_clear_pointer (&self->graph, assay_graph_unref);
  g_clear_pointer (&self->findings, assay_findings_unref);
}

/* The first finding of a rule, or NULL. */
const AssayFinding *
imported_finding (const Imported *self, const char *rule)
{
  for (guint i = 0; i < assay_findings_get_count (self->findings); i++)
    {
      const AssayFinding *finding = assay_findings_get (self->findings, i);

      if (strcmp (finding->rule, rule) == 0)
        return finding;
    }

  return NULL;
}

const AssayNode *
imported_node (const Imported *self, const char *name)
{
  for (AssayNodeId i = 1; i < assay_graph_n_nodes (self->graph); i++)
    {
      if (strcmp (assay_graph_node (self->graph, i)->name, name) == 0)
        return assay_graph_node (self->graph, i);
    }

  g_error ("no node is called \"%s\"", name);
}

const AssayValue *
imported_value (const Imported *self, const char *name)
{
  for (AssayValueId i = 1; i < assay_graph_n_values (self->graph); i++)
    {
      if (strcmp (assay_graph_value (self->graph, i)->name, name) == 0)
        return assay_graph_value (self->graph, i);
    }

  g_error ("no value is called \"%s\"", name);
}

char *
imported_type (const Imported *self, const char *name)
{
  return assay_type_to_string (imported_value (self, name)->type);
}
