"""One column of a table: its statistics, the texts of its cells, and which of them match, differ and come first."""

from typing import Literal

import numpy as np
import pandas
from pandas.api import types

from explorer.runtime.recorder.assemble import readable
from explorer.runtime.recorder.faults import raise_if_own_fault
from explorer.trace import TableColumn, TableWindow
from explorer.trace.tables import CELL, COMMON

_PARTS = 12  # of a histogram, at most trace.tables.BARS

Kind = Literal["number", "truth", "text", "date", "mixed", "other"]


def short(text: str) -> str:
    """A text shortened to the length kept for a name or cell."""
    return readable(text)[:CELL]


def kind_of(column: pandas.Series) -> Kind:
    """The kind of values in a column."""
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


def column_of(frame: pandas.DataFrame, place: int, before: pandas.DataFrame | None) -> TableColumn:
    """The statistics of a column over all rows, and whether it differs from before."""
    column = frame.iloc[:, place]
    kind = kind_of(column)
    missing = column.isna()
    there = column[~missing]
    try:
        distinct = int(there.nunique())
    except TypeError:  # lists and dictionaries
        distinct = -1
    facts: dict = {}
    if kind in ("number", "date") and len(there):
        facts = _range(there, kind)
    elif distinct >= 0 and len(there):
        counts = there.astype(str).value_counts().head(COMMON)
        facts = {"common": [short(str(text)) for text in counts.index], "bars": [int(count) for count in counts]}
    state, changed = _against(frame, place, before)
    return TableColumn(
        short(str(frame.columns[place])),
        short(str(column.dtype)),
        kind,
        int(missing.sum()),
        distinct,
        numbered=isinstance(frame.columns[place], int | np.integer) and not isinstance(frame.columns[place], bool),
        state=state,
        changed=changed,
        **facts,
    )


def _range(there: pandas.Series, kind: Kind) -> dict:
    low, high = (_text(value, _digits(there)) for value in (there.min(), there.max()))
    if kind == "date":
        numbers = there.to_numpy("datetime64[ns]").astype("int64").astype(float)
    else:
        numbers = there.to_numpy(dtype=float)
    finite = numbers[np.isfinite(numbers)]
    if not len(finite):
        return {"low": low, "high": high}
    with np.errstate(all="ignore"):
        counts = _histogram(finite)
        mean = float(finite.mean()) if kind == "number" else None
    return {"low": low, "high": high, "mean": mean, "bars": counts}


def _histogram(numbers: np.ndarray) -> list[int]:
    """How many finite numbers lie in each of equal parts of their range."""
    shifted = numbers - numbers.min()
    try:
        return [int(count) for count in np.histogram(shifted, bins=_PARTS)[0]]
    except ValueError:  # the range is infinite, or too small to be divided
        return [len(numbers)]


def _against(
    frame: pandas.DataFrame, place: int, before: pandas.DataFrame | None
) -> tuple[Literal["same", "changed", "new", "retyped"], int]:
    """Whether a column differs from the table before, and in how many of the common rows."""
    if before is None:
        return "same", 0
    name = str(frame.columns[place])
    was = next((at for at, label in enumerate(before.columns) if str(label) == name), None)
    if was is None:
        return "new", 0
    column, old = frame.iloc[:, place], before.iloc[:, was]
    changed = 0
    if before.index.is_unique and frame.index.is_unique:
        both = frame.index.intersection(before.index, sort=False)
        same = len(both) == len(frame) == len(before) and frame.index.equals(before.index)
        now, other = (column, old) if same else (column.loc[both], old.loc[both])
        changed = int(differs(now, other).sum())
    elif len(frame) == len(before):
        changed = int(differs(column, old).sum())
    if column.dtype != old.dtype:
        return "retyped", changed
    return ("changed" if changed else "same"), changed


