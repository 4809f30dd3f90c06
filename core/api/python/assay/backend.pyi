# SPDX-License-Identifier: Apache-2.0
from typing import Any, Optional, Sequence

RUNNERS: tuple[str, ...]

class AssayRep:
    input_names: list[str]
    output_names: list[str]
    def __init__(self, model: Any, device: str) -> None: ...
    def run(self, inputs: Any, **kwargs: Any) -> tuple[Any, ...]: ...

class AssayBackend:
    @classmethod
    def is_compatible(cls, model: Any, device: str = 'CPU', **kwargs: Any) -> bool: ...
    @classmethod
    def prepare(cls, model: Any, device: str = 'CPU', **kwargs: Any) -> AssayRep: ...
    @classmethod
    def run_model(cls, model: Any, inputs: Any, device: str = 'CPU', **kwargs: Any) -> tuple[Any, ...]: ...
    @classmethod
    def run_node(cls, node: Any, inputs: Any, device: str = 'CPU', outputs_info: Optional[Sequence[Any]] = None,
                 **kwargs: Any) -> tuple[Any, ...]: ...
    @classmethod
    def supports_device(cls, device: str) -> bool: ...

is_compatible = AssayBackend.is_compatible
prepare = AssayBackend.prepare
run_model = AssayBackend.run_model
run_node = AssayBackend.run_node
supports_device = AssayBackend.supports_device
