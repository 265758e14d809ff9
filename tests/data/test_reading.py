"""Odd and malformed files, made here: each is read right, or refused with where and why. Nothing is lost unsaid."""

import gzip
import html
import io
import json
import pickle
import struct
import zipfile
import zlib

import pytest
from msgspec import structs

from explorer.analysis.data.file_format import Found, found, notes, read_line, sniffing_program, trouble, ways
from explorer.analysis.data.sniffer import look
from explorer.analysis.data.steps import START
from explorer.program import GivenFile, read_text
from explorer.runtime.execute import execute
from explorer.sandbox import default_runner
from explorer.trace import Failure, Options, TableWindow, Trace
from tests.patience import PATIENT

NAME = "file.csv"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
WINDOW = Options(tables=(TableWindow(),))


def run(text: str, content: bytes, options: Options = WINDOW) -> Trace:
    program = structs.replace(read_text(text), files=(GivenFile(NAME, content),))
    return execute(program, options)


def looked(content: bytes) -> Found:
    """What the child would say of a file."""
    return found_of(json.dumps(look(content)))


def found_of(printed: str) -> Found:
    text = f"print({printed!r})"
    said = found(execute(read_text(text), Options()))
    assert said is not None, printed
    return said


def read(content: bytes, way: str = "") -> tuple[list[str], list[str], list[list[str | None]]]:
    """Names, types and cells of a file, read by the line that is written for it."""
    line = read_line(looked(content), NAME, way)
    trace = run(f"{START}{line}\n", content)
    failed = [one.text for cell in trace.cells for one in cell.outputs if isinstance(one, Failure)]
    assert not failed and trace.tables, (line, failed)
    part = trace.tables[0].part
    return [one.name for one in part.columns], [one.dtype for one in part.columns], part.cells


