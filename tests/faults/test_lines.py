"""Lines that a change moves, adds and drops."""

from explorer.analysis.faults.line_edits import added, changed, dropped, moved

LOOP = "for k in range(2):\n    a()\n    b()\nc()"


def test_a_line_takes_the_indentation_of_its_new_place():
    assert moved(LOOP, 4, 2) == "for k in range(2):\n    a()\n    c()\n    b()"
    assert moved(LOOP, 2, 4) == "for k in range(2):\n    b()\nc()\na()"
    assert moved(LOOP, 4, 0) == "c()\nfor k in range(2):\n    a()\n    b()"
    assert added(LOOP, 3, "d()") == "for k in range(2):\n    a()\n    b()\n    d()\nc()"
    assert changed(LOOP, 2, "d()") == "for k in range(2):\n    d()\n    b()\nc()"


def test_what_is_no_statement_of_its_own_stays():
    assert moved(LOOP, 1, 4) is None and moved(LOOP, 4, 1) is None and moved(LOOP, 2, 2) is None
    assert dropped("f(\n    x,\n)", 1) is None and dropped("a = 1 + \\\n  2", 1) is None


def test_a_block_is_not_left_empty():
    assert dropped("if x:\n    a()\nb()", 2) is None
    assert dropped("if x:\n    a()\n    b()", 2) == "if x:\n    b()"
