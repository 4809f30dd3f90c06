# SPDX-License-Identifier: Apache-2.0
"""The compiler, the machine and everything that the window does, for Python: `import assay`."""
import pathlib as _pathlib
import sysconfig as _sysconfig

import gi


def _find_library():
    """Lets the library of this prefix be found: modules are in lib/python3..., the library in lib or a folder of its machine."""
    lib = _pathlib.Path(__file__).resolve().parent / '..' / '..' / '..'
    for name in (_sysconfig.get_config_var('MULTIARCH') or '.', '.', '../lib64'):
        library = (lib / name).resolve()
        if (library / 'girepository-1.0' / 'Assay-1.typelib').exists():
            gi.require_version('GIRepository', '2.0')
            from gi.repository import GIRepository
            GIRepository.Repository.prepend_search_path(str(library / 'girepository-1.0'))
            GIRepository.Repository.prepend_library_path(str(library))
            return


_find_library()
gi.require_version('Assay', '1')
from gi.repository import Assay as _library, Gio as _gio  # noqa: E402
from gi.repository.Assay import (AllocationError, AssayException, CancelledError, Config, CycleSummary, DeviceError,  # noqa: E402
                                 FileError, ImportFailure, InvalidError, LoadError, Metrics, NNIR, OutOfMemoryError, Program,
                                 ProgramBuilder, Report, SaveError, Tensor, UnsupportedError, VM, targets)

DType = _library.DType
Options = _library.Options
Cancellable = _gio.Cancellable

__all__ = [name for name in dir() if not name.startswith('_') and name != 'gi']
