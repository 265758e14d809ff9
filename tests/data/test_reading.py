"""A file is read with the arguments with which pandas finds most in it; what pandas refuses, it refuses in its words."""

import json

import pytest
from msgspec import structs

from explorer.analysis.data.first_look import look
from explorer.analysis.data.reading import Arguments, found, read_line, trial
from explorer.analysis.data.steps import START
from explorer.program import GivenFile, read_text
from explorer.runtime.execute import execute
from explorer.sandbox import default_runner
from explorer.trace import Failure, Options, TableWindow, Trace
from tests.patience import PATIENT

WINDOW = Options(tables=(TableWindow(),))


def arguments(content: bytes) -> Arguments:
    """What the child would say of a file."""
    return found(execute(read_text(f"print({json.dumps(look(content))!r})"), Options()))


def read(content: bytes, name: str = "file.csv") -> Trace:
    """The run of the line that is written for a file."""
    program = structs.replace(
        read_text(START + read_line(name, arguments(content))), files=(GivenFile(name, content),)
    )
    return execute(program, WINDOW)


READ = {
    "comma": (b"a,b\n1,x\n2,y\n", ["a", "b"], ["int64", "str"], [["1", "x"], ["2", "y"]]),
    "semicolon, decimal comma": (b"a;b\n1,5;x\n2,25;y\n", ["a", "b"], ["float64", "str"], [["1.5", "x"], ["2.25", "y"]]),
    "tab": (b"a\tb c\n1\tx, y\n", ["a", "b c"], ["int64", "str"], [["1", "x, y"]]),
    "bar": (b"a|b\n1|2\n", ["a", "b"], ["int64", "int64"], [["1", "2"]]),
    "spaces": (b"a  b\n1  2\n3  4\n", ["a", "b"], ["int64", "int64"], [["1", "2"], ["3", "4"]]),
    "spaces in names": (b"sepal length,kind of it\n1,x\n", ["sepal length", "kind of it"], ["int64", "str"], [["1", "x"]]),
    "a mark": ("\ufeffa,ß\n1,ü\n".encode(), ["a", "ß"], ["int64", "str"], [["1", "ü"]]),
    "UTF-16": ("a\tb\n1\té\n".encode("utf-16"), ["a", "b"], ["int64", "str"], [["1", "é"]]),
    "GBK": ("城市,价格\n北京,1\n".encode("gbk"), ["城市", "价格"], ["str", "int64"], [["北京", "1"]]),
    "Latin-1": ("name,city\nJosé,Köln\n".encode("latin-1"), ["name", "city"], ["str", "str"], [["José", "Köln"]]),
    "one column": (b"a\n1\n2\n", ["a"], ["int64"], [["1"], ["2"]]),
    "names only": (b"a,b\n", ["a", "b"], ["object", "object"], []),
    "no names": (b"1,2\n3,4\n", ["c0", "c1"], ["int64", "int64"], [["1", "2"], ["3", "4"]]),
    "a semicolon in a text": (b'a,b\n1,"x;y"\n', ["a", "b"], ["int64", "str"], [["1", "x;y"]]),
    "HTML": (b"a,b\n<script>,1\n", ["a", "b"], ["str", "int64"], [["<script>", "1"]]),
}  # fmt: skip


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", READ)
def test_a_file_is_read_right(name):
    content, names, types, cells = READ[name]
    part = read(content).tables[0]
    assert ([one.name for one in part.columns], [one.dtype for one in part.columns], part.cells) == (names, types, cells)


@pytest.mark.parametrize(
    "content, error",
    [
        (b"", "No columns to parse from file"),
        (b"a,b\n1,2\n3,4,5\n", "Expected 2 fields in line 3, saw 3"),
    ],
)
def test_what_cannot_be_read_is_refused_by_pandas(content, error):
    (failed,) = [one.text for cell in read(content).cells for one in cell.outputs if isinstance(one, Failure)]
    assert error in failed


def test_json_is_read_without_a_trial():
    part = read(b'{"a": 1, "b": "x"}\n{"a": 2}\n', "a.jsonl").tables[0]
    assert (part.cells, trial("a.jsonl")) == ([["1", "x"], ["2", None]], "")
    assert read_line("it's.xlsx", Arguments()) == 'data = pd.read_excel("it\'s.xlsx")'


def test_the_child_looks_into_a_file_as_a_program():
    files = (GivenFile("a.csv", "Ort;Preis\nKöln;4,5\n".encode("cp1252")),)
    said = found(default_runner().submit(structs.replace(read_text(trial("a.csv")), files=files), Options()).result(PATIENT))
    assert said == Arguments(sep=";", encoding="cp1252", decimal=",")


@pytest.mark.parametrize("printed", ["", "[]", '{"sep": ", 1); import os"}', '{"encoding": "unicode_escape"}'])
def test_what_a_child_says_of_a_file_is_not_trusted(printed):
    assert found(execute(read_text(f"print({printed!r})"), Options())) == Arguments()