def zipped(name: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(name, "a,b\n1,2\n")
    return packed.getvalue()


def sheets(**named: list) -> bytes:
    """A workbook: its sheets by name, their cells numbers or texts, None for none, with a place where they are pairs."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

    def links(kind: str, *targets: str) -> str:
        items = (f'<Relationship Id="r{at}" Type="{office}/{kind}" Target="{one}"/>' for at, one in enumerate(targets))
        return f'<Relationships xmlns="{PACKAGE}">{"".join(items)}</Relationships>'

    names = "".join(f'<sheet name="{name}" sheetId="{at + 1}" r:id="r{at}"/>' for at, name in enumerate(named))
    files = {
        "_rels/.rels": links("officeDocument", "xl/workbook.xml"),
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>{names}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": links("worksheet", *(f"worksheets/{name}.xml" for name in named)),
    }
    for name, rows in named.items():
        written = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in rows)
        files[f"xl/worksheets/{name}.xml"] = f'<worksheet xmlns="{main}"><sheetData>{written}</sheetData></worksheet>'
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return packed.getvalue()


def cell(entry: object) -> str:
    if isinstance(entry, str):
        return f'<c t="inlineStr"><is><t>{html.escape(entry)}</t></is></c>'
    if isinstance(entry, tuple):
        return f'<c r="{entry[0]}"><v>{entry[1]}</v></c>'
    return "<c/>" if entry is None else f"<c><v>{entry}</v></c>"


def picture() -> bytes:
    head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + head + struct.pack(">I", zlib.crc32(b"IHDR" + head))


GERMAN = "Ort;Preis\nKöln;1.234,50\nZürich;99,90\n"
# name: bytes, names of columns, types, cells (None: missing), notes
READ = {
    "comma": (b"a,b\n1,x\n2,y\n", ["a", "b"], ["int64", "str"], [["1", "x"], ["2", "y"]], []),
    "semicolon": (b"a;b\n1;x\n2;y\n", ["a", "b"], ["int64", "str"], [["1", "x"], ["2", "y"]], []),
    "tab": (b"a\tb c\n1\tx, y\n", ["a", "b c"], ["int64", "str"], [["1", "x, y"]], []),
    "bar": (b"a|b\n1|2\n", ["a", "b"], ["int64", "int64"], [["1", "2"]], []),
    "spaces": (b"a  b\n1  2\n3  4\n", ["a", "b"], ["int64", "int64"], [["1", "2"], ["3", "4"]], []),
    "windows lines": (b"a,b\r\n1,2\r\n", ["a", "b"], ["int64", "int64"], [["1", "2"]], []),
    "no last line end": (b"a,b\n1,2", ["a", "b"], ["int64", "int64"], [["1", "2"]], []),
    "UTF-8 with a mark": ("\ufeffa,ß\n1,ü\n".encode(), ["a", "ß"], ["int64", "str"], [["1", "ü"]], []),
    "UTF-16": ("a\tb\n1\té\n".encode("utf-16"), ["a", "b"], ["int64", "str"], [["1", "é"]], ["encoding"]),
    "UTF-16 unmarked": ("a,b\n1,é\n".encode("utf-16-le"), ["a", "b"], ["int64", "str"], [["1", "é"]], ["encoding"]),
    "GBK": ("城市,价格\n北京,1\n上海,2\n".encode("gbk"), ["城市", "价格"], ["str", "int64"],
            [["北京", "1"], ["上海", "2"]], ["encoding"]),
    "Latin-1": ("name,city\nJosé,Zürich\n".encode("latin-1"), ["name", "city"], ["str", "str"],
                [["José", "Zürich"]], ["encoding"]),
    "decimal comma": (b"a;b\n1,5;x\n2,25;y\n", ["a", "b"], ["float64", "str"], [["1.5", "x"], ["2.25", "y"]], ["numbers"]),
    "decimal comma, thousands": (GERMAN.encode(), ["Ort", "Preis"], ["str", "float64"],
                                 [["Köln", "1234.5"], ["Zürich", "99.9"]], ["numbers"]),
    "thousands": (b'a,b\n"1,234.5",x\n"12,000.1",y\n', ["a", "b"], ["float64", "str"],
                  [["1234.5", "x"], ["12000.1", "y"]], ["numbers"]),
    "thousands or decimals": (b"a;b\n1,234;x\n2,500;y\n", ["a", "b"], ["float64", "str"],
                              [["1.234", "x"], ["2.5", "y"]], ["numbers", "unclear"]),
    "quoted line ends": (b'a,b\n1,"x\ny"\n2,"say ""hi"""\n', ["a", "b"], ["int64", "str"], [["1", "x\ny"], ["2", 'say "hi"']], []),
    "short rows": (b"a,b,c\n1,2,3\n4\n5,6\n", ["a", "b", "c"], ["int64", "float64", "float64"],
                   [["1", "2", "3"], ["4", None, None], ["5", "6", None]], ["short"]),
    "a name twice": (b"a,a\n1,2\n", ["a", "a.1"], ["int64", "int64"], [["1", "2"]], ["twice"]),
    "a column without a name": (b"a,\n1,2\n", ["a", "Unnamed: 1"], ["int64", "int64"], [["1", "2"]], ["unnamed"]),
    "one column": (b"a\n1\n2\n", ["a"], ["int64"], [["1"], ["2"]], []),
    "names only": (b"a,b\n", ["a", "b"], ["object", "object"], [], ["no-rows"]),
    "no names": (b"1,2\n3,4\n", ["c0", "c1"], ["int64", "int64"], [["1", "2"], ["3", "4"]], ["headless"]),
    "names of rows": (b"a,b\nx,1,2\ny,3,4\n", ["a", "b"], ["int64", "int64"], [["1", "2"], ["3", "4"]], ["labelled"]),
    "a delimiter at each end": (b"a,b\n1,2,\n3,4,\n", ["a", "b"], ["int64", "int64"], [["1", "2"], ["3", "4"]], []),
    "a title above": (b"Prices of 2024\n\na,b,c\n1,2,3\n4,5,6\n", ["a", "b", "c"], ["int64"] * 3,
                      [["1", "2", "3"], ["4", "5", "6"]], ["skipped"]),
    "NaN ten ways": (b"a\n1\nNA\nnan\nNaN\nnull\nNone\nn/a\n#N/A\n-\n?\nmissing\n2.5\n", ["a"], ["float64"],
                     [["1"], *[[None]] * 10, ["2.5"]], ["missing"]),
    "yes and no": (b"a,b\nyes,1\nno,2\n", ["a", "b"], ["bool", "int64"], [["True", "1"], ["False", "2"]], ["truths"]),
    "true and false": (b"a\nTRUE\nfalse\n", ["a"], ["bool"], [["True"], ["False"]], []),
    "mixed types": (b"a\n1\n2\n3\nfour\n", ["a"], ["str"], [["1"], ["2"], ["3"], ["four"]], ["mixed"]),
    "dates": (b"d\n2024-01-31\n2024-02-01\n", ["d"], ["str"], [["2024-01-31"], ["2024-02-01"]], []),
    "dates in two orders": (b"d\n01/02/2024\n03/04/2024\n", ["d"], ["str"], [["01/02/2024"], ["03/04/2024"]], ["dates"]),
    "formulas": (b"a,b\n=cmd(),1\n=A1+1,2\n", ["a", "b"], ["str", "int64"], [["=cmd()", "1"], ["=A1+1", "2"]], ["formulas"]),
    "HTML in cells": (b"a,b\n<script>alert(1)</script>,1\n", ["a", "b"], ["str", "int64"],
                      [["<script>alert(1)</script>", "1"]], []),
    "a quote within a cell": (b'a,b\n5" pipe,1\n', ["a", "b"], ["str", "int64"], [['5" pipe', "1"]], []),
    "JSON lines": (b'{"a": 1, "b": "x"}\n{"a": 2}\n', ["a", "b"], ["int64", "str"], [["1", "x"], ["2", None]], []),
    "JSON, a list of objects": (b'[{"a": 1, "b": "x"},\n {"a": 2}]', ["a", "b"], ["int64", "str"],
                                [["1", "x"], ["2", None]], []),
    "a workbook": (sheets(one=[["a", "b"], [1, "x"], [2.5, None]]), ["a", "b"], ["float64", "str"],
                   [["1", "x"], ["2.5", None]], []),
    "a workbook of three sheets": (sheets(none=[], one=[["a"], [1]], two=[["c"]]), ["a"], ["int64"], [["1"]], ["sheets"]),
    "a title above a sheet": (sheets(one=[["Prices"], [], ["a", "b", "c"], [1, "-", "yes"], [2, 3, "no"]]),
                              ["a", "b", "c"], ["int64", "float64", "bool"], [["1", None, "True"], ["2", "3", "False"]],
                              ["skipped", "missing", "truths"]),
    "a sheet of numbers alone": (sheets(one=[[1, 2], [3, 4]]), ["c0", "c1"], ["int64", "int64"],
                                 [["1", "2"], ["3", "4"]], ["headless"]),
    "a text among the numbers of a sheet": (sheets(one=[["a"], [1], [2], [3], ["<b>four"]]), ["a"], ["object"],
                                            [["1"], ["2"], ["3"], ["<b>four"]], ["mixed-cells"]),
}  # fmt: skip
REFUSED = {
    "nothing": (b"", "data-is-empty", {}),
    "blank lines": (b"\n \n", "data-is-empty", {}),
    "a row too long": (b"a,b\n1,2\n3,4,5\n6,7\n", "data-ragged", {"line": 3, "count": 3, "width": 2, "many": 1}),
    "an open quote": (b'a,b\n1,"x\n2,y\n', "data-unclosed", {"line": 2}),
    "a zip": (zipped("a.csv"), "data-is-zip", {}),
    "a broken workbook": (zipped("xl/workbook.xml"), "data-is-broken", {}),
    "an old file of Office that holds no table": (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600),
        "data-is-broken",
        {},
    ),
    "a workbook without cells": (sheets(empty=[]), "data-is-empty", {}),
    "gzip": (gzip.compress(b"a,b\n1,2\n"), "data-is-gzip", {}),
    "a picture": (picture(), "data-is-image", {}),
    "Parquet": (b"PAR1\x15\x00PAR1", "data-is-parquet", {}),
    "a pickle": (pickle.dumps([1, 2], protocol=5), "data-is-pickle", {}),
    "a web page": (b"<!DOCTYPE html><table></table>", "data-is-html", {}),
    "one JSON value": (b'{"a": [1,\n 2]}', "data-is-json", {}),
    "no text": (b"a,b\n1,\x00\n", "data-is-binary", {"at": 6}),
    "a broken UTF-16": (b"\xff\xfea\x00\x00\xd8", "data-is-binary", {}),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", READ)
