/* assay-error.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

/**
 * ASSAY_ERROR:
 *
 * The error domain of the library.
 */
#define ASSAY_ERROR (assay_error_quark ())

/**
 * AssayError:
 * @ASSAY_ERROR_IMPORT: the model file is not what it claims to be; fix the file
 * @ASSAY_ERROR_UNSUPPORTED: valid, but the target or this version cannot do it; change the model or
 * the target
 * @ASSAY_ERROR_INVALID: an argument or setting is wrong; change it
 * @ASSAY_ERROR_ALLOCATION: a store of the target is too small; see the ways out
 * @ASSAY_ERROR_SAVE: a file could not be written whole; nothing was replaced
 * @ASSAY_ERROR_LOAD: a program file is damaged or from another version; compile it again
 * @ASSAY_ERROR_CANCELLED: the user stopped the work; nothing was changed
 * @ASSAY_ERROR_IO: the file system refused; check path and rights
 * @ASSAY_ERROR_DEVICE: a board or runner did not answer as it should; check it
 * @ASSAY_ERROR_MEMORY: this computer has no memory for what is needed; free some, or compute less
 * at once
 *
 * What a caller can do about a failure.
 */
typedef enum
{
  ASSAY_ERROR_IMPORT,
  ASSAY_ERROR_UNSUPPORTED,
  ASSAY_ERROR_INVALID,
  ASSAY_ERROR_ALLOCATION,
  ASSAY_ERROR_SAVE,
  ASSAY_ERROR_LOAD,
  ASSAY_ERROR_CANCELLED,
  ASSAY_ERROR_IO,
  ASSAY_ERROR_DEVICE,
  ASSAY_ERROR_MEMORY,
} AssayError;

GQuark assay_error_quark (void);

const char *assay_error_code_name (AssayError code);

G_END_DECLS
