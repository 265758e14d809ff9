"""How things stand when the program has ended: last entries, `.grad`, and where in modules tensors lie."""

from collections.abc import Callable

import torch

from explorer.runtime.recording import answers
from explorer.runtime.recording.names import NameBook
from explorer.runtime.recording.tensors import TensorBook


def write_end_states(tensors: TensorBook, lost: Callable[[], None]) -> None:
    """Write down the entries and the `.grad` of every tensor that still lives; `lost` is told of each that fails."""
    for index, tensor in tensors.living():
        try:
            if tensor.layout is torch.strided:
                tensors.compare(index, tensor)
            gradient = answers.gradient(tensor)
            if gradient is not None:
                tensors.rows.tensors[index].grad = tensors.values.add(gradient)
        except Exception:
            lost()


def name_modules(tensors: TensorBook, names: NameBook, namespaces: list[dict]) -> dict[int, str]:
    """The path of each module by its id; names such as `net.0.weight` are bound to the known tensors of modules."""
    paths: dict[int, str] = {}
    for namespace in namespaces:
        for name, value in list(namespace.items()):
            if isinstance(value, torch.nn.Module):
                _name_module(tensors, names, name, value, paths)
    return paths


def _name_module(
    tensors: TensorBook, names: NameBook, name: str, module: torch.nn.Module, paths: dict[int, str]
) -> None:
    try:
        modules = list(module.named_modules())
        held = [*module.named_parameters(), *module.named_buffers()]
    except Exception:  # a module whose own methods fail, or whose __init__ has not run
        return
    for path, part in modules:
        paths.setdefault(id(part), f"{name}.{path}" if path else name)
    for path, tensor in held:
        index = tensors.find(tensor)
        if index:
            names.bind(f"{name}.{path}", "", index, -1, 0)
