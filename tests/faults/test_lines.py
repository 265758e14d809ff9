"""Lines that a change moves, adds and drops."""

from explorer.analysis.source.code import Code
from explorer.trace import Cell, Span

LOOP = "for k in range(2):\n    a()\n    b()\nc()"


def line(source: str, number: int) -> Code:
    cell = Cell(source, [])
    return Code(cell, Span(0, number, 0, number, len(cell.lines[number - 1])))


def test_a_line_takes_the_indentation_of_its_new_place():
    assert line(LOOP, 4).move_line(2).source == "for k in range(2):\n    a()\n    c()\n    b()"
    assert line(LOOP, 2).move_line(4).source == "for k in range(2):\n    b()\nc()\na()"
    assert line(LOOP, 4).move_line(0).source == "c()\nfor k in range(2):\n    a()\n    b()"
    assert line(LOOP, 4).move_line(3, after=False).source == "for k in range(2):\n    a()\n    c()\n    b()"
    assert line(LOOP, 3).add_after("d()").source == "for k in range(2):\n    a()\n    b()\n    d()\nc()"
    assert line(LOOP, 2).replace_line("d()").source == "for k in range(2):\n    d()\n    b()\nc()"


def test_a_body_on_the_line_of_its_header_gets_further_statements_there():
    short = line("for k in range(2): a(); b()  # twice\nc()", 1)
    assert short.add_after("d()").source == "for k in range(2): a(); b(); d()  # twice\nc()"
    assert short.add_before("d()").source == "for k in range(2): d(); a(); b()  # twice\nc()"
    assert line("for k in {1: 2}:\n    a()", 1).add_before("d()").source == "d()\nfor k in {1: 2}:\n    a()"
    assert line("y = x[1: 2]", 1).add_after("d()").source == "y = x[1: 2]\nd()"


def test_what_is_no_statement_of_its_own_stays():
    assert line(LOOP, 1).move_line(4) is None and line(LOOP, 4).move_line(1) is None
    assert line(LOOP, 2).move_line(2) is None
    assert line("f(\n    x,\n)", 1).drop_line() is None and line("a = 1 + \\\n  2", 1).drop_line() is None


def test_a_block_is_not_left_empty():
    assert line("if x:\n    a()\nb()", 2).drop_line() is None
    assert line("if x:\n    a()\n    b()", 2).drop_line().source == "if x:\n    b()"
