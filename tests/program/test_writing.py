"""Programs as files, and files as the same programs again."""

import json

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.program import CellSource, Program, read_program, with_cell_replaced, with_imports, write_program
from explorer.program.cells import encode_request
from explorer.trace import Note, Options

PROGRAM = Program(
    [CellSource("x = 1"), CellSource(""), CellSource("x + 1\nx")], [Note(0, "# Add\n\nText"), Note(3, "End")]
)


def read(text: str, kind: str) -> Program:
    return read_program(f"a.{kind}", text.encode())


def content(program: Program) -> tuple[list[str], list[Note]]:
    return [cell.text for cell in program.cells], list(program.notes)


def test_a_py_file_has_percent_marks():
    assert write_program(PROGRAM, "py") == (
        "# %% [markdown]\n# # Add\n#\n# Text\n\n# %%\nx = 1\n\n# %%\n\n\n# %%\nx + 1\nx\n\n# %% [markdown]\n# End\n"
    )


def test_one_cell_needs_no_mark():
    assert write_program(Program([CellSource("x = 1\n")]), "py") == "x = 1\n"


def test_a_notebook_is_valid_and_the_same_each_time():
    text = write_program(PROGRAM, "ipynb")
    nbformat.validate(nbformat.reads(text, as_version=4))
    assert text == write_program(PROGRAM, "ipynb")


LINES = st.sampled_from(
    [
        "x = 1",
        "",
        "  y",
        "# %%",
        "#%% a",
        "# \\%%",
        "%%",
        "# In[1]:",
        "```",
        "~~~~",
        "```python",
        "'''",
        '"""',
        ">>> x",
        "# %% [markdown]",
    ]
) | st.text(st.characters(codec="utf-8", exclude_characters="\r\n\0"), max_size=12)
TEXTS = st.lists(LINES, max_size=5).map("\n".join)
PROSE = st.lists(
    st.sampled_from(["# Title", "", "Text", "    code", "- item", "%% x", "#", "$$x$$", "梯度"]), min_size=1
)
NOTES = PROSE.map(lambda lines: "\n".join(lines).strip("\n")).filter(str.strip)


@st.composite
def programs(draw, together: int):
    """Programs with up to `together` notes before a cell."""
    cells = draw(st.lists(TEXTS, max_size=4))
    notes = [Note(place, note) for place in range(len(cells) + 1) for note in draw(st.lists(NOTES, max_size=together))]
    return Program([CellSource(text) for text in cells], notes)


@pytest.mark.thorough
@settings(max_examples=150, deadline=None)
@given(programs(together=3))
def test_a_program_survives_a_round_trip_through_py(program):
    if content(program) == ([], []):
        program = Program([CellSource("")])
    assert content(read(write_program(program, "py"), "py")) == content(program)


@settings(max_examples=50, deadline=None)
@given(programs(together=3))
def test_a_program_survives_a_round_trip_through_ipynb(program):
    assert content(read(write_program(program, "ipynb"), "ipynb")) == content(program)


def fenced(program: Program) -> str:
    """Return the cells of a program as a .md file."""
    return "\n\n".join(f"{'`' * 12}python\n{cell.text}\n{'`' * 12}" for cell in program.cells)


@settings(max_examples=40, deadline=None)
@given(programs(together=1), st.data())
def test_a_replaced_cell_is_the_only_difference(program, data):
    if not program.cells:
        return
    kind = data.draw(st.sampled_from(["py", "md", "ipynb"]))
    original = fenced(program) if kind == "md" else write_program(program, kind)
    program = read(original, kind)
    cell = data.draw(st.integers(0, len(program.cells) - 1))
    text = data.draw(TEXTS.filter(lambda text: not text.lstrip("\n").startswith(">>> ")))
    if kind == "py" and len(program.cells) == 1 and not program.notes:
        text = text.replace("%%", "").replace("In[", "")
    cells, notes = content(program)
    cells[cell] = text
    again = content(read(with_cell_replaced(program, cell, text, original), kind))
    assert again == (cells, notes)


def test_a_replaced_cell_keeps_the_file_around_it():
    original = "# Title\n\n- item\n\n  ```python\n  x = 1\n  ```\n\n> ~~~ py\n> y\n> ~~~\nEnd\n"
    program = read(original, "md")
    assert with_cell_replaced(program, 0, "x = 2\n\nz", original) == original.replace("x = 1", "x = 2\n\n  z")
    assert with_cell_replaced(program, 1, "y\nz", original) == original.replace("> y\n", "> y\n> z\n")
    original = "#!/bin/sh\nimport a\n\n#%% one\nx = 1\n\n\n#%%\ny\n"
    program = read(original, "py")
    assert with_cell_replaced(program, 1, "x = 2", original).startswith(
        "#!/bin/sh\nimport a\n\n#%% one\nx = 2\n\n#%%\n"
    )


