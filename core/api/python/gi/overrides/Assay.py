# SPDX-License-Identifier: Apache-2.0
"""Makes the objects of libassay what scripts of the published compiler API expect: keywords with defaults, attributes, numpy
arrays in and out, exceptions by name. docs/api.md tells every call; nothing is computed here."""
import base64
import functools
import html
import json
import operator
import os
import tempfile

from gi.repository import GLib

from ..module import get_introspection_module
from ..overrides import override

Assay = get_introspection_module('Assay')

__all__ = []


def _export(thing, *names):
    for name in names or (thing.__name__,):
        globals()[name] = thing
        __all__.append(name)
    return thing


# Exceptions


class AssayException(GLib.Error):
    """Something went wrong; `message` is one sentence, `name` one word for what can be done about it."""

    def __init__(self, message='', domain='assay-error-quark', code=0):
        super().__init__(message, domain, code)
        self.name = Assay.error_code_name(Assay.Error(code))

    def _state(self):
        return {name: value for name, value in self.__dict__.items() if name[0] != '_'}

    def __reduce__(self):
        return type(self), (self.message, self.domain, self.code), self._state()

    def __str__(self):
        return self.message

    def __repr__(self):
        return f'{type(self).__name__}({self.message!r})'


class ImportFailure(AssayException, ValueError):
    """The model file is not what it claims to be."""


class UnsupportedError(AssayException, ValueError):
    """The model is valid, but the hardware or this version cannot do it."""


class InvalidError(AssayException, ValueError):
    """An argument or an option is wrong."""


class AllocationError(AssayException):
    """A store of the hardware is too small. The fields tell which, for what, and what helps; they are found when one of them is
    read for the first time, which takes as long as several compilations."""

    FIELDS = ('store', 'core', 'depth', 'step', 'tensor', 'node', 'needed', 'available', 'largest_hole', 'live', 'ways_out')
    _builder = None
    _found = None
    _told = None

    def _state(self):
        """What was found travels with it, the models do not."""
        found = {name: getattr(self, name) for name in AllocationError.FIELDS} if self._found is not None else self._told
        return {**super()._state(), '_told': found}

    def report(self):
        """The whole document, as `assay compile --json` writes it."""
        if self._found is None:
            self._found = Report._of(self._builder.explain) if self._builder is not None else None
        return self._found

    def __getattr__(self, name):
        if name not in AllocationError.FIELDS:
            raise AttributeError(name)
        if self._told is not None:
            return self._told[name]
        report = self.report()
        return report.data.get('error', {}).get(name) if report is not None else None


class SaveError(AssayException):
    """A file could not be written whole, and nothing was replaced; `path` names it."""

    path = None


class LoadError(AssayException):
    """A program is damaged or from another version; `path` names its file, if it is in one."""

    path = None


class CancelledError(AssayException):
    """Somebody stopped the work."""


class FileError(AssayException):
    """The file system refused; `path` names the file."""

    path = None


class DeviceError(AssayException):
    """A board or a runner did not answer as it should."""


class OutOfMemoryError(AssayException, MemoryError):
    """This computer has no memory for what is needed."""


_CLASSES = {Assay.Error.IMPORT: ImportFailure, Assay.Error.UNSUPPORTED: UnsupportedError, Assay.Error.INVALID: InvalidError,
            Assay.Error.ALLOCATION: AllocationError, Assay.Error.SAVE: SaveError, Assay.Error.LOAD: LoadError,
            Assay.Error.CANCELLED: CancelledError, Assay.Error.IO: FileError, Assay.Error.DEVICE: DeviceError,
            Assay.Error.MEMORY: OutOfMemoryError}

for _class in (AssayException, *_CLASSES.values()):
    _export(_class)


def _call(function, *arguments, path=None, builder=None):
    try:
        return function(*arguments)
    except GLib.Error as e:
        if e.domain != 'assay-error-quark' or isinstance(e, AssayException):
            raise
        error = _CLASSES[Assay.Error(e.code)](e.message, e.domain, e.code)
        if path is not None and hasattr(type(error), 'path'):
            error.path = path
        if isinstance(error, AllocationError):
            error._builder = builder
    raise error


# Values and things


def _value(kind):
    """What never changes is its own copy."""
    kind.__copy__ = lambda self: self
    kind.__deepcopy__ = lambda self, memo: self
    return kind


def _refusal(kind, does, instead):
    def refuse(self, *arguments):
        raise TypeError(f'a {kind.__name__} cannot be {does}: {instead}')
    return refuse


def _thing(kind, instead):
    """There is one of it, so it cannot be copied; nor can it be pickled."""
    kind.__copy__ = kind.__deepcopy__ = _refusal(kind, 'copied', instead)
    return _unpickled(kind, instead)


def _unpickled(kind, instead):
    kind.__reduce__ = kind.__reduce_ex__ = _refusal(kind, 'pickled', instead)
    return kind


def _equals(kind, content):
    """Two are equal that have the same content, which can be hashed."""
    def equals(self, other):
        return content(self) == content(other) if isinstance(other, kind) else NotImplemented
    kind.__eq__ = equals
    kind.__hash__ = lambda self: hash(content(self))
    return kind


