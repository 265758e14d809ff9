"""Watch the program's tables while it runs: which statement changed which, and the requested windows.

Copies are shallow: pandas copies a column when a program writes to it, so keeping an old table costs only its changed
columns.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pandas
import torch

from explorer.runtime.kernel.columns import cell_texts, column_of, largest_first, short
from explorer.runtime.recorder.faults import raise_if_own_fault
from explorer.trace import Table, TableStep, TableTensor, TableWindow
from explorer.trace.tables import COLUMNS, LINKED, ROWS, STEPS

MOST_COMPARED = 4_000_000  # entries of a tensor up to which a table with the same numbers is searched
MOST_LINKS = 20
FIRST_ROWS = 12  # rows of a tensor whose entries are kept


@dataclass(frozen=True)
class _State:
    """A table after a step."""

    step: int
    name: str
    frame: pandas.DataFrame


@dataclass
class Tables:
    """The tables of one run.

    Attributes:
        windows: the requested windows; without any, nothing is watched.
        steps: the statements that changed a table.
    """

    windows: tuple[TableWindow, ...]
    steps: list[TableStep] = field(default_factory=list)
    _now: dict[str, pandas.DataFrame] = field(default_factory=dict)
    _kept: dict[int, _State] = field(default_factory=dict)
    _last: dict[int, _State] = field(default_factory=dict)  # by how many cells are searched for it

    def after(self, mentioned: list[str], namespace: dict, cell: int, span: Callable[[], int]) -> None:
        """Look for changed tables after a statement of a cell.

        Args:
            mentioned: names in the statement; only their tables are compared.
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
        # The widest comes last and is shown.
        for name, now in sorted(changed, key=lambda change: change[1].shape[1]):
            self._add(_State(len(self.steps), name, now), cell, span())

    def _add(self, state: _State, cell: int, span: int) -> None:
        if len(self.steps) >= STEPS:
            return
        self.steps.append(TableStep(short(state.name), span, *state.frame.shape))
        for window in self.windows:
            if window.step == state.step:
                self._kept[state.step] = state
            if not window.cells or cell < window.cells:
                self._last[window.cells] = state

    def kept(self) -> list[Table]:
        """The requested windows, if such tables exist."""
        made = (self._window(number, window) for number, window in enumerate(self.windows))
        return [table for table in made if table is not None]

    def _window(self, number: int, window: TableWindow) -> Table | None:
        if window.name:
            frame = self._now.get(window.name)
            state = None if frame is None else _State(-1, window.name, frame)
        else:
            state = self._kept.get(window.step, self._last.get(window.cells))
        try:
            return None if state is None else _table(number, window, state)
        except Exception as problem:  # a subclass of the program's own may fail
            raise_if_own_fault(problem)
            return None

    def tensors(self, namespace: dict) -> list[TableTensor]:
        """Tensors that hold the numbers of a table, column by column."""
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
        except Exception as problem:  # a sparse tensor, or a class of its own
            raise_if_own_fault(problem)
        return None


def _frame(value: object) -> pandas.DataFrame | None:
    """A shallow copy of a table, a Series as a table of one column, None for anything else."""
    try:
        if isinstance(value, pandas.Series):
            value = value.to_frame()
        return value.copy(deep=False) if isinstance(value, pandas.DataFrame) else None
    except Exception as problem:
        raise_if_own_fault(problem)
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
        raise_if_own_fault(problem)
        return False


def _equal(frame: pandas.DataFrame, entries: np.ndarray, dtype: torch.dtype) -> bool:
    """Whether a table's numbers in this dtype equal those of a tensor."""
    for place in range(frame.shape[1]):
        column = frame.iloc[:, place]
        if not pandas.api.types.is_numeric_dtype(column.dtype):
            return False
        numbers = torch.from_numpy(np.array(column.to_numpy(dtype=float, na_value=np.nan)))
        held = numbers.to(dtype).to(torch.float64).numpy()
        if not np.array_equal(held, entries[:, place], equal_nan=True):
            return False
    return True


# ---- one window --------------------------------------------------------------------------------------------------


def _table(number: int, window: TableWindow, state: _State) -> Table:
    frame = state.frame
    first = min(window.first, len(frame))
    rows = largest_first(frame, window.sort) if window.sort else np.arange(len(frame))
    part = frame.iloc[rows[first : first + min(max(1, window.count), ROWS)], :COLUMNS]
    texts = [cell_texts(part.iloc[:, place]) for place in range(part.shape[1])]
    return Table(
        number,
        state.step,
        short(state.name),
        len(frame),
        frame.shape[1],
        first,
        [column_of(frame.columns[place], frame.iloc[:, place]) for place in range(part.shape[1])],
        [short(str(label)) for label in part.index],
        [list(row) for row in zip(*texts, strict=True)] if texts else [[] for _ in range(len(part))],
    )
