"""Python files with marks between cells."""

import pytest

from explorer.program import CellSource, read_program
from explorer.trace import Note


def read(text: str):
    program = read_program("a.py", text.encode())
    return program.cells, program.notes


def test_a_mark_begins_a_cell():
    assert read("# %%\nx = 1\n\n# %% two\nx\n") == ([CellSource("x = 1", 2), CellSource("x", 5)], [])
    assert read("#%%\nx = 1\n#%%\nx") == ([CellSource("x = 1", 2), CellSource("x", 4)], [])


def test_code_before_the_first_mark_is_a_cell():
    assert read("import a\n\n# %%\nx\n")[0] == [CellSource("import a", 1), CellSource("x", 4)]


def test_comments_before_the_first_mark_are_a_note():
    assert read("#!/usr/bin/env python\n# coding: utf-8\n# About\n\n# %%\nx\n") == (
        [CellSource("x", 6)],
        [Note(0, "About")],
    )


@pytest.mark.parametrize("body", ["# # Title\n#\n# Text", '"""\n# Title\n\nText\n"""', "# Title\n\nText"])
def test_markdown_between_marks(body):
    cells, notes = read(f"# %% [markdown]\n{body}\n\n# %%\nx\n")
    assert [cell.text for cell in cells] == ["x"]
    assert notes in ([Note(0, "# Title\n\nText")], [Note(0, "Title\n\nText")])


@pytest.mark.parametrize("line", ["x = 1  # %%", "# %%time", "  # %%", "# %"])
def test_other_lines_are_no_marks(line):
    assert read(f"{line}\ny\n")[0] == [CellSource(f"{line}\ny\n")]


def test_a_mark_within_a_cell_is_written_with_a_backslash():
    assert read("# %%\ns = '''\n# \\%%\n'''\n")[0] == [CellSource("s = '''\n# %%\n'''", 2)]


def test_an_empty_cell_is_a_cell():
    assert read("# %%\n\n# %%\nx\n")[0] == [CellSource("", 2), CellSource("x", 4)]


def test_as_nbconvert_writes_it():
    text = (
        "#!/usr/bin/env python\n# coding: utf-8\n\n# # Title\n\n# In[1]:\n\n\n"
        "get_ipython().run_line_magic('matplotlib', 'inline')\nimport torch\n\n\n# Text\n# \n# more\n\n"
        "# In[ ]:\n\n\nx = 1\n\n# why\nx\n\n"
    )
    first = "get_ipython().run_line_magic('matplotlib', 'inline')\nimport torch\n\n\n# Text\n# \n# more"
    assert read(text) == ([CellSource(first, 9), CellSource("x = 1\n\n# why\nx", 20)], [Note(0, "# Title")])