def _restore_tensor(dtype, shape, data):
    """What a pickled tensor was."""
    if isinstance(data, bytes):
        return _call(Assay.Tensor.new, Assay.DType(dtype), list(shape), GLib.Bytes.new(data))
    return _call(Assay.Tensor.new_strings, list(shape), [GLib.Bytes.new(text) for text in data])


def _restore_config(text):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'config.json')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
        return Config.load(path)


def _restore_program(data):
    return Program.load_bytes(data)


def _restore_options(values):
    return Options(**values)


# What goes in and comes out


def _index(value, count, what):
    number = operator.index(value)
    if not 0 <= number < count:
        raise IndexError(f'{what} {number}: there {"is" if count == 1 else "are"} {count}')
    return number


def _axis(axis, shape, what):
    """None is no axis; a negative one counts from the end."""
    if axis is None:
        return -1
    number = operator.index(axis)
    if number >= 0:
        return number
    rank = len(shape())
    if number < -rank:
        raise ValueError(f'{what} axis {number} of {rank}')
    return number + rank


def _axes(value, shapes, what):
    """One axis or several, each of what a function gives the shape of."""
    single = value is None or hasattr(value, '__index__')
    axes = [value] * len(shapes) if single else list(value)
    if len(axes) != len(shapes):
        raise ValueError(f'{len(axes)} {what} ax{"i" if len(axes) == 1 else "e"}s, {len(shapes)} expected')
    return [_axis(axis, shape, what) for axis, shape in zip(axes, shapes)], single


def _microseconds(cycles, clock_mhz):
    if clock_mhz <= 0:
        raise ValueError(f'a clock of {clock_mhz} MHz')
    return cycles / clock_mhz


def _numpy():
    import numpy
    return numpy


_NUMPY = {Assay.DType.F32: 'float32', Assay.DType.F64: 'float64', Assay.DType.F16: 'float16', Assay.DType.I8: 'int8',
          Assay.DType.I16: 'int16', Assay.DType.I32: 'int32', Assay.DType.I64: 'int64', Assay.DType.U8: 'uint8',
          Assay.DType.U16: 'uint16', Assay.DType.U32: 'uint32', Assay.DType.U64: 'uint64', Assay.DType.BOOL: 'bool',
          Assay.DType.C64: 'complex64', Assay.DType.C128: 'complex128'}
_DTYPES = {name: dtype for dtype, name in _NUMPY.items()}


def _is_array(value):
    return hasattr(value, 'shape') or hasattr(value, '__array__')


def _to_tensors(inputs, count, what):
    """An array for the only input, or a sequence of arrays."""
    if isinstance(inputs, Assay.Tensor) or _is_array(inputs):
        inputs = [inputs]
    elif not isinstance(inputs, (list, tuple)):
        raise TypeError(f'{type(inputs).__name__} for the inputs of {what}: expected an array, or a list of {count}')
    elif count == 1 and not (len(inputs) == 1 and (isinstance(inputs[0], Assay.Tensor) or _is_array(inputs[0]))):
        inputs = [inputs]
    if len(inputs) != count:
        raise ValueError(f'{len(inputs)} input{"" if len(inputs) == 1 else "s"}, {what} has {count}')
    return [Tensor.from_array(value) for value in inputs]


def _single(values):
    return values[0] if len(values) == 1 else values


def _from_tensors(tensors):
    return _single([tensor.numpy() for tensor in tensors])


def _is_nested(value, kinds):
    """Whether it is the value of the only input, a sequence or an optional, and no list with that in it."""
    if not isinstance(value, (list, tuple)):
        return True
    return 'sequence' in kinds and all(_is_array(item) for item in value)


def _split(value, kinds, place):
    """The tensors that a value is made of, with the names of the parts."""
    outer, inner = kinds[0], kinds[1:]
    if outer == 'optional':
        return [(f'{place}.empty', Tensor(0))] if value is None else _split(value, inner, f'{place}.value')
    if outer != 'sequence':
        return [(place, Tensor.from_array(value))]
    if not isinstance(value, (list, tuple)):
        raise TypeError(f'{type(value).__name__} for a sequence: expected a list of arrays')
    parts = [part for i, item in enumerate(value) for part in _split(item, inner, f'{place}.{i}')]
    return parts or [(f'{place}.empty', Tensor(0))]


def _join(parts, kinds):
    """What the tensors of one output are, by the names of the parts, as lists and dictionaries."""
    if '' in parts:
        return parts['']
    if 'empty' in parts:
        return {'sequence': [], 'map': {}}.get(kinds[0])
    if 'keys' in parts:
        return dict(zip(parts['keys'].tolist(), parts['values']))
    groups = {}
    for name, array in parts.items():
        first, _, rest = name.partition('.')
        groups.setdefault(first, {})[rest] = array
    values = [_join(group, kinds[1:] or ['unknown']) for group in groups.values()]
    return values[0] if 'value' in groups else values


