/* assay-pointer-map.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define ASSAY_POINTER_MAP_FEW 16

/**
 * AssayPointerPair:
 * @key: (nullable): what is looked up; %NULL in a place that is free
 * @value: (nullable): what it means
 *
 * One place of a map.
 */
typedef struct
{
  gconstpointer key;
  gpointer value;
} AssayPointerPair;

/**
 * AssayPointerMap:
 * @many: (nullable): the places, once there are more than @few
 * @n_slots: how many places there are in @many, a power of two
 * @n: number of keys
 * @few: the places of a map of few keys
 *
 * What pointers mean, such as strings of an arena. A map is all zeros in the beginning, and one of
 * few keys takes no memory but its own.
 */
typedef struct
{
  AssayPointerPair *many;
  guint n_slots;
  guint n;
  AssayPointerPair few[ASSAY_POINTER_MAP_FEW];
} AssayPointerMap;

gpointer assay_pointer_map_lookup (const AssayPointerMap *self, gconstpointer key);
void assay_pointer_map_insert (AssayPointerMap *self, gconstpointer key, gpointer value);
void assay_pointer_map_clear (AssayPointerMap *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AssayPointerMap, assay_pointer_map_clear)

G_END_DECLS
