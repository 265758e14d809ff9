"""What people paste, and the program that it becomes."""

import json

import pytest

from explorer.drawing.notebook.placeholders import cleaned_sentence
from explorer.program import CellSource, Unusable, read_pasted


def test_a_plain_program_stays_as_it_is():
    text = "def f(x):\n    '''\n    >>> f(1)\n    1\n    '''\n    return x\n\n1 + 1\n2 + 2\n3 + 3\n"
    cleaned = read_pasted(text)
    assert (cleaned.program.cells, cleaned.told) == ([CellSource(text)], {})
    assert cleaned_sentence(cleaned, "en") == ""


NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "source": "# T"},
        {"cell_type": "code", "source": ["x = 1\n", "x"], "outputs": []},
    ],
    "nbformat": 4,
}
LOOP = "In [1]: for i in x:\n   ...:     print(i)\n   ...: \n1\n\nIn [2]: x\nOut[2]: [1]\n"
PASTED = {  # a text, its cells with their first lines, its notes, and what was removed
    "prompts of Python": (
        ">>> for i in x:\n...     i\n...\n1\n2\n>>> y\n",
        [("for i in x:\n    i", 1), ("y", 6)],
        [],
        {"prompts": 4, "outputs": 2},
    ),
    "each cell of a session knows its place": (
        "First we look:\n\n>>> x\n1\n\nThen we look again at it.\n\n>>> y\n",
        [("x", 3), ("y", 8)],
        [],
        {"prompts": 2, "outputs": 3},
    ),
    "prompts of IPython": (LOOP, [("for i in x:\n    print(i)", 1), ("x", 6)], [], {"prompts": 4, "outputs": 2}),
    "fences": ("Add:\n\n```python\n1 + 1\n```\n", [("1 + 1", 4)], [(0, "Add:")], {"fences": 1}),
    "a whole notebook": (json.dumps(NOTEBOOK), [("x = 1\nx", 1)], [(0, "# T")], {"notebook": 1}),
}


@pytest.mark.parametrize("name", PASTED)
def test_what_is_pasted_becomes_a_program(name):
    text, cells, notes, told = PASTED[name]
    cleaned = read_pasted(text)
    assert [(cell.text, cell.first_line) for cell in cleaned.program.cells] == cells
    assert [(note.before, note.markdown) for note in cleaned.program.notes] == notes
    assert cleaned.told == told


def test_what_was_done_is_said_in_one_line():
    cleaned = read_pasted(">>> 1 + 1\n2\n")
    assert cleaned_sentence(cleaned, "en") == "Pasted: one prompt removed, one line of output removed."


def test_the_head_of_a_cell_alone_on_its_line_is_no_prompt():
    text = "In [1]:\nx = 1\n"
    assert read_pasted(text).told == {} and read_pasted(text).program.cells == [CellSource(text)]


def test_bounds_hold_for_pasted_text():
    for text, kind in [
        ("#" * 200_001, "too-large"),
        ("\ud800", "undecodable"),
        (">>> x\n1\n" * 2001, "too-many-cells"),
        ('{"cells": [', "broken-json"),
    ]:
        with pytest.raises(Unusable) as caught:
            read_pasted(text)
        assert caught.value.kind == kind