class Tensor(Assay.Tensor):
    """An immutable array of any element type."""

    def __new__(cls, array, dtype=None):
        return cls.from_array(array, dtype)

    def __init__(self, *arguments):
        pass

    @staticmethod
    def from_array(array, dtype=None):
        """A tensor of what numpy can make an array of; bytes and texts become strings. With a type that numpy does not have, the
        array holds the bits of its elements."""
        if isinstance(array, Assay.Tensor):
            return array
        np = _numpy()
        if hasattr(array, 'detach'):
            array = array.detach().cpu()
        array = np.asarray(array)
        if array.dtype.kind in 'OSU':
            texts = [v if isinstance(v, bytes) else str(v).encode() for v in array.ravel().tolist()]
            return _call(Assay.Tensor.new_strings, list(array.shape), [GLib.Bytes.new(text) for text in texts])
        own = _DTYPES.get(array.dtype.name)
        if dtype is None or dtype in _NUMPY or array.dtype.itemsize * 8 != Assay.dtype_bits(dtype):
            dtype = own
        if dtype is None:
            raise TypeError(f'an array of {array.dtype}: expected one of {", ".join(_DTYPES)} or texts')
        packed = np.ascontiguousarray(array, array.dtype.newbyteorder('<'))
        return _call(Assay.Tensor.new, dtype, list(array.shape), GLib.Bytes.new(packed.tobytes()))

    def numpy(self):
        """The elements as an array of their type. Numbers that numpy has no type for become float32, or int8 and uint8."""
        np = _numpy()
        dtype, shape = self.get_dtype(), self.shape
        if dtype == Assay.DType.STRING:
            array = np.empty(shape, object)
            for i, text in enumerate(self.get_strings()):
                array.flat[i] = self._decoded(text.get_data() or b'')
            return array
        data = _call(self.dup_bytes).get_data() or b''
        if dtype in _NUMPY:
            return np.frombuffer(data, _NUMPY[dtype]).reshape(shape).copy()
        if dtype == Assay.DType.BF16:
            return (np.frombuffer(data, 'uint16').astype('uint32') << 16).view('float32').reshape(shape)
        kind = {'I': 'int8', 'U': 'uint8'}.get(chr(Assay.dtype_kind(dtype)), 'float32')
        elements = [self.get_element(i)[1] for i in range(self.get_n_elements())]
        return np.array(elements, kind).reshape(shape)

    @staticmethod
    def _decoded(text):
        """A text, or the bytes if they are none."""
        try:
            return text.decode()
        except UnicodeDecodeError:
            return text

    def __array__(self, dtype=None, copy=None):
        return self.numpy() if dtype is None else self.numpy().astype(dtype)

    @property
    def shape(self):
        return tuple(self.dup_shape())

    @property
    def dtype(self):
        return Assay.dtype_name(self.get_dtype())

    def _content(self):
        """Its type, its shape, and the bits or texts of its elements."""
        if self.get_dtype() == Assay.DType.STRING:
            return int(self.get_dtype()), self.shape, tuple(text.get_data() or b'' for text in self.get_strings())
        return int(self.get_dtype()), self.shape, _call(self.dup_bytes).get_data() or b''

    def __reduce__(self):
        return _restore_tensor, self._content()

    def __repr__(self):
        return f'<Assay.Tensor {self.dtype}{list(self.shape)}>'


_export(override(_value(_equals(Tensor, Tensor._content))))


# Options


def _shape_text(shape):
    if isinstance(shape, str):
        return shape
    return ','.join('?' if extent is None or extent == -1 else str(operator.index(extent)) for extent in shape)


def _shape_texts(shapes):
    """One shape or one per input."""
    if shapes is None:
        return None
    if isinstance(shapes, str) or all(extent is None or hasattr(extent, '__index__') for extent in shapes):
        shapes = [shapes] if len(shapes) > 0 else []
    return [_shape_text(shape) for shape in shapes]


def _pairs(value):
    return [f'{name}={_core_text(v)}' for name, v in value.items()] if isinstance(value, dict) else list(value)


def _core_text(cores):
    if not isinstance(cores, (str, int)) and len(cores) == 0:
        raise ValueError('no cores to run on; None is all of them')
    return str(cores) if isinstance(cores, (str, int)) else ','.join(str(operator.index(core)) for core in cores)


class Options(Assay.Options):
    """How a model is compiled and run; its properties are keywords of `to_program()`."""

    def _values(self):
        return {pspec.name: self.get_property(pspec.name) for pspec in self.list_properties()}

    def __copy__(self):
        return Assay.Options.copy(self)

    def __deepcopy__(self, memo):
        return Assay.Options.copy(self)

    def __eq__(self, other):
        return self._values() == other._values() if isinstance(other, Options) else NotImplemented

    __hash__ = None

    def __reduce_ex__(self, protocol):
        return _restore_options, ({name.replace('-', '_'): value for name, value in self._values().items()
                                   if value is not None},)


_export(override(Options))

_OPTION_VALUES = {'core_indices': _core_text, 'pins': _pairs, 'data_dims': _pairs, 'keep_fp32': list}


def _options(keywords):
    """Options of the keywords of `to_program()`, over those of `options` if there are any."""
    base = keywords.pop('options', None)
    options = Assay.Options.copy(base) if base is not None else Options()
    defaults = Options()
    known = {pspec.name.replace('-', '_') for pspec in options.list_properties()}
    for name, value in keywords.items():
        if name not in known:
            raise TypeError(f'there is no option {name}; there are {", ".join(sorted(known))}')
        value = _OPTION_VALUES.get(name, lambda v: v)(value) if value is not None else None
        if value is not None and value != defaults.get_property(name):
            options.set_property(name, value)
    return options


# Configurations

