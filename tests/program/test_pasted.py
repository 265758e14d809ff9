"""What people paste, and the program that it becomes."""

import json

import pytest

from explorer.drawing.notebook.paste_notes import cleaned_sentence
from explorer.program import CellSource, Unusable, load_program, mend_all, read_pasted
from explorer.trace import Note
from tests.notebooks import PAGES, notebook_of

COPIED = [path for path in PAGES if "In [" in path.read_text(encoding="utf-8")]


def pasted(text: str):
    cleaned = read_pasted(text)
    return [cell.text for cell in cleaned.program.cells], cleaned.told


def test_a_plain_program_stays_as_it_is():
    text = "def f(x):\n    '''\n    >>> f(1)\n    1\n    '''\n    return x\n\n1 + 1\n2 + 2\n3 + 3\n"
    cleaned = read_pasted(text)
    assert (cleaned.program.cells, cleaned.told, cleaned.marks) == ([CellSource(text)], {}, [])
    assert cleaned_sentence(cleaned, "en") == ""


def test_prompts_of_python():
    cells, told = pasted(">>> for i in x:\n...     i\n...\n1\n2\n>>> y\n")
    assert cells == ["for i in x:\n    i", "y"]
    assert told == {"prompts": 4, "outputs": 2}


def test_each_cell_of_a_session_knows_its_place():
    program = read_pasted("First we look:\n\n>>> x\n1\n\nThen we look again at it.\n\n>>> y\n").program
    assert program.cells == [CellSource("x", 3), CellSource("y", 8)]
    assert program.notes == [Note(0, "First we look:"), Note(1, "Then we look again at it.")]


def test_prompts_of_a_notebook_with_outputs():
    cells, told = pasted("In [1]:\nx = 1\n\nx\nOut[1]:\n1\n\nIn [ ]:\nprint(x)\n")
    assert cells == ["x = 1\n\nx", "print(x)"]
    assert told == {"prompts": 2, "outputs": 2}


def test_prompts_of_ipython():
    cells, told = pasted("In [1]: for i in x:\n   ...:     print(i)\n   ...: \n1\n\nIn [2]: x\nOut[2]: [1]\n")
    assert cells == ["for i in x:\n    print(i)", "x"]
    assert told == {"prompts": 4, "outputs": 2}


def test_a_notebook_copied_from_its_web_page():
    text = (
        "# Title\n\nIn [2]:\nx = torch.ones(2)\n\nprint(x)\nx\n\ntensor([1., 1.])\n\n\ntensor([1., 1.])\n\n"
        "We add them, as before:\n\nIn [3]:\n# sum\nx.sum()\n\ntensor(2.)\n"
    )
    cleaned = read_pasted(text)
    assert cleaned.program.cells == [
        CellSource("x = torch.ones(2)\n\nprint(x)\nx", 4),
        CellSource("# sum\nx.sum()", 17),
    ]
    assert cleaned.program.notes == [Note(0, "# Title"), Note(1, "We add them, as before:")]
    assert cleaned.told == {"prompts": 2, "outputs": 3}


def test_code_after_an_empty_line_is_code():
    cells, _ = pasted("In [1]:\ny = x\n\n# Way 1\nwith f():\n    y\n####\n\n# Way 2\n\nprint(y)\n\nTrue\n")
    assert cells == ["y = x\n\n# Way 1\nwith f():\n    y\n####\n\n# Way 2\n\nprint(y)"]


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
    cells, told = pasted(f"In [1]:\nx = 1\nx\n\n{shown}\n\nIn [2]:\nx\n")
    assert cells == ["x = 1\nx", "x"]
    assert told["outputs"] == len([line for line in shown.split("\n") if line])


def test_fences():
    cleaned = read_pasted("Add:\n\n```python\n1 + 1\n```\n")
    assert cleaned.program.cells == [CellSource("1 + 1", 4)]
    assert (cleaned.program.notes, cleaned.told) == ([Note(0, "Add:")], {"fences": 1})


