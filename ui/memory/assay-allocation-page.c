/* assay-allocation-page.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/memory/assay-allocation-page.h"

#include <adwaita.h>

#include "base/assay-sentence.h"
#include "draw/assay-memory-failure.h"
#include "draw/assay-memory-scene.h"
#include "draw/assay-store-needs.h"
#include "ui/canvas/assay-picture.h"
#include "ui/memory/assay-fit-handles.h"
#include "ui/window/assay-ui.h"
#include "ui/window/assay-ui-markup.h"
#include "ui/window/assay-template.h"

/* Further tensors are in the picture, and in the report of the command line. */
#define MAX_LIVE_ROWS 50

struct _AssayAllocationPage
{
  GtkWidget parent_instance;

  AssaySession *session;

  GtkWidget *root;
  GtkLabel *title;
  GtkLabel *sentence;
  AssayPicture *needs;
  AssayFitHandles *handles;
  AssayPicture *picture;
  GtkListBox *ways;
  GtkListBox *live;
  GtkWidget *live_box;
  GtkWidget *searching;
  GtkWidget *no_ways;
};

G_DEFINE_FINAL_TYPE (AssayAllocationPage, assay_allocation_page, GTK_TYPE_WIDGET)

static const AssayAllocation *
get_allocation (AssayAllocationPage *self)
{
  return self->session != NULL
             ? assay_compilation_get_allocation (assay_session_get_compilation (self->session))
             : NULL;
}

static void
draw (AssayDisplayList *list, double width, double height, gpointer data)
{
  const AssayAllocation *allocation = get_allocation (data);

  if (allocation != NULL)
    assay_memory_failure_draw (allocation, width, height, list);
}

static void
draw_needs (AssayDisplayList *list, double width, double height, gpointer data)
{
  const AssayAllocation *allocation = get_allocation (data);

  if (allocation != NULL)
    assay_store_needs_draw (allocation, width, list);
}

static char *
describe_need (double x, double y, double width, double height, gpointer data)
{
  const AssayAllocation *allocation = get_allocation (data);

  return allocation != NULL ? assay_store_needs_find (allocation, width, x, y) : NULL;
}

static char *
describe_life (guint32 born, guint32 died, const char *reader)
{
  g_autofree char *first = NULL;
  g_autofree char *last = NULL;

  if (died == G_MAXUINT32)
    return g_strdup ("stays for good");

  first = assay_ui_format_count (born);
  last = assay_ui_format_count (died);
  return g_strdup_printf ("steps %s to %s, last read by %s", first, last, reader);
}

static char *
describe (double x, double y, double width, double height, gpointer data)
{
  const AssayAllocation *allocation = get_allocation (data);
  const AssayLiveTensor *tensor = NULL;
  g_autofree char *life = NULL;
  g_autofree char *blocks = NULL;
  g_autofree char *base = NULL;
  gboolean is_made;

  if (allocation != NULL)
    tensor = assay_memory_failure_find (allocation, width, height, x, y);
  if (tensor == NULL)
    return NULL;

  is_made = *tensor->node != '\0';
  life = describe_life (tensor->born, tensor->died, tensor->reader);
  blocks = assay_ui_format_count (tensor->blocks);
  base = assay_ui_format_count (tensor->base);
  return g_strdup_printf ("%s\n%s block%s at address %s (0x%x)\n%s%s%s%s", tensor->name, blocks,
                          assay_plural (tensor->blocks), base, tensor->base,
                          is_made ? "made by " : "", is_made ? tensor->node : "",
                          is_made ? ", " : "", life);
}

