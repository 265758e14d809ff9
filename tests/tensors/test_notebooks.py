"""Every tensor of whole notebooks, compared with plain torch."""

import ast
import contextlib
import io
import random
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch

from explorer.analysis.views.tensors.memory import memory_map
from explorer.analysis.views.tensors.program_lines import ProgramLine, line_of, value_of
from explorer.analysis.views.tensors.tensor_list import tensor_list
from explorer.analysis.views.tensors.views import tensor_view
from explorer.runtime.execute import execute
from explorer.trace import Options, Trace
from tests.notebooks import NOTEBOOKS, notebook


@cache
def traced(name: str) -> Trace:
    return execute(notebook(name), Options(full=("*",)))


def run_plainly(trace: Trace, folder: Path):
    """Run the cells in plain Python; yield each cell's current names and the echoed tensor."""
    torch.manual_seed(0), np.random.seed(0), random.seed(0)
    names: dict = {}
    with contextlib.chdir(folder), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, cell in enumerate(trace.cells):
            echoed = None
            with contextlib.suppress(Exception), contextlib.redirect_stdout(io.StringIO()):
                tree = ast.parse(cell.source.replace("%matplotlib", "# "))
                last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
                exec(compile(tree, "cell", "exec"), names)
                if last is not None:
                    echoed = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
            yield number, names, (ast.unparse(last.value), echoed) if last is not None else ("", None)


def same(value, tensor: torch.Tensor) -> bool:
    if (value.shape, value.dtype) != (tuple(tensor.shape), str(tensor.dtype).removeprefix("torch.")):
        return False
    if value.data is None:  # a large tensor that has changed since: its range
        return np.isclose(value.norm, float(tensor.double().norm()))
    return np.array_equal(np.array(value.data), tensor.detach().reshape(-1).numpy(), equal_nan=True)


def indented(trace: Trace, place: ProgramLine) -> bool:
    return trace.cells[place.cell].source.split("\n")[place.line - 1][:1].isspace()


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_every_line_of_a_notebook_shows_torchs_values(name, tmp_path):
    trace, checked = traced(name), 0
    by_cell: dict[tuple[int, str], object] = {}
    for one in tensor_list(trace):
        if one.place is not None:
            by_cell[one.place.cell, one.name] = one  # the last line of a cell counts
    (tmp_path / "work").mkdir()
    for cell, names, (text, echoed) in run_plainly(trace, tmp_path / "work"):
        for (at, name), one in by_cell.items():
            if at == cell and isinstance(names.get(name), torch.Tensor) and not name.startswith("_"):
                if not one.named or "torch.empty(" in line_of(trace, one.place) or indented(trace, one.place):
                    continue  # a function's local name, or uninitialized memory
                assert same(value_of(trace, one.version), names[name]), f"cell {cell + 1}: {name}"
                checked += 1
        one = by_cell.get((cell, text))
        if one is not None and isinstance(echoed, torch.Tensor) and not text.startswith("torch.empty("):
            assert same(value_of(trace, one.version), echoed), f"cell {cell + 1}: {text}"
            checked += 1
    assert checked >= 9


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_every_name_of_a_notebook_shares_memory_like_in_torch(name, tmp_path):
    trace = traced(name)
    (tmp_path / "work").mkdir()
    *_, (_, names, _) = run_plainly(trace, tmp_path / "work")
    tensors = {name: value for name, value in names.items() if isinstance(value, torch.Tensor)}
    known = {name: trace.bound(name) for name in tensors}
    assert tensors and None not in known.values()
    for name, tensor in tensors.items():
        view = tensor_view(trace, known[name])
        told = (view.shape, view.stride, view.offset, view.contiguous, view.requires_grad, view.is_leaf, view.entries)
        assert told == (
            tuple(tensor.shape),
            tensor.stride(),
            tensor.storage_offset(),
            tensor.is_contiguous(),
            tensor.requires_grad,
            tensor.is_leaf,
            tensor.numel(),
        )
        assert view.states[view.state].counter == tensor._version, name
        assert same(view.value, tensor)
    lies = {name: trace.tensors.storage[tensor] for name, tensor in known.items()}
    for one in tensors:
        for other in tensors:
            shares = tensors[one].untyped_storage().data_ptr() == tensors[other].untyped_storage().data_ptr()
            assert (lies[one] == lies[other]) == shares, (one, other)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebooks_storages_match_their_views(name):
    trace = traced(name)
    for storage in memory_map(trace):
        for view in storage.views:
            if view.kind != "tensor" or not view.living:
                continue
            value = tensor_view(trace, view.tensor).value
            if value.data is not None:
                read = [storage.values[place] for place in view.places]
                assert np.array_equal(read, value.data, equal_nan=value.nonfinite > 0), view.label