def test_a_replaced_line_of_a_session_has_prompts():
    original = "```pycon\n>>> x = 1\n>>> x\n1\n```\n"
    replaced = with_cell_replaced(read(original, "md"), 0, "for x in y:\n    x", original)
    assert replaced == "```pycon\n>>> for x in y:\n...     x\n```\n"


def test_a_replaced_notebook_cell_loses_only_its_outputs():
    shown = {"outputs": [{"output_type": "stream", "name": "stdout", "text": ["1\n"]}], "execution_count": 7}
    book = {
        "cells": [
            {"cell_type": "markdown", "source": ["# Title"], "metadata": {}, "attachments": {"a": {}}},
            {"cell_type": "code", "source": ["print(\n", "1)"], "metadata": {"tags": ["a"]}, **shown},
            {"cell_type": "code", "source": [], "metadata": {}, **shown},
        ],
        "metadata": {"colab": {"name": "a"}},
        "nbformat": 4,
        "nbformat_minor": 0,
    }
    original = json.dumps(book, indent=2) + "\n"
    program = read(original, "ipynb")
    assert [cell.text for cell in program.cells] == ["print(\n1)", ""]
    replaced = with_cell_replaced(program, 0, "print(\n2)", original)
    book["cells"][1] |= {"source": ["print(\n", "2)"], "outputs": [], "execution_count": None}
    assert replaced == json.dumps(book, indent=2) + "\n"


def test_a_notebooks_metadata_is_written_back():
    book = {
        "cells": [
            {"cell_type": "markdown", "id": "m", "metadata": {}, "source": "# Title"},
            {"cell_type": "code", "id": "first", "metadata": {"tags": ["keep"]}, "source": "x = 1", "outputs": []},
            {"cell_type": "code", "id": "cell-1", "metadata": {}, "source": "x", "outputs": []},
        ],
        "metadata": {"kernelspec": {"name": "d2l", "display_name": "D2L"}, "authors": [{"name": "Ada"}]},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    written = json.loads(write_program(with_imports(read(json.dumps(book), "ipynb")), "ipynb"))
    assert written["metadata"]["authors"] == [{"name": "Ada"}] and written["metadata"]["kernelspec"]["name"] == "d2l"
    _, first, second = written["cells"]
    assert (first["id"], first["metadata"], second["id"]) == ("first", {"tags": ["keep"]}, "cell-1")
    assert len({cell["id"] for cell in written["cells"]}) == 3


@pytest.mark.parametrize("odd", [3, "text", [1], {"kernelspec": {"language": "python"}, "x": float("nan")}, {}])
def test_odd_notebook_metadata_still_opens(odd):
    cells = [{"cell_type": "code", "id": odd, "metadata": odd, "source": "x = 1"}]
    metadata = odd if isinstance(odd, dict) else {"odd": odd}
    program = read(json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4}), "ipynb")
    assert content(read(write_program(program, "ipynb"), "ipynb")) == (["x = 1"], [])


def test_notebook_metadata_is_not_sent_to_the_child():
    program = Program([CellSource("x", about='{"id": "secret"}')], about='{"secret": 1}')
    assert b"secret" not in encode_request(program, Options())


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("x = torch.ones(2)", "import torch\n\nx = torch.ones(2)"),
        ("from torch import nn\nx = torch.ones(2)", "import torch\n\nfrom torch import nn\nx = torch.ones(2)"),
        ("import torch.nn as nn\nx = torch.ones(2)", "import torch\n\nimport torch.nn as nn\nx = torch.ones(2)"),
        ("%%time\nx = torch.ones(2)", "%%time\nimport torch\n\nx = torch.ones(2)"),
        ("import numpy, torch\nx = torch.ones(2)", None),
        ("import torch.nn\nx = torch.ones(2)", None),
        ("from torch import nn\nnn.Linear(1, 1)", None),
        ("print('torch')  # torch", None),
    ],
)
def test_a_saved_program_imports_its_implicit_names(text, written):
    assert with_imports(Program([CellSource(text)])).cells[0].text == (written or text)