def test_a_column_of_numbers_above_the_code():
    cleaned = read_pasted("Text\n\n1\n2\n3\nimport a\n\nx = 1\nMore\n\n1\nx\n")
    assert cleaned.program.cells == [CellSource("import a\n\nx = 1", 6), CellSource("x", 12)]
    assert cleaned.program.notes == [Note(0, "Text"), Note(1, "More")]
    assert cleaned.told == {"line-numbers": 4}


@pytest.mark.parametrize("between", [" ", "  ", "\t", ". ", "| ".replace("|", ":")])
def test_numbers_beside_the_code(between):
    text = f"1{between}def f(x):\n2{between}    return x\n3\n4{between}f(1)\n"
    cells, told = pasted(text)
    assert cells == ["def f(x):\n    return x\n\nf(1)\n"]
    assert told == {"line-numbers": 4}


def test_a_whole_notebook():
    cells = [
        {"cell_type": "markdown", "source": "# T"},
        {"cell_type": "code", "source": ["x = 1\n", "x"], "outputs": []},
    ]
    cleaned = read_pasted(json.dumps({"cells": cells, "nbformat": 4}))
    assert cleaned.program.cells == [CellSource("x = 1\nx")]
    assert (cleaned.program.notes, cleaned.told) == ([Note(0, "# T")], {"notebook": 1})


def test_a_broken_notebook_is_unusable():
    with pytest.raises(Unusable) as caught:
        read_pasted('{"cells": [')
    assert caught.value.kind == "broken-json"


def test_an_answer_kept_in_a_string_is_output():
    cells, told = pasted("```python\nx\n\n'''\n结果为：\ntensor([1.])\n'''\n```\n\n```python\n'''about'''\n```\n")
    assert cells == ["x", "'''about'''"]
    assert told == {"fences": 2, "outputs": 5}


def test_what_was_done_is_said_in_one_line():
    cleaned = read_pasted("1\n2\n3\ndef f(x):\nreturn x\n\nSo it is then.\n")
    assert cleaned_sentence(cleaned, "en") == "Pasted: 3 line numbers removed, one line indented again."
    assert cleaned_sentence(cleaned, "zh") == "已粘贴：去掉 3 个行号，恢复 1 行缩进。"
    assert cleaned_sentence(read_pasted("x = （1）\n"), "en") == "One place needs a hand."
    assert cleaned.original.startswith("1\n2\n")


def test_bounds_hold_for_pasted_text():
    for text, kind in [
        ("#" * 200_001, "too-large"),
        ("\ud800", "undecodable"),
        (">>> x\n1\n" * 2001, "too-many-cells"),
    ]:
        with pytest.raises(Unusable) as caught:
            read_pasted(text)
        assert caught.value.kind == kind


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_copied_from_the_web_becomes_a_program_or_marks(path):
    cleaned = read_pasted(path.read_text(encoding="utf-8"))
    marked = {mark.cell for mark in cleaned.marks}
    for number, cell in enumerate(cleaned.program.cells):
        if number not in marked:
            compile(cell.text.replace("%matplotlib", "pass #"), "cell", "exec")
    for cell in mend_all(cleaned.program).cells:
        compile(cell.text.replace("%matplotlib", "pass #"), "cell", "exec")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_every_line_of_a_copied_page_is_where_the_cell_says(path):
    text = path.read_text(encoding="utf-8")
    lines = text.split("\n")
    for cell in read_pasted(text).program.cells:
        for number, line in enumerate(cell.text.split("\n"), start=cell.first_line):
            assert lines[number - 1].strip() == line.strip()


@pytest.mark.parametrize("path", COPIED, ids=lambda path: path.stem)
def test_a_copied_notebook_has_the_cells_of_the_notebook(path):
    wanted = [cell.text.strip() for cell in load_program(str(notebook_of(path))).cells]
    assert [cell.text.strip() for cell in read_pasted(path.read_text(encoding="utf-8")).program.cells] == wanted


def test_a_line_of_spaces_below_a_prompt_is_read_in_one_pass():
    cells, _ = pasted("In [1]:\nx = 1\n\n" + " " * 50_000 + "a ~\n")
    assert cells[0].startswith("x = 1")