def test_an_odd_file_is_read_right_and_what_is_odd_is_told(name):
    content, names, types, cells, told = READ[name]
    said = looked(content)
    assert trouble(said) is None
    assert [message.removeprefix("data-note-") for message, _ in notes(said)] == told
    assert read(content) == (names, types, cells)


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_is_refused_with_its_place(name):
    content, message, values = REFUSED[name]
    refused = trouble(looked(content))
    assert refused is not None and refused[0] == message
    assert values.items() <= refused[1].items()


def test_a_row_that_is_too_long_is_left_out_or_keeps_all_its_cells():
    content = REFUSED["a row too long"][0]
    assert ways(looked(content)) == ("skip", "wide")
    assert read(content, "skip")[2] == [["1", "2"], ["6", "7"]]
    assert read(content, "wide")[::2] == (["a", "b", "more 1"], [["1", "2", None], ["3", "4", "5"], ["6", "7", None]])


def test_an_open_quote_can_be_read_as_a_character():
    content = REFUSED["an open quote"][0]
    assert ways(looked(content)) == ("quotes",)
    assert read(content, "quotes")[2] == [["1", '"x'], ["2", "y"]]


def test_two_thousand_columns_are_shown_in_part_and_counted_in_full():
    wide = ",".join(f"c{k}" for k in range(2_000)) + "\n" + ",".join("1" * 2_000) + "\n"
    trace = run(f"{START}{read_line(looked(wide.encode()), NAME)}", wide.encode())
    assert (trace.tables[0].part.width, len(trace.tables[0].part.columns)) == (2_000, 30)


