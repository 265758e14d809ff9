"""Tables of a program whose missing cells became NaN in a tensor."""

import sys
from collections.abc import Iterator
from itertools import islice
from types import FrameType
from typing import Any, NamedTuple, TypeGuard

import numpy as np
import torch

from explorer.runtime.recorder.faults import reraise_recorder_error
from explorer.runtime.recorder.memory import require
from explorer.runtime.recorder.object_contents import contents
from explorer.runtime.recorder.source_map import plain_variables, release_variables
from explorer.trace.tables import CELL, HOLED, MissingCells

CREATORS = frozenset(("tensor", "as_tensor", "asarray", "scalar_tensor"))  # calls that take their numbers from outside
MOST_ENTRIES = 4_000_000  # entries of a tensor whose table is searched
_MOST_TENSORS, _MOST_NAMES, _MOST_COLUMNS, _MOST_CALLERS = 100, 2_000, 200, 4
_DISTINCT = 3  # numbers shared with a column that identify it as the source


class _Column(NamedTuple):
    name: str
    numbers: np.ndarray
    missing: np.ndarray


def note_missing(
    rows: list[MissingCells], index: int, tensor: object, frame: FrameType | None, variables: dict | None = None
) -> None:
    """Add a row if a new tensor's NaN come from a table in scope."""
    pandas = sys.modules.get("pandas")
    try:
        if pandas is None or len(rows) >= _MOST_TENSORS or not _has_nan(tensor):
            return
        entries = tensor.detach().to("cpu", torch.float64).numpy()
        block = entries.reshape(len(entries), -1)
        for name, table in _tables(pandas, frame, variables):
            if found := _in_table(pandas, table, block, tensor):
                counts = [int(column.missing.sum()) for column in found]
                names = [column.name[:CELL] for column in found]
                rows.append(MissingCells(index, name[:CELL], len(table), names[:HOLED], counts[:HOLED], tensor.ndim))
                return
    except Exception as problem:  # a subclass of the program's own may fail
        reraise_recorder_error(problem)


def _has_nan(tensor: object) -> TypeGuard[torch.Tensor]:
    """Return whether a tensor may come from a table with missing cells."""
    if type(tensor) is not torch.Tensor or tensor.layout is not torch.strided or not tensor.is_cpu:
        return False
    if tensor.requires_grad or not tensor.is_floating_point() or tensor.ndim not in (1, 2):
        return False
    if not 1 < tensor.numel() <= MOST_ENTRIES:
        return False
    try:
        require(tensor)
    except RuntimeError:  # its memory was freed, or is not there
        return False
    return bool(tensor.isnan().any())


def _tables(pandas: Any, frame: FrameType | None, variables: dict | None) -> Iterator[tuple[str, Any]]:
    """Yield the tables in or directly inside variables, by name."""
    kinds, seen = (pandas.DataFrame, pandas.Series), set[int]()
    for scope in _scopes(frame, variables):
        for name, value in islice(scope.items(), _MOST_NAMES):
            inside = () if issubclass(type(value), kinds) else contents(value)
            for path, held in ((name, value), *((f"{name}{step}", part) for step, part in inside)):
                if issubclass(type(held), kinds) and id(held) not in seen and not name.startswith("_"):
                    seen.add(id(held))
                    yield path, held.to_frame() if issubclass(type(held), pandas.Series) else held


def _scopes(frame: FrameType | None, variables: dict | None) -> Iterator[dict[str, Any]]:
    """Copy the variables of a frame, its callers in the file, and its module."""
    if variables is not None:
        yield plain_variables(variables)
    module = frame.f_globals if frame is not None else None
    for _ in range(_MOST_CALLERS):
        if frame is None or frame.f_globals is not module or frame.f_locals is module:
            break
        local = frame.f_locals
        yield plain_variables(local)
        release_variables(frame, local)
        frame = frame.f_back
    if module is not None:
        yield plain_variables(module)


def _in_table(pandas: Any, table: Any, block: np.ndarray, tensor: torch.Tensor) -> list[_Column]:
    """Return the table's columns whose missing cells are a tensor's NaN."""
    numeric = [at for at in range(min(table.shape[1], _MOST_COLUMNS)) if _is_numeric(pandas, table.dtypes.iloc[at])]
    columns = [_column(table, at, tensor.dtype) for at in numeric]
    holed = [column for column in columns if column.missing.any()]
    if not holed:
        return []
    lacking = [block[:, at] for at in range(min(block.shape[1], _MOST_COLUMNS)) if np.isnan(block[:, at]).any()]
    found = [_source(numbers, holed) for numbers in lacking]
    if None not in found:
        return [column for column in holed if any(column is one for one in found)]
    if tensor.ndim == 2 or block.shape[0] > len(columns):
        return []
    return _of_row(block[:, 0], columns)


def _is_numeric(pandas: Any, dtype: Any) -> bool:
    kinds = pandas.api.types
    return kinds.is_numeric_dtype(dtype) and not kinds.is_complex_dtype(dtype)


def _column(table: Any, at: int, dtype: torch.dtype) -> _Column:
    """Return a column converted to this dtype."""
    numbers = np.array(table.iloc[:, at].to_numpy(dtype=float, na_value=np.nan))
    return _Column(str(table.columns[at]), torch.from_numpy(numbers).to(dtype).double().numpy(), np.isnan(numbers))


def _source(numbers: np.ndarray, holed: list[_Column]) -> _Column | None:
    """Return the table column behind a tensor's numbers, None if unknown.

    They may be unchanged, rescaled, or a part.
    """
    same = (column for column in holed if np.array_equal(numbers, column.numbers, equal_nan=True))
    alike = [column for column in holed if _may_be_from(numbers, column)]
    return next(same, alike[0] if len(alike) == 1 else None)


def _may_be_from(numbers: np.ndarray, column: _Column) -> bool:
    if len(numbers) == len(column.numbers):
        return bool(np.array_equal(np.isnan(numbers), column.missing))
    if np.array_equal(numbers, column.numbers[: len(numbers)], equal_nan=True):  # its first rows
        return True
    there = np.unique(numbers[~np.isnan(numbers)])
    return len(there) >= _DISTINCT and bool(np.isin(there, column.numbers).all())


def _of_row(numbers: np.ndarray, columns: list[_Column]) -> list[_Column]:
    """Return the missing columns of the table row behind a tensor."""
    table = np.stack([column.numbers for column in columns], axis=1)
    for first in range(len(columns) - len(numbers) + 1):
        part = table[:, first : first + len(numbers)]
        if ((part == numbers) | (np.isnan(part) & np.isnan(numbers))).all(axis=1).any():
            return [columns[first + at] for at in np.flatnonzero(np.isnan(numbers))]
    return []
