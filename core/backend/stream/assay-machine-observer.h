/* assay-machine-observer.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/assay-run-observer.h"
#include "backend/stream/compile/assay-probes.h"
#include "backend/stream/machine/assay-machine.h"

G_BEGIN_DECLS

/**
 * AssayMachineObserver:
 *
 * Watches the values of a graph go by while the machine runs its program, and may put others in
 * their place.
 */
typedef struct _AssayMachineObserver AssayMachineObserver;

AssayMachineObserver *
assay_machine_observer_new (const AssayStreamCode *code, const AssayProbes *probes,
                            const AssayRunObserver *observer) G_GNUC_WARN_UNUSED_RESULT;
void assay_machine_observer_free (AssayMachineObserver *self);
void assay_machine_observer_begin (AssayMachineObserver *self, AssayMachine *machine, gint64 step);
gboolean assay_machine_observer_finish (AssayMachineObserver *self, AssayMachine *machine,
                                        GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayMachineObserver, assay_machine_observer_free)

G_END_DECLS
