"""Where a program gives a name its value."""

from msgspec.structs import replace

from explorer.analysis.source.assignments import all_assignments
from tests.traces import trace_of


def read(source: str) -> list[tuple[str, int, str]]:
    """Name, line and value of each assignment."""
    return [(at.name, at.line, at.value) for at in all_assignments(trace_of(source))]


def test_each_kind_of_statement_assigns():
    assert read("a = b, *c = f(1)") == [("a", 1, "f(1)"), ("b", 1, "f(1)"), ("c", 1, "f(1)")]
    assert read("import os.path, numpy as np\nfrom m import (\n    x,\n    y as z,\n)") == [
        *[("os", 1, ""), ("np", 1, "")],
        *[("x", 2, ""), ("z", 2, "")],
    ]
    assert read("for i, row in rows:\n    n: int = 3") == [("i", 1, ""), ("row", 1, ""), ("n", 2, "3")]
    assert read("def f(x):\n    with g() as h: y = 1") == [("f", 1, ""), ("h", 2, ""), ("y", 2, "1")]


def test_a_value_may_fill_several_lines():
    assert read("net = Sequential(\n    Linear(2, 3),\n)\nx = 1") == [
        ("net", 1, "Sequential(\n    Linear(2, 3),\n)"),
        ("x", 4, "1"),
    ]


def test_what_a_string_or_a_call_says_is_no_assignment():
    assert read('print("""\na = 1\n""")\nf(b=2)\nd["c = 3"] = e.g = 4\nk += 1') == []


def test_lines_that_are_no_python_are_passed_over():
    assert read("%matplotlib inline\nx = 1\n!ls\nif x:\n    %time y = 2\nz = 3") == [("x", 2, "1"), ("z", 6, "3")]
    assert read("a = 1\nfor i in a\n    b = 2\nc = 3") == [("a", 1, "1"), ("c", 4, "3")]


def test_every_long_text_is_read_within_bounds():
    texts = ["(" * 200_000, "a = " * 50_000, "-" * 200_000, "é=1;" * 50_000, "%a\n" * 66_000, "a = 1\n" * 33_000]
    for text in texts:
        trace = trace_of("x = 1")
        cell = replace(trace.cells[0], source=text)
        assert len(all_assignments(replace(trace, cells=[cell]))) <= 50_000