def test_dates_are_offered_in_every_order_that_fits_all_of_them():
    assert looked(b"d\n01/02/2024\n13/02/2024\n").dates == {"d": ["%d/%m/%Y"]}
    assert looked(b"d\n01/02/2024\n02/13/2024\n").dates == {"d": ["%m/%d/%Y"]}
    assert looked(b"d\n2024/01/02 10:00\n").dates == {"d": ["%Y/%m/%d %H:%M"]}
    assert looked(b"d\n13/14/2024\n").dates == {}


def test_the_child_looks_into_a_file_as_a_program():
    program = structs.replace(read_text(sniffing_program(NAME)), files=(GivenFile(NAME, GERMAN.encode("cp1252")),))
    said = found(default_runner().submit(program, Options()).result(PATIENT))
    assert said is not None and (said.encoding, said.delimiter, said.decimal) == ("cp1252", ";", ",")


def test_a_workbook_is_read_by_the_child_and_one_of_a_kilobyte_that_has_no_room_is_refused():
    given = GivenFile("a.xlsx", sheets(first=[["d"], [1]], second=[["<b>"]]))
    looking = structs.replace(read_text(sniffing_program("a.xlsx")), files=(given,))
    said = found(default_runner().submit(looking, Options()).result(PATIENT))
    assert said is not None and said.sheets == ["first", "second"]
    line = read_line(said, "a.xlsx")
    assert line == "data = pd.read_excel('a.xlsx', sheet_name='first')"
    trace = default_runner().submit(structs.replace(read_text(START + line), files=(given,)), WINDOW).result(PATIENT)
    assert trace.status == "ok" and trace.tables[0].part.cells == [["1"]]
    vast = GivenFile("a.xlsx", sheets(first=[[1], [("XFD1048576", 1)]]))  # a table of 17 thousand million cells
    trace = default_runner().submit(structs.replace(looking, files=(vast,)), Options()).result(PATIENT)
    assert trace.status == "limited" and found(trace) is None


@pytest.mark.parametrize(
    "printed", ["", "[]", '{"kind": "other"}', '{"kind": "table", "delimiter": ", 1); import os"}']
)
def test_what_a_child_says_of_a_file_is_not_trusted(printed):
    assert found(execute(read_text(f"print({printed!r})"), Options())) is None
