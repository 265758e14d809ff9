"""How to read a given file: the program that inspects it in the child, and the resulting line of pandas."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from explorer.trace import Printed, Trace

MOST_NAMES = 200  # columns that a line spells out
Text = Annotated[str, Meta(max_length=2_000)]
Values = dict[str, str | int]

KINDS = ("table", "lines", "records", "workbook")  # that are read
REFUSED = "empty zip broken parquet gzip bzip2 xz image pdf pickle html json binary".split()
TABLES = ("table", "workbook")  # that have rows and columns, and names which may be missing
WAYS = (
    "",
    "skip",
    "wide",
    "quotes",
)  # as it is; without the rows that are too long; with columns for them; quotes as text
_ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "gb18030", "cp1252", "latin-1")


class Found(Struct, frozen=True):
    """The result of `sniffer.look`. Lines and columns count from 1.

    Attributes:
        kind: table, lines (a JSON object on each line), records (a JSON list of objects), workbook, or what the file is
            instead.
        sheet, sheets: of a workbook the sheet that is read, and the names of all.
        at: of what is no text, the first byte that is none.
        header: whether the first row has names; trailing: whether each row ends with a delimiter; labelled: whether the
            rows have one cell more than the head, in front.
        skipped: lines before the table.
        long, short: rows with more or fewer cells than the head, as line and count, the first few.
        many_long, many_short: how many of them there are.
        unclosed: the line of a quote that is never closed, 0 for none.
        twice, unnamed: names that occur twice, places of columns without one.
        missing: words for missing values that pandas does not know; dates: by column the formats that fit all of it.
        mixed: columns of numbers with something else, as name, row (from 0), text, and how many there are.
        unclear: a number whose comma may stand before thousands or decimals.
        truths: words for true and false, each with which of them it is.
        formulas: cells that begin with `=`, as line and column.
    """

    kind: Text
    encoding: Text = "utf-8"
    at: int = 0
    delimiter: Text = ","
    header: bool = True
    trailing: bool = False
    labelled: bool = False
    skipped: int = 0
    rows: int = 0
    width: int = 0
    longest: int = 0
    long: list[tuple[int, int]] = []
    short: list[tuple[int, int]] = []
    many_long: int = 0
    many_short: int = 0
    unclosed: int = 0
    twice: list[Text] = []
    unnamed: list[int] = []
    names: Annotated[list[Text], Meta(max_length=MOST_NAMES)] = []
    missing: list[Text] = []
    dates: dict[Text, list[Text]] = {}
    mixed: list[tuple[Text, int, Text, int]] = []
    decimal: Text = "."
    thousands: Text = ""
    unclear: Text = ""
    truths: list[tuple[Text, Text]] = []
    formulas: list[tuple[int, int]] = []
    many_formulas: int = 0
    sheet: Text = ""
    sheets: Annotated[list[Text], Meta(max_length=50)] = []


@cache
def _sniffer() -> str:
    return Path(__file__).with_name("sniffer.py").read_text(encoding="utf-8")


def sniffing_program(name: str) -> str:
    """The program that inspects a given file and prints the result."""
    return f'{_sniffer()}\n\nwith open({name!r}, "rb") as file:\n    print(json.dumps(look(file.read())))\n'


def found(trace: Trace) -> Found | None:
    """The printed result, None if the program did not end."""
    printed = "".join(output.text for cell in trace.cells for output in cell.outputs if isinstance(output, Printed))
    try:
        read = msgspec.json.decode(printed.encode(), type=Found)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None
    valid = read.kind in (*KINDS, *REFUSED) and read.encoding in _ENCODINGS and len(read.delimiter) == 1
    return read if valid else None


def trouble(read: Found) -> tuple[str, Values] | None:
    """Why a file cannot be read as it is: the message, and its values."""
    if read.kind not in KINDS:
        return f"data-is-{read.kind}", {"at": read.at}
    if read.unclosed:
        return "data-unclosed", {"line": read.unclosed}
    if read.many_long:
        line, count = read.long[0]
        return "data-ragged", {"line": line, "count": count, "width": read.width, "many": read.many_long}
    if read.kind in TABLES and not read.width:
        return "data-is-empty", {"at": 0}
    return None


def ways(read: Found) -> tuple[str, ...]:
    """The ways to read a file that cannot be read as it is."""
    if read.unclosed:
        return ("quotes",)
    if not read.many_long or read.kind != "table":
        return ()
    return ("skip", "wide") if read.longest <= MOST_NAMES else ("skip",)


def notes(read: Found) -> list[tuple[str, Values]]:
    """Notes for the user on how the file was read: messages with their values."""
    return [*_notes_on_file(read), *_notes_on_columns(read)] if read.kind in TABLES else []


def _notes_on_file(read: Found) -> Iterator[tuple[str, Values]]:
    """On the file as a whole: sheet, encoding, rows that are no data, notation of numbers."""
    if len(read.sheets) > 1:
        yield "data-note-sheets", {"sheet": read.sheet, "sheets": ", ".join(read.sheets), "count": len(read.sheets)}
    if read.encoding not in ("utf-8", "utf-8-sig"):
        yield "data-note-encoding", {"encoding": read.encoding}
    if read.skipped:
        yield "data-note-skipped", {"count": read.skipped}
    if not read.header:
        yield "data-note-headless", {}
    elif not read.rows:
        yield "data-note-no-rows", {}
    if read.decimal != "." or read.thousands:
        yield "data-note-numbers", {"decimal": read.decimal, "thousands": read.thousands or "none"}
    if read.unclear:
        yield "data-note-unclear", {"text": read.unclear}
    if read.missing:
        yield "data-note-missing", {"words": ", ".join(read.missing)}
    if read.truths:
        yield "data-note-truths", {"words": ", ".join(word for _, word in read.truths)}


def _notes_on_columns(read: Found) -> Iterator[tuple[str, Values]]:
    """On rows that are too short, names, and cells that do not fit their column."""
    if read.many_short:
        line, count = read.short[0]
        yield "data-note-short", {"line": line, "many": read.many_short, "count": count, "width": read.width}
    if read.labelled:
        yield "data-note-labelled", {}
    if read.twice:
        yield "data-note-twice", {"name": read.twice[0]}
    if read.unnamed:
        yield "data-note-unnamed", {"place": read.unnamed[0], "many": len(read.unnamed)}
    for name, row, text, many in read.mixed[:2]:
        kind = "data-note-mixed" if read.kind == "table" else "data-note-mixed-cells"
        yield kind, {"name": name, "row": row, "text": text, "many": many}
    for name, formats in read.dates.items():
        if len(formats) > 1:
            yield "data-note-dates", {"name": name, "one": formats[0], "other": formats[1]}
    if read.many_formulas:
        line, column = read.formulas[0]
        yield "data-note-formulas", {"line": line, "column": column, "many": read.many_formulas}


def read_line(read: Found, name: str, way: str = "") -> str:
    """The line of pandas that reads the file.

    >>> read_line(Found("table", delimiter=";", decimal=","), "a.csv")
    "data = pd.read_csv('a.csv', sep=';', decimal=',')"
    """
    if read.kind == "lines":
        return f"data = pd.read_json({name!r}, lines=True{_option('encoding', read.encoding, 'utf-8')})"
    if read.kind == "records":
        return f"data = pd.read_json({name!r}{_option('encoding', read.encoding, 'utf-8')})"
    if read.kind == "workbook":
        sheet = _option("sheet_name", read.sheet, "") if len(read.sheets) > 1 else ""
        return _write_line("excel", name, sheet + _cells(read, read.skipped), read.header)
    options = _option("sep", r"\s+" if read.delimiter == " " else read.delimiter, ",")
    if read.encoding not in ("utf-8", "utf-8-sig"):  # pandas knows the mark of the second by itself
        options += f", encoding={read.encoding!r}"
    wide = way == "wide" and read.longest <= MOST_NAMES
    # a header shorter than its rows would raise an error
    options += _cells(read, read.skipped + (wide and read.header))
    if read.trailing:
        options += ", index_col=False"
    if way == "skip":
        options += ", on_bad_lines='skip'"
    if way == "quotes":
        options += ", quoting=3"
    if wide:
        names = _different([*read.names, *(f"more {at + 1}" for at in range(read.longest - len(read.names)))])
        return _write_line("csv", name, f"{options}, header=None, names={names!r}")
    return _write_line("csv", name, options, read.header)


def _write_line(kind: str, name: str, options: str, header: bool = True) -> str:
    """The line without names; columns without names get some."""
    return f"data = pd.read_{kind}({name!r}{options}" + (")" if header else ", header=None).add_prefix('c')")


def _cells(read: Found, skipped: int) -> str:
    """Arguments of pandas for rows before the table, and for the notation of its cells."""
    options = f", skiprows={skipped}" if skipped else ""
    options += _option("decimal", read.decimal, ".") + _option("thousands", read.thousands, "")
    if read.missing:
        options += f", na_values={read.missing!r}"
    for which in ("true", "false"):
        if words := [word for kind, word in read.truths if kind == which]:
            options += f", {which}_values={words!r}"
    return options


def _different(names: list[str]) -> list[str]:
    """The names, with a number appended to missing or repeated ones.

    >>> _different(["a", "", "a"])
    ['a', '2', 'a 3']
    """
    return [name if name and name not in names[:at] else f"{name} {at + 1}".strip() for at, name in enumerate(names)]


def _option(name: str, value: str, default: str) -> str:
    return "" if value == default else f", {name}={value!r}"
