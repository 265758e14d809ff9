"""Values as a page shows them beside IPython's text: a DataFrame's cells, the short text of a bare expression."""

import contextlib
import io

import pandas
from IPython.lib.pretty import pretty
from pandas.io.formats.format import DataFrameFormatter

from explorer.runtime.recorder.assemble import readable
from explorer.runtime.recorder.faults import raise_if_own_fault
from explorer.trace import TableData

RESULT_LENGTH = 2_000  # characters of a result beside its line
_ROWS, _SHORT, _COLUMNS = 60, 10, 20  # pandas shows tables up to 60 rows in full, then 10 of them; 20 columns


def result_text(value: object) -> str | None:
    """The short text of a bare expression's value; its repr may print and raise without effect."""
    silence = io.StringIO()
    try:
        with contextlib.redirect_stdout(silence), contextlib.redirect_stderr(silence):
            return readable(pretty(value))[:RESULT_LENGTH]
    except Exception as problem:
        raise_if_own_fault(problem)
        return None


def table_of(value: object) -> TableData | None:
    """The cells of a DataFrame that pandas would show, None for anything else.

    The first column is the index; a row or column of "..." marks the omitted ones.
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
