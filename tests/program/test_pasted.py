"""What people paste, and the program that it becomes."""

import json

import pytest

from explorer.drawing.notebook.paste_notes import cleaned_sentence
from explorer.program import CellSource, Unusable, read_pasted
from tests.notebooks import NOTEBOOKS, PAGES, notebook


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
WEB_PAGE = (
    "# Title\n\nIn [2]:\nx = torch.ones(2)\n\nprint(x)\nx\n\ntensor([1., 1.])\n\n\ntensor([1., 1.])\n\n"
    "We add them, as before:\n\nIn [3]:\n# sum\nx.sum()\n\ntensor(2.)\n"
)
WAYS = "In [1]:\ny = x\n\n# Way 1\nwith f():\n    y\n####\n\n# Way 2\n\nprint(y)\n\nTrue\n"
ANSWER = "```python\nx\n\n'''\n结果为：\ntensor([1.])\n'''\n```\n\n```python\n'''about'''\n```\n"
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
        [(0, "First we look:"), (1, "Then we look again at it.")],
        {"prompts": 2, "outputs": 1},
    ),
    "prompts of a notebook with outputs": (
        "In [1]:\nx = 1\n\nx\nOut[1]:\n1\n\nIn [ ]:\nprint(x)\n",
        [("x = 1\n\nx", 2), ("print(x)", 9)],
        [],
        {"prompts": 2, "outputs": 2},
    ),
    "prompts of IPython": (LOOP, [("for i in x:\n    print(i)", 1), ("x", 6)], [], {"prompts": 4, "outputs": 2}),
    "a notebook copied from its web page": (
        WEB_PAGE,
        [("x = torch.ones(2)\n\nprint(x)\nx", 4), ("# sum\nx.sum()", 17)],
        [(0, "# Title"), (1, "We add them, as before:")],
        {"prompts": 2, "outputs": 3},
    ),
    "code after an empty line is code": (
        WAYS,
        [("y = x\n\n# Way 1\nwith f():\n    y\n####\n\n# Way 2\n\nprint(y)", 2)],
        [],
        {"prompts": 1, "outputs": 1},
    ),
    "fences": ("Add:\n\n```python\n1 + 1\n```\n", [("1 + 1", 4)], [(0, "Add:")], {"fences": 1}),
    "a column of numbers above the code": (
        "Text\n\n1\n2\n3\nimport a\n\nx = 1\nMore\n\n1\nx\n",
        [("import a\n\nx = 1", 6), ("x", 12)],
        [(0, "Text"), (1, "More")],
        {"line-numbers": 4},
    ),
    **{
        f"numbers beside the code, then {between!r}": (
            f"1{between}def f(x):\n2{between}    return x\n3\n4{between}f(1)\n",
            [("def f(x):\n    return x\n\nf(1)\n", 1)],
            [],
            {"line-numbers": 4},
        )
        for between in (" ", "  ", "\t", ". ", ": ")
    },
    "a whole notebook": (json.dumps(NOTEBOOK), [("x = 1\nx", 1)], [(0, "# T")], {"notebook": 1}),
    "an answer kept in a string is output": (ANSWER, [("x", 2), ("'''about'''", 11)], [], {"fences": 2, "outputs": 5}),
}


@pytest.mark.parametrize("name", PASTED)
def test_what_is_pasted_becomes_a_program(name):
    text, cells, notes, told = PASTED[name]
    cleaned = read_pasted(text)
    assert [(cell.text, cell.first_line) for cell in cleaned.program.cells] == cells
    assert [(note.before, note.markdown) for note in cleaned.program.notes] == notes
    assert cleaned.told == told


@pytest.mark.parametrize(
    "shown",
    [
        "tensor([1.])",
        "(tensor([1.]),\n tensor([2.]))",
        "torch.Size([2])",
        "<class 'int'>",
        "[[1 2]\n\n [3 4]]",
        "'1.10'",
        "66",
        "True",
        "torch.float32",
        "-----------------------------\nRuntimeError   Traceback (most recent call last)",
        "RuntimeError: grad can be implicitly created only for scalar outputs",
        "Linear(in_features=2, out_features=1, bias=True)",
        "shape:  torch.Size([5, 3])",
    ],
)
def test_what_was_shown_is_left_out(shown):
    cleaned = read_pasted(f"In [1]:\nx = 1\nx\n\n{shown}\n\nIn [2]:\nx\n")
    assert [cell.text for cell in cleaned.program.cells] == ["x = 1\nx", "x"]
    assert cleaned.told["outputs"] == len([line for line in shown.split("\n") if line])


def test_what_was_done_is_said_in_one_line():
    cleaned = read_pasted("1\n2\n3\ndef f(x):\n    return x\n\nSo it is then.\n")
    assert cleaned_sentence(cleaned, "en") == "Pasted: 3 line numbers removed."
    assert cleaned_sentence(cleaned, "zh") == "已粘贴：去掉 3 个行号。"
    assert cleaned.original.startswith("1\n2\n")


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


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_every_line_of_a_copied_page_is_where_the_cell_says(page):
    lines = page.split("\n")
    for cell in read_pasted(page).program.cells:
        for number, line in enumerate(cell.text.split("\n"), start=cell.first_line):
            assert lines[number - 1].strip() == line.strip()


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_copied_notebook_has_the_cells_of_the_notebook(name):
    found = read_pasted(PAGES[name]).program.cells
    assert [cell.text.strip() for cell in found] == [cell.text.strip() for cell in notebook(name).cells]


def test_a_line_of_spaces_below_a_prompt_is_read_in_one_pass():
    cells = read_pasted("In [1]:\nx = 1\n\n" + " " * 50_000 + "a ~\n").program.cells
    assert cells[0].text.startswith("x = 1")
