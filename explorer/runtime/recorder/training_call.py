"""A backward call in a training step: loss, leaves, surrounding loops."""

import ast
import contextlib
import math
from collections.abc import Iterator
from types import FrameType
from typing import Any

import numpy as np
import torch
from torch._C import TensorBase

from explorer.runtime.recorder import properties
from explorer.runtime.recorder.entries import single
from explorer.runtime.recorder.measures import Readable
from explorer.runtime.recorder.object_contents import contents, read_path
from explorer.runtime.recorder.source import path_of
from explorer.runtime.recorder.source_map import SourceMap, release_variables

_AccumulateGrad = vars(torch._C._functions)["AccumulateGrad"]
_NAMED = 40  # longest value of a loop variable
_FRAMES = 60  # most frames of the program around a backward


def loss_of(outputs) -> float:
    """Return the sum of the roots, each the mean of its entries."""
    total = 0.0
    for output in outputs:
        entries = Readable(output) if isinstance(output, torch.Tensor) else None
        if not entries or TensorBase.is_complex(output):
            return math.nan
        try:
            if entries.array is None:
                total += single(TensorBase.mean(TensorBase.double(TensorBase.detach(entries.tensor))))
            elif len(entries.array) == 1:
                total += float(entries.array[0])
            else:
                total += float(entries.array.mean(dtype=np.float64))
        except RuntimeError:  # quantized numbers, another device
            return math.nan
    return total


def leaves_of(outputs, inputs, recorded: list[torch.Tensor] | None = None) -> list[torch.Tensor]:
    """Return the leaves that get gradients from a call.

    `recorded`: those below its roots, if their graph is recorded.
    """
    if inputs:
        return [input_ for input_ in inputs if isinstance(input_, torch.Tensor) and properties.is_leaf(input_)]
    if recorded is not None:
        return recorded
    nodes: list[Any] = [
        properties.grad_fn(output) if isinstance(output, torch.Tensor) else output.node for output in outputs
    ]
    leaves = [
        output
        for output in outputs
        if isinstance(output, torch.Tensor) and output.grad_fn is None and output.requires_grad
    ]
    left = [node for node in nodes if node is not None]
    seen = set(left)
    while left:
        node = left.pop()
        if type(node) is _AccumulateGrad:
            leaves.append(node.variable)
            continue
        for below, _ in reversed(node.next_functions):
            if below is not None and below not in seen:
                seen.add(below)
                left.append(below)
    return leaves


def _around(frame: FrameType, source_map: SourceMap) -> Iterator[FrameType]:
    """Yield the program's frames around this call, innermost first."""
    files, walk, count = source_map.files, frame, 0
    while walk is not None and count < _FRAMES:
        if files[walk.f_code.co_filename] >= 0:
            count += 1
            yield walk
        walk = walk.f_back


def rounds_at(source_map: SourceMap, frame: FrameType) -> list[tuple[str, str]]:
    """Return the loop variables, outermost first, with short values."""
    rounds: list[tuple[str, str]] = []
    for caller in _around(frame, source_map):
        around = source_map.call_site(caller).around
        if not around:
            continue
        variables = caller.f_locals
        here = []
        for loop in around:
            name = loop.variable or source_map.counter(caller, loop)
            text = _text(variables.get(name, caller.f_globals.get(name))) if name else ""
            if text:
                here.append((name, text))
        rounds[:0] = here
        release_variables(caller, variables)
    return rounds


def _text(value: object) -> str:
    """Return a number, short text or boolean as text, otherwise ""."""
    if isinstance(value, int) and type(value) in (int, bool):
        return str(value) if abs(value) < 10**_NAMED else ""
    if type(value) is float:
        return f"{value:.6g}"
    return value if type(value) is str and len(value) <= _NAMED and value.isprintable() else ""


def names_at(tensors: dict[int, torch.Tensor], frame: FrameType, source_map: SourceMap) -> dict[int, str]:
    """Return tensors' names (by id) at this place.

    A name is a variable, or an entry or attribute. A loop variable does not count, since its tensor changes.
    """
    names: dict[int, str] = {}
    around = list(_around(frame, source_map))
    passing = {name for caller in around for loop in source_map.code(caller.f_code).loops for name in loop.variables}
    scopes = [(caller, caller.f_locals) for caller in around]
    outer = [(None, caller.f_globals) for caller in around[-1:]]
    for _, variables in (*scopes, *outer):
        for name, value in list(variables.items()):
            if id(value) in tensors and name not in passing:
                names.setdefault(id(value), name)
    if len(names) < len(tensors):
        for _, variables in (*scopes, *outer):
            for name, value in list(variables.items()):
                for path, held in contents(value):
                    if id(held) in tensors:
                        names.setdefault(id(held), f"{name}{path}")
    while scopes:
        caller, variables = scopes.pop()
        release_variables(caller, variables)
    return names


def held_under(name: str, namespaces: list[dict]) -> Iterator[object]:
    """Yield the objects under a name of `names_at`, by namespace."""
    with contextlib.suppress(SyntaxError, ValueError):  # a key may contain anything
        path = path_of(ast.parse(name, mode="eval").body)
        yield from (read_path(path, variables) for variables in namespaces if path is not None)
