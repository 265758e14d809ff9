"""A piece of the program where it stands, and its changes."""

from explorer.analysis.source.code import Code, code_at, find_lines
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


def test_a_piece_knows_what_stands_around_it():
    product = code(4, 12, 22)
    assert product.text == "abs(a) * 2" and product.binds == "y" and not product.is_statement
    assert product.operands.left == "abs(a)" and product.reads == ["a"]
    assert list(product.headers) == [3, 2]
    assert code(4, 12, 18).call.arguments == ("a",) and code(4, 12, 18).binds == ""
    assert code_at(trace_of(PROGRAM), -1) is None


def test_a_line_knows_the_loop_that_it_runs_in():
    program = "while True:\n    if 1:\n        def f():\n            y = 1\n        f()\n    break\nx = 1\n"
    lines = [code_at(trace_of(program), Span(0, line, 0, line, 1)).loops for line in range(1, 8)]
    assert lines == [[1], [1], [1], [], [1], [1], []]


def test_a_line_knows_its_block():
    head = code(2, 0, 14)
    assert head.end_of_block == 6 and head.block[-1] == "    return a"
    assert code(7, 0, 9).is_statement and code(4, 8, 22).is_statement


def test_a_change_gives_the_whole_cell():
    statement = code(4, 8, 22)
    assert statement.replace("y = 1").source.split("\n")[3] == "        y = 1  # twice"
    assert statement.add_before("z = 1").source.split("\n")[3:5] == ["        z = 1", PROGRAM.split("\n")[3]]


def test_a_block_without_its_header_moves_to_the_left():
    assert code(3, 4, 9).dedent_block().source.split("\n")[2:4] == ["    y = abs(a) * 2  # twice", "    return y"]
    assert code(7, 0, 9).dedent_block() is None


def test_lines_are_found_by_what_they_say():
    found = [(line.line, match[1]) for line, match in find_lines(trace_of(PROGRAM), r"return (\w)")]
    assert found == [(5, "y"), (6, "a")]