# The published name of each preset, and those it had before.
_PRESETS = {
    'bittware_ia420f_c6b32': 'ia_420f_c6b32', 'bittware_ia840f_c3b64': 'ia_840f_c3b64',
    'bittware_ia840f_c2b64d': 'ia_840f_c2b64d', 'napatech_nt400d11_c6b32': 'nt400d11_c6b32', 'amd_v80_c6b32': 'v80_c6b32',
    'amd_v80ll_c6b32': 'v80ll_c6b32', 'silicom_artena_c8b32': 'artena_c8b32',
    # Nothing is published that tells the image for LSTM models from the other one.
    'silicom_artena_c8b32lstm': 'artena_c8b32', 'artena_c8b32lstm': 'artena_c8b32',
    'ia_420f': 'ia_420f_c6b32', 'ia_840f': 'ia_840f_c3b64',
}
_PRESETS.update({name: name for name in list(_PRESETS.values())})


class Config(Assay.Config):
    """A hardware configuration; every field is an attribute."""

    def __new__(cls, num_cores, block_size):
        return _call(Assay.Config.new, operator.index(num_cores), operator.index(block_size))

    def __init__(self, *arguments, **keywords):
        pass

    @classmethod
    def ip_core(cls, num_cores, block_size):
        return cls(num_cores, block_size)

    @classmethod
    def preset(cls, name):
        """The configuration of a target, or of a target file."""
        return _call(Assay.Config.new_preset, _PRESETS.get(name, name))

    @classmethod
    def load(cls, path, check_version_matches=True):
        path = os.fspath(path)
        return _call(Assay.Config.load, path, path=path)

    def save(self, path):
        path = os.fspath(path)
        _call(super().save, path, path=path)

    def _values(self):
        return {pspec.name.replace('-', '_'): self.get_property(pspec.name) for pspec in self.list_properties()}

    def __reduce_ex__(self, protocol):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'config.json')
            self.save(path)
            with open(path, encoding='utf-8') as file:
                return _restore_config, (file.read(),)

    def __repr__(self):
        return f'Config({", ".join(f"{name}={value!r}" for name, value in self._values().items())})'


def _field(name):
    return property(lambda self: self.get_property(name))


for _pspec in Assay.Config.list_properties():
    setattr(Config, _pspec.name.replace('-', '_'), _field(_pspec.name))
for _name in _PRESETS:
    setattr(Config, _name, classmethod(lambda cls, _name=_name: cls.preset(_name)))
_export(override(_value(_equals(Config, lambda self: tuple(self._values().items())))))


# Documents

_ROWS = {'assay.check/1': 'nodes', 'assay.compare/1': 'tensors', 'assay.metrics/1': 'cores', 'assay.targets/1': 'targets',
         'assay.show/1': 'ops'}
_TINT = {'rejected': '#c01c28', 'outside': '#c01c28', 'host': '#a46a00', 'undecided': '#a46a00', 'supported': '#26763f',
         'within': '#26763f', 'exact': '#26763f'}
_SHOWN = ('id', 'title', 'name', 'op_type', 'verdict', 'reason', 'rule', 'count', 'own_error', 'total_error', 'limit', 'family',
          'summary')


def _cell(value):
    text = f'{value:.4g}' if isinstance(value, float) else '' if value is None else str(value)
    tint = _TINT.get(value) if isinstance(value, str) else None
    style = f' style="color:{tint};font-weight:bold;text-align:left"' if tint else ' style="text-align:left"'
    return f'<td{style}>{html.escape(text)}</td>'


def _table(rows, columns=None, caption=''):
    columns = columns or [name for name in _SHOWN if any(name in row for row in rows)]
    head = ''.join(f'<th style="text-align:left">{html.escape(name.replace("_", " "))}</th>' for name in columns)
    body = ''.join(f'<tr>{"".join(_cell(row.get(name)) for name in columns)}</tr>' for row in rows)
    return (f'<table><caption style="text-align:left">{html.escape(caption)}</caption>'
            f'<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>')


class Report(Assay.Report):
    """A document as the command line writes it. It is a list of its rows, which are dictionaries; `data` is all of it."""

    @classmethod
    def _of(cls, function, *arguments, **keywords):
        return _call(function, *arguments, **keywords)

    @property
    def data(self):
        if not hasattr(self, '_data'):
            self._data = json.loads(self.get_json())
        return self._data

    @property
    def text(self):
        return self.get_text()

    @property
    def clean(self):
        """Whether the target takes the model, or the runs agree."""
        return self.is_clean()

    @property
    def causes(self):
        return self.data.get('causes', [])

    @property
    def rows(self):
        """Nodes of a check, offers of fixes, tensors of a comparison, cores of metrics, targets."""
        if self.data.get('schema') == 'assay.fix/1':
            return [dict(offer, cause=cause['cause'], rule=cause['rule'], reason=cause['reason'])
                    for cause in self.causes for offer in cause['offers'] + cause['cuts']]
        return self.data.get(_ROWS.get(self.data.get('schema')), [])

    def __iter__(self):
        return iter(self.rows)

    def __len__(self):
        return len(self.rows)

    def __bool__(self):
        return True

    def __getitem__(self, key):
        return self.data[key] if isinstance(key, str) else self.rows[key]

    def __str__(self):
        return self.get_text()

    def __repr__(self):
        return f'<Assay.Report {self.data.get("schema", "empty")}, {len(self)} rows{"" if self.clean else ", not clean"}>'

    def _repr_html_(self):
        caption = ' for '.join(str(self.data[name]) for name in ('model', 'target') if name in self.data)
        if 'summary' in self.data:
            caption += ': ' + ', '.join(f'{n} {name}' for name, n in self.data['summary'].items()
                                        if n and not isinstance(n, bool))
        rows = self.rows
        columns = [name for name in rows[0]] if rows and not any(name in rows[0] for name in _SHOWN) else None
        return _table(rows, columns, caption)