/* Too full, or in pieces that are each too small: that decides what helps. */
static char *
describe_room (const AssayAllocation *allocation)
{
  g_autoptr (GArray) holes = assay_memory_failure_list_holes (allocation);
  g_autofree char *needed = assay_ui_format_count (allocation->needed);
  g_autofree char *free_blocks = assay_ui_format_count (allocation->available);
  g_autofree char *largest = assay_ui_format_count (allocation->largest_hole);
  g_autofree char *step = assay_ui_format_count (allocation->step);
  const char *blocks = assay_allocation_get_unit (allocation, allocation->needed);
  g_autofree char *maker = NULL;

  if (allocation->tensor == NULL && allocation->node != NULL)
    return g_strdup_printf ("One of %s on core %u reads %s %s at once, %s are possible.",
                            allocation->node, allocation->core, needed, blocks, largest);
  if (allocation->tensor == NULL)
    return g_strdup_printf ("The %s on core %u %s %s %s, it has %s.",
                            g_str_equal (allocation->store, "weight store") ? "weights" : "program",
                            allocation->core,
                            g_str_equal (allocation->store, "weight store") ? "need" : "needs",
                            needed, blocks, largest);

  /* What comes from outside of the program was made by nobody in it. */
  maker = allocation->node != NULL && *allocation->node != '\0'
              ? g_strdup_printf (", made by %s at step %s,", allocation->node, step)
              : g_strdup_printf (" at step %s", step);
  if (allocation->available < allocation->needed)
    return g_strdup_printf ("%s%s needs %s %s, free %s: too full, not fragmented.",
                            allocation->tensor, maker, needed, blocks, free_blocks);

  return g_strdup_printf ("%s%s needs %s %s, largest hole %s, free %s in %u piece%s.",
                          allocation->tensor, maker, needed, blocks, largest, free_blocks,
                          holes->len, holes->len == 1 ? "" : "s");
}

static void
clear_list (GtkListBox *list)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (list))) != NULL)
    gtk_list_box_remove (list, child);
}

static GtkWidget *
add_row (GtkListBox *list, const char *title, const char *subtitle)
{
  GtkWidget *row = adw_action_row_new ();
  g_autofree char *name = g_strdup_printf ("%s, %s", title, subtitle);

  assay_ui_name_row (row, title, subtitle);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), FALSE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  gtk_list_box_append (list, row);
  return row;
}

static void
fill_ways (AssayAllocationPage *self, const AssayAllocation *allocation)
{
  gboolean searching = assay_activity_get_state (ASSAY_ACTIVITY (assay_session_get_ways_search (
                           self->session))) == ASSAY_ACTIVITY_RUNNING;

  clear_list (self->ways);
  gtk_widget_set_visible (self->searching, searching);
  gtk_widget_set_visible (self->no_ways, allocation->ways_out->len == 0 && !searching);
  gtk_widget_set_visible (GTK_WIDGET (self->ways), allocation->ways_out->len > 0);

  for (guint i = 0; i < allocation->ways_out->len; i++)
    {
      const AssayWayOut *way = &g_array_index (allocation->ways_out, AssayWayOut, i);
      g_autofree char *action = assay_sentence_dup_shown (way->action);
      g_autofree char *title = assay_sentence_new (action);
      g_autofree char *freed = assay_allocation_describe_way (allocation, way);
      g_autofree char *subtitle = assay_sentence_dup_shown (freed);
      gboolean splits = way->kind == ASSAY_WAY_SPLIT;
      g_autofree char *label = g_strdup_printf (splits ? "Save: %s" : "Try: %s", action);
      GtkWidget *button = gtk_button_new_with_label (splits ? "Save Parts…" : "Try");
      GtkWidget *row = add_row (self->ways, title, subtitle);

      gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
      gtk_widget_set_tooltip_text (
          button, splits ? "Save the models as files, each of which was compiled and fits"
                         : "Compile a copy in which this is done; Undo comes back "
                           "here");
      gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                      -1);
      gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "memory.try-way");
      gtk_actionable_set_action_target (GTK_ACTIONABLE (button), "i", (gint32) i);
      adw_action_row_add_suffix (ADW_ACTION_ROW (row), button);
    }
}

