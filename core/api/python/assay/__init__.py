# SPDX-License-Identifier: Apache-2.0
"""The compiler, the machine and everything that the window does, for Python: `import assay`."""
import gi

gi.require_version('Assay', '1')
from gi.repository import Assay as _library, Gio as _gio  # noqa: E402
from gi.repository.Assay import (AllocationError, AssayException, CancelledError, Config, CycleSummary, DeviceError,  # noqa: E402
                                 FileError, ImportFailure, InvalidError, LoadError, Metrics, NNIR, OutOfMemoryError, Program,
                                 ProgramBuilder, Report, SaveError, Tensor, UnsupportedError, VM, targets)

DType = _library.DType
Options = _library.Options
Cancellable = _gio.Cancellable

__all__ = [name for name in dir() if not name.startswith('_') and name != 'gi']