_export(override(_unpickled(_value(_equals(Report, lambda self: self.get_json())), 'keep its .data')))


def targets():
    """All targets, as a report."""
    return Report._of(Assay.list_targets)


_export(targets)


# Models


class Nnir(Assay.Nnir):
    """A model as the compiler's graph. It is never changed: what changes it makes a new one."""

    def __new__(cls, *arguments, **keywords):
        raise TypeError('a model is made by NNIR.from_onnx()')

    @classmethod
    def from_onnx(cls, path, override_input_shapes=None):
        """Reads a model; a shape is a sequence of extents, one for each input, or only one."""
        path = os.fspath(path)
        return _call(Assay.Nnir.from_onnx, path, _shape_texts(override_input_shapes), path=path)

    def streaming_transform(self, axis):
        """Makes an axis time. Gives the model and the axis of its outputs: one for one, several for several."""
        shapes = [functools.partial(self.input_shape, i) for i in range(self.num_inputs())]
        axes, single = _axes(axis, shapes, 'streaming')
        nnir, outputs = _call(super().streaming_transform, axes)
        return nnir, outputs[0] if single and len(outputs) == 1 else tuple(outputs)

    def to_program(self, config, name=None, optimize_transforms=True, allow_dynamic_weights=False,
                   allow_mixed_precision_fusion=True, max_sparse_entries=512, quick_compile=False, output_buffer_capacity=64,
                   write_queue_capacity=32, random_seeds=(0,), allow_unserializable=False, generate_state_reset=False, *,
                   cancellable=None, **keywords):
        """Compiles the model. What is not read has nothing to choose here: compiling is deterministic, and searches whole."""
        builder = ProgramBuilder(config)
        builder.add_nnir(self, name, optimize_transforms, allow_dynamic_weights, quick_compile=quick_compile,
                         generate_state_reset=generate_state_reset, **keywords)
        return builder.to_program(cancellable)

    def input_shape(self, input_index=0):
        return tuple(super().input_shape(_index(input_index, self.num_inputs(), 'input')))

    def output_shape(self, output_index=0):
        return tuple(super().output_shape(_index(output_index, self.num_outputs(), 'output')))

    def input_kinds(self, input_index=0):
        """What an input is: `tensor`, or from the outside to the inside `sequence`, `optional` or `map` and what that holds."""
        return super().input_kinds(_index(input_index, self.num_inputs(), 'input'))

    def output_kinds(self, output_index=0):
        """The same of an output."""
        return super().output_kinds(_index(output_index, self.num_outputs(), 'output'))

    def _opened(self, inputs):
        """A model of tensors and the tensors: itself, where it takes neither sequences nor optionals."""
        kinds = [self.input_kinds(i) for i in range(self.num_inputs())]
        for i, kind in enumerate(kinds):
            if 'map' in kind:
                raise TypeError(f'input {i} of the model is or holds a map, which no operator makes of tensors: '
                                'assay conformance alone runs the model, on test data')
        if not any(outer in ('sequence', 'optional') for outer, *_ in kinds):
            return self, _to_tensors(inputs, len(kinds), 'the model')
        if len(kinds) == 1 and _is_nested(inputs, kinds[0]):
            inputs = [inputs]
        if not isinstance(inputs, (list, tuple)) or len(inputs) != len(kinds):
            raise ValueError(f'the model has {len(kinds)} inputs: expected a list of as many')
        parts = [part for i, value in enumerate(inputs) for part in _split(value, kinds[i], str(i))]
        names, tensors = zip(*parts)
        opened = _call(super().open_inputs, names, tensors)
        return opened, [tensor for name, tensor in parts if not name.endswith('.empty')]

    def run_on(self, runner, inputs, cancellable=None):
        """Runs the model as it is in its file, on a runner of `assay run --on`. A sequence goes in and comes out as a list, an
        optional as its value or None; maps come out as dictionaries."""
        model, tensors = self._opened(inputs)
        found, places = _call(Assay.Nnir.run_parts_on, model, runner, tensors, cancellable)
        outputs = [{} for _ in range(self.num_outputs())]
        for place, tensor in zip(places, found):
            index, _, part = place.partition('.')
            outputs[int(index)][part] = tensor.numpy()
        return _single([_join(parts, self.output_kinds(i)) for i, parts in enumerate(outputs)])

    def describe(self):
        """What it consists of."""
        return Report._of(super().describe)

    def check(self, target, *, cancellable=None, **keywords):
        """Verdicts and their causes."""
        return Report._of(super().check, target, _options(keywords), cancellable)

    def find_fixes(self, target, *, n_runs=16, cancellable=None, **keywords):
        """What helps, as tried offers."""
        return Report._of(super().find_fixes, target, _options(keywords), n_runs, cancellable)

    def apply_fixes(self, *offers, options=None, cancellable=None):
        """The model with fixes, each a row of `find_fixes()`, and the options that they set."""
        options = options or Options()
        records = [record for offer in offers for record in (*offer.get('first', []), offer)]
        fixes = [{name: record.get(name, []) for name in ('rewrite', 'nodes', 'arguments')} for record in records]
        document = json.dumps({'schema': 'assay.fixes/1', 'fixes': fixes})
        return _call(super().apply_fixes, document, options, cancellable), options

    def compare(self, b='vm', *, a='reference', target=None, inputs=None, outputs_only=False, cancellable=None, **keywords):
        """Where two runners part; random inputs if there are none."""
        model, tensors = (self, []) if inputs is None else self._opened(inputs)
        return Report._of(Assay.Nnir.compare, model, a, b, target, _options(keywords), tensors, outputs_only, cancellable)

    def save_onnx(self, path, cancellable=None):
        """Writes the model; what is written is read back and compared first."""
        path = os.fspath(path)
        _call(super().save_onnx, path, cancellable, path=path)

    def to_text(self):
        return _call(super().to_text)

    def __str__(self):
        return self.to_text()

    def __repr__(self):
        kinds = [self.input_kinds(i)[0] for i in range(self.num_inputs())]
        shapes = [str(list(self.input_shape(i))) if kind == 'tensor' else kind for i, kind in enumerate(kinds)]
        return f'<Assay.Nnir of {", ".join(shapes)}>'

    def _repr_html_(self):
        return self.describe()._repr_html_()


