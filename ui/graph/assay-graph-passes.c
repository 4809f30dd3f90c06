/* assay-graph-passes.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The level of the passes: the program behind one of them, and the panel that tells about it.
 */
#include "ui/graph/assay-graph-page-private.h"

#include "draw/assay-mark.h"

static gboolean
is_wanted (AssayGraphPage *self)
{
  return self->wanted_level == ASSAY_GRAPH_PASSES && self->session != NULL &&
         assay_session_get_verdicts (self->session) != NULL &&
         assay_pass_activity_can_start (assay_session_get_passes (self->session));
}

/* The step that is to be shown, as far as it goes; NULL while nothing is known. */
const AssayTorchStep *
assay_graph_page_get_step (AssayGraphPage *self)
{
  const AssayTorchSteps *steps = assay_pass_activity_get_steps (
      assay_session_get_passes (self->session));

  return steps != NULL ? steps->steps->pdata[MIN (self->wanted_pass, steps->steps->len - 1)] : NULL;
}

/* What the pass did to the nodes of the program. */
void
assay_graph_page_add_fates (AssayGraphPage *self, GByteArray **marks)
{
  static const guint8 of_fate[] = {
    [ASSAY_TORCH_FATE_SAME] = 0,
    [ASSAY_TORCH_FATE_CHANGED] = ASSAY_MARK_CHANGED,
    [ASSAY_TORCH_FATE_NEW] = ASSAY_MARK_ADDED,
  };
  const AssayTorchStep *step;

  if (self->level == NULL || self->level->level != ASSAY_GRAPH_PASSES)
    return;

  step = assay_graph_page_get_step (self);
  if (step == NULL || step->fates->len != assay_graph_n_nodes (self->level->verdicts->graph))
    return;
  if (*marks == NULL)
    {
      *marks = g_byte_array_new ();
      g_byte_array_set_size (*marks, step->fates->len);
      memset ((*marks)->data, 0, (*marks)->len);
    }
  for (guint i = 1; i < step->fates->len; i++)
    (*marks)->data[i] |= of_fate[step->fates->data[i]];
}

void
assay_graph_page_update_panel (AssayGraphPage *self)
{
  AssayPassActivity *passes = assay_session_get_passes (self->session);
  const AssayTorchSteps *steps = assay_pass_activity_get_steps (passes);
  const GError *error = assay_activity_get_error (ASSAY_ACTIVITY (passes));

  gtk_widget_set_visible (GTK_WIDGET (self->pass_panel), is_wanted (self));
  if (!is_wanted (self))
    return;
  if (steps != NULL)
    assay_pass_panel_show (self->pass_panel, steps, MIN (self->wanted_pass, steps->steps->len - 1));
  else
    assay_pass_panel_say (self->pass_panel,
                          error != NULL ? error->message : "The program goes through its passes…");
}

/* The state of the passes, or whether they are wanted, is another one. */
void
assay_graph_page_update_passes (AssayGraphPage *self)
{
  AssayPassActivity *passes = assay_session_get_passes (self->session);
  gboolean known = assay_pass_activity_get_steps (passes) != NULL;

  /* Who stops it does not want it. */
  if (is_wanted (self) && assay_activity_get_state (ASSAY_ACTIVITY (passes)) == ASSAY_ACTIVITY_NONE)
    {
      assay_graph_page_show_level (self, ASSAY_GRAPH_NNIR);
      return;
    }
  assay_graph_page_update_panel (self);
  if (is_wanted (self) && known &&
      (self->level == NULL || self->level->level != ASSAY_GRAPH_PASSES))
    assay_graph_page_update_level (self);
}

static void
show_step (AssayGraphPage *self, guint index)
{
  const AssayTorchStep *step;
  gboolean is_shown = self->level != NULL && self->level->level == ASSAY_GRAPH_PASSES;

  if (is_shown && self->wanted_pass == index)
    return;

  self->wanted_pass = index;
  step = assay_graph_page_get_step (self);
  if (is_shown && step != NULL)
    assay_graph_page_update_level (self);
  else
    assay_graph_page_show_level (self, ASSAY_GRAPH_PASSES);
}

/* By the name of a pass; the empty one is the program as it was read. */
void
assay_graph_page_pass_action (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  AssayGraphPage *self = user_data;
  const char *name = g_variant_get_string (parameter, NULL);
  const AssayTorchPass *pass;

  if (!assay_pass_activity_can_start (assay_session_get_passes (self->session)))
    return;
  if (*name == '\0')
    show_step (self, 0);
  for (guint i = 0; (pass = assay_torch_pass_get (i)) != NULL; i++)
    if (g_str_equal (pass->name, name))
      show_step (self, i + 1);
}

void
assay_graph_page_step_pass (AssayGraphPage *self, int direction)
{
  const AssayTorchSteps *steps = assay_pass_activity_get_steps (
      assay_session_get_passes (self->session));
  guint n = steps != NULL ? steps->steps->len : 1;
  guint index = MIN (self->wanted_pass, n - 1);

  if (!assay_pass_activity_can_start (assay_session_get_passes (self->session)))
    return;
  if (self->wanted_level != ASSAY_GRAPH_PASSES)
    assay_graph_page_show_level (self, ASSAY_GRAPH_PASSES);
  else if (direction < 0 ? index > 0 : index + 1 < n)
    show_step (self, direction < 0 ? index - 1 : index + 1);
}

static void
step_wanted_cb (AssayGraphPage *self, guint index)
{
  show_step (self, index);
}

static void
node_wanted_cb (AssayGraphPage *self, const char *name)
{
  const AssayGraph *graph = self->level != NULL ? self->level->verdicts->graph : NULL;

  for (AssayNodeId i = 1; graph != NULL && i < assay_graph_n_nodes (graph); i++)
    if (g_str_equal (assay_graph_node (graph, i)->name, name))
      {
        assay_canvas_set_selection (self->canvas, i);
        assay_canvas_reveal (self->canvas, i);
        return;
      }
}

void
assay_graph_page_init_passes (AssayGraphPage *self)
{
  g_signal_connect_object (self->pass_panel, "step-wanted", G_CALLBACK (step_wanted_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->pass_panel, "node-wanted", G_CALLBACK (node_wanted_cb), self,
                           G_CONNECT_SWAPPED);
}