def differs(column: pandas.Series, other: pandas.Series) -> np.ndarray:
    """Where two columns of equal length differ; values missing in both are equal."""
    missing = column.isna().to_numpy(), other.isna().to_numpy()
    try:
        if column.dtype == other.dtype or (
            types.is_numeric_dtype(column.dtype) and types.is_numeric_dtype(other.dtype)
        ):
            unequal = column.reset_index(drop=True).ne(other.reset_index(drop=True)).to_numpy(dtype=bool, na_value=True)
        else:
            unequal = column.astype(str).to_numpy() != other.astype(str).to_numpy()
    except Exception as problem:  # values that cannot be compared
        raise_if_own_fault(problem)
        unequal = np.ones(len(column), dtype=bool)
    return unequal & ~(missing[0] & missing[1])


def cell_texts(column: pandas.Series, rows: np.ndarray) -> list[str | None]:
    """The texts of the cells in these rows: None for a missing value, "" if there is no such row."""
    there = column.iloc[np.where(rows < 0, 0, rows)] if len(column) else column
    if not len(there):
        return ["" for _ in rows]
    missing = there.isna().tolist()
    digits = _digits(there)
    return [
        "" if row < 0 else None if empty else _text(value, digits)
        for row, empty, value in zip(rows.tolist(), missing, there.tolist(), strict=True)
    ]


def _digits(column: pandas.Series) -> int:
    """How many digits of its numbers are significant."""
    return 7 if str(column.dtype).lower() in ("float32", "float16") else 10


def _text(value: object, digits: int) -> str:
    if isinstance(value, float | np.floating):
        return f"{float(value) + 0.0:.{digits}g}"  # no "-0"
    text = str(value)
    return short(text.removesuffix(" 00:00:00") if isinstance(value, pandas.Timestamp) else text)


# ---- which rows, and in which order ------------------------------------------------------------------------------


def _named(frame: pandas.DataFrame, name: str) -> pandas.Series | None:
    place = next((at for at, label in enumerate(frame.columns) if short(str(label)) == name), None)
    return None if place is None else frame.iloc[:, place]


def matches(frame: pandas.DataFrame, window: TableWindow, rows: np.ndarray, changed: np.ndarray | None) -> np.ndarray:
    """Which of the rows (-1: one that the table no longer has) match the condition."""
    every = np.ones(len(rows), dtype=bool)
    if window.test == "changed":
        return every if changed is None else changed
    column = _named(frame, window.where)
    if not window.test or column is None:
        return every
    matching = np.zeros(len(frame) + 1, dtype=bool)  # the last entry is for removed rows
    matching[:-1] = _tested(column, window)
    return matching[rows]


def _tested(column: pandas.Series, window: TableWindow) -> np.ndarray:
    text = window.value.strip()
    try:
        match window.test:
            case "missing":
                return column.isna().to_numpy()
            case "contains":
                return (
                    column.astype(str).str.contains(text, case=False, regex=False).to_numpy(dtype=bool, na_value=False)
                )
            case "less" | "more":
                bound = pandas.Timestamp(text) if kind_of(column) == "date" else float(text)
                fits = column < bound if window.test == "less" else column > bound
                return fits.to_numpy(dtype=bool, na_value=False)
        if kind_of(column) == "number":
            return (column == float(text)).to_numpy(dtype=bool, na_value=False)
        return (column.astype(str) == text).to_numpy(dtype=bool, na_value=False)
    except ValueError:  # it is no number, or no date
        return np.zeros(len(column), dtype=bool)
    except Exception as problem:  # the value cannot be compared with this column
        raise_if_own_fault(problem)
        return np.zeros(len(column), dtype=bool)


def ordered(frame: pandas.DataFrame, window: TableWindow, rows: np.ndarray) -> np.ndarray:
    """The display order of the rows; removed rows and missing values come last."""
    column = _named(frame, window.sort) if window.sort else None
    if column is None or not len(frame):
        return np.arange(len(rows))
    there = column.iloc[np.where(rows < 0, 0, rows)]
    last = there.isna().to_numpy() | (rows < 0)
    if window.order == "size" and kind_of(column) == "number":
        there = -there.abs()
    try:
        rank = there.rank(method="first").to_numpy(dtype=float, na_value=np.nan)
    except TypeError:  # several kinds of values: sort their texts
        rank = there.astype(str).rank(method="first").to_numpy(dtype=float)
    rank = np.where(last, np.inf, -rank if window.order == "down" else rank)
    return np.argsort(rank, kind="stable")