_export(override(_thing(Nnir, 'read it again with NNIR.from_onnx()')))
_export(Nnir, 'NNIR')


class ProgramBuilder(Assay.ProgramBuilder):
    """Collects models for one program; the index of a model is the order in which it was added."""

    def __new__(cls, config, remember_allocations=False):
        if not isinstance(config, Assay.Config):
            raise TypeError(f'{type(config).__name__}: expected a Config')
        return Assay.ProgramBuilder.new(config)

    def __init__(self, *arguments, **keywords):
        pass

    def add_nnir(self, nnir, name=None, optimize_transforms=True, allow_dynamic_weights=False,
                 allow_mixed_precision_fusion=True, max_sparse_entries=512, quick_compile=False, output_buffer_capacity=64,
                 write_queue_capacity=32, random_seeds=(0,), allow_unserializable=False, generate_state_reset=False,
                 core_indices=None, **keywords):
        """Adds a model, with the keywords of `NNIR.to_program()`."""
        if not isinstance(nnir, Assay.Nnir):
            raise TypeError(f'{type(nnir).__name__}: expected an NNIR')
        chosen = {'optimize_transforms': optimize_transforms and not quick_compile,
                  'allow_dynamic_weights': allow_dynamic_weights, 'generate_state_reset': generate_state_reset,
                  'core_indices': core_indices}
        super().add_nnir(nnir, name, _options({**chosen, **keywords}))

    def to_program(self, cancellable=None):
        return _call(super().to_program, cancellable, builder=self)

    def explain(self, cancellable=None):
        """Why the models do not fit, and what helps."""
        return Report._of(super().explain, cancellable)


_export(override(_thing(ProgramBuilder, 'add the models to another one')))


# Programs


class CycleSummary(tuple):
    """Cycles from the first word of the input to the last one, to the first and to the last word of the output."""

    last_input = property(lambda self: self[0])
    first_output = property(lambda self: self[1])
    last_output = property(lambda self: self[2])

    def __repr__(self):
        return f'CycleSummary(last_input={self[0]}, first_output={self[1]}, last_output={self[2]})'


_export(CycleSummary)


