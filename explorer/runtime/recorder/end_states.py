"""Record the final states: last entries, `.grad`, and where in modules tensors are."""

from collections.abc import Callable, Collection
from typing import Any

import torch

from explorer.runtime.recorder import properties
from explorer.runtime.recorder.faults import reraise_recorder_error
from explorer.runtime.recorder.names import NameBook
from explorer.runtime.recorder.nodes import NodeBook
from explorer.runtime.recorder.object_contents import reachable
from explorer.runtime.recorder.roots import OWN, NamedModule, contents_of, with_listed
from explorer.runtime.recorder.rows import STATE_OPERATION, TENSOR_IS_PARAMETER, BindingRow, RunRows
from explorer.runtime.recorder.tensors import TensorBook


def write_end_states(
    tensors: TensorBook, nodes: NodeBook, begun: int, count_unrecorded: Callable[[Exception], None]
) -> None:
    """Record the entries and `.grad` of every living tensor.

    `begun` is as in TensorBook.compare.
    """
    rows = tensors.rows
    sums = nodes.sums(rows.backwards.values())
    for index, tensor in tensors.living():
        rows.remaining.append(index)
        try:
            if tensor.layout is torch.strided:
                tensors.compare(index, tensor, begun)
            gradient = properties.gradient(tensor)
            if gradient is not None:
                rows.tensors.grads[index] = tensors.values.again_or_add(sums.get(index, 0), gradient)
        except Exception as problem:
            count_unrecorded(problem)


def name_all(
    tensors: TensorBook, names: NameBook, roots: list[NamedModule], namespaces: list[dict]
) -> tuple[dict[int, str], list[tuple[str, torch.optim.Optimizer]]]:
    """Name the known tensors. Return each module's path by its id, and the optimizers with their expressions.

    Variables come first (`net.0.weight`), then paths from variables (`trainer.net.0.weight`, `weights[0]`), then loop
    variables, modules called while the program ran, and expressions that were read (`self.w`).
    """
    paths: dict[int, str] = {}
    optimizers: list[tuple[str, torch.optim.Optimizer]] = []
    passing = names.source_map.loop_variables()

    def name_object(name: str, value: Any, known: Collection[int]) -> None:
        if issubclass(type(value), torch.nn.Module) and id(value) not in known:
            _name_module(tensors, names, name, value, paths)
        elif issubclass(type(value), torch.optim.Optimizer) and not name.startswith("_"):
            optimizers.append((name, value))

    variables = [(name, value) for namespace in namespaces for name, value in namespace.items()]
    for name, value in variables:
        if name not in passing:
            name_object(name, value, ())
    own = names.uniquely_named()
    for namespace in namespaces:
        for name, held in reachable(dict(sorted(namespace.items(), key=lambda item: item[0] in passing))):
            name_object(name, held, paths)
            if (
                issubclass(type(held), torch.Tensor)
                and (index := tensors.find(held))
                and index not in own
                and (properties.is_leaf(held) or _is_descriptive(name))
            ):
                own.add(index)
                names.bind(name, "", index, -1, tensors.rows.tensors.first(index, STATE_OPERATION))
    for name, value in variables:
        if name in passing:
            name_object(name, value, paths)
    taken = set(names.current.get("", ()))
    for root in roots:
        _name_root(tensors, names, root, paths, taken)
    names.bind_read()
    names.rows.bindings[:0] = _further_names(tensors, names, roots, paths, passing)
    return paths, optimizers


def present_names(recorder: Any, namespaces: list[dict]) -> list[BindingRow]:
    """Return the names that tensors have at this point of the run."""
    names = NameBook(RunRows(), recorder.source_map)
    name_all(recorder.tensors, names, recorder.roots.found, namespaces)
    return names.rows.bindings


def _is_descriptive(path: str) -> bool:
    """Return whether a path's last step describes the result."""
    return path.endswith('"]') or not path.endswith("]")


def _name_root(
    tensors: TensorBook, names: NameBook, root: NamedModule, paths: dict[int, str], taken: Collection[str]
) -> None:
    """Name the parts of a module that was called, even if it is gone.

    A name that is still there is preferred, as that of another model in the same variable.
    """
    module = root.module()
    if module is not None and id(module) in paths:
        return
    if module is not None:
        for name, outer in with_listed(root.name, module):
            if id(outer) not in paths:
                _name_module(tensors, names, name, outer, paths, taken)
        return
    for part, path in root.parts:
        if (living := part()) is not None:
            paths.setdefault(id(living), path)
    names.rows.models[root.name] = None
    for index, path in root.tensors:
        _name_tensor(names, path, index, taken)


def _further_names(
    tensors: TensorBook, names: NameBook, roots: list[NamedModule], paths: dict[int, str], passing: Collection[str]
) -> list[BindingRow]:
    """Return names that parameters had: ended names, listed first because a name that still exists is preferred.

    They had them under a variable that is gone, for example in a function that got the module, or at the first call of
    a module that has lost them, for example merged adapters or a replaced head. `self` and `cls` do not count.
    """
    rows, known = [], tensors.rows.tensors
    named = {row.tensor for held in names.current.values() for row in held.values() if row.name not in passing}
    named |= tensors.rows.sharded.keys()  # the sharded parameter has the name instead
    for root in roots:
        module, gone = root.module(), root.name not in passing and root.name.split(".")[0] not in OWN
        if module is None:
            continue
        former = [
            (index, name)
            for index, name in root.tensors
            if index not in named and index in known and known.field(index, TENSOR_IS_PARAMETER)
        ]
        if gone and paths.get(id(module)) != root.name:
            there = [(tensors.find(tensor), path) for path, tensor in contents_of(module, root.name)[1]]
            former = [*there, *former]
        rows += [BindingRow(name, "", index, -1, 0, until=1) for index, name in former if index]
    return rows


def _name_module(
    tensors: TensorBook,
    names: NameBook,
    name: str,
    module: torch.nn.Module,
    paths: dict[int, str],
    taken: Collection[str] = (),
) -> None:
    try:
        modules, held = contents_of(module, name)
    except Exception as problem:  # a module whose own methods fail, or whose __init__ has not run
        reraise_recorder_error(problem)
        return
    for path, part in modules:
        paths.setdefault(id(part), path)
    names.rows.models[name] = None
    for path, tensor in held:
        if index := tensors.find(tensor):
            _name_tensor(names, path, index, taken)


def _name_tensor(names: NameBook, path: str, index: int, taken: Collection[str]) -> None:
    if path in taken:
        names.rows.bindings.insert(0, BindingRow(path, "", index, -1, 0))
    else:
        names.bind(path, "", index, -1, 0)
