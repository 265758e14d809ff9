"""What a notebook shows of a value: IPython's text, a DataFrame's cells, a Digraph's DOT."""

import contextlib
import io
from typing import Any

import pandas
from IPython.lib.pretty import pretty
from pandas.io.formats.format import DataFrameFormatter

from explorer.runtime.recording.assemble import readable
from explorer.trace import Figure, TableData

RESULT_LENGTH = 2_000  # characters of a result beside its line
_PICTURE = 100  # entries on a side that are kept of a picture
DOT_LENGTH = 20_000  # characters, as long as a Word may be
_ROWS, _SHORT, _COLUMNS = 60, 10, 20  # pandas shows tables up to 60 rows in full, then 10 of them; 20 columns


def text_of(value: object) -> str:
    """The text Jupyter shows. Raises whatever the value's own repr raises."""
    return readable(pretty(value))


def result_text(value: object) -> str | None:
    """The short text of a value that no one asked to see: what its repr prints and raises is of no consequence."""
    silence = io.StringIO()
    try:
        with contextlib.redirect_stdout(silence), contextlib.redirect_stderr(silence):
            return text_of(value)[:RESULT_LENGTH]
    except Exception:
        return None


def table_of(value: object) -> TableData | None:
    """The cells of a DataFrame that pandas would show, None for anything else.

    The first column is the index; a row or column of "..." stands for what is left out.
    """
    if not isinstance(value, pandas.DataFrame):
        return None
    formatter = DataFrameFormatter(value, max_rows=_ROWS, min_rows=_SHORT, max_cols=_COLUMNS, index_names=False)
    if value.empty:
        columns = [["", *(str(row) for row in value.index[:_ROWS])]]
        columns += [[str(name)] for name in value.columns[:_COLUMNS]]
    else:
        columns = [[text.strip() for text in column] for column in formatter.get_strcols()]
    heads = 1 if value.empty else value.columns.nlevels
    if not value.empty and formatter.is_truncated_horizontally:
        columns.insert(formatter.tr_col_num + 1, ["..."] * len(columns[0]))
    if not value.empty and formatter.is_truncated_vertically:
        for column in columns:
            column.insert(heads + formatter.tr_row_num, "...")
    names = [readable(" ".join(filter(None, column[:heads])))[:2_000] for column in columns]
    length = max((len(column) for column in columns), default=heads) - heads
    filled = [column[heads:] + [""] * (length - len(column) + heads) for column in columns]
    rows = [[readable(text)[:2_000] for text in row] for row in zip(*filled, strict=True)]
    return TableData(names, rows, len(value))


def picture_of(value: Any) -> Figure | None:
    """A picture of Pillow as a figure of its size, None for anything else."""
    if not type(value).__module__.startswith("PIL.") or not hasattr(value, "getbands"):
        return None
    wide, rows = value.size
    plain = value.convert("L" if len(value.getbands()) == 1 else "RGB")
    plain.thumbnail((_PICTURE, _PICTURE))
    channels = len(plain.getbands())
    entries = [entry / 255 for entry in plain.tobytes()]
    mark: dict[str, str | float | list[float]] = {
        "kind": "image",
        "z": entries,
        "rows": float(plain.height),
        "columns": float(plain.width),
    }
    mark |= {"channels": float(channels), "panel": 0.0, "low": 0.0, "high": 1.0}
    side = 4 / max(wide, rows, 1)
    return Figure([mark], {"rows": 1.0, "columns": 1.0, "width": wide * side, "height": rows * side, "0.off": 1.0})


def dot_of(value: Any) -> Figure | None:
    """The DOT of a graphviz graph as a figure, None for anything else or for one that is too long."""
    if type(value).__module__ != "graphviz.graphs":
        return None
    source = readable(value.source)
    return Figure([{"kind": "dot", "source": source}], {}) if len(source) <= DOT_LENGTH else None