class Program(Assay.Program):
    """Compiled models. It is a list of them, each a dictionary of its name, inputs and outputs."""

    @staticmethod
    def compile(nnir, config, name=None, **keywords):
        return nnir.to_program(config, name, **keywords)

    @staticmethod
    def io_only_test(config, in_values, out_values):
        return _call(Assay.Program.io_only_test, config, operator.index(in_values), operator.index(out_values))

    @staticmethod
    def load(path):
        path = os.fspath(path)
        return _call(Assay.Program.load, path, path=path)

    @staticmethod
    def load_bytes(data):
        data = data if isinstance(data, GLib.Bytes) else GLib.Bytes.new(bytes(memoryview(data)))
        return _call(Assay.Program.load_bytes, data)

    def save(self, path):
        path = os.fspath(path)
        _call(super().save, path, path=path)

    def save_bytes(self):
        return super().save_bytes().get_data()

    def pack(self):
        """Nothing is left to do: a program has all of its memory from the beginning."""

    def _model(self, model_index):
        return _index(model_index, self.num_models(), 'model')

    def _input(self, model_index, input_index):
        return self._model(model_index), _index(input_index, self.model_num_inputs(model_index), 'input')

    def _output(self, model_index, output_index):
        return self._model(model_index), _index(output_index, self.model_num_outputs(model_index), 'output')

    def model_name(self, model_index=0):
        return super().model_name(self._model(model_index))

    def model_num_inputs(self, model_index=0):
        return super().model_num_inputs(self._model(model_index))

    def model_num_outputs(self, model_index=0):
        return super().model_num_outputs(self._model(model_index))

    def model_input_shape(self, model_index=0, input_index=0):
        return tuple(super().model_input_shape(*self._input(model_index, input_index)))

    def model_output_shape(self, model_index=0, output_index=0):
        return tuple(super().model_output_shape(*self._output(model_index, output_index)))

    def model_input_streaming_dim(self, model_index=0, input_index=0):
        dim = super().model_input_streaming_dim(*self._input(model_index, input_index))
        return None if dim < 0 else dim

    def model_output_streaming_dim(self, model_index=0, output_index=0):
        dim = super().model_output_streaming_dim(*self._output(model_index, output_index))
        return None if dim < 0 else dim

    def model_input_number_format(self, model_index=0, input_index=0):
        return super().model_input_number_format(*self._input(model_index, input_index))

    def model_output_number_format(self, model_index=0, output_index=0):
        return super().model_output_number_format(*self._output(model_index, output_index))

    def model_is_resettable(self, model_index=0):
        return super().model_is_resettable(self._model(model_index))

    def _cycles(self, write_queue_capacity, output_buffer_capacity, model_index):
        model = self._model(model_index)
        counted = _call(self.count_with_capacities, model, operator.index(write_queue_capacity),
                        operator.index(output_buffer_capacity))
        return tuple(counted)[1:]

    def cycle_count_per_inference(self, write_queue_capacity=32, output_buffer_capacity=64, model_index=0, spaced=True):
        return self._cycles(write_queue_capacity, output_buffer_capacity, model_index)[0 if spaced else 1]

    def cycle_range_per_inference(self, model_index=0, spaced=True):
        """Between which counts the accelerator's own lies for nine models of ten; None where that is not known."""
        known, low, high = super().cycle_range_per_inference(self._model(model_index), bool(spaced))
        return (low, high) if known else None

    def cycle_summary_per_inference(self, write_queue_capacity=32, output_buffer_capacity=64, model_index=0, spaced=True):
        return CycleSummary(self._cycles(write_queue_capacity, output_buffer_capacity, model_index)[2:])

    def compute_duration_per_inference_us(self, clock_mhz=None, write_queue_capacity=32, output_buffer_capacity=64,
                                          model_index=0, spaced=True):
        cycles = self.cycle_count_per_inference(write_queue_capacity, output_buffer_capacity, model_index, spaced)
        return _microseconds(cycles, self.get_clock_mhz() if clock_mhz is None else clock_mhz)

    def to_vm(self, write_queue_capacity=32, output_buffer_capacity=64, bit_accurate=True, no_compute=False, *,
              bf16_precision=None):
        """A machine in which it is loaded; `bf16_precision` is the older name of `bit_accurate`."""
        exact = bit_accurate if bf16_precision is None else bf16_precision
        vm = _call(super().to_vm, operator.index(write_queue_capacity), operator.index(output_buffer_capacity), bool(exact))
        vm.props.no_compute = bool(no_compute)
        vm._program, vm._exact = self, bool(exact)
        return vm

    def run_on(self, runner, inputs, model_index=0, cancellable=None):
        """Runs once from the initial state, on a runner of `assay run --on`."""
        tensors = _to_tensors(inputs, self.model_num_inputs(model_index), 'the model')
        return _from_tensors(_call(super().run_on, runner, model_index, tensors, cancellable))

    def describe(self):
        """What it takes of every core, and its cycles."""
        return super().describe()

    def memory_svg(self, core=None, width=900, height=320):
        """A picture of the memory of a core over time; of the fullest one if none is named."""
        cores = self.hw_config().num_cores
        if not (1 <= width <= 20000 and 1 <= height <= 20000):
            raise ValueError(f'a picture of {width} x {height}')
        return self.draw_memory(-1 if core is None else _index(core, cores, 'core'), width, height)

    def __len__(self):
        return self.num_models()

    def __bool__(self):
        return True

    def __getitem__(self, model_index):
        model = self._model(model_index)
        return {'name': self.model_name(model),
                'inputs': [self.model_input_shape(model, i) for i in range(self.model_num_inputs(model))],
                'outputs': [self.model_output_shape(model, i) for i in range(self.model_num_outputs(model))],
                'cycles': self.cycle_count_per_inference(model_index=model),
                'cycles_range': self.cycle_range_per_inference(model),
                'resettable': self.model_is_resettable(model)}

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __reduce_ex__(self, protocol):
        return _restore_program, (self.save_bytes(),)

    def __str__(self):
        return self.describe().text

    def __repr__(self):
        return f'<Assay.Program of {", ".join(self.model_name(i) for i in range(len(self)))}>'

    def _repr_html_(self):
        # As an image, since names inside of pictures would meet on one page.
        picture = base64.b64encode(self.memory_svg().encode()).decode()
        return f'{self.metrics()._repr_html_()}<img alt="memory map" src="data:image/svg+xml;base64,{picture}"/>'


_export(override(_value(_equals(Program, Program.save_bytes))))


