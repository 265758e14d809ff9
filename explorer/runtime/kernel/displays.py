"""Conversion of IPython's displays and a cell's last value to outputs."""

import contextlib
import io
import sys
from collections.abc import Callable
from typing import Any

from IPython.core.display import SVG, Image
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.formatters import DisplayFormatter
from IPython.core.oinspect import Inspector
from IPython.lib.pretty import pretty
from IPython.utils.path import compress_user

from explorer.runtime.figures import is_plot
from explorer.runtime.recorder.assemble import readable
from explorer.runtime.recorder.faults import reraise_recorder_error
from explorer.trace import Figure, TableData

RESULT_LENGTH = 2_000  # longest result shown next to its line
_ROWS, _SHORT, _COLUMNS = 60, 10, 20  # pandas shows tables up to 60 rows in full, then 10 of them, and 20 columns


def result_text(value: object) -> str | None:
    """Return the short text of an expression's value."""
    silence = io.StringIO()
    try:
        with contextlib.redirect_stdout(silence), contextlib.redirect_stderr(silence):
            return readable(pretty(value))[:RESULT_LENGTH]
    except Exception as problem:
        reraise_recorder_error(problem)
        return None


def table_of(value: object) -> TableData | None:
    """Return the visible cells of a DataFrame, None for other values.

    The first column is the index. A row or column of "..." marks the omissions.
    """
    if (pandas := sys.modules.get("pandas")) is None or not isinstance(value, pandas.DataFrame):
        return None
    from pandas.io.formats.format import DataFrameFormatter

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


# Kinds of data in a display bundle, in addition to IPython's own.
FIGURE, TABLE = "application/x-figure", "application/x-table"
Bundle = dict[str, Any]
_IMAGES = {"image/svg+xml": SVG, "image/png": Image, "image/jpeg": Image}


class Formatter(DisplayFormatter):
    """IPython's formatter with pictures and tables in its bundles."""

    def format(self, obj, include=None, exclude=None) -> tuple[Bundle, Bundle]:
        """Return a value's representations by kind."""
        host = self.parent.host
        with host.quiet():
            if is_plot(obj):
                return {"text/plain": self.formatters["text/plain"](obj), FIGURE: lambda: host.picture(obj)}, {}
            picture = host.picture(obj)
            if picture is not None:
                return {"text/plain": self.formatters["text/plain"](obj), FIGURE: picture}, {}
            bundle, about = super().format(obj, include, exclude)
            table = table_of(obj) if bundle else None
            images = [kind(bundle[name]) for name, kind in _IMAGES.items() if bundle.get(name)]
            picture = host.picture(images[0]) if images else None
            return bundle | {
                kind: data for kind, data in ((TABLE, table), (FIGURE, picture)) if data is not None
            }, about


def figure_in(bundle: Bundle) -> Figure | None:
    """Return the picture in a bundle, drawn now if postponed."""
    figure: Figure | Callable[[], Figure | None] | None = bundle.get(FIGURE)
    return figure() if callable(figure) else figure


def table_in(bundle: Bundle) -> TableData | None:
    """Return the table in a bundle."""
    return bundle.get(TABLE)


class HelpInspector(Inspector):
    """IPython's inspector behind `name?`, with the files of imported objects."""

    def info(self, *arguments, **options):
        """Return IPython's information about an object."""
        facts = super().info(*arguments, **options)
        path = self.parent.host.file_of((facts["file"] or "").rpartition("/")[2])
        if path:
            facts["file"] = compress_user(path)
        return facts


class Hook(DisplayHook):
    """IPython's hook for values of expressions.

    Attributes:
        echoing: whether the expression that runs is the cell's last, whose value is its echo.
    """

    echoing = True

    def __call__(self, result=None) -> None:
        """Handle the value of a bare expression."""
        if self.echoing:
            super().__call__(result)
        else:
            self.shell.host.result(result)

    def write_output_prompt(self) -> None:
        """Write no `Out[1]:` before an echo."""

    def write_format_data(self, format_dict: Bundle, md_dict: Bundle | None = None) -> None:
        """Show the echo."""
        self.shell.host.echo(format_dict)

    def update_user_ns(self, result) -> None:
        """Set `_` and `Out`."""
        super().update_user_ns(result)
        self.shell.host.echoed(result)

    def log_output(self, format_dict: Bundle) -> None:
        """Log output only for `%history -o`."""
        if "text/plain" in format_dict:
            self.shell.history_manager.output_hist_reprs[self.prompt_count] = format_dict["text/plain"]

    def finish_displayhook(self) -> None:
        """End the echo: there is no stream to flush."""
        self._is_active = False


class Publisher(DisplayPublisher):
    """Receives the outputs of `display`."""

    def publish(self, data: Bundle, metadata=None, source=None, *, transient=None, update=False, **options) -> None:
        """Show a bundle, or replace the bundle with its display_id."""
        self.shell.host.display(data, (transient or {}).get("display_id"), update)

    def clear_output(self, wait: bool = False) -> None:
        """Remove the cell's output, with `wait` before the next output."""
        self.shell.host.clear_output(wait)
