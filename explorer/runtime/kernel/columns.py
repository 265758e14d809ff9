"""One column of a table: its statistics, and the texts of its cells."""

import numpy as np
import pandas
from pandas.api import types

from explorer.runtime.recorder.assemble import readable
from explorer.trace import TableColumn
from explorer.trace.tables import CELL, Kind


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


def column_of(name: object, column: pandas.Series) -> TableColumn:
    """The statistics of a column over all rows."""
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
    return TableColumn(
        short(str(name)),
        short(str(column.dtype)),
        kind,
        int(missing.sum()),
        distinct,
        numbered=isinstance(name, int | np.integer) and not isinstance(name, bool),
        **facts,
    )


def cell_texts(column: pandas.Series) -> list[str | None]:
    """The texts of the cells: None for a missing value."""
    digits = _digits(column)
    return [
        None if empty else _text(value, digits)
        for empty, value in zip(column.isna().tolist(), column.tolist(), strict=True)
    ]


def _digits(column: pandas.Series) -> int:
    """How many digits of its numbers are significant."""
    return 7 if str(column.dtype).lower() in ("float32", "float16") else 10


def _text(value: object, digits: int) -> str:
    if isinstance(value, float | np.floating):
        return f"{float(value) + 0.0:.{digits}g}"  # no "-0"
    text = str(value)
    return short(text.removesuffix(" 00:00:00") if isinstance(value, pandas.Timestamp) else text)


def largest_first(frame: pandas.DataFrame, name: str) -> np.ndarray:
    """The numbers of the rows, those with the largest magnitudes in a column first. Text leaves them as they are."""
    place = next((at for at, label in enumerate(frame.columns) if short(str(label)) == name), None)
    if place is None or kind_of(frame.iloc[:, place]) != "number":
        return np.arange(len(frame))
    return np.argsort(-frame.iloc[:, place].abs().to_numpy(dtype=float, na_value=-1.0), kind="stable")
