"""A piece of the program in its context, its changes, and assignments."""

from msgspec.structs import replace

from explorer.analysis.run.source.assignments import all_assignments
from explorer.analysis.run.source.code import Code, code_at, find_lines
from explorer.trace import Span
from tests.traces import trace_of

PROGRAM = """x = 2
def double(a):
    if a:
        y = abs(a) * 2  # twice
        return y
    return a
double(x)
"""


def code(line: int, column: int, end: int) -> Code:
    return code_at(trace_of(PROGRAM), Span(0, line, column, line, end))


def test_a_piece_of_code_knows_its_context():
    product = code(4, 12, 22)
    assert product.text == "abs(a) * 2" and product.binds == "y" and not product.is_statement
    assert product.operands.left == "abs(a)"
    assert list(product.headers) == [3, 2]
    assert code(4, 12, 18).call.arguments == ("a",) and code(4, 12, 18).binds == ""
    assert code_at(trace_of(PROGRAM), -1) is None


def test_a_line_knows_its_loop():
    program = "while True:\n    if 1:\n        def f():\n            y = 1\n        f()\n    break\nx = 1\n"
    lines = [code_at(trace_of(program), Span(0, line, 0, line, 1)).loops for line in range(1, 8)]
    assert lines == [[1], [1], [1], [], [1], [1], []]


def test_a_line_knows_its_block():
    head = code(2, 0, 14)
    assert head.end_of_block == 6 and head.block[-1] == "    return a"
    assert code(7, 0, 9).is_statement and code(4, 8, 22).is_statement


def test_a_replacement_returns_the_whole_cell():
    statement = code(4, 8, 22)
    assert statement.replace("y = 1").source.split("\n")[3] == "        y = 1  # twice"
    assert statement.add_before("z = 1").source.split("\n")[3:5] == ["        z = 1", PROGRAM.split("\n")[3]]


def test_a_block_without_its_header_is_dedented():
    assert code(3, 4, 9).dedent_block().source.split("\n")[2:4] == ["    y = abs(a) * 2  # twice", "    return y"]
    assert code(7, 0, 9).dedent_block() is None


def test_lines_are_found_by_pattern():
    found = [(line.line, match[1]) for line, match in find_lines(trace_of(PROGRAM), r"return (\w)")]
    assert found == [(5, "y"), (6, "a")]


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


def test_a_value_may_span_several_lines():
    assert read("net = Sequential(\n    Linear(2, 3),\n)\nx = 1") == [
        ("net", 1, "Sequential(\n    Linear(2, 3),\n)"),
        ("x", 4, "1"),
    ]


def test_strings_and_keyword_arguments_are_not_assignments():
    assert read('print("""\na = 1\n""")\nf(b=2)\nk += 1') == []


def test_items_and_attributes_are_assigned_like_names():
    assert read('d["c = 3"] = e.g = 4') == [('d["c = 3"]', 1, "4"), ("e.g", 1, "4")]


def test_invalid_python_lines_are_skipped():
    assert read("%matplotlib inline\nx = 1\n!ls\nif x:\n    %time y = 2\nz = 3") == [("x", 2, "1"), ("z", 6, "3")]
    assert read("a = 1\nfor i in a\n    b = 2\nc = 3") == [("a", 1, "1"), ("c", 4, "3")]


def test_long_texts_are_read_within_limits():
    texts = ["(" * 200_000, "a = " * 50_000, "-" * 200_000, "é=1;" * 50_000, "%a\n" * 66_000, "a = 1\n" * 33_000]
    for text in texts:
        trace = trace_of("x = 1")
        cell = replace(trace.cells[0], source=text)
        assert len(all_assignments(replace(trace, cells=[cell]))) <= 50_000