static void
fill_live (AssayAllocationPage *self, const AssayAllocation *allocation)
{
  g_autoptr (GArray) groups = assay_allocation_group_live (allocation);

  clear_list (self->live);
  gtk_widget_set_visible (self->live_box, groups->len > 0);
  for (guint i = 0; i < MIN (groups->len, MAX_LIVE_ROWS); i++)
    {
      const AssayLiveGroup *group = &g_array_index (groups, AssayLiveGroup, i);
      g_autofree char *life = describe_life (group->born, group->died, group->last->reader);
      g_autofree char *number = assay_ui_format_count (group->n);
      g_autofree char *vectors = group->n > 1 ? g_strdup_printf ("%s vectors, %s", number, life)
                                              : g_strdup (life);
      g_autofree char *count = assay_ui_format_count (group->blocks);
      g_autofree char *blocks = g_strdup_printf (group->blocks == 1 ? "%s block" : "%s blocks",
                                                 count);
      GtkWidget *row = add_row (self->live, group->first->name, vectors);
      GtkWidget *label = gtk_label_new (blocks);

      gtk_widget_add_css_class (label, "numeric");
      adw_action_row_add_suffix (ADW_ACTION_ROW (row), label);
    }
}

/* Found one by one, while the rest of the page stays. */
static void
ways_changed_cb (AssayAllocationPage *self)
{
  const AssayAllocation *allocation = get_allocation (self);

  if (allocation != NULL)
    fill_ways (self, allocation);
}

static void
stop_cb (AssayAllocationPage *self)
{
  assay_activity_cancel (ASSAY_ACTIVITY (assay_session_get_ways_search (self->session)));
}

static void
update (AssayAllocationPage *self)
{
  const AssayAllocation *allocation = get_allocation (self);
  g_autofree char *title = NULL;
  g_autofree char *sentence = NULL;

  if (allocation == NULL)
    return;

  title = g_strdup_printf ("Does not fit into the %s of core %u", allocation->store,
                           allocation->core);
  sentence = describe_room (allocation);
  gtk_label_set_label (self->title, title);
  gtk_label_set_label (self->sentence, sentence);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->picture), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  sentence, -1);
  assay_fit_handles_update (self->handles, self->session);
  fill_ways (self, allocation);
  fill_live (self, allocation);
  assay_picture_redraw (self->picture);
  assay_picture_set_least_height (self->needs, assay_store_needs_get_height (allocation));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->needs), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "What is needed against what there is", -1);
  assay_picture_redraw (self->needs);
}

static void
assay_allocation_page_dispose (GObject *object)
{
  AssayAllocationPage *self = ASSAY_ALLOCATION_PAGE (object);

  if (self->picture != NULL)
    assay_picture_set_functions (self->picture, NULL, NULL, NULL);
  if (self->needs != NULL)
    assay_picture_set_functions (self->needs, NULL, NULL, NULL);
  gtk_widget_dispose_template (GTK_WIDGET (self), ASSAY_TYPE_ALLOCATION_PAGE);
  g_clear_object (&self->session);

  G_OBJECT_CLASS (assay_allocation_page_parent_class)->dispose (object);
}

static void
assay_allocation_page_class_init (AssayAllocationPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_allocation_page_dispose;

  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  g_type_ensure (ASSAY_TYPE_FIT_HANDLES);
  ASSAY_BIND_TEMPLATE (klass, AssayAllocationPage, "assay-allocation-page", root, title, sentence,
                       needs, handles, picture, ways, live, live_box, searching, no_ways);
  gtk_widget_class_bind_template_callback (GTK_WIDGET_CLASS (klass), stop_cb);
}

static void
assay_allocation_page_init (AssayAllocationPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  assay_picture_set_minimum (self->picture, 480, 160);
  assay_picture_set_minimum (self->needs, 480, 0);
  assay_picture_set_functions (self->picture, draw, describe, self);
  assay_picture_set_functions (self->needs, draw_needs, describe_need, self);
}

void
assay_allocation_page_set_session (AssayAllocationPage *self, AssaySession *session)
{
  g_set_object (&self->session, session);
  g_signal_connect_object (assay_session_get_compilation (session), "notify::state",
                           G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (assay_session_get_ways_search (session), "found",
                           G_CALLBACK (ways_changed_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (assay_session_get_ways_search (session), "notify::state",
                           G_CALLBACK (ways_changed_cb), self, G_CONNECT_SWAPPED);
  update (self);
}
