"""The program's tables: recently changed, requested windows, and tensors of their numbers.

A window has the statistics of each column, and the texts of its cells.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import torch

from explorer.runtime.recorder.assemble import readable
from explorer.runtime.recorder.faults import reraise_recorder_error
from explorer.trace import Table, TableColumn, TableTensor, TableWindow
from explorer.trace.tables import BARS, CELL, COLUMNS, LINKED, ROWS, Kind

if TYPE_CHECKING:
    import pandas  # a program without tables does not import it

MOST_COMPARED = 4_000_000  # largest tensor for which a table with the same numbers is searched
MOST_LINKS = 20
FIRST_ROWS = 12  # rows kept of a tensor
CELLS = 4_000  # cells of a window: wide tables have fewer rows
DECIMALS = 6  # most decimals of a column


@dataclass
class Tables:
    """The tables of a run.

    Attributes: windows: the requested windows. Without any, nothing is watched.
    """

    windows: tuple[TableWindow, ...]
    _now: dict[str, pandas.DataFrame] = field(default_factory=dict)
    _last: dict[int, tuple[str, pandas.DataFrame]] = field(default_factory=dict)  # number of cells → the last change

    def after(self, mentioned: list[str], namespace: dict, cell: int) -> None:
        """Find changed tables after a statement of a cell.

        Args: mentioned: names in the statement. Only their tables are compared.
        """
        if not self.windows:
            return
        changed = []
        for name in mentioned:
            now = _frame(namespace.get(name)) if not name.startswith("_") else None
            if now is None:
                self._now.pop(name, None)
                continue
            before = self._now.get(name)
            if before is None or not _same(before, now):
                self._now[name] = now
                changed.append((name, now))
        for window in self.windows if changed else ():
            if not window.cells or cell < window.cells:
                self._last[window.cells] = max(changed, key=lambda change: change[1].shape[1])  # the widest change

    def kept(self) -> list[Table]:
        """Return the requested windows of existing tables."""
        made = (self._window(number, window) for number, window in enumerate(self.windows))
        return [table for table in made if table is not None]

    def _window(self, number: int, window: TableWindow) -> Table | None:
        if window.name:
            found = (window.name, self._now[window.name]) if window.name in self._now else None
        else:
            found = self._last.get(window.cells)
        try:
            return None if found is None else _table(number, window, *found)
        except Exception as problem:  # a subclass defined by the program may fail
            reraise_recorder_error(problem)
            return None

    def tensors(self, namespace: dict) -> list[TableTensor]:
        """Return the tensors with the numbers of a table, column by column."""
        links: list[TableTensor] = []
        for name, value in list(namespace.items()):
            if name.startswith("_") or not isinstance(value, torch.Tensor) or len(links) >= MOST_LINKS:
                continue
            linked = self._linked(name, value) if self.windows else None
            if linked is not None:
                links.append(linked)
        return links

    def _linked(self, name: str, tensor: torch.Tensor) -> TableTensor | None:
        try:
            if tensor.ndim not in (1, 2) or not 0 < tensor.numel() <= MOST_COMPARED or tensor.is_complex():
                return None
            entries = tensor.detach().to(torch.float64).clone().numpy().reshape(len(tensor), -1)
            for table, frame in reversed(list(self._now.items())):
                if frame.shape == entries.shape and _equal(frame, entries, tensor.dtype):
                    columns = [short(str(column)) for column in frame.columns[:LINKED]]
                    shown = entries[:FIRST_ROWS, :COLUMNS].tolist()
                    return TableTensor(short(name), short(table), columns, shown)
        except Exception as problem:  # a sparse tensor, or a subclass
            reraise_recorder_error(problem)
        return None


def _frame(value: object) -> pandas.DataFrame | None:
    """Copy a table shallowly, with a Series as a single column, else None."""
    if (pandas := sys.modules.get("pandas")) is None:
        return None
    try:
        if isinstance(value, pandas.Series):
            value = value.to_frame()
        return value.copy(deep=False) if isinstance(value, pandas.DataFrame) else None
    except Exception as problem:
        reraise_recorder_error(problem)
        return None


def _same(table: pandas.DataFrame, other: pandas.DataFrame) -> bool:
    try:
        return bool(
            table.shape == other.shape
            and table.columns.equals(other.columns)
            and list(table.dtypes) == list(other.dtypes)
            and table.index.equals(other.index)
            and table.equals(other)
        )
    except Exception as problem:
        reraise_recorder_error(problem)
        return False


def _equal(frame: pandas.DataFrame, entries: np.ndarray, dtype: torch.dtype) -> bool:
    """Return whether a table's numbers in this dtype equal a tensor's."""
    from pandas.api import types

    for place in range(frame.shape[1]):
        column = frame.iloc[:, place]
        if not types.is_numeric_dtype(column.dtype):
            return False
        numbers = torch.from_numpy(np.array(column.to_numpy(dtype=float, na_value=np.nan)))
        held = numbers.to(dtype).to(torch.float64).numpy()
        if not np.array_equal(held, entries[:, place], equal_nan=True):
            return False
    return True


# ---- one window --------------------------------------------------------------------------------------------------


def _table(number: int, window: TableWindow, name: str, frame: pandas.DataFrame) -> Table:
    rows = largest_first(frame, window.sort) if window.sort else np.arange(len(frame))
    most = max(1, min(window.count, ROWS, CELLS // max(1, frame.shape[1])))
    part = frame.iloc[rows[:most], :COLUMNS]
    texts = [cell_texts(part.iloc[:, place]) for place in range(part.shape[1])]
    return Table(
        number,
        short(name),
        len(frame),
        frame.shape[1],
        [column_of(frame.columns[place], frame.iloc[:, place]) for place in range(part.shape[1])],
        [short(str(label)) for label in part.index],
        [list(row) for row in zip(*texts, strict=True)] if texts else [[] for _ in range(len(part))],
    )


def short(text: str) -> str:
    """Shorten a text to the length of a name or cell."""
    return readable(text)[:CELL]


def kind_of(column: pandas.Series) -> Kind:
    """Return the kind of values in a column."""
    import pandas
    from pandas.api import types

    dtype = column.dtype
    if types.is_bool_dtype(dtype):
        return "truth"
    if types.is_complex_dtype(dtype):
        return "other"
    if types.is_numeric_dtype(dtype):
        return "number"
    if types.is_datetime64_any_dtype(dtype):
        return "date"
    if isinstance(dtype, pandas.CategoricalDtype):
        return "text"
    inferred = types.infer_dtype(column, skipna=True)
    if inferred == "string":
        return "text"
    if inferred == "boolean":
        return "truth"
    return "mixed" if inferred.startswith("mixed") else "text" if inferred == "empty" else "other"


def column_of(name: object, column: pandas.Series) -> TableColumn:
    """Return the statistics of a column over all rows."""
    kind = kind_of(column)
    missing = column.isna()
    there = column[~missing]
    try:
        distinct = int(there.nunique())
    except TypeError:  # lists and dictionaries
        distinct = -1
    facts: dict = {}
    if kind in ("number", "date") and len(there):
        facts = {"low": _text(there.min(), _digits(there)), "high": _text(there.max(), _digits(there))}
    if kind == "number":
        numbers = there.to_numpy(dtype=float)
        finite = numbers[np.isfinite(numbers)]
        with np.errstate(all="ignore"):
            facts["mean"] = float(finite.mean()) if len(finite) else None
    facts["bars"] = _bars(there, kind, distinct)
    facts["numbered"] = isinstance(name, int | np.integer) and not isinstance(name, bool)
    return TableColumn(short(str(name)), short(str(column.dtype)), kind, int(missing.sum()), distinct, **facts)


def _bars(there: pandas.Series, kind: Kind, distinct: int) -> list[int]:
    """Count the values of a column without its missing cells, for a histogram."""
    if distinct < 1:
        return []
    if kind not in ("number", "date") or distinct <= BARS:
        counts = there.value_counts()
        if kind in ("number", "date"):
            return counts.sort_index().tolist()
        most = counts.tolist()[:BARS]
        return most if most[0] > 1 and 2 * sum(most) > len(there) else []  # of names, no few values say anything
    numbers = (there - there.min()).dt.total_seconds() if kind == "date" else there
    numbers = numbers.to_numpy(dtype=float)
    numbers = numbers[np.isfinite(numbers)]
    with np.errstate(all="ignore"):
        span = np.ptp(numbers) if len(numbers) else 0.0
    return np.histogram(numbers, BARS)[0].tolist() if np.isfinite(span) else []


def cell_texts(column: pandas.Series) -> list[str | None]:
    """Return the cells' texts with equal decimals, None for missing values."""
    digits = _digits(column)
    cells = list(zip(column.isna().tolist(), column.tolist(), strict=True))
    texts = [None if empty else _text(value, digits) for empty, value in cells]
    if column.dtype.kind != "f" or any(
        text is not None and not text.lstrip("-").replace(".", "").isdigit() for text in texts
    ):
        return texts  # including exponents and infinite values
    most = min(max((len(text.partition(".")[2]) for text in texts if text), default=0), DECIMALS)
    return [None if empty else f"{float(value) + 0.0:.{most}f}" for empty, value in cells]


def _digits(column: pandas.Series) -> int:
    """Return the number of significant digits."""
    return 7 if str(column.dtype).lower() in ("float32", "float16") else 10


def _text(value: object, digits: int) -> str:
    if isinstance(value, float | np.floating):
        return f"{float(value) + 0.0:.{digits}g}"  # avoids "-0"
    from pandas import Timestamp

    text = str(value)
    return short(text.removesuffix(" 00:00:00") if isinstance(value, Timestamp) else text)


def largest_first(frame: pandas.DataFrame, name: str) -> np.ndarray:
    """Return row numbers, sorted by a column's magnitudes."""
    place = next((at for at, label in enumerate(frame.columns) if short(str(label)) == name), None)
    if place is None or kind_of(frame.iloc[:, place]) != "number":
        return np.arange(len(frame))
    return np.argsort(-frame.iloc[:, place].abs().to_numpy(dtype=float, na_value=-1.0), kind="stable")
