# SPDX-License-Identifier: Apache-2.0
"""The interface of ONNX for runtimes (onnx.backend.base): ONNX's own test runner and scoreboards drive Assay through it.

The device `CPU` is the built-in reference; a runner of `assay run --on` is a device by its name, and so is a target that
programs are made for, such as `ia_420f_c6b32`, on whose machine the model runs then."""
import os
import tempfile

import numpy as np
import onnx
from onnx.backend import base
from onnx.backend.test.runner import BackendIsNotSupposedToImplementIt

import assay

RUNNERS = ('reference', 'reference-fp64', 'ort')


def _runner_of(device):
    return 'reference' if device == 'CPU' else device


def _wanted(model):
    """The inputs that have to be given."""
    constants = {tensor.name for tensor in model.graph.initializer}
    constants |= {tensor.values.name for tensor in model.graph.sparse_initializer}
    return [value.name for value in model.graph.input if value.name not in constants]


def _element_type(value):
    """Type of the elements of a tensor, and of those that a sequence or an optional is made of."""
    kind = value.WhichOneof('value')
    if kind in ('sequence_type', 'optional_type'):
        return _element_type(getattr(value, kind).elem_type)
    return value.tensor_type.elem_type


def _refuse_maps(model):
    for value in model.graph.input:
        kind = value.type.WhichOneof('value')
        if kind not in (None, 'tensor_type', 'sequence_type', 'optional_type'):
            raise BackendIsNotSupposedToImplementIt(f'{value.name} is a {kind}; no operator makes one of tensors')


def _to_input(value, dtype):
    """Tensors of the type that the model says, in lists where it takes them."""
    if value is None or isinstance(value, (list, tuple)):
        return value and [_to_input(item, dtype) for item in value]
    return assay.Tensor(value, dtype)


class AssayRep(base.BackendRep):
    """A model that is ready to run."""

    def __init__(self, model, device):
        _refuse_maps(model)
        self.input_names = _wanted(model)
        types = {value.name: _element_type(value.type) for value in model.graph.input}
        self._dtypes = [assay.DType(types[name]) for name in self.input_names]
        self.output_names = [value.name for value in model.graph.output]
        self._runner = _runner_of(device)
        # Constants stay in the file until they are needed, and some runners read it themselves.
        self._folder = tempfile.TemporaryDirectory(prefix='assay-')
        path = os.path.join(self._folder.name, 'model.onnx')
        onnx.save(model, path)
        self._nnir = assay.NNIR.from_onnx(path)
        self._program = None
        if self._runner not in RUNNERS:
            self._program = self._nnir.to_program(assay.Config.preset(self._runner))

    def run(self, inputs, **kwargs):
        """Arrays by the order or by the names of the inputs; gives a tuple with the names of the outputs."""
        if isinstance(inputs, dict):
            inputs = [inputs[name] for name in self.input_names]
        elif isinstance(inputs, np.ndarray):
            inputs = [inputs]
        if len(inputs) != len(self.input_names):
            raise ValueError(f'{len(inputs)} inputs, the model has {len(self.input_names)}')
        tensors = [_to_input(value, dtype) for value, dtype in zip(inputs, self._dtypes)]
        outputs = (self._program.run_on('vm', tensors) if self._program is not None else
                   self._nnir.run_on(self._runner, tensors))
        outputs = [outputs] if len(self.output_names) == 1 else outputs
        return base.namedtupledict('Outputs', self.output_names)(*outputs)


class AssayBackend(base.Backend):
    """Imports a model, checks it with ONNX's checker first, and runs it."""

    @classmethod
    def is_compatible(cls, model, device='CPU', **kwargs):
        try:
            cls.prepare(model, device, **kwargs)
        except (assay.AssayException, BackendIsNotSupposedToImplementIt):
            return False
        return True

    @classmethod
    def prepare(cls, model, device='CPU', **kwargs):
        if not cls.supports_device(device):
            raise ValueError(f'there is no device {device}')
        super().prepare(model, device, **kwargs)
        return AssayRep(model, device)

    @classmethod
    def run_model(cls, model, inputs, device='CPU', **kwargs):
        return cls.prepare(model, device, **kwargs).run(inputs)

    @classmethod
    def run_node(cls, node, inputs, device='CPU', outputs_info=None, **kwargs):
        super().run_node(node, inputs, device, outputs_info, **kwargs)
        names = [name for name in dict.fromkeys(node.input) if name]
        values = dict(zip([name for name in node.input if name], map(np.asarray, inputs)))
        types = [onnx.helper.make_tensor_value_info(name, onnx.helper.np_dtype_to_tensor_dtype(values[name].dtype)
                                                    if hasattr(onnx.helper, 'np_dtype_to_tensor_dtype') else
                                                    onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[values[name].dtype],
                                                    values[name].shape) for name in names]
        outputs = [onnx.ValueInfoProto(name=name) for name in node.output if name]
        graph = onnx.helper.make_graph([node], 'node', types, outputs)
        opset = kwargs.get('opset_version', onnx.defs.onnx_opset_version())
        imports = [onnx.helper.make_opsetid(node.domain, opset if node.domain in ('', 'ai.onnx') else 1)]
        model = onnx.helper.make_model(graph, opset_imports=imports)
        # What comes out has no type, which the checker of models would refuse.
        return AssayRep(model, device).run([values[name] for name in names])

    @classmethod
    def supports_device(cls, device):
        if device == 'CPU' or device in RUNNERS:
            return True
        try:
            assay.Config.preset(device)
        except assay.AssayException:
            return False
        return True


is_compatible = AssayBackend.is_compatible
prepare = AssayBackend.prepare
run_model = AssayBackend.run_model
run_node = AssayBackend.run_node
supports_device = AssayBackend.supports_device