class Metrics(Assay.Metrics):
    """What a program uses of its hardware: depths for every core, uses for each core, bytes and names for each model."""

    def rows(self):
        """A dictionary for each core."""
        names = [name for name in _METRICS if name.endswith('_used')] + ['num_instrs', 'num_micro_instrs']
        uses = {name: getattr(self, name) for name in names}
        return [dict(core=core, **{name: values[core] for name, values in uses.items()})
                for core in range(len(self.tensor_ram_used))]

    def __iter__(self):
        return iter(self.rows())

    def __str__(self):
        return '\n'.join(f'{name}: {getattr(self, name)}' for name in _METRICS)

    def _repr_html_(self):
        rows = self.rows()
        depths = {name: getattr(self, name.replace('_used', '_depth'), None) if name.endswith('_used') else None
                  for name in rows[0]}
        depths.update(core='depth', tensor_descriptor_used=self.tensor_descriptor_count)
        return _table(rows + [depths], list(depths), f'{", ".join(self.model_names)}: use of each core')


_METRICS = [name[len('get_'):] for name in dir(Assay.Metrics) if name.startswith('get_') and
            name.rsplit('_', 1)[-1] in ('depth', 'used', 'count', 'instrs', 'bytes', 'names')]


def _frozen(value):
    return tuple(value) if isinstance(value, list) else value


def _figure(name):
    return property(lambda self: getattr(self, 'get_' + name)())


for _name in _METRICS:
    setattr(Metrics, _name, _figure(_name))
Metrics.num_micro_instructions = Metrics.num_micro_instrs
_export(override(_unpickled(_value(_equals(
    Metrics, lambda self: tuple((name, _frozen(getattr(self, name))) for name in _METRICS))), 'keep its rows()')))


# The machine


class Vm(Assay.Vm):
    """The virtual machine with a program in it, and the state that its models keep between inferences."""

    _program = None
    _exact = True

    def __new__(cls, program, *arguments, **keywords):
        if not isinstance(program, Program):
            raise TypeError(f'{type(program).__name__}: expected a Program')
        return program.to_vm(*arguments, **keywords)

    def __init__(self, *arguments, **keywords):
        pass

    @staticmethod
    def new(program, *arguments):
        return program.to_vm(*arguments)

    def _tensors(self, inputs, model_index, f32_round):
        tensors = _to_tensors(inputs, self._program.model_num_inputs(model_index), 'the model')
        if f32_round or not self._exact:
            return tensors
        formats = [self._program.model_input_number_format(model_index, i) for i in range(len(tensors))]
        return [self._truncated(tensor.numpy()) if kind == Assay.DType.BF16 else tensor
                for tensor, kind in zip(tensors, formats)]

    @staticmethod
    def _truncated(array):
        bits = _numpy().ascontiguousarray(array, 'float32').view('uint32') & 0xffff0000
        return Tensor.from_array(bits.view('float32'))

    def run(self, inputs, model_index=0, f32_round=True):
        """One inference. An array for the only input or a list of them; what comes out likewise."""
        return _from_tensors(_call(super().run, self._program._model(model_index),
                                   self._tensors(inputs, model_index, f32_round)))

    def _sequences(self, model, port):
        """Functions that give the shapes of the sequences of all inputs or outputs."""
        shape = getattr(self._program, f'model_{port}_shape')
        return [lambda i=i: (None, *shape(model, i)) for i in range(getattr(self._program, f'model_num_{port}s')(model))]

    def run_timesteps(self, inputs, input_axis, output_axis, model_index=0, f32_round=True):
        """One inference for each position on an axis of the inputs; the outputs are stacked along an axis of theirs."""
        model = self._program._model(model_index)
        input_axes, _ = _axes(input_axis, self._sequences(model, 'input'), 'input')
        output_axes, _ = _axes(output_axis, self._sequences(model, 'output'), 'output')
        return _from_tensors(_call(super().run_timesteps, model, self._tensors(inputs, model, f32_round), input_axes,
                                   output_axes))

    def _flat(self, values, model_index, f32_round):
        np = _numpy()
        flat = np.ascontiguousarray(values, 'float32')
        formats = [self._program.model_input_number_format(model_index, i)
                   for i in range(self._program.model_num_inputs(model_index))]
        if f32_round or not self._exact or Assay.DType.F32 in formats:
            return flat
        return self._truncated(flat).numpy()

    def run_flat(self, inputs, model_index=0, f32_round=True):
        """One inference on the elements of all inputs, one after another."""
        model = self._program._model(model_index)
        values = self._flat(inputs, model, f32_round).ravel().tolist()
        return _numpy().array(_call(super().run_flat, model, values), 'float32')

    def run_flat_timesteps(self, inputs, input_axis=0, output_axis=0, model_index=0, f32_round=True):
        """One inference for each position on an axis of a table of two axes; the results are stacked to another."""
        np = _numpy()
        model = self._program._model(model_index)
        table = np.moveaxis(self._flat(inputs, model, f32_round), input_axis, 0)
        if table.ndim != 2:
            raise ValueError(f'an array of {table.ndim} axes: expected timesteps by values')
        results = _call(super().run_flat_timesteps, model, len(table), table.ravel().tolist())
        return np.moveaxis(np.array(results, 'float32').reshape(len(table), -1), 0, output_axis)

    def reset(self, model_index=0):
        _call(super().reset, self._program._model(model_index))

    def metrics(self):
        return self._program.metrics()

    def compute_duration_us(self, clock_mhz=None):
        return super().compute_duration_us(0) if clock_mhz is None else _microseconds(self.cycle_count(), clock_mhz)


_export(override(_thing(Vm, 'make another one with Program.to_vm()')))
_export(Vm, 'VM')
