"""Watch the program's tables while it runs: which statement changed which, and the requested windows.

Copies are shallow: pandas copies a column when a program writes to it, so keeping an old table costs only its changed
columns.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pandas
import torch

from explorer.runtime.kernel.columns import cell_texts, column_of, differs, matches, ordered, short
from explorer.runtime.recorder.faults import raise_if_own_fault
from explorer.trace import Table, TablePart, TableStep, TableTensor, TableWindow
from explorer.trace.tables import COLUMNS, LINKED, ROWS, STEPS

MOST_COMPARED = 4_000_000  # entries of a tensor up to which a table with the same numbers is searched
MOST_LINKS = 20
FIRST_ROWS = 12  # rows of a tensor whose entries are kept


@dataclass(frozen=True)
class _State:
    """A table after a step, and its predecessor."""

    step: int
    name: str
    after: pandas.DataFrame
    before: pandas.DataFrame | None
    of: str


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
        tables, changed = dict(self._now), []
        for name in mentioned:
            now = _frame(namespace.get(name)) if not name.startswith("_") else None
            if now is None:
                self._now.pop(name, None)
                continue
            before = tables.get(name)
            if before is not None and _same(before, now):
                continue
            sources = (other for other in mentioned if other in tables and other != name)
            of = name if before is not None else next(sources, "")
            self._now[name] = now
            changed.append((name, now, of))
        # The widest comes last and is shown.
        for name, now, of in sorted(changed, key=lambda change: change[1].shape[1]):
            self._add(_State(len(self.steps), name, now, tables.get(of), of), cell, span())

    def _add(self, state: _State, cell: int, span: int) -> None:
        if len(self.steps) >= STEPS:
            return
        self.steps.append(TableStep(short(state.name), short(state.of), span, *state.after.shape))
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
            state = None if frame is None else _State(-1, window.name, frame, None, "")
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
    after, before = state.after, state.before
    ours, theirs = _pairs(after, before)
    changed = np.zeros(0, dtype=bool)
    differing: dict[int, np.ndarray] = {}
    if before is not None:
        differing = _differing(after, before, ours, theirs)
        changed = (ours < 0) | (theirs < 0)
        for marked in differing.values():
            changed = changed | marked
    gone, new = int((ours < 0).sum()), int((theirs < 0).sum()) if before is not None else 0
    counted = int(changed.sum()) - gone - new
    places = np.arange(len(ours))
    if not window.compare:
        places = places[ours >= 0]
        if before is not None:
            places = places[np.argsort(ours[places], kind="stable")]  # the table's own order
    places = places[matches(after, window, ours[places], changed[places] if before is not None else None)]
    places = places[ordered(after, window, ours[places])]
    shown = places[max(0, window.first) : max(0, window.first) + min(max(1, window.count), ROWS)]
    marks = {place: marked[shown] for place, marked in differing.items()}
    first = max(0, min(window.first_column, after.shape[1] - 1))
    wide = range(first, min(after.shape[1], first + min(max(1, window.columns), COLUMNS)))
    part = _part(state.name, after, ours[shown], wide, marks, before)
    part = TablePart(**{**_fields(part), "gone": _gone(after, before)})
    beside = None
    if window.compare and before is not None:
        theirs_wide = range(min(first, max(0, before.shape[1] - 1)), min(before.shape[1], first + len(wide)))
        beside = _part(state.of, before, theirs[shown], theirs_wide, {}, None)
    return Table(number, state.step, part, beside, len(places), counted, gone, new)


def _fields(part: TablePart) -> dict:
    return {name: getattr(part, name) for name in part.__struct_fields__}


def _pairs(after: pandas.DataFrame, before: pandas.DataFrame | None) -> tuple[np.ndarray, np.ndarray]:
    """The rows of both tables side by side: positions in each, -1 if one of them has no such row.

    Rows with the same label are the same row; if labels are not unique, rows at the same position.
    """
    count = len(after)
    if before is None:
        return np.arange(count), np.full(count, -1)
    if before.index.is_unique and after.index.is_unique:
        theirs = before.index.get_indexer(after.index)
    else:
        theirs = np.where(np.arange(count) < len(before), np.arange(count), -1)
    places = theirs[theirs >= 0]
    lost = np.setdiff1d(np.arange(len(before)), places)
    ours = np.concatenate([np.arange(count), np.full(len(lost), -1)])
    theirs = np.concatenate([theirs, lost])
    if len(lost) and bool((np.diff(places) > 0).all()):  # removed rows keep their place
        order = np.argsort(np.where(theirs < 0, len(before) + count, theirs), kind="stable")
        ours, theirs = ours[order], theirs[order]
    return ours, theirs


def _differing(
    after: pandas.DataFrame, before: pandas.DataFrame, ours: np.ndarray, theirs: np.ndarray
) -> dict[int, np.ndarray]:
    """Which of the paired rows differ, by the position of each common column."""
    both = (ours >= 0) & (theirs >= 0)
    columns = {str(name): place for place, name in reversed(list(enumerate(before.columns)))}
    masks = {}
    for place, name in enumerate(after.columns):
        if str(name) in columns:
            marked = np.zeros(len(ours), dtype=bool)
            old = before.iloc[:, columns[str(name)]]
            marked[both] = differs(after.iloc[:, place].iloc[ours[both]], old.iloc[theirs[both]])
            masks[place] = marked
    return masks


def _part(
    name: str,
    frame: pandas.DataFrame,
    rows: np.ndarray,
    wide: range,
    marks: dict[int, np.ndarray],
    before: pandas.DataFrame | None,
) -> TablePart:
    columns = [column_of(frame, place, before) for place in wide]
    texts = [cell_texts(frame.iloc[:, place], rows) for place in wide]
    labels = [None if row < 0 else short(str(frame.index[row])) for row in rows]
    cells = [[column[at] for column in texts] for at in range(len(rows))]
    marked = [
        at * len(columns) + k
        for k, place in enumerate(wide)
        if place in marks
        for at in np.flatnonzero(marks[place]).tolist()
    ]
    return TablePart(short(name), len(frame), frame.shape[1], columns, labels, cells, sorted(marked))


def _gone(after: pandas.DataFrame, before: pandas.DataFrame | None) -> list[str]:
    if before is None:
        return []
    names = {str(name) for name in after.columns}
    return [short(str(name)) for name in before.columns if str(name) not in names][:COLUMNS]
