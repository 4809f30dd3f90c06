/* assay-plan.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AssayInterval:
 * @born: first step
 * @died: last step, born or later
 * @size: blocks
 * @cores: the cores it lives on, a bit each; it has the same address on all of them
 * @address: filled in: first block
 *
 * Something that needs room in a store for a while.
 */
typedef struct
{
  guint32 born;
  guint32 died;
  guint32 size;
  guint64 cores;
  guint32 address;
} AssayInterval;

/**
 * AssayPlanFailure:
 * @interval: the interval that found no room
 * @core: the core of it that has the least
 * @available: blocks free there at that step
 * @largest_hole: the largest free run among them
 * @living: (array length=n_living) (transfer full): the intervals that have their place at that
 * step
 * @n_living: how many they are
 * @past: (array length=n_past) (transfer full): the intervals that had a place and are gone, in
 * order of birth
 * @n_past: how many they are
 */
typedef struct
{
  guint interval;
  guint core;
  guint32 available;
  guint32 largest_hole;
  guint *living;
  guint n_living;
  guint *past;
  guint n_past;
} AssayPlanFailure;

gboolean assay_plan_intervals (AssayInterval *intervals, guint n, guint32 depth,
                               AssayPlanFailure *failure);

G_END_DECLS
